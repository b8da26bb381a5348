# SPDX-License-Identifier: Apache-2.0
# From a folder on somebody's disk to somebody else's, in browsers: three files, the large one interrupted and gone on with, sent behind a
# password to one and for a domain's mailboxes to another; wrong keys first; who sent them sees it, once by mail; another version; and
# revoked, after which nothing is left, with the old cookie neither. VITRINE_LONG=1 takes a file of 300 MB.
use utf8;
use Digest::SHA 'sha256_hex';
use Vitrine::Browser;
use Vitrine::Smtp;
use Vitrine::Words 'as';

my $mb = 1 << 20;
my $size = ($ENV{VITRINE_LONG} ? 300 : 40) * $mb;
my $smtp = Vitrine::Smtp->new;
my ($stack, $api, $db) = stack($smtp->conf);
my $app = "https://vitrine.localhost:$stack->{port}";
$stack->user('ann@example.org');
$stack->ctl_in("the password\n", qw(user password ann@example.org));
my $ws = as('ann', POST => '/v1/workspaces', { name => 'Northwind Studio' })->{json}{workspace}{id};
my $library = "$app/w/$ws/library";
my $ann = Vitrine::Browser->new($stack, width => 1280, height => 900);
$ann->sign_in('ann@example.org', 'the password');

sub file { my ($name, $bytes) = @_; Vitrine::Stack::spew("$stack->{dir}/$name", $bytes); return "$stack->{dir}/$name" }
sub comes { my ($what, $f) = @_; return Vitrine::Stack::wait_for($what, 180, $f) }
sub names {
	return join ' ', sort @{$ann->script('return [...document.querySelectorAll("#listing .files .name")].map(e => e.textContent)')};
}
sub pace {
	my ($rate) = @_;
	$ann->cdp('Network.enable');
	$ann->cdp('Network.emulateNetworkConditions', offline => Cpanel::JSON::XS::false, latency => 0, downloadThroughput => -1,
		uploadThroughput => $rate);
}
sub received { return $db->selectrow_array("SELECT COALESCE(MAX(received), 0) FROM asset_upload WHERE filename = 'film.mov'") }
sub set {
	my (%to) = @_;
	$ann->script('const e = document.getElementById(arguments[0]); e.value = arguments[1]; '
		. 'e.dispatchEvent(new Event("change", { bubbles: true }))', $_, $to{$_}) for sort keys %to;
	return $ann;
}
sub mails { my ($like) = @_; $stack->runner; return grep { $_->{headers}{subject} =~ $like } $smtp->mails }
sub bytes {
	my ($b, $path, %o) = @_;
	return $b->script_async('const [path, o, done] = arguments; '
		. 'fetch(path, o).then(async r => done(r.status + " " + (await r.arrayBuffer()).byteLength))', $path, \%o);
}

# ---- three files, one of them with an interruption

my $large = file('film.mov', '');
open my $f, '+<:raw', $large or die;
truncate $f, $size;
syswrite $f, "\0\0\0\x14ftypqt  ";
close $f;
$ann->go($library);
pace(3 * $mb);
$ann->drop('h1', $large);
comes('a part of it', sub { received() > 0 });
my $there = received();
$ann->reload;
$ann->wait_text(qr/Stopped at/);
pace(-1);
$ann->drop('h1', $large, file('spring-launch.pdf', '%PDF-1.7 one'), file('moodboard.png', "\x89PNG\r\n\x1a\n" . 'x' x 1000));
comes('all three', sub { names() eq 'film.mov moodboard.png spring-launch.pdf' });
cmp_ok $there, '>', 0, 'a part was there when the page was loaded again';
my @pieces = Vitrine::Stack::slurp("$stack->{dir}/worker.log") =~ m{"method":"PUT","route":"/v1/uploads/\{upload\}","status":202}g;
is scalar(@pieces), int(($size - 1) / (8 * $mb)), '... and not sent again';
is $db->selectrow_array("SELECT size_bytes FROM asset_blob WHERE filename = 'film.mov'"), $size, 'the large one is whole';
is $stack->ctl('fsck', '--quick'), 'clean';

# ---- to one behind a password, to another by the mailbox

sub chosen {
	$ann->go($library)->script('for (const e of document.querySelectorAll("#listing .pick")) e.click()');
	$ann->click('#chosen button.primary');
	$ann->wait_text(qr/New delivery link.*3 files/s);
}
chosen();
set(name => 'Spring launch', gate => 'password', password => 'correct horse', to => 'kim@client.example',
	message => 'As promised.')->click('form[method=post] button.primary');
$ann->wait_text(qr/Sent to\s+kim\@client\.example/);
my ($kim) = map { $_->{parts}{'text/plain'} =~ m{(https://\S+/d/\w{49})} } mails(qr/sent you/);
chosen();
set(name => 'Spring launch', gate => 'domain', domains => 'partner.example', expires => 'never')->click('form[method=post] button.primary');
$ann->wait_text(qr/Link created/);
my $lee = $ann->text('.copy a');
my $link = $ann->url =~ s/\?.*//r;

my ($k, $l) = map { Vitrine::Browser->new($stack, width => $_, height => 844, person => 1) } 390, 1280;
$k->go($kim)->fill('#password', 'wrong horse')->click('.gate button');
$k->wait_text(qr/Wrong password/i);
$k->fill('#password', 'correct horse')->click('.gate button');
$k->wait_text(qr/Spring launch.*3 files.*film\.mov.*spring-launch\.pdf|Spring launch.*3 files.*spring-launch\.pdf.*film\.mov/s);
$l->go($lee)->fill('#email', 'lee@elsewhere.example')->click('.gate button');
$l->wait_text(qr/a code is on its way/);
is scalar(mails(qr/is your code/)), 0, 'another domain\'s mailbox gets none';
$l->go($lee)->fill('#email', 'lee@partner.example')->click('.gate button');
$l->wait_text(qr/a code is on its way/);
my ($code) = map { $_->{headers}{subject} =~ /^(\d{6})/ } mails(qr/is your code/);
$l->fill('#code', "$code")->click('.gate button');
$l->wait_text(qr/Spring launch.*3 files/s);
$l->reload;
my ($of_k, $of_l) = map { $_->script('return [...document.querySelectorAll(".rows a.name")].find(a => '
	. 'a.textContent == "spring-launch.pdf").getAttribute("href")') } $k, $l;
is bytes($_->[0], $_->[1]), '200 12', 'its bytes' for [$k, $of_k], [$l, $of_l];
is bytes($k, $of_k, headers => { Range => 'bytes=0-4' }), '206 5', '... a part of them';
is bytes($k, $kim =~ s/^\Q$app\E//r . '/zip') =~ s/ .*//r, 200, '... and all files at once';

# ---- who sent them sees that, once by mail

$ann->go($link)->wait_text(qr/Opened\s+2 times, first/);
is_deeply [sort map { $_->{parts}{'text/plain'} =~ /^(\S+) opened/ } mails(qr/was opened/)], ['Someone', 'kim@client.example'],
	'one mail for each link';

# ---- another version

my ($pdf) = $db->selectrow_array("SELECT id FROM deliverable WHERE name = 'spring-launch.pdf'");
my $up = as('ann', POST => "/v1/workspaces/$ws/assets/upload", { filename => 'second.pdf' })->{json};
$api->call(PUT => $up->{uploadUrl} =~ s/^\Q$app\E//r, { body => '%PDF-1.7 the second', type => 'application/octet-stream' });
as('ann', POST => "/v1/workspaces/$ws/assets/deliverables/$pdf/version", { blobId => $up->{tokenId} });
is bytes($k, $of_k), bytes($k, $of_k =~ s/blb_\w+/'blb_' . '0' x 26/er), 'the former one is as if it had never been';
$k->reload;
my $now = $k->script('return [...document.querySelectorAll(".rows a.name")].find(a => '
	. 'a.textContent == "spring-launch.pdf").getAttribute("href")');
is bytes($k, $now), '200 19', 'the latest one is there';

# ---- revoked

$ann->go("$library/links");
for my $url ($kim, $lee) {
	my ($id) = grep { as('ann', GET => "/v1/workspaces/$ws/assets/links")->{json} } map { $_->{id} }
		grep { $_->{url} eq $url } @{as('ann', GET => "/v1/workspaces/$ws/assets/links")->{json}{links}};
	$ann->go("$library/links/$id")->follow('Revoke')->wait_text(qr/Revoke the link/);
	$ann->click('button.danger')->wait_text(qr/Revoked\. The link no longer opens\./);
}
is join(' ', map { bytes($k, $now, %$_) =~ s/ .*//r } {}, { method => 'HEAD' }, { headers => { Range => 'bytes=0-4' } }), '404 404 404',
	'nothing is left of it, for who was let in neither';
is join(' ', map {
	bytes($_->[0], $_->[1] =~ s/^\Q$app\E//r . $_->[2]) =~ s/ .*//r;
} map { my $who = $_; map { [@$who, $_] } '', '/zip' } [$k, $kim], [$l, $lee]), '404 404 404 404';
$k->reload;
$k->wait_text(qr/Page not found/);
finish($stack);
