# SPDX-License-Identifier: Apache-2.0
# Published sites in a real browser: assets, modules, names in any language, an application's deep links, an installable page, sound with
# ranges, views of files, and a large tree that somebody else wrote.
use utf8;
use Encode qw(decode_utf8 encode_utf8);
use File::Find 'find';
use File::Path 'make_path';
use Vitrine::Browser;
use Vitrine::Pack;
use Vitrine::Words;

my ($stack, $api) = stack(builder => 'auto', publish_per_hour => 1000);
my $ann = $stack->user('ann@example.org');
my $b = Vitrine::Browser->new($stack);

# The client publishes a folder of these files; the address comes back.
sub site {
	my ($slug, $files, @more) = @_;
	my $dir = Vitrine::Stack::folder($stack->{dir}, $slug, %$files);
	my ($status, $out, $err) = $stack->client($ann->{token}, 'publish', $dir, '--slug', $slug, '--visibility', 'public',
		'--quiet', @more);
	is $status, 0, "$slug is published" or diag $err;
	chomp $out;
	return $out;
}
sub calm { my ($name) = @_; is join('; ', grep { !/favicon/ } $b->complaints), '', "the browser has no complaint about $name" }

# ---- a site

my $url = site('pieces', {
	'index.html' => encode_utf8('<!doctype html><meta charset=utf-8><title>A</title><link rel=stylesheet href="css/style.css">
<h1 id=h>Привет</h1><img id=i src="img/кот 🐈.svg">
		<p id=out></p><a id=next href="глава/второй лист.html">next</a><script type=module src="js/app.mjs"></script>'),
	'css/style.css' => '@import "more.css"; h1{color:rgb(1,2,3)}', 'css/more.css' => 'h1{letter-spacing:3px}',
	'img/кот 🐈.svg' => '<svg xmlns="http://www.w3.org/2000/svg" width="12" height="34"><rect width="12" height="34"/></svg>',
	'js/app.mjs' => 'import { two } from "./lib/two.mjs"; const d = await (await fetch("data.json")).json(); '
		. 'const w = await WebAssembly.instantiateStreaming(fetch("js/add.wasm")); '
		. 'document.getElementById("out").textContent = [two, d.name, w.instance.exports.add(40, 2)].join(" ");',
	'js/lib/two.mjs' => 'export const two = 2;', 'data.json' => encode_utf8('{"name":"数据"}'),
	'js/add.wasm' => pack('H*', '0061736d0100000001070160027f7f017f030201000707010361646400000a09010700200020016a0b'),
	'глава/второй лист.html' => encode_utf8('<!doctype html><meta charset=utf-8><title>B</title><p>Второй лист') });
$b->go($url);
$b->wait_text(qr/2 数据 42/);
is $b->script('const s = getComputedStyle(document.getElementById("h")); return s.color + s.letterSpacing'), 'rgb(1, 2, 3)3px',
	'styles, and what they import';
is $b->script('return document.getElementById("i").naturalHeight'), 34, 'a picture whose name is Cyrillic and an emoji';
$b->screenshot('site');
$b->click('#next');
$b->wait_text(qr/Второй лист/);
calm('it');

# ---- an application with deep links

$url = site('single', { 'index.html' => '<!doctype html><title>App</title><div id=root></div><script src="/app.js"></script>',
	'app.js' => 'root.textContent = "at " + location.pathname' }, '--spa');
$b->go("${url}settings/profile");
$b->wait_text(qr{at /settings/profile});
is $b->script('return fetch("/none.png").then((r) => r.status)'), 404, 'what is no navigation is still missing';
$b->complaints;

# ---- an installable page

my $icon = "\x89PNG\r\n\x1a\n";
use Compress::Zlib ();
sub chunk { my ($type, $data) = @_; return pack('N', length $data) . $type . $data . pack('N', Compress::Zlib::crc32($type . $data)) }
$icon .= chunk('IHDR', pack('NNCCCCC', 512, 512, 8, 2, 0, 0, 0))
	. chunk('IDAT', Compress::Zlib::compress(("\0" . "\x20\x40\x80" x 512) x 512)) . chunk('IEND', '');
use MIME::Base64;
my $id = $api->publish($ann, slug => 'pwa', visibility => 'public',
	files => { 'index.html' => '<!doctype html><title>P</title><p>installable' },
	pwa => { enabled => Cpanel::JSON::XS::true, name => 'P', icon => 'data:image/png;base64,' . encode_base64($icon, '') });
$b->go("https://pwa.pages.localhost:$stack->{port}/");
$b->wait_text(qr/installable/);
is $b->script('return navigator.serviceWorker.ready.then((r) => new URL(r.scope).pathname)'), '/', 'its service worker is at work';
my $manifest = $b->script('return fetch(document.querySelector("link[rel=manifest]").href).then((r) => r.json())');
is join(' ', sort map { $_->{sizes} } @{$manifest->{icons}}), '192x192 512x512', 'and its manifest names icons';
is $b->script('return createImageBitmap(await (await fetch(arguments[0])).blob()).then((i) => i.width)', $manifest->{icons}[0]{src}) > 0, 1,
	'which are pictures';
calm('it');

# Who may see a private page can install it, too: the browser asks for the manifest with their cookie.
my $private = $api->publish($ann, slug => 'private-pwa', visibility => 'private',
	files => { 'index.html' => '<!doctype html><title>P</title><p>mine alone' },
	pwa => { enabled => Cpanel::JSON::XS::true, name => 'Mine', icon => 'data:image/png;base64,' . encode_base64($icon, '') });
$stack->ctl_in("the password\n", qw(user password ann@example.org));
$b->sign_in('ann@example.org', 'the password');
$b->go("https://private-pwa.pages.localhost:$stack->{port}/");
$b->wait_text(qr/mine alone/);
my $read = $b->cdp('Page.getAppManifest');
like $read->{data} // '', qr/"name":"Mine"/, 'the browser reads the manifest of a private page' or diag explain $read;
is_deeply $b->cdp('Page.getInstallabilityErrors')->{installabilityErrors}, [], '... and would install it';
calm('it');

# ---- sound, in ranges

my $wav = 'RIFF' . pack('V', 36 + 176400 * 4) . 'WAVEfmt ' . pack('VvvVVvv', 16, 1, 2, 44100, 176400, 4, 16) . 'data'
	. pack('V', 176400 * 4) . "\0" x (176400 * 4);
$url = site('sound', { 'index.html' => '<!doctype html><title>S</title><p>sound<audio id=a src="a.wav" preload=auto controls></audio>',
	'a.wav' => $wav });
$b->go($url);
is $b->script('const a = document.getElementById("a"); await new Promise((ok) => a.readyState > 3 ? ok() : a.oncanplaythrough = ok); '
	. 'a.currentTime = 3; await new Promise((ok) => a.onseeked = ok); '
	. 'return `${Math.round(a.duration)} ${a.currentTime} ${a.seekable.end(0) > 3}`'), '4 3 true', 'it can be sought in';
calm('it');

# ---- files that are no pages

$url = site('notes', { (map { ("file $_.txt" => "text $_") } 1 .. 9),
	'README.md' => "# Store map\n\n## Start\n\n- [x] done\n- [ ] not yet\n\n```\ncurl -O x\n```\n\n### Columns\n\n"
		. "|lat|lon|\n|-|-:|\n|1|" . 'wide ' x 60 . "|\n\n## Gaps\n\n> quoted `code` and [a table](data/stores.csv)\n\n"
		. "![A shape](shape.svg)\n",
	'data/stores.csv' => "city,amount\n" . join('', map { "City $_,$_.50\n" } 1 .. 120),
	'code/deploy.py' => join('', map { "print($_)" . ' # ' x ($_ * 10) . "\n" } 1 .. 30),
	'book.ipynb' => '{"metadata":{},"cells":[{"cell_type":"markdown","source":"# Which?\\n\\ntext"},'
		. '{"cell_type":"code","execution_count":1,"source":"print(1)",'
		. '"outputs":[{"output_type":"error","traceback":["\\u001b[31mTypeError\\u001b[0m: no"]}]}]}',
	'tree.json' => '{"a":[1,{"b":null}],"c":"text"}', 'shape.svg' => '<svg xmlns="http://www.w3.org/2000/svg" width="12" height="34"/>',
	'pack.bin' => "\0\1" });
for ('', 'README.md.html', 'data/stores.csv.html', 'code/deploy.py.html', 'book.ipynb.html', 'tree.json.html', 'shape.svg.html',
	'pack.bin.html', 'data/', '_vitrine/view/data/stores.csv?sort=-2&q=city') {
	$b->go("$url$_");
	is join('; ', $b->looks('view-' . s/\W+/-/gr)), '', "the view /$_ has no barrier, wide and narrow, by day and by night";
	is $b->script('return document.documentElement.scrollWidth <= innerWidth'), 1, '... and fits its width';
}
$b->go($url)->fill('.find input', 'file 7');
$b->wait_text(qr/1 of 16/);
is $b->script('return [...document.querySelectorAll(".list li")].filter((e) => e.checkVisibility()).length'), 1, 'a file is found';
sub style { my ($what, $name) = @_; return $b->script("return getComputedStyle(document.querySelector('$what')).$name") }
$b->go("${url}README.md.html");
like style('td', 'textAlign') . ' ' . style('td[align]', 'textAlign'), qr/^left (?:-webkit-)?right$/,
	'columns of a table are aligned as it says';
is style('img', 'backgroundColor'), 'rgb(255, 255, 255)', 'a drawing has a light ground';
$b->go("${url}shape.svg.html");
is style('img', 'backgroundColor'), 'rgb(255, 255, 255)', '... also by itself';
$b->go("${url}README.md.html")->follow('a table');
$b->wait_text(qr/1 to 100 of 120/);
$b->follow('Next');
$b->wait_text(qr/101 to 120 of 120/);
$b->fill('input[name=q]', 'CITY 11')->click('.find button');
$b->wait_text(qr/1 to 11 of 11 rows with/);
$b->follow('amount');
$b->wait_text(qr/amount ↑.*City 11 /s);
$b->follow('amount');
$b->wait_text(qr/amount ↓.*City 119 /s);
$b->follow('All rows');
$b->wait_text(qr/1 to 100 of 120/);
$b->go("${url}code/deploy.py.html#L3-L4");
is $b->script('return document.querySelectorAll(".code .on").length'), 2, 'an address marks lines';
calm('views');

# ---- what a script draws, and what it must not do

sub docx {
	my ($body, @rels) = @_;
	my ($type, $package, $drawing) = map { "http://schemas.openxmlformats.org/$_" } 'officeDocument/2006/relationships',
		'package/2006', 'drawingml/2006/main';
	return zip(['[Content_Types].xml' => qq(<Types xmlns="$package/content-types"/>)],
		['_rels/.rels' => qq(<Relationships xmlns="$package/relationships"><Relationship Id="a" Type="$type/officeDocument")
			. ' Target="word/document.xml"/></Relationships>'],
		['word/_rels/document.xml.rels' => qq(<Relationships xmlns="$package/relationships">)
			. join('', map { qq(<Relationship Id="$_->[0]" Type="$type/$_->[1]" Target="$_->[2]" TargetMode="External"/>) }
				@rels) . '</Relationships>'],
		['word/document.xml' => '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
			. qq( xmlns:r="$type" xmlns:a="$drawing"><w:body>$body</w:body></w:document>)]);
}
sub run_of { return '<w:r><w:t>' . $_[0] =~ s/</&lt;/gr . '</w:t></w:r>' }
my $hurt = '<img src=https://a.example/x onerror=hurt()>';
$url = site('drawn', {
	'all.md' => "# On \$x^2\$\n\n\$\\frac12\$ \$\\href{javascript:hurt()}{y}\$ \$\\includegraphics{https://a.example/x}\$ "
		. "\$\\text{$hurt}\$\n\n\$\$\na_b\n\$\$\n\n```math\nc_d\n```\n\n```python\nprint('$hurt')\n```\n\n```mermaid\n"
		. "%%{init: {\"securityLevel\": \"loose\", \"htmlLabels\": true}}%%\ngraph TD; A[\"$hurt\"] --> B\n"
		. "click A href \"javascript:hurt()\"\nclick B call hurt()\n```\n\n"
		. "```dot\ndigraph { a [URL=\"javascript:hurt()\", image=\"https://a.example/x\"]; a -> b }\n```\n",
	'a.py' => "def f():\n    '''one\n    two'''\n    return \"$hurt\"\n", 'a.mmd' => "sequenceDiagram\n A->>B: $hurt\n",
	'a.ipynb' => $api->{json}->encode({ nbformat => 4, nbformat_minor => 5, metadata => {}, cells => [
		{ cell_type => 'markdown', metadata => {}, source => ["## Study\n\n", '[the code](a.py)', "\n\n$hurt"] },
		{ cell_type => 'code', execution_count => 1, metadata => {}, source => ['draw()'], outputs => [
			{ output_type => 'display_data', metadata => {},
				data => { 'text/html' => "<b>bold</b>$hurt<script>hurt()</script>" } },
			{ output_type => 'display_data', metadata => {}, data => { 'image/svg+xml' =>
				'<svg xmlns="http://www.w3.org/2000/svg" width="12" height="34"><script>hurt()</script></svg>' } },
			{ output_type => 'error', ename => 'E', evalue => 'no', traceback => ["\x1b[31mE\x1b[0m: no"] }] }] }),
	'a.gv' => 'digraph { x -> y [label="hi"] }', 'bad.mmd' => 'graph none ((((',
	'a.docx' => docx('<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr>' . run_of('One') . '</w:p><w:p><w:hyperlink r:id="j">'
		. run_of('bad') . '</w:hyperlink><w:hyperlink r:id="h">' . run_of('good') . '</w:hyperlink>' . run_of($hurt)
		. '<w:r><w:drawing><a:blip r:link="p"/></w:drawing></w:r></w:p>'
		. '<w:tbl><w:tr><w:tc><w:p>' . run_of('cell') . '</w:p></w:tc></w:tr></w:tbl>',
		['j', 'hyperlink', 'javascript:hurt()'], ['h', 'hyperlink', 'https://a.example/'],
		['p', 'image', 'https://a.example/x.png']) });
sub drawn {
	my ($path) = @_;
	$b->go("$url$path.html");
	$b->script('while (!document.documentElement.dataset.drawn) await new Promise((done) => setTimeout(done, 20))');
	is $b->script('const bad = [...document.querySelectorAll("*")].flatMap((e) => [...e.attributes]).filter((a) => /^on/.test(a.name) '
		. '|| /^\s*javascript:/i.test(a.value) || (a.name === "src" && !/^(data:image|\/_vitrine)/.test(a.value)));'
		. 'const loaded = performance.getEntriesByType("resource").map((r) => r.name);'
		. 'const others = loaded.filter((n) => !n.startsWith(location.origin) && !n.startsWith("data:"));'
		. 'return [...bad.map((a) => a.name), ...others].join(" ")'), '', "nothing in $path runs, or loads anything of others";
	return $b->script('const n = (css) => document.querySelectorAll(css).length; '
		. 'return `${n("math")} ${n("img.drawn")} ${n("[class^=hljs-]") > 0}`');
}
is drawn('all.md'), '7 2 true', 'formulas, diagrams, and code';
is $b->script('return document.querySelector("h1").id'), 'on-x2', '... and a heading with one';
like $b->script('return [...document.querySelectorAll("img.drawn")].map((i) => i.alt).join("; ")'), qr/^Diagram: .*B.*; Diagram: a/s,
	'... with words for those who do not see them';
is join('; ', $b->looks('view-drawn')), '', '... has no barrier';
is drawn('a.py'), '0 0 true', 'code has colors';
is $b->script('return [...document.querySelectorAll(".code li")].map((e) => e.textContent).join("")'),
	"def f():\n    '''one\n    two'''\n    return \"$hurt\"\n", '... and its lines are as they were';
is drawn('a.mmd'), '0 1 false', 'a diagram beside its source';
is drawn('a.gv'), '0 1 false', '... of Graphviz, too';
is join('; ', $b->looks('view-diagram')), '', '... has no barrier';
is drawn('bad.mmd'), '0 0 false', 'one that is none stays as it is';
drawn('a.docx');
is $b->script('return document.querySelector("main").innerText.replace(/\s+/g, " ").trim()'), "One badgood$hurt cell", 'a document';
is $b->script('return [...document.querySelectorAll("article a")].map((a) => a.getAttribute("href")).join()'), ',https://a.example/',
	'... with its harmless links';
is join('; ', $b->looks('view-document')), '', '... has no barrier';
calm('it');

# ---- colors on the Files tab

$stack->ctl_in("the password\n", qw(user password), 'ann@example.org');
my ($art) = $stack->db->selectrow_array("SELECT id FROM artifact WHERE slug = 'drawn'");
$b->sign_in('ann@example.org', 'the password');
$b->go("https://vitrine.localhost:$stack->{port}/a/$art/files/a.py");
$b->script('while (!document.documentElement.dataset.drawn) await new Promise((done) => setTimeout(done, 20))');
is $b->script('return document.querySelectorAll(".code [class^=hljs-]").length > 0'), 1, 'the Files tab has them, too';
is $b->script('return [...document.querySelectorAll(".code li")].map((e) => e.textContent).join("")'),
	"def f():\n    '''one\n    two'''\n    return \"$hurt\"\n", '... and its lines are as they were';
is join('; ', $b->looks('files-code')), '', '... has no barrier';
calm('it');
$b->go("https://vitrine.localhost:$stack->{port}/a/$art/files/a.ipynb")->frame('iframe.notebook');
like $b->wait_text(qr/E: no/), qr/Study.*the code.*In \[1\].*draw\(\).*Out \[1\].*bold/s, 'a notebook is shown as cells';
is $b->script('return [...document.images].map((i) => i.naturalWidth).join()'), '0,12', '... with its pictures';
is $b->script('return `${origin} ${document.scripts.length}`'), 'null 0', '... in a frame without an origin and without scripts';
$b->frame;
unlike $b->script('return document.querySelector("iframe").sandbox.value'), qr/scripts|same-origin|top-nav/, '... that allows none';
is join('; ', $b->looks('files-notebook')), '', '... has no barrier';
is join('; ', grep { !m{^about:srcdoc - Loading the image 'https://a\.example/x' violates} } $b->complaints), '',
	'... and loads no picture of others';
$b->follow('Show text');
like $b->wait_text(qr/nbformat/), qr/hurt\(\)/, '... or its text';
$b->go("$url/a.py.html");

# ---- the libraries of pages

my $of = 'const all = await (await fetch("/_vitrine/lib/index.json")).json(), of = (name) => import(`/_vitrine/lib/${all[name]}`);';
is $b->script($of . 'const wrong = []; for (const name in all) try { const found = await of(name); '
	. 'if (name !== "@tailwindcss/browser" && !Object.keys(found).length) wrong.push(`${name} is empty`) } '
	. 'catch (e) { wrong.push(`${name}: ${e}`) } return wrong.join("; ")'), '', 'each module can be loaded';
is $b->script($of . 'const { createElement: h, useState } = await of("react"), { createRoot } = await of("react-dom/client");'
	. 'const { BarChart, Bar } = await of("recharts"), { Check } = await of("lucide-react");'
	. 'const Page = () => { const [n] = useState(7); return h("p", {}, n, h(Check), '
	. 'h(BarChart, { width: 90, height: 90, data: [{ v: 1 }] }, h(Bar, { dataKey: "v" }))) };'
	. 'const at = document.body.appendChild(document.createElement("div")); createRoot(at).render(h(Page));'
	. 'while (!at.textContent) await new Promise(requestAnimationFrame);'
	. 'return `${at.textContent} ${at.querySelectorAll("svg").length}`'), '7 2', 'they share one React';
calm('libraries');

SKIP: {
	skip 'there is no esbuild', 5 if !-x '/usr/bin/esbuild';
	$url = site('sales-app', { 'Dashboard.tsx' => <<'APP', 'rows.json' => '[{"month":"May","v":3},{"month":"June","v":5}]' });
import React, { useState } from "react";
import { BarChart, Bar, XAxis, ResponsiveContainer } from "recharts";
import { Heart } from "lucide-react";
import { Button } from "@/components/ui/button";
import rows from "./rows.json";
export default function Dashboard() {
	const [n, setN] = useState<number>(0);
	return <main className="p-8 flex flex-col gap-4"><h1 className="text-2xl font-bold">Sales</h1>
		<Button className="text-lg" onClick={() => setN(n + 1)}><Heart size={16}/> Liked {n}</Button>
		<ResponsiveContainer width="100%" height={200}><BarChart data={rows}><XAxis dataKey="month"/>
			<Bar dataKey="v" fill="#0a6b62" isAnimationActive={false}/></BarChart></ResponsiveContainer></main>;
}
APP
	$b->go($url);
	$b->wait_text(qr/Sales.*Liked 0.*May.*June/s);
	$b->click('button');
	$b->wait_text(qr/Liked 1/);
	is $b->script('const count = (all) => document.querySelectorAll(all).length;'
		. 'return [count(".recharts-bar-rectangle"), count(".lucide-heart"), document.title].join(" ")'), '2 1 Dashboard',
		'an app draws its chart and its pictures';
	is $b->script('const main = document.querySelector("main"); '
		. 'while (getComputedStyle(main).padding !== "32px") await new Promise(requestAnimationFrame); return 1'), 1,
		'... with its classes';
	is $b->script('const s = getComputedStyle(document.querySelector("button")); return s.backgroundColor + s.fontSize'),
		'rgb(23, 23, 23)18px', '... and components of ours have their colors, and its classes';
	calm('an app');
}

# ---- what others wrote

SKIP: {
	my $cache = "$ENV{VITRINE_VAR}/real";
	make_path($cache);
	my ($deb) = glob "$cache/git-doc_*.deb";
	system "cd '$cache' && apt-get download -qq git-doc >/dev/null 2>&1" if !$deb;
	($deb) = glob "$cache/git-doc_*.deb";
	skip 'the package archive is out of reach', 4 if !$deb;
	Vitrine::Stack::run('dpkg-deb', '-x', $deb, "$stack->{dir}/deb");
	my $dir = "$stack->{dir}/deb/usr/share/doc/git-doc";
	my %files;
	find({ no_chdir => 1, wanted => sub { $files{substr $_, length($dir) + 1} = Vitrine::Stack::slurp($_) if -f && !-l } }, $dir);
	find({ no_chdir => 1, wanted => sub { unlink if -l } }, $dir);
	my ($status, $out, $err) = $stack->client($ann->{token}, 'publish', $dir, '--slug', 'git-doc', '--visibility', 'public', '--quiet',
		'--entrypoint', 'git.html');
	is $status, 0, 'the documentation of git is published' or diag $err;
	my @wrong = grep { $api->get_site('git-doc', '/' . join '/', map {
		s/([^A-Za-z0-9._~-])/sprintf '%%%02X', ord $1/ger;
	} split m{/})->{body} ne $files{$_} } sort grep { $_ ne 'git.html' } keys %files;
	ok keys %files > 300, 'hundreds of files: ' . keys %files;
	is "@wrong[0 .. ($#wrong < 4 ? $#wrong : 4)]", '', 'each of them, byte for byte';
	$b->go("https://git-doc.pages.localhost:$stack->{port}/");
	$b->wait_text(qr/the stupid content tracker/);
	$b->follow('git-rebase');
	$b->wait_text(qr/Reapply commits on top of another base tip/);
	$b->screenshot('git-doc');
	calm('it');
}
finish($stack);
