# SPDX-License-Identifier: Apache-2.0
# What the source writes down of a workspace is what AUDIT() in a noun.def has words for, and nothing else.
use strict;
use warnings;
use FindBin;
use Test::More;

chdir "$FindBin::Bin/../.." or die;
sub slurp { open my $in, '<', $_[0] or die "$_[0]: $!"; local $/; return <$in> }
my %written;
for my $file (glob 'src/*/*.c') {
	# A call that writes something down, and each word in it that can be an action.
	for my $call (slurp($file) =~ /((?:\b\w*audit\w*|\binvites_record)\([^;{}]*?(?:\{[^;]*?\}[^;]*?)?\);)/g) {
		$written{$_} //= $file for $call =~ /"([a-z_]+\.[a-z_]+)"/g;
	}
}
my %told = map { $_->[0] => $_ } map { [/^AUDIT\("([^"]*)", "([^"]*)",\s+"([^"]*)"\)$/m] } grep { /^AUDIT/ } split /^(?=[A-Z]|\/\*)/m,
	join '', map { slurp($_) } glob 'src/*/noun.def';
ok keys %written > 40, 'the source writes things down';
is join(' ', map { "$_ ($written{$_})" } grep { !$told{$_} } sort keys %written), '', 'each has words in a noun.def';
is join(' ', grep { !$written{$_} } sort keys %told), '', 'and none has that is not written down';
is join(' ', grep { $told{$_}[1] !~ /^[A-Z]/ || $told{$_}[2] !~ /^[a-z]/ || ($told{$_}[2] =~ tr/*//) > 1 } sort keys %told), '',
	'a label begins large, a sentence small, and names one target at most';
my %seen;
is join(' ', grep { $seen{$told{$_}[1]}++ } sort keys %told), '', 'no two have the same label';
done_testing;
