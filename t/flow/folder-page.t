# SPDX-License-Identifier: Apache-2.0
# The folders of a workspace in the browser: made, filled, found, renamed, moved and deleted; artifacts between them, into a workspace and
# out of it; what is refused, in which words; and what somebody who is not in the workspace gets. Each page is looked at in both widths and
# both themes.
use utf8;
use Encode 'encode_utf8';
use Vitrine::Browser 'seen';
use Vitrine::Counted;
use Vitrine::Visitor;
use Vitrine::Words 'as';

my ($stack, $api, $db) = stack(workers => 1, publish_per_hour => 1000);
my $app = "https://vitrine.localhost:$stack->{port}";
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben cat eve);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for keys %user;
sub team { my ($who, $name) = @_; return as($who, POST => '/v1/workspaces', { name => $name })->{json}{workspace}{id} }
sub join_as {
	my ($who, $ws, $role) = @_;
	$db->do('INSERT INTO member (workspace_id, user_id, role, joined_at) VALUES (?, ?, ?, 0)', undef, $ws, $user{$who}{id}, $role);
}
sub published {
	my ($who, $name, %o) = @_;
	return as($who, POST => '/v1/publish',
		{ name => $name, files => [{ path => 'index.html', content => $name }], %o })->{json}{artifact}{id};
}
sub where_is {
	return $db->selectrow_array(
		'SELECT COALESCE(f.name, \'top\') FROM artifact a LEFT JOIN folder f ON f.id = a.folder_id WHERE a.id = ?', undef, $_[0]);
}
my $ws = team(ann => 'Northwind Studio');
my $theirs = team(eve => 'Elsewhere');
join_as(ben => $ws, 'member');
join_as(cat => $ws, 'admin');

my ($ann, $ben) = map { Vitrine::Browser->new($stack, @$_) } [width => 1280, height => 900], [width => 390, height => 844, dark => 1];
sub sign_in { my ($b, $who) = @_; return $b->sign_in("$who\@example.org", 'the password') }
sub make_folder {
	my ($b, $name) = @_;
	$b->click('main > div > .flow > .head > details.menu > summary')
		if !$b->script('return document.querySelector("main details.menu[open] #folder-name") !== null');
	return $b->fill('#folder-name', $name)->click('form[action$="/folders"] button');
}
sub choose { my ($b, $css, $value) = @_; $b->script('document.querySelector(arguments[0]).value = arguments[1]', $css, $value); return $b }
sub options {
	my ($b) = @_;
	return join ' ', map { s/ /_/gr } @{$b->script('return [...document.querySelectorAll("#folder option")].map(o => o.textContent)')};
}
sub id_at { my ($b) = @_; return $b->url =~ /(fld_\w+)/ }
sub menu { my ($b, $folder, $what) = @_; return $b->go("$app/w/$ws/folders/$folder")->click('main .head .menu summary')->follow($what) }

# ---- made

my $loose = published(ann => 'Client handbook', workspace_id => $ws);
sign_in($ann, 'ann');
$ann->go("$app/w/$ws");
$ann->click('main .head details.menu > summary');
seen($ann, 'a new folder is named');
make_folder($ann, 'Reports');
$ann->wait_text(qr/Folder created\..*Reports\s+Empty/s);
make_folder($ann, 'reports');
$ann->wait_text(qr/There's already a folder called reports here\./);
is $ann->script('return document.activeElement.id + " " + document.activeElement.value'), 'folder-name reports',
	'a name that is taken is told beside the field, with what was typed';
seen($ann, 'a name that is taken', refused => 1);
make_folder($ann, 'a/b');
$ann->wait_text(qr/Must not contain \/ or \\; create a folder inside the folder instead/);
$ann->complaints;
make_folder($ann, 'Clients');
$ann->wait_text(qr/Folder created\./);
is join(' ', @{$ann->script('return [...document.querySelectorAll(".folders .name")].map(e => e.textContent)')}),
	'Clients Reports', 'by name';
$ann->follow('Reports');
$ann->wait_text(qr/This folder is empty/);
my ($reports) = id_at($ann);
is $ann->text('nav[aria-label=Main] [aria-current]'), 'Artifacts', 'a folder is a place of the artifacts';
cmp_ok $ann->script('return [...document.querySelectorAll("nav[aria-label=Main] > *")].filter(e => e.checkVisibility()).length'), '<=', 6,
	'the header has six places, with More';
$ann->width(390);
$ann->reload;
cmp_ok $ann->script('return document.querySelector("header").getBoundingClientRect().height'), '<=', 64, '... and one row on a phone';
like $ann->click('.top .places > summary')->text('.top .places'), qr/Artifacts.*Members.*Settings/s, '... whose menu has them all';
$ann->width(1280);
$ann->reload;
like $ann->text('main'), qr/--workspace northwind-studio --folder \/Reports\b/, 'what to type is said';
seen($ann, 'an empty folder');
make_folder($ann, "2026 it's");
$ann->wait_text(qr/2026 it's\s+Empty/);
$ann->follow("2026 it's");
$ann->wait_text(qr/This folder is empty/);
my ($year) = id_at($ann);
like $ann->text('main'), qr{--folder '/Reports/2026 it'\\''s'}, 'quoted for a shell where that is needed';
is join(' > ', @{$ann->script('return [...document.querySelectorAll(".crumbs > *")].map(e => e.textContent + (e.href ? "" : "*"))')}),
	"Northwind Studio > Reports > 2026 it's*", 'all above it are links';

# ---- published into

my $dir = Vitrine::Stack::folder($stack->{dir}, 'Quarterly report',
	'index.html' => encode_utf8('<!doctype html><title>Q</title><h1>Q</h1>'));
$ann->choose_files('input[webkitdirectory]', $dir);
$ann->wait_text(qr/Published\. Every member of Northwind Studio can open it/);
my ($quarter) = $ann->url =~ m{/a/(art_\w+)};
is where_is($quarter), "2026 it's", 'what is dropped into a folder lies there';
is join(' > ', @{$ann->script('return [...document.querySelectorAll(".crumbs > *")].map(e => e.textContent)')}),
	"Northwind Studio > Reports > 2026 it's > Quarterly report", 'its page says where it lies';
seen($ann, 'an artifact in a folder');
is $ann->follow("2026 it's")->url, "$app/w/$ws/folders/$year", '... and leads there';
like $ann->script('return document.querySelector("header .end a.button").href'), qr{/folders/$year#publish$},
	'Publish in the header publishes there, too';
published(ann => 'Spring launch deck', workspace_id => $ws, folder_id => $reports, visibility => 'public');
published(ben => 'Notes of Ben', workspace_id => $ws, folder_id => $reports);
$ann->go("$app/w/$ws");
$ann->wait_text(qr/Clients\s+Empty\s.*Reports\s+1 folder, 2 artifacts/s);
unlike $ann->text('main'), qr/Quarterly|Spring/, 'the top level shows what lies there, and nothing deeper';
seen($ann, 'the top level');

# ---- found

$ann->follow('Reports');
$ann->wait_text(qr/Spring launch deck/);
seen($ann, 'a folder');
$ann->script('document.querySelector("form.drop").requestSubmit()');
$ann->wait_text(qr/No files were chosen/);
is $ann->text('h1'), 'Reports', 'a publish that is refused is so on the folder\'s page';
$ann->complaints;
$ann->go("$app/w/$ws/folders/$reports");
choose($ann, '#visibility', 'public');
$ann->click('form[role=search] button');
$ann->wait_text(qr/2026 it's/);
is $ann->url =~ m{/folders/$reports\?} && $ann->text('.cards') =~ /Spring/ && $ann->text('.cards') !~ /Notes/, 1,
	'a filter stays in the folder';
$ann->go("$app/w/$ws/folders/$reports")->fill('#q', 'RE')->click('form[role=search] button');
$ann->wait_text(qr/Searched all of Northwind Studio/);
like $ann->text('main'), qr{/Reports · 1 folder, 2 artifacts.*Quarterly report.*/Reports/2026 it's}s,
	'a word finds folders and artifacts anywhere, and it says where they lie';
seen($ann, 'found');
is $ann->follow('Back to Reports')->url, "$app/w/$ws/folders/$reports", 'and back';
$ann->fill('#q', 'nothing of the kind')->click('form[role=search] button');
$ann->wait_text(qr/Nothing matches/);
is $ann->follow('Show all')->url, "$app/w/$ws/folders/$reports", 'without losing the folder';

# ---- renamed, moved, refused

menu($ann, $year, 'Rename');
$ann->wait_text(qr/Rename 2026 it's/);
seen($ann, 'to rename');
as('ann', POST => "/v1/workspaces/$ws/folders", { name => '2025', parent_id => $reports });
$ann->fill('#name', '2025')->click('form button.primary');
$ann->wait_text(qr/There['’]s already a folder called 2025 here\./);
seen($ann, 'a new name that is taken', refused => 1);
$ann->fill('#name', '2026')->click('form button.primary');
$ann->wait_text(qr/Folder renamed\./);
is $ann->text('h1'), '2026', 'renamed';
menu($ann, $reports, 'Move');
$ann->wait_text(qr/Move Reports/);
is options($ann), 'Northwind_Studio,_top_level /Clients', 'a folder goes anywhere but into itself and what lies in it';
$ann->script('const o = document.querySelector("#folder option:last-child"); o.value = arguments[0]', $year);
choose($ann, '#folder', $year)->click('form button.primary');
$ann->wait_text(qr/A folder can[’']t be inside itself/);
is $ann->script('return document.querySelector("#folder").getAttribute("aria-invalid")'), 'true',
	'... and where it was made to ask for that, it is told beside the choice';
seen($ann, 'a circle', refused => 1);
menu($ann, $year, 'Move');
is options($ann), 'Northwind_Studio,_top_level /Clients /Reports /Reports/2025', 'the choice is by path';
is $ann->script('return document.querySelector("#folder").value'), $reports, '... and stands at where it lies';
seen($ann, 'to move a folder');
my ($clients) = $db->selectrow_array("SELECT id FROM folder WHERE name = 'Clients'");
choose($ann, '#folder', $clients)->click('form button.primary');
$ann->wait_text(qr/Folder moved\..*Quarterly report/s);
is join(' > ', @{$ann->script('return [...document.querySelectorAll(".crumbs > *")].map(e => e.textContent)')}),
	'Northwind Studio > Clients > 2026', 'moved, with what is in it';
my $deep = $clients;
$deep = as('ann', POST => "/v1/workspaces/$ws/folders", { name => "level $_", parent_id => $deep })->{json}{folder}{id} for 2 .. 10;
$ann->go("$app/w/$ws/folders/$deep");
make_folder($ann, 'eleventh');
$ann->wait_text(qr/Folders can be nested at most 10 deep\./);
is $ann->script('return document.querySelector("details[open] #folder-name").value'), 'eleventh',
	'ten deep is told, and what was typed is there';
seen($ann, 'ten deep', refused => 1);
menu($ann, $reports, 'Move');
choose($ann, '#folder', $deep)->click('form button.primary');
$ann->wait_text(qr/at most 10 deep/);
is $ann->script('return document.querySelector("#folder").getAttribute("aria-invalid")'), 'true', '... and beside the choice';
$ann->complaints;

# ---- an artifact, by itself and out of a list

$ann->go("$app/a/$quarter")->follow('Move');
$ann->wait_text(qr/Move Quarterly report/);
seen($ann, 'to move an artifact');
choose($ann, '#folder', $reports)->click('form[method=post] button.primary');
$ann->wait_text(qr/Moved\./);
is where_is($quarter), 'Reports', 'moved from its own page';
is $ann->url =~ m{/a/$quarter}, 1, '... which one comes back to';
$ann->go("$app/w/$ws")->click('.cards .move');
$ann->wait_text(qr/Move Client handbook/);
choose($ann, '#folder', $reports)->click('form[method=post] button.primary');
$ann->wait_text(qr/Moved\./);
is where_is($loose) . ' ' . ($ann->url =~ m{/w/$ws\?}), 'Reports 1', 'moved out of a list, which one comes back to';
$ann->go("$app/w/$ws/artifacts/$loose/move");
choose($ann, '#folder', '')->click('form[method=post] button.primary');
$ann->wait_text(qr/Moved\./);
is where_is($loose), 'top', 'and to the top';

# ---- several at once

my @three = map { published(ann => $_, workspace_id => $ws) } 'Board & <b>', 'Index', 'Minutes';
sub pick { my ($b, @ids) = @_; $b->click(qq(.pick[value="$_"])) for @ids; return $b }
$ann->go("$app/w/$ws");
is $ann->script('return document.querySelector("#move").checkVisibility()'), Cpanel::JSON::XS::false,
	'where nothing is selected nothing is offered';
pick($ann, @three[0, 1]);
seen($ann, 'artifacts are selected');
$ann->click('#move button');
$ann->wait_text(qr/Move 2 artifacts\s+(?:Board & <b> and Index|Index and Board & <b>)\. Their addresses stay the same/);
seen($ann, 'to move several');
choose($ann, '#folder', $reports)->click('form[method=post] button.primary');
$ann->wait_text(qr/Moved\./);
is join(' ', map { where_is($_) } @three), 'Reports Reports top', 'those that were selected are moved';
is $ann->url =~ m{/w/$ws\?}, 1, '... and one is back in the list';
$ann->go("$app/w/$ws/artifacts/move?from=$reports");
$ann->wait_text(qr/Select the artifacts to move first\./);
is $ann->url =~ m{/folders/$reports\?}, 1, 'none: one is back, and told';
pick($ann->go("$app/w/$ws/folders/$reports"), @three[0, 1])->click('#move button');
$ann->wait_text(qr/Move 2 artifacts/);
choose($ann, '#folder', '')->click('form[method=post] button.primary');
$ann->wait_text(qr/Moved\..*Notes of Ben/s);
is join(' ', map { where_is($_) } @three), 'top top top', 'out of a folder, in whose list one goes on';

# ---- a member, on a telephone

sign_in($ben, 'ben');
$ben->go("$app/w/$ws/folders/$reports");
$ben->wait_text(qr/Notes of Ben/);
is $ben->script('return document.querySelectorAll(".cards .move").length'), 1, 'a member may move what is theirs';
$ben->go("$app/w/$ws/artifacts/$quarter/move");
$ben->wait_text(qr/Only its owner, its editors and admins/);
seen($ben, 'not for members');
$ben->go("$app/w/$ws");
make_folder($ben, 'Of Be');
$ben->wait_text(qr/Of Be\s+Empty/);
my $tile = '.folders > li:has(a[href$="' . $db->selectrow_array("SELECT id FROM folder WHERE name = 'Of Be'") . '"])';
# Nothing is pointed at while it is looked at: colours would be on their way.
$ben->script('document.querySelector(arguments[0]).open = true', "$tile details");
seen($ben, 'what to do with a folder');
$ben->go("$app/w/$ws")->click("$tile summary");
$ben->click("$tile .menu a[href\$='/rename']");
$ben->fill('#name', 'Of Ben')->click('form button.primary');
$ben->wait_text(qr/Folder renamed\./);
is $ben->text('h1'), 'Of Ben', 'a folder is renamed from the list, with a thumb';
$db->do("UPDATE workspace SET member_access = 'none' WHERE id = ?", undef, $ws);
$ben->go("$app/w/$ws/folders/$reports");
$ben->wait_text(qr/Notes of Ben/);
unlike $ben->text('main'), qr/Quarterly|Spring/, 'who sees only what is theirs sees that in a folder';
$ben->go("$app/w/$ws");
$ben->wait_text(qr/Reports\s+1 folder, 1 artifact\b/);
# Pictures of what was open to them a moment ago.
$ben->complaints;
seen($ben, 'a member who sees what is theirs');
menu($ben, $reports, 'Delete');
$ben->wait_text(
	qr/It holds 1 folder and 1 artifact\. Folders in it are deleted too; all artifacts in them and in it \(including those you can’t see\) move up to the top level of Northwind Studio\. No artifact is deleted\./);
$ben->go("$app/w/$ws/folders/" . as('ann', POST => "/v1/workspaces/$ws/folders", { name => 'Hidden' })->{json}{folder}{id} . '/delete');
$ben->wait_text(qr/You can’t see anything in it\. If others have artifacts there, those move up/);
$db->do("UPDATE workspace SET member_access = 'viewer' WHERE id = ?", undef, $ws);

# ---- deleted

my ($bens) = $db->selectrow_array("SELECT id FROM folder WHERE name = 'Of Ben'");
menu($ann, $bens, 'Delete');
$ann->wait_text(qr/Delete Of Ben\?\s+It is empty\./);
seen($ann, 'to delete what is empty');
my $meanwhile = published(ben => 'Meanwhile', workspace_id => $ws, folder_id => $bens);
$ann->click('button.danger');
$ann->wait_text(
	qr/Not deleted: someone added something to the folder in the meantime\s+It holds 1 artifact\. Artifacts in it move up to the top level of Northwind Studio\. No artifact is deleted\./s);
seen($ann, 'not empty anymore', refused => 1);
$ann->click('button.danger');
$ann->wait_text(qr/Folder deleted\. Everything in it moved here\..*Meanwhile/s);
is where_is($meanwhile), 'top', 'what was in it moved up';
menu($ann, $clients, 'Delete');
$ann->wait_text(qr/It holds 2 folders\./);
$ann->click('button.danger');
$ann->wait_text(qr/Folder deleted\./);
is $db->selectrow_array('SELECT COUNT(*) FROM folder WHERE id = ?', undef, $deep), 0, 'with the folders in it';

# ---- many: by levels

$db->do("INSERT INTO folder (id, workspace_id, parent_id, name, name_key, created_at, updated_at) "
	. "SELECT CONCAT('fld_m', LPAD(seq, 25, '0')), ?, IF(seq > 5, 'fld_m0000000000000000000000001', NULL), CONCAT('many ', LPAD(seq, "
	. "3, '0')), CONCAT('many ', LPAD(seq, 3, '0')), 0, 0 FROM seq_1_to_220", undef, $ws);
$ann->go("$app/a/$quarter")->follow('Move');
$ann->wait_text(qr/many 002/);
is $ann->script('return document.querySelectorAll("#folder").length'), 0, 'where folders are many one goes from level to level';
$ann->follow('many 001');
$ann->wait_text(qr/Move to many 001/);
seen($ann, 'a level of many');
$ann->follow('More folders');
$ann->wait_text(qr/many 058/);
$ann->follow('many 058')->click('form[method=post] button.primary');
$ann->wait_text(qr/Moved\./);
is where_is($quarter), 'many 058', 'moved there';
pick($ann->go("$app/w/$ws"), @three[0, 2])->click('#move button');
$ann->wait_text(qr/Move 2 artifacts/);
$ann->follow('many 001');
$ann->wait_text(qr/Move to many 001/);
$ann->follow('More folders');
$ann->wait_text(qr/many 058/);
$ann->follow('many 058')->wait_text(qr/Move to many 058/);
$ann->click('form[method=post] button.primary');
$ann->wait_text(qr/Moved\./);
is join(' ', map { where_is($_) } @three), 'many 058 top many 058', 'several are chosen still, however many levels one goes through';
my ($first, $one) = map { "fld_m" . sprintf '%025d', $_ } 1, 6;
$ann->go("$app/w/$ws/folders/$first/move");
$ann->wait_text(qr/many 001, which you’re moving.*It’s already here/s);
$ann->go("$app/w/$ws/folders/$first/move?in=$one");
$ann->click('form[method=post] button.primary');
$ann->wait_text(qr/A folder can[’']t be inside itself/);
like $ann->text('main'), qr/Move to many 006/, 'refused, the level is shown still';
$ann->complaints;
$ann->go("$app/w/$ws/folders/$first");
$ann->wait_text(qr/many 065/);
seen($ann, 'many folders');
$ann->follow('More folders');
$ann->wait_text(qr/many 066/);
is $ann->follow('Back to the first page')->url, "$app/w/$ws/folders/$first", 'and back';
$ann->go("$app/w/$ws?q=many")->follow('More folders');
$ann->wait_text(qr/many 061/);
like $ann->url, qr/q=many/, 'a search goes on as one';

# ---- into a workspace, and out of it

my $diary = published(ann => 'My diary', visibility => 'public');
$ann->go("$app/a/$diary/settings");
$ann->wait_text(qr/Its members can then work on it with you/);
is join('|', @{$ann->script('return [...document.querySelectorAll("#to option")].map(o => o.textContent)')}),
	'None: yours alone|Northwind Studio', 'a choice of the workspaces that one is in';
seen($ann, 'settings of one\'s own');
choose($ann, '#to', $ws)->click('form[action$="/workspace"] button');
$ann->wait_text(
	qr/Move My diary to Northwind Studio\?\s+In Northwind Studio, every member can see it from then on\..*only they can take it out again/s);
seen($ann, 'into a workspace?');
$db->do("UPDATE workspace SET publish_policy = 'require_approval' WHERE id = ?", undef, $ws);
$ann->click('form[method=post] button.primary');
$ann->wait_text(qr/That workspace requires approval to make an artifact public; make it private first, then request approval there\./);
seen($ann, 'what must be approved', refused => 1);
$db->do("UPDATE workspace SET publish_policy = 'open' WHERE id = ?", undef, $ws);
is $ann->script('return document.querySelectorAll(".danger").length'), 0, 'which is no danger';
$ann->click('form[method=post] button.primary');
$ann->wait_text(qr/Moved to this workspace\./);
is $ann->text('.crumbs a'), 'Northwind Studio', 'it is of the workspace';
$ann->go("$app/a/$diary/settings");
$ann->wait_text(qr/You’ll confirm before it moves/);
is $ann->script('return document.querySelector("#to").value'), $ws, 'as the choice says';
seen($ann, 'settings in a workspace');
choose($ann, '#to', '')->click('form[action$="/workspace"] button');
$ann->wait_text(qr/Take My diary out of Northwind Studio\?\s+It leaves Northwind Studio at once: .*It will belong to its owner alone\./s);
seen($ann, 'out of a workspace?');
$ann->click('form[method=post] button.danger');
$ann->wait_text(qr/Moved out of the workspace\. It’s your own now\./);
is as('ann', GET => "/v1/artifacts/$diary")->{json}{artifact}{workspace_id}, undef, 'its owner\'s own again';
my ($notes) = $db->selectrow_array("SELECT id FROM artifact WHERE name = 'Notes of Ben'");
$ben->go("$app/a/$notes/settings");
$ben->wait_text(qr/It belongs to Northwind Studio\. Only its admins can take it out\./);
seen($ben, 'settings of a member\'s');
my $second = team(ann => 'Second');
$ann->go("$app/w/$ws/artifacts/$notes/move");
$ann->wait_text(qr/None: its owner’s alone/);
unlike $ann->text('#to'), qr/Second/, 'an admin is not offered a workspace that the owner is not in';
$ann->go("$app/a/$notes/workspace?to=$second")->click('form[method=post] button.danger');
$ann->wait_text(qr/The artifact's owner isn't in that workspace; first transfer the artifact to someone who is in both\./);
$ann->complaints;
$ann->go("$app/a/$notes/workspace?to=")->click('form[method=post] button.danger');
$ann->wait_text(qr/Moved out of this workspace\./);
is $ann->url, "$app/w/$ws?done=moved_out", 'who may not see it anymore comes back to the workspace';
my $bot = as('ann', POST => "/v1/workspaces/$ws/agent-tokens", { name => 'bot', scopes => ['artifacts:publish'] })->{json}{token};
my $made = $api->call(POST => '/v1/publish',
	{ token => $bot, json => { name => 'By the agent', files => [{ path => 'index.html', content => 'x' }] } })->{json}{artifact}{id};
$ann->go("$app/a/$made/workspace?to=")->click('form[method=post] button.danger');
$ann->wait_text(qr/The artifact belongs to an agent of its workspace; transfer it to a person first\./);
$ann->complaints;

# ---- who is not in it

my $inside = published(ann => 'Inside', workspace_id => $ws, folder_id => $reports);
my $absent = 'fld_' . '0' x 26;
my $other = as('eve', POST => "/v1/workspaces/$theirs/folders", { name => 'Eve' })->{json}{folder}{id};
my %come = map { my $v = Vitrine::Visitor->new($api); $v->sign_in("$_\@example.org", 'the password'); $_ => $v } qw(eve ann cat);
my @same = (headers => { 'Sec-Fetch-Site' => 'same-origin', 'Content-Type' => 'application/x-www-form-urlencoded' });
sub told {
	my ($who, $method, $path, $body) = @_;
	my $r = $come{$who}->send($method => $path, @same, $method eq 'POST' ? (body => $body // '') : ());
	return "$r->{status} " . $r->{body} =~ s/request=[0-9a-f]{32}|fld_\w+|wsp_\w+|art_\w+|request [^<]*|<code>[^<]*<\/code>//gr;
}
for (['GET', ''], [GET => '/rename'], [GET => '/move'], [GET => '/delete'], [POST => '/folders', 'name=x'], [POST => '/rename', 'name=x'],
	[POST => '/move', 'parent_id='], [POST => '/delete', '']) {
	my ($method, $rest, $body) = @$_;
	my $none = told(ann => $method, "/w/$ws/folders/$absent$rest", $body);
	like $none, qr/^404 /, "$method $rest: an absent folder";
	is told(ann => $method, "/w/$ws/folders/$other$rest", $body), $none, '... and another workspace\'s are told alike';
	is told(eve => $method, "/w/$ws/folders/$reports$rest", $body) =~ s/eve\@example\.org//gr,
		told(eve => $method, "/w/wsp_" . '0' x 26 . "/folders/$absent$rest", $body) =~ s/eve\@example\.org//gr,
		'... to an outsider it is as absent as its workspace';
}
like told(eve => $_->[0], "/w/$_->[1]/artifacts/$inside/move", 'folder_id='), qr/^404 /,
	"$_->[0]: nobody moves what is of another workspace" for map { [$_, $ws], [$_, $theirs] } qw(GET POST);
like told(ann => POST => "/w/$ws/artifacts/$inside/move", "folder_id=$other"), qr/^404 .*The workspace has no such folder\./s,
	'an artifact stays in the folders of its workspace';
like told(cat => POST => "/w/$ws/artifacts/move", "art=$inside&art=$made&folder_id=$other"), qr/^404 .*The workspace has no such folder\./s,
	'... and several';
like told(ann => POST => "/w/$ws/folders/$reports/move", "parent_id=$other"), qr/^404 .*The workspace has no such folder\./s,
	'... and a folder';
like told(ann => POST => "/w/$ws/artifacts/$inside/move", 'folder_id=x'), qr/^400 .*Choose a folder\./s, 'what is no folder is none';
is where_is($inside), 'Reports', 'nothing moved';
{
	my $of_eve = published(eve => 'Of Eve', workspace_id => $theirs);
	my ($bens) = $db->selectrow_array('SELECT id FROM artifact WHERE workspace_id = ? AND owner_id = ? LIMIT 1',
		undef, $ws, $user{ben}{id});
	my @both = sort($inside, $bens);
	$come{ben} = Vitrine::Visitor->new($api);
	$come{ben}->sign_in('ben@example.org', 'the password');
	for my $method (qw(GET POST)) {
		my $arts = sub { return $method eq 'GET' ? ("/w/$_[0]/artifacts/move?" . join('&', map { "art=$_" } @_[1 .. $#_]))
			: ("/w/$_[0]/artifacts/move", join '&', 'folder_id=', map { "art=$_" } @_[1 .. $#_]) };
		like told(eve => $method, $arts->($_, $inside)), qr/^404 /, "$method several: an outsider" for $ws, $theirs;
		like told(ann => $method, $arts->($ws, $inside, $of_eve)), qr/^404 /, '... what is of another workspace is absent';
		like told(ann => $method, $arts->($ws, $inside, 'art_x')), qr/^400 /, '... what is no artifact is none';
	}
	my $was = where_is($bens);
	like told(ben => POST => "/w/$ws/artifacts/move", join '&', "folder_id=$first", map { "art=$_" } @both),
		qr/^403 .*Nothing was moved: only its owner, its editors and workspace admins can move Inside/s,
		'one that they may not move is named';
	is where_is($inside) . ' ' . where_is($bens), "Reports $was", 'and none is moved, though one of them could be';
	like told(ann => POST => "/w/$ws/artifacts/move", 'folder_id=' . $reports), qr/^400 .*art/s, 'none is none';
	like told(ann => POST => "/w/$ws/artifacts/move", join '&', 'folder_id=', map { 'art=art_' . sprintf '%026d', $_ } 1 .. 51),
		qr/^400 /, 'more than a list shows are too many';
}
like told(cat => GET => "/a/$diary/workspace?to=$ws"), qr/^404 /, 'a stranger is not asked about it'
	if $db->do("UPDATE artifact SET visibility = 'private' WHERE id = ?", undef, $diary);
like told(ann => GET => "/a/$diary/workspace?to=$theirs"), qr/^404 /, 'nor anybody about a workspace that they are not in';
is told(ann => GET => "/a/$diary/workspace?to=$theirs"), told(ann => GET => "/a/$diary/workspace?to=wsp_" . '0' x 26),
	'... as about one that there is not';
as('ann', POST => "/v1/artifacts/$inside/collaborators", { emails => ['eve@example.org'], role => 'editor' });
my $page = told(eve => GET => "/a/$inside");
like $page, qr/^200 /, 'who is invited to an artifact alone sees its page';
unlike $page, qr/Reports|Northwind/, '... and not what folders and workspace are called';
is told(eve => GET => "/a/$inside/workspace?to=") =~ /^(\d+)/ && $1, 303, '... nor is asked about its workspace';

# ---- what it costs

Vitrine::Counted::still($stack);
my $top = published(ann => 'At the top', workspace_id => $ws);
my %took;
for my $at ([at_top => $top], [in_folder => $inside]) {
	$come{ann}->send(GET => "/a/$at->[1]$_") for '', '/versions';
	for my $tab ('', '/versions', '/sharing') {
		my (undef, $text) = Vitrine::Counted::counted($db, sub { $come{ann}->send(GET => "/a/$at->[1]$tab") });
		($took{$at->[0]}{$tab}) = $text =~ /execute=(\d+)/;
	}
}
is $took{in_folder}{$_} - $took{at_top}{$_}, 1, "an artifact's page ($_) says where it lies by one statement"
	for sort keys %{$took{at_top}};
Vitrine::Counted::go_on($stack);
finish($stack);
