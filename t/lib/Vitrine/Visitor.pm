# SPDX-License-Identifier: Apache-2.0
# A person's browser as far as pages without scripts need one: cookies a host, redirects, forms. Everything passes through Vitrine::Api.
package Vitrine::Visitor;
use strict;
use warnings;
use Encode 'decode_utf8';
use Test::More ();

# dest => 'document': says what for it asks, as browsers do
sub new { my ($class, $api, %o) = @_; return bless { api => $api, jar => {}, agent => 'Test/1.0 (a browser)', %o }, $class }

sub escape { my ($s) = @_; utf8::encode($s); $s =~ s/([^A-Za-z0-9._~-])/sprintf '%%%02X', ord $1/ge; return $s }
sub unescape_html {
	my ($s) = @_;
	$s =~ s/&(lt|gt|quot|amp|#39);/{ lt => '<', gt => '>', quot => '"', amp => '&', '#39' => "'" }->{$1}/ge;
	return $s;
}

sub keep_cookies {
	my ($v, $host, $r) = @_;
	for my $line (split /, (?=[\w-]+=)/, $r->{headers}{'set-cookie'} // '') {
		my ($name, $value, $rest) = $line =~ /^([\w-]+)=([^;]*)(.*)$/ or Test::More::fail("cookie: $line");
		Test::More::fail("cookie $name is not host-only, Secure, HttpOnly, SameSite=Lax: $rest")
			if $rest !~ /; Secure\b/ || $rest !~ /; HttpOnly\b/ || $rest !~ /; SameSite=Lax\b/ || $rest =~ /Domain/i;
		my ($path) = $rest =~ /; Path=([^;]*)/;
		if ($rest =~ /Max-Age=0\b/) { delete $v->{jar}{$host}{$name} }
		else { $v->{jar}{$host}{$name} = [$value, $path] }
	}
}

sub cookies_for {
	my ($v, $host, $path) = @_;
	my $jar = $v->{jar}{$host} // {};
	return join '; ', map { "$_=$jar->{$_}[0]" } grep { $path =~ /^\Q$jar->{$_}[1]\E/ } sort keys %$jar;
}

# One request, without following. $at is a path of the API's host, or a whole address.
sub send {
	my ($v, $method, $at, %o) = @_;
	my ($host, $path) = $at =~ m{^https://([^:/]+)(?::\d+)?(/.*)?$} ? ($1, $2 // '/') : ('vitrine.localhost', $at);
	my $cookie = $v->cookies_for($host, $path);
	my %h = ('User-Agent' => $v->{agent}, Accept => 'text/html', 'Sec-Fetch-Mode' => 'navigate',
		'Sec-Fetch-Site' => $method eq 'GET' ? 'none' : 'same-origin',
		($v->{dest} ? ('Sec-Fetch-Dest' => $v->{dest}) : ()), ($cookie ? (Cookie => $cookie) : ()), %{$o{headers} // {}});
	delete $h{$_} for grep { !defined $h{$_} } keys %h;
	my $r = $v->{api}->request($method, $host, $path, \%h, $o{body});
	$v->{api}->record($method, $path, $r) if $host eq 'vitrine.localhost';
	$v->keep_cookies($host, $r);
	@$r{qw(host path)} = ($host, $path);
	$r->{text} = decode_utf8($r->{body});
	return $v->{page} = $r;
}

# As a browser: to the page at the end.
sub go {
	my ($v, $at, %o) = @_;
	my $r = $v->send(GET => $at =~ s/#.*//sr, %o);
	for (1 .. 10) {
		return $r if $r->{status} !~ /^30[1237]$/;
		my $to = $r->{headers}{location} =~ s/#.*//sr;
		$to = "https://$r->{host}:$v->{api}{port}$to" if $to =~ m{^/};
		$r = $v->send(GET => $to);
	}
	die "too many redirects\n";
}

# The forms of the page: [{action, method, fields}].
sub forms {
	my ($v) = @_;
	my @forms;
	while ($v->{page}{text} =~ m{<form([^>]*)>(.*?)</form>}sg) {
		my ($head, $body) = ($1, $2);
		my %f = (action => $head =~ /action="([^"]*)"/, method => uc(($head =~ /method="([^"]*)"/)[0]), fields => {},
			buttons => []);
		while ($body =~ /<(input|button|textarea)([^>]*)>/g) {
			my ($tag, $at) = ($1, $2);
			my ($name) = $at =~ /\bname="([^"]*)"/ or next;
			my ($value) = $at =~ /\bvalue="([^"]*)"/;
			next if $at =~ / disabled\b/ || $at =~ /type="checkbox"/ || $at =~ /type="radio"/ && $at !~ /\bchecked\b/;
			if ($tag eq 'button') { push @{$f{buttons}}, $name } else { $f{fields}{$name} = unescape_html($value // '') }
		}
		push @forms, \%f;
	}
	return @forms;
}

# Fills in and sends the form whose action matches; follows unless told not to.
sub submit {
	my ($v, $action, $fields, %o) = @_;
	my ($form) = grep { $_->{action} =~ $action } $v->forms;
	die "no form with $action on $v->{page}{path}:\n$v->{page}{text}\n" if !$form;
	my %all = (%{$form->{fields}}, %{$fields // {}});
	my $body = join '&', map { escape($_) . '=' . escape($all{$_}) } sort keys %all;
	my $follow = !delete $o{stay};
	return $v->go($form->{action} . "?$body") if $form->{method} eq 'GET';
	my $r = $v->send(POST => $form->{action}, body => $body, %o,
		headers => { 'Content-Type' => 'application/x-www-form-urlencoded', %{$o{headers} // {}} });
	return $r if !$follow || $r->{status} != 303;
	my $to = $r->{headers}{location};
	return $v->go($to =~ m{^/} ? "https://$r->{host}:$v->{api}{port}$to" : $to);
}

# The address that signs this browser in on a page's host, as whom the app knows; '' when it gives none.
sub ticket {
	my ($v, $page) = @_;
	my $r = $v->send(GET => '/auth/view?signin=1&to=' . escape($page));
	for (1 .. 3) {
		my $to = $r->{headers}{location} // return '';
		return $to if $to =~ m{/_vitrine/enter\?ticket=};
		$r = $v->send(GET => $to);
	}
	return '';
}

# The cookie that a page's host gives them, as a header's value; undef when it gives none.
sub viewer_cookie {
	my ($v, $host, $page) = @_;
	my $ticket = $v->ticket($page) or return undef;
	$v->send(GET => $ticket);
	my $got = $v->{jar}{$host}{'__Host-vitrine_viewer'} or return undef;
	return "__Host-vitrine_viewer=$got->[0]";
}

sub sign_in {
	my ($v, $email, $password, $next) = @_;
	$v->go('/auth/signin' . ($next ? '?next=' . escape($next) : ''));
	return $v->{page} if $v->{page}{path} !~ m{^/auth/signin};
	return $v->submit(qr{^/auth/signin$}, { email => $email, password => $password });
}

1;
