# SPDX-License-Identifier: Apache-2.0
# What a workspace lets connected agents do: on, read only, off, and from which hosts. Those that are confined to it and those that come
# upon it, its lists and its single things, and the very next request.
use utf8;
use Vitrine::Words qw(as refused);
use Vitrine::World;

my ($stack, $api, $db) = stack(agent_calls_per_minute => 100_000, publish_per_hour => 100_000, data_per_minute => 100_000);
my $world = Vitrine::World->new($stack);
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben cat dan eve);
my ($ws, $other) = map { as('ann', POST => '/v1/workspaces', { name => $_ })->{json}{workspace}{id} } qw(Team Other);
$stack->seat($ws, $user{ben}, 'member');
my $path = "/v1/workspaces/$ws/agent-policy";
sub policy {
	my (%is) = @_;
	my $r = as('ann', PATCH => $path, \%is);
	is $r->{status}, 200, 'the policy: ' . $api->{json}->encode(\%is) or diag $r->{body};
	return $r->{json};
}

# ---- reading and changing it

is_deeply as('ben', GET => $path)->{json}, { success => $true, agents => 'on', agent_hosts => [] }, 'none at first: members read it';
is_deeply policy(agents => 'read_only'), { success => $true, agents => 'read_only', agent_hosts => [] }, 'one part';
is_deeply policy(agent_hosts => ['Claude.AI', 'claude.ai.', 'localhost', 'cursor:', 'bücher.example:8443', '[::1]',
		'127.0.0.1'])->{agent_hosts}, ['claude.ai', 'localhost', 'cursor:', 'xn--bcher-kva.example:8443', '[::1]', '127.0.0.1'],
	'hosts as they are compared, each once';
is as('ann', GET => $path)->{json}{agents}, 'read_only', '... and the other part stays';
is_deeply policy(agents => 'on', agent_hosts => []), { success => $true, agents => 'on', agent_hosts => [] }, 'taken away';
refused(as('ann', PATCH => $path, $_->[0]), '400 INVALID_REQUEST',
	'no policy: ' . Cpanel::JSON::XS->new->canonical->encode($_->[0]), $_->[1])
	for [{ agents => 'yes' }, qr/^agents: /], [{ agent_hosts => 'claude.ai' }, qr/^agent_hosts: /],
	[{ agent_hosts => [1] }, qr/^agent_hosts/],
	[{ agent_hosts => [map { "h$_.example" } 1 .. 51] }, qr/^agent_hosts: .*50/],
	[{ agent_hosts => ['a' x 254] }, qr/^agent_hosts\[0\]/], [{ agent_hosts => ['claude.ai', ''] }, qr/^agent_hosts\[1\]/],
	map {
		[{ agent_hosts => ['claude.ai', $_] }, qr/^agent_hosts\[1\]: \Q$_\E isn't a host; list names such as claude\.ai/];
	} 'https://claude.ai', 'claude.ai/mcp', 'a,b', 'a b', '*.claude.ai', 'claude..ai', 'claude.ai:123456', 'claude.ai:8a';
is as('ann', PATCH => $path, { agent_hosts => [map { ('a' x 60 . '.') x 4 . "h$_.example" =~ s/^(.{0,9}).*/$1/r } 10 .. 59] })->{status},
	200, 'fifty long ones';
policy(agents => 'on', agent_hosts => []);
refused(as('ben', PATCH => $path, { agents => 'off' }), '403 ACCESS_DENIED', 'a member may not change it');
refused(as('cat', $_, $path, {}), '404 NOT_FOUND', "a stranger: $_") for 'GET', 'PATCH';
refused(as(undef, GET => $path), '401 UNAUTHENTICATED', 'nobody');
$db->do("UPDATE member SET role = 'admin' WHERE workspace_id = ? AND user_id = ?", undef, $ws, $user{ben}{id});
is as('ben', PATCH => $path, { agents => 'on' })->{status}, 200, 'an admin may';
$db->do("UPDATE member SET role = 'member' WHERE workspace_id = ? AND user_id = ?", undef, $ws, $user{ben}{id});
my ($before, $after) = $db->selectrow_array(
	"SELECT before_it, after_it FROM audit WHERE workspace_id = ? AND action = 'agent_policy.changed' ORDER BY id LIMIT 1", undef, $ws);
is_deeply [map { decode_json($_) } $before, $after], [map { { agents => $_, agent_hosts => [] } } qw(on read_only)],
	'what was changed is written down';

# ---- agents, and what there is for them

sub connected {
	my ($who, %is) = @_;
	my $host = delete $is{host} // 'claude.ai';
	my $grant = $world->make('ogr', user => $user{$who}{id}, ($is{workspace_id} ? (ws => $is{workspace_id}) : ()));
	$db->do('UPDATE agent_grant SET host = ? WHERE id = ?', undef, $host, $grant);
	my %row = (scopes => 15, opens_to => 'public', grant_id => $grant, %is);
	my ($secret, @columns) = (Vitrine::Stack::secret('som_'), sort keys %row);
	$db->do('INSERT INTO token (' . join(', ', qw(id hash user_id created_at expires_at), @columns)
			. ") VALUES (CONCAT('tok_', HEX(RANDOM_BYTES(8))), UNHEX(SHA2(?, 256)), ?, 0, 4000000000" . ', ?' x @columns . ')',
		undef, $secret, $user{$who}{id}, @row{@columns});
	return $secret;
}
sub mcp {
	my ($token, $method, $params) = @_;
	return $api->call(POST => '/mcp',
		{ token => $token, json => { jsonrpc => '2.0', id => 1, method => $method, params => $params // {} } });
}
sub tool { my ($token, $name, $args) = @_; return mcp($token, 'tools/call', { name => $name, arguments => $args // {} })->{json}{result} }
# What a tool says is wrong; '': nothing.
sub wrong { my $r = tool(@_); return $r->{isError} ? $r->{content}[0]{text} : '' }
sub told {
	my ($token, $name, $args) = @_;
	my $r = tool($token, $name, $args);
	fail("$name: $r->{content}[0]{text}") if $r->{isError};
	return $r->{structuredContent};
}
sub ids { my ($list) = @_; return join ' ', sort map { $_->{id} } @$list }
my $n = 0;
sub page { my ($token, %more) = @_; return { name => 'Page ' . ++$n, files => [{ path => 'index.html', content => "page $n" }], %more } }

my $OFF = qr/^ACCESS_DENIED: The admins of this workspace have turned agents off, .* your person can ask them/;
my $HOST = qr/^ACCESS_DENIED: The admins of this workspace let only agents of certain hosts work in it, and claude\.ai isn't one of them; your person can ask them/;
my $READ_ONLY = qr/^ACCESS_DENIED: The admins of this workspace let agents read and change nothing in it; your person can ask them/;
my $inside = $api->publish($user{ann}, slug => 'inside', workspace_id => $ws, files => { 'index.html' => 'the plan' });
my $open = $api->publish($user{ann}, slug => 'open', workspace_id => $ws, visibility => 'public', files => { 'index.html' => 'for all' });
my $bens = $api->publish($user{ben}, slug => 'bens', workspace_id => $ws, files => { 'index.html' => 'of Ben' });
my $gone = $api->publish($user{ann}, slug => 'gone', workspace_id => $ws, files => { 'index.html' => 'x' });
my $elsewhere = $api->publish($user{ann}, slug => 'elsewhere', workspace_id => $other, files => { 'index.html' => 'x' });
my $own = $api->publish($user{ann}, slug => 'own', files => { 'index.html' => 'x' });
as('ann', DELETE => "/v1/artifacts/$gone");
$db->do('INSERT INTO collaborator (artifact_id, user_id, role, created_at) VALUES (?, ?, ?, 0)', undef, $inside, $user{dan}{id}, 'editor');
as('ann', PUT => "/v1/data/$_/tables/guests", { columns => [{ name => 'a', type => 'number' }], rows => [{ a => 1 }] })
	for $inside, $elsewhere;
my $address = as('ann', GET => "/v1/artifacts/$inside")->{json}{artifact}{url};
my $job = $world->make(job => art => $inside, user => $user{ann}{id});
$world->make(watch => art => $inside, user => $user{ann}{id});
$world->make(fld => ws => $ws, user => $user{ann}{id});
my %agent = (roaming => connected('ann'), confined => connected('ann', workspace_id => $ws), member => connected('ben'),
	guest => connected('dan'), stranger => connected('cat'), neighbour => connected('ann', workspace_id => $other),
	'own only' => connected('ann', own_only => 1));
my %all = map { $_ => ids(told($agent{$_}, 'list_artifacts')->{artifacts}) } keys %agent;
is $all{roaming}, ids([map { { id => $_ } } $inside, $open, $elsewhere, $own]), 'without a policy: all that its person has';
sub action {
	my ($token, $action, %o) = @_;
	return wrong($token, $action =~ /^get/ ? 'read_action' : 'call_action', { action => $action, %o });
}
# What of the API an agent may ask for, about things of the workspace: [action, reads, path].
my @rows;
{
	my $paths = decode_json(Vitrine::Stack::slurp('docs/openapi.json'))->{paths};
	for my $p (sort keys %$paths) {
		next if $p !~ m{^/v1/}
			|| $p =~ /own_|shared_folder_id|by-slug|delivery_secret|upload_secret|import_secret|\{logo\}|agent_id/
			|| $p !~ /\{/;
		for my $method (sort keys %{$paths->{$p}}) {
			my $action = $paths->{$p}{$method}{operationId} or next;
			my %at = (art => $inside, ws => $ws, user => $user{ann}{id}, job => $job);
			my %path;
			for my $name ($p =~ /\{\+?(\w+)\}/g) {
				my $kind = $Vitrine::World::kind{$name} // $name;
				$path{$name} = $at{$kind}
					// ($kind eq 'no' ? '1' : $kind eq '+' ? 'index.html' : eval { $world->make($kind, %at) } // 'x');
				$at{$kind} //= $path{$name};
			}
			my $is = action($agent{neighbour}, $action, path => \%path);
			next if $is =~ /^ACCESS_DENIED: action: agents can't do this/ || $is =~ /^NOT_FOUND: action/;
			push @rows, [$action, $method eq 'get', \%path];
		}
	}
}
for my $reads (0, 1) {
	cmp_ok scalar(grep { !!$_->[1] == !!$reads } @rows), '>', 25,
		'rows that an agent may ask for, which ' . ($reads ? 'read' : 'change');
}

# ---- read only

policy(agents => 'read_only');
is mcp($agent{confined}, 'initialize', { protocolVersion => '2025-06-18' })->{status}, 200, 'read only: who is confined is connected';
like 'ACCESS_DENIED: ' . (told($agent{confined}, 'whoami')->{workspace_policy} // ''), $READ_ONLY, '... and is told what it may';
is told($agent{$_}, 'whoami')->{workspace_policy}, undef, "... $_ is not, whom it doesn't bound" for 'roaming', 'neighbour', 'own only';
is ids(told($agent{$_}, 'list_artifacts')->{artifacts}), $all{$_}, "... and $_ lists what it did" for sort keys %agent;
for my $who (qw(roaming confined)) {
	like told($agent{$who}, 'fetch', { id => 'inside' })->{text}, qr/the plan/, "$who reads";
	is told($agent{$who}, 'get_artifact', { artifact => $inside })->{artifact}{id}, $inside, '... a page';
	like told($agent{$who}, 'query_data', { artifact => $inside, table => 'guests' })->{rows}, qr/"a":1/, '... its data';
	like ids(told($agent{$who}, 'read_action', { action => 'getJobs', query => { artifact_id => $inside } })->{jobs}), qr/^$job\b/,
		'... its jobs';
	cmp_ok scalar(@{told($agent{$who}, 'read_action', { action => 'getMetricWatch' })->{watches}}), '>', 0, '... its watches';
	like wrong($agent{$who}, 'publish', page(undef, workspace => $ws)), $READ_ONLY, '... and publishes nothing new there';
	like wrong($agent{$who}, 'publish', { artifact => $inside, files => [{ path => 'index.html', content => 'other' }] }), $READ_ONLY,
		'... nor another version';
	like wrong($agent{$who}, 'publish', { artifact => 'inside', mode => 'patch', expected_version => 1,
		files => [{ path => 'index.html', edits => [{ old => 'plan', new => 'plot' }] }] }), $READ_ONLY, '... nor an edit';
	like wrong($agent{$who}, @$_), $READ_ONLY, "... nor $_->[0]" for [update_artifact => { artifact => $inside, name => 'x' }],
		[delete_artifact => { artifact => $inside }], [comment => { artifact => $inside, text => 'x' }],
		[write_data => { artifact => $inside, table => 'guests', insert => [{ a => 2 }] }],
		[write_data => { artifact => $inside, document => { a => 1 } }], [start_upload => { workspace => $ws }];
	like action($agent{$who}, 'postJobs', body => { artifact_id => $inside, action => 'email', schedule => '0 0 * * *',
		config => { recipients => ['ann@example.org'], subject => 'x' } }), $READ_ONLY, '... nor a job';
	like action($agent{$who}, 'postMetricWatch',
			body => { artifact_id => $inside, table => 'guests', kind => 'row_count', threshold_pct => 10 }), $READ_ONLY,
		'... nor a watch';
	like action($agent{$who}, 'postMetricAlerts',
			body => { artifact_id => $inside, name => 'x', table => 'guests', kind => 'row_count', op => 'above', value => 5 }),
		$READ_ONLY, '... nor an alert';
}
like wrong($agent{confined}, 'publish', page()), $READ_ONLY, 'who is confined publishes nothing at all';
is wrong($agent{roaming}, 'publish', page()), '', '... who roams does, outside';
is wrong($agent{roaming}, 'publish', page(undef, workspace => $other)), '', '... and in another workspace';
like action($agent{roaming}, 'patchArtifactsByArtifactId', path => { artifact_id => $own }, body => { workspace_id => $ws }), $READ_ONLY,
	'nothing is moved in';
like action($agent{roaming}, 'patchArtifactsByArtifactId', path => { artifact_id => $inside }, body => { workspace_id => undef }),
	$READ_ONLY, '... or out';
is wrong($agent{stranger}, 'get_artifact', { artifact => $open }), '', 'an open page is open to a stranger, too';
like wrong($agent{stranger}, 'comment', { artifact => $open, text => 'x' }), $READ_ONLY, '... whose agent changes nothing there, either';
for my $row (@rows) {
	my ($action, $reads, $at) = @$row;
	my $is = action($agent{roaming}, $action, path => $at);
	if ($reads) { unlike $is, qr/^ACCESS_DENIED/, "read only: $action" }
	else { like $is, $READ_ONLY, "read only: $action" }
}
is $db->selectrow_array('SELECT COUNT(*) FROM version WHERE artifact_id = ?', undef, $inside), 1, 'nothing has changed';

# ---- off, and hosts; each acts on the very next call

for my $state ([$OFF, agents => 'off'], [$HOST, agent_hosts => ['chatgpt.com', 'notclaude.ai', 'claude.ai.example', 'claude.ai:443']],
	[$HOST, agents => 'read_only', agent_hosts => ['cursor:']]) {
	my ($words, %is) = @$state;
	is wrong($agent{roaming}, 'get_artifact', { artifact => $inside }), '', 'before it';
	policy(%is);
	for my $message ([tools => 'tools/call', { name => 'whoami' }], [start => 'initialize', { protocolVersion => '2025-06-18' }],
		[list => 'tools/list'], [resources => 'resources/list']) {
		my $r = mcp($agent{confined}, @$message[1, 2]);
		is_deeply [$r->{status}, $r->{json}{error}{code}, $r->{json}{error}{data}{code}], [403, 403, 'ACCESS_DENIED'],
			"who is confined is refused: $message->[0]";
		like "ACCESS_DENIED: $r->{json}{error}{message}", $words, '... with words for its person';
		is $r->{headers}{'www-authenticate'}, undef, '... and no way to sign in again';
	}
	for my $row (@rows) {
		like action($agent{roaming}, $row->[0], path => $row->[2]), $words, "$row->[0]";
	}
	for my $who (qw(roaming member guest)) {
		like wrong($agent{$who}, 'get_artifact', { artifact => $_ }), $words, "$who: not $_" for $inside, 'inside', $address;
		like wrong($agent{$who}, 'fetch', { id => $inside }), $words;
		like wrong($agent{$who}, 'publish', { artifact => $inside, files => [{ path => 'index.html', content => 'other' }] }),
			$words;
		like wrong($agent{$who}, 'publish', page(undef, slug => 'inside')), qr/^SLUG_TAKEN|$words/;
		like action($agent{$who}, 'getJobs', query => { artifact_id => $inside }), $words;
		like action($agent{$who}, 'postMetricWatch',
			body => { artifact_id => $inside, table => 'guests', kind => 'row_count', threshold_pct => 10 }), $words;
	}
	for my $who (qw(roaming member)) {
		like wrong($agent{$who}, 'get_artifact', { artifact => $open }), $words,
			"$who: nor what is open, since its person has a role there";
		like wrong($agent{$who}, 'list_artifacts', { workspace => $ws }), $words, '... no list of it';
		like wrong($agent{$who}, 'publish', page(undef, workspace => $ws)), $words, '... nothing new';
		like action($agent{$who}, 'getWorkspacesBySlugBySlug', path => { slug => 'team' }), $words, '... nor by its name';
		like action($agent{$who}, 'getAccountTier', query => { workspace_id => $ws }), $words, '... nor its plan';
		unlike $api->{json}->encode(told($agent{$who}, 'whoami', { workspaces => $true })->{workspaces} // []), qr/\Q$ws/,
			'... it is left out of the workspaces';
		is ids(told($agent{$who}, 'read_action', { action => 'getJobs' })->{jobs}), '', '... of the jobs';
		is scalar(@{told($agent{$who}, 'read_action', { action => 'getMetricWatch' })->{watches}}), 0, '... of the watches';
		is ids(told($agent{$who}, 'search', { query => 'inside' })->{results}), '', '... of a search';
		unlike mcp($agent{$who}, 'resources/list')->{body}, qr/\Q$inside/, '... of the resources';
		is mcp($agent{$who}, 'resources/read', { uri => "vitrine://artifact/$inside" })->{json}{result},
			undef, '... and none of them is read';
	}
	is ids(told($agent{member}, 'list_artifacts')->{artifacts}), '', 'a list leaves its own there out';
	is ids(told($agent{guest}, 'list_artifacts')->{artifacts}), '', '... and what is shared with it';
	is ids(told($agent{roaming}, 'list_artifacts', { deleted => $true })->{artifacts}), '', '... and the trash';
	is wrong($agent{guest}, 'get_artifact', { artifact => $open }), '', 'who has no role there sees what everybody sees';
	is wrong($agent{stranger}, 'get_artifact', { artifact => $open }), '', '... a stranger, too';
	like wrong($agent{stranger}, 'get_artifact', { artifact => $inside }), qr/^NOT_FOUND/, '... and nothing else';
	like wrong($agent{guest}, 'get_artifact', { artifact => $_ }), qr/^NOT_FOUND/, "... what its person can't see is absent"
		for $bens, $gone;
	like wrong($agent{$_}, 'get_artifact', { artifact => $inside }), qr/^NOT_FOUND/, "$_: as ever" for 'neighbour', 'own only';
	ok +(grep { $_->{id} eq $elsewhere } @{told($agent{neighbour}, 'list_artifacts')->{artifacts}}), 'another workspace is unaffected';
	is wrong($agent{neighbour}, 'publish', page()), '', '... and published in';
	is wrong($agent{roaming}, 'publish', page(undef, workspace => $other)), '', 'who roams goes on there';
	is wrong($agent{roaming}, 'get_artifact', { artifact => $own }), '', '... and outside';
	like action($agent{roaming}, 'patchArtifactsByArtifactId', path => { artifact_id => $own }, body => { workspace_id => $ws }),
		$words, '... and moves nothing in';
	is as($_, GET => "/v1/artifacts/$inside")->{status}, 200, "people are unaffected: $_" for qw(ann ben dan);
	is as('ann', PATCH => "/v1/artifacts/$inside", { name => 'Inside ' . ++$n })->{status}, 200, '... and change it with their tokens';
	is $api->call(POST => '/mcp', { token => $user{ann}{token}, json => { jsonrpc => '2.0', id => 1, method => 'tools/call',
			params => { name => 'get_artifact', arguments => { artifact => $inside } } } })->{json}{result}{isError},
		undef, '... over the protocol, too';
	policy(agents => 'on', agent_hosts => []);
	is mcp($agent{confined}, 'tools/list')->{status}, 200, 'taken away: who is confined is back at once';
	is wrong($agent{roaming}, 'publish', { artifact => $inside, files => [{ path => 'index.html', content => 'another ' . ++$n }] }),
		'', '... and who roams publishes';
}

# ---- hosts that are named

policy(agent_hosts => ['chatgpt.com', 'claude.ai', 'cursor:', 'localhost']);
for my $host ('claude.ai', 'chatgpt.com', 'cursor:', 'localhost') {
	is wrong(connected('ann', host => $host), 'get_artifact', { artifact => $inside }), '', "$host is let in";
	is mcp(connected('ann', host => $host, workspace_id => $ws), 'tools/list')->{status}, 200, '... and when it is confined';
}
for my $host ('evil.example', 'ai', 'claude', 'chatgpt.com,claude.ai', 'xclaude.ai', '') {
	like wrong(connected('ann', host => $host), 'get_artifact', { artifact => $inside }),
		qr/certain hosts work in it, and \Q$host\E isn't one/, "'$host' is not";
	is mcp(connected('ann', host => $host, workspace_id => $ws), 'tools/list')->{status}, 403, '... nor when it is confined';
}
policy(agents => 'read_only');
like wrong($agent{roaming}, 'update_artifact', { artifact => $inside, name => 'x' }), $READ_ONLY, 'a host that is let in, to read';
is wrong($agent{roaming}, 'get_artifact', { artifact => $inside }), '';
policy(agents => 'off');
like wrong($agent{roaming}, 'get_artifact', { artifact => $inside }), $OFF, 'off is off for all hosts';

# ---- beside a policy on who may come in

my $joins = sub {
	is as('ann', PUT => "/v1/workspaces/$ws/access-policy", { allowed_emails => \@_ })->{status}, 200, "only @_ may come in";
};
$joins->('dan@example.org');
like wrong($agent{guest}, 'get_artifact', { artifact => $inside }), $OFF, 'whom both policies concern hears of the one on agents';
$joins->('eve@example.org');
like wrong($agent{guest}, 'get_artifact', { artifact => $inside }), qr/^NOT_FOUND/, '... and nothing where its person sees nothing';
policy(agents => 'on');
like wrong($agent{guest}, 'get_artifact', { artifact => $inside }), qr/^NOT_FOUND/, 'neither lets in whom the other keeps out';
$joins->('dan@example.org');
is wrong($agent{guest}, 'get_artifact', { artifact => $inside }), '', '... and both let in';
is ids(told($agent{guest}, 'list_artifacts')->{artifacts}), $inside, '... its list as well';

# ---- what was begun before, and who else works there

policy(agents => 'on', agent_hosts => []);
my $up = told($agent{roaming}, 'start_upload', { workspace => $ws });
is $api->call(PUT => $up->{url} =~ s{^https://[^/]+}{}r, { body => 'not an archive', type => 'application/zip' })->{status}, 201,
	'bytes for its library';
policy(agents => 'off');
like wrong($agent{roaming}, 'publish', { name => 'Taken', upload => $up->{upload} }), qr/^NOT_FOUND: upload/,
	'... are not carried out of it';
my $robot = as('ann', POST => "/v1/workspaces/$ws/agent-tokens", { name => 'Robot', scopes => ['artifacts:read'] });
is as({ token => $robot->{json}{token} }, GET => "/v1/artifacts/$inside")->{status}, 200, "the workspace's own agents are unaffected"
	or diag $robot->{body};
as('ann', DELETE => "/v1/workspaces/$ws");
is mcp($agent{confined}, 'tools/list')->{status}, 401, 'a workspace in the trash: who is confined to it has ended';
finish($stack);
