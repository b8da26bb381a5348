# SPDX-License-Identifier: Apache-2.0
# /v1/data/…/json: the JSON document of an artifact, kept as it was sent, changed by merge patches, by conditions, and by many at once; and
# who looks.
use utf8;
use Encode 'encode_utf8';
use Vitrine::Counted;
use Vitrine::Visitor;
use Vitrine::Words qw(as refused);

my ($stack, $api, $db) = stack(workers => 4, data_per_minute => 100_000);
my ($ann, $ben, $cid, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben cid eve);
my $art = $api->publish($ann, slug => 'open', visibility => 'public');
my $shut = $api->publish($ann, slug => 'shut', visibility => 'private');
$stack->collaborator($shut, $ben, 'viewer');
$stack->collaborator($shut, $cid, 'editor');
my $path = "/v1/data/$art/json";
sub put { my ($text, %o) = @_; return as($ann, PUT => $path, body => $text, type => 'application/json', %o) }
sub patch { my ($text, %o) = @_; return as($ann, PATCH => $path, body => $text, type => 'application/json', %o) }
sub now { return as($ann, GET => $path)->{body} =~ s/^\{"success":true,"data":(.*)\}$/$1/sr }

# ---- as it was sent

refused(as($ann, GET => $path), '404 NOT_FOUND', 'before it was put there is none');
refused(as($ann, DELETE => $path), '404 NOT_FOUND', 'nor to be deleted');
my $sent = encode_utf8('{"z":1.50,"a":-0,"big":12345678901234567890,"far":1e400,"small":5E-324,"":"","1":{"":[1.0,1e0,null,true,{}]},'
	. '"é\u0041":"\u00e9\n\u2028😀"}');
my $kept = encode_utf8(qq({"z":1.50,"a":-0,"big":12345678901234567890,"far":1e400,"small":5E-324,"":"","1":{"":[1.0,1e0,null,true,{}]},)
	. qq("éA":"é\\n\x{2028}😀"}));
my $r = put($sent);
is $r->{status}, 200, 'put';
my $etag = $r->{json}{etag};
like $etag, qr/^"[0-9a-f]{24}"$/, 'with the ETag';
is now(), $kept, 'numbers, names and their order come back as they were sent';
$r = as($ann, GET => $path);
is $r->{headers}{etag}, $etag, 'the same strong ETag';
is as($ann, HEAD => $path)->{headers}{etag}, $etag, 'HEAD';
is put(" $sent\n")->{json}{etag}, $etag, 'the same document has the same ETag';
isnt put('{"z":1.5}')->{json}{etag}, $etag, 'another has another';
put($sent);

for (['[]', 'an array'], ['null', 'null'], ['"x"', 'text'], ['1', 'a number'], ['{"a":1,"\u0061":2}', 'a member twice'],
	['{"a":NaN}', 'NaN'], ['{', 'half'], ['', 'nothing'],
	["{\"a\":\"\xff\"}", 'bad UTF-8'], ['{"a":"\u0000"}', 'NUL'], ['{"a":' . '[' x 32 . ']' x 32 . '}', 'nested deeper than 32']) {
	refused(put($_->[0]), '400 INVALID_REQUEST', "$_->[1] is refused");
	refused(patch($_->[0]), '400 INVALID_REQUEST', '... as a patch, too');
}
like put('[]')->{json}{error}, qr/must be an object/, 'in words';
refused(put('{}', type => 'text/plain'), '415 UNSUPPORTED_MEDIA_TYPE', 'not JSON by its type');
refused(put('{}', type => 'application/merge-patch+json'), '415 UNSUPPORTED_MEDIA_TYPE', 'a merge patch is not put');
refused(as($ann, POST => $path, json => {}), '405 METHOD_NOT_ALLOWED', 'no POST');
is now(), $kept, 'and nothing has changed';

# ---- how large

my $mebi = 1 << 20;
my $full = '{"a":"' . 'x' x ($mebi - 8) . '"}';
is put($full)->{status}, 200, 'a mebibyte is taken';
is length now(), $mebi, 'and given';
refused(put("$full "), '413 BODY_TOO_LARGE', 'one byte more is not');
refused(patch('{"b":1}'), '413 BODY_TOO_LARGE', 'nor does a patch make it larger');
is length now(), $mebi, 'it stays as it was';
is patch('{"a":null,"b":1}')->{json}{data}{b}, 1, 'one may make it smaller';
is put('{"a":[' . join(',', (0) x 300_000) . ']}')->{status}, 200, 'many values are taken';
refused(patch('{"b":[' . join(',', (0) x 150_000) . ']}'), '413 BODY_TOO_LARGE', 'but not more by patches than at once');

# ---- merge patches

put('{"title":"Goodbye!","author":{"givenName":"John","familyName":"Doe"},"tags":["example","sample"],"content":"This will be unchanged"}');
$r = patch('{"title":"Hello!","phoneNumber":"+01-123-456-7890","author":{"familyName":null},"tags":["example"]}',
	type => 'application/merge-patch+json');
is now(), '{"title":"Hello!","author":{"givenName":"John"},"tags":["example"],"content":"This will be '
	. 'unchanged","phoneNumber":"+01-123-456-7890"}', 'the example of RFC 7396';
is as($ann, GET => $path)->{headers}{etag}, $r->{json}{etag}, 'the reply has the new ETag';
is $r->{body} =~ s/^.*?,"data":(.*)\}$/$1/sr, now(), 'and the document';
put('{"n":1.50,"m":{"a":1}}');
patch('{"x":2.0,"m":{"b":{"c":null,"d":1E5}},"gone":null}');
is now(), '{"n":1.50,"m":{"a":1,"b":{"d":1E5}},"x":2.0}', 'numbers keep their text, nulls stand nowhere';
is as($ann, DELETE => $path)->{json}{success}, Cpanel::JSON::XS::true, 'deleted';
refused(as($ann, GET => $path), '404 NOT_FOUND', 'gone');
is patch('{"a":{"b":null},"c":1}')->{status}, 200, 'a patch makes the first document';
is now(), '{"a":{},"c":1}', 'out of an empty one';

# ---- conditions

$etag = put('{"v":1}')->{json}{etag};
my $hex = $etag =~ s/"//gr;
for ([$etag, 304], ["W/$etag", 304], ["\"other\", $etag", 304], ['*', 304], ['"other"', 200], ["\"x$hex\"", 200], [$hex, 200]) {
	my ($header, $want) = @$_;
	$r = as($ann, GET => $path, headers => { 'If-None-Match' => $header });
	is $r->{status}, $want, "If-None-Match: $header";
	is $r->{body}, $want == 304 ? '' : '{"success":true,"data":{"v":1}}', 'with what belongs to it';
	is $r->{headers}{etag}, $etag, 'and the ETag';
}
for my $method (qw(PUT PATCH DELETE)) {
	for my $header (['If-Match', '"other"'], ['If-Match', "W/$etag"], ['If-None-Match', '*'], ['If-None-Match', $etag]) {
		$r = as($ann, $method => $path, headers => { @$header }, $method eq 'DELETE' ? () : (json => { v => 2 }));
		refused($r, '412 PRECONDITION_FAILED', "$method with $header->[0]: $header->[1]");
	}
}
is now(), '{"v":1}', 'which changed nothing';
is put('{"v":2}', headers => { 'If-Match' => "\"other\", $etag" })->{status}, 200, 'If-Match with the present one';
is put('{"v":3}', headers => { 'If-Match' => '*' })->{status}, 200, 'or any, as there is one';
is patch('{"v":4}', headers => { 'If-None-Match' => '"other"' })->{status}, 200, 'If-None-Match with another';
is as($ann, DELETE => $path, headers => { 'If-Match' => as($ann, GET => $path)->{headers}{etag} })->{status}, 200, 'DELETE too';
refused(put('{}', headers => { 'If-Match' => '*' }), '412 PRECONDITION_FAILED', 'any, where there is none');
refused(patch('{}', headers => { 'If-Match' => $etag }), '412 PRECONDITION_FAILED', 'one that was');
is put('{"v":5}', headers => { 'If-None-Match' => '*' })->{status}, 200, 'only where there is none';

# ---- who may

my $private = "/v1/data/$shut/json";
is as($ann, PUT => $private, json => { secret => 1 })->{status}, 200, 'the owner writes';
is as($_, GET => $private)->{json}{data}{secret}, 1, 'those with a role read' for $ann, $ben, $cid;
is as($cid, PATCH => $private, json => { by => 'cid' })->{status}, 200, 'an editor writes';
refused(as($ben, PATCH => $private, json => { by => 'ben' }), '403 ACCESS_DENIED', 'a viewer does not');
refused(as($ben, DELETE => $private), '403 ACCESS_DENIED', 'nor delete');
my ($hidden, $absent) = map { as($eve, PUT => "/v1/data/$_/json", json => {}) } $shut, 'art_' . '0' x 26;
delete $_->{json}{request_id} for $hidden, $absent;
is_deeply $hidden->{json}, $absent->{json}, 'to others it is not there' or diag explain $hidden->{json};
refused(as(undef, GET => $private), '404 NOT_FOUND', 'nor by nobody');
is as(undef, GET => $path)->{json}{data}{v}, 5, 'of what is open everybody reads';
refused(as($eve, PUT => $path, json => {}), '403 ACCESS_DENIED', 'but writes not');
refused(as(undef, PUT => $path, json => {}), '401 UNAUTHENTICATED', 'nobody neither');
refused(as($ann, GET => '/v1/data/self/json'), '404 NOT_FOUND', 'self means nothing here');
for (['data:read' => 4, 200, 403], ['data:write' => 8, 403, 200], ['artifacts:read' => 1, 403, 403]) {
	my ($scope, $bit, $read, $write) = @$_;
	$db->do('UPDATE token SET scopes = ? WHERE user_id = ?', undef, $bit, $cid->{id});
	is as($cid, GET => $private)->{status}, $read, "with $scope alone: read";
	is as($cid, PATCH => $private, json => { by => $scope })->{status}, $write, '... and write';
}
$db->do('UPDATE token SET scopes = NULL WHERE user_id = ?', undef, $cid->{id});
$db->do('UPDATE artifact SET paused_at = 1 WHERE id = ?', undef, $shut);
refused(as($cid, GET => $private), '403 ARTIFACT_PAUSED', 'paused: closed to all but its owner');
is as($ann, GET => $private)->{status}, 200, 'who reads on';
$db->do('UPDATE artifact SET paused_at = NULL WHERE id = ?', undef, $shut);

# ---- the policy

sub policy { $db->do('UPDATE artifact SET access_policy = ? WHERE id = ?', undef, $_[1] && encode_json($_[1]), $_[0]) }
policy($art, { json => { read => "viewer.domain == 'example.org'", write => "viewer.email == 'eve\@example.org'" } });
is as($eve, PUT => $path, json => { by => 'eve' })->{status}, 200, 'whom the policy names may write';
refused(as($ben, PUT => $path, json => {}), '403 ACCESS_DENIED', 'another not');
is as($ben, GET => $path)->{json}{data}{by}, 'eve', 'whom it names may read';
refused(as(undef, GET => $path), '404 NOT_FOUND', 'for others there is none');
is as($ann, GET => $path)->{json}{data}{by}, 'eve', 'the owner is not bound by it';
policy($art, undef);

# ---- who looks

my $viewer = "/v1/data/$shut/viewer";
is_deeply as($ann, GET => $viewer)->{json}, { success => Cpanel::JSON::XS::true,
	viewer => { id => $ann->{id}, email => 'ann@example.org', name => '', role => 'owner' } }, 'the owner';
is as($ben, GET => $viewer)->{json}{viewer}{role}, 'viewer', 'a viewer';
is_deeply as(undef, GET => "/v1/data/$art/viewer")->{json}{viewer}, { map { $_ => undef } qw(id email name role) }, 'nobody';
is as($eve, GET => "/v1/data/$art/viewer")->{json}{viewer}{role}, undef, 'somebody without a role';
refused(as($eve, GET => $viewer), '404 NOT_FOUND', 'who may not know of it');

# ---- at once

sub together { return Vitrine::Api::together($stack, @_) }
as($ann, DELETE => $path);
my @said = together(16, sub { my ($mine, $i) = @_;
	join ' ',
		map { $mine->call(PATCH => $path, { token => $ann->{token}, json => { "p$i" => { "n$_" => $_ } } })->{status} } 1 .. 10 });
is_deeply [grep { $_ ne '200 ' x 9 . '200' } @said], [], '16 patch at once, the first document too';
my $all = as($ann, GET => $path)->{json}{data};
is_deeply $all, { map { my $i = $_; ("p$i" => { map { ("n$_" => $_) } 1 .. 10 }) } 0 .. 15 }, 'and nothing is lost';
put('{"n":0}');
@said = together(8, sub { my ($mine) = @_;
	my $done = 0;
	for (1 .. 1000) {
		last if $done == 5;
		my $read = $mine->call(GET => $path, {});
		$done += $mine->call(PUT => $path, { token => $ann->{token}, json => { n => $read->{json}{data}{n} + 1 },
			headers => { 'If-Match' => $read->{headers}{etag} } })->{status} == 200;
	}
	$done });
is "@said", '5 ' x 7 . 5, 'each of 8 counts five times, by If-Match';
is now(), '{"n":40}', 'and each counts';

# Nobody waits for a publish that holds the artifact's row.
my $holder = $stack->db->clone({ AutoCommit => 0 });
$holder->do('SELECT id FROM artifact WHERE id = ? FOR UPDATE', undef, $art);
is put('{"n":41}')->{status}, 200, 'a change does not wait for who holds the artifact';
$holder->rollback;
$holder->disconnect;

# ---- what it costs

my $read = as($ann, GET => $path)->{headers}{etag};
Vitrine::Counted::still($stack);
sub cost { my (undef, $n) = Vitrine::Counted::counted($db, $_[0]); return $n =~ s/Com_stmt_execute=(\d+) Com_begin=(\d+).*/$1 $2/r }
as($ann, GET => $path) for 1 .. 40; # each worker has its statements
$api->get_site('open', '/v1/data/self/json', 'If-None-Match' => $read) for 1 .. 40;
is cost(sub { as($ann, GET => $path) }), '2 0', 'a read is two statements for its owner, one of which says who they are';
is cost(sub { is $api->get_site('open', '/v1/data/self/json')->{status}, 200, 'on its own host' }), '1 0', 'one statement';
is cost(sub { is $api->get_site('open', '/v1/data/self/json', 'If-None-Match' => $read)->{status}, 304, 'for a page that asks again' }),
	'1 0', 'one statement';
Vitrine::Counted::go_on($stack);

# ---- what keeps an eye on it

is $stack->ctl('fsck'), 'clean', 'fsck is content';
$db->do(q(UPDATE document SET body = '{"n":42}' WHERE artifact_id = ?), undef, $art);
like +($stack->program('vitrinectl', {}, 'fsck'))[1],
	qr/^artifact $art: its JSON document is not what its digest says; run vitrinectl reproject$/m,
	'and sees what was changed beside us';
put('{"n":43}');
is as($ann, DELETE => "/v1/artifacts/$art?purge=1")->{status}, 200, 'an artifact is purged';
$stack->runner;
is $db->selectrow_array('SELECT COUNT(*) FROM document WHERE artifact_id = ?', undef, $art), 0, 'with its document';
$stack->finish;

# ---- how often

$stack = Vitrine::Stack->new(data_per_minute => 5);
$api = Vitrine::Api->new($stack);
($ann, $eve) = map { $stack->user("$_\@example.org") } qw(ann eve);
my $two = $api->publish($ann, slug => 'two', visibility => 'public');
# All within one minute of the limit's; where it ends meanwhile, again with another artifact.
my ($one, @replies, $minute);
do {
	$minute = int time / 60;
	$one = $api->publish($ann, visibility => 'private');
	my $at = "/v1/data/$one/json";
	as($eve, $_ => $at, $_ eq 'PUT' ? (json => {}) : ()) for ('GET', 'PUT') x 10;
	@replies = (as($ann, PUT => $at, json => { a => 1 }), as($ann, GET => $at),
		as($ann, PUT => $at, body => '[]', type => 'application/json'), as($ann, GET => "/v1/data/$one/viewer"),
		as($ann, GET => $at), as($ann, PUT => $at, json => { a => 2 }), as($ann, PUT => "/v1/data/$two/json", json => {}));
} while int(time / 60) != $minute;
sub left { my ($r) = @_; return "$r->{status} " . ($r->{headers}{'x-ratelimit-remaining'} // '') }
is left($replies[0]), '200 4', 'what strangers try of a private artifact counts for nothing';
like $replies[0]{headers}{'ratelimit-policy'}, qr/q=5;w=60/, 'five a minute, as it says';
is left($replies[1]), '200 3', 'reading counts';
is left($replies[2]), '400 2', 'what is refused counts too';
is left($replies[3]), '200 1', 'so does another address';
is left($replies[4]), '200 0', 'the fifth';
refused($replies[5], '429 RATE_LIMITED', 'the sixth is too many');
like $replies[5]{headers}{'retry-after'}, qr/^[1-9]\d?$/, 'and it says when to come again';
is left($replies[6]), '200 4', 'of another artifact it is another limit';
is $stack->db->selectrow_array('SELECT body FROM document WHERE artifact_id = ?', undef, $one), '{"a":1}', 'what was too many did nothing';
finish($stack);
