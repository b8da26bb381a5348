# SPDX-License-Identifier: Apache-2.0
# nginx keeps its connections to the workers: no request waits for a busy worker while another is idle, and none is lost when a worker ends.
use IO::Select;
use Time::HiRes 'sleep';
use Vitrine::Fcgi;
use Vitrine::Words;

my ($stack, $api) = stack(workers => 4, client_requests => 1000, publish_per_hour => 100000);
my ($ann, $ben) = map { $stack->user("$_\@example.org") } qw(ann ben);
my $art = $api->publish($ann, slug => 'kept', files => { 'index.html' => 'kept' });
my $path = "$stack->{run}/worker.sock";

# The connections that workers have accepted, by the kernel's list.
sub connections {
	return { map { /^\S+: \S+ \S+ \S+ \S+ 03 +(\d+) \Q$path\E$/ ? ($1 => 1) : () } split /\n/, Vitrine::Stack::slurp('/proc/net/unix') }
}
sub get { return $api->call(GET => '/v1/auth/me', { token => $ben->{token} })->{status} }
# Makes that many connections, so that each worker has some.
sub burst {
	my ($n) = @_;
	return qx(wrk -t1 -c$n -d1s -H 'Host: vitrine.localhost' https://127.0.0.1:$stack->{port}/healthz 2>&1);
}

# ---- kept

get();
my $before = connections();
get() for 1 .. 50;
my $after = connections();
cmp_ok scalar(grep { !$before->{$_} } keys %$after), '<=', 3, 'fifty requests need no more connections than there are workers'
	or diag join ' ', sort keys %$after;
cmp_ok scalar(keys %$after), '>', 0, 'which stay';
unlike burst(40), qr/Non-2xx|Socket errors/, 'forty at once';

# Connections as nginx has them, and more than it would leave idle: each worker keeps some.
my $ask = frame(1, pack 'nCx5', 1, 1) . frame(4, pair(REQUEST_METHOD => 'GET') . pair(REQUEST_URI => '/healthz')) . frame(4, '')
	. frame(5, '');
my @direct = map { connection($stack) } 1 .. 16;
# Returns how many answer within a time in which nothing else ends.
sub answers {
	syswrite $_, $ask for @direct;
	my ($n, $select) = (0, IO::Select->new(@direct));
	while ($select->count and my @ready = $select->can_read(2)) {
		for my $c (@ready) {
			sysread $c, my $reply, 65536;
			$n++ if $reply =~ /200 OK/;
			$select->remove($c);
		}
	}
	return $n;
}
is answers(), 16, 'sixteen connections';
is answers(), 16, 'and once more';

# ---- two of four workers wait for a row that somebody holds

my $other = DBI->connect("dbi:MariaDB:database=vitrine;mariadb_socket=$stack->{run}/db.sock", scalar getpwuid($>), '',
	{ RaiseError => 1, AutoCommit => 0 });
for my $round (1 .. 3) {
	burst(12);
	$other->selectall_arrayref('SELECT * FROM artifact WHERE id = ? FOR UPDATE', undef, $art);
	my @out;
	for my $n (1, 2) {
		my $pid = open($out[$n], '-|') // die "fork: $!";
		next if $pid;
		$api = Vitrine::Api->new($stack);
		print $api->call(PATCH => "/v1/artifacts/$art", { token => $ann->{token}, json => { name => "Name $round-$n" } })->{status};
		close STDOUT;
		POSIX::_exit(0);
	}
	Vitrine::Stack::wait_for('who waits', 60,
		sub {
			sleep 0.15;
			($stack->db->selectrow_array("SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"))[0]
				== 2;
		});
	my @answers = map { get() } 1 .. 30;
	is $stack->db->selectrow_array("SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"), 2,
		'they still wait';
	is answers(), 16, 'also those that the two had';
	is_deeply \@answers, [(200) x 30], 'the other two answer everybody else';
	$other->rollback;
	is_deeply [map { my $f = $out[$_]; scalar <$f> } 1, 2], [200, 200], 'then the two, too';
}
$other->disconnect;

# ---- work after the reply

my $from = $api->call(POST => "/v1/artifacts/$art/versions",
	{ token => $ann->{token}, json => { files => [{ path => 'index.html', content => 'again' }] } });
is_deeply [map { get() } 1 .. 20], [(200) x 20], "after a publish ($from->{status}) at once";

# ---- workers that end

for my $signal (qw(TERM KILL)) {
	burst(12);
	my ($victim) = $stack->workers;
	kill $signal, $victim;
	Vitrine::Stack::wait_for('the worker to end', 60, sub { !-e "/proc/$victim" });
	is_deeply [map { get() } 1 .. 30], [(200) x 30], "an idle worker gets $signal: nobody sees it";
}
my $pid = open(my $load, '-|') // die "fork: $!";
if (!$pid) {
	exec qw(wrk -t1 -c6 -d4s -H), 'Host: vitrine.localhost', '-H', "Authorization: Bearer $ann->{token}",
		"https://127.0.0.1:$stack->{port}/v1/auth/me";
}
for (1 .. 6) {
	sleep 0.5;
	kill 'TERM', ($stack->workers)[0];
}
my $said = do { local $/; <$load> };
unlike $said, qr/Non-2xx|Socket errors/, 'six workers are told to end under load: each request is answered' or diag $said;

finish($stack);
