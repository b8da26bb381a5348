# SPDX-License-Identifier: Apache-2.0
# Summaries: each measure against a model in Perl, groups by value, by time in zones whose clocks change, and by bins; exact sums; who sees
# what, and what is kept for whom; more groups than fit.
use utf8;
use Vitrine::Words qw(as);

my ($stack, $api, $db) = stack(data_per_minute => 1_000_000);
my ($ann, $bob, $eve, $mallory) = map { $stack->user("$_\@example.org") } qw(ann bob eve mallory);
my $art = $api->publish($ann, slug => 'data', visibility => 'private',
	access_policy => { tables => { own => { read => 'row.who == viewer.email', write => 'true' } } });
as($ann, POST => "/v1/artifacts/$art/collaborators", { emails => ["$_\@example.org"], role => 'editor' }) for qw(bob eve);
my $base = "/v1/data/$art/tables";
my $json = Cpanel::JSON::XS->new->canonical;

sub table {
	my ($name, @cols) = @_;
	my $r = as($ann, PUT => "$base/$name",
		{ columns => [map { my ($n, $t) = split /:/; { name => $n, type => $t // 'text' } } @cols] });
	is $r->{status}, 201, "the table $name" or diag $r->{body};
}
sub add {
	my ($name, @rows) = @_;
	while (my @some = splice @rows, 0, 1000) {
		my $r = as($ann, POST => "$base/$name/rows", { rows => \@some });
		is $r->{status}, 201, 'rows' or diag $r->{body};
	}
}
sub summary { my ($name, $q, $who) = @_; return as($who // $ann, GET => "$base/$name/summary?$q") }
# "key/key:value value …"
sub groups {
	my ($name, $q, $who) = @_;
	my $r = summary($name, $q, $who);
	return $r->{json}{error} if $r->{status} != 200;
	my $text = sub { my ($v) = @_; return !defined $v ? 'null' : ref $v eq 'HASH' ? "$v->{from}..$v->{to}" : "$v" };
	return join ' ', map { join('/', map { $text->($_) } @{$_->{key}}) . ':' . join ',', map { $text->($_) } @{$_->{values}} }
		@{$r->{json}{groups}};
}

# ---- measures

table('t', 'city', 'n:integer', 'x:number', 'at:timestamp', 'ok:boolean', 'j:json', 'd:date');
add('t', { city => 'Oslo', n => 3, x => 0.1, at => '2026-01-31T23:30:00Z', ok => $true, d => '2026-01-31' },
	{ city => 'Oslo', n => 5, x => 0.2, at => '2026-02-01T00:30:00Z', d => '2026-03-01' },
	{ city => 'Bergen', n => -4, x => 1e-3, ok => $false },
	{ city => 'Bergen' }, { n => 7, x => 100 }, { city => 'Oslo', n => 3, at => '2026-04-01T12:00:00.5Z' });
is groups('t', ''), ':6', 'the number of rows';
is groups('t', 'measure=sum.n,avg.n,min.n,max.n,median.n,distinct.n,empty.n,count'), ':14,2.8,-4,7,3,4,1,6', 'all of a number';
is groups('t', 'measure=sum.x,avg.x'), ':100.301,25.07525', 'decimals are exact';
is groups('t', 'measure=min.at,max.at,min.city,max.d,distinct.ok'),
	':2026-01-31T23:30:00Z,2026-04-01T12:00:00.500000000Z,Bergen,2026-03-01,2',
	'the first and last';
is groups('t', 'group=city&measure=count,sum.n,median.n'), 'null:1,7,7 Bergen:2,-4,-4 Oslo:3,11,3', 'by a text';
is groups('t', 'group=ok&measure=count'), 'null:4 0:1 1:1', 'by a boolean';
is groups('t', 'group=n'), 'null:1 -4:1 3:2 5:1 7:1', 'by a number';
is groups('t', 'group=city&split=n'), 'null/7:1 Bergen/null:1 Bergen/-4:1 Oslo/3:2 Oslo/5:1', 'by two';
is groups('t', 'group=city&n=gt.3&measure=sum.n'), 'null:7 Oslo:5', 'of rows that match';
is groups('t', 'group=city&where=["city","is","empty"]'), 'null:1', '... by JSON';
is groups('t', 'n=gt.1000&measure=sum.n,avg.n,count'), ':0,null,0', 'of no rows';
is groups('t', 'group=at&by=month'), 'null:3 2026-01-01:1 2026-02-01:1 2026-03-01:0 2026-04-01:1',
	'by month, and a month between without rows';
is groups('t', 'group=at&by=month&zone=Europe/Berlin&at=is.notnull'), '2026-02-01:2 2026-03-01:0 2026-04-01:1', '... in Berlin';
is groups('t', 'group=d&by=quarter&measure=count&zone=Asia/Tokyo'), 'null:4 2026-01-01:2', 'a date has no zone';
is groups('t', 'group=n&bins=2&measure=count,sum.x&n=is.notnull'), '-4..1.5:1,0.001 1.5..7:4,100.3', 'in bins';
is groups('t', 'group=city&limit=1'), 'Oslo:3', 'the group with the most rows';
my $asked_at = time;
my $oslo = summary('t', 'group=city&limit=1')->{json};
is_deeply $oslo, { success => $true, groups => [{ key => ['Oslo'], values => [3] }], rows => 6, groups_total => 3, truncated => $true,
	change_no => summary('t', '')->{json}{change_no}, as_of => $oslo->{as_of} }, 'with exactly these members';
ok $oslo->{as_of} >= $asked_at - 1 && $oslo->{as_of} <= time + 1, '... and as_of is the time of the answer' or diag $oslo->{as_of};
for (['group=zz', qr/^group: the table t has no column zz; its columns are city, n/], ['group=j', qr/^group: j is of type json/],
	['by=month', qr/^by: requires a group of type timestamp or date/],
	['group=at&by=minute', qr/^by: must be one of hour, day.*, not "minute"/],
	['group=city&by=day', qr/^by: requires/], ['group=d&by=hour', qr/^by: requires a group of type timestamp$/],
	['group=city&bins=3', qr/^bins: requires a group of type number/],
	['group=n&bins=101', qr/^bins: must be from 1 to 100, not "101"/],
	['split=city', qr/^split: requires group/], ['measure=sum.city', qr/^measure: sum\.city: city is of type text/],
	['measure=sum', qr/^measure: sum isn't count/], ['measure=count.n', qr/^measure: count\.n isn't/],
	['measure=mode.n', qr/^measure: mode\.n/],
	['measure=' . join(',', ('count') x 9), qr/^measure: more than 8/], ['measure=max.j', qr/^measure: j is of type json/],
	['n=eq.x', qr/^n: x isn't/], ['where={"or":[["zz","eq",1]]}', qr/^where\.or\[0\]/], ['zone=Mars', qr/^zone: Mars/],
	['limit=1001', qr/limit/], ['$grup=city', qr/^\$grup: there is no such parameter/]) {
	my $r = summary('t', $_->[0]);
	is "$r->{status} $r->{json}{code}", '400 INVALID_REQUEST', "refused: $_->[0]" or diag $r->{body};
	like $r->{json}{error}, $_->[1], '... with its place';
}
is summary('none', '')->{json}{code}, 'NOT_FOUND', 'no table';
is summary('t', '', $mallory)->{json}{code}, 'NOT_FOUND', 'a stranger finds none';
table('odd', 'group', 'measure');
add('odd', { group => 'a', measure => 'x' }, { group => 'b' });
is groups('odd', 'group=eq.a'), ':1', 'a column named group is a condition';
is groups('odd', '$group=group&$measure=empty.measure'), 'a:0 b:1', '$group is the parameter';

# ---- a day on which clocks change; exact sums; kept answers

table('clock', 'at:timestamp', 'x:number');
add('clock', map { { at => sprintf('2026-10-24T%02d:10:00Z', $_), x => 0.1 } } 22, 23);
add('clock', map { { at => sprintf('2026-10-25T%02d:10:00Z', $_), x => 0.1 } } 0 .. 22);
my $hours = summary('clock', 'group=at&by=hour&zone=Europe/Berlin&measure=sum.x')->{json};
is scalar(@{$hours->{groups}}), 25, 'the day on which clocks go back has 25 hours';
is_deeply [map { $_->{key}[0] } @{$hours->{groups}}[2, 3]], ['2026-10-25T02:00:00+02:00', '2026-10-25T02:00:00+01:00'],
	'... two of them alike';
my $table_no = sub { $db->selectrow_array('SELECT no FROM data_table WHERE name = ?', undef, $_[0]) };
my $grow = sub {
	my ($name, $times) = @_;
	my $no = $table_no->($name);
	$db->do("INSERT INTO data_row (table_no, id, shape_no, doc, c0, c1) "
		. "SELECT r.table_no, UNHEX(MD5(CONCAT(HEX(r.id), $times, '-', s.seq))), r.shape_no, r.doc, r.c0, r.c1 "
			. "FROM data_row r JOIN seq_1_to_$times s WHERE r.table_no = $no");
	$db->do("UPDATE data_table t SET row_count = (SELECT COUNT(*) FROM data_row r WHERE r.table_no = t.no), change_no = change_no + 1 "
		. "WHERE no = $no");
};
$grow->('clock', 159);
summary('clock', "measure=count&x=gt.0.$_") for 10 .. 120;
is $db->selectrow_array('SELECT COUNT(*) FROM data_summary WHERE table_no = ?', undef, $table_no->('clock')), 100, 'a hundred are kept';
$db->do('DELETE FROM data_summary');
$grow->('clock', 24);
is $db->selectrow_array("SELECT row_count FROM data_table WHERE name = 'clock'"), 100_000, '100,000 rows';
like summary('clock', 'measure=sum.x')->{body}, qr/"values":\[10000\]/, 'a tenth 100,000 times';
is $db->selectrow_array('SELECT COUNT(*) FROM data_summary WHERE table_no = ?', undef, $table_no->('clock')), 1, 'the answer is kept';
$db->do("UPDATE data_summary SET body = '[]'");
is groups('clock', 'measure=sum.x'), '', '... and used';
is groups('clock', 'measure=sum.x,count'), ':10000,100000', '... for the same question only';
add('clock', { x => 0.5 });
is groups('clock', 'measure=sum.x'), ':10000.5', 'until a row is added';
is $db->selectrow_array('SELECT COUNT(*) FROM data_summary WHERE table_no = ?', undef, $table_no->('clock')), 1,
	'... which deletes those before';
is groups('clock', 'measure=count&at=within.today'), ':0', 'within';

# ---- two viewers under a rule

table('own', 'who', 'n:integer');
add('own', map { my $who = $_; map { { who => "$who\@example.org", n => $_ } } 1 .. ($who eq 'bob' ? 1200 : 1300) } qw(bob eve));
is groups('own', 'group=who&measure=count,sum.n', $bob), 'bob@example.org:1200,720600', 'bob sees his rows';
is groups('own', 'group=who&measure=count,sum.n', $eve), 'eve@example.org:1300,845650', 'eve hers';
is groups('own', 'group=who&measure=count,sum.n', $bob), 'bob@example.org:1200,720600', 'neither the answer of the other';
is groups('own', 'measure=count', $ann), ':2500', 'the owner sees all';
is summary('own', '', $bob)->{json}{change_no}, undef, 'who sees some rows is not told how often others change';
is groups('own', 'group=who&where={"or":[["who","neq","x"],["n","gt",0]]}', $bob), 'bob@example.org:1200', 'an or opens nothing';

# ---- more groups than fit

table('wide', 'k', 'n:integer');
add('wide', map { { k => "key $_", n => $_ } } 1 .. 1000);
add('wide', map { { k => "key $_", n => 1 } } 1 .. 9);
my $wide = $table_no->('wide');
$db->do("INSERT INTO data_row (table_no, id, shape_no, doc, c0, c1) "
	. "SELECT r.table_no, UNHEX(MD5(CONCAT(HEX(r.id), s.seq))), r.shape_no, r.doc, CONCAT(r.c0, '-', s.seq), r.c1 "
		. "FROM data_row r JOIN seq_1_to_299 s WHERE r.table_no = $wide");
$db->do("UPDATE data_table t SET row_count = (SELECT COUNT(*) FROM data_row r WHERE r.table_no = t.no), change_no = change_no + 1 "
	. "WHERE no = $wide");
my $many = summary('wide', 'group=k&measure=sum.n,distinct.n,median.n,count&limit=5')->{json};
is $many->{groups_total}, 300_000, '300,000 groups';
is $many->{truncated}, $true, '... of which five are shown';
is_deeply [map { $_->{values}[3] } @{$many->{groups}}], [(2) x 5], '... with the most rows';
is $many->{rows}, 302_700, 'all rows are counted';
finish($stack);
