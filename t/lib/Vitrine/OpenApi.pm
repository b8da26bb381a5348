# SPDX-License-Identifier: Apache-2.0
# Holds a reply against docs/openapi.json: the part of JSON Schema that the document uses, and no member that it does not name.
package Vitrine::OpenApi;
use strict;
use warnings;
use Cpanel::JSON::XS;

sub new {
	my ($class, $path) = @_;
	open my $f, '<', $path or die "$path: $!\n";
	local $/;
	my $doc = decode_json(<$f>);
	my @paths;
	# A template with more fixed text wins.
	for my $template (sort { length($b =~ s/\{\w+\}//gr) <=> length($a =~ s/\{\w+\}//gr) } keys %{$doc->{paths}}) {
		my $re = join '/', map { /^\{(?:note_)?path\}$/ ? '.+' : /^\{/ ? '[^/]+' : quotemeta } split m{/}, $template, -1;
		push @paths, [qr/^$re$/, $template];
	}
	return bless { doc => $doc, paths => \@paths }, $class;
}

# Paths that differ in ids alone have one.
sub template {
	my ($o, $path) = @_;
	$path =~ s/\?.*//s;
	my $alike = $path =~ s{/([a-z]+_)[0-9A-Za-z]{26}(?=/|$)}{/$1}gr;
	$o->{known}{$alike} = (map { $_->[1] } grep { $path =~ $_->[0] } @{$o->{paths}})[0] if !exists $o->{known}{$alike};
	return $o->{known}{$alike};
}

sub is_kind {
	my ($kind, $v) = @_;
	return !defined $v if $kind eq 'null';
	return 0 if !defined $v;
	return ref $v eq 'HASH' if $kind eq 'object';
	return ref $v eq 'ARRAY' if $kind eq 'array';
	return Cpanel::JSON::XS::is_bool($v) if $kind eq 'boolean';
	return 0 if ref $v;
	no warnings 'experimental::builtin';
	my $number = builtin::created_as_number($v);
	return $kind eq 'string' ? !$number : $number && ($kind eq 'number' || $v == int $v);
}

# What a schema is where it refers to another, or joins the members of several.
sub schema {
	my ($o, $schema) = @_;
	return $o->{schema}{$schema} //= $o->resolve($schema);
}

sub resolve {
	my ($o, $schema) = @_;
	if (my $ref = $schema->{'$ref'}) {
		my $to = $o->{doc};
		$to = $to->{$_} for grep { $_ ne '#' } split m{/}, $ref;
		return $o->schema($to);
	}
	return $schema if !$schema->{allOf};
	my @all = map { $o->schema($_) } @{$schema->{allOf}};
	return { type => 'object', properties => { map { %{$_->{properties}} } @all }, required => [map { @{$_->{required} // []} } @all] };
}

# What is wrong, as lines; none if nothing is.
sub check {
	my ($o, $schema, $v, $at) = @_;
	$schema = $o->schema($schema);
	for my $any (qw(anyOf oneOf)) {
		next if !$schema->{$any};
		return (grep { !$o->check($_, $v, $at) } @{$schema->{$any}}) ? () : "$at fits nothing of $any";
	}
	my @kinds = ref $schema->{type} ? @{$schema->{type}} : $schema->{type} // ();
	return "$at is not @kinds" if @kinds && !grep { is_kind($_, $v) } @kinds;
	return () if !defined $v;
	return "$at is not " . encode_json([$schema->{const}])
		if exists $schema->{const} && encode_json([$v]) ne encode_json([$schema->{const}]);
	return "$at is none of the values" if $schema->{enum} && !grep { defined && $_ eq $v } @{$schema->{enum}};
	my @wrong;
	if (ref $v eq 'ARRAY') {
		push @wrong, map { $o->check($schema->{items}, $v->[$_], "$at\[$_\]") } $schema->{items} ? 0 .. $#$v : ();
	} elsif (ref $v eq 'HASH' && $schema->{properties}) {
		push @wrong, map { "$at.$_ is missing" } grep { !exists $v->{$_} } @{$schema->{required} // []};
		for my $name (sort keys %$v) {
			my $sub = $schema->{properties}{$name};
			push @wrong, $sub ? $o->check($sub, $v->{$name}, "$at.$name") : "$at.$name is not in the document";
		}
	}
	return @wrong;
}

# Whether check() has nothing to say of a value, as a sub that is made once for each schema and takes a third of the time.
sub fits {
	my ($o, $schema) = @_;
	$schema = $o->schema($schema);
	return $o->{fits}{$schema} //= $o->compiled($schema);
}

sub compiled {
	my ($o, $schema) = @_;
	# A schema that contains itself finds this meanwhile.
	my $self;
	$o->{fits}{$schema} = sub { return $self->($_[0]) };
	for my $any (qw(anyOf oneOf)) {
		next if !$schema->{$any};
		my @fits = map { $o->fits($_) } @{$schema->{$any}};
		return $self = sub { for my $fit (@fits) { return 1 if $fit->($_[0]) } return 0 };
	}
	my @kinds = ref $schema->{type} ? @{$schema->{type}} : $schema->{type} // ();
	my $const = exists $schema->{const} ? encode_json([$schema->{const}]) : undef;
	my %enum = map { $_ => 1 } grep { defined } @{$schema->{enum} // []};
	my $items = $schema->{items} && $o->fits($schema->{items});
	my %member = map { $_ => $o->fits($schema->{properties}{$_}) } keys %{$schema->{properties} // {}};
	my @required = @{$schema->{required} // []};
	return $self = sub {
		my ($v) = @_;
		if (@kinds) {
			my $is;
			for my $kind (@kinds) { last if $is = is_kind($kind, $v) }
			return 0 if !$is;
		}
		return 1 if !defined $v;
		return 0 if defined $const && encode_json([$v]) ne $const;
		return 0 if $schema->{enum} && !$enum{$v};
		if (ref $v eq 'ARRAY') {
			for my $item ($items ? @$v : ()) { return 0 if !$items->($item) }
		} elsif (ref $v eq 'HASH' && $schema->{properties}) {
			for my $name (@required) { return 0 if !exists $v->{$name} }
			for my $name (keys %$v) { return 0 if !($member{$name} // return 0)->($v->{$name}) }
		}
		return 1;
	};
}

sub wrong {
	my ($o, $method, $path, $r) = @_;
	my $template = $o->template($path) // return $r->{status} < 400 ? "$path is not in the document" : ();
	# A GET of a form's address leads to the page that has the form.
	return () if "$method $r->{status}" eq 'GET 303' && !$o->{doc}{paths}{$template}{get};
	my $op = $o->{doc}{paths}{$template}{lc($method eq 'HEAD' ? 'GET' : $method)} // return $r->{status} < 400
		? "$method is not in the document" : ();
	my $answer = $op->{responses}{$r->{status}} // ($r->{status} >= 400 ? $op->{responses}{default} : undef)
		// return $r->{status} == 304 ? () : "$r->{status} is not in the document";
	($answer) = $o->{doc}{components}{responses}{$1} if ($answer->{'$ref'} // '') =~ m{^#/components/responses/(\w+)};
	my $schema = $answer->{content}{'application/json'}{schema};
	return if !$schema || !$r->{json};
	return $o->fits($schema)->($r->{json}) ? () : $o->check($schema, $r->{json}, 'body');
}

1;
