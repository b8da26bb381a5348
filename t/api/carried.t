# SPDX-License-Identifier: Apache-2.0
# Index entries that carry keys of other columns: a list that could use them gets them, the runner fills in the rows that are there, and
# lists are what they are without them, whatever happens to rows and columns. One table of two may carry none.
use Vitrine::Words 'as';

my ($stack, $api, $db) = stack(data_per_minute => 100_000);
my $ann = $stack->user('ann@example.org');
my $art = $api->publish($ann, slug => 'data');
my $base = "/v1/data/$art/tables";
my @columns = map { my ($name, $type) = split /:/; { name => $name, type => $type } }
	qw(name:text owner:text n:integer score:number at:timestamp done:boolean);
my $count = 0;
sub row {
	my ($n) = @_;
	return { name => sprintf('name %05d', $n * 7919 % 10007), owner => 'p' . $n % 7, n => $n,
		score => $n % 5 ? $n * 31 % 1009 / 8 : undef,
		at => sprintf('2026-%02d-%02dT00:00:00Z', 1 + $n % 12, 1 + $n % 28), done => $n % 3 ? $true : $false };
}
sub both {
	my ($method, $path, $body) = @_;
	for my $table (qw(plain carrying)) {
		my $r = as($ann, $method => "$base/$table$path", $body);
		like $r->{status}, qr/^20/, "$method $table$path" or diag $r->{body};
	}
}
sub add { my ($n) = @_; both(POST => '/rows', { rows => [map { row(++$count) } 1 .. $n] }) }
# All of a list, by parts.
sub listed {
	my ($table, $query) = @_;
	my ($next, @all);
	do {
		my $r = as($ann, GET => "$base/$table/rows?limit=50&$query" . (defined $next ? "&cursor=$next" : ''))->{json};
		push @all, @{$r->{rows}};
		$next = $r->{next_cursor};
	} while defined $next && @all < 400;
	delete $_->{id} for @all;
	return \@all;
}
no warnings 'qw'; # commas
my @queries = qw(score=gt.60&order=name owner=eq.p3&order=-at owner=eq.p3&order=at&n=gt.500 owner=eq.p3&order=-score
	owner=eq.p3&score=is.null score=is.notnull&order=-name at=gte.2026-06-01T00:00:00Z&score=lt.50&order=n
	done=is.true&order=name n=neq.5&order=-name n=in.3,5,4000,700&order=owner name=prefix.name%2000&score=gt.20&order=-score
	score=eq.2&owner=prefix.p&order=-n);
sub alike {
	my ($when) = @_;
	for my $q (@queries) { is_deeply listed(carrying => $q), listed(plain => $q), "$when: $q" }
}
sub carried { return sprintf '%x', $db->selectrow_array("SELECT carried FROM data_table WHERE name = 'carrying'") }
sub left { return scalar $db->selectrow_array('SELECT COUNT(*) FROM data_table WHERE carry_at IS NOT NULL') }
# Rows that a list reads beside entries that lie side by side.
sub lookups {
	my ($query) = @_;
	my $keys = sub { return ($db->selectrow_array("SHOW GLOBAL STATUS LIKE 'Handler\\_read\\_key'"))[1] };
	my $before = $keys->();
	my $r = as($ann, GET => "$base/carrying/rows?limit=50&$query");
	return $keys->() - $before;
}

both(PUT => '', { columns => \@columns });
$db->do('UPDATE data_table SET indexed = -1');
$db->do("UPDATE data_table SET carried = 0xFFFFFF WHERE name = 'plain'");
add(1000) for 1 .. 3;
listed(carrying => $_) for @queries;
is carried(), '0', 'a table of 3,000 rows carries nothing';
add(1000) for 1 .. 3;
my $many = lookups('score=gt.93&order=name');
is carried(), '4', 'a larger one carries a column that a list compares by';
alike('with entries that carry nothing yet');
is carried(), '30504', '... and those that others compare or sort by, three at most';
is left(), 1, 'which the runner is to fill in';
my $sql = "SELECT fields, shape_no, row_count, size_bytes, updated_at FROM data_table WHERE name = 'carrying'";
my $before = $db->selectall_arrayref($sql);
$stack->runner('--once');
is left(), 0, '... and has';
is_deeply $db->selectall_arrayref($sql), $before, 'the table is as it was';
is $db->selectrow_array("SELECT COUNT(*) FROM data_cell x JOIN data_table t ON t.no = x.table_no AND t.name = 'carrying'"
	. ' WHERE (slot <> 3 AND a0 IS NULL) OR (slot <> 4 AND a1 IS NULL) OR (slot <> 2 AND a2 IS NULL)'), 0,
	'each entry carries what it should';
alike('when they are filled in');
my $few = lookups('score=gt.93&order=name');
cmp_ok $many - $few, '>', 100, "a list reads fewer rows, $few instead of $many";

# ---- changes

add(1);
add(20);
my ($one, $two) = map { as($ann, GET => "$base/$_/rows?n=eq.4002")->{json}{rows}[0]{id} } qw(plain carrying);
for my $change ({ score => 125.5 }, { score => undef }, { n => 500, at => '2026-12-31T00:00:00Z', score => 99 },
	{ name => 'name 00001', owner => 'p3' }, { done => $false }, { n => 123456789012345678, score => '1e300' + 0, at => undef }) {
	for my $row ("plain/rows/$one", "carrying/rows/$two") {
		my $r = as($ann, PATCH => "$base/$row", $change);
		is $r->{status}, 200, "PATCH $row" or diag $r->{body};
	}
}
for my $table (qw(plain carrying)) {
	is as($ann, DELETE => "$base/$table/rows?n=lt.200")->{status}, 200, 'rows are deleted';
}
alike('after changes');
is +($stack->program('vitrinectl', {}, 'fsck'))[1], "clean\n", 'entries are right';

# ---- columns

both(PUT => '', { columns => [@columns, { name => 'more', type => 'number' }] });
push @queries, 'owner=eq.p3&order=-more', 'more=gt.2&order=name', 'more=is.null&order=name';
both(POST => '/rows', { rows => [map { { %{row(++$count)}, more => $_ } } 1 .. 20] });
alike('with a new column');
both(PUT => '', { columns => [(grep { $_->{name} ne 'score' } @columns), { name => 'more', type => 'number' }], drop => ['score'] });
is carried(), '305ff', "a dropped column's place isn't used again";
@queries = grep { !/score/ } @queries;
$stack->runner('--once');
both(PUT => '', { columns => [(grep { $_->{name} ne 'score' } @columns), map { { name => $_, type => 'number' } } qw(more late)] });
push @queries, 'owner=eq.p3&order=-late', 'late=gt.2&order=name';
both(POST => '/rows', { rows => [map { { n => ++$count, owner => 'p3', late => $_ } } 1 .. 5] });
alike('with another column in the slot of a dropped one');
is +($stack->program('vitrinectl', {}, 'fsck'))[1], "clean\n", 'and entries are right';

# ---- damage

$db->do("UPDATE data_cell SET a2 = 'x' WHERE slot = 0 AND table_no = (SELECT no FROM data_table WHERE name = 'carrying') LIMIT 1");
my (undef, $fsck) = $stack->program('vitrinectl', {}, 'fsck');
like $fsck, qr/the index of column name is wrong in 1 places/, 'fsck finds an entry that carries a wrong key';
$stack->program('vitrinectl', {}, 'reproject');
is +($stack->program('vitrinectl', {}, 'fsck'))[1], "clean\n", '... and mends it';
finish($stack);
