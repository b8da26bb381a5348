# SPDX-License-Identifier: Apache-2.0
# A server with TLS that somebody's jobs call, for one test: it notes each request, and answers as it was told to for the path (answer()), else 200.
package Vitrine::Receiver;
use strict;
use warnings;
use File::Temp 'tempdir';
use IO::Socket::INET;
use IO::Socket::SSL;
use JSON::PP;
use POSIX ();
use Vitrine::Stack;

my $json = JSON::PP->new->utf8->canonical;

# $tls: the folder with cert.pem and key.pem.
sub new {
	my ($class, $tls) = @_;
	my $s = bless { dir => tempdir('vitrine-receiver-XXXXXX', TMPDIR => 1, CLEANUP => 1), owner => $$ }, $class;
	my $listen = IO::Socket::INET->new(Listen => 64, LocalAddr => '127.0.0.1') // die;
	$s->{port} = $listen->sockport;
	$s->answer('/' => 200, '');
	$s->{pid} = fork // die;
	return $s if $s->{pid};
	$SIG{CHLD} = 'IGNORE';
	# Whoever reads what the test says waits for nobody else.
	open $_, '>', '/dev/null' for *STDOUT, *STDERR;
	while (1) {
		my $c = $listen->accept // next;
		next if fork;
		$SIG{PIPE} = 'IGNORE';
		eval { $s->serve($c, $tls) };
		POSIX::_exit(0);
	}
}
# A setting of stacks that may call it.
sub conf { my ($s) = @_; return (egress_allow => "127.0.0.1:$s->{port}") }
sub url { my ($s, $path) = @_; return "https://localhost:$s->{port}$path" }
sub file { my ($s, $path) = @_; return "$s->{dir}/answer" . $path =~ s{/}{-}gr }
# What a path is answered from now on; $headers are whole lines.
sub answer { my ($s, $path, $status, $body, @headers) = @_; my $to = $s->file($path); Vitrine::Stack::spew("$to.new", $json->encode([$status, $body, @headers])); rename "$to.new", $to or die }
# The requests so far: each a hash with method, path, headers and body (bytes).
sub calls { my ($s, $path) = @_; return grep { !$path || $_->{path} eq $path } map { $json->decode($_) } split /\n/, Vitrine::Stack::slurp("$s->{dir}/calls") }

sub serve {
	my ($s, $c, $tls) = @_;
	IO::Socket::SSL->start_SSL($c, SSL_server => 1, SSL_cert_file => "$tls/cert.pem", SSL_key_file => "$tls/key.pem") or return;
	my $got = '';
	while ($got !~ /\r\n\r\n/) { sysread $c, $got, 65536, length $got or return }
	my ($head, $body) = split /\r\n\r\n/, $got, 2;
	my ($n) = $head =~ /^content-length: *(\d+)/mi;
	while (length $body < ($n // 0)) { sysread $c, $body, 65536, length $body or return }
	my ($method, $path) = $head =~ m{^(\S+) ([^\s?]+)};
	my %h = map { /^([^:]+): *(.*)$/ ? (lc $1 => $2) : () } split /\r\n/, $head;
	open my $f, '>>', "$s->{dir}/calls" or die;
	syswrite $f, $json->encode({ method => $method, path => $path, headers => \%h, body => $body }) . "\n";
	my ($status, $text, @headers) = @{$json->decode(Vitrine::Stack::slurp(-e $s->file($path) ? $s->file($path) : $s->file('/')))};
	utf8::encode($text);
	my $reply = join("\r\n", "HTTP/1.1 $status X", 'Content-Length: ' . length $text, 'Connection: close', @headers, '', '') . $text;
	# TLS takes some at a time.
	for (my $at = 0; $at < length $reply;) { $at += syswrite($c, $reply, 16384, $at) || return }
}

sub DESTROY { my ($s) = @_; return if $s->{owner} != $$ || !$s->{pid}; local $?; kill 'KILL', $s->{pid}; waitpid $s->{pid}, 0 }

1;
