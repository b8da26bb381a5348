# SPDX-License-Identifier: Apache-2.0
# _redirects and _headers hold to what Netlify publishes of them: each of its rules with one of its examples, or one of the same kind.
use utf8;
use Encode 'encode_utf8';
use MIME::Base64;
use Vitrine::Words;

my ($stack, $api) = stack(publish_per_hour => 100000);
my $ann = $stack->user('ann@example.org');
my %files = map { ($_ => "of $_") } 'index.html', 'new.html', 'store-closed.html', 'app/index.html', 'shadow.html', 'docs/a b.html',
	'docs/größe.html', 'docs/100%.html', 'docs/x/y.html', 'trail.html',
	'file/trail.html', 't/x.html', 'b.html', 'robots.txt';

# [section, rules, address, what comes: "status Location" or "status body"]
my @table = (
	# HTTP status codes
	['the status is 301 by default', '/home /new', '/home', '301 /new'],
	['302', '/my-redirect / 302', '/my-redirect', '302 /'],
	['404 shows the page', '/ecommerce /store-closed 404', '/ecommerce', '404 of store-closed.html'],
	['200 rewrites', '/pass-through /new.html 200', '/pass-through', '200 of new.html'],
	['another site', '/cuties https://www.petsofnetlify.com', '/cuties', '301 https://www.petsofnetlify.com'],
	['303', '/a /new 303', '/a', '303 /new'],
	['307', '/a /new 307', '/a', '307 /new'],
	['308', '/a /new 308', '/a', '308 /new'],
	# order and comments
	['the first rule that matches', "/blog/my-old-title /new 301\n/blog/my-old-title /other 301", '/blog/my-old-title', '301 /new'],
	['a comment', "# c\n/a /new # moved\n", '/a', '301 /new'],
	['a fragment is none', "/a /new#part 301 # moved", '/a', '301 /new#part'],
	# splats
	['a splat', '/news/* /blog/:splat', '/news/2004/01/10/my-story', '301 /blog/2004/01/10/my-story'],
	['... of nothing', '/news/* /blog/:splat', '/news', '301 /blog/'],
	['... in a rewrite', '/en/* /docs/:splat 200', '/en/x/y', '200 of docs/x/y.html'],
	['... with a space', '/en/* /docs/:splat 200', '/en/a%20b', '200 of docs/a b.html'],
	['... not ASCII', '/en/* /docs/:splat 200', '/en/gr%C3%B6%C3%9Fe', '200 of docs/größe.html'],
	['... with a percent sign', '/en/* /docs/:splat 200', '/en/100%25', '200 of docs/100%.html'],
	['... is encoded in a redirect', '/en/* /docs/:splat', '/en/gr%C3%B6%C3%9Fe%20b', '301 /docs/gr%C3%B6%C3%9Fe%20b'],
	['... in a query, once', '/en/* /find?q=:splat', '/en/a%20b', '301 /find?q=a%20b'],
	['... does not part a query', '/en/* /find?q=:splat', '/en/a%26b=c', '301 /find?q=a%26b%3Dc'],
	['... to another site', '/en/* https://example.org/:splat', '/en/a%20b', '301 https://example.org/a%20b'],
	['a single page application', '/* /index.html 200', '/any/where', '200 of index.html'],
	# placeholders
	['placeholders', '/news/:month/:date/:year/:slug /blog/:year/:month/:date/:slug', '/news/02/12/2004/my-story',
		'301 /blog/2004/02/12/my-story'],
	['... within a segment of the target', '/news/:year/:month/:date /blog-:year-:month-:date.html', '/news/2004/02/12',
		'301 /blog-2004-02-12.html'],
	['... match one segment', '/news/:year /blog/:year', '/news/2004/02', '404 '],
	['... with a space, in a rewrite', '/p/:name /docs/:name 200', '/p/a%20b', '200 of docs/a b.html'],
	['... not ASCII, in a rewrite', '/p/:name /docs/:name 200', '/p/gr%C3%B6%C3%9Fe', '200 of docs/größe.html'],
	# query parameters
	['a parameter', '/store id=:id /blog/:id 301', '/store?id=my-blog-post', '301 /blog/my-blog-post'],
	['... is decoded and encoded once', '/store id=:id /blog/:id 301', '/store?id=a%20b%2Bc+d', '301 /blog/a%20b%2Bc%20d'],
	['... in the query of the target', '/store id=:id /blog?x=:id 301', '/store?id=a%26b%20c', '301 /blog?x=a%26b%20c'],
	['... in a rewrite', '/store id=:id /docs/:id 200', '/store?id=gr%C3%B6%C3%9Fe', '200 of docs/größe.html'],
	['... must be there', '/store id=:id /blog/:id 301', '/store', '404 '],
	['... alone', '/store id=:id /blog/:id 301', '/store?id=1&other=2', '404 '],
	['two, in any order', '/articles id=:id tag=:tag /posts/:tag/:id 301', '/articles?tag=t&id=7', '301 /posts/t/7'],
	['each combination by itself', "/path/* p1=:v p2=:w /both/:v/:w\n/path/* p1=:v /one/:v/:splat\n/path/* /none/:splat",
		'/path/x?p1=a', '301 /one/a/x'],
	['a value', '/store id=7 /seven 302', '/store?id=7', '302 /seven'],
	['... and not another', '/store id=7 /seven 302', '/store?id=8', '404 '],
	['the query passes on with 301', '/old /new', '/old?a=b&c=%20d', '301 /new?a=b&c=%20d'],
	['... with 302', '/old /new 302', '/old?a=b', '302 /new?a=b'],
	['... to another site', '/old https://example.org/x#y 302', '/old?a=b', '302 https://example.org/x?a=b#y'],
	['... with 200 does not hinder', '/old /new 200', '/old?a=b', '200 of new.html'],
	['... not with 307', '/old /new 307', '/old?a=b', '307 /new'],
	['... nor where the target has its own', '/old /new?x=y', '/old?a=b', '301 /new?x=y'],
	# trailing slash
	['a rule with a slash matches without', '/blog/title/ /new', '/blog/title', '301 /new'],
	['... and the other way', '/blog/title /new', '/blog/title/', '301 /new'],
	['... with placeholders', '/blog/:x/ /new', '/blog/a', '301 /new'],
	['no rule adds a slash', '/blog/title /blog/title/ 301!', '/blog/title', '404 '],
	['... or takes it away', "/blog/remove/* /blog/remove/:splat\n/* /new 302", '/blog/remove/x/', '302 /new'],
	# encoding
	['a rule may be written encoded', '/caf%C3%A9/a%20b /new', '/caf%C3%A9/a%20b', '301 /new'],
	['... or not', '/café /new', '/caf%C3%A9', '301 /new'],
	['a target too', '/a /caf%C3%A9', '/a', '301 /caf%C3%A9'],
	['... or not', '/a /café', '/a', '301 /caf%C3%A9'],
	['... in a rewrite', "/a /docs/a%20b 200", '/a', '200 of docs/a b.html'],
	['... not ASCII, in a rewrite', "/a /docs/größe.html 200", '/a', '200 of docs/größe.html'],
	['an encoded star is a star', '/a%2A /new', '/abc', '404 '],
	# shadowing
	['a file stands before a rule', '/shadow /new 301', '/shadow', '200 of shadow.html'],
	['... unless it is forced', '/shadow /new 301!', '/shadow', '301 /new'],
	['... a rewrite too', '/app/* /new 200!', '/app/index.html', '200 of new.html'],
	['... of one that has a slash', '/shadow/ /new 302!', '/shadow', '302 /new'],
	# nobody else chooses the host, or what is not theirs
	['two slashes', '/go* /:splat', '/go/evil.example/x', '301 /evil.example/x'],
	['two slashes at another place', '/go* /:splat/x/:splat', '/go/evil.example', '301 /evil.example/x/evil.example'],
	['a parameter with slashes', '/go to=:to /:to', '/go?to=//evil.example', '301 /evil.example'],
	['... with a backslash', '/go to=:to /:to', '/go?to=%5Cevil.example', '301 /%5Cevil.example'],
	['... with a line end', '/go to=:to /:to', '/go?to=a%0D%0AX:%20y', '301 /a%0D%0AX%3A%20y'],
	['upward', '/go to=:to /t/:to 200', '/go?to=../../meta/_redirects', '404 '],
	['upward, encoded', '/go to=:to /t/:to 200', '/go?to=%2e%2e%2f%2e%2e%2fmeta%2f_redirects', '404 '],
	['upward, beside a splat', '/t* /t/:splat 200', '/t../b', '404 '],
	['a port is no placeholder', '/:8080/a https://example.org:8080/', '/1/a', '301 https://example.org:8080/'],
	# warnings
	['proxying', '/api/* https://api.example.com/:splat 200', '/api/x', '404 ',
		qr/line 1 \(left out\): proxying to another host isn't supported/],
	['a country', '/china /new 302 Country=ch,tw,cn', '/china', '404 ', qr/line 1 \(left out\): conditions such as Country or Language/],
	['a domain', 'http://blog.example.org/* https://example.org/:splat', '/x', '404 ',
		qr/line 1 \(left out\): a rule must start with a path/],
	['a star in the middle', '/jobs/*.html /new/:splat', '/jobs/x/y.html', '301 /new/x/y'],
	['... and another', '/a/*/b/* /new', '/a/1/2/b/3', '301 /new'],
	['... that does not match', '/a/*/b/*.txt /new', '/a/1/2/b/3.html', '404 '],
	['a placeholder in a part of a segment', '/blog/:year-:month/:title.html /:year/:month/:title', '/blog/2024-02/a-b.html',
		'301 /2024/02/a-b'],
	['... with a dash in its name', '/posts/:post-id /p/:post-id', '/posts/7-up', '301 /p/7-up'],
	['... is not empty', '/blog/x-:y /new', '/blog/x-', '404 '],
	['... ends with its segment', '/blog/x-:y /new', '/blog/x-1/2', '404 '],
	['... behind a star', '/*/part-:n.html /:n/:splat', '/a/part-b/part-3.html', '301 /3/a/part-b'],
	['a name that nothing captures', '/a/:x /b/:y/:x', '/a/1', '301 /b/:y/1', qr/line 1: :y in the target stays as written/],
	['... is no colon in a word', '/help https://en.wikipedia.org/wiki/Help:Contents', '/help',
		'301 https://en.wikipedia.org/wiki/Help:Contents'],
	['a placeholder in the host', '/x/* https://example.org:splat', '/x/.evil.example', '404 ',
		qr/line 1 \(left out\): the host of a target can't have placeholders/],
	['a status', '/x /new 201', '/x', '404 ', qr/line 1 \(left out\): the status must be one of/],
	['no target', '/x', '/x', '404 ', qr/line 1 \(left out\): the target must be/],
);
my $n = 0;
sub publish {
	my ($slug, %more) = @_;
	return $api->call(POST => '/v1/publish', { token => $ann->{token}, json => { name => 'R', slug => $slug, visibility => 'public',
		files => [map { { path => $_, content => $more{$_} // $files{$_} } } sort keys %{{ %files, %more }}] } });
}
for my $row (@table) {
	my ($what, $rules, $path, $want, $warning) = @$row;
	my $slug = 'rules-' . ++$n;
	my $r = publish($slug, _redirects => $rules);
	if ($warning) { like $r->{json}{warnings}[0] // '', $warning, "$what: said" }
	else { is_deeply $r->{json}{warnings}, [], "$what: no warning" }
	$r = $api->get_site($slug, $path);
	my $got = $r->{headers}{location} // ($r->{status} == 404 && $r->{body} !~ /^of / ? '' : $r->{body});
	is "$r->{status} $got", encode_utf8($want), "$what: $path";
}

# ---- _headers

my $r = publish('headers', _headers => "/*.txt\n  X-Frame-Options: DENY\n/docs/a%20b.html # a comment\n  X-Robots-Tag: none\n/docs/*\n"
	. "  Link: <x>\n/*/trail*\n  Link: <y>\n/app/:page\n  Link: </p/:page?:pages>; rel=\"preload\"\n");
is_deeply $r->{json}{warnings}, [], 'a * may stand anywhere';
is $api->get_site('headers', $_)->{headers}{'x-frame-options'}, { '/robots.txt' => 'DENY' }->{$_}, "... $_" for '/robots.txt', '/new.html';
is $api->get_site('headers', '/file/trail.html')->{headers}{link}, '<y>', '... within';
is $api->get_site('headers', '/app/index.html')->{headers}{link}, '</p/index.html?:pages>; rel="preload"',
	'what a path captures stands in values';
is $api->get_site('headers', '/docs/a%20b.html')->{headers}{'x-robots-tag'}, 'none', 'a path written encoded';
is $api->get_site('headers', '/docs/x/y.html')->{headers}{link}, '<x>', 'a splat';

# ---- what does not fit, or is no text

$r = $api->call(POST => '/v1/publish', { token => $ann->{token},
	json => { name => 'R', slug => 'not-text', visibility => 'public', files => [{ path => 'index.html', content => 'of index.html' },
		{ path => '_redirects', encoding => 'base64',
			content => encode_base64("/a /new\n/b /n\xe9w\n/c /n\0w\n/d /new\n", "") }] } });
is_deeply $r->{json}{warnings}, ["_redirects line 2 (left out): isn't UTF-8 text", "_redirects line 3 (left out): isn't UTF-8 text"],
	'lines that are no text are said';
is $api->get_site('not-text', $_)->{status}, { '/a' => 301, '/d' => 301, '/b' => 404 }->{$_}, "... and the others hold: $_"
	for '/a', '/b', '/d';
$r = publish('lots', _headers => "/new.html\n  X-Robots-Tag: none\n  Link: " . 'l' x 8000 . "\n  Content-Security-Policy: " . 'c' x 8000
	. "\n  X-Frame-Options: DENY\n/*\n  Referrer-Policy: " . 'r' x 5000 . "\n");
is_deeply $r->{json}{warnings}, ['_headers line 4 (left out): the headers of this path together are longer than 12,288 bytes'],
	'headers that are too long together are said';
$r = $api->get_site('lots', '/new.html');
is_deeply [$r->{status}, map { length($r->{headers}{$_} // '') } 'x-robots-tag', 'link', 'x-frame-options', 'referrer-policy'],
	[200, 4, 8000, 4, 0], '... and the first that fit are sent';
$r = publish('many', _redirects => join '', map { "/r$_ /new\n" } 1 .. 1102);
is_deeply [scalar @{$r->{json}{warnings}}, @{$r->{json}{warnings}}[0, 99]], [100, '_redirects line 1001 (left out): more than 1,000 rules',
	'_redirects line 1100 and others (left out): more than 1,000 rules'], 'too many rules are said';
is $api->get_site('many', '/r1000')->{status}, 301, '... and the first thousand hold';
finish($stack);
