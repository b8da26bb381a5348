# SPDX-License-Identifier: Apache-2.0
# The client shares with people outside of a workspace and with its clients, and ends it: an artifact, a folder, a file; what each may do;
# and who can't.
use utf8;
use Vitrine::Words 'as';

my ($stack, $api, $db) = stack(leaks => 1);
my ($ann, $ben, $out) = map { $stack->user("$_\@example.org") } qw(ann ben out);
my $ws = as($ann, POST => '/v1/workspaces', { name => 'Northwind' })->{json}{workspace}{id};
$db->do('UPDATE workspace SET features_on = 1');
$stack->seat($ws, $ben, 'member');
$db->do("INSERT INTO sharee (id, workspace_id, name, name_key, created_at) VALUES (CONCAT('shr_', REPEAT('1', 26)), ?, 'Acme', 'acme', 0)",
	undef, $ws);
my $acme = 'shr_' . '1' x 26;
my $folder = as($ann, POST => "/v1/workspaces/$ws/folders", { name => 'Reports' })->{json}{folder}{id};
sub publish {
	my ($who, %in) = @_;
	return as($who, POST => '/v1/publish',
		{ name => 'Plans', files => [{ path => 'index.html', content => 'x' }], %in })->{json}{artifact}{id};
}
my $plans = publish($ann, slug => 'plans', workspace_id => $ws);
my $own = publish($ann, slug => 'own-plans');
my $u = as($ann, POST => "/v1/workspaces/$ws/assets/upload", { filename => 'plan.txt' })->{json};
as(undef, PUT => $u->{uploadUrl} =~ s{^https://[^/]+}{}r, body => 'plan', type => 'text/plain');
my $file = as($ann, POST => "/v1/workspaces/$ws/assets/deliverables",
	{ blobId => $u->{tokenId}, visibility => 'workspace' })->{json}{deliverable}{id};

sub gives {
	my ($who, $args, $status, $said, $err, $name) = @_;
	my @r = $stack->client($who->{token}, @$args);
	is "$r[0] $r[1]", "$status $said", $name or diag $r[2];
	like $r[2], $err, "... and says so" if $err;
}
sub grants {
	return join ', ', map { "@$_" }
		@{$db->selectall_arrayref('SELECT g.capability, g.resource_type, COALESCE(u.invited_email, u.email, s.name) FROM '
			. 'share_grant g LEFT JOIN user u ON u.id = g.subject_id LEFT JOIN sharee s ON s.id = g.subject_id ORDER BY g.id')};
}

gives($ann, ['share', 'plans', '--with', 'out@example.org'], 0, "view     out\@example.org  artifact Plans\n", qr/^out\@example\.org gets /,
	'an artifact, with somebody outside, to view');
is grants(), 'view artifact out@example.org', '... is a grant';
my ($status, $said) = $stack->client($ann->{token}, 'share', 'plans', '--with', 'out@example.org', '--can', 'edit', '--expires', '30');
like "$status $said", qr/^0 edit     out\@example\.org  artifact Plans  until \d{4}-\d\d-\d\dT\S+\n$/, 'to edit, for a while, instead';
is as($out, POST => '/v1/publish', { artifact_id => $plans, files => [{ path => 'index.html', content => 'by out' }] })->{status}, 201,
	'... which they do';
gives($ann, ['share', '--folder', '/reports', '--with', 'new@example.org', '--can', 'create', '--message', 'Hello'], 0,
	"create   new\@example.org  folder Reports\n", qr/^new\@example\.org gets /,
	'a folder, with somebody without an account, to publish in');
gives($ann, ['share', '--folder', '/reports', '--with', $acme, '--can', 'comment', '--workspace', 'northwind'], 0,
	"comment  Acme  folder Reports\n", undef, '... and with a client');
gives($ann, ['share', '--file', 'plan.txt', '--with', 'out@example.org', '--can', 'edit', '--quiet'], 0,
	"edit     out\@example.org  file plan.txt\n", qr/^$/, 'a file of the library, by its name, to edit');
is grants(), 'edit artifact out@example.org, create folder new@example.org, comment folder Acme, edit file out@example.org',
	'each is a grant';
like +($stack->client($ann->{token}, 'share', 'plans', '--with', 'out@example.org', '--json', '--quiet'))[1],
	qr/^\{"success":true,"grant":\{.*"capability":"view"/, '--json gives the reply';

gives($ann, ['unshare', 'plans', '--with', 'out@example.org'], 0, '', qr/^no longer shared with out\@example\.org$/, 'it ends');
gives($ann, ['unshare', 'plans', '--with', 'out@example.org'], 1, '', qr/this isn't shared with out\@example\.org by itself/, '... once');
gives($ann, ['unshare', '--folder', '/Reports', '--with', $acme], 0, '', undef, 'a client\'s');
gives($ann, ['unshare', '--folder', '/Reports', '--with', 'new@example.org'], 0, '', undef, 'a guest\'s');
gives($ann, ['unshare', '--file', $file, '--with', 'out@example.org'], 0, '', undef, 'a file\'s');
is grants(), '', 'nothing is left';

gives($ann, ['share', 'plans', '--with', 'nobody'], 2, '', qr/--with: nobody is neither an e-mail address nor the id of a client/,
	'with whom?');
gives($ann, ['share', 'plans', '--with', 'out@example.org', '--can', 'create'], 2, '', qr/--can create goes with --folder/,
	'an artifact has nothing to publish in');
gives($ann, ['share', 'plans', '--with', 'out@example.org', '--can', 'own'], 2, '',
	qr/--can: own isn't one of view, comment, create, and edit/, 'a word that is none');
gives($ann, ['share', 'plans', '--with', 'out@example.org', '--expires', 'soon'], 2, '', qr/--expires: soon is neither a date/,
	'an end that is none');
gives($ann, ['share', 'plans', '--with', 'out@example.org', '--role', 'editor'], 2, '', qr/with --with, use --can/,
	'a role is not what they get');
gives($ann, ['share', 'plans', '--folder', '/Reports', '--with', 'out@example.org'], 2, '', qr/name one thing/, 'two things at once');
gives($ann, ['share', '--folder', '/', '--with', 'out@example.org'], 2, '', qr/a whole workspace can't be shared/, 'all of a workspace');
gives($ann, ['share', '--folder', '/Nowhere', '--with', 'out@example.org'], 1, '', qr/Nowhere/, 'a folder that isn\'t there');
gives($ann, ['share', 'plans', '--workspace', 'northwind', '--with', 'out@example.org'], 2, '',
	qr/--workspace goes with --folder and --file/, 'an artifact has its workspace');
gives($ann, ['share', 'own-plans', '--with', 'out@example.org'], 1, '', qr/own-plans isn't in a workspace; share it without --with/,
	'what is in no workspace');
gives($ann, ['share', 'plans', 'out@example.org', '--can', 'edit'], 2, '', qr/--can goes with --with/, '--can alone');
gives($ann, ['unshare', 'plans', 'out@example.org', '--folder', '/x'], 2, '', qr/--folder goes with --with/, '--folder alone');
gives($ann, ['share', 'plans', '--with', 'ben@example.org'], 4, '', qr/member of the workspace/, 'with a member');
gives($ben, ['share', '--folder', '/Reports', '--with', 'out@example.org'], 1, '', qr/./, 'members share nothing with people outside');
is grants(), '', '... and nothing was shared';
finish($stack);
