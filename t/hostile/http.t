# SPDX-License-Identifier: Apache-2.0
# HTTP as no browser sends it: requests that nginx refuses by itself, bodies that nobody has asked for, and clients that take their time.
use IO::Select;
use IO::Socket::SSL;
use Time::HiRes qw(sleep time);
use Vitrine::Words;

my ($stack, $api) = stack(workers => 2, client_header_s => 2, client_body_s => 2, client_send_s => 2, client_requests => 20, http => 1);
my $ann = $stack->user('ann@example.org');
$api->publish($ann, slug => 'page', visibility => 'public', files => { 'index.html' => 'x', 'large.bin' => 'x' x 20_000_000 });
my ($app, $site) = ('vitrine.localhost', 'page.pages.localhost');
sub slurp { return Vitrine::Stack::slurp($_[0]) }
sub from {
	my ($address, $host) = @_;
	return IO::Socket::SSL->new(PeerHost => '127.0.0.1', PeerPort => $stack->{port}, LocalAddr => $address, SSL_verify_mode => 0,
		SSL_hostname => $host // $app) // die;
}
sub send_all { my ($c, $bytes) = @_; for (my $at = 0; $at < length $bytes;) { $at += syswrite($c, $bytes, 16384, $at) || last } }
# What comes within the seconds, up to an end of the connection: (bytes, whether it ended).
sub hear {
	my ($c, $seconds, $enough) = @_;
	my ($until, $got) = (time + $seconds, '');
	while (time < $until && !($enough && $got =~ $enough)) {
		next if !$c->pending && !IO::Select->new($c)->can_read(0.1);
		sysread($c, $got, 65536, length $got) or return ($got, 1);
	}
	return ($got, 0);
}
sub answer {
	my ($host, $bytes) = @_;
	my $c = from('127.0.0.1', $host);
	local $SIG{PIPE} = 'IGNORE';
	send_all($c, $bytes);
	return (hear($c, 10, qr/\r\n\r\n.+/s))[0];
}

# ---- what nginx refuses by itself

for my $case (['a version of HTTP that there is not', 505, "GET /v1/x HTTP/3.0\r\nHost: HOST\r\n\r\n"],
	['a transfer encoding that there is not', 501, "POST /v1/x HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: gzip\r\n\r\n"],
	['half of a request line', 400, "GET\r\n\r\n"],
	['a length below zero', 400, "GET /v1/x HTTP/1.1\r\nHost: HOST\r\nContent-Length: -4\r\n\r\n"],
	['a tunnel', 400, "CONNECT a:1 HTTP/1.1\r\nHost: HOST\r\n\r\n"],
	['two lengths', 400, "POST /v1/x HTTP/1.1\r\nHost: HOST\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
	['a length twice', 400, "POST /v1/x HTTP/1.1\r\nHost: HOST\r\nContent-Length: 4\r\nContent-Length: 4\r\n\r\nabcd"],
	['an address of 40 KB', 414, 'GET /v1/' . 'a' x 40000 . " HTTP/1.1\r\nHost: HOST\r\n\r\n"],
	['a header of 40 KB', 431, "GET /v1/x HTTP/1.1\r\nHost: HOST\r\nX: " . 'a' x 40000 . "\r\n\r\n"],
	['a body that is too large', 413, "POST /v1/artifacts HTTP/1.1\r\nHost: HOST\r\nContent-Length: 30000000\r\n\r\n"]) {
	my ($what, $status, $bytes) = @$case;
	for my $host ($app, $site) {
		my ($head, $body) = split /\r\n\r\n/, answer($host, $bytes =~ s/HOST/$host/r), 2;
		like $head, qr{^HTTP/1\.1 $status [^\r]*\r\n}, "$what at $host";
		like $head, qr{^X-Content-Type-Options: nosniff\r?$}m, '... with the headers of every reply';
		my $json = $head =~ m{^Content-Type: application/json\r?$}m && eval { decode_json($body) };
		if ($host eq $app) {
			ok $json && !$json->{success} && $json->{code} && $json->{request_id}, '... in the envelope' or diag "$head\n$body";
		}
		my $title = $status eq '413' ? qr/This is too large/ : qr/This didn.{1,3}t work/;
		if ($host ne $app) {
			like "$head$body", qr{^Content-Security-Policy: default-src 'none'.*<!doctype html>.*$title}ms,
				'... as a page of ours';
		}
	}
}
for my $case (['no host', "GET /v1/x HTTP/1.1\r\n\r\n", 400], ['HTTP/1.0 without one', "GET /v1/x HTTP/1.0\r\n\r\n", 421],
	["somebody else's", "GET /v1/x HTTP/1.1\r\nHost: example.com\r\n\r\n", 421]) {
	my ($what, $bytes, $status) = @$case;
	like answer($app, $bytes), qr/^HTTP\/1\.1 $status .*\r\n\r\n\{"success":false/s, "$what: refused in the envelope";
}
{
	my $plain = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $stack->{port}) // die;
	print $plain "GET /v1/x HTTP/1.1\r\nHost: $app\r\n\r\n";
	like +(hear_plain($plain))[0], qr/^HTTP\/1\.1 400 .*"code":"INVALID_REQUEST"/s, 'without TLS';
}
sub hear_plain { my ($c) = @_; my $got = ''; 1 while sysread $c, $got, 65536, length $got; return $got }
like answer($app, "$_ HTTP/1.1\r\nHost: $app\r\n\r\n"), qr/^HTTP\/1\.1 \d{3} [A-Z][A-Za-z ]+\r\n/,
		"a worker's status line has its words: $_"
	for 'GET /v1/nothing', 'GET /v1/auth/me', 'DELETE /v1/auth/me', 'GET /healthz', 'GET /auth/account';

# ---- a large body, before it is known who sends it

my $spool = "$stack->{dir}/data/spool";
sub publish_head { my ($more) = @_; return "POST /v1/publish HTTP/1.1\r\nHost: $app\r\nContent-Type: application/json\r\n$more\r\n" }
my %refused = ('300 MB of nobody' => [401, 'UNAUTHENTICATED', "Content-Length: 300000000\r\n"],
	'the same, waiting to be told to go on' => [401, 'UNAUTHENTICATED', "Content-Length: 300000000\r\nExpect: 100-continue\r\n"],
	'pieces without an end' => [401, 'UNAUTHENTICATED', "Transfer-Encoding: chunked\r\n"],
	'a token that is none' => [401, 'UNAUTHENTICATED', "Content-Length: 300000000\r\nAuthorization: Bearer tok_x\r\n"],
	'a cookie from another site' => [401, 'UNAUTHENTICATED',
		"Content-Length: 300000000\r\nCookie: vitrine_access=x\r\nOrigin: https://evil.example\r\n"]);
for my $name (sort keys %refused) {
	my ($status, $code, $more) = @{$refused{$name}};
	my $got = answer($app, publish_head($more));
	like $got,
		qr/^HTTP\/1\.1 $status [^\r]+\r\n.*\r\n\r\n\{"success":false,"error":"[^"]+","code":"$code","request_id":"[0-9a-f]{32}"\}$/s,
		"$name: refused before it is read" or diag $got;
	like $got, qr/^WWW-Authenticate: Bearer/m, '... with what is missing';
	my ($said, $header) = ($got =~ /"request_id":"(\w+)"/, $got =~ /^X-Request-Id: (\w+)/m);
	is $header, $said, '... and the id of the request';
}
is_deeply [glob "$spool/*"], [], 'nothing was spooled';
my $limited = $stack->ctl(qw(token mint --user ann@example.org));
$stack->db->do('UPDATE token SET scopes = 1 WHERE hash = UNHEX(SHA2(?, 256))', undef, $limited);
like answer($app, publish_head("Content-Length: 300000000\r\nAuthorization: Bearer $limited\r\n")),
	qr/^HTTP\/1\.1 403 Forbidden\r\n.*"code":"INSUFFICIENT_SCOPE"/s, 'a token that may not publish';
{
	my $c = from('127.0.0.1');
	send_all($c, publish_head("Content-Length: 3000000\r\nExpect: 100-continue\r\nAuthorization: Bearer $ann->{token}\r\n"));
	like +(hear($c, 10, qr/\r\n\r\n/))[0], qr/^HTTP\/1\.1 100 /, 'who may publish is told to go on';
}
sub judged { return scalar grep { m{"/v1/publish","status":204} } split /\n/, slurp("$stack->{dir}/worker.log") }
my $judged = judged();
$api->publish($ann, slug => 'small');
is judged(), $judged, 'a small publish is not asked about';
$api->publish($ann, slug => 'bigger', files => { 'index.html' => 'x' x 2_000_000 });
is judged(), $judged + 1, 'a large one is, once';
is $api->call(OPTIONS => '/v1/publish')->{status}, 204, 'a preflight is nobody\'s and is answered';
is $api->call(GET => '/v1/publish')->{status}, 405, 'as is another method';

# ---- clients that take their time

# Sends a byte as often as said until the connection ends; the seconds that took, or undef.
sub dripped {
	my ($c, $head, $drop, $every, $most) = @_;
	local $SIG{PIPE} = 'IGNORE';
	my $from = time;
	send_all($c, $head);
	while (time - $from < $most) {
		my (undef, $ended) = hear($c, $every);
		return time - $from if $ended || !syswrite $c, $drop;
	}
	return undef;
}
ok defined dripped(from('127.0.0.1', $_), "GET / HTTP/1.1\r\nHost: $_\r\n", 'X', 0.5, 10),
	"headers that come byte by byte at $_ have an end" for $app, $site;
ok defined dripped(from('127.0.0.1'), "POST /v1/artifacts HTTP/1.1\r\nHost: $app\r\nContent-Length: 1000\r\n\r\n", 'x', 4, 12),
	'a body that stands still has one';
{
	my $plain = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $stack->{http}) // die;
	my $from = time;
	local $SIG{PIPE} = 'IGNORE';
	print $plain "GET / HTTP/1.1\r\nHost: $app\r\n";
	$plain->autoflush(1);
	until (IO::Select->new($plain)->can_read(0.5) || time - $from > 10) { print $plain 'X' }
	cmp_ok time - $from, '<', 10, '... where there is no TLS neither';
	my $tcp = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $stack->{port}) // die;
	ok(IO::Select->new($tcp)->can_read(10), 'a connection without TLS on it too');
	my $c = from('127.0.0.1', $site);
	send_all($c, "GET /large.bin HTTP/1.1\r\nHost: $site\r\n\r\n");
	sleep 6;
	my ($got, $ended) = hear($c, 10);
	ok $ended && length $got < 20_000_000, 'and a download that nobody reads';
}

# ---- one address with many requests

# A byte for each that is open: on a slow machine twenty take longer than one may wait.
my @held;
for (1 .. 20) {
	push @held, from('127.0.0.9');
	send_all($held[-1], "POST /v1/artifacts HTTP/1.1\r\nHost: $app\r\nContent-Length: 1000\r\n\r\n");
	send_all($_, 'x') for @held;
}
sub get_from {
	my ($address, $host, $path) = @_;
	my $c = from($address, $host);
	send_all($c, "GET $path HTTP/1.1\r\nHost: $host\r\n\r\n");
	return (hear($c, 10, qr/\r\n\r\n.+/s))[0];
}
# Until the twenty, which end if nothing comes for two seconds, are all under way.
sub over {
	my ($host, $path) = @_;
	my $got = '';
	for (1 .. 50) { send_all($_, 'x') for @held; $got = get_from('127.0.0.9', $host, $path); last if $got =~ / 429 /; sleep 0.05 }
	return $got;
}
like over($app, '/v1/auth/me'), qr/^HTTP\/1\.1 429 [^\r]*\r\n.*^Retry-After: 1\r\n.*"code":"RATE_LIMITED"/ms,
	'an address with twenty requests under way gets no more';
like over($site, '/'), qr/^HTTP\/1\.1 429 .*<!doctype html>.*Back in a moment/s, '... of pages neither';
like over($app, '/auth/signin'), qr/^HTTP\/1\.1 429 .*<!doctype html>.*Back in a moment/s, '... nor of our own';
like get_from('127.0.0.10', $app, '/v1/auth/me'), qr/^HTTP\/1\.1 401 /, 'another address is answered';
like get_from('127.0.0.10', $site, '/'), qr/^HTTP\/1\.1 200 /, '... in full';
undef @held;

finish($stack);
