# SPDX-License-Identifier: Apache-2.0
# What admins of a workspace see and do in the browser with all of its artifacts, and what is written down of it: one is paused with a
# reason, its owner reads that, it is resumed, opened, closed and given away; the audit log tells each, is searched, and is saved as a file.
# Then those who may not.
use utf8;
use Vitrine::Browser 'seen';
use Vitrine::Visitor;
use Vitrine::Words 'as';

my ($stack, $api, $db) = stack(publish_per_hour => 1000);
my $app = "https://vitrine.localhost:$stack->{port}";
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben cat dan eve);
my %name = (ann => 'Ann Archer', ben => 'Ben Baker', cat => 'Cat Carter', dan => 'Dan <b>Dow</b>', eve => 'Eve Elms');
$db->do('UPDATE user SET name = ? WHERE id = ?', undef, $name{$_}, $user{$_}{id}) for keys %user;
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for keys %user;
sub join_as {
	my ($ws, $id, $role) = @_;
	$db->do('INSERT INTO member (workspace_id, user_id, role, joined_at) VALUES (?, ?, ?, 0)', undef, $ws, $id, $role);
	$db->do('UPDATE workspace SET people = people + 1 WHERE id = ?', undef, $ws) if $role ne 'agent';
}
my ($ws, $other) = map { as(@$_)->{json}{workspace}{id} } ['ann', POST => '/v1/workspaces', { name => 'Northwind Studio' }],
	['eve', POST => '/v1/workspaces', { name => 'Elsewhere' }];
join_as($ws, $user{ben}{id}, 'admin');
join_as($ws, $user{$_}{id}, 'member') for qw(cat dan);
sub publish {
	my ($who, $name, %o) = @_;
	my $r = as($who, POST => '/v1/publish', { name => $name, slug => lc $name =~ s/\W+/-/gr,
		files => [{ path => 'index.html', content => "this is $name" x 30 }], %o });
	is $r->{status}, 201, "published $name" or diag $r->{body};
	return $r->{json}{artifact}{id};
}
my $folder = as('cat', POST => "/v1/workspaces/$ws/folders", { name => 'Reports' })->{json}{folder}{id};
my $report = publish('cat', 'Quarterly report', workspace_id => $ws, visibility => 'public', folder_id => $folder);
my $brief = publish('dan', 'Pricing <brief>', slug => 'pricing', workspace_id => $ws);
my $handbook = publish('cat', 'Client handbook', workspace_id => $ws, visibility => 'unlisted');
my $foreign = publish('eve', 'Foreign plans', workspace_id => $other, visibility => 'public');
my $bot = as('ann', POST => "/v1/workspaces/$ws/agent-tokens",
	{ name => 'report-bot', scopes => ['artifacts:publish', 'artifacts:read'] })->{json};
is $api->call(POST => '/v1/publish', { token => $bot->{token},
	json => { name => 'Nightly figures', files => [{ path => 'index.html', content => 'x' }] } })->{status}, 201, 'an agent publishes';
my $dead = as('ann', POST => "/v1/workspaces/$ws/agent-tokens",
	{ name => 'old-bot', scopes => ['artifacts:read'] })->{json}{agent_token}{id};
as('ann', DELETE => "/v1/workspaces/$ws/agent-tokens/$dead");
my ($dead_user) = $db->selectrow_array('SELECT user_id FROM token WHERE id = ?', undef, $dead);
open my $views, '>>', "$stack->{dir}/views" or die;
print $views map { time . ".000 client-handbook v e h\n" } 1 .. 7;
close $views;
$stack->runner;

my ($ben, $cat) = map { Vitrine::Browser->new($stack, @$_) } [width => 1280, height => 900], [width => 390, height => 844, dark => 1];
sub sign_in { my ($b, $who) = @_; return $b->sign_in("$who\@example.org", 'the password') }
sub names { my ($b) = @_; return join ' | ', @{$b->script('return [...document.querySelectorAll("tbody th a")].map(a => a.textContent)')} }
sub choose {
	my ($b, $css, $value) = @_;
	$b->script('const s = document.querySelector(arguments[0]); s.value = arguments[1]; '
		. 's.dispatchEvent(new Event("change", { bubbles: true }))', $css, $value);
}
sub row_of {
	my ($b, $name) = @_;
	return $b->script('return [...document.querySelectorAll("tbody tr")].find(r => '
		. 'r.querySelector("th").textContent.includes(arguments[0]))?.innerText.replace(/\s+/g, " ")', $name);
}

# ---- the table

sign_in($ben, 'ben');
$ben->go("$app/w/$ws");
$ben->wait_text(qr/Client handbook/);
$ben->follow('Settings')->wait_text(qr/General/);
$ben->follow('Governance');
$ben->wait_text(qr/All artifacts in Northwind Studio/);
$db->do('UPDATE artifact SET updated_at = updated_at - ? WHERE id = ?', undef, @$_) for [30, $brief], [20, $report], [10, $handbook];
$ben->reload;
is names($ben), 'Nightly figures | Client handbook | Quarterly report | Pricing <brief>',
	'all of the workspace, the newest first, private ones and an agent\'s too';
is $ben->script('return [...document.querySelectorAll("[aria-sort]")].map(h => h.textContent.trim() '
	. '+ " " + h.getAttribute("aria-sort")).join()'), 'Changed descending', 'as the head says';
like row_of($ben, 'Quarterly report'), qr/quarterly-report\.pages\.localhost:\d+, in Reports Public Cat Carter v1 0 \d+ bytes just now/,
	'a row has folder, owner, visibility, version, size';
like row_of($ben, 'Nightly figures'), qr/report-bot Agent/, 'an agent is marked as one';
is $ben->script('return [...document.querySelectorAll("tr.is-public th a")].map(a => a.textContent).join()'), 'Quarterly report',
	'what is public stands out';
seen($ben, 'the table');
$ben->click('th a[href*="sort=views_30d"]');
$ben->wait_text(qr/Client handbook/);
is +(split / \| /, names($ben))[0], 'Client handbook', 'the most viewed first';
is $ben->script('return [...document.querySelectorAll("[aria-sort]")].map(h => h.textContent.trim() '
	. '+ " " + h.getAttribute("aria-sort")).join()'), 'Views descending', '... as the head says then';
like row_of($ben, 'Client handbook'), qr/\b7\b/, '... with its views';
choose($ben, '#visibility', 'public');
Vitrine::Stack::wait_for('the choice', 60, sub { $ben->url =~ /visibility=public/ });
is names($ben), 'Quarterly report', 'of a visibility';
like $ben->url, qr/sort=views_30d/, '... sorted as before';
$ben->go("$app/w/$ws/governance?owner=$user{cat}{id}&sort=size_bytes");
is names($ben), 'Quarterly report | Client handbook', 'one owner\'s, the largest first';
is $ben->script('return document.querySelector("#owner").selectedOptions[0].textContent'), 'Cat Carter (cat@example.org)',
	'... who is the one chosen';
$ben->fill('#q', 'hand')->click('form[role=search] button');
Vitrine::Stack::wait_for('the search', 60, sub { $ben->url =~ /q=hand/ });
is names($ben), 'Client handbook', 'of a name, and the owner still';
$ben->go("$app/w/$ws/governance?paused=1");
$ben->wait_text(qr/Nothing matches/);
seen($ben, 'nothing matches');
$ben->follow('Show all');
$ben->wait_text(qr/Quarterly report/);
$ben->go("$app/w/$ws/governance?owner=x&visibility=x&paused=x&sort=x");
is scalar(split / \| /, names($ben)), 4, 'choices that are none are none';

# ---- paused, with a reason; its owner reads it

$ben->go("$app/w/$ws/governance")->click("a[href\$='/governance/$report']");
$ben->wait_text(qr/Closes its pages to all visitors/);
seen($ben, 'one of them');
$ben->follow('Pause');
$ben->wait_text(qr/Pause Quarterly report\?/);
seen($ben, 'to pause?');
$ben->script('document.querySelector("#reason").removeAttribute("maxlength"); document.querySelector("#reason").value = "x".repeat(501)');
$ben->click('button.danger');
$ben->wait_text(qr/at most 500 characters|500/);
is $ben->script('return document.activeElement.id'), 'reason', 'too long a reason is told beside its field';
$ben->complaints;
$ben->fill('#reason', "Figures of May are wrong.\nAsk <Ann>")->click('button.danger');
$ben->wait_text(qr/Paused\. Its addresses are closed\./);
is $api->get_site('quarterly-report', '/')->{status}, 403, 'its page is closed';
seen($ben, 'one that is paused');
$ben->go("$app/w/$ws/governance?paused=1");
is names($ben), 'Quarterly report', 'the table finds it';
like row_of($ben, 'Quarterly report'), qr/Paused by an admin: Figures of May are wrong\. Ask <Ann>/, '... with who and why';
seen($ben, 'the table of what is paused');
sign_in($cat, 'cat');
$cat->go("$app/a/$report");
like $cat->wait_text(qr/This artifact is paused/),
	qr/An admin of Northwind Studio closed its addresses.*Reason: “Figures of May are wrong\.\s+Ask <Ann>”/s,
	'its owner reads who paused it, and why';
is $cat->script('return [...document.querySelectorAll("main a, main button")].filter(e => /resume|manage/i.test(e.textContent)).length'), 0,
	'... and is not offered to resume it';
seen($cat, 'its owner\'s page');
my $dans = Vitrine::Visitor->new($api);
$dans->sign_in('dan@example.org', 'the password');
unlike $dans->go("/a/$report")->{body}, qr/Figures of May/, 'other members are not told why';
$ben->go("$app/a/$report")->follow('Manage');
$ben->wait_text(qr/An admin closed its pages/);
$ben->follow('Settings')->wait_text(qr/General/);
$ben->follow('Governance');
$ben->go("$app/w/$ws/governance/$report")->click('form[action$="/resume"] button');
$ben->wait_text(qr/Resumed\. Its addresses are open again\./);
is $api->get_site('quarterly-report', '/')->{status}, 200, 'resumed';

# ---- an operator's pause is not an admin's to end

$stack->ctl(qw(artifact pause quarterly-report));
$ben->reload;
$ben->wait_text(qr/only they can reopen them/);
is $ben->script('return document.querySelectorAll("form[action$=resume]").length'), 0,
	'an admin is not offered to end what an operator paused';
seen($ben, 'one that an operator paused');
like $cat->go("$app/a/$report")->text('main'), qr/The operator of .* closed its addresses/, 'its owner reads who';
my $bens = Vitrine::Visitor->new($api);
$bens->sign_in('ben@example.org', 'the password');
sub sent {
	my ($v, $path, $body) = @_;
	my $r = $v->send(POST => $path, body => $body // '', headers => { 'Content-Type' => 'application/x-www-form-urlencoded' });
	utf8::decode($r->{body});
	return $r;
}
my $r = sent($bens, "/w/$ws/governance/$report/resume");
like "$r->{status} $r->{body}", qr/^403 .*The operator of the service paused this artifact, and only the operator can resume it/s,
	'... and is refused in words';
$stack->ctl(qw(artifact resume quarterly-report));

# ---- who sees it; where approvals are required, it says where to ask

$ben->go("$app/w/$ws/governance/$report");
$ben->script('document.querySelector("#visibility").value = "private"');
$ben->click('form[action$="/visibility"] button');
$ben->wait_text(qr/It is private now/);
is $api->get_site('quarterly-report', '/')->{status}, 404, 'closed at once';
as('ann', PUT => "/v1/workspaces/$ws/publish-policy", { policy => 'require_approval', approvals_required => 1 });
as('ann', PATCH => "/v1/workspaces/$ws/publish-policy", { policy => 'require_approval', approvals_required => 1 });
$ben->script('document.querySelector("#visibility").value = "public"');
$ben->click('form[action$="/visibility"] button');
$ben->wait_text(qr/Admins must approve this first/);
is $ben->script('return document.querySelector("#visibility").getAttribute("aria-invalid")'), 'true',
	'what takes approval is refused beside the field';
is $ben->script('return document.querySelector("form a").getAttribute("href")'), "/a/$report/sharing", '... and it leads to where to ask';
seen($ben, 'approval required', refused => 1);
$ben->script('document.querySelector("form a").click()');
$ben->wait_text(qr/People with access/);
as('ann', $_ => "/v1/workspaces/$ws/publish-policy", { policy => 'open' }) for qw(PUT PATCH);
$ben->go("$app/w/$ws/governance/$report");
unlike $ben->text('main'), qr/needs approval first/, 'nothing is said of approvals where none is required';
$ben->script('document.querySelector("#visibility").value = "public"');
$ben->click('form[action$="/visibility"] button');
$ben->wait_text(qr/It is public now/);

# ---- given to somebody else

$ben->follow('Transfer to someone else');
$ben->wait_text(qr/Transfer Quarterly report to someone else\?/);
is $ben->script('return [...document.querySelectorAll("#new_owner_id option")].slice(1).map(o => o.textContent).join(" | ")'),
	'Ann Archer (ann@example.org) | Ben Baker (ben@example.org) | Dan <b>Dow</b> (dan@example.org) | report-bot (agent)',
	'members and live agents are offered, but not who has it';
like $ben->text('main'), qr/Cat Carter stays on as an editor/, '... and what becomes of that';
seen($ben, 'to give away?');
$db->do('INSERT INTO storage (user_id, bytes, limit_bytes) VALUES (?, 0, 10) ON DUPLICATE KEY UPDATE limit_bytes = 10',
	undef, $user{dan}{id});
$ben->script('document.querySelector("#new_owner_id").value = arguments[0]', $user{dan}{id});
$ben->click('button.danger');
$ben->wait_text(qr/has no room for the/);
is $ben->script('return document.querySelector(".error").textContent.slice(0, 30)'), 'Dan <b>Dow</b> has no room for',
	'who has no room is told beside the field, by name';
is $ben->script('return document.querySelector("#new_owner_id").value'), $user{dan}{id}, '... and is still chosen';
seen($ben, 'no room', refused => 1);
$db->do('UPDATE storage SET limit_bytes = NULL WHERE user_id = ?', undef, $user{dan}{id});
$ben->click('button.danger');
$ben->wait_text(qr/It has a new owner/);
is as('dan', GET => "/v1/artifacts/$report")->{json}{artifact}{role}, 'owner', 'it is theirs';
is as('cat', GET => "/v1/artifacts/$report")->{json}{artifact}{role}, 'editor', '... and the former owner edits it';
like sent($bens, "/w/$ws/governance/$report/transfer", "new_owner_id=$_->[1]")->{body},
	qr/Must be a member of the workspace whose account isn&#39;t disabled, or an agent with an active token/,
	"$_->[0] gets nothing, and it is told beside the field" for ['an outsider', $user{eve}{id}], ['a revoked agent', $dead_user];

# ---- many people: they are looked for

$db->do("INSERT INTO user (id, email, name, created_at) SELECT CONCAT('usr_', LPAD(seq, 26, '0')), CONCAT('p', seq, '\@example.org'), "
	. "CONCAT('Person ', seq, ' of many'), 0 FROM seq_1_to_250");
$db->do("INSERT INTO member (workspace_id, user_id, role, joined_at) SELECT ?, CONCAT('usr_', LPAD(seq, 26, '0')), 'member', 0 "
	. "FROM seq_1_to_250", undef, $ws);
$ben->go("$app/w/$ws/governance/$report/transfer")->fill('#who', 'p250@')->click('form[role=search] button');
Vitrine::Stack::wait_for('the search', 60, sub { $ben->url =~ /who=/ });
is $ben->script('return [...document.querySelectorAll("#new_owner_id option")].slice(1).map(o => o.textContent).join(" | ")'),
	'Person 250 of many (p250@example.org)', 'the 250th is found';
seen($ben, 'somebody found');
$ben->go("$app/w/$ws/governance?who=Dan");
is names($ben), 'Quarterly report | Pricing <brief>', 'the only owner of a name is chosen';
is $ben->script('return document.querySelector("#owner").value'), $user{dan}{id}, '... as the field says';
is $ben->script('return document.querySelector("#who").value'), '', '... and is looked for no longer';
seen($ben, 'an owner found');
$ben->go("$app/w/$ws/governance?who=Person");
is $ben->script('return document.querySelectorAll("#owner option").length'), 201, 'of many who fit, as many are offered as can be read';
$db->do("DELETE FROM member WHERE user_id LIKE 'usr_00000000%' AND workspace_id = ? AND role = 'member' AND joined_at = 0 "
	. "AND user_id IN (SELECT id FROM user WHERE email LIKE 'p%\@example.org')", undef, $ws);

# ---- page by page

$db->do("INSERT INTO artifact (id, owner_id, workspace_id, name, slug, visibility, last_no, created_at, updated_at) SELECT CONCAT('art_', "
		. "LPAD(seq, 26, '0')), ?, ?, CONCAT('Draft ', seq), CONCAT('draft-', seq), 'private', 0, 0, seq FROM seq_1_to_60",
	undef, $user{cat}{id}, $ws);
$db->do("INSERT INTO artifact_storage (artifact_id, workspace_id, bytes) SELECT CONCAT('art_', LPAD(seq, 26, '0')), ?, 0 FROM seq_1_to_60",
	undef, $ws);
$ben->go("$app/w/$ws/governance?owner=$user{cat}{id}&q=draft");
my @all = split / \| /, names($ben);
is scalar @all, 50, 'a page has fifty';
$ben->follow('Next');
Vitrine::Stack::wait_for('the next page', 60, sub { $ben->url =~ /cursor=/ });
push @all, split / \| /, names($ben);
is join(' ', @all), join(' ', map { "Draft $_" } reverse 1 .. 60), '... and the next the rest, as it was narrowed';
is $ben->script('return document.querySelectorAll("a[rel=next]").length'), 0, 'there is no third';
$db->do("DELETE FROM artifact_storage WHERE artifact_id LIKE 'art_000000%'");
$db->do("DELETE FROM artifact WHERE slug LIKE 'draft-%'");

# ---- what is written down

as('ann', POST => "/v1/workspaces/$ws/members/invite", { emails => ['new@example.org'], role => 'admin' });
as('dan', POST => "/v1/artifacts/$report/collaborators", { emails => ['friend@example.org'], role => 'viewer' });
$ben->go("$app/w/$ws/governance")->follow('Audit log');
my $text = $ben->wait_text(qr/Events/);
like $text, qr/Dan <b>Dow<\/b> shared Quarterly report with friend\@example\.org as viewer/, 'newest first: shared';
my @told = @{$ben->script('return [...document.querySelectorAll("ul.rows > li p")].map(p => p.textContent.trim().replace(/\s+/g, " "))')};
is_deeply [@told[0 .. 2]], ['Dan <b>Dow</b> shared Quarterly report with friend@example.org as viewer',
	'Ann Archer invited new@example.org as admin', 'Ben Baker transferred Quarterly report to Dan <b>Dow</b>'], 'each is a sentence';
my $all = join "\n", @told;
like $all, qr/^\Q$_\E$/m, "... $_" for 'Ben Baker made Quarterly report private', 'Ben Baker made Quarterly report public',
	'Ben Baker paused Quarterly report', 'Ben Baker resumed Quarterly report', 'The operator paused Quarterly report',
	'Ann Archer changed what needs approval', 'Ann Archer created the agent report-bot', 'Ann Archer revoked the agent old-bot',
	'report-bot Agent published Nightly figures for the first time, private', 'Cat Carter created the folder Reports',
	'Ann Archer created the workspace';
is $ben->script('return [...document.querySelectorAll("ul.rows p")].find(p => '
		. '/paused/.test(p.textContent)).querySelector("a[href^=\"/a/\"]").getAttribute("href")'), "/a/$report",
	'what there is leads to its page';
like $ben->script('return [...document.querySelectorAll("ul.rows li")].find(l => '
	. '/Ben Baker paused/.test(l.textContent)).querySelector("summary small").textContent'), qr/from 127\.0\.0\.1$/, 'from where';
unlike $ben->script('return [...document.querySelectorAll("ul.rows li")].find(l => '
	. '/The operator paused/.test(l.textContent)).querySelector("small").textContent'), qr/from/, '... but an operator';
seen($ben, 'the audit log');
$ben->script('[...document.querySelectorAll("ul.rows li")].find(l => '
	. '/Ben Baker paused/.test(l.textContent)).querySelector("details").open = true');
like $ben->text('details[open]'), qr/reason\s+Figures of May are wrong\.\s+Ask <Ann>.*artifact\.paused.*$report/s,
	'folded: how it was before and after';
$ben->script('[...document.querySelectorAll("ul.rows li")].find(l => '
	. '/made Quarterly report private/.test(l.textContent)).querySelector("details").open = true');
like $ben->script('return [...document.querySelectorAll("details[open]")].map(d => d.textContent).join()'),
	qr/visibility\s*public → private/, '... both';
like $ben->script('return [...document.querySelectorAll("details")].map(d => d.textContent).join()'),
	qr/owner id\s*Cat Carter → Dan <b>Dow<\/b>/, '... by name';
seen($ben, 'the audit log, unfolded');

# ---- searched, and saved

sub told { my ($b) = @_; return scalar @{$b->script('return [...document.querySelectorAll("ul.rows > li")].map(l => l.id)')} }
sub audit { my ($query) = @_; return @{as('ann', GET => "/v1/workspaces/$ws/audit?limit=200$query")->{json}{audit}} }
my $day = sub { my @t = gmtime(time + 86400 * $_[0]); sprintf '%04d-%02d-%02d', $t[5] + 1900, $t[4] + 1, $t[3] };
for my $case (["person=$user{ben}{id}", "&actor=$user{ben}{id}"], ['action=artifact.paused', '&action=artifact.paused'],
	["target_id=$report", "&target_id=$report"], ['target=quarter', '&target=QUARTER'], ['who=Ben', "&actor=$user{ben}{id}"],
	['from=' . $day->(0) . '&to=' . $day->(0), ''], ['from=' . $day->(1), '&since=9999999999'], ['to=' . $day->(-1), '&until=1'],
	["person=&action=&target=&from=&to=", '']) {
	my ($page, $list) = @$case;
	$ben->go("$app/w/$ws/audit?$page");
	is_deeply $ben->script('return [...document.querySelectorAll("ul.rows > li")].map(l => l.id)'), [map { $_->{id} } audit($list)],
		"the log with $page is the list with $list";
	my ($status, $type, $name, $body) = @{$ben->script_async(
		'const done = arguments[arguments.length - 1]; fetch(document.querySelector("a[download]").href).then(async r => '
			. 'done([r.status, r.headers.get("content-type"), r.headers.get("content-disposition"), await r.text()]))')};
	is "$status $type", '200 application/x-ndjson', '... and as a file';
	is_deeply [map { Cpanel::JSON::XS->new->decode($_) } split /\n/, $body], [audit($list)], '... has the same lines';
	like $name, qr/^attachment; filename="audit-northwind-studio\.ndjson"/, '... under a name' if $page =~ /^person=usr/;
}
$ben->go("$app/w/$ws/audit?target_id=$report");
$ben->wait_text(qr/Showing only what was done to Quarterly report\./);
choose($ben, '#action', 'artifact.paused');
Vitrine::Stack::wait_for('the choice', 60, sub { $ben->url =~ /action=artifact.paused/ });
is told($ben), 2, 'what was done to one thing is narrowed further';
seen($ben, 'the log of one thing');
$ben->go("$app/w/$ws/audit?what=paused");
is_deeply $ben->script('return [...document.querySelectorAll("#action optgroup")].map(g => `${g.label}: ${[...g.children].map(o '
	. '=> o.text)}`)'), ['Artifacts: Artifact paused', 'Jobs: Job paused'], 'actions are in groups, and searched';
$ben->go("$app/w/$ws/audit?target_id=$report");
$ben->follow('Show all');
$ben->wait_text(qr/created the workspace/);
$ben->go("$app/w/$ws/audit?from=2026-02-30");
$ben->wait_text(qr/From must be a date such as 2026-01-31, not “2026-02-30”/);
seen($ben, 'a day that is none', refused => 1);
$ben->go("$app/w/$ws/audit?action=none&who=nobody");
$ben->wait_text(qr/Nothing matches/);
$db->do("INSERT INTO audit (id, workspace_id, at, actor_name, action, target_type, target_id, target_name, after_it) SELECT CONCAT('aud_', "
	. "LPAD(seq, 26, '0')), ?, UNIX_TIMESTAMP(), 'x', 'many.made', 'thing', 'x', CONCAT('Thing ', seq), '[1]' FROM seq_1_to_1234",
	undef, $ws);
$ben->go("$app/w/$ws/audit?action=many.made");
is $ben->text('ul.rows > li p'), 'The operator many.made: Thing 1234', 'what this program knows no words for is told by its name';
is told($ben), 50, 'page by page';
$ben->follow('Next');
Vitrine::Stack::wait_for('the next page', 60, sub { $ben->url =~ /cursor=/ });
is $ben->text('ul.rows > li p'), 'The operator many.made: Thing 1184', '... the older ones';
is $ben->script_async('const done = arguments[arguments.length - 1]; fetch(document.querySelector("a[download]").href).then(async r => '
	. 'done((await r.text()).split("\n").length - 1))'), 1234, 'a file has all, whichever page it is saved from';
$db->do("DELETE FROM audit WHERE action = 'many.made'");
as('ann', DELETE => "/v1/artifacts/$handbook");
as('cat', DELETE => "/v1/artifacts/$handbook");
$ben->go("$app/w/$ws/audit?target_id=$handbook");
is $ben->script('return document.querySelectorAll("ul.rows p a[href^=\"/a/\"]").length'), 0, 'what is deleted leads nowhere';

# ---- who may not

my %visitor = (ben => $bens, dan => $dans);
for (qw(eve cat)) { $visitor{$_} = Vitrine::Visitor->new($api); $visitor{$_}->sign_in("$_\@example.org", 'the password') }
sub looked {
	my ($who, $path) = @_;
	my $r = $visitor{$who}->send(GET => $path);
	utf8::decode($r->{body});
	return "$r->{status} " . (($r->{body} =~ m{<h1>([^<]*)</h1>})[0] // '');
}
my @pages = ('/governance', "/governance/$report", "/governance/$report/pause", "/governance/$report/transfer", '/audit', '/audit/lines');
is looked(cat => "/w/$ws$_"), looked(cat => "/w/$ws/agents"), "a member, at $_: as at other pages of admins" for @pages;
is looked(cat => "/w/$ws$pages[-1]"), '403 You can’t do this', '... which is no';
is looked(eve => "/w/$ws$_"), '404 Page not found', "somebody else, at $_" for @pages;
is looked(eve => "/w/$other$_"), '404 Page not found', "another workspace's owner, of ours, at $_" for grep { /art_/ } @pages;
is looked(eve => "/w/$other/governance/$foreign"), '200 Foreign plans', '... but of their own';
my @forms = (["/pause", 'reason=x'], ['/resume', ''], ['/visibility', 'visibility=private'], ['/transfer', "new_owner_id=$user{ann}{id}"]);
for (@forms) {
	my ($path, $body) = @$_;
	is sent($visitor{cat}, "/w/$ws/governance/$report$path", $body)->{status}, 403, "a member sends $path";
	is sent($visitor{eve}, "/w/$ws/governance/$report$path", $body)->{status}, 404, '... somebody else';
	is sent($visitor{eve}, "/w/$other/governance/$report$path", $body)->{status}, 404, '... another workspace\'s owner';
	is sent($visitor{ben}, "/w/$ws/governance/$foreign$path", $body)->{status}, 404, '... an admin, of what is elsewhere';
	is sent($visitor{ben}, "/w/$ws/governance/$handbook$path", $body)->{status}, 404, '... of what lies in the trash';
}
is_deeply [map { as('dan', GET => "/v1/artifacts/$report")->{json}{artifact}{$_} } qw(visibility role)], ['public', 'owner'],
	'nothing has come of that';
is as('dan', GET => "/v1/artifacts/$report")->{json}{artifact}{paused}, Cpanel::JSON::XS::false, '... at all';
$cat->go("$app/w/$ws/settings");
$cat->wait_text(qr/Only admins can change these settings/);
unlike $cat->text('body'), qr/Governance|Audit log/, 'a member is not led there';
like +(Vitrine::Visitor->new($api)->send(GET => "/w/$ws/audit/lines")->{headers}{location} // ''), qr{^/auth/signin},
	'nobody is sent to sign in, for the file too';

# ---- names of any length, on a small telephone

as('ann', PATCH => "/v1/workspaces/$ws", { name => 'W' x 120 });
$db->do('UPDATE user SET name = ? WHERE id = ?', undef, 'N' x 100, $user{dan}{id});
as('dan', PATCH => "/v1/artifacts/$report", { name => 'R' x 200 });
sent($bens, "/w/$ws/governance/$report/pause", 'reason=' . 'z' x 500);
$ben->width(320);
for my $page (@pages[0 .. 4]) {
	$ben->go("$app/w/$ws$page");
	is join('; ', $ben->barriers), '', '320 pixels: ' . ($page =~ s/art_\w+/…/r) . ' fits';
	$ben->screenshot('govern-320-' . ($page =~ s{/|art_\w+}{-}gr));
}
finish($stack);
