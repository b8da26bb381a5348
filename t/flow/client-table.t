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
like +(table('create', 'x', 'a:varchar'))[2], qr/columns\[0\]\.type: must be one of/, 'what the service refuses is told';
is +(table('paint', 'x'))[0], 2, 'no such action';

# ---- CSV

my ($status, $out, $err) = table('import',
	file('First list.csv', "\x{feff}First name,Age,score,since,ok,note,id\r\nÄnn,41,1.50,2026-01-02T03:04:05Z,true,\"a, \"\"b\"\"\n"
		. "c\",row_${\('0' x 26)}\r\n\"\",007,-2,2026-01-02T03:04:05.5+02:00,false,,row_${\('1' x 26)}\r\n\r\nBo,,1e3\r\n"));
is $status, 0, 'a file of CSV' or diag $err;
like $err, qr/^column "First name" is renamed to First_name$/m, 'names are made fit, and told';
like $err, qr/^column id is left out/m, 'ids are not kept';
like $err,
	qr/^table First_list is created, with types guessed from the values: First_name:text Age:text score:number since:timestamp ok:boolean note:text$/m,
	'types are guessed, and told';
like $err, qr/^3 rows added to First_list$/m, 'how many';
is_deeply values_of('First_list', qw(First_name Age score since note)), [["Änn", '41', '1.50' + 0, '2026-01-02T03:04:05Z', "a, \"b\"\nc"],
	['', '007', -2, '2026-01-02T03:04:05.5+02:00', undef], ['Bo', undef, 1000, undef, undef]], 'the values';
is +(table('import', "$dir/First list.csv"))[0], 0, 'once more';
is scalar @{rows('First_list')}, 6, '... adds them again';
for (["a,b\n1,2,3\n", qr/line 2: more values than/], ["a\n\"x", qr/a quote isn't closed/],
	["a\nx\"y\n", qr/line 2: a value that contains a quote/], ["a\n\"x\"y\n", qr/a closing quote must be followed/],
	["", qr/first line must name/], ["a\n\x81", qr/UTF-8|line/]) {
	my ($status, undef, $err) = table('import',
		$_->[0] =~ /\x81/ ? do { Vitrine::Stack::spew("$dir/bad.csv", "a\n\x81\n"); "$dir/bad.csv" } : file('bad.csv', $_->[0]));
	is $status, 1, 'a file that is none';
	like $err, $_->[1], '... and where';
}
like +(table('import', "$dir/nothing.csv"))[2], qr/no such file/, 'no file';
like +(table('import', file('x.xlsx', 'a')))[2], qr/must end in \.csv, .*save a workbook's sheet as CSV UTF-8/, 'of another kind';
like +(table('import', file('tabs.tsv', "one\ttwo\n1\t2\n")))[2], qr/1 row added to tabs/, 'divided by tabs';
($status, undef, $err) = table('import', file('second.csv', join "\n", 'Age,ok', (map { "$_,true" } 1 .. 1500), 'x,perhaps', ''),
	'First_list');
is $status, 1, 'a value that does not fit the table';
like $err, qr/^vitrine: \S+second\.csv: line 1502: ok: must be true or false/m, '... which one, by its line';
like $err, qr/^1,000 rows of .*second\.csv added before the error; the next one is line 1002$/m, '... and what was added';

like +(table('import', file('spans.csv', qq(n,note\n1,"two\nlines"\n2,x\nthree,y\n)), 'people_n'))[2],
	qr/created, with types guessed from the values: n:text/, 'a field of two lines';
is +(table('create', 'counted', 'n:integer', 'note'))[0], 0;
like +(table('import', "$dir/spans.csv", 'counted'))[2], qr/spans\.csv: line 5: n: must be a 64-bit whole number/,
	'... is counted as the file has it';
like +(table('import', file('spans.ndjson', qq({"n":1}\n\n{"n":"x"}\n)), 'counted'))[2],
	qr/spans\.ndjson: line 3: n: must be a 64-bit whole number/, 'lines of JSON, too';
like +(table('import', file('spans.json', '[{"n":1},{"n":"x"}]'), 'counted'))[2], qr/spans\.json: row 2: n: must be a 64-bit whole number/,
	'... and rows';

($status, $out, $err) = table('import', file('Preise 2026.csv', "id;Größe;ok;code\r\n7;1,5;TRUE;1E5\r\n;;;\r\n8;2;FALSE;007\r\n\x1a"));
is $status, 0, 'a file with semicolons' or diag $err;
like $err, qr/^the separator is a semicolon$/m, '... which is told';
utf8::decode($err);
like $err, qr/^column "$_->[0]" is renamed to $_->[1]$/m, '... and names that change' for ['Größe', 'Grosse'], ['id', 'id_2'];
is_deeply values_of('Preise_2026', qw(id_2 Grosse ok code)), [[7, 1.5, 'true', '1E5'], [8, 2, 'false', '007']], '... its values';
like +(table('import', file('newer.csv', "Größe;ok;Neu;leer;mehr\n1;TRUE;x;;y\n"), 'Preise_2026'))[2],
	qr/^vitrine: \S+newer\.csv: the table Preise_2026 has no columns Neu, mehr; its columns are id_2, Grosse, ok, code$/m,
	'columns that the table lacks are all named at once';
Vitrine::Stack::spew("$dir/wide.csv", Encode::encode('UTF-16LE', "\x{feff}a\tb\r\n1\tö\r\n"));
is +(table('import', "$dir/wide.csv"))[0], 0, 'a file of UTF-16';
is_deeply values_of('wide', qw(a b)), [[1, 'ö']], '... its values';
Vitrine::Stack::spew("$dir/western.csv", "a;b\n\xfc;1\n");
like +(table('import', "$dir/western.csv"))[2], qr/^the file is read as windows-1252$/m, 'one of western Windows is told';
is_deeply values_of('western', qw(a b)), [['ü', 1]], '... its values';
for (["PK\3\4xx", qr/it isn't CSV but a workbook/], ['[{"a":1}]', qr/it isn't CSV but JSON/],
	["a\nx\n\x81\n", qr/line 3: it isn't valid UTF-8 \(perhaps Windows-1252\)/]) {
	Vitrine::Stack::spew("$dir/other.csv", $_->[0]);
	like +(table('import', "$dir/other.csv"))[2], $_->[1], 'what is no CSV is told by its name';
}

# ---- JSON

is +(table('import', file('people.json', '[{"name":"Ann","n":1,"tags":["a"]},{"name":null,"n":2.5,"more":"x"}]')))[0], 0, 'JSON';
is_deeply values_of('people', qw(name n tags more)), [['Ann', 1, '["a"]', undef], [undef, 2.5, undef, 'x']], 'its values';
is +(table('import', file('lines.ndjson', qq({"a":1}\n\n{"a":2}\n)), 'lines'))[0], 0, 'lines of JSON';
is_deeply values_of('lines', 'a'), [[1], [2]], 'their values';
like +(table('import', file('lines.ndjson', qq({"a":1}\n{"a":\n)), 'lines'))[2], qr/line 2: /, 'a broken line';

# ---- out again

($status, $out) = table('rows', 'lines', '--where', 'a=gt.1');
like $out, qr/^\{"id":"row_\w{26}","a":2\}\n$/, 'rows that fit';
($status, $out) = table('rows', 'lines', '--order', '-a');
is join(',', $out =~ /"a":(\d)/g), '2,1', 'in order';
like +(table('rows', 'lines', '--where', 'b=eq.1'))[2], qr/no such column/, 'what is wrong is told';
is +(table('export', 'First_list', "$dir/out.csv", '--where', 'score=is.notnull'))[0], 0, 'exported';
my $csv = Vitrine::Stack::slurp("$dir/out.csv");
is scalar(() = $csv =~ /^row_/mg), 6, 'those that fit';
is +(table('import', "$dir/out.csv", 'Again'))[0], 0, 'an export can be imported';
is_deeply values_of('Again', qw(First_name Age score since ok note)),
	[map { [map { ref $_ ? "$_" : $_ } @$_] } @{values_of('First_list', qw(First_name Age score since ok note))}[0 .. 5]],
	'... and is the same';
is +(table('export', 'lines', "$dir/out.ndjson"))[0], 0, 'as lines';
like Vitrine::Stack::slurp("$dir/out.ndjson"), qr/^\{"id":"row_\w+","a":1\}\n\{.*"a":2\}\n$/, '... of JSON';
is +(table('export', 'nothing', "$dir/none.csv"))[0], 1, 'of nothing';
ok !-e "$dir/none.csv", '... there is no file';
Vitrine::Stack::spew("$dir/out.csv", 'mine');
is_deeply [(table('export', 'First_list', "$dir/out.csv"))[0, 2]],
	[1, "vitrine: $dir/out.csv already exists: move it away, or choose another name\n"], 'a file that is there is kept';
is Vitrine::Stack::slurp("$dir/out.csv"), 'mine', '... as it was';

like +(table('delete', 'lines'))[2], qr/--yes/, 'deleting asks';
is +(table('delete', 'lines', '--yes'))[0], 0, 'or is told not to';
is +(table('rows', 'lines'))[0], 1, 'it is gone';
like +(table('deleted'))[1], qr/^del_\w+  lines  \d+ rows?  until /m, '... but listed as deleted';
my ($del) = (table('deleted'))[1] =~ /^(del_\w+)  lines/m;
is +(table('restore', $del, '--name', 'lines_2'))[2], "table lines_2 is back\n", '... and comes back under another name';
is +(table('rows', 'lines_2'))[0], 0, '... with its rows';

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
like +(table('restore', 'past', '2020-01-01T00:00:00Z'))[2], qr/doesn't go back that far/, 'a table before its history';

# ---- columns

is +(table('create', 'orders', 'state:choice(open|in work)', 'due:date', 'guest:link(guests)', 'amount'))[0], 0,
	'choices, dates, and links';
like +(table('list'))[1], qr/^orders +0 rows  state:choice due:date guest:link amount:text$/m, '... in the list';
$api->call(POST => "/v1/data/$art/tables/orders/rows",
	{ token => $ann->{token}, json => { rows => [map { { amount => $_ } } '1,5', '2,5', 'n/a'] } });
my $odd = rows('orders')->[2]{id};
is_deeply [table(qw(retype orders amount number --decimal comma --dry-run))], [0, "$odd \"n/a\"\n", "2 fit, 0 empty, 1 doesn't fit\n"],
	'what another type would lose';
like +(table(qw(retype orders amount number --decimal comma)))[2], qr/^vitrine: amount: 1 row has no value of type number/,
	'... is refused';
is +(table(qw(retype orders amount number --decimal comma --null)))[0], 0, '... or lost on purpose';
is_deeply values_of('orders', 'amount'), [[1.5], [2.5], [undef]], 'the values';
is_deeply [table(qw(rename orders amount total))], [0, '', "amount is total now\n"], 'another name';
is_deeply values_of('orders', 'total'), [[1.5], [2.5], [undef]], '... for the same values';
like +(table(qw(rename orders nothing total)))[2], qr/the table orders has no column nothing/, 'not of what is not there';
finish($stack);
