# SPDX-License-Identifier: Apache-2.0
# vitrine table: tables made by hand and from files, rows listed, exported and imported again.
use utf8;
use Encode ();
use Vitrine::Words;

my ($stack, $api) = stack(leaks => 1, data_per_minute => 100000);
my $ann = $stack->user('ann@example.org');
my $art = $api->publish($ann, slug => 'data', visibility => 'private');
my $dir = $stack->{dir};
sub table { return $stack->client($ann->{token}, 'table', @_, '--artifact', 'data') }
sub file { my ($name, $text) = @_; utf8::encode($text); Vitrine::Stack::spew("$dir/$name", $text); return "$dir/$name" }
sub rows {
	my ($table) = @_;
	return $api->call(GET => "/v1/data/$art/tables/$table/rows?limit=200", { token => $ann->{token} })->{json}{rows};
}
sub values_of {
	my ($table, @names) = @_;
	return [map { my $r = $_; [map { ref $r->{$_} ? Cpanel::JSON::XS->new->allow_nonref->encode($r->{$_}) : $r->{$_} } @names] }
		@{rows($table)}];
}

is_deeply [table('create', 'guests', 'name', 'age:integer')], [0, '', "table guests is saved\n"], 'a table';
is_deeply [table('list')], [0, "guests                          0 rows  name:text age:integer\n", ''], 'the list';
is +(table('create', 'guests', 'name', 'age:text'))[0], 0, 'an empty one may change';
is +(table('create', 'guests', 'name'))[0], 0, 'and again';
like +(table('create', '1x', 'a'))[2], qr/1x can't be the name of a table/, 'a name';
like +(table('create', 'x', 'a:varchar'))[2], qr/^vitrine: COLUMN, value 1: must be text, /, 'the client names the argument that the service refuses';
is +(table('paint', 'x'))[0], 2, 'no such action';
for ([[qw(view add guests)], 'NAME', 'table view add TABLE NAME'], [[qw(rename guests)], 'OLD', 'table rename TABLE OLD NEW'],
	[[qw(rename guests name)], 'NEW', 'table rename TABLE OLD NEW'], [[qw(chart remove)], 'ID', 'table chart remove ID']) {
	my ($status, undef, $err) = table(@{$_->[0]});
	utf8::decode($err);
	is "$status $err", "2 vitrine: $_->[1] is missing\nusage: vitrine $_->[2] [OPTION…]\nrun vitrine table --help for details\n",
		"@{$_->[0]} names the argument and the usage of these words";
}
like +(table('undo', 'guests', '--json'))[2], qr/"BATCH is missing; usage: vitrine table undo TABLE BATCH /, '... as JSON, too';
is +(table('rename', 'guests', 'nam', 'first'))[2], "vitrine: the table guests has no column nam; its columns are name\n", 'no such column';
like +(table('rename', 'guests', 'name', 'a b'))[2], qr/^vitrine: NEW: must contain only letters/, 'rename refuses an invalid new name, and calls it NEW';
like +(table('key', 'guests', 'nam'))[2], qr/^vitrine: the table guests has no column nam; its columns are name$/m, 'no key';
like +(table('export', 'guests', "$dir/none/x.csv"))[2], qr{^vitrine: \Q$dir\E/none/x\.csv: No such file}, 'no folder to export to';
like +($stack->client($ann->{token}, qw(data get data)))[2], qr/^vitrine: This artifact has no JSON document yet; vitrine data put FILE stores one$/m,
	'no document';
like +(table('import', 'https://example.org/a.csv'))[2], qr{a\.csv: fetch it, .* vitrine jobs add --materialize URL}, 'an address';

# ---- files

$stack->start_runner('runner', '--stay', '--lanes', 'imports');
sub imports { return table('import', @_, '--yes') }

my ($status, $out, $err) = table('import',
	file('First list.csv', "\x{feff}First name,Age,score,since,ok,note,id\r\nÄnn,41,1.50,2026-01-02T03:04:05Z,true,\"a, \"\"b\"\"\n"
		. "c\",row_${\('0' x 26)}\r\n\"\",007,-2,2026-01-02T03:04:05.5+02:00,false,,row_${\('1' x 26)}\r\n\r\nBo,,1.0e3,,,,\r\n"));
is $status, 0, 'a file of CSV' or diag $err;
is $out, '', '... which prints no result';
utf8::decode($err);
like $err, qr/^column First_name: “First name” is named First_name$/m, 'names are made fit, and told';
like $err, qr/^column id is left out: IDs of an export/m, 'ids are not kept';
like $err, qr/^columns: First_name:text Age:text score:number since:timestamp ok:boolean note:text$/m, 'types are chosen, and told';
like $err, qr/^table First_list is created with 3 rows$/m, 'how many';
is_deeply values_of('First_list', qw(First_name Age score since note)), [["Änn", '41', '1.50' + 0, '2026-01-02T03:04:05Z', "a, \"b\"\nc"],
	['', '007', -2, '2026-01-02T03:04:05.5+02:00', undef], ['Bo', undef, 1000, undef, undef]], 'the values';
like +(table('import', "$dir/First list.csv"))[2], qr/^3 rows added to First_list$/m, 'once more';
is scalar @{rows('First_list')}, 6, '... adds them again';
for (["a,b\n1,2\n1,2,3\n", qr/line 3: it has 3 values instead of 2$/m],
	["a,b\n1,2\n1,\"x\n", qr/line 3: a quote that opens here isn't closed$/m],
	['', qr/^vitrine: \S+bad\.csv: The file is empty/m]) {
	my ($status, undef, $err) = imports(file('bad.csv', $_->[0]), 'bad');
	is $status, 1, 'a file that is none';
	like $err, $_->[1], '... and where';
}
like +(table('import', "$dir/nothing.csv"))[2], qr/nothing\.csv: /, 'no file';
is +(table('import', "$dir/bad.csv", '1x'))[0], 2, 'no name of a table';
like +(imports(file('x.xlsx', 'a')))[2], qr/^vitrine: \S+x\.xlsx: /m, 'no workbook';
like +(imports(file('tabs.tsv', "one\ttwo\n1\t2\n")))[2], qr/^table tabs is created with 1 row$/m, 'divided by tabs';

# ---- questions, and lines that don't fit

($status, $out, $err) = table('import', file('asks.csv', "day,n\n03/04/2026,1\n"));
is $status, 2, 'without a terminal, questions are printed';
like $err, qr/^date_order\.day: .* \(dmy \| mdy; proposed: dmy\)$/m, '... with their choices';
like $err, qr/answer these with --answer ID=CHOICE, or accept what is proposed with --yes/, '... and how to answer';
my @kept = glob "$dir/.config/vitrine/imports/*.json";
is scalar @kept, 1, 'what was begun is stored';
is sprintf('%o', (stat $kept[0])[2] & 0777), '600', '... for its user alone';
($status, undef, $err) = table('import', "$dir/asks.csv", '--answer', 'date_order.day=ymd');
is $status, 2, 'no such choice';
like $err, qr/--answer: date_order\.day can't be ymd; its choices are dmy \| mdy/, '... which is told';
($status, undef, $err) = table('import', "$dir/asks.csv", '--answer', 'date_order.day=mdy');
is $status, 0, 'an answer' or diag $err;
like $err, qr/asks\.csv: an import was begun; it goes on$/m, '... to the import that was begun';
is_deeply values_of('asks', 'day'), [['2026-03-04']], '... counts';
is_deeply [imports("$dir/asks.csv", 'none', '--answer', 'foo')], [2, '', "vitrine: --answer: foo isn't ID=CHOICE\n"], 'no answer';
like +(imports("$dir/asks.csv", 'none', '--answer', 'date_ordr.day=mdy'))[2],
	qr/^vitrine: --answer: \S+asks\.csv has no question date_ordr\.day; it has date_order\.day$/m, 'an answer to no question';
like +(imports("$dir/tabs.tsv", 'none', '--answer', 'foo=bar'))[2], qr/tabs\.tsv has no question foo$/m, '... nor to any';
is_deeply [grep { m{^none } } split /\n/, (table('list'))[1]], [], '... imports nothing';
is +(imports("$dir/asks.csv", 'none', '--answer', 'date_order.day=mdy'))[0], 0, '... and the right one';
is_deeply values_of('none', 'day'), [['2026-03-04']], '... still counts';
ok !-e $kept[0], 'done, nothing is stored anymore';
$err = $stack->at_terminal("first\nmdy\n", { VITRINE_TOKEN => $ann->{token} }, 'table', 'import',
	file('terminal.csv', "day,n\n03/04/2026,1\n"), '--artifact', 'data');
like $err, qr/Does the day or the month come first in day.*dmy \| mdy \[dmy\].*table terminal is created with 1 row/s,
	'at a terminal, they are asked';
is_deeply values_of('terminal', 'day'), [['2026-03-04']], '... until one of the choices is typed';

($status, undef, $err) = imports(file('second.csv', join "\n", 'Age,ok', (map { "$_,true" } 1 .. 1500), 'x,perhaps', ''), 'First_list');
is $status, 1, 'a value that does not fit the table';
utf8::decode($err);
like $err, qr/second\.csv: line 1502: ok: “perhaps” is neither yes nor no$/m, '... which one, by its line';
like $err, qr/^vitrine: \S+second\.csv: 1 line doesn't fit, so nothing is imported/m, '... and nothing is added';
is $api->call(GET => "/v1/data/$art/tables/First_list", { token => $ann->{token} })->{json}{table}{row_count}, 6, '... at all';
($status, undef, $err) = imports("$dir/second.csv", 'First_list', '--misfits', 'leave_out');
is $status, 0, 'or it is left out' or diag $err;
like $err, qr/^1,500 rows added to First_list$/m, '... and the others are added';
my ($imp) = $err =~ /^1 line left out: vitrine table left-out (imp_\w+) saves them/m;
is +(table('left-out', $imp, "$dir/left.csv"))[0], 0, '... and it can be saved';
utf8::decode(my $left = Vitrine::Stack::slurp("$dir/left.csv"));
like $left, qr/^line,Age,ok,why\r\n1502,x,perhaps,/, '... with its number and the reason';
is_deeply [(imports("$dir/second.csv", 'First_list', '--misfits', 'bogus'))[0, 2]],
	[2, "vitrine: --misfits: must be leave_out or null, not bogus\n"], 'another way for them is refused first';
like +(table('imports'))[1], qr/^\Q$imp\E  done        First_list  1,501 rows  second\.csv$/m, 'imports are listed';
like +(table('cancel', $imp))[2], qr/can't be cancelled/, 'what is done is not cancelled';
like +(table('cancel', 'x'))[2], qr/isn't the id of an import/, 'nor what is none';
(undef, undef, $err) = table('import', file('given.csv', "day\n03/04/2026\n"));
($imp) = (table('imports'))[1] =~ /^(imp_\w+)  ready /m;
table('import', file("given$_.csv", "day\n03/04/2026\n")) for 2, 3;
like +(table('import', file('given4.csv', "day\n03/04/2026\n")))[2],
	qr/3 imports .*maximum.*\n  vitrine table imports lists them, vitrine table cancel ID cancels one\n/s, 'too many wait, with the way out';
table('cancel', $_) for (table('imports'))[1] =~ /^(imp_\w+)  ready +given[23] /mg;
is +(table('cancel', $imp))[2], "cancelled; rows that it has added are taken back\n", 'what waits is';
like +(table('import', "$dir/given.csv", '--yes'))[2], qr/^table given is created with 1 row$/m, '... and then begins anew';

($status, undef, $err) = imports(file('stock.csv', "sku,n\na,1\nb,2\n"), 'stock', '--key', 'sku');
is $status, 0, 'a table with a key' or diag $err;
like +(imports(file('stock2.csv', "sku,n\nb,3\nc,4\n"), 'stock', '--mode', 'upsert', '--key', 'sku'))[2],
	qr/^2 rows added to stock or changed there$/m, '... by which rows are found';
is_deeply [sort { $a->[0] cmp $b->[0] } @{values_of('stock', qw(sku n))}], [['a', 1], ['b', 3], ['c', 4]], '... and changed';
$err = (imports(file('stock2.csv', "sku,n\nb,5\nd,4\n"), 'stock'))[2];
utf8::decode($err);
like $err, qr/line 2: sku: “b” is the key of a row of the table\n.* or --misfits null, or --mode upsert, which changes the rows/,
	'without it, a key that is there is refused, with the way out';
my ($begun) = (table('imports'))[1] =~ /^(imp_\w+)  ready /m;
like +(imports("$dir/stock2.csv", 'stock', '--mode', 'upsert'))[2], qr/^2 rows added to stock or changed there$/m, '... by the table\'s key';
like +(table('imports'))[1], qr/^\Q$begun\E  cancelled /m, '... and what was begun in the other way is cancelled';
is +(imports("$dir/stock.csv", 'plain'))[0], 0, 'a table without a key';
is +(imports("$dir/stock2.csv", 'plain', '--mode', 'upsert'))[2], "vitrine: plain has no key, by which upsert finds rows; "
	. "vitrine table key plain COLUMN makes a column the key\n", '... has none to find rows by';
like +(imports("$dir/stock2.csv", 'plain', '--mode', 'upsert', '--key', 'sku'))[2],
	qr/stock2\.csv: --key: sku isn't the key of the table plain; vitrine table key plain sku makes it the key$/m, '... names the command';
is_deeply [table('key', 'plain', 'sku')], [0, '', "sku is the key of plain now\n"], '... which makes it one';
is +(imports("$dir/stock2.csv", 'plain', '--mode', 'upsert', '--key', 'sku'))[0], 0, '... by which rows are found';
like +(table('key', 'plain', 'nope'))[2], qr/nope/, 'no such column';
like +(imports(file($_, "a,b\n1,2\n")))[2], qr/^vitrine: \S+\Q$_\E: a table is made from CSV, TSV, JSON, NDJSON, or Excel/m, "$_ isn't imported"
	for 'main.py', 'diagram.SVG', 'notes.md';
is +(imports(file('rows.dat', "a,b\n1,2\n")))[0], 0, 'an ending that says nothing is';
like +(imports("$dir/stock.csv", 'stock', '--mode', 'replace'))[2], qr/^table stock has 2 rows now$/m, 'or all are replaced';
like +(imports("$dir/stock.csv", 'stock', '--mode', 'create'))[2], qr/a table named stock already exists/, 'not made twice';
like +(imports("$dir/stock.csv", 'stock', '--mode', 'merge'))[2], qr/--mode: must be create, /, 'no such mode';
my $done = Cpanel::JSON::XS::decode_json((imports("$dir/tabs.tsv", '--json'))[1])->{import};
is "$done->{state} $done->{rows_done}", 'done 1', 'as JSON';

# ---- as other makers write them

($status, $out, $err) = imports(file('Preise 2026.csv', "id;Größe;ok;code\r\n7;1,5;TRUE;1E5\r\n;;;\r\n8;2;FALSE;007\r\n\x1a"));
is $status, 0, 'a file with semicolons' or diag $err;
utf8::decode($err);
like $err, qr/^columns: id_:integer Grosse:number ok:boolean code:text$/m, '... names that change';
is_deeply values_of('Preise_2026', qw(id_ Grosse ok code)), [[7, 1.5, 'true', '1E5'], [8, 2, 'false', '007']], '... its values';
like +(imports(file('newer.csv', "Größe;ok;Neu\n1;TRUE;x\n"), 'Preise_2026'))[2],
	qr/^column Neu is left out: The table Preise_2026 has no such column$/m, 'a column that the table lacks is left out, and told';
Vitrine::Stack::spew("$dir/wide.csv", Encode::encode('UTF-16LE', "\x{feff}a\tb\r\n1\tö\r\n"));
is +(imports("$dir/wide.csv"))[0], 0, 'a file of UTF-16';
is_deeply values_of('wide', qw(a b)), [[1, 'ö']], '... its values';
Vitrine::Stack::spew("$dir/western.csv", "a;b\n\xfc;1\n");
like +(table('import', "$dir/western.csv"))[2],
	qr/^encoding: The file isn't UTF-8.*proposed: windows-1252\)$/m, 'one of western Windows is asked about';
is +(imports("$dir/western.csv"))[0], 0, '... and accepted';
is_deeply values_of('western', qw(a b)), [['ü', 1]], '... its values';

# ---- JSON

is +(imports(file('people.json', '[{"name":"Ann","n":1,"tags":["a"]},{"name":null,"n":2.5,"more":"x"}]')))[0], 0, 'JSON';
is_deeply values_of('people', qw(name n tags more)), [['Ann', 1, '["a"]', undef], [undef, 2.5, undef, 'x']], 'its values';
is +(imports(file('lines.ndjson', qq({"a":1}\n\n{"a":2}\n)), 'lines'))[0], 0, 'lines of JSON';
is_deeply values_of('lines', 'a'), [[1], [2]], 'their values';
like +(imports(file('lines.ndjson', qq({"a":1}\n{"a":\n)), 'lines'))[2], qr/line 2: it isn't JSON/, 'a broken line';

# ---- out again

($status, $out) = table('rows', 'lines', '--where', 'a=gt.1');
like $out, qr/^\{"id":"row_\w{26}","a":2\}\n$/, 'rows that fit';
($status, $out) = table('rows', 'lines', '--order', '-a');
is join(',', $out =~ /"a":(\d)/g), '2,1', 'in order';
like +(table('rows', 'lines', '--where', 'b=eq.1'))[2], qr/no such column/, 'what is wrong is told';
is +(table('export', 'First_list', "$dir/out.csv", '--where', 'score=is.notnull'))[0], 0, 'exported';
my $csv = Vitrine::Stack::slurp("$dir/out.csv");
is scalar(() = $csv =~ /^row_/mg), 6, 'those that fit';
is +(imports("$dir/out.csv", 'Again'))[0], 0, 'an export can be imported';
is_deeply values_of('Again', qw(First_name Age score since ok note)),
	[map { [map { ref $_ ? "$_" : $_ } @$_] } @{values_of('First_list', qw(First_name Age score since ok note))}[0 .. 5]],
	'... and is the same';
is +(table('export', 'lines', "$dir/out.ndjson"))[0], 0, 'as lines';
like Vitrine::Stack::slurp("$dir/out.ndjson"), qr/^\{"id":"row_\w+","a":1\}\n\{.*"a":2\}\n$/, '... of JSON';
is +(table('export', 'lines', "$dir/out.json"))[0], 0, 'as JSON';
like Vitrine::Stack::slurp("$dir/out.json"), qr/^\[\{"id":"row_\w+","a":1\},\n\{.*"a":2\}\]\n$/, '... an array';
is +(table('export', 'First_list', "$dir/out.xlsx"))[0], 0, 'as a workbook';
like +(imports("$dir/out.xlsx", 'From_book'))[2], qr/^table From_book is created with 1,506 rows$/m, '... which can be imported';
is_deeply [map { $_->[0] // '' } @{values_of('From_book', 'First_name')}], [map { $_->[0] // '' } @{values_of('First_list', 'First_name')}],
	'... and has the texts';
is +(table('export', 'lines', "$dir/out.xls"))[0], 2, 'no such format';
sub piped {
	my ($bytes, @args) = @_;
	Vitrine::Stack::spew("$dir/piped", $bytes);
	return $stack->client($ann->{token}, 'table', @args, '--artifact', 'data', { stdin => "$dir/piped" });
}
my ($piped) = (table('export', 'First_list', '-', '--where', 'score=is.notnull'))[1];
is $piped, $csv, 'standard output gets CSV';
($status, undef, my $note) = piped($piped, 'import', '-', 'Piped', '--yes');
is $status, 0, 'standard input is imported' or diag $note;
is_deeply values_of('Piped', qw(First_name Age)), values_of('Again', qw(First_name Age)), '... and is the same';
is +(piped("{\"a\":1}\n{\"a\":2}\n", 'import', '-', 'Piped_lines', '--yes'))[0], 0, '... lines of JSON, by what they are';
is_deeply values_of('Piped_lines', 'a'), [[1], [2]], '... as rows';
like +(piped($csv, 'import', '-'))[2], qr/^vitrine: -: name the table: vitrine table import - TABLE$/m, '... into a table that has a name';
is +(table('export', 'nothing', "$dir/none.csv"))[0], 1, 'of nothing';
ok !-e "$dir/none.csv", '... there is no file';
Vitrine::Stack::spew("$dir/out.csv", 'mine');
is_deeply [(table('export', 'First_list', "$dir/out.csv"))[0, 2]],
	[1, "vitrine: $dir/out.csv already exists: move it away, or choose another name\n"], 'a file that is there is kept';
is Vitrine::Stack::slurp("$dir/out.csv"), 'mine', '... as it was';

like +(table('delete', 'lines'))[2], qr/--yes/, 'deleting asks';
is +(table('delete', 'lines', '--yes'))[0], 0, 'or is told not to';
is +(table('rows', 'lines'))[0], 1, 'it is gone';
like +(table('deleted'))[1], qr/^del_\w+  table   lines  \d+ rows?  until /m, '... but listed as deleted';
my ($del) = (table('deleted'))[1] =~ /^(del_\w+)  table   lines/m;
is +(table('restore', $del, '--name', 'lines_2'))[2], "restored: vitrine table rows lines_2 shows it\n",
	'... and comes back under another name';
is +(table('rows', 'lines_2'))[0], 0, '... with its rows';

my $c = [{ name => 'a', type => 'text' }, { name => 'b', type => 'text' }];
$api->call(PUT => "/v1/data/$art/tables/two", { token => $ann->{token}, json => $_ })
	for { columns => $c, rows => [{ b => 'x' }] }, { columns => [$c->[0]], drop => ['b'] };
like +(table('deleted'))[1], qr/^del_\w+  column  two\.b  until /m, 'a dropped column is listed, too';
my ($column) = (table('deleted'))[1] =~ /^(del_\w+)  column/m;
is +(table('restore', $column))[0], 0, '... and comes back';
like +(table('forget', 'x', '--yes'))[2], qr/vitrine table deleted lists it/, 'forget wants an id';
is +(table('forget', $column, '--yes'))[0], 1, '... of something that is deleted';

# ---- history

is +(table('create', 'past', 'name'))[0], 0, 'a table with a history';
my ($past) = @{$api->call(POST => "/v1/data/$art/tables/past/rows", { token => $ann->{token}, json => { rows => [{ name => 'a' }] } })
	->{json}{ids}};
$api->call(PATCH => "/v1/data/$art/tables/past/rows/$past", { token => $ann->{token}, json => { name => 'b' } });
my @history = split /\n/, (table('history', 'past'))[1];
like $history[0], qr/^bat_\w+  .*  api    .*: 1 row changed$/, 'who changed what';
like $history[1], qr/: 1 row added$/, '... newest first';
my ($batch) = $history[0] =~ /^(\w+)/;
my @undone = table('undo', 'past', $batch);
like $undone[1], qr/^bat_\w+$/, 'undo names its batch';
is $undone[2], "1 row undone\n", '... and says how many';
is_deeply values_of('past', 'name'), [['a']], '... which are as before';
is +(table('undo', 'past', $batch))[2], "0 rows undone, 1 kept, which others have changed since\n", '... once';
is +(table('restore', 'past', $past, $batch))[0], 0, 'a row as before a batch';
like +(table('restore', 'past', '2020-01-01T00:00:00Z'))[2], qr/doesn't go back that far; it begins at 20\S+Z/,
	'a table before its history';

# ---- columns

is +(table('create', 'orders', 'state:choice(open|in work)', 'due:date', 'guest:link(guests)', 'amount'))[0], 0,
	'choices, dates, and links';
like +(table('list'))[1], qr/^orders +0 rows  state:choice due:date guest:link amount:text$/m, '... in the list';
$api->call(POST => "/v1/data/$art/tables/orders/rows",
	{ token => $ann->{token}, json => { rows => [map { { amount => $_ } } '1,5', '2,5', 'n/a'] } });
my $odd = rows('orders')->[2]{id};
is_deeply [table(qw(retype orders amount number --decimal comma --dry-run))], [0, "$odd \"n/a\"\n", "2 fit, 0 empty, 1 doesn't fit\n"],
	'what another type would lose';
like +(table(qw(retype orders amount number --decimal comma)))[2], qr/^vitrine: amount: 1 row has no value of type number; with --null, /,
	'... is refused';
is +(table(qw(retype orders amount number --decimal comma --null)))[0], 0, '... or lost on purpose';
is_deeply values_of('orders', 'amount'), [[1.5], [2.5], [undef]], 'the values';
is_deeply [table(qw(rename orders amount total))], [0, '', "amount is total now\n"], 'another name';
is_deeply values_of('orders', 'total'), [[1.5], [2.5], [undef]], '... for the same values';
like +(table(qw(rename orders nothing total)))[2], qr/the table orders has no column nothing/, 'not of what is not there';
finish($stack);
