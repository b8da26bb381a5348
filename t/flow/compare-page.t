# SPDX-License-Identifier: Apache-2.0
# What differs between two versions, in the browser, with and without a script, and with the client.
use utf8;
use Vitrine::Browser;
use Vitrine::Visitor;
use Vitrine::Words 'as';

my ($stack, $api, $db) = stack();
my $app = "https://vitrine.localhost:$stack->{port}";
my $user = $stack->user('ann@example.org');
$stack->ctl_in("the password\n", qw(user password ann@example.org));
my @lines = map { "line $_" } 1 .. 30;
my $art = $api->publish($user, slug => 'report', name => 'Report', files => { 'index.html' => join("\n", @lines, ''),
	'old/a.txt' => 'moved',
	'gone.txt' => 'x', 'same.css' => 'a{}' });
$lines[14] = 'line fifteen';
$api->publish($user, slug => 'report', message => 'Words for numbers',
	files => { 'index.html' => join("\n", @lines, ''), 'new/a.txt' => 'moved',
	'big.txt' => 'y' x ((1 << 20) + 1), 'same.css' => 'a{}' });
my $page = "$app/a/$art/versions/compare";

for my $width (390, 1280) {
	my $ann = Vitrine::Browser->new($stack, width => $width, height => 900);
	$ann->sign_in('ann@example.org', 'the password');
	$ann->go("$app/a/$art/versions")->click('a[href$="compare?to=2"]');
	$ann->wait_text(qr/4 files differ: 1 added, 1 changed, 1 removed, 1 renamed\. 1 is the same\./);
	like $ann->text('main'), qr/“Words for numbers”/, "at $width: what the version says of itself";
	like $ann->text('#f-3'), qr/15\s*−.*line 15.*15\s*\+.*line fifteen/s, 'the lines that differ, with their numbers';
	like $ann->text('main'), qr{was old/a\.txt}, 'a renamed file';
	like $ann->text('main'), qr/too long to compare here/, 'a text that is too long';
	is join('; ', $ann->looks('versions-compare')), '', '... without barriers';
	$ann->script('document.getElementById("va").value = "2"');
	$ann->click('form[action$="/compare"] button')->wait_text(qr/No file differs\. 4 are the same\./);
	$ann->go("$page?from=2&to=1")->click('form[action$="/versions/1/live"] button');
	$ann->wait_text(qr/This version is live now/);
	as($user, POST => "/v1/artifacts/$art/versions/2/restore");
}
my $plain = Vitrine::Visitor->new($api);
$plain->sign_in('ann@example.org', 'the password');
like $plain->go("/a/$art/versions/compare?from=1&to=2")->{body}, qr/line <mark>fifteen/, 'without a script';

# ---- the client

my (undef, $out) = $stack->client($user->{token}, qw(diff report --from 1));
is $out, "added    big.txt\nremoved  gone.txt\nchanged  index.html\nrenamed  new/a.txt  (was old/a.txt)\n", 'the client lists the files';
(undef, $out) = $stack->client($user->{token}, qw(diff report --from 1 --to 2 --text index.html));
is $out, "@@ 11 the same @@\n line 12\n line 13\n line 14\n-line 15\n+line fifteen\n line 16\n line 17\n line 18\n@@ 12 the same @@\n",
	'... and the lines of a text';
finish($stack);
