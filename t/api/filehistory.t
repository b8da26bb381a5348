# SPDX-License-Identifier: Apache-2.0
# One file through the versions: which changed it, and for each line where it comes from.
use utf8;
use Vitrine::Words qw(as said refused);

my ($stack, $api, $db) = stack(publish_per_hour => 100000);
my ($ann, $ben, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben eve);
my $art = $api->publish($ann, slug => 'site', visibility => 'public', message => 'first', files => { 'index.html' => "a\nb\nc\n",
	'é.txt' => 'x' });
$stack->collaborator($art, $ben, 'editor');
sub publish {
	my ($who, $text, %fields) = @_;
	my $r = as($who, POST => '/v1/publish', { artifact_id => $art, %fields,
		files => [{ path => 'é.txt', content => 'x' }, defined $text ? { path => 'index.html',
			content => $text } : { path => 'o.html', content => '' }] });
	die $r->{body} if $r->{status} != 201;
}
my $at = "/v1/artifacts/$art";
publish($ben, "a\nB\nc\n", message => 'second');
publish($ann, "a\nB\nc\n");
publish($ann, "a\ndraft\nc\n", draft => \1);
publish($ann, "0\na\nB\nc\nd\n");

my $r = as($ann, GET => "$at/file-history?path=index.html");
is_deeply [map { "$_->{version_no} $_->{change} $_->{size_bytes} " . ($_->{message} // '-') } @{$r->{json}{changes}}],
	['5 changed 10 -', '2 changed 6 second', '1 added 6 first'], 'versions that changed it, newest first, without drafts';
is_deeply [sort keys %{$r->{json}{changes}[0]}], [sort qw(version_no at by agent_name message change size_bytes)],
	'exactly these members';
is $r->{json}{changes}[1]{by}, 'ben@example.org', 'and who it was';
$r = as($ann, GET => "$at/file-history?path=index.html&limit=2");
is_deeply [map { $_->{version_no} } @{$r->{json}{changes}}], [5, 2], 'a page';
is_deeply [map { $_->{version_no} } @{as($ann,
	GET => "$at/file-history?path=index.html&limit=2&cursor=$r->{json}{next_cursor}")->{json}{changes}}], [1],
	'... and the next';
is scalar @{as($ann, GET => "$at/file-history?path=e%CC%81.txt")->{json}{changes}}, 1, 'a path is composed';
refused(as($ann, GET => "$at/file-history"), '400 INVALID_REQUEST', 'no path', qr/^path/);
is scalar @{as($ann, GET => "$at/file-history?path=nope")->{json}{changes}}, 0, 'a file that never was';
refused(as($ann, GET => "$at/file-history?path=index.html&cursor=x"), '400 INVALID_REQUEST', 'a cursor of nobody');
refused(as($eve, GET => "$at/$_?path=index.html"), '403 ACCESS_DENIED', "a stranger: $_") for qw(file-history blame);

sub blame {
	my ($more) = @_;
	my $r = as($ann, GET => "$at/blame?path=index.html" . ($more // ''));
	return join(' ', map { "$_->{from}-$_->{to}:$_->{version_no}" } @{$r->{json}{lines} // []}) . ($r->{json}{older} ? ' older' : '');
}
is blame(), '1-1:5 2-2:1 3-3:2 4-4:1 5-5:5', 'each line has its version';
refused(as($ann, GET => "$at/blame?path=nope.html"), '404 NOT_FOUND', 'a file that is none', qr/There is no file nope\.html in version 5/);
is blame('&version=1'), '1-3:1', 'of an earlier version';
is blame('&version=4'), '1-1:1 2-2:4 3-3:1', 'of a draft, its own lines, too';
is as($ann, GET => "$at/blame?path=index.html")->{json}{lines}[2]{by}, 'ben@example.org', 'and who wrote it';
$stack->db->do("UPDATE version SET agent_name = 'Bot' WHERE artifact_id = ? AND version_no = 2", undef, $art);
is as($ann, GET => "$at/blame?path=index.html")->{json}{lines}[2]{agent_name}, 'Bot', '... by which agent';
publish($ann, undef, entrypoint => 'o.html');
publish($ben, "a\n");
is blame(), '1-1:7', 'a file that came back is of the version that brought it';
is join(' ', map { $_->{change} } @{as($ann, GET => "$at/file-history?path=index.html")->{json}{changes}}),
	'added removed changed changed added', '... and its history says so';
refused(as($ann, GET => "$at/blame?path=nope"), '404 NOT_FOUND', 'no such file');
refused(as($ann, GET => "$at/blame?path=index.html&version=99"), '404 NOT_FOUND', 'no such version');
publish($ann, join '', map { "$_\n" } 1 .. 20_001);
refused(as($ann, GET => "$at/blame?path=index.html"), '413 FILE_TOO_LARGE', 'a file of more lines', qr/^path: index\.html isn't text/);
is as($ann, POST => '/v1/publish', { artifact_id => $art, files => [{ path => 'index.html', content => '/wD/', encoding => 'base64' }] })
	->{status}, 201, 'bytes';
refused(as($ann, GET => "$at/blame?path=index.html"), '413 FILE_TOO_LARGE', '... that are no text', qr/isn't text/);
publish($ann, join '', map { "$_\n" } 1 .. 500);
publish($ann, join '', map { $_ % 100 ? "$_\n" : "x$_\n" } 1 .. 500);
like blame(), qr/^1-99:\d+ 100-100:\d+ 101-199:/, 'a longer one';
as($ann, DELETE => "$at/versions/2");
is as($ann, GET => "$at/file-history?path=index.html")->{status}, 200, 'after a version is removed';
$db->do('UPDATE version SET first_live_at = NULL WHERE artifact_id = ? AND version_no = 3', undef, $art);

# More changes than are looked at.
$db->do('INSERT INTO version (artifact_id, version_no, id, created_at, created_by, first_live_at, is_open, entrypoint, routing, file_count,'
	. " size_bytes) SELECT artifact_id, version_no + 100 + s.seq, CONCAT('ver_', LPAD(s.seq, 26, '0')), created_at, created_by,"
	. ' created_at, 0, entrypoint, routing, 0, 0 FROM version, seq_1_to_210 s WHERE artifact_id = ? AND version_no = 1', undef, $art);
$db->do('INSERT INTO version_file SELECT v.artifact_id, v.version_no, f.path, f.sha256, f.size_bytes, f.mime, f.declared FROM version v'
	. ' JOIN version_file f ON f.artifact_id = v.artifact_id AND f.version_no = IF(v.version_no % 2, 1, 5)'
	. " WHERE v.artifact_id = ? AND v.version_no > 100 AND f.path = 'index.html'", undef, $art);
like blame('&version=311'), qr/ older$/, 'beyond 200 changes it says that there are more' ;
finish($stack);
