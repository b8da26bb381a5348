# SPDX-License-Identifier: Apache-2.0
# Private artifacts: the way in for those who may, the wall for those who may not, asking for access and deciding about it.
use Vitrine::Smtp;
use Vitrine::Visitor;
use Vitrine::Words 'refused';

my $smtp = Vitrine::Smtp->new;
my ($stack, $api) = stack($smtp->conf, terms_url => 'https://example.org/report', access_requests_per_hour => 60);
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben eve);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for keys %user;
my $art = $api->publish($user{ann}, slug => 'secret', visibility => 'private', name => 'Plans',
	files => { 'index.html' => '<h1>plans</h1><a href=deep/page.html>x</a>',
		'deep/page.html' => 'deep', 'style.css' => 'b{}', '_headers' => "/*\n  Cache-Control: public, max-age=9999\n" });
my $open = $api->publish($user{ann}, slug => 'open', visibility => 'public');
sub visitor { my ($name) = @_; my $v = Vitrine::Visitor->new($api); $v->sign_in("$name\@example.org", 'the password') if $name; return $v }
sub at { my ($slug, $path) = @_; return "https://$slug.pages.localhost:$stack->{port}$path" }
sub same {
	my ($r) = @_;
	return "$r->{status} " . join '|', map { "$_: $r->{headers}{$_}" } grep { !/^(?:date|x-request-id)$/ } sort keys %{$r->{headers}};
}
sub mails { my ($what) = @_; $stack->runner; return grep { $_->{headers}{subject} =~ $what } $smtp->mails }

# ---- the wall

my $v = visitor();
my $r = $v->go(at('secret', '/deep/page.html?x=1'));
is $r->{status}, 404, 'nothing for nobody';
like $r->{text},
	qr{href="https://vitrine\.localhost:$stack->{port}/auth/view\?to=https%3A%2F%2Fsecret\.pages\.localhost%3A$stack->{port}%2Fdeep%2Fpage\.html%3Fx%3D1"},
	'but the way to sign in';
my $absent = $v->go(at('absent', '/deep/page.html?x=1'));
is same($r), same($absent), 'as where there is nothing';
is $r->{text} =~ s/secret/absent/gr, $absent->{text}, 'to the letter';
like $r->{text}, qr{href="https://example\.org/report"}, 'and where to report';
ok !$r->{headers}{'access-control-allow-origin'}, 'nobody else reads it';
my ($way) = map { Vitrine::Visitor::unescape_html($_) } $r->{text} =~ m{href="([^"]+/auth/view[^"]+)"};

# ---- the way in

my ($to_signin) = $v->send(GET => '/auth/view?to=' . Vitrine::Visitor::escape(at('absent', '/')))->{headers}{location};
like $to_signin, qr{^/auth/signin\?next=}, 'who is not signed in does that first, whatever is there';
$r = $v->go($way);
like $r->{path}, qr{^/auth/signin};
$r = $v->submit(qr{signin}, { email => 'ann@example.org', password => 'the password' });
is "$r->{host} $r->{path} $r->{body}", 'secret.pages.localhost /deep/page.html?x=1 deep', 'and lands on the page that was asked for';
is $r->{headers}{'cache-control'}, 'private, no-store', 'which is kept nowhere, whatever its _headers say';
is_deeply [sort keys %{$v->{jar}{'secret.pages.localhost'}}], [map { "__Host-vitrine_$_" } qw(asked nonce viewer)],
	'with a cookie of that host, and those of the way in';
ok !$v->{jar}{'secret.pages.localhost'}{vitrine_access}, 'the app\'s cookie never goes there';
is $v->go(at('secret', '/'))->{status}, 200, 'the whole site';
is $v->go(at('secret', '/style.css'))->{body}, 'b{}';
is $v->go(at('secret--v1', '/'))->{status}, 404, 'another host is another matter';
is $v->go('/auth/view?to=' . Vitrine::Visitor::escape(at('secret--v1', '/')))->{status}, 200, 'with its own way in';
is $v->{page}{host}, 'secret--v1.pages.localhost';
my $cookie = $v->{jar}{'secret.pages.localhost'}{'__Host-vitrine_viewer'}[0];
sub with_cookie { my ($slug, $value, %h) = @_; return $api->get_site($slug, '/', Cookie => "__Host-vitrine_viewer=$value", %h) }
is with_cookie('secret', $cookie)->{status}, 200;
my $other = $api->publish($user{ann}, slug => 'other', visibility => 'private');
is with_cookie('other', $cookie)->{status}, 404, "a cookie is its artifact's only";
is with_cookie('secret', $_)->{status}, 404, 'no cookie' for '', 'x', substr($cookie, 0, -1), $user{ann}{token};
my ($ranged) = $api->get_site('secret', '/deep/page.html', Cookie => "__Host-vitrine_viewer=$cookie", Range => 'bytes=1-2');
is "$ranged->{status} $ranged->{body}", '206 ee', 'ranges work';
is $api->site(HEAD => 'secret', '/', Cookie => "__Host-vitrine_viewer=$cookie")->{status}, 200;
is $v->go('/v1/open/secret')->{host}, 'secret.pages.localhost', 'mailed links lead in';
is visitor()->go('/v1/open/open')->{host}, 'open.pages.localhost', 'an open page needs no signing in';

# ---- tickets

sub ticket_for { my ($v, $slug) = @_; return $v->ticket(at($slug, '/')) }
# What becomes of a browser at that address that is there for the first time, but for the nonce of another: whether it is signed in.
sub enters {
	my ($ticket, $nonce) = @_;
	my ($host) = $ticket =~ m{^https://([^:]+)};
	my $w = visitor();
	$w->{jar}{$host}{'__Host-vitrine_nonce'} = $nonce if $nonce;
	my $r = $w->send(GET => $ticket);
	return wantarray ? $r : $w->{jar}{$host}{'__Host-vitrine_viewer'} ? 1 : 0;
}
my $ticket = ticket_for($v, 'secret');
like $ticket, qr{^https://secret\.pages\.localhost:$stack->{port}/_vitrine/enter\?ticket=vie_\w{49}&to=%2F$}, 'a ticket';
my $nonce = $v->{jar}{'secret.pages.localhost'}{'__Host-vitrine_nonce'};
is scalar(enters($ticket)), 0, "in nobody's browser but the one that began";
my $cid = visitor();
$cid->go("https://secret.pages.localhost:$stack->{port}/_vitrine/signin");
is scalar(enters($ticket, $cid->{jar}{'secret.pages.localhost'}{'__Host-vitrine_nonce'})), 0, '... nor in one that began itself';
my @got = map { scalar enters($ticket, $nonce) } 1 .. 3;
is "@got", '1 0 0', 'good once';
($ticket = ticket_for($v, 'secret')) =~ s/secret/other/;
is scalar(enters($ticket, $nonce)), 0, 'on its own host';
$ticket = ticket_for($v, 'secret');
$stack->db->do("UPDATE viewer SET expires_at = UNIX_TIMESTAMP() - 1 WHERE kind = 'ticket'");
is scalar(enters($ticket, $nonce)), 0, 'for a minute';
$ticket = ticket_for($v, 'secret');
for my $bad ('//evil.example', 'https://evil.example', '%2F%2Fevil.example', '/%5Cevil.example') {
	is +(enters($ticket =~ s/to=.*/to=$bad/r, $nonce))[0]{headers}{location}, '/', "nobody is sent to $bad";
}
is $v->send(GET => '/auth/view?to=' . Vitrine::Visitor::escape($_))->{status}, 400, "$_ is no page of ours"
	for 'https://evil.example/', 'x', "https://secret.pages.localhost.evil.example:$stack->{port}/",
	'http://secret.pages.localhost/', "https://user\@secret.pages.localhost:$stack->{port}/", 'https://secret.pages.localhost:1/';
is $v->send(GET => '/auth/view')->{status}, 400;

# ---- a bare address in a browser

sub browser { my ($name) = @_; my $v = visitor($name); $v->{dest} = 'document'; return $v }
# What it is sent: each reply on the way, and whether its cookies are to be kept.
sub hops {
	my ($v, $at, %o) = @_;
	my @seen;
	for (1 .. 10) {
		my $r = $v->send(GET => $at);
		my $kept = $v->{jar}{$r->{host}};
		push @seen, join ' ', $r->{status}, $r->{host}, $r->{path} =~ s/[?].*//r, $r->{headers}{'cache-control'};
		delete $v->{jar}{$r->{host}} if $o{cookieless} && $r->{host} ne 'vitrine.localhost';
		$at = $r->{headers}{location} or return @seen;
		$at = at($r->{host} =~ s/[.].*//r, $at) if $at =~ m{^/};
	}
	return @seen;
}
my @in = ('303 secret.pages.localhost /deep/page.html no-store', '303 vitrine.localhost /auth/view no-store',
	'303 secret.pages.localhost /_vitrine/enter no-store', '200 secret.pages.localhost /deep/page.html private, no-store');
my @wall = (@in[0 .. 2], '404 secret.pages.localhost /deep/page.html no-store');
my $anns = browser('ann');
is_deeply [hops($anns, at('secret', '/deep/page.html?x=1'))], \@in, 'who is signed in to the app is let in without a word';
is_deeply [hops($anns, at('secret', '/deep/page.html?x=1'))], [$in[-1]], '... from then on at once';
$anns->go(at('secret--v1', '/'));
is "$anns->{page}{status} $anns->{page}{host} $anns->{page}{path}", '200 secret--v1.pages.localhost /', "... and at a version's address";
is $anns->go(at('secret--v9', '/'))->{status}, 404, '... where there is none, the wall';
for my $who (undef, 'ben') {
	my @ways = map {
		my $slug = $_;
		my $v = browser($who);
		[map { my $hop = $_; $hop =~ s/\b$slug\b/secret/g; $hop } hops($v, at($slug, '/deep/page.html?x=1'))];
	} qw(secret absent);
	is_deeply \@ways, [\@wall, \@wall], ($who // 'nobody') . ' comes back to the wall, whether there is a page or not';
}
is_deeply [hops(browser($_), at('secret', '/deep/page.html?x=1'), cookieless => 1)], [@wall[0 .. 1],
	'404 secret.pages.localhost /_vitrine/enter no-store'], 'a browser that keeps no cookies: ' . ($_ // 'nobody') for undef, 'ann';
my $stranger = browser();
$stranger->go(at('secret', '/')) for 1 .. 2;
$stranger->sign_in('ann@example.org', 'the password');
is $stranger->go(at('secret', '/'))->{status}, 200, 'who has seen the wall and signs in elsewhere is let in when they come again';
for (['empty', 'cors'], ['iframe', 'navigate'], ['document', undef], [undef, 'navigate'], ['image', 'no-cors']) {
	my ($dest, $mode) = @$_;
	is visitor()->send(GET => at('secret', '/'), headers => { 'Sec-Fetch-Dest' => $dest, 'Sec-Fetch-Mode' => $mode })->{status}, 404,
		'at once for what no one opens: ' . join ' ', map { $_ // '-' } @$_;
}
is $api->get_site($_, '/')->{headers}{'set-cookie'}, undef, 'nor is a program given cookies' for 'secret', 'absent';

# ---- who may not, asks

my $ben = visitor('ben');
$r = $ben->go($way);
is $r->{status}, 403;
my $nothing = $ben->send(GET => '/auth/view?to=' . Vitrine::Visitor::escape(at('absent', '/deep/page.html?x=1')));
is $r->{text} =~ s/secret/absent/gr, $nothing->{text}, 'what is not theirs and what is not there look the same';
$ben->go($way);
$r = $ben->submit(qr{^/auth/signout$});
like $r->{path}, qr{^/auth/signin\?next=}, 'who is somebody else signs in as them';
$r = $ben->submit(qr{signin}, { email => 'ben@example.org', password => 'the password' });
like "https://vitrine.localhost:$stack->{port}$r->{path}", qr/^\Q$way/, 'and comes back';
$r = $ben->submit(qr{^/auth/view$}, { message => "Please!\r\n<b>I need it</b>" });
is $r->{status}, 200;
my ($mail) = mails(qr/requested access/);
is $mail->{headers}{to}, 'ann@example.org', 'the owner is told';
like $mail->{parts}{'text/plain'},
	qr{ben\@example\.org requested access to Plans.*https://vitrine\.localhost:$stack->{port}/inbox\?kind=request}s,
	'who, for what, and where to decide';
$ben->go($way);
$ben->submit(qr{^/auth/view$}, { message => 'again' });
is scalar(mails(qr/requested access/)), 1, 'once';
sub ask { my (%in) = @_; return $api->call(POST => '/v1/access-requests', { json => \%in }) }
my @alike = map { my $r = ask(@$_); "$r->{status} $r->{body}" } [url => at('secret', '/'), email => 'new@example.org'],
	[slug => 'absent', email => 'new@example.org'],
	[artifact_id => $open, email => 'new@example.org'], [artifact_id => $art, email => 'ann@example.org'],
	[artifact_id => $art =~ s/.$/0/r, email => 'new@example.org'],
	[artifact_id => $art, email => 'new@example.org', message => undef];
is_deeply [@alike], [('202 {"success":true}') x @alike], 'every answer is the same';
$stack->runner;
is $stack->db->selectrow_array('SELECT COUNT(*) FROM access_request'), 2, 'each address once';
refused(ask(@$_), '400 INVALID_REQUEST', 'what is no request')
	for [], [email => 'new@example.org'], [slug => 'secret'], [slug => 'secret', artifact_id => $art, email => 'new@example.org'],
	[slug => 'secret', email => 'x'], [url => 'https://evil.example/', email => 'new@example.org'],
	[slug => 'secret', email => ['new@example.org']],
	[slug => 'secret', email => 'new@example.org', message => 'x' x 2001],
	[slug => 'secret', email => "new\@example.org\r\nBcc: x\@example.org"];

# ---- the owner decides

sub incoming {
	my ($who) = @_;
	return $api->call(GET => '/v1/access-requests/incoming', { token => $who->{token} })->{json}{access_requests};
}
my $list = incoming($user{ann});
is_deeply [map { "$_->{email} $_->{artifact_name} $_->{status}" } @$list],
	['new@example.org Plans pending', 'ben@example.org Plans pending'], 'the newest first';
is $list->[1]{message}, "Please!\r\n<b>I need it</b>";
is_deeply incoming($user{ben}), [], "nobody else's";
refused($api->call(POST => "/v1/access-requests/$list->[0]{id}", { token => $user{ben}{token}, json => { action => 'approve' } }),
	'404 NOT_FOUND', 'nor decides');
refused($api->call(POST => "/v1/access-requests/$list->[0]{id}", { token => $user{ben}{token}, json => {} }), '404 NOT_FOUND',
	'... however they put it');
refused($api->call(POST => "/v1/access-requests/$list->[0]{id}", { token => $user{ann}{token}, json => $_ }), '400 INVALID_REQUEST',
	'no decision')
	for {}, { action => 'maybe' }, { action => undef }, { action => 'approve', role => 'owner' };
my $ann = $v;
$r = $ann->go('/auth/requests');
like $r->{text}, qr/ben\@example\.org.*&lt;b&gt;I need it/s;
unlike $r->{text}, qr/<b>I need/, 'escaped';
$r = $ann->submit(qr{/auth/requests/$list->[1]{id}$}, { action => 'approve' });
is $r->{path}, '/inbox?done=approve';
unlike $r->{text}, qr/ben\@/, 'decided';
is $ben->go($way)->{body}, 'deep', 'and is in at once';
like +(mails(qr/You now have access/))[0]{parts}{'text/plain'}, qr{/v1/open/secret}, 'and told';
is $api->call(GET => "/v1/artifacts/$art", { token => $user{ben}{token} })->{json}{artifact}{role}, 'viewer', 'as a viewer';
$r = $api->call(POST => "/v1/access-requests/$list->[0]{id}", { token => $user{ann}{token}, json => { action => 'deny' } });
is "$r->{status} $r->{json}{access_request}{status}", '200 denied';
refused($api->call(POST => "/v1/access-requests/$list->[0]{id}", { token => $user{ann}{token}, json => { action => 'approve' } }),
	'409 CONFLICT', 'once');
ask(slug => 'secret', email => 'new@example.org');
$stack->runner;
is_deeply incoming($user{ann}), [], 'who was refused is quiet for a while';
$stack->db->do('UPDATE access_request SET decided_at = decided_at - 8 * 86400');
ask(slug => 'secret', email => 'new@example.org');
$stack->runner;
is scalar @{incoming($user{ann})}, 1, 'and may ask again after that';
$r = $api->call(POST => '/v1/access-requests/' . incoming($user{ann})->[0]{id},
	{ token => $user{ann}{token}, json => { action => 'approve', role => 'editor' } });
is $r->{json}{access_request}{status}, 'approved';
like join(' ', map { "$_->{email}=$_->{role}" } @{$api->call(GET => "/v1/artifacts/$art/collaborators",
	{ token => $user{ann}{token} })->{json}{collaborators}}), qr/new\@example\.org=editor/,
	'an address without an account waits as a collaborator';

# ---- those who govern a workspace decide, too

my %team = map { $_ => $stack->user("$_\@example.org") } qw(gil hal ivy jan kim);
$stack->ctl_in("the password\n", qw(user password hal@example.org));
my $ws = $api->call(POST => '/v1/workspaces', { token => $team{gil}{token}, json => { name => 'Team' } })->{json}{workspace}{id};
$stack->seat($ws, $team{hal}, 'admin');
$stack->seat($ws, $team{ivy}, 'member');
my $bot = $api->call(POST => "/v1/workspaces/$ws/agent-tokens",
	{ token => $team{hal}{token}, json => { name => 'bot', scopes => ['artifacts:publish'] } })->{json};
my %page = (person => $api->publish($team{ivy}, slug => 'hers', name => 'Hers', workspace_id => $ws),
	agent => $api->publish({ token => $bot->{token} }, slug => 'bots', name => 'Bots'));
sub asks { my ($kind, @names) = @_; ask(artifact_id => $page{$kind}, email => "$_\@example.org") for @names; $stack->runner }
sub waits { return join ' ', map { "$_->{email}:$_->{artifact_name}" } @{incoming($_[0])} }
sub decide {
	my ($who, $email, %in) = @_;
	my ($id) = $stack->db->selectrow_array('SELECT id FROM access_request WHERE email = ?', undef, "$email\@example.org");
	return $api->call(POST => "/v1/access-requests/$id", { token => $who->{token}, json => { action => 'approve', %in } });
}
sub told {
	my ($who) = @_;
	return join ' | ', sort map { $_->{headers}{to} } grep { $_->{headers}{subject} =~ /^$who\@.* requested access/ } mails(qr/./);
}
asks(person => 'jan');
asks(agent => 'kim');
is waits($team{$_->[0]}), $_->[1], "$_->[0] sees " . ($_->[1] || 'nothing') for [gil => 'kim@example.org:Bots jan@example.org:Hers'],
	[hal => 'kim@example.org:Bots jan@example.org:Hers'], [ivy => 'jan@example.org:Hers'], [jan => ''];
is told('jan'), 'ivy@example.org', 'the owner is told';
is told('kim'), 'gil@example.org | hal@example.org', 'or, of what an agent owns, the admins';
refused(decide($team{ivy}, 'kim'), '403 ACCESS_DENIED', 'a member does not decide about what others own');
my $hal = visitor('hal');
like $hal->go('/auth/requests')->{text}, qr{Bots</a>.*Team.*Hers</a>.*Team}s, 'the page has both';
like $hal->go('/')->{text}, qr{Inbox, 2\s+new}, '... and every page their number';
is_deeply $api->call(GET => "/v1/artifacts/$page{agent}/collaborators", { token => $team{hal}{token} })->{json}{collaborators}, [],
	'an agent has no address to list';
is decide($team{hal}, 'kim')->{json}{access_request}{status}, 'approved', 'an admin approves';
is $api->call(GET => "/v1/artifacts/$page{agent}", { token => $team{kim}{token} })->{json}{artifact}{role}, 'viewer', '... and it holds';
is decide($team{gil}, 'jan', action => 'deny')->{json}{access_request}{status}, 'denied', 'the owner of the workspace denies';
sub audited {
	return join ' ', map { "$_->{action}:$_->{target}{name}:$_->{after}{email}" } grep { $_->{action} =~ /^(?:access|collab)/ }
		@{$api->call(GET => "/v1/workspaces/$ws/audit", { token => $team{gil}{token} })->{json}{audit}};
}
is audited(), 'access_request.denied:Hers:jan@example.org collaborator.added:Bots:kim@example.org', 'both are written down';
asks(agent => qw(lea max));
$api->call(PUT => "/v1/workspaces/$ws/access-policy",
	{ token => $team{gil}{token}, json => { allowed_domains => ['example.net'], allowed_emails => [] } });
refused(decide($team{hal}, 'lea'), '403 ACCESS_DENIED', "whom the access policy doesn't allow is not let in");
$api->call(PUT => "/v1/workspaces/$ws/access-policy",
	{ token => $team{gil}{token}, json => { allowed_domains => [], allowed_emails => [] } });
is join(' ', sort split / /, waits($team{hal})), 'lea@example.org:Bots max@example.org:Bots', '... and the request stays';
$stack->ctl(qw(user disable ivy@example.org));
asks(person => 'ned');
is told('ned'), 'gil@example.org | hal@example.org', 'of what a disabled account owns, the admins are told';
is $api->call(PATCH => "/v1/artifacts/$page{person}", { token => $team{gil}{token}, json => { workspace_id => undef } })->{status}, 200;
is join(' ', sort split / /, waits($team{hal})), 'lea@example.org:Bots max@example.org:Bots',
	'what has left the workspace is no longer theirs to decide';
$api->call(DELETE => "/v1/workspaces/$ws", { token => $team{gil}{token} });
is waits($team{hal}), '', 'nor what lies in the trash with it';

# ---- at once

is $ben->go(at('secret', '/'))->{status}, 200;
$api->call(DELETE => "/v1/artifacts/$art/collaborators/ben%40example.org", { token => $user{ann}{token} });
is $ben->go(at('secret', '/'))->{status}, 404, 'removed';
is $ben->go(at('secret', '/deep/page.html'))->{status}, 404;
$api->call(POST => "/v1/artifacts/$art/collaborators",
	{ token => $user{ann}{token}, json => { emails => ['ben@example.org'], role => 'viewer' } });
is $ben->go(at('secret', '/'))->{status}, 200, 'and back';
$stack->db->do('UPDATE artifact SET paused_at = 1 WHERE id = ?', undef, $art);
is $ben->go(at('secret', '/'))->{status}, 403, 'paused';
is visitor()->go(at('secret', '/'))->{status}, 404, 'which nobody else learns';
$stack->db->do('UPDATE artifact SET paused_at = NULL WHERE id = ?', undef, $art);
$ben->go('/auth/account');
$ben->submit(qr{/auth/signout$});
is $ben->go(at('secret', '/'))->{status}, 404, 'signed out of the app, out of the page';
$stack->ctl(qw(user disable ann@example.org));
is $ann->go(at('secret', '/'))->{status}, 404, 'disabled';
$stack->ctl(qw(user enable ann@example.org));
is $ann->go(at('secret', '/'))->{status}, 200;
$api->call(DELETE => "/v1/artifacts/$art", { token => $user{ann}{token} });
is $ann->go(at('secret', '/'))->{status}, 404, 'deleted';
unlike Vitrine::Stack::slurp("$stack->{dir}/worker.log"), qr/vie_[0-9A-Za-z]{20}/, 'no ticket in the log';
my @asked = map { ask(slug => 'secret', email => "u$_\@example.org")->{status} } 1 .. 60;
is $asked[-1], 429, 'asking is limited';
finish($stack);
