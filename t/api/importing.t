# SPDX-License-Identifier: Apache-2.0
# Files that become tables: every line is checked before one is stored, what can't be known is asked, and what was checked is what is
# stored.
use utf8;
use Encode 'encode';
use Vitrine::Book qw(workbook bad_books);
use Vitrine::Words qw(as refused);

my ($stack, $api, $db) = stack(data_per_minute => 100_000);
my ($ann, $ben, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben eve);
my $rule = { tables => { shared => { read => 'true', write => 'row.owner == viewer.email' } } };
my $art = $api->publish($ann, slug => 'data', visibility => 'unlisted', access_policy => $rule);
my $other = $api->publish($eve, slug => 'other', visibility => 'private');
my $base = "/v1/data/$art";
my $imports = "$base/imports";

sub runner { my ($status, undef, $err) = $stack->runner; is $status, 0, 'the runner ran' or diag $err }
sub get { return as($_[1] // $ann, GET => "$imports/$_[0]")->{json}{import} }
# Sends text or a file's bytes, and has it checked.
sub begun {
	my ($bytes, %o) = @_;
	my $who = delete $o{who} // $ann;
	my $patch = delete $o{patch};
	my $r = as($who, POST => $imports, { filename => 'file.csv', %o });
	is $r->{status}, 201, 'an import begins' or diag $r->{body};
	my $imp = $r->{json}{import};
	my $path = $imp->{upload_url} =~ s{^https?://[^/]+}{}r;
	$r = $api->call(PUT => $path, { body => $bytes, headers => { 'Content-Type' => 'application/octet-stream' } });
	is $r->{status}, 201, '... with its bytes' or diag $r->{body};
	runner();
	if ($patch) {
		$r = as($who, PATCH => "$imports/$imp->{id}", $patch);
		is $r->{status}, 202, '... is changed' or diag $r->{body};
		runner();
	}
	return get($imp->{id}, $who);
}
sub start {
	my ($imp, %o) = @_;
	return as($o{who} // $ann, POST => "$imports/$imp->{id}/start", { accept_proposals => $o{accept} ? $true : $false });
}
sub stored {
	my ($imp, %o) = @_;
	my $r = start($imp, %o);
	is $r->{status}, 202, 'it starts' or diag $r->{body};
	runner();
	my $now = get($imp->{id}, $o{who});
	is $now->{state}, $o{state} // 'done', '... and ends' or diag $now->{error};
	return $now;
}
sub rows {
	my ($table) = @_;
	my $r = as($ann, GET => "$base/tables/$table/rows?limit=200");
	return [map { delete $_->{id}; $_ } @{$r->{json}{rows}}];
}
sub types { my ($imp) = @_; return join ' ', map { "$_->{name}:$_->{type}" } @{$imp->{columns}} }
sub asked { my ($imp) = @_; return join ' ', map { "$_->{id}=$_->{proposed}" } @{$imp->{questions}} }
sub misfits { my ($imp) = @_; return join '; ', map { "$_->{line} " . ($_->{column} // '-') . ": $_->{why}" } @{$imp->{misfits}} }
sub clean { is +($stack->program('vitrinectl', {}, 'fsck'))[1], "clean\n", "fsck is clean $_[0]" }
sub counted {
	return $db->selectrow_array('SELECT row_count = (SELECT COUNT(*) FROM data_row r WHERE r.table_no = t.no) '
		. 'AND size_bytes = (SELECT COALESCE(SUM(LENGTH(doc)), 0) FROM data_row r WHERE r.table_no = t.no) FROM data_table t '
		. 'WHERE name = ? AND artifact_id = ?', undef, $_[0], $art);
}

subtest 'a file becomes a table' => sub {
	my $imp = begun("order_no;ordered on;amount;zip;paid;note\n1;21.11.2026;1.260,00;01234;ja;\n2;22.11.2026;468,5;11120;nein;\"\"\n",
		filename => 'orders 2026.csv');
	is $imp->{state}, 'ready', 'it is checked' or diag $imp->{error};
	is $imp->{table}, 'orders_2026', 'named as the file';
	is types($imp), 'order_no:integer ordered_on:date amount:number zip:text paid:boolean note:text', 'types by all values';
	is asked($imp), '', 'nothing is asked';
	is_deeply [@{$imp->{dialect}}{qw(encoding delimiter header)}], ['utf-8', 'semicolon', $true], 'what the file is';
	is $imp->{rows} . ' ' . $imp->{misfit_rows}, '2 0', 'how many rows';
	like $imp->{columns}[3]{note}, qr/^Text, because of line 2/, 'why a column is text';
	like $imp->{columns}[1]{note}, qr/“ordered on” is named ordered_on\. Read as day, month, year/, 'what was read how';
	is $imp->{preview}[1]{amount}, 468.5, 'the first rows as they will be';
	is as($ann, GET => "$base/tables/orders_2026")->{status}, 404, 'nothing is stored yet';
	my $done = stored($imp);
	is $done->{rows_done}, 2, 'the rows are stored';
	is_deeply rows('orders_2026'), $imp->{preview}, 'the preview is what is stored';
	ok counted('orders_2026'), '... and counted';
	refused(start($imp), '409 CONFLICT', 'once');
	is as($ann, DELETE => "$imports/$imp->{id}")->{status}, 409, 'and it can be cancelled no more';
	my $list = as($ann, GET => $imports)->{json}{imports};
	is $list->[0]{id}, $imp->{id}, 'it is listed';
};

subtest 'what the service asks' => sub {
	my $imp = begun(encode('cp1252', "name,day,n\nJürgen,03/04/2026,\"1,234\"\n"));
	is asked($imp), 'encoding=windows-1252 date_order.day=dmy decimal.n=.', 'encoding, decimal mark and order of the date';
	is $imp->{preview}[0]{name}, 'Jürgen', 'the preview is as proposed';
	my $r = refused(start($imp), '409 CONFLICT', 'it does not start with open questions');
	is_deeply [map { $_->{id} } @{$r->{json}{details}{questions}}], ['encoding', 'date_order.day', 'decimal.n'], '... which it names';
	as($ann, PATCH => "$imports/$imp->{id}", { answers => { 'decimal.n' => ',', 'date_order.day' => 'mdy' } });
	runner();
	$imp = get($imp->{id});
	is asked($imp), 'encoding=windows-1252', 'answers count';
	is types($imp), 'name:text day:date n:number', '... for types, too';
	is_deeply $imp->{preview}[0], { name => 'Jürgen', day => '2026-03-04', n => 1.234 }, '... and values';
	stored($imp, accept => 1);
	is rows('file')->[0]{day}, '2026-03-04', 'proposals can be accepted';
	$imp = begun("a,b;c,d\n1,2;3,4\n");
	is asked($imp), 'delimiter=comma', 'two delimiters that fit alike';
	$imp = begun("a,b\nx,y\n", table => 'asks');
	is asked($imp), 'header=yes', 'a first line that could be either';
	as($ann, PATCH => "$imports/$imp->{id}", { answers => { header => 'no' } });
	runner();
	$imp = get($imp->{id});
	is types($imp) . " $imp->{rows}", 'column_1:text column_2:text 2', '... is one when it is said';
	as($ann, DELETE => "$imports/$imp->{id}");
	$imp = begun("at\n2026-11-21 10:00\n", table => 'zoned');
	is asked($imp), 'zone.at=UTC', 'a time without a zone';
	as($ann, PATCH => "$imports/$imp->{id}", { dialect => { zone => 'Europe/Berlin' } });
	runner();
	is get($imp->{id})->{preview}[0]{at}, '2026-11-21T09:00:00Z', '... which any can be named for';
	$imp = begun("a;b\n1.234;1.234,5\n2.345;2\n", table => 'marks');
	is asked($imp), 'decimal.a=,', 'one column is asked, the other told';
	like $imp->{columns}[1]{note}, qr/comma is the decimal mark/, '... by its values';
	$db->do("UPDATE import SET state = 'cancelled', due = 0 WHERE state = 'ready'");
};

subtest 'hard files' => sub {
	my $n = 3000;
	my $imp = begun("code\n" . join('', map { "$_\n" } 1 .. $n) . "007\n", table => 'codes');
	is types($imp), 'code:text', '007 in the last line makes it text';
	like $imp->{columns}[0]{note}, qr/line 3,002/, '... and is told';
	as($ann, PATCH => "$imports/$imp->{id}", { columns => [{ source => 'code', type => 'integer' }] });
	runner();
	$imp = get($imp->{id});
	is misfits($imp), '3002 code: isn’t a whole number', 'who chooses another type makes misfits';
	refused(start($imp), '409 CONFLICT', 'which must be decided on', qr/One line doesn't fit/);
	as($ann, PATCH => "$imports/$imp->{id}", { on_misfit => 'leave_out' });
	runner();
	is stored(get($imp->{id}))->{rows_done}, $n, '... and are left out';
	is as($ann, GET => "$imports/$imp->{id}/left-out")->{body},
		"line,code,why\r\n3002,007,code: isn’t a whole number\r\n" =~ s/’/\xe2\x80\x99/r,
		'... and come back as a file';
	$imp = begun("a,b\n1,2\n1,\"x\n3\n4,5\n6,n/a\n7,\n", table => 'ragged',
		patch => { columns => [{ source => 'b', type => 'integer' }] });
	is misfits($imp), q(3 -: a quote that opens here isn't closed; 4 -: it has 1 value instead of 2; 6 b: isn’t a whole number),
		'an open quote, a ragged line, a word for nothing';
	as($ann, PATCH => "$imports/$imp->{id}", { on_misfit => 'null', dialect => { nulls => ['n/a'] } });
	runner();
	$imp = get($imp->{id});
	is $imp->{misfit_rows}, 2, 'words that mean nothing are named';
	stored($imp);
	is_deeply rows('ragged'), [{ a => 1, b => 2 }, { a => 4, b => 5 }, { a => 6, b => undef }, { a => 7, b => undef }],
		'the rest is stored';
	$imp = begun("First name,a,a,,id\nx,1,2,3,4\n", table => 'heads');
	is types($imp), 'First_name:text a:integer a_2:integer column:integer id_:integer', 'names are made valid and different';
	$imp = begun(encode('UTF-16LE', "\x{feff}naïve\tn\r\ny\t1\r\n"), table => 'wide', filename => 'wide.txt');
	is types($imp) . " $imp->{dialect}{encoding} $imp->{format}", 'naive:text n:integer utf-16le tsv', 'UTF-16 with tabs';
	$db->do("UPDATE import SET state = 'cancelled', due = 0 WHERE state = 'ready'");
	$imp = begun("sep=;\na;b\n1;2\n", table => 'excel');
	is types($imp), 'a:integer b:integer', "Excel's first line";
	$imp = begun("name,n\nx,1\n\xff,2\n", table => 'bytes');
	is asked($imp), 'encoding=windows-1252', 'byte 0xFF in the last line is asked about';
	$imp = begun("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" . "x" x 600, filename => 'old.xls');
	is $imp->{state}, 'failed', 'an old workbook fails';
	like $imp->{error}, qr/old or an encrypted workbook; open it in the program/, '... with a way';
	$imp = begun('x' x (3 << 20), filename => 'one.csv');
	like "$imp->{state} $imp->{error}", qr/^failed Line 1 can't be read: it is longer than 1 MB/, 'one line of any length';
	$imp = begun('', filename => 'empty.csv');
	like "$imp->{state} $imp->{error}", qr/^failed The file is empty/, 'an empty file';
	$db->do("UPDATE import SET state = 'cancelled', due = 0 WHERE state = 'ready'");
};

subtest 'a published file' => sub {
	my $v = as($ann, POST => '/v1/publish', { artifact_id => $art, files => [{ path => 'index.html', content => 'one' },
		{ path => 'in/the towns.csv', content => "town,n\nOslo,1\n" }, { path => 'vitrine.yaml', content => "tables: {}\n" }] });
	is $v->{status}, 201, 'a version has one' or diag $v->{body};
	as($ann, POST => '/v1/publish', { artifact_id => $art, files => [{ path => 'index.html', content => 'two' }] });
	my $no = $v->{json}{version}{version_no};
	my %file = (path => 'in/the towns.csv', version => $no);
	my $r = as($ann, POST => $imports, { from_file => \%file });
	is_deeply [$r->{status}, @{$r->{json}{import}}{qw(state filename table upload_url)}],
		[201, 'checking', 'the towns.csv', 'the_towns', undef], 'is imported by its path, without its bytes';
	runner();
	is stored(get($r->{json}{import}{id}))->{rows_done}, 1, '... all of it';
	refused(as($ann, POST => $imports, { from_file => { %file, version => 0 } }), '400 INVALID_REQUEST', 'no version', qr/version/);
	refused(as($ann, POST => $imports, { from_file => { path => 'in/the towns.csv' } }), '404 NOT_FOUND', 'the live version has none');
	refused(as($ann, POST => $imports, { from_file => \%file, text => "n\n" }), '400 INVALID_REQUEST', 'two files', qr/from_file/);
	refused(as($ben, POST => $imports, { from_file => \%file, mode => 'add', table => 'shared' }), '404 NOT_FOUND',
		'one of a version that the caller does not see');
	my $token = $stack->token($ann->{id}, 'sot_', scopes => 12);
	refused($api->call(POST => $imports, { token => $token, json => { from_file => \%file } }), '403 INSUFFICIENT_SCOPE',
		'files need a scope of their own', qr/artifacts:read/);
};

subtest 'JSON' => sub {
	my $imp = begun('[{"a":1,"b":"x"},{"a":2.50,"c":[1,2]},{"b":"2026-11-21"}]', filename => 'rows.json');
	is types($imp), 'a:number b:text c:json', 'kinds of values';
	stored($imp);
	is_deeply rows('rows'),
		[{ a => 1, b => 'x', c => undef }, { a => 2.5, b => undef, c => [1, 2] }, { a => undef, b => '2026-11-21', c => undef }],
		'... are stored';
	like as($ann, GET => "$base/tables/rows/rows")->{body}, qr/"a":2\.50,/, '... as they were sent';
	$imp = begun(qq({"a":"007"}\n{"a":"8"\n{"a":"9"}\n), filename => 'lines.ndjson');
	is types($imp), 'a:text', 'texts of JSON are texts';
	like misfits($imp), qr/^2 -: it isn't JSON/, 'a broken line';
	$imp = begun('[{"a":1},', filename => 'cut.json', table => 'cut');
	like "$imp->{state} $imp->{error}", qr/^failed the file is cut off/, 'a file that is cut off';
	$imp = begun('[{},{}]', filename => 'bare.json', table => 'bare');
	like "$imp->{state} $imp->{error}", qr/^failed The file has no columns/, 'rows without a member';
	my $r = as($ann, POST => $imports, { text => "n\n1\n2\n", table => 'pasted' });
	is "$r->{status} $r->{json}{import}{state}", '201 checking', 'pasted text';
	runner();
	is types(get($r->{json}{import}{id})), 'n:integer', '... is checked as a file is';
	$db->do("UPDATE import SET state = 'cancelled', due = 0 WHERE state = 'ready'");
};

subtest 'workbooks' => sub {
	my $imp = begun(workbook([['Empty', []], ['Orders', [['day', 'at', 'n', 'ok', 'zip', 'sum'],
		[['n', 2, '<v>46347</v>'], ['n', 4, '<v>46347.5</v>'], ['n', 0, '<v>0.1</v>'], ['b', 0, '<v>1</v>'], '007',
			['n', 0, '<f>A1</f><v>3</v>']], undef,
		[['n', 1, '<v>61</v>'], undef, ['n', 0, '<v>1.5E2</v>'], ['b', 0, '<v>0</v>'], 'ä <x>', ['str', 0, '<f>B</f><v>4</v>']]]]]),
		filename => 'book.xlsx');
	is "$imp->{state} $imp->{format} $imp->{dialect}{sheet}", 'ready xlsx Orders', 'a workbook is read' or diag $imp->{error};
	is types($imp), 'day:date at:timestamp n:number ok:boolean zip:text sum:integer', 'types by cells and formats';
	is asked($imp), 'zone.at=UTC', 'its times have no zone';
	is_deeply $imp->{preview}, [{ day => '2026-11-21', at => '2026-11-21T12:00:00Z', n => 0.1, ok => $true, zip => '007', sum => 3 },
		{ day => '1900-03-01', at => undef, n => 150, ok => $false, zip => 'ä <x>', sum => 4 }], 'dates, stored values of formulas';
	stored($imp, accept => 1);
	is_deeply rows('book'), $imp->{preview}, '... are stored';
	clean('with a workbook');
	$imp = begun(workbook([['Old', [['day'], [['n', 1, '<v>0</v>']], [['n', 1, '<v>44885</v>']]]],
		['New', [['n'], [['n', 0, '<v>1</v>']],
			[['e', 0, '<v>#N/A</v>']]]]], from_1904 => 1), filename => 'two.xlsx');
	is asked($imp), 'sheet=Old', 'several sheets with rows';
	is $imp->{preview}[1]{day} . ' ' . $imp->{preview}[0]{day}, '2026-11-21 1904-01-01', 'days since 1904';
	as($ann, PATCH => "$imports/$imp->{id}", { answers => { sheet => 'New' } });
	runner();
	$imp = get($imp->{id});
	is asked($imp) . types($imp) . ' ' . misfits($imp), 'n:integer 3 n: is an error of the workbook', 'another sheet, with an error';
	as($ann, DELETE => "$imports/$imp->{id}");
	my %bad = bad_books();
	for my $what (sort keys %bad) {
		$imp = begun($bad{$what}, filename => 'bad.xlsx');
		is $imp->{state}, 'failed', "$what: failed";
		note $imp->{error};
	}
	$imp = begun(workbook([['A', [['day', 'n'], [['n', 1, '<v>46347</v>'], ['n', 0, '<v>007</v>']], [['n', 1, '<v>0</v>']],
		[['n', 1, '<v>2958465.9999999</v>']]]]], parts => { "a/\x{5c0f}.xml" => '<x/>' }), filename => 'odd.xlsx');
	is $imp->{state}, 'ready', 'a name in another script within' or diag $imp->{error};
	is $imp->{preview}[0]{n}, 7, '... a number with zeros before it';
	is misfits($imp), '3 day: is an error of the workbook; 4 day: is an error of the workbook',
		'... days that there are not';
	as($ann, DELETE => "$imports/$imp->{id}");
	$imp = begun(workbook([['A', [['fine', 'plain', 'text'], [['n', 5, '<v>46347.5000014</v>'], ['n', 4, '<v>46347.5000014</v>'],
		'_x0041__x000D_ _x005F_x0041_ _x00_ _x0000_ _xd800_']]]]), filename => 'escaped.xlsx');
	is_deeply $imp->{preview}, [{ fine => '2026-11-21T12:00:00.121Z', plain => '2026-11-21T12:00:00Z',
		text => "A\r _x0041_ _x00_ _x0000_ _xd800_" }], 'milliseconds that the format shows; escaped characters'
		or diag $imp->{error};
	as($ann, DELETE => "$imports/$imp->{id}");
	$imp = begun(substr(workbook([['A', [['x']]]]), 0, 400), filename => 'cut.xlsx');
	is $imp->{state}, 'failed', 'cut off: failed';
};

subtest 'rows are added' => sub {
	as($ann, PUT => "$base/tables/shared", { columns => [{ name => 'owner', type => 'text' }, { name => 'n', type => 'integer' }] });
	as($ann, POST => "$base/tables/shared/rows", { rows => [map { { owner => 'ann@example.org', n => $_ } } 1 .. 10] });
	refused(as($ben, POST => $imports, { filename => 'x.csv' }), '400 INVALID_REQUEST', 'who is no editor creates no table',
		qr/editor role/);
	my $imp = begun("n,owner,more\n1,ben\@example.org,x\n2,eve\@example.org,y\n", who => $ben, mode => 'add', table => 'shared');
	is misfits($imp), '3 -: the access_policy doesn’t let you add this row', 'the rule is asked for each row';
	like $imp->{columns}[2]{note}, qr/has no such column/, 'a column that the table lacks is left out';
	as($ben, PATCH => "$imports/$imp->{id}", { on_misfit => 'leave_out' });
	runner();
	stored($imp, who => $ben);
	is scalar @{rows('shared')}, 11, 'the other row is added';
	my ($batch) = @{as($ann, GET => "$base/tables/shared/history?via=import")->{json}{batches}};
	is_deeply [@{$batch}{qw(batch_id added)}, $batch->{by}{user_id}], [get($imp->{id})->{batch_id}, 1, $ben->{id}],
		'... as one batch of its maker';
	is as($eve, GET => "$imports/$imp->{id}")->{status}, 404, 'nobody else sees it';
	is as($ann, GET => "$imports/$imp->{id}")->{status}, 200, '... but editors';
	is as($eve, GET => "/v1/data/$other/imports/$imp->{id}")->{status}, 404, '... and not from elsewhere';
	$imp = begun("n,owner\n5,ben\@example.org\n", who => $ben, mode => 'add', table => 'shared');
	start($imp, who => $ben);
	$db->do('UPDATE artifact SET access_policy = NULL WHERE id = ?', undef, $art);
	runner();
	my $failed = get($imp->{id}, $ann);
	like "$failed->{state} $failed->{error}", qr/^failed .*(?:add rows of|no table) shared/, 'who has lost the right stores nothing';
	refused(as($ben, POST => $imports, { filename => 'x.csv', mode => 'add', table => 'shared' }), '403 ACCESS_DENIED',
		'... and begins nothing');
	is scalar @{rows('shared')}, 11, '... at all';
	refused(as($ann, POST => $imports, { filename => 'x.csv', mode => 'add', table => 'nowhere' }), '404 NOT_FOUND', 'no such table');
	ok counted('shared'), 'rows are counted';
};

subtest 'a table is replaced' => sub {
	my $imp = begun("n,extra\n7,x\n8,y\n", mode => 'replace', table => 'shared');
	is types($imp), 'n:integer extra:text', 'its columns keep their types';
	as($ann, PUT => "$base/tables/shared", { columns => [{ name => 'owner', type => 'text' }, { name => 'n', type => 'integer' },
		{ name => 'late', type => 'text' }] });
	my $r = start($imp);
	is "$r->{status} $r->{json}{import}{state}", '202 checking', 'columns that changed meanwhile are checked again';
	like $r->{json}{import}{error}, qr/columns of the table have changed/, '... with the reason';
	runner();
	stored(get($imp->{id}));
	is_deeply rows('shared'), [map { { owner => undef, n => $_->[0], late => undef, extra => $_->[1] } } [7, 'x'], [8, 'y']],
		'all of it at once';
	is $db->selectrow_array("SELECT COUNT(*) FROM data_table WHERE name = 'shared' AND artifact_id = ?", undef, $art), 1,
		'... as one table';
};

subtest 'a key' => sub {
	my $imp = begun("no,t\n1,a\n2,b\n1,c\n,d\n,e\n", table => 'keyed', key => 'no');
	is misfits($imp), '4 no: is the key of another line', 'two lines of one key';
	as($ann, PATCH => "$imports/$imp->{id}", { on_misfit => 'leave_out' });
	runner();
	is stored(get($imp->{id}))->{rows_done}, 4, '... of which the second is left out';
	is as($ann, GET => "$base/tables/keyed")->{json}{table}{key}, 'no', 'the table has the key';
	refused(as($ann, POST => "$base/tables/keyed/rows", { rows => [{ no => 2 }] }), '409 CONFLICT', '... which holds from then on');
	$imp = begun("no,t\n3,x\n2,y\n", mode => 'add', table => 'keyed');
	is misfits($imp), '3 no: is the key of a row of the table', 'the misfit names the line whose key the table has';
	is $imp->{misfits}[0]{value}, 2, '... with its value';
	is_deeply $imp->{preview}, [{ no => 3, t => 'x' }], '... and the row isn\'t shown as one to come';
	refused(start($imp), '409 CONFLICT', '... which must be decided on', qr/One line doesn't fit/);
	as($ann, PATCH => "$imports/$imp->{id}", { on_misfit => 'leave_out' });
	runner();
	is stored(get($imp->{id}))->{rows_done}, 1, '... and is left out';
	is as($ann, GET => "$imports/$imp->{id}/left-out")->{body}, "line,no,t,why\r\n3,2,y,no: is the key of a row of the table\r\n",
		'... and comes back as a file, without the row that was added';
	$imp = begun("no,t\n4,x\n5,a\n5,b\n", mode => 'add', table => 'keyed');
	like as($ann, GET => "$imports/$imp->{id}/left-out")->{body}, qr/^line,no,t,why\r\n4,5,b,no: is the key of another line\r\n$/,
		'so does the second line of a key';
	as($ann, DELETE => "$imports/$imp->{id}");
	$imp = begun("no,t\n" . join('', map { "$_,x\n" } 2001 .. 4000), mode => 'add', table => 'keyed');
	as($ann, POST => "$base/tables/keyed/rows", { rows => [{ no => 3500 }] });
	like stored($imp, state => 'failed')->{error}, qr/no: another row of keyed has 3500/, 'one that came after the check fails the import';
	is scalar @{rows('keyed')}, 6, '... which leaves nothing';
	$imp = begun("no,t\n7,x\n", mode => 'replace', table => 'keyed');
	stored($imp);
	is as($ann, GET => "$base/tables/keyed")->{json}{table}{key}, 'no', 'a replaced table keeps its key';
	$imp = begun("a,b\n1,2\n", table => 'nokey', key => 'c');
	like "$imp->{state} $imp->{error}", qr/^failed key: the file has no column c/, 'no such column';
};

subtest 'upsert' => sub {
	as($ann, PUT => "$base/tables/stock",
		{ key => 'sku', columns => [{ name => 'sku', type => 'text' }, { name => 'n', type => 'integer' },
			{ name => 'note', type => 'text' }] });
	as($ann, POST => "$base/tables/stock/rows", { rows => [map { { sku => "s$_", n => $_, note => "kept $_" } } 1 .. 3] });
	my $before = as($ann, GET => "$base/tables/stock/export")->{body};
	refused(as($ann, POST => $imports, { filename => 'x.csv', mode => 'upsert', table => 'stock' }), '400 INVALID_REQUEST',
		'it needs a key');
	my $imp = begun("sku,n\ns2,20\ns4,40\ns1,1\ns4,41\n", mode => 'upsert', table => 'stock', key => 'sku');
	is misfits($imp), '5 sku: is the key of another line', 'two lines of one key';
	as($ann, PATCH => "$imports/$imp->{id}", { on_misfit => 'leave_out' });
	runner();
	my $done = stored(get($imp->{id}));
	is_deeply [sort { $a->{sku} cmp $b->{sku} } @{rows('stock')}], [{ sku => 's1', n => 1, note => 'kept 1' },
		{ sku => 's2', n => 20, note => 'kept 2' }, { sku => 's3', n => 3, note => 'kept 3' },
		{ sku => 's4', n => 40, note => undef }],
		'rows are changed or added, and columns that the file lacks stay';
	my ($batch) = @{as($ann, GET => "$base/tables/stock/history")->{json}{batches}};
	is_deeply [@{$batch}{qw(batch_id added changed)}], [$done->{batch_id}, 1, 1], 'as one batch, without rows that stay the same';
	is as($ann, POST => "$base/tables/stock/undo", { batch_id => $done->{batch_id} })->{status}, 200, '... which can be undone';
	is as($ann, GET => "$base/tables/stock/export")->{body}, $before, '... as if it had not been';
	$imp = begun("n,note\n1,x\n", mode => 'upsert', table => 'stock', key => 'sku');
	like "$imp->{state} $imp->{error}", qr/^failed key: the file has no column sku/, 'a file without the key';
	$imp = begun("sku,n\ns1,5\n", mode => 'upsert', table => 'stock', key => 'n');
	like "$imp->{state} $imp->{error}", qr/^failed key: n isn't the key/, 'another column than the key';
	ok counted('stock'), 'rows are counted';

	# Many rows come back by an operation, also if the maker is gone.
	as($ann, PUT => "$base/tables/many",
		{ key => 'sku', columns => [{ name => 'sku', type => 'text' }, { name => 'n', type => 'integer' }] });
	as($ann, POST => "$base/tables/many/rows", { rows => [map { { sku => "s$_", n => $_ } } $_ .. $_ + 749] }) for 1, 751;
	$before = as($ann, GET => "$base/tables/many/export")->{body};
	$stack->collaborator($art, $ben, 'editor');
	$imp = begun(join('', "sku,n\n", map { "s$_,0\n" } 1 .. 1500), mode => 'upsert', table => 'many', key => 'sku', who => $ben);
	stored($imp, who => $ben);
	isnt as($ann, GET => "$base/tables/many/export")->{body}, $before, 'an upsert of 1,500 rows';
	$db->do('DELETE FROM collaborator WHERE artifact_id = ? AND user_id = ?', undef, $art, $ben->{id});
	$db->do('INSERT IGNORE INTO search_due (kind, id) VALUES (1, ?)', undef, $art);
	# As if it had been cancelled at its last row.
	$db->do("UPDATE import SET state = 'cancelled', due = 1, due_at = 0 WHERE id = ?", undef, $imp->{id});
	runner() for 1, 2;
	is as($ann, GET => "$base/tables/many/export")->{body}, $before, '... is taken back, although its maker has lost the role';
};

subtest 'bytes come in pieces' => sub {
	my $bytes = "n,t\n" . join('', map { "$_," . 'x' x 90 . "\n" } 1 .. 30000);
	my $imp = as($ann, POST => $imports, { filename => 'large.csv', size => length $bytes })->{json}{import};
	my $path = $imp->{upload_url} =~ s{^https?://[^/]+}{}r;
	my $put = sub {
		my ($from, $to) = @_;
		return $api->call(PUT => $path, { body => substr($bytes, $from, $to - $from),
			headers => { 'Content-Range' => "bytes $from-" . ($to - 1) . '/' . length $bytes } });
	};
	my $half = 2 << 20;
	is $put->(0, $half)->{status}, 202, 'a piece';
	refused($put->(0, $half), '409 CONFLICT', 'not twice');
	is $api->call(GET => $path)->{json}{received}, $half, 'how much is there';
	is get($imp->{id})->{received}, $half, '... the import says, too';
	is $put->($half, length $bytes)->{status}, 201, 'the last piece';
	is $put->($half, length $bytes)->{status}, 409, 'its address takes bytes once';
	runner();
	$imp = get($imp->{id});
	is "$imp->{state} $imp->{rows}", 'ready 30000', 'all of it is checked';
	stored($imp);
	is $db->selectrow_array("SELECT row_count FROM data_table WHERE name = 'large' AND artifact_id = ?", undef, $art), 30000,
		'... and stored';
	ok counted('large'), '... and counted';
	my $r = as($ann, POST => $imports, { filename => 'y.csv', size => 3 });
	is $api->call(PUT => $r->{json}{import}{upload_url} =~ s{^https?://[^/]+}{}r, { body => 'abcd' })->{status}, 400,
		'another size than announced';
	as($ann, DELETE => "$imports/$r->{json}{import}{id}");
};

subtest 'three at a time' => sub {
	my @open = map { as($ann, POST => $imports, { filename => "f$_.csv" })->{json}{import}{id} } 1 .. 3;
	refused(as($ann, POST => $imports, { filename => 'f4.csv' }), '409 LIMIT_REACHED', 'no fourth');
	is as($ann, DELETE => "$imports/$_")->{status}, 200, 'cancelled' for @open;
	my @two = map { begun("n\n1\n", table => 'twice') } 1, 2;
	stored($two[0]);
	my $failed = stored($two[1], state => 'failed');
	like $failed->{error}, qr/twice/, 'of two imports into one new table, the second fails';
};

# Kills the lane with all its processes.
sub no_lane {
	my %lanes = $stack->lanes;
	kill KILL => values(%lanes), $stack->{pids}{runner};
	waitpid delete $stack->{pids}{runner}, 0;
}
sub lane { $stack->start_runner('runner', '--stay', '--lanes', 'imports') }
sub due { $db->do('UPDATE import SET due_at = 0 WHERE due') }
sub until_so {
	my ($what, $how) = @_;
	Vitrine::Stack::wait_for($what, 120, $how);
}
subtest 'a lane is killed' => sub {
	my $n = 40000;
	my $bytes = "n,t\n" . join('', map { "$_,text $_\n" } 1 .. $n);
	as($ann, PUT => "$base/tables/killed_add",
		{ columns => [{ name => 'n', type => 'integer' }, { name => 't', type => 'text' }] });
	as($ann, POST => "$base/tables/killed_add/rows", { rows => [map { { n => -$_ } } 1 .. 10] });
	for my $mode (qw(create add)) {
		my $table = "killed_$mode";
		my $imp = as($ann, POST => $imports, { filename => 'k.csv', table => $table, mode => $mode })->{json}{import};
		$api->call(PUT => $imp->{upload_url} =~ s{^https?://[^/]+}{}r, { body => $bytes });
		lane();
		until_so('it is claimed', sub {
			$db->selectrow_array('SELECT due_at > 0 OR state <> ? FROM import WHERE id = ?', undef, 'checking', $imp->{id});
		});
		no_lane();
		due();
		lane();
		until_so('it is checked', sub { get($imp->{id})->{state} eq 'ready' });
		start($imp);
		until_so('some rows are stored', sub { get($imp->{id})->{rows_done} > 3000 });
		no_lane();
		my $done = get($imp->{id})->{rows_done};
		cmp_ok $done, '<', $n, "$mode: killed before the end";
		is $db->selectrow_array(
			'SELECT COUNT(*) FROM data_row r JOIN data_table t ON t.no = r.table_no WHERE t.name = ? AND (t.artifact_id '
			. 'IS NULL OR t.artifact_id = ?)',
			undef, $table, $art), $done + ($mode eq 'add' ? 10 : 0), '... with what the batches have';
		due();
		lane();
		until_so('it ends', sub { get($imp->{id})->{state} eq 'done' });
		is get($imp->{id})->{rows_done}, $n, '... and goes on';
		is $db->selectrow_array(
			'SELECT COUNT(DISTINCT JSON_VALUE(doc, ?)) FROM data_row r JOIN data_table t ON t.no = r.table_no WHERE '
			. 't.name = ? AND t.artifact_id = ?',
			undef, '$.n', $table, $art), $n + ($mode eq 'add' ? 10 : 0), '... each row once';
		ok counted($table), '... and counted';
		no_lane();
	}
	as($ann, PUT => "$base/tables/small", { columns => [{ name => 'n', type => 'integer' }] });
	as($ann, POST => "$base/tables/small/rows", { rows => [map { { n => -$_ } } 1 .. 10] });
	my $before = as($ann, GET => "$base/tables/small/export")->{body};
	my $imp = begun("n\n" . join('', map { "$_\n" } 1 .. $n), table => 'small', mode => 'add');
	start($imp);
	lane();
	until_so('some rows are stored', sub { get($imp->{id})->{rows_done} > 3000 });
	is as($ann, DELETE => "$imports/$imp->{id}")->{status}, 200, 'cancelled while rows are stored';
	until_so('they are taken back', sub { !$db->selectrow_array('SELECT due FROM import WHERE id = ?', undef, $imp->{id}) });
	no_lane();
	is as($ann, GET => "$base/tables/small/export")->{body}, $before, '... which leaves the table as it was';
	ok counted('small'), '... and counted';
};

clean('at the end');
finish($stack);
