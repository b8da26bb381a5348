# SPDX-License-Identifier: Apache-2.0
# The client and files of all kinds: links within a folder, a lone file with a page around it, folders with odd names as an archive, and
# many files pulled at once.
use utf8;
use Encode 'encode_utf8';
use File::Path qw(make_path remove_tree);
use Vitrine::Words;

my ($stack, $api) = stack(leaks => 1, publish_per_hour => 1000, max_version_bytes => 40 << 20);
my $ann = $stack->user('ann@example.org');
my $dir = $stack->{dir};
sub client { return $stack->client($ann->{token}, @_) }
sub site { return Vitrine::Stack::folder($dir, @_) }
sub fine { my ($status, $out, $err) = client(@_); is $status, 0, "@_" or diag $err; return $out . $err }
sub refused {
	my ($like, @args) = @_;
	my ($status, $out, $err) = client(@args);
	is "$status$out", 1, "refused: @args";
	like $err, $like, '... and says why';
}
sub got { my ($slug, $path) = @_; my $r = $api->get_site($slug, $path); return $r->{status} == 200 ? $r->{body} : $r->{status} }

# ---- links within the folder

my $links = site('links', 'index.html' => 'x', 'real/a.txt' => 'a', 'real/deep/b.txt' => 'b', 'v2/page.html' => 'page');
symlink 'real/a.txt', "$links/file.txt";
symlink 'real', "$links/folder";
symlink 'v2', "$links/latest";
symlink '../real/deep', "$links/v2/deep";
symlink 'file.txt', "$links/again.txt";
symlink '../links/real/a.txt', "$links/around.txt";
refused(qr{/links/around\.txt: is a symbolic link out of the folder; copy the file itself, or list the link in \.vitrineignore}, 'publish',
	$links, '--slug', 'links', '--visibility', 'public');
unlink "$links/around.txt";
fine('publish', $links, '--slug', 'links', '--visibility', 'public');
is got('links', $_->[0]), $_->[1], "$_->[0] is what it leads to" for ['/file.txt', 'a'], ['/again.txt', 'a'], ['/folder/a.txt', 'a'],
	['/folder/deep/b.txt', 'b'], ['/latest/page.html', 'page'], ['/latest/deep/b.txt', 'b'], ['/v2/deep/b.txt', 'b'];
is scalar $stack->db->selectrow_array('SELECT file_count FROM version'), 11, 'each path is a file';
symlink $links, "$dir/entrance";
fine('publish', "$dir/entrance", '--slug', 'links');
for (['to a file outside', '../outside.txt', qr/is a symbolic link out of the folder/],
	['to one by its whole path', "$links/index.html", qr/is a symbolic link out of the folder/],
	['to the root', '/', qr/out of the folder/], ['to a kernel\'s file', '/proc/self/environ', qr/out of the folder/],
	['to nothing', 'none', qr/is a broken symbolic link/], ['to itself', 'odd', qr/is a symbolic link in a loop/], ['to the folder',
		'.', qr/is a symbolic link to a folder that contains it/], ['through a file', 'index.html/x', qr/Not a directory/],
	['to what is left out', '.env',
		qr/is a symbolic link to \.env, which is left out; include that with ! in \.vitrineignore, or list the link there/],
	['into a folder that is', '.git/config', qr{is a symbolic link to \.git/config, which is left out}],
	['to one that is', '.git', qr/to \.git, which is left out/],
	['to what a pattern leaves out', 'drafts/x.txt', qr{to drafts/x\.txt, which is left out}]) {
	my ($what, $to, $like) = @$_;
	site('links', '.env' => 'secret', '.git/config' => 'secret', 'drafts/x.txt' => 'x', '.vitrineignore' => "/drafts\n");
	Vitrine::Stack::spew("$dir/outside.txt", 'secret');
	symlink $to, "$links/odd";
	refused($like, 'publish', $links, '--slug', 'links');
	site('links', '.vitrineignore' => "/drafts\nodd\n");
	fine('publish', $links, '--slug', 'links');
	is got('links', '/odd'), 404, "... a link $what is left out where that is said";
	unlink "$links/odd";
}
mkdir "$links/real/up";
symlink '../..', "$links/real/up/top";
refused(qr{/folder/up/top: is a symbolic link to a folder that contains it}, 'publish', $links, '--slug', 'links');
unlink "$links/real/up/top";
symlink '../../v2', "$links/real/up/other";
symlink '../real/up', "$links/v2/up";
refused(qr{is a symbolic link to a folder that contains it}, 'publish', $links, '--slug', 'links');
unlink "$links/v2/up";
site('links', 'real/deep/skip.log' => 'x', '.vitrineignore' => "/drafts\n/real/deep/*.log\n");
fine('publish', $links, '--slug', 'links');
is got('links', $_), 404, "$_: a pattern holds for the file, by whatever path"
	for '/real/deep/skip.log', '/folder/deep/skip.log', '/v2/deep/skip.log';
# Each level leads twice into the next: 2^20 files, if nothing stopped it.
my $fan = site('fan', 'index.html' => 'x', 'd20/x.txt' => 'x');
for my $i (1 .. 19) { mkdir "$fan/d$i"; symlink '../d' . ($i + 1), "$fan/d$i/$_" for 'a', 'b' }
refused(qr/has more than 200000 files and folders/, 'publish', $fan) if $ENV{VITRINE_LONG};

# ---- a lone file

sub lone {
	my ($name, $bytes, @options) = @_;
	Vitrine::Stack::spew(encode_utf8("$dir/$name"), $bytes);
	my $said = fine('publish', encode_utf8("$dir/$name"), '--slug', 'lone', '--visibility', 'public', '--yes', @options);
	return got('lone', '/');
}
my $pdf = "%PDF-1.4\n%\xe2\xe3\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n";
my $page = lone('report 2.pdf', $pdf);
like $page, qr{<iframe src="\./report%202\.pdf" title="report 2\.pdf"></iframe>}, 'a PDF is shown';
like $page, qr{<a class="button" href="\./report%202\.pdf">Raw</a>}, '... and linked to';
like $page, qr{<title>report 2\.pdf</title>}, '... by its name';
is got('lone', '/report%202.pdf'), $pdf, '... and is there itself';
is $api->get_site('lone', '/report%202.pdf')->{headers}{'content-type'}, 'application/pdf';
like lone('film.mp4', "\0"), qr{<video controls preload="metadata" src="\./film\.mp4" aria-label="film\.mp4"></video>}, 'a film is shown';
like lone('song.mp3', "\0"), qr{<audio controls [^>]*src="\./song\.mp3"}, '... and sound';
like lone('main.ts', "let x: number = 1;"), qr{<li id=L1>let x}, '... and a program is text, whatever else has its ending';
like lone('scan.tiff', "II\0"), qr{<span>TIFF file, 3 bytes</span>}, 'a picture that browsers do not show has a card';
like lone('plan.docx', "PK\0" x 700), qr{<h1>plan\.docx</h1><span>Document, 2\.1 kB</span>.*<a class="button" href="\./plan\.docx" download>Download</a>},
	'anything else has a card';
$page = lone('front.md', "---\ntitle: On \"front\" matter\nlang: de\n---\n\n## Second\n\n- [ ] a *task* & more\n");
like $page, $_, 'front matter is no text' for qr{<html lang="de">}, qr{<title>On (?:"|&quot;)front(?:"|&quot;) matter</title>},
	qr{<h1>On [^<]*</h1>\n<h2}, qr{aria-label="a task &amp; more"};
unlike $page, qr/title:/, '... nor a heading';
is scalar(() = lone('two.md', "# One\n\n# Two\n") =~ /<h1/g), 1, 'a page has one first heading';
like got('lone', '/'), qr{<html lang="en">};
like lone('rule.md', "---\n\ntext\n"), qr{<hr />\n<p>text}, 'a line is no front matter';
like lone('pic.png', "\x89PNG\r\n\x1a\n"), qr{<img src="\./pic\.png" alt="pic\.png">}, 'an image is shown';
like lone("a'b&c.svg", '<svg xmlns="http://www.w3.org/2000/svg"/>'),
	qr{<img src="\./a%27b%26c\.svg" alt="a(?:'|&#39;|&#x27;|&apos;)b&amp;c\.svg">}, 'a name is escaped where it stands';
$page = lone('notes.txt', "<b>1 < 2 & 3</b>\n\ttab\n" . encode_utf8("grüße"));
like $page, qr{<li id=L1>&lt;b&gt;1 &lt; 2 &amp; 3&lt;/b&gt;\n<li id=L2>\ttab\n<li id=L3>gr\xc3\xbc\xc3\x9fe\n</ol>}, 'text stands as it is';
like lone('table.csv', "a,b\n1,2\n"), qr{<th scope="col" class="num">a</th>.*<td class="num">2</td>}s, 'a table is one';
like lone('latin.txt', "caf\xe9"), qr/caf\xc3\xa9/, '... of western Windows, too';
unlike lone('japan.txt', "\x81\x40caf"), qr/<li id/, 'what is not known to be text is linked to only';
like got('lone', '/'), qr{href="\./japan\.txt">};
like lone('long.txt', ('x' x 1023 . "\n") x 1024 . 'y'), qr{the first 1\.0 MB of 1\.0 MB.*<li id=L1024>x+\n</ol>}s, '... and what is very long, in part';
is length got('lone', '/long.txt'), (1 << 20) + 1;
like lone('empty.md', ''), qr{href="\./empty\.md">}, 'an empty one';

$page = lone('README.md', "# Title\n\nSome *words*, a [link](https://example.org/?a=1&b=2) and `code`.\n\n| a | b |\n|---|---|\n"
	. "| 1 | 2 |\n\n- [x] done\n\n~~old~~ https://example.org/\n\n```\n<pre>\n```\n");
like $page, $_, 'Markdown is rendered' for qr{<h1 id="title">Title</h1>}, qr{<em>words</em>},
	qr{<a href="https://example\.org/\?a=1&amp;b=2">link</a>}, qr{<code>code</code>}, qr{<table>.*<td>2</td>}s,
	qr{<input type="checkbox" aria-label="done" checked="" disabled="" ?/> done}, qr{<del>old</del> <a href="https://example\.org/">},
	qr{<pre tabindex="0"><code>&lt;pre&gt;\n</code></pre>};
$page = lone('evil.md',
	"<script>alert(1)</script>\n\nx <img src=x onerror=alert(1)> y\n\n<svg onload=alert(1)>\n\n[a](javascript:alert(1)) "
		. "[b](JaVaScRiPt&#58;alert(1)) [c](vbscript:x) [d](data:text/html,x) [e](file:///etc/passwd) ![f](javascript:x)\n\n"
	. "[g]: javascript:alert(1)\n\n[g] <javascript:alert(1)>\n\n</main></body><iframe src=x>\n\n[h](\" onclick=alert(1) x=\")\n\n"
	. "[i](x \"\\\" onclick=alert(1)\")\n");
my ($body) = $page =~ m{<main[^>]*>(.*)</main>}s;
unlike $body, qr/<script|<img src=x|<svg|<iframe|<\/main|href="\s*(?:javascript|vbscript|data|file)/i,
	'HTML in it is left out, and links that would run lead nowhere';
unlike $body =~ s/"[^"]*"/""/gr, qr/<[^>]*onclick/, '... and no attribute is broken out of';
like $page,
	qr{<meta http-equiv="Content-Security-Policy" content="default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' https: data:; base-uri 'none'; form-action 'none'">},
	'nor would it run if it were there';
like lone('bad.md', "a\xff\xfeb **c**"), qr{href="\./bad\.md">}, 'Markdown that is no text';
like lone('deep.md', '[' x 50000 . '*_' x 20000 . '> ' x 5000 . 'x'), qr{</html>}, '... and one that is made to be slow';

like lone('data.json', '{"a":"<b>"}'), qr{<div><b>a</b>: &quot;&lt;b&gt;&quot;</div>}, 'what is for programs is shown as a tree';
is got('lone', '/data.json'), '{"a":"<b>"}', '... and is there itself';
$page = lone('backup.tar.xz', "\xfd7zXZ\0\0");
like $page, qr{href="\./backup\.tar\.xz" download>.*<main class="card">}s, 'whatever else it is, it is linked to';
is lone('page.html', '<p>x'), '<p>x', 'a page stays as it is';
is lone('notes.txt', 'plain', '--entrypoint', 'notes.txt'), 302, '--entrypoint: the file alone';
is $api->get_site('lone', '/')->{headers}{location}, '/notes.txt', '... is where it begins';
is got('lone', '/index.html'), 404;
is got('lone', '/notes.txt'), 'plain';
like fine('publish', "$dir/notes.txt", '--slug', 'lone'),
	qr/^a page shows the file; --entrypoint notes\.txt publishes the file alone$/m, 'it is said';
is +(client('publish', "$dir/notes.txt", '--slug', 'lone', '--quiet'))[2], '', '... but not with --quiet';
Vitrine::Stack::spew("$dir/keys.txt", 'AKIAABCDEFGHIJKLMNOP');
is scalar(() = +(client('publish', "$dir/keys.txt", '--slug', 'lone'))[2] =~ /looks like/g), 1, 'a secret in it is said once';
site('one', 'notes.txt' => 'x');
isnt +(client('publish', "$dir/one", '--slug', 'one'))[0], 2, 'a folder with one file is a folder';
unlike got('one', '/'), qr/<pre>/, '... and gets no page';
open my $f, '>', "$dir/keys.txt"; close $f;
fine('pull', 'lone', "$dir/lone-pulled");
ok !-e "$dir/lone-pulled/index.html" && -e "$dir/lone-pulled/keys.txt", 'the file alone comes back';

# ---- a page out of a folder

my $folder = site('folder', 'page.html' => q{<link rel=stylesheet href="my%20style.css?v=1"><img SRC=img/a.png>}
	. q{<a href='https://x.example/a.css'>x</a><a href="#top"><a href="/top.html"><a href="gone.html">}
	. q{<div style="background:url(img/b.png)"><img src="img/a.png"><script src="../outside.js"></script>}, 'my style.css' => 'x',
	'img/a.png' => 'x', 'img/b.png' => 'x', 'top.html' => 'x');
Vitrine::Stack::spew("$dir/outside.js", 'x');
my ($status, $out, $err) = client('publish', "$folder/page.html", '--slug', 'alone');
is_deeply [$err =~ /^page\.html refers to (.*), which isn't published$/mg], ['my style.css', 'img/a.png', 'img/b.png'],
	'a lone page: what lies beside it and is named in it is told';
like $err, qr{^publish the folder to send them: vitrine publish \Q$folder\E/$}m, '... with the way to publish it';
unlike +(client('publish', $folder, '--slug', 'alone'))[2], qr/refers to/, '... but not of a folder';

# ---- by standard input, and names that begin with a dash

sub piped { my ($bytes, @args) = @_; Vitrine::Stack::spew("$dir/piped", $bytes); return client(@args, { stdin => "$dir/piped" }) }
($status, $out, $err) = piped('<p>piped', 'publish', '-', '--slug', 'piped', '--visibility', 'public');
is $status, 0, 'a page comes by standard input' or diag $err;
is got('piped', '/'), '<p>piped', '... and is published';
($status) = piped('<p>again', 'publish', '-', '--slug', 'piped');
is got('piped', '/'), '<p>again', '... as another version';
{
	system("mkdir -p '$dir/zipped/site' && cd '$dir/zipped' && echo '<p>zipped' >site/index.html && echo x >site/.env && zip -qr "
		. "../zipped.zip . && tar czf ../zipped.tgz site");
	for my $kind ('zip', 'tgz') {
		($status, $out, $err) = client('publish', '-', '--slug', "piped-$kind", '--visibility', 'public',
			{ stdin => "$dir/zipped.$kind" });
		is join(' ', $status, got("piped-$kind", '/'), got("piped-$kind", '/.env')), "0 <p>zipped\n 404",
			"a .$kind by standard input is published as the folder in it" or diag $err;
	}
	like +(piped("PK\3\4 and no more", 'publish', '-'))[2], qr/^vitrine: standard input: can't be unpacked: (?!.*entrypoint)/,
		'... and refused when it is damaged';
}
is +(piped('', 'publish', '-'))[2], "vitrine: standard input is empty\n", 'nothing comes';
site('dash', '-d/index.html' => 'dash', '-d.html' => 'dash page');
chdir "$dir/dash";
fine('publish', '--slug', 'dash', '--visibility', 'public', '--', '-d');
is got('dash', '/'), 'dash', 'a name behind two dashes';
Vitrine::Stack::spew("$dir/dash/--spa.html", 'no option');
fine('publish', '--slug', 'dash', '--', '--spa.html');
is got('dash', '/'), 'no option', '... may look like an option';
chdir '/';

# ---- names as other systems write them

my $apart = site('apart', 'index.html' => 'x', "e\x{301}te\x{301}/gru\x{308}n.txt" => 'composed', "u\x{308}.txt" => 'u');
fine('publish', $apart, '--slug', 'apart', '--visibility', 'public');
is got('apart', '/%C3%A9t%C3%A9/gr%C3%BCn.txt'), 'composed', 'marks that stand apart are composed';
fine('publish', encode_utf8("$apart/u\x{308}.txt"), '--slug', 'apart-one', '--visibility', 'public', '--entrypoint',
	encode_utf8("\xfc.txt"));
is got('apart-one', '/%C3%BC.txt'), 'u', '... of a lone file, too';
site('apart', "\xfc.txt" => 'the same name');
refused(qr/: two files have this name, in different spellings of Unicode; rename one/, 'publish', $apart, '--slug', 'apart');

# ---- an archive

my $packed = site('packed', 'web/index.html' => 'unpacked', 'web/img/a.bin' => "\0\1\2", 'web/.env' => 'PASSWORD=x',
	'web/drafts/x.txt' => 'x', 'web/.vitrineignore' => "/drafts\n", '__MACOSX/._web' => 'x');
system("cd '$packed' && zip -qr '$dir/site.zip' . && tar czf '$dir/site.tar.gz' web && cd web && tar czf '$dir/flat.TGZ' .");
for my $archive ('site.zip', 'site.tar.gz', 'flat.TGZ') {
	(my $slug = lc $archive) =~ tr/./-/;
	like fine('publish', "$dir/$archive", '--slug', $slug, '--visibility', 'public'), qr/^left out \d: .*\.env/m,
		"$archive is unpacked";
	is join(' ', map { got($slug, $_) } '/', '/img/a.bin', '/.env', '/drafts/x.txt', '/web/index.html'), "unpacked \0\1\2 404 404 404",
		'... and published as its folder would be';
	is $api->call(GET => "/v1/artifacts?slug=$slug", { token => $ann->{token} })->{json}{artifacts}[0]{name}, $archive =~ s/\..*//r,
		'... and called after it';
}
fine('publish', "$dir/site.zip", '--slug', 'site-zip', '--entrypoint', 'site.zip');
is got('site-zip', '/site.zip'), Vitrine::Stack::slurp("$dir/site.zip"), '--entrypoint with its name publishes it as a file';
Vitrine::Stack::spew("$dir/broken.zip", "PK\3\4 and no more");
refused(qr/broken\.zip: can't be unpacked: .*; --entrypoint broken\.zip publishes it as a file/, 'publish', "$dir/broken.zip");
open my $random, '<', '/dev/urandom';
read $random, my $noise, 12 << 20;
my $heavy = site('heavy', 'index.html' => 'heavy', 'assets/noise' => $noise, (map { ("node_modules/$_" => "\0" x (20 << 20)) } 'a', 'b'),
	'.vitrineignore' => "none\n");
system("cd '$heavy' && zip -qr '$dir/heavy.zip' . && tar czf '$dir/heavy.tgz' .");
fine('publish', "$dir/heavy.$_", '--slug', "heavy-$_") for qw(zip tgz);
Vitrine::Stack::spew("$heavy/.vitrineignore", "!node_modules\n");
system("cd '$heavy' && zip -qr '$dir/heavy.zip' . && tar czf '$dir/heavy.tgz' .");
refused(qr{^vitrine: \Q$dir\E/heavy\.$_: unpacks to 52 MB; https://\S+ accepts up to 40 MB for a version$}m, 'publish', "$dir/heavy.$_")
	for qw(zip tgz);
{
	local $ENV{TMPDIR} = "$dir/none";
	refused(qr{none/vitrine-\w+: a file can't be created there}, 'publish', "$dir/site.zip");
}

# ---- as an archive

my %odd = map { $_ => "of $_" =~ s/[^ -~]/?/gr } 'index.html', 'grüße.txt', '日本/привет.txt', 'd' x 120 . '/' . 'f' x 200 . '.txt',
	join('/', ('e' x 90) x 9) . '/ü.txt', 'space and \'quote\'.txt', 'empty.txt', '100%.txt';
$odd{'empty.txt'} = '';
my $odd = site('odd', %odd);
for my $i (1 .. 3) { read $random, my $bytes, 3 << 20; Vitrine::Stack::spew("$odd/$i.bin", $bytes) }
make_path("$dir/tmp");
$ENV{TMPDIR} = "$dir/tmp";
fine('publish', $odd, '--slug', 'odd', '--visibility', 'public');
is join(' ', glob "$dir/tmp/*"), '', 'nine megabytes go as an archive, which is removed';
fine('pull', 'odd', "$dir/odd-pulled");
is scalar `diff -r --exclude=.vitrine.json '$odd' '$dir/odd-pulled' 2>&1`, '', 'any name and size comes back as it was';
$ENV{TMPDIR} = "$dir/none";
open $f, '>>', "$odd/$_.bin" and print $f 'more' and close $f for 1 .. 3;
refused(qr{^vitrine: \Q$dir\E/none/vitrine-\w+: a file can't be created there: No such file or directory$}m, 'publish', $odd,
	'--slug', 'odd');
delete $ENV{TMPDIR};

# ---- many files at once

my %many = map { ("p$_/" . ($_ % 7) . "/ü $_.html" => "<p>$_" . 'x' x $_) } 1 .. 300;
my $many = site('many', %many, 'index.html' => 'x', '_headers' => "/*\n  X-Robots-Tag: noindex\n", 'a.gz' => 'no gzip');
fine('publish', $many, '--slug', 'many');
my $pulled = "$dir/many-pulled";
sub asked { my ($route) = @_; return scalar(() = Vitrine::Stack::slurp("$dir/worker.log") =~ /"route":"[^"]*\Q$route\E","status":200/g) }
my ($exports, $singles) = (asked('/export'), asked('/files/{+}'));
like fine('pull', 'many', $pulled), qr/^303 files fetched, 0 already there$/m, 'a folder of hundreds';
is scalar `diff -r --exclude=.vitrine.json '$many' '$pulled' 2>&1`, '', '... is as it was published';
is join(' ', asked('/export') - $exports, asked('/files/{+}') - $singles), '1 0', '... fetched by one request';
is join(' ', map { s{.*/}{}r } glob "$pulled/.v*"), '.vitrine.json', '... and but for the memory nothing else lies there';
like fine('pull', 'many', $pulled), qr/^0 files fetched, 303 already there$/m, 'again: nothing';
unlink glob encode_utf8("$pulled/p$_/*/*") for 1 .. 5;
like fine('pull', 'many', $pulled), qr/^5 files fetched, 298 already there$/m, 'a few that are gone';
is join(' ', asked('/export') - $exports, asked('/files/{+}') - $singles), '1 5', '... are fetched one by one';
Vitrine::Stack::spew((glob encode_utf8("$pulled/p$_/*/*"))[0], 'changed') for 100 .. 250;
refused(qr{^vitrine: 151 files in \Q$pulled\E differ from what would be fetched: p100/\d/.*, \S+; --force overwrites, or choose another folder$}m,
	'pull', 'many', $pulled);
is scalar(() = `grep -rlx changed '$pulled'` =~ /\n/g), 151, '... and nothing is overwritten';
like fine('pull', 'many', $pulled, '--force'), qr/^151 files fetched, 152 already there$/m, 'half of them changed';
is scalar `diff -r --exclude=.vitrine.json '$many' '$pulled' 2>&1`, '', '... all as published';
Vitrine::Stack::spew("$pulled/index.html", 'my own work');
unlink "$pulled/a.gz";
refused(qr{^vitrine: 1 file in \Q$pulled\E differs from what would be fetched: index\.html; --force}m, 'pull', 'many', $pulled);
ok !-e "$pulled/a.gz", 'nothing else was written either';
is Vitrine::Stack::slurp("$pulled/index.html"), 'my own work';
remove_tree($pulled);
make_path("$pulled/p7");
symlink '/tmp', "$pulled/p7/0";
refused(qr{many-pulled/p7/0: something is in the way of this folder}, 'pull', 'many', $pulled);
is join(' ', glob "$pulled/.v*"), '', '... nothing half written is left';
finish($stack);
