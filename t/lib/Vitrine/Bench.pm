# SPDX-License-Identifier: Apache-2.0
# How ./dev bench measures: whoever uses this does so in a child (see keep), prints a line per figure, and leaves it in var/bench.json.
package Vitrine::Bench;
use strict;
use warnings;
use Cpanel::JSON::XS;
use Exporter 'import';
use File::Basename 'basename';
use File::Path qw(make_path remove_tree);
use File::Temp 'tempdir';
use MIME::Base64;
use POSIX ();
use Time::HiRes 'time';
use Vitrine::Stack;

our @EXPORT = qw(room thrifty at_rest wrk h2load script publish_script viewer_cookie median by_turns quiet_and_loaded loaded
	disturbed figure stacks each_process watch used own memory bare_store);

# ---- nothing outlives a bench, not even one that is killed: what it left comes to its parent, which ends that, and its folders

my ($PDEATHSIG, $SUBREAPER) = (1, 36);
sub prctl { { package main; require 'syscall.ph' } syscall(main::SYS_prctl(), $_[0], $_[1], 0, 0, 0) == 0 or die "prctl: $!\n" }
sub children { my ($pid) = @_; return map { split ' ', Vitrine::Stack::slurp("$_/children") } glob "/proc/$pid/task/*" }

sub keep {
	prctl($SUBREAPER, 1);
	my $dir = $ENV{TMPDIR} = tempdir('vitrine-bench-XXXXXX', TMPDIR => 1);
	my $keeper = $$;
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		prctl($PDEATHSIG, 15);
		return getppid == $keeper ? () : POSIX::_exit(1);
	}
	$SIG{INT} = 'IGNORE';
	$SIG{$_} = sub { kill 'TERM', $pid } for qw(TERM HUP);
	1 until waitpid($pid, 0) == $pid;
	my $status = $?;
	while (my @left = children($$)) { kill 'KILL', @left; waitpid $_, 0 for @left }
	remove_tree($dir) unless $ENV{VITRINE_KEEP};
	POSIX::_exit($status >> 8 || $status & 127);
}
keep();

# ---- what was used: processor by part of the stacks that are named, and what waited

my @stacks;
sub stacks { @stacks = @_ }
my %part_of = (db => 'MariaDB', worker => 'workers', floor_page => 'floor', floor_viewer => 'floor');

# Of the processes of a part: f(part, pid).
sub each_process {
	my ($f) = @_;
	for my $s (@stacks) {
		for my $name (keys %{$s->{pids}}) {
			my @todo = $s->{pids}{$name};
			while (defined(my $pid = shift @todo)) {
				my ($child) = Vitrine::Stack::slurp("/proc/$pid/comm") =~ /^vitrine-(packer|indexer)$/m;
				$f->($child // $part_of{$name} // $name, $pid);
				push @todo, children($pid);
			}
		}
	}
}

# Microseconds in which something waited so far; undef where the kernel doesn't tell.
sub pressure { my ($of) = @_; return (Vitrine::Stack::slurp("/proc/pressure/$of") =~ /^some .*total=(\d+)/)[0] }

sub watch {
	my %tasks;
	each_process(sub {
		my ($part, $pid) = @_;
		$tasks{$_} = [$part, (split ' ', Vitrine::Stack::slurp("$_/schedstat"))[0] // 0] for glob "/proc/$pid/task/*";
	});
	return { tasks => \%tasks, at => time, map { $_ => pressure($_) } qw(cpu io) };
}

# ms of processor of this process.
sub own { my ($user, $system) = times; return 1000 * ($user + $system) }

# Since then: ms of processor for each of n, by part and all, and the share of the time in which something waited, in percent.
sub used {
	my ($from, $n) = @_;
	my ($now, %ms) = (watch());
	for (keys %{$now->{tasks}}) {
		my ($part, $ns) = @{$now->{tasks}{$_}};
		my $more = ($ns - ($from->{tasks}{$_} // [0, 0])->[1]) / 1e6 / $n or next;
		$ms{$part} += $more;
		$ms{all} += $more;
	}
	my %waited = map { defined $now->{$_} ? ($_ => int(0.5 + ($now->{$_} - $from->{$_}) / 1e4 / ($now->{at} - $from->{at}))) : () }
		qw(cpu io);
	return { cpu_ms => \%ms, pressure => \%waited };
}

# Memory of all of it by part, in MiB: each page's share of those that have it.
sub memory {
	my %mib = (all => 0);
	each_process(sub {
		my ($part, $pid) = @_;
		my ($kib) = Vitrine::Stack::slurp("/proc/$pid/smaps_rollup") =~ /^Pss:\s+(\d+)/m or return;
		$mib{$_} += $kib / 1024 for $part, 'all';
	});
	return %mib;
}

# ---- figures

sub short {
	my ($n) = @_;
	my $size = abs $n;
	return sprintf $size >= 100 ? '%.0f' : $size >= 10 ? '%.1f' : $size >= 1 ? '%.2f' : '%.3f', $n;
}
sub parts_of {
	my ($of) = @_;
	return join ', ', map { "$_ " . short($of->{$_}) } grep { $_ ne 'all' && $of->{$_} >= 0.01 * $of->{all} }
		sort { $of->{$b} <=> $of->{$a} } keys %$of;
}

# An object store in a folder: an nginx that takes PUTs and checks no signature. $at is the address that it listens at. Returns a function
# that gives a stack's settings for it, by the name or address that leads there.
my @stores;
sub bare_store {
	my ($dir, $tls, $at) = @_;
	my $port = Vitrine::Stack::free_port();
	make_path("$dir/root", "$dir/tmp");
	Vitrine::Stack::spew("$dir/nginx.conf", <<"END");
@{[$> == 0 ? 'user root;' : '']}
pid $dir/nginx.pid;
worker_processes 2;
events {}
http {
	access_log off;
	client_body_temp_path $dir/tmp;
	server {
		listen $at:$port ssl;
		ssl_certificate $tls/cert.pem;
		ssl_certificate_key $tls/key.pem;
		client_max_body_size 0;
		keepalive_requests 1000000;
		root $dir/root;
		dav_methods PUT DELETE;
		create_full_put_path on;
	}
}
END
	system('nginx', '-q', '-e', "$dir/error.log", '-c', "$dir/nginx.conf") == 0 or die;
	push @stores, $dir;
	Vitrine::Stack::spew("$dir/key", "id key\n");
	return sub { return (store_url => "https://$_[0]:$port/bucket", store_key_file => "$dir/key", egress_ca_file => "$tls/ca.pem") };
}
END { for (@stores) { kill 'TERM', $1 if Vitrine::Stack::slurp("$_/nginx.pid") =~ /(\d+)/ } }

# name; ours, ceiling, unit; ratio, if it isn't ours by the ceiling's, and its least and most; cpu_ms (all and parts), per, ceiling_cpu_ms;
# mib (all and parts); pressure; note.
sub figure {
	my (%f) = @_;
	$f{ratio} //= $f{ours} / $f{ceiling} if $f{ceiling};
	my @said;
	push @said, sprintf '%8s %s', short($f{ours}), ($f{ceiling} ? 'of ' . short($f{ceiling}) . ' ' : '') . $f{unit} if defined $f{ours};
	push @said, sprintf('ratio %.2f', $f{ratio}) . ($f{least} ? sprintf ' (%.2f to %.2f)', @f{qw(least most)} : '')
		if defined $f{ratio};
	push @said, $f{note} if defined $f{note};
	push @said, 'processor ' . short($f{cpu_ms}{all}) . " ms a $f{per}: " . parts_of($f{cpu_ms}) if $f{cpu_ms} && $f{cpu_ms}{all};
	push @said, parts_of($f{mib}) if $f{mib};
	push @said, 'the ceiling ' . short($f{ceiling_cpu_ms}) if $f{ceiling_cpu_ms};
	push @said, join ' ', 'pressure', map { "$_ $f{pressure}{$_}%" } sort keys %{$f{pressure}} if %{$f{pressure} // {}};
	local $| = 1;
	printf "%-52s %s\n", $f{name}, join '; ', @said;
	my $round = sub { my ($n) = @_; return 0 + sprintf '%.4g', $n };
	$f{$_} = $round->($f{$_}) for grep { defined $f{$_} } qw(ours ceiling ratio least most ceiling_cpu_ms);
	for my $of (grep { $f{$_} } qw(cpu_ms mib)) { $f{$of} = { map { $_ => $round->($f{$of}{$_}) } keys %{$f{$of}} } }
	open my $out, '>>', ($ENV{VITRINE_VAR} // 'var') . '/bench.json' or die "bench.json: $!\n";
	print $out Cpanel::JSON::XS->new->canonical->encode({ %f, part => basename($0, '.pl'),
		at => POSIX::strftime('%Y-%m-%dT%H:%M:%SZ', gmtime) }), "\n";
}

# wrk's requests a second, and how many; of some kind if a script makes them, then on one connection.
our $connections = 16;
our $within = ''; # a command under which it runs
sub wrk {
	my ($url, @headers) = @_;
	my $script = ref $headers[0] ? ${shift @headers} : undef;
	my $out = qx($within wrk -t1 -d1s @{[$script ? "-c1 -s $script" : "-c$connections"]} @{[map { "-H '$_'" } @headers]} '$url');
	die "wrk: errors\n$out" if $out =~ /Non-2xx|Socket errors/;
	my ($n) = $out =~ /(\d+) requests in/ or die "wrk:\n$out";
	return ($out =~ m{Requests/sec:\s+([\d.]+)}, $n);
}

# The same of h2load, by HTTP/2: four connections with four requests at a time. It takes fewer than nginx lets a connection have, since
# it makes no other. The url has the host's name; $at is where to connect.
sub h2load {
	my ($url, $at, @headers) = @_;
	my $out = qx(h2load -t1 -c4 -m4 -n10000 --connect-to=$at @{[map { "-H '$_'" } @headers]} '$url' 2>&1);
	my ($n) = $out =~ /, (\d+) done, \1 succeeded, 0 failed/ or die "h2load:\n$out";
	return ($out =~ m{([\d.]+) req/s}, $n);
}

# What wrk sends by one client: a body by an expression of Lua, in which n is another number each time.
sub script {
	my ($dir, $method, $before, $body) = @_;
	my $from = int(1e9 * rand);
	Vitrine::Stack::spew("$dir/wrk.lua", <<"END");
local n = $from
wrk.method = "$method"
wrk.headers["Content-Type"] = "application/json"
$before
function request()
	n = n + 1
	return wrk.format(nil, nil, nil, $body)
end
END
	return \"$dir/wrk.lua";
}

# Publishes to $slug, or each to a site of its own if $new. Each file has 4 KiB: a number that is new and the same filling, so that making
# a body costs the client next to nothing.
sub publish_script {
	my ($dir, $files, $slug, $new) = @_;
	$slug .= q(-' .. n .. ') if $new;
	open my $random, '<', '/dev/urandom' or die;
	read $random, my $bytes, 3060;
	my $filling = encode_base64($bytes, '');
	return script($dir, 'POST',
		<<"END", qq('{"name":"B","slug":"$slug","visibility":"public","entrypoint":"f0.html","files":[' .. files(n) .. ']}'));
local function files(n)
	local all = {}
	for i = 0, @{[$files - 1]} do
		all[#all + 1] = string.format('{"path":"f%d.html","content":"%012d%04d$filling"}', i, n, i)
	end
	return table.concat(all, ",")
end
END
}

# A header that lets its sender see a private page.
sub viewer_cookie {
	my ($s, $who, $art) = @_;
	my $cookie = Vitrine::Stack::secret('vie_');
	$s->db->do("INSERT INTO session VALUES ('ses_bench', UNHEX(SHA2('x', 256)), ?, 'password', UNIX_TIMESTAMP(), 0, "
		. "4000000000, '', '')", undef, $who->{id});
	$s->db->do("INSERT INTO viewer (hash, kind, artifact_id, session_id, expires_at) "
		. "VALUES (UNHEX(SHA2(?, 256)), 'cookie', ?, 'ses_bench', 4000000000)", undef, $cookie, $art);
	return "Cookie: __Host-vitrine_viewer=$cookie";
}

# As docs/operations.md advises for a small machine; tests keep more tables open.
sub thrifty {
	my ($db) = @_;
	$db->do('SET GLOBAL table_open_cache = 200');
}

# Gives MariaDB memory for all rows in use, as docs/operations.md advises, and a log that doesn't make it write while many rows are made.
sub room {
	my ($db) = @_;
	$db->do("SET GLOBAL $_") for 'innodb_log_file_size = 512 << 20', 'innodb_buffer_pool_size = 1 << 30';
}

# Until MariaDB has cleared away, and written to its files, what was done before: that would count as the work of what is measured next.
sub at_rest {
	my ($db) = @_;
	my $status = sub { ($db->selectrow_array("SHOW GLOBAL STATUS LIKE 'Innodb_$_[0]'"))[1] };
	my @was = $db->selectrow_array('SELECT @@GLOBAL.innodb_max_dirty_pages_pct, @@GLOBAL.innodb_io_capacity, '
		. '@@GLOBAL.innodb_io_capacity_max');
	my $set = sub {
		my ($pages, $io, $most) = @_;
		$db->do("SET GLOBAL innodb_$_") for "max_dirty_pages_pct = $pages", "io_capacity_max = $most", "io_capacity = $io";
	};
	$set->(0, 20_000, 20_000);
	Vitrine::Stack::wait_for('rest', 300, sub {
		sleep 0.1;
		return $status->('history_list_length') < 100 && $status->('buffer_pool_pages_dirty') < 100;
	});
	$set->(@was);
}

sub median { my @sorted = sort { $a <=> $b } @_; return $sorted[@sorted / 2] }

# Ours and the ceiling by turns, since the machine is shared and its speed changes: the ratio is the median of three (BENCH_TURNS), each of
# neighbours in time. Each says how many a second, how many, and the ms of processor that it took beside the stack's.
sub by_turns {
	my ($what, @do) = @_;
	my (@pairs, @sum);
	my $all = watch();
	for my $turn (1 .. $ENV{BENCH_TURNS} // 3) {
		for my $who (0, 1) {
			my $from = watch();
			my ($rate, $n, $own) = $do[$who]->($turn);
			my $cpu = used($from, 1)->{cpu_ms};
			$cpu->{$_} += $own // 0 for 'all', $own ? 'itself' : ();
			# They may still work on what ours published.
			$cpu->{all} -= $cpu->{$_} // 0 for $who ? qw(packer indexer) : ();
			push @{$pairs[$turn - 1]}, $rate;
			$sum[$who]{$_} += $cpu->{$_} for keys %$cpu;
			$sum[$who]{n} += $n;
		}
	}
	my @ratios = sort { $a <=> $b } map { $_->[0] / $_->[1] } @pairs;
	my ($ours, $ceiling) = map { my $s = $_; my $n = delete $s->{n}; +{ map { $_ => $s->{$_} / $n } keys %$s } } @sum;
	figure(name => $what, ours => median(map { $_->[0] } @pairs), ceiling => median(map { $_->[1] } @pairs), unit => 'a second',
		ratio => median(@ratios), least => $ratios[0], most => $ratios[-1],
		cpu_ms => $ours, per => 'request', ceiling_cpu_ms => $ceiling->{all}, pressure => used($all, 1)->{pressure});
}

# Does f(what is added to names) beside two programs that compute.
sub loaded {
	my ($do) = @_;
	my @computing = map { my $pid = fork // die "fork: $!\n"; if (!$pid) { 1 while 1 } $pid } 1, 2;
	$do->(', beside two programs that compute');
	kill 'KILL', @computing;
	waitpid $_, 0 for @computing;
}

# The same figure quiet, and loaded as its ceiling is then.
sub quiet_and_loaded {
	my ($what, @do) = @_;
	by_turns($what, @do);
	loaded(sub { by_turns("$what$_[0]", @do) });
}

# ms of something quiet, alone and beside what is begun and ended, three times by turns. The processor is what all of the service took
# meanwhile.
sub disturbed {
	my ($what, $ms, $begin, $end, $note) = @_;
	my (@alone, @beside, %cpu);
	my $all = watch();
	for (1 .. 3) {
		push @alone, $ms->();
		$begin->();
		my $from = watch();
		push @beside, $ms->();
		my $used = used($from, time - $from->{at})->{cpu_ms};
		$cpu{$_} += $used->{$_} / 3 for keys %$used;
		$end->();
	}
	my @ratios = sort { $a <=> $b } map { $beside[$_] / $alone[$_] } 0 .. 2;
	figure(name => $what, ours => median(@beside), ceiling => median(@alone), unit => 'ms', ratio => $ratios[1], least => $ratios[0],
		most => $ratios[2], $note ? (note => $note->()) : (),
		cpu_ms => \%cpu, per => 'second', pressure => used($all, 1)->{pressure});
}

1;
