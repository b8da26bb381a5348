# SPDX-License-Identifier: Apache-2.0
# What a systemd unit lets its processes do. systemd need not run for this.
package Vitrine::Unit;
use strict;
use warnings;

# The system calls that the unit's filter permits, as a set.
my %group;
sub calls { return map { /^\@/ ? calls(@{$group{$_} // die "no $_"}) : $_ } @_ }
sub permitted {
	my ($text) = @_;
	if (!%group) {
		my $in;
		for (split /\n/, `systemd-analyze syscall-filter --no-pager 2>/dev/null`) {
			$in = $1 if /^(\@[\w-]+)/;
			push @{$group{$in}}, $1 if $in && /^    ([\@\w-]+)/;
		}
	}
	my %may = map { $_ => 1 } calls('@default');
	while ($text =~ /^SystemCallFilter=(~?)(.*)/mg) {
		my $minus = $1;
		$may{$_} = !$minus for calls(split ' ', $2);
	}
	return \%may;
}

1;
