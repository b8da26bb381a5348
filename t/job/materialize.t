# SPDX-License-Identifier: Apache-2.0
# What another server has becomes a table, or the document: JSON, NDJSON and CSV, with the types that its values have; by replacing, so that
# readers see the rows before or those after, or by adding. What fails changes nothing.
use utf8;
use POSIX ();
use Time::HiRes qw(sleep time);
use Vitrine::Jobs;
use Vitrine::Receiver;
use Vitrine::Words;

my $tls = $ENV{VITRINE_VAR} . '/tls-test';
Vitrine::Stack::make_tls($tls);
my $receiver = Vitrine::Receiver->new($tls);
my ($stack, $api, $db) = stack($receiver->conf, egress_ca_file => "$tls/ca.pem");
my $ann = $stack->user('ann@example.org');
my $art = $api->publish($ann, slug => 'site', visibility => 'private');
my $jobs = Vitrine::Jobs->new(stack => $stack, api => $api, user => $ann, art => $art);
sub data { my ($method, $path, $json) = @_; return $jobs->call($method => "/v1/data/$art$path", $json) }
sub gives {
	my ($path, $text, $type) = @_;
	$receiver->answer($path => 200, $text, $type ? "Content-Type: $type" : ());
	return $receiver->url($path);
}
sub bytes { return { base64 => MIME::Base64::encode_base64($_[0]) } }
sub columns {
	my ($table) = @_;
	return join ' ', map { "$_->{name}:$_->{type}" } @{data(GET => "/tables/$table")->{json}{table}{columns} // []};
}
sub rows { my ($table, $query) = @_; return data(GET => "/tables/$table/rows" . ($query // ''))->{json}{rows} }
sub lines {
	my ($table) = @_;
	my @c = map { $_->{name} } @{data(GET => "/tables/$table")->{json}{table}{columns}};
	return join ' ', map {
		my $r = $_;
		'(' . join(',', map { Cpanel::JSON::XS->new->allow_nonref->canonical->encode($r->{$_}) } @c) . ')';
	} @{rows($table)};
}
sub into {
	my ($table, $url, %o) = @_;
	my $format = delete $o{format};
	return $jobs->made(materialize => { source => { url => $url, ($format ? (format => $format) : ()) },
		target => { table => $table }, %o });
}
sub fsck { chomp(my $said = ($stack->program('vitrinectl', {}, 'fsck'))[1]); return $said }

subtest 'JSON' => sub {
	my $url = gives('/a', '[{"id": 7, "name": "x", "n": 1, "f": 1, "ok": true, "at": "2026-01-02T03:04:05Z", "any": {"a": '
		. '[1]}, "First name": "A", "none": null}, {"name": "2026", "n": 9007199254740993, "f": 1.50, "any": 3, "late": "y"}]',
		'application/json; charset=utf-8');
	my $job = into('a', $url);
	is_deeply $job->{config}, { source => { url => $url, header_names => [] }, target => { table => 'a' }, mode => 'replace' },
		'shows what it is';
	my $run = $jobs->succeeds($job, 'an array');
	is "$run->{http_status} $run->{output}", '200 2 rows; column names changed: id is id_, First name is First_name',
		'says how many rows, and which names changed';
	is columns('a'), 'id_:integer name:text n:integer f:number ok:boolean at:timestamp any:json First_name:text none:text late:text',
		'columns by their values';
	is lines('a'),
		'(7,"x",1,1,true,"2026-01-02T03:04:05Z",{"a":[1]},"A",null,null) '
			. '(null,"2026",9007199254740993,1.50,null,null,3,null,null,"y")'
			=~ s/1\.50/1.5/r, 'its rows';
	gives('/a', '{"next": {"rows": 1}, "rows": [{"name": "z"}], "more": "\"rows\":["}', 'application/vnd.api+json');
	$jobs->succeeds($job, 'an object with rows');
	is columns('a'), 'id_:integer name:text n:integer f:number ok:boolean at:timestamp any:json First_name:text none:text late:text',
		'the table keeps its columns';
	is lines('a'), '(null,"z",null,null,null,null,null,null,null,null)', 'and has these rows alone';
	gives('/a', '[]', 'application/json');
	is $jobs->succeeds($job, 'an empty one')->{output}, '0 rows', 'of none';
	is data(GET => '/tables/a')->{json}{table}{row_count}, 0, 'empties it';
	my @wrong = (['nothing', ''], ['a number', '1'], ['an object without', '{"a": [1]}'], ['half', '[{"name": "1"}'],
		['half a row', '[{"name": "1"}, {"name"'], ['no objects', '[1]'], ['a trailing comma', '[{"name": "1"},]'],
		['no comma', '[{"name": "1"} {"name": "2"}]'],
		['a name twice', '[{"name": "1", "name": "2"}]'], ['a value of another type', '[{"n": 1}, {"n": "two"}]',
			qr/row 2, n: .*isn.+t a whole number/], ['a large row', '[{"name": "' . 'x' x 16384 . '"}]', qr/row 1: .*16384/],
		['65 columns', '[{' . join(',', map { "\"c$_\": 1" } 1 .. 65) . '}]', qr/64/]);
	gives('/a', '[{"name": "kept"}]', 'application/json');
	$jobs->succeeds($job, 'again');
	for (@wrong) {
		my ($name, $text, $like) = @$_;
		gives('/a', $text, 'application/json');
		$jobs->fails($job, $name, $like // qr/^the response /);
	}
	is lines('a'), '(null,"kept",null,null,null,null,null,null,null,null)', 'what failed has changed nothing';
};

subtest 'NDJSON and CSV' => sub {
	$jobs->succeeds(into('n', gives('/n.ndjson', "{\"a\": 1}\r\n\n{\"a\": 2, \"b\": [\"x\"]}")), 'lines');
	is columns('n') . ' ' . lines('n'), 'a:integer b:json (1,null) (2,["x"])', 'by the address';
	my $csv = "\xef\xbb\xbf" . 'Day,Total (EUR),ok,note,when,id,limit,0x,gap' . "\r\n" . '2026-01-02,1.50,true,"a ""b"", c'
		. "\nd\",2026-01-02T03:04:05+01:00,1,2,007,\r\n\r\n" . 'x,2,false,"",2026-01-03T00:00:00Z,,,,';
	utf8::decode($csv);
	$jobs->succeeds(into('c', gives('/c', $csv, 'text/csv; charset=utf-8')), 'CSV');
	is columns('c'), 'Day:text Total_EUR:number ok:boolean note:text when:timestamp id_:integer limit_:integer _0x:text gap:text',
		'by its type';
	is lines('c'), '("2026-01-02",1.5,true,"a \"b\", c\nd","2026-01-02T03:04:05+01:00",1,2,"007",null) '
		. '("x",2,false,"","2026-01-03T00:00:00Z",null,null,null,null)', 'null is nothing, "" a text';
	data(PUT => '/tables/z', { columns => [{ name => 'zip', type => 'text' }, { name => 'n', type => 'number' },
		{ name => 'more', type => 'boolean' }] });
	my $zip = into('z', gives('/z', "zip,n\n123,\"4\"\n99,\n", 'text/csv'));
	$jobs->succeeds($zip, 'into a table that is there');
	is columns('z') . ' ' . lines('z'), 'zip:text n:number more:boolean ("123",4,null) ("99",null,null)', 'its types hold';
	gives('/z', "zip,n\n1,2\n3,four\n", 'text/csv');
	$jobs->fails($zip, 'values must fit', qr/line 3, n: .*isn.+t a number/);
	gives('/z', "zip,n\n1,2,3\n", 'text/csv');
	$jobs->fails($zip, 'more values than names', qr/line 2: it has more values/);
	gives('/z', "zip,n\n\"1,2\n", 'text/csv');
	$jobs->fails($zip, 'an open quote', qr/a quote that opens here isn't closed/);
	is lines('z'), '("123",4,null) ("99",null,null)', 'and nothing has changed';
	$jobs->fails(into('q', gives('/q', "a\n1\n")), 'neither type nor ending', qr/set source\.format/);
	$jobs->succeeds(into('q', gives('/q', "a\n1\n", 'text/plain'), format => 'csv'), 'unless the job says what it is');
	for (['windows-1252', "Gr\xf6\xdfe;\x80\n1,5;x\n"], ['"ISO-8859-1"', "Gr\xf6\xdfe;\x80\n1,5;x\n"],
		['utf-16', "\xff\xfe" . join '', map { "$_\0" } split //, "Gr\xf6\xdfe;b\n1,5;x\n"]) {
		data(DELETE => '/tables/euro');
		my $run = $jobs->succeeds(into('euro', gives('/euro', bytes($_->[1]), "text/csv; charset=$_->[0]")),
			"of another charset: $_->[0]");
		like columns('euro') . ' ' . lines('euro'), qr/^Grosse:number \S+:text \(1.5,"x"\)$/,
			'... with semicolons and a decimal comma';
	}
	data(PUT => '/tables/older', { columns => [{ name => 'Gre', type => 'number' }] });
	$jobs->succeeds(into('older', gives('/older', bytes("Gr\xf6\xdfe\n2\n"), 'text/csv; charset=latin1')),
		'a column that got its name before');
	is columns('older') . ' ' . lines('older'), 'Gre:number (2)', '... keeps it';
	$jobs->succeeds(into('marked', gives('/marked', bytes("\xef\xbb\xbf" . '[{"a": 1}]'), 'application/json')),
		'JSON with a byte order mark');
	$jobs->fails(into('q', gives('/q.csv', "a\n1\n", 'text/csv; charset=klingon')), 'a charset that is none',
		qr/charset=klingon, which isn't known; send UTF-8/);
	$jobs->fails(into('q', gives('/q.csv', '[{"a": 1}]', 'text/csv')), 'JSON that says it is CSV',
		qr/the response isn't CSV but JSON; jobs take it as format json/);
	$jobs->fails(into('zip', gives('/zip.csv', "a\n1\n", "text/csv\r\nContent-Encoding: gzip")), 'what comes compressed',
		qr/compressed/);
};

subtest 'adding' => sub {
	my $job = into('log', gives('/log.ndjson', '{"a": 1}'), mode => 'append');
	$jobs->succeeds($job, 'once');
	gives('/log.ndjson', "{\"a\": 2, \"b\": true}\n{\"a\": 3}");
	$jobs->succeeds($job, 'and more, with another column');
	is columns('log') . ' ' . lines('log'), 'a:integer b:boolean (1,null) (2,true) (3,null)', 'all are there';
	gives('/log.ndjson', "{\"a\": 4, \"c\": 1}\n{\"a\": \"x\"}");
	$jobs->fails($job, 'what fails', qr/line 2, a: .*isn.+t a whole number/);
	is columns('log') . ' ' . lines('log'), 'a:integer b:boolean (1,null) (2,true) (3,null)', 'adds nothing, and no column';
	my $fetch = $jobs->made(http_get => { url => gives('/get.json', '{"rows": [{"a": 9}]}'), save_to => 'table:log' });
	is $jobs->succeeds($fetch, 'http_get adds, too')->{output}, '1 row', 'and says so';
	is lines('log'), '(1,null) (2,true) (3,null) (9,null)', 'at the end';
	is_deeply [map { $_->{a} } @{rows('log', '?order=-a&limit=2')}], [9, 3], 'found by its index';
};

subtest 'the document' => sub {
	my $doc = sub { return $jobs->made(materialize => { source => { url => $_[0] }, target => 'json' }) };
	$jobs->succeeds($doc->(gives('/doc.json', '{"b": 1.0, "a": {"c": []}}')), 'an object');
	like data(GET => '/json')->{body}, qr/\Q"data":{"b":1.0,"a":{"c":[]}}\E/, 'as it is';
	$jobs->succeeds($doc->(gives('/doc.csv', "a,b\n1,x\n2,\n")), 'rows');
	like data(GET => '/json')->{body}, qr/\Q"data":{"rows":[{"a":1,"b":"x"},{"a":2}]}\E/, 'stand under rows';
	$jobs->fails($doc->(gives('/long.ndjson', "{\"a\":\"@{['x' x 1000]}\"}\n" x 1100)), 'too much for one', qr/1048576/);
	like data(GET => '/json')->{body}, qr/\Q"data":{"rows":[{"a":1,"b":"x"},{"a":2}]}\E/, 'leaves it as it was';
};

subtest 'an editor, where the access_policy lets the owner alone' => sub {
	my $ben = $stack->user('ben@example.org');
	my $closed = $api->publish($ann, slug => 'closed', visibility => 'private', access_policy => { default => 'owner' });
	$api->call(POST => "/v1/artifacts/$closed/collaborators",
		{ token => $ann->{token}, json => { emails => ['ben@example.org'], role => 'editor' } });
	my $bens = Vitrine::Jobs->new(stack => $stack, api => $api, user => $ben, art => $closed);
	is $bens->call(POST => "/v1/data/$closed/tables/x/rows", { rows => [] })->{status}, 404, 'they themselves see no table';
	my %into = (table => { table => 'x' }, document => 'json');
	for my $what (sort keys %into) {
		my $job = $bens->made(materialize => { source => { url => gives("/$what.csv", "a\n1\n") }, target => $into{$what} });
		$bens->succeeds($job, "what they set up fills the $what") for 1, 2;
	}
	is $jobs->call(GET => "/v1/data/$closed/tables/x")->{json}{table}{row_count}, 1, 'which its owner has';
};

subtest 'limits' => sub {
	$jobs->fails(into('many', gives('/many.csv', "a\n" . "1\n" x 1_000_001)), '1,000,001 rows', qr/more than 1,000,000 rows/);
	is data(GET => '/tables/many')->{status}, 404, 'make no table';
	$jobs->fails(into('long', gives('/long.csv', "a\n" . ('x' x 1023 . "\n") x (16 * 1024 + 1))), 'more than 16 MiB');
	my $log = into('log', gives('/log.csv', "a\n" . "1\n" x 600), mode => 'append');
	$db->do("UPDATE data_table SET row_count = 999500 WHERE name = 'log' AND artifact_id = ?", undef, $art);
	$jobs->fails($log, 'more rows than a table may have', qr/999,500 rows; 600 more/);
	$db->do("UPDATE data_table SET row_count = 4 WHERE name = 'log' AND artifact_id = ?", undef, $art);
	$db->do('UPDATE storage SET limit_bytes = bytes + 2000 WHERE user_id = ?', undef, $ann->{id});
	$jobs->fails(into($_, gives('/full.csv', "a\n" . "1234567890\n" x 3000), mode => 'append'), "more than its owner may store: $_",
		qr/stor/i) for qw(log full);
	is scalar $db->selectrow_array("SELECT row_count FROM data_table WHERE name = 'log' AND artifact_id = ?", undef, $art), 4,
		'stores nothing';
	$db->do('UPDATE storage SET limit_bytes = NULL WHERE user_id = ?', undef, $ann->{id});
};

subtest 'readers see the one or the other' => sub {
	my $made = sub { my ($gen, $n) = @_; return "gen,n,text\n" . join '', map { "$gen,$_,row $_\n" } 1 .. $n };
	my $job = into('big', gives('/big.csv', $made->(1, 3000)));
	$jobs->succeeds($job, 'at first');
	gives('/big.csv', $made->(2, 5000));
	$jobs->due($job);
	my $pid = fork // die;
	if (!$pid) {
		open STDERR, '>', "$stack->{dir}/big.log";
		exec "$stack->{build}/vitrine-runner", '-c', "$stack->{dir}/vitrine.yaml", '--once' or POSIX::_exit(127);
	}
	my (%seen, $staged, $looks);
	until (waitpid $pid, POSIX::WNOHANG()) {
		my $t = data(GET => '/tables/big')->{json}{table};
		$seen{"count $t->{row_count}"}++;
		my %gens = map { $_->{gen} => 1 } @{rows('big', '?limit=50')};
		$seen{'gens ' . join '', sort keys %gens}++;
		$staged = 1 if $db->selectrow_array(
			"SELECT COUNT(*) FROM data_table WHERE artifact_id IS NULL AND name = 'big' AND row_count > 0");
		is data(POST => '/tables/log/rows', { rows => [{ a => 1 }] })->{status}, 201, 'others are written to' if !$seen{wrote}++;
		# However slow the machine is, a minute's looks are less than a minute's requests.
		sleep 0.005 * ++$looks;
	}
	is $?, 0, 'the runner ran';
	delete $seen{wrote};
	is join(', ', grep { !/^count (3000|5000)$|^gens [12]$/ } sort keys %seen), '', 'nothing between';
	ok $staged, 'though it took its time';
	is data(GET => '/tables/big')->{json}{table}{row_count}, 5000, 'then it has the new rows';
	$jobs->runner for 1 .. 3;
	is scalar $db->selectrow_array('SELECT COUNT(*) FROM data_table WHERE artifact_id IS NULL AND sweep_at <= UNIX_TIMESTAMP()'), 0,
		'the old ones are taken away';
	is scalar $db->selectrow_array('SELECT COUNT(*) FROM data_row r LEFT JOIN data_table t ON t.no = r.table_no WHERE t.no IS NULL'), 0,
		'all of them';
};

is fsck(), 'clean', 'every counter is right';
finish($stack);
