# SPDX-License-Identifier: Apache-2.0
# Two people talk about an artifact in the browser, in both widths and themes; and a published page comments, fetches from another site and
# talks with its agent from its own origin, as its visitor.
use utf8;
use Vitrine::Browser;
use Vitrine::Model;
use Vitrine::Words;

my $tls = $ENV{VITRINE_VAR} . '/tls-test';
Vitrine::Stack::make_tls($tls);
my $model = Vitrine::Model->new($tls);
my ($stack, $api) = stack($model->conf, slow_workers => 8);
my $app = "https://vitrine.localhost:$stack->{port}";
my %user = map { ($_ => $stack->user("$_\@example.org")) } qw(ann ben);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for keys %user;
$stack->db->do('UPDATE user SET name = ? WHERE id = ?', undef, $_->[1], $user{$_->[0]}{id}) for [ann => 'Ann Archer'], [ben => 'Ben Ōe'];
my $page = <<'END';
<!doctype html><meta charset="utf-8"><title>Tea</title><h1>Tea</h1><p id="out"></p>
<script>
const art = document.currentScript.ownerDocument.location.hash.slice(1);
const post = (to, body, more) => fetch(to,
	{method: 'POST', headers: {'Content-Type': 'application/json', ...more}, body: JSON.stringify(body)});
async function talk() {
	const lines = [];
	const made = await post(`/v1/artifacts/${art}/comments`, {text: 'from the page', path: '/'});
	lines.push('comment ' + made.status);
	lines.push((await (await fetch(`/v1/artifacts/${art}/comments`)).json()).comments
		.map(m => `${m.author.name}: ${m.text}`).join(' / '));
	const whole = await post(`/v1/agent/${art}/chat`, {messages: [{role: 'user', content: 'say hello there'}]});
	lines.push((await whole.json()).message.content);
	const pieces = [],
		reader = (await post(`/v1/agent/${art}/chat`, {messages: [{role: 'user', content: 'say one two three'}]},
		{Accept: 'text/event-stream'})).body.pipeThrough(new TextDecoderStream())
		.getReader();
	for (let part; !(part = await reader.read()).done;) pieces.push(part.value);
	lines.push(pieces.join('').split('\n\n').filter(e => e.includes('delta')).map(e => JSON.parse(e.slice(6)).delta).join(''));
	lines.push('proxy ' + (await fetch(`/v1/proxy/${art}?url=` + encodeURIComponent('https://unlisted.example/'))).status);
	document.getElementById('out').textContent = lines.join(' | ');
}
talk();
</script>
END
my $art = $api->publish($user{ann}, slug => 'tea', name => 'Tea & cake', visibility => 'private',
	agent => { enabled => Cpanel::JSON::XS::true }, files => { 'index.html' => $page });
$api->call(POST => "/v1/artifacts/$art/collaborators",
	{ token => $user{ann}{token}, json => { emails => ['ben@example.org'], role => 'viewer' } });
my ($ann, $ben) = map { Vitrine::Browser->new($stack, @$_) } [width => 1280, height => 900], [width => 390, height => 844, dark => 1];
my $seen = 0;
sub seen {
	my ($b, $name) = @_;
	is join('; ', $b->barriers), '', "$name: no barrier";
	is join('; ', grep { /\Q$app\E/ && !/favicon/ } $b->complaints), '', "$name: no complaint";
	$b->screenshot(sprintf 'talk-%02d-%s', ++$seen, $name =~ s/\W+/-/gr);
}
for ([$ann, 'ann'], [$ben, 'ben']) {
	my ($b, $who) = @$_;
	$b->go("$app/auth/signin?next=/a/$art/comments");
	$b->fill('#email', "$who\@example.org")->fill('#password', 'the password')->click('form button.primary');
	$b->wait_text(qr/No comments yet/);
	seen($b, "no comments ($who)");
}
$ben->fill('#text', "The second chart lacks its unit.\nIs it metres?")->click('form button.primary');
$ben->wait_text(qr/Is it metres\?/);
like $ben->url, qr/#cmt_/, 'one lands at the comment';
$ann->reload;
$ann->wait_text(qr/Ben Ōe/);
$ann->follow('Reply');
$ann->wait_text(qr/In reply to Ben Ōe/);
$ann->fill('#text', 'Metres, yes: ' . 'a' x 120 . ' <script>alert(1)</script>')->click('form button.primary');
$ann->wait_text(qr/<script>alert/);
seen($ann, 'a conversation');
$ben->reload;
$ben->wait_text(qr/Metres, yes/);
$ben->follow('Edit');
$ben->wait_text(qr/Save comment/);
seen($ben, 'a comment that is being changed, narrow and dark');
$ben->fill('#edit', 'The second chart lacks its unit.')->click('.talk form button');
$ben->wait_text(qr/edited/);
seen($ben, 'a conversation, narrow and dark');
$ann->go("$app/a/$art/settings");
$ann->wait_text(qr/Data from other sites/);
$ann->fill('#hosts', "api.example.org\ndata.example.net");
$ann->click('form[action$="/proxy"] button');
$ann->wait_text(qr/Saved\./);
is $ann->script('return document.querySelector("#hosts").value'), "api.example.org\ndata.example.net", 'hosts are kept, a line each';
seen($ann, 'settings');

# ---- the page itself, as its visitor

$ben->go("$app/auth/view?to=https%3A%2F%2Ftea.pages.localhost%3A$stack->{port}%2F");
$ben->wait_text(qr/Tea/);
$ben->go("https://tea.pages.localhost:$stack->{port}/#$art");
$ben->reload;
$ben->wait_text(qr/proxy \d+/);
is $ben->text('#out'), "comment 201 | Ben Ōe: The second chart lacks its unit. / Ann Archer: Metres, yes: " . 'a' x 120
		. ' <script>alert(1)</script> / Ben Ōe: from the page | hello there | one two three | proxy 403',
	'a page comments, reads, talks and fetches in its origin';

# ---- a thread is resolved

my $remark = $api->call(POST => "/v1/artifacts/$art/comments", { token => $user{ben}{token}, json => {
	text => 'What is meant?', anchor => { kind => 'text', quote => { exact => 'Tea' } } } })->{json}{comment}{id};
$ann->go("$app/a/$art/comments");
$ann->wait_text(qr/What is meant\?/);
is join('; ', $ann->looks('talk-open')), '', 'open threads, wide and narrow, by day and by night';
$ann->click("#$remark button[name=state]");
$ann->go("$app/a/$art/comments?state=resolved");
$ann->wait_text(qr/What is meant\?.*Resolved .* by Ann Archer in version 1/s);
is join('; ', $ann->looks('talk-resolved')), '', 'resolved ones, too';

# ---- closed

$ann->go("$app/a/$art/comments");
$ann->wait_text(qr/from the page/);
like $ann->text('main'), qr/about \//, 'and what it is about';
$ann->script('document.querySelector("input[type=checkbox][name=comments_open]").click()');
$ann->click('form[action$="/settings"] button');
$ann->wait_text(qr/Comments are closed/);
seen($ann, 'closed');
$ann->follow('Delete');
$ann->wait_text(qr/Delete the comment by/);
seen($ann, 'asked before deleting');
$ann->click('button.danger');
$ann->wait_text(qr/Comment deleted/);
$ann->go("$app/docs/visitors");
$ann->wait_text(qr/Data from other sites/);
seen($ann, 'the guide');
$model->stop;
finish($stack);
