# SPDX-License-Identifier: Apache-2.0
# Invites into a workspace: sending, listing, revoking, and answering them, in the API and on their pages, with and without an account.
use utf8;
use Vitrine::Counted;
use Vitrine::Provider;
use Vitrine::Smtp;
use Vitrine::Visitor;
use Vitrine::Words qw(as refused);

my $smtp = Vitrine::Smtp->new;
my $folder = File::Temp::tempdir('vitrine-providers-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my ($stack, $api) = stack($smtp->conf, providers_dir => $folder);
my $idp = Vitrine::Provider->new($stack->{tls}, "https://vitrine.localhost:$stack->{port}/auth/callback");
$idp->configure($folder, allowed_domains => 'elsewhere.example');
$stack->stop_one('worker');
$stack->start_worker;
my $db = $stack->db;
my ($ann, $ben, $cat, $dan, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben cat dan eve);
$db->do("UPDATE user SET name = 'Ann Archer' WHERE id = ?", undef, $ann->{id});
sub made {
	my ($who, %o) = @_;
	my $r = as($who, POST => '/v1/workspaces', { name => 'Team', %o });
	is $r->{status}, 201, 'made' or diag $r->{body};
	return "/v1/workspaces/$r->{json}{workspace}{id}";
}
sub id_of { return $_[0] =~ /(wsp_\w+)/ ? $1 : die }
sub invite { my ($who, $ws, $emails, %o) = @_; return as($who, POST => "$ws/members/invite", { emails => $emails, %o }) }
sub status { return $db->selectrow_array('SELECT status FROM invite WHERE email = ? ORDER BY id DESC LIMIT 1', undef, $_[0]) }
sub people { return join ' ', map { "$_->{email}=$_->{role}" =~ s/\@example.org//r } @{as($ann, GET => "$_[0]/members")->{json}{members}} }
sub mail {
	my ($to) = @_;
	my ($p) = $db->selectrow_array("SELECT payload FROM outbox WHERE kind = 'mail' AND subject = ? ORDER BY id DESC LIMIT 1",
		undef, $to);
	return $p ? decode_json($p) : undef;
}
sub secret { my ($to) = @_; return (mail($to)->{values}{link} =~ m{^/auth/invite\?t=([0-9A-Za-z]{43})$})[0] // die "no link for $to" }
my $ws = made($ann, name => 'Northwind');
as($ann, POST => "$ws/members", { email => 'ben@example.org', role => 'admin' });
as($ann, POST => "$ws/members", { email => 'cat@example.org' });

# ---- inviting

refused(as($cat, GET => "$ws/invites"), '403 ACCESS_DENIED', 'a member does not see invites');
refused(invite($cat, $ws, ['x@example.org']), '403 ACCESS_DENIED', 'nor sends any');
refused(invite($ann, $ws, $_), '400 INVALID_REQUEST', 'addresses that are wrong')
	for ['a,b@x'], ['ok@example.org', 'b@'], ["a\@example.org\r\nBcc: b\@example.org"];
refused(invite($ben, $ws, ['ok@example.org'], role => 'admin'), '403 ACCESS_DENIED', 'an admin invites no admin');
is status('ok@example.org'), undef, 'nothing is done then';
my $r = invite($ann, $ws, ['New@Example.org', 'cat@example.org', 'dan@example.org', 'new@example.org']);
is $r->{status}, 201, 'people are invited' or diag $r->{body};
is_deeply $r->{json}{skipped}, [{ email => 'cat@example.org', reason => 'member' }], 'who is in it is passed over';
my ($new, $dans) = @{$r->{json}{invites}};
is_deeply $new, { id => $new->{id}, email => 'new@example.org', role => 'member', status => 'pending',
	invited_by => { user_id => $ann->{id}, name => 'Ann Archer', email => 'ann@example.org', kind => 'person' },
	created_at => $new->{created_at}, expires_at => $new->{created_at} + 7 * 86400, sent_at => $new->{created_at}, mailed => $true },
	'with exactly these members';
my $letter = mail('new@example.org');
is_deeply { map { $_ => $letter->{values}{$_} } qw(workspace by who role) },
	{ workspace => 'Northwind', by => 'Ann Archer', who => 'ann@example.org', role => 'member' }, 'the mail says who, to what, as what';
my $first = secret('new@example.org');
is $db->selectrow_array('SELECT COUNT(*) FROM invite WHERE hash = UNHEX(SHA2(?, 256))', undef, $first), 1,
	'of the link only the digest is stored';
unlike encode_json($r->{json}), qr/\Q$first/, 'the sender does not get it';
is_deeply [sort map { $_->{email} } @{as($ben, GET => "$ws/invites")->{json}{invites}}], ['dan@example.org', 'new@example.org'],
	'they are listed';
is as($ann, GET => $ws)->{json}{workspace}{seats}{pending}, 2, 'and wait';
$r = invite($ben, $ws, ['new@example.org']);
is "$r->{json}{invites}[0]{id} $r->{json}{invites}[0]{invited_by}{email}", "$new->{id} ben\@example.org", 'inviting again renews it';
isnt secret('new@example.org'), $first, '... with another link';
$db->do("UPDATE outbox SET due_at = 0");

# ---- looking at the link

my $new_page = Vitrine::Visitor->new($api);
sub over {
	my ($v, $t, $name) = @_;
	my $r = $v->send(GET => "/auth/invite?t=$t");
	is $r->{status}, 404, $name;
	like $r->{text}, qr/This invitation is no longer valid/, '... and says so';
}
over($new_page, $first, 'the link before is over');
over($new_page, $_, 'a link that is none') for 'x', 'A' x 43, 'A' x 44, '';
my $t = secret('new@example.org');
$r = $new_page->send(GET => "/auth/invite?t=$t");
like $r->{text}, qr/Join Northwind/, 'its page';
like $r->{text}, qr/new\@example\.org/, '... says for whom';
like $r->{text}, qr/name="password"/, '... and asks for a name and a password';
like $r->{headers}{'cache-control'}, qr/no-store/, '... and is kept nowhere';
is status('new@example.org'), 'pending', 'looking uses nothing up';
sub answer {
	my ($v, $t, %o) = @_;
	return $v->send(POST => '/auth/invite',
		headers => { 'Content-Type' => 'application/x-www-form-urlencoded', 'Sec-Fetch-Site' => 'same-origin' }, body => join '&',
		"t=$t", map { "$_=" . Vitrine::Visitor::escape($o{$_}) } sort keys %o);
}

# ---- somebody without an account makes one

for my $wrong ([name => ''], [password => 'short'], [password => 'new@example.org'], [password => 'password12']) {
	$r = answer($new_page, $t, action => 'accept', name => 'Nel Ew', password => 'five purple onions dance', @$wrong);
	is $r->{status}, 400, "refused: $wrong->[0] $wrong->[1]";
	like $r->{text}, qr/Join Northwind/, '... with the page again';
	unlike $r->{text}, qr/five purple onions/, '... without the password';
}
is $db->selectrow_array("SELECT COUNT(*) FROM user WHERE email = 'new\@example.org'"), 0, 'no account yet';
$r = answer($new_page, $t, action => 'accept', name => 'Nel Ew', password => 'five purple onions dance');
is "$r->{status} $r->{headers}{location}", '303 /auth/invites?joined=northwind', 'an account is made' or diag $r->{body};
$r = $new_page->go('/auth/invites?joined=northwind');
like $r->{text}, qr/You joined Northwind\./, 'and is signed in, and in the workspace';
is people($ws), 'ann=owner ben=admin cat=member new=member', 'at once';
is $db->selectrow_array("SELECT name FROM user WHERE email = 'new\@example.org'"), 'Nel Ew', 'by its name';
is status('new@example.org'), 'accepted', 'the invite is used';
my ($used) = $db->selectrow_array("SELECT id FROM invite WHERE email = 'new\@example.org' AND status = 'accepted'");
for ([POST => '/resend', qr/^new\@example\.org has already accepted this invite; if they have left/],
	[DELETE => '', qr/^new\@example\.org has already accepted this invite; to take their access away, remove them/]) {
	$r = as($ann, $_->[0] => "$ws/invites/$used$_->[1]");
	refused($r, '409 CONFLICT', "what was accepted: $_->[0]");
	like $r->{json}{error}, $_->[2], '... and why';
}
over(Vitrine::Visitor->new($api), $t, 'a used link');
is answer(Vitrine::Visitor->new($api), $t, action => 'accept', name => 'X', password => 'five purple onions dance')->{status}, 404,
	'... sent again by somebody else';
is answer($new_page, $t, action => 'accept')->{status}, 303, '... clicked twice by its person';
is answer($new_page, $t, action => 'decline')->{status}, 404, '... is not declined anymore';
is $db->selectrow_array('SELECT people FROM workspace WHERE id = ?', undef, id_of($ws)), 4, 'one seat is taken';

# ---- somebody with an account

$t = secret('dan@example.org');
my $page = Vitrine::Visitor->new($api);
$r = $page->send(GET => "/auth/invite?t=$t");
like $r->{text}, qr{href="/auth/signin\?next=%2Fauth%2Finvites&amp;email=dan%40example\.org"}, 'who has an account signs in';
unlike $r->{text}, qr/name="password"/, '... and sets no password';
is answer($page, $t, action => 'accept', name => 'X', password => 'five purple onions dance')->{headers}{location},
	'/auth/signin?next=%2Fauth%2Finvites&email=dan%40example.org', '... even if they try';
is $db->selectrow_array('SELECT COUNT(*) FROM password WHERE user_id = ?', undef, $dan->{id}), 0, '... which sets none';
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for qw(dan eve);
my $eves = Vitrine::Visitor->new($api);
$eves->sign_in('eve@example.org', 'the password');
$r = $eves->send(GET => "/auth/invite?t=$t");
is $r->{status}, 403, 'a link that was forwarded';
like $r->{text}, qr/This invitation is for dan\@example\.org\. You’re signed in as eve\@example\.org/, '... says whose it is';
is answer($eves, $t, action => $_)->{status}, 403, "... is not used: $_" for qw(accept decline);
is status('dan@example.org'), 'pending', '... and stays as it is';
is_deeply as($eve, GET => '/v1/invites')->{json}{invites}, [], '... nor listed';
$page->sign_in('dan@example.org', 'the password');
like $page->send(GET => "/auth/invite?t=$t")->{text}, qr/Accept invitation/, 'its person is asked';
like $page->go('/auth/invites')->{text}, qr/Northwind.*As a member, invited by Ann Archer/s, 'and finds it without the mail';
my $mine = as($dan, GET => '/v1/invites')->{json}{invites};
is_deeply $mine, [{ id => $dans->{id}, workspace => { id => id_of($ws), name => 'Northwind', logo_url => undef },
	email => 'dan@example.org', role => 'member', invited_by => $dans->{invited_by}, created_at => $dans->{created_at},
	expires_at => $dans->{expires_at} }], '... in the API too';
is answer($page, $t, action => 'decline')->{status}, 200, 'they decline';
is status('dan@example.org'), 'declined', '... which is noted';
over($page, $t, 'a declined link');
refused(as($dan, POST => "/v1/invites/$dans->{id}/accept"), '404 NOT_FOUND', '... is over in the API, too');
refused(as($ann, POST => "$ws/invites/$dans->{id}/resend"), '409 CONFLICT', 'what was declined is not sent again');
refused(as($ann, DELETE => "$ws/invites/$dans->{id}"), '409 CONFLICT', '... nor revoked');
invite($ann, $ws, ['dan@example.org'], role => 'admin');
is $page->send(POST => "/auth/invites/$dans->{id}/accept", headers => { 'Content-Type' => 'application/x-www-form-urlencoded' },
	body => '')->{headers}{location}, '/auth/invites?joined=northwind', 'invited anew, they accept on the page';
is as($dan, GET => $ws)->{json}{workspace}{role}, 'admin', 'in the role of the last invite';
$r = as($dan, POST => "/v1/invites/$dans->{id}/accept");
is "$r->{status} $r->{json}{workspace}{role}", '200 admin', 'twice is once';
is $db->selectrow_array('SELECT people FROM workspace WHERE id = ?', undef, id_of($ws)), 5, '... and one seat';
as($ann, DELETE => "$ws/members/$dan->{id}");
refused(as($dan, POST => "/v1/invites/$dans->{id}/accept"), '404 NOT_FOUND', 'who was removed does not come back by it');

# ---- whose to change

invite($ann, $ws, ['boss@example.org'], role => 'admin');
my ($boss) = map { $_->{id} } grep { $_->{email} eq 'boss@example.org' } @{as($ann, GET => "$ws/invites")->{json}{invites}};
refused(invite($ben, $ws, ['else@example.org', 'boss@example.org']), '403 ACCESS_DENIED', 'an admin does not renew an admin\'s invite');
is status('else@example.org'), undef, '... and nothing else is done';
refused(as($ben, DELETE => "$ws/invites/$boss"), '403 ACCESS_DENIED', '... nor revokes it');
refused(as($ben, POST => "$ws/invites/$boss/resend"), '403 ACCESS_DENIED', '... nor sends it again');
my $other = made($dan, name => 'Other');
my $old = secret('boss@example.org');
is as($ann, POST => "$ws/invites/$boss/resend")->{json}{invite}{id}, $boss, 'the owner sends it again';
over($page, $old, '... and the link before is over');
is as($ann, DELETE => "$ws/invites/$boss")->{status}, 200, 'and revokes it';
is as($ann, DELETE => "$ws/invites/$boss")->{status}, 200, 'twice is once';
over($page, secret('boss@example.org'), 'a revoked link');
is_deeply [map { $_->{email} } @{as($ann, GET => "$ws/invites?status=revoked")->{json}{invites}}], ['boss@example.org'],
	'listed as revoked';

# ---- a second after its time

$r = invite($ann, $ws, ['late@example.org']);
my $late = $r->{json}{invites}[0]{id};
$t = secret('late@example.org');
$db->do('UPDATE invite SET expires_at = UNIX_TIMESTAMP() WHERE id = ?', undef, $late);
over(Vitrine::Visitor->new($api), $t, 'an expired link');
is answer(Vitrine::Visitor->new($api), $t, action => 'accept', name => 'X', password => 'five purple onions dance')->{status}, 404,
	'... makes no account';
is_deeply [grep { $_->{id} eq $late } @{as($ann, GET => "$ws/invites")->{json}{invites}}], [], '... waits no longer';
is_deeply [map { "$_->{email} $_->{status}" } @{as($ann, GET => "$ws/invites?status=expired")->{json}{invites}}],
	['late@example.org expired'], '... is listed as expired';
is as($ann, POST => "$ws/invites/$late/resend")->{json}{invite}{status}, 'pending', '... and sent again';
is $db->selectrow_array('SELECT expires_at > UNIX_TIMESTAMP() + 6 * 86400 FROM invite WHERE id = ?', undef, $late), 1,
	'... for seven days more';
is +Vitrine::Visitor->new($api)->send(GET => '/auth/invite?t=' . secret('late@example.org'))->{status}, 200, '... by a link that works';
is answer(Vitrine::Visitor->new($api), secret('late@example.org'), action => 'decline')->{status}, 200,
	'who holds the link may decline without an account';
is $db->selectrow_array("SELECT actor_name FROM audit WHERE action = 'invite.declined' ORDER BY id DESC LIMIT 1"), 'late@example.org',
	'... as the address it went to';

# ---- a provider that vouches for the address

sub back { return $_[0] =~ s{^https://vitrine\.localhost:\d+}{}r }
sub through { my ($v, $to, $name) = @_; return $v->send(GET => back($idp->authorize($v->send(GET => $to)->{headers}{location}, $name))) }
invite($ben, $ws, ['vic@example.org', 'wim@example.org', 'xia@example.org']);
$t = secret('vic@example.org');
my $vic = Vitrine::Visitor->new($api);
my ($way) = map { Vitrine::Visitor::unescape_html($_) }
	$vic->send(GET => "/auth/invite?t=$t")->{text} =~ m{href="(/auth/provider/rs\?[^"]+)"};
is $way, "/auth/provider/rs?invite=$t&email=vic%40example.org", 'the page offers a provider';
is through(Vitrine::Visitor->new($api), '/auth/provider/rs', 'vic')->{status}, 403, 'which makes no accounts for this domain otherwise';
is through(Vitrine::Visitor->new($api), $way, 'wim')->{status}, 403, 'nor one for another address by the invite';
is through(Vitrine::Visitor->new($api), $way, 'unverified-vic')->{status}, 403, 'nor one that it does not vouch for';
is $db->selectrow_array("SELECT COUNT(*) FROM user WHERE email IN ('vic\@example.org', 'wim\@example.org')"), 0, '... none is made';
is status('vic@example.org'), 'pending', '... and nothing used';
$vic->send(GET => $way);
is $db->selectrow_array("SELECT COUNT(*) FROM provider_login WHERE CONCAT(next, nonce, verifier) LIKE ?", undef, "%$t%"), 0,
	'the secret is stored nowhere meanwhile';
$r = through($vic, $way, 'vic');
is "$r->{status} " . ($r->{headers}{location} // ''), '303 /auth/invites?joined=northwind', 'who it vouches for has an account'
	or diag $r->{text};
like $vic->go('/auth/invites?joined=northwind')->{text}, qr/You joined Northwind\./, '... and is in';
is status('vic@example.org'), 'accepted', '... by the invite';
is $db->selectrow_array("SELECT COUNT(*) FROM password p JOIN user u ON u.id = p.user_id WHERE u.email = 'vic\@example.org'"), 0,
	'... without a password';
is through(Vitrine::Visitor->new($api), $way, 'vic')->{status}, 404, 'the link is used';
is +Vitrine::Visitor->new($api)->send(GET => '/auth/provider/rs?invite=x')->{status}, 400, 'an invite that is none';
my $xias = Vitrine::Visitor->new($api);
$xias->send(GET => '/auth/provider/rs?invite=' . secret('xia@example.org'));
my $answer = back($idp->authorize($xias->{page}{headers}{location}, 'xia'));
my ($xia) = map { $_->{id} } grep { $_->{email} eq 'xia@example.org' } @{as($ann, GET => "$ws/invites")->{json}{invites}};
as($ann, DELETE => "$ws/invites/$xia");
is $xias->send(GET => $answer)->{status}, 404, 'revoked while they were at the provider';
is $db->selectrow_array("SELECT COUNT(*) FROM user WHERE email = 'xia\@example.org'"), 0, '... no account';

# A plan with more seats than a test invites.
sub plan { my ($ws, $plan) = @_; $db->do('UPDATE workspace SET plan_id = ? WHERE id = ?', undef, $plan, id_of($ws)) }

# ---- full

my $small = made($ann, name => 'Small');
$db->do("INSERT INTO user (id, email, name, created_at) "
	. "SELECT CONCAT('usr_', LPAD(seq, 26, '0')), CONCAT('u', seq, '\@seats.example'), '', 0 FROM seq_1_to_60");
$db->do("INSERT INTO member (workspace_id, user_id, role, joined_at) SELECT ?, CONCAT('usr_', LPAD(seq, 26, '0')), 'member', 0 "
	. "FROM seq_51_to_58", undef, id_of($small));
$db->do('UPDATE workspace SET people = 9 WHERE id = ?', undef, id_of($small));
my @fifty = map { "u$_\@seats.example" } 1 .. 50;
$r = refused(invite($ann, $small, \@fifty), '409 SEATS_FULL', 'fifty are not invited for one seat');
like $r->{json}{error}, qr/^emails: 1 seat is free, with 0 open invitations\..*No one has been invited yet/, '... which is said';
is mail('u1@seats.example'), undef, '... before anybody has a mail';
plan($small, 'enterprise');
$r = invite($ann, $small, \@fifty);
is scalar(@{$r->{json}{invites}}), 50, 'they are while a plan has the seats';
plan($small, undef);
my %invite = map { $_->{email} => $_->{id} } @{$r->{json}{invites}};
my @tokens = map { $stack->token(sprintf('usr_%026d', $_), 'so_') } 1 .. 50;
my @said = Vitrine::Api::together($stack, 50, sub {
	my ($own, $i) = @_;
	my $r = $own->call(POST => '/v1/invites/' . $invite{'u' . ($i + 1) . '@seats.example'} . '/accept', { token => $tokens[$i] });
	"$r->{status} " . ($r->{json}{code} // '');
});
my %count;
$count{$_}++ for @said;
is_deeply \%count, { '200 ' => 1, '409 SEATS_FULL' => 49 }, 'one of fifty gets the last seat';
is $db->selectrow_array("SELECT CONCAT(w.people, ' ', COUNT(*)) FROM workspace w JOIN member m ON m.workspace_id = w.id WHERE w.id = ? "
	. "GROUP BY w.id", undef, id_of($small)), '10 10', 'and the count is right';
is $db->selectrow_array("SELECT COUNT(*) FROM invite WHERE workspace_id = ? AND status = 'pending'", undef, id_of($small)), 49,
	'the others go on waiting';
refused(as($ann, POST => "$small/members", { email => 'eve@example.org' }), '409 SEATS_FULL', 'nobody is added, either');
refused(invite($ann, $small, ['walk-in@example.org']), '409 SEATS_FULL', '... nor invited');
my ($waits) = $db->selectrow_array("SELECT email FROM invite WHERE workspace_id = ? AND status = 'pending' LIMIT 1", undef, id_of($small));
$r = invite($ann, $small, [$waits]);
is "$r->{status} $r->{json}{invites}[0]{mailed}", '201 0', 'who waits already can be invited again; the fifty mails of the day are used up';
is mail('walk-in@example.org'), undef, '... so none went out';

# ---- one link, fifty times

my $solo = made($ben, name => 'Solo');
$r = invite($ben, $solo, ['fifty@example.org']);
$t = secret('fifty@example.org');
my @codes = Vitrine::Api::together($stack, 20, sub {
	my ($own) = @_;
	my $v = Vitrine::Visitor->new($own);
	answer($v, $t, action => 'accept', name => 'Fi Fty', password => 'five purple onions dance')->{status};
});
is join(' ', sort { $a <=> $b } map { $_ == 303 ? 303 : $_ } grep { $_ != 503 && $_ != 429 } @codes) =~ /^303(?: 30[34]| 404)*$/ ? 1 : 0, 1,
	'one link, many times at once' or diag "@codes";
is $db->selectrow_array("SELECT COUNT(*) FROM user WHERE email = 'fifty\@example.org'"), 1, 'makes one account';
is $db->selectrow_array('SELECT people FROM workspace WHERE id = ?', undef, id_of($solo)), 2, 'and takes one seat';

# ---- as many as there may be

my $many = made($ben, name => 'Many');
plan($many, 'enterprise');
$db->do("INSERT INTO invite (id, workspace_id, email, role, status, hash, invited_by, created_at, sent_at, mailed, expires_at) "
	. "SELECT CONCAT('inv_', LPAD(seq, 26, '0')), ?, CONCAT('m', seq, '\@many.example'), 'member', 'pending', UNHEX(SHA2(CONCAT('m', "
	. "seq), 256)), ?, 0, 0, 0, 4000000000 FROM seq_1_to_499", undef, id_of($many), $ben->{id});
refused(my $full = invite($ben, $many, ['a@many.example', 'b@many.example']), '409 LIMIT_REACHED', 'five hundred wait at most');
is $full->{json}{details}{limit}, 500, '... as it says';
is status('a@many.example'), undef, '... and neither is invited';
is invite($ben, $many, ['m1@many.example', 'a@many.example'])->{status}, 201, 'renewed ones count once';

# ---- a hundred at once, by a handful of statements

$db->do('DELETE FROM mail_budget');
my $bulk = made($ann, name => 'Bulk');
plan($bulk, 'enterprise');
Vitrine::Counted::still($stack);
my ($one, $one_cost) = Vitrine::Counted::counted($db, sub { invite($ann, $bulk, ['single@bulk.example']) });
my ($all, $all_cost) = Vitrine::Counted::counted($db, sub { invite($ann, $bulk, [map { "b$_\@bulk.example" } 1 .. 100]) });
Vitrine::Counted::go_on($stack);
is scalar(@{$all->{json}{invites}}), 100, 'a hundred are invited';
is scalar(grep { $_->{mailed} } @{$all->{json}{invites}}), 49, 'of whom as many are mailed as the sender may';
is $db->selectrow_array("SELECT COUNT(*) FROM outbox WHERE subject LIKE '%\@bulk.example'"), 50, '... and no more';
my ($n1) = $one_cost =~ /Com_stmt_execute=(\d+)/;
my ($n100) = $all_cost =~ /Com_stmt_execute=(\d+)/;
cmp_ok $n100, '<=', $n1 + 1, "with as many statements as one ($n1, $n100)";
is $db->selectrow_array("SELECT COUNT(*) FROM audit WHERE workspace_id = ? AND action = 'invite.sent'", undef, id_of($bulk)), 101,
	'each is written down';
is $db->selectrow_array("SELECT used FROM mail_budget WHERE kind = 'user' AND subject = ?", undef, $ann->{id}), 50,
	'the count of the sender is exact';
is $db->selectrow_array("SELECT COUNT(*) FROM mail_budget WHERE kind = 'shared' AND used > 0 AND subject LIKE '%\@bulk.example'"), 50,
	'and that of the addresses';

# ---- mails that are used up, by address

$db->do("UPDATE mail_budget SET used = 0 WHERE kind = 'user'");
$db->do("INSERT INTO mail_budget (kind, subject, day, used) VALUES ('shared', 'busy\@bulk.example', UNIX_TIMESTAMP() DIV 86400, 10)");
$r = invite($ann, $bulk, ['busy@bulk.example', 'quiet@bulk.example']);
is_deeply [map { $_->{mailed} ? 1 : 0 } @{$r->{json}{invites}}], [0, 1], 'an address that has had its ten gets none; the next does';
is $db->selectrow_array("SELECT used FROM mail_budget WHERE subject = 'busy\@bulk.example'"), 10, 'and its count stays';

# ---- deleted

my $gone = made($ben, name => 'Gone');
invite($ben, $gone, ['eve@example.org']);
is scalar(@{as($eve, GET => '/v1/invites')->{json}{invites}}), 1, 'an invite';
my $id = as($eve, GET => '/v1/invites')->{json}{invites}[0]{id};
as($ben, DELETE => $gone);
is_deeply as($eve, GET => '/v1/invites')->{json}{invites}, [], 'goes with its workspace';
refused(as($eve, POST => "/v1/invites/$id/accept"), '404 NOT_FOUND', '... and is not accepted');
as($ben, POST => "$gone/restore");
is as($eve, POST => "/v1/invites/$id/accept")->{status}, 200, 'and comes back with it';

# ---- swept

$db->do('UPDATE invite SET expires_at = 1 WHERE id = ?', undef, $id);
$stack->runner;
is $db->selectrow_array('SELECT COUNT(*) FROM invite WHERE id = ?', undef, $id), 0, 'what is long over is swept away';

finish($stack);
