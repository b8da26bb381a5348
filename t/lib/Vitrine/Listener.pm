# SPDX-License-Identifier: Apache-2.0
# What a server of tests with TLS is made of: it listens, has a process for each connection, and reads a request. A class of ours calls
# these from its new() and serve().
package Vitrine::Listener;
use strict;
use warnings;
use File::Temp 'tempdir';
use IO::Socket::INET;
use IO::Socket::SSL;
use POSIX ();

# Somewhere to keep things, and a port: of the loopback, or of the given address.
sub begin {
	my ($class, $name, %o) = @_;
	my $s = bless { dir => tempdir("vitrine-$name-XXXXXX", TMPDIR => 1, CLEANUP => 1), owner => $$, %o }, $class;
	$s->{listen} = IO::Socket::INET->new(Listen => 64, LocalAddr => $s->{address} // '127.0.0.1') // die;
	$s->{port} = $s->{listen}->sockport;
	return $s;
}

# $tls: the folder with cert.pem and key.pem. serve() has each connection, with what was asked on it.
sub start {
	my ($s, $tls) = @_;
	$s->{pid} = fork // die;
	# A connection whose other end was lost has a process that waits for ever, and ends with the group.
	POSIX::setpgid($s->{pid}, $s->{pid});
	# The port is the server's alone, so that nothing listens when it is stopped.
	if ($s->{pid}) { delete $s->{listen}; return $s }
	$SIG{CHLD} = 'IGNORE';
	# Whoever reads what the test says waits for nobody else.
	open $_, '>', '/dev/null' for *STDOUT, *STDERR;
	while (1) {
		my $c = $s->{listen}->accept // next;
		next if fork;
		$SIG{PIPE} = 'IGNORE';
		eval { my $ask = request($c, $tls); $s->serve($c, $ask) if $ask };
		POSIX::_exit(0);
	}
}

# method, target, headers (by their names in lower case) and body (bytes); nothing when somebody hung up.
sub request {
	my ($c, $tls) = @_;
	IO::Socket::SSL->start_SSL($c, SSL_server => 1, SSL_cert_file => "$tls/cert.pem", SSL_key_file => "$tls/key.pem") or return;
	return next_request($c);
}
# The next one on a connection that a server of ours didn't close.
sub next_request {
	my ($c) = @_;
	my $got = '';
	while ($got !~ /\r\n\r\n/) { sysread $c, $got, 65536, length $got or return }
	my ($head, $body) = split /\r\n\r\n/, $got, 2;
	my ($n) = $head =~ /^content-length: *(\d+)/mi;
	while (length $body < ($n // 0)) { sysread $c, $body, 65536, length $body or return }
	my ($method, $target) = $head =~ m{^(\S+) (\S+)};
	return { method => $method, target => $target, headers => { map { /^([^:]+): *(.*)$/ ? (lc $1 => $2) : () } split /\r\n/, $head },
		body => $body };
}

# TLS takes some at a time. False when somebody hung up.
sub send_all { my ($c, $text) = @_; for (my $at = 0; $at < length $text;) { $at += syswrite($c, $text, 16384, $at) || return 0 } return 1 }

sub stop {
	my ($s) = @_;
	return if $s->{owner} != $$ || !$s->{pid};
	local $?;
	kill 'KILL', -$s->{pid}, $s->{pid};
	waitpid $s->{pid}, 0;
	delete $s->{pid};
}
sub DESTROY { $_[0]->stop }

1;
