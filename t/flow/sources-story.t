# SPDX-License-Identifier: Apache-2.0
# One story in the browser: a database is connected and tested; a nightly job fills a table from it; seeding describes the table, and a
# person writes what its columns mean; the page that shows it is published, and learned as a note, which is linked and corrected; its
# lineage leads from the database to the page. A member without rights to the artifact sees none of it, wherever they look.
use utf8;
use Vitrine::Browser;
use Vitrine::Postgres;
use Vitrine::Visitor;
use Vitrine::World;
use Vitrine::Words 'as';

Vitrine::Stack::make_tls("$ENV{VITRINE_VAR}/tls-test");
my $pg = Vitrine::Postgres->new("$ENV{VITRINE_VAR}/tls-test");
$pg->sql('CREATE TABLE orders (order_no int, customer text, amount numeric(10,2)); GRANT SELECT ON orders TO reader;'
	. q( INSERT INTO orders SELECT n, 'customer ' || n, n * 1.25 FROM generate_series(1, 12) n));
my ($stack, $api, $db) = stack(Vitrine::World::unlimited(), egress_allow => "127.0.0.1:$pg->{port}");
my $app = "https://vitrine.localhost:$stack->{port}";
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for keys %user;
my $ws = as('ann', POST => '/v1/workspaces', { name => 'Northwind Studio' })->{json}{workspace}{id};
$stack->seat($ws, $user{ben}, 'member');
as('ann', PATCH => "/v1/workspaces/$ws", { settings => { member_access => 'none' } });
$db->do('UPDATE workspace SET features_on = 63 WHERE id = ?', undef, $ws);
my $ann = Vitrine::Browser->new($stack, width => 1280, height => 900);
$ann->sign_in('ann@example.org', 'the password');
sub press {
	my ($label) = @_;
	$ann->script('[...document.querySelectorAll("main form button")].find(b => b.textContent.trim().startsWith(arguments[0])).click()',
		$label);
	return $ann;
}
sub runner { my ($status, undef, $err) = $stack->runner; is $status, 0, 'the runner ran' or diag $err }

# ---- a database

$ann->go("$app/w/$ws")->follow('Settings')->wait_text(qr/Connections/);
$ann->follow('Connections')->wait_text(qr/No connections yet/);
$ann->follow('New connection')->wait_text(qr/PostgreSQL/);
$ann->follow('PostgreSQL')->wait_text(qr/Use a user that can only read/);
$ann->fill('#name', 'warehouse')->fill('#host', 'localhost')->fill('#port', "$pg->{port}")->fill('#database', 'shop')->fill('#username',
	'reader')->fill('#password', $Vitrine::Postgres::PASSWORD);
$ann->click('main form button.primary')->wait_text(qr/Tested and saved\. Jobs can use it now\./);
my ($warehouse) = $ann->url =~ /(con_\w+)/;

# ---- a nightly job

my $sales = as('ann', POST => '/v1/publish', { name => 'Sales dashboard', slug => 'sales-dashboard', workspace_id => $ws,
	visibility => 'private', files => [{ path => 'index.html', content => 'Soon' }] })->{json}{artifact}{id};
$ann->go("$app/a/$sales/jobs/new?action=materialize")->wait_text(qr/From/);
$ann->click("#source option[value='postgres:$warehouse']");
$ann->fill('#name', 'Copy orders')->fill('#query', 'SELECT order_no, customer, amount FROM orders ORDER BY order_no')->fill('#save_name',
	'orders')->click('form button.primary')->wait_text(qr/Job created\./);
press('Run now')->wait_text(qr/12 rows/);
is as('ann', GET => "/v1/data/$sales/tables/orders/rows?limit=1&order=-amount")->{json}{rows}[0]{customer}, 'customer 12',
	'its rows are there';

# ---- what it means

$ann->go("$app/w/$ws")->follow('Catalog')->wait_text(qr/Say what your data means/);
$ann->click('main button.primary')->wait_text(qr/The catalog is on/);
$ann->follow('orders')->wait_text(qr/3 without description/);
my ($entry) = $ann->url =~ /(cat_\w+)/;
$ann->follow('Edit')->wait_text(qr/Front matter/);
$ann->fill('#text', <<'END');
---
kind: dataset
title: Orders
status: verified
description: One row per order.
source: {artifact: sales-dashboard, table: orders}
columns:
  - name: order_no
    description: Counts up, never used twice.
  - name: amount
    description: SEK without tax.
---
# Orders
END
press('Save')->wait_text(qr/Counts up, never used twice\..*SEK without tax\./s);
like $ann->text('main'), qr/1 without description/, 'of two columns it is known what they mean';

# ---- the page, and what it says

$ann->go("$app/w/$ws")->follow('Notes')->wait_text(qr/Write the first note/);
$ann->go("$app/w/$ws/notes/learning");
press('Turn on')->wait_text(qr/Learning is on\./);
$api->publish($user{ann}, artifact_id => $sales, name => 'Sales dashboard', files => { 'index.html' => '<!doctype html><title>Sales</title>'
	. '<h1>Sales by month</h1><p>Amounts are in SEK, without tax.</p><script>fetch("/v1/data/self/tables/orders/rows")</script>' });
runner();
$ann->go("$app/w/$ws/notes/read/pages/sales-dashboard.md")
	->wait_text(qr/Sales by month.*Amounts are in SEK, without tax\..*Learned from its page, version 2/s);
$ann->go("$app/w/$ws/notes/new")->fill('#path', 'guides/prices')->fill('#content',
	"# Prices\n\nThe page [[pages/sales-dashboard|of sales]] shows them without tax.\n");
press('Save')->wait_text(qr/Saved\..*Written by people/s);
$ann->click('.prose a')->wait_text(qr/Sales by month.*Linked from\s+1.*Prices/s);
$ann->follow('Edit')->wait_text(qr/Learning won’t change this note anymore/);
$ann->fill('#content', "# Sales by month\n\nAmounts are in SEK, without tax, half up.\n");
press('Save')->wait_text(qr/without tax, half up.*learning leaves it alone/s);
$api->publish($user{ann}, artifact_id => $sales, name => 'Sales dashboard', files => { 'index.html' => '<h1>Sales by week</h1>' });
runner();
like $ann->go("$app/w/$ws/notes/read/pages/sales-dashboard.md")->text('main'), qr/without tax, half up/, 'a correction stays';

# ---- where it comes from

$ann->go("$app/w/$ws/catalog/$entry")->wait_text(qr/Orders/);
my $at = $ann->script('return Object.fromEntries([...document.querySelectorAll(".lineage g")].map(g => '
	. '[g.querySelector("title").textContent, g.getBoundingClientRect().x]))');
is join(' > ', sort { $at->{$a} <=> $at->{$b} } keys %$at), 'warehouse > Orders > Sales dashboard',
	'from the database by the table to the page';
$ann->picture('sources-lineage');
is join('; ', grep { /\Q$app\E/ && !/favicon/ } $ann->complaints), '', 'the browser has no complaint';

# ---- for who may not open it

my $ben = Vitrine::Visitor->new($api);
$ben->sign_in('ben@example.org', 'the password');
for my $path ('catalog', 'catalog?q=orders', 'notes', 'notes/read/guides/prices.md', "connections/$warehouse", 'notes/learning',
	'search?q=dashboard', 'search?q=month', 'search?q=orders') {
	my $page = $ben->go("/w/$ws/$path");
	is $page->{status}, 200, "a member looks at $path";
	unlike $page->{text} =~ s/of sales//r =~ s/value="[^"]*"//gr =~ s/<title>.*?<\/title>//sr =~ s/<mark>|<\/mark>//gr
			=~ s/“[^”]*”|\d result.*?in pages|data-last="[^"]*"//gr, qr/sales|by month|Copy orders|order_no|half up/i,
		'... and finds nothing of what they may not open';
}
is $ben->go("/w/$ws/$_")->{status}, 404, "... and nothing at $_" for "catalog/$entry", 'notes/read/pages/sales-dashboard.md';
for my $path ('catalog', 'catalog/manifest', "catalog/lineage?entry=$entry", 'knowledge', 'knowledge/tree', 'knowledge/status',
	'knowledge/files/guides/prices.md', "connections/$warehouse/artifacts") {
	my $r = as('ben', GET => "/v1/workspaces/$ws/$path");
	unlike $r->{body} =~ s/sales-dashboard\|of sales|"content":"[^"]*"//r, qr/sales-dashboard|Sales by|Copy orders|order_no|$sales/,
		"nor by $path";
}
finish($stack);
