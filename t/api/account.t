# SPDX-License-Identifier: Apache-2.0
# Tokens: who they speak for, and when they stop.
use Digest::SHA 'sha256';
use Vitrine::Words;

my ($stack, $api) = stack();
my $ann = $stack->user('Ann@Example.org');

sub me { return $api->call(GET => '/v1/auth/me', { headers => defined $_[0] ? { Authorization => $_[0] } : {} }) }

my $r = me("Bearer $ann->{token}");
is_deeply [sort keys %{$r->{json}}], [sort qw(success kind user_id email name workspace_id scopes token_id token_name session_id expires_at
	limits storage)], 'exact keys';
is $r->{json}{email}, 'ann@example.org', 'addresses are kept in lower case';
is $r->{json}{user_id}, $ann->{id}, 'user_id';
like $ann->{token}, qr/^so_[0-9A-Za-z]{49}$/, 'the form of a token';
my ($hash) = $stack->db->selectrow_array('SELECT hash FROM token');
is $hash, sha256($ann->{token}), 'only its digest is stored';

for my $bad (undef, 'Bearer', 'Bearer ', 'Bearer so_', 'Basic YTpi', 'Bearer ' . lc $ann->{token}, 'Bearer ' . substr($ann->{token}, 0, -1),
	"Bearer $ann->{token}x", "Bearer  $ann->{token}", 'Bearer so_' . 'a' x 49) {
	$r = me($bad);
	is "$r->{status} $r->{json}{code}", '401 UNAUTHENTICATED', 'refused: ' . ($bad // 'nothing');
	like $r->{headers}{'www-authenticate'}, qr/^Bearer/, 'and says how';
}

# An agent is a subject like a person; its token is limited to scopes, and perhaps to a workspace.
{
	my $agent = 'usr_' . '0' x 26;
	$stack->db->do("INSERT INTO user (id, kind, email, name, created_at) VALUES (?, 'agent', NULL, 'Builder', 0)", undef, $agent);
	my $token = $stack->token($agent, 'sot_', id => 'tok_agent', scopes => 5, workspace_id => 'wsp_1');
	my $me = me("Bearer $token")->{json};
	is_deeply [@$me{qw(kind email name workspace_id)}, @{$me->{scopes}}],
		['agent', undef, 'Builder', 'wsp_1', 'artifacts:read', 'data:read'], 'an agent';
	is_deeply [@{me("Bearer $ann->{token}")->{json}}{qw(kind scopes workspace_id)}], ['person', undef, undef],
		'a person with all that is theirs';
	is $api->call(GET => '/v1/artifacts', { token => $token })->{status}, 200, 'it has this scope';
	my $no = $api->call(GET => '/v1/auth/tokens', { token => $token });
	is "$no->{status} $no->{json}{code}", '403 INSUFFICIENT_SCOPE', 'and not that of a person';
	$stack->db->do("UPDATE token SET scopes = 7 WHERE id = 'tok_agent'");
	$stack->db->do("INSERT INTO workspace (id, name, slug, created_at, updated_at) VALUES ('wsp_1', 'Team', 'team', 0, 0)");
	$stack->db->do("INSERT INTO member (workspace_id, user_id, role, joined_at) VALUES ('wsp_1', ?, 'agent', 0)", undef, $agent);
	my $publish = sub { $api->call(POST => '/v1/publish',
		{ token => $token, json => { name => 'B', @_, files => [{ path => 'index.html', content => 'b' }] } }) };
	my $art = $publish->()->{json}{artifact}{id};
	is $stack->db->selectrow_array('SELECT workspace_id FROM artifact WHERE id = ?', undef, $art), 'wsp_1',
		'what a confined token makes is of its workspace';
	$stack->db->do("UPDATE token SET grants_only = 1 WHERE id = 'tok_agent'");
	is $publish->()->{json}{code}, 'ACCESS_DENIED', 'a token that acts through grants only makes nothing new';
	is $publish->(artifact_id => $art)->{json}{code}, 'NOT_FOUND', 'and does not see what its user owns';
}

# What can't be an id never reaches the database.
for my $odd ('%C3%A9', 'tok_%C3%A9', 'tok_' . 'a' x 27, 'tok_' . 'U' x 26, "tok_' OR 1=1 -- ") {
	is $api->call(DELETE => "/v1/auth/tokens/" . $odd =~ s/ /%20/gr, { token => $ann->{token} })->{status}, 404, "no token: $odd";
}

# Revocation and disabling are at once, on every worker.
my $second = $stack->ctl(qw(token mint --user ann@example.org --name second));
is me("Bearer $second")->{status}, 200, 'a second token';
my $id = me("Bearer $second")->{json}{token_id};
$stack->ctl(qw(token revoke), $id, qw(--user ann@example.org));
is me("Bearer $second")->{json}{code}, 'TOKEN_REVOKED', 'revoked' for 1 .. 5;
is me("Bearer $ann->{token}")->{status}, 200, 'the other still works';
$stack->ctl(qw(user disable ann@example.org));
is me("Bearer $ann->{token}")->{status}, 401, 'a disabled person is nobody';
$stack->ctl(qw(user enable ann@example.org));
is me("Bearer $ann->{token}")->{status}, 200, 'and somebody again';
ok +($stack->db->selectrow_array('SELECT last_used_at FROM token WHERE id <> ?', undef, $id))[0] > 1e9, 'last_used_at is kept';

# Use renews a token that was not minted for a number of days.
my $short = $stack->ctl(qw(token mint --user ann@example.org --days 2 --name short));
$stack->db->do('UPDATE token SET expires_at = expires_at - 86400, last_used_at = NULL');
is me("Bearer $_")->{status}, 200, 'used' for $ann->{token}, $short;
for (1 .. 200) {
	last if 2 == $stack->db->selectrow_array('SELECT COUNT(*) FROM token WHERE last_used_at IS NOT NULL');
	select undef, undef, undef, 0.05;
}
is +($stack->db->selectrow_array("SELECT expires_at - last_used_at FROM token WHERE name = 'created by vitrinectl'"))[0], 365 * 86400,
	'a year from its last use';
ok +($stack->db->selectrow_array("SELECT expires_at - created_at FROM token WHERE name = 'short'"))[0] <= 86400, '--days is not prolonged';

$stack->db->do('UPDATE token SET expires_at = UNIX_TIMESTAMP() - 1 - 1');
is me("Bearer $ann->{token}")->{json}{code}, 'TOKEN_EXPIRED', 'expired';
unlike Vitrine::Stack::slurp("$stack->{dir}/worker.log"), qr/so_[0-9A-Za-z]{10}/, 'no token is in the log';

my ($status, $out, $err) = $stack->program('vitrinectl', {}, qw(user add ann@example.org));
is $status, 1, 'an address has one account';
like $err, qr/already has an account/, 'and says so';
($status) = $stack->program('vitrinectl', {}, qw(user add not-an-address));
is $status, 1, 'an address is an address';
finish($stack);
