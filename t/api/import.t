# SPDX-License-Identifier: Apache-2.0
# Rows and imports in the browser without a script: forms that lead back to where they were filled in, and files that become rows once they
# were checked, with nothing lost that was typed.
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
	is $r->{status} . ' ' . told($r) . ' ' . notice($r), '400 Must be a 64-bit whole number, not "x". nothing',
		'a refusal stands beside its field';
	is_deeply [$r->{text} =~ /<tr id="(row_\w+)"/g], \@ids, '... among the same rows';
	like $r->{text}, qr/value="changed"/, '... with what was typed';
	$r = $ann->submit(qr{/rows/$ids[10]$}, { 'c.n' => 90, 'c.name' => 'changed' }, stay => 1);
	is $r->{headers}{location} =~ s/&batch=bat_\w+//r, "$third&done=saved&row=$ids[10]#$ids[10]", 'saved, the same place, and the row in it';
	$r = $ann->go($r->{headers}{location});
	is_deeply [$r->{text} =~ /<tr id="(row_\w+)"/g], \@ids, 'the same rows';
	like $r->{text}, qr/<tr id="$ids[10]" data-seen="\w+" class="saved">/, 'which is marked';

	$ann->go($edit);
	$r = $ann->submit(qr{/rows/$ids[10]$}, { 'c.n' => 3 });
	is_deeply [$r->{text} =~ /<tr id="(row_\w+)"/g], [@ids[10, 0 .. 9, 11 .. 49], $r->{text} =~ /.*<tr id="(row_\w+)"/s],
		'a row that is not in the list anymore is shown first';
	like $r->{text}, qr/<tr id="$ids[10]" [^>]*class="saved">.*elsewhere in this list, or no longer in it/s, '... and it is said why';
	$ann->go($third =~ s/cursor=/edit=$ids[11]&cursor=/r);
	$r = $ann->submit(qr{/rows/$ids[11]/delete$}, {}, stay => 1);
	is $r->{headers}{location} =~ s/&batch=bat_\w+//r, "$third&done=gone#$ids[9]", 'deleted, the same place, at the row before';
	$ann->go($third =~ s/cursor=/add=1&cursor=/r);
	$r = $ann->submit(qr{/list/rows$}, { 'c.n' => 5000 });
	like $r->{text}, qr/<tbody>\s*<tr id="row_\w+" [^>]*class="saved">.*5000/s, 'a new row is shown, too';
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

sub runner { my ($status, undef, $err) = $stack->runner; is $status, 0, 'the runner ran' or diag $err }
sub ended { $db->do("UPDATE import SET state = 'cancelled', due = 0 WHERE state NOT IN ('done', 'failed')") }
# Sends a file, has it checked, and opens its page.
sub checked {
	my ($v, $path, @file) = @_;
	my $r = sends($v, $path, @file);
	is $r->{status}, 303, 'a file is sent' or diag $r->{text};
	my $at = $r->{headers}{location};
	runner();
	return ($at, $v->go($at)->{text});
}
my $form = qr{/imports/imp_\w+$};

subtest 'a file becomes a table' => sub {
	like $ann->go("/a/$art/data/import")->{text}, qr/New table from a file/, 'a page for it';
	my $r = sends($ann, "/a/$art/data/import", "name,n\nx,1\ny,2\n", filename => 'First sales.2026.csv');
	is $r->{status}, 303, 'a file is sent';
	my $at = $r->{headers}{location};
	like $at, qr{^/a/$art/data/imports/imp_\w+$}, 'its import has a page';
	like $ann->go($at)->{text}, qr/data-under-way.*Each line is being checked/s, 'which says that it is checked';
	runner();
	my $text = $ann->go($at)->{text};
	like $text, qr/New table from First sales\.2026\.csv/, 'then what it will be';
	like $text, qr/name="table" value="First_sales"/, 'its name';
	like $text, qr/name="name\.1" value="n".*?<option value="integer" selected>/s, 'its columns and their types';
	like $text, qr{<td>x</td><td>1</td>}, 'its first rows';
	is rows_of('First_sales'), 0, 'nothing is stored yet';
	for (['name.1' => 'id', 'The name id is reserved.'], ['name.1' => 'kept', 'Two columns would be named kept.'],
		['name.1' => '1x', 'Must contain only letters, digits and _, and must not start with a digit.']) {
		$r = $ann->submit($form, { header => 1, $_->[0] => $_->[1], 'name.0' => 'kept', act => 'start' });
		is $r->{status} . ' ' . told($r), "400 $_->[2]", 'what can not be is refused beside its field';
		like $r->{text}, qr/name="name\.0" value="kept"/, '... and what was typed stays';
		$ann->go($at);
	}
	$r = $ann->submit($form, { header => 1, 'name.1' => 'count', 'type.1' => 'text', act => 'start' }, stay => 1);
	is $r->{headers}{location}, "$at?done=import_changed", 'what was changed is checked first';
	like $ann->go($r->{headers}{location})->{text}, qr/Your changes are checked first/, '... and it is said';
	runner();
	like $ann->go($at)->{text}, qr/name="name\.1" value="count".*?<option value="text" selected>/s, 'it is as changed';
	$ann->submit($form, { header => 1, act => 'start' });
	like $ann->go($at)->{text}, qr/data-under-way.*0 of 2 rows<|data-under-way.*0 of 2 rows are stored/s, 'it is stored';
	runner();
	like $ann->go($at)->{text}, qr{Imported 2 rows\. <a href="$tables/First_sales">}, 'the page says how many';
	is rows_of('First_sales'), 2, '... which are there';
	ok counted('First_sales'), '... and counted';
	is data(GET => '/tables/First_sales/rows')->{rows}[0]{count}, '1', '... as changed';
	$r = sends($ann, "/a/$art/data/import", "a\n1\n", name => 'First_sales');
	is $r->{status}, 409, 'not in place of another';
	like told($r), qr/^A table named First_sales already exists/, '... which is said beside its name';
	like $r->{text}, qr/name="name" value="First_sales"/, '... and the name stays';
	is told(sends($ann, "/a/$art/data/import", undef)), 'Choose a file first, or paste rows.', 'no file';
	is sends($ben, "/a/$art/data/import", "a\n1\n")->{status}, 403, 'a viewer makes none';
	is $ben->go("/a/$art/data/import")->{status}, 403, '... and has no page for it';
	is $ben->go($at)->{status}, 404, '... nor sees those of others';
	(undef, $text) = checked($ann, "/a/$art/data/import", "PK\3\4", filename => 'book.xlsx');
	like $text, qr/Nothing was imported\./, 'a file that can not be read says so';
	ended();
};

subtest 'rows of a file' => sub {
	data(PUT => '/tables/list', cols('name', 'n:integer'));
	my $had = rows_of('list');
	like $ann->go("$tables/list/import")->{text}, qr/Import into list/, 'a page for it';
	my ($at, $text) = checked($ann, "$tables/list/import", "name,n\na,1\nb,x\n");
	like $text, qr/1 line of 2 doesn’t fit/, 'what does not fit is counted';
	like $text, qr{<td class="num">3</td><td>n</td><td>x</td><td>isn’t a whole number</td>}, '... and told by line';
	my $r = $ann->submit($form, { header => 1, on_misfit => 'refuse', act => 'start' });
	is $r->{status}, 409, 'it does not start';
	like $r->{text}, qr/Choose what becomes of the lines that don’t fit/, '... and says what to do';
	like $ann->send(GET => "/v1/data/$art/imports/" . ($at =~ s{.*/}{}r) . '/left-out')->{text}, qr/^line,name,n,why\r\n3,b,x,/,
		'these lines are a file';
	$ann->go($at);
	$ann->submit($form, { header => 1, on_misfit => 'leave_out', act => 'start' });
	runner();
	like $ann->go($at)->{text}, qr/Imported 1 row; 1 line left out\./, 'or they are left out';
	is rows_of('list'), $had + 1, 'the other row is added';
	($at) = checked($ann, "$tables/list/import", undef, text => "n,name\r\n1,\"a\r\nb\"\r\n\r\n2,");
	$ann->submit($form, { header => 1, act => 'start' });
	runner();
	is rows_of('list'), $had + 3, 'what is pasted is added, too';
	$r = sends($ann, "$tables/list/import", undef, text => "n\nx\n", mode => 'upsert');
	is told($r), 'The table list has no key, by which rows could be found.', 'without a key nothing is updated';
	like $r->{text}, qr{<textarea[^>]*>\s*n\nx}, '... and what was pasted stays';
	is told(sends($ann, "$tables/list/import", undef, text => 'x' x (1_048_577))), 'Can have 1 MiB; choose a file for more.',
		'pasted at length';
	is sends($ben, "$tables/list/import", "n\n1\n")->{status}, 403, 'who may not write adds none';
	is $ben->go("$tables/list/import")->{status}, 403, '... and has no page for it';
	is $ann->send(POST => "$tables/list/import", body => '--b--',
		headers => { 'Content-Type' => 'multipart/form-data; boundary=b', 'Sec-Fetch-Site' => 'cross-site' })->{status}, 403,
		'nor from another site';
	$db->do('UPDATE artifact SET access_policy = ? WHERE id = ?',
		undef, q({"tables":{"list":{"write":"row.name == viewer.email"}}}), $art);
	($at, $text) = checked($ben, "$tables/list/import", "name\nben\@example.org\nann\@example.org\n");
	like $text, qr{<td class="num">3</td><td></td><td></td><td>the access_policy doesn’t let you add this row</td>},
		'a rule is asked of each row';
	$db->do('UPDATE artifact SET access_policy = NULL WHERE id = ?', undef, $art);
	ended();
};

subtest 'questions' => sub {
	my ($at, $text) = checked($ann, "/a/$art/data/import", "day,n\n03/04/2026,1\n", name => 'asks');
	like $text, qr/name="answer\.date_order\.day"><option value="dmy" selected>dmy<\/option><option value="mdy">mdy/, 'a question with what is proposed';
	my $r = $ann->submit($form, { header => 1, 'answer.date_order.day' => 'mdy', act => 'start' }, stay => 1);
	like $r->{headers}{location}, qr/done=import_changed$/, 'another answer is checked first';
	runner();
	$text = $ann->go($at)->{text};
	like $text, qr{<td>2026-03-04</td>}, '... and counts';
	unlike $text, qr/answer\.date_order/, '... so nothing is asked anymore';
	$ann->submit($form, { header => 1, nulls => 'n/a, -', act => 'check' });
	runner();
	like $ann->go($at)->{text}, qr/name="nulls" value="n\/a, -"/, 'texts that mean no value';
	$r = $ann->submit($form, { header => 1, encoding => 'klingon', act => 'check' });
	like $r->{status} . told($r), qr/^400Must be windows-1252, .*utf-8, /, 'an encoding that is none';
	$ann->go($at);
	like $ann->go("$at/cancel")->{text}, qr/Cancel this import\?/, 'it asks before it is cancelled';
	$r = $ann->submit(qr{/cancel$}, {}, stay => 1);
	is $r->{headers}{location}, "$tables?done=import_cancelled", 'cancelled';
	like $ann->go($at)->{text}, qr/This import was cancelled/, '... it says so';
	is rows_of('asks'), 0, '... and has made nothing';
	like $ann->go("/a/$art/data/import")->{text}, qr{href="\Q$at\E">file\.csv</a>}, 'imports are listed';
};

subtest 'many columns' => sub {
	my ($at) = checked($ann, "/a/$art/data/import", join(',', map { "c$_" } 1 .. 64) . "\n" . join(',', 1 .. 64) . "\n",
		name => 'many');
	my $r = $ann->submit($form, { header => 1, 'name.63' => 'last', (map { ("type.$_" => 'text') } 0 .. 63), act => 'check' },
		stay => 1);
	is $r->{status}, 303, '64 columns are changed at once' or diag $r->{text};
	runner();
	like $ann->go($at)->{text}, qr/name="name\.63" value="last".*?<option value="text" selected>/s, '... each of them';
	ended();
};

subtest 'what is too large' => sub {
	my $head = sub { my ($path, $n) = @_; my $cookie = $ann->cookies_for('vitrine.localhost', $path);
		return $api->raw('vitrine.localhost', "POST $path HTTP/1.1\r\nHost: vitrine.localhost:$stack->{port}\r\n"
			. "Accept: text/html\r\nSec-Fetch-Site: same-origin\r\nCookie: $cookie\r\n"
			. "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: $n\r\n\r\n", 'POST') };
	for (["$tables/list/import", 400_000_000, '300 MB'], ["/a/$art/data/import", 400_000_000, '300 MB'],
		["/a/$art/data", 2 << 20, '1.0 MB']) {
		my $r = $head->(@$_[0, 1]);
		is $r->{status}, 413, "$_->[0]: refused before it is read";
		like $r->{body}, qr/larger than the limit of $_->[2] here/, '... with the limit in words';
	}
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
