# SPDX-License-Identifier: Apache-2.0
# What is kept of a reply for its Idempotency-Key: sealed, whole, and for whoever made the first request.
use Vitrine::Visitor;
use Vitrine::Words;

my ($stack, $api) = stack();
my $ann = $stack->user('ann@example.org');
$stack->ctl_in("the password\n", qw(user password ann@example.org));
my $db = $stack->db;
# Every column of every row, as one text.
sub kept { return join "\n", map { map { $_ // '' } @$_ } @{$db->selectall_arrayref('SELECT * FROM idempotency')} }
sub post {
	my ($path, $key, %o) = @_;
	return $api->call(POST => $path, { token => $ann->{token}, headers => { 'Idempotency-Key' => $key }, %o });
}

# ---- secrets

my $r = post('/v1/auth/device/start', 'device');
my $again = post('/v1/auth/device/start', 'device');
is_deeply $again->{json}, $r->{json}, 'the first reply comes again';
is $again->{headers}{'idempotency-replayed'}, 'true', 'and says so';
is $db->selectrow_array('SELECT COUNT(*) FROM idempotency'), 1, 'it is kept';
unlike kept(), qr/\Q$r->{json}{$_}/, "but not in the clear: $_" for qw(device_code user_code);
unlike kept(), qr/success/, 'nor is anything else of it';

# ---- headers come again too, and what a page shows

my $site = { name => 'Once', files => [{ path => 'index.html', content => '1' }] };
$r = post('/v1/publish', 'site', json => $site);
$again = post('/v1/publish', 'site', json => $site);
is "$again->{status} $again->{headers}{location}", "201 $r->{headers}{location}", 'Location';
my $v = Vitrine::Visitor->new($api);
$v->sign_in('ann@example.org', 'the password');
my $d = post('/v1/auth/device/start', 'another')->{json};
sub form {
	my ($path, $key, $body) = @_;
	return $v->send(POST => $path, body => $body,
		headers => { 'Content-Type' => 'application/x-www-form-urlencoded', 'Idempotency-Key' => $key });
}
$r = form('/auth/device', 'approve', "code=$d->{user_code}&action=approve");
$again = form('/auth/device', 'approve', "code=$d->{user_code}&action=approve");
my ($token) = $r->{body} =~ /(so_[0-9A-Za-z]{49})/;
ok $token, 'a page shows a token';
is $again->{body}, $r->{body}, 'and is shown again';
is $again->{headers}{$_}, $r->{headers}{$_}, "... with its $_" for qw(content-type content-security-policy cache-control);
unlike kept(), qr/\Q$token/, 'the token is not in the clear';

# ---- who made the request is another person, or nobody, when it is done

my $in = 'email=ann%40example.org&password=the+password';
$r = form('/auth/signin', 'signin', $in);
is $r->{status}, 303, 'who is signed in signs in';
$again = form('/auth/signin', 'signin', $in);
is "$again->{status} $again->{headers}{location}", "303 $r->{headers}{location}", 'and once more';
is $again->{headers}{'idempotency-replayed'}, 'true';
is $again->{headers}{'set-cookie'}, undef, 'without the cookie, which stood for one session';

# ---- what can't be opened

my $text = qr/its reply can no longer be read/;
$db->do("UPDATE idempotency a JOIN idempotency b ON b.idem_key = 'another' SET a.body = b.body WHERE a.idem_key = 'device'");
$r = post('/v1/auth/device/start', 'device');
is "$r->{status} $r->{json}{code}", '409 CONFLICT', 'what was sealed for another key';
like $r->{json}{error}, $text, '... is said';
$db->do("UPDATE idempotency SET body = ''");
my $before = $db->selectrow_array('SELECT COUNT(*) FROM version');
$r = post('/v1/publish', 'site', json => $site);
like "$r->{status} $r->{json}{error}", qr/^409 .*$text/, 'a reply from before an upgrade';
is $db->selectrow_array('SELECT COUNT(*) FROM version'), $before, '... is not made a second time';
finish($stack);
