# SPDX-License-Identifier: Apache-2.0
# A nightly report: an agent publishes it, a person approves it and lets the agent go on, and nobody is asked until that ends.
use Vitrine::Words qw(as said);
use Vitrine::Counted;
use Vitrine::Visitor;
use Vitrine::World;

my ($stack, $api, $db) = stack(agent_calls_per_minute => 100_000, publish_per_hour => 100_000);
my $world = Vitrine::World->new($stack);
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben eve);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for qw(ann ben);
my %come = map { my $v = Vitrine::Visitor->new($api); $v->sign_in("$_\@example.org", 'the password'); ($_ => $v) } qw(ann ben);
my $night = 0;

# A program that ann has connected, which opens nothing itself.
sub connected {
	my ($id, $secret) = ($world->make('ogr', user => $user{ann}{id}), Vitrine::Stack::secret('som_'));
	$db->do("UPDATE agent_grant SET name = 'Nightly' WHERE id = ?", undef, $id);
	$db->do("INSERT INTO token (id, hash, user_id, created_at, expires_at, scopes, opens_to, grant_id) VALUES (CONCAT('tok_', "
		. "HEX(RANDOM_BYTES(8))), UNHEX(SHA2(?, 256)), ?, 0, 4000000000, 15, 'private', ?)", undef, $secret, $user{ann}{id}, $id);
	return { id => $id, token => $secret };
}
my ($agent, $other) = (connected(), connected());
sub told {
	my ($by, $tool, $args) = @_;
	return $api->call(POST => '/mcp', { token => $by->{token}, json => { jsonrpc => '2.0', id => 1, method => 'tools/call',
		params => { name => $tool, arguments => $args } } })->{json}{result}{structuredContent};
}
sub report {
	my ($by, $art, %more) = @_;
	return told($by, 'publish', { artifact => $art, files => [{ path => 'index.html', content => 'night ' . ++$night }], %more });
}
sub row {
	my ($art) = @_;
	return join ' ',
		map { $_ // 'none' } $db->selectrow_array('SELECT visibility, live_no, last_no FROM artifact WHERE id = ?', undef, $art);
}
sub shows { my ($slug) = @_; return $api->get_site($slug, '/')->{body} =~ /night (\d+)/ ? $1 : '' }
sub standing { my ($who, $art) = @_; return as($who, GET => "/v1/artifacts/$art/standing-approvals")->{json}{standing_approvals} }

# ---- outside of workspaces

my $art = $api->publish($user{ann}, slug => 'report', name => 'Report', visibility => 'unlisted', files => { 'index.html' => 'night 0' });
my $r = report($agent, $art);
is_deeply [row($art), $r->{held_for}, $r->{version}{is_draft}], ['unlisted 1 2', 'ceiling', $true], 'the first night waits';
my $page = $come{ann}->go($r->{review_url})->{text};
like $page, qr{Nightly asks you to make version 2 live.*Approve}s, 'the page that it leads to says what is asked';
like $page, qr{<input type="checkbox" name="refresh_until" value="(\d+)"><span>Let Nightly refresh this page until \w+ \d+, \d{4}},
	'where it waits there is a box';
my ($until) = $page =~ /name="refresh_until" value="(\d+)"/;
$come{ann}->submit(qr{/versions/2/live$});
is row($art), 'unlisted 2 2', 'approved without the box';
is_deeply standing('ann', $art), [], '... nothing stands';
report($agent, $art);
is row($art), 'unlisted 2 3', '... and the second night waits';
$come{ann}->go("/a/$art/versions");
$come{ann}->submit(qr{/versions/3/live$}, { refresh_until => $until });
is row($art), 'unlisted 3 3', 'approved with it';
my ($s) = @{standing('ann', $art)};
is_deeply $s, { id => $s->{id}, artifact_id => $art, grant_id => $agent->{id}, principal_id => undef, agent_name => 'Nightly',
	visibility => 'unlisted', granted_by => { user_id => $user{ann}{id}, name => '', email => 'ann@example.org', kind => 'person' },
	created_at => $s->{created_at}, expires_at => 0 + $until, applies => $true }, '... and it stands' or diag explain $s;
$r = report($agent, $art);
is_deeply [row($art), $r->{held_for}, $r->{review_url}, $r->{version}{is_draft}], ['unlisted 4 4', undef, undef, $false],
	'the third night is live without a click';
is shows('report'), $night, '... for all who have the link';
is report($other, $art)->{held_for}, 'ceiling', 'another agent waits';

my $live = sub { return (split / /, row($art))[1] };
my $was = $live->();
for ([name => 'Another'], [visibility => 'public']) {
	my ($what, $value) = @$_;
	$r = report($agent, $art, $what => $value);
	is_deeply [$r->{held_for}, $live->()], ['ceiling', $was], "with another $what it waits";
	is $db->selectrow_array("SELECT $what FROM artifact WHERE id = ?", undef, $art),
		{ name => 'Report', visibility => 'unlisted' }->{$what}, '... and changes nothing';
}
is told($agent, 'update_artifact', { artifact => $art, live_version => 1 })->{held_back},
	'Only your person changes what others see, at review_url.', 'an earlier version is none of it';
is report($agent, $art, name => 'Report')->{held_for}, undef, 'the name that it has is no other';

as('ann', PATCH => "/v1/artifacts/$art", { visibility => 'public' });
is report($agent, $art)->{held_for}, 'ceiling', 'opened further, it does not apply';
is standing('ann', $art)->[0]{applies}, $false, '... which its list says';
as('ann', PATCH => "/v1/artifacts/$art", { visibility => 'unlisted' });
is report($agent, $art)->{held_for}, undef, 'closed again, it does';

like $come{ann}->go("/a/$art/sharing")->{text}, qr{Agents that refresh it.*Nightly.*without asking until}s, 'the Sharing tab has it';
like $come{ann}->submit(qr{/standing/\w+/end$})->{text}, qr/Ended\. The agent.s next version waits for your approval\./, 'ended there';
is report($agent, $art)->{held_for}, 'ceiling', '... the next night waits';
unlike $come{ann}->go("/a/$art/sharing")->{text}, qr{Agents that refresh it}, '... and nothing is listed';

$s = as('ann', POST => "/v1/artifacts/$art/standing-approvals", { grant_id => $agent->{id} })->{json}{standing_approval};
is report($agent, $art)->{held_for}, undef, 'granted again';
$db->do('UPDATE standing_approval SET expires_at = UNIX_TIMESTAMP() WHERE id = ?', undef, $s->{id});
is report($agent, $art)->{held_for}, 'ceiling', 'past its time the next waits';
$stack->runner;
is $db->selectrow_array('SELECT COUNT(*) FROM standing_approval'), 0, '... and it is gone';

# ---- where a workspace approves

my $ws = as('ann', POST => '/v1/workspaces', { name => 'Team' })->{json}{workspace}{id};
$stack->seat($ws, $user{ben}, 'admin');
as('ann', PATCH => "/v1/workspaces/$ws/publish-policy", { policy => 'require_approval', approvals_required => 1 });
my $bot = as('ann', POST => "/v1/workspaces/$ws/agent-tokens",
	{ name => 'Bot', scopes => ['artifacts:read', 'artifacts:publish'] })->{json};
sub bot {
	my (%in) = @_;
	return $api->call(POST => '/v1/publish',
		{ token => $bot->{token}, json => { files => [{ path => 'index.html', content => 'night ' . ++$night }], %in } })->{json};
}
my $own = bot(name => 'Figures')->{artifact}{id};
as('ann', PATCH => "/v1/workspaces/$ws/publish-policy", { policy => 'open' });
$api->call(PATCH => "/v1/artifacts/$own", { token => $bot->{token}, json => { visibility => 'public' } });
as('ann', PATCH => "/v1/workspaces/$ws/publish-policy", { policy => 'require_approval' });
is_deeply [@{bot(artifact_id => $own)}{qw(held_for approval_required)}], ['approval', $true], "a workspace's agent waits for approval";
my $asked = as('ann', POST => "/v1/artifacts/$own/publish-approval", { visibility => 'public' })->{json}{approval};
like $come{ben}->go("/a/$own/approval/$asked->{id}")->{text}, qr{Let Bot refresh this page until}, 'who approves has the box';
($until) = $come{ben}->{page}{text} =~ /name="refresh_until" value="(\d+)"/;
$come{ben}->submit(qr{/approval/$asked->{id}$}, { decision => 'approve', refresh_until => $until });
is row($own), 'public 2 2', 'approved, and the box ticked';
is_deeply [@{bot(artifact_id => $own)}{qw(held_for approval_required)}], [undef, $false], 'the next needs none';
is row($own), 'public 3 3', '... and is live';
is $db->selectrow_array('SELECT approved FROM version WHERE artifact_id = ? AND version_no = 3', undef, $own), 1,
	'... as one that was approved';
is bot(artifact_id => $own, name => 'Other figures')->{held_for}, 'approval', 'another name is not covered';
is bot(artifact_id => $own, access_policy => { default => 'everyone' })->{held_for}, 'approval', 'nor are rules for its data';
is bot(artifact_id => $own, agent => { enabled => $false })->{held_for}, 'approval', 'nor its chat agent';
is row($own), 'public 3 6', '... and nothing of these is seen';
is bot(artifact_id => $own, draft => $true)->{held_for}, undef, 'a draft is one when it is asked for';
as('ann', PATCH => "/v1/workspaces/$ws/publish-policy", { approvals_required => 2 });
is bot(artifact_id => $own)->{held_for}, 'approval', 'where two must approve, one is too few';
is as('ann', POST => "/v1/artifacts/$own/standing-approvals", { principal_id => $bot->{agent_token}{principal_id} })->{status}, 201,
	'a second says so';
is bot(artifact_id => $own)->{held_for}, undef, '... two are enough';
as('ann', PATCH => "/v1/workspaces/$ws/members/$user{ben}{id}", { role => 'member' });
is $db->selectrow_array('SELECT role FROM member WHERE workspace_id = ? AND user_id = ?', undef, $ws, $user{ben}{id}), 'member',
	'one of them is no admin any more';
is bot(artifact_id => $own)->{held_for}, 'approval', '... and does not count';

# ---- and nobody else pays for it

Vitrine::Counted::still($stack);
my $plain = $api->publish($user{ann}, slug => 'plain', name => 'Plain', visibility => 'public');
my $again = sub { return (Vitrine::Counted::counted($db, sub {
	as('ann', POST => '/v1/publish', { artifact_id => $plain, files => [{ path => 'index.html', content => 'x' . rand }] });
}))[1] };
$again->();
is $again->(), 'Com_stmt_execute=7 Com_begin=1 Com_commit=1 Com_rollback=0', 'a person publishes by as many statements as before';
Vitrine::Counted::go_on($stack);
finish($stack);
