# SPDX-License-Identifier: Apache-2.0
# What went wrong when a page was opened, and its editors aren't told, since it is our browser's doing; which pages are opened, and when.
# problems.t has what they are told.
use Time::HiRes 'time';
use Vitrine::Problems;
use Vitrine::Words;

# The build without windows says the same of a page in half the time; picture.t has the other.
my $chromium = '/usr/lib/chromium/chromium-headless-shell';
plan skip_all => 'no Chromium is installed' if !-x $chromium;
my ($stack, $api, $db, $ann, $ben) = begin($chromium);

my %page = (
	good => '<h1>Hello</h1><link rel=icon href=data:,><script>console.log("fine"); console.warn("fine")</script>',
	throws => "<p>x\n<script>\nnothing.here()</script><script src=app.js></script><script>Promise.reject(new Error('later'))</script>",
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
my %art = published(%page);
all_opened();
in_time(values %art);

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
	my $art = publish('soon', '<script>soon()</script>');
	Vitrine::Stack::wait_for('what went wrong', 60, sub { problems($art)->{status} eq 'checked' });
	my $send = sub { my ($html, %more) = @_;
		my $r = $api->call(POST => '/v1/publish', { token => $ann->{token}, json => { artifact_id => $art, wait => 'render', %more,
			files => [{ path => 'index.html', content => $html }] } })->{json};
		# What a busy machine does not see within the publish's wait is asked for once more.
		my $of = "/v1/artifacts/$art/versions/$r->{version}{version_no}";
		for (1 .. 6) {
			last if $r->{seen}{status} ne 'waiting';
			$r->{seen} = $api->call(GET => "$of/seen?wait=10", { token => $ann->{token} })->{json}{seen};
			$r->{version} = $api->call(GET => $of, { token => $ann->{token} })->{json}{version};
		}
		return $r };
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
	$send->($fine);
	# A page that was late on a busy machine is looked at again.
	my $mended;
	Vitrine::Stack::wait_for('the checks of version 5', 120, sub {
		$mended = $api->call(GET => "/v1/artifacts/$art/versions/5", { token => $ann->{token} })->{json}{version};
		return $mended->{checks}{state} eq 'passed' });
	is $mended->{is_draft}, Cpanel::JSON::XS::false, 'what is mended goes live by itself';
	is problems($art)->{version_no}, 5, '... and is live';
	$stack->stop_one('runner');
};

finish($stack);
