# SPDX-License-Identifier: Apache-2.0
# What differs between two versions: files, renamed ones too, and the lines of texts; for who sees both, and nobody else.
use MIME::Base64;
use Vitrine::Words qw(as refused);

my ($stack, $api, $db) = stack(seen_per_minute => 1000);
my ($ann, $ben) = map { $stack->user("$_\@example.org") } qw(ann ben);
my $picture = encode_base64("\x89PNG\0" x 50, '');
sub file { my ($path, $content, @more) = @_; return { path => $path, content => $content, @more } }
sub version { my ($draft, $message, @files) = @_;
	my $r = as(ann => POST => '/v1/publish', { name => 'Report', slug => 'report', visibility => 'public', message => $message,
		draft => $draft ? $true : $false, files => \@files });
	is $r->{status}, 201, "a version: $message" or diag $r->{body};
	return $r->{json}{artifact}{id} }
my $text = join '', map { "line $_\n" } 1 .. 30;
my $art = version(0, 'first', file('index.html', $text), file('gone.txt', "a\nb\n"), file('same.css', 'a{}'), file('old/logo.png', $picture,
	encoding => 'base64'), file('notes.txt', 'called text', ));
(my $later = $text) =~ s/line 15\n/line fifteen\nand one\n/;
version(0, 'second', file('index.html', $later), file('new.js', "one\ntwo\n"), file('same.css', 'a{}'), file('new/logo.png', $picture,
	encoding => 'base64'), file('notes.txt', encode_base64("\0\1\2", ''), encoding => 'base64'));
version(1, 'a draft', file('index.html', $later));
my $path = "/v1/artifacts/$art/compare";

# ---- files

my $r = as(ann => GET => "$path?from=1&to=2");
is $r->{status}, 200, 'two versions' or diag $r->{body};
my $c = $r->{json};
is join(' ', sort keys %$c), 'added changed files from message next_cursor removed renamed same success to', 'its keys';
is "@$c{qw(from to message added changed removed renamed same)}", '1 2 second 1 2 1 1 1', 'what it counts';
is join(', ', map { "$_->{path} $_->{status}" . ($_->{was} ? " $_->{was}" : '') . ($_->{is_text} ? ' text' : '') } @{$c->{files}}),
	'gone.txt removed text, index.html changed text, new.js added text, new/logo.png renamed old/logo.png, notes.txt changed text',
	'the files that differ, by path';
my %file = map { $_->{path} => $_ } @{$c->{files}};
is join(' ', sort keys %{$file{'new.js'}}), 'from is_text path status to was', 'the keys of a file';
is_deeply [$file{'new.js'}{from}, $file{'gone.txt'}{to}, $file{'new.js'}{was}], [undef, undef, undef], 'null where there is none';
is join(' ', sort keys %{$file{'index.html'}{to}}), 'mime sha256 size_bytes', '... and of a side';
is $file{'index.html'}{to}{size_bytes}, length $later, 'its size';
is_deeply as(ann => GET => "$path?from=2&to=1")->{json}{files}[0]{status}, 'added', 'the other way round';
is_deeply as(ann => GET => "$path?from=2&to=2")->{json}{files}, [], 'a version with itself';
is join(' ', map { $_->{from} . '-' . $_->{to} } map { as(ann => GET => $_)->{json} } $path, "$path?to=2", "$path?to=1"),
	'2-3 1-2 1-1', 'what is compared if nothing is named';

my @got;
for (my $next = ''; defined $next;) {
	my $part = as(ann => GET => "$path?from=1&to=2&limit=2" . ($next && "&cursor=$next"))->{json};
	push @got, map { $_->{path} } @{$part->{files}};
	$next = $part->{next_cursor};
}
is "@got", 'gone.txt index.html new.js new/logo.png notes.txt', 'in parts of two';

# ---- lines

sub lines { my ($r) = @_; return join '|', map { my $l = $_; "$l->{sign} " . ($l->{sign} eq 'skip' ? $l->{skipped}
	: "$l->{was_no}/$l->{now_no} " . ($l->{said} // $l->{line})) } @{$r->{json}{text}{lines}} }
$r = as(ann => GET => "$path/text?from=1&to=2&path=index.html");
is $r->{status}, 200, 'the lines of a text' or 
is join(' ', sort keys %{$r->{json}{text}}), 'deletions insertions lines path too_large was', 'its keys';
is join(' ', sort keys %{$r->{json}{text}{lines}[0]}), 'head line now_no said sign skipped tail was_no', 'the keys of a line';
is lines($r), 'skip 11|same 12/12 line 12|same 13/13 line 13|same 14/14 line 14|gone 15/0 15|new 0/15 fifteen|new 0/16 and one'
	. '|same 16/17 line 16|same 17/18 line 17|same 18/19 line 18|skip 12', 'what differs, the words too, and three lines around';
is "$r->{json}{text}{insertions} $r->{json}{text}{deletions}", '2 1', 'counted';
is scalar @{as(ann => GET => "$path/text?from=1&to=2&path=index.html&whole=1")->{json}{text}{lines}}, 32, 'all lines';
is lines(as(ann => GET => "$path/text?from=1&to=2&path=new.js")), 'new 0/1 one|new 0/2 two', 'of an added file';
is lines(as(ann => GET => "$path/text?from=1&to=2&path=gone.txt")), 'gone 1/0 a|gone 2/0 b', 'of a removed one';
is lines(as(ann => GET => "$path/text?from=1&to=2&path=new.js&was=gone.txt")), 'gone 1/0 a|gone 2/0 b|new 0/1 one|new 0/2 two',
	'of one that had another path';
is_deeply as(ann => GET => "$path/text?from=1&to=2&path=same.css")->{json}{text}{lines}, [], 'equal texts have no lines that differ';
version(0, 'long', file('index.html', 'x' x (1 << 20)), file('lines.txt', "\n" x 20_000));
version(0, 'longer', file('index.html', 'x' x ((1 << 20) + 1)), file('lines.txt', "\n" x 20_001));
is as(ann => GET => "$path/text?from=3&to=4&path=index.html")->{json}{text}{too_large}, $false, '1 MiB';
is as(ann => GET => "$path/text?from=4&to=5&path=$_")->{json}{text}{too_large}, $true, "... and more is too large: $_"
	for qw(index.html lines.txt);

# ---- refusals, and who sees what

refused(as(ann => GET => "$path/text?from=1&to=2&path=notes.txt"), '400 INVALID_REQUEST', 'bytes that are no text',
	qr/^path: notes.txt isn't text/);
refused(as(ann => GET => "$path/text?from=1&to=2&path=nothing"), '404 NOT_FOUND', 'no such file', qr/^path: neither version 1 nor 2/);
refused(as(ann => GET => "$path/text?from=1&to=2"), '400 INVALID_REQUEST', 'no path', qr/^path/);
refused(as(ann => GET => "$path?from=$_&to=2"), '400 INVALID_REQUEST', "from $_", qr/^from/) for 0, 'x';
refused(as(ann => GET => "$path?from=1&to=9"), '404 NOT_FOUND', 'no such version', qr/version 9/);
refused(as(ann => GET => "$path?from=1&to=2&cursor=%25zz"), '400 INVALID_REQUEST', 'a wrong cursor', qr/cursor/);
for my $who (['another person', 'ben'], ['nobody', undef]) {
	my ($name, $as) = @$who;
	refused(as($as, GET => "$path?from=$_->[0]&to=$_->[1]"), '404 NOT_FOUND', "$name: version $_->[0] with $_->[1]") for [1, 5], [5, 3];
	is_deeply as($as, GET => $path)->{json}{files}, [], "$name sees only the live version";
	refused(as($as, GET => "$path/text?from=1&to=5&path=index.html"), '404 NOT_FOUND', "$name: a text");
}
is as(ann => PATCH => "/v1/artifacts/$art", { visibility => 'private' })->{status}, 200, 'a private artifact';
refused(as(ben => GET => $path), '404 NOT_FOUND', 'to strangers is none');
# ---- pictures of pages

sub pictures { my ($who, $from, $to) = @_; return as($who => GET => "$path/pictures?from=$from&to=$to") }
sub told { return join ' ', map { "$_->{path} $_->{status}" } @{$_[0]{json}{pictures}{pages}} }
my ($dir) = version(0, 'pages', file('index.html', '<h1>one</h1>'), file('a.html', '<p>a'), file('b.html', '<p>b'), file('c.css', 'a{}'));
my $one = $db->selectrow_array('SELECT last_no FROM artifact WHERE id = ?', undef, $dir);
version(0, 'more pages', file('index.html', '<h1>one</h1>'), file('a.html', '<p>A'), file('b.html', '<p>b'), file('c.css', 'b{}'));
version(0, 'the same', file('index.html', '<h1>one</h1>'), file('a.html', '<p>A'), file('b.html', '<p>b'), file('c.css', 'b{}'));
my ($two, $three) = ($one + 1, $one + 2);
$r = pictures(ann => $one, $two);
is "$r->{status} " . told($r), '200 ', 'none, unless somebody asks';
refused(pictures(ben => $one, $two), '404 NOT_FOUND', 'who sees the live version alone sees none');
as(ann => POST => "/v1/artifacts/$art/collaborators", { emails => ['ben@example.org'], role => 'viewer' });
refused(as(ben => POST => "$path/pictures", { from => $one, to => $two }), '403 ACCESS_DENIED', 'who only looks may not ask');
$r = as(ann => POST => "$path/pictures", { from => $one, to => $two });
is "$r->{status} " . told($r), "202 index.html unavailable a.html unavailable",
	'without a browser, which is said: the entry page, and pages that differ';
$r = as(ann => POST => "$path/pictures", { from => $two, to => $three });
is "$r->{status} " . told($r), '202 index.html same', 'of equal versions none is needed';
my $sha = Digest::SHA::sha256_hex('x');
$db->do('UPDATE compare_picture SET due_at = NULL, found = ?, from_sha256 = UNHEX(?), from_size = 1, to_sha256 = UNHEX(?), to_size = 1 '
	. 'WHERE artifact_id = ? AND to_no = ? AND page_no = 1', undef, '{"changed":0.25,"from":{"width":1280,"height":800,"boxes":[]},'
	. '"to":{"width":1280,"height":900,"boxes":[{"x":0,"y":8,"w":16,"h":24}]}}', $sha, $sha, $art, $two);
$r = pictures(ben => $one, $two);
my (undef, $made) = @{$r->{json}{pictures}{pages}};
is_deeply [@$made{qw(path status changed)}, @{$made->{to}}{qw(width height)}, $made->{to}{boxes}],
	['a.html', 'made', 0.25, 1280, 900, [{ x => 0, y => 8, w => 16, h => 24 }]], 'one that was made, for who sees both';
like $made->{to}{url}, qr{/compare/picture\?from=$one&to=$two&side=to&path=a\.html$}, '... at an address';
refused(as(ben => GET => "$path/pictures?from=$one&to=99"), '404 NOT_FOUND', 'a version that is not there');
refused(as(ann => GET => "$path/picture?from=$one&to=$two&side=to&path=index.html"), '404 NOT_FOUND', 'a picture that is not made');
$db->do('UPDATE compare_picture SET due_at = NULL, found = NULL WHERE artifact_id = ? AND to_no = ? AND page_no = 0', undef, $art, $two);
like told(pictures(ann => $one, $two)), qr/index.html failed/, 'one that failed';
like told(as(ann => POST => "$path/pictures", { from => $one, to => $two })), qr/index.html unavailable a.html made/,
	'... is tried again if asked';
$stack->ctl('reproject');
is told(pictures(ann => $one, $two)), 'index.html unavailable a.html unavailable', 'pictures whose bytes are lost are made again';
as(ann => POST => "$path/pictures", { from => $_, to => $three }) for 1 .. 3, $one;
is $db->selectrow_array('SELECT COUNT(DISTINCT from_no, to_no) FROM compare_picture WHERE artifact_id = ?',
	undef, $art), 5, 'five pairs stay';
my @many = map { file(sprintf('p%02d.html', $_), "<p>$_") } 1 .. 25;
my %many = (name => 'Many', slug => 'many');
as(ann => POST => '/v1/publish', { %many, entrypoint => 'start.html', files => [file('start.html', '<h1>1</h1>'), @many] });
$r = as(ann => POST => '/v1/publish', { %many, entrypoint => 'home.html',
	files => [file('home.html', '<h1>2</h1>'), map { file($_->{path}, '<b>') } @many] });
is $r->{status}, 201, 'twenty-five pages and the entry page change, which has another path' or diag $r->{body};
my $large = $r->{json}{artifact}{id};
$r = as(ann => POST => "/v1/artifacts/$large/compare/pictures");
is_deeply [scalar @{$r->{json}{pictures}{pages}}, $r->{json}{pictures}{pages}[0]{path}, @{$r->{json}{pictures}}{qw(not_pictured url)}],
	[20, 'home.html', 6, "https://vitrine.localhost:$stack->{port}/shared/artifacts/$large/compare?from=1&to=2"],
	'pages beyond twenty are counted, and the entry page is one under another path';
$db->do('UPDATE compare_picture SET looked_at = 1 WHERE artifact_id = ?', undef, $art);
$stack->runner;
is $db->selectrow_array('SELECT COUNT(*) FROM compare_picture WHERE artifact_id = ?', undef, $art), 0,
	'a month after the last look there is none';
finish($stack);
