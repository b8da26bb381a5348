# SPDX-License-Identifier: Apache-2.0
# Device login: every state, from the program's side and from the person's.
use POSIX ();
use Vitrine::Visitor;
use Vitrine::Words;

my ($stack, $api) = stack(device_guesses_per_hour => 40, device_starts_per_hour => 60, device_guesses_in_all => 15);
for my $name (qw(ann ben)) {
	$stack->user("$name\@example.org");
	$stack->ctl_in("the password\n", qw(user password), "$name\@example.org");
}
sub post { my ($path, $json, %o) = @_; return $api->call(POST => $path, { ($json ? (json => $json) : ()), %o }) }
sub start { return post('/v1/auth/device/start', @_)->{json} }
# Time passes: the last poll was long ago.
sub later { $stack->db->do('UPDATE device_login SET polled_at = 0') }
sub poll { my ($d) = @_; later(); return post('/v1/auth/device/token', { device_code => $d->{device_code} }) }
sub path { my ($d) = @_; return $d->{verification_uri_complete} =~ s{^https://[^/]+}{}r }
sub visitor { my ($name) = @_; my $v = Vitrine::Visitor->new($api); $v->sign_in("$name\@example.org", 'the password') if $name; return $v }

# ---- from the start to the token

my $r = post('/v1/auth/device/start', undef, headers => { 'User-Agent' => 'vitrine/1.0 <b>' });
is $r->{status}, 200, 'nothing need be sent';
my $d = $r->{json};
is_deeply [@$d{qw(interval expires_in)}], [5, 600];
like $d->{user_code}, qr/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/;
is $d->{verification_uri_complete}, "https://vitrine.localhost:$stack->{port}/auth/device?code=$d->{user_code}";
is_deeply poll($d)->{json}, { success => Cpanel::JSON::XS::true, status => 'pending', interval => 5 }, 'pending';

my $v = visitor();
$r = $v->go(path($d));
like $r->{path}, qr{^/auth/signin\?next=}, 'who is not signed in does that first';
$r = $v->submit(qr{signin}, { email => 'ann@example.org', password => 'the password' });
is $r->{path}, "/auth/device?code=$d->{user_code}", 'and comes back';
like $r->{text}, qr/\Q$d->{user_code}/, 'the code to compare';
like $r->{text}, qr/127\.0\.0\.1/, 'where it was asked for';
like $r->{text}, qr/vitrine\/1\.0 &lt;b&gt;/, 'by what';
like $r->{text}, qr/ann\@example\.org/, 'as whom';
unlike $r->{text}, qr/\bso_/, 'no token yet';
is poll($d)->{json}{status}, 'pending', 'looking approves nothing';
is $v->send(POST => '/auth/device', body => "code=$d->{user_code}&action=approve",
	headers => { 'Content-Type' => 'application/x-www-form-urlencoded', %$_ })->{status}, 403, "nobody else's page approves"
	for { 'Sec-Fetch-Site' => 'cross-site' }, { 'Sec-Fetch-Site' => undef },
	{ 'Sec-Fetch-Site' => undef, Origin => 'https://evil.example' };
is poll($d)->{json}{status}, 'pending';
$v->go(path($d));
$r = $v->submit(qr{^/auth/device$}, { action => 'approve' });
is $r->{status}, 200;
my ($shown) = $r->{text} =~ /(so_[0-9A-Za-z]{49})/;
ok $shown, 'the token as a fallback';
is $v->go(path($d))->{status}, 404, 'shown once';
$r = poll($d);
is_deeply $r->{json}, { success => Cpanel::JSON::XS::true, status => 'approved', token => $shown,
	user_id => $stack->user('ann@example.org')->{id} }, 'the program gets the same';
is poll($d)->{json}{status}, 'expired', 'once';
my $me = $api->call(GET => '/v1/auth/me', { token => $shown })->{json};
is $me->{email}, 'ann@example.org', 'it works';
like $me->{token_name}, qr/vitrine\/1\.0/, 'and says what it is for';
is $stack->db->selectrow_array('SELECT COUNT(*) FROM device_login'), 0, 'nothing is left';

# ---- denied, over, unknown

$d = start();
$v->go('/auth/device');
$r = $v->submit(qr{^/auth/device$}, { code => lc $d->{user_code} =~ s/-/ /r });
is $r->{status}, 200, 'typed by hand, in any form';
$r = $v->submit(qr{^/auth/device$}, { action => 'deny' });
like $r->{text}, qr{Request denied};
is_deeply [map { poll($d)->{json}{status} } 1, 2], ['denied', 'denied'], 'denied';
$d = start();
my $held = start();
$v->go(path($d));
$stack->db->do('UPDATE device_login SET expires_at = UNIX_TIMESTAMP() - 1');
is $v->submit(qr{^/auth/device$}, { action => 'approve' })->{status}, 404, 'what is over can not be approved';
is poll($d)->{json}{status}, 'expired', 'expired';
is $stack->db->selectrow_array("SELECT COUNT(*) FROM token WHERE name LIKE '%Test%'"), 0, 'and made no token';
$d = start();
$v->go(path($d));
$v->submit(qr{^/auth/device$}, { action => 'approve' });
$stack->db->do('UPDATE device_login SET expires_at = UNIX_TIMESTAMP() - 1');
is poll($d)->{json}{status}, 'expired', 'approved but not fetched in time';
for my $bad ('x', 'dev_x', substr($d->{device_code}, 0, -1), uc $d->{device_code}) {
	is post('/v1/auth/device/token', { device_code => $bad })->{json}{code}, 'INVALID_REQUEST', "no device code: $bad";
}
is post('/v1/auth/device/start', { expected_email => $_ })->{status}, 400, 'no address' for "a\@b.c\r\nd";
is post('/v1/auth/device/start', { expected_email => undef })->{status}, 200, 'null is none';

# ---- too fast

$d = start();
is post('/v1/auth/device/token', { device_code => $d->{device_code} })->{status}, 200;
$r = post('/v1/auth/device/token', { device_code => $d->{device_code} });
is "$r->{status} $r->{json}{code} $r->{headers}{'retry-after'}", '429 SLOW_DOWN 10', 'too fast';
is post('/v1/auth/device/token', { device_code => $d->{device_code} })->{headers}{'retry-after'}, 15, 'slower and slower';
is poll($d)->{json}{interval}, 15, 'which it is told';
is_deeply [map { poll($d)->{json}{interval} } 1 .. 3], [15, 5, 5], 'three polls that keep to it, and the interval is what it was';
$r = post('/v1/auth/device/token', { device_code => $d->{device_code} });
is "$r->{status} $r->{headers}{'retry-after'}", '429 10', 'until the next that comes too soon';
is_deeply [map { poll($d)->{json}{interval} } 1, 2], [10, 10], 'a few are not enough';
is post('/v1/auth/device/token', { device_code => $d->{device_code} })->{headers}{'retry-after'}, 15, '... if one too soon comes between';
is_deeply [map { poll($d)->{json}{interval} } 1 .. 3], [15, 15, 5];

# ---- a program with a long name

$d = post('/v1/auth/device/start', undef, headers => { 'User-Agent' => 'x' . "\x{e9}" x 400 })->{json};
$v->go(path($d));
is $v->submit(qr{^/auth/device$}, { action => 'approve' })->{status}, 200, 'is approved like any other';
like $api->call(GET => '/v1/auth/me', { token => poll($d)->{json}{token} })->{json}{token_name}, qr/^x\x{e9}{139}, from 127/,
	'and cut between characters';

# ---- somebody else than expected

$d = start({ expected_email => 'Ann@Example.org' });
my $ben = visitor();
$r = $ben->go(path($d));
like $r->{text}, qr/value="Ann\@example\.org"/, 'the form knows who is expected';
$ben->sign_in('ben@example.org', 'the password');
$r = $ben->go(path($d));
like $r->{text}, qr/role="alert".*Ann\@example\.org was expected/, 'a warning';
is $ben->submit(qr{^/auth/device$}, { action => 'approve' })->{status}, 409, 'which must be confirmed';
is poll($d)->{json}{status}, 'pending';
$ben->submit(qr{^/auth/device$}, { action => 'approve', confirm => 'yes' });
$r = poll($d)->{json};
is "$r->{status} $r->{warn}", 'approved Ann@example.org was expected to sign in, but ben@example.org did', 'the program is warned too';
$d = start({ expected_email => 'ANN@example.org' });
$v->go(path($d));
unlike $v->{page}{text}, qr/role="alert"/, 'none for the one who is expected';
$v->submit(qr{^/auth/device$}, { action => 'approve' });
ok !exists poll($d)->{json}{warn};

# ---- many at once

my %seen;
for my $round (1 .. 3) {
	$d = start();
	$v->go(path($d));
	$v->submit(qr{^/auth/device$}, { action => 'approve' });
	later();
	$stack->db->do('UPDATE device_login SET poll_s = 0');
	my @kids = map {
		pipe my $read, my $write;
		my $pid = fork // die;
		if (!$pid) {
			my $mine = Vitrine::Api->new($stack);
			print $write map { ($mine->call(POST => '/v1/auth/device/token',
				{ json => { device_code => $d->{device_code} } })->{json}{token} // '-') . "\n" } 1 .. 5;
			close $write;
			POSIX::_exit(0);
		}
		close $write;
		[$read, $pid];
	} 1 .. 20;
	my @got = map { my $h = $_->[0]; map { chomp; $_ } <$h> } @kids;
	waitpid $_->[1], 0 for @kids;
	is @got, 100;
	is scalar(grep { /^so_/ } @got), 1, "of 100 polls one gets the token ($round)";
}

# ---- standard clients

sub form {
	my ($path, %f) = @_;
	return $api->call(POST => $path,
		{ type => 'application/x-www-form-urlencoded', body => join '&', map { "$_=" . Vitrine::Visitor::escape($f{$_}) } keys %f })
}
my $grant = 'urn:ietf:params:oauth:grant-type:device_code';
sub oauth {
	my ($d, $type) = @_;
	later();
	return form('/v1/oauth/token', grant_type => $type // $grant, device_code => $d->{device_code}, client_id => 'some');
}
$d = form('/v1/oauth/device_authorization', client_id => 'some', scope => 'x')->{json};
ok $d->{device_code} && $d->{user_code} && $d->{verification_uri} && $d->{expires_in}, 'RFC 8628, section 3.2';
sub oauth_error { my ($r) = @_; return "$r->{status} $r->{json}{error}" }
is oauth_error(oauth($d)), '400 authorization_pending';
is oauth_error(form('/v1/oauth/token', grant_type => $grant, device_code => $d->{device_code})), '400 slow_down';
is oauth_error(oauth($d, 'password')), '400 unsupported_grant_type';
is oauth_error(oauth({ device_code => 'x' })), '400 invalid_grant';
$v->go(path($d));
$v->submit(qr{^/auth/device$}, { action => 'approve' });
$r = oauth($d)->{json};
is $r->{token_type}, 'Bearer';
is $api->call(GET => '/v1/auth/me', { token => $r->{access_token} })->{status}, 200;
is oauth_error(oauth($d)), '400 expired_token';
$d = form('/v1/oauth/device_authorization')->{json};
$v->go(path($d));
$v->submit(qr{^/auth/device$}, { action => 'deny' });
is oauth_error(oauth($d)), '400 access_denied';
is $api->call(POST => '/v1/oauth/token', { json => { grant_type => $grant } })->{status}, 415;

# ---- guessing

is post('/auth/device', undef, type => 'application/x-www-form-urlencoded', body => "code=$d->{user_code}&action=approve",
	token => $stack->user('ann@example.org')->{token},
	headers => { 'Sec-Fetch-Site' => 'same-origin' })->{status}, 403, 'a token can not make another';
my $short = start();
my @wrong = map { 'BBBB-BBB' . substr 'BCDFGHJKLMNPQRSTVWXZ' x 3, $_, 1 } 1 .. 50;
like $short->{user_code}, qr/^\w{4}-\w{4}$/, 'a code is short';
$v->send(GET => "/auth/device?code=$_") for splice @wrong, 0, 20;
my $long = start();
like $long->{user_code}, qr/^[BCDFGHJKLMNPQRSTVWXZ]{4}(?:-[BCDFGHJKLMNPQRSTVWXZ]{4}){2}$/, 'while many wrong ones are tried, it is longer';
like form('/v1/oauth/device_authorization')->{json}{user_code}, qr/^\w{4}-\w{4}-\w{4}$/, 'for every program';
for ($long, $short) {
	$v->go('/auth/device');
	is $v->submit(qr{^/auth/device$}, { code => lc $_->{user_code} =~ s/-//gr })->{status}, 200, 'and no right one is refused';
	$v->submit(qr{^/auth/device$}, { action => 'approve' });
	is poll($_)->{json}{status}, 'approved';
}
my @got = map { $v->send(GET => "/auth/device?code=$_")->{status} } @wrong;
is scalar(grep { $_ == 429 } @got) > 5, 1, 'wrong codes are limited';
is $got[-1], 429;
is visitor()->send(GET => '/auth/device?code=BBBB-BBBB', headers => { 'X-Forwarded-For' => '9.9.9.9' })->{status}, 429, 'by address';
my @starts = map { post('/v1/auth/device/start')->{status} } 1 .. 60;
is $starts[-1], 429, 'so are starts';
unlike Vitrine::Stack::slurp("$stack->{dir}/worker.log"), qr/dev_[0-9A-Za-z]{20}|so_[0-9A-Za-z]{20}|$held->{user_code}/,
	'no code and no token in the log';
like $stack->db->selectrow_array('SELECT HEX(device_hash) FROM device_login LIMIT 1'), qr/^[0-9A-F]{64}$/, 'of codes only digests are kept';
finish($stack);
