# SPDX-License-Identifier: Apache-2.0
# Connecting a service by OAuth 2 at a real provider: everybody's and each member's; what a state is good for; tokens that are renewed.
use Vitrine::Jobs;
use Vitrine::Provider;
use Vitrine::Smtp;
use Vitrine::Visitor;
use Vitrine::Words qw(as said refused);

my $folder = File::Temp::tempdir('vitrine-connections-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $smtp = Vitrine::Smtp->new;
my ($stack, $api, $db) = stack(workers => 2, connections_dir => $folder, $smtp->conf);
my $idp = Vitrine::Provider->new($stack->{tls}, "https://vitrine.localhost:$stack->{port}/auth/callback");
sub restart { $stack->write_conf; $stack->stop_one('worker'); $stack->start_worker }
my ($ann, $bea, $cat, $dan) = map { $stack->user("$_\@example.org") } qw(ann bea cat dan);
my ($w1, $w2) = map { as($ann, POST => '/v1/workspaces', { name => $_ })->{json}{workspace}{id} } qw(North South);
is as($ann, POST => "/v1/workspaces/$w1/members", { email => "$_->[0]\@example.org", role => $_->[1] })->{status}, 201
	for ['bea', 'admin'], ['cat', 'member'];
$stack->ctl_in("the password\n", 'user', 'password', "$_\@example.org") for qw(ann bea cat);
# A browser in which somebody is signed in, and what it says of an address of ours or of the provider's way back.
sub browser { my ($name) = @_; my $v = Vitrine::Visitor->new($api); $v->sign_in("$name\@example.org", 'the password'); return $v }
sub back { return $_[0] =~ s{^https://vitrine\.localhost:\d+}{}r }
sub at { my ($con) = @_; return "/v1/workspaces/$w1/connections" . ($con ? "/$con" : '') }
sub start {
	my ($v, $path) = @_;
	my $r = ref $v eq 'Vitrine::Visitor' ? $v->send(GET => $path) : as($v, GET => $path);
	return $api->{json}->decode($r->{body});
}
sub agreed { my ($url, $who) = @_; return back($idp->authorize($url, $who)) }
sub row { return $db->selectrow_hashref('SELECT * FROM connection WHERE id = ?', undef, $_[0]) }
sub held {
	return $db->selectrow_hashref('SELECT * FROM connection_credential WHERE connection_id = ? AND holder = ?',
		undef, $_[0], $_[1] // '');
}
# What a job of theirs asks with.
sub used {
	my ($con, $who) = @_;
	open my $out, '-|', "$stack->{build}/t/drive/connection", "$stack->{dir}/vitrine.yaml", 'use', $con, $w1, $who->{id} or die;
	local $/;
	return <$out> // '';
}

# ---- before the operator has set it up

refused(as($ann, GET => at('crm') . '/auth-url'), '409 CONFLICT', 'a service without a file', qr/crm\.yaml/);
$idp->configure_connection($folder);
$stack->{conf}{egress_allow} = "127.0.0.1:$idp->{port}";
restart();

# ---- everybody's

my $v = browser('bea');
my $s = start($v, at('crm') . '/auth-url');
is_deeply [sort keys %$s], [qw(expires_at success url)];
cmp_ok abs($s->{expires_at} - time - 600), '<', 60, 'ten minutes';
like $s->{url},
	qr{^\Q$idp->{issuer}\E/auth\?prompt=consent&response_type=code&client_id=client-crm&redirect_uri=\S+%2Fv1%2Foauth%2Fcrm%2Fcallback&scope=\S+&state=[\w-]{43}&code_challenge=[\w-]{43}&code_challenge_method=S256$},
	'code flow, PKCE, and what the operator wants besides';
my $answer = agreed($s->{url}, 'acme');
my $r = $v->send(GET => $answer);
my ($con) = ($r->{headers}{location} // '') =~ m{^/w/$w1/connections/(con_\w+)\?done=connected$};
is $r->{status}, 303, 'on to the page of the connection' or diag $r->{body};
is_deeply [@{row($con)}{qw(workspace_id provider kind name auth_mode remote_account created_by)}],
	[$w1, 'crm', 'oauth2', 'CRM', 'shared', 'acme', $bea->{id}], 'made';
my $shown = as($bea, GET => at($con))->{json}{connection};
is_deeply [@$shown{qw(status my_credentials)}], ['active', $true];
like used($con, $cat), qr{^\Q$idp->{issuer}\E\nAuthorization: Bearer [\w-]+$}, 'a job of a member gets its token';
unlike $db->selectrow_array("SELECT GROUP_CONCAT(COALESCE(after_it, '')) FROM audit"), qr/Bearer|token/i, 'nothing secret in the audit';
is $db->selectrow_array("SELECT COUNT(*) FROM audit WHERE action = 'connection.connected' AND target_id = ?", undef, $con), 1;

$answer = agreed(start($v, at('crm') . '/auth-url')->{url}, 'acme');
is $v->send(GET => $answer)->{headers}{location}, "/w/$w1/connections/$con?done=connected", 'the same account again is the same connection';
is $v->send(GET => agreed(start($v, at('crm') . '/auth-url')->{url}, 'other'))->{status}, 303;
is_deeply $db->selectcol_arrayref('SELECT name FROM connection ORDER BY name'), ['CRM', 'CRM (other)'], 'another account is another';
$r = $v->send(GET => agreed(start($v, at('crm') . "/auth-url?connection_id=$con")->{url}, 'other'));
is $r->{status}, 409, 'nor does one become that of another account';
like $r->{body}, qr/another account/;

# ---- what a state is good for

sub state_fails {
	my ($name, $v, $answer) = @_;
	my $r = $v->send(GET => $answer);
	is $r->{status}, 400, "$name: refused";
	like $r->{body}, qr/expired, was used already, or was begun elsewhere/, '... in words';
}
my $n = $db->selectrow_array('SELECT COUNT(*) FROM connection');
my $codes = $idp->grants('authorization_code');
state_fails('twice', $v, $answer);
state_fails('none', $v, '/v1/oauth/crm/callback?code=x');
state_fails('forged', $v, '/v1/oauth/crm/callback?code=x&state=' . 'A' x 43);
state_fails("another provider's", $v, agreed(start($v, at('crm') . '/auth-url')->{url}, 'acme') =~ s{oauth/crm}{oauth/chat_a}r);
$answer = agreed(start($v, at('crm') . '/auth-url')->{url}, 'acme');
state_fails("somebody else's", browser('ann'), $answer);
state_fails('of another browser', browser('bea'), $answer);
$db->do('UPDATE connection_state SET expires_at = UNIX_TIMESTAMP() - 1');
state_fails('expired', $v, $answer);
is $idp->grants('authorization_code'), $codes, 'nobody was asked for it';
$answer = agreed(start($v, at('crm') . '/auth-url')->{url}, 'acme');
like(Vitrine::Visitor->new($api)->send(GET => $answer)->{headers}{location}, qr{^/auth/signin\?next=%2Fv1%2Foauth},
	'nobody: to the sign-in page first');
$db->do('UPDATE connection_state SET workspace_id = ?', undef, $w2);
is $v->send(GET => $answer)->{status}, 404, 'one of another workspace opens nothing there';
$answer = agreed(start($v, at('crm') . '/auth-url')->{url}, 'acme');
as($ann, PATCH => "/v1/workspaces/$w1/members/$bea->{id}", { role => 'member' });
is $v->send(GET => $answer)->{status}, 403, 'the role is judged again';
as($ann, PATCH => "/v1/workspaces/$w1/members/$bea->{id}", { role => 'admin' });
$r = $v->send(GET => '/v1/oauth/crm/callback?error=access_denied&state='
	. (start($v, at('crm') . '/auth-url')->{url} =~ /state=([\w-]+)/)[0]);
is $r->{status}, 400;
like $r->{body}, qr/Nothing has changed/, 'who says no is told so';
is $db->selectrow_array('SELECT COUNT(*) FROM connection'), $n, 'and there is none more';
my $t = start($bea, at('crm') . '/auth-url');
is browser('bea')->send(GET => agreed($t->{url}, 'acme'))->{status}, 303, "begun with a token, ended in a browser of the token's person";
state_fails('begun with a token, ended by another', browser('ann'), agreed(start($bea, at('crm') . '/auth-url')->{url}, 'acme'));
for (['html', 502], ['down', 502]) {
	$answer = agreed(start($v, at('crm') . '/auth-url')->{url}, 'acme');
	$idp->mode($_->[0]);
	is $v->send(GET => $answer)->{status}, $_->[1], "a provider that says $_->[0]";
	$idp->mode('');
}
$answer = agreed(start($v, at('crm') . '/auth-url')->{url}, 'acme');
is $v->send(GET => $answer =~ s/code=[^&]*/code=stolen/r)->{status}, 400, 'a code that the provider does not know';
refused(as($cat, GET => at('crm') . '/auth-url'), '403 ACCESS_DENIED', 'a member connects nothing for all');
refused(as($dan, GET => at('crm') . '/auth-url'), '404 NOT_FOUND', 'a stranger sees no workspace');
refused(as($ann, GET => "/v1/workspaces/$w2/connections/crm/auth-url?connection_id=$con"), '404 NOT_FOUND',
	"another workspace's connection");
refused(as($bea, GET => at($con) . '/my-credentials/auth-url'), '409 CONFLICT', 'own ones of what everybody shares');

# ---- each member's

my ($status, $out) = $stack->client($ann->{token}, qw(connections connect crm --workspace), $w1);
like $out, qr{^\Q$idp->{issuer}\E/auth\?\S+\n$}, 'the client prints the address';
(undef, $out) = $stack->client($bea->{token}, qw(connections new), 'Own accounts', qw(--provider crm --member --workspace), $w1);
my ($own) = $out =~ /^(con_\w+)$/;
(undef, $out) = $stack->client($cat->{token}, qw(connections credentials), $own, qw(--sign-in --workspace), $w1);
like $out, qr{^\Q$idp->{issuer}\E/auth\?\S+\n$}, 'and that for oneself';
like used($own, $cat), qr/^! .*hasn't given/, 'nobody has connected it for them';
my $c = browser('cat');
is $c->send(GET => agreed(start($c, at($own) . '/my-credentials/auth-url')->{url}, 'cats'))->{headers}{location},
	"/w/$w1/connections/$own?done=connected";
is_deeply as($cat, GET => at($own) . '/my-credentials')->{json}{connected}, $true, 'a member connects their own';
is_deeply as($bea, GET => at($own) . '/my-credentials')->{json}{connected}, $false, 'and nobody else has it';
like used($own, $cat), qr/^Authorization: Bearer/m, 'for their jobs';
like used($own, $bea), qr/^! .*hasn't given/, '... alone';
is row($own)->{remote_account}, undef;
$answer = agreed(start($c, at($own) . '/my-credentials/auth-url')->{url}, 'cats');
as($ann, DELETE => "/v1/workspaces/$w1/members/$cat->{id}");
state_fails('of who has left', $c, $answer);
is held($own, $cat->{id}), undef, 'and what they had is gone';

# ---- renewal

my $before = used($con, $bea);
is used($con, $bea), $before, 'a good token is used again';
$db->do('UPDATE connection_credential SET expires_at = 1 WHERE connection_id = ?', undef, $con);
my @got = Vitrine::Api::together($stack, 20, sub { return used($con, $bea) });
is_deeply [grep { $_ ne $got[0] } @got], [], '20 at once get the same';
like $got[0], qr/^Authorization: Bearer/m;
isnt $got[0], $before, '... and a new one';
is $idp->grants('refresh_token'), 1, 'by one exchange';
ok !held($con)->{lease_until}, 'no lease is left';
$db->do('UPDATE connection_credential SET expires_at = 1, lease_until = UNIX_TIMESTAMP() - 1 WHERE connection_id = ?', undef, $con);
isnt used($con, $bea), $got[0], 'a lease of who has died ends, and the next refresh token is the new one';
is $idp->grants('refresh_token'), 2;

$db->do('UPDATE connection_credential SET expires_at = 1 WHERE connection_id = ?', undef, $con);
$idp->mode('busy');
like used($con, $bea), qr/^! CRM was asked too often.*\n90$/, 'a 429 is a try later';
$idp->mode('');
like used($con, $bea), qr/^! the sign-in of CRM.*\n[89]\d$/, 'and until then nobody asks';
$db->do('UPDATE connection_credential SET lease_until = NULL');
$idp->mode('down');
like used($con, $bea), qr/^! CRM can't be reached/, 'no answer is another try';
$idp->mode('html');
like used($con, $bea), qr/^! CRM didn't respond as expected/, 'nor is nonsense the end';
is held($con)->{needs_auth}, 0;
$idp->mode('forgotten');
@got = Vitrine::Api::together($stack, 5, sub { return used($con, $bea) });
is_deeply [grep { !/^! .*(?:connect it again|no longer accepted)/ } @got], [], 'a sign-in that is not accepted: in words'
	or diag explain \@got;
is as($bea, GET => at($con))->{json}{connection}{status}, 'needs_auth';
is_deeply $db->selectcol_arrayref("SELECT subject FROM outbox WHERE kind = 'mail' AND payload LIKE '%connection_ended%' ORDER BY subject"),
	['ann@example.org', 'bea@example.org'], 'the admins are mailed, each once';
$idp->mode('');
like used($con, $bea), qr/no longer accept/, 'nobody asks again';
is $v->send(GET => agreed(start($v, at('crm') . "/auth-url?connection_id=$con")->{url}, 'acme'))->{status}, 303;
like used($con, $bea), qr/^Authorization: Bearer/m, 'until it is connected again';

# ---- jobs

my $art = $api->publish($bea, slug => 'sales', workspace_id => $w1, visibility => 'private');
my $jobs = Vitrine::Jobs->new(stack => $stack, api => $api, user => $bea, art => $art);
my $job = $jobs->made(http_get => { connection_id => $con, path => 'me', save_to => 'json' },
	retry_config => { maxAttempts => 3, initialDelay => 1 });
$db->do('UPDATE connection_credential SET expires_at = 1 WHERE connection_id = ?', undef, $con);
$idp->mode('busy');
my $run = $jobs->ran($job);
is $run->{status}, 'retrying', 'a service that is asked too often' or diag explain $run;
cmp_ok abs($run->{next_attempt_at} - time - 90), '<', 30, '... is asked again when it says';
$idp->mode('');
$db->do('UPDATE connection_credential SET lease_until = NULL');
$db->do('UPDATE job_run SET due_at = 1 WHERE job_id = ?', undef, $job->{id});
$jobs->runner;
is $jobs->run_of($job, $run)->{status}, 'success', 'and gives what was wanted then';
like $db->selectrow_array('SELECT body FROM document WHERE artifact_id = ?', undef, $art) // '', qr/"sub":"acme"/, 'which is kept';

# ---- inside addresses

$stack->{conf}{egress_allow} = '"-"';
restart();
$answer = agreed(start($v, at('crm') . '/auth-url')->{url}, 'acme');
$codes = $idp->grants('authorization_code');
is $v->send(GET => $answer)->{status}, 502, 'an inside address is asked only if the operator allows it';
is $idp->grants('authorization_code'), $codes;
finish($stack);
