# SPDX-License-Identifier: Apache-2.0
# What MariaDB with Galera does to our rows: the schema and a publish arrive at all machines, a death in the group stalls commits for less
# than a lease lasts and ends nothing else. And how long a commit takes there.
use DBI;
use Time::HiRes qw(sleep time);
use Vitrine::Cluster;
use Vitrine::Words 'refused';

my $cluster = Vitrine::Cluster->new;
my ($first, $second, $third) = $cluster->machines;
$cluster->wait_whole;
is join(' ', map { $_->status('cluster_size') } $cluster->machines), '3 3 3', 'three members';

# ---- the schema

my $tables = q(SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'vitrine');
my ($n) = $first->ask($tables);
cmp_ok $n, '>', 100, "the first machine has $n tables";
is join(' ', map { $_->ask($tables) } $second, $third), "$n $n", '... and so have the others';
is join(' ', $second->ask("$tables AND engine <> 'InnoDB'")), 0, 'all are of InnoDB, the only engine that is replicated';
is join(' ', $second->ask(q(SELECT table_name FROM information_schema.tables t WHERE table_schema = 'vitrine'
	AND NOT EXISTS (SELECT 1 FROM information_schema.statistics s
		WHERE s.table_schema = 'vitrine' AND s.table_name = t.table_name AND s.index_name = 'PRIMARY')))), '',
	'all have a primary key';

# ---- a publish by the balancer

my $ann = $first->user('ann@example.org');
my $api = Vitrine::Api->new($cluster);
my $art = $api->publish($ann, name => 'Seen by all', slug => 'all', visibility => 'public');
for my $m ($second, $third) {
	Vitrine::Stack::wait_for("the row at $m->{name}", 5, sub { $m->ask("SELECT 1 FROM vitrine.artifact WHERE id = '$art'") });
	refused(Vitrine::Api->new($m)->call(GET => "/v1/artifacts/$art", { token => $ann->{token} }), '503 NOT_ACTIVE', "$m->{name} doesn't answer");
}
is $api->get_site('all', '/')->{body}, 'x', 'the balancer leads to the page';

# ---- commits

sub connect_to { my ($m) = @_; return DBI->connect("dbi:MariaDB:mariadb_socket=$m->{run}/db.sock", 'root', '', { RaiseError => 1 }) }
sub median { my @sorted = sort { $a <=> $b } @_; return 1000 * $sorted[@sorted / 2] }
# Times of commits of one row each, in seconds, for so long.
sub commits {
	my ($db, $seconds, $table) = (@_, 'row');
	my ($until, @took) = time + $seconds;
	while (time < $until) {
		my $begun = time;
		$db->do("REPLACE INTO tried.$table VALUES (?, ?)", undef, @took % 100, scalar @took);
		push @took, time - $begun;
	}
	return @took;
}
my $db = connect_to($second);
$db->do($_) for 'CREATE DATABASE tried', 'CREATE TABLE tried.row (id INT PRIMARY KEY, v INT NOT NULL)';
diag sprintf 'a commit in the group: median %.2f ms', median(commits($db, 3));
# A table that this machine alone has.
my $alone = connect_to($third);
$alone->do($_) for 'SET SESSION wsrep_on = OFF', 'CREATE TABLE tried.alone (id INT PRIMARY KEY, v INT NOT NULL)';
diag sprintf 'a commit that is not replicated: median %.2f ms', median(commits($alone, 3, 'alone'));

for my $how (['kill -9 of MariaDB', sub { $first->kill_now('db') }], ['MariaDB frozen', sub { $first->freeze('db') }],
	['the cable pulled out', sub { $first->unplug }]) {
	my ($what, $do) = @$how;
	my $pid = fork // die;
	if (!$pid) { sleep 1; $do->(); POSIX::_exit(0) }
	my ($longest) = sort { $b <=> $a } commits($db, 9);
	waitpid $pid, 0;
	cmp_ok $longest, '<', 5, sprintf '%s: the longest commit elsewhere took %.1f s', $what, $longest;
	is $second->status('cluster_status'), 'Primary', '... and the others stay Primary';
	$first->thaw('db');
	$first->plug_in;
	$first->start;
	my $begun = time;
	$cluster->wait_whole;
	diag sprintf 'it was back %.1f s after that was mended', time - $begun;
}
my ($rows) = $second->ask('SELECT COUNT(*), SUM(v) FROM tried.row');
is join(' ', map { $_->ask('SELECT COUNT(*), SUM(v) FROM tried.row') } $first, $third), "$rows $rows", 'all have the same rows';
$db->disconnect;
$cluster->stop;
done_testing;
