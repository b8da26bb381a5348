# SPDX-License-Identifier: Apache-2.0
# A person's day in the browser: what the service is, signing in, dropping a folder, a private page, sharing it, a new version, back to the
# old one, the trash, a token with which the client publishes. Each page is looked at in both widths and both themes.
use utf8;
use Encode 'encode_utf8';
use Vitrine::Browser;
use Vitrine::Words;

my ($stack, $api) = stack(publish_per_hour => 1000);
my $app = "https://vitrine.localhost:$stack->{port}";
for my $who (qw(ann ben)) {
	$stack->ctl(qw(user add), "$who\@example.org");
	$stack->ctl_in("the password\n", qw(user password), "$who\@example.org");
}
my ($ann, $ben) = map { Vitrine::Browser->new($stack, @$_) } [width => 1280, height => 900], [width => 390, height => 844, dark => 1];

my $pages = 0;
sub seen {
	my ($b, $name, %o) = @_;
	is join('; ', $b->looks(sprintf 'home-%02d-%s', ++$pages, $name =~ s/\W+/-/gr)), '',
		"$name has no barrier, wide and narrow, by day and by night";
	is join('; ', grep { /\Q$app\E/ && !/favicon/ && !($o{missing} && /40[0-9]|413/) } $b->complaints), '',
		"the browser has no complaint about $name";
}
sub sign_in {
	my ($b, $who) = @_;
	$b->follow('Sign in');
	$b->fill('#email', "$who\@example.org")->fill('#password', 'the password')->click('form button.primary');
}
sub files {
	my ($name, %files) = @_;
	my $dir = Vitrine::Stack::folder($stack->{dir}, $name, map { $_ => encode_utf8($files{$_}) } keys %files);
	return map { "$dir/$_" } sort keys %files;
}
# What the person chooses in the file dialog.
sub choose { my ($b, @paths) = @_; return $b->choose_files('input[multiple]', @paths) }
sub choose_folder { my ($b, $path) = @_; return $b->choose_files('input[webkitdirectory]', $path =~ s{/[^/]*$}{}r) }

# ---- a stranger

$_->go("$app/") for $ann, $ben;
$ann->wait_text(qr/Publish a folder\. Get an address\./);
seen($ann, 'the front page');
seen($ben, 'the front page, narrow and dark');
$ann->go("$app/nothing/here");
$ann->wait_text(qr/Page not found/);
seen($ann, 'an address that is none', missing => 1);
$ann->go("$app/");

# ---- signs in, and publishes

sign_in($ann, 'ann');
$ann->wait_text(qr/Publish your first folder/);
is $ann->url, "$app/", 'at home';
seen($ann, 'home, empty');
choose_folder($ann,
	files('Ünïcode <b> report', 'index.html' => '<!doctype html><title>R</title><h1>The first</h1><link rel=stylesheet href=style.css>',
		'style.css' => 'h1{color:rgb(0,102,0)}', '.env' => 'SECRET=1'));
$ann->wait_text(qr/Published\. Only you can open it\./);
my ($id) = $ann->url =~ m{/a/(art_\w+)};
ok $id, 'it has a page of its own';
is $ann->text('.notice.ok a'), 'Share', '... which offers to share it';
is $ann->script('return document.querySelector("h1").textContent'), 'Ünïcode <b> report', 'named after its folder';
like $ann->text('main'), qr/Private/, 'private';
seen($ann, 'an artifact');
my $site = $ann->script('return document.querySelector(".copy a").href');
my $art = $stack->db->selectrow_hashref('SELECT * FROM artifact WHERE id = ?', undef, $id);
is $art->{visibility}, 'private';
is join(' ', map { @$_ } @{$stack->db->selectall_arrayref('SELECT path FROM version_file WHERE artifact_id = ? ORDER BY path',
	undef, $id)}), 'index.html style.css', 'hidden files are left out';
$ann->follow('Open');
$ann->wait_text(qr/The first/);
is $ann->script('return getComputedStyle(document.querySelector("h1")).color'), 'rgb(0, 102, 0)', 'with its style, at its own address';

# ---- two pages, neither of which is index.html

$ann->go("$app/");
my @two = files('two', 'about.html' => '<!doctype html><title>A</title><h1>About</h1>',
	'zoo.html' => '<!doctype html><title>Z</title><h1>Zoo</h1>');
ok !$ann->script('return document.querySelector("[name=entrypoint]").checkVisibility()'),
	'which page opens first is not asked of everybody';
choose_folder($ann, @two);
$ann->wait_text(qr/There is no index\.html.*(?:about\.html, zoo|zoo\.html, about)\.html/s);
is $ann->script('const e = document.querySelector("[name=entrypoint]"); return [e.checkVisibility(), e.getAttribute("aria-invalid"), '
	. 'document.activeElement === e].join()'), 'true,true,true', 'but of whoever must say';
is $ann->script('return document.querySelectorAll(".notice.bad").length'), 0, 'beside the field alone';
seen($ann, 'which page opens first', missing => 1);
choose_folder($ann, @two);
$ann->fill('[name=entrypoint]', 'none.html')->click('form.drop button');
$ann->wait_text(qr/none\.html isn't one of the files/);
$ann->complaints;
choose_folder($ann, @two);
$ann->fill('[name=entrypoint]', 'zoo.html')->click('form.drop button');
$ann->wait_text(qr/Published\. Only you can open it\./);
is $stack->db->selectrow_array('SELECT entrypoint FROM version WHERE artifact_id = ?', undef, $ann->url =~ m{/a/(art_\w+)}), 'zoo.html',
	'and what they say is done';

# ---- shares it

$ann->go("$app/a/$id/sharing");
seen($ann, 'sharing');
$ann->fill('#email', 'ben@example.org')->click('form[action$="/people"] button');
$ann->wait_text(qr/Invited\..*ben\@example\.org/s);
sign_in($ben, 'ben');
$ben->wait_text(qr/Artifacts/);
$ben->go("$app/shared");
$ben->wait_text(qr/report/);
seen($ben, 'shared with me, narrow and dark');
$ben->click('.cards a.name');
$ben->wait_text(qr/Recent versions/i);
unlike $ben->text('main'), qr/Publish version|Settings/, 'a viewer is not offered what only others may';
seen($ben, 'an artifact, narrow and dark');
$ben->go($site);
$ben->wait_text(qr/The first/);

# ---- a new version, and back

$ann->go("$app/a/$id");
choose($ann, files('report', 'index.html' => '<!doctype html><title>R</title><h1>The second</h1>'));
$ann->wait_text(qr/Version 2 is live/);
$ben->reload;
$ben->wait_text(qr/The second/);
$ann->follow('All versions');
$ann->wait_text(qr/No message/);
seen($ann, 'versions');
$ann->click('form[action$="/versions/1/live"] button');
$ann->wait_text(qr/This version is live now/);
$ben->reload;
$ben->wait_text(qr/The first/);
pass 'rolled back';
$ann->go("$app/a/$id/files");
like $ann->text('main'), qr/index\.html.*style\.css/s, 'its files';
seen($ann, 'files');

# ---- settings, visibility

$ann->go("$app/a/$id/settings");
seen($ann, 'settings');
$ann->fill('#name', 'Q3 "report" & more')->fill('#slug', 'q3-report')->click('form[action$="/settings"] button');
$ann->wait_text(qr/Saved\./);
is $ann->script('return document.querySelector("h1").textContent'), 'Q3 "report" & more', 'a new name';
is $ann->script('return document.querySelector(".copy a").textContent'), "https://q3-report.pages.localhost:$stack->{port}/",
	'a new address';
$ann->go("$app/a/$id/sharing")->click('input[value=public]')->click('aside form[action$="/visibility"] button');
$ann->wait_text(qr/It is public now/);
is $api->get_site('q3-report', '/')->{status}, 200, 'anybody sees it';
$ann->click('form[action$="/people/remove"] button');
$ann->wait_text(qr/no longer have access/);
$ann->go("$app/a/$id/sharing")->fill('#email', 'ann@example.org')->click('form[action$="/people"] button');
$ann->wait_text(qr/is the owner\./);
is $ann->script('return document.activeElement.value'), 'ann@example.org', 'what was refused is there to be mended';
seen($ann, 'a refusal', missing => 1);
$ann->go("$app/");
$ann->fill('#q', 'q3')->click('form[role=search] button');
$ann->wait_text(qr/Q3 "report" & more/);
seen($ann, 'home');
$ann->fill('#q', 'nothing of the kind')->click('form[role=search] button');
$ann->wait_text(qr/Nothing matches/);

# ---- the trash

$ann->go("$app/a/$id/settings")->follow('Delete artifact');
$ann->wait_text(qr/Delete Q3 "report" & more\?/);
seen($ann, 'to delete?');
$ann->click('button.danger');
$ann->wait_text(qr/Deleted\./);
is $api->get_site('q3-report', '/')->{status}, 404, 'gone';
$ann->follow('Trash');
like $ann->text('.cards'), qr/Deleted just now\s+Restore/, 'the trash says since when it is there';
$ann->click('.cards form[action$="/restore"] button');
$ann->wait_text(qr/Restored\./);
$ann->go("$app/a/$id/delete")->click('button.danger');
$ann->wait_text(qr/Deleted\./);
$ann->follow('Trash');
$ann->click('.cards a.name');
$ann->wait_text(qr/This artifact is in the trash/);
seen($ann, 'in the trash');
$ann->click('form[action$="/restore"] button');
$ann->wait_text(qr/Restored\./);
is $api->get_site('q3-report', '/')->{status}, 200, 'and back';

# ---- a token, with which the client publishes; revoked

$ann->go("$app/auth/account");
seen($ann, 'account');
$ann->fill('#token-name', 'CI')->click('form[action$="/tokens"] button');
$ann->wait_text(qr/Copy your new token now/);
seen($ann, 'a new token');
my $token = $ann->script('return document.querySelector(".copy span").textContent');
my ($file) = files('by-client', 'index.html' => '<!doctype html><title>C</title>By the client');
my ($status, $out, $err) = $stack->client($token, 'publish', $file =~ s{/[^/]*$}{}r, '--slug', 'by-client', '--visibility', 'public',
	'--quiet');
is "$status $out", "0 https://by-client.pages.localhost:$stack->{port}/\n", 'the client publishes with it' or diag $err;
is $api->call(DELETE => "/v1/artifacts/$id", { token => $token })->{status}, 200, 'which may do what its scope says';
is $api->call(GET => '/v1/auth/sessions', { token => $token })->{json}{code}, 'INSUFFICIENT_SCOPE', 'and no more';
$ann->go("$app/auth/account")->click('form[action$="/revoke"] button');
$ann->wait_text(qr/No tokens yet/);
is $api->call(GET => '/v1/artifacts', { token => $token })->{json}{code}, 'TOKEN_REVOKED', 'revoked at once';

# ---- names of any length and script, on a small telephone, and twice as large on a desk

my $tokens = $stack->ctl(qw(token mint --user ben@example.org --name), 'W' x 200);
my $long = $api->publish({ token => $tokens }, name => 'W' x 200, slug => 'a' x 63, visibility => 'unlisted',
	files => { ('p' x 240) . '.html' => 'x' }, message => 'm' x 900);
my $right = $api->publish({ token => $tokens }, name => "\x{5e9}\x{5dc}\x{5d5}\x{5dd} \x{1f600}" x 20, files => { 'index.html' => 'x' });
# Where one is among an artifact's pages is always to be seen.
my $current = 'return [...document.querySelectorAll("nav:not(.crumbs) [aria-current=page]")].filter(e => e.checkVisibility()).map(e => '
	. '{ const r = e.getBoundingClientRect(), n = e.closest("nav"); '
	. 'return r.left >= 0 && r.right <= innerWidth && n.scrollWidth <= n.clientWidth ? "seen" : `hidden: ${e.textContent}` }).join()';
for my $width (320, 640) {
	$ben->width($width);
	for my $page ('/', "/a/$long", "/a/$long/versions", "/a/$long/files", "/a/$long/sharing", "/a/$long/settings", "/a/$right",
		"/a/$long/delete", '/auth/account', '/inbox', '/trash') {
		$ben->go("$app$page");
		is join('; ', $ben->barriers), '', "$width pixels: " . ($page =~ s/$long|$right/…/r) . ' fits';
		unlike $ben->script($current), qr/hidden/, 'and shows where one is';
		$ben->screenshot("long-$width-" . ($page =~ s{$long|/}{-}gr)) if $width == 320;
	}
}
for my $width (320, 390) {
	$ben->width($width);
	for my $tab ('', qw(/versions /files /data /data/tables /data/blobs /data/alerts /jobs /comments /sharing /settings)) {
		$ben->go("$app/a/$right$tab");
		my ($nav, @more) = split /,/, $ben->script($current);
		is join(',', $nav // 'none', @more), join(',', ('seen') x (($tab =~ /data|comments/) + 1)),
			"$width pixels: the tab of " . ($tab || 'the overview') . ' can be seen';
		is join('; ', grep { /wider/ } $ben->barriers), '', 'on a page that fits';
		$ben->screenshot("tabs-$width-" . ($tab =~ s{/}{-}gr));
	}
	$ben->click('details.choose-one > summary');
	ok $ben->script('const e = document.documentElement; return e.scrollWidth <= e.clientWidth'),
		"$width pixels: the menu of visibilities makes the page no wider";
	$ben->screenshot("visibility-$width");
}
$ben->width(390);

# ---- no script at all, and what does not fit

$ben->go("$app/");
$ben->script('document.body.append(Object.assign(document.createElement("form"), { id: "bare", method: "post", enctype: '
	. '"multipart/form-data", action: "/publish", innerHTML: "<input type=file name=files multiple>" }))');
$ben->attach('#bare input', files('ben', 'page.html' => '<!doctype html><title> B &amp; &lt;C&gt;</title>B'));
$ben->script('document.getElementById("bare").submit()');
$ben->wait_text(qr/Published\./);
is $ben->text('h1'), 'B & <C>', 'a form that no script touches publishes, too, and a lone page is named by its title';
$ben->go("$app/");
choose($ben, files('none', 'a.html' => 'x', 'b.html' => 'y'));
$ben->wait_text(qr/There is no index\.html; specify which page opens first, or rename that page to index\.html: a\.html, b\.html/);
seen($ben, 'what can not be published', missing => 1);
finish($stack);
