# SPDX-License-Identifier: Apache-2.0
# What went wrong when a page was opened: what its editors are told. problems-none.t has what they aren't, and when pages are opened.
use Time::HiRes 'time';
use Vitrine::Browser;
use Vitrine::Problems;
use Vitrine::Visitor;
use Vitrine::Words;

# The build without windows says the same of a page in half the time; picture.t has the other.
my $chromium = '/usr/lib/chromium/chromium-headless-shell';
plan skip_all => 'no Chromium is installed' if !-x $chromium;
my ($stack, $api, $db, $ann, $ben) = begin($chromium);

my $tags = join '', map { chr } 0x202E, 0x2066, 7, 0x9B, 0x2028;
my %page = (
	good => '<h1>Hello</h1><link rel=icon href=data:,><script>console.log("fine"); console.warn("fine")</script>',
	throws => "<p>x\n<script>\nnothing.here()</script><script src=app.js></script><script>Promise.reject(new Error('later'))</script>",
	console => '<p>x<script>for (let i = 0; i < 3; i++) console.error("bad", 5, new Error("inner")); '
		. 'console.assert(false, "no")</script>',
	missing => '<p>x<img src=none.png><link rel=stylesheet href=/css/none.css><script src="none.js?v=1"></script>',
	refused => '<meta http-equiv=Content-Security-Policy content="script-src \'self\'"><p>x<script>1</script>'
		. '<script src="http://example.com/x.js"></script>',
	mixed => '<p>x<script src="http://example.com/x.js"></script><img src="https://example.com/x.png">',
	blank => '<title>x</title>',
	many => '<p>x<script>for (let i = 0; i < 300; i++) console.error("no " + i); console.error("x".repeat(1 << 20))</script>',
	long => "<p>x<meta charset=utf-8><script>document.title = 't'.repeat(1 << 20); "
		. "throw new Error('a${tags}b' + 'c'.repeat(1000))</script>",
	logs => '<p>x<script>console.log("y".repeat(2e7)); console.error("after")</script>',
);
my %art = published(%page);
is_deeply problems($art{good}), { version_no => 1, checked_at => undef, status => 'waiting', items => [], other_hosts => [] },
	'it waits, with exactly these keys';
my @said = (all_opened(), in_time(map { $art{$_} } sort keys %art));
is_deeply [grep { $_->{event} =~ /picture/ } @said], [], 'no picture is made of what is private';
is $db->selectrow_array('SELECT COUNT(*) FROM picture'), 0, '... nor wanted';

subtest 'what is said' => sub {
	my $p = problems($art{good});
	ok abs(delete($p->{checked_at}) - time) < 3600, 'when it was opened';
	is_deeply $p, { version_no => 1, status => 'checked', items => [], other_hosts => [] },
		'nothing of a page that is as it should be, though it has no favicon';
	is_deeply told($art{throws}), ['exception / 3 x1', 'exception /app.js 3 x1', 'exception / 3 x1'], 'scripts that fail: where';
	is texts($art{throws}),
		"ReferenceError: nothing is not defined\nTypeError: Cannot read properties of undefined (reading 'x')\nError: later",
		'... and how';
	is_deeply told($art{console}), ['console / 1 x3', 'console / 1 x1'], 'what is logged as an error; the same once, with a count';
	is texts($art{console}), "bad 5 Error: inner\nno", '... with all that it says, but for the calls';
	is_deeply [sort @{told($art{missing})}], ['missing /css/none.css x1', 'missing /none.js?v=1 x1', 'missing /none.png x1'],
		'files that are missing, each once';
	is_deeply [map { $_->{kind} } @{problems($art{refused})->{items}}], ['refused', 'refused'], 'what its own policy refuses';
	like texts($art{refused}), qr/inline script.*Content Security Policy.*\n.*'http:\/\/example.com\/x.js'/, '... and which';
	like texts($art{mixed}), qr/^Mixed Content: .*insecure script 'http:\/\/example.com\/x.js'/, 'what is not encrypted';
	is_deeply told($art{blank}), ['blank x1'], 'a page on which there is nothing';
	my $endless = $art{endless} = (published(endless => '<p>x<script>for (;;);</script>'))[1];
	# As checks hold a version.
	$db->do('INSERT INTO version_hold (artifact_id, version_no, live_no, user_id, goes_live, until_at) '
		. 'VALUES (?, 1, 1, ?, 0, UNIX_TIMESTAMP() + 600)', undef, $endless, $ann->{id});
	all_opened();
	my $held = row($endless);
	ok !$held->{seen_at} && $held->{due_at} < time + 600, 'a held version that was slow is opened again soon' or diag explain $held;
	$db->do('DELETE FROM version_hold');
	$db->do('UPDATE page_seen SET due_at = 1, attempts = 0 WHERE artifact_id = ?', undef, $endless);
	all_opened();
	is_deeply told($endless), ['timeout x1'], 'a script that never ends';
	like texts($art{endless}), qr/never end/;
	cmp_ok row($art{endless})->{due_at}, '>', time + 3000, '... which is looked at again, later';
	# Accused on a machine that had no time for it.
	$db->do('UPDATE page_seen p JOIN page_seen o ON o.artifact_id = ? SET p.seen = o.seen, p.due_at = 1, p.attempts = 1 '
		. 'WHERE p.artifact_id = ?', undef, $art{endless}, $art{good});
	is_deeply told($art{good}), ['timeout x1'], 'a page that is accused falsely';
	in_time($art{good});
	is_deeply [told($art{good}), @{row($art{good})}{qw(due_at attempts)}], [[], undef, 0],
		'... is not after a look in which it was in time';
	is scalar @{problems($art{many})->{items}}, 20, 'twenty at most';
	my ($long) = @{problems($art{long})->{items}};
	is length $long->{text}, 300, 'texts are cut';
	is length $api->call(GET => "/v1/artifacts/$art{long}/versions/1/seen", { token => $ann->{token} })->{json}{seen}{title}, 300,
		'... and a title of 1 MB, too';
	like $long->{text}, qr/^Error: a bccc/, '... and have no characters that nobody sees';
	is texts($art{logs}), 'after', 'what is too long is passed over';
};

subtest 'on the page' => sub {
	$stack->ctl_in("the password\n", 'user', 'password', "$_\@example.org") for qw(ann ben);
	is $api->call(POST => "/v1/artifacts/$art{missing}/collaborators",
		{ token => $ann->{token}, json => { emails => ['ben@example.org'], role => 'viewer' } })->{status}, 200, 'ben may look';
	my $v = Vitrine::Visitor->new($api);
	$v->sign_in('ann@example.org', 'the password');
	my $text = $v->go("/a/$art{missing}")->{text};
	like $text, qr{<h2>What went wrong when we opened the page</h2>.*File missing: /none\.png</small>}s, 'its editors are told';
	unlike $text, qr/other hosts/, '... nothing of hosts that it does not use';
	unlike $v->go("/a/$art{good}")->{text}, qr/What went wrong/, 'not a word where nothing is';
	like $v->go("/a/$art{console}")->{text}, qr{bad 5 Error: inner<small>Error in the console: /, line 1, 3 times</small>}, 'how often';
	$v = Vitrine::Visitor->new($api);
	$v->sign_in('ben@example.org', 'the password');
	unlike $v->go("/a/$art{missing}")->{text}, qr/What went wrong/, 'a viewer is not';
	my $b = Vitrine::Browser->new($stack, width => 1280, height => 900);
	$b->go("https://vitrine.localhost:$stack->{port}/auth/signin");
	$b->fill('#email', 'ann@example.org')->fill('#password', 'the password')->click('form button.primary');
	$b->wait_text(qr/a-console/);
	$b->go("https://vitrine.localhost:$stack->{port}/a/$art{mixed}");
	$b->wait_text(qr/other hosts \(example\.com\)/);
	is join('; ', $b->looks('problems')), '', 'without a barrier';
	$b->go("https://vitrine.localhost:$stack->{port}/a/$art{long}");
	$b->wait_text(qr/Error: a bccc/);
	is join('; ', $b->looks('problems-long')), '', '... however long the text';
	$b->go("https://vitrine.localhost:$stack->{port}/a/$art{missing}/versions/1/seen");
	$b->wait_text(qr/Seen .*3 problems/);
	is join('; ', $b->looks('version-seen')), '', 'what a browser saw of a version';
	$b->go("https://vitrine.localhost:$stack->{port}/a/$art{missing}/settings");
	is join('; ', $b->looks('checks')), '', 'its checks';
};

finish($stack);
