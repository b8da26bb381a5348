# SPDX-License-Identifier: Apache-2.0
# A workspace's clients in the browser: one is made, its people are invited, something is shared with it, changed and stopped; its notes,
# tokens, and settings; what is refused, in which words; and what members, people outside, and workspaces whose plan doesn't include it get.
# Each page is looked at in both widths and themes.
use utf8;
use MIME::Base64;
use Vitrine::Browser qw(seen row);
use Vitrine::Visitor;
use Vitrine::Words 'as';

my ($stack, $api, $db) = stack(publish_per_hour => 1000);
my $app = "https://vitrine.localhost:$stack->{port}";
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben cat eve);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for keys %user;
$db->do("UPDATE user SET name = 'Priya Nair' WHERE id = ?", undef, $user{cat}{id});
my $ws = as('ann', POST => '/v1/workspaces', { name => 'Northwind Studio' })->{json}{workspace}{id};
my $theirs = as('eve', POST => '/v1/workspaces', { name => 'Elsewhere' })->{json}{workspace}{id};
$stack->seat($ws, $user{ben}, 'member');
sub plan_is { $db->do('UPDATE workspace SET plan_id = ? WHERE id = ?', undef, @_[1, 0]) }

my ($ann, $ben) = map { Vitrine::Browser->new($stack, @$_) } [width => 1280, height => 900], [width => 390, height => 844, dark => 1];
$ann->sign_in('ann@example.org', 'the password');
$ben->sign_in('ben@example.org', 'the password');
# What stands beside a field that was refused, which is marked.
sub beside {
	my ($b, $id) = @_;
	return $b->script('const f = document.getElementById(arguments[0]), e = document.getElementById(arguments[0] + "-error"); return e '
		. '&& f.getAttribute("aria-describedby").includes(e.id) && !document.querySelector("[role=alert]") ? e.textContent : null',
		$id);
}
sub choose { my ($b, $css, $value) = @_; $b->script('document.querySelector(arguments[0]).value = arguments[1]', $css, $value); return $b }
sub api { my ($what, %o) = @_; return as('ann', GET => "/v1/workspaces/$ws/$what", %o)->{json} }

# ---- where the plan doesn't include it

plan_is($ws, 'free');
$ann->go("$app/w/$ws");
sub places { return $_[0]->script('return [...document.querySelectorAll("nav[aria-label=Main] a")].map(a => a.textContent).join()') }
unlike places($ann), qr/Clients/, 'a place that the plan lacks is none';
$ann->go("$app/w/$ws/clients")
	->wait_text(qr/Sharing with clients isn’t in your plan.*Free doesn’t include it\. You need Team or Enterprise\./s);
seen($ann, 'not in the plan');
$ann->follow('See plans')->wait_text(qr/Clients\s+Share folders/);
plan_is($ws, 'team');

# ---- one is made

$ann->go("$app/w/$ws")->follow('Clients');
$ann->wait_text(qr/No clients yet.*They see nothing else/s);
is $ann->text('nav[aria-label=Main] [aria-current]'), 'Clients', 'it is a place of the workspace';
seen($ann, 'no clients');
sub make {
	my ($b, $name) = @_;
	$b->click('main details.menu summary') if !$b->script('return document.querySelector("main details.menu[open]") !== null');
	return $b->fill('#name', $name)->click('.ask button');
}
make($ann, 'Harbor Foods');
$ann->wait_text(qr/Client created\..*Nothing yet/s);
my ($client) = $ann->url =~ /(shr_\w+)/;
my $page = "$app/w/$ws/clients/$client";
is $ann->text('h1'), 'Harbor Foods', 'its page is shown';
seen($ann, 'a new client');
make($ann->go("$app/w/$ws/clients"), 'HARBOR foods');
Vitrine::Stack::wait_for('a refusal', 60, sub { beside($ann, 'name') });
like beside($ann, 'name'), qr/already has a client called HARBOR foods/, 'a name that is taken is told beside the field';
is $ann->script('return document.getElementById("name").value'), 'HARBOR foods', '... with what was typed';
seen($ann, 'a name that is taken', refused => 1);
make($ann->go("$app/w/$ws/clients"), 'Lindqvist <b>&amp; Partner')->wait_text(qr/Client created/);
my ($other) = $ann->url =~ /(shr_\w+)/;

# ---- its people

$ann->go($page)->fill('#email', 'ben@example.org')->click('#people button');
Vitrine::Stack::wait_for('a refusal', 60, sub { beside($ann, 'email') });
like beside($ann, 'email'), qr/ben\@example\.org is a member of the workspace/i, 'a member is refused beside the field';
seen($ann, 'a member is no outsider', refused => 1);
$ann->go($page)->fill('#email', 'kim@harbor.example')->click('#people button');
$ann->wait_text(qr/tell them to sign in here.*kim\@harbor\.example\s+Invited/s);
$ann->fill('#email', 'cat@example.org')->click('#people button')->wait_text(qr/People\s+2.*cat\@example\.org/s);
is join(' ', sort map { $_->{email} } @{api("sharees/$client/members")->{members}}), 'cat@example.org kim@harbor.example', 'both are in it';

# ---- shared

my $folder = as('ann', POST => "/v1/workspaces/$ws/folders", { name => 'Clients' })->{json}{folder}{id};
my $inner = as('ann', POST => "/v1/workspaces/$ws/folders", { name => 'Drop-off', parent_id => $folder })->{json}{folder}{id};
my $report = as('ben', POST => '/v1/publish',
	{ name => 'Quarterly report', workspace_id => $ws, files => [{ path => 'index.html', content => 'Q' }] })->{json}{artifact}{id};
$ann->follow('Share something')->wait_text(qr{Share with Harbor Foods.*Clients/Drop-off.*Quarterly report}s);
seen($ann, 'what may be shared');
$ann->fill('#q', 'quart')->click('form[role=search] button')->wait_text(qr/Quarterly report/);
is $ann->script('return document.querySelectorAll(".rows li").length'), 1, 'a search finds it';
choose($ann, "#can-$report", 'comment');
$ann->click("form[action\$=\"$report\"] button")->wait_text(qr/Shared\. Everyone at the client can open it now\..*Quarterly report/s);
$ann->go("$page/share?q=drop");
is $ann->script('return [...document.querySelectorAll("select[name=capability] option")].map(o => o.value).join(" ")'),
	'view comment create edit', 'a folder takes all';
choose(choose($ann, "#can-$inner", 'create'), "#ends-$inner",
	$ann->script('return document.querySelectorAll("select[name=expires_at] option")[2].value'));
$ann->click("form[action\$=\"$inner\"] button")->wait_text(qr{Shared\..*Clients/Drop-off\s+Until}s);
like row($ann, 'Drop-off'), qr/Folder with everything in it · what they create in it is private · since just now/, 'what is given is said';
my %grant = map { $_->{resource_id} => $_ } @{api("grants?subject_id=$client")->{grants}};
is "$grant{$report}{capability} $grant{$inner}{capability}", 'comment create', 'they have it';
ok abs($grant{$inner}{expires_at} - time - 30 * 86400) < 600, '... until then';
$ann->go("$page/share?q=drop");
is row($ann, 'Drop-off') . $ann->script('return document.querySelectorAll(".rows form").length'),
	"Clients/Drop-off Folder, with everything in it Shared with them0", 'what they have is not offered again';
$ann->go("$page/share?q=nothing+of+it")->wait_text(qr/Nothing matches/);
seen($ann, 'nothing to share');
as('ann', POST => "/v1/workspaces/$ws/grants", { subject_type => 'external_user', subject_id => $user{cat}{id}, resource_type => 'folder',
	resource_id => $folder, capability => 'view' });
$db->do("INSERT INTO sharee_act (id, workspace_id, user_id, action, resource_type, resource_id, resource_name, at, slice) "
		. "VALUES ('sac_00000000000000000000000001', ?, ?, 'view', 'artifact', ?, 'Quarterly report', UNIX_TIMESTAMP() - 720, 1), "
		. "('sac_00000000000000000000000002', ?, ?, 'comment', 'artifact', ?, 'Quarterly report', UNIX_TIMESTAMP() - 660, 1)",
	undef, ($ws, $user{cat}{id}, $report) x 2);
$ann->go($page);
like row($ann, 'Priya Nair only'), qr/^Clients /, 'what one of them was given is there, too';
like $ann->text('main'), qr/Priya Nair commented on Quarterly report\n11 minutes ago\n.*Priya Nair viewed Quarterly report/s,
	'what they did';
like $ann->text('aside'), qr/Views.*1\nby 1 person/s, '... is counted';
like row($ann, 'cat@example.org'), qr/seen 11 minutes ago/, '... and when';
seen($ann, 'a client');
choose($ann, "#can-$grant{$inner}{id}", 'edit');
$ann->click("form[action\$=\"$grant{$inner}{id}\"] button")->wait_text(qr/Saved\. It applies right away/);
my ($now) = grep { $_->{resource_id} eq $inner } @{api("grants?subject_id=$client")->{grants}};
is "$now->{capability} $now->{expires_at}", "edit $grant{$inner}{expires_at}", 'changed, until the same day';
$ann->click("form[action\$=\"$grant{$report}{id}/stop\"] button")->wait_text(qr/Stopped\. They no longer have access\./);
is row($ann, '^Quarterly report'), '', 'no more';

# ---- all of them

$ann->follow('Clients')->wait_text(qr/Lindqvist/);
is row($ann, 'Harbor Foods'), "HF Harbor Foods 2 1 folder 11 minutes ago", 'what it has, and when somebody was seen';
is row($ann, 'Lindqvist'), "L< Lindqvist <b>&amp; Partner 0 Nothing Never", '... or nothing';
like $ann->text('main'), qr/Latest.*commented on Quarterly report\nHarbor Foods · 11 minutes ago/s, 'the latest, of whom';
seen($ann, 'clients');
$ann->fill('#q', 'KIM@')->click('form[role=search] button')->wait_text(qr/Harbor Foods/);
is $ann->script('return document.querySelectorAll("tbody tr").length'), 1, 'a client is found by one of its people';
$ann->fill('#q', 'nobody')->click('form[role=search] button')->wait_text(qr/Nothing matches/);
seen($ann, 'none matches');
$ann->go("$app/w/$ws/clients")->follow('All activity')->wait_text(qr/What people outside did.*viewed/s);
seen($ann, 'activity of all');
$ann->go($page)->follow('Activity')->wait_text(qr/What they did.*viewed/s);
seen($ann, 'activity of one');

# ---- notes

$ann->click('nav.tabs a[href$="/notes"]')->wait_text(qr/Nothing written yet/);
seen($ann, 'no notes');
$ann->fill('#note', '../x')->fill('#content', 'x')->click('#new button');
Vitrine::Stack::wait_for('a refusal', 60, sub { beside($ann, 'note') });
like beside($ann, 'note'), qr/^Must start with a letter or digit/, 'a name that can not be is told beside the field';
$ann->complaints;
$ann->fill('#note', 'renewal.md')->fill('#content',
	"# Renewal\n\nIn **March**. <script>alert(1)</script>\n\n- Monthly call\n- [Terms](https://example.org/)\n")->click('#new button');
$ann->wait_text(qr/Saved\..*Renewal\s+In March\..*Monthly call.*Only members see this/s);
is $ann->script('return document.querySelector(".prose h3").textContent + document.querySelectorAll(".prose script, h1").length'),
	'Renewal1', 'as Markdown, without what is HTML';
seen($ann, 'a note');
$ann->follow('Edit')->wait_text(qr/Text, as Markdown/);
is $ann->script('return document.getElementById("content").value'),
	"# Renewal\n\nIn **March**. <script>alert(1)</script>\n\n- Monthly call\n- [Terms](https://example.org/)\n", 'to be changed';
seen($ann, 'a note to be changed');
as('ann', PUT => "/v1/workspaces/$ws/sharees/$client/context/renewal.md", { content => 'In April.' });
$ann->fill('#content',
	'In May.')->click('form.body button.primary')->wait_text(qr/Not saved yet.*changed this note just now.*Their text.*In April/s);
is $ann->script('return document.getElementById("content").value'), 'In May.',
	'what somebody else wrote meanwhile stands beside what was typed';
seen($ann, 'two who write a note', refused => 1);
$ann->follow('Keep their text')->wait_text(qr/In April\./);
$ann->go("$page/notes/renewal.md/edit")->fill('#content',
	'In **May**.')->click('form.body button.primary')->wait_text(qr/Saved\..*In May\./s);
$ann->go("$page/notes/renewal.md/edit")->wait_text(qr/Save note/);
as('ann', DELETE => "/v1/workspaces/$ws/sharees/$client/context/renewal.md");
$ann->fill('#content', 'In **June**.')->click('form.body button.primary')->wait_text(qr/This note no longer exists/);
$ann->complaints;
$ann->click('form.body button.primary')->wait_text(qr/Saved\..*In June\./s);
$ben->go("$page/notes")->wait_text(qr/renewal\.md/);
seen($ben, 'notes, to a member');
$ben->follow('renewal.md')->wait_text(qr/In June\./);
is $ben->script('return document.querySelectorAll("main .button, main form, .tabs").length'), 0,
	'a member reads, and is offered nothing else';
seen($ben, 'a note, to a member');
unlike places($ben), qr/Clients/, '... and has no list of clients';
$ann->follow('Edit')->follow('Delete note')->wait_text(qr/Delete renewal\.md\?/);
seen($ann, 'to delete a note?');
$ann->click('button.danger')->wait_text(qr/Deleted\..*Nothing written yet/s);

# ---- tokens

$ann->follow('Tokens')->wait_text(qr/No tokens/);
seen($ann, 'no tokens');
choose($ann, '#external_user_id', $user{cat}{id})->fill('#name', 'Monthly import')->click('#new button.primary');
$ann->wait_text(qr/Copy the token now/);
my $token = $ann->text('#new-token');
like $token, qr/^sot_/, 'a token is shown';
like row($ann, 'Monthly import'), qr/For Priya Nair\. Can read artifacts, read data\./, '... for whom, and what it can';
seen($ann, 'a new token');
unlike $ann->go("$page/tokens")->text('main'), qr/\Q$token\E/, '... once';
$ann->script('document.querySelectorAll("#new [type=checkbox]").forEach(c => c.checked = false)');
$ann->click('#new button.primary')->wait_text(qr/Choose at least one scope/);
$ann->complaints;
$ann->go("$page/tokens")->click('.rows a.danger')->wait_text(qr/Revoke this token\?/);
$ann->click('button.danger')->wait_text(qr/Revoked\. Its token no longer works\..*Monthly import\s+Revoked/s);
seen($ann, 'a revoked token');

# ---- settings

$ann->click('.tabs a[href$="/settings"]')->wait_text(qr/Name and color/);
seen($ann, 'settings');
$ann->fill('#type', 'Big Client')->click('#about button.primary');
Vitrine::Stack::wait_for('a refusal', 60, sub { beside($ann, 'type') });
like beside($ann, 'type'), qr/^Must be a word of a-z/, 'a kind that is no word is told beside the field';
$ann->fill('#type', 'partner')->fill('#color', 'red')->click('#about button.primary');
Vitrine::Stack::wait_for('a refusal', 60, sub { beside($ann, 'color') });
like beside($ann, 'color'), qr/^Must be # and six hexadecimal digits/, 'a color that is none, too';
$ann->fill('#color', '#0A5C9E')->fill('#properties',
	"customer no: 4711\nvip: true\nwho: Priya & Co\nno colon here")->click('#about button.primary');
Vitrine::Stack::wait_for('a refusal', 60, sub { beside($ann, 'properties') });
like beside($ann, 'properties'), qr/“no colon here” has no colon/, 'a line that says nothing is told beside the field';
seen($ann, 'properties that can not be', refused => 1);
$ann->fill('#properties', "customer no: 4711\nvip: true\n\nwho: Priya & Co\nsize: \"12\"\n\"a:b\": null\nempty:")
	->click('#about button.primary')->wait_text(qr/Saved\./);
is_deeply api("sharees/$client")->{sharee}{properties}, { 'customer no' => 4711, vip => $true, who => 'Priya & Co', size => '12',
	'a:b' => undef, empty => '' }, 'properties are what was typed';
is $ann->script('return document.getElementById("properties").value'),
	"customer no: 4711\nvip: true\nwho: Priya & Co\nsize: \"12\"\n\"a:b\": null\nempty: \"\"\n", '... and are shown as they are';
is join(' ', @{api("sharees/$client")->{sharee}}{qw(name type)}, api("sharees/$client")->{sharee}{branding}{color}),
	'Harbor Foods partner #0a5c9e', 'the rest, too';
my $png = decode_base64('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==');
sub logo {
	my ($b, $name, $bytes) = @_;
	Vitrine::Stack::spew("$stack->{dir}/$name", $bytes);
	$b->attach('#file', "$stack->{dir}/$name");
	return $b->click('form[action$="/settings/logo"] button');
}
logo($ann, 'no.png', '<svg/>');
Vitrine::Stack::wait_for('a refusal', 60, sub { beside($ann, 'file') });
like beside($ann, 'file'), qr/PNG, JPEG or WebP/, 'a logo that is none is told beside the field';
logo($ann, 'large.png', $png . 'x' x 300_000);
Vitrine::Stack::wait_for('a refusal', 60, sub { (beside($ann, 'file') // '') =~ /maximum/ });
like beside($ann, 'file'), qr/the maximum is 262 kB/, '... and one that is too large';
$ann->complaints;
logo($ann, 'logo.png', $png)->wait_text(qr/Logo saved\..*Replace logo/s);
is api("sharees/$client")->{sharee}{branding}{color}, '#0a5c9e', 'a logo leaves the color';
seen($ann, 'settings with a logo');
$ann->click('form[action$="/logo/remove"] button')->wait_text(qr/Logo removed\./);
is api("sharees/$client")->{sharee}{branding}{logo}, undef, 'and is gone again';

# ---- narrow

$ann->width(320);
for ('', "/$client", "/$client/share", "/$client/activity", "/$client/notes", "/$client/tokens", "/$client/settings",
	"/$client/people/$user{cat}{id}/remove", "/$client/delete") {
	$ann->go("$app/w/$ws/clients$_");
	is join('; ', $ann->barriers), '', '320 pixels: /clients' . s/(?:shr|usr)_\w+/…/gr . ' fits';
	$ann->screenshot('clients-320-' . s{(?:shr|usr)_\w+|/}{-}gr);
}
$ann->width(1280);

# ---- removed, deleted

$ann->go($page)->click("a[href\$=\"$user{cat}{id}/remove\"]")->wait_text(qr/Remove Priya Nair\?/);
seen($ann, 'to remove somebody?');
$ann->click('button.danger')->wait_text(qr/Removed\. They no longer have access\..*People\s+1/s);
is join(' ', map { $_->{email} } @{api("sharees/$client/members")->{members}}), 'kim@harbor.example', 'one is left';
is row($ann, 'Priya Nair only'), '', 'what was hers alone is gone';

# ---- what others get, without scripts

my %v = map { $_ => Vitrine::Visitor->new($api) } qw(ann ben cat eve);
$v{$_}->sign_in("$_\@example.org", 'the password') for keys %v;
sub got { my ($who, $path) = @_; return $v{$who}->send(GET => "/w/$ws/clients$path")->{status} }
for ('', '/activity', "/$client", "/$client/share", "/$client/activity", "/$client/tokens", "/$client/settings", "/$client/delete",
	"/$client/people/$user{cat}{id}/remove", "/$client/notes/x.md/edit") {
	my $path = $_;
	is join(' ', map { got($_, $path) } qw(ben cat eve)), '403 404 404',
		'a member, somebody outside, and a stranger: /clients' . ($path =~ s/(?:shr|usr)_\w+/…/gr);
}
is join(' ', map { got($_, "/$client/notes") } qw(ann ben cat eve)), '200 200 404 404', 'notes are for members';
is $v{eve}->send(GET => "/w/$theirs/clients/$client")->{status}, 303, 'a workspace without the plan is told so';
plan_is($theirs, 'team');
is $v{eve}->send(GET => "/w/$theirs/clients/$client$_")->{status}, 404, "a neighbor has no such client: $_"
	for '', '/share', '/activity', '/notes', '/tokens', '/settings', '/delete';
sub told {
	my ($who, $path, $body) = @_;
	my $r = $v{$who}->send(POST => "/w/$ws/clients$path", body => $body,
		headers => { 'Content-Type' => 'application/x-www-form-urlencoded' });
	return "$r->{status}";
}
is told(ben => @$_), 403, "a member is refused: $_->[0]"
	for ['', 'name=Mine'], ["/$client/people", 'email=x@example.org'], ["/$client/settings", 'name=Mine&type=client'],
		["/$client/notes", 'note=a.md&content=x'], ["/$client/tokens", "user_id=$user{cat}{id}&scopes=data:read&days=0"],
		["/$client/share/artifact/$report", 'capability=view'], ["/$client/delete", ''];
is told(ann => "/$client/share/artifact/$report", 'capability=create'), 400, 'what the API refuses, a form is refused, too';
plan_is($ws, 'free');
$v{ann}->go("/w/$ws/clients");
like $v{ann}{page}{text},
	qr/Sharing with clients is paused.*Free doesn’t include it, so 2 clients can’t open anything here\. Nothing was deleted/s,
	'a plan that has ended leaves them asleep';
plan_is($ws, 'team');
$ann->go("$page/settings")->follow('Delete Harbor Foods')->wait_text(qr/Delete Harbor Foods\?.*This can’t be undone/s);
seen($ann, 'to delete it?');
$ann->click('button.danger')->wait_text(qr/Client deleted\./);
is join(' ', map { $_->{id} } @{api('sharees')->{sharees}}), $other, 'it is gone, and no other';
finish($stack);
