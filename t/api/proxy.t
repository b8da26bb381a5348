# SPDX-License-Identifier: Apache-2.0
# The cross-origin proxy: from hosts that the owner lists, for whoever sees the page, and never to the inside, however that is spelt.
# Nothing of the visitor goes there, and nothing but status, type and body comes back.
use Compress::Zlib ();
use File::Temp;
use IO::Socket::INET;
use IO::Socket::SSL;
use POSIX ();
use Time::HiRes qw(sleep time);
use Vitrine::Visitor;
use Vitrine::Words qw(as refused);

my $tls = $ENV{VITRINE_VAR} . '/tls-test';
Vitrine::Stack::make_tls($tls);

# Two servers that may be reached, with TLS and without, and a sink that may not and counts who came.
my ($server, $plain, $sink) = map { IO::Socket::INET->new(Listen => 64, LocalAddr => '127.0.0.1') // die } 1 .. 3;
my ($port, $clear, $inner) = map { $_->sockport } $server, $plain, $sink;
my ($hits, $asked, $sent) = map { File::Temp->new } 1 .. 3;
my @kids;
sub serve {
	my ($listen, $do) = @_;
	my $pid = fork // die;
	push @kids, $pid and return if $pid;
	$SIG{CHLD} = 'IGNORE';
	$SIG{PIPE} = 'IGNORE';
	# Whoever reads what the test says waits for nobody else.
	open $_, '>', '/dev/null' for *STDOUT, *STDERR;
	while (1) {
		my $c = $listen->accept // next;
		next if fork;
		eval { $do->($c) };
		POSIX::_exit(0);
	}
}
my %types = (json => 'application/json; charset=utf-8', problem => 'application/problem+json',
	csv => 'text/csv; charset="ISO-8859-1"; header=present', text => 'text/plain', markdown => 'text/markdown',
	xml => 'text/xml', png => 'image/png', svg => 'image/svg+xml', html => 'text/html', xhtml => 'application/xhtml+xml',
	js => 'text/javascript', css => 'text/css', pdf => 'application/pdf',
	none => '', odd => 'text/html, application/json', loud => 'TEXT/CSV', sly => 'text/plain; charset=utf-8"<script>');
sub answer {
	my ($c) = @_;
	my $head = '';
	while ($head !~ /\r\n\r\n/) { sysread $c, $head, 4096, length $head or return }
	syswrite $asked, $head;
	my ($path) = $head =~ m{^\S+ (\S+)};
	my $whole = sub { my $at = 0; while ($at < length $_[0]) { $at += syswrite($c, $_[0], 65536, $at) // last } };
	my $reply = sub {
		my ($status, $more, $body) = @_;
		$whole->("HTTP/1.1 $status X\r\nContent-Length: " . length($body) . "\r\nConnection: close\r\n$more\r\n$body");
	};
	my $to = sub { $reply->($_[1] // 302, "Location: $_[0]\r\n", '') };
	my $flood = sub {
		my $from = time;
		while (time - $from < 20) { my $n = syswrite $c, $_[0] or last; print {$sent} 'x' x ($n / 1024); $sent->flush }
	};
	if ($path =~ m{^/type/(\w+)}) { $reply->(200, $types{$1} eq '' ? '' : "Content-Type: $types{$1}\r\n", "body of $1") }
	elsif ($path =~ m{^/status/(\d+)}) {
		my $n = $1;
		$reply->($n, "Content-Type: application/json\r\n", $n == 204 || $n == 304 ? '' : qq({"status":$n}));
	}
	elsif ($path eq '/cookies') {
		$reply->(200, "Content-Type: text/plain\r\nSet-Cookie: a=b\r\nSet-Cookie: __Host-vitrine_viewer=x; Secure; Path=/\r\n"
			. "X-Secret: 1\r\nAccess-Control-Allow-Origin: *\r\nAccess-Control-Allow-Credentials: true\r\n"
			. "Link: </x>; rel=preload\r\nRefresh: 0; url=https://evil.example/\r\nContent-Security-Policy: default-src *\r\n"
			. "Cache-Control: public, max-age=9999\r\nX-Accel-Redirect: /_objects/00/00\r\nX-Accel-Buffering: no\r\n"
			. "Strict-Transport-Security: max-age=0\r\nWWW-Authenticate: Basic\r\nClear-Site-Data: \"*\"\r\nETag: \"x\"\r\n",
			'x') }
	elsif ($path =~ m{^/away/(\d+)}) { $to->("https://localhost:$port/type/json", $1) }
	elsif ($path eq '/unlisted') { $to->("https://vitrine.localhost:$port/type/json") }
	elsif ($path eq '/inside') { $to->("https://localhost:$inner/") }
	elsif ($path eq '/down') { $to->("http://localhost:$clear/type/json") }
	elsif ($path eq '/file') { $to->('file:///etc/passwd') }
	elsif ($path eq '/user') { $to->("https://a:b\@localhost:$port/type/json") }
	elsif ($path eq '/round') { $to->("https://localhost:$port/round") }
	elsif ($path eq '/chain3') { $to->("https://localhost:$port/chain2") }
	elsif ($path eq '/chain2') { $to->("https://localhost:$port/away/302") }
	elsif ($path eq '/chain4') { $to->("https://localhost:$port/chain3") }
	elsif ($path =~ m{^/bytes/(\d+)}) { $reply->(200, "Content-Type: text/plain\r\n", 'x' x $1) }
	elsif ($path eq '/endless') {
		syswrite $c, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n";
		$flood->('x' x 65536);
	}
	elsif ($path eq '/headers') { syswrite $c, "HTTP/1.1 200 OK\r\n"; $flood->(join '', map { "X-$_: y\r\n" } 1 .. 5000) }
	elsif ($path eq '/line') { syswrite $c, "HTTP/1.1 200 OK\r\nX-Long: "; $flood->('y' x 65536) }
	elsif ($path eq '/infos') { $flood->("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" x 100) }
	elsif ($path eq '/bomb') {
		my $b = Compress::Zlib::memGzip("\0" x (32 << 20));
		$reply->(200, "Content-Type: text/plain\r\nContent-Encoding: gzip\r\n", $b);
	}
	elsif ($path eq '/short') { syswrite $c, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\nx" }
	elsif ($path eq '/drip') {
		syswrite $c, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n";
		for (1 .. 60) { syswrite $c, 'x' or last; sleep 1 }
	}
	elsif ($path eq '/hold') { sleep 60 }
	elsif ($path eq '/garbage') { syswrite $c, "\0\1\2 no HTTP\r\n\r\n" }
	elsif ($path eq '/split') {
		syswrite $c,
			"HTTP/1.1 200 OK\r\nContent-Type: text/plain\nSet-Cookie: a=b\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx";
	}
	else { $reply->(404, '', '') }
}
serve($server, sub {
	my $c = shift;
	IO::Socket::SSL->start_SSL($c, SSL_server => 1, SSL_cert_file => "$tls/cert.pem", SSL_key_file => "$tls/key.pem") and answer($c);
	close $c;
});
serve($plain, sub { answer($_[0]); close $_[0] });
serve($sink, sub { syswrite $hits, "hit\n"; close $_[0] });

# A proxy that the environment names is not used, nor one that a client sends.
my $stack = do {
	local @ENV{qw(http_proxy https_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY all_proxy)} = ("http://127.0.0.1:$inner") x 6;
	Vitrine::Stack->new(workers => 2, slow_workers => 8, egress_allow => "127.0.0.1:$port 127.0.0.1:$clear",
		proxied_per_minute => 10000);
};
my $api = Vitrine::Api->new($stack);
my ($ann, $ben, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben eve);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for qw(ann ben);
my %art = map { $_ => $api->publish($ann, slug => $_, visibility => $_) } qw(public private);
my $private = "/v1/artifacts/$art{private}";
$api->call(POST => "$private/collaborators", { token => $ann->{token}, json => { emails => ['ben@example.org'], role => 'viewer' } });

sub through {
	my ($url, $who, $art) = @_;
	return as($who // $ann, GET => "/v1/proxy/" . ($art // $art{private}) . '?url=' . Vitrine::Visitor::escape($url));
}
sub list { my ($who, @hosts) = @_; return as($who, PUT => "$private/proxy", { hosts => \@hosts }) }

# ---- the list

is_deeply as($ann, GET => "$private/proxy")->{json}, { success => Cpanel::JSON::XS::true, proxy => { hosts => [] } },
	'no host is listed at first';
refused(through("https://localhost:$port/type/json"), '403 ACCESS_DENIED', 'so nothing is fetched, by the owner neither');
is -s $asked->filename, 0, '... or asked for';
is_deeply list($ann, 'localhost', 'API.Example.org', 'api.example.org', '127.0.0.1', 'LOCALHOST.', "b\x{fc}cher.example",
		'xn--bcher-kva.example')->{json}{proxy}{hosts}, ['127.0.0.1', 'api.example.org', 'localhost', 'xn--bcher-kva.example'],
	'the owner lists hosts: once each, as DNS has them';
refused(list($ben, 'evil.example'), '403 ACCESS_DENIED', 'a viewer does not');
is_deeply as($ben, GET => "$private/proxy")->{json}{proxy}{hosts}[1], 'api.example.org', 'but sees them';
refused(as($eve, GET => "$private/proxy"), '404 NOT_FOUND', 'a stranger sees nothing');
refused(as($eve, GET => "/v1/artifacts/$art{public}/proxy"), '403 ACCESS_DENIED', 'of a public one neither');
refused(list($ann, $_), '400 INVALID_REQUEST', "'" . ($_ // 'null') . "' is no host")
	for '', 'https://api.example.org', 'api.example.org/', 'api.example.org:8080', '*.example.org', '*', 'a b', 'a..b', '.a', 'a..',
	'.', '-a.example', 'a-.example', "a\nb", "\x{e9}_.example", '[::1]',
	'a@b', 'x' x 64 . '.example', 1, undef, ['a'];
refused(list($ann, $_), '400 INVALID_REQUEST', "$_ is ours")
	for 'vitrine.localhost', 'pages.localhost', 'public.pages.localhost', 'Private.Pages.Localhost';
refused(list($ann, map { "h$_.example" } 1 .. 51), '400 INVALID_REQUEST', 'fifty at most');
is scalar @{as($ann, GET => "$private/proxy")->{json}{proxy}{hosts}}, 4, 'a refusal changes nothing';

# ---- what comes back

my $r = through("https://localhost:$port/type/json");
is_deeply [$r->{status}, $r->{body},
	@{$r->{headers}}{qw(content-type content-disposition content-security-policy cache-control x-vitrine-proxied)}],
	[200, 'body of json', 'application/json', 'inline', "sandbox; default-src 'none'", 'no-store', 1], 'status, body and type'
	or diag $r->{body};
my %shown = (json => 'application/json', problem => 'application/json', csv => 'text/csv; charset=ISO-8859-1', text => 'text/plain',
	markdown => 'text/plain', xml => 'text/plain', png => 'image/png', loud => 'text/csv', sly => 'text/plain; charset=utf-8');
for my $type (sort keys %types) {
	$r = through("https://localhost:$port/type/$type");
	is "$r->{headers}{'content-type'} $r->{headers}{'content-disposition'}",
		$shown{$type} ? "$shown{$type} inline" : 'application/octet-stream attachment', $types{$type} || 'no type';
	is "$r->{status} $r->{body} $r->{headers}{'x-content-type-options'}", "200 body of $type nosniff", '... as it is';
}
for my $status (200, 201, 206, 400, 401, 403, 404, 410, 418, 429, 451, 500, 502, 503, 599) {
	$r = through("https://localhost:$port/status/$status");
	is "$r->{status} $r->{body}", qq($status {"status":$status}), "the status $status is the other server's";
	is $r->{headers}{'www-authenticate'}, undef, '... and ours says nothing with it';
}
is through("https://localhost:$port/status/204")->{status}, 204, 'one without a body';
refused(through("https://localhost:$port/status/$_"), '502 UPSTREAM_FAILED', "the status $_, which says nothing here")
	for 300, 304, 399, 600, 999;
$r = through("https://localhost:$port/cookies");
is "$r->{status} $r->{body}", '200 x', 'an answer with much in its head';
is $r->{headers}{$_}, undef, "... of which $_ stays there" for qw(set-cookie x-secret link refresh www-authenticate clear-site-data etag
	access-control-allow-credentials access-control-allow-origin x-accel-redirect);
is $r->{headers}{'strict-transport-security'}, 'max-age=31536000', '... as does its word on TLS';
$r = through("https://localhost:$port/split");
is $r->{headers}{'set-cookie'}, undef, 'nor does a cookie behind a bare line feed come through';
is as($ann, HEAD => "/v1/proxy/$art{private}?url=" . Vitrine::Visitor::escape("https://localhost:$port/type/json"))->{body}, '', 'HEAD';

# ---- what goes there

my $before = -s $asked->filename;
$api->call(GET => "/v1/proxy/$art{private}?url=" . Vitrine::Visitor::escape("http://localhost:$clear/type/json?a=b&c=d#fragment"),
	{ token => $ann->{token},
		headers => { Cookie => 'vitrine_access=secret', Referer => 'https://x.example/', Origin => 'https://x.example',
			'X-Forwarded-For' => '1.2.3.4', Proxy => "http://127.0.0.1:$inner", 'Accept-Language' => 'de', Range => 'bytes=0-1',
			'If-None-Match' => '"x"', 'User-Agent' => 'Mine/1.0' } });
my $head = substr Vitrine::Stack::slurp($asked->filename), $before;
like $head, qr{^GET /type/json\?a=b&c=d HTTP/1\.1\r\n}, 'the address, without its fragment';
is join(' ', sort map { lc } $head =~ /^([\w-]+):/mg), 'accept host user-agent', 'and nothing of the visitor';
unlike $head, qr/secret|x\.example|1\.2\.3\.4|Mine/, '... whatever they sent';

# ---- addresses

for my $url ('', 'x', '/v1/me', '//localhost/', "file:///etc/passwd", 'FILE:///etc/passwd', 'gopher://localhost/', 'ftp://localhost/',
	'dict://localhost:11211/', 'scp://localhost/', 'data:text/plain,x', 'javascript:1',
	"https://a:b\@localhost:$port/", "https://a\@localhost:$port/", "https://localhost:$port/\r\nX: y", "https://localhost:$port/ x",
	"hTTps://localhost:$port/", 'https://evil.example%5c@localhost/', 'https://evil.example\\@localhost/', 'https://', 'https:///x',
	'https://' . 'x' x 2050, "https://local\0host/") {
	refused(through($url), '400 INVALID_REQUEST', 'no address: ' . substr $url =~ s/[^ -~]/./gr, 0, 40);
}
refused(as($ann, GET => "/v1/proxy/$art{private}"), '400 INVALID_REQUEST', 'no address at all');
refused(through($_), '403 ACCESS_DENIED', "not listed: $_")
	for 'https://example.org/', "https://localhost.:$port/", "https://localhost.evil.example/", "https://evil.example/localhost",
	"https://evil.example#\@localhost/", "https://evil.example?\@localhost/", 'https://0x7f.1.evil.example/',
	'https://vitrine.localhost/', "https://[::1]:$port/";
is through("https://LOCALHOST:$port/type/json")->{status}, 200, 'in any case';
refused(through("https://127.0.0.1:$port/type/json"), '502 UPSTREAM_FAILED', 'a certificate for another name');

# Each of these is listed, as far as it can be, and leads to the inside: other ports of this machine, in any spelling.
for my $host (qw(127.0.0.1 127.1 2130706433 0x7f.1 0x7f000001 017700000001 0177.1 localhost 0 0.0.0.0 169.254.169.254 10.0.0.1 100.64.0.1
	192.168.0.1)) {
	my $said = through("http://$host:$inner/");
	like "$said->{status} $said->{json}{code}", qr/^(?:502 UPSTREAM_FAILED|403 ACCESS_DENIED)$/, "http://$host is not reached";
}
$stack->db->do("INSERT INTO proxy_host VALUES (?, ?)", undef, $art{private}, $_) for '0.0.0.0', '169.254.169.254', '10.0.0.1', '[::1]',
	'[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[fd00::1]', 'ip6-localhost';
for my $host (qw(0.0.0.0 0 169.254.169.254 10.0.0.1 [::1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::] [64:ff9b::7f00:1] [2002:7f00:1::]
	[fd00::1] ip6-localhost)) {
	refused(through("http://$host:$inner/"), '502 UPSTREAM_FAILED', "nor http://$host, were it listed");
}
refused(through("http://localhost:$_/"), '502 UPSTREAM_FAILED', "nor the port $_") for 22, 25, 3306, 6379, 9000, $stack->{port};
is -s $hits->filename, 0, 'the sink saw nobody, by no proxy either';

# ---- redirects

is through("https://localhost:$port/away/$_")->{body}, 'body of json', "a redirect by $_ is followed" for 301, 302, 303, 307, 308;
is through("https://localhost:$port/chain3")->{status}, 200, 'three of them';
refused(through("https://localhost:$port/$_->[0]"), '502 UPSTREAM_FAILED', $_->[1])
	for ['chain4', 'but not four'], ['round', 'nor for ever'], ['unlisted', 'nor to a host that is not listed'],
	['inside', 'nor to the inside'], ['down', 'nor from https to http'],
	['file', 'nor to a file'], ['user', 'nor with a password'];
is -s $hits->filename, 0, 'the sink saw nobody';
unlike through("https://localhost:$port/inside")->{body}, qr/refused|private|inside|curl|fetching/i, 'why it failed is told to nobody';

# ---- too much

is length through("https://localhost:$port/bytes/5242880")->{body}, 5 << 20, 'five mebibytes';
refused(through("https://localhost:$port/bytes/5242881"), '502 UPSTREAM_FAILED', 'and not one byte more');
for my $much (qw(endless headers line infos bomb)) {
	my $before = -s $sent->filename;
	refused(through("https://localhost:$port/$much"), '502 UPSTREAM_FAILED', "$much is stopped");
	# What was sent beyond 5 MiB lies in buffers of the kernel.
	cmp_ok +(-s $sent->filename) - $before, '<', 16 << 10, '... soon' if $much ne 'bomb';
}
refused(through("https://localhost:$port/$_"), '502 UPSTREAM_FAILED', "$_ is no answer") for qw(short garbage);
refused(through('https://api.example.org/'), '502 UPSTREAM_FAILED', 'a name that leads nowhere');
my $memory = 0;
for my $pid ($stack->workers('slow')) {
	my ($kb) = Vitrine::Stack::slurp("/proc/$pid/status") =~ /VmRSS:\s+(\d+)/;
	$memory = $kb if $kb > $memory;
}
cmp_ok $memory, '<', 400_000, "no worker has grown: $memory kB";

# ---- slow

my @waiting;
sub in_background {
	my ($do) = @_;
	my $pid = fork // die;
	return push @waiting, $pid if $pid;
	$stack->{owner} = -1;
	my $ok = eval { $do->() };
	POSIX::_exit($ok ? 0 : 1);
}
for my $slow (qw(drip hold)) {
	my $from = time;
	refused(through("https://localhost:$port/$slow"), '502 UPSTREAM_FAILED', "$slow is given up");
	cmp_ok time - $from, '<', 30, '... in the end';
}

# Two that hang are as many as an artifact may have; others have theirs, and quick requests are answered.
$api->call(PUT => "/v1/artifacts/$art{public}/proxy", { token => $ann->{token}, json => { hosts => ['localhost'] } });
sub busy {
	my $c = IO::Socket::UNIX->new("$stack->{run}/metrics.sock") // die;
	print $c "GET / HTTP/1.0\r\n\r\n";
	my $n = 0;
	while (<$c>) { $n += $1 if /^vitrine_workers_busy.*slow.* (\d+)/ }
	return $n;
}
for my $who ($ann, $ben) {
	in_background(sub { Vitrine::Api->new($stack)->call(GET => "/v1/proxy/$art{private}?url="
		. Vitrine::Visitor::escape("https://localhost:$port/hold"), { token => $who->{token} })->{status} == 502 });
}
for (1 .. 200) { last if busy() >= 2; sleep 0.02 }
is busy(), 2, 'two wait for a server that hangs';
# A worker is busy a moment before it waits.
for (1 .. 50) { $r = through("https://localhost:$port/type/json"); last if $r->{status} == 429; sleep 0.02 }
is "$r->{status} $r->{json}{code} $r->{headers}{'retry-after'}", '429 RATE_LIMITED 1', 'a third of the same artifact is told to come again';
is through("https://localhost:$port/type/json", $ann, $art{public})->{status}, 200, 'one of another is answered';
is as($ben, GET => '/v1/auth/me')->{status}, 200, 'and whoever wants something else';
kill 'KILL', @waiting;
waitpid $_, 0 for @waiting;

# ---- who may

refused(through("https://localhost:$port/type/json", $eve), '404 NOT_FOUND', 'a stranger, of a private artifact');
refused(through("https://localhost:$port/type/json", $eve, $art{public}), '403 ACCESS_DENIED', 'of a public one, by the API');
refused(as(undef, GET => "/v1/proxy/$art{public}?url=x"), '401 UNAUTHENTICATED', 'nor does nobody');
for (1 .. 300) { last if !busy(); sleep 0.1 }
is through("https://localhost:$port/type/json", $ben)->{status}, 200, 'a viewer may';
sub on_host {
	my ($slug, $art, %headers) = @_;
	my $r = $api->get_site($slug, "/v1/proxy/$art?url=" . Vitrine::Visitor::escape("https://localhost:$port/type/html"), %headers);
	$r->{json} = eval { $api->{json}->decode($r->{body}) };
	return $r;
}
$r = on_host('public', $art{public});
is "$r->{status} $r->{body} $r->{headers}{'content-type'}", '200 body of html application/octet-stream',
	'on its own host the page of a public one may, whoever looks at it';
is $r->{headers}{$_}, undef, "without $_" for qw(access-control-allow-origin set-cookie);
is on_host('public', $art{private})->{status}, 404, 'not for another artifact';
is on_host('private', $art{private})->{status}, 404, 'nor of a private one for a stranger';
my $v = Vitrine::Visitor->new($api);
$v->sign_in('ben@example.org', 'the password');
my $cookie = $v->viewer_cookie("private.pages.localhost", "https://private.pages.localhost:$stack->{port}/");
is on_host('private', $art{private}, Cookie => $cookie)->{status}, 200, 'who is let in may';
$stack->db->do('UPDATE token SET scopes = ? WHERE user_id = ?', undef, 1, $ben->{id});
refused(through("https://localhost:$port/type/json", $ben), '403 INSUFFICIENT_SCOPE', 'a token needs data:read');

# ---- the page of settings

$v = Vitrine::Visitor->new($api);
$v->sign_in('ann@example.org', 'the password');
$v->go("/a/$art{public}/settings");
like $v->submit(qr{/proxy$}, { hosts => " One.example \r\n\r\ntwo.example\r\n" })->{text}, qr{>one\.example\ntwo\.example</textarea>},
	'a line each';
is $v->submit(qr{/proxy$}, { hosts => 'https://x.example/' })->{status}, 400, 'what is none is refused';
$api->call(DELETE => "/v1/artifacts/$art{public}?purge=1", { token => $ann->{token} });
$stack->runner;
is $stack->db->selectrow_array('SELECT COUNT(*) FROM proxy_host WHERE artifact_id = ?', undef, $art{public}), 0,
	'a purge takes the list along';

# ---- the limit

my $few = Vitrine::Stack->new(workers => 1, slow_workers => 4, egress_allow => "127.0.0.1:$port", proxied_per_minute => 3);
my $other = Vitrine::Api->new($few);
my $zoe = $few->user('zoe@example.org');
my $hers = $other->publish($zoe, slug => 'hers', visibility => 'public');
$other->call(PUT => "/v1/artifacts/$hers/proxy", { token => $zoe->{token}, json => { hosts => ['localhost'] } });
# A window may end between two of them.
my (%window, $over);
for (1 .. 12) {
	$over = $other->get_site('hers', "/v1/proxy/$hers?url=" . Vitrine::Visitor::escape("https://localhost:$port/type/json"));
	last if $over->{status} == 429;
	is "$over->{status} $over->{headers}{'x-ratelimit-remaining'}", '200 ' . (3 - ++$window{$over->{headers}{'x-ratelimit-reset'}}),
		'each reply tells how many are left';
}
is $window{$over->{headers}{'x-ratelimit-reset'}}, 3, 'so many a minute';
like $over->{headers}{'retry-after'}, qr/^[1-9]\d?$/, 'and when to come again';
$few->finish;

kill 'KILL', @kids;
waitpid $_, 0 for @kids;
finish($stack);
