# SPDX-License-Identifier: Apache-2.0
# vitrine jobs: made with the options of each action, listed, run and waited for, their logs in pages, paused, resumed, deleted; secrets
# told once.
use utf8;
use Digest::SHA 'hmac_sha256_base64';
use MIME::Base64;
use Vitrine::Receiver;
use Vitrine::Words;

my $tls = "$ENV{VITRINE_VAR}/tls-test";
Vitrine::Stack::make_tls($tls);
my $hook = Vitrine::Receiver->new($tls);
my ($stack, $api) = stack(leaks => 1, $hook->conf);
my $ann = $stack->user('ann@example.org');
my $eve = $stack->user('eve@example.org');
my $art = $api->publish($ann, slug => 'site', name => 'My site', visibility => 'private');
my $dir = $stack->{dir};
sub jobs { my @a = @_; my @o = ref $a[-1] ? pop @a : (); return $stack->client($ann->{token}, 'jobs', @a, '--artifact', 'site', @o) }
sub made { my ($status, $out, $err) = jobs('add', @_); is $status, 0, "add @_[0 .. 1]" or diag $err; return split /\n/, $out }
sub job { my ($id) = @_; return $api->call(GET => "/v1/jobs/$id", { token => $ann->{token} })->{json}{job} }
sub typed { my ($text) = @_; Vitrine::Stack::spew("$dir/typed", $text); return { stdin => "$dir/typed" } }
my @daily = ('--cron', '0 7 * * *');

# ---- making them

is_deeply [jobs('list')], [0, '', ''], 'none at first';
my ($mail, @more) = made('--email', 'ann@example.org, bea@example.org', '--subject', 'The {{artifact.name}}', '--text',
	"Look:\n{{artifact.url}}", '--link', @daily, '--timezone', 'Europe/Dublin', '--name', 'Mail of the day', '--attempts', 5);
like $mail, qr/^job_\w{26}$/, 'its id is printed';
is "@more", '', '... and nothing more';
is_deeply job($mail)->{config}, { recipients => ['ann@example.org', 'bea@example.org'], subject => 'The {{artifact.name}}',
	body => "Look:\n{{artifact.url}}", includeArtifactLink => Cpanel::JSON::XS::true }, 'what it does';
is_deeply [@{job($mail)}{qw(name schedule timezone)}, job($mail)->{retry_config}{maxAttempts}],
	['Mail of the day', '0 7 * * *', 'Europe/Dublin', 5], '... and when';
my ($web, $secret) = made('--webhook', $hook->url('/hook'), '--header', 'Authorization: Bearer of news', '--payload',
	'{"n": 1.50, "where": "{{artifact.url}}"}', '--on', 'updated', '--name', 'Tell the site');
like $secret, qr/^whsec_/, 'the secret of a webhook is printed, since it is told once';
is_deeply [@{job($web)}{qw(event_type schedule)}, job($web)->{config}{header_names}], ['artifact.updated', undef, ['Authorization']],
	'it waits for an event';
my ($get) = made('--get', $hook->url('/doc'), '--save-to', 'json', '--cron', '@hourly');
is job($get)->{config}{save_to}, 'json', 'what is fetched goes where it was said';
my ($load) = made('--materialize', $hook->url('/rows.csv'), '--table', 'ledger', '--append', '--format', 'csv', '--header', '-', '--on',
	'comment', typed("X-Key: of standard input\n"));
is_deeply [map { $_->{target}, $_->{mode}, $_->{source}{format}, $_->{source}{header_names} } job($load)->{config}],
	[{ table => 'ledger' }, 'append', 'csv', ['X-Key']], 'loading';
my ($whole) = made('--materialize', $hook->url('/doc'), @daily);
is job($whole)->{config}{target}, 'json', '... into the document where no table is named';
my ($chat) = made('--chat-a', '-', '--text', 'New: {{artifact.url}}', @daily, '--name', 'Chat', typed($hook->url('/chat/secret') . "\n"));
is job($chat)->{config}{webhook_host}, 'localhost', 'the address of a chat by standard input';
my ($other) = made('--chat-b', $hook->url('/chat/b'), '--text', 'x', @daily);
is job($other)->{action}, 'chat_b', 'the other form of chats';
like +(jobs('add', '--webhook', $hook->url('/json'), '--on', 'viewed', '--json'))[1], qr/"secret":"whsec_[^"]+","shown_once":true/,
	'as JSON the reply is printed as it is';

for ([[@daily], 2, qr/what should it do\?/], [['--email', 'a@example.org', '--webhook', 'https://example.org', @daily], 2,
	qr/--email and --webhook can't be combined/], [['--webhook', 'https://example.org'], 2, qr/when should it run\?/],
	[['--webhook', 'https://example.org', @daily, '--on', 'updated'], 2, qr/when should it run\?/],
	[['--webhook', 'https://example.org', '--subject', 'x', @daily], 2, qr/--subject can't be used with --webhook/],
	[['--webhook', 'https://example.org', '--header', 'no colon', @daily], 2, qr/--header: write it as/],
	[['--webhook', 'https://example.org', '--payload', '{', @daily], 2, qr/--payload: at byte/],
	[['--webhook', 'https://example.org', '--cron', 'never'], 1, qr/^vitrine: --cron: /m],
	[['--email', 'nobody', '--subject', 'x', @daily], 1, qr/^vitrine: --email, value 1: nobody isn't an e-mail address/m],
	[['--email', 'a@example.org', @daily], 1, qr/^vitrine: --subject: is required/m],
	[['--get', 'https://example.org', '--on', 'nope'], 2, qr/^vitrine: --on: nope isn't one of updated, viewed, and comment$/m],
	[['--materialize', 'ftp://example.org', @daily], 1, qr/^vitrine: --materialize: /m],
	[['--get', 'https://example.org', '--attempts', 'x', @daily], 2, qr/--attempts: must be a number/]) {
	my ($status, $out, $err) = jobs('add', @{$_->[0]});
	is $status, $_->[1], "add @{$_->[0]}";
	like $err, $_->[2], '... says why not';
}

# ---- the list, and one of it

my ($status, $out, $err) = jobs();
is scalar(() = $out =~ /^job_/mg), 8, 'the list, which is what jobs alone prints';
like $out, qr/^$mail  new       email        0 7 \* \* \* Europe\/Dublin  Mail of the day$/m, 'a line each';
like $out, qr/^$web  new       webhook      on artifact\.updated  Tell the site$/m, '... of an event';
is +(jobs('show', 'Mail of the day'))[0], 0, 'one by its name';
like +(jobs('show', $mail))[1], qr/^next run   2\d{3}-\d\d-\d\dT\d\d:00:00Z$/m, '... by its id, with the next run';
like +(jobs('show', 'nothing'))[2], qr/there is no job named nothing: use a name or an id that vitrine jobs lists/, 'no such name';
like +(jobs('show', 'Message to Discord'))[1], qr/^$other /, 'one without a name, by what pages call it';
like +(jobs('show', 'Load data'))[2], qr/more than one job is named Load data: use its id/, '... unless two are called so';
jobs('add', '--get', $hook->url('/'), @daily, '--name', 'Chat');
like +(jobs('pause', 'Chat'))[2], qr/more than one job is named Chat: use its id/, 'a name of two';
is +(jobs('delete', $chat, '--yes'))[0], 0, 'one is deleted';
like +(jobs('delete', 'Chat'))[2], qr/--yes/, 'deleting asks';
is +(jobs('delete', 'Chat', '--yes'))[0], 0, '... or is told not to';

# ---- running

($status, $out, $err) = jobs('run', 'Tell the site');
is $status, 0, 'run' or diag $err;
like $out, qr/^run_\w{26}  \S+Z  success   HTTP 200  \d+\.\d s$/m, '... tells the outcome';
my ($call) = $hook->calls('/hook');
is $call->{headers}{authorization}, 'Bearer of news', 'it was called with its header';
is $call->{body}, qq({"n":1.50,"where":"https://site.pages.localhost:$stack->{port}/"}), '... and what it was to say';
my $mac = hmac_sha256_base64(join('.', @{$call->{headers}}{qw(webhook-id webhook-timestamp)}, $call->{body}),
	decode_base64($secret =~ s/^whsec_//r));
$mac .= '=' while length($mac) % 4;
is $call->{headers}{'webhook-signature'}, "v1,$mac", '... signed by the secret that was printed';
$hook->answer('/hook', 503, "over\nloaded");
($status, $out, $err) = jobs('run', $web);
is $status, 1, 'one that fails fails';
like $out, qr/  retrying  HTTP 503  .*the server answered 503.*\n  over\n  loaded\n/, '... and says why, with the reply';
$hook->answer('/rows.csv', 200, "a,b\n1,2\n", 'Content-Type: text/csv');
is +(jobs('run', $load))[0], 0, 'loading';
is scalar @{$api->call(GET => "/v1/data/$art/tables/ledger/rows", { token => $ann->{token} })->{json}{rows}}, 1, '... has loaded';
is decode_json((jobs('run', $load, '--json'))[1])->{status}, 'success', 'as JSON';

# ---- logs

$stack->db->do("INSERT INTO job_run (id, job_id, artifact_id, occasion, cause, status, lane, turn, scheduled_for, attempt, started_at, "
	. "finished_at, duration_ms, http_status)"
	. " SELECT CONCAT('run_00', LPAD(seq, 24, '0')), ?, ?, seq, 'event', 'success', 1, 0, seq, 1, seq, seq, 12, 204 FROM seq_1_to_450",
	undef, $web, $art);
($status, $out, $err) = jobs('logs', 'Tell the site');
is scalar(() = $out =~ /^run_/mg), 452, 'all runs, in as many pages as it takes';
my ($last) = $out =~ /^(run_\w+)/;
like +(jobs('logs', $web, '--status', 'retrying'))[1], qr/\A$last  \S+  retrying  HTTP 503 .*\n\z/, 'those of one outcome';
like +(jobs('logs', $web, $last))[1], qr/^attempt 1  \S+Z  HTTP 503  .*the server answered 503\n  over\n  loaded$/m,
	'one with its attempts';
like +(jobs('logs', $web, 'run_x'))[2], qr/not|no such/i, 'none such';

# ---- pausing, another secret

like +(jobs('pause', $web))[2], qr/is paused/, 'pause';
like +(jobs('list'))[1], qr/^$web  paused /m, '... is told';
is +(jobs('resume', $web, '--quiet'))[2], '', 'resume, quietly';
ok job($web)->{enabled}, '... it is on';
like +(jobs('rotate-secret', $web))[1], qr/\Awhsec_\S+\n\z/, 'another secret';
is +(jobs('rotate-secret', $mail))[0], 1, '... only of a webhook';
is +($stack->client($eve->{token}, 'jobs', 'show', $web))[0], 1, 'somebody else sees none';
is +(jobs(@$_))[0], 2, "jobs @$_ means nothing" for ['paint'], ['run'], ['list', 'x'], ['logs', 'a', 'b', 'c'];
my ($help) = (jobs('--help'))[1];
like $help, qr/^  --\Q$_\E\b/m, "--$_ is explained" for qw(cron on email webhook chat-a get materialize status yes);
finish($stack);
