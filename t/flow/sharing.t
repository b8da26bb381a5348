# SPDX-License-Identifier: Apache-2.0
# A client of a workspace, from the first invitation to the last request: two people, one of whom has no account yet; a folder to look at,
# an artifact to work on, a folder to add to; they see exactly that, wherever they ask; what they make stays closed; a token that reads
# data; and an end, while they go on asking.
use Time::HiRes ();
use Vitrine::Smtp;
use Vitrine::Visitor;
use Vitrine::Words qw(as said);

my $smtp = Vitrine::Smtp->new;
my ($stack, $api, $db) = stack($smtp->conf, publish_per_hour => 100_000, data_per_minute => 100_000);
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben kim);
my $ws = as('ann', POST => '/v1/workspaces', { name => 'Northwind Studio', slug => 'northwind' })->{json}{workspace}{id};
$stack->seat($ws, $user{ben}, 'member');
my $at = "/v1/workspaces/$ws";
sub made { my ($r, $what) = @_; is $r->{status}, 201, $what or diag $r->{body}; return $r->{json} }
sub status { my ($who, $method, $path, @more) = @_; return as($who, $method => $path, @more)->{status} }

is said(as('ann', POST => "$at/sharees", { name => 'Harbour Foods' })), '403 EXTERNAL_SHARING_NOT_ENTITLED', 'the plan does not have it';
$stack->ctl(qw(workspace feature northwind external_sharing on));
is said(as('ben', POST => "$at/sharees", { name => 'Harbour Foods' })), '403 EXTERNAL_SHARING_NOT_ENTITLED',
	'nor has a member, in the same words';
is status('kim', POST => "$at/sharees", { name => 'Harbour Foods' }), 404, 'for a stranger there is no such workspace';

# ---- a client, its people, and what they may do

my $client = made(as('ann', POST => "$at/sharees", { name => 'Harbour Foods', type => 'client' }), 'a client')->{sharee}{id};
my ($kim, $lou) = map {
	made(as('ann', POST => "$at/sharees/$client/members", { email => "$_\@example.org" }), "$_ is invited")->{member}{id};
} qw(kim lou);
is $kim, $user{kim}{id}, 'one has an account';
is_deeply [map { $_->{status} } sort { $a->{email} cmp $b->{email} } @{as('ann', GET => "$at/sharees/$client/members")->{json}{members}}],
	['active', 'invited'], '... and one does not';
$stack->runner;
is join(' ', sort map { $_->{headers}{to} } $smtp->mails), 'kim@example.org lou@example.org', 'both are told by mail';

my %folder = map { $_ => made(as('ann', POST => "$at/folders", { name => $_ }), "a folder, $_")->{folder}{id} } qw(Reports Drop Other);
$folder{2026} = made(as('ann', POST => "$at/folders", { name => '2026', parent_id => $folder{Reports} }), 'a folder in one')->{folder}{id};
sub page {
	my ($slug, $folder) = @_;
	return $api->publish($user{ann}, slug => $slug, name => ucfirst $slug, workspace_id => $ws,
		$folder ? (folder_id => $folder{$folder}) : (), files => { 'index.html' => "page $slug" });
}
my %art = (deep => page('deep', '2026'), work => page('work'), secret => page('secret'), other => page('other', 'Other'));
for my $slug (keys %art) {
	status('ann', PUT => "/v1/data/$art{$slug}/json", { of => $slug });
	as('ann', POST => "/v1/artifacts/$art{$slug}/comments", { text => "about $slug" });
}
sub granted {
	my ($type, $id, $capability) = @_;
	return made(as('ann', POST => "$at/grants", { subject_type => 'sharee', subject_id => $client, resource_type => $type,
		resource_id => $id, capability => $capability }), "$capability of $type")->{grant}{id};
}
my %grant = (deep => granted(folder => $folder{Reports}, 'view'), work => granted(artifact => $art{work}, 'edit'),
	drop => granted(folder => $folder{Drop}, 'create'));

# ---- the one without an account signs in

$user{lou} = $stack->user('lou@example.org');
is $user{lou}{id}, $lou, 'lou is who was invited';
is_deeply [map { $_->{status} } @{as('ann', GET => "$at/sharees/$client/members")->{json}{members}}], ['active', 'active'],
	'... and active from then on';
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for qw(kim lou);
my %come = map { my $v = Vitrine::Visitor->new($api); $v->sign_in("$_\@example.org", 'the password'); ($_ => $v) } qw(kim lou);

# ---- they see exactly that

sub shows {
	my ($who, $slug) = @_;
	my $cookie = $come{$who}->viewer_cookie("$slug.pages.localhost", "https://$slug.pages.localhost:$stack->{port}/");
	return $api->get_site($slug, '/', $cookie ? (Cookie => $cookie) : ())->{body} =~ /^page \Q$slug\E$/ ? 1 : 0;
}
for my $who (qw(kim lou)) {
	is join(' ', map { status($who, GET => "/v1/artifacts/$art{$_}") } qw(deep work secret other)), '200 200 404 404',
		"$who: artifacts";
	is join(' ', map { status($who, GET => "/v1/data/$art{$_}/json") } qw(deep work secret other)), '200 200 404 404', '... their data';
	is join(' ', map { status($who, GET => "/v1/artifacts/$art{$_}/comments") =~ s/403/404/r } qw(deep work secret other)),
		'404 200 404 404', '... comments, where they may comment';
	is join(' ', map { shows($who, $_) } qw(deep work secret other)), '1 1 0 0', '... pages';
	is join(' ', map { status($who, GET => $_) } $at, "$at/folders", "$at/members", "$at/people", "$at/assets", "$at/grants",
		"$at/sharees", "$at/sharees/$client/context"), join(' ', (404) x 8), '... nothing of the workspace';
	is_deeply [map { scalar @{as($who, GET => $_)->{json}{(split m{[/?]})[2]}} } '/v1/artifacts', '/v1/artifacts?owner=shared',
		'/v1/workspaces'], [0, 0, 0], '... and no list has any of it';
	is join(' ',
		sort map { "$_->{resource_type}:$_->{resource_name}:$_->{capability}" } @{as($who, GET => '/v1/shared')->{json}{shared}}),
		'artifact:Work:edit folder:Drop:create folder:Reports:view', '... but the one that is theirs';
}

# ---- what they may do

is status('kim', PUT => "/v1/data/$art{deep}/json", { n => 1 }), 403, 'who sees a page does not write its data';
is status('kim', PUT => "/v1/data/$art{work}/json", { n => 1 }), 200, '... who edits it does';
is status('kim', POST => "/v1/artifacts/$art{work}/comments", { text => 'Can we see October?' }), 201, '... and comments';
is said(as('kim', POST => '/v1/publish', { slug => 'work', name => 'Work', files => [{ path => 'index.html', content => 'page work' }] })),
	'201 ', '... and publishes a version';
is said(as('kim', POST => '/v1/publish', { slug => 'work', name => 'Work', files => [{ path => 'index.html', content => 'page work' },
	{ path => 'vitrine.yaml', content => "policy: { default: everyone }\n" }] })), '403 ACCESS_DENIED',
	'... but not one that changes its data';
is status('kim', POST => '/v1/publish', { slug => 'deep', name => 'Deep', files => [{ path => 'index.html', content => 'page deep' }] }),
	403, '... not of what they only see';
is join(' ', map { status('kim', @$_) } [PATCH => "/v1/artifacts/$art{work}", { visibility => 'public' }],
	[PATCH => "/v1/artifacts/$art{work}", { name => 'Mine' }], [DELETE => "/v1/artifacts/$art{work}"],
	[POST => "/v1/artifacts/$art{work}/transfer-ownership", { email => 'kim@example.org' }],
	[POST => "/v1/artifacts/$art{work}/collaborators", { emails => ['kim@example.org'], role => 'editor' }]), join(' ', (403) x 5),
	'... and nothing that an owner does';
is join(' ', map { status('kim', $_->[0] => "/v1/data/$art{work}/policy$_->[1]", $_->[2]) } [GET => ''], [GET => '/versions'],
	[PUT => '', { policy => undef }], [POST => '/try', { as => { stranger => $true } }]), join(' ', (403) x 4),
	'... and sees and changes no rules of its data';
my $new = made(as('kim', POST => '/v1/publish', { slug => 'photos', name => 'Photos', visibility => 'public', folder_id => $folder{Drop},
	files => [{ path => 'index.html', content => 'page photos' }] }), 'one adds to the folder');
is_deeply [@{as('kim', GET => "/v1/artifacts/$new->{artifact}{id}")->{json}{artifact}}{qw(visibility workspace_id folder_id)}],
	['private', $ws, $folder{Drop}], '... where it is private, whatever was asked for';
is $db->selectrow_array('SELECT owner_id FROM artifact WHERE id = ?', undef, $new->{artifact}{id}), $user{ann}{id},
	'... and the workspace\'s';
is status('kim', PATCH => "/v1/artifacts/$new->{artifact}{id}", { visibility => 'public' }), 403, '... and stays so';
is status('lou', GET => "/v1/artifacts/$new->{artifact}{id}"), 200, 'the other sees it';
is status('kim', POST => '/v1/publish', { slug => 'elsewhere', name => 'E', folder_id => $folder{Reports},
	files => [{ path => 'index.html', content => 'x' }] }) =~ s/403/404/r, 404, 'nowhere else';

# ---- a token

my $token = made(as('ann', POST => "$at/sharees/$client/members/$lou/tokens", { scopes => ['data:read'], name => 'Dashboard' }),
	'a token')->{token};
like $token, qr/^sot_/, '... of its kind';
my $by = { id => $lou, token => $token };
is join(' ', map { status($by, GET => "/v1/data/$art{$_}/json") } qw(deep work secret other)), '200 200 404 404',
	'... reads data where its client may';
is said(as($by, GET => "/v1/artifacts/$art{work}")), '403 INSUFFICIENT_SCOPE', '... and nothing else';
is said(as($by, PUT => "/v1/data/$art{work}/json", { n => 2 })), '403 INSUFFICIENT_SCOPE', '... nor writes';

# ---- what was done is seen

my @did = map { "$_->{action} $_->{resource_name}" } @{as('ann', GET => "$at/sharees/$client/activity")->{json}{activity}};
for my $want ('view Deep', 'view Work', 'comment Work', 'edit Work', 'create Photos') {
	is scalar(grep { $_ eq $want } @did), $want =~ /^view/ ? 2 : 1, "activity: $want" or diag explain \@did;
}

# ---- and an end, while they ask

# Pairs of when a request began and its status, of each reply so far.
sub asked { my ($what) = @_; return map { [split] } split /\n/, Vitrine::Stack::slurp("$stack->{dir}/asked-$what") }
# Asks again and again.
my @asking;
sub asking {
	my ($what, $who, $path) = @_;
	my $pid = fork // die;
	if (!$pid) {
		my $own = Vitrine::Api->new($stack, unchecked => 1);
		open my $to, '>', "$stack->{dir}/asked-$what" or die;
		syswrite $to, sprintf "%.6f %d\n", Time::HiRes::time,
			$own->call(GET => $path, { token => $who->{token} })->{status} while 1;
	}
	push @asking, $pid;
}
asking(@$_) for ['folder', $user{kim}, "/v1/artifacts/$art{deep}"], ['data', $user{lou}, "/v1/data/$art{deep}/json"],
	['token', $by, "/v1/data/$art{deep}/json"];
my @all = qw(folder data token);
Vitrine::Stack::wait_for('replies', 60, sub { !grep { !grep { $_->[1] == 200 } asked($_) } @all });
is status('ann', DELETE => "$at/grants/$grant{deep}"), 200, 'the folder is taken back';
my $over = Time::HiRes::time;
Vitrine::Stack::wait_for('replies after that', 60, sub { !grep { 10 > grep { $_->[0] > $over } asked($_) } @all });
kill 'KILL', @asking;
waitpid $_, 0 for @asking;
for my $what (@all) {
	my @asked = asked($what);
	is scalar(grep { $_->[0] > $over && $_->[1] != 404 } @asked), 0, "$what: nothing after the reply";
	cmp_ok scalar(grep { $_->[1] == 200 } @asked), '>', 0, '... and something before';
}
is shows('kim', 'deep'), 0, 'the page is gone, too';
is status('kim', GET => "/v1/artifacts/$art{work}"), 200, 'the rest stays';
is status('ann', DELETE => "$at/sharees/$client/members/$lou"), 200, 'one leaves the client';
is join(' ', status('lou', GET => "/v1/artifacts/$art{work}"), status($by, GET => "/v1/data/$art{work}/json")), '404 401',
	'... and has nothing, nor has the token';
is status('kim', GET => "/v1/artifacts/$art{work}"), 200, 'the other stays';
$stack->ctl(qw(workspace feature northwind external_sharing off));
is status('kim', GET => "/v1/artifacts/$art{work}"), 404, 'the plan ends, and all sleeps';
$stack->ctl(qw(workspace feature northwind external_sharing on));
is status('kim', GET => "/v1/artifacts/$art{work}"), 200, '... to wake again';
is status('ann', DELETE => "$at/sharees/$client"), 200, 'the client is removed';
is status('kim', GET => "/v1/artifacts/$art{work}"), 404, '... and nothing is left of it';
is status('kim', GET => "/v1/artifacts/$new->{artifact}{id}"), 404, '... but what they made, which is the workspace\'s';
is status('ann', GET => "/v1/artifacts/$new->{artifact}{id}"), 200, '... and stays';
is $stack->ctl('fsck', '--quick'), 'clean';
finish($stack);
