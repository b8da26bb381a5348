# SPDX-License-Identifier: Apache-2.0
# Remarks: threads, where in a page they are, who reads them, who resolves them, whom they name, and versions that answer them.
use utf8;
use Vitrine::Smtp;
use Vitrine::Visitor;
use Vitrine::Words qw(as refused);

my $smtp = Vitrine::Smtp->new;
my ($stack, $api, $db) = stack($smtp->conf, comments_per_hour => 10000);
my ($ann, $ben, $cat, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben cat eve);
$db->do('UPDATE user SET name = ? WHERE id = ?', undef, $_->[1], $_->[0]{id})
	for [$ann, 'Ann'], [$ben, 'Ben'], [$cat, 'Cat'], [$eve, 'Eve'];
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for qw(cat eve);
my ($yes, $no) = (Cpanel::JSON::XS::true, Cpanel::JSON::XS::false);
my @files = ({ path => 'index.html', content => '<h1>Sales rose by 41 %</h1>' }, { path => 'a.pdf', content => '%PDF-1.4' },
	{ path => 'b.png', content => "iVBORw0KGgo=", encoding => 'base64' }, { path => 'sub/index.html', content => 'x' });
sub made { return as($ann, POST => '/v1/publish', { name => 'Report', files => \@files, @_ })->{json} }
my %art = map { $_ => made(slug => $_, visibility => $_)->{artifact}{id} } qw(public private);
as($ann, POST => "/v1/artifacts/$_/collaborators", { emails => ['ben@example.org'], role => 'editor' }) for values %art;
as($ann, POST => "/v1/artifacts/$_/collaborators", { emails => ['cat@example.org'], role => 'viewer' }) for values %art;
my ($open, $base) = map { "/v1/artifacts/$art{$_}/comments" } qw(public private);

sub add { my ($who, $at, $text, %o) = @_; return as($who, POST => $at, { text => $text, %o }) }
sub one { my $r = add(@_); is $r->{status}, 201, "added: $_[2]" or diag $r->{body}; return $r->{json}{comment} }
sub got { my ($who, $at, $id) = @_; return as($who, GET => "$at/$id") }
sub texts { my ($who, $at) = @_; return join '|', map { $_->{text} } @{as($who, GET => $at)->{json}{comments}} }
sub settle { my ($who, $at, $id, %o) = @_; return as($who, PATCH => "$at/$id", { state => 'resolved', %o }) }

# ---- where

my %quote = (kind => 'text', quote => { exact => '41 %', prefix => 'rose by ' });
my $r = one($cat, $base, 'of what?', anchor => \%quote);
is_deeply $r->{anchor}, \%quote, 'an anchor is told as it was sent';
is "$r->{path} $r->{version_no} $r->{audience}", '/ 1 people', 'on the first page, of the live version, for people';
one($cat, $base, $_->[0], @{$_->[1]}) for
	['a point of a picture', [path => '/b.png', anchor => { kind => 'point', x => 0.5, y => 1 }]],
	['a page of a PDF', [path => '/a.pdf', anchor => { kind => 'page', page => 3 }]],
	['an element of a folder\'s page', [path => '/sub/', anchor => { kind => 'element', selector => '#x > p', width => 390 }]];
for (['anchor.kind' => {}], ['anchor.kind' => { kind => 'x' }], ['anchor.quote' => { kind => 'text' }],
	['anchor.quote.exact' => { kind => 'text', quote => {} }],
	['anchor.quote.exact' => { kind => 'text', quote => { exact => 'x' x 1001 } }],
	['anchor.quote.prefix' => { kind => 'text', quote => { exact => 'x', prefix => 'x' x 65 } }],
	['anchor.selector' => { kind => 'element' }], ['anchor.selector' => { kind => 'element', selector => 'é' x 501 }],
	['anchor.selector' => { kind => 'element', selector => "a\nb" }], ['anchor.selector' => { kind => 'point', x => 0, y => 0 }],
	['anchor.x' => { kind => 'point', selector => 'p' }], ['anchor.y' => { kind => 'point', selector => 'p', x => 0 }],
	['anchor.x' => { kind => 'point', x => 1.1, y => 0 }], ['anchor.page' => { kind => 'page' }],
	['anchor.page' => { kind => 'page', page => 1 }], ['anchor.page' => { %quote, page => 1 }],
	['anchor.quote.exact' => { kind => 'text', quote => { exact => "\x{202e}" } }]) {
	my $r = add($cat, $base, 'x', anchor => $_->[1]);
	refused($r, '400 INVALID_REQUEST', "a bad $_->[0]");
	like $r->{body}, qr/\Q$_->[0]\E/, '... which is named';
}
refused(add($cat, $base, 'x', anchor => \%quote, path => '/none'), '400 INVALID_REQUEST', 'a path without a page');
refused(add($cat, $base, 'x', version_no => 9), '404 NOT_FOUND', 'a version that is not there');
refused(add($cat, $base, 'x', reply_to => $r->{id}, $_->[0] => $_->[1]), '400 INVALID_REQUEST', "a reply with $_->[0]")
	for [anchor => \%quote], [audience => 'all'];
is scalar(@{as($ann, GET => "$base?anchored=1")->{json}{comments}}), 4, 'those with an anchor';
is scalar(@{as($ann, GET => "$base?anchored=0")->{json}{comments}}), 0, 'and without';

# ---- threads

my $reply = one($ben, $base, 'of sales', reply_to => $r->{id});
my $second = one($cat, $base, 'thanks', reply_to => $reply->{id});
is_deeply [map { $_->{thread_id} } $reply, $second], [($r->{id}) x 2], 'a reply to a reply joins the thread';
is "$second->{reply_to} $second->{audience}", "$reply->{id} people", 'and says what it answers';
is texts($ann, "$base?thread=$second->{id}"), 'of what?|of sales|thanks', 'a thread, by any of it';
is as($ann, GET => $base)->{json}{open_count}, 4, 'how many are open';
{
	# Who waits hears of what they can see, and learns nothing of the rest.
	my $no = sub { as($_[0], GET => "$base?since=0")->{json}{change_no} };
	my ($mine, $others) = ($no->($ann), $no->($eve));
	my $began = time;
	my $kid = open(my $out, '-|') // die;
	if (!$kid) {
		$_->{InactiveDestroy} = 1 for $stack->db;
		print Vitrine::Api->new($stack)->call(GET => "$base?wait=20&since=$mine", { token => $ann->{token} })->{body};
		close STDOUT;
		POSIX::_exit(0);
	}
	select undef, undef, undef, 0.7;
	my $new = as($ann, POST => $base, { text => 'For us', audience => 'people' })->{json}{comment}{id};
	my $told = decode_json(<$out>);
	waitpid $kid, 0;
	ok + (grep { $_->{id} eq $new } @{$told->{comments}}) && time - $began < 10, 'who waits hears of it';
	is $no->($eve), $others, '... and nobody whom it is not for';
	as($ann, DELETE => "$base/$new");
	is $no->($ann), $mine, 'as before';
}

# ---- resolving

refused(settle($cat, $base, one($ben, $base, 'mine')->{id}), '403 ACCESS_DENIED', 'a viewer resolves what another began');
refused(settle($ben, $base, $r->{id}, version_no => 7), '404 NOT_FOUND', 'by a version that is not there');
refused(as($ben, PATCH => "$base/$r->{id}", $_->[0]), '400 INVALID_REQUEST', $_->[1])
	for [{}, 'nothing to change'], [{ version_no => 1, text => 'x' }, 'a version alone'], [{ state => 'done' }, 'another state'];
my $done = settle($ben, $base, $second->{id})->{json}{comment};
is_deeply [@$done{qw(id state resolved_version_no)}, $done->{resolved_by}],
	[$second->{id}, 'resolved', 1, { id => $ben->{id}, name => 'Ben' }],
	'an editor resolves a thread by a reply';
ok $done->{resolved_at}, 'at a time';
is_deeply settle($ann, $base, $r->{id})->{json}{comment}{resolved_by}{id}, $ben->{id}, 'a second time changes nothing';
is texts($ann, "$base?state=resolved"), 'of what?|of sales|thanks', 'whole threads are in a state';
unlike texts($ann, "$base?state=open"), qr/of what/, 'and in no other';
is texts($ann, "$base?state=all"), texts($ann, $base), 'all of them';
is one($cat, $base, 'late', reply_to => $r->{id})->{state}, 'resolved', 'a reply leaves it resolved';
my $again = as($cat, PATCH => "$base/$r->{id}", { state => 'open' })->{json}{comment};
is_deeply [@$again{qw(state resolved_by resolved_at resolved_version_no)}], ['open', undef, undef, undef], 'who began it opens it again';

# ---- the first is deleted

is as($cat, DELETE => "$base/$r->{id}")->{status}, 200, 'the first of a thread is deleted';
my $head = got($ann, $base, $reply->{id})->{json}{comment};
is_deeply [@$head{qw(thread_id reply_to audience path)}, $head->{anchor}], [$reply->{id}, undef, 'people', '/', \%quote],
	'its oldest reply leads with its anchor';
is got($ann, $base, $second->{id})->{json}{comment}{thread_id}, $reply->{id}, 'and the others follow';

# ---- who reads it

my $hidden = one($cat, $open, 'between us', audience => 'people');
my $seen = one($eve, $open, 'from a stranger', anchor => \%quote, audience => 'people');
is $seen->{audience}, 'all', 'a stranger writes for all';
is texts($_, $open), 'from a stranger', 'no stranger reads what is for people' for $eve, undef;
is as($eve, GET => $open)->{json}{open_count}, 1, 'nor counts it';
refused(got($eve, $open, $hidden->{id}), '404 NOT_FOUND', 'nor finds it');
refused(as($eve, PATCH => "$open/$hidden->{id}", { state => 'resolved' }), '404 NOT_FOUND', 'nor resolves it');
refused(add($eve, $open, 'x', reply_to => $hidden->{id}), '400 INVALID_REQUEST', 'nor answers it');
is texts($eve, "$open?thread=$hidden->{id}"), '', 'nor lists its thread';
refused(add($eve, $open, 'x', version_no => 2), '404 NOT_FOUND', 'a version that strangers do not see');
refused(as($cat, PATCH => "$open/$hidden->{id}", { audience => 'all' }), '403 ACCESS_DENIED', 'a viewer leaves the audience');
is as($ben, PATCH => "$open/$seen->{id}", { audience => 'people' })->{json}{comment}{audience}, 'people', 'an editor hides a thread';
is texts(undef, $open), '', 'from others';
is texts($eve, $open), 'from a stranger', 'but not from who wrote it';
as($ben, PATCH => "$open/$seen->{id}", { audience => 'all' });
is as($ann, PATCH => "/v1/artifacts/$art{public}", { comments_from => 'people' })->{json}{artifact}{comments_from}, 'people',
	'the owner lets people comment alone';
refused(add($eve, $open, 'x'), '403 ACCESS_DENIED', 'a stranger then does not');
is add($cat, $open, 'x')->{status}, 201, 'a viewer does';
refused(as($ben, PATCH => "/v1/artifacts/$art{public}", { comments_from => 'signed_in' }), '403 ACCESS_DENIED', 'an editor leaves that');
as($ann, PATCH => "/v1/artifacts/$art{public}", { comments_from => 'signed_in' });

# ---- on the page's own host

sub on_host {
	my ($method, $json, $cookie) = @_;
	my $body = defined $json ? $api->{json}->encode($json) : undef;
	my $r = $api->request($method, 'public.pages.localhost', $open, { 'Sec-Fetch-Site' => 'same-origin', Cookie => $cookie,
		($body ? ('Content-Type' => 'application/json') : ()) }, $body);
	$r->{json} = eval { $api->{json}->decode($r->{body}) };
	return $r;
}
my $v = Vitrine::Visitor->new($api);
$v->sign_in('cat@example.org', 'the password');
my $cookie = $v->viewer_cookie('public.pages.localhost', "https://public.pages.localhost:$stack->{port}/");
my $posted = on_host(POST => { text => "hello \@ben\@example.org", audience => 'people', mentions => [$ben->{id}] },
	$cookie)->{json}{comment};
is_deeply [@$posted{qw(via audience)}, $posted->{mentions}], ['page', 'all', []], 'what a page posts is for all and names nobody';
my @there = map { $_->{text} } @{on_host(GET => undef, $cookie)->{json}{comments}};
is_deeply [grep { /between us|from a stranger/ } @there], [], 'a page reads no remark, nor what is for people';
is on_host(GET => undef, $cookie)->{json}{open_count}, scalar @there, 'nor counts any';

# ---- whom

$db->do('DELETE FROM outbox');
my $named = one($ann, $base, "look, \@ben\@example.org, and \@nobody\@example.org.", mentions => [$cat->{id}, 'cat@example.org']);
is_deeply [sort map { $_->{name} } @{$named->{mentions}}], ['Ben', 'Cat'], 'people are mentioned, each once';
for ('usr_' . '0' x 26, $eve->{id}, 'eve@example.org', 'none@example.org', 'x') {
	my $r = add($ann, $base, 'x', mentions => [$ben->{id}, $_]);
	refused($r, '400 INVALID_REQUEST', "not $_");
	(my $text = $r->{json}{error}) =~ s/\Q$_\E/…/;
	is $text, 'mentions[1]: … is nobody who can read this thread and whom you may mention', '... alike for all';
}
refused(add($ann, $base, 'x', mentions => [map { "x$_\@example.org" } 0 .. 20]), '400 INVALID_REQUEST', 'too many');
refused(add($eve, $open, 'x', mentions => [$ben->{id}]), '400 INVALID_REQUEST', 'a stranger mentions nobody of its people');
is one($eve, $open, 'x', mentions => [$ann->{id}])->{mentions}[0]{id}, $ann->{id}, 'but its owner';
$stack->runner;
sub told { my ($who) = @_; return scalar grep { $_->{envelope}{to}[0] eq $who && $_->{headers}{subject} =~ /mentioned you/ } $smtp->mails }
is told('ben@example.org') . told('cat@example.org') . told('eve@example.org'), '110', 'each is told once';
as($ann, PATCH => "$base/$named->{id}", { text => "look, \@ben\@example.org and \@cat\@example.org" });
$stack->runner;
is told('ben@example.org') . told('cat@example.org'), '11', 'and of an edit not again';
my $people = sub { my ($who, $q) = @_;
	return join '|', map { $_->{name} } @{as($who, GET => "/v1/artifacts/$art{public}/people$q")->{json}{people}} };
is $people->($ann, '?q=be'), 'Ben', 'people by a part of the name';
is $people->($ann, '?q=example.org'), 'Ben|Cat', 'or of the address';
is $people->($eve, '?q=be'), '', 'a stranger finds none of them';
is $people->(undef, '?q=be'), '', 'nor does nobody';
one($ben, $open, 'hi', reply_to => $seen->{id});
is $people->($eve, ''), 'Ben', 'but who is in a thread of theirs';

# ---- a version answers

sub next_of { my ($who, %o) = @_; return as($who, POST => '/v1/publish', { artifact_id => $art{private}, files => \@files, %o }) }
$db->do('DELETE FROM comment WHERE artifact_id = ?', undef, $art{private});
my @threads = map { one($cat, $base, "thread $_") } 1 .. 4;
my @ids = map { $_->{id} } @threads;
$db->do('DELETE FROM outbox');
my $p = next_of($ben, resolves => [@ids[0, 1, 0]], reply => 'Done.')->{json};
is_deeply [$p->{resolved}, $p->{pending}], [[@ids[0, 1]], []], 'a publish resolves threads, each once';
is texts($ann, "$base?thread=$ids[0]"), 'thread 1|Done.', 'and answers them';
is got($ann, $base, $ids[1])->{json}{comment}{resolved_version_no}, 2, 'by its version';
is $db->selectrow_array("SELECT COUNT(*) FROM outbox WHERE payload LIKE '%comment.added%'"), 2, 'an event for each answer';
my $versions = sub { $db->selectrow_array('SELECT last_no FROM artifact WHERE id = ?', undef, $art{private}) };
for (['400 INVALID_REQUEST', 'of another artifact', $ben, resolves => [$ids[2], $hidden->{id}]],
	['400 INVALID_REQUEST', 'a reply alone', $ben, reply => 'x'],
	['400 INVALID_REQUEST', 'too many', $ben, resolves => [map { sprintf 'cmt_%026d', $_ } 0 .. 50]]) {
	my ($code, $why, $who, %o) = @$_;
	refused(next_of($who, %o), $code, $why);
}
refused(as($ann, POST => '/v1/publish', { name => 'New', files => \@files, resolves => [$ids[2]] }),
	'400 INVALID_REQUEST', 'a new artifact');
is $versions->() . got($ann, $base, $ids[2])->{json}{comment}{state}, '2open', 'and nothing was published or resolved';
as($ann, PATCH => "/v1/artifacts/$art{private}", { comments_open => $no });
refused(next_of($ben, resolves => [$ids[2]], reply => 'x'), '403 ACCESS_DENIED', 'a reply while comments are closed');
as($ann, PATCH => "/v1/artifacts/$art{private}", { comments_open => $yes });
my $draft = next_of($ben, resolves => [@ids[0, 2, 3]], reply => 'Soon.', draft => $yes)->{json};
is_deeply [$draft->{resolved}, $draft->{pending}], [[], [@ids[2, 3]]], 'a draft will resolve them; resolved ones stay';
is_deeply [@{got($ann, $base, $ids[2])->{json}{comment}}{qw(state pending_version_no)}], ['open', 3], 'and says so';
is texts($ann, "$base?thread=$ids[0]"), 'thread 1|Done.', 'a resolved one is not answered again';
is as($ann, POST => "/v1/artifacts/$art{private}/versions/3/restore")->{status}, 200, 'the draft goes live';
my $gone = got($ann, $base, $ids[3])->{json}{comment};
is_deeply [@$gone{qw(state pending_version_no resolved_version_no)}, $gone->{resolved_by}{id}], ['resolved', undef, 3, $ben->{id}],
	'which resolves them, by who published it';
is texts($ann, "$base?state=open"), '', 'with their replies';
my $last = one($cat, $base, 'the last');
next_of($ben, resolves => [$last->{id}], draft => $yes);
next_of($ben);
is_deeply [@{got($ann, $base, $last->{id})->{json}{comment}}{qw(state pending_version_no)}], ['open', undef],
	'another live version passes a draft over';
as($ann, POST => "/v1/artifacts/$art{private}/versions/4/restore");
is got($ann, $base, $last->{id})->{json}{comment}{state}, 'open', 'which then resolves nothing';
ok !exists next_of($ben)->{json}{resolved}, 'a publish without them says nothing of threads';
my ($whole, $head_of) = ("/v1/artifacts/$art{private}", sub { return got($ann, $base, $last->{id})->{json}{comment} });
as($ann, PATCH => $whole, { pinned_version => $versions->() });
my $held = next_of($ben, resolves => [$last->{id}])->{json};
is_deeply [$held->{held_for}, @$held{qw(resolved pending)}, $head_of->()->{pending_version_no}],
	['pin', [], [$last->{id}], $held->{version}{version_no}], 'while a version is pinned, another will resolve them';
as($ann, PATCH => $whole, { pinned_version => undef });
is as($ann, DELETE => "$whole/versions/$held->{version}{version_no}")->{status}, 200, 'it is removed';
is_deeply [@{$head_of->()}{qw(state pending_version_no)}], ['open', undef], 'and resolves nothing';
as($ann, PATCH => $whole, { pinned_version => $versions->() - 1 });
$held = next_of($ben, resolves => [$last->{id}])->{json};
as($ann, PATCH => $whole, { pinned_version => undef });
is as($ann, POST => "$whole/versions/$held->{version}{version_no}/restore")->{status}, 200, 'the held one goes live';
is_deeply [@{$head_of->()}{qw(state pending_version_no resolved_version_no)}], ['resolved', undef, $held->{version}{version_no}],
	'and resolves them';

# ---- limits, and an account that ends

my $long = one($cat, $base, 'long');
$db->do("INSERT INTO comment (id, artifact_id, author_id, reply_to, thread_id, body, created_at) "
	. "SELECT CONCAT('cmt_9', LPAD(seq, 25, '0')), ?, ?, ?, "
	. "?, 'x', 0 FROM seq_1_to_500", undef, $art{private}, $ben->{id}, ($long->{id}) x 2);
refused(add($cat, $base, 'x', reply_to => $long->{id}), '409 LIMIT_REACHED', 'too many replies');
$db->do("INSERT INTO comment (id, artifact_id, author_id, body, created_at) "
	. "SELECT CONCAT('cmt_8', LPAD(seq, 25, '0')), ?, ?, 'x', 0 FROM seq_1_to_2000",
	undef, $art{public}, $ben->{id});
refused(add($cat, $open, 'x'), '409 LIMIT_REACHED', 'too many open threads');
is add($eve, $open, 'x', reply_to => $seen->{id})->{status}, 201, 'replies are still taken';
$open = "/v1/artifacts/" . made(slug => 'third', visibility => 'public')->{artifact}{id} . '/comments';
my $theirs = one($eve, $open, 'theirs', anchor => \%quote);
my $stays = one($ann, $open, 'stays', reply_to => $theirs->{id});
my $follows = one($ann, $open, 'follows', reply_to => $stays->{id});
$stack->ctl(qw(user delete eve@example.org));
my $left = got($ann, $open, $stays->{id})->{json}{comment};
is_deeply [$left->{thread_id}, $left->{anchor}, got($ann, $open, $follows->{id})->{json}{comment}{thread_id}],
	[$stays->{id}, \%quote, $stays->{id}],
	'the thread of a deleted account is led by the oldest reply';
finish;
