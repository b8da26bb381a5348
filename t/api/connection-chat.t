# SPDX-License-Identifier: Apache-2.0
# Chats that a workspace has connected: installing them, their channels, and what comes of it when they fail.
use Vitrine::Chat;
use Vitrine::Jobs;
use Vitrine::Smtp;
use Vitrine::Visitor;
use Vitrine::Words qw(as said refused);

my $folder = File::Temp::tempdir('vitrine-connections-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $smtp = Vitrine::Smtp->new;
my ($stack, $api, $db) = stack(workers => 2, connections_dir => $folder, $smtp->conf);
my $chat = Vitrine::Chat->new($stack->{tls});
sub restart { $stack->write_conf; $stack->stop_one('worker'); $stack->start_worker }
my ($ann, $bea, $cat) = map { $stack->user("$_\@example.org") } qw(ann bea cat);
my ($w1, $w2) = map { as($ann, POST => '/v1/workspaces', { name => $_ })->{json}{workspace}{id} } qw(North South);
is as($ann, POST => "/v1/workspaces/$w1/members", { email => 'bea@example.org', role => 'member' })->{status}, 201;
$stack->ctl_in("the password\n", qw(user password ann@example.org));
my $v = Vitrine::Visitor->new($api);
$v->sign_in('ann@example.org', 'the password');
sub at { my ($ws, $rest) = @_; return "/v1/workspaces/$ws/connections/$rest" }
# Through a chat's pages and back, for a team: the connection.
sub install {
	my ($ws, $kind, $team) = @_;
	my $r = $v->send(GET => at($ws, "$kind/install"));
	return $r if $r->{status} != 302;
	$r = $v->send(GET => $chat->agree($r->{headers}{location}, $team) =~ s{^https://vitrine\.localhost:\d+}{}r);
	return ($r->{headers}{location} // '') =~ m{^/w/$ws/connections/(con_\w+)\?done=connected$} ? $1 : $r;
}
sub channels { my ($con, $kind, %o) = @_; return as($o{who} // $bea, GET => at($o{ws} // $w1, "$con/$kind/channels")) }
# Where a message of a job goes.
sub posted {
	my ($con, @more) = @_;
	open my $out, '-|', "$stack->{build}/t/drive/connection", "$stack->{dir}/vitrine.yaml", 'post', $con, $w1, $bea->{id}, @more or die;
	local $/;
	return <$out> // '';
}

refused(as($ann, GET => at($w1, 'chat_a/install')), '409 CONFLICT', 'a chat without a file', qr/chat_a\.yaml/);
$chat->configure($folder);
$stack->{conf}{egress_allow} = "127.0.0.1:$chat->{port}";
restart();
is as($ann, GET => at($w1, 'chat_c/install'))->{status}, 404, 'there are two kinds of chats';
refused(as($bea, GET => at($w1, 'chat_a/install')), '403 ACCESS_DENIED', 'a member installs nothing');
refused(as($cat, GET => at($w1, 'chat_a/install')), '404 NOT_FOUND', 'a stranger sees no workspace');

my $a = install($w1, 'chat_a', 'T1');
my $b = install($w1, 'chat_b', '11');
my $theirs = install($w2, 'chat_b', '22');
is_deeply $db->selectall_arrayref('SELECT name, kind, remote_account FROM connection WHERE workspace_id = ? ORDER BY name', undef, $w1),
	[['Discordish', 'chat', '11'], ['Slackish', 'chat', 'T1']], 'one connection for each';
is install($w1, 'chat_a', 'T1'), $a, 'the same team again is the same connection';
is_deeply [map { as($bea, GET => "/v1/workspaces/$w1/connections")->{json}{connections}[$_]{status} } 0, 1], ['active', 'active'];
refused(as($ann, POST => "/v1/workspaces/$w1/connections", { provider => 'chat_b', name => 'Mine', auth_mode => 'member', config => {} }),
	'400 INVALID_REQUEST', 'a chat is everybody\'s', qr/auth_mode/);

# ---- channels

my $r = channels($a, 'chat_a');
is scalar @{$r->{json}{channels}}, 452, 'all pages of them';
is_deeply [@{$r->{json}{channels}}[0, 451]],
	[{ id => 'C1', name => 'general', is_private => $false }, { id => 'C2', name => 'secret plans', is_private => $true }], 'by name';
is_deeply [sort keys %{$r->{json}}], [qw(channels success)];
is_deeply channels($b, 'chat_b')->{json}{channels}, [{ id => '101', name => 'general', is_private => $false },
		{ id => '104', name => 'news', is_private => $false }, { id => '103', name => 'staff', is_private => $true }],
	'those with messages, and who sees them';
my (undef, $out) = $stack->client($bea->{token}, qw(connections channels discordish chat_b --workspace), $w1);
is $out, "101  general\n104  news\n103  staff  (private)\n", 'in the client';
refused(channels($a, 'chat_b'), '400 INVALID_REQUEST', 'another kind than it is', qr/isn't a connection of chat_b/);
my $http = as($ann, POST => "/v1/workspaces/$w1/connections",
	{ provider => 'http', name => 'Orders', config => { base_url => 'https://api.example.org' } })->{json}{connection}{id};
refused(channels($http, 'chat_a'), '400 INVALID_REQUEST', 'what is no chat');
refused(channels($theirs, 'chat_b'), '404 NOT_FOUND', "another workspace's");
refused(channels($b, 'chat_b', who => $cat), '404 NOT_FOUND', 'a stranger sees none');
my ($asked) = grep { $_->{target} =~ /conversations/ } $chat->calls;
is $asked->{authorization}, 'Bearer xoxb-T1-0123456789', "with the team's token";
is +(grep { $_->{target} =~ m{guilds/11/} } $chat->calls)[0]{authorization}, 'Bot bot.token-1', "with the bot's";
unlike $r->{body}, qr/xoxb/, 'which nobody is shown';

for (qw(limited broken html endless)) {
	$chat->mode($_);
	refused(channels($a, 'chat_a'), '502 UPSTREAM_FAILED', "chat_a that is $_");
	refused(channels($b, 'chat_b'), '502 UPSTREAM_FAILED', "chat_b that is $_");
}
$chat->mode('');
is channels($a, 'chat_a')->{status}, 200, 'and none of it is remembered';

# ---- messages: what is asked, and of whom

like posted($a, 'C1', 'Hello'), qr{/a/api/chat\.postMessage$}, 'chat_a takes the channel in the body';
like posted($b, '101', 'Hello'), qr{/b/api/v10/channels/101/messages$}, 'chat_b in the address';
my $n = grep { $_->{target} eq '/b/api/v10/channels/101' } $chat->calls;
is $n, 1, 'after it was asked whose the channel is';
like posted($b, '201', 'Hello'), qr/^! Discordish has no channel 201/,
	"another guild's channel is not this connection's, though the bot is in it";
like posted($b, '999', 'Hello'), qr/^! Discordish has no channel 999/, 'nor is one that does not exist';
like posted($a, '../x', 'Hello'), qr/^! channel: isn't the id of a channel/, 'nor what is no id';

# ---- messages of jobs

my $art = $api->publish($bea, slug => 'plans', name => 'Plans <1>', workspace_id => $w1, visibility => 'private');
my $jobs = Vitrine::Jobs->new(stack => $stack, api => $api, user => $bea, art => $art);
$jobs->refused(@$_) for ['both ways to a channel', qr/^config\.webhook_url: applies only without/,
	chat_a => { connection_id => $a, channel => 'C1', webhook_url => 'https://hooks.example/x', text => 'x' }],
	['no channel', qr/^config\.channel: is required/, chat_a => { connection_id => $a, text => 'x' }],
	['no id of a channel', qr/^config\.channel: /, chat_a => { connection_id => $a, channel => '#general', text => 'x' }],
	['a channel of a webhook', qr/^config\.channel: applies only/,
		chat_a => { webhook_url => 'https://hooks.example/x', channel => 'C1', text => 'x' }],
	['neither', qr/^config\.webhook_url: is required, or a connection_id/, chat_b => { text => 'x' }],
	['another workspace\'s', qr/^config\.connection_id: the artifact's workspace has no connection/,
		chat_b => { connection_id => $theirs, channel => '201', text => 'x' }],
	['another kind of chat', qr/^config\.connection_id: the connection Slackish is of chat_a, and this job posts to chat_b/,
		chat_b => { connection_id => $a, channel => 'C1', text => 'x' }],
	['what is no chat', qr/^config\.connection_id: .* is of kind http; this needs one of kind chat/,
		chat_a => { connection_id => $http, channel => 'C1', text => 'x' }];
my $news = $jobs->made(chat_a => { connection_id => $a, channel => 'C1', text => 'New: {{artifact.name}}' });
is_deeply $news->{config}, { connection_id => $a, channel => 'C1', text => 'New: {{artifact.name}}' }, 'what is shown of it';
$jobs->succeeds($news, 'a message by a connection');
my $other = $jobs->made(chat_b => { connection_id => $b, channel => '103', text => 'To @everyone' });
$jobs->succeeds($other, 'and by the bot');
is_deeply [map { [@$_{qw(team channel text)}] } $chat->messages], [['T1', 'C1', 'New: Plans &lt;1&gt;'], ['11', '103', 'To @everyone']],
	'arrived, each in its channel';
$jobs->fails($jobs->made(chat_b => { connection_id => $b, channel => '201', text => 'x' }), "another guild's channel",
	qr/Discordish has no channel 201/);
$jobs->fails($jobs->made(chat_a => { connection_id => $a, channel => 'C404', text => 'x' }), 'a channel that is not there',
	qr/can't post to this channel \(channel_not_found\)/);
$chat->mode('deaf');
$jobs->fails($news, 'a channel that the app is not in', qr/not_in_channel/);
$chat->mode('limited');
$jobs->fails($other, 'too many messages', qr/asked too often/);
$chat->mode('html');
$jobs->fails($news, 'no JSON', qr/isn't JSON/);
$chat->mode('endless');
$jobs->fails($news, 'an answer without end');
$chat->mode('');
is scalar(() = $chat->messages), 2, 'none of which was posted';
unlike $db->selectrow_array("SELECT GROUP_CONCAT(COALESCE(error, ''), COALESCE(output, '')) FROM job_run"), qr/xoxb|bot\.token/,
	'and no run tells a secret';

# ---- tested

sub tested {
	my ($con) = @_;
	my $r = as($ann, POST => at($w1, "$con/test"));
	return [$r->{json}{ok}, map { [@$_{qw(name ok says)}] } @{$r->{json}{steps}}];
}
is_deeply tested($b), [$true, ['List the channels', $true, 'It has 3 channels that messages can be posted to']],
	'a test asks for the channels';
$chat->mode('broken');
is tested($a)->[0], $false, 'and says when there are none';
$chat->mode('');
tested($a);

# ---- no longer accepted

$chat->mode('unauthorized');
refused(channels($a, 'chat_a'), '409 CONFLICT', 'a revoked token', qr/no longer accepts this connection/);
refused(channels($b, 'chat_b'), '409 CONFLICT', 'a guild that the bot was removed from', qr/no longer accepts this connection/);
$chat->mode('');
my $calls = () = $chat->calls;
refused(channels($a, 'chat_a'), '409 CONFLICT', 'it is not asked again', qr/connect/);
is scalar(() = $chat->calls), $calls;
is as($ann, GET => at($w1, $a))->{json}{connection}{status}, 'needs_auth';
is_deeply $db->selectcol_arrayref("SELECT subject FROM outbox WHERE kind = 'mail' AND payload LIKE '%connection_ended%'"),
	['ann@example.org', 'ann@example.org'], 'its admin is mailed once for each';
is install($w1, 'chat_a', 'T1'), $a, 'until it is installed again';
is channels($a, 'chat_a')->{status}, 200;
finish($stack);
