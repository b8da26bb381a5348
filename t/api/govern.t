# SPDX-License-Identifier: Apache-2.0
# What admins of a workspace do with all of its artifacts: the table, pausing, visibility, another owner; artifacts that go in and out; what
# of it is written down, listed and exported. Each change holds from its reply on, on the content hosts, too.
use utf8;
use Vitrine::Counted;
use Vitrine::Visitor;
use Vitrine::Words qw(as refused said);

my ($stack, $api, $db) = stack();
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben cat dan eve);
my ($ann, $ben, $cat, $dan, $eve) = @user{qw(ann ben cat dan eve)};
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for qw(cat dan ben);
sub made { my ($who, $name) = @_; return as($who, POST => '/v1/workspaces', { name => $name })->{json}{workspace} }
sub join_as { my ($ws, $who, $role) = @_; $stack->seat($ws->{id}, $who, $role) }
my $n = 0;
sub agent_of {
	my ($ws) = @_;
	my %agent = (id => 'usr_' . sprintf('%026d', ++$n), tok => 'tok_' . sprintf('%026d', $n));
	$db->do("INSERT INTO user (id, kind, email, name, created_at) VALUES (?, 'agent', NULL, 'Bot', 0)", undef, $agent{id});
	join_as($ws, \%agent, 'agent');
	$agent{token} = $stack->token($agent{id}, 'sot_', id => $agent{tok}, name => 'bot', scopes => 15, workspace_id => $ws->{id});
	return \%agent;
}
my ($ws, $other) = (made($ann, 'Team'), made($eve, 'Other'));
join_as($ws, $ben, 'admin');
join_as($ws, $_, 'member') for $cat, $dan;
my $bot = agent_of($ws);
my $base = "/v1/workspaces/$ws->{id}";
sub publish {
	my ($who, %o) = @_;
	my $r = as($who, POST => '/v1/publish',
		{ name => ucfirst $o{slug}, files => [{ path => 'index.html', content => "this is $o{slug}" }], %o });
	is $r->{status}, 201, "published $o{slug}" or diag $r->{body};
	return $r->{json}{artifact}{id};
}
my $plans = publish($cat, slug => 'plans', workspace_id => $ws->{id}, visibility => 'public');
my $secret = publish($dan, slug => 'secret', workspace_id => $ws->{id});
my $bots = publish($bot, slug => 'bots', visibility => 'unlisted');
my $own = publish($cat, slug => 'own', visibility => 'public');
my $foreign = publish($eve, slug => 'foreign', workspace_id => $other->{id}, visibility => 'public');

# ---- the table

sub table {
	my ($query) = @_;
	my $r = as($ben, GET => "$base/admin/artifacts$query");
	return join ' ', map { $_->{slug} } @{$r->{json}{artifacts} // [{ slug => "$r->{status} $r->{body}" }]};
}
my $r = as($ben, GET => "$base/admin/artifacts?q=plan");
my ($row) = @{$r->{json}{artifacts}};
is_deeply $row, { id => $plans, name => 'Plans', slug => 'plans', url => "https://plans.pages.localhost:$stack->{port}/",
	owner => { user_id => $cat->{id}, name => $row->{owner}{name}, email => 'cat@example.org', kind => 'person' },
	visibility => 'public', paused => $false, paused_by => undef, pause_reason => undef, folder_id => undef, version_no => 1,
	views_30d => 0, size_bytes => 13, grants => 0, updated_at => $row->{updated_at} }, 'a row has exactly these members';
is_deeply as($ben, GET => "$base/admin/artifacts?q=bots")->{json}{artifacts}[0]{owner},
	{ user_id => $bot->{id}, name => 'Bot', email => undef, kind => 'agent' }, 'an agent owns one, too';
$db->do('UPDATE artifact SET updated_at = ? WHERE id = ?', undef, @$_) for [30, $plans], [20, $secret], [20, $bots];
is join(' ', sort split / /, table('')), 'bots plans secret', 'all of the workspace, private ones too, and no others';
like table(''), qr/^plans /, 'the newest first';
is table("?owner_id=$cat->{id}"), 'plans', 'one owner\'s';
is table('?visibility=private'), 'secret', 'of a visibility';
is table('?paused=1'), '', 'none is paused';
is table('?q=SECR'), 'secret', 'by a part of the name';
my $folder = as($cat, POST => "$base/folders", { name => 'Reports' })->{json}{folder}{id};
as($dan, POST => "$base/artifacts/$secret/move", { folder_id => $folder });
is table("?folder_id=$folder"), 'secret', 'in a folder';
is join(' ', sort split / /, table('?folder_id=root')), 'bots plans', 'in none';
as($dan, PUT => "/v1/data/$secret/json", { text => 'x' x 1000 });
as($bot, PUT => "/v1/data/$bots/json", { text => 'x' x 100 });
is table('?sort=size_bytes'), 'secret bots plans', 'by what they store';
my $today = int(time / 86400);
my $log =
	sub { open my $f, '>>', "$stack->{dir}/views" or die; print $f map { "$_->[1].000 $_->[0] v e h\n" } @_; close $f; $stack->runner };
$log->((map { ['bots', time] } 1 .. 3), (map { ['plans', time] } 1 .. 5), (map { ['plans', time - 86400 * 29] } 1 .. 2),
	['secret', time - 86400 * 30]);
is join(' ', map { "$_->{slug}=$_->{views_30d}" } @{as($ann, GET => "$base/admin/artifacts?sort=views_30d")->{json}{artifacts}}),
	'plans=7 bots=3 secret=0', 'by their views in 30 days';
$db->do('UPDATE view_day SET day = day - 1');
$db->do('UPDATE artifact_storage SET views_until = views_until - 1');
$stack->runner;
is join(' ', map { "$_->{slug}=$_->{views_30d}" } @{as($ann, GET => "$base/admin/artifacts?sort=views_30d")->{json}{artifacts}}),
	'plans=5 bots=3 secret=0', '... of which the oldest is over a day later';
for my $sort (qw(updated_at views_30d size_bytes)) {
	my ($query, @paged) = ("?sort=$sort&limit=1");
	while (1) {
		$r = as($ben, GET => "$base/admin/artifacts$query");
		push @paged, map { $_->{slug} } @{$r->{json}{artifacts}};
		last if !$r->{json}{next_cursor};
		$query = "?sort=$sort&limit=1&cursor=$r->{json}{next_cursor}";
	}
	is "@paged", table("?sort=$sort"), "page by page, by $sort";
}
refused(as($ben, GET => "$base/admin/artifacts?$_"), '400 INVALID_REQUEST', "the table with $_") for 'cursor=1.x', 'folder_id=x';

# ---- who may

my @acts = (['GET', ''], ['POST', "/$plans/pause", { paused => $true }], ['POST', "/$plans/visibility", { visibility => 'private' }],
	['POST', "/$plans/transfer", { new_owner_id => $ann->{id} }]);
for my $act (@acts) {
	my ($method, $path, $json) = @$act;
	refused(as($cat, $method, "$base/admin/artifacts$path", $json), '403 ACCESS_DENIED', "a member: $method $path");
	refused(as($bot, $method, "$base/admin/artifacts$path", $json), '403 INSUFFICIENT_SCOPE', '... an agent');
	next if $method eq 'GET';
	for my $id ($own, $foreign) {
		refused(as($ben, $method, "$base/admin/artifacts" . $path =~ s/$plans/$id/r, $json), '404 NOT_FOUND',
			'... on what is not of the workspace');
	}
}
is as(undef, GET => "/v1/artifacts/$plans")->{json}{artifact}{visibility}, 'public', 'nothing has come of that';

# ---- pausing holds at once, at every address

my %cookie;
sub visitor_of {
	my ($name, $slug) = @_;
	my $v = Vitrine::Visitor->new($api);
	$v->sign_in("$name\@example.org", 'the password');
	return $v->viewer_cookie("$slug.pages.localhost", "https://$slug.pages.localhost:$stack->{port}/") // '';
}
sub page { my ($slug, $cookie) = @_; return $api->get_site($slug, '/', $cookie ? (Cookie => $cookie) : ())->{status} }
as($cat, POST => '/v1/publish',
	{ slug => 'plans', name => 'Plans', mobile_html => '<p>small', files => [{ path => 'index.html', content => 'two' }] });
my $blob = $api->call(POST => "/v1/data/$plans/blobs", { token => $cat->{token}, type => 'multipart/form-data; boundary=b',
	body => "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nhello\r\n--b--\r\n" })->{json}{data}{id};
as($cat, PUT => "/v1/data/$plans/json", { n => 1 });
my @open = (map({ my $s = $_; ["the page of $s", sub { page($s) }] } qw(plans plans--v1 plans--v2)),
	['the page for small screens', sub { $api->get_site('plans', '/_m/')->{status} }],
	['the API', sub { as(undef, GET => "/v1/artifacts/$plans")->{status} }],
	['its document', sub { as(undef, GET => "/v1/data/$plans/json")->{status} }],
	['its document on its host', sub { $api->get_site('plans', '/v1/data/self/json')->{status} }],
	['a blob', sub { as(undef, GET => "/v1/data/$plans/blobs/$blob")->{status} }],
	['its files', sub { as(undef, GET => "/v1/artifacts/$plans/files")->{status} }],
	['a member', sub { as($dan, GET => "/v1/artifacts/$plans")->{status} }]);
is $_->[1]->(), 200, "open: $_->[0]" for @open;
$r = as($ben, POST => "$base/admin/artifacts/$plans/pause", { paused => $true, reason => 'Out of date' });
is_deeply { map { $_ => $r->{json}{artifact}{$_} } qw(id paused paused_by pause_reason) },
	{ id => $plans, paused => $true, paused_by => 'admin', pause_reason => 'Out of date' }, 'paused' or diag $r->{body};
is $_->[1]->(), 403, "paused: $_->[0]" for @open;
is page('plans', visitor_of('cat', 'plans')), 403, 'the page, for its owner too';
$r = as($cat, GET => "/v1/artifacts/$plans");
is_deeply { map { $_ => $r->{json}{artifact}{$_} } qw(paused paused_by pause_reason) },
	{ paused => $true, paused_by => 'admin', pause_reason => 'Out of date' }, 'its owner reads why';
is as($ben, GET => "/v1/artifacts/$plans")->{json}{artifact}{pause_reason}, undef, 'and nobody else, of the artifact itself';
refused(as($cat, POST => '/v1/publish', { slug => 'plans', name => 'P', files => [{ path => 'index.html', content => 'three' }] }),
	'403 ARTIFACT_PAUSED', 'its owner publishes nothing to it');
is as($cat, PATCH => "/v1/artifacts/$plans", { visibility => 'unlisted', slug => 'plans2' })->{status}, 200, 'what its owner changes';
is page($_), 403, "... opens nothing: $_" for 'plans2', 'plans2--v1';
as($cat, PATCH => "/v1/artifacts/$plans", { visibility => 'public', slug => 'plans' });
as($cat, DELETE => "/v1/artifacts/$plans");
as($cat, POST => "/v1/artifacts/$plans/restore");
is page('plans'), 403, 'nor does the way through the trash';
refused(as($cat, PATCH => "/v1/artifacts/$plans", { workspace_id => undef }), '403 ACCESS_DENIED', 'nor out of the workspace');
is table('?paused=1'), 'plans', 'the table knows';
is table('?paused=0&q=plans'), '', '... it';
is as($ann, POST => "$base/admin/artifacts/$plans/pause", { paused => $false })->{json}{artifact}{paused_by}, undef, 'an admin ends it';
is $_->[1]->(), 200, "open again: $_->[0]" for @open;
is as($ann, POST => "$base/admin/artifacts/$plans/pause", { paused => $false })->{status}, 200, 'once more does nothing';
$stack->ctl(qw(artifact pause plans));
refused(as($ann, POST => "$base/admin/artifacts/$plans/pause", { paused => $false }), '403 ACCESS_DENIED',
	'what an operator has paused no admin resumes');
is as($ann, POST => "$base/admin/artifacts/$plans/pause", { paused => $true })->{json}{artifact}{paused_by}, 'operator',
	'nor makes it their own pause';
is page('plans'), 403, 'it stays so';
$stack->ctl(qw(artifact resume plans));
is page('plans'), 200, 'until the operator ends it';
as($ben, POST => "$base/admin/artifacts/$plans/pause", { paused => $true });
$stack->ctl(qw(artifact pause plans));
refused(as($ben, POST => "$base/admin/artifacts/$plans/pause", { paused => $false }), '403 ACCESS_DENIED',
	'an operator may pause what is paused');
$stack->ctl(qw(artifact resume plans));
is as($ben, POST => "$base/admin/artifacts/$plans/pause", { paused => $true, reason => undef })->{json}{artifact}{pause_reason},
	undef, 'a reason need not be given';
as($ben, POST => "$base/admin/artifacts/$plans/pause", { paused => $false });

# ---- visibility

my $dans = visitor_of('dan', 'secret');
is page('secret'), 404, 'a private page is nobody\'s';
is page('secret', $dans), 200, 'but its owner\'s';
is as($ben, POST => "$base/admin/artifacts/$secret/visibility", { visibility => 'public' })->{json}{artifact}{visibility}, 'public',
	'an admin opens it';
is page('secret'), 200, 'at once';
is as($dan, PATCH => "/v1/artifacts/$secret", { visibility => 'private' })->{status}, 200, 'its owner may close it again';
is page('secret'), 404, 'at once';
is as($ben, POST => "$base/admin/artifacts/$plans/visibility", { visibility => 'private' })->{status}, 200, 'what is open is closed';
is page($_), 404, "... at once: $_" for qw(plans plans--v1);
is as(undef, GET => "/v1/data/$plans/json")->{status}, 404, '... with its data';
as($ben, POST => "$base/admin/artifacts/$plans/visibility", { visibility => 'public' });

# ---- another owner

sub stored {
	my ($who) = @_;
	return $db->selectrow_array('SELECT COALESCE(SUM(bytes), 0) FROM storage WHERE user_id = ?', undef, $who->{id});
}
sub give { my ($id, $to) = @_; return as($ben, POST => "$base/admin/artifacts/$id/transfer", { new_owner_id => $to->{id} }) }
my %before = (cat => stored($cat), dan => stored($dan));
my ($bytes) = $db->selectrow_array('SELECT bytes FROM artifact_storage WHERE artifact_id = ?', undef, $plans);
$r = give($plans, $dan);
is $r->{json}{artifact}{owner}{user_id}, $dan->{id}, 'another member is the owner' or diag $r->{body};
is_deeply [stored($cat), stored($dan)], [$before{cat} - $bytes, $before{dan} + $bytes], 'and stores it';
is as($cat, GET => "/v1/artifacts/$plans")->{json}{artifact}{role}, 'editor', 'the former one stays as an editor';
is as($dan, GET => "/v1/artifacts/$plans")->{json}{artifact}{role}, 'owner', 'at once';
is as($dan, POST => '/v1/publish',
	{ slug => 'plans', name => 'P', files => [{ path => 'index.html', sha256 => Digest::SHA::sha256_hex('two') }] })->{status}, 201,
	'the new one publishes what was there by its digest';
is give($plans, $bot)->{json}{artifact}{owner}{kind}, 'agent', 'an agent';
is as($bot, PATCH => "/v1/artifacts/$plans", { name => 'By a bot' })->{status}, 200, '... which writes to it';
is as($ann, PATCH => "/v1/artifacts/$plans", { name => 'By an admin' })->{status}, 200, 'what agents own admins edit';
is give($plans, $cat)->{status}, 200, 'back to a person';
is as($bot, GET => "/v1/artifacts/$plans")->{json}{artifact}{role}, 'viewer', '... and the agent keeps nothing';
is $db->selectrow_array('SELECT by_agent FROM artifact WHERE id = ?', undef, $plans), 0, '... nor do admins edit it';
is give($plans, $cat)->{status}, 200, 'to its owner: nothing';
my $dead = agent_of($ws);
$db->do('UPDATE token SET revoked_at = 1 WHERE id = ?', undef, $dead->{tok});
my $late = agent_of($ws);
$db->do('UPDATE token SET expires_at = 1 WHERE id = ?', undef, $late->{tok});
my $away = agent_of($other);
my $off = $stack->user('off@example.org');
join_as($ws, $off, 'member');
$db->do('UPDATE user SET disabled_at = 1 WHERE id = ?', undef, $off->{id});
refused(give($plans, $_->[1]), '400 INVALID_REQUEST', "$_->[0] gets nothing")
	for ['an outsider', $eve], ['nobody', { id => 'usr_' . '0' x 26 }], ['an agent that was revoked', $dead],
		['one that has expired', $late], ['another workspace\'s agent', $away], ['a disabled account', $off];
$db->do('INSERT INTO storage (user_id, bytes, limit_bytes) VALUES (?, 0, 10) ON DUPLICATE KEY UPDATE limit_bytes = 10', undef, $ann->{id});
$r = give($plans, $ann);
refused($r, '413 STORAGE_FULL', 'who has no room gets nothing');
like $r->{json}{error}, qr/^new_owner_id: /, '... and it is said of what was sent';
refused(as($cat, POST => "/v1/artifacts/$plans/transfer-ownership", { email => 'eve@example.org' }), '404 NOT_FOUND',
	'nor does its owner give it to an outsider');
is as($cat, POST => "/v1/artifacts/$plans/transfer-ownership", { email => 'dan@example.org' })->{status}, 200, '... but to a member';
give($plans, $cat);
as($cat, DELETE => "/v1/artifacts/$plans");
refused(give($plans, $dan), '404 NOT_FOUND', 'what lies in the trash is not governed');
as($cat, POST => "/v1/artifacts/$plans/restore");

# ---- in and out

sub home { my ($who, $id, $to) = @_; return as($who, PATCH => "/v1/artifacts/$id", { workspace_id => $to }) }
refused(home($eve, $own, $other->{id}), '403 ACCESS_DENIED', 'what is public is not for others to take');
refused(home($cat, $own, $other->{id}), '404 NOT_FOUND', 'into a workspace that one is not in');
refused(home($cat, $own, 'x'), '400 INVALID_REQUEST', 'into what is none');
refused(as($dan, GET => "/v1/artifacts/$own/collaborators"), '403 ACCESS_DENIED', 'a colleague has no role on what is one\'s own');
$r = home($cat, $own, $ws->{id});
is $r->{json}{artifact}{workspace_id}, $ws->{id}, 'its owner moves it in' or diag $r->{body};
is as($dan, GET => "/v1/artifacts/$own")->{json}{artifact}{role}, 'viewer', 'members have it at once';
is table('?q=own'), 'own', '... and the table';
is as($ben, GET => "$base/admin/artifacts?sort=size_bytes&q=own")->{json}{artifacts}[0]{id}, $own, '... however it is sorted';
as($cat, POST => "$base/artifacts/$own/move", { folder_id => $folder });
refused(home($cat, $own, undef), '403 ACCESS_DENIED', 'out its owner does not');
refused(home($dan, $own, undef), '403 ACCESS_DENIED', 'nor another member');
refused(as($ben, PATCH => "/v1/artifacts/$own", { name => 'X', workspace_id => undef }), '403 ACCESS_DENIED',
	'an admin moves it and does nothing else');
refused(as($ben, PATCH => "/v1/artifacts/$own", { name => 'X' }), '403 ACCESS_DENIED', 'nothing at all else');
refused(home($ben, $own, made($ben, 'Bens')->{id}), '409 CONFLICT', 'nor to where its owner is not');
refused(home($ben, $bots, undef), '409 CONFLICT', 'what agents own stays');
is home($ben, $own, $ws->{id})->{status}, 200, 'to where it is: nothing';
as($ben, POST => "$base/admin/artifacts/$own/pause", { paused => $true });
$r = home($ben, $own, undef);
refused($r, '409 CONFLICT', 'what an admin has paused stays');
like $r->{json}{error}, qr/resume it first/, '... until one resumes it';
as($ben, POST => "$base/admin/artifacts/$own/pause", { paused => $false });
$r = home($ben, $own, undef);
is_deeply { map { $_ => $r->{json}{artifact}{$_} } qw(workspace_id folder_id role) },
	{ workspace_id => undef, folder_id => undef, role => undef }, 'an admin takes it out' or diag $r->{body};
is as($cat, GET => "/v1/artifacts/$own")->{json}{artifact}{role}, 'owner', 'its owner has it alone';
is as($dan, GET => "/v1/artifacts/$own")->{json}{artifact}{role}, undef, '... at once';
is table('?q=own'), '', '... not the table';
as($dan, PATCH => "/v1/artifacts/$secret", { visibility => 'private' });
is home($ben, $secret, undef)->{status}, 200, 'a private one is taken out';
is as($ben, GET => "/v1/artifacts/$secret")->{status}, 404, 'and gone for who did it';
is page('secret', $dans), 200, 'its owner\'s page goes on';
home($dan, $secret, $ws->{id});
my $across = made($cat, 'Across');
join_as($across, $ben, 'member');
is home($cat, $own, $ws->{id})->{status}, 200, 'in once more';
is home($ben, $own, $across->{id})->{json}{artifact}{workspace_id}, $across->{id}, 'across, to where both are';
refused(home($ben, $own, $ws->{id}), '403 ACCESS_DENIED', 'back only by who governs that');

# ---- what is written down

sub audit { my ($query) = @_; my $r = as($ann, GET => "$base/audit$query"); return @{$r->{json}{audit} // []} }
for (['bogus',
	qr/^(?!.* artifact\..* artifact\.)action: there's no such action; actions start with one of deliverable\., .* ticket\., as in member\.removed$/],
	['artifact.transfered', qr/did you mean artifact\.transferred\?$/], ['member', qr/member\./]) {
	my $r = as($ann, GET => "$base/audit?action=$_->[0]");
	refused($r, '400 INVALID_REQUEST', "an action that is none: $_->[0]");
	like $r->{json}{error}, $_->[1], '... with those that are';
}
my ($last) = audit("?target_id=$plans&action=artifact.transferred");
is_deeply { %$last, map { $_ => 'x' } qw(id at request_id) }, { id => 'x', at => 'x', request_id => 'x', actor => { user_id => $ben->{id},
	name => $last->{actor}{name}, email => 'ben@example.org', kind => 'person' }, token_id => $last->{token_id}, agent_name => undef,
	address => '127.0.0.1', action => 'artifact.transferred',
	target => { type => 'artifact', id => $plans, name => $last->{target}{name} }, before => { owner_id => $dan->{id} },
	after => { owner_id => $cat->{id} } }, 'a row has exactly these members';
like "$last->{id} $last->{token_id}", qr/^aud_\w{26} tok_\w{26}$/, '... with ids';
as($cat, POST => "/v1/artifacts/$plans/collaborators", { emails => ['eve@example.org', 'new@example.org'], role => 'viewer' });
as($cat, POST => "/v1/artifacts/$plans/collaborators", { emails => ['eve@example.org'], role => 'editor' });
as($cat, DELETE => "/v1/artifacts/$plans/collaborators/new%40example.org");
as($cat, POST => '/v1/publish',
	{ slug => 'plans', name => 'P', visibility => 'unlisted', files => [{ path => 'index.html', content => 'x' }] });
as($cat, POST => '/v1/publish', { slug => 'plans', name => 'P', files => [{ path => 'index.html', content => 'y' }] });
is join(' ', map { $_->{action} =~ s/^artifact\.//r } reverse audit("?target_id=$plans&limit=200")),
	'created paused visibility visibility deleted restored resumed paused resumed paused paused resumed paused resumed'
	. ' visibility visibility transferred transferred transferred transferred transferred deleted restored collaborator.added '
	. 'collaborator.added collaborator.added collaborator.removed visibility', 'each change of rights, once';
my ($added, $gone) = (grep({ $_->{before} } audit("?target_id=$plans&action=collaborator.added")),
	audit("?target_id=$plans&action=collaborator.removed"));
is_deeply [@$added{qw(before after)}, @$gone{qw(before after)}], [{ email => 'eve@example.org', role => 'viewer' },
	{ email => 'eve@example.org', role => 'editor' }, { email => 'new@example.org', role => 'viewer' }, undef], '... as it was and is';
my ($operator) = grep { !$_->{actor} } audit("?target_id=$plans&action=artifact.paused");
is_deeply [@$operator{qw(actor token_id address)}], [undef, undef, undef], 'an operator is no more than that';
is join(' ', map { $_->{action} } reverse audit("?target_id=$own")),
	'artifact.moved_in artifact.moved artifact.paused artifact.resumed artifact.moved_out artifact.moved_in artifact.moved_out',
	'in, into a folder, out, in and across';
is scalar(grep { $_->{target}{id} eq $foreign } audit('?limit=200')), 0, 'nothing of others';
$db->do("INSERT INTO access_request (id, artifact_id, email, message, state, created_at) "
	. "VALUES (CONCAT('acr_', REPEAT('1', 26)), ?, 'asks\@example.org', '', 'pending', 0)", undef, $plans);
as($cat, POST => '/v1/access-requests/acr_' . '1' x 26, { action => 'approve', role => 'viewer' });
is +(audit("?target_id=$plans"))[0]{after}{email}, 'asks@example.org', 'a request that is granted, too';
is scalar(audit("?actor=$dan->{id}&limit=200")), scalar(grep { ($_->{actor}{user_id} // '') eq $dan->{id} } audit('?limit=200')),
	'by who did it';
is scalar(audit('?action=folder.created')), 1, 'by what was done';
is_deeply [map { $_->{id} } audit('?target=REPOR')], [map { $_->{id} } audit('?action=folder.created')],
	'by a part of the name of what it was done to';
$db->do('UPDATE audit SET at = at - 100 WHERE id = ?', undef, $last->{id});
is_deeply [map { $_->{id} } audit('?until=' . ($last->{at} - 50) . '&since=' . ($last->{at} - 150))], [$last->{id}], 'by when';
is scalar(audit('?since=' . (time + 3600))), 0, '... which may be later';
my @all = map { $_->{id} } audit('?limit=200');
is_deeply \@all, [sort { $b cmp $a } @all], 'newest first';
refused(as($cat, GET => "$base/audit"), '403 ACCESS_DENIED', 'not for members');
refused(as($bot, GET => "$base/audit"), '403 INSUFFICIENT_SCOPE', 'nor for agents');

as($bot, DELETE => "/v1/artifacts/$bots?purge=1");
is +(audit("?target_id=$bots"))[0]{action}, 'artifact.purged', 'what is deleted for good';
is +(audit("?target_id=$bots"))[0]{actor}{kind}, 'agent', '... by an agent, here';

# ---- as lines

sub lines {
	my ($query, $who) = @_;
	return $api->call(GET => "$base/audit$query", { token => ($who // $ann)->{token}, headers => { Accept => 'application/x-ndjson' } })
}
$r = lines('');
is $r->{headers}{'content-type'}, 'application/x-ndjson', 'as lines';
is_deeply [map { decode_json($_) } split /\n/, $r->{body}], [audit('?limit=200')], 'all of it';
is_deeply [map { decode_json($_)->{action} } split /\n/, lines("?action=folder.created")->{body}], ['folder.created'],
	'or what is asked for';
is lines('?action=logo.removed')->{body}, '', 'or nothing';
refused(lines('?cursor=x'), '400 INVALID_REQUEST', 'what is wrong is said before');
refused(lines('', $cat), '403 ACCESS_DENIED', 'nor for members');
$db->do("INSERT INTO audit (id, workspace_id, at, actor_name, action, target_type, target_id, target_name) SELECT CONCAT('aud_', LPAD(seq, "
	. "26, '0')), ?, UNIX_TIMESTAMP(), 'x', 'feature.set', 'artifact', 'x', 'x' FROM seq_1_to_1234", undef, $ws->{id});
is scalar(split /\n/, lines('?action=feature.set')->{body}), 1234, 'more than come at once';

# ---- it is kept for a year, and costs nothing where there is no workspace

$db->do("UPDATE audit SET at = UNIX_TIMESTAMP() - 366 * 86400 WHERE action = 'feature.set'");
$stack->runner;
is scalar(audit('?action=feature.set')), 0, 'after a year it is gone';
my $personal = publish($eve, slug => 'personal');
Vitrine::Counted::still($stack);
# The least of several: a worker that guessed wrong (core/guess.h) asks once more, the first time.
sub statements {
	my ($ask) = @_;
	return (sort { $a <=> $b } map {
		my ($r, $n) = Vitrine::Counted::counted($db, $ask);
		$r->{status} == 200 or die $r->{body};
		$n =~ /Com_stmt_execute=(\d+)/;
	} 1 .. 2 * $stack->workers)[0];
}
sub looks { my ($who, $id) = @_; return statements(sub { as($who, GET => "/v1/artifacts/$id") }) }
is looks($dan, $plans), looks($eve, $personal),
	'a member reads what is of their workspace in as many statements as an owner what is their own';
sub cost {
	my ($id) = @_;
	my $n = 0;
	return statements(sub { as($eve, PATCH => "/v1/artifacts/$id", { visibility => $n++ % 2 ? 'private' : 'unlisted' }) });
}
is cost($foreign) - cost($personal), 1, 'what is of a workspace costs one statement more than what is one\'s own';
Vitrine::Counted::go_on($stack);
is $db->selectrow_array('SELECT COUNT(*) FROM audit WHERE target_id = ?', undef, $personal), 0, '... of which nothing is written down';

# ---- at once: a pause and its author's publishing; two who transfer

for my $round (1 .. 3) {
	my @said = Vitrine::Api::together($stack, 4, sub { my ($api, $i) = @_;
		said($i % 2 ? $api->call(POST => "$base/admin/artifacts/$plans/pause",
			{ token => $ben->{token}, json => { paused => $true } })
			: $api->call(POST => '/v1/publish', { token => $cat->{token}, json => { slug => 'plans', name => 'P',
				files => [{ path => 'index.html', content => "round $round" }] } })) });
	is scalar(grep { !/^20[01] |^403 ARTIFACT_PAUSED/ } @said), 0, 'a pause beside publishing' or diag "@said";
	is page('plans'), 403, '... holds';
	as($ben, POST => "$base/admin/artifacts/$plans/pause", { paused => $false });
}
my @said = Vitrine::Api::together($stack, 6, sub {
	my ($api, $i) = @_;
	said($api->call(POST => "$base/admin/artifacts/$secret/transfer",
		{ token => $ben->{token}, json => { new_owner_id => $i % 2 ? $cat->{id} : $dan->{id} } }));
});
is scalar(grep { $_ ne '200 ' } @said), 0, 'several who transfer at once' or diag "@said";
is scalar(@{$db->selectall_arrayref('SELECT 1 FROM storage s LEFT JOIN (SELECT a.owner_id, SUM(t.bytes) AS bytes FROM artifact a '
	. 'JOIN artifact_storage t ON t.artifact_id = a.id GROUP BY a.owner_id) o ON o.owner_id = s.user_id '
	. 'WHERE s.bytes <> COALESCE(o.bytes, 0)')}), 0, '... and what people store is what they own';

# ---- who can open it, on the pages

as($ben, POST => "$base/admin/artifacts/$plans/visibility", { visibility => 'private' });
as($cat, POST => '/v1/publish',
	{ slug => 'plans', name => 'P', draft => $true, files => [{ path => 'index.html', content => 'a draft' }] });
for ([ben => 'the people it is shared with', "/w/$ws->{id}/governance/$plans?done=private"],
	[cat => 'people you share it with', "/a/$plans/sharing", "/a/$plans?done=private"]) {
	my ($name, $shared, @pages) = @$_;
	my $v = Vitrine::Visitor->new($api);
	$v->sign_in("$name\@example.org", 'the password');
	for my $page (@pages) {
		my $text = $v->go($page)->{text};
		like $text, qr/every member of Team can open it, and so can \Q$shared\E, after signing in/,
			"$name at $page: who can open a private one of a workspace";
		like $text, qr/It is private now: every member of Team/, '... also when it has just become so' if $page =~ /done/;
		unlike $text, qr/only you and/, '... and no more than is true';
	}
	next if $name ne 'cat';
	my $text = $v->go('/')->{text};
	like $text, qr{href="/a/$plans">P<.*?</svg><span class="vh">In the workspace </span>Team</small>}s,
		'a card says which workspace it is of';
	is scalar(() = $text =~ /In the workspace/g),
		scalar(grep { $_->{workspace_id} } @{as($cat, GET => '/v1/artifacts')->{json}{artifacts}}), '... and no other card does';
	unlike $v->go("/w/$ws->{id}")->{text}, qr/In the workspace /, 'nor those on its own page';
	$text = $v->go("/a/$plans/versions")->{text};
	is scalar(() = $text =~ />Draft</g), 1, 'a draft is marked';
	unlike $text, qr/older version/, '... and not called older';
}

finish($stack);
