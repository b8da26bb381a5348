# SPDX-License-Identifier: Apache-2.0
# The packer: what is published is packed soon after the reply; what changes again meanwhile, once; and a packer that is killed at any
# instant leaves nothing wrong, and nothing that the runner does not complete.
use Time::HiRes qw(sleep time);
use Vitrine::Words;

my ($stack, $api) = stack(workers => 2, publish_per_hour => 100000);
my $ann = $stack->user('ann@example.org');
my $db = $stack->db;
sub until_true { my ($f) = @_; for (1 .. 1200) { return 1 if $f->(); sleep 0.05 } return 0 }
sub queued { return $db->selectrow_array("SELECT COUNT(*) FROM outbox WHERE kind = 'project'") }
sub packed { my @there = glob "$stack->{dir}/data/trees/$_[0]/$_[1]/pub/*.{gz,br}"; return scalar @there }
sub fsck { my ($status, $out) = $stack->program("vitrinectl", {}, "fsck"); return $status ? $out : "" }
sub page { my ($n) = @_; return join "\n", map { "line $_ of page $n" } 1 .. 400 }
sub site { my ($n) = @_; return { map { ("p$_.html" => page("$n-$_")) } 1 .. 12 } }

my $art = $api->publish($ann, slug => 'packed', visibility => 'public', files => site(1), entrypoint => 'p1.html');
ok until_true(sub { packed($art, 1) == 24 }), 'each file has both packed forms soon after the reply';
ok until_true(sub { !queued() }), 'and nothing is left to do';
my ($packer) = $stack->workers('packer');
is ((split ' ', Vitrine::Stack::slurp("/proc/$packer/stat"))[18], 19, 'by a process of the lowest priority');

# Twenty versions at once: those that were published over are not packed, the last is.
$api->publish($ann, slug => 'packed', files => site($_), entrypoint => 'p1.html') for 2 .. 21;
ok until_true(sub { packed($art, 21) == 24 && !queued() }), 'the last of twenty versions is packed';
cmp_ok scalar(grep { packed($art, $_) } 2 .. 20), '<', 19, 'those before it not all';

# Killed while it works: whatever has a name is right, the next packer takes what comes, and the runner what was lost.
my $no = 21;
my @other;
for my $after (0.21, 0.22, 0.24, 0.27, 0.31, 0.4) {
	my $slug = 'lost-' . ++$no;
	push @other, $api->publish($ann, slug => $slug, visibility => 'public', files => site($no), entrypoint => 'p1.html');
	my ($pid) = $stack->workers('packer');
	sleep $after;
	kill 'KILL', $pid if $pid;
	ok until_true(sub { my ($new) = $stack->workers('packer'); $new && $new != ($pid // 0) }),
		"killed after $after s, there is another";
}
is fsck(), '', 'no packed form is wrong';
my ($status, undef, $err) = $stack->runner;
is $status, 0, 'the runner' or diag $err;
is scalar(grep { packed($_, 1) != 24 } @other), 0, 'completes what was lost';
is queued(), 0, 'all of it';

# Without a packer workers neither wait nor fail: stopped, with a pipe that is full.
my ($held) = $stack->workers('packer');
kill 'STOP', $held;
# A page of notes, instead of sixteen. Which of the pipes that they share is meant doesn't matter.
my $F_SETPIPE_SZ = 1031;
my %theirs = map { (readlink($_) // '') => 1 } glob "/proc/$held/fd/*";
my @pipes = grep { my $what = readlink($_) // ''; $what =~ /^pipe:/ && $theirs{$what} } glob '/proc/' . ($stack->workers)[0] . '/fd/*';
my $small = 0;
for (@pipes) { open my $end, '>', $_ or die "$_: $!"; $small += (fcntl($end, $F_SETPIPE_SZ, 4096) // 0) == 4096 }
cmp_ok $small, '>', 0, 'the pipe is small';
my $ok = grep { $_ == 200 }
	map { $api->call(PATCH => "/v1/artifacts/$art", { token => $ann->{token}, json => { name => "Name $_" } })->{status} } 1 .. 150;
is $ok, 150, 'more changes while it stands still than the pipe has room for';
kill 'CONT', $held;
($status) = $stack->runner;
ok until_true(sub { !queued() }), 'are all done in the end';
is fsck(), '', 'and right';

# A runner that stays leaves an artifact to the packer for a while, and takes it when the packer doesn't come.
($held) = $stack->workers('packer');
kill 'STOP', $held;
$api->publish($ann, slug => 'packed', files => site(22), entrypoint => 'p1.html');
ok $db->selectrow_array("SELECT MIN(due_at) > UNIX_TIMESTAMP() FROM outbox WHERE kind = 'project'"),
	'what has just been published is not the runner\'s yet';
my $last = $db->selectrow_array('SELECT last_no FROM artifact WHERE id = ?', undef, $art);
$stack->start_runner;
ok until_true(sub { !queued() }), 'with a packer that stands still, it becomes so';
is packed($art, $last), 24, '... and is packed';
kill 'CONT', $held;
finish($stack);
