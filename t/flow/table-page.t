# SPDX-License-Identifier: Apache-2.0
# Tables in the browser: making one, adding, changing, sorting, filtering and deleting rows, CSV in and out, what a rule hides. Looked at in
# both widths and both themes; then once more without a script.
use utf8;
use Vitrine::Browser;
use Vitrine::Visitor;
use Vitrine::Words;

my ($stack, $api) = stack();
my $app = "https://vitrine.localhost:$stack->{port}";
my ($anna, $bena) = map { $stack->user("$_\@example.org") } qw(ann ben);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for qw(ann ben);
my $art = $api->publish($anna, name => 'Guest book', slug => 'guests', visibility => 'private');
$api->call(POST => "/v1/artifacts/$art/collaborators",
	{ token => $anna->{token}, json => { emails => ['ben@example.org'], role => 'viewer' } });
my ($ann, $ben) = map { Vitrine::Browser->new($stack, @$_) } [width => 1280, height => 900], [width => 390, height => 844, dark => 1];
my $pages = 0;
sub seen {
	my ($b, $name, %o) = @_;
	is join('; ', $b->barriers), '', "$name has no barrier";
	is join('; ', grep { /\Q$app\E/ && !/favicon/ && !($o{refused} && /40\d/) } $b->complaints), '',
		"the browser has no complaint about $name";
	$b->screenshot(sprintf 'table-%02d-%s', ++$pages, $name =~ s/\W+/-/gr);
}
$ann->sign_in('ann@example.org', 'the password');
$ben->sign_in('ben@example.org', 'the password');
sub stored { return $api->call(GET => "/v1/data/$art/tables/guests/rows?order=name&limit=200", { token => $anna->{token} })->{json}{rows} }
# What is wrong is said once, beside the field, which is marked.
sub told_beside {
	my ($b, $field, $why) = @_;
	is $b->script('const e = document.querySelector(arguments[0]), by = e.getAttribute("aria-describedby").split(" "); '
		. 'return [e.getAttribute("aria-invalid"), document.getElementById(by[0]).textContent].join(": ")', $field), "true: $why",
		"$why stands beside $field";
	is scalar(() = $b->text('body') =~ /\Q$why\E/g), 1, 'once';
	is $b->script('return document.querySelectorAll(".notice.bad").length'), 0, 'and not above the page, too';
}
sub column {
	my ($b, $n) = @_;
	return $b->script('return [...document.querySelectorAll("table.grid tbody tr:not(.new) td:nth-child(' . $n
		. ')")].map(td => td.textContent.trim()).join("|")');
}

# ---- making one

$ann->go("$app/a/$art/data/tables");
$ann->wait_text(qr/No tables yet/);
seen($ann, 'no tables');
$ann->fill('#name', 'guests')->fill('#columns', 'name, age: years')->click('form[action$="/tables"] button.primary');
$ann->wait_text(qr/There is no type years/);
told_beside($ann, '#columns', 'There is no type years; use text, number, integer, boolean, timestamp, json, date, choice or link.');
is $ann->script('return document.querySelector("#columns").value'), 'name, age: years', 'what was typed stays';
seen($ann, 'a type that is none', refused => 1);
$ann->fill('#columns', 'name, name')->click('form[action$="/tables"] button.primary');
$ann->wait_text(qr/Column 2 name is already the name/);
$ann->script('document.querySelector("#name").removeAttribute("pattern")');
$ann->fill('#name', '1 bad')->click('form[action$="/tables"] button.primary');
$ann->wait_text(qr/must start with a letter/);
told_beside($ann, '#name', "A table's name can contain letters, digits, _ and -, and must start with a letter or _.");
seen($ann, 'a name that is none', refused => 1);
$ann->fill('#name', 'guests');
$ann->fill('#columns', 'name, age: integer, here: boolean, at: timestamp, said')->click('form[action$="/tables"] button.primary');
$ann->wait_text(qr/No rows yet/);
is $ann->url, "$app/a/$art/data/tables/guests", 'the table';
seen($ann, 'a table without rows');

# ---- adding, changing, deleting

$ann->follow('Add row');
$ann->wait_text(qr/Save row/);
seen($ann, 'adding a row');
$ann->fill('input[name="c.name"]', 'Änn <b>')->fill('input[name="c.age"]', 'old')->click('button[form=row]');
$ann->wait_text(qr/Must be a 64-bit whole number/);
told_beside($ann, 'input[name="c.age"]', $ann->text('.error'));
is $ann->script('return document.querySelector("[name=\'c.name\']").value'), 'Änn <b>', 'what was typed stays';
seen($ann, 'a row that does not fit', refused => 1);
$ann->fill('input[name="c.age"]', '41')->click('select[name="c.here"] option[value=true]')->click('button[form=row]');
$ann->wait_text(qr/Saved\./);
is_deeply [map { @$_{qw(name age here at said)} } @{stored()}], ['Änn <b>', 41, Cpanel::JSON::XS::true, undef, undef],
	'a row is stored; what was left empty has no value';
$api->call(POST => "/v1/data/$art/tables/guests/rows",
	{ token => $anna->{token}, json => { rows => [{ name => 'Bo', age => 7, said => "two\nlines", at => '2026-01-02T03:04:05Z' }, map {
		{ name => sprintf('Guest %03d', $_), age => $_, said => 'x' x ($_ * 3) }
	} 1 .. 60] } });
$ann->go("$app/a/$art/data/tables/guests")->follow('name');
$ann->wait_text(qr/Bo/);
like column($ann, 1), qr/^Bo\|Guest 001\|/, 'sorted by a click';
seen($ann, 'sorted');
$ann->follow('name');
like column($ann, 1), qr/^Änn <b>\|Guest 060\|/, 'and from the end';
$ann->follow('Next');
like column($ann, 1), qr/\|Bo$/, 'the rest';
$ann->follow('First page');

# ---- an order of several columns: by Shift, or by a form

sub also {
	my ($b, $name) = @_;
	$b->script('[...document.querySelectorAll("th a")].find(a => a.textContent.trim().startsWith(arguments[0]))'
		. '.dispatchEvent(new MouseEvent("click", { shiftKey: true, bubbles: true, cancelable: true }))', $name);
	return $b;
}
sub sorted_by { my ($b) = @_; return $b->script('return [...document.querySelectorAll("th:has(svg)")].map(e => e.innerText.trim() + " "'
	. ' + (e.ariaSort ?? "")).join("; ").replace(/\s+/g, " ")') }
also($ann->go("$app/a/$art/data/tables/guests?order=-here"), 'name');
$ann->wait_text(qr/order:\s+2/);
like $ann->url, qr/\?order=-here%2Cname$/, 'Shift and a click add a column to the order';
is sorted_by($ann), 'name ascending, column of the order: 2 ; here descending, column of the order: 1 descending',
	'... and the page says so';
seen($ann, 'an order of two columns');
also($ann, 'name');
$ann->wait_text(qr/name\s+descending/);
like $ann->url, qr/\?order=-here%2C-name$/, '... and turn it round';
$ann->click('#view details:nth-of-type(2) summary');
is join('; ', $ann->looks('table-order')), '', 'the form of an order has no barrier';
$ann->click('#s3 option:nth-child(3)')->click('#view details:nth-of-type(2) button');
$ann->wait_text(qr/order:\s+3/);
like $ann->url, qr/\?order=-here%2C-name%2Cage$/, 'a third by the form';
$ann->follow('name');
like $ann->url, qr/\?order=name$/, 'a click alone sorts by one';
$ann->follow('name');

# ---- conditions: a row of a form each, in the address, and as words that can be removed

sub rowed {
	my ($b, $no, $column, $op, @values) = @_;
	$b->click("#c$no option:nth-child(" . (1 + $column) . ')')->click("#o$no option[value=\"$op\"]");
	$b->fill('#' . (qw(v t))[$_] . $no, "$values[$_]") for 0 .. $#values;
	return $b;
}
sub chips {
	my ($b) = @_;
	return $b->script('return [...document.querySelectorAll(".chips > li")]'
		. '.map(e => (e.firstElementChild ?? e).textContent).join(" ")');
}
my $apply = '#view button.primary';
$ann->click('#view summary');
rowed($ann, 1, 2, 'lt', 3)->click($apply);
$ann->wait_text(qr/2 rows match/);
is column($ann, 2), '2|1', 'filtered';
like $ann->url, qr/guests\?where=%5B%22age%22%2C%22lt%22%2C%223%22%5D&order=-name$/, 'the address has the condition, as the API does';
is chips($ann), 'age is less than 3 Show all rows', 'and the page, in words';
seen($ann, 'filtered');
$ann->click('#view summary')->click('button[name=more]');
$ann->wait_text(qr/Value of condition 2/);
$ann->click('#j2 option[value=or]');
rowed($ann, 2, 1, 'in', 'Bo, "Guest 005", Guest 006')->click('button[name=more]');
$ann->wait_text(qr/Value of condition 3/);
rowed($ann, 3, 2, 'between', 6, 9);
is join('; ', $ann->looks('table-conditions-form')), '', 'a form of conditions has no barrier';
$ann->click($apply);
$ann->wait_text(qr/4 rows match/);
is column($ann, 1), 'Guest 006|Guest 002|Guest 001|Bo', 'several, joined by and and or';
is chips($ann), 'age is less than 3 or name is one of Bo, Guest 005, Guest 006 and age is between 6 and 9 Show all rows', 'in words';
is join('; ', $ann->looks('table-conditions')), '', 'several conditions have no barrier';
my $both = $ann->url;
$ann->follow('Remove: age is less than 3');
$ann->wait_text(qr/2 rows match/);
is column($ann, 1), 'Guest 006|Bo', 'one is removed';
$ann->go($both)->click('#view summary')->click('button[name=drop][value="2"]');
$ann->wait_text(qr/7 rows match/);
is chips($ann), 'age is less than 3 or age is between 6 and 9 Show all rows', 'a group that loses its first begins with the next';
my $plain = Vitrine::Visitor->new($api);
$plain->sign_in('ann@example.org', 'the password');
for my $what (['is.null', 'at', 61], ['is.notempty', 'said', 61], ['contains', 'name', 60, 'GUEST'], ['ncontains', 'name', 2, 'guest'],
	['prefix', 'name', 1, 'B'], ['nin', 'name', 61, 'Bo,'], ['within.last_days', 'at', 0, 7], ['neq', 'here', 61, 'true']) {
	my ($op, $name, $n, $value) = @$what;
	my $r = $plain->go("/a/$art/data/tables/guests?look=1&column.1=$name&op.1=$op&value.1=" . ($value // ''));
	like $r->{text}, $n ? qr/>$n rows? match/ : qr/No rows match/, "$name $op, without a script";
}
for (['sort.1=here&turn.1=-&sort.2=name', '-here%2Cname'], ['sort.1=name&sort.2=name&sort.3=age', 'name%2Cage'],
	['sort.1=id&turn.1=-&sort.2=name', '-id']) {
	like $plain->go("/a/$art/data/tables/guests?look=1&$_->[0]")->{text}, qr/export\?order=\Q$_->[1]\E&/, "$_->[0], without a script";
}
my ($there, $utc) = map { int((time + $_) / 86400) * 86400 - $_ } 14 * 3600, 0;
my @t = gmtime($there > $utc ? $there + 86400 - 60 : $there + 60);
my $day = $api->call(POST => "/v1/data/$art/tables/guests/rows", { token => $anna->{token}, json => { rows => [{ name => 'Zoë',
	at => sprintf('%d-%02d-%02dT%02d:%02d:%02dZ', $t[5] + 1900, $t[4] + 1, @t[3, 2, 1, 0]) }] } })->{json}{ids}[0];
my $today = "/a/$art/data/tables/guests?where=" . '%5B%22at%22,%22within%22,%22today%22%5D';
like $plain->go($today)->{text}, qr/Days are those of UTC.*No rows match/s, 'days are those of UTC';
$stack->db->do('INSERT INTO inbox_digest (user_id, at_minute, zone) VALUES (?, 480, "Pacific/Kiritimati")', undef, $anna->{id});
like $plain->go($today)->{text}, qr/Days are those of Pacific\/Kiritimati.*>1 row matches/s, '... or of the daily mail';
like $plain->go($today)->{text}, qr/export\?[^"]*zone=Pacific%2FKiritimati/, '... in an export, too';
like $plain->go($today =~ s/guests\?/guests\/bulk?gone=1&/r)->{text}, qr/Days are those of Pacific.*1 row<.strong> would be deleted/s,
	'... and when many rows change';
$api->call(DELETE => "/v1/data/$art/tables/guests/rows/$day", { token => $anna->{token} });
$ann->go("$app/a/$art/data/tables/guests?where=none")->click('#view summary');
rowed($ann, 1, 2, 'lt', 'x')->click($apply);
$ann->wait_text(qr/x isn't a valid value for a column of type integer/);
is $ann->script('return document.querySelector("#v1").value'), 'x', 'what was typed stays';
told_beside($ann, '#v1', "x isn't a valid value for a column of type integer");
seen($ann, 'a condition that is none');
$ann->follow('Show all rows');
$ann->click('#view summary');
rowed($ann, 1, 1, 'prefix', 'Bo')->click($apply);
$ann->wait_text(qr/two/);
my $shown = $ann->script_async('const done = arguments[0]; (async () => { const all = [];'
		. 'for (const a of document.querySelectorAll("a[href*=export]:not([href$=xlsx])")) '
		. 'all.push((await (await fetch(a.href)).text()).includes("Guest"));'
		. 'done(all.join()) })()');
is $shown, 'false,false,false', 'exported as shown';
$ann->click('a.icon');
$ann->wait_text(qr/Delete row/);
seen($ann, 'editing a row');
$ann->fill('input[name="c.age"]', '8')->click('button[form=row]');
$ann->wait_text(qr/Saved\./);
is_deeply [map { @$_{qw(age said at)} } grep { $_->{name} eq 'Bo' } @{stored()}], [8, "two\nlines", '2026-01-02T03:04:05Z'],
	'what was not touched is as it was, its line ends too';

# ---- columns: which, in what order, how wide, with what below

my $columns = '#view details:last-of-type';
sub heads {
	my ($b) = @_;
	return $b->script('return [...document.querySelectorAll("#rows thead th:not(.stay)")].map(e => e.textContent.trim()).join(" ")');
}
sub feet { my ($b) = @_; return $b->script('return [...document.querySelectorAll("tfoot td")].map(e => e.innerText.trim()).join("|")') }
$ann->go("$app/a/$art/data/tables/guests?order=age")->click("$columns summary");
$ann->click('input[name="show.4"]')->fill('input[name="place.1"]', '1')->fill('input[name="width.0"]', '240')
	->click('select[name="total.1"] option[value=sum]')->click('select[name="total.3"] option[value=empty]');
is join('; ', $ann->looks('table-columns-form')), '', 'a form of columns has no barrier';
$ann->click("$columns button.primary");
$ann->wait_text(qr/Totals are of all rows/);
is heads($ann), 'age name here at', 'columns that were chosen, in that order';
is feet($ann), 'Sum 1879|||Empty 61|', 'with totals below';
like $ann->url, qr/\?columns=age%2Cname%2Chere%2Cat&widths=name\.240&totals=age\.sum%2Cat\.empty&order=age$/, 'the address has all of it';
is $ann->script('return Math.round(document.querySelectorAll("#rows thead th")[1].getBoundingClientRect().width)'), 240, 'and the width';
is join('; ', $ann->looks('table-columns')), '', 'chosen columns have no barrier';
like $ann->script_async('const done = arguments[0]; fetch(document.querySelector("a[href*=export]").href).then(r => r.text()).then(done)'),
	qr/^id,age,name,here,at\r\n/, 'exported as shown';
$ann->click('#view summary');
rowed($ann, 1, 1, 'lte', 3)->press("\r");
$ann->wait_text(qr/3 rows match/);
is feet($ann), 'Sum 6|||Empty 3|', 'Enter applies a condition, which totals heed';
$ann->click('#save-view summary')->fill('#view-name', 'Young')->click('#save-view button');
$ann->wait_text(qr/The view is saved/);
my ($young) = $ann->url =~ /view=(viw_\w+)/;
is heads($ann) . feet($ann), 'age name here atSum 6|||Empty 3|', 'a view keeps it';
my $saved = $api->call(GET => "/v1/data/$art/tables/guests/views/$young", { token => $anna->{token} })->{json}{view};
is_deeply [@$saved{qw(where columns widths totals)}],
	[['age', 'lte', '3'], [qw(age name here at)], { name => 240 }, { age => 'sum', at => 'empty' }], '... as the API has it';
$ann->click("$columns summary")->click('select[name="total.3"] option[value=""]')->fill('input[name="place.1"]', '4')
	->fill('input[name="width.0"]', '')->click("$columns button.primary");
$ann->wait_text(qr/Changed/);
is heads($ann), 'name here at age', 'a view that is changed';
like $ann->url, qr/\?view=$young&columns=name%2Chere%2Cat%2Cage&widths=none&totals=age\.sum$/, 'the address has the changes only';

# Somebody else was faster.
$ann->go("$app/a/$art/data/tables/guests?column=name&op=eq&value=Bo")->click('a.icon');
$ann->wait_text(qr/Delete row/);
my ($id) = map { $_->{id} } grep { $_->{name} eq 'Bo' } @{stored()};
$api->call(PATCH => "/v1/data/$art/tables/guests/rows/$id", { token => $anna->{token}, json => { age => 9 } });
$ann->fill('input[name="c.age"]', '10')->click('button[form=row]');
$ann->wait_text(qr/someone else changed this row/);
is scalar(() = $ann->text('body') =~ /someone else changed this row/g), 1, 'what is about no field is said once, above';
is((grep { $_->{name} eq 'Bo' } @{stored()})[0]{age}, 9, 'nothing is overwritten unseen');
$ann->go("$app/a/$art/data/tables/guests?column=name&op=eq&value=Bo&edit=$id")->click('button[form=gone]');
$ann->wait_text(qr/Deleted\./);
is scalar(grep { $_->{name} eq 'Bo' } @{stored()}), 0, 'a row is deleted';

# ---- a file

sub file { my ($name, $text) = @_; Vitrine::Stack::spew("$stack->{dir}/$name", $text); return "$stack->{dir}/$name" }
sub choose { my ($b, $css, $path) = @_; $b->attach($css, $path); return $b }
$ann->go("$app/a/$art/data/tables/guests")->follow('Import');
$ann->complaints;
$ann->wait_text(qr/Import into guests/);
seen($ann, 'to import');
$ann->click('form.drop button');
$ann->wait_text(qr/Choose a file first, or paste rows\./);
seen($ann, 'nothing to import', refused => 1);
$ann->fill('#text', qq(name,age,said\nZoe,20,"a ""quote"", and more"\nZed,x,\n))->click('form.drop button');
$ann->wait_text(qr/Each line is being checked\./);
seen($ann, 'an import that is checked');
$stack->runner;
$ann->wait_text(qr/1 line of 2 doesn’t fit\./);
like $ann->text('main'), qr/isn’t a whole number/, 'the page follows, and says why';
seen($ann, 'lines that do not fit');
$ann->click('button[value=start]');
$ann->wait_text(qr/Choose what becomes of the lines that don’t fit/);
seen($ann, 'lines to decide about', refused => 1);
$ann->fill('input[name="name.0"]', 'id')->click('button[value=check]');
$ann->wait_text(qr/The name id is reserved/);
told_beside($ann, 'input[name="name.0"]', $ann->text('.error'));
is $ann->script(q(return document.querySelector('[name="name.0"]').value)), 'id', 'what was typed stays';
$ann->complaints;
$ann->fill('input[name="name.0"]', 'name')->click('input[name=on_misfit][value=leave_out]')->click('button[value=start]');
$ann->wait_text(qr/0 of 2 rows are stored\./);
seen($ann, 'an import that is stored');
$stack->runner;
$ann->wait_text(qr/Imported 1 row; 1 line left out\./);
seen($ann, 'an import that is done');
is_deeply [map { [@$_{qw(age said)}] } grep { $_->{name} =~ /^Z/ } @{stored()}], [[20, 'a "quote", and more']],
	'the row that fits is stored';
sub imported {
	my ($b) = @_;
	$b->wait_text(qr/Each line is being checked\./);
	$stack->runner;
	$b->wait_text(qr/The first rows/);
	$b->click('button[value=start]');
	$b->wait_text(qr/are stored\./);
	$stack->runner;
	$b->wait_text(qr/Imported \d+ rows?\./);
}
$ann->go("$app/a/$art/data/tables/guests/import");
choose($ann, 'form.drop input[type=file]', file('good.csv', "name,age\nFil,1\n"))->click('form.drop button');
imported($ann);
is scalar(grep { $_->{name} eq 'Fil' } @{stored()}), 1, 'a file is imported';
$ann->go("$app/a/$art/data/tables");
choose($ann, 'form.drop input[type=file]', file('large.csv', "a,b\n" . ('x' x 97 . ",1\n") x 100_000))->click('form.drop button');
$ann->wait_text(qr/Each line is being checked\./);
is $stack->db->selectrow_array("SELECT CONCAT(total, ' ', received, ' ', filename) FROM import WHERE state = 'checking'"),
	'10000004 10000004 large.csv', 'a large file goes in pieces';
$ann->follow('Cancel import')->click('button.danger');
$ann->wait_text(qr/The import is cancelled\./);
$ann->go("$app/a/$art/data/tables/guests");
my $csv = $ann->script_async(
	'const done = arguments[0]; fetch(document.querySelector("a[href*=export]").href).then(r => r.text()).then(done)');
like $csv, qr/^id,name,age,here,at,said\r\n.*,Zoe,20,,,"a ""quote"", and more"\r\n/s, 'and exported';
$ann->click('details.menu:has(a[href*=export]) summary');
like $ann->text('details.menu[open]'), qr/^Export\s+CSV\s+Excel \(\.xlsx\)\s+Up to 200,000 rows\s+JSON\s+NDJSON$/, '... in each format';
is $ann->script_async('const done = arguments[0]; (async () => { const all = [];'
		. 'for (const a of document.querySelectorAll("a[href*=export]")) { const r = await fetch(a.href); await r.arrayBuffer();'
		. 'all.push(`${r.status} ${r.headers.get("content-type").split(/[;.]/)[0]}`) } done(all.join()) })()'),
	'200 text/csv,200 application/vnd,200 application/json,200 application/x-ndjson', '... which all answer';

# ---- many columns, in the middle of a list

my @names = map { sprintf 'column_%02d', $_ } 1 .. 14;
my $wide = join ',', @names;
$ann->go("$app/a/$art/data/tables");
choose($ann, 'form.drop input[type=file]', file('wide.csv', "$wide\n" . join '',
	map { join(',', sprintf('%03d', $_), $_, ("some text") x 12) . "\n" } 1 .. 160))->click('form.drop button');
imported($ann);
my $at = "$app/a/$art/data/tables/wide?column=column_02&op=gt&value=5&order=-column_02";
$ann->go($at)->follow('Next')->follow('Next');
$ann->wait_text(qr/\b030\b/);
my $where = $ann->url;
like $where, qr/cursor=/, 'the third page of a list that is filtered and ordered';
my $in_sight = 'const r = arguments[0].getBoundingClientRect(); return r.width > 0 && r.left >= 0 && r.top >= 0 && r.right <= innerWidth '
	. '&& r.bottom <= innerHeight && arguments[0].contains(document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2))';
sub in_sight { my ($b, $css) = @_; return $b->script($in_sight =~ s/arguments\[0\]/document.querySelector(arguments[0])/gr, $css) }
$ann->script('[...document.querySelectorAll("tr")].find(tr => tr.textContent.includes("030")).querySelector("a.icon").click()');
$ann->wait_text(qr/Save row/);
my ($row) = $ann->url =~ /#(row_\w+)$/;
ok in_sight($ann, $_), "$_ is in sight" for 'button[form=row]', 'tr.editing a.button', 'button[form=gone]';
is join('; ', $ann->looks('table-wide-editing')), '', 'a wide row that is edited has no barrier';
for (390, 1280) {
	$ann->cdp('Emulation.setDeviceMetricsOverride', width => $_, height => 844, deviceScaleFactor => 1,
		mobile => Cpanel::JSON::XS::false);
	$ann->script('document.querySelector("tr.editing").scrollIntoView({ block: "center" }); '
		. 'document.querySelector(".scroll").scrollLeft = 300');
	ok in_sight($ann, 'button[form=row]'), "at $_ pixels, too";
}
$ann->cdp('Emulation.clearDeviceMetricsOverride');
$ann->fill('input[name="c.column_01"]', 'changed')->fill('input[name="c.column_02"]', 'no')->click('button[form=row]');
$ann->wait_text(qr/Must be a 64-bit whole number/);
told_beside($ann, 'input[name="c.column_02"]', $ann->text('.error'));
ok in_sight($ann, 'input[name="c.column_02"]'), 'which is in sight';
is $ann->script('return document.querySelector("[name=\'c.column_01\']").value'), 'changed', 'what was typed stays';
$ann->complaints;
$ann->fill('input[name="c.column_02"]', '30')->click('button[form=row]');
$ann->wait_text(qr/\bchanged\b/);
is $ann->url =~ s/&done=.*//r, $where, 'saved, it is the same place';
like $ann->url, qr/#\Q$row\E$/, '... at the row';
ok in_sight($ann, "#$row .stay a"), 'which is in sight';
is $ann->script('return document.querySelector("tr.saved").id'), $row, '... and marked';
is join('; ', $ann->looks('table-wide-saved')), '', 'a row that was saved has no barrier';

# ---- who may see

$ben->go("$app/a/$art/data/tables/guests");
$ben->wait_text(qr/Guest 001/);
unlike $ben->text('main'), qr/Add row|Import|Delete table/, 'a viewer is not offered what they may not';
seen($ben, 'a viewer, narrow and dark');
$stack->db->do('UPDATE artifact SET access_policy = ? WHERE id = ?',
	undef, q({"tables":{"guests":{"read":"row.name == 'Zoe' or row.name == viewer.email","write":"row.name == viewer.email"}}}), $art);
$ben->reload;
$ben->wait_text(qr/The rows you can see/);
is column($ben, 1), 'Zoe', 'a rule hides the others';
$ben->follow('Add row');
$ben->wait_text(qr/Save row/);
$ben->fill('input[name="c.name"]', 'somebody')->click('button[form=row]');
$ben->wait_text(qr/doesn't let you (?:add|change) this row/);
is scalar(() = $ben->text('body') =~ /doesn't let you (?:add|change)/g), 1, 'once';
seen($ben, 'a rule that forbids, narrow and dark', refused => 1);
$ben->fill('input[name="c.name"]', 'ben@example.org')->click('button[form=row]');
$ben->wait_text(qr/Saved\./);
like column($ben, 1), qr/ben\@example\.org/, 'their own they may';
seen($ben, 'a row of their own, narrow and dark');
$ben->go("$app/a/$art/data/tables");
$ben->wait_text(qr/guests/);
seen($ben, 'the tables, narrow and dark');
$ann->go("$app/a/$art/data/tables");
seen($ann, 'the tables');

# ---- without a script

my $v = $plain;
my $r = $v->go("/a/$art/data/tables/guests?add=1");
like $r->{text}, qr{<form id="row" method="post" action="/a/$art/data/tables/guests/rows">}, 'a form that the fields name';
$r = $v->send(POST => "/a/$art/data/tables/guests/rows", body => 'c.name=bare&c.age=5',
	headers => { 'Content-Type' => 'application/x-www-form-urlencoded' });
is $r->{status}, 303, 'adds a row';
is $v->send(POST => "/a/$art/data/tables/guests/rows", body => 'c.name=bare',
		headers => { 'Content-Type' => 'application/x-www-form-urlencoded', 'Sec-Fetch-Site' => 'cross-site' })->{status}, 403,
	'but from no other site';

# ---- its history, of each row, and undo

$ann->go("$app/a/$art/data/tables/guests")->follow('History');
$ann->wait_text(qr/ann.*Added 1 row\./s);
seen($ann, 'the history of a table');
my $had = @{stored()};
$ann->click('ul.rows form button');
$ann->wait_text(qr/Undone\. Rows that others have changed since stay as they are\./);
is @{stored()}, $had - 1, 'a row that was added is gone again';
$ann->click('ul.rows form button');
$ann->wait_text(qr/Undone\./);
is @{stored()}, $had, '... and back, as the undo is undone';
my ($bare) = grep { $_->{name} eq 'bare' } @{stored()};
$api->call(PATCH => "/v1/data/$art/tables/guests/rows/$bare->{id}", { token => $anna->{token}, json => { age => 6 } });
$ann->go("$app/a/$art/data/tables/guests?edit=$bare->{id}")->follow('Row history');
$ann->wait_text(qr/age: “5” → “6”/);
seen($ann, 'the history of a row');
$ann->click('ul.rows form button');
$ann->wait_text(qr/Saved\./);
is((grep { $_->{name} eq 'bare' } @{stored()})[0]{age}, 5, 'a row as it was before a change');
$ben->go("$app/a/$art/data/tables/guests");
unlike $ben->text('main'), qr/History/, 'who may not read all rows has no link to their history';

# ---- a table as it was

my $second = time;
select undef, undef, undef, .05 while time == $second;
$api->call(DELETE => "/v1/data/$art/tables/guests/rows?name=prefix.Guest", { token => $anna->{token} });
is scalar(@{stored()}), $had - 60, 'sixty rows are deleted';
$ann->go("$app/a/$art/data/tables/guests/history")->follow('Restore to a time');
$ann->wait_text(qr/The history begins/);
is join('; ', $ann->looks('table-restore')), '', 'restoring a table has no barrier';
$ann->go("$app/a/$art/data/tables/guests/restore?at=2026-01-02T03:04");
$ann->wait_text(qr/history doesn’t go back that far/);
$ann->go("$app/a/$art/data/tables/guests/restore?at=x");
$ann->wait_text(qr/Choose a day and a time/);
$ann->go("$app/a/$art/data/tables/guests/history");
$ann->script('document.querySelectorAll("ul.rows > li")[1].querySelector("a").click()');
$ann->wait_text(qr/60 rows would become what they were/);
is scalar(@{stored()}), $had - 60, 'looking changes nothing';
is join('; ', $ann->looks('table-restore-tried')), '', 'what would change has no barrier';
$ann->click('main form[method=post] button.primary');
$ann->wait_text(qr/The table goes back/);
is scalar(@{stored()}), $had, 'and it is as it was';
$ann->go("$app/a/$art/data/tables/guests/restore?at=" . time);
$ann->wait_text(qr/Nothing: all rows are what they were then/);
is $ben->go("$app/a/$art/data/tables/guests/restore") && $ben->text('body') =~ /See what would change/ ? 1 : 0, 0, 'a viewer has no such page';
$ben->complaints;

# ---- a grid for the keyboard

sub ask {
	my ($method, $rest, @json) = @_;
	return $api->call($method => "/v1/data/$art/tables/cells$rest", { token => $anna->{token}, @json ? (json => @json) : () });
}
sub rows_now { return @{ask(GET => '/rows?order=n&limit=200')->{json}{rows}} }
sub values_now { return join '; ', map { my $row = $_; join ',', map { $row->{$_} // '-' } qw(name n due) } rows_now() }
sub focus { my ($b, $y, $x) = @_; $b->script('document.querySelector("#rows tbody").rows[arguments[0]].cells[arguments[1]].dispatchEvent('
		. 'new MouseEvent("mousedown", { bubbles: true }))', $y, $x); return $b }
sub told {
	my ($b, $like) = @_;
	for (1 .. 600) {
		last if !$b->script('return document.querySelector("#rows [aria-busy=true]") && 1');
		select undef, undef, undef, 0.05;
	}
	$b->wait_text(qr/$like/);
	return $b->text('#said > span');
}
sub paste {
	my ($b, $text) = @_;
	$b->script('const d = new DataTransfer(); d.setData("text/plain", arguments[0]); '
		. 'document.dispatchEvent(new ClipboardEvent("paste", { clipboardData: d, bubbles: true, cancelable: true }))', $text);
	return $b;
}
ask(PUT => '', { columns => [{ name => 'name', type => 'text' }, { name => 'n', type => 'integer' }, { name => 'due', type => 'date' }],
	key => 'n' });
ask(POST => '/rows', { rows => [map { { name => $_, n => ord } } qw(a b c)] });
$ann->go("$app/a/$art/data/tables/cells?order=n");
is $ann->script('const g = document.querySelector("#rows table"); return [g.role, g.querySelectorAll("td[tabindex=\"0\"]").length].join()'),
	'grid,1', 'a grid with one cell in the order of Tab';
focus($ann, 0, 0)->press('down', 'right', 'enter');
is $ann->script('return document.activeElement.value'), '98', 'Enter begins with what is there';
$ann->press('5', 'escape', 'left', 'B', 'e', 'enter');
told($ann, 'Saved\.');
is values_now(), 'a,97,-; Be,98,-; c,99,-', 'Escape changes nothing; what is typed on a cell replaces it';
is $ann->script('return document.activeElement.textContent'), 'c', '... and Enter goes down';
$ann->press('f2', 'C', 'tab', '7', 'tab');
$ann->wait_text(qr/C\s+7/);
told($ann, 'Saved\.');
is values_now(), 'C,7,-; a,97,-; Be,98,-', 'Tab saves, and goes to the right; a cell keeps its place on the page';
is join('; ', $ann->looks('table-grid')), '', 'a grid has no barrier';
$ann->press('control', 'z');
told($ann, 'Undone\.');
is values_now(), 'a,97,-; Be,98,-; C,99,-', 'Ctrl+Z takes the last change back';
# What is refused stays, with why.
focus($ann, 0, 1)->press('x', 'enter');
like told($ann, 'You typed'), qr/^Must be a 64-bit whole number.* You typed “x”\.$/, 'a refusal is told, with what was typed';
is $ann->script('const td = document.querySelector("#rows td[aria-invalid]"); return td.textContent'), 'x', '... which stays';
is join('; ', $ann->looks('table-grid-refused')), '', 'a refused cell has no barrier';
$ann->click('#said button');
$ann->press('back', '9', '6', 'enter');
told($ann, 'Saved\.');
is values_now(), 'a,96,-; Be,98,-; C,99,-', 'it is mended in its place';
focus($ann, 1, 1)->press('9', '9', 'enter');
like told($ann, 'You typed'), qr/99.* You typed “99”/, 'a key that another row has is refused';
$ann->script('document.querySelectorAll("#said button")[1].click()');
$ann->wait_text(qr/Be\s+98/);
# Somebody else changes the row meanwhile: another cell, then this one.
my ($be) = grep { $_->{name} eq 'Be' } rows_now();
sub others { ask(PATCH => "/rows/$be->{id}", { @_ }) }
others(due => '2026-01-02');
focus($ann, 1, 0)->press('B', 'b', 'enter');
told($ann, 'Saved\.');
like values_now(), qr/Bb,98,2026-01-02/, 'another cell of the row was changed meanwhile: both stay';
others(name => 'Theirs');
focus($ann, 1, 0)->press('M', 'enter');
like told($ann, 'Somebody else'), qr/^Somebody else changed name to “Theirs” in the meantime\. You typed “M”\.$/,
	'this cell was: both are told';
like values_now(), qr/Theirs,98/, '... and nothing is overwritten unseen';
$ann->click('#said button');
told($ann, 'Saved\.');
like values_now(), qr/M,98/, '... until they say so';
# Blocks.
focus($ann, 2, 0);
paste($ann, qq(C2\t100\t2026-02-03\r\n"D ""d"""\t101\t\r\nE\t102\t\r\n));
is told($ann, 'Saved 3 rows'), 'Saved 3 rows.', 'a block is pasted';
is values_now(), 'a,96,-; M,98,2026-01-02; C2,100,2026-02-03; D "d",101,-; E,102,-', '... past the end as new rows';
focus($ann, 3, 0)->press('shift', 'right', 'down');
is $ann->script('let got; document.addEventListener("copy", e => { got = e.clipboardData.getData("text/plain") }, { once: true }); '
	. 'document.dispatchEvent(new ClipboardEvent("copy", { clipboardData: new DataTransfer(), bubbles: true, cancelable: true })); '
	. 'return got'),
	qq("D ""d"""\t101\nE\t102), 'a block is copied, as a spreadsheet reads it';
paste($ann, "F\tG\tH\tI");
told($ann, 'has 4 columns');
focus($ann, 3, 0);
paste($ann, "F\t103\nG\tx\nH\t105");
like told($ann, 'Row 2:'), qr/^Row 2: .*Only the 1 before is saved\.$/, 'a block with a line that does not fit: which, and what is saved';
$ann->click('#said button');
told($ann, 'Undone\.');
is values_now(), 'a,96,-; M,98,2026-01-02; C2,100,2026-02-03; D "d",101,-; E,102,-', '... and Undo';
focus($ann, 1, 2)->press('shift', 'down', 'release', 'delete');
told($ann, 'Saved 2 rows');
is values_now(), 'a,96,-; M,98,-; C2,100,-; D "d",101,-; E,102,-', 'Delete empties a block';
# A new row begins in the line at the end.
focus($ann, 5, 1)->press('2', '0', '0', 'enter');
told($ann, 'Saved\.');
like values_now(), qr/; -,200,-$/, 'a new row';
is $ann->script('return document.querySelectorAll("#rows tbody tr.new").length'), 1, '... and another line for the next';
is join('; ', grep { /\Q$app\E/ && !/40\d/ } $ann->complaints), '', 'the browser has no complaint about the grid';

# ---- many rows at once, also without a script

ask(POST => '/rows', { rows => [map { { name => 'many', n => $_ } } 1000 .. 1799] });
$ann->go("$app/a/$art/data/tables/cells?where=%5B%22n%22%2C%22gte%22%2C%22900%22%5D")->follow('Change all that match');
$ann->wait_text(qr/n is at least 900/);
is join('; ', $ann->looks('table-bulk')), '', 'changing many rows has no barrier';
$ann->click('#column option:nth-child(3)')->fill('#value', 'soon')->click('form[method=get][action$=bulk] button');
told_beside($ann, '#value', $ann->text('.error'));
$ann->fill('#value', '2026-12-24')->click('form[method=get][action$=bulk] button');
$ann->wait_text(qr/800 rows would get “2026-12-24” in\s+due/);
is join('; ', $ann->looks('table-bulk-tried')), '', '... nor what would change';
$ann->complaints;
unlike values_now(), qr/2026-12-24/, 'looking changes nothing';
$ann->click('main form[method=post] button.primary');
$ann->wait_text(qr/Done\. Undo takes it back\..*Changed 800\s+rows/s);
ask(PATCH => '/rows?n=eq.1000', { name => 'own' });
$ann->click('ul.rows form button');
$ann->wait_text(qr/Undone\./);
is $stack->db->selectrow_array("SELECT COUNT(*) FROM data_row r JOIN data_table t ON t.no = r.table_no WHERE t.name = 'cells' "
	. "AND r.doc LIKE '%2026-12-24%'"), 1, 'undone, but for the row that somebody has changed since';
my $bulk = "/a/$art/data/tables/cells/bulk?where=" . '%5B%22name%22%2C%22eq%22%2C%22many%22%5D&gone=1';
like $v->go($bulk)->{text}, qr/799 rows<\/strong> would be deleted/, 'without script, too: how many would go';
is $v->send(POST => "/a/$art/data/tables/cells/bulk", body => 'where=%5B%22name%22%2C%22eq%22%2C%22many%22%5D&gone=1',
	headers => { 'Content-Type' => 'application/x-www-form-urlencoded' })->{status}, 303, '... and they are deleted';
is scalar(grep { $_->{n} >= 900 } rows_now()), 1, '... all of them';
ask(POST => '/rows', { rows => [map { { n => $_ } } 1000 * $_ .. 1000 * $_ + 999] }) for 2, 3;
is $v->send(POST => "/a/$art/data/tables/cells/bulk", body => 'column=name&value=all',
	headers => { 'Content-Type' => 'application/x-www-form-urlencoded' })->{headers}{location},
	"/a/$art/data/tables/cells/history?done=changing_rows", 'all rows of a larger table';
like $v->go("/a/$art/data/tables/cells/history")->{text}, qr/0 of 2,007 rows/,
	'more than a thousand are an operation, whose progress is shown';
$stack->runner;
unlike $v->go("/a/$art/data/tables/cells/history")->{text}, qr/data-under-way/, '... until it has ended';
is scalar(grep { ($_->{name} // '') ne 'all' } rows_now()), 0, '... with all rows changed';

# ---- a column goes, and comes back

$ann->go("$app/a/$art/data/tables/guests/column?column=age")->follow('Deleted');
$ann->wait_text(qr/Nothing was deleted/);
$ann->go("$app/a/$art/data/tables/guests/column?column=age")->click('button.danger');
$ann->wait_text(qr/Saved/);
$ann->go("$app/a/$art/data/deleted");
$ann->wait_text(qr/age of guests\s+A column\. Deleted .* it can come back until/s);
seen($ann, 'a deleted column');
$ann->follow('Delete for good');
$ann->wait_text(qr/Delete the column age of guests for good\?/);
$ann->follow('Cancel')->fill('ul.rows input[name=name]', 'name')->click('ul.rows form button');
$ann->wait_text(qr/There is another column name now/);
seen($ann, 'a column whose name is taken', refused => 1);
$ann->fill('ul.rows input[name=name]', 'years')->click('ul.rows form button');
$ann->wait_text(qr/It’s back, with all its values\./);
is scalar(grep { exists $_->{years} } @{stored()}), $had, 'a column has come back, under another name';

# ---- the table goes

$ann->go("$app/a/$art/data/tables/guests")->follow('Delete table');
$ann->wait_text(qr/Delete the table guests\?.*rows are deleted too/s);
seen($ann, 'to delete?');
$ann->click('button.danger');
$ann->wait_text(qr/Deleted\./);
unlike $ann->text('main'), qr/guests\n/, 'it is gone';
$ann->follow('Deleted');
$ann->wait_text(qr/guests.*it can come back until/s);
seen($ann, 'what was deleted');
$ann->click('ul.rows form button');
$ann->wait_text(qr/It’s back, with all its values\./);
is scalar @{stored()}, $had, '... has come back';
finish($stack);
