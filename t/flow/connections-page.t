# SPDX-License-Identifier: Apache-2.0
# A workspace's connections in the browser: one is made, tested, changed and deleted by admins; a job is made that uses it; members see that
# they are there, and what of it is theirs to see. What is refused is told beside the field, nothing secret is shown again, and each page is
# looked at in both widths and themes.
use utf8;
use Vitrine::Browser qw(seen row shown);
use Vitrine::Postgres;
use Vitrine::Receiver;
use Vitrine::Visitor;
use Vitrine::Words 'as';

my ($server, $other) = map { Vitrine::Receiver->new("$ENV{VITRINE_VAR}/tls-test") } 1, 2;
my $pg = Vitrine::Postgres->new("$ENV{VITRINE_VAR}/tls-test");
my ($stack, $api, $db) = stack(egress_allow => join(' ', map { "127.0.0.1:$_->{port}" } $server, $other, $pg),
	connection_tests_per_minute => 200, publish_per_hour => 1000);
my $app = "https://vitrine.localhost:$stack->{port}";
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben cat eve);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for keys %user;
$db->do("UPDATE user SET name = 'Alice <i>Archer</i>' WHERE id = ?", undef, $user{ann}{id});
my $ws = as('ann', POST => '/v1/workspaces', { name => 'Northwind Studio' })->{json}{workspace}{id};
my $theirs = as('eve', POST => '/v1/workspaces', { name => 'Elsewhere' })->{json}{workspace}{id};
$stack->seat($ws, $user{ben}, 'member');
$stack->seat($ws, $user{cat}, 'admin');
my $at = "$app/w/$ws/connections";

my ($ann, $ben) = map { Vitrine::Browser->new($stack, @$_) } [width => 1280, height => 900], [width => 390, height => 844, dark => 1];
$ann->sign_in('ann@example.org', 'the password');
$ben->sign_in('ben@example.org', 'the password');
# What stands beside a field that was refused, which is marked.
sub beside {
	my ($b, $id) = @_;
	Vitrine::Stack::wait_for("a refusal of $id", 60,
		sub { $b->script('return document.getElementById(arguments[0] + "-error") !== null', $id) });
	return $b->script('const f = document.getElementById(arguments[0]), e = document.getElementById(arguments[0] + "-error"); '
		. 'return f.getAttribute("aria-describedby").includes(e.id) && !document.querySelector("[role=alert]") ? '
		. 'e.textContent : "unmarked"', $id);
}
sub value { my ($b, $id) = @_; return $b->script('return document.getElementById(arguments[0]).value', $id) }
sub choose { my ($b, $css, $value) = @_; $b->click("$css option[value='$value']"); return $b }

# ---- before there are any

$ann->go("$app/w/$ws")->follow('Settings')->wait_text(qr/Connections/);
$ann->follow('Connections')->wait_text(qr/No connections yet.*nobody needs its password/s);
is $ann->text('nav.side [aria-current]'), 'Connections', 'it is a part of the settings';
seen($ann, 'none yet');
$ben->go($at)->wait_text(qr/When an admin connects/);
is $ben->script('return document.querySelectorAll("main .button").length'), 0, 'a member makes none';
seen($ben, 'none for a member');

# ---- an HTTP API

$ann->follow('New connection')->wait_text(qr/PostgreSQL.*HTTP API.*OAuth service.*Chat/s);
is $ann->script('return document.querySelectorAll("main form").length'), 0, 'its kind comes first';
seen($ann, 'kinds');
$ann->follow('HTTP API')->wait_text(qr/Jobs add a path beneath it/);
is $ann->text('.choice[aria-current] strong'), 'HTTP API', 'which was chosen';
ok shown($ann, '#token') && !shown($ann, '#login') && !shown($ann, '#header_name'), 'with a token it asks for that alone';
choose($ann, '#auth', 'basic');
ok !shown($ann, '#token') && shown($ann, '#login') && shown($ann, '#password'), '... with a name and a password for these';
choose($ann, '#auth', 'header');
ok shown($ann, '#token') && shown($ann, '#header_name') && !shown($ann, '#login'), '... with a header for its name';
choose($ann, '#auth', 'none');
ok !shown($ann, '#token') && !shown($ann, '#login'), '... and else for nothing';
choose($ann, '#auth', 'bearer');
seen($ann, 'an API');
$ann->fill('#name', 'Exchange <b>rates</b>')->fill('#base_url', 'https://10.0.0.1/v1')->fill('#token',
	'the-token-of-rates')->click('main form button.primary');
$ann->wait_text(qr/Not saved: the test failed\./);
is value($ann, 'name') . value($ann, 'base_url') . value($ann, 'token'), 'Exchange <b>rates</b>https://10.0.0.1/v1',
	'what was typed stays, but for the token';
seen($ann, 'a test that failed', refused => 1);
is $db->selectrow_array('SELECT COUNT(*) FROM connection'), 0, '... and nothing is saved';
$server->answer('/v1' => 401, 'who are you?');
$ann->fill('#base_url', $server->url('/v1'))->fill('#token', 'the-token-of-rates')->click('main form button.primary');
$ann->wait_text(qr/Not saved: the test failed\..*401/s);
seen($ann, 'a token that is not accepted', refused => 1);
$server->answer('/v1' => 200, '{}');
$ann->fill('#token', 'the-token-of-rates')->click('button[value=only]');
$ann->wait_text(qr/The test passed\. Nothing has been saved yet\..*Passed/s);
is $db->selectrow_array('SELECT COUNT(*) FROM connection'), 0, 'tested only, it is not saved';
seen($ann, 'tested only');
$ann->fill('#token', 'the-token-of-rates')->click('main form button.primary');
$ann->wait_text(qr/Tested and saved\. Jobs can use it now\..*No job uses it yet/s);
my ($rates) = $ann->url =~ /(con_\w+)/;
is((grep { $_->{path} eq '/v1' } $server->calls)[-1]{headers}{authorization}, 'Bearer the-token-of-rates', 'it signed in');
is $ann->text('main h2'), 'Exchange <b>rates</b>', 'its page is shown';
seen($ann, 'a connection');
$ann->go("$at/new?kind=http")->fill('#name', 'EXCHANGE <b>RATES</b>')->fill('#base_url', $server->url('/v1'))->fill('#token',
	'x')->click('main form button.primary');
like beside($ann, 'name'), qr/^The workspace already has a connection called/, 'a name that is taken is told beside the field';
seen($ann, 'a name that is taken', refused => 1);
$ann->go("$at/new?kind=http")->fill('#name', 'x')->fill('#base_url', 'https://example.org/?a=b#c')->fill('#token',
	'x')->click('main form button.primary');
like beside($ann, 'base_url'), qr/\w/, 'an address that can not be is told beside the field';
$ann->complaints;

# ---- tested again, as steps

$ann->go("$at/$rates")->click('main form[action$="/test"] button');
$ann->wait_text(qr/Test, just now\s+Passed/);
like $ann->text('main ol'), qr/\d+ (?:ms|s)$/m, 'each step with its time';
seen($ann, 'a test');
$server->answer('/v1' => 503, 'gone fishing');
$ann->click('main form[action$="/test"] button');
$ann->wait_text(qr/Stopped at step \d/);
seen($ann, 'a test that stops');
$ann->go($at)->wait_text(qr/Failing/);
like row($ann, 'Exchange'), qr/^Exchange <b>rates<\/b> Failing HTTP API, localhost:\d+ · shared · .*503.*, just now Test/,
	'the list has the last words';
seen($ann, 'a list');
$server->answer('/v1' => 200, '{}');
$ann->click('main form[action$="/test"] button');
$ann->wait_text(qr/Passed/);
$ann->go($at)->wait_text(qr/Works/);

# ---- a job uses it

sub artifact {
	my ($who, $name) = @_;
	return as($who, POST => '/v1/publish', { name => $name, workspace_id => $ws, visibility => 'private',
		files => [{ path => 'index.html', content => 'S' }] })->{json}{artifact}{id};
}
my $sales = artifact('ben', 'Sales dashboard');
$ben->go("$app/a/$sales/jobs/new?action=http_get")->wait_text(qr/From.*An address/s);
ok shown($ben, '#url') && !shown($ben, '#path'), 'without a connection, a job asks an address';
choose($ben, '#source', "http:$rates");
ok !shown($ben, '#url') && shown($ben, '#path') && !shown($ben, '#source-h'), '... with one, a path beneath it';
seen($ben, 'the form of a job');
$ben->fill('#name', 'Fetch rates')->fill('#path', '//evil.example/')->click('form button.primary');
like beside($ben, 'path'), qr/\w/, 'a path that leads elsewhere is told beside the field';
is value($ben, 'source'), "http:$rates", '... and the connection stays chosen';
$ben->complaints;
$ben->fill('#path', '/latest?base=EUR')->click('form button.primary');
$ben->wait_text(qr/Job created\./);
my ($job) = $ben->url =~ /(job_\w+)/;
like $ben->text('main'), qr/Fetches \/latest through a connection into the document/, 'what it does';
is value($ben, 'source') . value($ben, 'path'), "http:$rates/latest?base=EUR", 'its form has it';
seen($ben, 'a job');
is as('ben', GET => "/v1/jobs/$job")->{json}{job}{config}{connection_id}, $rates, '... as the API does';
$ben->go("$at/$rates")->wait_text(qr/Fetch rates/);
is row($ben, 'Fetch rates'), 'Not run yet Fetch rates Sales dashboard · ben@example.org · fills the document never ran', 'who uses it'
	or diag row($ben, 'Fetch rates');
is $ben->script('return document.querySelectorAll("main .head form, main .head a.button").length'), 0,
	'a member changes nothing of a shared one';
unlike $ben->text('main'), qr/the-token/, '... and sees no secret';
seen($ben, 'a connection for a member');
$ann->go("$app/w/$ws/runs/schedules/$job")->wait_text(qr/Edit job/);
is value($ann, 'source') . value($ann, 'path'), "http:$rates/latest?base=EUR", 'the form of the admins has it, too';
$ann->fill('#path', '/latest')->click('#edit button');
$ann->wait_text(qr/Saved\./);
is as('ben', GET => "/v1/jobs/$job")->{json}{job}{config}{path}, '/latest', '... and changes it';

# ---- what one can't open is a number, for admins

my $secret = artifact('cat', 'The board’s');
my $hidden = as('cat', POST => '/v1/jobs', { artifact_id => $secret, name => 'Hidden job', action => 'http_get', schedule => '0 1 * * *',
	config => { connection_id => $rates, path => '/x', save_to => 'json' } })->{json}{job}{id};
$db->do('UPDATE artifact SET closed = TRUE WHERE id = ?', undef, $secret);
$ann->go("$at/$rates")->wait_text(qr/1 job of an artifact that you can’t open/);
like $ann->text('main'), qr/Used by 1\n/, 'it is not counted';
unlike $ann->text('main'), qr/Hidden job|The board/, '... nor named';
seen($ann, 'a hidden job');
unlike $ben->go("$at/$rates")->text('main'), qr/that you can’t open/, 'a member is not told';
like row($ann->go($at), 'Exchange'), qr/1 job/, 'the list counts what one sees';

# ---- changed

$ann->go("$at/$rates")->follow('Edit')->wait_text(qr/The saved one isn’t shown/);
is value($ann, 'base_url') . value($ann, 'token'), $server->url('/v1'), 'the form has what was saved, but for the token';
seen($ann, 'an edit');
$ann->fill('#name', 'Rates')->click('main form button.primary');
$ann->wait_text(qr/Tested and saved\. Jobs use the new settings\./);
is((grep { $_->{path} eq '/v1' } $server->calls)[-1]{headers}{authorization}, 'Bearer the-token-of-rates', 'the token that it has is kept');
$ann->go("$at/$rates/edit")->fill('#base_url', $other->url('/v1'))->click('main form button.primary');
like beside($ann, 'token'), qr/another server/, 'for another server it is asked for anew, beside the field';
is scalar($other->calls), 0, '... and never sent there';
seen($ann, 'another server', refused => 1);
$server->answer('/v1' => 500, 'no');
$ann->go("$at/$rates/edit")->fill('#name', 'Not this')->click('main form button.primary');
$ann->wait_text(qr/Not saved: the test failed\./);
is $db->selectrow_array('SELECT name FROM connection WHERE id = ?', undef, $rates), 'Rates', 'what fails its test stays as it was';
$ann->complaints;
$server->answer('/v1' => 200, '{}');

# ---- each member's own

$ann->go("$at/new?kind=http")->fill('#name', 'Ledger')->fill('#base_url', $server->url('/ledger'))->fill('#token',
	'of-ann')->click('input[value=member]')->click('main form button.primary');
$ann->wait_text(qr/Tested and saved.*Your credentials\s+Saved/s);
my ($ledger) = $ann->url =~ /(con_\w+)/;
seen($ann, 'of each member');
$ben->go($at)->wait_text(qr/Ledger/);
like row($ben, 'Ledger'), qr/Needs you.*each member’s own credentials/, 'it waits for each member';
$ben->go("$at/$ledger")->wait_text(qr/Add your credentials, so that your jobs can use it/);
seen($ben, 'credentials are missing');
$ben->go("$app/a/$sales/jobs/new?action=materialize")->wait_text(qr/From/);
choose($ben, '#source', "http.member:$ledger");
$ben->wait_text(qr/It will run with your credentials/);
seen($ben, 'whose credentials');

# ---- a database

$ann->go("$at/new?kind=postgres")->wait_text(qr/Use a user that can only read/);
seen($ann, 'a database');
$ann->fill('#name', 'warehouse')->fill('#host', '10.0.0.1')->fill('#database', 'shop')->fill('#username', 'vitrine_ro')->fill('#password',
	'the-password')->click('main form button.primary');
$ann->wait_text(qr/Not saved: the test failed\./);
is value($ann, 'host') . value($ann, 'port') . value($ann, 'password'), '10.0.0.15432', 'what was typed stays, but for the password';
seen($ann, 'a database that is not reached', refused => 1);
$ann->fill('#host', 'localhost')->fill('#port', "$pg->{port}")->fill('#username', 'reader')->fill('#password',
	'not this')->click('main form button.primary');
$ann->wait_text(qr/Not saved: the test failed\./);
like $ann->text('#password-error'), qr/password/, 'a password that is not accepted is told beside the field';
$ann->complaints;
$ann->fill('#password', $Vitrine::Postgres::PASSWORD)->click('main form button.primary');
$ann->wait_text(qr/Tested and saved\. Jobs can use it now\./);
my ($warehouse) = $ann->url =~ /(con_\w+)/;
like $ann->text('.facts'), qr/reader\@localhost:$pg->{port}\/shop/, 'which server it is';
$pg->sql('CREATE TABLE orders (id int); INSERT INTO orders VALUES (1)');
$ben->go("$app/a/$sales/jobs/new?action=materialize")->wait_text(qr/From/);
choose($ben, '#source', "postgres:$warehouse");
ok shown($ben, '#query') && !shown($ben, '#path') && !shown($ben, '#url') && !shown($ben, '#headers') && !shown($ben, '#format'),
	'a database is asked by a query';
seen($ben, 'a query');
$ben->fill('#name', 'Copy orders')->fill('#query', "SELECT id\nFROM orders")->fill('#save_name', 'orders')->click('form button.primary');
$ben->wait_text(qr/Job created\./);
like $ben->text('main'), qr/Loads the result of a query into the table orders/, 'what it does';
is value($ben, 'query'), "SELECT id\nFROM orders", 'its form has the query';
$ann->go("$at/$warehouse")->wait_text(qr/Copy orders.*fills the table orders/s);
$ann->click('main form[action$="/test"] button');
$ann->wait_text(qr/Stopped at step 6.*permission denied for table orders/s);
like $ann->text('main ol'), qr/Sign in\nSigned in to shop as reader/, 'it says how far it came';
seen($ann, 'what a job may not read');
$pg->sql('GRANT SELECT ON orders TO reader');
$ann->click('main form[action$="/test"] button');
$ann->wait_text(qr/Test, just now\s+Passed/);
seen($ann, 'what jobs may read');

# ---- services that nobody has set up

for my $kind (qw(oauth2 chat)) {
	$ann->go("$at/new?kind=$kind")->wait_text(qr/No services set up yet/);
	seen($ann, "no $kind");
}

# ---- deleted

$ann->go("$at/$rates")->follow('Delete')->wait_text(
	qr/Delete the connection Rates\?.*2 jobs use it and will fail: Fetch rates \(Sales dashboard\); also 1 job of an artifact that you can’t open/s);
seen($ann, 'before it is deleted');
$ann->click('form button.danger');
$ann->wait_text(qr/Connection deleted, with its credentials\./);
is row($ann, 'Rates'), '', 'it is gone';
$ben->go("$app/a/$sales/jobs/$job")->wait_text(qr/A connection that this workspace doesn’t have/);
seen($ben, 'a job whose connection is gone');

# ---- nobody else, and no tokens

my $eve = Vitrine::Visitor->new($api);
$eve->sign_in('eve@example.org', 'the password');
is $eve->go("/w/$ws/connections$_")->{status}, 404, "somebody else finds nothing at connections$_"
	for '', '/new', "/$ledger", "/$ledger/edit", "/$ledger/delete";
my $head = { 'Content-Type' => 'application/x-www-form-urlencoded' };
is $eve->send(POST => "/w/$theirs/connections/services/none", body => $_, headers => $head)->{status}, 400,
	'a service without a name is refused' for '', 'kind=oauth2';
is $eve->send(POST => "/w/$theirs/connections/services/none", body => 'kind=oauth2&name=x', headers => $head)->{status}, 409,
	'... as is one that nobody has set up';
is $eve->go("/w/$theirs/connections/$ledger")->{status}, 404, '... nor under a workspace of their own';
my $member = Vitrine::Visitor->new($api);
$member->sign_in('ben@example.org', 'the password');
is $member->go("/w/$ws/connections$_")->{status}, 403, "a member may not look at connections$_"
	for '/new', "/$ledger/edit", "/$ledger/delete";
unlike $db->selectrow_array('SELECT GROUP_CONCAT(sealed) FROM connection_credential') // '', qr/of-ann/, 'what is stored is sealed';

finish($stack);
