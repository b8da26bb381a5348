# SPDX-License-Identifier: Apache-2.0
# The whole story in a real browser, with a real sign-in provider and a real mail server: the client asks for a login, a person signs in and
# approves, publishes in private; another asks for access, gets it by the owner's decision from an e-mail, and loses it.
use Vitrine::Browser;
use Vitrine::Provider;
use Vitrine::Smtp;
use Vitrine::Words;

my $smtp = Vitrine::Smtp->new;
my $folder = File::Temp::tempdir('vitrine-providers-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $stack = Vitrine::Stack->new($smtp->conf, providers_dir => $folder);
my $idp = Vitrine::Provider->new($stack->{tls}, "https://vitrine.localhost:$stack->{port}/auth/callback");
$idp->configure($folder);
$stack->stop_one('worker');
$stack->start_worker;
my $api = Vitrine::Api->new($stack);
my $app = "https://vitrine.localhost:$stack->{port}";
my $site = "https://plans.pages.localhost:$stack->{port}";
my %env = (HOME => "$stack->{dir}/home", XDG_CONFIG_HOME => '', VITRINE_TOKEN => '');

# Each page as it is met: no complaint of the browser, no barrier, a picture to look at.
my $pages = 0;
sub seen {
	my ($b, $name, %o) = @_;
	is join('; ', $b->looks(sprintf 'signin-%02d-%s', ++$pages, $name =~ s/\W+/-/gr)), '',
		"$name has no barrier, wide and narrow, by day and by night";
	is join('; ', grep { /\Q$app\E/ && !(/favicon/ || ($o{missing} && /404|403/) || ($o{gone} && /410|409/)) } $b->complaints), '',
		"the browser has no complaint about $name";
}
sub at_provider {
	my ($b, $who) = @_;
	$b->follow('Continue with Es');
	$b->fill('input[name=login]', $who)->fill('input[name=password]', 'x')->click('button[type=submit]');
	$b->wait_text(qr/Authorize|Continue/i);
	$b->click('button[type=submit]');
}
sub mail {
	my ($like) = @_;
	$stack->runner;
	my ($m) = grep { $_->{headers}{subject} =~ $like } $smtp->mails;
	return $m->{parts}{'text/plain'};
}

# ---- the client asks, Ann approves

my $log = "$stack->{dir}/login-stderr";
my $client = fork // die;
if (!$client) {
	my %all = ($stack->env, %env);
	@ENV{keys %all} = values %all;
	open STDOUT, '>', '/dev/null';
	open STDERR, '>', $log;
	exec "$stack->{build}/vitrine", 'login' or POSIX::_exit(127);
}
my ($address, $code);
Vitrine::Stack::wait_for('the code', 60, sub { ($address, $code) = Vitrine::Stack::slurp($log) =~ m{(https://\S+)\s+(\S+)} });
my $ann = Vitrine::Browser->new($stack);
$ann->go($address);
like $ann->title, qr/Sign in/;
seen($ann, 'sign in');
at_provider($ann, 'ann');
like $ann->wait_text(qr/Connect this program\?/), qr/\Q$code\E.*ann\@example\.org/s, 'the code to compare, and as whom';
seen($ann, 'approve a program');
$ann->click('button[value=approve]');
$ann->wait_text(qr/Program connected/);
unlike $ann->text('main'), qr/so_/, 'the token is not for those who look on';
like $ann->script('return document.querySelector("details .copy").textContent'), qr/so_\w{49}/, 'and there if it is needed';
seen($ann, 'approved');
waitpid $client, 0;
is $?, 0, 'the client is signed in' or diag Vitrine::Stack::slurp($log);
is +($stack->program('vitrine', \%env, 'whoami'))[1], "ann\@example.org\n";

# ---- she publishes in private

mkdir "$stack->{dir}/plans";
Vitrine::Stack::spew("$stack->{dir}/plans/index.html", '<!doctype html><html lang=en><title>Plans</title>'
	. '<link rel=stylesheet href=style.css><main><h1>The plans</h1><img src=dot.svg alt=dot></main>');
Vitrine::Stack::spew("$stack->{dir}/plans/style.css", 'h1{color:#060}');
Vitrine::Stack::spew("$stack->{dir}/plans/dot.svg",
	'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle cx="4" cy="4" r="4"/></svg>');
my ($status, $out, $err) = $stack->program('vitrine', \%env, 'publish', "$stack->{dir}/plans", '--slug', 'plans', '--visibility',
	'private');
is "$status $out", "0 $site/\n", 'published' or diag $err;
$ann->go("$site/");
$ann->wait_text(qr/The plans/);
is $ann->url, "$site/", 'the owner sees it on its own host, without signing in again';
is $ann->script('return getComputedStyle(document.querySelector("h1")).color'), 'rgb(0, 102, 0)', 'with its style';
is $ann->script('return document.querySelector("img").naturalWidth'), 9, 'and its picture';
is join(' ', grep { !/^__Host-vitrine_(?:nonce|asked)$/ } $ann->cookies), '__Host-vitrine_viewer', "and the app's cookie is not there";
is $ann->script('return document.cookie'), '', 'nor is any for scripts to read';

# ---- Ben asks for access

my $ben = Vitrine::Browser->new($stack, dark => 1, width => 500);
$ben->go("$site/");
seen($ben, 'the wall', missing => 1);
$ben->follow('Sign in');
seen($ben, 'sign in, dark and narrow', missing => 1);
at_provider($ben, 'ben');
$ben->wait_text(qr/You don.t have access/);
seen($ben, 'no access', missing => 1);
$ben->fill('textarea', 'It is me, Ben');
$ben->click('form[action="/auth/view"] button');
$ben->wait_text(qr{Request sent});
seen($ben, 'asked');
my ($decide) = mail(qr/ben\@example\.org requested access/) =~ m{(\Q$app\E/inbox\S*)};
ok $decide, 'the owner has an e-mail with a link';
$ann->go($decide);
like $ann->text('main'), qr/ben\@example\.org.*It is me, Ben/s;
seen($ann, 'requests');
$ann->click('button[value=approve]');
$ann->wait_text(qr/Nothing waits for you/);
my ($open) = mail(qr/You now have access/) =~ m{(\Q$app\E/v1/open/\S+)};
ok $open, 'Ben has an e-mail with a link';
$ben->go($open);
$ben->wait_text(qr/The plans/);
is $ben->url, "$site/", 'and sees the page';

# ---- and loses it

my ($token) = Vitrine::Stack::slurp("$stack->{dir}/home/.config/vitrine/credentials.json") =~ /(so_\w+)/;
my $id = $api->call(GET => '/v1/artifacts?slug=plans', { token => $token })->{json}{artifacts}[0]{id};
is $api->call(DELETE => "/v1/artifacts/$id/collaborators/ben%40example.org", { token => $token })->{status}, 200;
$ben->reload;
$ben->wait_text(qr{Page not found});
pass 'removed: nothing is seen';

# ---- the other pages

$ann->go("$app/auth/account");
seen($ann, 'account');
$ben->go("$app/auth/account");
seen($ben, 'account, dark and narrow', missing => 1);
$ben->click('.menu.right:not(.inbox) summary')->click('form[action="/auth/signout"] button');
$ben->wait_text(qr/Sign in/);
$ben->go("$app/auth/password/forgot");
seen($ben, 'forgotten password');
$ben->fill('input[type=email]', 'ben@example.org')->click('form button');
$ben->wait_text(qr/is on its way/);
seen($ben, 'a link is sent');
my ($set) = mail(qr/Set a new password/) =~ m{(\Q$app\E/auth/password/set\S+)};
$ben->go($set);
seen($ben, 'choose a password');
$ben->fill('input[type=password]', 'a long password')->click('form button');
$ben->wait_text(qr/Artifacts/);
$ben->go($set);
seen($ben, 'a link that is over', gone => 1);
$ben->go("$app/auth/device");
seen($ben, 'code by hand');
my $other = $api->call(POST => '/v1/auth/device/start', { json => { expected_email => 'ann@example.org' } })->{json};
$ben->fill('#code', lc $other->{user_code})->click('form button');
$ben->wait_text(qr/was expected to sign in/);
seen($ben, 'somebody else than expected');
$ben->click('button[value=approve]');
$ben->wait_text(qr/Confirm that you started it yourself/);
seen($ben, 'confirm', gone => 1);
$ben->click('button[value=deny]');
$ben->wait_text(qr{Request denied});
seen($ben, 'denied');
$ann->go("$app/auth/account");
$ann->go("$app/auth/provider/rs?link=1");
$ann->wait_text(qr/Link Rs\?|Authorize|Continue/i);
$ann->click('button[type=submit]') if $ann->text('body') !~ /Link Rs/;
$ann->wait_text(qr/Link Rs\?/);
seen($ann, 'link a sign-in');
finish($stack);
