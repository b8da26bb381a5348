# SPDX-License-Identifier: Apache-2.0
# ./dev bench archive: what the continuous backup costs publishes and GETs, how old the log gets under load and what the lane holds, and how fast its changes are replayed.
# BENCH_ROWS=N: rows of 1 kB in the base (100,000); BENCH_CHANGES=N: to make and replay (6,000).
use strict;
use warnings;
use POSIX ();
use Time::HiRes qw(sleep time);
use Vitrine::Api;
use Vitrine::Bench;
use Vitrine::Stack;
use Vitrine::World;

my ($ROWS, $CHANGES) = ($ENV{BENCH_ROWS} // 100_000, $ENV{BENCH_CHANGES} // 6_000);
my %stack = map { $_ => Vitrine::Stack->new(Vitrine::World::unlimited(), workers => 4, archive => $_ eq 'on') } qw(on off);
stacks($stack{on});
my (%ann, %api, %art);
for my $which (qw(on off)) {
	my $s = $stack{$which};
	$ann{$which} = $s->user('ann@example.org');
	$api{$which} = Vitrine::Api->new($s, unchecked => 1);
	$art{$which} = $api{$which}->publish($ann{$which}, slug => 'kept', files => { 'index.html' => 'x' });
	$s->start_runner;
}
my ($s, $ann, $api) = ($stack{on}, $ann{on}, $api{on});
Vitrine::Stack::wait_for('a base', 120, sub { my @bases = glob "$s->{dir}/archived/base/*"; @bases });

# ---- what it costs

sub asks { my ($which, @more) = @_; return ("https://127.0.0.1:$stack{$which}{port}", 'Host: vitrine.localhost', "Authorization: Bearer $ann{$which}{token}", @more) }
sub published {
	my ($which) = @_;
	my ($url, @headers) = asks($which);
	return wrk("$url/v1/publish", publish_script($stack{$which}{dir}, 1, 'bench'), @headers);
}
sub got { my ($which) = @_; my ($url, @headers) = asks($which); return wrk("$url/v1/artifacts/$art{$which}", @headers) }
by_turns('publishes of one file, with the continuous backup against without', map { my $which = $_; sub { published($which) } } qw(on off));
by_turns('GETs with a token, with the continuous backup against without', map { my $which = $_; sub { got($which) } } qw(on off));
$stack{off}->stop;

# ---- a base, and the log under load

sub stamp { my @t = gmtime $_[0]; return sprintf '%04d-%02d-%02dT%02d:%02d:%02dZ', $t[5] + 1900, $t[4] + 1, @t[3, 2, 1, 0] }
sub settled { my $second = int time; sleep 0.01 while int time == $second; return $second }
for (my $at = 1; $at <= $ROWS; $at += 50_000) {
	my $last = $at + 49_999 < $ROWS ? $at + 49_999 : $ROWS;
	$s->db->do("INSERT INTO data_row (table_no, id, shape_no, doc, c0) SELECT 1000000 + seq DIV 10000, UNHEX(LPAD(HEX(seq), 32, '0')), 1, CONCAT('{\"a\":\"', REPEAT(MD5(seq), 30), '\"}'), CONCAT('\@x', seq) FROM seq_${at}_to_$last");
}
my ($from, $base_s);
# The lane may be at a base of its own.
Vitrine::Stack::wait_for('a base of ours', 300, sub {
	$from = time;
	my ($status, undef, $err) = $s->program('vitrinectl', {}, 'backup', '--base');
	die $err if $status && $err !~ /another base is under way/;
	$base_s = time - $from;
	return !$status;
});
my $mib = (-s (sort glob "$s->{dir}/archived/base/*")[-1]) / 1048576;
figure(name => 'a base', ours => $mib / $base_s, unit => 'MiB a second', note => sprintf '%.0f MiB in %.0f s', $mib, $base_s);
my $begun = settled();
$api->call(PUT => "/v1/data/$art{on}/tables/t", { token => $ann->{token}, json => { columns => [{ name => 'a', type => 'text' }] } });

# The lane with the programs that it starts, in MiB.
my ($age, $held) = (0, 0);
sub look {
	my $at = (stat "$s->{dir}/data/archive/copied")[9] // $begun;
	$age = time - $at if time - $at > $age;
	my %lane = $s->lanes;
	my @pids = ($lane{archive} // return, Vitrine::Bench::children($lane{archive}));
	my $now = 0;
	for (@pids) { $now += $1 / 1024 if Vitrine::Stack::slurp("/proc/$_/smaps_rollup") =~ /^Pss:\s+(\d+)/m }
	$held = $now if $now > $held;
}
my $made = time;
my @people = map {
	my $who = $_;
	my $pid = fork // die;
	if (!$pid) {
		my $own = Vitrine::Api->new($s, unchecked => 1);
		for my $n (1 .. $CHANGES / 4) {
			my $r = $n % 50 ? $own->call(POST => "/v1/data/$art{on}/tables/t/rows", { token => $ann->{token}, json => { rows => [{ a => "$who $n" }] } })
				: $own->call(POST => '/v1/publish', { token => $ann->{token}, json => { name => 'B', slug => "b-$who", files => [{ path => 'index.html', content => "$who $n" }] } });
			die $r->{body} if $r->{status} >= 300;
		}
		POSIX::_exit(0);
	}
	$pid;
} 1 .. 4;
for (@people) { until (waitpid($_, POSIX::WNOHANG())) { look(); sleep 0.2 } }
$made = time - $made;
my $last = settled();
Vitrine::Stack::wait_for('the log', 300, sub { look(); ($s->program('vitrinectl', {}, qw(backup status --json)))[1] =~ /"to":"([^"]+)"/ && $1 gt stamp($last) });
figure(name => "the log's age under load, at most, against 60 s", ours => $age, ceiling => 60, unit => 's');
figure(name => 'memory of the lane under load, at most, against 64 MiB', ours => $held, ceiling => 64, unit => 'MiB');
$s->stop_one('runner');

# ---- the replay: the same folder is moved from the base to the end

my $scratch = "$s->{dir}/scratch";
my $base_from = time;
$s->ctl('restore', '--to', stamp($begun), '--scratch', $scratch, '--export', 'kept');
figure(name => 'a base restored', ours => $mib / (time - $base_from), unit => 'MiB a second', note => sprintf '%.0f s', time - $base_from);
system('rm', '-rf', "$scratch/export");
my $replay = time;
my $out = $s->ctl('restore', '--to', stamp($last), '--scratch', $scratch, '--export', 'kept');
$replay = time - $replay;
my ($n) = $out =~ /then ([\d,]+) transactions/ or die "restore says nothing of transactions: $out";
$n =~ tr/,//d;
figure(name => "changes replayed, against how fast they were made", ours => $n / $replay, ceiling => $n / $made, unit => 'a second',
	note => sprintf '%d transactions in %.0f s, made in %.0f s', $n, $replay, $made);
kill 'TERM', Vitrine::Stack::slurp("$scratch/db.pid") =~ /(\d+)/;
