# SPDX-License-Identifier: Apache-2.0
# ./dev bench workspaces: what a workspace with 10^5 artifacts, 10^4 folders nine deep and 10^3 members costs beside one with a hundredth of each; what 300,000
# runs of 10^4 jobs cost an admin beside 10^3 of 10; and a member's GET of an artifact of it beside an owner's of their own.
use strict;
use warnings;
use Cpanel::JSON::XS;
use Time::HiRes 'time';
use Vitrine::Api;
use Vitrine::Bench;
use Vitrine::Smtp;
use Vitrine::Stack;

my $smtp = Vitrine::Smtp->new;
my $s = Vitrine::Stack->new($smtp->conf, workers => 4, publish_per_hour => 1_000_000);
stacks($s);
my $api = Vitrine::Api->new($s);
my $timed = Vitrine::Api->new($s, unchecked => 1);
my $db = $s->db;
room($db);
my $ann = $s->user('ann@example.org');
my $cat = $s->user('cat@example.org');
my $own = $api->publish($ann, slug => 'own', visibility => 'private');
$| = 1;

# The id of a run that was made in a second, both as SQL: the database's digits are ours but for the letters that look like others.
sub run_id {
	my ($second, $tail) = @_;
	my $time = "LOWER(LPAD(CONV(($second) * 1000, 10, 32), 10, '0'))";
	my ($from, $to) = ([reverse 'i' .. 'v'], [reverse grep { !/[ilou]/ } 'i' .. 'z']);
	$time = "REPLACE($time, '$from->[$_]', '$to->[$_]')" for 0 .. $#$from;
	return "CONCAT('run_', $time, $tail)";
}

# Artifacts in folders: every hundredth of the whole in one; a tenth of the folders hang nine deep, the others lie at the top.
sub make {
	my ($letter, $artifacts, $folders, $members) = @_;
	my $ws = $api->call(POST => '/v1/workspaces', { token => $ann->{token}, json => { name => "Team $letter" } })->{json}{workspace}{id};
	my $id = sub { "CONCAT('$_[0]_$letter', LPAD($_[1], 25, '0'))" };
	my ($usr, $fld, $art, $aud) = map { $id->($_, 'seq') } qw(usr fld art aud);
	my ($above, $owner, $folder) = ($id->('fld', 'seq - 10'), $id->('usr', "1 + seq % $members"), $id->('fld', "1 + seq % $folders"));
	$db->do("INSERT INTO user (id, email, name, created_at) SELECT $usr, CONCAT('$letter', seq, '\@x.example'), 'N', 1 FROM seq_1_to_$members");
	$db->do("INSERT INTO member (workspace_id, user_id, role, joined_at) SELECT '$ws', $usr, 'member', 1 FROM seq_1_to_$members");
	$db->do("INSERT INTO member (workspace_id, user_id, role, joined_at) VALUES ('$ws', ?, 'member', 1)", undef, $cat->{id});
	$db->do("INSERT INTO folder (id, workspace_id, parent_id, name, name_key, created_at, updated_at) SELECT $fld, '$ws', IF(seq % 10 = 0 AND seq % 100 > 10, $above, NULL),"
		. " CONCAT('Folder ', LPAD(seq, 6, '0')), CONCAT('folder ', LPAD(seq, 6, '0')), 1, 1 FROM seq_1_to_$folders");
	$db->do("INSERT INTO artifact (id, owner_id, workspace_id, folder_id, name, slug, visibility, live_no, last_no, created_at, updated_at) SELECT $art, $owner, '$ws',"
		. " $folder, CONCAT('Page ', seq), CONCAT('$letter', seq), 'private', 1, 1, seq, seq FROM seq_1_to_$artifacts");
	$db->do("INSERT INTO artifact_storage (artifact_id, workspace_id, bytes, views) SELECT $art, '$ws', seq * 7 % 1000003, seq * 31 % 10007 FROM seq_1_to_$artifacts");
	$db->do("INSERT INTO audit (id, workspace_id, at, actor_id, actor_name, action, target_type, target_id, target_name) SELECT $aud, '$ws', UNIX_TIMESTAMP(), '$ann->{id}', 'N', IF(seq % 100, 'artifact.moved', 'folder.created'), 'artifact', 'x', 'x' FROM seq_1_to_$artifacts");
	# Every tenth job is an automation, every hundredth fails; runs are spread over 30 days.
	my ($jobs, $runs) = $artifacts > 1_000 ? (10_000, 300_000) : (10, 1_000);
	$db->do("INSERT INTO job (id, artifact_id, workspace_id, created_by, name, action, trigger_type, schedule, event_type, config, max_attempts, backoff, initial_delay, failures, created_at, updated_at) SELECT " . $id->('job', 'seq') . ", $art, '$ws', $owner, CONCAT('Job ', seq), 'webhook',"
		. " IF(seq % 10, 'cron', 'event'), '0 0 * * *', NULL, '{\"url\":\"https://x.example/\"}', 1, 'fixed', 1, seq % 100 = 0, 1, 1 FROM seq_1_to_$jobs");
	my $run = run_id("UNIX_TIMESTAMP() - 2592000 + seq * 2592000 DIV $runs", "CONCAT('$letter', LPAD(seq, 15, '0'))");
	my $of = $id->('job', "1 + seq % $jobs");
	for (my $at = 1; $at <= $runs; $at += 100_000) {
		my $last = $at + 99_999 < $runs ? $at + 99_999 : $runs;
		$db->do("INSERT INTO job_run (id, job_id, artifact_id, workspace_id, surface, occasion, cause, status, lane, turn, scheduled_for, started_at, finished_at, duration_ms) SELECT $run, $of, " . $id->('art', "1 + seq % $jobs") . ", '$ws', IF((1 + seq % $jobs) % 10, 'schedule', 'automation'), seq, 'cron',"
			. " IF(seq % 50, 'success', 'failed'), 1, 1, 1, 1, UNIX_TIMESTAMP(), 100 FROM seq_${at}_to_$last");
	}
	my $deep = sprintf "fld_$letter%025d", 90;
	return { ws => $ws, deep => $deep, path => join('/', map { sprintf 'folder %06d', 10 * $_ } 1 .. 9) =~ s/ /%20/gr, art => sprintf("art_$letter%025d", 1), folder => sprintf("fld_$letter%025d", 2) };
}
my ($small, $large);
Vitrine::Db::filled($db, sub { ($small, $large) = (make('s', 1_000, 100, 10), make('t', 100_000, 10_000, 1_000)) });
$db->do("ANALYZE TABLE $_") for qw(artifact artifact_storage folder member user audit job job_run);

# A page of 50, or what else it is, of the large one against of the small one.
sub took {
	my ($what, $who, $path) = @_;
	my (@ms, @used);
	for my $address (map { $path->($_) } $large, $small) {
		my $one = sub { my $r = $timed->call(GET => $address, { token => $who->{token} }); die "$address: $r->{status} $r->{body}" if $r->{status} != 200 };
		$one->() for 1 .. 3;
		my $from = watch();
		push @ms, median(map { my $from = time; $one->(); 1000 * (time - $from) } 1 .. 30);
		push @used, used($from, 30);
	}
	figure(name => $what, ours => $ms[0], ceiling => $ms[1], unit => 'ms', cpu_ms => $used[0]{cpu_ms}, per => 'page', ceiling_cpu_ms => $used[1]{cpu_ms}{all}, pressure => $used[0]{pressure});
}
my @asked = (
	['artifacts, a member', $cat, sub { "/v1/artifacts?workspace_id=$_[0]{ws}" }],
	['artifacts, an admin', $ann, sub { "/v1/artifacts?workspace_id=$_[0]{ws}" }],
	['artifacts of a folder', $cat, sub { "/v1/artifacts?workspace_id=$_[0]{ws}&folder_id=$_[0]{folder}" }],
	['artifacts in none', $cat, sub { "/v1/artifacts?workspace_id=$_[0]{ws}&folder_id=root" }],
	['folders', $cat, sub { "/v1/workspaces/$_[0]{ws}/folders" }],
	['folders at the top', $cat, sub { "/v1/workspaces/$_[0]{ws}/folders?parent_id=root" }],
	['a folder, nine deep', $cat, sub { "/v1/workspaces/$_[0]{ws}/folders/$_[0]{deep}" }],
	['a folder by its path, nine deep', $cat, sub { "/v1/workspaces/$_[0]{ws}/folders/by-path/$_[0]{path}" }],
	(map { my $sort = $_; ["the admins' table by $sort", $ann, sub { "/v1/workspaces/$_[0]{ws}/admin/artifacts?sort=$sort" }] } qw(updated_at views_30d size_bytes)),
	['the audit', $ann, sub { "/v1/workspaces/$_[0]{ws}/audit" }],
	['the audit by what was done', $ann, sub { "/v1/workspaces/$_[0]{ws}/audit?action=folder.created" }],
	(map { my ($what, $query) = @$_; [$what, $ann, sub { "/v1/workspaces/$_[0]{ws}/runs$query" }] } ['runs', ''], ['runs of automations', '?surface=automation'], ['runs that failed', '?status=failed']),
	['schedules', $ann, sub { "/v1/workspaces/$_[0]{ws}/schedules" }],
	['automations that fail', $ann, sub { "/v1/workspaces/$_[0]{ws}/automations?state=failing" }],
	['members', $cat, sub { "/v1/workspaces/$_[0]{ws}/members" }],
	['people to choose from', $cat, sub { "/v1/workspaces/$_[0]{ws}/people?q=cat" }],
	['what members do', $ann, sub { "/v1/workspaces/$_[0]{ws}/members/metrics" }],
	['the workspace', $cat, sub { "/v1/workspaces/$_[0]{ws}" }],
);
took(@$_) for @asked;

sub timed { my ($name, $do) = @_; my $from = time; my $r = $do->(); figure(name => $name, ours => 1000 * (time - $from), unit => 'ms'); die $r->{body} if $r->{status} >= 300 }
$db->do("UPDATE workspace SET member_access = 'none' WHERE id IN ('$small->{ws}', '$large->{ws}')");
took("$_->[0], of their own only", @$_[1, 2]) for @asked[0, 2, 4];
$db->do("UPDATE workspace SET member_access = 'viewer', paid_plan = 'enterprise', paid_until = UNIX_TIMESTAMP() + 1000000, paid_seats = 2000");
timed('100 people are invited, and mailed', sub { $timed->call(POST => "/v1/workspaces/$large->{ws}/members/invite", { token => $ann->{token}, json => { emails => [map { "$_\@invited.example" } 1 .. 100] } }) });
timed('an artifact is moved', sub { $timed->call(POST => "/v1/workspaces/$large->{ws}/artifacts/$large->{art}/move", { token => $ann->{token}, json => { folder_id => $large->{deep} } }) });
$db->do("UPDATE artifact SET folder_id = ? WHERE workspace_id = ?", undef, $large->{deep}, $large->{ws});
# MariaDB clears away where they lay before, which is not the list's.
at_rest($db);
took('a folder of 100,000 artifacts', $cat, sub { "/v1/workspaces/$_[0]{ws}/folders/$_[0]{deep}" });
timed('100,000 artifacts leave a folder', sub { $timed->call(DELETE => "/v1/workspaces/$large->{ws}/folders/$large->{deep}?recursive=1", { token => $cat->{token} }) });

by_turns('GET of an artifact, member of a workspace against owner', map { my ($id, $who) = @$_;
	sub { wrk("https://127.0.0.1:$s->{port}/v1/artifacts/$id", 'Host: vitrine.localhost', "Authorization: Bearer $who->{token}") } } [$large->{art}, $cat], [$own, $ann]);
