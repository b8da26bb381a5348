# SPDX-License-Identifier: Apache-2.0
# From remarks to a version that is approved: a client's person points at a number, a picture and a page of a PDF, the page tries to
# interfere, an agent answers by a draft, a client and an admin review it, and it goes live. Then the same without JavaScript.
use utf8;
use Time::HiRes ();
use Vitrine::Browser;
use Vitrine::Pdf;
use Vitrine::Smtp;
use Vitrine::Visitor;
use Vitrine::Words qw(as refused);
use Vitrine::World;

my $smtp = Vitrine::Smtp->new;
my ($stack, $api, $db) = stack($smtp->conf, publish_per_hour => 10000, agent_calls_per_minute => 100_000,
	previews => 'auto', pictures_per_minute => 1000);
my $app = "https://vitrine.localhost:$stack->{port}";
my $world = Vitrine::World->new($stack);
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann cat dan pat);
$db->do('UPDATE user SET name = ? WHERE id = ?', undef, ucfirst, $user{$_}{id}) for keys %user;
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for qw(cat pat);
my $ws = as('ann', POST => '/v1/workspaces', { name => 'Team' })->{json}{workspace}{id};
$db->do('UPDATE workspace SET features_on = 1 WHERE id = ?', undef, $ws);
$stack->seat($ws, $user{$_->[0]}, $_->[1]) for [cat => 'member'], [dan => 'admin'];
as('ann', PATCH => "/v1/workspaces/$ws/publish-policy", { policy => 'require_approval' });
my $acme = as('ann', POST => "/v1/workspaces/$ws/sharees", { name => 'Acme' })->{json}{sharee}{id};
as('ann', POST => "/v1/workspaces/$ws/sharees/$acme/members", { email => 'pat@example.org' });

# ---- a report, with a page that is up to no good

my $hostile = <<'END';
<script>
const tried = [], heard = [];
addEventListener('message', (e) => heard.push(e.data));
for (const f of [() => parent.document.body.textContent, () => { parent.document.forms[0].submit(); },
	() => { top.location = 'https://example.org/'; }])
	try { f(); tried.push('in'); } catch (e) { tried.push(e.name); }
</script>
END
my %page = ('index.html' => "<!doctype html><title>Report</title><h1>Report</h1><p id=rise>Sales rose by 41 % in May.</p>$hostile",
	'b.html' => '<p>The second page</p>', 'c.html' => join '', map { "<p>row $_ again</p>" } 1 .. 50);
my $png = Vitrine::Stack::slurp("$ENV{VITRINE_TOP}/nginx/assets/mark.png");
sub files { my (%more) = @_; my %all = (%page, %more);
	return [(map { { path => $_, content => $all{$_} } } sort keys %all),
		{ path => 'sheet.pdf', content => pages('300 400', '300 400', '400 300') },
		{ path => 'chart.png', content => MIME::Base64::encode_base64($png, ''), encoding => 'base64' }] }
my $art = as('cat', POST => '/v1/publish', { name => 'Report', slug => 'report', workspace_id => $ws, visibility => 'private',
	files => files() })->{json}{artifact}{id};
as('ann', POST => "/v1/workspaces/$ws/grants",
	{ subject_type => 'sharee', subject_id => $acme, resource_type => 'artifact', resource_id => $art, capability => 'comment' });
my $talk = "/v1/artifacts/$art/comments";
sub inbox { my ($who, $box) = @_;
	return join ' | ', map { $_->{title} } @{as($who, GET => '/v1/inbox?box=' . ($box // 'waiting'))->{json}{items}} }

# ---- an agent waits

my $secret = Vitrine::Stack::secret('som_');
$db->do("INSERT INTO token (id, hash, user_id, created_at, expires_at, scopes, grant_id) "
	. "VALUES (CONCAT('tok_', HEX(RANDOM_BYTES(8))), UNHEX(SHA2(?, 256)), ?, 0, 4000000000, 15, ?)",
	undef, $secret, $user{cat}{id}, $world->make('ogr', user => $user{cat}{id}));
sub tool { my ($own, $tool, $args) = @_; return $own->call(POST => '/mcp', { token => $secret, json => { jsonrpc => '2.0', id => 1,
	method => 'tools/call', params => { name => $tool, arguments => $args } } })->{json}{result} }
pipe my $hears, my $says or die;
my $agent = fork // die;
if (!$agent) {
	$_->{InactiveDestroy} = 1 for $db;
	tool(Vitrine::Api->new($stack, unchecked => 1), list_comments => { artifact => $art, wait => 50 });
	syswrite $says, sprintf '%.3f', Time::HiRes::time();
	POSIX::_exit(0);
}
close $says;

# ---- a client's person points at three things

my $pat = Vitrine::Browser->new($stack, width => 1280, height => 900);
$pat->go("$app/auth/signin?next=/a/$art/review");
$pat->fill('#email', 'pat@example.org')->fill('#password', 'the password')->click('form button.primary');
sub told { my ($like, $name) = @_;
	Vitrine::Stack::wait_for($name, 30, sub { $pat->script('return document.getElementById("told")?.textContent ?? ""') =~ $like });
	pass $name }
sub pins { my ($n, $name) = @_;
	Vitrine::Stack::wait_for($name, 30, sub { $pat->script('return document.querySelectorAll(".pin:not(.new)").length') == $n });
	pass $name }
sub point { my ($left, $top) = @_;
	Vitrine::Stack::wait_for('the page', 30, sub { $pat->shown('#point') });
	# A view that the page hasn't told of itself has no layer to point on.
	Vitrine::Stack::wait_for('the page to tell of itself', 30, sub {
		$pat->script('const layer = document.querySelector(".layer"); if (layer.hidden) point.click(); return !layer.hidden') });
	my ($x, $y) = @{$pat->script('const r = document.querySelector(".sheet").getBoundingClientRect(); return [r.left, r.top]')};
	Vitrine::Stack::wait_for('a place', 30, sub {
		$pat->cdp('Input.dispatchMouseEvent', type => 'mouseMoved', x => $x + $left, y => $y + $top);
		return $pat->script('return !document.querySelector(".outline").hidden') });
	$pat->cdp('Input.dispatchMouseEvent', type => $_, x => $x + $left, y => $y + $top, button => 'left', clickCount => 1)
		for qw(mousePressed mouseReleased) }
point(60, 97);
told(qr/About “Sales rose by 41 % in May\.”/, 'a number');
my $from = Time::HiRes::time();
$pat->fill('#text', 'Of what?')->click('#write button.primary');
pins(1, 'has a pin');
sysread $hears, my $heard, 40;
my ($first) = @{as('cat', GET => $talk)->{json}{comments}};
cmp_ok $heard - $from, '<', 4, 'the agent hears of it at once';
cmp_ok $heard - $first->{created_at}, '<', 2.5, '... after it is written';
waitpid $agent, 0;
$pat->frame('#page');
is $pat->script('return tried.join()'), 'SecurityError,SecurityError,SecurityError', 'the page reaches nothing';
is $pat->script('return JSON.stringify(heard)'), '[]', '... and hears nothing';
$pat->frame;
$pat->go("$app/a/$art/review?path=/chart.png");
point(40, 40);
told(qr/About/, 'a spot of the picture');
$pat->fill('#text', 'The axis')->click('#write button.primary');
$pat->wait_text(qr/The axis/);
$pat->go("$app/a/$art/review?path=/sheet.pdf");
$pat->wait_text(qr/This page is being drawn/);
$pat->fill('#text', 'A ty');
$stack->runner;
sub drawn { my ($no, $name) = @_;
	Vitrine::Stack::wait_for($name, 30, sub { $pat->script('const i = document.querySelector(".sheet.leaf img");'
		. 'return i?.complete && i.naturalWidth && !document.getElementById("point").hidden ? i.dataset.page : 0') == $no });
	pass $name }
drawn(1, 'a page of a PDF appears once it is drawn');
is $pat->script('return text.value'), 'A ty', '... and what was typed stays';
$pat->follow('Next');
$pat->wait_text(qr/This page is being drawn/);
$stack->runner;
drawn(2, 'the second page');
is join('; ', $pat->looks('review-pdf')), '', '... without barriers in both widths and themes';
$pat->width(1280);
$pat->press(qw(c down right right enter));
told(qr/About the place that is marked/, 'a spot of it by keyboard');
is_deeply $pat->script('return ["kind", "page", "x", "y"].map(n => write.elements[n].value)'),
	['page', 2, 0.54, 0.52], '... is in the form';
$pat->press('escape');
is $pat->script('return document.querySelector(".pin.new").hidden'), $true, 'Escape gives it up';
point(96, 128);
told(qr/About the place that is marked/, 'a spot of it by the mouse');
$pat->fill('#text', 'A typo')->click('#write button.primary');
$pat->wait_text(qr/A typo/);
pins(1, 'has a pin on that page');
$pat->follow('Previous');
drawn(1, 'the first page');
pins(0, 'has none');
my %of = map { $_->{text} => $_ } @{as('cat', GET => $talk)->{json}{comments}};
is join(' ', map { "$of{$_}{path} $of{$_}{anchor}{kind}" } 'Of what?', 'The axis', 'A typo'), '/ point /chart.png point /sheet.pdf page',
	'three remarks';
my $spot = $of{'A typo'}{anchor};
is_deeply [$spot->{page}, map { sprintf '%.1f', $_ } @$spot{qw(x y)}], [2, '0.1', '0.1'], 'a spot of the second page';
is inbox('cat'), 'Pat commented on Report', 'their owner is asked';

# ---- words that the page has fifty times

my $seventh = as('cat', POST => $talk, { text => 'This one', path => '/c.html', version_no => 1,
	anchor => { kind => 'text', quote => { exact => 'again', prefix => 'row 7 ' } } })->{json}{comment}{id};
$pat->go("$app/a/$art/review?path=/c.html");
pins(1, 'have one pin');
my $top = $pat->frame('#page')->script('return document.querySelectorAll("p")[6].getBoundingClientRect().top');
$pat->frame;
cmp_ok abs($pat->script('return parseFloat(document.querySelector(".pin:not(.new)").style.top)') - $top), '<', 16, '... at those meant';
as('cat', PATCH => "$talk/$seventh", { state => 'resolved' });

# ---- the agent answers by a draft

my $open = tool($api, list_comments => { artifact => $art });
like $open->{content}[0]{text}, qr/Of what\?.*The axis.*A typo/s, 'the agent reads them';
my $fell = "<!doctype html><title>Report</title><p>Costs fell.</p>$hostile";
my $made = tool($api, publish => { artifact => $art, files => files('index.html' => $fell),
	resolves => [map { $of{$_}{id} } 'The axis', 'A typo'], reply => 'Mended.', draft => $true })->{structuredContent};
is_deeply [$made->{version}{is_draft}, @$made{qw(resolved pending)}], [$true, [], [map { $of{$_}{id} } 'The axis', 'A typo']],
	'a draft, which will resolve two'
	or diag explain $made;
$stack->runner;
my $places = { map { $_->{text} => $_->{place} && $_->{place}{status} }
	@{as('cat', GET => "$talk?version=2&state=open")->{json}{comments}} };
is_deeply [@$places{'Of what?', 'The axis'}], ['gone', 'here'], 'the third is not in this version';
my $approval = as('cat', POST => "/v1/artifacts/$art/publish-approval", { visibility => 'unlisted' })->{json}{approval};
my $review = as('cat', POST => "/v1/artifacts/$art/reviews",
	{ ask => [{ email => 'dan@example.org' }, { sharee_id => $acme }], message => 'Please' })->{json}{review};
is $review->{version_no}, 2, 'a review of the draft';
is inbox('pat'), 'Cat asks you to review Report', 'the client is asked';
is inbox('dan'), 'Cat asks you to review Report | Cat asks to make Report unlisted', 'and an admin, who also approves';

# ---- both see what differs; the client on a phone

$pat->width(390);
$pat->go("$app/inbox");
$pat->wait_text(qr/Cat asks you to review Report/);
$pat->follow('Review');
$pat->wait_text(qr/Review of version 2/);
is join('; ', $pat->looks('review-story')), '', 'the review, in both widths and themes';
$pat->follow('Comment on the page');
$pat->wait_text(qr/Not in this version/);
pass 'which remark is gone';
$pat->go("$app/shared/artifacts/$art/reviews/$review->{id}");
$pat->follow('What differs');
$pat->wait_text(qr/1 file differs/);
$pat->go("$app/shared/artifacts/$art/reviews/$review->{id}");
$pat->click('#answer button.primary');
$pat->wait_text(qr/Approved/);
is inbox('pat'), '', 'answered, the client is no longer asked';
my $digest = as('dan', GET => "/v1/artifacts/$art/reviews/$review->{id}")->{json}{review}{digest};
is as('dan', POST => "/v1/artifacts/$art/reviews/$review->{id}/answer", { answer => 'approve', digest => $digest })->{status}, 200,
	'an admin approves';
my $now = as('cat', GET => "/v1/artifacts/$art")->{json}{artifact};
is_deeply [@$now{qw(visibility version_no)}, $now->{reviewed}{applies}], ['unlisted', 2, $true], 'which was the approval: it is live';
is as('cat', GET => "/v1/artifacts/$art/publish-approval/$approval->{id}")->{json}{approval}{status} // 'approved', 'approved';
is $db->selectrow_array('SELECT LOWER(HEX(digest)) FROM version WHERE artifact_id = ? AND version_no = 2', undef, $art), $digest,
	'with the digest that both saw';
like $api->get_site('report', '/')->{body}, qr/Costs fell/, '... which is served';
is_deeply [map { as('cat', GET => "$talk/$of{$_}{id}")->{json}{comment}{state} } 'The axis', 'A typo', 'Of what?'],
	[qw(resolved resolved open)], 'two are resolved';
as('cat', PATCH => "$talk/$of{'Of what?'}{id}", { state => 'resolved' });
is join('', map { inbox($_) } keys %user), '', 'nothing waits for anybody';
$stack->runner;
my %mailed;
$mailed{$_->{envelope}{to}[0] =~ s/@.*//r}{$_->{headers}{'x-vitrine-event'} // ''}++ for $smtp->mails;
is_deeply [map { join ' ', $_, map { "$_" } grep { /review|approval/ } sort keys %{$mailed{$_}} } qw(cat dan pat)],
	['cat approval_approved review_approved', 'dan approval_asked review_asked', 'pat review_asked'], 'each got their mails';

# ---- without JavaScript

my $plain = Vitrine::Visitor->new($api);
$plain->sign_in('pat@example.org', 'the password');
my $r = $plain->go("/a/$art/review?path=/chart.png");
like $r->{body}, qr{<input type="image" src="/v1/artifacts/$art/files/chart\.png\?version=2"}, 'a picture to click on';
$plain->submit(qr{/review/2$}, { text => 'This corner', x => 150, y => 75 });
my ($corner) = grep { $_->{text} eq 'This corner' } @{as('cat', GET => $talk)->{json}{comments}};
is_deeply [@{$corner->{anchor}}{qw(kind x y)}], ['point', 0.5, 0.25], 'whose place is the remark’s';
$r = $plain->go("/a/$art/review?path=/sheet.pdf");
like $r->{body}, qr/Page 1 of 3.*<input type="image" src="[^"]*pdf-page/s, 'a page of a PDF to click on';
$plain->submit(qr{/review/2$}, { text => 'And here', x => 30, y => 60 });
my ($sheet) = grep { $_->{text} eq 'And here' } @{as('cat', GET => $talk)->{json}{comments}};
is_deeply $sheet->{anchor}, { kind => 'page', page => 1, x => 0.1, y => 0.2 }, 'whose place is the remark’s';
$plain->go("/a/$art/review");
$plain->submit(qr{/review/2$}, { text => 'A word', exact => 'Costs fell' });
my ($word) = grep { $_->{text} eq 'A word' } @{as('cat', GET => $talk)->{json}{comments}};
is $word->{anchor}{quote}{exact}, 'Costs fell', 'a word';
$r = $plain->go("/a/$art/review?thread=$word->{id}");
$plain->submit(qr{/review/2/$word->{id}$}, { state => 'resolved' });
is as('cat', GET => "$talk/$word->{id}")->{json}{comment}{state}, 'resolved', 'resolved by a form';
as('cat', POST => '/v1/publish', { artifact_id => $art, draft => $true, files => files('index.html' => 'third') });
$review = as('cat', POST => "/v1/artifacts/$art/reviews", { ask => [{ sharee_id => $acme }] })->{json}{review};
like $plain->go('/inbox')->{text}, qr/Cat<\/b> asks you to review\s+<b>Report/, 'the inbox';
like $plain->go("/shared/artifacts/$art/compare?to=3")->{body}, qr/files? differs?/, 'what differs';
$plain->go("/shared/artifacts/$art/reviews/$review->{id}");
$plain->submit(qr{/answer$}, { answer => 'send_back', note => 'The title is missing' });
is as('cat', GET => "/v1/artifacts/$art/reviews/$review->{id}")->{json}{review}{status}, 'sent_back', 'sent back by a form';
like inbox('cat', 'know'), qr/^Report was sent back in its review/, 'and who asked knows';
finish($stack);
