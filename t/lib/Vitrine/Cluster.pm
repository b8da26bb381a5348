# SPDX-License-Identifier: Apache-2.0
# Three machines (Vitrine::Machine) that are one service: a network namespace each, joined by a bridge; Galera; a store of objects
# (Vitrine::S3); HAProxy before them. It needs root. Everything ends with the process that made it. That process gets a network of its own,
# since a browser elsewhere on the computer breaks off what it loads when an interface appears.
package Vitrine::Cluster;
use strict;
use warnings;
use File::Path qw(make_path remove_tree);
use File::Temp 'tempdir';
use POSIX ();
use Time::HiRes qw(sleep time);
use Vitrine::Api;
use Vitrine::Machine;
use Vitrine::S3;
use Vitrine::Sink;
use Vitrine::Stack;

my $NETWORK = '10.78.0';
our $ADDRESS = "$NETWORK.254"; # the balancer's, and of what is beside the machines
my $NEW_NETWORK = 0x40000000;

# machines => 3, workers => 2 of each pool, worker => another program instead of vitrine-worker, disk => '500m' (of each machine, in
# memory; 'ext4': a file system in a file; 0: a folder), clock => 1 (set_clock works), receives => a folder (there is a receiver of
# webhooks), and settings of the service.
sub new {
	my ($class, %conf) = @_;
	my $lacks = lacks();
	die "$lacks\n" if $lacks;
	my %o = map { $_ => delete $conf{$_} } qw(machines workers disk clock worker receives);
	my $c = bless { dir => tempdir("vitrine-cluster-$$-XXXXXX", TMPDIR => 1), owner => $$, pids => {},
		name => "vitrine-$$", bridge => 'vt', net => $NETWORK, address => $ADDRESS, port => 8443,
		build => $ENV{VITRINE_BUILD} // die("VITRINE_BUILD is not set\n"), workers => $o{workers} // 2, disk => $o{disk} // '500m',
		clock => $o{clock}, worker => $o{worker} }, $class;
	Vitrine::Stack::end_with_process();
	remove_old();
	make_bridge($c->{bridge}, $c->{address});
	$c->{tls} = "$c->{dir}/tls";
	Vitrine::Stack::make_tls($c->{tls}, "IP:$c->{address}");
	$c->{store} = Vitrine::S3->new($c->{tls}, address => $c->{address});
	# Clients ask as fast as they can.
	$c->{sink} = Vitrine::Sink->new($o{receives}, tls => $c->{tls}, address => $c->{address}) if $o{receives};
	$c->{conf} = { publish_per_hour => 1_000_000, data_per_minute => 1_000_000, $c->{store}->conf,
		($c->{sink} ? (egress_allow => $c->{sink}->allow) : ()), %conf };
	push @{$c->{machines}}, Vitrine::Machine->new($c, $_) for 1 .. $o{machines} // 3;
	$c->start_databases;
	my ($first, @others) = $c->machines;
	$first->start_service;
	$first->wait_active(30);
	$_->join_by($first) for @others;
	# As if they had been there for long: one that has just joined waits for a minute.
	$first->ask('UPDATE vitrine.node SET joined_at = 0');
	$_->start_db for @others;
	$_->start_service for @others;
	$c->start_balancer;
	return $c;
}

# The machine that the row names, if MariaDB of any answers.
sub active {
	my ($c) = @_;
	for my $m ($c->machines) {
		my ($node) = $m->is_synced ? $m->ask('SELECT node FROM vitrine.cluster_active') : ();
		my ($active) = grep { $_->{name} eq ($node // '') } $c->machines or next;
		return $active;
	}
	return undef;
}

sub machines { my ($c) = @_; return @{$c->{machines} // []} }
sub machine { my ($c, $number) = @_; return $c->{machines}[$number - 1] }
sub addresses { my ($c) = @_; return map { $_->{address} } $c->machines }

# Why there can't be a cluster here; undef if there can.
sub lacks {
	return 'only root makes network namespaces' if $> != 0 || system("ip netns add vitrine-$$ 2>/dev/null");
	system "ip netns del vitrine-$$";
	my @needed = ('/usr/sbin/haproxy', '/usr/sbin/nft', '/usr/lib/galera/libgalera_smm.so');
	return 'haproxy, nftables or galera-4 is missing' if grep { !-e $_ } @needed;
	return undef;
}

# The network of this process and what it starts from now on.
my $has_network;
sub own_network {
	return if $has_network++;
	# The first that loads it gets its names.
	{ package main; require 'syscall.ph' }
	syscall(main::SYS_unshare(), $NEW_NETWORK) == 0 or die "unshare: $!\n";
	Vitrine::Machine::ip('link', 'set', 'lo', 'up');
}

# A bridge in it, with these addresses.
sub make_bridge {
	my ($name, @addresses) = @_;
	own_network();
	Vitrine::Machine::ip('link', 'add', $name, 'type', 'bridge');
	Vitrine::Machine::ip('addr', 'add', "$_/24", 'dev', $name) for @addresses;
	Vitrine::Machine::ip('link', 'set', $name, 'up');
}

# A namespace with a cable to the bridge.
sub make_namespace {
	my ($name, $bridge, $link, $address) = @_;
	Vitrine::Machine::ip('netns', 'add', $name);
	Vitrine::Machine::ip('link', 'add', $link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', $name);
	Vitrine::Machine::ip('link', 'set', $link, 'master', $bridge, 'up');
	Vitrine::Machine::ip('-n', $name, 'addr', 'add', "$address/24", 'dev', 'eth0');
	Vitrine::Machine::ip('-n', $name, 'link', 'set', $_, 'up') for qw(eth0 lo);
}

# The first one is alone until it makes a cluster. The others begin with its files and position, so they needn't fetch its rows.
sub start_databases {
	my ($c) = @_;
	my ($first, @others) = $c->machines;
	$first->start_db;
	$first->write_conf;
	$first->ctl('migrate', 'apply');
	$first->operate('init', (map { "$_->{name}=$_->{address}" } $c->machines), '--mariadb', $first->galera_file);
	delete($first->{admin})->disconnect;
	$first->{bootstraps} = 1;
	for (1, 2) {
		$first->stop_one('db');
		Vitrine::Stack::run('cp', '-a', "$first->{dir}/db", "$_->{dir}/") for -e "$first->{dir}/db/grastate.dat" ? @others : ();
		$first->start_db;
	}
	unlink map { "$_->{dir}/db/galera.cache" } @others;
	$first->{bootstraps} = 0;
}

# HAProxy as operators have it, but for its address and for how many files it may open here.
sub start_balancer {
	my ($c) = @_;
	my $text = $c->machine(1)->operate('haproxy', '--proxied', $c->{port} + 1) =~ s/maxconn \d+/maxconn 4000/r;
	$text =~ s/\tbind :::$c->{port} v4v6/\tbind $c->{address}:$c->{port}/;
	Vitrine::Stack::spew("$c->{dir}/haproxy.cfg", "$text\n");
	Vitrine::Stack::spawn($c, 'haproxy', "$c->{dir}/haproxy.log", 'haproxy', '-db', '-f', "$c->{dir}/haproxy.cfg");
	my $api = Vitrine::Api->new($c, unchecked => 1);
	# Until its first check of a machine has ended, HAProxy sends requests there, too, one after the other. So the answers in a row to
	# more requests than there are machines, each over a connection of its own, come from the active one.
	my $good = 0;
	Vitrine::Stack::wait_for('the balancer', 60, sub {
		$api->{kept} = {};
		my $r = eval { $api->call(GET => '/readyz') };
		$good = $r && $r->{status} == 200 ? $good + 1 : 0;
		return $good > $c->machines;
	});
}

sub within { return () }

# All machines run, are members, and show their pages.
sub wait_whole {
	my ($c, $seconds) = @_;
	my $n = $c->machines;
	Vitrine::Stack::wait_for('the cluster', $seconds // 60, sub {
		sleep 0.2;
		return !grep { !$_->is_synced || $_->status('cluster_size') ne $n || !$_->is_shown } $c->machines;
	});
}

# Changes an artifact by the balancer, again and again until that succeeds, for up to a minute. Returns the seconds since $from.
sub change_s {
	my ($c, $from, $who, $id, %fields) = @_;
	my $api = Vitrine::Api->new($c, unchecked => 1, patience => 20);
	while (time - $from < 60) {
		my $r = eval { $api->call(PATCH => "/v1/artifacts/$id",
			{ token => $who->{token}, json => \%fields, headers => { Connection => 'close' } }) };
		return time - $from if $r && $r->{status} == 200;
		sleep 0.05;
	}
	return 60;
}

# Changes and reads an artifact, and reads the page `page`, by the balancer until the function returned. Returns the requests that failed,
# and how long the longest of all took, in seconds.
sub meanwhile {
	my ($c, $who, $id, $do) = @_;
	my ($stop, @from) = ("$c->{dir}/stop-" . rand);
	for my $ask (sub { $_[0]->call(PATCH => "/v1/artifacts/$id", { token => $who->{token}, json => { name => "At $_[1]" } }) },
		sub { $_[0]->call(GET => "/v1/artifacts/$id", { token => $who->{token} }) }, sub { $_[0]->get_site('page', '/') }) {
		my $pid = open(my $from, '-|') // die "fork: $!\n";
		push @from, $from and next if $pid;
		my ($api, $longest, $n, %failed) = (Vitrine::Api->new($c, unchecked => 1), 0, 0);
		while (!-e $stop) {
			my $begun = time;
			my $r = eval { $ask->($api, $n++) };
			$failed{$r ? "$r->{status} $r->{body}" : $@}++ if !$r || $r->{status} != 200;
			$longest = time - $begun if time - $begun > $longest;
			sleep 0.02;
		}
		print "$longest\n", map { "$failed{$_} times $_\n" } keys %failed;
		close STDOUT;
		POSIX::_exit(0);
	}
	sleep 1;
	$do->();
	sleep 1;
	Vitrine::Stack::spew($stop, '');
	my ($most, $failed) = (0, '');
	for my $from (@from) {
		my ($longest, @why) = <$from>;
		$most = $longest if $longest > $most;
		$failed .= join '', @why;
	}
	return ($failed, $most);
}

# Machines that were lost come back together: after the loss of most, MariaDB may need all to be ready.
sub bring_back {
	my ($c, @lost) = @_;
	for (@lost) {
		$_->plug_in;
		Vitrine::Stack::spawn($_, 'db', "$_->{dir}/db.log", $_->db_command);
	}
	for my $m (@lost) {
		Vitrine::Stack::wait_for("MariaDB of $m->{name}", 120, sub { $m->is_synced });
		$m->start;
	}
}

# ---- faults of what they share; see Vitrine::Machine for those of a machine

# A process for each connection, which may be kept, and the one that accepts them, first.
sub store_processes {
	my ($c) = @_;
	my $pid = $c->{store}{pid};
	return ($pid, split ' ', Vitrine::Stack::slurp("/proc/$pid/task/$pid/children"));
}

# 'refuses' (503), or 'hangs'.
sub lose_store {
	my ($c, $how) = @_;
	if ($how eq 'hangs') { kill STOP => $c->store_processes }
	else { $c->{store}->fault($_, 503) for qw(GET HEAD PUT DELETE) }
}

sub find_store {
	my ($c) = @_;
	kill CONT => $c->store_processes;
	$c->{store}->fault($_, undef) for qw(GET HEAD PUT DELETE);
}

# ---- the end

sub remove_machine {
	my ($namespace, $dir) = @_;
	for (1 .. 100) {
		my @pids = split ' ', `ip netns pids $namespace 2>/dev/null` or last;
		kill KILL => @pids;
		sleep 0.05;
	}
	system "ip netns del $namespace 2>/dev/null";
	return if !$dir;
	system "fsfreeze -u $dir 2>/dev/null; umount -l $dir 2>/dev/null";
}

# A run that was killed has left its machines behind.
sub remove_old {
	for (`ip netns list`) {
		my ($namespace, $pid) = /^(vitrine-(\d+)-\d+)/ or next;
		next if -d "/proc/$pid";
		remove_machine($namespace);
	}
	for (split /^/, Vitrine::Stack::slurp('/proc/mounts')) {
		my ($dir, $pid) = m{^vitrine (\S*/vitrine-cluster-(\d+)-\w+/n\d+) } or next;
		system "umount -l $dir" if !-d "/proc/$pid";
	}
}

sub stop {
	my ($c) = @_;
	return if $c->{stopped}++;
	my $haproxy = $c->{pids}{haproxy};
	if ($haproxy) { kill KILL => $haproxy; waitpid $haproxy, 0 }
	if ($ENV{VITRINE_KEEP}) {
		# The disks go, and the logs are on them.
		for my $m ($c->machines) {
			my $kept = "$c->{dir}/kept/$m->{name}";
			make_path($kept);
			system "cd $m->{dir} && cp *.log run/*.log vitrine.yaml my.cnf $kept/ 2>/dev/null";
		}
		print STDERR "logs are in $c->{dir}\n";
	}
	remove_machine($_->{namespace}, $_->{dir}) for $c->machines;
	system "ip link del $c->{bridge} 2>/dev/null";
	$_->stop for grep { $_ } @{$c}{qw(store sink)};
	remove_tree($c->{dir}) if !$ENV{VITRINE_KEEP};
}

sub DESTROY {
	my ($c) = @_;
	local ($?, $@);
	$c->stop if $c->{owner} == $$;
}

1;
