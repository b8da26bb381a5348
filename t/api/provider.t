# SPDX-License-Identifier: Apache-2.0
# Signing in through a real OpenID provider, its failures included; linking and merging.
use File::Path 'make_path';
use Vitrine::Provider;
use Vitrine::Visitor;
use Vitrine::Words;

my $folder = File::Temp::tempdir('vitrine-providers-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my ($stack, $api) = stack(workers => 1, providers_dir => $folder);
my $idp = Vitrine::Provider->new($stack->{tls}, "https://vitrine.localhost:$stack->{port}/auth/callback");
# What a worker knows of a provider, it forgets with its process.
sub restart { $stack->stop_one('worker'); $stack->start_worker }
sub configure { $idp->configure($folder, @_); restart() }
configure();
sub visitor { return Vitrine::Visitor->new($api) }
sub me {
	my ($v) = @_;
	my $r = $v->send(GET => '/v1/auth/me');
	return $r->{status} == 200 ? $api->{json}->decode($r->{body})->{email} : $r->{status};
}
# To the provider, through it, and back: the page at the end.
sub through {
	my ($v, $start, $name) = @_;
	my $to = $v->send(GET => $start)->{headers}{location} // return $v->{page};
	return $v->{page} if $to !~ /^\Q$idp->{issuer}/;
	return $v->go(back($idp->authorize($to, $name)));
}
sub back { return $_[0] =~ s{^https://vitrine\.localhost:\d+}{}r }
sub token_of { my ($email) = @_; return $stack->ctl(qw(token mint --user), $email) }

# ---- the story

my $v = visitor();
$v->go('/auth/device');
my $r = $v->go('/auth/signin?next=%2Fauth%2Fdevice&email=ann%40example.org');
like $r->{text}, qr{href="/auth/provider/es\?next=/auth/device&amp;email=ann%40example\.org"><svg.*?</svg>Continue with Es<},
	'a button for each provider';
my $to = $v->send(GET => '/auth/provider/rs?next=%2Fauth%2Fdevice&email=ann%40example.org')->{headers}{location};
like $to, qr{^\Q$idp->{issuer}\E/auth\?response_type=code&client_id=client-rs&.*code_challenge_method=S256.*login_hint=ann%40example\.org},
	'code flow, PKCE, hint';
$r = $v->go(back($idp->authorize($to, 'ann')));
is "$r->{status} $r->{path}", '200 /auth/device', 'signed in, and on to where it began';
is me($v), 'ann@example.org', 'as the one the provider vouches for';
ok $v->{jar}{'vitrine.localhost'}{vitrine_session} && !$v->{jar}{'vitrine.localhost'}{vitrine_access}, 'with the cookie of that kind';
is $stack->db->selectrow_array('SELECT name FROM user WHERE email = ?', undef, 'ann@example.org'), 'The ann', 'a new account';
for my $id (qw(es ed)) {
	my $w = visitor();
	through($w, "/auth/provider/$id", 'ann');
	is me($w), 'ann@example.org', "$id: the same person, another key";
}
is $stack->db->selectrow_array('SELECT COUNT(*) FROM user'), 1;
$stack->db->do("INSERT INTO factor (user_id, sealed, last_step, on_at) SELECT id, 'x', 0, 1 FROM user WHERE email = 'ann\@example.org'");
my $vouched = visitor();
through($vouched, '/auth/provider/rs', 'ann');
is me($vouched), 'ann@example.org', 'whom a provider vouches for is not asked for a second factor';
$stack->db->do('DELETE FROM factor');
my $w = visitor();
through($w, '/auth/provider/rs?next=https%3A%2F%2Fevil.example', 'ann');
is $w->{page}{path}, '/', 'nobody is sent elsewhere';

# Another host has planted a cookie of the attempt's name.
my ($one, $two) = (visitor(), visitor());
$to = $one->send(GET => '/auth/provider/rs')->{headers}{location};
$two->send(GET => '/auth/provider/rs');
my ($mine, $planted) = map { $_->{jar}{'vitrine.localhost'}{vitrine_attempt}[0] } $one, $two;
$r = $one->send(GET => back($idp->authorize($to, 'ann')), headers => { Cookie => "vitrine_attempt=$planted; vitrine_attempt=$mine" });
is "$r->{status} " . me($one), '303 ann@example.org', 'a planted cookie does not end an attempt';

# ---- what must not work

sub fails {
	my ($mode, $want, $name) = @_;
	$idp->mode($mode);
	my $w = visitor();
	my $r = through($w, '/auth/provider/rs', 'eve');
	is $r->{status}, $want, "$name is refused" or diag $r->{text};
	is me($w), 401, "$name signs nobody in";
	$idp->mode('');
}
fails($_->[0], 403, $_->[1]) for ['aud', "another service's token"], ['iss', 'another issuer'], ['expired', 'an old token'],
	['future', 'one from the future'], ['nonce', "another sign-in's"],
	['nosub', 'one about nobody'], ['azp', 'one for somebody else too'], ['none', 'alg none'], ['hs256', 'HS256 with the public key'],
	['tampered', 'a changed token'],
	['stranger', "a stranger's key"];
is $stack->db->selectrow_array('SELECT COUNT(*) FROM user'), 1, 'no account was made';
$r = through(visitor(), '/auth/provider/rs', '');
like $r->{text}, qr/provider refused: access_denied/, 'who cancels is told';
$w = visitor();
$to = $w->send(GET => '/auth/provider/rs')->{headers}{location};
my $answer = back($idp->authorize($to, 'eve'));
is visitor()->go($answer)->{status}, 400, "another browser's attempt";
is $w->go($answer =~ s/state=[^&]*/state=x/r)->{status}, 400, 'another state';
is $w->go($answer =~ s/iss=[^&]*/iss=https%3A%2F%2Fevil.example/r)->{status}, 403, "a mixed-up issuer";
is $w->go($answer)->{status}, 400, 'an attempt is good once';
$w = visitor();
$answer = back($idp->authorize($w->send(GET => '/auth/provider/rs')->{headers}{location}, 'eve'));
$stack->db->do('UPDATE provider_login SET expires_at = UNIX_TIMESTAMP() - 1');
is $w->go($answer)->{status}, 400, 'for ten minutes';
$w = visitor();
$answer = back($idp->authorize($w->send(GET => '/auth/provider/rs')->{headers}{location}, 'eve'));
is $w->go($answer =~ s/&?iss=[^&]*//r)->{status}, 403, 'an issuer that is left out';
is $w->go("/auth/callback?error=%3Csvg%3E&state=x")->{text} =~ /<svg>/ ? 1 : 0, 0, 'nothing of the address is shown';
is visitor()->go('/auth/callback')->{status}, 400;
is visitor()->go('/auth/provider/none')->{status}, 404, 'no such provider';
$r = through(visitor(), '/auth/provider/rs', 'unverified-eve');
is $r->{status}, 403, 'an address that nobody vouches for opens nothing';
like $r->{text}, qr/hasn(?:'|’|&#39;)t verified your e-mail address/;
is $stack->db->selectrow_array('SELECT COUNT(*) FROM user'), 1;

# ---- what must work all the same

$idp->mode('userinfo');
$w = visitor();
through($w, '/auth/provider/rs', 'uma');
is me($w), 'uma@example.org', 'an address that only userinfo tells';
$idp->mode('rotated');
$w = visitor();
through($w, '/auth/provider/rs', 'ann');
is me($w), 'ann@example.org', 'rotated keys';
$idp->mode('');
restart();
for (['garbage', 'no configuration'], ['other-issuer', "another's configuration"], ['down', 'no answer']) {
	$idp->mode($_->[0]);
	restart();
	is visitor()->send(GET => '/auth/provider/rs')->{status}, 503, $_->[1];
}
$idp->mode('');
restart();

# ---- accounts that are there already

$stack->user("$_\@example.org") for qw(ben cat);
$stack->ctl_in("the password\n", qw(user password cat@example.org));
$w = visitor();
through($w, '/auth/provider/rs', 'ben');
is me($w), 'ben@example.org', "an operator's account that nobody has used yet";
$w = visitor();
$r = through($w, '/auth/provider/rs', 'cat');
is $r->{status}, 403, 'one with a password is not given away for an address';
like $r->{text}, qr/link this sign-in/;
$stack->ctl(qw(user disable uma@example.org));
is through(visitor(), '/auth/provider/rs', 'uma')->{status}, 403, 'nor is one that is disabled opened';
my $shared = $api->publish($stack->user('ben@example.org'), slug => 'shared', visibility => 'private');
$api->call(POST => "/v1/artifacts/$shared/collaborators",
	{ token => $stack->user('ben@example.org')->{token}, json => { emails => ['dan@example.org'], role => 'editor' } });
$w = visitor();
through($w, '/auth/provider/es', 'dan');
is $api->call(GET => "/v1/artifacts/$shared", { token => token_of('dan@example.org') })->{json}{artifact}{role}, 'editor',
	'what was shared with an address is there at the first sign-in';
configure(allowed_domains => 'example.com example.net');
$r = through(visitor(), '/auth/provider/rs', 'zoe');
is $r->{status}, 403, 'a domain that gets no accounts';
is through(visitor(), '/auth/provider/rs', 'ann')->{status}, 200, 'who has one, has it';
configure();

# ---- linking

my $cat = visitor();
$cat->sign_in('cat@example.org', 'the password');
is visitor()->send(GET => '/auth/provider/rs?link=1')->{status}, 303, 'only who is signed in links';
$r = through($cat, '/auth/provider/rs?link=1', 'cat');
like $r->{text}, qr/Link Rs\?.*cat\@example\.org/s, 'both proven, the person is asked';
unlike $r->{text}, qr/role="alert"/;
my ($sealed) = $r->{text} =~ /name="sealed" value="([^"]+)"/;
my $ann = visitor();
through($ann, '/auth/provider/rs', 'ann');
is $ann->send(POST => '/auth/account/link', body => 'sealed=' . Vitrine::Visitor::escape($sealed),
	headers => { 'Content-Type' => 'application/x-www-form-urlencoded' })->{status}, 403,
	"another session's proof is none";
is $cat->submit(qr{/account/link$}, { sealed => $sealed =~ s/^./A/r eq $sealed ? "B$sealed" : $sealed =~ s/^./A/r })->{status}, 403,
	'nor a forged one';
through($cat, '/auth/provider/rs?link=1', 'cat');
$r = $cat->submit(qr{/account/link$});
like $r->{text}, qr{>\w+</span><small>cat\@example\.org, last used}, 'linked';
$w = visitor();
through($w, '/auth/provider/rs', 'cat');
is me($w), 'cat@example.org', 'and signs in';
$r = $api->call(GET => '/v1/auth/identities', { token => $stack->user('cat@example.org')->{token} })->{json}{identities};
is $api->call(DELETE => "/v1/auth/identities/$r->[0]{id}", { token => token_of('ann@example.org') })->{status}, 404, "nobody else's";

# ---- merging: ann's account becomes cat's

my $anns = $api->publish({ token => token_of('ann@example.org') }, slug => 'anns', visibility => 'private',
	files => { 'index.html' => 'anns' });
my $ann_token = token_of('ann@example.org');
$api->call(POST => "/v1/artifacts/$shared/collaborators",
	{ token => $stack->user('ben@example.org')->{token}, json => { emails => ['ann@example.org'], role => 'editor' } });
$api->call(POST => "/v1/artifacts/$shared/collaborators",
	{ token => $stack->user('ben@example.org')->{token}, json => { emails => ['cat@example.org'], role => 'viewer' } });
$api->call(POST => "/v1/artifacts/$anns/collaborators",
	{ token => $ann_token, json => { emails => ['cat@example.org'], role => 'viewer' } });
$api->call(PUT => "/v1/artifacts/$anns/favorite", { token => $ann_token });
$r = through($cat, '/auth/provider/rs?link=1', 'ann');
like $r->{text}, qr/role="alert".*ann\@example\.org/s, 'the person is told what it means';
is me($ann), 'ann@example.org', 'nothing has happened yet';
$cat->submit(qr{/account/link$});
is me($ann), 401, "the other account's sessions are over";
is $api->call(GET => '/v1/auth/me', { token => $ann_token })->{json}{email}, 'cat@example.org', 'its tokens are the one account\'s';
my $a = $api->call(GET => "/v1/artifacts/$anns", { token => $stack->user('cat@example.org')->{token} })->{json}{artifact};
is "$a->{role} " . ($a->{is_favorite} ? 1 : 0), 'owner 1', 'what was its is theirs';
is $api->call(GET => "/v1/artifacts/$shared", { token => $ann_token })->{json}{artifact}{role}, 'editor', 'the greater role';
$w = visitor();
through($w, '/auth/provider/ed', 'ann');
is me($w), 'cat@example.org', 'either way leads to the one account';
$r = $api->call(POST => "/v1/artifacts/$shared/collaborators",
	{ token => $stack->user('ben@example.org')->{token}, json => { emails => ['Ann@example.org'], role => 'viewer' } });
is $r->{json}{collaborators}[0]{email}, 'ann@example.org', 'who gives a role to the old address sees no other';
is $api->call(GET => "/v1/artifacts/$shared", { token => $ann_token })->{json}{artifact}{role}, 'viewer',
	'... which stands for the one account';
is +($stack->program('vitrinectl', {}, qw(user add ann@example.org)))[0], 1, 'and is not given away';
my $bens = $api->publish($stack->user('ben@example.org'), slug => 'bens', visibility => 'private');
$api->call(POST => '/v1/access-requests', { json => { slug => 'bens', email => 'ann@example.org' } });
$stack->runner;
my ($request) = @{$api->call(GET => '/v1/access-requests/incoming',
	{ token => $stack->user('ben@example.org')->{token} })->{json}{access_requests}};
$api->call(POST => "/v1/access-requests/$request->{id}",
	{ token => $stack->user('ben@example.org')->{token}, json => { action => 'approve' } });
is $api->call(GET => "/v1/artifacts/$bens", { token => $ann_token })->{json}{artifact}{role}, 'viewer', 'also when it asks for access';
is $api->call(POST => '/v1/publish', { token => $ann_token,
	json => { name => 'x', slug => 'anns', files => [{ path => 'index.html', content => 'again' }] } })->{status}, 201, 'the slug too';

# ---- unlinking

my ($first, $second) = map { $_->{id} } @{$api->call(GET => '/v1/auth/identities', { token => $ann_token })->{json}{identities}};
is $api->call(DELETE => "/v1/auth/identities/$second", { token => $ann_token })->{status}, 200;
$cat->go('/auth/account');
$cat->submit(qr{/identities/$first/unlink$});
unlike $cat->{page}{text}, qr{</span><small>cat}, 'unlinked';
$r = through(visitor(), '/auth/provider/rs', 'cat');
is $r->{status}, 403, 'which no longer signs in';
my ($last) = map { $_->{id} } @{$api->call(GET => '/v1/auth/identities',
	{ token => $stack->user('ben@example.org')->{token} })->{json}{identities}};
is $api->call(DELETE => "/v1/auth/identities/$last", { token => $stack->user('ben@example.org')->{token} })->{json}{code}, 'CONFLICT',
	'the last way in stays';

unlike Vitrine::Stack::slurp("$stack->{dir}/worker.log"), qr/client secret of|idp_[0-9A-Za-z]{20}|eyJ/, 'no secret and no token in the log';
Vitrine::Stack::spew("$folder/Bad Name.yaml", "title: x\nissuer: https://x.example\nclient_id: y\n");
like +($stack->program('vitrinectl', {}, qw(config check)))[2], qr/Bad Name\.yaml: the file name/,
	'a provider that is misconfigured is named';
unlink "$folder/Bad Name.yaml";
for my $domain ('pages.vitrine.localhost', 'vitrine.localhost') {
	Vitrine::Stack::spew("$stack->{dir}/other.yaml",
		Vitrine::Stack::slurp("$stack->{dir}/vitrine.yaml") =~ s/^content_domain: .*/content_domain: $domain/mr);
	my ($status, undef, $err) = $stack->program('vitrinectl', { VITRINE_CONFIG => "$stack->{dir}/other.yaml" }, qw(config check));
	like "$status $err", qr/^78 .*content_domain: $domain must be on a different registrable domain/s,
		"published pages may not stand on $domain";
}
finish($stack);
