# SPDX-License-Identifier: Apache-2.0
# Workspaces: making, finding, changing, deleting and restoring one; what its members are on its artifacts; that nobody else learns of it.
use utf8;
use Vitrine::Words qw(as refused);

my ($stack, $api, $db) = stack();
my ($ann, $ben, $cat, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben cat eve);
sub made {
	my ($who, %o) = @_;
	my $r = as($who, POST => '/v1/workspaces', { name => 'Team', %o });
	is $r->{status}, 201, 'made' or diag $r->{body};
	return $r->{json}{workspace};
}
sub join_as { my ($ws, $who, $role) = @_; $stack->seat($ws->{id}, $who, $role) }

# ---- making and reading

like as($ann, POST => '/v1/workspaces', { name => 'Team', slug => $_ })->{json}{error},
	qr/^slug: must be (?:2 to 30|at least 2) characters/, "no slug: $_" for 'a--b', 'A', 'x' x 64, 'a';
like as($ann, POST => '/v1/workspaces', { name => 'Team', slug => 'x' x 31 })->{json}{error}, qr/^slug: .*30/, 'nor one too long';

my $r = as($ann, POST => '/v1/workspaces', { name => 'Northwind Studio', settings => { description => "We draw.\nMaps" } });
is $r->{status}, 201, 'a workspace' or diag $r->{body};
my $ws = $r->{json}{workspace};
like $ws->{id}, qr/^wsp_[0-9a-z]{26}$/, 'it has an id';
is $r->{headers}{location}, "/v1/workspaces/$ws->{id}", 'and an address';
is_deeply $ws,
	{ id => $ws->{id}, name => 'Northwind Studio', slug => 'northwind-studio', logo_url => undef, role => 'owner', tier => 'free',
		settings => { member_access => 'viewer', default_visibility => undef, description => "We draw.\nMaps" },
		seats => { used => 1, limit => 10, remaining => 9, pending => 0 },
		created_at => $ws->{created_at}, updated_at => $ws->{updated_at}, deleted_at => undef }, 'with exactly these members';
my $path = "/v1/workspaces/$ws->{id}";
is_deeply as($ann, GET => $path)->{json}, { success => $true, workspace => $ws }, 'read by its address';
is_deeply as($ann, GET => '/v1/workspaces/by-slug/northwind-studio')->{json}{workspace},
	{ (map { $_ => $ws->{$_} } grep { $_ ne 'deleted_at' } keys %$ws), can_join => $false }, 'by its slug';
is_deeply as($ann, GET => '/v1/workspaces')->{json}, { success => $true, workspaces => [$ws], next_cursor => undef }, 'in the list';
is made($ann, name => 'Northwind Studio')->{slug} =~ /^northwind-studio-\w{5}$/ ? 1 : 0, 1,
	'a second one of the name has a slug of its own';
is made($ann, name => '東', slug => 'tokyo')->{slug}, 'tokyo', 'a slug as wanted';
refused(as($ann, POST => '/v1/workspaces', { name => 'X', slug => 'tokyo' }), '409 SLUG_TAKEN', 'a slug that is taken');
refused(as($ann, POST => '/v1/workspaces', { name => 'X', slug => $_ }), '400 INVALID_REQUEST', "the slug $_") for 'v2', 'a--b', 'admin';
refused(as($ann, POST => '/v1/workspaces', $_), '400 INVALID_REQUEST', 'a body that is wrong') for { name => "a\nb" };
is scalar @{as($ann, GET => '/v1/workspaces')->{json}{workspaces}}, 3, 'what was refused made nothing';

# ---- others learn nothing

refused(as(undef, GET => $path), '401 UNAUTHENTICATED', 'nobody');
refused(as($eve, GET => '/v1/workspaces/by-slug/northwind-studio'), '404 NOT_FOUND', '... by its slug');
is_deeply as($eve, GET => '/v1/workspaces')->{json}{workspaces}, [], '... in the list';
refused(as($eve, GET => "/v1/artifacts?workspace_id=$ws->{id}"), '404 NOT_FOUND', '... its artifacts');
refused(as($eve, POST => '/v1/publish', { name => 'X', workspace_id => $ws->{id}, files => [{ path => 'index.html', content => 'x' }] }),
	'404 NOT_FOUND', '... to publish in it');

# ---- changing

join_as($ws, $ben, 'admin');
join_as($ws, $cat, 'member');
is as($cat, GET => $path)->{json}{workspace}{role}, 'member', 'a member has it';
refused(as($cat, PATCH => $path, { name => 'X' }), '403 ACCESS_DENIED', 'but may not change it');
refused(as($ben, DELETE => $path), '403 ACCESS_DENIED', 'an admin may not delete it');
$r = as($ben, PATCH => $path, { name => 'Northwind', slug => 'northwind', settings => { member_access => 'none' } });
is $r->{status}, 200, 'an admin changes it' or diag $r->{body};
is_deeply { map { $_ => $r->{json}{workspace}{$_} } qw(name slug settings) }, { name => 'Northwind', slug => 'northwind',
	settings => { member_access => 'none', default_visibility => undef, description => "We draw.\nMaps" } }, 'what is left out stays';
is as($ann, GET => '/v1/workspaces/by-slug/northwind-studio')->{json}{workspace}{id}, $ws->{id}, 'the former slug leads to it';
refused(as($eve, POST => '/v1/workspaces', { name => 'X', slug => 'northwind-studio' }), '409 SLUG_TAKEN', 'and is kept for it');
is as($ben, PATCH => $path, { settings => { description => undef } })->{json}{workspace}{settings}{description}, undef, 'null takes away';
my $etag = as($ann, GET => $path)->{headers}{etag};
is $api->call(PATCH => $path, { token => $ann->{token}, json => { name => 'Y' }, headers => { 'If-Match' => '"0"' } })->{status}, 412,
	'If-Match of another state';
my @audit = map { $_->[0] } @{$db->selectall_arrayref('SELECT action FROM audit WHERE workspace_id = ? ORDER BY id', undef, $ws->{id})};
is "@audit", 'workspace.created workspace.changed workspace.changed', 'what was done is written down';
my ($before, $after, $actor, $address) = $db->selectrow_array("SELECT before_it, after_it, actor_id, address FROM audit "
	. "WHERE workspace_id = ? AND action = 'workspace.changed' ORDER BY id LIMIT 1", undef, $ws->{id});
is decode_json($before)->{slug} . ' ' . decode_json($after)->{slug} . " $actor $address", "northwind-studio northwind $ben->{id} 127.0.0.1",
	'... by whom, from where, before and after';

# ---- artifacts

sub publish {
	my ($who, %o) = @_;
	return as($who, POST => '/v1/publish',
		{ name => 'P', workspace_id => $ws->{id}, files => [{ path => 'index.html', content => 'x' }], %o });
}
my $art = publish($cat, slug => 'plans')->{json}{artifact}{id};
is as($cat, GET => "/v1/artifacts/$art")->{json}{artifact}{workspace_id}, $ws->{id}, 'a member publishes in it';
my %seen = (editor => ['editor', 'viewer', 200], viewer => ['viewer', 'viewer', 200], none => ['viewer', undef, 404]);
my $dan = $stack->user('dan@example.org');
join_as($ws, $dan, 'member');
for my $access (qw(viewer editor none)) {
	as($ann, PATCH => $path, { settings => { member_access => $access } });
	my $role = { none => undef, viewer => 'viewer', editor => 'editor' }->{$access};
	$r = as($dan, GET => "/v1/artifacts/$art");
	is $r->{json}{artifact}{role}, $role, "member_access $access: what another member is";
	is $r->{status}, $role ? 200 : 404, '... and sees';
	my $all = $access eq 'none' ? undef
		: 'every member of Northwind can open ' . ($access eq 'editor' ? 'and edit ' : '') . 'it, and so can';
	my %audience = map { $_->[0] => as($_->[1], GET => "/v1/artifacts/$art")->{json}{artifact}{audience} } [owner => $cat],
		[admin => $ben];
	is_deeply \%audience, { owner => $all ? "$all people you share it with, after signing in"
		: 'only you, the admins of Northwind, and people you share it with can open it, after signing in',
		admin => $all ? "$all the people it is shared with, after signing in"
			: 'only its owner, the admins of Northwind, and the people it is shared with can open it, after signing in' },
		'... which is said';
	is scalar @{as($dan, GET => "/v1/artifacts?workspace_id=$ws->{id}")->{json}{artifacts}}, $role ? 1 : 0, '... in the list';
	is as($dan, PATCH => "/v1/artifacts/$art", { name => 'Q' })->{status}, $access eq 'editor' ? 200 : $role ? 403 : 404,
		'... and may change';
	is as($ben, GET => "/v1/artifacts/$art")->{json}{artifact}{role}, $access eq 'editor' ? 'editor' : 'viewer',
		'... an admin sees it always';
	is as($ben, PATCH => "/v1/artifacts/$art", { name => 'Q' })->{status}, $access eq 'editor' ? 200 : 403,
		'... and edits no more than a member';
}
is scalar @{as($ann, GET => '/v1/artifacts')->{json}{artifacts}}, 0, 'it is not among the own of others';
is as($cat, GET => "/v1/artifacts?workspace_id=$ws->{id}&owner=me")->{json}{artifacts}[0]{id}, $art, 'it is among its owner\'s there';
is_deeply as($ben, GET => "/v1/artifacts?workspace_id=$ws->{id}&owner=me")->{json}{artifacts}, [], '... and nobody else\'s';
refused(as($ann, POST => '/v1/publish',
	{ name => 'P', workspace_id => as($ann, GET => '/v1/workspaces/by-slug/tokyo')->{json}{workspace}{id}, artifact_id => $art,
		files => [{ path => 'index.html', content => 'y' }] }), '403 ACCESS_DENIED', 'who may not publish to it is told first');
refused(as($cat, POST => '/v1/publish', { name => 'P', workspace_id => made($cat)->{id}, artifact_id => $art,
	files => [{ path => 'index.html', content => 'y' }] }), '409 CONFLICT', 'publishing does not move it');
is as($ben, DELETE => "/v1/artifacts/$art")->{status}, 200, 'an admin puts it into the trash';
refused(as($dan, POST => "/v1/artifacts/$art/restore"), '404 NOT_FOUND', 'a member does not find it there');
is as($ben, GET => "/v1/artifacts?workspace_id=$ws->{id}&deleted=1")->{json}{artifacts}[0]{id}, $art, 'an admin does';
is as($ben, POST => "/v1/artifacts/$art/restore")->{status}, 200, 'and takes it back out';

# ---- deleting and restoring

as($cat, PATCH => "/v1/artifacts/$art", { visibility => 'public' });
is $api->get_site('plans', '/')->{status}, 200, 'its page is public';
refused(as($ben, POST => "$path/restore"), '403 ACCESS_DENIED', 'restoring is for the owner');
refused(as($ann, POST => "$path/restore"), '409 CONFLICT', 'and for what is deleted');
is as($ann, DELETE => $path)->{status}, 200, 'the owner deletes it';
is $api->get_site('plans', '/')->{status}, 404, 'its page is gone';
refused(as($_, GET => $path), '404 NOT_FOUND', 'it is gone') for $ann, $ben;
refused(as($cat, GET => "/v1/artifacts/$art"), '404 NOT_FOUND', 'its artifacts, too, for their owner');
refused(as(undef, GET => "/v1/artifacts/$art"), '404 NOT_FOUND', 'and for everybody');
is_deeply [map { $_->{id} } @{as($ann, GET => '/v1/workspaces?deleted=1')->{json}{workspaces}}], [$ws->{id}],
	'its owner finds it in the trash';
is_deeply as($ben, GET => '/v1/workspaces?deleted=1')->{json}{workspaces}, [], 'nobody else';
refused(as($ben, POST => "$path/restore"), '404 NOT_FOUND', 'nobody else restores it');
refused(publish($cat, slug => 'other'), '404 NOT_FOUND', 'nothing new is published in it');
$r = as($ann, POST => "$path/restore");
is $r->{status}, 200, 'it is restored' or diag $r->{body};
is $r->{json}{workspace}{slug}, 'northwind', 'under its slug';
is $api->get_site('plans', '/')->{status}, 200, 'its page is back';
is as($ben, GET => $path)->{json}{workspace}{role}, 'admin', 'with its people';

# ---- purged, unless it is restored while the sweep has already found it

as($ann, DELETE => $path);
$db->do('UPDATE workspace SET deleted_at = 1 WHERE id = ?', undef, $ws->{id});
{
	$db->begin_work;
	$db->do('UPDATE workspace SET deleted_at = NULL WHERE id = ?', undef, $ws->{id});
	my $pid = fork // die;
	if (!$pid) { POSIX::_exit(($stack->runner)[0]) }
	Vitrine::Stack::wait_for('the sweep to wait for the row', 60, sub {
		$db->selectrow_array("SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'SELECT id "
			. "FROM workspace % FOR UPDATE' AND time_ms > 50");
	});
	$db->commit;
	waitpid $pid, 0;
	is $?, 0, 'the runner is well';
	is $db->selectrow_array('SELECT COUNT(*) FROM workspace WHERE id = ? AND deleted_at IS NULL', undef, $ws->{id}), 1,
		'what has been restored meanwhile stays';
	is $db->selectrow_array('SELECT COUNT(*) FROM artifact WHERE id = ? AND owner_id IS NOT NULL', undef, $art), 1,
		'... with its artifacts';
}
$db->do('UPDATE workspace SET deleted_at = 1 WHERE id = ?', undef, $ws->{id});
$stack->runner for 1, 2;
is $db->selectrow_array('SELECT COUNT(*) FROM workspace WHERE id = ?', undef, $ws->{id}), 0, 'after its time it is purged';
is $db->selectrow_array('SELECT COUNT(*) FROM artifact WHERE id = ? AND owner_id IS NOT NULL', undef, $art), 0, 'with its artifacts';
is_deeply as($ann, GET => '/v1/workspaces?deleted=1')->{json}{workspaces}, [], 'and no longer in the trash';

# ---- ten at most, at once too

my @said = Vitrine::Api::together($stack, 12, sub {
	my ($own) = @_;
	my $r = $own->call(POST => '/v1/workspaces', { token => $eve->{token}, json => { name => 'Many' } });
	"$r->{status} " . ($r->{json}{code} // '');
});
my %count;
$count{$_}++ for @said;
is_deeply \%count, { '201 ' => 10, '409 LIMIT_REACHED' => 2 }, 'one person owns ten, however many are asked for at once';

finish($stack);
