# SPDX-License-Identifier: Apache-2.0
# What people outside of a workspace reach by grants (core/reach.h): with each capability, on each kind of address; by a folder, as it
# stands; and not a request longer than it is so. The routes that make grants are tested elsewhere; here they are rows.
use Vitrine::Counted;
use Vitrine::Visitor;
use Vitrine::Words qw(as said refused);
use Vitrine::World;

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
	$db->do('INSERT INTO sharee_member (sharee_id, user_id, workspace_id, created_at) VALUES (?, ?, ?, 0)',
		undef, $id, $user{$_}{id}, $in) for @people;
	return $id }
my ($acme, $rival) = (sharee($ws, 'cleo'), sharee($ws));
sub grant { my ($subject, $thing, $capability, %is) = @_; my $id = id('grt');
	$db->do('INSERT INTO share_grant (id, workspace_id, subject_type, subject_id, resource_type, resource_id, capability, expires_at, '
		. 'created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)', undef, $id, $is{ws} // $ws,
		$subject =~ /^shr_/ ? 'sharee' : 'external_user', $subject,
		{ fld => 'folder', art => 'artifact', dlv => 'file' }->{substr $thing, 0, 3}, $thing, $capability, $is{expires_at});
	return $id }
sub revoke { return $db->do('DELETE FROM share_grant WHERE id = ?', undef, $_) for @_ }
sub folder {
	my ($name, $parent, $in) = @_;
	my $r = as($in ? 'eve' : 'ann', POST => '/v1/workspaces/' . ($in // $ws) . '/folders',
		{ name => $name, $parent ? (parent_id => $parent) : () });
	return $r->{json}{folder}{id} // die $r->{body};
}
my $slugs = 0;
sub art {
	my (%is) = @_;
	return $api->publish($user{ann}, name => 'Page', slug => 'page-' . ++$slugs, visibility => 'private', workspace_id => $ws, %is);
}
sub status { my ($who, $art, $rest) = @_; return as($who, GET => "/v1/artifacts/$art" . ($rest // ''))->{status} }

# ---- one artifact, with each capability

my $art = art(files => { 'index.html' => 'first' });
as(ann => PUT => "/v1/data/$art/json", { a => 1 });
as(ann => PUT => "/v1/data/$art/tables/guests", { columns => [{ name => 'a', type => 'text' }] });
as(ann => POST => "/v1/data/$art/tables/guests/rows", { rows => [{ a => 'x' }] });
as(ann => POST => '/v1/publish',
	{ name => 'Page', artifact_id => $art, draft => $true, files => [{ path => 'index.html', content => 'a draft' }] });

refused(as(dan => GET => "/v1/artifacts/$art"), '404 NOT_FOUND', 'to who has no grant it is not there');
my %least = ( # each request, and the capability that it takes; none: no grant gives it
	"GET /v1/artifacts/$art" => 'view', "GET /v1/artifacts/$art/versions" => 'view', "GET /v1/artifacts/$art/versions/1" => 'view',
	"GET /v1/artifacts/$art/versions/1/export" => 'view',
	"GET /v1/artifacts/$art/files" => 'view', "GET /v1/artifacts/$art/files/index.html" => 'view',
	"GET /v1/artifacts/$art/thumbnail" => 'view',
	"GET /v1/data/$art/json" => 'view', "GET /v1/data/$art/tables" => 'view', "GET /v1/data/$art/tables/guests" => 'view',
	"GET /v1/data/$art/tables/guests/rows" => 'view', "GET /v1/data/$art/tables/guests/export" => 'view',
	"GET /v1/data/$art/viewer" => 'view', "GET /v1/data/$art/blobs" => 'view',
	"GET /v1/artifacts/$art/comments" => 'comment', "POST /v1/artifacts/$art/comments" => 'comment',
	"PUT /v1/data/$art/json" => 'edit', "PATCH /v1/data/$art/json" => 'edit', "POST /v1/data/$art/tables/guests/rows" => 'edit',
	(map { $_ => 'none' } "PUT /v1/data/$art/tables/guests", "DELETE /v1/data/$art/tables/guests",
		"GET /v1/artifacts/$art/collaborators", "POST /v1/artifacts/$art/collaborators", "GET /v1/artifacts/$art/stats",
		"GET /v1/artifacts/$art/proxy",
		"PUT /v1/artifacts/$art/favorite", "GET /v1/artifacts/$art/exposure", "GET /v1/artifacts/$art/problems",
		"PATCH /v1/artifacts/$art", "DELETE /v1/artifacts/$art", "POST /v1/artifacts/$art/versions/1/restore",
		"PATCH /v1/artifacts/$art/versions/1", "POST /v1/artifacts/$art/transfer-ownership",
		"POST /v1/artifacts/$art/publish-approval", "GET /v1/proxy/$art", "GET /a/$art/versions", "GET /a/$art/data",
		"GET /a/$art/settings"),
);
my %body = (comments => { text => 'Hello' }, rows => { rows => [{ a => 'y' }] }, json => { a => 2 },
	guests => { columns => [{ name => 'b', type => 'text' }] }, collaborators => { emails => ['eve@example.org'], role => 'viewer' },
	$art => { name => 'Theirs' },
	'1' => { is_open => $true }, 'transfer-ownership' => { email => 'eve@example.org' });
sub tried {
	my ($who, $what) = @_;
	my ($method, $path) = split / /, $what;
	my ($last) = $path =~ m{([^/]+)$};
	return as($who, $method => $path, $method =~ /P/ ? ($body{$last} // {}) : ());
}
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
		is_deeply [@$a{qw(role capability version_no audience comment_mails)}], [undef, $capability, 1, undef, undef],
			'... it has no role, and a capability';
		revoke($id);
		is status($who, $art), 404, '... until it is taken back';
	}
}
is as(ann => GET => "/v1/artifacts/$art")->{json}{artifact}{capability}, undef, 'its owner has none';
my $looks = grant($user{dan}{id}, $art, 'view');
like as(dan => POST => "/v1/artifacts/$art/comments", { text => 'x' })->{json}{error},
	qr/^This was shared with you to view; this request requires that it is shared with you to comment\. Ask the person who shared it$/,
	'who may look hears what it takes to comment';
is as(dan => GET => "/v1/artifacts/$art/files/index.html")->{body}, 'first', 'the live version';
is status(dan => $art, "/$_"), 404, "a draft isn't theirs: $_"
	for 'versions/2', 'versions/2/export', 'files?version=2', 'files/index.html?version=2';
is_deeply [map { $_->{version_no} } @{as(dan => GET => "/v1/artifacts/$art/versions")->{json}{versions}}], [1], 'nor in the list';
is_deeply as(dan => GET => '/v1/artifacts')->{json}{artifacts}, [], 'nothing is listed';
is as(dan => GET => "/v1/artifacts?workspace_id=$ws")->{status}, 404, '... of a workspace, of which they know nothing';
is_deeply as(dan => GET => "/v1/data/$art/viewer")->{json}{viewer},
	{ id => $user{dan}{id}, email => 'dan@example.org', name => $user{dan}{name} // '', role => 'external' }, 'who they are to it';
revoke($looks);

# ---- rules of data

{
	my $data = art();
	as(ann => PUT => "/v1/data/$data/tables/t", { columns => [{ name => 'a', type => 'text' }] });
	my $policy = sub { $db->do('UPDATE artifact SET access_policy = ? WHERE id = ?', undef, encode_json($_[0]), $data) };
	my $reads = sub { as(dan => GET => "/v1/data/$data/tables/t/rows")->{status} };
	my $writes = sub { as(dan => POST => "/v1/data/$data/tables/t/rows", { rows => [{ a => 'x' }] })->{status} };
	for my $case ( # default or rules; what view reads and writes, and edit
		[{}, 200, 403, 200, 201], [{ default => 'everyone' }, 200, 403, 200, 201], [{ default => 'viewer' }, 404, 403, 200, 201],
		[{ default => 'editor' }, 404, 403, 200, 201], [{ default => 'owner' }, 404, 403, 404, 404],
		[{ tables => { t => { read => "viewer.role == 'external'", write => "viewer.role == 'external'" } } }, 200, 403, 200, 201],
		[{ tables => { t => { read => "viewer.role in ['owner', 'editor']", write => "viewer.role in ['owner', 'editor']" } } },
			404, 403, 404, 404],
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
as(ann => PUT => "/v1/workspaces/$ws/artifacts/$deep/folder", { folder_id => $beside })->{status} =~ /^20/
	or $db->do('UPDATE artifact SET folder_id = ? WHERE id = ?', undef, $beside, $deep);
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
my $astray = grant($user{cleo}{id}, $theirs, 'edit');
is status(cleo => $theirs), 404, 'a grant of one workspace gives nothing of another';
grant($rival, $deep, 'view', ws => $other);
is status(dan => $deep), 404, "nor does another client's";

# ---- files

{
	$db->do("INSERT INTO asset_blob (id, bucket_id, workspace_id, user_id, filename, mime, sha256, size_bytes, created_at) "
		. "VALUES ('blb_1', 'bkt_1', ?, ?, 'x.html', 'text/plain', UNHEX(SHA2('first', 256)), 5, 0)", undef, $ws, $user{ann}{id});
	my $file = id('dlv');
	$db->do("INSERT INTO deliverable (id, bucket_id, workspace_id, owner_id, folder_id, name, visibility, version, blob_id, "
			. "created_at, updated_at) VALUES (?, 'bkt_1', ?, ?, ?, 'x.txt', 'workspace', 1, 'blb_1', 0, 0)",
		undef, $file, $ws, $user{ann}{id}, $way[3]);
	is as(ann => GET => "/v1/files/$file/content")->{body}, 'first', 'a file of the workspace';
	is as(cleo => GET => "/v1/files/$file/content")->{body}, 'first', '... in a shared folder';
	refused(as(dan => GET => "/v1/files/$file/content"), '403 ACCESS_DENIED', '... not for others');
	my $id = grant($user{dan}{id}, $file, 'view');
	is as(dan => GET => "/v1/files/$file/content")->{body}, 'first', 'a file by itself';
	refused(as(dan => GET => "/v1/files/$file/preview"), '404 NOT_FOUND', 'it has no preview', qr/no preview/);
	$db->do("INSERT INTO asset_preview (input_sha256, film, sha256, size_bytes) SELECT sha256, 0, sha256, size_bytes FROM asset_blob "
		. "WHERE id = 'blb_1'");
	is as($_, GET => "/v1/files/$file/preview")->{status}, 200, "a preview, for $_" for qw(ann cleo dan);
	refused(as(eve => GET => "/v1/files/$file/preview"), '403 ACCESS_DENIED', '... not for others');
	$db->do("UPDATE deliverable SET visibility = 'private' WHERE id = ?", undef, $file);
	refused(as($_, GET => "/v1/files/$file/content"), '403 ACCESS_DENIED', "a private one: $_") for qw(cleo dan);
	refused(as(dan => GET => '/v1/files/dlv_00000000000000000000000000/content'), '404 NOT_FOUND', 'one that is not there');
	revoke($id);
}

# ---- a collaborator outside of it has both; an open page with a grant to edit

{
	my $both = art();
	is as(ann => POST => "/v1/artifacts/$both/collaborators", { emails => ['dan@example.org'], role => 'viewer' })->{status}, 200,
		'a viewer';
	my $id = grant($user{dan}{id}, $both, 'edit');
	is_deeply [@{as(dan => GET => "/v1/artifacts/$both")->{json}{artifact}}{qw(role capability)}], ['viewer', 'edit'],
		'... who may edit';
	is as(dan => PUT => "/v1/data/$both/json", { a => 1 })->{status}, 200, '... its data';
	revoke($id);
	is as(dan => PUT => "/v1/data/$both/json", { a => 2 })->{status}, 403, '... until that ends';
	my $open = art(visibility => 'public');
	is as(dan => PUT => "/v1/data/$open/json", { a => 1 })->{status}, 403, 'everybody sees an open page, and does not write its data';
	is as(dan => PUT => "/v1/artifacts/$open/favorite")->{status}, 200, '... may mark it';
	my $edits = grant($user{dan}{id}, $open, 'edit');
	is as(dan => PUT => "/v1/data/$open/json", { a => 1 })->{status}, 200, '... but by a grant';
	is as(dan => GET => "/v1/data/$open/viewer")->{json}{viewer}{role}, 'external', '... which the page knows';
	my $named = as(ann => GET => "/v1/artifacts/$open")->{json}{artifact}{name};
	my $version = as(dan => POST => '/v1/publish',
		{ artifact_id => $open, name => 'Another name', files => [{ path => 'index.html', content => 'by dan' }] });
	is $version->{status} . ' ' . as(ann => GET => "/v1/artifacts/$open")->{json}{artifact}{name}, "201 $named",
		'... publishes a version, which keeps its name';
	like $version->{json}{warnings}[0], qr/^name: .*keeps its name/, '... and hears it';
	revoke($edits);
}

# ---- what it takes

{
	my ($hidden, $absent) = (art(), 'art_00000000000000000000000000');
	my $of_all = art(visibility => 'public');
	my $count = sub {
		my ($who, $id) = @_;
		status($who, $id) for 1 .. 20;
		my ($r, $n) = Vitrine::Counted::counted($db, sub { status($who, $id) });
		return "$r " . ($n =~ /execute=(\d+)/)[0];
	};
	Vitrine::Counted::still($stack);
	is $count->(cleo => $deep), '200 1', 'by a grant, one statement';
	is $count->(cleo => $of_all), '200 1', 'what everybody sees: one, too';
	is $count->(dan => $_), '404 2', 'what is hidden takes as many as what is absent' for $hidden, $absent;
	is $count->(eve => $_), '404 2', '... as it does to who has no grant anywhere' for $hidden, $absent;
	Vitrine::Counted::go_on($stack);
}

# ---- on the page's own host

{
	my $page = art(slug => 'hosted', files => { 'index.html' => 'live' }, folder_id => $top);
	as(ann => POST => '/v1/publish',
		{ name => 'Page', artifact_id => $page, draft => $true, files => [{ path => 'index.html', content => 'a draft' }] });
	as(ann => PUT => "/v1/data/$page/json", { a => 1 });
	my $at = "https://hosted.pages.localhost:$stack->{port}/";
	my %browser;
	for my $who (qw(cleo dan)) {
		$stack->ctl_in("the password\n", qw(user password), "$who\@example.org");
		$browser{$who} = Vitrine::Visitor->new($api, dest => 'document');
		$browser{$who}->sign_in("$who\@example.org", 'the password');
	}
	my $go = sub {
		my ($who, $to) = @_;
		my $r = $browser{$who}->go($to // $at);
		return "$r->{status} " . ($r->{body} =~ /^(?:live|a draft)$/ ? $r->{body} : '-');
	};
	is $go->('dan'), '404 -', 'who has no grant comes to the wall';
	is $go->('cleo'), '200 live', 'who has one is led in, as who has a role is';
	is $browser{cleo}{page}{headers}{'cache-control'}, 'private, no-store', '... and nothing keeps it';
	is $go->('cleo', $at =~ s/hosted/hosted--v2/r), '404 -', 'not to a draft';
	my $data = sub {
		my ($path) = @_;
		my $r = $browser{cleo}->send(GET => "${at}v1/$path", headers => { Accept => '*/*', 'Sec-Fetch-Mode' => 'cors',
			'Sec-Fetch-Site' => 'same-origin', 'Sec-Fetch-Dest' => 'empty' });
		return $r;
	};
	is $data->('data/self/json')->{status}, 200, 'its own data, by its cookie';
	is decode_json($data->('data/self/viewer')->{body})->{viewer}{role}, 'external', '... which knows who she is';
	is $data->('artifacts/self/comments')->{status}, 200, 'a grant to comment';
	$db->do('UPDATE share_grant SET capability = ? WHERE id = ?', undef, 'view', $by_folder);
	is $data->('artifacts/self/comments')->{status}, 403, '... and to look only';
	is $data->('data/self/json')->{status}, 200, '... at the data still';
	$db->do('UPDATE artifact SET paused_at = 1 WHERE id = ?', undef, $page);
	is $go->('cleo'), '403 -', 'a pause';
	$db->do('UPDATE artifact SET paused_at = NULL WHERE id = ?', undef, $page);
	is $go->('cleo'), '200 live', '... ends';
	Vitrine::Counted::still($stack);
	$browser{cleo}->send(GET => $at) for 1 .. 20;
	my ($r, $count) = Vitrine::Counted::counted($db, sub { $browser{cleo}->send(GET => $at) });
	is "$r->{status} " . ($count =~ /execute=(\d+)/)[0], '200 1', 'one statement a visit';
	Vitrine::Counted::go_on($stack);
	is as(ann => PATCH => "/v1/artifacts/$page", { slug => 'renamed' })->{status}, 200, 'it is renamed';
	is $browser{cleo}->send(GET => $at)->{status}, 308, 'its old address leads on';
	is $go->('cleo', $at =~ s/hosted/renamed/r), '200 live', '... to where she is let in, too';
	is as(ann => PATCH => "/v1/artifacts/$page", { slug => 'hosted' })->{status}, 200, 'and back';
	$db->do('UPDATE workspace SET features_on = 0 WHERE id = ?', undef, $ws);
	is $go->('cleo'), '404 -', 'the plan lapses';
	is $data->('data/self/json')->{status}, 404, '... for data, too';
	$db->do('UPDATE workspace SET features_on = 1 WHERE id = ?', undef, $ws);
	$db->do('UPDATE share_grant SET capability = ? WHERE id = ?', undef, 'comment', $by_folder);
}

# ---- tokens of a client's people

sub client_token {
	my ($who, $scopes, %is) = @_;
	return { token => $stack->token($user{$who}{id}, 'sot_', workspace_id => $ws, grants_only => 1, sharee_id => $acme,
		scopes => $scopes, %is) };
}
{
	my $token = client_token('cleo', 13); # artifacts:read, data:read, data:write
	my $reads = client_token('cleo', 4);  # data:read
	my $own = $api->publish($user{cleo}, slug => 'own', visibility => 'private');
	my $public = $api->publish($user{ann}, slug => 'for-all', visibility => 'public');
	my $here = art(folder_id => $top);
	as(ann => PUT => "/v1/data/$here/json", { a => 1 });
	my $ask = sub { my ($by, $method, $path, @body) = @_; return as($by, $method => $path, @body)->{status} };
	is as($token, GET => '/v1/auth/me')->{status}, 200, 'it knows whose it is';
	is $ask->($token, GET => "/v1/artifacts/$here"), 200, "it reads what its client has";
	is $ask->($token, GET => "/v1/data/$here/json"), 200, '... and its data';
	is $ask->($reads, GET => "/v1/data/$here/json"), 200, 'one for data';
	is said(as($reads, GET => "/v1/artifacts/$here")), '403 INSUFFICIENT_SCOPE', '... reads nothing else';
	is $ask->($token, PUT => "/v1/data/$here/json", { a => 2 }), 403, 'to write takes a grant to edit';
	my $edit = grant($user{cleo}{id}, $here, 'edit');
	is $ask->($token, PUT => "/v1/data/$here/json", { a => 2 }), 200, '... which she has by herself';
	is said(as($reads, PUT => "/v1/data/$here/json", { a => 2 })), '403 INSUFFICIENT_SCOPE', '... and the scope';
	revoke($edit);
	is $ask->($token, GET => "/v1/artifacts/$_"), 404, "not $_" for $own, $public, $theirs, $near;
	is $ask->(cleo => GET => "/v1/artifacts/$_"), 200, '... which she sees herself' for $own, $public;
	is_deeply as($token, GET => '/v1/artifacts')->{json}{artifacts}, [], 'it lists nothing';
	is $ask->($token, GET => $_) >= 400, 1, "nothing else is there: $_"
		for "/v1/workspaces/$ws", "/v1/workspaces/$ws/folders", "/v1/workspaces/$ws/members", "/v1/workspaces/$ws/people?q=an",
			"/v1/artifacts?workspace_id=$ws", "/v1/workspaces/$ws/assets", '/v1/assets', '/v1/auth/tokens', '/v1/collections';
	my $also = sharee($ws, 'cleo');
	my $by_other = grant($also, $near, 'view');
	is $ask->(cleo => GET => "/v1/artifacts/$near"), 200, 'by another client of hers she has more';
	is $ask->($token, GET => "/v1/artifacts/$near"), 404, '... which her token for this one has not';
	revoke($astray);
	my $elsewhere = grant($user{cleo}{id}, $theirs, 'view', ws => $other);
	is $ask->(cleo => GET => "/v1/artifacts/$theirs"), 200, 'in another workspace, too';
	is $ask->($token, GET => "/v1/artifacts/$theirs"), 404, '... where her token is not for';
	revoke($elsewhere);
	my @ends = (
		['the membership' => 'DELETE FROM sharee_member WHERE sharee_id = ? AND user_id = ?', [$acme, $user{cleo}{id}],
			'INSERT INTO sharee_member (sharee_id, user_id, workspace_id, created_at) VALUES (?, ?, ?, 0)',
			[$acme, $user{cleo}{id}, $ws]],
		['the plan' => 'UPDATE workspace SET features_on = 0 WHERE id = ?', [$ws],
			'UPDATE workspace SET features_on = 1 WHERE id = ?', [$ws]],
		['the workspace' => 'UPDATE workspace SET deleted_at = 1 WHERE id = ?', [$ws],
			'UPDATE workspace SET deleted_at = NULL WHERE id = ?', [$ws]],
		['being outside' => "INSERT INTO member (workspace_id, user_id, role, joined_at) VALUES (?, ?, 'member', 0)",
			[$ws, $user{cleo}{id}], 'DELETE FROM member WHERE workspace_id = ? AND user_id = ?', [$ws, $user{cleo}{id}]],
	);
	for (@ends) {
		my ($what, $end, $args, $back, $with) = @$_;
		$db->do($end, undef, @$args);
		is said(as($token, GET => $_)), '401 UNAUTHENTICATED', "it ends with $what: $_" for "/v1/artifacts/$here", '/v1/auth/me';
		is said(as($token, PUT => "/v1/data/$here/json", { a => 3 })), '401 UNAUTHENTICATED', '... for a change, too';
		$db->do($back, undef, @$with);
		is $ask->($token, GET => "/v1/artifacts/$here"), 200, '... and is back with it';
	}
}

# ---- connected agents: as far as their person, and as the workspace lets agents

{
	my $world = Vitrine::World->new($stack);
	my $connected = sub {
		my (%is) = @_;
		my $grant = $world->make('ogr', user => $user{cleo}{id});
		$db->do("UPDATE agent_grant SET host = 'claude.ai' WHERE id = ?", undef, $grant);
		return $stack->token($user{cleo}{id}, 'som_', scopes => 15, grant_id => $grant, %is) };
	my $tool = sub {
		my ($token, $name, $args) = @_;
		my $r = $api->call(POST => '/mcp', { token => $token, json => { jsonrpc => '2.0', id => 1, method => 'tools/call',
			params => { name => $name, arguments => $args } } })->{json}{result};
		return $r->{isError} ? ($r->{content}[0]{text} =~ /^(\w+)/)[0] : 'OK';
	};
	my $page = art(folder_id => $top);
	my ($roams, $bound) = ($connected->(), $connected->(workspace_id => $ws));
	my $look = sub { return $tool->($_[0], get_artifact => { artifact => $page }) };
	is $look->($roams), 'OK', 'an agent of hers reaches what she does';
	isnt $look->($bound), 'OK', 'one that is confined does not';
	isnt $look->($connected->(own_only => 1)), 'OK', 'nor one that is confined to what is her own';
	$db->do("UPDATE workspace SET agents = 'off' WHERE id = ?", undef, $ws);
	is $look->($roams), 'ACCESS_DENIED', 'the workspace lets no agents in';
	$db->do("UPDATE workspace SET agents = 'on' WHERE id = ?", undef, $ws);
}

# ---- while it is revoked

{
	my $page = art();
	for my $round (1 .. 5) {
		my $id = grant($user{dan}{id}, $page, 'edit');
		is status(dan => $page), 200, 'it is there';
		pipe my $wait, my $go or die;
		# Who takes it back says so once that has happened; whoever asks after that gets nothing.
		my @late = Vitrine::Api::together($stack, 4, sub {
			my ($mine, $i) = @_;
			my ($set, $over, $late) = ('', !$i, 0);
			if (!$i) {
				my $dbh = $db->clone;
				$dbh->do('DELETE FROM share_grant WHERE id = ?', undef, $id);
				syswrite $go, 'x';
			}
			for (1 .. 200) {
				vec($set = '', fileno $wait, 1) = 1;
				$over ||= select($set, undef, undef, 0);
				my $r = $mine->call($i % 2 ? (PUT => "/v1/data/$page/json") : (GET => "/v1/artifacts/$page"),
					{ token => $user{dan}{token}, $i % 2 ? (json => { n => $_ }) : () });
				$late++ if $over && $r->{status} < 300;
				last if $over && $_ > 20;
			}
			return $late;
		});
		is "@late", '0 0 0 0', 'no success after it is taken back';
	}
}

finish($stack);
