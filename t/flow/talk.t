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

# ---- the review view: a page that is up to no good, in its frame

my $plan = $api->publish($user{ann}, slug => 'plan', name => 'Plan', visibility => 'private',
	files => { 'index.html' => <<'END' });
<!doctype html><meta charset="utf-8"><title>Plan</title>
<meta http-equiv="Content-Security-Policy" content="script-src 'nonce-x'">
<style>body { font: 16px/1.5 sans-serif; margin: 20px } h1 { margin: 0 0 900px }</style>
<h1>Sales in spring</h1><p id="rise">They rose by <b>41 %</b> over winter.</p><input id="i">
<script nonce="x">
const heard = [], tried = [], typed = [];
addEventListener('message', (e) => heard.push(e.data));
addEventListener('keydown', (e) => typed.push(e.key));
for (const f of [() => parent.document.title, () => top.location.href, () => parent.frames[1].name])
	try { f(); tried.push('in'); } catch (e) { tried.push(e.name); }
try { top.location = 'https://example.org/'; } catch (e) { tried.push(e.name); }
tried.push(document.cookie, String(window.opener), document.referrer, location.ancestorOrigins?.length);
</script>
END
$api->call(POST => "/v1/artifacts/$plan/collaborators",
	{ token => $user{ann}{token}, json => { emails => ['ben@example.org'], role => 'viewer' } });
sub remark { my ($text, %anchor) = @_; return $api->call(POST => "/v1/artifacts/$plan/comments", { token => $user{ben}{token},
	json => { text => $text, anchor => \%anchor } })->{json}{comment}{id} }
my $rise = remark('Is it more?', kind => 'text', quote => { exact => 'rose by 41 %', prefix => 'They ' });
my $gone = remark('Which fall?', kind => 'text', quote => { exact => 'fell' });
sub pins {
	my ($b) = @_;
	return $b->script('return [...document.querySelectorAll(".pin:not(.new)")].map(p => p.getAttribute("aria-label")).join("|")');
}
sub told {
	my ($b, $like, $name) = @_;
	Vitrine::Stack::wait_for($name, 30, sub { $b->script('return told.textContent') =~ $like });
	pass $name;
}
sub pinned { my ($b, $want, $name) = @_; Vitrine::Stack::wait_for($name, 30, sub { pins($b) eq $want }); pass $name }
$ann->go("$app/a/$plan/comments")->follow('Review the page');
pinned($ann, 'Remark 1, by Ben Ōe', 'a remark has a pin over its text, and one whose text is not there has none');
ok !$ann->shown("#$gone"), 'that one is not among the others';
$ann->follow('Not in this version');
ok $ann->shown("#$gone") && !$ann->shown("#$rise"), 'but under its own heading';
is join('; ', $ann->looks('review-view')), '', 'the view, wide and narrow, by day and by night';
my $table = $api->publish($user{ann}, slug => 'figures', files => { 'index.html' => 'x', 'rows.csv' => "a,b\n1,2\n" });
$ann->go("$app/a/$table/review?path=/rows.csv");
like $ann->text('.stage'), qr/rows\.csv isn’t shown here.*See what is in it/s, 'a file that browsers save';
is join('; ', $ann->looks('review-saved')), '', '... without barriers';
$ann->follow('See what is in it')->wait_text(qr/rows\.csv.*2 rows|rows\.csv.*CSV/s);
$ann->go("$app/a/$plan/review?thread=$rise");
pinned($ann, 'Remark 1, by Ben Ōe', 'an address of one remark');
ok $ann->script('const p = document.querySelector(".pin").getBoundingClientRect(); return p.top > 0 && p.bottom < innerHeight'),
	'... shows it';
# The view may still bring that remark into sight.
my $still = 0;
Vitrine::Stack::wait_for('the page stays where it is', 30, sub {
	my $top = $ann->script('const s = document.querySelector(".stage"), top = s.scrollTop; s.scrollTop = 0; return top');
	return ($still = $top ? 0 : $still + 1) == 10;
});
$ann->click('#point');
my ($x, $y) = @{$ann->script('const r = document.querySelector(".sheet").getBoundingClientRect(); return [r.left + 60, r.top + 30]')};
$ann->cdp('Input.dispatchMouseEvent', type => $_, x => $x, y => $y, button => 'left', clickCount => 1) for qw(mousePressed mouseReleased);
told($ann, qr/About “Sales in spring”/, 'a click on the page begins a remark, which says what it is about');
$ann->script('document.activeElement.blur(); return 1');
$ann->fill('#text', ' ')->click('#write button');
$ann->wait_text(qr/must not be blank/i);
Vitrine::Stack::wait_for('the mark', 30, sub { $ann->shown('.pin.new') });
pass 'a form that is refused shows its place again';
$ann->fill('#text', 'Of which year?')->click('#write button');
pinned($ann, 'Remark 1, by Ben Ōe|Remark 2, by Ann Archer', 'it is there, with a pin');
my ($made) = grep { $_->{text} eq 'Of which year?' }
	@{$api->call(GET => "/v1/artifacts/$plan/comments", { token => $user{ann}{token} })->{json}{comments}};
is_deeply [@{$made->{anchor}}{qw(kind selector quote)}, $made->{path}, $made->{audience}],
	['point', 'body:nth-of-type(1) > h1:nth-of-type(1)', { exact => 'Sales in spring' }, '/', 'people'], '... as the API tells it';

# By keyboard.
$ann->script('document.activeElement.blur(); return 1');
$ann->press('n')->press('n');
is $ann->script('return document.activeElement.id'), $made->{id}, 'N leads from remark to remark';
$ann->press('r');
$ann->wait_text(qr/In reply to Ann Archer/);
Vitrine::Stack::wait_for('R replies', 30, sub { $ann->script('return document.activeElement.id') eq 'text' });
$ann->go("$app/a/$plan/review?thread=$made->{id}");
pinned($ann, 'Remark 1, by Ben Ōe|Remark 2, by Ann Archer', 'and one goes on');
$ann->press(qw(c down down enter));
told($ann, qr/About “They rose by 41 % over winter\.”/, 'C, arrows and Enter choose a place');
is $ann->script('return document.activeElement.id'), 'text', '... and one writes';
$ann->press('escape');
is $ann->script('return [document.activeElement.id, document.querySelector("[name=kind]").disabled].join(" ")'), 'point true',
	'Escape ends it, and the focus is back';

# What the page got.
$ann->frame('#page');
is $ann->script('return JSON.stringify(heard)'), '[]', 'the page hears nothing';
is $ann->script('return tried.slice(0, 4).join()'), 'SecurityError,SecurityError,SecurityError,SecurityError', 'it reaches nothing of ours';
is $ann->script('return tried.slice(4).join("|")'), '|null||1', '... has no cookie, no opener and no referrer';
is $ann->script('return (await fetch("/", { method: "POST" })).status'), 405, '... changes nothing';
like $ann->script('return navigator.serviceWorker.register("/_vitrine/remark.js").then(() => "yes", (e) => e.name)'), qr/Error$/,
	'... has no worker';
$ann->script('setInterval(() => i.focus(), 50); return 1');
$ann->frame;
$ann->click('#text');
$ann->press($_) for split //, 'a remark that is typed while the page grabs the keyboard';
told($ann, qr/took the keyboard and was stopped/, 'a page that takes the keyboard is stopped');
my $typed = $ann->script('return document.getElementById("text").value');
cmp_ok length $typed, '>=', length('a remark that is typed while the page grabs the keyboard') - 2, "what was typed is there: $typed";
$ann->click('#told button');
pinned($ann, 'Remark 1, by Ben Ōe|Remark 2, by Ann Archer', 'it can be loaded again');
$ann->frame('#page')->script('setInterval(() => { for (let n = 0; n < 500; n++) '
	. 'parent.postMessage("vitrine-page", "*", [new MessageChannel().port2]); }, 50); return 1');
$ann->frame;
told($ann, qr/sends too much/, 'a page that floods us is not listened to');
$ann->click('#'.$rise.' button[name=state]');
$ann->wait_text(qr/Resolved .* by Ann Archer/);
pass 'and the view goes on';
$ann->complaints;

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
