# SPDX-License-Identifier: Apache-2.0
# POST /v1/publish with base_version: what others have published since is kept. Files that one side changed are united, texts that both
# changed are merged by lines, and what is in conflict is told, and settled by one more call. Patches, and deleted paths.
use utf8;
use Digest::SHA 'sha256_hex';
use MIME::Base64;
use Vitrine::Words qw(as said refused);

my ($stack, $api, $db) = stack(publish_per_hour => 100000, publish_failures_per_hour => 100000, grace_s => 0,
	max_files => 160);
my ($ann, $ben, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben eve);
my $n = 0;

sub files { my (%f) = @_; return [map { { path => $_, content => $f{$_} } } sort keys %f] }
# A new artifact of ann's that ben edits.
sub made {
	my (%files) = @_;
	my $art = $api->publish($ann, slug => 'm' . ++$n, files => \%files);
	$stack->collaborator($art, $ben, 'editor');
	return $art;
}
sub publish {
	my ($who, $art, %fields) = @_;
	return as($who, POST => '/v1/publish', { artifact_id => $art, %fields,
		$fields{files} ? (files => files(%{$fields{files}})) : () });
}
sub text { my ($art, $path, $v) = @_; return as($ann, GET => "/v1/artifacts/$art/files/$path" . ($v ? "?version=$v" : ''))->{body} }
sub paths { my ($art, $v) = @_; return join ' ', map { $_->{path} } @{as($ann,
	GET => "/v1/artifacts/$art/files?limit=200" . ($v ? "&version=$v" : ''))->{json}{files}} }
sub ver { my ($r) = @_; is $r->{status}, 201, 'published' or diag $r->{body}; return $r->{json}{version}{version_no} }

# ---- by paths

my %page = ('index.html' => "<p>1\n", 'a.txt' => "a\n", 'b.txt' => "b\n");
my $art = made(%page);
is ver(my $r = publish($ann, $art, base_version => 1, files => { %page, 'a.txt' => "ann\n" })), 2, 'the base is live: as ever';
is $r->{json}{merged}, undef, '... and nothing is merged';
is ver($r = publish($ben, $art, base_version => 1, files => { %page, 'b.txt' => "ben\n", 'c.txt' => "new\n" })), 3,
	'another file is changed';
is_deeply $r->{json}{merged}, { base => 1, with => 2, kept => 1, lines => [] }, '... and the reply says what stayed';
is text($art, 'a.txt') . text($art, 'b.txt') . text($art, 'c.txt'), "ann\nben\nnew\n", 'both changes are live';
is paths($art), 'a.txt b.txt c.txt index.html', 'all files are there';
ver($r = publish($ann, $art, base_version => 1, files => { %page, 'd.txt' => 'd' }));
is $r->{json}{merged}{kept}, 3, 'what others changed or added stays';

# What is removed: b.txt is gone unless another changed it.
$art = made(%page);
publish($ben, $art, files => { %page, 'a.txt' => "ben\n" });
ver(publish($ann, $art, base_version => 1, files => { 'index.html' => "<p>1\n", 'a.txt' => "a\n" }));
is paths($art), 'a.txt index.html', 'a path that is not sent is removed';
is text($art, 'a.txt'), "ben\n", '... and theirs is kept';
publish($ben, $art, files => { 'index.html' => "<p>1\n" });
ver(publish($ann, $art, base_version => 3, files => { 'index.html' => "<p>2\n", 'a.txt' => "ben\n" }));
is paths($art), 'index.html', 'what they removed stays removed';
ver($r = publish($ann, $art, base_version => 3, files => { 'index.html' => "<p>2\n", 'a.txt' => "ben\n" }));
is $r->{json}{merged}{kept}, 1, 'the same change of both is no conflict';

# ---- by lines

my $lines = join '', map { "line $_\n" } 1 .. 9;
$art = made('index.html' => $lines, 'pic.png' => 'x');
publish($ben, $art, files => { 'index.html' => $lines =~ s/line 2/Ben 2/r, 'pic.png' => 'x' });
ver($r = publish($ann, $art, base_version => 1, files => { 'index.html' => $lines =~ s/line 8/Ann 8/r, 'pic.png' => 'x' }));
is_deeply $r->{json}{merged}{lines}, ['index.html'], 'a text that both changed is merged by lines';
is text($art, 'index.html'), $lines =~ s/line 2/Ben 2/r =~ s/line 8/Ann 8/r, '... and has both changes';
ver($r = publish($ben, $art, base_version => 1, files => { 'index.html' => $lines =~ s/line 5/Ben 5/r, 'pic.png' => 'x' }));
is text($art, 'index.html'), $lines =~ s/line 2/Ben 2/r =~ s/line 5/Ben 5/r =~ s/line 8/Ann 8/r, 'and a third one';
is $api->call(GET => "/v1/artifacts/$art/versions/4", { token => $ann->{token} })->{json}{version}{file_count}, 2,
	'its row counts its files';

# ---- conflicts

my $before = $db->selectrow_array('SELECT COUNT(*) FROM version');
$r = refused(publish($ann, $art, base_version => 1, message => 'mine', files => { 'index.html' => $lines =~ s/line 5/Ann 5/r,
	'pic.png' => 'x',
	'mine.txt' => 'm' }), '409 VERSION_CONFLICT', 'a line that both changed',
		qr/version 4.*both changed index\.html since version 1\. To go on, publish with candidate cnd_/);
my $d = $r->{json}{details};
is_deeply [sort keys %$d], [sort qw(current_version base_version conflicts left_out clean candidate next)], 'its details';
is_deeply $d->{conflicts}, [{ path => 'index.html', kind => 'both_changed',
	hunks => [{ line => 5, base => "line 5\n", yours => "Ann 5\n", theirs => "Ben 5\n" }] }], 'the three texts of the hunk';
is_deeply $d->{clean}, ['mine.txt'], 'what isn’t in conflict';
is "$d->{current_version} $d->{base_version}", '4 1', 'the versions';
like $d->{next}, qr/candidate \Q$d->{candidate}{id}\E/, 'and the call that goes on';
is $db->selectrow_array('SELECT COUNT(*) FROM version'), $before, 'nothing is published';
my $cnd = $d->{candidate}{id};
cmp_ok abs($d->{candidate}{expires_at} - time - 3600), '<', 60, 'for an hour';

refused(publish($ann, $art, candidate => $cnd), '400 INVALID_REQUEST', 'nothing settled',
	qr/^files: index\.html of the conflicts is open/);
refused(publish($ben, $art, candidate => $cnd, files => { 'index.html' => 'x' }), '404 NOT_FOUND', "another's candidate",
	qr/^candidate/);
refused(publish($eve, $art, candidate => $cnd, files => { 'index.html' => 'x' }), '404 NOT_FOUND', "a stranger's");
refused(publish($ann, made(%page), candidate => $cnd, files => { 'index.html' => 'x' }), '404 NOT_FOUND', 'for another artifact');
refused(publish($ann, $art, candidate => $cnd, base_version => 1, files => { 'index.html' => 'x' }), '400 INVALID_REQUEST',
	'with a version', qr/^candidate/);
refused(publish($ann, $art, candidate => "cnd_" . '0' x 26, files => { 'index.html' => 'x' }), '404 NOT_FOUND', 'one that is none');
$r = publish($ann, $art, candidate => $cnd, draft => \1);
is ver($r), 5, 'what is left open is a draft';
is text($art, 'index.html', 5), $lines =~ s/line 2/Ben 2/r =~ s/line 8/Ann 8/r
	=~ s/line 5\n/<<<<<<< yours\nAnn 5\n=======\nBen 5\n>>>>>>> version 4\n/r, '... with marks';
refused(publish($ann, $art, candidate => $cnd, files => { 'index.html' => 'x' }), '404 NOT_FOUND', 'it is used up');

# A candidate waits while others publish; it is united with them again.
sub conflict {
	my ($art, $who, $base, %files) = @_;
	my $r = publish($who, $art, base_version => $base, message => 'mine', files => \%files);
	is said($r), '409 VERSION_CONFLICT', 'a conflict' or diag $r->{body};
	return $r->{json}{details};
}
$art = made(%page);
publish($ben, $art, files => { %page, 'a.txt' => "ben\n" });
$d = conflict($art, $ann, 1, %page, 'a.txt' => "ann\n");
publish($ben, $art, files => { %page, 'a.txt' => "ben\n", 'b.txt' => "ben\n" });
is ver($r = publish($ann, $art, candidate => $d->{candidate}{id}, files => { 'a.txt' => "both\n" })), 4, 'settled';
is_deeply $r->{json}{merged}, { base => 2, with => 3, kept => 1, lines => [] }, '... and united with what came since';
is text($art, 'a.txt') . text($art, 'b.txt'), "both\nben\n", 'all three changes are live';
is as($ann, GET => "/v1/artifacts/$art/versions/4")->{json}{version}{message}, 'mine', 'the first call’s message is kept';
$d = conflict($art, $ann, 1, %page, 'a.txt' => "ann\n");
publish($ben, $art, files => { %page, 'a.txt' => "ben again\n" });
$r = refused(publish($ann, $art, candidate => $d->{candidate}{id}, files => { 'a.txt' => "settled\n" }), '409 VERSION_CONFLICT',
	'it may meet another one');
is ver(publish($ann, undef, candidate => $r->{json}{details}{candidate}{id}, delete => ['a.txt'])), 6,
	'deleting the path settles it, too';
is paths($art), 'b.txt index.html', '... and the artifact is the candidate’s';

# ---- kinds

my $bin = "\x{89}PNG\x{0}";
sub kind {
	my ($base, $theirs, $mine, $path) = @_;
	my $art = made('index.html' => 'x', %$base);
	my $b = sub { my (%f) = @_; return [map { { path => $_, content => encode_base64($f{$_}, ''),
		encoding => 'base64' } } sort keys %f] };
	as($ben, POST => '/v1/publish', { artifact_id => $art, files => $b->('index.html' => 'x', %$theirs) })->{status} == 201 or die;
	my $r = as($ann, POST => '/v1/publish', { artifact_id => $art, base_version => 1, files => $b->('index.html' => 'x', %$mine) });
	return join ' ', $r->{status}, map { "$_->{path} $_->{kind} " . @{$_->{hunks}} } @{$r->{json}{details}{conflicts}};
}
is kind({ f => 'a' }, { f => 'b' }, { f => 'c' }), '409 f both_changed 1', 'both_changed';
is kind({}, { f => 'b' }, { f => 'c' }), '409 f both_added 1', 'both_added';
is kind({ f => 'a' }, { f => 'b' }, {}), '409 f removed_changed 0', 'removed_changed: mine first';
is kind({ f => 'a' }, {}, { f => 'c' }), '409 f changed_removed 0', 'changed_removed';
is kind({ f => 'a' }, { f => $bin }, { f => 'c' }), '409 f binary 0', 'binary';
is kind({ f => 'a' }, { f => 'b' x 1_048_577 }, { f => 'c' }), '409 f too_large 0', 'too_large';
is kind({}, { 'A.md' => 'a' }, { 'a.md' => 'a' }), '409 a.md path_clash 0', 'path_clash: A.md and a.md';
is kind({}, { 'a/b' => 'a' }, { a => 'a' }), '409 a path_clash 0', '... a file and a folder';
is kind({ f => "a\nb\n" }, { f => "a\nc\n" }, { f => "a\r\nb\r\n" }), '409 f both_changed 1', 'CR LF against LF: one hunk';
is kind({ f => 'a' }, { f => 'b' }, { f => 'b' }), '201', 'the same change';
is kind({ f => "a\n" }, { f => "a\nb\n" }, { f => "a\n" }), '201', 'theirs alone';

# ---- patches

$art = made(%page);
refused(publish($ann, $art, mode => 'patch', files => { 'a.txt' => 'x' }), '400 INVALID_REQUEST', 'a patch of no version',
	qr/^mode: patch needs base_version/);
refused(publish($ann, $art, delete => ['a.txt'], files => { 'b.txt' => 'x' }), '400 INVALID_REQUEST', 'delete without patch',
	qr/^delete/);
refused(publish($ann, $art, mode => 'patch', base_version => 1, delete => ['zz']), '400 INVALID_REQUEST', 'a path that is not there',
	qr/^delete: version 1 has no file zz/);
refused(publish($ann, $art, mode => 'patch', base_version => 1), '400 INVALID_REQUEST', 'nothing', qr/^files: is required/);
refused(publish($ann, $art, mode => 'patch', base_version => 1, delete => [sort keys %page]), '400 INVALID_REQUEST', 'everything',
	qr/^files:/);
refused(publish($ann, $art, base_version => 1, expected_version => 1, files => { 'b.txt' => 'x' }), '400 INVALID_REQUEST',
	'both versions', qr/^base_version/);
refused(publish($ann, $art, base_version => 9, files => { 'b.txt' => 'x' }), '404 NOT_FOUND', 'a version that is none',
	qr/^base_version/);
refused(publish($ann, $art, base_version => 0, files => { 'b.txt' => 'x' }), '400 INVALID_REQUEST', 'version 0', qr/^base_version/);
refused(publish($ann, $art, base_version => '1', files => { 'b.txt' => 'x' }), '400 INVALID_REQUEST', 'a text', qr/^base_version/);
refused(publish($ann, $art, mode => 'merge', base_version => 1, files => { 'b.txt' => 'x' }), '400 INVALID_REQUEST', 'another mode',
	qr/^mode/);
refused(as($ann, POST => '/v1/publish', { name => 'New', base_version => 1, files => files(%page) }), '404 NOT_FOUND',
	'a new artifact has no versions');
refused(publish($eve, $art, base_version => 1, files => \%page), '404 NOT_FOUND', 'a stranger', qr/^artifact_id/);
is ver($r = publish($ann, $art, mode => 'patch', base_version => 1, files => { 'a.txt' => "A\n", 'é.txt' => 'e' },
	delete => ['b.txt'])), 2, 'a patch';
is paths($art), 'a.txt index.html é.txt', 'what it doesn’t name stays';
ver($r = publish($ben, $art, mode => 'patch', base_version => 1, files => { 'new.txt' => 'n' }, routing => undef,
	mobile_html => undef));
is paths($art), 'a.txt index.html new.txt é.txt', 'a patch of an earlier version';
is text($art, 'a.txt'), "A\n", '... keeps what came since';
ver(publish($ben, $art, mode => 'patch', expected_version => 3, delete => ["e\x{301}.txt"]));
is paths($art), 'a.txt index.html new.txt', 'with expected_version; a path is composed';
refused(publish($ben, $art, mode => 'patch', expected_version => 3, delete => ['a.txt']), '409 VERSION_CONFLICT', 'of another version');

# Entry page, routing, mobile page: as sent, else as they are live.
$art = $api->publish($ann, slug => 'facts', entrypoint => 'x.html', routing => 'spa', mobile_html => 'small',
	files => { 'x.html' => 'x', 'y.html' => 'y' });
ver(publish($ann, $art, mode => 'patch', base_version => 1, files => { 'y.html' => 'Y' }));
is_deeply $db->selectrow_arrayref('SELECT entrypoint, routing, mobile_size FROM version WHERE artifact_id = ? AND version_no = 2',
	undef, $art),
	['x.html', 'spa', 5], 'a patch keeps them';
ver(publish($ann, $art, base_version => 1, files => { 'x.html' => 'X', 'y.html' => 'y' }));
is_deeply $db->selectrow_arrayref('SELECT entrypoint, routing, mobile_size FROM version WHERE artifact_id = ? AND version_no = 3',
	undef, $art),
	['x.html', 'spa', 5], 'so does a merge';
ver(publish($ann, $art, mode => 'patch', base_version => 3, entrypoint => 'y.html', routing => 'static', delete => ['x.html']));
is_deeply $db->selectrow_arrayref('SELECT entrypoint, routing FROM version WHERE artifact_id = ? AND version_no = 4', undef, $art),
	['y.html', 'static'], 'as sent';

# A draft's changes are those since the version that was live when it was made.
$art = made(%page);
ver(publish($ann, $art, draft => \1, files => { %page, 'a.txt' => "draft\n" }));
ver(publish($ann, $art, mode => 'patch', base_version => 2, draft => \1, files => { 'b.txt' => "draft\n" }));
is text($art, 'a.txt', 3) . text($art, 'b.txt', 3), "draft\ndraft\n", 'a draft of a draft has both';
ver(publish($ben, $art, files => { %page, 'index.html' => "<p>ben\n" }));
ver($r = publish($ann, $art, mode => 'patch', base_version => 3, files => { 'c.txt' => "c\n" }));
is join('', map { text($art, $_) } qw(a.txt b.txt c.txt index.html)), "draft\ndraft\nc\n<p>ben\n",
	'... and is merged with what went live since';

# A lone file's view is made anew.
$art = made('notes.md' => "# One\n\n- a\n- b\n- c\n- d\n");
publish($ben, $art, files => { 'notes.md' => "# One\n\n- A\n- b\n- c\n- d\n" });
ver(publish($ann, $art, base_version => 1, files => { 'notes.md' => "# One\n\n- a\n- b\n- c\n- D\n" }));
is text($art, 'notes.md'), "# One\n\n- A\n- b\n- c\n- D\n", 'the text is merged';
sub viewed {
	my $slug = as($ann, PATCH => "/v1/artifacts/$art", { visibility => 'public' })->{json}{artifact}{slug};
	return $api->get_site($slug, '/notes.md.html')->{body};
}
like viewed(), qr/<li>A<\/li>.*<li>D<\/li>/s, '... and its view made of that';
ver(publish($ann, $art, mode => 'patch', base_version => 3, files => { 'notes.md' => "# Two\n" }));
like viewed(), qr/Two/, 'of a patch, too';

# By digest, by an archive, and with many files.
my %many = map { ("f$_.txt" => "file $_\n") } 1 .. 150;
$art = made('index.html' => 'x', %many);
publish($ben, $art, mode => 'patch', base_version => 1, files => { 'f7.txt' => "ben\n" });
$r = as($ann, POST => '/v1/publish', { artifact_id => $art, base_version => 1, files => [map { { path => $_->[0],
	sha256 => sha256_hex($_->[1]),
	$_->[0] eq 'f9.txt' ? (content => $_->[1]) : () } } map { [$_,
		$_ eq 'f9.txt' ? "ann\n" : $_ eq 'index.html' ? 'x' : $many{$_}] } 'index.html', sort keys %many] });
ver($r);
is join('', map { text($art, "f$_.txt") } 7, 8, 9), "ben\nfile 8\nann\n", 'a version of 151 files, by digests';
my $bytes = $db->selectrow_array('SELECT bytes FROM artifact_storage WHERE artifact_id = ?', undef, $art);
is $bytes, length(join '', 'x', values %many) + 8, 'storage counts each text once';

$art = made(map { $_ => 'x' } 'index.html', 1 .. 99);
ver(publish($ben, $art, mode => 'patch', base_version => 1, files => { map { ("b$_" => 'b') } 1 .. 40 }));
refused(publish($ann, $art, mode => 'patch', base_version => 1, files => { map { ("a$_" => 'a') } 1 .. 40 }), '413 BODY_TOO_LARGE',
	'a union of more files than a version may have', qr/180 files; the maximum/);
is scalar(split ' ', paths($art)), 140, '... of which nothing is published';

# ---- approvals: the merged draft is what is asked for

my $ws = as($ann, POST => '/v1/workspaces', { name => 'Team' })->{json}{workspace}{id};
$art = $api->publish($ann, slug => 'asked', workspace_id => $ws, visibility => 'public', files => \%page);
ver(publish($ann, $art, base_version => 1, files => { %page, 'b.txt' => "B\n" }));
as($ann, PATCH => "/v1/workspaces/$ws/publish-policy", { policy => 'require_approval' });
$r = publish($ann, $art, base_version => 1, files => { %page, 'a.txt' => "A\n" });
is "$r->{json}{held_for} " . ver($r), 'approval 3', 'a merge is held as a publish is';
is text($art, 'a.txt', 3) . text($art, 'b.txt', 3), "A\nB\n", '... and what is to be approved has both changes';

# ---- nothing of a refusal is kept for its key

$art = made(%page);
publish($ben, $art, files => { %page, 'a.txt' => "ben\n" });
my @key = (headers => { 'Idempotency-Key' => 'k1' });
my $keyed = sub { my (%f) = @_; return $api->call(POST => '/v1/publish', { token => $ann->{token}, @key, json => { artifact_id => $art,
	%f } }) };
is said($keyed->(base_version => 1, files => files(%page, 'a.txt' => "ann\n"))), '409 VERSION_CONFLICT', 'a refusal with a key';
is $keyed->(base_version => 2, files => files(%page, 'a.txt' => "ann\n"))->{status}, 201, '... is not remembered';

# ---- fifty at once

$art = made('index.html' => 'x');
$stack->collaborator($art, $eve, 'editor');
my @who = ($ann, $ben, $eve);
my @said = Vitrine::Api::together($stack, 50, sub {
	my ($api, $i) = @_;
	return $api->call(POST => '/v1/publish', { token => $who[$i % 3]{token}, json => { artifact_id => $art, base_version => 1,
		files => files('index.html' => 'x', "w$i.txt" => "writer $i\n") } })->{status};
});
is join(' ', map { $_ // '-' } @said), join(' ', (201) x 50), 'fifty writers of a file each: all are published';
is scalar(split ' ', paths($art)), 51, '... and the last version has all files';
is join(' ', sort { $a <=> $b } map { $_->{version_no} } @{as($ann,
	GET => "/v1/artifacts/$art/versions?limit=200")->{json}{versions}}), join(' ', 1 .. 51),
	'each is a version';
as($ann, PATCH => "/v1/artifacts/$art", { visibility => 'public' });
my $slug = as($ann, GET => "/v1/artifacts/$art")->{json}{artifact}{slug};
is join('', map { $api->get_site($slug, "/w$_.txt")->{body} } 0 .. 49), join('', map { "writer $_\n" } 0 .. 49),
	'and nginx serves them';
@said = Vitrine::Api::together($stack, 50, sub {
	my ($api, $i) = @_;
	return $api->call(POST => '/v1/publish', { token => $who[$i % 3]{token}, json => { artifact_id => $art, base_version => 51,
		mode => 'patch',
		files => files('index.html' => "writer $i") } })->{status};
});
my %times;
$times{$_}++ for @said;
is_deeply \%times, { 201 => 1, 409 => 49 }, 'fifty of one line: one is published, all others are told';

# ---- somebody outside, who may edit the page since version 2 was live

my $out = $stack->user('out@example.org');
$db->do('UPDATE user SET outside = TRUE WHERE id = ?', undef, $out->{id});
$db->do('UPDATE workspace SET features_on = 1 WHERE id = ?', undef, $ws);
$art = $api->publish($ann, slug => 'given', workspace_id => $ws, files => \%page);
publish($ann, $art, files => { %page, 'a.txt' => "2\n" });
publish($ann, $art, draft => \1, files => { %page, 'a.txt' => "draft\n" });
publish($ann, $art, files => { %page, 'a.txt' => "4\n" });
$db->do("INSERT INTO share_grant (id, workspace_id, subject_type, subject_id, resource_type, resource_id, capability, created_by,"
	. " created_at)"
	. " VALUES (?, ?, 'external_user', ?, 'artifact', ?, 'edit', ?, 1000)", undef, 'grt_' . '1' x 26, $ws, $out->{id}, $art,
		$ann->{id});
my $live_at = sub { $db->do('UPDATE version SET first_live_at = ? WHERE artifact_id = ? AND version_no = ?', undef, $_[1], $art,
	$_[0]) };
$live_at->(1, 500);
$live_at->(2, 900);
$live_at->(4, 1500);
refused(publish($out, $art, base_version => $_, files => { %page, 'b.txt' => "out\n" }), '404 NOT_FOUND', "version $_ isn't theirs",
	qr/^base_version/)
	for 1, 3, 9;
ver($r = publish($out, $art, base_version => 2, files => { %page, 'a.txt' => "2\n", 'b.txt' => "out\n" }));
is text($art, 'a.txt') . text($art, 'b.txt'), "4\nout\n", 'the version that was live at their grant is';
$r = publish($out, $art, base_version => 2, files => { %page, 'a.txt' => "out\n" });
is said($r), '409 VERSION_CONFLICT', 'a conflict of theirs';
ver(publish($out, $art, candidate => $r->{json}{details}{candidate}{id}, files => { 'a.txt' => "settled\n" }));
is text($art, 'a.txt'), "settled\n", '... which they settle';

# ---- what ends

is $db->selectrow_array('SELECT COUNT(*) > 40 FROM merge_candidate'), 1, 'candidates wait';
$stack->runner;
is $stack->ctl('fsck'), 'clean', 'their bytes are kept: fsck is clean';
$db->do('UPDATE merge_candidate SET expires_at = 1');
$stack->runner;
$stack->runner;
is $db->selectrow_array('SELECT COUNT(*) FROM merge_candidate') + $db->selectrow_array('SELECT COUNT(*) FROM merge_file'), 0,
	'an hour later they are gone';
is $stack->ctl('fsck'), 'clean', '... and their bytes';

finish($stack);
