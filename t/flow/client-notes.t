# SPDX-License-Identifier: Apache-2.0
# A workspace's notes in the client: all, one, to a folder and back without anything being lost, deleted; learning.
use utf8;
use File::Path 'make_path';
use File::Temp 'tempdir';
use Vitrine::Words 'as';

my ($stack, $api, $db) = stack(leaks => 1);
my ($ann, $ben) = map { $stack->user("$_\@example.org") } qw(ann ben);
my $ws = as($ann, POST => '/v1/workspaces', { name => 'Northwind' })->{json}{workspace}{id};
$stack->seat($ws, $ben, 'member');
$db->do('UPDATE workspace SET features_on = 63 WHERE id = ?', undef, $ws);
my $dir = tempdir(CLEANUP => 1) . '/notes';
make_path("$dir/guides");
sub notes { my ($who, @args) = @_; return $stack->client($who->{token}, 'notes', @args) }
sub gives {
	my ($who, $args, $status, $out, $err, $name) = @_;
	my @r = notes($who, @$args);
	is "$r[0] $r[1]", "$status $out", $name or diag $r[2];
	like $r[2], $err, "... and says so" if $err;
}
sub file { my ($path, $text) = @_; open my $f, '>:utf8', "$dir/$path" or die "$path: $!\n"; print $f $text; close $f }
sub content { my ($path) = @_; return Vitrine::Stack::slurp("$dir/$path") }

gives($ben, [], 0, '', undef, 'none at first');
file('guides/price-rules.md', "# Price rules\n\n[[guides/who]]\n");
file('guides/who.md', "Carla.\n");
file('left.txt', 'no note');
file('pages.md', "# Pages\n");
gives($ben, ['push', $dir], 0, '', qr/3 files sent, 0 unchanged, 0 deleted/, 'a folder is sent');
gives($ben, ['tree'], 0, "guides/\nguides/price-rules.md  Price rules\nguides/who.md  who\npages.md  Pages\n",
	undef, '... without what is no note');
gives($ben, ['push', $dir], 0, '', qr/0 files sent, 3 unchanged/, 'once');
gives($ben, ['show', 'guides/who.md'], 0, "Carla.\n", undef, 'one, as it was written');
gives($ben, ['show', 'guides/absent.md'], 1, '', qr/Not found/, 'none');
as($ann, PUT => "/v1/workspaces/$ws/knowledge/files/guides/who.md", { content => "Dora.\n" });
file('guides/who.md', "Ann.\n");
gives($ben, ['pull', $dir], 1, '', qr{guides/who\.md isn't as in the notes; --force overwrites}, 'what differs is not written over');
is content('guides/who.md'), "Ann.\n", '... it is as it was';
gives($ben, ['pull', $dir, '--force'], 0, '', qr/1 file fetched, 2 unchanged/, '... unless one says so');
is content('guides/who.md'), "Dora.\n", '... then it is';
my $fresh = "$dir-2";
gives($ben, ['pull', $fresh], 0, '', qr/3 files fetched/, 'into a new folder');
is Vitrine::Stack::slurp("$fresh/guides/price-rules.md"), "# Price rules\n\n[[guides/who]]\n", '... with its folders';
make_path("$dir/pages");
file('pages/mine.md', 'x');
file('x.md', 'still sent');
gives($ben, ['push', $dir], 1, '', qr{pages/mine\.md: .*learned from pages}, 'what is refused is named');
gives($ben, ['show', 'x.md'], 0, "still sent\n", undef, '... and keeps no other from being sent');
unlink "$dir/pages/mine.md", "$dir/x.md";
gives($ann, ['push', $dir, '--delete'], 1, '', qr/nothing was deleted; --yes/, 'nothing is deleted unasked');
gives($ann, ['push', $dir, '--delete', '--yes'], 0, '', qr/1 deleted/, '... but then');
gives($ben, ['delete', 'pages.md', '--yes'], 1, '', qr/admin or owner/, 'a member deletes none');
gives($ann, ['delete', 'pages.md', '--yes'], 0, '', qr/deleted/, 'an admin does');
gives($ann, ['delete', 'guides/who.md', '--forget', '--yes'], 0, '', qr/deleted/,
	'what people wrote is deleted, though nothing of it is learned');
for my $name ('.bashrc', '.ssh/authorized_keys', 'a/.git/hooks.md', '.hidden.md', 'run.sh') {
	$db->do('UPDATE note SET path = ? WHERE workspace_id = ? ORDER BY id LIMIT 1', undef, $name, $ws);
	gives($ben, ['pull', "$dir-3"], 0, '', qr/^\Q$name\E is left out\n.*0 files fetched/s,
		'a name that programs read of themselves, or that is no note\'s, is left out');
}
is scalar(grep { -e "$dir-3/$_" } qw(.bashrc .ssh a run.sh .hidden.md)), 0, '... and nothing was written';
$db->do("UPDATE note SET path = 'still.md' WHERE path = 'run.sh'");
gives($ben, ['status'], 0, "0 learned, 0 skipped, 0 failed in 24 hours; 0 waiting\n", undef, 'what was learned');
gives($ann, ['backfill'], 4, '', qr/Learning is off/, 'off at first');
gives($ann, ['enable'], 0, '', qr/learned from now on/, 'on');
gives($ann, ['backfill'], 0, '', qr/0 pages to be learned/, 'what is missing');
gives($ann, ['disable'], 0, '', qr/the notes stay/, 'off');
like +(notes($ben, '--json'))[1], qr/^\{"success":true,"tree":\[/, '--json gives the reply';
finish($stack);
