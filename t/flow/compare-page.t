# SPDX-License-Identifier: Apache-2.0
# What differs between two versions, and who has approved one, in the browser, with and without a script, and with the client.
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
my $ben = $stack->user('ben@example.org');
$stack->ctl_in("the password\n", qw(user password ben@example.org));
as($user, POST => "/v1/artifacts/$art/collaborators", { emails => ['ben@example.org'], role => 'viewer' });

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

	$ann->go("$app/a/$art/versions");
	is join('; ', $ann->looks('versions-review')), '', 'the form that asks for a review is without barriers';
	$ann->fill('#people', 'ben@example.org')->fill('#message', 'Is it right?')->click('form[action$="/reviews"] button');
	$ann->wait_text(qr/Review of version 2.*Is it right\?.*No answer yet/s);
	is join('; ', $ann->looks('review')), '', '... nor has its page';
	my ($id) = $ann->url =~ /(rvw_\w+)/;
	my $visitor = Vitrine::Visitor->new($api);
	$visitor->sign_in('ben@example.org', 'the password');
	$visitor->go("/shared/artifacts/$art/reviews/$id");
	like $visitor->submit(qr{/answer$}, { answer => 'send_back' })->{body}, qr/Say why you send it back/, 'an answer without a reason';
	like $visitor->submit(qr{/answer$}, { answer => 'approve', note => 'Yes' })->{body}, qr/It is what is live|Yes\. What is live/,
		'answered without a script';
	$ann->reload;
	like $ann->text('main'), qr/Approved.*What is live is what was approved/s, 'who asked sees it';
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

# ---- reviews

my ($status, $err);
($status, my $id, $err) = $stack->client($user->{token}, qw(reviews ask ben@example.org --artifact report --expires 3 --message Look));
like $id, qr/^rvw_\w+\n$/, 'the client asks for a review' or diag $err;
chomp $id;
(undef, $out) = $stack->client($ben->{token}, 'reviews', 'show', $id, 'report');
like $out, qr/^\Q$id\E  open       version 2\ndigest [0-9a-f]{64}\n *Look\n-          ben\@example\.org\n$/, '... shows it';
($status, $out, $err) = $stack->client($ben->{token}, 'reviews', 'answer', $id, 'send_back', 'report', '--note', 'No unit');
is "$status$err", "0answered; the review is sent_back\n", '... and answers';
(undef, $out) = $stack->client($user->{token}, qw(reviews list report));
like $out, qr/^\Q$id\E  sent_back  version 2  \d/, '... and lists them';
(undef, $id) = $stack->client($user->{token}, qw(reviews ask), $ben->{id}, qw(--artifact report));
chomp $id;
($status, $out, $err) = $stack->client($user->{token}, 'reviews', 'close', $id, 'report');
is "$status$err", "0closed\n", '... and closes one';
finish($stack);
