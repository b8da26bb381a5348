# SPDX-License-Identifier: Apache-2.0
# Notes under bad intentions: what a private page says is nowhere for who can't open the page; links tell nothing; several write the same at
# once; twenty thousand.
use utf8;
use Vitrine::Counted;
use Vitrine::World;
use Vitrine::Words qw(as refused said);

my ($stack, $api, $db) = stack(Vitrine::World::unlimited(), workers => 4);
my $world = Vitrine::World->new($stack);
my ($ann, $ben, $cat) = map { $stack->user("$_\@example.org") } qw(ann ben cat);
my $ws = as($ann, POST => '/v1/workspaces', { name => 'Team', settings => { member_access => 'none' } })->{json}{workspace}{id};
$db->do('UPDATE workspace SET features_on = 63 WHERE id = ?', undef, $ws);
$stack->seat($ws, $_, 'member') for $ben, $cat;
my $at = "/v1/workspaces/$ws/knowledge";
sub put {
	my ($who, $path, $text, %o) = @_;
	utf8::encode($text) if utf8::is_utf8($text);
	return as($who, PUT => "$at/files/$path", type => 'text/markdown', body => $text, %o);
}

# ---- a private page's words

my $art = $api->publish($ann, name => 'Xylophone merger', slug => 'xylophone', visibility => 'private', workspace_id => $ws);
$world->make(note => ws => $ws, art => $art, content => 'x');
my $secret = "# Xylophone merger\n\nBuying Quagga for 42 million, see [[shared|the marzipan clause]].\n";
put($ann, 'pages/xylophone.md', $secret);
put($ben, 'shared.md', "# Shared\n\n[[pages/xylophone]] [[pages/xylophones]]\n");
put($ann, 'pages/xylophone.md', $secret . "\nAnd [[pages/xylophone]].\n");
$db->do("INSERT INTO note_newer SELECT id, 2, 'Xylophone merger', 'Quagga, and the marzipan clause', 0 FROM note WHERE artifact_id = ?",
	undef, $art);
Vitrine::Counted::settled($db);
my $bot = { token => as($ann, POST => "/v1/workspaces/$ws/agent-tokens",
	{ name => 'Bot', scopes => ['data:read', 'artifacts:read'] })->{json}{token} };
for my $who ($ben, $bot) {
	for my $path ('', '/tree', '/status', '/files/shared.md', '/history/shared.md',
		map { "/$_/pages/xylophone.md" } qw(files history learned)) {
		my $r = as($who, GET => "$at$path");
		unlike $r->{body} =~ s/\[\[pages[^"]*//gr, qr/xylophone|quagga|marzipan|merger|42 million/i, "no word of it at $path";
	}
	for my $q (qw(xylophone quagga marzipan xylofone xyl), 'quagga%20marzipan') {
		unlike as($who, GET => "/v1/search?q=$q")->{body} =~ s/[^{]*"path":"shared.md".*?\}//r,
			qr/merger|42 million|pages\/xylophone\.md/i, "nor by $q";
	}
}
like as($ann, GET => '/v1/search?q=marzipan')->{body}, qr{pages/xylophone\.md}, 'who may open it finds it by what stands on it';
is_deeply as($ben, GET => "$at/files/shared.md")->{json}{backlinks}, [], 'the page\'s link back is not told';
is scalar @{as($ann, GET => "$at/files/shared.md")->{json}{backlinks}}, 1, '... to who may know it, it is';
my %told = map { my $slug = $_; ($slug => join '|', map {
	my $r = $_;
	(said($r) . ($r->{json}{error} // '')) =~ s/xylophones?/X/gr;
} as($ben, GET => "$at/files/pages/$slug.md"), put($ben, "pages/$slug.md", 'x'), as($ben, DELETE => "$at/files/pages/$slug.md"),
	as($ben, GET => "$at/history/pages/$slug.md"),
	map { as($ben, $_ => "$at/learned/pages/$slug.md", { version_no => 2 }) } qw(GET POST)) } qw(xylophone xylophones);
is $told{xylophone}, $told{xylophones}, 'hidden and absent are told alike';
my ($visible) = map { $_->{content} } as($ann, GET => "$at/files/pages/xylophone.md")->{json};
like $visible, qr/42 million/, 'and nothing of it was changed';
$db->do("UPDATE workspace SET member_access = 'viewer' WHERE id = ?", undef, $ws);
is as($ben, GET => "$at/files/pages/xylophone.md")->{status}, 200, 'with a role on the page it is there at once';
like as($ben, GET => '/v1/search?q=quagga')->{body}, qr{pages/xylophone\.md}, '... and is found';
$db->do("UPDATE workspace SET member_access = 'none' WHERE id = ?", undef, $ws);

# ---- what texts can't do

put($ben, 'evil.md', join "\n", '# <script>alert(1)</script>',
	'[x](javascript:alert(1)) [[guides/"><img src=x onerror=alert(1)>|<b>bold</b>]]', '[[a]](javascript:alert(1))', '[[' x 50000);
my $note = as($ben, GET => "$at/files/evil.md")->{json};
is $note->{title}, 'alert(1)', 'a title is text';
put($ben, 'marks.md', '[[x|' . ('y' x 300) . "]] \x{202e}[[z]]");
is as($ben, GET => "$at/files/marks.md")->{status}, 200, 'long words of a link';
put($ben, 'many.md', join ' ', ('[[same]]') x 20000);
is scalar @{as($ben, GET => "$at/files/many.md")->{json}{links}}, 1, 'the same link ten thousand times is one';

# ---- at once

my $etag = as($ben, GET => "$at/files/shared.md", headers => { Accept => 'text/markdown' })->{headers}{etag};
my @done = Vitrine::Api::together($stack, 6, sub {
	my ($one, $i) = @_;
	return $one->call(PUT => "$at/files/shared.md", { token => ($i % 2 ? $ben : $cat)->{token}, type => 'text/markdown',
		body => "by $i\n", headers => { 'If-Match' => $etag } })->{status};
});
is join(' ', sort @done), '200 412 412 412 412 412', 'of those who have read the same text, one writes';
@done = Vitrine::Api::together($stack, 6, sub {
	my ($one, $i) = @_;
	return $one->call(PUT => "$at/files/" . ($i % 2 ? 'New Note.md' : 'new note.md') =~ s/ /%20/r,
		{ token => $ben->{token}, type => 'text/markdown', body => "new\n" })->{status};
});
is join(' ', sort(@done)) =~ s/(?:200 )*//r, '201 409 409 409', 'of two names that are one, one is made';
@done = Vitrine::Api::together($stack, 8, sub {
	my ($one, $i) = @_;
	return $one->call(PUT => "$at/files/log.md", { token => $ben->{token}, type => 'text/markdown', body => "line $i\n" })->{status};
});
is join(' ', sort @done), '200 200 200 200 200 200 200 201', 'eight write the same note';
is scalar @{as($ben, GET => "$at/history/log.md")->{json}{edits}}, 8, '... and each text is kept';
put($ben, 'agents.md', "before\n");
my $tokens = [map { $stack->token($_->{id}, 'so_', scopes => 15) } $ben, $cat];
sub note_write {
	my ($one, $i, %in) = @_;
	my $r = $one->call(POST => '/mcp', { token => $tokens->[$i % 2], json => { jsonrpc => '2.0', id => 1, method => 'tools/call',
		params => { name => 'note_write', arguments => { workspace => $ws, text => "by agent $i\n", %in } } } });
	my $told = $r->{json}{result} // {};
	return $told->{structuredContent}{saved} // ($told->{content}[0]{text} // $r->{body}) =~ s/:.*//sr;
}
for my $round (1 .. 3) {
	my $is = as($ben, GET => "$at/files/agents.md")->{json}{content};
	is join(' ', sort(Vitrine::Api::together($stack, 8, sub {
		note_write(@_, path => 'agents.md', before => $is, text => "by agent $_[1] in round $round\n");
	}))), join(' ', ('CONFLICT') x 7, 'changed'), 'of eight agents that replace the same text, one does';
}
is join(' ', sort(Vitrine::Api::together($stack, 8, sub { note_write(@_, path => 'agents-new.md') }))), join(' ', ('CONFLICT') x 7, 'new'),
	'... and of eight that begin one';

# ---- twenty thousand

$db->do("INSERT INTO note (id, workspace_id, path, path_key, title, size_bytes, sha256, origin, created_at, updated_at) "
	. "SELECT CONCAT('note_', LPAD(9000000 + seq, 26, '0')), ?, CONCAT('many/', seq, '.md'), UNHEX(SHA2(CONCAT('many/', seq, '.md'), "
	. "256)), 'Many', 1, UNHEX(SHA2('x', 256)), 'human', 1, 1 FROM seq_1_to_20000", undef, $ws);
$db->do("INSERT INTO note_text SELECT CONCAT('note_', LPAD(9000000 + seq, 26, '0')), 'x' FROM seq_1_to_20000");
refused(put($ben, 'one-more.md', 'x'), '409 LIMIT_REACHED', 'no more', qr/20,000 notes/);
is put($ben, 'log.md', 'still changed')->{status}, 200, '... but each can be changed';
is as($ben, GET => "$at/tree")->{status}, 200, 'all are listed';
$db->do("DELETE FROM note WHERE title = 'Many' AND path NOT LIKE 'many/1____'");
like +($stack->program('vitrinectl', {}, 'fsck', '--quick'))[1], qr/things aren't found as they should be/,
	'fsck notices what no words are kept of';
$db->do("DELETE FROM note WHERE title = 'Many'");
$stack->ctl('reindex');
like $stack->ctl('fsck', '--quick'), qr/^clean/, 'all is as it should be';
$db->do("UPDATE note_link SET path = 'other.md' WHERE path = 'same.md'");
like +($stack->program('vitrinectl', {}, 'fsck', '--quick'))[1], qr/note note_\w+: its links aren't its text's; run vitrinectl reproject/,
	'... and links that are not a text\'s are told';
finish($stack);
