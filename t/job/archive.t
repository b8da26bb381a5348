# SPDX-License-Identifier: Apache-2.0
# The continuous backup: the runner copies log and objects; a second of the past is restored into a folder, and into an empty installation.
use Digest::SHA 'sha256_hex';
use Fcntl ':flock';
use File::Path 'remove_tree';
use Time::HiRes 'sleep';
use Vitrine::Words;

my ($stack, $api) = stack(archive => 1, backup_log_s => 1, grace_s => 0, trash_days => 0);
my $ann = $stack->user('ann@example.org');
my $place = "$stack->{dir}/archived";
my $ws = $api->call(POST => '/v1/workspaces', { token => $ann->{token}, json => { name => 'Team' } })->{json}{workspace}{id};
my $art = $api->publish($ann, slug => 'kept', visibility => 'public', workspace_id => $ws,
	files => { 'index.html' => 'first', 'a/b.txt' => 'text' });
like +($stack->program("vitrinectl", {}, qw(backup status --json)))[1], qr{^\{"base":\{"state":"fail"}, "nothing is there at first";

# A runner that finds no vitrinectl says so, and another one begins at once.
my ($status, undef, $err) = $stack->program('vitrine-runner', { PATH => '/nonexistent' }, '--once');
is $status, 1, 'a runner without vitrinectl fails';
like $err, qr/"lane failed","name":"archive","why":"[^"]*vitrinectl isn't installed"/, '... and says why';

# The resident runner makes a base by itself.
$stack->start_runner('runner', '--stay', '--lanes', 'archive');
Vitrine::Stack::wait_for('a base', 60, sub { glob "$place/base/*" });
like $stack->ctl('backup', 'status'), qr/^ok +base .*\nok +log .*\nok +objects .*\nok +proof .*\nok +window /, 'a base and a log';
is_deeply [$stack->lanes], [archive => ($stack->lanes)[1]], 'one process';
open my $lock, '<', "$stack->{dir}/data/archive/lock" or die;
my $free = grep { sleep 0.1; flock($lock, LOCK_EX | LOCK_NB) && flock $lock, LOCK_UN } 1 .. 20;
cmp_ok $free, '>=', 5, 'it holds the lock only while it copies';

$api->call(PUT => "/v1/data/$art/json", { token => $ann->{token}, body => '{"n":1.50}', type => 'application/json' });
$api->call(PUT => "/v1/data/$art/tables/guests", { token => $ann->{token}, json => { columns => [{ name => 'name', type => 'text' }],
	rows => [map { { name => "n$_" } } 1 .. 5] } });
my $rows = $api->call(GET => "/v1/data/$art/tables/guests/export", { token => $ann->{token} });
my $csv = $rows->{body};
$api->publish($ann, artifact_id => $art, name => 'kept', files => { 'index.html' => 'second' x 20_000, 'a/b.txt' => 'text' });
my $second = time;
sleep 0.01 while time == $second;
my @before = map { $stack->db->selectrow_array("SELECT COUNT(*) FROM $_") } qw(workspace artifact version version_file data_row document);

# A mistake: the workspace is deleted, purged with all that it had, and its bytes swept.
is $api->call(DELETE => "/v1/workspaces/$ws", { token => $ann->{token} })->{status}, 200, 'a workspace is deleted';
$stack->db->do('UPDATE workspace SET deleted_at = 1 WHERE id = ?', undef, $ws);
my $object = "$stack->{dir}/data/objects/" . (sha256_hex('text') =~ s{^(..)}{$1/$1}r);
Vitrine::Stack::wait_for('the sweep', 60, sub { sleep 0.5; $stack->runner; !-e $object });
Vitrine::Stack::wait_for('the log', 60, sub {
	($stack->program("vitrinectl", {}, qw(backup status --json)))[1] =~ /"to":"([^"]+)"/ && $1 gt stamp($second + 2);
});

sub stamp { my @t = gmtime $_[0]; return sprintf '%04d-%02d-%02dT%02d:%02d:%02dZ', $t[5] + 1900, $t[4] + 1, @t[3, 2, 1, 0] }
my $scratch = "$stack->{dir}/scratch";
my $out = $stack->ctl('restore', '--to', stamp($second), '--scratch', $scratch, '--export', 'kept');
like $out, qr/^the rows are as of \Q@{[stamp($second)]}\E.*\n4 files of kept were written/, 'the second before is restored into a folder';
is Vitrine::Stack::slurp("$scratch/export/files/index.html"), 'second' x 20_000, 'its page, byte for byte';
is Vitrine::Stack::slurp("$scratch/export/files/a/b.txt"), 'text', '... and a file that never changed';
is Vitrine::Stack::slurp("$scratch/export/data/document.json"), '{"n":1.50}', '... its document';
is Vitrine::Stack::slurp("$scratch/export/tables/guests.csv"), $csv, '... its table';
my ($pid) = Vitrine::Stack::slurp("$scratch/db.pid") =~ /(\d+)/;
my $old = DBI->connect("dbi:MariaDB:database=vitrine;mariadb_socket=$scratch/db.sock", 'root', '', { RaiseError => 1 });
is_deeply [map { $old->selectrow_array("SELECT COUNT(*) FROM $_") } qw(workspace artifact version version_file data_row document)],
	\@before, 'the rows are those of that second';
$old->disconnect;
kill 'TERM', $pid;

# The proof, as the runner makes it: the first at once, then weekly.
eval { Vitrine::Stack::wait_for('a proof', 180, sub { $stack->db->selectrow_array('SELECT COUNT(*) FROM backup_proof') }); 1 }
	or die $@, Vitrine::Stack::slurp("$stack->{dir}/runner.log");
# It restores with a MariaDB of its own, which may not start: that is tried twice, and named.
my $bin = Vitrine::Stack::folder($stack->{dir}, 'bin');
symlink '/bin/false', "$bin/mariadbd" or die;
my $said;
Vitrine::Stack::wait_for('the end of the proof before', 60, sub {
	($status, undef, $err) = $stack->program('vitrinectl', { PATH => "$bin:$ENV{PATH}" }, 'backup', '--prove');
	return ($said = "$status $err") !~ /under way/;
});
like $said, qr/^1 .*mariadbd ended while it started; its log ends with: .*; trying once more\n.*isn't proved: .*mariadbd ended/s,
	'a proof whose MariaDB ends says so, after a second try';
ok !-e "$stack->{dir}/data/archive/proof", '... and leaves nothing';
# The log of a burst, over two of the server's files, becomes several pieces; one transaction is larger than a piece.
$stack->stop_one('runner');
my $db = $stack->db;
$db->do('CREATE TABLE burst (b LONGBLOB)');
for my $mb (5, 5, 5, 5, 20, 1) {
	$db->do('INSERT INTO burst VALUES (REPEAT(?, ?))', undef, $mb, $mb << 20);
	$stack->{admin}->do('FLUSH BINARY LOGS') if $mb == 20;
}
$db->do('DELETE FROM burst WHERE LENGTH(b) > 6000000');
like $stack->ctl('backup', '--log'), qr/^3 pieces of the log/, 'a burst becomes pieces';
my $proven = sub { return scalar $stack->db->selectrow_array('SELECT COUNT(*) FROM backup_proof WHERE why IS NULL') };
my ($proofs, $begun) = ($proven->(), stamp(time));
like $stack->ctl('backup', '--prove'), qr/^proved: /, 'the backup proves itself';
$db->do('DROP TABLE burst');
my ($proved) = $stack->ctl('backup', 'status') =~ /^ok +proof +(\S+): restored to /m;
ok $proved && $proved ge $begun && $proved le stamp(time), '... and says so, with its time';
is $proven->(), $proofs + 1, '... in a row';
ok !-e "$stack->{dir}/data/archive/proof", '... and leaves nothing';

# All of it into an empty installation.
$stack->stop_one($_) for qw(runner worker);
$stack->ctl('backup', '--log');
$stack->db->do('DROP DATABASE vitrine');
$stack->{admin}->do($_) for 'CREATE DATABASE vitrine CHARACTER SET utf8mb4';
delete $stack->{dbh};
like +($stack->program('vitrinectl', {}, 'restore', '--to', stamp($second), '--into-empty'))[2], qr/has objects/,
	'a data_dir in use is refused';
remove_tree("$stack->{dir}/data", { keep_root => 1 });
$out = $stack->ctl('restore', '--to', stamp($second), '--into-empty');
like $out, qr/\nclean$/, 'an empty one becomes that second' or diag $out;
$stack->start_worker;
is $api->get_site('kept', '/')->{body}, 'second' x 20_000, 'the page is served again';
is $stack->ctl('fsck'), 'clean', 'fsck is clean';
# Its log begins anew.
like $stack->ctl('backup', '--log'), qr/begins anew/, 'the log of what was restored is another one';
# What is too old goes: bases before the one that is backup_days old, the log before it, and objects that had gone before it.
{
	$stack->ctl('backup', '--base');
	my ($base) = glob "$place/base/*";
	my @day = map { $base =~ s{/\d+_}{sprintf '/%010d_', time - $_ * 86400}er } 40, 30, 20;
	Vitrine::Stack::spew($_, 'old') for @day;
	my $gone = "$place/objects/ab/ab" . '0' x 62;
	Vitrine::Stack::folder($place, 'objects/ab', 'ab' . '0' x 62 => 'of an object that the store lacks');
	$stack->ctl('backup', '--base');
	is join(' ', map { -e $_ ? 'kept' : 'gone' } @day), 'gone gone kept',
		'the oldest base is more than two weeks old, the next one less';
	ok -e $gone, 'an object that has just gone stays';
	my @list = ("$stack->{build}/t/drive/piece", "$stack->{dir}/vitrine.yaml", 'gone');
	my $list = `@list get`;
	like $list, qr/^ab0{62} \d{10}$/m, '... and is noted';
	$list =~ s/ \d{10}$/sprintf ' %010d', time - 25 * 86400/meg;
	Vitrine::Stack::spew("$place/gone", $list);
	$stack->ctl('backup', '--base');
	ok -e $gone, '... a list that nobody with the key has written lets nothing go';
	open my $to, '|-', @list, 'put' or die;
	print $to $list;
	close $to or die;
	$stack->ctl('backup', '--base');
	ok !-e $gone, 'an object that had gone before the oldest base goes';
	my $log = () = glob "$place/log/*";
	$stack->db->do('INSERT INTO backup_proof (proved_at, to_second, seconds, bytes, base) VALUES (1, 1, 1, 1, ?)', undef,
		substr $day[2], 1 + length $place);
	Vitrine::Stack::spew($day[2] =~ s{/(\d+)_}{sprintf '/%010d_', $1 + 86400}er, 'old');
	$stack->ctl('backup', '--base');
	ok -e $day[2], 'the base that was proved last stays';
	cmp_ok scalar(() = glob "$place/log/*"), '>=', $log, '... and the log after it';
	unlink $day[2], $day[2] =~ s{/(\d+)_}{sprintf '/%010d_', $1 + 86400}er;
}
# Its disk is pulled.
rename $place, "$place.pulled" or die;
($status, my $out_of) = $stack->program('vitrinectl', {}, 'doctor');
like "$status $out_of", qr/^1 .*^FAIL  the backup at backup_url can be read\n +fix: .*can't be opened/ms,
	'doctor says that the disk is gone';
mkdir $place;
like +($stack->program('vitrinectl', {}, 'doctor'))[1], qr/^FAIL  backup, a base of the last two days: none of this/m,
	'... and that what is mounted there has nothing';
rmdir $place;
rename "$place.pulled", $place;
finish($stack);
