# SPDX-License-Identifier: Apache-2.0
# A delivery in a real browser that nobody is signed in to: its page, with and without the workspace's look; its gates, wrong and right; and
# without script.
use utf8;
use Compress::Zlib ();
use Vitrine::Browser;
use Vitrine::Smtp;
use Vitrine::Words 'as';

my $smtp = Vitrine::Smtp->new;
my ($stack, $api, $db) = stack($smtp->conf);
my $app = "https://vitrine.localhost:$stack->{port}";
my $ann = $stack->user('ann@example.org');
$db->do("UPDATE user SET name = 'Ann Archer' WHERE id = ?", undef, $ann->{id});
my $ws = as('ann', POST => '/v1/workspaces', { name => 'Northwind Studio', slug => 'northwind' })->{json}{workspace}{id};
my $team = "/v1/workspaces/$ws/assets";

my $pages = 0;
sub seen {
	my ($b, $name, %o) = @_;
	is join('; ', $b->looks(sprintf 'delivery-%02d-%s', ++$pages, $name =~ s/\W+/-/gr)), '',
		"$name has no barrier, wide and narrow, by day and by night";
	is join('; ', grep { /\Q$stack->{port}\E/ && !/favicon/ && !($o{refused} && /40[0-9]/) } $b->complaints), '',
		"the browser has no complaint about $name";
}
sub chunk { my ($type, $data) = @_; return pack('N', length $data) . $type . $data . pack('N', Compress::Zlib::crc32($type . $data)) }
sub png {
	my ($w, $h) = @_;
	return "\x89PNG\r\n\x1a\n" . chunk('IHDR', pack('NNCCCCC', $w, $h, 8, 2, 0, 0, 0)) . chunk('IDAT', Compress::Zlib::compress(join '',
			map { my $y = $_; "\0" . join '', map { pack 'C3', $_ * 255 / $w, $y * 255 / $h, 160 } 1 .. $w } 1 .. $h))
		. chunk('IEND', '');
}
sub wav {
	my $n = 8000;
	return 'RIFF' . pack('V', 36 + $n) . 'WAVEfmt ' . pack('VvvVVvv', 16, 1, 1, 8000, 8000, 1, 8) . 'data' . pack('V', $n) . join '',
		map { chr(128 + 60 * sin($_ / 4)) } 1 .. $n;
}
sub file {
	my ($at, $name, $bytes) = @_;
	my $url = as('ann', POST => "$at/upload", { filename => $name })->{json}{uploadUrl};
	my $blob = $api->call(PUT => $url =~ s/^\Q$app\E//r, { body => $bytes, type => 'application/octet-stream' })->{json}{blobId};
	return as('ann', POST => "$at/deliverables", { blobId => $blob })->{json}{deliverable}{id};
}
sub link_to {
	my ($at, $name, $files, %in) = @_;
	my $k = as('ann', POST => "$at/collections", { name => $name, deliverableIds => $files })->{json}{collection}{id};
	return as('ann', POST => "$at/collections/$k/share", \%in)->{json}{url};
}

my @files = (file($team, 'Moodboard for the launch in spring, second round.png', png(300, 200)), file($team, 'theme.wav', wav()),
	file($team, 'Vertrag für den Auftrag.pdf', "%PDF-1.7\n" . 'x' x 90000),
	file($team, 'brand-kit.zip', "PK\x03\x04" . 'x' x 4_000_000));

# ---- its page

my $b = Vitrine::Browser->new($stack);
my $plain = link_to($team, 'Spring launch', \@files, expiresAt => time + 30 * 86400);
$b->go($plain);
like $b->text('main'), qr/Spring launch.*4 files, 4\.\d MB, sent by Ann Archer\. Available until.*Moodboard.*Vertrag für den Auftrag\.pdf/s,
	'what it is, how large, from whom, until when';
like $b->title, qr/^Spring launch, from Ann Archer/;
ok $b->script('const i = document.querySelector(".rows img"); await i.decode(); return i.naturalWidth'), 'a picture is drawn';
is $b->script_async('const done = arguments[0], a = document.querySelector("audio"); '
	. 'a.onloadedmetadata = () => done(Math.round(a.duration)); a.onerror = () => done("error"); a.load()'), 1, 'a sound can be played';
seen($b, 'a delivery');
is $b->script('return performance.getEntriesByType("resource").filter(e => !e.name.startsWith(location.origin)).length'), 0,
	'nothing of it comes from elsewhere';
is as('ann', PUT => "/v1/workspaces/$ws/branding", { display_name => 'Northwind', color => '#0a5c9e',
	support_email => 'help@northwind.example', footer => 'Northwind Studio, Oslo' })->{status}, 200;
$b->reload;
like $b->text, qr/Northwind.*Spring launch.*Northwind Studio, Oslo/s, 'with the workspace\'s look';
seen($b, 'a delivery of a workspace with a look of its own');
$b->go(link_to('/v1/assets', 'notes.txt', [file('/v1/assets', 'notes.txt', 'a note')]));
unlike $b->text, qr/Download all/, 'one file is one file';
seen($b, 'a delivery of one file');

# ---- its gates

my $locked = link_to($team, 'Spring launch', \@files, password => 'correct horse');
$b->go($locked);
unlike $b->text, qr/Spring|Ann|Northwind/, 'a gate says nothing of what is behind';
seen($b, 'a password is asked for');
$b->fill('#password' => 'wrong horse')->click('.gate button');
$b->wait_text('Wrong password');
is $b->script('return document.getElementById("password").value'), '', '... is not shown again';
seen($b, 'a wrong password', refused => 1);
$b->fill('#password' => 'correct horse')->click('.gate button');
$b->wait_text('Spring launch');
ok $b->script('const i = document.querySelector(".rows img"); await i.decode(); return i.naturalWidth'), 'the right one: also the pictures';
my $boxed = link_to($team, 'Spring launch', \@files, domains => ['client.example']);
$b->go($boxed);
seen($b, 'an address is asked for');
$b->fill('#email' => 'kim@client.example')->click('.gate button');
$b->wait_text('a code is on its way');
seen($b, 'a code is asked for');
$stack->runner;
my ($code) = map { $_->{headers}{subject} =~ /^(\d{6}) is your code/ ? $1 : () } $smtp->mails;
$b->fill('#code' => sprintf '%06d', ($code + 1) % 1000000)->click('.gate button');
$b->wait_text('Wrong or expired code');
seen($b, 'a wrong code', refused => 1);
$b->fill('#code' => "$code")->click('.gate button');
$b->wait_text('Spring launch');
$b->go("$app/d/" . Vitrine::Stack::secret('', 'x' x 43));
like $b->text, qr/Page not found/, 'what is over, or never was';

finish($stack);
