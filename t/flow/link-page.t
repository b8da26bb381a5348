# SPDX-License-Identifier: Apache-2.0
# Delivery links in the browser: files chosen in the library, behind a gate, until a day; sent to people; opened by somebody without an
# account; changed, revoked; what is refused, beside its field; and who sees whose. Each page is looked at in both widths and both themes.
use utf8;
use Vitrine::Browser 'seen';
use Vitrine::Smtp;
use Vitrine::Visitor;
use Vitrine::Words 'as';

my $smtp = Vitrine::Smtp->new;
my ($stack, $api, $db) = stack($smtp->conf);
my $app = "https://vitrine.localhost:$stack->{port}";
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben eve);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for keys %user;
my $ws = as('ann', POST => '/v1/workspaces', { name => 'Northwind Studio' })->{json}{workspace}{id};
$stack->seat($ws, $user{ben}, 'member');
my $team = "$app/w/$ws/library";
sub file {
	my ($who, $name, %in) = @_;
	my $at = delete $in{at} // "/v1/workspaces/$ws/assets";
	my $up = as($who, POST => "$at/upload", { filename => $name })->{json};
	$api->call(PUT => $up->{uploadUrl} =~ s/^\Q$app\E//r, { body => "bytes of $name", type => 'application/octet-stream' });
	return as($who, POST => "$at/deliverables", { blobId => $up->{tokenId}, %in })->{json}{deliverable}{id};
}
my %file = map { $_ => file(ann => $_, visibility => 'workspace') } 'film <b>one.mp4', 'plan.pdf', 'rest.zip';
my ($ann, $eve) = map { Vitrine::Browser->new($stack, @$_) } [width => 1280, height => 900],
	[width => 390, height => 844, dark => 1, person => 1];
$ann->sign_in('ann@example.org', 'the password');
sub pick {
	my ($b, @names) = @_;
	$b->script('for (const n of arguments[0]) document.querySelector(`.pick[aria-label="Select ${n}"]`).click()', \@names);
	return $b;
}
sub set {
	my ($b, %to) = @_;
	$b->script('const e = document.getElementById(arguments[0]); e.value = arguments[1]; '
		. 'e.dispatchEvent(new Event("change", { bubbles: true }))', $_, $to{$_}) for sort keys %to;
	return $b;
}
sub shown {
	my ($b) = @_;
	return join ' ', @{$b->script('return ["password", "domains", "until"].filter(i => document.getElementById(i).offsetParent)')};
}
sub create { my ($b) = @_; return $b->click('form[method=post] button.primary') }
sub beside {
	my ($b, $field) = @_;
	return $b->script('const e = document.getElementById(arguments[0]); '
		. 'return e.getAttribute("aria-invalid") + " " + document.activeElement.id', $field);
}

# ---- made of files that were chosen

$ann->go("$team/links");
$ann->wait_text(qr/No delivery links yet/);
seen($ann, 'no links');
pick($ann->go($team), 'film <b>one.mp4', 'plan.pdf')->click('#chosen button.primary');
$ann->wait_text(qr/New delivery link.*2 files.*film <b>one\.mp4.*plan\.pdf|New delivery link.*2 files.*plan\.pdf.*film <b>one\.mp4/s);
is shown($ann), '', 'fields that a choice doesn\'t need are not shown';
seen($ann, 'a new link');
is shown(set($ann, gate => 'password', expires => 'date')), 'password until', '... and those that it needs are';
set($ann, password => 'short', until => '2999-01-01');
create($ann)->wait_text(qr/Must be at least 6 characters\./);
is beside($ann, 'password'), 'true password', 'a password that is too short is told beside its field';
seen($ann, 'a link that is refused', refused => 1);
set($ann, gate => 'none');
create($ann)->wait_text(qr/2999-01-01T23:59:59Z must be in the future, and within 5 years/);
is beside($ann, 'until'), 'true until', '... a day that is too far beside its own';
set($ann, until => '');
create($ann)->wait_text(qr/Choose a day\./);
set($ann, expires => '7', gate => 'domain', domains => "client.example, gmail.com");
create($ann)->wait_text(qr/Anyone can get an address/i);
is beside($ann, 'domains'), 'true domains', '... and a domain that is anyone\'s';
$ann->complaints;
set($ann, gate => 'none', expires => 'never', name => 'a/b');
create($ann)->wait_text(qr/Must be a file name without folders/);
is beside($ann, 'name'), 'true name', '... and a title that can\'t be';
is $db->selectrow_array('SELECT COUNT(*) FROM asset_collection') + $db->selectrow_array('SELECT COUNT(*) FROM delivery_link'), 0,
	'nothing was made';
$ann->complaints;
set($ann, name => 'Spring launch');
create($ann)->wait_text(qr/Link created\..*Files.*Opened\s+Not yet/s);
my ($id) = $ann->url =~ m{/links/(lnk_\w+)\?done=link_made};
my $url = $ann->text('.copy a');
like $url, qr{^\Q$app\E/d/\w{49}$}, 'its address is shown';
is $ann->script('return document.querySelector(".copy [data-copy]").hidden'), $false, '... to be copied';
seen($ann, 'a link');

# ---- opened by somebody without an account

$eve->go($url);
$eve->wait_text(qr/Spring launch.*plan\.pdf/s);
$ann->go("$team/links/$id")->wait_text(qr/Opened\s+1 time, first/);
like $ann->go($team)->text('#listing'), qr/plan\.pdf\s+17 bytes\s+1\s+delivery link\b/, 'a file says that a link shows it';
unlike $ann->text('#listing'), qr/rest\.zip\s+\d+ bytes\s+\d+ delivery/, '... and another that none does';

# ---- changed

$ann->go("$team/links/$id");
is $ann->script('return document.getElementById("gate").value + " " + document.getElementById("expires").value'), 'keep keep',
	'nothing is changed that isn\'t said';
set($ann, gate => 'password');
create($ann)->wait_text(qr/Is required by the gate/i);
is beside($ann, 'password'), 'true password', 'a gate without what it needs is refused beside the field';
$ann->complaints;
set($ann, password => 'open sesame', expires => '7');
create($ann)->wait_text(qr/Saved\..*With a password.*Expires\s+\w+ \d+/s);
seen($ann, 'a link with a password');
$eve->go($url);
$eve->wait_text(qr/Enter the password/);
set($ann, expires => '30');
create($ann)->wait_text(qr/Saved\..*Expires\s+\w+ \d+/s);
is $db->selectrow_array('SELECT gate FROM delivery_link'), 'password', 'what stays as it is stays';

# ---- sent

$ann->go("$team/$file{'rest.zip'}")->follow('Share by link');
$ann->wait_text(qr/New delivery link.*1 file\b/s);
is $ann->script('return document.getElementById("name").value'), 'rest.zip', 'one file names the link';
set($ann, to => "cid\@example.org\ncid\@example.org", message => 'Here it is.');
create($ann)->wait_text(qr/appears twice/);
is beside($ann, 'to'), 'true to', 'an address twice is told beside the field';
set($ann, to => 'nobody');
create($ann)->wait_text(qr/nobody isn't an e-mail address\./);
is beside($ann, 'to'), 'true to', '... as is what is none';
$ann->complaints;
set($ann, to => "cid\@example.org, dan\@example.org");
create($ann)->wait_text(qr/Sent\. Each address has a link of its own\.(?=.*To dan\@example\.org).*To cid\@example\.org/s);
seen($ann, 'the links');
$stack->runner;
my @mails = grep { $_->{headers}{to} !~ /ann/ } $smtp->mails;
is join(' ', sort map { $_->{headers}{to} } @mails), 'cid@example.org dan@example.org', 'both are mailed';
$ann->go("$app/library/links");
$ann->wait_text(qr/No delivery links yet/);
my $own = file(ann => 'own.txt', at => '/v1/assets');
$ann->go("$app/library/share?file=$own");
set($ann, to => 'cid@example.org');
create($ann)->wait_text(qr/own\.txt.*Sent\..*Sent to\s+cid\@example\.org/s);
seen($ann, 'a link of one\'s own that was sent');
$ann->go("$app/library/share?file=$own");
set($ann, message => "For you,\nas agreed.");
create($ann)->wait_text(qr/Link created\..*Message\s+For you,\s+as agreed\./s);
$eve->go($ann->script('return document.querySelector(".copy a").href'))->wait_text(qr/own\.txt.*For you,\s+as agreed\./s);
pass 'the message of a link to pass on stands with its files';

# ---- revoked

$ann->go("$team/links/$id")->follow('Revoke')->wait_text(qr/Revoke the link to Spring launch\?/);
seen($ann, 'to revoke it?');
$ann->click('button.danger')->wait_text(qr/Revoked\. The link no longer opens\./);
is $ann->script('return document.querySelectorAll(".copy, .gated").length'), 0, 'its address and the form are gone';
seen($ann, 'a revoked link');
$eve->go($url);
$eve->wait_text(qr/Page not found|nothing/i);
$db->do("UPDATE delivery_link SET expires_at = 1 WHERE recipient = 'dan\@example.org'");
$ann->go("$team/links")->wait_text(qr/(?=.*Expired)(?=.*Open).*Revoked/s);
is scalar(@{$ann->script('return [...document.querySelectorAll("td.acts [data-copy]")].map(e => e.previousElementSibling.textContent)')}),
	1, 'only what opens can be copied';

# ---- whose they are

my $bens = file(ben => 'of ben.txt');
my %come = map { my $v = Vitrine::Visitor->new($api); $v->sign_in("$_\@example.org", 'the password'); $_ => $v } qw(eve ben ann);
my @same = (headers => { 'Sec-Fetch-Site' => 'same-origin', 'Content-Type' => 'application/x-www-form-urlencoded' });
sub status {
	my ($who, $method, $path, $body) = @_;
	return $come{$who}->send($method => $path, @same, $method eq 'POST' ? (body => $body // '') : ())->{status};
}
is status(ben => POST => "/w/$ws/library/share", "file=$bens&gate=none&expires=never&name=Of+Ben"), 303,
	'a member makes one, by a form alone';
my ($of_ben) = $come{ben}{page}{headers}{location} =~ /(lnk_\w+)/;
like $come{ann}->go("/w/$ws/library/links/$of_ben")->{text}, qr/by ben\@example\.org/, 'who governs the workspace sees it';
unlike $come{ann}{page}{text}, qr{/d/\w{20}|id="gate"}, '... but neither its address nor how to change it';
is status(ben => GET => "/w/$ws/library/links/$id"), 404, 'a member doesn\'t see others\'';
is status(ben => POST => "/w/$ws/library/links/$id/revoke"), 404, '... nor revoke them';
is status(ben => POST => "/w/$ws/library/links/$id", 'gate=none&expires=keep'), 404, '... nor change them';
is status(ben => POST => "/w/$ws/library/share", "file=$own&gate=none&expires=never"), 404, 'what one doesn\'t see one can\'t share';
is status(eve => $_->[0] => $_->[1], 'gate=none&expires=keep'), 404, "an outsider: $_->[0] $_->[1]"
	for [GET => "/w/$ws/library/links"], [GET => "/w/$ws/library/links/$of_ben"], [POST => "/w/$ws/library/links/$of_ben"],
		[POST => "/w/$ws/library/links/$of_ben/revoke"], [GET => "/library/links/$of_ben"];
is status(ann => POST => "/w/$ws/library/links/$of_ben", 'gate=none&expires=keep'), 404, 'only its maker changes it';
is status(ann => POST => "/w/$ws/library/links/$of_ben/revoke"), 303, 'who governs the workspace revokes it';
is $db->selectrow_array('SELECT revoked_at IS NOT NULL FROM delivery_link WHERE id = ?', undef, $of_ben), 1;
is status(ann => GET => "/w/$ws/library/share"), 303, 'without files one is back in the library';
finish($stack);
