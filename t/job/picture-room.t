# SPDX-License-Identifier: Apache-2.0
# A stranger's script runs on our machine for a picture of its page: it reaches nothing. picture-hold.t has what would hold us up.
use IO::Socket::INET;
use POSIX ();
use Time::HiRes qw(sleep time);
use Vitrine::Picture;
use Vitrine::Words;

plan skip_all => 'no Chromium is installed' if !-x '/usr/bin/chromium';
my ($stack, $api, $db, $ann) = begin('auto');

# What a page may try to reach: TCP as plain text, TLS or WebSocket, and datagrams.
my @listening = map { IO::Socket::INET->new(Listen => 50, LocalAddr => '127.0.0.1', Blocking => 0) // die } 1 .. 2;
my $datagrams = IO::Socket::INET->new(Proto => 'udp', LocalAddr => '127.0.0.1', Blocking => 0) // die;
sub arrived {
	my $n = 0;
	for (@listening) { while (my $s = $_->accept) { $n++ } }
	my $packets = 0;
	$packets++ while defined $datagrams->recv(my $packet, 2000);
	return "$n connections, $packets packets" =~ s/[1-9]\d*/some/gr;
}

subtest 'a page reaches nothing but its own host' => sub {
	my $port = $listening[0]->sockport;
	my $second = $listening[1]->sockport;
	my $udp = $datagrams->sockport;
	publish('other', { 'index.html' => '<h1>other</h1>', 'x.svg' => '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>' });
	my $page = <<"HTML";
<!doctype html><body style="background:#00f;color:#fff"><p id=t>trying</p><img src="https://127.0.0.1:$port/a.png">
<link rel=preconnect href="https://127.0.0.1:$second/">
<iframe src="https://127.0.0.1:$second/frame"></iframe>
<iframe src="file:///etc/passwd" onload="try{if(this.contentDocument.body.textContent)bad('frame')}catch(e){}"></iframe>
<form id=f method=post action="https://127.0.0.1:$port/form" target=x></form><iframe name=x></iframe>
<script>
const seen = [];
function bad(what) { seen.push(what); show() }
function show() { document.body.style.background = seen.length ? '#f00' : '#0f0'; t.textContent = seen.join(' ') || 'nothing' }
const get = (url, o) => fetch(url, o).then(() => bad(url), () => {});
const image = url => new Promise(done => { const i = new Image; i.onload = () => { bad(url); done() }; i.onerror = done; i.src = url });
const socket = url => new Promise(done => { let w; try { w = new WebSocket(url) } catch (e) { return done() }
	w.onopen = () => { bad(url); done() }; w.onerror = w.onclose = done });
const rtc = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:$udp' }] });
rtc.createDataChannel('x');
rtc.onicecandidate = e => { if (e.candidate && /srflx|host/.test(e.candidate.candidate)) bad('rtc ' + e.candidate.candidate) };
rtc.createOffer().then(o => rtc.setLocalDescription(o));
f.submit();
navigator.sendBeacon('https://127.0.0.1:$port/beacon', 'x');
const worker = new Worker(URL.createObjectURL(new Blob(
	["fetch('https://127.0.0.1:$port/worker', {mode: 'no-cors'}).then(() => postMessage('worker'), () => {})"])));
worker.onmessage = e => bad(e.data);
Promise.all([get('https://127.0.0.1:$port/', { mode: 'no-cors' }), get('http://127.0.0.1:$port/', { mode: 'no-cors' }),
	get('http://169.254.169.254/latest/meta-data/', { mode: 'no-cors' }),
	get('https://169.254.169.254/', { mode: 'no-cors' }), get('file:///etc/passwd'),
	get('https://vitrine.localhost:$stack->{port}/healthz', { mode: 'no-cors' }), get('https://example.com/', { mode: 'no-cors' }),
	get('https://reach.pages.localhost:$stack->{port}.evil.example/', { mode: 'no-cors' }),
	get('https://reach.pages.localhost:$stack->{port}/index.html', { method: 'POST', body: 'x' }), get('chrome://version'),
	image('https://other.pages.localhost:$stack->{port}/x.svg'), socket('wss://127.0.0.1:$port/'), socket('ws://127.0.0.1:$second/'),
	socket('wss://reach.pages.localhost:$stack->{port}/')]).then(show);
</script>
HTML
	my $art = publish('reach', $page);
	my $all = '';
	$stack->spawn('control', "$stack->{dir}/control.log", 'chromium', '--headless=new', '--disable-gpu', '--disable-dev-shm-usage',
		'--no-first-run', ($> == 0 ? '--no-sandbox' : ()),
		"--user-data-dir=$stack->{dir}/control", '--remote-debugging-port=0', '--ignore-certificate-errors',
		'--host-resolver-rules=MAP *.localhost 127.0.0.1', "https://reach.pages.localhost:$stack->{port}/");
	Vitrine::Stack::wait_for('what a browser without a room reaches', 40,
		sub { $all .= arrived(); $all =~ /some connections/ && $all =~ /some packets/ });
	$stack->stop_one('control');
	# Its processes have closed what they had by the time that nothing comes anymore.
	my $quiet = 0;
	Vitrine::Stack::wait_for('the end of it', 40,
		sub { $quiet = arrived() eq '0 connections, 0 packets' ? $quiet + 1 : 0; return $quiet > 20 });
	my @said = runner();
	# On a busy machine it may take longer than an attempt may.
	for (1 .. 2) {
		last if row($art)->{sha256};
		now_due($art);
		push @said, runner();
	}
	is colour_of($art), '00ff00', 'a page that tries it all sees nothing of it'
		or diag explain [grep { $_->{event} =~ /picture/ } @said];
	is arrived(), '0 connections, 0 packets', 'and nothing arrives';
};

subtest 'the room' => sub {
	my $art = publish('room', '<script>for (;;);</script>');
	local $ENV{SECRET_OF_OURS} = 'of the environment';
	my $pid = fork // die;
	if (!$pid) {
		open STDERR, '>', "$stack->{dir}/room.log";
		exec "$stack->{build}/vitrine-runner", '-c', "$stack->{dir}/vitrine.yaml", '--once' or POSIX::_exit(127);
	}
	my ($page) = (0);
	Vitrine::Stack::wait_for('the page', 60, sub {
		# It has begun once it has its own filter, too.
		row($art)->{attempts} and ($page) = grep { Vitrine::Stack::slurp("/proc/$_/cmdline") =~ /--type=renderer/
			&& Vitrine::Stack::slurp("/proc/$_/status") =~ /^Seccomp_filters:\s+[2-9]/m } browsers();
	});
	# It would end the page after a while.
	kill 'STOP', $pid;
	my ($main) = grep { Vitrine::Stack::slurp("/proc/$_/cmdline") !~ /--type=/ } browsers();
	for my $one (['the browser', $main, 1], ['the page', $page, 2]) {
		my ($name, $p, $filters) = @$one;
		my %status = Vitrine::Stack::slurp("/proc/$p/status") =~ /^(\w+):\s+(.*)$/mg;
		isnt +(split ' ', $status{Uid})[0], 0, "$name: is not root";
		is $status{CapEff}, '0' x 16, '... has no rights' if $filters == 1;
		is $status{NoNewPrivs}, 1, '... nor will be';
		cmp_ok $status{Seccomp_filters}, '>=', $filters, '... has a filter' . ($filters > 1 ? ', and that of its own sandbox' : '');
		cmp_ok scalar(split ' ', $status{NSpid}), '>=', 1 + $filters, '... knows no process but its own';
		is_deeply [map { /^\s*(\w+):/ } split /\n/, Vitrine::Stack::slurp("/proc/$p/net/dev")], ['lo'], '... has no network';
		isnt readlink "/proc/$p/ns/$_", readlink "/proc/self/ns/$_", "... $_ of its own" for qw(mnt net pid user ipc uts cgroup);
		unlike Vitrine::Stack::slurp("/proc/$p/environ"), qr/SECRET_OF_OURS|VITRINE/, '... nothing of the environment';
		is +(split ' ', Vitrine::Stack::slurp("/proc/$p/stat") =~ s/.*\) //r)[16], 19, '... comes last';
		# The page's root is an empty folder by now, from which nothing else can be named.
		next if $filters > 1;
		my %mounted = map { (split)[4] => (split)[5] } split /\n/, Vitrine::Stack::slurp("/proc/$p/mountinfo");
		is_deeply [sort grep { !m{^/dev/} } keys %mounted], [grep { !m{/opt} || -d } qw(/ /etc/alternatives /etc/fonts /opt /proc
			/usr)], '... nothing of the old root but programs and fonts';
		is_deeply [grep { m{^/(?:usr|opt|etc)} && $mounted{$_} !~ /^ro,/ } keys %mounted], [], '... which it can\'t change';
	}
	my ($first) = Vitrine::Stack::slurp("/proc/$main/status") =~ /^PPid:\s+(\d+)/m;
	like Vitrine::Stack::slurp("/proc/$first/status"), qr/^NSpid:.*\t1$/m, 'the first process of the room';
	unlike Vitrine::Stack::slurp("/proc/$first/environ"), qr/SECRET_OF_OURS/, '... has nothing of the environment either';
	is_deeply [sort map { s{.*/}{}r } grep { !-l } glob "/proc/$main/root/* /proc/$main/root/etc/* /proc/$main/root/home/*"],
		[sort qw(dev etc proc tmp usr alternatives fonts chromium.d), grep { -d "/$_" } 'opt'], 'what files there are';
	is scalar(grep { $_->{event} =~ /picture/ } runner()), 0, 'another runner leaves the page to the one that has it';
	kill 'KILL', $pid;
	waitpid $pid, 0;
	Vitrine::Stack::wait_for('the end of the room', 60, sub { !browsers() });
	is row($art)->{attempts}, 1, 'a runner that is killed leaves its page to be tried again';
	cmp_ok row($art)->{due_at}, '>', time, '... later';
};

subtest 'where no browser can be locked up' => sub {
	my $art = publish('elsewhere', '<body style="background:#0e0e0e">x');
	for my $program ('/bin/false', '/bin/cat', '/usr/bin/env') {
		conf(chromium => $program);
		now_due($art);
		my @said = grep { $_->{event} =~ /picture/ } runner();
		is scalar @said >= 1, 1, "$program is no browser: it is said";
		my $pause = sub { my @s = stat "$stack->{dir}/data/picture.lock"; return $s[9] - $s[8] };
		like $pause->(), qr{^[12]0$}, '... and tried again soon';
		utime time, time + 100, "$stack->{dir}/data/picture.lock";
		is_deeply [grep { $_->{event} =~ /picture/ } runner()], [], '... not at once';
		is shown($art), 'svg+xml', '... and a card is drawn';
		is row($art)->{sha256}, undef, '... and there is none';
		$db->do('UPDATE picture SET attempts = 0');
		utime time - 320, time - 1, "$stack->{dir}/data/picture.lock";
		now_due($art);
		runner();
		is $pause->(), 600, '... and at last each ten minutes';
		$db->do('UPDATE picture SET attempts = 0');
		unlink "$stack->{dir}/data/picture.lock";
	}
	conf(chromium => 'auto');
	now_due($art);
	# Where users may not have namespaces.
	my ($status, undef, $err) = do {
		local $stack->{build} = $stack->wrapped('vitrine-runner', $Vitrine::Stack::NO_NAMESPACES);
		$stack->runner;
	};
	is $status, 0, 'without namespaces the runner does the rest' or diag $err;
	like $err, qr/no pictures can be made here, cards are drawn/, '... and says so';
	is shown($art), 'svg+xml', '... and no browser is started without a room';
	is row($art)->{attempts}, 0, '... nor is it the page\'s fault';
	unlink "$stack->{dir}/data/picture.lock";
	# Root may have as many processes as it likes, and the launcher is nobody.
	SKIP: {
		skip 'only root starts the launcher as somebody else', 1 if $> != 0;
		local $stack->{build} = $stack->wrapped('vitrine-runner', 'prlimit --nproc=0');
		like +($stack->runner)[2], qr/sandbox can't be created: fork: /, 'a room that can not be forked is given to nobody';
		unlink "$stack->{dir}/data/picture.lock";
	}
	like +($stack->program('vitrinectl', {}, 'doctor'))[1], qr{^ok +/usr/bin/chromium can be sandboxed}m,
	'doctor says whether one can be locked up here';
	conf(chromium => '/usr/nowhere');
	like +($stack->program('vitrinectl', {}, 'doctor'))[1], qr{^FAIL +the chromium setting names a program}m,
		'... and where there is none';
	conf(chromium => '"-"');
	now_due($art);
	is_deeply [grep { $_->{event} =~ /picture/ } runner()], [], 'switched off: not a word';
	my $said = sub {
		my ($what) = @_;
		Vitrine::Stack::wait_for($what, 60, sub { Vitrine::Stack::slurp("$stack->{dir}/runner.log") =~ /$what/ });
	};
	my $later = "$stack->{dir}/chromium-later";
	conf(chromium => $later);
	now_due($art);
	$stack->start_runner('runner', '--stay');
	ok $said->('no browser, cards are drawn'), 'a runner that stays says that there is none';
	symlink '/usr/bin/chromium', $later or die;
	ok $said->('program found, pictures are made'), '... and finds one that is installed later';
	ok $said->('chromium-later: No such file'), '... which is tried, though a room has no file of this folder';
	$stack->stop_one('runner');
	unlink "$stack->{dir}/data/picture.lock";
	conf(chromium => 'auto', pictures_per_minute => 1);
	# A page that is opened to see what breaks counts, too; this one is opened for both.
	$db->do('UPDATE page_seen SET due_at = NULL');
	now_due($_) for $art, publish('busy', '<body style="background:#0f0f0f">x');
	is scalar(grep { $_->{event} eq 'picture' } runner()), 1, 'no more are made than pictures_per_minute';
};

subtest 'two versions of a private page are pictured, and what differs is framed' => sub {
	my $css = '<!doctype html><style>body{margin:0;background:#fff}p{height:200px;margin:0}</style>';
	my $page = sub { $css . join '', map { "<p style='background:$_'>$_</p>" } @_ };
	my %o = (slug => 'twice', name => 'twice', visibility => 'private');
	my $twice = $api->publish($ann, %o,
		files => { 'index.html' => $page->('#a00', '#0a0', '#00a', '#aa0', '#0aa'), 'same.html' => 'x' });
	$api->publish($ann, %o,
		files => { 'index.html' => $page->('#a00', '#0a0', '#505', '#00a', '#aa0', '#0aa'), 'same.html' => 'y' });
	my $at = "/v1/artifacts/$twice/compare/pictures";
	conf(chromium => 'auto', pictures_per_minute => 60);
	unlink "$stack->{dir}/data/picture.lock";
	my $call = sub { my ($method, @more) = @_; return $api->call($method => $at . ($method eq 'GET' ? '?from=1&to=2' : ''),
		{ token => $ann->{token}, @more })->{json}{pictures} };
	is $call->(POST => json => { from => 1, to => 2 })->{pages}[0]{status}, 'waiting', 'waiting for a browser';
	$db->do('UPDATE page_seen SET due_at = NULL');
	# The row is locked once the runner has it, so it waits with both pictures stored.
	my $pair = sub { $db->selectrow_hashref('SELECT due_at, attempts, found FROM compare_picture WHERE artifact_id = ? AND page_no = 0'
		. ($_[0] // ''), undef, $twice) };
	my $killed = fork // die;
	if (!$killed) {
		open STDERR, '>', '/dev/null';
		exec "$stack->{build}/vitrine-runner", '-c', "$stack->{dir}/vitrine.yaml", '--once' or POSIX::_exit(127);
	}
	Vitrine::Stack::wait_for('a runner that has it', 60, sub { $pair->()->{attempts} });
	$db->begin_work;
	$pair->(' FOR UPDATE');
	my $waits = '';
	Vitrine::Stack::wait_for('the runner to store it', 60, sub { ($waits) = $db->selectrow_array(
		"SELECT id FROM information_schema.processlist WHERE info LIKE 'UPDATE compare_picture SET due_at%'") });
	kill KILL => $killed;
	waitpid $killed, 0;
	$db->do("KILL $waits");
	$db->rollback;
	is $pair->()->{found}, undef, 'a runner that is killed before it says so has made nothing';
	runner();
	is $call->('GET')->{pages}[0]{status}, 'waiting', '... nobody else takes it meanwhile';
	# A busy machine may need more than one attempt.
	for (1 .. 3) {
		$db->do('UPDATE compare_picture SET due_at = 1 WHERE due_at IS NOT NULL');
		runner();
		last if $pair->()->{found};
	}
	my ($first) = @{$call->('GET')->{pages}};
	is_deeply [@$first{qw(path status)}, $first->{from}{height}, $first->{to}{height}, $first->{from}{boxes}],
		['index.html', 'made', 1000, 1200, []], 'made, each in its full height';
	is_deeply $first->{to}{boxes}, [{ x => 0, y => 400, w => 1280, h => 200 }], 'what was inserted is one box';
	is $api->call(GET => $first->{to}{url} =~ s{^https://[^/]+}{}r, { token => $ann->{token} })->{status}, 200, 'and its picture is there';
};

finish($stack);
