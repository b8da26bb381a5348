# SPDX-License-Identifier: Apache-2.0
# vitrine import: chats' exports, files, other hosts' archives, and an address. It lists first, and publishes, private, what is picked.
use utf8;
use Encode 'encode_utf8';
use Vitrine::Pack;
use Vitrine::Words;

my ($stack, $api) = stack(builder => 'auto', publish_per_hour => 1000);
my ($ann, $eve) = map { $stack->user("$_\@example.org") } qw(ann eve);
my $dir = $stack->{dir};
my $chats = "$ENV{VITRINE_TOP}/t/lib/chats";
sub client { return $stack->client($ann->{token}, @_) }
sub artifacts { return $api->call(GET => '/v1/artifacts', { token => $ann->{token} })->{json}{artifacts} }
sub text {
	my ($name, $path) = @_;
	my ($one) = grep { $_->{name} eq $name } @{artifacts()};
	return $api->call(GET => "/v1/artifacts/$one->{id}/files/$path", { token => $ann->{token} })->{body};
}
sub at { my ($path, $bytes) = @_; Vitrine::Stack::spew("$dir/$path", $bytes); return "$dir/$path" }

# ---- a chat's export: its last states, and what can't be brought along

my $claude = at('conversations.json', Vitrine::Stack::slurp("$chats/claude.json"));
my ($status, $out, $err) = client('import', $claude);
is $status, 0, 'an export is listed' or diag $err;
is $out, <<'END', 'each artifact once, with the conversation that it is from';
  1  page      Tide table (1 file, 103 bytes), from A page about tides
  2  file      Clock (1 file, 57 bytes), from A page about tides
  3  file      Notes on tides (1 file, 27 bytes), from A page about tides
  4  file      Sum of a list (1 file, 19 bytes), from conversation 2
  5  file      harbor.svg (1 file, 68 bytes), from Files
END
is $err, <<'END', '... and what is left is named';
left: Lost page, from A page about tides: a change of it names a text that it doesn't have once
left: A model, from A page about tides: is of the type application/vnd.example.model
left: A format of tomorrow: isn't a conversation that is known here
nothing was published: choose with --pick N,N or --all
END
is scalar @{artifacts()}, 0, '... and nothing is published';
($status, $out) = $stack->program('vitrine', { HOME => $dir, VITRINE_URL => '' }, 'import', $claude, '--json');
my $said = decode_json($out);
is_deeply [$status, scalar @{$said->{items}}, scalar @{$said->{left}}, $said->{items}[1]{title}], [0, 5, 3, 'Clock'],
	'that needs no service, and can be JSON';
($status, $out, $err) = client('import', $claude, '--pick', '1,3-4');
is $status, 0, 'what is picked is published' or diag $err;
is scalar(split /\n/, $out), 3, '... and an address printed for each';
is join(' ', sort map { "$_->{name}: $_->{visibility}" } @{artifacts()}),
	'Notes on tides: private Sum of a list: private Tide table: private',
	'... private, and no other';
like text('Tide table', 'index.html'), qr(^<!doctype html>.*<h1>Tides at Skerry</h1><p>High at 6:12</p></html>\n\z)s,
	'in its last state';
is text('Notes on tides', 'notes-on-tides.md'), "# Notes\n\nThe moon does it.\n", '... also when it was written anew';
is text('Sum of a list', 'sum-of-a-list.py'), "print(sum([1, 2]))\n", '... and from an older export';
is $api->get_site($out =~ m{^https://([\w-]+)}, '/')->{status}, 404, 'a stranger sees none of it';
ok !-e "$dir/.vitrine.json", 'nothing is remembered';
($status, undef, $err) = client('import', $claude, '--pick', '1');
is scalar(grep { $_->{name} eq 'Tide table' } @{artifacts()}), 2, 'again it is another artifact: none is published over';
for (['0'], ['6'], ['x'], ['2-1'], ['1,,2']) {
	($status, $out, $err) = client('import', $claude, '--pick', @$_);
	is "$status$out", '2', "--pick @$_ is none";
	like $err, qr/isn't one of 1 to 5/, '... which is said';
}
is +(client('import', $claude, '--pick', '1', '--all'))[0], 2, '--pick and --all exclude each other';

my $typed = $stack->at_terminal("4\n", { VITRINE_TOKEN => $ann->{token} }, 'import', $claude);
like $typed, qr/Which\? Numbers with commas.*https:/s, 'at a terminal somebody is asked';
is scalar(grep { $_->{name} eq 'Sum of a list' } @{artifacts()}), 2, '... and what they type is published';
my $before = @{artifacts()};
unlike $stack->at_terminal("\n", { VITRINE_TOKEN => $ann->{token} }, 'import', $claude), qr/https:/, 'without an answer nothing is';
is scalar @{artifacts()}, $before, '... published';
($status, $out, $err) = client('import', $claude, '--all', '--dir', "$dir/kept");
is $status, 0, 'into a folder' or diag $err;
is $out, join('', map { "$dir/kept/$_\n" } qw(tide-table clock notes-on-tides sum-of-a-list harbor-svg)), '... one for each';
is Vitrine::Stack::slurp("$dir/kept/clock/App.tsx"), "export default function Clock() {\n\treturn <p>Noon</p>;\n}\n", 'an app is a file';
like Vitrine::Stack::slurp("$dir/kept/harbor-svg/harbor.svg"), qr{<title>Harbor</title>}, 'a file that a tool made and changed';
is scalar @{artifacts()}, $before, '... and nothing is published';
($status, undef, $err) = client('import', $claude, '--pick', '2', '--dir', "$dir/kept");
like $err, qr/clock isn't empty/, 'a folder that has something is left as it is';
is $status, 1, '... and that is a failure';

my $gpt = at('chatgpt.zip', zip(['export/conversations.json', Vitrine::Stack::slurp("$chats/chatgpt.json")], ['export/chat.html', 'x']));
($status, $out, $err) = client('import', $gpt, '--all', '--dir', "$dir/gpt");
is $status, 0, 'an export of another chat, in its archive' or diag $err;
is Vitrine::Stack::slurp("$dir/gpt/garden-plan/garden-plan.md"), "# Garden\n\nBeans and peas", '... has the last state, without branches';
like Vitrine::Stack::slurp("$dir/gpt/planner/index.html"), qr/Planner/, '... and pages';
is $err, "left: My garden: a canvas can't be read\n"
	. "left: counter, from My garden: a change of it is a pattern, which only ChatGPT applies\n", 'what is left is named';
like +(client('import', at('conversations.json', '[{"chat_messages":[]},{"name":"x"')))[2], qr/^left: conversation 2: /,
	'an export that ends too early is read until there';
like +(client('import', at('broken.json', '{"a":')))[2], qr/^vitrine: warning: broken\.json isn't JSON: at byte \d/, 'a broken file is told';
unlike +(client('import', at('sound.json', '{"a":1}')))[2], qr/JSON/, '... and no other';
is +(client('import', at('conversations.json', '{}')))[0], 1, 'something else by that name is refused';
my $hostile = encode_json([{ name => "\e[2J", chat_messages => [{ sender => 'assistant', content => [map { { type => 'tool_use',
	name => $_->[0], input => { $_->[1] => $_->[2], title => $_->[3], command => 'create', type => $_->[4], content => 'x' } } }
	['create_file', 'path', '/x/../../../etc/evil.md', '../../evil', undef], ['artifacts', 'id', '../../x', '../..', 'text/markdown'],
	['artifacts', 'id', 'l', "a\nb", 'application/vnd.ant.code'],
	['create_file', 'path', '/x/.env', 'w' x 500, undef]] }] }]);
($status, $out, $err) = client('import', at('conversations.json', $hostile), '--all', '--dir', "$dir/hostile");
is $status, 0, 'names that lead elsewhere' or diag $err;
is join(' ', sort split /\n/, `cd $dir/hostile && find . -type f`),
	'./a-b/a-b.txt ./evil/evil.md ./page/page.md ./' . 'w' x 60 . '/env',
	'... stay within the folder';

# ---- single files

($status, $out) = client('import', at('plan.html', '<!doctype html><title>Plan</title><h1>Plan</h1>'));
like $out, qr/^  1  page      plan \(1 file, \d+ bytes\)$/, 'a page';
($status, $out) = client('import', at('app.jsx', 'export default () => <p>1</p>;'), '--all', '--dir', "$dir/app");
is Vitrine::Stack::slurp("$dir/app/app/app.jsx"), 'export default () => <p>1</p>;', 'an app';
($status, undef, $err) = client('import', at('plan.html', '<p>AKIAABCDEFGHIJKLMNOP</p>'), '--all');
like $err, qr/warning: plan\.html looks like an AWS access key/, 'what looks like a secret is named, as in a publish';
like +(client('import', $dir))[2], qr/is a folder: vitrine publish/, 'a folder is published';
is +(client('import', "$dir/none.html"))[0], 1, 'a file that is not there';

# ---- other hosts

my $toml = encode_utf8(<<'END');
[build]
  publish = "dist"   # what is built
  command = "npm run build"
[[redirects]]
  from = "/old/*"
  to = "/:splat"
  status = 302
  force = true
[[redirects]]
  from = "/home"
  to = "/"
[redirects.query]
  id = ":id"
[[headers]]
  for = "/*"
  [headers.values]
    X-Frame-Options = "DENY"
    "X-Robots-Tag" = 'noindex'
[[plugins]]
  package = "x"
END
my $netlify = at('netlify.zip', zip(['site/netlify.toml', $toml], ['site/dist/index.html', '<h1>N</h1>'], ['site/dist/a.html', 'A'],
	['site/src/secret.js', 'x'], ['site/.env', 'K=1'], ['site/dist/_redirects', "/last /a\n"]));
($status, $out, $err) = client('import', $netlify, '--all');
is $status, 0, 'an archive of another host' or diag $err;
is text('netlify', '_redirects'), "/old/* /:splat 302!\n/last /a\n",
	'its redirects, before those of the site, but for one with a condition';
is text('netlify', '_headers'), "/*\n  X-Frame-Options: DENY\n  X-Robots-Tag: noindex\n", 'its headers';
is text('netlify', 'index.html'), '<h1>N</h1>', 'the folder that it published is the site';
my @left = sort $err =~ /^left: (.*)$/mg;
is_deeply \@left, ['.env: is left out, as in a folder', '1 files outside of dist, which netlify.toml names as the site',
	'netlify.toml, line 13: redirects.query: id', 'netlify.toml, line 20: plugins: package', 'netlify.toml, line 3: build: command'],
	'the rest is named' or diag $err;
my $vercel = at('vercel.zip', zip(['vercel.json', encode_json({ cleanUrls => \1, redirects => [{ source => '/old/:path*', destination =>
	'/new/:path*', permanent => \0 }, { source => '/x', destination => '/y' }, { source => '/(a|b)', destination => '/c' }],
	rewrites => [{ source => '/(.*)', destination => '/index.html' }],
	headers => [{ source => '/(.*)', headers => [{ key => 'X-Frame-Options', value => 'DENY' }] }] })], ['index.html', 'V']));
($status, $out, $err) = client('import', $vercel, '--all', '--dir', "$dir/vercel");
is Vitrine::Stack::slurp("$dir/vercel/vercel/_redirects"), "/old/* /new/:splat 307\n/x /y 308\n/* /index.html 200\n", 'and of a third one'
	or diag $err;
is Vitrine::Stack::slurp("$dir/vercel/vercel/_headers"), "/*\n  X-Frame-Options: DENY\n", '... with its headers';
is $err, "left: vercel.json: redirects[2] of /(a|b)\nleft: vercel.json: cleanUrls\n", '... and what is left';
like +(client('import', at('bad.zip', 'PK no archive')))[2], qr/can't be unpacked/, 'what is no archive';

# ---- an address

$api->publish($eve, slug => 'old', visibility => 'public', files => {
	'index.html' => '<!doctype html><title>Old</title><link rel="stylesheet" href="s.css"><a href="more/">more</a>'
		. '<img src="/i.svg?v=1">'
		. '<a href="https://elsewhere.example/x">x</a><a href=about#a>about</a><a href="gone.html">gone</a>'
		. '<a href="//other.example/">o</a>'
		. '<a href="javascript:alert(1)">j</a><a href="mailto:a@example.org">m</a>',
	's.css' => 'body { background: url("more/b.svg") }', 'i.svg' => '<svg xmlns="http://www.w3.org/2000/svg"/>',
		'more/b.svg' => '<svg/>',
	'more/index.html' => '<a href="../">back</a><a href="deep.html">deep</a>', 'more/deep.html' => 'D', 'about.html' => 'About' });
my $url = "https://old.pages.localhost:$stack->{port}/";
($status, $out, $err) = client('import', $url);
is "$status$out", 1, 'an address of this machine is refused';
like $err, qr/its address isn't public/, '... which is said';
sub allowed { return $stack->program('vitrine', { VITRINE_TOKEN => $ann->{token}, HOME => $dir,
	VITRINE_EGRESS_ALLOW => "127.0.0.1:$stack->{port}" }, 'import', @_) }
($status, $out, $err) = allowed($url, '--all', '--dir', "$dir/crawled");
is $status, 0, 'where it is allowed' or diag $err;
my ($made) = glob "$dir/crawled/*";
is join(' ', sort split /\n/, `cd $made && find . -type f`),
	'./about.html ./i.svg ./index.html ./more/b.svg ./more/deep.html ./more/index.html '
	. './s.css', 'the files of the host that the page leads to, each once';
is $err, "left: ${url}gone.html: the answer was 404\n", '... and what is missing';
($status, $out, $err) = allowed("${url}more/deep.html", '--all');
is $status, 0, 'a page below' or diag $err;
my ($deep) = grep { $_->{name} =~ /^old\.pages/ } @{artifacts()};
is_deeply [@$deep{qw(visibility)}], ['private'], '... is published private';
is $api->call(GET => "/v1/artifacts/$deep->{id}/files", { token => $ann->{token} })->{json}{files}[0]{path}, 'more/deep.html',
	'... where it was';
for (['ftp://example.org/'], ['file:///etc/passwd'], ['https://']) {
	($status, undef, $err) = client('import', @$_);
	is $status, 2, "@$_ is no page's address";
}
$api->publish($eve, slug => 'many', visibility => 'public', files => { 'index.html' => 'x',
	map { ("$_.html" => "<a href='" . ($_ + 1) . ".html'>n</a>") } 1 .. 205 });
($status, $out, $err) = allowed("https://many.pages.localhost:$stack->{port}/1.html");
like $out, qr/\(200 files, /, 'no more than 200 files';
like $err, qr/^left: \S+201\.html: there are more than 200 files/m, '... which is said';

# ---- a full disk

SKIP: {
	mkdir "$dir/small";
	skip 'no small file system', 3 if system("mount -t tmpfs -o size=64k,nr_inodes=64 none $dir/small");
	my $big = at('big.zip', zip(['index.html', 'x'], ['a/b.bin', join '', map { chr int rand 256 } 1 .. 90000]));
	($status, $out, $err) = client('import', $big, '--all', '--dir', "$dir/small/to");
	is "$status$out", 1, 'a full disk is a failure';
	like $err, qr{a/b\.bin: No space left on device.*nothing was written}s, '... which is said';
	is `find $dir/small/to -mindepth 1`, '', '... and nothing is left behind';
	system "umount $dir/small";
}
finish($stack);
