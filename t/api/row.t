# SPDX-License-Identifier: Apache-2.0
# Rows: adding, reading as sent, changing, deleting; lists by condition and order; limits, also under parallel load.
use utf8;
use Encode "decode_utf8";
use Vitrine::Counted;
use Vitrine::Words 'as';

my ($stack, $api) = stack(data_per_minute => 1000000);
my ($ann, $eve) = map { $stack->user("$_\@example.org") } qw(ann eve);
my $art = $api->publish($ann, slug => 'data', visibility => 'private');
my $base = "/v1/data/$art/tables";

sub cols { return [map { my ($n, $t) = split /:/; { name => $n, type => $t // 'text' } } @_] }
sub table {
	my ($name, @cols) = @_;
	my $r = as($ann, PUT => "$base/$name", json => { columns => cols(@cols) });
	die $r->{body} if $r->{status} > 201;
}
sub add { my ($name, @rows) = @_; return as($ann, POST => "$base/$name/rows", json => { rows => \@rows }) }
sub add_text {
	my ($name, $rows) = @_;
	utf8::encode($rows);
	return as($ann, POST => "$base/$name/rows", body => "{\"rows\":$rows}", type => "application/json");
}
sub list { my ($name, $query) = @_; return as($ann, GET => "$base/$name/rows" . ($query // '')) }
sub refused {
	my ($r, $want, $like, $name) = @_;
	is "$r->{status} $r->{json}{code}", $want, $name or diag $r->{body};
	like $r->{json}{error}, $like, '... and why';
}
sub counted {
	return $stack->db->selectrow_array('SELECT row_count = (SELECT COUNT(*) FROM data_row r WHERE r.table_no = t.no) AND size_bytes = '
			. '(SELECT COALESCE(SUM(LENGTH(doc)), 0) FROM data_row r WHERE r.table_no = t.no) FROM data_table t WHERE name = ?',
		undef, $_[0]);
}

# ---- as sent

table('guests', 'name', 'age:integer', 'score:number', 'here:boolean', 'at:timestamp', 'extra:json');
my $r = add_text('guests', '[{"score":1.10,"name":"Ännchen \ud83d\ude00","extra":{"b":1.0,"a":[1e2,null]}},{"name":"",'
	. '"age":9223372036854775807,"at":"2026-01-02T03:04:05.120+02:00","here":false}]');
is $r->{status}, 201, 'two rows' or diag $r->{body};
my @ids = @{$r->{json}{ids}};
is scalar(grep { /^row_[0-9a-z]{26}$/ } @ids), 2, 'their ids';
is decode_utf8(list('guests')->{body}), qq({"success":true,"rows":[{"id":"$ids[0]","name":"Ännchen )
	. qq(😀","age":null,"score":1.10,"here":null,"at":null,"extra":{"b":1.0,"a":[1e2,null]}},)
	. qq({"id":"$ids[1]","name":"","age":9223372036854775807,"score":null,"here":false,"at":"2026-01-02T03:04:05.120+02:00",)
	. qq("extra":null}],"next_cursor":null}),
	'they come back as they were sent, each with all columns in their order';
$r = as($ann, GET => "$base/guests/rows/$ids[1]");
is $r->{json}{row}{age}, '9223372036854775807', 'one row';
my $etag = $r->{headers}{etag};
is as($ann, GET => "$base/guests/rows/$ids[1]", headers => { 'If-None-Match' => $etag })->{status}, 304, '... that has not changed';
is add('guests', { name => 'x' })->{headers}{location},
	"/v1/data/$art/tables/guests/rows/" . list('guests', '?order=-id&limit=1')->{json}{rows}[0]{id}, 'one row has an address';

# ---- what is refused, and where

for ([{ name => 1 }, qr/^rows\[1\]\.name: must be text/], [{ age => '1' }, qr/^rows\[1\]\.age: must be a 64-bit whole number/],
	[{ age => 1.5 }, qr/^rows\[1\]\.age/], [{ score => '1' }, qr/^rows\[1\]\.score: must be a number, not "1"$/],
	[{ here => 1 }, qr/^rows\[1\]\.here: must be true or false/],
	[{ at => '2026-02-30T00:00:00Z' }, qr/^rows\[1\]\.at: must be a time such as/], [{ at => 5 }, qr/^rows\[1\]\.at/],
	[{ nam => 'x' }, qr/^rows\[1\]\.nam: the table guests has no such column; its columns are name, age, score, here, at and extra/],
	[{ id => 'row_1' }, qr/^rows\[1\]\.id: .*no such column/], ['x', qr/^rows\[1\]: must be an object/],
	[undef, qr/^rows\[1\]: must be an object/]) {
	refused(add('guests', { name => 'good' }, $_->[0]), '400 INVALID_REQUEST', $_->[1],
		'a row that does not fit: ' . Cpanel::JSON::XS->new->allow_nonref->encode($_->[0]));
}
refused(add_text('guests', '[{"age":9223372036854775808}]'), '400 INVALID_REQUEST', qr/rows\[0\]\.age/, 'nothing is clamped');
refused(add_text('guests', '[{"score":1e500}]'), '400 INVALID_REQUEST', qr/rows\[0\]\.score: must have at most 60 digits/,
	'nor taken for infinite');
refused(add('guests', { name => 'x' x 16400 }), '413 BODY_TOO_LARGE', qr/^rows\[0\]: the row is 16\d+ bytes as JSON; the maximum is 16384/,
	'a row has 16 KiB at most');
is add('guests', { name => 'x' x 16000 })->{status}, 201, 'it may have nearly as many';
refused(as($ann, POST => "$base/guests/rows", json => $_), '400 INVALID_REQUEST', qr/rows/, 'rows are a list') for { rows => [] };
refused(add('guests', map { {} } 1 .. 1001), '400 INVALID_REQUEST', qr/from 1 to 1000/, 'a thousand at once');
is list('guests', '?name=eq.good')->{json}{rows}[0], undef, 'all or nothing';
ok counted('guests'), 'nothing was counted';

# ---- changing

sub patch { my ($id, $json, %o) = @_; return as($ann, PATCH => "$base/guests/rows/$id", json => $json, %o) }
$r = patch($ids[1], { name => 'Bo', age => undef });
is_deeply [@{$r->{json}{row}}{qw(name age here)}], ['Bo', undef, $false], 'what is named changes, null too, the rest stays';
is_deeply as($ann, GET => "$base/guests/rows/$ids[1]")->{json}{row}, $r->{json}{row}, '... and is read so';
is_deeply [map { $_->{id} } @{list('guests', "?$_")->{json}{rows}}], [$ids[1]], "found by its new value: $_"
	for 'name=eq.Bo', 'at=is.notnull', 'name=eq.Bo&order=name';
is_deeply list('guests', '?age=eq.9223372036854775807')->{json}{rows}, [], 'not by its old one';
is patch($ids[1], { age => 3 }, headers => { 'If-Match' => $etag })->{json}{code}, 'PRECONDITION_FAILED', 'If-Match of what it was';
$etag = as($ann, GET => "$base/guests/rows/$ids[1]")->{headers}{etag};
is patch($ids[1], { age => 3 }, headers => { 'If-Match' => $etag })->{status}, 200, 'If-Match of what it is';
refused(patch($ids[1], $_->[0]), '400 INVALID_REQUEST', $_->[1], 'a change that does not fit')
	for [{ age => 'x' }, qr/^age: must be a 64-bit whole/], [{ b => 1 }, qr/^b: the table/], [[], qr/must be an object/];
refused(patch($ids[1], { name => 'x' x 16400 }), '413 BODY_TOO_LARGE', qr/maximum is 16384/, 'not past 16 KiB');
refused(as($ann, PATCH => "$base/guests/rows/$ids[1]", body => 'name=x', type => 'text/plain'), '415 UNSUPPORTED_MEDIA_TYPE',
	qr/json/, 'JSON');

# ---- deleting

is as($ann, DELETE => "$base/guests/rows/$ids[0]")->{status}, 200, 'a row goes';
is as($ann, $_ => "$base/guests/rows/$ids[0]", $_ eq 'PATCH' ? (json => {}) : ())->{status}, 404, "$_ finds it no more"
	for qw(GET PATCH DELETE);
is_deeply [@{as($ann, GET => "$base/guests/rows/$ids[0]?or_null=1")}{qw(status json)}],
	[200, { success => Cpanel::JSON::XS::true, row => undef }], '... which is null where that is asked for';
refused(as($ann, GET => "$base/none/rows/$ids[0]?or_null=1"), '404 NOT_FOUND', qr/./, '... of a table that is not there it is not');
is as($ann, DELETE => "$base/guests/rows/$ids[1]", headers => { 'If-Match' => '"x"' })->{status}, 412, 'If-Match';
ok counted('guests'), 'it is counted';

# ---- conditions

table('t', 'a', 'n:integer', 'x:number', 'b:boolean', 'at:timestamp', 'j:json');
my @rows = ({ a => 'ann', n => 1, x => 0.5, b => $true, at => '2026-01-01T00:00:00Z', j => 1 },
	{ a => 'Ann', n => 2, x => 1, b => $false, at => '2026-01-01T01:00:00+02:00', j => 'a' },
	{ a => 'anna', n => 10, x => -3, at => '2026-06-01T00:00:00.5Z', j => $true }, { a => 'a,b"c', n => undef, j => { k => 1 } },
	{ a => '', n => -5, b => $true }, { n => 10, x => 10.0 });
is add('t', @rows)->{status}, 201, 'rows';
my %at = map { $_->[1]{id} => $_->[0] } map { [$_, list('t')->{json}{rows}[$_]] } 0 .. $#rows;
sub found {
	my $r = list('t', "?$_[0]");
	return $r->{status} == 200 ? join '', map { $at{$_->{id}} } @{$r->{json}{rows}} : $r->{json}{error};
}
my %want = ('a=eq.ann' => '0', 'a=neq.ann' => '12345', 'a=eq.' => '4', 'a=prefix.an' => '02', 'a=prefix.' => '01234', 'a=is.null' => '5',
	'a=is.notnull' => '01234', 'a=in.ann,Ann' => '01', 'a=in.' => '', 'a=in.""' => '4', 'n=in.' => '', 'n=in.&order=n' => '',
	'a=in."a,b""c",x' => '3', 'a=gt.a' => '023', 'a=lt.a' => '14',
	'n=eq.10' => '25', 'n=eq.10.0' => '25', 'n=eq.1e1' => '25', 'n=gt.1' => '125', 'n=gte.1' => '0125', 'n=lt.2' => '04',
	'n=lte.2' => '014', 'n=in.1,2' => '01', 'n=neq.10' => '0134', 'x=gt.-3' => '015', 'x=eq.10' => '5',
	'b=eq.true' => '04', 'b=is.true' => '04', 'b=is.false' => '1', 'b=neq.true' => '1235', 'at=eq.2025-12-31T23:00:00Z' => '1',
	'at=lt.2026-01-01T00:00:00Z' => '1', 'at=gte.2026-01-01T00:00:00Z' => '02',
	'j=eq.1' => '0', 'j=eq.a' => '1', 'j=eq.true' => '2', 'j=eq.{"k":1}' => '3', 'j=is.null' => '45', 'n=gt.0&n=lt.5' => '01',
	'n=eq.10&x=lt.0' => '2', 'a=prefix.a&b=eq.true' => '0');
is found($_ =~ s/([^\w.=&,:-])/sprintf '%%%02x', ord $1/ger), $want{$_}, $_ for sort keys %want;
is found('order=n'), '340125', 'by a number, null first';
is found('order=-n'), '521043', 'from the end';
is found('order=a'), '541302', 'by a text';
is found('order=-id'), '543210', 'the newest first';
is found('order=at&at=is.notnull'), '102', 'by time';
is found('order=b&b=is.notnull&n=gt.0'), '10', 'with conditions';
for (['c=eq.1', qr/^c: the table t has no such column; its columns are a, n, x, b, at and j/],
	['a=ann', qr/^a: must start with one of eq\. neq\./], ['a=like.x', qr/^a: must start/],
	['n=eq.x', qr/^n: x isn't a valid value for a column of type integer/], ['n=eq.null', qr/use is\.null/],
	['n=eq.1.5', qr/^n: 1\.5 isn't a valid value/], ['b=eq.1', qr/^b: 1 isn't/], ['at=gt.tomorrow', qr/^at: tomorrow isn't/],
	['n=prefix.1', qr/^n: prefix accepts a text/], ['a=is.nothing', qr/^a: is accepts null/],
	['order=c', qr/^order: must be id or a column.*, not "c"/],
	['order=a&cursor=x', qr/^cursor: is not valid/], ['a=in."x"y', qr/must be followed by a comma/], ['limit=0', qr/limit/],
	[join('&', map { 'a=neq.x' } 1 .. 51), qr/more than 50 conditions/], ['a=in.' . join(',', 1 .. 51), qr/more than 50 values/],
	['a=prefix.' . 'x' x 129, qr/at most 128/]) {
	refused(list('t', '?' . ($_->[0] =~ s/"/%22/gr)), '400 INVALID_REQUEST', $_->[1], 'refused: ' . substr $_->[0], 0, 40);
}

# ---- parts of a list, whatever leads it

table('many', 'k:integer', 'g', 's:number');
$stack->db->do('UPDATE data_table SET indexed = -1 WHERE name = "many"');
for my $part (0 .. 2) {
	my $r = add('many', map { { k => $_, g => 'g' . $_ % 3, s => $_ * 7919 % 1000 / 8 } } map { $part * 1000 + $_ } 1 .. 1000);
	is $r->{status}, 201, 'a thousand rows' or diag $r->{body};
}
sub walk {
	my ($query, $limit) = @_;
	my (@got, $next);
	my $path = "$base/many/rows?$query" . ($query && '&') . "limit=$limit";
	while ($path) {
		my $r = as($ann, GET => $path);
		push @got, @{$r->{json}{rows}};
		$path = ($r->{headers}{link} // '') =~ /<([^>]+)>; rel="next"/ ? $1 : undef;
		last if @got > 5000;
	}
	return @got;
}
my @plain = map { { k => $_, g => 'g' . $_ % 3, s => $_ * 7919 % 1000 / 8 } } 1 .. 3000;
for (['', sub { 1 }, sub { $_[0]{k} <=> $_[1]{k} }], ['order=-id', sub { 1 }, sub { $_[1]{k} <=> $_[0]{k} }], ['g=eq.g1',
	sub { $_[0]{g} eq 'g1' }, sub { $_[0]{k} <=> $_[1]{k} }], ['k=gt.2900', sub { $_[0]{k} > 2900 }, sub { $_[0]{k} <=> $_[1]{k} }],
	['order=s', sub { 1 }, sub { $_[0]{s} <=> $_[1]{s} || $_[0]{k} <=> $_[1]{k} }],
	['order=-s&g=eq.g2', sub { $_[0]{g} eq 'g2' }, sub { $_[1]{s} <=> $_[0]{s} || $_[1]{k} <=> $_[0]{k} }],
	['order=g&k=lt.500', sub { $_[0]{k} < 500 }, sub { $_[0]{g} cmp $_[1]{g} || $_[0]{k} <=> $_[1]{k} }],
	['order=s&s=gte.100&g=neq.g0', sub { $_[0]{s} >= 100 && $_[0]{g} ne 'g0' }, sub { $_[0]{s} <=> $_[1]{s} || $_[0]{k} <=> $_[1]{k} }],
	['order=-g&k=in.5,6,7', sub { $_[0]{k} =~ /^[567]$/ }, sub { $_[1]{g} cmp $_[0]{g} || $_[1]{k} <=> $_[0]{k} }],
	['order=-id&g=eq.g0&k=lte.900', sub { $_[0]{g} eq 'g0' && $_[0]{k} <= 900 }, sub { $_[1]{k} <=> $_[0]{k} }]) {
	my ($query, $keep, $order) = @$_;
	my @want = map { $_->{k} } sort { $order->($a, $b) } grep { $keep->($_) } @plain;
	is join(',', map { $_->{k} } walk($query, $_)), join(',', @want), "'$query', $_ at a time" for 200, 61;
}

# ---- export

$r = as($ann, GET => "$base/t/export");
is $r->{headers}{'content-type'}, 'text/csv; charset=utf-8', 'CSV';
my @lines = split /\r\n/, $r->{body};
is $lines[0], 'id,a,n,x,b,at,j', 'a line of names';
like $lines[1], qr/^row_\w{26},ann,1,0\.5,true,2026-01-01T00:00:00Z,1$/, 'a row';
like $lines[4], qr/^row_\w{26},"a,b""c",,,,,"\{""k"":1\}"$/, 'in quotes where it must';
like $lines[5], qr/^row_\w{26},"",-5,,true,,$/, 'an empty text is not null';
$r = as($ann, GET => "$base/many/export?order=-k&k=gt.1000&format=ndjson");
my @objects = map { decode_json($_) } split /\n/, $r->{body};
is join(',', map { $_->{k} } @objects), join(',', reverse 1001 .. 3000), 'all that fit, in order, as lines of JSON';
$r = as($ann, GET => "$base/t/export?columns=n,a&order=n&n=gt.0");
is $r->{body} =~ s/row_\w{26}/ID/gr, "id,n,a\r\nID,1,ann\r\nID,2,Ann\r\nID,10,anna\r\nID,10,\r\n", 'some columns, in that order';
$r = as($ann, GET => "$base/t/export?format=json&columns=x&n=eq.10");
is $r->{headers}{'content-type'}, 'application/json', 'JSON';
is_deeply [map { delete $_->{id}; $_ } @{decode_json($r->{body})}], [{ x => -3 }, { x => 10 }], '... an array of rows';
is as($ann, GET => "$base/t/export?format=json&n=eq.999")->{body}, "[]\n", '... or of none';
refused(as($ann, GET => "$base/t/export?columns=n,zz"), '400 INVALID_REQUEST', qr/^columns: the table t has no column zz/,
	'a column that is not there');
refused(as($ann, GET => "$base/many/export?z=eq.1"), '400 INVALID_REQUEST', qr/^z:/, 'what is wrong is said before it begins');

# ---- deleting many

refused(as($ann, DELETE => "$base/many/rows"), '400 INVALID_REQUEST', qr/all=1/, 'not by accident');
$r = as($ann, DELETE => "$base/many/rows?g=eq.g1&k=lte.300")->{json};
like delete $r->{batch_id}, qr/^bat_/, 'a deletion has a batch';
is_deeply $r, { success => $true, deleted => 100, more => $false }, 'those that fit';
is_deeply [@{as($ann, DELETE => "$base/many/rows?k=gt.0")->{json}}{qw(deleted more)}], [1000, $true], 'a thousand at once';
ok counted('many'), 'they are counted';
refused(as($ann, DELETE => "$base/many/rows?all=1", json => { k => 'eq.5' }), '400 INVALID_REQUEST', qr/^the body: must be empty/,
	'what is said in a body is not passed over');
is as($ann, DELETE => "$base/many/rows?all=1")->{json}{deleted}, 1000, 'and again';
is as($ann, DELETE => "$base/many/rows?all=1")->{json}{deleted}, 900, '... to the end';
is $stack->db->selectrow_array('SELECT COUNT(*) FROM data_cell x JOIN data_table t ON t.no = x.table_no WHERE t.name = "many"'), 0,
	'their index went with them';

# ---- sixteen who write at the same time lose nothing; the limit is exact

table('race', 'w:integer', 'n:integer');
$stack->db->do('UPDATE data_table SET row_count = 999000, indexed = -1 WHERE name = "race"');
pipe my $from, my $to or die;
my @kids = map {
	my $w = $_;
	my $pid = fork // die;
	if (!$pid) {
		my $mine = Vitrine::Api->new($stack);
		my ($good, %other) = (0);
		for my $n (1 .. 30) {
			my $r = $mine->call(POST => "$base/race/rows",
				{ token => $ann->{token}, json => { rows => [map { { w => $w, n => $n } } 1 .. 3] } });
			$r->{status} == 201 ? ($good += 3) : $other{"$r->{status} $r->{json}{code}"}++;
		}
		syswrite $to, "$good " . join(',', sort keys %other) . "\n";
		require POSIX;
		POSIX::_exit(0);
	}
	$pid;
} 1 .. 16;
close $to;
my ($stored, %codes) = (0);
while (<$from>) { my ($good, $codes) = /^(\d+) (.*)$/; $stored += $good; $codes{$_}++ for split /,/, $codes }
waitpid $_, 0 for @kids;
is_deeply [keys %codes], ['413 STORAGE_FULL'], 'only the limit stops them' or diag explain \%codes;
is $stored, 999, 'as many as there was room for';
is $stack->db->selectrow_array('SELECT COUNT(*) FROM data_row r JOIN data_table t ON t.no = r.table_no WHERE t.name = "race"'), 999,
	'all that was answered is there';
is $stack->db->selectrow_array('SELECT COUNT(*) FROM data_cell x JOIN data_table t ON t.no = x.table_no WHERE t.name = "race"'), 1998,
	'... in the index, too';
$r = add('race', map { { w => 1 } } 1 .. 2);
refused($r, '413 STORAGE_FULL', qr/has 999,999 rows; adding 2 would exceed the maximum of 1,000,000/, 'the limit');
is_deeply $r->{json}{details}, { used => 999999, limit => 1000000 }, '... with the numbers';
is add('race', { w => 1 })->{status}, 201, 'one more fits';

# ---- whoever changes the columns meanwhile loses no row of the index

table('grow', 'a:integer');
$stack->db->do('UPDATE data_table SET indexed = -1 WHERE name = "grow"');
@kids = map {
	my $w = $_;
	my $pid = fork // die;
	if (!$pid) {
		my $mine = Vitrine::Api->new($stack);
		if ($w == 0) {
			# Who writes tries three times; some rows come between two changes.
			for my $n (1 .. 6) {
				$mine->call(PUT => "$base/grow",
					{ token => $ann->{token}, json => { columns => cols('a:integer', map { "c$_" } 1 .. $n) } });
				for (1 .. 200) {
					last if ($mine->call(GET => "$base/grow", { token => $ann->{token} })->{json}{table}{row_count}
						// 0) >= 10 * $n;
				}
			}
		}
		else {
			for (1 .. 20) {
				my $r = $mine->call(POST => "$base/grow/rows",
					{ token => $ann->{token}, json => { rows => [{ a => $_ }] } });
				$r->{status} == 201 or $r->{status} == 503 or print STDERR "$r->{status} $r->{body}\n";
			}
		}
		require POSIX;
		POSIX::_exit(0);
	}
	$pid;
} 0 .. 4;
waitpid $_, 0 for @kids;
is(($stack->program('vitrinectl', {}, 'fsck'))[1] =~ s/^artifact .* race: .*\n//mgr =~ s/^problems: 1$/clean/mr, "clean\n",
	'the index is whole');

is as(undef, POST => "$base/t/rows", json => { rows => [{}] })->{status}, 401, 'nor does nobody';

# ---- in as few statements as there can be

my @wide = map { "c$_" } 1 .. 64;
table('wide', map { "$_:integer" } @wide);
$stack->db->do('UPDATE data_table SET indexed = -1 WHERE name = "wide"');
my ($wide, @cost);
Vitrine::Counted::still($stack);
# Each worker has its statements after some.
for my $n (1 .. 60) {
	my %is;
	my $cost = sub {
		my ($of, $work) = @_;
		my ($r, $n) = Vitrine::Counted::counted($stack->db, $work);
		$is{$of} = "$r->{status} " . $n =~ s/Com_stmt_execute=(\d+).*/$1/r;
		return $r;
	};
	$wide = $cost->(add => sub { add('wide', { map { $_ => $n } @wide }) })->{json}{ids}[0];
	$cost->(change => sub { as($ann, PATCH => "$base/wide/rows/$wide", json => { map { $_ => -100 - $n } @wide }) });
	is_deeply list('wide', "?c64=eq." . (-100 - $n))->{json}{rows}, [{ id => $wide, map { $_ => -100 - $n } @wide }],
		'all of 64 columns are changed' if $n == 1;
	$cost->(same => sub { as($ann, PATCH => "$base/wide/rows/$wide", json => { c1 => -100 - $n }) });
	$cost->(delete => sub { as($ann, DELETE => "$base/wide/rows/$wide") });
	push @cost, join ', ', map { "$_ $is{$_}" } sort keys %is;
}
is $cost[-1], 'add 201 6, change 200 7, delete 200 7, same 200 7',
	'a row with 64 columns is added, changed and deleted by one statement and those that find it';
Vitrine::Counted::go_on($stack);
ok counted('wide'), '... and counted';
is $stack->db->selectrow_array('SELECT COUNT(*) FROM data_cell x JOIN data_table t ON t.no = x.table_no WHERE t.name = "wide"'), 0,
	'... and nothing of it is left in the index';
finish($stack);
