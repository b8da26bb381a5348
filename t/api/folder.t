# SPDX-License-Identifier: Apache-2.0
# Folders of a workspace: made, listed, found by their path, renamed, moved, deleted; artifacts in them; who may; what happens at once.
use utf8;
use Encode 'encode_utf8';
use Vitrine::Words qw(as refused said);
use Vitrine::Counted;

my ($stack, $api, $db) = stack();
my ($ann, $ben, $cat, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben cat eve);
sub made { my ($who, $name) = @_; return as($who, POST => '/v1/workspaces', { name => $name })->{json}{workspace} }
sub join_as { my ($ws, $who, $role) = @_; $stack->seat($ws->{id}, $who, $role) }
sub escaped { return encode_utf8($_[0]) =~ s/([^A-Za-z0-9\/])/sprintf '%%%02X', ord $1/ger }
my ($ws, $other) = (made($ann, 'Team'), made($eve, 'Other'));
join_as($ws, $ben, 'admin');
join_as($ws, $cat, 'member');
my $base = "/v1/workspaces/$ws->{id}/folders";
# Bytes are sent, whatever Perl keeps them as.
utf8::encode($base);
sub folder {
	my ($who, %in) = @_;
	my $r = as($who, POST => $base, \%in);
	is $r->{status}, 201, "a folder $in{name}" or diag $r->{body};
	return $r->{json}{folder};
}
sub names { my ($query) = @_; my $r = as($cat, GET => "$base$query"); return join ' ', map { $_->{path} } @{$r->{json}{folders}} }

# ---- making and reading

my $r = as($cat, POST => $base, { name => 'Reports' });
is $r->{status}, 201, 'a member makes a folder' or diag $r->{body};
my $reports = $r->{json}{folder};
is $r->{headers}{location}, "$base/$reports->{id}", 'with an address';
like $reports->{id}, qr/^fld_[0-9a-z]{26}$/, 'and an id';
is_deeply $reports, { id => $reports->{id}, parent_id => undef, name => 'Reports', path => '/Reports', default_visibility => undef,
	folder_count => 0, artifact_count => 0, created_by => $cat->{id},
	created_at => $reports->{created_at}, updated_at => $reports->{updated_at} }, 'with exactly these members';
my $year = folder($ben, name => '2026', parent_id => $reports->{id});
is $year->{path}, '/Reports/2026', 'a folder in it';
is_deeply as($cat, GET => "$base/$reports->{id}")->{json}, { success => $true, folder => { %$reports, folder_count => 1 } },
	'read by its address';
is_deeply as($cat, GET => "$base/by-path/reports/2026")->{json}{folder}, $year, 'by its path, in any case';
is as($cat, GET => "$base/by-path/%52eports")->{json}{folder}{id}, $reports->{id}, '... whose segments are decoded';
refused(as($cat, GET => "$base/by-path/nope/x"), '404 NOT_FOUND', 'a path without a folder', qr{^There is no folder /nope/x, or you});
refused(as($cat, GET => "$base/by-path/$_"), '404 NOT_FOUND', "no folder at $_")
	for 'Reports/2027', 'Reports%2F2026', 'Reports//2026', 'Reports/', 'Reports/2026/..', '%252e', 'x/' x 11 . 'x';

# ---- names

my $cafe = folder($ann, name => "  Cafe\x{301} ");
is $cafe->{name}, 'Café', 'a name is kept in normal form, without the spaces around it';
refused(as($ann, POST => $base, { name => $_ }), '409 CONFLICT', 'a sibling that people take for the same')
	for 'Café', 'CAFÉ', "cafe\x{301}", 'reports', 'ＲＥＰＯＲＴＳ', ' Reports';
is folder($ann, name => 'reports', parent_id => $reports->{id})->{path}, '/Reports/reports', 'elsewhere it is another one';
is as($ann, GET => "$base/by-path/" . escaped("CAFE\x{301}"))->{json}{folder}{id}, $cafe->{id}, 'a path may be written in another form';
refused(as($ann, POST => $base, { name => $_ }), '400 INVALID_REQUEST',
	'a name that none may have: ' . Cpanel::JSON::XS->new->ascii->allow_nonref->encode($_))
	for ' ', '.', '..', 'a/b', 'a\\b', "a\nb", "\x{200b}", "\x{fdfa}" x 120;
is folder($ann, name => 'é' x 120)->{name}, 'é' x 120, 'the longest';

# ---- the list

folder($ann, name => $_, parent_id => $year->{id}) for qw(b A c);
is names("?parent_id=$year->{id}"), '/Reports/2026/A /Reports/2026/b /Reports/2026/c', 'those in a folder, by name';
is names('?parent_id=root'), '/Café /Reports /' . 'é' x 120, 'those at the top';
is names('?q=REPORT'), '/Reports /Reports/reports', 'those whose name has a part';
is names("?q=x&parent_id=$year->{id}"), '', '... none';
refused(as($cat, GET => "$base?$_"), '400 INVALID_REQUEST', "the list with $_")
	for 'cursor=fld_x.y', 'parent_id=x', "cursor=$reports->{id}";
refused(as($cat, GET => "$base?parent_id=fld_" . '0' x 26), '404 NOT_FOUND', 'those in a folder that is none');

# ---- who may

my $agent = { id => 'usr_' . '7' x 26 };
$db->do("INSERT INTO user (id, kind, email, name, created_at) VALUES (?, 'agent', NULL, 'Bot', 0)", undef, $agent->{id});
join_as($ws, $agent, 'agent');
$agent->{token} = $stack->token($agent->{id}, 'sot_', name => 'bot', scopes => 3, workspace_id => $ws->{id});
my $theirs = as($eve, POST => "/v1/workspaces/$other->{id}/folders", { name => 'Theirs' })->{json}{folder};
refused(as($ann, POST => $base, { name => 'X', parent_id => $theirs->{id} }), '404 NOT_FOUND', 'a folder of another workspace as a parent');
refused(as($ann, PATCH => "$base/$year->{id}", { parent_id => $theirs->{id} }), '404 NOT_FOUND', '... to be moved into');
is as($agent, GET => "$base/by-path/Reports")->{status}, 200, 'an agent reads';
is as($agent, POST => $base, { name => 'By a bot' })->{json}{folder}{created_by}, $agent->{id}, 'and makes folders';
refused(as($agent, PATCH => "$base/$year->{id}", { name => 'X' }), '403 INSUFFICIENT_SCOPE', 'but changes none');
refused(as($agent, DELETE => "$base/$year->{id}"), '403 INSUFFICIENT_SCOPE', 'and deletes none');
$db->do("UPDATE token SET scopes = 1 WHERE user_id = ?", undef, $agent->{id});
refused(as($agent, POST => $base, { name => 'X' }), '403 INSUFFICIENT_SCOPE', 'one that reads only makes none');
$db->do("UPDATE token SET scopes = 3 WHERE user_id = ?", undef, $agent->{id});

# ---- renaming and moving

$r = as($cat, PATCH => "$base/$year->{id}", { name => 'Twenty' });
is_deeply { map { $_ => $r->{json}{folder}{$_} } qw(name path parent_id) },
	{ name => 'Twenty', path => '/Reports/Twenty', parent_id => $reports->{id} }, 'renamed: what is left out stays' or diag $r->{body};
is names("?parent_id=$year->{id}"), '/Reports/Twenty/A /Reports/Twenty/b /Reports/Twenty/c', 'and what is in it has its path';
is as($cat, PATCH => "$base/$year->{id}", { name => 'TWENTY' })->{json}{folder}{name}, 'TWENTY', 'the same in another case';
is as($cat, PATCH => "$base/$year->{id}", { parent_id => undef })->{json}{folder}{path}, '/TWENTY', 'to the top';
is as($cat, PATCH => "$base/$year->{id}", { parent_id => $cafe->{id}, name => '26' })->{json}{folder}{path}, '/Café/26',
	'into another, under another name';
refused(as($cat, PATCH => "$base/$year->{id}", { name => 'reports', parent_id => undef }), '409 CONFLICT', 'where a sibling has that name');
refused(as($cat, PATCH => "$base/$cafe->{id}", { parent_id => $_ }), '409 CONFLICT', 'into itself, or what is in it')
	for $cafe->{id}, $year->{id};
is $api->call(PATCH => "$base/$year->{id}", { token => $cat->{token}, json => { name => 'Y' },
	headers => { 'If-Match' => '"0"' } })->{status}, 412, 'If-Match of another state';
is $api->call(PATCH => "$base/$year->{id}", { token => $cat->{token}, json => { name => '27' },
	headers => { 'If-Match' => as($cat, GET => "$base/$year->{id}")->{headers}{etag} } })->{status}, 200, '... of this one';

# ---- ten deep, also by moving

my ($at, @chain) = undef;
for my $n (1 .. 10) { push @chain, folder($ann, name => "d$n", parent_id => $at); $at = $chain[-1]{id} }
is $chain[9]{path}, '/' . join('/', map { "d$_" } 1 .. 10), 'ten deep';
is as($ann, GET => "$base/by-path/" . join '/', map { "D$_" } 1 .. 10)->{json}{folder}{id}, $chain[9]{id}, 'and found there';
$r = as($ann, POST => $base, { name => 'd11', parent_id => $at });
refused($r, '409 LIMIT_REACHED', 'not eleven');
is $r->{json}{details}{limit}, 10, '... which says how many';
my $pair = folder($ann, name => 'pair');
folder($ann, name => 'inner', parent_id => $pair->{id});
refused(as($ann, PATCH => "$base/$pair->{id}", { parent_id => $chain[8]{id} }), '409 LIMIT_REACHED', 'nor by moving two into the ninth');
is as($ann, PATCH => "$base/$pair->{id}", { parent_id => $chain[7]{id} })->{status}, 200, 'into the eighth they fit';

# ---- as many as there may be

$db->do("INSERT INTO folder (id, workspace_id, name, name_key, created_at, updated_at) SELECT CONCAT('fld_z', LPAD(seq, 25, '0')), ?, "
	. "CONCAT('many', seq), CONCAT('many', seq), 0, 0 FROM seq_1_to_10000 LIMIT ?", undef, $ws->{id},
	9999 - $db->selectrow_array('SELECT COUNT(*) FROM folder WHERE workspace_id = ?', undef, $ws->{id}));
my @at_once = Vitrine::Api::together($stack, 4,
	sub { my ($own, $n) = @_; said($own->call(POST => $base, { token => $ann->{token}, json => { name => "last $n" } })) });
is join(', ', sort @at_once), '201 , 409 LIMIT_REACHED, 409 LIMIT_REACHED, 409 LIMIT_REACHED', 'ten thousand, of several at once too';
$db->do("DELETE FROM folder WHERE name LIKE 'many%'");

# ---- artifacts in folders

sub publish {
	my ($who, %o) = @_;
	return as($who, POST => '/v1/publish', { name => 'P', files => [{ path => 'index.html', content => 'x' }], %o });
}
$r = publish($cat, slug => 'plans', workspace_id => $ws->{id}, folder_id => $reports->{id});
is $r->{status}, 201, 'published into a folder' or diag $r->{body};
my $art = $r->{json}{artifact}{id};
is as($cat, GET => "/v1/artifacts/$art")->{json}{artifact}{folder_id}, $reports->{id}, 'there it lies';
is as($cat, GET => "$base/$reports->{id}")->{json}{folder}{artifact_count}, 1, 'and is counted';
sub listed {
	my ($who, $query) = @_;
	return join ' ', map { $_->{id} } @{as($who, GET => "/v1/artifacts?workspace_id=$ws->{id}&$query")->{json}{artifacts}};
}
my $loose = publish($cat, slug => 'loose', workspace_id => $ws->{id})->{json}{artifact}{id};
is listed($ann, "folder_id=$reports->{id}"), $art, 'listed by its folder';
is listed($ann, 'folder_id=root'), $loose, 'and what lies in none';
is listed($ann, 'limit=50'), "$loose $art", 'all together';
refused(as($ann, GET => "/v1/artifacts?$_->[0]"), $_->[1], "the list with $_->[0]")
	for ["folder_id=$reports->{id}", '400 INVALID_REQUEST'], ["workspace_id=$ws->{id}&folder_id=x", '400 INVALID_REQUEST'],
	["workspace_id=$ws->{id}&folder_id=$theirs->{id}", '404 NOT_FOUND'];
refused(publish($cat, slug => 'no', folder_id => $reports->{id}), '400 INVALID_REQUEST', 'a folder for what is one\'s own');
refused(publish($cat, slug => 'no', workspace_id => $ws->{id}, folder_id => $_), '404 NOT_FOUND', 'a folder of another workspace, or none')
	for $theirs->{id}, 'fld_' . '0' x 26;
refused(publish($cat, slug => 'no', workspace_id => $ws->{id}, folder_id => 'x'), '400 INVALID_REQUEST', 'what is no id');
is publish($cat, slug => 'plans', folder_id => $reports->{id})->{status}, 201, 'a new version may name the folder it is in';
is publish($cat, slug => 'plans')->{status}, 201, 'or none';
refused(publish($cat, slug => 'plans', folder_id => $cafe->{id}), '409 CONFLICT', 'but not another one');
is publish($agent, slug => 'bots', folder_id => $reports->{id})->{status}, 201, 'an agent publishes into a folder of its workspace';
my ($bots) = $db->selectrow_array("SELECT id FROM artifact WHERE slug = 'bots'");

sub move { my ($who, $id, $to) = @_; return as($who, POST => "/v1/workspaces/$ws->{id}/artifacts/$id/move", { folder_id => $to }) }
$r = move($cat, $art, $cafe->{id});
is $r->{json}{artifact}{folder_id}, $cafe->{id}, 'its owner moves it' or diag $r->{body};
is move($ben, $art, undef)->{json}{artifact}{folder_id}, undef, 'an admin too, out of all';
$stack->user('dan@example.org');
my $dan = { id => $db->selectrow_array("SELECT id FROM user WHERE email = 'dan\@example.org'"),
	token => $stack->ctl(qw(token mint --user dan@example.org)) };
join_as($ws, $dan, 'member');
refused(move($dan, $art, $cafe->{id}), '403 ACCESS_DENIED', 'another member does not');
is move($agent, $bots, $cafe->{id})->{status}, 200, 'an agent moves what is its own';
refused(move($agent, $art, $cafe->{id}), '403 ACCESS_DENIED', '... and nothing else');
refused(move($ann, $art, $theirs->{id}), '404 NOT_FOUND', 'into a folder of another workspace');
my $own = publish($ann, slug => 'own')->{json}{artifact}{id};
refused(move($ann, $own, undef), '404 NOT_FOUND', 'what is no artifact of the workspace');

# ---- what members may not see is not counted

move($cat, $art, $cafe->{id});
as($ann, PATCH => "/v1/workspaces/$ws->{id}", { settings => { member_access => 'none' } });
is as($_->[0], GET => "$base/$cafe->{id}")->{json}{folder}{artifact_count}, $_->[1], 'counted is what one may see'
	for [$ann, 2], [$cat, 1], [$dan, 0], [$agent, 1];
as($cat, POST => "/v1/artifacts/$art/collaborators", { emails => ['dan@example.org'], role => 'editor' });
is as($dan, GET => "$base/$cafe->{id}")->{json}{folder}{artifact_count}, 1, '... what is shared, too';
is move($dan, $art, $cafe->{id})->{status}, 200, 'and an editor may move it';
is listed($dan, "folder_id=$cafe->{id}"), $art, 'the list of the folder has that';
is listed($dan, 'limit=50'), $art, 'and so has that of the workspace';
is listed($dan, 'folder_id=root'), '', '... not of what lies elsewhere';
is listed($cat, "folder_id=$cafe->{id}"), $art, 'its owner, too';
is listed($cat, 'owner=shared'), '', 'who has nothing of others';
is listed($ann, "folder_id=$cafe->{id}"), "$bots $art", 'who governs sees all';
is listed($dan, "deleted=1&folder_id=$cafe->{id}"), '', 'nothing of it lies in the trash';
as($ann, PATCH => "/v1/workspaces/$ws->{id}", { settings => { member_access => 'viewer' } });

# ---- deleting

$r = as($cat, DELETE => "$base/$cafe->{id}");
refused($r, '409 CONFLICT', 'a folder with something in it stays');
is_deeply $r->{json}{details}, { folders => 4, artifacts => 2, files => 0 }, '... and says what';
move($cat, $art, $year->{id});
is as($cat, DELETE => "$base/$cafe->{id}?recursive=1")->{status}, 200, 'deleted with what is in it';
refused(as($cat, GET => "$base/$_"), '404 NOT_FOUND', 'with the folders in it') for $cafe->{id}, $year->{id};
is as($cat, GET => "/v1/artifacts/$art")->{json}{artifact}{folder_id}, undef, 'the artifacts of all of them are in its parent';
is as($cat, GET => "/v1/artifacts/$art")->{json}{artifact}{version_no}, 3, 'and nothing has happened to them';
my $inner = folder($ann, name => 'inner', parent_id => $reports->{id});
move($cat, $art, $inner->{id});
as($cat, DELETE => "/v1/artifacts/$art");
is as($ann, DELETE => "$base/$inner->{id}")->{status}, 200, 'what lies in the trash holds no folder';
is as($cat, POST => "/v1/artifacts/$art/restore")->{json}{artifact}{folder_id}, $reports->{id}, 'it comes back in the parent';
is as($ann, DELETE => "$base/$chain[9]{id}")->{status}, 200, 'an empty one goes';
# Of a large one the content moves before the transaction, 2,000 at a time, each by itself.
my $large = folder($ann, name => 'large', parent_id => $reports->{id});
my $larger = folder($ann, name => 'larger', parent_id => $large->{id});
$db->do("INSERT INTO artifact (id, owner_id, workspace_id, folder_id, name, slug, visibility, last_no, created_at, updated_at) SELECT "
	. "CONCAT('art_', LPAD(seq, 26, '0')), ?, ?, IF(seq % 2, ?, ?), 'N', CONCAT('large-', seq), 'private', 0, 0, 0 FROM seq_1_to_4100",
	undef, $cat->{id}, $ws->{id}, map { $_->{id} } $large, $larger);
refused($api->call(DELETE => "$base/$large->{id}?recursive=1", { token => $cat->{token}, headers => { 'If-Match' => '"other"' } }),
	'412 PRECONDITION_FAILED', 'of one that is another by now');
is $db->selectrow_array('SELECT COUNT(*) FROM artifact WHERE folder_id IN (?, ?)', undef, map { $_->{id} } $large, $larger), 4100,
	'... nothing moves';
sub moved { return ($db->selectrow_array("SHOW GLOBAL STATUS LIKE 'Com_update_multi'"))[1] }
Vitrine::Counted::still($stack);
my $moved = moved();
my (undef, $counts) = Vitrine::Counted::counted($db,
	sub { is as($cat, DELETE => "$base/$large->{id}?recursive=1")->{status}, 200, 'a large one is deleted' });
is $db->selectrow_array("SELECT COUNT(*) FROM artifact WHERE folder_id = ? AND slug LIKE 'large-%'", undef, $reports->{id}), 4100,
	'... and all of it moved up';
like $counts, qr/Com_begin=1 Com_commit=1 /, '... though the transaction is one';
is moved() - $moved, 8, '... in three pieces of artifacts and of files, and a last look';
Vitrine::Counted::go_on($stack);
$db->do("DELETE FROM artifact WHERE slug LIKE 'large-%'");
as($ann, PATCH => "/v1/workspaces/$ws->{id}", { settings => { member_access => 'none' } });
$r = as($dan, DELETE => "$base/$reports->{id}?recursive=0");
refused($r, '409 CONFLICT', 'what one may not see holds the folder');
is $r->{json}{details}{artifacts}, 1, '... of which what is shared is told';
as($ann, PATCH => "/v1/workspaces/$ws->{id}", { settings => { member_access => 'viewer' } });

# ---- at once: A into B and B into A, deleting and moving in, the same name

for my $round (1 .. 5) {
	my ($x, $y) = map { folder($ann, name => "race $round $_") } 'x', 'y';
	my @said = Vitrine::Api::together($stack, 8, sub {
		my ($own, $n) = @_;
		my ($from, $to) = $n % 2 ? ($x, $y) : ($y, $x);
		said($own->call(PATCH => "$base/$from->{id}", { token => $ann->{token}, json => { parent_id => $to->{id} } }));
	});
	is scalar(grep { !/^200|^409 CONFLICT/ } @said), 0, 'each is moved, or told why not' or diag "@said";
	my %parent = map { $_->[0] => $_->[1] } @{$db->selectall_arrayref('SELECT id, parent_id FROM folder WHERE id IN (?, ?)',
		undef, $x->{id}, $y->{id})};
	is scalar(grep { defined } values %parent), 1, 'one lies in the other, and not the other way round too';
	as($ann, DELETE => "$base/$_->{id}?recursive=1") for $x, $y;
}
for my $round (1 .. 5) {
	my $gone = folder($ann, name => "gone $round");
	my @said = Vitrine::Api::together($stack, 4, sub { my ($own, $n) = @_;
		said($n == 0 ? $own->call(DELETE => "$base/$gone->{id}?recursive=1", { token => $ann->{token} }) : $n == 1
			? $own->call(POST => "/v1/workspaces/$ws->{id}/artifacts/$art/move",
				{ token => $cat->{token}, json => { folder_id => $gone->{id} } })
			: $n == 2 ? $own->call(POST => '/v1/publish',
				{ token => $ben->{token}, json => { name => 'P', slug => "into-$round", workspace_id => $ws->{id},
					folder_id => $gone->{id}, files => [{ path => 'index.html', content => 'x' }] } })
			: $own->call(POST => $base, { token => $ben->{token}, json => { name => 'in it', parent_id => $gone->{id} } })) });
	is $said[0], '200 ', 'deleted while others put things into it';
	is scalar(grep { !/^20[01] |^404 NOT_FOUND/ } @said), 0, '... who did, or were told that it is gone' or diag "@said";
	is $db->selectrow_array('SELECT COUNT(*) FROM artifact a LEFT JOIN folder f ON f.id = a.folder_id AND f.workspace_id = '
		. 'a.workspace_id WHERE a.folder_id IS NOT NULL AND f.id IS NULL'), 0, '... and nothing lies in what is gone';
}
my @same = Vitrine::Api::together($stack, 8, sub {
	my ($own, $n) = @_;
	said($own->call(POST => $base, { token => $ann->{token}, json => { name => $n % 2 ? 'SAME' : 'same' } }));
});
is scalar(grep { $_ eq '201 ' } @same), 1, 'of a name at once there is one';
is scalar(grep { $_ eq '409 CONFLICT' } @same), 7, '... and the others are told';

# ---- written down

my @log = map { $_->[0] } @{$db->selectall_arrayref("SELECT action FROM audit WHERE workspace_id = ? AND target_id IN (?, ?) ORDER BY id",
	undef, $ws->{id}, $year->{id}, $cafe->{id})};
is "@log", 'folder.created folder.created folder.renamed folder.renamed folder.moved folder.moved folder.renamed folder.deleted',
	'what was done to folders is written down';
my ($before, $after) = $db->selectrow_array("SELECT before_it, after_it FROM audit WHERE action = 'folder.moved' AND target_id = ? "
	. "ORDER BY id DESC LIMIT 1", undef, $year->{id});
is decode_json($before)->{path} . ' ' . Cpanel::JSON::XS->new->decode($after)->{path}, '/TWENTY /Café/26', '... before and after'
	or diag "$before $after";

# ---- gone with the workspace

as($ann, DELETE => "/v1/workspaces/$ws->{id}");
refused(as($cat, GET => $base), '404 NOT_FOUND', 'a workspace in the trash has no folders');
$db->do('UPDATE workspace SET deleted_at = 1 WHERE id = ?', undef, $ws->{id});
$stack->runner for 1, 2;
is $db->selectrow_array('SELECT COUNT(*) FROM folder WHERE workspace_id = ?', undef, $ws->{id}), 0,
	'and one that is purged leaves none behind';

finish($stack);
