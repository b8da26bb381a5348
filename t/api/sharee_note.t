# SPDX-License-Identifier: Apache-2.0
# Notes about a client: members of the workspace read them, admins write them, the client never sees one.
use Vitrine::World;
use Vitrine::Words qw(as refused said);

my ($stack, $api, $db) = stack();
my $world = Vitrine::World->new($stack);
my ($ann, $ben, $eve, $pat) = map { $stack->user("$_\@example.org") } qw(ann ben eve pat);
sub made {
	my ($who, $name) = @_;
	my $id = as($who, POST => '/v1/workspaces', { name => $name })->{json}{workspace}{id};
	$db->do('UPDATE workspace SET features_on = 1 WHERE id = ?', undef, $id);
	return $id;
}
my ($ws, $other) = (made($ann, 'Team'), made($eve, 'Other'));
$stack->seat($ws, $ben, 'member');
sub client { my ($in, $name, @people) = @_; my $id = $world->id('shr');
	$db->do('INSERT INTO sharee (id, workspace_id, name, name_key, created_at) VALUES (?, ?, ?, ?, 0)', undef, $id, $in, $name, $name);
	$db->do('INSERT INTO sharee_member (sharee_id, user_id, workspace_id, created_at) VALUES (?, ?, ?, 0)', undef, $id, $_->{id}, $in)
		for @people;
	return $id }
my ($acme, $foreign) = (client($ws, 'Acme', $pat), client($other, 'Foreign'));
my $at = "/v1/workspaces/$ws/sharees/$acme/context";
sub put { my ($name, $text, %o) = @_; return as($ann, PUT => "$at/$name", type => 'text/markdown', body => $text, %o) }

is_deeply as($ben, GET => $at)->{json}, { success => $true, notes => [], next_cursor => undef }, 'none at first';
my $r = put('README.md', "# Acme\n");
is $r->{status}, 201, 'an admin writes one, as it is' or diag $r->{body};
my $author = { user_id => $ann->{id}, name => '', email => 'ann@example.org', kind => 'person' };
my $when = $r->{json}{updated_at};
is_deeply $r->{json}, { success => $true, name => 'README.md', content => "# Acme\n", updated_at => $when, updated_by => $author },
	'with exactly these members';
is_deeply as($ben, GET => "$at/README.md")->{json}, $r->{json}, 'a member reads it';
my $raw = as($ben, GET => "$at/README.md", headers => { Accept => 'text/markdown' });
is $raw->{body}, "# Acme\n", '... as it is, too';
like $raw->{headers}{'content-type'}, qr{^text/markdown}, '... as markdown';
is_deeply as($ben, GET => $at)->{json}{notes}, [{ name => 'README.md', size_bytes => 7, updated_at => $when, updated_by => $author }],
	'it is listed';
$r = as($ann, PUT => "$at/README.md", { content => "# Acme Inc.\n" });
is "$r->{status} $r->{json}{content}", "200 # Acme Inc.\n", 'an object with content replaces it';
my $etag = as($ben, GET => "$at/README.md")->{headers}{etag};
is as($ben, GET => "$at/README.md", headers => { 'If-None-Match' => $etag })->{status}, 304, 'unchanged since';
refused(put('README.md', 'x', headers => { 'If-Match' => '"other"' }), '412 PRECONDITION_FAILED', 'written upon what is another by now');
refused(as($ann, DELETE => "$at/README.md", headers => { 'If-Match' => '"other"' }), '412 PRECONDITION_FAILED', '... nor deleted');
is put('README.md', 'x', headers => { 'If-Match' => $etag })->{status}, 200, 'upon what one has read';
refused(put('new.md', 'x', headers => { 'If-Match' => $etag }), '412 PRECONDITION_FAILED', 'where there is none');

# ---- names and sizes

is put('a' x 100, 'x')->{status}, 201, 'a name of a hundred characters';
refused(put($_, 'x'), '404 NOT_FOUND', "none is called $_") for 'a' x 101, '.hidden', '-x', 'a%20b', '%C3%A9';
is put('large.md', 'x' x (256 << 10))->{status}, 201, 'as large as may be';
refused(put('large.md', 'x' x ((256 << 10) + 1)), '413 FILE_TOO_LARGE', 'and no larger');
refused(put('x.md', $_), '400 INVALID_REQUEST', 'what is no text') for "\xff", "a\0b";
refused(as($ann, PUT => "$at/x.md", { text => 'x' }), '400 INVALID_REQUEST', 'an object without content', qr/^content/);
put("n$_.md", 'x') for 1 .. 97;
refused(put('one-more.md', 'x'), '409 LIMIT_REACHED', 'a hundred of a client', qr/^The client has 100 files/);
is put('n1.md', 'y')->{status}, 200, '... of which each can be replaced';
is scalar @{as($ann, GET => "$at?limit=200")->{json}{notes}}, 100, 'all are listed';

# ---- who may, and whose

refused(as($ben, PUT => "$at/x.md", { content => 'x' }), '403 EXTERNAL_SHARING_NOT_ENTITLED', 'a member writes none');
refused(as($ben, DELETE => "$at/README.md"), '403 EXTERNAL_SHARING_NOT_ENTITLED', '... and deletes none');
for my $path ($at, "$at/README.md") {
	refused(as($_, GET => $path), '404 NOT_FOUND', "$_->{email} sees nothing") for $pat, $eve;
	refused(as($ann, GET => $path =~ s/\Q$acme/$foreign/r), '404 NOT_FOUND', 'of another workspace\'s client');
}
refused(as($ann, PUT => "/v1/workspaces/$ws/sharees/$foreign/context/x.md", { content => 'x' }), '404 NOT_FOUND', '... written');
refused(as($ann, DELETE => "/v1/workspaces/$ws/sharees/$foreign/context/x.md"), '404 NOT_FOUND', '... deleted');
$db->do('UPDATE workspace SET features_on = 0, features_off = 1 WHERE id = ?', undef, $ws);
refused(as($ben, GET => $at), '403 EXTERNAL_SHARING_NOT_ENTITLED', 'a plan without it');
$db->do('UPDATE workspace SET features_on = 1, features_off = 0 WHERE id = ?', undef, $ws);

# ---- the end

is as($ann, DELETE => "$at/README.md")->{status}, 200, 'deleted';
refused(as($ann, GET => "$at/README.md"), '404 NOT_FOUND', '... and is no more');
refused(as($ann, DELETE => "$at/README.md"), '404 NOT_FOUND', '... nor again');
$db->do('UPDATE sharee_note SET updated_by = NULL WHERE name = ?', undef, 'n1.md');
is as($ben, GET => "$at/n1.md")->{json}{updated_by}, undef, 'whose author is no more';
my @log = map { "@$_" } @{$db->selectall_arrayref(
	"SELECT action, after_it FROM audit WHERE workspace_id = ? AND target_id = 'README.md' ORDER BY id", undef, $ws)};
is join(' ', map { s/ .*//r } @log), 'sharee_note.added sharee_note.changed sharee_note.changed sharee_note.removed',
	'each is written down';
like $log[0], qr/\{"client":"Acme"\}$/, '... with whose it is';
finish($stack);
