# SPDX-License-Identifier: Apache-2.0
# ./dev bench cluster: three machines on this one, as ./dev cluster makes them, against one machine with the same store: GETs and publishes
# at the active one, what closes a page, how long nothing can be changed after the active one was killed, and public GETs by the balancer
# meanwhile. It needs root. BENCH_TAKEOVERS=N: kills, instead of 10.
use strict;
use warnings;
use POSIX ();
use Time::HiRes qw(sleep time);
use Vitrine::Bench;
use Vitrine::Cluster;
use Vitrine::World;

my ($KILLS, $CLOSINGS, $GETS, $VISITORS) = ($ENV{BENCH_TAKEOVERS} // 10, 100, 10_000, 4);
# Everything lies on the same disk.
my %conf = (Vitrine::World::unlimited(), workers => 2);
Vitrine::Cluster::own_network();
my $tls = "$ENV{TMPDIR}/tls";
Vitrine::Stack::make_tls($tls, "IP:$Vitrine::Cluster::ADDRESS");
my $store = bare_store("$ENV{TMPDIR}/store", $tls, '0.0.0.0');
my $one = Vitrine::Stack->new(%conf, $store->('localhost'));
$one->start_runner;
my $cluster = Vitrine::Cluster->new(%conf, disk => 0, $store->($Vitrine::Cluster::ADDRESS));
$cluster->wait_whole(120);
my $active = $cluster->active;
my %at = (one => $one, active => $active);
stacks($cluster->machines, $one);
my %ann = map { $_ => $at{$_}->user('ann@example.org') } keys %at;
my %api = map { $_ => Vitrine::Api->new($at{$_}, unchecked => 1) } keys %at;
my %art = map { $_ => $api{$_}->publish($ann{$_}, slug => 'page', visibility => 'public') } keys %at;

# ---- by turns, both without the balancer

sub asked {
	my ($which, $path, @script) = @_;
	my $m = $at{$which};
	local $Vitrine::Bench::within = join ' ', $m->within;
	return wrk('https://' . ($m->{address} // '127.0.0.1') . ":$m->{port}$path", @script, 'Host: vitrine.localhost',
		"Authorization: Bearer $ann{$which}{token}");
}
by_turns('GET of a record with a token at the active of three machines, against one',
	map { my $which = $_; sub { asked($which, "/v1/artifacts/$art{$which}") } } qw(active one));
by_turns('publish of one file there, against one machine with the same store',
	map { my $which = $_; sub { asked($which, '/v1/publish', publish_script($ENV{TMPDIR}, 1, 'published')) } } qw(active one));

# ---- closings

sub closing_ms {
	my ($which) = @_;
	my $show = sub {
		my $r = $api{$which}->call(PATCH => "/v1/artifacts/$art{$which}",
			{ token => $ann{$which}{token}, json => { visibility => $_[0] } });
		die "$r->{status} $r->{body}\n" if $r->{status} != 200;
	};
	my @took = sort { $a <=> $b } map { $show->('public'); my $from = time; $show->('private'); 1000 * (time - $from) } 1 .. $CLOSINGS;
	$show->('public');
	return $took[0.95 * @took];
}
my %closing = map { $_ => closing_ms($_) } qw(one active);
figure(name => "p95 of a closing, against one machine's and 400 ms", ours => $closing{active}, ceiling => $closing{one} + 400, unit => 'ms',
	note => sprintf '%.1f ms on one machine', $closing{one});

# ---- kills of the active machine: the cable is pulled out first, so that nobody sees its connections end

# Reads the page by the balancer over a connection that it keeps, as browsers do, and prints how many GETs failed, and the longest in
# seconds.
sub visit {
	my ($n) = @_;
	my ($visitor, $longest, $failed) = (Vitrine::Api->new($cluster, unchecked => 1), 0, 0);
	for (1 .. $n) {
		my $from = time;
		my $r = eval { $visitor->get_site('page', '/') };
		$failed++ if !$r || $r->{status} != 200;
		$longest = time - $from if time - $from > $longest;
		sleep 0.003;
	}
	syswrite STDOUT, "$failed $longest\n";
	POSIX::_exit(0);
}
my (@took, @visitors);
for my $kill (1 .. $KILLS) {
	if ($kill == 1) {
		for (1 .. $VISITORS) {
			my $pid = open(my $from, '-|') // die "fork: $!\n";
			visit($GETS / $VISITORS) if !$pid;
			push @visitors, $from;
		}
		sleep 1;
	}
	my ($lost, $from) = ($cluster->active, time);
	$lost->lose;
	push @took, $cluster->change_s($from, $ann{active}, $art{active}, name => "After kill $kill");
	my @seen = map { [split ' ', readline $_] } splice @visitors;
	if (@seen) {
		my ($longest) = sort { $b <=> $a } map { $_->[1] } @seen;
		my $failed = 0;
		$failed += $_->[0] for @seen;
		figure(name => "the longest of $GETS public GETs by the balancer across a kill, against 4 s", ours => $longest,
			ceiling => 4, unit => 's', note => "$failed failed");
	}
	$lost->plug_in;
	$lost->start;
	$cluster->wait_whole(120);
}
my ($longest) = sort { $b <=> $a } @took;
figure(name => 'the first change after the active machine was killed, against 8.5 s', ours => median(@took), ceiling => 8.5, unit => 's',
	note => "the median of $KILLS");
figure(name => 'the same at most, against 10 s', ours => $longest, ceiling => 10, unit => 's');
$cluster->stop;
