# SPDX-License-Identifier: Apache-2.0
# ./dev bench database: 100,000 rows of a PostgreSQL database into a table by a job, against psql's \copy and LOAD DATA of what it wrote into a bare table with as many indexes.
use strict;
use warnings;
use Time::HiRes qw(sleep time);
use Vitrine::Api;
use Vitrine::Bench;
use Vitrine::Postgres;
use Vitrine::Stack;

$| = 1;
my $ROWS = 100_000;
my $tls = Vitrine::Stack::test_tls();
my $pg = Vitrine::Postgres->new($tls);
my $s = Vitrine::Stack->new(egress_allow => "127.0.0.1:$pg->{port}", egress_ca_file => "$tls/ca.pem");
stacks($s);
my $api = Vitrine::Api->new($s);
my $db = $s->db;
my $ann = $s->user('ann@example.org');
sub made { my ($path, $json) = @_; my $r = $api->call(POST => $path, { token => $ann->{token}, json => $json }); die "$path: $r->{body}" if $r->{status} != 201; return $r->{json} }
my $ws = made('/v1/workspaces', { name => 'Team' })->{workspace}{id};
my $con = made("/v1/workspaces/$ws/connections", { provider => 'postgres', name => 'Shop', config => { host => 'localhost', port => $pg->{port}, database => 'shop', username => 'reader' }, credentials => { password => $Vitrine::Postgres::PASSWORD } })->{connection}{id};
my $art = $api->publish($ann, slug => 'site', workspace_id => $ws);
my $query = 'SELECT id, name, owner, score, at FROM orders';
$pg->sql("CREATE TABLE orders AS SELECT i AS id, 'order number ' || i AS name, 'usr_' || i % 1000 AS owner, round((i * 7 % 10000) / 100.0, 2) AS score, timestamptz '2026-01-01' + i * interval '1 minute' AS at FROM generate_series(1, $ROWS) i; GRANT SELECT ON orders TO reader");
my $job = made('/v1/jobs', { artifact_id => $art, action => 'materialize', schedule => '0 0 1 1 *', config => { source => { connection_id => $con, query => $query }, target => { table => 'orders' } } })->{job}{id};
$db->do('CREATE TABLE bare (id BIGINT PRIMARY KEY, name VARCHAR(100), owner VARCHAR(40), score DECIMAL(10, 2), at DATETIME, KEY (name), KEY (owner), KEY (score), KEY (at)) ENGINE=InnoDB');
$s->start_runner('runner', '--stay', '--lanes', 'clock|databases');

my $times = 0;
sub materialize {
	my $from = time;
	$db->do('UPDATE job SET next_run_at = UNIX_TIMESTAMP() - 10000 + ? WHERE id = ?', undef, ++$times, $job);
	Vitrine::Stack::wait_for('the run', 300, sub { sleep 0.01; $db->selectrow_array('SELECT COUNT(*) FROM job_run WHERE finished_at IS NOT NULL') >= $times });
	my ($status, $output, $error) = $db->selectrow_array('SELECT status, output, error FROM job_run ORDER BY turn DESC LIMIT 1');
	die "$status: $error" if $status ne 'success';
	return ($ROWS / (time - $from), 1);
}
sub copied {
	my $file = "$s->{dir}/orders.csv";
	unlink $file;
	$db->do('TRUNCATE bare');
	my $from = time;
	$pg->sql("\\copy ($query) TO '$file' CSV");
	$db->do("LOAD DATA INFILE '$file' INTO TABLE bare FIELDS TERMINATED BY ',' (id, name, owner, score, \@at) SET at = LEFT(\@at, 19)");
	return ($ROWS / (time - $from), 1);
}
by_turns("$ROWS rows of PostgreSQL, against \\copy and LOAD DATA", \&materialize, \&copied);
