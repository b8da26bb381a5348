# SPDX-License-Identifier: Apache-2.0
# Whom a workspace lets in: domains and addresses, and what holds for those whom it does not name.
use utf8;
use Vitrine::Words qw(as refused);

my ($stack, $api, $db) = stack();
my ($ann, $ben, $eve) = map { $stack->user("$_\@acme.example") } qw(ann ben eve);
my ($cat, $dan) = ($stack->user('cat@other.example'), $stack->user('dan@sub.acme.example'));
my $ws = as($ann, POST => '/v1/workspaces', { name => 'Team' })->{json}{workspace}{id};
$stack->seat($ws, $ben, 'member');
my $path = "/v1/workspaces/$ws/access-policy";

is_deeply as($ben, GET => $path)->{json}, { success => $true, allowed_domains => [], allowed_emails => [] }, 'none: members read it';
my $art = as($ann, POST => '/v1/publish',
	{ name => 'P', slug => 'plans', workspace_id => $ws, files => [{ path => 'index.html', content => 'x' }] })->{json}{artifact}{id};
my $open = as($ann, POST => '/v1/publish', { name => 'O', slug => 'open', visibility => 'public', workspace_id => $ws,
	files => [{ path => 'index.html', content => 'x' }] })->{json}{artifact}{id};
sub invite { my (@who) = @_; return as($ann, POST => "/v1/artifacts/$art/collaborators", { emails => [@who], role => 'editor' }) }
is invite('cat@other.example')->{status}, 200, 'without it anybody is a collaborator';
is as($cat, GET => "/v1/artifacts/$art")->{json}{artifact}{role}, 'editor', 'and sees the private page';

my $r = as($ann, PUT => $path, { allowed_domains => ['ACME.example', 'acme.example.', 'bücher.example', 'XN--Bcher-kva.example'],
	allowed_emails => ['Guest@Else.example'] });
is_deeply $r->{json}, { success => $true, allowed_domains => ['acme.example', 'xn--bcher-kva.example'],
	allowed_emails => ['guest@else.example'] }, 'folded, each once' or diag $r->{body};
is_deeply as($eve, GET => '/v1/workspaces/by-slug/team')->{json}{workspace}, { id => $ws, name => 'Team', slug => 'team', logo_url => undef,
	can_join => $true }, 'whom it names finds it by its slug, and no more of it';
refused(as($eve, GET => "/v1/workspaces/$ws"), '404 NOT_FOUND', '... by its id nothing');
refused(as($cat, GET => '/v1/workspaces/by-slug/team'), '404 NOT_FOUND', 'others find nothing');
{
	# A token that an admin of another workspace made for her, to act there only.
	my $other = as($cat, POST => '/v1/workspaces', { name => 'Other' })->{json}{workspace}{id};
	$stack->seat($other, $eve, 'member');
	my $confined = { token => as($cat, POST => "/v1/workspaces/$other/members/$eve->{id}/tokens", { name => 'build' })->{json}{token} };
	is as($confined, GET => "/v1/workspaces/$other")->{status}, 200, 'a token that is confined to a workspace reads that';
	refused(as($confined, GET => '/v1/workspaces/by-slug/team'), '404 NOT_FOUND', '... and finds no other that its person may join');
	isnt as($confined, POST => "/v1/workspaces/$ws/members", {})->{status}, 201, '... nor joins it';
	is $db->selectrow_array('SELECT COUNT(*) FROM member WHERE workspace_id = ? AND user_id = ?', undef, $ws, $eve->{id}), 0,
		'... so nobody is in it';
}
refused(as($cat, GET => "/v1/artifacts/$art"), '404 NOT_FOUND', 'whom it does not name sees the private page no longer');
is as($cat, GET => "/v1/artifacts/$open")->{json}{artifact}{role}, undef, 'and is nobody on an open one';
is as($ben, GET => "/v1/artifacts/$art")->{json}{artifact}{role}, 'viewer', 'members do';
refused(invite($_), '403 ACCESS_DENIED', "$_ is not let in") for 'cat@other.example', 'dan@sub.acme.example', 'new@gmail.com';
refused(invite('eve@acme.example', 'new@gmail.com'), '403 ACCESS_DENIED', 'nor are those named beside one');
refused(as($eve, GET => "/v1/artifacts/$art"), '404 NOT_FOUND', '... nobody of them');
is invite('eve@acme.example', 'guest@else.example')->{status}, 200, 'whom it names is';
is as($eve, GET => "/v1/artifacts/$art")->{json}{artifact}{role}, 'editor', 'and sees it';
$db->do('UPDATE user SET email = ? WHERE id = ?', undef, 'eve@left.example', $eve->{id});
refused(as($eve, GET => "/v1/artifacts/$art"), '404 NOT_FOUND', 'judged at each request: another address');
$db->do('UPDATE user SET email = ? WHERE id = ?', undef, 'eve@acme.example', $eve->{id});
is as($ann, PUT => $path, {})->{status}, 200, 'taken away';
is as($cat, GET => "/v1/artifacts/$art")->{json}{artifact}{role}, 'editor', 'all are back';

refused(as($ann, PUT => $path, $_), '400 INVALID_REQUEST', 'no policy: ' . Cpanel::JSON::XS->new->canonical->encode($_))
	for { allowed_domains => ['gmail.com'] }, { allowed_domains => ['Gmail.COM.'] }, { allowed_domains => ['ｇmail.com'] },
	{ allowed_domains => ['co.uk'] }, { allowed_domains => ['公司.cn'] }, { allowed_domains => ['a_b.example'] },
	{ allowed_domains => ['acme..example'] }, { allowed_domains => ['acme'] }, { allowed_domains => ['@acme.example'] },
	{ allowed_domains => ['a b.example'] },
	{ allowed_domains => ['127.0.0.1'] }, { allowed_domains => 'acme.example' }, { allowed_emails => ['acme.example'] },
	{ allowed_emails => [1] }, { allowed_domains => [map { "d$_.example" } 1 .. 101] },
	{ allowed_emails => [map { "u$_\@x.example" } 1 .. 1001] };
is_deeply as($ann, GET => $path)->{json}{allowed_domains}, [], 'what was refused changed nothing';
is as($ann, PUT => $path, { allowed_emails => [map { "u$_\@x.example" } 1 .. 1000] })->{status}, 200, 'a thousand addresses';
refused(as($ben, PUT => $path, {}), '403 ACCESS_DENIED', 'a member may not change it');
refused(as(undef, GET => $path), '401 UNAUTHENTICATED', 'nobody');
my ($before, $after) = $db->selectrow_array("SELECT before_it, after_it FROM audit WHERE workspace_id = ? "
	. "AND action = 'access_policy.changed' ORDER BY id LIMIT 1", undef, $ws);
is_deeply [map { decode_json($_)->{allowed_emails} } $before, $after], [[], ['guest@else.example']], 'what was changed is written down';
finish($stack);
