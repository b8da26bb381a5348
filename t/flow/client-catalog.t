# SPDX-License-Identifier: Apache-2.0
# A workspace's data catalog in the client: what there is, and all files to a folder and back, as people keep them in git.
use utf8;
use Vitrine::Words;

my ($stack, $api) = stack();
my ($ann, $ben) = map { $stack->user("$_\@example.org") } qw(ann ben);
my $ws = $api->call(POST => '/v1/workspaces', { token => $ann->{token}, json => { name => 'Team' } })->{json}{workspace}{id};
my $art = $api->publish($ann, slug => 'sales', workspace_id => $ws);
$api->call(PUT => "/v1/data/$art/tables/orders", { token => $ann->{token}, json => { columns => [{ name => 'a', type => 'text' }] } });
$stack->seat($ws, $ben, 'member');
my $dir = "$stack->{dir}/notes";
sub gives {
	my ($who, $args, $status, $out, $err, $name) = @_;
	my ($is, $said, $told) = $stack->client($who->{token}, 'catalog', @$args);
	is $is, $status, $name or diag $said, $told;
	utf8::decode($_) for $said, $told;
	like $said, $out, '... prints' if $out;
	like $told, $err, '... tells' if $err;
	return $said;
}
sub write_file {
	my ($name, $text) = @_;
	(my $in = "$dir/$name") =~ s{/[^/]*$}{};
	system('mkdir', '-p', $in) == 0 or die;
	utf8::encode($text);
	Vitrine::Stack::spew("$dir/$name", $text);
}
sub file { my $text = Vitrine::Stack::slurp("$dir/$_[0]"); utf8::decode($text); return $text }

gives($ann, ['pull', $dir], 1, undef, qr/the catalog is off; an admin can turn it on: vitrine catalog enable/, 'off');
gives($ben, ['enable'], 1, undef, qr/admin/, 'a member does not turn it on');
gives($ann, ['enable'], 0, qr/^$/, qr/the catalog is on/, 'turned on');
gives($ann, ['seed'], 0, undef, qr/1 made, 0 renewed, 0 left as they are/, 'seeded');
gives($ben, [], 0, qr{^draft       dataset  tables/sales/orders\.md  orders\n$}, undef, 'a line for each entry');
gives($ben, ['pull', $dir], 0, undef, qr/1 file fetched, 0 unchanged/, 'pulled');
like file('tables/sales/orders.md'),
	qr/^---\nkind: dataset\ntitle: "orders"\nsource: \{artifact: "sales", table: "orders"\}\ncolumns:\n  - name: "a"\n    type: text\n---\n/,
	'... as the catalog has it';
gives($ben, ['pull', $dir], 0, undef, qr/0 files fetched, 1 unchanged/, 'again: nothing');

write_file('metrics/Umsätze.md', "---\ntitle: Umsätze\nkind: metric\nstatus: verified\nupstream: [tables/sales/orders.md]\n---\nGeld\n");
write_file('README.txt', 'no entry');
write_file('wrong.md', "---\ntitle: [a]\n---\n");
gives($ben, ['push', $dir], 1,
	undef, qr/wrong\.md: Line 2: title must be a text.*1 file sent, 1 unchanged/s, 'pushed: what is wrong is named, the rest sent');
unlink "$dir/wrong.md";
gives($ben, ['list', 'umsätze', '--status', 'verified'], 0, qr{^verified    metric   metrics/Umsätze\.md  Umsätze\n$}, undef, 'found');
gives($ben, ['list', '--kind', 'term'], 0, qr/^$/, undef, 'narrowed');
is gives($ben, ['show', 'metrics/Umsätze.md'], 0, undef, undef, 'shown'), file('metrics/Umsätze.md'), '... as it was written';
gives($ben, ['lineage', 'metrics/Umsätze.md', '--direction', 'up'], 0, qr/^orders -> Umsätze \(declared\)\n$/,
	undef, 'where it comes from');
gives($ben, ['show', 'absent.md'], 1, undef, qr/there's no absent\.md in the catalog/, 'what is not there');

write_file('tables/sales/orders.md', "mine\n");
gives($ben, ['pull', $dir], 1, undef, qr/orders\.md isn't as in the catalog; --force overwrites it/, 'what differs is kept');
is file('tables/sales/orders.md'), "mine\n", '... as it was';
gives($ben, ['pull', $dir, '--force'], 0, undef, qr/1 file fetched, 1 unchanged/, '... unless forced');
unlink "$dir/metrics/Umsätze.md";
gives($ben, ['push', $dir, '--delete'], 1,
	undef, qr/nothing was deleted; --yes deletes without asking/, 'what is gone is deleted once that is confirmed');
gives($ben, ['push', $dir], 0, undef, qr/0 files sent, 1 unchanged, 0 deleted/, '... and only if asked for');
gives($ben, ['push', $dir, '--delete', '--yes'], 0, undef, qr/1 deleted/, '... without asking');
gives($ben, [], 0, qr/^draft .* orders\n$/, undef, '... that alone');
symlink '/etc', "$dir/out";
$api->call(PUT => "/v1/workspaces/$ws/catalog/files", { token => $ann->{token}, json => { path => 'out/a.md', content => 'x' } });
gives($ben, ['pull', $dir], 1, undef, qr{out/a\.md: }, 'a link in the folder is not followed');
gives($ann, ['disable'], 0, undef, qr/off; its files are kept/, 'off again');
finish($stack);
