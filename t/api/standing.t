# SPDX-License-Identifier: Apache-2.0
# Standing approvals: who grants, sees, and ends them, for which agent, until when. t/flow/nightly.t shows what they do.
use Vitrine::Words qw(as said refused);
use Vitrine::Smtp;
use Vitrine::World;

my $smtp = Vitrine::Smtp->new;
my ($stack, $api, $db) = stack(%{{$smtp->conf}});
my $world = Vitrine::World->new($stack);
my %user = map { $_ => $stack->user("$_\@example.org") } qw(own adm edi vie mem str);
my $ws = as('own', POST => '/v1/workspaces', { name => 'Team' })->{json}{workspace}{id};
$stack->seat($ws, $user{adm}, 'admin');
$stack->seat($ws, $user{$_}, 'member') for qw(edi vie mem);
my $art = $api->publish($user{own}, name => 'Report', visibility => 'unlisted', workspace_id => $ws);
as('own', POST => "/v1/artifacts/$art/collaborators", { emails => ['edi@example.org'], role => 'editor' });
my $path = "/v1/artifacts/$art/standing-approvals";
my $day = 86400;
my $now = time;

my %grant = map { $_ => $world->make('ogr', user => $user{$_}{id}) } qw(own edi str);
my $worked = sub {
	my ($grant) = @_;
	$db->do("INSERT INTO agent_act (id, grant_id, at, what, artifact_id, request_id) "
		. "VALUES (CONCAT('act_', SUBSTR(MD5(?), 1, 26)), ?, UNIX_TIMESTAMP(), 'x', ?, 'x')", undef, $grant, $grant, $art);
};
sub add { my ($who, %in) = @_; return as($who, POST => $path, \%in) }

# ---- granting

my $r = add('own', grant_id => $grant{own});
is $r->{status}, 201, 'an owner lets an agent of theirs' or diag $r->{body};
my $s = $r->{json}{standing_approval};
is_deeply $s, { id => $s->{id}, artifact_id => $art, grant_id => $grant{own}, principal_id => undef, agent_name => 'x',
	visibility => 'unlisted', granted_by => { user_id => $user{own}{id}, name => '', email => 'own@example.org', kind => 'person' },
	created_at => $s->{created_at}, expires_at => $s->{created_at} + 90 * $day, applies => $true },
	'for 90 days, with exactly these members';
like $s->{id}, qr/^sta_[0-9a-z]{26}$/;
my $again = add('own', grant_id => $grant{own}, expires_at => $now + 365 * $day - 60)->{json}{standing_approval};
is_deeply [@$again{qw(id expires_at)}], [$s->{id}, $now + 365 * $day - 60], 'again: it is the same one, until another time';
refused(add('own', grant_id => $grant{own}, expires_at => $_), '400 INVALID_REQUEST', "until $_",
	qr/^expires_at: $_ must be in the future, at most 365 days/) for $now - 1, $now + 366 * $day;
refused(add('own', grant_id => $grant{own}, expires_at => 'tomorrow'), '400 INVALID_REQUEST', 'no time', qr/^expires_at: /);
refused(add('own'), '400 INVALID_REQUEST', 'no agent', qr/^grant_id: name one agent/);
my $bot = as('own', POST => "/v1/workspaces/$ws/agent-tokens", { name => 'Bot', scopes => ['artifacts:publish'] })->{json};
refused(add('own', grant_id => $grant{own}, principal_id => $bot->{agent_token}{principal_id}), '400 INVALID_REQUEST', 'two',
	qr/^grant_id: name one agent/);
refused(add('own', grant_id => $grant{edi}), '404 NOT_FOUND', "another's agent, which has done nothing here",
	qr/^grant_id: there is no such agent/);
refused(add('own', grant_id => 'ogr_' . '9' x 26), '404 NOT_FOUND', '... and none look alike', qr/^grant_id: there is no such agent/);
$worked->($grant{edi});
is add('own', grant_id => $grant{edi})->{status}, 201, '... one that has worked on it';
refused(add('own', principal_id => $_), '404 NOT_FOUND', 'no agent', qr/^principal_id: there is no such agent/)
	for $user{edi}{id}, 'usr_' . '9' x 26;
is add('adm', principal_id => $bot->{agent_token}{principal_id})->{status}, 201, "an admin lets the workspace's agent";
refused(add($_, principal_id => $bot->{agent_token}{principal_id}), '403 ACCESS_DENIED', $_) for qw(edi vie mem);
refused(add('str', grant_id => $grant{str}), '403 ACCESS_DENIED', 'a stranger who can open it');
$db->do('UPDATE agent_grant SET ended_at = 1 WHERE id = ?', undef, $grant{edi});
refused(add('own', grant_id => $grant{edi}), '404 NOT_FOUND', 'an agent that has ended', qr/^grant_id: /);
my $private = $api->publish($user{own}, name => 'Own', visibility => 'private');
refused(as('own', POST => "/v1/artifacts/$private/standing-approvals", { grant_id => $grant{own} }), '409 CONFLICT',
	'what nobody else sees needs none', qr/private/);
refused(as('own', POST => "/v1/artifacts/$private/standing-approvals", { principal_id => $bot->{agent_token}{principal_id} }),
	'409 CONFLICT');
is said(as('adm', POST => "/v1/artifacts/$private/standing-approvals", { grant_id => $grant{own} })), '404 NOT_FOUND',
	"another's own artifact";
is said($api->call(POST => $path, { token => $bot->{token}, json => { principal_id => $bot->{agent_token}{principal_id} } })),
	'403 INSUFFICIENT_SCOPE', 'an agent grants nothing';
is said($api->call(POST => $path, { json => { grant_id => $grant{own} } })), '401 UNAUTHENTICATED', 'nor does nobody';

# ---- seeing

my @all = map { "$_->{agent_name} by $_->{granted_by}{email}" } @{as('own', GET => $path)->{json}{standing_approvals}};
is_deeply \@all, ['Bot by adm@example.org', 'x by own@example.org'], 'the latest first, without the agent that has ended';
is scalar @{as($_, GET => $path)->{json}{standing_approvals}}, 2, "$_ sees them" for qw(adm edi);
is said(as('mem', GET => $path)), '403 ACCESS_DENIED', 'a member does not';
is said(as('str', GET => $path)), '403 ACCESS_DENIED', 'nor a stranger';
$r = as('own', GET => "$path?limit=1")->{json};
is_deeply [map { $_->{agent_name} } @{$r->{standing_approvals}},
	@{as('own', GET => "$path?limit=1&cursor=$r->{next_cursor}")->{json}{standing_approvals}}], [qw(Bot x)], 'in parts';
as('own', PATCH => "/v1/workspaces/$ws/members/$user{adm}{id}", { role => 'member' });
is_deeply [map { $_->{applies} } @{as('own', GET => $path)->{json}{standing_approvals}}], [$false, $true],
	"what one who is no admin any more has granted doesn't apply";
as('own', PATCH => "/v1/workspaces/$ws/members/$user{adm}{id}", { role => 'admin' });
as('own', PATCH => "/v1/artifacts/$art", { visibility => $_->[0] }), is as('own', GET => $path)->{json}{standing_approvals}[0]{applies},
	$_->[1], "while the artifact is $_->[0]" for [public => $false], [private => $false], [unlisted => $true];

# ---- ending

my ($bots) = grep { $_->{principal_id} } @{as('own', GET => $path)->{json}{standing_approvals}};
refused(as($_, DELETE => "$path/$bots->{id}"), '403 ACCESS_DENIED', "$_ ends none") for qw(edi mem);
is said(as('own', DELETE => "/v1/artifacts/$private/standing-approvals/$bots->{id}")), '404 NOT_FOUND', 'of another artifact there is none';
is as('own', DELETE => "$path/$bots->{id}")->{status}, 200, 'the owner ends what an admin granted';
is said(as('own', DELETE => "$path/$bots->{id}")), '404 NOT_FOUND', 'once';
is as('adm', DELETE => "$path/$s->{id}")->{status}, 200, 'and an admin what the owner did';
is_deeply as('own', GET => $path)->{json}, { success => $true, standing_approvals => [], next_cursor => undef }, 'none is left';
$stack->runner;
my @mail = map { ($_->{headers}{to} =~ /(\w+)@/)[0] . ': ' . $_->{headers}{subject} }
	grep { $_->{headers}{subject} =~ /refresh/ } $smtp->mails;
is_deeply [sort @mail], ['adm: Bot no longer refreshes Report', 'own: adm@example.org lets Bot refresh Report',
	'own: x no longer refreshes Report'], 'who it concerns is told' or diag explain \@mail;
is_deeply $db->selectcol_arrayref("SELECT action FROM audit WHERE workspace_id = ? AND action LIKE 'standing%' ORDER BY id", undef, $ws),
	[('standing.granted') x 4, ('standing.ended') x 2], 'and it is written down';

# ---- with an approval

as('own', PATCH => "/v1/workspaces/$ws/publish-policy", { policy => 'require_approval' });
as('edi', POST => '/v1/publish', { artifact_id => $art, files => [{ path => 'index.html', content => 'by a person' }] });
my $ask = as('edi', POST => "/v1/artifacts/$art/publish-approval", { visibility => 'public' })->{json}{approval}{id};
my $decide = sub { return as('adm', POST => "/v1/artifacts/$art/publish-approval/$ask/decision", { @_ }) };
refused($decide->(decision => 'approve', refresh_until => $now + $day), '400 INVALID_REQUEST', 'a version by a person',
	qr/^refresh_until: no agent published version 2/);
refused($decide->(decision => 'reject', refresh_until => $now + $day), '400 INVALID_REQUEST', 'with a rejection',
	qr/^refresh_until: is for decision approve/);
is $db->selectrow_array('SELECT status FROM approval WHERE id = ?', undef, $ask), 'pending', '... and nothing is decided';
finish($stack);
