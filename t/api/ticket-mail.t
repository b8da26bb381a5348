# SPDX-License-Identifier: Apache-2.0
# Tickets by mail, as vitrinectl takes them from a mail server: what programs send becomes what somebody said; an answer joins its ticket;
# what isn't for people is ignored; what can't be done now is said so that the mail server tries again.
use utf8;
use Encode 'encode_utf8';
use MIME::Base64;
use MIME::QuotedPrint;
use Vitrine::Smtp;
use Vitrine::Words qw(as said);

my $smtp = Vitrine::Smtp->new;
my ($stack, $api, $db) = stack(workers => 1, $smtp->conf, support_address => 'help@support.example');
my ($bea, $sue) = map { $stack->user("$_\@example.org") } qw(bea sue);
$stack->ctl(qw(user staff sue@example.org super));
my $tickets = '/v1/support/tickets';

# What vitrinectl says of a mail: "opened: tkt_…", and how it ended.
sub receive {
	my ($mail) = @_;
	Vitrine::Stack::spew("$stack->{dir}/mail", utf8::is_utf8($mail) ? encode_utf8($mail) : $mail);
	my ($status, $out, $err) = $stack->program('vitrinectl', {}, qw(ticket receive), { stdin => "$stack->{dir}/mail" });
	chomp($out, $err);
	return ($status, $out, $err);
}
my $mails = 0;
sub mail {
	my ($body, %o) = @_;
	my %head = (From => 'Jo Fern <jo@fernhill.example>', To => 'help@support.example', Subject => 'Nightly job',
		'Message-ID' => '<m' . ++$mails . '@fernhill.example>', %o);
	return join('', map { "$_: $head{$_}\n" } grep { defined $head{$_} } sort keys %head) . "\n$body";
}
sub opened {
	my ($status, $out, $err) = receive(mail(@_));
	my ($id) = $out =~ /^opened: (tkt_\w{26})$/;
	ok !$status && $id, 'a ticket is opened' or diag "$status $out $err";
	return $id;
}
sub added { my ($status, $out, $err) = receive(mail(@_)); return $status ? "$status $err" : $out =~ s/: msg_\w{26}$//r }
sub ticket { return as($sue, GET => "$tickets/$_[0]")->{json}{ticket} }
sub last_of { my ($id) = @_; return ticket($id)->{messages}[-1] }
sub key { return $db->selectrow_array('SELECT mail_key FROM ticket WHERE id = ?', undef, $_[0]) }
my $seen = 0;
sub sent { $stack->runner; my @all = $smtp->mails; my @new = @all[$seen .. $#all]; $seen = @all; return @new }

# ---- one that opens a ticket

my $id = opened("The nightly job fails.\n\n-- \nJo\n", To => 'Support <help@support.example>',
	'Content-Type' => 'text/plain; charset=utf-8');
my $t = ticket($id);
my $jo = { user_id => undef, name => 'Jo Fern', email => 'jo@fernhill.example', kind => undef };
is_deeply [@$t{qw(subject body status origin unverified workspaceId)}],
	['Nightly job', 'The nightly job fails.', 'open', 'email', $true, undef], 'of what it says';
is_deeply $t->{requester}, $jo, '... by whom it says';
is_deeply [@{$t->{messages}[0]}{qw(channel staff attachments_dropped author)}], ['email', $false, [], $jo], '... in its first message';
my ($told) = sent();
is "$told->{envelope}{to}[0] $told->{headers}{subject}", 'sue@example.org New ticket: Nightly job', 'staff are told';
my $b = opened('x', From => 'Bea <bea@example.org>');
is_deeply [ticket($b)->{unverified}, as($bea, GET => $tickets)->{json}{tickets}], [$true, []],
	'a mail that says it is from an account is not in its list';

# ---- what programs send

my $html = '<html><head><style>p{}</style></head><body><p>Hello,<br>it <b>still</b> fails, see <a href="https://pages.fernhill.example/x">'
	. 'the page</a>.</p><div class="gmail_quote">On Tue, Mar 3, 2026 at 9:14 AM Support &lt;<a href="mailto:help@support.example">'
	. 'help@support.example</a>&gt; wrote:<br><blockquote><p>Run it again.</p></blockquote></div></body></html>';
sub parts {
	my ($kind, @parts) = @_;
	return ('Content-Type' => "multipart/$kind; boundary=\"=_b\"", 'MIME-Version' => '1.0'),
		join('', map { "--=_b\n$_\n" } @parts) . "--=_b--\n";
}
sub part { my ($type, $body, @more) = @_; return join "\n", "Content-Type: $type", @more, '', $body }
sub of_parts { my @p = parts(@_); my $body = pop @p; return ($body, @p) }
my @bodies = (
	['a German one, in quoted-printable', "Es geht nicht: „Überlauf“.",
		encode_qp(encode_utf8("Es geht nicht: „Überlauf“.\n\nAm 03.03.2026 um 09:14 schrieb Support:\n> Noch einmal.\n")),
		'Content-Type' => 'text/plain; charset=UTF-8', 'Content-Transfer-Encoding' => 'quoted-printable'],
	['a French one, in Latin-1', "Ça échoue.", Encode::encode('iso-8859-1',
		"Ça échoue.\n\n-----Message d'origine-----\nDe : Support\n\nx\n"), 'Content-Type' => 'text/plain; charset=iso-8859-1'],
	['a Japanese one', "失敗します。", Encode::encode('iso-2022-jp', "失敗します。\n"), 'Content-Type' => 'text/plain; charset=iso-2022-jp'],
	['one of Outlook, in HTML alone', "Hello,\nit still fails, see the page (https://pages.fernhill.example/x).", $html,
		'Content-Type' => 'text/html; charset=us-ascii'],
	['one of Gmail, in both forms', "Hello, it *still* fails.",
		of_parts('alternative', part('text/plain; charset="UTF-8"', "Hello, it *still* fails.\n\nOn Tue, Mar 3, 2026 at 9:14 AM "
			. "Support <help\@support.example>\nwrote:\n\n> Run it again.\n>\n"), part('text/html; charset="UTF-8"', $html))],
	['one of Apple Mail, in flowed text', "One line that goes on.\n\nAnother.", "One line that \ngoes on.\n\nAnother.\n\n"
			. "> On 3 Mar 2026, at 09:14, Support <help\@support.example> wrote:\n> \n> Run it \n> again.\n",
		'Content-Type' => 'text/plain; charset=us-ascii; format=flowed; delsp=no'],
	['one answered between the lines', "On Tue, Support wrote:\n> Which?\n\nThe nightly one.\n\n> Since when?\n\nFriday.",
		"On Tue, Support wrote:\n> Which?\n\nThe nightly one.\n\n> Since when?\n\nFriday.\n\n> Sam\n"],
	['one without any text', '(no text)', ''],
	['a signed one', 'Signed.', of_parts('signed; protocol="application/pgp-signature"', part('text/plain', "Signed.\n"),
		part('application/pgp-signature; name=signature.asc', 'x'))],
);
for (@bodies) {
	my ($name, $want, $body, @head) = @$_;
	$db->do('UPDATE ticket SET created_at = created_at - 3600');
	is last_of(opened($body, 'Content-Type' => undef, @head))->{body}, $want, $name;
}
$db->do('UPDATE ticket SET created_at = created_at - 3600');
$id = opened((of_parts('mixed', part('text/plain', "See the picture.\n"), part('image/png; name="=?UTF-8?B?'
	. encode_base64(encode_utf8('Bildschirm “1”.png'), '') . '?="', encode_base64('x' x 3000), 'Content-Transfer-Encoding: base64'),
	part("application/pdf", 'x', q{Content-Disposition: attachment; filename*=UTF-8''caf%C3%A9.pdf}))), Subject => '=?utf-8?B?'
		. encode_base64(encode_utf8('Störung — 日本'), '') . '?=', From => '=?iso-8859-1?Q?J=F6rg?= <joerg@fernhill.example>');
$t = ticket($id);
is_deeply [$t->{subject}, $t->{requester}{name}, $t->{body}, $t->{messages}[0]{attachments_dropped}],
	['Störung — 日本', 'Jörg', 'See the picture.', ['Bildschirm “1”.png', 'café.pdf']], 'files are named and not kept';

# ---- an answer, and an answer to it

my $first = '<first.1@fernhill.example>';
$id = opened('It fails.', 'Message-ID' => $first);
sent();
is as($sue, POST => "$tickets/$id/reply", { body => 'Run it again.' })->{json}{delivered}, $true, 'staff answer';
my ($answer) = sent();
my $address = 'help+' . key($id) . '@support.example';
my $root = "<$id\@vitrine.localhost>";
is_deeply [@{$answer->{headers}}{qw(reply-to in-reply-to)}, $answer->{headers}{references} =~ s/\s+/ /gr],
	[$address, $first, "$root $first"], 'it answers the mail, to an address of the ticket';
like $answer->{headers}{'message-id'}, qr/^<out_\w+\@vitrine\.localhost>$/, 'with an id of its own';
is_deeply $answer->{defects}, [], 'and is in order';
my $quoted = $answer->{parts}{'text/plain'} =~ s/^/> /mgr;
as($sue, POST => "$tickets/$id/status", { status => 'resolved' });
sent();
is added("It still fails.\n\nOn Tue, Support <$address> wrote:\n\n$quoted", To => $address, Subject => 'Re: Nightly job',
	'In-Reply-To' => $answer->{headers}{'message-id'}, 'Message-ID' => '<second.2@fernhill.example>'), 'added', 'an answer joins it';
$t = ticket($id);
is_deeply [$t->{status}, $t->{message_count}, $t->{messages}[-1]{body}, $t->{messages}[-1]{author}{email}],
	['open', 3, 'It still fails.', 'jo@fernhill.example'], 'which opens again, with what is new in it';
as($sue, POST => "$tickets/$id/reply", { body => 'And now?' });
($answer) = grep { $_->{headers}{'reply-to'} } sent();
is_deeply [$answer->{headers}{'in-reply-to'}, $answer->{headers}{references} =~ s/\s+/ /gr],
	['<second.2@fernhill.example>', "$root <second.2\@fernhill.example>"], 'the next one answers that one';
is added('x', To => 'help@support.example', Cc => "a\@x.example, Support <\U$address>"), 'added', "it may stand anywhere, in any case";
is added('x', To => 'undisclosed-recipients:;', 'Delivered-To' => $address), 'added', '... or be where it was delivered to alone';
is added('x', From => 'ann@elsewhere.example', To => $address), 'added', 'whoever has the address may write';
is_deeply last_of($id)->{author}, { user_id => undef, name => '', email => 'ann@elsewhere.example', kind => undef }, '... as themselves';
is added('x', 'In-Reply-To' => $answer->{headers}{'message-id'}, References => $answer->{headers}{references}),
	'opened: ' . $db->selectrow_array('SELECT id FROM ticket ORDER BY id DESC LIMIT 1'), 'what it says it answers is no proof';
is added('x', To => 'help+' . '0' x 26 . '@support.example', From => 'new@x.example') =~ /^opened/ ? 1 : 0, 1,
	'an address of no ticket opens one';
my $asked = as($bea, POST => $tickets, { subject => 'From the page', body => 'x' })->{json}{ticket}{id};
as($sue, POST => "$tickets/$asked/reply", { body => 'Hello' });
($answer) = grep { $_->{headers}{'reply-to'} } sent();
is_deeply [@{$answer->{headers}}{qw(in-reply-to references)}], [("<$asked\@vitrine.localhost>") x 2],
	'answers to one that was asked here have something in common, too';
is added('From my phone', From => 'Bea <BEA@example.org>', To => $answer->{headers}{'reply-to'}), 'added', 'who asked here answers by mail';
is last_of($asked)->{author}{user_id}, $bea->{id}, '... as themselves';
$db->do('UPDATE ticket SET messages = 500 WHERE id = ?', undef, $asked);
like added('One more', From => 'bea@example.org', To => $answer->{headers}{'reply-to'}), qr/^opened/,
	'where the thread is full, it opens another';

# ---- once

my $mail = mail('Once.', From => 'once@x.example');
like((receive($mail))[1], qr/^opened: /, 'a mail');
is((receive("Received: from a by b\nX-Spam: no\n$mail"))[1], 'received before', 'that is delivered twice counts once');
is((receive($mail =~ s/^To: .*/To: $address/mr))[1], 'received before', '... wherever');
like((receive($mail =~ s/Once/Another/r))[1], qr/^opened: /, 'another with its id counts');
$mail = mail('Twice at once.', From => 'twice@x.example');
my @children = map { my $pid = fork // die; if (!$pid) {
	$stack->{finished} = 1;
	$stack->{dir} .= "/twice$_";
	mkdir $stack->{dir};
	symlink "../vitrine.yaml", "$stack->{dir}/vitrine.yaml";
	my ($status) = receive($mail);
	POSIX::_exit($status);
} $pid } 1 .. 6;
is_deeply [map { waitpid $_, 0; $? } @children], [(0) x 6], 'six at once';
is $db->selectrow_array("SELECT COUNT(*) FROM ticket_message WHERE author_email = 'twice\@x.example'"), 1, '... are one';

# ---- not for people

my $before = $db->selectrow_array('SELECT COUNT(*) FROM ticket_message');
my @ignored = (
	['Auto-Submitted' => 'auto-replied'], ['Auto-Submitted' => 'auto-generated'], [Precedence => 'bulk'], [Precedence => 'junk'],
	[Precedence => 'list'], ['List-Id' => '<l.x.example>'],
	['List-Unsubscribe' => '<https://x.example>'], ['X-Autoreply' => 'yes'], ['X-Autorespond' => 'x'], ['Return-Path' => '<>'],
	['X-Vitrine-Event' => 'ticket_reply'], ['Message-ID' => $answer->{headers}{'message-id'}],
	[From => 'help@support.example'], [From => "Support <$address>"], [From => 'HELP+x@Support.example'],
	[From => 'no-reply@example.org'], [From => 'Mail Delivery System <MAILER-DAEMON@x.example>'],
	['Content-Type' => 'multipart/report; report-type=delivery-status; boundary=x'], [From => undef], [From => 'nobody'],
	[From => 'x@localhost'], [From => "a\@x.example\nX-Loop: 1" . "\nReceived: x" x 26]);
for (@ignored) {
	my ($name, $value) = @$_;
	like added('x', To => $address, @$_), qr/^ignored: \S/, 'ignored: ' . substr join(' ', $name, map { $_ // 'none' } $value), 0, 60;
}
is $db->selectrow_array('SELECT COUNT(*) FROM ticket_message'), $before, 'nothing of these is kept';
is added('x', From => 'not@x.example', 'Auto-Submitted' => 'no', 'X-Auto-Response-Suppress' => 'All') =~ /^opened/ ? 1 : 0, 1,
	'others are read';

# ---- later

is((grep { /^opened/ } map { added("x $_", From => 'many@x.example') } 1 .. 10), 10, 'ten tickets of an hour');
my ($status, $out, $err) = receive(mail('x', From => 'many@x.example'));
is "$status $err", '75 vitrinectl: many@x.example has opened 10 tickets within an hour, the most there can be', 'the next is for later';
is((receive('x'))[0], 0, 'what is no mail is not');
($status, $out, $err) = $stack->program('vitrinectl', {}, qw(-c /nowhere ticket receive));
is $status, 75, 'without a configuration it is for later';
is(($stack->program('vitrinectl', {}, qw(ticket receive now)))[0], 75, '... and with wrong arguments');
$stack->stop_one('db');
($status, $out, $err) = receive(mail('x', From => 'later@x.example'));
is $status, 75, 'without a database, too';
isnt $err, '', '... which is said';
$stack->start_db;
$db = $stack->db;
finish($stack);
