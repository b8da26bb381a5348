# SPDX-License-Identifier: Apache-2.0
# Apps: a .tsx or .jsx file becomes a page, whose mistakes are told by file and line.
use utf8;
use Time::HiRes 'time';
use Vitrine::Words qw(as said refused);

plan skip_all => 'there is no esbuild' if !-x '/usr/bin/esbuild';
plan skip_all => 'there are no libraries; ./dev lib makes them' if !-s "$ENV{VITRINE_TOP}/nginx/lib/index.json";
my ($stack, $api, $db) = stack(builder => 'auto', publish_per_hour => 100000, slow_workers => 6);
my $ann = $stack->user('ann@example.org');
my ($r, $n) = (undef, 0);

sub publish { my ($files, %more) = @_; return as($ann, POST => '/v1/publish', { name => 'A', visibility => 'public',
	slug => 'app-' . ++$n, %more, files => [map { { path => $_, content => $files->{$_} } } sort keys %$files] }) }
sub shown { $r = publish(@_); is $r->{status}, 201, "app-$n is published" or diag $r->{body}; return "app-$n" }
# Without its style, which only lengthens what a test says.
sub body { my $got = $api->get_site(@_); utf8::decode(my $b = $got->{body});
	$b =~ s/<style>\n:root.*?<\/style>//s; return $got->{status} == 200 ? $b : $got->{status} }
sub views { return join ' ', map { "$_->{path}:$_->{kind}" }
	@{as($ann, GET => "/v1/artifacts/$r->{json}{artifact}{id}/versions/$r->{json}{version}{version_no}/views")->{json}{views}} }
# What a publish is refused for: file:line:column and text of each mistake.
sub mistakes { $r = publish(@_); is said($r), '400 INVALID_REQUEST', 'refused' or diag $r->{body};
	return join '; ', map { "$_->{file}:$_->{line}:$_->{column} $_->{text}" } @{$r->{json}{details}{errors}} }
sub app { return "import { useState } from 'react';\n$_[0]export default function App() { const [n] = useState(1); "
	. "return <p>{n}$_[1]</p>; }\n" }

# ---- what is built

my $slug = shown({ 'chart.tsx' => app('', '') });
my $page = body($slug, '/');
like $page, qr{<div id="root"></div>.*<script type="module">.*createRoot}s, 'an app is mounted';
like $page, qr{<script type="importmap">\{"imports":\{"react":"/_vitrine/lib/react\@[\d.]+/react\.js",[^<]*"react-dom/client"},
	'... with the libraries it needs';
unlike $page, qr{lodash|class="bar"}, '... and no other, nor a bar';
like $page, qr{script-src 'self' 'sha256-[^']+' 'sha256-[^']+';}, 'scripts are allowed by their digests';
like $page, qr{<noscript>.*<a href="/chart\.tsx">}, 'without a script there is the source';
is body($slug, '/chart.tsx.html'), $page, '... at an address of its own, and at /';
is views(), 'chart.tsx.html:app', 'its view';
like as($ann, GET => "/v1/artifacts/$r->{json}{artifact}{id}/versions/1/views")->{json}{views}[0]{renderer},
	qr/^app-1 esbuild \d+\.\d+\.\d+$/, '... says what made it';

my %parts = ('src/App.tsx' => app(qq(import { Card } from "./ui/card";\nimport { twice } from '\@/lib/twice';\n)
	. qq(import data from "./data.json";\nimport logo from "../img/our logo.png";\nimport "./app.css";\n)
	. qq(import { Check } from "lucide-react";\nimport out from "https://esm.example/confetti";\n),
	'<Card>{twice(data.n)}</Card><img src={logo}/><Check/>{out}{"</script><!--<script>"}'),
	'src/ui/card.jsx' => 'export const Card = (p) => <b className="card">{p.children}</b>;',
	'lib/twice.ts' => 'export const twice = (n: number): number => 2 * n;',
	'src/data.json' => '{"n":21}',
	'src/app.css' => 'b { background: url(../img/b.png) } i { background: url(https://css.example/a.png) }',
	'img/our logo.png' => '', 'img/b.png' => '', 'README.md' => '# Read');
$slug = shown(\%parts);
$page = body($slug, '/');
like $page, qr{"/img/our logo\.png"}, 'a picture has the address of its file';
like $page, qr{<style>b\{background:url\("?/img/b\.png"?\)\}i\{}, 'style sheets are in the page';
like $page, qr{n:21}, 'JSON is, too';
like $page, qr{script-src [^;]*' https://esm\.example;}, 'a module of another host stays, and may be loaded';
unlike $page, qr{<!--|tailwind}, 'a string can’t end the script; Tailwind isn’t loaded beside styles of its own';
is views(), 'README.md.html:markdown img/b.png.html:media img/our logo.png.html:media index.html:app lib/twice.ts.html:code '
	. 'src/app.css.html:code src/data.json.html:json src/ui/card.jsx.html:code', 'its parts are files, without pages of folders';
like body(shown({ 'a.tsx' => app('', '<i className="p-4"/>') }), '/'), qr{src="/_vitrine/lib/\@tailwindcss/browser\@},
	'classes alone need Tailwind';
like body(shown({ 'a.tsx' => app(qq(import "./a.css";\nimport { Card } from "\@/components/ui/card";\n), '<Card/>'),
	'a.css' => 'p { margin: 0 }' }), '/'), qr{<style>p\{margin:0\}.*\@tailwindcss/browser}s, '... so do components of ours, beside a style sheet';
like body(shown({ 'a.tsx' => app('import "./a.css";', ''), 'a.css' => qq(\@import "tailwindcss";\n.x { \@apply p-4 }) }), '/'),
	qr{<style type="text/tailwindcss">\@import"tailwindcss";}, 'a style sheet may ask for it';
like body(shown({ 'main.jsx' => "import { createRoot } from 'react-dom/client';\n"
	. "createRoot(document.getElementById('root')).render(<b>own</b>);" }), '/'),
	qr{"own"}, 'an app may mount itself';
for (['main.tsx', 'x/index.tsx'], ['App.jsx', 'other.tsx'], ['index.tsx', 'App.tsx'], ['app/page.tsx', 'app/part.tsx'],
	['App.tsx', 'App.jsx']) {
	shown({ map { ($_ => app('', '')) } @$_ });
	like views(), $_->[0] =~ m{/} ? qr/ index\.html:app$/ : qr/(?:^| )\Q$_->[0]\E\.html:app/,
		"$_->[0] comes before $_->[1]";
}
shown({ 'a.tsx' => 'no app', 'b.tsx' => '<', 'c.md' => 'x' });
is views(), 'a.tsx.html:code b.tsx.html:code c.md.html:markdown index.html:folder', 'of several parts none is the app';
shown({ 'a.ts' => 'let a: number;' });
is views(), 'a.ts.html:code', 'a lone .ts is code';
shown({ 'index.html' => 'x', 'App.tsx' => '<' });
is views(), '', 'beside a page nothing is built';

# ---- mistakes

is mistakes({ 'App.tsx' => "import x from '../../etc/passwd';\nimport y from\n  'left-pad';\nimport './no';\n" . app('', '{x}{y}') }),
	'App.tsx:1:15 there is no file “../../etc/passwd”; App.tsx:3:3 “left-pad” is not one of the libraries that apps can import; '
	. 'App.tsx:4:8 there is no file “./no”', 'what can’t be imported';
like $r->{json}{error}, qr{^the app can’t be built: App\.tsx, line 1: there is no file .*\(and 2 more mistakes\)$}, '... in a sentence';
ok((grep { $_ eq 'recharts' } @{$r->{json}{details}{libraries}}), '... with what could be');
is $api->get_site("app-$n", '/')->{status}, 404, '... and nothing is published';
my $told = $api->call(POST => '/mcp', { token => $ann->{token}, json => { jsonrpc => '2.0', id => 1, method => 'tools/call',
	params => { name => 'publish', arguments => { name => 'M',
		files => [{ path => 'App.tsx', content => "\nimport './no';" }] } } } })->{json}{result};
is $told->{isError}, $true, 'an agent is refused, too';
like $told->{content}[0]{text}, qr{App\.tsx, line 2: there is no file “\./no”}, '... in a sentence with file and line';
like mistakes({ 'App.tsx' => "export default () => <div>}</div>;\n" }), qr{^App\.tsx:1:\d+ The character}, 'a mistake of syntax';
like mistakes({ 'App.tsx' => app("import x from '\@/d/é.tsx';\n", '{x}'), 'd/é.tsx' => "export default 1 +;\n" }),
	qr{^d/é\.tsx:1:19 }, '... in another file';
my ($system) = glob '/usr/lib/*/*.json';
SKIP: {
	skip 'the system has no JSON', 2 if !$system;
	is mistakes({ 'App.tsx' => app("\nimport x from '../../$system';\n", '{x}') }),
		"App.tsx:3:16 “../../$system” is no file of this version", 'a file of the system';
}
is mistakes({ 'App.tsx' => app("import x from 'react/nothing';\n", '{x}') }),
	'App.tsx:2:16 “react/nothing” is not one of the libraries that apps can import',
	'a library’s part that isn’t there';
is mistakes({ 'App.tsx' => app('', '{'), map { ("x$_.ts" => 'x') } 1 .. 3 }) =~ /^App\.tsx:2/, 1, 'the files beside it aren’t looked at';

# ---- without a version; made anew

my $render = sub { return as($ann, POST => '/v1/render', { path => 'a/App.tsx', content => $_[0] }) };
$r = $render->(app('', ''));
is "$r->{status} $r->{json}{kind} $r->{json}{title}", '200 app App', 'an app is drawn without a publish' or diag $r->{body};
like $r->{json}{renderer}, qr/^app-1 esbuild /, '... by the same program';
refused($render->("import './x';"), '400 INVALID_REQUEST', '... or refused with its line', qr/a\/App\.tsx, line 1/);
$render = sub { my ($path, @files) = @_; return as($ann, POST => '/v1/render', { path => $path, content => $parts{$path}, files => [map {
	{ path => $_, content => $parts{$_} } } @files] }) };
my @others = grep { $_ ne 'src/App.tsx' } sort keys %parts;
$r = $render->('src/App.tsx', @others);
is "$r->{status} $r->{json}{kind}", '200 app', '... with the files that it imports' or diag $r->{body};
like $r->{json}{html}, $_, '... as a publish does' for qr{"/img/our logo\.png"}, qr{n:21}, qr{<style>b\{background:url\("?/img/b\.png"?\)\}};
is $render->('src/ui/card.jsx', 'src/App.tsx')->{json}{kind}, 'code', 'a part of one is code';
refused($render->('src/App.tsx', @others, 'src/App.tsx'), '400 INVALID_REQUEST', 'a file twice', qr/^files: src\/App\.tsx is there twice/);
refused($render->('src/App.tsx', 'lib/twice.ts'), '400 INVALID_REQUEST', 'a file that is missing', qr/src\/App\.tsx, line/);
refused(as($ann, POST => '/v1/render', { path => 'a.tsx', content => '', files => [{ path => '../x.ts', content => '' }] }),
	'400 INVALID_REQUEST', 'a path that leads out', qr/^files/);
$slug = shown({ 'App.tsx' => app('', 'lost') });
my $art = $r->{json}{artifact}{id};
my ($hex) = map { lc } $db->selectrow_array('SELECT HEX(sha256) FROM view WHERE artifact_id = ?', undef, $art);
unlink "$stack->{dir}/data/objects/" . substr($hex, 0, 2) . "/$hex", glob("$stack->{dir}/data/trees/$art/1/pub/App.tsx.html*"),
	glob("$stack->{dir}/data/trees/$art/1/pub/_vitrine/entry.html*");
is(($stack->program('vitrinectl', {}, 'reproject'))[0], 0, 'reproject');
like body($slug, '/'), qr{"lost"}, '... builds a page again that was lost';
$r = as($ann, POST => "/v1/artifacts/$art/versions/1/views");
is join(' ', map { $_->{kind} } @{$r->{json}{views}}), 'app', 'views made anew' or diag $r->{body};

# ---- bounds

# The pool starts its launchers first, and their rooms keep their session; other tests may build apps, too.
sub named { my ($name) = @_; return map { m{(\d+)} } grep { Vitrine::Stack::slurp($_) eq "$name\n" } glob '/proc/[0-9]*/comm' }
my @launchers = (sort { $a <=> $b } grep { $_ > $stack->{pids}{worker}
	&& (readlink("/proc/$_/exe") // '') eq "$ENV{VITRINE_BUILD}/vitrine-worker" } named('vitrine-builds'))[0, 1];
my $processes = sub { return grep { my $session = (split ' ', Vitrine::Stack::slurp("/proc/$_/stat") =~ s/.*\) //r)[3] // 0;
	grep { $_ == $session } @launchers } named('esbuild') };
my $deep = 'export default ' . '(' x 2_000_000 . '1' . ')' x 2_000_000 . ';';
$r = publish({ 'App.tsx' => $deep });
is $r->{status}, 201, 'what eats memory or never ends costs its page alone' or diag substr $r->{body}, 0, 300;
like $r->{json}{warnings}[0], qr{^App\.tsx: it is shown as its source: it takes too much memory or time}, '... which is told';
is views(), 'App.tsx.html:code', '... and is the source';
sub beside {
	my ($slug, $text) = @_;
	my $pid = fork // die;
	return $pid if $pid;
	require POSIX;
	my $got;
	# The service refuses a publish that has waited for longer than a turn may take.
	do {
		sleep 1 if $got;
		$got = eval { $api->call(POST => '/v1/publish', { token => $ann->{token},
			json => { name => $slug, slug => $slug, files => [{ path => 'App.tsx', content => $text }] } }) };
	} while ($got && $got->{status} == 429);
	diag "$slug: ", $got->{status} // 0, " $@", substr $got->{body} // '', 0, 300 if ($got->{status} // 0) != 201;
	POSIX::_exit(($got->{status} // 0) == 201 ? 0 : 1);
}
my @children = map { beside("many-$_", app('', $_)) } 1 .. 8;
is scalar(grep { waitpid $_, 0; $? } @children), 0, 'eight at once take turns';
is_deeply [$processes->()], [], 'no program is left';

# ---- killed meanwhile

my $large = 'const a = [' . '{b:(1+2)*3},' x 1_500_000 . "];\nexport default () => <p>{a.length}</p>;";
my $pid = beside('killed', $large);
Vitrine::Stack::wait_for('a build', 30, sub { $processes->() });
$stack->expect_alert(qr/upstream prematurely closed/);
$stack->kill_workers('slow');
waitpid $pid, 0;
Vitrine::Stack::wait_for('a new worker', 30, sub { $stack->workers('slow') });
is body(shown({ 'App.tsx' => app('', 'after') }), '/') =~ /"after"/, 1, 'after the death of a builder’s worker the next app is built';
body(shown({ 'App.tsx' => app('', 'more') }), '/');
Vitrine::Stack::wait_for('the end of what was built', 15, sub { !$processes->() });
is_deeply [$processes->()], [], '... and nothing runs any more';
is $db->selectrow_array("SELECT COUNT(*) FROM artifact WHERE name = 'killed'"), 0, '... or was published';

# ---- where nothing can be built

{
	# Where users may not have namespaces.
	local $stack->{build} = $stack->wrapped('vitrine-worker', $Vitrine::Stack::NO_NAMESPACES);
	$stack->stop_one('worker');
	$stack->start_worker;
	$slug = shown({ 'App.tsx' => app('', '') });
	like $r->{json}{warnings}[0], qr{^App\.tsx: it is shown as its source: this service can’t build apps}, 'without a room, a warning';
	like body($slug, '/'), qr{<li id=L1>import}, '... and the source';
}
$stack->{conf}{builder} = '"-"';
$stack->write_conf;
$stack->stop_one('worker');
$stack->start_worker;
$slug = shown({ 'App.tsx' => app('', '') });
like $r->{json}{warnings}[0], qr{^App\.tsx: it is shown as its source: this service has no esbuild}, 'without esbuild, a warning';
like body($slug, '/'), qr{<li id=L1>import}, '... and the source';
Vitrine::Words::finish($stack);
