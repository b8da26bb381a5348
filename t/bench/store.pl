# SPDX-License-Identifier: Apache-2.0
# ./dev bench store: what a publish costs that is also put in an object store, by itself, with 3,000 files, and with 3 of these changed; the memory of a worker that puts 200 MB; and
# whether reads are as fast. The store is an nginx that takes PUTs, on this machine, and checks no signature. BENCH_FILES=N, BENCH_BYTES=N: others.
use strict;
use warnings;
use POSIX ();
use Time::HiRes qw(sleep time);
use Vitrine::Api;
use Vitrine::Bench;
use Vitrine::Pack;
use Vitrine::Stack;
use Vitrine::World;

my ($FILES, $LARGE) = map { 0 + $_ } $ENV{BENCH_FILES} // 3_000, $ENV{BENCH_BYTES} // 200_000_000;
my $tls = Vitrine::Stack::test_tls();
my %limits = (Vitrine::World::unlimited(), workers => 4, grace_s => 86400);
my %stack = (without => Vitrine::Stack->new(%limits));
my $dir = "$stack{without}{dir}/store";
my $store = bare_store($dir, $tls, '127.0.0.1');
$stack{with} = Vitrine::Stack->new(%limits, $store->('localhost'));
stacks($stack{with});
my (%ann, %api, %plain, %art);
for my $which (qw(with without)) {
	$ann{$which} = $stack{$which}->user('ann@example.org');
	$api{$which} = Vitrine::Api->new($stack{$which}, unchecked => 1);
	$plain{$which} = Vitrine::Api->new($stack{$which});
	$art{$which} = $plain{$which}->publish($ann{$which}, slug => 'kept', visibility => 'public', files => { 'index.html' => 'x', 'page.html' => 'page' x 1000 });
}

# ---- one file

sub metric {
	my ($name) = @_;
	my $m = IO::Socket::UNIX->new("$stack{with}{run}/metrics.sock") // die;
	print $m "GET /metrics HTTP/1.0\r\n\r\n";
	my $n = 0;
	while (my $line = <$m>) {
		next if $name eq 'requests_total' && $line !~ /"PUT"/;
		$n += $1 if $line =~ /^vitrine_store_\Q$name\E\{.*\} ([\d.e+-]+)$/;
	}
	return $n;
}
my $no = 0;
sub publish_ms {
	my ($which) = @_;
	my @took = map {
		my $from = time;
		$api{$which}->publish($ann{$which}, slug => 'one', files => { 'index.html' => 'text ' . rand() . ' ' . $no++ });
		1000 * (time - $from);
	} 1 .. 25;
	return median(@took);
}
publish_ms($_) for qw(with without);
my (@with, @without, @put);
for (1 .. 3) {
	push @without, publish_ms('without');
	my ($puts, $wait) = map { metric($_) } qw(requests_total wait_seconds_total);
	push @with, publish_ms('with');
	push @put, 1000 * (metric('wait_seconds_total') - $wait) / (metric('requests_total') - $puts);
}
figure(name => 'a publish of one file, against a PUT and 1.2 times one without', ours => median(@with), ceiling => median(@put) + 1.2 * median(@without), unit => 'ms',
	note => sprintf 'a PUT takes %.2f ms, a publish without %.2f', median(@put), median(@without));

# ---- many files

my @names = map { sprintf 'd%02d/f%05d.txt', $_ % 50, $_ } 1 .. $FILES;
my %text = map { $_ => "$_ " . 'x' x 1000 } @names, 'index.html';
sub many_s {
	my ($which) = @_;
	my $zip = zip(map { [$_, $text{$_}, { stored => 1 }] } sort keys %text);
	my ($body, $type) = form(['manifest', '{"name":"Many","slug":"many"}', undef, 'application/json'], ['archive', $zip, 'a.zip', 'application/zip']);
	my $from = time;
	my $r = $api{$which}->call(POST => '/v1/publish', { token => $ann{$which}{token}, type => $type, body => $body });
	die $r->{body} if $r->{status} >= 300;
	return time - $from;
}
my %took = map { $_ => many_s($_) } qw(without with);
figure(name => sprintf('a publish of %d files of 1 kB, against one without', $FILES), ours => $took{with}, ceiling => $took{without}, unit => 's');
$text{$_} .= 'changed' for @names[0, $FILES / 2, $FILES - 1];
my $puts = metric('requests_total');
%took = map { $_ => many_s($_) } qw(without with);
figure(name => 'the same with 3 changed', ours => $took{with}, ceiling => $took{without}, unit => 's', note => (metric('requests_total') - $puts) . ' PUTs');

# ---- a large file

my $begun = $plain{with}->call(POST => '/v1/assets/upload', { token => $ann{with}{token}, json => { size => $LARGE } });
my $url = $begun->{json}{uploadUrl} // die $begun->{body};
system("head -c $LARGE /dev/urandom >$dir/film.bin") == 0 or die;
my $most = 0;
my $pid = fork // die;
if (!$pid) {
	exec 'curl', '-sf', '-o', '/dev/null', '--cacert', "$tls/ca.pem", '--resolve', "vitrine.localhost:$stack{with}{port}:127.0.0.1", '-T', "$dir/film.bin", $url or POSIX::_exit(1);
}
until (waitpid($pid, POSIX::WNOHANG())) {
	for ($stack{with}->workers) { $most = $1 / 1024 if Vitrine::Stack::slurp("/proc/$_/smaps_rollup") =~ /^Pss:\s+(\d+)/m && $1 / 1024 > $most }
	sleep 0.05;
}
die "the upload failed\n" if $?;
figure(name => 'memory of a worker that takes and puts 200 MB, against 64 MiB', ours => $most, ceiling => 64, unit => 'MiB');

# ---- reads

sub got { my ($which, $path, $host) = @_; return wrk("https://127.0.0.1:$stack{$which}{port}$path", "Host: $host", "Authorization: Bearer $ann{$which}{token}") }
my %blob = map {
	my $r = $plain{$_}->call(PUT => "/v1/data/$art{$_}/blobs?filename=b.bin", { token => $ann{$_}{token}, body => 'blob' x 1000, type => 'application/octet-stream' });
	$_ => "/v1/data/$art{$_}/blobs/$r->{json}{data}{id}/content";
} qw(with without);
by_turns('reads of a blob that is here, with a store against without', map { my $which = $_; sub { got($which, $blob{$which}, 'vitrine.localhost') } } qw(with without));
by_turns('reads of a page, with a store against without', map { my $which = $_; sub { got($which, '/page.html', 'kept.pages.localhost') } } qw(with without));
