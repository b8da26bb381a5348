# SPDX-License-Identifier: Apache-2.0
# A workspace's notes: written, read, linked, with what they said before; learned ones, which are seen by who may open their page; the
# switch.
use utf8;
use Vitrine::World;
use Vitrine::Words qw(as refused said);

my ($stack, $api, $db) = stack(Vitrine::World::unlimited());
my $world = Vitrine::World->new($stack);
my ($ann, $adm, $ben, $eve) = map { $stack->user("$_\@example.org") } qw(ann adm ben eve);
sub team {
	my ($who, $name) = @_;
	my $id = as($who, POST => '/v1/workspaces', { name => $name })->{json}{workspace}{id};
	$db->do('UPDATE workspace SET features_on = 63 WHERE id = ?', undef, $id);
	return $id;
}
my ($ws, $other) = (team($ann, 'Team'), team($eve, 'Other'));
$stack->seat($ws, $adm, 'admin');
$stack->seat($ws, $ben, 'member');
my $at = "/v1/workspaces/$ws/knowledge";
sub put { my ($who, $path, $text, %o) = @_; return as($who, PUT => "$at/files/$path", type => 'text/markdown', body => $text, %o) }
sub read_note { my ($who, $path) = @_; return as($who, GET => "$at/files/$path")->{json} }
sub paths { my ($who) = @_; return join ' ', map { $_->{path} } @{as($who, GET => "$at/tree")->{json}{tree}} }

# ---- people's notes

my $zero = { notes => 0, learned => 0, human => 0, queued => 0, failed => 0, forgotten => 0 };
is_deeply as($ben, GET => $at)->{json}, { success => $true, settings => { enabled => $false, summaries => $false, model => undef },
	counts => $zero }, 'nothing at first, and off';
is_deeply as($ben, GET => "$at/tree")->{json}, { success => $true, tree => [] }, '... in the tree';
my $r = put($ben, 'guides/price-rules.md', "# Price rules\n\nSee [[guides/who|who does what]] and [[Guides/Price-Rules]].\n\n`[[code]]`\n");
is $r->{status}, 201, 'a member writes one, although nothing is learned' or diag $r->{body};
my $by_ben = { user_id => $ben->{id}, name => '', email => 'ben@example.org', kind => 'person' };
my $when = $r->{json}{updated_at};
is_deeply $r->{json}, { success => $true, path => 'guides/price-rules.md', title => 'Price rules', origin => 'human', edited => $false,
	content => "# Price rules\n\nSee [[guides/who|who does what]] and [[Guides/Price-Rules]].\n\n`[[code]]`\n",
	source => undef, links => [{ path => 'guides/who.md', title => undef, origin => undef },
		{ path => 'guides/price-rules.md', title => 'Price rules', origin => 'human' }], backlinks => [], learned_at => undef,
	created_at => $when, updated_at => $when, updated_by => $by_ben }, '... with exactly these members; code is no link';
is_deeply read_note($ann, 'guides/price-rules.md'), $r->{json}, 'another member reads it';
my $raw = as($ann, GET => "$at/files/guides/price-rules.md", headers => { Accept => 'text/markdown' });
like "$raw->{headers}{'content-type'} $raw->{body}", qr/^text\/markdown.*# Price rules/s, '... as it was written, too';
is put($ann, 'guides/who.md', "Everyone **may** ask.\n\n- before it, [[guides/price-rules]] say the rest.\n")->{status}, 201,
	'what was not written yet';
is_deeply [map { $_->{title} } @{read_note($ben, 'guides/price-rules.md')->{links}}], ['who', 'Price rules'],
	'... is now; without a heading it is called as its path ends';
is_deeply read_note($ben, 'guides/price-rules.md')->{backlinks},
	[{ path => 'guides/who.md', title => 'who', text => 'before it, guides/price-rules say the rest.' }],
	'... and links back, with what stands around it';
is_deeply as($ben, GET => "$at/tree")->{json}{tree},
	[{ path => 'guides', type => 'folder', map { $_ => undef } qw(title size origin edited updated_at etag) },
		map { {
			path => "guides/$_->[0].md", type => 'file', title => $_->[1], size => $_->[2], origin => 'human', edited => $false,
			updated_at => read_note($ben, "guides/$_->[0].md")->{updated_at},
			etag => as($ben, GET => "$at/files/guides/$_->[0].md", headers => { Accept => 'text/markdown' })->{headers}{etag}
		} } ['price-rules', 'Price rules', 88], ['who', 'who', 73]], 'the tree has both, below their folder';
is as($ben, GET => $at)->{json}{counts}{human}, 2, '... and they are counted';
is put($ben, 'guides/who.md', "Nobody.\n")->{status}, 200, 'changed';
is_deeply read_note($ben, 'guides/price-rules.md')->{backlinks}, [], '... what it linked to is linked from it no more';

# ---- paths, sizes

refused(put($ben, $_->[0], 'x'), '400 INVALID_REQUEST', "the path $_->[0]", $_->[1]) for ['..%2fx.md', qr/^path/], ['a%2fb.md',
	qr/^path.*%2f/], ['a/./b.md', qr/^path/], ['a//b.md', qr/^path/], ['x', qr/\.md/], ['.md', qr/\.md/], ['a.md/b.md', qr/folder/],
	['%C3%A9' . ('x' x 251) . '.md', qr/^path/], ['a%E2%80%8Bb.md', qr/invisible/], ['pages/mine.md', qr{pages/.*another folder}],
	['Pages/mine.md', qr{pages/}];
is as($ben, PUT => "$at/files/a%00b.md", body => 'x', type => 'text/markdown', unchecked => 1)->{status}, 400, 'no NUL';
refused(as($ben, GET => "$at/files/..%2f..%2fx.md"), '400 INVALID_REQUEST', 'none is read by one');
refused(put($ben, 'Guides/WHO.md', 'x'), '409 CONFLICT', 'a path that people take for another', qr{guides/who\.md});
is put($ben, 'größe/ä%20b.md', 'x')->{status}, 201, 'any script, and spaces';
is read_note($ben, 'gr%C3%B6%C3%9Fe/%C3%A4%20b.md')->{title}, 'ä b', '... read again';
is put($ben, 'large.md', 'x' x (256 << 10))->{status}, 201, 'as large as may be';
refused(put($ben, 'large.md', 'x' x ((256 << 10) + 1)), '413 FILE_TOO_LARGE', 'and no larger');
refused(put($ben, 'x.md', $_), '400 INVALID_REQUEST', 'what is no text') for "\xff", "a\0b";
refused(put($ben, 'x.md', join ' ', map { "[[n$_]]" } 1 .. 1001), '400 INVALID_REQUEST', 'a thousand links at most', qr/^content.*1000/);
refused(as($ben, PUT => "$at/files/x.md", { text => 'x' }), '400 INVALID_REQUEST', 'an object without content', qr/^content/);
is paths($ann), 'größe größe/ä b.md guides guides/price-rules.md guides/who.md large.md', 'nothing of it was written';

# ---- two editors, and what was before

my $json = as($ben, GET => "$at/files/guides/who.md");
$raw = as($ben, GET => "$at/files/guides/who.md", headers => { Accept => 'text/markdown' });
isnt $json->{headers}{etag}, $raw->{headers}{etag}, 'two forms, two ETags';
is as($ben, GET => "$at/files/guides/who.md", headers => { 'If-None-Match' => $json->{headers}{etag} })->{status}, 304, 'unchanged since';
put($ben, 'led.md', '[[guides/who#How to ask]] ![[guides/who]] [[guides/who.md]] [[guides/who.MD|who]] [[#Here]]');
is join(' ', map { $_->{path} } @{read_note($ben, 'led.md')->{links}}), 'guides/who.md',
	'a link with a heading, an ending or an exclamation mark is one to its note';
as($adm, DELETE => "$at/files/led.md");
put($ann, 'index.md', 'See [[guides/who]].');
is as($ben, GET => "$at/files/guides/who.md", headers => { 'If-None-Match' => $json->{headers}{etag} })->{status}, 200,
	'... a new link to it is a change';
is put($ben, 'guides/who.md', "Ben.\n", headers => { 'If-Match' => $json->{headers}{etag} })->{status}, 200,
	'... of which one who edits need not know';
refused(put($ann, 'guides/who.md', "Ann.\n", headers => { 'If-Match' => $_->{headers}{etag} }), '412 PRECONDITION_FAILED',
	'written upon what is another by now') for $raw, $json;
refused(put($ann, 'new.md', 'x', headers => { 'If-Match' => $raw->{headers}{etag} }), '412 PRECONDITION_FAILED', '... where there is none');
is put($ann, 'guides/who.md', "Ben.\n")->{status}, 200, 'the same text again';
is put($ann, 'guides/who.md', "\xef\xbb\xbfBen.\n")->{status}, 200, '... with the mark of its byte order';
my @edits = @{as($ben, GET => "$at/history/guides/who.md")->{json}{edits}};
is join(' ', map { "$_->{no}$_->{by}{email}" . ($_->{current} ? '!' : '') } @edits), '3ben@example.org! 2ben@example.org 1ann@example.org',
	'... is no change; the others are kept';
is_deeply [sort keys %{$edits[0]}], [qw(at by current learned no size)], '... with these members';
is as($ben, GET => "$at/history/guides/who.md?no=2")->{json}{edits}[0]{content}, "Nobody.\n", 'one of them';
refused(as($ben, GET => "$at/history/guides/who.md?no=4"), '404 NOT_FOUND', 'none of that number', qr/^no/);
put($ben, 'guides/who.md', "Version $_.\n") for 1 .. 32;
@edits = @{as($ben, GET => "$at/history/guides/who.md")->{json}{edits}};
is scalar(@edits) . " $edits[0]{no} $edits[-1]{no}", '31 35 5', 'thirty of the past, and the present';

# ---- what is learned

$db->do("UPDATE workspace SET member_access = 'none' WHERE id = ?", undef, $ws);
my %art = map {
	$_->[0] => $api->publish($ann, name => $_->[0], slug => $_->[0], visibility => $_->[1], workspace_id => $ws);
} ['secret-plan', 'private'], ['open-house', 'public'], ['by-address', 'unlisted'];
$world->make(note => ws => $ws, art => $art{$_}, content => "# $_ page\n\nFrom [[pages/secret-plan]] and [[pages/open-house]].\n")
	for sort keys %art;
is paths($adm) =~ s/ [^p]\S*//gr =~ s/^\S+ //r =~ s/b\.md//r, 'pages pages/by-address.md pages/open-house.md pages/secret-plan.md',
	'who governs sees all';
like paths($ben), qr{large\.md pages pages/open-house\.md$}, 'a member what is public, and by its address alone nothing';
is_deeply [@{as($_->[0], GET => $at)->{json}{counts}}{qw(notes learned)}], $_->[1], 'counted so' for [$adm, [8, 3]], [$ben, [6, 1]];
refused(as($ben, GET => "$at/files/pages/$_.md"), '404 NOT_FOUND', "$_ is not there for them") for qw(secret-plan by-address absent);
refused(as($ben, GET => "$at/history/pages/secret-plan.md"), '404 NOT_FOUND', '... nor its past');
my @said = map { my $r = put($ben, "pages/$_.md", 'x'); (said($r) . $r->{json}{error}) =~ s/$_/X/gr } qw(secret-plan absent);
is $said[0], $said[1], '... and writing tells nothing';
is said(put($ben, 'pages/secret-plan.md', 'x', headers => { 'If-Match' => '*' })), '412 PRECONDITION_FAILED', '... nor a condition';
put($ben, 'mine.md', "[[pages/secret-plan]] [[pages/absent]] [[pages/open-house]]");
is join(' ', map { $_->{path} } @{read_note($ben, 'mine.md')->{links}}), 'pages/open-house.md',
	'a link to what is hidden is as one to what is absent';
is join(' ', map { $_->{path} } @{read_note($adm, 'mine.md')->{links}}), 'pages/secret-plan.md pages/open-house.md', '... who may, sees it';
is join(' ', map { $_->{path} } @{read_note($_->[0], 'pages/open-house.md')->{backlinks}}), $_->[1], 'backlinks likewise'
	for [$ben, 'mine.md'], [$adm, 'mine.md pages/by-address.md pages/secret-plan.md'];
$r = read_note($adm, 'pages/open-house.md');
is_deeply $r->{source}, { artifact_id => $art{'open-house'}, version_no => 1,
	url => as($ann, GET => "/v1/artifacts/$art{'open-house'}")->{json}{artifact}{url} }, 'it says from which page it is';
as($ann, POST => "/v1/artifacts/$art{'secret-plan'}/collaborators", { emails => ['ben@example.org'], role => 'viewer' });
is read_note($ben, 'pages/secret-plan.md')->{title}, 'x', 'shared, it is there';
as($ann, PATCH => "/v1/artifacts/$art{'open-house'}", { slug => 'new-house' });
is read_note($ben, 'pages/new-house.md')->{path}, read_note($ben, 'pages/open-house.md')->{path},
	'another slug is another path; the former leads to it';
is join(' ', map { $_->{path} } @{read_note($ben, 'mine.md')->{links}}), 'pages/secret-plan.md pages/new-house.md', '... and links hold';
is put($ben, 'pages/open-house.md', "# Corrected\n")->{json}{edited}, $true, 'a member corrects it, by any of its paths';
is read_note($ben, 'pages/new-house.md')->{title}, 'Corrected', '... it is that note';
is as($ben, GET => "$at/history/pages/new-house.md")->{json}{edits}[1]{learned}, $true, 'what was learned is kept';
as($ann, DELETE => "/v1/artifacts/$art{'open-house'}");
refused(as($ben, GET => "$at/files/pages/new-house.md"), '404 NOT_FOUND', 'with its page in the trash it is hidden');
as($ann, POST => "/v1/artifacts/$art{'open-house'}/restore");
is read_note($adm, 'pages/new-house.md')->{title}, 'Corrected', '... and back with it';

# ---- who may, and whose

for my $path ('', '/status', '/tree', '/files/guides/who.md', '/history/guides/who.md') {
	refused(as($eve, GET => "$at$path"), '404 NOT_FOUND', "a stranger sees nothing at $path");
}
refused(put($eve, 'x.md', 'x'), '404 NOT_FOUND', '... and writes nothing');
refused(as($ben, DELETE => "$at/files/large.md"), '403 ACCESS_DENIED', 'a member deletes none');
refused(as($ben, POST => "$at/$_", { enabled => $true }), '403 ACCESS_DENIED', "... nor is $_ theirs") for qw(enable backfill);
refused(as($adm, DELETE => "$at/files/large.md", headers => { 'If-Match' => '"x"' }), '412 PRECONDITION_FAILED',
	'nor what is another by now deleted');
is as($adm, DELETE => "$at/files/large.md")->{status}, 200, 'an admin deletes';
refused(as($adm, DELETE => "$at/files/large.md"), '404 NOT_FOUND', '... once');
is as($adm, DELETE => "$at/files/pages/secret-plan.md?forget=1")->{status}, 200, 'a learned one is forgotten';
my $bot = as($ann, POST => "/v1/workspaces/$ws/agent-tokens", { name => 'Bot', scopes => ['data:read'] })->{json}{token};
is as({ token => $bot }, GET => "$at/files/guides/who.md")->{status}, 200, 'an agent of the workspace reads';
refused(put({ token => $bot }, 'x.md', 'x'), '403 INSUFFICIENT_SCOPE', '... and writes with the scope for it');

# ---- the switch

is as($adm, POST => "$at/enable", { enabled => $true })->{json}{settings}{enabled}, $true, 'on';
refused(as($adm, POST => "$at/enable", { enabled => $true, summaries => $true }), '409 CONFLICT', 'no summaries without a model',
	qr/^summaries/);
$db->do("INSERT INTO artifact (id, owner_id, workspace_id, name, slug, visibility, live_no, last_no, created_at, updated_at) SELECT "
	. "CONCAT('art_', LPAD(8000000 + seq, 26, '0')), ?, ?, 'Many', CONCAT('many-', seq), 'private', 1, 1, seq, seq FROM seq_1_to_230",
	undef, $ann->{id}, $ws);
is_deeply as($adm, POST => "$at/backfill", {})->{json}, { success => $true, queued => 200, kicked => $true },
	'what is missing is learned, 200 at once';
is join(' ', $db->selectrow_array("SELECT COUNT(*) > 0, MAX(IF(l.artifact_id IS NULL, a.updated_at, 0)) < MIN(IF(l.artifact_id IS NULL, "
		. "1000, a.updated_at)) FROM artifact a LEFT JOIN learning l ON l.artifact_id = a.id WHERE a.name = 'Many'")), '1 1',
	'... the newest first';
is join(' ', map { as($adm, POST => "$at/backfill")->{json}{queued} > 0 ? 'more' : 'none' } 1, 2), 'more none', '... then the others';
refused(as($adm, POST => "$at/backfill", { artifact_ids => [map { sprintf 'art_%026d', 8000000 + $_ } 1 .. 201] }), '400 INVALID_REQUEST',
	'nor more that are named', qr/^artifact_ids/);
is as($adm, GET => "$at/status")->{json}{recent}[0]{outcome}, 'waiting', 'what waits is listed';
$db->do("DELETE FROM $_") for 'learning', "artifact WHERE name = 'Many'";
$db->do('UPDATE workspace SET features_on = 0, features_off = 63 WHERE id = ?', undef, $ws);
refused(as($adm, POST => "$at/backfill"), '402 TIER_REQUIRED', 'not without the plan');
refused(as($adm, POST => "$at/enable", { enabled => $true }), '402 TIER_REQUIRED', '... nor switched on');
is put($ben, 'guides/who.md', "Still.\n")->{status}, 200, '... while people read and write as before';
is as($adm, POST => "$at/enable", { enabled => $false })->{json}{settings}{enabled}, $false, 'off, whatever the plan';
$db->do('UPDATE workspace SET features_on = 63, features_off = 0 WHERE id = ?', undef, $ws);
refused(as($adm, POST => "$at/backfill"), '409 CONFLICT', 'while it is off nothing is learned', qr/turn it on/);
refused(as($adm, POST => "$at/enable", {}), '400 INVALID_REQUEST', 'it is said which', qr/^enabled/);
is join(' ', map { $_->[0] } @{$db->selectall_arrayref(
	"SELECT action FROM audit WHERE workspace_id = ? AND (action LIKE 'knowledge%' OR action LIKE 'note%') ORDER BY id", undef, $ws)}),
	'note.deleted note.deleted note.forgotten knowledge.on knowledge.off', 'written down';
finish($stack);
