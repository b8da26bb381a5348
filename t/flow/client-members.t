# SPDX-License-Identifier: Apache-2.0
# Workspaces in the client: which there are, the one in use, its people, inviting and leaving.
use utf8;
use Vitrine::Words;

my ($stack, $api) = stack(leaks => 1);
my ($ann, $ben) = map { $stack->user("$_\@example.org") } qw(ann ben);
my $ws = $api->call(POST => '/v1/workspaces', { token => $ann->{token}, json => { name => 'Northwind' } })->{json}{workspace};
$api->call(POST => '/v1/workspaces', { token => $ann->{token}, json => { name => 'Other' } });
sub client { my ($who, @args) = @_; return $stack->client($who->{token}, 'workspace', @args) }
sub gives {
	my ($who, $args, $status, $out, $err, $name) = @_;
	my @r = client($who, @$args);
	is "$r[0] $r[1]", "$status $out", $name or diag $r[2];
	like $r[2], $err, "... and says so" if $err;
}

gives($ann, ['use'], 0, '', qr/no workspace is in use/, 'none at first');
gives($ann, ['members'], 2, '', qr/vitrine workspace use SLUG/, 'one must be named then');
gives($ann, ['use', 'northwind'], 0, "northwind\n", undef, 'one is taken');
is sprintf('%o', (stat "$stack->{dir}/.config/vitrine/workspace.json")[2] & 07777), '600', 'and kept';
gives($ann, ['use'], 0, "northwind\n", undef, 'from then on');
my ($status, $out) = client($ann, 'list');
like $out, qr/^\* northwind +owner   Northwind$/m, 'it has a star in the list';
like $out, qr/^  other +owner   Other$/m, '... the other none';
gives($ben, ['list'], 0, '', undef, 'others are in none');
gives($ben, ['members'], 1, '', qr/There is no workspace northwind/, '... nor see who is');
gives($ann, ['use', 'absent'], 1, '', qr/There is no workspace absent/, 'one that is not there');
gives($ann, ['use', 'not a slug'], 2, '', qr/neither the slug nor the id/, 'what can be none');
gives($ann, ['use'], 0, "northwind\n", undef, 'the one before stays in use');

$api->call(POST => "/v1/workspaces/$ws->{id}/members", { token => $ann->{token}, json => { email => 'ben@example.org' } });
gives($ann, ['members'], 0, "owner   ann\@example.org\nmember  ben\@example.org\n", undef, 'its people');
gives($ann, ['members', '--workspace', $ws->{id}], 0, "owner   ann\@example.org\nmember  ben\@example.org\n", undef, '... by id');
gives($ann, ['members', '--workspace', 'other'], 0, "owner   ann\@example.org\n", undef, '... of another');
like +(client($ann, 'members', '--json'))[1], qr/^\{"success":true,"members":\[/, '--json gives the reply';

gives($ann, ['invite'], 2, '', qr/usage/, 'whom?');
gives($ann, ['invite', 'x'], 2, '', qr/x isn't an e-mail address/, 'an address that is none');
gives($ann, ['invite', 'cat@example.org', '--role', 'owner'], 2, '', qr/--role: must be member or admin, not owner/, 'nobody can be invited as owner');
($status, $out, my $err) = client($ann, 'invite', 'Cat@example.org', 'ben@example.org', '--role', 'admin');
is $status, 0, 'people are invited' or diag $err;
like $out, qr/^admin   cat\@example\.org  \(no e-mail sent: /, 'each is named, and whether they are told';
like $err, qr/ben\@example\.org is skipped: already a member/, 'and who is passed over';
gives($ben, ['invite', 'dan@example.org', '--workspace', 'northwind'], 1, '', qr/This requires the role of admin or owner/,
	'members invite nobody');

gives($ben, ['agents', '--workspace', 'northwind'], 0, "on\n", undef, 'what connected agents can do');
gives($ann, ['agents', 'read_only', '--hosts', 'Claude.ai,chatgpt.com'], 0, "read_only, from claude.ai,chatgpt.com only\n",
	undef, '... is chosen');
gives($ann, ['agents', 'on'], 0, "on, from claude.ai,chatgpt.com only\n", undef, '... the hosts stay');
gives($ann, ['agents', '--hosts', 'localhost'], 0, "on, from localhost only\n", undef, '... or are others');
gives($ann, ['agents'], 0, "on, from localhost only\n", undef, '... and are told');
gives($ann, ['agents', '--any-host'], 0, "on\n", undef, '... until any will do');
is +(client($ann, 'agents', '--json'))[1], qq({"success":true,"agents":"on","agent_hosts":[]}\n), '... as JSON';
gives($ann, ['agents', 'maybe'], 1, '', qr/MODE: must be on, read_only, or off, not "maybe"/, 'a mode that is none');
gives($ann, ['agents', '--hosts', 'https://claude.ai'], 1, '', qr/https:\/\/claude\.ai isn't a host/, 'a host that is none');
gives($ann, ['members', '--any-host'], 2, '', qr/--any-host/, 'elsewhere the options mean nothing');
gives($ben, ['agents', 'off', '--workspace', 'northwind'], 1, '', qr/This requires the role of admin or owner/, 'members choose nothing');
gives($ben, ['leave', '--workspace', 'northwind'], 1, '', qr/--yes/, 'leaving is asked about');
gives($ben, ['leave', '--workspace', 'northwind', '--yes'], 0, '', qr/left/, 'and done');
gives($ann, ['members'], 0, "owner   ann\@example.org\n", undef, 'they are gone');
gives($ann, ['leave', '--yes'], 4, '', qr/owner/, 'an owner does not leave');
gives($ann, ['use', '-'], 0, '', qr/no workspace is in use/, 'none is used anymore');
gives($ann, ['members'], 2, '', qr/in several workspaces/, '... as before');
gives($ann, ['nonsense'], 2, '', qr{isn't a command}, 'a word that is none');

# Somebody else's service has other workspaces.
client($ann, 'use', 'northwind');
Vitrine::Stack::spew("$stack->{dir}/.config/vitrine/workspace.json", '{"slug":"northwind","url":"https://elsewhere.example"}');
gives($ann, ['use'], 0, '', qr/no workspace is in use/, 'one is kept for its service');
Vitrine::Stack::spew("$stack->{dir}/.config/vitrine/workspace.json",
	'{"slug":"../../x","url":"' . "https://vitrine.localhost:$stack->{port}" . '"}');
gives($ann, ['use'], 0, '', qr/no workspace is in use/, 'and is a slug');

finish($stack);
