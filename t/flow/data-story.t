# SPDX-License-Identifier: Apache-2.0
# A file becomes a table that a team works in: it is sent in pieces, asked about, and stored; rows are found, changed by keyboard and in
# bulk while somebody else changes one; a corrected file comes in, goes, and comes in again; a view is a chart on a published page, where
# each sees their own; a rule is tried and broken; at last the table is what it was. t/flow/guestbook.t has the folder that is published
# with its tables. VITRINE_ROWS=500000 takes a large file.
use utf8;
use Encode 'encode';
use Vitrine::Browser;
use Vitrine::Words qw(as refused);

my $ROWS = $ENV{VITRINE_ROWS} // 6000;
(my $rows = $ROWS) =~ s/(?<=\d)(?=(?:\d{3})+$)/,/g;
my ($stack, $api, $db) = stack(data_per_minute => 100_000);
my $app = "https://vitrine.localhost:$stack->{port}";
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben vic wil);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for keys %user;
my $art = $api->publish($user{ann}, name => 'Orders', slug => 'orders', visibility => 'public', files => { 'index.html' =>
	'<!doctype html><html lang="en"><title>Orders</title><h1>Orders</h1><button id="in" onclick="vitrine.signIn()">Sign in</button>'
	. '<div id="chart"></div><script src="/_vitrine/vitrine.js"></script>' });
as('ann', POST => "/v1/artifacts/$art/collaborators", { emails => ['ben@example.org'], role => 'editor' });
my $base = "/v1/data/$art";
my $table = "$base/tables/orders";
sub runner { my ($status, undef, $err) = $stack->runner; is $status, 0, 'the runner ran' or diag $err }
# A large file takes several turns of the runner.
sub imported {
	my ($id, $state) = @_;
	my $now;
	for (1 .. 50) {
		runner();
		$now = as('ben', GET => "$base/imports/$id")->{json}{import};
		last if $now->{state} eq $state;
	}
	is $now->{state}, $state, "the import is $state" or diag $now->{error};
	return $now;
}
sub export { return $api->call(GET => "$table/export?format=csv&order=no", { token => $user{ann}{token} })->{body} }
sub row_of { my ($no) = @_; return as('ann', GET => "$table/rows?no=eq.$no")->{json}{rows}[0] }
sub batch { return as('ann', GET => "$table/history?limit=1")->{json}{batches}[0]{batch_id} }
# What takes long is an operation, which the runner ends.
sub ended {
	my ($r) = @_;
	like $r->{status}, qr/^20[02]$/, 'accepted' or diag $r->{body};
	my $op = $r->{json}{operation} or return $r->{json};
	runner();
	$op = as('ann', GET => "$base/operations/$op->{id}")->{json}{operation};
	is $op->{state}, 'done', '... and done' or diag $op->{error};
	return $op;
}

# ---- a file of Windows-1252 whose days could be months, sent in pieces

my @city = ('Zürich', 'Genève', 'Bern', 'Basel');
sub line { my ($n) = @_; return join ';', $n, (qw(vic wil))[$n % 2] . '@example.org', $city[$n % 4], $n % 500 . ',50',
	sprintf('%02d/%02d/2026', 1 + $n % 12, 1 + $n % 11), 'a note' x 40 }
my @lines = map { line($_) } 1 .. $ROWS;
my %wrong = (100 => 'many', 2000 => '12,50 CHF', $ROWS => '-');
for my $n (keys %wrong) { $lines[$n - 1] =~ s/[^;]*(;[^;]*;[^;]*)$/$wrong{$n}$1/ }
my $file = encode('cp1252', join "\r\n", 'no;rep;city;amount;day;note', @lines, '');
my $imp = as('ben', POST => "$base/imports", { filename => 'orders.csv', size => length $file, key => 'no' })->{json}{import};
my $path = $imp->{upload_url} =~ s{^https?://[^/]+}{}r;
sub send_piece {
	my ($from, $to) = @_;
	return $api->call(PUT => $path, { body => substr($file, $from, $to - $from), type => 'application/octet-stream',
		headers => { 'Content-Range' => "bytes $from-" . ($to - 1) . '/' . length $file } });
}
my $half = 1 << 20;
my $piece = send_piece(0, $half);
is $piece->{status}, 202, 'a piece, and the connection is lost' or diag $piece->{body};
is $api->call(GET => $path)->{json}{received}, $half, 'how much is there is told';
is send_piece($half, length $file)->{status}, 201, 'the rest';
imported($imp->{id}, 'ready');
my ($ann, $ben) = map { Vitrine::Browser->new($stack, @$_) } [width => 1280, height => 900], [width => 390, height => 844, dark => 1];
$ann->sign_in('ann@example.org', 'the password');
$ben->sign_in('ben@example.org', 'the password');
$ben->go("$app/a/$art/data/imports/$imp->{id}");
$ben->wait_text(qr/windows-1252/i);
$imp = as('ben', GET => "$base/imports/$imp->{id}")->{json}{import};
is_deeply { map { $_->{id} => $_->{proposed} } @{$imp->{questions}} }, { encoding => 'windows-1252', 'date_order.day' => 'dmy' },
	'the encoding and the order of days are asked';
as('ben', PATCH => "$base/imports/$imp->{id}", { columns => [{ source => 'amount', type => 'number' }],
	answers => { encoding => 'windows-1252', 'date_order.day' => 'dmy' } });
imported($imp->{id}, 'ready');
$ben->reload->wait_text(qr/3 lines of $rows don’t fit\./);
is join('; ', $ben->looks('data-story-import')), '', 'which have no barrier';
like $ben->text('main'), qr/12,50 CHF/, 'the lines that do not fit are shown';
$imp = as('ben', GET => "$base/imports/$imp->{id}")->{json}{import};
is_deeply [map { $_->{line} } @{$imp->{misfits}}], [101, 2001, $ROWS + 1], '... by their numbers';
is as('ben', POST => "$base/imports/$imp->{id}/start", { on_misfit => 'leave_out' })->{status}, 202, 'the others are stored';
imported($imp->{id}, 'done');
$ben->reload->wait_text(qr/Imported [\d,]+ rows; 3 lines left out\./);
is_deeply [@{row_of(1)}{qw(rep city amount day)}], ['wil@example.org', 'Genève', 1.5, '2026-02-02'], 'as they were meant';
my $left = as('ben', GET => "$base/imports/$imp->{id}/left-out")->{body};
like $left, qr/^line,no,rep,city,amount,day,note,why\r\n101,100,/, 'the three are a file';
# The first list in an order has its index made, without which each part of an export sorts all rows.
as('ann', GET => "$table/rows?order=no&limit=1");
runner();
my $first = export();
my $at = time;
select undef, undef, undef, 0.05 until time > $at;

# ---- found, changed by keyboard, pasted

my $some = '%7B%22or%22%3A%5B%5B%22no%22%2C%22lte%22%2C%223%22%5D%2C%5B%22no%22%2C%22eq%22%2C%2250%22%5D%5D%7D';
$ann->go("$app/a/$art/data/tables/orders?order=no&where=$some");
$ann->wait_text(qr/4 rows match/);
sub cell { my ($b, $y, $x) = @_; $b->script('document.querySelector("#rows tbody").rows[arguments[0]].cells[arguments[1]]'
	. '.dispatchEvent(new MouseEvent("mousedown", { bubbles: true }))', $y, $x); return $b }
cell($ann, 0, 2)->press('enter', 'end', '!', 'enter');
$ann->wait_text(qr/Saved\./);
is row_of(1)->{city}, 'Genève!', 'a cell is changed by keyboard';
cell($ann, 1, 2)->script('const d = new DataTransfer(); d.setData("text/plain", "Lugano\t7.25\nLocarno\t8.5"); '
	. 'document.dispatchEvent(new ClipboardEvent("paste", { clipboardData: d, bubbles: true, cancelable: true }))');
$ann->wait_text(qr/Saved 2 rows\./);
is_deeply [map { @{row_of($_)}{qw(city amount)} } 2, 3], ['Lugano', 7.25, 'Locarno', 8.5], 'a block is pasted';

# ---- 800 rows at once, and undone while the owner changes one

$ben->go("$app/a/$art/data/tables/orders/bulk?where=%5B%22no%22%2C%22between%22%2C%5B%22101%22%2C%22900%22%5D%5D");
$ben->click('#column option:nth-child(3)')->fill('#value', 'Somewhere')->click('form[method=get][action$=bulk] button');
$ben->wait_text(qr/800 rows would get “Somewhere”/);
$ben->click('main form[method=post] button.primary')->wait_text(qr/Changed 800\s+rows/s);
as('ann', PATCH => "$table/rows/" . row_of(500)->{id}, { city => 'Ann’s' });
$ben->click('ul.rows form button')->wait_text(qr/Undone\./);
is_deeply [map { row_of($_)->{city} } 101, 500, 900], ['Genève', 'Ann’s', 'Zürich'], 'undone, but for the row that Ann has changed';

# ---- the corrected file

sub corrected {
	my $fixed = as('ben', POST => "$base/imports", { filename => 'fixed.csv', table => 'orders', mode => 'upsert', key => 'no',
		text => join "\n", 'no;rep;city;amount;day;note',
			map { "$_;vic\@example.org;Chur;99,50;2026-01-31;ok" } sort keys %wrong });
	is $fixed->{status}, 201, 'the corrected lines' or diag $fixed->{body};
	my $id = $fixed->{json}{import}{id};
	imported($id, 'ready');
	is as('ben', POST => "$base/imports/$id/start", { accept_proposals => $true })->{status}, 202, '... are stored by their key';
	imported($id, 'done');
	return as('ann', GET => $table)->{json}{table}{row_count};
}
is corrected(), $ROWS, 'all rows are there';
ended(as('ben', POST => "$table/undo", { batch_id => batch() }));
is as('ann', GET => $table)->{json}{table}{row_count}, $ROWS - 3, 'an import is undone';
is corrected(), $ROWS, '... and comes in again';

# ---- a chart on the page, where each sees their own

my $rule = { tables => { orders => { read => 'row.rep == viewer.email', write => 'false' } } };
is as('ann', PUT => "$base/policy", { policy => $rule })->{status}, 200, 'everybody sees what is theirs';
my $view = as('ann', POST => "$table/views", { name => 'Small', scope => 'shared', where => ['no', 'lte', '40'] })->{json}{view}{id};
my $chart = as('ann', POST => "$base/charts", { name => 'By city', kind => 'bar', table => 'orders', view_id => $view, group => 'city' });
is $chart->{status}, 201, 'a view becomes a chart' or diag $chart->{body};
$chart = $chart->{json}{chart}{id};
my $site = "https://orders.pages.localhost:$stack->{port}/";
sub bars {
	my ($b) = @_;
	return $b->script_async('const done = arguments[1]; vitrine.chart(document.querySelector("#chart"), arguments[0], { width: 400 })'
		. '.then(d => done(d.labels.join(" ")), e => done(e.code))', $chart);
}
for (['vic', $ann, 'Bern Lugano Zürich'], ['wil', $ben, 'Basel Genève Genève! Locarno']) {
	my ($who, $b, $cities) = @$_;
	$b->go($site)->wait_text(qr/Orders/);
	is bars($b), 'NOT_FOUND', 'a stranger sees none';
	$b->cdp('Network.clearBrowserCookies');
	$b->click('#in')->wait_text(qr/E-mail/);
	$b->fill('#email', "$who\@example.org")->fill('#password', 'the password')->click('form button.primary');
	$b->wait_text(qr/Sign in to this page\?/);
	$b->click('form button.primary')->wait_text(qr/Orders/);
	is join(' ', sort split ' ', bars($b)), $cities, "$who sees their own bars";
}

# ---- the rule, tried and broken

is as('ann', POST => "$base/policy/try", { as => { email => 'vic@example.org' } })->{json}{tables}[0]{rows_read}, $ROWS / 2,
	'tried as Vic';
my $broken = "{\n\"tables\": {\n  \"orders\": {\"read\": \"row.rep = viewer.email\"}}}";
is refused(as('ann', PUT => "$base/policy", { text => $broken }), '400 INVALID_REQUEST', 'a rule that is broken')->{json}{details}{line}, 3,
	'... with its line';

# ---- as it was

ended(as('ann', POST => "$table/restore", { at => $at }));
is export(), $first, 'the table is what it was before anything was changed, byte for byte';
is +($stack->program('vitrinectl', {}, 'fsck'))[1], "clean\n", 'fsck is clean';
finish($stack);
