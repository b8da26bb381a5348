# SPDX-License-Identifier: Apache-2.0
# Jobs whose time has come become runs: each time once, however many runners look; what was missed is made up for once; what is paused moves
# on. And what has had its time is taken away.
use DBI;
use Vitrine::Counted;
use Vitrine::Words;

use constant { NOW => 1_800_000_000, MANY => 10_000, RUNNERS => 8 }; # 2027-01-15 08:00:00 UTC
my ($stack, $api, $db) = stack();
my $ann = $stack->user('ann@example.org');
my %art = map { $_ => $api->publish($ann, slug => $_) } qw(awake paused trashed purged busy);
my $drive = "$stack->{build}/t/drive/arm $stack->{dir}/vitrine.yaml";

sub drive { my ($what, $limit, $now) = @_; my $said = `$drive $what $limit @{[$now // NOW]} 2>/dev/null`; chomp $said; return $said }
my $made = 0;
sub job {
	my ($art, $due, %o) = @_;
	my $id = sprintf 'job_%026d', ++$made;
	my %row = (id => $id, artifact_id => $art{$art}, created_by => $ann->{id}, action => 'email', trigger_type => 'cron',
		schedule => '* * * * *', config => '{}', max_attempts => 3, backoff => 'fixed',
		initial_delay => 1, next_run_at => $due, created_at => 0, updated_at => 0, %o);
	$db->do('INSERT INTO job (' . join(', ', sort keys %row) . ') VALUES (' . join(', ', ('?') x keys %row) . ')',
		undef, @row{sort keys %row});
	return $id;
}
sub runs {
	return join ' ', map { join ':', @$_ } @{$db->selectall_arrayref(
		'SELECT cause, status, scheduled_for - ? FROM job_run WHERE job_id = ? ORDER BY scheduled_for', undef, NOW, $_[0])};
}
sub next_of {
	my ($at, $on) = $db->selectrow_array('SELECT next_run_at, enabled FROM job WHERE id = ?', undef, $_[0]);
	return defined $at ? $at - NOW : $on ? 'none' : 'off';
}

# ---- one of each

my %job = (now => job('awake', NOW), just => job('awake', NOW - 59, schedule => '59 7 * * *'), early => job('awake', NOW + 1),
	late => job('awake', NOW - 61, schedule => '0 9 * * *'), missed => job('awake', NOW - 3 * 3600),
	twice => job('awake', NOW - 60), daily => job('awake', NOW - 3600, schedule => '0 7 * * *', timezone => 'Asia/Tokyo'),
	off => job('awake', undef, enabled => 0),
	event => job('awake', undef, trigger_type => 'event', schedule => undef, event_type => 'comment.added'),
	paused => job('paused', NOW), trashed => job('trashed', NOW), purged => job('purged', NOW),
	gone => job('awake', undef, deleted_at => NOW), last => job('awake', NOW, schedule => '0 0 31 2 *'),
	zone => job('awake', NOW, timezone => 'Europe/Atlantis'));
$db->do('UPDATE artifact SET paused_at = 1 WHERE id = ?', undef, $art{paused});
$db->do('UPDATE artifact SET deleted_at = 1 WHERE id = ?', undef, $art{trashed});
$db->do('UPDATE artifact SET owner_id = NULL, deleted_at = 1 WHERE id = ?', undef, $art{purged});
is drive('arm', 4), '11 4', 'eleven are due, and are seen to by four at a time';
is runs($job{now}) . next_of($job{now}), 'cron:queued:060', 'one whose time is now has a run, and its next time';
is runs($job{just}) . next_of($job{just}), 'cron:queued:-5986340', 'one that was due a moment ago';
is runs($job{early}) . next_of($job{early}), '1', 'one that is due in a second has none';
is runs($job{late}) . next_of($job{late}), 'catch_up:queued:-613600', 'one that is late is caught up';
is runs($job{missed}) . next_of($job{missed}), 'catch_up:queued:-1080060',
	'one run for all that was missed in three hours, of the first of them';
is runs($job{twice}) . next_of($job{twice}), 'catch_up:queued:-6060', '... for two minutes, too';
is runs($job{daily}) . next_of($job{daily}), 'catch_up:queued:-360050400', 'the next time is told by the clock of its zone';
is runs($job{$_}) . next_of($job{$_}), $_ eq 'event' ? 'none' : $_ eq 'gone' ? 'none' : 'off', "$_: nothing happens" for qw(off event gone);
is runs($job{$_}) . next_of($job{$_}), '60', "of what is $_ nothing runs, but its schedule moves on" for qw(paused trashed purged);
is runs($job{$_}) . next_of($job{$_}), 'cron:queued:0off', "$_: who has no next time runs once more, and is off" for qw(last zone);
is drive('arm', 4), '0 1', 'and once only';
is drive('arm', 100, NOW - 5000), '0 1', 'nothing is due earlier when a clock goes back';
is drive('arm', 100, NOW + 60), '7 2', 'a minute later those of every minute are';
is runs($job{now}), 'cron:queued:0 cron:queued:60', '... each time is a run';

# ---- many runners at once: each due time once

$db->do('DELETE FROM job_run');
$db->do('DELETE FROM job');
sub many {
	$db->do("INSERT INTO job (id, artifact_id, created_by, action, trigger_type, schedule, config, max_attempts, backoff, "
		. "initial_delay, next_run_at, created_at, updated_at) SELECT CONCAT('job_', LPAD(seq, 26, '0')), ?, ?, 'email', 'cron',"
		. " CONCAT(1 + seq % 59, ' * * * *'), '{}', 3, 'fixed', 1, ? - seq % 7, 0, 0 FROM seq_1_to_$_[0]",
		undef, $art{busy}, $ann->{id}, NOW) }
many(MANY);
my @kids = map { my $pid = open(my $out, '-|', "$drive arm 100 @{[NOW]} 2>&1") // die; $out } 1 .. RUNNERS;
my @said = map { my $line = <$_> // ''; close $_; chomp $line; $line } @kids;
my ($took, $part) = (0, 0);
for (@said) { my ($n) = /^(\d+) \d+$/ or fail("a runner: $_"); $took += $n // 0; $part++ if $n }
is $took, MANY, 'eight runners saw to ten thousand, each to its own';
cmp_ok $part, '>', 1, '... and not one of them to all';
is $db->selectrow_array('SELECT COUNT(*) FROM job_run'), MANY, 'as many runs';
is $db->selectrow_array("SELECT COUNT(*) FROM job j JOIN job_run r ON r.job_id = j.id AND r.scheduled_for = ? "
	. "- CAST(SUBSTR(j.id, 5) AS UNSIGNED) % 7 AND r.cause = 'cron'", undef, NOW), MANY, '... each of its due time';
is $db->selectrow_array('SELECT COUNT(*) FROM job WHERE next_run_at <= ? OR next_run_at IS NULL', undef, NOW), 0,
	'... and none is due anymore';

# ---- by a handful of statements, and rows that are due

$db->do('DELETE FROM job_run');
$db->do('DELETE FROM job');
many(500);
my (undef, $few) = Vitrine::Counted::counted($db, sub { drive('arm', 500) });
like $few, qr/Com_stmt_execute=[1-8] /, 'five hundred are armed by a few statements' or diag $few;
my $plan = $db->selectall_arrayref('EXPLAIN SELECT j.id FROM job j WHERE j.next_run_at <= ? ORDER BY j.next_run_at, j.id '
	. 'LIMIT 100 FOR UPDATE SKIP LOCKED', { Slice => {} }, NOW);
is "$plan->[0]{key} $plan->[0]{type}", 'job_due range', 'what is due is found by its index' or diag explain $plan;
unlike $plan->[0]{Extra}, qr/filesort/, '... in order';

# ---- a row that somebody else holds is passed over, not waited for

$db->do('DELETE FROM job_run');
$db->do('UPDATE job SET next_run_at = ?', undef, NOW);
my $held = DBI->connect("dbi:MariaDB:database=vitrine;mariadb_socket=$stack->{run}/db.sock", scalar getpwuid($>), '', { RaiseError => 1 });
$held->begin_work;
$held->selectall_arrayref("SELECT id FROM job ORDER BY id LIMIT 10 FOR UPDATE");
is drive('arm', 1000), '490 2', 'ten that another runner has are left to it';
$held->rollback;
is drive('arm', 1000), '10 2', '... or taken when it is gone';
$held->begin_work;
$held->selectall_arrayref('SELECT id FROM artifact WHERE id = ? FOR UPDATE', undef, $art{busy});
$db->do('UPDATE job SET next_run_at = ?', undef, NOW + 600);
is drive('arm', 1000, NOW + 600), '500 2', 'a publish that holds the artifact holds up no job';
$held->rollback;
$held->disconnect;

# ---- what has had its time

$db->do('DELETE FROM job_run');
$db->do('DELETE FROM job');
my ($kept, $gone, $just) = (job('awake', NOW + 60), job('awake', undef, deleted_at => NOW - 121),
	job('awake', undef, deleted_at => NOW - 119));
my $n = 0;
sub run {
	my ($job, $finished) = @_;
	my $id = sprintf 'run_%026d', ++$n;
	$db->do("INSERT INTO job_run (id, job_id, artifact_id, occasion, cause, status, lane, turn, scheduled_for, finished_at) "
		. "VALUES (?, ?, ?, ?, 'cron', ?, 1, 0, 0, ?)", undef,
		$id, $job, $art{awake}, $id, $finished ? 'success' : 'queued', $finished);
	$db->do('INSERT INTO job_attempt (run_id, no, started_at) VALUES (?, 1, 0)', undef, $id) }
run($kept, NOW - 30 * 86400 - $_) for 0 .. 4;
run($kept, NOW - 30 * 86400 + 99 + $_) for 1 .. 3;
run($kept);
run($_) for ($gone) x 7, $just;
is drive('reap', 3), '13 ' . (1 + 5), 'rows that have had their time, three at a time';
is_deeply $db->selectall_arrayref('SELECT job_id, COUNT(*) FROM job_run GROUP BY job_id ORDER BY job_id'), [[$kept, 4], [$just, 1]],
	'runs that ended thirty days ago are gone, and those of a deleted job';
is $db->selectrow_array('SELECT COUNT(*) FROM job_attempt'), 5, '... with their attempts';
is_deeply $db->selectcol_arrayref('SELECT id FROM job ORDER BY id'), [$kept, $just],
	'... and that job; one that may have a run under way stays';
is drive('reap', 100, NOW + 10), '2 2', 'for as long as that can last';
finish($stack);
