# SPDX-License-Identifier: Apache-2.0
# The continuous backup in an object store: all that the folder can, and a store that cuts, refuses, is slow, or has other bytes. What was
# copied restores, and what wasn't is copied later.
use Fcntl ':flock';
use POSIX 'WNOHANG';
use Vitrine::S3;
use Vitrine::Words;

my $s3 = Vitrine::S3->new(Vitrine::Stack::test_tls());
my $stack = Vitrine::Stack->new(archive => 1, backup_log_s => 1, store_wait_s => 2, $s3->backup_conf);
$stack->expect_internal;
$stack->expect_alert(qr/initgroups\(root, 0\) failed/);
my $api = Vitrine::Api->new($stack);
my $ann = $stack->user('ann@example.org');
my $page = 'a page that nobody may read there ' . join '', map { chr 33 + rand 90 } 1 .. 200_000;
my $art = $api->publish($ann, slug => 'kept', files => { 'index.html' => $page });

sub change { $api->call(PUT => "/v1/data/$art/json", { token => $ann->{token}, json => { n => $_[0] } }) }
sub stamp { my @t = gmtime $_[0]; return sprintf '%04d-%02d-%02dT%02d:%02d:%02dZ', $t[5] + 1900, $t[4] + 1, @t[3, 2, 1, 0] }
sub settled { my $second = time; select undef, undef, undef, 0.01 while time == $second; return $second }
sub told { my ($status, $out, $err) = $stack->program('vitrinectl', {}, @_); return "$status $out$err" }
sub log_told { return told('backup', '--log') }
sub keys_of { my ($like) = @_; return grep { /^$like/ } $s3->keys_of('backup') }
my $scratch = "$stack->{dir}/scratch";
sub restore_told { my ($to, @more) = @_; return told('restore', '--to', stamp($to), '--scratch', $scratch, @more) }

like log_told(), qr/^0 .*begins anew/s, 'the log begins';
like told('backup', '--base'), qr/^0 base/, 'a base';
change(1);
like log_told(), qr/^0 1 piece /, 'a piece of the log';
my $one = settled();
ok keys_of('objects/'), 'objects are there';
is scalar(grep { Vitrine::Stack::slurp($_) =~ /nobody may read/ } glob "$s3->{dir}/bucket/*"), 0, 'none of it can be read there';
is_deeply [grep { / 403/ } $s3->calls], [], 'each request was signed with the key of backups';

for (['no answer' => 'cut'], ['a status of 503' => 503], ['one of 403' => 403], ['one that takes too long' => ['slow', 5]]) {
	my ($name, $how) = @$_;
	change($name);
	$s3->fault(PUT => $how);
	like log_told(), qr{^1 .*/bucket/backup/\S+: }, "$name: is told, with the piece's name";
	is change("$name, too")->{status}, 200, '... and the service goes on';
	$s3->fault(PUT => undef);
	like log_told(), qr/^0 /, '... then it goes on';
}
my $two = settled();
log_told();
like told('backup', 'status'), qr/^0 ok /, 'all is there';

# Reads that fail.
for (['other bytes' => 'wrong', qr/is damaged|another key/], ['a part' => 'short', qr{backup/\S+: }], ['none' => 503, qr/status 503/]) {
	my ($name, $how, $like) = @$_;
	$s3->fault(GET => $how);
	like restore_told($two), qr/^1 .*$like/, "$name: nothing is restored";
	$s3->fault(GET => undef);
}
ok !-e $scratch, '... nor written';
$s3->fault(GET => 'again');
like told('backup', 'status'), qr/^1 .*the store's list: it goes back/, 'a list without an end';
$s3->fault(GET => undef);
Vitrine::Stack::wait_for('what was given up', 60, sub { keys_of('log/') == 7 });
my ($second) = (keys_of('log/'))[1];
rename $s3->file("backup/$second"), "$stack->{dir}/hole";
like restore_told($two), qr/^1 .*has a hole before/, 'a piece that is missing is a hole';
rename "$stack->{dir}/hole", $s3->file("backup/$second");

like restore_told($one, '--export', 'kept'), qr/^0 the rows are as of .*\n2 files of kept/, 'a second is restored';
is Vitrine::Stack::slurp("$scratch/export/files/index.html"), $page, '... its page';
is Vitrine::Stack::slurp("$scratch/export/data/document.json"), '{"n":1}', '... and document';
kill 'TERM', Vitrine::Stack::slurp("$scratch/db.pid") =~ /(\d+)/;
like told('backup', '--prove'), qr/^0 proved: /, 'it proves itself';

# What the store lacks of it goes from the backup, when it is old enough.
Vitrine::Stack::spew($s3->file('backup/objects/ab/ab' . '0' x 62), 'of an object that the store lacks');
open my $gone, '|-', "$stack->{build}/t/drive/piece", "$stack->{dir}/vitrine.yaml", qw(gone put) or die;
printf $gone "ab%s %010d\n", '0' x 62, time - 25 * 86400;
close $gone or die;
my ($base) = keys_of('base/');
Vitrine::Stack::spew($s3->file('backup/' . $base =~ s{/\d+_}{sprintf '/%010d_', time - $_ * 86400}er), 'old') for 40, 20;
like told('backup', '--base'), qr/^0 base/, 'another base';
is scalar(keys_of('base/')), 3, 'the oldest base is gone';
is scalar(grep { /000006_/ } keys_of('log/')), 1, 'what came later, too';
is scalar(keys_of('objects/ab/ab00')), 0, '... and what had gone before the oldest that is left';

# Another place, which has nothing: all is copied anew.
$stack->{conf}{backup_url} .= '/moved';
$stack->write_conf;
like log_told(), qr/^0 .* (\d+) objects? .*begins anew.*has nothing of this log/s, 'another place gets a log of its own';
cmp_ok scalar(keys_of('moved/objects/')), '>=', 1, '... and all objects';
like told('backup', '--base'), qr/^0 base/, 'and a base';
like told('backup', 'status'), qr/^0 ok /, '... then all is well';

# A copy that takes long lets others have the lock in between.
$api->publish($ann, slug => 'many', files => { 'index.html' => 'many', map { ("$_.txt" => "many $_") } 1 .. 16 });
$s3->fault(PUT => ['slow', 1]);
my $copied = fork // die;
POSIX::_exit(log_told() =~ /^0 .* and 1[67] objects were copied/ ? 0 : 1) if !$copied;
open my $lock, '<', "$stack->{dir}/data/archive/lock" or die;
my ($held, $had) = (0, 0);
while (!waitpid $copied, WNOHANG) {
	flock($lock, LOCK_EX | LOCK_NB) ? $held && $had++ : $held++;
	flock $lock, LOCK_UN;
	select undef, undef, undef, 0.02;
}
is $?, 0, 'a copy that takes long';
cmp_ok $had, '>', 0, '... lets go of the lock in between';
$s3->fault(PUT => undef);

# Once, from the runner.
change('once');
my $pieces = () = keys_of('moved/log/');
is +($stack->runner)[0], 0, 'vitrine-runner --once';
cmp_ok scalar(keys_of('moved/log/')), '>', $pieces, '... copies, too';
$s3->fault(PUT => 503);
change('not');
is +($stack->runner)[0], 1, '... and says that it failed';
$s3->fault(PUT => undef);

# Settings.
for ([backup_url => 'http://s3.example.org/b' => qr/backup_url: .* must be file/],
	[backup_store_key_file => '"-"', qr/backup_store_key_file: must be/],
	[store_url => $stack->{conf}{backup_url} => qr/must not be store_url/]) {
	my ($name, $value, $like) = @$_;
	local $stack->{conf} = { %{$stack->{conf}}, ($name eq 'store_url' ? (store_key_file => "$s3->{dir}/key") : ()), $name => $value };
	$stack->write_conf;
	like told('backup', 'status'), qr/^78 .*$like/, "$name: $value is refused";
}
$stack->write_conf;
finish($stack);
