# SPDX-License-Identifier: Apache-2.0
# Stands between a stack's programs and MariaDB, and loses connections at a statement that lose() names: before MariaDB has it, or when it
# has carried it out and its answer is on the way. It knows of MariaDB's protocol that a packet begins with three bytes of length, one of
# sequence, and its command: 0x16 prepares a statement, whose number begins the answer, 0x17 executes the one of that number.
package Vitrine::DbProxy;
use strict;
use warnings;
use IO::Select;
use IO::Socket::UNIX;
use POSIX ();
use Vitrine::Stack;

# Stands before the socket of a stack that has started; its programs use path() from their next start on.
sub new {
	my ($class, $stack) = @_;
	my $s = bless { path => "$stack->{run}/proxy.sock", to => "$stack->{run}/db.sock", at => "$stack->{dir}/lose",
		owner => $$ }, $class;
	my $listen = IO::Socket::UNIX->new(Local => $s->{path}, Listen => 64) // die "$s->{path}: $!";
	chmod 0666, $s->{path};
	$s->{pid} = fork // die;
	return $s if $s->{pid};
	$SIG{CHLD} = 'IGNORE';
	open $_, '>', '/dev/null' for *STDOUT, *STDERR;
	while (1) {
		my $c = $listen->accept // next;
		next if fork;
		eval { $s->pass($c) };
		POSIX::_exit(0);
	}
}

# The next time that a statement whose text matches is executed, its connection is lost: 'before' or 'after' it is carried out.
sub lose { my ($s, $when, $text) = @_; Vitrine::Stack::spew("$s->{at}.new", "$when $text"); rename "$s->{at}.new", $s->{at} }
sub lost { my ($s) = @_; return !-e $s->{at} }

sub pass {
	my ($s, $client) = @_;
	my $server = IO::Socket::UNIX->new(Peer => $s->{to}) // return;
	my (%text, @asked);
	my $select = IO::Select->new($client, $server);
	while (1) {
		for my $from ($select->can_read) {
			sysread $from, my $bytes, 1 << 20 or return;
			if ($from == $server) {
				# 0x00, then the number; only while a statement is being prepared.
				$text{unpack 'V', substr $bytes, 5, 4} = shift @asked if @asked && ord(substr $bytes, 4, 1) == 0;
				send_all($client, $bytes);
				next;
			}
			my $command = length $bytes > 4 ? ord substr $bytes, 4, 1 : 0;
			push @asked, substr $bytes, 5 if $command == 0x16;
			my ($when, $like) = $command == 0x17 && -e $s->{at} ? split(/ /, Vitrine::Stack::slurp($s->{at}), 2) : ();
			my $meant = $when && ($text{unpack 'V', substr $bytes, 5, 4} // '') =~ /$like/ && unlink $s->{at};
			return if $meant && $when eq 'before';
			send_all($server, $bytes);
			next if !$meant;
			sysread $server, $bytes, 1 << 20;
			return;
		}
	}
}
sub send_all {
	my ($to, $bytes) = @_;
	for (my $at = 0; $at < length $bytes;) { $at += syswrite($to, $bytes, length($bytes) - $at, $at) || return }
}

sub stop {
	my ($s) = @_;
	return if $s->{owner} != $$ || !$s->{pid};
	local $?;
	kill 'KILL', delete $s->{pid};
}
sub DESTROY { $_[0]->stop }

1;
