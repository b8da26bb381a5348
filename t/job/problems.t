# SPDX-License-Identifier: Apache-2.0
# What went wrong when a page was opened: what its editors are told, and what they aren't, since it is our browser's doing.
use Time::HiRes 'time';
use Vitrine::Browser;
use Vitrine::Visitor;
use Vitrine::Words;

# The build without windows says the same of a page in half the time; picture.t has the other.
my $chromium = '/usr/lib/chromium/chromium-headless-shell';
plan skip_all => 'no Chromium is installed' if !-x $chromium;
my ($stack, $api, $db) = stack(chromium => $chromium, publish_per_hour => 10_000, pictures_per_minute => 100);
my ($ann, $ben) = map { $stack->user("$_\@example.org") } qw(ann ben);

sub publish {
	my ($slug, $files, %more) = @_;
	return $api->publish($ann, slug => "a-$slug", visibility => 'private',
		files => ref $files ? $files : { 'index.html' => $files }, %more);
}
sub problems { my ($art) = @_; return $api->call(GET => "/v1/artifacts/$art/problems", { token => $ann->{token} })->{json}{problems} }
sub row { return $db->selectrow_hashref('SELECT * FROM page_seen WHERE artifact_id = ? AND version_no = ?', undef, $_[0], $_[1] // 1) }
sub waits { return scalar $db->selectrow_array('SELECT COUNT(*) FROM page_seen WHERE due_at <= UNIX_TIMESTAMP() AND attempts = 0') }
sub runner {
	my ($status, undef, $err) = $stack->runner;
	is $status, 0, 'the runner ran' or diag $err;
	return grep { $_->{event} =~ /picture|opened/ } map { decode_json($_) } grep { /^\{/ } split /\n/, $err;
}
# A run ends before its minute does; on a busy machine there is another.
sub all_opened { my $end = time + 300; my @said; do { push @said, runner() } while waits() && time < $end; return @said }
# kind, url and line of each, with a part of the text.
sub told { return [map { join ' ', grep { defined } $_->{kind}, $_->{url}, $_->{line}, "x$_->{count}" } @{problems($_[0])->{items}}] }
sub texts { return join "\n", map { $_->{text} } @{problems($_[0])->{items}} }

my @said;
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
	endless => '<p>x<script>for (;;);</script>',
	many => '<p>x<script>for (let i = 0; i < 300; i++) console.error("no " + i); console.error("x".repeat(1 << 20))</script>',
	long => "<p>x<meta charset=utf-8><script>throw new Error('a${tags}b' + 'c'.repeat(1000))</script>",
	logs => '<p>x<script>console.log("y".repeat(2e7)); console.error("after")</script>',
	# What comes of a browser that is nobody and has no network is nothing of theirs.
	cdn => '<script src="https://cdn.example.com/react.js"></script><script>React.render()</script>'
		. '<link rel=stylesheet href="https://fonts.example.com/x.css">',
	cors => '<p>x<script>fetch("https://api.example.com/x").then(r => r.json())</script>',
	data => '<p>x<script type=module>const r = await fetch("/v1/data/self/tables/x/rows"); const j = await r.json(); '
		. 'document.title = j.rows.map(r => r.a)</script>',
	saves => '<p>x<script>fetch("/v1/data/self/json", { method: "PUT", body: '
		. '"{}" }).catch(e => console.error("could not save", e))</script>',
	signin => '<p>x<script>location.assign("/_vitrine/signin?to=/")</script>',
	leaves => '<p>x<script>location.assign("https://example.com/")</script>',
	syntax => '<p>x<script type=module>await fetch("/v1/data/self/json")</script><script>let = 5 5</script>',
);
my %art = map { $_ => publish($_, { 'index.html' => $page{$_}, 'app.js' => "let a = 1;\n\nundefined.x;\n" }) } sort keys %page;
is_deeply problems($art{good}), { version_no => 1, checked_at => undef, status => 'waiting', items => [], other_hosts => [] },
	'it waits, with exactly these keys';
# Pages that a loaded machine had no time for are looked at again, as in the hour in which the runner does that.
sub in_time {
	for (1 .. 20) {
		my @late = grep { grep { /^timeout/ } @{told($_)} } @_ or last;
		$db->do('UPDATE page_seen SET due_at = 1, attempts = 1 WHERE artifact_id IN (' . join(', ', ('?') x @late) . ')',
			undef, @late);
		push @said, runner();
	}
}
@said = all_opened();
in_time(map { $art{$_} } grep { $_ ne 'endless' } sort keys %art);
is_deeply [grep { $_->{event} =~ /picture/ } @said], [], 'no picture is made of what is private';
is $db->selectrow_array('SELECT COUNT(*) FROM picture'), 0, '... nor wanted';

subtest 'what is said' => sub {
	my $p = problems($art{good});
	ok abs(delete($p->{checked_at}) - time) < 300, 'when it was opened';
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
	is_deeply told($art{endless}), ['timeout x1'], 'a script that never ends';
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
	like $long->{text}, qr/^Error: a bccc/, '... and have no characters that nobody sees';
	is texts($art{logs}), 'after', 'what is too long is passed over';
};

subtest 'what is not' => sub {
	is_deeply [@{problems($art{cdn})}{qw(items other_hosts)}], [[], ['cdn.example.com', 'fonts.example.com']],
		'what needs scripts of other hosts; which they are is said';
	is_deeply [@{problems($art{cors})}{qw(items other_hosts)}], [[], ['api.example.com']], 'what asks other hosts';
	is_deeply told($art{$_}), [], "$_: what needs data or somebody who is signed in" for qw(data saves signin);
	is_deeply [@{problems($art{leaves})}{qw(status items other_hosts)}], ['checked', [], ['example.com']],
		'a page that leads elsewhere';
	like texts($art{syntax}), qr/^SyntaxError: /, 'but what has to do with neither';
};

subtest 'a private page, for that alone' => sub {
	my $get = sub { my (%h) = @_; return $api->get_site('a-good', '/', %h)->{status} };
	is $get->(), 404, 'nobody else sees it';
	is $get->('X-Vitrine-Pass' => $_), 404, '... with a made-up pass either' for 'x', 'A' x 100, "9999999999 $art{good}";
	unlike $api->call(GET => "/v1/artifacts/$art{good}/thumbnail", { token => $ann->{token} })->{headers}{'content-type'}, qr/png/,
		'a card stands for it';
	my $asks = publish('asks', '<p>x<script>for (const path of ["json", "tables", "viewer"]) fetch("/v1/data/self/" + path).then(async '
		. 'r => { new Image().src = `/${path}-${r.status}-${(await r.text()).match(/secret|ann@/)}.png` })</script>');
	is $api->call(PUT => "/v1/data/$asks/json", { token => $ann->{token}, json => { a => 'secret' } })->{status}, 200, 'it has data';
	all_opened();
	is_deeply [sort @{told($asks)}], [map { "missing /$_-404-null.png x1" } qw(json tables viewer)],
		'... which our browser is not given, being nobody';
	my $other = publish('moves', '<p>x<script>nope()</script>', visibility => 'public');
	is scalar(grep { $_->{event} eq 'picture' } all_opened()), 1, 'a public one is opened once, for both';
	is_deeply told($other), ['exception / 1 x1'], '... and said of';
	is $api->call(PATCH => "/v1/artifacts/$other", { token => $ann->{token}, json => { visibility => 'private' } })->{status},
		200, 'closed';
	is_deeply told($other), ['exception / 1 x1'], '... which changes nothing of that';
	is scalar(all_opened()), 0, '... nor has it opened again';
};

subtest 'versions' => sub {
	my $art = $art{throws};
	publish('throws', '<p>mended');
	is_deeply [@{problems($art)}{qw(version_no checked_at status items)}], [2, undef, 'waiting', []],
		'another version: what was said is gone';
	cmp_ok row($art, 2)->{due_at}, '>=', row($art)->{begun_at} + 10, '... six times a minute at most';
	$db->do('UPDATE page_seen SET due_at = 1 WHERE artifact_id = ?', undef, $art);
	all_opened();
	is_deeply [@{problems($art)}{qw(version_no status items)}], [2, 'checked', []], 'mended';
	publish('throws', '<script>nope()</script>', draft => Cpanel::JSON::XS::true);
	is problems($art)->{version_no}, 2, 'a draft is not opened';
	is waits(), 0;
	is $api->call(PATCH => "/v1/artifacts/$art", { token => $ann->{token}, json => { name => 'Other' } })->{status}, 200,
		'another name';
	is row($art, 2)->{due_at}, undef, '... is no reason either';
	is $api->call(POST => "/v1/artifacts/$art/versions/1/restore", { token => $ann->{token} })->{status}, 200, 'back to the first';
	ok row($art)->{due_at}, '... which is opened again';
	$stack->ctl('artifact', 'pause', $art);
	$db->do('UPDATE page_seen SET due_at = 1 WHERE artifact_id = ?', undef, $art);
	is scalar(all_opened()), 0, 'not while it is paused';
	$stack->ctl('artifact', 'resume', $art);
	all_opened();
	is_deeply told($art), ['exception / 3 x1', 'exception /app.js 3 x1', 'exception / 3 x1'], '... but afterwards';
	# It changes while it is open.
	$db->do('UPDATE page_seen SET version_no = 7, due_at = 1, seen = NULL WHERE artifact_id = ? AND version_no = 1', undef, $art);
	all_opened();
	is row($art, 7), undef, 'a row of what is not live goes';
};

subtest 'a page that can not be opened' => sub {
	my $art = publish('away', '<h1>x</h1>');
	all_opened();
	system 'rm', '-rf', "$stack->{dir}/data/trees/$art";
	$db->do('UPDATE page_seen SET wanted_at = UNIX_TIMESTAMP(), seen_at = NULL, seen = NULL WHERE artifact_id = ?', undef, $art);
	for my $attempt (1 .. 3) {
		$db->do('UPDATE page_seen SET due_at = 1 WHERE artifact_id = ?', undef, $art);
		is scalar(grep { $_->{event} eq 'page not opened' } all_opened()), $attempt < 3 ? 1 : 0, "attempt $attempt";
		is problems($art)->{status}, $attempt < 3 ? 'waiting' : 'checked';
	}
	is_deeply told($art), ['missing / x1'], 'after three attempts that is what is said';
	$art = publish('walled', '<h1>x</h1>');
	$db->do("UPDATE artifact SET slug = 'nowhere' WHERE id = ?", undef, $art);
	for (1 .. 3) {
		$db->do('UPDATE page_seen SET due_at = 1 WHERE artifact_id = ?', undef, $art);
		all_opened();
	}
	is_deeply [@{problems($art)}{qw(status items other_hosts)}], ['unavailable', [], []],
		'what only our browser is not shown is nothing of theirs';
	$art = publish('later', '<h1>x</h1>');
	$db->do('UPDATE page_seen SET wanted_at = wanted_at - 601, due_at = due_at + 1000 WHERE artifact_id = ?', undef, $art);
	is problems($art)->{status}, 'unavailable', 'what nobody opens within ten minutes';
	$db->do('DELETE FROM page_seen WHERE artifact_id = ?', undef, $art);
	is problems($art)->{status}, 'unavailable', 'what was published before there was this';
};

subtest 'soon' => sub {
	$stack->start_runner('runner', '--stay');
	my $from = time;
	my $art = publish('soon', '<script>soon()</script>');
	Vitrine::Stack::wait_for('what went wrong', 60, sub { problems($art)->{status} eq 'checked' });
	my $took = time - $from;
	diag sprintf 'it took %.1f s', $took;
	cmp_ok $took, '<', 10, 'a runner that stays says so within ten seconds';
	my $send = sub { my ($html, %more) = @_;
		return $api->call(POST => '/v1/publish', { token => $ann->{token}, json => { artifact_id => $art, wait => 'render', %more,
			files => [{ path => 'index.html', content => $html }] } })->{json} };
	my $fine = '<!doctype html><html lang=en><meta name=viewport content="width=device-width"><title>Fine</title><h1>Fine</h1>';
	my $r = $send->($fine, draft => Cpanel::JSON::XS::true);
	is_deeply [@{$r->{seen}}{qw(version_no status ok title)}, $r->{seen}{phone}{overflow_px}, $r->{seen}{basics}{lang}],
		[2, 'seen', Cpanel::JSON::XS::true, 'Fine', 0, 'en'], 'a publish waits for what is seen of its private draft';
	for my $width (1280, 390) {
		my $p = $api->call(GET => "/v1/artifacts/$art/versions/2/picture?width=$width", { token => $ann->{token} });
		is_deeply [$p->{status}, @{$p->{headers}}{qw(content-type cache-control)}, unpack 'x16N', $p->{body}],
			[200, 'image/png', 'private, no-store', $width], "... its picture, $width wide, is for its editors";
	}
	is $api->call(GET => "/v1/artifacts/$art/versions/2/picture", { token => $ben->{token} })->{status}, 404, '... and nobody else';
	$r = $send->($fine . '<div style="width:700px">wide</div>', draft => Cpanel::JSON::XS::true);
	is $r->{seen}{phone}{overflow_px} > 300, 1, 'what is too wide for a phone';
	is $api->call(PATCH => "/v1/artifacts/$art", { token => $ann->{token}, json => { checks => ['errors'] } })->{status}, 200, 'checks';
	$r = $send->('<p>x<script>soon()</script>');
	is_deeply [$r->{version}{is_draft}, $r->{version}{checks}{state}, $r->{seen}{ok}],
		[Cpanel::JSON::XS::true, 'failed', Cpanel::JSON::XS::false], 'what breaks is held back';
	$r = $send->($fine);
	is_deeply [$r->{version}{is_draft}, $r->{version}{checks}{state}], [Cpanel::JSON::XS::false, 'passed'],
		'what is mended goes live by itself, before the publish is answered';
	is problems($art)->{version_no}, 5, '... and is live';
	$stack->stop_one('runner');
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
	$b->wait_text(qr/a-cdn/);
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
