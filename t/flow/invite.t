# SPDX-License-Identifier: Apache-2.0
# Three people are invited, in real browsers and by a real mail server: one makes an account with a password; one comes through a provider;
# one has an account, and the last seat is taken meanwhile.
use utf8;
use Vitrine::Browser;
use Vitrine::Provider;
use Vitrine::Smtp;
use Vitrine::Words;

my $smtp = Vitrine::Smtp->new;
my $folder = File::Temp::tempdir('vitrine-providers-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $stack = Vitrine::Stack->new($smtp->conf, providers_dir => $folder);
my $idp = Vitrine::Provider->new($stack->{tls}, "https://vitrine.localhost:$stack->{port}/auth/callback");
$idp->configure($folder, allowed_domains => 'elsewhere.example');
$stack->stop_one('worker');
$stack->start_worker;
my $api = Vitrine::Api->new($stack);
my $app = "https://vitrine.localhost:$stack->{port}";
my ($ann, $cat) = map { $stack->user("$_\@example.org") } qw(ann cat);
$stack->db->do("UPDATE user SET name = 'Ann Archer' WHERE id = ?", undef, $ann->{id});
$stack->ctl_in("the password\n", qw(user password cat@example.org));
my $ws = $api->call(POST => '/v1/workspaces', { token => $ann->{token}, json => { name => 'Northwind Studio' } })->{json}{workspace};
$api->call(POST => "/v1/workspaces/$ws->{id}/members/invite",
	{ token => $ann->{token}, json => { emails => ['dora@example.org', 'hugo@example.org', 'cat@example.org'] } });
sub people {
	return join ' ', map { "$_->{name}=$_->{role}" } @{$api->call(GET => "/v1/workspaces/$ws->{id}/members",
		{ token => $ann->{token} })->{json}{members}};
}

my $pages = 0;
sub seen {
	my ($b, $name, %o) = @_;
	is join('; ', $b->looks(sprintf 'invite-%02d-%s', ++$pages, $name =~ s/\W+/-/gr)), '',
		"$name has no barrier, wide and narrow, by day and by night";
	is join('; ', grep { /\Q$app\E/ && !(/favicon/ || ($o{refused} && /4\d\d/)) } $b->complaints), '',
		"the browser has no complaint about $name";
}
sub letter {
	my ($to, $like) = @_;
	$stack->runner;
	my ($m) = grep { $_->{headers}{to} =~ /\Q$to\E/ && $_->{headers}{subject} =~ $like } $smtp->mails;
	return $m // die "no mail to $to\n";
}

# ---- the mail

my $mail = letter('dora@example.org', qr/invites you/);
is $mail->{headers}{subject}, 'Ann Archer invites you to Northwind Studio', 'the subject says who and what';
my ($text, $html) = @{$mail->{parts}}{'text/plain', 'text/html'};
like $text,
	qr/Your role: member\b.*Sent by: ann\@example\.org.*Accept invitation:\n\Q$app\E\/auth\/invite\?t=\w{43}\n.*works once, until .*If you don’t know Ann Archer, you can ignore/s,
	'the text says all of it';
like $html, qr/<a href="\Q$app\E\/auth\/invite\?t=\w{43}" [^>]*>Accept invitation</, 'and has a button where it can';
if (my $dir = $ENV{VITRINE_SCREENSHOTS}) {
	Vitrine::Stack::spew("$stack->{dir}/mail.html", $html =~ s/([^\x00-\x7f])/sprintf '&#%d;', ord $1/ger);
	my $b = Vitrine::Browser->new($stack);
	$b->go("file://$stack->{dir}/mail.html");
	$b->looks('invite-mail');
}
my %link = map { $_ => letter("$_\@example.org", qr/invites you/)->{parts}{'text/plain'} =~ m{(\Q$app\E/auth/invite\?t=\w{43})} } qw(dora
	hugo cat);

# ---- Dora has no account

my $dora = Vitrine::Browser->new($stack);
$dora->go($link{dora});
like $dora->text('main'),
	qr/Join Northwind Studio.*Ann Archer \(ann\@example\.org\) invites you.*dora\@example\.org.*Create account and join/s,
	'the page says who invites whom to what';
seen($dora, 'no account');
$dora->fill('#name', 'Dora Doe')->fill('#password', 'dorapassword')->click('button[value=accept]');
like $dora->wait_text(qr/guess|common|easy|words/i), qr/Join Northwind Studio/, 'a weak password is refused, beside its field';
seen($dora, 'weak password', refused => 1);
$dora->fill('#password', 'seven lame green herons')->click('button[value=accept]');
like $dora->wait_text(qr/You joined Northwind Studio\./), qr/No open invitations/, 'she is in';
seen($dora, 'joined');

# ---- Hugo comes through a provider that vouches for his address

my $hugo = Vitrine::Browser->new($stack);
$hugo->go($link{hugo})->follow('Accept with Es');
$hugo->fill('input[name=login]', 'hugo')->fill('input[name=password]', 'x')->click('button[type=submit]');
$hugo->wait_text(qr/Authorize|Continue/i);
$hugo->click('button[type=submit]');
$hugo->wait_text(qr/You joined Northwind Studio\./);
pass('so is he');

# ---- Cat has an account; somebody else opens her link

$hugo->go($link{cat});
like $hugo->text('main'), qr/This invitation is for cat\@example\.org\. You’re signed in as hugo\@example\.org/,
	'a link that was forwarded';
seen($hugo, 'for somebody else', refused => 1);
my $cats = Vitrine::Browser->new($stack);
$cats->go($link{cat});
like $cats->text('main'), qr/cat\@example\.org already has an account here/, 'who has an account';
seen($cats, 'has an account');
$cats->follow('Sign in to accept');
$cats->fill('#password', 'the password')->click('form[action="/auth/signin"] button');
like $cats->wait_text(qr/Invitations/), qr/Northwind Studio\s+As a member, invited by Ann Archer/, 'signs in, and finds it there';
seen($cats, 'open invitations');
$stack->db->do('UPDATE workspace SET people = 10 WHERE id = ?', undef, $ws->{id});
$cats->click(q(form[action$="/accept"] button));
like $cats->wait_text(qr/All 10 seats/), qr/Northwind Studio/, 'no seat is left; the invitation stays';
seen($cats, 'no seat', refused => 1);
$stack->db->do('UPDATE workspace SET people = 3 WHERE id = ?', undef, $ws->{id});
$cats->go($link{cat});
$cats->wait_text(qr/Accept invitation/);
seen($cats, 'to be accepted');
$cats->click('button[value=accept]');
$cats->wait_text(qr/You joined Northwind Studio\./);
is people(), 'Ann Archer=owner =member Dora Doe=member The hugo=member', 'all are in it';
$cats->go($link{cat});
like $cats->text('main'), qr/This invitation is no longer valid/, 'and the link is over';
seen($cats, 'over', refused => 1);

# ---- somebody declines

$api->call(POST => "/v1/workspaces/$ws->{id}/members/invite", { token => $ann->{token}, json => { emails => ['ina@example.org'] } });
my ($inas) = letter('ina@example.org', qr/invites you/)->{parts}{'text/plain'} =~ m{(\Q$app\E/auth/invite\?t=\w{43})};
my $ina = Vitrine::Browser->new($stack);
$ina->go($inas)->click('button[value=decline]');
like $ina->wait_text(qr/Invitation declined/), qr/You haven’t joined Northwind Studio/, 'one declines without an account';
seen($ina, 'declined');

# ---- what they are told of later

my %id = map { $_->{email} => $_->{user_id} } @{$api->call(GET => "/v1/workspaces/$ws->{id}/members",
	{ token => $ann->{token} })->{json}{members}};
my $path = "/v1/workspaces/$ws->{id}";
$api->call(PATCH => "$path/members/$id{'dora@example.org'}", { token => $ann->{token}, json => { role => 'admin' } });
$api->call(POST => "$path/members/$id{'dora@example.org'}/tokens",
	{ token => $ann->{token}, json => { name => 'Build www.bank.example' } });
$api->call(DELETE => "$path/members/$id{'hugo@example.org'}", { token => $ann->{token} });
$api->call(POST => "$path/transfer-ownership", { token => $ann->{token}, json => { user_id => $id{'dora@example.org'} } });
like letter('dora@example.org', qr/Your role in Northwind Studio has changed/)->{parts}{'text/plain'}, qr/Your role is now: admin\./,
	'a mail of a role';
like letter('dora@example.org', qr/Ann Archer created a token for you/)->{parts}{'text/plain'},
	qr/acts as you in Northwind Studio.*revoke it on your account page/s, '... of a token';
unlike letter('dora@example.org', qr/created a token/)->{parts}{'text/plain'}, qr/www\.bank\.example/, '... in which a name is no link';
like letter('dora@example.org', qr/You now own Northwind Studio/)->{parts}{'text/html'}, qr/made you the owner/, '... of the ownership';
like letter('hugo@example.org', qr/You are no longer a member of Northwind Studio/)->{parts}{'text/plain'}, qr/Ann Archer removed you/,
	'... of the end';
is join(' ', map { @{$_->{defects} // []} } $smtp->mails), '', 'all are well formed';

finish($stack);
