# SPDX-License-Identifier: Apache-2.0
# The continuous backup fails aloud: wrong settings and keys, holes, changed bytes, a clock that was set back, a full disk, a killed
# MariaDB, and a kill at system calls of a piece. What was copied restores all the same. ./dev torture N kills at N instants.
use FindBin;
use File::Temp 'tempdir';
BEGIN { exec 'unshare', ($> == 0 ? '-m' : '-rm'), $^X, "-I$FindBin::Bin/../lib", $0 or die "unshare: $!" if !$ENV{VITRINE_OWN_MOUNTS}++ }
use Time::HiRes qw(sleep time);
use Vitrine::Unit;
use Vitrine::Words;

my $disk = tempdir('vitrine-disk-XXXXXX', TMPDIR => 1, CLEANUP => 0);
system('mount', '-t', 'tmpfs', '-o', 'size=12m,mode=0755', 'vitrine', $disk) == 0 or die 'no file system of our own';
my $stack = Vitrine::Stack->new(archive => 1, backup_url => "file://$disk", backup_log_s => 1, publish_per_hour => 100000,
	smtp_url => 'smtp://localhost:1',
	mail_from => 'no-reply@example.org');
$stack->expect_internal;
$stack->expect_alert(qr/initgroups\(root, 0\) failed/);
my $api = Vitrine::Api->new($stack);
my $ann = $stack->user('ann@example.org');
my $art = $api->publish($ann, slug => 'kept', files => { 'index.html' => 'first' });
$stack->ctl(qw(user staff ann@example.org super));
my $n = 0;

sub change { $api->call(PUT => "/v1/data/$art/json", { token => $ann->{token}, json => { n => ++$n } }) }
sub stamp { my @t = gmtime $_[0]; return sprintf '%04d-%02d-%02dT%02d:%02d:%02dZ', $t[5] + 1900, $t[4] + 1, @t[3, 2, 1, 0] }
# After a change, when its second is over: that second.
sub settled { my $second = int time; sleep 0.01 while int time == $second; return $second }
sub log_copied { return $stack->ctl('backup', '--log') }
sub told { my ($name, @command) = @_; my ($status, $out, $err) = $stack->program('vitrinectl', {}, @command); return "$status $out$err" }
my $scratch = "$stack->{dir}/scratch";
sub restore_told { my ($to) = @_; return told('restore', 'restore', '--to', $to, '--scratch', $scratch) }
sub pieces { my ($of) = @_; return sort glob "$disk/$of/*" }
sub slurp { return Vitrine::Stack::slurp(@_) }
sub with_conf {
	my (%set) = @_;
	my $path = "$stack->{dir}/other.yaml";
	my $text = slurp("$stack->{dir}/vitrine.yaml");
	$text =~ s/^$_:.*/$_: $set{$_}/m for keys %set;
	Vitrine::Stack::spew($path, $text);
	return ('-c', $path);
}

like told('base', 'backup', '--base'), qr/^1 .*the log must be copied before/, 'no base without a log';
like log_copied(), qr/begins anew/, 'the log begins';
$stack->ctl('backup', '--base');
change();
log_copied();
my @second = settled();

# MariaDB's settings.
my %set = (sync_binlog => [0, 1], innodb_flush_log_at_trx_commit => [2, 1], gtid_strict_mode => [0, 1],
	binlog_format => ["'MIXED'", "'ROW'"]);
$stack->{admin}->do("SET GLOBAL $_ = $set{$_}[0]") for keys %set;
like told('doctor', 'doctor'), 
	qr/^FAIL  MariaDB keeps .*\n +fix: set binlog_format=ROW; sync_binlog=1; innodb_flush_log_at_trx_commit=1; gtid_strict_mode=ON/m,
	'doctor names wrong settings';
$stack->{admin}->do("SET GLOBAL $_ = $set{$_}[1]") for keys %set;
like told('doctor', 'doctor'), qr/^ok    MariaDB keeps its log/m, '... and right ones';

# Keys.
Vitrine::Stack::spew("$stack->{dir}/other-key", 'x' x 32);
like told('key', with_conf(backup_key_file => "$stack->{dir}/other-key"), 'restore', '--to', stamp($second[0]), '--scratch', $scratch),
	qr{^1 .*was encrypted with another key than \S+/other-key}, 'another key is refused';
like told('key', with_conf(backup_key_file => "$stack->{dir}/key"), 'backup', '--log'), qr/^1 .*is the installation's key/,
	"the installation's key is refused";
Vitrine::Stack::spew("$stack->{dir}/short-key", 'x');
like told('key', with_conf(backup_key_file => "$stack->{dir}/short-key"), 'backup', 'status'), qr/^1 .*is too short/, 'and a short one';
like told('place', with_conf(backup_url => "file://$stack->{dir}/nowhere"), 'backup', 'status'), qr/^1 .*nowhere can't be opened/,
	'a backup that is not there is named';
like told('place', with_conf(backup_url => "file://$stack->{dir}/nowhere"), 'doctor'),
	qr/^FAIL  the backup at backup_url can be read\n +fix: .*nowhere can't be opened/m, '... by the doctor, too, as where its disk was pulled';
ok !-e $scratch, 'nothing was written';

# What is in the backup.
my @made;
for (1 .. 4) { change(); push @made, int time; log_copied(); push @second, settled() }
log_copied();
my @log = pieces('log');
cmp_ok scalar(@log), '>=', 5, 'there are pieces';
like restore_told(stamp(time + 3600)), qr/^1 .*the last second that can be restored is /, 'a second ahead of the log is refused';
like restore_told(stamp(time - 86400)), qr/^1 .*the backup begins at /, '... and one before it';
rename $log[2], "$disk/hole";
my ($left) = restore_told(stamp($second[4])) =~ /^1 .*has a hole before \S+; the last second that can be restored is (\S+)/;
# When a copy is slow, its second is after that of its last change.
cmp_ok $left // '', 'ge', stamp($made[0] - 1), 'a hole is named, with the last second before it';
cmp_ok $left // 'x', 'lt', stamp($second[2]), '... which is before the hole';
like told('status', 'backup', 'status'), qr/^1 .*FAIL  log +has a hole after \Q$left\E/s, '... and status says so';
rename "$disk/hole", $log[2];
rename $log[0], "$disk/hole";
like restore_told(stamp($second[4])), qr/^1 .*the base of \S+ is older than the log that is left, which begins with log\//,
	'a base before the log is refused';
rename "$disk/hole", $log[0];
# Nothing of a piece is read before it proves to be written with our key, under its name.
for ([$log[1]], [(pieces('base'))[0]], ["$disk/mark"], [$log[1], slurp($log[2])]) {
	my ($path, $other) = @$_;
	my $bytes = slurp($path);
	substr($other = $bytes, length($bytes) / 2, 1) ^= "\1" if !defined $other;
	Vitrine::Stack::spew($path, $other);
	like restore_told(stamp($second[4])), qr{^1 .*\Q@{[$path =~ s{^\Q$disk/\E}{}r]}\E is damaged}, 'a changed byte, or another piece, is named';
	Vitrine::Stack::spew($path, $bytes);
}
my ($object) = glob "$disk/objects/*/*";
my $bytes = slurp($object);
Vitrine::Stack::spew($object, $bytes =~ s/(.)\z/$1 ^ "\1"/ser);
like told('proof', 'backup', '--prove'), qr{^1 .*isn't proved: objects/\S+ is damaged}s, '... of an object, too';
Vitrine::Stack::spew($object, $bytes);
like told('proof', 'backup', '--prove'), qr/^0 proved/, '... and without it all is well';
# Names are anybody's who can write there.
my $forged = "$disk/log/9223372036854775807_00000000_9223372036854775807_4_4_-_log.000001";
Vitrine::Stack::spew($forged, '');
like log_copied(), qr/pieces? of the log/, 'a name with too long a number is none of ours';
unlink $forged;
ok !-e $scratch, 'nothing was written';

# MariaDB is killed, and its log purged.
change();
kill 'KILL', $stack->{pids}{db};
waitpid $stack->{pids}{db}, 0;
like told('log', 'backup', '--log'), qr/^1 /, 'without MariaDB the log cannot be copied';
delete $stack->{dbh};
$stack->start_db;
Vitrine::Stack::wait_for('workers', 60, sub { change()->{status} == 200 });
like log_copied(), qr/^[12] pieces? /, 'after its restart it goes on';
push @second, settled();

# A clock that was ahead.
my $db = $stack->db;
$db->do('SET SESSION timestamp = ' . (int(time) + 60));
$db->do('CREATE TABLE odd (a INT)');
$db->do('SET SESSION timestamp = DEFAULT');
change();
push @second, settled();
sleep 1;
log_copied();
like restore_told(stamp($second[-1])),
	qr/^1 .*the clock was set back: \S+ occurs twice, up to transactions 0-1-\d+ and 0-1-\d+; choose with --gtid/,
	'a second that occurs twice is refused, with both transactions';
$db->do('DROP TABLE odd');

# Killed at system calls of a piece.
my $strace = `strace -V 2>/dev/null` ? 1 : 0;
my $instants = $ENV{VITRINE_TORTURE} // 8;
if ($strace) {
	local $ENV{ASAN_OPTIONS} = "$ENV{ASAN_OPTIONS}:detect_leaks=0";
	my $ctl = "$stack->{build}/vitrinectl -c $stack->{dir}/vitrine.yaml backup --log >/dev/null 2>&1";
	$api->publish($ann, slug => 'counted', files => { 'index.html' => 'counted' });
	system("strace -qq -o $stack->{dir}/strace $ctl");
	my @calls = map { /^(\w+)\(/ ? $1 : () } split /\n/, slurp("$stack->{dir}/strace");
	# The first half is its start.
	my $from = int(@calls / 2);
	for my $i (1 .. $instants) {
		my $at = $from + int(($i - rand) * (@calls - $from) / $instants);
		my $which = grep { $_ eq $calls[$at] } @calls[0 .. $at];
		$api->publish($ann, slug => "killed-$i", files => { 'index.html' => "killed $i" });
		system("strace -qq -o /dev/null -e inject=$calls[$at]:signal=KILL:when=$which $ctl");
	}
	log_copied();
	like told('status', 'backup', 'status'), qr/^0 ok /, "after $instants kills nothing is missing";

	# What the runner starts for a backup must get past the filter of its unit, which also forbids memory that can be written and
	# executed.
	my $may = Vitrine::Unit::permitted(slurp("$stack->{build}/etc/vitrine-runner.service"));
	# Those of root, whom the unit isn't for; and those without which MariaDB goes on: the kernel chooses where its memory is, and
	# names are looked up without knowing which addresses this machine has.
	my %harmless = map { $_ => 1 } qw(setgroups setresuid setresgid setuid setgid fchownat setrlimit mlock set_mempolicy);
	for my $what ('--log', '--base', '--prove') {
		is system("strace -f -qq -o $stack->{dir}/strace " . ($ctl =~ s/--log/$what/r)), 0, "backup $what under strace";
		my @calls = split /\n/, slurp("$stack->{dir}/strace");
		my %met = map { /^\d+ +(\w+)\(/ ? ($1 => 1) : () } @calls;
		cmp_ok scalar(keys %met), '>', 40, '... its system calls were read';
		is join(' ', grep { !$may->{$_} && !$harmless{$_} } sort keys %met), '', '... the unit permits them';
		my @families = map { /^\d+ +socket\((\w+)/ ? $1 : () } @calls;
		is join(' ', grep { !/^AF_(?:UNIX|INET6?|NETLINK)$/ } @families), '', '... and its sockets';
		is join(' ', grep { /^\d+ +m(?:map|protect)\(.*PROT_WRITE\|PROT_EXEC/ } @calls), '', '... and its memory';
	}
}

# A full backup: the service goes on, and the operators are told once.
push @second, settled();
sleep 1;
log_copied();
my @artifacts = map { @$_ } @{$stack->db->selectall_arrayref('SELECT slug FROM artifact ORDER BY slug')};
open my $fill, '>', "$disk/fill" or die;
$fill->autoflush(1);
1 while print $fill 'x' x 65536;
close $fill;
$api->publish($ann, slug => 'more', files => { 'index.html' => join '', map { rand } 1 .. 20_000 });
like told('full', 'backup', '--log'), qr/^1 .*No space left/, 'a full backup is named';
is change()->{status}, 200, 'the service goes on';
$stack->start_runner('runner', '--stay', '--lanes', 'archive');
Vitrine::Stack::wait_for('trouble', 60, sub { -s "$stack->{dir}/data/archive/trouble" });
like told('status', 'backup', 'status'), qr/^1 .*FAIL  log +.*No space left/s, 'status says so';
sub mails { return scalar $stack->db->selectrow_array("SELECT COUNT(*) FROM outbox WHERE payload LIKE '%backup_fails%'") }
Vitrine::Stack::wait_for('a mail', 60, sub { mails() });
sleep 3;
is mails(), 1, 'super staff get one mail, not more';
unlink "$disk/fill";
Vitrine::Stack::wait_for('the log', 60, sub { !-e "$stack->{dir}/data/archive/trouble" });
$stack->stop_one('runner');

# All of that restores.
like restore_told(stamp($second[-1])), qr/^1 .*occurs twice|^0 .*\nclean\n/s, 'the time is still that of a clock set back, or it restores';
my ($last) = (pieces('log'))[-1] =~ /_(\d+-\d+-\d+)_/;
my $told = told('restore', 'restore', '--gtid', $last, '--scratch', $scratch);
like $told, qr/^0 the rows are as of .*up to \Q$last\E\n(?s:.*)\nclean\n/, 'all that was copied restores, by transaction' or diag $told;
my $old = DBI->connect("dbi:MariaDB:database=vitrine;mariadb_socket=$scratch/db.sock", 'root', '', { RaiseError => 1 });
is_deeply [map { @$_ } @{$old->selectall_arrayref('SELECT slug FROM artifact ORDER BY slug')}], [sort @artifacts, 'more'],
	'nothing is missing';
$old->disconnect;
kill 'TERM', slurp("$scratch/db.pid") =~ /(\d+)/;

# The server's log is purged before it was copied.
change();
my $uncopied = $stack->{admin}->selectrow_array('SHOW MASTER STATUS');
# MariaDB keeps a file until a checkpoint, a moment later.
Vitrine::Stack::wait_for('the purge', 60, sub {
	$stack->{admin}->do('FLUSH BINARY LOGS');
	$stack->{admin}->do("PURGE BINARY LOGS TO '@{[scalar $stack->{admin}->selectrow_array('SHOW MASTER STATUS')]}'");
	return !grep { $_->[0] eq $uncopied } @{$stack->{admin}->selectall_arrayref('SHOW BINARY LOGS')};
});
my $purged = told('purged', 'backup', '--log');
like $purged, qr/begins anew.*was purged before it was copied/s, 'a purged log is named, and it begins anew';
$stack->ctl('backup', '--base');
like told('status', 'backup', 'status'), qr/^0 ok /, '... with a new base all is well';

# No binary log at all.
$stack->stop_one('db');
$stack->{archive} = 0;
delete $stack->{dbh};
$stack->start_db;
like told('off', 'backup', '--log'), qr/^1 .*binary log/, 'without a binary log nothing is copied';
like told('doctor', 'doctor'), qr/fix: set log_bin/, '... doctor says what to set';
finish($stack);
