# SPDX-License-Identifier: Apache-2.0
# ./dev bench jobs: what the runner does of a storm of jobs, and what others notice of it. Receivers and clients have the last CPU for themselves, the receivers
# behind the clients; whatever is ours has the others.
use strict;
use warnings;
use Time::HiRes qw(sleep time);
use Vitrine::Api;
use Vitrine::Bench;
use Vitrine::Sink;
use Vitrine::Slow;
use Vitrine::Stack;

$| = 1;
my $JOBS = $ENV{JOBS} // 1_500;
my $ROWS = $ENV{ROWS} // 100_000;
my $cpus = `nproc`;
my $sink = Vitrine::Sink->new(my $dir = File::Temp::tempdir(CLEANUP => 1), ports => 60);
if ($cpus > 1) { Vitrine::Slow::cpus($sink->{pid}, $cpus - 1, $cpus - 1); Vitrine::Slow::cpus($$, 0, $cpus - 2) }
setpriority 0, $sink->{pid}, 10;
my $s = Vitrine::Stack->new(workers => 4, publish_per_hour => 1000000, egress_allow => $sink->allow);
stacks($s);
my $api = Vitrine::Api->new($s);
my $timed = Vitrine::Api->new($s, unchecked => 1);
my ($quiet, $ann) = map { $s->user("$_\@example.org") } qw(quiet ann);
my $own = $api->publish($quiet, slug => 'own');
my $db = $s->db;
room($db);
my @art = map { $api->publish($ann, slug => "site$_") } 0 .. $JOBS / 100;
# The last artifact has jobs whose receivers hang, and some beside them.
my $last = pop @art;
my @jobs = Vitrine::Sink::jobs($s, $ann, map { { artifact => $art[$_ / 100], url => $sink->url("/ok/$_", $sink->{ports}[$_ % 10]) } } 0 .. $JOBS - 1);
# The clients: from here on, what this process asks comes from there.
Vitrine::Slow::cpus($$, $cpus - 1, $cpus - 1) if $cpus > 1;

sub count { return $db->selectrow_array("SELECT COUNT(*) FROM job_run WHERE finished_at IS NOT NULL") }
sub all_due { my ($at) = @_; $db->do('UPDATE job SET next_run_at = ? WHERE config LIKE \'%/ok/%\' AND enabled', undef, $at) }
sub runner { $s->start_runner; if ($cpus > 1) { Vitrine::Slow::cpus($_, 0, $cpus - 2) for $s->{pids}{runner} } sleep 1; if ($cpus > 1) { my %l = $s->lanes; Vitrine::Slow::cpus($_, 0, $cpus - 2) for values %l } }
my $at = 1000;

if (($ENV{PARTS} // 'drain') =~ /drain/) {
	my @rates;
	runner();
	my $all = watch();
	for (1 .. 3) {
		my $before = count();
		my $from = time;
		all_due($at++);
		Vitrine::Stack::wait_for('the end of the storm', 300, sub { sleep 0.05; count() >= $before + $JOBS });
		push @rates, $JOBS / (time - $from);
	}
	my $used = used($all, 3 * $JOBS);
	$s->stop_one('runner');
	my ($good) = $db->selectrow_array("SELECT COUNT(*) FROM job_run WHERE status = 'success' AND attempt = 1");
	figure(name => "$JOBS due jobs to local receivers", ours => median(@rates), unit => 'runs a second', note => sprintf('%.0f to %.0f; %d of %d succeeded at once', (sort { $a <=> $b } @rates)[0, 2], $good, 3 * $JOBS), per => 'run', %$used);
}

if (($ENV{PARTS} // 'hang') =~ /hang/) {
	my @extra = map { $api->publish($ann, slug => "hang$_") } 0 .. 5;
	Vitrine::Sink::jobs($s, $ann, map { { artifact => $extra[$_ / 100], attempts => 1, url => $sink->url("/hang/$_", $sink->{ports}[10 + $_ % 50]) } } 0 .. 499);
	Vitrine::Sink::jobs($s, $ann, map { { artifact => $last, attempts => 1, url => $sink->url("/quick/$_", $sink->{ports}[$_ % 10]) } } 0 .. 49);
	runner();
	$db->do("UPDATE job SET next_run_at = 1 WHERE config LIKE '%/hang/%'");
	Vitrine::Stack::wait_for('500 that hang', 60, sub { 500 <= grep { $_->[2] =~ m{^/hang/} } $sink->begun });
	my @late;
	for my $round (1 .. 5) {
		my $from = time;
		$db->do("UPDATE job SET next_run_at = ? WHERE config LIKE '%/quick/%'", undef, 1 + $round);
		my @seen;
		Vitrine::Stack::wait_for('the others', 60, sub { @seen = grep { $_->[2] =~ m{^/quick/} && $_->[1] >= $from } $sink->begun; @seen >= 50 });
		push @late, map { $_->[1] - $from } @seen;
	}
	$s->stop_one('runner', 'KILL');
	@late = sort { $a <=> $b } @late;
	figure(name => 'jobs beside 500 receivers that hang', ours => $late[@late / 2], unit => 's after they were due', note => sprintf '%.2f at most', $late[-1]);
	$db->do("UPDATE job SET enabled = FALSE, next_run_at = NULL, busy_run = NULL, busy_until = NULL WHERE config LIKE '%/hang/%'");
	$db->do("UPDATE job_run SET status = 'failed', due_at = NULL, ready = NULL, parked_of = NULL, finished_at = 1 WHERE finished_at IS NULL");
	$db->do('UPDATE job SET busy_run = NULL, busy_until = NULL');
}

if (($ENV{PARTS} // 'latency') =~ /latency/) {
	my $get = sub { my $from = time; $timed->call(GET => "/v1/artifacts/$own", { token => $quiet->{token} })->{status} == 200 or die; return 1000 * (time - $from) };
	my $sample = sub { my @took = sort { $a <=> $b } map { $get->() } 1 .. 500; return ($took[250], $took[495]) };
	my (%idle, %storm);
	$sample->();
	runner();
	my $all = watch();
	for (1 .. 3) {
		my ($p50, $p99) = $sample->();
		push @{$idle{50}}, $p50;
		push @{$idle{99}}, $p99;
		all_due($at++);
		Vitrine::Stack::wait_for('the storm', 60, sub { $db->selectrow_array("SELECT EXISTS (SELECT 1 FROM job_run WHERE status = 'running')") });
		($p50, $p99) = $sample->();
		$db->selectrow_array("SELECT EXISTS (SELECT 1 FROM job_run WHERE finished_at IS NULL)") or die "the storm was over before the requests\n";
		push @{$storm{50}}, $p50;
		push @{$storm{99}}, $p99;
		Vitrine::Stack::wait_for('calm', 300, sub { sleep 0.1; !$db->selectrow_array('SELECT EXISTS (SELECT 1 FROM job_run WHERE finished_at IS NULL)') });
		sleep 1;
	}
	my $used = used($all, time - $all->{at});
	$s->stop_one('runner');
	my $ratio = sub { my ($p) = @_; return median(map { $storm{$p}[$_] / $idle{$p}[$_] } 0 .. 2) };
	figure(name => "p$_ of a quiet GET while the storm runs", ours => median(@{$storm{$_}}), ceiling => median(@{$idle{$_}}), unit => 'ms', ratio => $ratio->($_), per => 'second', %$used) for 50, 99;
}

if (($ENV{PARTS} // 'claim') =~ /claim/) {
	$db->do('DELETE FROM job_attempt');
	$db->do('SET foreign_key_checks = 0');
	$db->do('TRUNCATE job_run');
	my $fill = sub {
		my ($from, $to) = @_;
		# Each is due, of another job than those beside it.
		$db->do("CREATE TEMPORARY TABLE IF NOT EXISTS n_job (n INT PRIMARY KEY, id VARCHAR(40), artifact_id VARCHAR(40)) SELECT ROW_NUMBER() OVER (ORDER BY id) - 1 AS n, id, artifact_id FROM job WHERE config LIKE '%/ok/%'");
		for (my $i = $from; $i < $to; $i += 50_000) {
			my $end = $i + 49_999 < $to ? $i + 49_999 : $to;
			$db->do("INSERT INTO job_run (id, job_id, artifact_id, occasion, cause, status, lane, ready, turn, scheduled_for) SELECT CONCAT('run_', LPAD(s.seq, 26, '0')), j.id, j.artifact_id, s.seq, 'cron', 'queued', 1, 1, s.seq, 1 FROM seq_${i}_to_$end s JOIN n_job j ON j.n = s.seq % $JOBS");
		}
	};
	my $claim = sub { my @ms = map { (split)[0] } split /\n/, qx($s->{build}/t/drive/claim $s->{dir}/vitrine.yaml 200 30); return median(@ms) };
	Vitrine::Db::filled($db, sub { $fill->(1, 1000) });
	$claim->();
	my $few = median(map { $claim->() } 1 .. 3);
	Vitrine::Db::filled($db, sub { $fill->(1001, $ROWS) });
	$claim->();
	my $many = median(map { $claim->() } 1 .. 3);
	figure(name => "a claim of 200 among $ROWS due runs, of among 1000", ours => $many, ceiling => $few, unit => 'ms');
}
