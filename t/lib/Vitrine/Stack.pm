# SPDX-License-Identifier: Apache-2.0
# A whole private stack: MariaDB, the worker pool, nginx with TLS. ./dev keeps one under var/; each test file makes its own and, when it
# ends, also asserts that nothing went wrong that the test did not announce.
package Vitrine::Stack;
use strict;
use warnings;
use Cwd qw(abs_path getcwd);
use DBI;
use Vitrine::Db;
use Digest::SHA;
use Encode 'encode_utf8';
use File::Basename 'dirname';
use File::Path qw(make_path remove_tree);
use File::Temp 'tempdir';
use IO::Socket::INET;
use IO::Socket::UNIX;
use IPC::Open2;
use MIME::Base64;
use POSIX qw(:sys_wait_h);
use Time::HiRes qw(sleep time);

my $TOP = $ENV{VITRINE_TOP} // abs_path(dirname(__FILE__) . '/../../..');
my $VAR = $ENV{VITRINE_VAR} // "$TOP/var";
my $API_HOST = 'vitrine.localhost';
my $CONTENT = 'pages.localhost';
my $LOG_SIZE = '16M'; # each stack copies it
my @DAEMONS = qw(db worker nginx runner mail mail-page);

sub slurp { open my $f, '<', $_[0] or return ''; local $/; my $s = <$f>; return $s // '' }
sub spew { my ($path, $text) = @_; open my $f, '>', $path or die "$path: $!\n"; print $f $text; close $f or die "$path: $!\n" }
# A folder below $dir with files given as path => bytes; gives its path. Names may be in any script.
sub folder {
	my ($dir, $where, %files) = @_;
	make_path(encode_utf8("$dir/$where"));
	for (sort keys %files) {
		my $path = encode_utf8("$dir/$where/$_");
		make_path($path =~ s{/[^/]*$}{}r);
		spew($path, $files{$_});
	}
	return "$dir/$where";
}
sub run { my @cmd = @_; system(@cmd) == 0 or die "@cmd: failed with $?\n" }

# Installs the programs in a folder of their own, where stacks from now on find them, and where replace_program() can change them. Gives the
# folder of those that were built.
sub install_programs {
	my $built = $ENV{VITRINE_BUILD} // "$VAR/build-test";
	$ENV{VITRINE_BUILD} = tempdir('vitrine-bin-XXXXXX', TMPDIR => 1, CLEANUP => 1);
	replace_program($ENV{VITRINE_BUILD}, $built, $_) for qw(vitrine vitrine-worker vitrine-runner vitrinectl);
	return $built;
}
# As packages do: under another name first.
sub replace_program {
	my ($bin, $built, $name) = @_;
	run('cp', "$built/$name", "$bin/$name.new");
	rename "$bin/$name.new", "$bin/$name" or die "$bin/$name: $!\n";
}

# A secret as the service makes them (base/id.h): the prefix, 43 characters, by chance unless given, and six by which a slip is found.
sub secret {
	my ($prefix, $body) = @_;
	my @base62 = (0 .. 9, 'A' .. 'Z', 'a' .. 'z');
	my $bare = $prefix . ($body // join '', map { $base62[rand 62] } 1 .. 43);
	return $bare . join '', map { $base62[$_ % 62] } (unpack 'C*', Digest::SHA::sha256($bare))[0 .. 5];
}

# A port that nobody listens on and that no other run of this claims, in any clone and of any user: a socket of the abstract namespace has
# its number until this process ends, by when what it is for listens or is over. Without $port, one by chance below those that the kernel
# gives to connections. Undef if $port is taken.
my @claims;
sub free_port {
	my ($port) = @_;
	for (1 .. ($port ? 1 : 100)) {
		open my $random, '<:raw', '/dev/urandom' or die;
		read $random, my $bytes, 2;
		my $number = $port // 10_240 + unpack('S', $bytes) % 22_000;
		my $claim = IO::Socket::UNIX->new(Listen => 1, Local => "\0vitrine-port-$number") // next;
		IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1', LocalPort => $number) // next;
		push @claims, $claim;
		return $number;
	}
	return undef;
}

# ---- the parts; $s->{dir} holds data and configuration, $s->{run} the sockets (short, since a unix socket's path is).
# A machine of a cluster (Vitrine::Machine) also has an address, and a command under which its programs run: within.

sub write_conf {
	my ($s) = @_;
	my %conf = (
		base_url => "https://$API_HOST:$s->{port}", content_domain => $CONTENT, content_port => $s->{port},
		data_dir => "$s->{dir}/data",
		db_socket => "$s->{run}/db.sock", db_password_file => "$s->{dir}/db-password", db_name => 'vitrine',
		socket => "$s->{run}/worker.sock", slow_socket => "$s->{run}/slow.sock", line_socket => "$s->{run}/line.sock",
		slow_workers => $s->{workers},
		metrics_socket => "$s->{run}/metrics.sock", limits_file => "$s->{dir}/limits", key_file => "$s->{dir}/key",
		views_log => "$s->{dir}/views", plans_file => "$TOP/etc/plans.yaml", egress_ca_file => "$s->{tls}/ca.pem",
		workers => $s->{workers},
		# A test starts none of the runner's rooms unless it says so.
		($s->{owner} ? (map { $_ => '"-"' } qw(builder chromium previews)) : ()), %{$s->{conf} // {}});
	spew("$s->{dir}/vitrine.yaml", join '', map { "$_: $conf{$_}\n" } sort keys %conf);
}

sub write_nginx {
	my ($s) = @_;
	my $conf = "$s->{dir}/nginx";
	my $data = $s->{conf}{data_dir} // "$s->{dir}/data";
	make_path($conf, "$s->{dir}/data");
	my $address = $s->{address} // '127.0.0.1';
	$s->ctl('nginx', $conf, '--listen', "$address:$s->{port}", ($s->{http} ? ('--http', "$address:$s->{http}") : ()),
		($s->{proxied} ? ('--proxied', "$address:$s->{proxied}") : ()),
		'--cert', "$s->{tls}/cert.pem", '--key', "$s->{tls}/key.pem");
	my %value = (DATA => $data, RUN => $s->{run}, CONF => $conf, USER => $> == 0 ? 'user root;' : '');
	(my $text = slurp("$TOP/nginx/nginx-dev.conf.in")) =~ s/\@([A-Z_]+)\@/$value{$1}/g;
	spew("$conf/nginx-dev.conf", $text);
}

# The folder with the certificates of all tests.
sub test_tls { make_tls("$VAR/tls-test"); return "$VAR/tls-test" }

# A certificate for our hosts, and for others, such as 'IP:10.0.0.1'.
sub make_tls {
	my ($dir, @others) = @_;
	make_path($dir);
	# Tests that begin together want one.
	open my $lock, '>', "$dir/lock" or die;
	flock $lock, 2;
	return if -f "$dir/cert.pem";
	my $log = "$dir/openssl.log";
	run("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 -subj '/CN=Vitrine development CA' "
		. "-keyout $dir/ca-key.pem -out $dir/ca.pem 2>$log");
	spew("$dir/ext",
		'subjectAltName=' . join(',', "DNS:$API_HOST", "DNS:*.$CONTENT", 'DNS:localhost', @others)
		. "\nbasicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\n");
	run("openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj '/CN=$API_HOST' -keyout $dir/key.pem -out "
		. "$dir/csr.pem 2>>$log");
	run("openssl x509 -req -in $dir/csr.pem -CA $dir/ca.pem -CAkey $dir/ca-key.pem -CAcreateserial -days 825 -extfile $dir/ext "
		. "-out $dir/cert.pem 2>>$log");
}

sub within { my ($s) = @_; return @{$s->{within} // []} }

sub spawn {
	my ($s, $name, $log, @cmd) = @_;
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		POSIX::setsid();
		open STDIN, '<', '/dev/null';
		open STDOUT, '>>', $log or die;
		open STDERR, '>>', $log or die;
		$ENV{VITRINE_SHARE} = $TOP;
		unshift @cmd, $s->within;
		exec @cmd or POSIX::_exit(127);
	}
	$s->{pids}{$name} = $pid;
	spew("$s->{dir}/$name.pid", "$pid\n");
	return $pid;
}

sub wait_for {
	my ($what, $seconds, $ready) = @_;
	my $began = time;
	while ((my $waited = time - $began) < $seconds) {
		return 1 if $ready->();
		# What takes long is asked less often, since asking takes from it.
		sleep 0.02 + ($waited < 2 ? $waited : 2) / 10;
	}
	die "$what did not get ready in $seconds s\n";
}

sub as_me { return $> == 0 ? ('--user=root') : () }

sub install_db {
	my ($s, $datadir) = @_;
	run(join ' ', 'mariadb-install-db --no-defaults', as_me(), "--datadir=$datadir --auth-root-authentication-method=socket",
		"--innodb-log-file-size=$LOG_SIZE", '--skip-test-db', '--auth-root-socket-user=' . getpwuid($>), ">$datadir.log 2>&1");
}

# The tables of the stack's database, and the rows of schema_migration, as SQL; and the way back, into a database that is empty.
sub mariadb_at {
	my ($s, $program) = @_;
	return "$program --no-defaults --protocol=socket --socket=$s->{run}/db.sock --user=" . getpwuid $>;
}
sub schema_dump {
	my ($s) = @_;
	my $dump = $s->mariadb_at('mariadb-dump') . ' --skip-comments --skip-dump-date --skip-extended-insert';
	my $said = qx($dump --no-data vitrine && $dump --no-create-info vitrine schema_migration);
	die "mariadb-dump: failed with $?\n" if $?;
	return $said;
}
sub schema_load {
	my ($s, $sql) = @_;
	open my $to, '|-', $s->mariadb_at('mariadb') . ' vitrine' or die;
	print $to $sql;
	close $to or die "mariadb: failed with $?\n";
}

sub db_options {
	my ($s) = @_;
	return (as_me(), "--datadir=$s->{dir}/db", "--tmpdir=$s->{dir}/db-tmp", "--socket=$s->{run}/db.sock",
		"--pid-file=$s->{run}/db.pid", '--skip-networking', '--max-allowed-packet=64M', '--innodb-buffer-pool-size=64M',
		'--max-connections=300',
		"--innodb-log-file-size=$LOG_SIZE", '--character-set-server=utf8mb4', '--performance-schema=OFF',
		# See ./dev test.
		'--innodb-flush-log-at-trx-commit=' . ($ENV{VITRINE_DB_FLUSH} // 1),
		# Pages of migrations, which nobody reads again.
		'--innodb-buffer-pool-load-at-startup=OFF',
		# What the continuous backup needs; see archive_conf().
		($s->{archive} ? ("--log-bin=$s->{dir}/db/binlog", '--binlog-format=ROW', '--sync-binlog=1',
			'--innodb-flush-log-at-trx-commit=1', '--gtid-strict-mode=ON') : ()),
		# As docs/operations.md advises for a small machine.
		'--innodb-log-buffer-size=1M', '--key-buffer-size=64K', '--aria-pagecache-buffer-size=1M',
		# With a test's ten connections, fewer would be closed and opened all the time.
		'--table-open-cache=2000');
}

sub db_command { my ($s) = @_; return ('mariadbd', '--no-defaults', $s->db_options) }

sub start_db {
	my ($s) = @_;
	my $fresh = !-d "$s->{dir}/db/mysql";
	$s->install_db("$s->{dir}/db") if $fresh;
	# Another that begins clears a folder that they had in common.
	make_path("$s->{dir}/db-tmp");
	local $ENV{MALLOC_ARENA_MAX} = 1;
	$s->spawn('db', "$s->{dir}/db.log", $s->db_command);
	wait_for('MariaDB', 60, sub {
		waitpid($s->{pids}{db}, WNOHANG) == 0 or die "mariadbd ended:\n" . slurp("$s->{dir}/db.log");
		$s->{admin} = DBI->connect("dbi:MariaDB:mariadb_socket=$s->{run}/db.sock", scalar getpwuid($>), '',
			{ PrintError => 0, RaiseError => 0 });
	});
	$s->make_db_user;
}

# The database of the workers, and who they are to it.
sub make_db_user {
	my ($s) = @_;
	my $secret = "$s->{dir}/db-password";
	if (!-s $secret) {
		open my $random, '<', '/dev/urandom' or die;
		read $random, my $bytes, 16;
		umask 077;
		spew($secret, unpack('H*', $bytes) . "\n");
	}
	chomp(my $password = slurp($secret));
	$s->{admin}->do($_) or die "$_: " . $s->{admin}->errstr for 'CREATE DATABASE IF NOT EXISTS vitrine CHARACTER SET utf8mb4',
		"CREATE OR REPLACE USER vitrine\@localhost IDENTIFIED BY '$password'", 'GRANT ALL ON vitrine.* TO vitrine@localhost',
		($s->{archive} ? ("CREATE OR REPLACE USER vitrine_log\@localhost IDENTIFIED BY '$password'",
			'GRANT REPLICATION SLAVE, BINLOG MONITOR ON *.* TO vitrine_log@localhost') : ());
}

# Settings of the continuous backup, into a folder beside the stack's data.
sub archive_conf {
	my ($s) = @_;
	make_path("$s->{dir}/archived");
	if (!-s "$s->{dir}/backup-key") {
		open my $random, '<:raw', '/dev/urandom' or die;
		read $random, my $bytes, 32;
		umask 077;
		spew("$s->{dir}/backup-key", $bytes);
	}
	return (backup_url => "file://$s->{dir}/archived", backup_key_file => "$s->{dir}/backup-key",
		backup_db_password_file => "$s->{dir}/db-password");
}

sub worker_command { my ($s) = @_; return ("$s->{build}/vitrine-worker", '-c', "$s->{dir}/vitrine.yaml") }

# A folder with a program of that name that runs ours behind other words, for `local $stack->{build}`.
our $NO_NAMESPACES = q{unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_user_namespaces; exec "$0" "$@"'};
sub wrapped {
	my ($s, $program, $words) = @_;
	my $dir = "$s->{dir}/wrapped";
	make_path($dir);
	spew("$dir/$program", qq(#!/bin/sh\nexec $words $s->{build}/$program "\$\@"\n));
	chmod 0755, "$dir/$program";
	return $dir;
}

# Looking for leaks takes a third of what a stack costs, so it is done where each route and lane is tried.
sub without_leaks {
	my ($s) = @_;
	my $looks = $s->{leaks} || $0 =~ m{t/(?:api|job)/|-page\.t$};
	return join ':', $ENV{ASAN_OPTIONS} // (), $looks ? () : 'detect_leaks=0';
}

sub start_worker {
	my ($s) = @_;
	local $ENV{ASAN_OPTIONS} = $s->without_leaks;
	local $ENV{VITRINE_SHARE} = $TOP;
	$s->spawn('worker', "$s->{dir}/worker.log", $s->worker_command);
	wait_for('the worker pool', 60, sub {
		waitpid($s->{pids}{worker}, WNOHANG) == 0 or die "vitrine-worker ended:\n" . slurp("$s->{dir}/worker.log");
		IO::Socket::UNIX->new("$s->{run}/worker.sock") && IO::Socket::UNIX->new("$s->{run}/slow.sock") && $s->workers('quick')
			&& $s->workers('slow');
	});
}

sub start_nginx {
	my ($s) = @_;
	run($s->within, 'nginx', '-q', '-e', "$s->{run}/nginx-error.log", '-c', "$s->{dir}/nginx/nginx-dev.conf");
	wait_for('nginx', 60, sub { -s "$s->{run}/nginx.pid" });
	($s->{pids}{nginx}) = slurp("$s->{run}/nginx.pid") =~ /(\d+)/;
}

# A runner that stays; more of them have other names. What it says is in runner.log.
sub start_runner {
	my ($s, $name, @args) = @_;
	local $ENV{ASAN_OPTIONS} = $s->without_leaks;
	return $s->spawn($name // 'runner', "$s->{dir}/runner.log", "$s->{build}/vitrine-runner", '-c', "$s->{dir}/vitrine.yaml",
		@args ? @args : '--stay');
}

# What is sent is kept in mail/ and shown on a page, for who tries things by hand.
sub start_mail {
	my ($s) = @_;
	my $dir = "$s->{dir}/mail";
	make_path($dir);
	for (qw(mail mail-page)) {
		next if $s->{pids}{$_};
		my $port = ($s->{port_of}{$_} //= $_ eq 'mail' ? 2525 : 8025);
		$port++ until free_port($port);
		$s->{port_of}{$_} = $port;
		spew("$s->{dir}/$_-port", "$port\n");
	}
	if (!-s "$dir/password") {
		open my $random, '<', '/dev/urandom' or die;
		read $random, my $bytes, 12;
		umask 077;
		spew("$dir/password", encode_base64($bytes, "\n"));
	}
	if (!$s->{pids}{mail}) {
		unlink "$dir/ports";
		$s->spawn('mail', "$s->{dir}/mail.log", "$TOP/t/lib/smtp-server", $dir, "$s->{tls}/cert.pem", "$s->{tls}/key.pem",
			$s->{port_of}{mail});
	}
	$s->spawn('mail-page', "$s->{dir}/mail.log", "$TOP/t/lib/mail-page", $dir, $s->{port_of}{'mail-page'}) if !$s->{pids}{'mail-page'};
	wait_for('the mail server', 60, sub {
		-e "$dir/ports" && IO::Socket::INET->new(PeerHost => '127.0.0.1', PeerPort => $s->{port_of}{'mail-page'});
	});
	return (smtp_url => "smtp://localhost:$s->{port_of}{mail}", smtp_user => 'tester', smtp_password_file => "$dir/password",
		smtp_ca_file => "$s->{tls}/ca.pem", mail_from => "Vitrine <no-reply\@$API_HOST>");
}

# Its lanes, name => process id.
sub lanes {
	my ($s, $name) = @_;
	my $parent = $s->{pids}{$name // 'runner'};
	return map { my ($lane) = slurp("/proc/$_/comm") =~ /^runner-(\w+)/; $lane ? ($lane => $_) : () } split ' ',
		slurp("/proc/$parent/task/$parent/children");
}

sub start {
	my ($s) = @_;
	make_path("$s->{dir}/data", $s->{run});
	make_tls($s->{tls});
	$s->start_db if !$s->{beside};
	$s->write_conf;
	$s->write_nginx;
	$s->start_worker;
	$s->start_nginx;
}

# One that has ended may wait long for whoever adopted it to ask how.
sub alive { my ($pid) = @_; return 0 if waitpid($pid, WNOHANG) == $pid; return (kill 0, $pid) && slurp("/proc/$pid/stat") !~ /\) Z / }

sub stop_one {
	my ($s, $name, $signal) = @_;
	my $pid = delete $s->{pids}{$name} or return;
	kill $signal // 'TERM', $pid;
	for (1 .. 1500) {
		return if !alive($pid);
		sleep 0.02;
	}
	kill 'KILL', $pid;
}

# The process ids of the workers; with 'packer', 'indexer' or 'line', that of this child.
sub workers {
	my ($s, $kind) = @_;
	my $parent = $s->{pids}{worker};
	return grep {
		my $name = -e "/proc/$_" ? slurp("/proc/$_/comm") : '';
		$kind ? $name =~ /^vitrine-$kind$/ : $name =~ /^vitrine-(?:quick|slow)$/;
	}
		split ' ', slurp("/proc/$parent/task/$parent/children");
}

# Kills the workers of a pool, or all, and returns when they are gone: until then one of them may still accept a request.
sub kill_workers {
	my ($s, $kind) = @_;
	my %killed = map { $_ => 1 } $s->workers($kind);
	kill KILL => keys %killed;
	wait_for('the death of the workers', 30, sub { !grep { $killed{$_} } $s->workers($kind) });
}

sub stop {
	my ($s) = @_;
	$s->end_forks;
	$s->stop_one($_) for (grep { /^runner/ } sort keys %{$s->{pids}}), qw(nginx worker db mail mail-page);
}

# ---- for tests

# Who is stopped from outside leaves nothing behind; a process forked from it just ends.
my ($owner, $stopped);
sub let_go {
	my ($signal) = @_;
	if ($$ == ($owner // 0)) { $stopped = 1; exit 1 }
	$SIG{$signal} = 'DEFAULT';
	kill $signal, $$;
}

sub end_with_process { $owner = $$; $SIG{$_} //= \&let_go for qw(INT TERM HUP) }

sub new {
	my ($class, %conf) = @_;
	my $workers = delete $conf{workers} // 3;
	my $http = delete $conf{http};
	my $leaks = delete $conf{leaks};
	my ($archive, $beside) = map { delete $conf{$_} } qw(archive beside);
	my $s = bless { leaks => $leaks, archive => $archive, dir => tempdir('vitrine-XXXXXX', TMPDIR => 1),
		build => $ENV{VITRINE_BUILD} // "$VAR/build-test",
		workers => $workers,
		conf => \%conf, owner => $$, users => {} }, $class;
	end_with_process();
	$s->{run} = "$s->{dir}/run";
	$s->{tls} = "$VAR/tls-test";
	$s->{port} = free_port();
	$s->{http} = free_port() if $http;
	$s->{conf} = { $s->archive_conf, %{$s->{conf}} } if $archive;
	$s->use_of($beside) if $beside;
	$s->cached_db if !$beside;
	$s->start;
	return $s;
}

# beside => another stack: its database, its key, and its people.
sub use_of {
	my ($s, $other) = @_;
	$s->{conf} = { db_socket => "$other->{run}/db.sock", db_password_file => "$other->{dir}/db-password", %{$s->{conf}} };
	@{$s}{qw(beside users)} = ($other, $other->{users});
	run('cp', '-p', "$other->{dir}/key", "$s->{dir}/key");
}

# The user of a cluster's own lanes, and rows of its machines. $file gets the password.
sub make_cluster {
	my ($s, $file, %nodes) = @_;
	my $password = join '', map { ('a' .. 'z')[rand 26] } 1 .. 20;
	umask 077;
	spew($file, "$password\n");
	$s->{admin}->do($_) or die "$_: " . $s->{admin}->errstr for
		"CREATE OR REPLACE USER vitrine_cluster\@localhost IDENTIFIED BY '$password'",
		'GRANT SELECT, INSERT, UPDATE, DELETE ON vitrine.* TO vitrine_cluster@localhost',
		'GRANT READ ONLY ADMIN, CONNECTION ADMIN, PROCESS ON *.* TO vitrine_cluster@localhost',
		'GRANT SELECT ON mysql.* TO vitrine_cluster@localhost',
		map { "INSERT INTO vitrine.node (name, address, joined_at) VALUES ('$_', '$nodes{$_}', 0)" } sort keys %nodes;
}

# A migrated database, made once for all test files that have the same sql/ and what applies it.
sub cached_db {
	my ($s) = @_;
	make_path($VAR);
	open my $lock, '>', "$VAR/db-test.lock" or die;
	flock $lock, 2;
	make_tls($s->{tls});
	my $digest = Digest::SHA->new(256)->add($LOG_SIZE, map { slurp($_) } "$TOP/src/db/schema.c", sort glob "$TOP/sql/*.sql")->hexdigest;
	my $cache = "$VAR/db-test/$digest";
	$s->make_cached_db($cache) if !-d $cache;
	run('cp', '-a', '--sparse=always', $cache, "$s->{dir}/db");
}

sub make_cached_db {
	my ($s, $cache) = @_;
	# It is for all stacks, so it has no binary log.
	local $s->{archive} = 0;
	remove_tree("$VAR/db-test");
	make_path("$VAR/db-test", "$s->{dir}/data", $s->{run});
	$s->start_db;
	$s->write_conf;
	$s->ctl('migrate', 'apply');
	delete($s->{admin})->disconnect;
	$s->stop_one('db');
	run('cp', '-a', '--sparse=always', "$s->{dir}/db", "$cache.new");
	rename "$cache.new", $cache or die "$cache: $!\n";
	remove_tree("$s->{dir}/db");
}

sub env {
	my ($s) = @_;
	# The runner starts vitrinectl, which isn't beside the program of t/drive/forks.c.
	return (VITRINE_CONFIG => "$s->{dir}/vitrine.yaml", VITRINE_SHARE => $TOP, VITRINE_URL => "https://$API_HOST:$s->{port}",
		VITRINE_CA => "$s->{tls}/ca.pem", PATH => "$s->{build}:$ENV{PATH}");
}

# (exit status, stdout, stderr) of one of our programs. It runs in a fork of one process (t/drive/forks.c), but by itself in what was forked
# from a test, where that isn't built, and with leaks => 1, since only then leaks are looked for: that takes as long as most programs.
sub program {
	my ($s, $name, $env, @args) = @_;
	my $o = ref $args[-1] ? pop @args : {};
	my ($out, $err) = map { "$s->{dir}/$_" } 'stdout', 'stderr';
	my %env = (%ENV, $s->env, %$env);
	my @files = ($o->{stdin} // '/dev/null', $out, $err);
	my $status = $s->{leaks} || $s->{within} || $name eq 'vitrine-worker' || $$ != ($s->{owner} // 0) || !-x "$s->{build}/t/drive/forks"
		? $s->alone($name, \%env, \@files, @args) : $s->forked($name, \%env, \@files, @args);
	return ($status >> 8 || $status & 127, slurp($out), slurp($err));
}

sub alone {
	my ($s, $name, $env, $files, @args) = @_;
	my $pid = fork // die;
	if (!$pid) {
		%ENV = %$env;
		open STDIN, '<', $files->[0] or die;
		open STDOUT, '>', $files->[1] or die;
		open STDERR, '>', $files->[2] or die;
		my @cmd = ($s->within, "$s->{build}/$name", @args);
		exec @cmd or POSIX::_exit(127);
	}
	waitpid $pid, 0;
	return $?;
}

sub forked {
	my ($s, $name, $env, $files, @args) = @_;
	# One that all tests share (./dev test) has the files that this sees, too.
	if (!$s->{forks} && $ENV{VITRINE_FORKS} && readlink('/proc/self/ns/mnt') eq $ENV{VITRINE_FORKS_MOUNTS}) {
		my $all = IO::Socket::UNIX->new(Peer => $ENV{VITRINE_FORKS}) // die "t/drive/forks: $!\n";
		$s->{forks} = { from => $all, to => $all };
	}
	if (!$s->{forks}) {
		local $ENV{ASAN_OPTIONS} = join ':', $ENV{ASAN_OPTIONS} // (), 'detect_leaks=0';
		my $pid = open2(my $from, my $to, "$s->{build}/t/drive/forks");
		$s->{forks} = { pid => $pid, from => $from, to => $to };
	}
	my @variables = map { "$_=$env->{$_}" } grep { defined $env->{$_} } sort keys %$env;
	my $request = join '', map { utf8::is_utf8($_) ? encode_utf8("$_\0") : "$_\0" }
		@$files, getcwd(), scalar @variables, @variables, $name, @args;
	print { $s->{forks}{to} } length($request) . "\n$request";
	$s->{forks}{to}->flush;
	return readline($s->{forks}{from}) // die "t/drive/forks ended at $name @args\n";
}

sub end_forks {
	my ($s) = @_;
	my $forks = delete $s->{forks} or return;
	close $forks->{$_} for qw(from to);
	return if !$forks->{pid};
	kill 'TERM', $forks->{pid};
	waitpid $forks->{pid}, 0;
}

# What an operator does, without a failure.
sub ctl {
	my ($s, @args) = @_;
	my ($status, $out, $err) = $s->program('vitrinectl', {}, @args);
	die "vitrinectl @args: $status\n$out$err" if $status;
	chomp $out;
	return $out;
}

# The same with text on standard input.
sub ctl_in {
	my ($s, $text, @args) = @_;
	utf8::encode($text);
	spew("$s->{dir}/stdin", $text);
	return $s->ctl(@args, { stdin => "$s->{dir}/stdin" });
}

sub runner { my ($s, @args) = @_; return $s->program('vitrine-runner', {}, '--once', @args) }

sub client { my ($s, $token, @args) = @_; return $s->program('vitrine', { VITRINE_TOKEN => $token, HOME => $s->{dir} }, @args) }

# What the client says at a terminal to somebody who types that; $env as to program().
sub at_terminal {
	my ($s, $typed, $env, @args) = @_;
	my %env = ($s->env, HOME => $s->{dir}, %$env);
	spew("$s->{dir}/typed", $typed);
	my $line = join ' ', map { "'$_'" } 'env', (map { "$_=$env{$_}" } sort keys %env), "$s->{build}/vitrine", @args;
	return scalar `script -qec "$line" /dev/null < '$s->{dir}/typed'`;
}

sub user {
	my ($s, $email) = @_;
	return $s->{users}{$email} //= { email => $email, id => $s->ctl(qw(user add), $email),
		token => $s->ctl(qw(token mint --user), $email) };
}

# The secret of a token of a user, by their id: made by chance, as its other columns are where they aren't given.
sub token {
	my ($s, $user_id, $prefix, %is) = @_;
	my $secret = delete $is{secret} // secret($prefix);
	%is = (id => 'tok_' . join('', map { int rand 10 } 1 .. 26), user_id => $user_id, created_at => 0,
		expires_at => 4_000_000_000, %is);
	my @columns = sort keys %is;
	$s->db->do('INSERT INTO token (hash, ' . join(', ', @columns) . ') VALUES (UNHEX(SHA2(?, 256))' . ', ?' x @columns . ')',
		undef, $secret, @is{@columns});
	return $secret;
}

# Somebody has a role on an artifact, which they find once the runner has been.
sub collaborator {
	my ($s, $art, $who, $role) = @_;
	$s->db->do('INSERT INTO collaborator (artifact_id, user_id, role, created_at) VALUES (?, ?, ?, 0)', undef, $art, $who->{id}, $role);
	$s->db->do('INSERT IGNORE INTO search_due (kind, id) VALUES (1, ?)', undef, $art);
}

# Somebody is in a workspace, whatever its seats; they are found there once the runner has been.
sub seat {
	my ($s, $ws, $who, $role) = @_;
	$s->db->do('INSERT INTO member (workspace_id, user_id, role, joined_at) VALUES (?, ?, ?, 0)', undef, $ws, $who->{id}, $role);
	$s->db->do('UPDATE workspace SET people = people + 1 WHERE id = ?', undef, $ws) if $role ne 'agent';
	$s->db->do('INSERT IGNORE INTO search_due (kind, id) VALUES (?, ?)', undef, $role eq 'agent' ? 7 : 5, $who->{id});
}

sub db {
	my ($s) = @_;
	return $s->{beside}->db if $s->{beside};
	return $s->{dbh} //= DBI->connect("dbi:MariaDB:database=vitrine;mariadb_socket=$s->{run}/db.sock", scalar getpwuid($>), '',
		{ RootClass => 'Vitrine::Db', RaiseError => 1, PrintError => 0 });
}

sub expect_internal { $_[0]{internal_expected} = 1 }
sub expect_alert { my ($s, $like) = @_; $s->{alert_expected} = $like }

sub finish {
	my ($s) = @_;
	return if $s->{finished}++ || $s->{owner} != $$;
	require Test::More;
	$s->stop;
	my $worker = slurp("$s->{dir}/worker.log");
	my @bad = grep { /runtime error|AddressSanitizer|LeakSanitizer/ } split /\n/, $worker . slurp("$s->{dir}/runner.log");
	Test::More::is("@bad", '', 'no sanitizer report');
	@bad = grep { /\[(?:alert|crit|emerg)\]|\[error\].* (?:upstream prematurely|recv\(\)|readv\(\)|writev\(\))/
		&& !($s->{alert_expected} && /$s->{alert_expected}/) } split /\n/, slurp("$s->{run}/nginx-error.log");
	Test::More::is("@bad", '', 'no nginx alert');
	@bad = grep { /"level":"error"/ } split /\n/, $worker;
	Test::More::is("@bad", '', 'no internal error') unless $s->{internal_expected};
	my $failed = !Test::More->builder->is_passing;
	Test::More::diag("the wreck is in $s->{dir}\n" . join "\n", map { substr $_, 0, 500 } (split /\n/, $worker)[-5 .. -1])
		if $failed && $worker =~ /\n.*\n.*\n.*\n/;
	$s->{dbh}->disconnect if $s->{dbh};
	remove_tree($s->{dir}) unless $ENV{VITRINE_KEEP} || $failed;
}

# The stack goes with who made it, however that ends, and its folder too, unless a failed test's reader may want it.
sub DESTROY {
	my ($s) = @_;
	return if ($s->{owner} // 0) != $$ || $s->{finished}++;
	local $?;
	my @groups = map { -$_ } values %{$s->{pids}};
	$s->stop;
	kill 'KILL', @groups;
	$s->{dbh}->disconnect if $s->{dbh};
	remove_tree($s->{dir}) unless $ENV{VITRINE_KEEP} || ($INC{'Test/More.pm'} && !$stopped);
}

# ---- for ./dev

sub load {
	my ($var) = @_;
	my $s = bless { dir => $var, build => "$var/build", workers => 4, tls => "$var/tls" }, __PACKAGE__;
	($s->{run}) = slurp("$var/run-dir") =~ /(.+)/;
	($s->{port}) = slurp("$var/port") =~ /(\d+)/;
	($s->{port_of}{$_}) = slurp("$var/$_-port") =~ /(\d+)/ for qw(mail mail-page);
	for my $name (@DAEMONS) {
		my ($pid) = slurp("$var/$name.pid") =~ /(\d+)/;
		# A number that another process has taken since is not ours.
		$s->{pids}{$name} = $pid if $pid && slurp("/proc/$pid/cmdline") =~ /\Q$var\E/;
	}
	return $s;
}

sub up {
	my ($s) = @_;
	make_path($s->{dir});
	if (!$s->{run} || !-d $s->{run}) {
		$s->{run} = length $s->{dir} < 80 ? "$s->{dir}/run" : tempdir('vitrine-XXXXXX', TMPDIR => 1);
		spew("$s->{dir}/run-dir", "$s->{run}\n");
	}
	if (my $want = $ENV{VITRINE_PORT}) {
		$s->stop_one('nginx') if $want != ($s->{port} // 0);
		$s->{port} = $want;
	}
	if (!$s->{pids}{nginx}) {
		my $port = $s->{port} // 8443;
		$port++ until $ENV{VITRINE_PORT} || free_port($port);
		$s->{port} = $port;
	}
	spew("$s->{dir}/port", "$s->{port}\n");
	make_path("$s->{dir}/data", $s->{run});
	make_tls($s->{tls});
	$s->{archive} = $ENV{VITRINE_ARCHIVE};
	# One that was started without it writes no log.
	$s->stop_one('db') if $s->{archive} && !-e "$s->{dir}/db/binlog.index";
	$s->start_db if !$s->{pids}{db};
	$s->{conf} = { $s->start_mail, $s->{archive} ? $s->archive_conf : () };
	$s->write_conf;
	$s->write_nginx;
	$s->ctl('migrate', 'apply');
	# Always the pool and the runner that were just built.
	$s->stop_one($_) for qw(runner worker);
	$s->start_worker;
	$s->start_runner;
	if ($s->{pids}{nginx}) { kill 'HUP', $s->{pids}{nginx} }
	else { $s->start_nginx; spew("$s->{dir}/nginx.pid", "$s->{pids}{nginx}\n") }
	$s->first_user;
}

sub first_user {
	my ($s) = @_;
	if (!-s "$s->{dir}/token") {
		umask 077;
		$s->program('vitrinectl', {}, qw(user add demo@example.org --name Demo));
		spew("$s->{dir}/token", $s->ctl(qw(token mint --user demo@example.org --name dev)) . "\n");
	}
	chomp(my $token = slurp("$s->{dir}/token"));
	my $url = slurp("$s->{dir}/example-url");
	if (!$url) {
		my ($status, $out, $err) = $s->client($token, 'publish', "$TOP/etc/example-site", '--slug', 'example', '--name',
			'Example site',
			'--visibility', 'public');
		die "publishing the example site failed:\n$err" if $status;
		spew("$s->{dir}/example-url", $url = $out);
	}
	if (!-s "$s->{dir}/demo-password") {
		umask 077;
		# One in some thousands has a pattern by chance, and is refused.
		for my $try (1 .. 10) {
			open my $random, '<', '/dev/urandom' or die;
			read $random, my $bytes, 12;
			spew("$s->{dir}/demo-password.new", encode_base64($bytes, "\n"));
			my ($status, undef, $err) = $s->program('vitrinectl', {}, qw(user password demo@example.org),
				{ stdin => "$s->{dir}/demo-password.new" });
			last if !$status;
			die $err if $try == 10;
		}
		rename "$s->{dir}/demo-password.new", "$s->{dir}/demo-password" or die;
	}
	print $url;
	print STDERR "To sign in: https://$API_HOST:$s->{port}/ as demo\@example.org with the password ", slurp("$s->{dir}/demo-password");
	print STDERR "Mail that it sends: http://localhost:$s->{port_of}{'mail-page'}/\n";
	print STDERR "A browser needs to trust $s->{tls}/ca.pem. Try: curl --cacert $s->{tls}/ca.pem $url";
	# curl and browsers know by themselves where names below .localhost lead.
	my @unknown = grep { !gethostbyname $_ } $API_HOST, "example.$CONTENT";
	print STDERR "Other programs, such as agents' clients on Node.js, look names up and don't find these here. "
		. "As root: echo '127.0.0.1 @unknown' >>/etc/hosts\n" if @unknown;
	print STDERR "For Node.js: export NODE_EXTRA_CA_CERTS=$s->{tls}/ca.pem\n";
}

sub main {
	my ($command, $var) = @_;
	my $s = load($var);
	if ($command eq 'up') { $s->up }
	elsif ($command eq 'down') {
		$s->stop;
		unlink map { "$var/$_.pid" } @DAEMONS;
	} else {
		die "dev: nothing is set up here; ./dev up first\n" if !$s->{port};
		my %env = ($s->env, VITRINE_CONTENT_DOMAIN => $CONTENT, VITRINE_CONTENT_PORT => $s->{port},
			VITRINE_TOKEN => slurp("$var/token") =~ s/\s//gr,
			VITRINE_DB_SOCKET => "$s->{run}/db.sock", VITRINE_DATA => "$var/data",
			VITRINE_MAIL => "http://localhost:$s->{port_of}{'mail-page'}/");
		print "export $_='$env{$_}'\n" for sort keys %env;
		print "export PATH='$s->{build}':\"\$PATH\"\n";
	}
}

1;
