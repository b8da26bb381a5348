# SPDX-License-Identifier: Apache-2.0
# A workspace's notes in the browser: one is written, with a preview; it is linked, changed by two at once, brought back, deleted; learned ones are corrected and
# forgotten; the page of learning. Each page is looked at in both widths and themes, and all of it works without scripts.
use utf8;
use Vitrine::Browser;
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
my $pages = 0;
sub seen {
	my ($b, $name, %o) = @_;
	is join('; ', $b->looks(sprintf 'notes-%02d-%s', ++$pages, $name =~ s/\W+/-/gr)), '', "$name has no barrier, wide and narrow, by day and by night";
	is join('; ', grep { /\Q$app\E/ && !/favicon/ && !($o{refused} && /40[0-9]/) } $b->complaints), '', "the browser has no complaint about $name";
}
sub put { my ($path, $text, $who) = @_; my $r = as($who // 'ann', PUT => "/v1/workspaces/$ws/knowledge/files/$path", { content => $text }); $r->{status} < 300 or BAIL_OUT($r->{body}); return $r->{json} }

# ---- written

$ann->go("$app/w/$ws")->follow('Notes')->wait_text(qr/Write the first note/);
is $ann->text('nav[aria-label=Main] [aria-current]'), 'Notes', 'it is a place of the workspace';
seen($ann, 'no notes');
$ann->go("$at/new")->fill('#path', 'guides/price-rules')->fill('#content', "# Price rules\n\nHalf up. See [[guides/who|who does what]] and **[[Quarterly]]**.\n\n| Client | Discount |\n|---|---|\n| Metro | 8% |\n\n<script>alert(1)</script> `[[not/a/link]]`\n");
$ann->click('button[name=preview]')->wait_text(qr/Preview, not saved yet.*Half up/s);
is as('ann', GET => "/v1/workspaces/$ws/knowledge/tree")->{json}{tree}[0], undef, 'nothing is saved by a preview';
is $ann->script('return document.getElementById("path").value'), 'guides/price-rules', '... and what was typed stands there';
seen($ann, 'a preview');
$ann->click('button.primary:not([name])')->wait_text(qr/Saved\..*Written by people/s);
like $ann->url, qr{/notes/read/guides/price-rules\.md}, 'the note is shown';
is $ann->script('return document.querySelectorAll(".prose script").length + document.querySelectorAll(".prose code a").length'), 0, 'no script, and no link within code';
is $ann->script('return [...document.querySelectorAll(".prose a")].map(a => a.textContent + ": " + a.title).join(", ")'), 'who does what: No note has this name yet, Quarterly: No note has this name yet', 'links to what isn\'t written say so';
like $ann->text('aside'), qr/Linked from\s+0.*Links to\s+2.*guides\/who\.md\s+Not written/s, 'beside it, too';
seen($ann, 'a note');
$ann->click('.prose a')->wait_text(qr/New note/);
is $ann->script('return document.getElementById("path").value'), 'guides/who.md', '... and lead to where they can be';
$ann->fill('#content', 'Above ten percent: ask Carla. Apart from [[guides/price-rules|the price rules]], nothing.')->click('button.primary:not([name])')->wait_text(qr/Saved/);
$ann->go("$at/read/guides/price-rules.md");
like $ann->text('aside'), qr/Linked from\s+1.*who\s+“Above ten percent: ask Carla. Apart from the price rules, nothing\.”/s, 'what links here, with the sentence';
is $ann->text('aside mark'), 'the price rules', '... and the words marked';
$ann->go("$at/new")->fill('#path', 'pages/mine')->fill('#content', 'x')->click('button.primary:not([name])')->wait_text(qr/learned from pages/);
seen($ann, 'a name that is not for people', refused => 1);

# ---- two editors

$ann->go("$at/edit/guides/who.md");
$ben->go("$at/edit/guides/who.md")->fill('#content', 'Carla decides.')->click('button.primary:not([name])')->wait_text(qr/Saved/);
$ann->fill('#content', 'Ann decides.')->click('button.primary:not([name])')->wait_text(qr/Carla Reyes changed this note.*Nothing is lost/s);
is $ann->script('return [document.getElementById("theirs").value.trim(), document.getElementById("content").value.trim()].join("|")'), 'Carla decides.|Ann decides.', 'both texts are there to choose from';
seen($ann, 'two editors', refused => 1);
$ann->click('button.primary:not([name])')->wait_text(qr/Saved.*Ann decides/s);
$ann->follow('History')->wait_text(qr/What changed/);
is $ann->script('return [...document.querySelectorAll(".diff tr")].map(e => e.className + ":" + e.lastElementChild.textContent).join("|")'), 'del:Carla decides.|ins:Ann decides.', 'what changed';
like $ann->text('aside'), qr/Now.*Carla Reyes/s, 'by whom';
seen($ann, 'history');
$ann->click('aside li:nth-child(2) a')->wait_text(qr/Bring this text back/);
$ann->click('form button:not([aria-label])') if 0;
$ann->script('[...document.querySelectorAll("main form button")].find(b => /Bring/.test(b.textContent)).click()');
$ann->wait_text(qr/Saved.*Carla decides/s);

# ---- learned

my $art = $api->publish($user{ann}, name => 'Quarterly report', slug => 'quarterly', visibility => 'private', workspace_id => $ws);
Vitrine::World->new($stack)->make(note => ws => $ws, art => $art, content => "---\ntitle: x\n---\n# Quarterly report\n\n42 sold.\n");
$ben->go("$at/read/pages/quarterly.md")->wait_text(qr/42 sold.*Learned from its page, version 1/s);
unlike $ben->text('.prose'), qr/title:/, 'front matter isn\'t shown';
seen($ben, 'a learned note');
$ben->follow('Edit')->wait_text(qr/Learning will leave this note alone from now on/);
$ben->fill('#content', "# Quarterly report\n\n43 sold.\n")->click('button.primary:not([name])')->wait_text(qr/43 sold.*Carla Reyes changed it just now; learning leaves it alone/s);
is $ben->script('return document.querySelector("a.danger")'), undef, 'a member deletes none';
put("more/n$_.md", "# Number $_\n") for 1 .. 120;
$ann->go("$at?folder=more")->wait_text(qr/Number 1/);
is $ann->script('return document.querySelectorAll(".rows > li").length + " " + document.querySelectorAll(".tree ul ul li").length'), '100 51', 'of many, a hundred a page, and fifty beside it';
seen($ann, 'a folder');
$ann->follow('Next')->wait_text(qr/Number 99/);

# ---- learning

$ann->go("$at/learning")->wait_text(qr/Learning\s+Off/);
$ann->script('[...document.querySelectorAll("main form button")].find(b => /Turn on/.test(b.textContent)).click()');
$ann->wait_text(qr/Learning is on\..*learned.*written by people.*waiting.*failed.*forgotten/s);
seen($ann, 'learning');
$ann->go("$at/read/pages/quarterly.md")->follow('Forget')->wait_text(qr/Its page isn’t learned again/);
seen($ann, 'forget asks');
$ann->click('form button')->wait_text(qr/Forgotten\. Its page isn’t learned again\./);
$ann->go("$at/learning")->wait_text(qr/\b1\s+forgotten/);
$ben->go("$at/learning");
is $ben->script('return document.querySelectorAll("main form").length'), 0, 'a member looks';
$db->do('UPDATE workspace SET features_on = 0, features_off = 63 WHERE id = ?', undef, $ws);
$ann->go("$at/learning")->wait_text(qr/Sleeps.*isn’t in this workspace’s plan.*Notes can be read and written as ever/s);
seen($ann, 'a plan without it');

# ---- without scripts

my $v = Vitrine::Visitor->new($api);
$v->sign_in('ann@example.org', 'the password');
like $v->go("/w/$ws/notes")->{text}, qr/All notes/, 'without scripts: all';
like $v->go("/w/$ws/notes/read/guides/price-rules.md")->{text}, qr/Half up/, 'a note';
is $v->go("/w/$ws/notes/read/pages/absent.md")->{status}, 404, 'none';
is $v->go("/w/$ws/notes?folder=absent")->{status}, 404, 'no folder';
finish($stack);
