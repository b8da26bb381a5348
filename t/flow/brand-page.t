# SPDX-License-Identifier: Apache-2.0
# How a workspace shows itself, chosen in a real browser: a logo, a name, a colour, a footer, a host of its own; what is refused is told
# beside its field. Then what others see of it: mail, invitations, the front page, and nothing on the walls of those who may not know.
use utf8;
use Compress::Zlib ();
use Vitrine::Browser;
use Vitrine::Smtp;
use Vitrine::Visitor;
use Vitrine::Words 'as';

my $smtp = Vitrine::Smtp->new;
my ($stack, $api, $db) = stack($smtp->conf);
my $app = "https://vitrine.localhost:$stack->{port}";
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben eve);
$db->do("UPDATE user SET name = 'Ann Archer' WHERE id = ?", undef, $user{ann}{id});
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for keys %user;
my $ws = as('ann', POST => '/v1/workspaces', { name => 'Northwind Studio', slug => 'northwind' })->{json}{workspace}{id};
is as('ann', POST => "/v1/workspaces/$ws/members", { email => 'ben@example.org' })->{status}, 201, 'Ben is a member';
sub branding { my $b = as('ann', GET => "/v1/workspaces/$ws/branding")->{json}; delete $b->{success}; return $b }
my $page = "$app/w/$ws/branding";

my $pages = 0;
sub seen {
	my ($b, $name, %o) = @_;
	is join('; ', $b->looks(sprintf 'brand-%02d-%s', ++$pages, $name =~ s/\W+/-/gr)), '',
		"$name has no barrier, wide and narrow, by day and by night";
	is join('; ', grep { /\Q$stack->{port}\E/ && !/favicon/ && !($o{refused} && /40[0-9]|413|415/) } $b->complaints), '',
		"the browser has no complaint about $name";
}
sub sign_in { my ($b, $who) = @_; return $b->sign_in("$who\@example.org", 'the password') }
sub letter {
	my ($to, $like) = @_;
	$stack->runner;
	my ($m) = grep { $_->{headers}{to} =~ /\Q$to\E/ && $_->{headers}{subject} =~ $like } $smtp->mails;
	return $m // die "no mail to $to\n";
}
# What stands beside a field that was refused, which is marked.
sub beside {
	my ($b, $id) = @_;
	return $b->script('const f = document.getElementById(arguments[0]), e = document.getElementById(arguments[0] + "-error"); return e '
		. '&& f.getAttribute("aria-describedby").includes(e.id) && !document.querySelector("[role=alert]") ? e.textContent : null',
		$id);
}

# Pictures: 24 bits, or one of grey, which takes little however large it is; noise, which can't be made smaller.
sub chunk { my ($type, $data) = @_; return pack('N', length $data) . $type . $data . pack('N', Compress::Zlib::crc32($type . $data)) }
sub png {
	my ($w, $h, $kind, $row) = @_;
	return "\x89PNG\r\n\x1a\n" . chunk('IHDR', pack('NNCCCCC', $w, $h, @$kind, 0, 0, 0))
		. chunk('IDAT', Compress::Zlib::compress(join '', map { "\0" . $row->($_) } 1 .. $h)) . chunk('IEND', '');
}
my $wide = png(300, 120, [8, 2], sub { my $y = $_[0]; return join '', map {
	pack 'C3', $_ < 120 && ($_ + $y) % 40 < 20 ? (10, 92, 158) : (240, 180, 40);
} 1 .. 300 });
my $tall = png(80, 200, [8, 2], sub { "\xb0\x30\x60" x 80 });
srand 1;
sub noise { my ($n) = @_; return png(400, int($n / 1200), [8, 2], sub { join '', map { chr int rand 256 } 1 .. 1200 }) }
sub choose {
	my ($b, $name, $bytes) = @_;
	Vitrine::Stack::spew("$stack->{dir}/$name", $bytes);
	$b->attach('#file', "$stack->{dir}/$name");
	return $b->click('form[action$="/branding/logo"] button');
}

# ---- a logo

my $ann = sign_in(Vitrine::Browser->new($stack, width => 1280, height => 900), 'ann');
$ann->go("$app/w/$ws/settings")->follow('Branding');
$ann->wait_text(qr/Upload logo/);
is $ann->text('nav.side [aria-current]'), 'Branding', 'it has a place among the settings';
seen($ann, 'nothing chosen yet');
choose($ann, 'logo.png', $wide);
$ann->wait_text(qr/Logo saved.*Replace logo/s);
is $ann->script('return [...document.images].filter(i => i.src.includes("/v1/logos/")).map(i => '
	. '`${i.naturalWidth}x${i.naturalHeight}`).join(" ")'), join(' ', ('300x120') x 4), 'it is shown, and in each preview';
my $first = branding()->{logo_url};
seen($ann, 'a logo');
choose($ann, 'another.png', $tall);
# The page before says "Logo saved", too.
Vitrine::Stack::wait_for('another logo', 60, sub { branding()->{logo_url} ne $first });
$ann->wait_text(qr/Logo saved/);
isnt branding()->{logo_url}, $first, 'another one takes its place';
is $api->call(GET => $first =~ s{^https://[^/]+}{}r)->{status}, 404, 'whose address is over';
$first = branding()->{logo_url};
for (['an SVG that calls itself PNG', 'svg.png', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
	qr/^Isn't a PNG, JPEG or WebP image, whatever its name/],
	['5000 by 5000 pixels', 'huge.png', png(5000, 5000, [1, 0], sub { "\0" x 625 }), qr/^Is 5000x5000; the maximum is 4096x4096/],
	['more than a logo may have', 'heavy.png', noise(1_090_000), qr/^Is 1\.1 MB; the maximum is 1(?:\.0)? MB\.$/],
	['much more', 'heavier.png', noise(3_000_000), qr/^Is 3\.0 MB; the maximum is 1\.0 MB\.$/],
	['half a picture', 'half.png', substr($wide, 0, 200), qr/^The PNG image is damaged/]) {
	my ($name, $file, $bytes, $why) = @$_;
	choose($ann, $file, $bytes);
	Vitrine::Stack::wait_for($name, 60, sub {
		eval { (beside($ann, 'file') // $ann->text('main')) =~ $why && $ann->script('return document.readyState === "complete"') };
	});
	like beside($ann, 'file') // $ann->text('main'), $why, "refused beside the field: $name";
	is $ann->script('return document.activeElement.id'), 'file', '... which has the focus';
	is branding()->{logo_url}, $first, '... and the logo stays';
	seen($ann, "a refused picture", refused => 1) if $file eq 'huge.png';
	$ann->complaints;
}
$ann->go($page)->click('form[action$="/logo/remove"] button');
$ann->wait_text(qr/Logo removed\..*Upload logo/s);
is branding()->{logo_url}, undef, 'removed';
is $ann->script('return document.querySelectorAll("aside img").length'), 0, '... from the preview, too';
choose($ann, 'logo.png', $wide);
$ann->wait_text(qr/Logo saved/);

# ---- name, colour, footer, our name

my $evil = '<b>Nørd</b> "&\' {{me}} </title> https://evil.example';
my $footer = '</td><img src=//evil.example/x> © 2026';
is $ann->script('return document.querySelector("[type=color]").hidden'), Cpanel::JSON::XS::false, 'a colour can be picked';
$ann->script('const p = document.querySelector("[type=color]"); p.value = "#123456"; '
	. 'p.dispatchEvent(new Event("input", { bubbles: true }))');
is $ann->script('return document.querySelector("#color").value'), '#123456', '... which is then what is typed';
for ('red', '#fff', '#0a5c9g', '#fff;x:y') {
	$ann->script('document.documentElement.dataset.before = 1; document.querySelector("#color").removeAttribute("maxlength")');
	$ann->fill('#display_name', $evil)->fill('#footer', $footer)->fill('#color', $_)->click('form[action$="/branding"] button.primary');
	Vitrine::Stack::wait_for('the refusal', 60, sub { eval {
		$ann->script('return document.querySelector("#color").value') eq $_
			&& $ann->script('return !document.documentElement.dataset.before && !!document.querySelector("#color-error")');
	} });
	is beside($ann, 'color'), 'Must be # and six hexadecimal digits, such as #1a2b3c.', "the colour $_ is refused beside its field";
}
is $ann->script('return document.querySelector("#display_name").value'), $evil, 'what else was typed is there';
seen($ann, 'a refused colour', refused => 1);
$ann->script('document.querySelector("#support_email").type = "text"');
$ann->fill('#color', '#0A5C9E')->fill('#support_email', "x\@y")->click('form[action$="/branding"] button.primary');
$ann->wait_text(qr/Must be one e-mail address/);
is beside($ann, 'support_email'), 'Must be one e-mail address, such as help@example.org.', 'nor what is no address';
$ann->complaints;
$ann->fill('#support_email', 'a?bcc=x@example.org')->click('#hide_vitrine')->click('form[action$="/branding"] button.primary');
$ann->wait_text(qr/This workspace’s plan, Free/);
is beside($ann, 'hide_vitrine'), 'This workspace’s plan, Free, doesn’t include this; you need Pro, Team or Enterprise.',
	'what the plan lacks is told beside its box, and which plans have it';
is $ann->script('return document.querySelector("#hide_vitrine").checked'), Cpanel::JSON::XS::true, '... which is as it was left';
is branding()->{display_name}, undef, '... and nothing is saved';
is $ann->script('return document.querySelector("[type=color]").value'), '#0a5c9e', '... nor is the colour another';
seen($ann, 'what the plan does not have', refused => 1);
$ann->click('#hide_vitrine')->click('form[action$="/branding"] button.primary');
$ann->wait_text(qr/Saved\./);
my %saved = (display_name => $evil, color => '#0a5c9e', support_email => 'a?bcc=x@example.org', footer => $footer,
	hide_vitrine => Cpanel::JSON::XS::false);
is_deeply { %{branding()}, logo_url => undef }, { %saved, logo_url => undef }, 'saved as it was typed';
is $ann->script('return document.querySelectorAll("aside b").length'), 5, 'no name is markup in the preview';
is $ann->script('return [...document.querySelectorAll("aside .band rect")].map(r => getComputedStyle(r).fill).join()'),
	join(',', ('rgb(10, 92, 158)') x 3), 'which has the colour';
like $ann->text('aside'),
	qr/\Q$evil\E.*on Vitrine.*invites you to \Q$evil\E.*Sent by Vitrine.*\Q$footer\E.*Questions\? a\?bcc=x\@example\.org/s,
	'... and the rest';
is $ann->title, 'Branding · Northwind Studio · Vitrine', 'the workspace is called what it is on its own pages';
seen($ann, 'all of it, hostile');

# ---- a host of its own

$ann->click('form[action$="/subdomain"] button');
$ann->wait_text(qr/doesn’t include this; you need Team or Enterprise/);
is $ann->script('const b = document.querySelector("[name=enabled]"), e = b.nextElementSibling; return document.activeElement === b && '
	. 'e.className + ": " + e.textContent'), 'error: This workspace’s plan, Free, doesn’t include this; you need Team or Enterprise.',
	'the plan\'s refusal stands beside the switch';
seen($ann, 'a host that the plan does not have', refused => 1);
$stack->ctl(qw(workspace plan), $ws, 'team');
my $taken = $api->publish($user{eve}, slug => 'northwind', visibility => 'private', files => { 'index.html' => 'x' });
$ann->click('form[action$="/subdomain"] button');
$ann->wait_text(qr/An artifact already has this address/);
$ann->complaints;
as('eve', DELETE => "/v1/artifacts/$taken?purge=1");
$db->do("DELETE FROM slug WHERE slug = 'northwind'");
$ann->click('form[action$="/subdomain"] button');
$ann->wait_text(qr/The address is on\..*northwind\.pages\.localhost/s);
as('ann', PUT => "/v1/workspaces/$ws/branding", { %saved, hide_vitrine => Cpanel::JSON::XS::true });
$ann->go($page);
is $ann->script('return document.querySelector("#hide_vitrine").checked'), Cpanel::JSON::XS::true, 'our name is hidden';
unlike $ann->text('aside'), qr/Vitrine(?! at|\.)/, '... in the preview';
seen($ann, 'with an address');
my $site = "https://northwind.pages.localhost:$stack->{port}";
my $b = Vitrine::Browser->new($stack)->go("$site/");
$b->wait_text(qr/Nothing is public here yet/);
is $b->text('h1'), $evil, 'its front page';
unlike $b->script('return document.documentElement.outerHTML'), qr/Vitrine/, '... does not name us';
is $b->script('return document.querySelector("footer a").getAttribute("href")'), 'mailto:a%3Fbcc%3Dx@example.org',
	'an address adds no recipient';
is $b->script('return document.querySelectorAll("h1 *, footer img, title *").length'), 0, 'no name is markup there';
for ('/favicon.txt', '/A%20b/', '/x.y/', '/_vitrine/x') {
	my $r = $api->get_site('northwind', $_);
	is $r->{status}, 404, "nothing is at $_";
	like $r->{body}, qr/<h1>Page not found<.*fill="#0a5c9e"|fill="#0a5c9e".*<h1>Page not found</s, '... in its colours';
}
$b->go("$site/No.such.page");
seen($b, 'no such page on the front page\'s host', refused => 1);
my ($there, $nowhere) = map { my $label = $_; $api->get_site("x--$label", '/')->{body} =~ s/$label/LABEL/gr } qw(northwind nobody);
is $there, $nowhere, 'the wall of a page\'s host is that of any other';
like $there, qr/Page not found/, '... and is one';
$ann->go($page)->follow('Turn off');
$ann->wait_text(qr/Turn off northwind\.pages\.localhost\?/);
seen($ann, 'to turn off?');
$ann->click('button.danger');
$ann->wait_text(qr/The address is off\./);
unlike $api->get_site('northwind', '/')->{body}, qr/0a5c9e|rd<|evil/, 'off, its host tells nothing of it';
is $ann->script('return document.querySelector("[name=enabled]").textContent'), 'Turn on', 'and can be turned on again';

# ---- mail

sub invite {
	my ($email) = @_;
	is as('ann', POST => "/v1/workspaces/$ws/members/invite", { emails => [$email] })->{status}, 201, "$email is invited";
	return letter($email, qr/invites you/);
}
my $mail = invite('dora@example.org');
is $mail->{headers}{subject}, "Ann Archer invites you to $evil", 'the subject has the name as it is, in one line';
is_deeply [sort grep { /bcc|cc|reply|x-/i } keys %{$mail->{headers}}], ['x-vitrine-event'], 'it adds no header';
is_deeply $mail->{defects} // [], [], 'and no defect';
my ($text, $html) = @{$mail->{parts}}{'text/plain', 'text/html'};
my ($link) = $text =~ m{(\Q$app\E/auth/invite\?t=\w{43})};
like $text =~ s/\x{2060}//gr, qr{\n-- \n\Q$evil\E\n\Q$footer\E\nQuestions\? a\?bcc=x\@example\.org\n\Q$app\E\s*\z},
	'the text ends with who they are and whom to ask';
unlike $text, qr/Vitrine|evil\.example/, '... and names neither us nor a link of theirs';
unlike $html, qr/Vitrine|evil\.example|<b>|<img src=\/\//, 'nor does the other part';
my ($logo) = $html =~ /<img src="([^"]+)" alt=""/;
is $logo, branding()->{logo_url}, 'the logo is there by its address';
is scalar(() = $html =~ /<img|url\(|background="/g), 1, '... and nothing else is fetched';
is +(invite('hugo@example.org')->{parts}{'text/html'} =~ /<img src="([^"]+)"/)[0], $logo, '... nor can it tell who reads it';
like $html, qr/bgcolor="#0a5c9e"/, 'the colour, too';
like $html, qr/href="mailto:a%3Fbcc%3Dx\@example\.org"/, 'an address adds no recipient';
Vitrine::Stack::spew("$stack->{dir}/mail.html", $html =~ s/([^\x00-\x7f])/sprintf '&#%d;', ord $1/ger);
$b->go("file://$stack->{dir}/mail.html");
is $b->script('return document.querySelectorAll("script, b").length'), 0, 'a browser finds no markup of theirs in it';
is $b->script('return document.querySelector("[bgcolor]").textContent.trim()'), '', 'the strip has no text';
like $b->text('body'), qr/\A\Q<b>N\Eørd/, 'without the picture the name stands there';
$b->looks('brand-mail');

# ---- what the link opens; and walls, which tell nothing

$b->go($link);
like $b->text('body'), qr/\Q$evil\E.*Join \Q$evil\E.*\Q$footer\E.*a\?bcc=x\@example\.org/s, 'the invitation shows who they are';
unlike $b->script('return document.body.outerHTML'), qr/Vitrine/, '... and not who we are';
is $b->script('return document.querySelectorAll("main b, footer img").length'), 0, 'no name is markup';
is $b->script('return document.querySelector(".brand img").naturalWidth'), 300, 'with the logo';
seen($b, 'an invitation');
as('ann', PUT => "/v1/workspaces/$ws/branding",
	{ %saved, display_name => 'Nørd', footer => 'Nørd AS, Oslo', support_email => 'help@example.org' });
$b->go($link);
like $b->text('body'), qr/Join Nørd.*Nørd AS, Oslo.*help\@example\.org.*Vitrine at/s, 'our name stands there unless it is hidden';
seen($b, 'an invitation with our name');
$b->click('button[value=decline]');
like $b->wait_text(qr/Invitation declined/), qr/You haven’t joined Nørd/, 'declined';
$b->go($link);
my $over = $b->wait_text(qr/This invitation is no longer valid/);
$b->complaints;
unlike $b->script('return document.documentElement.outerHTML'), qr/Nørd|0a5c9e|v1\/logos/, 'a link that is over tells nothing';
$mail = invite('eve@example.org');
Vitrine::Stack::spew("$stack->{dir}/mail.html", $mail->{parts}{'text/html'} =~ s/([^\x00-\x7f])/sprintf '&#%d;', ord $1/ger);
$b->go("file://$stack->{dir}/mail.html");
$b->looks('brand-mail-plain');
like $mail->{parts}{'text/plain'}, qr/\n-- \nNørd\nNørd AS, Oslo\nQuestions\? help\@example\.org\nSent by Vitrine, \Q$app\E/,
	'in the text, too';
my $eve = sign_in(Vitrine::Browser->new($stack, width => 390, height => 844, dark => 1), 'eve');
$eve->go("$app/auth/invites");
like $eve->wait_text(qr/Nørd/), qr/invited by Ann Archer/, 'the list has the name that they use outside';
is $eve->script('return document.querySelector("li img").naturalWidth'), 300, '... and the logo';
seen($eve, 'a list of invitations');
is as('eve', GET => '/v1/invites')->{json}{invites}[0]{workspace}{logo_url}, branding()->{logo_url}, '... as the API has it';
is as('eve', GET => '/v1/invites')->{json}{invites}[0]{workspace}{name}, 'Northwind Studio', '... where the name is the workspace\'s';
for ([GET => '/branding'], [POST => '/branding', 'display_name=x'], [POST => '/branding/logo/remove', ''],
	[POST => '/subdomain', 'enabled=1'], [GET => '/subdomain/off'], [POST => '/subdomain/off', '']) {
	my ($method, $path, $body) = @$_;
	my %other = map { my $v = Vitrine::Visitor->new($api); $v->sign_in("$_\@example.org", 'the password'); ($_ => $v) } qw(eve ben);
	my %sent = defined $body ? (body => $body, headers => { 'Content-Type' => 'application/x-www-form-urlencoded' }) : ();
	my $none = $other{eve}->send($method, "/w/wsp_" . '0' x 26 . $path, %sent);
	my $r = $other{eve}->send($method, "/w/$ws$path", %sent);
	is $r->{status} . $r->{body} =~ s/wsp_\w+|request=\w+/WSP/gr, "404" . $none->{body} =~ s/wsp_\w+|request=\w+/WSP/gr,
		"to others there is none: $method $path";
	unlike $r->{body}, qr/Nørd|Northwind|0a5c9e|v1\/logos/, '... and nothing is told of it';
	is $other{ben}->send($method, "/w/$ws$path", %sent)->{status}, $path eq '/branding' && $method eq 'GET' ? 200 : 403,
		"to a member: $method $path";
}
my $sent = Vitrine::Visitor->new($api);
$sent->sign_in('ann@example.org', 'the password');
$logo = branding()->{logo_url};
my $form = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"logo.png\"\r\nContent-Type: image/png\r\n\r\n"
	. "$tall\r\n--b--\r\n";
is $sent->send(POST => "/w/$ws/branding/logo", body => $form, headers => { 'Content-Type' => 'multipart/form-data; boundary=b',
		'Sec-Fetch-Site' => 'cross-site', Origin => 'https://evil.example' })->{status}, 403,
	'no other site sends a picture for who is signed in';
is branding()->{logo_url}, $logo, '... and none is set';
is $sent->send(POST => "/w/$ws/branding/logo", body => $form, headers => { 'Content-Type' => 'multipart/form-data; boundary=b' })->{status},
	303, 'a browser without script sends one';

for ('display_name=a%0D%0ABcc%3A+x%40y.example', 'display_name=a%E2%80%AEb', 'footer=a%0Ab', 'footer=%E2%80%A8',
	'support_email=a%40b.example%0D%0ABcc%3A+x%40y.example', 'support_email=a%40b.example%2Cc%40d.example', 'color=%230a5c9e%0A') {
	is $sent->send(POST => "/w/$ws/branding", body => $_,
			headers => { 'Content-Type' => 'application/x-www-form-urlencoded' })->{status}, 400,
		"two lines, or text that turns round, are refused: $_";
}
is branding()->{display_name}, 'Nørd', '... and change nothing';

# ---- a member reads

my $ben = sign_in(Vitrine::Browser->new($stack, width => 390, height => 844, dark => 1), 'ben');
$ben->go($page);
$ben->wait_text(qr/Shown as\s+Nørd.*Only admins can change this/s);
is $ben->script('return document.querySelectorAll("main form, main .danger").length'), 0,
	'a member is offered nothing that only admins may';
seen($ben, 'as members have it');

# ---- what is told of later, and names of any length on a small telephone

as('ann', PATCH => "/v1/workspaces/$ws/members/$user{ben}{id}", { role => 'admin' });
$mail = letter('ben@example.org', qr/Your role in Nørd has changed/);
like $mail->{parts}{'text/plain'}, qr/Open workspace:\n\Q$app\E\/w\/$ws\n/, 'later mail is of the workspace, too, and leads there';
like $mail->{parts}{'text/html'}, qr/v1\/logos/, '... with its logo';
as('ann', PUT => "/v1/workspaces/$ws/branding",
	{ %saved, display_name => 'W' x 120, footer => 'f' x 200, support_email => 'a' x 60 . '@' . 'b' x 60 . '.example' });
as('ann', POST => "/v1/workspaces/$ws/subdomain", { enabled => Cpanel::JSON::XS::true });
($link) = invite('ina@example.org')->{parts}{'text/plain'} =~ m{(\Q$app\E/auth/invite\?t=\w{43})};
$_->width(320) for $ann, $b, $ben;
for ([$ann, $page], [$b, $link], [$b, "$site/"], [$b, "$site/x.y"], [$ann, "$app/w/$ws/subdomain/off"]) {
	my ($who, $to) = @$_;
	$who->go($to);
	is join('; ', $who->barriers), '', '320 pixels: ' . ($to =~ s/$ws|t=.*/…/gr) . ' fits';
	$who->screenshot('brand-320-' . ($to =~ s{^https://}{}r =~ s{$ws|t=.*|\W}{-}gr));
}
finish($stack);
