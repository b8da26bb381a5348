# SPDX-License-Identifier: Apache-2.0
# A team in the browser: a workspace is made, published into, given rules, agents and a guide, and deleted and brought back; what an admin
# is offered and what a member is. Each page is looked at in both widths and both themes.
use utf8;
use Encode 'encode_utf8';
use Vitrine::Browser 'seen';
use Vitrine::Words 'as';

my ($stack, $api, $db) = stack(publish_per_hour => 1000);
my $app = "https://vitrine.localhost:$stack->{port}";
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben cat);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for keys %user;
my ($ann, $ben) = map { Vitrine::Browser->new($stack, @$_) } [width => 1280, height => 900], [width => 390, height => 844, dark => 1];
sub sign_in { my ($b, $who) = @_; return $b->sign_in("$who\@example.org", 'the password') }
sub join_as { my ($who, $ws, $role) = @_; $stack->seat($ws, $user{$who}, $role) }
sub choose_folder {
	my ($b, $name, $text) = @_;
	my $dir = Vitrine::Stack::folder($stack->{dir}, $name, 'index.html' => encode_utf8($text));
	return $b->choose_files('input[webkitdirectory]', $dir);
}

# ---- made, by who is in none

sign_in($ann, 'ann');
$ann->click('.switch summary');
seen($ann, 'the switch, open');
$ann->go("$app/w");
$ann->wait_text(qr/Publish as a team/);
seen($ann, 'no workspaces');
$ann->fill('#name', 'Northwind Studio')->fill('#slug', 'North Wind')->click('form[action="/w"] button');
$ann->wait_text(qr/Must be 2 to 30 characters: a-z/);
is $ann->script('return document.activeElement.id'), 'slug', 'a short name that can be none is told beside its field';
is $ann->script('return document.querySelector("#name").value'), 'Northwind Studio', '... and what was typed is there';
seen($ann, 'a refused workspace', refused => 1);
$ann->fill('#slug', '')->click('form[action="/w"] button');
$ann->wait_text(qr/Workspace created/);
my ($ws) = $ann->url =~ m{/w/(wsp_\w+)};
is as('ann', GET => "/v1/workspaces/$ws")->{json}{workspace}{slug}, 'northwind-studio', 'its short name is made of its name';
like $ann->text('.switch summary'), qr/Northwind Studio/, 'the switch says where one is';
seen($ann, 'a new workspace');

# ---- published into

choose_folder($ann, 'Quarterly report', '<!doctype html><title>R</title><h1>The first</h1>');
$ann->wait_text(qr/Published\. Every member of Northwind Studio can open it/);
my ($art) = $ann->url =~ m{/a/(art_\w+)};
is as('ann', GET => "/v1/artifacts/$art")->{json}{artifact}{workspace_id}, $ws, 'what is dropped into a workspace is of it';
is $ann->text('.crumbs a'), 'Northwind Studio', 'and leads back to it';
for (['w/northwind-studio', "w/$ws"], ['w/northwind-studio/members/?q=x', "w/$ws/members?q=x"], ["w/$ws/settings//", "w/$ws/settings"],
	['a/' . as('ann', GET => "/v1/artifacts/$art")->{json}{artifact}{slug} . '/versions', "a/$art/versions"], ['docs/', 'docs']) {
	is $ann->go("$app/$_->[0]")->url, "$app/$_->[1]", "/$_->[0] leads on";
}
$ann->go("$app/w/no-such-team")->wait_text(qr/Page not found/);
$ann->complaints;
$ann->go("$app/a/$art");
is $ann->text('.switch summary .name'), 'Northwind Studio', '... as the switch says';
seen($ann, 'an artifact of it');
as('ann', POST => '/v1/publish', { name => $_, workspace_id => $ws, files => [{ path => 'index.html', content => $_ }] })
	for 'Client handbook', 'Spring launch deck', 'Pricing brief';
as('ann', POST => '/v1/publish', { name => 'My diary', files => [{ path => 'index.html', content => 'x' }] });
$ann->follow('Northwind Studio');
$ann->wait_text(qr/Spring launch deck/);
unlike $ann->text('main'), qr/My diary/, 'it shows what is in it, and nothing else';
seen($ann, 'a workspace');
$ann->fill('#q', 'hand')->click('form[role=search] button');
$ann->wait_text(qr/Client handbook/);
unlike $ann->text('main'), qr/Spring launch/, 'searched';
$ann->fill('#q', 'nothing of the kind')->click('form[role=search] button');
$ann->wait_text(qr/Nothing matches/);
is $ann->follow('Show all')->url, "$app/w/$ws", 'and back to all of it';

# ---- its settings, as the owner and as a member has them

$ann->follow('Settings');
$ann->wait_text(qr/What members can do/);
seen($ann, 'settings');
$ann->fill('#slug', 'v2')->click('form[action$="/settings"] button');
$ann->wait_text(qr/is reserved/);
$ann->complaints;
$ann->fill('#slug', 'northwind')->fill('#description',
	"Reports & decks\nof the studio")->click('input[value=none]')->click('form[action$="/settings"] button');
$ann->wait_text(qr/Saved\./);
is_deeply as('ann', GET => "/v1/workspaces/$ws")->{json}{workspace}{settings},
	{ member_access => 'none', default_visibility => 'private', description => "Reports & decks\nof the studio" }, 'saved';
$ann->fill('#description', '')->click('input[value=viewer]')->click('form[action$="/settings"] button');
$ann->wait_text(qr/Saved\./);
is as('ann', GET => "/v1/workspaces/$ws")->{json}{workspace}{settings}{description}, undef, 'an empty description is none';
join_as(ben => $ws, 'member');
sign_in($ben, 'ben');
$ben->go("$app/w");
$ben->wait_text(qr/Northwind Studio.*2 members/s);
seen($ben, 'a member\'s workspaces');
$ben->follow('Northwind Studio');
$ben->wait_text(qr/Client handbook/);
$ben->follow('Settings');
$ben->wait_text(qr/Only admins can change these settings/);
is $ben->script('return document.querySelectorAll("main form, main .danger").length'), 0,
	'a member is offered nothing that only others may';
unlike $ben->text('nav.side'), qr/Agents/, '... nor the places where that is';
seen($ben, 'settings of a member');
$ben->go("$app/w/$ws/delete");
$ben->wait_text(qr/You can’t do this/);
$ben->complaints;
$ben->go("$app/w/$ws/plan");
seen($ben, 'the plan');

# ---- people: invited, made an admin, gone

$ann->follow('Members');
$ann->wait_text(qr/2 of 10 seats taken/);
seen($ann, 'members');
$ann->script('document.querySelector("#emails").type = "text"');
$ann->fill('#emails', 'cat@example.org, frank@partner..')->click('form[action$="/invites"] button');
$ann->wait_text(qr/“frank\@partner\.\.” isn’t a full e-mail address\. No one has been invited yet/);
is $ann->script('return document.querySelector("#emails").value'), 'cat@example.org, frank@partner..',
	'a wrong address is told, and nobody is invited';
is $db->selectrow_array('SELECT COUNT(*) FROM invite'), 0, '... not those before it either';
seen($ann, 'a wrong address', refused => 1);
$ann->fill('#emails', 'cat@example.org,ben@example.org')->click('form[action$="/invites"] button');
$ann->wait_text(qr/1 open invitation.*1 invitation created\..*ben\@example\.org is already a member\..*Open invitations/s);
seen($ann, 'invited');
$ann->click('form[action$="/resend"] button');
$ann->wait_text(qr/Renewed for seven days/);
my $cat = Vitrine::Browser->new($stack, width => 390, height => 844);
sign_in($cat, 'cat');
$cat->go("$app/w");
is $cat->text('header .count'), '1', 'an invitation waits';
$cat->go("$app/inbox");
$cat->wait_text(qr/Waiting for you.*invites you to join Northwind Studio as a member/s);
seen($cat, 'an invitation in the inbox');
$cat->click('form[action$="/accept"] button');
$cat->wait_text(qr/You joined Northwind Studio\./);
$cat->go("$app/w/$ws/members");
$cat->wait_text(qr/3 of 10 seats taken/);
is $cat->script('return document.querySelectorAll("main form").length'), 1, 'a member may search, and no more';
seen($cat, 'members as members see them');
$ann->go("$app/w/$ws/members?q=cat");
$ann->wait_text(qr/cat\@example\.org/);
unlike $ann->text('table'), qr/ben\@/, 'searched';
$ann->click('button[name=role][value=admin]');
$ann->wait_text(qr/Role changed/);
is join(' ', map { $_->{role} }
	grep { $_->{email} eq 'cat@example.org' } @{as('ann', GET => "/v1/workspaces/$ws/members")->{json}{members}}), 'admin', 'an admin';
as('cat', POST => '/v1/publish', { name => 'Cat\'s plan', workspace_id => $ws, files => [{ path => 'index.html', content => 'x' }] });
$ann->click(qq(a[href\$="$user{cat}{id}/remove"]));
$ann->wait_text(qr/Remove cat\@example\.org\?/);
seen($ann, 'to remove?');
$ann->script('document.querySelector("#transfer_to").value = arguments[0]', $user{ben}{id});
$ann->click('button.danger');
$ann->wait_text(qr/They no longer have access/);
is as('cat', GET => "/v1/workspaces/$ws")->{status}, 404, 'gone';
is $db->selectrow_array("SELECT owner_id FROM artifact WHERE name = 'Cat''s plan'"), $user{ben}{id},
	'... and what they published is the chosen heir\'s';
$ann->go("$app/w/$ws/settings")->fill('#new-owner', 'cat@example.org')->click('form[action$="/owner"] button');
$ann->wait_text(qr/Isn't a member of the workspace/);
$ann->complaints;
join_as(cat => $ws, 'admin');
$cat->go("$app/w/$ws/members")->follow('Leave');
$cat->wait_text(qr/Leave Northwind Studio\?/);
seen($cat, 'to leave?');
$cat->click('button.danger');
$cat->wait_text(qr/You left the workspace/);
is as('cat', GET => "/v1/workspaces/$ws")->{status}, 404, 'left';

# ---- agents: the token is shown once

$ann->go("$app/w/$ws/agents");
$ann->wait_text(qr/No agents yet/);
seen($ann, 'no agents');
$ann->click("input[value='$_']") for 'artifacts:read', 'artifacts:publish';
$ann->fill('#name', 'report-bot')->click('form[action$="/agents"] button');
$ann->wait_text(qr/Choose at least one scope/);
is $ann->script('return document.querySelectorAll("input:checked").length'), 0, 'refused, the boxes are as they were left';
$ann->complaints;
$ann->click("input[value='$_']") for 'artifacts:publish', 'data:read';
$ann->click('form[action$="/agents"] button');
$ann->wait_text(qr/Copy the agent’s token now/);
my $token = $ann->script('return document.querySelector("#new-token").textContent');
seen($ann, 'a new agent');
my $agent = as('ann', GET => "/v1/workspaces/$ws/agent-tokens")->{json}{agent_tokens}[0];
is join(' ', $agent->{name}, @{$agent->{scopes}}), 'report-bot artifacts:publish data:read', 'it may what was chosen';
is $api->call(POST => '/v1/publish', { token => $token,
	json => { name => 'By the agent', files => [{ path => 'index.html', content => 'x' }] } })->{status}, 201, 'the token publishes';
$ann->go("$app/w/$ws/agents");
unlike $ann->text('main'), qr/\Q$token\E/, 'it is shown once';
$ann->follow('Replace token');
$ann->wait_text(qr/Replace the token of report-bot\?/);
seen($ann, 'to replace?');
$ann->click('button.danger');
$ann->wait_text(qr/Copy the agent’s token now/);
my $second = $ann->script('return document.querySelector("#new-token").textContent');
is join(' ', map { $api->call(GET => '/v1/auth/me', { token => $_ })->{status} } $token, $second), '401 200',
	'the new one works, the old one does not';
as('ann', POST => "/v1/workspaces/$ws/agent-tokens", { name => "bot $_", scopes => ['data:read'] }) for 2 .. 5;
$ann->go("$app/w/$ws/agents");
$ann->click("input[value='$_']") for 'artifacts:read', 'artifacts:publish', 'data:write';
$ann->fill('#name', 'one too many')->click('form[action$="/agents"] button');
$ann->wait_text(qr/Free/);
is $ann->script('return [...document.querySelectorAll("input:checked")].map(e => e.value).join()'), 'data:write',
	'what the plan has no room for is refused, with the boxes as they were';
seen($ann, 'one agent too many', refused => 1);
$ann->go("$app/w/$ws/agents")->click(qq(a[href\$="$agent->{id}/revoke"]));
$ann->wait_text(qr/Revoke report-bot\?/);
$ann->click('button.danger');
$ann->wait_text(qr/Its token no longer works/);
is $api->call(GET => '/v1/auth/me', { token => $second })->{json}{code}, 'TOKEN_REVOKED', 'revoked at once';
seen($ann, 'agents');

# ---- what agents are told

$ann->follow('Context');
$ann->wait_text(qr/Nothing to read yet/);
seen($ann, 'no context');
$ann->fill('#name', '../x')->fill('#content', "# Rules\nBe brief.")->click('form[action$="/context"] button');
$ann->wait_text(qr/Must start with a letter or digit/);
$ann->complaints;
$ann->fill('#name', 'README.md')->click('form[action$="/context"] button');
$ann->wait_text(qr/Agents read it from now on/);
is as('ben', GET => "/v1/workspaces/$ws/context/README.md")->{json}{content}, "# Rules\nBe brief.",
	'as it was typed, without what browsers put into it';
$ann->script('const s = document.querySelector("#entry"); s.value = "README.md"');
$ann->click('form[action$="/entry"] button');
$ann->wait_text(qr/Read first/);
is as('ben', GET => "/v1/workspaces/$ws/context")->{json}{entry}, 'README.md', 'to begin with';
seen($ann, 'context');
$ann->follow('README.md');
$ann->wait_text(qr/Save file/);
$api->call(PUT => "/v1/workspaces/$ws/context/README.md", { token => $user{ann}{token}, json => { content => 'By another' } });
$ann->fill('#content', 'Mine')->click('form[action$="/context/README.md"] button');
$ann->wait_text(qr/Not saved yet.*changed this file just now, while you were writing.*Choose which text to keep/s);
is $ann->script('return document.querySelector("#content").value + "|" + document.querySelector(".code li.new").firstChild.data.trim()'),
	'Mine|By another', 'what was written is not lost, and theirs stands beside it';
seen($ann, 'a file that somebody else changed', refused => 1);
$ann->click('form[action$="/context/README.md"] button');
$ann->wait_text(qr/Agents read it from now on/);
is as('ben', GET => "/v1/workspaces/$ws/context/README.md")->{json}{content}, 'Mine', 'saved again it replaces';
$ann->go("$app/w/$ws/context/README.md")->wait_text(qr/Save file/);
as('ann', PUT => "/v1/workspaces/$ws/context/README.md", { content => 'Theirs' });
$ann->fill('#content', 'Mine')->click('form[action$="/context/README.md"] button')->wait_text(qr/Not saved yet/);
$ann->follow('Keep their text');
Vitrine::Stack::wait_for('their text', 60,
	sub { ($ann->script('return (document.querySelector("textarea") || {}).value') // '') eq 'Theirs' });
is as('ben', GET => "/v1/workspaces/$ws/context/README.md")->{json}{content}, 'Theirs', 'theirs can be kept';
as('ann', DELETE => "/v1/workspaces/$ws/context/README.md");
$ann->fill('#content', 'Mine')->click('form[action$="/context/README.md"] button')->wait_text(qr/This file no longer exists/);
is $ann->script('return document.querySelector("#content").value'), 'Mine', 'what was typed into what is gone stays';
seen($ann, 'a file that somebody else deleted', refused => 1);
$ann->click('form[action$="/context/README.md"] button')->wait_text(qr/Agents read it from now on/);
is as('ben', GET => "/v1/workspaces/$ws/context/README.md")->{json}{content}, 'Mine', '... and can be saved';
$ben->go("$app/w/$ws/context")->follow('README.md');
$ben->wait_text(qr/Mine/);
is $ben->script('return document.querySelectorAll("main form").length'), 0, 'members read';
seen($ben, 'a file as members have it');
$ann->follow('README.md')->follow('Delete file');
$ann->wait_text(qr/Delete README\.md\?/);
$ann->click('button.danger');
$ann->wait_text(qr/Nothing to read yet/);

# ---- policies; what the plan does not have is told where it was asked for

$ann->follow('Policies');
$ann->wait_text(qr/Anyone invited/);
seen($ann, 'policies');
$ann->fill('#allowed_domains', "northwind.example\ngmail.com")->click('form[action$="/access"] button');
$ann->wait_text(qr/nyone can get an address at gmail\.com/);
is $ann->script('return document.activeElement.id'), 'allowed_domains', 'a domain that lets everybody in is told beside its field';
$ann->complaints;
$ann->fill('#allowed_domains', "Northwind.example\n\n  example.org ")->fill('#allowed_emails',
	'dora@partner.example')->click('form[action$="/access"] button');
$ann->wait_text(qr/Saved\..*Only those listed/s);
is_deeply as('ann', GET => "/v1/workspaces/$ws/access-policy")->{json}, { success => Cpanel::JSON::XS::true,
		allowed_domains => ['example.org', 'northwind.example'], allowed_emails => ['dora@partner.example'] },
	'the policy is what was typed, a line each';
$ann->fill('#session_max_days', '7')->click('form[action$="/session"] button');
$ann->wait_text(qr/This workspace’s plan, Free, doesn’t include this/);
is $ann->script('return document.querySelector("#session_max_days").getAttribute("aria-invalid")'), 'true',
	'the plan\'s refusal stands beside the field';
seen($ann, 'a policy that the plan does not have', refused => 1);
$stack->ctl(qw(workspace plan), $ws, 'team');
$ann->click('form[action$="/session"] button');
$ann->wait_text(qr/Saved\..*You sign in again after 7 days/s);
is as('ann', GET => "/v1/workspaces/$ws/session-policy")->{json}{session_max_days}, 7, 'with the plan it is set';
$ann->click('input[value=require_approval]')->click('form[action$="/policies/publish"] button');
$ann->wait_text(qr/Needs 1 approval/);
$ann->fill('#agent_hosts', "claude.ai\nhttps://chatgpt.com")->click('form[action$="/policies/agents"] button');
$ann->wait_text(qr/chatgpt\.com isn.t a host/);
is $ann->script('return document.activeElement.id'), 'agent_hosts', 'what is no host is told beside its field';
$ann->complaints;
$ann->fill('#agent_hosts',
	"Claude.ai\n\n  chatgpt.com ")->click('input[name=agents][value=read_only]')->click('form[action$="/policies/agents"] button');
$ann->wait_text(qr/Saved\..*Read only/s);
is_deeply as('ann', GET => "/v1/workspaces/$ws/agent-policy")->{json}, { success => Cpanel::JSON::XS::true, agents => 'read_only',
	agent_hosts => ['claude.ai', 'chatgpt.com'] }, 'the policy on agents is what was typed, a line each';
seen($ann, 'policies that are set');
$ben->go("$app/w/$ws/policies");
$ben->wait_text(qr/Admins must approve each version/);
like $ben->text('#agents'), qr/agents can read here, and change nothing\.\s+Only those from\s+claude\.ai\nchatgpt\.com/,
	'what agents can do, as members have it';
$ann->fill('#agent_hosts', '')->click('input[name=agents][value=off]')->click('form[action$="/policies/agents"] button');
$ann->wait_text(qr/Saved\..*Off/s);
is_deeply as('ann', GET => "/v1/workspaces/$ws/agent-policy")->{json},
	{ success => Cpanel::JSON::XS::true, agents => 'off', agent_hosts => [] }, 'emptied, it is for any host';
as('ann', PATCH => "/v1/workspaces/$ws/agent-policy", { agents => 'on' });
is $ben->script('return document.querySelectorAll("main form").length'), 0, 'members read them';
seen($ben, 'policies as members have them');

$ann->go("$app/w/$ws/members")->fill('#emails', 'eve@elsewhere.example,finn@northwind.example')->click('form[action$="/invites"] button');
$ann->wait_text(qr/1 invitation created\..*eve\@elsewhere\.example isn’t allowed/);
is join(' ', map { @$_ } @{$db->selectall_arrayref("SELECT email FROM invite WHERE status = 'pending'")}), 'finn@northwind.example',
	'whom the policy does not name is not invited, and said to be';

# ---- approvals: asked for on the artifact's page, decided in the list

my $draft = as('ben', POST => '/v1/publish', { name => 'Pricing', slug => 'pricing', workspace_id => $ws,
	files => [{ path => 'index.html', content => 'prices' }] })->{json}{artifact}{id};
$ben->go("$app/a/$draft/sharing")->click('aside input[value=public]')->click('aside form[action$="/visibility"] button');
$ben->wait_text(qr/Admins of the workspace must approve this first/);
seen($ben, 'what takes an approval', refused => 1);
$ben->click('form[action$="/approval"] button');
$ben->wait_text(qr/Approval requested\..*Version 1 is waiting for approval to become public/s);
seen($ben, 'asked');
$ben->click('form[action$="/withdraw"] button');
$ben->wait_text(qr/Request withdrawn\./);
$ben->click('form[action$="/approval"] button');
$ben->wait_text(qr/Approval requested\./);
my $asked = sub { return "$app/a/$draft/approval/" . as('ann', GET => "/v1/workspaces/$ws/publish-approvals")->{json}{approvals}[0]{id} };
$ben->go($asked->());
$ben->wait_text(qr/Pricing.*Waiting.*Withdraw/s);
is $ben->script('return document.querySelectorAll("main form").length'), 1, 'who asks may only withdraw';
my $seen_links = 'return document.querySelectorAll(\'main a[href$="/seen"]\').length';
is $ben->script($seen_links), 1, '... and open what a browser saw';
$ann->go("$app/a/$draft");
$ann->wait_text(qr/is waiting for approval.*Review/s);
is $ann->text('header .count'), '1', 'those who decide see that something waits';
seen($ann, 'an artifact that waits');
$ann->follow('Review');
$ann->wait_text(qr/ben\@example\.org asked to make version 1 public/);
seen($ann, 'an approval');
is $ann->script($seen_links), 0, 'which is not linked for an admin who may only look';
$ann->click('main form button.danger');
$ann->wait_text(qr/Rejected\..*Rejected/s);
as('ben', POST => "/v1/artifacts/$draft/publish-approval", { visibility => 'public' });
$ann->go("$app/inbox");
$ann->wait_text(qr/Waiting for you.*ben\@example\.org asks to make Pricing public/s);
seen($ann, 'the inbox');
$ann->click('header .inbox > summary');
seen($ann, 'its menu');
$ann->go($asked->())->fill('main form input[name=comment]', 'Fine & good')->click('main form button.primary');
$ann->wait_text(qr/Approved\./);
is $api->get_site('pricing', '/')->{body}, 'prices', 'approved, it is public';
$ben->go($asked->());
$ben->wait_text(qr/Fine & good/);
$ben->go("$app/inbox?box=know");
$ben->wait_text(qr/Fine & good/);
seen($ben, 'what to know');
$ben->go("$app/auth/account/inbox");
seen($ben, 'how one hears of things');
is $ben->script('const s = document.querySelector("#way-mention"); return s.selectedOptions[0].text + "|"' .
	' + [...s.options].map(o => o.value)'), 'Inbox and e-mail|mention.mail,mention.page,mention.digest,mention.off',
	'the way of a kind, and what else it may be';
choose_folder($ben->go("$app/a/$draft"), 'Pricing', 'new prices');
$ben->wait_text(qr/Published as a draft/);
$ben->wait_text(qr/Ask for approval/);
is $api->get_site('pricing', '/')->{body}, 'prices', 'a new version waits, and the one before stays';
seen($ben, 'a draft that takes an approval');
$ann->go("$app/w/$ws/plan");
seen($ann, 'the plan of a team');

# ---- deleted, and back

$ann->go("$app/w/$ws/settings")->follow('Delete workspace');
$ann->wait_text(qr/Delete Northwind Studio\?/);
seen($ann, 'to delete?');
$ann->click('button.danger');
$ann->wait_text(qr/Workspace deleted.*Deleted workspaces/s);
seen($ann, 'deleted workspaces');
is as('ben', GET => "/v1/workspaces/$ws")->{status}, 404, 'it is gone';
$ben->go("$app/w/$ws");
$ben->wait_text(qr/Page not found/);
$ann->click('form[action$="/restore"] button');
$ann->wait_text(qr/Workspace restored.*Client handbook/s);
is as('ben', GET => "/v1/workspaces/$ws")->{status}, 200, 'and back';

# ---- names of any length, on a small telephone

as('ann', PATCH => "/v1/workspaces/$ws", { name => 'W' x 120, settings => { description => 'd' x 500 } });
as('ann', POST => '/v1/workspaces', { name => 'V' x 120, slug => 'wide' });
$ann->width(320);
for my $page ('/w', map { "/w/$ws$_" } '', '/settings', '/members', '/plan', '/delete', '/agents', '/policies', '/context') {
	$ann->go("$app$page");
	is join('; ', $ann->barriers), '', "320 pixels: " . ($page =~ s/$ws/…/r) . ' fits';
	is $ann->script('return [...document.querySelectorAll("nav:not(.crumbs) [aria-current=page]")].filter(e => { const r = '
		. 'e.getBoundingClientRect(); return r.left < 0 || r.right > innerWidth }).length'), 0, 'and shows where one is';
	$ann->screenshot('workspace-320-' . ($page =~ s{$ws|/}{-}gr));
}
$ann->click('details.switch > summary');
ok $ann->script('const e = document.documentElement; return e.scrollWidth <= e.clientWidth'),
	'320 pixels: the menu of workspaces makes the page no wider';
$ann->screenshot('workspace-320-switch');
finish($stack);
