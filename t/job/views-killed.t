# SPDX-License-Identifier: Apache-2.0
# Each view of a page is counted once, whenever the runner is killed, however many runners there are, and however many views.
use POSIX ();
use Time::HiRes qw(sleep time);
use Vitrine::Views;
use Vitrine::Words;

my ($stack, $api, $db, $ann) = begin();

subtest 'killed at each system call' => sub {
	$api->publish($ann, slug => 'killed', visibility => 'public');
	Vitrine::Stack::wait_for('the outbox', 60, sub { !$db->selectrow_array('SELECT COUNT(*) FROM outbox') });
	# A process that is traced can't check itself for leaks.
	local $ENV{ASAN_OPTIONS} = "$ENV{ASAN_OPTIONS}:detect_leaks=0";
	my $trace = "$stack->{dir}/trace";
	my $traced = sub {
		system('strace', '-qq', '-o', $trace, @_, "$stack->{build}/vitrine-runner", '-c', "$stack->{dir}/vitrine.yaml", '--once');
	};
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
	# A third of them, at another instant each time; all with VITRINE_TORTURE.
	my ($first, $step) = $ENV{VITRINE_TORTURE} ? (0, 1) : (int rand 3, 3);
	my @instants = map { $calls[$first + $step * $_] // () } 0 .. $#calls / $step;
	for my $at (@instants) {
		append(map { line('killed', 'v e h') } 1 .. 200);
		$want += 200;
		$killed++ if $traced->('-e', "inject=$at->[0]:signal=KILL:when=$at->[1]") & 127;
	}
	open STDERR, '>&', $err or die;
	runner();
	ok @calls > 15, 'from opening the log to emptying it, at ' . @calls . ' instants';
	ok scalar(grep { $_->[0] eq 'pread64' } @calls), 'among them its reading';
	ok $killed > @instants / 2, "$killed runners were killed at one: not each call comes in each run";
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
	my ($slugs, $each) = (2000, 100);
	$db->do("INSERT INTO artifact (id, owner_id, name, slug, visibility, last_no, created_at, updated_at) SELECT CONCAT('art_', "
		. "LPAD(seq, 26, 'F')), ?, 'F', CONCAT('f', seq), 'private', 0, 0, 0 FROM seq_1_to_$slugs", undef, $ann->{id});
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
	is_deeply $db->selectrow_arrayref("SELECT COUNT(*), MIN(views), MAX(views), SUM(views) FROM (SELECT SUM(views) AS views "
		. "FROM view_day WHERE artifact_id LIKE 'art_FF%' GROUP BY artifact_id) x"),
		[$slugs, $each, $each, $slugs * $each], "all views of $slugs sites, in $runs runs";
	ok $most && $most < 128 << 10, "in $most KiB of memory";
	ok +(stat $log)[12] < 64 && $blocks > 5_000, 'and the disk has its room back';
	is -s $log, $size, 'though the file keeps its length, so nginx goes on where it was';
	$api->get_site('site', '/');
	my ($before) = split / /, counted('site');
	Vitrine::Stack::wait_for('the view', 60, sub { -s $log > $size });
	runner();
	is +(split / /, counted('site'))[0], $before + 1, 'as is seen by the next view';
	$db->do("DELETE FROM slug WHERE artifact_id LIKE 'art_FF%'");
	$db->do("DELETE FROM artifact WHERE id LIKE 'art_FF%'");
};

finish($stack);
