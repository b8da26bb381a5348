# SPDX-License-Identifier: Apache-2.0
# Rounds of random faults, one at a time, while clients write and read by the balancer. At the end all machines are asked directly, and
# t/cluster/check_log.py judges the clients' logs: rounds.pl [--rounds N] [--seed S] [--logs DIR] [--faults NAME,NAME] [--clients KIND,KIND]
# [--rest TIMES] [--active] [--unleased]: clients rest longer; each fault is of the active machine; workers don't look at the lease, and
# violations must be found.
use File::Path 'make_path';
use Getopt::Long;
use List::Util 'shuffle';
use Time::HiRes qw(sleep time);
use Vitrine::Cluster;
use Vitrine::Logged;
use Vitrine::Words;

my ($rounds, $longer, $seed, $logs, $only, $kinds, $active_only, $unleased) = (10, 1);
GetOptions('rounds=i' => \$rounds, 'seed=i' => \$seed, 'logs=s' => \$logs, 'faults=s' => \$only, 'clients=s' => \$kinds, 'rest=f' => \$longer,
	active => \$active_only, unleased => \$unleased) or exit 64;
$seed //= time % 1_000_000;
note "seed $seed";
my $tools = File::Temp::tempdir(CLEANUP => 1);
my $cluster = Vitrine::Cluster->new(clock => !$only || $only =~ /clock/ ? 1 : 0, receives => $tools,
	$unleased ? (worker => "$ENV{VITRINE_BUILD}/t/cluster/unleased") : ());
$logs //= "$ENV{VITRINE_VAR}/cluster-logs";
make_path($logs);
unlink glob "$logs/*.log";

# ---- what the clients work on

$cluster->wait_whole(90);
my ($first) = $cluster->machines;
my $ann = $first->user('ann@example.org');
my $api = Vitrine::Api->new($cluster, unchecked => 1);
# A new cluster on a busy machine may hand over once more, and then answers 503.
sub make {
	my ($method, $path, $json) = @_;
	my $r;
	for (1 .. 60) {
		$r = $api->call($method => $path, { token => $ann->{token}, json => $json });
		last if $r->{status} != 503;
		sleep 1;
	}
	die "$path: $r->{status} $r->{body}\n" if $r->{status} !~ /^2/;
	return $r->{body};
}
sub make_page {
	my ($name, %fields) = @_;
	my %site = (name => $name, slug => $name, files => [{ path => 'index.html', content => 'x' }], %fields);
	return $api->{json}->decode(make(POST => '/v1/publish', \%site))->{artifact}{id};
}
my ($rows, $document, $list, $versions) = map { make_page($_) } qw(rows document list versions);
my $page = make_page('page', visibility => 'public');
make(PUT => "/v1/data/$rows/tables/t", { columns => [{ name => 'v', type => 'text' }] });
make(PUT => "/v1/data/$list/json", { list => [] });

# Fewer seats than people, and jobs whose receiver takes its time.
my ($ws) = make(POST => '/v1/workspaces', { name => 'Team' }) =~ /"(wsp_\w+)"/ or die "no workspace\n";
my ($SEATS, $sink) = (10, $cluster->{sink});
my @people = map { $first->user("p$_\@example.org")->{id} } 1 .. 14;
my @jobs = map {
	make(POST => '/v1/jobs', { artifact_id => $page, name => "job $_", schedule => '* * * * *', timezone => 'UTC', action => 'webhook',
		config => { url => $sink->url("/slow/1500?$_") } }) =~ /"(job_\w+)"/ ? $1 : die "no job\n";
} 1 .. 3;
my %taken;

# Each is called with a Vitrine::Logged, a text that is unique, and a number that counts.
my %clients = (
	rows => sub { my ($l, $unique, $n) = @_; $l->add_row($rows, $unique); $l->all_rows($rows) if $n % 20 == 0 },
	document => sub { my ($l, $unique) = @_; $l->set_document($document, $unique); $l->get_document($document) },
	list => sub { my ($l, $unique) = @_; $l->append_to_list($list, $unique) },
	versions => sub { my ($l, $unique) = @_; $l->publish_version($versions, $unique) },
	visitor => sub { my ($l) = @_; $l->fetch_page('page') },
	# By itself, not by the balancer: whatever a machine answers must be the truth. It is impatient, so that it asks a machine that is
	# stopped just before it wakes.
	direct => sub { my ($l) = @_; $l->get_document($document) },
	jobs => sub { my ($l, $unique, $n) = @_; $l->run_job($jobs[$n % @jobs], 'job' . ($n % @jobs + 1)) },
	# Each has half of the people.
	seats => sub {
		my ($l, $unique, $n) = @_;
		my $who = $people[2 * ($n * 5 % 7) + ($unique =~ /^seats-2/ ? 1 : 0)];
		if (!$taken{$who}) { my ($res) = $l->take_seat($ws, $unique, $who); $taken{$who} = $unique if $res ne 'fail' }
		else {
			my ($res, $r) = $l->free_seat($ws, $taken{$who}, $who);
			delete $taken{$who} if $res eq 'ok' || $r && $r->{status} == 404;
		}
	},
	page => sub { my ($l, $unique, $n) = @_; $n % 2 ? $l->close_page($page) : $l->open_page($page) },
);
# How many of a kind there are, and for how long each rests after an operation, in seconds.
my %instances = (rows => [2, 0.05], document => [2, 0.05], list => [2, 0.3], versions => [1, 0.3], visitor => [2, 0.05], page => [1, 0.3],
	direct => [6, 0.02], jobs => [1, 2], seats => [2, 0.1]);
my ($stop, $parent) = ("$cluster->{dir}/stop", $$);
my @clients;
for my $kind (grep { !$kinds || ",$kinds," =~ /,$_,/ } sort keys %clients) {
	my ($count, $rest) = @{$instances{$kind}};
	for my $i (1 .. $count) {
		my $pid = fork // die "fork: $!\n";
		push @clients, $pid and next if $pid;
		my @at = $kind eq 'direct' ? ($cluster->machine(1 + $i % 3), 1) : $cluster;
		my $l = Vitrine::Logged->new($at[0], $ann->{token}, "$logs/$kind-$i.log", $at[1]);
		for (my $n = 1; !-e $stop && getppid == $parent; $n++) {
			$clients{$kind}->($l, "$kind-$i-$n", $n);
			sleep $longer * $rest;
		}
		POSIX::_exit(0);
	}
}

# ---- faults by kind: name => [how to make it, for how many seconds, how to mend it, for how long the cluster may need then (90 s)].
# Each is of one machine. A mended machine stirs the group again, so most last longer than a takeover takes.

my @programs = qw(db worker nginx runner);
my %faults = (
	lost => { lose => [sub { $_[0]->lose }, 12, sub { $_[0]->plug_in; $_[0]->start }],
		unplug => [sub { $_[0]->unplug }, 12, sub { $_[0]->plug_in }] },
	'cut off' => { map { my $way = $_; ("cut off $way" => [sub { $_[0]->cut_off($way) }, 12, sub { $_[0]->reach }]) } qw(in out both) },
	# It wakes in the worst order: workers ask a MariaDB that doesn't know yet that others went on.
	frozen => { freeze => [sub { $_[0]->freeze }, 20, sub { $_[0]->thaw($_) for qw(nginx worker); sleep 0.7; $_[0]->thaw }],
		map { my $program = $_; ("freeze $program" => [sub { $_[0]->freeze($program) }, 12, sub { $_[0]->thaw($program) }]) } @programs },
	killed => { map { my $program = $_; ("kill $program" => [sub { $_[0]->kill_now($program) }, $program eq 'nginx' ? 3 : 12,
		sub { $_[0]->start }]) } @programs },
	'full disk' => { 'fill disk' => [sub { $_[0]->fill_disk }, 12,
		sub { $_[0]->empty_disk; $_[0]->kill_now('db') if !$_[0]->is_synced; $_[0]->start }] },
	moved => { move => [sub { $_[0]->want_active }, 3, sub { }] },
	upgraded => { upgrade => [sub { $_[0]->upgrade }, 1, sub { }] },
	joined => { join => [sub { $_[0]->leave }, 3, sub { $_[0]->join_by($cluster->active); $_[0]->start }, 180] },
	clock => { map { my $days = $_; ("clock $days" => [sub { $_[0]->set_clock($days) }, 12, sub { $_[0]->set_clock(0) }]) } qw(+1 -1) },
	store => { 'store refuses' => [sub { $cluster->lose_store('refuses') }, 5, sub { $cluster->find_store }],
		'store hangs' => [sub { $cluster->lose_store('hangs') }, 12, sub { $cluster->find_store }] },
);
my $log = Vitrine::Logged->new($cluster, undef, "$logs/faults.log");
my $begun = Vitrine::Logged::seconds();
$log->line({ t0 => $begun, t1 => $begun, node => 'plan', op => 'bound', key => 'seats', value => $SEATS, res => 'ok' });
$log->line({ t0 => $begun, t1 => $begun, node => 'owner', op => 'take', key => 'seats', value => 'owner', res => 'ok' });
my %names = map { my $all = $faults{$_}; ($_ => [grep { !$only || ",$only," =~ /,\Q$_\E,/ } sort keys %$all]) } keys %faults;
my (@made, @order);
srand $seed;
for my $round (1 .. $rounds) {
	# Ten rounds have one fault of each kind.
	@order = shuffle(grep { @{$names{$_}} } sort keys %names) if !@order;
	my $kind = shift @order;
	# Half of the time it is the active machine.
	my ($name, $m, $hits) = ($names{$kind}[rand @{$names{$kind}}], $cluster->machine(1 + int rand 3), $active_only || rand() < 0.5);
	my ($make, $seconds, $mend, $patience) = @{$faults{$kind}{$name}};
	my $active = $cluster->active;
	$m = $active if $active && $hits && $name ne 'move';
	my $what = "round $round: $name, $m->{name}" . ($active && $m == $active ? ', which is active' : '');
	note $what;
	my $from = $log->fault($name, $m->{name});
	$make->($m);
	sleep $seconds * (0.9 + 0.3 * rand);
	$mend->($m);
	# A unit starts what has ended. The guard of an active machine ends its MariaDB.
	$m->start;
	$log->fault("mended: $name", $m->{name});
	ok eval { $cluster->wait_whole($patience // 90); 1 }, "$what; the cluster is whole again" or diag $@;
	sleep 1 + rand 3;
	my $then = $cluster->active;
	push @made, [$what, $name, $from, Vitrine::Logged::seconds(), $kind, $active && $then && $active != $then];
}

# ---- the end

Vitrine::Stack::spew($stop, '');
waitpid $_, 0 for @clients;
sleep 2;
for my $m ($cluster->machines) {
	ok eval { $m->make_active(3); 1 }, "$m->{name} is made active" or diag $@;
	my $l = Vitrine::Logged->new($m, $ann->{token}, "$logs/final-$m->{name}.log");
	for (['all_rows', $rows], ['get_document', $document], ['read_list', $list]) {
		my ($read, $art) = @$_;
		$l->$read($art, final => $true);
	}
}
for my $m ($kinds ? () : $cluster->machines) {
	my ($status, $out, $err) = $m->program('vitrinectl', {}, 'fsck');
	is $status, 0, "fsck finds nothing on $m->{name}" or diag "$out$err";
}
# Attempts as the receiver saw them.
my ($ahead, %open) = (time - Vitrine::Logged::seconds());
for ($sink->lines) {
	my ($what, $at, $path, $run) = @$_;
	if ($what eq 'begin') { push @{$open{"$path $run"}}, $at; next }
	my $from = shift @{$open{"$path $run"}} // next;
	$log->line({ t0 => $from - $ahead, t1 => $at - $ahead, node => 'receiver', op => 'run', key => $path =~ s/.*\?/job/r, value => $run,
		res => 'ok' });
}
$cluster->stop;
# How long nothing was written in each round.
my @written = sort { $a <=> $b } map { my $o = decode_json($_); $o->{res} eq 'ok' && $o->{op} =~ /^(?:add|set|append)$/ ? $o->{t1} : () }
	map { split /^/, Vitrine::Stack::slurp($_) } grep { !/final|faults/ } glob "$logs/*.log";
my (%stalls, %of, @takeovers);
for (@made) {
	my ($what, $name, $from, $to, $kind, $taken_over) = @$_;
	my @within = grep { $_ >= $from - 1 && $_ <= $to } @written;
	my ($longest) = sort { $b <=> $a } map { $within[$_] - $within[$_ - 1] } 1 .. $#within;
	note sprintf '%s: nothing was written for %.1f s', $what, $longest //= $to - $from;
	push @{$stalls{$name . ($what =~ /active/ ? ', of the active machine' : '')}}, $longest;
	push @takeovers, $longest if $taken_over && $kind !~ /^(?:moved|upgraded|joined)$/;
	$of{$kind}++;
}
sub times_of {
	my @all = sort { $a <=> $b } @_;
	return sprintf 'nothing was written for %.1f s (median), at most %.1f s', $all[@all / 2], $all[-1];
}
note scalar @{$stalls{$_}}, " times $_: ", times_of(@{$stalls{$_}}) for sort keys %stalls;
note scalar @takeovers, ' takeovers after a fault: ', times_of(@takeovers) if @takeovers;
note 'kinds: ', join ', ', map { "$of{$_} $_" } sort keys %of;
my $verdict = `python3 t/cluster/check_log.py $logs/*.log`;
if ($unleased) { isnt $?, 0, "seed $seed: without a look at the lease there are violations" }
else { is $?, 0, "seed $seed: the clients were told the truth" }
note $unleased ? $verdict =~ s/^((?:.*\n){10})(?:.*\n)*?(.*\n)\z/$1...\n$2/r : $verdict;
done_testing;
