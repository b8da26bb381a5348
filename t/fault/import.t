# SPDX-License-Identifier: Apache-2.0
# kill -9 of a worker at its N-th system call of an import that makes a table: the table has all rows or is not there, it is there when that
# was acknowledged, and the runner takes away what was made half.
use List::Util 'min';
use Vitrine::Crash;
use Vitrine::Visitor;
use Vitrine::Words;

my $rows = 3000;
my $instants = $ENV{VITRINE_TORTURE} // 8;
my $stack = Vitrine::Crash->stack;
my $api = Vitrine::Api->new($stack);
my $crash = Vitrine::Crash->new($stack, $api);
my $ann = $stack->user('ann@example.org');
my $db = $stack->db;
$stack->ctl_in("the password\n", qw(user password ann@example.org));
my $art = $api->publish($ann, slug => 'mine');
my $visitor = Vitrine::Visitor->new($api);
$visitor->sign_in('ann@example.org', 'the password');

my $file = join "\n", 'name,n', map { "row $_,$_" } 1 .. $rows;
my ($made, $table) = (0);
sub import_it {
	$table = 'made_' . ++$made;
	return $visitor->send(POST => "/a/$art/data/import", headers => { 'Content-Type' => 'multipart/form-data; boundary=b' },
		body => join "\r\n",
		'--b', 'Content-Disposition: form-data; name="name"', '', $table,
		'--b', 'Content-Disposition: form-data; name="files"; filename="f.csv"', 'Content-Type: text/csv', '', $file, '--b--', '');
}
# As many rows as are counted, and as many as there are.
sub there {
	return $db->selectrow_array('SELECT CONCAT(t.row_count, " ", COUNT(r.id)) FROM data_table t '
		. 'LEFT JOIN data_row r ON r.table_no = t.no WHERE t.artifact_id = ? AND t.name = ? GROUP BY t.no',
		undef, $art, $table) // 'not there' }
sub left {
	return $db->selectrow_array('SELECT (SELECT COUNT(*) FROM data_table WHERE artifact_id IS NULL) + (SELECT COUNT(*) FROM data_row '
		. 'WHERE table_no NOT IN (SELECT no FROM data_table))');
}

SKIP: {
	skip 'strace is not here', 1 if !`strace -V 2>/dev/null`;
	my ($r, $all, $calls) = $crash->count(\&import_it);
	is "$r->{status} " . there(), "303 $rows $rows", "under strace, with $calls system calls up to the reply";
	my ($killed, $half) = (0, 0);
	for my $i (1 .. $instants) {
		my $n = min($all, 1 + int(($i - 0.5) * 1.1 * $calls / $instants));
		$r = $crash->at($n, \&import_it);
		my $now = there();
		$killed++ if $r->{status} != 303;
		ok $r->{status} == 303 ? $now eq "$rows $rows"
			: $r->{status} =~ /^(?:502|503|504|0)$/ && $now =~ /^(?:not there|$rows $rows)$/,
			"system call $n: told $r->{status}, and the table is: $now";
		$half++ if left();
	}
	ok $killed > 0, "$killed were killed before they could answer";
	ok $half > 0, '... some with rows that nobody sees';
	$stack->runner;
	ok left() > 0, '... which are left alone for a while, since they may be under way';
	$db->do('UPDATE data_table SET sweep_at = UNIX_TIMESTAMP() WHERE artifact_id IS NULL');
	for (1 .. 20) { $stack->runner; last if !left() }
	is left(), 0, '... and then taken away by the runner';
	is $stack->ctl('fsck'), 'clean', 'fsck is clean';
}
finish($stack);
