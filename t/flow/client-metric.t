# SPDX-License-Identifier: Apache-2.0
# vitrine watch and vitrine alert: made, listed and removed; what is no number, and what the service refuses.
use Vitrine::Words;

my ($stack, $api) = stack();
my $ann = $stack->user('ann@example.org');
my $art = $api->publish($ann, slug => 'data', visibility => 'private');
$api->call(PUT => "/v1/data/$art/tables/guests", { token => $ann->{token}, json => { columns => [{ name => 'name', type => 'text' },
	{ name => 'age', type => 'integer' }], rows => [{ name => 'Bo', age => 7 }, { name => 'Ann', age => 8 }] } });
sub client { return $stack->client($ann->{token}, @_, '--artifact', 'data') }

is_deeply [client(qw(watch list))], [0, '', ''], 'no watches';
my ($status, $id, $err) = client(qw(watch add guests --kind sum --column age --change 2.5));
is $status, 0, 'a watch' or diag $err;
like $id, qr/^wat_\w{26}\n$/, 'prints its id';
chomp $id;
is_deeply [client(qw(watch list))], [0, "$id  sum of age in guests  2.5%  now 15\n", ''], 'the list';
is decode_json((client(qw(watch list --json)))[1])->{watches}[0]{id}, $id, 'as JSON';
is +(client(qw(watch add guests)))[0], 0, 'of rows, when nothing is said';
is_deeply [$stack->client($ann->{token}, qw(watch remove), $id)], [0, '', "removed\n"], 'removed';
is +($stack->client($ann->{token}, qw(watch remove), $id))[0], 1, 'once';
is_deeply [(client(qw(watch add guests --change ten)))[0, 2]], [2, "vitrine: --change: ten isn't a number\n"], 'what is no number';
like +(client(qw(watch add guests --kind sum)))[2], qr/column: is required for sum/, 'what the service refuses is told';
is +(client(@$_))[0], 2, "usage: @$_"
	for [qw(watch)], [qw(watch add)], [qw(watch list guests)], [qw(watch paint guests)], [qw(watch remove)];

($status, $id, $err) = client(qw(alert add guests --above 3 --name), 'Full house', qw(--checks 2));
is $status, 0, 'an alert' or diag $err;
chomp $id;
is_deeply [client(qw(alert list))], [0, "$id  ok  Full house  row_count in guests above 3  now 2\n", ''], 'the list';
my $made = decode_json((client(qw(alert add guests --kind min --column age), '--below=-1.5',
	qw(--email desk@example.com --webhook https://hooks.example.com/x --json)))[1])->{alert};
is_deeply [@$made{qw(name kind column op value breaches subscribed)}], ['guests', 'min', 'age', 'below', -1.5, 1, Cpanel::JSON::XS::false],
	'all that can be said';
is_deeply [map { $_->{type} } @{$made->{destinations}}], ['email', 'webhook'], 'whom it tells';
like $made->{destinations}[1]{secret}, qr/^whsec_/, 'with the secret, once';
is_deeply [$stack->client($ann->{token}, @$_[0, 1, 2])],
	[2, '', "vitrine: $_->[2] isn't the id of $_->[3]: vitrine $_->[0] list lists them\n"], "@$_[0 .. 2]"
	for [qw(watch remove wat_x), 'a watch'], [qw(watch remove w), 'a watch'], [qw(alert remove alr_x), 'an alert'],
	[qw(alert remove ..), 'an alert'];
like +(client(qw(alert add guests --above 1), @$_))[2], qr/^vitrine: $_->[0]: /, "the service's error names $_->[0]"
	for [qw(--email foo)], [qw(--webhook ftp://x)];
is +(client(qw(alert add guests)))[0], 2, 'without a condition';
is +(client(qw(alert add guests --above 1 --below 2)))[0], 2, 'with two';
my $zero = decode_json((client(qw(alert add guests --above 0 --json)))[1])->{alert};
is_deeply [@$zero{qw(op value)}], ['above', 0], 'above nothing';
is +($stack->client($ann->{token}, qw(alert remove), $_))[0], 0, 'removed' for $id, $made->{id}, $zero->{id};
is_deeply [client(qw(alert list --quiet))], [0, '', ''], 'none is left';
finish($stack);
