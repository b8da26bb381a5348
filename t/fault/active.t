# SPDX-License-Identifier: Apache-2.0
# Two machines of a cluster at one MariaDB: one is active, the other answers nothing. Whatever is killed or stopped at the active one, it
# answers and commits nothing after its lease, hides its pages, and the other one takes over. ./dev cluster has three machines with Galera.
use File::Temp 'tempdir';
use Time::HiRes qw(sleep time);
use Vitrine::S3;
use Vitrine::Words qw(said refused);

my $store = Vitrine::S3->new(Vitrine::Stack::test_tls());
my $dir = tempdir(CLEANUP => 1);
my @settings = (workers => 2, cluster_admin_file => "$dir/password", $store->conf);

# ---- alone

my $first = Vitrine::Stack->new(workers => 1);
$first->start_runner;
Vitrine::Stack::wait_for('lanes', 60, sub { my %l = $first->lanes; $l{outbox} && $l{scrub} });
my $db = $first->db;
$db->do("SET GLOBAL general_log_file = '$first->{dir}/statements'");
$db->do('SET GLOBAL general_log = 1');
is(Vitrine::Api->new($first)->publish($first->user('ann@example.org'), slug => 'alone') =~ /^art_/, 1, 'a machine that is alone publishes');
sleep 2;
$db->do('SET GLOBAL general_log = 0');
my %lanes = $first->lanes;
ok !$lanes{cluster}, '... has no process of a cluster';
is join(' ', grep { -e "$first->{dir}/data/$_" } qw(lease well sites.hidden)), '', '... no file';
my @statements =
	grep { /cluster_active|(?:FROM|INTO|UPDATE|JOIN) node(?!_outbox)|wsrep/ } split /\n/,
	Vitrine::Stack::slurp("$first->{dir}/statements");
is "@statements", '', '... and no statement';
$first->finish;

# ---- two

my $a = Vitrine::Stack->new(@settings, cluster_node => 'a');
$a->make_cluster("$dir/password", a => 'a.example.org', b => 'b.example.org');
my $b = Vitrine::Stack->new(@settings, cluster_node => 'b', beside => $a);
$_->expect_internal for $a, $b;
my %api = map { $_->{conf}{cluster_node} => Vitrine::Api->new($_) } $a, $b;
$db = $a->db;
my $ann = $a->user('ann@example.org');
my %of = (a => $a, b => $b);

sub ask {
	my ($node, $method, $path, @json) = @_;
	return $api{$node}->call($method => $path, { token => $ann->{token}, @json ? (json => @json) : () });
}
sub answer { my ($node) = @_; return said(ask($node, GET => '/v1/artifacts')) }
sub active { return join ' ', map { $_ // '' } $db->selectrow_array('SELECT node, epoch FROM cluster_active') }
sub wait_active {
	my ($node) = @_;
	my $begun = time;
	my $good = eval { Vitrine::Stack::wait_for("$node to be active", 60, sub { answer($node) =~ /^200/ }) };
	return ok($good, sprintf '%s is active after %.1f s', $node, time - $begun);
}
# The other one gave the role up, or tried to: it wasn't taken from it when its lease had ended.
sub handed_over {
	my ($node, $from) = @_;
	my ($how) = (Vitrine::Stack::slurp("$of{$node}{dir}/runner.log") =~ /"event":"(taken over|free role taken)"/g)[-1];
	return $how eq 'free role taken' || Vitrine::Stack::slurp("$of{$from}{dir}/runner.log") =~ /"event":"not handed over"/;
}
sub shown { my ($node) = @_; return -e "$of{$node}{dir}/data/sites" && !-e "$of{$node}{dir}/data/sites.hidden" ? 1 : 0 }
sub wait_shown { my ($node, $want) = @_; return eval { Vitrine::Stack::wait_for("pages of $node", 60, sub { shown($node) == $want }) } }
# The processes of a machine: name => process id.
sub tree { my ($pid) = @_; return ($pid, map { tree($_) } map { split ' ', Vitrine::Stack::slurp($_) } glob "/proc/$pid/task/*/children") }
sub processes { my ($node) = @_; return map { tree($of{$node}{pids}{$_}) } grep { $of{$node}{pids}{$_} } qw(runner worker) }
sub named { my ($node, $name) = @_; return grep { Vitrine::Stack::slurp("/proc/$_/comm") eq "$name\n" } processes($node) }
sub start { my ($node) = @_; $of{$node}->start_runner }

for my $node (qw(a b)) {
	my $r = refused(ask($node, GET => '/v1/artifacts'), '503 NOT_ACTIVE', "$node answers nothing before it has a lease");
	is $r->{headers}{'retry-after'}, 1, '... but when to come again';
}
refused(ask(a => POST => '/v1/publish', { name => 'x', files => [{ path => 'index.html', content => 'x' }] }), '503 NOT_ACTIVE',
	'... and changes nothing');
is($api{a}->call(GET => '/healthz')->{status}, 200, 'what reads no row is answered');

start('a');
wait_active('a');
is active(), 'a 1', 'the first one takes over';
start('b');
ok wait_shown(b => 1), 'the other one shows its pages';
is answer('b'), '503 NOT_ACTIVE', '... and answers nothing else';
my $art = $api{a}->publish($ann, slug => 'page', visibility => 'public');
my $other = $api{a}->publish($ann, slug => 'other');
is $api{a}->get_site('page', '/')->{body}, 'x', 'the active one shows a page';

# ---- a lane, then all of the runner

kill KILL => named(a => 'cluster-lane');
sleep 1.5;
is answer('a'), '200 ', 'its lane is killed, and starts again in time';
is active(), 'a 1', '... nobody takes over';

kill KILL => $a->{pids}{runner};
wait_active('b');
is active(), 'b 2', 'its runner is killed, and the epoch is one more';
ok handed_over(b => 'a'), '... it hands over';
is answer('a'), '503 NOT_ACTIVE', '... it answers nothing';
ok wait_shown(a => 0), '... and hides its pages';
isnt $api{a}->get_site('page', '/')->{status}, 200, '... none is served';
delete $a->{pids}{runner};
start('a');
ok wait_shown(a => 1), 'it starts again and shows them';
is active(), 'b 2', '... but is not active';

# ---- the pools

my $killed = time;
kill KILL => $b->{pids}{worker};
wait_active('a');
is active(), 'a 3', sprintf 'pools are killed, and the other one is active after %.1f s', time - $killed;
delete $b->{pids}{worker};
$b->start_worker;
is answer('b'), '503 NOT_ACTIVE', 'they start again and answer nothing';

# ---- stopped for 20 s

# A change waits for a row that is locked here, until its worker has been stopped.
$db->do('START TRANSACTION');
$db->selectrow_array('SELECT id FROM artifact WHERE id = ? FOR UPDATE', undef, $other);
my @waiting = map { my $what = $_; pipe my $from, my $to or die; my $pid = fork // die;
	if (!$pid) {
		my $api = Vitrine::Api->new($a, unchecked => 1);
		my %as = (token => $ann->{token});
		sleep 1.5 if $what eq 'read';
		my $r = $what eq 'read' ? $api->call(GET => "/v1/artifacts/$other", { %as })
			: $api->call(PATCH => "/v1/artifacts/$other", { %as, json => { name => 'Late' } });
		print $to said({ %$r, json => eval { decode_json($r->{body}) } // {} });
		close $to;
		POSIX::_exit(0);
	}
	close $to; [$what, $from, $pid] } qw(change read);
sleep 0.7;
my @stopped = processes('a');
kill STOP => @stopped;
my $began = time;
sleep 0.3;
$db->do('ROLLBACK');
wait_active('b');
pass sprintf 'the active one is stopped, and the other one is active after %.1f s', time - $began;
is active(), 'b 4', '... with the next epoch';
is(ask(b => PATCH => "/v1/artifacts/$art", { name => 'By b' })->{status}, 200, '... and changes something');
sleep 20 - (time - $began) if time - $began < 20;
kill CONT => @stopped;
for (@waiting) {
	my ($what, $from, $pid) = @$_;
	is <$from> // '', '503 NOT_ACTIVE', "it wakes: a $what that was under way";
	waitpid $pid, 0;
}
is(($db->selectrow_array('SELECT name FROM artifact WHERE id = ?', undef, $other))[0], 'Site', '... no change was committed');
is answer('a'), '503 NOT_ACTIVE', '... and it answers nothing';
ok wait_shown(a => 1), '... it comes back';
is active(), 'b 4', '... but is not active';

# ---- by an operator

$db->do("UPDATE cluster_active SET wanted = 'a'");
wait_active('a');
is active(), 'a 5', 'an operator wants the other one';
ok handed_over(a => 'b'), '... and the former one hands over';
is answer('b'), '503 NOT_ACTIVE', '... and the former one answers nothing';
ok shown('b'), '... but shows its pages';
kill TERM => $a->{pids}{runner};
wait_active('b');
is active(), 'b 6', 'its runner is stopped';
ok handed_over(b => 'a'), '... and it hands over';
ok Vitrine::Stack::wait_for('the last word of a', 60, sub { !$db->selectrow_array("SELECT shows FROM node WHERE name = 'a'") }),
	'... and says that it shows nothing';
$a->stop_one('runner');

# ---- a lane that is stuck

start('a');
ok wait_shown(a => 1), 'it starts again';
is($db->selectrow_array("SELECT shows FROM node WHERE name = 'a'"), 1, '... and says that it shows pages');
sub timed { my $begun = time; my $r = ask(@_); return (said($r), time - $begun) }
sub close_page { return timed(b => PATCH => "/v1/artifacts/$art", { visibility => 'private' }) }
sub open_page {
	ask(b => PATCH => "/v1/artifacts/$art", { visibility => 'public' });
	return Vitrine::Stack::wait_for('the page at a', 60, sub { $api{a}->get_site('page', '/')->{status} == 200 });
}
open_page();
my ($closed, $took) = close_page();
is $closed, '200 ', 'a closing';
cmp_ok $took, '<', 8, sprintf '... takes %.1f s', $took;
open_page();
my @stuck = named(a => 'runner-closings');
is scalar(@stuck), 1, 'the lane of the warm machine is stopped';
kill STOP => @stuck;
($closed, $took) = close_page();
is $closed, '200 ', '... a closing';
pass sprintf '... takes %.1f s', $took;
ok !shown('a'), '... and that machine has hidden its pages';
ask(b => PATCH => "/v1/artifacts/$art", { visibility => 'public' });
($closed, $took) = close_page();
cmp_ok $took, '<', 8, sprintf 'the next one takes %.1f s', $took;
kill CONT => @stuck;
ok wait_shown(a => 1), 'the lane goes on, and pages are shown again';
isnt $api{a}->get_site('page', '/')->{status}, 200, '... without the closed one';

# ---- nginx

# As balancers do.
my $asker = $$;
sub balancer {
	my $pid = fork // die;
	return $pid if $pid;
	my @ask = map { Vitrine::Api->new($_, unchecked => 1) } $a, $b;
	while (getppid == $asker) { for my $one (@ask) { eval { $one->call(GET => '/readyz?active=1') } } sleep 0.3 }
	POSIX::_exit(0);
}
sub ended { my ($pid) = @_; kill KILL => $pid; return waitpid $pid, 0 }
sub asks {
	my ($want) = @_;
	return eval { Vitrine::Stack::wait_for("asked $want", 60, sub { $db->selectrow_array('SELECT SUM(asked) FROM node') == $want }) };
}
my $balancer = balancer();
ok asks(2), 'balancers ask both';
sleep 3;
is active(), 'b 6', '... and nothing changes';
ended($balancer);
ok asks(0), 'all of them end';
sleep 8;
is active(), 'b 6', '... the role stays: they reach no other machine either';
$balancer = balancer();
ok asks(2), 'they are back';
sleep 3;
is active(), 'b 6', '... and it still does';
$b->stop_one('nginx');
my $since = time;
wait_active('a');
is active(), 'a 7', sprintf 'nginx of the active machine has ended, and the other one is active after %.1f s', time - $since;
$b->start_nginx;
ended($balancer);
finish($a, $b);
