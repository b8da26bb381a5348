# SPDX-License-Identifier: Apache-2.0
# A workspace's notes in the browser: one is written, with a preview; it is linked, changed by two at once, brought back, deleted; learned
# ones are corrected and forgotten; the page of learning. Each page is looked at in both widths and themes, and all of it works without
# scripts.
use utf8;
use Vitrine::Browser qw(seen row);
use Vitrine::Visitor;
use Vitrine::World;
use Vitrine::Words 'as';

my ($stack, $api, $db) = stack(Vitrine::World::unlimited());
my $app = "https://vitrine.localhost:$stack->{port}";
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for keys %user;
$db->do("UPDATE user SET name = 'Carla Reyes' WHERE id = ?", undef, $user{ben}{id});
my $ws = as('ann', POST => '/v1/workspaces', { name => 'Northwind Studio' })->{json}{workspace}{id};
$stack->seat($ws, $user{ben}, 'member');
$db->do('UPDATE workspace SET features_on = 63 WHERE id = ?', undef, $ws);
my $at = "$app/w/$ws/notes";
my ($ann, $ben) = map { Vitrine::Browser->new($stack, @$_) } [width => 1280, height => 900], [width => 390, height => 844, dark => 1];
$ann->sign_in('ann@example.org', 'the password');
$ben->sign_in('ben@example.org', 'the password');
sub put {
	my ($path, $text, $who) = @_;
	my $r = as($who // 'ann', PUT => "/v1/workspaces/$ws/knowledge/files/$path", { content => $text });
	$r->{status} < 300 or BAIL_OUT($r->{body});
	return $r->{json};
}

# ---- written

$ann->go("$app/w/$ws")->follow('Notes')->wait_text(qr/Write the first note/);
is $ann->text('nav[aria-label=Main] [aria-current]'), 'Notes', 'it is a place of the workspace';
seen($ann, 'no notes');
$ann->go("$at/new")->fill('#path', 'guides/price-rules')->fill('#content', "# Price rules\n\nHalf up. See [[guides/who|who does what]] and "
	. "**[[Quarterly]]**.\n\n| Client | Discount |\n|---|---|\n| Metro | 8% |\n\n<script>alert(1)</script> `[[not/a/link]]`\n");
$ann->click('button[name=preview]')->wait_text(qr/Preview, not saved yet.*Half up/s);
is as('ann', GET => "/v1/workspaces/$ws/knowledge/tree")->{json}{tree}[0], undef, 'nothing is saved by a preview';
is $ann->script('return document.getElementById("path").value'), 'guides/price-rules', '... and what was typed stands there';
seen($ann, 'a preview');
$ann->click('button.primary:not([name])')->wait_text(qr/Saved\..*Written by people/s);
like $ann->url, qr{/notes/read/guides/price-rules\.md}, 'the note is shown';
is $ann->script('return document.querySelectorAll(".prose script").length + document.querySelectorAll(".prose code a").length'), 0,
	'no script, and no link within code';
is $ann->script('return [...document.querySelectorAll(".prose a")].map(a => a.textContent + ": " + a.title).join(", ")'),
	'who does what: No note has this name yet, Quarterly: No note has this name yet', 'links to what isn\'t written say so';
like $ann->text('aside'), qr/Linked from\s+0.*Links to\s+2.*guides\/who\s+Not written/s, 'beside it, too';
seen($ann, 'a note');
$ann->click('.prose a')->wait_text(qr/New note/);
is $ann->script('return document.getElementById("path").value'), 'guides/who.md', '... and lead to where they can be';
$ann->fill('#content', 'Above ten percent: ask Carla. Apart from [[guides/price-rules|the price rules]], nothing.')
	->click('button.primary:not([name])')->wait_text(qr/Saved/);
$ann->go("$at/read/guides/price-rules.md");
like $ann->text('aside'), qr/Linked from\s+1.*who\s+“Above ten percent: ask Carla. Apart from the price rules, nothing\.”/s,
	'what links here, with the sentence';
is $ann->text('aside mark'), 'the price rules', '... and the words marked';
$ann->go("$at/new")->fill('#path', 'pages/mine')->fill('#content',
	'x')->click('button.primary:not([name])')->wait_text(qr/learned from pages/);
seen($ann, 'a name that is not for people', refused => 1);

# ---- two editors

$ann->go("$at/edit/guides/who.md");
$ben->go("$at/edit/guides/who.md")->fill('#content', 'Carla decides.')->click('button.primary:not([name])')->wait_text(qr/Saved/);
$ann->fill('#content', 'Ann decides.')->click('button.primary:not([name])')
	->wait_text(qr/Not saved yet.*Carla Reyes changed this note.*Choose which text to keep/s);
is $ann->script('return [document.querySelector(".code li.new").firstChild.data.trim(), '
		. 'document.getElementById("content").value.trim()].join("|")'), 'Carla decides.|Ann decides.',
	'both texts are there to choose from';
seen($ann, 'two editors', refused => 1);
$ann->click('button.primary:not([name])')->wait_text(qr/Saved.*Ann decides/s);
$ann->follow('History')->wait_text(qr/What changed/);
is $ann->script('return [...document.querySelectorAll(".diff tr")].map(e => e.className + ":" + e.lastElementChild.textContent.trim() '
		. '+ ":" + e.querySelector("mark").textContent).join("|")'), 'del:Carla decides.:Carla|ins:Ann decides.:Ann',
	'what changed, and in it the words';
like $ann->text('aside'), qr/Now.*Carla Reyes/s, 'by whom';
seen($ann, 'history');
$ann->click('aside li:nth-child(2) a')->wait_text(qr/Bring this text back/);
$ann->script('[...document.querySelectorAll("main form button")].find(b => /Bring/.test(b.textContent)).click()');
$ann->wait_text(qr/Saved.*Carla decides/s);
$ann->go("$at/edit/guides/who.md");
$ben->go("$at/edit/guides/who.md")->fill('#content', 'Carla decides, still.')->click('button.primary:not([name])')->wait_text(qr/Saved/);
$ann->fill('#content', 'Ann, again.')->click('button.primary:not([name])')->wait_text(qr/Not saved yet/);
$ann->follow('Keep their text')->wait_text(qr/Carla decides, still/);
put('guides/gone.md', 'Soon gone.');
$ann->complaints;
$ann->go("$at/edit/guides/gone.md");
as('ann', DELETE => "/v1/workspaces/$ws/knowledge/files/guides/gone.md");
$ann->fill('#content', 'Typed for an hour.')->click('button.primary:not([name])')->wait_text(qr/This note no longer exists/);
is $ann->script('return document.getElementById("path").value + ": " + document.getElementById("content").value.trim()'),
	'guides/gone.md: Typed for an hour.', 'what was typed into what is gone stays';
seen($ann, 'a note that is gone', refused => 1);
$ann->click('button.primary:not([name])')->wait_text(qr/Saved.*Typed for an hour/s);

# ---- learned

my $art = $api->publish($user{ann}, name => 'Quarterly report', slug => 'quarterly', visibility => 'private', workspace_id => $ws);
Vitrine::World->new($stack)->make(note => ws => $ws, art => $art, content => "---\ntitle: x\n---\n# Quarterly report\n\n42 sold.\n");
$ben->go("$at/read/pages/quarterly.md")->wait_text(qr/42 sold.*Learned from its page, version 1/s);
unlike $ben->text('.prose'), qr/title:/, 'front matter isn\'t shown';
seen($ben, 'a learned note');
$ben->follow('Edit')->wait_text(qr/Learning won’t change this note anymore/);
$ben->fill('#content', "# Quarterly report\n\n43 sold.\n")->click('button.primary:not([name])')
	->wait_text(qr/43 sold.*Carla Reyes changed it just now; learning leaves it alone/s);
is $ben->script('return document.querySelector("a.danger")'), undef, 'a member deletes none';

# ---- beside what its page says now

my $first = "---\ntitle: Quarterly report\nversion: 2\n---\n\n# Quarterly report\n\nWhat we sold in the third quarter, by shop.\n\n"
	. "- Bikes: 42, of which 12 electric\n- Helmets: 17\n- Locks: 5\n- Bells: 3\n- Lamps: 8\n- Pumps: 2\n- Racks: 1\n- Bags: 4\n\n"
	. "Prices follow [[guides/price-rules]].\n";
(my $now = $first) =~ s/42, of which 12/45, of which 14/;
$now =~ s/- Locks: 5\n//;
$now .= "\nReturns are in [[pages/returns]].\n";
put('pages/quarterly.md', $first, 'ben');
$ben->go("$at/compare/pages/quarterly.md")->wait_text(qr/History/);
like $ben->url, qr{/history/pages/quarterly\.md}, 'with nothing newer, there is its history to compare';
sub page_says {
	my ($no, $text) = @_;
	$db->do("REPLACE INTO note_newer SELECT id, ?, 'Quarterly report', ?, UNIX_TIMESTAMP() FROM note WHERE artifact_id = ?",
		undef, $no, $text, $art);
}
page_says(2, $now);
$db->do("INSERT INTO learning (artifact_id, workspace_id, outcome, version_no, says, wanted_at, at) "
	. "VALUES (?, ?, 'kept', 2, 'Somebody has changed the note, so it stays as it is.', 1, UNIX_TIMESTAMP())", undef, $art, $ws);
$ben->go("$at/read/pages/quarterly.md")->follow('Compare with version 2')
	->wait_text(qr/Carla Reyes changed this note just now, so learning left it alone\. Version 2 of its page was read just now/);
is $ben->script('return [...document.querySelectorAll(".diff td:is(.del, .ins)")].map(e => [e.className + " ", '
	. '...[...e.childNodes].slice(1).map(n => n.nodeName === "MARK" ? "<" + n.textContent + ">" : '
	. 'n.textContent)].join("").trim()).join("|")'),
	'del - Bikes: <42, of which 12> electric|ins - Bikes: <45, of which 14> electric|del - Locks: '
		. '5|ins|ins Returns are in [[pages/returns]].', 'both texts, with what differs';
like $ben->text('.diff'), qr/\d lines the same/, '... and what doesn\'t left out';
seen($ben, 'compare');
$ben->follow('Keep the note')->wait_text(qr/42, of which 12/);
$ann->go("$at/learning")->follow('Compare')->wait_text(qr/so learning left it alone/);
page_says(3, $now =~ s/14 electric/15 electric/r);
$ann->complaints;
$ann->click('main form.body button.primary')
	->wait_text(qr/Nothing was changed: the note or its page says something else by now.*version 3/s);
seen($ann, 'compare again', refused => 1);
$ann->click('main form.body button.primary')
	->wait_text(qr/Reset to what the page says\. The note follows its page again\..*15 electric.*Learned from its page, version 3/s);
$ann->go("$at/learning")->wait_text(qr/Learned/);
is $ann->script('return document.querySelectorAll("a[href*=compare]").length'), 0, 'then there is nothing to compare';
is as('ann', GET => "/v1/workspaces/$ws/knowledge/history/pages/quarterly.md?no=3")->{json}{edits}[0]{content}, $first,
	'what was written is in the history';
put("more/n$_.md", "# Number $_\n") for 1 .. 120;
$ann->go("$at?folder=more")->wait_text(qr/Number 1/);
is $ann->script('return document.querySelectorAll(".rows > li").length + " " + document.querySelectorAll(".tree ul ul li").length'),
	'100 51', 'of many, a hundred a page, and fifty beside it';
seen($ann, 'a folder');
$ann->follow('Next')->wait_text(qr/Number 99/);

# ---- learning

$ann->go("$at/learning")->wait_text(qr/Learning\s+Off/);
$ann->script('[...document.querySelectorAll("main form button")].find(b => /Turn on/.test(b.textContent)).click()');
$ann->wait_text(qr/Learning is on\..*learned.*written by people.*waiting.*failed.*forgotten/s);
seen($ann, 'learning');
$ann->go("$at/read/pages/quarterly.md")->follow('Forget')->wait_text(qr/Its page (?:isn’t|won’t be) learned again/);
seen($ann, 'forget asks');
$ann->click('form button')->wait_text(qr/Forgotten\. Its page won’t be learned again\./);
$ann->go("$at/learning")->wait_text(qr/\b1\s+forgotten/);
like row($ann, 'Quarterly'), qr/^Forgotten Quarterly report just now It won’t be learned again\. Learn again/, '... and can be asked for';
$ann->script('[...document.querySelectorAll("main form button")].find(b => /Learn again/.test(b.textContent)).click()');
$ann->wait_text(qr/Waiting/);
is row($ann, 'Quarterly'), 'Waiting Quarterly report just now', '... waiting, then';
$ben->go("$at/learning");
is $ben->script('return document.querySelectorAll("main form").length'), 0, 'a member looks';
$db->do('UPDATE workspace SET features_on = 0, features_off = 63 WHERE id = ?', undef, $ws);
$ann->go("$at/learning")->wait_text(qr/Sleeps.*isn’t in this workspace’s plan.*You can still read and write notes/s);
seen($ann, 'a plan without it');

# ---- without scripts

my $v = Vitrine::Visitor->new($api);
$v->sign_in('ann@example.org', 'the password');
like $v->go("/w/$ws/notes")->{text}, qr/All notes/, 'without scripts: all';
like $v->go("/w/$ws/notes/read/guides/price-rules.md")->{text}, qr/Half up/, 'a note';
is $v->go("/w/$ws/notes/read/pages/absent.md")->{status}, 404, 'none';
is $v->go("/w/$ws/notes/compare/pages/absent.md")->{status}, 404, '... to be compared';
is $v->go("/w/$ws/notes?folder=absent")->{status}, 404, 'no folder';
finish($stack);
