# SPDX-License-Identifier: Apache-2.0
# One client can't make others wait: what somebody sends who wants the workers for themselves, and what it may cost then. Figures are in
# ./dev bench floods.
use IO::Select;
use IO::Socket::UNIX;
use List::Util 'min';
use MIME::Base64;
use Time::HiRes qw(sleep time);
use Vitrine::Slow;
use Vitrine::Words;

my $slow = Vitrine::Slow->new;
my $stack = Vitrine::Stack->new(workers => 2, slow_workers => 8, line_s => 1, egress_allow => '127.0.0.1:' . $slow->port,
	publish_per_hour => 1000, publish_failures_per_hour => 100,
	exports_per_hour => 1000, signin_failures_per_hour => 100000, signin_failures_per_account => 100000);
my $api = Vitrine::Api->new($stack);
my ($ann, $ben) = map { $stack->user("$_\@example.org") } qw(ann ben);
sub log_lines { my ($like) = @_; return grep { $_ =~ $like } split /\n/, Vitrine::Stack::slurp("$stack->{dir}/worker.log") }
sub until_true { my ($true) = @_; for (1 .. 400) { return 1 if $true->(); sleep 0.05 } return 0 }

# ---- addresses as deep as a request can be

$api->publish($ann, slug => 'deep', visibility => 'public',
	files => { 'index.html' => 'x', '404.html' => 'at the top', 'a/404.html' => 'in a', 'a/b/404.html' => 'in b', 'a/c/x.html' => 'x',
		'_headers' => "/a/b/*\n  X-Robots-Tag: none\n" });
is $api->get_site('deep', "/$_->[0]")->{body}, $_->[1], "the page for what is missing at $_->[0]"
	for ['no', 'at the top'], ['b/a/no', 'at the top'], ['a/no', 'in a'], ['a/c/no', 'in a'], ['a/b/no', 'in b'],
	['a/b/c/d/no', 'in b'], ['a/x/b/no', 'in a'], ['a/c/x.html/no', 'in a'];

sub lookups {
	my ($path) = @_;
	my $log = "$stack->{dir}/lookups";
	my @pids = $stack->workers('quick');
	$stack->spawn('tracer', "$stack->{dir}/tracer.log", 'strace', '-ff', '-qq', '-e', 'trace=openat2,newfstatat,openat,statx', '-o',
		$log, map { ('-p', $_) } @pids);
	until_true(sub { @pids == grep { Vitrine::Stack::slurp("/proc/$_/status") =~ /TracerPid:\s+[1-9]/ } @pids });
	is $api->get_site('deep', $path)->{status}, 404, 'nothing there';
	until_true(sub { grep { Vitrine::Stack::slurp("$log.$_") =~ /openat2/ } @pids });
	$stack->stop_one('tracer', 'INT');
	my $n = () = join('', map { Vitrine::Stack::slurp("$log.$_") } @pids) =~ /^\w+\(/mg;
	unlink map { "$log.$_" } @pids;
	return $n;
}
SKIP: {
	skip 'strace is not here', 1 if !`strace -V 2>/dev/null`;
	$api->get_site('deep', '/z/no.y') for 1 .. 4;
	my ($near, $far) = map { lookups('/' . 'z/' x $_ . 'no.y') } 1, 900;
	cmp_ok $far, '<=', $near, "nine hundred levels that are not there: $far look-ups, $near for one";
}
my $r = $api->get_site('deep', '/' . 'a/' x 3900 . 'x.y');
is $r->{status}, 404, 'an address longer than any that is published';
like +(log_lines(qr/"event":"request"/))[-1], qr/"status":404.*"db":0/, '... is refused before anything is looked for';

# ---- rules of a page that its visitors pay for

$api->publish($ann, slug => 'joined', visibility => 'public',
	files => { 'index.html' => 'x', '_headers' => "/*\n" . " Link: </a>\n" x 5000 });
$r = $api->get_site('joined', '/');
is $r->{status}, 200, 'a header of five thousand lines';
cmp_ok length $r->{headers}{link}, '<=', 8192, '... is no longer than one of one line may be';

# Nine hundred rules, all of which are compared with most of an address, for each of four thousand files.
my $dir = 'p' x 50;
my $rules = join '', map { "/$dir/:x/q$_\n Link: a\n" } 1 .. 900;
my $id = $api->publish($ann, slug => 'rules', visibility => 'public',
	files => { 'index.html' => 'x', _headers => $rules, map { ("$dir/f$_.html" => "page $_") } 1 .. 4000 });
my @gated = glob "$stack->{dir}/data/trees/$id/1/gated/$dir/f*.html";
ok @gated > 100, 'of many files under many rules some are left to a worker, unjudged: ' . @gated;
my $some = (split m{/}, $gated[0])[-1];
$r = $api->get_site('rules', "/$dir/$some");
is "$r->{status} $r->{body}", '200 page ' . ($some =~ /(\d+)/)[0], '... who gives them';
is $stack->ctl('fsck'), 'clean', '... which fsck does not mistake for damage, whatever the order they were sent in';
sub rows_read {
	my %n = map { @$_ } @{$stack->db->selectall_arrayref("SHOW GLOBAL STATUS LIKE 'Handler_read_%'")};
	my $n = 0;
	$n += $_ for values %n;
	return $n;
}
my $rows = rows_read();
is $api->call(PATCH => "/v1/artifacts/$id", { token => $ann->{token}, json => { social_title => 'T' } })->{status}, 200,
	'a title for link previews';
$rows = rows_read() - $rows;
cmp_ok $rows, '<', 1500, "... reads the entry's row, not those of four thousand files: $rows";
like $api->get_site('rules', '/')->{body}, qr/og:title/, '... and is in the page';

# ---- names and numbers of files that made look-ups quadratic

# Seconds of processor that the workers had for it.
sub worked { my $ns = 0; $ns += (split ' ', Vitrine::Stack::slurp("/proc/$_/schedstat"))[0] // 0 for $stack->workers; return $ns / 1e9 }
sub publish_work {
	my ($n, $again) = (@_, 0);
	my $body = encode_json({ name => 'M', slug => "many-$n-$again", entrypoint => 'f1.gz',
		files => [map { { path => "f$_.gz", content => "c$_" } } 1 .. $n] });
	my $from = worked();
	is $api->call(POST => '/v1/publish', { token => $ann->{token}, type => 'application/json', body => $body })->{status}, 201,
		"$n files named .gz";
	return worked() - $from;
}
publish_work(2000);
# Of several tries the one that other processes disturbed least.
my ($few, $many) = (publish_work(2000, 1), publish_work(20000));
for (1 .. 3) { last if $many < 15 * $few + 1; $many = min $many, publish_work(20000, $_) }
cmp_ok $many, '<', 15 * $few + 1, sprintf '... ten times as many take as much more: %.1f s, %.1f s of processor', $few, $many;

# ---- requests whose client has gone

sub fcgi { my ($type, $content) = @_; return pack('CCnnCC', 1, $type, 1, length $content, 0, 0) . $content }
sub pair { my ($name, $value) = @_; return pack('NN', length($name) | 1 << 31, length($value) | 1 << 31) . $name . $value }
sub healthz {
	my ($request_id) = @_;
	return fcgi(1, pack 'nCx5', 1, 0) . fcgi(4, pair(REQUEST_METHOD => 'GET') . pair(REQUEST_URI => '/healthz')
		. pair(HTTP_X_REQUEST_ID => $request_id)) . fcgi(4, '') . fcgi(5, '');
}
my @stopped = $stack->workers('slow');
kill 'STOP', @stopped;
for my $name ('gone-1', 'gone-2', 'stays') {
	my $c = IO::Socket::UNIX->new(Peer => "$stack->{run}/slow.sock") // die;
	syswrite $c, healthz($name);
	push @stopped, $c if $name eq 'stays';
}
kill 'CONT', grep { !ref } @stopped;
ok(IO::Select->new($stopped[-1])->can_read(20), 'who waits for a worker gets one');
is scalar(log_lines(qr/"request_id":"stays"/)), 1, '... and its answer';
is scalar(log_lines(qr/"request_id":"gone-/)), 0, 'what was left by its client is not begun';

# ---- downloads that nobody reads

read do { open my $f, '<', '/dev/urandom'; $f }, my $noise, 8 << 20;
my $large = $api->publish($ann, slug => 'large', visibility => 'public', entrypoint => 'a.bin',
	files => { 'a.bin' => { encoding => 'base64', content => encode_base64($noise, '') } });
sub from {
	my ($address) = @_;
	return IO::Socket::SSL->new(PeerHost => '127.0.0.1', PeerPort => $stack->{port}, LocalAddr => $address, SSL_verify_mode => 0,
		SSL_hostname => 'vitrine.localhost') // die;
}
my @readers;
sub export {
	my ($address, $who) = @_;
	my $c = from($address);
	push @readers, $c;
	syswrite $c, "GET /v1/artifacts/$large/versions/1/export HTTP/1.1\r\nHost: vitrine.localhost\r\n"
		. ($who ? "Authorization: Bearer $who->{token}\r\n" : '') . "\r\n";
	sysread $c, my $head, 4096;
	return join ' ', $head =~ m{^HTTP/1\.1 (\d+)}, $head =~ /\r\nRetry-After: (\d+)/;
}
is_deeply [map { export('127.0.0.2') } 1 .. 4], ['200', '200', '429 1', '429 1'],
	'a quarter of the slow workers for one address that does not read';
is export('127.0.0.2', $ann), '429 1', '... and no more for who signs in there';
is_deeply [map { export('127.0.0.3') } 1 .. 3], ['200', '200', '429 1'], '... another for another';
is export('127.0.0.4'), '503 1', 'half of them send, and no more';
is $api->call(POST => '/v1/publish', { token => $ben->{token},
	json => { name => 'B', files => [{ path => 'index.html', content => 'x' }] } })->{status}, 201, 'publishing goes on';
$_->close(SSL_no_shutdown => 1) for @readers;
ok until_true(sub { !$slow->busy($stack) }), 'when the clients go, so does the work';

# ---- icons that never come

$slow->icons($stack, $ann);
# Seen at some instant, since a worker that refuses is busy for one, too.
ok until_true(sub { $slow->busy($stack) == 4 }), 'publishes of one person that wait for an icon keep half of the slow workers waiting';
ok until_true(sub { log_lines(qr{"/v1/publish","status":429}) }), '... the others are put off';
my ($asked, $never) = (0, { enabled => Cpanel::JSON::XS::true, icon => 'http://127.0.0.1:' . $slow->port . '/x.png' });
# One that comes just when another has ended waits for its icon.
for (1 .. 5) {
	$asked = time;
	$r = $api->call(POST => '/v1/publish', { token => $ann->{token}, json => { name => 'B', pwa => $never,
		files => [{ path => 'index.html', content => 'x' }] } });
	last if $r->{status} != 400;
}
cmp_ok time - $asked, '>', 0.5, '... who waits for the end of the refusal';
like +(log_lines(qr{"/v1/publish","status":429}))[-1], qr/"ms":\d\d?\./, '... which no worker does';
is "$r->{status} $r->{json}{code} $r->{headers}{'retry-after'}", '429 RATE_LIMITED 1', "... the person's own is told when to come again";
is $api->call(POST => '/v1/publish', { token => $ben->{token},
	json => { name => 'B', files => [{ path => 'index.html', content => 'x' }] } })->{status}, 201, "another's publish finds a worker";
is $api->call(GET => "/v1/artifacts/$id", { token => $ann->{token} })->{status}, 200, '... and what is quick is not put off';
$slow->end($stack);

# ---- passwords that are guessed at, from many addresses

my $form = 'email=nobody%40example.org&password=wrong+horse';
# nginx waits for heads for ten seconds only, so each is sent at once, and the last byte of all of them later.
my @all = map {
	my $c = from("127.0.2.$_");
	syswrite $c, "POST /auth/signin HTTP/1.1\r\nHost: vitrine.localhost\r\nSec-Fetch-Site: same-origin\r\n"
		. "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: " . length($form) . "\r\n\r\n" . substr $form, 0, -1;
	$c;
} 1 .. 40;
syswrite $_, substr $form, -1 for @all;
my %seen;
$seen{$_->{status}}++ for my @replies = map { $api->read_reply($_, 'POST') } @all;
is_deeply [sort keys %seen], [401, 503], 'forty at once: some are looked at, the others put off' or diag explain \%seen;
is_deeply [grep { $_->{status} == 503 && !$_->{headers}{'retry-after'} } @replies], [], '... each with when to come again';

# Somebody who comes back, from a browser that has signed in before, while the guessing goes on.
$stack->ctl_in("correct horse\n", qw(user password ann@example.org));
my %person = ('Sec-Fetch-Site' => 'same-origin', 'Content-Type' => 'application/x-www-form-urlencoded');
sub sign_in {
	my ($cookie) = @_;
	return $api->request(POST => 'vitrine.localhost', '/auth/signin', { %person, $cookie ? (Cookie => $cookie) : () },
		'email=ann%40example.org&password=correct+horse');
}
$r = sign_in();
is $r->{status}, 303, 'a person signs in';
my ($browser) = $r->{headers}{'set-cookie'} =~ /(vitrine_browser=[^;]+)/;
$slow->passwords($stack);
ok $slow->until_busy($stack, 2), 'passwords are guessed at on sixty-four connections';
is_deeply [map { sign_in($browser)->{status} } 1 .. 10], [(303) x 10], '... and the person signs in again from the same browser, each time';
is $api->call(POST => '/v1/publish', { token => $ben->{token},
	json => { name => 'B', files => [{ path => 'index.html', content => 'x' }] } })->{status}, 201, '... while others publish';
$slow->end($stack);

finish($stack);
