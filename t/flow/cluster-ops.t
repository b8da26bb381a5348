# SPDX-License-Identifier: Apache-2.0
# What an operator sees and types in a cluster, here of two machines at one MariaDB: status, move, drain, leave, what balancers ask, doctor,
# and the operators' page. ./dev cluster has three machines with Galera.
use File::Temp 'tempdir';
use Time::HiRes qw(sleep time);
use Vitrine::Browser;
use Vitrine::S3;
use Vitrine::Visitor;
use Vitrine::Words;

my $store = Vitrine::S3->new(Vitrine::Stack::test_tls());
my $dir = tempdir(CLEANUP => 1);
my @settings = (workers => 2, cluster_admin_file => "$dir/password", $store->conf);
my $a = Vitrine::Stack->new(@settings, cluster_node => 'a');
$a->make_cluster("$dir/password", a => '10.0.0.1', b => '10.0.0.2');
my $b = Vitrine::Stack->new(@settings, cluster_node => 'b', beside => $a);
$_->expect_internal for $a, $b;
my %of = (a => $a, b => $b);
my %api = map { $_ => Vitrine::Api->new($of{$_}) } qw(a b);
my $db = $a->db;
sub ctl { my ($node, @args) = @_; return $of{$node}->program('vitrinectl', {}, @args) }
sub lines { my ($node) = @_; my ($status, $out, $err) = ctl($node, qw(cluster status)); return ($status, $out . $err) }
sub refuses {
	my ($node, $want, $name, @args) = @_;
	my ($status, undef, $err) = ctl($node, @args);
	is $status, 1, $name;
	like $err, $want, '... and says why';
}
sub is_active { my ($node) = @_; my $r = $api{$node}->call(GET => '/readyz'); return $r->{status} == 200 }
sub wait_active {
	my ($node) = @_;
	return ok eval { Vitrine::Stack::wait_for("$node to be active", 60, sub { is_active($node) }) }, "$node is active";
}
sub wait_warm {
	my ($node) = @_;
	my $is = qr/^ok +$node +(?:warm|drained) /m;
	return ok eval { Vitrine::Stack::wait_for("$node to be warm", 60, sub { (lines($node))[1] =~ $is }) }, "$node is warm";
}
# Moves to a machine, which on a busy machine can be late just then; then it is asked once more.
sub moved {
	my ($at, $to) = @_;
	my @said;
	for (1 .. 3) {
		wait_warm($to);
		@said = ctl($at, qw(cluster move), $to);
		last if $said[0] == 0;
		diag $said[2];
	}
	return \@said;
}
# Until status says so and that all are well, which it doesn't at once on a busy machine.
sub says {
	my ($node, $want, $name) = @_;
	my ($status, $text);
	my $so = sub { ($status, $text) = lines($node); return $status == 0 && $text =~ $want };
	ok eval { Vitrine::Stack::wait_for($name, 60, $so) }, $name or diag $text;
	return $text;
}
# What a balancer is answered, and after how long.
sub asked {
	my ($node, $what) = @_;
	my $from = time;
	my $r = $api{$node}->call(GET => "/readyz?$what=1");
	return ("$r->{status} " . ($r->{json}{code} // ''), time - $from);
}

sub by_number { return $main::a <=> $main::b }

# ---- before anything runs

is +(lines('a'))[0], 1, 'status before a runner has run';
like +(lines('a'))[1], qr/^FAIL  no machine is active$/m, '... says that no machine is active';
is +(asked(a => $_))[0], '503 NOT_ACTIVE', "... and the machine isn't ready: $_" for qw(active serve);

$a->start_runner;
wait_active('a');
$b->start_runner;
wait_warm('b');

# ---- status

my ($status, $text);
$text = says('a', qr/^ok +a/m, 'status: all are well');
like $text, qr/^ok +a +active +beat \S+ \S+ +outbox 0 +lag \S+ \S+ +store ok +wsrep off +\S+ clock \+0 ms$/m, '... a line each';
like $text, qr/^ok +b +warm +beat .* store - /m, '... without what this one cannot see';
($status, $text) = ctl(b => qw(cluster status --json));
my %nodes = map { $_->{name} => $_ } @{decode_json($text)->{nodes}};
is join(' ', map { "$_ $nodes{$_}{role}" } sort keys %nodes), 'a active b warm', '... and for programs, of the other machine too';
is $nodes{b}{store}, 'ok', '... with the store, which that one reaches';

$db->do("INSERT INTO node_outbox (node, id, kind, subject, closes, at, due_at) "
	. "VALUES ('b', 'out_x', 'none', 'x', 0, UNIX_TIMESTAMP() - 40, 4e9)");
($status, $text) = lines('a');
like $text, qr/^FAIL +b +.* outbox 1 +lag 4\S+ s .*: has had changes to show for 4\S+ s$/m, 'changes that a machine does not show'
	or diag $text;
is $status, 1, '... are a failure';
$db->do("DELETE FROM node_outbox WHERE id = 'out_x'");

# ---- balancers

my $ann = $a->user('ann@example.org');
$api{a}->publish($ann, slug => 'page', visibility => 'public');
for (['a', 'active', '200 '], ['a', 'serve', '200 '], ['b', 'active', '503 NOT_ACTIVE'], ['b', 'serve', '200 ']) {
	my ($node, $what, $want) = @$_;
	# A beat may be late, but not each.
	my ($got, $took);
	for (1 .. 10) { ($got, $took) = asked($node, $what); last if $got eq $want && $took < 2 }
	is $got, $want, "$node is asked: $what";
	cmp_ok $took, '<', 2, sprintf '... it took %.1f s', $took;
}
# More at once than there are workers, of which none is held meanwhile.
my @pids = map {
	my $pid = fork // die;
	# Not by this one's connection.
	if (!$pid) {
		$api{a} = Vitrine::Api->new($a);
		my ($got) = asked(a => 'active');
		POSIX::_exit($got eq '200 ' ? 200 : $got =~ /^503/ ? 0 : 1);
	}
	$pid;
} 1 .. 12;
my @took = sort by_number map { my $from = time; $api{a}->call(GET => '/healthz'); time - $from } 1 .. 20;
# A busy machine's beat may be late.
my @answers = map { waitpid $_, 0; $? >> 8 } @pids;
ok !(grep { $_ == 1 } @answers) && (grep { $_ == 200 } @answers), 'many balancers ask at once' or diag "@answers";
cmp_ok $took[10], '<', 1.5, sprintf '... and hold no worker: half of other requests took less than %.3f s', $took[10];

# A beat that began before the question counts for nothing: here none comes.
my @stopped = grep { Vitrine::Stack::slurp("/proc/$_/comm") =~ /^cluster-lane/ }
	map { my $guard = $_; split ' ', Vitrine::Stack::slurp("/proc/$guard/task/$guard/children") } { $a->lanes }->{cluster};
is scalar(@stopped), 1, 'its lane is stopped' and kill STOP => @stopped;
my ($got, $took) = asked(a => 'active');
kill CONT => @stopped;
is $got, '503 NOT_ACTIVE', '... then it does not prove that it is active';
cmp_ok $took, '>', 2, sprintf '... it waited for %.1f s', $took;

# ---- the operators' page

$a->ctl_in("the password\n", qw(user password ann@example.org));
$a->ctl(qw(user staff ann@example.org super));
# The lane was stopped for about as long as its lease lasts.
my $active;
Vitrine::Stack::wait_for('a machine to be active', 60, sub { ($active) = grep { is_active($_) } qw(a b); $active });
my %role = (a => 'Warm', b => 'Warm', $active => 'Active');
my $v = Vitrine::Visitor->new($api{$active});
$v->sign_in('ann@example.org', 'the password');
my $page = $v->go('/staff')->{text};
like $page, qr{<h2>Machines</h2>.*>a</th><td>(?:Active|Warm)</td>.*>b</th><td>(?:Active|Warm)</td>}s, 'the page has both machines';
like $page, qr{<h2>Backups</h2>.*backup is off}s, '... and says that there is no backup';
unlike $v->go('/staff?q=page')->{text}, qr{<h2>Machines}, '... a search shows what it found alone';
for my $look ([width => 1280, height => 900], [width => 390, height => 844, dark => 1]) {
	my $br = Vitrine::Browser->new($of{$active}, @$look);
	$br->sign_in('ann@example.org', 'the password');
	$br->go("https://vitrine.localhost:$of{$active}{port}/staff");
	$br->wait_text(qr/Machines.*\ba\s+$role{a}\s+OK.*Beat .* ago.*0 changes to show.*\bb\s+$role{b}\s+OK.*Vitrine 0/s);
	pass "the page at a width of $look->[1]";
}

# ---- doctor

my ($doctor) = (ctl($active, 'doctor'))[1];
like $doctor, qr/^ok    only its owner can read \Q$dir\E\/password$/m, 'doctor looks at the admin file';
like $doctor, qr/^ok    machine $_: (?:active|warm)$/m, "... and at machine $_" for qw(a b);
chmod 0644, "$dir/password";
like +(ctl($active, 'doctor'))[1], qr/^FAIL  only its owner can read .*\n +fix: chmod 600/m, '... which others must not read';
chmod 0600, "$dir/password";
my $warm = $active eq 'a' ? 'b' : 'a';
wait_warm($warm);
like +(ctl($warm, 'doctor'))[1], qr/^ok    the runner was active in the last ten minutes/m, '... on a warm machine it finds its runner';

# ---- move

my ($from, $to) = $active eq 'a' ? qw(a b) : qw(b a);
refuses($from, qr/no machine c/, 'a machine that is not there', qw(cluster move c));
wait_active($from);
refuses($from, qr/$from is active already/, 'the active one', qw(cluster move), $from);
is_deeply moved($from, $to), [0, "$to is active\n", ''], 'move';
wait_active($to);
is +(asked($from => 'active'))[0], '503 NOT_ACTIVE', '... the former one is not active';
is_deeply moved($from, $from), [0, "$from is active\n", ''], '... and back, typed on the warm one';
wait_active($from);

# ---- drain

wait_warm($to);
($status, $text) = ctl($from, qw(cluster drain));
is $status, 0, 'drain';
like $text, qr/^$to is active\n$from doesn't take over until/, '... lets the other one take over';
wait_active($to);
wait_warm($from);
says($to, qr/^ok +$from +drained /m, '... which status shows');
refuses($to, qr/$from is drained/, '... and it is not made active', qw(cluster move), $from);
refuses($to, qr/no other machine can take over/, 'the last one cannot be drained', qw(cluster drain));
is +(ctl($from, qw(cluster drain --off)))[0], 0, 'drain --off';
says($to, qr/^ok +$from +warm /m, '... it can take over again');

# ---- leave

refuses($to, qr/$to is active: .*drain there first/, 'the active one cannot leave', qw(cluster leave));
refuses($to, qr/$from runs: /, 'nor is another one removed that runs', qw(cluster leave), $from);
$of{$from}->stop_one('runner');
like((lines($to))[1], qr/^FAIL  $from .*: (?:no beat for|shows nothing) /m, 'a machine that is lost is not well')
	if ok eval { Vitrine::Stack::wait_for('its silence', 60, sub { (lines($to))[0] == 1 }) }, 'status fails';
ok eval { Vitrine::Stack::wait_for('its loss', 60, sub { (lines($to))[1] =~ /^FAIL +$from +lost /m }) }, '... and it is lost';
is_deeply [ctl($to, qw(cluster leave), $from)], [0, "$from has left\n", ''], 'it is removed';
says($to, qr/^ok +$to +active /m, '... and the rest is well');
refuses($from, qr/no machine $from/, '... which it knows', qw(cluster leave));
is +(ctl($from, qw(cluster init), "$from=10.0.0.1", "$to=10.0.0.2", '--mariadb', "$dir/m.cnf"))[0], 0, '... and it comes back';
ok $db->selectrow_array('SELECT joined_at > UNIX_TIMESTAMP() - 60 AND left_at IS NULL AND priority = 100 FROM node WHERE name = ?', undef,
	$from), '... to project all anew';
refuses($to, qr/MariaDB runs without wsrep/, 'force is for a group without a majority', qw(cluster force));
finish($a, $b);
