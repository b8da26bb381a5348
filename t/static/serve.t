# SPDX-License-Identifier: Apache-2.0
# What a visitor gets from a content host.
use utf8;
use Compress::Zlib 'memGunzip';
use MIME::Base64;
use Vitrine::Words;

my ($stack, $api) = stack(publish_per_hour => 100000, http => 1);
my $ann = $stack->user('ann@example.org');
my $js = join '', map { "export const value$_ = $_ * 17;\n" } 1 .. 400;
my $get = sub { $api->get_site(@_) };

$api->publish($ann, slug => 'site', visibility => 'public',
	files => { 'index.html' => '<h1>home</h1>', 'about.html' => 'about', 'dir/index.html' => 'dir',
		'dir/deep/404.html' => 'deep 404', '404.html' => 'own 404', 'app.js' => $js, 'a.gz' => 'plain', 'data.json' => '{}',
		'x.wasm' => { content => 'AGFzbQ==', encoding => 'base64' },
		'.well-known/x.txt' => 'wk', 'doc.pdf' => '%PDF', 'big.bin' => 'b' x 5000, 'app.css' => 'body{}' });
my $r = $get->('site', '/');
is "$r->{status} $r->{body}", '200 <h1>home</h1>', 'the entry';
is $r->{headers}{'content-type'}, 'text/html; charset=utf-8', 'its type';
is $r->{headers}{'x-content-type-options'}, 'nosniff', 'nosniff';
is $r->{headers}{'cache-control'}, 'no-cache', 'revalidated';
is $r->{headers}{'last-modified'}, undef, 'no Last-Modified';
is $r->{headers}{'set-cookie'}, undef, 'no cookie';
my $etag = $r->{headers}{etag};
is $get->('site', '/', 'If-None-Match' => $etag)->{status}, 304, 'unchanged: 304';
for (['/about', 200, 'about'], ['/about.html', 200, 'about'], ['/dir/', 200, 'dir'], ['/dir/index.html', 200, 'dir'],
	['/nope', 404, 'own 404'],
	['/dir/deep/nope', 404, 'deep 404'], ['/dir/deep/x/y', 404, 'deep 404'], ['/a.gz', 200, 'plain'],
	['/.well-known/x.txt', 200, 'wk']) {
	$r = $get->('site', $_->[0]);
	is "$r->{status} $r->{body}", "$_->[1] $_->[2]", $_->[0];
}
$r = $get->('site', '/dir?q=1');
is "$r->{status} $r->{headers}{location}", '308 /dir/?q=1', 'a folder gets its slash';
my %type = ('/app.js' => 'text/javascript; charset=utf-8', '/data.json' => 'application/json; charset=utf-8',
	'/x.wasm' => 'application/wasm',
	'/doc.pdf' => 'application/pdf', '/app.css' => 'text/css; charset=utf-8', '/big.bin' => 'application/octet-stream');
is $get->('site', $_)->{headers}{'content-type'}, $type{$_}, "type of $_" for sort keys %type;
$r = $get->('site', '/big.bin', Range => 'bytes=10-19');
is "$r->{status} $r->{body} $r->{headers}{'content-range'}", '206 bbbbbbbbbb bytes 10-19/5000', 'Range';
is $get->('site', '/big.bin', Range => 'bytes=9000-')->{status}, 416, 'beyond the end';
# Compressed siblings are made after the reply.
for (1 .. 100) {
	last if ($get->('site', '/app.js', 'Accept-Encoding' => 'br')->{headers}{'content-encoding'} // '') eq 'br';
	select undef, undef, undef, 0.05;
}
$r = $get->('site', '/app.js', 'Accept-Encoding' => 'gzip');
is $r->{headers}{'content-encoding'}, 'gzip', 'gzip made at publish';
is memGunzip($r->{body}), $js, 'and right';
is $get->('site', '/app.js', 'Accept-Encoding' => 'br')->{headers}{'content-encoding'}, 'br', 'brotli too';
isnt $get->('site', '/app.js', 'Accept-Encoding' => 'br')->{headers}{etag}, $get->('site', '/app.js')->{headers}{etag},
	'each with its own ETag';
is $get->('site', '/app.js', 'Accept-Encoding' => $_)->{headers}{vary}, 'Accept-Encoding', "a cache keeps $_ apart"
	for 'gzip', 'br', 'identity';

# Names that nginx would take for compressed forms are published ones' own, and ours are never given under them.
my $data = join '', map { "line $_ of some text that packs well\n" } 1 .. 60;
$api->publish($ann, slug => 'packed', visibility => 'public',
	files => { 'index.html' => 'x', 'data.txt' => $data, 'data.txt.gz' => 'own gz of data', 'a.js' => $js,
		'a.js.gz' => 'own gz of a', 'a.js.br' => 'own br of a', 'b.js.gz' => 'own gz of nothing', 'c.js.br' => 'own br of nothing',
		'd/e.txt' => $data, 'd/e.txt.br' => 'own br of e' });
for (1 .. 200) {
	last if ($get->('packed', '/a.js', 'Accept-Encoding' => 'br')->{headers}{'content-encoding'} // '') eq 'br' &&
		($get->('packed', '/d/e.txt', 'Accept-Encoding' => 'br')->{headers}{'content-encoding'} // '') eq 'br';
	select undef, undef, undef, 0.05;
}
for my $accept ('identity', 'gzip', 'br', 'gzip, br') {
	for (['/data.txt.gz', 'own gz of data'], ['/a.js.gz', 'own gz of a'], ['/a.js.br', 'own br of a'],
		['/b.js.gz', 'own gz of nothing'], ['/c.js.br', 'own br of nothing'],
		['/d/e.txt.br', 'own br of e']) {
		$r = $get->('packed', $_->[0], 'Accept-Encoding' => $accept);
		is "$r->{status} $r->{body} " . ($r->{headers}{'content-encoding'} // ''), '200 ' . "$_->[1] ",
			"$_->[0], accepting $accept, as published";
	}
	is $get->('packed', $_, 'Accept-Encoding' => $accept)->{status}, 404, "$_, accepting $accept, was not published"
		for '/b.js', '/c.js', '/app.js.gz', '/d/e.txt.gz', '/index.html.gz';
}
is memGunzip($get->('packed', '/a.js', 'Accept-Encoding' => 'gzip')->{body}), $js, 'beside them the files themselves are packed by us';
is memGunzip($get->('packed', '/data.txt', 'Accept-Encoding' => 'gzip')->{body}), $data, 'each';
is $get->('packed', '/a.js.gz', Range => 'bytes=4-5')->{body}, 'gz', 'Range works on them';
is $get->('site', '/app.js.gz')->{status}, 404, 'ours have no address';
# As an earlier release laid them out.
my ($gated) = glob "$stack->{dir}/data/trees/*/1/gated/b.js.gz";
rename $gated, $gated =~ s{/gated/}{/pub/}r or die;
isnt $get->('packed', '/b.js.gz')->{body}, 'own gz of nothing', 'a tree of an earlier release';
$stack->ctl('reproject');
is $get->('packed', '/b.js.gz')->{body}, 'own gz of nothing', 'is brought up to date by reproject, as by the runner after the migration';
is $get->('packed', '/b.js', 'Accept-Encoding' => 'gzip')->{status}, 404, 'wholly';
is $stack->ctl('fsck'), 'clean', 'fsck finds that each packed form is of its file';
my ($ours) = glob "$stack->{dir}/data/trees/*/1/pub/d/e.txt.br";
rename $ours, "$ours.away" or die;
Vitrine::Stack::spew($ours, 'torn');
like +($stack->program('vitrinectl', {}, 'fsck'))[1], qr{d/e\.txt\.br doesn't decompress to the file beside it}, 'and when one is not';
rename "$ours.away", $ours or die;
for my $method (qw(POST PUT DELETE PATCH)) {
	is $api->site($method, 'site', '/')->{status}, 405, "$method is 405";
}
is $api->site('HEAD', 'site', '/')->{status}, 200, 'HEAD';
for my $path ('/../../etc/passwd', '/%2e%2e/%2e%2e/etc/passwd', '/..%2f..%2fobjects', '/_tree/x', '//etc', '/a%00b', '/%5c..',
	'/_vitrine/entry.html') {
	ok $get->('site', $path)->{status} =~ /^(?:400|404)$/, "$path gives nothing";
}
# ---- without TLS

sub plain {
	my ($method, $host, $path) = @_;
	my $c = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $stack->{http}) or die "port $stack->{http}: $!";
	print $c "$method $path HTTP/1.1\r\nHost: $host\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
	my $answer = do { local $/; <$c> };
	return join ' ', $answer =~ m{^HTTP/1.1 (\d+)}, $answer =~ /^Location: (\S+)\r$/m;
}
is plain(GET => 'site.pages.localhost', '/a%20b?c'), "301 https://site.pages.localhost:$stack->{port}/a%20b?c", 'a page is sent on to TLS';
is plain(GET => 'vitrine.localhost', '/auth/signin'), "301 https://vitrine.localhost:$stack->{port}/auth/signin", 'so is the API host';
is plain(POST => 'vitrine.localhost', '/v1/publish'), '403', 'a change is not';

is $get->('nobody', '/')->{status}, 404, 'an unknown site';
ok !-e "$stack->{dir}/data/sites/nobody", 'has no link';

# A folder without a page is nothing; it must not be told from one that is not there.
is $get->('site', '/dir/deep')->{status}, 404, 'a folder without a page, without its slash';
is $get->('site', '/dir/deep/')->{status}, 404, 'and with it';

# ---- _redirects and _headers

$r = $api->call(POST => '/v1/publish', { token => $ann->{token}, json => { name => 'r', slug => 'rules', visibility => 'public', files => [
	{ path => 'index.html', content => 'home' }, { path => 'new.html', content => 'new' }, { path => 'forced.html', content => 'file' },
	{ path => 'secure/x.html', content => 'secured' },
	{ path => '_redirects', content => "/old /new 301\n/blog/:year/* /archive/:year/:splat 302\n/forced.html /new 302!\n/rw /new 200\n"
		. "/out https://example.org/x\n/bad\n/p https://example.org/ 200\n/q id=:id /item/:id\n" },
	{ path => '_headers', content => "/secure/*\n  X-Frame-Options: DENY\n  Content-Security-Policy: default-src 'self'\n"
		. "  Set-Cookie: a=b\n  X-Accel-Redirect: /_tree/\n" }] } });
is scalar @{$r->{json}{warnings}}, 4, 'what is not honoured is said' or diag explain $r->{json};
for (['/old', 301, '/new'], ['/blog/2024/a/b', 302, '/archive/2024/a/b'], ['/forced.html', 302, '/new'],
	['/out', 301, 'https://example.org/x'], ['/q?id=7', 301, '/item/7']) {
	$r = $get->('rules', $_->[0]);
	is "$r->{status} " . ($r->{headers}{location} // ''), "$_->[1] $_->[2]", "redirect $_->[0]";
}
is $get->('rules', '/rw')->{body}, 'new', 'a rewrite';
$r = $get->('rules', '/secure/x.html');
is "$r->{status} $r->{body}", '200 secured', 'a file with headers';
is $r->{headers}{'x-frame-options'}, 'DENY', 'has them';
is $r->{headers}{'content-security-policy'}, "default-src 'self'", 'each';
is $r->{headers}{'set-cookie'}, undef, 'but no cookie';
is $get->('rules', '/_redirects')->{status}, 404, 'the rules are not served';
is $get->('rules', '/secure/x.html', Range => 'bytes=0-2')->{body}, 'sec', 'Range works there too';

# ---- single page applications, installable pages, small screens

my $png = decode_base64('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==');
$r = $api->call(POST => '/v1/publish',
	{ token => $ann->{token}, json => { name => 'App "x"', slug => 'spa-app', visibility => 'public', routing => 'spa',
		mobile_html => 'small', files => [{ path => 'index.html', content => '<!doctype html><head><title>t</title></head>app' }],
		pwa => { enabled => Cpanel::JSON::XS::true, short_name => 'App',
			icon => 'data:image/png;base64,' . encode_base64($png, '') } } });
is $r->{status}, 201, 'an installable page' or diag $r->{body};
is $r->{json}{pwa}{installable}, Cpanel::JSON::XS::false, 'a small icon can not serve';
like $r->{json}{pwa}{reasons}[0], qr/1x1/, 'and is told why';
is $get->('spa-app', '/some/route', Accept => 'text/html')->{status}, 200, 'a navigation gets the entry';
is $get->('spa-app', '/some/data.json', Accept => '*/*')->{status}, 404, 'a fetch does not';
is $get->('spa-app', '/_m/')->{body}, 'small', 'the mobile page';
like $get->('spa-app', '/')->{body}, qr{<!doctype html><head>.*rel="manifest".*register\.js.*<title>}, 'the entry links the manifest';
$r = $get->('spa-app', '/_vitrine/manifest.webmanifest');
is $r->{headers}{'content-type'}, 'application/manifest+json; charset=utf-8', 'the manifest';
is(Cpanel::JSON::XS->new->utf8->decode($r->{body})->{name}, 'App "x"', 'names it');
is $get->('spa-app', '/_vitrine/sw.js')->{headers}{'service-worker-allowed'}, '/', 'the service worker';
is substr($get->('spa-app', '/_vitrine/icon-192.png')->{body}, 1, 3), 'PNG', 'icons';

# ---- an entry in a folder, and one that is no page

$api->publish($ann, slug => 'folder-entry', visibility => 'public', entrypoint => 'docs/index.html',
	files => { 'docs/index.html' => 'docs' });
$r = $get->('folder-entry', '/');
is "$r->{status} $r->{headers}{location}", '302 /docs/', 'an entry in a folder keeps its address';

# ---- the libraries that pages may load

$api->publish($ann, slug => 'closed', visibility => 'private', files => { 'index.html' => 'x' });
$r = $get->('closed', '/_vitrine/lib/index.json');
is "$r->{status} $r->{headers}{'cache-control'}", '200 no-cache', 'the list of libraries, for a private page, too';
my %library = %{Cpanel::JSON::XS->new->utf8->decode($r->{body})};
my @none = grep { !-f "nginx/lib/$_" || !-s 'nginx/lib/' . s{.\@[^/]+\K/.*}{/LICENSES.txt}r } sort values %library;
is "@none", '', 'each is there, with its license';
$r = $get->('site', "/_vitrine/lib/$library{'react-dom/client'}", 'Accept-Encoding' => 'br', Cookie => 'a=b');
is join(' ', $r->{status}, map { $_ // '-' } @{$r->{headers}}{qw(content-type content-encoding set-cookie)}), '200 text/javascript br -',
	'a module, packed';
is $r->{headers}{'cache-control'}, 'public, max-age=31536000, immutable', '... which never changes';
is $r->{headers}{'x-content-type-options'}, 'nosniff', '... nor is taken for anything else';
is $get->('site', "/_vitrine/lib/$_")->{status}, 404, "none is at $_" for 'none@1.0.0/x.js', '', '%2e%2e/vitrine.conf.in', 'react@1.0.0/';
my $served = sub { return $api->request(GET => 'vitrine.localhost', "/_vitrine/$_[0]", {})->{status} };
is join(' ', map { $served->($_) } 'draw.js', 'lib/index.json', "lib/$library{'highlight.js'}"), '200 200 200',
	'our own host has what colors code';
is join(' ', map { $served->($_) } 'vitrine.js', 'remark.js', "lib/$library{d3}", 'lib/highlight.js@../index.json'), '404 404 404 404',
	'... and nothing else';
finish($stack);
