# SPDX-License-Identifier: Apache-2.0
# A crash of anything at any instant loses nothing acknowledged and leaves nothing half done: kill -9 of a worker at its N-th system call of
# a publish, and of MariaDB under load. Short by default; ./dev torture N tries N instants.
use Time::HiRes 'sleep';
use Vitrine::Crash;
use Vitrine::Words;

my $instants = $ENV{VITRINE_TORTURE} // 24;
my $stack = Vitrine::Crash->stack;
my $api = Vitrine::Api->new($stack);
my $crash = Vitrine::Crash->new($stack, $api);
my $ann = $stack->user('ann@example.org');
my $art = $api->publish($ann, slug => 'torture', visibility => 'public', files => { 'index.html' => 'v1', 'a.txt' => 'v1' });
my %acked = (1 => 1);

# Beside $stay files that never change.
sub publish {
	my ($text, $stay) = @_;
	my $r = $api->call(POST => '/v1/publish', { token => $ann->{token}, json => { name => 'T', artifact_id => $art,
		files => [(map { { path => $_, content => $text } } 'index.html', 'a.txt', "dir/$text.txt"),
			map { { path => "stay/$_.txt", content => "stays $_" } } 1 .. $stay] } });
	$acked{$r->{json}{version}{version_no}} = $text if $r->{status} == 201;
	return $r;
}

# Every version that exists is whole, every acknowledged one exists, and the live one is served.
sub whole {
	my ($name) = @_;
	my $list = $api->call(GET => "/v1/artifacts/$art/versions?limit=200", { token => $ann->{token} })->{json}{versions};
	my %there = map { $_->{version_no} => $_ } @$list;
	my @lost = grep { $_ > 1 && !$there{$_} && $_ > ((sort { $b <=> $a } keys %there)[0] - 200) } keys %acked;
	is "@lost", '', "$name: nothing acknowledged is lost";
	my ($live) = grep { $_->{is_live} } @$list;
	my ($shown, $linked) = map { $_->{body} } $api->get_site('torture', '/'), $api->get_site('torture', '/a.txt');
	is $shown, $linked, "$name: what is served is of one version";
	my $want = $acked{$live->{version_no}};
	is $shown, $want, "$name: and it is the acknowledged one" if $want && $want ne '1';
	my $out = $stack->ctl('fsck');
	is $out, 'clean', "$name: fsck is clean" or diag $out;
}

my $strace = `strace -V 2>/dev/null` ? 1 : 0;
# The second kind shares most files with the version before, and is made by difference.
for my $stay (0, 110) {
	last if !$strace;
	publish("first-$stay", $stay);
	my ($r, $calls) = $crash->count(sub { publish("count-$stay", $stay) });
	is $r->{status}, 201, "a publish of @{[3 + $stay]} files under strace";
	ok $calls > 50, "it has $calls system calls";
	my $killed = 0;
	for my $i (1 .. $instants / ($stay ? 2 : 1)) {
		my $n = 1 + int(($i - 0.5) * $calls / $instants * ($stay ? 2 : 1));
		$r = $crash->at($n, sub { publish("kill-$stay-$i", $stay) });
		$killed++ if $r->{status} != 201;
		ok $r->{status} =~ /^(?:201|502|503|504|0)$/, "system call $n: the caller is told $r->{status}";
		$stack->runner;
		whole("system call $n");
	}
	ok $killed > 0, "$killed were killed before they could answer";
}

# MariaDB dies under load, is started again, and everything that was acknowledged is there.
my @pids;
for my $k (1 .. 2) {
	my $pid = fork // die;
	if (!$pid) {
		my $mine = Vitrine::Api->new($stack);
		open my $ledger, '>', "$stack->{dir}/ledger-$k";
		$ledger->autoflush(1);
		for my $i (1 .. 60) {
			my $r = $mine->call(POST => '/v1/publish',
				{ token => $ann->{token}, json => { name => 'L', slug => "load-$k-$i", visibility => 'public',
					files => [{ path => 'index.html', content => "load-$k-$i" }] } });
			print $ledger "load-$k-$i\n" if $r->{status} == 201;
			sleep 0.03;
		}
		POSIX::_exit(0);
	}
	push @pids, $pid;
}
Vitrine::Stack::wait_for('publishes', 60, sub { !grep { 10 > split /\n/, Vitrine::Stack::slurp("$stack->{dir}/ledger-$_") } 1, 2 });
kill 'KILL', $stack->{pids}{db};
waitpid $stack->{pids}{db}, 0;
sleep 0.3;
$stack->start_db;
waitpid $_, 0 for @pids;
$crash->children;
delete $stack->{dbh};
my @ledger = map { split /\n/, Vitrine::Stack::slurp("$stack->{dir}/ledger-$_") } 1, 2;
ok @ledger > 10, scalar(@ledger) . ' publishes were acknowledged around the death of MariaDB';
$stack->runner;
is_deeply [grep { $api->get_site($_, '/')->{body} ne $_ } @ledger], [], 'each is served';
is $stack->ctl('fsck'), 'clean', 'fsck is clean';
finish($stack);
