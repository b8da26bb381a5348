# SPDX-License-Identifier: Apache-2.0
# Runs of jobs by the runner: when they are made, again when they fail, never beside themselves, whoever dies. What each action does is
# t/job/action-*.t.
use List::Util qw(max min sum0);
use Time::HiRes qw(sleep time);
use Vitrine::Sink;
use Vitrine::Words;

my $sink = Vitrine::Sink->new(my $dir = File::Temp::tempdir(CLEANUP => 1), ports => 73);
my $tls = Vitrine::Sink->new($dir, tls => 1);
my ($stack, $api) = stack(egress_allow => join(' ', $sink->allow, $tls->allow), smtp_url => 'smtp://127.0.0.1:1',
	mail_from => 'no-reply@example.org');
my $ann = $stack->user('ann@example.org');
my $db = $stack->db;
my $art = $api->publish($ann, slug => 'site', visibility => 'public', files => { 'index.html' => 'one' });

sub job { my ($path, %o) = @_; return (Vitrine::Sink::jobs($stack, $ann, { artifact => $art, url => $sink->url($path), %o }))[0] }
sub due { Vitrine::Sink::due($stack, @_) }
sub of { return $db->selectrow_hashref('SELECT * FROM job WHERE id = ?', undef, $_[0]) }
sub runs { return @{$db->selectall_arrayref('SELECT * FROM job_run WHERE job_id = ? ORDER BY id', { Slice => {} }, $_[0])} }
sub run_of { my @all = runs($_[0]); return $all[-1] // {} }
sub once { my ($status, undef, $err) = $stack->runner; is $status, 0, 'the runner ran' or diag $err; return $err }
sub until_true { my ($what, $ready) = @_; Vitrine::Stack::wait_for($what, 60, $ready) }
sub over {
	my ($job) = @_;
	until_true("a run of $job", sub { (run_of($job)->{status} // '') =~ /success|failed|skipped/ });
	return run_of($job);
}
# As if nobody had come back in time.
sub leases_end {
	$db->do("UPDATE job_run SET due_at = 0 WHERE status = 'running'");
	$db->do('UPDATE job SET busy_until = 0 WHERE busy_until IS NOT NULL');
}
# Two runs of one path, one beside the other?
sub overlaps {
	my %open;
	return grep { my ($what, undef, $path) = @$_; $what eq 'begin' ? $open{$path}++ > 0 : (--$open{$path}, 0)[1] } @_;
}

subtest 'a run' => sub {
	# No time of the schedule comes while the test runs.
	my $job = job('/ok/first', schedule => (gmtime)[1] < 30 ? '59 * * * *' : '29 * * * *');
	due($job);
	once();
	my $run = run_of($job);
	is $run->{status}, 'success', 'it ran';
	is $run->{http_status}, 200, 'with the status of the answer';
	is $run->{output}, "hi\n", 'and its beginning';
	is $run->{cause}, 'cron', 'for its schedule';
	is_deeply [map { $_->[3] } $sink->begun('/ok/first')], [$run->{id}], 'the receiver was asked once, with the run\'s id';
	my $j = of($job);
	is $j->{last_status}, 'success', 'the job knows';
	is $j->{busy_run}, undef, 'and is free';
	ok $j->{next_run_at} > time && $j->{next_run_at} <= time + 3600, 'its next time is by the schedule';
	once();
	is scalar(my @all = runs($job)), 1, 'another runner makes no other run of it';
};

subtest 'a time that was missed' => sub {
	my $job = job('/ok/late', schedule => '* * * * *');
	$db->do('UPDATE job SET next_run_at = UNIX_TIMESTAMP() - 10800 WHERE id = ?', undef, $job);
	my $before = time;
	once();
	my @all = runs($job);
	is scalar @all, 1, 'of 180 times one is caught up';
	is $all[0]{cause}, 'catch_up', 'and says so';
	cmp_ok of($job)->{next_run_at}, '>', $before, 'then it goes on by the schedule';
};

subtest 'a receiver that fails, then works, over TLS' => sub {
	my $job = job('', url => $tls->url('/fail/2'), attempts => 5, delay => 1);
	$stack->start_runner;
	due($job);
	my $run = over($job);
	is $run->{status}, 'success', 'at last it works';
	is $run->{attempt}, 3, 'the third time';
	my $before = $db->selectall_arrayref('SELECT * FROM job_attempt WHERE run_id = ? ORDER BY no', { Slice => {} }, $run->{id});
	is_deeply [map { "$_->{no} $_->{http_status}" } @$before], ['1 500', '2 500'], 'what came of the attempts before is kept';
	like $before->[0]{error}, qr/500/, 'in words, too';
	my @asked = $tls->begun('/fail/2');
	is_deeply [map { $_->[3] } @asked], [($run->{id}) x 3], 'the id is the same in each';
	ok $asked[$_][1] - $asked[$_ - 1][1] >= 0.75, 'it waits before each' for 1, 2;
	is of($job)->{last_status}, 'success', 'the job does not count as failing';
	is of($job)->{failures}, 0, 'nor is a failure counted';
};

subtest 'a receiver that asks for time' => sub {
	my $job = job('/later/90', delay => 1);
	due($job);
	until_true('the answer', sub { (run_of($job)->{status} // '') eq 'retrying' });
	my $run = run_of($job);
	my $wait = $run->{due_at} - $run->{started_at};
	ok $wait >= 90 && $wait <= 95, "Retry-After is honoured ($wait s)";
	is of($job)->{last_status}, 'retrying', 'meanwhile the job is retrying';
	$db->do('UPDATE job_run SET due_at = 0 WHERE id = ?', undef, $run->{id});
	is over($job)->{status}, 'success', 'then it works';
	$job = job('/later/99999', delay => 1);
	due($job);
	until_true('the answer', sub { (run_of($job)->{status} // '') eq 'retrying' });
	$run = run_of($job);
	ok $run->{due_at} - $run->{started_at} <= 3700, 'for an hour at most';
	$db->do('UPDATE job_run SET due_at = 0 WHERE id = ?', undef, $run->{id});
	over($job);
};

subtest 'one after the other' => sub {
	my $job = job('/slow/150/own');
	my $now = time;
	# As five events at once would.
	my $turn = int($now * 1000);
	$db->do("INSERT INTO job_run (id, job_id, artifact_id, occasion, cause, status, lane, ready, turn, scheduled_for) "
		. "VALUES (?, ?, ?, ?, 'event', 'queued', 1, 1, ?, ?)", undef,
		sprintf('run_%026d', $_), $job, $art, "e$_", $turn + $_, int $now) for 1 .. 5;
	until_true('five runs', sub { 5 == grep { $_->{status} eq 'success' } runs($job) });
	my @lines = grep { $_->[2] eq '/slow/150/own' } $sink->lines;
	is scalar(grep { $_->[0] eq 'begin' } @lines), 5, 'each was made';
	is scalar(overlaps(@lines)), 0, 'none beside another of its job';
	is_deeply [map { $_->[3] } grep { $_->[0] eq 'begin' } @lines], [map { sprintf 'run_%026d', $_ } 1 .. 5], 'in their order';
};

subtest 'who stands still past the lease' => sub {
	my $job = job('/slow/700/fence');
	due($job);
	until_true('the request', sub { $sink->begun('/slow/700/fence') });
	my %lanes = $stack->lanes;
	kill STOP => $lanes{jobs};
	leases_end();
	once();
	# Another lane of those that stay may have been there first.
	my $run = over($job);
	is $run->{status}, 'success', 'another takes the run';
	is "$run->{attempt} $run->{fence}", '2 2', 'as a second attempt';
	kill CONT => $lanes{jobs};
	my $next = job('/ok/after');
	due($next);
	is over($next)->{status}, 'success', 'who stood still goes on with others';
	is_deeply run_of($job), $run, 'and what it brings of this one is dropped';
	is_deeply $db->selectrow_arrayref('SELECT no, duration_ms, error FROM job_attempt WHERE run_id = ?', undef, $run->{id}),
		[1, undef, 'Whoever carried it out was stopped'], 'its attempt is told as one that nobody ended';
	is $lanes{jobs}, {$stack->lanes}->{jobs}, 'it was the same process';
};

subtest 'a lane that dies' => sub {
	my %before = $stack->lanes;
	kill KILL => $before{jobs};
	my $job = job('/ok/again');
	due($job);
	is over($job)->{status}, 'success', 'is replaced';
	my %after = $stack->lanes;
	isnt delete $after{jobs}, delete $before{jobs}, 'by another process';
	is_deeply \%after, \%before, 'and no other lane with it';
};

subtest 'a run that kills whoever carries it out' => sub {
	my @good = map {
		job("/slow/300/beside/$_", attempts => 3, url => $sink->url("/slow/300/beside/$_", $sink->{ports}[$_ % 3]));
	} 1 .. 12;
	my $bad = job('/hang/poison', attempts => 3);
	due($bad, @good);
	my $deaths = 0;
	until_true('its end', sub {
		my $asked = $sink->begun('/hang/poison');
		if ($asked > $deaths) {
			$deaths = $asked;
			my %lanes = $stack->lanes;
			# Whichever has it.
			kill KILL => grep { defined } @lanes{qw(jobs suspects)};
			leases_end();
		}
		return (run_of($bad)->{status} // '') =~ /failed|success/;
	});
	is $deaths, 3, 'it is tried as often as its job says';
	my $run = run_of($bad);
	is $run->{status}, 'failed', 'then it has failed';
	like $run->{error}, qr/started 3 times, but the runner was stopped each time/, 'and says why';
	is over($_)->{status}, 'success', 'one beside it is done' for @good;
};

subtest 'somebody asks for it again' => sub {
	my $job = job('/status/404', attempts => 1);
	due($job);
	my $run = over($job);
	is $run->{status}, 'failed', 'it failed';
	like $run->{error}, qr/404/, 'with the reason';
	$db->do("UPDATE job SET enabled = FALSE WHERE id = ?", undef, $job);
	$db->do("UPDATE job_run SET status = 'queued', ready = lane, finished_at = NULL, attempt_base = attempt, asked = TRUE WHERE id = ?",
		undef, $run->{id});
	until_true('the second', sub { run_of($job)->{finished_at} && run_of($job)->{attempt} == 2 });
	is scalar(my @all = runs($job)), 1, 'under the same id';
	is_deeply [map { $_->[3] } $sink->begun('/status/404')], [($run->{id}) x 2], 'as the receiver sees it';
};

subtest 'a receiver that wants no more' => sub {
	my $job = job('/status/410', attempts => 5);
	due($job);
	my $run = over($job);
	is "$run->{status} $run->{attempt}", 'failed 1', 'it is not tried again';
	like $run->{error}, qr/410 Gone.*paused/, 'and says that the job is paused';
	is of($job)->{enabled}, 0, 'so it is';
	is of($job)->{next_run_at}, undef, 'and has no next time';
	is $db->selectrow_array("SELECT COUNT(*) FROM outbox WHERE kind = 'mail' AND payload LIKE '%\"job_gone\"%' "
		. "AND subject = 'ann\@example.org'"), 1, 'who made it is told';
};

subtest 'ten failures' => sub {
	my $job = job('/fail/11', attempts => 1);
	my $letters = sub {
		$db->selectrow_array("SELECT COUNT(*) FROM outbox WHERE kind = 'mail' AND payload LIKE ?", undef, "%\"$_[0]\"%");
	};
	for my $n (1 .. 11) {
		$db->do('UPDATE job SET next_run_at = ? WHERE id = ?', undef, 1000 + $n, $job);
		until_true("failure $n", sub { of($job)->{failures} == $n });
		is $letters->('job_fails'), $n < 10 ? 0 : 1,
			$n < 10 ? "nobody is told of failure $n" : "one is told by failure $n" if $n > 8;
	}
	is of($job)->{enabled}, 1, 'it stays on';
	$db->do('UPDATE job SET next_run_at = 2000 WHERE id = ?', undef, $job);
	until_true('a success', sub { of($job)->{failures} == 0 });
	is $letters->('job_works'), 1, 'that it works again is told, too';
	is of($job)->{told}, 0, 'and the next time would be told anew';
};

subtest 'addresses that must not be asked' => sub {
	my $job = job('/ok/inside', attempts => 3);
	my $closed = Vitrine::Stack::free_port();
	for my $port ($stack->{port}, $closed) {
		$db->do('UPDATE job SET config = ? WHERE id = ?', undef, encode_json({ url => "http://127.0.0.1:$port/ok" }), $job);
		$db->do('UPDATE job SET next_run_at = ? WHERE id = ?', undef, $port, $job);
		until_true('its end', sub { my ($r) = grep { $_->{scheduled_for} == $port } runs($job); $r && $r->{finished_at} });
	}
	my @said = map { $_->{error} } grep { $_->{scheduled_for} == $stack->{port} || $_->{scheduled_for} == $closed } runs($job);
	is scalar @said, 2, 'both failed';
	like $said[0], qr/address isn't allowed/, 'since nobody may be asked there';
	is $said[0], $said[1], 'and whether somebody listens is not told';
	$job = job('/move/' . $sink->{ports}[1], attempts => 1);
	due($job);
	is over($job)->{status}, 'failed', 'a redirect is no success';
	is scalar($sink->begun('/ok')), 0, 'and is not followed';
};

subtest 'what is paused' => sub {
	my ($job, $before) = (job('/ok/paused'), time);
	$stack->stop_one('runner');
	due($job);
	$db->do("UPDATE job SET next_run_at = NULL WHERE id <> ?", undef, $job);
	# A run is queued, then the artifact is paused before a runner comes.
	$db->do("INSERT INTO job_run (id, job_id, artifact_id, occasion, cause, status, lane, ready, turn, scheduled_for) "
		. "VALUES ('run_00000000000000000000000paus', ?, ?, 'x', 'event', 'queued', 1, 1, 1, 1)", undef, $job, $art);
	$db->do('UPDATE artifact SET paused_at = 1 WHERE id = ?', undef, $art);
	once();
	my @all = runs($job);
	is scalar @all, 1, 'no run is made';
	is $all[0]{status}, 'skipped', 'and what was queued is skipped';
	like $all[0]{error}, qr/paused/, 'with the reason';
	cmp_ok of($job)->{next_run_at}, '>', $before, 'the schedule moves on';
	$db->do('UPDATE artifact SET paused_at = NULL WHERE id = ?', undef, $art);
};

subtest 'a job that can not keep up' => sub {
	my $job = job('/status/500', delay => 3600);
	# A hundred of its runs wait for another attempt.
	$db->do("INSERT INTO job_run (id, job_id, artifact_id, occasion, cause, status, lane, turn, scheduled_for, due_at) SELECT "
		. "CONCAT('run_', LPAD(seq, 26, 'z')), ?, ?, CONCAT('old', seq), 'cron', 'retrying', 1, 1, 1, 2000000000 FROM seq_1_to_99",
		undef, $job, $art);
	for my $at (1, 2) { $db->do('UPDATE job SET next_run_at = ? WHERE id = ?', undef, $at, $job); once() }
	my @new = grep { $_->{occasion} !~ /^old/ } runs($job);
	is_deeply [map { $_->{status} } sort { $a->{scheduled_for} <=> $b->{scheduled_for} } @new], [qw(retrying skipped)],
		'one more may wait, then a run is skipped';
	like((grep { $_->{status} eq 'skipped' } @new)[0]{error}, qr/A hundred runs of this job are already waiting/, 'with the reason');
	$db->do('DELETE FROM job_run WHERE job_id = ?', undef, $job);
};

subtest 'two runners at once' => sub {
	my @artifacts = map { $api->publish($ann, slug => "many$_", visibility => 'public', files => { 'index.html' => 'one' }) } 0 .. 2;
	my @jobs = Vitrine::Sink::jobs($stack, $ann,
		map { { artifact => $artifacts[$_ / 80], url => $sink->url("/slow/20/two/$_", $sink->{ports}[$_ % 3]) } } 0 .. 239);
	$stack->start_runner($_) for qw(runner runner-2);
	due(@jobs);
	my $in = join ',', map { "'$_'" } @jobs;
	until_true('all', sub { 240 == $db->selectrow_array("SELECT COUNT(*) FROM job_run WHERE job_id IN ($in) AND status = 'success'") });
	my %n;
	$n{$_->[2]}++ for grep { $_->[2] =~ m{/two/} } $sink->begun;
	is_deeply [grep { $_ != 1 } values %n], [], 'each was asked once';
	is scalar keys %n, 240, 'and none left out';
	my %by;
	my $log = Vitrine::Stack::slurp("$stack->{dir}/runner.log");
	$stack->stop_one('runner-2');
};

subtest 'SIGTERM' => sub {
	my @jobs = map { job("/slow/1500/term/$_") } 1 .. 14;
	due(@jobs);
	until_true('ten requests', sub { 10 <= grep { $_->[2] =~ m{/term/} } $sink->begun });
	my $pid = $stack->{pids}{runner};
	kill TERM => $pid;
	waitpid $pid, 0;
	is $?, 0, 'the runner ends well';
	delete $stack->{pids}{runner};
	my @done = grep { run_of($_)->{status} eq 'success' } @jobs;
	my @begun = grep { $_->[2] =~ m{/term/} } $sink->begun;
	is scalar @done, scalar @begun, 'what was under way is ended';
	is_deeply [sort map { run_of($_)->{attempt} . run_of($_)->{status} } grep { run_of($_)->{status} ne 'success' } @jobs],
		[('0queued') x (14 - @done)], 'and what had not begun is given back';
	my ($open, $most) = (0, 0);
	for (grep { $_->[2] =~ m{/term/} } $sink->lines) { $open += $_->[0] eq 'begin' ? 1 : -1; $most = max $most, $open }
	is $most, 10, 'the host was asked ten things at once, and no more';
	is $db->selectrow_array('SELECT COUNT(*) FROM job WHERE busy_run IS NOT NULL'), 0, 'no job is held';
	once();
	is scalar(grep { run_of($_)->{status} eq 'success' } @jobs), 14, 'the next runner does the rest';
};

subtest 'who lets hundreds hang' => sub {
	my $ben = $stack->user('ben@example.org');
	my $bens = $api->publish($ben, slug => 'bens', visibility => 'public', files => { 'index.html' => 'one' });
	my ($quick) = Vitrine::Sink::jobs($stack, $ben, { artifact => $bens, url => $sink->url('/ok/ben') });
	my @hang = map {
		my $n = $_;
		my $a = $api->publish($ann, slug => "hang$n", visibility => 'public', files => { 'index.html' => 'one' });
		Vitrine::Sink::jobs($stack, $ann,
			map { { artifact => $a, url => $sink->url("/hang/$n/$_", $sink->{ports}[3 + ($n * 90 + $_) % 70]) } } 1 .. 90);
	} 1 .. 7;
	my @more = splice @hang, 610;
	$stack->start_runner;
	due(@hang);
	until_true('requests that hang', sub { 610 <= grep { $_->[2] =~ m{^/hang/\d/} } $sink->begun });
	# All that hang have done so for two seconds.
	until_true('their time',
		sub { $db->selectrow_array("SELECT MAX(started_at) < UNIX_TIMESTAMP() - 3 FROM job_run WHERE status = 'running'") });
	due(@more, $quick);
	is over($quick)->{status}, 'success', 'a run of somebody else is carried out';
	until_true('what comes on top', sub { @more == grep { (run_of($_)->{due_at} // 0) > time } @more });
	is_deeply [grep { $_ ne '0 queued' } map { run_of($_)->{attempt} . ' ' . run_of($_)->{status} } @more], [],
		'more of the same person wait, and that is no attempt';
	my $pid = $stack->{pids}{runner};
	kill KILL => $pid, values %{{$stack->lanes}};
	waitpid $pid, 0;
	delete $stack->{pids}{runner};
	leases_end();
	$db->do("UPDATE job SET enabled = FALSE WHERE config LIKE '%/hang/%'");
};

subtest 'a slow host that two tenants use' => sub {
	my $carl = $stack->user('carl@example.org');
	my $carls = $api->publish($carl, slug => 'carls', visibility => 'public', files => { 'index.html' => 'one' });
	my ($quick) = Vitrine::Sink::jobs($stack, $carl, { artifact => $carls, url => $sink->url('/ok/carl') });
	my @hang = map {
		my $n = $_;
		my $a = $api->publish($ann, slug => "shared$n", visibility => 'public', files => { 'index.html' => 'one' });
		Vitrine::Sink::jobs($stack, $ann, map { { artifact => $a, url => $sink->url("/hang/shared/$n/$_") } } 1 .. 50);
	} 1 .. 4;
	my $asked = sub { return scalar grep { $_->[2] =~ m{^/hang/shared/} } $sink->begun };
	$stack->start_runner;
	due(@hang);
	until_true('requests that hang', sub { $asked->() >= 10 });
	due($quick);
	is over($quick)->{status}, 'success', 'the run of another tenant is carried out';
	is $asked->(), 10, '... while all places of the first one are taken';
	my $pid = $stack->{pids}{runner};
	kill KILL => $pid, values %{{$stack->lanes}};
	waitpid $pid, 0;
	delete $stack->{pids}{runner};
	leases_end();
	$db->do("UPDATE job SET enabled = FALSE WHERE config LIKE '%/hang/%'");
};

subtest 'each in its turn' => sub {
	my $other = $api->publish($ann, slug => 'other', visibility => 'public', files => { 'index.html' => 'one' });
	# At one host ten at a time, so most of the hundred wait.
	my @crowd = Vitrine::Sink::jobs($stack, $ann, map { { artifact => $other, url => $sink->url("/slow/40/crowd/$_") } } 1 .. 99);
	my $few = job('/slow/40/few');
	my $late = job('/slow/40/late');
	due(@crowd);
	$stack->db->do('UPDATE job SET next_run_at = next_run_at + 1 WHERE id IN (?, ?)', undef, $few, $late);
	due($few, $late);
	once();
	my @order = map { $_->[2] } grep { $_->[2] =~ m{/(?:crowd|few|late)} } $sink->begun;
	my ($at) = grep { $order[$_] eq '/slow/40/late' } 0 .. $#order;
	ok $at < 25, "a hundred runs of one artifact do not hold up two of another (the second was at $at)";
};

finish($stack);
