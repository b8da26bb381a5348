# SPDX-License-Identifier: Apache-2.0
# An artifact's domains in the browser and by the client: added, with their records, checked, removed; looked at in both widths and themes.
use utf8;
use Vitrine::Browser;
use Vitrine::Visitor;
use Vitrine::Words 'as';

my ($stack, $api, $db) = stack(certificates => 'local', domains_per_user => 10);
my $app = "https://vitrine.localhost:$stack->{port}";
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann edi);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for keys %user;
my $art = $api->publish($user{ann}, name => 'Spring <b>plan</b>', slug => 'spring', visibility => 'public');
as('ann', POST => "/v1/artifacts/$art/collaborators", { emails => ['edi@example.org'], role => 'editor' });
my $b = Vitrine::Browser->new($stack, width => 1280, height => 900);
$b->sign_in('ann@example.org', 'the password');

$b->go("$app/a/$art/settings");
$b->click(qq(a[href="/a/$art/domains"]));
$b->wait_text(qr/No domains yet/);
$b->seen('none');
$b->fill('#host', 'https://www.example.org');
$b->click(qq(form[action="/a/$art/domains"] button));
$b->wait_text(qr/must be a host name with at least two labels/);
$b->seen('refused', refused => 1);
$b->fill('#host', 'bücher.example');
$b->click(qq(form[action="/a/$art/domains"] button));
$b->wait_text(qr/Added\. Create its records now/);
my ($txt) = $db->selectrow_array("SELECT secret FROM domain WHERE host = 'xn--bcher-kva.example'");
like $b->text('main'), qr/bücher\.example\s+Waiting for its records.*TXT record of _vitrine\.xn--bcher-kva\.example; it must stay\s+vitrine-domain=\Q$txt\E/s,
	'its records are shown';
like $b->text('main'), qr/ALIAS record of xn--bcher-kva\.example.*spring\.pages\.localhost/s, '... both';
is $b->script('return document.querySelectorAll("[data-copy]:not([hidden])").length'), 3, '... to copy';
$b->click('form[action$="/check"] button');
$b->wait_text(qr/Its records are being checked/);
$db->do("UPDATE domain SET reason = '_vitrine.xn--bcher-kva.example has no TXT record yet', checked_at = UNIX_TIMESTAMP()");
for (1 .. 4) {
	my ($state, $host) = ('active', "n$_.example.org");
	as('ann', POST => "/v1/artifacts/$art/domains", { host => $host });
	$db->do('UPDATE domain SET state = ?, reason = ? WHERE host = ?', undef, (qw(proven active failed lost))[$_ - 1],
		$_ > 2 ? "_vitrine.$host has no TXT record" : undef, $host);
}
$b->go("$app/a/$art/domains");
like $b->text('main'), qr/$_/, "a state in words: $_" for 'Waiting for its certificate', 'Active', 'Not proven', 'Lost';
$b->seen('all states');
$b->click('a[href$="/remove"]');
$b->wait_text(qr/Remove n4\.example\.org\?/);
$b->seen('asked');
$b->click('main form button');
$b->wait_text(qr/Removed\. The artifact is no longer served there/);

# Without scripts; an editor reads.
my $edi = Vitrine::Visitor->new($api);
$edi->sign_in('edi@example.org', 'the password');
like $edi->go("/a/$art/domains")->{text}, qr/vitrine-domain=/, 'an editor reads them without scripts';

# ---- the client

sub client { my ($status, $out, $err) = $stack->client($user{ann}{token}, @_); return ($status, $out, $err) }
my ($status, $out, $err) = client(qw(domains add www.example.org spring --redirect));
is $status, 0, 'the client adds one' or diag $err;
like $out, qr/^TXT    _vitrine\.www\.example\.org  vitrine-domain=\S{24}\nCNAME  www\.example\.org  spring\.pages\.localhost$/m, '... and prints its records';
ok $db->selectrow_array("SELECT redirect FROM domain WHERE host = 'www.example.org'"), '... which redirects';
like +(client(qw(domains spring)))[1], qr/^waiting  www\.example\.org$/m, 'lists them';
like +(client(qw(domains list spring)))[1], qr/^failed   n3\.example\.org  _vitrine\.n3\.example\.org has no TXT record$/m, '... with what is missing';
is +(client(qw(domains check www.example.org spring)))[0], 0, 'has one checked';
is +(client(qw(domains rm www.example.org spring --yes)))[0], 0, 'removes one';
($status, undef, $err) = client(qw(domains rm www.example.org spring --yes));
is $status, 1, '... once';
like $err, qr/has no domain www\.example\.org/, '... and says so';
finish $stack;
