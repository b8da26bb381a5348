# SPDX-License-Identifier: Apache-2.0
# Somebody wants to keep a person out, or to fill their mailbox: by wrong passwords and codes, by asking for mail in their name, by planting
# cookies.
use Digest::SHA qw(sha256 sha256_hex);
use Vitrine::Counted;
use Vitrine::Smtp;
use Vitrine::Visitor;
use Vitrine::Words;

my $smtp = Vitrine::Smtp->new;
my $stack = Vitrine::Stack->new(workers => 1, $smtp->conf, signin_failures_per_account => 4, device_guesses_in_all => 12,
	map { $_ => 10_000 } qw(signin_failures_per_hour mail_links_per_hour device_guesses_per_hour device_starts_per_hour
	access_requests_per_hour));
my $api = Vitrine::Api->new($stack);
my $db = $stack->db;
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben eve);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for keys %user;
sub visitor { return Vitrine::Visitor->new($api) }
sub sign_in { my ($v, $name, $password) = @_; return $v->sign_in("$name\@example.org", $password // 'the password') }
sub me {
	my ($v) = @_;
	my $r = $api->call(GET => '/v1/auth/me', { headers => { Cookie => $v->cookies_for('vitrine.localhost', '/') } });
	return $r->{json}{email} // $r->{status};
}
sub mails {
	my ($to, $what) = @_;
	$stack->runner;
	return grep { $_->{envelope}{to}[0] eq "$to\@example.org" && $_->{headers}{subject} =~ $what } $smtp->mails;
}
sub at { my ($slug, $path) = @_; return "https://$slug.pages.localhost:$stack->{port}" . ($path // '/') }
# A secret of ours as far as its checksum goes.
sub planted {
	my ($prefix, $n) = @_;
	my $bare = $prefix . sprintf '%043d', $n // 1;
	return $bare . join '', map { (0 .. 9, 'A' .. 'Z', 'a' .. 'z')[$_ % 62] } (unpack 'C*', sha256($bare))[0 .. 5];
}

# ---- wrong passwords for somebody else's account

my $known = visitor();
sign_in($known, 'ann');
is me($known), 'ann@example.org', 'ann has signed in with this browser before';
sub guess {
	my ($name, $password) = @_;
	my $v = visitor();
	return $v->send(POST => '/auth/signin', body => "email=$name%40example.org&password=" . ($password // 'wrong'),
		headers => { 'Content-Type' => 'application/x-www-form-urlencoded' });
}
guess($_) for ('ann', 'nobody') x 4;
my $new = visitor();
my $r = sign_in($new, 'ann');
is $r->{status}, 429, 'after many wrong passwords the right one is not looked at in a new browser';
like $r->{text}, qr/a sign-in link has been sent/, '... but a link is sent';
Vitrine::Counted::still($stack);
guess($_, 'the+password') for qw(ann nobody);
my ($real, $real_n) = Vitrine::Counted::counted($db, sub { guess('ann', 'the+password') });
my ($none, $none_n) = Vitrine::Counted::counted($db, sub { guess('nobody', 'the+password') });
Vitrine::Counted::go_on($stack);
sub told {
	my ($r, $name) = @_;
	my %h = %{$r->{headers}};
	delete @h{qw(date x-request-id retry-after)};
	return join "\n", $r->{status}, map({ "$_: $h{$_}" =~ s/\d+/N/gr } sort keys %h), $r->{body} =~ s/\Q$name/NAME/gr;
}
# The names have different lengths, and so their pages.
is told($real, 'ann') =~ s/^content-length.*\n//mr, told($none, 'nobody') =~ s/^content-length.*\n//mr,
	'an address without an account is answered alike';
is $real_n, $none_n, '... and costs as many statements';
my $other = visitor();
$other->{jar}{'vitrine.localhost'}{vitrine_browser} = $known->{jar}{'vitrine.localhost'}{vitrine_browser};
sign_in($other, 'ann');
is me($other), 'ann@example.org', 'in the browser that ann knows the password works all the time';
is scalar(mails(nobody => qr/./)), 0, 'nobody gets no mail';
my @links = mails(ann => qr/link to sign in/);
is scalar @links, 1, 'ann gets one, however many passwords were tried';
my ($path) = $links[0]{parts}{'text/plain'} =~ m{https://[^/]+(/auth/signin/link\?link=pwl_\w+)};
ok $path, 'with a link' or diag $links[0]{parts}{'text/plain'};
is $new->go($path)->{status}, 200, 'a mail program that looks at the link' for 1, 2;
is me($new), 401, '... has not signed anybody in';
$new->submit(qr{^/auth/signin/link$});
is me($new), 'ann@example.org', 'ann is in';
is me($known), 'ann@example.org', '... and stays in where she was';
$new->go('/auth/account');
$new->submit(qr{/auth/signout$});
sign_in($new, 'ann');
is me($new), 'ann@example.org', 'from now on the password works here, too';
$r = visitor();
$r->go($path);
is $r->{page}{status}, 410, 'the link works once';
guess('ann') for 1 .. 3;
is scalar(mails(ann => qr/link to sign in/)), 2, 'another is sent when the first was used, and one only';
$db->do('UPDATE password_link SET expires_at = expires_at - 7100');
guess('ann');
is scalar(mails(ann => qr/link to sign in/)), 2, '... no other for two hours';
$db->do('UPDATE password_link SET expires_at = expires_at - 101');
guess('ann');
is scalar(mails(ann => qr/link to sign in/)), 3, '... then one';
for (1 .. 15) { $db->do('DELETE FROM password_link'); guess('ann'); $stack->runner }
is scalar(mails(ann => qr/link to sign in/)), 12, 'and twelve a day at most';

# ---- mail to one address, whoever causes it

my @crowd = map {
	my $n = sprintf '%026d', $_;
	$db->do("INSERT INTO user (id, email, name, created_at) VALUES ('usr_$n', 'crowd$_\@example.org', '', 1)");
	{ token => $stack->token("usr_$n", 'so_') };
} 1 .. 14;
my @mailed;
my @answers = map {
	my $art = $api->publish($_);
	my $r = $api->call(POST => "/v1/artifacts/$art/collaborators",
		{ token => $_->{token}, json => { emails => ['stranger@example.org'], role => 'viewer' } });
	push @mailed, $r->{json}{collaborators}[0]{mailed} ? 1 : 0;
	"$r->{status} $r->{body}" =~ s/"mailed":\w+//r;
} @crowd;
is_deeply \@answers, [($answers[0]) x @crowd], 'fourteen people share something with a stranger: all are answered alike';
is "@mailed", join(' ', (1) x 10, (0) x 4), '... but for whether their mail goes out';
is $db->selectrow_array("SELECT COUNT(*) FROM collaborator_pending WHERE email = 'stranger\@example.org'"), 14,
	'... and all roles are given';
is scalar(mails(stranger => qr/./)), 10, 'but the stranger gets ten mails';
my $secret = $api->publish($user{ben}, slug => 'secret', visibility => 'private');
my @art = ($secret, map { $api->publish($user{ben}, slug => "secret-$_", visibility => 'private') } 1, 2);
for my $n (1 .. 14) {
	$api->call(POST => '/v1/access-requests', { json => { artifact_id => $art[$n % 3], email => "asks$n\@example.org" } });
}
is scalar(mails(ben => qr/requested access/)), 10, 'fourteen ask for access to what is ben\'s: he gets ten mails';
is scalar @{$api->call(GET => '/v1/access-requests/incoming', { token => $user{ben}{token} })->{json}{access_requests}}, 14,
	'... and finds all requests';
$api->call(POST => '/v1/access-requests', { json => { artifact_id => $secret, email => "more$_\@example.org" } }) for 1 .. 11;
$stack->runner;
is $api->call(POST => "/v1/artifacts/$secret/collaborators",
	{ token => $user{ben}{token}, json => { role => 'viewer', emails => ['friend@example.org'] } })->{json}{collaborators}[0]{mailed},
	Cpanel::JSON::XS::true, '... which use up nothing of his own invitations to it';
my @forgot = map {
	my $r = visitor()->send(POST => '/auth/password/forgot', body => 'email=ben%40example.org',
		headers => { 'Content-Type' => 'application/x-www-form-urlencoded' });
	$stack->runner;
	"$r->{status} $r->{body}";
} 1 .. 12;
is_deeply \@forgot, [($forgot[0]) x 12], 'twelve links to set a password: all are answered alike';
is scalar(mails(ben => qr/new password/)), 10, '... and ten are sent, though others had used up what they can';
sign_in(visitor(), 'ben');
sign_in(my $thief = visitor(), 'ben'); # or ben himself
is scalar(mails(ben => qr/from a new device/)), 1, 'what tells ben of a sign-in comes all the same';
guess('ben') for 1 .. 6;
is scalar(mails(ben => qr/link to sign in/)), 1, '... and a link past a lock-out';

# ---- wrong device codes, from everywhere

sub start { return $api->call(POST => '/v1/auth/device/start', { json => {} })->{json} }
my $before = start();
my @letters = split //, 'BCDFGHJKLMNPQRSTVWXZ';
is visitor()->send(GET => '/auth/device?code=' . join '', map { $letters[rand 20] } 1 .. 8)->{status}, 404, 'a wrong code' for 1 .. 14;
my $after = start();
like $after->{user_code}, qr/^\w{4}-\w{4}-\w{4}$/, 'then new codes are longer';
sub approve {
	my ($d) = @_;
	my $v = visitor();
	sign_in($v, 'eve');
	$v->go("/auth/device?code=$d->{user_code}");
	$v->submit(qr{^/auth/device$}, { action => 'approve' });
	return $api->call(POST => '/v1/auth/device/token', { json => { device_code => $d->{device_code} } })->{json}{status};
}
is approve($after), 'approved', 'and approved as ever';
is approve($before), 'approved', 'as are those that were given before';
my $d = start();
sub poll { return $api->call(POST => '/v1/auth/device/token', { json => { device_code => $d->{device_code} } }) }
my @fast = map { poll()->{headers}{'retry-after'} } 0 .. 10;
is $fast[-1], 55, 'ten polls too fast';
my @kept = map { $db->do('UPDATE device_login SET polled_at = polled_at - 100'); poll()->{json}{interval} } 1 .. 3;
is $kept[-1], 5, 'three that keep to the interval, and it is five seconds again';

# ---- cookies that somebody else has planted

$known = $thief;
$r = $known->go('/auth/view?to=' . Vitrine::Visitor::escape(at('secret')));
is $r->{status}, 200, 'ben sees his private page';
my ($name) = grep { !/_(?:nonce|asked)$/ } keys %{$known->{jar}{'secret.pages.localhost'}};
my $good = $known->{jar}{'secret.pages.localhost'}{$name}[0];
is $name, '__Host-vitrine_viewer', 'by a cookie that no sibling can set';
sub seen { my (@values) = @_; return $api->get_site('secret', '/', Cookie => join '; ', map { "$name=$_" } @values)->{status} }
is seen($good), 200;
is seen('x', $good), 200, 'a planted one before it';
is seen($good, planted('vie_')), 200, 'or after it';
is seen(map({ planted('vie_', $_) } 1 .. 6), $good), 200, 'or several';
is seen(map { planted('vie_', $_) } 1 .. 6), 404, 'do not let in by themselves';
is $api->get_site('secret', "/v1/artifacts/$secret", Cookie => "$name=" . planted('vie_') . "; $name=$good")->{status}, 200,
	'nor do they shut the page\'s own calls out';
my %session = map {
	my $v = visitor();
	$v->{jar}{'vitrine.localhost'}{vitrine_browser} = $known->{jar}{'vitrine.localhost'}{vitrine_browser} if $_ eq 'ben';
	sign_in($v, $_);
	($_ => $v->{jar}{'vitrine.localhost'}{vitrine_access}[0]);
} qw(ben eve);
sub who { my $r = $api->call(GET => '/v1/auth/me', { headers => { Cookie => join '; ', @_ } }); return $r->{json}{email} // $r->{status} }
is who("vitrine_access=$session{ben}"), 'ben@example.org';
is who("vitrine_access=" . planted('ses_'), "vitrine_access=$session{ben}"), 'ben@example.org', 'planted on the app: they do not sign out';
is who("vitrine_access=$session{ben}", map { "vitrine_session=$_" } 'x', planted('ses_')), 'ben@example.org', '... of either kind';
is who("vitrine_access=$session{ben}", "vitrine_access=$session{eve}"), 400,
	'but where two people are signed in at once, nobody is taken for the other';
my $browser = $known->{jar}{'vitrine.localhost'}{vitrine_browser}[0];
sub with_browser {
	my (@values) = @_;
	my $r = visitor()->send(POST => '/auth/signin', body => 'email=ben%40example.org&password=the+password', headers =>
		{ 'Content-Type' => 'application/x-www-form-urlencoded', Cookie => join '; ', map { "vitrine_browser=$_" } @values });
	return $r;
}
is with_browser($browser)->{status}, 303, 'ben\'s browser is known while others are sent a link';
is with_browser(planted('brw_'), $browser)->{status}, 303, '... with a planted cookie beside it, too';
is with_browser(planted('brw_'))->{status}, 429, '... which is not known itself';
is $db->selectrow_array('SELECT COUNT(*) FROM known_browser WHERE hash = UNHEX(?)', undef, sha256_hex(planted('brw_'))), 0,
	'... nor becomes so';

# ---- addresses that have an account, by trying

my $mine = $api->publish($user{eve});
my @tries = map { $api->call(POST => "/v1/artifacts/$mine/transfer-ownership",
	{ token => $user{eve}{token}, json => { email => "nobody$_\@example.org" } })->{status} } 1 .. 12;
is "@tries", '404 ' x 10 . '429 429', 'ten tries an hour to give something to an address that has none';

# ---- session_days holds for sessions that run

sub restarted {
	my (%conf) = @_;
	%{$stack->{conf}} = (%{$stack->{conf}}, %conf);
	$stack->write_conf;
	$stack->stop_one('worker');
	$stack->start_worker;
}
$db->do('UPDATE session SET created_at = created_at - 2 * 86400');
is who("vitrine_access=$session{ben}"), 'ben@example.org', 'a session of two days ago runs';
is seen($good), 200;
restarted(session_days => 3);
is who("vitrine_access=$session{ben}"), 'ben@example.org', 'with three days too';
my $until = $api->call(GET => '/v1/auth/me', { headers => { Cookie => "vitrine_access=$session{ben}" } })->{json}{expires_at};
ok $until - time < 86400 + 60, '... of which one is left';
restarted(session_days => 1);
is who("vitrine_access=$session{ben}"), 401, 'with one day it is over';
is seen($good), 404, 'and what it lets see';
is_deeply $api->call(GET => '/v1/auth/sessions', { token => $user{ben}{token} })->{json}{sessions}, [], 'nor is it listed';

# ---- without a mail server

restarted(smtp_url => '"-"');
guess('eve') for 1 .. 4;
is guess('eve', 'the+password')->{status}, 429, 'where no mail is sent, the password has to wait';
$smtp->stop if $smtp->can('stop');
finish($stack);
