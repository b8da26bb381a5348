# SPDX-License-Identifier: Apache-2.0
# Somebody's own credentials in the browser, for the connections of all their workspaces: which there are, which of their jobs wait for
# them; they are given, tested, replaced and removed. Nobody sees another's, nothing secret is shown again, and each page is looked at in
# both widths and themes.
use utf8;
use Vitrine::Browser;
use Vitrine::Receiver;
use Vitrine::Visitor;
use Vitrine::Words 'as';

my $server = Vitrine::Receiver->new("$ENV{VITRINE_VAR}/tls-test");
my ($stack, $api, $db) = stack($server->conf, publish_per_hour => 1000);
my $app = "https://vitrine.localhost:$stack->{port}";
my $mine = "$app/auth/account/credentials";
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben eve);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for keys %user;
my ($ws, $second) = map { as('ann', POST => '/v1/workspaces', { name => $_ })->{json}{workspace}{id} } 'Northwind Studio',
	'Harbour <b>Foods</b>';
my $theirs = as('eve', POST => '/v1/workspaces', { name => 'Elsewhere' })->{json}{workspace}{id};
$stack->seat($_, $user{ben}, 'member') for $ws, $second;

my $b = Vitrine::Browser->new($stack, width => 1280, height => 900);
$b->sign_in('ben@example.org', 'the password');
my $pages = 0;
sub seen {
	my ($name, %o) = @_;
	is join('; ', $b->looks(sprintf 'credentials-%02d-%s', ++$pages, $name =~ s/\W+/-/gr)), '',
		"$name has no barrier, wide and narrow, by day and by night";
	is join('; ', grep { /\Q$app\E/ && !/favicon/ && !($o{refused} && /40\d/) } $b->complaints), '',
		"the browser has no complaint about $name";
}
sub row {
	my ($like) = @_;
	return ($b->script('return ([...document.querySelectorAll(".rows > li")].find(e => new RegExp(arguments[0]).test(e.textContent)) '
		. '|| {}).innerText', $like) // '') =~ s/\s+/ /gr;
}
sub made {
	my ($who, $ws, $name, $config, %more) = @_;
	my $r = as($who, POST => "/v1/workspaces/$ws/connections", { provider => 'http', name => $name, auth_mode => 'member',
		config => { base_url => $server->url('/v1'), auth => 'bearer', %$config }, %more });
	return $r->{json}{connection}{id} // die $r->{body};
}
sub sealed {
	return $db->selectrow_array('SELECT sealed FROM connection_credential WHERE connection_id = ? AND holder = ?',
		undef, $_[0], $user{ben}{id}) // '';
}

# ---- there is nothing to give

$b->go("$app/auth/account");
$b->click('nav.side a[href="/auth/account/credentials"]');
$b->wait_text(qr/None of your workspaces has a connection that asks for your own credentials/);
seen('none');

# ---- what there is

my $finance = made('ann', $ws, 'finance <i>&amp;</i>', {});
my $ledger = made('ann', $second, 'ledger', { auth => 'basic' });
my $shared = made('ann', $ws, 'shared', {}, auth_mode => 'shared', credentials => { token => 'of-all' });
my $elsewhere = made('eve', $theirs, 'of others', {});
my $art = as('ben', POST => '/v1/publish', { name => 'Spend', workspace_id => $ws, visibility => 'private',
	files => [{ path => 'index.html', content => 'S' }] })->{json}{artifact}{id};
as('ben', PUT => "/v1/workspaces/$ws/connections/$finance/my-credentials", { token => 'to-be-removed' });
is as('ben', POST => '/v1/jobs', { artifact_id => $art, name => 'Fetch spend', action => 'http_get', schedule => '0 1 * * *',
	config => { connection_id => $finance, path => '/spend', save_to => 'json' } })->{status}, 201, 'a job that uses them';
as('ben', DELETE => "/v1/workspaces/$ws/connections/$finance/my-credentials");
$b->go($mine)->wait_text(qr/Harbour <b>Foods<\/b>.*Northwind Studio/s);
like row('finance'), qr/^finance <i>&amp;<\/i> Not connected HTTP API, localhost:\d+ · your job “Fetch spend” waits for it Add/,
	'what is missing, and what waits for it';
like row('ledger'), qr/Not connected/, '... in each workspace';
unlike $b->text('main'), qr/shared|of others/, 'nothing that everybody shares, or of others';
seen('missing');

# ---- given

$server->answer('/v1' => 403, 'not you');
$b->follow('Add')->wait_text(qr/Add credentials for/);
$b->go("$mine?replace=$finance#replace")->fill('#token', 'the-token-of-ben')->click('#replace button.primary');
$b->wait_text(qr/Not saved: the test failed\..*403/s);
is $b->script('return document.getElementById("token").value'), '', 'what is secret is not shown again';
is sealed($finance), '', 'what fails its test is not saved';
seen('not accepted', refused => 1);
$server->answer('/v1' => 200, '{}');
$b->fill('#token', 'the-token-of-ben')->click('#replace button.primary');
$b->wait_text(qr/Tested and saved\. Your jobs use these credentials from now on\./);
like row('finance'), qr/Connected HTTP API, \S+ · saved just now Replace/, 'it is connected';
is((grep { $_->{path} eq '/v1' } $server->calls)[-1]{headers}{authorization}, 'Bearer the-token-of-ben', '... with that token');
isnt sealed($finance), '', '... which is sealed';
seen('connected');
my $before = sealed($finance);
$server->answer('/v1' => 401, 'no');
$b->go("$mine?replace=$finance")->wait_text(qr/They’re kept until the new ones pass a test/);
seen('replaced');
$b->fill('#token', 'another')->click('#replace button.primary');
$b->wait_text(qr/Not saved/);
is sealed($finance), $before, 'the old ones stay until the new ones pass';
$b->complaints;
$server->answer('/v1' => 200, '{}');
$b->go("$mine?replace=$ledger")->fill('#username', 'ben_o')->fill('#password', 'the-password-of-ben')->click('#replace button.primary');
$b->wait_text(qr/Tested and saved/);
unlike $b->script('return document.documentElement.outerHTML'), qr/the-token-of-ben|the-password-of-ben/, 'no page has them';

# ---- taken back

$b->go($mine)->click("a[href\$='$finance/remove']");
$b->wait_text(qr/Remove your credentials for finance.*Your jobs that use the connection fail/s);
seen('before they are removed');
$b->click('form button.danger');
$b->wait_text(qr/Removed\. Your jobs can’t use the connection anymore\./);
is sealed($finance), '', 'they are gone';
like row('ledger'), qr/Connected/, '... and the others stay';

# ---- others'

my $v = Vitrine::Visitor->new($api);
$v->sign_in('eve@example.org', 'the password');
unlike $v->go('/auth/account/credentials')->{text}, qr/finance|ledger|Northwind/, 'somebody else sees nothing of it';
is $v->go("/auth/account/credentials/$ws/$finance/remove")->{status}, 404, '... and removes nothing';
is $v->go("/auth/account/credentials?replace=$finance")->{text} =~ /id="replace"/, '', '... nor is there a form for what is not theirs';
is $v->send(POST => "/auth/account/credentials/$ws/$finance", body => 'token=x',
	headers => { 'Content-Type' => 'application/x-www-form-urlencoded' })->{status}, 404, '... and gives nothing';
is as('ben', GET => "/v1/workspaces/$ws/connections/$finance/my-credentials")->{json}{connected}, $false, 'nothing has changed by that';

finish($stack);
