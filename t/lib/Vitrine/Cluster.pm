# SPDX-License-Identifier: Apache-2.0
# Three machines (Vitrine::Machine) that are one service: a network namespace each, joined by a bridge; Galera; a store of objects
# (Vitrine::S3); HAProxy before them. It needs root. Everything ends with the process that made it.
package Vitrine::Cluster;
use strict;
use warnings;
use File::Path qw(make_path remove_tree);
use File::Temp 'tempdir';
use Time::HiRes 'sleep';
use Vitrine::Api;
use Vitrine::Machine;
use Vitrine::S3;
use Vitrine::Stack;

my $NETWORK = '10.78'; # a cluster takes one of its 256 parts

# machines => 3, workers => 2 of each pool, worker => another program instead of vitrine-worker, disk => '500m' (of each machine, in
# memory; 0: a folder), clock => 1 (set_clock works), and settings of the service.
sub new {
	my ($class, %conf) = @_;
	die "a cluster of tests needs root\n" if $> != 0;
	my %o = map { $_ => delete $conf{$_} } qw(machines workers disk clock worker);
	my $c = bless { dir => tempdir("vitrine-cluster-$$-XXXXXX", TMPDIR => 1), owner => $$, pids => {},
		name => "vitrine-$$", bridge => "vt$$", port => 8443,
		build => $ENV{VITRINE_BUILD} // die("VITRINE_BUILD is not set\n"), workers => $o{workers} // 2, disk => $o{disk} // '500m',
		clock => $o{clock}, worker => $o{worker} }, $class;
	Vitrine::Stack::end_with_process();
	remove_old();
	$c->make_network;
	$c->{tls} = "$c->{dir}/tls";
	Vitrine::Stack::make_tls($c->{tls}, "IP:$c->{address}");
	$c->{store} = Vitrine::S3->new($c->{tls}, address => $c->{address});
	# Clients ask as fast as they can.
	$c->{conf} = { publish_per_hour => 1_000_000, data_per_minute => 1_000_000, $c->{store}->conf, %conf };
	push @{$c->{machines}}, Vitrine::Machine->new($c, $_) for 1 .. $o{machines} // 3;
	$c->start_databases;
	my ($first, @others) = $c->machines;
	$first->write_conf;
	$first->{admin}->do('SET GLOBAL read_only = 0');
	$first->ctl('migrate', 'apply');
	$first->make_cluster("$first->{dir}/cluster-password", map { $_->{name} => $_->{address} } $c->machines);
	$first->start_service;
	$first->wait_active(30);
	# One key opens what any of them sealed.
	for my $other (@others) {
		Vitrine::Stack::run('cp', '-p', "$first->{dir}/$_", "$other->{dir}/$_") for qw(key cluster-password);
	}
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

sub make_network {
	my ($c) = @_;
	my $taken = `ip -4 -o addr`;
	my ($part) = grep { $taken !~ /\b\Q$NETWORK.$_.\E/ } 0 .. 255;
	$c->{net} = "$NETWORK.$part";
	$c->{address} = "$c->{net}.254";
	Vitrine::Machine::ip('link', 'add', $c->{bridge}, 'type', 'bridge');
	Vitrine::Machine::ip('addr', 'add', "$c->{address}/24", 'dev', $c->{bridge});
	Vitrine::Machine::ip('link', 'set', $c->{bridge}, 'up');
}

# All begin with one machine's files and position, so none has to fetch the rows of another.
sub start_databases {
	my ($c) = @_;
	my ($first, @others) = $c->machines;
	$first->{bootstraps} = 1;
	$first->start_db;
	$first->stop_one('db');
	unlink "$first->{dir}/db/galera.cache";
	for my $other (@others) {
		Vitrine::Stack::run('cp', '-a', "$first->{dir}/db", "$first->{dir}/db-password", "$other->{dir}/");
	}
	$first->start_db;
	$first->{bootstraps} = 0;
	$_->start_db for @others;
}

# The active machine has all connections. If there is none, those share them that still serve public pages.
sub start_balancer {
	my ($c) = @_;
	my $servers = join '', map { "\tserver $_->{name} $_->{address}:" . ($_->{port} + 1) . "\n" } $c->machines;
	my $backend = sub {
		my ($name, $path) = @_;
		return <<~"END" . $servers;
		backend $name
			balance first
			option httpchk
			http-check send meth GET uri $path ver HTTP/1.1 hdr Host vitrine.localhost:$c->{port}
			http-check expect status 200
			default-server check inter 1s fall 2 rise 1 maxconn 500 send-proxy-v2 on-marked-down shutdown-sessions
			default-server check-send-proxy check-ssl verify none check-sni vitrine.localhost check-alpn http/1.1
		END
	};
	my $backends = $backend->('active', '/readyz?active=1') . $backend->('serve', '/readyz?serve=1');
	Vitrine::Stack::spew("$c->{dir}/haproxy.cfg", <<~"END" . $backends);
	global
		stats socket $c->{dir}/haproxy.sock mode 600
	defaults
		mode tcp
		timeout connect 1s
		timeout client 60s
		timeout server 60s
		timeout check 6s
		retries 3
		option redispatch 1
	frontend pages
		bind $c->{address}:$c->{port}
		use_backend active if { nbsrv(active) gt 0 }
		default_backend serve
	END
	Vitrine::Stack::spawn($c, 'haproxy', "$c->{dir}/haproxy.log", 'haproxy', '-db', '-f', "$c->{dir}/haproxy.cfg");
	my $api = Vitrine::Api->new($c, unchecked => 1);
	Vitrine::Stack::wait_for('the balancer', 30, sub { my $r = eval { $api->call(GET => '/readyz') }; $r && $r->{status} == 200 });
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

# ---- faults of what they share; see Vitrine::Machine for those of a machine

# 'refuses' (503), or 'hangs'.
sub lose_store {
	my ($c, $how) = @_;
	if ($how eq 'hangs') { kill STOP => $c->{store}{pid} }
	else { $c->{store}->fault($_, 503) for qw(GET HEAD PUT DELETE) }
}

sub find_store {
	my ($c) = @_;
	kill CONT => $c->{store}{pid};
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
	system "umount -l $dir 2>/dev/null" if $dir;
}

# A run that was killed has left its machines behind.
sub remove_old {
	for (`ip netns list`) {
		my ($namespace, $pid) = /^(vitrine-(\d+)-\d+)/ or next;
		next if -d "/proc/$pid";
		remove_machine($namespace);
		system "ip link del vt$pid 2>/dev/null";
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
	$c->{store}->stop if $c->{store};
	remove_tree($c->{dir}) if !$ENV{VITRINE_KEEP};
}

sub DESTROY {
	my ($c) = @_;
	local ($?, $@);
	$c->stop if $c->{owner} == $$;
}

1;
