# SPDX-License-Identifier: Apache-2.0
# The people of a workspace: listing, adding, roles, leaving and all that ends then, the owner, tokens that act there, seats.
use Vitrine::Smtp;
use Vitrine::Visitor;
use Vitrine::Words qw(as refused);

my $smtp = Vitrine::Smtp->new;
my ($stack, $api, $db) = stack($smtp->conf);
my ($ann, $ben, $cat, $dan, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben cat dan eve);
$db->do("UPDATE user SET name = CONCAT(UPPER(LEFT(email, 1)), SUBSTRING(email, 2, 2), ' Archer') WHERE email <> 'eve\@example.org'");
sub made {
	my ($who, %o) = @_;
	my $r = as($who, POST => '/v1/workspaces', { name => 'Team', %o });
	is $r->{status}, 201, 'made' or diag $r->{body};
	return "/v1/workspaces/$r->{json}{workspace}{id}";
}
sub id_of { return $_[0] =~ /(wsp_\w+)/ ? $1 : die }
sub people { return join ' ', map { "$_->{email}=$_->{role}" =~ s/\@example.org//r } @{as($ann, GET => "$_[0]/members")->{json}{members}} }
sub seats {
	return $db->selectrow_array("SELECT people FROM workspace WHERE id = ?", undef, id_of($_[0])) . '/'
		. $db->selectrow_array("SELECT COUNT(*) FROM member WHERE workspace_id = ? AND role <> 'agent'", undef, id_of($_[0]));
}
sub mailed {
	my ($to) = @_;
	my @all = map {
		my $p = decode_json($_->[0]);
		"$p->{template} " . join ',', map { "$_=$p->{values}{$_}" } grep { !/link|when/ } sort keys %{$p->{values}};
	} @{$db->selectall_arrayref("SELECT payload FROM outbox WHERE kind = 'mail' AND subject = ? ORDER BY id",
		undef, "$to\@example.org")};
	$db->do("DELETE FROM outbox WHERE kind = 'mail' AND subject = ?", undef, "$to\@example.org"); return @all }
sub audit {
	my ($ws) = @_;
	return $db->selectrow_array('SELECT action FROM audit WHERE workspace_id = ? ORDER BY id DESC LIMIT 1', undef, id_of($ws));
}
my $ws = made($ann, name => 'Northwind');

# ---- adding

my $r = as($ann, POST => "$ws/members", { email => 'Ben@Example.org', role => 'admin' });
is $r->{status}, 201, 'somebody with an account is a member at once' or diag $r->{body};
my $joined = delete $r->{json}{member}{joined_at};
cmp_ok $joined, '>', time - 60, '... now';
is_deeply $r->{json}, { success => $true,
		member => { user_id => $ben->{id}, email => 'ben@example.org', name => 'Ben Archer', role => 'admin' }, invite => undef },
	'with exactly these members';
is_deeply [mailed('ben')], ['workspace_added by=Ann Archer,role=admin,workspace=Northwind'], 'and is told';
is audit($ws), 'member.added', 'it is written down';
is as($ben, GET => $ws)->{json}{workspace}{role}, 'admin', 'from then on';
is as($ben, POST => "$ws/members", { user_id => $cat->{id} })->{json}{member}{role}, 'member', 'by id; member when no role is said';
refused(as($ben, POST => "$ws/members", { user_id => $dan->{id}, role => 'admin' }), '403 ACCESS_DENIED', 'an admin makes no admin');
refused(as($cat, POST => "$ws/members", { user_id => $dan->{id} }), '403 ACCESS_DENIED', 'a member adds nobody');
refused(as($cat, POST => "$ws/members", {}), '403 ACCESS_DENIED', '... nor joins again');
refused(as($ann, POST => "$ws/members", { email => 'cat@example.org' }), '409 CONFLICT', 'a member already');
refused(as($ann, POST => "$ws/members", { email => 'ann@example.org' }), '409 CONFLICT', 'the owner too');
refused(as($ann, POST => "$ws/members", { user_id => 'usr_' . '0' x 26 }), '404 NOT_FOUND', 'nobody has this id');
refused(as($ann, POST => "$ws/members", $_), '400 INVALID_REQUEST', 'a body that is wrong: ' . encode_json($_))
	for {}, { email => 'x' }, { email => 'a,b@x' }, { email => 'dan@example.org', user_id => $dan->{id} }, { email => undef };
$r = as($ann, POST => "$ws/members", { email => 'New@example.org' });
is $r->{status}, 202, 'who has no account is invited' or diag $r->{body};
is "$r->{json}{invite}{email} $r->{json}{invite}{status} " . ($r->{json}{member} // 'null'), 'new@example.org pending null',
	'... by a mail';
is people($ws), 'ann=owner ben=admin cat=member', 'those are in it';
is seats($ws), '3/3', 'each has a seat';
is_deeply as($ann, GET => $ws)->{json}{workspace}{seats}, { used => 3, limit => 10, remaining => 7, pending => 1 }, 'an invite has none';

# ---- listing

is join(' ', map { $_->{name} } @{as($ann, GET => "$ws/members?$_->[0]")->{json}{members}}), $_->[1], "searched: $_->[0]"
	for ['q=BEN', 'Ben Archer'], ['q=cat%40', 'Cat Archer'], ['q=%25', ''], ['q=archer', 'Ann Archer Ben Archer Cat Archer'],
	['role=owner', 'Ann Archer'], ['role=member&q=ben', ''];

# ---- people to choose from

$db->do("INSERT INTO user (id, kind, email, name, created_at) VALUES ('usr_" . 'z' x 26 . "', 'agent', NULL, 'Report Bot', 0)");
$db->do("INSERT INTO member (workspace_id, user_id, role, joined_at) VALUES (?, ?, 'agent', 0)", undef, id_of($ws), 'usr_' . 'z' x 26);
sub chosen {
	my ($who, $query) = @_;
	return join ' ', map {
		"$_->{kind}:" . ($_->{email} // $_->{name}) . ':' . ($_->{role} // '-') =~ s/\@example.org//r;
	} @{as($who, GET => "$ws/people$query")->{json}{people}};
}
is chosen($cat, ''),
	'member:ann@example.org:owner member:ben@example.org:admin member:cat@example.org:member agent:Report Bot:-' =~ s/zzz//r,
	'members see members and agents';
is chosen($ben, '?q=new'), 'invited:new@example.org:member', 'admins who is invited';
is chosen($cat, '?q=new'), '', '... others do not';
is chosen($cat, '?q=arch'), chosen($cat, '?q=Archer'), 'by any word of the name';
is chosen($cat, '?q=rcher'), '', 'from its start';
is chosen($cat, '?q=cat'), 'member:cat@example.org:member', 'by the address';
my @found;
for (my $at = "$ws/people?limit=2"; $at;) {
	$r = as($ann, GET => $at);
	push @found, map { $_->{name} || $_->{email} } @{$r->{json}{people}};
	$at = $r->{json}{next_cursor} ? "$ws/people?limit=2&cursor=$r->{json}{next_cursor}" : '';
}
is "@found", 'Ann Archer Ben Archer Cat Archer Report Bot new@example.org', 'page by page';
is people($ws), 'ann=owner ben=admin cat=member', 'an agent is no member';
refused(as($ann, DELETE => "$ws/members/usr_" . 'z' x 26), '404 NOT_FOUND', '... and not removed as one');
refused(as($ann, POST => "$ws/transfer-ownership", { user_id => 'usr_' . 'z' x 26 }), '400 INVALID_REQUEST', '... nor the owner');

# ---- roles

refused(as($_, PATCH => "$ws/members/$cat->{id}", { role => 'admin' }), '403 ACCESS_DENIED', 'roles are the owner\'s to change')
	for $ben, $cat;
refused(as($ann, PATCH => "$ws/members/$ann->{id}", { role => 'admin' }), '409 CONFLICT', 'there must be an owner');
mailed($_) for qw(cat ben);
is as($ann, PATCH => "$ws/members/$cat->{id}", { role => 'admin' })->{json}{member}{role}, 'admin', 'the owner makes an admin';
is as($cat, GET => $ws)->{json}{workspace}{role}, 'admin', 'at once';
is_deeply [mailed('cat')], ['workspace_role by=Ann Archer,role=admin,workspace=Northwind'], 'who is told';
as($ann, PATCH => "$ws/members/$cat->{id}", { role => 'admin' });
is_deeply [mailed('cat')], [], 'no news when nothing changed';
as($cat, POST => "$ws/members/invite", { emails => ['guest@example.org'] });
as($ann, PATCH => "$ws/members/$cat->{id}", { role => 'member' });
is $db->selectrow_array("SELECT status FROM invite WHERE email = 'guest\@example.org'"), 'revoked',
	'with the role go the invites that took it';

# ---- leaving, and what ends then

as($ann, PATCH => $ws, { settings => { member_access => 'none' } });
my $own = $api->publish($cat, slug => 'cats', workspace_id => id_of($ws), visibility => 'private', files => { 'index.html' => 'meow' });
my $personal = $api->publish($cat, slug => 'personal', visibility => 'private');
my $bens = $api->publish($ben, slug => 'bens', workspace_id => id_of($ws), visibility => 'private');
as($ben, POST => "/v1/artifacts/$bens/collaborators", { emails => ['cat@example.org'], role => 'editor' });
as($cat, POST => "/v1/artifacts/$own/collaborators", { emails => ['ann@example.org'], role => 'viewer' });
is as($cat, GET => "/v1/artifacts/$bens")->{json}{artifact}{role}, 'editor', 'a collaborator of another\'s page';
my %job = map {
	my $made = as($cat, POST => '/v1/jobs',
		{ artifact_id => $_, action => 'webhook', schedule => '0 9 * * *', config => { url => 'https://example.org/' } });
	is $made->{status}, 201, 'a job' or diag $made->{body};
	($_ => $made->{json}{job}{id});
} $own, $bens, $personal;
my $works = sub { return $db->selectrow_array('SELECT enabled FROM job WHERE id = ?', undef, $job{$_[0]}) };
$r = as($ann, POST => "$ws/members/$cat->{id}/tokens", { name => 'build' });
is $r->{status}, 201, 'a token for a member' or diag $r->{body};
my $here = { token => $r->{json}{token} };
is_deeply $r->{json}, { success => $true, token => $here->{token}, shown_once => $true, token_id => $r->{json}{token_id} },
	'with exactly these members';
like $here->{token}, qr/^so_/, 'it is a person\'s';
is_deeply [grep { /token/ } mailed('cat')], ['workspace_token by=Ann Archer,what=build,workspace=Northwind'], 'the member is told';
my $browser = Vitrine::Visitor->new($api);
$stack->ctl_in("the password\n", qw(user password cat@example.org));
$browser->sign_in('cat@example.org', 'the password');
my $page = "https://bens.pages.localhost:$stack->{port}/";
is $browser->go('/auth/view?to=' . Vitrine::Visitor::escape($page))->{status}, 200, 'a page is opened';
is $browser->go($page)->{status}, 200, 'and stays open';
my $stored = sub { return $db->selectrow_array('SELECT bytes FROM storage WHERE user_id = ?', undef, $_[0]{id}) // 0 };
my ($cat_had, $dan_had) = ($stored->($cat), $stored->($dan));
refused(as($cat, DELETE => "$ws/members/$ben->{id}"), '403 ACCESS_DENIED', 'a member removes nobody');
refused(as($ben, DELETE => "$ws/members/$ann->{id}"), '409 CONFLICT', 'nobody removes the owner');
refused(as($ann, DELETE => "$ws/members/$ann->{id}"), '409 CONFLICT', 'nor does the owner leave');
refused(as($ben, DELETE => "$ws/members/$cat->{id}?transfer_to=$_"), '400 INVALID_REQUEST', 'an heir who is none')
	for $eve->{id}, $cat->{id}, 'x', 'usr_' . 'z' x 26;
is people($ws), 'ann=owner ben=admin cat=member', 'what was refused removed nobody';

# Nobody whose account is disabled is given something.
my $off = $stack->user('off@example.org');
$stack->ctl(qw(user disable off@example.org));
my @disabled = map { as($ann, POST => "$ws/members", $_) } { email => 'Off@example.org' }, { user_id => $off->{id} };
$stack->seat(id_of($ws), $off, 'member');
push @disabled, as($ben, DELETE => "$ws/members/$cat->{id}?transfer_to=$off->{id}"), (map {
	as($ann, POST => "$ws/transfer-ownership", $_);
} { email => 'off@example.org' }, { user_id => $off->{id} }, { new_owner_id => $off->{id} }),
	as($ann, POST => "$ws/members/$off->{id}/tokens", { name => 'x' });
refused($_, '409 CONFLICT', 'nothing for a disabled account') for @disabled;
is_deeply [map { $_->{json}{error} =~ /^(\w+): the account of \S+ is disabled; choose someone else, or ask the operator/ } @disabled],
	[qw(email user_id transfer_to email user_id new_owner_id user_id)], '... in the same words';
my $leaving = $browser->go('/w/' . id_of($ws) . "/members/$cat->{id}/remove")->{text};
like $leaving, qr/ben\@example\.org|Ben Archer/, 'whoever leaves chooses an heir';
unlike $leaving, qr/off\@example\.org/, '... who is not disabled';
is as($ann, DELETE => "$ws/members/$off->{id}")->{status}, 200, 'but such a member can be removed';
is people($ws), 'ann=owner ben=admin cat=member', '... and nothing else has changed';
mailed($_) for qw(ann ben cat off);
as($ann, POST => "$ws/members", { user_id => $dan->{id} });
$r = as($ben, DELETE => "$ws/members/$cat->{id}?transfer_to=$dan->{id}");
is_deeply $r->{json}, { success => $true, agent_tokens_made => 0, revoked_links => 0 }, 'an admin removes a member' or diag $r->{body};
is_deeply [mailed('cat')], ['workspace_removed by=Ben Archer,workspace=Northwind'], 'who is told';
is audit($ws), 'member.removed', 'it is written down';
is join(' ', map { $works->($_) } $own, $bens, $personal), '0 0 1', 'their jobs there are paused, those elsewhere go on';
is decode_json($db->selectrow_array("SELECT after_it FROM audit WHERE action = 'member.removed' "
	. "AND target_id = '$cat->{id}'"))->{artifacts}, 1, '... with what went to whom';
refused(as($cat, GET => $ws), '404 NOT_FOUND', 'the workspace is gone for them');
refused(as($cat, GET => "/v1/artifacts/$bens"), '404 NOT_FOUND', 'and what was shared with them there');
refused(as($here, GET => $ws), '401 TOKEN_REVOKED', 'and their token of it');
is $browser->send(GET => $page)->{status}, 404, 'and the page that was open';
refused(as($cat, GET => "/v1/artifacts/$own"), '404 NOT_FOUND', 'and what they had published there');
is as($dan, GET => "/v1/artifacts/$own")->{json}{artifact}{role}, 'owner', '... which is the heir\'s';
is as($cat, GET => "/v1/artifacts/$personal")->{json}{artifact}{role}, 'owner', 'what is personal stays theirs';
is $stored->($cat) + $stored->($dan), $cat_had + $dan_had, 'what is stored is counted for who owns it';
cmp_ok $stored->($dan), '>', $dan_had, '... the heir';
is seats($ws), '3/3', 'the seat is free';
is as($dan, PATCH => "/v1/artifacts/$own", { slug => 'dans' })->{status}, 200, 'the heir has its address';
is as($dan, DELETE => "$ws/members/$dan->{id}")->{status}, 200, 'one leaves by oneself';
is_deeply [grep { /removed/ } mailed('dan')], [], 'and is not told so';
is as($ann, GET => "/v1/artifacts/$own")->{json}{artifact}{role}, 'owner', 'the owner is the heir of all else';
is $db->selectrow_array('SELECT COUNT(*) FROM collaborator WHERE artifact_id = ? AND user_id = ?', undef, $own, $ann->{id}), 0,
	'... and has one role';
my ($errors) = $stack->program('vitrinectl', {}, 'fsck');
is $errors, 0, 'all counters agree';

$db->do('UPDATE workspace SET people = people + 2 WHERE id = ?', undef, id_of($ws));
like +($stack->program('vitrinectl', {}, 'fsck'))[1],
	qr/^workspace \Q@{[id_of($ws)]}\E: 4 seats are counted, but it has 2 members; run vitrinectl user recount$/m,
	'a wrong count is found';
is $stack->ctl(qw(user recount)), '1 counters were wrong and have been fixed', '... and mended';
is seats($ws), '2/2', '... to what it is';

# ---- an heir whose room is used up

as($ann, POST => "$ws/members", { user_id => $cat->{id} });
$api->publish($cat, slug => 'large', workspace_id => id_of($ws), files => { 'index.html' => 'x' x 100_000 });
$stack->ctl(qw(user storage ann@example.org 1000));
is as($ann, DELETE => "$ws/members/$cat->{id}")->{status}, 200, 'a full owner removes a member all the same';
$stack->ctl(qw(user storage ann@example.org default));

# ---- admins among themselves

as($ann, POST => "$ws/members", { user_id => $cat->{id}, role => 'admin' });
refused(as($cat, DELETE => "$ws/members/$ben->{id}"), '403 ACCESS_DENIED', 'an admin removes no admin');
refused(as($cat, POST => "$ws/members/$ben->{id}/tokens", { name => 'x' }), '403 ACCESS_DENIED', 'nor makes tokens for one');
refused(as($cat, DELETE => "$ws/members/$ben->{id}/tokens"), '403 ACCESS_DENIED', 'nor ends them');
refused(as($cat, POST => "$ws/members/$ann->{id}/tokens", { name => 'x' }), '403 ACCESS_DENIED', 'nor for the owner');

# ---- tokens that act in one workspace

as($ann, POST => "$ws/members", { user_id => $dan->{id} });
is as($cat, POST => "$ws/members/$cat->{id}/tokens", { name => 'mine' })->{status}, 201, 'one for oneself';
refused(as($dan, POST => "$ws/members/$dan->{id}/tokens", { name => 'x' }), '403 ACCESS_DENIED', 'members make none');
refused(as($ann, POST => "$ws/members/$dan->{id}/tokens", $_), '400 INVALID_REQUEST', 'a token that is wrong: ' . encode_json($_))
	for map { { name => 'x', expires_at => $_ } } 1, time - 1, time + 6 * 366 * 86400;
my $until = time + 3600;
$r = as($cat, POST => "$ws/members/$dan->{id}/tokens", { name => 'deploy', expires_at => $until });
my $acts = { token => $r->{json}{token} };
is_deeply { map { $_ => as($acts, GET => '/v1/auth/me')->{json}{$_} } qw(user_id workspace_id expires_at) },
	{ user_id => $dan->{id}, workspace_id => id_of($ws), expires_at => $until }, 'it acts as the member, there, until then';
my $theirs = $api->publish($dan, slug => 'dan-alone', visibility => 'private');
my $other = made($dan, name => 'Other');
is as($acts, POST => '/v1/publish',
	{ name => 'By token', files => [{ path => 'index.html', content => 'x' }] })->{json}{artifact}{workspace_id} // as($acts,
		GET => "/v1/artifacts?workspace_id=" . id_of($ws))->{json}{artifacts}[0]{workspace_id}, id_of($ws), 'it publishes into it';
refused(as($acts, GET => "/v1/artifacts/$theirs"), '404 NOT_FOUND', 'not what is personal');
refused(as($acts, GET => $other), '404 NOT_FOUND', 'not another workspace');
refused(as($acts, @$_), '403 INSUFFICIENT_SCOPE', "not $_->[0] $_->[1]") for [GET => '/v1/auth/tokens'],
	[DELETE => "/v1/auth/tokens/tok_" . '0' x 26], [GET => '/v1/auth/sessions'], [DELETE => '/v1/auth/sessions'],
	[GET => '/v1/auth/identities'], [GET => '/v1/invites'], [POST => '/v1/invites/inv_' . '0' x 26 . '/accept'],
	[GET => '/v1/access-requests/incoming'], [POST => '/v1/workspaces', { name => 'X' }],
	[POST => "$ws/members/invite", { emails => ['by-token@example.org'] }], [POST => "$ws/members",
		{ email => 'by-token@example.org' }], [POST => "$ws/agent-tokens", { name => 'X', scopes => ['data:read'] }];
as($ann, PATCH => "$ws/members/$dan->{id}", { role => 'admin' });
is as($acts, PATCH => $ws, { settings => { description => 'x' } })->{status}, 200, 'its role is the member\'s as it is when it is used';
refused(as($acts, POST => "$ws/members/$dan->{id}/tokens", { name => 'x' }), '403 INSUFFICIENT_SCOPE', 'it makes no other');
as($ann, PATCH => "$ws/members/$dan->{id}", { role => 'member' });
refused(as($acts, PATCH => $ws, { name => 'X' }), '403 ACCESS_DENIED', '... and taken away with it');
is_deeply as($cat, DELETE => "$ws/members/$dan->{id}/tokens")->{json}, { success => $true, revoked => 1 }, 'all that were made here end';
refused(as($acts, GET => $ws), '401 TOKEN_REVOKED', 'at once');
is as($dan, GET => $ws)->{status}, 200, 'never a person\'s own';
is_deeply as($cat, DELETE => "$ws/members/$dan->{id}/tokens")->{json}{revoked}, 0, 'twice is once';

# ---- the owner

mailed($_) for qw(ann ben cat dan);
refused(as($_, POST => "$ws/transfer-ownership", { user_id => $_->{id} }), '403 ACCESS_DENIED', 'only the owner gives it away')
	for $cat, $dan;
refused(as($ann, POST => "$ws/transfer-ownership", $_), '400 INVALID_REQUEST', 'an heir that is none: ' . encode_json($_))
	for {}, { user_id => $eve->{id} }, { email => 'eve@example.org' }, { email => 'nobody@example.org' },
	{ user_id => $cat->{id}, email => 'cat@example.org' };
is as($ann, POST => "$ws/transfer-ownership", { new_owner_id => $ann->{id} })->{json}{workspace}{role}, 'owner',
	'to oneself changes nothing';
as($ann, POST => "$ws/members/invite", { emails => ['boss@example.org'], role => 'admin' });
$r = as($ann, POST => "$ws/transfer-ownership", { email => 'Cat@example.org' });
is $r->{json}{workspace}{role}, 'admin', 'the former owner is an admin' or diag $r->{body};
is as($cat, GET => $ws)->{json}{workspace}{role}, 'owner', 'the new one owns it';
is_deeply [mailed('cat')], ['workspace_owner by=Ann Archer,workspace=Northwind'], 'and is told';
is $db->selectrow_array("SELECT status FROM invite WHERE email = 'boss\@example.org'"), 'revoked', 'an admin has invited no admins';
refused(as($ann, POST => "$ws/transfer-ownership", { email => 'dan@example.org' }), '403 ACCESS_DENIED',
	'of two at once the second comes too late');
$db->do("INSERT INTO workspace (id, name, slug, people, created_at, updated_at) VALUES (?, 'W', ?, 1, 0, 0)", undef,
	sprintf('wsp_%026d', $_), "w-$_"), $db->do("INSERT INTO member (workspace_id, user_id, role, joined_at) VALUES (?, ?, 'owner', 0)",
		undef, sprintf('wsp_%026d', $_), $ben->{id}) for 1 .. 10;
refused(as($cat, POST => "$ws/transfer-ownership", { user_id => $ben->{id} }), '409 LIMIT_REACHED', 'nobody owns more than ten');

# ---- metrics

is as($dan, GET => "$ws/members/metrics")->{status}, 403, 'members do not see what others do';
$db->do('INSERT INTO view_day (artifact_id, day, views, entry_views, version_views, bot_views) '
	. 'SELECT a.id, UNIX_TIMESTAMP() DIV 86400 - 3, 7, 0, 0, 0 FROM artifact a WHERE a.id = ?', undef, $own);
$r = as($cat, GET => "$ws/members/metrics?days=30");
my %m = map { ($_->{user}{email} // $_->{user}{name}) => $_ } @{$r->{json}{metrics}};
is_deeply $m{'ann@example.org'}{user}, { user_id => $ann->{id}, name => 'Ann Archer', email => 'ann@example.org', kind => 'person' },
	'and name a user';
is "$m{'ann@example.org'}{artifacts} $m{'ann@example.org'}{views} $m{'ann@example.org'}{publishes}", '2 7 0',
	'who owns what others published has its views';
is "$m{'dan@example.org'}{artifacts} $m{'dan@example.org'}{publishes}", '1 1', 'and who published has published';
is $m{'Report Bot'}{role}, 'agent', 'agents are there, too';
is as($cat, GET => "$ws/members/metrics?days=2")->{json}{metrics}[0]{views}, 0, 'of the days asked for';
cmp_ok $m{'ann@example.org'}{storage_bytes}, '>', 100_000, 'and what they store there';

# ---- an account that goes

my ($status, undef, $why) = $stack->program('vitrinectl', {}, qw(user delete dan@example.org --artifacts give=ann@example.org));
isnt $status, 0, 'an account that owns a workspace stays';
like $why, qr/owns 1 workspace,/, '... as it says';
is as($dan, GET => "/v1/artifacts/$theirs")->{json}{artifact}{role}, 'owner', '... with all that it has';
$db->do("DELETE FROM workspace_slug WHERE workspace_id = ?", undef, id_of($other)), $db->do("DELETE FROM member WHERE workspace_id = ?",
	undef, id_of($other)), $db->do("DELETE FROM workspace WHERE id = ?", undef, id_of($other));
my $of_ws = as($dan, POST => '/v1/publish',
	{ name => 'Team', workspace_id => id_of($ws), files => [{ path => 'index.html', content => 'x' }] })->{json}{artifact}{id};
$stack->user('outside@example.org');
($status, undef, $why) = $stack->program('vitrinectl', {}, qw(user delete dan@example.org --artifacts give=outside@example.org));
isnt $status, 0, "what is of a workspace isn't given to somebody outside";
like $why, qr/must be in the artifact's workspace/, '... as it says';
$stack->ctl(qw(user delete dan@example.org --artifacts give=ann@example.org));
is $db->selectrow_array("SELECT COUNT(*) FROM audit WHERE target_id = ? AND action = 'artifact.transferred'", undef, $of_ws), 1,
	'... but to a member, which the workspace is told';
is people($ws), 'ann=admin ben=admin cat=owner', 'one that owns none leaves with its account';
is seats($ws), '3/3', 'and its seat';

finish($stack);
