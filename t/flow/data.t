# SPDX-License-Identifier: Apache-2.0
# The Data tab in a browser: the document is shown readably, written, refused in place, and changed by two at once without either losing
# what they typed; then the client does the same.
use utf8;
use Encode qw(decode_utf8 encode_utf8);
use Vitrine::Browser;
use Vitrine::Visitor;
use Vitrine::Words;

my ($stack, $api) = stack(publish_per_hour => 1000);
my $app = "https://vitrine.localhost:$stack->{port}";
my ($token) = map { $_->{token} } $stack->user('ann@example.org');
$stack->user("$_\@example.org") for qw(ben cid);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for qw(ann ben cid);
my $art = $api->publish({ token => $token }, slug => 'board', name => 'Notice board', visibility => 'public');
$api->call(POST => "/v1/artifacts/$art/collaborators", { token => $token, json => { emails => ["$_->[0]\@example.org"], role => $_->[1] } })
	for ['ben', 'editor'], ['cid', 'viewer'];
sub now { return $api->call(GET => "/v1/data/$art/json", { token => $token })->{body} =~ s/^\{"success":true,"data":(.*)\}$/$1/sr }

my ($ann, $ben) = map { Vitrine::Browser->new($stack, @$_) } [width => 1280, height => 900], [width => 390, height => 844, dark => 1];
my $pages = 0;
sub seen {
	my ($b, $name, %o) = @_;
	is join('; ', $b->barriers), '', "$name has no barrier";
	is join('; ', grep { /\Q$app\E/ && !/favicon/ && !($o{refused} && /40[0-9]/) } $b->complaints), '',
		"the browser has no complaint about $name";
	$b->screenshot(sprintf 'data-%02d-%s', ++$pages, $name =~ s/\W+/-/gr);
}
$ann->sign_in('ann@example.org', 'the password');
$ben->sign_in('ben@example.org', 'the password');

# ---- none yet, then one

$ann->go("$app/a/$art")->follow('Data');
$ann->wait_text(qr/There is no document yet/);
is $ann->url, "$app/a/$art/data", 'the tab';
seen($ann, 'no document');
$ann->fill('#text', '{ "title": "Board", "n": 1.50, }')->click('form button.primary');
$ann->wait_text(qr/Not saved\. Line 1, column 32: expected a member name\./);
is $ann->script('return document.getElementById("text").value'), '{ "title": "Board", "n": 1.50, }', 'what was typed is still there';
is $ann->script('return document.getElementById("text").getAttribute("aria-invalid")'), 'true', 'and marked';
seen($ann, 'refused in place', refused => 1);
is $api->call(GET => "/v1/data/$art/json", { token => $token })->{status}, 404, 'nothing was stored';
$ann->fill('#text', '[1, 2]')->click('form button.primary');
$ann->wait_text(qr/Not saved\. The document must be an object/);
$ann->complaints;
$ann->fill('#text', '{ "title": "Board", "n": 1.50, "deep": { "list": [1, "zwei", null], "none": {} } }')->click('form button.primary');
$ann->wait_text(qr/Saved\./);
is now(), '{"title":"Board","n":1.50,"deep":{"list":[1,"zwei",null],"none":{}}}', 'saved as it was typed';
is $ann->script('return document.getElementById("text").value'), qq({\n  "title": "Board",\n  "n": 1.50,\n  "deep": {\n    "list": [\n)
	. qq(      1,\n      "zwei",\n      null\n    ],\n    "none": {}\n  }\n}), 'and shown readably';
seen($ann, 'a document');

# ---- two at once

$ben->go("$app/a/$art/data");
$ben->wait_text(qr/Save document/);
$ben->fill('#text', '{"by": "ben"}');
$ann->fill('#text', '{"by": "ann"}')->click('form button.primary');
$ann->wait_text(qr/Saved\./);
$ben->click('form button.primary');
$ben->wait_text(qr/Not saved\. Someone else changed the document/);
is scalar(() = $ben->text('body') =~ /Someone else changed the document/g), 1, 'which is said once';
is now(), '{"by":"ann"}', 'the second has not written over the first';
is $ben->script('return document.getElementById("text").value'), '{"by": "ben"}', 'and finds what they typed';
like $ben->text('section:nth-of-type(2) pre'), qr/"by": "ann"/, 'beside what is there now';
seen($ben, 'changed meanwhile', refused => 1);
$ben->click('form button.primary');
$ben->wait_text(qr/Saved\./);
is now(), '{"by":"ben"}', 'saving again is meant';
seen($ben, 'a document, narrow and dark');

# ---- who may only look, and what is too large, without script

my $v = Vitrine::Visitor->new($api);
$v->sign_in('cid@example.org', 'the password');
my $text = $v->go("/a/$art/data")->{text};
like $text, qr{<pre[^>]*><code>\{\n  &quot;by&quot;: &quot;ben&quot;\n\}</code>}, 'a viewer sees it';
unlike $text, qr{<textarea}, 'and has nothing to write in';
is $v->send(POST => "/a/$art/data", body => 'text=%7B%7D&etag=',
	headers => { 'Content-Type' => 'application/x-www-form-urlencoded' })->{status}, 403, 'nor does it help to send it';
$v = Vitrine::Visitor->new($api);
$v->sign_in('ann@example.org', 'the password');
$v->go("/a/$art/data");
is $v->submit(qr{/data$}, { text => '{"a":"' . 'x' x 200_000 . '"}' }, stay => 1)->{headers}{location}, "/a/$art/data?done=saved",
	'a large one is taken';
like $v->go("/a/$art/data")->{text}, qr{<textarea}, 'and shown';
$api->call(PUT => "/v1/data/$art/json", { token => $token, json => { a => 'x' x 300_000 } });
$text = $v->go("/a/$art/data")->{text};
like $text, qr/too large to edit here/, 'a larger one is not';
unlike $text, qr/x{1000}/, 'shown';
like $text, qr{300 kB of 1 MB, changed <time}, 'but told of';

# ---- the client

my ($status, $out, $err) = $stack->client($token, qw(data put board), '{"n":1.50,"t":"é\u001b[31m"}');
is "$status $err", "0 saved\n", 'put';
($status, $out) = $stack->client($token, qw(data get board));
is decode_utf8($out), qq({\n  "n": 1.50,\n  "t": "é\\u001b[31m"\n}\n), 'get, with nothing that steers a terminal';
Vitrine::Stack::spew("$stack->{dir}/patch.json", encode_utf8('{"n":null,"more":{"x":-0}}'));
is +($stack->client($token, qw(data patch board), "$stack->{dir}/patch.json", '--quiet'))[2], '', 'patch, from a file';
is now(), encode_utf8('{"t":"é\u001b[31m","more":{"x":-0}}'), 'as the service has it';
($status, $out) = $stack->client($token, qw(data put board --json), '{}');
like $out, qr/^\{"success":true,"saved":true,"etag":"/, '--json is the reply';
is +($stack->client($token, @$_))[0], $_->[-1] =~ /nothing|\[/ ? 2 : 2, "vitrine @$_ is refused"
	for [qw(data put)], [qw(data throw board x)], [qw(data get a b)], [qw(data put board nothing.json)];
($status, $out, $err) = $stack->client($token, qw(data put board), '{"a":}');
is $status, 1, 'what is no JSON';
like $err, qr/unexpected character at byte 5/, 'is told with its place';
is +($stack->client($token, qw(data get absent)))[0], 1, 'an artifact that is none';
finish($stack);
