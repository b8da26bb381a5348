# SPDX-License-Identifier: Apache-2.0
# Conditions on rows: each operator against a model in Perl, and/or in JSON, orders of several columns, parameters that give way to columns,
# the same rows in lists, exports, deletions; which index leads; conditions under a rule.
use utf8;
use Encode 'encode_utf8';
use Vitrine::Words qw(as refused);

my ($stack, $api, $db) = stack(data_per_minute => 1_000_000);
my ($ann, $bob, $eve) = map { $stack->user("$_\@example.org") } qw(ann bob eve);
my $art = $api->publish($ann, slug => 'data', visibility => 'private',
	access_policy => { tables => { many => { read => 'row.who == viewer.email', write => 'row.who == viewer.email' } } });
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
	my $r = as($ann, POST => "$base/$name/rows", { rows => \@rows });
	is $r->{status}, 201, 'rows' or diag $r->{body};
}
sub escaped { return join '&', map { my ($n, $v) = @$_; "$n=" . encode_utf8($v) =~ s/([^\w.-])/sprintf '%%%02x', ord $1/ger } @_ }
sub query { return escaped(map { [/^([^=]+)=(.*)$/s] } @_) }
sub rows {
	my ($name, @q) = @_;
	my $r = as($ann, GET => "$base/$name/rows?" . query(@q));
	return $r->{status} == 200 ? $r->{json}{rows} : $r->{json}{error};
}
sub found { my $rows = rows(@_); return ref $rows ? join '', map { $_->{no} } @$rows : $rows }

# ---- operators

table('t', 'no:integer', 'a', 'n:integer', 'at:timestamp', 'b:boolean');
my @t = ({ a => 'Café au lait', n => 1, at => '2026-01-01T00:00:00Z' }, { a => 'CAFE', n => 5, b => $true }, { a => '50% off_x', n => 10 },
	{ a => '', n => -3 }, { n => undef }, { a => ('x' x 200) . ' Thé vert', n => 7 }, { a => 'a..b', n => 5 },
	{ a => 'a,b', b => $false });
add('t', map { { no => $_, %{$t[$_]} } } 0 .. $#t);
my %want = ('a=contains.cafe' => '01', 'a=contains.CAFÉ' => '01', 'a=contains.0% o' => '2', 'a=contains._' => '2', 'a=contains.!' => '',
	'a=contains.the vert' => '5', 'a=ncontains.cafe' => '234567', 'a=nin.CAFE,""' => '024567', 'a=nin.' => '01234567',
	'n=nin.5' => '023457',
	'n=between.1..7' => '0156', 'n=between.-3..1' => '03', 'a=between.A..D' => '01', 'a=between."a,b".."a..b"' => '67',
	'n=between.7..1' => '',
	'a=is.empty' => '34', 'a=is.notempty' => '012567', 'n=is.empty' => '47', 'n=is.notempty' => '012356', 'at=within.today' => '');
is found('t', $_), $want{$_}, $_ for sort keys %want;
my @now = gmtime;
my $day = sub { my @t = gmtime(time + 86400 * $_[0]); sprintf '%04d-%02d-%02dT12:00:00Z', $t[5] + 1900, $t[4] + 1, $t[3] };
table('days', 'no:integer', 'at:timestamp');
add('days', map { { no => $_ + 4, at => $day->($_) } } -4 .. 4);
is found('days', "at=within.$_->[0]"), $_->[1], "within $_->[0]"
	for ['today', 4], ['yesterday', 3], ['last_3_days', 234], ['next_2_days', 45], ['last_1_days', 4];
is found('days', 'at=within.today', 'zone=Mars/Base'), "zone: Mars/Base isn't a time zone; use a name such as Europe/Oslo or UTC", 'a zone';

# ---- and, or

sub where { return 'where=' . $json->encode($_[0]) }
is found('t', where({ or => [['a', 'eq', 'CAFE'], { and => [['n', 'gt', 5], ['n', 'lt', 10]] }] })), '15', 'or of and';
is found('t', 'n=gt.1', where({ or => [['a', 'eq', 'CAFE'], ['a', 'contains', 'thé']] })), '15', '... and a parameter beside it';
is found('t', where(['n', 'in', [1, 10]])), '02', 'one condition';
is found('t', where({ and => [['a', 'neq', 'CAFE'], { or => [['n', 'is', undef], ['b', 'is', 'notnull']] }] })), '47', 'and of or';
for ([{ or => [['a', 'eq', 'x'], ['a', 'has', 'y']] }, qr/^where\.or\[1\]: has isn't one of eq/],
	[{ or => [['zz', 'eq', 1]] }, qr/^where\.or\[0\]: the table t has no column zz/],
	[{ and => [{ or => [['n', 'eq', 'x']] }] }, qr/^where\.and\[0\]\.or\[0\]: x isn't a valid value/],
	[{ or => [] }, qr/^where\.or: must have from 1 to 50/],
	[{ or => [({ and => [['n', 'eq', 1]] }) x 51] }, qr/^where\.or: must have/], [[], qr/^where: must be a condition/],
	[{ or => [{ or => [{ or => [{ or => [{ or => [['n', 'eq', 1]] }] }] }] }] },
		qr/^where\.or\[0\]\.or\[0\]\.or\[0\]\.or\[0\]: is nested deeper than 4/]) {
	my $q = query(where($_->[0]));
	for my $r (as($ann, GET => "$base/t/rows?$q"), as($ann, GET => "$base/t/export?$q"), as($ann, DELETE => "$base/t/rows?$q")) {
		is "$r->{status} $r->{json}{code}", '400 INVALID_REQUEST', 'refused';
		like $r->{json}{error}, $_->[1], '... with its place';
	}
}

# ---- a long text in a column that was renamed twice

table('renamed', 'no:integer', 'a');
add('renamed', { no => 1, a => ('x' x 150) . ' één' });
for my $names (['a', 'b'], ['b', 'c']) {
	my $r = as($ann, PUT => "$base/renamed",
		{ columns => [map { { name => $_, type => $_ eq 'no' ? 'integer' : 'text' } } 'no', $names->[1]],
			renames => { $names->[0] => $names->[1] } });
	is $r->{status}, 200, "$names->[0] becomes $names->[1]" or diag $r->{body};
	add('renamed', { no => $names->[1] eq 'b' ? 2 : 3, $names->[1] => ('y' x 150) . ' EEN' });
}
is found('renamed', 'c=contains.een'), '123', 'is found by its names of then';
is found('renamed', 'c=ncontains.x'), '23', '... and left out';

# ---- orders

sub order { return found('t', "order=$_[0]") }
sub sorted {
	my ($order) = @_;
	return join '', map { $_->{no} } sort { $order->($a, $b) || $a->{no} <=> $b->{no} } map { { no => $_, %{$t[$_]} } } 0 .. $#t;
}
sub nulls { my ($x, $y) = @_; return defined $x <=> defined $y || ($x // 0) <=> ($y // 0) }
is order('n,a'), sorted(sub { nulls($_[0]{n}, $_[1]{n}) || ($_[0]{a} // '') cmp ($_[1]{a} // '') }), 'by two columns';
is order('-n,-no'), sorted(sub { nulls($_[1]{n}, $_[0]{n}) || $_[1]{no} <=> $_[0]{no} }), 'both down';
is order('-n,no'), sorted(sub { nulls($_[1]{n}, $_[0]{n}) }), '... and one';
is order('b,-id'), sorted(sub { nulls($_[0]{b}, $_[1]{b}) || $_[1]{no} <=> $_[0]{no} }), 'equal ones by id, down';
is order('b'), sorted(sub { nulls($_[0]{b}, $_[1]{b}) }), '... or up';
is order('-b,-n,-a'), sorted(sub { nulls($_[1]{b}, $_[0]{b}) || nulls($_[1]{n}, $_[0]{n}) || ($_[1]{a} // '') cmp ($_[0]{a} // '') }),
	'by three';
$db->do("UPDATE data_table SET row_count = row_count + 200000 WHERE name = 't'");
is order('n,a'), 'order: the table t has 200,008 rows, and an order of several columns sorts all rows of at most 200,000; '
	. 'order by one column, or add a condition that few rows match', 'a large table is not sorted by several';
is as($ann, GET => "$base/t/export?order=n,a")->{status}, 400, '... nor exported';
$db->do("UPDATE data_table SET row_count = row_count - 200000 WHERE name = 't'");
is order($_), 'order: must be id or a column of the table t, with - in front for descending order, or up to 3 of them with commas, '
	. "not \"$_\"; its columns are no, a, n, at and b",
	"no order: $_" for 'n,zz', 'n,n', 'id,n', 'n,a,no,at', ',';

# ---- a large table: pages, whatever leads

table('many', 'no:integer', 'g', 'n:integer', 'note', 'who');
my @many = map { { no => $_, g => 'g' . $_ % 5, n => $_ * 7919 % 1009, note => $_ % 97 ? "note $_" : "Tëa $_",
	who => $_ % 2 ? 'bob@example.org' : 'eve@example.org' } } 1 .. 4000;
add('many', @many[$_ * 1000 .. $_ * 1000 + 999]) for 0 .. 3;
sub walk {
	my ($who, $limit, @q) = @_;
	my ($path, @all) = ("$base/many/rows?limit=$limit&" . query(@q));
	while ($path) {
		my $r = as($who, GET => $path);
		push @all, map { $_->{no} } @{$r->{json}{rows}};
		$path = ($r->{headers}{link} // '') =~ /<([^>]+)>; rel="next"/ ? $1 : undef;
		last if @all > 5000;
	}
	return join ',', @all;
}
my @cases = (
	[sub { $_[0]{g} eq 'g1' || $_[0]{n} < 30 }, undef, where({ or => [['g', 'eq', 'g1'], ['n', 'lt', 30]] })],
	[sub { $_[0]{n} == 5 || $_[0]{n} == 9 || $_[0]{n} > 1005 },
		undef, where({ or => [['n', 'eq', 5], ['n', 'eq', 9], ['n', 'gt', 1005]] })],
	[sub { $_[0]{note} =~ /T/ }, undef, 'note=contains.tea'],
	[sub { $_[0]{note} =~ /T/ && $_[0]{g} eq 'g2' }, undef, 'note=contains.TEA', 'g=eq.g2'],
	[sub { $_[0]{n} >= 100 && $_[0]{n} <= 120 }, undef, 'n=between.100..120'],
	[sub { $_[0]{g} !~ /[12]/ && $_[0]{n} < 100 }, undef, 'g=nin.g1,g2', 'n=lt.100'],
	[sub { $_[0]{n} < 300 }, sub { $_[0]{g} cmp $_[1]{g} || $_[1]{n} <=> $_[0]{n} }, 'order=g,-n', 'n=lt.300'],
	[sub { 1 }, sub { $_[1]{g} cmp $_[0]{g} || $_[0]{n} <=> $_[1]{n} }, 'order=-g,n,-id'],
	[sub { $_[0]{n} == 7 }, sub { $_[0]{g} cmp $_[1]{g} }, 'n=eq.7', 'order=g,who'],
	[sub { $_[0]{g} eq 'g3' }, sub { $_[0]{n} <=> $_[1]{n} }, where({ or => [['g', 'eq', 'g3'], ['g', 'eq', 'g9']] }), 'order=n'],
);
sub all_alike {
	my ($when) = @_;
	for my $case (@cases) {
		my ($keep, $order, @q) = @$case;
		my @want = map { $_->{no} } sort { ($order ? $order->($a, $b) : 0)
			|| ($order && "@q" =~ /-id|order=-/ && $b->{no} <=> $a->{no}) || $a->{no} <=> $b->{no} } grep { $keep->($_) } @many;
		is walk($ann, $_, @q), join(',', @want), "$when: @q, $_ at a time" for 500, 77;
	}
}
all_alike('without an index');
$db->do('UPDATE data_table SET indexed = -1 WHERE name = "many"');
$db->do('DELETE FROM data_cell WHERE table_no = (SELECT no FROM data_table WHERE name = "many")');
for my $slot (0 .. 4) {
	$db->do("INSERT INTO data_cell (table_no, slot, k, row_id) SELECT r.table_no, $slot, COALESCE(r.c$slot, ''), r.id FROM data_row r "
		. "JOIN data_table t ON t.no = r.table_no WHERE t.name = 'many'");
}
all_alike('with all');

# ---- under a rule; deletions and exports by the same conditions

as($ann, POST => "/v1/artifacts/$art/collaborators", { emails => ["$_\@example.org"], role => 'editor' }) for qw(bob eve);
my $or = where({ or => [['g', 'eq', 'g1'], ['n', 'lt', 30]] });
is walk($bob, 400, $or), join(',', map { $_->{no} } grep { $_->{no} % 2 && ($_->{g} eq 'g1' || $_->{n} < 30) } @many),
	'an or opens no row that the rule hides';
is scalar(() = as($bob, GET => "$base/many/export?format=ndjson&" . query($or))->{body} =~ /\n/g),
	scalar(grep { $_->{no} % 2 && ($_->{g} eq 'g1' || $_->{n} < 30) } @many), 'an export has the same rows';
is as($bob, DELETE => "$base/many/rows?" . query($or, 'n=lt.100'))->{json}{deleted},
	scalar(grep { $_->{no} % 2 && $_->{n} < 100 && ($_->{g} eq 'g1' || $_->{n} < 30) } @many), 'a deletion, too';
is as($eve, GET => "$base/many/rows?" . query(where({ or => [['who', 'eq', 'bob@example.org'], ['who', 'is', 'null']] })))->{json}{rows}[0],
	undef, 'nobody finds the rows of others';
my $stranger = $stack->user('mallory@example.org');
is as($stranger, GET => "$base/many/rows?" . query($or))->{status}, 404, 'a stranger finds no table';

# ---- parameters give way to columns

table('odd', 'no:integer', 'where', 'zone');
add('odd', { no => 1, where => 'x', zone => 'UTC' }, { no => 2, where => 'y', zone => 'CET' });
is found('odd', 'where=eq.x'), '1', 'a column named where is a condition';
is found('odd', 'zone=eq.CET', 'where=neq.x'), '2', '... and zone';
is found('odd', '$where=["no","eq",2]'), '2', '$where is the parameter';
is found('odd', '$where=["no","eq",2]', 'where=eq.x'), '', '... beside the column';
is found('odd', '$wher=["no","eq",2]'), '$wher: there is no such parameter', 'an unknown one';
is found('t', '$where=["no","eq",2]'), '2', 'a $ may always be there';
is as($ann, DELETE => "$base/odd/rows?" . query('where=eq.y'))->{json}{deleted}, 1, 'so it is in a deletion';
is as($ann, DELETE => "$base/odd/rows?" . query('$all=1'))->{json}{deleted}, 1, '... of all rows';
finish($stack);
