# SPDX-License-Identifier: Apache-2.0
# The client in a workspace: folders, publishing into one, moving, the audit.
use utf8;
use Vitrine::Words;

my ($stack, $api) = stack();
my ($ann, $ben) = map { $stack->user("$_\@example.org") } qw(ann ben);
my $dir = $stack->{dir};
our @in = ();
sub client { return $stack->client($ann->{token}, @_, @in) }
sub fine {
	my ($status, $out, $err) = client(@_);
	is $status, 0, "@_" or diag $err;
	return $out;
}
sub refused {
	my ($expected, $like, @args) = @_;
	my ($status, $out, $err) = client(@args);
	is "$status $out", "$expected ", "refused: @args" or diag $err;
	like $err, $like, '... and says why';
}
sub workspace { return $api->call(POST => '/v1/workspaces', { token => $ann->{token}, json => { name => $_[0] } })->{json}{workspace} }
my $site = Vitrine::Stack::folder($dir, 'site', 'index.html' => 'one');

# ---- which workspace

refused(2, qr{you aren't in any workspace.*: create one at https://\S+/w#new}, 'folder');
my $north = workspace('Northwind');
is fine('folder'), '', 'in one workspace it goes without saying';
my $south = workspace('Southwind');
refused(2, qr/in several workspaces: name one with --workspace/, 'folder');
refused(1, qr/There is no workspace eastwind, or you don't have access to it/, 'folder', '--workspace', 'eastwind');
refused(2, qr/neither the slug nor the id/, 'folder', '--workspace', 'East Wind');
is fine('folder', '--workspace', $south->{id}), '', 'by its id';
{
	local $ENV{VITRINE_WORKSPACE} = 'northwind';
	is fine('folder'), '', 'by the environment';
}
is fine('workspace', 'use', 'southwind'), "southwind\n", 'one is taken into use';
is decode_json(fine('workspace', 'use', '--json'))->{workspace}{slug}, 'southwind', '... and told as JSON';
sub which {
	my %of = ($north->{id} => 'north', $south->{id} => 'south');
	return join ' ', map { $of{(decode_json(fine(@$_, '--json', @_))->{audit}[0]{target} // {})->{id} // ''} // 'none' } ['audit'];
}
is which(), 'south', 'which all commands are about from then on';
is which('--workspace', 'northwind'), 'north', 'but one that names another';
{
	local $ENV{VITRINE_WORKSPACE} = $north->{id};
	is which(), 'north', 'or where the environment does';
	is which('--workspace', $south->{id}), 'south', 'which an option wins over';
	like fine('workspace', 'members'), qr/^owner   ann/, 'people, too';
	local $ENV{VITRINE_WORKSPACE} = '';
	is which(), 'south', 'an empty variable is none';
}
refused(2, qr/^vitrine:  is neither the slug nor the id/, 'folder', '--workspace', '');
sub southwind_to { $stack->db->do('UPDATE member SET user_id = ? WHERE workspace_id = ?', undef, $_[0]{id}, $south->{id}) }
southwind_to($ben);
refused(1, qr/southwind is the workspace in use; vitrine workspace use SLUG changes it/, @$_)
	for ['folder'], ['audit'], ['workspace', 'members'], ['token', 'agent', 'list'], ['list', '--folder', '/'];
southwind_to($ann);

# ---- what is published is one's own unless a workspace is asked for

fine('publish', $site, '--slug', 'own');
is $stack->db->selectrow_array("SELECT workspace_id FROM artifact WHERE slug = 'own'"), undef, 'one in use takes nothing in by itself';
{
	local $ENV{VITRINE_WORKSPACE} = 'northwind';
	fine('publish', $site, '--new', '--slug', 'own-2');
	is $stack->db->selectrow_array("SELECT workspace_id FROM artifact WHERE slug = 'own-2'"), undef, 'nor does the environment';
}
fine('publish', $site, '--new', '--slug', 'theirs', '--folder', '/');
is $stack->db->selectrow_array("SELECT workspace_id FROM artifact WHERE slug = 'theirs'"), $south->{id},
	'a folder is one of the workspace in use';
like fine('list'), qr/^own-2 .*^own /ms, 'the list has what is yours';
is join(' ', fine('list', '--workspace', 'southwind') =~ /^(\S+)/mg), 'theirs', '... or what is of a workspace';
is fine('list', '--workspace', 'northwind'), '', '... of that alone';
fine('workspace', 'use', '-');
unlink "$dir/.vitrine.json", "$site/.vitrine.json";
@in = ('--workspace', 'northwind');

# ---- folders

is fine('folder', 'add', '/Reports/2026/Mai'), "/Reports/2026/Mai\n", 'a folder, with those above it';
is fine('folder', 'add', 'reports//2026/mai/'), "/reports/2026/mai\n", 'where it is already nothing is made';
fine('folder', 'add', '/Archiv');
is fine('folder'), "/Archiv  0 folders, 0 artifacts\n/Reports  1 folder, 0 artifacts\n", 'those at the top';
is fine('folder', 'list', '/REPORTS'), "/Reports/2026  1 folder, 0 artifacts\n", 'those in one, in any case';
is scalar @{decode_json(fine('folder', '--json'))->{folders}}, 2, 'as JSON';
refused(1, qr{no such folder; vitrine folder add /nothing --workspace northwind creates it}, 'folder', 'list', '/nothing');
refused(1, qr{^vitrine: /nothing: there is no such folder; vitrine folder list --workspace northwind lists those at the top$}m, 'folder',
	@$_) for ['move', '/nothing', '/'], ['delete', '/nothing'];
is decode_json(fine('folder', 'add', '/Archiv', '--json'))->{folder}{path}, '/Archiv', 'with --json one that is there is the reply';
is decode_json(fine('folder', 'add', '/Archiv/Neu', '--json'))->{folder}{path}, '/Archiv/Neu', '... or one that is made';
is decode_json(fine('folder', 'move', '/archiv/neu', '/', '--json'))->{folder}{path}, '/Neu', '... or moved';
fine('folder', 'delete', '/Neu');

# ---- publishing, moving

sub folder_of {
	my ($slug) = @_;
	return $stack->db->selectrow_array('SELECT f.name FROM artifact a LEFT JOIN folder f ON f.id = a.folder_id WHERE a.slug = ?',
		undef, $slug);
}
fine('publish', $site, '--slug', 'paper', '--folder', '/Reports/2026');
is folder_of('paper'), '2026', 'published into a folder';
is join(' ', fine('list', '--folder', '/reports/2026') =~ /^(\S+)/mg), 'paper', '... whose list has it';
is fine('list', '--folder', '/'), '', '... and no other';
refused(1, qr/no such folder/, 'list', '--folder', '/nothing');
refused(1, qr/no such folder/, 'publish', $site, '--new', '--slug', 'other', '--folder', '/nothing');
fine('publish', $site);
is folder_of('paper'), '2026', 'another version stays there';
refused(4, qr/isn't in that folder/, 'publish', $site, '--folder', '/Archiv');
is fine('folder', 'move', 'paper', '/Archiv'), '', 'moved';
ok decode_json(fine('folder', 'move', 'paper', '/Archiv', '--json'))->{success}, '... as JSON';
is folder_of('paper'), 'Archiv', '... there';
is fine('folder', 'move', '/reports/2026', '/archiv'), "/Archiv/2026\n", 'a folder too';
refused(4, qr/can't be inside itself/, 'folder', 'move', '/Archiv', '/Archiv/2026');
fine('folder', 'move', 'paper', '/');
is folder_of('paper'), undef, 'to the top';
refused(1, qr/no artifact nothing that you can see/, 'folder', 'move', 'nothing', '/');
refused(2, qr{usage|isn't a command|--recursive goes with vitrine folder delete}i, 'folder', @$_)
	for ['move', 'paper'], ['add'], ['copy', 'a', 'b'], ['delete'], ['list', '/', '/'], ['list', '/', '--recursive'];
fine('folder', 'move', 'paper', '/Archiv/2026');
refused(4, qr/isn't empty\. With --recursive, the folders/, 'folder', 'delete', '/Archiv');
is fine('folder', 'delete', '/Archiv', '--recursive'), '', 'deleted with what is in it';
is folder_of('paper'), undef, '... but the artifact';
refused(2, qr/isn't the path of a folder/, 'folder', 'delete', '/');

# ---- who can open it

my $policy = sub {
	$api->call(PATCH => "/v1/workspaces/$north->{id}/publish-policy", { token => $ann->{token}, json => { policy => $_[0] } });
};
my $members = qr/^private: every member of Northwind can open it, and so can people you share it with, after signing in$/m;
like +(client('publish', $site, '--visibility', 'private'))[2], $members, 'who can open a private one of a workspace';
$policy->('require_approval');
my (undef, undef, $waits) = client('publish', $site, '--visibility', 'public');
like $waits, qr{it is waiting for the workspace's approval; request it at https://vitrine\.localhost:\d+/a/art_\w+/sharing},
	'what must be approved is said to wait';
unlike $waits, qr/anyone can open it/, '... and not to be open';
$policy->('open');
like +(client('publish', $site, '--visibility', 'public'))[2], qr/anyone can open it/, 'else it is open';
like +(client('publish', $site, '--visibility', 'private'))[2], qr/if the workspace lets them, its members can open it/,
	'a private one of a workspace is not for its owner alone';
{
	local @in = ();
	like +(client('visibility', $site, 'private'))[2], $members, 'which is said for whom';
}
like +(client('publish', $site))[2], $members, '... and at the next version';
like +(client('publish', $site, '--draft'))[2], qr/^a draft: .*those in the workspace with a role on it/m,
	'a draft is not for its owner alone either';
client('publish', $site, '--visibility', 'public');

# ---- a workspace that isn't there

my $nowhere = 'wsp_' . '0' x 26;
for (['', 'audit'], ['', 'workspace', 'members'], ['', 'list'],
	[' it lacks what you named,', 'token', 'agent', 'revoke', 'tok_' . '0' x 26]) {
	my ($else, @args) = @$_;
	my ($status, $out, $err) = $stack->client($ann->{token}, @args, "--workspace", $nowhere);
	is "$status $out", '1 ', "refused: @args";
	like $err, qr/^vitrine: There is no workspace $nowhere,$else or you don't have access to it$/m, '... and names it';
}

# ---- agents

sub tokens { return map { [split / {2,}/] } split /\n/, fine('token', 'agent', 'list') }
is fine('token', 'agent', 'list'), '', 'no agents';
refused(2, qr/--scopes: list what the agent can do, separated by commas: artifacts:read, artifacts:publish, data:read, data:write$/m,
	'token', 'agent', 'add', 'Build');
refused(2, qr/--scopes: artifacts:all isn't one of artifacts:read/, 'token', 'agent', 'add', 'Build', '--scopes',
	'artifacts:read,artifacts:all');
refused(2, qr/--expires: soon isn't a date/, 'token', 'agent', 'add', 'Build', '--scopes', 'artifacts:read', '--expires', 'soon');
my @words = ('--scopes', 'artifacts:read,artifacts:publish');
refused(1, qr/^vitrine: --expires: /m, 'token', 'agent', 'add', 'Build', @words, '--expires', '2001-01-01');
refused(2, qr{usage|isn't a command|--\w+ goes with vitrine token agent add}, 'token', @$_)
	for ['agent'], ['agent', 'add'], ['agent', 'make', 'x'], ['robot', 'list'],
	['agent', 'list', 'x'], ['agent', 'list', '--out', 'x'], ['agent', 'rotate', 'tok_' . '0' x 26, @words], ['agent', 'rotate'],
	['agent', 'revoke'], ['agent', 'revoke', 'tok_' . '0' x 26, '--out', 'x'];
my ($status, $out, $err) = client('token', 'agent', 'add', 'Nightly build', @words, '--expires', '2031-01-31');
is $status, 0, 'one is made' or diag $err;
like $out, qr/^sot_\w{40,}\n\z/, 'its token alone is printed';
unlike $err, qr/sot_/, '... once';
unlike $err, qr/Warning/, '... with a warning at a terminal only';
my ($id) = $err =~ /^(tok_\w{26}) is the id of the token of Nightly build$/m;
my $secret = $out =~ s/\n//r;
sub works { my ($token) = @_; return $api->call(GET => '/v1/auth/me', { token => $token })->{status} }
is works($secret), 200, 'it works';
is_deeply [tokens()], [[$id, 'expires 2031-01-31T23:59:59Z', 'used ' . (tokens())[0][2] =~ s/^used //r, 'artifacts:read,artifacts:publish',
	'Nightly build']], 'the list has it, with what it may do';
unlike fine('token', 'agent', 'list', '--json'), qr/sot_/, '... never with the token';
like $stack->at_terminal('', { VITRINE_TOKEN => $ann->{token} }, qw(token agent rotate), $id, @in),
	qr/^Warning: the token is shown only once, and anyone who has it can act as the agent.*^sot_\w+\r$/ms,
	'at a terminal with a warning';
is works($secret), 401, '... in place of the one before';

my $file = "$dir/agent token";
is fine('token', 'agent', 'rotate', $id, '--out', $file), "$id\n", 'it gets another, into a file';
is sprintf('%o', (stat $file)[2] & 07777), '600', '... for its owner alone';
my $second = Vitrine::Stack::slurp($file) =~ s/\n//r;
isnt $second, $secret, '... another';
is works($secret) . ' ' . works($second), '401 200', 'the one before has ended';
refused(1, qr/already exists; choose another file/, 'token', 'agent', 'add', 'Other', @words, '--out', $file);
refused(1, qr/--out: .*none: No such file/, 'token', 'agent', 'add', 'Other', @words, '--out', "$dir/none/x");
refused(1, qr/isn't a regular file/, 'token', 'agent', 'rotate', $id, '--out', $site);
refused(1, qr/isn't the name of a file/, 'token', 'agent', 'rotate', $id, '--out', "$dir/");
is scalar(tokens()), 1, 'none was made that could not be kept';
is works($second), 200, '... nor replaced';
my $kept = fine('token', 'agent', 'add', 'Other', '--scopes=data:read', '--out', "$dir/other", '--json');
unlike $kept, qr/sot_/, '--json with --out has no token';
my $other = decode_json($kept);
is "$other->{name} @{$other->{scopes}} " . ($other->{expires_at} // 'never'), 'Other data:read never', '... but the rest';
my $json = decode_json(fine('token', 'agent', 'rotate', $other->{id}, '--json'));
like "$json->{token} $json->{agent_token}{id}", qr/^sot_\w+ $other->{id}$/, 'without it the reply';
is works(Vitrine::Stack::slurp("$dir/other") =~ s/\n//r), 401, '... in place of the one in the file';
refused(2, qr/Other isn't a token id: vitrine token agent list lists them/, 'token', 'agent', 'revoke', 'Other');
is fine('token', 'agent', 'revoke', $id, $other->{id}), '', 'they are revoked';
is works($second) . ' ' . works($json->{token}), '401 401', '... at once';
is scalar(grep { $_->[1] =~ /^revoked \S+Z$/ } tokens()), 2, '... and listed so';
refused(4, qr/./, 'token', 'agent', 'rotate', $id);
refused(1, qr/Not found/, 'token', 'agent', 'revoke', 'tok_' . '0' x 26);
is +($stack->client($ben->{token}, 'token', 'agent', 'list', '--workspace', $north->{id}))[0], 1, 'not for others';

# ---- an agent that may publish, and read nothing

fine('token', 'agent', 'add', 'nightly-build', '--scopes', 'artifacts:publish', '--out', "$dir/bot.token");
(my $bot = Vitrine::Stack::slurp("$dir/bot.token")) =~ s/\n//;
is_deeply [$stack->client($bot, 'whoami')], [0, "nightly-build (an agent)\n", ''], 'an agent knows who it is';
my $nightly = Vitrine::Stack::folder($dir, 'nightly', 'index.html' => 'first');
sub night {
	my ($status, $out, $err) = $stack->client($bot, 'publish', @_);
	is $status, 0, "an agent publishes @_[1 .. $#_]" or diag $err;
	return wantarray ? ($out, $err) : $out;
}
sub versions { my ($slug) = @_; return $stack->db->selectrow_array('SELECT last_no FROM artifact WHERE slug = ?', undef, $slug) }
my ($address, $open_to) = night($nightly);
like $open_to,
	qr/^private: you, the workspace's admins, people you share it with and, if the workspace lets them, its members can open it/m,
	'... and says who can open it';
my ($night) = $address =~ m{//([^.]+)\.};
Vitrine::Stack::folder($dir, 'nightly', 'index.html' => 'second');
my ($again, $told) = night($nightly);
is $again, $address, '... every night to the same address';
like $told, qr/\Aprivate: you, the workspace's admins, .*\Z/, '... and who can open it stands in the reply';
is versions($night), 2;
($again, $told) = night($nightly, '--slug', $night);
is $again, $address, '... by its slug';
like $told, qr/^this token can't read artifacts, so the name is set to "nightly"; --name sets another$/m,
	'... which may be of a new one, so it says how it calls it';
is night($nightly, '--artifact', $stack->db->selectrow_array('SELECT id FROM artifact WHERE slug = ?', undef, $night)), $address,
	'... by its id';
is versions($night), 4;
is +(night($nightly, '--new', '--slug', 'by-the-bot'))[0] =~ m{//by-the-bot\.} ? 1 : 0, 1, '... or another';
is +($stack->client($bot, 'publish', $nightly, '--new', '--slug', 'by-the-bot'))[0], 4, '... which is never a version of one that is there';
is +($stack->client($bot, 'list'))[0], 1, 'but it reads nothing';

# ---- the audit

like fine('audit'), qr/^\S+Z  \S.*  folder\.deleted  folder Archiv\n.*  workspace\.created  workspace Northwind\n\z/s,
	'what was decided, the newest first';
is scalar(() = fine('audit', '--action', 'artifact.moved') =~ /^\S/mg), 3, 'what was done';
is fine('audit', '--actor', $ben->{id}), '', 'by somebody who did nothing';
like fine('audit', '--target', $north->{id}, '--since', 0, '--until', 4000000000), qr/workspace\.created/, 'to something, in a time';
is decode_json(fine('audit', '--action', 'folder.created', '--json'))->{audit}[0]{address}, '127.0.0.1', 'as JSON with the rest';
($status, undef, $err) = $stack->client($ben->{token}, 'audit', '--workspace', $north->{id});
is $status, 1, 'not for others' or diag $err;

finish($stack);
