# SPDX-License-Identifier: Apache-2.0
# What somebody outside was given: the list by workspace, and what lies in a folder; nothing that is gone or asleep; nothing for members,
# strangers and tokens of others.
use Vitrine::World;
use Vitrine::Words qw(as refused said);

my ($stack, $api, $db) = stack();
my $world = Vitrine::World->new($stack);
my ($ann, $cat, $eve, $pat, $kim) = map { $stack->user("$_\@example.org") } qw(ann cat eve pat kim);
sub made {
	my ($who, $name) = @_;
	my $id = as($who, POST => '/v1/workspaces', { name => $name })->{json}{workspace}{id};
	$db->do('UPDATE workspace SET features_on = 1 WHERE id = ?', undef, $id);
	return $id;
}
my ($ws, $other) = (made($ann, 'Team'), made($eve, 'Other'));
$stack->seat($ws, $cat, 'member');
sub client { my ($in, $name, @people) = @_; my $id = $world->id('shr');
	$db->do('INSERT INTO sharee (id, workspace_id, name, name_key, created_at) VALUES (?, ?, ?, ?, 0)', undef, $id, $in, $name, $name);
	$db->do('INSERT INTO sharee_member (sharee_id, user_id, workspace_id, created_at) VALUES (?, ?, ?, 0)', undef, $id, $_->{id}, $in)
		for @people;
	$db->do('UPDATE user SET outside = TRUE WHERE id = ?', undef, $_->{id}) for @people;
	return $id }
my ($acme, $far, $both) = (client($ws, 'Acme', $pat), client($other, 'Far', $pat), client($ws, 'Both', $kim));
sub folder {
	my ($who, $in, $name, $parent) = @_;
	return as($who, POST => "/v1/workspaces/$in/folders", { name => $name, parent_id => $parent })->{json}{folder}{id};
}
sub file {
	my ($visibility, $folder) = @_;
	my $id = $world->make(dlv => ws => $ws, user => $cat->{id});
	$db->do('UPDATE deliverable SET visibility = ?, folder_id = ? WHERE id = ?', undef, $visibility, $folder, $id);
	return $id;
}
sub give { my ($who, $in, $subject, $type, $id, $can, @with) = @_;
	my $r = as($who, POST => "/v1/workspaces/$in/grants", { subject_type => $subject =~ /^shr/ ? 'sharee' : 'external_user',
		subject_id => $subject, resource_type => $type, resource_id => $id, capability => $can, @with });
	die $r->{body} if $r->{status} != 201;
	return $r->{json}{grant}{id} }
sub shared { my ($who, $query) = @_; return as($who, GET => '/v1/shared' . ($query // ''))->{json}{shared} }
sub ids { my ($who) = @_; return join ' ', map { $_->{resource_id} } @{shared($who)} }

my $top = folder($ann, $ws, 'Top');
my $inner = folder($ann, $ws, 'Inner', $top);
my $deep = folder($ann, $ws, 'Deep', $inner);
my $art = $api->publish($cat, slug => 'plan', name => 'Plan', workspace_id => $ws, visibility => 'private');
my $in_folder = $api->publish($cat, slug => 'inside', name => 'Inside', workspace_id => $ws, folder_id => $inner, visibility => 'private');
my $draft = $api->publish($cat, slug => 'draft', name => 'Draft', workspace_id => $ws, folder_id => $inner, visibility => 'private');
$db->do('UPDATE artifact SET live_no = NULL WHERE id = ?', undef, $draft);
my ($open, $open_in, $hidden_in) = (file('workspace'), file('workspace', $inner), file('private', $inner));

is_deeply as($pat, GET => '/v1/shared')->{json}, { success => $true, shared => [], next_cursor => undef }, 'nothing at first';

# ---- the list

my $end = time + 86400;
give($ann, $ws, $acme, folder => $inner, 'create');
give($ann, $ws, $acme, file => $open, 'view');
give($ann, $ws, $pat->{id}, artifact => $art, 'comment', expires_at => $end);
my $far_folder = folder($eve, $other, 'Far');
give($eve, $other, $far, folder => $far_folder, 'view');
$db->do("UPDATE workspace SET brand_color = '#0a5c9e', brand_name = 'Team & Co' WHERE id = ?", undef, $ws);
my $url = $stack->{url} // "https://vitrine.localhost:$stack->{port}";
my $list = shared($pat);
is join(' ', map { $_->{resource_id} } @$list), "$far_folder $art $open $inner", 'by workspace, newest first';
my $team = { id => $ws, name => 'Team & Co', logo_url => undef, color => '#0a5c9e' };
my $changed = $db->selectrow_array('SELECT updated_at FROM artifact WHERE id = ?', undef, $art);
is_deeply $list->[1], { workspace => $team, client => undef, resource_type => 'artifact', resource_id => $art, resource_name => 'Plan',
	url => "https://plan.pages.localhost:$stack->{port}/", capability => 'comment', expires_at => $end, updated_at => $changed },
	'what one person has';
is_deeply { map { $_ => $list->[2]{$_} } qw(client resource_type url capability expires_at) }, { client => 'Acme', resource_type => 'file',
	url => "$url/v1/files/$open/content", capability => 'view', expires_at => undef }, 'what a client has';
is_deeply { map { $_ => $list->[3]{$_} } qw(client resource_name url capability) },
	{ client => 'Acme', resource_name => 'Inner', url => "$url/shared/folders/$inner", capability => 'create' }, 'a folder';
is $list->[0]{workspace}{name}, 'Other', 'and of another workspace';
my ($next, @parts) = ('?limit=1');
while (defined $next) {
	my $r = as($pat, GET => "/v1/shared$next");
	push @parts, $r->{json}{shared}[0]{resource_id};
	$next = defined $r->{json}{next_cursor} ? "?limit=1&cursor=$r->{json}{next_cursor}" : undef;
}
is "@parts", "$far_folder $art $open $inner", 'one by one';
refused(as($pat, GET => "/v1/shared?cursor=$_"), '400 INVALID_REQUEST', "a cursor that is none: $_") for 'x', "$ws.x", "x.$art";

# ---- whose it is not

is ids($_), '', "$_->{email} has nothing" for $ann, $cat, $eve, $kim;
refused(as(undef, GET => '/v1/shared'), '401 UNAUTHENTICATED', 'nobody');
my $limited = $stack->token($pat->{id}, 'so_', name => 'limited', scopes => 2);
refused($api->call(GET => '/v1/shared', { token => $limited }), '403 INSUFFICIENT_SCOPE', 'a token without artifacts:read');

# A token of the client's person has what the client was given, and the person themselves, in that workspace.
sub client_token {
	my ($scopes) = @_;
	return $stack->token($pat->{id}, 'sot_', name => 'client', scopes => $scopes, workspace_id => $ws, grants_only => 1,
		sharee_id => $acme);
}
my $of_client = client_token(1);
is join(' ', map { $_->{resource_id} } @{$api->call(GET => '/v1/shared', { token => $of_client })->{json}{shared}}), "$art $open $inner",
	'a token of a client has what that has';
refused($api->call(GET => '/v1/shared', { token => client_token(4) }), '403 INSUFFICIENT_SCOPE', '... with artifacts:read');
is $api->call(GET => "/v1/shared/folders/$inner", { token => $of_client })->{status}, 200, '... and its folders';
refused($api->call(GET => "/v1/shared/folders/$far_folder", { token => $of_client }), '404 NOT_FOUND', '... and no other workspace\'s');
is_deeply $api->call(GET => '/v1/shared',
		{ token => $stack->token($pat->{id}, 'so_', name => 'confined', workspace_id => $ws) })->{json}{shared}, [],
	'one that acts in a workspace for its person has nothing';

# ---- a folder

my $folders = '/v1/shared/folders';
my $r = as($pat, GET => "$folders/$inner");
is_deeply { map { $_ => $r->{json}{$_} } grep { $_ ne 'items' } keys %{$r->{json}} }, { success => $true, id => $inner, name => 'Inner',
	parent_id => undef, workspace => $team, can_comment => $false, can_create => $true, can_edit => $false, next_cursor => undef },
	'a folder that one was given' or diag $r->{body};
is join(' ', map { "$_->{resource_type}=$_->{resource_id}" } @{$r->{json}{items}}), "folder=$deep file=$open_in artifact=$in_folder",
	'folders, files of the workspace and artifacts with a live version, directly in it';
is_deeply $r->{json}{items}[2], { resource_type => 'artifact', resource_id => $in_folder, resource_name => 'Inside',
		url => "https://inside.pages.localhost:$stack->{port}/", updated_at => $r->{json}{items}[2]{updated_at} },
	'each with exactly these members';
is as($pat, GET => "$folders/$deep")->{json}{parent_id}, $inner, 'a folder in it, with the way back';
is_deeply as($pat, GET => "$folders/$deep")->{json}{items}, [], '... which is empty';
my @in = map { as($pat, GET => "$folders/$inner?limit=1&cursor=" . ($_ // ''))->{json} } $deep, $open_in;
is join(' ', map { $_->{items}[0]{resource_id} . ' ' . ($_->{next_cursor} // '-') } @in), "$open_in $open_in $in_folder -", 'one by one';
refused(as($pat, GET => "$folders/$inner?cursor=x"), '400 INVALID_REQUEST', 'a cursor that is none');
refused(as($_->[0], GET => "$folders/$_->[1]"), '404 NOT_FOUND', $_->[2]) for [$pat, $top, 'the folder that it lies in'],
	[$cat, $inner, 'a member, who has all of it elsewhere'], [$eve, $inner, 'a stranger'], [$kim, $inner, 'somebody of another client'],
	[$eve, 'fld_' . '0' x 26, 'no folder'];
my $name = folder($ann, $ws, 'Inner2');
refused(as($pat, GET => "$folders/$name"), '404 NOT_FOUND', 'a folder whose name begins alike');

# ---- what sleeps, and what is gone

sub without {
	my ($name, $sql, $back, @ids) = @_;
	my $was = ids($pat);
	$db->do($sql);
	is ids($pat), join(' ', grep { my $id = $_; grep { $_ eq $id } @ids } split / /, $was), $name;
	$db->do($back);
	is ids($pat), $was, '... and back';
}
without('a paused artifact', "UPDATE artifact SET paused_at = 1, pauser = 'admin' WHERE id = '$art'",
	"UPDATE artifact SET paused_at = NULL, pauser = NULL WHERE id = '$art'", $far_folder, $open, $inner);
without('one in the trash', "UPDATE artifact SET deleted_at = 1 WHERE id = '$art'",
	"UPDATE artifact SET deleted_at = NULL WHERE id = '$art'", $far_folder, $open, $inner);
without('one without a live version', "UPDATE artifact SET live_no = NULL WHERE id = '$art'",
	"UPDATE artifact SET live_no = 1 WHERE id = '$art'", $far_folder, $open, $inner);
without('a file that is private again', "UPDATE deliverable SET visibility = 'private' WHERE id = '$open'",
	"UPDATE deliverable SET visibility = 'workspace' WHERE id = '$open'", $far_folder, $art, $inner);
without('a plan that has lapsed', "UPDATE workspace SET features_off = 1 WHERE id = '$ws'",
	"UPDATE workspace SET features_off = 0 WHERE id = '$ws'", $far_folder);
without('a grant that is over', "UPDATE share_grant SET expires_at = 1 WHERE resource_id = '$art'",
	"UPDATE share_grant SET expires_at = $end WHERE resource_id = '$art'", $far_folder, $open, $inner);
without('a workspace in the trash', "UPDATE workspace SET deleted_at = 1 WHERE id = '$other'",
	"UPDATE workspace SET deleted_at = NULL WHERE id = '$other'", $art, $open, $inner);
$db->do('INSERT INTO member (workspace_id, user_id, role, joined_at) VALUES (?, ?, ?, 0)', undef, $ws, $pat->{id}, 'member');
is ids($pat), $far_folder, 'who is in the workspace has nothing of it here';
refused(as($pat, GET => "$folders/$inner"), '404 NOT_FOUND', '... nor its folders');
$db->do('DELETE FROM member WHERE workspace_id = ? AND user_id = ?', undef, $ws, $pat->{id});
my $grant = $db->selectrow_array('SELECT id FROM share_grant WHERE resource_id = ?', undef, $inner);
is as($ann, DELETE => "/v1/workspaces/$ws/grants/$grant")->{status}, 200, 'an ended grant';
is ids($pat), "$far_folder $art $open", '... gives nothing with the next request';
refused(as($pat, GET => "$folders/$_"), '404 NOT_FOUND', '... nor what lay in it') for $inner, $deep;
finish($stack);
