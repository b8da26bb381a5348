# SPDX-License-Identifier: Apache-2.0
# Sharing with people outside of a workspace, in browsers and by a real mail server: an admin shares a folder, an artifact, a folder to add
# to, and a file; somebody without an account comes by the mail's link and sees exactly that, comments, adds a page, and downloads; it is
# stopped, and gone at the next request. Nothing else of the workspace is there for them. Each page is looked at in both widths and both
# themes.
use utf8;
use Vitrine::Browser 'seen';
use Vitrine::Smtp;
use Vitrine::Visitor;
use Vitrine::Words 'as';

my $smtp = Vitrine::Smtp->new;
my ($stack, $api, $db) = stack($smtp->conf, publish_per_hour => 1000);
my $app = "https://vitrine.localhost:$stack->{port}";
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben cat);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for keys %user;
$db->do("UPDATE user SET name = 'Ann Archer' WHERE id = ?", undef, $user{ann}{id});
my $ws = as('ann', POST => '/v1/workspaces', { name => 'Northwind Studio' })->{json}{workspace}{id};
$stack->seat($ws, $user{ben}, 'member');
as('ann', PUT => "/v1/workspaces/$ws/branding",
	{ color => '#b4532a', support_email => 'help@northwind.example', footer => 'Northwind Studio' });
sub folder {
	my ($name, $in) = @_;
	return as('ann', POST => "/v1/workspaces/$ws/folders", { name => $name, parent_id => $in })->{json}{folder}{id};
}
sub published {
	my ($name, %o) = @_;
	return as('ann', POST => '/v1/publish',
		{ name => $name, files => [{ path => 'index.html', content => "<title>$name</title><p>This is $name." }],
			workspace_id => $ws, %o })->{json}{artifact}{id};
}
my ($clients, $drop, $hidden) = map { folder($_) } 'Harbour Foods', 'Drop-off', 'Payroll';
my $deep = folder('Maps', $clients);
my $report = published('Quarterly report');
my $map = published('Store map', folder_id => $clients);
my $shelf = published('Shelf planner', folder_id => $deep);
my $secret = published('Salaries', folder_id => $hidden);
my $upload = as('ann', POST => "/v1/workspaces/$ws/assets/upload", { filename => 'Price list.txt' })->{json};
my $sent = $api->call(PUT => $upload->{uploadUrl} =~ s/^\Q$app\E//r,
	{ body => 'apples 3, pears 4', type => 'application/octet-stream' })->{json};
my $file = as('ann', POST => "/v1/workspaces/$ws/assets/deliverables",
	{ blobId => $sent->{blobId}, visibility => 'workspace' })->{json}{deliverable}{id};

my $ann = Vitrine::Browser->new($stack, width => 1280, height => 900);
sub choose { my ($b, $css, $value) = @_; $b->script('document.querySelector(arguments[0]).value = arguments[1]', $css, $value); return $b }
sub share {
	my ($b, $at, $with, $can, %o) = @_;
	$b->go("$app/w/$ws/$at/share")->fill('#with', $with);
	choose($b, '#capability', $can);
	choose($b, '#until', $o{until}) if $o{until};
	$b->fill('#message', $o{message}) if $o{message};
	return $b->click('form[action$="/share"] button.primary');
}

# ---- an admin shares

$ann->sign_in('ann@example.org', 'the password');
$ann->go("$app/a/$report/sharing")->wait_text(qr/The plan of Northwind Studio doesn’t include sharing with people outside\. See plans/);
$ann->go("$app/w/$ws/artifacts/$report/share")->wait_text(qr/plan/);
seen($ann, 'a plan that lacks it', refused => 1);
$stack->ctl(qw(workspace feature), $ws, qw(external_sharing on));
$ann->go("$app/a/$report/sharing")->wait_text(qr/People outside Northwind Studio.*No one outside has access/s);
seen($ann, 'an artifact that no one outside has');
$ann->click('#outside a.button')->wait_text(qr/Share “Quarterly report”.*No one outside Northwind Studio\./s);
is $ann->script('return [...document.querySelectorAll("#capability option")].map(o => o.textContent).join(", ")'),
	'Can view, Can comment, Can edit', 'an artifact takes these';
seen($ann, 'a form that shares');
share($ann, "artifacts/$report", 'harbour', 'view')->wait_text(qr/Must be an e-mail address, or the name of a client of the workspace\./);
is $ann->script('return document.activeElement.id + " " + document.activeElement.value'), 'with harbour',
	'what is no address is told beside its field, with what was typed';
seen($ann, 'an address that is none', refused => 1);
share($ann, "artifacts/$report", 'ben@example.org', 'view')->wait_text(qr/member of the workspace/);
is $ann->script('return document.activeElement.id'), 'with', 'so is a member';
$ann->go("$app/w/$ws/artifacts/$report/share")
	->script('document.querySelector("#until").removeAttribute("min"); document.querySelector("#until").value = "2001-01-01"');
$ann->fill('#with', 'priya@harbourfoods.example')->click('form[action$="/share"] button.primary')->wait_text(qr/in the future/);
is $ann->script('return document.activeElement.id'), 'until', '... and a day that is over, beside its own';
$ann->complaints;
share($ann, "artifacts/$report", 'priya@harbourfoods.example', 'view', until => '2029-11-30', message => 'Is October right?')->wait_text(
	qr/Shared\. They get an e-mail with the link\..*priya\@harbourfoods\.example\s+Until\s+November 30, 2029\s+Hasn’t signed in yet/s);
seen($ann, 'an artifact that is shared');
choose($ann, '.rows select', 'comment')->click('.rows form.bar button')->wait_text(qr/Saved\./);
is join(' ', $db->selectrow_array('SELECT capability, expires_at FROM share_grant WHERE resource_id = ?', undef, $report)),
	'comment 1890777599', 'changed, and the day stays';
my $client = as('ann', POST => "/v1/workspaces/$ws/sharees", { name => 'Harbour Foods' })->{json}{sharee}{id};
as('ann', POST => "/v1/workspaces/$ws/sharees/$client/members", { email => 'priya@harbourfoods.example' });
share($ann, "folders/$clients", 'harbour foods',
	'view')->wait_text(qr/Shared\. Everyone at the client can open it now\..*Harbour Foods\s+Client, 1 person/s);
is $ann->script('return [...document.querySelectorAll("#known option")].map(o => o.value + "=" + o.textContent).join(" ")'),
	'Harbour Foods=Client, 1 person priya@harbourfoods.example=', 'whom the workspace knows is offered';
seen($ann, 'a folder that a client has');
$ann->go("$app/w/$ws/artifacts/$shelf/share")
	->wait_text(qr/Harbour Foods\s+Client, 1 person, through the folder Harbour Foods\s+Can view\s+Change/s);
seen($ann, 'what a client has through a folder');
$ann->go("$app/a/$map/sharing")->wait_text(
	qr/People outside Northwind Studio\s+Share\s+HF\s+Harbour Foods\s+Client, 1 person, through the folder Harbour Foods\s+Can view/is);
seen($ann, 'an artifact that a client has');
$ann->go("$app/w/$ws/folders/$drop")->click('main .head .menu summary')->follow('Share')->wait_text(qr/Share “Drop-off”/);
share($ann, "folders/$drop", 'priya@harbourfoods.example', 'create')->wait_text(qr/Shared\./);
$ann->go("$app/w/$ws/library/$file")->follow('Share with someone')->wait_text(qr/Share “Price list\.txt”/);
is $ann->script('return [...document.querySelectorAll("#capability option")].map(o => o.textContent).join(", ")'), 'Can view, Can edit',
	'a file takes these';
share($ann, "library/$file", 'priya@harbourfoods.example', 'edit')->wait_text(qr/Shared\./);
seen($ann, 'a file that is shared');

# ---- who may not share

my $ben = Vitrine::Visitor->new($api);
$ben->sign_in('ben@example.org', 'the password');
is $ben->go("/w/$ws/artifacts/$report/share")->{status}, 403, 'a member has no such page';
unlike $ben->go("/a/$report/sharing")->{body}, qr/People outside|priya|See plans/, '... and no list of who outside has it';
unlike $ben->go("/w/$ws/folders/$drop")->{body}, qr{/share"}, '... and no way there';

# ---- the mail

sub letter {
	my ($to, $like) = @_;
	$stack->runner;
	my ($m) = grep { $_->{headers}{to} =~ /\Q$to\E/ && $_->{headers}{subject} =~ $like } $smtp->mails;
	return $m // die "no mail to $to\n";
}
my $mail = letter('priya@harbourfoods.example', qr/Quarterly report/);
is $mail->{headers}{subject}, 'Ann Archer shared Quarterly report with you', 'the subject says who and what';
my ($text, $html) = @{$mail->{parts}}{'text/plain', 'text/html'};
like $text,
	qr/Ann Archer of Northwind Studio shared Quarterly report with you.*An account is free\..*Is October right\?.*Open it:\n\Q$app\E\/auth\/password\/set\?link=\w+\n.*works once, until .*If you don’t know Ann Archer, you can ignore/s,
	'the text says all of it';
like $html, qr/#b4532a.*Northwind Studio.*<a href="\Q$app\E\/auth\/password\/set\?link=\w+" [^>]*>Open it</s,
	'in the workspace\'s color, with a button';
like letter('priya@harbourfoods.example', qr/invites you/)->{parts}{'text/plain'},
	qr/Ann Archer invites you to see the pages and files that Northwind Studio shares with Harbour Foods/,
	'and so was the invitation to the client';
if (my $dir = $ENV{VITRINE_SCREENSHOTS}) {
	Vitrine::Stack::spew("$stack->{dir}/mail.html", $html =~ s/([^\x00-\x7f])/sprintf '&#%d;', ord $1/ger);
	my $b = Vitrine::Browser->new($stack);
	$b->go("file://$stack->{dir}/mail.html");
	$b->looks('shared-mail');
}

# ---- Priya, who has no account, comes by it

my $priya = Vitrine::Browser->new($stack, width => 1280, height => 900);
my ($link) = $text =~ m{(\Q$app\E/auth/password/set\?link=\w+)};
$priya->go($link)->wait_text(qr/password/i);
seen($priya, 'a guest chooses a password');
$priya->fill('#name', 'Priya Nair')->fill('#password', 'seven lame green herons')->click('form button.primary');
my $shown = $priya->wait_text(qr/Shared with you/);
is $priya->url, "$app/shared", 'what is shared is where she comes to';
like $shown, qr/By Northwind Studio, for Harbour Foods\. You see only what is listed here\./, 'by whom, for whom';
is $priya->title, 'Shared with you · Northwind Studio', 'in the workspace\'s name';
is $priya->script('return document.querySelector(".band rect").getAttribute("fill")'), '#b4532a', '... and its color';
sub listed {
	my ($b) = @_;
	return join ', ', sort @{$b
		->script('return [...document.querySelectorAll("main :is(.folders, .cards, .rows) .name")].map(e => e.textContent)')};
}
is listed($priya), 'Drop-off, Harbour Foods, Price list.txt, Quarterly report', 'exactly that';
like $shown,
	qr/Drop-off\s+You can add to it\s+Harbour Foods\s+Can view\s+Quarterly report\s+Can comment\s+Until November 30, 2029.*Comments\s+of Quarterly report\s+Price list\.txt\s+Can edit/s,
	'with what she can do, and until when';
seen($priya, 'what is shared with somebody');
$priya->follow('Harbour Foods')->wait_text(qr/Store map/);
is $priya->url, "$app/shared/folders/$clients", 'a folder has a page';
is listed($priya), 'Maps, Store map', 'with what lies in it';
seen($priya, 'a folder that is shared');
$priya->follow('Maps')->wait_text(qr/Shelf planner/);
is join(' > ', @{$priya->script('return [...document.querySelectorAll(".crumbs > *")].map(e => e.textContent)')}),
	'Shared with you > Harbour Foods > Maps', 'and what is in the folders in it';
$priya->follow('Shelf planner')->wait_text(qr/This is Shelf planner\./);
like $priya->url, qr{^https://shelf-planner\S*\.pages\.localhost}, 'an artifact opens at its own address, private as it is';
is $priya->go("$app/shared/artifacts/$shelf")->text('h1'), 'Shelf planner', 'it has a page among what is shared, too';
unlike $priya->text('main'), qr/Comment|version/i, '... without comments, which she can only make where she may';

# ---- she comments

$priya->go("$app/shared")->follow('Comments')->wait_text(qr/No comments yet/);
is $priya->url, "$app/shared/artifacts/$report", 'what people say of an artifact is there';
seen($priya, 'no comments');
$priya->fill('#text', 'October <b>is</b> wrong.')->click('#write button.primary')->wait_text(qr/October <b>is<\/b> wrong\./);
seen($priya, 'a comment');
$ann->go("$app/a/$report/comments")->wait_text(qr/Priya Nair.*October <b>is<\/b> wrong/s);
$ann->follow('Reply');
$ann->fill('#text', 'Thank you, mended.')->click('#write button.primary')->wait_text(qr/Thank you, mended\./);
$priya->reload;
like $priya->text('main'), qr/Ann Archer.*Thank you, mended\./s, 'she is answered';
unlike $priya->text('main'), qr/ann\@example/, '... without an address of a member';
$priya->follow('Edit')->fill('#edit',
	'October is wrong by 3.')->click('form:has(#edit) button')->wait_text(qr/wrong by 3\..*edited|edited.*wrong by 3\./s);
$priya->go("$app/shared/artifacts/$report")->follow('Delete');
$priya->wait_text(qr/Delete the comment by/);
$priya->click('button.danger')->wait_text(qr/Comment deleted\./);
is $priya->url, "$app/shared/artifacts/$report?done=comment_deleted", 'what she said she can take back';

# ---- she adds a page

$priya->go("$app/shared")->follow('Drop-off')->wait_text(qr/This folder is empty.*Add to Drop-off/s);
seen($priya, 'a folder to add to');
Vitrine::Stack::spew("$stack->{dir}/photos.html", '<title>Photos</title><p>Photos of the site.');
$priya->attach('#files', "$stack->{dir}/photos.html");
$priya->click('#add button.primary')->wait_text(qr/Photos\s+Can edit.*Published\. Its new version is live\./s);
my ($made) = $priya->url =~ m{/shared/artifacts/(art_\w+)};
is join(' ', $db->selectrow_array('SELECT folder_id, visibility, owner_id FROM artifact WHERE id = ?', undef, $made)),
	"$drop private $user{ann}{id}", 'it lies there, private, the workspace owner\'s';
seen($priya, 'a page that she has added');
Vitrine::Stack::spew("$stack->{dir}/photos.html", '<title>Photos</title><p>More photos of the site.');
$priya->attach('#files', "$stack->{dir}/photos.html");
$priya->click('#publish button')->wait_text(qr/Published\./);
is $db->selectrow_array('SELECT live_no FROM artifact WHERE id = ?', undef, $made), 2, 'she publishes another version';
$priya->follow('Open')->wait_text(qr/More photos of the site/);
$priya->go("$app/shared/folders/$drop")->wait_text(qr/Photos\s+Can edit/);
seen($priya, 'a folder that she has added to');
$ann->go("$app/w/$ws/folders/$drop")->wait_text(qr/Photos/);

# ---- she downloads the file

$priya->go("$app/shared");
my $bytes = $priya->script_async('const done = arguments[0]; fetch(document.querySelector(".rows a.name").href).then(async r => '
	. 'done(r.status + " " + r.headers.get("content-disposition").split(";")[0] + " " + await r.text()))');
is $bytes, '200 attachment apples 3, pears 4', 'the file is hers to download';

Vitrine::Stack::spew("$stack->{dir}/prices.txt", 'apples 4');
$priya->attach('.rows input[type=file]', "$stack->{dir}/prices.txt");
$priya->click('.rows form button')->wait_text(qr/Uploaded\. It is the latest version now\./);
is join(' ', $db->selectrow_array('SELECT d.version, b.filename, b.user_id = ? FROM deliverable d JOIN asset_blob b ON b.id = d.blob_id '
		. 'WHERE d.id = ?', undef, $db->selectrow_array("SELECT id FROM user WHERE name = 'Priya Nair'"), $file)), '2 prices.txt 1',
	'where she may edit it, it takes a version';
seen($priya, 'a version that she has added');

# ---- nothing else of the workspace is there

my $visit = Vitrine::Visitor->new($api);
$visit->sign_in('priya@harbourfoods.example', 'seven lame green herons');
is $visit->{page}{path}, '/shared', 'whoever has nothing else comes there whenever they sign in';
for my $path ("/w/$ws", "/w/$ws/folders/$clients", "/w/$ws/library", "/w/$ws/library/$file", "/w/$ws/members", "/w/$ws/settings",
	"/w/$ws/folders/$drop/share", "/shared/folders/$hidden", "/shared/artifacts/$secret", "/a/$secret", "/w/$ws/context") {
	is $visit->go($path)->{status}, 404, "there is no $path";
}
is $visit->go("/a/$report/versions")->{status}, 403, 'nor an artifact\'s own pages';
$visit->go("/a/$report");
is $visit->{page}{path}, "/shared/artifacts/$report", '... but its address leads to what is shared';
my $token = $stack->ctl(qw(token mint --user priya@harbourfoods.example));
sub hers { my ($path) = @_; return $api->call(GET => $path, { token => $token }) }
is_deeply hers('/v1/artifacts')->{json}{artifacts}, [], 'her list has nothing of it';
is_deeply hers('/v1/workspaces')->{json}{workspaces}, [], 'she is in no workspace';
my $home = $visit->go('/')->{body};
like $home, qr{href="/a/\Q$report\E/review\?thread=[^"]*">.*answered you on <b>Quarterly}, 'she reads in her inbox that she was answered';
unlike $home, qr/Northwind|Quarterly(?!<\/b>| report<\/b>)/, '... and her own pages have no other word of it';
is hers("/v1/workspaces/$ws/people?q=a")->{status}, 404, 'nobody is picked from';
unlike as('ann', GET => "/v1/workspaces/$ws/members")->{body}, qr/harbourfoods/, 'nor is she among the members';
unlike $ann->go("$app/w/$ws/members")->text, qr/harbourfoods/, '... on their page';

# ---- it is stopped

$ann->go("$app/w/$ws/artifacts/$report/share")->click('form[action$="/stop"] button')
	->wait_text(qr/Stopped\. They no longer have access\./);
seen($ann, 'stopped');
is $priya->go("$app/shared/artifacts/$report")->text('h1'), 'Page not found', 'gone at the next request';
unlike $priya->go("$app/shared")->text, qr/Quarterly report/, '... and from her list';
$priya->complaints;
for my $at ("folders/$clients", "folders/$drop", "library/$file") {
	$ann->go("$app/w/$ws/$at/share")->click('form[action$="/stop"] button')->wait_text(qr/Stopped\./);
}
$priya->go("$app/shared")->wait_text(qr/Photos/);
is listed($priya), 'Photos', 'what she made is hers to edit still';
$ann->go("$app/w/$ws/artifacts/$made/share")->click('form[action$="/stop"] button')->wait_text(qr/Stopped\./);
$priya->go("$app/shared")->wait_text(qr/Nothing is shared with you anymore/);
seen($priya, 'nothing any more');

# ---- somebody who has things of their own, from several workspaces

my $theirs = as('cat', POST => '/v1/workspaces', { name => 'Metro Bikes' })->{json}{workspace}{id};
$stack->ctl(qw(workspace feature), $theirs, qw(external_sharing on));
my $bikes = as('cat', POST => '/v1/publish',
	{ name => 'Bikes', files => [{ path => 'index.html', content => 'x' }], workspace_id => $theirs })->{json}{artifact}{id};
my $own = as('cat', POST => '/v1/publish', { name => 'Tea', files => [{ path => 'index.html', content => 'x' }] })->{json}{artifact}{id};
as('cat', POST => "/v1/artifacts/$own/collaborators", { emails => ['ben@example.org'], role => 'viewer' });
as('cat', POST => "/v1/workspaces/$theirs/share-person",
	{ email => 'ben@example.org', resource_type => 'artifact', resource_id => $bikes, capability => 'edit' });
$ben->go('/shared');
like $ben->{page}{body},
	qr{aria-current="page">Shared with me<.*<h2>Metro Bikes</h2>.*>Bikes<.*>Can edit.*<h2>Shared by other people</h2>.*>Tea<}s,
	'a section for each workspace, and what people share below';
my $bens = Vitrine::Browser->new($stack, width => 390, height => 844, dark => 1);
$bens->sign_in('ben@example.org', 'the password');
$bens->go("$app/shared")->wait_text(qr/Metro Bikes/);
seen($bens, 'what several share');
finish($stack);
