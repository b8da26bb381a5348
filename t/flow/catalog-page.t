# SPDX-License-Identifier: Apache-2.0
# The data catalog in the browser: off, turned on, and described; found by words and narrowed, with what somebody may not open neither
# listed nor counted; an entry with its columns, its freshness, and where its data comes from, as a picture and as a list; what columns
# mean, in the grid. Looked at in both widths and both themes, and once more without a script.
use utf8;
use List::Util 'min';
use Vitrine::Browser;
use Vitrine::Counted;
use Vitrine::Visitor;
use Vitrine::Words 'as';

my ($stack, $api, $db) = stack(publish_per_hour => 1000);
my $app = "https://vitrine.localhost:$stack->{port}";
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben cid eve);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for keys %user;
$db->do("UPDATE user SET name = 'Ben <i>Okafor</i>' WHERE id = ?", undef, $user{ben}{id});
my $ws = as('ann', POST => '/v1/workspaces', { name => 'Northwind Studio' })->{json}{workspace}{id};
$stack->seat($ws, $user{$_}, 'member') for qw(ben cid);
sub artifact {
	my ($who, $name, $slug, $visibility) = @_;
	return as($who, POST => '/v1/publish', { name => $name, slug => $slug, workspace_id => $ws, visibility => $visibility,
		files => [{ path => 'index.html', content => 'S' }] })->{json}{artifact}{id};
}
as('ann', PATCH => "/v1/workspaces/$ws", { settings => { member_access => 'none' } });
my $sales = artifact('ann', 'Sales dashboard', 'sales-dashboard', 'unlisted');
my $secret = artifact('ann', 'Takeover plans', 'takeover-plans', 'private');
sub table {
	my ($art, $name, @columns) = @_;
	is as('ann', PUT => "/v1/data/$art/tables/$name",
		{ columns => [map { my ($n, $t) = split /:/; { name => $n, type => $t } } @columns] })->{status}, 201, "a table, $name";
}
table($sales, orders => qw(order_no:integer customer:text amount:number paid:boolean));
table($secret, bids => qw(price:number));
as('ann', POST => "/v1/data/$sales/tables/orders/rows",
	{ rows => [map { { order_no => $_, customer => "c$_", amount => $_ / 2 } } 1 .. 12] });
my $at = "$app/w/$ws/catalog";

my ($b, $phone) = map { Vitrine::Browser->new($stack, @$_) } [width => 1280, height => 900], [width => 390, height => 844, dark => 1];
my $pages = 0;
sub looks {
	my ($name) = @_;
	is join('; ', $b->looks(sprintf 'catalog-%02d-%s', ++$pages, $name =~ s/\W+/-/gr)), '',
		"$name: no barrier, wide or narrow, by day or night";
	for my $width (360, 320) {
		$b->cdp('Emulation.setDeviceMetricsOverride', width => $width, height => 800, deviceScaleFactor => 1,
			mobile => Cpanel::JSON::XS::false);
		is join('; ', grep { /wider/ } $b->barriers), '', "... nor at $width pixels";
	}
	$b->cdp('Emulation.clearDeviceMetricsOverride');
	is join('; ', grep { /\Q$app\E/ && !/favicon/ } $b->complaints), '', '... and the browser has no complaint';
}
sub texts {
	my ($css, $of) = @_;
	return join '|', map { s/\s+/ /gr =~ s/^ | $//gr }
		@{($of // $b)->script('return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)', $css)};
}
sub listed { return texts('.rows > li a.name', @_) }
sub facet { my ($name) = @_; return texts(".facets label:has([name=$name])") }

# ---- off

my $plain = Vitrine::Visitor->new($api);
$plain->sign_in('ben@example.org', 'the password');
my $page = $plain->go("/w/$ws/catalog");
like $page->{text}, qr/Admins of Northwind Studio can turn it on/, 'off: who may turn it on is told';
unlike $page->{text}, qr/Turn on catalog|New entry/, '... to who may not';
is $plain->send(POST => "/w/$ws/catalog", body => 'seed=true',
	headers => { 'Content-Type' => 'application/x-www-form-urlencoded' })->{status}, 403, '... and is refused it';
is $plain->go("/w/$ws/catalog/new")->{path}, "/w/$ws/catalog", 'there is nothing to write yet';
my $stranger = Vitrine::Visitor->new($api);
$stranger->sign_in('eve@example.org', 'the password');
is $stranger->go("/w/$ws/catalog")->{status}, 404, 'who is not in the workspace is told of nothing';
$b->sign_in('ann@example.org', 'the password');
$b->go("$app/w/$ws")->follow('Catalog')->wait_text(qr/Say what your data means/);
is $b->text('nav[aria-label=Main] [aria-current]'), 'Catalog', 'it is a place of the workspace';
looks('off');

# ---- on, with what is there

$b->click('main button.primary')->wait_text(qr/The catalog is on/);
is join('|', sort split /\|/, listed()), 'bids|orders', 'what is there is described' or diag $b->text('main');
$b->go("$at/off")->wait_text(qr/Turn off the catalog\?.*They are kept/s);
$b->click('button.primary')->wait_text(qr/The catalog is off\. Its entries are kept/);
$b->click('input[name=seed]')->click('main button.primary')->wait_text(qr/2 entries/);
$db->do('DELETE FROM catalog_entry WHERE workspace_id = ?', undef, $ws);
$b->go($at)->wait_text(qr/Nothing is described yet/);
looks('empty');
$b->click('form[action$="/seed"] button')->wait_text(qr/Descriptions added\. What people wrote is unchanged/);

# ---- written by people

sub file {
	my ($who, $path, %front) = @_;
	my $body = delete $front{body} // '';
	my $r = as($who, PUT => "/v1/workspaces/$ws/catalog/files",
		{ path => $path, content => join('', "---\n", (map { "$_: $front{$_}\n" } sort keys %front), "---\n", $body) });
	is $r->{status} =~ /^20[01]$/, 1, "$path is written" or diag $r->{body};
	return $r->{json}{entry}{id};
}
my ($orders) = map { $_->{id} } grep { $_->{title} eq 'orders' } @{as('ann', GET => "/v1/workspaces/$ws/catalog")->{json}{entries}};
my $orders_path = as('ann', GET => "/v1/workspaces/$ws/catalog/entries/$orders")->{json}{entry}{path};
file('ann', $orders_path, kind => 'dataset', title => 'orders', domain => 'Sales', status => 'verified', tags => '[daily, personal data]',
	owner => 'ann@example.org',
	description => '"One row per order: the amount is what revenue is summed from."',
	source => '{artifact: sales-dashboard, table: orders}',
	columns => '[{name: order_no, description: "Counts up, never used twice."}, {name: amount, description: "SEK without tax. '
		. '<b>Negative</b>: a return."}, {name: fax, description: "Gone"}]',
	body => "# orders\n\nReturns are rows of *their own*.\n\n<script>document.title = 'owned'</script>\n");
my $revenue = file('ben', 'sales/revenue.md', kind => 'metric', title => 'Revenue', domain => 'Sales', status => 'verified',
	description => 'Paid orders, without tax and returns.', upstream => "[$orders_path]", owner => 'Ben');
my $gross = file('ben', 'sales/gross.md', kind => 'metric', title => 'Gross revenue', domain => 'Sales', status => 'deprecated',
	description => 'With tax. Use Revenue instead.');
my $report = file('ben', 'board/report.md', kind => 'page', title => 'Quarterly report', domain => 'Finance',
	upstream => '[sales/revenue.md]');
my $term = file('ben', 'terms/order.md', kind => 'term', title => '<img src=x onerror="document.title=1">', tags => '[daily]',
	upstream => '[board/report.md]');
file('ann', 'plans/takeover.md', kind => 'term', title => 'Takeover revenue', domain => 'Plans', tags => '[secret]',
	source => '{artifact: takeover-plans, table: bids}', upstream => "[$orders_path]");

# ---- the list

$b->go($at)->wait_text(qr/7 entries/);
like texts('.rows > li'),
	qr/orders\s*Verified\s*One row per order.*Dataset · Sales · 12 rows · data changed .* · ann\@example\.org · 2 things depend on it/,
	'a line says what it is, of whom, how much, and who depends on it' or diag texts('.rows > li');
is facet('kind'), 'Dataset2|Source0|Page1|Metric2|Term2|Text0', 'counts of kinds';
is facet('domain'), 'Sales3|Finance1|Plans1', '... of domains, the most frequent first';
is facet('status'), 'Draft4|Verified2|Deprecated1', '... of statuses';
is facet('tag'), 'daily2|personal data1|secret1', '... of tags';
looks('the list');
$b->click('.facets [name=domain][value=Sales]');
Vitrine::Stack::wait_for('the list', 60, sub { $b->url =~ /domain=Sales/ });
$b->wait_text(qr/3 entries/);
is facet('kind'), 'Dataset1|Source0|Page0|Metric2|Term0|Text0', 'other counts are under that choice';
is facet('domain'), 'Sales3|Finance1|Plans1', '... its own are not';
$b->fill('#kq', 'REVENUE')->click('.search + button')->wait_text(qr/“?|entries/);
Vitrine::Stack::wait_for('the search', 60, sub { $b->url =~ /q=REVENUE/ });
is listed(), 'Revenue|Gross revenue|orders', 'words and a choice together, the best match first';
is texts('.rows mark'), 'Revenue|revenue|Revenue|revenue', '... and what was found is marked, in names and in what they say'
	or diag texts('.rows mark');
is $b->script('return document.querySelector("#ko").selectedOptions[0].text'), 'Best match', '... and the order is told';
$b->click('#ko option[value=used]');
Vitrine::Stack::wait_for('the order', 60, sub { $b->url =~ /sort=used/ });
is +(split /\|/, listed())[0], 'orders', 'what is used most first';
looks('narrowed');
$b->go("$at?q=xyzzy&kind=term")->wait_text(qr/Nothing matches/);
is facet('kind'), 'Dataset0|Source0|Page0|Metric0|Term0|Text0', 'none of each';
looks('none matches');
$b->go("$at?q=personal")->wait_text(qr/1 entry/);
like texts('.rows > li'), qr/ · Tag personal data$/, 'what only a tag says is told';
is texts('.rows mark'), 'personal', '... and marked';
$b->go("$at?q=board/rep")->wait_text(qr/1 entry/);
is texts('.rows .mono'), 'board/report.md', '... as what only the path does';
is texts(q(.rows mark)), q(board/rep), '... and nothing but what was asked for';
is texts('.rows a.name', $b->go("$at?q=%3Cimg")) . texts('.rows mark'), '<img src=x onerror="document.title=1"><img',
	'names that are marked are text';
$b->go($at)->wait_text(qr/7 entries/);
is texts('.rows > li', $b->go("$at?kind=nonsense&status=x&sort=y")) =~ /orders/ ? 1 : 0, 1, 'what is no choice is none'
	or diag $b->text('main');
is $b->title, 'Catalog · Northwind Studio · Vitrine', 'titles are text';

$plain->go("/w/$ws/catalog?domain=Sales&domain=Finance&q=re");
like $plain->{page}{text}, qr/<h2>4 entries<\/h2>/, 'without a script: two domains, and part of a word';
$page = $plain->go("/w/$ws/catalog");
like $page->{text}, qr/<h2>5 entries<\/h2>/, 'who may not open a table sees no entry of it';
unlike $page->{text}, qr/takeover|bids|Plans|secret/i, '... no name, no value, no count';
like $page->{text}, qr/1 thing depends on it/, '... and not that it depends on others';
unlike $page->{text}, qr{/seed|/off|Turn off}, '... and turns nothing off';

$phone->sign_in('ben@example.org', 'the password');
$phone->go($at)->wait_text(qr/5 entries/);
is $phone->script('return getComputedStyle(document.querySelector(".facets")).display'), 'none', 'on a phone the facets are away';
$phone->follow('Narrow');
Vitrine::Stack::wait_for('the facets', 60,
	sub { $phone->script('return getComputedStyle(document.querySelector(".facets")).display') ne 'none' });
$phone->click('.facets [name=kind][value=metric]')->wait_text(qr/2 entries/);
is join('|', sort split /\|/, listed($phone)), 'Gross revenue|Revenue', '... until they are asked for';

# ---- an entry

$b->go("$at/$orders")->wait_text(qr/One row per order/);
is texts('.head .badge'), 'Dataset|Verified', 'what it is';
is texts('.prose'), 'Returns are rows of their own.', 'its text, without the title once more, and without HTML' or diag texts('.prose');
is texts('.things tbody tr'),
	'order_noWhole numberCounts up, never used twice.1 to 12|customerTextNo descriptionAll different|amountNumberSEK without tax. '
		. '<b>Negative</b>: a return.0.5 to 6.0|paidTrue or falseNo descriptionAlways empty|faxGone Not in the table',
	'columns as they are now, with what is said of them' or diag texts('.things tbody tr');
like $b->text('main'), qr/2 without description/, '... and of how many nothing is';
my %fact = map { split /=/, $_, 2 } @{$b
	->script('return [...document.querySelectorAll(".facts dt")].map(e => e.textContent + "=" + e.nextElementSibling.textContent)')};
is_deeply [@fact{'Owner', 'Lives in', 'Rows', 'Domain', 'Tags', 'File'}],
	['ann@example.org', 'Sales dashboard', '12', 'Sales', 'dailypersonal data', $orders_path], 'the facts' or diag explain \%fact;
like $fact{Entry}, qr/^Changed .* by ann/, '... and who wrote it';
is $b->script('return document.title'), 'orders · Catalog · Northwind Studio · Vitrine', 'no script of the text runs';

# ---- its picture

sub drawn { return join '|', sort split /\|/, texts('.lineage g title') }
sub box {
	my ($name) = @_;
	return $b->script('const g = [...document.querySelectorAll(".lineage g")].find(g => g.querySelector("title").textContent === '
		. 'arguments[0]); if (!g) return null; const r = g.getBoundingClientRect(), a = g.closest("a"); return { x: r.x, y: '
		. 'r.y, href: a && a.getAttribute("href"), here: g.classList.contains("here") }', $name);
}
is drawn(), 'Quarterly report|Revenue|Sales dashboard|Takeover plans|bids|orders', 'two steps each way';
ok box('orders')->{here} && !box('Revenue')->{here}, 'which it is of stands out';
ok box('orders')->{x} < box('Revenue')->{x} && box('Revenue')->{x} < box('Quarterly report')->{x},
	'what comes from something is right of it';
is box('Revenue')->{href}, "/w/$ws/catalog/$revenue", 'a box leads to its entry';
is $b->script('return document.querySelectorAll(".lineage path.tip").length'), 5, 'each arrow has a point';
$b->click('details .more')->wait_text(qr/Used by/);
like texts('.pair > :last-child li'),
	qr/(?=.*\bSales dashboard Page\b)(?=.*\bRevenue Metric\b)(?=.*\bbids Table\b).*\|Quarterly report Page, 2 steps away$/,
	'the same as a list' or diag texts('.pair > :last-child li');
looks('an entry');
$b->click('#ld option[value="20"]');
Vitrine::Stack::wait_for('more steps', 60, sub { $b->url =~ /depth=20/ });
ok box('<img src=x onerror="document.title=1">'), 'all steps, and names are text';
is $b->go("$at/$orders?depth=1")->wait_text(qr/As a list/) && drawn(), 'Revenue|Sales dashboard|bids|orders', 'one step';
$b->click('.lineage a[href$="' . $revenue . '"]')->wait_text(qr/Paid orders/);
$b->go("$at/$gross")->wait_text(qr/Nothing that you can see leads to it or comes from it/);
looks('an entry alone');
$page = $plain->go("/w/$ws/catalog/$orders");
like $page->{text}, qr{<svg class="lineage".*Revenue}s, 'without a script, the picture is there';
unlike $page->{text}, qr/takeover|bids/i, 'what somebody may not open is in no picture and no list';
is $plain->go("/w/$ws/catalog/" . as('ann', GET => "/v1/workspaces/$ws/catalog?q=takeover")->{json}{entries}[0]{id})->{status}, 404,
	'... and has no page';

# ---- what fills it

my $con = 'con_' . '0' x 26;
$db->do('INSERT INTO connection SET id = ?, workspace_id = ?, provider = "postgres", kind = "postgres", name = "Warehouse", '
	. 'name_key = "warehouse", auth_mode = "shared", config = "{}", created_at = 1, updated_at = 1', undef, $con, $ws);
my $job = as('ann', POST => '/v1/jobs', { artifact_id => $sales, action => 'webhook', name => 'Copy orders', schedule => '0 0 1 1 *',
	config => { url => 'https://example.org/' } })->{json}{job}{id};
$db->do('UPDATE job SET connection_id = ?, fills = "orders" WHERE id = ?', undef, $con, $job);
$b->go("$at/$orders")->wait_text(qr/Filled by\s+Copy orders/);
is $b->script('return document.querySelectorAll(".badge.bad").length'), 0, 'a job that does not fail is not late';
is drawn(), 'Quarterly report|Revenue|Sales dashboard|Takeover plans|Warehouse|bids|orders', 'the connection is what it comes from';
ok box('Warehouse')->{x} < box('orders')->{x}, '... on its left';
$db->do('UPDATE job SET failures = 2 WHERE id = ?', undef, $job);
like texts('.facts', $b->reload && $b), qr/Copy orders LateIts last run failed/, 'one that fails is' or diag texts('.facts');
$b->click('details .more')->wait_text(qr/Comes from/);
like texts('.pair > :first-child li'), qr/Warehouse Connection, copied by Copy orders Late/, '... in the list, too';
looks('late');
unlike $plain->go("/w/$ws/catalog/$orders")->{text}, qr/Copy orders|Late/, 'who may not see the job is not told of it';

# ---- what it is about is gone

as('ann', DELETE => "/v1/data/$sales/tables/orders");
$b->go("$at/$orders")->wait_text(qr/What this entry is about is gone/);
looks('gone');
table($sales, orders => qw(order_no:integer customer:text amount:number paid:boolean));

# ---- in the grid

my $grid = "$app/a/$sales/data/tables/orders";
$b->go($grid)->wait_text(qr/No rows yet/);
is texts('.means'), '?|?', 'columns that are described say so';
is $b->script('return document.querySelector("#means-amount").checkVisibility()'), Cpanel::JSON::XS::false, '... when asked';
$b->script('document.querySelector("[popovertarget=means-amount]").focus()');
$b->press('enter');
is $b->text('#means-amount'), "amount\nSEK without tax. <b>Negative</b>: a return.", '... by the keyboard, as text';
$b->picture('catalog-grid');
looks('the grid');
as('ann', POST => "/v1/artifacts/$sales/collaborators", { emails => ['ben@example.org'], role => 'viewer' });
$page = $plain->go("/a/$sales/data/tables/orders");
like $page->{text}, qr/popovertarget="means-amount" title="SEK without tax/, 'a member sees it without a script';
# A worker's first prepares them.
sub statements { return min(map { Vitrine::Counted::of_reply($stack, $plain->go("/a/$sales/data/tables/orders")) } 1 .. 6) }
my $on = statements();
$db->do('UPDATE workspace SET catalog = 0 WHERE id = ?', undef, $ws);
my $off = statements();
unlike $plain->{page}{text}, qr/popover/, 'while the catalog is off, nothing is said of columns';
is $on - $off, 1, '... and no statement asks for it';
finish($stack);
