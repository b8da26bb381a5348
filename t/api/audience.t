# SPDX-License-Identifier: Apache-2.0
# What a new artifact becomes when its publisher doesn't say: as its folder has it, or the nearest one above that does, or the workspace;
# never more than the publisher may.
use Vitrine::Words qw(as said refused);
use Vitrine::Counted;
use Vitrine::Visitor;

my ($stack, $api, $db) = stack(publish_per_hour => 100_000);
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben cat eve);
my $ws = as('ann', POST => '/v1/workspaces', { name => 'Team', settings => { default_visibility => 'unlisted' } })->{json}{workspace};
is_deeply $ws->{settings}, { member_access => 'viewer', default_visibility => 'unlisted', description => undef },
	'a workspace that is made with a default';
my $path = "/v1/workspaces/$ws->{id}";
$stack->seat($ws->{id}, $user{ben}, 'admin');
$stack->seat($ws->{id}, $user{cat}, 'member');
my $elsewhere = as('eve', POST => '/v1/workspaces', { name => 'Other' })->{json}{workspace};
is $elsewhere->{settings}{default_visibility}, undef, 'and one without';

sub publish {
	my ($who, %in) = @_;
	return as($who, POST => '/v1/publish', { name => 'Page', files => [{ path => 'index.html', content => 'x' . rand }], %in });
}
sub seen {
	my ($r) = @_;
	return join ' ', map { $_ // 'null' } $r->{json}{artifact}{visibility},
		$db->selectrow_array('SELECT visibility FROM artifact WHERE id = ?', undef, $r->{json}{artifact}{id} // ''),
		$r->{json}{held_for};
}
sub default_of { my ($who, $value) = @_; return as($who, PATCH => $path, { settings => { default_visibility => $value } }) }
sub folder { my ($who, %in) = @_; return as($who, POST => "$path/folders", \%in) }

# ---- of a workspace

is seen(publish('cat', workspace_id => $ws->{id})), 'unlisted unlisted null', 'a new artifact';
is seen(publish('cat', workspace_id => $ws->{id}, visibility => 'private')), 'private private null', '... that says what it is to be';
is seen(publish('cat', workspace_id => $ws->{id}, visibility => 'public')), 'public public null', '... also more';
is seen(publish('cat')), 'private private null', 'outside of workspaces nothing is different';
my $id = publish('cat', workspace_id => $ws->{id}, visibility => 'private')->{json}{artifact}{id};
is seen(publish('cat', artifact_id => $id)), 'private private null', 'a version changes nothing';
is seen(publish('cat', workspace_id => $ws->{id}, draft => $true)), 'unlisted unlisted null', 'a draft becomes it when it goes live';
default_of('ben', 'public');
is as('cat', GET => $path)->{json}{workspace}{settings}{default_visibility}, 'public', 'an admin changes it, and members see it';
is seen(publish('cat', workspace_id => $ws->{id})), 'public public null', '... at once';
as('ben', PATCH => $path, { settings => { member_access => 'viewer' } });
is as('cat', GET => $path)->{json}{workspace}{settings}{default_visibility}, 'public', 'left out it stays';
default_of('ben', undef);
is as('cat', GET => $path)->{json}{workspace}{settings}{default_visibility}, undef, 'null ends it';
is seen(publish('cat', workspace_id => $ws->{id})), 'private private null', '... private, then';
refused(default_of('cat', 'public'), '403 ACCESS_DENIED', 'a member does not');
refused(default_of('eve', 'public'), '404 NOT_FOUND', 'nor a stranger');
refused(default_of('ben', 'secret'), '400 INVALID_REQUEST', 'no visibility', qr/default_visibility: /);
refused(default_of('ben', 1), '400 INVALID_REQUEST', 'no text', qr/default_visibility: /);
like $db->selectrow_array("SELECT after_it FROM audit WHERE workspace_id = ? AND action = 'workspace.changed' "
		. "AND after_it LIKE '%\"default_visibility\":\"public\"%' ORDER BY id LIMIT 1", undef, $ws->{id}),
	qr/"default_visibility":"public"/, 'it is written down';

# ---- of a folder

my $top = folder('ben', name => 'Top', default_visibility => 'public')->{json}{folder};
is $top->{default_visibility}, 'public', 'a folder that is made with one';
my @in = ($top);
push @in, folder('cat', name => "In $_", parent_id => $in[-1]{id})->{json}{folder} for 2 .. 10;
is $in[-1]{default_visibility}, undef, 'one in it says nothing itself';
is seen(publish('cat', workspace_id => $ws->{id}, folder_id => $in[-1]{id})), 'public public null',
	'nine deep: as the nearest above has it';
as('ben', PATCH => "$path/folders/$in[4]{id}", { default_visibility => 'unlisted' });
is seen(publish('cat', workspace_id => $ws->{id}, folder_id => $in[$_->[0]]{id})), "$_->[1] $_->[1] null", "folder $_->[0]"
	for [0, 'public'], [3, 'public'], [4, 'unlisted'], [9, 'unlisted'];
my $plain = folder('cat', name => 'Plain')->{json}{folder};
default_of('ben', 'unlisted');
is seen(publish('cat', workspace_id => $ws->{id}, folder_id => $plain->{id})), 'unlisted unlisted null',
	'none above says: as the workspace has it';
as('ben', PATCH => "$path/folders/$plain->{id}", { default_visibility => 'private' });
is seen(publish('cat', workspace_id => $ws->{id}, folder_id => $plain->{id})), 'private private null', 'private is something that it says';
as('ben', PATCH => "$path/folders/$plain->{id}", { default_visibility => undef });
is seen(publish('cat', workspace_id => $ws->{id}, folder_id => $plain->{id})), 'unlisted unlisted null', 'null is not';
is as('cat', PATCH => "$path/folders/$top->{id}", { name => 'Top 1' })->{json}{folder}{default_visibility}, 'public',
	'renamed by a member, it keeps it';
is as('cat', PATCH => "$path/folders/$top->{id}", { name => 'Top', default_visibility => 'public' })->{status}, 200,
	'... who may say what it is';
refused(as('cat', PATCH => "$path/folders/$top->{id}", { default_visibility => $_ }), '403 ACCESS_DENIED', 'but not what it is to be',
	qr/^default_visibility: only admins/) for 'private', undef;
refused(folder('cat', name => 'Mine', default_visibility => 'private'), '403 ACCESS_DENIED', 'nor of a new one',
	qr/^default_visibility: only admins/);
refused(as('eve', PATCH => "$path/folders/$top->{id}", { default_visibility => 'private' }), '404 NOT_FOUND', 'a stranger');
refused(as('eve', PATCH => "/v1/workspaces/$elsewhere->{id}/folders/$top->{id}", { default_visibility => 'private' }), '404 NOT_FOUND',
	'... from elsewhere');
refused(publish('eve', workspace_id => $elsewhere->{id}, folder_id => $top->{id}), '404 NOT_FOUND', 'nor published into', qr/^folder_id: /);
is $db->selectrow_array("SELECT COUNT(*) FROM audit WHERE workspace_id = ? AND action = 'folder.changed'", undef, $ws->{id}), 3,
	'it is written down';
my $moved = publish('cat', workspace_id => $ws->{id}, visibility => 'private')->{json}{artifact}{id};
as('cat', POST => "$path/artifacts/$moved/move", { folder_id => $top->{id} });
is $db->selectrow_array('SELECT visibility FROM artifact WHERE id = ?', undef, $moved), 'private', 'moving into a folder opens nothing';

# ---- never more than the publisher may

my %bot = map {
	$_ => { token => as('ben', POST => "$path/agent-tokens",
		{ name => 'Bot', scopes => ['artifacts:publish', 'artifacts:read'], opens_to => $_ })->{json}{token} };
} qw(private unlisted public);
sub by {
	my ($bot, %in) = @_;
	return $api->call(POST => '/v1/publish',
		{ token => $bot{$bot}{token}, json => { name => 'Page', files => [{ path => 'index.html', content => 'x' . rand }], %in } })
}
is seen(by($_->[0], folder_id => $top->{id}, workspace_id => $ws->{id})), $_->[1], "an agent up to $_->[0]"
	for [private => 'private private ceiling'], [unlisted => 'private private ceiling'], [public => 'public public null'];
is seen(by('unlisted')), 'unlisted unlisted null', '... and what is not above it';
my $personal = { token => $api->call(POST => "$path/members/$user{ben}{id}/tokens",
	{ token => $user{ann}{token}, json => { name => 'Narrow', opens_to => 'private' } })->{json}{token} };
refused($api->call(PATCH => $path, { token => $personal->{token}, json => { settings => { default_visibility => 'public' } } }),
	'403 ABOVE_CEILING', 'nor does one open by a default', qr/^settings\.default_visibility: needs public/);
refused($api->call(PATCH => "$path/folders/$plain->{id}", { token => $personal->{token}, json => { default_visibility => 'unlisted' } }),
	'403 ABOVE_CEILING', '... of a folder', qr/^default_visibility: needs unlisted/);
as('ann', PATCH => "$path/publish-policy", { policy => 'require_approval' });
my $r = publish('ben', workspace_id => $ws->{id}, folder_id => $top->{id});
is seen($r), 'private private approval', 'where others approve: an admin, too';
is $r->{json}{approval_required}, $true, '... and the reply says so';
is seen(by('private', workspace_id => $ws->{id}, folder_id => $top->{id})), 'private private approval', 'both';

# ---- on the pages

$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for qw(ben cat);
my %come = map { my $v = Vitrine::Visitor->new($api); $v->sign_in("$_\@example.org", 'the password'); ($_ => $v) } qw(ben cat);
my $page = "/w/$ws->{id}";
like $come{cat}->go("$page/settings")->{text}, qr{<dt>New artifacts</dt><dd>unlisted: for anyone}, 'a member reads what it is';
like $come{ben}->go("$page/settings")->{text}, qr{<option value="unlisted" selected>}, 'an admin chooses';
$come{ben}->submit(qr{/settings$}, { name => 'Team', slug => $ws->{slug}, member_access => 'viewer', default_visibility => 'public' });
is as('cat', GET => $path)->{json}{workspace}{settings}{default_visibility}, 'public', '... and it is so';
like $come{cat}->go($page)->{text}, qr/Anyone can open it as soon as it.s published\./, 'who drops files there is told';
like $come{cat}->go("$page/folders/$in[4]{id}")->{text}, qr/Anyone with the address can open it as soon as it.s published\./,
	'... in a folder, too';
unlike $come{cat}->{page}{text}, qr{/folders/$in[4]{id}/visibility}, 'a member is offered no choice';
is $come{cat}->send(GET => "$page/folders/$in[4]{id}/visibility")->{status}, 403, '... and has none';
like $come{ben}->go("$page/folders/$in[4]{id}")->{text}, qr{/folders/$in[4]{id}/visibility}, 'an admin is';
like $come{ben}->go("$page/folders/$in[4]{id}/visibility")->{text}, qr{value="unlisted" checked.*}s, '... and sees what it is';
like $come{ben}->{page}{text}, qr{As in the folder above or the workspace<small class="sentence">Anyone can open them},
	'... and what it would be';
like $come{ben}->submit(qr{/visibility$}, { default_visibility => 'inherit' })->{text},
	qr/Saved\. Artifacts already in the folder don.t change/, '... changes it';
is as('cat', GET => "$path/folders/$in[4]{id}")->{json}{folder}{default_visibility}, undef, '... to nothing of its own';
is $come{cat}->send(POST => "$page/folders/$in[4]{id}/visibility", body => 'default_visibility=public',
	headers => { 'Content-Type' => 'application/x-www-form-urlencoded' })->{status}, 403, 'nor by a form';

# ---- and no statement more than it took before

as('ann', PATCH => "$path/publish-policy", { policy => 'open' });
Vitrine::Counted::still($stack);
my %took = map { my ($what, @in) = @$_; publish('cat', @in); ($what => (Vitrine::Counted::counted($db, sub { publish('cat', @in) }))[1]) }
	['said', workspace_id => $ws->{id}, folder_id => $in[-1]{id}, visibility => 'public'],
	['not said', workspace_id => $ws->{id}, folder_id => $in[-1]{id}];
Vitrine::Counted::go_on($stack);
is $took{'not said'}, $took{said}, 'looking up ten folders is no statement more';
finish($stack);
