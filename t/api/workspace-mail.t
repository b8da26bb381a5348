# SPDX-License-Identifier: Apache-2.0
# Who is mailed what others do in a workspace: approvals to those who decide and to who asked, and what admins do with artifacts to their
# owners. Nobody is told of what they did themselves, or of what they may not see, and each act stands where no e-mail may go out.
use utf8;
use Vitrine::Counted;
use Vitrine::Smtp;
use Vitrine::Words 'as';

my $smtp = Vitrine::Smtp->new;
my ($stack, $api, $db) = stack(publish_per_hour => 10000, $smtp->conf);
my ($ann, $ben, $cat, $dan, $eve, $fay) = map { $stack->user("$_\@example.org") } qw(ann ben cat dan eve fay);
sub done { my ($r, $name) = @_; like $r->{status}, qr/^20[01]$/, $name or diag $r->{body}; return $r->{json} }
my $ws = as($ann, POST => '/v1/workspaces', { name => 'North & South' })->{json}{workspace}{id};
sub join_as { $stack->seat($ws, @_) }
join_as(@$_) for [$ben, 'admin'], [$dan, 'admin'], [$fay, 'admin'], [$cat, 'member'];
$db->do("UPDATE user SET name = CONCAT(UPPER(LEFT(email, 1)), SUBSTRING(email, 2, 2), ' Archer')");
$db->do('UPDATE user SET disabled_at = 1 WHERE id = ?', undef, $fay->{id});
my $n = 0;
sub publish {
	my ($who, %o) = @_;
	my $name = delete $o{name} // 'Plans';
	return done(as($who, POST => '/v1/publish', { name => $name, workspace_id => $ws,
		files => [{ path => 'index.html', content => 'page ' . ++$n }], %o }), 'published')->{artifact}{id};
}
sub ask {
	my ($who, $art, %o) = @_;
	return done(as($who, POST => "/v1/artifacts/$art/publish-approval", { visibility => 'public', %o }), 'asked')->{approval}{id};
}
sub decide {
	my ($who, $art, $id, $decision, %o) = @_;
	return done(as($who, POST => "/v1/artifacts/$art/publish-approval/$id/decision", { decision => $decision, %o }), $decision);
}
sub govern { my ($who, $art, $act, %o) = @_; return done(as($who, POST => "/v1/workspaces/$ws/admin/artifacts/$art/$act", \%o), $act) }
sub pardon { $db->do('DELETE FROM mail_budget') }

# What has reached the mail server since the last call: to => mail.
my $seen = 0;
sub news {
	my ($status, undef, $err) = $stack->runner;
	is $status, 0, 'the runner ran' or diag $err;
	my @all = $smtp->mails;
	my @new = @all[$seen .. $#all];
	$seen = @all;
	return map { ($_->{envelope}{to}[0] =~ s/\@example\.org$//r => $_) } @new;
}
sub told {
	my ($want, $name) = @_;
	my %mail = news();
	is join(', ', map { "$_: $mail{$_}{headers}{subject}" } sort keys %mail), $want, $name;
	pardon();
	return \%mail;
}
# Both parts say it, and lead there.
sub says {
	my ($mail, $what, $link) = @_;
	my ($text, $html) = map { $mail->{parts}{"text/$_"} } qw(plain html);
	s/\s+/ /g for my ($t, $h) = ($text, $html =~ s/&amp;/&/gr);
	like $t, qr/\Q$what/, "says: $what" or diag $text;
	like $h, qr/\Q$what/, '... in HTML, too' or diag $html;
	my $url = "https://vitrine.localhost:$stack->{port}$link";
	like $text, qr/^\Q$url\E$/m, "leads to $link";
	like $html, qr/<a href="\Q$url\E"/, '... in HTML, too';
	is_deeply $mail->{defects}, [], 'a parser finds nothing wrong';
}

# ---- asked for approval

done(as($ann, PATCH => "/v1/workspaces/$ws/publish-policy", { policy => 'require_approval' }), 'approvals are required');
my $plans = publish($cat, slug => 'plans');
told('', 'publishing is no news');
my $id = ask($cat, $plans);
my $mail = told('ann: Cat Archer requested approval for Plans, ben: Cat Archer requested approval for Plans, dan: '
	. 'Cat Archer requested approval for Plans',
	'the owner and the admins are asked; neither who asks, nor whose account is disabled');
says($mail->{ben}, "In North & South on vitrine.localhost:$stack->{port}, Cat Archer asked to make Plans public.",
	"/a/$plans/approval/$id");

# ---- decided

decide($ben, $plans, $id, 'approve', comment => "Fine.\n<b>Really</b> {link}");
$mail = told('cat: Plans was approved', 'who asked is told, and nobody else');
says($mail->{cat}, 'Ben Archer approved your request to make Plans public. It’s now public.', "/a/$plans/sharing");
like $mail->{cat}{parts}{'text/plain'}, qr/^> Fine\.\n> <b>Really<\/b> \{link\}$/m, 'with the comment, as a quotation';
like $mail->{cat}{parts}{'text/html'}, qr/Fine\.<br>\s*&lt;b&gt;Really&lt;\/b&gt; \{link\}/, '... whose markup is text';
publish($cat, artifact_id => $plans);
$id = ask($cat, $plans, visibility => 'unlisted', approver_ids => [$dan->{id}]);
told('dan: Cat Archer requested approval for Plans', 'who is named is asked, and no other');
decide($dan, $plans, $id, 'reject');
$mail = told('cat: Plans was not approved', 'a rejection is told');
says($mail->{cat}, 'Dan Archer rejected your request to make Plans unlisted, so it stays as it is.', "/a/$plans/sharing");
unlike $mail->{cat}{parts}{'text/html'}, qr/blockquote/, 'without a comment, where there is none';
done(as($ann, PATCH => "/v1/workspaces/$ws/publish-policy", { approvals_required => 2 }), 'two are required');
$id = ask($cat, $plans);
news();
decide($ben, $plans, $id, 'approve');
told('', 'one of two is no news');
decide($ann, $plans, $id, 'approve');
told('cat: Plans was approved', 'the last is');
done(as($ann, PATCH => "/v1/workspaces/$ws/publish-policy", { approvals_required => 1 }), 'one is');

# ---- who asks

my $agent = { token => done(as($ann, POST => "/v1/workspaces/$ws/agent-tokens",
	{ name => 'Nightly build', scopes => ['artifacts:publish', 'artifacts:read'] }), 'an agent')->{token} };
my $bots = publish($agent, slug => 'bots', name => 'Bots');
my ($bot_id) = $db->selectrow_array('SELECT owner_id FROM artifact WHERE id = ?', undef, $bots);
$id = ask($ben, $bots);
told('ann: Ben Archer requested approval for Bots, dan: Ben Archer requested approval for Bots', 'an admin who asks is not asked');
done(as($ben, DELETE => "/v1/artifacts/$bots/publish-approval/$id"), 'withdrawn');
told('', 'who withdraws knows');
publish($dan, artifact_id => $bots, name => 'Bots');
$id = ask($ben, $bots);
told('ann: Ben Archer requested approval for Bots', 'who made the version may not decide, and is not asked');
publish($ben, artifact_id => $bots, name => 'Bots');
told('', 'who replaces what they asked for knows');
done(as($ann, PATCH => "/v1/workspaces/$ws/publish-policy", { policy => 'open' }), 'open');

# ---- ended otherwise

done(as($cat, POST => "/v1/artifacts/$plans/collaborators", { emails => ['ben@example.org', 'eve@example.org'], role => 'editor' }),
	'shared');
publish($cat, artifact_id => $plans);
$id = ask($cat, $plans);
news();
publish($ben, artifact_id => $plans);
$mail = told('cat: Your request for Plans was closed', 'another version by somebody else ends it');
says($mail->{cat}, 'Before the request was decided, Ben Archer published another version.', "/a/$plans/sharing");
$id = ask($cat, $plans);
news();
publish($cat, artifact_id => $plans);
told('', 'by oneself is no news');
$id = ask($cat, $plans);
news();
sub status { return $db->selectrow_array('SELECT status FROM approval WHERE id = ?', undef, $_[0]) }
$db->do('UPDATE approval SET expires_at = UNIX_TIMESTAMP() + 60 WHERE id = ?', undef, $id);
told('', 'one that has time left stays');
is status($id), 'pending', '... pending';
$db->do('UPDATE approval SET expires_at = UNIX_TIMESTAMP() - 1 WHERE id = ?', undef, $id);
$mail = told('cat: Your request for Plans expired', 'what has expired is told');
says($mail->{cat}, 'No one approved or rejected the request, so it expired.', "/a/$plans/sharing");
is status($id), 'expired', '... and is over';
told('', 'once');
is scalar(@{as($cat, GET => "/v1/workspaces/$ws/publish-approvals?status=expired")->{json}{approvals}}), 1, 'the list has it as before';
$id = ask($cat, $plans);
news();
done(as($cat, DELETE => "/v1/artifacts/$plans"), 'deleted');
$db->do('UPDATE approval SET expires_at = UNIX_TIMESTAMP() - 1 WHERE id = ?', undef, $id);
told('', 'of what is deleted by its owner there is no news');
is status($id), 'cancelled', '... and the request is over';
done(as($cat, POST => "/v1/artifacts/$plans/restore"), 'restored');

# ---- who may not see it is not told of it

$id = ask($eve, $plans);
like join(' ', sort keys %{+{ news() }}), qr/^ann ben dan$/, 'somebody from outside who edits it asks';
decide($dan, $plans, $id, 'reject');
told('eve: Plans was not approved', '... and is told, as long as they have a role');
$id = ask($eve, $plans);
news();
done(as($cat, DELETE => "/v1/artifacts/$plans/collaborators/eve%40example.org"), 'taken off');
is status($id), 'cancelled', '... which ends what they asked for';
told('', 'who has none anymore is not told');
publish($cat, artifact_id => $plans);
$id = ask($cat, $plans);
news();
$db->do('UPDATE user SET disabled_at = 1 WHERE id = ?', undef, $cat->{id});
decide($dan, $plans, $id, 'reject');
told('', 'nor whose account is disabled');
$db->do('UPDATE user SET disabled_at = NULL WHERE id = ?', undef, $cat->{id});
done(as($ann, PATCH => "/v1/workspaces/$ws/publish-policy", { policy => 'open' }), 'approvals are over');

# ---- what admins do

govern($ben, $plans, 'pause', paused => $true, reason => "Wrong figures.\n<script>alert(1)</script>");
$mail = told('cat: Ben Archer paused Plans', 'its owner is told of a pause');
says($mail->{cat}, "Ben Archer paused Plans, which you own in North & South on vitrine.localhost:$stack->{port}.", "/a/$plans");
like $mail->{cat}{parts}{'text/plain'}, qr/^> Wrong figures\.\n> <script>/m, '... and why';
like $mail->{cat}{parts}{'text/html'}, qr/Wrong figures\.<br>\s*&lt;script&gt;/, '... without its markup';
govern($dan, $plans, 'pause', paused => $true, reason => 'Another reason');
told('', 'once');
govern($dan, $plans, 'pause', paused => $false, reason => 'Well');
$mail = told('cat: Plans is no longer paused', '... and of its end');
says($mail->{cat}, 'Dan Archer resumed Plans', "/a/$plans");
govern($dan, $plans, 'pause', paused => $false);
told('', '... once');
my $was = as($cat, GET => "/v1/artifacts/$plans")->{json}{artifact}{visibility};
govern($ben, $plans, 'visibility', visibility => 'unlisted');
$mail = told('cat: Plans is now unlisted', "of who can open it ($was before)");
says($mail->{cat}, 'Ben Archer changed who can open Plans', "/a/$plans/sharing");
govern($ben, $plans, 'visibility', visibility => 'unlisted');
told('', 'what stays as it is is no news');
govern($ben, $plans, 'transfer', new_owner_id => $dan->{id});
$mail = told('cat: Plans has a new owner, dan: You now own Plans', 'of another owner both are told');
says($mail->{cat}, 'Ben Archer made Dan Archer the owner of Plans', "/a/$plans");
says($mail->{dan}, 'Ben Archer made you the owner of Plans', "/a/$plans");
govern($ben, $plans, 'transfer', new_owner_id => $dan->{id});
told('', 'who is it already is told nothing');
govern($ann, $plans, 'transfer', new_owner_id => $ann->{id});
told('dan: Plans has a new owner', 'who takes it knows');
govern($ann, $plans, 'pause', paused => $true);
govern($ann, $plans, 'pause', paused => $false);
govern($ann, $plans, 'visibility', visibility => 'public');
govern($ann, $plans, 'transfer', new_owner_id => $cat->{id});
told('cat: You now own Plans', 'nobody is told of what they did to their own');
govern($ben, $plans, 'transfer', new_owner_id => $bot_id);
told('cat: Plans has a new owner', 'an agent has no address');
govern($ben, $plans, 'pause', paused => $true);
govern($ben, $plans, 'pause', paused => $false);
govern($ben, $plans, 'transfer', new_owner_id => $cat->{id});
told('cat: You now own Plans', '... whoever it was before');
done(as($ben, DELETE => "/v1/artifacts/$plans"), 'an admin deletes it');
$mail = told('cat: Ben Archer deleted Plans', 'its owner is told of that');
says($mail->{cat}, 'moved Plans, which you own in North & South', "/a/$plans/trash");
is as($cat, POST => "/v1/artifacts/$plans/restore")->{status}, 200, '... and takes it out again';
done(as($cat, DELETE => "/v1/artifacts/$plans"), 'who owns it deletes it');
done(as($cat, POST => "/v1/artifacts/$plans/restore"), '... and restores it');
told('', '... which is no news');
my $gone = publish($cat, slug => 'gone', name => 'Gone');
done(as($ben, DELETE => "/v1/artifacts/$gone?purge=1"), 'an admin deletes one for good');
$mail = told('cat: Ben Archer permanently deleted Gone', 'that is told as it is');
says($mail->{cat}, 'It can’t be restored', '/');
$stack->ctl(qw(artifact pause plans));
$stack->ctl(qw(artifact resume plans));
told('', 'an operator is no admin');

# ---- names are only names

$db->do('UPDATE user SET name = ? WHERE id = ?', undef, '<b>Ben</b> {link} evil.example', $ben->{id});
done(as($cat, PATCH => "/v1/artifacts/$plans", { name => '<i>Q3</i> {by} //evil.example/x' }), 'renamed');
is as($cat, PATCH => "/v1/artifacts/$plans", { name => "Q3\nBcc: eve\@example.org" })->{status}, 400, 'a name is one line';
govern($ben, $plans, 'pause', paused => $true);
$mail = told('cat: <b>Ben</b> {link} evil.example paused <i>Q3</i> {by} //evil.example/x', 'markup and braces in names mean nothing');
unlike $mail->{cat}{parts}{'text/html'}, qr/<[bi]>/, '... nor in HTML';
unlike $mail->{cat}{parts}{"text/$_"}, qr/evil\.example/, "... nor are they links: $_" for qw(plain html);
govern($ben, $plans, 'pause', paused => $false);
news();
done(as($cat, PATCH => "/v1/artifacts/$plans", { name => 'Plans' }), 'as it was');
$db->do("UPDATE user SET name = 'Ben Archer' WHERE id = ?", undef, $ben->{id});

# ---- over the budgets the act stands

sub used {
	my ($kind, $subject, $of) = @_;
	$db->do('REPLACE INTO mail_budget (kind, subject, day, used) VALUES (?, ?, UNIX_TIMESTAMP() DIV 86400, ?)',
		undef, $kind, $subject, $of);
}
sub count_of {
	my ($kind, $subject) = @_;
	return $db->selectrow_array('SELECT used FROM mail_budget WHERE kind = ? AND subject = ?', undef, $kind, $subject) // 0;
}
sub paused { return as($cat, GET => "/v1/artifacts/$plans")->{json}{artifact}{paused} ? 'paused' : 'open' }
pardon();
used(user => $ben->{id}, 50);
govern($ben, $plans, 'pause', paused => $true);
is paused(), 'paused', 'who has caused their fifty e-mails pauses';
told('', '... and nobody is told');
used(govern => 'cat@example.org', 10);
govern($dan, $plans, 'pause', paused => $false);
is paused(), 'open', 'and to whom ten were sent is done to';
is count_of(user => $dan->{id}), 0, '... which costs the sender nothing';
told('', '... without being told');
used(shared => 'cat@example.org', 10);
govern($dan, $plans, 'pause', paused => $true);
told('cat: Dan Archer paused Plans', 'invitations of others do not use it up');
govern($dan, $plans, 'pause', paused => $false);
news();
pardon();
used(approval => 'ann@example.org', 10);
$id = ask($cat, $plans);
is count_of(user => $cat->{id}), 2, 'each e-mail counts against who asks';
told('ben: Cat Archer requested approval for Plans, dan: Cat Archer requested approval for Plans',
	'those whose ten are used up are left out');
used(user => $dan->{id}, 50);
is decide($dan, $plans, $id, 'reject')->{approval}{status}, 'rejected', 'who has caused their fifty decides';
told('', '... and nobody is told');
used(user => $cat->{id}, 48);
$id = ask($cat, $plans);
told('ann: Cat Archer requested approval for Plans, ben: Cat Archer requested approval for Plans',
	'as many are asked as the budget has left, the owner first');
used(artifact => $plans, 10);
$db->do('UPDATE approval SET expires_at = 1 WHERE id = ?', undef, $id);
told('', 'past the budget of an artifact nobody is told that a request has expired');
is status($id), 'expired', '... which it has';
$db->do("UPDATE user SET email = 'ben\@xn--a' WHERE id = ?", undef, $ben->{id});
$id = ask($cat, $plans);
told('ann: Cat Archer requested approval for Plans, dan: Cat Archer requested approval for Plans',
	'an address that no mail goes to keeps nobody from asking');
$db->do("UPDATE user SET email = 'ben\@example.org' WHERE id = ?", undef, $ben->{id});

# ---- many admins: some are mailed, in as many statements as few are

sub cost {
	my ($art) = @_;
	my ($r, $counts) = Vitrine::Counted::counted($db,
		sub { as($cat, POST => "/v1/artifacts/$art/publish-approval", { visibility => 'public' }) });
	is $r->{status}, 201, 'asked' or diag $r->{body};
	return $counts;
}
my @arts = map { publish($cat, name => "Many $_", slug => "many-$_") } 1, 2, 3;
Vitrine::Counted::still($stack);
cost($arts[0]);
my $few = cost($arts[1]);
$db->do("INSERT INTO user (id, email, name, created_at) "
	. "SELECT CONCAT('usr_', LPAD(seq, 26, '0')), CONCAT('a', seq, '\@example.org'), '', 0 FROM seq_1_to_60");
$db->do("INSERT INTO member (workspace_id, user_id, role, joined_at) SELECT ?, CONCAT('usr_', LPAD(seq, 26, '0')), 'admin', 0 "
	. "FROM seq_1_to_60", undef, $ws);
pardon();
$db->do('DELETE FROM outbox');
is cost($arts[2]), $few, 'sixty admins cost as many statements as two';
is $db->selectrow_array("SELECT COUNT(*) FROM outbox WHERE kind = 'mail'"), 30, 'thirty of them are mailed';
is $db->selectrow_array("SELECT COUNT(*) FROM outbox WHERE kind = 'mail' AND subject = 'ann\@example.org'"), 1, '... the owner among them';
Vitrine::Counted::go_on($stack);

finish($stack);
