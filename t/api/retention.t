# SPDX-License-Identifier: Apache-2.0
# How long versions stay: one is pinned, one is removed, and old ones go by a retention of the artifact or its workspace.
use Vitrine::Words qw(as said refused);

my ($stack, $api, $db) = stack(publish_per_hour => 100000, grace_s => 0);
my ($ann, $ben, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben eve);
my $n = 0;
my $day = 86400;

sub made {
	my ($versions, %fields) = @_;
	my $art = $api->publish($ann, slug => 'r' . ++$n, files => { 'index.html' => 'version 1', 'stays.txt' => 'stays' }, %fields);
	publish($ann, $art, $_) for 2 .. $versions;
	$stack->collaborator($art, $ben, 'editor');
	return $art;
}
sub publish {
	my ($who, $art, $no, %fields) = @_;
	return as($who, POST => '/v1/publish', { artifact_id => $art, %fields,
		files => [{ path => 'index.html', content => "version $no" }, { path => 'stays.txt', content => 'stays' }] });
}
sub numbers { my ($art) = @_; return join ' ', map { $_->{version_no} } @{as($ann,
	GET => "/v1/artifacts/$art/versions?limit=200")->{json}{versions}} }
sub bytes { my ($art) = @_; return $db->selectrow_array('SELECT bytes FROM artifact_storage WHERE artifact_id = ?', undef, $art) }
sub aged { my ($art, $days) = @_; $db->do('UPDATE version SET created_at = created_at - ? WHERE artifact_id = ?', undef, $days * $day,
	$art) }
sub round { $db->do("DELETE FROM sweep WHERE name = 'retention'"); my ($status, undef, $err) = $stack->runner; is $status, 0,
	'the runner' or diag $err }
sub clean {
	my ($name) = @_;
	my ($status, $out, $err) = $stack->program('vitrinectl', {}, 'fsck');
	is $out, "clean
", "$name: fsck is clean" or diag $err;
}

# ---- a version is removed

my $art = made(4, visibility => 'public');
my $at = "/v1/artifacts/$art/versions";
is bytes($art), 41, 'four versions and a file that they share';
refused(as($ben, DELETE => "$at/2"), '403 ACCESS_DENIED', 'an editor');
refused(as($eve, DELETE => "$at/2"), '403 ACCESS_DENIED', 'a stranger to a public page');
refused(as($ann, DELETE => "$at/4"), '409 CONFLICT', 'the live one', qr/version 4 is live/);
refused(as($ann, DELETE => "$at/9"), '404 NOT_FOUND', 'one that is none');
is $api->get_site("r$n--v2", '/')->{body}, 'version 2', 'it has an address';
is as($ann, DELETE => "$at/2")->{status}, 200, 'a version is removed';
isnt $api->get_site("r$n--v2", '/')->{status}, 200, '... and its address at once';
refused(as($ann, GET => "$at/2"), '404 NOT_FOUND', 'it is not there');
refused(as($ann, DELETE => "$at/2"), '404 NOT_FOUND', '... and can’t be removed again');
refused(as($ann, POST => "$at/2/restore"), '404 NOT_FOUND', '... or made live');
is bytes($art), 32, 'its bytes are given back; what others have, not';
is publish($ann, $art, 5)->{json}{version}{version_no}, 5, 'numbers go on';
as($ann, DELETE => "$at/5");
as($ann, POST => "$at/4/restore");
as($ann, DELETE => "$at/5");
is publish($ann, $art, 6)->{json}{version}{version_no}, 6, '... and are never used again';
is numbers($art), '6 4 3 1', 'what is left';
refused(as($ann, POST => '/v1/publish', { artifact_id => $art, base_version => 2, mode => 'patch', delete => ['stays.txt'] }),
	'409 VERSION_CONFLICT',
	'a base that was removed', qr/^base_version: version 2 has been removed/);
$stack->runner;
clean('after a removal');
like $db->selectrow_array("SELECT GROUP_CONCAT(action) FROM audit") // '', qr/^$|version_removed/, 'audited in a workspace';

# ---- a version is pinned

$art = made(3, visibility => 'public');
$at = "/v1/artifacts/$art";
refused(as($ben, PATCH => $at, { pinned_version => 2 }), '403 ACCESS_DENIED', 'an editor pins', qr/^pinned_version/);
refused(as($eve, PATCH => $at, { pinned_version => 2 }), '403 ACCESS_DENIED', 'a stranger');
refused(as($ann, PATCH => $at, { pinned_version => 0 }), '400 INVALID_REQUEST', 'version 0', qr/^pinned_version/);
refused(as($ann, PATCH => $at, { pinned_version => 9 }), '404 NOT_FOUND', 'no version');
publish($ann, $art, 4, draft => \1);
refused(as($ann, PATCH => $at, { pinned_version => 4 }), '409 CONFLICT', 'a draft', qr/^pinned_version: version 4 is a draft/);
my $r = as($ann, PATCH => $at, { pinned_version => 2 });
is "$r->{json}{artifact}{pinned_version} $r->{json}{artifact}{version_no}", '2 2', 'a version is pinned, and live';
is $api->get_site("r$n", '/')->{body}, 'version 2', '... at the address';
$r = publish($ben, $art, 5);
is "$r->{status} $r->{json}{held_for} $r->{json}{version}{is_draft}", '201 pin 1', 'a publish becomes a draft';
is $api->get_site("r$n", '/')->{body}, 'version 2', '... and the pinned one stays';
refused(as($ann, POST => "$at/versions/3/restore"), '409 CONFLICT', 'another goes live', qr/version 2 is pinned/);
is as($ann, POST => "$at/versions/2/restore")->{status}, 200, 'itself it may';
refused(as($ann, DELETE => "$at/versions/2"), '409 CONFLICT', 'the pinned one is removed');
is join(' ', map { $_->{is_pinned} ? $_->{version_no} : () } @{as($ann, GET => "$at/versions")->{json}{versions}}), '2',
	'the list marks it';
$r = as($ann, PATCH => $at, { pinned_version => undef });
is $r->{json}{artifact}{pinned_version}, undef, 'it is unpinned';
is $r->{json}{artifact}{version_no}, 2, '... and stays live';
is publish($ben, $art, 6)->{json}{version}{is_draft}, Cpanel::JSON::XS::false, 'the next publish goes live';

# ---- retention

$art = made(8);
$at = "/v1/artifacts/$art/retention";
is_deeply as($ann, GET => $at)->{json}, { success => Cpanel::JSON::XS::true, keep => undef, days => undef, from => 'none', goes => 0 },
	'at first all stay';
refused(as($ben, PUT => $at, { keep => 2 }), '403 ACCESS_DENIED', 'an editor');
refused(as($eve, GET => $at), '404 NOT_FOUND', 'a stranger');
refused(as($ann, PUT => $at, { keep => 0 }), '400 INVALID_REQUEST', 'none', qr/^keep/);
refused(as($ann, PUT => $at, { days => 4000 }), '400 INVALID_REQUEST', 'too long', qr/^days/);
is as($ann, GET => "$at?keep=3")->{json}{goes}, 0, 'nothing of the last day goes';
aged($art, 10);
is as($ann, GET => "$at?keep=3")->{json}{goes}, 5, 'how many would go';
is as($ann, GET => "$at?days=20")->{json}{goes}, 0, '... by days';
is as($ann, GET => "$at?days=5")->{json}{goes}, 7, '... all but the live one';
is as($ann, GET => "$at?days=5&keep=6")->{json}{goes}, 2, '... beyond both';
is_deeply as($ann, PUT => $at, { keep => 3 })->{json}, { success => Cpanel::JSON::XS::true, keep => 3, days => undef,
	from => 'artifact', goes => 5 }, 'set';
as($ann, PATCH => "/v1/artifacts/$art", { pinned_version => 2 });
$db->do('UPDATE version SET approved = TRUE WHERE artifact_id = ? AND version_no = 3', undef, $art);
publish($ann, $art, 9, draft => \1);
$db->do('UPDATE version SET created_at = created_at - ? WHERE artifact_id = ? AND version_no = 9', undef, 20 * $day, $art);
round();
is numbers($art), '9 8 7 3 2', 'the newest three, the pinned, and the approved one stay';
aged($art, 20);
publish($ann, $art, $_) for 10 .. 12;
round();
is numbers($art), '12 11 10 3 2', 'a draft of more than 30 days goes, too';
is bytes($art), 10 * 3 + 9 * 2 + 5, 'what they stored is given back';
clean('after a round');
is as($ann, PUT => $at, {})->{json}{from}, 'artifact', 'without values';
aged($art, 4000);
round();
is numbers($art), '12 11 10 3 2', '... all stay';

# A workspace's counts for artifacts without their own; the trash is left alone.
my $ws = as($ann, POST => '/v1/workspaces', { name => 'Team' })->{json}{workspace}{id};
my ($in, $own, $trash) = map { made(3, workspace_id => $ws) } 1 .. 3;
refused(as($eve, GET => "/v1/workspaces/$ws/retention"), '404 NOT_FOUND', 'a stranger’s workspace');
$stack->seat($ws, $ben, 'member');
refused(as($ben, PUT => "/v1/workspaces/$ws/retention", { keep => 1 }), '403 ACCESS_DENIED', 'a member');
is_deeply as($ann, PUT => "/v1/workspaces/$ws/retention", { keep => 1 })->{json}, { success => Cpanel::JSON::XS::true, keep => 1,
	days => undef }, 'an admin';
is as($ben, GET => "/v1/workspaces/$ws/retention")->{json}{keep}, 1, 'members see it';
is as($ann, GET => "/v1/artifacts/$in/retention")->{json}{from}, 'workspace', 'an artifact has its workspace’s';
as($ann, PUT => "/v1/artifacts/$own/retention", { keep => 2 });
as($ann, DELETE => "/v1/artifacts/$trash");
aged($_, 3) for $in, $own, $trash;
round();
is numbers($in), '3', 'old versions go';
is numbers($own), '3 2', '... by the artifact’s own';
as($ann, POST => "/v1/artifacts/$trash/restore");
is numbers($trash), '3 2 1', '... not in the trash';
is as($ann, DELETE => "/v1/artifacts/$own/retention")->{json}{from}, 'workspace', 'its own ends';
my $moved = made(3);
aged($moved, 3);
round();
is numbers($moved), '3 2 1', 'without a retention all stay';
is as($ann, PATCH => "/v1/artifacts/$moved", { workspace_id => $ws })->{status}, 200, '... until it moves into a workspace with one';
round();
is numbers($moved), '3', '... which holds from the next round on';
like $db->selectrow_array('SELECT GROUP_CONCAT(DISTINCT action) FROM audit WHERE workspace_id = ?', undef, $ws),
	qr/artifact\.retention_changed.*artifact\.versions_expired.*workspace\.retention_changed/, 'all is audited';

# A round beside restores of the oldest: one of both, and there is always a live version with its files.
$art = made(12, visibility => 'public');
aged($art, 10);
as($ann, PUT => "/v1/artifacts/$art/retention", { keep => 1 });
$db->do("DELETE FROM sweep WHERE name = 'retention'");
my $pid = fork // die;
if (!$pid) { $stack->runner; require POSIX; POSIX::_exit(0) }
my @said = map { said(as($ann, POST => "/v1/artifacts/$art/versions/$_/restore")) } 1 .. 11;
waitpid $pid, 0;
is join(' ', grep { !/^(?:200|404 )/ } @said), '', 'each restore succeeds, or its version is gone';
my $live = as($ann, GET => "/v1/artifacts/$art")->{json}{artifact}{version_no};
is $api->get_site("r$n", '/')->{body}, "version $live", 'the live one is served';
$stack->runner;
clean('after a race');
finish($stack);
