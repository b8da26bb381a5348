# SPDX-License-Identifier: Apache-2.0
# Support in the browser: somebody hits an error page and asks; staff see it in their list, take it, and answer; the answer arrives by mail;
# they answer on the ticket's page; it is resolved. Each page is looked at in both widths and themes, all of it works without scripts, and
# nobody sees another's.
use utf8;
use Vitrine::Browser;
use Vitrine::Smtp;
use Vitrine::Visitor;
use Vitrine::World;
use Vitrine::Words 'as';

my $smtp = Vitrine::Smtp->new;
my ($stack, $api, $db) = stack(Vitrine::World::unlimited(), $smtp->conf, support_address => 'help@support.example');
my $app = "https://vitrine.localhost:$stack->{port}";
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann bea eve sam sue);
my %name = (ann => 'Ann Archer', bea => 'Bea Lind', sam => 'Sam Ray', sue => 'Sue Tan');
$db->do('UPDATE user SET name = ? WHERE id = ?', undef, $name{$_}, $user{$_}{id}) for keys %name;
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for keys %user;
$stack->ctl(qw(user staff), 'sam@example.org', 'staff');
$stack->ctl(qw(user staff), 'sue@example.org', 'super');
my $ws = as('ann', POST => '/v1/workspaces', { name => 'Northwind Studio' })->{json}{workspace}{id};
$stack->seat($ws, $user{bea}, 'member');
my ($bea, $sue) = map { Vitrine::Browser->new($stack, @$_) } [width => 1280, height => 900], [width => 1280, height => 900, dark => 1];
$bea->sign_in('bea@example.org', 'the password');
$sue->sign_in('sue@example.org', 'the password');
my $pages = 0;
sub seen {
	my ($b, $name, %o) = @_;
	is join('; ', $b->looks(sprintf 'support-%02d-%s', ++$pages, $name =~ s/\W+/-/gr)), '',
		"$name has no barrier, wide and narrow, by day and by night";
	is join('; ', grep { /\Q$app\E/ && !/favicon/ && !($o{refused} && /40[0-9]/) } $b->complaints), '',
		"the browser has no complaint about $name";
}
sub click_named {
	my ($b, $text) = @_;
	$b->script('[...document.querySelectorAll("main button")].find(b => b.textContent.trim() === arguments[0]).click()', $text);
	return $b;
}
sub value { my ($b, $css) = @_; return $b->script('return document.querySelector(arguments[0]).value', $css) }
my $mailed = 0;
sub mails {
	$stack->runner;
	my @all = $smtp->mails;
	my @new = @all[$mailed .. $#all];
	$mailed = @all;
	return grep { $_->{headers}{subject} !~ /Sign-in/ } @new;
}

sub told { return join ' ', map { "$_->{envelope}{to}[0]: $_->{headers}{subject}" } mails() }
my $form = { 'Content-Type' => 'application/x-www-form-urlencoded' };

# ---- from an error page

$bea->go("$app/support")->wait_text(qr/No tickets yet/);
seen($bea, 'no tickets');
$bea->go("$app/w/$ws/audit")->wait_text(qr/You can’t do this/);
seen($bea, 'an error page', refused => 1);
$bea->follow('Ask support')->wait_text(qr/New ticket/);
is value($bea, '#subject'), "Error at /w/$ws/audit", 'it says where';
like value($bea, '#body'), qr{^Something went wrong at /w/\Q$ws\E/audit\n\nRequest: [0-9a-f]{32}$}, '... and which request';
is value($bea, '#workspaceId'), $ws, '... and of which workspace';
seen($bea, 'a ticket from an error page');
my $html = 'Nightly <b>job</b> & "more" <script>alert(1)</script>';
$bea->fill('#subject', $html);
$bea->script('document.querySelector("#body").value += "\n\n</textarea><script>alert(2)</script><img src=x onerror=alert(3)> {{me}}"');
click_named($bea, 'Send ticket')->wait_text(qr/Sent\. You’ll get an e-mail when someone answers\./);
like $bea->url, qr{/support/tkt_\w{26}\?done=ticket_sent$}, 'it is shown';
my ($id) = $bea->url =~ /(tkt_\w+)/;
is $bea->text('h1'), $html, 'its subject is text';
like $bea->text('.said'), qr{</textarea><script>alert\(2\)</script><img src=x onerror=alert\(3\)> \{\{me\}\}$},
	'... and so is what it says';
is $bea->script('return document.querySelectorAll("main script, main img, main b").length'), 0, 'nothing of it is markup';
like $bea->text('main'), qr/Open.*You.*about Northwind Studio/s, 'with how it stands';
seen($bea, 'a ticket');
$bea->go("$app/support")->wait_text(qr/Nightly/);
like $bea->text('main .rows'), qr/\Q$html\E\s+Open/, 'in the list';
$bea->go("$app/support?status=closed")->wait_text(qr/None of them/);
like told(), qr/^sue\@example\.org: New ticket: Nightly/, 'super staff are told';

# ---- other ways to a new ticket

my $v = Vitrine::Visitor->new($api);
like $v->go('/nothing/here')->{text}, qr{<a href="/support\?request=[0-9a-f]{32}#new">Ask support</a>},
	'a page that isn’t there leads there';
is $v->send(GET => '/support?request=abc')->{headers}{location}, '/auth/signin?next=%2Fsupport%3Frequest%3Dabc',
	'... past signing in, with what it knows';
$v->sign_in('bea@example.org', 'the password');
like $v->go('/auth/invite/inv_nothing')->{text} // '', qr{request=[0-9a-f]+#new|\{}, 'what a mailed link has isn’t passed on';
like $v->go('/')->{text}, qr{<a href="/support">.*?Support</a>.*<footer.*<a href="/support">Support</a>}s,
	'from the account’s menu, and the foot';
unlike $v->{page}{text}, qr{/staff}, '... which has nothing of staff';
like $v->go('/support?run=run_' . '0' x 26 . "&workspace=$ws")->{text}, qr{Run: run_0{26}</textarea>.*value="\Q$ws\E" selected}s,
	'from a run’s page';
unlike $v->go('/support?run=%3Cscript%3E')->{text}, qr/Run:|<script>/, 'what is no run is left out';
unlike $v->go('/support?request=%22%3E%3Cscript%3Ex&page=%3C/textarea%3E%3Cscript%3E')->{text}, qr/<script>/, 'what a link says is text';
my $world = Vitrine::World->new($stack);
my $board = $api->publish($user{ann}, name => 'Board', slug => 'board', visibility => 'private', workspace_id => $ws);

my $job = $world->make(job => art => $board, user => $user{ann}{id});
my $run = $world->make(run => art => $board, job => $job);
my $owner = Vitrine::Visitor->new($api);
$owner->sign_in('ann@example.org', 'the password');
like $owner->go($_)->{text}, qr{<a href="/support\?run=\Q$run\E&amp;workspace=\Q$ws\E#new">Ask support</a>}, "... which has the link: $_"
	for "/a/$board/jobs/$job/runs/$run", "/w/$ws/runs/$run";

# ---- refused: what was typed stays

my $r = $v->send(POST => '/support', body => "subject=Kept+subject&body=+%0A&workspaceId=$ws", headers => $form);
is $r->{status}, 400, 'a blank text';
like $r->{text}, qr{value="Kept subject".*aria-invalid="true".*Must not be blank}s, '... is refused beside the field, and the rest stays';
$r = $v->send(POST => '/support', body => 'subject=x&body=x&workspaceId=wsp_' . '0' x 26, headers => $form);
is $r->{status}, 404, 'a workspace that isn’t theirs';

# ---- staff

$sue->go("$app/")->go("$app/staff/tickets")->wait_text(qr/Nightly/);
is $sue->text('nav[aria-label=Main] [aria-current]'), 'Tickets', 'a place of staff';
like $sue->text('.picks'), qr/\Q$html\E.*Bea Lind/s, 'in their list, as text';
seen($sue, 'staff list');
$sue->go("$app/staff/tickets?whose=assigned")->wait_text(qr/No tickets match the filter/);
seen($sue, 'an empty staff list');
$sue->go("$app/staff/tickets?whose=unassigned&status=any&priority=$_")->wait_text($_ ? qr/No tickets (?:assigned to you )?match/
	: qr/Nightly/) for '', 'urgent';
$db->do('UPDATE ticket_triage SET due_at = NULL, category = ?, priority = ?, summary = ?, suggested_reply = ?, source = ?, model = ?, '
	. 'made_at = UNIX_TIMESTAMP() WHERE ticket_id = ?', undef,
	'jobs', 'high', 'A job fails <i>nightly</i>.', "Hello Bea,\n\nplease <run> it again.", 'llm', 'large', $id);
$sue->go("$app/staff/tickets?priority=high")->follow('Nightly')->wait_text(qr/Proposal/);
like $sue->text('aside:not(.list)'),
	qr/Nothing sent.*Jobs.*High.*A job fails <i>nightly<\/i>\..*Written by a language model \(large\).*Check it.*Northwind Studio.*Members\s+2.*Owner\s+ann\@example\.org/s,
	'the proposal, and its workspace';
is value($sue, '#body'), '', 'the answer is empty';
is $sue->script('return document.querySelectorAll("main script, main img, main i").length'), 0, 'nothing of the requester’s is markup';
seen($sue, 'a ticket for staff');
$sue->follow('Put into the answer')->wait_text(qr/Proposal/);
is value($sue, '#body'), "Hello Bea,\n\nplease <run> it again.", 'the proposal fills the answer when it is asked for';
is $db->selectrow_array('SELECT messages FROM ticket WHERE id = ?', undef, $id), 1, '... and nothing is sent';
$sue->fill('#body', 'The log says 42501. <b>Sam</b>, do you know?');
click_named($sue, 'Save as staff note')->wait_text(qr/Only staff can read it/);
is $sue->text('.staff-only .said'), 'The log says 42501. <b>Sam</b>, do you know?', 'a note, as text';
seen($sue, 'a staff note');
is told(), '', '... is sent to nobody';
$sue->script('const s = document.getElementById("assigneeUserId"); s.value = arguments[0]', $user{sam}{id});
click_named($sue, 'Assign')->wait_text(qr/Saved\./);
is $db->selectrow_array('SELECT assignee_id FROM ticket WHERE id = ?', undef, $id), $user{sam}{id}, 'it is assigned';
like told(), qr/^sam\@example\.org: .*Nightly/, '... and Sam is told';

# ---- Sam, without scripts

my $sam = Vitrine::Visitor->new($api);
$sam->sign_in('sam@example.org', 'the password');
like $sam->go('/staff/tickets')->{text}, qr/Nightly.*Bea Lind.*You/s, 'without scripts: what is assigned to them';
unlike $sam->{page}{text}, qr/name="whose"/, '... who chooses no other';
is $sam->go('/staff/tickets?whose=all')->{status}, 403, '... and is refused it';
like $sam->go("/staff/tickets/$id")->{text}, qr/staff only.*42501/s, 'the note is there';
$r = $sam->submit(qr{/answer$}, { body => "Give it SELECT.\n\nThen run it again.", then => 'pending' });
like $r->{text}, qr/Sent\..*Waiting for them.*Give it SELECT\.\n\nThen run it again\./s, 'an answer';
is $sam->go("/support/$id")->{path}, "/staff/tickets/$id", 'the requester’s address leads staff to theirs';
my ($mail) = mails();
is $mail->{envelope}{to}[0], 'bea@example.org', 'it arrives by mail';
like $mail->{headers}{'reply-to'} // '', qr/^help\+\w+\@support\.example$/, '... with an address to answer to';
$r = $sam->submit(qr{/answer$}, { body => ' ', then => 'pending' });
is $r->{status}, 400, 'a blank answer is refused';
$r = $sam->send(POST => "/staff/tickets/$id/answer", body => 'body=Kept+text&then=done',
	headers => { 'Content-Type' => 'application/x-www-form-urlencoded' });
is $r->{status}, 400, '... and so is one to do something else with';
like $r->{text}, qr{>Kept text</textarea>}, '... and what was typed stays';
like $sam->submit(qr{/triage$})->{text}, qr/Creating a new proposal.*In progress/s, 'the proposal is made again';
like $sam->submit(qr{/status$}, { status => 'closed' })->{text}, qr/Saved\..*badge">Closed/s, 'a status is set';
$sam->submit(qr{/status$}, { status => 'open' });
is $db->selectrow_array('SELECT status FROM ticket WHERE id = ?', undef, $id), 'open', '... and another';
$db->do("UPDATE ticket SET status = 'pending' WHERE id = ?", undef, $id);
mails();

# ---- the requester answers

$bea->go("$app/support")->wait_text(qr/Waiting for you/);
seen($bea, 'a list with what waits');
$bea->follow('Nightly')->wait_text(qr/Give it SELECT/);
like $bea->text('.talk'), qr/Sam Ray\s+Support/, 'who answered';
unlike $bea->text('body'), qr/42501|Proposal|sam\@|staff only/, 'nothing of what staff keep to themselves';
seen($bea, 'an answered ticket');
$bea->fill('#answer', 'It works again, thank you.');
click_named($bea, 'Send')->wait_text(qr/It works again/);
like $bea->url, qr{/support/\Q$id\E#msg_\w{26}$}, 'their answer is shown';
like told(), qr/^sam\@example\.org: [^@]*$/, 'who it is assigned to is told';
click_named($bea, 'It’s solved')->wait_text(qr/Resolved/);
is $db->selectrow_array('SELECT status FROM ticket WHERE id = ?', undef, $id), 'resolved', 'solved';
like $bea->text('.talk > li:last-child'), qr/It’s solved\./, '... which stands in the thread';
is $bea->script('return [...document.querySelectorAll("main button")].map(b => b.textContent).join()'), 'Send and open it again',
	'writing opens it again';
seen($bea, 'a solved ticket');
$sue->go("$app/staff/tickets?status=resolved")->wait_text(qr/Nightly/);
$r = do { $sam->go("/staff/tickets/$id"); $sam->submit(qr{/answer$}, { body => 'Closing it then.', then => 'resolved' }) };
like $r->{text}, qr/badge">Resolved/, 'an answer that resolves, of what was resolved';
my @closing = mails();
is join(' ', map { $_->{envelope}{to}[0] } grep { $_->{headers}{subject} =~ /^Re: / && $_->{envelope}{to}[0] !~ /^s/ } @closing),
	'bea@example.org', '... is one mail';
like join(' ', map { $_->{parts}{'text/plain'} } @closing), qr/Closing it then\..*marked as resolved with this/s, '... which says both';

# ---- walls

my $eve = Vitrine::Visitor->new($api);
$eve->sign_in('eve@example.org', 'the password');
my $page = sub { my ($v, $path) = @_; return $v->go($path)->{text} =~ s/[0-9a-f]{32}|tkt_\w{26}/X/gr };
is $page->($eve, "/support/$id"), $page->($eve, '/support/tkt_' . '0' x 26), 'a stranger is told that there is none';
is $eve->go($_)->{status}, 404, "... at $_" for "/support/$id", "/staff/tickets/$id", '/staff/tickets', "/w/$ws/tickets";
is $eve->send(POST => $_->[0], body => $_->[1], headers => $form)->{status}, 404, "... nor writes at $_->[0]" for
	["/support/$id/message", 'body=x'], ["/support/$id/message", 'body=x&solved=true'],
	map { ["/staff/tickets/$id/$_->[0]", $_->[1]] } ['answer', 'body=x&then=note'], ['status', 'status=closed'],
	['assign', 'assigneeUserId='], ['triage', ''];
is $v->go("/staff/tickets/$id")->{status}, 403, 'the requester is no staff';
is $v->go('/staff/tickets')->{status}, 404, '... and finds no list of theirs';
is $v->send(POST => "/staff/tickets/$id/answer", body => 'body=x&then=pending', headers => $form)->{status}, 403, '... nor answers';
is $v->go("/w/$ws/tickets")->{status}, 403, 'nor does a member list the workspace’s';
is $db->selectrow_array('SELECT CONCAT(status, messages) FROM ticket WHERE id = ?', undef, $id), 'resolved6', 'nothing of it did anything';
my $ann = Vitrine::Browser->new($stack, width => 390, height => 844);
$ann->sign_in('ann@example.org', 'the password');
$ann->go("$app/w/$ws/tickets")->wait_text(qr/Nightly/);
like $ann->text('main .talk'), qr/\Q$html\E\s+Resolved\s+Bea Lind/, 'an admin lists them';
is $ann->script('return document.querySelectorAll("main .talk a, main .talk script").length'), 0, '... and no more';
seen($ann, 'tickets of a workspace');
$ann->go("$app/support/$id")->wait_text(qr/You can’t do this/);
$ann->go("$app/w/$ws/tickets?status=open")->wait_text(qr/None of them/);
unlike $ann->go("$app/support")->text('main'), qr/Nightly/, 'it isn’t in theirs';

# ---- staff who ask, and mail of somebody without an account

my $own = as('sam', POST => '/v1/support/tickets', { subject => 'My own', body => 'x' })->{json}{ticket}{id};
like $sam->go("/staff/tickets/$own")->{text}, qr/You asked this yourself/, 'staff see theirs as requesters do';
unlike $sam->{page}{text}, qr/Proposal|Save as staff note/, '... without a proposal or notes';
like $sam->go("/support/$own")->{text}, qr/It’s solved/, '... and write in it as such';
$r = $sam->submit(qr{/message$}, { body => 'Done.' });
like $r->{text}, qr/Done\..*It’s solved/s, '... without scripts, too';
$r = $sam->send(POST => "/support/$own/message", body => 'body=&solved=true', headers => $form);
is $r->{status}, 400, 'nothing said is refused';
my $strange = $world->make(tkt => ws => $ws, user => $user{eve}{id});
$db->do('UPDATE ticket SET requester_id = NULL, requester_email = ?, subject = ? WHERE id = ?',
	undef, 'tom@far.example', 'By mail', $strange);
$db->do(q{UPDATE ticket_message SET channel = 'email', attachments_dropped = '["a <b>.png","c.pdf"]' WHERE ticket_id = ? AND no = 1},
	undef, $strange);
$db->do('UPDATE ticket_message SET staff = 1, note = 0, delivered = 0 WHERE ticket_id = ? AND no = 2', undef, $strange);
$sue->go("$app/staff/tickets/$strange")->wait_text(qr/nothing proves that this address is the sender’s/);
like $sue->text('.talk'), qr/by e-mail.*Attachments that weren’t kept: a <b>\.png, c\.pdf.*not sent: only visible here/s,
	'what was left out of it, and what couldn’t be sent';
is $sue->script('return [...document.querySelectorAll("aside:not(.list) h2")].map(h => h.textContent).join()'), 'Proposal,Northwind Studio',
	'who has no account has no artifacts to look at';
seen($sue, 'a mail for staff');
finish($stack);
