# SPDX-License-Identifier: Apache-2.0
# What somebody could do who runs code of his own in a worker: each way out is tried in a process that is confined as workers are, and what
# workers need still works. The build of the tests is laxer where its sanitizers need that, so what is installed is tried too. Then the
# systemd unit.
use File::Path 'make_path';
use Socket;
use Vitrine::Unit;
use Vitrine::Words;

my $build = $ENV{VITRINE_BUILD};
my $SIGSYS = 31;
my $stack = Vitrine::Stack->new(workers => 2, slow_workers => 2);
my $dir = $stack->{dir};

# The workers of the pool that runs.
is(Vitrine::Api->new($stack)->call(GET => '/readyz')->{status}, 200, 'the pool answers');
my @workers = ($stack->workers, map { $stack->workers($_) } qw(packer indexer));
is scalar @workers, 6, 'it has two workers in each pool, a packer, and an indexer';
sub confined { my $s = Vitrine::Stack::slurp("/proc/$_[0]/status"); return $s =~ /^NoNewPrivs:\s+1$/m && $s =~ /^Seccomp:\s+2$/m }
for my $pid (@workers) {
	Vitrine::Stack::wait_for("worker $pid confined", 60, sub { confined($pid) });
	pass "worker $pid has a filter and can gain no privileges";
}

# The runner works on what a worker may have written. A process that is traced can't check itself for leaks.
system("ASAN_OPTIONS=detect_leaks=0 VITRINE_CONFIG=$dir/vitrine.yaml strace -qq -o $dir/runner.strace -e "
	. "trace=seccomp,prctl,landlock_restrict_self $build/vitrine-runner --once 2>$dir/runner.log");
is $?, 0, 'the runner ran';
like Vitrine::Stack::slurp("$dir/runner.strace"), qr/^seccomp\(SECCOMP_SET_MODE_FILTER, 0, \{len=\d+.*= 0$/m,
	'and was confined like a worker';

# Each lane of one that stays, too.
$stack->start_runner;
my %lanes;
Vitrine::Stack::wait_for('the lanes', 60, sub { %lanes = $stack->lanes; keys %lanes >= 8 });
for my $lane (sort keys %lanes) {
	Vitrine::Stack::wait_for("lane $lane confined", 60, sub { confined($lanes{$lane}) });
	pass "lane $lane has a filter and can gain no privileges";
}
$stack->stop_one('runner');

# The same file without the sanitizers' exceptions, in front of the library's own.
my $plain = "$dir/confine-plain";
my @flags = qw(-std=gnu11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -g -O1 -fno-pie -no-pie -Isrc -include src/base/banned.h);
my $libs = `pkg-config --libs json-c talloc libcrypto yaml-0.1 libutf8proc icu-uc icu-i18n libpng libpsl libseccomp` =~ s{\n}{}r . ' -lm';
system(join ' ', 'gcc', @flags, "-c -o $dir/confine.o src/base/confine.c && gcc", @flags,
	"-fsanitize=address,undefined -o $plain t/drive/confine.c $dir/confine.o",
	"$build/libvitrine.a", $libs) == 0 or die 'confine.c does not compile';

# What is printed, or the number of the signal.
sub try_it {
	my ($program, $thing, $file) = @_;
	my $data = "$dir/confined";
	system('rm', '-rf', $data);
	make_path($data);
	Vitrine::Stack::spew("$data/file", 'x');
	# Exceptions for the check for leaks are what the plain one is without.
	local $ENV{ASAN_OPTIONS} = ($ENV{ASAN_OPTIONS} // '') . ':handle_abort=0' . ($program eq $plain ? ':detect_leaks=0' : '');
	local $ENV{RES_OPTIONS} = 'timeout:1 attempts:1';
	my $pid = open my $out, '-|', $program, $data, $thing, $file // () or die;
	my $text = do { local $/; <$out> } // '';
	close $out;
	chomp $text;
	return $? & 127 ? 'signal ' . ($? & 127) : $text;
}

Vitrine::Stack::spew("$dir/secret", 'not to be read');
my ($has) = `$plain` =~ /(.*)/;
like $has, qr/seccomp/, 'the kernel has seccomp';
my $landlock = $has =~ /landlock/;
my $killed = "signal $SIGSYS";
my @things = (
	# as installed, under the sanitizers; ? where they need it themselves
	[exec => $killed, $killed], [fork => 'EPERM', $killed], [clone3 => 'ENOSYS', 'ENOSYS'], [trace => $killed, '?'],
	[signal => 'EPERM', $killed], [signal_io => 'EPERM', $killed],
	[namespace => $killed, $killed], [mount => $killed, $killed], [bpf => $killed, $killed], [uring => $killed, $killed],
	[memfd => 'EPERM', $killed],
	[packet => 'EPERM', $killed], [netlink => 'EAFNOSUPPORT', 'EAFNOSUPPORT'], [listen => 'EPERM', $killed], [bind => 'EPERM', $killed],
	[limit => 'EPERM', $killed], [code => 'EPERM', $killed], [code_later => 'EPERM', $killed], [code_anonymous => 'EPERM', $killed],
	['resolve', 'ok', 'ok', 'localhost'], ['resolve', 'ok', 'ok', 'no-such-host.vitrine.test'], [module => 'ok', 'ok'],
	[iconv => 'ok', 'ok'],
	[abort => 'signal 6', 'signal 6'], [store => 'ok', 'ok'], ['read', 'ok', 'ok', 'file'], ['list', 'ok', 'ok', '.'],
	['read', 'ok', 'ok', '/etc/hosts'], ['connect', 'ok', 'ok', "$stack->{run}/db.sock"],
);
push @things, map { [@$_[0, 1], $_->[1], $_->[2]] } (
	['read', 'EACCES', "$dir/secret"], ['write', 'EACCES', "$dir/secret"], ['write', 'EACCES', "$dir/new"],
	['write', 'EACCES', '/etc/hosts'],
	['list', 'EACCES', $dir], ['write', 'EACCES', "/proc/$$/mem"], ['write', 'EACCES', '/proc/self/mem']) if $landlock;
push @things, ['read', 'EACCES', '?', "/proc/$$/environ"] if $landlock;
for my $t (@things) {
	my ($thing, $installed, $sanitized, $file) = @$t;
	my $name = "$thing " . ($file // '');
	is try_it($plain, $thing, $file), $installed, "$name: $installed";
	is try_it("$build/t/drive/confine", $thing, $file), $sanitized, "$name: $sanitized under the sanitizers" if $sanitized ne '?';
}
is Vitrine::Stack::slurp("$dir/secret"), 'not to be read', 'what lies outside is as it was';
ok !-e "$dir/new", 'and nothing new is there';

# The units. systemd need not run for this.
my %text;
# The worker's parent may make namespaces and mounts, for the rooms in which apps are built.
for (['worker', 3], ['runner', 2]) {
	my ($name, $most) = @$_;
	my $unit = "$build/etc/vitrine-$name.service";
	my $text = $text{$name} = Vitrine::Stack::slurp($unit);
	my $report = `systemd-analyze security --offline=true --threshold=${most}0 --no-pager $unit 2>&1`;
	is $?, 0, "systemd finds the $name\'s unit exposed by less than $most.0" or diag $report;
	Vitrine::Stack::spew("$dir/vitrine-$name.service", $text =~ s{^(Exec\w+=)/\S+}{$1/bin/true}gmr =~ s/^Documentation=.*//mr);
	is `systemd-analyze verify --man=no $dir/vitrine-$name.service 2>&1` =~ s/^(?!.*vitrine-$name).*\n//gmr, '', 'and knows all of it';
	unlike $text, qr/^RestrictSUIDSGID=/m, 'openat2 is left to it';
}
like Vitrine::Stack::slurp("$build/etc/cron.d/vitrine"),
	qr/! systemctl --quiet is-enabled vitrine-runner\.service 2>\/dev\/null && \S+\/vitrine-runner .*--minute/,
	'which the crontab leaves the work to where it is enabled';

# Each call that workers keep, and those which confine them, must get past the unit's own filter.
my ($list) = Vitrine::Stack::slurp('src/base/confine.c') =~ /^static const int allowed\[\] = \{(.*?)^\};/ms;
my @confined = ($list =~ /SCMP_SYS\((\w+)\)/g, qw(socket fcntl clone clone3 mmap mprotect ioctl prlimit64 tgkill prctl execve setpriority),
	qw(seccomp landlock_create_ruleset
	landlock_add_rule landlock_restrict_self));
my %needed = (worker => [@confined, qw(bind listen chmod unlink link signalfd4 wait4 kill sendmsg getdents64)],
	runner => [@confined, 'ioprio_set']);
ok @confined > 90, 'the list was read';
for my $name (sort keys %needed) {
	my $may = Vitrine::Unit::permitted($text{$name});
	is join(' ', grep { !$may->{$_} } @{$needed{$name}}), '', "the filter of the $name\'s unit forbids nothing that it needs";
}
finish($stack);
