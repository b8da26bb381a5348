# SPDX-License-Identifier: Apache-2.0
# Support by mail, as docs/operations.md has it set up: somebody mails, Postfix gives the mail to vitrinectl, staff answer, the answer goes
# out, and what is answered to it comes back into the ticket. What can't be taken waits in Postfix's queue.
use Vitrine::Postfix;
use Vitrine::Smtp;
use Vitrine::Words qw(as);
use Time::HiRes 'sleep';

plan skip_all => 'Postfix runs as root alone' if $> != 0;
my $smtp = Vitrine::Smtp->new;
my ($stack, $api, $db) = stack(workers => 1, $smtp->conf, support_address => 'help@support.example');
my $sue = $stack->user('sue@example.org');
$stack->ctl(qw(user staff sue@example.org super));
my $tickets = '/v1/support/tickets';

# Postfix runs no program as root, so what it needs has to be in reach of another user, as it is where it is installed.
my $reach = "$stack->{dir}/reach";
umask 022;
mkdir $reach;
chmod 0711, $stack->{dir}, $stack->{run}, $reach;
system('cp', "$stack->{build}/vitrinectl", "$reach/vitrinectl") == 0 or die;
sub configure {
	my ($socket) = @_;
	Vitrine::Stack::spew("$reach/vitrine.yaml", Vitrine::Stack::slurp("$stack->{dir}/vitrine.yaml") =~ s/^plans_file:.*\n//mr
		=~ s/^db_password_file:.*/db_password_file: $reach\/password/mr =~ s/^db_socket:.*/db_socket: $socket/mr);
}
configure("$stack->{run}/db.sock");
umask 077;
Vitrine::Stack::spew("$reach/password", Vitrine::Stack::slurp("$stack->{dir}/db-password"));
chown scalar(getpwnam 'nobody'), -1, "$reach/password", "$reach/vitrine.yaml";
my $postfix = Vitrine::Postfix->new(address => 'help@support.example', user => 'nobody',
	command => "/usr/bin/env ASAN_OPTIONS=detect_leaks=0 $reach/vitrinectl -c $reach/vitrine.yaml ticket receive");

sub listed { return map { $_->{subject} } @{as($sue, GET => "$tickets?scope=all")->{json}{tickets}} }
sub until_true { my ($name, $is) = @_; for (1 .. 3000) { return pass $name if $is->(); sleep 0.02 } fail $name; diag $postfix->log }
my $seen = 0;
sub sent { $stack->runner; my @all = $smtp->mails; my @new = @all[$seen .. $#all]; $seen = @all; return @new }

# ---- there and back

like $postfix->send('jo@fernhill.example', 'help@support.example',
		"From: Jo Fern <jo\@fernhill.example>\nTo: Support <help\@support.example>\nSubject: Nightly job\n"
		. "Message-ID: <one\@fernhill.example>\nDate: Tue, 3 Mar 2026 09:14:00 +0100\nMIME-Version: 1.0\n"
		. "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\nIt fails since Friday.\n\n-- \nJo\n"),
	qr/^250 /, 'Postfix takes a mail';
until_true('... which is a ticket', sub { (listed())[0] });
my ($t) = @{as($sue, GET => "$tickets?scope=all")->{json}{tickets}};
is_deeply [@$t{qw(subject body origin unverified)}, $t->{requester}{email}],
	['Nightly job', 'It fails since Friday.', 'email', $true, 'jo@fernhill.example'], 'of what was mailed';
my ($told) = sent();
is $told->{envelope}{to}[0], 'sue@example.org', 'staff are told';
is as($sue, POST => "$tickets/$t->{id}/reply", { body => 'Run it again.' })->{json}{delivered}, $true, 'staff answer';
my ($answer) = sent();
is_deeply [$answer->{envelope}{to}[0], $answer->{headers}{subject}, $answer->{headers}{'in-reply-to'}],
	['jo@fernhill.example', 'Re: Nightly job', '<one@fernhill.example>'], 'by mail';
my $address = $answer->{headers}{'reply-to'};
like $address, qr/^help\+[0-9a-z]{26}\@support\.example\z/, 'to be answered at an address of its own';
my $quoted = $answer->{parts}{'text/plain'} =~ s/^/> /mgr;
like $postfix->send('jo@fernhill.example', $address,
		"From: Jo Fern <jo\@fernhill.example>\nTo: $address\nSubject: Re: Nightly job\nMessage-ID: <two\@fernhill.example>\n"
		. "In-Reply-To: $answer->{headers}{'message-id'}\nReferences: <one\@fernhill.example> $answer->{headers}{'message-id'}\n\n"
		. "It works, thank you.\n\nOn Tue, 3 Mar 2026 at 10:00, Vitrine <no-reply\@example.org> wrote:\n\n$quoted\n"), qr/^250 /,
	'Postfix takes the answer to it';
until_true('... which is in the ticket', sub { @{as($sue, GET => "$tickets/$t->{id}")->{json}{ticket}{messages}} == 3 });
is as($sue, GET => "$tickets/$t->{id}")->{json}{ticket}{messages}[2]{body}, 'It works, thank you.', 'without what it quotes';
is_deeply [listed()], ['Nightly job'], 'and no other ticket';
$postfix->send('jo@fernhill.example', [$address, 'help@support.example'], "From: Jo Fern <jo\@fernhill.example>\n"
	. "To: help\@support.example\nCc: $address\nSubject: Both\nMessage-ID: <three\@fernhill.example>\n\nTo both addresses.\n");
until_true('a mail to both addresses',
	sub { 2 == (() = $postfix->log =~ /: to=<help(?:\+\w+)?\@support\.example>.*(?:added|received before)/g) - 1 });
is_deeply [scalar @{as($sue, GET => "$tickets/$t->{id}")->{json}{ticket}{messages}}, listed()], [4, 'Nightly job'], '... counts once';

# ---- what is not for people, and what nobody answers

$postfix->send('', $address, "From: MAILER-DAEMON\@x.example\nTo: $address\nSubject: Undelivered\n\nx\n");
until_true('a bounce', sub { $postfix->log =~ /ignored: null sender/ });
$postfix->send('jo@fernhill.example', $address,
	"From: jo\@fernhill.example\nTo: $address\nSubject: Away\nAuto-Submitted: auto-replied\n\nI am away.\n");
until_true('who is away', sub { $postfix->log =~ /ignored: auto-submitted/ });
is_deeply [scalar @{as($sue, GET => "$tickets/$t->{id}")->{json}{ticket}{messages}}, listed()], [4, 'Nightly job'], '... are ignored';
is_deeply [sent() ? map { $_->{envelope}{to}[0] } grep { $_->{envelope}{to}[0] ne 'sue@example.org' } $smtp->mails : ()],
	['jo@fernhill.example'], 'and answered by nobody';

# ---- while the database is away

configure("$stack->{run}/nowhere.sock");
$postfix->send('late@fernhill.example', 'help@support.example',
	"From: late\@fernhill.example\nTo: help\@support.example\nSubject: Later\n\nStill there?\n");
until_true('without a database it waits', sub { $postfix->log =~ /status=deferred/ });
configure("$stack->{run}/db.sock");
$postfix->flush;
until_true('... and is a ticket afterwards', sub { (listed())[0] eq 'Later' });
unlike $postfix->log, qr/status=bounced/, 'nothing was returned';
finish($stack);
