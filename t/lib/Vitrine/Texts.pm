# SPDX-License-Identifier: Apache-2.0
# Text of any script, and bytes that are no text, in each field of each route (openapi.json) and of each form of our pages (--routes): they
# are accepted or refused, and never a failure of ours. t/meta/text.t has the API, t/meta/text-form.t the forms.
package Vitrine::Texts;
use utf8;
use Vitrine::OpenApi;
use Vitrine::Visitor;
use Vitrine::World;
use Vitrine::Words;

my ($stack, $api, $db) = stack(Vitrine::World::unlimited(), payment_webhook_secret => 'x' x 24);
my $document = Vitrine::OpenApi->new(($ENV{VITRINE_TOP} // '.') . '/docs/openapi.json');
my $t = Vitrine::World->new($stack)->tenant($api, 'ann');
my $staff = $stack->user('staff@example.org');
$db->do('UPDATE user SET is_staff = 1 WHERE id IN (?, ?)', undef, $staff->{id}, $t->{who}{id});
$stack->ctl_in("the password\n", qw(user password), 'ann@example.org');
my $json = Cpanel::JSON::XS->new->canonical->allow_nonref->utf8;

# What ends the world, or the one who asks, comes last.
my $ends = join '|', qw(delete remove leave revoke transfer move end merge forget disable purge cancel close off undo trash restore
	pause signout);
sub order { my ($method, $path) = @_; return $method eq 'DELETE' || $path =~ m{/(?:$ends)\b} ? 1 : 0 }
sub path_of { my ($path, %at) = @_; return $path =~ s/\{(\w+)\}/$at{$1} \/\/ $t->{$1} \/\/ 'x'/ger }
sub escape { return Vitrine::Visitor::escape($_[0]) }

# ---- what is wrong

my ($sent, %status) = 0;
sub told {
	my ($what, $r) = @_;
	$sent++;
	$status{$r->{status}}++;
	return $r->{status} && $r->{status} < 500 || $r->{body} =~ /sends no e-mail|contact its operator/ ? ()
		: "$what: $r->{status} " . substr $r->{body}, 0, 200;
}

# ---- the API

# An example's ids are those of what there is.
sub real {
	my ($v, $name) = @_;
	return ref $v eq 'HASH' ? { map { $_ => real($v->{$_}, lc s/(?<=[a-z])(?=[A-Z])/_/gr) } keys %$v } : ref $v eq 'ARRAY'
		? [map { real($_, $name) } @$v] : $t->{$name // ''} // $v;
}
my @texts = ('é', '名😀');
sub usual {
	my ($s) = map { $document->schema($_) } @_;
	my ($type) = ref $s->{type} ? $s->{type}[0] : $s->{type} // 'string';
	return $s->{enum} ? $s->{enum}[0] : $type eq 'object' ? { map { $_ => usual($s->{properties}{$_}) } @{$s->{required} // []} }
		: $type eq 'array' ? [map { usual($s->{items}) } 1 .. $s->{minItems} // 0] : $type eq 'boolean' ? $true
		: $type =~ /integer|number/ ? $s->{minimum} // 1
		: ($s->{format} // '') eq 'email' ? 'x@example.org' : ($s->{format} // '') eq 'uri' ? 'https://example.org/'
		: ($s->{pattern} // '') =~ /^\^(\w+_)/ ? $1 . '0' x 26 : 'x' x ($s->{minLength} // 1);
}
# Bodies with such text at one place each, as [place, body].
sub bodies {
	my ($s, $at, $good, $text) = @_;
	$s = $document->schema($s);
	($s) = grep { ($_->{type} // '') ne 'null' } map { $document->schema($_) } @{$s->{anyOf}} if $s->{anyOf};
	my %type = map { $_ => 1 } ref $s->{type} ? @{$s->{type}} : $s->{type} // 'any';
	return map {
		my $name = $_;
		map { [$_->[0], { %{ref $good eq 'HASH' ? $good : usual($s)}, $name => $_->[1] }] } bodies($s->{properties}{$name},
			"$at.$name", ref $good eq 'HASH' ? $good->{$name} : undef, $text);
	} sort keys %{$s->{properties}} if $s->{properties};
	return map { [$_->[0], [$_->[1]]] } bodies($s->{items}, "$at\[]", ref $good eq 'ARRAY' ? $good->[0] : usual($s->{items}), $text)
		if $s->{items};
	my $format = $s->{format} // '';
	return ["$at", $format eq 'email' ? "$text\@ex$text.org" : $format eq 'uri' ? "https://ex$text.org/$text"
		: $text x ($s->{minLength} || 1)] if $type{string};
	return (["$at\{}", { $text => $text }], ["$at\{}", { x => [$text] }]) if $type{object};
	return ["$at\[]", [$text]] if $type{array};
	return $type{any} ? ["$at", $text] : ();
}
sub api {
	for my $op (sort { order(uc $a->[1], $a->[0]) <=> order(uc $b->[1], $b->[0]) || "@$a" cmp "@$b" } map {
		my $path = $_;
		map { [$path, $_] } keys %{$document->{doc}{paths}{$path}};
	} grep { m{^/v1} } keys %{$document->{doc}{paths}}) {
		my ($path, $method) = @$op;
		my $is = $document->{doc}{paths}{$path}{$method};
		next if $is->{responses}{200}{content}{'text/html'};
		my @parameters = map { $document->schema($_) } @{$is->{parameters} // []};
		my $body = $is->{requestBody}{content}{'application/json'};
		my $example = $body && real($body->{example} // {});
		my $who = $path =~ m{^/v1/support/.*/(?:reply|status|assign|triage)$} ? $staff : $t->{who};
		my $ask = sub {
			my ($at, $bytes) = @_;
			return $api->call(uc $method => $at,
				{ token => $who->{token}, defined $bytes ? (type => 'application/json', body => $bytes) : ()});
		};
		my $good = $body && $json->encode($example);
		my $query = join '&',
			map { "$_->{name}=" . ($t->{$_->{name}} // 'x') } grep { $_->{in} eq 'query' && $_->{required} } @parameters;
		my @wrong;
		for my $p (grep { $_->{in} =~ /^(?:path|query)$/ && $_->{schema}{type} =~ /string|array/ } @parameters) {
			for my $value ((map { escape($_) } @texts), '%00', '%ED%A0%80') {
				my $at = $p->{in} eq 'path' ? path_of($path, $p->{name} => $value) . "?$query"
					: path_of($path) . "?$query" =~ s/&?\b\Q$p->{name}\E=[^&]*//r . "&$p->{name}=$value";
				push @wrong, told("{$p->{name}} $value", $ask->($at, $good));
			}
		}
		for my $n ($body ? 0 .. $#texts : ()) {
			my $last;
			push @wrong, map {
				$last = $_->[1];
				told("$_->[0] $texts[$n]", $ask->(path_of($path) . "?$query", $json->encode($_->[1])));
			} bodies($body->{schema}, '', $example, $texts[$n]);
			next if $n || !$last;
			my $bytes = $json->encode($last);
			push @wrong, map { my $no = $_; told($no, $ask->(path_of($path) . "?$query", $bytes =~ s/\xc3\xa9/$no/gr)) }
				'\u0000', '\ud800', "\xed\xa0\x80", "\xff";
		}
		is join("\n", @wrong), '', "\U$method\E $path" if @wrong;
	}
	note join ' ', map { "$_: $status{$_}" } sort keys %status;
	cmp_ok $sent, '>', 2000, 'requests to the API';
	finish($stack);
}

# ---- forms

sub forms {
	my $v = Vitrine::Visitor->new($api);
	$v->sign_in('ann@example.org', 'the password');
	my $jar = $json->encode($v->{jar});
	for my $form (sort { order('POST', $a->{path}) <=> order('POST', $b->{path}) || $a->{path} cmp $b->{path} }
		grep { $_->{page} && $_->{fields} } map { decode_json($_) } split /\n/, `$ENV{VITRINE_BUILD}/vitrine-worker --routes`) {
		my $fields = $form->{fields}{properties};
		my %good = map { $_ => escape($t->{$_} // usual($fields->{$_})) }
			grep { !ref usual($fields->{$_}) } @{$form->{fields}{required} // []};
		my @wrong;
		for my $name (sort keys %$fields) {
			# Of what is text in any case, one by chance; all with VITRINE_LONG.
			my @plain = ('', 'x', '//x', 'x' x 3000);
			for my $value (escape("@texts"), '%00', $ENV{VITRINE_LONG} ? @plain : $plain[rand @plain]) {
				my %said = (%good, $name => $value);
				$v->{jar} = decode_json($jar);
				push @wrong, told("$name=" . substr($value, 0, 20), $v->send(POST => path_of($form->{address}),
					body => join('&', map { "$_=$said{$_}" } sort keys %said),
					headers => { 'Content-Type' => 'application/x-www-form-urlencoded' }));
			}
		}
		is join("\n", @wrong), '', "form $form->{path}" if @wrong;
	}
	note join ' ', map { "$_: $status{$_}" } sort keys %status;
	cmp_ok $sent, '>', 1000, 'forms sent';
	finish($stack);
}

1;
