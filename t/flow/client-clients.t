# SPDX-License-Identifier: Apache-2.0
# A workspace's clients in the client: which there are, adding, renaming and removing them, and their people.
use utf8;
use Vitrine::Words;

my ($stack, $api) = stack(leaks => 1);
my ($ann, $ben) = map { $stack->user("$_\@example.org") } qw(ann ben);
my $ws = $api->call(POST => '/v1/workspaces', { token => $ann->{token}, json => { name => 'Northwind' } })->{json}{workspace}{id};
$stack->seat($ws, $ben, 'member');
sub client { my ($who, @args) = @_; return $stack->client($who->{token}, 'clients', @args) }
sub gives {
	my ($who, $args, $status, $out, $err, $name) = @_;
	my @r = client($who, @$args);
	is "$r[0] $r[1]", "$status $out", $name or diag $r[2];
	like $r[2], $err, "... and says so" if $err;
}

gives($ann, [], 1, '', qr/The workspace's plan, \S+, doesn't include sharing/, 'a plan without it');
$stack->ctl(qw(workspace feature northwind external_sharing on));
gives($ann, [], 0, '', undef, 'none at first');
gives($ben, [], 1, '', qr/requires the role of member, admin or owner|requires the role of admin or owner/, 'members see none');
my ($status, $id) = client($ann, 'add', 'Harbour Foods');
like $id, qr/^shr_[0-9a-z]{26}\n$/, 'one is added' or diag $id;
chomp $id;
gives($ann, ['add', 'harbour foods'], 4, '', qr/already has a client called harbour foods/, 'once');
is +(client($ann, 'add', 'Metro', '--type', 'partner'))[0], 0, 'another kind';
gives($ann, ['add', 'x', '--type', 'Two words'], 1, '', qr/type: must be a word/, '... is a word');
gives($ann, ['list', '--type', 'x'], 2, '', qr/--type/, '... and goes with add alone');
like +(client($ann))[1], qr/^\Q$id\E  Harbour Foods  \(0 people\)\nshr_\w+  Metro  \(0 people\)\n$/, 'they are listed';
is +(client($ann, 'list', '--json'))[1] =~ /^\{"success":true,"sharees":\[/, 1, '--json gives the reply';
gives($ann, ['invite', 'HARBOUR FOODS', 'Kim@example.org'], 0, '', qr/kim\@example\.org is in the client/, 'somebody is invited');
gives($ann, ['invite', 'harbour foods', 'ben@example.org'], 4, '', qr/ben\@example\.org is a member of the workspace/,
	'... who is no member');
gives($ann, ['invite', $id, 'x'], 2, '', qr/x isn't an e-mail address/, 'an address that is none');
gives($ann, ['invite', 'Harbor', 'kim@example.org'], 1, '', qr/there's no client called Harbor; vitrine clients lists them/,
	'a client that is not there');
gives($ann, ['invite', 'x' x 121, 'kim@example.org'], 2, '', qr/neither the name nor the id/, '... or can be none');
gives($ann, ['show', $id], 0, "invited  kim\@example.org\n", undef, 'who is in it');
like +(client($ann))[1], qr/^\Q$id\E  Harbour Foods  \(1 person\)$/m, '... is counted';
gives($ann, ['remove', 'harbour foods', 'lee@example.org'], 1, '', qr/lee\@example\.org isn't in this client/, 'somebody who is not in it');
gives($ann, ['remove', 'harbour foods', 'KIM@example.org'], 0, '', qr/no longer in the client/, 'somebody who is');
gives($ann, ['show', $id], 0, '', undef, '... is removed');
gives($ann, ['rename', $id, 'Harbor Foods'], 0, '', qr/it's called Harbor Foods now/, 'another name');
gives($ann, ['rename', 'Metro', 'harbor foods'], 4, '', qr/already has a client/, '... that another has');
gives($ann, ['rm', 'Harbor Foods'], 1, '', qr/--yes/, 'removing is asked about');
gives($ann, ['rm', 'Harbor Foods', '--yes'], 0, '', undef, 'and done');
gives($ann, ['show', $id], 1, '', qr/Not found/, 'it is not there');
gives($ann, ['nonsense'], 2, '', qr/isn't a command/, 'a word that is none');
finish($stack);
