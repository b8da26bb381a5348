# SPDX-License-Identifier: Apache-2.0
# ./dev bench library: an upload of 100 MB to an asset library beside a copy of the file that is synced, a library of 10,000 files, and the memory of eight such uploads at once.
# BENCH="upload list memory" takes some of the figures.
use strict;
use warnings;
use Cpanel::JSON::XS;
use IO::Handle;
use POSIX ();
use Time::HiRes qw(sleep time);
use Vitrine::Api;
use Vitrine::Bench;
use Vitrine::Stack;

my %want = map { $_ => 1 } split ' ', $ENV{BENCH} // 'upload list memory';
my ($SIZE, $FILES) = (100_000_000, 10_000);
my $s = Vitrine::Stack->new(workers => 4, grace_s => 0, max_library_bytes => 1 << 40);
stacks($s);
my $api = Vitrine::Api->new($s);
my $timed = Vitrine::Api->new($s, unchecked => 1);
my $ann = $s->user('ann@example.org');
my $db = $s->db;
my $dir = $s->{dir};

# ---- uploads: other bytes each time, or there would be nothing to store

sub file { my ($n) = @_; return "$dir/film-$n.bin" }
sub fresh {
	my ($n) = @_;
	system(($n && -e file(0) ? 'cat ' . file(0) : "head -c $SIZE /dev/urandom") . ' > ' . file($n)) == 0 or die if !-e file($n);
	open my $f, '+<:raw', file($n) or die;
	syswrite $f, sprintf '%.9f', time;
	# What is written of it later is nobody's time.
	$f->sync;
}
sub started { return $api->call(POST => '/v1/assets/upload', { token => $ann->{token}, json => { size => $SIZE } })->{json}{uploadUrl} }
# The seconds of one; dies unless it was taken.
sub sent {
	my ($url, $path) = @_;
	open my $out, '-|', 'curl', '-s', '-o', '/dev/null', '-w', '%{http_code} %{time_total}', '--cacert', "$s->{tls}/ca.pem", '--resolve', "vitrine.localhost:$s->{port}:127.0.0.1", '-T', $path, $url or die;
	my ($status, $seconds) = split ' ', <$out>;
	die "an upload: $status\n" if $status != 201;
	return $seconds;
}
sub dropped {
	$api->call(DELETE => "/v1/assets/blobs/$_->{id}", { token => $ann->{token} }) for @{$api->call(GET => '/v1/assets', { token => $ann->{token} })->{json}{loose}};
	$db->do("DELETE FROM sweep WHERE name = 'objects'");
	sleep 1.1;
	$s->runner;
}
sub copied {
	my ($path) = @_;
	my $from = time;
	open my $in, '<:raw', $path or die;
	open my $out, '>:raw', "$dir/data/copy" or die;
	while (sysread $in, my $piece, 1 << 20) { syswrite $out, $piece }
	$out->sync;
	my $seconds = time - $from;
	unlink "$dir/data/copy";
	return $seconds;
}

if ($want{upload}) {
	my $all = watch();
	my (@ours, @copies, @digests, %cpu, $bare);
	my $turns = $ENV{BENCH_TURNS} // 3;
	for (1 .. $turns) {
		fresh(0);
		my ($url, $from) = (started(), watch());
		push @ours, sent($url, file(0));
		my $used = used($from, $turns)->{cpu_ms};
		$cpu{$_} += $used->{$_} for keys %$used;
		my $own = own();
		push @copies, copied(file(0));
		$bare += (own() - $own) / $turns;
		my $at = time;
		system('openssl dgst -sha256 ' . file(0) . ' > /dev/null') == 0 or die;
		push @digests, time - $at;
		dropped();
	}
	my $against = sub {
		my ($what, $of, %more) = @_;
		my @ratios = sort { $a <=> $b } map { $ours[$_] / $of->($_) } 0 .. $#ours;
		figure(name => "upload of 100 MB against $what", ours => median(@ours), ceiling => median(map { $of->($_) } 0 .. $#ours), unit => 's', ratio => median(@ratios), least => $ratios[0], most => $ratios[-1], %more);
	};
	$against->('a copy that is synced', sub { $copies[$_[0]] }, cpu_ms => \%cpu, per => 'upload', ceiling_cpu_ms => $bare, pressure => used($all, 1)->{pressure});
	$against->('a copy that is synced, and its digest', sub { $copies[$_[0]] + $digests[$_[0]] });
	my @took = map { m{"method":"PUT","route":"/v1/uploads/\{upload\}","status":201,"ms":([\d.]+)} ? $1 : () } split /\n/, Vitrine::Stack::slurp("$dir/worker.log");
	figure(name => 'upload of 100 MB, of which a worker had', ours => median(@took), unit => 'ms');
}

# ---- a library as large as it may be, of a workspace in which everybody has some

sub took {
	my ($what, $path) = @_;
	my $bytes;
	my $one = sub { my $r = $timed->call(GET => $path, { token => $ann->{token} }); die "$path: $r->{status} $r->{body}" if $r->{status} != 200; $bytes = length $r->{body} };
	$one->() for 1 .. 3;
	my $from = watch();
	my @ms = map { my $from = time; $one->(); 1000 * (time - $from) } 1 .. 15;
	figure(name => $what, ours => median(@ms), unit => 'ms', note => sprintf('%.0f kB', $bytes / 1000), per => 'list', %{used($from, 15)});
}
if ($want{list}) {
	my $ws = $api->call(POST => '/v1/workspaces', { token => $ann->{token}, json => { name => 'Team' } })->{json}{workspace}{id};
	my ($bucket, $n) = ('bkt_' . substr($ws, 4), "LPAD(seq, 26, '0')");
	my @people = map { my $who = $s->user("u$_\@example.org"); $s->seat($ws, $who, 'member'); $who->{id} } 1 .. 8;
	my $owner = "ELT(1 + seq % 8, " . join(', ', map { "'$_'" } @people) . ')';
	$db->do("INSERT INTO deliverable (id, bucket_id, workspace_id, owner_id, name, visibility, version, blob_id, created_at, updated_at) SELECT CONCAT('dlv_', $n), '$bucket', '$ws', $owner, CONCAT('Report ', seq, '.pdf'), 'workspace', 1 + seq % 3, CONCAT('blb_', 1 + seq % 3, LPAD(seq, 25, '0')), seq, seq FROM seq_1_to_$FILES");
	for my $version (1 .. 3) {
		$db->do("INSERT INTO asset_blob (id, bucket_id, workspace_id, user_id, deliverable_id, filename, mime, sha256, size_bytes, created_at) SELECT CONCAT('blb_$version', LPAD(seq, 25, '0')), '$bucket', '$ws', $owner, CONCAT('dlv_', $n), 'report.pdf', 'application/pdf',"
			. " UNHEX(SHA2(CONCAT(seq, '-$version'), 256)), 1000 + seq, seq FROM seq_1_to_$FILES WHERE seq % 3 >= $version - 1");
		$db->do("INSERT INTO deliverable_version SELECT CONCAT('dlv_', $n), $version, CONCAT('blb_$version', LPAD(seq, 25, '0')), $owner, seq FROM seq_1_to_$FILES WHERE seq % 3 >= $version - 1");
	}
	$db->do('INSERT INTO asset_bucket (id, files, bytes) SELECT bucket_id, COUNT(*), SUM(size_bytes) FROM asset_blob WHERE bucket_id = ? GROUP BY bucket_id', undef, $bucket);
	$db->do("ANALYZE TABLE $_") for qw(deliverable deliverable_version asset_blob);
	took('a library of 10,000 files, all of them', "/v1/workspaces/$ws/assets");
	took('the same, a page of 50', "/v1/workspaces/$ws/assets?limit=50");
	took('the same, by a part of the name that few have', "/v1/workspaces/$ws/assets?limit=50&q=9999");
}

# ---- memory: PSS of the workers, before, at its highest, and afterwards

if ($want{memory}) {
	my $workers = sub { my %mib = memory(); return $mib{workers} };
	my @urls = map { fresh($_); started() } 1 .. 8;
	my ($before, $peak, %kids) = ($workers->(), 0);
	for my $n (1 .. 8) {
		my $pid = fork // die;
		if (!$pid) { my $ok = eval { sent($urls[$n - 1], file($n)) }; warn $@ if !$ok; POSIX::_exit($ok ? 0 : 1) }
		$kids{$pid} = 1;
	}
	my $failed = 0;
	while (%kids) {
		my $now = $workers->();
		$peak = $now if $now > $peak;
		for (keys %kids) {
			next if waitpid($_, POSIX::WNOHANG()) != $_;
			$failed++ if $?;
			delete $kids{$_};
		}
		sleep 0.02;
	}
	die "$failed of eight uploads failed\n" if $failed;
	figure(name => "the workers' memory during eight uploads of 100 MB", ours => $peak, ceiling => $before, unit => 'MiB at its peak', note => sprintf '%.1f afterwards', $workers->());
	dropped();
}
