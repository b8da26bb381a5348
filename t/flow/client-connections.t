# SPDX-License-Identifier: Apache-2.0
# A workspace's connections in the client: an HTTP API and a database are connected and changed, with secrets from files and standard input;
# one's own credentials.
use Vitrine::Words;

my ($stack, $api, $db) = stack(leaks => 1);
my ($ann, $ben) = map { $stack->user("$_\@example.org") } qw(ann ben);
my $ws = $api->call(POST => '/v1/workspaces', { token => $ann->{token}, json => { name => 'Northwind' } })->{json}{workspace}{id};
$stack->seat($ws, $ben, 'member');
sub client { my ($who, @args) = @_; return $stack->client($who->{token}, 'connections', @args) }
sub gives {
	my ($who, $args, $status, $out, $err, $name) = @_;
	my @r = client($who, @$args);
	is $r[0], $status, $name or diag "$r[1]$r[2]";
	like $r[1], $out, '... and prints it';
	like $r[2], $err, '... and says so' if $err;
}
sub config { my ($id) = @_; return decode_json($db->selectrow_array('SELECT config FROM connection WHERE id = ?', undef, $id)) }
sub sealed { return $db->selectrow_array('SELECT GROUP_CONCAT(sealed ORDER BY connection_id, holder) FROM connection_credential') // '' }
my $secret = "$stack->{dir}/secret";
open my $out, '>', $secret or die;
print $out "hush\n";
close $out;

gives($ann, [], 0, qr/^$/, undef, 'none at first');
my ($status, $id, $err) = client($ann, qw(new Orders --base-url https://api.example.org/v1 --auth bearer --token), $secret);
like $id, qr/^con_[0-9a-z]{26}\n$/, 'an HTTP API is connected' or diag $err;
chomp $id;
is_deeply config($id), { base_url => 'https://api.example.org/v1', auth => 'bearer' }, '... as it was said';
gives($ann, [qw(new orders --base-url https://x.example)], 4, qr/^$/, qr/already has a connection called orders/, 'once');
gives($ann, [qw(new Nothing)], 1, qr/^$/, qr/--base-url: is required/, 'what is missing is named');
gives($ann, [qw(new Nothing --base-url https://x.example --auth bearer --token), "$secret-no"], 2, qr/^$/, qr/secret-no: /,
	'a file that is not there');
gives($ann, [qw(new Base --host db.example.org --database shop --user ro --port x --password), $secret], 2, qr/^$/,
	qr/--port: x isn't a number/, 'a port that is none');
gives($ann, [qw(new Base --host db.example.org --database shop --user ro --password), $secret], 0, qr/^con_/, undef, 'a database');
gives($ben, [], 0, qr/^con_\w+  active      postgres  Base\n\Q$id\E  active      http      Orders\n$/, undef, 'members list them');
gives($ann, [qw(show ORDERS)], 0, qr/^Orders: http, shared, active\n\{"base_url":"https:\/\/api\.example\.org\/v1","auth":"bearer"\}\n$/,
	undef, 'an admin looks at one, by its name in any case');
gives($ben, [qw(show Orders)], 1, qr/^$/, qr/admin or owner/, '... alone');
gives($ann, [qw(show Order)], 1, qr/^$/, qr/there's no connection called Order; vitrine connections lists them/, 'one that is not there');
my $before = sealed();
gives($ann, [qw(change Orders --base-url https://evil.example)], 1, qr/^$/, qr/credentials: the stored ones are for another server/,
	'another server wants the secret again');
gives($ann, ['change', $id, qw(--name Sales --auth header --header X-Key --base-url https://api.example.org/v2 --token), $secret], 0,
	qr/^$/, qr/changed/, 'it is changed');
is_deeply config($id), { base_url => 'https://api.example.org/v2', auth => 'header', header_name => 'X-Key' }, '... as it was said';
isnt sealed(), $before, '... with its secret';
gives($ann, ['change', $id, qw(--auth bearer)], 0, qr/^$/, undef, 'what is not said stays');
is_deeply config($id), { base_url => 'https://api.example.org/v2', auth => 'bearer' }, '... but a header that there is no use for';
gives($ann, [qw(change Base --user other)], 0, qr/^$/, undef, 'the user of a database');
is config($db->selectrow_array("SELECT id FROM connection WHERE name = 'Base'"))->{username}, 'other', '... is in its config';
gives($ann, [qw(new Ads --base-url https://ads.example --auth basic --member)], 0, qr/^con_/,
	undef, 'one for which everybody has their own');
gives($ben, [qw(credentials Ads)], 0, qr/^none\n$/, undef, 'which they have not given yet');
gives($ben, [qw(credentials Ads --user ben --password), $secret], 0, qr/^$/, qr/saved/, '... and give');
gives($ben, [qw(credentials Ads)], 0, qr/^saved 20\S+\n$/, undef, '... which is said');
gives($ben, [qw(credentials Ads --forget)], 0, qr/^$/, undef, '... and delete');
gives($ben, [qw(credentials Orders)], 1, qr/^$/, undef, 'none of a connection that is called otherwise now');
gives($ben, [qw(artifacts Sales)], 0, qr/^$/, undef, 'no artifact uses it');
gives($ann, [qw(delete Sales)], 1, qr/^$/, qr/--yes/, 'deleting is asked about');
gives($ann, [qw(delete Sales --yes)], 0, qr/^$/, undef, '... and done');
gives($ann, ['show', $id], 1, qr/^$/, qr/Not found/, 'it is not there');
gives($ann, [qw(list --port 1)], 2, qr/^$/, qr/--port/, 'an option of another word');
finish($stack);
