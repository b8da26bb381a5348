# SPDX-License-Identifier: Apache-2.0
# How ./dev bench measures.
package Vitrine::Bench;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(wrk median by_turns);

# wrk's requests a second.
sub wrk {
	my ($url, @headers) = @_;
	my $out = qx(wrk -t1 -c16 -d2s @{[map { "-H '$_'" } @headers]} '$url');
	die "wrk: errors\n$out" if $out =~ /Non-2xx/;
	return $out =~ m{Requests/sec:\s+([\d.]+)} ? $1 : die "wrk:\n$out";
}

sub median { my @sorted = sort { $a <=> $b } @_; return $sorted[@sorted / 2] }

# Ours and the ceiling by turns, since the machine is shared and its speed changes: the ratio is the median of nine, each of neighbours in time.
sub by_turns {
	my ($what, $ours, $ceiling) = @_;
	my @pairs = map { [$ours->($_), $ceiling->($_)] } 1 .. 9;
	my @ratios = map { $_->[0] / $_->[1] } @pairs;
	printf "%-52s %8.1f of %8.1f a second, ratio %.2f (%s)\n", $what, median(map { $_->[0] } @pairs), median(map { $_->[1] } @pairs),
		median(@ratios), join ' ', map { sprintf '%.2f', $_ } @ratios;
}

1;
