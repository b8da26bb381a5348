# SPDX-License-Identifier: Apache-2.0
# What a browser saw of a version: who is told, in which words, and that a publish waits for it. t/job/problems.t has a browser open pages.
use Time::HiRes 'time';
use Vitrine::Words 'refused';

# A program that is no browser: the service takes it for one until the runner has tried.
my ($stack, $api, $db) = stack(chromium => '/usr/bin/true');
my $true = Cpanel::JSON::XS::true;
my ($ann, $ben, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben eve);
my $art = $api->publish($ann, slug => 'breaks', visibility => 'public', files => { 'index.html' => 'x' });
my $other = $api->publish($eve, slug => 'other', files => { 'index.html' => 'x' });
sub ask {
	my ($who, $which) = @_;
	return $api->call(GET => '/v1/artifacts/' . ($which // $art) . '/problems', { ($who ? (token => $who->{token}) : ()) });
}
sub share {
	my ($role) = @_;
	is $api->call(POST => "/v1/artifacts/$art/collaborators",
		{ token => $ann->{token}, json => { emails => ['ben@example.org'], role => $role } })->{status}, 200, "ben is $role";
}

is_deeply ask($ann)->{json},
	{ success => $true, problems => { version_no => 1, checked_at => undef, status => 'waiting', items => [], other_hosts => [] } },
	'it has not been opened; exactly these keys';
my @items = ({ kind => 'exception', text => 'ReferenceError: x is not defined', url => '/app.js', line => 3, count => 1 },
	{ kind => 'blank', text => 'Nothing can be seen', url => undef, line => undef, count => 1 });
sub saw {
	my ($which, $no, %what) = @_;
	$db->do('UPDATE page_seen SET due_at = NULL, wanted_at = 0, seen_at = 1700000000, seen = ? '
		. 'WHERE artifact_id = ? AND version_no = ?', undef,
		$api->{json}->encode({ requests => 3, bytes => 500, items => [], other_hosts => [], failed => [], %what }), $which, $no);
}
saw($art, 1, ok => Cpanel::JSON::XS::false, title => 'Breaks', load_ms => 120, blank => 0.5, items => \@items,
	other_hosts => ['cdn.example.com'], wide_px => 420, failed => [{ url => '/a.js', why => 'missing' }],
	basics => { title => 'Breaks', lang => '', viewport => $true, images_without_alt => 2, links_without_text => 0,
		fields_without_label => 0 });
is_deeply ask($ann)->{json}{problems}, { version_no => 1, checked_at => 1700000000, status => 'checked', items => \@items,
	other_hosts => ['cdn.example.com'] }, 'what went wrong';
is $api->call(HEAD => "/v1/artifacts/$art/problems", { token => $ann->{token} })->{status}, 200, 'HEAD';

subtest 'of a version' => sub {
	my $seen = sub { my ($who, $no, $more, %o) = @_;
		return $api->call($o{method} // 'GET', "/v1/artifacts/$art/versions/$no/" . ($more // 'seen'),
			{ ($who ? (token => $who->{token}) : ()) }) };
	is_deeply $seen->($ann, 1)->{json}{seen}, { version_no => 1, status => 'seen', why => undef, at => 1700000000,
		ok => Cpanel::JSON::XS::false, title => 'Breaks', load_ms => 120, requests => 3, bytes => 500, blank => 0.5,
		problems => \@items, other_hosts => ['cdn.example.com'],
		failed => [{ url => '/a.js', why => 'missing' }], picture_url => undef,
		phone => { overflow_px => 30, picture_url => undef },
		basics => { title => 'Breaks', lang => '', viewport => $true, images_without_alt => 2, links_without_text => 0,
			fields_without_label => 0 } }, 'all that was seen; exactly these keys';
	refused($seen->(undef, 1), '401 UNAUTHENTICATED', 'not to a stranger');
	refused($seen->($eve, 1), '403 ACCESS_DENIED', 'nor to somebody with an account');
	refused($seen->($ann, 9), '404 NOT_FOUND', 'of a version that is not there');
	refused($seen->($ann, 1, 'seen?wait=11'), '400 INVALID_REQUEST', 'a wait that is too long');
	refused($seen->($ann, 1, 'picture'), '404 NOT_FOUND', 'it has no picture');
	refused($seen->($ann, 1, 'picture?width=700'), '400 INVALID_REQUEST', 'in another width');
	refused($seen->($eve, 1, 'picture'), '403 ACCESS_DENIED', 'a picture of somebody else');
	$api->publish($ann, slug => 'breaks', draft => $true, files => { 'index.html' => 'draft' });
	is_deeply [@{$seen->($ann, 2)->{json}{seen}}{qw(status why)}], ['not_seen', undef], 'a draft is opened for nobody';
	# A minute of the limit is one of the clock.
	sleep 61 - time % 60 if time % 60 > 50;
	my $r = $seen->($ann, 2, 'seen', method => 'POST');
	is_deeply [$r->{status}, @{$r->{json}{seen}}{qw(version_no status)}], [202, 2, 'waiting'], '... but if somebody asks';
	refused($seen->($eve, 2, 'seen', method => 'POST'), '403 ACCESS_DENIED', '... who may edit it');
	my $from = time;
	is $seen->($ann, 2, 'seen?wait=1')->{json}{seen}{status}, 'waiting', 'a wait for what nobody opens';
	my $took = time - $from;
	ok $took > 0.9 && $took < 4, '... lasts as long as it may' or diag $took;
	is join(' ', map { $seen->($ann, 2, 'seen', method => 'POST')->{status} } 1 .. 5), '202 202 202 202 202', 'again and again';
	refused($seen->($ann, 2, 'seen', method => 'POST'), '429 RATE_LIMITED', 'six times a minute');
	cmp_ok $db->selectrow_array('SELECT waiter_until - UNIX_TIMESTAMP() FROM page_seen WHERE artifact_id = ? AND version_no = 2',
		undef, $art), '>', 3, 'it is among the first';
};

subtest 'a publish that waits' => sub {
	my $publish = sub { my (%more) = @_;
		return $api->call(POST => '/v1/publish', { token => $ann->{token}, json => { name => 'Waits', wait => 'render', wait_s => 1,
			files => [{ path => 'index.html', content => "<h1>$$ " . rand() . '</h1>' }], %more } }) };
	my $count = sub { scalar $db->selectrow_array('SELECT COUNT(*) FROM version') };
	my $before = $count->();
	my $from = time;
	my $r = $publish->();
	my $took = time - $from;
	is_deeply [$r->{status}, @{$r->{json}{seen}}{qw(version_no status)}], [201, 1, 'waiting'], 'it says that it waits';
	ok $took > 0.9 && $took < 6, '... after as long as it may' or diag $took;
	is $count->(), $before + 1, '... and has published once';
	ok !exists $r->{headers}{'idempotency-replayed'}, '... as if at once';
	ok !exists $publish->(wait => undef)->{json}{seen}, 'without wait, the reply does not have it';
	my $body = { name => 'Keyed', files => [{ path => 'index.html', content => 'x' }], wait => 'render', wait_s => 1 };
	my $ask = sub { $api->call(POST => '/v1/publish',
		{ token => $ann->{token}, headers => { 'Idempotency-Key' => 'seen-1' }, json => $body }) };
	$before = $count->();
	my $first = $ask->();
	my $id = $first->{json}{artifact}{id};
	saw($id, 1, ok => $true);
	my $again = $ask->();
	is_deeply [@{$again->{json}{artifact}}{'id'}, $again->{json}{seen}{status}, $count->()], [$id, 'seen', $before + 1],
		'a replay is of the same publish, with what was seen by now';
	is $again->{headers}{'idempotency-replayed'}, 'true', '... and says so';
	# Told while it waits: the row changes, and the counter.
	$from = time;
	my $pid = fork // die;
	if (!$pid) {
		select undef, undef, undef, 0.7;
		my $other = $stack->db;
		$other->do("UPDATE page_seen SET due_at = NULL, wanted_at = 0, seen_at = 1700000000, seen = '{\"ok\":true,\"items\":[]}' "
			. 'WHERE wanted_at > 0');
		open my $told, '+<:raw', "$stack->{dir}/data/told" or POSIX::_exit(1);
		print $told pack('L', 77) x 1024;
		close $told;
		POSIX::_exit(0);
	}
	$r = $publish->(wait_s => 10);
	$took = time - $from;
	waitpid $pid, 0;
	is_deeply [@{$r->{json}{seen}}{qw(status ok)}], ['seen', $true], 'what is seen meanwhile is in the reply';
	cmp_ok $took, '<', 9, '... before the wait is over';
	refused($publish->(wait => 'no'), '400 INVALID_REQUEST', 'another wait');
	refused($publish->(wait_s => 11), '400 INVALID_REQUEST', 'a wait that is too long');
	my $limit = $db->selectrow_array("SELECT COUNT(*) FROM idempotency WHERE idem_key LIKE 'wait-%'");
	cmp_ok $limit, '>=', 2, 'replies that wait are stored';
};

subtest 'who is told' => sub {
	refused(ask(undef), '401 UNAUTHENTICATED', 'a stranger is not, though the page is public');
	refused(ask($eve), '403 ACCESS_DENIED', 'nor is somebody with an account');
	share('viewer');
	refused(ask($ben), '403 ACCESS_DENIED', 'nor a viewer');
	share('editor');
	is scalar @{ask($ben)->{json}{problems}{items}}, 2, 'an editor is';
	refused(ask($ann, $other), '404 NOT_FOUND', "another's private page is not there");
	refused(ask($ann, 'art_01m890qvc9hzygpsjndpfrjgae'), '404 NOT_FOUND', 'nor is one that never was');
	refused($api->call(POST => "/v1/artifacts/$art/problems", { token => $ann->{token}, json => {} }), '405 METHOD_NOT_ALLOWED',
		'not to be changed');
	$db->do('UPDATE token SET scopes = ? WHERE user_id = ?', undef, 2, $ben->{id});
	refused(ask($ben), '403 INSUFFICIENT_SCOPE', 'a token without artifacts:read may not');
};

subtest 'the client' => sub {
	my $told = sub { my ($status, $out, $err) = $stack->client($ann->{token}, 'problems', @_); is $status, 0; return "$out|$err" };
	is $told->('breaks'), "exception at /app.js:3: ReferenceError: x is not defined\nblank     Nothing can be seen\n|",
		'what went wrong';
	is_deeply decode_json(($told->('breaks', '--json') =~ /(.*)\|/s)[0])->{problems}{other_hosts}, ['cdn.example.com'], '--json';
	saw($art, 1, ok => $true);
	is $told->('breaks'), "|nothing went wrong when the live version was opened\n", 'nothing';
	$api->publish($ann, slug => 'breaks', files => { 'index.html' => 'y' });
	is $told->('breaks'), "|the live version will be opened soon; ask again in 10 seconds\n", 'another version';
	my $dir = "$stack->{dir}/waits";
	mkdir $dir;
	Vitrine::Stack::spew("$dir/index.html", '<h1>waits</h1>');
	my ($status, $out, $err) = $stack->client($ann->{token}, 'publish', '--slug', 'by-client', '--wait', $dir);
	is $status, 0;
	like $err, qr/no browser has seen it yet; ask later: vitrine problems/, 'publish --wait';
	$db->do('DELETE FROM page_seen WHERE artifact_id = ?', undef, $art);
	is $told->('breaks'), "|the live version was not opened in a browser\n", 'never';
};

subtest 'checks' => sub {
	my $other = { token => $stack->token($ann->{id}, 'so_', expires_at => 3_999_999_999) };
	my $id = $api->publish($ann, slug => 'checked', files => { 'index.html' => 'one' });
	my $at = "/v1/artifacts/$id";
	my $ask = sub { my ($method, $path, $json, %o) = @_;
		return $api->call($method => $path, { token => ($o{who} // $ann)->{token}, ($json ? (json => $json) : ()) }) };
	my $publish = sub { my ($text, %o) = @_; my $who = delete $o{who};
		return $ask->(POST => '/v1/publish',
			{ artifact_id => $id, files => [{ path => 'index.html', content => $text }], %o }, who => $who) };
	my $state = sub { $ask->(GET => "$at/versions/$_[0]")->{json}{version}{checks} };
	my $live = sub { $ask->(GET => $at)->{json}{artifact}{version_no} };
	my $lock = "$stack->{dir}/data/picture.lock";
	# The runner settles checks when it has opened the page, or when their time is over.
	my $settle = sub { my ($no, %what) = @_;
		saw($id, $no, %what);
		$db->do('UPDATE page_seen SET due_at = NULL');
		$db->do('UPDATE version_hold SET until_at = 1 WHERE version_no = ?', undef, $no);
		is +($stack->runner)[0], 0, 'the runner ran';
		# It may have found that no browser runs.
		utime 1, 1, $lock };
	refused($ask->(PATCH => $at, { checks => ['nope'] }), '400 INVALID_REQUEST', 'a check that there is not');
	refused($ask->(PATCH => $at, { checks => ['blank'] }, who => $eve), '404 NOT_FOUND', 'a stranger sets checks');
	is_deeply $ask->(PATCH => $at, { checks => ['errors', 'blank'] })->{json}{artifact}{checks}, ['blank', 'errors'], 'its owner does';
	is_deeply $ask->(PATCH => $at, { name => 'Checked' })->{json}{artifact}{checks}, ['blank', 'errors'], '... and they stay';
	my $r = $publish->('two');
	is_deeply [@{$r->{json}}{qw(held_for approval_required)}, $r->{json}{version}{is_draft}, $live->()],
		['checks', Cpanel::JSON::XS::false, $true, 1], 'a version waits as a draft';
	is_deeply $state->(2), { state => 'waiting', why => undef }, '... and says so';
	my @throws = { kind => 'exception', text => 'x', url => undef, line => undef, count => 1 };
	$settle->(2, ok => Cpanel::JSON::XS::false, items => \@throws);
	is_deeply [$state->(2), $live->()], [{ state => 'failed', why => '1 failure of its scripts' }, 1],
		'a script failed: it stays a draft';
	is $ask->(POST => "$at/versions/2/restore")->{json}{version}{is_live}, $true, 'a person makes it live all the same';
	$publish->('three', checks => ['basics']);
	$settle->(3, ok => $true, basics => { title => 'x', lang => '', viewport => $true, images_without_alt => 2, links_without_text => 0,
		fields_without_label => 0 });
	is $state->(3)->{why}, "it doesn't say its language; 2 pictures without a text", 'a publish adds checks';
	$publish->('four');
	$settle->(4, ok => $true);
	is_deeply [$state->(4), $live->()], [{ state => 'passed', why => undef }, 4], 'what passes goes live by itself';
	like $api->get_site('checked', '/', 'X-Vitrine-Pass' => 'x')->{status}, qr/404/, 'it is private still';
	$publish->('five', who => $other);
	$db->do('UPDATE token SET revoked_at = 1 WHERE expires_at = 3999999999');
	$settle->(5, ok => $true);
	is_deeply [$state->(5)->{state}, $live->()], ['failed', 4], 'its token was revoked meanwhile: a draft';
	like $state->(5)->{why}, qr/^it passed, but can't go live: /, '... that says why';
	$publish->('six');
	is $ask->(POST => "$at/versions/1/restore")->{status}, 200;
	$settle->(6, ok => $true);
	is_deeply [$state->(6)->{state}, $live->()], ['moved', 1], 'another version went live meanwhile';
	$publish->('seven');
	$settle->(7, ok => undef);
	is $state->(7)->{state}, 'unseen', 'what needs more than we load is not known';
	is_deeply $publish->('eight', draft => $true)->{json}{held_for}, undef, 'a draft that is one waits for no check';
	my $late = '/v1/artifacts/' . $api->publish($ann, slug => 'late', files => { 'index.html' => 'x' });
	my $before = $db->selectrow_array('SELECT COUNT(*) FROM version');
	Vitrine::Stack::spew($lock, '') if !-e $lock;
	for ([40, 'waiting', undef], [500, 'not_seen', 'no_browser']) {
		utime time, time + $_->[0], $lock;
		is_deeply [@{$ask->(POST => "$late/versions/1/seen")->{json}{seen}}{qw(status why)}], [@$_[1, 2]], "a pause of $_->[0] s";
	}
	refused($publish->('nine'), '409 CONFLICT', 'where no browser can run', qr/^checks: no browser/);
	is $db->selectrow_array('SELECT COUNT(*) FROM version'), $before, '... nothing is stored';
	utime 1, 1, $lock;
	$publish->('nine');
	$db->do('UPDATE version_hold SET token_id = NULL WHERE version_no = 9');
	$settle->(9, ok => $true);
	is_deeply [$state->(9), $live->()], [{ state => 'passed', why => undef }, 9], '... also of one who has no token';
	is_deeply $ask->(PATCH => $at, { checks => [] })->{json}{artifact}{checks}, [], 'no checks';
	is $publish->('ten')->{json}{held_for}, undef, '... and it goes live at once';
	is $db->selectrow_array('SELECT COUNT(*) FROM version_hold'), 0, 'nothing is left of what was held';
};

subtest 'what becomes of it' => sub {
	my $draft = $api->publish($ann, slug => 'draft', draft => $true, files => { 'index.html' => 'x' });
	is_deeply ask($ann, $draft)->{json}{problems}, { version_no => undef, checked_at => undef, status => 'unavailable', items => [],
		other_hosts => [] }, 'only a draft: nothing is live';
	is $db->selectrow_array('SELECT COUNT(*) FROM page_seen WHERE artifact_id = ?', undef, $draft), 0,
		'... and nothing is to be opened';
	is $api->call(POST => "/v1/artifacts/$draft/versions/1/restore", { token => $ann->{token} })->{status}, 200, 'live';
	is ask($ann, $draft)->{json}{problems}{status}, 'waiting';
	is $api->call(DELETE => "/v1/artifacts/$draft", { token => $ann->{token} })->{status}, 200, 'in the trash';
	refused(ask($ann, $draft), '404 NOT_FOUND', 'no page of the trash');
	is $api->call(DELETE => "/v1/artifacts/$draft?purge=1", { token => $ann->{token} })->{status}, 200, 'for good';
	$stack->{conf} = { %{$stack->{conf}}, chromium => '"-"' };
	$stack->write_conf;
	$stack->runner;
	is $db->selectrow_array('SELECT COUNT(*) FROM page_seen WHERE artifact_id = ?', undef, $draft), 0,
		'... with all that was said of it';
	$stack->stop_one('worker');
	$stack->start_worker;
	my $off = $api->publish($ann, slug => 'off');
	is ask($ann, $off)->{json}{problems}{status}, 'unavailable', 'where there is to be no browser';
	my $from = time;
	my $r = $api->call(POST => '/v1/publish', { token => $ann->{token}, json => { artifact_id => $off, wait => 'render',
		files => [{ path => 'index.html', content => 'x' }] } });
	is_deeply [$r->{status}, @{$r->{json}{seen}}{qw(status why)}], [201, 'not_seen', 'no_browser'], '... a publish says so';
	cmp_ok time - $from, '<', 9, '... without a wait';
	is $api->call(POST => "/v1/artifacts/$off/versions/1/seen", { token => $ann->{token} })->{json}{seen}{why}, 'no_browser',
		'... and so does who is asked to look';
};

finish($stack);
