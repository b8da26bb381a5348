# SPDX-License-Identifier: Apache-2.0
# What people outside of a workspace reach by grants (core/reach.h): with each capability, on each kind of address; by a folder, as it stands; and not a
# request longer than it is so. The routes that make grants are tested elsewhere; here they are rows.
use Vitrine::Counted;
use Vitrine::Visitor;
use Vitrine::Words qw(as said refused);

my ($stack, $api, $db) = stack(workers => 2);
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben cleo dan eve);
$db->do('UPDATE user SET outside = 1 WHERE email IN (?, ?, ?)', undef, map { "$_\@example.org" } qw(ben cleo dan));
my $n = 0;
sub id { return sprintf '%s_%026d', $_[0], ++$n }

# ---- what there is: two workspaces, with a client each

sub team {
	my ($slug, $owner) = @_;
	my $ws = as($owner, POST => '/v1/workspaces', { name => $slug, slug => $slug })->{json}{workspace}{id};
	$db->do('UPDATE workspace SET features_on = 1 WHERE id = ?', undef, $ws);
	return $ws;
}
my ($ws, $other) = (team(team => 'ann'), team(other => 'eve'));
$stack->seat($ws, $user{ben}, 'member');
sub sharee { my ($in, @people) = @_; my $id = id('shr');
	$db->do("INSERT INTO sharee (id, workspace_id, name, name_key, created_at) VALUES (?, ?, ?, ?, 0)", undef, $id, $in, $id, $id);
	$db->do('INSERT INTO sharee_member (sharee_id, user_id, workspace_id, created_at) VALUES (?, ?, ?, 0)', undef, $id, $user{$_}{id}, $in) for @people;
	return $id }
my ($acme, $rival) = (sharee($ws, 'cleo'), sharee($ws));
sub grant { my ($subject, $thing, $capability, %is) = @_; my $id = id('grt');
	$db->do('INSERT INTO share_grant (id, workspace_id, subject_type, subject_id, resource_type, resource_id, capability, expires_at, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)', undef, $id, $is{ws} // $ws,
		$subject =~ /^shr_/ ? 'sharee' : 'external_user', $subject, { fld => 'folder', art => 'artifact', dlv => 'file' }->{substr $thing, 0, 3}, $thing, $capability, $is{expires_at});
	return $id }
sub revoke { return $db->do('DELETE FROM share_grant WHERE id = ?', undef, $_) for @_ }
sub folder { my ($name, $parent, $in) = @_; my $r = as($in ? 'eve' : 'ann', POST => '/v1/workspaces/' . ($in // $ws) . '/folders', { name => $name, $parent ? (parent_id => $parent) : () }); return $r->{json}{folder}{id} // die $r->{body} }
my $slugs = 0;
sub art { my (%is) = @_; return $api->publish($user{ann}, name => 'Page', slug => 'page-' . ++$slugs, visibility => 'private', workspace_id => $ws, %is) }
sub status { my ($who, $art, $rest) = @_; return as($who, GET => "/v1/artifacts/$art" . ($rest // ''))->{status} }

# ---- one artifact, with each capability

my $art = art(files => { 'index.html' => 'first' });
as(ann => PUT => "/v1/data/$art/json", { a => 1 });
as(ann => PUT => "/v1/data/$art/tables/guests", { columns => [{ name => 'a', type => 'text' }] });
as(ann => POST => "/v1/data/$art/tables/guests/rows", { rows => [{ a => 'x' }] });
as(ann => POST => '/v1/publish', { name => 'Page', artifact_id => $art, draft => $true, files => [{ path => 'index.html', content => 'a draft' }] });

refused(as(dan => GET => "/v1/artifacts/$art"), '404 NOT_FOUND', 'to who has no grant it is not there');
my %least = ( # each request, and the capability that it takes; none: no grant gives it
	"GET /v1/artifacts/$art" => 'view', "GET /v1/artifacts/$art/versions" => 'view', "GET /v1/artifacts/$art/versions/1" => 'view', "GET /v1/artifacts/$art/versions/1/export" => 'view',
	"GET /v1/artifacts/$art/files" => 'view', "GET /v1/artifacts/$art/files/index.html" => 'view', "GET /v1/artifacts/$art/thumbnail" => 'view',
	"GET /v1/data/$art/json" => 'view', "GET /v1/data/$art/tables" => 'view', "GET /v1/data/$art/tables/guests" => 'view', "GET /v1/data/$art/tables/guests/rows" => 'view', "GET /v1/data/$art/tables/guests/export" => 'view',
	"GET /v1/data/$art/viewer" => 'view', "GET /v1/data/$art/blobs" => 'view',
	"GET /v1/artifacts/$art/comments" => 'comment', "POST /v1/artifacts/$art/comments" => 'comment',
	"PUT /v1/data/$art/json" => 'edit', "PATCH /v1/data/$art/json" => 'edit', "POST /v1/data/$art/tables/guests/rows" => 'edit',
	(map { $_ => 'none' } "PUT /v1/data/$art/tables/guests", "DELETE /v1/data/$art/tables/guests", "GET /v1/artifacts/$art/collaborators", "POST /v1/artifacts/$art/collaborators", "GET /v1/artifacts/$art/stats", "GET /v1/artifacts/$art/proxy",
		"PUT /v1/artifacts/$art/favorite", "GET /v1/artifacts/$art/exposure", "GET /v1/artifacts/$art/problems", "PATCH /v1/artifacts/$art", "DELETE /v1/artifacts/$art", "POST /v1/artifacts/$art/versions/1/restore",
		"PATCH /v1/artifacts/$art/versions/1", "POST /v1/artifacts/$art/transfer-ownership", "POST /v1/artifacts/$art/publish-approval", "GET /v1/proxy/$art", "GET /a/$art", "GET /a/$art/data", "GET /a/$art/settings"),
);
my %body = (comments => { text => 'Hello' }, rows => { rows => [{ a => 'y' }] }, json => { a => 2 }, guests => { columns => [{ name => 'b', type => 'text' }] }, collaborators => { emails => ['eve@example.org'], role => 'viewer' }, $art => { name => 'Theirs' },
	'1' => { is_open => $true }, 'transfer-ownership' => { email => 'eve@example.org' });
sub tried { my ($who, $what) = @_; my ($method, $path) = split / /, $what; my ($last) = $path =~ m{([^/]+)$}; return as($who, $method => $path, $method =~ /P/ ? ($body{$last} // {}) : ()) }
my %rank = (view => 1, comment => 2, edit => 3, none => 4);
for my $capability (qw(view comment edit)) {
	for my $subject ($user{dan}{id}, $acme) {
		my ($who, $id) = ($subject eq $acme ? 'cleo' : 'dan', grant($subject, $art, $capability));
		for my $what (sort keys %least) {
			my $r = tried($who, $what);
			my $want = $rank{$least{$what}} <= $rank{$capability} ? qr/^20[01]$/ : qr/^403$/;
			like $r->{status}, $want, "$who may $capability: $what" or diag $r->{body};
		}
		my $a = as($who, GET => "/v1/artifacts/$art")->{json}{artifact};
		is_deeply [@$a{qw(role capability version_no audience comment_mails)}], [undef, $capability, 1, undef, undef], '... it has no role, and a capability';
		revoke($id);
		is status($who, $art), 404, '... until it is taken back';
	}
}
is as(ann => GET => "/v1/artifacts/$art")->{json}{artifact}{capability}, undef, 'its owner has none';
my $looks = grant($user{dan}{id}, $art, 'view');
like as(dan => POST => "/v1/artifacts/$art/comments", { text => 'x' })->{json}{error}, qr/^This was shared with you to view; this request requires that it is shared with you to comment\. Ask whoever shared it$/, 'who may look hears what it takes to comment';
is as(dan => GET => "/v1/artifacts/$art/files/index.html")->{body}, 'first', 'the live version';
is status(dan => $art, "/$_"), 404, "a draft isn't theirs: $_" for 'versions/2', 'versions/2/export', 'files?version=2', 'files/index.html?version=2';
is_deeply [map { $_->{version_no} } @{as(dan => GET => "/v1/artifacts/$art/versions")->{json}{versions}}], [1], 'nor in the list';
is_deeply as(dan => GET => '/v1/artifacts')->{json}{artifacts}, [], 'nothing is listed';
is as(dan => GET => "/v1/artifacts?workspace_id=$ws")->{status}, 404, '... of a workspace, of which they know nothing';
is_deeply as(dan => GET => "/v1/data/$art/viewer")->{json}{viewer}, { id => $user{dan}{id}, email => 'dan@example.org', name => $user{dan}{name} // '', role => 'external' }, 'who they are to it';
revoke($looks);

# ---- rules of data

{
	my $data = art();
	as(ann => PUT => "/v1/data/$data/tables/t", { columns => [{ name => 'a', type => 'text' }] });
	my $policy = sub { $db->do('UPDATE artifact SET access_policy = ? WHERE id = ?', undef, encode_json($_[0]), $data) };
	my $reads = sub { as(dan => GET => "/v1/data/$data/tables/t/rows")->{status} };
	my $writes = sub { as(dan => POST => "/v1/data/$data/tables/t/rows", { rows => [{ a => 'x' }] })->{status} };
	for my $case ( # default or rules; what view reads and writes, and edit
		[{}, 200, 403, 200, 201], [{ default => 'everyone' }, 200, 403, 200, 201], [{ default => 'viewer' }, 404, 403, 200, 201], [{ default => 'editor' }, 404, 403, 200, 201], [{ default => 'owner' }, 404, 403, 404, 404],
		[{ tables => { t => { read => "viewer.role == 'external'", write => "viewer.role == 'external'" } } }, 200, 403, 200, 201],
		[{ tables => { t => { read => "viewer.role in ['owner', 'editor']", write => "viewer.role in ['owner', 'editor']" } } }, 404, 403, 404, 404],
	) {
		my ($rule, @want) = @$case;
		$policy->($rule);
		my @got;
		for my $capability (qw(view edit)) {
			my $id = grant($user{dan}{id}, $data, $capability);
			push @got, $reads->(), $writes->();
			revoke($id);
		}
		is "@got", "@want", 'view and edit under ' . encode_json($rule);
	}
}

# ---- folders: all that lies in them, as they stand

my @way = (my $top = folder('a'));
push @way, folder("Level $_", $way[-1]) for 2 .. 10;
my $beside = folder('ab');
my ($deep, $near) = (art(folder_id => $way[-1]), art(folder_id => $beside));
my $by_folder = grant($acme, $top, 'comment');
is status(cleo => $deep), 200, 'ten folders down';
is as(cleo => GET => "/v1/artifacts/$deep")->{json}{artifact}{capability}, 'comment', '... with what the folder gives';
is status(cleo => $near), 404, '"a" is not "ab"';
is status(dan => $deep), 404, 'who is not of the client has nothing';
my $more = grant($user{cleo}{id}, $way[4], 'edit');
is as(cleo => GET => "/v1/artifacts/$deep")->{json}{artifact}{capability}, 'edit', 'the most of what any grant on the way gives';
revoke($more);
as(ann => PUT => "/v1/workspaces/$ws/artifacts/$deep/folder", { folder_id => $beside })->{status} =~ /^20/ or $db->do('UPDATE artifact SET folder_id = ? WHERE id = ?', undef, $beside, $deep);
is status(cleo => $deep), 404, 'moved out of it';
$db->do('UPDATE artifact SET folder_id = ? WHERE id = ?', undef, $way[-1], $deep);
is status(cleo => $deep), 200, 'and in again';
$db->do('UPDATE folder SET parent_id = ? WHERE id = ?', undef, $beside, $way[5]);
is status(cleo => $deep), 404, 'a folder above it is moved';
$db->do('UPDATE folder SET parent_id = ? WHERE id = ?', undef, $way[4], $way[5]);
my $creates = grant($user{dan}{id}, $way[9], 'create');
is as(dan => GET => "/v1/artifacts/$deep")->{json}{artifact}{capability}, 'view', 'who may create sees what is there';
revoke($creates);

# ---- what ends it

sub opens { return status(cleo => $deep) }
is opens(), 200, 'it stands';
$db->do('UPDATE share_grant SET expires_at = UNIX_TIMESTAMP() + 3600 WHERE id = ?', undef, $by_folder);
is opens(), 200, 'a grant for an hour';
$db->do('UPDATE share_grant SET expires_at = UNIX_TIMESTAMP() - 1 WHERE id = ?', undef, $by_folder);
is opens(), 404, 'and after it';
$db->do('UPDATE share_grant SET expires_at = NULL WHERE id = ?', undef, $by_folder);
$db->do('UPDATE workspace SET features_on = 0 WHERE id = ?', undef, $ws);
is opens(), 404, 'the plan lapses';
$db->do('UPDATE workspace SET features_on = 1 WHERE id = ?', undef, $ws);
$db->do('UPDATE workspace SET deleted_at = 1 WHERE id = ?', undef, $ws);
is opens(), 404, 'the workspace is in the trash';
$db->do('UPDATE workspace SET deleted_at = NULL WHERE id = ?', undef, $ws);
$db->do('UPDATE artifact SET deleted_at = 1 WHERE id = ?', undef, $deep);
is opens(), 404, 'the artifact is in the trash';
$db->do('UPDATE artifact SET deleted_at = NULL, paused_at = 1 WHERE id = ?', undef, $deep);
refused(as(cleo => GET => "/v1/artifacts/$deep"), '403 ARTIFACT_PAUSED', 'it is paused');
$db->do('UPDATE artifact SET paused_at = NULL WHERE id = ?', undef, $deep);
$db->do('UPDATE artifact SET workspace_id = NULL, folder_id = NULL WHERE id = ?', undef, $deep);
is opens(), 404, 'it is of no workspace any more';
$db->do('UPDATE artifact SET workspace_id = ?, folder_id = ? WHERE id = ?', undef, $ws, $way[-1], $deep);
$db->do('DELETE FROM sharee_member WHERE sharee_id = ?', undef, $acme);
is opens(), 404, 'she left the client';
$db->do('INSERT INTO sharee_member (sharee_id, user_id, workspace_id, created_at) VALUES (?, ?, ?, 0)', undef, $acme, $user{cleo}{id}, $ws);
$stack->seat($ws, $user{cleo}, 'member');
$db->do("UPDATE workspace SET member_access = 'none' WHERE id = ?", undef, $ws);
is opens(), 404, 'who is in the workspace has nothing by a grant';
$db->do('DELETE FROM member WHERE workspace_id = ? AND user_id = ?', undef, $ws, $user{cleo}{id});
$db->do("UPDATE workspace SET member_access = 'viewer' WHERE id = ?", undef, $ws);
is opens(), 200, '... and it is back';
my $drafts = art(folder_id => $top, files => { 'index.html' => 'x' });
$db->do('UPDATE artifact SET live_no = NULL WHERE id = ?', undef, $drafts);
is status(cleo => $drafts), 404, 'what has never been published';

# ---- the wall between workspaces

my $theirs = $api->publish($user{eve}, name => 'Page', slug => 'theirs', visibility => 'private', workspace_id => $other);
grant($acme, $theirs, 'view');
grant($user{cleo}{id}, $theirs, 'edit');
is status(cleo => $theirs), 404, 'a grant of one workspace gives nothing of another';
grant($rival, $deep, 'view', ws => $other);
is status(dan => $deep), 404, "nor does another client's";

# ---- files

{
	$db->do("INSERT INTO asset_blob (id, bucket_id, workspace_id, user_id, filename, mime, sha256, size_bytes, created_at) VALUES ('blb_1', 'bkt_1', ?, ?, 'x.html', 'text/plain', UNHEX(SHA2('first', 256)), 5, 0)", undef, $ws, $user{ann}{id});
	my $file = id('dlv');
	$db->do("INSERT INTO deliverable (id, bucket_id, workspace_id, owner_id, folder_id, name, visibility, version, blob_id, created_at, updated_at) VALUES (?, 'bkt_1', ?, ?, ?, 'x.txt', 'workspace', 1, 'blb_1', 0, 0)", undef, $file, $ws, $user{ann}{id}, $way[3]);
	is as(ann => GET => "/v1/files/$file/content")->{body}, 'first', 'a file of the workspace';
	is as(cleo => GET => "/v1/files/$file/content")->{body}, 'first', '... in a shared folder';
	refused(as(dan => GET => "/v1/files/$file/content"), '403 ACCESS_DENIED', '... not for others');
	my $id = grant($user{dan}{id}, $file, 'view');
	is as(dan => GET => "/v1/files/$file/content")->{body}, 'first', 'a file by itself';
	$db->do("UPDATE deliverable SET visibility = 'private' WHERE id = ?", undef, $file);
	refused(as($_, GET => "/v1/files/$file/content"), '403 ACCESS_DENIED', "a private one: $_") for qw(cleo dan);
	refused(as(dan => GET => '/v1/files/dlv_00000000000000000000000000/content'), '404 NOT_FOUND', 'one that is not there');
	revoke($id);
}

# ---- a collaborator outside of it has both; an open page with a grant to edit

{
	my $both = art();
	is as(ann => POST => "/v1/artifacts/$both/collaborators", { emails => ['dan@example.org'], role => 'viewer' })->{status}, 200, 'a viewer';
	my $id = grant($user{dan}{id}, $both, 'edit');
	is_deeply [@{as(dan => GET => "/v1/artifacts/$both")->{json}{artifact}}{qw(role capability)}], ['viewer', 'edit'], '... who may edit';
	is as(dan => PUT => "/v1/data/$both/json", { a => 1 })->{status}, 200, '... its data';
	revoke($id);
	is as(dan => PUT => "/v1/data/$both/json", { a => 2 })->{status}, 403, '... until that ends';
	my $open = art(visibility => 'public');
	is as(dan => PUT => "/v1/data/$open/json", { a => 1 })->{status}, 403, 'everybody sees an open page, and does not write its data';
	is as(dan => PUT => "/v1/artifacts/$open/favorite")->{status}, 200, '... may mark it';
	my $edits = grant($user{dan}{id}, $open, 'edit');
	is as(dan => PUT => "/v1/data/$open/json", { a => 1 })->{status}, 200, '... but by a grant';
	is as(dan => GET => "/v1/data/$open/viewer")->{json}{viewer}{role}, 'external', '... which the page knows';
	revoke($edits);
}

finish($stack);
