# SPDX-License-Identifier: Apache-2.0
# The agent of a page: who may talk with it, what the model is told, whole and streamed answers, a model's service that fails in every way,
# and visitors who leave. The key is told to the service alone.
use utf8;
use Time::HiRes qw(sleep time);
use Vitrine::Model;
use Vitrine::Visitor;
use Vitrine::Words 'refused';

my $tls = $ENV{VITRINE_VAR} . '/tls-test';
Vitrine::Stack::make_tls($tls);
my $model = Vitrine::Model->new($tls);
my ($stack, $api) = stack($model->conf, workers => 2, slow_workers => 8, chats_per_minute => 10000);
my ($ann, $ben, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben eve);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for qw(ben);
my $on = { enabled => Cpanel::JSON::XS::true, systemPrompt => "You know about tea.\nBe kind.", maxTokens => 300, temperature => 0.25,
	contextJson => Cpanel::JSON::XS::true, contextTables => ['teas'] };
my %art = ((map { ($_ => $api->publish($ann, slug => $_, name => 'Tea "shop"', visibility => $_, agent => $on)) } qw(public private)),
	off => $api->publish($ann, slug => 'off', visibility => 'public', agent => { enabled => Cpanel::JSON::XS::false }),
	none => $api->publish($ann, slug => 'none', visibility => 'public'));
$api->call(POST => "/v1/artifacts/$art{private}/collaborators",
	{ token => $ann->{token}, json => { emails => ['ben@example.org'], role => 'viewer' } });

sub said {
	my ($text, @before) = @_;
	return [(map { { role => $_ % 2 ? 'assistant' : 'user', content => $before[$_] } } 0 .. $#before),
		{ role => 'user', content => $text }];
}
sub chat {
	my ($text, %o) = @_;
	return $api->call(POST => "/v1/agent/" . ($o{art} // $art{private}) . '/chat',
		{ ($o{nobody} ? () : (token => ($o{who} // $ann)->{token})),
			json => { messages => ref $text ? $text : said($text), %{$o{more} // {}} }, headers => $o{headers} // {} });
}
# The events of a stream: [name, data decoded] each.
sub events {
	my ($r) = @_;
	return map {
		my ($name) = /^event: (.*)$/m;
		my ($data) = /^data: (.*)$/m;
		[$name // 'message', $data eq '[DONE]' ? $data : $api->{json}->decode($data)];
	} split /\n\n/, $r->{body};
}
sub words { return join '', map { ref $_->[1] ? $_->[1]{delta} // '' : '' } events($_[0]) }
sub streamed { my ($text, %o) = @_; return chat($text, %o, more => { stream => Cpanel::JSON::XS::true }) }
sub until_true { my ($true) = @_; for (1 .. 600) { return 1 if $true->(); sleep 0.05 } return 0 }
sub busy {
	my $c = IO::Socket::UNIX->new("$stack->{run}/metrics.sock") // die;
	print $c "GET / HTTP/1.0\r\n\r\n";
	my $n = 0;
	while (<$c>) { $n += $1 if /^vitrine_workers_busy.*slow.* (\d+)/ }
	return $n;
}

# ---- a whole answer

my $r = chat('say Good morning, Ann. 日本 "quoted"');
is_deeply $r->{json}, { success => Cpanel::JSON::XS::true, message => { role => 'assistant', content => 'Good morning, Ann. 日本 "quoted"' },
	model => 'small', finish_reason => 'stop' }, 'an answer, with exactly these members' or diag $r->{body};
my ($asked) = $model->notes;
is "$asked->{method} $asked->{path}", 'POST /v1/chat/completions', 'the service is asked as OpenAI has it';
is $asked->{headers}{authorization}, "Bearer $model->{key}", 'with the key';
is $asked->{headers}{'content-type'}, 'application/json', 'in JSON';
is join(' ', sort keys %{$asked->{headers}}), 'accept authorization content-length content-type host user-agent',
	'and nothing of the visitor';
my $body = $asked->{body};
is_deeply [@$body{qw(model stream max_tokens temperature)}], ['small', Cpanel::JSON::XS::false, 300, 0.25], 'as it was published';
is_deeply [map { $_->{role} } @{$body->{messages}}], ['system', 'user'], 'what it is told, then what was said';
like $body->{messages}[0]{content}, qr/Tea "shop".*https:\/\/private\.pages\.localhost:\d+\/.*You know about tea\.\nBe kind\./s,
	'the page, and what its publisher wants';
$model->forget;
chat(said('say three', 'one', 'two'));
is_deeply [map { "$_->{role}: $_->{content}" } @{($model->notes)[0]{body}{messages}}[1 .. 3]],
	['user: one', 'assistant: two', 'user: say three'], 'a conversation, in its order';

# ---- streamed

for my $way (['by stream', more => { stream => Cpanel::JSON::XS::true }], ['by Accept', headers => { Accept => 'text/event-stream' }]) {
	$r = chat('say one two three', @$way[1, 2]);
	is "$r->{status} $r->{headers}{'content-type'} $r->{headers}{'cache-control'}", '200 text/event-stream no-store',
		"$way->[0]: events";
	is_deeply [events($r)], [['message', { delta => 'one ' }], ['message', { delta => 'two ' }], ['message', { delta => 'three' }],
		['message', { finish_reason => 'stop', model => 'small' }], ['message', '[DONE]']], '... a piece each, then how it ended';
}
is +($model->notes)[-1]{body}{stream}, Cpanel::JSON::XS::true, 'the service is asked for a stream';
is words(streamed('odd')), 'héllo there', 'events cut anywhere, with comments, CRs, several lines and other fields';
is words(streamed('last')), 'without an end', 'one that ends with a finish_reason alone';
is words(streamed('bytes 700000')), 'x' x 700000, 'a long one';

# What comes is handed on at once, and as it comes.
sub connect_to {
	my ($who, $art, $text) = @_;
	my $c = $api->connection('vitrine.localhost');
	my $json = $api->{json}->encode({ messages => said($text), stream => Cpanel::JSON::XS::true });
	syswrite $c, "POST /v1/agent/$art/chat HTTP/1.1\r\nHost: vitrine.localhost\r\nAuthorization: Bearer $who->{token}\r\n"
		. "Content-Type: application/json\r\nContent-Length: " . length($json) . "\r\n\r\n$json";
	return $c }
my $c = connect_to($ann, $art{private}, 'pause 60');
my $got = '';
my $until = time + 30;
while (time < $until && $got !~ /one /) { sysread $c, $got, 65536, length $got or last }
like $got, qr/data: \{"delta":"one "\}/, 'the first words arrive while the model still thinks';
unlike $got, qr/two/, '... of the next';

# ---- a visitor who leaves

$model->forget;
close $c;
ok until_true(sub { busy() == 0 }), 'who leaves a stream frees the worker';
$c = connect_to($ann, $art{private}, 'hang');
ok until_true(sub { grep { $_->{path} } $model->notes }), 'the model is asked';
close $c;
ok until_true(sub { grep { $_->{left} } $model->notes }), 'who leaves before the first word ends what the model does';
$model->forget;
my $json = $api->{json}->encode({ messages => said('hang') });
$c = $api->connection('vitrine.localhost');
syswrite $c, "POST /v1/agent/$art{private}/chat HTTP/1.1\r\nHost: vitrine.localhost\r\nAuthorization: Bearer $ann->{token}\r\n"
	. "Content-Type: application/json\r\nContent-Length: " . length($json) . "\r\n\r\n$json";
ok until_true(sub { grep { $_->{path} } $model->notes }), 'a whole answer is asked for';
close $c;
ok until_true(sub { grep { $_->{left} } $model->notes }), '... and no more when nobody waits for it';
$model->forget;
$c = connect_to($ann, $art{private}, 'drip');
ok until_true(sub { grep { $_->{path} } $model->notes }), 'a model that says nothing but comments';
close $c;
ok until_true(sub { grep { $_->{left} } $model->notes }), '... is left, too';
ok until_true(sub { busy() == 0 }), 'no worker waits anymore';

# ---- a service that fails

for my $how ('status 401', 'status 429', 'status 500', 'status 301', 'junk', 'wrong', 'bytes 1048577') {
	refused(chat($how), '502 UPSTREAM_FAILED', "$how: a whole answer");
	refused(streamed($how), '502 UPSTREAM_FAILED', "$how: a stream that has not begun") if $how !~ /bytes/;
}
refused(chat($_), '502 UPSTREAM_FAILED', "$_: a whole answer") for qw(break endless);
refused(streamed('whole'), '502 UPSTREAM_FAILED', 'no stream though one was asked for');
is length chat('bytes 1048576')->{json}{message}{content}, 1 << 20, 'a mebibyte is taken';
for (['break', 'half of '], ['endless', undef]) {
	$r = streamed($_->[0]);
	my @events = events($r);
	is_deeply [$r->{status}, $events[-1][0], @{$events[-1][1]}{qw(success code)}],
		[200, 'error', Cpanel::JSON::XS::false, 'UPSTREAM_FAILED'], "$_->[0]: a stream that breaks off says so";
	ok !(grep { $_->[1] eq '[DONE]' } @events), '... and not that it is done';
	is words($r), $_->[1], '... after what was said' if $_->[1];
	cmp_ok length words($r), '<=', 1 << 20, '... which is bounded';
}
unlike $_->{body}, qr/\Q$model->{key}\E|sk-test/, 'no answer has the key in it' for map { chat($_) } 'status 401', 'wrong', 'context';
is $_->[1], "It is [secret], isn't it? " . substr($model->{key}, 0, 8), "$_->[0]: a key that the service repeats is struck out"
	for ['whole', chat('key')->{json}{message}{content}], ['streamed', words(streamed('key'))];

# ---- what may be said

refused(chat($_), '400 INVALID_REQUEST', 'messages that are none')
	for [], [{ role => 'user' }], [{ content => 'x' }], [{ role => 'system', content => 'x' }], [{ role => 'tool', content => 'x' }],
	[{ role => 'user', content => '' }], [{ role => 'user', content => ['x'] }],
	[{ role => 'user', content => undef }], [{ role => 'user', content => 'x' }, { role => 'assistant', content => 'y' }], ['x'],
	[map { { role => 'user', content => 'x' } } 1 .. 51], said('x' x 65537), said('x' x 40000, 'y' x 40000, 'z');
is chat([map { { role => 'user', content => 'say ' . 'x' x 1306 } } 1 .. 50])->{status}, 200, 'fifty, of 64 KiB together';
is chat("say a\x{7}b\x{202e}c")->{json}{message}{content}, "a\x{7}b\x{202e}c", 'what a person pastes, and a model repeats, passes as it is';
refused($api->call(POST => "/v1/agent/$art{private}/chat", { token => $ann->{token}, type => 'application/json',
	body => '{"messages":[{"role":"user","content":"' . 'x' x (1 << 20) . '"}]}' }), '413 BODY_TOO_LARGE', 'a body of a mebibyte');
refused(chat('say x', art => $art{$_}), '409 CONFLICT', "no agent: $_") for qw(off none);

# ---- who may

refused(chat('say x', who => $eve), '404 NOT_FOUND', 'a stranger, of a private artifact');
refused(chat('say x', who => $eve, art => $art{public}), '403 ACCESS_DENIED', 'of a public one, by the API');
refused(chat('say x', nobody => 1, art => $art{public}), '401 UNAUTHENTICATED', 'nor does nobody');
is chat('say x', who => $ben)->{status}, 200, 'a viewer may';
sub on_host {
	my ($slug, $art, %headers) = @_;
	my $r = $api->request('POST', "$slug.pages.localhost", "/v1/agent/$art/chat", { 'Content-Type' => 'application/json',
		'Sec-Fetch-Site' => 'same-origin', %headers }, $api->{json}->encode({ messages => said('say hello visitor') }));
	$r->{json} = eval { $api->{json}->decode($r->{body}) };
	return $r;
}
is on_host('public', $art{public})->{json}{message}{content}, 'hello visitor', 'on its own host whoever sees the page';
is words(on_host('public', $art{public}, Accept => 'text/event-stream')), 'hello visitor', '... by a stream, too';
refused(on_host('public', $art{private}), '404 NOT_FOUND', 'not with the agent of another');
refused(on_host('private', $art{private}), '404 NOT_FOUND', 'nor of a private one for a stranger');
my $v = Vitrine::Visitor->new($api);
$v->sign_in('ben@example.org', 'the password');
my $cookie = $v->viewer_cookie("private.pages.localhost", "https://private.pages.localhost:$stack->{port}/");
is on_host('private', $art{private}, Cookie => $cookie)->{status}, 200, 'who is let in may';
refused(on_host('private', $art{private}, Cookie => $cookie, 'Sec-Fetch-Site' => 'cross-site'), '403 ACCESS_DENIED',
	'but not from elsewhere');
is $api->site(POST => 'public', "/v1/agent/$art{public}/chat", 'Content-Type' => 'text/plain')->{status}, 415, 'nor by a form';
$stack->db->do('UPDATE token SET scopes = ? WHERE user_id = ?', undef, 1, $ben->{id});
refused(chat('say x', who => $ben), '403 INSUFFICIENT_SCOPE', 'a token needs data:read');

# ---- a table that is hidden

my $hidden = $api->publish($ann, slug => 'hidden', visibility => 'private', agent => { %$on, contextTables => ['letters'] },
	access_policy => { tables => { letters => { read => 'false', write => 'true' } } });
$api->call(POST => "/v1/artifacts/$hidden/collaborators",
	{ token => $ann->{token}, json => { emails => ['eve@example.org'], role => 'viewer' } });
$api->call(PUT => "/v1/data/$hidden/tables/letters",
	{ token => $ann->{token}, json => { columns => [{ name => 'text', type => 'text' }], rows => [{ text => 'secret' }] } });
$r = chat('context', art => $hidden, who => $eve);
is $r->{status}, 200, 'whoever may write a table and not read it talks with the agent' or diag $r->{body};
unlike $r->{body}, qr/letters|secret/, '... which is told nothing of it';
like chat('context', art => $hidden)->{body}, qr/letters.*secret/s, '... but by the owner';

# ---- which model

$model->forget;
for ([large => 'large'], [huge => 'small']) {
	$api->call(POST => '/v1/publish', { token => $ann->{token}, json => { artifact_id => $art{private}, name => 'x',
		files => [{ path => 'index.html', content => 'x' }], agent => { %$on, model => $_->[0] } } });
	is chat('say x')->{json}{model}, $_->[1], "$_->[0] is answered by $_->[1]";
	is +($model->notes)[-1]{body}{model}, $_->[1], '... which is asked';
}
$api->call(POST => '/v1/publish', { token => $ann->{token}, json => { artifact_id => $art{private}, name => 'x',
	files => [{ path => 'index.html', content => 'x' }], agent => { enabled => Cpanel::JSON::XS::true } } });
$model->forget;
is chat('say x')->{status}, 200, 'an agent of which nothing is said';
is_deeply [grep { /max_tokens|temperature/ } keys %{($model->notes)[-1]{body}}], [], '... leaves all to the service';

# ---- no service, no key

sub worker_with {
	my (%conf) = @_;
	$stack->{conf} = { %{$stack->{conf}}, %conf };
	$stack->write_conf;
	$stack->stop_one('worker');
	$stack->start_worker;
}
rename "$model->{dir}/key", "$model->{dir}/away";
refused(chat('say x'), '503 UNAVAILABLE', 'a key that is not there');
rename "$model->{dir}/away", "$model->{dir}/key";
is chat('say x')->{status}, 200, '... is read when it is needed';
Vitrine::Stack::spew("$model->{dir}/wrong", "sk-wrong\n");
worker_with(agent_key_file => "$model->{dir}/wrong");
refused(chat('say x'), '502 UPSTREAM_FAILED', 'a key that the service does not take');
worker_with(agent_url => "https://localhost:1/v1");
refused(chat('say x'), '502 UPSTREAM_FAILED', 'a service that is not there');
worker_with(agent_url => "https://127.0.0.1:$model->{port}/v1");
refused(chat('say x'), '502 UPSTREAM_FAILED', 'a certificate for another name');
worker_with(agent_url => '"-"');
refused(chat('say x'), '409 CONFLICT', 'none configured');
like chat('say x')->{json}{error}, qr/hasn't configured a language model/, '... in words';
for (['agent_url', "http://localhost:$model->{port}/v1"], ['agent_url', 'https://x.example/v1/'], ['agent_url', 'x'],
	['agent_models', '"-"']) {
	$stack->{conf} = { %{$stack->{conf}}, $model->conf, $_->[0] => $_->[1] };
	$stack->write_conf;
	my ($status, undef, $err) = $stack->program('vitrinectl', {}, 'config', 'check');
	isnt $status, 0, "$_->[0]: $_->[1] is refused";
}
$stack->{conf} = { %{$stack->{conf}}, $model->conf };
$stack->write_conf;

# ---- the limit, and what the logs know

worker_with($model->conf, chats_per_minute => 2);
my $fresh = $api->publish($ann, agent => $on);
my (%window, $over);
for (1 .. 12) {
	$over = chat('say x', art => $fresh);
	last if $over->{status} == 429;
	$window{$over->{headers}{'x-ratelimit-reset'}}++;
}
is $window{$over->{headers}{'x-ratelimit-reset'}}, 2, 'so many a minute';
my $log = Vitrine::Stack::slurp("$stack->{dir}/worker.log") . Vitrine::Stack::slurp("$stack->{run}/nginx-error.log");
unlike $log, qr/\Q$model->{key}\E|sk-test|sk-wrong/, 'no log has the key in it';
unlike $log, qr/Good morning|You know about tea/, 'nor what was said';
like $log, qr/agent_url: it returned status 401/, 'but why it failed';
$model->stop;
finish($stack);
