# SPDX-License-Identifier: Apache-2.0
# Views of pages: which requests nginx notes, what it does not note of them, and that the runner counts each once. views-killed.t has the
# runner that is killed.
use Time::HiRes qw(sleep time);
use Vitrine::Views;
use Vitrine::Visitor;
use Vitrine::Words;

my ($stack, $api, $db, $ann, $art, $secret) = begin();
$stack->ctl_in("the password\n", qw(user password ann@example.org));
my $today = int(time / 86400);

subtest 'what is a view' => sub {
	my $etag = $api->get_site('site', '/about.html')->{headers}{etag};
	my @views = (
		['the front page', 'v e h', '/'], ['with a query', 'v e h', '/?utm=x'], ['a page', 'v p h', '/about.html'],
		['by its clean address', 'v p h', '/about'],
		['a page named as on old systems', 'v p h', '/short.htm'], ['a page named in capitals', 'v p h', '/LOUD.HTML'],
		['the front page by its name', 'v p h', '/index.html'], ['one in another character set', 'v p h', '/old'],
		['a folder', 'v p h', '/docs/'], ['a page that has not changed', 'v p h', '/about.html', 'If-None-Match' => $etag],
		['the front page that has not changed', 'v e h', '/', 'If-None-Match' => $api->get_site('site', '/')->{headers}{etag}],
		['an address that the page itself answers', 'v p h', '/some/where', Accept => 'text/html', 'Sec-Fetch-Mode' => 'navigate',
			'Sec-Fetch-Dest' => 'document'],
		['a page of a declared type', 'v p h', '/odd.page'], ['in a frame', 'v p h', '/about.html', 'Sec-Fetch-Dest' => 'iframe'],
		['a crawler', 'v e b', '/', 'User-Agent' => 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'],
		['a program', 'v p b', '/about.html', 'User-Agent' => 'curl/7.88.1'],
		(map { ["the preview of a chat or office program: $_", 'v e b', '/', 'User-Agent' => $_] } 'WhatsApp/2.23.20.0 A',
			'TelegramBot (like TwitterBot)', 'facebookexternalhit/1.1;line-poker/1.0',
			'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5',
			'Mozilla/4.0 (compatible; ms-office; MSOffice 16)',
			'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.5; Pro)',
			'LinkedInBot/1.0 (compatible; Mozilla/5.0; +http://www.linkedin.com)',
			'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)'),
		(map {
			["a checker of links or mail: $_", 'v e b', '/', 'User-Agent' => $_];
		} 'LinkChecker/10.2 (+https://linkchecker.github.io/linkchecker/)', 'W3C-checklink/5.0',
			'Mozilla/5.0 (compatible; BarracudaCentral Scanner)'),
		['a browser within Telegram', 'v e h', '/', 'User-Agent' => 'Mozilla/5.0 (Linux; Android 14; '
			. 'Pixel 8) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36 Telegram-Android/11.1'],
		['a browser', 'v e h', '/', 'User-Agent' => 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
			'Sec-Fetch-Dest' => 'document'],
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
	my $loud = "https://secret.pages.localhost:$stack->{port}/LOUD.HTML";
	my $tag = $v->send(GET => $loud)->{headers}{etag};
	is noted(++$n, 'a private page in capitals'), 'secret v p h', 'a private page named in capitals';
	is $v->send(GET => $loud, headers => { 'If-None-Match' => $tag })->{status}, 304;
	is noted(++$n, 'the same, not changed'), 'secret v p h', '... also if it has not changed';
	$v->send(GET => "https://secret.pages.localhost:$stack->{port}/a.css");

	$api->get_site('site', $_) for '/style.css', '/data.json', '/missing.png', '/docs', '/_vitrine/nothing';
	$api->get_site('site', '/', $_->[0] => $_->[1]) for ['Sec-Purpose' => 'prefetch'], ['Sec-Purpose' => 'prefetch;prerender'],
		[Purpose => 'prefetch'], ['X-Moz' => 'prefetch'],
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
	is scalar(@all), $n, 'no view: assets, data, what is missing, redirects, fetched ahead or by a script, ranges, walls, HEAD, POST, '
		. 'our own pages, the API'
		or diag join "\n", @all;
	is scalar(grep { !/^\d+\.\d{3} (?:site|secret) v1? [ep] [hb]$/ } lines()), 0, 'no address, path or agent is noted';
};

subtest 'counted once' => sub {
	is runner()->{views}{looked}, scalar(lines()), 'the runner reads all of them';
	my @had = (counted('site'), counted('secret'));
	is_deeply \@had, ['20 7 1 13', '3 1 0 0'], 'and adds them up';
	is_deeply [runner()->{views}, counted('site')], [undef, $had[0]], 'nothing is left to count';
	append(substr my $whole = line('site'), 0, 20);
	is_deeply [runner()->{views}, counted('site')], [undef, $had[0]], 'a line that has no end yet waits';
	append(substr $whole, 20);
	is runner()->{views}{looked}, 1, 'for its end';
	is counted('site'), '21 7 1 13';
	append("garbage\n", "\n", "1.000 site v p\n", line('no-such-slug'), line('site', 'v x h'), line('site', 'v0 p h'),
		line('site', 'v p h more'), line('SITE'), line('site', 'v p h', time + 200_000),
		line("x'); DROP TABLE view_day; --"), 'x' x 5000, "\n", "a\0b\n", line('site'));
	is runner()->{views}{looked}, 13, 'what nginx does not write, and slugs that nobody has, are passed over';
	is counted('site'), '22 7 1 13', 'and what stands behind them is counted';
	$api->get_site('site', '/') for 1 .. 3;
	kill 'USR1', $stack->{pids}{nginx};
	$api->get_site('site', '/') for 1 .. 3;
	kill 'HUP', $stack->{pids}{nginx};
	$api->{kept} = {};
	$api->get_site('site', '/') for 1 .. 3;
	$api->{kept} = {};
	$stack->stop_one('nginx', 'QUIT');
	runner();
	is counted('site'), '31 16 1 13', 'a reload, files opened anew and an orderly end of nginx lose none';
	$stack->start_nginx;
};

subtest 'kept by day' => sub {
	my $old = $api->publish($ann, slug => 'old', visibility => 'public');
	append(map { line('old', 'v e h', 86400 * ($today - $_) + 43_200) } 0, 1, 1, 399, 400, 401);
	runner();
	is_deeply $db->selectall_arrayref('SELECT day, views FROM view_day WHERE artifact_id = ? ORDER BY day', undef, $old),
		[[$today - 399, 1], [$today - 1, 2], [$today, 1]],
		'each on its day; what is older than stats_days goes';
	$api->call(PATCH => "/v1/artifacts/$old", { token => $ann->{token}, json => { slug => 'renamed' } });
	append(line('old'), line('renamed'));
	runner();
	is $db->selectrow_array('SELECT SUM(views) FROM view_day WHERE artifact_id = ?', undef, $old), 6,
		'a view from before a renaming is still its own';
	is fsck(), 'clean', 'fsck is content';
	$db->do('UPDATE view_day SET entry_views = views + 1 WHERE artifact_id = ? AND day = ?', undef, $old, $today);
	like fsck(), qr/^artifact $old: a day has more views of one part/, 'and finds what can not be';
	is $api->call(DELETE => "/v1/artifacts/$old?purge=1", { token => $ann->{token} })->{status}, 200, 'purged';
	append(line('renamed'));
	runner();
	is $db->selectrow_array('SELECT COUNT(*) FROM view_day WHERE artifact_id = ?', undef, $old), 0, 'a purge takes them away';
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
		like +($stack->program('vitrinectl', {}, 'nginx', "$stack->{dir}/made", qw(--cert c --key k)))[2],
			qr/can be changed by users other than root/, 'nor may its folder be somebody else\'s';
	}
};

finish($stack);
