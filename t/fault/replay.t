# SPDX-License-Identifier: Apache-2.0
# A transaction that is lost to a deadlock, as every certification conflict of a cluster is, runs again on the request as it was: one
# effect, the reply of the last try and nothing of the lost ones.
use Vitrine::Words;

my ($stack, $api) = stack(workers => 1, signin_failures_per_account => 5, device_guesses_in_all => 5);
my $ann = $stack->user('ann@example.org');
$stack->ctl_in("correct horse\n", qw(user password ann@example.org));
my $db = $stack->{admin};
$db->do('USE vitrine');

# The next $n writes of a kind end in a deadlock, or another error. The counter's engine has no transactions, so that it outlives them.
$db->do('CREATE TABLE lost (n INT) ENGINE=Aria TRANSACTIONAL=0') or die $db->errstr;
sub lose {
	my ($n, $when, $table, $error) = @_;
	$error //= 1213;
	$db->do('DROP TRIGGER IF EXISTS lose');
	$db->do('DELETE FROM lost');
	$db->do("CREATE TRIGGER lose BEFORE $when ON $table FOR EACH ROW BEGIN INSERT INTO lost VALUES (1);"
		. " IF (SELECT COUNT(*) FROM lost) <= $n THEN SIGNAL SQLSTATE '40001' "
		. "SET MYSQL_ERRNO = $error, MESSAGE_TEXT = 'lost'; END IF; END") or die $db->errstr;
}
sub tries { return scalar $db->selectrow_array('SELECT COUNT(*) FROM lost') }
sub sign_in {
	return $api->call(POST => '/auth/signin',
		{ body => 'email=ann%40example.org&password=correct+horse', type => 'application/x-www-form-urlencoded',
			headers => { 'Sec-Fetch-Site' => 'same-origin', @_ } });
}

# Signing in sets three cookies; a try that is lost late has set them already.
lose(2, 'INSERT', 'known_browser');
my $r = sign_in();
is $r->{status}, 303, 'signing in succeeds at the third try';
is tries(), 3, 'of three';
my @cookies = ref $r->{headers}{'set-cookie'} ? @{$r->{headers}{'set-cookie'}} : $r->{headers}{'set-cookie'};
is_deeply [sort map { /^(\w+)=/ } map { split /, (?=vitrine_)/ } @cookies], [qw(vitrine_access vitrine_browser vitrine_session)],
	'each cookie is set once';
is $db->selectrow_array('SELECT COUNT(*) FROM session'), 1, 'there is one session';
my ($access) = join(',', @cookies) =~ /vitrine_access=(\w+)/;
is $api->call(GET => '/v1/auth/me', { headers => { Cookie => "vitrine_access=$access" } })->{status}, 200,
	'whose cookie is the one that was sent';

# A try that was lost counts towards no limit: five failures are possible, one a try.
lose(2, 'INSERT', 'known_browser');
is sign_in()->{status}, 303, 'and again' for 1 .. 3;

# Who was signed in is so in each try: the session before is left.
lose(2, 'INSERT', 'known_browser');
$r = sign_in(Cookie => "vitrine_access=$access");
is $r->{status}, 303, 'signing in again in that browser';
is $api->call(GET => '/v1/auth/me', { headers => { Cookie => "vitrine_access=$access" } })->{status}, 401, 'ends the session it had';

# A publish: one version, whichever try it was.
lose(2, 'INSERT', 'version');
my $art = $api->publish($ann, slug => 'site', visibility => 'public', files => { 'index.html' => 'one' });
is_deeply $db->selectall_arrayref('SELECT version_no FROM version'), [[1]], 'one version';
is $api->get_site('site', '/')->{body}, 'one', 'which is shown';
is $db->selectrow_array('SELECT COUNT(*) FROM artifact'), 1, 'of one artifact';

# What is lost for good leaves nothing, and says so.
lose(9, 'UPDATE', 'artifact');
$r = $api->call(PATCH => "/v1/artifacts/$art", { token => $ann->{token}, json => { name => 'Never' } });
is "$r->{status} $r->{json}{code}", '503 UNAVAILABLE', 'after three tries it is given up';
is tries(), 3, 'three';
is $db->selectrow_array('SELECT name FROM artifact'), 'Site', 'and nothing has changed';

# What a node of a cluster says that is leaving it (1047), that was made read-only (1290), or whose row another has changed since (1020).
for my $error (1047, 1290, 1020) {
	lose(2, 'UPDATE', 'artifact', $error);
	$r = $api->call(PATCH => "/v1/artifacts/$art", { token => $ann->{token}, json => { name => "After $error" } });
	is_deeply [$r->{status}, $r->{json}{artifact}{name}, tries()], [200, "After $error", 3], "error $error is tried again, twice";
}
$db->do('DROP TRIGGER lose');
finish($stack);
