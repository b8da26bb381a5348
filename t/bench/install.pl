# SPDX-License-Identifier: Apache-2.0
# ./dev bench install: what cron's lines for certificates cost each minute when nothing is due; requests while the program that answers them
# is replaced by the next release's, again and again.
use strict;
use warnings;
use POSIX ();
use Time::HiRes 'time';
use Vitrine::Api;
use Vitrine::Bench;
use Vitrine::Stack;

my ($TIMES, $REQUESTS) = (25, 100_000);
my $tls = Vitrine::Stack::test_tls();
my $built = Vitrine::Stack::install_programs();
my $s = Vitrine::Stack->new(workers => 4, certificates => 'acme', acme_dns_hook => '/bin/false', tls_dir => "$tls/bench");
system("mkdir -p $tls/bench/base && cat $tls/key.pem $tls/cert.pem >$tls/bench/base/combined.pem") == 0 or die;
my %env = $s->env;
@ENV{keys %env} = values %env;
# The machine's own nginx isn't reloaded.
mkdir "$s->{dir}/bin";
Vitrine::Stack::spew("$s->{dir}/bin/nginx", "#!/bin/sh\n");
chmod 0755, "$s->{dir}/bin/nginx";
$ENV{PATH} = "$s->{dir}/bin:$ENV{PATH}";

# The median of ms that a command of vitrinectl takes.
sub took {
	my @took;
	for (0 .. $TIMES) {
		my $from = time;
		system("exec $s->{build}/vitrinectl @_ >/dev/null") == 0 or die "@_: $?";
		push @took, 1000 * (time - $from) if $_;
	}
	return median(@took);
}
my $start = took('config', 'check');
for my $command (qw(run install)) {
	my $took = took('certificates', $command);
	figure(name => "certificates $command with nothing due, against 30 ms", ours => $took, ceiling => 30, unit => 'ms',
		note => sprintf '%.1f ms more than reading the settings', $took - $start);
}

# ---- an upgrade under load

my $ann = $s->user('ann@example.org');
my $art = Vitrine::Api->new($s)->publish($ann, slug => 'bench', visibility => 'public');
# How many requests five seconds have, and ms: what 99 of 100 take at most, and the longest.
sub asked {
	my $heads = "-H 'Host: vitrine.localhost' -H 'Authorization: Bearer $ann->{token}'";
	my $said = qx(wrk -t1 -c8 -d5s --latency $heads https://127.0.0.1:$s->{port}/v1/artifacts/$art);
	die "a request failed:\n$said" if $? || $said =~ /Non-2xx|Socket errors/;
	my %unit = (us => 0.001, ms => 1, s => 1000);
	my ($n) = $said =~ /(\d+) requests in/;
	my ($p99, $unit99) = $said =~ /99%\s+([\d.]+)(us|ms|s)/;
	my ($most, $unit) = $said =~ /Latency\s+\S+\s+\S+\s+([\d.]+)(us|ms|s)/;
	return ($n, $p99 * $unit{$unit99}, $most * $unit{$unit});
}
my (undef, $quiet) = asked();
my $parent = $s->{pids}{worker};
my $upgrading = open(my $upgrades, '-|') // die;
if (!$upgrading) {
	my ($n, $end) = (0, 0);
	$SIG{TERM} = sub { $end = 1 };
	while (!$end) {
		my %old = map { $_ => 1 } $s->workers;
		Vitrine::Stack::replace_program($s->{build}, $built, 'vitrine-worker');
		kill 'HUP', $parent;
		Vitrine::Stack::wait_for('the next program', 60, sub { my @now = $s->workers; @now == 8 && !grep { $old{$_} } @now });
		$n++;
	}
	print $n;
	close STDOUT;
	POSIX::_exit(0);
}
my ($all, $longest, @p99) = (0, 0);
while ($all < $REQUESTS) {
	my ($n, $p99, $most) = asked();
	$all += $n;
	push @p99, $p99;
	$longest = $most if $longest < $most;
}
kill 'TERM', $upgrading;
my $times = do { local $/; <$upgrades> };
figure(name => 'p99 of requests while the program is replaced, against before', ours => median(@p99), ceiling => $quiet, unit => 'ms',
	note => sprintf '%d requests and %d upgrades, 0 failed; the longest took %.0f ms', $all, $times, $longest);
