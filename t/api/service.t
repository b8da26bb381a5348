# SPDX-License-Identifier: Apache-2.0
# Envelopes, request ids, CORS, health, limits: what is true of every address.
use utf8;
use FindBin;
use IO::Socket::UNIX;
use Vitrine::Words;

my ($stack, $api) = stack(publish_per_hour => 5);
my $ann = $stack->user('ann@example.org');

is $api->call(GET => '/.well-known/security.txt')->{json}{code}, 'NOT_FOUND', 'nobody to report weaknesses to';
is_deeply $api->call(GET => '/healthz')->{json}, { success => Cpanel::JSON::XS::true }, 'healthz';
is_deeply $api->call(GET => '/readyz')->{json}, { success => Cpanel::JSON::XS::true, runner_seen_at => 0, lanes_late => 0 }, 'readyz';
is $api->call(GET => '/v1/limits')->{json}{limits}{publish_per_hour}, 5, 'limits are those in force';
is $api->call(GET => '/v1/version')->{json}{api}, 'v1', 'version';
is $api->call(GET => '/v1/openapi.json')->{json}{openapi}, '3.1.0', 'openapi.json';

for ([GET => '/v1/nothing', 404, 'NOT_FOUND'], [PUT => '/v1/publish', 405, 'METHOD_NOT_ALLOWED'],
	[GET => '/v1/%2e%2e/etc', 404, 'NOT_FOUND'], [GET => '/v1//artifacts', 404, 'NOT_FOUND'],
	[GET => '/v1/artifacts/art_x', 404, 'NOT_FOUND'],
	[TRACE => '/v1/limits', 405, 'METHOD_NOT_ALLOWED'], [GET => '/v1/' . 'a' x 40000, 414, 'INVALID_REQUEST']) {
	my ($method, $path, $status, $code) = @$_;
	my $r = $api->call($method => $path);
	is "$r->{status} " . ($r->{json}{code} // ''), "$status $code", "$method " . substr($path, 0, 30);
	is $r->{json}{success}, Cpanel::JSON::XS::false, 'with the envelope';
	ok $r->{json}{request_id}, 'and a request id';
}
like $api->call(PUT => '/v1/publish')->{headers}{allow}, qr/^POST, OPTIONS$/, 'Allow';
# ---- an address that is none names the nearest

my $id = 'art_' . '0' x 26;
for (['GET /v1/artifact', 'GET /v1/artifacts'], ['PATCH /v1/artifcats/art_x', 'PATCH /v1/artifacts/{artifact_id}'],
	["GET /v1/artifacts/$id/verisons/3", 'GET /v1/artifacts/{artifact_id}/versions/{version_no}'],
	["GET /v1/artifacts/$id/version", 'GET /v1/artifacts/{artifact_id}/versions'],
	["DELETE /v1/artifacts/$id/collaborator/a%40b.example", 'DELETE /v1/artifacts/{artifact_id}/collaborators/{email}'],
	['POST /v1/auth/device', 'POST /v1/auth/device/start'],
	['GET /v1/auth/device', 'POST /v1/auth/device/start'], ['GET /v1/', 'GET /v1'],
	["GET /v1/artifacts/$id/files/%ff", 'GET /v1/artifacts/{artifact_id}/files/{path}'], ['GET /v1//artifacts', 'GET /v1/artifacts'],
	['POST /v1/publsih?x=1', 'POST /v1/publish']) {
	my ($sent, $meant) = @$_;
	my $r = $api->call(split / /, $sent);
	is "$r->{status} $r->{json}{error}", "404 There is no such address; did you mean $meant?", $sent;
}
# Where only the form of a parameter is wrong, that is said.
for (['GET /v1/data/art_nonsense/json', 'artifact_id must be art_ followed by 26 characters'],
	['GET /v1/artifacts/art_x', 'artifact_id must be art_ followed by 26 characters'],
	["GET /v1/artifacts/$id/versions/0", 'version_no must be a whole number, at least 1'],
	["POST /v1/artifacts/$id/versions/x%2F1/restore", 'version_no must be a whole number, at least 1'],
	["GET /v1/data/$id/tables/1%20a", 'table must be text such as guests'],
	["DELETE /v1/metric-alerts/$id", 'alert_id must be alr_ followed by 26 characters'],
	['GET /v1/artifacts/site/files/a/b/c/d/e/f/g/h/index.html', 'artifact_id must be art_ followed by 26 characters'],
	["DELETE /v1/data/art%5Fx/blobs/$id", 'artifact_id must be art_ followed by 26 characters']) {
	my ($sent, $wrong) = @$_;
	my $r = $api->call(split / /, $sent);
	is "$r->{status} $r->{json}{code} $r->{json}{error}", "404 NOT_FOUND There is no such address; $wrong"
		. ($r->{json}{error} =~ /(, not "[^"]+")$/ ? $1 : ', without the value'), $sent;
}
for ('/v1/nothing', '/v1/' . 'a/' x 100, '/v1/' . 'x' x 300, '/v1/zzzz/yyyy', '/v1/%2e%2e/etc') {
	is $api->call(GET => $_)->{json}{error}, 'There is no such address; GET /v1 shows where to start',
		'nothing is near ' . substr $_, 0, 30;
}
is $api->call(PUT => '/v1/artifacts')->{json}{code}, 'METHOD_NOT_ALLOWED', 'a method that is not answered keeps its 405';
my $none = $api->request(GET => 'vitrine.localhost', '/nothing');
is "$none->{status} $none->{headers}{'content-type'}", '404 text/html; charset=utf-8', 'elsewhere a page says so';
my $r = $api->call(HEAD => '/v1/limits');
is $r->{status} . $r->{body}, 200, 'HEAD wherever GET';
is $api->call(GET => '/healthz', { headers => { 'X-Request-Id' => 'my-id.1' } })->{headers}{'x-request-id'}, 'my-id.1',
	'a request id is echoed';
isnt $api->call(GET => '/healthz', { headers => { 'X-Request-Id' => 'a b' } })->{headers}{'x-request-id'}, 'a b', 'unless it is malformed';

$r = $api->call(OPTIONS => '/v1/publish',
	{ headers => { Origin => 'https://elsewhere.example', 'Access-Control-Request-Method' => 'POST' } });
is $r->{status}, 204, 'preflight';
is $r->{headers}{'access-control-allow-origin'}, '*', 'any origin';
is $r->{headers}{'access-control-allow-credentials'}, undef, 'without credentials';
like $r->{headers}{'access-control-allow-headers'}, qr/Authorization/, 'with a token';
is $api->call(OPTIONS => $_->[0], { headers => { Origin => 'https://elsewhere.example' } })->{headers}{'access-control-allow-origin'},
		$_->[1], "a preflight of $_->[0]"
	for ['/mcp', '*'], ['/.well-known/oauth-protected-resource', '*'], ['/v1/oauth/token', '*'], ['/v1/artifacts/art_x/thumbnail', '*'],
	['/auth/signin', undef], ['/oauth/authorize', undef], ['/nothing', undef];

$r = $api->raw('vitrine.localhost', "GET /v1/limits HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
is $r->{status}, 421, 'an unknown Host is not served';
for ("GET / HTTP/1.1\r\nHost: vitrine.localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	"GET /\x00 HTTP/1.1\r\nHost: a\r\n\r\n") {
	is $api->raw('vitrine.localhost', $_)->{status}, 400, 'smuggling and NUL are 400';
}
# Wherever libfcgi's buffer ends in what nginx sends; whatever is left unread, nginx must not see a reset.
is_deeply [grep { $api->call(GET => '/healthz', { headers => { 'X-Pad' => 'x' x (7500 + 4 * $_) } })->{status} != 200 } 0 .. 150], [],
	'headers of every size';
for my $path ('/_objects/ab/x', '/_tree/x', '/_objects../x', '/%5f_objects/') {
	is $api->call(GET => $path)->{status}, 404, "$path is not reachable";
}
$r = $api->call(POST => '/v1/publish', { token => $ann->{token}, type => 'application/json', body => ' ' x (66 * 1024 * 1024) });
like "$r->{status} $r->{json}{code}", qr/^(?:400 INVALID_REQUEST|413 BODY_TOO_LARGE)$/, 'a body beyond the limit';
my $big = $stack->user('big@example.org');
$r = $api->call(PATCH => '/v1/artifacts/' . $api->publish($big, slug => 'large-body'),
	{ token => $big->{token}, type => 'application/json', body => '"' . 'a' x (2 << 20) . '"' });
is "$r->{status} $r->{json}{code}", '413 BODY_TOO_LARGE', "a route's own limit";

# ---- what is not known is named beside the answer

my $eve = $stack->user('eve@example.org');
sub told { my ($method, $path, %o) = @_; return $api->call($method => $path, { token => $eve->{token}, %o }) }
my $art = $api->publish($eve, slug => 'eve');
is_deeply told(GET => '/v1/artifacts')->{json}{warnings}, undef, 'nothing to warn of, no member';
is_deeply told(GET => '/v1/artifacts?limt=2&q=&x')->{json}{warnings},
	['limt: isn\'t recognized and was ignored; did you mean limit?', 'x: isn\'t recognized and was ignored'], 'a name in the query';
is told(GET => '/v1/artifacts?limit=&cursor=&workspace_id=')->{status}, 200, 'an empty value is none';
is told(GET => '/v1/artifacts?limit=a%00b')->{json}{error}, 'limit: must be percent-encoded UTF-8 without NUL, not a%00b',
	'bytes that are no text are named';
is told(DELETE => "/v1/artifacts/$art/favorite", json => { all => $true })->{status}, 400, 'a DELETE takes no body';
is told(DELETE => "/v1/artifacts/$art/favorite", body => " {\n}\n", type => 'application/json')->{status}, 200, '... but {} is none';
is told(PATCH => "/v1/artifacts/$art")->{status}, 200, 'nothing is as {} where nothing is required';
is told(POST => '/v1/assets/upload')->{status}, 201, '... of a POST, too';
is told(PUT => "/v1/data/$art/tables/t")->{status}, 400, '... but not of a PUT, which replaces what there is';
is_deeply told(GET => "/v1/artifacts/$art?fields=id")->{json}{warnings}, ['fields: isn\'t recognized and was ignored'],
	'of a route that takes none';
is_deeply [map { told(GET => "/v1/artifacts/$art?$_")->{status} } '%', '%zz=1', 'a=%ff', '&&&', '=', 'x=1&' x 300], [(200) x 6],
	'however it looks';
is_deeply told(PATCH => "/v1/artifacts/$art", json => { visibilty => 'public', name => 'N', owner_id => 'x' })->{json}{warnings},
	['owner_id: isn\'t recognized and was ignored', 'visibilty: isn\'t recognized and was ignored; did you mean visibility?'],
	'a member of the body: a hidden one is as unknown as any';
is told(GET => "/v1/artifacts/$art")->{json}{artifact}{visibility}, 'private', 'nothing came of it';
my $plain = told(GET => "/v1/artifacts/$art")->{headers}{etag};
is told(GET => "/v1/artifacts/$art?x=1")->{headers}{etag}, $plain, 'a warning is no part of the ETag';
is told(PATCH => "/v1/artifacts/$art?x=1", json => { name => 'M' }, headers => { 'If-Match' => $plain })->{status}, 200,
	'so If-Match goes on holding';
$r = told(POST => '/v1/publish', json => { nmae => 'x', files => [] });
is_deeply [@{$r->{json}}{qw(error warnings)}],
	['name: is required for a new artifact', ['nmae: isn\'t recognized and was ignored; did you mean name?']], 'a refusal says so too';
$r = told(POST => '/v1/publish?dry=1', json => { name => 'x', titel => 1, files => [{ path => 'index.html', content => 'x', mode => 1 },
	{ path => '_redirects', content => '/a' }], pwa => { enabled => Cpanel::JSON::XS::false, colour => 1 } });
is $r->{status}, 201, 'a publish';
is_deeply [map { s/^_redirects.*/_redirects/r } @{$r->{json}{warnings}}],
	['_redirects', map { "$_: isn\'t recognized and was ignored" } qw(dry titel files[0].mode pwa.colour)],
	'joins them to its own, each with its place';
my $again = { 'Idempotency-Key' => 'once' };
my @both = map { told(POST => '/v1/publish', json => { name => 'x', other => 1, files => [{ path => 'index.html', content => 'y' }] },
	headers => $again)->{json}{warnings} } 1, 2;
is_deeply $both[1], $both[0], 'a repeated request gets the same';
is_deeply $both[0], ['other: isn\'t recognized and was ignored'], 'once';
$r = told(PATCH => "/v1/artifacts/$art", json => { name => 'N', map { ("m$_" => 1) } 10 .. 99 });
is scalar @{$r->{json}{warnings}}, 10, 'ten at most';
$r = told(PATCH => "/v1/artifacts/$art", type => 'application/json',
	body => '{"name":"N","' . 'a' x 100_000 . '":1,"\u001b[31mred":1,"\u202eevil":1,"":1}');
is_deeply $r->{json}{warnings}, ['a' x 60 . '…: isn\'t recognized and was ignored', '…: isn\'t recognized and was ignored',
	': isn\'t recognized and was ignored'], 'each cut and plain';
$r = told(PATCH => "/v1/artifacts/$art", type => 'application/json',
	body => '{"name":"N",' . join(',', map { "\"x$_\":1" } 1 .. 80_000) . '}');
is "$r->{status} " . @{$r->{json}{warnings}}, '200 10', 'a body of nothing else';
is $api->call(POST => '/v1/oauth/device_authorization', { type => 'application/x-www-form-urlencoded',
	body => 'client_id=x&audience=y' })->{json}{warnings}, undef, 'a client of OAuth may send what it likes (RFC 6749, section 3.1)';
unlike $api->call(GET => '/v1/openapi.json?x=1')->{body}, qr/"warnings":\["/, 'a document stays as it is';
like told(GET => '/v1/artifacts?limit=0')->{json}{error}, qr/from 1 to 200/, 'a limit says its real bound';
$r = told(GET => '/v1/artifacts?limit=500');
is_deeply [$r->{status}, @{$r->{json}{warnings}}], [200, 'limit: the maximum is 200, which was used instead of 500'],
	'and what was taken instead';

# The limit is exact: five of twelve, and refusals do not use it.
my %seen;
for my $i (1 .. 12) {
	my $bad = $i <= 3;
	$r = $api->call(POST => '/v1/publish',
		{ token => $ann->{token}, json => { name => 'x', files => [$bad ? () : { path => 'index.html', content => "$i" }] } });
	$seen{$r->{status}}++;
	like $r->{headers}{'ratelimit'}, qr/r=\d+;t=\d+/, 'RateLimit' if $i == 4;
	is $r->{headers}{'x-ratelimit-remaining'}, 4, 'remaining counts successes' if $i == 4;
}
is_deeply \%seen, { 400 => 3, 201 => 5, 429 => 4 }, 'five an hour, exactly';
is $r->{json}{code}, 'RATE_LIMITED', 'RATE_LIMITED';
ok $r->{headers}{'retry-after'} > 0, 'Retry-After';

# Counters survive the death of a worker.
my %killed = map { $_ => 1 } $stack->workers;
kill 'KILL', keys %killed;
Vitrine::Stack::wait_for('the pool', 60, sub { keys %killed == grep { !$killed{$_} } $stack->workers });
$r = $api->call(POST => '/v1/publish',
	{ token => $ann->{token}, json => { name => 'x', files => [{ path => 'index.html', content => '1' }] } });
is $r->{status}, 429, 'the pool is back and still counts';

sub metrics {
	my $m = IO::Socket::UNIX->new("$stack->{run}/metrics.sock");
	print $m "GET /metrics HTTP/1.0\r\n\r\n";
	return join '', <$m>;
}
my $text = metrics();
like $text, qr/vitrine_requests_total\{pool="quick",method="POST",route="\/v1\/publish",class="2xx"\} 11/, 'metrics count';
like $text, qr/vitrine_worker_respawns_total\{pool="quick"\} [1-9].*vitrine_worker_respawns_total\{pool="slow"\} [1-9]/s,
	'and tell of the dead';
like $text, qr/^vitrine_disk_free_bytes [1-9]\d*$/m, 'the disk';
unlike $text, qr/^vitrine_runner_/m, 'nothing of a runner that never ran';
my $db = $stack->db;
$db->do("INSERT INTO outbox (id, kind, subject, due_at) VALUES ('out_01000000000000000000000000', 'mail', 'x', UNIX_TIMESTAMP() + 999)");
$db->do("INSERT INTO damage (subject, why, found_at, checked_at) VALUES ('objects/x', 'x', 1, 1)");
$db->do("INSERT INTO heartbeat (name, beat_at) VALUES ('runner', 1)");
is $api->call(GET => '/readyz')->{json}{runner_seen_at}, 1, 'readyz knows of the runner';
$db->do("INSERT INTO heartbeat (name, beat_at) "
	. "VALUES ('runner.jobs', UNIX_TIMESTAMP() - 700), ('runner.mail', UNIX_TIMESTAMP() - 60), ('runner.old', 1)");
is $api->call(GET => '/readyz')->{json}{lanes_late}, 1, 'and of a lane that is missing, for a week';
my $before = time;
$stack->runner;
$text = metrics();
my %gauge = $text =~ /^vitrine_(\w+) (\d+)$/mg;
ok $gauge{runner_last_pass_timestamp_seconds} >= $before, 'when the runner last was through';
ok $gauge{outbox_oldest_seconds} > 1e8, 'how old the oldest of the outbox is';
is $gauge{outbox_late_seconds}, 0, 'and how late';
ok $gauge{scrub_last_cycle_timestamp_seconds} >= $before, 'the scrub';
ok exists $gauge{$_}, $_ for qw(damaged mails_failed runs_due runs_running runs_retrying runs_failed runs_late_seconds runner_lanes_late);
ok $api->call(GET => '/readyz')->{json}{runner_seen_at} >= $before, 'readyz too';
my @types = $text =~ /^# TYPE (\w+) /mg;
is scalar(@types), scalar(keys %{{map { $_ => 1 } @types}}), 'each is described once';
# What etc/prometheus asks for is there.
my %told = map { s/_(?:bucket|sum|count)$//r => 1 } $text =~ /^# TYPE vitrine_(\w+) /mg;
for my $file (qw(vitrine.rules.yml grafana-vitrine.json)) {
	my @asked = Vitrine::Stack::slurp("$FindBin::Bin/../../etc/prometheus/$file") =~ /\bvitrine_(\w+)/g;
	ok @asked > 8, "$file asks for something";
	is join(' ', grep { !$told{s/_(?:bucket|sum|count)$//r} } @asked), '', '... that is told';
}
ok Cpanel::JSON::XS::decode_json(Vitrine::Stack::slurp("$FindBin::Bin/../../etc/prometheus/grafana-vitrine.json"))->{panels},
	'the dashboard is JSON';
Vitrine::Stack::spew("$stack->{dir}/data/gauges", "damaged 1 }\n");
unlike metrics(), qr/^vitrine_damaged/m, 'a file of another shape gives none';
# Where to report weaknesses.
$stack->{conf}{security_contact} = 'security@example.org';
$stack->write_conf;
kill 'HUP', $stack->{pids}{worker};
my $security;
Vitrine::Stack::wait_for('security.txt', 60, sub {
	$security = $api->call(GET => '/.well-known/security.txt', { accept => '*/*' });
	$security->{status} == 200;
});
like $security->{body}, qr{\AContact: mailto:security\@example\.org\nExpires: \d{4}-\d\d-\d\dT[\d:]+Z\nPreferred-Languages: en\n},
	'security.txt';
is $security->{headers}{'content-type'}, 'text/plain; charset=utf-8', '... is a text';
$stack->{conf}{security_contact} = 'somebody';
$stack->write_conf;
like +($stack->program('vitrinectl', {}, qw(config check)))[2], qr/security_contact: somebody must be/,
	'a contact that is neither is refused';
$stack->{conf}{security_contact} = '-';
$stack->write_conf;
finish($stack);
