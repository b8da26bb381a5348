# SPDX-License-Identifier: Apache-2.0
# Columns of tables: dates, choices, links to rows; keys; renamed and hidden columns.
use Vitrine::Words 'as';

my ($stack, $api, $db) = stack(data_per_minute => 100_000);
my ($ann, $ben, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben eve);
my $mine = 'row.owner == viewer.email';
my $art = $api->publish($ann, slug => 'data', visibility => 'unlisted', access_policy => { tables => {
	people => { read => "$mine or row.open", write => 'viewer.id != null' }, tasks => { read => 'true', write => 'viewer.id != null' },
	days => { read => "row.due >= '2026-03-01'", write => 'true' } } });
my $other = $api->publish($ann, slug => 'other', visibility => 'unlisted');
my $base = "/v1/data/$art/tables";

sub cols {
	return [map {
		my ($name, $type, $more) = split /:/;
		$type //= 'text';
		{ name => $name, type => $type, $type eq 'choice' && defined $more ? (choices => [split /\|/, $more]) : (),
			$type eq 'link' && defined $more ? (to => $more) : () }
	} @_];
}
sub put { my ($name, @columns) = @_; return as($ann, PUT => "$base/$name", { columns => cols(@columns) }) }
sub add { my ($who, $table, @rows) = @_; return as($who, POST => "$base/$table/rows", { rows => \@rows }) }
sub rows { my ($who, $table, $query) = @_; return as($who, GET => "$base/$table/rows?" . ($query // ''))->{json}{rows} }
sub refused {
	my ($r, $want, $like, $name) = @_;
	is "$r->{status} $r->{json}{code}", $want, $name or diag $r->{body};
	like $r->{json}{error}, $like, '... and why';
	return $r;
}
sub clean { is +($stack->program('vitrinectl', {}, 'fsck'))[1], "clean\n", "fsck is clean $_[0]" }

# ---- dates

is put('days', 'name:text', 'due:date', 'at:timestamp')->{status}, 201, 'a table with dates';
is add($ann, days => map {
	{ name => "d$_", due => $_, at => "${_}T12:00:00Z" }
} qw(2026-11-21 2024-02-29 0001-01-01 2026-03-01))->{status}, 201, 'dates';
is_deeply [map { $_->{due} } @{rows($ann, days => 'order=due')}], [qw(0001-01-01 2024-02-29 2026-03-01 2026-11-21)], 'they sort by day';
is_deeply [map { $_->{due} } @{rows($ann, days => 'order=due&due=gte.2024-02-29&due=lt.2026-11-21')}], [qw(2024-02-29 2026-03-01)],
	'... and are found';
refused(add($ann, days => { due => $_ }), '400 INVALID_REQUEST', qr/^rows\[0\]\.due: must be a date such as "2026-11-21"/, "$_ is none")
	for qw(2026-02-30 2026-1-5 2026-11-21T00:00:00Z 20261121 2026-13-01), '', 20261121, { a => 1 };
refused(as($ann, GET => "$base/days/rows?due=eq.2026-02-30"), '400 INVALID_REQUEST', qr/^due: 2026-02-30 isn't a valid value/,
	'... in a condition');
is_deeply [sort map { $_->{due} } @{rows($ben, 'days')}], [qw(2026-03-01 2026-11-21)], 'a rule reads its text as a date';
like as($ann, GET => "$base/days/export?order=-due")->{body}, qr/,2026-11-21,2026-11-21T12:00:00Z\r\n/, 'an export has the day';

# ---- choices

my $r = put('tasks', 'title:text', 'state:choice:new|in work|done', 'who:link:people');
refused($r, '400 INVALID_REQUEST', qr/^columns\[2\]\.to: the artifact has no table people/, 'no link to a table that is not there');
is put('people', 'name:text', 'owner:text', 'open:boolean', 'boss:link:people')->{status}, 201, 'a table may link to itself';
$r = put('tasks', 'title:text', 'state:choice:new|in work|done', 'who:link:people');
is $r->{status}, 201, 'choices and links';
is_deeply $r->{json}{table}{columns}, cols('title:text', 'state:choice:new|in work|done', 'who:link:people'), '... with exact keys';
refused(put('no', $_->[0]), '400 INVALID_REQUEST', $_->[1], "no column $_->[0]") for ['a:choice', qr/^columns\[0\]\.choices: is required/],
	['a:choice:x|y|x', qr/^columns\[0\]\.choices\[2\]: x is already choices\[0\]/], ['a:link', qr/^columns\[0\]\.to: is required/],
	['a:choice:' . 'x' x 65, qr/^columns\[0\]\.choices\[0\]/], ['a:link:nothing', qr/no table nothing/];
refused(as($ann, PUT => "$base/no", { columns => [{ name => 'a', %$_ }] }), '400 INVALID_REQUEST', qr/^columns\[0\]\.(?:choices|to|type)/,
	'nor ' . encode_json($_))
	for { type => 'choice', choices => [] }, { type => 'choice', choices => [map { "c$_" } 1 .. 101] },
	{ type => 'choice', choices => [''] },
	{ type => 'text', choices => ['a'] }, { type => 'text', to => 'people' }, { type => 'date', to => 'people' }, { type => 'enum' };
is put('all', 'a:choice:' . join '|', map { "c$_" } 1 .. 100)->{status}, 201, 'a hundred are not too many';
$r = add($ann, tasks => { title => 'a', state => 'new' }, { title => 'b', state => 'done' }, { title => 'c' });
is $r->{status}, 201, 'values';
my @task = @{$r->{json}{ids}};
refused(add($ann, tasks => { state => $_ }), '400 INVALID_REQUEST', qr/^rows\[0\]\.state: must be/, "not $_")
	for 'New', 'open', '', 5, $true;
refused(as($ann, PATCH => "$base/tasks/rows/$task[0]", { state => 'x' }), '400 INVALID_REQUEST',
	qr/^state: must be one of new, in work and done/, '... in a change');
is_deeply [map { $_->{title} } @{rows($ann, tasks => 'state=in.new,done&order=title')}], [qw(a b)], 'they are found';
is_deeply [map { $_->{title} } @{rows($ann, tasks => 'state=prefix.d')}], ['b'], '... by their beginning';
is put('tasks', 'title:text', 'state:choice:done|new|late', 'who:link:people')->{status}, 200,
	'others, in another order, without one that no row has';
$r = refused(put('tasks', 'title:text', 'state:choice:new|late', 'who:link:people'), '409 CONFLICT',
	qr/^columns\[1\]\.choices: done is missing, and 1 row has it/,
	'not without one that rows have');
is_deeply $r->{json}{details}, { rows => 1 }, '... with their number';
is_deeply put('tasks', 'title:text', 'state:choice', 'who:link')->{json}{table}{columns},
	cols('title:text', 'state:choice:done|new|late', 'who:link:people'),
	'what is left out stays';
refused(put('tasks', 'title:text', 'state:choice', 'who:link:tasks'), '409 CONFLICT', qr/retype/,
	'a link of rows leads elsewhere only by retype');

# ---- links

my @people = map { add($ann, people => $_)->{json}{ids}[0] } { owner => 'ann@example.org', name => 'Ann', open => $true },
	{ owner => 'ann@example.org', name => 'Hidden' }, { owner => 'ben@example.org', name => 'Ben' };
my $elsewhere = do {
	as($ann, PUT => "/v1/data/$other/tables/people", { columns => cols('name:text') });
	as($ann, POST => "/v1/data/$other/tables/people/rows", { rows => [{ name => 'x' }] })->{json}{ids}[0];
};
is add($ann, tasks => { title => 'l', who => $people[1] }, { title => 'm', who => $people[0] },
	{ title => 'n', who => $people[1] })->{status}, 201, 'links';
is add($ben, tasks => { title => 'o', who => $people[2] })->{status}, 201, '... to what the writer may read';
my $gone = add($ann, people => { owner => 'ann@example.org' })->{json}{ids}[0];
as($ann, DELETE => "$base/people/rows/$gone");
for (['hidden', $people[1]], ["another artifact's", $elsewhere], ['that is gone', $gone], ["another table's", $task[0]]) {
	my ($what, $id) = @$_;
	refused(add($ben, tasks => { title => 'p' }, { title => 'q', who => $id }), '400 INVALID_REQUEST',
		qr/^rows\[1\]\.who: there is no row $id in the table people, or you can't read it$/, "no link to a row $what");
	refused(as($ben, PATCH => "$base/tasks/rows/$task[0]", { who => $id }), '400 INVALID_REQUEST',
		qr/^who: there is no row $id in the table people, or you can't read it$/, '... in a change');
}
refused(add($ann, tasks => { who => $_ }), '400 INVALID_REQUEST', qr/^rows\[0\]\.who: must be the id of a row/, 'nor to ' . ($_ // 'null'))
	for 'Ann', 5, uc $people[0];
my $names = sub { my ($who) = @_; return [map { [@$_{qw(title who$)}] } @{rows($who, tasks => 'order=title&who=is.notnull&expand=who')}] };
is_deeply $names->($ann), [[l => 'Hidden'], [m => 'Ann'], [n => 'Hidden'], [o => 'Ben']], 'a list has what is linked';
is_deeply $names->($ben), [[l => undef], [m => 'Ann'], [n => undef], [o => 'Ben']], '... as far as its reader may read it';
is_deeply $names->($eve), [[l => undef], [m => 'Ann'], [n => undef], [o => undef]], '... another reader another part';
is join(' ', sort keys %{rows($ann, tasks => 'expand=who')->[0]}), 'id state title who who$', 'exact keys';
refused(as($ann, GET => "$base/tasks/rows?expand=$_"), '400 INVALID_REQUEST', qr/^expand: $_ is not a column of links/,
	"$_ is not expanded") for qw(title nothing);
is put('odd', 'expand:text', 'who:link:people')->{status}, 201, 'a column may be called expand';
add($ann, odd => { expand => 'x', who => $people[0] }, { expand => 'y' });
is_deeply [map { $_->{expand} } @{rows($ann, odd => 'expand=eq.x')}], ['x'], '... and be a condition';
is_deeply [map { $_->{'who$'} } @{rows($ann, odd => 'expand=eq.x&$expand=who')}], ['Ann'], '... beside the parameter';
is as($ann, DELETE => "$base/people/rows/$people[1]")->{status}, 200, 'a linked row goes';
is_deeply $names->($ann), [[l => undef], [m => 'Ann'], [n => undef], [o => 'Ben']], '... and links to it stay';
my ($l) = grep { $_->{title} eq 'l' } @{rows($ann, 'tasks')};
is as($ann, PATCH => "$base/tasks/rows/$l->{id}", { title => 'l2' })->{status}, 200, '... also in a change of other columns';
is as($ann, PATCH => "$base/tasks/rows/$task[0]", { who => undef })->{status}, 200, 'a link can be taken away';
as($ann, DELETE => "$base/people");
refused(add($ann, tasks => { who => $people[0] }), '400 INVALID_REQUEST', qr/there is no row/, 'without its table nothing is linked');
is_deeply [map { $_->{'who$'} } @{rows($ann, tasks => 'expand=who')}], [(undef) x 7], '... nor expanded';
is put('tasks', 'title:text', 'state:choice', 'who:link:people', 'more:date')->{status}, 200, '... but the table can be changed';
clean('after that');

# ---- a key

sub change { my ($name, %body) = @_; return as($ann, PUT => "$base/$name", \%body) }
my @stock = @{cols('sku:text', 'n:integer')};
$r = change('stock', columns => \@stock, key => 'sku');
is "$r->{status} $r->{json}{table}{key}", '201 sku', 'a table with a key';
is as($ann, GET => "$base/tasks")->{json}{table}{key}, undef, '... others have none';
refused(change('no', columns => \@stock, key => 'x'), '400 INVALID_REQUEST', qr/^key: columns has no x/,
	'not of a column that is not there');
refused(change('no', columns => cols('a:json'), key => 'a'), '400 INVALID_REQUEST', qr/^key: a is json/, '... nor of JSON');
my @stocked = @{add($ann, stock => { sku => 'A', n => 1 }, { sku => 'B', n => 2 }, { n => 3 }, { n => 4 })->{json}{ids}};
is scalar(@stocked), 4, 'values that differ, and nulls';
$r = refused(add($ann, stock => { sku => 'B' }), '409 CONFLICT', qr/^rows\[0\]\.sku: another row of stock has "B"/, 'one that is there');
is_deeply $r->{json}{details}, { column => 'sku', value => 'B', row_id => $stocked[1] }, '... with its row';
$r = refused(add($ann, stock => { sku => 'C' }, { sku => 'D' }, { sku => 'C' }), '409 CONFLICT', qr/^rows\[2\]\.sku: /,
	'two in one request');
is_deeply $r->{json}{details}, { column => 'sku', value => 'C' }, '... are named';
refused(add($ann, stock => { sku => 'E' }, { sku => 'A' }), '409 CONFLICT', qr/^rows\[1\]\.sku: /, '... and none of many is added');
is add($ann, stock => { sku => 'E' }, { sku => 'b' }, { sku => 'x' x 200 })->{status}, 201, 'case matters';
refused(add($ann, stock => { sku => 'x' x 200 }), '409 CONFLICT', qr/^rows/, '... and all of a long text');
refused(as($ann, PATCH => "$base/stock/rows/$stocked[0]", { sku => 'B' }), '409 CONFLICT', qr/^sku: another row of stock has "B"/,
	'a change');
is as($ann, PATCH => "$base/stock/rows/$stocked[0]", { sku => 'A', n => 7 })->{status}, 200, '... to what it has';
is as($ann, PATCH => "$base/stock/rows/$stocked[0]", { sku => 'Z' })->{status}, 200, '... to another';
is as($ann, PATCH => "$base/stock/rows/$stocked[2]", { sku => 'A' })->{status}, 200, '... and its value is free';
is as($ann, PATCH => "$base/stock/rows/$stocked[2]", { sku => undef })->{status}, 200, '... and taken away';
is as($ann, DELETE => "$base/stock/rows/$stocked[1]")->{status}, 200, 'a row goes';
is as($ann, DELETE => "$base/stock/rows?sku=in.E,b")->{json}{deleted}, 2, '... and some';
is add($ann, stock => map { { sku => $_ } } qw(A B E b))->{status}, 201, '... and their values come again';
clean('with a key');
my @said = Vitrine::Api::together($stack, 4, sub {
	my ($own, $i) = @_;
	return $own->call(POST => "$base/stock/rows",
		{ token => $ann->{token}, json => { rows => [{ sku => 'race', n => $i }] } })->{status};
});
is join(' ', sort @said), '201 409 409 409', 'of four inserts of one key at once, one succeeds';
$r = change('stock', columns => \@stock, key => undef);
is "$r->{status} " . ($r->{json}{table}{key} // 'none'), '200 none', 'the key goes';
my ($twice) = @{add($ann, stock => { sku => 'E' }, { sku => 'A' })->{json}{ids}};
$r = refused(change('stock', columns => \@stock, key => 'sku'), '409 CONFLICT', qr/^key: sku: another row of stock has "A"/,
	'no key where values repeat');
is $r->{json}{details}{value}, 'A', '... with the first';
as($ann, DELETE => "$base/stock/rows?sku=in.A,E");
$r = change('stock', columns => \@stock, key => 'sku');
is "$r->{status} $r->{json}{table}{key}", '200 sku', 'then there is one';
refused(add($ann, stock => { sku => 'B' }), '409 CONFLICT', qr/^rows/, '... for rows that were there');
is change('stock', columns => [reverse @stock])->{json}{table}{key}, 'sku', 'it stays in another change';
my $ws = as($ann, POST => '/v1/workspaces', { name => 'Team' })->{json}{workspace}{id};
my $hidden = $api->publish($ann, slug => 'keys', workspace_id => $ws, visibility => 'unlisted',
	access_policy => { tables => { t => { read => $mine, write => 'true' } } });
as($ann, PUT => "/v1/data/$hidden/tables/t", { columns => cols('k', 'owner'), key => 'k' });
as($ann, POST => "/v1/data/$hidden/tables/t/rows", { rows => [{ k => 'a', owner => 'ann@example.org' }] });
$r = refused(as($ben, POST => "/v1/data/$hidden/tables/t/rows", { rows => [{ k => 'a' }] }), '409 CONFLICT', qr/^rows\[0\]\.k/,
	'a hidden row has the key');
is_deeply $r->{json}{details}, { column => 'k', value => 'a' }, '... and stays hidden';
my ($no) = $db->selectrow_array("SELECT no FROM data_table WHERE artifact_id = ? AND name = 'stock'", undef, $art);
$db->do("DELETE FROM data_key WHERE table_no = $no LIMIT 1");
$db->do("INSERT INTO data_key (table_no, k, row_id) VALUES ($no, 'x', REPEAT('y', 16)), (99999, 'x', REPEAT('y', 16))");
my $told = ($stack->program('vitrinectl', {}, 'fsck'))[1];
like $told, qr/table $no stock: the key is wrong in 2 places/, 'fsck finds lost keys';
like $told, qr/table 99999 -: has rows or an index/, '... and strays';
$stack->program('vitrinectl', {}, 'reproject');
$stack->runner;
clean('when they are mended');

# ---- renamed

is change('names', columns => cols('a', 'b', 'n:integer'))->{status}, 201, 'a table';
add($ann, names => { a => 'a1', b => 'b1', n => 1 });
sub tables {
	return [map { my $row = $_; join ' ', map { "$_=" . ($row->{$_} // '-') } sort grep { $_ ne 'id' } keys %$row } @{rows($ann,
		names => 'order=id')}];
}
my $bytes = sub { return $db
	->selectcol_arrayref("SELECT doc FROM data_row r JOIN data_table t ON t.no = r.table_no WHERE t.name = 'names' ORDER BY r.id") };
my $was = $bytes->();
$r = change('names', columns => cols('b', 'a', 'n:integer'), renames => { a => 'b', b => 'a' });
is $r->{status}, 200, 'two swap their names' or diag $r->{body};
is_deeply tables(), ['a=b1 b=a1 n=1'], '... with their values';
is_deeply $bytes->(), $was, '... and no row is written';
add($ann, names => { a => 'a2', b => 'b2', n => 2 });
is change('names', columns => cols('b', 'x', 'n:integer'), renames => { a => 'x' })->{status}, 200, 'another name';
add($ann, names => { x => 'x3', b => 'b3', n => 3 });
is change('names', columns => cols('b', 'y', 'n:integer', 'a'), renames => { x => 'y' })->{status}, 200,
	'... and another, and a new column of the old name';
is_deeply tables(), ['a=- b=a1 n=1 y=b1', 'a=- b=b2 n=2 y=a2', 'a=- b=b3 n=3 y=x3'], 'each row has its values';
is_deeply [map { $_->{y} } @{rows($ann, names => 'order=-y&y=prefix.x')}], ['x3'], '... and is found';
my ($first) = @{rows($ann, names => 'n=eq.1')};
is as($ann, PATCH => "$base/names/rows/$first->{id}", { a => 'new' })->{json}{row}{y}, 'b1', 'a changed row keeps them';
is as($ann, GET => "$base/names/export?format=csv&n=eq.2")->{body} =~ s/.*\n(.*)\r\n/$1/sr =~ s/^row_\w+,//r, 'b2,a2,2,',
	'an export has them';
for ([{ nothing => 'q' }, qr/^renames\.nothing: the table has no such column/], [{ y => 'q' }, qr/^renames\.y: columns has no q/],
	[{ y => 'b' }, qr/^renames\.y: the table has a column b/], [{ y => 5 }, qr/^renames\.y: must be/]) {
	refused(change('names', columns => cols('b', 'y', 'n:integer', 'a'), renames => $_->[0]), '400 INVALID_REQUEST', $_->[1],
		'not ' . encode_json($_->[0]));
}
refused(change('names', columns => cols('y', 'n:integer', 'a'), renames => { b => 'y' }), '400 INVALID_REQUEST',
	qr/neither renamed nor in drop/,
	'not over another column');
is change('names', columns => cols('y', 'n:integer', 'a'), renames => { b => 'y' }, drop => ['y'])->{status}, 200,
	'... unless that is dropped';
is_deeply tables(), ['a=new n=1 y=a1', 'a=- n=2 y=b2', 'a=- n=3 y=b3'], '... with its values';
clean('after that');

# ---- who follows

my $alert = as($ann, POST => '/v1/metric-alerts',
	{ artifact_id => $art, name => 'Much', table => 'names', kind => 'sum', column => 'n', op => 'above', value => 100 });
is $alert->{status}, 201, 'an alert' or diag $alert->{body};
as($ann, POST => '/v1/metric-watch', { artifact_id => $art, table => 'names', kind => 'max', column => 'n' });
is change('names', columns => cols('y', 'm:integer', 'a'), renames => { n => 'm' })->{status}, 200, 'a watched column';
is $db->selectrow_array("SELECT column_name FROM metric_watch WHERE artifact_id = ? AND table_name = 'names'", undef, $art), 'm',
	'its watch follows';
is_deeply $db->selectcol_arrayref("SELECT DISTINCT column_name FROM metric_alert WHERE artifact_id = ?", undef, $art),
	['m'], '... and its alert';
my $rules = { tables =>
	{ t => { read => "row.owner == viewer.email or row.owners == 'row.owner' and not (row.owner == null)", write => 'true' } } };
$r = refused(as($ann, PUT => "/v1/data/$hidden/tables/t", { columns => cols('k', 'whose'), renames => { owner => 'whose' } }),
	'409 CONFLICT',
	qr/access_policy\.tables\.t\.read names a renamed column; with policy: "rewrite"/, 'a rule names it');
$db->do('UPDATE artifact SET access_policy = ? WHERE id = ?', undef, encode_json($rules), $hidden);
is as($ann, PUT => "/v1/data/$hidden/tables/t",
	{ columns => cols('k', 'whose'), renames => { owner => 'whose' }, policy => 'rewrite' })->{status}, 200,
	'... and follows, if that is wanted';
is decode_json($db->selectrow_array('SELECT access_policy FROM artifact WHERE id = ?', undef, $hidden))->{tables}{t}{read},
	"row.whose == viewer.email or row.owners == 'row.owner' and not (row.whose == null)", '... but not in texts, nor other names';
is $db->selectrow_array("SELECT COUNT(*) FROM audit WHERE action = 'artifact.data_rules' AND target_id = ? "
	. "AND after_it LIKE '%row.whose%'", undef, $hidden), 1,
	'... and that is recorded';

# ---- hidden, and in order

my @shown = @{cols('y', 'm:integer', 'a')};
$shown[1]{hidden} = $true;
is_deeply change('names', columns => [@shown[2, 1, 0]])->{json}{table}{columns}, [@shown[2, 1, 0]], 'a hidden column, in another order';
is_deeply tables(), ['a=new m=1 y=a1', 'a=- m=2 y=b2', 'a=- m=3 y=b3'], '... which rows have';
is_deeply change('names', columns => cols('y', 'm:integer', 'a'))->{json}{table}{columns}, \@shown, '... and it stays so';
$shown[1]{hidden} = $false;
is_deeply change('names', columns => \@shown)->{json}{table}{columns}, cols('y', 'm:integer', 'a'), '... until it is shown';
finish($stack);
