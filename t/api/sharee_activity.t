# SPDX-License-Identifier: Apache-2.0
# What people outside did, as admins see it: of one client and of all, for 90 days.
use Vitrine::Visitor;
use Vitrine::World;
use Vitrine::Words qw(as refused said);

my ($stack, $api, $db) = stack();
my $world = Vitrine::World->new($stack);
my ($ann, $ben, $eve, $pat, $kim) = map { $stack->user("$_\@example.org") } qw(ann ben eve pat kim);
sub made {
	my ($who, $name) = @_;
	my $id = as($who, POST => '/v1/workspaces', { name => $name })->{json}{workspace}{id};
	$db->do('UPDATE workspace SET features_on = 1 WHERE id = ?', undef, $id);
	return $id;
}
my ($ws, $other) = (made($ann, 'Team'), made($eve, 'Other'));
$stack->seat($ws, $ben, 'member');
sub client { my ($in, $name, @people) = @_; my $id = $world->id('shr');
	$db->do('INSERT INTO sharee (id, workspace_id, name, name_key, created_at) VALUES (?, ?, ?, ?, 0)', undef, $id, $in, $name, $name);
	$db->do('INSERT INTO sharee_member (sharee_id, user_id, workspace_id, created_at) VALUES (?, ?, ?, 0)', undef, $id, $_->{id}, $in)
		for @people;
	return $id }
my ($acme, $foreign) = (client($ws, 'Acme', $pat), client($other, 'Foreign', $pat));
my $now = time;
sub act { my ($in, $who, $action, $at) = @_; my $id = $world->id('sac');
	$db->do('INSERT INTO sharee_act (id, workspace_id, user_id, action, resource_type, resource_id, resource_name, at, slice) '
			. 'VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)', undef, $id, $in, $who->{id}, $action, 'artifact',
		$in eq $ws ? 'art_' . '1' x 26 : 'art_' . '2' x 26, 'Plan', $at // $now, int(($at // $now) / 600));
	return $id }
my @seen = (act($ws, $pat, 'view'), act($ws, $pat, 'comment'), act($ws, $kim, 'view'), act($other, $pat, 'view'));
my ($of, $all) = ("/v1/workspaces/$ws/sharees/$acme/activity", "/v1/workspaces/$ws/sharee-activity");
sub ids { my ($r) = @_; return join ' ', map { $_->{id} } @{$r->{json}{activity}} }

my $r = as($ann, GET => $of);
is ids($r), "@seen[1, 0]", 'what the people of a client did, newest first' or diag $r->{body};
is_deeply $r->{json}{activity}[1],
	{ id => $seen[0], member => { id => $pat->{id}, email => 'pat@example.org', name => undef, status => 'active' }, action => 'view',
		resource_type => 'artifact', resource_id => 'art_' . '1' x 26, resource_name => 'Plan', at => $now },
	'with exactly these members';
is ids(as($ann, GET => $all)), "@seen[2, 1, 0]", 'and what everyone outside did';
is ids(as($ann, GET => "$all?limit=2&cursor=$seen[2]")), "@seen[1, 0]", 'further back';
$db->do("UPDATE user SET kind = 'guest', invited_email = email, email = NULL WHERE id = ?", undef, $kim->{id});
is_deeply as($ann, GET => $all)->{json}{activity}[0]{member},
	{ id => $kim->{id}, email => 'kim@example.org', name => undef, status => 'invited' }, 'a guest is known by the address';
refused(as($_->[0], GET => $_->[1]), $_->[2], $_->[3]) for map {
	my $path = $_;
	[$ben, $path, '403 EXTERNAL_SHARING_NOT_ENTITLED', 'not for members'], [$pat, $path, '404 NOT_FOUND', 'nor for outsiders'];
} $of, $all;
refused(as($ann, GET => "/v1/workspaces/$ws/sharees/$foreign/activity"), '404 NOT_FOUND', 'of another workspace\'s client');

# ---- what is written down of what they do

$db->do('DELETE FROM sharee_act');
my $art = $api->publish($ann, slug => 'plan', name => 'Plan', workspace_id => $ws, visibility => 'private',
	files => { 'index.html' => '<p>plan', 'more.html' => '<p>more', 'x.css' => 'p{}' });
as($ann, PUT => "/v1/data/$art/json", { a => 1 });
my $public = $api->publish($ann, slug => 'open', name => 'Open', workspace_id => $ws, visibility => 'public');
my $file = $world->make(dlv => ws => $ws, user => $ann->{id});
$db->do("UPDATE deliverable SET visibility = 'workspace', name = 'report.pdf' WHERE id = ?", undef, $file);
my $folder = as($ann, POST => "/v1/workspaces/$ws/folders", { name => 'Reports' })->{json}{folder}{id};
$db->do('UPDATE user SET outside = TRUE WHERE id = ?', undef, $pat->{id});
as($ann, POST => "/v1/workspaces/$ws/grants",
		{ subject_type => 'sharee', subject_id => $acme, resource_type => $_->[0], resource_id => $_->[1], capability => $_->[2] })
	for [artifact => $art, 'edit'], [artifact => $public, 'comment'], [file => $file, 'view'];
# What is only read is written after the reply has left.
sub acts {
	my ($n) = @_;
	Vitrine::Stack::wait_for("$n acts", 60, sub { $db->selectrow_array('SELECT COUNT(*) FROM sharee_act') >= $n });
	return join ' ', sort map { "$_->{action}:$_->{resource_name}" } @{as($ann, GET => "$all?limit=200")->{json}{activity}};
}
# Workers remember what they have written.
sub forgotten { $stack->stop_one('worker'); $db->do('DELETE FROM sharee_act'); $stack->start_worker }
# Ten minutes may begin while this runs.
sub alone {
	my ($what) = @_;
	my $before = $db->selectrow_array('SELECT FLOOR(UNIX_TIMESTAMP() / 600)');
	$what->();
	return $before == $db->selectrow_array('SELECT FLOOR(UNIX_TIMESTAMP() / 600)');
}
is as($pat, GET => "/v1/artifacts/$art")->{status}, 200, 'an outsider gets an artifact';
is acts(1), 'view:Plan', 'which is a view';
is_deeply { map { $_ => as($ann, GET => $of)->{json}{activity}[0]{$_} } qw(action resource_type resource_id resource_name) },
	{ action => 'view', resource_type => 'artifact', resource_id => $art, resource_name => 'Plan' }, '... of that';
my $once = alone(sub {
	forgotten();
	as($pat, GET => "/v1/artifacts/$art") for 1 .. 3;
	acts(1);
	is as($pat, POST => "/v1/artifacts/$art/comments", { text => 'Hello' })->{status}, 201, 'a comment';
});
is acts(2), 'comment:Plan view:Plan', 'is written down with it; three views are one' if $once;
refused(as($pat, POST => "/v1/artifacts/$art/comments", { text => '' }), '400 INVALID_REQUEST', 'a comment that is none');
is as($pat, PUT => "/v1/data/$art/json", { a => 2 })->{status}, 200, 'written data';
is as($pat, GET => "/v1/files/$file/content")->{status}, 200, 'a downloaded file';
is as($pat, GET => "/v1/artifacts/$art/files/index.html")->{status}, 200, 'and a file of a page';
like acts(5), qr/^comment:Plan download:Plan download:report\.pdf edit:Plan(?: view:Plan)+$/, 'each is told';
# Of the same person's own, and of members, nothing is.
forgotten();
my $own = $api->publish($pat, slug => 'own');
as($_->[0], GET => "/v1/artifacts/$_->[1]") for [$pat, $own], [$ann, $art], [$ben, $art], [$eve, $public];
refused(as($eve, GET => "/v1/artifacts/$art"), '404 NOT_FOUND', 'who has nothing sees nothing');
$api->call(GET => "/v1/files/$file/content", { token => $ann->{token} });

# A page in a browser, once for its page and not for what it loads.
$stack->ctl_in("the password\n", qw(user password), $pat->{email});
my $browser = Vitrine::Visitor->new($api);
$browser->sign_in($pat->{email}, 'the password');
my $cookie = $browser->viewer_cookie('plan.pages.localhost', "https://plan.pages.localhost:$stack->{port}/");
ok $cookie, 'an outsider comes to the page' or diag $browser->{page}{text};
is $api->get_site('plan', '/x.css', Cookie => $cookie)->{status}, 200, 'what a page loads';
is $api->get_site('plan', '/more.html', Cookie => $cookie)->{status}, 200, 'is no view, but a page';
is acts(1), 'view:Plan', 'is one';
is $db->selectrow_array('SELECT COUNT(*) FROM sharee_act WHERE user_id <> ?', undef, $pat->{id}), 0, 'nobody else did anything';

# ---- ninety days

forgotten();
@seen = (act($ws, $pat, 'view'));

act($ws, $pat, 'download', $now - 91 * 86400);
my $kept = act($ws, $pat, 'edit', $now - 89 * 86400);
$stack->runner;
is_deeply [map { $_->[0] } @{$db->selectall_arrayref('SELECT id FROM sharee_act ORDER BY id')}], [@seen, $kept],
	'what is older than 90 days goes';
finish($stack);
