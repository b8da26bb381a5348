# SPDX-License-Identifier: Apache-2.0
# Debian's PostgreSQL server with TLS, for one test: a database shop, and a user reader, with a password, who may sign in over TLS only.
package Vitrine::Postgres;
use strict;
use warnings;
use File::Path 'remove_tree';
use File::Temp 'tempdir';
use POSIX ();
use Vitrine::Stack;

my ($BIN) = glob '/usr/lib/postgresql/*/bin';
our $PASSWORD = 'correct horse "battery"';

# As root it runs as somebody else, as it wants to.
sub as { return $> == 0 ? (qw(setpriv --reuid=postgres --regid=postgres --clear-groups --pdeathsig=KILL)) : (qw(setpriv --pdeathsig=KILL)) }
sub quiet {
	my ($s, @cmd) = @_;
	my $line = join ' ', map { "'" . s/'/'\\''/gr . "'" } as(), @cmd;
	system("cd $s->{dir} && $line >>$s->{dir}/log 2>&1") == 0 or die "@cmd failed:\n" . Vitrine::Stack::slurp("$s->{dir}/log");
}

# $tls: the folder with cert.pem, key.pem and the CA that made them.
sub new {
	my ($class, $tls) = @_;
	# Where whoever it runs as gets in.
	my $dir = tempdir('vitrine-postgres-XXXXXX', DIR => '/tmp');
	my $s = bless { dir => $dir, owner => $$, port => Vitrine::Stack::free_port() }, $class;
	$s->give($dir);
	$s->quiet("$BIN/initdb", '-D', "$dir/data", '-U', 'super', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync');
	$s->certificate("$tls/cert.pem", "$tls/key.pem");
	Vitrine::Stack::spew("$dir/data/pg_hba.conf", "local all super trust\nhostssl all all all scram-sha-256\n");
	open my $f, '>>', "$dir/data/postgresql.conf" or die;
	print $f "listen_addresses = '127.0.0.1'\nport = $s->{port}\nunix_socket_directories = '$dir'\n"
		. "ssl = on\nssl_cert_file = '$dir/cert.pem'\nssl_key_file = '$dir/key.pem'\n"
		. "fsync = off\nlog_connections = on\nlog_line_prefix = ''\nmax_connections = 30\n";
	close $f;
	$s->give("$dir/data/pg_hba.conf", "$dir/data/postgresql.conf");
	$s->start;
	$s->sql('CREATE DATABASE shop', 'postgres');
	$s->sql("CREATE ROLE reader LOGIN PASSWORD '" . $PASSWORD . "'");
	return $s;
}
sub give { my ($s, @paths) = @_; my (undef, undef, $uid, $gid) = getpwnam 'postgres'; $> or chown $uid, $gid, @paths }
sub certificate {
	my ($s, $cert, $key) = @_;
	Vitrine::Stack::spew("$s->{dir}/cert.pem", Vitrine::Stack::slurp($cert));
	Vitrine::Stack::spew("$s->{dir}/key.pem", Vitrine::Stack::slurp($key));
	chmod 0600, "$s->{dir}/key.pem";
	$s->give(map { "$s->{dir}/$_.pem" } qw(cert key));
	$s->reload if $s->{pid};
}
# New connections have what the files say from here on.
sub reload {
	my ($s) = @_;
	my $before = $s->logged(qr/reloading configuration/);
	$s->sql('SELECT pg_reload_conf()', 'postgres');
	Vitrine::Stack::wait_for('its configuration', 60, sub { $s->logged(qr/reloading configuration/) > $before });
}
sub start {
	my ($s) = @_;
	$s->{pid} = fork // die;
	if (!$s->{pid}) {
		chdir $s->{dir};
		open STDIN, '<', '/dev/null';
		open STDOUT, '>>', "$s->{dir}/log" or die;
		open STDERR, '>&', \*STDOUT;
		exec as(), "$BIN/postgres", '-D', "$s->{dir}/data" or POSIX::_exit(127);
	}
	Vitrine::Stack::wait_for('PostgreSQL', 60, sub {
		waitpid($s->{pid}, POSIX::WNOHANG()) == 0 or die "postgres ended:\n" . Vitrine::Stack::slurp("$s->{dir}/log");
		system("$BIN/pg_isready -q -h $s->{dir} -p $s->{port} -d postgres") == 0;
	});
}
# As its owner, by its socket; what it says, a line a row.
sub sql {
	my ($s, $sql, $database) = @_;
	open my $out, '-|', "$BIN/psql", '-XqAt', '-v', 'ON_ERROR_STOP=1', '-h', $s->{dir}, '-p', $s->{port}, '-U', 'super', '-d',
		$database // 'shop', '-c', $sql or die;
	my $said = join '', <$out>;
	close $out or die "psql: $sql";
	chomp $said;
	return $said;
}
# How many lines of its log are like that: each connection is one.
sub logged { my ($s, $like) = @_; return scalar grep { /$like/ } split /\n/, Vitrine::Stack::slurp("$s->{dir}/log") }
sub signed_in { my ($s, $user) = @_; return $s->logged(qr/connection authorized: user=@{[$user \/\/ 'reader']} /) }
# Who has knocked, by TCP, whether they came in or not.
sub knocked { my ($s) = @_; return $s->logged(qr/connection received: host=127/) }

sub stop {
	my ($s) = @_;
	return if $s->{owner} != $$ || !$s->{pid};
	local $?;
	kill 'INT', $s->{pid};
	waitpid $s->{pid}, 0;
	delete $s->{pid};
}
sub DESTROY { my ($s) = @_; return if $s->{owner} != $$; $s->stop; remove_tree($s->{dir}) }

1;
