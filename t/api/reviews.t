# SPDX-License-Identifier: Apache-2.0
# Reviews: who is asked, what an answer needs, how one ends, what an approval has to do with it, and the digest that all agree on.
use utf8;
use Vitrine::Smtp;
use Vitrine::Visitor;
use Vitrine::World;
use Vitrine::Words qw(as refused);

my $smtp = Vitrine::Smtp->new;
my ($stack, $api, $db) = stack($smtp->conf, publish_per_hour => 10000);
my $world = Vitrine::World->new($stack);
my ($ann, $ben, $cat, $dan, $eve, $pat, $kim) = map { $stack->user("$_\@example.org") } qw(ann ben cat dan eve pat kim);
my $yes = Cpanel::JSON::XS::true;
my $no = Cpanel::JSON::XS::false;
$db->do('UPDATE user SET name = ? WHERE id = ?', undef, ucfirst($_->[0]), $_->[1]{id}) for [ben => $ben], [pat => $pat];
my $ws = as($ann, POST => '/v1/workspaces', { name => 'Team' })->{json}{workspace}{id};
$db->do('UPDATE workspace SET features_on = 1 WHERE id = ?', undef, $ws);
$stack->seat($ws, @$_) for [$ben, 'admin'], [$cat, 'member'], [$dan, 'admin'];
sub client { my ($name, @people) = @_; my $id = $world->id('shr');
	$db->do('INSERT INTO sharee (id, workspace_id, name, name_key, created_at) VALUES (?, ?, ?, ?, 0)', undef, $id, $ws, $name, $name);
	$db->do('INSERT INTO sharee_member (sharee_id, user_id, workspace_id, created_at) VALUES (?, ?, ?, 0)', undef, $id, $_->{id}, $ws)
		for @people;
	$db->do('UPDATE user SET outside = TRUE WHERE id = ?', undef, $_->{id}) for @people;
	return $id }
my $acme = client('Acme', $pat, $kim);
sub publish { my ($who, $text, %o) = @_; return as($who, POST => '/v1/publish',
	{ name => 'Plan', workspace_id => $ws, files => [{ path => 'index.html', content => $text }], %o }) }
sub made { my $r = publish($cat, @_); is $r->{status}, 201, "published: $_[0]" or diag $r->{body}; return $r->{json}{artifact}{id} }
sub give { my ($art, $can) = @_; return as($ann, POST => "/v1/workspaces/$ws/grants", { subject_type => 'sharee', subject_id => $acme,
	resource_type => 'artifact', resource_id => $art, capability => $can })->{json}{grant}{id} }
sub ask { my ($who, $art, $ask, %o) = @_; return as($who, POST => "/v1/artifacts/$art/reviews", { ask => $ask, %o }) }
sub asked { my $r = ask(@_); is $r->{status}, 201, 'asked' or diag $r->{body}; return $r->{json}{review} }
sub got { my ($who, $r) = @_; return as($who, GET => "/v1/artifacts/$r->{artifact_id}/reviews/$r->{id}") }
sub answer { my ($who, $r, $answer, %o) = @_; return as($who, POST => "/v1/artifacts/$r->{artifact_id}/reviews/$r->{id}/answer",
	{ answer => $answer, digest => $r->{digest}, %o }) }
sub status { return got($ann, $_[0])->{json}{review}{status} }
sub reviewed { return as($ann, GET => "/v1/artifacts/$_[0]")->{json}{artifact}{reviewed} }
sub inbox { my ($who, $box) = @_;
	return join ' | ', map { $_->{title} } @{as($who, GET => '/v1/inbox?kind=review&box=' . ($box // 'waiting'))->{json}{items}} }
sub closed { my ($who, $r) = @_; return as($who, POST => "/v1/artifacts/$r->{artifact_id}/reviews/$r->{id}/close") }
my @ben = ({ user_id => $ben->{id} });

# ---- asking

my $art = made('one', slug => 'plan');
my $grant = give($art, 'comment');
my @all = (@ben, { email => 'dan@example.org' }, { sharee_id => $acme });
my $r = ask($cat, $art, \@all, message => 'Is it right?');
is $r->{status}, 201, 'asked' or diag $r->{body};
my $review = $r->{json}{review};
my $nothing = sub { return { answer => undef, note => undef, at => undef, gone => $no } };
is_deeply $review, { id => $review->{id}, artifact_id => $art, version_no => 1, digest => $review->{digest}, message => 'Is it right?',
	status => 'open', created_by => { id => $cat->{id}, name => '', email => 'cat@example.org' }, created_at => $review->{created_at},
	due_at => $review->{created_at} + 7 * 86400, decided_at => undef, applies => $no, asked => [
		{ %{$nothing->()}, person => { id => $ben->{id}, name => 'Ben', email => 'ben@example.org' }, client => undef },
		{ %{$nothing->()}, person => { id => $dan->{id}, name => '', email => 'dan@example.org' }, client => undef },
		{ %{$nothing->()}, person => undef, client => { id => $acme, name => 'Acme' } }] }, 'as it is told';
like $review->{digest}, qr/^[0-9a-f]{64}$/, 'a digest';
is $r->{headers}{location}, "/v1/artifacts/$art/reviews/$review->{id}", 'where it is';
is_deeply as($cat, GET => "/v1/artifacts/$art/reviews")->{json}{reviews}, [$review], 'the list has it';
is_deeply reviewed($art), undef, 'nothing is approved yet';
is inbox($_), 'cat@example.org asks you to review Plan', 'it waits for who is asked, and for each of a client' for $ben, $dan, $pat, $kim;
is inbox($_), '', '... and for nobody else' for $ann, $cat, $eve;
refused(ask($cat, $art, \@ben), '409 CONFLICT', 'one at a time');
my $other = made('two', slug => 'other');
for ([[], 'nobody'], [[{}], 'an empty entry', 'ask[0]'], [[@ben, @ben], 'the same twice', 'ask[1]'],
	[[{ user_id => $cat->{id} }], 'oneself', 'ask[0]'], [[{ user_id => $ben->{id}, email => 'ben@example.org' }], 'two ways', 'ask[0]'],
	[[@ben, { email => 'eve@example.org' }], 'somebody who can\'t comment there', 'ask[1]'],
	[[{ email => 'nobody@example.org' }], 'nobody at all', 'ask[0]'], [[{ sharee_id => $acme }], 'a client without a grant', 'ask[0]'],
	[[{ user_id => 'usr_01ARZ3NDEKTSV4RRFFQ69G5FAV' }], 'an unknown id', 'ask[0]'],
	[[(@ben) x 51], 'fifty-one', 'ask']) {
	my ($ask, $what, $field) = @$_;
	my $r = ask($cat, $other, $ask);
	refused($r, '400 INVALID_REQUEST', "asking $what");
	like $r->{body}, qr/\Q$field/, '... and it is named' if $field;
}
my ($one, $two) = map { ask($cat, $other, [{ email => "$_\@example.org" }])->{json}{error} =~ s/$_//r } qw(eve nobody);
is $one, $two, 'a stranger reads like nobody';
refused(ask($cat, $other, \@ben, due_at => time + $_), '400 INVALID_REQUEST', "until $_ seconds from now") for -5, 91 * 86400;
refused(ask($cat, $other, \@ben, version_no => 9), '404 NOT_FOUND', 'a version that is not there');
refused(ask($eve, $other, \@ben), '404 NOT_FOUND', 'a stranger asks');
refused(ask($ben, $other, [{ user_id => $cat->{id} }]), '403 ACCESS_DENIED', 'a viewer asks');
is_deeply $db->selectrow_arrayref('SELECT COUNT(*) FROM review WHERE artifact_id = ?', undef, $other), [0], 'nothing is left of that';

# ---- what those who are asked see

is_deeply as($pat, GET => "/v1/artifacts/$art/reviews")->{json}{reviews}[0]{asked}[0]{person}{email}, undef, 'outsiders see no addresses';
refused(got($eve, $review), '404 NOT_FOUND', 'a stranger sees none');
my $draft = publish($cat, 'draft', artifact_id => $other, draft => $yes)->{json}{version}{version_no};
give($other, 'comment');
refused(as($pat, GET => "/v1/artifacts/$other/versions/2"), '404 NOT_FOUND', 'a draft is hidden from a client');
my $drafted = asked($cat, $other, [{ sharee_id => $acme }]);
is $drafted->{version_no}, 2, 'the newest version by default, a draft';
is as($pat, GET => "/v1/artifacts/$other/versions/2")->{status}, 200, 'who is asked sees it';
is as($pat, GET => "/v1/artifacts/$other/compare?from=1&to=2")->{json}{changed}, 1, '... what differs';
is as($pat, GET => "/v1/artifacts/$other/files/index.html?version=2")->{body}, 'draft', '... and its files';
$stack->ctl_in("the password\n", qw(user password pat@example.org));
my $v = Vitrine::Visitor->new($api);
$v->sign_in('pat@example.org', 'the password');
my $host = 'other--v2.pages.localhost';
my $cookie = $v->viewer_cookie($host, "https://$host:$stack->{port}/") // '';
is $api->get_site('other--v2', '/', Cookie => $cookie)->{body}, 'draft', '... at its own address';
like $v->go("/shared/artifacts/$other/reviews/$drafted->{id}")->{body}, qr/Approve version 2/, 'their page has a form';
like $v->go("/shared/artifacts/$other/compare?to=2")->{body}, qr/1 file differs/, '... what differs is a page of theirs';
my $pictures = "/v1/artifacts/$other/compare/pictures";
is_deeply [map { [@$_{qw(path status)}] } @{as($pat, GET => "$pictures?to=2")->{json}{pictures}{pages}}], [['index.html', 'unavailable']],
	'... whose pictures are asked for by the review';
refused(as($pat, POST => $pictures, { to => 2 }), '403 ACCESS_DENIED', '... not by who is asked');
refused(as($eve, GET => "$pictures?to=2"), '404 NOT_FOUND', '... not by a stranger');
like $v->go("/shared/artifacts/$other/reviews/$drafted->{id}")->{body}, qr/No browser can run on this\s+service/, '... which the page says';
my $sha = Digest::SHA::sha256_hex('draft');
$db->do("UPDATE compare_picture SET due_at = NULL, found = ?, from_sha256 = UNHEX('$sha'), from_size = 5, to_sha256 = UNHEX('$sha'), "
	. "to_size = 5 WHERE artifact_id = ?", undef, '{"changed":1,"from":{"width":9,"height":9,"boxes":[]},'
	. '"to":{"width":9,"height":9,"boxes":[{"x":1,"y":2,"w":3,"h":4}]}}', $other);
my ($image) = $v->go("/shared/artifacts/$other/reviews/$drafted->{id}")->{body} =~
	m{in\s+version\s+2, 1 frame around.*?<image href="https://[^/"]+([^"]*)}s;
$image =~ s/&amp;/&/g;
is as($pat, GET => $image)->{body}, 'draft', '... and the picture is theirs';
refused(as($eve, GET => $image), '404 NOT_FOUND', '... and not a stranger\'s');
like $v->go("/a/$other")->{body}, qr/asked to approve version 2/, '... and the artifact\'s address leads there';
my ($frame) = $v->go("/a/$other/review?version=2")->{body} =~ /<iframe[^>]* src="([^"]*)"/;
sub framed { return Vitrine::Visitor->new($api)->send(GET => $_[0], headers => { 'Sec-Fetch-Dest' => 'iframe' }) }
like framed($frame)->{body}, qr/draft$/, '... the review view frames it';
$v->submit(qr{/review/2$}, { text => 'Why?', exact => 'draft' });
is_deeply [map { ($_->{version_no}, $_->{anchor}{quote}{exact}) } grep { $_->{text} eq 'Why?' }
	@{as($cat, GET => "/v1/artifacts/$other/comments")->{json}{comments}}], [2, 'draft'], '... and takes their remarks';
is closed($cat, $drafted)->{json}{review}{status}, 'closed', 'closed by who asked';
is framed($frame)->{status}, 404, 'then the frame is closed';
refused(as($pat, GET => "/v1/artifacts/$other/versions/2"), '404 NOT_FOUND', 'then the draft is hidden again');
refused(as($pat, GET => $_), '404 NOT_FOUND', '... and its pictures') for "$pictures?to=2", $image;
isnt $api->get_site('other--v2', '/', Cookie => $cookie)->{status}, 200, '... at its address, too';
refused(answer($pat, $drafted, 'approve'), '409 CONFLICT', 'an answer is too late');
refused(closed($cat, $drafted), '409 CONFLICT', 'closing twice');

# ---- answering

refused(answer($cat, $review, 'approve'), '403 ACCESS_DENIED', 'who isn\'t asked');
refused(answer($eve, $review, 'approve'), '404 NOT_FOUND', 'a stranger');
refused(answer($ben, $review, 'approve', digest => '0' x 64), '409 VERSION_CONFLICT', 'another digest');
refused(answer($ben, $review, 'maybe'), '400 INVALID_REQUEST', 'another word');
refused(answer($ben, $review, 'send_back', note => " \n"), '400 INVALID_REQUEST', 'sent back without a reason');
is answer($ben, $review, 'send_back', note => 'The unit')->{status}, 200, '... with one';
is answer($ben, $review, 'approve', note => 'Now')->{json}{review}{asked}[0]{answer}, 'approve', 'the last answer counts';
$r = answer($kim, $review, 'approve')->{json}{review};
is_deeply [@{$r->{asked}[2]}{qw(answer note)}, $r->{asked}[2]{person}{id}], ['approve', undef, $kim->{id}], 'one answers for a client';
refused(answer($pat, $review, 'send_back', note => 'x'), '409 CONFLICT', 'the first of a client counts');
is join('', map { inbox($_) } $ben, $pat, $kim), '', 'it waits for none of them any more';
is inbox($dan), 'cat@example.org asks you to review Plan', '... but for the other one';
is status($review), 'open', 'one is missing';
as($dan, POST => "/v1/artifacts/$art/comments", { text => 'No unit' });
$r = answer($dan, $review, 'send_back');
is "$r->{status} $r->{json}{review}{status}", '200 sent_back', 'a thread on the version is a reason, and the last answer ends it'
	or diag $r->{body};
is reviewed($art), undef, 'that approves nothing';
is inbox($dan) . inbox($cat, 'know'), 'Plan was sent back in its review', 'who asked knows, and nobody is asked';
refused(answer($ben, $review, 'approve'), '409 CONFLICT', 'then it is over');
$review = asked($cat, $art, [@ben, { sharee_id => $acme }]);
answer($pat, $review, 'approve');
is answer($ben, $review, 'approve')->{json}{review}{applies}, $yes, 'approved, and it applies';
my $at = reviewed($art);
is inbox($cat, 'know'), 'Plan was approved in its review | Plan was sent back in its review', '... and so is who asked';
is_deeply $at, { review_id => $review->{id}, version_no => 1, at => $at->{at}, applies => $yes }, 'as the artifact says';
is as($pat, GET => "/v1/artifacts/$art")->{json}{artifact}{reviewed}, undef, '... to people with a role';

# ---- other versions

publish($cat, 'three', artifact_id => $art);
is reviewed($art)->{applies}, $no, 'another version is live, and it no longer applies';
is got($ann, $review)->{json}{review}{applies}, $no, '... as it says itself';
as($cat, POST => "/v1/artifacts/$art/versions/1/restore");
is reviewed($art)->{applies}, $yes, 'the version is live again';
publish($cat, 'one', artifact_id => $art);
is reviewed($art)->{applies}, $yes, 'equal bytes under another number are the same';
$review = asked($cat, $art, \@ben);
publish($cat, 'one', artifact_id => $art, draft => $yes);
is status($review), 'open', 'a publish of equal bytes changes nothing';
publish($cat, 'one', artifact_id => $art, draft => $yes, agent => { enabled => $yes });
is status($review), 'superseded', 'one that changes something else when it goes live, does';
is inbox($ben) . '|' . inbox($_, 'know'), '|' . inbox($_, 'know'), '... and it waits for nobody' for $cat;
refused(answer($ben, $review, 'approve'), '409 CONFLICT', 'it takes no answer');
$review = asked($cat, $art, \@ben, version_no => 1);
publish($cat, 'four', artifact_id => $art, draft => $yes);
is status($review), 'superseded', 'a draft does, too';
$review = asked($cat, $art, \@ben);
refused(as($cat, DELETE => "/v1/artifacts/$art/versions/$review->{version_no}"), '409 CONFLICT', 'a version under review stays');
$db->do('UPDATE version SET digest = NULL WHERE artifact_id = ?', undef, $art);
as($cat, POST => "/v1/artifacts/$art/versions/$review->{version_no}/restore");
is answer($ben, $review, 'approve')->{json}{review}{applies}, $yes, 'the digest of an older version is computed when it is needed';

# ---- its time, and who can't answer any more

$review = asked($cat, $art, \@ben);
$db->do('UPDATE review SET due_at = UNIX_TIMESTAMP() - 1 WHERE id = ?', undef, $review->{id});
is status($review), 'expired', 'its time is over';
refused(answer($ben, $review, 'approve'), '409 CONFLICT', '... for answers, too');
$stack->runner;
ok got($ann, $review)->{json}{review}{decided_at}, 'the runner ends it';
$review = asked($cat, $art, [@ben, { sharee_id => $acme }]);
answer($ben, $review, 'approve');
is status($review), 'open', 'a client is missing';
as($ann, DELETE => "/v1/workspaces/$ws/grants/$grant");
refused(answer($pat, $review, 'approve'), '404 NOT_FOUND', 'it loses its grant');
$stack->runner;
$r = got($ann, $review)->{json}{review};
is "$r->{status} $r->{asked}[1]{gone}", 'approved 1', 'and the review waits for it no longer';
give($art, 'comment');
$review = asked($cat, $art, [{ sharee_id => $acme }]);
{
	my $lou = $stack->user('lou@example.org');
	my $people = "/v1/workspaces/$ws/sharees/$acme/members";
	is inbox($lou), '', 'somebody who is of no client';
	is as($ann, POST => $people, { email => 'lou@example.org' })->{status}, 201;
	is inbox($lou), 'cat@example.org asks you to review Plan', '... has what waits for their client once they are of it';
	is as($ann, DELETE => "$people/$lou->{id}")->{status}, 200;
	is inbox($lou), '', '... as long as they are';
	as($ann, POST => $people, { email => 'lou@example.org' });
	as($ann, POST => "/v1/workspaces/$ws/members/invite", { emails => ['lou@example.org'] });
	is as($lou, POST => '/v1/invites/' . as($lou, GET => '/v1/invites')->{json}{invites}[0]{id} . '/accept')->{status}, 200;
	is $db->selectrow_array('SELECT COUNT(*) FROM inbox_item WHERE user_id = ? AND done_at IS NULL', undef, $lou->{id}), 0,
		'nor once inside';
}
$db->do('UPDATE workspace SET features_on = 0, features_off = 1 WHERE id = ?', undef, $ws);
$db->do('UPDATE review SET look_at = 0');
$stack->runner;
is_deeply [@{got($ann, $review)->{json}{review}}{status}, got($ann, $review)->{json}{review}{asked}[0]{gone}], ['open', $no],
	'while the plan lacks sharing, it sleeps';
refused(answer($pat, $review, 'approve'), '404 NOT_FOUND', '... and nobody of the client reaches it');
$db->do('UPDATE workspace SET features_on = 1, features_off = 0 WHERE id = ?', undef, $ws);
$db->do('DELETE FROM sharee_member WHERE sharee_id = ?', undef, $acme);
$db->do('UPDATE review SET look_at = 0');
$stack->runner;
is status($review), 'closed', 'when nobody is left, it closes';
$review = asked($cat, $art, \@ben);
as($cat, DELETE => "/v1/artifacts/$art");
is_deeply $db->selectrow_arrayref('SELECT status FROM review WHERE id = ?', undef, $review->{id}), ['closed'], 'the trash closes it';

# ---- who wants no mail of it

as($_, PUT => '/v1/inbox/settings', { ways => { review => 'page' } }) for $ben, $cat;
$art = made('quiet', slug => 'quiet');
sub mailed { my ($what) = @_; $stack->runner;
	return join ' ', sort map { $_->{envelope}{to}[0] =~ s/@.*//r } grep { $_->{headers}{subject} =~ $what } $smtp->mails }
$review = ask($cat, $art, [@ben, { user_id => $dan->{id} }], message => 'Quietly')->{json}{review};
mailed(qr/asks you to review Plan/);
my ($last) = grep { $_->{headers}{subject} =~ /asks you to review/ } reverse $smtp->mails;
is $last->{envelope}{to}[0], 'dan@example.org', 'who wants mail gets it, and nobody else';
like $last->{headers}{'list-unsubscribe'}, qr{/auth/unsubscribe/kind}, '... with a link that stops it';
is inbox($ben), 'cat@example.org asks you to review Plan', '... but an item';
my $ends = mailed(qr/Plan was/);
answer($_, $review, 'approve') for $ben, $dan;
is mailed(qr/Plan was/), $ends, '... as who asked';
is((split / \| /, inbox($cat, 'know'))[0], 'Plan was approved in its review', '... who knows');
as($_, PUT => '/v1/inbox/settings', { ways => { review => 'mail' } }) for $ben, $cat;

# ---- beside an approval

as($ann, PATCH => "/v1/workspaces/$ws/publish-policy", { policy => 'require_approval' });
sub pending { my ($art) = @_;
	return as($cat, POST => "/v1/artifacts/$art/publish-approval", { visibility => 'public' })->{json}{approval} }
$art = made('first', slug => 'held');
my $approval = pending($art);
$review = asked($cat, $art, [@ben, { user_id => $dan->{id} }]);
$r = answer($ben, $review, 'approve', note => 'Good');
is $r->{json}{review}{asked}[0]{answer}, 'approve', 'an admin answers';
is as($ann, GET => "/v1/artifacts/$art")->{json}{artifact}{visibility}, 'public', '... which is the approval';
is status($review), 'open', '... and the review waits for the other';
($approval) = grep { $_->{artifact_id} eq $art } @{as($ann, GET => "/v1/workspaces/$ws/publish-approvals")->{json}{approvals}};
is_deeply $approval->{review}, { id => $review->{id}, answers => [{ user_id => $ben->{id}, name => 'Ben', client => undef,
	answer => 'approve', note => 'Good', at => $approval->{review}{answers}[0]{at} }] }, 'the approval has the review';
is "$approval->{status} $approval->{approvals}[0]{comment}", 'approved Good', '... and its note';
is answer($dan, $review, 'approve')->{json}{review}{applies}, $yes, 'then it applies';
$art = made('first', slug => 'held-too');
$approval = pending($art);
$review = asked($cat, $art, \@ben);
as($ben, POST => "/v1/artifacts/$art/publish-approval/$approval->{id}/decision", { decision => 'reject', comment => 'Later' });
$r = got($ann, $review)->{json}{review};
is "$r->{status} $r->{asked}[0]{answer} $r->{asked}[0]{note}", 'sent_back send_back Later', 'a decision is the answer';

# ---- all at once

my $told = sub { return scalar grep { $_->{headers}{subject} =~ /approved in its review/ && $_->{envelope}{to}[0] eq 'cat@example.org' }
	$smtp->mails };
$stack->runner;
my $before = $told->();
$art = made('together', slug => 'together');
my @eight = map { $stack->user("r$_\@example.org") } 1 .. 8;
$stack->seat($ws, $_, 'member') for @eight;
$review = asked($cat, $art, [map { { user_id => $_->{id} } } @eight]);
my @said = Vitrine::Api::together($stack, 8, sub { my ($own, $i) = @_;
	return $own->call(POST => "/v1/artifacts/$art/reviews/$review->{id}/answer", { token => $eight[$i]{token},
		json => { answer => 'approve', digest => $review->{digest} } })->{status} });
is "@said", join(' ', (200) x 8), 'eight answer at once';
is status($review), 'approved', '... and that is one end';
$stack->runner;
is $told->() - $before, 1, '... and one mail';
for my $round (1 .. 4) {
	$review = asked($cat, $art, [{ user_id => $eight[0]{id} }]);
	@said = Vitrine::Api::together($stack, 2, sub { my ($own, $i) = @_;
		return $own->call(POST => $i ? '/v1/publish' : "/v1/artifacts/$art/reviews/$review->{id}/answer",
			{ token => $i ? $cat->{token} : $eight[0]{token}, json => $i
				? { name => 'Plan', artifact_id => $art, files => [{ path => 'index.html', content => "new $round" }] }
				: { answer => 'approve', digest => $review->{digest} } })->{status} });
	my $now = status($review);
	is "$said[0] $now", $said[0] == 200 ? '200 approved' : '409 superseded', 
		'an answer beside a publish counts for the old, or is late';
	is reviewed($art)->{applies}, $no, '... and never for the new';
}

# ---- the form, the audit, and what fsck says

my $session = Vitrine::Visitor->new($api);
$stack->ctl_in("the password\n", qw(user password cat@example.org));
$session->sign_in('cat@example.org', 'the password');
$session->go("/a/$art/versions");
$r = $session->submit("/a/$art/reviews", { people => "ben\@example.org, Nobody Ltd" });
like $r->{body}, qr/neither an address nor the name of a client/, 'the form names whom it doesn\'t know';
$session->go("/a/$art/versions");
$r = $session->submit("/a/$art/reviews", { people => "ben\@example.org\ndan\@example.org", until => '' });
like $r->{body}, qr/Review of version/, 'the form leads to the review' or diag $r->{body};
my ($id) = $r->{body} =~ m{/a/$art/reviews/(rvw_\w+)};
my %audit = map { $_->{action} => 1 } @{as($ann, GET => "/v1/workspaces/$ws/audit?limit=200")->{json}{audit}};
ok $audit{$_}, "the audit has $_" for qw(review.asked review.approved review.sent_back review.closed);
my $many = made('x', slug => 'many', files => [map { { path => "f$_.html", content => "page $_" } } 1 .. 120], entrypoint => 'f1.html');
publish($cat, 'x', artifact_id => $many, mode => 'patch', base_version => 1, files => [{ path => 'f7.html', content => 'other' }],
	access_policy => { read => 'public' }, draft => $yes);
as($cat, POST => "/v1/artifacts/$many/versions/2/restore");
is join('', grep { /inbox/ } split /\n/, ($stack->program('vitrinectl', {}, 'fsck'))[1]), '', 'inboxes agree with what waits';
sub fsck { my ($status, $out, $err) = $stack->program('vitrinectl', {}, 'fsck'); return join '|', grep { /^trees/ } split /\n/, "$err$out" }
is fsck(), '', 'each version has the digest of its rows';
$db->do("UPDATE version_file SET mime = 'text/plain' WHERE artifact_id = ? AND path = 'f3.html' AND version_no = 1", undef, $many);
like fsck(), qr{^trees/$many/1 has .*digest[^|]*$}, '... which fsck computes again, and names the version whose rows have changed';
$db->do("UPDATE version_file SET mime = 'text/html' WHERE artifact_id = ? AND path = 'f3.html' AND version_no = 1", undef, $many);
finish();
