# SPDX-License-Identifier: Apache-2.0
# Who sees which rows, in the browser and with the client: the rules in sentences, a mistake with its line, a try as somebody else with and
# without a draft, versions, and two people who save at once. Without a script, too.
use utf8;
use Vitrine::Browser;
use Vitrine::Visitor;
use Vitrine::Words 'as';

my ($stack, $api, $db) = stack();
my $app = "https://vitrine.localhost:$stack->{port}";
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben vic);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for keys %user;
my $art = $api->publish($user{ann}, slug => 'sales', name => 'Sales', visibility => 'public');
as('ann', POST => "/v1/artifacts/$art/collaborators", { emails => ['vic@example.org'], role => 'viewer' });
as('ann', PUT => "/v1/data/$art/tables/orders", { columns => [map { { name => $_, type => 'text' } } qw(rep status)],
	rows => [map { { rep => "$_\@example.org", status => 'open' } } qw(ann ben ben)] });
my $page = "$app/a/$art/data/rules";
my $ann = Vitrine::Browser->new($stack, width => 1280, height => 900);
$ann->sign_in('ann@example.org', 'the password');

$ann->go($page)->wait_text(qr/orders.*Everyone who can open it can see all rows\./s);
is join('; ', $ann->looks('rules')), '', '... without barriers';
my $text = qq({\n  "tables": {\n    "orders": {"read": "row.rep == viewer.email", "add": "viewer.id != null", "write": "false"}\n  }\n});
$ann->fill('#text', $text =~ s/==/=/r)->click('button[value=save]');
$ann->wait_text(qr/line 3.*at character 8/s);
like $ann->text('ol.code li.bad'), qr/"read": "row\.rep = viewer\.email"/, 'the line with the mistake is marked';
like $ann->script('return document.getElementById("text").value'), qr/row\.rep = viewer/, 'what was typed is still there';
is join('; ', $ann->looks('rules-mistake')), '', '... without barriers';
$ann->fill('#text', $text)->script('document.getElementById("as").value = "email"');
$ann->fill('#email', 'ben@example.org')->click('button[value=try]');
$ann->wait_text(qr/You see what ben\@example\.org would see under the text below, which isn’t saved/);
$ann->wait_text(qr/Sees 2 of 3 rows, can change 0, and can add some/);
is as('ann', GET => "/v1/data/$art/policy")->{json}{policy}, undef, 'nothing is saved';
is join('; ', $ann->looks('rules-tried')), '', '... without barriers';
$ann->click('button[value=save]')->wait_text(qr/Saved\..*People can see the rows where rep is their e-mail address\./s);
$ann->script('document.getElementById("see-as").value = "stranger"');
$ann->click('form[method=get] button')->wait_text(qr/a visitor who isn’t signed in.*Sees 0 of 3 rows/s);
$ann->go($page);
as('ann', PUT => "/v1/data/$art/policy", { policy => { default => 'owner' } });
$ann->fill('#text', '{"default": "viewer"}')->click('button[value=save]')->wait_text(qr/Not saved yet\..*Their text/s);
is as('ann', GET => "/v1/data/$art/policy")->{json}{policy}{default}, 'owner', 'what somebody else saved meanwhile stays';
$ann->click('button[value=save]')->wait_text(qr/Saved\./);
is as('ann', GET => "/v1/data/$art/policy")->{json}{policy}{default}, 'viewer', '... until one decides';
$ann->go("$page?version=1")->wait_text(qr/Version 3/);
like $ann->script('return document.getElementById("text").value'), qr/row\.rep == viewer/, 'an earlier text is shown';
is join(' ', grep { !m{/data/rules - Failed to load resource: .* 4\d\d } } $ann->complaints), '', 'no complaint but of refusals';

# Without a script.
my $plain = Vitrine::Visitor->new($api);
$plain->sign_in('ann@example.org', 'the password');
my ($form) = grep { $_->{method} eq 'POST' && $_->{action} =~ m{/data/rules$} } do { $plain->go("/a/$art/data/rules"); $plain->forms };
is_deeply [sort keys %{$form->{fields}}], [qw(email seen text)], 'a form';
my $r = $plain->send(POST => "/a/$art/data/rules", body => "act=save&seen=$form->{fields}{seen}&text=%7B%22default%22%3A%22everyone%22%7D",
	headers => { 'Content-Type' => 'application/x-www-form-urlencoded' });
is $r->{status}, 303, '... saves' or diag $r->{body};
is as('ann', GET => "/v1/data/$art/policy")->{json}{policy}{default}, 'everyone', '... what it says';

# The client.
sub policy { return $stack->client($user{ann}{token}, 'policy', @_, '--artifact', 'sales') }
Vitrine::Stack::spew("$stack->{dir}/rules.json", $text);
is_deeply [(policy('set', "$stack->{dir}/rules.json"))[0, 2]], [0, "saved as version 5\n"], 'set';
my ($code, $out, $err) = policy('get');
is "$code $out", "0 $text\n", 'get prints the text';
like $err, qr/^orders: People can see the rows where rep is their e-mail address\./, '... and what it means';
is_deeply [(policy('try', 'ben@example.org'))[0, 1]], [0, "orders  read some (2 of 3 rows), add all, change none (0), "
	. "delete none\n"], 'try';
Vitrine::Stack::spew("$stack->{dir}/draft.json", '{"default": "owner"}');
like +(policy('try', 'stranger', "$stack->{dir}/draft.json"))[1], qr/read none/, 'try of a draft';
is +(policy('try', 'nobody'))[0], 2, 'nobody is called so';
like +(policy('versions'))[1], qr/\A5  .*\n4  .*\n3  .*\n2  .*\n1  /, 'versions';
Vitrine::Stack::spew("$stack->{dir}/wrong.json", qq({\n"default": "all"}));
($code, undef, $err) = policy('set', "$stack->{dir}/wrong.json");
like "$code $err", qr/^1 .*default, line 2: must be owner, editor/, 'a mistake has its line';
finish($stack);
