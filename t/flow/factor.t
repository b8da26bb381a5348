# SPDX-License-Identifier: Apache-2.0
# The second factor in a real browser: Ann scans the code on the page as a phone would, keeps her recovery codes, signs in with both, and
# turns it off.
use MIME::Base64;
use Vitrine::Browser;
use Vitrine::Otp;
use Vitrine::Words;

my $stack = Vitrine::Stack->new;
my $app = "https://vitrine.localhost:$stack->{port}";
$stack->user('ann@example.org');
$stack->ctl_in("a long password\n", qw(user password ann@example.org));

my $pages = 0;
sub seen {
	my ($b, $name, %o) = @_;
	is join('; ', $b->looks(sprintf 'factor-%02d-%s', ++$pages, $name =~ s/\W+/-/gr)), '',
		"$name has no barrier, wide and narrow, by day and by night";
	is join('; ', grep { /\Q$app\E/ && !(/favicon/ || ($o{refused} && /40[013]/)) } $b->complaints), '',
		"the browser has no complaint about $name";
}
sub sign_in {
	my ($b) = @_;
	$b->go("$app/auth/signin");
	$b->fill('#email', 'ann@example.org')->fill('#password', 'a long password')->click('form button');
	return $b;
}
# What a phone's camera makes of the page.
sub scanned {
	my ($b) = @_;
	my $file = "$stack->{dir}/page.png";
	Vitrine::Stack::spew($file, $b->shot);
	return `zbarimg -q --nodbus --raw '$file'`;
}
# Time passes: no code of the present was used.
sub later { $stack->db->do('UPDATE factor SET last_step = 0') }

# ---- on

my $ann = Vitrine::Browser->new($stack, height => 1200);
sign_in($ann)->wait_text(qr/Artifacts/);
$ann->go("$app/auth/account");
seen($ann, 'account, off');
$ann->click('#factor a.button');
$ann->wait_text(qr/Set it up/);
seen($ann, 'before it is set up');
$ann->fill('#password', 'a wrong password')->click('form[action$="/start"] button');
$ann->wait_text(qr/That isn.+t your password/);
seen($ann, 'a wrong password', refused => 1);
$ann->fill('#password', 'a long password')->click('form[action$="/start"] button');
$ann->wait_text(qr/Add it to your app/);
is $ann->script('return document.querySelector("img.qr").naturalWidth > 0'), Cpanel::JSON::XS::true, 'the picture is there';
seen($ann, 'set up');
my $read = scanned($ann);
like $read,
	qr{^otpauth://totp/Vitrine%20vitrine\.localhost:ann%40example\.org\?secret=[A-Z2-7]{32}&issuer=Vitrine%20vitrine\.localhost&algorithm=SHA1&digits=6&period=30$},
	'a phone reads it';
my ($secret) = $read =~ /secret=(\w+)/;
is $ann->text('.copy > span') =~ s/ //gr, $secret, 'it is what stands there to be typed';
my $phone = Vitrine::Otp->new($secret);
$ann->fill('#code', $phone->wrong)->click('form[action$="/on"] button');
$ann->wait_text(qr/This code is incorrect/);
seen($ann, 'a wrong code', refused => 1);
$ann->fill('#code', $phone->code)->click('form[action$="/on"] button');
$ann->wait_text(qr/Save these codes now/);
seen($ann, 'recovery codes');
my @codes = $ann->text('pre.codes') =~ /([0-9a-z-]{19})/g;
is scalar @codes, 10, 'ten codes to be kept';
$ann->follow('I have saved them');
$ann->wait_text(qr/Recovery codes left: 10/);
seen($ann, 'account, on');
$ann->go("$app/auth/account/factor");
seen($ann, 'on');

# ---- another browser: dark and narrow

my $other = Vitrine::Browser->new($stack, dark => 1, width => 500);
later();
sign_in($other)->wait_text(qr/Enter a code/);
is $other->url, "$app/auth/factor", 'a code is asked for';
is join(' ', $other->cookies), 'vitrine_factor', 'before there is a session';
is $other->script('return document.activeElement.id'), 'code', 'the first key typed goes to the code';
seen($other, 'the code, dark and narrow');
$other->go("$app/auth/account");
$other->wait_text(qr/Sign in/);
$other->go("$app/auth/factor");
$other->fill('#code', $phone->wrong)->click('form button');
$other->wait_text(qr/incorrect or has already been used/);
seen($other, 'a wrong code, dark and narrow', refused => 1);
$other->fill('#code', $phone->code)->click('form button');
$other->wait_text(qr/Artifacts/);
$other->go("$app/auth/account/factor");
seen($other, 'on, dark and narrow');
$other->fill('#renew', $phone->wrong)->click('form[action$="/codes"] button');
$other->wait_text(qr/incorrect or has already been used/);
seen($other, 'refused, dark and narrow', refused => 1);
$other->fill('#renew', $codes[0])->click('form[action$="/codes"] button');
$other->wait_text(qr/new recovery codes/);
seen($other, 'new codes, dark and narrow');
my @fresh = $other->text('pre.codes') =~ /([0-9a-z-]{19})/g;
$other->click('.menu.right:not(.inbox) summary')->click('form[action="/auth/signout"] button');
$other->wait_text(qr/Sign in/);
sign_in($other)->wait_text(qr/Enter a code/);
$other->click('details summary');
seen($other, 'a recovery code, dark and narrow');
$other->fill('#recovery', uc $fresh[0])->click('details form button');
$other->wait_text(qr/Artifacts/);

# ---- off

later();
$ann->go("$app/auth/account/factor");
like $ann->text('main'), qr/9 of 10 left/;
$ann->fill('#off', $phone->code)->click('form[action$="/off"] button');
$ann->wait_text(qr/The second factor is off/);
seen($ann, 'off again');
my $third = Vitrine::Browser->new($stack);
sign_in($third)->wait_text(qr/Artifacts/);
pass 'the password is enough again';
finish($stack);
