# SPDX-License-Identifier: Apache-2.0
# Eight runners at once, killed at random instants while 500 jobs are due, again and again: every due time is done at least once, no job
# beside itself, and what the history says is what the receivers saw. VITRINE_LONG: 50 rounds; VITRINE_SEED repeats one.
use Time::HiRes qw(sleep time);
use Vitrine::Sink;
use Vitrine::Words;

my $rounds = $ENV{VITRINE_ROUNDS} // ($ENV{VITRINE_LONG} ? 50 : 2);
my $seed = $ENV{VITRINE_SEED} // int(time * 1000) % 1_000_000;
srand $seed;
diag "VITRINE_SEED=$seed";
my ($RUNNERS, $JOBS, $KILLS) = (8, 500, 8);
my $sink = Vitrine::Sink->new(my $dir = File::Temp::tempdir(CLEANUP => 1), ports => 5);
# The shortest lease, so that what the dead had comes back soon.
my ($stack, $api) = stack(egress_allow => $sink->allow, run_lease_s => 5);
my $ann = $stack->user('ann@example.org');
my $db = $stack->db;
my @jobs;
for my $a (0 .. $JOBS / 100 - 1) {
	my $art = $api->publish($ann, slug => "site$a", visibility => 'public', files => { 'index.html' => 'one' });
	push @jobs, Vitrine::Sink::jobs($stack, $ann, map {
		{ artifact => $art, attempts => 10, url => $sink->url('/slow/' . (5 + int rand 60) . "/$a/$_", $sink->{ports}[$_ % 5]) }
	} 1 .. 100);
}
my %path = map { my ($url) = $_->[1] =~ m{127\.0\.0\.1:\d+(/[^"]+)}; ($_->[0] => $url) }
	@{$db->selectall_arrayref('SELECT id, config FROM job')};

sub start { $stack->start_runner("runner-$_[0]", '--stay', '--lanes', 'clock|jobs|suspects') }
# The whole runner or one lane of it, as if the power went or the kernel chose it.
sub strike {
	my $n = 1 + int rand $RUNNERS;
	my $parent = $stack->{pids}{"runner-$n"};
	my %lanes = $stack->lanes("runner-$n");
	if (rand() < 0.5) {
		kill KILL => $parent, values %lanes;
		waitpid $parent, 0;
		start($n);
	} else {
		my @pids = values %lanes;
		kill KILL => $pids[rand @pids] if @pids;
	}
}

# ---- a request that outlasts the lease, which eight look at

start($_) for 1 .. $RUNNERS;
my ($slow) = Vitrine::Sink::jobs($stack, $ann, { artifact => $api->publish($ann, slug => 'slow', visibility => 'public',
	files => { 'index.html' => 'one' }), attempts => 1, url => $sink->url('/slow/8000/lease') });
Vitrine::Sink::due($stack, $slow);
Vitrine::Stack::wait_for('the end of a slow run', 60,
	sub { $db->selectrow_array('SELECT COUNT(*) FROM job_run WHERE job_id = ? AND finished_at IS NOT NULL', undef, $slow) });
is_deeply $db->selectrow_arrayref('SELECT status, attempt, deaths FROM job_run WHERE job_id = ?', undef, $slow), ['success', 1, 0],
	'a run that takes longer than the lease is left to whoever has it';
is scalar $sink->begun('/slow/8000/lease'), 1, '... and asks once';
$db->do("DELETE FROM $_->[0] WHERE $_->[1] = ?", undef, $slow) for [job_run => 'job_id'], [job => 'id'];

# ---- killed again and again

my $kills = 0;
for my $round (1 .. $rounds) {
	$db->do('UPDATE job SET next_run_at = ?', undef, 1_000_000 + $round);
	my $next = time + rand 0.3;
	my $until = time + 90;
	my $struck = 0;
	while (time < $until) {
		if ($struck < $KILLS && time >= $next) {
			strike();
			$struck++;
			$next = time + rand 0.3;
		}
		last if $struck >= $KILLS && $JOBS == $db->selectrow_array(
			'SELECT COUNT(*) FROM job_run WHERE scheduled_for = ? AND finished_at IS NOT NULL', undef, 1_000_000 + $round);
		sleep 0.02;
	}
	$kills += $struck;
}
$stack->stop_one("runner-$_") for 1 .. $RUNNERS;

my %runs = map { $_->{id} => $_ } @{$db->selectall_arrayref('SELECT * FROM job_run', { Slice => {} })};
is scalar keys %runs, $rounds * $JOBS, "after $kills kills there is a run for each due time";
my %missing = map { my $job = $_; map { ("$job " . (1_000_000 + $_) => 1) } 1 .. $rounds } @jobs;
delete $missing{"$_->{job_id} $_->{scheduled_for}"} for values %runs;
is_deeply [keys %missing], [], 'of each job';
is_deeply [map { "$_->{id} $_->{status} $_->{error}" } grep { $_->{status} ne 'success' } values %runs], [], 'and all have succeeded';
my (%begun, %ended, %open, @beside, @strange);
for (grep { $_->[2] !~ /lease/ } $sink->lines) {
	my ($what, undef, $path, $run) = @$_;
	push @strange, "$path $run" if !$runs{$run} || $path{$runs{$run}{job_id}} ne $path;
	if ($what eq 'begin') { $begun{$run}++; push @beside, "$path $run" if $open{$path}++ }
	else { $open{$path}--; $ended{$run}++ if $what eq 'end' }
}
is_deeply [grep { !$ended{$_} } keys %runs], [], 'the receivers have answered each at least once';
is_deeply \@beside, [], 'and no job was beside itself';
is_deeply \@strange, [], 'what came twice came with the id of its run';
is_deeply [map { "$_: $begun{$_} requests, $runs{$_}{attempt} attempts" } grep { $begun{$_} > $runs{$_}{attempt} } keys %begun], [],
	'no request is missing in the history';
my %kept = map { @$_ } @{$db->selectall_arrayref('SELECT run_id, COUNT(*) FROM job_attempt GROUP BY run_id')};
is_deeply [grep { $runs{$_}{attempt} != 1 + ($kept{$_} // 0) } keys %runs], [], 'each attempt is in it';
my $twice = grep { $_ > 1 } values %begun;
diag "$kills kills, $twice of " . keys(%runs) . ' runs were asked for more than once';
is $db->selectrow_array('SELECT COUNT(*) FROM job WHERE busy_run IS NOT NULL'), 0, 'no job is held by the dead';
is $db->selectrow_array('SELECT COUNT(*) FROM job_run WHERE ready IS NOT NULL OR due_at IS NOT NULL OR parked_of IS NOT NULL'), 0,
	'and nothing waits';
unlike Vitrine::Stack::slurp("$stack->{dir}/runner.log"), qr/lane failed|run failed here|not ended/, 'no runner complains';
finish($stack);
