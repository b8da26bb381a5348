# SPDX-License-Identifier: Apache-2.0
# A crash of anything at any instant loses nothing acknowledged and leaves nothing half done: kill -9 of a worker at its N-th system call of
# a publish, and of MariaDB under load. Short by default; ./dev torture N tries N instants.
use Time::HiRes 'sleep';
use Vitrine::Crash;
use Vitrine::Words;

my $instants = $ENV{VITRINE_TORTURE} // 12;
my $stack = Vitrine::Crash->stack;
my $api = Vitrine::Api->new($stack);
my $crash = Vitrine::Crash->new($stack, $api);
my $ann = $stack->user('ann@example.org');
my $art = $api->publish($ann, slug => 'torture', visibility => 'public', files => { 'index.html' => 'v1', 'a.txt' => 'v1' });
my %acked = (1 => 1);

# Beside $stay files that never change; viewed: also a text that has a view.
sub publish {
	my ($text, $stay, $viewed) = @_;
	my $r = $api->call(POST => '/v1/publish', { token => $ann->{token}, json => { name => 'T', artifact_id => $art,
		($viewed ? (views => 'all') : ()),
		files => [(map { { path => $_, content => $text } } 'index.html', 'a.txt', "dir/$text.txt", $viewed ? 'note.md' : ()),
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
	my $viewed = $api->get_site('torture', '/note.md')->{status} == 200;
	like $api->get_site('torture', '/note.md.html')->{body}, qr{<p>\Q$shown\E</p>}, "$name: and its view" if $viewed;
	my $out = $stack->ctl('fsck');
	is $out, 'clean', "$name: fsck is clean" or diag $out;
}

my $strace = `strace -V 2>/dev/null` ? 1 : 0;
# The second kind shares most files with the version before, and is made by difference. The third has views.
for my $kind ([0, 0, 1], [110, 0, 2], [0, 1, 3]) {
	last if !$strace;
	my ($stay, $viewed, $few) = @$kind;
	publish("first-$stay-$viewed", $stay, $viewed);
	my ($r, $calls) = $crash->count(sub { publish("count-$stay-$viewed", $stay, $viewed) });
	is $r->{status}, 201, "a publish of @{[3 + $stay + $viewed]} files under strace";
	ok $calls > 50, "it has $calls system calls";
	my $killed = 0;
	for my $i (1 .. $instants / $few) {
		my $n = 1 + int(($i - rand) * $calls / $instants * $few);
		$r = $crash->at($n, sub { publish("kill-$stay-$viewed-$i", $stay, $viewed) });
		$killed++ if $r->{status} != 201;
		ok $r->{status} =~ /^(?:201|502|503|504|0)$/, "system call $n: the caller is told $r->{status}";
		$stack->runner;
		whole("system call $n");
	}
	ok $killed > 0, "$killed were killed before they could answer";
}

# Views that are made anew: all as before, or all new.
if ($strace) {
	publish('anew', 0, 1);
	my ($no) = sort { $b <=> $a } keys %acked;
	my $again = sub {
		$stack->db->do("UPDATE view w JOIN version_file f ON f.artifact_id = w.artifact_id AND f.version_no = w.version_no"
			. " AND f.path = 'note.md' SET w.made_at = 1, w.size_bytes = f.size_bytes, w.sha256 = f.sha256"
			. " WHERE w.artifact_id = ? AND w.version_no = ? AND w.path = 'note.md.html'", undef, $art, $no);
		return $api->call(POST => "/v1/artifacts/$art/versions/$no/views", { token => $ann->{token} });
	};
	my ($r, $calls) = $crash->count($again);
	is $r->{status}, 200, 'views are made anew under strace' or diag $r->{body};
	for my $i (1 .. $instants / 4) {
		$r = $crash->at(1 + int(($i - rand) * $calls / $instants * 4), $again);
		$stack->runner;
		my $done = $stack->db->selectrow_array('SELECT made_at > 1 FROM view WHERE artifact_id = ? AND version_no = ? AND path = ?',
			undef, $art, $no, 'note.md.html');
		is $done, 1, "call $i: ... which was told, is done" if $r->{status} == 200;
		$r = $again->() if !$done;
		whole("views, system call $i");
	}
}

# A page of a table, for which it is written where the rows are: that is whole or not there.
if ($strace) {
	my $csv = "id\n" . join '', map { "$_\n" } 1 .. 5000;
	$api->publish($ann, slug => 'rows', visibility => 'public', files => { 'a.csv' => $csv });
	my $asked = sub { unlink glob "$stack->{dir}/data/views/*"; return $api->get_site('rows', '/_vitrine/view/a.csv?sort=-1') };
	my ($r, $calls) = $crash->count($asked);
	like $r->{body}, qr{>5000<.*>4901<}s, 'a page of a table under strace' or diag $r->{status};
	for my $i (1 .. $instants / 4) {
		$crash->at(1 + int(($i - rand) * $calls / $instants * 4), $asked);
		like $api->get_site('rows', '/_vitrine/view/a.csv?sort=-1')->{body}, qr{>5000<.*>4901<}s,
			"a page of a table, system call $i";
	}
	is $stack->ctl('fsck'), 'clean', '... and fsck is clean';
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
