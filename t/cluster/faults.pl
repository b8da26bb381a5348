# SPDX-License-Identifier: Apache-2.0
# Each fault of Vitrine::Machine and Vitrine::Cluster does what it says, and goes away.
use IO::Socket::INET;
use Time::HiRes qw(sleep time);
use Vitrine::Cluster;
use Vitrine::Words;

my $cluster = Vitrine::Cluster->new;
my ($first, $second, $third) = $cluster->machines;
my $ann = $first->user('ann@example.org');
my $api = Vitrine::Api->new($cluster);

# Whether nginx of a machine can be reached from outside; within 2 s.
sub answers { my ($m) = @_; return IO::Socket::INET->new(PeerHost => $m->{address}, PeerPort => $m->{port}, Timeout => 2) ? 1 : 0 }
sub rejoins { my ($what) = @_; ok eval { $cluster->wait_whole; 1 }, "... and it rejoins after $what" or diag $@ }

for my $way (qw(in out both)) {
	$second->cut_off($way);
	ok !answers($second), "cut off ($way): nobody reaches it";
	$second->reach;
	ok answers($second), '... until it is mended';
}
$second->cut_off('both', $third->{address});
ok answers($second), 'cut off from one machine, it can be reached by others';
$second->reach;
rejoins('being cut off');

$second->unplug;
ok !answers($second), 'without its cable nobody reaches it';
$second->plug_in;
rejoins('the cable was pulled out');

$second->freeze;
is join('', $second->ask('SELECT 1')), '', 'a frozen machine answers nothing';
$second->thaw;
rejoins('it was frozen');

$second->lose;
is join(' ', $second->processes), '', 'nothing of a lost machine runs';
$second->plug_in;
$second->start;
rejoins('it was lost');
is(Vitrine::Api->new($second)->call(GET => '/healthz')->{status}, 200, '... and its workers answer');

$first->kill_now('worker');
$first->start;
is(Vitrine::Api->new($first)->call(GET => '/healthz')->{status}, 200, 'workers are killed and start again');

$second->fill_disk;
my $r = Vitrine::Api->new($second)->call(GET => '/readyz');
isnt $r->{status}, 200, "a machine with a full disk isn't ready: $r->{status}";
$second->empty_disk;
if (!$second->is_synced) {
	# MariaDB may have ended.
	$second->kill_now('db');
	$second->start;
}
rejoins('its disk was full');

sub publish { my ($text) = @_; return $api->call(POST => '/v1/publish', { token => $ann->{token},
	json => { name => 'A page', slug => 'page', files => [{ path => 'index.html', content => $text }] } }) }
is publish('before')->{status}, 201, 'a publish';
for my $how (qw(refuses hangs)) {
	$cluster->lose_store($how);
	is publish("the store $how")->{json}{code}, 'STORE_UNAVAILABLE', "a publish while the store $how";
	$cluster->find_store;
	is publish("after it $how")->{status}, 201, '... and after it';
}
$cluster->stop;

SKIP: {
	skip 'faketime is not here', 2 if !-e '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';
	my $other = eval { Vitrine::Cluster->new(clock => 1) };
	if (!ok $other, 'a cluster whose clocks can be moved') { diag $@; skip 'there is no such cluster', 1 }
	my $m = $other->machine(2);
	$m->set_clock(1);
	sleep 2;
	my ($now) = $m->ask('SELECT UNIX_TIMESTAMP()');
	cmp_ok $now - time, '>', 86_000, 'MariaDB of one machine is a day ahead';
	$m->set_clock(0);
	$other->stop;
}
done_testing;
