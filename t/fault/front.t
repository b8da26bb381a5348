# SPDX-License-Identifier: Apache-2.0
# What comes at the front: broken FastCGI at the workers' socket, clients that go away, more of them than there are workers, and rows that
# somebody holds.
use IO::Select;
use Socket qw(SOL_SOCKET SO_LINGER);
use Time::HiRes 'sleep';
use Vitrine::Fcgi;
use Vitrine::Words;

my ($stack, $api) = stack(workers => 3, publish_per_hour => 100000, client_requests => 1000);
my $ann = $stack->user('ann@example.org');
my $art = $api->publish($ann, slug => 'front', visibility => 'public', files => { 'index.html' => 'front' });

# ---- FastCGI that nginx would not send

my ($begin, $end) = (frame(1, pack 'nCx5', 1, 0), frame(4, '') . frame(5, ''));
my %broken = (
	'another version' => frame(1, pack('nCx5', 1, 0), version => 9) . $end,
	'another role' => frame(1, pack 'nCx5', 77, 0) . $end,
	'a record that ends early' => $begin . frame(4, 'x' x 10, n => 65535),
	'parameters as long as 32 bits can say' => $begin . frame(4, "\xff" x 8 . 'x' x 40) . $end,
	'lengths whose sum is zero' => $begin . frame(4, pack('NN', 0xffffffff, 0x80000001) . 'x' x 64) . $end,
	'a name beyond the record' => $begin . frame(4, "\x7f\x01ab") . $end,
	'no parameters' => $begin . $end,
	'a second request beside the first' => $begin . frame(1, pack('nCx5', 1, 0), id => 2) . $end,
	'a type that there is not' => $begin . frame(77, 'x') . $end,
	'questions about the program' => frame(9, pack('CC', 15, 0) . 'FCGI_MPXS_CONNS', id => 0) . frame(9, '', id => 0),
	'an abort' => $begin . frame(2, '') . $end,
	'standard input before the parameters' => $begin . frame(5, 'x' x 100) . $end,
	'a body that was not announced' => $begin . frame(4, pair(REQUEST_METHOD => 'GET') . pair(REQUEST_URI => '/healthz')) . frame(4, '')
		. frame(5, 'x' x 60000) . frame(5, ''),
	'a length that is none' => $begin
		. frame(4, pair(REQUEST_METHOD => 'POST') . pair(REQUEST_URI => '/v1/publish') . pair(CONTENT_LENGTH => '-1')) . $end,
	'a name twice, one empty' => $begin . frame(4, pair(REQUEST_METHOD => 'GET') . pair(REQUEST_METHOD => 'PUT') . pair('', '')) . $end,
	'an address without its slash' => $begin . frame(4, pair(REQUEST_METHOD => 'GET') . pair(REQUEST_URI => "\xff\0%")) . $end,
	(map { my $seed = $_; srand $seed; ("noise $seed" => join '', map { chr int rand 256 } 1 .. 2 ** ($seed + 4)) } 1 .. 10),
	(map {
		my $seed = $_;
		srand $seed;
		("noise $seed in a record" => $begin . frame(4, join '', map { chr int rand 256 } 1 .. 3000) . $end);
	} 11 .. 20),
);
my @held;
for my $name (sort keys %broken) {
	my $c = connection($stack);
	local $SIG{PIPE} = 'IGNORE';
	syswrite $c, $broken{$name};
	shutdown $c, 1 if $name !~ /noise/;
	sysread $c, my $answer, 65536 if IO::Select->new($c)->can_read(0.05);
	push @held, $c;
	is $api->call(GET => '/healthz')->{status}, 200, $name;
}
push @held, map { connection($stack) } 1 .. 3;
is $api->call(GET => '/v1/auth/me', { token => $ann->{token} })->{status}, 200, 'every worker is let go by those that say nothing more';
@held = ();
unlike Vitrine::Stack::slurp("$stack->{dir}/worker.log"), qr/worker died/, 'no worker died of any';

# ---- clients that go away in the middle of what they send

my $body = $api->{json}->encode({ name => 'Gone', slug => 'gone', visibility => 'public',
	files => [{ path => 'index.html', content => 'x' x 2_000_000 }] });
for my $tenth (1 .. 9) {
	my $c = $api->connection('vitrine.localhost');
	my $n = int(length($body) * $tenth / 10);
	syswrite $c, "POST /v1/publish HTTP/1.1\r\nHost: vitrine.localhost\r\nAuthorization: Bearer $ann->{token}\r\n"
		. "Content-Type: application/json\r\nContent-Length: "
		. length($body) . "\r\n\r\n";
	for (my $at = 0; $at < $n; $at += 16384) { syswrite $c, $body, $n - $at < 16384 ? $n - $at : 16384, $at }
	# A reset, not an end.
	setsockopt $c, SOL_SOCKET, SO_LINGER, pack 'ii', 1, 0;
	$c->close(SSL_no_shutdown => 1);
}
for (1 .. 1200) { last if !glob "$stack->{dir}/data/spool/*"; sleep 0.05 }
is_deeply [glob "$stack->{dir}/data/spool/*"], [], 'nothing of their bodies is left';
is_deeply $stack->db->selectall_arrayref("SELECT id FROM artifact WHERE slug = 'gone'"), [], 'nor an artifact';

# One that goes before the answer: the publish is whole, or not there.
for my $i (1 .. 10) {
	my $c = $api->connection('vitrine.localhost');
	my $text = $api->{json}->encode({ name => 'Left', slug => "left-$i", visibility => 'public',
		files => [{ path => 'index.html', content => "left-$i" }] });
	syswrite $c, "POST /v1/publish HTTP/1.1\r\nHost: vitrine.localhost\r\nAuthorization: Bearer $ann->{token}\r\n"
		. "Content-Type: application/json\r\nContent-Length: "
		. length($text) . "\r\n\r\n$text";
	sleep 0.004 * $i;
	setsockopt $c, SOL_SOCKET, SO_LINGER, pack 'ii', 1, 0;
	$c->close(SSL_no_shutdown => 1);
}
for (1 .. 1200) { last if !glob "$stack->{dir}/data/spool/*"; sleep 0.05 }
sleep 0.5;
my @there = map { $_->[0] } @{$stack->db->selectall_arrayref("SELECT slug FROM artifact WHERE slug LIKE 'left-%'")};
is_deeply [grep { $api->get_site($_, '/')->{body} ne $_ } @there], [], scalar(@there) . ' of ten whose caller left are there, whole';
is $stack->ctl('fsck'), 'clean', 'fsck is clean';

# ---- more clients than workers; each is answered as who it is

my @people = map { $stack->user("p$_\@example.org") } 1 .. 12;
my @from;
for my $i (0 .. $#people) {
	my $pid = open(my $out, '-|') // die "fork: $!";
	if (!$pid) {
		my $own = Vitrine::Api->new($stack);
		my %seen;
		for my $k (1 .. 60) {
			my $r = $own->call(GET => '/v1/auth/me', { token => $people[$i]{token} });
			$seen{"$r->{status} " . ($r->{json}{email} // '')}++;
			next if $k % 10;
			# Some go before their answer comes; the next in the worker must not get it.
			my $c = $own->connection('vitrine.localhost');
			syswrite $c, "GET /v1/artifacts/$art HTTP/1.1\r\nHost: vitrine.localhost\r\n"
				. "Authorization: Bearer $people[$i]{token}\r\n\r\n";
			$c->close(SSL_no_shutdown => 1);
		}
		print join ', ', map { "$_: $seen{$_}" } sort keys %seen;
		close STDOUT;
		POSIX::_exit(0);
	}
	push @from, $out;
}
is_deeply [map { local $/; my $f = $_; scalar <$f> } @from], [map { "200 $_->{email}: 60" } @people],
	'twelve people at three workers: each is answered as who they are';

my $flood = qx(wrk -t1 -c300 -d2s --timeout 60s -H 'Host: vitrine.localhost' https://127.0.0.1:$stack->{port}/healthz 2>&1);
unlike $flood, qr/Non-2xx|Socket errors/, 'three hundred at once are all answered' or diag $flood;

# ---- a row that somebody holds

my $other = DBI->connect("dbi:MariaDB:database=vitrine;mariadb_socket=$stack->{run}/db.sock", scalar getpwuid($>), '',
	{ RaiseError => 1, AutoCommit => 0 });
sub hold { $other->selectall_arrayref('SELECT * FROM artifact WHERE id = ? FOR UPDATE', undef, $art) }
sub rename_to { return $api->call(PATCH => "/v1/artifacts/$art", { token => $ann->{token}, json => { name => $_[0] } }) }
hold();
my $r = rename_to('Held');
is "$r->{status} $r->{json}{code}", '503 UNAVAILABLE', 'held for too long: 503';
ok $r->{headers}{'retry-after'}, 'and when to come again';
$other->rollback;
is $api->call(GET => "/v1/artifacts/$art", { token => $ann->{token} })->{json}{artifact}{name}, 'Site', 'nothing was changed';
hold();
my $pid = open(my $out, '-|') // die "fork: $!";
if (!$pid) {
	$api = Vitrine::Api->new($stack);
	print rename_to('Waited')->{status};
	close STDOUT;
	POSIX::_exit(0);
}
Vitrine::Stack::wait_for('who waits', 60,
	sub {
		$stack->db->selectrow_array('SELECT COUNT(*) FROM information_schema.processlist'
			. " WHERE info LIKE '%artifact%FOR UPDATE%' AND id <> CONNECTION_ID()");
	});
$other->rollback;
is scalar <$out>, '200', 'held for a moment: waited for';
$other->disconnect;

finish($stack);
