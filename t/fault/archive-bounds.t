# SPDX-License-Identifier: Apache-2.0
# What a base and a restore may take: a program or statement that stands still is ended, and a disk without room is named before anything is
# written to it.
use FindBin;
use File::Temp 'tempdir';
BEGIN { exec 'unshare', ($> == 0 ? '-m' : '-rm'), $^X, "-I$FindBin::Bin/../lib", $0 or die "unshare: $!" if !$ENV{VITRINE_OWN_MOUNTS}++ }
use Time::HiRes 'time';
use Vitrine::Words;

my $disk = tempdir('vitrine-disk-XXXXXX', TMPDIR => 1, CLEANUP => 0);
system('mount', '-t', 'tmpfs', '-o', 'size=2m,mode=0755', 'vitrine', $disk) == 0 or die 'no file system of our own';
my $stack = Vitrine::Stack->new(archive => 1);
$stack->expect_alert(qr/initgroups\(root, 0\) failed/);
my $api = Vitrine::Api->new($stack);
my $ann = $stack->user('ann@example.org');
$api->publish($ann, slug => 'kept');
my $place = "$stack->{dir}/archived";
my $scratch = "$stack->{dir}/scratch";
# What a program of MariaDB does instead of its work.
sub instead { my ($name, $script) = @_; my $bin = Vitrine::Stack::folder($stack->{dir}, "bin-$name", $name => "#!/bin/sh\n$script\n");
	chmod 0755, "$bin/$name"; return "$bin:$ENV{PATH}" }
sub told { my ($path, @command) = @_; my ($status, $out, $err) = $stack->program('vitrinectl', { PATH => $path }, @command);
	return "$status $out$err" }
sub with_conf {
	my (%set) = @_;
	my $text = Vitrine::Stack::slurp("$stack->{dir}/vitrine.yaml");
	for (keys %set) { $text =~ s/^$_:.*/$_: $set{$_}/m or $text .= "$_: $set{$_}\n" }
	my $path = "$stack->{dir}/" . join('-', sort keys %set) . '.yaml';
	Vitrine::Stack::spew($path, $text);
	return ('-c', $path);
}
my @short = with_conf(backup_statement_s => 1);
my @restore = ('restore', '--gtid', 'LAST', '--scratch', $scratch);
$stack->ctl('backup', '--log');

# ---- a base

my $from = time;
my $head = q{echo "-- CHANGE MASTER TO MASTER_LOG_FILE='x.000001', MASTER_LOG_POS=4;"};
for (['says nothing' => 'exec sleep 60', qr/mariadb-dump: nothing moved for 1 s \(backup_statement_s\)/],
	['stops' => "$head; exec sleep 60", qr{base/\S+: nothing moved for 1 s \(backup_statement_s\)}],
	['does not end' => "$head; exec >&-; exec sleep 60", qr/mariadb-dump didn't end within 1 s/],
	['fails' => 'echo "Error 1969: too slow" >&2; exit 2', qr/mariadb-dump ended with status 2: Error 1969: too slow/],
	['fails later' => "$head; echo 'Lost connection' >&2; exit 3", qr/mariadb-dump ended with status 3: Lost connection/]) {
	my ($name, $script, $like) = @$_;
	like told(instead('mariadb-dump', $script), @short, 'backup', '--base'), qr/^1 .*$like/s, "a dump that $name";
}
cmp_ok time - $from, '<', 50, '... is not waited for';
is scalar(() = glob "$place/base/*"), 0, '... and leaves no base';
like told($ENV{PATH}, with_conf(backup_url => "file://$disk"), 'backup', '--base'),
	qr/^1 .*the rows may take \S+ \S+, more than \Q$disk\E has left \(\S+ \S+\); choose another/s, 'a disk that has no room for it is named';
$stack->ctl('backup', '--base');
$api->publish($ann, slug => 'more');
$stack->ctl('backup', '--log');
$restore[2] = ((sort glob "$place/log/*")[-1] =~ /_(\d+-\d+-\d+)_/)[0];

# ---- a restore

$from = time;
for (['takes nothing' => 'exec sleep 60', qr{base/\S+: nothing moved for 1 s \(backup_statement_s\)}],
	['does not end' => 'cat >/dev/null; exec sleep 60', qr/mariadb didn't end within 1 s, and was killed/],
	['fails' => 'echo "ERROR 1114 (HY000) at line 9: The table is full" >&2; exit 1',
		qr/mariadb ended with status 1: ERROR 1114 .* is full/],
	['fails at the log' => 'case "$*" in *binary-mode*) exec sleep 60;; esac; cat >/dev/null',
		qr/: nothing moved for 1 s|didn't end within 1 s/]) {
	my ($name, $script, $like) = @$_;
	like told(instead('mariadb', $script), @short, @restore), qr/^1 .*$like/s, "a client that $name";
	kill 'TERM', Vitrine::Stack::slurp("$scratch/db.pid") =~ /(\d+)/;
	Vitrine::Stack::wait_for('its MariaDB to end', 60, sub { !-e "$scratch/db.pid" });
	File::Path::remove_tree($scratch);
}
cmp_ok time - $from, '<', 120, '... is not waited for';
like told($ENV{PATH}, @restore[0 .. 3], "$disk/scratch"), qr/^1 .*the rows may take .*, more than \Q$disk\E has left/s,
	'a disk that has no room for it is named';
ok !-e "$disk/scratch", '... and left as it is';
like told($ENV{PATH}, with_conf(backup_proof_dir => $disk), 'backup', '--prove'), qr/^1 .*isn't proved: the rows may take .*more than \Q$disk\E/s,
	'... by a proof, too';
like told($ENV{PATH}, @restore), qr/^0 .*\nclean\n/s, 'all is well without';
my $old = DBI->connect("dbi:MariaDB:database=vitrine;mariadb_socket=$scratch/db.sock", 'root', '', { RaiseError => 1 });
is $old->selectrow_array('SELECT @@global.max_statement_time') + 0, 3600, '... each statement may take an hour';
is $old->selectrow_array('SELECT @@global.innodb_buffer_pool_size + @@global.max_allowed_packet'), (128 + 1024) << 20,
	'... and its MariaDB has bounded memory';
$old->disconnect;
kill 'TERM', Vitrine::Stack::slurp("$scratch/db.pid") =~ /(\d+)/;
system 'umount', $disk;
finish($stack);
