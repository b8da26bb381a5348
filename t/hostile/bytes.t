# SPDX-License-Identifier: Apache-2.0
# Bytes come back as they were published: under every name, in every piece, packed or not, and no name of theirs is one of ours.
use utf8;
use Compress::Zlib qw(memGzip memGunzip);
use Encode qw(decode_utf8 encode_utf8);
use Vitrine::Pack;
use Vitrine::Visitor;
use Vitrine::Words;

my ($stack, $api) = stack(publish_per_hour => 100000, exports_per_hour => 1000);
my $ann = $stack->user('ann@example.org');
my $js = join '', map { "export const value$_ = $_ * 17;\n" } 1 .. 400;

sub get { my ($slug, $path, %headers) = @_; return $api->get_site($slug, $path, %headers) }
sub escaped { return encode_utf8($_[0]) =~ s{([^A-Za-z0-9._~/-])}{sprintf '%%%02X', ord $1}ger }
sub url_decoded { return $_[0] =~ s/%([0-9A-F]{2})/chr hex $1/gre }
sub packed_soon {
	my ($slug, $path) = @_;
	for (1 .. 400) {
		return 1 if (get($slug, $path, 'Accept-Encoding' => 'br')->{headers}{'content-encoding'} // '') eq 'br';
		select undef, undef, undef, 0.05;
	}
	return 0;
}

# ---- names that look like what we make of others

my %own = map { ($_ => "own bytes of $_") } 'a.js.gz', 'a.js.br', 'b.js.gz', 'c.js.br', 'dir/index.html.gz', 'index.html.gz',
	'manifest.webmanifest', 'icon-192.png', 'sw.js', 'register.js', 'entry.html',
	'_redirects.gz', '_headers.br', '_redirects.html', '_tree/x.txt', '_tree/art/1/pub/x.js', '_objects/x', '_error/404', 'sites/x',
	'gated/x.js', 'meta/_redirects', 'pub/a.js', 'live/pub/x.js', '1/pub/x.js',
	'v1/artifacts', 'v1/x.js', 'auth/signin', 'healthz', '_Vitrine/sw.js', 'x/_vitrine/sw.js', '_vitrine.js', '_m.js', 'robots.txt',
	'folder.gz/x.txt', 'folder.js.gz/index.html', 'g.gz.gz', 'g.gz', '.gz', '.br';
my $names = $api->publish($ann, slug => 'names', visibility => 'public', files => { 'index.html' => "<h1>home</h1>$js", 'a.js' => $js,
	'dir/index.html' => "dir $js", 'folder.js' => $js, 'index.css' => $js, %own,
	'_redirects' => "/b.js /a.js 302\n/gone.js /a.js 302\n" });
ok packed_soon('names', $_), "we pack $_" for '/a.js', '/dir/', '/folder.js', '/';
for my $accept ('identity', 'gzip', 'br', 'gzip, br') {
	my @wrong = grep {
		my $r = get('names', '/' . escaped($_), 'Accept-Encoding' => $accept);
		"$r->{status} $r->{body}" ne "200 $own{$_}" || $r->{headers}{'content-encoding'};
	} sort keys %own;
	is_deeply \@wrong, [], "every file answers with its own bytes, accepting $accept";
	my $r = get('names', '/b.js', 'Accept-Encoding' => $accept);
	is "$r->{status} $r->{headers}{location}", '302 /a.js', "a rule for /b.js holds though b.js.gz was published, accepting $accept";
	is get('names', '/c.js', 'Accept-Encoding' => $accept)->{status}, 404,
		"/c.js was not published though c.js.br was, accepting $accept";
	$r = get('names', '/a.js', 'Accept-Encoding' => $accept);
	is $r->{headers}{'content-encoding'} // 'none', { identity => 'none', gzip => 'gzip' }->{$accept} // 'br',
		"a.js itself is packed, accepting $accept";
	is memGunzip($r->{body}), $js, '... by us' if $accept eq 'gzip';
}
is get('names', $_)->{status}, 404, "$_ is ours and has no address" for '/_headers', '/dir/index.html.br', '/index.html.br',
	'/folder.js.br', '/_vitrine/entry.html', '/_vitrine/entry.html.gz', '/_tree/', '/_vitrine/sw.js';
is_deeply [grep { $api->call(GET => "/v1/artifacts/$names/files/" . escaped($_),
	{ token => $ann->{token}, headers => { 'Accept-Encoding' => 'gzip, br' } })->{body} ne $own{$_} } sort keys %own], [],
	'by the API each file comes as it was published too';
is $stack->ctl('fsck'), 'clean', 'fsck agrees';
for ('_vitrine/sw.js', '_vitrine/manifest.webmanifest', '_vitrine', '_m/index.html', '_m', '_vitrine/entry.html.gz',
	'v1/artifacts/art_0123456789abcdef0123456789', 'v1/artifacts/art_x/data', 'v1/artifacts/self', 'v1/data/x', 'v1/agent/x',
	'v1/proxy/x') {
	my $r = $api->call(POST => '/v1/publish', { token => $ann->{token},
		json => { name => 'x', files => [{ path => 'index.html', content => 'x' }, { path => $_, content => 'x' }] } });
	is "$r->{status} $r->{json}{code}", '400 INVALID_REQUEST', "$_ can't be published: the service answers it itself";
}
my @locations = map { m{^\(\?:(/v1/.*)\)$} ? split(m{\|(?=/)}, $1) : $_ }
	Vitrine::Stack::slurp("$stack->{dir}/nginx/visitor.conf") =~ /^location ~ "\^(\S+)\$"/mg;
cmp_ok scalar @locations, '>', 2, 'there are such addresses';
is_deeply [grep { !m{^/v1/(?:data|agent|proxy)/|^/v1/artifacts/\(\?:art_\[0-9a-z\]\{26\}\|self\)} } @locations], [],
	'... and so is each address of the API that answers on the hosts of pages';

# ---- caches keep the forms of one address apart

$api->publish($ann, slug => 'vary', visibility => 'public',
	files => { 'index.html' => "<p>$js", 'a.js' => $js, 'd.x/index.html' => "<i>$js", 'small.css' => 'b{}' });
ok packed_soon('vary', $_), "packed: $_" for '/a.js', '/', '/d.x/';
for my $path ('/', '/index', '/index.html', '/a.js', '/d.x/', '/small.css') {
	for my $accept ('identity', 'gzip', 'br') {
		my %ask = ('Accept-Encoding' => $accept);
		my $r = get('vary', $path, %ask);
		my $tag = $r->{headers}{etag};
		my $packed = $r->{headers}{'content-encoding'}; # before 1.25, nginx sends such a form whole
		my %reply = (GET => $r, HEAD => $api->site('HEAD', 'vary', $path, %ask),
			304 => get('vary', $path, %ask, 'If-None-Match' => $tag), 206 => get('vary', $path, %ask, Range => 'bytes=0-1'),
			'206 of many' => get('vary', $path, %ask, Range => 'bytes=0-0,2-2'));
		is_deeply { map { $_ => "$reply{$_}{status} " . ($reply{$_}{headers}{vary} // '') } keys %reply },
			{ map { $_ => (/^(304|206)/ && !($1 == 206 && $packed && $reply{$_}{status} == 200) ? $1 : 200)
				. ' Accept-Encoding' } keys %reply },
			"$path as $accept says what it depends on";
		is $reply{HEAD}{headers}{etag}, $tag, '... and HEAD has its ETag';
	}
}
is scalar keys %{{ map { get('vary', '/a.js', 'Accept-Encoding' => $_)->{headers}{etag} => 1 } 'identity', 'gzip', 'br' }}, 3,
	'each form has an ETag of its own';

# ---- a folder gets its slash

my @folders = ('folder.of', 'a b', 'a.b c', 'a?b', 'a.b?c', 'a#b.c', 'a.b#c', '100%', '100%.d', 'a.%41', '%2e%2e.x', 'é', 'é.x', 'a"b.c',
	"a'b.c", 'a&b=c.d', 'a;b.c', 'a+b.c', '$uri.x', '@x.y', '[1].x', '<b>.c',
	'(x).y', 'x,y.z', '~x.y', '日本.語', '😀.x', 'a|b.c', 'a^b.c', '`a.b', '{a}.b', "x\x{2009}y.z", 'index.html/sub.x',
	'evil.example', 'http.x');
$api->publish($ann, slug => 'slash', visibility => 'public', entrypoint => 'page.html', files => { 'page.html' => 'x', 'e.html' => 'e',
	'folder.of/parts.x/y.txt' => 'y', map { ("$_/index.html" => "page of $_") } grep { !m{^index\.html/} } @folders });
for my $name (grep { !m{^index\.html/} } @folders) {
	my $r = get('slash', '/' . escaped($name) . '?q=%20a&b');
	my $at = ($r->{headers}{location} // '') =~ s{^([^?]*)}{escaped(decode_utf8(url_decoded($1)))}er;
	is "$r->{status} $at", ($name =~ /\./ ? 301 : 308) . ' /' . escaped($name) . '/?q=%20a&b', "a folder named $name";
	like $r->{headers}{location} // '', qr{^/[!-~]+$}, '... in an address as it must be';
	$r = get('slash', $r->{headers}{location} // '/nothing');
	ok decode_utf8($r->{body}) eq "page of $name", '... leads to its page';
}
is get('slash', '/folder.of/parts.x/')->{status}, 404, 'a folder without a page is nothing';
is get('slash', '/' . escaped($_))->{status}, 404, "$_ leads nowhere else" for '/nothing.x', '/a.b';
for ('//evil.example', '/%2Fevil.example', '/%2F%2Fevil.example', '/%5Cevil.example', '/%5C%5Cevil.example', '/.%0D%0AX:%20y',
	'///evil.example', '/e/..//evil.example', '/%09/evil.example') {
	my $r = get('slash', $_);
	unlike $r->{headers}{location} // '', qr{^(?:https?:)?//(?!slash\.pages\.localhost)|^/\\|\n}, "$_ leads to no other host";
}

# ---- names that an address has to be careful with, from nginx and from the gate

my @odd = ('a b.txt', 'a?b.txt', 'a#b.txt', '100%.txt', '%41.txt', 'a%2Fb.txt', '%2e%2e.txt', '%.txt', 'é.txt', 'a"b.txt', "a'b.txt",
	'a&b=c.txt', 'a;b.txt', 'a+b.txt', '$uri.txt', '@x.txt', '[1].txt', '<b>.txt', '(x).txt',
	'x,y.txt', '~x.txt', '~', '日本.txt', '😀.txt', 'a|b.txt', '{a}.txt', '-', '...x', 'x=y', 'noext', 'no ext', 'é', '%',
	'n' x 251 . '.txt', join('/', ('d' x 100) x 10) . '.css',
	'index.htm', 'x.html.html', '.hidden', '.html', 'a.HTML', 'con.txt', 'a..b.txt', 'a.tar.gz', 'a b.br');
my %odd = map { ($_ => "bytes of $_" . ' x' x 200) } @odd;
for (['odd', 'public', 'by nginx'], ['odd-gated', 'public', 'with headers', _headers => "/*\n  X-Robots-Tag: none\n"]) {
	my ($slug, $visibility, $what, %rules) = @$_;
	my $id = $api->publish($ann, slug => $slug, visibility => $visibility, files => { 'index.html' => 'x', %odd, %rules });
	is_deeply [grep { decode_utf8(get($slug, '/' . escaped($_))->{body}) ne $odd{$_} } @odd], [], "odd names are served $what";
	is_deeply [grep {
		decode_utf8($api->call(GET => "/v1/artifacts/$id/files/" . escaped($_), { token => $ann->{token} })->{body}) ne $odd{$_};
	} @odd], [], '... and by the API';
	my $zip = $api->call(GET => "/v1/artifacts/$id/versions/1/export", { token => $ann->{token} })->{body};
	my ($body, $type) = form(['manifest', '{"name":"back","entrypoint":"index.html","files":[{"path":"index.html"}]}',
		undef, 'application/json'], ['archive', $zip, 'a.zip', 'application/zip']);
	my $back = $api->call(POST => '/v1/publish', { token => $ann->{token}, body => $body, type => $type });
	is $back->{status}, 201, '... and an export of them can be published again' or diag $back->{body};
	my @sums = map {
		$stack->db->selectcol_arrayref('SELECT CONCAT(path, HEX(sha256)) FROM version_file WHERE artifact_id = ? ORDER BY 1',
			undef, $_);
	} $id, $back->{json}{artifact}{id};
	is_deeply $sums[1], $sums[0], '... with the same names and bytes';
}

# ---- pieces of a file

my $text = join '', map { sprintf "%05d\n", $_ } 1 .. 1000;
my $n = length $text;
my %files = ('index.html' => 'x', 'plain.bin' => $text, 'headed.bin' => $text,
	'typed.dat' => { content => $text, mime => 'application/x-thing' }, 'packed.gz' => $text, 'empty.bin' => '', 'headed.empty' => '',
	'_headers' => "/headed.*\n  X-Robots-Tag: none\n/headed.bin\n  X-Robots-Tag: none\n/headed.empty\n  X-Robots-Tag: none\n");
$api->publish($ann, slug => 'ranges', visibility => 'public', files => \%files);
$api->publish($ann, slug => 'hidden', visibility => 'private', files => \%files);
my $password = 'correct horse 9 battery';
$stack->ctl_in($password, 'user', 'password', 'ann@example.org');
my $v = Vitrine::Visitor->new($api);
$v->sign_in('ann@example.org', $password);
my $viewer = $v->viewer_cookie("hidden.pages.localhost", "https://hidden.pages.localhost:$stack->{port}/");
my %cookie = (Cookie => $viewer);
is get('hidden', '/plain.bin', %cookie)->{body}, $text, 'a private page, signed in';

sub parts {
	my ($r) = @_;
	my ($boundary) = ($r->{headers}{'content-type'} // '') =~ m{^multipart/byteranges; boundary=(\S+)} or return 'no parts';
	return join '|', map { /Content-Range: bytes (\S+)\r\n\r\n(.*)\r\n\z/s ? "$1=$2" : () } split /--\Q$boundary\E(?:--)?/, $r->{body};
}
my @ways = (['ranges', '/plain.bin', "nginx's own"], ['ranges', '/headed.bin', 'with headers of its own'],
	['ranges', '/typed.dat', 'of a declared type'], ['ranges', '/packed.gz', 'published packed'],
	['ranges--v1', '/plain.bin', "a version's"], ['hidden', '/plain.bin', 'a private one', %cookie],
	['hidden', '/typed.dat', 'a private one of a declared type', %cookie]);
for my $way (@ways) {
	my ($slug, $path, $what, %with) = @$way;
	my $ask = sub { my ($range, %more) = @_; return get($slug, $path, %with, Range => $range, %more) };
	my $whole = get($slug, $path, %with);
	my $tag = $whole->{headers}{etag};
	is "$whole->{status} $whole->{body} $whole->{headers}{'accept-ranges'}", "200 $text bytes", "$what: whole";
	like $tag, qr/^"[^"]+"$/, '... with a strong ETag';
	is $whole->{headers}{'last-modified'}, undef, '... and no date that would validate';
	for (['bytes=0-0', 0, 1], ['bytes=6-11', 6, 6], ['bytes=5994-', 5994, 6], ['bytes=-6', $n - 6, 6], ["bytes=-99999", 0, $n],
		["bytes=10-99999", 10, $n - 10], ['bytes=0-', 0, $n]) {
		my ($range, $at, $length) = @$_;
		my $r = $ask->($range);
		is "$r->{status} $r->{headers}{'content-range'} $r->{body}",
			"206 bytes $at-" . ($at + $length - 1) . "/$n " . substr($text, $at, $length), "$what: $range";
		is $r->{headers}{etag}, $tag, '... with the ETag of the whole';
	}
	for ("bytes=$n-", 'bytes=99999-100000', 'bytes=-0', 'bytes=5-2', 'bytes=x-y') {
		my $r = $ask->($_);
		is "$r->{status} " . ($r->{headers}{'content-range'} // ''), "416 bytes */$n", "$what: $_ can't be satisfied";
	}
	is parts($ask->('bytes=0-1,6-7,-2')), "0-1/$n=00|6-7/$n=00|" . ($n - 2) . '-' . ($n - 1) . "/$n=0\n", "$what: three pieces";
	is parts($ask->("bytes=0-1,$n-")) =~ s/^no parts$/one/r, 'one', "$what: one of two that can be satisfied";
	my $many = $ask->('bytes=' . join ',', map { '0-' } 1 .. 200);
	is "$many->{status} " . length $many->{body}, "200 $n", "$what: two hundred times the whole is the whole, once";
	is $ask->('lines=1-2')->{status}, 200, "$what: a unit nobody knows is ignored";
	is $ask->('bytes=0-1', 'If-Range' => $tag)->{status}, 206, "$what: If-Range with the ETag";
	is $ask->('bytes=0-1', 'If-Range' => $_)->{status}, 200, "$what: If-Range with $_ gives the whole"
		for '"other"', "W/$tag", 'Sat, 21 Nov 2026 10:00:00 GMT';
	is $ask->('bytes=0-1', 'If-None-Match' => $tag)->{status}, 304, "$what: what is unchanged is not sent in pieces either";
}
is_deeply [map { @{get('ranges', $_, Range => 'bytes=0-0')}{qw(status body)} } '/empty.bin', '/headed.empty'], [200, '', 200, ''],
	'an empty file has no pieces, and is sent as it is';
my $json = get('hidden', '/plain.bin', Range => 'bytes=0-5');
is $json->{status}, 404, 'nobody gets a piece of a private file';
unlike $json->{body}, qr/00001/, '... of its bytes neither';

# ---- an export has no pieces

my $art = $api->publish($ann, slug => 'export', files => { 'index.html' => $js });
my $export = sub { $api->call($_[1] // 'GET', "/v1/artifacts/$art/versions/1/export", { token => $ann->{token}, headers => $_[0] }) };
my $zip = $export->({});
is "$zip->{status} $zip->{headers}{'accept-ranges'}", '200 none', 'an export says that it has no ranges';
for ('bytes=0-1', 'bytes=5-', 'bytes=0-0,2-2', 'bytes=99999999-') {
	my $r = $export->({ Range => $_ });
	is "$r->{status} " . ($r->{headers}{'content-range'} // ''), '200 ', "$_ of an export is not obeyed";
	ok $r->{body} eq $zip->{body}, '... but answered by all of it';
}
is $export->({}, 'HEAD')->{headers}{'accept-ranges'}, 'none', 'HEAD says so too';
my %file = (token => $ann->{token});
my $object = sub { $api->call(GET => "/v1/artifacts/$art/files/index.html", { %file, headers => { 'Accept-Encoding' => 'gzip', @_ } }) };
my $tag = $object->()->{headers}{etag};
is_deeply [map { $object->(Range => "bytes=$_")->{status} } '0-5', '-1', '99999-', '0-1,3-4'], [206, 206, 416, 206],
	'a file of it, by the API, has';
is $object->(Range => 'bytes=0-5')->{body}, 'export', '... its bytes';
is_deeply [map { $object->(Range => 'bytes=0-5', 'If-Range' => $_)->{status} } $tag, '"other"'], [206, 200],
	'... if they are still the same';

# ---- names in what we draw

for my $cp (1 .. 0x1f, 0x7f .. 0x9f, 0xfdd0, 0xfffd .. 0xffff, 0x1fffe, 0x10ffff) {
	my $name = sprintf('before%s&<after', chr $cp);
	$stack->db->do('UPDATE artifact SET name = ? WHERE id = ?', undef, $name, $art);
	my $svg = $api->call(GET => "/v1/artifacts/$art/thumbnail", { token => $ann->{token} });
	my $legal = $cp >= 0x20 && $cp != 0xfffe && $cp != 0xffff;
	ok index(decode_utf8($svg->{body}), 'before' . ($legal ? chr $cp : '') . '&amp;&lt;after') >= 0,
		sprintf 'U+%04X in a name: the card has %s', $cp, $legal ? 'it' : 'none';
}
finish($stack);
