# SPDX-License-Identifier: Apache-2.0
# An authenticator app, by itself as far as possible: RFC 6238 with Perl's own HMAC, and nothing of the service's.
package Vitrine::Otp;
use strict;
use warnings;
use Digest::SHA 'hmac_sha1';

# $secret: base32, with spaces as it is shown.
sub new { my ($class, $secret) = @_; $secret =~ s/\s//g; return bless { key => unbase32($secret) }, $class }

sub unbase32 {
	my ($text) = @_;
	my %value;
	@value{'A' .. 'Z', 2 .. 7} = 0 .. 31;
	my $bits = join '', map { sprintf '%05b', $value{$_} // die "not base32: $text\n" } split //, $text;
	return pack 'B*', substr $bits, 0, 8 * int(length($bits) / 8);
}

# The code of now, or of so many steps from now.
sub code {
	my ($s, $steps) = @_;
	my $hash = hmac_sha1(pack('Q>', int(time / 30) + ($steps // 0)), $s->{key});
	my $at = ord(substr $hash, -1) & 15;
	return sprintf '%06d', (unpack('N', substr $hash, $at, 4) & 0x7fffffff) % 1_000_000;
}

# One that is right at no time near: no step from two back to two ahead has it.
sub wrong {
	my ($s) = @_;
	my %right = map { $s->code($_) => 1 } -3 .. 3;
	my ($code) = grep { !$right{$_} } map { sprintf '%06d', $_ } 123_450 .. 123_460;
	return $code;
}

1;
