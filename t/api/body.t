# SPDX-License-Identifier: Apache-2.0
# How a body travels: a small one comes with its request, a large one as a file that nginx wrote. Either arrives as it was sent.
use Vitrine::Words;

use constant LARGE => 10_000;
my ($stack, $api) = stack(publish_per_hour => 1000, data_per_minute => 10000, workers => 2, slow_workers => 2, max_blob_bytes => 2 << 20);
my $ann = $stack->user('ann@example.org');
my $art = $api->publish($ann, slug => 'body', visibility => 'public', files => { 'index.html' => 'body' });
my $spool = "$stack->{dir}/data/spool";
my $path = "/v1/data/$art/blobs?filename=f";
sub by_ann { my ($method, $path, %o) = @_; return $api->call($method => $path, { token => $ann->{token}, %o }) }
sub random { return join '', map { chr int rand 256 } 1 .. $_[0] }
# nginx says when it makes a file of a body.
sub files { return scalar(() = Vitrine::Stack::slurp("$stack->{dir}/run/nginx-error.log") =~ /a client request body is buffered/g) }

# ---- three ways to send one

sub with_length { my ($bytes) = @_; return by_ann(PUT => $path, body => $bytes, type => 'application/octet-stream') }
sub in_pieces {
	my ($bytes) = @_;
	my $text = join '', map { sprintf "%x\r\n%s\r\n", length, $_ } grep { length } unpack('(a4096)*', $bytes), '';
	my $r = $api->raw('vitrine.localhost', "PUT $path HTTP/1.1\r\nHost: vitrine.localhost\r\nAuthorization: Bearer $ann->{token}\r\n"
		. "Content-Type: application/octet-stream\r\nTransfer-Encoding: chunked\r\n\r\n${text}0\r\n\r\n");
	$r->{json} = decode_json($r->{body});
	return $r;
}
sub curl {
	my ($method, $url, @more) = @_;
	open my $out, '-|', 'curl', '-s', '--http2', '-X', $method, '--cacert', "$stack->{tls}/ca.pem", '--resolve',
		"vitrine.localhost:$stack->{port}:127.0.0.1", '-H', "Authorization: Bearer $ann->{token}", '-w', "\n%{http_code}", @more,
		"https://vitrine.localhost:$stack->{port}$url" or die;
	my ($body, $status) = do { local $/; <$out> } =~ /^(.*)\n(\d+)$/s or die 'no answer';
	return { status => $status, body => $body, json => eval { decode_json($body) } };
}
sub by_http2 {
	my ($bytes, @more) = @_;
	Vitrine::Stack::spew("$stack->{dir}/sent", $bytes);
	return curl(PUT => $path, '-H', 'Content-Type: application/octet-stream', @more, '--data-binary', "\@$stack->{dir}/sent");
}
# Without a Content-Length.
sub by_http2_unsized { my ($bytes) = @_; return by_http2($bytes, '-H', 'Content-Length:', '-H', 'Transfer-Encoding: chunked') }

sub arrives {
	my ($how, $send, $bytes, $files) = @_;
	my $before = files();
	my $r = $send->($bytes);
	my $name = length($bytes) . ' bytes ' . $how;
	is $r->{status}, 201, $name or return diag $r->{body};
	ok by_ann(GET => "/v1/data/$art/blobs/$r->{json}{data}{id}/content")->{body} eq $bytes, '... as they were sent';
	is files() - $before, $files || 0, $files ? '... by a file' : '... without a file';
}
my $all = join '', map { chr } 0 .. 255;
arrives('of each value', \&with_length, $all, 0);
arrives('of each value by HTTP/2', \&by_http2, $all, 0);
arrives('of NULs', \&with_length, "\0" x 100, 0);
for my $n (1, LARGE - 1, LARGE, LARGE + 1, 16_384, 16_385, 100_000) {
	arrives('with a length', \&with_length, random($n), $n >= LARGE);
	arrives('by HTTP/2', \&by_http2, random($n), $n >= LARGE);
}
for my $n (1, LARGE - 1, LARGE + 1) {
	arrives('in pieces', \&in_pieces, random($n), 1);
	arrives('by HTTP/2 without a length', \&by_http2_unsized, random($n), 1);
}
my $before = files();
is with_length('')->{status}, by_http2('')->{status}, 'an empty one is answered alike';
is files(), $before, '... without a file';

# ---- without the spool, small ones go on

rename $spool, "$spool.away" or die "$spool: $!";
arrives('without a spool', \&with_length, random(LARGE - 1), 0);
my $form = "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n\0bytes\r\n--B--\r\n";
my $r = by_ann(POST => "/v1/data/$art/blobs", type => 'multipart/form-data; boundary=B', body => $form);
is $r->{status}, 201, 'a form with a file' or diag $r->{body};
is by_ann(GET => "/v1/data/$art/blobs/$r->{json}{data}{id}/content")->{body}, "\0bytes", '... with its bytes';
is by_ann(PATCH => "/v1/artifacts/$art", json => { name => 'Brief' })->{json}{artifact}{name}, 'Brief', 'JSON';
$r = by_ann(POST => '/mcp', json => { jsonrpc => '2.0', id => 7, method => 'tools/call',
	params => { name => 'get_artifact', arguments => { artifact => $art } } },
	headers => { Accept => 'application/json, text/event-stream' });
is "$r->{status} $r->{json}{id}", '200 7', "an agent's message";
$r = by_ann(POST => '/v1/publish', json => { name => 'Two', slug => 'two', files => [{ path => 'index.html', content => 'two' }] });
is $r->{status}, 201, 'a publish' or diag $r->{body};
$r = $api->request(POST => 'vitrine.localhost', '/auth/signin',
	{ 'Content-Type' => 'application/x-www-form-urlencoded', 'Sec-Fetch-Site' => 'same-origin' },
	'email=ann@example.org&password=wrong');
like $r->{body}, qr/password/, 'a form of a page';
$stack->expect_alert(qr/spool/);
is with_length(random(LARGE))->{status}, 507, 'only a large one fails';
rename "$spool.away", $spool or die "$spool: $!";

# ---- limits and refusals are those of before

is with_length('x' x ((2 << 20) + (80 << 10)))->{status}, 413, 'one over the limit';
is in_pieces('x' x ((2 << 20) + (80 << 10)))->{status}, 413, '... in pieces';
is by_http2_unsized('x' x ((2 << 20) + (80 << 10)))->{status}, 413, '... by HTTP/2 without a length';
is by_ann(POST => '/v1/artifacts', json => { name => 'x' x (1 << 20) })->{status}, 413, '... of a usual route';
{
	my $c = $api->connection('vitrine.localhost');
	syswrite $c, "PATCH /v1/artifacts/$art HTTP/1.1\r\nHost: vitrine.localhost\r\nAuthorization: Bearer $ann->{token}\r\n"
		. "Content-Type: application/json\r\nContent-Length: 15\r\nExpect: 100-continue\r\n\r\n";
	sysread $c, my $told, 1000;
	like $told, qr{^HTTP/1\.1 100 }, 'who asks is told to go on';
	syswrite $c, '{"name":"Told"}';
	is $api->read_reply($c, 'PATCH')->{status}, 200, '... and answered';
}
for my $n (20, 20_000, 200_000) {
	my $body = '{"name":"' . 'x' x $n . '"}';
	Vitrine::Stack::spew("$stack->{dir}/sent", $body);
	is curl(DELETE => "/v1/artifacts/$art", '-H', 'Content-Length:', '-H', 'Transfer-Encoding: chunked', '--data-binary',
		"\@$stack->{dir}/sent")->{status}, 400, "a DELETE by HTTP/2 with $n bytes to delete something else";
	is curl(GET => $_, '-H', 'Content-Length:', '-H', 'Transfer-Encoding: chunked', '--data-binary',
		"\@$stack->{dir}/sent")->{status}, 200, "... a GET of $_ ignores them" for "/v1/artifacts/$art", "/v1/data/$art/blobs";
	is curl(GET => "/v1/artifacts/$art", '--data-binary', "\@$stack->{dir}/sent")->{status}, 200, '... of a length, too';
}

# ---- a request that waits in the line has its body afterwards

for my $n (LARGE - 1, LARGE + 1) {
	my $sent = random($n - 1);
	my @got = map { decode_json($_) } Vitrine::Api::together($stack, 6, sub {
		my ($one, $i) = @_;
		return $one->call(PUT => $path, { token => $ann->{token}, body => $i . $sent, type => 'application/octet-stream' })->{body};
	});
	for my $i (0 .. 5) {
		my $id = $got[$i]{data}{id} or fail("one of six at once, of $n bytes: $got[$i]{error}") or next;
		ok by_ann(GET => "/v1/data/$art/blobs/$id/content")->{body} eq $i . $sent, "one of six at once, of $n bytes";
	}
}

is join(' ', grep { -f } glob "$spool/*"), '', 'nothing is left in the spool';

finish($stack);
