# SPDX-License-Identifier: Apache-2.0
# What nearly every test begins with: strict, warnings, Test::More, JSON, $true and $false, stack and finish; and words that it names in its
# use.
package Vitrine::Words;
use strict;
use warnings;
use Cpanel::JSON::XS;
use Test::More;
use Vitrine::Api;
use Vitrine::Stack;

our ($true, $false) = (Cpanel::JSON::XS::true, Cpanel::JSON::XS::false);

sub import {
	my ($class, @words) = @_;
	my $to = caller;
	$_->import for qw(strict warnings);
	eval "package $to; use Test::More; use Cpanel::JSON::XS; 1" or die $@;
	no strict 'refs';
	*{"${to}::$_"} = \${$_} for qw(true false);
	*{"${to}::$_"} = $class->can($_) // die "Vitrine::Words has no $_\n" for qw(stack finish), @words;
}

# A stack with these settings, its API, and its database.
sub stack { my $stack = Vitrine::Stack->new(@_); return ($stack, Vitrine::Api->new($stack), $stack->db) }

# The last line of a test.
sub finish { $_->finish for @_; done_testing }

# A request by the test's first Vitrine::Api, with a body of JSON or with options of its call. $who is what the stack's user() gave or the
# name in such an address, undef for nobody.
sub as {
	my ($who, $method, $path, @rest) = @_;
	my %o = @rest % 2 ? (defined $rest[0] ? (json => $rest[0]) : ()) : @rest;
	my $api = Vitrine::Api::first();
	utf8::encode($path) if utf8::is_utf8($path);
	$who = $api->{stack}{users}{"$who\@example.org"} // die "nobody is called $who\n" if $who && !ref $who;
	return $api->call($method => $path, { ($who ? (token => $who->{token}) : ()), %o });
}

# "STATUS CODE" of a reply.
sub said { my ($r) = @_; return "$r->{status} " . ($r->{json}{code} // '') }

# A refusal with its status, its code, and perhaps words.
sub refused {
	my ($r, $want, $name, $like) = @_;
	is said($r), $want, $name or diag $r->{body};
	like $r->{json}{error} // '', $like, '... and says why' if $like;
	return $r;
}

1;
