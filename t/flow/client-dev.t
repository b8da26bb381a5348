# SPDX-License-Identifier: Apache-2.0
# vitrine dev: a folder as it would be published, on this machine alone. Who else asks gets nothing, and no answer has the token.
# t/flow/guestbook.t looks at it with a browser.
use IO::Socket::INET;
use IO::Socket::IP;
use POSIX 'WNOHANG';
use Time::HiRes qw(sleep time);
use Vitrine::Words;

my ($stack, $api) = stack(builder => 'auto', publish_per_hour => 1000);
my $ann = $stack->user('ann@example.org');
my $dir = $stack->{dir};
sub files { return Vitrine::Stack::folder($dir, @_) }
my $site = files('site', 'index.html' => '<!doctype html><title>One</title><h1>One</h1>', 'about.html' => 'About',
	'sub/index.html' => 'Sub',
	'a b.txt' => 'text', '.env' => 'SECRET=1', '_redirects' => "/x /y\n", 'vitrine.yaml' => <<'END', 'gone/x.txt' => 'x');
tables:
  notes:
    columns: { text: text }
    seed: [{ text: first }]
policy:
  tables:
    notes: { read: viewer.id != null, write: viewer.id != null }
document: { title: Ours }
END
my ($status, $out, $err) = $stack->client($ann->{token}, 'publish', $site, '--slug', 'ours', '--visibility', 'public');
is $status, 0, 'published' or diag $err;

# ---- a client that goes on

my ($pid, $port, $n);
sub begin {
	my ($env, @args) = @_;
	my $log = "$dir/dev-" . ++$n;
	$pid = fork // die;
	if (!$pid) {
		my %env = ($stack->env, HOME => $dir, VITRINE_TOKEN => $ann->{token}, %$env);
		@ENV{keys %env} = values %env;
		open STDIN, '<', '/dev/null';
		open STDOUT, '>', "$log.out" or die;
		open STDERR, '>', "$log.err" or die;
		exec "$stack->{build}/vitrine", 'dev', @args or POSIX::_exit(127);
	}
	Vitrine::Stack::wait_for('vitrine dev', 60, sub { waitpid($pid, WNOHANG) && die Vitrine::Stack::slurp("$log.err");
		Vitrine::Stack::slurp("$log.out") =~ /\n/ });
	($port) = Vitrine::Stack::slurp("$log.out") =~ m{http://localhost:(\d+)/};
	return "$log.err";
}
sub end { my ($signal) = @_; kill $signal, $pid; waitpid $pid, 0; return $? }
END { local $?; kill 'KILL', $pid if $pid && waitpid($pid, WNOHANG) == 0 }
my $all = '';
sub ask {
	my ($method, $path, %o) = @_;
	my $socket = IO::Socket::IP->new(PeerHost => $o{at} // '127.0.0.1', PeerPort => $port) // return { status => 0 };
	my %head = (Host => "localhost:$port", %{$o{heads} // {}});
	$head{'Content-Length'} = length $o{body} if defined $o{body};
	print $socket "$method $path HTTP/1.1\r\n", (map { "$_: $head{$_}\r\n" } grep { defined $head{$_} } sort keys %head), "\r\n",
		$o{body} // '';
	local $/;
	my $said = <$socket> // '';
	$all .= $said;
	my ($top, $body) = split /\r\n\r\n/, $said, 2;
	return { status => $top && $top =~ m{^HTTP/1\.1 (\d+)} ? $1 : 0, head => $top // '', body => $body // '' };
}

my $heard = begin({}, $site);
like Vitrine::Stack::slurp($heard), qr/with the data of art_\w+, as you; Ctrl-C ends it/, 'it says whose data';
like ask(GET => '/')->{body}, qr{<h1>One</h1>.*/_vitrine/dev\.js}s, 'the entry page, which follows changes';
is ask(GET => $_->[0])->{body} =~ s/\n<script.*//sr, $_->[1], "$_->[0] as it would be published"
	for ['/about', 'About'], ['/about.html', 'About'], ['/sub/', 'Sub'], ['/a%20b.txt', 'text'];
like ask(GET => '/sub')->{head}, qr{^HTTP/1.1 302 .*Location: /sub/}s, 'a folder gets its slash';
is ask(GET => $_)->{status}, 404, "$_ is not served"
	for '/.env', '/vitrine.yaml', '/_redirects', '/none', '/../site/index.html', '/%2e%2e/x', '/.vitrine.json', '/.git/config';
is ask(HEAD => '/')->{body}, '', 'HEAD has no body';
like ask(GET => '/', at => '::1')->{body}, qr/One/, 'also at ::1';
like ask(GET => '/_vitrine/vitrine.mjs')->{body}, qr/export/, 'the script that reaches data is the service\'s';
is ask(GET => '/_vitrine/../v1/auth/me')->{status}, 404, '... and nothing else of the service is';

# ---- its data

is decode_json(ask(GET => '/v1/data/self/json')->{body})->{data}{title}, 'Ours', 'the document';
is decode_json(ask(GET => '/v1/data/self/tables/notes/rows')->{body})->{rows}[0]{text}, 'first', 'rows';
is decode_json(ask(GET => '/v1/data/self/viewer')->{body})->{viewer}{email} // 'none', 'ann@example.org', 'as oneself';
my $etag = (ask(GET => '/v1/data/self/json')->{head} =~ /^ETag: (\S+)/m)[0];
my %mine = (heads => { Origin => "http://localhost:$port" });
is ask(PATCH => '/v1/data/self/json', heads => { Origin => "http://localhost:$port", 'If-Match' => $etag },
	body => '{"title":"New"}')->{status},
	200, 'the page writes';
is ask(PATCH => '/v1/data/self/json', heads => { Origin => "http://localhost:$port", 'If-Match' => $etag },
	body => '{"title":"Late"}')->{status},
	412, '... with the conditions that it has elsewhere';
is ask(POST => '/v1/data/self/tables/notes/rows', %mine, body => '{"rows":[{"text":"second"}]}')->{status}, 201, '... and adds rows';
is ask(GET => $_)->{status}, 404, "$_ is none of it"
	for '/v1/data/self/access-policy', '/v1/auth/me', '/v1/artifacts', '/v1/data/self/tables/notes/retype',
		'/v1/data/self/..%2f..%2fauth/me',
	'/v1/data/self/json/../../../auth/tokens';

# ---- pages of others, and other programs

for my $heads ({ Host => 'evil.example' }, { Host => undef }, { Host => "127.0.0.1.evil.example:$port" }, { Host => 'localhost' },
	{ Host => "localhost:@{[$port + 1]}" }) {
	is ask(GET => '/', heads => $heads)->{status}, 421, 'another Host gets nothing: ' . ($heads->{Host} // 'none');
}
for my $origin (undef, 'null', 'https://evil.example', "http://localhost:@{[$port + 1]}", "https://localhost:$port",
	"http://127.0.0.1:$port") {
	is ask(POST => '/v1/data/self/tables/notes/rows', heads => { Origin => $origin, 'Content-Type' => 'text/plain' },
		body => '{"rows":[{"text":"evil"}]}')
		->{status}, 403, 'a change from elsewhere is refused: ' . ($origin // 'no Origin');
}
is ask($_ => '/v1/data/self/json', heads => { Origin => 'https://evil.example' }, body => '{}')->{status}, 403, "$_, too"
	for qw(PUT PATCH DELETE);
is ask($_ => '/v1/data/self/json', heads => { Origin => "http://localhost:$port" })->{status}, 405, "$_ is unknown" for qw(OPTIONS TRACE x);
is ask(HEAD => "/v1/data/self/json")->{status}, 200, "HEAD of the data";
is ask(GET => '/v1/data/self/json', heads => { 'Sec-Fetch-Site' => $_ })->{status}, 403, "data are for the page alone: $_"
	for qw(cross-site same-site);
is decode_json(ask(GET => '/v1/data/self/tables/notes/rows')->{body})->{rows}[2], undef, 'nothing was written';
unlike ask(GET => '/')->{head}, qr/Access-Control/, 'no page of others reads an answer';
unlike $all, qr/\Q$ann->{token}\E/, 'no answer had the token';
is ask(GET => '/', heads => { 'X-Long' => 'x' x 40000 })->{status}, 0, 'a head without an end is refused';
is ask(POST => '/v1/data/self/json', heads => { Origin => "http://localhost:$port", 'Transfer-Encoding' => 'chunked' },
	body => '0')->{status}, 0,
	'so are bodies of unknown length';
my @idle = map { IO::Socket::INET->new("127.0.0.1:$port") } 1 .. 40;
like ask(GET => '/')->{body}, qr/One/, 'connections that say nothing hold nobody up';
undef @idle;

# ---- changes

my $events = IO::Socket::INET->new("127.0.0.1:$port");
print $events "GET /_vitrine/dev HTTP/1.1\r\nHost: localhost:$port\r\n\r\n";
sysread $events, my $began, 4096;
like $began, qr{text/event-stream}, 'a page listens';
Vitrine::Stack::spew("$site/about.html", 'Changed');
sysread $events, my $event, 4096;
is $event, "data: changed\n\n", '... and hears of a change';
my ($before) = ask(GET => '/')->{body} =~ /dev\.js\?(\d+)/;
Vitrine::Stack::spew("$site/about.html", 'Changed');
Vitrine::Stack::wait_for('the change', 60, sub { (ask(GET => '/')->{body} =~ /dev\.js\?(\d+)/)[0] > $before });
my $late = IO::Socket::INET->new("127.0.0.1:$port");
print $late "GET /_vitrine/dev?$before HTTP/1.1\r\nHost: localhost:$port\r\n\r\n";
sysread($late, $event, 4096) for 1 .. 2;
is $event, "data: changed\n\n", '... also of one between its page and its listening';
like ask(GET => '/about')->{body}, qr/^Changed/, '... which is there';
files('site', 'new/deep.txt' => 'deep');
Vitrine::Stack::wait_for('the new folder', 60, sub { ask(GET => '/new/deep.txt')->{body} eq 'deep' });
Vitrine::Stack::spew("$site/new/deep.txt", 'deeper');
Vitrine::Stack::wait_for('the change in it', 60, sub { ask(GET => '/new/deep.txt')->{body} eq 'deeper' });
symlink '/etc/passwd', "$site/leak.txt";
Vitrine::Stack::wait_for('what a publish would refuse', 60, sub { ask(GET => '/')->{status} == 500 });
like ask(GET => '/')->{body}, qr/leak\.txt: is a symbolic link out of the folder/, '... is said on the page';
like Vitrine::Stack::slurp($heard), qr/leak\.txt: is a symbolic link/, '... and at the terminal';
is ask(GET => '/leak.txt')->{status}, 500, '... and not served';
unlink "$site/leak.txt";
Vitrine::Stack::wait_for('the page again', 60, sub { ask(GET => '/')->{status} == 200 });
mkdir "$site/deep";
symlink '/etc/passwd', "$site/deep/leak.txt";
Vitrine::Stack::wait_for('a refusal in a new folder', 60, sub { ask(GET => '/')->{status} == 500 });
unlink "$site/deep/leak.txt";
Vitrine::Stack::wait_for('the page again', 60, sub { ask(GET => '/')->{status} == 200 });
is end('INT'), 0, 'Ctrl-C ends it';
is ask(GET => '/')->{status}, 0, '... and nothing listens any more';
Vitrine::Stack::wait_for('its processes', 60, sub { !`pgrep -f '[v]itrine dev $site'` });

# ---- as a visitor; without a service; views

$heard = begin({}, $site, '--as', 'visitor');
like Vitrine::Stack::slurp($heard), qr/as a visitor who isn't signed in/, 'as a visitor';
is decode_json(ask(GET => '/v1/data/self/viewer')->{body})->{viewer}{id}, undef, '... nobody is signed in';
is ask(GET => '/v1/data/self/tables/notes/rows')->{status}, 404, '... and the rules are those for strangers';
is end('TERM'), 0, 'SIGTERM ends it, too';
my $texts = files('texts', 'README.md' => "# Hello\n\n[more](guide/a.md)\n", 'guide/a.md' => "# A\n", 'data.csv' => "a,b\n1,2\n");
begin({}, $texts);
like ask(GET => '/')->{body}, qr{href="README\.md\.html".*href="guide/"|href="guide/".*README\.md\.html}s,
	'a folder without a page is listed';
like ask(GET => '/README.md.html')->{body}, qr{<h1[^>]*>.*Hello.*href="guide/a\.md\.html".*/_vitrine/dev\.js}s, 'a text has its view';
like ask(GET => '/data.csv.html')->{body}, qr{<td[^>]*>1</td>}, 'a table, too';
is ask(GET => '/README.md')->{body}, "# Hello\n\n[more](guide/a.md)\n", '... beside the text itself';
like ask(GET => '/guide/')->{body}, qr{href="a\.md\.html"}, 'a folder in it';
is ask(GET => '/v1/data/self/json')->{status}, 404, 'what was not published has no data';
end('INT');
begin({}, "$texts/guide/a.md");
like ask(GET => '/')->{body}, qr{<h1[^>]*>.*A}s, 'a lone file is the page';
Vitrine::Stack::spew("$texts/guide/fresh", "# Replaced\n");
rename "$texts/guide/fresh", "$texts/guide/a.md";
Vitrine::Stack::wait_for('the file that replaced it', 60, sub { ask(GET => '/')->{body} =~ /Replaced/ });
end('INT');
begin({}, files('app', 'App.tsx' => "export default function App() {\n\treturn <p>Noon</p>;\n}\n"));
like ask(GET => '/')->{body}, qr{Noon.*/_vitrine/dev\.js}s, 'a lone app, too';
end('INT');
my $parts = files('parts', 'src/App.tsx' => qq(import { Card } from './card';\nimport logo from '\@/logo.png';\n)
	. "export default function App() { return <Card><img src={logo}/></Card>; }\n", 'logo.png' => "\x89PNG\r\n",
	'src/card.jsx' => "export const Card = (p) => <b title='Evening'>{p.children}</b>;\n", 'notes.md' => '# Notes');
begin({}, $parts);
my $app = ask(GET => '/')->{body};
like $app, $_, 'one of several files' for qr{Evening.*/_vitrine/dev\.js}s, qr{"/logo\.png"};
like ask(GET => '/src/card.jsx.html')->{body}, qr{class="?code.*Evening}s, '... whose parts are shown as code';
is ask(GET => $_)->{status}, 404, "... without pages of folders: $_" for '/src/', '/src/App.tsx.html';
Vitrine::Stack::spew("$parts/src/card.jsx", 'export const Card = (p) => <b');
Vitrine::Stack::wait_for('the mistake', 60, sub { ask(GET => '/')->{body} =~ /src\/card\.jsx, line 1/ });
end('INT');
$heard = begin({ VITRINE_URL => 'https://vitrine.localhost:1' }, $site);
like Vitrine::Stack::slurp($heard), qr/^without a service, so pages alone are shown: /, 'without a service';
like ask(GET => '/')->{body}, qr/One/, '... pages are shown';
is ask(GET => '/v1/data/self/json')->{status}, 404, '... without data';
my $first = $port;
my $one = $pid;
begin({}, $texts);
isnt $port, $first, 'a second one takes another port';
end('INT');
$pid = $one;
end('INT');
is +($stack->client($ann->{token}, 'dev', '--port', 'x'))[0], 2, 'a port that is none';
is +($stack->client($ann->{token}, 'dev', "$dir/none"))[0], 1, 'a folder that is none';
is +($stack->client($ann->{token}, 'dev', files('empty', '.env' => 'x')))[2],
	"vitrine: $dir/empty has no files except those that are left out\n",
	'a folder without files';
finish($stack);
