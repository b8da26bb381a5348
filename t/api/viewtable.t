# SPDX-License-Identifier: Apache-2.0
# Tables by pages: further pages, sorted ones, and what is found, on the artifact's own hosts; whom they are shown to; what a hostile file
# costs.
use utf8;
use Encode qw(encode encode_utf8);
use MIME::Base64 'encode_base64';
use Vitrine::Book qw(workbook bad_books);
use Vitrine::Visitor;
use Vitrine::Words qw(as);

my ($stack, $api, $db) = stack(publish_per_hour => 100000);
my ($ann, $ben, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben eve);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for qw(ben eve);
my ($r, $n) = (undef, 0);

sub shown {
	my ($files, %more) = @_;
	my $slug = $more{slug} // 'table-' . ++$n;
	$r = as($ann, POST => '/v1/publish', { name => 'T', visibility => 'public', slug => $slug, %more, files => [map {
		{ path => $_, content => encode_base64($files->{$_}, ''), encoding => 'base64' } } sort keys %$files] });
	is $r->{status}, 201, "$slug is published" or diag $r->{body};
	return $slug;
}
my $got;
sub body {
	my ($slug, $path, %headers) = @_;
	$got = $api->get_site($slug, $path, %headers);
	utf8::decode(my $b = $got->{body});
	return $b;
}
# The first and the last cells of the rows of a page, and how many there are.
sub rows {
	my ($html) = @_;
	my @rows = map { [m{<td[^>]*>(.*?)</td>}gs] } $html =~ m{<tr>(<td.*?)</tr>}gs;
	return @rows ? join ' ', scalar(@rows), "$rows[0][0]:$rows[0][1]", "$rows[-1][0]:$rows[-1][1]" : '0';
}
sub said { my ($text) = $_[0] =~ m{<p role="status">(.*?)</p>}; return $text // '' }
sub refused {
	my ($slug, $path, $status, $name, $like) = @_;
	my $html = body($slug, $path);
	is $got->{status}, $status, $name or diag $html;
	like $html, $like, '... in words' if $like;
	return;
}

# ---- pages

my $csv = encode_utf8("id,city,amount,\"a note\"\n" . join '', map {
	"$_," . ('Malmö', 'Lund', '', 'örebro')[$_ % 4] . ',' . ($_ * 7919 % 1000003) / 8
		. ($_ % 10 ? ",x\n" : ",\"two\nlines, \"\"$_\"\"\"\n") } 1 .. 1234);
my $slug = shown({ 'data/big file.csv' => $csv, 'README.md' => "# R\n", 'off.txt' => 'x' });
my $first = body($slug, '/data/big%20file.csv.html');
is rows($first), '100 1:1 100:100', 'the first page has the first rows';
like $first, qr{<span>[\d.]+ kB, 1,234 rows, 4 columns</span>}, '... and says how many there are';
is said($first), '1 to 100 of 1,234', '... and which these are';
like $first, qr{<a class="button" href="/data/big%20file\.csv">Raw</a>}, '... with the file';
like $first, qr{form-action 'self'}, '... may send its forms here';
unlike $first, qr{<script(?! src="/_vitrine/)}, '... without a script';
my $at = '/_vitrine/view/data/big%20file.csv';
like $first, qr{<a class="button" rel="next" href="\Q$at\E\?page=2">Next</a>}, '... and a link to the next';
like $first, qr{<form class="find" method="get" action="\Q$at\E"}, '... and forms';
ok !glob("$stack->{dir}/data/views/*"), 'a publish makes nothing else';
is rows(body($slug, "$at?page=2")), '100 101:101 200:200', 'the next page';
is $got->{headers}{'x-robots-tag'}, 'noindex', '... which search engines leave out';
like body($slug, "$at?page=2"),
	qr{<a class="button" rel="prev" href="/data/big%20file\.csv\.html">.*rel="next" href="\Q$at\E\?page=3"}s,
	'... leads back and on';
is rows(body($slug, "$at?page=13")), '34 1201:1201 1234:1234', 'the last page';
unlike body($slug, "$at?page=13"), qr{rel="next"}, '... is the last';
is rows(body($slug, "$at?utm_source=x")), '100 1:1 100:100', 'the first one, too; other parameters mean nothing';
is $api->request('HEAD', "$slug.pages.localhost", "$at?page=2")->{status}, 200, 'HEAD';
is $api->request('POST', "$slug.pages.localhost", "$at?page=2")->{status}, 405, 'POST';
like rows(body($slug, "$at?page=2")), qr/^100 /, 'again';
is scalar(() = glob("$stack->{dir}/data/views/*")), 1, 'where rows are is made once';

# ---- rows for a script

sub json { my ($query) = @_; return decode_json(encode_utf8(body($slug, "$at?$query", Accept => 'application/json'))) }
my $json = json('page=13');
is "$got->{status} $got->{headers}{'content-type'} $got->{headers}{vary}", '200 application/json; charset=utf-8 Accept',
	'a script gets JSON';
is_deeply [sort keys %$json], [qw(columns more page pages rows total)], '... with these members';
is_deeply [@$json{qw(columns page pages total)}, $json->{more} ? 1 : 0],
	[['id', 'city', 'amount', 'a note'], 13, 13, 1234, 0], '... which say where it is';
is scalar(@{$json->{rows}}), 34, '... and the rows of this page';
is_deeply $json->{rows}[9], [1210, '', 1210 * 7919 % 1000003 / 8, "two\nlines, \"1210\""],
	'... whose values are whole, as texts';
is json('sort=-1&q=lund')->{rows}[0][0], 1233, '... sorted and found as pages are';
is join(' ', keys %{json('page=99')}, $got->{status}), 'error 400', '... and what is wrong';

# ---- sorted

my $sorted = body($slug, "$at?sort=3");
my @amount = map { $_ * 7919 % 1000003 / 8 } 1 .. 1234;
my @order = sort { $amount[$a - 1] <=> $amount[$b - 1] } 1 .. 1234;
is rows($sorted), "100 $order[0]:$order[0] $order[99]:$order[99]", 'by a column of numbers';
like $sorted, qr{<th scope="col" class="num" aria-sort="ascending"><a rel="nofollow" href="\Q$at\E\?sort=-3">amount}, '... which it says';
is rows(body($slug, "$at?sort=-3&page=2")), "100 $order[-101]:$order[-101] $order[-200]:$order[-200]", '... and the other way';
my @city = map { $_ % 4 } 1 .. 1234;
my @by_city = map { my $c = $_; grep { $_ % 4 == $c } 1 .. 1234 } 1, 0, 3, 2;
is rows(body($slug, "$at?sort=2&page=4")), "100 $by_city[300]:$by_city[300] $by_city[399]:$by_city[399]",
	'by text, without case and marks; equal ones as in the file';
is rows(body($slug, "$at?sort=-2&page=13")), "34 $by_city[1200]:$by_city[1200] $by_city[-1]:$by_city[-1]",
	'empty values are last in both ways';

# ---- found

is said(body($slug, "$at?q=LUND")), '1 to 100 of 309 rows with “LUND”', 'a text, in any case';
is rows(body($slug, "$at?q=lund&page=4")), '9 1201:1201 1233:1233', '... its last page';
is said(body($slug, "$at?q=%C3%96rebro")), '1 to 100 of 308 rows with “Örebro”', 'letters of other scripts, too';
is said(body($slug, "$at?q=lines%2C+%22120%22")), '1 to 1 of 1 rows with “lines, &quot;120&quot;”', 'a comma and quotes within a value';
is said(body($slug, "$at?q=1%2CLund")), 'No row has “1,Lund”', 'but not two values';
is said(body($slug, "$at?q=%22")), '1 to 100 of 123 rows with “&quot;”', 'a quote alone';
is said(body($slug, "$at?q=two")), '1 to 100 of 123 rows with “two”', 'a value of two lines';
is said(body($slug, "$at?q=city")), 'No row has “city”', 'the names of columns are no row';
is rows(body($slug, "$at?q=lund&sort=3")), do { my @l = grep { $_ % 4 == 1 } @order; "100 $l[0]:$l[0] $l[99]:$l[99]" }, 'found and sorted';
like body($slug, "$at?q=lund&sort=3&page=2"), qr{rel="next" href="\Q$at\E\?page=3&amp;sort=3&amp;q=lund"},
	'... and so are the pages beside it';
is said(body($slug, "$at?q=two%20%7C%7C")), 'No row has “two ||”', 'a text that only begins so';
is said(body($slug, "$at?q=_")), 'No row has “_”', 'a character that no row has';
for my $q (1, 7, 98, 117, 1234, '0.125', 39.5, '1.37') {
	my $have = grep { ("$_ " . $_ * 7919 % 1000003 / 8) =~ /\Q$q/ } 1 .. 1234;
	my ($told) = said(body($slug, "$at?q=$q")) =~ /of ([\d,]+) rows/;
	is(($told // 0) =~ s/,//r, $have, "wherever it is in the file: $q");
}
like body($slug, "$at?q=%3Cb%3E"), qr{value="&lt;b&gt;".*“&lt;b&gt;”}s, 'what was typed is text';

# ---- refused

refused($slug, "$at?$_->[0]", 400, $_->[1], $_->[2]) for ['page=0', 'page 0', qr/page can’t be “0”/], ['page=-1', 'a page before'],
	['page=x', 'no number'], ['page=99999999999999999999', 'a large number'],
	['page=14', 'a page behind the last', qr/There is no page 14; the last one is 13/],
	['q=lund&page=5', '... of what is found', qr/last one is 4/],
	['sort=5', 'no such column', qr/no column 5; the table has 4/], ['sort=0', 'column 0'], ['sort=-9999', 'no column can be'],
	['q=' . 'x' x 201, 'a long text', qr/at most 200/], ['q=%ff', 'no UTF-8', qr/encoded/], ['q=%00', 'a NUL'];
refused($slug, "/_vitrine/view/$_", 404, "no table: $_") for 'README.md', 'none.csv', 'data/', 'data/big%20file.csv.html',
	'off.txt', '', '..%2fx', '_vitrine/view/data/big%20file.csv';
refused(shown({ 'a.csv' => "a\n1\n" }, views => 'off', entrypoint => 'a.csv'), '/_vitrine/view/a.csv', 404, 'a table without a view');
refused(shown({ 'a.csv' => "a\n1\n", 'login.html' => 'in', '_redirects' => "/a.csv /login.html 302!\n" }, views => 'all'),
	'/_vitrine/view/a.csv', 404, 'a file from which a rule leads away');
$slug = shown({ 'a.csv' => "a\n1\n", 'sub/a.csv' => "a\n1\n", '_headers' => "/*\n  X-Frame-Options: DENY\n" });
body($slug, '/_vitrine/view/a.csv');
is $got->{headers}{'x-frame-options'}, 'DENY', 'headers for all addresses are for these, too';
like body($slug, '/sub/a.csv.html'), qr{href="/_vitrine/view/sub/a\.csv\?sort=1"|href="/sub/a\.csv"},
	'the same bytes elsewhere have links of their own';

# ---- whom they are shown to

my $secret = shown({ 'a.csv' => $csv }, visibility => 'private');
my $art = $r->{json}{artifact}{id};
$at = '/_vitrine/view/a.csv?page=2';
my @told = map { my $html = body($secret, $_); "$got->{status} " . join ' ', $html =~ m{<(?:h1|p)>(.*?)</}g } '/a.csv.html', $at;
is $told[1], $told[0], 'a stranger to a private page learns as much as at its own address';
is((split / /, $told[1])[0], 404, '... which is nothing');
sub visitor { my ($name) = @_; my $v = Vitrine::Visitor->new($api); $v->sign_in("$name\@example.org", 'the password'); return $v }
$stack->collaborator($art, $ben, 'viewer');
my $viewer = visitor('ben');
my $host = "https://$secret.pages.localhost:$stack->{port}";
my $signed = sub { my ($v, $to) = @_; $v->go('/auth/view?to=' . Vitrine::Visitor::escape($to)); return $v->go($to) };
is $signed->($viewer, "$host/")->{status}, 200, 'who may see it';
my $seen = $viewer->go("$host$at");
is "$seen->{status} " . rows($seen->{text}), '200 100 101:101 200:200', '... sees its further pages';
is $seen->{headers}{'cache-control'}, 'private, no-store', '... which nobody keeps';
is $signed->(visitor('eve'), "$host$at")->{status}, 404, 'others do not';
shown({ 'a.csv' => "id\n" . join '', map { "d$_\n" } 1 .. 300 }, slug => $secret, draft => $true, visibility => undef);
is rows($viewer->go("$host$at")->{text}), '100 101:101 200:200', 'a draft changes nothing';
is $viewer->go("https://$secret--v2.pages.localhost:$stack->{port}$at")->{status}, 404, '... and a viewer does not see it';
$stack->collaborator($art, $eve, 'editor');
is rows($signed->(visitor('eve'), "https://$secret--v2.pages.localhost:$stack->{port}$at")->{text}), '100 101:d101 200:d200',
	'... an editor does';
my ($frame) = $viewer->go("/a/$art/review?version=1")->{body} =~ m{<iframe[^>]* src="(https://[^/"]+)};
$seen = Vitrine::Visitor->new($api)->send(GET => "$frame$at", headers => { 'Sec-Fetch-Dest' => 'iframe' });
is rows($seen->{text}), '100 101:101 200:200', 'the frame of a review';
like $seen->{body}, qr{<script src="/_vitrine/remark\.js"}, '... has the script for remarks';
$seen = Vitrine::Visitor->new($api)->send(GET => "$frame$at", headers => { 'Sec-Fetch-Dest' => 'document' });
is $seen->{status}, 404, '... and is nothing by itself';
$db->do('UPDATE artifact SET paused_at = 1 WHERE id = ?', undef, $art);
is $viewer->go("$host$at")->{status}, 403, 'paused';
$db->do('UPDATE artifact SET paused_at = NULL WHERE id = ?', undef, $art);
as($ann, DELETE => "/v1/artifacts/$art/collaborators/ben%40example.org");
is $viewer->go("$host$at")->{status}, 404, 'taken away';

# ---- hostile and odd files

sub many { my ($row, $times) = @_; return join '', map { sprintf $row, $_ } 1 .. ($times // 250) }
my %odd = (
	'open.csv' => ["a,b\n\"1,2\n" . many("%d,x\n"), qr/>&quot;1</],
	'bad.csv' => ["a,b\n" . many("\"x\"y%d,z\n"), qr/>&quot;x&quot;y101</],
	'wide.csv' => [join(',', 1 .. 10000) . "\n" . (',' x 9999 . "\n") x 3, qr/first 1,000 columns/],
	'long.csv' => ["a\n" . 'x' x (2 << 20) . "\n" . many("%d\n"), qr/Long values are cut/],
	'script.csv' => ["<script>,b\n" . many("\"<script>alert(%d)\",=1+1\n"), qr/&lt;script&gt;alert\(101\)/],
	'mac.csv' => ["a,b\r" . many("%d,x\r"), qr/>101</],
	'utf16.csv' => ["\xff\xfe" . encode('UTF-16LE', "a,ö\n" . many("%d,ü\n")), qr/>101<.*>ü</s],
	'old.csv' => ["a,b\n" . many("%d,caf\xe9\n"), qr/>101<.*>café</s],
	'bom.csv' => ["\xef\xbb\xbfa,b\n" . many("%d,x\n"), qr/>101</],
	'told.csv' => ["sep=;\na;b\n" . many("%d;x,y\n"), qr/>101<.*>x,y</s],
	'tabs.tsv' => ["a\tb\n" . many("%d\tx,y\n"), qr/>101<.*>x,y</s],
	'ragged.csv' => ["a,b\n" . many("%d\n"), qr/more or fewer values/],
	'lines.csv' => ["\n\na\n\n" . many("%d\n\n"), qr/>101</],
	'empty.csv' => ["a,b\n", qr/There are no rows/]);
$slug = shown({ map { ($_ => $odd{$_}[0]) } keys %odd });
for my $name (sort keys %odd) {
	my $static = body($slug, "/$name.html");
	my $html = body($slug, "/_vitrine/view/$name" . ($name =~ /^(?:wide|long|empty|open)/ ? '' : '?page=2'));
	is $got->{status}, 200, $name or diag $html;
	like $html, $odd{$name}[1], '... is shown';
	unlike "$static$html", qr/<script>/, '... without a script of its own';
	like body($slug, "/_vitrine/view/$name?q=zzz&sort=1"), qr/No row has/, '... and searched';
}
my @texts = glob "$stack->{dir}/data/views/text-*";
is scalar(@texts), 2, 'those that are not UTF-8 are converted once';
truncate $texts[0], 3;
like body($slug, "/_vitrine/view/$_?page=2&sort=-1"), qr/>150</, "... again, if that text is cut off: $_" for qw(old.csv utf16.csv);
is said(body($slug, '/_vitrine/view/old.csv?q=CAF%C3%89&page=2')), '101 to 200 of 250 rows with “CAFÉ”', '... and searched';
is((stat $texts[0])[7] > 3, 1, '... which is written');
shown({ 'nul.csv' => "a\n1\0\n", 'blank.csv' => "\n\n" });
is $r->{status}, 201, 'bytes that are no table cost their own view alone';
refused("table-$n", '/_vitrine/view/nul.csv', 400, 'no text', qr/isn&#39;t text|isn't text/);
refused("table-$n", '/_vitrine/view/blank.csv', 400, 'no rows', qr/no rows/);

# ---- workbooks

my @orders = (['day', 'at', 'n', 'ok', 'zip', 'sum'],
	[['n', 2, '<v>46347</v>'], ['n', 4, '<v>46347.5</v>'], ['n', 0, '<v>0.1</v>'], ['b', 0, '<v>1</v>'], '007',
		['n', 0, '<f>A1</f><v>3</v>']],
	undef, [['n', 1, '<v>61</v>'], undef, ['n', 0, '<v>1.5E2</v>'], ['e', 0, '<v>#N/A</v>'],
		"ä\t<x>\n\"q\"", ['str', 0, '<f>B</f><v>4</v>']]);
my $book = workbook([['Empty', []], ['Orders', \@orders], ['Many &amp; &lt;more>', [['id'],
	map { [['n', 0, "<v>$_</v>"]] } 1 .. 250]]]);
$slug = shown({ 'b.xlsx' => $book, 'c.csv' => "a\n" });
is join(' ', map { $_->{kind} } @{as($ann, GET => "/v1/artifacts/$r->{json}{artifact}{id}/versions/1/views")->{json}{views}}),
	'table table folder', 'a workbook has a view';
my $sheet = body($slug, '/b.xlsx.html');
is_deeply [map { [m{<td[^>]*>(.*?)</td>}gs] } $sheet =~ m{<tr>(<td.*?)</tr>}gs],
	[['1', '2026-11-21', '2026-11-21 12:00:00', '0.1', 'true', '007', '3'],
	['2', '1900-03-01', '', '150', '#N/A', "ä\t&lt;x&gt;\n&quot;q&quot;", '4']],
	'... of its first sheet: dates, stored values of formulas, errors, texts';
like $sheet, qr{<nav [^>]*aria-label="Sheets"><a aria-current="page" href="/b\.xlsx\.html">Orders</a>}, '... with links';
like $sheet, qr{<a href="/_vitrine/view/b\.xlsx\?sheet=2">Many &amp; &lt;more&gt;</a></nav>}, '... to those that have values';
my $of = '/_vitrine/view/b.xlsx?sheet=2';
is rows(body($slug, $of)), '100 1:1 100:100', 'another sheet';
is rows(body($slug, "$of&page=3")), '50 201:201 250:250', '... its last page';
is rows(body($slug, "$of&sort=-1&q=5")), '44 250:250 5:5', '... sorted, and searched';
like body($slug, "$of&page=2&q=1"), qr{<input type="hidden" name="sheet" value="2">.*rel="prev" href="\Q$of\E&amp;q=1"}s,
	'... which its forms and links keep';
refused($slug, '/_vitrine/view/b.xlsx?sheet=3', 400, 'no such sheet', qr/no sheet 3; the workbook has 2/);
refused($slug, '/_vitrine/view/b.xlsx?sheet=0', 400, 'sheet 0');
is rows(body($slug, '/_vitrine/view/c.csv?sheet=9')), '0', 'a CSV file has no sheets';
my %bad = (bad_books(), 'cut off' => substr($book, 0, 400), 'no archive' => "\0" x 1000);
$slug = shown({ map { ("$_.xlsx" => $bad{$_}) } keys %bad });
my %problem = map { $_->{of} => $_->{problem} }
	@{as($ann, GET => "/v1/artifacts/$r->{json}{artifact}{id}/versions/1/views")->{json}{views}};
for my $what (sort keys %bad) {
	like $problem{"$what.xlsx"}, qr/^it is only a download: /, "$what: said";
	like body($slug, '/' . $what =~ s/ /%20/gr . '.xlsx.html'), qr/Download it to open/, '... and is a download';
	refused($slug, '/_vitrine/view/' . $what =~ s/ /%20/gr . '.xlsx', 400, '... also by its page');
}

# ---- what is lost is made again

$slug = shown({ 'a.csv' => $csv });
unlink glob "$stack->{dir}/data/views/*";
body($slug, $at);
my ($side) = sort { -M $a <=> -M $b } glob "$stack->{dir}/data/views/*";
truncate $side, 40;
is rows(body($slug, $at)), '100 101:101 200:200', 'a side that is cut off is made again';
ok -s $side > 40, '... and written';
unlink glob "$stack->{dir}/data/views/*";
is rows(body($slug, $at)), '100 101:101 200:200', 'one that is gone, too';
my $views = "$stack->{dir}/data/views";
Vitrine::Stack::spew("$views/$_", '') for qw(old unused recent);
truncate "$views/old", (1 << 30) + 1; # of holes
utime time - 86400 * $_->[0], time - 86400 * $_->[0], "$views/$_->[1]" for [2, 'old'], [1, 'recent'];
unlink glob "$views/table-*";
body($slug, $at);
ok !-e "$views/old", 'sides take a gigabyte at most: a new one ends the oldest';
utime time - 86400 * 31, time - 86400 * 31, "$views/unused";
$stack->runner;
ok !-e "$views/unused", 'one that was not used for a month goes';
ok -e "$views/recent", '... others stay';
is rows(body($slug, $at)), '100 101:101 200:200', '... and what is in use stays';
my ($status, $out) = $stack->program('vitrinectl', {}, 'fsck');
is $out, "clean\n", 'fsck is clean' or diag $out;
Vitrine::Words::finish($stack);
