# SPDX-License-Identifier: Apache-2.0
# What of a workspace becomes public only when others approve: who may ask and decide, what an approval does, and that there is no way
# around it.
use utf8;
use Vitrine::Visitor;
use Vitrine::Words qw(as refused);

my ($stack, $api, $db) = stack(publish_per_hour => 10000);
my ($ann, $ben, $cat, $dan, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben cat dan eve);
my $ws = as($ann, POST => '/v1/workspaces', { name => 'Team' })->{json}{workspace}{id};
$stack->seat($ws, @$_) for [$ben, 'admin'], [$cat, 'member'], [$dan, 'admin'];
my $policy = "/v1/workspaces/$ws/publish-policy";
my $list = "/v1/workspaces/$ws/publish-approvals";
my $n = 0;
sub publish {
	my ($who, $text, %o) = @_;
	return as($who, POST => '/v1/publish',
		{ name => 'P', workspace_id => $ws, files => [{ path => 'index.html', content => $text }], %o });
}
sub page { my ($slug) = @_; my $r = $api->get_site($slug, '/'); return $r->{status} == 200 ? $r->{body} : $r->{status} }
sub ask { my ($who, $art, %o) = @_; return as($who, POST => "/v1/artifacts/$art/publish-approval", { visibility => 'public', %o }) }
sub decide {
	my ($who, $art, $id, $decision, %o) = @_;
	return as($who, POST => "/v1/artifacts/$art/publish-approval/$id/decision", { decision => $decision, %o });
}

# ---- the policy

is_deeply as($cat, GET => $policy)->{json}, { success => $true, policy => 'open', approvals_required => 1 }, 'open at first';
my $before = publish($cat, 'before', slug => 'before', visibility => 'public');
is $before->{json}{approval_required}, $false, 'then nobody is asked';
is page('before'), 'before', 'and it is there';
my $was = $before->{json}{artifact}{id};
refused(as($cat, PATCH => $policy, { policy => 'require_approval' }), '403 ACCESS_DENIED', 'a member may not change it');
is_deeply as($ben, PATCH => $policy, { policy => 'require_approval' })->{json},
	{ success => $true, policy => 'require_approval', approvals_required => 1 }, 'an admin does';

# ---- what it holds back

is page('before'), 'before', 'what was open stays so';
my $r = publish($cat, 'one', slug => 'plans', visibility => 'public');
is "$r->{status} $r->{json}{approval_required}", '201 1', 'a new one is told to wait';
my $art = $r->{json}{artifact}{id};
is as($cat, GET => "/v1/artifacts/$art")->{json}{artifact}{visibility}, 'private', 'it is private';
is publish($ann, 'x', slug => 'owners', visibility => 'unlisted')->{json}{approval_required}, $true, 'the owner\'s, too';
is publish($cat, 'quiet', slug => 'quiet')->{json}{approval_required}, $false, 'what is private needs nobody';
for my $who ($cat, $ann, $ben) {
	my $own = $who == $cat ? $art : publish($who, 'x', slug => 'own-' . ++$n)->{json}{artifact}{id};
	refused(as($who, PATCH => "/v1/artifacts/$own", { visibility => $_ }), '403 APPROVAL_REQUIRED', "nobody opens their own: $_")
		for qw(public unlisted);
}
$r = publish($cat, 'second', artifact_id => $was);
is $r->{json}{approval_required}, $true, 'a version of an open one';
is page('before'), 'before', '... is not seen';
is as($cat, GET => "/v1/artifacts/$was/versions/2")->{json}{version}{is_live}, $false, '... but a draft';
is ask($cat, $was)->{status}, 201, '... for which approval is asked';
is_deeply [map { [@$_{qw(path status)}] } @{as($ben, GET => "/v1/artifacts/$was/compare/pictures?to=2")->{json}{pictures}{pages}}],
	[['index.html', 'unavailable']], '... with pictures of what differs';
$stack->ctl_in("the password\n", qw(user password ben@example.org));
my $admin = Vitrine::Visitor->new($api);
$admin->sign_in('ben@example.org', 'the password');
my ($asked) = $db->selectrow_array('SELECT id FROM approval WHERE pending_of = ?', undef, $was);
like $admin->go("/a/$was/approval/$asked")->{body}, qr/>Approve<.*How the pages look.*No browser can run/s, '... beside Approve';
is as($cat, DELETE => "/v1/artifacts/$was/publish-approval/$asked")->{status}, 200, '... which is withdrawn';
unlike $admin->go("/a/$was/approval/$asked")->{body}, qr/How the pages look/, '... and then shown no more';
refused(as($cat, POST => "/v1/artifacts/$was/versions/2/restore"), '403 APPROVAL_REQUIRED', 'which is not made live by the way back');
is as($cat, POST => "/v1/artifacts/$was/versions/1/restore")->{status}, 200, 'what was live before is';
$r = publish($cat, 'third', artifact_id => $was, visibility => 'private');
is "$r->{json}{approval_required} " . as($cat, GET => "/v1/artifacts/$was")->{json}{artifact}{version_no}, '0 3',
	'closing needs nobody, and then a version is live';
is page('before'), 404, 'for those inside';
refused(as($cat, PATCH => "/v1/artifacts/$was", { visibility => 'public' }), '403 APPROVAL_REQUIRED', 'opening again does');

# ---- asking

$r = ask($cat, $art);
is $r->{status}, 201, 'asked' or diag $r->{body};
my $p = $r->{json}{approval};
is_deeply $p, { id => $p->{id}, artifact_id => $art, artifact_name => 'P', version_no => 1, changes => [], visibility => 'public',
	requested_by => { user_id => $cat->{id}, name => '', email => 'cat@example.org', kind => 'person' },
	approver_ids => [], approvals => [], review => undef, approvals_required => 1, status => 'pending', created_at => $p->{created_at},
	expires_at => $p->{created_at} + 14 * 86400, decided_at => undef }, 'as it is told';
is_deeply as($ben, GET => "$list?status=pending")->{json}{approvals}, [$p], 'admins have it in their list';
is_deeply as($cat, GET => "$list?status=pending")->{json}{approvals}, [$p], 'and who asked in theirs';
$stack->seat($ws, $eve, 'member');
is_deeply as($eve, GET => $list)->{json}{approvals}, [], 'no other member does';
refused(decide($eve, $art, $p->{id}, 'approve'), '403 ACCESS_DENIED', 'nor may decide');
$db->do('DELETE FROM member WHERE user_id = ?', undef, $eve->{id});
refused(ask($cat, $art), '409 CONFLICT', 'one at a time');
refused(ask($ben, $art), '403 ACCESS_DENIED', 'who may not edit does not ask');
my $personal = $api->publish($cat, slug => 'personal', visibility => 'private');
refused(ask($cat, $personal), '409 CONFLICT', 'what is nobody else\'s needs nobody');
refused(ask($cat, $was, $_->[0] => $_->[1]), '400 INVALID_REQUEST', 'a request that is wrong: ' . encode_json({ @$_ }))
	for [approver_ids => [$cat->{id}]], [approver_ids => [$eve->{id}]], [approver_ids => []],
		[approver_ids => [$ben->{id}, $ben->{id}]];
refused(decide($cat, $art, $p->{id}, 'approve'), '403 ACCESS_DENIED', 'nobody approves their own');
refused(decide($ben, $was, $p->{id}, 'approve'), '404 NOT_FOUND', 'of another artifact');

# ---- deciding

$r = decide($ben, $art, $p->{id}, 'approve', comment => "Fine\nby me");
is "$r->{status} $r->{json}{approval}{status}", '200 approved', 'approved' or diag $r->{body};
is_deeply [map { [$_->{user}{email}, @$_{qw(decision comment)}] } @{$r->{json}{approval}{approvals}}],
	[['ben@example.org', 'approve', "Fine\nby me"]], 'by whom, and why';
is page('plans'), 'one', 'it is public with the reply';
refused(decide($dan, $art, $p->{id}, 'reject'), '409 CONFLICT', 'then it is over');
publish($cat, 'two', artifact_id => $art);
is page('plans'), 'one', 'the next version waits';
$p = ask($cat, $art)->{json}{approval};
is $p->{version_no}, 2, 'an approval is of the newest version';
publish($cat, 'three', artifact_id => $art);
refused(decide($ben, $art, $p->{id}, 'approve'), '409 CONFLICT', 'what is no longer that is not approved');
is as($cat, GET => "$list?status=superseded")->{json}{approvals}[0]{id}, $p->{id}, 'but superseded';
$db->do('UPDATE user SET disabled_at = 1 WHERE id = ?', undef, $dan->{id});
refused(ask($cat, $art, approver_ids => [$dan->{id}]), '400 INVALID_REQUEST', 'who is disabled is not asked');
$db->do('UPDATE user SET disabled_at = NULL WHERE id = ?', undef, $dan->{id});
$p = ask($cat, $art, approver_ids => [$dan->{id}])->{json}{approval};
refused(decide($ben, $art, $p->{id}, 'approve'), '403 ACCESS_DENIED', 'who is not asked does not decide');
is decide($dan, $art, $p->{id}, 'reject')->{json}{approval}{status}, 'rejected', 'one rejection ends it';
is page('plans'), 'one', 'and changes nothing';
as($ben, PATCH => $policy, { approvals_required => 2 });
refused(ask($cat, $art, approver_ids => [$dan->{id}]), '400 INVALID_REQUEST', 'two are needed');
$p = ask($cat, $art)->{json}{approval};
is decide($ben, $art, $p->{id}, 'approve')->{json}{approval}{status}, 'pending', 'one of two';
is decide($ben, $art, $p->{id}, 'approve')->{json}{approval}{status}, 'pending', 'twice by one is one';
$db->do("UPDATE member SET role = 'member' WHERE user_id = ?", undef, $ben->{id});
is decide($dan, $art, $p->{id}, 'approve')->{json}{approval}{status}, 'pending', 'who is no admin anymore does not count';
$db->do("UPDATE member SET role = 'admin' WHERE user_id = ?", undef, $ben->{id});
is decide($ann, $art, $p->{id}, 'approve')->{json}{approval}{status}, 'approved', 'enough';
is page('plans'), 'three', 'the version is live';
is as($cat, POST => "/v1/artifacts/$art/versions/1/restore")->{status}, 200, 'one that was approved is live again without asking';
refused(as($cat, POST => "/v1/artifacts/$art/versions/2/restore"), '403 APPROVAL_REQUIRED', 'one that was not is not');
as($ben, PATCH => $policy, { approvals_required => 1 });

# ---- ended otherwise

publish($cat, 'four', artifact_id => $art);
$p = ask($cat, $art)->{json}{approval};
refused(as($ann, DELETE => "/v1/artifacts/$art/publish-approval/$p->{id}"), '403 ACCESS_DENIED', 'only who asked withdraws');
is as($cat, DELETE => "/v1/artifacts/$art/publish-approval/$p->{id}")->{status}, 200, 'withdrawn';
refused(decide($ben, $art, $p->{id}, 'approve'), '409 CONFLICT', 'and over');
$p = ask($cat, $art)->{json}{approval};
$db->do('UPDATE approval SET expires_at = UNIX_TIMESTAMP() WHERE id = ?', undef, $p->{id});
refused(decide($ben, $art, $p->{id}, 'approve'), '409 CONFLICT', 'expired');
is as($cat, GET => "$list?status=expired")->{json}{approvals}[0]{id}, $p->{id}, 'and told so';
is_deeply [grep { $_->{id} eq $p->{id} } @{as($cat, GET => "$list?status=pending")->{json}{approvals}}], [], '... not as pending';
is ask($cat, $art)->{status}, 201, 'another may be asked for';
as($cat, DELETE => "/v1/artifacts/$art");
is as($ann, GET => "$list?status=cancelled")->{json}{approvals}[0]{artifact_id}, $art, 'what is deleted waits for nothing';

# ---- an agent, its author, and all at once

my $agent = { token => as($ann, POST => "/v1/workspaces/$ws/agent-tokens",
	{ name => 'Bot', scopes => ['artifacts:publish', 'artifacts:read'] })->{json}{token} };
$r = publish($agent, 'bots', slug => 'bots', visibility => 'public');
is "$r->{json}{approval_required} " . page('bots'), '1 404', 'an agent is bound, too';
my $bots = $r->{json}{artifact}{id};
publish($ben, 'better', artifact_id => $bots);
$p = ask($ben, $bots)->{json}{approval};
refused(decide($ben, $bots, $p->{id}, 'approve'), '403 ACCESS_DENIED', 'who made the version does not approve it');
my @said = Vitrine::Api::together($stack, 6, sub { my ($own, $i) = @_;
	my $r = $i % 2 ? $own->call(POST => "/v1/artifacts/$bots/publish-approval/$p->{id}/decision",
		{ token => $dan->{token}, json => { decision => 'approve' } }) : $own->call(POST => '/v1/publish', { token => $ben->{token},
			json => { name => 'P', artifact_id => $bots, files => [{ path => 'index.html', content => "racing $i" }] } });
	"$r->{status} " . ($r->{json}{code} // '') });
my $shown = page('bots');
ok $shown eq 'better' || $shown eq '404', 'approved or superseded, and nothing that nobody has seen' or diag $shown;
is scalar(grep { /^5/ } @said), 0, 'and no failure' or diag "@said";

# ---- what was live while it was private, and what moves

my $drafty = publish($cat, 'never shown', slug => 'drafty')->{json}{artifact}{id};
publish($cat, 'to be shown', artifact_id => $drafty);
$p = ask($cat, $drafty)->{json}{approval};
is decide($dan, $drafty, $p->{id}, 'approve')->{json}{approval}{status}, 'approved', 'the newest version is approved';
is join(' ', map { page($_) } 'drafty', 'drafty--v2', 'drafty--v1'), 'to be shown to be shown 404',
	'the one before it, which nobody approved, is not shown at its own address either';
$stack->runner;
is page('drafty--v1'), 404, '... nor by what the runner does';
is as($cat, PATCH => "/v1/artifacts/$drafty", { visibility => 'private' })->{status}, 200, 'closed';
is ask($cat, $drafty)->{status}, 201, 'asked for once more';
is as($ann, PATCH => "/v1/artifacts/$drafty", { workspace_id => undef })->{status}, 200, 'it leaves the workspace';
is as($ann, GET => "$list?status=cancelled")->{json}{approvals}[0]{artifact_id}, $drafty, 'and its approval ends';
is as($cat, PATCH => "/v1/artifacts/$drafty", { visibility => 'public' })->{status}, 200, 'a person\'s own is opened by themselves';
refused(as($cat, PATCH => "/v1/artifacts/$drafty", { workspace_id => $ws }), '403 APPROVAL_REQUIRED', 'nothing moves in open');
is as($cat, PATCH => "/v1/artifacts/$drafty", { visibility => 'private', workspace_id => $ws })->{status}, 200,
	'closed with the same request, it does';
is as($ann, PATCH => "/v1/artifacts/$drafty", { workspace_id => undef })->{status}, 200, 'out again';
refused(as($cat, PATCH => "/v1/artifacts/$drafty", { visibility => 'public', workspace_id => $ws }), '403 APPROVAL_REQUIRED',
	'nothing is opened on its way in');
is as($cat, GET => "/v1/artifacts/$drafty")->{json}{artifact}{visibility}, 'private', '... and nothing is changed then';
is as($cat, PATCH => "/v1/artifacts/$drafty", { workspace_id => $ws })->{status}, 200, 'in once more';
refused(as($cat, PATCH => "/v1/artifacts/$drafty", { visibility => 'unlisted' }), '403 APPROVAL_REQUIRED',
	'and waits there, whatever was approved before');

# ---- not by a token that somebody else made, nor for who has no role anymore

$p = ask($cat, $drafty)->{json}{approval};
my $minted = { token => as($ann, POST => "/v1/workspaces/$ws/members/$dan->{id}/tokens", { name => 'x' })->{json}{token} };
is as($minted, GET => "/v1/artifacts/$drafty")->{status}, 200, 'a token that acts as Dan here';
refused(decide($minted, $drafty, $p->{id}, 'approve'), '403 INSUFFICIENT_SCOPE', '... decides nothing');
refused(ask($minted, $bots), '403 INSUFFICIENT_SCOPE', '... and asks for nothing');
as($cat, DELETE => "/v1/artifacts/$drafty/publish-approval/$p->{id}");
as($cat, POST => "/v1/artifacts/$drafty/collaborators", { emails => ['eve@example.org'], role => 'editor' });
$p = ask($eve, $drafty)->{json}{approval};
is $p->{status}, 'pending', 'an editor asks';
is as($cat, DELETE => "/v1/artifacts/$drafty/collaborators/eve%40example.org")->{status}, 200, 'and is none anymore';
refused(decide($ben, $drafty, $p->{id}, 'approve'), '409 CONFLICT', 'what they asked for is over');
ask($cat, $drafty);
is as($cat, DELETE => "/v1/artifacts/$drafty?purge=1")->{status}, 200, 'deleted for good';
is scalar(grep { $_->{artifact_id} eq $drafty } @{as($ann, GET => "$list?status=pending")->{json}{approvals}}), 0, 'nothing of it waits';

as($ann, PATCH => $policy, { policy => 'open' });
my $linked = publish($cat, 'first', slug => 'linked', visibility => 'public')->{json}{artifact}{id};
publish($cat, 'second', artifact_id => $linked);
publish($cat, 'third', artifact_id => $linked, draft => $true);
$p = ask($cat, $linked)->{json}{approval};
is decide($ben, $linked, $p->{id}, 'approve')->{json}{approval}{status}, 'approved', 'an approval that nobody must ask for';
is join(' ', map { page($_) } 'linked', 'linked--v2', 'linked--v1'), 'third second first', 'takes nothing from sight that was open';
is as($ben, PATCH => "/v1/artifacts/$bots", { visibility => 'public' })->{status} =~ /^(?:200|403)$/ ? 1 : 0, 1, 'open again, as roles say';
is publish($cat, 'free', slug => 'free', visibility => 'public')->{json}{approval_required}, $false, 'nobody is asked anymore';
is page('free'), 'free', '...';

# ---- what a version brings besides its pages is held with it

as($ann, PATCH => $policy, { policy => 'require_approval' });
my $rules = $linked;
my $secret = sub { return as(undef, GET => "/v1/data/$rules/tables/secret/rows")->{status} };
as($cat, PUT => "/v1/data/$rules/tables/secret", { columns => [{ name => 'text', type => 'text' }] });
is decide($ben, $rules, do {
	publish($cat, 'x', artifact_id => $rules, access_policy => { default => 'owner' });
	ask($cat, $rules)->{json}{approval}{id};
}, 'approve')->{json}{approval}{status}, 'approved', 'rules that close';
isnt $secret->(), 200, '... hold';
$r = publish($cat, 'open', artifact_id => $rules, name => 'Renamed', access_policy => { default => 'everyone' },
	agent => { enabled => $true });
is $r->{json}{approval_required}, $true, 'rules that open wait with their version';
isnt $secret->(), 200, '... so nothing is open';
is as($cat, GET => "/v1/artifacts/$rules")->{json}{artifact}{name}, 'P', '... nor renamed';
$p = ask($cat, $rules)->{json}{approval};
is_deeply $p->{changes}, [qw(name access_policy agent)], 'who approves is told';
isnt $secret->(), 200, 'not by asking either';
is decide($ben, $rules, $p->{id}, 'approve')->{json}{approval}{status}, 'approved', 'approved';
is $secret->() . ' ' . as($cat, GET => "/v1/artifacts/$rules")->{json}{artifact}{name}, '200 Renamed', 'and so it is';
my @rules = @{as($ann, GET => "/v1/workspaces/$ws/audit?action=artifact.data_rules&target_id=$rules")->{json}{audit}};
is_deeply [map { [$_->{actor}{user_id}, $_->{before}{access_policy}, $_->{after}{access_policy}] } @rules],
	[[$ben->{id}, { default => 'owner' }, { default => 'everyone' }], [$ben->{id}, undef, { default => 'owner' }]],
	'each change of the rules is written down, by whose act it became so';
my $quietly = publish($cat, 'x', slug => 'quietly', access_policy => { default => 'viewer' })->{json}{artifact}{id};
publish($cat, 'y', artifact_id => $quietly, access_policy => { default => 'viewer' });
@rules = @{as($ann, GET => "/v1/workspaces/$ws/audit?target_id=$quietly")->{json}{audit}};
is join(' ', sort map { $_->{action} } @rules), 'artifact.created artifact.data_rules',
	'the rules of a publish that nobody approves, too; what stays as it is, is not';
as($cat, PUT => "/v1/artifacts/$quietly/proxy", { hosts => ['api.example.org'] }) for 1, 2;
is_deeply [map { [$_->{before}, $_->{after}] } @{as($ann, GET => "/v1/workspaces/$ws/audit?action=artifact.proxy")->{json}{audit}}],
	[[{ hosts => [] }, { hosts => ['api.example.org'] }]], 'and which hosts its pages can fetch from, when that changes';
as($ann, PATCH => $policy, { policy => 'open' });
my @audit = map { $_->[0] } @{$db->selectall_arrayref(
	"SELECT DISTINCT action FROM audit WHERE workspace_id = ? AND action LIKE '%appro%' ORDER BY action", undef, $ws)};
is "@audit", 'approval.approved approval.rejected approval.requested approval.withdrawn', 'what was done is written down';
finish($stack);
