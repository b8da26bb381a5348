# SPDX-License-Identifier: Apache-2.0
# What runs by itself in a workspace, for its admins: schedules, automations, their runs; who may see and change them; what their makers
# answer for; what becomes of them when an artifact moves; how many there were a day, and who is told when one fails.
use utf8;
use POSIX ();
use Time::HiRes qw(sleep time);
use Vitrine::Receiver;
use Vitrine::Smtp;
use Vitrine::Words qw(as refused said);

# Answers to /held when it may.
package Held { our @ISA = 'Vitrine::Receiver';
	sub serve {
		my ($s, $c, $ask) = @_;
		if ($ask->{target} =~ /held/) {
			Vitrine::Stack::spew("$s->{dir}/asked", 'x');
			Time::HiRes::sleep(0.02) until -e "$s->{dir}/go";
		}
		$s->SUPER::serve($c, $ask);
	}
	}

my $began = int time;
my $tls = $ENV{VITRINE_VAR} . '/tls-test';
Vitrine::Stack::make_tls($tls);
my $receiver = Held->new($tls);
my $smtp = Vitrine::Smtp->new;
my ($stack, $api, $db) = stack($smtp->conf, $receiver->conf, egress_ca_file => "$tls/ca.pem", slow_workers => 8,
	job_runs_asked_per_minute => 60);
my ($ann, $ben, $cat, $dan, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben cat dan eve);
my $ws = as($ann, POST => '/v1/workspaces', { name => 'Team' })->{json}{workspace}{id};
my $other = as($eve, POST => '/v1/workspaces', { name => 'Other' })->{json}{workspace}{id};
$stack->seat($ws, $ben, 'admin');
$stack->seat($ws, $_, 'member') for $cat, $dan;
# Ben is an admin of both, so that the wall is no question of who he is.
$stack->seat($other, $ben, 'admin');
my $base = "/v1/workspaces/$ws";
my $art = $api->publish($cat, slug => 'plans', name => 'Plans', workspace_id => $ws, visibility => 'private');
my $foreign = $api->publish($eve, slug => 'foreign', workspace_id => $other, visibility => 'private');
sub job_of {
	my ($who, %o) = @_;
	my $job = { artifact_id => $art, action => 'webhook', schedule => '0 9 * * *', retry_config => { maxAttempts => 1 },
		config => { url => $receiver->url('/hook'), headers => { 'X-Key' => 'a very secret value' },
			secret => 'whsec_' . 'c2VjcmV0' x 4 }, %o };
	delete @$job{grep { !defined $job->{$_} } keys %$job};
	my $r = as($who, POST => '/v1/jobs', $job);
	is $r->{status}, 201, 'a job' or diag $r->{body};
	return $r->{json}{job} }
sub due {
	my ($id, $at) = @_;
	$db->do('UPDATE job SET next_run_at = ? WHERE id = ?', undef, $at, $id);
	my ($status, undef, $err) = $stack->runner;
	is $status, 0, 'the runner ran' or diag $err;
}
my $nightly = job_of($cat, name => 'Nightly');
my $told = job_of($cat, name => 'Tell', schedule => undef, event_type => 'comment.added');
my $theirs = job_of($eve, artifact_id => $foreign);
my $own = job_of($dan, artifact_id => $api->publish($dan, slug => 'own'));
as($cat, POST => '/v1/metric-alerts', { artifact_id => $art, name => 'n', table => 'guests', kind => 'row_count', op => 'above', value => 1,
	destinations => [{ type => 'webhook', url => $receiver->url('/alert') }] });

# ---- listed

my $owner = { user_id => $cat->{id}, name => as($cat, GET => '/v1/me')->{json}{user}{name} // '', email => 'cat@example.org',
	kind => 'person' };
my $r = as($ben, GET => "$base/schedules");
$owner->{name} = $r->{json}{schedules}[0]{owner}{name};
is_deeply $r->{json}{schedules}, [{ %$nightly, artifact => { id => $art, name => 'Plans', slug => 'plans' }, owner => $owner,
	runs_24h => { success => 0, failed => 0 } }], 'cron jobs, of private artifacts too: the job, and these members';
is_deeply [map { $_->{id} } @{as($ben, GET => "$base/automations")->{json}{automations}}], [$told->{id}],
	'event jobs, without those of alerts';
unlike $r->{body}, qr/secret value|whsec|c2VjcmV0/, 'nothing that is secret';
sub names {
	my ($query, $what) = @_;
	$what //= 'schedules';
	my $r = as($ben, GET => "$base/$what?$query");
	return join ' ', map { $_->{name} } @{$r->{json}{$what} // [{ name => said($r) }]};
}
is names('q=NIGHT'), 'Nightly', 'by a part of its name';
is names('q=plan'), 'Nightly', '... or the artifact\'s';
is names('q=%25'), '', '% is a character';
is names("artifact_id=$foreign"), '', 'by an artifact: of another workspace there is nothing';
is names('state=failing') . names('state=paused'), '', 'none fails, none is paused';
is names('state=odd'), '400 INVALID_REQUEST', 'no other state';
job_of($cat, name => "N$_") for 1 .. 3;
my $page = as($ben, GET => "$base/schedules?limit=2")->{json};
is join(' ', map { $_->{name} } @{$page->{schedules}},
		@{as($ben, GET => "$base/schedules?limit=2&cursor=$page->{next_cursor}")->{json}{schedules}}), 'Nightly N1 N2 N3',
	'a page after another';

# ---- run

$r = as($ben, POST => "$base/schedules/$nightly->{id}/run");
is $r->{status}, 200, 'an admin runs what they could not edit' or diag $r->{body};
my $run = $r->{json}{execution};
is $r->{headers}{location}, "$base/runs/schedule/$run->{id}", 'it has an address';
my %seen = (id => $run->{id}, surface => 'schedule', job_id => $nightly->{id}, job_name => 'Nightly', artifact_id => $art,
	artifact_name => 'Plans', action => 'webhook', trigger => 'manual', status => 'success', attempt => 1,
	scheduled_for => $run->{scheduled_for}, next_attempt_at => undef, started_at => $run->{started_at},
	finished_at => $run->{finished_at}, duration_ms => $run->{duration_ms}, http_status => 200, error => undef);
is_deeply $r->{json}, { success => $true, message => 'The job ran', execution => { %seen, attempts => $run->{attempts} } },
	'with exactly these members' or diag $r->{body};
is scalar @{$run->{attempts}}, 1, '... and its attempt';
is_deeply as($ben, GET => "$base/runs/$_/$run->{id}")->{json}{run}, $run, "it is read as $_" for qw(schedule schedules);
is_deeply as($ben, GET => "$base/schedules/$nightly->{id}/logs")->{json}{logs}, [\%seen], 'the job\'s log';
is_deeply as($ben, GET => "$base/runs")->{json}{runs}, [\%seen], 'and all of the workspace';
refused(as($ben, GET => "$base/runs/automation/$run->{id}"), '404 NOT_FOUND', 'on the other surface it is not');
is_deeply as($ben, GET => "$base/schedules?q=Nightly")->{json}{schedules}[0]{runs_24h}, { success => 1, failed => 0 }, 'it counts';
is_deeply [@{as($cat, GET => "/v1/jobs/$nightly->{id}")->{json}{job}}{qw(enabled last_status)}], [$true, 'success'], 'the job is as it was';

my $more = as($ben, POST => "$base/automations/$told->{id}/run")->{json}{execution};
is $more->{surface}, 'automation', 'an automation runs, too';
is as($ben, GET => "$base/automations/$told->{id}/runs")->{json}{runs}[0]{id}, $more->{id}, '... and has its runs';
sub runs {
	my ($query) = @_;
	my $r = as($ben, GET => "$base/runs?$query");
	my %word = ($run->{id} => 'nightly', $more->{id} => 'tell');
	return join ' ', map { $word{$_->{id}} // $_->{id} } @{$r->{json}{runs} // [{ id => said($r) }]};
}
is runs(''), 'tell nightly', 'the newest first';
is runs("surface=$_"), 'nightly', "surface=$_" for qw(schedule schedules);
is runs("surface=$_"), 'tell', "surface=$_" for qw(automation automations);
is runs('surface=alert'), '400 INVALID_REQUEST', 'no other surface';
is runs('status=success'), 'tell nightly', 'by outcome';
is runs('status=failed'), '', '... none failed';
is runs('surface=automation&status=success'), 'tell', 'by both';
is runs("job_id=$nightly->{id}"), 'nightly', 'of a job';
is runs("job_id=$nightly->{id}&status=failed"), '', '... by outcome';
is runs("job_id=$theirs->{id}"), '', 'of one elsewhere: none';
is runs("artifact_id=$art&status=success"), 'tell nightly', 'of an artifact';
is runs("artifact_id=$art&surface=automations"), 'tell', '... on a surface';
is runs("artifact_id=$foreign"), '', 'of one elsewhere: none';
is runs('action=webhook'), 'tell nightly', 'by what they do';
is runs('action=email'), '', '... none is that';
is runs("since=$began"), 'tell nightly', 'since';
is runs('until=' . ($began - 1)), '', 'until';
is runs('since=20&until=10'), '400 INVALID_REQUEST', 'until is after since';
is runs('cursor=odd'), '400 INVALID_REQUEST', 'a cursor that is none';
$page = as($ben, GET => "$base/runs?limit=1")->{json};
is runs("limit=1&cursor=$page->{next_cursor}"), 'nightly', 'a page after another';
is as($ben, GET => "$base/runs?limit=1&cursor=$page->{next_cursor}")->{json}{next_cursor}, undef, '... and then no more';
is runs("cursor=$page->{next_cursor}&until=" . (int(time) + 60)), 'nightly', 'and within a time';

# ---- who may

my $nothing = 'job_' . '0' x 26;
my @ways = ([GET => 'schedules'], [GET => 'automations'], [GET => 'runs'], [GET => 'runs/told'], [PUT => 'runs/told', { user_ids => [] }],
	[GET => "runs/schedule/$run->{id}"],
	map {
		my ($at, $id, $logs) = @$_;
		[GET => "$at/$id/$logs"], [POST => "$at/$id/run"], [PATCH => "$at/$id", { enabled => $false }], [DELETE => "$at/$id"];
	} ['schedules', $nightly->{id}, 'logs'], ['automations', $told->{id}, 'runs']);
for (@ways) {
	my ($method, $path, $json) = @$_;
	refused(as($cat, $method => "$base/$path", $json), '403 ACCESS_DENIED', "a member: $method $path");
	refused(as($eve, $method => "$base/$path", $json), '404 NOT_FOUND', "a stranger: $method $path");
	refused(as(undef, $method => "$base/$path", $json), $method eq 'GET' ? '404 NOT_FOUND' : '401 UNAUTHENTICATED',
		"nobody: $method $path") if $method ne 'GET';
	next if $path !~ /job_/;
	for my $id ($theirs->{id}, $own->{id}, $nothing, $path =~ /^s/ ? $told->{id} : $nightly->{id}) {
		my $there = $path =~ s/job_\w+/$id/r;
		refused(as($ben, $method => "$base/$there", $json), '404 NOT_FOUND',
			"of another workspace, of none, nothing, or the other kind: $method $there");
	}
}
is as($ben, GET => "/v1/workspaces/$other/schedules/$theirs->{id}/logs")->{status}, 200, '... each is found where it is';

# ---- changed, by who doesn't make it theirs

$r = as($ben, PATCH => "$base/schedules/$nightly->{id}", { enabled => $false, schedule => '0 7 * * *', timezone => 'Europe/Dublin' });
is $r->{status}, 200, 'paused, at another time' or diag $r->{body};
is_deeply [sort keys %{$r->{json}}], [qw(schedule success)], 'with these members';
is_deeply [@{$r->{json}{schedule}}{qw(enabled schedule timezone next_run_at)}], [$false, '0 7 * * *', 'Europe/Dublin', undef], 'so it is';
is names('state=paused'), 'Nightly', 'and is found so';
is as($ben, POST => "$base/schedules/$nightly->{id}/run")->{json}{execution}{status}, 'success', 'a paused one runs when it is asked to';
refused(as($ben, PATCH => "$base/schedules/$nightly->{id}", { config => { url => $receiver->url('/changed') } }), '400 INVALID_REQUEST',
	'the headers that it had go to no other address', qr/^config\.headers: somebody else gave/);
$r = as($ben, PATCH => "$base/schedules/$nightly->{id}", { enabled => $true, schedule => '5 7 * * *' });
is as($cat, PATCH => "/v1/jobs/$nightly->{id}", { config => { url => $receiver->url('/changed') } })->{status}, 200,
	'... unless by who gave them';
is $r->{json}{schedule}{owner}{user_id}, $cat->{id}, 'who switched it on does not answer for it';
due($nightly->{id}, 1000);
is as($ben, GET => "$base/schedules/$nightly->{id}/logs?limit=1")->{json}{logs}[0]{status}, 'success', 'and it runs';
my ($call) = $receiver->calls('/changed');
is $call->{headers}{'x-key'}, 'a very secret value', '... with its secrets';
refused(as($ben, PATCH => "$base/automations/$told->{id}", { $_->[0] => $_->[1] }), '400 INVALID_REQUEST', "an automation has no $_->[0]",
	qr/^$_->[0]: applies only to cron jobs/) for ['schedule', '0 7 * * *'], ['timezone', 'Europe/Dublin'];
refused(as($ben, PATCH => "$base/schedules/$nightly->{id}", { schedule => 'odd' }), '400 INVALID_REQUEST', 'no schedule', qr/^schedule: /);
refused(as($ben, PATCH => "$base/schedules/$nightly->{id}", { config => { url => 5 } }), '400 INVALID_REQUEST', 'no address',
	qr/^config\.url: /);
is as($ben, PATCH => "$base/automations/$told->{id}", { enabled => $false })->{json}{automation}{enabled}, $false,
	'an automation is paused';
sub acts {
	return map { "$_->{action} $_->{target}{name} $_->{after}{artifact}" }
		@{as($ben, GET => "$base/audit?actor=$ben->{id}&limit=$_[0]")->{json}{audit} // []};
}
# Two of one request may be of the same millisecond.
my @acts = acts(4);
is_deeply [sort @acts], [sort 'job.paused Tell Plans', 'job.changed Nightly Plans', 'job.resumed Nightly Plans', 'job.run Nightly Plans'],
	'the audit has each of these acts';

# Whose maker may not any more: who switches it on answers for it, though they could not edit the artifact.
as($ann, DELETE => "$base/members/$dan->{id}");
$stack->seat($ws, $dan, 'member');
as($cat, POST => "/v1/artifacts/$art/collaborators", { emails => ['dan@example.org'], role => 'editor' });
my $dans = job_of($dan, name => 'Dans', action => 'http_get', config => { url => $receiver->url('/json'), save_to => 'json' });
$receiver->answer('/json', 200, '{"n":1}');
as($cat, DELETE => "/v1/artifacts/$art/collaborators/dan%40example.org");
is as($ben, GET => "$base/schedules?q=Dans")->{json}{schedules}[0]{enabled}, $false, 'a job whose maker may not edit any more is paused';
is as($ben, PATCH => "$base/schedules/$dans->{id}", { enabled => $true })->{json}{schedule}{owner}{user_id}, $ben->{id},
	'the admin who switches it on answers for it';
due($dans->{id}, 1000);
is as($ben, GET => "$base/schedules/$dans->{id}/logs")->{json}{logs}[0]{status}, 'success', '... who need be no editor';
is as($cat, GET => "/v1/data/$art/json")->{json}{data}{n} // as($cat, GET => "/v1/data/$art/json")->{json}{n}, 1,
	'and what it saves is there';
$db->do("UPDATE member SET role = 'member' WHERE workspace_id = ? AND user_id = ?", undef, $ws, $ben->{id});
due($dans->{id}, 1001);
is as($ann, GET => "$base/schedules/$dans->{id}/logs?limit=1")->{json}{logs}[0]{status}, 'failed', 'once they govern no more it fails';
is as($ann, GET => "$base/schedules?q=Dans")->{json}{schedules}[0]{enabled}, $false, '... and is paused';
$db->do("UPDATE member SET role = 'admin' WHERE workspace_id = ? AND user_id = ?", undef, $ws, $ben->{id});

# ---- one at a time, and none of what is paused or deleted

sub behind {
	my ($path) = @_;
	pipe my $out, my $in or die;
	my $pid = fork // die;
	if (!$pid) {
		my $r = Vitrine::Api->new($stack)->call(POST => $path, { token => $ben->{token} });
		syswrite $in, "$r->{status} $r->{json}{execution}{status}";
		POSIX::_exit(0);
	}
	close $in;
	return ($pid, $out);
}
my $held = job_of($cat, name => 'Held', action => 'http_get', config => { url => $receiver->url('/held'), save_to => 'json' });
$receiver->answer('/held', 200, '{"n":2}');
my ($pid, $out) = behind("$base/schedules/$held->{id}/run");
my $waited = time;
sleep 0.02 until -e "$receiver->{dir}/asked" || time - $waited > 30;
refused(as($ben, POST => "$base/schedules/$held->{id}/run"), '409 CONFLICT', 'of two at once one runs');
is as($ben, DELETE => "$base/schedules/$held->{id}")->{status}, 200, 'it is deleted while it runs';
Vitrine::Stack::spew("$receiver->{dir}/go", 'x');
waitpid $pid, 0;
is <$out>, '200 skipped', 'what ran has ended';
is as($cat, GET => "/v1/data/$art/json")->{body} =~ /"n":(\d)/ && $1, 1, '... and what it brought is dropped';
refused(as($ben, GET => "$base/schedules/$held->{id}/logs"), '404 NOT_FOUND', 'it is gone');
is names('q=Held'), '', '... from the list, too';
as($ann, POST => "$base/admin/artifacts/$art/pause", { paused => $true });
refused(as($ben, POST => "$base/schedules/$nightly->{id}/run"), '403 ARTIFACT_PAUSED', 'nothing of a paused artifact runs');
as($ann, POST => "$base/admin/artifacts/$art/pause", { paused => $false });

# ---- who is told

sub letters {
	my ($says, $to) = @_;
	$stack->runner;
	return scalar grep { $_->{headers}{to} =~ /^$to\@/ && $_->{headers}{subject} eq "Nightly $says (Plans)" } $smtp->mails;
}
is_deeply as($ben, GET => "$base/runs/told")->{json}, { success => $true, people => [], next_cursor => undef },
	'at first only who made a job is told';
$r = as($ben, PUT => "$base/runs/told", { user_ids => [$ben->{id}, $cat->{id}, $dan->{id}] });
is_deeply [sort map { $_->{email} } @{$r->{json}{people}}], [map { "$_\@example.org" } qw(ben cat dan)], 'members are chosen'
	or diag $r->{body};
refused(as($ben, PUT => "$base/runs/told", { user_ids => [$eve->{id}] }), '400 INVALID_REQUEST', 'nobody else',
	qr/^user_ids\[0\]: must be the id of somebody who is a member/);
refused(as($ben, PUT => "$base/runs/told", { user_ids => [($ben->{id}) x 21] }), '400 INVALID_REQUEST', 'nor more than twenty',
	qr/^user_ids: .*20/);
is scalar @{as($ben, GET => "$base/runs/told")->{json}{people}}, 3, '... and they stay as they were';
$receiver->answer('/changed', 500, 'no');
due($nightly->{id}, $_) for 1001, 1002;
is join(' ', map { letters('failed', $_) } qw(ben cat dan)), '1 1 0',
	'who governs or edits the artifact is mailed when it begins to fail, once';
is names('state=failing'), 'Nightly', 'it is found as failing';
$receiver->answer('/changed', 200, '');
due($nightly->{id}, $_) for 1003, 1004;
is join(' ', map { letters('works again', $_) } qw(ben cat dan)), '1 1 0', 'and when it works again, once';
as($ann, DELETE => "$base/members/$dan->{id}");
is_deeply [sort map { $_->{email} } @{as($ben, GET => "$base/runs/told")->{json}{people}}], [map { "$_\@example.org" } qw(ben cat)],
	'who has left is told no more';

# ---- runs move with their artifact

my $mine = $api->publish($ben, slug => 'mine', workspace_id => $ws);
my $moves = job_of($ben, artifact_id => $mine, name => 'Moves');
my $moved = as($ben, POST => "$base/schedules/$moves->{id}/run")->{json}{execution};
$db->do("INSERT INTO job_run (id, job_id, artifact_id, workspace_id, surface, occasion, cause, status, lane, turn, scheduled_for, "
	. "finished_at) SELECT CONCAT('run_0000', LPAD(seq, 22, '0')), ?, ?, ?, 'schedule', seq, 'cron', 'failed', 1, 1, 1, "
	. "UNIX_TIMESTAMP() FROM seq_1_to_1500", undef, $moves->{id}, $mine, $ws);
is as($ben, PATCH => "/v1/artifacts/$mine", { workspace_id => $other })->{status}, 200, 'an artifact moves to another workspace';
refused(as($ben, GET => "$base/schedules/$moves->{id}/logs"), '404 NOT_FOUND', 'its jobs are not where it was');
refused(as($ben, GET => "$base/runs/schedule/$moved->{id}"), '404 NOT_FOUND', '... nor its runs');
unlike runs("job_id=$moves->{id}") . runs('status=failed&limit=200'), qr/run_0000|$moved->{id}/, '... in no list';
is as($ben, GET => "/v1/workspaces/$other/runs/schedule/$moved->{id}")->{json}{run}{job_name}, 'Moves', 'they are where it is';
is as($ben, GET => "/v1/workspaces/$other/runs/schedule/run_0000" . '0' x 21 . '7')->{json}{run}{status}, 'failed', '... all of them';
is as($ben, GET => "/v1/workspaces/$other/runs?limit=1")->{json}{runs}[0]{id}, $moved->{id}, '... in the list, too';
is $db->selectrow_array('SELECT COUNT(*) FROM job_run WHERE artifact_id = ? AND workspace_id = ?', undef, $mine, $ws), 501,
	'those of many follow later';
$stack->runner;
is $db->selectrow_array('SELECT COUNT(*) FROM job_run WHERE artifact_id = ? AND workspace_id = ?', undef, $mine, $other), 1501,
	'... by the runner';
is $db->selectrow_array('SELECT COUNT(*) FROM job_move'), 0, 'and then there is no more to do';
as($ben, PATCH => "/v1/artifacts/$mine", { workspace_id => undef });
is as($ben, GET => "/v1/workspaces/$other/runs")->{json}{runs}[0]{id} // '', '', 'in no workspace it is in no list';
as($ben, PATCH => "/v1/artifacts/$mine", { workspace_id => $ws });

# ---- counted by day, once each

$db->do('UPDATE job_run SET finished_at = finished_at - 200 WHERE finished_at > 1000');
$stack->runner for 1, 2;
my ($counted, $sum) = ($db->selectrow_array("SELECT COUNT(*) FROM job_run WHERE workspace_id = ? AND surface IS NOT NULL "
	. "AND status IN ('success', 'failed', 'skipped') AND finished_at < UNIX_TIMESTAMP() - 60", undef, $ws),
	$db->selectrow_array('SELECT SUM(success + failed + skipped) FROM run_day WHERE workspace_id = ?', undef, $ws));
cmp_ok $counted, '>', 1500, 'runs have ended';
is $sum, $counted, 'each is counted once';

# ---- what fsck says

sub fsck { my (undef, $out, $err) = $stack->program('vitrinectl', {}, 'fsck'); return "$out$err" }
unlike fsck(), qr/job_/, 'all are where they should be';
$db->do('UPDATE job_run SET workspace_id = ? WHERE id = ?', undef, $other, $run->{id});
like fsck(), qr/job $nightly->{id}: has runs in another workspace/, 'runs that are elsewhere are named';
$db->do('UPDATE job_run SET workspace_id = ? WHERE id = ?', undef, $ws, $run->{id});
$db->do('UPDATE job SET workspace_id = NULL WHERE id = ?', undef, $nightly->{id});
like fsck(), qr/job $nightly->{id}: is in another workspace/, '... and so are jobs';
$db->do('UPDATE job SET workspace_id = ? WHERE id = ?', undef, $ws, $nightly->{id});
finish($stack);
