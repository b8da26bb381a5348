# SPDX-License-Identifier: Apache-2.0
# kill -9 of a worker at its N-th system call while it takes a file for an import: the import is there with all bytes, or isn't there. It is
# there when that was acknowledged, and what is there can be checked.
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
sub there { return $db->selectrow_array('SELECT COUNT(*) FROM import WHERE artifact_id = ? AND table_name = ?', undef, $art, $table) }
# What the check says of it; it is cancelled then, so that others can be made.
sub checked {
	$stack->runner;
	my ($said) = $db->selectrow_array('SELECT CONCAT(state, " ", row_n) FROM import WHERE artifact_id = ? AND table_name = ?',
		undef, $art, $table);
	$db->do("UPDATE import SET state = 'cancelled', due = 0 WHERE table_name = ?", undef, $table);
	return $said;
}

SKIP: {
	skip 'strace is not here', 1 if !`strace -V 2>/dev/null`;
	my ($r, $all, $calls) = $crash->count(\&import_it);
	is "$r->{status} " . there(), '303 1', "under strace, with $calls system calls up to the reply";
	is checked(), "ready $rows", '... and checked';
	my $killed = 0;
	for my $i (1 .. $instants) {
		my $n = min($all, 1 + int(($i - rand) * 1.1 * $calls / $instants));
		$r = $crash->at($n, \&import_it);
		my $now = there();
		$killed++ if $r->{status} != 303;
		ok $r->{status} == 303 ? $now == 1 : $r->{status} =~ /^(?:502|503|504|0)$/,
			"system call $n: told $r->{status}, and the import is " . ($now ? 'there' : 'not there');
		is checked(), "ready $rows", '... with all of its bytes' if $now;
	}
	ok $killed > 0, "$killed were killed before they could answer";
	is $stack->ctl('fsck'), 'clean', 'fsck is clean';
}
finish($stack);
