# SPDX-License-Identifier: Apache-2.0
# Every tool of the agents' protocol for every kind of caller. The list of tools says who is shown what; here each is called by who may and
# by who may not, and what a refused call would have changed is as it was.
use Vitrine::Words qw(as);
use Vitrine::World;

my ($stack, $api, $db) = stack(agent_calls_per_minute => 100_000, publish_per_hour => 100_000);
my $world = Vitrine::World->new($stack);
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben cat);
my @SCOPES = qw(artifacts:read artifacts:publish data:read data:write);
my ($ws, $elsewhere) = map { as('ann', POST => '/v1/workspaces', { name => $_ })->{json}{workspace}{id} } qw(Team Other);
my $art = $api->publish($user{ann}, slug => 'page', workspace_id => $ws, files => { 'index.html' => '<p>the secret of the page' });
as('ann', PUT => "/v1/data/$art/tables/votes", { columns => [{ name => 'n', type => 'integer' }], rows => [{ n => 41_017 }] });
as('ann', POST => "/v1/workspaces/$ws/catalog/enable", { enabled => $true });
my $entry = as('ann', PUT => "/v1/workspaces/$ws/catalog/files",
	{ path => 'votes.md', content => 'the secret of votes' })->{json}{entry}{id};
$db->do('INSERT INTO collaborator (artifact_id, user_id, role, created_at) VALUES (?, ?, ?, 0)', undef, $art, $user{ben}{id}, 'viewer');

sub token { my ($who, $prefix, %is) = @_; return $stack->token($user{$who}{id}, $prefix, %is) }
# A token of a program that they have connected; what it may stands in the token.
sub connected {
	my ($who, %is) = @_;
	return token($who, 'som_', scopes => 15, opens_to => 'private', grant_id => $world->make('ogr', user => $user{$who}{id}), %is);
}
sub mcp {
	my ($token, $method, $params, %headers) = @_;
	return $api->call(POST => '/mcp', { ($token ? (token => $token) : ()),
		json => { jsonrpc => '2.0', id => 1, method => $method, params => $params // {} }, headers => \%headers });
}
sub shown {
	my ($token, %headers) = @_;
	return map { $_->{name} => $_ } @{mcp($token, 'tools/list', undef, %headers)->{json}{result}{tools}};
}
# All that a tool could change here.
sub everything {
	my $of = 'SELECT a.id, a.name, a.visibility, a.live_no, a.last_no, a.deleted_at, (SELECT COUNT(*) FROM comment c '
		. 'WHERE c.artifact_id = a.id), (SELECT COUNT(*) FROM asset_upload) FROM artifact a ORDER BY a.id';
	my $notes = join ' ', map { "@$_" } @{$db->selectall_arrayref('SELECT note_id, content FROM note_text ORDER BY note_id')};
	my $rows = join ' ', map { $_->{n} } @{as('ann', GET => "/v1/data/$art/tables/votes/rows")->{json}{rows}};
	return join "\n", $notes, $rows, map { join '|', map { $_ // '' } @$_ } @{$db->selectall_arrayref($of)};
}

$world->make(note => ws => $ws, art => $art, content => 'the secret of a note');
my $next = 0;
my %args = (
	whoami => sub { {} }, search => sub { { query => 'page' } }, fetch => sub { { id => $art, view => 'source' } },
	list_artifacts => sub { {} }, get_artifact => sub { { artifact => $art } }, inbox => sub { {} },
	publish => sub {
		{ artifact => $art, files => [{ path => 'index.html', content => 'the secret, again ' . ++$next }], draft => $true }
	}, start_upload => sub { {} },
	update_artifact => sub { { artifact => $art, name => 'Name ' . ++$next } },
	comment => sub { { artifact => $art, text => 'A word' } }, list_comments => sub { { artifact => $art } },
	query_data => sub { { artifact => $art, table => 'votes' } },
	write_data => sub { { artifact => $art, table => 'votes', insert => [{ n => ++$next }] } },
	find_actions => sub { { query => 'versions' } },
	read_action => sub { { action => 'getArtifactsByArtifactIdVersions', path => { artifact_id => $art } } }, call_action => sub {
		{ action => 'patchArtifactsByArtifactId', path => { artifact_id => $art }, body => { name => 'Name ' . ++$next } }
	},
	catalog_search => sub { { workspace => $ws, query => 'votes' } }, catalog_entry => sub { { workspace => $ws, entry => $entry } },
	note_read => sub { { workspace => $ws, path => 'pages/page.md' } }, note_write => sub {
		{ workspace => $ws, path => 'pages/page.md', text => 'the secret, corrected ' . ++$next,
			before => $db->selectrow_array('SELECT content FROM note_text') }
	},
	delete_artifact => sub { { artifact => $art } },
);
my %all = shown($user{ann}{token});
# What programs refuse whole servers for: VS Code an array without items; OpenAI's functions an object without properties, and names of
# other characters; Google's also one whose properties are empty, words that are no strings, several types, and what they don't know.
sub refusable {
	my ($at, $s) = @_;
	my %known = map { $_ => 1 } qw(type description properties required items enum format minimum maximum minItems maxItems minLength
		maxLength pattern default);
	my @why = map { "$at: $_" } (grep { !$known{$_} } keys %$s),
		ref $s->{type} || ($s->{type} // '') !~ /^(?:object|array|string|integer|number|boolean)$/ ? 'type' : ();
	push @why, "$at: properties" if ($s->{type} eq 'object') != !!%{$s->{properties} // {}};
	push @why, "$at: items" if ($s->{type} eq 'array') != !!$s->{items};
	push @why, "$at: enum" if $s->{enum} && $s->{type} ne 'string';
	push @why, map { "$at: requires $_" } grep { !$s->{properties}{$_} } @{$s->{required} // []};
	return @why, (map { refusable("$at.$_", $s->{properties}{$_}) } sort keys %{$s->{properties} // {}}),
		$s->{items} ? refusable("$at\[]", $s->{items}) : ();
}
for my $tool (values %all) {
	my %in = %{$tool->{inputSchema}};
	ok !delete $in{additionalProperties}, "$tool->{name} takes nothing else";
	is join("\n", refusable($tool->{name}, \%in)), '', '... and no client refuses its arguments';
	like $tool->{name}, qr/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/, '... or its name';
}
is_deeply [sort keys %args], [sort keys %all], 'each tool is tried' or BAIL_OUT('a tool has no arguments here');
my %least = map { my $scope = $_; my %them = shown(token('ann', 'so_', scopes => 1 << $scope)); map { ($_ => $SCOPES[$scope]) } keys %them }
	0 .. $#SCOPES;
my %free = shown(token('ann', 'so_', scopes => 0));
is_deeply [sort keys %least], [sort keys %all], 'some scope shows each';

# What becomes of a call: "STATUS", or what the tool says is wrong, or nothing.
sub outcome {
	my ($token, $tool, %headers) = @_;
	my $r = mcp($token, 'tools/call', { name => $tool, arguments => $args{$tool}->() }, %headers);
	return ($r->{status}, $r) if $r->{status} != 200;
	return ($r->{json}{result}{isError} ? $r->{json}{result}{content}[0]{text} =~ s/:.*//sr : '', $r);
}
sub unchanged { my ($before, $what) = @_; is everything(), $before, "... $what: nothing is changed" }

# Of a workspace, which a viewer of its artifact is not in.
my %of_team = map { $_ => 1 } qw(catalog_search catalog_entry note_read note_write);
my %of_none = map { $_ => 1 } qw(whoami search list_artifacts inbox find_actions start_upload);
my @order = ((grep { $_ ne 'delete_artifact' } sort keys %args), 'delete_artifact');
my $before = everything();
for my $tool (@order) {
	my $writes = !$all{$tool}{annotations}{readOnlyHint};
	is +(outcome(undef, $tool))[0], 401, "$tool, nobody";
	is +(outcome(connected('ann', scopes => 15), $tool, 'X-MCP-Readonly' => '1'))[0], 'ACCESS_DENIED',
		"$tool, a connection that only reads" if $writes;
	my $own = $least{$tool};
	if (!$free{$tool}) {
		my $bits = 15 & ~(1 << (grep { $SCOPES[$_] eq $own } 0 .. $#SCOPES)[0]);
		for my $without (token('ann', 'so_', scopes => $bits), connected('ann', scopes => $bits)) {
			my ($is, $r) = outcome($without, $tool);
			is $is, 403, "$tool without $own";
			like $r->{headers}{'www-authenticate'}, qr/scope="[^"]*\Q$own\E[^"]*", error="insufficient_scope"/,
				'... which is named';
		}
		ok +{shown(connected('ann', scopes => $bits))}->{$tool}, '... and a grant sees it';
	}
	unchanged($before, $tool);
	next if $of_none{$tool};
	for my $one (['a stranger', $user{cat}{token}], ["a stranger's agent", connected('cat')],
		['a token of another workspace', token('ann', 'so_', workspace_id => $elsewhere)],
		['an agent of another workspace', connected('ann', workspace_id => $elsewhere)],
		['an agent outside of workspaces', connected('ann', own_only => 1)]) {
		my ($is, $r) = outcome($one->[1], $tool);
		is $is, 'NOT_FOUND', "$tool, $one->[0]" or diag $r->{body};
		unlike $r->{body}, qr/secret|41017/, '... and no word of it';
	}
	for my $ben ($user{ben}{token}, connected('ben')) {
		my ($is, $r) = outcome($ben, $tool);
		is $is, $of_team{$tool} ? 'NOT_FOUND' : $writes && $tool ne 'comment' ? 'ACCESS_DENIED' : '', "$tool, a viewer"
			or diag $r->{body};
	}
	$before =~ s/^(\Q$art\E\|.*\|)(\d+)(\|\d+)$/$1 . ($2 + 2) . $3/em or die $before if $tool eq 'comment';
	unchanged($before, $tool);
}
for my $tool (@order) {
	my $agent = connected('ann', $tool eq 'delete_artifact' ? (workspace_id => $ws) : ());
	my ($is, $r) = outcome($agent, $tool);
	is $is, '', "$tool, its owner's agent" or diag $r->{body};
	is $api->call(GET => '/v1/auth/me', { token => $agent })->{status}, 401, '... whose token is for nothing else';
}
is as('ann', GET => "/v1/artifacts/$art")->{json}{artifact}{visibility} // 'gone', 'gone', 'the last has taken it away';
finish($stack);
