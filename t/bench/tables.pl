# SPDX-License-Identifier: Apache-2.0
# ./dev bench tables: an import of 1,000,000 rows against LOAD DATA of a fifth of them; what the first list by a column without an index costs against ORDER BY … LIMIT of the same rows, and
# a page of rows with 1,000 and 1,000,000 rows; what adding rows costs against one INSERT of as many into a table of the same columns with an index for each, and a CSV
# file against LOAD DATA of the same; what somebody who changes a row waits while an index is made; and what is slower beside the large table. BENCH_ROWS=N: rows of the large table.
use strict;
use warnings;
use Cpanel::JSON::XS;
use Time::HiRes 'time';
use Vitrine::Api;
use Vitrine::Bench;
use Vitrine::Stack;

my $s = Vitrine::Stack->new(workers => 4, data_per_minute => 1000000);
stacks($s);
my $api = Vitrine::Api->new($s);
my $timed = Vitrine::Api->new($s, unchecked => 1);
my $ann = $s->user('ann@example.org');
my $ben = $s->user('ben@example.org');
my $art = $api->publish($ann, slug => 'data', visibility => 'unlisted');
my $base = "/v1/data/$art/tables";
my $db = $s->db;
room($db);
my $ROWS = $ENV{BENCH_ROWS} // 1_000_000;
(my $many = $ROWS) =~ s/(?<=\d)(?=(?:\d{3})+$)/,/g;

sub row { my ($n) = @_; return { name => sprintf('name %06d', $n * 7919 % 1000003), owner => 'p' . $n % 997 . '@example.org', n => $n, score => $n * 31 % 10007 / 8, at => sprintf('2026-%02d-%02dT%02d:00:00Z', 1 + $n % 12, 1 + $n % 28, $n % 24) } }
my @columns = map { { name => $_->[0], type => $_->[1] } } ['name', 'text'], ['owner', 'text'], ['n', 'integer'], ['score', 'number'], ['at', 'timestamp'];
my @names = map { $_->{name} } @columns;
my $indexed = 'id BINARY(16) NOT NULL PRIMARY KEY, name VARCHAR(200), owner VARCHAR(200), n BIGINT, score DOUBLE, at DATETIME, '
	. join ', ', map { "KEY ($_)" } @names;
# Writes rows as a file of CSV.
sub csv {
	my ($path, $rows) = @_;
	open my $out, '>', $path or die;
	print $out join(',', @names), "\n";
	for (1 .. $rows) { my $r = row($_); print $out join(',', @$r{@names}), "\n" }
	close $out or die;
}
# Starts what imports files.
sub importing { $s->start_runner('runner', '--stay', '--lanes', 'imports') }
# Sends a file, and waits until it is checked.
sub checked {
	my ($path, $table) = @_;
	my $imp = $api->call(POST => "/v1/data/$art/imports", { token => $ann->{token}, json => { filename => "$table.csv", table => $table } })->{json}{import};
	my $r = $api->call(PUT => $imp->{upload_url} =~ s{^https?://[^/]+}{}r, { body => Vitrine::Stack::slurp($path), type => 'application/octet-stream' });
	die $r->{body} if $r->{status} != 201;
	return until_state($imp->{id}, 'ready');
}
sub until_state {
	my ($id, $state) = @_;
	while (1) {
		my $now = $api->call(GET => "/v1/data/$art/imports/$id", { token => $ann->{token} })->{json}{import};
		return $id if $now->{state} eq $state;
		die "$now->{state}: $now->{error}\n" if $now->{state} =~ /failed|cancelled/;
		peak_look();
		select undef, undef, undef, 0.05;
	}
}
# The most that a process which imports has had, in MiB.
my $peak = 0;
sub peak_look {
	my $runner = $s->{pids}{runner} or return;
	for ($runner, Vitrine::Bench::children($runner)) {
		my ($kib) = Vitrine::Stack::slurp("/proc/$_/status") =~ /^VmHWM:\s+(\d+)/m or next;
		$peak = $kib / 1024 if $kib / 1024 > $peak;
	}
}
sub stored {
	my ($id) = @_;
	my $r = $api->call(POST => "/v1/data/$art/imports/$id/start", { token => $ann->{token}, json => { accept_proposals => Cpanel::JSON::XS::true } });
	die $r->{body} if $r->{status} != 202;
	return until_state($id, 'done');
}
sub load {
	my ($path, $table) = @_;
	$db->do("LOAD DATA INFILE '$path' INTO TABLE $table FIELDS TERMINATED BY ',' IGNORE 1 LINES (name, owner, n, score, \@at) SET id = UNHEX(LPAD(HEX(n), 32, '0')), at = REPLACE(LEFT(\@at, 19), 'T', ' ')");
}

# ---- the large table is an import

sub small {
	$api->call(PUT => "$base/small", { token => $ann->{token}, json => { columns => \@columns } })->{status} == 201 or die;
	my $r = $api->call(POST => "$base/small/rows", { token => $ann->{token}, json => { rows => [map { row($_) } 1 .. 1000] } });
	die $r->{body} if $r->{status} != 201;
}
# Once: it takes half a minute, and CSV files are measured again below.
sub large {
	my $file = "$s->{dir}/large.csv";
	csv($file, $ROWS);
	importing();
	my ($began, $from) = (time, watch());
	my $imp = checked($file, 'large');
	my $ready = time;
	stored($imp);
	my $done = time;
	my $used = used($from, 1);
	$s->stop_one('runner');
	die 'the large table has other columns' if join(' ', map { "$_->{name} $_->{type}" } @{$api->call(GET => "$base/large", { token => $ann->{token} })->{json}{table}{columns}}) ne join ' ', map { "$_->{name} $_->{type}" } @columns;
	$db->do("CREATE TABLE loaded ($indexed)");
	my $some = $ROWS / 5;
	system("head -n @{[$some + 1]} $file > $file.some") == 0 or die;
	my $at = time;
	load("$file.some", 'loaded');
	my $took = time - $at;
	$db->do('DROP TABLE loaded');
	# Both are held against the same: a file is checked while its import waits for its answers.
	my @of = (ceiling => $some / $took, unit => 'a second');
	figure(name => "an import of $many rows, from the first byte, against LOAD DATA of a fifth with an index on each column", ours => $ROWS / ($done - $began), @of,
		note => sprintf('%.1f s, of which checking %.1f; a process had %.0f MiB at most', $done - $began, $ready - $began, $peak), per => 'import', cpu_ms => $used->{cpu_ms}, pressure => $used->{pressure});
	figure(name => "an import of $many rows, from its start, against the same", ours => $ROWS / ($done - $ready), @of);
}

my $policy = encode_json({ tables => { map { $_ => { read => 'row.owner == viewer.email or row.owner == "p5@example.org"' } } qw(small large) } });
my %query = ('by id' => ['', $ann], 'by a number' => ['order=-score', $ann], 'by a text' => ['order=name', $ann], 'one number' => ['n=eq.500', $ann], 'one owner' => ['owner=eq.p7@example.org', $ann],
	'one owner, by time' => ['owner=eq.p7@example.org&order=-at', $ann], 'a range, by another' => ['score=gt.1200&order=name', $ann], 'a prefix' => ['name=prefix.name%200001', $ann], 'conditions that one in 10,000 fits' => ['n=neq.5&score=lt.12&name=prefix.name%200&order=at', $ann], 'two conditions that many fit' => ['at=gte.2026-06-01T00:00:00Z&score=lt.800&order=n', $ann],
	'as a rule lets one see' => ['order=-score', $ben]);
sub cost {
	my ($table) = @_;
	$db->do("ANALYZE TABLE $_") for qw(data_row data_cell);
	my %ms;
	for my $what (keys %query) {
		my ($query, $who) = @{$query{$what}};
		my $path = "$base/$table/rows?limit=50&$query";
		my $one = sub { my $r = $timed->call(GET => $path, { token => $who->{token} }); die "$what: $r->{body}" if $r->{status} != 200; return $r->{body} };
		# A page from the middle, as far as there is one.
		for (1 .. 9) { my $cursor = decode_json($one->())->{next_cursor} // last; $path = "$base/$table/rows?limit=50&$query&cursor=$cursor" }
		my $from = watch();
		my @took = map { my $from = time; $one->(); 1000 * (time - $from) } 1 .. 11;
		$ms{$what} = { ms => median(@took), %{used($from, 11)} };
	}
	return %ms;
}
# ---- what is measured without the large table and with it

$db->do("CREATE TABLE bare ($indexed)");
my $n = 0;
$api->call(PUT => "$base/added", { token => $ann->{token}, json => { columns => \@columns } });
my $json = Cpanel::JSON::XS->new->utf8->canonical->allow_nonref;
sub ours {
	my $body = $json->encode({ rows => [map { row($n + $_) } 1 .. 1000] });
	$n += 1000;
	my $from = time;
	my $r = $timed->call(POST => "$base/added/rows", { token => $ann->{token}, body => $body, type => 'application/json' });
	die $r->{body} if $r->{status} != 201;
	return (1000 / (time - $from), 1);
}
sub bare {
	my @rows = map { row($n + $_) } 1 .. 1000;
	my $sql = 'INSERT INTO bare VALUES ' . join ',', map { sprintf "(UNHEX('%032x'), '%s', '%s', %d, %s, '%s')", $n * 1000 + $_->{n}, @$_{qw(name owner n score)}, $_->{at} =~ s/T/ /r =~ s/Z//r } @rows;
	$n += 1000;
	my $from = time;
	$db->do($sql);
	return (1000 / (time - $from), 1);
}
my $csv_rows = 20_000;
my $csv = "$s->{dir}/rows.csv";
csv($csv, $csv_rows);
my $file = 0;
sub import_csv {
	$file++;
	my $from = time;
	stored(checked($csv, "file$file"));
	return ($csv_rows / (time - $from), 1);
}
my $small_id;
my %work = ('1,000 rows added' => \&ours, 'a CSV file of 20,000 rows' => \&import_csv, 'a row read' => sub { return row_get('small', $small_id) },
	'a summary of 1,000 rows' => sub {
		my $from = time;
		for (1 .. 20) { $db->do('DELETE FROM data_summary'); $timed->call(GET => "$base/small/summary?group=owner&measure=sum.score&limit=1000", { token => $ann->{token} })->{status} == 200 or die }
		return (20 / (time - $from), 20);
	});
sub row_get {
	my ($table, $row) = @_;
	my $from = time;
	$timed->call(GET => "$base/$table/rows/$row", { token => $ann->{token} })->{status} == 200 or die for 1 .. 50;
	return (50 / (time - $from), 50);
}
sub rates {
	importing();
	my %rate = map { my $what = $_; $work{$what}->(); $what => median(map { ($work{$what}->())[0] } 1 .. 5) } keys %work;
	$s->stop_one('runner');
	return %rate;
}
small();
$small_id = decode_json($timed->call(GET => "$base/small/rows?limit=1", { token => $ann->{token} })->{body})->{rows}[0]{id};
at_rest($db);
my %without = rates();
$db->do('UPDATE artifact SET access_policy = ? WHERE id = ?', undef, $policy, $art);
my %alone = cost('small');
large();
# Nobody makes the index yet.
my $no = $db->selectrow_array("SELECT no FROM data_table WHERE name = 'large'");
my $first = sub { my $from = time; my $r = $timed->call(GET => "$base/large/rows?limit=50&order=-score", { token => $ann->{token} }); die $r->{body} if $r->{status} != 200; return (1 / (time - $from), 1) };
my $sorted = sub { my $from = time; $db->selectall_arrayref("SELECT id, doc FROM data_row WHERE table_no = $no ORDER BY c3 DESC, id DESC LIMIT 51"); return (1 / (time - $from), 1) };
by_turns("the first list by a column of $many rows, against ORDER BY in MariaDB", $first, $sorted);
my $last = decode_json($timed->call(GET => "$base/large/rows?limit=1&order=-id", { token => $ann->{token} })->{body})->{rows}[0]{id};
# Somebody changes a row again and again while the index is made, in pieces of 20,000 rows.
sub index_waits { return $db->selectrow_array("SELECT COUNT(*) FROM outbox WHERE kind = 'index'") }
index_waits() == 1 or die 'no index is to be made';
$s->start_runner('runner', '--stay', '--lanes', 'tables');
my ($index_from, $longest) = (time, 0);
for (my $changed = 0; index_waits(); $changed++) {
	my $from = time;
	$timed->call(PATCH => "$base/large/rows/$last", { token => $ann->{token}, json => { score => $changed } })->{status} == 200 or die;
	$longest = time - $from if time - $from > $longest;
}
figure(name => "the longest wait of a row changed while an index of $many rows is made, against a piece of 20,000", ours => 1000 * $longest, ceiling => 1000 * (time - $index_from) / ($ROWS / 20_000), unit => 'ms',
	note => sprintf('the index took %.1f s', time - $index_from));
$s->stop_one('runner');
# Conditions' indexes are wanted first, then the order's.
for (1 .. 2) { $api->call(GET => "$base/large/rows?limit=50&$_->[0]", { token => $_->[1]{token} })->{status} == 200 or die for values %query; do { $s->runner } while $db->selectrow_array("SELECT COUNT(*) FROM outbox WHERE kind = 'index'") }
my %large = cost('large');
my %small = cost('small');
for my $what (sort keys %query) {
	my ($alone, $few, $ms) = map { $_->{$what}{ms} } \%alone, \%small, \%large;
	figure(name => "a page of 50 rows $what, of $many against of 1,000", ours => $ms, ceiling => $few, unit => 'ms', note => sprintf('%.2f of 1,000 alone', $alone),
		cpu_ms => $large{$what}{cpu_ms}, per => 'page', ceiling_cpu_ms => $small{$what}{cpu_ms}{all}, pressure => $large{$what}{pressure});
}

# ---- a summary

# The same rows as MariaDB has them for whoever needs no history, rights or files.
$db->do('CREATE TABLE plain (id BINARY(16) NOT NULL PRIMARY KEY, name VARCHAR(200), owner VARCHAR(200), n BIGINT, score DECIMAL(20, 6), at DATETIME)');
load("$s->{dir}/large.csv", 'plain');
my $groups = "$base/large/summary?group=owner&measure=sum.score&limit=1000";
my $summary = sub {
	my $from = time;
	my $r = $timed->call(GET => $groups, { token => $ann->{token} });
	die $r->{body} if $r->{status} != 200;
	return (1 / (time - $from), 1);
};
by_turns("a summary by a column of $many rows, against GROUP BY in MariaDB", sub { $db->do('DELETE FROM data_summary'); $summary->() }, sub {
	my $from = time;
	$db->selectall_arrayref('SELECT owner, SUM(score) FROM plain GROUP BY owner');
	return (1 / (time - $from), 1);
});
my $id = decode_json($timed->call(GET => "$base/large/rows?limit=1", { token => $ann->{token} })->{body})->{rows}[0]{id};
by_turns('the same once more, against a row', sub { my $from = time; $summary->() for 1 .. 50; return (50 / (time - $from), 50) }, sub { return row_get('large', $id) });
$db->do('DROP TABLE plain');

# ---- undo

$s->start_runner('runner', '--stay');
sub asked {
	my ($method, $path, $body) = @_;
	my $r = $api->call($method => $path, { token => $ann->{token}, json => $body });
	die $r->{body} if $r->{status} !~ /^20[02]$/;
	my $op = $r->{json}{operation} or return;
	while (($op = $api->call(GET => "/v1/data/$art/operations/$op->{id}", { token => $ann->{token} })->{json}{operation})->{state} ne 'done') {
		die "$op->{state}\n" if $op->{state} =~ /failed|cancelled/;
		select undef, undef, undef, 0.02;
	}
}
my $score = 5_000_000;
sub ten_thousand_changed { my $from = time; asked(PATCH => "$base/large/rows?n=lte.10000&all_matching=1", { score => ++$score }); return (1 / (time - $from), 1) }
ten_thousand_changed();
by_turns('undo of 10,000 changed rows, against their change', sub {
	my ($batch) = @{$api->call(GET => "$base/large/history?limit=1", { token => $ann->{token} })->{json}{batches}};
	my $from = time;
	asked(POST => "$base/large/undo", { batch_id => $batch->{batch_id} });
	return (1 / (time - $from), 1);
}, \&ten_thousand_changed);
$s->stop_one('runner');

# ---- adding

by_turns('rows added, 1,000 a request, against one bare INSERT', \&ours, \&bare);
at_rest($db);
my $one = sub { my $from = time; for (1 .. 200) { $timed->call(POST => "$base/added/rows", { token => $ann->{token}, json => { rows => [row(++$n)] } })->{status} == 201 or die } return (200 / (time - $from), 200) };
my $bare_one = sub { my $from = time; for (1 .. 200) { my $r = row(++$n); $db->do('INSERT INTO bare VALUES (UNHEX(?), ?, ?, ?, ?, ?)', undef, sprintf('%032x', 1e12 + $n), @$r{qw(name owner n score)}, $r->{at} =~ s/T/ /r =~ s/Z//r) } return (200 / (time - $from), 200) };
quiet_and_loaded('one row added against one bare INSERT', $one, $bare_one);

# ---- a file

importing();
# What the import before has stored, into the same two tables.
sub load_same {
	my $no = $db->selectrow_array('SELECT no FROM data_table WHERE name = ?', undef, "file$file");
	my $keys = join ', ', map { "c$_" } 0 .. $#columns;
	my %part = (data_row => "id, shape_no, doc, $keys", data_cell => 'slot, k, row_id');
	my %order = (data_row => 'id', data_cell => 'row_id, slot');
	$db->do("SELECT $part{$_} FROM $_ WHERE table_no = $no ORDER BY $order{$_} INTO OUTFILE '$s->{dir}/$_.$file' CHARACTER SET binary") for keys %part;
	my $from = time;
	$db->do("LOAD DATA INFILE '$s->{dir}/$_.$file' INTO TABLE $_ CHARACTER SET binary ($part{$_}) SET table_no = @{[2_000_000 + $file]}") for keys %part;
	return ($csv_rows / (time - $from), 1);
}
by_turns('a CSV file against LOAD DATA of what it becomes', \&import_csv, \&load_same);
by_turns('a CSV file against LOAD DATA into a bare table', \&import_csv, sub {
	$db->do('TRUNCATE bare');
	my $from = time;
	load($csv, 'bare');
	return ($csv_rows / (time - $from), 1);
});
$s->stop_one('runner');

# ---- beside the large table

at_rest($db);
my %with = rates();
figure(name => "$_, beside $many rows of another table against without", ours => $with{$_}, ceiling => $without{$_}, unit => 'a second') for sort keys %work;
