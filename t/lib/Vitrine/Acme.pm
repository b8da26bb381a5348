# SPDX-License-Identifier: Apache-2.0
# An authority that issues certificates by ACME: pebble, strict, with Knot for the names that it looks up. Between it and who asks is a
# listener of ours, which can fail as authorities do. uacme trusts the system's authorities alone, so trust() shows this process and its
# children others, in a mount namespace.
package Vitrine::Acme;
use strict;
use warnings;
use IO::Socket::INET;
use IO::Socket::SSL;
use POSIX ();
use Vitrine::Listener;
use Vitrine::Stack;
our @ISA = 'Vitrine::Listener';

my $SECRET = 'c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0';
my $SYSTEM_CA = '/etc/ssl/certs/ca-certificates.crt';
my $NEW_MOUNTS = 0x20000;

sub missing {
	return grep { my $program = $_; !grep { -x "$_/$program" } qw(/usr/bin /usr/sbin /bin /sbin) } qw(pebble uacme knotd knsupdate);
}

# False if it can't be done.
sub trust {
	my ($ca) = @_;
	require 'syscall.ph';
	my $bundle = File::Temp->new(UNLINK => 0)->filename;
	Vitrine::Stack::spew($bundle, Vitrine::Stack::slurp($SYSTEM_CA) . Vitrine::Stack::slurp($ca));
	chmod 0644, $bundle;
	return $> == 0 && -e $SYSTEM_CA && syscall(SYS_unshare(), $NEW_MOUNTS) == 0 && system('mount --make-rprivate /') == 0
		&& system('mount', '--bind', $bundle, $SYSTEM_CA) == 0;
}

# $tls: the folder with the test's certificates.
sub new {
	my ($class, $tls) = @_;
	my $s = $class->begin('acme', tls => $tls, map { ("${_}_port" => Vitrine::Stack::free_port()) } qw(pebble manage dns));
	$s->mode('pass');
	$s->start($tls);
	return $s;
}

# What the listener does: pass; 500; 429; silent; half: passes a certificate without its chain.
sub mode { my ($s, $mode) = @_; Vitrine::Stack::spew("$s->{dir}/mode", $mode) }
sub url { my ($s) = @_; return "https://localhost:$s->{port}/dir" }

sub daemon {
	my ($s, $name, @cmd) = @_;
	my $pid = fork // die;
	if (!$pid) {
		@ENV{qw(PEBBLE_VA_NOSLEEP PEBBLE_WFE_NONCEREJECT PEBBLE_AUTHZREUSE)} = (1, 5, 100);
		open STDIN, '<', '/dev/null';
		open STDOUT, '>>', "$s->{dir}/$name.log" or die;
		open STDERR, '>&', \*STDOUT;
		exec @cmd or POSIX::_exit(127);
	}
	$s->{pids}{$name} = $pid;
}

# $http: the port where the names that are to be proven answer.
sub serve_for {
	my ($s, $http) = @_;
	my $dir = $s->{dir};
	Vitrine::Stack::spew("$dir/pebble.json", qq({"pebble":{"listenAddress":"127.0.0.1:$s->{pebble_port}",)
		. qq("managementListenAddress":"127.0.0.1:$s->{manage_port}","certificate":"$s->{tls}/cert.pem",)
		. qq("privateKey":"$s->{tls}/key.pem","httpPort":$http,"tlsPort":1,"ocspResponderURL":"",)
		. q("externalAccountBindingRequired":false}}));
	$s->dns;
	$s->daemon('pebble', 'pebble', '-config', "$dir/pebble.json", '-dnsserver', "127.0.0.1:$s->{dns_port}", '-strict');
	Vitrine::Stack::wait_for('pebble', 60, sub { IO::Socket::INET->new("127.0.0.1:$s->{manage_port}") });
}

# The zone localhost, where updates add what is asked for.
sub dns {
	my ($s) = @_;
	my $dir = $s->{dir};
	mkdir "$dir/knot";
	Vitrine::Stack::spew("$dir/knot.conf", <<END);
server:
    listen: 127.0.0.1\@$s->{dns_port}
    rundir: $dir/knot
database:
    storage: $dir/knot
key:
  - id: up
    algorithm: hmac-sha256
    secret: $SECRET
acl:
  - id: up
    key: up
    action: update
zone:
  - domain: localhost
    storage: $dir/knot
    file: zone
    acl: up
    zonefile-sync: -1
    zonefile-load: difference-no-serial
    journal-content: all
END
	Vitrine::Stack::spew("$dir/knot/zone", "\$TTL 5\n\@ SOA ns hostmaster 1 60 60 600 60\n\@ NS ns\nns A 127.0.0.1\n* A 127.0.0.1\n");
	$s->daemon('knot', 'knotd', '-c', "$dir/knot.conf");
	Vitrine::Stack::wait_for('Knot', 60, sub { `kdig +short +time=1 \@127.0.0.1 -p $s->{dns_port} q.localhost 2>/dev/null` =~ /127/ });
}
# Changes records of that zone as the owner of a domain does: "add NAME 5 TXT "TEXT"", "delete NAME TXT".
sub records {
	my ($s, @lines) = @_;
	open my $to, '|-', 'knsupdate', '-y', "hmac-sha256:up:$SECRET" or die;
	print $to "server 127.0.0.1 $s->{dns_port}\nzone localhost\n", map({ "$_\n" } @lines), "send\n";
	close $to or die;
}
sub dns_away { my ($s) = @_; kill 'KILL', $s->{pids}{knot}; waitpid delete $s->{pids}{knot}, 0 }

# The hook that is shipped, set up for that zone.
sub hook {
	my ($s, $source) = @_;
	system('cp', $source, $s->{dir}) == 0 or die;
	Vitrine::Stack::spew("$s->{dir}/acme-nsupdate.conf", $s->hook_conf);
	return "$s->{dir}/acme-nsupdate";
}
sub hook_conf { my ($s) = @_; return "server=127.0.0.1\nport=$s->{dns_port}\nzone=localhost\nkey='hmac-sha256:up $SECRET'\n" }

# The authority that issues, which pebble makes anew each time.
sub root { my ($s) = @_; return $s->managed('roots/0') }
sub managed {
	my ($s, $what) = @_;
	return $s->ask($s->{manage_port}, "GET /$what HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n") =~ s/.*?\r\n\r\n//sr;
}

# What the one at a port answers, with its head.
sub ask {
	my ($s, $port, $request) = @_;
	my $to = IO::Socket::SSL->new(PeerAddr => '127.0.0.1', PeerPort => $port, SSL_verify_mode => 0, SSL_hostname => 'localhost')
		or return '';
	Vitrine::Listener::send_all($to, $request);
	my $got = '';
	1 while sysread $to, $got, 65536, length $got;
	return $got;
}

sub serve {
	my ($s, $c, $ask) = @_;
	my $mode = Vitrine::Stack::slurp("$s->{dir}/mode");
	open my $asked, '>>', "$s->{dir}/asked";
	syswrite $asked, "$ask->{method} $ask->{target}\n";
	sleep 1000 if $mode eq 'silent';
	my %problem = (429 => 'rateLimited', 500 => 'serverInternal');
	if (my $type = $problem{$mode}) {
		my $body = qq({"type":"urn:ietf:params:acme:error:$type","detail":"too many, or broken","status":$mode});
		Vitrine::Listener::send_all($c, "HTTP/1.1 $mode X\r\nContent-Type: application/problem+json\r\nConnection: close\r\n"
			. 'Content-Length: ' . length($body) . "\r\n\r\n$body");
		return;
	}
	my $head = join '', map { "$_: $ask->{headers}{$_}\r\n" } grep { $_ ne 'connection' } sort keys %{$ask->{headers}};
	my ($first, $body) = split /\r\n\r\n/,
		$s->ask($s->{pebble_port}, "$ask->{method} $ask->{target} HTTP/1.1\r\n${head}connection: close\r\n\r\n$ask->{body}"), 2;
	if ($mode eq 'half' && $first =~ /pem-certificate-chain/i) {
		my ($leaf) = $body =~ /(-----BEGIN CERTIFICATE.*?-----END CERTIFICATE-----\n)/s;
		$first =~ s/\r\n(?:content-length|transfer-encoding):[^\r\n]*//gi;
		($first, $body) = ("$first\r\nContent-Length: " . length $leaf, $leaf);
	}
	Vitrine::Listener::send_all($c, "$first\r\n\r\n$body");
}
sub asked { my ($s) = @_; return scalar(() = Vitrine::Stack::slurp("$s->{dir}/asked") =~ /\n/g) }

sub DESTROY {
	my ($s) = @_;
	return if $s->{owner} != $$;
	local $?;
	kill 'KILL', values %{$s->{pids} // {}};
	$s->stop;
}

1;
