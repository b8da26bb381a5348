# SPDX-License-Identifier: Apache-2.0
# Comments: who may read, add, change and delete them; what they may be; what their owner is told, and how often; the page that shows them.
use utf8;
use Vitrine::Smtp;
use Vitrine::Visitor;
use Vitrine::Words qw(as refused);

my $smtp = Vitrine::Smtp->new;
my ($stack, $api, $db) = stack($smtp->conf, comments_per_hour => 300);
my ($ann, $ben, $cat, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben cat eve);
$db->do('UPDATE user SET name = ? WHERE id = ?', undef, $_->[1], $_->[0]{id}) for [$ann, 'Ann Archer'], [$ben, 'Ben'], [$eve, 'Eve'];
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for qw(ann ben cat);
my %art = map { $_ => $api->publish($ann, slug => $_, visibility => $_) } qw(public private);
$api->call(POST => "/v1/artifacts/$art{private}/collaborators", { token => $ann->{token},
	json => { emails => ["$_->[0]\@example.org"], role => $_->[1] } }) for [ben => 'editor'], [cat => 'viewer'];
$db->do('DELETE FROM outbox');
my $base = "/v1/artifacts/$art{private}/comments";

sub add {
	my ($who, $text, %o) = @_;
	return as($who, POST => $o{at} // $base, { text => $text, map { $_ => $o{$_} } grep { $_ ne 'at' } keys %o });
}
sub texts { my ($path) = @_; return join '|', map { $_->{text} } @{as($ann, GET => $path // $base)->{json}{comments}} }

# ---- adding and reading

my $r = add($cat, "The second chart\r\nlacks its unit. 日本 \x{1F600}", path => '/report.html');
is $r->{status}, 201, 'a viewer comments' or diag $r->{body};
my $first = $r->{json}{comment};
like $first->{id}, qr/^cmt_[0-9a-z]{26}$/, 'it has an id';
is $r->{headers}{location}, "$base/$first->{id}", 'and an address';
my $author = { id => $cat->{id}, name => '', email => 'cat@example.org' };
is_deeply $first, { id => $first->{id}, artifact_id => $art{private}, author => $author,
	text => "The second chart\nlacks its unit. 日本 \x{1F600}", path => '/report.html', reply_to => undef,
	thread_id => $first->{id}, version_no => 1, anchor => undef, audience => 'all', state => 'open', via => 'person', mentions => [],
	map({ $_ => undef } qw(resolved_by resolved_at resolved_version_no pending_version_no place)),
	created_at => $first->{created_at}, edited_at => undef }, 'with exactly these members';
is_deeply as($ann, GET => "$base/$first->{id}")->{json}, { success => Cpanel::JSON::XS::true, comment => $first },
	'it is read by its address';
my $second = add($ben, 'It does.', reply_to => $first->{id})->{json}{comment};
is $second->{reply_to}, $first->{id}, 'a reply';
is_deeply as($cat, GET => $base)->{json}, { success => Cpanel::JSON::XS::true, comments => [$first, $second], open_count => 1,
	next_cursor => undef },
	'the list, oldest first';
my $third = add($ann, 'About another page', path => '/other.html')->{json}{comment};
is texts("$base?path=/report.html"), $first->{text}, 'those of one page';
is texts("$base?path=/none"), '', 'of one without';


# ---- who may

refused(as(undef, GET => $base), '404 NOT_FOUND', 'nor does nobody');
refused(add(undef, 'x'), '401 UNAUTHENTICATED', 'who is told to sign in');
my $open = "/v1/artifacts/$art{public}/comments";
is as(undef, GET => $open)->{status}, 200, 'everybody reads those of a public one';
refused(add(undef, 'x', at => $open), '401 UNAUTHENTICATED', 'and signs in to add one');
$r = add($eve, 'From a stranger', at => $open);
is $r->{status}, 201, 'who is signed in adds one';
my $eves = $r->{json}{comment}{id};
is_deeply $r->{json}{comment}{author}, { id => $eve->{id}, name => 'Eve', email => undef }, 'without being told by address';
my $anns = add($ann, 'From the owner', at => $open)->{json}{comment};
is $anns->{author}{email}, 'ann@example.org', 'the owner is told their own';
is_deeply [map { $_->{author}{email} } @{as($_, GET => $open)->{json}{comments}}], [undef, undef], 'others no address at all'
	for undef, $eve;
is_deeply [map { $_->{author}{email} } @{as($ann, GET => $open)->{json}{comments}}], [undef, 'ann@example.org'],
	'and its people not of those who have no role';

refused(as($ben, PATCH => "$base/$first->{id}", { text => 'x' }), '403 ACCESS_DENIED', 'an editor does not change what another wrote');
refused(as($ann, PATCH => "$base/$first->{id}", { text => 'x' }), '403 ACCESS_DENIED', 'nor does the owner');
$r = as($cat, PATCH => "$base/$first->{id}", { text => 'changed' });
is $r->{json}{comment}{text}, 'changed', 'its author does';
ok $r->{json}{comment}{edited_at}, 'which is told';
refused(as($cat, DELETE => "$base/$second->{id}"), '403 ACCESS_DENIED', 'a viewer deletes none but their own');
refused(as($_->[0], DELETE => "$open/$first->{id}"), '404 NOT_FOUND', "$_->[1] under another artifact it is not there")
	for [$cat, 'its author:'], [$ann, 'the owner of both:'];
refused(as($ann, PATCH => "$open/$first->{id}", { text => 'x' }), '404 NOT_FOUND', 'nor to be changed');
refused(as($ann, GET => "$open/$first->{id}"), '404 NOT_FOUND', 'nor read');
refused(as($eve, DELETE => "$open/$anns->{id}"), '403 ACCESS_DENIED', 'a stranger does not delete what the owner wrote');
is as($eve, DELETE => "$open/$eves")->{status}, 200, 'but their own';
is as($cat, DELETE => "$base/$first->{id}")->{status}, 200, 'an author deletes theirs';
is as($ann, GET => "$base/$second->{id}")->{json}{comment}{reply_to}, undef, 'what replied to it stays';
is as($ben, DELETE => "$base/$third->{id}")->{status}, 200, 'an editor deletes what the owner wrote';
refused(as($ben, DELETE => "$base/$third->{id}"), '404 NOT_FOUND', 'once');
is as($ann, DELETE => "$base/$second->{id}")->{status}, 200, 'the owner any';
is texts(), '', 'none is left';

# ---- what one may be

refused(add($cat, $_), '400 INVALID_REQUEST', 'a text that is none') for ' ', "\n\t\r\n";
is add($cat, 'é' x 5000)->{status}, 201, 'five thousand characters';
is add($cat, '<script>alert(1)</script>')->{json}{comment}{text}, '<script>alert(1)</script>', 'text is text';
refused(add($cat, 'x', path => $_), '400 INVALID_REQUEST', 'a path that is none')
	for 'report.html', '//evil.example/', '/a?b', '/a#b', '/a\\b', "/\x{202e}", "/a\nb", '', '/' . 'é' x 600;
is add($cat, 'x', path => '/日本/')->{json}{comment}{path}, '/日本/', 'one in another script';
refused(add($cat, 'x', reply_to => $_), '400 INVALID_REQUEST', 'a reply to what is not here')
	for 'cmt_' . '0' x 26, $anns->{id}, $art{private};
refused($api->call(POST => $base, { token => $cat->{token}, type => 'application/json', body => '{"text":"\ud800"}' }),
	'400 INVALID_REQUEST', 'half a character');

# ---- scopes

my $agent = sub {
	my ($bits) = @_;
	my $t = $stack->ctl(qw(token mint --user cat@example.org));
	$db->do('UPDATE token SET scopes = ? WHERE hash = UNHEX(SHA2(?, 256))', undef, $bits, $t);
	return { token => $t };
};
refused(add($agent->(1), 'x'), '403 INSUFFICIENT_SCOPE', 'a token for reading adds none');
is as($agent->(1), GET => $base)->{status}, 200, 'but reads them';
is add($agent->(8), 'by a program')->{status}, 201, 'one for writing data adds';

# ---- a repeated request

my @same = map {
	$api->call(POST => $base, { token => $cat->{token}, json => { text => 'once' }, headers => { 'Idempotency-Key' => 'k1' } });
} 1, 2;
is $same[1]{json}{comment}{id}, $same[0]{json}{comment}{id}, 'a key makes a repeat safe';
is scalar(() = texts() =~ /once/g), 1, 'and one comment of two requests';

# ---- closed

refused(as($_, PATCH => "/v1/artifacts/$art{private}", { comments_open => Cpanel::JSON::XS::false }), '403 ACCESS_DENIED',
	'only the owner closes') for $ben, $cat;
my $mine = add($cat, 'before')->{json}{comment}{id};
is as($ann, PATCH => "/v1/artifacts/$art{private}", { comments_open => Cpanel::JSON::XS::false })->{json}{artifact}{comments_open},
	Cpanel::JSON::XS::false, 'the owner closes comments';
refused(add($_, 'x'), '403 ACCESS_DENIED', 'nobody adds one then') for $cat, $ann;
refused(as($cat, PATCH => "$base/$mine", { text => 'x' }), '403 ACCESS_DENIED', 'nor changes one');
like texts(), qr/before$/, 'what was said is read';
is as($cat, DELETE => "$base/$mine")->{status}, 200, 'and may be taken back';
is as($ann, PATCH => "/v1/artifacts/$art{private}", { comments_open => Cpanel::JSON::XS::true })->{json}{artifact}{comments_open},
	Cpanel::JSON::XS::true, 'opened again';

# ---- on the artifact's own host

sub viewer {
	my ($email, $slug) = @_;
	my $v = Vitrine::Visitor->new($api);
	$v->sign_in($email, 'the password');
	return $v->viewer_cookie("$slug.pages.localhost", "https://$slug.pages.localhost:$stack->{port}/");
}
sub on_host {
	my ($slug, $method, $path, $json, %headers) = @_;
	my $body = defined $json ? $api->{json}->encode($json) : undef;
	my $r = $api->request($method, "$slug.pages.localhost", $path,
		{ 'Sec-Fetch-Site' => 'same-origin', ($body ? ('Content-Type' => 'application/json') : ()), %headers }, $body);
	$r->{json} = eval { $api->{json}->decode($r->{body}) };
	return $r;
}
my $cookie = viewer('cat@example.org', 'private');
$r = on_host('private', GET => $base, undef, Cookie => $cookie);
is $r->{status}, 200, 'the page reads them as its visitor';
is_deeply [grep { defined } map { $_->{author}{email} } @{$r->{json}{comments}}], [], 'and is told no address';
$r = on_host('private', POST => $base, { text => 'from the page' }, Cookie => $cookie);
is $r->{status}, 201, 'and adds one' or diag $r->{body};
is $r->{json}{comment}{author}{id}, $cat->{id}, 'in their name';
my $paged = $r->{json}{comment}{id};
refused(on_host('private', POST => $base, { text => 'x' }, Cookie => $cookie, 'Sec-Fetch-Site' => $_), '403 ACCESS_DENIED',
	"not from elsewhere ($_)") for qw(cross-site same-site none);
is on_host('private', $_->[0], "$base/$paged", $_->[1], Cookie => $cookie)->{status}, 405, "a page can't $_->[0] one"
	for [PATCH => { text => 'x' }], [DELETE => undef];
refused(on_host('private', POST => $base, { text => 'x' }), '401 UNAUTHENTICATED', 'without the cookie it is nobody');
refused(on_host('private', GET => $base), '404 NOT_FOUND', 'who sees none of a private artifact');
refused(on_host('public', GET => $base, undef, Cookie => $cookie), '404 NOT_FOUND', 'on another host they are not there');
is on_host('public', GET => $open)->{status}, 200, 'a public one shows its own';

# ---- what the owner is told

$db->do('DELETE FROM outbox');
$db->do("UPDATE artifact SET comments_told_at = 0, comments_told_id = ''");
$db->do('DELETE FROM comment');
sub letters {
	$stack->runner;
	my @all = map { $_->{parts}{'text/plain'} }
		grep { $_->{envelope}{to}[0] eq 'ann@example.org' && $_->{parts}{'text/plain'} =~ /omment/ } $smtp->mails;
	return @all;
}
sub subjects { return map { $_->{headers}{subject} // '' } $smtp->mails }
add($cat, "Look at https://evil.example/ now, or \"else\".\nSecond line.");
is $db->selectrow_array("SELECT CONCAT(kind, ' ', subject, ' ', payload) FROM outbox"),
	qq(event $art{private} {"type":"comment.added","about":") . $db->selectrow_array('SELECT id FROM comment') . '"}',
	'the event is in the outbox with the comment';
my @letters = letters();
is scalar @letters, 1, 'the owner is told';
like $letters[0], qr/A new comment on Site.*from cat\@example\.org:.*> Look at.*> Second line\..*\/a\/$art{private}\/comments/s,
	'of what, by whom, where';
unlike $letters[0], qr{https://evil}, 'without a link that others wrote';
is $db->selectrow_array('SELECT COUNT(*) FROM outbox'), 0, 'nothing waits anymore';
add($ben, "comment $_") for 1 .. 3;
add($ann, 'my own');
is scalar(letters()), 1, 'within the hour they hear nothing more';
is $db->selectrow_array("SELECT COUNT(*) FROM outbox WHERE kind = 'comments'"), 1, 'one message waits';
my $due = $db->selectrow_array("SELECT due_at - comments_told_at FROM outbox JOIN artifact a ON a.id = subject WHERE kind = 'comments'");
is $due, 3600, 'for the hour to be over';
sub hour_passes {
	$db->do('UPDATE artifact SET comments_told_at = comments_told_at - 3600');
	$db->do("UPDATE outbox SET due_at = 0 WHERE kind = 'comments'");
}
hour_passes();
@letters = letters();
is scalar @letters, 2, 'then they are told of all of it at once';
like $letters[1], qr/3 new comments on Site.*from Ben:\s+> comment 3/s, 'but of their own';
hour_passes();
is scalar(letters()), 2, 'of nothing new, nothing';
add($ann, 'alone');
is scalar(letters()), 2, 'nor of their own';
add($ben, 'gone soon');
$db->do('DELETE FROM comment');
is scalar(letters()), 2, 'nor of what is gone';
as($ann, PATCH => "/v1/artifacts/$art{private}", { comment_mails => Cpanel::JSON::XS::false });
add($ben, 'unheard');
is scalar(letters()), 2, 'who wants no letters gets none';
as($ann, PATCH => "/v1/artifacts/$art{private}", { comment_mails => Cpanel::JSON::XS::true });
hour_passes();
add($ben, 'heard');
@letters = letters();
like $letters[-1], qr/A new comment on Site.*heard/s, 'and later not of what was said before';
for my $n (3 .. 5) { hour_passes(); add($ben, "day $n"); letters() }
hour_passes();
my $sent = letters();
add($ben, 'too much of it');
is scalar(letters()), $sent, 'five a day are enough';
is $sent, 5, '... and were sent';
is $db->selectrow_array("SELECT COUNT(*) FROM outbox WHERE kind = 'comments' AND due_at > UNIX_TIMESTAMP()"), 1, 'the rest waits';
$db->do('UPDATE mail_budget SET day = day - 1');
hour_passes();
like +(letters())[-1], qr/too much of it/, 'for tomorrow';
is $db->selectrow_array("SELECT used FROM mail_budget WHERE kind = 'artifact' AND subject = ? ORDER BY day DESC LIMIT 1",
	undef, $art{private}), 1, 'each counts for the artifact, too';
hour_passes();
my $before = letters();
add($ben, 'See this, @ann@example.org');
@letters = letters();
is scalar(@letters), $before + 1, 'a comment that mentions the owner';
like $letters[-1], qr/mentioned you in a comment/, '... is in one mail';
hour_passes();
add($ben, 'and this');
like +(letters())[-1], qr/A new comment on Site.*> and this/s, '... and the next mail is only about others';
hour_passes();
as($ann, PUT => '/v1/inbox/settings', { ways => { mention => 'page' } });
add($ben, '@ann@example.org, and that');
like +(letters())[-1], qr/A new comment on Site.*and that/s, 'whom mentions don’t reach by mail hears of it as of others';
as($ann, PUT => '/v1/inbox/settings', { ways => { mention => 'mail' } });

# ---- the page, without script

my $v = Vitrine::Visitor->new($api);
$v->sign_in('cat@example.org', 'the password');
$db->do('DELETE FROM comment');
my $page = $v->go("/a/$art{private}/comments");
is $page->{status}, 200, 'a page shows them';
like $page->{text}, qr/No comments yet/, 'there is none yet';
like $page->{text}, qr/<a href="\/a\/$art{private}\/comments" aria-current="page">Comments/, 'it is a tab';
$page = $v->submit(qr{/comments$}, { text => "<b>first</b>\r\nline two" });
like $page->{text}, qr{<p class="said">&lt;b&gt;first&lt;/b&gt;\nline two</p>}, 'a comment, as text';
my ($one) = $page->{text} =~ /<li id="(cmt_\w+)"/;
$v->go("/a/$art{private}/comments?edit=$one");
$page = $v->submit(qr{/comments/$one$}, { text => 'first, changed' });
like $page->{text}, qr{>first, changed</p>}, 'changed in its place';
like $page->{text}, qr{just now</time>, edited}, 'and said to be';
$v->go("/a/$art{private}/comments?edit=$one");
like $v->submit(qr{/comments/$one$}, { text => 'y' x 5001 })->{text}, qr{<textarea id="edit"[^>]*>yyyy.*class="error"}s,
	'one that is refused can be changed further';
$v->go("/a/$art{private}/comments?reply_to=$one");
like $v->submit(qr{/comments$}, { text => ' ' })->{text}, qr/In reply to cat\@example\.org/, 'a reply that is refused is still one';
$v->go("/a/$art{private}/comments?reply_to=$one");
like $v->{page}{text}, qr/In reply to cat\@example\.org/, 'a reply names whom it is to';
$page = $v->submit(qr{/comments$}, { text => 'second' });
like $page->{text}, qr{in reply to <a href="#$one">cat\@example\.org</a>}, 'and says so afterwards';
unlike $page->{text}, qr/Allow comments/, 'settings are the owner\'s';
$v->go("/a/$art{private}/comments/$one/delete");
like $v->{page}{text}, qr/Delete the comment by cat\@example\.org\?/, 'it asks before it deletes';
$page = $v->submit(qr{/$one/delete$});
like $page->{text}, qr/Comment deleted/, 'deleted';
unlike $page->{text}, qr/first, changed/, 'and gone';
is $v->send(POST => "/a/$art{private}/comments", body => 'text=x',
		headers => { 'Content-Type' => 'application/x-www-form-urlencoded', 'Sec-Fetch-Site' => 'cross-site' })->{status}, 403,
	'no form from elsewhere';
add($ben, "number $_") for 1 .. 60;
$page = $v->go("/a/$art{private}/comments");
like $page->{text}, qr/number 60/, 'the latest are shown';
unlike $page->{text}, qr/>number 5</, 'not all';
my ($earlier) = $page->{text} =~ /<a class="small" href="([^"]+)" rel="prev">Earlier/;
$page = $v->go($earlier);
# Those of one thousandth of a second stand in any order.
like $page->{text}, qr/>number 5</, 'those before are, too';
unlike $page->{text}, qr/>number 60</, '... and no others';
like $page->{text}, qr/Latest comments/, 'and there is a way back';
my $o = Vitrine::Visitor->new($api);
$o->sign_in('ann@example.org', 'the password');
$o->go("/a/$art{private}/comments");
$o->submit(qr{/settings$}, {});
is_deeply [$db->selectrow_array('SELECT comments_open, comment_mails FROM artifact WHERE id = ?', undef, $art{private})], [0, 0],
	'boxes that are not ticked close comments and end letters';
like $v->go("/a/$art{private}/comments")->{text}, qr/Comments are closed/, 'a closed page says so';
unlike $v->{page}{text}, qr/<textarea/, 'and takes none';
is $v->go("/a/$art{public}/comments")->{status}, 403, 'who has no role has no such page';

# ---- with the artifact and with the account

as($ann, PATCH => "/v1/artifacts/$art{private}", { comments_open => Cpanel::JSON::XS::true });
my $later = add($cat, 'the last words')->{json}{comment}{id};
add($ben, 'an answer to them', reply_to => $later);
$stack->ctl(qw(user delete cat@example.org));
is $db->selectrow_array('SELECT COUNT(*) FROM comment WHERE id = ?', undef, $later), 0,
	'an account that is deleted takes its comments along';
is $db->selectrow_array("SELECT reply_to IS NULL FROM comment WHERE body = 'an answer to them'"), 1, 'answers to them stay';
$api->call(DELETE => "/v1/artifacts/$art{private}?purge=1", { token => $ann->{token} });
refused(as($ann, GET => $base), '404 NOT_FOUND', 'a purged artifact has none');
$stack->runner;
is $db->selectrow_array('SELECT COUNT(*) FROM comment WHERE artifact_id = ?', undef, $art{private}), 0, 'its rows go';
is $stack->ctl('fsck'), 'clean', 'fsck is clean';

# ---- limits

my $few = Vitrine::Stack->new(comments_per_hour => 2);
my $other = Vitrine::Api->new($few);
my $zoe = $few->user('zoe@example.org');
my $hers = $other->publish($zoe);
my @all = map {
	$other->call(POST => "/v1/artifacts/$hers/comments", { token => $zoe->{token}, json => { text => $_ < 2 ? '' : "n$_" } });
} 1 .. 4;
is join(' ', map { $_->{status} } @all), '400 201 201 429', 'so many comments an hour, of those that are stored';
is $all[3]{json}{code}, 'RATE_LIMITED', 'by its code';
$few->finish;
$smtp->stop if $smtp->can('stop');
finish($stack);
