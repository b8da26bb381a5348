# SPDX-License-Identifier: Apache-2.0
# The connection to the database is lost at a COMMIT, or at a change without a transaction: the reply says that it may have been done, and
# nothing is done twice. Lost before that, it is done again by itself.
use Digest::SHA 'sha256_hex';
use Vitrine::DbProxy;
use Vitrine::Words qw(as said refused);

my ($stack, $api, $db) = stack(workers => 1);
$stack->expect_internal;
my $ann = $stack->user('ann@example.org');
my $proxy = Vitrine::DbProxy->new($stack);
$stack->{conf}{db_socket} = $proxy->{path};
$stack->write_conf;
$stack->stop_one('worker');
$stack->start_worker;

my $art = $api->publish($ann, slug => 'site', visibility => 'public');
sub add { my ($key) = @_; return as(ann => POST => "/v1/data/$art/tables/t/rows", json => { rows => [{ n => 1 }] },
	headers => $key ? { 'Idempotency-Key' => $key } : {}) }
sub rows { return $db->selectrow_array('SELECT COUNT(*) FROM data_row') }
is as(ann => PUT => "/v1/data/$art/tables/t", { columns => [{ name => 'n', type => 'integer' }] })->{status}, 201, 'a table';
is add()->{status}, 201, 'a row';

# The indexer and the packer commit, too.
my @others;
Vitrine::Stack::wait_for('the indexer and the packer', 60, sub { 2 == (@others = map { $stack->workers($_) } qw(indexer packer)) });
sleep 1;
kill 'STOP', @others;

for (['before', 0], ['after', 1]) {
	my ($when, $more) = @$_;
	my $had = rows();
	$proxy->lose($when, '^COMMIT$');
	my $r = refused(add(), '503 OUTCOME_UNKNOWN', "lost at COMMIT, $when MariaDB has it",
		qr/may have been done.*Look before you repeat/);
	ok $proxy->lost, '... it was';
	is $r->{headers}{'retry-after'}, undef, '... nobody is told to repeat it';
	is rows(), $had + $more, $more ? '... it was done' : "... it wasn't";
	is add()->{status}, 201, '... and the next one is';

	# With a key the same request tells the truth, and does nothing twice.
	$had = rows();
	$proxy->lose($when, '^COMMIT$');
	is said(add("key-$when")), '503 OUTCOME_UNKNOWN', '... with an Idempotency-Key';
	$r = add("key-$when");
	is $r->{status}, 201, '... the same request again';
	is rows(), $had + 1, '... adds one row in all';
}

# Within a transaction nothing has happened yet, so it runs again; a lost read is read again.
my $had = rows();
$proxy->lose($_->[0], $_->[1]), is(add()->{status}, 201, "lost $_->[0] $_->[1]: done again by itself"), ok($proxy->lost, '... it was lost')
	for ['before', '^START'], ['after', '^START'], ['before', 'INSERT INTO data_row'], ['after', 'INSERT INTO data_row'];
is rows(), $had + 4, '... once each';
$proxy->lose('after', '^SELECT');
is as(ann => GET => "/v1/artifacts/$art")->{status}, 200, 'a read';
ok $proxy->lost, '... that was lost is repeated';


kill 'CONT', @others;
finish($stack);
