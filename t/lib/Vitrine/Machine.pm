# SPDX-License-Identifier: Apache-2.0
# A machine of a cluster (Vitrine::Cluster): a stack in a network namespace, with an address and a disk of its own. Its MariaDB is a member
# of the cluster's Galera group. The second half is faults of this machine, each with its way back.
package Vitrine::Machine;
use strict;
use warnings;
use File::Path 'make_path';
use POSIX ':sys_wait_h';
use Scalar::Util 'weaken';
use Time::HiRes qw(sleep time);
use Vitrine::Api;
use Vitrine::Stack;
our @ISA = 'Vitrine::Stack';

my $FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';

sub ip { return Vitrine::Stack::run('ip', @_) }

sub new {
	my ($class, $cluster, $number) = @_;
	my $m = bless { (map { $_ => $cluster->{$_} } qw(build tls port workers)), cluster => $cluster, proxied => $cluster->{port} + 1,
		number => $number, name => "n$number", namespace => "$cluster->{name}-$number",
		address => "$cluster->{net}.$number", dir => "$cluster->{dir}/n$number",
		owner => $$, users => {} }, $class;
	weaken($m->{cluster});
	$m->{run} = "$m->{dir}/run";
	$m->{conf} = { %{$cluster->{conf}}, $m->member_conf };
	$m->{within} = ['ip', 'netns', 'exec', $m->{namespace}, $cluster->{clock} ? $m->own_clock : ()];
	make_path($m->{dir});
	$m->mount_disk($cluster->{disk}) if $cluster->{disk};
	make_path("$m->{dir}/data", $m->{run});
	$m->set_clock(0);
	Vitrine::Cluster::make_namespace($m->{namespace}, $cluster->{bridge}, "$cluster->{bridge}.$number", $m->{address});
	return $m;
}

# In memory, or as a file system that can hang.
sub mount_disk {
	my ($m, $disk) = @_;
	my @how = ('-t', 'tmpfs', '-o', "mode=755,size=$disk", 'vitrine');
	if ($disk eq 'ext4') {
		my $image = "$m->{dir}.ext4";
		Vitrine::Stack::run("truncate -s 1G $image && mkfs.ext4 -q $image");
		@how = ('-o', 'loop', $image);
	}
	Vitrine::Stack::run('mount', @how, $m->{dir});
	chmod 0755, $m->{dir};
}

# The settings that tell our programs of the cluster.
sub member_conf {
	my ($m) = @_;
	return (cluster_node => $m->{name}, cluster_admin_file => "$m->{dir}/cluster-password", balancers => $m->{cluster}{address});
}

# ---- its programs

sub db_command {
	my ($m) = @_;
	my $file = "$m->{dir}/my.cnf";
	# What vitrinectl cluster init and join wrote, but for the size of a file on a disk in memory, and the user that MariaDB runs as.
	my $galera = Vitrine::Stack::slurp($m->galera_file);
	$galera =~ s/gcache\.size=512M/gcache.size=32M/;
	$galera =~ s/^wsrep_sst_auth=mysql:/wsrep_sst_auth=root:/m;
	Vitrine::Stack::spew($file, join '', map { "$_\n" } '[mysqld]', (map { s/^--//r } $m->db_options), $galera, '[sst]',
		'sst-syslog=0');
	return ('mariadbd', "--defaults-file=$file", $m->start_position, $m->{bootstraps} ? '--wsrep-new-cluster' : ());
}

sub galera_file { my ($m) = @_; return "$m->{dir}/galera.cnf" }

# After a crash grastate.dat has no position, but InnoDB has: without this option, all rows would be fetched anew (SST). Debian's unit does
# the same by galera_recovery.
sub start_position {
	my ($m) = @_;
	return () if !-d "$m->{dir}/db/mysql" || !-e "$m->{dir}/db/grastate.dat";
	# MariaDB 10.11 was seen to loop here once, with memory that grew; the next try found the position.
	for (1 .. 3) {
		my $said = `timeout -s KILL 60 mariadbd --defaults-file=$m->{dir}/my.cnf --wsrep-recover 2>&1`;
		my ($position) = $said =~ /Recovered position: *(\S+)/ or next;
		return $position =~ /^0{8}-/ ? () : "--wsrep-start-position=$position";
	}
	return ();
}

# The end of start_db. The others get the database and its user by replication.
sub make_db_user {
	my ($m) = @_;
	return $m->SUPER::make_db_user if !-e $m->galera_file;
	Vitrine::Stack::wait_for("MariaDB of $m->{name} in the cluster", 120, sub { $m->is_synced });
}

sub worker_command {
	my ($m) = @_;
	my ($program, @args) = $m->SUPER::worker_command;
	return ($m->{cluster}{worker} // $program, @args);
}

# Rows of a statement, each a string with tabs between its columns; nothing if MariaDB doesn't answer in 3 s.
sub ask {
	my ($m, $sql) = @_;
	my $command = 'exec timeout 3 mariadb --no-defaults -NB "--socket=$0" -e "$1" 2>/dev/null';
	open my $out, '-|', 'sh', '-c', $command, "$m->{run}/db.sock", $sql or return;
	chomp(my @rows = <$out>);
	return close $out ? @rows : ();
}

sub status { my ($m, $name) = @_; my ($row) = $m->ask("SHOW STATUS LIKE 'wsrep_$name'"); return ($row // '') =~ s/^.*\t//r }
sub is_synced { my ($m) = @_; return $m->status('local_state_comment') eq 'Synced' && $m->status('cluster_status') eq 'Primary' }

# Whether the row names this machine; and whether it has a lease and no hidden pages.
sub is_active { my ($m) = @_; my ($node) = $m->ask('SELECT node FROM vitrine.cluster_active'); return ($node // '') eq $m->{name} }
sub is_shown { my ($m) = @_; return -e "$m->{dir}/data/sites" && !-e "$m->{dir}/data/sites.hidden" }
sub wait_active {
	my ($m, $seconds) = @_;
	my $api = Vitrine::Api->new($m, unchecked => 1, patience => 5);
	Vitrine::Stack::wait_for("$m->{name} to be active", $seconds, sub {
		my $r = eval { $api->call(GET => '/readyz') };
		return $r && $r->{status} == 200 && $m->is_active;
	});
}
# As an operator wants it: if this machine is too slow to take its turn, another does, and the wish is over.
sub make_active {
	my ($m, $times) = @_;
	for (1 .. $times) {
		$m->want_active;
		return if eval { $m->wait_active(20); 1 };
	}
	die $@;
}
sub want_active { my ($m) = @_; $m->ask("UPDATE vitrine.cluster_active SET wanted = '$m->{name}'") }

sub start_nginx {
	my ($m) = @_;
	unlink "$m->{run}/nginx.pid";
	$m->SUPER::start_nginx;
}

# All but MariaDB.
sub start_service {
	my ($m) = @_;
	$m->write_conf;
	$m->write_nginx;
	$m->start_worker;
	$m->start_nginx;
	$m->start_runner;
}

# What runs is left alone.
sub start {
	my ($m) = @_;
	delete @{$m->{pids}}{grep { !Vitrine::Stack::alive($m->{pids}{$_}) } keys %{$m->{pids}}};
	$m->start_db if !$m->{pids}{db};
	$m->start_worker if !$m->{pids}{worker};
	$m->start_nginx if !$m->{pids}{nginx};
	$m->start_runner if !$m->{pids}{runner};
}

# Its cluster stops it.
sub DESTROY { }

# ---- what operators do

# vitrinectl; dies if it fails.
sub operate { my ($m, @args) = @_; return $m->ctl('cluster', @args) }

# Starts the programs anew, which an upgrade does without a reload: the active machine is moved away first.
sub upgrade {
	my ($m) = @_;
	if ($m->is_active) {
		my ($other) = grep { $_ != $m } $m->{cluster}->machines;
		$m->operate(move => $other->{name});
	}
	$m->stop_one($_) for qw(worker runner);
	$m->write_nginx;
	kill HUP => $m->{pids}{nginx};
	$m->start_worker;
	$m->start_runner;
}

# It leaves, and its disk is emptied.
sub leave {
	my ($m) = @_;
	$m->operate('drain');
	$m->operate('leave');
	$m->stop_one($_) for qw(runner worker nginx db);
	system 'rm', '-rf', map { "$m->{dir}/$_" } qw(data db db-tmp key cluster-password db-password vitrine.yaml galera.cnf);
	make_path("$m->{dir}/data");
}

# A machine with an empty disk joins by what another one gives it. The files have the paths of that one, so for the command its folder
# leads to the disk of this one.
sub join_by {
	my ($m, $host) = @_;
	$m->write_conf;
	my ($to, $from) = ($m->{dir}, $host->{dir});
	Vitrine::Stack::spew("$to/vitrine.yaml", Vitrine::Stack::slurp("$to/vitrine.yaml") =~ s/\Q$to\E/$from/gr);
	my @tool = ("$m->{build}/vitrinectl", '-c', "$from/vitrine.yaml", 'cluster');
	open my $invite, '-|', $host->within, @tool, 'invite', $m->{name}, '--mariadb', $host->galera_file or die;
	my ($token) = (readline($invite) // '') =~ /cluster join (\S+)/ or die "no token\n";
	my $there = 'mount --bind "$0" "$1" && shift && exec "$@" >/dev/null';
	Vitrine::Stack::run($m->within, 'unshare', '-m', 'sh', '-c', $there, $to, $from, @tool, 'join', $token);
	my @rest = <$invite>;
	close $invite or die "$m->{name} hasn't joined: @rest\n";
	$m->write_conf;
}

# ---- faults

# The processes of a program (db, worker, nginx, runner) and their children; without a name, of the whole machine.
sub processes {
	my ($m, $program) = @_;
	return split ' ', `ip netns pids $m->{namespace} 2>/dev/null` if !$program;
	my @pids = $m->{pids}{$program} // return;
	for (my $i = 0; $i < @pids; $i++) {
		push @pids, split ' ', join ' ', map { Vitrine::Stack::slurp($_) } glob "/proc/$pids[$i]/task/*/children";
	}
	return @pids;
}

sub signal { my ($m, $signal, $program) = @_; return kill $signal, $m->processes($program) }
sub freeze { my ($m, $program) = @_; $m->signal(STOP => $program) }
sub thaw { my ($m, $program) = @_; $m->signal(CONT => $program) }

# kill -9, until none is left.
sub kill_now {
	my ($m, $program) = @_;
	my @pids;
	for (1 .. 200) {
		@pids = grep { Vitrine::Stack::alive($_) } $m->processes($program) or last;
		kill KILL => @pids;
		sleep 0.05;
	}
	die "$m->{name}: processes @pids are still there\n" if @pids;
	delete @{$m->{pids}}{$program ? $program : keys %{$m->{pids}}};
}

# The cable is pulled out before the machine dies, so nobody sees its connections end.
sub lose {
	my ($m) = @_;
	$m->unplug;
	$m->kill_now;
}

sub unplug { my ($m) = @_; ip('-n', $m->{namespace}, 'link', 'set', 'eth0', 'down') }
sub plug_in { my ($m) = @_; ip('-n', $m->{namespace}, 'link', 'set', 'eth0', 'up') }

# Drops packets: 'in' (it hears nobody), 'out' (nobody hears it), or 'both'. With addresses, those of these machines alone.
sub cut_off {
	my ($m, $way, @others) = @_;
	my $text = '';
	for (['in', 'input', 'iifname', 'saddr'], ['out', 'output', 'oifname', 'daddr']) {
		my ($name, $hook, $link, $end) = @$_;
		next if $way ne $name && $way ne 'both';
		my @drop = @others ? map { "$link eth0 ip $end $_ drop\n" } @others : "$link eth0 drop\n";
		$text .= join '', "chain $name {\ntype filter hook $hook priority 0;\n", @drop, "}\n";
	}
	$m->nft("table ip fault {\n$text}\n");
}

sub reach { my ($m) = @_; $m->nft("delete table ip fault\n") }

sub nft {
	my ($m, $text) = @_;
	open my $nft, '|-', @{$m->{within}}, 'nft', '-f', '-' or die "nft: $!\n";
	print $nft $text;
	close $nft or die "nft refused this:\n$text";
}

# To the last block.
sub fill_disk { my ($m) = @_; system "for size in 1M 4k; do dd if=/dev/zero bs=\$size >>$m->{dir}/ballast; done 2>/dev/null" }
sub empty_disk { my ($m) = @_; unlink "$m->{dir}/ballast" }

# Whoever writes waits, and can't even be killed. In a cluster with disk => 'ext4' alone.
sub hang_disk { my ($m) = @_; Vitrine::Stack::run('fsfreeze', '-f', $m->{dir}) }
sub free_disk { my ($m) = @_; Vitrine::Stack::run('fsfreeze', '-u', $m->{dir}) }

# Programs that were started with clock => 1 read this file once a second. Monotonic clocks stay. All programs are stopped meanwhile, since
# the clock of a real machine changes for all of them at once.
sub set_clock {
	my ($m, $days) = @_;
	$m->freeze;
	Vitrine::Stack::spew("$m->{dir}/clock", sprintf "%+dd\n", $days);
	sleep 1.1 if $m->processes;
	$m->thaw;
}

sub own_clock {
	my ($m) = @_;
	return ('env', "LD_PRELOAD=$FAKETIME", "FAKETIME_TIMESTAMP_FILE=$m->{dir}/clock", 'FAKETIME_CACHE_DURATION=1',
		'FAKETIME_DONT_FAKE_MONOTONIC=1', 'DONT_FAKE_MONOTONIC=1');
}

1;
