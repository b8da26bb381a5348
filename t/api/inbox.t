# SPDX-License-Identifier: Apache-2.0
# The inbox: what waits for whom, who sees it, what ends it, and how people choose to hear of it.
use utf8;
use Time::HiRes ();
use Vitrine::Smtp;
use Vitrine::Visitor;
use Vitrine::Words qw(as refused);

my $smtp = Vitrine::Smtp->new;
my ($stack, $api, $db) = stack($smtp->conf, publish_per_hour => 10000, access_requests_per_hour => 60);
my ($ann, $ben, $cat, $dan, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben cat dan eve);
my $ws = as($ann, POST => '/v1/workspaces', { name => 'Team' })->{json}{workspace}{id};
$db->do('UPDATE user SET name = ? WHERE email = ?', undef, ucfirst, "$_\@example.org") for qw(ann eve);
$stack->seat($ws, @$_) for [$ben, 'admin'], [$cat, 'member'];
sub inbox { my ($who, $q) = @_; return as($who, GET => '/v1/inbox' . ($q ? "?$q" : ''))->{json} }
sub titles { return join ' | ', map { $_->{title} } @{inbox(@_)->{items}} }
sub counts { my $c = inbox(@_)->{counts}; return "$c->{waiting} $c->{know}" }
sub mails { my ($what) = @_; $stack->runner; return grep { $_->{headers}{subject} =~ $what } $smtp->mails }

# ---- empty, and its keys

is_deeply inbox($ann), { success => $true, items => [], counts => { waiting => 0, know => 0 }, change_no => 0, next_cursor => undef },
	'nothing at first';
is $api->call(GET => '/v1/inbox')->{status}, 401, 'nobody has none';
refused(as($ann, GET => '/v1/inbox?kind=x'), '400 INVALID_REQUEST', 'an unknown kind', qr/^kind: must be .*approval, .*, not "x"$/);
refused(as($ann, GET => '/v1/inbox?box=x'), '400 INVALID_REQUEST', 'an unknown box');

# ---- an approval: two admins, one decides

as($ann, PATCH => "/v1/workspaces/$ws/publish-policy", { policy => 'require_approval' });
sub publish {
	my ($who, %o) = @_;
	return as($who, POST => '/v1/publish', { workspace_id => $ws, files => [{ path => 'index.html', content => "v" . rand }], %o });
}
my $made = publish($cat, name => 'Plans', slug => 'plans');
diag $made->{body} if !$made->{json}{success};
my $art = $made->{json}{artifact}{id};
sub ask { return as($cat, POST => "/v1/artifacts/$art/publish-approval", { visibility => 'public' })->{json}{approval}{id} }
my $apr = ask();
is titles($_), 'cat@example.org asks to make Plans public', 'who may decide has it' for $ann, $ben;
is titles($cat), '', 'who asked has not';
my $item = inbox($ann)->{items}[0];
is_deeply [sort keys %$item],
	[qw(actor artifact box created_at done excerpt id kind n seen title updated_at url workspace)], 'its keys';
is_deeply [@$item{qw(kind box n seen done excerpt)}, $item->{artifact}, $item->{workspace}],
	['approval', 'waiting', 1, $false, $false, undef, { id => $art, name => 'Plans' }, { id => $ws, name => 'Team' }],
	'and what they say';
is $item->{url}, "https://vitrine.localhost:$stack->{port}/a/$art/approval/$apr", 'where it is decided';
my $before = inbox($ben)->{change_no};
refused(as($ann, PATCH => "/v1/inbox/$item->{id}", { done => $true }), '409 CONFLICT', 'it is decided elsewhere');
refused(as($ann, PATCH => "/v1/inbox/$item->{id}", {}), '400 INVALID_REQUEST', 'nothing to change');
refused(as($ben, PATCH => "/v1/inbox/$item->{id}", { seen => $true }), '404 NOT_FOUND', "another's");
is as($ann, PATCH => "/v1/inbox/$item->{id}", { seen => $true })->{json}{item}{seen}, $true, 'seen';
is as($ann, POST => "/v1/artifacts/$art/publish-approval/$apr/decision", { decision => 'approve' })->{status}, 200;
is titles($_), '', 'decided by one, done for all' for $ann, $ben;
is titles($ben, 'box=done'), 'cat@example.org asks to make Plans public', 'and kept as done';
isnt inbox($ben)->{change_no}, $before, 'which the number tells';
is titles($cat, 'box=know'), 'Ann approved Plans', 'who asked knows';
is counts($cat), '0 1';
is as($cat, POST => '/v1/inbox/seen', { before => time + 5 })->{status}, 200;
is counts($cat), '0 0', 'until they have seen it';
refused(as($cat, POST => '/v1/inbox/seen', $_), '400 INVALID_REQUEST', 'one of both') for {}, { ids => [$item->{id}], before => 1 };

# ---- rights of the moment

publish($cat, artifact_id => $art);
$apr = ask();
is titles($ben), 'cat@example.org asks to make Plans public';
as($ann, PATCH => "/v1/workspaces/$ws/members/" . $ben->{id}, { role => 'member' });
is titles($ben) . counts($ben), '0 0', 'no longer an admin, no longer asked';
as($ann, PATCH => "/v1/workspaces/$ws/members/" . $ben->{id}, { role => 'admin' });
is titles($ben), 'cat@example.org asks to make Plans public', 'an admin again, asked again';
as($cat, DELETE => "/v1/artifacts/$art/publish-approval/$apr");
is titles($ben), '', 'withdrawn';

# ---- a request for access

my $own = $api->publish($ann, slug => 'secret', visibility => 'private', name => 'Secret');
$own = $own->{id} if ref $own;
as($eve, POST => '/v1/access-requests', { slug => 'secret', message => "for\nThursday" });
$stack->runner;
is titles($ann), 'eve@example.org asks to see Secret', 'the owner has it';
is inbox($ann)->{items}[0]{excerpt}, 'for Thursday', 'with what they say, in a line';
my $visitor = Vitrine::Visitor->new($api);
$stack->ctl_in("the password\n", qw(user password), 'ann@example.org');
$visitor->sign_in('ann@example.org', 'the password');
my $r = $visitor->go('/');
like $r->{text}, qr{class="count new" aria-hidden="true">1<.*Inbox, 1\s+new.*eve\@example\.org</b> asks to see\s+<b>Secret}s,
	'the header shows it';
$r = $visitor->go('/auth/requests');
is $r->{path}, '/inbox?kind=request', 'where requests were leads to it';
like $r->{text}, qr{Waiting for you.*Let them view.*Decline}s;
my $acr = as($ann, GET => '/v1/access-requests/incoming')->{json}{access_requests}[0]{id};
$r = $visitor->submit(qr{/auth/requests/$acr$}, { action => 'approve' });
like $r->{text}, qr{Approved\..*Nothing waits for you}s, 'and is decided there';
is titles($eve, 'box=know'), 'Ann lets you see Secret', 'who asked knows';

# ---- an invitation

as($ann, POST => "/v1/workspaces/$ws/members/invite", { emails => ['dan@example.org'] });
is titles($dan), 'Ann invites you to join Team as a member';
as($dan, POST => '/v1/invites/' . as($dan, GET => '/v1/invites')->{json}{invites}[0]{id} . '/decline');
is titles($dan), '', 'declined';
as($ann, POST => "/v1/workspaces/$ws/members/invite", { emails => ['new@example.org', 'dan@example.org'] });
is titles($dan), 'Ann invites you to join Team as a member', 'invited anew';
is titles($stack->user('new@example.org')), 'Ann invites you to join Team as a member', 'an account that came later has it, too';

# ---- comments

as($ann, PATCH => "/v1/artifacts/$own", { comments_open => $true });
sub comment { my ($who, %o) = @_; return as($who, POST => "/v1/artifacts/$own/comments", { text => 'Well', %o })->{json}{comment}{id} }
my $first = comment($eve);
comment($eve, text => 'Again');
my ($remark) = grep { $_->{kind} eq 'remark' } @{inbox($ann)->{items}};
is "$remark->{title} $remark->{n} $remark->{excerpt}", 'Eve commented on Secret 2 Again', 'many are one item';
comment($ann, reply_to => $first, text => 'Hear, hear', mentions => ['eve@example.org']);
is titles($ann), '', 'an answer ends it';
is join(' ', sort map { $_->{kind} } @{inbox($eve)->{items}}), 'mention remark', 'who was answered and mentioned knows';
as($ann, PATCH => "/v1/artifacts/$own/comments/$first", { state => 'resolved' });
is titles($eve), '', 'until it is resolved';
like titles($eve, 'box=know'), qr{Ann resolved a thread on Secret}, 'which they know';
my $again = comment($eve);
($item) = @{inbox($ann)->{items}};
is as($ann, PATCH => "/v1/inbox/$item->{id}", { done => $true })->{json}{item}{done}, $true, 'done by hand';
is titles($ann), '';
comment($eve);
is titles($ann), 'Eve commented on Secret', 'another one is new';
as($ann, DELETE => "/v1/artifacts/$own/collaborators/eve\@example.org");
is titles($eve, 'box=know'), '', 'who may see it no more has nothing of it';

# ---- settings

my $s = as($eve, GET => '/v1/inbox/settings')->{json};
my %way = map { $_->{kind} => $_ } @{$s->{kinds}};
is_deeply $way{mention}, { kind => 'mention', title => 'Mentions of you in comments', way => 'mail', ways => [qw(mail page digest off)] },
	'a kind';
is "$s->{digest_at} $s->{zone}", '08:00 UTC', 'and when the daily mail comes';
is_deeply $way{billing}{ways}, ['mail'], 'which can be fixed';
sub put { my ($who, %ways) = @_; return as($who, PUT => '/v1/inbox/settings', { ways => \%ways }) }
refused(put($ann, x => 'page'), '400 INVALID_REQUEST', 'no such kind', qr/^ways: a kind must be .*approval, .*, not "x"$/);
refused(put($ann, approval => 'off'), '400 INVALID_REQUEST', 'approvals can not be switched off');
refused(put($ann, mention => 1), '400 INVALID_REQUEST', 'no such way');
is put($ann, remark => 'off', request => 'page')->{status}, 200;
as($ann, POST => '/v1/inbox/seen', { before => time + 5 });
as($ann, PATCH => "/v1/inbox/$_->{id}", { done => $true }) for @{inbox($ann)->{items}};
is as($ann, POST => "/v1/artifacts/$own/collaborators", { emails => ['eve@example.org'], role => 'viewer' })->{status}, 200;
comment($eve);
is titles($ann), '', 'off: nothing in the inbox';
as($dan, POST => '/v1/access-requests', { slug => 'secret' });
is scalar(grep { $_->{to}[0] eq 'ann@example.org' } mails(qr/dan\@example\.org requested access/)), 0, 'page: no mail';
is titles($ann), 'dan@example.org asks to see Secret', 'but an item';

# ---- once a day

my $digests = 0;
sub digests {
	$stack->runner;
	my @all = grep { ($_->{headers}{'x-vitrine-event'} // '') eq 'inbox_digest' } $smtp->mails;
	my @new = @all[$digests .. $#all];
	$digests = @all;
	return @new;
}
sub next_at { return $db->selectrow_array('SELECT next_at FROM inbox_digest WHERE user_id = ?', undef, $_[0]{id}) }
sub due {
	$db->do('UPDATE inbox_item SET listed_at = listed_at - 86400 WHERE user_id = ?', undef, $_[0]{id});
	$db->do('UPDATE inbox_digest SET next_at = UNIX_TIMESTAMP() - 1, told_at = LEAST(told_at, UNIX_TIMESTAMP() - 172800)'
		. ' WHERE user_id = ?', undef, $_[0]{id});
}
refused(as($ann, PUT => '/v1/inbox/settings', $_->[0]), '400 INVALID_REQUEST', $_->[1])
	for [{}, 'nothing to set'], [{ digest_at => '25:00' }, 'no such time'], [{ digest_at => '+8:00' }, 'nor this'],
	[{ zone => 'Mars/Base' }, 'no such zone'],
	[{ ways => { invitation => 'digest' } }, 'an invitation comes at once'];
is next_at($ann), undef, 'nobody has a daily mail unasked';
$db->do('UPDATE inbox_item SET updated_at = updated_at - 60');
$r = as($ann, PUT => '/v1/inbox/settings',
	{ ways => { remark => 'digest', request => 'digest' }, digest_at => '07:30', zone => 'Asia/Kathmandu' });
is "$r->{json}{digest_at} $r->{json}{zone}", '07:30 Asia/Kathmandu', 'a time and a zone';
my ($failed, $said, $note) = $stack->client($ann->{token}, qw(inbox settings --at 07:30 --zone Asia/Kathmandu));
like $note, qr{comes at 07:30 \(Asia/Kathmandu\)}, 'by the client, too';
my $due = next_at($ann);
is $due % 86400, 6300, 'of which the next one is'; # 01:45 UTC
cmp_ok $due - time, '<=', 86400, 'within a day';
due($ann);
is scalar(digests()), 0, 'what was there before is not listed';
cmp_ok next_at($ann), '>=', $due, 'and it is tomorrow’s turn';
comment($eve, text => 'Once');
comment($eve, text => 'Twice');
is scalar(digests()), 0, 'not due yet';
due($ann);
my ($mail, @more) = digests();
is scalar(@more), 0, 'one mail';
is $mail->{headers}{subject}, 'One new thing in your inbox', '... which says how much';
like $mail->{parts}{'text/plain'}, qr{> Comment: Eve commented on Secret \(2 times\)}, '... and what';
is scalar(digests()), 0, 'and no other one';
due($ann);
is scalar(digests()), 0, 'not the next day either, as nothing is new';
comment($eve, text => 'Thrice');
as($ann, POST => '/v1/inbox/seen', { before => time + 5 });
due($ann);
is scalar(digests()), 0, 'nor what was seen';
comment($eve, text => 'Four');
$db->do('UPDATE artifact SET closed = TRUE WHERE id = ?', undef, $own);
due($ann);
is scalar(digests()), 0, 'nor what can not be opened now';
$db->do('UPDATE artifact SET closed = FALSE WHERE id = ?', undef, $own);
$db->do("UPDATE mail_budget SET used = 2 WHERE kind = 'inbox'");
due($ann);
is scalar(digests()), 0, 'its own limit';
$db->do("DELETE FROM mail_budget WHERE kind = 'inbox'");

# A row that somebody else holds keeps the runner between moving the time and queueing the mail, where it is killed.
{
	$db->do("INSERT INTO mail_budget (kind, subject, day, used) VALUES ('inbox', 'ann\@example.org', UNIX_TIMESTAMP() DIV 86400, 0)");
	my $other = do { local $stack->{dbh}; $stack->db };
	$other->begin_work;
	$other->selectall_arrayref("SELECT used FROM mail_budget WHERE kind = 'inbox' FOR UPDATE");
	due($ann);
	my $kid = fork // die;
	if (!$kid) {
		$_->{InactiveDestroy} = 1 for $db, $other;
		exec "$stack->{build}/vitrine-runner", '--once', '--config', "$stack->{dir}/vitrine.yaml" or POSIX::_exit(127);
	}
	my $held = "SELECT ID FROM information_schema.PROCESSLIST WHERE INFO LIKE 'INSERT INTO mail_budget%'";
	Vitrine::Stack::wait_for('the runner to wait', 60, sub { $db->selectrow_array($held) });
	kill 'KILL', $kid;
	waitpid $kid, 0;
	$db->do('KILL ' . $db->selectrow_array($held));
	$other->rollback;
	is $db->selectrow_array("SELECT COUNT(*) FROM outbox WHERE kind = 'mail' AND payload LIKE '%inbox_digest%'"), 0, 'killed: no mail';
	cmp_ok next_at($ann), '<=', time, '... and it is still due';
}
($mail, @more) = digests();
like $mail->{parts}{'text/plain'}, qr{> Comment: Eve commented on Secret \(4 times\)}, 'the next runner sends it';
is scalar(@more), 0, 'once';

# ---- links that end a kind

my $path = sub { return $_[0]{headers}{'list-unsubscribe'} =~ m{<https://[^/]+(/\S+)>} ? $1 : '' };
my $way = sub { return join ' ', map { $_->{kind} eq $_[1] ? $_->{way} : () } @{as($_[0], GET => '/v1/inbox/settings')->{json}{kinds}} };
is $mail->{headers}{'list-unsubscribe-post'}, 'List-Unsubscribe=One-Click', 'a mail can be stopped in one click';
like $mail->{parts}{$_}, qr/\Q${\ $path->($mail)}\E/, "the link is in $_" for qw(text/plain text/html);
my $nobody = Vitrine::Visitor->new($api);
$r = $nobody->send(GET => $path->($mail));
like $r->{text}, qr{<strong>ann\@example\.org</strong> will get no more e-mail about this: What is new in your inbox, once a day},
	'it asks';
is $way->($ann, 'remark'), 'digest', 'and changes nothing';
$r = $nobody->submit(qr{^/auth/unsubscribe/kind});
like $r->{text}, qr/You’re unsubscribed/, 'a button does';
is $way->($ann, 'remark') . $way->($ann, 'request') . (next_at($ann) // ''), 'pagepage', 'for all that came so';
like $nobody->send(GET => $path->($mail))->{text}, qr/You’re unsubscribed/, 'the link says so, too';
put($ann, remark => 'mail');
put($eve, mention => 'off');
$db->do('UPDATE artifact SET comments_told_at = 0');
$db->do("UPDATE outbox SET due_at = 0 WHERE kind = 'comments'");
comment($eve, text => 'At once');
($mail) = mails(qr/comments? on Secret/);
is $nobody->send(POST => $path->($mail), body => 'List-Unsubscribe=One-Click',
	headers => { 'Content-Type' => 'application/x-www-form-urlencoded', 'Sec-Fetch-Site' => undef,
		'Sec-Fetch-Mode' => undef })->{status}, 200, 'in one click, without a page';
is $way->($ann, 'remark'), 'page', 'the kind has no more mail';
is $nobody->send($_ => '/auth/unsubscribe/kind?t=abc')->{status}, 404, "$_ of what we never sent" for qw(GET POST);

# ---- waiting, without a worker

{
	my $url = sub { "/v1/inbox?wait=20&since=$_[0]" };
	my $no = inbox($ann)->{change_no};
	is as($ann, GET => $url->($no + 1))->{json}{change_no}, $no, 'another number: at once';
	refused(as($ann, GET => '/v1/inbox?wait=51'), '400 INVALID_REQUEST', 'at most 50 seconds');
	put($ann, remark => 'mail');
	for my $q ("wait=20&since=$no", 'wait=20') {
		my $began = Time::HiRes::time();
		my $kid = open(my $out, '-|') // die;
		if (!$kid) {
			$_->{InactiveDestroy} = 1 for $db;
			print Vitrine::Api->new($stack)->call(GET => "/v1/inbox?$q", { token => $ann->{token} })->{body};
			close STDOUT;
			POSIX::_exit(0);
		}
		select undef, undef, undef, 1;
		comment($eve, text => "For who waits with $q");
		my $told = decode_json(<$out>);
		is $told->{items}[0]{excerpt}, "For who waits with $q", "$q: who waits hears of it";
		cmp_ok Time::HiRes::time() - $began, '<', 15, '... soon';
		waitpid $kid, 0;
	}
	($failed, $said) = $stack->client($ann->{token}, qw(inbox wait --wait 1 --since), inbox($ann)->{change_no});
	is "$failed $said", '1 ', 'a client that hears of nothing fails';
	($failed, $said) = $stack->client($ann->{token}, qw(inbox wait --since 1));
	like $said, qr{Eve commented on Secret: For who waits}, 'or says what there is';
}

# ---- how many wait

{
	my $no = inbox($ann)->{change_no};
	my @kids = map {
		my $kid = open(my $out, '-|') // die;
		if (!$kid) {
			$_->{InactiveDestroy} = 1 for $db;
			print Vitrine::Api->new($stack)->call(GET => "/v1/inbox?wait=30&since=$no", { token => $ann->{token} })->{status};
			close STDOUT;
			POSIX::_exit(0);
		}
		[$kid, $out];
	} 1 .. 5;
	select undef, undef, undef, 1.5;
	my $sixth = as($ann, GET => "/v1/inbox?wait=30&since=$no");
	refused($sixth, '429 RATE_LIMITED', 'a sixth request that would wait');
	ok $sixth->{headers}{'retry-after'}, '... hears when to come again';
	is as($ann, GET => "/v1/inbox?since=$no")->{status}, 200, 'one that does not wait is answered';
	comment($eve, text => 'For five');
	is join(' ', map { readline $_->[1] } @kids), '200 200 200 200 200', 'the five hear of what comes';
	waitpid $_->[0], 0 for @kids;
}

# ---- mail that can't be sent

$smtp->reply('gone@example.org' => '550 no such user');
as($ann, POST => "/v1/workspaces/$ws/members/invite", { emails => ['gone@example.org', 'fine@example.org'] });
$stack->runner;
my @lost = grep { $_->{kind} eq 'mail' } @{inbox($ann, 'box=know')->{items}};
is join(' | ', map { "$_->{title}: $_->{excerpt}" } @lost), 'gone@example.org couldn’t be reached by e-mail: Team',
	'who invited somebody knows';
as($ann, POST => "/v1/artifacts/$own/collaborators", { emails => ['gone@example.org'], role => 'viewer' });
$stack->runner;
is join(' ', map { "$_->{n} $_->{excerpt}" } grep { $_->{kind} eq 'mail' } @{inbox($ann, 'box=know')->{items}}), '2 Secret',
	'another one to that address is counted';
$smtp->reply('ann@example.org' => '550 no such user');
as($dan, POST => '/v1/access-requests', { slug => 'secret' });
$stack->runner;
is titles($dan, 'box=know&kind=mail'), '', 'nobody learns an address that they have not typed';
$smtp->reply;

# ---- a limit for one person

my $filled = time;
sub filled {
	my ($who, $n) = @_;
	$db->do("INSERT INTO inbox_item (id, user_id, kind, sort, box, need, subject, thing, created_at, updated_at, trims)"
		. " SELECT CONCAT('inb_', RIGHT(?, 4), LPAD(seq, 22, '0')), ?, 'agent', 'agent_ended',"
		. " IF(seq <= 5, 'waiting', 'know'), 'self',"
		. " CONCAT('ogr_', seq), 'x', 1, $filled - 3000 + seq, IF(seq = ?, 1, NULL) FROM seq_1_to_$n",
		undef, $who->{id}, $who->{id}, $n);
}
filled($dan, 2100);
filled($cat, 2000);
my $kept = sub { return join ' ', $db->selectrow_array("SELECT COUNT(*), SUM(shelf = 'waiting'), MIN(IF(shelf = 'know', updated_at, NULL))"
	. " > $filled - 2905 FROM inbox_item WHERE user_id = ? AND sort = 'agent_ended'", undef, $_[0]{id}) };
my ($others) = $db->selectrow_array("SELECT COUNT(*) FROM inbox_item WHERE user_id = ? AND sort <> 'agent_ended' AND NOT waits",
	undef, $dan->{id});
$stack->runner;
is $kept->($dan), join(' ', 2005 - $others, 5, 1), 'of one person the newest 2,000 stay, and all that wait';
is $kept->($cat), '2000 5 0', 'others keep theirs';
is $db->selectrow_array('SELECT COUNT(*) FROM inbox_item WHERE trims = 1'), 0, '... until the next mark';
comment($eve, text => "Round $_"), as($ann, PATCH => '/v1/inbox/' . inbox($ann)->{items}[0]{id}, { done => $true }) for 1 .. 2;
cmp_ok $db->selectrow_array("SELECT COUNT(*) FROM inbox_item WHERE user_id = ? AND sort = 'remarked'", undef, $ann->{id}), '>=', 2;
$db->do("DELETE FROM inbox_item WHERE sort = 'agent_ended'");

# ---- the wall, and the checks

my $confined = as($ann, POST => "/v1/workspaces/$ws/members/$ann->{id}/tokens", { name => 'x' })->{json}{token};
is titles({ token => $confined }), '', "a workspace's token has what is of the workspace alone" if $confined;
my (undef, $clean) = $stack->program('vitrinectl', {}, 'fsck');
unlike $clean, qr/inbox/, 'fsck finds that all agree';
$db->do('DELETE FROM inbox_item WHERE user_id = ?', undef, $ann->{id});
my (undef, $found) = $stack->program('vitrinectl', {}, 'fsck');
like $found, qr/inbox: 1 items are missing, 0 wait for nothing/, 'and what is missing';
$stack->ctl(qw(user recount));
is titles($ann), 'dan@example.org asks to see Secret', 'which a command mends';
done_testing;
