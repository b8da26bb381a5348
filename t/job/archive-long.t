# SPDX-License-Identifier: Apache-2.0
# A proof of the continuous backup that takes hours: its connections to the database end meanwhile, as wait_timeout says, runners look
# whether one is due and end, and a base is made. Only one proof is under way, and it succeeds.
use POSIX 'mkfifo';
use Time::HiRes qw(sleep time);
use Vitrine::Words;

my ($stack, $api, $db) = stack(archive => 1, backup_log_s => 1);
my $ann = $stack->user('ann@example.org');
$api->publish($ann, slug => 'kept', visibility => 'public');
my $state = "$stack->{dir}/data/archive";
$stack->ctl('backup', $_) for '--log', '--base';

# MariaDB of a proof starts when that is written to.
my $gate = "$stack->{dir}/gate";
mkfifo($gate, 0600) or die;
my $bin = Vitrine::Stack::folder($stack->{dir}, 'bin', mariadbd => "#!/bin/sh\nread go <$gate\nPATH=$ENV{PATH} exec mariadbd \"\$@\"\n");
chmod 0755, "$bin/mariadbd";
sub begin_runner {
	local $ENV{PATH} = "$bin:$ENV{PATH}";
	$stack->start_runner('runner', '--stay', '--lanes', 'archive');
}
sub newest_connection { return scalar $stack->{admin}->selectrow_array('SELECT MAX(id) FROM information_schema.processlist') }
my $first = newest_connection();
$stack->{admin}->do('SET GLOBAL wait_timeout = 1');
begin_runner();
open my $go, '>', $gate or die;
pass 'a runner starts a proof, which waits';
$stack->stop_one('runner');
my $last = newest_connection();
$stack->{admin}->do('SET GLOBAL wait_timeout = DEFAULT');
ok eval { Vitrine::Stack::wait_for('the end of its connections', 60, sub {
	!$stack->{admin}->selectrow_array('SELECT 1 FROM information_schema.processlist WHERE id > ? AND id <= ? AND id <> CONNECTION_ID()',
		undef, $first, $last);
}) }, 'the database ends its connections' or diag $@;

# As if it had begun an hour ago.
utime time - 3600, time - 3600, "$state/prove" or die;
begin_runner();
my $from = time;
Vitrine::Stack::wait_for('some rounds', 60, sub { (stat "$state/copied")[9] > $from + 3 });
cmp_ok +(stat "$state/prove")[9], '<', time - 3000, 'the next runner starts no other one';
$stack->stop_one('runner');
unlike Vitrine::Stack::slurp("$stack->{dir}/runner.log"), qr/"failed"/, '... and says nothing of a failure';
is +($stack->program('vitrinectl', {}, 'backup', '--base'))[0], 0, 'a base is made meanwhile';
print $go "go\n";
close $go;
my $proof = sub { return $db->selectrow_hashref('SELECT * FROM backup_proof') };
ok eval { Vitrine::Stack::wait_for('the proof', 120, sub { $proof->() }) }, 'the proof ends' or diag $@;
is $proof->()->{why}, undef, '... well';
finish($stack);
