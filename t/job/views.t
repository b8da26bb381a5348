# SPDX-License-Identifier: Apache-2.0
# Views of pages: which requests nginx notes, what it does not note of them, and that the runner counts each once, whenever it is killed and however many
# runners there are.
use POSIX ();
use Time::HiRes qw(sleep time);
use Vitrine::Visitor;
use MIME::Base64;
use Vitrine::Words;

my ($stack, $api, $db) = stack(publish_per_hour => 10_000);
my $ann = $stack->user('ann@example.org');
$stack->ctl_in("the password\n", qw(user password ann@example.org));
my $log = "$stack->{dir}/views";
my $today = int(time / 86400);

sub lines { return split /\n/, Vitrine::Stack::slurp($log) =~ s/^\0+//r }
sub noted { my ($n, $what) = @_; Vitrine::Stack::wait_for($what, 60, sub { lines() >= $n }); return (lines())[-1] =~ s/^\S+ //r }
sub append { open my $f, '>>', $log or die; print $f @_; close $f or die }
sub line { my ($slug, $more, $at) = @_; return sprintf "%.3f %s %s\n", $at // time, $slug, $more // 'v p h' }
sub run_of { return (grep { $_->{event} eq 'run' } map { decode_json($_) } grep { /^\{/ } split /\n/, $_[0])[0] }
sub runner {
	my ($status, undef, $err) = $stack->runner;
	is $status, 0, 'the runner ran' or diag $err;
	return run_of($err);
}
# views, of the front page, of a version's own address, by programs: of all days
sub counted {
	return join ' ', map { $_ // 0 } $db->selectrow_array('SELECT SUM(views), SUM(entry_views), SUM(version_views), SUM(bot_views) FROM view_day d JOIN artifact a ON a.id = d.artifact_id'
		. ' WHERE a.slug = ?', undef, $_[0]);
}
sub started {
	my ($conf) = @_;
	my $pid = fork // die;
	return $pid if $pid;
	open STDERR, '>>', "$stack->{dir}/runner.log";
	exec "$stack->{build}/vitrine-runner", '-c', $conf // "$stack->{dir}/vitrine.yaml", '--once' or POSIX::_exit(127);
}
sub fsck { chomp(my $said = ($stack->program('vitrinectl', {}, 'fsck'))[1]); return $said }

my %site = ('index.html' => 'front', 'about.html' => 'about', 'old.html' => { content => encode_base64("<meta charset=windows-1252>\xf6", ''), encoding => 'base64' }, 'docs/index.html' => 'docs', 'style.css' => 'p{}', 'data.json' => '{}', 'odd.page' => { content => 'odd', mime => 'text/html' });
my $art = $api->publish($ann, slug => 'site', visibility => 'public', routing => 'spa', files => \%site);
my $secret = $api->publish($ann, slug => 'secret', visibility => 'private', files => { 'index.html' => 'secret', 'a.css' => 'p{}' });

subtest 'what is a view' => sub {
	my $etag = $api->get_site('site', '/about.html')->{headers}{etag};
	my @views = (
		['the front page', 'v e h', '/'], ['with a query', 'v e h', '/?utm=x'], ['a page', 'v p h', '/about.html'], ['by its clean address', 'v p h', '/about'], ['one in another character set', 'v p h', '/old'],
		['a folder', 'v p h', '/docs/'], ['a page that has not changed', 'v p h', '/about.html', 'If-None-Match' => $etag],
		['the front page that has not changed', 'v e h', '/', 'If-None-Match' => $api->get_site('site', '/')->{headers}{etag}],
		['an address that the page itself answers', 'v p h', '/some/where', Accept => 'text/html', 'Sec-Fetch-Mode' => 'navigate', 'Sec-Fetch-Dest' => 'document'],
		['a page of a declared type', 'v p h', '/odd.page'], ['in a frame', 'v p h', '/about.html', 'Sec-Fetch-Dest' => 'iframe'],
		['a crawler', 'v e b', '/', 'User-Agent' => 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'],
		['a program', 'v p b', '/about.html', 'User-Agent' => 'curl/7.88.1'],
		(map { ["the preview of a chat or office program: $_", 'v e b', '/', 'User-Agent' => $_] } 'WhatsApp/2.23.20.0 A', 'TelegramBot (like TwitterBot)', 'facebookexternalhit/1.1;line-poker/1.0',
			'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5', 'Mozilla/4.0 (compatible; ms-office; MSOffice 16)', 'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.5; Pro)',
			'LinkedInBot/1.0 (compatible; Mozilla/5.0; +http://www.linkedin.com)', 'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)'),
		(map { ["a checker of links or mail: $_", 'v e b', '/', 'User-Agent' => $_] } 'LinkChecker/10.2 (+https://linkchecker.github.io/linkchecker/)', 'W3C-checklink/5.0', 'Mozilla/5.0 (compatible; BarracudaCentral Scanner)'),
		['a browser within Telegram', 'v e h', '/', 'User-Agent' => 'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36 Telegram-Android/11.1'],
		['a browser', 'v e h', '/', 'User-Agent' => 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0', 'Sec-Fetch-Dest' => 'document'],
	);
	my $n = 2;
	noted($n, 'those that were asked for their tags');
	for (@views) {
		my ($what, $want, $path, %headers) = @$_;
		my $r = $api->get_site('site', $path, %headers);
		like $r->{status}, qr/^(?:200|304)$/, "$what is served";
		is noted(++$n, $what), "site $want", "$what is a view";
	}
	is $api->get_site('site--v1', '/')->{body}, 'front';
	is noted(++$n, 'a version'), 'site v1 e h', "a version's own address";

	my $v = Vitrine::Visitor->new($api);
	$v->sign_in('ann@example.org', 'the password');
	is $v->go('/auth/view?to=' . Vitrine::Visitor::escape("https://secret.pages.localhost:$stack->{port}/"))->{body}, 'secret';
	is noted(++$n, 'a private page'), 'secret v e h', 'a private page, which a worker lets nginx send; its owner counts as anybody';
	$v->send(GET => "https://secret.pages.localhost:$stack->{port}/a.css");

	$api->get_site('site', $_) for '/style.css', '/data.json', '/missing.png', '/docs', '/_vitrine/nothing';
	$api->get_site('site', '/', $_->[0] => $_->[1]) for ['Sec-Purpose' => 'prefetch'], ['Sec-Purpose' => 'prefetch;prerender'], [Purpose => 'prefetch'], ['X-Moz' => 'prefetch'],
		['Sec-Fetch-Dest' => 'empty'], ['Sec-Fetch-Dest' => 'serviceworker'];
	$api->get_site('site', '/about.html', Range => 'bytes=0-1');
	$api->get_site($_, '/') for 'secret', 'nothing-here', 'site--v9';
	$api->site($_, 'site', '/') for 'HEAD', 'POST';
	$api->get_site('site', '/style.css', 'If-None-Match' => $api->get_site('site', '/style.css')->{headers}{etag});
	$api->call(GET => '/');
	$api->get_site('site', "/v1/artifacts/$art");
	$api->get_site('site', '/about');
	is noted(++$n, 'the last'), 'site v p h';
	my @all = lines();
	is scalar(@all), $n, 'no view: assets, data, what is missing, redirects, fetched ahead or by a script, ranges, walls, HEAD, POST, our own pages, the API'
		or diag join "\n", @all;
	is scalar(grep { !/^\d+\.\d{3} (?:site|secret) v1? [ep] [hb]$/ } lines()), 0, 'no address, path or agent is noted';
};

subtest 'counted once' => sub {
	is runner()->{views}{looked}, scalar(lines()), 'the runner reads all of them';
	my @had = (counted('site'), counted('secret'));
	is_deeply \@had, ['17 7 1 13', '1 1 0 0'], 'and adds them up';
	is_deeply [runner()->{views}, counted('site')], [undef, $had[0]], 'nothing is left to count';
	append(substr my $whole = line('site'), 0, 20);
	is_deeply [runner()->{views}, counted('site')], [undef, $had[0]], 'a line that has no end yet waits';
	append(substr $whole, 20);
	is runner()->{views}{looked}, 1, 'for its end';
	is counted('site'), '18 7 1 13';
	append("garbage\n", "\n", "1.000 site v p\n", line('no-such-slug'), line('site', 'v x h'), line('site', 'v0 p h'), line('site', 'v p h more'), line('SITE'), line('site', 'v p h', time + 200_000),
		line("x'); DROP TABLE view_day; --"), 'x' x 5000, "\n", "a\0b\n", line('site'));
	is runner()->{views}{looked}, 13, 'what nginx does not write, and slugs that nobody has, are passed over';
	is counted('site'), '19 7 1 13', 'and what stands behind them is counted';
	$api->get_site('site', '/') for 1 .. 3;
	kill 'USR1', $stack->{pids}{nginx};
	$api->get_site('site', '/') for 1 .. 3;
	kill 'HUP', $stack->{pids}{nginx};
	$api->{kept} = {};
	$api->get_site('site', '/') for 1 .. 3;
	$api->{kept} = {};
	$stack->stop_one('nginx', 'QUIT');
	runner();
	is counted('site'), '28 16 1 13', 'a reload, files opened anew and an orderly end of nginx lose none';
	$stack->start_nginx;
};

subtest 'kept by day' => sub {
	my $old = $api->publish($ann, slug => 'old', visibility => 'public');
	append(map { line('old', 'v e h', 86400 * ($today - $_) + 43_200) } 0, 1, 1, 399, 400, 401);
	runner();
	is_deeply $db->selectall_arrayref('SELECT day, views FROM view_day WHERE artifact_id = ? ORDER BY day', undef, $old), [[$today - 399, 1], [$today - 1, 2], [$today, 1]],
		'each on its day; what is older than stats_days goes';
	$api->call(PATCH => "/v1/artifacts/$old", { token => $ann->{token}, json => { slug => 'renamed' } });
	append(line('old'), line('renamed'));
	runner();
	is $db->selectrow_array('SELECT SUM(views) FROM view_day WHERE artifact_id = ?', undef, $old), 6, 'a view from before a renaming is still its own';
	is fsck(), 'clean', 'fsck is content';
	$db->do('UPDATE view_day SET entry_views = views + 1 WHERE artifact_id = ? AND day = ?', undef, $old, $today);
	like fsck(), qr/^artifact $old: a day has more views of one part/, 'and finds what can not be';
	is $api->call(DELETE => "/v1/artifacts/$old?purge=1", { token => $ann->{token} })->{status}, 200, 'purged';
	append(line('renamed'));
	runner();
	is $db->selectrow_array('SELECT COUNT(*) FROM view_day WHERE artifact_id = ?', undef, $old), 0, 'a purge takes them away';
};

subtest 'killed at each system call' => sub {
	$api->publish($ann, slug => 'killed', visibility => 'public');
	Vitrine::Stack::wait_for('the outbox', 60, sub { !$db->selectrow_array('SELECT COUNT(*) FROM outbox') });
	# A process that is traced can't check itself for leaks.
	local $ENV{ASAN_OPTIONS} = "$ENV{ASAN_OPTIONS}:detect_leaks=0";
	my $trace = "$stack->{dir}/trace";
	my $traced = sub { system('strace', '-qq', '-o', $trace, @_, "$stack->{build}/vitrine-runner", '-c', "$stack->{dir}/vitrine.yaml", '--once') };
	local $ENV{VITRINE_CONFIG} = "$stack->{dir}/vitrine.yaml";
	open my $err, '>&', \*STDERR or die;
	open STDERR, '>>', "$stack->{dir}/runner.log" or die;
	# All runs do the same, the one in which the calls are numbered too.
	$traced->();
	append(line('killed'));
	$traced->();
	my (%n, @calls, $inside);
	for (split /\n/, Vitrine::Stack::slurp($trace)) {
		my ($name) = /^(\w+)\(/ or next;
		$n{$name}++;
		$inside = 1 if /^open.*"\Q$log\E", O_RDWR/;
		push @calls, [$name, $n{$name}] if $inside;
		last if /^fallocate/ || @calls > 100;
	}
	my ($want, $killed) = (1, 0);
	for my $at (@calls) {
		append(map { line('killed', 'v e h') } 1 .. 200);
		$want += 200;
		$killed++ if $traced->('-e', "inject=$at->[0]:signal=KILL:when=$at->[1]") & 127;
	}
	open STDERR, '>&', $err or die;
	runner();
	ok @calls > 15, 'from opening the log to emptying it, at ' . @calls . ' instants';
	ok scalar(grep { $_->[0] eq 'pread64' } @calls), 'among them its reading';
	ok $killed > @calls * 3 / 4, "$killed of them were killed: not each call comes in each run";
	is counted('killed'), join(' ', $want, $want - 1, 0, 0), 'each view is counted once';
};

subtest 'killed at any instant, and several at once' => sub {
	my @slugs = ('site', 'secret', map { "s$_" } 1 .. 700);
	$api->publish($ann, slug => $_, visibility => 'public') for @slugs[2 .. 4];
	my %had = map { $_ => (split / /, counted($_))[0] } @slugs[0 .. 4];
	my (%want, $killed);
	# Another data_dir has other locks: nothing but the rows keeps these apart from the usual runner.
	(my $conf = Vitrine::Stack::slurp("$stack->{dir}/vitrine.yaml")) =~ s/^(data_dir: .*)$/$1-2/m;
	Vitrine::Stack::spew("$stack->{dir}/other.yaml", $conf);
	system('cp', '-a', "$stack->{dir}/data", "$stack->{dir}/data-2");
	my $rounds = 20;
	my $took = 0.3;
	for my $round (1 .. $rounds) {
		my $text = '';
		for (1 .. 5000) {
			my $slug = $slugs[rand @slugs];
			$want{$slug}++;
			$text .= line($slug);
		}
		# As nginx does, whose writes end where its buffer did: always a whole line.
		append($text);
		my $began = time;
		my @pids = (started(), started("$stack->{dir}/other.yaml"));
		if ($round % 10 == 0) {
			waitpid $_, 0 for @pids;
			$took = time - $began;
		}
		else {
			for my $pid (@pids) {
				sleep rand $took / 2;
				$killed += kill 'KILL', $pid;
				waitpid $pid, 0;
			}
		}
	}
	ok $killed > 20, "$killed runners were killed";
	runner();
	for my $slug (@slugs[0 .. 4]) { is +(split / /, counted($slug))[0] - ($had{$slug} || 0), $want{$slug}, "$slug has each view once" }
	is $db->selectrow_array('SELECT COUNT(*) FROM view_log'), 1, 'of one file';
};

subtest 'a flood' => sub {
	my ($slugs, $each) = (2000, 200);
	$db->do("INSERT INTO artifact (id, owner_id, name, slug, visibility, last_no, created_at, updated_at) SELECT CONCAT('art_', LPAD(seq, 26, 'F')), ?, 'F', CONCAT('f', seq), 'private', 0, 0, 0 FROM seq_1_to_$slugs", undef, $ann->{id});
	$db->do("INSERT INTO slug (slug, owner_id, artifact_id) SELECT slug, owner_id, id FROM artifact WHERE id LIKE 'art_FF%'");
	for (1 .. $each) { append(map { line("f$_", 'v e h') } 1 .. $slugs) }
	my $blocks = (stat $log)[12];
	my $size = -s $log;
	# What is freed is kept by the sanitizer for a while; not here.
	local $ENV{ASAN_OPTIONS} = "$ENV{ASAN_OPTIONS}:quarantine_size_mb=1";
	my ($most, $runs) = (0, 0);
	my $pid;
	do {
		$pid = started();
		$runs++;
		while (waitpid($pid, POSIX::WNOHANG()) == 0) {
			my ($kib) = Vitrine::Stack::slurp("/proc/$pid/status") =~ /VmHWM:\s+(\d+)/;
			$most = $kib if $kib && $kib > $most;
			sleep 0.02;
		}
	} while $runs < 10 && $db->selectrow_array('SELECT MIN(counted) FROM view_log') < $size;
	is_deeply $db->selectrow_arrayref("SELECT COUNT(*), MIN(views), MAX(views), SUM(views) FROM (SELECT SUM(views) AS views FROM view_day WHERE artifact_id LIKE 'art_FF%' GROUP BY artifact_id) x"),
		[$slugs, $each, $each, $slugs * $each], "all views of $slugs sites, in $runs runs";
	ok $most && $most < 128 << 10, "in $most KiB of memory";
	ok +(stat $log)[12] < 64 && $blocks > 10_000, 'and the disk has its room back';
	is -s $log, $size, 'though the file keeps its length, so nginx goes on where it was';
	$api->get_site('site', '/');
	my ($before) = split / /, counted('site');
	Vitrine::Stack::wait_for('the view', 60, sub { -s $log > $size });
	runner();
	is +(split / /, counted('site'))[0], $before + 1, 'as is seen by the next view';
	$db->do("DELETE FROM slug WHERE artifact_id LIKE 'art_FF%'");
	$db->do("DELETE FROM artifact WHERE id LIKE 'art_FF%'");
};

subtest 'another file, and none' => sub {
	my ($before) = split / /, counted('site');
	my $file = Vitrine::Stack::slurp($log);
	rename $log, "$log.1";
	is runner()->{views}, undef, 'no file is no failure';
	append(line('site'));
	runner();
	is +(split / /, counted('site'))[0], $before + 1, 'a new file begins at its beginning';
	append(map { line('site') } 1 .. 10);
	is runner()->{views}{looked}, 10, 'goes on';
	truncate $log, 0;
	is runner()->{views}, undef, 'has been emptied by somebody';
	append(map { line('site') } 1 .. 3);
	is runner()->{views}{looked}, 3, 'and is counted from its beginning again';
	kill 'USR1', $stack->{pids}{nginx};
	$stack->{conf} = { views_log => '"-"' };
	$stack->write_conf;
	$stack->write_nginx;
	unlike Vitrine::Stack::slurp("$stack->{dir}/nginx/site.conf"), qr/^access_log (?!off;)/m, 'with views_log: - nginx notes nothing';
	append(line('site'));
	is runner()->{views}, undef, 'and nothing is counted';
	for (['relative', qr/absolute path/], ['/views', qr/folder of its own/]) {
		$stack->{conf} = { views_log => $_->[0] };
		$stack->write_conf;
		my ($status, undef, $err) = $stack->program('vitrinectl', {}, 'nginx', "$stack->{dir}/made", qw(--cert c --key k));
		ok $status, "views_log: $_->[0] is refused";
		like $err, $_->[1], 'and it says why';
	}
	SKIP: {
		skip 'only root can give folders away', 1 if $>;
		mkdir "$stack->{dir}/theirs";
		chown 65534, 65534, "$stack->{dir}/theirs";
		$stack->{conf} = { views_log => "$stack->{dir}/theirs/views" };
		$stack->write_conf;
		like +($stack->program('vitrinectl', {}, 'nginx', "$stack->{dir}/made", qw(--cert c --key k)))[2], qr/can be changed by users other than root/, 'nor may its folder be somebody else\'s';
	}
};

finish($stack);
