# SPDX-License-Identifier: Apache-2.0
# The second factor of sign-ins by password: setting it up, codes and recovery codes, each refusal, who is told, and whom it does not
# concern.
use utf8;
use Vitrine::Otp;
use Vitrine::Smtp;
use Vitrine::Visitor;
use Vitrine::Words;

my $smtp = Vitrine::Smtp->new;
my ($stack, $api, $db) = stack($smtp->conf, signin_failures_per_hour => 1000, signin_failures_per_account => 1000,
	factor_failures_per_account => 9);
my $host = 'vitrine.localhost';
my ($ann, $ben) = map { my $u = $stack->user("$_\@example.org"); $stack->ctl_in("a long password\n", qw(user password), $u->{email}); $u }
	qw(ann ben);
sub visitor { return Vitrine::Visitor->new(Vitrine::Api->new($stack), @_) }
sub me {
	my ($v) = @_;
	my $r = $v->send(GET => '/v1/auth/me');
	return $r->{status} == 200 ? $api->{json}->decode($r->{body})->{email} : $r->{status};
}
sub password { my ($name, $v, $next) = @_; $v //= visitor(); $v->sign_in("$name\@example.org", 'a long password', $next); return $v }
sub code { my ($v, $code, %o) = @_; return $v->submit(qr{^/auth/factor$}, { code => $code }, %o) }
sub account { my ($v, $what, $field) = @_; $v->go('/auth/account/factor'); return $v->submit(qr{^/auth/account/factor/$what$}, $field) }
# Time passes: no code of the present was used.
sub later { $db->do('UPDATE factor SET last_step = 0') }
my $mails = 0;
sub mails { $stack->runner; my @all = $smtp->mails; my @new = @all[$mails .. $#all]; $mails = @all; return @new }
sub subjects { return [map { "$_->{headers}{to}: $_->{headers}{subject}" } grep { $_->{headers}{subject} !~ /new device/ } mails()] }
my $service = "vitrine.localhost:$stack->{port}";
my $app = 'application/x-www-form-urlencoded';
my %form = (headers => { 'Content-Type' => $app });

# ---- setting it up

# Somebody has used up the other notices.
$db->do("INSERT INTO mail_budget (kind, subject, day, used) VALUES ('notice', ?, UNIX_TIMESTAMP() DIV 86400, 50)", undef, $_->{email})
	for $ann, $ben;

my $v = password('ann');
is me($v), 'ann@example.org', 'without it, a password signs in';
like $v->go('/auth/account')->{text}, qr{Second factor</h2><span class="badge">Off}, 'the account page says that it is off';
like $v->go('/auth/account/factor')->{text}, qr/Set it up/, 'as does its own';
unlike $v->{page}{text}, qr/<img class="qr"/, 'no secret before it is asked for';
is $v->send(GET => '/auth/account/factor/qr')->{status}, 409, 'nor a picture';
is account($v, 'start', { password => 'not it at all' })->{status}, 403, 'whoever finds a browser open does not know the password';
like $v->{page}{text}, qr/That isn.+t your password/;
is $db->selectrow_array('SELECT COUNT(*) FROM factor_setup'), 0, 'nothing is set up';
my $r = account($v, 'start', { password => 'a long password' });
is "$r->{status} $r->{path}", '200 /auth/account/factor', 'with the password it is';
my ($secret) = $r->{text} =~ m{<span>((?:[A-Z2-7]{4} ?){8})</span>};
ok $secret, 'the secret, to be typed';
my $otp = Vitrine::Otp->new($secret);
like $r->{text}, qr{<img class="qr" src="/auth/account/factor/qr"}, 'and a picture of our own';
$r = $v->send(GET => '/auth/account/factor/qr');
is "$r->{status} $r->{headers}{'content-type'} $r->{headers}{'cache-control'}", '200 image/svg+xml no-store', 'which is kept nowhere';
like $r->{headers}{'content-security-policy'}, qr/default-src 'none'.*sandbox/, 'and runs nothing';
ok $r->{body}
	=~ m{^<svg xmlns="http://www\.w3\.org/2000/svg" viewBox="[^"]+"[^>]*><path fill="#fff"[^>]*/><path d="[MhvHz0-9 -]+"/></svg>$},
	'lines, no style';
(my $bare = $secret) =~ s/ //g;
my ($kept) = $db->selectrow_array('SELECT sealed FROM factor_setup');
ok index($kept, $bare) < 0, 'sealed in the database';
my $elsewhere = password('ann');
unlike $elsewhere->go('/auth/account/factor')->{text}, qr/\Q$secret\E|class="qr"/, 'another browser of hers does not see it';
is $elsewhere->send(GET => '/auth/account/factor/qr')->{status}, 409, 'nor the picture';
my $b = password('ben');
is $b->send(GET => '/auth/account/factor/qr')->{status}, 409, 'nor does anybody else';
is $b->send(POST => '/auth/account/factor/on', body => 'code=' . $otp->code, %form)->{status}, 400, 'nor turns it on for himself';
is visitor()->send(GET => '/auth/account/factor/qr')->{status}, 303, 'nor who is not signed in';
is $api->call(GET => '/auth/account/factor/qr', { token => $ann->{token} })->{status}, 403, 'a token is not a person';
is account($v, 'on', { code => $otp->wrong })->{status}, 400, 'a wrong code turns nothing on';
is $db->selectrow_array('SELECT COUNT(*) FROM factor'), 0, 'nothing at all';
$db->do('UPDATE factor_setup SET created_at = created_at - 1801');
is $v->send(POST => '/auth/account/factor/on', body => 'code=' . $otp->code, %form)->{status}, 400, 'nor after half an hour';
$db->do('UPDATE factor_setup SET created_at = created_at + 1801');
is password('ann')->{page}{path}, '/', 'until then her password is enough';
my $used = $otp->code;
$r = account($v, 'on', { code => $used =~ s/^(...)/$1 /r });
is $r->{status}, 200, 'the right one does, as the app shows it';
my @recovery = $r->{text} =~ /^(?:<pre[^>]*>)?((?:[0-9a-z]{4}-){3}[0-9a-z]{4})$/mg;
is scalar @recovery, 10, 'ten recovery codes';
is scalar keys %{{map { $_ => 1 } @recovery}}, 10, 'all different';
unlike $v->go('/auth/account/factor')->{text}, qr/$recovery[0]/, 'are shown once';
like $v->{page}{text}, qr/10 of 10 left/;
is $v->send(GET => '/auth/account/factor/qr')->{status}, 409, 'and the secret is not to be had again';
is $v->send(POST => '/auth/account/factor/start', body => 'password=a+long+password', %form)->{status}, 303, 'to begin anew';
is $db->selectrow_array('SELECT COUNT(*) FROM factor_setup'), 0, '... changes nothing while it is on';
like $v->go('/auth/account')->{text}, qr{Second factor</h2><span class="badge ok">On}, 'the account page says that it is on';
my $dump = join ' ', map { $_ // '' } map { @$_ } @{$db->selectall_arrayref('SELECT * FROM factor')},
	@{$db->selectall_arrayref('SELECT * FROM factor_recovery')};
ok !(grep { index($dump, $_) >= 0 || index($dump, s/-//gr) >= 0 } $bare, @recovery), 'no row has a secret in the clear';
my @told = mails();
my ($on) = grep { $_->{headers}{subject} eq "The second factor was turned on at $service" } @told;
is $on->{headers}{to}, 'ann@example.org', 'she is told by e-mail';
like $on->{parts}{$_}, qr{https://\Q$service\E/auth/account}, "with a link, $_" for qw(text/plain text/html);
is me($elsewhere), 'ann@example.org', 'who is signed in stays so';

# ---- signing in

my $w = password('ann', undef, '/auth/device');
is "$w->{page}{status} $w->{page}{path}", '200 /auth/factor', 'after the password a code is asked for';
like $w->{page}{text}, qr/ann\@example\.org/, 'of whose account';
is me($w), 401, 'and there is no session yet';
is join(' ', sort keys %{$w->{jar}{$host}}), 'vitrine_factor', 'nor another cookie than that of the attempt';
$w->go('/auth/factor');
is code($w, $used)->{status}, 401, 'the code that turned it on is used';
like $w->{page}{text}, qr/incorrect or has already been used/;
is code($w, $otp->wrong)->{status}, 401, 'a wrong code';
is code($w, '')->{status}, 400, 'no code';
$w->go('/auth/factor');
my $once = $otp->code(1);
$r = code($w, $once);
is "$r->{status} $r->{path}", '200 /auth/device', 'the right one, and on to where they wanted';
is me($w), 'ann@example.org', 'signed in';
ok !$w->{jar}{$host}{vitrine_factor}, 'the attempt is over';
my $again = password('ann');
is code($again, $once)->{status}, 401, 'a code works once';
is code($again, $otp->code)->{status}, 401, 'nor does one from before it';
is code($again, $otp->code(5))->{status}, 401, 'nor one from far ahead';
later();
is code($again, $otp->code)->{path}, '/', 'the next one does';
later();
is code(password('ann'), $otp->code(-1))->{path}, '/', 'one that is a step old, too';
later();
is code(password('ann'), $otp->code(-4))->{status}, 401, 'older ones not';

# The attempt: of this browser, once, for ten minutes.
my $mine = password('ann');
my $cookie = $mine->{jar}{$host}{vitrine_factor}[0];
is visitor()->send(POST => '/auth/factor', body => 'code=' . $otp->code, %form)->{status}, 410, 'a code without a password is nothing';
is visitor()->go('/auth/factor')->{path}, '/auth/signin', 'its page leads to the password';
is $mine->send(POST => '/auth/factor', body => 'code=' . $otp->code,
	headers => { 'Content-Type' => $app, 'Sec-Fetch-Site' => 'cross-site' })->{status}, 403, "nor from another site's page";
$mine->go('/auth/factor');
is code($mine, $otp->code)->{path}, '/', 'in its browser it is';
later();
my $stolen = visitor();
$stolen->{jar}{$host}{vitrine_factor} = [$cookie, '/auth'];
is $stolen->send(POST => '/auth/factor', body => 'code=' . $otp->code, %form)->{status}, 410, 'and not a second time';
my $late = password('ann');
$db->do('UPDATE factor_login SET expires_at = UNIX_TIMESTAMP()');
is code($late, $otp->code)->{status}, 410, 'nor when it took too long';
my $before = password('ann');
$stack->ctl_in("another password\n", qw(user password ann@example.org));
is code($before, $otp->code)->{status}, 410, 'nor when the password has changed since';
$stack->ctl_in("a long password\n", qw(user password ann@example.org));
my $gone = password('ann');
$stack->ctl(qw(user disable ann@example.org));
is code($gone, $otp->code)->{status}, 410, 'nor for an account that was disabled since';
$stack->ctl(qw(user enable ann@example.org));
is visitor()->sign_in('ann@example.org', 'wrong password!')->{status}, 401, 'a wrong password is told before any code is asked for';
mails();

# ---- recovery codes

my $x = password('ann');
is code($x, uc($recovery[0]) =~ s/-/ /gr)->{path}, '/', 'a recovery code, however it is typed';
is me($x), 'ann@example.org';
is_deeply subjects(), ["ann\@example.org: A recovery code was used at $service"], 'she is told';
is code(password('ann'), $recovery[0])->{status}, 401, 'it works once';
like $x->go('/auth/account/factor')->{text}, qr/9 of 10 left/, 'nine are left';
is code(password('ann'), 'zzzz-zzzz-zzzz-zzzz')->{status}, 401, 'one that never was';

# ---- guesses

$db->do('DELETE FROM factor_login');
my @said = map { code(password('ann'), $otp->wrong)->{status} } 1 .. 4;
like "@said", qr/\b429$/, "guesses at one account are limited, whatever the attempt (@said)";
my $locked = password('ann');
later();
is code($locked, $otp->code)->{status}, 429, 'for the right code, too';
like $locked->{page}{text}, qr/Use a recovery code, or try again in \d+ minutes/, 'which is said';
ok $locked->{page}{headers}{'retry-after'}, 'with when';
is code($locked, $recovery[1])->{path}, '/', 'a recovery code is good all the same';
my $known = $x;
$known->go('/auth/account');
$known->submit(qr{/auth/signout$});
is code(password('ann', $known), $otp->code)->{path}, '/', 'as is a code in a browser that she has signed in with';
$known->go('/auth/account');
$known->submit(qr{/auth/signout$});
@said = map { password('ann', $known); code($known, $otp->wrong)->{status} } 1 .. 11;
is $said[-1], 429, "where guesses are limited too (@said)";
is password('ben')->{page}{path}, '/', 'nobody else is concerned';

# ---- another person: five wrong codes of one attempt

sub turn_on {
	my ($name) = @_;
	$stack->user("$name\@example.org");
	$stack->ctl_in("a long password\n", qw(user password), "$name\@example.org");
	my $u = password($name);
	my ($theirs) = account($u, 'start', { password => 'a long password' })->{text} =~ m{<span>((?:[A-Z2-7]{4} ?){8})</span>};
	my $app_of = Vitrine::Otp->new($theirs);
	my @codes = account($u, 'on', { code => $app_of->code })->{text} =~ /((?:[0-9a-z]{4}-){3}[0-9a-z]{4})$/mg;
	later();
	mails();
	return ($u, $app_of, @codes);
}
my ($c, $cats, @cats_codes) = turn_on('cat');
my $guesser = password('cat');
is join(' ', map { code($guesser, $cats->wrong)->{status} } 1 .. 5), '401 401 401 401 401', 'five wrong codes';
like $guesser->{page}{text}, qr/too many wrong codes.*auth\/signin/s, '... end the attempt';
ok !$guesser->{jar}{$host}{vitrine_factor}, '... and its cookie';
is $db->selectrow_array('SELECT COUNT(*) FROM factor_login l JOIN user u ON u.id = l.user_id AND u.email = ?', undef, 'cat@example.org'), 0,
	'... and its row';
is_deeply subjects(), ["cat\@example.org: Someone knows your password at $service"], 'which is told';
my $persistent = password('cat');
code($persistent, 'zzzz-zzzz-zzzz-zzzz') for 1 .. 5;
is_deeply subjects(), [], 'once a day: the mail of the address is not used up';

# ---- the walls between people

my $strange = password('cat');
is code($strange, $otp->code)->{status}, 401, "another's code";
is code($strange, $recovery[2])->{status}, 401, "another's recovery code";
is $db->selectrow_array('SELECT COUNT(*) FROM factor_recovery r JOIN user u ON u.id = r.user_id AND u.email = ?', undef, 'ann@example.org'),
	8, '... which is still hers';
is account($c, 'off', { code => $recovery[2] })->{status}, 403, 'nor turns it off with it';

# ---- two at once

my ($d, $dans, @dans_codes) = turn_on('dan');
# Two who know the password come with one code at the same moment: the statuses of both.
sub at_once {
	my ($code) = @_;
	my @from = map {
		my $one = password('dan');
		pipe my $out, my $in;
		my $pid = fork // die;
		if (!$pid) {
			my $own = Vitrine::Visitor->new(Vitrine::Api->new($stack), jar => $one->{jar});
			$own->{api}->connection($host);
			syswrite $in, $own->send(POST => '/auth/factor', body => "code=$code", %form)->{status};
			POSIX::_exit(0);
		}
		close $in;
		[$pid, $out];
	} 1, 2;
	return join ' ', sort map { waitpid $_->[0], 0; sysread $_->[1], my $status, 3; $status } @from;
}
for my $round (1 .. 3) {
	later();
	is at_once($dans->code), '303 401', "one code signs in once ($round)";
	is at_once($dans_codes[$round]), '303 401', "so does a recovery code ($round)";
}

# ---- new recovery codes, and off

later();
is account($d, 'codes', { code => $dans->wrong })->{status}, 403, 'new codes take a code';
is account($d, 'codes', { code => 'a long password' })->{status}, 403, 'the password is none';
$r = account($d, 'codes', { code => $dans->code });
my @fresh = $r->{text} =~ /((?:[0-9a-z]{4}-){3}[0-9a-z]{4})$/mg;
is scalar @fresh, 10, 'ten new ones';
is code(password('dan'), $dans_codes[0])->{status}, 401, 'the old ones are void';
is account($d, 'off', { code => $dans->code })->{status}, 403, 'the code that made them is used';
is account($d, 'off', { code => $dans->wrong })->{status}, 403, 'off takes one, too';
is $d->send(POST => '/auth/account/factor/off', body => 'code=' . $fresh[0],
	headers => { 'Content-Type' => $app, 'Sec-Fetch-Site' => 'same-site' })->{status}, 403, 'from our own page';
mails();
my $waiting = password('dan');
is account($d, 'off', { code => $fresh[0] })->{status}, 200, 'a recovery code does';
is_deeply [sort @{subjects()}], ["dan\@example.org: A recovery code was used at $service",
	"dan\@example.org: The second factor was turned off at $service"], 'both are told';
is code($waiting, $fresh[1])->{status}, 410, 'whoever was asked begins anew';
is password('dan')->{page}{path}, '/', 'and is asked no more';
is account($d, 'start', { password => 'a long password' })->{status}, 200, 'it can be set up again';
is $db->selectrow_array("SELECT COUNT(*) FROM factor_recovery r LEFT JOIN factor f USING (user_id) WHERE f.user_id IS NULL"), 0,
	'no code is left over';

# ---- a password by a link, or none

my $f = visitor();
$f->go('/auth/password/forgot');
$f->submit(qr{forgot$}, { email => 'cat@example.org' });
$stack->runner;
my ($link) = map {
	$_->{envelope}{to}[0] eq 'cat@example.org' && $_->{parts}{'text/plain'} =~ m{https://\S+(/auth/password/set\?link=\S+)} ? $1 : ();
} $smtp->mails;
$f->go($link);
$r = $f->submit(qr{password/set$}, { password => 'a newer password' });
is "$r->{path} " . me($f), '/auth/factor 401', 'who sets a new password by a link is asked for a code as well';
$f->go('/auth/factor');
is code($f, $cats_codes[0])->{path}, '/', '... and then signed in';
is me($f), 'cat@example.org';
my $p = $stack->user('pat@example.org');
my $pat = visitor();
my $session = 'ses_' . 'p' x 26;
my $provided = Vitrine::Stack::secret('ses_');
$db->do("INSERT INTO session VALUES (?, UNHEX(SHA2(?, 256)), ?, 'provider', UNIX_TIMESTAMP(), UNIX_TIMESTAMP(), 4000000000, '', '')",
	undef, $session, $provided, $p->{id});
$pat->{jar}{$host}{vitrine_session} = [$provided, '/'];
like $pat->go('/auth/account/factor')->{text}, qr/you don.+t have a password here/, 'who has no password has nothing to set up';
is $pat->send(POST => '/auth/account/factor/start', body => 'password=', %form)->{status}, 403, '... nor can';

# ---- the operator

my ($status, undef, $err) = $stack->program('vitrinectl', {}, qw(user factor off ben@example.org));
is $status, 1;
like $err, qr/ben\@example\.org has no second factor/, 'there must be one';
mails();
$stack->ctl(qw(user factor off cat@example.org));
is_deeply subjects(), ["cat\@example.org: The second factor was turned off at $service"], 'an operator turns it off, and that is told';
is visitor()->sign_in('cat@example.org', 'a newer password')->{path}, '/', 'the password is enough again';
($status, my $out) = $stack->program('vitrinectl', {}, 'fsck');
is "$status $out", "0 clean\n", 'fsck finds nothing wrong';
$db->do("INSERT INTO factor_recovery (user_id, hash) VALUES (?, UNHEX(SHA2('x', 256)))", undef, $ben->{id});
my ($sealed) = $db->selectrow_array("SELECT sealed FROM factor WHERE user_id = ?", undef, $ann->{id});
$db->do('UPDATE factor SET sealed = REVERSE(sealed) WHERE user_id = ?', undef, $ann->{id});
($status, $out) = $stack->program('vitrinectl', {}, 'fsck');
is $status, 1;
like $out, qr/user $ben->{id}: there are recovery codes, but no second factor; run vitrinectl reproject\n/, 'codes without a factor';
like $out,
	qr/user $ann->{id}: key_file can't decrypt the second factor's secret; a recovery code does, or run vitrinectl user factor off\n/,
	'a secret under another key';
$r = code(password('ann', $v), $otp->code);
is $r->{status}, 401, 'with which no code can be checked';
like $r->{text}, qr/can’t be checked at the moment\. Use a recovery code/, 'which is said';
is code(password('ann'), $recovery[2])->{path}, '/', 'and a recovery code is good';

unlike Vitrine::Stack::slurp("$stack->{dir}/worker.log"), qr/$bare|$recovery[0]|fac_/, 'no secret in the log';
finish($stack);
