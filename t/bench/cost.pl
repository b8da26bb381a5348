# SPDX-License-Identifier: Apache-2.0
# ./dev bench cost: what the whole stack, with a runner that stays, costs the machine: idle, for a publish now and then, and in memory.
use strict;
use warnings;
use Cpanel::JSON::XS;
use Digest::SHA 'sha256_hex';
use POSIX ();
use Time::HiRes qw(sleep time);
use Vitrine::Api;
use Vitrine::Bench;
use Vitrine::Stack;

my $s = Vitrine::Stack->new(workers => 4, publish_per_hour => 1_000_000);
stacks($s);
thrifty($s->db);
my $api = Vitrine::Api->new($s);
my $timed = Vitrine::Api->new($s, unchecked => 1);
my $ann = $s->user('ann@example.org');
my ($art) = map { $api->publish($ann, slug => "a$_", visibility => 'public') } 1 .. 20;
$s->runner;
$s->start_runner;
sleep 8;

# ---- processor

my $from = watch();
sleep 10;
my $idle = used($from, 10);
figure(name => 'idle, with a runner that stays', per => 'second', %$idle);

# A page of 4 KiB, of words.
my $page = substr join('', map { '<p>' . join(' ', map { sha256_hex($_) =~ /^([a-f]*\d)/ } $_ * 9 .. $_ * 9 + 8) . "</p>\n" } 1 .. 200), 0, 4096;
# What publishes of some files cost that begin so many seconds apart, of so many artifacts by turns, with what is packed and indexed of them; idling isn't theirs.
# Nothing is packed that is replaced at once.
my %made;
sub publishes {
	my ($what, $apart, $artifacts, $count, $files) = @_;
	my $new = $artifacts > $count;
	# Artifacts that were made for another figure are published again.
	my $series = join '-', $artifacts, $files // 1, $new ? ++$made{new} : ();
	my $first = !$new && !$made{$series}++ ? $artifacts : 0;
	my $publish = sub {
		my ($n) = @_;
		$timed->publish($ann, slug => "s$series-" . $n % $artifacts, visibility => 'public', files => { 'index.html' => "$n $page", map { ("f$_.html" => "$n $_ $page") } 2 .. $files // 1 });
		sleep $apart if $apart;
	};
	$publish->($artifacts - $_) for 1 .. $first + 5;
	sleep 3;
	my $from = watch();
	$publish->($_) for 1 .. $count;
	sleep 3;
	my $one = used($from, $count);
	my $seconds = time - $from->{at};
	for (keys %{$one->{cpu_ms}}) { $one->{cpu_ms}{$_} -= ($idle->{cpu_ms}{$_} // 0) * $seconds / $count }
	figure(name => $what, per => 'publish', %$one);
}
publishes('one publish each half second, packing included', 0.5, 1, 24);

# ---- memory: what many have in common counts once

sub mib { my ($name, $mib) = @_; figure(name => $name, ours => $mib->{all}, unit => 'MiB', mib => $mib) }
for my $path (("/v1/artifacts/$art", "/v1/artifacts/$art/files", "/v1/artifacts/$art/versions", '/v1/artifacts', '/v1/auth/me') x 400) {
	$timed->call(GET => $path, { token => $ann->{token} })->{status} == 200 or die $path;
}
mib('memory of the stack, warm', { memory() });

my $dir = $s->{dir};
mkdir "$dir/big";
system("cd $dir/big && head -c 100000000 /dev/urandom | split -b 10000000 && tar c * | gzip -1 > ../big.tar.gz") == 0 or die;
my @uploads = map { my $n = $_; sub {
	my $code = qx(curl -s -o /dev/null -w '%{http_code}' --cacert $s->{tls}/ca.pem -H 'Authorization: Bearer $ann->{token}' --resolve vitrine.localhost:$s->{port}:127.0.0.1 -F 'manifest={"name":"Big","slug":"big$n","entrypoint":"xaa"};type=application/json' -F 'archive=\@$dir/big.tar.gz' https://vitrine.localhost:$s->{port}/v1/publish);
	warn "an archive: $code\n" if $code ne '201';
}, sub {
	my $r = Vitrine::Api->new($s)->call(POST => '/v1/publish', { token => $ann->{token}, json => { name => 'M', slug => "json$n", files => [{ path => 'index.html', content => 'x' x (24 << 20) }] } });
	warn "JSON: $r->{body}\n" if $r->{status} != 201;
} } 1, 2;
my %kids = map { my $do = $_; my $pid = fork // die; if (!$pid) { $do->(); POSIX::_exit(0) } ($pid => 1) } @uploads;
my $peak = { all => 0 };
while (%kids) {
	my %now = memory();
	$peak = \%now if $now{all} > $peak->{all};
	delete @kids{grep { waitpid($_, POSIX::WNOHANG()) == $_ } keys %kids};
	sleep 0.01;
}
mib('its peak: two archives of 100 MB, two JSON of 24 MiB', $peak);
sleep 5;
mib('afterwards', { memory() });

# Last, since it fills the pool of pages that memory was measured with.
my @kinds = (['publishes of 500 artifacts by turns as fast as one client can, packing included', 0, 500, 500],
	['publishes of new artifacts as fast as one client can, packing and search included', 0, 1000, 250],
	['publishes of 48 files to one artifact as fast as one client can, packing included', 0, 1, 80, 48]);
publishes(@$_) for @kinds;
loaded(sub { my ($beside) = @_; publishes("$_->[0]$beside", @$_[1 .. $#$_]) for @kinds });
