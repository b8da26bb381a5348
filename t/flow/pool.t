# SPDX-License-Identifier: Apache-2.0
# The two pools and what stands before them: which answers what, a second pool on the same sockets, a worker that leaves by itself, another
# number of them, and what nginx says when they are away.
use Time::HiRes qw(sleep time);
use Vitrine::Words;

my ($stack, $api) = stack(workers => 1, signin_failures_per_hour => 1000, publish_failures_per_hour => 3);
my $ann = $stack->user('ann@example.org');
my $parent = $stack->{pids}{worker};
$stack->expect_alert(qr/connect\(\) to unix/);
sub children { return $stack->workers }
sub nice_of { return (split ' ', Vitrine::Stack::slurp("/proc/$_[0]/stat"))[18] // 99 }
sub is_slow { return nice_of($_[0]) > nice_of($parent) }
sub quick { return grep { !is_slow($_) } children() }
sub logged { return scalar grep { /$_[0]/ } split /\n/, Vitrine::Stack::slurp("$stack->{dir}/worker.log") }
sub until_true { my ($f) = @_; for (1 .. 1200) { return 1 if $f->(); sleep 0.05 } return 0 }

# ---- who answers what: as the rows say, by the processes that did

my %pid_of = map { is_slow($_) ? (slow => $_) : (quick => $_) } children();
is_deeply [sort keys %pid_of], [qw(quick slow)], 'one worker in each pool; the slow one gives way';
my $art = $api->publish($ann, slug => 'pool', visibility => 'public');
$api->call(GET => $_, { token => $ann->{token} })
	for '/v1/auth/me', "/v1/artifacts/$art", "/v1/artifacts/$art/versions/1/export", '/auth/callback', '/auth/signin';
is $api->request(GET => 'vitrine.localhost', "/v1/%61rtifacts/$art/versions/1/%65xport", {})->{status}, 200,
	'an address in another spelling';
$api->call(HEAD => "/v1/artifacts/$art/versions/1/export", { token => $ann->{token} });
$api->call(POST => '/auth/signin', { body => 'email=a%40b.c&password=x', type => 'application/x-www-form-urlencoded',
	headers => { 'Sec-Fetch-Site' => 'same-origin' } });
my %row = map { my $r = decode_json($_); ("$r->{method} $r->{path}" => $r->{pool}) } split /\n/,
	qx($stack->{build}/vitrine-worker --routes);
my @wrong;
my %count;
for (map { decode_json($_) } grep { /"event":"request"/ } split /\n/, Vitrine::Stack::slurp("$stack->{dir}/worker.log")) {
	my $want = $row{($_->{method} eq 'HEAD' ? 'GET' : $_->{method}) . " $_->{route}"} // next;
	$count{$want}++;
	push @wrong, "$_->{method} $_->{route}" if $_->{pid} != $pid_of{$want};
}
is_deeply \@wrong, [], 'each request was answered where its row says';
ok $count{slow} >= 5 && $count{quick} >= 4, "of both kinds: $count{slow} slow, $count{quick} quick";
is $row{'POST /v1/publish'}, 'quick', 'publishing is quick ...';
sub pid_for {
	my (%body) = @_;
	my $r = $api->call(POST => '/v1/publish', { token => $stack->user('cat@example.org')->{token}, %body });
	is $r->{status}, 201, '... published' or diag $r->{body};
	my ($line) = grep { /"event":"request"/ && /"request_id":"$r->{headers}{'x-request-id'}"/ } split /\n/,
		Vitrine::Stack::slurp("$stack->{dir}/worker.log");
	return decode_json($line)->{pid};
}
is pid_for(json => { name => 'S', files => [{ path => 'index.html', content => 'x' x 20000 }] }), $pid_of{slow}, '... unless it is large';
my $archive = qx(cd $stack->{dir} && mkdir -p packed && echo x >packed/index.html && tar cz -C packed index.html);
my $form = join "\r\n", '--b', 'Content-Disposition: form-data; name="manifest"', '', '{"name":"A"}', '--b',
	'Content-Disposition: form-data; name="archive"; filename="a.tgz"', '', $archive, '--b--', '';
is pid_for(type => 'multipart/form-data; boundary=b', body => $form), $pid_of{slow}, '... or an archive, which a quick worker hands over';

# ---- failures of what is expensive count

my @codes = map { $api->call(POST => '/v1/publish', { token => $ann->{token}, json => { name => 'x',
	files => [{ path => 'index.html', content => "$_" }], $_ % 2 ? (entrypoint => 'no.html') : () } })->{status} } 1 .. 6, 8;
is "@codes", '400 201 400 201 400 429 429', 'publishes that fail have a limit of their own, which those that succeed do not use';
is $api->call(POST => '/v1/publish', { token => $ann->{token}, json => {} })->{headers}{'x-ratelimit-limit'}, 3,
	'... and the reply says which';
is $api->call(POST => '/v1/publish', { token => $stack->user('ben@example.org')->{token},
	json => { name => 'x', files => [{ path => 'index.html', content => 'x' }] } })->{headers}{'x-ratelimit-remaining'}, 59,
	'another publishes as ever';

# ---- a second pool does not take the first one's sockets

sub second {
	my (%conf) = @_;
	my $text = Vitrine::Stack::slurp("$stack->{dir}/vitrine.yaml");
	for my $name (keys %conf) { $text =~ s/^$name: .*\n//m; $text .= "$name: $conf{$name}\n" }
	Vitrine::Stack::spew("$stack->{dir}/second.yaml", $text);
	return $stack->program('vitrine-worker', { VITRINE_CONFIG => "$stack->{dir}/second.yaml" });
}
for ([], [qw(socket slow_socket)], [qw(socket metrics_socket)], [qw(socket slow_socket metrics_socket)]) {
	my ($status, $out, $err) = second(map { ($_ => "$stack->{run}/2-$_") } @$_);
	is $status, 71, 'a second pool does not start' . (@$_ ? " with another @$_" : '');
	like $err, qr/"what":"[^"]*sock","why":"another pool is listening on it"/, '... and says why';
}
is $api->call(GET => '/v1/auth/me', { token => $ann->{token} })->{status}, 200, 'the first goes on';
my @names = map { "$stack->{run}/$_" } qw(worker.sock slow.sock line.sock metrics.sock);
rename $_, "$_.away" or die for @names;
is +(second())[0], 71, 'a second pool does not start either when the names of the sockets are gone';
rename "$_.away", $_ or die for @names;
is $api->call(POST => '/v1/publish', { token => $ann->{token}, json => {} })->{status}, 429, '... and counts as before';

# ---- a worker that leaves by itself, again and again

my $from = time;
# The first may have lived for long enough to be replaced at once.
for my $round (1 .. 7) {
	my ($one) = quick();
	kill 'TERM', $one;
	until_true(sub { grep { $_ != $one } quick() }) or BAIL_OUT('it did not come back');
}
ok time - $from > 2, 'is put off longer each time';
is logged(qr/"event":"worker died","pool":"quick".*"exit":0/), 7, '... and the log tells of it';
is $api->call(GET => '/v1/auth/me', { token => $ann->{token} })->{status}, 200, '... until it stays';

# ---- reload: another number of slow workers

my @first = children();
Vitrine::Stack::spew("$stack->{dir}/vitrine.yaml",
	Vitrine::Stack::slurp("$stack->{dir}/vitrine.yaml") =~ s/^slow_workers: 1$/slow_workers: 3/mr);
kill 'HUP', $parent;
ok until_true(sub { my %new = map { $_ => 1 } children(); keys %new == 4 && !grep { $new{$_} } @first }),
	'three slow workers after a reload, and all are new';
# A worker is born as the others are, and lowers itself then.
ok until_true(sub { 3 == grep { is_slow($_) } children() }), 'three are slow';
is logged(qr/"event":"worker died","pool":"slow"/), 0, 'nobody died of it';

# ---- what nginx says by itself

my @bad = (["POST /v1/auth/me HTTP/1.1\r\nHost: vitrine.localhost\r\nTransfer-Encoding: gzip\r\n\r\n", 501],
	["GET / HTTP/3.7\r\nHost: vitrine.localhost\r\n\r\n", 505],
	["PATCH /v1/artifacts/$art HTTP/1.1\r\nHost: vitrine.localhost\r\nContent-Length: 2000000\r\n\r\n", 413]);
for (@bad) {
	my $r = $api->raw('vitrine.localhost', $_->[0]);
	is $r->{status}, $_->[1], "status $_->[1]";
	is eval { decode_json($r->{body})->{success} } // 'no JSON', Cpanel::JSON::XS::false, '... as every failure' or diag $r->{body};
}
$stack->stop_one('worker');
my $big = ' ' x (20 << 20);
for (['/v1/publish', $big], ['/v1/auth/me', 'x']) {
	my $r = $api->call(POST => $_->[0], { token => $ann->{token}, type => 'application/json', body => $_->[1] });
	is "$r->{status} " . ($r->{json}{code} // $r->{body}), '502 UNAVAILABLE',
		length($_->[1]) . " bytes for $_->[0] while the pools are away";
	ok $r->{headers}{'retry-after'}, '... says when to try again';
}
my $page = $api->call(GET => '/auth/signin');
is $page->{status}, 502, 'a page while the pools are away';
ok $page->{headers}{'retry-after'}, '... says when to try again';
like $page->{body}, qr/<!doctype html>.*Back in a moment/s, '... is a page of ours';
ok !-e "$stack->{run}/$_", "$_ is gone" for qw(worker.sock slow.sock line.sock);
$stack->start_worker;

# ---- a pool that is killed leaves nothing that the next would have to wait for

my $old = $stack->{pids}{worker};
my ($busy) = children();
kill 'STOP', $busy;
kill 'KILL', $old;
waitpid $old, 0;
ok -e "$stack->{run}/worker.sock", 'its sockets lie there';
my $starts = logged(qr/"event":"started"/);
$stack->start_worker;
until_true(sub { logged(qr/"event":"started"/) > $starts }) or BAIL_OUT('the next did not start');
is $api->call(GET => '/v1/auth/me', { token => $ann->{token} })->{status}, 200,
	'the next takes them over, while a worker of the old one lingers';
kill 'CONT', $busy;
my @many = map { my $pid = fork // die; $pid || do { open STDERR, '>', '/dev/null'; exec $stack->worker_command or POSIX::_exit(127) } }
	1 .. 4;
my %ended = map { waitpid $_, 0; ($_ => $? >> 8) } @many;
is join(' ', values %ended), '71 71 71 71', 'four more that start at once are refused';
$stack->stop_one('worker');
@many = map { my $pid = fork // die; $pid || do { open STDERR, '>', '/dev/null'; exec $stack->worker_command or POSIX::_exit(127) } }
	1 .. 4;
my @left;
until_true(sub { @left = grep { !waitpid $_, POSIX::WNOHANG() } @many; @many = @left; @left == 1 });
is scalar(@left), 1, 'of four that start at once where there is none, one stays';
until_true(sub { $api->call(GET => '/v1/auth/me', { token => $ann->{token} })->{status} == 200 });
is $api->call(GET => '/v1/auth/me', { token => $ann->{token} })->{status}, 200, '... and answers';
kill 'TERM', @left;
waitpid $_, 0 for @left;
finish($stack);
