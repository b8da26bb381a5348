# SPDX-License-Identifier: Apache-2.0
# Sharing with people outside in the client: what they were given, notes about a client, and what was shared with oneself.
use utf8;
use Vitrine::Words;

my ($stack, $api, $db) = stack(leaks => 1);
my ($ann, $pat) = map { $stack->user("$_\@example.org") } qw(ann pat);
sub ask {
	my ($method, $path, $json) = @_;
	my $r = $api->call($method => $path, { token => $ann->{token}, json => $json });
	die "$path: $r->{body}\n" if $r->{status} >= 300;
	return $r->{json};
}
my $ws = ask(POST => '/v1/workspaces', { name => 'Northwind' })->{workspace}{id};
$stack->ctl(qw(workspace feature northwind external_sharing on));
my $at = "/v1/workspaces/$ws";
my $acme = ask(POST => "$at/sharees", { name => 'Acme' })->{sharee}{id};
ask(POST => "$at/sharees/$acme/members", { email => $pat->{email} });
my $folder = ask(POST => "$at/folders", { name => 'Reports' })->{folder}{id};
my $art = $api->publish($ann, slug => 'plan', name => 'Plan', workspace_id => $ws, folder_id => $folder);
sub gives {
	my ($who, $args, $status, $out, $err, $name) = @_;
	my @r = $stack->client($who->{token}, @$args);
	is $r[0], $status, $name or diag "$r[1]$r[2]";
	like $r[1], $out, '... and prints it';
	like $r[2], $err, '... and says so' if $err;
	return $r[1];
}

gives($ann, ['grants'], 0, qr/^$/, undef, 'nothing was given at first');
my ($id) = gives($ann, ['grants', 'add', $acme, $folder], 0, qr/^grt_\w+  view     Acme \($acme\)  folder Reports \($folder\)\n$/,
	undef, 'a client is given a folder') =~ /(grt_\w+)/;
gives($ann, ['grants', 'add', $acme, $folder, '--can', 'create', '--expires', '2'], 0, qr/^\Q$id\E  create .*until 20\d\d-/,
	undef, 'and something else for it');
gives($ann, ['grants', 'add', $pat->{id}, $art, '--can', 'comment'], 0, qr/  comment  pat\@example\.org .* artifact Plan /,
	undef, 'a person an artifact');
gives($ann, ['grants', 'list', '--who', $pat->{id}], 0, qr/^grt_\w+  comment [^\n]*\n$/, undef, 'what one has');
gives($ann, ['grants', 'list', '--of', $folder], 0, qr/^\Q$id\E [^\n]*\n$/, undef, 'who has one');
gives($ann, ['grants', 'add', 'nobody', $folder], 2, qr/^$/, qr/nobody isn't the id of a client or a person/, 'who is none');
gives($ann, ['grants', 'add', $acme, 'reports'], 2, qr/^$/, qr/reports isn't the id of a folder, artifact or file/, 'what is none');
gives($ann, ['grants', 'add', $acme, $art, '--can', 'create'], 1, qr/^$/, qr/create is for a folder/, 'create on no folder');
gives($ann, ['grants', 'add', $acme, $art, '--expires', 'soon'], 2, qr/^$/, qr/--expires: soon is neither/, 'an end that is none');

gives($pat, ['shared'], 0,
	qr{^comment  artifact Plan  https://plan\.\S+  Northwind\ncreate   folder Reports  https://\S+  Northwind, for Acme, until 20\S+\n$},
	undef, 'what was shared with one');
gives($pat, ['shared', $folder], 0, qr{^artifact Plan  https://plan\.\S+\n$}, undef, '... and what lies in a folder');
gives($pat, ['shared', 'x'], 2, qr/^$/, qr/x isn't the id of a folder/, '... which has an id');
gives($ann, ['shared'], 0, qr/^$/, undef, 'who is in the workspace has nothing there');

Vitrine::Stack::spew("$stack->{dir}/note.md", "# Acme\n\nCalls on Mondays.\n");
gives($ann, ['clients', 'note', 'acme', 'README.md', "$stack->{dir}/note.md"], 0, qr/^$|README/, qr/saved/, 'a note about a client');
gives($ann, ['clients', 'notes', 'acme'], 0, qr/^README\.md  \S+ \S+  20\S+/, undef, 'is listed');
gives($ann, ['clients', 'notes', 'acme', 'README.md'], 0, qr/^# Acme\n\nCalls on Mondays\.\n$/, undef, 'and printed');
gives($ann, ['clients', 'forget', 'acme', 'README.md'], 0, qr/^$/, qr/deleted/, 'and deleted');
gives($ann, ['clients', 'notes', 'acme'], 0, qr/^$/, undef, '... which leaves none');

gives($ann, ['grants', 'end', $id], 0, qr/^$/, undef, 'a grant ends');
gives($ann, ['grants', 'end', 'x'], 2, qr/^$/, qr/x isn't the id of a grant/, '... by its id');
gives($pat, ['shared', $folder], 1, qr/^$/, qr/Not found/, '... and gives nothing more');
finish($stack);
