# SPDX-License-Identifier: Apache-2.0
# HTTP for tests, over TLS through nginx: it can send what a polite client would not. One connection is kept for speed.
package Vitrine::Api;
use strict;
use warnings;
use Encode 'encode_utf8';
use IO::Socket::SSL;
use Cpanel::JSON::XS;
use POSIX ();
use Scalar::Util 'weaken';
use Socket qw(IPPROTO_TCP SO_RCVTIMEO TCP_NODELAY);
use Test::More ();
use Vitrine::OpenApi;

binmode Test::More->builder->$_, ':utf8' for qw(output failure_output todo_output);

# All of this test, which don't live longer for it.
my @made;

# The first of a stack that still runs.
sub first { return (grep { $_ && !$_->{stack}{finished} } @made)[0] // die "there is no Vitrine::Api\n" }

# unchecked => 1, for what is timed: replies are neither parsed nor checked. patience => seconds that a connection may say nothing.
sub new {
	my ($class, $stack, %o) = @_;
	my $a = bless { %o, stack => $stack, address => $stack->{address} // '127.0.0.1', port => $stack->{port},
		ca => "$stack->{tls}/ca.pem",
		json => Cpanel::JSON::XS->new->utf8->canonical->allow_nonref }, $class;
	push @made, $a;
	weaken($made[-1]);
	return $a;
}

sub connection {
	my ($a, $host) = @_;
	# What a process kept is of no use to its children, and isn't theirs to end.
	if (($a->{owner} //= $$) != $$) {
		$_->close(SSL_no_shutdown => 1) for values %{delete $a->{kept} // {}};
		$a->{owner} = $$;
	}
	my $kept = delete $a->{kept}{$host};
	return $kept if $kept;
	my $c = IO::Socket::SSL->new(PeerHost => $a->{address}, PeerPort => $a->{port}, SSL_ca_file => $a->{ca}, SSL_hostname => $host,
		SSL_verifycn_name => $host, SSL_verifycn_scheme => 'http',
		Timeout => $a->{patience} // 60) // die "TLS to $host: $IO::Socket::SSL::SSL_ERROR\n";
	# A body of several records would else wait up to 40 ms for the other side's acknowledgement.
	setsockopt $c, IPPROTO_TCP, TCP_NODELAY, 1;
	$c->sockopt(SO_RCVTIMEO, pack 'l!l!', $a->{patience}, 0) if $a->{patience};
	return $c;
}

# Sends the bytes, reads one reply: {status, headers, body}; status 0 when the connection just closed.
sub raw {
	my ($a, $host, $bytes, $method) = @_;
	for my $try (1, 2) {
		my $again = $a->{kept}{$host} ? 1 : 0;
		my $c = $a->connection($host);
		local $SIG{PIPE} = 'IGNORE';
		my $sent = 0;
		while ($sent < length $bytes) {
			my $n = syswrite $c, $bytes, 65536, $sent;
			last if !$n;
			$sent += $n;
		}
		my $r = $a->read_reply($c, $method // 'GET');
		if (!$r) {
			next if $again && $try == 1;
			return { status => 0, headers => {}, body => '' };
		}
		$a->{kept}{$host} = $c if ($r->{headers}{connection} // '') !~ /close/;
		return $r;
	}
}

sub read_reply {
	my ($a, $c, $method) = @_;
	my ($buf, %h) = ('');
	while ($buf !~ /\r\n\r\n/) { sysread($c, $buf, 65536, length $buf) or return undef }
	my ($head, $body) = split /\r\n\r\n/, $buf, 2;
	my ($status) = $head =~ m{^HTTP/1\.[01] (\d+)} or return undef;
	for (split /\r\n/, $head =~ s/^[^\r]*\r\n//r) {
		my ($name, $value) = /^([^:]+):\s*(.*)$/ or next;
		my $key = lc $name;
		$h{$key} = exists $h{$key} ? "$h{$key}, $value" : $value;
	}
	if ($method eq 'HEAD' || $status == 304 || $status == 204) { $body = '' }
	elsif (($h{'transfer-encoding'} // '') =~ /chunked/) {
		my $whole = '';
		while (1) {
			until ($body =~ /^[0-9a-fA-F]+[^\r]*\r\n/) { sysread($c, $body, 65536, length $body) or return undef }
			my $n = hex $body =~ s/[^0-9a-fA-F].*//sr;
			my $at = index($body, "\n") + 1;
			while (length $body < $at + $n + 2) { sysread($c, $body, 65536, length $body) or return undef }
			$whole .= substr $body, $at, $n;
			$body = substr $body, $at + $n + 2;
			last if !$n;
		}
		$body = $whole;
	} else {
		my $n = $h{'content-length'};
		while (!defined $n || length $body < $n) { sysread($c, $body, 65536, length $body) or last }
	}
	return { status => $status + 0, headers => \%h, body => $body };
}

sub request {
	my ($a, $method, $host, $path, $headers, $body) = @_;
	my $text = "$method $path HTTP/1.1\r\nHost: $host:$a->{port}\r\n";
	$text .= encode_utf8("$_: $headers->{$_}\r\n") for sort keys %$headers;
	$text .= 'Content-Length: ' . length($body) . "\r\n" if defined $body;
	# An id that was read from JSON is marked as characters, and what stood beside it would be recoded.
	utf8::encode($text) if utf8::is_utf8($text);
	my $r = $a->raw($host, $text . "\r\n" . ($body // ''), $method);
	return $r if $a->{unchecked};
	my @wrong = headers_wrong($r, $host =~ /\.localhost$/i);
	Test::More::fail("$method $host " . substr($path, 0, 60) . ": $r->{status} " . join ', ', @wrong) if @wrong;
	return $r;
}

# What every reply of both planes must say, whatever it is.
sub headers_wrong {
	my ($r, $ours) = @_;
	my $h = $r->{headers};
	return () if !$r->{status};
	# A domain of somebody's own promises no TLS for later.
	# A 416 of a page's own file passes nginx's header filters twice; a 400 is kept by no cache.
	my @needs = ($ours ? 'strict-transport-security' : (), $r->{status} == 400 ? () : 'cache-control');
	return ((map { "no $_" } grep { !defined $h->{$_} } @needs),
		($h->{'x-content-type-options'} // '') !~ ($r->{status} == 416 && ($h->{'content-type'} // '') =~ /^text/
			? qr/^nosniff(?:, nosniff)?$/ : qr/^nosniff$/) ? 'not one nosniff' : (),
		length $r->{body} && !$h->{'content-type'} ? 'no content-type' : (),
		($h->{server} // '') =~ /\d/ ? 'the version of nginx' : (),
		defined $h->{'access-control-allow-credentials'} ? 'credentials for other origins' : ());
}

# The API. Options: token, json (encoded), body and type (as they are), headers.
sub call {
	my ($a, $method, $path, $o) = @_;
	my %h = %{$o->{headers} // {}};
	my $body = $o->{body};
	$h{Authorization} = "Bearer $o->{token}" if defined $o->{token};
	if (exists $o->{json}) {
		$body = $a->{json}->encode($o->{json});
		$h{'Content-Type'} = 'application/json';
	}
	$h{'Content-Type'} = $o->{type} if $o->{type};
	my $r = $a->request($method, 'vitrine.localhost', $path, \%h, $body);
	return $r if $a->{unchecked};
	$r->{json} = eval { $a->{json}->decode($r->{body}) } if ($r->{headers}{'content-type'} // '') =~ m{^application/json};
	$a->record($method, $path, $r);
	return $r;
}

# Every JSON reply keeps to the OpenAPI document; which routes answered, and with which codes, is noted for t/last/seen.t.
my $document;
sub record {
	my ($a, $method, $path, $r) = @_;
	return if $method eq 'OPTIONS' || !$r->{status} || $path =~ m{^/assets/};
	$document //= Vitrine::OpenApi->new(($ENV{VITRINE_TOP} // '.') . '/docs/openapi.json');
	# An address by another name (a row's alias) is in no document.
	return if $r->{status} =~ /^30/ && $path =~ m{^/[aw]/(?!art_|wsp_)};
	# What the proxy hands on is another server's.
	my @wrong = $r->{headers}{'x-vitrine-proxied'} ? () : $document->wrong($method, $path, $r);
	Test::More::fail("$method $path: " . join '; ', @wrong) if @wrong;
	my $dir = $ENV{VITRINE_TRAFFIC} // return;
	open my $f, '>>', "$dir/$$" or return;
	print $f "$method ", $document->template($path) // '-', " $r->{status} ",
		ref $r->{json} eq 'HASH' ? $r->{json}{code} // '-' : '-', "\n";
}

sub get_site { my ($a, $slug, $path, %headers) = @_; return $a->request('GET', "$slug.pages.localhost", $path, \%headers) }
sub site { my ($a, $method, $slug, $path, %headers) = @_; return $a->request($method, "$slug.pages.localhost", $path, \%headers) }

# Publishes files given as path => content; returns the artifact's id, or dies.
sub publish {
	my ($a, $who, %fields) = @_;
	my $files = delete $fields{files} // { 'index.html' => 'x' };
	my $r = $a->call(POST => '/v1/publish', { token => $who->{token}, json => { name => 'Site', %fields,
		files => [map { ref $files->{$_} ? { path => $_, %{$files->{$_}} } : { path => $_, content => $files->{$_} } }
			sort keys %$files] } });
	die "publish: $r->{status} $r->{body}\n" if $r->{status} != 201;
	return ($r->{json} // $a->{json}->decode($r->{body}))->{artifact}{id};
}

# Runs f(api, i) in n processes that start together; returns what each returned.
sub together {
	my ($stack, $n, $f) = @_;
	pipe my $wait, my $go or die;
	my @out;
	for my $i (0 .. $n - 1) {
		my $pid = open(my $from, '-|') // die "fork: $!";
		if (!$pid) {
			close $go;
			my $api = Vitrine::Api->new($stack);
			sysread $wait, my $byte, 1;
			print $f->($api, $i);
			close STDOUT;
			POSIX::_exit(0);
		}
		push @out, $from;
	}
	close $wait;
	close $go;
	return map { local $/; my $fh = $_; scalar <$fh> // '' } @out;
}

1;
