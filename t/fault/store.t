# SPDX-License-Identifier: Apache-2.0
# kill -9 of a worker at its N-th system call of an upload that also goes to a store: what was acknowledged is in both. And publishers race
# with a runner that deletes from the store, slowly. ./dev torture N tries N instants.
use Digest::SHA 'sha256_hex';
use List::Util 'sum';
use Time::HiRes 'sleep';
use Vitrine::Crash;
use Vitrine::S3;
use Vitrine::Words;

my $instants = $ENV{VITRINE_TORTURE} // 8;
my $s3 = Vitrine::S3->new(Vitrine::Stack::test_tls());
my $stack = Vitrine::Crash->stack(trash_days => 0, scrub_days => 0, chromium => '"-"', $s3->conf);
my $api = Vitrine::Api->new($stack);
my $crash = Vitrine::Crash->new($stack, $api);
my $db = $stack->db;
my $ann = $stack->user('ann@example.org');
sub object { my $hex = sha256_hex($_[0]); return 'objects/' . substr($hex, 0, 2) . "/$hex" }
sub stored { my ($bytes) = @_; return -e $s3->file('pre/' . object($bytes)) }
sub publish {
	my ($slug, $bytes) = @_;
	return $api->call(POST => '/v1/publish', { token => $ann->{token},
		json => { name => $slug, slug => $slug, files => [{ path => 'index.html', content => $bytes }] } });
}

SKIP: {
	skip 'strace is not here', 1 if !`strace -V 2>/dev/null`;
	my ($r, $calls) = $crash->count(sub { publish('count', 'count') });
	is $r->{status}, 201, 'a publish under strace' or diag $r->{body};
	my $killed = 0;
	for my $i (1 .. $instants) {
		my $n = 1 + int(($i - rand) * $calls / $instants);
		$r = $crash->at($n, sub { publish("n-$n", "of $n") });
		ok $r->{status} =~ /^(?:201|502|503|504|0)$/, "system call $n: the caller is told $r->{status}";
		ok $r->{status} != 201 || stored("of $n"), '... and what was acknowledged is in the store';
		$killed += $r->{status} != 201;
	}
	cmp_ok $killed, '>', $instants / 3, "$killed publishes were killed";
	like $stack->ctl('fsck', '--store'), qr/, 0 missing, .*clean$/s, 'each row has its bytes here and there';
	like $stack->ctl(qw(store heal)), qr/, 0 missing/, '... and what died in between is recorded';
}

# ---- publishers and the runner

$s3->fault(DELETE => ['slow', 0.2]);
my $until = time + 15;
my $rounds = $ENV{VITRINE_TORTURE} // 0;
# At one digest; now and then no row names it for long enough that it goes.
my @bytes = ('race');
my @pids = map {
	my $who = $_;
	my $pid = fork // die;
	if (!$pid) {
		my ($bad, $n) = ('', 0);
		while (!-e "$stack->{dir}/stop") {
			my $bytes = $bytes[rand @bytes];
			my $r = publish("race-$who-" . ++$n, $bytes);
			$bad .= "$r->{status} $r->{body}\n" if $r->{status} != 201 && ($r->{json}{code} // '') ne 'STORE_UNAVAILABLE';
			next if $r->{status} != 201;
			$bad .= "$bytes is not there\n" if !stored($bytes);
			$api->call(DELETE => "/v1/artifacts/$r->{json}{artifact}{id}", { token => $ann->{token} });
			sleep 4 * rand if rand() < 0.5;
		}
		Vitrine::Stack::spew("$stack->{dir}/race-$who", $bad);
		Vitrine::Stack::spew("$stack->{dir}/count-$who", $n);
		POSIX::_exit(0);
	}
	$pid;
} 1 .. 2;
my $passes = 0;
while (time < $until || $passes < $rounds || (time < $until + 120 && !grep { /^DELETE/ } $s3->calls)) {
	$db->do('DELETE FROM sweep');
	# What no row names has been so for long.
	$db->do("UPDATE $_ SET at = at - 3600") for qw(object_stored object_doomed);
	$stack->runner;
	$passes++;
}
Vitrine::Stack::spew("$stack->{dir}/stop", '');
waitpid $_, 0 for @pids;
is Vitrine::Stack::slurp("$stack->{dir}/race-$_"), '', "publisher $_: what was acknowledged was in the store at that time" for 1, 2;
diag sprintf '%d publishes, %d passes, %d deletions', (sum map { eval { Vitrine::Stack::slurp("$stack->{dir}/count-$_") } // 0 } 1, 2),
	$passes, scalar grep { /^DELETE/ } $s3->calls;
ok +(grep { /^DELETE/ } $s3->calls), 'some was deleted meanwhile';
$s3->fault(DELETE => undef);
is publish('last', $bytes[0])->{status}, 201, 'then it is published';
like $stack->ctl('fsck', '--store'), qr/, 0 missing, .*clean$/s, 'and nothing is missing';

finish($stack);
