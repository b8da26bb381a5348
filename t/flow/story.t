# SPDX-License-Identifier: Apache-2.0
# One day with the service, from the first visit on, through everything that is real: nginx, workers, runner, database, a browser, a sign-in
# provider, the client and the operator's tools. Each step goes on from where the one before has led.
use utf8;
use Vitrine::Browser;
use Vitrine::Provider;
use Vitrine::Words;

my $folder = File::Temp::tempdir('vitrine-providers-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $stack = Vitrine::Stack->new(providers_dir => $folder);
my $idp = Vitrine::Provider->new($stack->{tls}, "https://vitrine.localhost:$stack->{port}/auth/callback");
$idp->configure($folder);
$stack->stop_one('worker');
$stack->start_worker;
my $api = Vitrine::Api->new($stack);
my $app = "https://vitrine.localhost:$stack->{port}";
for my $who (qw(ben olga)) {
	$stack->ctl(qw(user add), "$who\@example.org");
	$stack->ctl_in("the password\n", qw(user password), "$who\@example.org");
}
$stack->ctl(qw(user staff olga@example.org staff));
my ($ann, $ben, $olga) = map { Vitrine::Browser->new($stack, @$_) } [width => 1280, whole => 1], [width => 390], [width => 1280];

# Each step is looked at as it was met, in both widths and both themes.
my $step = 0;
sub seen {
	my ($b, $name) = @_;
	is join('; ', $b->looks(sprintf 'story-%02d-%s', ++$step, $name =~ s/\W+/-/gr)), '', "$name has no barrier";
}
sub with_password {
	my ($b, $who) = @_;
	$b->fill('#email', "$who\@example.org")->fill('#password', 'the password')->click('form button.primary');
}
sub dropped {
	my ($b, $name, %files) = @_;
	$b->drop('form.drop', Vitrine::Stack::folder($stack->{dir}, $name, %files));
	$b->wait_text(qr/Published\. (?:Its new version is live|Only you can open it)/);
}

# ---- the first visit, and signing in where one already has an account

$ann->go("$app/");
$ann->wait_text(qr/Publish a folder\. Get an address\./);
seen($ann, 'the first visit');
$ann->follow('Sign in');
seen($ann, 'sign in');
$ann->follow('Continue with Es');
$ann->fill('input[name=login]', 'ann')->fill('input[name=password]', 'x')->click('button[type=submit]');
$ann->wait_text(qr/Authorize|Continue/i);
$ann->click('button[type=submit]');
$ann->wait_text(qr/Publish your first folder/);
is $ann->url, "$app/", 'at home, with an account made by the way';
seen($ann, 'home without anything');

# ---- a folder is dropped; it is private

my $style = 'body{font:18px Georgia;margin:3rem}h1{color:rgb(0,80,60)}';
dropped($ann, 'Field notes', 'index.html' => '<!doctype html><html lang=en><title>Field notes</title><link rel=stylesheet href=a/style.css>'
	. '<h1>Field notes</h1><p>The first.', 'a/style.css' => $style,
	'.env' => 'SECRET=1', 'node_modules/x/y.js' => 'x', 'drafts/z.html' => 'x', '.vitrineignore' => "/drafts/\n");
my ($id) = $ann->url =~ m{/a/(art_\w+)};
my $site = $ann->script('return document.querySelector(".copy a").href');
my ($slug) = $site =~ m{^https://(field-notes-\w+)\.pages} or die $site;
pass 'it has an address, after the folder';
is join(' ', map { @$_ } @{$stack->db->selectall_arrayref('SELECT path FROM version_file WHERE artifact_id = ? ORDER BY path',
	undef, $id)}), 'a/style.css index.html', 'hidden files, and what the folder says is to be left out, are';
like $ann->text('main'), qr/Private/, 'and is private';
is $api->get_site($slug, '/')->{status}, 404, 'nobody else sees anything';
seen($ann, 'the artifact, private');

sub stranger { return $api->get_site($slug, '/') }

# ---- Ben gets the address, and may not open it

$ben->go($site);
$ben->wait_text(qr/Sign in/);
seen($ben, 'the wall');
$ben->follow('Sign in');
with_password($ben, 'ben');
$ben->wait_text(qr/You don.t have access/);
seen($ben, 'no access');

# ---- Ann shares it; a slip of the pen is shown where it was made

$ann->follow('Sharing');
$ann->script('document.querySelector("#email").type = "text"');
$ann->fill('#email', 'ben at example.org')->click('form[action$="/people"] button');
$ann->wait_text(qr/isn.t an e-mail address/);
is $ann->script('return document.activeElement.value'), 'ben at example.org',
	'what was typed is there to be mended, and the focus is there';
seen($ann, 'an invitation refused');
$ann->fill('#email', 'ben@example.org')->click('form[action$="/people"] button');
$ann->wait_text(qr/Invited\..*ben\@example\.org/s);
seen($ann, 'shared');
$ben->go($site);
$ben->wait_text(qr/The first/);
is $ben->script('return getComputedStyle(document.querySelector("h1")).color'), 'rgb(0, 80, 60)', 'Ben sees it, with its style';
$ben->go("$app/shared");
$ben->wait_text(qr/Field notes/);
seen($ben, 'shared with Ben');

# ---- a new version, and back to the first

$ann->go("$app/a/$id");
dropped($ann, 'Field notes', 'index.html' =>
	'<!doctype html><html lang=en><title>Field notes</title><link rel=stylesheet href=a/style.css><h1>Field notes</h1><p>The second.');
$ann->wait_text(qr/Version 2 is live/);
$ben->go($site);
$ben->wait_text(qr/The second/);
$ann->follow('All versions');
seen($ann, 'two versions');
$ann->click('form[action$="/versions/1/live"] button');
$ann->wait_text(qr/This version is live now/);
$ben->reload;
$ben->wait_text(qr/The first/);
pass 'Ben sees the first again';

# ---- the menu beside its name opens it to everybody

$ann->go("$app/a/$id/files");
$ann->click('details.choose-one > summary');
seen($ann, 'who can open it');
$ann->click('details.choose-one button[value=public]');
$ann->wait_text(qr/public( now)?: anyone can open it/);
is $ann->url, "$app/a/$id/files?done=public", 'where one was';
like stranger()->{body}, qr/The first/, 'anybody sees it';

# ---- the trash, and out of it

$ann->follow('Settings');
seen($ann, 'settings');
$ann->follow('Delete artifact');
seen($ann, 'asked before');
$ann->click('button.danger');
$ann->wait_text(qr/Deleted\./);
is stranger()->{status}, 404, 'its address is closed';
$ann->follow('Trash');
seen($ann, 'the trash');
$ann->click('.cards a.name');
$ann->wait_text(qr/This artifact is in the trash/);
seen($ann, 'an artifact in the trash');
$ann->click('form[action$="/restore"] button');
$ann->wait_text(qr/Restored\. Its address works again/);
like stranger()->{body}, qr/The first/, 'and open again';

# ---- a token made in the browser, with which the client publishes

$ann->go("$app/auth/account");
seen($ann, 'account');
$ann->fill('#token-name', 'My laptop')->click('form[action$="/tokens"] button');
$ann->wait_text(qr/Copy your new token now/);
seen($ann, 'a token, shown once');
my $token = $ann->script('return document.querySelector("#new-token").textContent');
my $built = Vitrine::Stack::folder($stack->{dir}, 'site/dist',
	'index.html' => '<!doctype html><html lang=en><title>Field notes</title><h1>Field notes</h1><p>The third.');
my ($status, $out, $err) = $stack->client($token, 'publish', $built, '--artifact', $id, '--message', 'From my laptop');
is "$status $out", "0 $site\n", 'the client publishes a new version' or diag $err;
is +($stack->client($token, 'publish', $built))[1], "$site\n", '... and knows the next time what the folder is';
like stranger()->{body}, qr/The third/, 'which all see';
$ann->go("$app/a/$id");
like $ann->text('main'), qr/From my laptop/, 'with its message';

# ---- who viewed it

my $views = sub {
	$stack->runner;
	return $stack->db->selectrow_array('SELECT COALESCE(SUM(views), 0) FROM view_day WHERE artifact_id = ?', undef, $id);
};
Vitrine::Stack::wait_for('views', 60, sub { $views->() > 0 });
$ann->go("$app/");
like $ann->text('.cards'), qr/Field notes.*\d/s;
cmp_ok $ann->script('return parseInt(document.querySelector(".cards .views").textContent)'), '>', 0, 'home says how often';
seen($ann, 'home');
$ann->go("$app/a/$id");
seen($ann, 'the artifact, viewed');

# ---- the operator pauses it

$olga->go("$app/auth/signin");
with_password($olga, 'olga');
$olga->wait_text(qr/Artifacts/);
$olga->go("$app/staff?q=$slug");
$olga->wait_text(qr/ann\@example\.org/);
seen($olga, 'all artifacts');
$olga->click('form[action$="/pause"] button');
$olga->wait_text(qr/Paused\. Its addresses are closed/);
is stranger()->{status}, 403, 'its address is closed at once';
$ben->go($site);
$ben->wait_text(qr/paused by an administrator/);
seen($ben, 'a paused page');
$ann->go("$app/a/$id");
$ann->wait_text(qr/This artifact is paused\./);
like $ann->text('main'), qr/The third|From my laptop/, 'its owner still has all of it';
seen($ann, 'the artifact, paused');
is +(grep { /$slug/ } split /\n/, $stack->ctl(qw(artifact list ann@example.org)))[0] =~ /paused/, 1, 'the console says so, too';
$stack->ctl(qw(artifact resume), $slug);
like stranger()->{body}, qr/The third/, 'resumed at the console, it is there';
$ann->reload;
unlike $ann->text('main'), qr/paused/, 'and its page says nothing of it anymore';
$stack->ctl(qw(artifact pause), $slug);
is stranger()->{status}, 403, 'paused at the console';
$olga->go("$app/staff?q=$slug")->click('form[action$="/resume"] button');
$olga->wait_text(qr/Resumed\. Its addresses are open again/);
like stranger()->{body}, qr/The third/, '... and resumed in the browser';
finish($stack);
