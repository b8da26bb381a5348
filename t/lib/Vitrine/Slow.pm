# SPDX-License-Identifier: Apache-2.0
# What takes long, by many at once, in processes of its own: downloads that nobody reads, passwords that are guessed at, icons that never
# come.
package Vitrine::Slow;
use strict;
use warnings;
use IO::Select;
use IO::Socket::INET;
use IO::Socket::SSL;
use Cpanel::JSON::XS;
use POSIX ();
use Time::HiRes qw(sleep time);
use Vitrine::Api;

# The tarpit: a server that takes every connection and lets a line fall now and then. Its port must be in the stack's egress_allow.
# apart => 1, for benchmarks: clients have the last CPU for themselves, as if it were a machine of their own, and whatever is started
# afterwards has the others. With a CPU alone they share it.
sub new {
	my ($class, %o) = @_;
	$o{apart} &&= `nproc` - 1;
	cpus($$, 0, $o{apart} - 1) if $o{apart};
	return bless { %o, owner => $$, tarpit => IO::Socket::INET->new(Listen => 64, LocalAddr => '127.0.0.1') // die, kids => [] },
		$class;
}
sub cpus { my ($pid, $first, $last) = @_; qx(taskset -pc $first-$last $pid); $? == 0 or die "taskset\n" }
sub port { return $_[0]{tarpit}->sockport }

sub beside {
	my ($s, $do) = @_;
	my $pid = fork // die "fork: $!";
	if (!$pid) {
		$s->{apart} ? cpus($$, $s->{apart}, $s->{apart}) : setpriority 0, 0, 19;
		$SIG{PIPE} = 'IGNORE';
		eval { $do->() };
		POSIX::_exit(0);
	}
	push @{$s->{kids}}, $pid;
}

# How many workers are at something, of whichever pool.
sub busy {
	my ($s, $stack) = @_;
	my $c = IO::Socket::UNIX->new("$stack->{run}/metrics.sock") // die;
	print $c "GET / HTTP/1.0\r\n\r\n";
	my $n = 0;
	while (<$c>) { $n += $1 if /^vitrine_workers_busy.* (\d+)/ }
	return $n;
}
sub until_busy { my ($s, $stack, $least) = @_; for (1 .. 1200) { return 1 if $s->busy($stack) >= $least; sleep 0.05 } return 0 }
# The fewest that many looks find are those who keep a worker: a caller who is turned away has one for a moment, too.
sub least_busy { my ($s, $stack) = @_; return (sort { $a <=> $b } map { sleep 0.02; $s->busy($stack) } 1 .. 100)[0] }

# Also what the requests left behind, so that the next ones are seen to begin.
sub end {
	my ($s, $stack) = @_;
	kill 'KILL', @{$s->{kids}};
	waitpid $_, 0 for @{$s->{kids}};
	$s->{kids} = [];
	for (1 .. 400) { last if !$s->busy($stack); sleep 0.05 }
}
sub DESTROY { my ($s) = @_; kill 'KILL', @{$s->{kids}} if $s->{owner} == $$ }

# Twelve downloads of a large version whose clients do not read, of several persons: one alone may hold a quarter of the slow workers so.
sub exports {
	my ($s, $stack, $art, @who) = @_;
	for my $i (1 .. 12) {
		$s->beside(sub {
			my $c = Vitrine::Api->new($stack)->connection('vitrine.localhost');
			syswrite $c, "GET /v1/artifacts/$art/versions/1/export HTTP/1.1\r\nHost: vitrine.localhost\r\n"
				. "Authorization: Bearer $who[$i % @who]{token}\r\n\r\n";
			sleep 600;
		});
	}
}

# Wrong passwords on sixty-four connections, each from an address of its own.
sub passwords {
	my ($s, $stack) = @_;
	my $api = Vitrine::Api->new($stack);
	my $form = 'email=nobody%40example.org&password=wrong+horse';
	for my $part (0 .. 3) {
		$s->beside(sub {
			my @all = map { IO::Socket::SSL->new(PeerHost => '127.0.0.1', PeerPort => $stack->{port},
				LocalAddr => '127.0.1.' . (16 * $part + $_), SSL_verify_mode => 0,
				SSL_hostname => 'vitrine.localhost') || die } 1 .. 16;
			while (1) {
				syswrite $_, "POST /auth/signin HTTP/1.1\r\nHost: vitrine.localhost\r\nSec-Fetch-Site: same-origin\r\n"
					. "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: "
					. length($form) . "\r\n\r\n$form" for @all;
				for (@all) { $api->read_reply($_, 'POST') or die }
			}
		});
	}
}

# Twelve publish again and again, with an icon that never comes.
sub icons {
	my ($s, $stack, $who) = @_;
	$s->beside(sub {
		my $all = IO::Select->new($s->{tarpit});
		while (1) {
			for my $ready ($all->can_read(1)) {
				if ($ready != $s->{tarpit}) { sysread($ready, my $got, 65536) or $all->remove($ready); next }
				$all->add(my $c = $s->{tarpit}->accept);
				syswrite $c, "HTTP/1.1 200 OK\r\n";
			}
			for ($all->handles) { syswrite $_, 'X-Drop: ' . 'x' x 100 . "\r\n" if $_ != $s->{tarpit} }
		}
	});
	for my $i (1 .. 12) {
		$s->beside(sub {
			my $api = Vitrine::Api->new($stack);
			my $never = { enabled => Cpanel::JSON::XS::true, icon => 'http://127.0.0.1:' . $s->port . "/$i.png" };
			while (1) {
				$api->call(POST => '/v1/publish', { token => $who->{token}, json => { name => 'I', pwa => $never,
					files => [{ path => 'index.html', content => 'x' }] } });
				sleep 0.5;
			}
		});
	}
}

# Quick requests of somebody, each answered; that they come to an end while slow ones are under way is what there is to see. How long they
# take is for ./dev bench.
sub quick {
	my ($api, $token, $art) = @_;
	return scalar grep {
		$api->call(GET => $_ % 2 ? '/v1/auth/me' : "/v1/artifacts/$art", { token => $token })->{status} == 200;
	} 1 .. 50;
}

1;
