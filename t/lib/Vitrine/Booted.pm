# SPDX-License-Identifier: Apache-2.0
# A machine for tests of packages: an unpacked root of Debian, booted with systemd in a container that has a network of its own. Tests of
# one machine use the functions.
package Vitrine::Booted;
use strict;
use warnings;
use Exporter 'import';
use Test::More ();
use Vitrine::Stack;

our @EXPORT = qw(boot carry slurp in works preseed);
my ($NEW_NETWORK, $owner, $only, @all) = (0x40000000, $$);

sub slurp { open my $f, '<', $_[0] or return ''; local $/; return <$f> // '' }

# Begins to boot the root, with more words for systemd-nspawn.
sub start {
	my ($class, $root, @more) = @_;
	my $m = bless { pid => fork // die }, $class;
	if (!$m->{pid}) {
		open STDIN, '<', '/dev/null';
		open STDOUT, '>>', "$root.log" or die;
		open STDERR, '>&', \*STDOUT;
		$ENV{SYSTEMD_NSPAWN_UNIFIED_HIERARCHY} = 0;
		exec qw(systemd-nspawn --register=no --keep-unit --console=pipe), @more, '-b', '-D', $root;
	}
	push @all, $m;
	return $m;
}
# Waits until all its units have started.
sub wait_booted {
	my ($m) = @_;
	Vitrine::Stack::wait_for('a root to boot', 180, sub {
		return ($m->ask('systemctl is-system-running'))[1] =~ /running|degraded/;
	});
	return $m;
}
sub leader { my ($m) = @_; return (split ' ', slurp("/proc/$m->{pid}/task/$m->{pid}/children"))[0] }
sub power_off {
	my ($m) = @_;
	kill 'KILL', $m->leader // (), $m->{pid};
	waitpid $m->{pid}, 0;
	@all = grep { $_ != $m } @all;
}
END { local $?; if ($owner == $$) { $_->power_off for splice @all } }

# (status, what was said) of a command in it.
sub ask {
	my ($m, $command) = @_;
	my $leader = $m->leader // return (255, 'is off');
	my $pid = open(my $from, '-|') // die;
	if (!$pid) {
		open STDERR, '>&', \*STDOUT;
		open STDIN, '<', '/dev/null';
		exec qw(nsenter -m -u -i -n -p -C -t), $leader, qw(env -i LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive HOME=/root),
			'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'sh', '-c', "cd /root; $command";
	}
	my $said = do { local $/; <$from> } // '';
	close $from;
	return ($? >> 8, $said);
}
sub does {
	my ($m, $command, $name) = @_;
	my ($status, $said) = $m->ask($command);
	Test::More::is($status, 0, $name) or Test::More::diag($said);
	return $said;
}

# ---- one machine

sub boot {
	$only = Vitrine::Booted->start($_[0], '--private-network')->wait_booted;
	Test::More::like((in('systemctl is-active mariadb nginx'))[1], qr/^active\nactive$/m, 'a root of it runs MariaDB and nginx');
}
sub in { return $only->ask(@_) }
sub works { return $only->does(@_) }

# This process, and those that it starts, are in the machine's network from now on.
sub enter_network {
	require 'syscall.ph';
	open my $net, '<', '/proc/' . $only->leader . '/ns/net' or die;
	syscall(SYS_setns(), fileno $net, $NEW_NETWORK) == 0 or die "setns: $!\n";
}

# ---- packages

# Copies those of a folder, of those names, into another.
sub carry {
	my ($from, $to, $names) = @_;
	mkdir $to;
	system('cp', grep({ m{/$names\_} } glob "$from/*.deb"), "$to/") == 0 or die;
}

# A command that answers a question of the package before it is asked: "NAME TYPE VALUE".
sub preseed { return "echo 'vitrine-server vitrine-server/$_[0]' | debconf-set-selections" }

1;
