# SPDX-License-Identifier: Apache-2.0
# Schedules as others understand them: thousands, in many zones, at many times, also on days on which clocks change, against croniter on the
# clock of the wall. t/unit/cron.c has a model for the hours that such a day has twice or not at all, about which the two don't agree; nor
# do they about days that are */2 or 1-31 beside a day of the week: the first narrows for Debian's cron and the second does not, for
# croniter it is the other way. None of these is made here.
use strict;
use warnings;
use FindBin;
use IPC::Open2;
use List::Util qw(max min);
use POSIX ();
use Test::More;

use constant { SCHEDULES => 6000, AFTERS => 3 };
srand(17);
my @zones = qw(UTC Europe/Dublin Europe/Berlin Europe/Moscow America/New_York America/Los_Angeles America/St_Johns America/Havana
	America/Sao_Paulo America/Santiago Africa/Cairo Africa/Casablanca Asia/Kolkata Asia/Kathmandu
	Asia/Tehran Asia/Tokyo Asia/Gaza Australia/Adelaide Australia/Lord_Howe Pacific/Chatham Pacific/Apia Pacific/Kiritimati
	Antarctica/Troll America/Nuuk);
# A few hours before and after clocks change in some of these, and any other time.
my @near = map { POSIX::mktime(0, 0, $_->[3] // 0, $_->[2], $_->[1] - 1, $_->[0] - 1900) } [2026, 3, 28], [2026, 3, 29, 6],
	[2026, 10, 24, 20], [2026, 10, 25, 5], [2026, 3, 7, 20], [2026, 3, 8, 12], [2026, 10, 31, 20], [2026, 11, 1, 12],
	[2026, 4, 4, 6], [2026, 4, 5, 6], [2026, 10, 3, 6], [2026, 10, 4, 6], [2026, 9, 5, 12], [2026, 9, 6, 12], [2028, 2, 28],
	[2026, 12, 31, 23];
my @bounds = ([0, 59], [0, 23], [1, 31], [1, 12], [0, 6]);
my @names = ([], [], [], [qw(jan feb mar apr may jun jul aug sep oct nov dec)], [qw(sun mon tue wed thu fri sat)]);

sub value {
	my ($i, $n) = @_;
	my $name = $names[$i][$n - $bounds[$i][0]];
	return $name && rand() < 0.3 ? rand() < 0.5 ? uc $name : $name : $i == 4 && $n == 0 && rand() < 0.3 ? 7 : $n;
}
sub item {
	my ($i) = @_;
	my ($lo, $hi) = @{$bounds[$i]};
	my $from = $lo + int rand($hi - $lo + 1);
	return value($i, $from) if rand() < 0.5;
	my $to = $from + int rand($hi - $from + 1);
	# A range of one day is said by a day.
	return value($i, $from) if $to == $from;
	my $range = $i == 4 && $from == 0 ? "0-$to"
		: ($names[$i][0] && rand() < 0.3 ? "$names[$i][$from - $lo]-$names[$i][$to - $lo]" : "$from-$to");
	return rand() < 0.5 ? $range : "$range/" . (1 + int rand($to - $from + 1));
}
sub field {
	my ($i) = @_;
	return '*' if rand() < ($i < 2 ? 0.2 : 0.6);
	return '*/' . (1 + int rand $bounds[$i][1]) if $i != 2 && $i != 4 && rand() < 0.2;
	my $list = join ',', map { item($i) } 1 .. 1 + int rand 3;
	# Days that are all of them are as good as a * to croniter, and not to cron.
	return $i == 2 || $i == 4 ? all_of($i, $list) ? '*' : $list : $list;
}
sub number {
	my ($i, $said) = @_;
	my ($at) = grep { $names[$i][$_] eq lc $said } 0 .. $#{$names[$i]};
	return defined $at ? $at + $bounds[$i][0] : $said;
}
sub all_of {
	my ($i, $list) = @_;
	my %on;
	for (split /,/, $list) {
		my ($from, $to, $step) = m{^(\w+)(?:-(\w+))?(?:/(\d+))?$} or return 0;
		for (my $n = number($i, $from); $n <= number($i, $to // $from); $n += $step // 1) { $on{$i == 4 ? $n % 7 : $n} = 1 }
	}
	return keys %on == $bounds[$i][1] - $bounds[$i][0] + 1;
}
sub schedule {
	return rand() < 0.02 ? (qw(@hourly @daily @midnight @weekly @monthly @yearly @annually))[rand 7] : join ' ',
		map { field($_) } 0 .. 4;
}

sub asked {
	my ($what, $lines) = @_;
	my $pid = open2(my $out, my $in, @$what);
	# One of them writes while the other reads.
	if (!fork) { print $in map { "$_\n" } @$lines; close $in; POSIX::_exit(0) }
	close $in;
	chomp(my @said = <$out>);
	waitpid $pid, 0;
	is $?, 0, "$what->[0] has said something";
	return @said;
}
my @lines;
for (1 .. SCHEDULES) {
	my $schedule = schedule();
	push @lines, join ' ', $zones[rand @zones],
		rand() < 0.7 ? $near[rand @near] + int rand 20000 : 1_700_000_000 + int rand 2_000_000_000, $schedule for 1 .. AFTERS;
}
my @ours = asked(["$ENV{VITRINE_BUILD}/t/drive/cron"], \@lines);
my @theirs = asked(["$FindBin::Bin/../lib/croniter-next"], \@lines);
is scalar @ours, scalar @lines, 'all were answered';
my ($agree, $open, $none) = (0, 0, 0);
for my $i (0 .. $#lines) {
	# It takes days that a month has not for no schedule, even beside a day of the week.
	if ($theirs[$i] eq 'no' && $ours[$i] eq '0') { $none++; $agree++; next }
	if ($theirs[$i] eq '?' || $theirs[$i] eq 'no' && $lines[$i] =~ m{ (?:29|30|31)(?:[,-](?:29|30|31))* [^*]\S* [^*]\S*$}) {
		$open++;
		next;
	}
	if ($ours[$i] eq $theirs[$i]) { $agree++; next }
	fail("$lines[$i]: $ours[$i], not $theirs[$i]") if $theirs[$i] eq 'no' || $ours[$i] !~ /^\d+$/ || !between($lines[$i], $ours[$i]);
}
# Clocks that changed meanwhile may have shown a time that fits twice, or an hour that was left out had one: then ours comes before.
sub between {
	my ($line, $at) = @_;
	my ($zone, $after) = split ' ', $line;
	local $ENV{TZ} = $zone;
	POSIX::tzset();
	my ($one, $other) = map { POSIX::strftime('%z', localtime $_) } $at - 10801, $at + 10801;
	return $one ne $other;
}
diag "$agree alike, $open in hours that are there twice or not at all, $none never";
cmp_ok $agree, '>', 0.98 * @lines - $open, 'what croniter says, but for a few in such hours';
cmp_ok $none, '>', 1, 'also where there is none';

# What is no schedule here may be one elsewhere; what is one here is one there.
my @odd;
for (1 .. 3000) {
	my $schedule = schedule();
	for (1 .. 1 + int rand 2) {
		my $at = int rand length $schedule;
		substr $schedule, $at, rand() < 0.5 ? 1 : 0, substr '*/-,01597aL?#@ ', rand 15, 1;
	}
	push @odd, "UTC 1800000000 $schedule" if $schedule =~ /\S/ && $schedule !~ /^ /;
}
@ours = asked(["$ENV{VITRINE_BUILD}/t/drive/cron"], \@odd);
@theirs = asked(["$FindBin::Bin/../lib/croniter-next"], \@odd);
my $taken = 0;
for my $i (grep { $ours[$_] =~ /^\d+$/ } 0 .. $#odd) {
	my @f = split ' ', $odd[$i];
	$taken++;
	next if grep { ($f[$_] // '') =~ /^\*./ || all_of($_ - 2, $f[$_] // '') } 4, 6;
	is $ours[$i], $theirs[$i], "'$odd[$i]'" if $ours[$i] ne $theirs[$i];
}
cmp_ok $taken, '>', 200, 'of what was mangled some are schedules still';
cmp_ok $taken, '<', 2500, '... and some are not';
done_testing;
