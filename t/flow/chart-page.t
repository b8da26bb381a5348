# SPDX-License-Identifier: Apache-2.0
# Views and charts in the browser: a filter is saved as a view, chosen, deleted; a chart is made, changed, looked at with its numbers, by an
# editor and a viewer, and deleted. Looked at in both widths and both themes; then without a script, and on the published page.
use utf8;
use Vitrine::Browser;
use Vitrine::Visitor;
use Vitrine::Words;

my ($stack, $api) = stack();
my $app = "https://vitrine.localhost:$stack->{port}";
my ($anna, $bena) = map { $stack->user("$_\@example.org") } qw(ann ben);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for qw(ann ben);
my $art = $api->publish($anna, name => 'Orders', slug => 'orders', visibility => 'public', files => { 'index.html' =>
	'<!doctype html><html lang="en"><title>Orders</title><h1>Orders</h1>'
	. '<div id="c"></div><script src="/_vitrine/vitrine.js"></script>' });
sub ask { my ($method, $path, $json) = @_; my $r = $api->call($method => $path, { token => $anna->{token}, json => $json });
	like $r->{status}, qr/^2/, "$method $path" or diag $r->{body}; return $r->{json} }
ask(POST => "/v1/artifacts/$art/collaborators", { emails => ['ben@example.org'], role => 'viewer' });
ask(PUT => "/v1/data/$art/tables/orders", { columns => [{ name => 'city', type => 'text' }, { name => 'amount', type => 'number' },
	{ name => 'on', type => 'date' }] });
ask(POST => "/v1/data/$art/tables/orders/rows", { rows => [map { { city => $_ % 3 ? 'Oslo' : 'Lund', amount => $_,
	on => sprintf('2026-%02d-03', 1 + $_ % 6) } } 1 .. 60] });
my ($ann, $ben) = map { Vitrine::Browser->new($stack, @$_) } [width => 1280, height => 900], [width => 390, height => 844, dark => 1];
sub seen {
	my ($b, $name, %o) = @_;
	is join('; ', $b->looks("chart-$name" =~ s/\W+/-/gr)), '', "$name has no barrier";
	is join('; ', grep { /\Q$app\E/ && !/favicon/ && !($o{refused} && /40\d/) } $b->complaints), '',
		"the browser has no complaint about $name";
}
$ann->sign_in('ann@example.org', 'the password');
$ben->sign_in('ben@example.org', 'the password');

# ---- a view

$ann->go("$app/a/$art/data/tables/orders?column=city&op=eq&value=Lund&order=-amount");
$ann->wait_text(qr/20 rows match/);
$ann->click('#save-view summary')->fill('#view-name', 'In Lund')->click('input[name=shared]')->click('#save-view button');
$ann->wait_text(qr/The view is saved/);
like $ann->url, qr/\?view=viw_/, 'the view is shown';
seen($ann, 'a view');
my ($view) = $ann->url =~ /(viw_\w+)/;
is_deeply [@{ask(GET => "/v1/data/$art/tables/orders/views/$view")->{view}}{qw(name scope where order)}],
	['In Lund', 'shared', ['city', 'eq', 'Lund'], '-amount'], 'and stored';
$ann->go("$app/a/$art/data/tables/orders?view=$view&column=amount&op=gt&value=30&order=amount")->click('#save-view summary');
seen($ann, 'a view that is changed');
$ann->fill('#view-now', 'Large in Lund')->click(qq{form[action\$="/views/$view"] button});
$ann->wait_text(qr/The view is saved/);
sub view_now { return @{ask(GET => "/v1/data/$art/tables/orders/views/$view")->{view}}{qw(name scope where order)} }
is_deeply [view_now()], ['Large in Lund', 'shared', { and => [['city', 'eq', 'Lund'], ['amount', 'gt', '30']] }, 'amount'],
	'a view takes the filter and the order of the page';
$ann->go("$app/a/$art/data/tables/orders?view=$view&order=-amount");
$ann->follow('Remove: amount is more than 30');
$ann->wait_text(qr/Changed/);
$ann->click('#save-view summary')->fill('#view-now', 'In Lund')->click(qq{form[action\$="/views/$view"] button});
$ann->wait_text(qr/The view is saved/);
is_deeply [view_now()], ['In Lund', 'shared', ['city', 'eq', 'Lund'], '-amount'], '... also without a condition that it had';
ask(PUT => "/v1/data/$art/tables/orders/views/$view",
	{ name => 'In Lund', where => ['city', 'eq', 'Lund'], order => '-amount', columns => ['city', 'amount'] });
$ben->go("$app/a/$art/data/tables/orders?view=$view");
is $ben->script('return [...document.querySelectorAll("table.grid thead th")].map(th => th.textContent.trim()).join(" ")'), 'city amount',
	'a view shows its columns';
$ben->wait_text(qr/20 rows match/);
like $ben->text('table.grid tbody tr:first-child'), qr/60/, 'a viewer uses it, in its order';
is $ben->script('return document.querySelectorAll("form[action*=viw_] button").length'), 0, '... but is offered nothing that changes it';
seen($ben, 'a view of a viewer');

# ---- a chart

$ann->go("$app/a/$art/data/tables/orders")->follow('New chart');
$ann->wait_text(qr/New chart of orders/);
$ann->go("$app/a/$art/data/charts");
$ann->wait_text(qr/No charts yet/);
is $ann->title, 'Charts · Orders · Vitrine', 'the title says which page it is';
seen($ann, 'no charts');
$ann->click('form[action$="/charts/new"] button');
$ann->wait_text(qr/New chart of orders/);
seen($ann, 'a new chart');
$ann->fill('#name', 'By month')->click('#measure option[value="sum.amount"]')->click('#by option:nth-child(5)')
	->click('main form button.primary');
$ann->wait_text(qr/Required|required/);
is $ann->script('return document.querySelector("#name").value'), 'By month', 'what was typed stays';
seen($ann, 'a chart without groups', refused => 1);
$ann->click('#group option:nth-child(4)')->click('#split option:nth-child(2)')->click('#kind option[value=stacked]')
	->click('main form button.primary');
$ann->wait_text(qr/The chart is made/);
$ann->wait_text(qr/2026-01-01 to 2026-06-01/);
is $ann->script('return document.querySelector("figure img").naturalWidth'), 800, 'the image is there';
seen($ann, 'a chart');
$ann->click('figure summary');
like $ann->text('figure table'), qr/2026-01-01/, 'with its numbers';
$ann->click("#view_id option[value=\"$view\"]")->click('main form button.primary');
$ann->wait_text(qr/20 rows that you can see/);
my ($chart) = $ann->url =~ /(cht_\w+)/;
is ask(GET => "/v1/data/$art/charts/$chart")->{chart}{view_id}, $view, 'changed to rows of the view';
$ben->go("$app/a/$art/data/charts");
$ben->wait_text(qr/By month/);
like $ben->text('.charts .end'), qr/^Sum of amount by \w+ and \w+, per month, of the rows that you can see/, 'each says what it measures';
seen($ben, 'the dashboard of a viewer');
$ben->follow('By month');
$ben->wait_text(qr/20 rows that you can see/);
is $ben->script('return document.querySelectorAll("form[action*=charts]").length'), 0, 'a viewer changes nothing';
seen($ben, 'a chart of a viewer');
is $ben->script('return document.querySelector("figure img").naturalWidth'), 340, 'a phone has a picture whose words can be read';
my $visitor = Vitrine::Visitor->new($api);
$visitor->sign_in('ann@example.org', 'the password');
like $visitor->go("/a/$art/data/charts/$chart")->{text}, qr/alt="By month\. 2026-01-01 to/, 'without a script the sentence is there, too';
my $site = 'https://orders.pages.localhost:' . $stack->{port};
$ben->go("$site/");
my $figures = $ben->script('return vitrine.chart(document.querySelector("#c"), arguments[0], { width: 400 }).then(d => d.labels.length)',
	$chart);
is $figures, 4, 'the script of a page shows it';
like $ben->script('return document.querySelector("#c img").alt'), qr/^By month\. 2026/, '... with its sentence';
$ann->go("$app/a/$art/data/charts/$chart/delete");
$ann->wait_text(qr/Delete By month\?/);
$ann->click('main form button');
$ann->wait_text(qr/No charts yet/);
$ann->go("$app/a/$art/data/tables/orders?view=$view")->click('#save-view summary')->click('#save-view button.danger');
$ann->wait_text(qr/60 rows/);
is scalar @{ask(GET => "/v1/data/$art/tables/orders/views")->{views}}, 0, 'the view is deleted';
finish($stack);
