# SPDX-License-Identifier: Apache-2.0
# A page of rows costs by what is asked, not by how many rows the table has: MariaDB's own log says how many rows each statement read, in a
# table of 20,000 with five columns.
use Vitrine::Words;

use constant ROWS => 20_000;
my ($stack, $api) = stack(data_per_minute => 1000000);
my ($ann, $ben, $cat, $dan) = map { $stack->user("$_\@example.org") } qw(ann ben cat dan);
my $art = $api->publish($ann, slug => 'data', visibility => 'unlisted');
my $base = "/v1/data/$art/tables/t";
my $db = $stack->db;
my @columns = map { my ($n, $t) = split /:/; { name => $n, type => $t } } qw(name:text owner:text n:integer score:number open:boolean);
sub row {
	my ($n) = @_;
	return { name => sprintf('name %06d', $n * 7919 % 1000003), owner => 'p' . $n % 97 . '@example.org', n => $n,
		score => $n * 31 % 10007 / 8, open => $n % 2 ? Cpanel::JSON::XS::true : Cpanel::JSON::XS::false };
}
$api->call(PUT => $base, { token => $ann->{token}, json => { columns => \@columns } })->{status} == 201 or die;
$db->do('UPDATE data_table SET indexed = -1');
for (my $at = 0; $at < ROWS; $at += 1000) {
	$api->call(POST => "$base/rows", { token => $ann->{token}, json => { rows => [map { row($at + $_) } 1 .. 1000] } })->{status} == 201
		or die;
}
$db->do("ANALYZE TABLE $_") for qw(data_row data_cell data_table);

my $log = "$stack->{dir}/slow.log";
$db->do($_) for "SET GLOBAL slow_query_log_file = '$log'", "SET GLOBAL log_output = 'FILE'", 'SET GLOBAL long_query_time = 0',
	"SET GLOBAL log_slow_filter = ''", 'SET GLOBAL log_slow_rate_limit = 1', 'SET GLOBAL slow_query_log = 1';
$stack->stop_one('worker');
$stack->start_worker;
my $read = 0;
sub examined {
	open my $in, '<:raw', $log or return -1;
	seek $in, $read, 0;
	my $text = do { local $/; <$in> } // '';
	$read += length $text;
	my $most = 0;
	# A worker that connects reads all migrations.
	for (grep { !/FROM schema_migration/ } split /(?=^# User\@Host: )/m, $text) {
		$most = $1 if /^# User\@Host: vitrine\[/ && /Rows_examined: (\d+)/ && $1 > $most;
	}
	return $most;
}
# What is asked, and how many rows a statement of it may read. A condition with at most 1,000 rows is read as a whole and sorted; to find
# that it has more takes 1,001 entries, which MariaDB counts twice.
my @asked = (['', 51, $ann], ['order=-id', 51, $ann], ['order=name', 102, $ann], ['order=-score', 102, $ann], ['order=open', 102, $ann],
	['n=eq.500', 2, $ann], ['owner=eq.p7@example.org', 102, $ann], ['owner=eq.p7@example.org&order=-score', 4 * 210, $ann],
	['open=eq.true', 102, $ann], ['open=eq.true&order=name', 2002, $ann], ['n=gt.19500&order=name', 4 * 510, $ann],
	['n=gt.100&order=n', 102, $ann], ['n=gte.9000&n=lt.9100&order=name', 4 * 101, $ann], ['n=lte.9000&n=gt.9000&order=name', 1, $ann],
	['name=prefix.name%2001', 3 * 220, $ann], ['open=eq.true&owner=eq.p8@example.org&order=name', 3 * 1001, $ann],
	['name=is.null&order=score', 1, $ann], ['order=score', 4 * 210, $ben], ['', 102, $ben]);
my $policy = encode_json({ tables => { t => { read => 'viewer.role == "editor" or row.owner == "p5@example.org" or (viewer.email == '
	. '"cat@example.org" and row.open) or (viewer.email == "dan@example.org" and row.n > 19990)' } } });
$db->do('UPDATE artifact SET access_policy = ? WHERE id = ?', undef, $policy, $art);
for (@asked) {
	my ($query, $most, $who) = @$_;
	my $path = "$base/rows?limit=50&$query";
	# The fourth page, where there are so many; the statement of the first is prepared by then.
	for my $part (1 .. 4) {
		examined();
		my $r = $api->call(GET => $path, { token => $who->{token} });
		die $r->{body} if $r->{status} != 200;
		my $got = examined();
		cmp_ok $got, '<=', $most + 10, ($who == $ben ? 'by a rule, ' : '') . "'$query', part $part: $got rows read";
		my $cursor = $r->{json}{next_cursor} or last;
		$path = "$base/rows?limit=50&$query&cursor=$cursor";
	}
}
# What conditions leave can be rare where each alone is not: then 3,000 entries and their rows or some more are read, and the next list goes
# on from there. Each row that fits comes once, and the last part says that it is.
my $few = 'score=lt.100&name=prefix.name%200&owner=lt.p2';
my $is_few = sub { $_[0]{score} < 100 && $_[0]{name} =~ /^name 0/ && $_[0]{owner} lt 'p2' };
for ([$few, $ann, $is_few], ["$few&order=name", $ann, $is_few], ["$few&order=-n", $ann, $is_few], ["open=eq.true&$few", $ann,
	sub { $_[0]{open} && $is_few->(@_) }], ['open=eq.true&n=neq.5&score=neq.7&owner=prefix.q&order=-name', $ann, sub { 0 }],
	['score=lt.100&order=name', $ben, sub { $_[0]{owner} eq 'p5@example.org' && $_[0]{score} < 100 }],
	['n=neq.1&order=open', $ben, sub { $_[0]{owner} eq 'p5@example.org' }], [$few, $cat, sub { $_[0]{open} && $is_few->(@_) }],
	['owner=neq.p5@example.org&order=n', $dan, sub { $_[0]{n} > 19990 && $_[0]{owner} ne 'p5@example.org' }]) {
	my ($query, $who, $fits) = @$_;
	my ($cursor, $most, $parts, @got) = ('', 0, 0);
	while (defined $cursor && $parts++ < 40) {
		examined();
		my $r = $api->call(GET => "$base/rows?limit=50&$query" . ($cursor && "&cursor=$cursor"), { token => $who->{token} });
		my $read = examined();
		die $r->{body} if $r->{status} != 200;
		$most = $read if $read > $most;
		push @got, map { $_->{n} } @{$r->{json}{rows}};
		$cursor = $r->{json}{next_cursor};
	}
	is join(' ', sort { $a <=> $b } @got), join(' ', grep { $fits->(row($_)) } 1 .. ROWS),
		"'$query': the rows that fit, in $parts parts";
	cmp_ok $most, '<=', 10_100, "... none of which reads more than it may: $most rows";
}
# A part may end with a row that its reader can't see, whose key is not for them.
my ($cursor) = map { $_->{json}{next_cursor} } $api->call(GET => "$base/rows?owner=neq.p5\@example.org&order=n&limit=50",
	{ token => $dan->{token} });
like $cursor, qr/^s[0-9a-f]+$/, 'the cursor is sealed';
is $api->call(GET => "$base/rows?owner=neq.p5\@example.org&order=n&cursor=" . ($cursor =~ s/7/8/r), { token => $dan->{token} })->{status},
	400, '... and no other is taken';
is $api->call(GET => "$base/rows?order=-n&cursor=$cursor", { token => $dan->{token} })->{status}, 400, '... for another order, neither';
# Of a compound statement the log has the sum: a delete finds the row and its entry in each of the five columns by the row's id, and the row
# once more for its record.
for (['a row is changed', PATCH => '', { score => 1 }], ['a row is deleted', DELETE => '']) {
	my ($id) = map { $_->{id} } @{$api->call(GET => "$base/rows?limit=1&order=-id", { token => $ann->{token} })->{json}{rows}};
	examined();
	my $r = $api->call($_->[1], "$base/rows/$id", { token => $ann->{token}, ($_->[3] ? (json => $_->[3]) : ()) });
	is $r->{status}, 200, $_->[0];
	cmp_ok examined(), '<=', 3 * 6 + 10, '... by its index';
}
examined();
is $api->call(POST => "$base/rows", { token => $ann->{token}, json => { rows => [row(1)] } })->{status}, 201, 'a row is added';
cmp_ok examined(), '<=', 30, '... by its index';
examined();
is $api->call(DELETE => "$base/rows?owner=eq.p9\@example.org", { token => $ann->{token} })->{json}{deleted}, 207, 'many are deleted';
cmp_ok examined(), '<=', 210 * (3 * 6 + 1), '... by theirs';
finish($stack);
