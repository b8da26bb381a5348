# SPDX-License-Identifier: Apache-2.0
# Tokens of a workspace's agents: made once, told by their last characters, replaced, ended; what an agent may do and where.
use Vitrine::Words qw(as refused);

my ($stack, $api, $db) = stack();
my ($ann, $ben, $cat, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben cat eve);
sub workspace { my ($who, $name) = @_; return as($who, POST => '/v1/workspaces', { name => $name })->{json}{workspace}{id} }
sub join_as { $stack->seat(@_) }
my ($ws, $other) = map { workspace($ann, $_) } qw(Team Other);
join_as($ws, $ben, 'admin');
join_as($ws, $cat, 'member');
my $path = "/v1/workspaces/$ws/agent-tokens";

# ---- made

my $r = as($ben, POST => $path, { name => 'Nightly build', scopes => ['artifacts:publish', 'artifacts:read'] });
is $r->{status}, 201, 'an admin makes one' or diag $r->{body};
my ($token, $t) = @{$r->{json}}{qw(token agent_token)};
like $token, qr/^sot_[0-9A-Za-z]{49}$/, 'the token';
is $r->{json}{shown_once}, $true, 'which is shown once';
is_deeply $t,
	{ id => $t->{id}, principal_id => $t->{principal_id}, name => 'Nightly build', scopes => ['artifacts:read', 'artifacts:publish'],
		opens_to => undef, created_by => { user_id => $ben->{id}, name => '', email => 'ben@example.org', kind => 'person' },
		created_at => $t->{created_at}, expires_at => undef, last_used_at => undef, revoked_at => undef,
		hint => substr($token, -4) }, 'and all else of it';
is_deeply as($ann, GET => $path)->{json}, { success => $true, agent_tokens => [$t], next_cursor => undef }, 'the list has no token';
is $db->selectrow_array('SELECT people FROM workspace WHERE id = ?', undef, $ws), 3, 'an agent takes no seat';
refused(as($ann, POST => $path, $_), '400 INVALID_REQUEST', 'a body that is wrong: ' . encode_json($_))
	for { name => 'x', scopes => ['data:read', 'data:read'] }, { name => 'x', scopes => ['data:read'], expires_at => 1 },
		{ name => 'x', scopes => ['data:read'], expires_at => time + 6 * 365 * 86400 };
refused(as($cat, $_->[0] => $_->[1], $_->[2]), '403 ACCESS_DENIED', "a member: $_->[0] $_->[1]") for [GET => $path],
	[POST => $path, { name => 'x', scopes => ['data:read'] }], [POST => "$path/$t->{id}/rotate"], [DELETE => "$path/$t->{id}"];

# ---- what the agent is

my $agent = { token => $token };
my $me = as($agent, GET => '/v1/auth/me')->{json};
is $me->{expires_at}, undef, 'it does not expire';
is_deeply { map { $_ => $me->{$_} } qw(kind user_id email name workspace_id scopes token_id) },
	{ kind => 'agent', user_id => $t->{principal_id}, email => undef, name => 'Nightly build', workspace_id => $ws,
		scopes => $t->{scopes}, token_id => $t->{id} }, 'who it is';
sub publish {
	my ($who, %o) = @_;
	return as($who, POST => '/v1/publish', { name => 'P', files => [{ path => 'index.html', content => 'x' }], %o });
}
$r = publish($agent, slug => 'nightly');
is $r->{status}, 201, 'it publishes' or diag $r->{body};
my $art = $r->{json}{artifact}{id};
my $a = as($agent, GET => "/v1/artifacts/$art")->{json}{artifact};
is "$a->{workspace_id} $a->{role} $a->{visibility}", "$ws owner private", 'in its workspace, as the owner';
is as($cat, GET => "/v1/artifacts/$art")->{json}{artifact}{role}, 'viewer', 'members see it';
is as($ben, GET => "/v1/artifacts/$art")->{json}{artifact}{role}, 'editor', 'admins edit what agents own';
refused(publish($agent, workspace_id => $other), '404 NOT_FOUND', 'not in another workspace');
my $cats = publish($cat, slug => 'cats', workspace_id => $ws)->{json}{artifact}{id};
is as($agent, GET => "/v1/artifacts/$cats")->{json}{artifact}{role}, 'viewer', 'it reads what members do';
as($ann, PATCH => "/v1/workspaces/$ws", { settings => { member_access => 'editor' } });
is as($agent, GET => "/v1/artifacts/$cats")->{json}{artifact}{role}, 'viewer', '... and edits nothing of theirs';
as($ann, PATCH => "/v1/workspaces/$ws", { settings => { member_access => 'none' } });
refused(as($agent, GET => "/v1/artifacts/$cats"), '404 NOT_FOUND', '... and no more than members');
my $own = $api->publish($ann, slug => 'own', visibility => 'private');
refused(as($agent, GET => "/v1/artifacts/$own"), '404 NOT_FOUND', 'what is no workspace\'s is not its business');
my $open = $api->publish($ann, slug => 'open', visibility => 'public');
is as($agent, GET => "/v1/artifacts/$open")->{status}, 200, 'what is public, anybody\'s';
refused(as($agent, GET => "/v1/data/$art/tables"), '403 INSUFFICIENT_SCOPE', 'a scope that it lacks');
refused(as($agent, $_->[0] => $_->[1], $_->[2]), '403 INSUFFICIENT_SCOPE', "not for programs with scopes: $_->[0] $_->[1]")
	for [POST => '/v1/workspaces', { name => 'x' }], [PATCH => "/v1/workspaces/$ws", { name => 'x' }], [GET => $path],
		[POST => $path, { name => 'x', scopes => ['data:read'] }];
refused(as($agent, POST => '/v1/access-requests', { artifact_id => $own }), '409 CONFLICT', 'without an address, it asks for no access');
is as($agent, GET => "/v1/workspaces/$ws")->{json}{workspace}{role}, 'agent', 'it sees its workspace';
is_deeply [map { $_->{id} } @{as($agent, GET => '/v1/workspaces')->{json}{workspaces}}], [$ws], 'and no other';
is as($ann, GET => $path)->{json}{agent_tokens}[0]{last_used_at} > 0, 1, 'its use is noted';

# ---- replaced, ended

$r = as($ann, POST => "$path/$t->{id}/rotate");
is $r->{status}, 200, 'another token for the same agent' or diag $r->{body};
my $new = { token => $r->{json}{token} };
is_deeply [@{$r->{json}{agent_token}}{qw(id principal_id hint)}], [$t->{id}, $t->{principal_id}, substr $new->{token}, -4],
	'which is the same';
refused(as($agent, GET => '/v1/auth/me'), '401 UNAUTHENTICATED', 'the one it had has ended');
is as($new, GET => "/v1/artifacts/$art")->{json}{artifact}{role}, 'owner', 'the new one is as good';
is as($ben, DELETE => "$path/$t->{id}")->{status}, 200, 'ended';
is as($ben, DELETE => "$path/$t->{id}")->{status}, 200, 'twice';
refused(as($new, GET => '/v1/auth/me'), '401 TOKEN_REVOKED', 'at once');
refused(as($ann, POST => "$path/$t->{id}/rotate"), '409 CONFLICT', 'what has ended is not replaced');
is as($ann, GET => "/v1/artifacts/$art")->{status}, 200, 'what it published stays';
like as($ann, GET => $path)->{json}{agent_tokens}[0]{revoked_at}, qr/^\d+$/, 'the list tells when';
$r = as($ann, POST => $path, { name => 'Short', scopes => ['artifacts:read'], expires_at => time + 3600 });
my $short = { token => $r->{json}{token} };
is as($short, GET => '/v1/auth/me')->{json}{expires_at}, $r->{json}{agent_token}{expires_at}, 'until it expires';
$db->do('UPDATE token SET expires_at = UNIX_TIMESTAMP() WHERE id = ?', undef, $r->{json}{agent_token}{id});
refused(as($short, GET => '/v1/auth/me'), '401 TOKEN_EXPIRED', 'and no longer');
my @audit = map { $_->[0] } @{$db
	->selectall_arrayref("SELECT action FROM audit WHERE workspace_id = ? AND target_type = 'agent_token' ORDER BY id", undef, $ws)};
is "@audit", 'agent_token.created agent_token.rotated agent_token.revoked agent_token.created', 'what was done is written down, once each';
is $db->selectrow_array('SELECT COUNT(*) FROM audit WHERE after_it LIKE ? OR before_it LIKE ?', undef, '%sot_%', '%sot_%'), 0,
	'... without a token';

# ---- as many as the plan has, at once too

my @said = Vitrine::Api::together($stack, 8, sub {
	my ($mine) = @_;
	my $r = $mine->call(POST => "/v1/workspaces/$other/agent-tokens",
		{ token => $ann->{token}, json => { name => 'Many', scopes => ['data:read'] } });
	"$r->{status} " . ($r->{json}{code} // '');
});
my %count;
$count{$_}++ for @said;
is_deeply \%count, { '201 ' => 5, '409 LIMIT_REACHED' => 3 }, 'five with the free plan';
is_deeply as($ann, POST => "/v1/workspaces/$other/agent-tokens", { name => 'x', scopes => ['data:read'] })->{json}{details}, { limit => 5 },
	'and the refusal says how many';
$stack->ctl(qw(workspace plan), $other, 'enterprise');
is as($ann, POST => "/v1/workspaces/$other/agent-tokens", { name => 'x', scopes => ['data:read'] })->{status}, 201,
	'more with a plan that has no such limit';
as($ann, DELETE => "/v1/workspaces/$other");
as($ann, POST => "/v1/workspaces/$other/restore");
is $db->selectrow_array('SELECT COUNT(*) FROM token WHERE workspace_id = ? AND revoked_at IS NULL', undef, $other), 0,
	'a workspace that is deleted ends them for good';
my $users = $stack->ctl(qw(user list));
like $users, qr/^usr_\w+  \S+  Nightly build \(agent\)$/m, 'vitrinectl lists agents by their names';
unlike $users, qr/\(null\)/, '... though they have no address';
finish($stack);
