# SPDX-License-Identifier: Apache-2.0
# A worker that is killed at its N-th system call of a request. Each pool of the stack has one worker; both are watched, one has the
# request. And a runner that is killed at one of its turn.
package Vitrine::Crash;
use strict;
use warnings;
use Time::HiRes 'sleep';
use Vitrine::Stack;

# One whose worker may die: nginx is left without an answer then, and says so.
sub stack {
	my ($class, %more) = @_;
	# Workers are replaced here dozens of times. Leaks in the same requests are looked for by the tests of each noun.
	local $ENV{ASAN_OPTIONS} = "$ENV{ASAN_OPTIONS}:detect_leaks=0";
	my $stack = Vitrine::Stack->new(workers => 1, publish_per_hour => 1000000, publish_failures_per_hour => 1000000,
		views_made_per_hour => 1000000, data_per_minute => 1000000, grace_s => 0, %more);
	$stack->expect_internal;
	$stack->expect_alert(qr{upstream prematurely closed|(?:recv|readv|writev)\(\) failed.* upstream});
	return $stack;
}

sub new { my ($class, $stack, $api) = @_; return bless { stack => $stack, api => $api, calls => [] }, $class }

# The workers, once they answer: the second address is the slow pool's.
sub children {
	my ($k) = @_;
	for (1 .. 500) {
		my @pids = $k->{stack}->workers;
		return @pids if @pids == 2 && $k->{api}->call(GET => '/readyz')->{status} == 200
			&& $k->{api}->call(GET => '/auth/callback')->{status} == 400;
		sleep 0.02;
	}
	die "no worker came back\n";
}

sub trace {
	my ($k, @options) = @_;
	my $stack = $k->{stack};
	my @pids = $k->children;
	$stack->spawn('tracer', "$stack->{dir}/tracer.log", 'strace', '-qq', @options, map { ('-p', $_) } @pids);
	for (1 .. 150) { last if 2 == grep { Vitrine::Stack::slurp("/proc/$_/status") =~ /TracerPid:\s+[1-9]/ } @pids; sleep 0.02 }
	return @pids;
}

# (reply, how many system calls the request has, how many of them up to the reply)
sub count {
	my ($k, $do) = @_;
	my $log = "$k->{stack}{dir}/strace";
	$k->fresh;
	my @pids = $k->trace('-ff', '-o', $log);
	my $r = $do->();
	sleep 0.2;
	$k->{stack}->stop_one('tracer', 'INT');
	# The other one may have been asked whether to take a large body.
	my ($text) = sort { length $b <=> length $a } grep { /^write\(\d+, "\\1\\6/m } map { Vitrine::Stack::slurp("$log.$_") } @pids;
	my @lines = grep { /^\w+\(/ } split /\n/, $text // die "no worker replied\n";
	$k->{calls} = [map { /^(\w+)/ } @lines];
	my ($reply) = grep { $lines[$_] =~ /^write\(\d+, "\\1\\6/ } 0 .. $#lines;
	return ($r, scalar @lines, $reply + 1);
}

# Each request meets workers that have just begun, so that all of them make the same calls. SIGHUP replaces them, which takes a tenth of the
# time of a new pool, and resets the time that a pool waits after its workers died.
sub fresh {
	my ($k) = @_;
	my $stack = $k->{stack};
	my %old = map { $_ => 1 } $stack->workers;
	kill 'HUP', $stack->{pids}{worker};
	Vitrine::Stack::wait_for('new workers', 60, sub { my @new = $stack->workers; @new == 2 && !grep { $old{$_} } @new });
}

# The reply to what was counted, killed at its n-th system call; a worker answers again. strace counts each kind of call by itself.
sub at {
	my ($k, $n, $do) = @_;
	my $stack = $k->{stack};
	my $name = $k->{calls}[$n - 1];
	my $which = grep { $_ eq $name } @{$k->{calls}}[0 .. $n - 1];
	$k->fresh;
	my @pids = $k->trace('-o', '/dev/null', '-e', "inject=$name:signal=KILL:when=$which");
	my $r = $do->();
	# What is done after the reply may be killed too; what comes later is not meant.
	for (1 .. 15) { last if grep { !kill 0, $_ } @pids; sleep 0.02 }
	$stack->stop_one('tracer', 'INT');
	$k->children;
	return $r;
}

# One turn of a runner, with these options of strace. True if it was killed.
sub runner_traced {
	my ($k, @options) = @_;
	my $stack = $k->{stack};
	local @ENV{qw(ASAN_OPTIONS VITRINE_CONFIG)} = ("$ENV{ASAN_OPTIONS}:detect_leaks=0", "$stack->{dir}/vitrine.yaml");
	my $status = system("strace -qq @options $stack->{build}/vitrine-runner --once 2>>$stack->{dir}/runner.log");
	return $status >> 8 == 128 + 9 || $status & 127;
}

# Counts the system calls of such a turn, at most so many from the one that has that text. runner_at() kills it at one of them.
sub runner_count {
	my ($k, $text, $most) = @_;
	my ($inside, %n, @calls);
	$k->runner_traced('-s 300 -o', "$k->{stack}{dir}/strace");
	for (split /\n/, Vitrine::Stack::slurp("$k->{stack}{dir}/strace")) {
		my ($call) = /^(\w+)\(/ or next;
		$n{$call}++;
		$inside ||= index($_, $text) >= 0;
		push @calls, "$call:signal=KILL:when=$n{$call}" if $inside;
		last if @calls == $most;
	}
	$k->{runner} = \@calls;
	return scalar @calls;
}

sub runner_at { my ($k, $n) = @_; return $k->runner_traced('-o /dev/null -e', "inject=$k->{runner}[$n - 1]") }

1;
