# SPDX-License-Identifier: Apache-2.0
# Collaborators, the owner, and own tokens.
use Vitrine::Smtp;
use Vitrine::Visitor;
use Vitrine::Words qw(as refused);

my $smtp = Vitrine::Smtp->new;
my ($stack, $api) = stack($smtp->conf);
my ($ann, $ben, $eve, $dan) = map { $stack->user("$_\@example.org") } qw(ann ben eve dan);
my $art = $api->publish($ann, slug => 'shared', visibility => 'private', files => { 'index.html' => 'x' });
my $base = "/v1/artifacts/$art";

sub add { my ($who, $role, @emails) = @_; return as($who, POST => "$base/collaborators", json => { emails => \@emails, role => $role }) }
sub everybody { return join ' ', map { "$_->{email}=$_->{role}" } @{as($ann, GET => "$base/collaborators")->{json}{collaborators}} }
sub mails { return $stack->db->selectrow_array("SELECT COUNT(*) FROM outbox WHERE kind = 'mail'") }

my $r = as($ann, GET => "$base/collaborators");
is_deeply $r->{json}, { success => Cpanel::JSON::XS::true, collaborators => [{ email => 'ann@example.org', role => 'owner' }],
	next_cursor => undef }, 'the owner alone';

# ---- adding

$r = add($ann, editor => 'Ben@Example.org', 'new@example.org', 'ben@example.org');
is_deeply $r->{json}{collaborators},
	[map { { email => $_, role => 'editor', mailed => Cpanel::JSON::XS::true } } 'ben@example.org', 'new@example.org'],
	'each once, in lower case, whether they have an account or not';
is mails(), 2, 'each is told';
is_deeply add($ann, editor => 'ben@example.org')->{json}{collaborators}, [{ email => 'ben@example.org', role => 'editor' }],
	'who has the role is not told';
is mails(), 2, 'once';
is $api->call(GET => $base, { token => $ben->{token} })->{json}{artifact}{role}, 'editor', 'at once';
refused(add($ann, owner => 'ben@example.org'), '400 INVALID_REQUEST', 'owner is not a role to give');
refused(add($ann, viewer => 'ann@example.org'), '400 INVALID_REQUEST', 'the owner has a role');
refused(add($ann, viewer => 'eve@example.org', $_), '400 INVALID_REQUEST', "'$_' is no address")
	for 'a b@example.org', "a\@example.org\r\nBcc: b\@example.org";
unlike everybody(), qr/eve/, 'a refusal adds nobody';

# ---- roles below one's own

refused(add($ben, editor => 'eve@example.org'), '403 ACCESS_DENIED', 'an editor makes no editor');
refused(add($ben, viewer => 'new@example.org'), '403 ACCESS_DENIED', 'nor demotes one');
is add($ben, viewer => 'eve@example.org')->{status}, 200, 'but a viewer';
refused(add($eve, viewer => 'dan@example.org'), '403 ACCESS_DENIED', 'a viewer adds nobody');
is everybody(), 'ann@example.org=owner ben@example.org=editor eve@example.org=viewer new@example.org=editor', 'everybody';
is scalar @{as($eve, GET => "$base/collaborators")->{json}{collaborators}}, 4, 'a viewer sees the list';

# ---- pending becomes real

is_deeply [map { $_->{email} } grep { $_->{pending} } @{as($ann, GET => "$base/collaborators")->{json}{collaborators}}],
	['new@example.org'], 'who has no account yet is marked';
{
	add($ann, viewer => 'stranger@example.org');
	$stack->runner;
	my ($mail) = grep { $_->{envelope}{to}[0] eq 'stranger@example.org' } $smtp->mails;
	like $mail->{parts}{'text/plain'} =~ s/\s+/ /gr, qr/If you have no account yet, choose a password there/,
		'the mail says what its link asks for';
	my ($link) = $mail->{parts}{'text/plain'} =~ m{https://[^/]+(/auth/password/set\?link=pwl_\S+)};
	ok $link, 'who has no account is mailed the way to one' or diag $mail->{parts}{'text/plain'};
	my $v = Vitrine::Visitor->new($api);
	$v->go($link);
	my $to = $v->submit(qr{^/auth/password/set$}, { name => 'Stran Ger', password => 'seventeen green lamps' }, stay => 1);
	is "$to->{status} $to->{headers}{location}", '303 /v1/open/shared', '... which leads on to what was shared';
	is scalar(grep { $_->{pending} && $_->{email} =~ /^stranger/ } @{as($ann, GET => "$base/collaborators")->{json}{collaborators}}), 0,
		'... and they have it';
	as($ann, DELETE => "$base/collaborators/stranger\@example.org");
}
my $new = $stack->user('new@example.org');
is as($new, GET => $base)->{json}{artifact}{role}, 'editor', 'what waited for an address is there with its account';
is $stack->db->selectrow_array('SELECT COUNT(*) FROM collaborator_pending'), 0, 'and waits no more';

# ---- removing

refused(as($ann, DELETE => "$base/collaborators/ann%40example.org"), '409 CONFLICT', 'the owner cannot be removed');
refused(as($ben, DELETE => "$base/collaborators/ann%40example.org"), '409 CONFLICT', 'by anybody');
refused(as($ben, DELETE => "$base/collaborators/new%40example.org"), '403 ACCESS_DENIED', 'an editor removes no editor');
refused(as($eve, DELETE => "$base/collaborators/new%40example.org"), '403 ACCESS_DENIED', 'a viewer removes nobody');
is as($eve, DELETE => "$base/collaborators/EVE%40example.org")->{status}, 200, 'but may leave';
refused(as($eve, GET => $base), '404 NOT_FOUND', 'and sees nothing more');
is as($ann, DELETE => "$base/collaborators/new%40example.org")->{status}, 200, 'the owner removes an editor';
refused(as($new, GET => $base), '404 NOT_FOUND', 'at once');

# ---- another owner

refused(as($ben, POST => "$base/transfer-ownership", json => { email => 'ben@example.org' }), '403 ACCESS_DENIED',
	'only the owner transfers');
refused(as($ann, POST => "$base/transfer-ownership", json => { email => 'nobody@example.org' }), '404 NOT_FOUND', 'only to somebody');
$r = as($ann, POST => "$base/transfer-ownership", json => { email => 'ben@example.org' });
is $r->{json}{artifact}{role}, 'editor', 'the former owner is an editor';
is everybody(), 'ben@example.org=owner ann@example.org=editor', 'and the new one is the owner';
refused(as($ann, DELETE => $base), '403 ACCESS_DENIED', 'with all that follows');
is $api->publish($ben, slug => 'shared', files => { 'index.html' => 'by ben' }), $art, 'the slug went along';
is $stack->ctl('fsck'), 'clean', 'fsck is clean';

# ---- mailed links

$r = as(undef, GET => '/v1/open/shared');
is "$r->{status} $r->{headers}{location}", "302 /auth/view?to=https%3A%2F%2Fshared.pages.localhost%3A$stack->{port}%2F",
	'a mailed link leads to the page, past signing in';
refused(as(undef, GET => "/v1/open/$_"), '404 NOT_FOUND', "but nowhere else: $_") for 'evil.example%2f', 'a%40b', '-x';

# ---- own tokens

my $second = $stack->ctl(qw(token mint --user dan@example.org --name laptop));
my $tokens = as($dan, GET => '/v1/auth/tokens')->{json}{tokens};
is_deeply [map { $_->{name} } @$tokens], ['laptop', 'created by vitrinectl'], 'own tokens';
is as($dan, PATCH => "/v1/auth/tokens/$tokens->[0]{id}", json => { name => 'old laptop' })->{json}{token}{name}, 'old laptop', 'renamed';
is as($dan, DELETE => "/v1/auth/tokens/$tokens->[0]{id}")->{status}, 200, 'revoked';
refused($api->call(GET => '/v1/auth/me', { token => $second }), '401 TOKEN_REVOKED', 'at once');
is as($dan, GET => '/v1/auth/me')->{status}, 200, 'the other stays';
$smtp->stop if $smtp->can('stop');
# ---- a transfer tells who has an account, so it fails only so often

$stack->ctl_in("the password\n", qw(user password dan@example.org));
my $browser = Vitrine::Visitor->new($api);
$browser->sign_in('dan@example.org', 'the password');
my $his = $api->publish($dan, slug => 'his');
my @told = map { $browser->send(POST => "/a/$his/transfer", body => "email=nobody$_%40example.org",
	headers => { 'Content-Type' => 'application/x-www-form-urlencoded' })->{status} } 1 .. 11;
is_deeply [@told[0, 10]], [404, 429], 'in the browser, too';
refused(as($dan, POST => "/v1/artifacts/$his/transfer-ownership", json => { email => 'nobody@example.org' }), '429 RATE_LIMITED',
	'... which counts for both');

finish($stack);
