# SPDX-License-Identifier: Apache-2.0
# Services and chats in the browser, as they really answer: an admin connects one and agrees there, or doesn't; it is tested, used by jobs,
# signed in to by each member with their own account, taken back at the service and here. A chat's channel is chosen in the form of a job,
# with script and without.
use utf8;
use Vitrine::Browser;
use Vitrine::Chat;
use Vitrine::Jobs;
use Vitrine::Provider;
use Vitrine::Smtp;
use Vitrine::Visitor;
use Vitrine::Words 'as';

my $folder = File::Temp::tempdir('vitrine-connections-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $smtp = Vitrine::Smtp->new;
my ($stack, $api, $db) = stack(connections_dir => $folder, connection_tests_per_minute => 200, publish_per_hour => 1000, $smtp->conf);
my $app = "https://vitrine.localhost:$stack->{port}";
my $idp = Vitrine::Provider->new($stack->{tls}, "$app/auth/callback");
my $chat = Vitrine::Chat->new($stack->{tls});
$stack->{conf}{egress_allow} = "127.0.0.1:$idp->{port} 127.0.0.1:$chat->{port}";
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben eve);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for keys %user;
my $ws = as('ann', POST => '/v1/workspaces', { name => 'Northwind Studio' })->{json}{workspace}{id};
$stack->seat($ws, $user{ben}, 'member');
my $at = "$app/w/$ws/connections";
my $art = as('ben', POST => '/v1/publish', { name => 'Sales dashboard', workspace_id => $ws, visibility => 'private',
	files => [{ path => 'index.html', content => 'S' }] })->{json}{artifact}{id};
my $jobs = Vitrine::Jobs->new(stack => $stack, api => $api, user => $user{ben}, art => $art);

my ($ann, $ben) = map { Vitrine::Browser->new($stack, @$_) } [width => 1280, height => 900], [width => 390, height => 844, dark => 1];
$ann->sign_in('ann@example.org', 'the password');
$ben->sign_in('ben@example.org', 'the password');
my $pages = 0;
sub seen {
	my ($b, $name, %o) = @_;
	is join('; ', $b->looks(sprintf 'services-%02d-%s', ++$pages, $name =~ s/\W+/-/gr)), '',
		"$name has no barrier, wide and narrow, by day and by night";
	is join('; ', grep { /\Q$app\E/ && !/favicon/ && !($o{refused} && /40\d/) } $b->complaints), '',
		"the browser has no complaint about $name";
}
sub beside {
	my ($b, $id) = @_;
	Vitrine::Stack::wait_for("a refusal of $id", 60,
		sub { $b->script('return document.getElementById(arguments[0] + "-error") !== null', $id) });
	return $b->script('const f = document.getElementById(arguments[0]), e = document.getElementById(arguments[0] + "-error"); '
		. 'return f.getAttribute("aria-describedby").includes(e.id) && !document.querySelector("[role=alert]") ? '
		. 'e.textContent : "unmarked"', $id);
}
sub value { my ($b, $id) = @_; return $b->script('return document.getElementById(arguments[0]).value', $id) }
sub shown {
	my ($b, $css) = @_;
	return $b->script('const e = document.querySelector(arguments[0]); return e !== null && e.checkVisibility()', $css);
}
sub choose { my ($b, $css, $value) = @_; $b->click("$css option[value='$value']"); return $b }
# At the service: signs in where it asks, and agrees.
sub agree {
	my ($b, $who) = @_;
	$b->fill('input[name=login]', $who)->fill('input[name=password]', 'x')->click('button[type=submit]') if $who;
	$b->wait_text(qr/Authorize/);
	$b->click('button[type=submit]');
	return $b;
}
sub there { my ($b) = @_; Vitrine::Stack::wait_for('the service', 60, sub { $b->url =~ /^\Q$idp->{issuer}\E/ }); return $b }

# ---- before anything is set up

$ann->go("$at/new?kind=oauth2")->wait_text(qr/No services set up yet/);
seen($ann, 'no service');
$ann->go("$at/new?kind=chat")->wait_text(qr/No services set up yet/);
$idp->configure_connection($folder);
$chat->configure($folder);
$stack->write_conf;
$stack->stop_one('worker');
$stack->start_worker;

# ---- a service, for all

$ann->go("$at/new")->wait_text(qr/Sign in once/);
$ann->click('.choice[href$="oauth2"]');
$ann->wait_text(qr/You sign in at localhost:$idp->{port} and agree there/);
seen($ann, 'a service');
$ann->follow('Sign in at');
there($ann)->follow('Cancel');
$ann->wait_text(qr/Nothing has changed/);
like $ann->url, qr{^\Q$app\E/}, 'who says no there comes back';
is $db->selectrow_array('SELECT COUNT(*) FROM connection'), 0, '... and nothing is made';
seen($ann, 'somebody who said no', refused => 1);
$ann->follow('Back to the connections');
$ann->wait_text(qr/No connections yet/);
$ann->go("$at/new?kind=oauth2")->follow('Sign in at');
agree(there($ann), 'acme');
$ann->wait_text(qr/Connected\./);
my ($crm) = $ann->url =~ m{^\Q$at\E/(con_\w+)\?done=connected$};
ok $crm, 'who agrees comes back to its page' or diag $ann->url;
like $ann->text('main'), qr/OAuth service, shared credentials/, 'which says what it is';
seen($ann, 'a service that is connected');
my $used = $ann->url;
$ann->click('main form[action$="/test"] button');
$ann->wait_text(qr/Test, just now\s+Passed/);
seen($ann, 'a service that is tested');
$ben->go("$app/a/$art/jobs/new?action=http_get")->wait_text(qr/From/);
choose($ben, '#source', "oauth2:$crm");
$ben->fill('#name', 'Fetch me')->fill('#path', 'me')->click('form button.primary');
$ben->wait_text(qr/Job created\./);
my ($me) = $ben->url =~ /(job_\w+)/;
$jobs->succeeds({ id => $me }, 'a job asks the service');
like as('ben', GET => "/v1/data/$art/json")->{body}, qr/"sub":\s*"acme"/, '... as the account that agreed';

# ---- each with their own account

$ann->go("$at/new?kind=oauth2")->fill('#name-crm', 'My CRM')->click('form[action$="/services/crm"] button');
$ann->wait_text(qr/My CRM/);
my ($own) = $ann->url =~ /(con_\w+)/;
seen($ann, 'where each signs in');
$ben->go("$at/$own")->wait_text(qr/Sign in at the service, so that your jobs can use it/);
seen($ben, 'a member is to sign in');
$ben->follow('Sign in at');
agree(there($ben), 'benjamin');
$ben->wait_text(qr/Connected\./);
is $ben->url, "$at/$own?done=connected", 'a member agrees with their own account';
seen($ben, 'a member has signed in');
$ben->go("$app/auth/account/credentials")->wait_text(qr/My CRM\s+Connected/);
seen($ben, 'their sign-ins');
$ben->go("$app/a/$art/jobs/new?action=http_get")->wait_text(qr/From/);
choose($ben, '#source', "oauth2.member:$own");
$ben->fill('#name', 'Fetch mine')->fill('#path', 'me')->click('form button.primary');
$ben->wait_text(qr/Job created\./);
my ($mine) = $ben->url =~ /(job_\w+)/;
$jobs->succeeds({ id => $mine }, 'their job asks the service');
like as('ben', GET => "/v1/data/$art/json")->{body}, qr/"sub":\s*"benjamin"/, '... as they are known there';
$ben->go("$app/auth/account/credentials")->click("a[href\$='$own/remove']");
$ben->wait_text(qr/Remove your credentials for My CRM/);
$ben->click('form button.danger');
$ben->wait_text(qr/My CRM\s+Not connected.*“Fetch mine”/s);
seen($ben, 'a sign-in that was removed');
$jobs->fails({ id => $mine }, 'without it the job fails', qr/hasn't given credentials for the connection My CRM/);
$ben->follow('Sign in at');
agree(there($ben));
$ben->wait_text(qr/Connected\./);
$jobs->succeeds({ id => $mine }, 'until they sign in again');

# ---- what the service takes back

$db->do('UPDATE connection_credential SET expires_at = 1 WHERE connection_id = ?', undef, $crm);
$idp->mode('forgotten');
$jobs->fails({ id => $me }, 'a sign-in that the service has ended', qr/\w/);
$idp->mode('');
$ann->go("$at/$crm")->wait_text(qr/The service doesn’t accept its sign-in anymore\. Sign in again\./);
seen($ann, 'a sign-in that was ended there');
$ann->follow('Sign in at');
agree(there($ann));
$ann->wait_text(qr/Connected\./);
unlike $ann->text('main'), qr/It failed|anymore/, 'once signed in again, nothing of that is told';
$jobs->succeeds({ id => $me }, 'and jobs go on');

# ---- a chat

$ann->go("$at/new?kind=chat")->wait_text(qr/Slackish.*Discordish/s);
seen($ann, 'chats');
Vitrine::Stack::spew("$chat->{dir}/team", 'T1');
$ann->follow('Install in Slackish');
$ann->wait_text(qr/Connected\./);
my ($slack) = $ann->url =~ /(con_\w+)/;
seen($ann, 'a chat that is connected');
$ann->click('main form[action$="/test"] button');
$ann->wait_text(qr/It has 452 channels/);
$ben->go("$app/a/$art/jobs/new?action=chat_a")->wait_text(qr/Through/);
ok shown($ben, '#webhook_url') && !shown($ben, '#channel'), 'without a connection, the form asks for a webhook';
ok !$ben->script('return !!document.querySelector("#source option[value^=\'oauth2\']")'), '... and offers chats alone';
seen($ben, 'the form of a message');
$ben->fill('#name', 'Tell them')->fill('#text', 'New: {{artifact.name}}');
choose($ben, '#source', "chat:$slack");
$ben->wait_text(qr/Choose one/);
is $ben->script('return document.querySelectorAll("#channel option").length'), 453, 'a connection that is chosen shows its channels';
is value($ben, 'name') . value($ben, 'text') . value($ben, 'source'), "Tell themNew: {{artifact.name}}chat:$slack",
	'... and what was typed stays';
ok shown($ben, '#channel') && !shown($ben, '#webhook_url'), '... and no webhook is asked for';
is join('|', $ben->script('return [...document.querySelectorAll("#channel option")].slice(0, '
		. '2).concat([...document.querySelectorAll("#channel option")].slice(-1)).map(o => o.textContent).join("|")')),
	'Choose one|general|secret plans (private)', '... by name';
seen($ben, 'channels');
$ben->click('form button.primary');
is beside($ben, 'channel'), 'Choose the channel to post to.', 'a channel is needed, which is told beside it';
is $ben->script('return document.querySelectorAll("#channel option").length'), 453, '... among those that there are';
seen($ben, 'no channel', refused => 1);
choose($ben, '#channel', 'C2');
$ben->click('form button.primary');
$ben->wait_text(qr/Job created\./);
my ($tell) = $ben->url =~ /(job_\w+)/;
is_deeply as('ben', GET => "/v1/jobs/$tell")->{json}{job}{config},
	{ connection_id => $slack, channel => 'C2', text => 'New: {{artifact.name}}' }, 'the job has it';
like $ben->text('main'), qr/Posts to the channel C2 through a connection/, '... and says so';
is value($ben, 'source') . value($ben, 'channel'), "chat:${slack}C2", '... also in its form';
seen($ben, 'a job that posts');
$jobs->succeeds({ id => $tell }, 'it posts');
is_deeply [map { "$_->{channel} $_->{text}" } $chat->messages], ['C2 New: Sales dashboard'], '... there';
$ben->click('#list');
$ben->wait_text(qr/Reload channels/);
is value($ben, 'channel'), 'C2', 'shown by name, its channel stays chosen';
choose($ben, '#channel', 'C1');
$ben->click('form.body.flow > .bar:last-child button');
$ben->wait_text(qr/Saved\./);
is as('ben', GET => "/v1/jobs/$tell")->{json}{job}{config}{channel}, 'C1', 'and another can be chosen';
$ann->go("$app/w/$ws/runs/schedules/$tell")->wait_text(qr/Edit job/);
$ann->click('#list');
$ann->wait_text(qr/Reload channels/);
is value($ann, 'channel'), 'C1', 'admins choose among the channels, too';
seen($ann, 'channels for admins');
choose($ann, '#channel', 'C2');
$ann->click('#edit form > .bar:last-child button');
$ann->wait_text(qr/Saved\./);
is as('ben', GET => "/v1/jobs/$tell")->{json}{job}{config}{channel}, 'C2', '... and change it';

# ---- in the client

my ($code, $out, $err) = $stack->client($user{ben}{token}, 'jobs', 'add', '--artifact', $art, '--chat-a', 'C1', '--connection', $slack,
	'--text', 'From the client', '--cron', '0 7 * * *');
is $code, 0, 'the client makes one, too' or diag $err;
my ($typed) = $out =~ /(job_\w+)/;
is_deeply as('ben', GET => "/v1/jobs/$typed")->{json}{job}{config}, { connection_id => $slack, channel => 'C1', text => 'From the client' },
	'... with the connection and the channel';
as('ben', DELETE => "/v1/jobs/$typed");

# ---- what can go wrong there

$chat->mode('broken');
$ben->go("$app/a/$art/jobs/$tell")->click('#list');
like beside($ben, 'source'), qr/Slackish didn’t respond|Slackish didn't respond/, 'a chat that is broken is told beside the connection';
is value($ben, 'channel'), 'C2', '... and the channel stays';
seen($ben, 'a chat that is broken', refused => 1);
$chat->mode('unauthorized');
$jobs->fails({ id => $tell }, 'a chat that takes the token no longer', qr/connect it again/);
$ben->go("$app/a/$art/jobs/$tell")->click('#list');
like beside($ben, 'source'), qr/\w/, '... is told where channels are chosen';
$ben->complaints;
$chat->mode('');
$ann->go("$at/$slack")->wait_text(qr/Sign in again/);
$ann->follow('Sign in at');
$ann->wait_text(qr/Connected\./);
$jobs->succeeds({ id => $tell }, 'connected again, jobs go on');

# ---- without script

my $v = Vitrine::Visitor->new($api);
$v->sign_in('ben@example.org', 'the password');
$v->go("/a/$art/jobs/new?action=chat_a");
like $v->{page}{text}, qr/id="channel".*Show channels/s, 'without script, the form has all of it';
my %typed = (name => 'By hand', text => 'Hello', when => 'day', source => '');
is $v->submit(qr{/jobs$}, { %typed, list => 'channels' })->{status}, 400, 'channels of no connection';
like $v->{page}{text}, qr/id="source-error">.*?Choose a connection first\./, '... are told beside it';
is $v->submit(qr{/jobs$}, { %typed, list => 'channels', source => "chat:$slack" })->{status}, 200, 'a button shows the channels';
like $v->{page}{text},
	qr/<select id="channel" name="channel">.*?<option value="CX450">room-450<\/option>.*value="By hand"|value="By hand".*<select id="channel"/s,
	'... and what was typed stays';
is $v->submit(qr{/jobs$}, { %typed, source => "chat:$slack" })->{status}, 400, 'who presses on without any';
like $v->{page}{text}, qr/<select id="channel"[^>]*>.*?id="channel-error">.*?Choose the channel/s, '... is shown them, too';
is $v->submit(qr{/jobs$}, { %typed, source => "chat:$slack", channel => 'C1' })->{status}, 200, 'then the job is made';
like $v->{page}{text}, qr/Job created\./;
is $v->submit(qr{/jobs/job_\w+$}, { %typed, source => "chat:$crm", channel => 'C1' })->{status}, 400, 'a service is no chat';
like $v->{page}{text}, qr/id="source-error">.*?is of kind oauth2/, '... which is told beside the choice';
Vitrine::Stack::spew("$chat->{dir}/team", '11');
$ann->go("$at/new?kind=chat")->follow('Install in Discordish');
$ann->wait_text(qr/Connected\./);
my ($discord) = $ann->url =~ /(con_\w+)/;
unlike $v->go("/a/$art/jobs/new?action=chat_a")->{text}, qr/$discord/, 'the other chat is not offered';
is $v->submit(qr{/jobs$}, { %typed, source => "chat:$discord", channel => '101' })->{status}, 400, '... nor taken';
like $v->{page}{text}, qr/id="source-error">.*?is of chat_b, and this job posts to chat_a/, '... which is told beside the choice';
is $v->submit(qr{/jobs$}, { %typed, list => 'channels', source => "chat:con_0123456789abcdefghijklmn" })->{status}, 400,
	'one that there is not';
is $v->submit(qr{/jobs$}, { %typed, source => '', webhook_url => 'https://chat.example.org/hook' })->{status}, 200,
	'and webhooks are as they were';

# ---- taken back here

$ann->go("$at/$slack/delete")->wait_text(qr/2 jobs use it and will fail/);
seen($ann, 'before a chat is deleted');
$ann->click('form button.danger');
$ann->wait_text(qr/deleted/i);
$jobs->fails({ id => $tell }, 'without the connection the job fails', qr/has been deleted; choose another one/);
$ben->go("$app/a/$art/jobs/$tell")->wait_text(qr/Edit job/);
is $ben->script('return document.querySelector("#source option:checked").textContent'), 'A connection that this workspace doesn’t have',
	'its form still has what it was';
seen($ben, 'a job whose connection is gone');

finish($stack);
