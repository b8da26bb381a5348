# SPDX-License-Identifier: Apache-2.0
# What a connected agent changed, as its person is told of it, and how it is taken back: with the person's own rights, and not over what is
# newer.
use utf8;
use Vitrine::Visitor;
use Vitrine::Words qw(as refused);
use Vitrine::World;

my ($stack, $api, $db) = stack(agent_calls_per_minute => 100_000);
my $world = Vitrine::World->new($stack);
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben cat);
$stack->ctl_in("the password\n", qw(user password ann@example.org));
my $agent = $world->make(ogr => user => $user{ann}{id});
$db->do('DELETE FROM agent_act');
my $token = $stack->token($user{ann}{id}, 'som_', scopes => 15, opens_to => 'public', grant_id => $agent);
my $base = "/v1/auth/agents/$agent/acts";

sub tool {
	my ($name, $args) = @_;
	my $r = $api->call(POST => '/mcp', { token => $token, json => { jsonrpc => '2.0', id => 1, method => 'tools/call',
		params => { name => $name, arguments => $args } } })->{json}{result};
	fail("$name: $r->{content}[0]{text}") if $r->{isError};
	return $r->{structuredContent};
}
sub publish {
	my ($text, %more) = @_;
	return tool(publish => { artifact => $more{new} ? () : 'report', files => [{ path => 'index.html', content => $text }],
		map { $_ => $more{$_} } grep { $_ ne 'new' } keys %more });
}
sub last_act { return as('ann', GET => "$base?limit=1")->{json}{acts}[0] }
sub facts { my ($act) = @_; return { map { $_ => $act->{$_} } qw(was_live was_visibility was_name trashed can_undo since) } }
sub undo { my ($act, $who) = @_; return as($who // 'ann', POST => "$base/$act->{id}/undo") }
sub artifact { return as('ann', GET => "/v1/artifacts/$_[0]")->{json}{artifact} }
my %none = (was_live => undef, was_visibility => undef, was_name => undef, trashed => $false, can_undo => $false, since => undef);

# ---- a version

my $art = tool(publish => { name => 'Report', slug => 'report', files => [{ path => 'index.html', content => 'one' }] })->{artifact}{id};
my $act = last_act();
is_deeply [sort keys %$act], [sort qw(id at what artifact_id name request_id was_live was_visibility was_name trashed since can_undo)],
	'what is told of it';
is_deeply facts($act), \%none, 'what is new replaced nothing';
refused(undo($act), '409 CONFLICT', '... and can not be undone', qr/can't be undone from here/);
publish('two');
$act = last_act();
is_deeply facts($act), { %none, was_live => 1, can_undo => $true }, 'a version replaced another';
my $r = undo($act);
is $r->{status}, 200, 'undone' or diag $r->{body};
is artifact($art)->{version_no}, 1, '... the one before is live';
is_deeply facts($r->{json}{act}), { %none, was_live => 1, since => 'Version 1 is live now.' }, '... which the act says';
is_deeply $r->{json}{act}, last_act(), '... and the list, where there is no act more';
refused(undo($act), '409 CONFLICT', 'it is undone once', qr/^Nothing was undone\. Version 1 is live now\.$/);
publish('three');
$act = last_act();
publish('four', draft => $true);
is_deeply facts(last_act()), \%none, 'a draft replaces nothing';
ok last_act()->{id} ne $act->{id} && as('ann', GET => $base)->{json}{acts}[1]{can_undo}, '... so what was before it can be undone';
my $mine = $api->publish($user{ann}, artifact_id => $art, name => 'Report', files => { 'index.html' => 'by a person' });
($act) = grep { $_->{id} eq $act->{id} } @{as('ann', GET => $base)->{json}{acts}};
is_deeply facts($act), { %none, was_live => 1, since => 'Version 5 is live now.' }, 'its person has published since';
refused(undo($act), '409 CONFLICT', '... which is not undone with it', qr/Version 5 is live now/);
is artifact($art)->{version_no}, 5;
tool(update_artifact => { artifact => 'report', live_version => 3 });
$act = last_act();
is_deeply facts($act), { %none, was_live => 5, can_undo => $true }, 'an older one was made live';
undo($act);
is artifact($art)->{version_no}, 5, '... and that is undone';

my $etag = as('ann', GET => "/v1/artifacts/$art")->{headers}{etag};
sub restore {
	my ($no, $etag) = @_;
	return as('ann', POST => "/v1/artifacts/$art/versions/$no/restore", headers => { 'If-Match' => $etag });
}
is restore(3, $etag)->{status}, 200, 'a version is made live while the artifact is as it was read';
refused(restore(5, $etag), '412 PRECONDITION_FAILED', '... and not when it has changed');
is artifact($art)->{version_no}, 3;
restore(5, '*');

# ---- name and visibility

tool(update_artifact => { artifact => 'report', name => 'Réport', visibility => 'unlisted' });
$act = last_act();
is_deeply facts($act), { %none, was_name => 'Report', was_visibility => 'private', can_undo => $true }, 'a name and a visibility';
as('ann', PATCH => "/v1/artifacts/$art", { social_title => 'T' });
is undo($act)->{status}, 200, 'what else has changed does not matter';
is_deeply [@{artifact($art)}{qw(name visibility social_title)}], ['Report', 'private', 'T'], '... both are as they were';
tool(update_artifact => { artifact => 'report', visibility => 'public' });
$act = last_act();
as('ann', PATCH => "/v1/artifacts/$art", { visibility => 'unlisted' });
refused(undo($act), '409 CONFLICT', 'not what its person decided since', qr/It is unlisted now\.$/);
is artifact($art)->{visibility}, 'unlisted';
tool(update_artifact => { artifact => 'report', name => 'Third' });
$act = last_act();
as('ann', PATCH => "/v1/artifacts/$art", { name => 'Fourth' });
refused(undo($act), '409 CONFLICT', 'nor a name', qr/It is called Fourth now\.$/);
tool(update_artifact => { artifact => 'report', slug => 'other' });
is_deeply facts(last_act()), \%none, 'an address keeps its old name';
tool(update_artifact => { artifact => 'report', slug => 'report' });
publish('six', name => 'Sixth', visibility => 'private');
$act = last_act();
is_deeply facts($act), { %none, was_live => 5, was_name => 'Fourth', was_visibility => 'unlisted', can_undo => $true },
	'all in one publish';
is undo($act)->{status}, 200;
is_deeply [@{artifact($art)}{qw(name visibility version_no)}], ['Fourth', 'unlisted', 5], '... is undone in one';
tool(write_data => { artifact => 'report', document => { a => 1 } });
is_deeply facts(last_act()), \%none, 'data is not';

# ---- the trash

tool(delete_artifact => { artifact => 'report' });
$act = last_act();
is_deeply facts($act), { %none, trashed => $true, can_undo => $true }, 'moved to the trash';
is_deeply [map { $_->{since} } grep { $_->{was_live} } @{as('ann', GET => $base)->{json}{acts}}],
	[('It was moved to the trash since.') x 4], '... with all that was done before';
is undo($act)->{status}, 200;
is artifact($art)->{deleted_at}, undef, '... and out of it';
is_deeply facts(last_act()), { %none, trashed => $true, since => 'It was taken out of the trash since.' };
refused(undo($act), '409 CONFLICT', '... once');

# ---- whose rights

refused(undo($act, 'ben'), '404 NOT_FOUND', 'nobody else');
refused(as('ann', POST => "$base/act_" . '0' x 26 . '/undo'), '404 NOT_FOUND', 'no such act');
my $other = $world->make(ogr => user => $user{ann}{id});
refused(as('ann', POST => "/v1/auth/agents/$other/acts/$act->{id}/undo"), '404 NOT_FOUND', "not another agent's");
is as('ann', POST => "$base/$act->{id}/undo", token => $token)->{status}, 401, 'nor the agent itself';
refused(as('ann', POST => "$base/$act->{id}/undo", token => $stack->token($user{ann}{id}, 'so_', scopes => 15)), '403 INSUFFICIENT_SCOPE',
	'nor a limited token');
my $bens = $api->publish($user{ben}, slug => 'bens', name => 'Bens', visibility => 'private');
$stack->collaborator($bens, $user{ann}, 'editor');
tool(update_artifact => { artifact => $bens, name => 'Changed' });
$act = last_act();
is_deeply facts($act), { %none, was_name => 'Bens', can_undo => $true }, 'where its person is an editor';
$db->do("UPDATE collaborator SET role = 'viewer'");
is_deeply facts(last_act()), { %none, was_name => 'Bens' }, 'who may only look now can not undo';
refused(undo($act), '403 ACCESS_DENIED', '... and is told');
$db->do('DELETE FROM collaborator');
as('ben', PATCH => "/v1/artifacts/$bens", { name => 'A secret' });
is_deeply facts(last_act()), { %none, was_name => 'Bens' }, 'who may not even that hears nothing of what came since';
refused(undo($act), '404 NOT_FOUND', '... either way');
$stack->collaborator($bens, $user{ann}, 'editor');

# ---- opening, in a workspace that approves it first

my $ws = as('ann', POST => '/v1/workspaces', { name => 'Team' })->{json}{workspace}{id};
my $page = $api->publish($user{ann}, slug => 'team-page', workspace_id => $ws, visibility => 'public');
tool(update_artifact => { artifact => $page, visibility => 'private' });
$act = last_act();
as('ann', PATCH => "/v1/workspaces/$ws/publish-policy", { policy => 'require_approval' });
refused(undo($act), '403 APPROVAL_REQUIRED', 'undoing opens nothing that has to be approved', qr/approve/);
is artifact($page)->{visibility}, 'private';

# ---- on the page, without a script

my $v = Vitrine::Visitor->new($api);
$v->sign_in('ann@example.org', 'the password');
publish('seven');
my $text = $v->go("/auth/account/agents/$agent")->{text};
like $text, qr/Make version 5 live again<span class="vh">: Fourth/, 'what a button does';
like $text, qr/Version \d+ is live now\./, 'and where there is none, why';
$r = $v->submit(qr{/acts/\w+/undo$}, {});
is $r->{path}, "/auth/account/agents/$agent", 'pressed, it goes on there';
is artifact($art)->{version_no}, 5, '... undone';
like $r->{text}, qr/Version 5 is live now\./;
tool(delete_artifact => { artifact => 'report' });
$act = last_act();
like $v->go('/auth/account/agents')->{text}, qr/>Restore<span class="vh">/, 'the page of all agents has it, too';
as('ann', POST => "/v1/artifacts/$art/restore");
$r = $v->submit(qr{/acts/$act->{id}/undo$}, {}, stay => 1);
is $r->{status}, 409, 'something newer came meanwhile';
like $r->{text}, qr/role="alert".*trash/s, '... which the page says';
# Collaborators came past the rules that tell search of them.
$stack->ctl('reindex');
is $stack->ctl('fsck'), 'clean';
finish($stack);
