# SPDX-License-Identifier: Apache-2.0
# ./dev bench tables: what the first list by a column without an index costs against ORDER BY … LIMIT of the same rows; what a page of rows costs with 1,000 and 1,000,000 rows and with rows of others beside them, what adding rows costs against
# one INSERT of as many into a table of the same columns with an index for each, and a CSV file against LOAD DATA of the same. BENCH_OTHERS=N: rows of others.
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

sub row { my ($n) = @_; return { name => sprintf('name %06d', $n * 7919 % 1000003), owner => 'p' . $n % 997 . '@example.org', n => $n, score => $n * 31 % 10007 / 8, at => sprintf('2026-%02d-%02dT%02d:00:00Z', 1 + $n % 12, 1 + $n % 28, $n % 24) } }
my @columns = map { { name => $_->[0], type => $_->[1] } } ['name', 'text'], ['owner', 'text'], ['n', 'integer'], ['score', 'number'], ['at', 'timestamp'];
sub make {
	my ($name, $rows) = @_;
	$api->call(PUT => "$base/$name", { token => $ann->{token}, json => { columns => \@columns } })->{status} == 201 or die;
	for (my $at = 0; $at < $rows; $at += 1000) {
		my $r = $api->call(POST => "$base/$name/rows", { token => $ann->{token}, json => { rows => [map { row($at + $_) } 1 .. 1000] } });
		die $r->{body} if $r->{status} != 201;
	}
	$db->do("ANALYZE TABLE $_") for qw(data_row data_cell);
}

my $policy = encode_json({ tables => { map { $_ => { read => 'row.owner == viewer.email or row.owner == "p5@example.org"' } } qw(small large) } });
my %query = ('by id' => ['', $ann], 'by a number' => ['order=-score', $ann], 'by a text' => ['order=name', $ann], 'one number' => ['n=eq.500', $ann], 'one owner' => ['owner=eq.p7@example.org', $ann],
	'one owner, by time' => ['owner=eq.p7@example.org&order=-at', $ann], 'a range, by another' => ['score=gt.1200&order=name', $ann], 'a prefix' => ['name=prefix.name%200001', $ann], 'conditions that one in 10,000 fits' => ['n=neq.5&score=lt.12&name=prefix.name%200&order=at', $ann], 'two conditions that many fit' => ['at=gte.2026-06-01T00:00:00Z&score=lt.800&order=n', $ann],
	'as a rule lets one see' => ['order=-score', $ben]);
sub cost {
	my ($table) = @_;
	my %ms;
	for my $what (keys %query) {
		my ($query, $who) = @{$query{$what}};
		my $path = "$base/$table/rows?limit=50&$query";
		my $one = sub { my $r = $timed->call(GET => $path, { token => $who->{token} }); die "$what: $r->{body}" if $r->{status} != 200; return $r->{body} };
		# A page from the middle, as far as there is one.
		for (1 .. 9) { my $cursor = decode_json($one->())->{next_cursor} // last; $path = "$base/$table/rows?limit=50&$query&cursor=$cursor" }
		my $from = watch();
		my @took = map { my $from = time; $one->(); 1000 * (time - $from) } 1 .. 15;
		$ms{$what} = { ms => median(@took), %{used($from, 15)} };
	}
	return %ms;
}
make(small => 1000);
make(large => 1_000_000);
# Nobody makes the index yet.
my $no = $db->selectrow_array("SELECT no FROM data_table WHERE name = 'large'");
my $first = sub { my $from = time; my $r = $timed->call(GET => "$base/large/rows?limit=50&order=-score", { token => $ann->{token} }); die $r->{body} if $r->{status} != 200; return (1 / (time - $from), 1) };
my $sorted = sub { my $from = time; $db->selectall_arrayref("SELECT id, doc FROM data_row WHERE table_no = $no ORDER BY c3 DESC, id DESC LIMIT 51"); return (1 / (time - $from), 1) };
by_turns('the first list by a column of 1,000,000 rows, against ORDER BY in MariaDB', $first, $sorted);
$db->do('UPDATE artifact SET access_policy = ? WHERE id = ?', undef, $policy, $art);
# Conditions' indexes are wanted first, then the order's.
for (1 .. 2) { $api->call(GET => "$base/large/rows?limit=50&$_->[0]", { token => $_->[1]{token} })->{status} == 200 or die for values %query; do { $s->runner } while $db->selectrow_array("SELECT COUNT(*) FROM outbox WHERE kind = 'index'") }
my %small = cost('small');
my %large = cost('large');
my $others = $ENV{BENCH_OTHERS} // 250_000;
for (my $at = 1; $at <= $others; $at += 50_000) {
	my $last = $at + 49_999;
	$db->do("INSERT INTO data_row (table_no, id, shape_no, doc, c0, c1, c2) SELECT 1000000 + seq DIV 10000, UNHEX(LPAD(HEX(seq), 32, '0')), 1, CONCAT('{\"a\":\"x', seq, '\",\"b\":\"y\",\"c\":null}'), CONCAT('\@x', seq), '\@y', NULL FROM seq_${at}_to_$last");
	$db->do("INSERT INTO data_cell (table_no, slot, k, row_id) SELECT 1000000 + seq DIV 10000, $_->[0], $_->[1], UNHEX(LPAD(HEX(seq), 32, '0')) FROM seq_${at}_to_$last") for [0, "CONCAT('\@x', seq)"], [1, "'\@y'"], [2, "''"];
}
$db->do("ANALYZE TABLE $_") for qw(data_row data_cell);
my %beside = cost('large');
for my $what (sort keys %query) {
	my ($few, $many, $all) = map { $_->{$what}{ms} } \%small, \%large, \%beside;
	figure(name => "a page of 50 rows $what, of 1,000,000 against of 1,000", ours => $many, ceiling => $few, unit => 'ms', note => sprintf('%.2f beside %d rows of others', $all, $others),
		cpu_ms => $large{$what}{cpu_ms}, per => 'page', ceiling_cpu_ms => $small{$what}{cpu_ms}{all}, pressure => $large{$what}{pressure});
}

# ---- adding

$db->do('CREATE TABLE bare (id BINARY(16) NOT NULL PRIMARY KEY, name VARCHAR(200), owner VARCHAR(200), n BIGINT, score DOUBLE, at DATETIME, KEY (name), KEY (owner), KEY (n), KEY (score), KEY (at))');
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
by_turns('rows added, 1,000 a request, against one bare INSERT', \&ours, \&bare);
at_rest($db);
my $one = sub { my $from = time; for (1 .. 200) { $timed->call(POST => "$base/added/rows", { token => $ann->{token}, json => { rows => [row(++$n)] } })->{status} == 201 or die } return (200 / (time - $from), 200) };
my $bare_one = sub { my $from = time; for (1 .. 200) { my $r = row(++$n); $db->do('INSERT INTO bare VALUES (UNHEX(?), ?, ?, ?, ?, ?)', undef, sprintf('%032x', 1e12 + $n), @$r{qw(name owner n score)}, $r->{at} =~ s/T/ /r =~ s/Z//r) } return (200 / (time - $from), 200) };
quiet_and_loaded('one row added against one bare INSERT', $one, $bare_one);

# ---- a file

my $csv_rows = 20_000;
my @names = map { $_->{name} } @columns;
my $csv = join "\n", join(',', @names), map { my $r = row($_); join ',', @$r{@names} } 1 .. $csv_rows;
Vitrine::Stack::spew("$s->{dir}/rows.csv", $csv);
$s->start_runner('runner', '--stay', '--lanes', 'imports');
my $file = 0;
my $sleep = sub { select undef, undef, undef, 0.05 };
# Sends a file, and waits until it is checked.
sub checked {
	my ($bytes, $table) = @_;
	my $imp = $api->call(POST => "/v1/data/$art/imports", { token => $ann->{token}, json => { filename => "$table.csv", table => $table } })->{json}{import};
	my $r = $api->call(PUT => $imp->{upload_url} =~ s{^https?://[^/]+}{}r, { body => $bytes, type => 'application/octet-stream' });
	die $r->{body} if $r->{status} != 201;
	return until_state($imp->{id}, 'ready');
}
sub until_state {
	my ($id, $state) = @_;
	while (1) {
		my $now = $api->call(GET => "/v1/data/$art/imports/$id", { token => $ann->{token} })->{json}{import};
		return $id if $now->{state} eq $state;
		die "$now->{state}: $now->{error}\n" if $now->{state} =~ /failed|cancelled/;
		$sleep->();
	}
}
sub stored {
	my ($id) = @_;
	my $r = $api->call(POST => "/v1/data/$art/imports/$id/start", { token => $ann->{token}, json => { accept_proposals => Cpanel::JSON::XS::true } });
	die $r->{body} if $r->{status} != 202;
	return until_state($id, 'done');
}
sub import_csv {
	$file++;
	my $from = time;
	stored(checked($csv, "file$file"));
	return ($csv_rows / (time - $from), 1);
}
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
sub load_bare {
	$db->do('TRUNCATE bare');
	my $from = time;
	$db->do("LOAD DATA INFILE '$s->{dir}/rows.csv' INTO TABLE bare FIELDS TERMINATED BY ',' IGNORE 1 LINES (name, owner, n, score, \@at) SET id = UNHEX(LPAD(HEX(n), 32, '0')), at = REPLACE(LEFT(\@at, 19), 'T', ' ')");
	return ($csv_rows / (time - $from), 1);
}
by_turns('a CSV file against LOAD DATA of what it becomes', \&import_csv, \&load_same);
by_turns('a CSV file against LOAD DATA into a bare table', \&import_csv, \&load_bare);

# ---- 1,000,000 rows of 8 columns, against LOAD DATA into a native table with an index on each column

my $import_rows = $ENV{BENCH_IMPORT_ROWS} // 1_000_000;
my @cities = qw(Oslo Bergen Malmö Lund Aarhus Turku Tampere Odense);
my $orders = join '', "order_no,ordered_on,customer,city,amount,zip,paid,note\n", map {
	sprintf "%d,2026-%02d-%02d,customer %d,%s,%d.%02d,%05d,%s,note %d\n", $_, 1 + $_ % 12, 1 + $_ % 28, $_ * 7919 % 50_000, $cities[$_ % 8],
		$_ * 31 % 9000, $_ % 100, $_ * 17 % 100_000, $_ % 3 ? 'true' : 'false', $_ * 104_729 % 1_000_003;
} 1 .. $import_rows;
Vitrine::Stack::spew("$s->{dir}/orders.csv", $orders);
$db->do('CREATE TABLE orders (no BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, order_no BIGINT, ordered_on DATE, customer VARCHAR(100), city VARCHAR(100), amount DECIMAL(20,2), zip VARCHAR(20), paid TINYINT, note VARCHAR(200), '
	. join(', ', map { "KEY ($_)" } qw(order_no ordered_on customer city amount zip paid note)) . ')');
sub import_orders {
	my ($whole) = @_;
	my $table = 'orders' . ++$file;
	my $from = time;
	my $id = checked($orders, $table);
	$from = time if !$whole;
	stored($id);
	my $rate = $import_rows / (time - $from);
	$api->call(DELETE => "/v1/data/$art/tables/$table", { token => $ann->{token} });
	return ($rate, 1);
}
sub load_orders {
	$db->do('TRUNCATE orders');
	my $from = time;
	$db->do("LOAD DATA INFILE '$s->{dir}/orders.csv' INTO TABLE orders CHARACTER SET utf8mb4 FIELDS TERMINATED BY ',' IGNORE 1 LINES (order_no, ordered_on, customer, city, amount, zip, \@paid, note) SET paid = \@paid = 'true'");
	return ($import_rows / (time - $from), 1);
}
{
	local $ENV{BENCH_TURNS} = 2;
	by_turns('an import of 1,000,000 rows, from start to done, against LOAD DATA with 8 indexes', sub { import_orders(0) }, \&load_orders);
	by_turns('an import of 1,000,000 rows, from the first byte, against LOAD DATA with 8 indexes', sub { import_orders(1) }, \&load_orders);
}
