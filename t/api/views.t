# SPDX-License-Identifier: Apache-2.0
# Views: pages that show files which are no pages, made when a version is published, and again when somebody asks.
use utf8;
use Encode 'encode_utf8';
use MIME::Base64 'encode_base64';
use Digest::SHA 'sha256_hex';
use Vitrine::Words qw(as said refused);

my ($stack, $api, $db) = stack(publish_per_hour => 100000);
my ($ann, $ben, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben eve);
my ($r, $n) = (undef, 0);

sub publish { my ($files, %more) = @_; return as($ann, POST => '/v1/publish', { name => 'V', visibility => 'public', %more,
	files => [map { ref $files->{$_} ? $files->{$_} : { path => $_, content => $files->{$_} } } sort keys %$files] }) }
# Publishes files under a new slug, or one that is named, and returns the slug.
sub shown {
	my ($files, %more) = @_;
	my $slug = $more{slug} // 'view-' . ++$n;
	$r = publish($files, slug => $slug, %more);
	is $r->{status}, 201, "$slug is published" or diag $r->{body};
	return $slug;
}
sub got { my ($slug, $path) = @_; return $api->get_site($slug, $path) }
sub body { my ($slug, $path) = @_; my $got = got(@_); utf8::decode(my $b = $got->{body}); return $got->{status} == 200 ? $b
	: $got->{status} }
sub at { return "/v1/artifacts/$r->{json}{artifact}{id}" }
sub views { return as($ann, GET => at() . "/versions/$r->{json}{version}{version_no}/views?limit=200")->{json} }
sub paths { return join ' ', map { "$_->{path}:$_->{kind}" } @{views()->{views}} }
sub files { return join ' ', map { $_->{path} } @{as($ann, GET => at() . '/files')->{json}{files}} }

# ---- a lone file

my $text = "# Title\n\na <i>x</i> *b* [next](b.md#y) [out](https://a.example/b.md)\n\n## Two\n\n### Three\n\n## Two\n";
my $slug = shown({ 'READ me.md' => $text });
my $page = body($slug, '/');
like $page, qr{<h1 id="title">Title</h1>.*<em>b</em>}s, 'Markdown is rendered';
is body($slug, '/READ%20me.md.html'), $page, '... at an address of its own, and at /';
like $page, qr{<a class="button" href="\./READ%20me\.md">Raw</a>}, '... with a link to the file';
like $page, qr{<title>Title</title>}, '... its title';
like $page, qr{href="b\.md\.html#y"}, 'a relative link leads to the view';
like $page, qr{href="https://a\.example/b\.md"}, '... others stay';
like $page, qr{<nav class="side" aria-label="Contents">.*href="#two-1"}s, 'contents, with ids as on GitHub';
like $page, qr{default-src 'self'}, 'a policy';
unlike $page, qr{<script(?! src="/_vitrine/)}, '... and no script of its own';
like body($slug, '/READ%20me.md'), qr/^# Title/, 'the file is there itself';
is files(), 'READ me.md', 'the version has the file alone';
is paths(), 'READ me.md.html:markdown', '... and a view';
my $row = views()->{views}[0];
is_deeply [sort keys %$row], [sort qw(path of kind renderer size_bytes title problem made_at url)], 'exactly these members';
is_deeply [@$row{qw(of renderer title problem)}], ['READ me.md', 'markdown-5', 'Title', undef], '... say what it is';
like $row->{url}, qr{/READ%20me\.md\.html$}, '... and where';
is $db->selectrow_array('SELECT bytes FROM artifact_storage WHERE artifact_id = ?', undef, $r->{json}{artifact}{id}),
	length $text,
	'a view takes no storage';

like body(shown({ "a.txt" => "1 < 2\nb" }), "/"),
	qr{<li id=L1>1 &lt; 2\n<li id=L2>b\n}, 'text has lines';
like body(shown({ 'a.py' => "import os\n" }), '/'), qr{<h1>a\.py</h1><span>Python, 10 bytes, 1 line</span>}, 'source code, and what it is';
# t/flow/browser.t draws these.
$page = body(shown({ 'a.md' => "# A \$x_1\$\n\n\$5 and \$6, `\$a\$`\n\n```dot\ndigraph {}\n```\n" }), '/');
like $page, qr{<h1 id="a-x_1">A <code class="math">x_1</code></h1>\n<p>\$5 and \$6, <code>\$a\$</code>},
	'formulas are marked, in their source';
like $page, qr{script-src 'self' 'wasm-unsafe-eval'; .*<script type="module" src="/_vitrine/draw\.js">}s, 'Graphviz is WebAssembly';
$page = body(shown({ 'a.md' => "A `b`\n", 'c.md' => "```mermaid\ngraph TD\n```\n" }), '/a.md.html');
unlike $page, qr{draw\.js|wasm}, 'a text without such things needs no script';
like body("view-$n", '/c.md.html'), qr{default-src 'self'; style.*draw\.js.*<pre tabindex="0"><code class="language-mermaid">graph TD\n}s,
	'others do';
$page = body(shown({ 'a.mmd' => "graph TD\n", 'b.docx' => 'PK' }), '/a.mmd.html');
like $page, qr{img-src 'self' data:;.*<main class="diagram"><ol class="code".*<li id=L1>graph TD}s,
	'a diagram has its source';
like body("view-$n", '/b.docx.html'), qr{img-src 'self' data:;.*Document, 2 bytes.*<main class="card doc"><p>.*Download}s,
	'a document can be downloaded';
is paths(), 'a.mmd.html:diagram b.docx.html:doc index.html:folder', 'they are kinds of their own';

like body(shown({ 'a.json' => '{"a":[1,{"b":"<x>"}]}' }), '/'), qr{<summary>.*<b>a</b>.*&lt;x&gt;}s, 'JSON is a tree';
like body(shown({ 'a.json' => '{"a":' }), '/'), qr{<li id=L1>\{&quot;a}, '... unless it is none';
like body(shown({ 'a.ndjson' => qq({"a":1}\n{"a":2}\n) }), '/'), qr{<details.*<details}s, 'lines of JSON';
$page = body(shown({ 'a.ndjson' => qq({"n":1,"to":"<b>"}\n\n{"n":-2.5,"in":{"a":[1]}}\n{"to":null,"n":3}\n) }), '/');
like $page, qr{JSON, 64 bytes, 3 rows, 3 columns}, 'lines that are records are rows';
like $page, qr{<th scope="col" class="num">n</th><th scope="col">to</th><th scope="col">in</th></tr>}, '... with their members as columns';
like $page, qr{<td class="num soft">2</td><td class="num">-2\.5</td><td></td><td>\{&quot;a&quot;:\[1\]\}</td></tr>}, '... and values';
like $page, qr{<td>&lt;b&gt;</td>.*<div class="tree"><details><summary>As a tree</summary>\n<details open>}s, '... with the tree below';
like body(shown({ 'a.json' => '[{"a":1},{"a":2}]' }), '/'), qr{2 rows, 1 column<.*<table class="data">}s, 'so is a list of records';
unlike body(shown({ 'a.json' => $_ }), '/'), qr{<table}, "$_ is a tree" for '[{"a":1}]', '[{"a":1},2]', '[{"a":1},{"b":2},{"c":3}]', '[{},{}]';
like body(shown({ 'a.csv' => qq(a;b\n"x;\ny";2\n1;<3\n) }), '/'), qr{<th scope="col"><a [^>]*>a</a></th>.*<td>x;\ny</td>.*&lt;3}s,
	'a table, quoted lines included';
like body(shown({ 'a.csv' => "on,note\n2026-01-01," . 'é' x 20 . "\n2026-01-02,a longer note on that day\n" }), '/'),
	qr{<table class="data">.*<td class="num">2026-01-01</td><td>é+</td>.*<td class="num">2026-01-02</td><td class="text">a longer note on that day</td>}s,
	'long texts are marked: others stay on a line';
like body(shown({ 'long.csv' => "n\n" . join '', map { "$_\n" } 1 .. 150 }), '/'),
	qr{1 to 100 of 150.*<td class="num">100</td>(?!.*>101<)}s,
	'the first 100 rows of a table, and which they are (t/api/viewtable.t has the others)';
like body(shown({ 'p.png' => { path => 'p.png', content => encode_base64("\x89PNG", ''), encoding => 'base64' } }), '/'),
	qr{<img src="\./p\.png" alt="p\.png">}, 'a picture';
like body(shown({ 'a.bin' => { path => 'a.bin', content => encode_base64("\0\1", ''), encoding => 'base64' } }), '/'),
	qr{BIN file, 2 bytes.*download}s, 'other bytes are a download';
like body(shown({ 'a.unknown' => 'text' }), '/'), qr{<li id=L1>text}, 'text of an unknown kind is text';
like body(shown({ 'old.txt' => { path => 'old.txt', content => encode_base64("caf\xe9", ''), encoding => 'base64' } }), '/'), qr{café},
	'an old character set is read';
like body(shown({ 'empty.txt' => '' }), '/'), qr{0 lines.*<p>The file is empty\.</p>}s, 'an empty file';
my $book = { nbformat => 4, metadata => { kernelspec => { display_name => 'Python 3' } }, cells => [
	{ cell_type => 'markdown', source => ["# Head\n", '<script>alert(1)</script>'] },
	{ cell_type => 'code', execution_count => 7, source => 'plot()', outputs => [
		{ output_type => 'stream', text => ["\e[31mred\e[0m <b>\n"] },
		{ output_type => 'display_data', data => { 'image/png' => "QUJD\n", 'text/plain' => 'p' } },
		{ output_type => 'execute_result', data => { 'text/html' => '<img src=x onerror=alert(1)>', 'text/plain' => 'plain' } },
		{ output_type => 'execute_result', data => { 'text/plain' => 'as text', 'text/html' => [
			'<style>td { top: 0 }</style><table border="1"><tr><th onclick=alert(1)>city</th></tr>',
			'<tr><td>Oslo<script>alert(2)</script></td></tr></table>'] } },
		{ output_type => 'error', ename => 'E', evalue => 'bad', traceback => ["\e[0;31mE\e[0m: bad"] }] }] };
$page = body(shown({ 'n.ipynb' => encode_json($book) }), '/');
like $page, qr{In \[7\].*plot\(\).*red &lt;b&gt;.*<img src="data:image/png;base64,QUJD".*plain.*<th>city</th>.*<td>Oslo</td>.*<pre [^>]*class="err"><code>E: bad}s,
	'a notebook';
unlike $page, qr{<script>alert|onerror|onclick|top: 0|border="1"|as text|\e}, '... without what was hostile in it';
like body(shown({ 'n.ipynb' => 'no' }), '/'), qr{<li id=L1>no}, 'a notebook that is none is text';

# ---- shapes

my %feature = (type => 'Feature', properties => { name => 'A <b>' });
my %shape = (Polygon => [[[0, 0], [10, 0], [10, 10], [0, 0]]], MultiPolygon => [[[[20, 0], [30, 0], [30, 9], [20, 0]]]],
	LineString => [[0, 20], [30, 20]], MultiLineString => [[[0, 5], [1, 6]]], Point => [5, 5, 100],
	MultiPoint => [[6, 6], [7, 'x'], [8]]);
my $shapes = sub { return body(shown({ 'places.geojson' => encode_json($_[0]) }), '/') };
$page = $shapes->({ type => 'FeatureCollection', features => [{ %feature, geometry => { type => 'GeometryCollection',
	geometries => [map { { type => $_, coordinates => $shape{$_} } } sort keys %shape] } }, { %feature, geometry => undef }] });
like $page, qr{<svg class="map" role="img" aria-label="2 shapes" viewBox="-10 -10 1020 \d+">\n<g><title>A &lt;b&gt;</title>.*</svg>}s,
	'shapes are drawn, with their names';
is scalar(() = $page =~ /<path /g) . ' ' . scalar(() = $page =~ /<path class="line" /g) . ' ' . scalar(() = $page =~ /<circle /g), '4 2 2',
	'... of each kind, as far as they have places';
like $page, qr{<path d="M0\.0 [\d.]+L[\d.]+ [\d.]+L[\d.]+ [\d.]+L0\.0 [\d.]+Z"/>}, '... and rings are closed';
like $page, qr{</svg>\n<details open>}, 'the tree is below';
like $shapes->({ type => 'Point', coordinates => [1, 2] }), qr{viewBox="-10 -10 20 20">\n<circle cx="0\.0" cy="0\.0"}, 'a point alone';
unlike $shapes->({ type => 'Polygon', coordinates => [[['"><script>', '1e400'], [[]], {}]] }), qr{<svg class="map"},
	'none, if nothing is a place';
like $shapes->({ type => 'LineString', coordinates => [map { [$_ / 1000, $_ % 50] } 1 .. 9000] }), qr{<svg.*</svg>\n</main>}s,
	'of a large one the shapes alone';
unlike body(shown({ 'places.json' => encode_json({ type => 'Point', coordinates => [1, 2] }) }), '/'), qr{<svg class="map"},
	'JSON by another name is a tree';

# ---- Markdown

$page = body(shown({ 'a.md' => "---\ntitle: Fr<b>ont\nlang: de\n---\n\ntext\n" }), '/');
like $page, qr{<html lang="de">.*<title>Fr&lt;b&gt;ont</title>.*<h1>Fr&lt;b&gt;ont</h1>}s, 'front matter';
unlike $page, qr/title: /, '... is not shown';
shown({ 'a.md' => "---\na: [\n---\nx" });
like $r->{json}{warnings}[0], qr/^a\.md: its front matter is shown as text: .*Line/i, 'broken front matter is warned of';
$page = body(shown({ 'a.md' => "<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n\n"
	. "[x](javascript:alert(1)) [y](a.md?b)\n\n# A\n\n# B\n" }), '/');
unlike $page, qr{<script>|onerror|javascript:}, 'hostile Markdown is gone';
is scalar(() = $page =~ /<h1/g), 1, 'one heading of the first level';
like $page, qr{href="a\.md\.html\?b"}, 'a link with a query';
like body(shown({ 'a.md' => "> [!Warning]\n> It is *hot*.\n" }), '/'), qr{<div class="alert warning"><p><strong>Warning</strong></p>\s*<p>It is <em>hot},
	'an alert is a box with a label';
$page = body(shown({ 'a.md' => qq(<h1 align="center" onclick="a()">Big</h1>\n\n<details>\n<summary>More</summary>\n\n[x](b.md)\n)
	. qq(<a href="b.md">y</a>\n\n</details>\n</article><iframe src="https://a.example"></iframe><img src=data:a onerror=a>\n) }), '/');
like $page, qr{<article>\s*<h1 align="center">Big</h1>\s*<details>\s*<summary>More</summary>\s*<p><a href="b\.md\.html">x</a>
<a href="b\.md\.html">y</a></p>\s*</details>}s, 'some HTML is kept, its links lead to views, its heading is the page’s';
is scalar(() = $page =~ m{</article>}g), 1, '... and it stays in its place';
unlike $page, qr{<iframe|onerror|onclick|a\(\)|src="?data:}, '... without what runs or loads';
my $columns = join '|', ('a') x 2400;
$page = body(shown({ 'wide.md' => "$columns\n" . join('|', ('-') x 2400) . "\n$columns\n" }), '/');
like $page, qr{too wide tables.*<pre}s, 'a table that would take minutes is shown as its text';

# ---- folders

my %tree = ('a.md' => 'A', 'guide/b.md' => 'B', 'guide/deep/c.txt' => 'C', 'README.md' => "# Hello\n\n[a](a.md)\n",
	'_headers' => "/a.md\n  X-Frame-Options: DENY\n");
$slug = shown(\%tree);
is paths(), 'README.md.html:markdown a.md.html:markdown guide/b.md.html:markdown guide/deep/c.txt.html:code guide/deep/index.html:folder '
	. 'guide/index.html:folder index.html:folder', 'files and folders have views';
$page = body($slug, '/');
like $page, qr{<h1 id="hello">Hello</h1>.*<h2>Files</h2>.*<a href="\./guide/">guide/</a><span>2 files</span>}s,
	'the top: README, then folders';
like $page, qr{>guide/<.*<a href="\./a\.md\.html">a\.md</a><span>1 byte}s,
	'... then files, all of their views';
unlike $page, qr/_headers/, '... without settings';
like body($slug, '/guide/'), qr{<h1>guide</h1>.*<a href="\.\./">.*<a href="\./deep/">.*<a href="\./b\.md\.html">}s, 'a folder below';
is got($slug, '/a.md.html')->{headers}{'x-frame-options'}, undef, 'rules are of the address that they name';
is join(' ', map { $_->{headers}{'x-frame-options'}, $_->{body} } got($slug, '/a.md')), 'DENY A', '... where the file is, not its view';
is files(), 'README.md _headers a.md guide/b.md guide/deep/c.txt', 'files are what was published';
my $export = as($ann, GET => at() . '/versions/1/export')->{body};
unlike $export, qr/index\.html/, 'an export has files alone';

$slug = shown({ 'a.md' => 'A', 'a.md.html' => '<h1>Mine</h1>', 'b.md' => 'B' }, entrypoint => 'a.md.html', views => 'all');
like body($slug, '/a.md.html'), qr{Mine}, 'a published file beats a view';
like body($slug, '/b.md.html'), qr{<p>B</p>}, 'all: views beside pages';
like body($slug, '/'), qr{Mine}, '... and / is the page';
$slug = shown({ 'index.html' => 'mine', 'b.md' => 'B' });
is paths(), '', 'auto: none if there is a page';
is got($slug, '/b.md.html')->{status}, 404, '... nowhere';
shown({ 'b.md' => 'B', 'c.md' => 'C' }, entrypoint => 'b.md');
is paths(), '', '... or if the entry is named';
shown({ 'A.md' => 'A', 'a.MD.HTML' => '<p>Mine', 'index' => 'x' }, views => 'all', entrypoint => 'a.MD.HTML');
is paths(), 'index.html:folder', 'a path that differs in case alone is taken; a folder’s page comes before a file called index';
refused(publish({ 'a.md' => 'A' }, slug => 'off', views => 'off'), '400 INVALID_REQUEST', 'off: as it was without', qr/no \.html file/);
refused(publish({ 'a.md' => 'A' }, slug => 'off', views => 'some'), '400 INVALID_REQUEST', 'no such word', qr/^views/);
refused(publish({ 'a.md' => 'A' }, slug => 'off', views => [1]), '400 INVALID_REQUEST', 'no word', qr/^views/);
shown({ '_redirects' => '/a /b' });
is paths(), 'index.html:folder', 'settings alone are a folder without files';

$slug = shown({ map { ("f$_.txt" => "text $_") } 1 .. 1100 });
is scalar(@{as($ann, GET => at() . '/versions/1/views?limit=200')->{json}{views}}), 200, 'views come by pages';
is $db->selectrow_array('SELECT COUNT(*) FROM view WHERE artifact_id = ?', undef, $r->{json}{artifact}{id}), 500, 'there are at most 500';
like $r->{json}{warnings}[-1], qr/^views: a version has at most 500/, '... which is said';
like body($slug, '/'), qr{rel="next" href="\./index\.2\.html"}, 'a large folder has pages';
like body($slug, '/index.2.html'), qr{>f998\.txt<.*rel="prev"}s, '... and all files are listed';

# ---- versions

$slug = shown({ 'a.md' => 'A', 'b.md' => 'B' });
my $first = views()->{views};
$db->do('UPDATE view SET made_at = made_at - 100');
shown({ 'a.md' => 'A', 'b.md' => 'B2', 'new/a.md' => 'A' }, slug => $slug);
my %digest = map { ("$_->[0] $_->[1]" => $_->[2]) } @{$db->selectall_arrayref(
	'SELECT version_no, path, HEX(sha256) FROM view WHERE artifact_id = ?', undef, $r->{json}{artifact}{id})};
is $digest{'2 a.md.html'}, $digest{'1 a.md.html'}, 'a file that stays keeps its view';
is $digest{'2 new/a.md.html'}, $digest{'1 a.md.html'}, '... also elsewhere';
isnt $digest{'2 b.md.html'}, $digest{'1 b.md.html'}, 'another has its own';
sub patched {
	my ($art, $path) = @_;
	return as($ann, POST => '/v1/publish', { artifact_id => $art, base_version => 2, mode => 'patch',
		files => [{ path => $path, content => 'C' }] });
}
$r = patched($r->{json}{artifact}{id}, 'c.md');
like paths(), qr/^a\.md\.html:markdown b\.md\.html:markdown c\.md\.html:markdown index/, 'a patch has views of all files'
	or diag $r->{body};
like body($slug, '/'), qr{>c\.md<}, '... and lists them';
my $art = $r->{json}{artifact}{id};
$r = patched($art, 'd.md');
like body($slug, '/'), qr{>c\.md<.*>d\.md<}s, 'so has a merge';

# A patch and a merge have the views of the version from which their files come.
subtest 'what a patch keeps' => sub {
	my $slug = shown({ 'index.html' => 'mine', 'a.md' => 'A' }, views => 'all');
	my $art = $r->{json}{artifact}{id};
	my $changed = sub { my ($base, $path, %more) = @_; return as($ann, POST => '/v1/publish', { artifact_id => $art,
		base_version => $base, mode => 'patch', files => [{ path => $path, content => "# $path" }], %more }) };
	$r = $changed->(1, 'b.md', draft => $true);
	is paths(), 'a.md.html:markdown b.md.html:markdown', 'views: all stays with a patch, also of a draft';
	$r = $changed->(2, 'c.md');
	is paths(), 'a.md.html:markdown b.md.html:markdown c.md.html:markdown', '... from which comes a version';
	like body($slug, '/c.md.html'), qr{<h1 id="cmd">c\.md}, '... that is served';
	is body($slug, '/'), 'mine', '... with its own entry page';
	$r = $changed->(1, 'd.md');
	is paths(), join(' ', map { "$_.md.html:markdown" } 'a' .. 'd'), '... with a merge';
	$r = $changed->(4, 'd.md', views => 'off');
	is paths(), '', '... unless the patch says otherwise';
	$r = $changed->(5, 'e.md');
	is paths(), '', 'a version with a page and without views has none later either';
	$r = $changed->(6, 'e.md', views => 'all');
	is paths(), join(' ', map { "$_.md.html:markdown" } 'a' .. 'e'), '... until they are asked for';
	$r = publish({ 'index.html' => 'x', 'a.md' => 'x' }, slug => $slug);
	is paths(), '', 'a publish of all files has the default';
	$slug = shown({ 'b.md' => 'B', 'c.md' => 'C' }, entrypoint => 'b.md');
	$art = $r->{json}{artifact}{id};
	$r = $changed->(1, 'd.md');
	is paths() . (got($slug, '/')->{headers}{location} =~ s{.*/}{}r), 'b.md', 'a file that was named as the entry stays so';
};

# ---- made anew

my $of = "/v1/artifacts/$art/versions/4/views";
$db->do("UPDATE view SET renderer = 'markdown-0', title = 'old', size_bytes = 1,"
	. " sha256 = (SELECT sha256 FROM version_file WHERE path = 'c.md' LIMIT 1)"
	. " WHERE artifact_id = ? AND version_no = 4 AND path = 'c.md.html'", undef, $art);
is as($ann, GET => "$of?limit=200")->{json}{views}[2]{renderer}, 'markdown-0', 'a view of an earlier release';
$r = as($ann, POST => $of);
is $r->{status}, 200, 'it is made anew' or diag $r->{body};
is_deeply [map { $_->{renderer} } @{$r->{json}{views}}], [('markdown-5') x 4, 'folder-5', 'markdown-5', 'folder-5'],
	'... by today’s renderers';
like body($slug, '/c.md.html'), qr{<p>C</p>}, '... and served';
like body("$slug--v4", '/c.md.html'), qr{<p>C</p>}, '... of the version, too';
refused(as($eve, POST => $of), '403 ACCESS_DENIED', 'a stranger to a public page');
$stack->collaborator($art, $ben, 'viewer');
refused(as($ben, POST => $of), '403 ACCESS_DENIED', 'a viewer');
refused(as(undef, POST => $of), '401 UNAUTHENTICATED', 'nobody');
refused(as($ann, POST => "/v1/artifacts/$art/versions/99/views"), '404 NOT_FOUND', 'no such version');
refused(as($ann, GET => "/v1/artifacts/$art/versions/99/views"), '404 NOT_FOUND', '... to list');
refused(as($ann, GET => "$of?cursor=%25zz"), '400 INVALID_REQUEST', 'a cursor of nobody');
as($ann, POST => $of) for 1 .. 18;
refused(as($ann, POST => $of), '429 RATE_LIMITED', 'twenty an hour');

# ---- without a version

sub render { my ($path, $content) = @_; return as($ann, POST => '/v1/render', { path => $path, content => $content }) }
my $objects = sub { return scalar(() = glob "$stack->{dir}/data/objects/*/*") };
$r = render('guide/a.md', "---\ntitle: T\n---\n\n[b](b.md)\n");
is_deeply [sort keys %{$r->{json}}], [qw(html kind renderer success title warnings)], 'a file is drawn without a publish'
	or diag $r->{body};
is_deeply [@{$r->{json}}{qw(kind renderer title warnings)}], ['markdown', 'markdown-5', 'T', []], '... with what a view’s row has';
like $r->{json}{html}, qr{<h1>T</h1>.*href="b\.md\.html"}s, '... as a publish would';
my $drawn = $r->{json}{html};
is body(shown({ 'a.md' => "---\ntitle: T\n---\n\n[b](b.md)\n" }), '/'), $drawn, '... to the byte';
my $had = $objects->();
like render('a.csv', join '', map { "$_;x\n" } 'n', 1 .. 150)->{json}{html}, qr{<td class="num">100</td>(?!.*>101<)}s, 'the first rows of a table';
like render('a.xlsx', 'x')->{json}{html}, qr{Workbook, 1 byte.*download}s, 'a workbook is a download';
like render('p.png', '')->{json}{html}, qr{<img src="\./p\.png"}, 'a picture is named, not read';
like render('a.md', "---\na: [\n---\nx")->{json}{warnings}[0], qr/front matter/, 'a warning';
is $objects->(), $had, 'nothing is stored';
is render('a.txt', 'x' x (1 << 20))->{status}, 200, '1 MB';
refused(render('a.txt', 'x' x ((1 << 20) + 1)), '413 BODY_TOO_LARGE', '... and no more', qr/^content/);
refused(render('../a.md', ''), '400 INVALID_REQUEST', 'a path that leads out', qr/^path/);
refused(render('a.html', ''), '400 INVALID_REQUEST', 'a page needs no view', qr/page itself/);
refused(as(undef, POST => '/v1/render', { path => 'a.md', content => '' }), '401 UNAUTHENTICATED', 'nobody');
is((grep { render('a.txt', '')->{status} == 429 } 1 .. 121) > 0, 1, 'at most 120 a minute');

# ---- private ones

$slug = shown({ 'secret.md' => 'hidden', 'b.md' => 'x' }, visibility => 'private');
isnt got($slug, $_)->{status}, 200, "a private page’s view: $_" for '/', '/secret.md.html', '/index.html';
refused(as($eve, GET => at() . '/versions/1/views'), '404 NOT_FOUND', '... and its list');
shown({ 'secret.md' => 'draft', 'b.md' => 'x' }, slug => $slug, draft => $true, visibility => undef);
is paths(), 'b.md.html:markdown index.html:folder secret.md.html:markdown', 'a draft has views';

# ---- taken over from the version before

my %many = map { ("t/$_.txt" => "Text $_\n") } 1 .. 60;
sub rows { return { map { $_->{path} => join ' ', @$_{qw(of kind renderer title size_bytes)} } @{views()->{views}} } }
$slug = shown(\%many);
$db->do('UPDATE view SET title = CONCAT(title, ?) WHERE artifact_id = ? AND path IN (?, ?, ?)', undef, ' as it was',
	$r->{json}{artifact}{id}, map { "t/$_.txt.html" } 7, 8, 9);
my $was = rows();
$many{'t/9.txt'} = "Text 9\nmore\n";
shown(\%many, slug => $slug);
my $is = rows();
is_deeply [grep { $is->{$_} ne $was->{$_} } sort keys %$was], ['t/9.txt.html', 't/index.html'], 'one text changed, and its folder';
like $is->{'t/7.txt.html'}, qr/ 7\.txt as it was /, '... others are as they were';
unlike $is->{'t/9.txt.html'}, qr/as it was/, '... this one is drawn';
delete $many{'t/60.txt'};
$many{"t/$_.txt"} = "changed\n" for grep { $_ % 2 } 1 .. 60;
shown({ %many, 'u/8.txt' => $many{'t/8.txt'} }, slug => $slug);
$is = rows();
is keys %$is, 63, 'every other one changed';
like $is->{'t/8.txt.html'}, qr/ 8\.txt as it was /, '... others are as they were';
like $is->{'u/8.txt.html'}, qr{^u/8\.txt \S+ \S+ 8\.txt as it was }, '... also one that is in another folder, too';
like body($slug, '/u/8.txt.html'), qr{Text 8}, '... and are served';

my ($lost) = map { lc } $db->selectrow_array("SELECT HEX(sha256) FROM view WHERE path = 't/8.txt.html' AND artifact_id = ?"
	. ' AND version_no = 3', undef, $r->{json}{artifact}{id});
unlink "$stack->{dir}/data/objects/" . substr($lost, 0, 2) . "/$lost";
shown({ %many, 'new.txt' => 'x' }, slug => $slug);
unlike rows()->{'t/8.txt.html'}, qr/as it was/, 'one whose object is lost is drawn again';
like body($slug, '/t/8.txt.html'), qr{Text 8}, '... and served';

# ---- what is lost is drawn again

$slug = shown({ 'lost.md' => "# Lost\n" });
my ($hex) = map { lc } $db->selectrow_array("SELECT HEX(sha256) FROM view WHERE path = 'lost.md.html'");
my $object = "$stack->{dir}/data/objects/" . substr($hex, 0, 2) . "/$hex";
ok -f $object, 'a view is an object';
unlink $object, glob("$stack->{dir}/data/trees/$r->{json}{artifact}{id}/1/pub/lost.md.html*"),
	glob("$stack->{dir}/data/trees/$r->{json}{artifact}{id}/1/pub/_vitrine/entry.html*");
isnt body($slug, '/lost.md.html'), $page, 'it is gone';
my ($status, $out, $err) = $stack->program('vitrinectl', {}, 'fsck');
is $status, 1, 'fsck says so';
($status, $out, $err) = $stack->program('vitrinectl', {}, 'reproject');
is $status, 0, 'reproject' or diag $out, $err;
like body($slug, '/lost.md.html'), qr{<h1 id="lost">}, '... draws it again';
($status, $out, $err) = $stack->program('vitrinectl', {}, 'fsck');
is $out, "clean\n", 'fsck is clean' or diag $out, $err;
Vitrine::Words::finish($stack);
