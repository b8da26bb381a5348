# SPDX-License-Identifier: Apache-2.0
# Signing in with a password: pages, cookies, sessions, links by e-mail, and what must not work.
use utf8;
use Vitrine::Smtp;
use Vitrine::Visitor;
use Vitrine::Words;

my $smtp = Vitrine::Smtp->new;
my ($stack, $api) = stack($smtp->conf, signin_failures_per_account => 5, signin_failures_per_hour => 60, mail_links_per_hour => 8);
my ($ann, $ben) = map { $stack->user("$_\@example.org") } qw(ann ben);
sub password { my ($email, $password) = @_; return $stack->ctl_in("$password\n", qw(user password), $email) }
password('ann@example.org', 'correct horse');
password('ben@example.org', 'battery staple');
$stack->user('dan@example.org');
password('dan@example.org', 'battery staple');
sub visitor { return Vitrine::Visitor->new($api, @_) }
sub me {
	my ($v) = @_;
	my $r = $v->send(GET => '/v1/auth/me');
	return $r->{status} == 200 ? $api->{json}->decode($r->{body})->{email} : $r->{status};
}

# ---- the page

my $v = visitor();
my $r = $v->go('/auth/account');
is $r->{path}, '/auth/signin?next=%2Fauth%2Faccount', 'who is not signed in does that first';
is $r->{status}, 200;
like $r->{headers}{'content-security-policy'}, qr/default-src 'none'.*frame-ancestors 'none'/, 'nothing may be loaded, nobody may frame it';
is $r->{headers}{'referrer-policy'}, 'no-referrer';
is $r->{headers}{'cache-control'}, 'no-store';
ok !$r->{headers}{'access-control-allow-origin'}, 'no other origin reads a page';
unlike $r->{text}, qr{<script(?! src="/assets/)}, "no script but our own";
$v->go('/auth/signin?next=%22%3E%3Csvg%20onload%3Dx%3E&email=%22%3E%3Csvg%3E');
unlike $v->{page}{text}, qr/<svg onload|"><svg>/, "what the address says is escaped";

$r = $v->send(GET => '/auth/none');
is "$r->{status} $r->{headers}{'content-type'}", '404 text/html; charset=utf-8', 'what is not there is said by a page';

# ---- signing in

$r = $v->sign_in('ann@example.org', 'wrong horse!');
is $r->{status}, 401;
like $r->{text}, qr/is incorrect/;
is me($v), 401, 'and is nobody';
my @same = map { my $t = $v->sign_in($_, 'wrong horse!')->{text}; $t =~ s/\Q$_//g; $t } 'ann@example.org', 'nobody@example.org';
is $same[0], $same[1], 'an address without an account is answered alike';
$r = $v->sign_in('Ann@Example.org', 'correct horse');
is "$r->{status} $r->{path}", '200 /', 'signed in';
like $r->{text}, qr/ann\@example\.org/;
is me($v), 'ann@example.org', 'the cookie works on the API';
is $v->send(GET => '/v1/auth/me')->{status}, 200;
my $me = $api->{json}->decode($v->{page}{body});
like $me->{session_id}, qr/^ses_/, 'as a session';
is_deeply [@$me{qw(token_id token_name)}], [undef, undef], 'without a token';
for my $bad ('https://evil.example/', '//evil.example/', '/\\evil.example', '/auth/../../x//y', 'javascript:alert(1)', '/v1/auth/me') {
	my $w = visitor();
	$w->go('/auth/signin?next=' . Vitrine::Visitor::escape($bad));
	$r = $w->submit(qr{signin}, { email => 'dan@example.org', password => 'battery staple' }, stay => 1);
	is $r->{headers}{location}, '/', "nobody is sent to $bad";
}
is visitor()->sign_in('dan@example.org', 'battery staple', '/auth/device')->{path}, '/auth/device', 'but to our own pages';

# ---- cookies

my $first = $v->{jar}{'vitrine.localhost'}{vitrine_access}[0];
$v->sign_in('ann@example.org', 'correct horse');
is $v->{page}{path}, '/', 'who is signed in need not again';
my $planted = visitor();
$planted->{jar}{'vitrine.localhost'}{vitrine_access} = [$first, '/'];
$planted->send(GET => '/auth/signin');
$planted->send(POST => '/auth/signin', body => 'email=ben%40example.org&password=battery+staple',
	headers => { 'Content-Type' => 'application/x-www-form-urlencoded' });
isnt $planted->{jar}{'vitrine.localhost'}{vitrine_access}[0], $first, 'a new identity at each sign-in';
is me($v), 401, 'the session that was there before is over';
$v->sign_in('ann@example.org', 'correct horse');
my $cookie = $v->{jar}{'vitrine.localhost'}{vitrine_access}[0];
is $api->call(GET => '/v1/auth/me', { headers => { Cookie => "vitrine_access=$cookie; vitrine_access=$cookie" } })->{status}, 200,
	'the same cookie twice is one';
is $api->call(GET => '/v1/auth/me', { headers => { Cookie => "vitrine_session=$cookie" } })->{status}, 401,
	'the other kind of cookie is not this one';
is $api->call(GET => '/v1/auth/me', { token => $cookie })->{status}, 401, 'a cookie is no token';
is $api->call(GET => '/v1/auth/me', { headers => { Cookie => "vitrine_access=$ann->{token}" } })->{status}, 401, 'nor a token a cookie';
(my $flipped = $cookie) =~ s/([a-z])([^a-z]*)$/uc($1) . $2/e;
is $api->call(GET => '/v1/auth/me', { headers => { Cookie => "vitrine_access=$_" } })->{status}, 401, 'no cookie'
	for '', 'x', $flipped, substr($cookie, 0, -1);

# ---- writes with a cookie come from our own pages

my $art = $api->publish($ann, slug => 'mine', visibility => 'private');
sub patch {
	my (%h) = @_;
	return $api->call(PATCH => "/v1/artifacts/$art",
		{ json => { name => 'Changed' }, headers => { Cookie => "vitrine_access=$cookie", %h } });
}
is patch()->{status}, 403, 'no proof of origin';
is patch(%$_)->{status}, 403, 'a foreign one'
	for { Origin => 'https://evil.example' }, { Origin => 'null' }, { 'Sec-Fetch-Site' => 'cross-site' },
	{ 'Sec-Fetch-Site' => 'same-site' }, { 'Sec-Fetch-Site' => 'none' },
	{ 'Sec-Fetch-Site' => 'cross-site', Origin => "https://vitrine.localhost:$stack->{port}" },
	{ Origin => "https://mine.pages.localhost:$stack->{port}" };
is $api->call(GET => "/v1/artifacts/$art", { token => $ann->{token} })->{json}{artifact}{name}, 'Site', 'nothing changed';
is patch('Sec-Fetch-Site' => 'same-origin')->{status}, 200, 'our own, by fetch metadata';
is patch(Origin => "https://vitrine.localhost:$stack->{port}")->{status}, 200, 'or by origin';
$r = visitor()->send(POST => '/auth/signin', body => 'email=ann%40example.org&password=correct+horse',
	headers => { 'Sec-Fetch-Site' => 'cross-site', 'Content-Type' => 'application/x-www-form-urlencoded' });
is $r->{status}, 403, "nobody else's page signs a browser in";
is $v->send(POST => '/auth/signout', body => '{}', headers => { 'Content-Type' => 'text/plain' })->{status}, 415, 'a form must be a form';

# ---- sessions

my $other = visitor(agent => 'Other/2.0');
$other->sign_in('ann@example.org', 'correct horse');
$r = $api->call(GET => '/v1/auth/sessions', { headers => { Cookie => "vitrine_access=$cookie" } });
is_deeply [map { [$_->{agent}, $_->{current} ? 1 : 0, $_->{kind}, $_->{address}] } @{$r->{json}{sessions}}],
	[['Other/2.0', 0, 'password', '127.0.0.1'], ['Test/1.0 (a browser)', 1, 'password', '127.0.0.1']], 'both, the newest first';
my ($id) = map { $_->{id} } grep { !$_->{current} } @{$r->{json}{sessions}};
is $api->call(DELETE => "/v1/auth/sessions/$id", { token => $ben->{token} })->{status}, 404, "nobody ends another's";
is me($other), 'ann@example.org';
is $api->call(DELETE => "/v1/auth/sessions/$id", { token => $ann->{token} })->{status}, 200, 'with a token too';
is me($other), 401, 'at once';
is $api->call(DELETE => "/v1/auth/sessions/$id", { token => $ann->{token} })->{status}, 404;
$other->sign_in('ann@example.org', 'correct horse');
$v->go('/auth/account');
$v->submit(qr{/sessions/end$});
is me($other) . ' ' . me($v), '401 ann@example.org', 'everywhere else';
$other->sign_in('ann@example.org', 'correct horse');
$v->go('/auth/account');
$v->submit(qr{/sessions/ses_\w+/end$});
is me($other), 401, 'one, on the page';
$stack->ctl(qw(token mint --user ann@example.org --name spare));
$v->go('/auth/account');
like $v->{page}{text}, qr/spare/;
$v->submit(qr{/tokens/tok_\w+/revoke$});
unlike $v->{page}{text}, qr/spare/, 'a token is revoked on the page';
$other->sign_in('ann@example.org', 'correct horse');
is $api->call(DELETE => '/v1/auth/sessions', { headers => { Cookie => 'vitrine_access='
	. $other->{jar}{'vitrine.localhost'}{vitrine_access}[0], 'Sec-Fetch-Site' => 'same-origin' } })->{status}, 200;
is me($other) . ' ' . me($v), 'ann@example.org 401', 'all others';
$other->go('/auth/account');
$other->submit(qr{/auth/signout$});
is me($other), 401, 'signed out';
is $api->call($_->[0] => $_->[1], { token => $ann->{token}, type => 'application/x-www-form-urlencoded', body => '',
	headers => { 'Sec-Fetch-Site' => 'same-origin' } })->{status}, 403,
	"a token is not a person in a browser: $_->[1]"
	for ['GET', '/auth/account'], ['POST', '/auth/signout'], ['POST', '/auth/account/sessions/end'];
$stack->db->do('UPDATE session SET expires_at = UNIX_TIMESTAMP() - 1');
$v->sign_in('ann@example.org', 'correct horse');
$stack->db->do('UPDATE session SET expires_at = UNIX_TIMESTAMP() - 1');
is me($v), 401, 'a session ends by itself';
$v->sign_in('ann@example.org', 'correct horse');
$stack->ctl(qw(user disable ann@example.org));
is me($v), 401, 'a person who is disabled is nobody';
is $v->sign_in('ann@example.org', 'correct horse')->{status}, 401;
$stack->ctl(qw(user enable ann@example.org));

# ---- changing the password

$v->sign_in('ann@example.org', 'correct horse');
$other->sign_in('ann@example.org', 'correct horse');
$v->go('/auth/account');
sub change {
	my ($current, $new) = @_;
	$v->go('/auth/account');
	return $v->submit(qr{/account/password$}, { current => $current, password => $new });
}
is change('wrong', 'a new password')->{status}, 403, 'who has one must know it';
is change('correct horse', $_->[0])->{status}, 400, $_->[1]
	for ['short', 'too short'], ['x' x 300, 'too long'], ['ann@example.org', 'the address'];
like change('correct horse', $_->[0])->{text}, $_->[1], "too weak: $_->[0]"
	for ['password12', qr/It(?:’|'|&#39;)s a common word or password/], ['qwertyuiop', qr/common word/],
	['1234567890', qr/It follows a simple pattern/], ['ababababab', qr/different characters|pattern/],
	['amanaplanacanalpanama', qr/reads the same backwards/];
is me($v), 'ann@example.org', '... and nothing has changed';
is change('correct horse', 'новый пароль')->{status}, 200, 'in any language';
is me($v) . ' ' . me($other), 'ann@example.org 401', 'signed out everywhere else';
is visitor()->sign_in('ann@example.org', 'correct horse')->{status}, 401, 'the old one is over';
is visitor()->sign_in('ann@example.org', 'новый пароль')->{status}, 200;

# ---- a link by e-mail

sub links {
	$stack->runner;
	return map { $_->{parts}{'text/plain'} =~ m{https://\S+(/auth/password/set\?link=\S+)} ? $1 : () } $smtp->mails;
}
my $f = visitor();
$f->go('/auth/password/forgot');
my $known = $f->submit(qr{forgot$}, { email => 'ben@example.org' })->{text};
$f->go('/auth/password/forgot');
my $unknown = $f->submit(qr{forgot$}, { email => 'nobody@example.org' })->{text};
is $known =~ s/ben/nobody/r, $unknown, 'the same answer whether there is an account or not';
my @links = links();
is @links, 1, 'one mail';
my ($reset) = grep { $_->{parts}{'text/plain'} =~ /password\/set/ } $smtp->mails;
like $reset->{parts}{$_} =~ s/\s+/ /gr,
	qr/your account on vitrine\.localhost:\d+.*works once, until \w+ \d+, \d{4}, \d\d:\d\d UTC.*ignore this message\. Your password hasn’t changed/s,
	"what it is for, until when: $_"
	for qw(text/plain text/html);
my $w = visitor();
$w->sign_in('ben@example.org', 'battery staple');
$f->go($links[0]);
like $f->{page}{text}, qr/ben\@example\.org/;
is $f->submit(qr{password/set$}, { password => 'short' })->{status}, 400, 'the rule holds here too';
is $f->submit(qr{password/set$}, { password => 'password12' })->{status}, 400, '... and weak ones are refused';
is $f->submit(qr{password/set$}, { password => 'another staple' })->{path}, '/', 'set, and signed in';
is me($w), 401, 'everybody else is signed out';
is $f->go($links[0])->{status}, 410, 'the link works once';
is $f->send(POST => '/auth/password/set', body => 'password=yet+another+one&link=' . ($links[0] =~ /link=(.*)/)[0],
	headers => { 'Content-Type' => 'application/x-www-form-urlencoded' })->{status}, 410;
is $f->go('/auth/password/set?link=pwl_x')->{status}, 410;
$f->go('/auth/password/forgot');
$f->submit(qr{forgot$}, { email => 'ben@example.org' });
my ($late) = grep { $_ ne $links[0] } links();
$stack->db->do('UPDATE password_link SET expires_at = UNIX_TIMESTAMP() - 1');
is $f->go($late)->{status}, 410, 'or not at all after an hour';
$stack->user('fay@example.org');
$stack->ctl(qw(user invite fay@example.org));
$stack->runner;
my ($invitation) = grep { $_->{headers}{to} eq 'fay@example.org' } $smtp->mails;
is $invitation->{headers}{subject}, "You are invited to Vitrine at vitrine.localhost:$stack->{port}", 'an invitation says that it is one';
like $invitation->{parts}{$_} =~ s/\s+/ /gr,
	qr/Whoever runs the service created an account for you on vitrine\.localhost:\d+.*Choose a password.*works once, until \w+ \d+, \d{4}.*ignore this message/s,
	"by whom, for what, until when: $_"
	for qw(text/plain text/html);
$stack->user('gil@example.org');
$stack->ctl(qw(user invite gil@example.org --by), 'Ann Archer');
$stack->runner;
my ($named) = grep { $_->{headers}{to} eq 'gil@example.org' } $smtp->mails;
like $named->{parts}{'text/plain'}, qr/^Ann Archer created an account for you/m, 'or who is named';
my ($into) = $invitation->{parts}{'text/plain'} =~ m{https://\S+(/auth/password/set\?link=\S+)};
my $fay = visitor();
# A second browser, whose name is cut for the message: between characters.
my $fays_other = visitor(agent => 'x' . 'é' x 400);
$fay->go($into);
$fay->submit(qr{password/set$}, { password => 'first of all' });
is me($fay), 'fay@example.org', "an operator's invitation";
$fays_other->sign_in('fay@example.org', 'first of all');
is me($fays_other), 'fay@example.org', 'from a browser with a long name';
my %agents = ('Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36' =>
	'Chrome on Windows',
	join(' ', 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)',
		'Version/18.5 Mobile/15E148 Safari/604.1') => 'Safari on iPhone',
	'curl/8.14.1' => 'curl', 'acme-robot/2 (Windows)' => 'acme-robot/2 (Windows)');
visitor(agent => $_)->sign_in('fay@example.org', 'first of all') for sort keys %agents;
$stack->runner;
my ($long, @words) = grep { $_->{headers}{to} eq 'fay@example.org' && $_->{headers}{subject} =~ /new device/ } $smtp->mails;
is_deeply [sort map { $_->{parts}{'text/plain'} =~ /^Where: 127\.0\.0\.1, (.*)$/m ? $1 : $_->{parts}{'text/plain'} } @words],
	[sort values %agents], 'a mail names the browser and the system, and what is not known as it names itself';
ok $long, '... which is told of';
like $long->{parts}{'text/plain'} =~ s/\s+//gr, qr/Where:127\.0\.0\.1,x[^x]{149}Ifthis/, '... with as much of the name as fits';
like $long->{parts}{$_}, qr{https://vitrine\.localhost:$stack->{port}/auth/account\b}, "... with the way to the account page: $_"
	for qw(text/plain text/html);
my @news = grep { $_->{headers}{subject} =~ /new device/ } $smtp->mails;
ok @news > 0 && !(grep { $_->{parts}{'text/plain'} !~ /Where: 127\.0\.0\.1/ } @news), 'a sign-in from a browser not seen before is told of';

# ---- guessing

$stack->user('cat@example.org');
password('cat@example.org', 'knows the way');
my $cat = visitor();
is $cat->sign_in('cat@example.org', 'knows the way')->{status}, 200;
$cat->go('/auth/account');
$cat->submit(qr{/auth/signout$});
my @guesses = map { visitor()->sign_in('cat@example.org', "guess number $_")->{status} } 1 .. 7;
is "@guesses", '401 401 401 401 401 429 429', 'guesses at one account are limited';
is visitor()->sign_in('CAT@example.org', 'knows the way')->{status}, 429, 'however it is written';
is $cat->sign_in('cat@example.org', 'knows the way')->{status}, 200, 'but nobody is locked out of a browser of theirs';
is visitor()->sign_in('ann@example.org', 'новый пароль')->{status}, 200, 'nor is anybody else';
my $n = 0;
$n++ while $n < 200 && visitor()->sign_in("nobody$n\@example.org", 'guess')->{status} == 401;
ok $n > 5 && $n < 60, "guesses from one address are limited ($n)";
is $cat->sign_in('cat@example.org', 'knows the way')->{status}, 200, 'who is signed in is not asked';
is visitor()->sign_in('ann@example.org', 'новый пароль')->{status}, 429;
is visitor()->send(POST => '/auth/signin', body => 'email=a%40b.c&password=x',
	headers => { 'Content-Type' => 'application/x-www-form-urlencoded', 'X-Forwarded-For' => '8.8.8.8',
		'X-Real-IP' => '8.8.8.8', Forwarded => 'for=8.8.8.8' })->{status}, 429, 'whatever a header claims';
ok $v->{page}, 'done';

my $log = Vitrine::Stack::slurp("$stack->{dir}/worker.log");
unlike $log, qr/correct horse|another staple|ses_[0-9A-Za-z]{43}|pwl_/, 'no secret in the log';
is $stack->db->selectrow_array("SELECT COUNT(*) FROM password WHERE hash NOT LIKE '\$y\$%'"), 0, 'passwords are hashed';
finish($stack);
