# SPDX-License-Identifier: Apache-2.0
# The examples of Netlify's documentation of _redirects and _headers, one a line: the file, what is asked for, what comes. What is not
# honoured is said in the publish reply, with its line. redirects.t looks at each rule in more depth.
use Encode 'encode_utf8';
use Vitrine::Pack;
use Vitrine::Words;

my ($stack, $api) = stack(publish_per_hour => 100000);
my $ann = $stack->user('ann@example.org');

my %site = map { ($_ => "of $_") } 'index.html', 'app/index.html', 'app/real.html', 'blog/index.html', 'store-closed.html', 'en/404.html',
	'site/404.html', 'templates/index.html', 'templates/index2.html', 'shadowed.html', 'docs/a.html';

# What is published, and which warnings that gives.
my $n = 0;
sub published {
	my (%more) = @_;
	my $slug = 'netlify-' . ++$n;
	my $r = $api->call(POST => '/v1/publish', { token => $ann->{token}, json => { name => 'N', slug => $slug, visibility => 'public',
		files => [map { { path => $_, content => $more{$_} // $site{$_} } } sort keys %{{ %site, %more }}] } });
	return ($slug, join '; ', @{$r->{json}{warnings} // ["$r->{status} $r->{body}"]});
}
sub comes {
	my ($slug, $path) = @_;
	my $r = $api->get_site($slug, $path);
	return "$r->{status} " . ($r->{headers}{location} // ($r->{body} =~ /^of / ? $r->{body} : '-'));
}

# ---- _redirects: the file, the address, what comes, the warning

my $home = "# Redirects from what the browser requests to what we serve\n/home              /\n/blog/my-post.php  /blog/my-post\n"
	. "/news              /blog\n/cuties            https://www.petsofnetlify.com\n";
my $status = "# Redirect with a 301\n/home         /              301\n# Redirect with a 302\n/my-redirect  /              302\n"
	. "# Rewrite a path\n/pass-through /index.html    200\n"
	. "# Show a custom 404 for this path\n/ecommerce    /store-closed  404\n";
my $query = "/store id=:id  /blog/:id  301\n";
my $each = "/path/* param1=:value1 param2=:value2 /otherpath/:value1/:value2/:splat 301\n"
	. "/path/* param1=:value1 /otherpath/:value1/:splat 301\n"
	. "/path/* param2=:value2 /otherpath/:value2/:splat 301\n/path/* /otherpath/:splat 301\n";
my $typo = "# These rules are effectively the same\n/blog/title-with-typo    /blog/typo-free-title\n"
	. "/blog/title-with-typo/   /blog/typo-free-title\n";
my @redirects = (
	# the syntax
	[$home, '/home', '301 /'], [$home, '/blog/my-post.php', '301 /blog/my-post'], [$home, '/news', '301 /blog'],
	[$home, '/cuties', '301 https://www.petsofnetlify.com'],
	[$home =~ s/\n/\r\n/gr, '/news', '301 /blog'], ["\x{feff}$home", '/news', '301 /blog'], ["\x{feff}/news /blog", '/news',
		'301 /blog'], ["/news\t/blog\t302\t# tabs", '/news', '302 /blog'], ["\n\n# nothing\n   # here\n", '/x', '404 -'],
	# the status
	[$status, '/home', '301 /'], [$status, '/my-redirect', '302 /'], [$status, '/pass-through', '200 of index.html'],
	[$status, '/ecommerce', '404 of store-closed.html'],
	['/a /b 303', '/a', '303 /b'], ['/a /b 307', '/a', '307 /b'], ['/a /b 308', '/a', '308 /b'],
	['/a /b 410', '/a', '404 -', '_redirects line 1 (left out): the status must be one of 200 301 302 303 307 308 404'],
	['/a /b 451', '/a', '404 -', '_redirects line 1 (left out): the status must be one of 200 301 302 303 307 308 404'],
	['/a /b moved', '/a', '404 -', '_redirects line 1 (left out): the status must be one of 200 301 302 303 307 308 404'],
	# splats
	['/news/*  /blog/:splat', '/news/2004/01/10/my-story', '301 /blog/2004/01/10/my-story'],
	['/news/*  /blog/:splat', '/news/', '301 /blog/'], ['/news/*  /blog/:splat', '/newsreel', '404 -'],
	['/articles/*  /posts/:splat  302', '/articles/a%20b/c%C3%A9', '302 /posts/a%20b/c%C3%A9'],
	['/*  https://example.com/:splat 301!', '/any/thing?x=y', '301 https://example.com/any/thing?x=y'],
	# placeholders
	['/news/:month/:date/:year/:slug  /blog/:year/:month/:date/:slug', '/news/02/12/2004/my-story', '301 /blog/2004/02/12/my-story'],
	['/news/:month/:date/:year/:slug  /blog/:year/:month/:date/:slug', '/news/02/12/2004', '404 -'],
	# query parameters
	[$query, '/store?id=my-blog-post', '301 /blog/my-blog-post'], [$query, '/store', '404 -'], [$query, '/store?other=1', '404 -'],
	['/articles id=:id tag=:tag /posts/:tag/:id 301', '/articles?id=1&tag=t', '301 /posts/t/1'],
	['/articles id=:id tag=:tag /posts/:tag/:id 301', '/articles?tag=t&id=1', '301 /posts/t/1'],
	[$each, '/path/x?param1=a&param2=b', '301 /otherpath/a/b/x'], [$each, '/path/x?param1=a', '301 /otherpath/a/x'],
	[$each, '/path/x?param2=b', '301 /otherpath/b/x'], [$each, '/path/x', '301 /otherpath/x'],
	['/old /new', '/old?a=b&c', '301 /new?a=b&c'], ['/old /new 302', '/old?a=b', '302 /new?a=b'],
	['/old /docs/a 200', '/old?a=b', '200 of docs/a.html'],
	['/a p=:p q=:q r=:r s=:s t=:t /:p', '/a?p=1', '404 -', '_redirects line 1 (left out): more than 4 query parameters'],
	# rewrites: the history of a single page application, shadowing
	['/*    /index.html   200', '/any/where', '200 of index.html'], ['/*    /index.html   200', '/shadowed', '200 of shadowed.html'],
	['/*  /index.html  200!', '/shadowed', '200 of index.html'],
	['/app/*  /app/index.html  200', '/app/any', '200 of app/index.html'], ['/app/*  /app/index.html  200', '/app/real',
		'200 of app/real.html'], ['/app/*  /app/index.html  200!', '/app/real', '200 of app/index.html'],
	['/start /app 200', '/start', '200 of app/index.html'], ['/start /app/ 200', '/start', '200 of app/index.html'],
	['/start /nowhere 200', '/start', '404 -'],
	['/shadowed /blog', '/shadowed', '200 of shadowed.html'], ['/shadowed /blog 301!', '/shadowed', '301 /blog'],
	['/ /blog 302!', '/', '302 /blog'], ['/ /blog 302', '/', '200 of index.html'],
	# pages that say 404
	['/*  /site/404.html 404', '/any', '404 of site/404.html'],
	["/en/*  /en/404.html  404\n/*  /site/404.html 404", '/en/x', '404 of en/404.html'],
	# order
	["# This rule is first\n/blog/my-old-title   /blog/my-new-title\n/blog/my-old-title   /blog/never", '/blog/my-old-title',
		'301 /blog/my-new-title'], ["/blog/* /all\n/blog/x /one", '/blog/x', '301 /all'],
	# the slash at the end
	[$typo, '/blog/title-with-typo', '301 /blog/typo-free-title'], [$typo, '/blog/title-with-typo/', '301 /blog/typo-free-title'],
	["# an infinite redirect\n/blog/remove-my-slashes/* /blog/remove-my-slashes/:splat  301!", '/blog/remove-my-slashes/x/', '404 -'],
	# what a visitor puts into an address does not lead to another host
	(map { my ($path, $want) = @$_; ['/go/* /:splat', $path, $want] } ['/go/%2F%2Fevil.example', '404 -'], ['/go/%2Fevil.example',
		'404 -'], ['/go//evil.example', '404 -'], ['/go/%5Cevil.example', '404 -'], ['/go/%09/evil.example', '404 -'],
		['/go/%0A/evil.example', '404 -'], ['/go/%E3%80%82evil.example', '301 /%E3%80%82evil.example'], ['/go/https://evil.example',
			'404 -'], ['/go/https:evil.example', '301 /https%3Aevil.example'], ['/go/%40evil.example', '301 /%40evil.example']),
	['/out/* https://example.org/:splat', '/out/%40evil.example', '301 https://example.org/%40evil.example'],
	['/out/* https://example.org/:splat', '/out/..%2F@evil', '404 -'],
	['/a //evil.example', '/a', '404 -', '_redirects line 1 (left out): the target must not start with //'],
	['/a /\\evil.example', '/a', '301 /%5Cevil.example'],
	['/x to=:to https://example.org:to', '/x?to=.evil.example', '404 -',
		"_redirects line 1 (left out): the host of a target can't have placeholders"],
	['/x to=:to :to', '/x?to=//evil.example', '404 -',
		'_redirects line 1 (left out): expected a query parameter (name=value) or a target'],
	# what is not honoured is said
	["# proxy\n/api/*  https://api.example.com/:splat  200", '/api/x', '404 -',
		'_redirects line 2 (left out): proxying to another host isn\'t supported'],
	['/search  https://api.mysearch.com  200!  Signed=API_SIGNATURE_TOKEN', '/search', '404 -',
		'_redirects line 1 (left out): conditions such as Country or Language, and options such as Signed, aren\'t supported'],
	(map { ["/  /x  302  $_", '/', '200 of index.html',
		'_redirects line 1 (left out): conditions such as Country or Language, and options such as Signed, aren\'t supported'] }
		'Country=cn,hk,tw', 'Country=au,nz Language=en', 'Language=zh', 'Role=admin', 'Cookie=nf_ab', 'country=cn'),
	['/admin/*  200!  Role=admin', '/admin/x', '404 -',
		'_redirects line 1 (left out): conditions such as Country or Language, and options such as Signed, aren\'t supported'],
	['/a /b 301 more', '/a', '404 -', '_redirects line 1 (left out): text after the status isn\'t supported'],
	["/one /two\nhttp://blog.yoursite.com/*  https://www.yoursite.com/blog/:splat  301!", '/x', '404 -',
		'_redirects line 2 (left out): a rule must start with a path such as /old; rules for whole domains aren\'t supported'],
	['/api/*  /.netlify/functions/:splat  200', '/api/x', '404 -',
		"_redirects line 1 (left out): Netlify's functions and other services under /.netlify/ aren't available here"],
	['/jobs/*.html /new', '/jobs/x.html', '301 /new'], ['/*/x /new', '/a/x', '301 /new'],
	['/' . join('/', map { ":p$_" } 1 .. 17) . ' /:p17', '/' . join('/', 1 .. 17), '404 -',
		'_redirects line 1 (left out): more than 16 placeholders'],
	['foo', '/foo', '404 -', '_redirects line 1 (left out): a rule must start with a path such as /old'],
	['/only', '/only', '404 -', '_redirects line 1 (left out): the target must be a path or an http(s) address'],
	["/ok /new\n/x bad 301\n/y /new 999", '/ok', '301 /new',
		'_redirects line 2 (left out): expected a query parameter (name=value) or a target; '
		. '_redirects line 3 (left out): the status must be one of 200 301 302 303 307 308 404'],
);
for (@redirects) {
	my ($file, $path, $want, $warning) = @$_;
	my ($slug, $warned) = published(_redirects => $file);
	my ($line) = grep { !/^#/ } split /\r?\n/, $file;
	my $what = substr($line // '(comments)', 0, 70) =~ s/\t/ /gr;
	is $warned, $warning // '', "$what: " . ($warning ? 'said' : 'no warning');
	is comes($slug, $path), $want, "... $path";
}

my $cant = "_headers line 2 (left out): this header can't be set here, only Content-Security-Policy, Content-Security-Policy-Report-Only, "
	. "X-Frame-Options, Referrer-Policy, Permissions-Policy, Cross-Origin-Opener-Policy,"
	. ' Cross-Origin-Embedder-Policy, Cross-Origin-Resource-Policy, Access-Control-Allow-Origin, Access-Control-Allow-Methods, '
	. 'Access-Control-Allow-Headers, Access-Control-Expose-Headers, Access-Control-Max-Age,'
	. ' Timing-Allow-Origin, Link, X-Robots-Tag, Content-Language, X-DNS-Prefetch-Control, Reporting-Endpoints, NEL, '
	. 'Origin-Agent-Cluster, X-Permitted-Cross-Domain-Policies, Cache-Control, Content-Type, Content-Encoding';

# ---- _headers: the file, the address, the header, its value, the warning

my $two = "# a path:\n/templates/index.html\n  # headers for that path:\n  X-Frame-Options: DENY\n\n# another path:\n"
	. "/templates/index2.html\n  # headers for that path:\n  X-Frame-Options: SAMEORIGIN\n";
my $many = "/*\n  # headers for all paths\n  cache-control: max-age=0\n  cache-control: no-cache\n  cache-control: no-store\n"
	. "  cache-control: must-revalidate\n";
my @headers = (
	[$two, '/templates/index.html', 'x-frame-options', 'DENY'], [$two, '/templates/index2.html', 'x-frame-options', 'SAMEORIGIN'],
	[$two, '/templates/index2', 'x-frame-options', undef], [$two, '/', 'x-frame-options', undef],
	[$two =~ s/\n/\r\n/gr, '/templates/index.html', 'x-frame-options', 'DENY'],
	["\x{feff}/*\n  X-Frame-Options: DENY", '/', 'x-frame-options', 'DENY'],
	["/*\n  X-Frame-Options: DENY", '/', 'x-frame-options', 'DENY'], ["/*\n\tX-Frame-Options: DENY", '/app/real', 'x-frame-options',
		'DENY'], ["/app/*\n  X-Frame-Options: DENY", '/', 'x-frame-options', undef],
	[$many, '/', 'cache-control', 'max-age=0, no-cache, no-store, must-revalidate'],
	["/docs/:page\n  X-Robots-Tag: none", '/docs/a', 'x-robots-tag', 'none'],
	["/docs/:page\n  X-Robots-Tag: none", '/docs/a.html', 'x-robots-tag', 'none'],
	["/*\n  Content-Security-Policy: default-src 'self'; img-src *", '/', 'content-security-policy', "default-src 'self'; img-src *"],
	["/*\n  Access-Control-Allow-Origin: *", '/docs/a', 'access-control-allow-origin', '*'],
	["/*\n  Link: <https://example.org/x:y>; rel=\"preload\"", '/', 'link', '<https://example.org/x:y>; rel="preload"'],
	["/\n  X-Frame-Options: DENY", '/', 'x-frame-options', 'DENY'],
	# what is not honoured is said
	["/something/*\n  Basic-Auth: someuser:somepassword anotheruser:anotherpassword", '/', 'basic-auth', undef, $cant],
	["/*\n  Set-Cookie: a=b", '/', 'set-cookie', undef, $cant], ["/*\n  X-My-Header: 1", '/', 'x-my-header', undef, $cant],
	["/*\n  Content-Type: text/plain", '/', 'content-type', 'text/plain; charset=utf-8'],
	["/*\n  Content-Type: text/html; charset=Shift_JIS", '/', 'content-type', 'text/html; charset=shift_jis'],
	["/*\n  Content-Type: image/png", '/', 'content-type', 'text/html; charset=utf-8',
		'_headers line 2 (left out): Content-Type can be that of a text only, such as text/plain; charset=utf-8'],
	["/*.txt\n  X-Frame-Options: DENY", '/', 'x-frame-options', undef],
	["/*/real\n  X-Frame-Options: DENY", '/app/real', 'x-frame-options', 'DENY'],
	["  X-Frame-Options: DENY", '/', 'x-frame-options', undef, '_headers line 1 (left out): a header must come after a path'],
	["/*\n  DENY", '/', 'x-frame-options', undef, '_headers line 2 (left out): expected Name: value'],
	['X-Frame-Options: DENY', '/', 'x-frame-options', undef,
		'_headers line 1 (left out): a header must be indented, below the path that it is for'],
	["https://example.org/*\n  X-Frame-Options: DENY", '/', 'x-frame-options', undef,
		'_headers line 1 (left out): a rule must start with a path such as /old; rules for whole domains aren\'t supported; '
			. '_headers line 2 (left out): a header must come after a path'],
);
for (@headers) {
	my ($file, $path, $name, $want, $warning) = @$_;
	my ($slug, $warned) = published(_headers => $file);
	my ($line) = grep { !/^#/ } split /\r?\n/, $file;
	is $warned, $warning // '', substr($line, 0, 70) . ': ' . ($warning ? 'said' : 'no warning');
	is $api->get_site($slug, $path)->{headers}{$name}, $want, "... $path has $name: " . ($want // '-');
}

# ---- the first page by another name, and other ways to publish

my @named = (token => $ann->{token});
sub named {
	my ($slug, %files) = @_;
	return $api->call(POST => '/v1/publish', { @named, json => { name => 'E', slug => $slug, visibility => 'public',
		entrypoint => 'home.html', files => [map { { path => $_, content => $files{$_} } } sort keys %files] } });
}
named('entry-forced', 'home.html' => 'of home.html', 'new.html' => 'of new.html', _redirects => '/ /new 302!');
is comes('entry-forced', '/'), '302 /new', 'a forced rule for / holds whatever the entry is named';
is comes('entry-forced', '/home'), '200 of home.html', '... and not for the page itself';
named('entry-headers', 'home.html' => 'of home.html', _headers => "/\n  X-Robots-Tag: none\n");
is $api->get_site('entry-headers', '/')->{headers}{'x-robots-tag'}, 'none', 'so do headers';
is $api->get_site('entry-headers', '/home')->{headers}{'x-robots-tag'}, undef, '... likewise';
# As an earlier release laid it out.
my $pub = "$stack->{dir}/data/trees/" . $stack->db->selectrow_array("SELECT id FROM artifact WHERE slug = 'entry-headers'")
	. '/1/pub/_vitrine';
(my $gated = $pub) =~ s{/pub/}{/gated/};
mkdir $pub or -d $pub or die;
rename "$gated/entry.html", "$pub/entry.html" or die;
is $api->get_site('entry-headers', '/')->{headers}{'x-robots-tag'}, undef, 'a tree of an earlier release';
$stack->ctl('reproject');
is $api->get_site('entry-headers', '/')->{headers}{'x-robots-tag'}, 'none', '... is brought up to date';
named('entry-page', 'home.html' => 'of home.html', 'new.html' => 'of new.html', _redirects => '/home /new 302!');
is comes('entry-page', '/home'), '302 /new', 'a forced rule for the page';
is comes('entry-page', '/'), '200 of home.html', '... leaves / as it is';

my $rules = "/a /b\n/c https://example.org 200\n";
my $head = "/*\n  Set-Cookie: a=b\n";
my @said = ('_redirects line 2 (left out): proxying to another host isn\'t supported', $cant);
for (['zip', zip(['index.html', 'x'], ['_redirects', $rules], ['_headers', $head])],
	['tar.gz', tgz(['index.html', 'x'], ['_redirects', $rules], ['_headers', $head])]) {
	my ($kind, $bytes) = @$_;
	my ($body, $type) = form(['manifest', '{"name":"A"}', undef, 'application/json'],
		['archive', $bytes, 'a', 'application/octet-stream']);
	is_deeply [sort @{$api->call(POST => '/v1/publish', { @named, body => $body, type => $type })->{json}{warnings}}], [sort @said],
		"a $kind is told the same";
}
my %sha = map { ($_->[0] => Digest::SHA::sha256_hex($_->[1])) } ['index.html', 'x'], ['_redirects', $rules], ['_headers', $head];
my $r = $api->call(POST => '/v1/publish',
	{ @named, json => { name => 'D', files => [map { { path => $_, sha256 => $sha{$_} } } sort keys %sha] } });
is_deeply [sort @{$r->{json}{warnings}}], [sort @said], 'so is who names bytes by their digest';
$r = $api->call(POST => '/v1/publish', { @named,
	json => { name => 'L', files => [{ path => 'index.html', content => 'x' }, { path => '_redirects', content => '#' x 70000 }] } });
is_deeply $r->{json}{warnings}, ['_redirects line 1: from here on nothing holds: the file is larger than 64 KiB'],
	'and who publishes too long a file';
$r = $api->call(POST => '/v1/publish',
	{ @named, json => { name => 'L', slug => 'long', visibility => 'public', files => [{ path => 'index.html', content => 'x' },
		{ path => '_redirects', content => "/a /b\n" . "/c /ddddd\n" x 10 . "# " . 'x' x 70000 . "\n/e /f\n" }] } });
is_deeply $r->{json}{warnings}, ['_redirects line 12: from here on nothing holds: the file is larger than 64 KiB'], '... with the line';
is comes('long', '/a'), '301 /b', '... and the lines before it hold';
finish($stack);
