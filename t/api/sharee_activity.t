# SPDX-License-Identifier: Apache-2.0
# What people outside did, as admins see it: of one client and of all, for 90 days.
use Vitrine::World;
use Vitrine::Words qw(as refused said);

my ($stack, $api, $db) = stack();
my $world = Vitrine::World->new($stack);
my ($ann, $ben, $eve, $pat, $kim) = map { $stack->user("$_\@example.org") } qw(ann ben eve pat kim);
sub made { my ($who, $name) = @_; my $id = as($who, POST => '/v1/workspaces', { name => $name })->{json}{workspace}{id}; $db->do('UPDATE workspace SET features_on = 1 WHERE id = ?', undef, $id); return $id }
my ($ws, $other) = (made($ann, 'Team'), made($eve, 'Other'));
$stack->seat($ws, $ben, 'member');
sub client { my ($in, $name, @people) = @_; my $id = $world->id('shr');
	$db->do('INSERT INTO sharee (id, workspace_id, name, name_key, created_at) VALUES (?, ?, ?, ?, 0)', undef, $id, $in, $name, $name);
	$db->do('INSERT INTO sharee_member (sharee_id, user_id, workspace_id, created_at) VALUES (?, ?, ?, 0)', undef, $id, $_->{id}, $in) for @people;
	return $id }
my ($acme, $foreign) = (client($ws, 'Acme', $pat), client($other, 'Foreign', $pat));
my $now = time;
sub act { my ($in, $who, $action, $at) = @_; my $id = $world->id('sac');
	$db->do('INSERT INTO sharee_act (id, workspace_id, user_id, action, resource_type, resource_id, resource_name, at, slice) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)', undef, $id, $in, $who->{id}, $action, 'artifact', $in eq $ws ? 'art_' . '1' x 26 : 'art_' . '2' x 26, 'Plan', $at // $now, int(($at // $now) / 600));
	return $id }
my @seen = (act($ws, $pat, 'view'), act($ws, $pat, 'comment'), act($ws, $kim, 'view'), act($other, $pat, 'view'));
my ($of, $all) = ("/v1/workspaces/$ws/sharees/$acme/activity", "/v1/workspaces/$ws/sharee-activity");
sub ids { my ($r) = @_; return join ' ', map { $_->{id} } @{$r->{json}{activity}} }

my $r = as($ann, GET => $of);
is ids($r), "@seen[1, 0]", 'what the people of a client did, newest first' or diag $r->{body};
is_deeply $r->{json}{activity}[1], { id => $seen[0], member => { id => $pat->{id}, email => 'pat@example.org', name => undef, status => 'active' }, action => 'view', resource_type => 'artifact', resource_id => 'art_' . '1' x 26, resource_name => 'Plan', at => $now },
	'with exactly these members';
is ids(as($ann, GET => $all)), "@seen[2, 1, 0]", 'and what everyone outside did';
is ids(as($ann, GET => "$all?limit=2&cursor=$seen[2]")), "@seen[1, 0]", 'further back';
$db->do("UPDATE user SET kind = 'guest', invited_email = email, email = NULL WHERE id = ?", undef, $kim->{id});
is_deeply as($ann, GET => $all)->{json}{activity}[0]{member}, { id => $kim->{id}, email => 'kim@example.org', name => undef, status => 'invited' }, 'a guest is known by the address';
refused(as($_->[0], GET => $_->[1]), $_->[2], $_->[3]) for map { my $path = $_; [$ben, $path, '403 EXTERNAL_SHARING_NOT_ENTITLED', 'not for members'], [$pat, $path, '404 NOT_FOUND', 'nor for outsiders'] } $of, $all;
refused(as($ann, GET => "/v1/workspaces/$ws/sharees/$foreign/activity"), '404 NOT_FOUND', 'of another workspace\'s client');

# ---- ninety days

act($ws, $pat, 'download', $now - 91 * 86400);
my $kept = act($ws, $pat, 'edit', $now - 89 * 86400);
$stack->runner;
is_deeply [map { $_->[0] } @{$db->selectall_arrayref('SELECT id FROM sharee_act ORDER BY id')}], [@seen, $kept], 'what is older than 90 days goes';
finish($stack);
