# SPDX-License-Identifier: Apache-2.0
# Rows as a workbook (.xlsx): what each type becomes, as another program and as our own import read it; what stays text; what is refused.
use utf8;
use FindBin;
use Encode 'decode_utf8';
use Vitrine::Words qw(as refused);

my ($stack, $api, $db) = stack(data_per_minute => 1000000, leaks => 1);
my ($ann, $ben, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben eve);
my $rule = { default => 'owner', tables => { ruled => { read => 'row.who == viewer.email' } } };
my $art = $api->publish($ann, slug => 'data', visibility => 'private', access_policy => $rule);
$stack->collaborator($art, $ben, 'viewer');
my $base = "/v1/data/$art/tables";
my $mime = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

sub table {
	my ($name, @cols) = @_;
	my @columns = map { ref $_ ? $_ : { name => /^(\w+)/, type => /:(\w+)/ ? $1 : 'text' } } @cols;
	my $r = as($ann, PUT => "$base/$name", { columns => \@columns });
	is $r->{status}, 201, "the table $name" or diag $r->{body};
}
sub add {
	my ($name, $rows) = @_;
	utf8::encode($rows);
	my $r = as($ann, POST => "$base/$name/rows", body => "{\"rows\":$rows}", type => 'application/json');
	is $r->{status}, 201, '... has rows' or diag $r->{body};
	return @{$r->{json}{ids}};
}
sub export { my ($who, $path, %o) = @_; return as($who, GET => "$base/$path", %o) }
# What openpyxl reads.
sub book {
	my ($r) = @_;
	is "$r->{status} $r->{headers}{'content-type'}", "200 $mime", 'a workbook' or diag $r->{body};
	Vitrine::Stack::spew("$stack->{dir}/got.xlsx", $r->{body});
	is system("unzip -tqq $stack->{dir}/got.xlsx >&2"), 0, '... that is whole';
	return decode_json(scalar qx($FindBin::Bin/../lib/read-xlsx $stack->{dir}/got.xlsx));
}
sub column {
	my ($book, $n) = @_;
	my (undef, @rows) = @{$book->{rows}};
	return [map { $_->[$n] ? "$_->[$n][0]:$_->[$n][1]" : '' } @rows];
}
sub part { return scalar qx(unzip -p $stack->{dir}/got.xlsx $_[0]) }
sub temporaries { return [glob "$stack->{dir}/data/tmp/?/*"] }

# ---- each type

table('all', 'name', 'n:integer', 'x:number', 'ok:boolean', 'day:date', 'at:timestamp', 'extra:json',
	{ name => 'state', type => 'choice', choices => ['open', 'done'] }, { name => 'friend', type => 'link', to => 'all' });
my ($first) = add('all', '[{"name":"Ännchen 😀","n":-7,"x":1.50,"ok":true,"day":"2026-11-21","at":"2026-01-02T03:04:05+02:00",'
		. '"extra":{"b":1.0,"a":[1e2,null]},"state":"open"}]');
my ($second) = add('all', qq([{"name":"","ok":false,"friend":"$first","extra":"a text","at":"2026-01-02T03:04:05.120Z"}]));
my $r = export($ann, 'all/export?format=xlsx');
like $r->{headers}{'content-disposition'}, qr/filename="all\.xlsx"/, 'its name';
my $book = book($r);
is_deeply $book->{sheets}, ['all'], 'one sheet, of the name of the table';
is $book->{frozen}, 'A2', 'its head stays in sight';
is_deeply $book->{rows}, [[map { ['s', $_, 'General', undef] } qw(id name n x ok day at extra state friend)],
	[['s', $first, 'General', undef], ['s', 'Ännchen 😀', 'General', undef], ['n', -7, 'General', undef], ['n', 1.5, 'General', undef],
		['b', $true, 'General', undef], ['d', '2026-11-21T00:00:00', 'yyyy-mm-dd', undef],
		['d', '2026-01-02T01:04:05', 'yyyy-mm-dd hh:mm:ss', undef], ['s', '{"b":1.0,"a":[1e2,null]}', 'General', undef],
		['s', 'open', 'General', undef], undef],
	[['s', $second, 'General', undef], undef, undef, undef, ['b', $false, 'General', undef], undef,
		['d', '2026-01-02T03:04:05.120000', 'yyyy-mm-dd hh:mm:ss.000', undef], ['s', 'a text', 'General', undef], undef,
		['s', $first, 'General', undef]]], 'each type' or diag explain $book;
is_deeply temporaries(), [], 'nothing is left behind';

# ---- no digit is lost

my @numbers = qw(9007199254740993 9007199254740992 999999999999999 1000000000000000 -9223372036854775808 8.7 0.1 0.30000000000000004
	0.1234567890123456789 1e22 1.25e-7 1e308 1e-320 123456789012345678901234567890 0 -0.5);
table('digits', 'x:number');
add('digits', '[' . join(',', map { "{\"x\":$_}" } @numbers) . ']');
is_deeply column(book(export($ann, 'digits/export?format=xlsx')), 1),
	[qw(s:9007199254740993 s:9007199254740992 n:999999999999999 n:1000000000000000), 's:-9223372036854775808', qw(n:8.7 n:0.1
	s:0.30000000000000004 s:0.1234567890123456789 n:1e+22 n:1.25e-07 s:1e308 s:1e-320 s:123456789012345678901234567890 n:0 n:-0.5)],
	'what a spreadsheet would round is text';
table('times', 'day:date', 'at:timestamp');
my @times = qw(1900-02-28T00:00:00Z 1900-03-01T00:00:00Z 1899-12-31T23:59:59Z 9999-12-31T23:59:59.999Z 2026-01-02T03:04:05.1234567Z
	1969-12-31T23:59:59.500Z);
add('times', Cpanel::JSON::XS->new->encode([map { { day => substr($_, 0, 10), at => $_ } } @times]));
$book = book(export($ann, 'times/export?format=xlsx'));
is_deeply column($book, 1), [qw(s:1900-02-28 d:1900-03-01T00:00:00 s:1899-12-31 d:9999-12-31T00:00:00 d:2026-01-02T00:00:00
	d:1969-12-31T00:00:00)], 'days that programs disagree about are text';
is_deeply column($book, 2), [qw(s:1900-02-28T00:00:00Z d:1900-03-01T00:00:00 s:1899-12-31T23:59:59Z d:9999-12-31T23:59:59.999000
	s:2026-01-02T03:04:05.1234567Z d:1969-12-31T23:59:59.500000)], '... as are times finer than a millisecond';

# ---- text stays text

my @texts = ('=1+1', '+1', '-1', '@SUM(A1)', '=HYPERLINK("https://evil.example","x")', 'https://example.org/', 'mailto:a@example.org',
	'internal:Sheet2!A1', '{=1}', '007', '1e5', ' spaces ', "two\nlines", '<b>&amp;"\'', '=cmd|\' /C calc\'!A0', 'x' x 15_000);
table('texts', 'a');
add('texts', Cpanel::JSON::XS->new->encode([map { { a => $_ } } @texts]));
$book = book(export($ann, 'texts/export?format=xlsx'));
is_deeply column($book, 1), [map { "s:$_" } @texts], 'whatever a text begins with';
is_deeply [grep { $_->[1][3] } @{$book->{rows}}], [], '... nor is it a link';
unlike part('xl/worksheets/sheet1.xml'), qr/<f\b|hyperlink/, '... in the file';
unlike qx(unzip -Z1 $stack->{dir}/got.xlsx), qr/sheet1\.xml\.rels/, '... or beside it';
table('odd', 'a');
my @odd = ("a\rb\r\n", "bell\x{7}", '_x0041_', "_x\x{fffe}_", "\x{ffff}", "_x005F_", '__x0041_', '_x004_');
add('odd', Cpanel::JSON::XS->new->encode([map { { a => $_ } } @odd]));
book(export($ann, 'odd/export?format=xlsx'));
my @raw = part('xl/worksheets/sheet1.xml') =~ m{<t(?: [^>]*)?>((?:(?!row_)[^<])*)</t>}g;
is_deeply [map { s/\n/\\n/gr } @raw[2 .. $#raw]], ['a_x000D_b_x000D_\n', 'bell_x0007_', '_x005F_x0041_', '_x_xFFFE__', '_xFFFF_',
	'_x005F_x005F_', '__x005F_x0041_', '_x004_'], 'what XML lacks is escaped, and what looks like that';

# ---- the same rows as in a list

my $view = as($ann, POST => "$base/all/views", { name => 'V', scope => 'shared', columns => ['ok', 'name'], order => '-id' });
$view = $view->{json}{view}{id};
is_deeply column(book(export($ann, "all/export?format=xlsx&view=$view")), 0), ["s:$second", "s:$first"], 'the order of a view';
$book = book(export($ann, "all/export?format=xlsx&view=$view&n=lt.0"));
is_deeply [map { $_->[1] } @{$book->{rows}[0]}], [qw(id ok name)], '... its columns';
is_deeply column(book(export($ann, 'all/export?format=xlsx&n=lt.0&columns=n')), 1), ['n:-7'], 'conditions and columns';
is scalar @{book(export($ann, 'all/export?format=xlsx&n=eq.1000'))->{rows}}, 1, 'no row: a head alone';
table('ruled', 'who', 'n:integer');
add('ruled', '[' . join(',', map { "{\"who\":\"$_\@example.org\",\"n\":" . length . '}' } qw(ann ben benben)) . ']');
is_deeply column(book(export($ben, 'ruled/export?format=xlsx')), 1), ['s:ben@example.org'], 'a rule hides rows';
is scalar @{column(book(export($ann, 'ruled/export?format=xlsx')), 1)}, 3, '... not from the owner';
refused(export($eve, 'all/export?format=xlsx'), '404 NOT_FOUND', 'a stranger');
refused(export($ann, 'nothing/export?format=xlsx'), '404 NOT_FOUND', 'no such table');
refused(export($ann, 'all/export?format=xls'), '400 INVALID_REQUEST', 'no such format', qr/^format: .*xlsx/);
refused(export($ann, 'all/export?format=xlsx&columns=zz'), '400 INVALID_REQUEST', 'no such column', qr/^columns: /);
refused(export($ann, 'all/export?format=xlsx&zz=eq.1'), '400 INVALID_REQUEST', 'no such condition', qr/^zz: /);
$r = as($ann, HEAD => "$base/all/export?format=xlsx");
is "$r->{status} $r->{headers}{'content-type'} " . length $r->{body}, "200 $mime 0", 'HEAD makes none';

# ---- names

table($_, 'a') for 'History', 'x' x 40;
is book(export($ann, 'History/export?format=xlsx'))->{sheets}[0], 'History_', 'a name that Excel keeps for itself';
is book(export($ann, ('x' x 40) . '/export?format=xlsx'))->{sheets}[0], 'x' x 31, 'a long name is cut';

# ---- large ones

my $sql = "INSERT INTO data_row (table_no, id, shape_no, doc, c0) SELECT no, UNHEX(LPAD(HEX(seq), 32, '0')), shape_no, %s, NULL "
	. "FROM data_table, %s WHERE artifact_id = ? AND name = ?";
# A workbook of all the rows that one takes needs 40 s of this build.
my $rows = $ENV{VITRINE_LONG} ? 200_000 : 20_000;
table('large', 'a', 'n:integer');
$db->do(sprintf($sql, 'CONCAT(\'{"a":"row \', seq, \'","n":\', seq, \'}\')', "seq_1_to_$rows"), undef, $art, 'large');
my @kb = peaks();
$r = export($ann, 'large/export?format=xlsx');
is "$r->{status} " . (length $r->{body} > 100_000), '200 1', "$rows rows" or diag substr $r->{body}, 0, 500;
my @after = peaks();
cmp_ok $after[-1] - $kb[-1], '<', $ENV{VITRINE_LONG} ? 60_000 : 30_000, '... in flat memory';
Vitrine::Stack::spew("$stack->{dir}/got.xlsx", $r->{body});
my $found = () = part('xl/worksheets/sheet1.xml') =~ m{<row }g;
is $found, $rows + 1, '... and the head';
my $too_many = qr/^format: A workbook takes at most 200,000 rows\. Export more as CSV, or choose some of them by conditions$/;
if ($ENV{VITRINE_LONG}) {
	$db->do(sprintf($sql, '\'{"a":"last","n":0}\'', 'seq_200001_to_200001'), undef, $art, 'large');
	refused(export($ann, 'large/export?format=xlsx'), '400 INVALID_REQUEST', 'one more is too many', $too_many);
	is_deeply temporaries(), [], '... of which nothing is left';
	table('wide', 'a');
	$db->do(sprintf($sql, 'CONCAT(\'{"a":"\', REPEAT(\'x\', 16000), \'"}\')', 'seq_1_to_17000'), undef, $art, 'wide');
	refused(export($ann, 'wide/export?format=xlsx'), '400 INVALID_REQUEST', 'too many bytes',
		qr/^format: .* limit is 256 MB\. Export them as CSV/);
	is_deeply temporaries(), [], '... of which nothing is left, either';
}
$db->do('UPDATE data_table SET row_count = 200001 WHERE artifact_id = ? AND name = ?', undef, $art, 'large');
refused(export($ann, 'large/export?format=xlsx'), '400 INVALID_REQUEST', 'a table that is known to be too large', $too_many);
# What a browser sends that follows a link; its cookie is as good as a token.
my %followed = (Authorization => "Bearer $ann->{token}", 'Sec-Fetch-Mode' => 'navigate', 'Sec-Fetch-Dest' => 'document');
$r = $api->request(GET => 'vitrine.localhost', "$base/large/export?format=xlsx", \%followed);
is "$r->{status} $r->{headers}{'content-type'}", '400 text/html; charset=utf-8', '... and a browser gets that as a page';
like decode_utf8($r->{body}), qr{<h1>This didn’t work</h1>\s*<p>A workbook takes at most 200,000 rows\. Export more as CSV}, '... in the same words';
$r = $api->request(GET => 'vitrine.localhost', "$base/large/export?format=csv", \%followed);
is "$r->{status} $r->{headers}{'content-type'}", '200 text/csv; charset=utf-8', '... and what is there comes as it is';
is export($ann, 'large/export?format=xlsx&n=gte.' . ($rows - 1))->{status}, 200, '... but some of its rows are not';
$view = as($ann, POST => "$base/large/views", { name => 'V', scope => 'shared', where => { and => [['n', 'gte', $rows - 1]] } });
is export($ann, "large/export?format=xlsx&view=$view->{json}{view}{id}")->{status}, 200, '... nor are those of a view'
	or diag $view->{body};
sub peaks { return sort { $a <=> $b } map { Vitrine::Stack::slurp("/proc/$_/status") =~ /VmHWM:\s+(\d+)/ } $stack->workers }

# ---- and back

sub back {
	my ($path, $name) = @_;
	my $bytes = export($ann, $path)->{body};
	my $imp = as($ann, POST => "/v1/data/$art/imports", { filename => "$name.xlsx" })->{json}{import};
	$api->call(PUT => $imp->{upload_url} =~ s{^https?://[^/]+}{}r,
		{ body => $bytes, headers => { 'Content-Type' => 'application/octet-stream' } });
	is +($stack->runner)[0], 0, 'the runner checks it';
	is as($ann, POST => "/v1/data/$art/imports/$imp->{id}/start", { accept_proposals => $true })->{status}, 202, 'it can be imported';
	is +($stack->runner)[0], 0, '... by the runner';
	return [map { delete $_->{id}; $_ } @{as($ann, GET => "$base/$name/rows")->{json}{rows}}];
}
is_deeply back('all/export?format=xlsx&columns=name,n,x,ok,day,at', 'back'),
	[{ name => 'Ännchen 😀', n => -7, x => 1.5, ok => $true, day => '2026-11-21', at => '2026-01-02T01:04:05Z' },
	{ name => undef, n => undef, x => undef, ok => $false, day => undef, at => '2026-01-02T03:04:05.120Z' }], '... and is the same';
is_deeply back('odd/export?format=xlsx', 'odd_back'), [map { { a => $_ } } @odd], '... with each character';
is_deeply back('texts/export?format=xlsx', 'texts_back'), [map { { a => $_ } } @texts], '... and each text';
finish($stack);
