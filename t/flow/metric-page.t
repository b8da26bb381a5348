# SPDX-License-Identifier: Apache-2.0
# Watches and alerts in the browser: made, refused, changed, paused, removed; what a viewer is offered; that what they watch reaches them.
# Looked at in both widths and both themes; then once more without a script.
use utf8;
use Vitrine::Browser;
use Vitrine::Smtp;
use Vitrine::Visitor;
use Vitrine::Words;

my $smtp = Vitrine::Smtp->new;
my ($stack, $api) = stack($smtp->conf);
my $app = "https://vitrine.localhost:$stack->{port}";
my ($anna, $bena) = map { $stack->user("$_\@example.org") } qw(ann ben);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for qw(ann ben);
my $art = $api->publish($anna, name => 'Orders', slug => 'orders', visibility => 'private');
$api->call(POST => "/v1/artifacts/$art/collaborators",
	{ token => $anna->{token}, json => { emails => ['ben@example.org'], role => 'viewer' } });
sub rows {
	my ($n) = @_;
	$api->call(POST => "/v1/data/$art/tables/orders/rows",
		{ token => $anna->{token}, json => { rows => [map { { customer => 'c', amount => 10 } } 1 .. $n] } });
}
$api->call(PUT => "/v1/data/$art/tables/orders", { token => $anna->{token},
	json => { columns => [{ name => 'customer', type => 'text' }, { name => 'amount', type => 'number' }] } });
rows(4);
my ($ann, $ben) = map { Vitrine::Browser->new($stack, @$_) } [width => 1280, height => 900], [width => 390, height => 844, dark => 1];
sub seen {
	my ($b, $name, %o) = @_;
	is join('; ', $b->looks("metric-$name" =~ s/\W+/-/gr)), '', "$name has no barrier";
	is join('; ', grep { /\Q$app\E/ && !/favicon/ && !($o{refused} && /40\d/) } $b->complaints), '',
		"the browser has no complaint about $name";
}
$ann->sign_in('ann@example.org', 'the password');
$ben->sign_in('ben@example.org', 'the password');
sub runner {
	$stack->db->do("UPDATE outbox SET due_at = 0 WHERE kind = 'measure'");
	my ($status) = $stack->runner;
	is $status, 0, 'the runner ran';
}
my $told = 0;
sub told {
	my @all = map { "$_->{envelope}{to}[0]: $_->{headers}{subject}" } $smtp->mails;
	my @new = @all[$told .. $#all];
	$told = @all;
	return join '; ', sort @new;
}
runner();
told();

# ---- a viewer watches

my $watch = 'form[action$="/watch"]';
$ben->go("$app/a/$art/data/tables/orders");
$ben->wait_text(qr/Watch this table/);
$ben->click("$watch option[value=sum]")->click("$watch button");
$ben->wait_text(qr/Is required for sum/);
is $ben->script("return document.querySelector('#kind').value"), 'sum', 'what was chosen stays';
seen($ben, 'a watch that is refused', refused => 1);
$ben->click("$watch #of_column option:nth-child(3)")->fill('#threshold_pct', '5')->click("$watch button");
$ben->wait_text(qr/You’re watching it\..*Sum of amount in orders.*changes by 5% from 40/s);
seen($ben, 'a table with a watch');
rows(1);
runner();
is told(), 'ben@example.org: Sum of amount in orders is now 50 (Orders)', 'a change reaches them';
$ben->reload;
$ben->wait_text(qr/from 50.*last notified/s);
$ben->click('form[action*="/watch/wat_"] button');
$ben->wait_text(qr/Deleted\./);
is $stack->db->selectrow_array('SELECT COUNT(*) FROM metric_watch'), 0, 'removed';

# ---- an owner makes an alert

$ann->go("$app/a/$art/data/alerts");
$ann->wait_text(qr/No alerts yet/);
seen($ann, 'no alerts');
my $make = 'form[action$="/data/alerts"]';
$ann->fill('#name', 'Many orders')->click("$make option[value=avg]")->fill('#column', 'customer')->fill('#value',
	'6')->click("$make button.primary");
$ann->wait_text(qr/Must be numeric for avg/);
is $ann->script("return document.querySelector('#name').value"), 'Many orders', 'what was typed stays';
seen($ann, 'an alert that is refused', refused => 1);
$ann->click("$make option[value=row_count]")->fill('#column', '')->click("$make button.primary");
$ann->wait_text(qr/Alert created\. You’ll be notified.*Number of rows in orders, above 6/s);
seen($ann, 'an alert');
my $add = 'form[action$="/destinations"]';
$ann->fill('#address', 'nobody')->click("$add button");
$ann->wait_text(qr/Must be an e-mail address/);
$ann->fill('#address', 'desk@example.com')->click("$add button");
$ann->wait_text(qr/Saved\..*desk\@example\.com/s);
$ann->click("$add option[value=webhook]")->fill('#address', 'https://hooks.example.com/orders')->click("$add button");
$ann->wait_text(qr/It won’t be shown again\..*whsec_/s);
seen($ann, 'the secret of a webhook', refused => 1);
$ann->go("$app/a/$art/data/alerts")->follow('Many orders');
$ann->wait_text(qr{hooks\.example\.com/orders});
unlike $ann->text, qr/whsec_/, 'it is not shown again';
$ann->click("$add option[value=chat_a]")->fill('#address', 'https://chat.example.com/s3cr3t')->click("$add button");
$ann->wait_text(qr/chat\.example\.com/);
unlike $ann->text, qr/s3cr3t/, 'nor is what lets into a chat';
$ann->click('form[action*="/destinations/"] + *, li:nth-child(3) form[action*="/remove"] button');
$ann->wait_text(qr/Deleted\./);
unlike $ann->text('main'), qr/chat\.example\.com/, 'one is removed';
$ann->click('li:nth-child(2) form[action*="/remove"] button');
$ann->wait_text(qr/Deleted\./);
$ann->fill('#value', '7.5')->click('form[action*="/alerts/alr_"] button.primary');
$ann->wait_text(qr/Saved\..*above 7\.5/s);

# ---- somebody else is told

$ben->go("$app/a/$art/data/alerts");
$ben->wait_text(qr/Many orders/);
unlike $ben->text('main'), qr/New alert|Pause|desk\@/, 'a viewer is not offered what they may not, nor told whom it tells';
$ben->click('form[action$="/subscribe"] button');
$ben->wait_text(qr/Don’t e-mail me/);
rows(5);
runner();
is told(), join('; ', map { "$_: Alert: Many orders (Orders)" } qw(ann@example.org ben@example.org desk@example.com)), 'all are told';
$ben->reload;
$ben->wait_text(qr/Firing.*now 10/s);
seen($ben, 'an alert that fires, narrow and dark');
$ann->go("$app/a/$art/data/alerts");
$ann->wait_text(qr/Firing/);
seen($ann, 'an alert that fires');
$ann->click('form[action$="/enabled"] button');
$ann->wait_text(qr/Paused/);
is $stack->db->selectrow_array('SELECT enabled FROM metric_alert'), 0, 'paused';
$ann->follow('Many orders')->follow('Delete alert');
$ann->wait_text(qr/Delete the alert Many orders\?/);
seen($ann, 'to delete');
$ann->click('button.danger');
$ann->wait_text(qr/Deleted\..*No alerts yet/s);

# ---- without a script

my $v = Vitrine::Visitor->new($api);
$v->sign_in('ben@example.org', 'the password');
my %form = (headers => { 'Content-Type' => 'application/x-www-form-urlencoded' });
is $v->send(POST => "/a/$art/data/tables/orders/watch", body => 'kind=row_count&of_column=&threshold_pct=0.5', %form)->{status}, 303,
	'a form alone does it';
is $stack->db->selectrow_array('SELECT threshold_pct FROM metric_watch'), 0.5, 'as it was typed';
is $v->send(POST => "/a/$art/data/tables/orders/watch", body => "kind=row_count&threshold_pct=$_", %form)->{status}, 400, "but not $_"
	for qw(NaN 0 ten);
is $v->send(POST => "/a/$art/data/tables/orders/watch", body => 'kind=row_count&threshold_pct=1',
	headers => { %{$form{headers}}, 'Sec-Fetch-Site' => 'cross-site' })->{status}, 403, 'nor from another site';
is $v->send(POST => "/a/$art/data/alerts", body => 'name=x&table=orders&kind=row_count&op=above&value=1&breaches=1', %form)->{status}, 403,
	'a viewer makes no alert';
my $other = $api->publish($anna, slug => 'other', files => { 'index.html' => 'x' });
my $a = Vitrine::Visitor->new($api);
$a->sign_in('ann@example.org', 'the password');
my $alert = $api->call(POST => '/v1/metric-alerts', { token => $anna->{token}, json => { artifact_id => $art, name => 'x',
	table => 'orders', kind => 'row_count', op => 'above', value => 1 } })->{json}{alert}{id};
is $a->send(POST => "/a/$other/data/alerts/$alert/delete", body => '', %form)->{status}, 404, "another artifact's path deletes no alert";
is $a->send(POST => "/a/$art/data/alerts/$alert/delete", body => '', %form)->{headers}{location}, "/a/$art/data/alerts?done=gone",
	'its own does';
finish($stack);
