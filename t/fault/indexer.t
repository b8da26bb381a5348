# SPDX-License-Identifier: Apache-2.0
# The indexer: others find what has changed soon after the reply; many changes share a commit; and an indexer, or a whole pool, that is
# killed at any instant loses nothing of what is due.
use Time::HiRes 'sleep';
use Vitrine::Counted;
use Vitrine::Words 'as';

my ($stack, $api, $db) = stack(workers => 2, publish_per_hour => 100_000);
$stack->expect_internal;
$stack->expect_alert(qr{upstream prematurely closed|(?:recv|readv|writev)\(\) failed.* upstream});
# A killed process leaves what it had.
$ENV{ASAN_OPTIONS} = ($ENV{ASAN_OPTIONS} // '') . ':detect_leaks=0';
my ($ann, $ben) = map { $stack->user("$_\@example.org") } qw(ann ben);
my $ws = as($ann, POST => '/v1/workspaces', { name => 'Team' })->{json}{workspace}{id};
$stack->seat($ws, $ben, 'member');
Vitrine::Counted::settled($db);
sub publish { my ($name) = @_; return $api->publish($ann, name => $name, workspace_id => $ws) }
# What Ben finds, whose search indexes only what he changed himself.
sub found { my ($word) = @_; return scalar @{as($ben, GET => "/v1/search?limit=100&q=$word")->{json}{results} // []} }
sub due { return scalar $db->selectrow_array('SELECT COUNT(*) FROM search_due WHERE user_id IS NOT NULL') }
sub indexer {
	my (%not) = @_;
	my $pid;
	Vitrine::Stack::wait_for('an indexer', 60, sub { ($pid) = grep { !$not{$_} } $stack->workers('indexer') });
	return $pid;
}
sub committed { return { map { @$_ } @{$db->selectall_arrayref("SHOW GLOBAL STATUS LIKE 'Com\\_commit'")} }->{Com_commit} }

publish('Marmalade');
Vitrine::Stack::wait_for('others find it', 60, sub { found('marmalade') });
pass 'others find what was published, without a runner';
my $tool = as($ann, POST => '/mcp', { jsonrpc => '2.0', id => 1, method => 'tools/call', params => { name => 'publish',
	arguments => { name => 'Kaleidoscope', workspace => $ws, files => [{ path => 'index.html', content => 'x' }] } } });
like $tool->{body}, qr/version_no/, 'a tool publishes';
Vitrine::Stack::wait_for('others find it', 60, sub { found('kaleidoscope') });
pass '... which others find as soon';

# Forty in one window.
my $pid = indexer();
kill STOP => $pid;
publish("Zanzibar $_") for 1 .. 40;
is due(), 40, 'what is due is in rows of the changes themselves';
Vitrine::Counted::still($stack);
my $before = committed();
kill CONT => $pid;
Vitrine::Counted::settled($db);
is committed() - $before, 1, 'forty changes are indexed by one commit';
Vitrine::Counted::go_on($stack);
is found('zanzibar'), 40, '... and found';

# Another indexer finds what a killed one left, although nobody tells it.
kill STOP => $pid;
publish("Hippopotamus $_") for 1 .. 5;
kill KILL => $pid;
Vitrine::Counted::settled($db);
is found('hippopotamus'), 5, 'what a killed indexer left is indexed by the next';
for my $after (0, 0.002, 0.005, 0.01, 0.02, 0.04) {
	$pid = indexer($pid => 1);
	kill STOP => $pid;
	publish("Quicksilver $after $_") for 1 .. 10;
	kill CONT => $pid;
	sleep $after;
	kill KILL => $pid;
	Vitrine::Counted::settled($db);
}
is found('quicksilver'), 60, '... at whatever instant it was killed';

# The whole pool.
kill STOP => indexer($pid => 1);
publish('Xylophone');
$stack->stop_one('worker', 'KILL');
is due(), 1, 'a pool that is killed leaves what is due';
$stack->start_worker;
Vitrine::Counted::settled($db);
# nginx may still have connections to the killed one.
Vitrine::Stack::wait_for('it is found', 60, sub { found('xylophone') });
pass '... which the next one indexes';

# Without an indexer the runner does its work, and people find what they have changed themselves.
$pid = indexer();
kill STOP => $pid;
publish('Flamingo');
is found('flamingo'), 0, 'with an indexer that stands still, others find nothing new';
is scalar @{as($ann, GET => '/v1/search?q=flamingo')->{json}{results}}, 1, '... but whoever changed it does';
publish('Pelican');
$stack->runner('--once');
is found('pelican'), 1, 'and the runner indexes the rest';
kill CONT => $pid;

# Many changes of one person don't delay those of another.
kill STOP => $pid;
$db->do("INSERT INTO search_due (kind, id, user_id) SELECT 1, CONCAT('art_', LPAD(seq, 26, '0')), ? FROM seq_1_to_20000",
	undef, $ann->{id});
my $own = as($ben, POST => '/v1/publish', { name => 'Ostrich', workspace_id => $ws, files => [{ path => 'index.html', content => 'x' }] });
is $own->{status}, 201, 'a change of another';
my $left;
kill CONT => $pid;
Vitrine::Stack::wait_for('it is indexed', 60, sub {
	($left) = $db->selectrow_array('SELECT SUM(user_id = ?) FROM search_due HAVING SUM(user_id = ?) = 0',
		undef, $ann->{id}, $ben->{id});
	defined $left;
});
cmp_ok $left, '>', 0, 'is indexed before 20,000 of somebody who was first';
Vitrine::Counted::settled($db);
is +($stack->program('vitrinectl', {}, 'fsck'))[1], "clean\n", 'all is as it should be';
finish($stack);
