# SPDX-License-Identifier: Apache-2.0
# What takes long leaves a quick request alone: downloads that nobody reads, passwords that are guessed at, icons that never come. Each time the same
# quick requests are measured as at idle in the same run.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IO::Select;
use IO::Socket::INET;
use MIME::Base64;
use Test::More;
use Time::HiRes qw(sleep time);
use Vitrine::Api;
use Vitrine::Stack;

# A server that takes every connection and lets a line fall now and then.
my $tarpit = IO::Socket::INET->new(Listen => 64, LocalAddr => '127.0.0.1') or die;
my @kids;
sub beside {
	my ($do) = @_;
	my $pid = fork // die "fork: $!";
	if (!$pid) { setpriority 0, 0, 19; $SIG{PIPE} = 'IGNORE'; eval { $do->() }; POSIX::_exit(0) }
	push @kids, $pid;
}
# Also what its requests left behind, so that the next ones are seen to begin.
sub beside_end {
	kill 'KILL', @kids;
	waitpid $_, 0 for @kids;
	@kids = ();
	for (1 .. 400) { last if !busy(); sleep 0.05 }
}
my $stack = Vitrine::Stack->new(workers => 3, egress_allow => '127.0.0.1:' . $tarpit->sockport, publish_per_hour => 100000, publish_failures_per_hour => 100000,
	exports_per_hour => 100000, signin_failures_per_hour => 1000000);
my $api = Vitrine::Api->new($stack);
my $ann = $stack->user('ann@example.org');
my $noise = do { open my $f, '<', '/dev/urandom'; read $f, my $bytes, 25 << 20; $bytes };
my $art = $api->publish($ann, slug => 'quick', visibility => 'public', entrypoint => 'a.bin', files => { 'a.bin' => { encoding => 'base64', content => encode_base64($noise, '') } });

# Milliseconds of the two requests: [the middle, what one of twenty exceeds, the mean, which one that waits for seconds raises].
sub quick {
	my @took;
	for my $i (1 .. 300) {
		my $from = time;
		my $r = $api->call(GET => $i % 2 ? '/v1/auth/me' : "/v1/artifacts/$art", { token => $ann->{token} });
		push @took, 1000 * (time - $from);
		die "a quick request: $r->{status}\n" if $r->{status} != 200;
	}
	@took = sort { $a <=> $b } @took;
	my $sum = 0;
	$sum += $_ for @took;
	return [@took[150, 285], $sum / @took];
}
sub text { return join ', ', map { sprintf '%.1f ms', $_ } @{$_[0]} }
quick();
my $idle = quick();
diag 'idle: ', text($idle);
sub undisturbed {
	my ($what) = @_;
	my $now = quick();
	diag "$what: ", text($now);
	ok $now->[0] < 3 * $idle->[0] + 5, "beside $what: the middle";
	ok $now->[1] < 3 * $idle->[1] + 30, '... all but one of twenty';
	ok $now->[2] < 3 * $idle->[2] + 10, '... and all of them';
}
# How many workers are at something, of whichever pool.
sub busy { my ($c) = IO::Socket::UNIX->new("$stack->{run}/metrics.sock"); print $c "GET / HTTP/1.0\r\n\r\n"; my $n = 0; while (<$c>) { $n += $1 if /^vitrine_workers_busy.* (\d+)/ } return $n }
sub until_busy { my ($n) = @_; for (1 .. 200) { return 1 if busy() >= $n; sleep 0.05 } return 0 }

# ---- twelve downloads whose clients do not read

for (1 .. 12) {
	beside(sub {
		my $c = Vitrine::Api->new($stack)->connection('vitrine.localhost');
		syswrite $c, "GET /v1/artifacts/$art/versions/1/export HTTP/1.1\r\nHost: vitrine.localhost\r\nAuthorization: Bearer $ann->{token}\r\n\r\n";
		sleep 600;
	});
}
ok until_busy(2), 'two workers send to clients that do not read';
undisturbed('twelve downloads that stand still');
is $api->call(GET => '/auth/callback')->{status}, 400, 'the third of the slow ones answers still';
beside_end();

# ---- sixty-four connections of wrong passwords, each from an address of its own

my $form = 'email=nobody%40example.org&password=wrong+horse';
for my $part (0 .. 3) {
	beside(sub {
		my @all = map { IO::Socket::SSL->new(PeerHost => '127.0.0.1', PeerPort => $stack->{port}, LocalAddr => '127.0.1.' . (16 * $part + $_), SSL_verify_mode => 0,
			SSL_hostname => 'vitrine.localhost') || die } 1 .. 16;
		while (1) {
			syswrite $_, "POST /auth/signin HTTP/1.1\r\nHost: vitrine.localhost\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: "
				. length($form) . "\r\n\r\n$form" for @all;
			for (@all) { $api->read_reply($_, 'POST') or die }
		}
	});
}
ok until_busy(3), 'every slow worker has a password to look at';
undisturbed('wrong passwords from sixty-four addresses');
ok until_busy(1), 'they went on all the while';
beside_end();

# ---- twelve icons that never come

beside(sub {
	my $all = IO::Select->new($tarpit);
	while (1) {
		for my $ready ($all->can_read(1)) {
			if ($ready != $tarpit) { sysread($ready, my $got, 65536) or $all->remove($ready); next }
			$all->add(my $c = $tarpit->accept);
			syswrite $c, "HTTP/1.1 200 OK\r\n";
		}
		for ($all->handles) { syswrite $_, 'X-Drop: ' . 'x' x 100 . "\r\n" if $_ != $tarpit }
	}
});
for my $i (1 .. 12) {
	beside(sub { Vitrine::Api->new($stack)->call(POST => '/v1/publish', { token => $ann->{token}, json => { name => 'I', files => [{ path => 'index.html', content => 'x' }],
		pwa => { enabled => JSON::PP::true, icon => 'http://127.0.0.1:' . $tarpit->sockport . "/$i.png" } } }) });
}
ok until_busy(3), 'every slow worker waits for an icon';
undisturbed('twelve icons that never come');
is busy(), 3, 'they wait still';
beside_end();

$stack->finish;
done_testing;
