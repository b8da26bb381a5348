# SPDX-License-Identifier: Apache-2.0
# Mail from strangers: heads that would be more than one, bytes that are no mail, bombs, senders that are somebody else. Each ends as text
# in a ticket or as nothing, never as a failure that the mail server would repeat for days, and none gets into a ticket without its address.
use utf8;
use MIME::Base64;
use Vitrine::Smtp;
use Vitrine::Words qw(as);

my $smtp = Vitrine::Smtp->new;
my ($stack, $api, $db) = stack(workers => 1, $smtp->conf, support_address => 'help@support.example');
my ($bea, $sue) = map { $stack->user("$_\@example.org") } qw(bea sue);
$stack->ctl(qw(user staff sue@example.org super));
my $tickets = '/v1/support/tickets';
my $asked = as($bea, POST => $tickets, { subject => 'Mine', body => 'x' })->{json}{ticket}{id};
my $key = $db->selectrow_array('SELECT mail_key FROM ticket WHERE id = ?', undef, $asked);

sub receive {
	my ($mail) = @_;
	Vitrine::Stack::spew("$stack->{dir}/mail", $mail);
	my ($status, $out, $err) = $stack->program('vitrinectl', {}, qw(ticket receive), { stdin => "$stack->{dir}/mail" });
	chomp($out, $err);
	return ($status, $out, $err);
}
my $n = 0;
sub from { return 'From: jo' . ++$n . "\@fernhill.example\nTo: help\@support.example\n" }
# The ticket of a mail, as staff read it.
sub ticket {
	my ($mail, $name) = @_;
	my ($status, $out, $err) = receive($mail);
	my ($id) = $out =~ /^opened: (tkt_\w{26})\z/;
	ok !$status && $id, $name or diag "$status $out $err";
	return $id ? as($sue, GET => "$tickets/$id")->{json}{ticket} : {};
}

# ---- heads

my $b64 = sub { encode_base64($_[0], '') };
my %subjects = ("two lines" => ["=?utf-8?B?" . $b64->("x\r\nBcc: evil\@x.example\r\n\r\nbody") . '?=', 'x Bcc: evil@x.example body'],
	'a NUL' => ['=?utf-8?Q?a=00b?=', 'ab'], 'a terminal\'s codes' => ['=?utf-8?Q?=1B[31mred=07?=', '[31mred'],
	'letters that turn around' => ['=?utf-8?Q?=E2=80=AEevil?=', 'evil'],
	'markup' => ['<script>{link}</script>', '<script>{link}</script>'], 'no UTF-8' => ["\xff\xfe\xe9", 'ÿþé'],
	'nothing' => ['', '(no subject)'], 'a line of a million letters' => ['s' x 1_000_000, 's' x 200],
	'twenty thousand lines' => [join("\n ", ('s') x 20_000), ('s ' x 100)]);
for (sort keys %subjects) {
	my ($sent, $want) = @{$subjects{$_}};
	my $t = ticket(from() . "Subject: $sent\n\nx\n", "a subject of $_");
	is $t->{subject} =~ s/\s+\z//r, $want =~ s/\s+\z//r, '... is one line';
}
my $t = ticket("From: \"a\r\n b\" <=?utf-8?q?x?=\@fernhill.example>\nFrom: other\@x.example\nSubject: x\nSubject: y\n"
	. "To: help\@support.example\nBcc: z\@x.example\n\nx", 'heads that are there twice');
is $t->{subject}, 'x', '... are the first';
for ("a\@x.example\0b", '"a b"@x.example', 'a@x.example@y.example', '<a@x.example', 'a@[127.0.0.1]', 'a' x 300 . '@x.example',
	'<script>@x.example', '$(id)@x.example', '-froot@x.example', '|sh@x.example', '@x.example:a@y.example') {
	my ($status, $out) = receive("From: $_\nTo: help\@support.example\nSubject: x\n\nx " . ++$n . "\n");
	is $status, 0, 'a sender: ' . substr $_, 0, 30;
	like $out, qr/^(?:opened: tkt_\w+|ignored: no sender that could be answered)\z/, '... that can be answered, or is none';
}
is_deeply $db->selectcol_arrayref("SELECT requester_email FROM ticket WHERE requester_email REGEXP '[[:space:][:cntrl:],;:<>()\"]|\@.*\@'"),
	[], 'no address has more in it than an address';

# What an answer to each says, on its way out: one recipient, and nothing that the stranger put in its head.
my $bad = ticket("From: =?utf-8?B?" . $b64->("Evil\r\nBcc: victim\@x.example") . "?= <head\@fernhill.example>\nSubject: =?utf-8?B?"
	. $b64->("s\r\nBcc: victim\@x.example") . "?=\nMessage-ID: <a\@b>\r\n\tBcc: victim\@x.example\nTo: help\@support.example\n\nx",
	'one that would be more heads');
as($sue, POST => "$tickets/$bad->{id}/reply", { body => 'x' });
$stack->runner;
my ($answer) = grep { $_->{envelope}{to}[0] eq 'head@fernhill.example' } $smtp->mails;
is_deeply $answer->{envelope}{to}, ['head@fernhill.example'], 'its answer goes to one';
unlike $answer->{raw} =~ s/\r?\n\r?\n.*//sr, qr/^bcc:/mi, 'with no head of theirs';
is $answer->{headers}{'in-reply-to'}, '<a@b>', '... nor behind the id that is answered';
for ('<a@b> <c@d>', '<' . 'a' x 300 . '@b>', '<a@b', "<a\@\xe9>", '<<a@b>>', '<@>', '<a b@c>') {
	my $t = ticket(from() . "Message-ID: $_\nSubject: x\n\nx", 'an id: ' . substr $_, 0, 20);
	my $id = $db->selectrow_array('SELECT mail_id FROM ticket WHERE id = ?', undef, $t->{id});
	ok !defined $id || $id =~ /^[!-~]+\@[!-~]+\z/ && $id !~ /[<>]/, '... is kept only if it can stand in a head' or diag $id;
}

# ---- who is somebody else

$n = 0;
my $count = sub { $db->selectrow_array('SELECT COUNT(*) FROM ticket_message WHERE ticket_id = ?', undef, $asked) };
for ("To: help\@support.example\nSubject: Re: Mine [$asked]", "To: help+$asked\@support.example",
	"To: help+" . substr($key, 0, 25) . '@support.example', "To: help+$key\@evil.example", "To: help+${key}x\@support.example",
	"To: \"help+$key\"\@support.example.evil.example",
	"In-Reply-To: <$asked\@vitrine.localhost>\nReferences: <$asked\@vitrine.localhost>", "Subject: help+$key\@support.example",
	"X-Key: $key") {
	my ($status, $out) = receive("From: bea\@example.org\n$_\n\nmail " . ++$n . "\n");
	like $out, qr/^opened: /, "not into a ticket: " . s/\n.*//sr;
	$db->do('UPDATE ticket SET created_at = created_at - 3600');
}
is $count->(), 1, 'what is from an account\'s address gets nowhere by that';
is as($bea, GET => $tickets)->{json}{tickets}[1], undef, '... nor into its list';
for my $from ('sue@example.org', 'eve@x.example') {
	receive("From: $from\nTo: help+$key\@support.example\nSubject: x\n\nnote: true, by $from\n");
	my $m = as($bea, GET => "$tickets/$asked")->{json}{ticket}{messages}[-1];
	is_deeply [@$m{qw(staff note)}, @{$m->{author}}{qw(user_id email)}], [$false, $false, undef, $from],
		"with the address, $from is nobody but who wrote that";
}
is((receive("From: eve\@x.example\nMessage-ID: <same\@x.example>\nTo: help\@support.example\n\nfirst"))[0], 0,
	'who knows the id of a mail to come');
like((receive("From: bea\@example.org\nMessage-ID: <same\@x.example>\nTo: help\@support.example\n\nthe real one"))[1], qr/^opened/,
	'... keeps nothing out with it');
my @added = map { (receive("From: eve\@x.example\nTo: help+$key\@support.example\n\nflood $_\n"))[0] } 1 .. 60;
is_deeply [@added[0, 57 .. 59]], [0, 0, 75, 75], 'more than 60 in an hour wait at the mail server';

# ---- what is no mail, or too much of it

my $long = 'Ünï ';
utf8::encode($long);
$t = ticket(from() . "Content-Type: text/plain; charset=utf-8\n\n" . $long x 500_000, 'a long one');
is length $t->{body}, 20_000, '... is cut';
like $t->{body}, qr/ Ünï? ?…\z|…\z/, '... between characters';
$t = ticket(from() . "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nbefore\n--b\nContent-Type: a/b; name=big\n\n" . 'x' x 12_000_000
	. "\n--b\n\nafter\n--b--\n", 'one of 12 MB');
is_deeply [$t->{body}, $t->{messages}[0]{attachments_dropped}], ['before', ['big']], '... is read as far as it may be';
$t = ticket(from() . "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n"
	. join('', map { "--b\nContent-Type: a/b; name=\"" . 'n' x 400 . "$_\"\n\nx\n" } 1 .. 300) . "--b--\n", 'one with 300 files');
is_deeply [scalar @{$t->{messages}[0]{attachments_dropped}}, length $t->{messages}[0]{attachments_dropped}[0]], [50, 120], '... names some';
$t = ticket(from() . "Content-Type: text/html\n\n<title>t</title><p>&lt;script&gt;alert(1)&lt;/script&gt;<img "
	. "src=https://evil.example/pixel alt=pic><a href='javascript:alert(1)'>a</a><form><input value=v><script>x</script>", 'a page');
is $t->{body}, '<script>alert(1)</script>pica', '... is text, and nothing of it is fetched';
my %bombs = (
	'parts in parts' => join('', map { "Content-Type: multipart/mixed; boundary=b$_\n\n--b$_\n" } 1 .. 10_000) . "\nx",
	'mails in mails' => "Content-Type: message/rfc822\n\n" x 20_000 . "\nx",
	'100,000 parts' => "Content-Type: multipart/alternative; boundary=b\n\n" . "--b\n\nx\n" x 100_000,
	'100,000 addresses' => 'Cc: ' . 'a@x.example,' x 100_000 . "\n\nx",
	'comments in comments' => 'Cc: ' . '(' x 400_000 . "\n\nx",
	'groups in groups' => 'Cc: ' . 'g:' x 200_000 . "\n\nx",
	'100,000 encoded words' => 'Subject: ' . '=?utf-8?q?a?= ' x 100_000 . "\n\nx",
	'200,000 heads' => "X: y\n" x 200_000 . "\nx",
	'elements in elements' => "Content-Type: text/html\n\n" . '<div>' x 500_000,
	'a table without an end' => "Content-Type: text/html\n\n" . '<table><tr><td>' x 50_000,
	'50,000 parameters' => 'Content-Type: a/b; ' . 'a*0*=b;' x 50_000 . "\n\nx",
	'a character set without an end' => "Content-Type: text/plain; charset=" . 'x' x 1_000_000 . "\n\nx",
	'lines of quotes' => "\n" . "From: de: von: wrote:\n> x\n" x 30_000,
	'one line' => "\n" . '>' x 8_000_000,
	'bytes by chance' => do { open my $f, '<:raw', '/dev/urandom'; read $f, my $bytes, 1_000_000; $bytes },
	'zeros' => "\0" x 1_000_000);
for (sort keys %bombs) {
	my $bomb = from() . $bombs{$_};
	my ($status, $out, $err) = receive($bomb);
	my $late = $status == 75 && $err =~ /reading it takes too much memory or time; send it again/;
	($status, $out, $err) = receive($bomb) if $late;
	is $status, 0, "a bomb: $_" or diag "$out $err";
	like $out, $late ? qr/^(?:opened: tkt_\w+|ignored: it takes too much memory or time)\z/
		: qr/^(?:opened: tkt_\w+|ignored: it is too long)\z/, '... is text, or nothing';
}
ticket(from() . "Subject: after\n\nx", 'and the next one is read');
finish($stack);
