# SPDX-License-Identifier: Apache-2.0
# Support tickets: who may read, write, answer and list them; what happens to their status; where answers go; what comes by mail; what staff
# keep to themselves.
use utf8;
use Vitrine::Chat;
use Vitrine::Smtp;
use Vitrine::Visitor;
use Vitrine::Words qw(as said refused);

my $folder = File::Temp::tempdir('vitrine-connections-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $smtp = Vitrine::Smtp->new;
my ($stack, $api, $db) = stack(workers => 2, connections_dir => $folder, $smtp->conf, tickets_per_hour => 100,
	ticket_messages_per_hour => 1000, support_address => 'help@support.example');
my ($ann, $bea, $cat, $eve, $sam, $ina, $sue) = map { $stack->user("$_\@example.org") } qw(ann bea cat eve sam ina sue);
$db->do('UPDATE user SET name = ? WHERE id = ?', undef, @$_) for ['Ann Archer', $ann->{id}], ['Sam', $sam->{id}], ['Sue', $sue->{id}];
$stack->ctl(qw(user staff), @$_) for ['sam@example.org', 'staff'], ['ina@example.org', 'staff'], ['sue@example.org', 'super'];
my $tickets = '/v1/support/tickets';
my $ws = as($ann, POST => '/v1/workspaces', { name => 'North' })->{json}{workspace}{id};
my $other = as($eve, POST => '/v1/workspaces', { name => 'South' })->{json}{workspace}{id};
$stack->seat($ws, $bea, 'member');
$stack->seat($ws, $cat, 'admin');
sub ask { my ($who, $subject, %o) = @_; return as($who, POST => $tickets, { subject => $subject, body => "About $subject", %o }) }
sub asked { return ask(@_)->{json}{ticket}{id} }
sub status { return $db->selectrow_array('SELECT status FROM ticket WHERE id = ?', undef, $_[0]) }
sub runner { my ($status, undef, $err) = $stack->runner; return is $status, 0, 'the runner ran' || diag $err }
# The mails since the last time, as "TO: SUBJECT", or whole.
my $seen = 0;
sub mails {
	$stack->runner;
	my @all = $smtp->mails;
	my @new = @all[$seen .. $#all];
	$seen = @all;
	return sort { $a->{envelope}{to}[0] cmp $b->{envelope}{to}[0] } @new;
}
sub told { return join '; ', map { "$_->{envelope}{to}[0]: $_->{headers}{subject}" } mails() }

is_deeply [@{as($ann, GET => '/v1/limits')->{json}{limits}}{qw(max_open_tickets max_ticket_messages max_ticket_bytes)}],
	[50, 500, 2 * 1024 * 1024], 'how many there may be is told';

# ---- opening one

my $r = ask($bea, 'Nightly job', body => "It fails.\r\nSince Friday. 日本", workspaceId => $ws);
is $r->{status}, 201, 'a person asks' or diag $r->{body};
my $t = $r->{json}{ticket};
my $id = $t->{id};
like $id, qr/^tkt_[0-9a-z]{26}$/, 'it has an id';
is $r->{headers}{location}, "$tickets/$id", 'and an address';
my %who = map { $_->[0] => { user_id => $_->[1]{id}, name => $_->[2], email => $_->[1]{email}, kind => 'person' } } ['bea', $bea, ''],
	['sam', $sam, 'Sam'], ['ann', $ann, 'Ann Archer'];
my %row = (id => $id, subject => 'Nightly job', body => "It fails.\nSince Friday. 日本", workspaceId => $ws, status => 'open',
	origin => 'api', requester => $who{bea}, unverified => $false,
	assigneeUserId => undef, message_count => 1, created_at => $t->{created_at}, updated_at => $t->{created_at});
is_deeply $t, \%row, 'with exactly these members';
my %first = (author => $who{bea}, staff => $false, note => $false, body => $row{body}, channel => 'api', delivered => undef,
	attachments_dropped => [], created_at => $t->{created_at});
$r = as($bea, GET => "$tickets/$id")->{json}{ticket};
like $r->{messages}[0]{id}, qr/^msg_[0-9a-z]{26}$/, 'its first message has an id';
is_deeply $r, { %row, messages => [{ %first, id => $r->{messages}[0]{id} }] }, 'which is what it was opened with';
is told(), "sue\@example.org: New ticket: Nightly job", 'super staff are told';
refused(ask($bea, 'x', workspaceId => $other), '404 NOT_FOUND', "another's workspace");
refused(ask($bea, 'x', workspaceId => 'wsp_' . '0' x 26), '404 NOT_FOUND', 'one that is not there');
is ask($bea, 'x', workspaceId => $other)->{json}{error}, ask($bea, 'x', workspaceId => 'wsp_' . '0' x 26)->{json}{error},
	'... is told alike';
refused(ask($bea, $_->[1]), '400 INVALID_REQUEST', "a subject $_->[0]", qr/^subject: /)
	for ['of two lines', "x\r\nBcc: y\@example.org"], ['that is blank', '  '], ['that is too long', 'x' x 201], ['that is empty', ''];
refused(ask($bea, 'x', body => $_->[1]), '400 INVALID_REQUEST', "a body $_->[0]", qr/^body: /)
	for ['that is blank', " \n"], ['that is too long', 'x' x 20001];
is ask($bea, 'x' x 200, body => 'ü' x 20000)->{status}, 201, 'the longest';
$db->do('DELETE FROM ticket WHERE id <> ?', undef, $id);
my $cookie = Vitrine::Visitor->new($api);
$stack->ctl_in("the password\n", qw(user password), $_->{email}) for $bea, $sam;
$cookie->sign_in('bea@example.org', 'the password');
$r = decode_json($cookie->send(POST => $tickets, body => '{"subject":"From the browser","body":"x"}',
	headers => { 'Content-Type' => 'application/json', 'Sec-Fetch-Site' => 'same-origin' })->{body});
is $r->{ticket}{origin}, 'web', 'with a cookie it comes from the web';

# ---- who may

for (['nobody', undef, '401 UNAUTHENTICATED'], ['a stranger', $eve, '404 NOT_FOUND'],
	['an admin of the workspace', $cat, '403 ACCESS_DENIED'], ['its owner', $ann, '403 ACCESS_DENIED']) {
	my ($name, $who, $want) = @$_;
	refused(as($who, GET => "$tickets/$id"), $want, "$name doesn't read it");
	refused(as($who, POST => "$tickets/$id/message", { body => 'x' }), $want, '... nor writes');
}
my %work = (reply => { body => 'x' }, status => { status => 'closed' }, assign => { assigneeUserId => undef }, triage => undef);
for my $what (sort keys %work) {
	refused(as($_->[1], POST => "$tickets/$id/$what", $work{$what}), $_->[2], "$what by $_->[0]")
		for ['nobody', undef, '401 UNAUTHENTICATED'], ['a stranger', $eve, '404 NOT_FOUND'],
			['an admin', $cat, '403 ACCESS_DENIED'], ['the requester', $bea, '403 ACCESS_DENIED'];
	refused(as($sam, POST => "$tickets/tkt_" . '0' x 26 . "/$what", $work{$what}), '404 NOT_FOUND', 'of one that is not there');
}
is as($sam, GET => "$tickets/$id")->{status}, 200, 'staff read it';
for (['limited', scopes => 15], ['confined', workspace_id => $ws], ['bounded', opens_to => 'public']) {
	my ($name, @is) = @$_;
	my $token = $stack->token($sam->{id}, 'so_', @is);
	my $r = $api->call(GET => "$tickets/$id", { token => $token });
	is $r->{status}, $name eq 'bounded' ? 404 : 403, "a token of theirs that is $name is not staff's";
}
is as($sam, GET => '/staff')->{status}, 404, 'and the full one is so for tickets alone';
my $v = Vitrine::Visitor->new($api);
$v->sign_in('sam@example.org', 'the password');
is $v->send(GET => "$tickets/$id")->{status}, 200, 'in the browser, too';
is $v->send(GET => '/staff')->{status}, 200, '... where they moderate';

# ---- the thread, and its status

sub write_to {
	my ($who, $body, %o) = @_;
	return as($who, POST => "$tickets/" . ($o{id} // $id) . '/message',
		{ body => $body, map { $_ => $o{$_} } grep { $_ ne 'id' } keys %o });
}
sub status_set { return as($sam, POST => "$tickets/$id/status", { status => $_[0] }) }
mails();
for my $from (qw(pending resolved closed open)) {
	$r = status_set($from);
	is $r->{json}{ticket}{status}, $from, "set to $from" or diag $r->{body};
	is write_to($sam, "staff say, $from")->{status}, 201, 'staff write';
	is status($id), $from, '... and nothing changes';
	is write_to($bea, "I say, $from")->{json}{message}{channel}, 'api', 'the requester writes';
	is status($id), 'open', '... and it is open';
}
is told(), 'bea@example.org: Re: Nightly job; ' x 3 . 'sue@example.org: Ticket: Nightly job; ' x 3 . 'sue@example.org: Ticket: Nightly job',
	'the requester is told of each change, staff of each message';
is write_to($bea, 'It works', solved => $true)->{status}, 201, 'it is solved';
is status($id), 'resolved', '... says the requester';
refused(write_to($sam, 'x', solved => $true), '403 ACCESS_DENIED', 'nobody else does', qr/^solved: /);
refused(status_set('done'), '400 INVALID_REQUEST', 'no such status', qr/^status: /);
refused(as($sam, POST => "$tickets/$id/status", {}), '400 INVALID_REQUEST', 'none', qr/^status: /);
is_deeply [map { "$_->{staff} $_->{body}" } @{as($bea, GET => "$tickets/$id")->{json}{ticket}{messages}}[1, 2, -1]],
	['1 staff say, pending', '0 I say, pending', '0 It works'], 'oldest first';
is_deeply as($bea, GET => "$tickets/$id")->{json}{ticket}{messages}[1]{author}, { %{$who{sam}}, email => undef },
	'staff have a name for the requester, and no address';

# Resolved is closed a week later; a message in the same second opens it, whichever is first.
$db->do('UPDATE ticket SET resolved_at = UNIX_TIMESTAMP() - 7 * 86400 + 60 WHERE id = ?', undef, $id);
runner();
is status($id), 'resolved', 'not a week ago';
$db->do('UPDATE ticket SET resolved_at = UNIX_TIMESTAMP() - 7 * 86400 WHERE id = ?', undef, $id);
runner();
is status($id), 'closed', 'a week ago';
mails();
is told(), '', '... which nobody is mailed';
for my $round (1 .. 3) {
	$db->do("UPDATE ticket SET status = 'resolved', resolved_at = 1 WHERE id = ?", undef, $id);
	my $pid = fork // die;
	if (!$pid) {
		$stack->{finished} = 1;
		exec "$stack->{build}/vitrine-runner", '-c', "$stack->{dir}/vitrine.yaml", '--once' or POSIX::_exit(1);
	}
	write_to($bea, "again $round");
	waitpid $pid, 0;
	is status($id), 'open', 'a message beside the round that closes';
}

# ---- notes

mails();
$r = write_to($sam, 'Not ours', note => $true);
is_deeply [@{$r->{json}{message}}{qw(note staff body)}], [$true, $true, 'Not ours'], 'a note';
refused(write_to($bea, 'x', note => $true), '403 ACCESS_DENIED', 'not of the requester', qr/^note: /);
my $n = @{as($sam, GET => "$tickets/$id")->{json}{ticket}{messages}};
$t = as($bea, GET => "$tickets/$id");
is @{$t->{json}{ticket}{messages}}, $n - 1, 'the requester has one message less';
is $t->{json}{ticket}{message_count}, $n - 1, '... in its number, too';
unlike $t->{body}, qr/Not ours/, '... and nothing of it';
ok !exists $t->{json}{ticket}{triage}, 'nor of the triage';
is as($sam, GET => "$tickets/$id")->{json}{ticket}{message_count}, $n, 'staff are told of all';
is told(), '', 'nobody is mailed a note';

# ---- answers by mail

$r = as($sam, POST => "$tickets/$id/reply", { body => "Run this:\nsystemctl restart foo.service" });
is $r->{status}, 201, 'an answer' or diag $r->{body};
is_deeply [@{$r->{json}}{qw(delivered status)}, @{$r->{json}{message}}{qw(delivered staff channel)}],
	[$true, 'pending', $true, $true, 'api'], 'is on its way, and the ticket pending';
my ($mail) = mails();
my $key = $db->selectrow_array('SELECT mail_key FROM ticket WHERE id = ?', undef, $id);
is $mail->{envelope}{to}[0], 'bea@example.org', 'to the requester';
is $mail->{headers}{'reply-to'}, "help+$key\@support.example", 'who answers to the sealed address';
like $mail->{parts}{"text/plain"}, qr{^Sam from vitrine\.localhost}m, 'with who wrote';
like $mail->{parts}{"text/plain"}, qr{^> systemctl restart foo\.service$}m, 'in their words, addresses as they are';
like $mail->{parts}{"text/plain"}, qr{/support/$id\b}, 'and where it is';
$db->do('INSERT INTO mail_budget (kind, subject, day, used) VALUES (?, ?, UNIX_TIMESTAMP() DIV 86400, 50) '
	. 'ON DUPLICATE KEY UPDATE used = 50', undef, 'ticket', 'bea@example.org');
is as($sam, POST => "$tickets/$id/reply", { body => 'x' })->{json}{delivered}, $false, 'more than a day\'s mail is not delivered';
$db->do('DELETE FROM mail_budget');
$db->do('UPDATE user SET disabled_at = 1 WHERE id = ?', undef, $bea->{id});
is as($sam, POST => "$tickets/$id/reply", { body => 'x' })->{json}{delivered}, $false, 'nor to an account that is disabled';
$db->do('UPDATE user SET disabled_at = NULL WHERE id = ?', undef, $bea->{id});
refused(as($sam, POST => "$tickets/$id/reply", { body => " \n" }), '400 INVALID_REQUEST', 'a blank one', qr/^body: /);

# ---- assigned

mails();
sub assign { return as($sam, POST => "$tickets/$id/assign", { assigneeUserId => $_[0] }) }
is assign($ina->{id})->{json}{ticket}{assigneeUserId}, $ina->{id}, 'assigned';
is told(), 'ina@example.org: Yours: Nightly job', '... who is mailed';
is assign($ina->{id})->{status}, 200, 'again';
is told(), '', '... and nobody is';
write_to($bea, 'and now?');
is told(), 'ina@example.org: Ticket: Nightly job', 'a message is mailed to them alone';
refused(assign($_->{id}), '400 INVALID_REQUEST', 'a customer', qr/^assigneeUserId: nobody of the staff/) for $bea, $eve;
refused(assign('usr_' . '0' x 26), '400 INVALID_REQUEST', 'nobody at all', qr/^assigneeUserId: nobody of the staff/);
refused(as($sam, POST => "$tickets/$id/assign", {}), '400 INVALID_REQUEST', 'it must be said', qr/^assigneeUserId: /);
is assign($sam->{id})->{json}{ticket}{assigneeUserId}, $sam->{id}, 'to oneself';
is told(), '', '... without a mail';
is assign(undef)->{json}{ticket}{assigneeUserId}, undef, 'to nobody';
assign($ina->{id});
$stack->ctl(qw(user staff ina@example.org none));
is as($sam, GET => "$tickets/$id")->{json}{ticket}{assigneeUserId}, undef, 'who is staff no more has none';
refused(as($ina, GET => "$tickets/$id"), '404 NOT_FOUND', '... and sees none');
assign($sam->{id});

# ---- lists

my @mine = map { asked($bea, "mine $_") } 1 .. 3;
my $annas = asked($ann, 'of Ann', workspaceId => $ws);
my $eves = asked($eve, 'of Eve', workspaceId => $other);
sub list {
	my ($who, $query) = @_;
	my $r = as($who, GET => "$tickets$query");
	return $r->{status} == 200 ? join ' | ', map { $_->{subject} } @{$r->{json}{tickets}} : said($r);
}
is list($bea, ''), 'mine 3 | mine 2 | mine 1 | From the browser | Nightly job', 'my own, newest first';
is list($bea, '?scope=mine&status=pending'), '', 'of a status';
is list($eve, ''), 'of Eve', 'another has others';
is list($_, "?scope=workspace&workspace=$ws"), 'of Ann | Nightly job', 'of a workspace, for its owner and admins' for $ann, $cat;
is list($ann, "?scope=workspace&workspace=$ws&status=closed"), '', '... of a status';
is list($bea, "?scope=workspace&workspace=$ws"), '403 ACCESS_DENIED', 'not for members';
is list($eve, "?scope=workspace&workspace=$ws"), '404 NOT_FOUND', 'nor for strangers';
is list($eve, '?scope=workspace&workspace=wsp_' . '0' x 26), '404 NOT_FOUND', 'of none';
is list($sue, "?scope=workspace&workspace=$ws"), '404 NOT_FOUND', 'staff have no more there than others';
is list($ann, '?scope=workspace'), '400 INVALID_REQUEST', 'which one must be said';
is list($sue, '?scope=all'), 'of Eve | of Ann | mine 3 | mine 2 | mine 1 | From the browser | Nightly job', 'all, for super staff';
is list($sue, '?scope=all&unassigned=true'), 'of Eve | of Ann | mine 3 | mine 2 | mine 1 | From the browser', 'those of nobody';
is list($sue, '?scope=all&status=pending'), '', 'of a status';
is list($_, '?scope=all'), '403 ACCESS_DENIED', 'not for others' for $sam, $bea;
is list($sam, '?scope=assigned'), 'Nightly job', 'assigned to me';
is list($sam, '?scope=assigned&status=open'), 'Nightly job', '... of a status';
is list($sue, '?scope=assigned'), '', '... for each their own';
is list($bea, '?scope=assigned'), '403 ACCESS_DENIED', '... for staff alone';
is list($bea, $_), '400 INVALID_REQUEST', "no such list: $_"
	for '?scope=others', '?status=done', '?unassigned=true', "?workspace=$ws", '?priority=high', '?cursor=x';
runner();
ok !exists as($bea, GET => $tickets)->{json}{tickets}[0]{priority}, 'priorities are for staff';
is as($sue, GET => "$tickets?scope=all")->{json}{tickets}[0]{priority}, 'normal', '... who have them';
is list($sue, '?scope=all&priority=urgent'), '', '... to choose by';
is as($ann, GET => "$tickets/$annas")->{json}{ticket}{subject}, 'of Ann', 'the owner reads their own';

# ---- staff who ask something themselves

my $own = asked($sam, 'of Sam');
is write_to($sue, 'He always asks', id => $own, note => $true)->{status}, 201, 'a colleague\'s note';
$r = as($sam, GET => "$tickets/$own");
unlike $r->{body}, qr/always asks|triage/, 'is not for the requester, staff or not';
is write_to($sam, 'x', id => $own)->{json}{message}{staff}, $false, 'who writes as the requester';
refused(write_to($sam, 'x', id => $own, note => $true), '403 ACCESS_DENIED', '... without notes', qr/^note: /);
like as($sue, GET => "$tickets/$own")->{body}, qr/always asks/, 'the colleague reads it';

# ---- triage, by rules

$r = as($sam, GET => "$tickets/$id")->{json}{ticket}{triage};
is_deeply [@$r{qw(state category priority suggested_reply source model error)}], ['made', 'jobs', 'normal', undef, 'rules', undef, undef],
	'made by the runner';
is $r->{summary}, 'Nightly job: It fails. Since Friday. 日本', '... with a summary';
$r = as($sam, POST => "$tickets/$id/triage");
is $r->{status}, 202, 'again';
is $r->{json}{triage}{state}, 'waiting', '... it waits';
runner();
is as($sam, GET => "$tickets/$id")->{json}{ticket}{triage}{state}, 'made', '... and is made';
is status($id), 'open', 'nothing else changed';
for (['My password doesn’t work, and our production is blocked', 'account high'], ['An invoice was charged twice', 'billing high'],
	['There is a phishing page', 'abuse urgent'], ['Question: how do I delete a CSV?', 'data low'], ['Привет', 'other normal'],
	['cardinal', 'other normal']) {
	my $new = asked($sue, $_->[0], body => '.');
	runner();
	is join(' ', @{as($sam, GET => "$tickets/$new")->{json}{ticket}{triage}}{qw(category priority)}), $_->[1], "rules: $_->[0]";
}

# ---- from a chat

my $chat = Vitrine::Chat->new($stack->{tls});
$chat->configure($folder);
$stack->{conf}{egress_allow} = "127.0.0.1:$chat->{port}";
$stack->write_conf; $stack->stop_one('worker'); $stack->start_worker;
$stack->ctl_in("the password\n", qw(user password ann@example.org));
my $admin = Vitrine::Visitor->new($api);
$admin->sign_in('ann@example.org', 'the password');
my %con = map { my ($kind, $team) = @$_;
	$r = $admin->send(GET => "/v1/workspaces/$ws/connections/$kind/install");
	$r = $admin->send(GET => $chat->agree($r->{headers}{location}, $team) =~ s{^https://vitrine\.localhost:\d+}{}r);
	$kind => $r->{headers}{location} =~ /(con_\w+)/ } ['chat_a', 'T1'], ['chat_b', '11'];
my %of_chat = map {
	my ($kind, $channel) = @$_;
	$kind => asked($bea, 'From <chat> & @all', workspaceId => $ws, connectionId => $con{$kind}, channel => $channel);
} ['chat_a', 'C1'], ['chat_b', '103'];
is_deeply [map { as($bea, GET => "$tickets/$of_chat{$_}")->{json}{ticket}{origin} } qw(chat_a chat_b)], [qw(chat_a chat_b)],
	'it comes from that chat';
for my $kind (qw(chat_a chat_b)) {
	$r = as($sam, POST => "$tickets/$of_chat{$kind}/reply", { body => "See <you> & \@everyone" });
	is_deeply [@{$r->{json}}{qw(delivered status)}, $r->{json}{message}{channel}], [$true, 'pending', $kind], "an answer goes to $kind"
		or diag $r->{body};
}
is_deeply [map { [@$_{qw(channel text)}] } $chat->messages],
	[['C1', "From &lt;chat&gt; &amp; \@\x{2060}all\n\nSee &lt;you&gt; &amp; \@\x{2060}everyone"],
		['103', "From <chat> & \@\x{2060}all\n\nSee <you> & \@\x{2060}everyone"]], 'in its channel, without mentions';
is as($sam, POST => "$tickets/$of_chat{chat_b}/reply", { body => 'x' x 20000 })->{json}{delivered}, $true, 'a long one';
like +($chat->messages)[-1]{text}, qr{x…\nhttps://vitrine\.localhost:\d+/support/$of_chat{chat_b}$}, '... is cut, with where it goes on';
is length(($chat->messages)[-1]{text}), 2000, '... at what the chat takes';
$chat->mode('deaf');
is as($sam, POST => "$tickets/$of_chat{chat_a}/reply", { body => 'x' })->{json}{delivered}, $false, 'a chat that refuses';
$chat->mode('');
$db->do('DELETE FROM member WHERE workspace_id = ? AND user_id = ?', undef, $ws, $bea->{id});
is as($sam, POST => "$tickets/$of_chat{chat_a}/reply", { body => 'x' })->{json}{delivered}, $false,
	'a requester who has left the workspace';
$stack->seat($ws, $bea, 'member');
is as($ann, DELETE => "/v1/workspaces/$ws/connections/$con{chat_a}")->{status}, 200;
is as($sam, POST => "$tickets/$of_chat{chat_a}/reply", { body => 'x' })->{json}{delivered}, $false, 'a connection that is gone';
is as($bea, GET => "$tickets/$of_chat{chat_a}")->{json}{ticket}{messages}[-1]{body}, 'x', '... it stands in the thread';
refused(ask($bea, 'x', @$_), '400 INVALID_REQUEST', "a chat: @$_", qr/^(?:connectionId|channel): /)
	for [connectionId => $con{chat_b}, workspaceId => $ws], [channel => '103', workspaceId => $ws],
	[connectionId => $con{chat_b}, channel => '103'], [connectionId => $con{chat_b}, channel => '../x', workspaceId => $ws],
	[connectionId => $con{chat_a}, channel => 'C1', workspaceId => $ws];
refused(ask($eve, 'x', connectionId => $con{chat_b}, channel => '103', workspaceId => $other), '400 INVALID_REQUEST',
	"another workspace's chat", qr/^connectionId: /);

# ---- by mail, as vitrinectl ticket receive does it

sub mail {
	local $ENV{ASAN_OPTIONS} = ($ENV{ASAN_OPTIONS} // '') . ':detect_leaks=0';
	open my $out, '-|', "$stack->{build}/t/drive/ticket", "$stack->{dir}/vitrine.yaml",
		map { my $s = $_; utf8::encode($s); $s } @_ or die;
	local $/;
	my $said = <$out> // '';
	utf8::decode($said);
	return $said =~ s{\n\z}{}r;
}
$db->do('DELETE FROM mail_budget');
mails();
my $by_mail = mail('open', 'Jo@Fernhill.example', 'Jo', "Re: Re:\r\nBcc: x", "Hello\r\n", 'one', 'a.png', "b\r\n.pdf");
like $by_mail, qr/^tkt_/, 'a mail opens a ticket';
is mail('open', 'jo@fernhill.example', 'Jo', 'x', 'Hello', 'one'), '-', 'once';
$t = as($sam, GET => "$tickets/$by_mail")->{json}{ticket};
is_deeply [@$t{qw(subject origin unverified requester)}], ['Re: Re: Bcc: x', 'email', $true,
	{ user_id => undef, name => 'Jo', email => 'jo@fernhill.example', kind => undef }], 'of a mailbox, unverified';
is_deeply [@{$t->{messages}[0]}{qw(body channel attachments_dropped author)}], ["Hello\n", 'email', ['a.png', 'b .pdf'], $t->{requester}],
	'with what was dropped';
is told(), 'sue@example.org: New ticket: Re: Re: Bcc: x', 'staff are told';
$r = as($sam, POST => "$tickets/$by_mail/reply", { body => 'Hello Jo' });
is $r->{json}{delivered}, $true, 'the answer goes to the mailbox';
($mail) = mails();
is $mail->{envelope}{to}[0], 'jo@fernhill.example';
unlike $mail->{parts}{"text/plain"}, qr{/support/|Open ticket}, '... without a page that they can\'t open';
my ($address) = $mail->{headers}{'reply-to'} =~ /(help\+\w+\@support\.example)/;
is mail('of', $_), $by_mail, "$_ is the ticket's" for $address, uc $address;
is mail('of', $_), '-', "$_ is nobody's" for 'help@support.example', 'help+' . '0' x 26 . '@support.example',
	$address =~ s/support\.example/other.example/r, $address =~ s/help/halp/r, "x$address", $address =~ s/.\@/\@/r, '', 'x';
as($sam, POST => "$tickets/$by_mail/status", { status => 'closed' });
like mail('add', $by_mail, 'JO@fernhill.example', 'Thanks', 'two'), qr/^msg_/, 'a mail to it';
is mail('add', $by_mail, 'jo@fernhill.example', 'Thanks', 'two'), '-', 'counts once';
$t = as($sam, GET => "$tickets/$by_mail")->{json}{ticket};
is_deeply [$t->{status}, map { $_->{body} } @{$t->{messages}}], ['open', "Hello\n", 'Hello Jo', 'Thanks'], 'opens it again';
mail('add', $id, 'bea@example.org', 'From my phone', 'three');
mail('add', $id, 'someone@else.example', 'I was forwarded this', 'four');
is_deeply [map { $_->{author} } @{as($sam, GET => "$tickets/$id")->{json}{ticket}{messages}}[-2, -1]],
	[$who{bea}, { user_id => undef, name => '', email => 'someone@else.example', kind => undef }],
	'from the account\'s address it is the requester, else whoever has that one';
is mail('open', 'bea@example.org', '', 'Mine?', 'x', 'five') =~ /^tkt_/ ? 1 : 0, 1, 'a mail that says it is from an account';
unlike list($bea, ''), qr/Mine\?/, '... is none of the account\'s';
like mail('open', 'no address', '', 'x', 'x', 'six'), qr/^! from: /, 'an address that can\'t be answered';
is mail('open', 'blank@x.example', '', ' ', " \n", 'seven') =~ /^tkt_/ ? 1 : 0, 1, 'nothing at all';
is_deeply $db->selectrow_arrayref("SELECT t.subject, m.body FROM ticket t JOIN ticket_message m ON m.ticket_id = t.id "
	. "WHERE t.requester_email = 'blank\@x.example'"), ['(no subject)', '(no text)'], '... is told so';
mail('open', 'long@x.example', 'n' x 500, 's' x 500, 'b' x 30000, 'eight');
is_deeply $db->selectrow_arrayref("SELECT CHAR_LENGTH(t.requester_name), CHAR_LENGTH(t.subject), CHAR_LENGTH(m.body) FROM ticket t "
		. "JOIN ticket_message m ON m.ticket_id = t.id WHERE t.requester_email = 'long\@x.example'"), [120, 200, 20000],
	'what is too long is cut';
like mail('open', 'many@x.example', '', 'x', 'x', "many $_"), $_ > 10 ? qr/^! .*10 tickets within an hour/ : qr/^tkt_/,
	"ticket $_ of an hour" for 1 .. 11;
like mail('add', $by_mail, 'jo@fernhill.example', 'x', "add $_"), $_ > 59 ? qr/^! .*60 e-mails within an hour/ : qr/^msg_/,
	"mail $_ of an hour" for 1 .. 60;
refused(as(undef, GET => "$tickets/$by_mail"), '401 UNAUTHENTICATED', 'nobody reads it');
is mail('add', 'tkt_' . '0' x 26, 'x@x.example', 'x', 'nine'), '! ' . as($eve, GET => "$tickets/$id")->{json}{error},
	'a ticket that is gone';

# ---- bounds

$db->do('UPDATE ticket SET messages = 500 WHERE id = ?', undef, $annas);
refused(write_to($ann, 'x', id => $annas), '409 LIMIT_REACHED', 'a thread that is too long', qr/500 messages/);
$db->do('UPDATE ticket SET messages = 1, size_bytes = 2097100 WHERE id = ?', undef, $annas);
refused(as($sam, POST => "$tickets/$annas/reply", { body => 'x' x 100 }), '409 LIMIT_REACHED', 'too many bytes', qr/2 MiB/);
asked($eve, "many $_") for 2 .. 50;
refused(ask($eve, 'x'), '409 LIMIT_REACHED', 'too many that go on', qr/50 tickets that aren't closed/);
$db->do("UPDATE ticket SET status = 'closed' WHERE id = ?", undef, $eves);
is_deeply [sort(Vitrine::Api::together($stack, 4, sub {
	$_[0]->call(POST => $tickets, { token => $eve->{token}, json => { subject => 'at once', body => 'x' } })->{status};
}))], [201, 409, 409, 409], 'of several at once, those that there is room for';

# ---- what becomes of it

is_deeply $db->selectall_arrayref("SELECT action, actor_name, target_id, after_it FROM audit WHERE target_id = ? ORDER BY id LIMIT 2",
	undef, $id), [['ticket.opened', 'bea@example.org', $id, undef], ['ticket.status', 'the service', $id, '{"status":"pending"}']],
	'the workspace\'s audit has it, without who of the staff it was';
my $gone = $stack->user('gone@example.org');
my $theirs = asked($gone, 'of Gone');
write_to($gone, 'x', id => $theirs);
$stack->ctl(qw(user delete gone@example.org));
is status($theirs), undef, 'a deleted account takes its tickets along';
$db->do("UPDATE ticket SET assignee_id = ? WHERE id = ?", undef, $sue->{id}, $id);
write_to($sue, 'I was here', id => $id);
$db->do('DELETE FROM ticket WHERE requester_id = ?', undef, $sue->{id});
$stack->ctl(qw(user delete sue@example.org));
$t = as($sam, GET => "$tickets/$id")->{json}{ticket};
is_deeply [$t->{assigneeUserId}, $t->{messages}[-1]{body}, $t->{messages}[-1]{author}], [undef, 'I was here',
	{ user_id => undef, name => '', email => undef, kind => undef }], 'what deleted staff said stays, without them';
$db->do("UPDATE ticket SET assignee_id = ? WHERE id = ?", undef, $sam->{id}, $id);
$stack->ctl(qw(user disable sam@example.org));
is $db->selectrow_array('SELECT assignee_id FROM ticket WHERE id = ?', undef, $id), undef, 'who is disabled has none assigned';
$stack->ctl(qw(user enable sam@example.org));
$db->do('UPDATE workspace SET deleted_at = 1 WHERE id = ?', undef, $ws);
is list($ann, "?scope=workspace&workspace=$ws"), '404 NOT_FOUND', 'a workspace in the trash has no list';
refused(as($ann, GET => "$tickets/$id"), '404 NOT_FOUND', '... nor admins');
runner() for 1 .. 2;
is as($bea, GET => "$tickets/$id")->{json}{ticket}{workspaceId}, undef, 'one that is purged leaves the ticket to its requester';

# ---- the client, and operators

my ($status, $out, $err) = $stack->client($bea->{token}, qw(support new --subject), 'By the client', '--text', 'Hello');
is $status, 0, 'asked by the client' or diag $err;
chomp(my $client = $out);
like $client, qr/^tkt_/, '... which prints its id';
(undef, $out, $err) = $stack->client($bea->{token}, qw(support list --status open));
like $out, qr/^$client  open +\S.*  By the client$/m, 'a list' or diag $err;
($status, undef, $err) = $stack->client($bea->{token}, qw(support reply), $client, '--text', 'More');
is $status, 0, 'a message' or diag $err;
($status, $out, $err) = $stack->client($bea->{token}, qw(support show), $client);
like $out, qr/By the client.*Hello.*More/s, 'and all of it' or diag "$status $err";
is $stack->ctl(qw(staff list)), 'staff  sam@example.org  Sam', 'who is staff';
($status, undef, $err) = $stack->program('vitrinectl', {}, qw(user staff sam@example.org on));
is $status, 1, 'on is no level';
like $err, qr/must be staff, super or none/, '... which says the levels';
finish($stack);
