# SPDX-License-Identifier: Apache-2.0
# Grants of a workspace: given to clients and people outside, of folders, artifacts and files; replaced, listed, ended; by address with an
# e-mail; who may; what ends them.
use Vitrine::Smtp;
use Vitrine::World;
use Vitrine::Words qw(as refused said);

my $smtp = Vitrine::Smtp->new;
my ($stack, $api, $db) = stack($smtp->conf);
my $world = Vitrine::World->new($stack);
my ($ann, $ben, $cat, $eve, $pat, $kim) = map { $stack->user("$_\@example.org") } qw(ann ben cat eve pat kim);
sub made {
	my ($who, $name) = @_;
	my $id = as($who, POST => '/v1/workspaces', { name => $name })->{json}{workspace}{id};
	$db->do('UPDATE workspace SET features_on = 1 WHERE id = ?', undef, $id);
	return $id;
}
my ($ws, $other) = (made($ann, 'Team'), made($eve, 'Other'));
$stack->seat($ws, $ben, 'admin');
$stack->seat($ws, $cat, 'member');
my ($at, $person) = map { "/v1/workspaces/$ws/$_" } qw(grants share-person);
sub client { my ($in, $name, @people) = @_; my $id = $world->id('shr');
	$db->do("INSERT INTO sharee (id, workspace_id, name, name_key, created_at) VALUES (?, ?, ?, ?, 0)", undef, $id, $in, $name, $name);
	$db->do('INSERT INTO sharee_member (sharee_id, user_id, workspace_id, created_at) VALUES (?, ?, ?, 0)', undef, $id, $_->{id}, $in)
		for @people;
	$db->do('UPDATE user SET outside = TRUE WHERE id = ?', undef, $_->{id}) for @people;
	return $id }
sub file {
	my ($in, $who, $visibility) = @_;
	my $id = $world->make(dlv => ws => $in, user => $who->{id});
	$db->do('UPDATE deliverable SET visibility = ? WHERE id = ?', undef, $visibility, $id);
	return $id;
}
my ($acme, $foreign) = (client($ws, 'Acme', $pat), client($other, 'Foreign', $kim));
my $folder = as($ann, POST => "/v1/workspaces/$ws/folders", { name => 'Reports' })->{json}{folder}{id};
my $art = $api->publish($cat, slug => 'plan', name => 'Plan', workspace_id => $ws);
my $open = file($ws, $cat, 'workspace');
sub body {
	return { subject_type => 'sharee', subject_id => $acme, resource_type => 'folder', resource_id => $folder,
		capability => 'view', @_ };
}
sub give { my ($who, @with) = @_; return as($who, POST => $at, body(@with)) }
sub listed { my ($query) = @_; return join ' ', map { $_->{id} } @{as($ben, GET => "$at$query")->{json}{grants}} }

# ---- giving

my $r = give($ben);
is $r->{status}, 201, 'an admin gives a client a folder' or diag $r->{body};
my $first = $r->{json}{grant};
like $first->{id}, qr/^grt_[0-9a-z]{26}$/, 'it has an id';
is_deeply $first, { id => $first->{id}, subject_type => 'sharee', subject_id => $acme, subject_name => 'Acme', resource_type => 'folder',
	resource_id => $folder, resource_name => 'Reports', capability => 'view',
	expires_at => undef, created_by => $ben->{id}, created_at => $first->{created_at} }, 'with exactly these members';
my $end = time + 86400;
$r = give($ann, capability => 'create', expires_at => $end);
is $r->{status}, 200, 'another capability for the same takes its place';
is_deeply $r->{json}{grant}, { %$first, capability => 'create', expires_at => $end }, '... with its end; who gave it first stays';
is give($ann, capability => 'create', expires_at => undef)->{json}{grant}{expires_at}, undef, 'null takes the end away';
give($ann, capability => 'create', expires_at => $end);
is give($ann, capability => 'edit')->{json}{grant}{expires_at}, undef, '... and so does leaving it out';
is $db->selectrow_array('SELECT COUNT(*) FROM share_grant'), 1, 'of one subject and thing there is one';
my $of_art = give($ann, subject_type => 'external_user', subject_id => $pat->{id}, resource_type => 'artifact', resource_id => $art,
	capability => 'comment');
is_deeply { map { $_ => $of_art->{json}{grant}{$_} } qw(subject_name resource_name) }, { subject_name => 'pat@example.org',
	resource_name => 'Plan' }, 'an admin gives any artifact of the workspace, to one person' or diag $of_art->{body};
$r = give($ann, resource_type => 'file', resource_id => $open, capability => 'comment');
is $r->{json}{grant}{capability}, 'view', 'a file has no comments: comment is view';
like $r->{json}{warnings}[0], qr/^capability: a file has no comments/, '... and the reply says so';
is give($ann, resource_type => 'file', resource_id => $open, capability => 'edit')->{json}{grant}{capability}, 'edit',
	'a file can be given for edit';
my $of_file = $r->{json}{grant}{id};

# ---- what can't be given

refused(give($ann, @$_[1 .. $#$_]), '400 INVALID_REQUEST', $_->[0], $_->[-1] eq 'x' ? undef : qr/^(?:capability|expires_at):/)
	for ['create on an artifact', resource_type => 'artifact', resource_id => $art, capability => 'create'],
	['create on a file', resource_type => 'file', resource_id => $open, capability => 'create'],
	['an end that is over', expires_at => time - 1], ['an end in six years', expires_at => time + 6 * 365 * 86400];
my ($theirs) = map { $_->{json}{folder}{id} } as($eve, POST => "/v1/workspaces/$other/folders", { name => 'Theirs' });
my $own_art = $api->publish($cat, slug => 'own');
my $hidden = file($ws, $cat, 'private');
refused(give($ann, @$_[1, 2, 3, 4]), '404 NOT_FOUND', $_->[0], qr/^resource_id: the workspace has no such/)
	for ['a folder of another workspace', resource_type => 'folder', resource_id => $theirs],
	['an artifact of nobody\'s workspace', resource_type => 'artifact', resource_id => $own_art],
	['a colleague\'s private file', resource_type => 'file', resource_id => $hidden], ['an artifact as a folder',
		resource_type => 'folder', resource_id => $art], ['no file', resource_type => 'file', resource_id => 'x'];
refused(give($ann, resource_type => 'file', resource_id => file($ws, $ann, 'private')), '409 CONFLICT', 'a private file of one\'s own',
	qr/let the workspace see it first/);
refused(give($ann, subject_id => $_->[0]), '404 NOT_FOUND', $_->[1], qr/^subject_id:/)
	for [$foreign, 'a client of another workspace'], [$pat->{id}, 'a person as a client'], ['x', 'no client'];
refused(give($ann, subject_type => 'external_user', subject_id => $_->[0]), '404 NOT_FOUND', $_->[1], qr/^subject_id: nobody/)
	for [$kim->{id}, 'somebody whom this workspace doesn\'t know'], ['usr_' . '0' x 26, 'nobody'];
refused(give($ann, subject_type => 'external_user', subject_id => $cat->{id}), '409 INTERNAL_MEMBER', 'a member of the workspace');
as($cat, DELETE => "/v1/artifacts/$art");
refused(give($ann, resource_type => 'artifact', resource_id => $art), '404 NOT_FOUND', 'an artifact in the trash');
as($cat, POST => "/v1/artifacts/$art/restore");

# ---- who may

my $lapsed = made($eve, 'Lapsed');
$db->do('UPDATE workspace SET features_on = 0, features_off = 1 WHERE id = ?', undef, $lapsed);
for my $path ($at, $person) {
	refused(as($cat, POST => $path, body()), '403 EXTERNAL_SHARING_NOT_ENTITLED', "a member doesn't: $path");
	refused(as($pat, POST => $path, body()), '404 NOT_FOUND', 'an outsider knows of nothing');
	refused(as($eve, POST => $path =~ s/\Q$ws/$lapsed/r, body()), '403 EXTERNAL_SHARING_NOT_ENTITLED',
		'nobody where the plan doesn\'t have it');
}
refused(as($cat, GET => $at), '403 EXTERNAL_SHARING_NOT_ENTITLED', 'a member sees no list');
refused(as($cat, DELETE => "$at/$first->{id}"), '403 EXTERNAL_SHARING_NOT_ENTITLED', '... and ends none');
my $foreign_grant = as($eve, POST => "/v1/workspaces/$other/grants",
	body(subject_id => $foreign, resource_id => $theirs))->{json}{grant}{id};
refused(as($ann, DELETE => "$at/$foreign_grant"), '404 NOT_FOUND', 'a grant of another workspace under this one');

# ---- the list

is listed(''), "$of_file $of_art->{json}{grant}{id} $first->{id}", 'newest first';
is listed("?subject_id=$acme"), "$of_file $first->{id}", 'of one client';
is listed("?subject_id=$pat->{id}"), $of_art->{json}{grant}{id}, 'of one person';
is listed('?resource_type=folder'), $first->{id}, 'of one kind';
is listed("?resource_id=$art"), $of_art->{json}{grant}{id}, 'of one thing';
is listed("?resource_id=$art&subject_id=$acme"), '', 'of both';
is listed("?subject_id=$foreign"), '', 'of another workspace\'s client';
$db->do("UPDATE deliverable SET visibility = 'private' WHERE id = ?", undef, $open);
is as($ann, GET => "$at?resource_id=$open")->{json}{grants}[0]{resource_name}, undef, 'a file that is private again has no name there';
$db->do("UPDATE deliverable SET visibility = 'workspace' WHERE id = ?", undef, $open);

# ---- by address

sub share {
	my ($who, %with) = @_;
	return as($who, POST => $person,
		{ email => 'new@example.net', resource_type => 'folder', resource_id => $folder, capability => 'view', %with });
}
$r = share($ben, message => "Have a look.\nBen");
is $r->{status}, 201, 'shared with an address that has no account' or diag $r->{body};
my ($guest, $grant) = @{$r->{json}}{qw(person grant)};
is_deeply $r->{json}, { success => $true, mailed => $true, person => { id => $guest->{id}, email => 'new@example.net', name => undef,
	status => 'invited' }, grant => { id => $grant->{id}, subject_type => 'external_user', subject_id => $guest->{id},
		subject_name => 'new@example.net', resource_type => 'folder', resource_id => $folder, resource_name => 'Reports',
		capability => 'view', expires_at => undef, created_by => $ben->{id}, created_at => $grant->{created_at} } },
		'... with exactly these members';
is $db->selectrow_array('SELECT outside FROM user WHERE id = ?', undef, $guest->{id}), 1, '... who may have something from now on';
$r = share($ann, email => 'Kim@Example.org', capability => 'comment', expires_at => $end);
is_deeply [sort keys %{$r->{json}}], [qw(grant mailed person success)], 'one that has an account is answered alike';
is_deeply { %{$r->{json}{person}} }, { id => $kim->{id}, email => 'kim@example.org', name => undef, status => 'active' }, '... as who it is'
	or diag $r->{body};
is $r->{json}{grant}{expires_at}, $end, '... until then';
is share($ann)->{json}{mailed}, $false, 'the same again mails nobody';
is share($ann, capability => 'comment')->{json}{grant}{id}, $grant->{id}, 'something else takes its place';
is share($ann, resource_type => 'artifact', resource_id => $art, capability => 'edit')->{status}, 201, 'an artifact can be shared for edit';
refused(share($ann, capability => 'edit'), '400 INVALID_REQUEST', 'a folder can\'t', qr/^capability: a folder is shared/);
refused(share($ann, capability => 'create'), '400 INVALID_REQUEST', '... nor for create', qr/^capability/);
refused(share($ann, email => 'cat@example.org'), '409 INTERNAL_MEMBER', 'a member of the workspace');
my $people = $db->selectrow_array('SELECT COUNT(*) FROM user');
refused(share($ann, email => 'nobody@example.net', resource_id => $theirs), '404 NOT_FOUND', 'a folder of others');
is $db->selectrow_array('SELECT COUNT(*) FROM user'), $people, '... which makes no guest';
is give($ann, subject_type => 'external_user', subject_id => $guest->{id}, resource_type => 'file', resource_id => $open)->{status}, 201,
	'who has something here is known by id, too';

$db->do("UPDATE workspace SET brand_name = 'Team & Co' WHERE id = ?", undef, $ws);
$stack->ctl('user', 'disable', 'eve@example.org');
is share($ann, email => 'eve@example.org')->{json}{mailed}, $false,
	'an account that is disabled is shared with like any other, and not mailed';
share($ann, email => 'pat@example.org', resource_type => 'artifact', resource_id => $art, capability => 'edit');
my @mails = map { $_->[0] } @{$db->selectall_arrayref("SELECT payload FROM outbox WHERE kind = 'mail' ORDER BY id")};
is scalar(grep { /"shared"|Reports|Plan/ } @mails), 5, 'five e-mails wait' or diag join "\n", @mails;
like $mails[0], qr/Have a look/, 'with the message';
like $mails[0], qr{"link":"/auth/password/set\?link=}, '... and for a guest a link to choose a password';
like $mails[1], qr{"link":"/shared"}, 'for who has an account one to what is shared';
like $mails[-1], qr{/v1/open/plan.*Team & Co|Team & Co.*/v1/open/plan}s, 'or to the artifact, as the workspace shows itself';

# ---- at once

my @said = Vitrine::Api::together($stack, 8, sub {
	my ($own, $n) = @_;
	said($own->call(POST => $at, { token => $ann->{token},
		json => body(resource_type => 'artifact', resource_id => $art, capability => $n % 2 ? 'view' : 'edit') }));
});
is join(' ', sort @said), join(' ', ('200 ') x 7, '201 '), 'the same pair eight times at once is made once';
@said = Vitrine::Api::together($stack, 4, sub {
	my ($own) = @_;
	said($own->call(POST => $person, { token => $ann->{token},
		json => { email => 'race@example.net', resource_type => 'folder', resource_id => $folder, capability => 'view' } }));
});
is join(' ', @said), join(' ', ('201 ') x 4), 'and so is a person';
is $db->selectrow_array("SELECT COUNT(*) FROM share_grant g JOIN user u ON u.id = g.subject_id "
	. "WHERE u.invited_email = 'race\@example.net'"), 1, '... who has one grant';

# ---- ending, and what ends them

is as($ben, DELETE => "$at/$first->{id}")->{status}, 200, 'ended';
refused(as($ben, DELETE => "$at/$first->{id}"), '404 NOT_FOUND', '... and is no more');
my @log = map { "@$_" } @{$db->selectall_arrayref("SELECT action, COALESCE(before_it, '-'), COALESCE(after_it, '-') FROM audit "
	. "WHERE workspace_id = ? AND target_id = ? AND before_it LIKE '%Acme%' ORDER BY id", undef, $ws, $folder)};
is $log[-1], qq(grant.ended {"subject":"Acme","subject_id":"$acme","capability":"edit","expires_at":null} -), 'each is written down'
	or diag join "\n", @log;
sub left {
	return join ' ',
		sort map { $_->[0] } @{$db->selectall_arrayref('SELECT resource_type FROM share_grant WHERE subject_id = ?', undef, $acme)};
}
give($ann, resource_id => as($ann, POST => "/v1/workspaces/$ws/folders", { name => 'Inner', parent_id => $folder })->{json}{folder}{id});
give($ann);
is left(), 'artifact file folder folder', 'a client has four';
as($ann, DELETE => "/v1/workspaces/$ws/folders/$folder?recursive=1");
is left(), 'artifact file', 'a deleted folder\'s go, and those of the folders in it';
as($cat, DELETE => "/v1/workspaces/$ws/assets/deliverables/$open");
is left(), 'artifact', 'a deleted file\'s go';
as($cat, DELETE => "/v1/artifacts/$art");
is left(), 'artifact', 'what lies in the trash keeps them';
as($cat, POST => "/v1/artifacts/$art/restore");
is as($ann, PATCH => "/v1/artifacts/$art", { workspace_id => undef })->{status}, 200, 'an artifact leaves the workspace';
is left(), '', '... without its grants';
as($cat, PATCH => "/v1/artifacts/$art", { workspace_id => $ws });
give($ann, resource_type => 'artifact', resource_id => $art);
as($cat, DELETE => "/v1/artifacts/$art?purge=1");
is left(), '', 'and so is one that is purged';

# ---- two accounts that become one

my ($lee, $max) = map { $stack->user("$_\@example.org") } qw(lee max);
my @folders = map { as($ann, POST => "/v1/workspaces/$ws/folders", { name => "Merged $_" })->{json}{folder}{id} } 1 .. 4;
share($ann, email => $_->[0]{email}, resource_id => $folders[$_->[1]], capability => $_->[2], expires_at => $_->[3])
	for [$lee, 0, 'comment', undef], [$max, 0, 'view', undef], [$lee, 1, 'view', undef], [$max, 1, 'comment', $end],
	[$lee, 2, 'view', $end], [$max, 2, 'view', $end + 9], [$lee, 3, 'view', undef];
my $out = `$stack->{build}/t/drive/merge $stack->{dir}/vitrine.yaml $lee->{id} $max->{id} 2>&1`;
is "$?$out", '0', 'merged';
is_deeply $db->selectall_arrayref('SELECT f.name, g.capability, g.expires_at FROM share_grant g JOIN folder f ON f.id = g.resource_id '
	. 'WHERE g.subject_id = ? ORDER BY f.name', undef, $max->{id}),
	[['Merged 1', 'comment', undef], ['Merged 2', 'comment', $end], ['Merged 3', 'view', $end + 9], ['Merged 4', 'view', undef]],
	'of two grants the one that gives more stays, or the one that lasts longer';
is $db->selectrow_array('SELECT COUNT(*) FROM share_grant WHERE subject_id = ?', undef, $lee->{id}), 0, '... and none of who is no more';
$stack->ctl(qw(user delete max@example.org));
is $db->selectrow_array('SELECT COUNT(*) FROM share_grant WHERE subject_id = ?', undef, $max->{id}), 0,
	'an account that is deleted takes its grants along';

# ---- fsck, and the limit

sub wrong { my (undef, $out) = $stack->program('vitrinectl', {}, 'fsck', '--quick'); return join '', map { "$_
" } grep { /^grant/ } split /
/, $out }
is wrong(), '', 'nothing is left over';
$db->do("INSERT INTO share_grant (id, workspace_id, subject_type, subject_id, resource_type, resource_id, capability, created_at) SELECT "
	. "CONCAT('grt_', LPAD(seq, 26, '0')), ?, 'sharee', ?, 'folder', CONCAT('fld_', LPAD(seq, 26, '0')), 'view', 0 FROM seq_1_to_10000",
	undef, $ws, $acme);
my $last = as($ann, POST => "/v1/workspaces/$ws/folders", { name => 'Last' })->{json}{folder}{id};
$r = give($ann, resource_id => $last);
refused($r, '409 LIMIT_REACHED', 'ten thousand in a workspace');
is $r->{json}{details}{limit}, 10000, '... is the limit';
like wrong(), qr/^grant grt_0+1: its folder, artifact or file is gone/m, 'fsck names those without a thing';
finish($stack);
