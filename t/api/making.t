# SPDX-License-Identifier: Apache-2.0
# What people outside of a workspace make there by a grant: new artifacts in a folder, private for good unless the workspace opens them; new
# versions; and who may move something to where they see it.
use utf8;
use Digest::SHA;
use Vitrine::Pack;
use Vitrine::Visitor;
use Vitrine::Words qw(as refused said);

my ($stack, $api, $db) = stack();
my ($ann, $ben, $cat, $dan, $out, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben cat dan out eve);
my $ws = as($ann, POST => '/v1/workspaces', { name => 'Team' })->{json}{workspace}{id};
my $other = as($eve, POST => '/v1/workspaces', { name => 'Other' })->{json}{workspace}{id};
$db->do('UPDATE workspace SET features_on = 1');
$stack->seat($ws, $ben, 'admin');
$stack->seat($ws, $_, 'member') for $cat, $dan;
$db->do("UPDATE user SET name = 'Outa' WHERE id = ?", undef, $out->{id});

sub folder {
	my ($name, $in, $who) = @_;
	return as($who // $ann, POST => "/v1/workspaces/$ws/folders", { name => $name, parent_id => $in })->{json}{folder}{id};
}
my $n = 0;
# A grant as an admin gives it.
sub grant {
	my ($type, $thing, $can, $to, %is) = @_;
	my $id = sprintf 'grt_%026d', ++$n;
	$db->do('UPDATE user SET outside = TRUE WHERE id = ?', undef, $to->{id});
	$db->do('REPLACE INTO share_grant (id, workspace_id, subject_type, subject_id, resource_type, resource_id, capability, expires_at, '
		. 'created_by, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)',
		undef, $id, $is{ws} // $ws, $to->{id} =~ /^shr_/ ? 'sharee' : 'external_user', $to->{id}, $type, $thing, $can, $is{until},
		$ann->{id});
	return $id;
}
sub revoke { $db->do('DELETE FROM share_grant WHERE id = ?', undef, $_[0]) }
sub client {
	my ($name, @people) = @_;
	my $id = sprintf 'shr_%026d', ++$n;
	$db->do('INSERT INTO sharee (id, workspace_id, name, name_key, created_at) VALUES (?, ?, ?, LOWER(?), 0)',
		undef, $id, $ws, $name, $name);
	for my $who (@people) {
		$db->do('INSERT INTO sharee_member (sharee_id, user_id, workspace_id, created_at) VALUES (?, ?, ?, 0)',
			undef, $id, $who->{id}, $ws);
		$db->do('UPDATE user SET outside = TRUE WHERE id = ?', undef, $who->{id});
	}
	return { id => $id };
}
my @page = ({ path => 'index.html', content => '<h1>hello</h1>' });
sub publish { my ($who, %in) = @_; return as($who, POST => '/v1/publish', { files => \@page, %in }) }
sub row { return $db->selectrow_hashref('SELECT * FROM artifact WHERE id = ?', undef, $_[0]) }
sub grants_of { return $db->selectall_arrayref('SELECT * FROM share_grant WHERE resource_id = ? ORDER BY id', { Slice => {} }, $_[0]) }
sub acts {
	return join ' ', map { "@$_" } @{$db->selectall_arrayref(
		'SELECT action, resource_type, resource_name FROM sharee_act WHERE user_id = ? ORDER BY id', undef, $_[0]{id})};
}
sub count { return $db->selectrow_array("SELECT COUNT(*) FROM $_[0]") }

# ---- create: a new artifact in a folder

my $inbox = folder('Inbox');
my $deep = folder('Deep', $inbox);
my $elsewhere = folder('Inboxes');
my $create = grant(folder => $inbox, create => $out);
$db->do("UPDATE workspace SET default_visibility = 'public' WHERE id = ?", undef, $ws);
$db->do("UPDATE folder SET default_visibility = 'public' WHERE id = ?", undef, $inbox);
my $r = publish($out, name => 'Brief', folder_id => $inbox, visibility => 'public');
is $r->{status}, 201, 'somebody outside publishes in a folder that lets them' or diag $r->{body};
my $brief = $r->{json}{artifact};
is_deeply $brief, { id => $brief->{id}, workspace_id => $ws, visibility => 'private' }, 'private, whatever they say and the folder says';
is_deeply [@{$r->{json}}{qw(approval_required held_for)}, exists $r->{json}{shared_with}], [$false, undef, ''],
	'... and nothing waits for anybody';
is_deeply { map { $_ => row($brief->{id})->{$_} } qw(owner_id folder_id visibility by_agent) },
	{ owner_id => $ann->{id}, folder_id => $inbox, visibility => 'private', by_agent => 0 },
	'it is the owner\'s of the workspace, in that folder';
is $db->selectrow_array('SELECT created_by FROM version WHERE artifact_id = ?', undef, $brief->{id}), $out->{id},
	'the version is its author\'s';
is_deeply [map {
	+{ map { my $v = $_; $v } map { $_ } %$_{qw(subject_type subject_id resource_type capability expires_at workspace_id created_by)} };
} @{grants_of($brief->{id})}],
	[{ subject_type => 'external_user', subject_id => $out->{id}, resource_type => 'artifact', capability => 'edit',
		expires_at => undef, workspace_id => $ws, created_by => $out->{id} }],
	'who may edit it from then on';
is acts($out), 'create artifact Brief', 'the workspace can see that they made it';
is $db->selectrow_array("SELECT COUNT(*) FROM audit WHERE workspace_id = ? AND action = 'artifact.created' AND target_id = ?",
	undef, $ws, $brief->{id}), 1, '... and in its audit';
is $db->selectrow_array('SELECT bytes > 0 FROM storage WHERE user_id = ?', undef, $ann->{id}), 1, 'it counts for its owner';
is $db->selectrow_array('SELECT COUNT(*) FROM storage WHERE user_id = ? AND bytes > 0', undef, $out->{id}), 0, '... and not for its author';
is as($ann, GET => "/v1/artifacts/$brief->{id}")->{json}{artifact}{role}, 'owner', 'its owner has it';

is publish($out, name => 'Deeper', folder_id => $deep, workspace_id => $ws)->{status}, 201, 'in a folder below; the workspace may be named';
is publish($out, name => 'Named', folder_id => $deep, slug => 'outa-named')->{json}{deployment}{slug}, 'outa-named',
	'under a slug of their choice';
refused(publish($out, name => 'X', folder_id => $elsewhere), '404 NOT_FOUND', 'not in another folder', qr/^folder_id: /);
refused(publish($out, name => 'X', folder_id => 'fld_' . '0' x 26), '404 NOT_FOUND', '... which looks like none',
	qr/^folder_id: there is no such folder/);
refused(publish($out, name => 'X', folder_id => $elsewhere, workspace_id => $ws), '404 NOT_FOUND', '... with its workspace',
	qr/^workspace_id: /);
refused(publish($out, name => 'X', workspace_id => $ws), '404 NOT_FOUND', 'not in the workspace alone');
refused(publish($out, name => 'X', folder_id => $inbox, workspace_id => $other), '404 NOT_FOUND',
	'not as if it were another workspace\'s folder');
refused(publish($cat, name => 'X', folder_id => $inbox), '400 INVALID_REQUEST', 'a member names the workspace, too',
	qr/workspace_id is required/);
is publish($out, name => 'Own')->{json}{artifact}{workspace_id}, undef, 'what is theirs alone is as ever';

for my $can (qw(view comment edit)) {
	my $id = grant(folder => $elsewhere, $can => $out);
	refused(publish($out, name => 'X', folder_id => $elsewhere), '403 ACCESS_DENIED', "a folder for $can takes nothing new",
		qr/not publish in it/);
	revoke($id);
}
# By a client, of which everybody has what it has.
my $acme = client('Acme', $eve);
my $by_client = grant(folder => $elsewhere, create => $acme);
is publish($eve, name => 'Of Acme', folder_id => $elsewhere)->{status}, 201, 'a client\'s person publishes by what the client was given';
revoke($by_client);
refused(publish($eve, name => 'X', folder_id => $elsewhere), '404 NOT_FOUND', '... until that is taken back');

# What gives nothing.
grant(folder => $elsewhere, create => $out, until => time - 1);
refused(publish($out, name => 'X', folder_id => $elsewhere), '404 NOT_FOUND', 'a grant whose time is over');
my $soon = time + 3600;
grant(folder => $elsewhere, create => $out, until => $soon);
my $short = publish($out, name => 'Short', folder_id => $elsewhere)->{json}{artifact}{id};
is grants_of($short)->[0]{expires_at}, $soon, 'what is made by a grant with an end is theirs to edit until then';
$db->do('UPDATE workspace SET features_on = 0 WHERE id = ?', undef, $ws);
refused(publish($out, name => 'X', folder_id => $inbox), '404 NOT_FOUND', 'a plan without sharing');
$db->do('UPDATE workspace SET features_on = 1, deleted_at = 1 WHERE id = ?', undef, $ws);
refused(publish($out, name => 'X', folder_id => $inbox), '404 NOT_FOUND', 'a workspace in the trash');
$db->do('UPDATE workspace SET deleted_at = NULL WHERE id = ?', undef, $ws);
grant(folder => $inbox, create => $cat);
is row(publish($cat, name => 'Cat\'s', folder_id => $inbox, workspace_id => $ws,
	visibility => 'private')->{json}{artifact}{id})->{owner_id}, $cat->{id}, 'who is a member publishes as one';
refused(publish($cat, name => 'X', folder_id => $inbox), '404 NOT_FOUND', '... by a grant never');

# The slugs of the owner are not theirs to take.
my $gone = publish($ann, name => 'Gone', slug => 'ann-former')->{json}{artifact}{id};
as($ann, PATCH => "/v1/artifacts/$gone", { slug => 'ann-present' });
refused(publish($out, name => 'X', folder_id => $inbox, slug => 'ann-former'), '409 SLUG_TAKEN',
	'a slug that is kept for the owner of the workspace');
refused(publish($out, name => 'X', folder_id => $inbox, slug => 'ann-present'), '409 SLUG_TAKEN', '... or is theirs now');

# The owner's room, of which no figures are told.
$db->do('UPDATE storage SET limit_bytes = bytes + 10 WHERE user_id = ?', undef, $ann->{id});
for my $size (100, 2 << 20) {
	my ($artifacts, $grants, $acts) = (count('artifact'), count('share_grant'), count('sharee_act'));
	$r = refused(publish($out, name => 'Big', folder_id => $inbox, files => [{ path => 'index.html', content => 'x' x $size }]),
		'413 STORAGE_FULL', "$size bytes that the owner has no room for", qr/^The owner's storage/);
	is_deeply [sort keys %{$r->{json}{details}}], ['needed_bytes'], '... which tells nothing of theirs';
	is_deeply [count('artifact'), count('share_grant'), count('sharee_act')], [$artifacts, $grants, $acts], '... and leaves nothing';
}
$db->do('UPDATE storage SET limit_bytes = NULL WHERE user_id = ?', undef, $ann->{id});

# ---- edit: new versions

$db->do('DELETE FROM share_grant');
$db->do('DELETE FROM sharee_act');
$db->do('UPDATE workspace SET default_visibility = NULL');
$db->do('UPDATE folder SET default_visibility = NULL');
my $site = publish($ann, name => 'Report', slug => 'report', workspace_id => $ws, folder_id => $inbox,
	files => [{ path => 'index.html', content => 'one' }, { path => 'old.txt', content => 'known once' }],
	access_policy => { default => 'editor' })->{json}{artifact}{id};
my $second = publish($ann, artifact_id => $site,
	files => [{ path => 'index.html', content => 'two' }, { path => 'live.txt', content => 'known now' }])->{json}{version}{version_no};
sub version {
	return $db->selectrow_hashref('SELECT * FROM version WHERE artifact_id = ? ORDER BY version_no DESC LIMIT 1', undef, $_[0] // $site)
}
sub edit { my ($who, %in) = @_; return publish($who, artifact_id => $site, %in) }
sub nothing {
	my ($name, $r, @want) = @_;
	my $before = version()->{version_no};
	refused($r->(), @want[0, 1], $want[2]);
	is version()->{version_no}, $before, "$name makes no version";
}
refused(edit($out), '404 NOT_FOUND', 'without a grant there is no such artifact', qr/^artifact_id: /);
refused(publish($out, name => 'X', slug => 'report'), '409 SLUG_TAKEN', '... and its slug is taken');
for my $can (qw(view comment)) {
	my $id = grant(artifact => $site, $can => $out);
	refused(edit($out), '403 ACCESS_DENIED', "who may $can publishes no version");
	refused(publish($out, name => 'X', slug => 'report'), '403 ACCESS_DENIED', '... by the slug neither');
	revoke($id);
}
my $edits = grant(artifact => $site, edit => $out);
$r = edit($out, files => [{ path => 'index.html', content => 'by out' }]);
is $r->{status}, 201, 'who may edit publishes a version' or diag $r->{body};
is_deeply [@{$r->{json}{version}}{qw(version_no is_draft)}, $r->{json}{artifact}{visibility}], [$second + 1, $false, 'private'],
	'... which is live';
is_deeply { map { $_ => version()->{$_} } qw(created_by version_no) }, { created_by => $out->{id}, version_no => $second + 1 },
	'... and theirs';
is_deeply { map { $_ => row($site)->{$_} } qw(owner_id name slug folder_id live_no) }, { owner_id => $ann->{id}, name => 'Report',
	slug => 'report', folder_id => $inbox, live_no => $second + 1 }, '... the artifact stays its owner\'s';
is acts($out), 'edit artifact Report', 'the workspace can see it';
is publish($out, slug => 'report', name => 'Report')->{json}{artifact}{id}, $site, 'by its slug, with the name it has';
is acts($out), 'edit artifact Report', '... which is told once in ten minutes';
is edit($out, expected_version => row($site)->{live_no}, access_policy => { default => 'editor' }, folder_id => $inbox,
	workspace_id => $ws)->{status}, 201, 'saying what is so already';
refused(edit($out, expected_version => 1), '409 VERSION_CONFLICT', 'from an older version');
ok edit($out, draft => $true)->{json}{version}{is_draft}, 'as a draft';
for (['access_policy', access_policy => { default => 'everyone' }], ['access_policy', access_policy => undef],
	['agent', agent => { enabled => $true }], ['visibility', visibility => 'public']) {
	my ($field, @in) = @$_;
	my $before = version()->{version_no};
	refused(edit($out, @in), '403 ACCESS_DENIED', "$field can't be changed so", qr/^$field: /);
	is version()->{version_no}, $before, '... and no version is made';
}
refused(edit($out, slug => 'other-slug'), '400 INVALID_REQUEST', 'nor can the slug');
refused(edit($out, folder_id => $deep), '409 CONFLICT', 'nor its folder');

# As an archive, and by digests of what they may see.
my ($form, $type) = Vitrine::Pack::form(['manifest', encode_json({ artifact_id => $site })],
	['archive', Vitrine::Pack::zip(['index.html', 'zipped']), 'x.zip']);
is as($out, POST => '/v1/publish', body => $form, type => $type)->{status}, 201, 'an archive';
sub digest { return { path => $_[0], sha256 => Digest::SHA::sha256_hex($_[1]) } }
publish($ann, artifact_id => $site,
	files => [{ path => 'index.html', content => 'three' }, { path => 'live.txt', content => 'known now' }]);
is edit($out, files => [{ path => 'index.html', content => 'four' }, digest('live.txt', 'known now')])->{status}, 201,
	'a file of the live version by its digest';
$r = refused(edit($out, files => [{ path => 'index.html', content => 'five' }, digest('old.txt', 'known once')]), '409 MISSING_BLOBS',
	'one of a former version, which they don\'t see, by its digest');
is edit($dan, files => [{ path => 'index.html', content => 'five' }, digest('old.txt', 'known once')])->{status}, 403,
	'a member of the workspace is no editor by that';

# Approval.
$db->do("UPDATE workspace SET publish_policy = 'require_approval' WHERE id = ?", undef, $ws);
is edit($out)->{json}{version}{is_draft}, $false, 'where approval is required, a version of what is private is live';
$db->do("UPDATE artifact SET visibility = 'unlisted' WHERE id = ?", undef, $site);
my $live = row($site)->{live_no};
$r = edit($out, files => [{ path => 'index.html', content => 'later' }]);
is_deeply [$r->{json}{version}{is_draft}, $r->{json}{approval_required}, $r->{json}{held_for}, row($site)->{live_no}],
	[$true, $true, 'approval', $live], '... of what is open a draft';
$db->do("UPDATE workspace w SET publish_policy = DEFAULT(publish_policy) WHERE id = ?", undef, $ws);
$db->do("UPDATE artifact SET visibility = 'private' WHERE id = ?", undef, $site);

# What else an editor or an owner may do they may not.
my $no = version()->{version_no};
is_deeply [map { $_->{version_no} } @{as($out, GET => "/v1/artifacts/$site/versions")->{json}{versions}}], [row($site)->{live_no}],
	'they see the live version and no other';
for (['PATCH', "/v1/artifacts/$site", { visibility => 'public' }], ['PATCH', "/v1/artifacts/$site", { name => 'X' }],
	['PATCH', "/v1/artifacts/$site", { slug => 'x-y-z' }], ['PATCH', "/v1/artifacts/$site", { workspace_id => undef }],
	['DELETE', "/v1/artifacts/$site"], ['POST', "/v1/artifacts/$site/versions/$no/restore"],
	['POST', "/v1/artifacts/$site/restore", {}], ['GET', "/v1/artifacts/$site/collaborators"],
	['POST', "/v1/artifacts/$site/collaborators", { role => 'viewer', emails => ['eve@example.org'] }],
	['POST', "/v1/workspaces/$ws/artifacts/$site/move", { folder_id => undef }],
	['POST', "/v1/artifacts/$site/publish-approval", { visibility => 'public' }],
	['POST', "/v1/workspaces/$ws/admin/artifacts/$site/visibility", { visibility => 'public' }], ['POST',
		"/v1/workspaces/$ws/admin/artifacts/$site/transfer", { new_owner_id => $out->{id} }], ['GET', "/v1/artifacts/$site/jobs"]) {
	my ($method, $path, $json) = @$_;
	like said(as($out, $method => $path, $json)), qr/^40[34] (?:ACCESS_DENIED|NOT_FOUND)$/,
		"$method " . ($path =~ s/\w{3}_\w{26}/…/gr) . ' is not theirs';
}
is_deeply { map { $_ => row($site)->{$_} } qw(owner_id name slug visibility folder_id deleted_at) }, { owner_id => $ann->{id},
	name => 'Report', slug => 'report', visibility => 'private', folder_id => $inbox, deleted_at => undef }, '... and changed nothing';

# Pauses, the trash, the plan, and the end.
$db->do("UPDATE artifact SET paused_at = 1, pauser = 'admin' WHERE id = ?", undef, $site);
refused(edit($out), '403 ARTIFACT_PAUSED', 'a pause holds for them, too');
$db->do('UPDATE artifact SET paused_at = NULL, pauser = NULL WHERE id = ?', undef, $site);
$db->do('UPDATE workspace SET features_on = 0 WHERE id = ?', undef, $ws);
refused(edit($out), '404 NOT_FOUND', 'without the plan there is nothing');
$db->do('UPDATE workspace SET features_on = 1 WHERE id = ?', undef, $ws);
$db->do('UPDATE share_grant SET expires_at = 1');
refused(edit($out), '404 NOT_FOUND', '... nor when its time is over');
$db->do('UPDATE share_grant SET expires_at = NULL');
as($ann, DELETE => "/v1/artifacts/$site");
refused(edit($out), '404 NOT_FOUND', '... nor in the trash');
as($ann, POST => "/v1/artifacts/$site/restore", {});
is edit($out)->{status}, 201, '... from where it comes back';
revoke($edits);
refused(edit($out), '404 NOT_FOUND', '... nor once it is taken back');
# By the folder, as it stands.
my $of_folder = grant(folder => $inbox, edit => $acme);
is edit($eve)->{status}, 201, 'a grant of its folder has it, too';
as($ann, POST => "/v1/workspaces/$ws/artifacts/$site/move", { folder_id => $elsewhere });
refused(edit($eve), '404 NOT_FOUND', '... until it is moved away');
as($ann, PATCH => "/v1/workspaces/$ws/folders/$elsewhere", { parent_id => $deep });
is edit($eve)->{status}, 201, '... and again when its folder comes below';
is as($ann, DELETE => "/v1/workspaces/$ws/folders/$elsewhere?recursive=1")->{status}, 200, 'a folder below is deleted';
is edit($eve)->{status}, 201, '... what was in it moved up, which they see';
as($ann, PATCH => "/v1/artifacts/$site", { workspace_id => undef });
refused(edit($eve), '404 NOT_FOUND', 'what has left its workspace they don\'t see any more');
grant(artifact => $site, edit => $eve);
refused(edit($eve), '404 NOT_FOUND', '... whatever grant is left of it');
$elsewhere = folder('Inboxes');

# What they made themselves is theirs to edit, and no more.
grant(folder => $inbox, create => $out);
my $made = publish($out, name => 'Made', slug => 'outa-made', folder_id => $inbox)->{json}{artifact}{id};
is publish($out, name => 'Made', slug => 'outa-made', folder_id => $inbox)->{json}{artifact}{id}, $made,
	'publishing it again under its slug is a new version';
is publish($out, artifact_id => $made)->{json}{version}{version_no}, 3, '... by its id as well';
refused(publish($out, artifact_id => $made, visibility => 'public'), '403 ACCESS_DENIED', 'it stays private', qr/^visibility: /);
for (['PATCH', "/v1/artifacts/$made", { visibility => 'unlisted' }], ['PATCH', "/v1/artifacts/$made", { workspace_id => undef }],
	['POST', "/v1/artifacts/$made/publish-approval", { visibility => 'public' }],
	['POST', "/v1/workspaces/$ws/admin/artifacts/$made/visibility", { visibility => 'public' }],
	['POST', "/v1/workspaces/$ws/admin/artifacts/$made/transfer", { new_owner_id => $out->{id} }], ['DELETE', "/v1/artifacts/$made"]) {
	like said(as($out, @$_[0, 1], $_->[2])), qr/^40[34] (?:ACCESS_DENIED|NOT_FOUND)$/,
		"$_->[0] " . ($_->[1] =~ s/\w{3}_\w{26}/…/gr) . ' is not its author\'s';
}
is row($made)->{visibility}, 'private', '... really';
is as($ben, POST => "/v1/workspaces/$ws/admin/artifacts/$made/visibility", { visibility => 'unlisted' })->{status}, 200,
	'an admin may open it';
is as($ann, PATCH => "/v1/artifacts/$made", { visibility => 'public' })->{status}, 200, '... and its owner';
is publish($out, artifact_id => $made)->{json}{artifact}{visibility}, 'public', '... then its author goes on with what is open';

# ---- moving something to where they see it

$db->do('DELETE FROM share_grant');
$db->do("UPDATE workspace SET member_access = 'editor' WHERE id = ?", undef, $ws);
my ($plain, $client, $below) = (folder('Plain'), folder('Client'), undef);
$below = folder('Below', $client);
grant(folder => $client, view => $acme);
grant(folder => $below, comment => $out);
my $cats = publish($cat, name => 'Cat', workspace_id => $ws, folder_id => $plain)->{json}{artifact}{id};
sub move { my ($who, $art, $folder) = @_; return as($who, POST => "/v1/workspaces/$ws/artifacts/$art/move", { folder_id => $folder }) }
refused(move($dan, $cats, $client), '403 ACCESS_DENIED', 'a member moves no colleague\'s artifact to where a client sees it',
	qr/^folder_id: people outside the workspace can open what is in that folder \(Acme\), so only the artifact's owner and the workspace's admins can move it there$/);
refused(move($dan, $cats, $below), '403 ACCESS_DENIED', '... nor to a folder below', qr/\(Acme, Outa\)|\(Acme and Outa\)/);
is row($cats)->{folder_id}, $plain, '... and it stays where it was';
ok !exists move($dan, $cats, undef)->{json}{artifact}{shared_with}, 'anywhere else an editor may, and there is nobody to tell of';
my $acme_views = { subject_type => 'sharee', subject_id => $acme->{id}, name => 'Acme', capability => 'view' };
my $out_comments = { subject_type => 'external_user', subject_id => $out->{id}, name => 'Outa', capability => 'comment' };
is_deeply move($cat, $cats, $client)->{json}{artifact}{shared_with}, [$acme_views], 'its owner may; the reply says who sees it';
is_deeply move($ben, $cats, $below)->{json}{artifact}{shared_with}, [$acme_views, $out_comments], 'an admin may, and hears of each';
ok !exists as($ben, GET => "/v1/artifacts/$cats")->{json}{artifact}{shared_with}, 'otherwise an artifact doesn\'t have that';
is move($dan, $cats, $client)->{status}, 200, 'to where no more people see it an editor may';
refused(move($dan, $cats, $below), '403 ACCESS_DENIED', '... not back');
is move($dan, $cats, undef)->{status}, 200, 'and out of there';

sub change { my ($who, $folder, %to) = @_; return as($who, PATCH => "/v1/workspaces/$ws/folders/$folder", \%to) }
refused(change($dan, $plain, parent_id => $client), '403 ACCESS_DENIED', 'a member moves no folder to where a client sees it',
	qr/^parent_id: .* \(Acme\), so only the workspace's admins/);
refused(change($cat, $plain, parent_id => $below), '403 ACCESS_DENIED', '... not even what is all theirs');
ok !exists change($cat, $plain, name => 'Plane')->{json}{folder}{shared_with}, 'another name shows it to nobody';
is_deeply change($ben, $plain, parent_id => $client)->{json}{folder}{shared_with}, [$acme_views],
	'an admin moves it, and hears who sees it';
is said($r = change($dan, $plain, parent_id => undef)) . exists $r->{json}{folder}{shared_with}, '200 ', 'a member takes it out of there';
is_deeply [map { $_->{capability} } @{change($dan, $below, parent_id => undef)->{json}{folder}{shared_with}}], ['comment'],
	'a folder takes its own grants along';
change($ben, $below, parent_id => $client);

# A new one goes where its owner says.
is_deeply publish($cat, name => 'New', workspace_id => $ws, folder_id => $below)->{json}{shared_with}, [$acme_views, $out_comments],
	'a member publishes into such a folder, and hears who sees it';
ok !exists publish($cat, name => 'New', workspace_id => $ws, folder_id => $plain)->{json}{shared_with}, '... elsewhere nobody does';

# Files of the library, as far as the workspace sees them.
sub file {
	my ($who, %in) = @_;
	my $at = "/v1/workspaces/$ws/assets";
	my $u = as($who, POST => "$at/upload", { filename => 'plan.txt' })->{json};
	as(undef, PUT => $u->{uploadUrl} =~ s{^https://[^/]+}{}r, body => 'plan', type => 'text/plain');
	return as($who, POST => "$at/deliverables", { blobId => $u->{tokenId}, %in });
}
sub refile { my ($who, $dlv, %to) = @_; return as($who, PATCH => "/v1/workspaces/$ws/assets/deliverables/$dlv", \%to) }
my $file = file($cat, visibility => 'workspace')->{json}{deliverable};
ok !exists $file->{shared_with}, 'a new file that nobody else sees';
refused(refile($dan, $file->{id}, folderId => $client), '403 ACCESS_DENIED', 'a member moves no colleague\'s file there',
	qr/^folderId: .* only the file's owner and the workspace's admins/);
is_deeply refile($cat, $file->{id}, folderId => $client)->{json}{deliverable}{shared_with}, [$acme_views], 'its owner does';
ok !exists refile($cat, $file->{id}, visibility => 'private')->{json}{deliverable}{shared_with}, 'what is private nobody sees';
is_deeply refile($cat, $file->{id}, visibility => 'workspace')->{json}{deliverable}{shared_with}, [$acme_views], 'what is not, they do';
ok !exists refile($cat, $file->{id}, name => 'other.txt')->{json}{deliverable}{shared_with}, 'another name says nothing of it';
refile($ben, $file->{id}, folderId => undef);
is refile($ben, $file->{id}, folderId => $client)->{status}, 200, 'an admin moves it, too';
is_deeply file($cat, visibility => 'workspace', folderId => $client)->{json}{deliverable}{shared_with}, [$acme_views],
	'a new one in such a folder says so';

# ---- a version of a file

sub put {
	my ($who, $dlv, $bytes, $query) = @_;
	return as($who, PUT => "/v1/files/$dlv/content" . ($query // ''), body => $bytes, type => 'application/octet-stream');
}
sub used {
	return $db->selectrow_array('SELECT CONCAT(files, " ", bytes) FROM asset_bucket b JOIN deliverable d ON d.bucket_id = b.id '
		. 'WHERE d.id = ?', undef, $_[0]);
}
my $doc = file($cat, visibility => 'workspace')->{json}{deliverable}{id};
my ($files, $bytes) = split / /, used($doc);
refused(put($out, $doc, 'new'), '404 NOT_FOUND', 'somebody outside adds no version to a file');
for my $can (qw(view comment)) {
	my $id = grant(file => $doc, $can => $out);
	refused(put($out, $doc, 'new'), '403 ACCESS_DENIED', "... nor with a grant to $can", qr/not to add versions/);
	revoke($id);
}
my $may = grant(file => $doc, edit => $out);
$r = put($out, $doc, 'new bytes');
is $r->{status}, 201, 'with a grant to edit it they do' or diag $r->{body};
is_deeply $r->{json}, { success => $true, id => $doc, version => 2, filename => 'plan.txt', mimeType => 'text/plain', size => 9,
	sha256 => $r->{json}{sha256}, url => $r->{json}{url} }, '... and hear no more of it than that';
is as($ann, GET => "/v1/files/$doc/content")->{body}, 'new bytes', 'members have it';
is_deeply [map { "$_->{version} $_->{createdBy}{id}" } @{as($ann,
		GET => "/v1/workspaces/$ws/assets/deliverables/$doc/versions")->{json}{versions}}], ["2 $out->{id}", "1 $cat->{id}"],
	'and see whose version it is';
is used($doc), ($files + 1) . ' ' . ($bytes + 9), 'it counts in the library';
like acts($out), qr/edit file plan\.txt$/, 'and is among what they did';
is put($out, $doc, '<b>x</b>', '?filename=plan.html')->{json}{mimeType}, 'text/html', 'under another name';
refused(put($out, $doc, 'x', '?filename=a%2Fb'), '400 INVALID_REQUEST', '... that a file can have', qr/^filename: /);
$db->do('UPDATE asset_bucket SET files = ?', undef, 200000);
refused(put($out, $doc, 'x'), '413 STORAGE_FULL', 'as far as the library has room');
$db->do('UPDATE asset_bucket b SET files = (SELECT COUNT(*) FROM asset_blob a WHERE a.bucket_id = b.id)');
is as($cat, PATCH => "/v1/workspaces/$ws/assets/deliverables/$doc", { visibility => 'private' })->{status}, 200, 'its owner takes it back';
refused(put($out, $doc, 'x'), '404 NOT_FOUND', '... from them, too');
as($cat, PATCH => "/v1/workspaces/$ws/assets/deliverables/$doc", { visibility => 'workspace' });
revoke($may);
refused(put($out, $doc, 'x'), '404 NOT_FOUND', 'and without the grant there is nothing');
my $through = grant(folder => $client, edit => $out);
refile($cat, $doc, folderId => $below);
is put($out, $doc, 'x')->{status}, 201, 'a grant of a folder above has it, too';
refile($cat, $doc, folderId => undef);
refused(put($out, $doc, 'x'), '404 NOT_FOUND', '... until it is moved away');
revoke($through);
is put($dan, $doc, 'by a member')->{json}{filename}, 'plan.txt', 'a member adds one so, too';
is put($cat, $doc, 'by its owner')->{json}{version}, 6, '... and its owner';
refused(put($eve, $doc, 'x'), '404 NOT_FOUND', 'nobody else does');
refused(put($eve, 'dlv_' . '0' x 26, 'x'), '404 NOT_FOUND', '... to one that isn\'t there');
my $mine = as($out, POST => '/v1/assets/upload', { filename => 'own.txt' })->{json};
as(undef, PUT => $mine->{uploadUrl} =~ s{^https://[^/]+}{}r, body => 'own', type => 'text/plain');
my $own = as($out, POST => '/v1/assets/deliverables', { blobId => $mine->{tokenId} })->{json}{deliverable}{id};
is put($out, $own, 'mine')->{json}{version}, 2, 'one of one\'s own library gets one as well';

# ---- the pages that move something say it before

my %browser;
sub page {
	my ($who, $path) = @_;
	my $v = $browser{$who->{id}} //= do {
		my $secret = Vitrine::Stack::secret('ses_');
		$db->do("INSERT INTO session VALUES (?, UNHEX(SHA2(?, 256)), ?, 'password', UNIX_TIMESTAMP(), 0, 4000000000, '', '')",
			undef, sprintf('ses_%026d', ++$n), $secret, $who->{id});
		my $v = Vitrine::Visitor->new($api);
		$v->{jar}{'vitrine.localhost'}{vitrine_access} = [$secret, '/'];
		$v;
	};
	return $v->go($path)->{text} =~ s/<[^>]*\bdisabled\b[^>]*>/[barred] /gr =~ s/<[^>]+>/ /gr =~ s/\s+/ /gr;
}
my $moved = publish($cat, name => 'Moved', workspace_id => $ws, folder_id => $plain)->{json}{artifact}{id};
my $warning = qr/People outside the workspace can open what’s in a folder that is shared with them\./;
my $text = page($cat, "/w/$ws/artifacts/$moved/move");
like $text, qr{ /Client · shared with Acme .*/Client/Below · shared with Acme and Outa .* /Plane }, 'its owner sees who sees it where';
like $text, $warning, '... and what that means';
unlike $text, qr/\[barred\]|Only its owner/, '... and may choose any';
$text = page($dan, "/w/$ws/artifacts/$moved/move");
like $text, qr{\[barred\] /Client · shared with Acme .*\[barred\] /Client/Below}, 'an editor can\'t choose these';
like $text, qr/$warning Only its owner and admins can move it there\./, '... and reads who could';
like page($dan, "/w/$ws/folders/$plain/move"), qr{\[barred\] /Client · shared with Acme .* Only admins can move it there\.},
	'so it is with a folder';
unlike page($ben, "/w/$ws/folders/$plain/move"), qr/\[barred\]/, '... which an admin moves anywhere';
like page($dan, "/w/$ws/artifacts/move?art=$moved"), qr{\[barred\] /Client · .* Only their owner and admins can move it there\.},
	'and with several';
like page($dan, "/w/$ws/library/move?file=$file->{id}&from=$client"), qr{ /Client · shared with Acme .*\[barred\] /Client/Below},
	'and with files, which may go where no more see them';
like page($cat, "/w/$ws/folders/$below"), qr/Shared with Acme and Outa, outside the workspace: they can open what’s in it\./,
	'the page of a folder says it above the form that publishes there';
unlike page($cat, "/w/$ws/folders/$plain"), qr/Shared with/, '... and of others nothing';
like page($cat, "/w/$ws/folders/$below/delete"), qr/ It is shared with Acme and Outa outside the workspace; that ends, too\./,
	'whoever deletes a folder hears what ends with it';
unlike page($cat, "/w/$ws/folders/$plain/delete"), qr/It is shared/, '... if anything does';
# Where there are too many to choose from, a level is shown.
$db->do("INSERT INTO folder (id, workspace_id, name, name_key, created_at, updated_at) "
	. "SELECT CONCAT('fld_', LPAD(seq, 26, '0')), ?, CONCAT('n', seq), CONCAT('n', seq), 0, 0 FROM seq_1_to_200", undef, $ws);
like page($cat, "/w/$ws/artifacts/$moved/move?in=$client"), qr/Shared with Acme, who can open what’s in it\. .*Move to Client/,
	'a level says who sees it';
$text = page($dan, "/w/$ws/artifacts/$moved/move?in=$client");
like $text, qr/Only its owner and admins can move it here, since it’s shared with Acme\./, '... and who can\'t move it there';
unlike $text, qr/Move to Client/, '... has no button';
finish($stack);
