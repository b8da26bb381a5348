# SPDX-License-Identifier: Apache-2.0
# Who finds what: each kind of thing, asked for by each kind of caller, is found by whom a GET gives it to, and by nobody else; so it stays
# while what they may is changed, and what is changed is found, or isn't, with the reply of the change.
use utf8;
use Vitrine::Counted;
use Vitrine::Words qw(as said);
use Vitrine::World;

my ($stack, $api, $db) = stack(workers => 2, Vitrine::World::unlimited());
my $things = Vitrine::World->new($stack);
my @names = qw(own adm zebra vic edi out eve oth fay);
my %user = map { $_ => $stack->user("$_\@example.org") } @names;
sub done { my $r = as(@_); $r->{status} =~ /^2/ or BAIL_OUT("@_[1, 2]: $r->{body}"); return $r->{json} }
sub team {
	my ($who, $name) = @_;
	my $ws = done($who, POST => '/v1/workspaces', { name => $name })->{workspace}{id};
	$db->do('UPDATE workspace SET features_on = 63 WHERE id = ?', undef, $ws);
	return $ws;
}
my ($ws, $other) = (team(own => 'Team'), team(oth => 'Other'));
my $at = "/v1/workspaces/$ws";
done(own => POST => "$at/members", { user_id => $user{$_->[0]}{id}, role => $_->[1] }) for [adm => 'admin'], [zebra => 'member'];
# Members of another don't see all of it.
my $closed = team(own => 'Closed');
done(own => PATCH => "/v1/workspaces/$closed", { settings => { member_access => 'none' } });
done(own => POST => "/v1/workspaces/$closed/members", { user_id => $user{$_}{id}, role => 'member' }) for qw(zebra vic);

# A GET, as a connected agent makes it, too: by the action that is called as the row is, and what its address has.
my $paths = as(undef, GET => '/v1/openapi.json')->{json}{paths};
my @rows;
for my $path (grep { $paths->{$_}{get} } keys %$paths) {
	my $like = join '', map { /^\{(\w+)\}$/ ? "(?<$1>" . ($1 =~ /path/ ? '[^?]+' : '[^/?]+') . ")" : quotemeta } split /(\{\w+\})/,
		$path;
	push @rows, [qr/^$like$/, $paths->{$path}{get}{operationId}];
}
sub get {
	my ($who, $path) = @_;
	return as($who, GET => $path) if !$who || !$who->{connected};
	my ($at, $query) = split /\?/, $path;
	my ($action, %in) = map { $at =~ $_->[0] ? ($_->[1], %+) : () } @rows or die "no row for $path\n";
	my $r = as($who, POST => '/mcp', { jsonrpc => '2.0', id => 1, method => 'tools/call', params => { name => 'read_action',
		arguments => { action => $action, path => \%in, query => { map { split /=/, $_, 2 } split /&/, $query // '' } } } });
	my $result = $r->{json}{result} // {};
	return { status => $result->{isError} || !%$result ? 403 : 200, json => $result->{structuredContent}, body => $r->{body} };
}

# ---- things: what finds them is "zebra"

my %thing;
sub path { my ($path) = @_; return sub { return get($_[0], $path)->{status} == 200 } }
# Who has it in one of these lists.
sub listed {
	my ($list, $is, @paths) = @_;
	return sub {
		my ($who) = @_;
		return grep { my $r = get($who, $_); $r->{status} == 200 && grep { $is->($_) } @{$r->{json}{$list}} } @paths;
	};
}
sub thing { my ($name, $group, $id, $may, %more) = @_; $thing{$name} = { group => $group, id => $id, may => $may, %more }; return $id }
sub file {
	my ($who, $library, %in) = @_;
	my $sent = done($who, POST => "$library/upload", {});
	done(undef, PUT => $sent->{uploadUrl} =~ s{^https://[^/]+}{}r, body => "bytes $sent->{tokenId}");
	my $id = done($who, POST => "$library/deliverables", { blobId => $sent->{tokenId}, name => 'Zebra.txt', %in })->{deliverable}{id};
	return ($id, listed(deliverables => sub { $_[0]{id} eq $id }, "$library"));
}
my $folder = done(zebra => POST => "$at/folders", { name => 'Zebra folder' })->{folder}{id};
thing(folder => folders => $folder, path("$at/folders/$folder"), workspace_id => $ws, url => "/w/$ws/folders/$folder", subtitle => 'Team');
my $art = $api->publish($user{own}, name => 'Zebra report', slug => 'striped', visibility => 'private', workspace_id => $ws,
	folder_id => $folder);
thing(artifact => pages => $art, path("/v1/artifacts/$art"), workspace_id => $ws, url => "/a/$art");
done(own => POST => "/v1/artifacts/$art/collaborators", { emails => ["$_->[0]\@example.org"], role => $_->[1] })
	for [vic => 'viewer'], [edi => 'editor'];
my $mine = $api->publish($user{zebra}, name => 'Zebra of my own', visibility => 'private');
thing(own_artifact => pages => $mine, path("/v1/artifacts/$mine"), workspace_id => undef, url => "/a/$mine", subtitle => 'Your own');
for (['open_table', 'zebra_open'], ['ruled_table', 'zebra_ruled']) {
	my ($name, $table) = @$_;
	done(own => PUT => "/v1/data/$art/tables/$table",
		{ columns => [{ name => 'a', type => 'text' }], rows => [{ a => 'x' }, { a => 'y' }] });
	thing($name => datasets => $table, path("/v1/data/$art/tables/$table"), artifact_id => $art, workspace_id => $ws,
		url => "/a/$art/data/tables/$table");
	my $alert = done(own => POST => '/v1/metric-alerts', { artifact_id => $art, name => "Zebra $name", table => $table,
		kind => 'row_count', op => 'above', value => 5 })->{alert}{id};
	thing("alert_on_$name" => alerts => $alert, path("/v1/metric-alerts/$alert"), artifact_id => $art, workspace_id => $ws);
}
done(own => POST => '/v1/publish', { artifact_id => $art, name => 'Zebra report',
	access_policy => { tables => { zebra_ruled => { read => "viewer.role in ['owner', 'editor']" } } },
	files => [{ path => 'index.html', content => 'ruled' }] });
my $job = done(edi => POST => '/v1/jobs', { artifact_id => $art, name => 'Zebra job', action => 'email', schedule => '0 7 * * *',
	config => { recipients => ['secret@example.org'], subject => 'Confidential' } })->{job}{id};
# Who governs sees it, while it is there, among all that runs in its artifact's workspace.
my $edits = path("/v1/jobs/$job");
sub governs {
	my $in = as(own => GET => "/v1/artifacts/$art")->{json}{artifact}{workspace_id} // return;
	return path("/v1/workspaces/$in/agent-tokens")->(@_);
}
thing(job => schedules => $job, sub { return $edits->($_[0]) || governs($_[0]) && $edits->($user{own}) }, artifact_id => $art,
	workspace_id => $ws, subtitle => 'Every day at 07:00, UTC · Zebra report');
thing(person => people => $user{zebra}{id}, listed(members => sub { $_[0]{user_id} eq $user{zebra}{id} },
	map { "/v1/workspaces/$_/members" } $ws, $closed), workspace_id => $ws, url => "/w/$ws/members?q=zebra%40example.org");
my $connection = done(own => POST => "$at/connections",
	{ provider => 'http', name => 'Zebra orders', config => { base_url => 'https://api.example.org' } })->{connection}{id};
thing(connection => connectors => $connection, listed(connections => sub { $_[0]{id} eq $connection }, "$at/connections"),
	workspace_id => $ws, url => "/w/$ws/connections/$connection", subtitle => 'Connection of Team');
done(adm => POST => "$at/catalog/enable", { enabled => $true });
# About a table that its rules hide from most, and about nothing.
for (['entry', ''], ['ruled_entry', "source: {artifact: $art, table: zebra_ruled}\n"]) {
	my $entry = done(own => PUT => "$at/catalog/files",
		{ path => "$_->[0].md", content => "---\ntitle: Zebra $_->[0]\n$_->[1]---\n" })->{entry}{id};
	thing($_->[0] => datasets => $entry, path("$at/catalog/entries/$entry"), workspace_id => $ws, url => "/w/$ws/catalog/$entry",
		subtitle => 'Catalog of Team');
}
my $client = done(own => POST => "$at/sharees", { name => 'Zebra Foods' })->{sharee}{id};
thing(client => people => $client, path("$at/sharees/$client"), workspace_id => $ws, url => "/w/$ws/clients/$client");
my $bot = done(own => POST => "$at/agent-tokens", { name => 'Zebra bot', scopes => ['artifacts:read', 'data:read'] });
my ($bot_id) = map { $_->{id} } @{done(own => GET => "$at/agent-tokens")->{agent_tokens}};
thing(agent => crew => $bot_id, listed(agent_tokens => sub { $_[0]{id} eq $bot_id }, "$at/agent-tokens"), workspace_id => $ws,
	url => "/w/$ws/agents");
thing(file => files => file(zebra => "$at/assets", visibility => 'workspace'), workspace_id => $ws);
done(zebra => PUT => "$at/knowledge/files/notes/zebra.md", { content => "# Zebra note\n" });
thing(note => pages => 'notes/zebra.md', path("$at/knowledge/files/notes/zebra.md"), workspace_id => $ws,
	url => "/w/$ws/notes/read/notes/zebra.md", subtitle => 'Note · notes/zebra.md');
$things->make(note => ws => $ws, art => $art);
done(own => PUT => "$at/knowledge/files/pages/striped.md", { content => "# Zebra page\n" });
thing(page_note => pages => 'pages/striped.md', path("$at/knowledge/files/pages/striped.md"), artifact_id => $art, workspace_id => $ws,
	url => "/w/$ws/notes/read/pages/striped.md");
thing(private_file => files => file(zebra => "$at/assets"), workspace_id => $ws);
thing(own_file => files => file(zebra => '/v1/assets'), workspace_id => undef);
my $kept = $api->publish($user{zebra}, name => 'Zebra behind doors', visibility => 'private', workspace_id => $closed);
thing(kept_artifact => pages => $kept, path("/v1/artifacts/$kept"), workspace_id => $closed);

# ---- who asks

# A program of $who's at a host, and a token of theirs that is confined.
sub connected {
	my ($who, %is) = @_;
	my $grant = $things->make('ogr', user => $user{$who}{id}, ($is{workspace_id} ? (ws => $is{workspace_id}) : ()));
	$db->do("UPDATE agent_grant SET host = 'claude.ai' WHERE id = ?", undef, $grant);
	return { connected => 1,
		token => $stack->token($user{$who}{id}, 'som_', scopes => 15, grant_id => $grant, opens_to => 'public', %is) };
}
my %caller = (%user, nobody => undef, bot => { token => $bot->{token} },
	zebras_agent => connected('zebra'), zebras_agent_in_none => connected('zebra', workspace_id => ''),
	owns_agent => connected('own', workspace_id => $ws),
	adms_reader => { token => $stack->token($user{adm}{id}, 'so_', scopes => 1) },
	zebra_in_team => { token => done(own => POST => "$at/members/$user{zebra}{id}/tokens", { name => 'CI' })->{token} });
# Outside, with a grant on the folder, and so on what is in it; and a token of the client's.
done(own => POST => "$at/sharees/$client/members", { email => $user{out}{email} });
done(own => POST => "$at/grants", { subject_type => 'sharee', subject_id => $client, resource_type => $_->[0], resource_id => $_->[1],
	capability => 'edit' }) for [folder => $folder], [file => $thing{file}{id}];
$caller{clients} = { token => done(own => POST => "$at/sharees/$client/members/$user{out}{id}/tokens",
	{ scopes => ['artifacts:read', 'data:read'] })->{token} };
# What is shared from outside is no role: it is among what is shared, and found nowhere.
my %by_grant = map { $_ => 1 } qw(out clients);

# What they find, by names of things.
sub found {
	my ($who, $q, $more) = @_;
	Vitrine::Counted::settled($db);
	my $r = get($caller{$who}, '/v1/search?limit=100&q=' . ($q // 'zebra') . ($more // ''));
	return {} if $r->{status} != 200;
	my %named = map { ("$thing{$_}{group} $thing{$_}{id}" . ($thing{$_}{artifact_id} // '') => $_) } keys %thing;
	return { map { ($named{"$_->{group} $_->{id}" . ($_->{artifact_id} // '')} // "stray $_->{group} $_->{title}" => $_) }
		@{$r->{json}{results}} };
}
# For each caller, as text.
sub who_finds { my ($q, $more) = @_; return { map { ($_ => join ' ', sort keys %{found($_, $q, $more)}) } keys %caller } }
my $seen;
# Whether each caller finds what a GET gives; unless it is the first time, that is otherwise than the last.
sub agrees {
	my ($what) = @_;
	my ($is, @wrong) = who_finds();
	for my $who (sort keys %caller) {
		my %found = map { $_ => 1 } split ' ', $is->{$who};
		for my $name (sort keys %thing) {
			my $may = !$by_grant{$who} && $thing{$name}{may}->($caller{$who});
			push @wrong, "$who " . ($may ? "doesn't find" : 'finds') . " $name" if !$may != !delete $found{$name};
		}
		push @wrong, "$who finds @{[sort keys %found]}" if %found;
	}
	is join("\n", @wrong), '', "$what: who may GET it finds it, nobody else";
	isnt encode_json([map { $is->{$_} } sort keys %$is]), $seen, '... which has changed' if $seen;
	$seen = encode_json([map { $is->{$_} } sort keys %$is]);
	return $is;
}

# ---- at first

my $is = agrees('at first');
my %want = (
	own => 'agent alert_on_open_table alert_on_ruled_table artifact client connection entry file folder job kept_artifact note '
		. 'open_table page_note person ruled_entry ruled_table',
	adm => 'agent alert_on_open_table artifact client connection entry file folder job note open_table page_note person',
	zebra => 'alert_on_open_table artifact connection entry file folder kept_artifact note open_table own_artifact own_file page_note '
		. 'person private_file',
	zebras_agent => 'alert_on_open_table artifact connection entry file folder kept_artifact note open_table own_artifact own_file '
		. 'page_note private_file',
	zebras_agent_in_none => 'own_artifact own_file',
	zebra_in_team => 'alert_on_open_table artifact connection entry file folder note open_table page_note person private_file',
	vic => 'alert_on_open_table artifact open_table person',
	edi => 'alert_on_open_table alert_on_ruled_table artifact job open_table ruled_table',
	bot => 'alert_on_open_table artifact entry file folder note open_table page_note',
	owns_agent => 'alert_on_open_table alert_on_ruled_table artifact connection entry file folder job note open_table page_note '
		. 'ruled_entry ruled_table',
	adms_reader => 'alert_on_open_table artifact folder', map { $_ => '' } qw(out clients eve oth fay nobody));
is $is->{$_}, $want{$_}, "what $_ finds" for sort keys %want;
delete @caller{qw(nobody oth fay out clients zebras_agent_in_none adms_reader)};
$seen = undef;
my %as_shown = (own => [qw(folder artifact open_table job client connection entry agent kept_artifact note page_note)],
	zebra => [qw(own_artifact file private_file own_file person)]);
for my $who (sort keys %as_shown) {
	my $found = found($who);
	for my $name (@{$as_shown{$who}}) {
		my ($t, $f) = ($thing{$name}, $found->{$name});
		is $f->{workspace_id}, $t->{workspace_id}, "$name: where it is";
		is $f->{artifact_id}, $t->{artifact_id}, '... of what' if $t->{artifact_id};
		is $f->{url}, "https://vitrine.localhost:$stack->{port}$t->{url}", '... and its page' if $t->{url};
		is $f->{subtitle}, $t->{subtitle}, '... told' if $t->{subtitle};
	}
}
is found('own')->{artifact}{subtitle}, 'Team / Zebra folder · yours', 'where an artifact lies, and whose it is';
is found('vic')->{artifact}{subtitle}, 'Shared with you', '... which nobody outside is told';
is found('own')->{open_table}{subtitle}, 'Table in Zebra report · 2 rows', 'a table with its rows';
is found('edi')->{job}{url}, "https://vitrine.localhost:$stack->{port}/a/$art/jobs/$job", "a job's page is its artifact's for an editor";
is found('adm')->{job}{url}, "https://vitrine.localhost:$stack->{port}/w/$ws/runs?job=$job", '... and its runs for who governs';
is found('own')->{alert_on_open_table}{url} =~ m{/data/alerts/alr_}, 1, "an alert's page is its own for who changes it";
is found('vic')->{alert_on_open_table}{url}, "https://vitrine.localhost:$stack->{port}/a/$art/data/alerts",
	'... and that of all for who reads it';
is join('', map { %{found($_, 'confidential')}, %{found($_, 'secret')} } sort keys %caller), '', "nothing of a job's config is found";
is_deeply who_finds(zebra => "&workspace=$other"), { map { $_ => '' } keys %caller }, 'in another workspace there is nothing';
my $within = who_finds(zebra => "&workspace=$closed");
is_deeply [@$within{qw(own adm zebra vic)}], ['kept_artifact person', '', 'kept_artifact person', 'person'],
	'within one there is what it has';

# ---- what they may is changed

sub policy { done(own => PATCH => "$at/agent-policy", { @_ }) }
policy(agents => 'off');
$is = agrees('agents are off');
is "@$is{qw(zebras_agent owns_agent)}", 'kept_artifact own_artifact own_file ', '... so connected agents find what is elsewhere';
policy(agents => 'on', agent_hosts => ['chatgpt.com']);
is_deeply who_finds(), $is, 'agents of other hosts alone: the same';
policy(agents => 'read_only', agent_hosts => []);
is_deeply [@{who_finds()}{qw(zebras_agent owns_agent)}], [@want{qw(zebras_agent owns_agent)}], 'who only reads finds all';
policy(agents => 'on');
agrees('agents are on');
done(adm => POST => "$at/admin/artifacts/$art/pause", { paused => $true });
agrees('an artifact is paused');
done(adm => POST => "$at/admin/artifacts/$art/pause", { paused => $false });
agrees('... and goes on');
done(own => PATCH => $at, { settings => { member_access => 'none' } });
agrees('members see no artifacts of others');
done(own => PATCH => $at, { settings => { member_access => 'editor' } });
$is = agrees('members edit all');
like $is->{zebra}, qr/\bjob\b.*\bruled_table\b/, '... and so find its jobs';
done(own => PATCH => $at, { settings => { member_access => 'viewer' } });
agrees('members see all');
done(own => PUT => "$at/access-policy", { allowed_domains => [], allowed_emails => ['own@example.org', 'edi@example.org'] });
agrees('whom a policy leaves out');
done(own => PUT => "$at/access-policy", { allowed_domains => [], allowed_emails => [] });
agrees('... and lets in');
$db->do('UPDATE workspace SET features_on = 0, features_off = 63 WHERE id = ?', undef, $ws);
agrees('a plan without clients');
$db->do('UPDATE workspace SET features_on = 63, features_off = 0 WHERE id = ?', undef, $ws);
agrees('... and with them');
done(own => PATCH => "/v1/artifacts/$art", { visibility => 'public' });
done(own => PATCH => "/v1/artifacts/$art", { visibility => 'private' });

# ---- with the reply of the change

sub finders { my ($name, $q) = @_; return join ' ', sort grep { found($_, $q)->{$name} } keys %caller }
my $all = finders('artifact');
for (['/v1/artifacts/' . $art, artifact => { name => 'Okapi report' }, { name => 'Zebra report' }],
	["/v1/artifacts/$art", artifact => { slug => 'okapi-striped' }, { slug => 'striped' }],
	["$at/folders/$folder", folder => { name => 'Okapi' }, { name => 'Zebra folder' }],
	["$at/assets/deliverables/$thing{file}{id}", file => { name => 'Okapi.txt' }, { name => 'Zebra.txt' }],
	["/v1/jobs/$job", job => { name => 'Okapi' }, { name => 'Zebra job' }],
	["/v1/metric-alerts/$thing{alert_on_open_table}{id}", alert_on_open_table => { name => 'Okapi' }, { name => 'Zebra alert' }],
	["$at/sharees/$client", client => { name => 'Okapi Foods' }, { name => 'Zebra Foods' }],
	["$at/connections/$connection", connection => { name => 'Okapi orders' }, { name => 'Zebra orders' }]) {
	my ($path, $name, $to, $back) = @$_;
	my $was = finders($name);
	my %was = map { $_ => 1 } $to->{slug} ? () : qw(artifact folder file job client connection);
	done(own => PATCH => $path, $to);
	is finders($name, 'okapi'), $was, "$name: found by its new " . join ' ', keys %$to;
	is finders($name), $was{$name} ? '' : $was, '... and by the former only where something else has it';
	done(own => PATCH => $path, $back);
	is finders($name, 'okapi'), '', '... which it is no longer';
}
my $draft = done(own => POST => '/v1/publish', { artifact_id => $art, name => 'Okapi report', draft => $true,
	files => [{ path => 'index.html', content => 'draft' }] })->{version}{version_no};
is finders('artifact', 'okapi'), '', "a draft's name is not found";
done(own => POST => '/v1/publish', { artifact_id => $art, name => 'Zebra okapi', files => [{ path => 'index.html', content => 'named' }] });
is finders('artifact', 'okapi'), $all, 'a version with a name renames it';
done(own => POST => '/v1/publish',
	{ artifact_id => $art, name => 'Zebra report', files => [{ path => 'index.html', content => 'as it was' }] });
$seen = undef;
agrees('all is as it was');
done(own => DELETE => "/v1/artifacts/$art");
agrees('an artifact in the trash');
done(own => POST => "/v1/artifacts/$art/restore", {});
agrees('... and out of it');
done(own => DELETE => "/v1/artifacts/$art/collaborators/vic\@example.org");
agrees('a collaborator less');
done(own => POST => "/v1/artifacts/$art/collaborators", { emails => ['eve@example.org'], role => 'viewer' });
like who_finds()->{eve}, qr/^artifact$/, 'a collaborator more finds the artifact';
sub runner { my ($status, undef, $err) = $stack->runner; is $status, 0, 'the runner did its rounds' or diag $err }
runner();
agrees('... and, soon, what is its');
done(own => PATCH => "/v1/artifacts/$art", { workspace_id => $closed });
runner();
agrees('moved to another workspace');
done(own => PATCH => "/v1/artifacts/$art", { workspace_id => undef });
runner();
$seen = undef;
agrees('moved out of all');
done(own => PATCH => "/v1/artifacts/$art", { workspace_id => $ws });
runner();
agrees('... and back');
done(zebra => POST => "/v1/artifacts/$kept/transfer-ownership", { email => 'vic@example.org' });
agrees('another owner');
done(zebra => PATCH => "$at/assets/deliverables/$thing{file}{id}", { visibility => 'private' });
agrees('a file is private');
done(zebra => PATCH => "$at/assets/deliverables/$thing{file}{id}", { visibility => 'workspace' });
agrees('... and the workspace\'s');
done(own => POST => "$at/members", { user_id => $user{eve}{id}, role => 'member' });
agrees('somebody joins');
is finders('person'), 'adm eve own vic zebra zebra_in_team', '... and finds the others';
done(own => DELETE => "$at/members/$user{eve}{id}");
agrees('... and is removed');
done(adm => DELETE => "$at/members/$user{adm}{id}");
agrees('an admin leaves');
done(own => DELETE => "/v1/data/$art/tables/zebra_open");
agrees('a table is deleted');
done(own => DELETE => $_) for "/v1/jobs/$job", "/v1/metric-alerts/$thing{alert_on_ruled_table}{id}", "$at/sharees/$client",
	"$at/connections/$connection", "$at/catalog/files?path=entry.md", "$at/folders/$folder?recursive=1";
done(zebra => DELETE => "$at/assets/deliverables/$thing{private_file}{id}");
agrees('jobs, alerts, clients, connections, entries, files and folders are deleted');
done(own => DELETE => $at);
agrees('a workspace in the trash');
done(own => POST => "$at/restore", {});
agrees('... and out of it');
done(zebra => DELETE => "$at/members/$user{zebra}{id}");
runner();
agrees('who leaves takes nothing along');

# ---- what it costs

my $hidden = $api->publish($user{own}, name => 'Quagga', visibility => 'private');
sub statements { my ($work) = @_; return (Vitrine::Counted::counted($db, $work))[1] =~ /Com_stmt_execute=(\d+)/ ? $1 : die }
Vitrine::Counted::still($stack);
for my $who (qw(eve vic)) {
	my ($theirs, $nothing) = map { my $q = $_; found($who, $q); statements(sub { found($who, $q) }) } qw(quagga xylophone);
	is $theirs, $nothing, "what $who may not see costs what is absent costs";
}
my $version = 0;
sub publishes {
	my (%in) = @_;
	return statements(sub { done(own => POST => '/v1/publish',
		{ artifact_id => $hidden, files => [{ path => 'index.html', content => 'version ' . ++$version }], %in }) });
}
publishes(name => 'Quagga');
my ($alone, $renamed) = (publishes(name => 'Quagga'), publishes(name => 'Quagga and okapi'));
cmp_ok $renamed, '>', $alone, 'a version with another name costs more than one without';
is statements(sub { done(own => PATCH => "/v1/artifacts/$hidden", { name => 'Quagga and okapi', comments_open => $true }) }),
	statements(sub { done(own => PATCH => "/v1/artifacts/$hidden", { comments_open => $true }) }), 'the same name again costs nothing';
Vitrine::Counted::go_on($stack);

# ---- what they opened last

sub recents {
	my ($who) = @_;
	return join ' ', map { $_->{title} } @{done($who, GET => '/v1/search?q=&limit=4&groups=pages,folders,files,datasets')->{results}};
}
my @opened = map { $api->publish($user{fay}, name => $_, visibility => 'private') } qw(First Second Third Fourth);
is recents('fay'), 'Fourth Third Second First', 'who has opened nothing is shown the newest';
sub opened {
	my ($n) = @_;
	Vitrine::Stack::wait_for("$n that were opened", 60,
		sub { $db->selectrow_array('SELECT COUNT(*) FROM search_recent WHERE user_id = ?', undef, $user{fay}{id}) == $n });
}
as(fay => GET => "/v1/artifacts/$opened[0]");
as({ token => $stack->token($user{fay}{id}, 'so_', scopes => 1) }, GET => "/v1/artifacts/$opened[0]");
opened(1);
is recents('fay'), 'First Fourth Third Second', 'what they opened comes first';
is_deeply $db->selectall_arrayref('SELECT kind, id FROM search_recent WHERE user_id = ?', undef, $user{fay}{id}), [[1, $opened[0]]],
	'... once';
get(connected('fay'), "/v1/artifacts/$opened[1]");
done(own => PATCH => "/v1/artifacts/$art", { visibility => 'public' });
as(oth => GET => "/v1/artifacts/$art");
done(fay => GET => "/v1/artifacts/$opened[2]");
opened(2);
is $db->selectrow_array('SELECT COUNT(*) FROM search_recent WHERE user_id = ? OR id = ?', undef, $user{oth}{id}, $opened[1]), 0,
	'what programs read for them, or who has no role, is not kept';
$db->do("INSERT INTO search_recent SELECT ?, 1, CONCAT('art_', LPAD(seq, 26, '0')), IF(seq < 250, 1000 + seq, 9000000000) "
	. "FROM seq_1_to_300", undef, $user{fay}{id});
done(fay => GET => "/v1/artifacts/$opened[3]");
opened(200);
is $db->selectrow_array('SELECT MIN(at) FROM search_recent WHERE user_id = ?', undef, $user{fay}{id}), 1000 + 104, '200 are kept, the last';
runner();
opened(54);
done(fay => DELETE => "/v1/artifacts/$opened[3]");
opened(53);
unlike recents('fay'), qr/Fourth/, 'what has gone is not among them';

# ---- what is kept is what there is

runner();
is $db->selectrow_array('SELECT COUNT(*) FROM search_due'), 0, 'nothing is left to do';
finish($stack);
