# SPDX-License-Identifier: Apache-2.0
# A machine of a cluster is killed at each kind of step while it shows and closes what another one has: it is done in the end. Roles are
# given by t/drive/lease.c.
use Time::HiRes 'sleep';
use Vitrine::Nodes;
use Vitrine::Words;

my ($here, $there, $api, $other, $db) = nodes();
my $art = publish('first', 'one');
publish('second', 'two');
runs();
shows('second', 'two');
until_so('all is done', sub { !rows() });
ends();

# Nobody waits for a machine that is silent.
role($here, active => 'b', 1);
sleep 9.6;
role($here, active => 'b', 1);
# A process that is traced can't check itself for leaks.
local $ENV{ASAN_OPTIONS} = "$ENV{ASAN_OPTIONS}:detect_leaks=0";
my $trace = "$there->{dir}/trace";
my @steps = map { my $call = $_; map { [$call, $_] } 1 .. 2 } qw(renameat linkat symlinkat unlinkat mkdirat fsync syncfs write);
my $killed = 0;
sub was_killed { return Vitrine::Stack::slurp($trace) =~ /killed by SIGKILL/ }
for my $i (0 .. $#steps) {
	my ($call, $when) = @{$steps[$i]};
	publish("page$i", "of $i", files => [{ path => 'index.html', content => "of $i" },
		{ path => 'a/b.css', content => "p{} /* $i */" x 100 }]);
	patch($art, visibility => $i % 2 ? 'public' : 'private');
	$here->ctl('artifact', ($i % 2 ? 'resume' : 'pause'), 'second');
	unlink $trace;
	runs('closings|project', 'strace', '-q', '-f', '-o', $trace, '-e', "trace=$call", '-e', "inject=$call:signal=KILL:when=$when");
	for (1 .. 200) { last if was_killed() || !rows(); sleep 0.05 }
	$killed++ if was_killed();
	# strace waits for its programs.
	kill KILL => -$there->{pids}{runner};
	ends();
}
cmp_ok $killed, '>', @steps / 2, "killed at $killed system calls of " . @steps;
runs();
until_so('what was cut off is done in the end', sub { !rows() });
is shown("page$_"), "of $_", "... page $_" for 0 .. $#steps;
is shown('first'), 'one', '... what was opened last';
is shown('second'), 'two', '... and resumed';
is fsck(), "clean\n", '... and all is whole';
finish($there, $here);
