# SPDX-License-Identifier: Apache-2.0
# How far a token may open things without a person: what is above its ceiling is held back for a connected agent's person, and refused to
# who holds another token.
use Vitrine::Words qw(as said refused);
use Vitrine::World;

my ($stack, $api, $db) = stack(agent_calls_per_minute => 100_000, publish_per_hour => 100_000);
my $world = Vitrine::World->new($stack);
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben);
my $base = "https://vitrine.localhost:$stack->{port}";
my $ws = as('ann', POST => '/v1/workspaces', { name => 'Team' })->{json}{workspace}{id};
my %rank = (private => 0, unlisted => 1, public => 2);
my @all = sort { $rank{$a} <=> $rank{$b} } keys %rank;

# ---- connected agents

# A token of a program that ann has connected.
sub connected {
	my ($opens_to) = @_;
	my $secret = Vitrine::Stack::secret('som_');
	$db->do("INSERT INTO token (id, hash, user_id, created_at, expires_at, scopes, opens_to, grant_id) "
		. "VALUES (CONCAT('tok_', HEX(RANDOM_BYTES(8))), UNHEX(SHA2(?, 256)), ?, 0, 4000000000, 15, ?, ?)",
		undef, $secret, $user{ann}{id}, $opens_to, $world->make('ogr', user => $user{ann}{id}));
	return $secret;
}
sub told {
	my ($token, $tool, $args) = @_;
	return $api->call(POST => '/mcp', { token => $token, json => { jsonrpc => '2.0', id => 1, method => 'tools/call',
		params => { name => $tool, arguments => $args } } })->{json}{result};
}
sub row {
	my ($id) = @_;
	return join ' ',
		@{$db->selectrow_arrayref("SELECT visibility, COALESCE(live_no, 'none'), last_no FROM artifact WHERE id = ?", undef, $id)};
}
sub made { my ($visibility) = @_; return $api->publish($user{ann}, name => 'Page', visibility => $visibility) }
sub files { return [{ path => 'index.html', content => '<p>' . rand }] }

# What of a page waits in ann's inbox.
sub waits {
	my ($id) = @_;
	return join '|', map { $_->{title} } grep { $_->{kind} eq 'agent' && $_->{artifact}{id} eq $id }
		@{as('ann', GET => '/v1/inbox?kind=agent&limit=200')->{json}{items}};
}

for my $ceiling (@all) {
	my $token = connected($ceiling);
	is told($token, 'whoami', {})->{structuredContent}{opens_to}, $ceiling, "an agent up to $ceiling is told so";
	for my $asked (@all) {
		my $held = $rank{$asked} > $rank{$ceiling};
		my $new = told($token, 'publish', { name => 'New', files => files(), visibility => $asked })->{structuredContent};
		is_deeply [@$new{qw(visibility held_for)}, row($new->{artifact}{id})], [$held ? 'private' : $asked,
			$held ? 'ceiling' : undef, ($held ? 'private' : $asked) . ' 1 1'], "... a new page, $asked" or diag explain $new;
		is +($new->{review_url} // q()) =~ s/by=ogr_\w+/by/r, $held ? "$base/a/$new->{artifact}{id}/sharing?by&asked=$asked" : '',
			'... and where its person opens it';
		my $old = made($asked);
		my $next = told($token, 'publish', { artifact => $old, files => files() })->{structuredContent};
		is_deeply [row($old), $next->{version}{is_draft}, $next->{held_for}], ["$asked " . ($held ? '1' : '2') . ' 2',
			$held ? $true : $false, $held ? 'ceiling' : undef], '... a version of such a page' or diag explain $next;
		is +($next->{review_url} // q()) =~ s/by=ogr_\w+/by/r, $held ? "$base/a/$old/versions?by&asked=2" : '',
			'... and where its person makes it live';
		like waits($new->{artifact}{id}), $held ? qr/^\S+ published New and may not make it $asked$/ : qr/^$/, '... and what waits for them';
		like waits($old), $held ? qr/^\S+ published a draft of Page and may not make it live$/ : qr/^$/, '... or does not';
		my $shut = made('private');
		my $changed = told($token, 'update_artifact',
			{ artifact => $shut, visibility => $asked, name => 'Called' })->{structuredContent};
		is_deeply [row($shut), !!$changed->{held_back}], [($held ? 'private' : $asked) . ' 1 1', $held], '... opening one';
		is $db->selectrow_array('SELECT name FROM artifact WHERE id = ?', undef, $shut), 'Called',
			'... whose name is changed anyway';
		told($token, 'update_artifact', { artifact => $old, live_version => $held ? 2 : 1 });
		is row($old), "$asked 1 2", '... another version of such a page goes live' . ($held ? ' not' : '');
		my $answer = told($token, 'call_action',
			{ action => 'patchArtifactsByArtifactId', path => { artifact_id => $shut }, body => { visibility => $asked } });
		is !!$answer->{isError}, $held, '... by the action, too';
		like $answer->{content}[0]{text},
			qr{^ABOVE_CEILING: visibility: needs $asked, but the ceiling of this token \(opens_to\) is $ceiling; a person can do it at $base/a/$shut/sharing},
			'... which says why' if $held;
	}
	my $public = made('public');
	told($token, 'update_artifact', { artifact => $public, visibility => 'unlisted' });
	is row($public), 'unlisted 1 1', '... closing is nobody else’s';
	my $both = made('public');
	my $closed = told($token, 'publish', { artifact => $both, files => files(), visibility => 'private' });
	is row($both), 'private 2 2', '... also with a version' or diag explain $closed;
	my $unseen = $api->publish($user{ann}, name => 'Draft', visibility => 'public', draft => $true);
	told($token, 'publish', { artifact => $unseen, files => files() });
	is row($unseen), 'public ' . ($ceiling eq 'public' ? 2 : 'none') . ' 2', '... the first version of a page that waits to be public';
	my $early = made('public');
	as('ann', POST => '/v1/publish', { artifact_id => $early, files => files() });
	as('ann', PATCH => "/v1/artifacts/$early/versions/1", { is_open => $false });
	$db->do("UPDATE artifact SET visibility = 'private' WHERE id = ?", undef, $early);
	my $opened = told($token, 'call_action', { action => 'patchArtifactsByArtifactIdVersionsByVersionNo',
		path => { artifact_id => $early, version_no => '1' }, body => { is_open => $true } });
	is !!$opened->{isError}, $ceiling eq 'private', '... the address of a version';
}

# ---- what ends the waiting

{
	my $token = connected('private');
	my $held = sub { my $id = made('public'); told($token, 'publish', { artifact => $id, files => files() }); return $id };
	my $id = $held->();
	told($token, 'publish', { artifact => $id, files => files() });
	like waits($id), qr/a draft of Page/, 'two drafts are one item';
	as('ann', POST => "/v1/artifacts/$id/versions/3/restore");
	is waits($id), '', 'its person makes one live';
	$id = $held->();
	as('ann', POST => '/v1/publish', { artifact_id => $id, files => files() });
	is waits($id), '', 'or publishes another one';
	$id = $held->();
	as('ann', DELETE => "/v1/artifacts/$id/versions/2");
	is waits($id), '', 'or removes it';
	$id = told($token, 'publish', { name => 'New', files => files(), visibility => 'public' })->{structuredContent}{artifact}{id};
	as('ann', PATCH => "/v1/artifacts/$id", { name => 'Newer' });
	isnt waits($id), '', 'another name changes nothing';
	as('ann', PATCH => "/v1/artifacts/$id", { visibility => 'unlisted' });
	is waits($id), '', 'or opens it';
}

# ---- tokens that are made in a workspace

my $path = "/v1/workspaces/$ws/agent-tokens";
refused(as('ann', POST => $path, { name => 'Bot', scopes => ['artifacts:publish'], opens_to => 'workspace' }), '400 INVALID_REQUEST',
	'no visibility', qr/^opens_to: /);
my %bot = map {
	my $r = as('ann', POST => $path, { name => 'Bot', scopes => ['artifacts:read', 'artifacts:publish', 'data:read', 'data:write'],
		($_ eq 'none' ? () : (opens_to => $_)) });
	is $r->{json}{agent_token}{opens_to}, $_ eq 'none' ? undef : $_, "a token: $_";
	($_ => { token => $r->{json}{token}, of => $r->{json}{agent_token} });
} @all, 'none';
is as('ann', POST => $path, { name => 'Bot', scopes => ['artifacts:publish'], opens_to => undef })->{json}{agent_token}{opens_to},
	undef, 'null is none';
is as('ann', GET => $path)->{json}{agent_tokens}[-1]{opens_to}, 'private', 'the list has it';
is as('ann', POST => "$path/$bot{private}{of}{id}/rotate")->{json}{agent_token}{opens_to}, 'private', 'another secret keeps it'
	and $bot{private}{token} = as('ann', POST => "$path/$bot{private}{of}{id}/rotate")->{json}{token};
my $member = $api->call(POST => "/v1/workspaces/$ws/members/$user{ann}{id}/tokens",
	{ token => $user{ann}{token}, json => { name => 'Build', opens_to => 'unlisted' } })->{json}{token};

sub by {
	my ($token, $method, $where, $json) = @_;
	return $api->call($method => $where, { token => $token, ($json ? (json => $json) : ()) });
}
for my $ceiling (@all, 'none') {
	my $token = $bot{$ceiling}{token};
	for my $asked (@all) {
		my $over = $ceiling ne 'none' && $rank{$asked} > $rank{$ceiling};
		my $new = by($token, POST => '/v1/publish', { name => 'New', workspace_id => $ws, files => files(), visibility => $asked });
		my $why =
			qr{^visibility: needs $asked, but the ceiling of this token \(opens_to\) is $ceiling; a person can do it at $base};
		$over ? refused($new, '403 ABOVE_CEILING', "$ceiling: a new artifact, $asked", $why)
			: is($new->{status}, 201, "$ceiling: a new artifact, $asked");
		my $own = by($token, POST => '/v1/publish', { name => 'Own', workspace_id => $ws, files => files() })->{json}{artifact}{id};
		$new = by($token, PATCH => "/v1/artifacts/$own", { visibility => $asked });
		$over ? refused($new, '403 ABOVE_CEILING', '... opening one', $why) : is($new->{status}, 200, '... opening one');
		$db->do('UPDATE artifact SET visibility = ? WHERE id = ?', undef, $asked, $own);
		$new = by($token, POST => '/v1/publish', { artifact_id => $own, files => files() });
		$over ? refused($new, '403 ABOVE_CEILING', '... a version of it',
				qr{^draft: must be true, since .* is $asked and .* is $ceiling; .*$base/a/$own/versions})
			: is($new->{status}, 201, '... a version of it');
		is by($token, POST => '/v1/publish', { artifact_id => $own, files => files(), draft => $true })->{json}{version}{is_draft},
			$true, '... a draft is fine';
		$new = by($token, POST => "/v1/artifacts/$own/versions/" . ($over ? 2 : 3) . '/restore');
		$over ? refused($new, '403 ABOVE_CEILING', '... but not live', qr{^version_no: needs $asked, .*$base/a/$own/versions})
			: is($new->{status}, 200, '... and live');
		is by($token, PATCH => "/v1/artifacts/$own", { visibility => 'private' })->{status}, 200, '... closing';
	}
}
refused(by($member, POST => '/v1/publish', { name => 'New', workspace_id => $ws, files => files(), visibility => 'public' }),
	'403 ABOVE_CEILING', "a member's token", qr/is unlisted; /);
is by($member, POST => '/v1/publish', { name => 'New', workspace_id => $ws, files => files(), visibility => 'unlisted' })->{status}, 201,
	'... up to its own';

# Links to files let in who has them.
my $file = sub { my ($token) = @_;
	my $up = by($token, POST => "/v1/workspaces/$ws/assets/upload", { filename => 'a.txt' })->{json};
	my $blob = $api->call(PUT => $up->{uploadUrl} =~ s/^\Q$base\E//r,
		{ body => 'x', type => 'application/octet-stream' })->{json}{blobId};
	my $id = by($token, POST => "/v1/workspaces/$ws/assets/deliverables", { blobId => $blob })->{json}{deliverable}{id};
	return by($token, POST => "/v1/workspaces/$ws/assets/collections", { deliverableIds => [$id] })->{json}{collection}{id};
};
for my $ceiling (qw(private unlisted none)) {
	my $r = by($bot{$ceiling}{token}, POST => "/v1/workspaces/$ws/assets/collections/" . $file->($bot{$ceiling}{token}) . '/share', {});
	$ceiling eq 'private' ? refused($r, '403 ABOVE_CEILING', "$ceiling: a link", qr/^this request: needs unlisted/)
		: is($r->{status}, 201, "$ceiling: a link");
}
finish($stack);
