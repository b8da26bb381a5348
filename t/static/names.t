# SPDX-License-Identifier: Apache-2.0
# Names from other machines and makers: endings in capitals, slashes too many, files that are published packed, and one without an ending.
use Compress::Zlib 'memGzip';
use MIME::Base64;
use Vitrine::Words;

my ($stack, $api, $db) = stack(publish_per_hour => 100000);
my $ann = $stack->user('ann@example.org');
my $get = sub { $api->get_site('names', @_) };
sub file { my ($path, $content, @more) = @_; return { path => $path, content => encode_base64($content, ''), encoding => 'base64', @more } }
sub publish {
	my ($slug, @files) = @_;
	return $api->call(POST => '/v1/publish',
		{ token => $ann->{token}, json => { name => 'N', slug => $slug, visibility => 'public', files => \@files } });
}

my $js = 'let x = 1;' x 100;
my $r = publish('names', file('INDEX.HTML', 'home'), file('About.HTML', 'about'), file('sub/Index.Html', 'sub'), file('news.html', 'news'),
	file('Photo.JPG', 'jpg'), file('404.HTML', 'own 404'), file('data.CSV', 'a'),
	file('_headers', "/Build/own*\n  Content-Encoding: gzip\n  Content-Type: text/css\n/Build/raw*\n  Content-Encoding: identity\n"),
	file('Build/x.js.gz', memGzip($js)), file('Build/x.wasm.br', "\x0b\x02\x80hello\x03"), file('Build/torn.js.br', 'no brotli'),
	file('Build/x.data.gz', memGzip('d')), file('Build/x.symbols.json.gz', memGzip('{}')), file('Build/torn.js.gz', 'no gzip'),
	file('Build/own.bin', memGzip('p{}')), file('Build/raw.js.gz', memGzip($js)), file('Build/said.js.gz', memGzip($js),
		mime => 'application/x-own'), file('rows.csv.gz', memGzip('a,b')), file('site.tar.gz', memGzip('t')),
	file('pic.svgz', memGzip('<svg/>')), file('.well-known/apple-app-site-association', '{}'));
is $r->{status}, 201, 'a site from other machines' or diag $r->{body};
for (['/', 'home'], ['/About', 'about'], ['/About.HTML', 'about'], ['/sub/', 'sub'], ['/nothing', 'own 404']) {
	$r = $get->($_->[0]);
	is "$r->{body} $r->{headers}{'content-type'}", "$_->[1] text/html; charset=utf-8", $_->[0];
}
for (['/news/', '/news'], ['/news/?a=b', '/news?a=b'], ['/sub', '/sub/'], ['/About/', '/About'], ['/sub/Index/', undef],
	['/_vitrine/entry/', undef]) {
	$r = $get->($_->[0]);
	is $r->{headers}{location}, $_->[1], "$_->[0] leads to " . ($_->[1] // 'nothing');
	is $r->{status}, 308, '... for good' if $_->[1];
}
# name, type, encoding
for (['/Photo.JPG', 'image/jpeg'], ['/data.CSV', 'text/csv; charset=utf-8'], ['/Build/x.js.gz', 'text/javascript; charset=utf-8', 'gzip'],
	['/Build/x.wasm.br', 'application/wasm', 'br'],
	['/Build/x.data.gz', 'application/octet-stream', 'gzip'], ['/Build/x.symbols.json.gz', 'application/json; charset=utf-8', 'gzip'],
	['/Build/torn.js.gz', 'application/gzip'], ['/Build/torn.js.br', 'application/octet-stream'],
	['/Build/own.bin', 'text/css; charset=utf-8', 'gzip'],
	['/Build/raw.js.gz', 'text/javascript; charset=utf-8', 'identity'], ['/Build/said.js.gz', 'application/x-own'],
	['/rows.csv.gz', 'application/gzip'], ['/site.tar.gz', 'application/gzip'], ['/pic.svgz', 'image/svg+xml; charset=utf-8', 'gzip'],
	['/.well-known/apple-app-site-association', 'application/json; charset=utf-8']) {
	$r = $get->($_->[0], 'Accept-Encoding' => 'gzip, br');
	is "$r->{status} $r->{headers}{'content-type'} " . ($r->{headers}{'content-encoding'} // ''),
		"200 $_->[1] " . ($_->[2] // ''), $_->[0];
}
is $stack->ctl('fsck'), 'clean', 'fsck knows of each name';
$r = publish('xhtml', file('Page.XHTML', '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head></html>'));
is $r->{status}, 201, 'a lone page of XHTML' or diag $r->{body};
is $api->get_site('xhtml', '/')->{headers}{location}, '/Page.XHTML', '... is the first page';
$r = $api->call(POST => '/v1/publish', { token => $ann->{token},
	json => { name => 'A', slug => 'an-app', files => [file('a.xhtml', '<html/>')], pwa => { enabled => $true } } });
is $r->{json}{pwa}{reasons}[0], "the entry page, a.xhtml, isn't HTML", 'an entry that can not name a manifest is said' or diag $r->{body};
is publish('folder', file('a.HTML', 'x'), file('a.html/b.txt', 'y'))->{status}, 400, 'a folder of such a name is refused';
finish($stack);
