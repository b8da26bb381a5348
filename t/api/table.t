# SPDX-License-Identifier: Apache-2.0
# Tables that users design: making them, changing their columns, limits, and who may.
use Vitrine::Words 'as';

my ($stack, $api) = stack();
my ($ann, $ben, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben eve);
my $art = $api->publish($ann, slug => 'data', visibility => 'private');
my $base = "/v1/data/$art/tables";

sub put {
	my ($name, @rest) = @_;
	my %body = @rest > 1 ? @rest : (columns => $rest[0]);
	return as($ann, PUT => "$base/$name", json => \%body);
}
sub cols { return [map { my ($n, $t) = split /:/; { name => $n, type => $t // 'text' } } @_] }
sub refused {
	my ($r, $want, $like, $name) = @_;
	is "$r->{status} $r->{json}{code}", $want, $name or diag $r->{body};
	like $r->{json}{error}, $like, '... and why';
}
sub names { return join ' ', map { $_->{name} } @{as($ann, GET => $base)->{json}{tables}} }

# ---- making one

my $r = as($ann, GET => $base);
is_deeply [$r->{status}, $r->{json}], [200, { success => $true, tables => [], next_cursor => undef }], 'no table yet';
$r = put('guests', cols('name', 'age:integer', 'score:number', 'here:boolean', 'at:timestamp', 'extra:json'));
is $r->{status}, 201, 'a table' or diag $r->{body};
my %t = %{$r->{json}{table}};
is_deeply $t{columns}, cols('name:text', 'age:integer', 'score:number', 'here:boolean', 'at:timestamp', 'extra:json'),
	'its columns, in their order';
is "$t{row_count} $t{size_bytes}", '0 0', 'empty';
is_deeply as($ann, GET => "$base/guests")->{json}{table}, \%t, 'it is read as it was answered';
is_deeply as($ann, GET => $base)->{json}{tables}, [\%t], '... and listed';
like $r->{headers}{'ratelimit-policy'}, qr/q=1000;w=60/, 'a thousand a minute';

# ---- what is none

refused(put($_, cols('a')), '404 NOT_FOUND', qr/no such address/, "no table is called $_")
	for '1a', 'a.b', '-a', 'a' x 65, 'a%20b', "\xc3\xa9" =~ s/(.)/sprintf '%%%02x', ord $1/ger;
is put($_, cols('a'))->{status}, 201, "but $_ may be one" for 'a' x 64, '_x', 'A-1_b';
for (['a b', qr/columns\[0\]\.name: must contain only letters/], ['1', qr/columns\[0\]\.name: must contain only letters/],
	['', qr/columns\[0\]\.name/], ['a' x 65, qr/columns\[0\]\.name/], ['id', qr/id is reserved/], ['order', qr/order is reserved/],
	['limit', qr/limit is reserved/], ['cursor', qr/cursor is reserved/], ['a;b', qr/letters/], ["\x{e9}", qr/letters/]) {
	refused(put('no', cols($_->[0])), '400 INVALID_REQUEST', $_->[1], "no column is called '$_->[0]'");
}
refused(put('no', cols('a', 'b', 'a')), '400 INVALID_REQUEST', qr/columns\[2\]\.name: a is already the name of columns\[0\]/,
	'nor are two called alike');
my $paths = $api->call(GET => '/v1/openapi.json')->{json}{paths};
my %parameter = map { $_->{name} => 1 } grep { $_->{in} eq 'query' } map { @{$_->{parameters} // []} } grep { $_ }
	map { @$_{qw(get delete)} } @$paths{map { "/v1/data/{artifact_id}/tables/{table}/$_" } qw(rows export)};
is join(' ', grep { !$parameter{$_} } qw(all cursor format limit order)), '', 'what requests for rows take';
refused(put('no', cols($_)), '400 INVALID_REQUEST', qr/\b$_ is reserved/, "... no column is called $_") for qw(all cursor format limit order);
is put('wide', cols(map { "c$_" } 0 .. 63))->{status}, 201, '64 are not';
is names(), 'A-1_b _x ' . 'a' x 64 . ' guests wide', 'what was refused is not there';
as($ann, DELETE => "$base/$_") for '_x', 'A-1_b', 'a' x 64;

# ---- with rows

$r = put('first', columns => cols('a', 'n:integer'), rows => [map { { a => "r$_", n => $_ } } 1 .. 3]);
is "$r->{status} $r->{json}{table}{row_count}", '201 3', 'a table with its first rows';
$r = put('broken', columns => cols('a', 'n:integer'), rows => [{ a => 'x' }, { n => 'x' }]);
refused($r, '400 INVALID_REQUEST', qr/^rows\[1\]\.n: must be a 64-bit whole number/, 'a bad row');
unlike names(), qr/broken/, '... leaves no table';
refused(put('first', columns => cols('a', 'n:integer'), rows => [{ a => 'x' }]), '409 CONFLICT', qr/POST/,
	'rows of a table that is there are added otherwise');

# ---- other columns

$r = put('first', cols('n:integer', 'a', 'more:boolean'));
is $r->{status}, 200, 'another column, and another order';
sub rows { my ($table, $query) = @_; return as($ann, GET => "$base/$table/rows" . ($query // ''))->{json}{rows} }
is_deeply [map { { %$_, id => 0 } } @{rows('first')}], [map { { id => 0, n => $_, a => "r$_", more => undef } } 1 .. 3],
	'rows that were there have null';
is scalar @{rows('first', '?order=more')}, 3, '... and are listed by the new column';
is scalar @{rows('first', '?more=is.null')}, 3, '... and found by it';
refused(put('first', cols('n:text', 'a', 'more:boolean')), '409 CONFLICT',
	qr/columns\[0\]\.type: n is integer and has 3 rows; to change the type, use POST .*/, 'a type stays');
refused(put('first', cols('n:integer', 'more:boolean')), '409 CONFLICT', qr/a is missing.*add it to drop/,
	'a column is not lost by leaving it out');
refused(put('first', columns => cols('n:integer', 'more:boolean'), drop => ['b']), '400 INVALID_REQUEST', qr/drop\[0\]/,
	'what is dropped must be there');
refused(put('first', columns => cols('n:integer', 'a', 'more:boolean'), drop => ['a']), '400 INVALID_REQUEST',
	qr/drop\[0\]: a is also in columns/, '... and not be wanted');
is put('first', columns => cols('n:integer', 'more:boolean'), drop => ['a'])->{status}, 200, 'it is dropped when it is named';
is_deeply [map { join ',', sort keys %$_ } @{rows('first')}], [('id,more,n') x 3], '... at once';
is put('first', cols('n:integer', 'more:boolean', 'a'))->{status}, 200, 'a column of the same name comes';
is_deeply [map { $_->{a} } @{rows('first')}], [undef, undef, undef], '... without the old values';
is put('first', cols('n:integer', 'more:boolean', 'a'))->{status}, 200, 'the same again';
refused(as($ann, GET => "$base/first/rows?order=-b"), '400 INVALID_REQUEST', qr/^order: .*n, more and a/,
	'a list names the columns it has');
is_deeply [$stack->db->selectrow_array('SELECT dropped, JSON_LENGTH(kept), sweep_at > 0 FROM data_table WHERE name = "first"')], [0, 1, 1],
	'a dropped column of rows can come back';
$stack->db->do('DELETE FROM data_deleted');
$stack->db->do('UPDATE data_table SET sweep_at = 1 WHERE name = "first"');
$stack->db->do('INSERT INTO data_cell (table_no, slot, k, row_id) SELECT r.table_no, s.seq, "", r.id FROM data_row r JOIN seq_0_to_1 s '
	. 'WHERE r.table_no = (SELECT no FROM data_table WHERE name = "first")');
$stack->runner;
is_deeply [$stack->db->selectrow_array('SELECT dropped, kept, sweep_at FROM data_table WHERE name = "first"')], [0, undef, undef],
	'then it is swept';
is $stack->db->selectrow_array('SELECT COUNT(*) FROM data_cell c JOIN data_table t ON t.no = c.table_no WHERE t.name = "first"'), 0,
	'... with entries of no index';
put('empty', cols('a'));
is put('empty', cols('a:integer', 'b'))->{status}, 200, 'where no row is, types change freely';
is put('empty', cols('b'))->{status}, 200, '... and columns go';

# ---- a column of before its name was reserved

$stack->db->do('INSERT INTO data_table (artifact_id, name, fields, created_at, updated_at) '
	. 'VALUES (?, "old", \'[["all","boolean",0,1],["n","integer",1,1]]\', 1, 1)', undef, $art);
as($ann, POST => "$base/old/rows", json => { rows => [{ all => $true, n => 1 }, { all => Cpanel::JSON::XS::false, n => 2 }, { n => 3 }] });
sub left { return join ' ', map { $_->{n} } @{rows('old')} }
refused(as($ann, DELETE => "$base/old/rows?all=$_"), '400 INVALID_REQUEST', qr/^all: must start with one of eq\./,
	"all=$_ is a condition there, and none that is complete") for qw(true 1);
is left(), '1 2 3', '... so nothing is deleted';
is as($ann, DELETE => "$base/old/rows?all=eq.true")->{json}{deleted}, 1, 'rows are found by it';
is left(), '2 3', '... and no other';
is_deeply [map { $_->{n} } @{rows('old', '?all=is.null')}], [3], '... in lists, too';
is put('old', cols('all:boolean', 'n:integer', 'more'))->{status}, 200, 'the table gets another column';
refused(put('first', cols('n:integer', 'more:boolean', 'a', 'all')), '400 INVALID_REQUEST', qr/columns\[3\]\.name: all is reserved/,
	'... which in others is not called so');
refused(as($ann, DELETE => "$base/first/rows?all=$_"), '400 INVALID_REQUEST', qr/^all: must be 1/, "all=$_ where there is no such column")
	for qw(eq.true yes);
as($ann, DELETE => "$base/old");

# ---- deleting

is as($ann, DELETE => "$base/first")->{status}, 200, 'a table goes';
refused(as($ann, $_->[0] => "$base/first$_->[1]"), '404 NOT_FOUND', qr/no table first/, "$_->[0] of what went")
	for [GET => ''], [GET => '/rows'], [DELETE => ''], [GET => '/export'];
refused(as($ann, POST => "$base/first/rows", json => { rows => [{ n => 1 }] }), '404 NOT_FOUND', qr/no table first/,
	'nothing is added to it');
is put('first', cols('n'))->{status}, 201, 'another of its name';
is_deeply rows('first'), [], '... is empty';
$stack->db->do('UPDATE data_table SET sweep_at = 1 WHERE artifact_id IS NULL');
$stack->runner;
is $stack->db->selectrow_array('SELECT COUNT(*) FROM data_row r LEFT JOIN data_table t ON t.no = r.table_no WHERE t.artifact_id IS NULL'),
	0, 'the old rows are swept';

# ---- how many

my $have = @{as($ann, GET => $base)->{json}{tables}};
$stack->db->do('INSERT INTO data_table (artifact_id, name, fields, created_at, updated_at) '
	. 'SELECT ?, CONCAT("zz", seq), \'[["a","text",0,1]]\', 1, 1 FROM seq_1_to_' . (100 - $have), undef, $art);
$r = put('over', cols('a'));
refused($r, '413 STORAGE_FULL', qr/100 tables/, 'a hundred tables');
is_deeply $r->{json}{details}, { used => 100, limit => 100 }, '... with the numbers';
is put('first', cols('n', 'm'))->{status}, 200, 'what is there may still be changed';
my @all;
for (my $cursor = ''; defined $cursor;) {
	my $page = as($ann, GET => "$base?limit=40" . ($cursor && "&cursor=$cursor"))->{json};
	push @all, map { $_->{name} } @{$page->{tables}};
	$cursor = $page->{next_cursor};
}
is scalar @all, 100, 'all are listed, in parts';
is_deeply \@all, [sort @all], '... by name';
$stack->db->do('DELETE FROM data_table WHERE name LIKE "zz%"');

# ---- who

$api->call(POST => "/v1/artifacts/$art/collaborators",
	{ token => $ann->{token}, json => { emails => ['ben@example.org'], role => 'viewer' } });
for my $who (undef, $eve) {
	my $name = $who ? 'somebody else' : 'nobody';
	is as($who, GET => $_)->{status}, 404, "$name sees nothing of a private artifact" for $base, "$base/guests";
	is as($who, $_->[0] => "$base/guests", $_->[1] ? (json => $_->[1]) : ())->{status}, $who ? 404 : 401, "$name changes nothing"
		for [PUT => { columns => cols('a') }], ['DELETE'];
}
is as($ben, GET => "$base/guests")->{status}, 200, 'a viewer reads';
is as($ben, $_->[0] => "$base/guests", $_->[1] ? (json => $_->[1]) : ())->{json}{code}, 'ACCESS_DENIED', 'and designs nothing'
	for [PUT => { columns => cols('a') }], ['DELETE'];
as($ann, PATCH => "/v1/artifacts/$art/collaborators", json => {});
$api->call(POST => "/v1/artifacts/$art/collaborators",
	{ token => $ann->{token}, json => { emails => ['ben@example.org'], role => 'editor' } });
is as($ben, PUT => "$base/bens", json => { columns => cols('a') })->{status}, 201, 'an editor does';
my $reader = $stack->ctl(qw(token mint --user ann@example.org));
$stack->db->do('UPDATE token SET scopes = 4 WHERE hash = UNHEX(SHA2(?, 256))', undef, $reader);
is as({ token => $reader }, GET => $base)->{status}, 200, 'data:read reads';
refused(as({ token => $reader }, PUT => "$base/x", json => { columns => cols('a') }), '403 INSUFFICIENT_SCOPE', qr/data:write/,
	'... and writes not');

# ---- fsck tells, reproject mends

sub ctl { return $stack->program('vitrinectl', {}, @_) }
$stack->db->do('UPDATE data_table SET indexed = -1 WHERE name = "guests"');
as($ann, POST => "$base/guests/rows", json => { rows => [map { { name => "n$_", age => $_ } } 1 .. 5] });
is((ctl('fsck'))[1], "clean\n", 'all is well');
my ($no) = $stack->db->selectrow_array('SELECT no FROM data_table WHERE name = "guests"');
$stack->db->do("UPDATE data_table SET row_count = 7 WHERE no = $no");
$stack->db->do("DELETE FROM data_cell WHERE table_no = $no AND slot = 1 LIMIT 2");
$stack->db->do("INSERT INTO data_row (table_no, id, shape_no, doc) VALUES (77777, REPEAT('x', 16), 1, '{}')");
$stack->db->do("INSERT INTO metric_watch (id, artifact_id, created_by, table_name, kind, threshold_pct, created_at) "
	. "VALUES ('wat_1', ?, ?, 'guests', 'row_count', 10, 0)", undef, $art, $ann->{id});
my $told = (ctl('fsck'))[1];
like $told, qr/table $no guests: is recorded with 7 rows of \d+ bytes, but has 5 of \d+; run vitrinectl reproject/, 'a wrong number';
like $told, qr/table $no guests: the index of column age is wrong in 2 places; run vitrinectl reproject/, 'a lost entry';
like $told, qr/table 77777 -: has rows or an index, but isn't a table/, 'rows of nothing';
like $told, qr/table $no guests: is watched, but isn't marked as watched; run vitrinectl reproject/, 'a watch that writers do not know of';
my ($exit, $out) = ctl('reproject');
is $exit, 0, 'reproject' or diag $out;
$stack->runner;
is((ctl('fsck'))[1], "clean\n", 'it is mended');

# ---- a purged artifact

is as($ann, DELETE => "/v1/artifacts/$art?purge=1")->{status}, 200, 'the artifact is purged';
$stack->runner for 1 .. 2;
is $stack->db->selectrow_array("SELECT COUNT(*) FROM $_"), 0, "nothing is left in $_" for qw(data_table data_row data_cell artifact);
finish($stack);
