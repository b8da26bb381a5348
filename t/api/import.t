# SPDX-License-Identifier: Apache-2.0
# Rows in the browser without a script: forms that lead back to where they were filled in, and CSV files of any size that a table takes, all
# or nothing.
use utf8;
use Encode 'encode_utf8';
use Vitrine::Visitor;
use Vitrine::Words;

my ($stack, $api, $db) = stack(data_per_minute => 100000);
my ($anna, $bena) = map { $stack->user("$_\@example.org") } qw(ann ben);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for qw(ann ben);
my $art = $api->publish($anna, slug => 'mine', visibility => 'private');
$api->call(POST => "/v1/artifacts/$art/collaborators",
	{ token => $anna->{token}, json => { emails => ['ben@example.org'], role => 'viewer' } });
my ($ann, $ben) = map { my $v = Vitrine::Visitor->new($api); $v->sign_in("$_\@example.org", 'the password'); $v } qw(ann ben);
my $tables = "/a/$art/data/tables";

sub data {
	my ($method, $path, $json) = @_;
	return $api->call($method => "/v1/data/$art$path", { token => $anna->{token}, ($json ? (json => $json) : ()) })->{json};
}
sub cols { return { columns => [map { my ($n, $t) = split /:/; { name => $n, type => $t // 'text' } } @_] } }
sub rows_of {
	my ($table) = @_;
	return $db->selectrow_array('SELECT COUNT(*) FROM data_row r JOIN data_table t ON t.no = r.table_no WHERE t.name = ? '
		. 'AND t.artifact_id = ?', undef, $table, $art);
}
sub counted {
	return $db->selectrow_array('SELECT row_count = (SELECT COUNT(*) FROM data_row r WHERE r.table_no = t.no) '
		. 'AND size_bytes = (SELECT COALESCE(SUM(LENGTH(doc)), 0) FROM data_row r WHERE r.table_no = t.no) FROM data_table t '
		. 'WHERE name = ? AND artifact_id IS NOT NULL', undef, $_[0]);
}
sub sends {
	my ($v, $path, $csv, %fields) = @_;
	my $name = delete $fields{filename} // 'file.csv';
	my $body = join '', map { "--b\r\nContent-Disposition: form-data; name=\"$_\"\r\n\r\n$fields{$_}\r\n" } sort keys %fields;
	$body .= "--b\r\nContent-Disposition: form-data; name=\"files\"; filename=\"$name\"\r\nContent-Type: text/csv\r\n\r\n$csv\r\n"
		if defined $csv;
	return $v->send(POST => $path, body => encode_utf8($body) . "--b--\r\n",
		headers => { 'Content-Type' => 'multipart/form-data; boundary=b' });
}
sub told {
	my ($r) = @_;
	return $r->{text} =~ m{<span class="error" id="[^"]+"><svg.*?</svg>(.*?)</span>}s ? Vitrine::Visitor::unescape_html($1) : 'nothing';
}
sub notice {
	my ($r) = @_;
	return $r->{text} =~ m{<p class="notice bad".*?<span>(.*?)</span>}s ? Vitrine::Visitor::unescape_html($1) : 'nothing';
}

subtest 'a form leads back to its place' => sub {
	data(PUT => '/tables/list', cols('name', 'n:integer'));
	data(POST => '/tables/list/rows', { rows => [map { { name => sprintf('row %03d', $_), n => $_ } } 1 .. 200] });
	my $r = $ann->go("$tables/list?column=n&op=gt&value=20&order=-n");
	my ($next) = $r->{text} =~ /href="([^"]*)" rel="next"/;
	$r = $ann->go(Vitrine::Visitor::unescape_html($next));
	($next) = $r->{text} =~ /href="([^"]*)" rel="next"/;
	my $third = Vitrine::Visitor::unescape_html($next);
	$r = $ann->go($third);
	my @ids = $r->{text} =~ /<tr id="(row_\w+)"/g;
	is scalar(@ids), 50, 'the third page';
	my ($edit) = map { Vitrine::Visitor::unescape_html($_) } grep { /edit=$ids[10]/ } $r->{text} =~ /href="([^"]*)"/g;
	like $edit, qr/#$ids[10]$/, 'a row is edited where it is';
	$r = $ann->go($edit);
	is_deeply [$r->{text} =~ /<tr id="(row_\w+)"/g], \@ids, 'the same rows';
	$r = $ann->submit(qr{/rows/$ids[10]$}, { 'c.n' => 'x', 'c.name' => 'changed' });
	is $r->{status} . ' ' . told($r) . ' ' . notice($r), '400 Must be a 64-bit whole number. nothing',
		'a refusal stands beside its field';
	is_deeply [$r->{text} =~ /<tr id="(row_\w+)"/g], \@ids, '... among the same rows';
	like $r->{text}, qr/value="changed"/, '... with what was typed';
	$r = $ann->submit(qr{/rows/$ids[10]$}, { 'c.n' => 90, 'c.name' => 'changed' }, stay => 1);
	is $r->{headers}{location}, "$third&done=saved&row=$ids[10]#$ids[10]", 'saved, the same place, and the row in it';
	$r = $ann->go($r->{headers}{location});
	is_deeply [$r->{text} =~ /<tr id="(row_\w+)"/g], \@ids, 'the same rows';
	like $r->{text}, qr/<tr id="$ids[10]" class="saved">/, 'which is marked';

	$ann->go($edit);
	$r = $ann->submit(qr{/rows/$ids[10]$}, { 'c.n' => 3 });
	is_deeply [$r->{text} =~ /<tr id="(row_\w+)"/g], [@ids[10, 0 .. 9, 11 .. 49], $r->{text} =~ /.*<tr id="(row_\w+)"/s],
		'a row that is not in the list anymore is shown first';
	like $r->{text}, qr/<tr id="$ids[10]" class="saved">.*elsewhere in this list, or no longer in it/s, '... and it is said why';
	$ann->go($third =~ s/cursor=/edit=$ids[11]&cursor=/r);
	$r = $ann->submit(qr{/rows/$ids[11]/delete$}, {}, stay => 1);
	is $r->{headers}{location}, "$third&done=gone#$ids[9]", 'deleted, the same place, at the row before';
	$ann->go($third =~ s/cursor=/add=1&cursor=/r);
	$r = $ann->submit(qr{/list/rows$}, { 'c.n' => 5000 });
	like $r->{text}, qr/<tbody>\s*<tr id="row_\w+" class="saved">.*5000/s, 'a new row is shown, too';
	like $r->{path}, qr/^\Q$third\E&done=saved/, '... in the same place';
	like $r->{text}, qr/\b\d+ rows? match(?:es)?, of 200\b/, 'how many match, and how many there are';

	my ($seen) = $ann->go("$tables/list?edit=$ids[3]")->{text} =~ /name="seen" value="(\w+)"/;
	data(DELETE => "/tables/list/rows/$ids[3]");
	$r = $ann->send(POST => "$tables/list/rows/$ids[3]", body => "seen=$seen&c.n=1",
		headers => { 'Content-Type' => 'application/x-www-form-urlencoded' });
	is $r->{status}, 404, 'a row that somebody has deleted meanwhile';
	like notice($r), qr/^There is no row/, '... is told above the list';
};

subtest 'what is refused is not stored' => sub {
	data(PUT => '/tables/full', cols('name'));
	$db->do('UPDATE data_table SET row_count = 1000000 WHERE name = ?', undef, 'full');
	$ann->go("$tables/full?add=1");
	my $r = $ann->submit(qr{/full/rows$}, { 'c.name' => 'one more' });
	is $r->{status}, 413, 'a table that is full';
	like notice($r), qr/maximum/, '... says so';
	is rows_of('full'), 0, 'and has no row more';
	$db->do('UPDATE data_table SET row_count = 0 WHERE name = ?', undef, 'full');
};

my @names = map { "c$_" } 1 .. 14;
sub large {
	my ($n, $bad) = @_;
	return join "\n", join(',', @names), (map { join ',', $_, ($_ == ($bad // 0) ? 'two' : $_ * 2), ("text $_") x 12 } 1 .. $n), '';
}

subtest 'a table of a file' => sub {
	my $csv = large(40_000);
	cmp_ok length $csv, '>', 5_000_000, 'of 5 MB';
	my $r = sends($ann, "/a/$art/data/import", $csv, filename => 'First sales.2026.csv', name => '');
	is $r->{status} . ' ' . (($r->{headers}{location} // told($r)) =~ s/&told=.*//r), "303 $tables/First_sales?done=imported",
		'named after it';
	is rows_of('First_sales'), 40_000, 'all of its rows';
	ok counted('First_sales'), '... are counted';
	is join(' ', map { "$_->{name}:$_->{type}" } @{data(GET => '/tables/First_sales')->{table}{columns}}[0 .. 2]),
		'c1:integer c2:integer c3:text', 'with types';
	like $ann->go($r->{headers}{location})->{text}, qr/Imported 40,000 rows\.<.*40,000 rows</s, 'the page says how many';
	like $ann->go("$tables/First_sales/delete")->{text}, qr/Its 40,000 rows are deleted too/, '... also before it is deleted';

	$r = sends($ann, "/a/$art/data/import", "a\n1\n", name => 'First_sales');
	is $r->{status} . ' ' . told($r), '400 A table named First_sales already exists.', 'not in place of another';
	like $r->{text}, qr/name="name" value="First_sales"/, 'the name stays';
	is told(sends($ann, "/a/$art/data/import", "a\n1\n", name => '1 x')),
		"A table's name can contain letters, digits, _ and -, and must start with a letter or _.", 'a name that is none';
	is told(sends($ann, "/a/$art/data/import", "a,b\n1,2\n1,2,3\n", name => 'odd')),
		'Line 3: it has more values than the first line has column names; put quotes around values that have a comma.',
		'a line is named';
	is told(sends($ann, "/a/$art/data/import", "a,b\n1,\"2\n3,4\n", name => 'odd')), "Line 2: a quote isn't closed.",
		'where a quote begins that does not end';
	is told(sends($ann, "/a/$art/data/import", "a\n\x{e4}\x00", name => 'odd')),
		"Line 2: it has a NUL byte, which no text has.", 'no text';
	is told(sends($ann, "/a/$art/data/import", undef, name => 'odd')), 'Choose a CSV file first.', 'no file';
	is $db->selectrow_array('SELECT COUNT(*) FROM data_table WHERE name = ? AND artifact_id IS NOT NULL', undef, 'odd'), 0,
		'nothing is made of these';
	is sends($ben, "/a/$art/data/import", "a\n1\n", name => 'bens')->{status}, 403, 'a viewer makes none';
};

subtest 'rows of a file' => sub {
	my $r = sends($ann, "$tables/First_sales/import", large(31_100, 31_006));
	is $r->{status} . ' ' . told($r), '400 Line 31,007, c2: must be a 64-bit whole number.',
		'a wrong value is named by its line and column';
	is rows_of('First_sales'), 40_000, 'and nothing was added';
	ok counted('First_sales'), '... or counted';
	is sends($ann, "$tables/First_sales/import", large(2_000))->{status}, 303, 'what fits is added';
	is rows_of('First_sales'), 42_000, 'all of it';
	ok counted('First_sales'), '... is counted';
	$db->do('UPDATE data_table SET row_count = 999500 WHERE name = ?', undef, 'First_sales');
	is told(sends($ann, "$tables/First_sales/import", "c1\n" . "1\n" x 501)),
		'The table First_sales has 999,500 rows; 501 more would exceed the limit of 1,000,000.', 'not past what a table may have';
	$db->do('UPDATE data_table SET row_count = 42000 WHERE name = ?', undef, 'First_sales');
	like told(sends($ann, "$tables/First_sales/import", "c1,other\n1,2\n")),
		qr/^Line 1: must name columns of the table.*It has other\.$/, 'a column that it has not';
	is told(sends($ann, "$tables/First_sales/import", "c1\n")), 'It has no rows.', 'no rows';

	data(PUT => '/tables/list', cols('name', 'n:integer'));
	my $export = $api->call(GET => "/v1/data/$art/tables/list/export?format=csv", { token => $anna->{token} })->{body};
	my $had = rows_of('list');
	is sends($ann, "$tables/list/import", $export)->{status}, 303, 'an export is taken, its ids left out';
	is rows_of('list'), 2 * $had, '... as new rows';
	is sends($ann, "$tables/list/import", undef, csv => "n,name\r\n1,\"a\r\nb\"\r\n\r\n2,")->{status}, 303, 'what is pasted is, too';
	$r = sends($ann, "$tables/list/import", undef, csv => "n\nx\n");
	is told($r), 'Line 2, n: must be a 64-bit whole number.', '... or refused beside its field';
	like $r->{text}, qr{<textarea[^>]*aria-invalid="true"[^>]*>\s*n\nx}, '... where it stays';

	is sends($ben, "$tables/list/import", "n\n1\n")->{status}, 403, 'who may not write adds none';
	$db->do('UPDATE artifact SET access_policy = ? WHERE id = ?',
		undef, q({"tables":{"list":{"write":"row.name == viewer.email"}}}), $art);
	is told(sends($ben, "$tables/list/import", "name\nben\@example.org\nann\@example.org\n")),
		"Line 3: access_policy.tables.list.write doesn't let you add this row.", 'a rule is asked of each row';
	is sends($ben, "$tables/list/import", "name\nben\@example.org\n")->{status}, 303, '... which may allow them';
	is sends($ben, "$tables/list/import", "name\n", csv => '')->{status}, 400, 'of no rows nothing is added';
	is $ben->send(POST => "$tables/list/import", body => '--b--',
		headers => { 'Content-Type' => 'multipart/form-data; boundary=b', 'Sec-Fetch-Site' => 'cross-site' })->{status}, 403,
		'nor from another site';
};

# As other makers write them.
my $made;
sub imported {
	my ($bytes, %more) = @_;
	my $name = 'made' . ++$made;
	my $body = join '', map { "--b\r\nContent-Disposition: form-data; name=\"$_->[0]\"$_->[2]\r\n\r\n$_->[1]\r\n" } ['name',
		$more{into} // $name, ''], ['files', $bytes, '; filename="x.csv"'];
	my $r = $ann->send(POST => $more{into} ? "$tables/$more{into}/import" : "/a/$art/data/import", body => "$body--b--\r\n",
		headers => { 'Content-Type' => 'multipart/form-data; boundary=b' });
	return told($r) if $r->{status} != 303;
	my ($said) = $ann->go($r->{headers}{location})->{text} =~ m{<p class="notice ok".*?<span>(.*?)</span>}s;
	my $t = data(GET => "/tables/$name?")->{table};
	return join "\n", Vitrine::Visitor::unescape_html($said), join(' ', map { "$_->{name}:$_->{type}" } @{$t->{columns}}), map {
		my $row = $_;
		join ' ', map { my $v = $row->{$_->{name}}; !defined $v ? '-' : ref $v ? ($v ? 'true' : 'false') : $v } @{$t->{columns}};
	} @{data(GET => "/tables/$name/rows")->{rows}};
}
subtest 'CSV of other makers' => sub {
	my $two = "Imported 2 rows.";
	my $semicolon = "$two The file’s separator is a semicolon.";
	is imported("a,b\n1,x\n2,y\n"), "$two\na:integer b:text\n1 x\n2 y", 'commas';
	is imported(encode_utf8("Name;Preis, netto;Größe;Menge\r\nA;1,50;1.234,5;1.234\r\nB;2;7;12.000\r\n")),
		"$semicolon Column names changed: Preis, netto is Preis_netto, Größe is Grosse.\n"
			. "Name:text Preis_netto:number Grosse:number Menge:text\nA 1.5 1234.5 1.234\nB 2 7 12.000",
		'semicolons and decimal commas; what could be either stays as it is';
	is imported("x;y\n1.5;1.234\n2;0.5\n"), "$semicolon\nx:number y:number\n1.5 1.234\n2 0.5", '... or points';
	is imported("a\tb\n1,5\tx\n2\ty\n"), "$two The file’s separator is a tab.\na:text b:text\n1,5 x\n2 y", 'tabs';
	is imported("a|b\n1|x\n2|y\n"), "$two The file’s separator is a vertical bar.\na:integer b:text\n1 x\n2 y", 'bars';
	is imported("\xef\xbb\xbfsep=;\r\na;b\r\n\"x;y\";1\r\n;2\r\n"), "$semicolon\na:text b:integer\nx;y 1\n- 2", 'a line that says so';
	is imported(Encode::encode($_, "\x{feff}名前\tb\r\n\x{1f600}\t1\r\ny\t2\r\n")),
		"$two The file’s separator is a tab. It was read as utf-16. Column names changed: 名前 is ming_qian.\n"
			. "ming_qian:text b:integer\n\x{1f600} 1\ny 2", "a spreadsheet's Unicode text: $_" for 'UTF-16LE', 'UTF-16BE';
	is imported(Encode::encode('UTF-16LE', "\x{feff}a\tb\n" . "\x{1f600}x\t1\n" x 200_000)) =~ s/\n.*//sr,
		'Imported 200,000 rows. The file’s separator is a tab. It was read as utf-16.', '... of 2 MB';
	is imported("code,ok,no,n,card\n1E5,TRUE,False,1.5e-3,1234567890123456\n2E10,FALSE,true,2,7\n"),
		"$two\ncode:text ok:boolean no:boolean n:number card:text\n1E5 true false 0.0015 1234567890123456\n2E10 false true 2 7",
		'codes stay as they are, and words of truth are';
	is imported("a,b\n1,x\n,\n2,y\n,,\n" =~ s/,,\n/,\n/r . "\x1a"), "$two\na:integer b:text\n1 x\n2 y",
		'lines without values, and a Ctrl-Z, are none';
	is imported("id,name\n100,A\n200,B\n"), "$two Column names changed: id is id_2.\nid_2:integer name:text\n100 A\n200 B",
		'an id that is no export\'s is kept';
	my $export = 'row_' . '0' x 26;
	is imported("id,name\n$export,A\n,B\n"), "$two\nname:text\nA\nB", '... and an export\'s is not';
	like imported("id,name\n7,A\n", into => 'list'), qr/^Line 1: must name columns of the table.* It has id\.$/,
		'... nor dropped where the table has none';
	is imported("Stra\xdfe;n\n\xfcber;1,5\n"), "Imported 1 row. The file’s separator is a semicolon. It was read as windows-1252. "
		. "Column names changed: Straße is Strasse.\nStrasse:text n:number\nüber 1.5", 'western Windows, which is told';
	is imported("a\nb\n\x81\n"),
		"Line 3: it isn't valid UTF-8 (perhaps Windows-1252); in the spreadsheet, save the sheet as CSV UTF-8.", 'no UTF-8';
	like imported("PK\3\4\x14\0"), qr/^It isn't CSV but a workbook \(\.xlsx, /, 'a workbook';
	like imported('[{"a": 1}]'), qr/^It isn't CSV but JSON; /, 'JSON';
	like imported("[a],[b]\n1,2\n"), qr/^Imported 1 row\./, '... which brackets alone are not';
	is imported("name;price\n1;2;3\n"),
		'Line 2: it has more values than the first line has column names; put quotes around values that have a semicolon.',
		'the separator is named';
	unlike $ann->go("$tables/list?done=imported&told=Pay%20now")->{text}, qr/Pay now/, 'nobody else says what was imported';
};

subtest 'what is too large' => sub {
	my $head = sub { my ($path, $n) = @_; my $cookie = $ann->cookies_for('vitrine.localhost', $path);
		return $api->raw('vitrine.localhost', "POST $path HTTP/1.1\r\nHost: vitrine.localhost:$stack->{port}\r\n"
			. "Accept: text/html\r\nSec-Fetch-Site: same-origin\r\nCookie: $cookie\r\n"
			. "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: $n\r\n\r\n", 'POST') };
	for (["$tables/list/import", 60_000_000, '50 MB'], ["/a/$art/data/import", 60_000_000, '50 MB'],
		["/a/$art/data", 2 << 20, '1.0 MB']) {
		my $r = $head->(@$_[0, 1]);
		is $r->{status}, 413, "$_->[0]: refused before it is read";
		like $r->{body}, qr/larger than the limit of $_->[2] here/, '... with the limit in words';
	}
	my $r = sends($ann, "$tables/list/import", "n\n" . '1' x (50 << 20));
	is $r->{status} . ' ' . told($r), '413 The file is larger than the limit of 50 MB.', 'one byte too many, on the page';
	like told(sends($ann, "$tables/list/import", "n\n" . '1' x (2 << 20))),
		qr/^Line 2: a quote isn't closed, or the line is longer than 1 MB\.$/, 'a line without end';
};

subtest 'the Data pages tell editors of rules that do not fit' => sub {
	data(PUT => '/tables/ruled', cols('status'));
	$db->do('UPDATE artifact SET access_policy = ? WHERE id = ?',
		undef, '{"tables":{"ruled":{"read":"row.statuss != 1"},"lst":{"read":"false"}}}', $art);
	$api->call(POST => "/v1/artifacts/$art/collaborators",
		{ token => $anna->{token}, json => { emails => ['ben@example.org'], role => 'viewer' } });
	my $said = 'access_policy.tables.ruled.read: the table has no column statuss; did you mean status? '
		. 'Until that changes, the rule allows only the owner.';
	like Vitrine::Visitor::unescape_html($ann->go($tables)->{text}),
		qr/\Q$said\E access_policy\.tables\.lst: there is no such table; did you mean list\?</, 'the list of tables';
	like Vitrine::Visitor::unescape_html($ann->go("$tables/ruled")->{text}), qr/<span>\Q$said\E<\/span>/, 'the table';
	unlike $ann->go("$tables/list")->{text}, qr/statuss/, '... and no other';
	unlike $ben->go($tables)->{text}, qr/statuss/, 'a viewer is not told';
	$db->do('UPDATE artifact SET access_policy = NULL WHERE id = ?', undef, $art);
};

finish($stack);
