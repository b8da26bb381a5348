# SPDX-License-Identifier: Apache-2.0
# Jobs as a way in, or as a way to hold the service up: addresses that mean the inside, answers that never end, blow up or drip, and texts
# that try to be more than text.
use utf8;
use IO::Socket::IP;
use POSIX ();
use Time::HiRes qw(sleep time);
use Vitrine::Jobs;
use Vitrine::Words;

my $server = IO::Socket::IP->new(Listen => 64, LocalHost => '127.0.0.1') // die;
my $port = $server->sockport;
# What listens inside, at the port that is allowed elsewhere.
my %sink = map { my $s = IO::Socket::IP->new(Listen => 64, LocalHost => $_, LocalPort => $port); $s ? ($_ => $s) : () } qw(127.0.0.2 ::1);
ok $sink{'127.0.0.2'}, 'something listens inside' or BAIL_OUT('no second loopback address');
sub met { return scalar grep { $_->blocking(0); my $c = $_->accept; $_->blocking(1); $c } values %sink }

sub answer {
	my ($c, $path) = @_;
	my $say = sub { return syswrite($c, $_[0]) // POSIX::_exit(0) };
	if ($path =~ m{^/to/(\d+)/(.*)}) { $say->("HTTP/1.1 $1 X\r\nLocation: $2\r\nContent-Length: 0\r\n\r\n") }
	elsif ($path eq '/endless') { $say->("HTTP/1.1 200 X\r\n\r\n"); $say->('x' x 65536) while 1 }
	elsif ($path eq '/heads') { $say->("HTTP/1.1 200 X\r\n"); $say->("X-A: $_\r\n" x 100) for 1 .. 100_000 }
	elsif ($path eq '/bomb') {
		$say->("HTTP/1.1 200 X\r\nContent-Encoding: gzip\r\nContent-Type: application/json\r\n"
			. "Content-Length: 3\r\n\r\n\x1f\x8b\x08");
	}
	elsif ($path eq '/chunks') {
		$say->("HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n");
		$say->('x' x 65536) while 1;
	}
	elsif ($path eq '/drip') { $say->("HTTP/1.1 200 X\r\nContent-Length: 100000\r\n\r\n"); while (1) { $say->('x'); sleep 1 } }
	elsif ($path eq '/silent') { sleep 100 }
	elsif ($path eq '/cut') { $say->("HTTP/1.1 200 X\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{\"a\": 1}") }
	elsif ($path eq '/bytes') { $say->("HTTP/1.1 200 X\r\nContent-Length: 7\r\n\r\na\x00\xff\xfe\e[2") }
	elsif ($path eq '/latin') { $say->("HTTP/1.1 500 X\r\nContent-Length: 6\r\n\r\n\e[2J\xe4!") }
	elsif ($path eq '/deep') {
		my $b = '[' x 100000;
		$say->("HTTP/1.1 200 X\r\nContent-Type: application/json\r\nContent-Length: " . length($b) . "\r\n\r\n$b");
	}
	else { $say->("HTTP/1.1 200 X\r\nContent-Length: 2\r\n\r\nok") }
}
my $log = "/tmp/vitrine-hostile-$$";
my $pid = fork // die;
if (!$pid) {
	$SIG{CHLD} = 'IGNORE';
	setpgrp 0, 0;
	while (1) {
		my $c = $server->accept // next;
		next if fork;
		$SIG{PIPE} = 'IGNORE';
		my $got = '';
		while ($got !~ /\r\n\r\n/) { sysread $c, $got, 65536, length $got or POSIX::_exit(0) }
		my ($path) = $got =~ m{^\S+ (\S+)};
		open my $f, '>>', $log;
		syswrite $f, "$path\n";
		answer($c, $path);
		POSIX::_exit(0);
	}
}
END { if ($pid) { local $?; kill 'KILL', -$pid; unlink $log } }
sub asked { return scalar grep { $_ eq $_[0] } split /\n/, Vitrine::Stack::slurp($log) }

my ($stack, $api) = stack(egress_allow => "127.0.0.1:$port");
my $ann = $stack->user('ann@example.org');
my $art = $api->publish($ann, slug => 'site', visibility => 'private');
my $jobs = Vitrine::Jobs->new(stack => $stack, api => $api, user => $ann, art => $art);
my $base = "http://127.0.0.1:$port";
sub all_run {
	my @jobs = @_;
	$jobs->due($_) for @jobs;
	$jobs->runner;
	return map { my $j = $_; my ($r) = $jobs->runs($j); $jobs->run_of($j, $r) } @jobs;
}

subtest 'somebody aims a job at what listens inside: it is refused or the run fails, and nothing was connected to' => sub {
	my @hosts = ('127.0.0.2', '127.2', '2130706434', '0x7f000002', '0177.0.0.2', '127.0.2', '0x7f.2', '[::1]', '[::ffff:127.0.0.2]',
		'[::ffff:7f00:2]', '[64:ff9b::7f00:2]', '[2002:7f00:2::]', '[fe80::1]', '[fd00::1]', '[::]', '0.0.0.0', '0', '10.0.0.1',
		'100.64.0.1',
		'169.254.169.254', '172.16.0.1', '192.168.0.1', '198.18.0.1', '224.0.0.1', '255.255.255.255');
	my (@jobs, @names);
	for my $host (@hosts) {
		my $r = $jobs->add(webhook => { url => "http://$host:$port/" });
		if ($r->{status} == 201) { push @jobs, $r->{json}{job}; push @names, $host }
		else { is $r->{status}, 400, "$host is refused" }
	}
	push @names, map { "a redirect ($_) to the inside" } qw(301 302 303 307 308);
	push @jobs, map { $jobs->made(http_get => { url => "$base/to/$_/http://127.0.0.2:$port/" }) } qw(301 302 303 307 308);
	push @names, 'a redirect to a file', 'to another scheme', 'to a user', 'to ourselves';
	push @jobs, map { $jobs->made(http_get => { url => "$base/to/302/$_" }) } 'file:///etc/passwd', "gopher://127.0.0.2:$port/",
		"http://a:b\@127.0.0.1:$port/ok", "https://vitrine.localhost:$stack->{port}/v1";
	my @runs = all_run(@jobs);
	for my $i (0 .. $#jobs) {
		is $runs[$i]{status}, 'failed', "to $names[$i]" =~ s/^to (?=to |a )//r or diag explain $runs[$i];
		unlike "$runs[$i]{error} " . ($runs[$i]{output} // ''), qr/refused connection|Connection refused|root:/,
			'... and is not told what is there';
	}
	is met(), 0, 'nothing inside was connected to';
	is asked('/ok'), 0, 'nor was the user sent anywhere';
};

subtest 'somebody answers without end, with a bomb, or a byte a second: the run fails, and others are done meanwhile' => sub {
	my %job = map { $_ => $jobs->made(http_get => { url => "$base/$_", save_to => "blob:$_" }) } qw(endless heads bomb chunks drip
		silent cut);
	$job{table} = $jobs->made(materialize => { source => { url => "$base/endless", format => 'csv' }, target => { table => 't' } });
	$job{deep} = $jobs->made(materialize => { source => { url => "$base/deep" }, target => { table => 't' } });
	$job{tell} = $jobs->made(webhook => { url => "$base/endless" });
	my $good = $jobs->made(webhook => { url => "$base/good" });
	my $saving = $jobs->made(http_get => { url => "$base/good", save_to => 'blob:good' });
	my @names = sort keys %job;
	$jobs->due($_) for @job{@names}, $good, $saving;
	my $begin = time;
	my $runner = fork // die;
	if (!$runner) {
		open STDERR, '>', "$stack->{dir}/hostile.log";
		exec "$stack->{build}/vitrine-runner", '-c', "$stack->{dir}/vitrine.yaml", '--once' or POSIX::_exit(127);
	}
	for ($good, $saving) {
		my $j = $_;
		Vitrine::Stack::wait_for("the good $j->{action}", 60, sub { my ($r) = $jobs->runs($j); $r && $r->{status} eq 'success' });
	}
	my ($drip) = $jobs->runs($job{drip});
	is $drip->{status}, 'running', 'what is quick is done while another drips';
	waitpid $runner, 0;
	is $?, 0, 'the runner ended';
	cmp_ok time - $begin, '<', 100, 'and did not wait for ever';
	unlike Vitrine::Stack::slurp("$stack->{dir}/hostile.log"), qr/AddressSanitizer|runtime error/, 'cleanly';
	for my $name (@names) {
		my ($r) = $jobs->runs($job{$name});
		is $r->{status}, 'failed', $name or diag explain $r;
		ok length $r->{error}, '... and says something';

	}
	my @blobs = map { $_->{filename} } @{$jobs->call(GET => "/v1/data/$art/blobs")->{json}{data}{blobs}};
	is "@blobs", 'good', 'nothing of it is kept';
	is $jobs->call(GET => "/v1/data/$art/tables/t")->{status}, 404, 'as a table neither';
};

subtest 'somebody answers with bytes that are no text: what is shown of it is text' => sub {
	my ($bytes, $latin) = all_run(map { $jobs->made(http_get => { url => "$base/$_" }) } qw(bytes latin));
	is $bytes->{output}, '7 bytes of binary data', 'of bytes only their number';
	is $latin->{output}, "\e[2J\x{fffd}!", 'what is no UTF-8 is marked';
};

subtest 'somebody names a thing like a word of a template, or with line ends: it is only a name' => sub {
	$jobs->call(PATCH => "/v1/artifacts/$art", { name => '{{job.id}} {{run.id}} "},{"x' });
	my $job = $jobs->made(http_get => { url => "$base/good" }, name => '{{artifact.name}}');
	my $hook = $jobs->made(chat_b => { webhook_url => "$base/good", text => '{{job.name}}' }, name => '{{artifact.name}}');
	my ($run) = all_run($hook);
	is $run->{status}, 'success', 'is sent';
	my $r = $jobs->add(webhook => { url => "$base/good", headers => { X => "a\x{0}b" } });
	is $r->{status}, 400, 'NUL in a header is refused';
	$r = $jobs->add(http_get => { url => "$base/good\r\nHost: x" });
	is $r->{status}, 400, 'line ends in an address are refused';
};

finish($stack);
