# SPDX-License-Identifier: Apache-2.0
# A team from its first day to its last: made, three invited, seats full, a policy of addresses, an agent that publishes into a folder, an
# approval, public, paused, given away, somebody removed, deleted and back. After each step stands who is let in where: by token and
# browser, at each address of the page, by data and lists.
use utf8;
use Vitrine::Browser;
use Vitrine::Smtp;
use Vitrine::Visitor;
use Vitrine::Words;

my $smtp = Vitrine::Smtp->new;
my $stack = Vitrine::Stack->new($smtp->conf, grace_s => 0);
# What an operator would sell to small teams.
Vitrine::Stack::spew("$stack->{dir}/plans.yaml", <<'PLANS');
free: { name: Free, tier: free, seats_max: 2, agent_tokens: 0 }
three: { name: Three, tier: pro, seats_max: 3, agent_tokens: 2, features: subdomain }
team: { name: Team, tier: team, seats_max: 250, agent_tokens: 100, features: subdomain session_policy }
PLANS
Vitrine::Stack::spew("$stack->{dir}/vitrine.yaml",
	Vitrine::Stack::slurp("$stack->{dir}/vitrine.yaml") =~ s/^plans_file: .*/plans_file: "$stack->{dir}\/plans.yaml"/mr);
$stack->stop_one('worker');
$stack->start_worker;
my $api = Vitrine::Api->new($stack);
my $db = $stack->db;
my $app = "https://vitrine.localhost:$stack->{port}";
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben cid eve);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for keys %user;
my %visitor = map { my $v = Vitrine::Visitor->new($api); $v->sign_in("$_\@example.org", 'the password'); ($_ => $v) } keys %user;
$visitor{nobody} = Vitrine::Visitor->new($api);
sub as {
	my ($who, $method, $path, $json) = @_;
	return $api->call($method => $path, { ($user{$who} ? (token => $user{$who}{token}) : ()), (defined $json ? (json => $json) : ()) });
}
sub answers { my ($r) = @_; return join ' ', $r->{status}, $r->{json}{code} // () }
my ($ws, $art);

# ---- who is let in where

my @actors = qw(ann ben cid dora agent eve nobody);
sub host { return "https://$_[0].pages.localhost:$stack->{port}/" }
# As somebody with a browser comes there: through the wall, if that leads on.
sub let_in {
	my ($who, $name) = @_;
	my $v = $visitor{$who} or return '-';
	my $r = $v->go(host($name));
	my ($on) = $r->{status} == 200 ? () : $r->{text} =~ /href="([^"]*\/auth\/view\?to=[^"]*)"/;
	$r = $v->go(Vitrine::Visitor::unescape_html($on)) if $on && $who ne 'nobody';
	return $r->{status} == 200 && $r->{body} =~ /^edition (\d)$/ ? "e$1" : $r->{status};
}
sub listed {
	my ($who) = @_;
	my $r = as($who, GET => "/v1/artifacts?workspace_id=$ws");
	return $r->{status} != 200 ? $r->{status} : (grep { $_->{id} eq $art } @{$r->{json}{artifacts}}) ? 'yes' : 'no';
}
sub standing {
	my @rows = ([qw(who api list data app site team v1)]);
	for my $who (@actors) {
		next if $who ne 'nobody' && !$user{$who};
		my $token = $who ne 'nobody';
		push @rows, [$who, as($who, GET => "/v1/artifacts/$art")->{status}, $token ? listed($who) : '-',
			as($who, GET => "/v1/data/$art/json")->{status},
			$visitor{$who} && $token ? $visitor{$who}->go("/a/$art")->{status} : '-', map { let_in($who, $_) } 'report',
			'report--north', 'report--v1'];
	}
	return join '', map { sprintf("%-7s%-5s%-5s%-5s%-5s%-5s%-5s%-5s", @$_) =~ s/ +$//r . "\n" } @rows;
}
sub stands { my ($name, $want) = @_; my $is = standing(); is $is, $want, $name }

# ---- made, in the browser

my $ann = Vitrine::Browser->new($stack);
sub sign_in { my ($b, $who) = @_; return $b->sign_in("$who\@example.org", 'the password') }
sign_in($ann, 'ann')->go("$app/w")->fill('#name', 'Northwind')->fill('#slug', 'north')->click('form[action="/w"] button');
$ann->wait_text(qr/Workspace created/);
($ws) = $ann->url =~ m{/w/(wsp_\w+)};
$stack->ctl(qw(workspace plan north three));

# ---- three are invited, one without an account; then all seats are taken

sub letter {
	my ($to, $like) = @_;
	$stack->runner;
	my ($m) = reverse grep { $_->{headers}{to} =~ /\Q$to\E/ && $_->{headers}{subject} =~ $like } $smtp->mails;
	return $m // die "no mail to $to\n";
}
sub link_in { return letter("$_[0]", qr/invites you/)->{parts}{'text/plain'} =~ m{(\Q$app\E/auth/invite\?t=\w{43})} ? $1 : die "no link\n" }
$ann->go("$app/w/$ws/members")->fill('#emails',
	'ben@example.org,dora@example.org,hugo@elsewhere.example')->click('form[action$="/invites"] button');
$ann->wait_text(qr/2 seats are free/);
$ann->go("$app/w/$ws/members")->fill('#emails', 'ben@example.org,dora@example.org')->click('form[action$="/invites"] button');
$ann->wait_text(qr/2 invitations created/);
my $third = sub {
	return as('ann', POST => "/v1/workspaces/$ws/members/invite", { emails => ['hugo@elsewhere.example'], role => 'member' })->{status};
};
is $third->(), 409, 'the API refuses a third, too';
$stack->db->do('UPDATE workspace SET people = 0 WHERE id = ?', undef, $ws);
is $third->(), 201, '... who was invited while a seat was free';
$stack->db->do('UPDATE workspace SET people = 1 WHERE id = ?', undef, $ws);
my %link = map { $_ => link_in($_) } qw(ben@example.org dora@example.org hugo@elsewhere.example);
is as('ben', GET => "/v1/workspaces/$ws")->{status}, 404, 'who is invited is not in it';
my $ben = sign_in(Vitrine::Browser->new($stack, width => 390, height => 844), 'ben');
$ben->go($link{'ben@example.org'})->click('button[value=accept]');
$ben->wait_text(qr/You joined Northwind\./);
my $dora = Vitrine::Browser->new($stack);
$dora->go($link{'dora@example.org'})->fill('#name', 'Dora Doe')->fill('#password',
	'seven lame green herons')->click('button[value=accept]');
$dora->wait_text(qr/You joined Northwind\./);
my $hugo = Vitrine::Browser->new($stack);
$hugo->go($link{'hugo@elsewhere.example'});
$hugo->wait_text(qr/seat/i);
is $db->selectrow_array("SELECT COUNT(*) FROM user WHERE email LIKE 'hugo%'"), 0, 'who finds no seat has no account either';
is join(' ', map { "$_->{role}:$_->{email}" } @{as('ann', GET => "/v1/workspaces/$ws/members")->{json}{members}}),
	'owner:ann@example.org member:ben@example.org member:dora@example.org', 'three seats, three people';
is answers(as('ann', POST => "/v1/workspaces/$ws/members", { email => 'cid@example.org' })), '409 SEATS_FULL',
	'nor does an admin find one for somebody';
$user{dora} = { id => $db->selectrow_array("SELECT id FROM user WHERE email = 'dora\@example.org'") };
chomp($user{dora}{token} = $stack->ctl(qw(token mint --user dora@example.org)));
$visitor{dora} = Vitrine::Visitor->new($api);
$visitor{dora}->sign_in('dora@example.org', 'seven lame green herons');

# ---- by domain: who is of it joins unasked, who is not can't anymore

$ann->go("$app/w/$ws/policies")->fill('#allowed_domains', 'example.org')->click('form[action$="/access"] button');
$ann->wait_text(qr/Saved\./);
is answers(as('cid', POST => "/v1/workspaces/$ws/members", {})), '409 SEATS_FULL', 'whom the policy names joins, if there is a seat';
$stack->ctl(qw(workspace plan north team));
is answers(as('cid', POST => "/v1/workspaces/$ws/members", {})), '201', '... and there is one in a larger plan';
$hugo->go($link{'hugo@elsewhere.example'});
$hugo->fill('#name', 'Hugo')->fill('#password', 'eight lame green herons')->click('button[value=accept]')
	if $hugo->text('main') =~ /Create account/;
ok $hugo->wait_text(qr/no longer allows/), 'an invite from before is refused whom the policy does not name';
is $db->selectrow_array("SELECT COUNT(*) FROM user WHERE email LIKE 'hugo%'"), 0, '... without an account';
is answers(as('eve', POST => "/v1/workspaces/$ws/members", {})), '201', 'eve is of the domain, too';
is answers(as('ann', DELETE => "/v1/workspaces/$ws/members/$user{eve}{id}")), '200', '... and is put out';
$api->call(PUT => "/v1/workspaces/$ws/access-policy", { token => $user{ann}{token},
	json => { allowed_domains => [], allowed_emails => [map { "$_\@example.org" } qw(ann ben cid dora)] } });
is answers(as('eve', POST => "/v1/workspaces/$ws/members", {})), '404 NOT_FOUND', 'for good';

# ---- an agent publishes into a folder

$ann->go("$app/w/$ws/agents")->fill('#name', 'report-bot');
$ann->script('document.querySelectorAll("input[name=scopes]").forEach(e => e.checked = true)');
$ann->click('form[action$="/agents"] button');
$ann->wait_text(qr/Copy the agent’s token now/);
$user{agent}{token} = $ann->script('return document.querySelector("#new-token").textContent');
my $folder = as('agent', POST => "/v1/workspaces/$ws/folders", { name => 'Reports' })->{json}{folder}{id};
sub edition {
	my ($who, $n, %o) = @_;
	return as($who, POST => '/v1/publish', { name => 'Report', files => [{ path => 'index.html', content => "edition $n" }], %o });
}
my $r = edition('agent', 1, slug => 'report', folder_id => $folder, workspace_id => $ws);
is $r->{status}, 201, 'the agent publishes' or diag $r->{body};
$art = $r->{json}{artifact}{id};
is as('dora', GET => "/v1/workspaces/$ws/folders/by-path/reports")->{json}{folder}{artifact_count}, 1, 'into a folder';
as('agent', PUT => "/v1/data/$art/json", { rows => 1 });
stands('private: those who are in the workspace, at its own addresses', <<'STANDING');
who    api  list data app  site team v1
ann    200  yes  200  200  e1   404  e1
ben    200  yes  200  200  e1   404  e1
cid    200  yes  200  200  e1   404  e1
dora   200  yes  200  200  e1   404  e1
agent  200  yes  200  -    -    -    -
eve    404  404  404  404  403  403  403
nobody 404  -    404  -    404  404  404
STANDING

# ---- it asks for an approval, which somebody else gives

$ann->go("$app/w/$ws/policies")->click('input[value=require_approval]')->click('form[action$="/policies/publish"] button');
$ann->wait_text(qr/Needs 1 approval/);
is answers(as('ann', PATCH => "/v1/workspaces/$ws/members/$user{ben}{id}", { role => 'admin' })), '200', 'Ben is an admin';
$r = edition('agent', 2, artifact_id => $art, visibility => 'public');
is answers($r), '403 ACCESS_DENIED', 'an agent opens nothing' if $r->{status} != 201;
is $r->{json}{approval_required}, $true, 'what an agent publishes openly waits' if $r->{status} == 201;
is answers(as('ann', PATCH => "/v1/artifacts/$art", { visibility => 'public' })), '403 ACCESS_DENIED', 'nor does who governs the agent';
is answers(as('ann', POST => "/v1/workspaces/$ws/admin/artifacts/$art/visibility", { visibility => 'public' })), '403 APPROVAL_REQUIRED',
	'... not by governing either';
is answers(as('agent', POST => "/v1/artifacts/$art/publish-approval", { visibility => 'public' })), '403 INSUFFICIENT_SCOPE',
	'people ask for approvals' ;
is answers(as('ann', POST => "/v1/artifacts/$art/publish-approval", { visibility => 'public' })), '201', 'Ann asks for it';
$ben->go("$app/inbox");
$ben->wait_text(qr/asks to make Report public/);
stands('asked for: nothing has changed', <<'STANDING');
who    api  list data app  site team v1
ann    200  yes  200  200  e2   404  e1
ben    200  yes  200  200  e2   404  e1
cid    200  yes  200  200  e2   404  e1
dora   200  yes  200  200  e2   404  e1
agent  200  yes  200  -    -    -    -
eve    404  404  404  404  403  403  403
nobody 404  -    404  -    404  404  404
STANDING
$ben->follow('Review');
$ben->wait_text(qr/ann\@example\.org asked to make version \d public/);
$ben->click('main form button.primary');
$ben->wait_text(qr/Approved\./);
stands('approved: everybody', <<'STANDING');
who    api  list data app  site team v1
ann    200  yes  200  200  e2   404  e1
ben    200  yes  200  200  e2   404  e1
cid    200  yes  200  200  e2   404  e1
dora   200  yes  200  200  e2   404  e1
agent  200  yes  200  -    -    -    -
eve    200  404  200  403  e2   404  403
nobody 200  -    200  -    e2   404  404
STANDING
is answers(as('ann', POST => "/v1/workspaces/$ws/subdomain", { enabled => $true })), '200', 'the workspace has a host of its own';
stands('and at that address', <<'STANDING');
who    api  list data app  site team v1
ann    200  yes  200  200  e2   e2   e1
ben    200  yes  200  200  e2   e2   e1
cid    200  yes  200  200  e2   e2   e1
dora   200  yes  200  200  e2   e2   e1
agent  200  yes  200  -    -    -    -
eve    200  404  200  403  e2   e2   403
nobody 200  -    200  -    e2   e2   404
STANDING

# ---- governed

is answers(as('ben', POST => "/v1/workspaces/$ws/admin/artifacts/$art/pause", { paused => $true, reason => 'Wrong figures' })), '200',
	'an admin pauses it';
stands('paused: nobody is shown it, those who may change it know', <<'STANDING');
who    api  list data app  site team v1
ann    200  yes  200  200  403  403  403
ben    200  yes  200  200  403  403  403
cid    403  yes  403  403  403  403  403
dora   403  yes  403  403  403  403  403
agent  200  yes  200  -    -    -    -
eve    403  404  403  403  403  403  403
nobody 403  -    403  -    403  403  404
STANDING
is answers(edition('agent', 3, artifact_id => $art)), '403 ARTIFACT_PAUSED', 'its owner publishes nothing meanwhile';
$r = as('agent', GET => "/v1/artifacts/$art")->{json}{artifact};
is "$r->{paused_by}: $r->{pause_reason}", 'admin: Wrong figures', 'but is told why';
is as('cid', GET => "/v1/artifacts/$art")->{json}{artifact}{pause_reason}, undef, '... which others are not';
is answers(as('ann', POST => "/v1/workspaces/$ws/admin/artifacts/$art/pause", { paused => Cpanel::JSON::XS::false })), '200',
	'another admin ends it';
is answers(as('ben', POST => "/v1/workspaces/$ws/admin/artifacts/$art/transfer", { new_owner_id => $user{dora}{id} })), '200',
	'it is given to Dora';
is answers(as('agent', PATCH => "/v1/artifacts/$art", { name => 'Mine?' })), '403 ACCESS_DENIED',
	'the agent that made it changes it no more';
is answers(as('ann', POST => "/v1/workspaces/$ws/admin/artifacts/$art/transfer", { new_owner_id => $user{eve}{id} })),
	'400 INVALID_REQUEST', 'nobody outside gets it';
is answers(as('dora', PATCH => "/v1/artifacts/$art", { visibility => 'private' })), '200', 'she closes it, which takes nobody\'s leave';
is answers(as('dora', POST => '/v1/jobs', { artifact_id => $art, name => 'daily', action => 'webhook', schedule => '0 9 * * *',
	config => { url => 'https://example.org/' } })), '201', '... and has a job there';
stands('private again, and hers', <<'STANDING');
who    api  list data app  site team v1
ann    200  yes  200  200  e2   e2   e1
ben    200  yes  200  200  e2   e2   e1
cid    200  yes  200  200  e2   e2   e1
dora   200  yes  200  200  e2   e2   e1
agent  200  yes  200  -    -    -    -
eve    404  404  404  404  403  403  403
nobody 404  -    404  -    404  404  404
STANDING

# ---- the owner hands over; somebody is removed

$ann->go("$app/w/$ws/settings")->fill('#new-owner', 'ben@example.org')->click('form[action$="/owner"] button');
$ann->wait_text(qr/owner/i);
is join(' ', map { "$_->{role}:" . $_->{email} =~ s/\@.*//r } @{as('ann', GET => "/v1/workspaces/$ws/members")->{json}{members}}),
	'admin:ann owner:ben member:cid member:dora', 'Ben is the owner, Ann an admin';
is answers(as('ann', POST => "/v1/workspaces/$ws/transfer-ownership", { user_id => $user{ann}{id} })), '403 ACCESS_DENIED',
	'who gave it away can\'t take it back';
my $made = as('ann', POST => "/v1/workspaces/$ws/members/$user{dora}{id}/tokens", { name => 'Build server' })->{json}{token};
is $api->call(GET => "/v1/artifacts/$art", { token => $made })->{status}, 200, 'a token for what Dora does there works';
my $at = $visitor{dora}->go(host('report'))->{status};
$ben->go("$app/w/$ws/members?q=dora")->click(qq(a[href\$="$user{dora}{id}/remove"]));
$ben->wait_text(qr/Remove Dora Doe\?/);
$ben->script('document.querySelector("#transfer_to").value = arguments[0]', $user{ann}{id});
$ben->click('button.danger');
$ben->wait_text(qr/They no longer have access/);
is $api->call(GET => "/v1/artifacts/$art", { token => $made })->{status}, 401, 'which has ended with her';
is $db->selectrow_array('SELECT enabled FROM job WHERE artifact_id = ?', undef, $art), 0, 'her job there does nothing anymore';
is as('ann', GET => "/v1/artifacts/$art")->{json}{artifact}{role}, 'owner', 'what she had is Ann\'s';
stands('she is a stranger, at every address', <<'STANDING');
who    api  list data app  site team v1
ann    200  yes  200  200  e2   e2   e1
ben    200  yes  200  200  e2   e2   e1
cid    200  yes  200  200  e2   e2   e1
dora   404  404  404  404  403  403  403
agent  200  yes  200  -    -    -    -
eve    404  404  404  404  403  403  403
nobody 404  -    404  -    404  404  404
STANDING
is answers(as('dora', GET => '/v1/auth/me')), '200', 'with an account of her own still';

# ---- all of it stands written down

my @audit = reverse @{as('ben', GET => "/v1/workspaces/$ws/audit?limit=200")->{json}{audit}};
is join("\n", map { "$_->{action} " . ($_->{actor}{name} || $_->{actor}{email} || '-') =~ s/\@.*//r } @audit),
	<<'AUDIT' =~ s/\n\z//r, 'who did what, in its order';
workspace.created ann
plan.given -
invite.sent ann
invite.sent ann
invite.sent ann
invite.accepted ben
invite.accepted Dora Doe
access_policy.changed ann
plan.given -
member.joined cid
member.joined eve
member.removed ann
access_policy.changed ann
agent_token.created ann
folder.created report-bot
artifact.created report-bot
publish_policy.changed ann
member.role_changed ann
approval.requested ann
approval.approved ben
artifact.visibility ben
subdomain.on ann
artifact.paused ben
artifact.resumed ann
artifact.transferred ben
artifact.visibility Dora Doe
workspace.transferred ann
member.token_made ann
member.removed ben
AUDIT

# ---- in the trash, and back

is answers(as('ann', DELETE => "/v1/workspaces/$ws")), '403 ACCESS_DENIED', 'an admin does not delete it';
is answers(as('ben', DELETE => "/v1/workspaces/$ws")), '200', 'the owner does';
stands('nothing of it is left to anybody', <<'STANDING');
who    api  list data app  site team v1
ann    404  404  404  404  403  403  403
ben    404  404  404  404  403  403  403
cid    404  404  404  404  403  403  403
dora   404  404  404  404  403  403  403
agent  401  401  401  -    -    -    -
eve    404  404  404  404  403  403  403
nobody 404  -    404  -    404  404  404
STANDING
is answers(as('ben', POST => "/v1/workspaces/$ws/restore")), '200', 'and brings it back';
stands('as it was, but for the agent, whose token is over', <<'STANDING');
who    api  list data app  site team v1
ann    200  yes  200  200  e2   308  e1
ben    200  yes  200  200  e2   308  e1
cid    200  yes  200  200  e2   308  e1
dora   404  404  404  404  403  403  403
agent  401  401  401  -    -    -    -
eve    404  404  404  404  403  403  403
nobody 404  -    404  -    404  404  404
STANDING
my ($status, $out, $err) = $stack->program('vitrinectl', {}, 'fsck');
is $err . $out, "clean\n", 'and all counts agree';
finish($stack);
