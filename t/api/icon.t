# SPDX-License-Identifier: Apache-2.0
# An icon given by address: fetched from outside, and never from inside, however that is spelt.
use Compress::Zlib ();
use IO::Socket::INET;
use IO::Socket::SSL;
use POSIX ();
use Vitrine::Words;

my $tls = $ENV{VITRINE_VAR} . '/tls-test';
Vitrine::Stack::make_tls($tls);
sub chunk { my ($type, $data) = @_; return pack('N', length $data) . $type . $data . pack('N', Compress::Zlib::crc32($type . $data)) }
sub png {
	my ($side) = @_;
	return "\x89PNG\r\n\x1a\n" . chunk('IHDR', pack('NNCCCCC', $side, $side, 8, 2, 0, 0, 0))
		. chunk('IDAT', Compress::Zlib::compress(("\0" . "\x20\x40\x80" x $side) x ($side < 2000 ? $side : 1))) . chunk('IEND', '');
}

# A server that may be reached, and a sink that may not and counts who came.
my $server = IO::Socket::INET->new(Listen => 20, LocalAddr => '127.0.0.1') or die;
my $sink = IO::Socket::INET->new(Listen => 20, LocalAddr => '127.0.0.1') or die;
my ($port, $inner) = ($server->sockport, $sink->sockport);
my ($hits, $late) = map { File::Temp->new } 1, 2;
my @kids;
sub serve {
	my ($listen, $do) = @_;
	my $pid = fork // die;
	push @kids, $pid and return if $pid;
	while (my $c = $listen->accept) { $do->($c) }
	POSIX::_exit(0);
}
sub answer {
	my ($c) = @_;
	$SIG{PIPE} = 'IGNORE';
	IO::Socket::SSL->start_SSL($c, SSL_server => 1, SSL_cert_file => "$tls/cert.pem", SSL_key_file => "$tls/key.pem") or return;
	my $head = '';
	while ($head !~ /\r\n\r\n/) { sysread $c, $head, 4096, length $head or return }
	my ($path) = $head =~ m{^GET (\S+)};
	my $to = sub { print $c "HTTP/1.1 302 Found\r\nLocation: $_[0]\r\nContent-Length: 0\r\nConnection: close\r\n\r\n" };
	my $send = sub { print $c "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: " . length($_[0])
		. "\r\nConnection: close\r\n\r\n$_[0]" };
	if ($path eq '/ok.png') { $send->(png(256)) }
	elsif ($path eq '/huge.png') { $send->(png(30000)) }
	elsif ($path eq '/page') { $send->('<html>') }
	elsif ($path eq '/away') { $to->("https://localhost:$port/ok.png") }
	elsif ($path eq '/inside') { $to->("http://127.0.0.1:$inner/") }
	elsif ($path eq '/file') { $to->('file:///etc/passwd') }
	elsif ($path =~ m{^/late}) { print $late "x"; $late->flush; sleep 4; $to->("https://localhost:$port$path/x") }
	elsif ($path eq '/round') { $to->("https://localhost:$port/round") }
	elsif ($path eq '/endless') {
		print $c "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n";
		for (1 .. 400) { print $c 'x' x 65536 or last }
	}
	elsif ($path eq '/slow') {
		print $c "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n";
		for (1 .. 60) { print $c 'x' or last; sleep 1 }
	}
	else { print $c "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n" }
	close $c;
}
serve($server, sub { my ($c) = @_; my $pid = fork; if (!$pid) { answer($c); POSIX::_exit(0) } });
serve($sink, sub { print $hits "hit\n"; $hits->flush; close $_[0] });

my ($stack, $api) = stack(egress_allow => "10.9.8.7:1 127.0.0.1:$port", publish_per_hour => 1000);
my $ann = $stack->user('ann@example.org');
sub publish {
	my ($icon) = @_;
	return $api->call(POST => '/v1/publish',
		{ token => $ann->{token}, json => { name => 'P', slug => 'p', files => [{ path => 'index.html', content => 'x' }],
			pwa => { enabled => Cpanel::JSON::XS::true, icon => $icon } } }) }
sub refused {
	my ($icon, $name) = @_;
	my $r = publish($icon);
	is "$r->{status} $r->{json}{code}", '400 INVALID_REQUEST', "$name is refused";
	like $r->{json}{error}, qr/^pwa\.icon/, 'by name';
}

my $r = publish("https://localhost:$port/ok.png");
is $r->{status}, 201, 'an icon by its address' or diag $r->{body};
is $r->{json}{pwa}{installable}, Cpanel::JSON::XS::true, 'installable';
is publish("https://localhost:$port/away")->{status}, 201, 'after a redirect';
refused("https://localhost:$port/$_->[0]", $_->[1]) for ['none.png', 'what is not there'], ['page', 'what is no picture'],
	['huge.png', 'a picture of 900 million points'], ['endless', 'an endless answer'],
	['slow', 'a drop at a time'], ['round', 'going round'], ['inside', 'a redirect to the inside'], ['file', 'a redirect to a file'];
refused("https://127.0.0.1:$port/ok.png", 'a certificate for another name');
for my $host (qw(127.0.0.1 127.1 2130706433 0x7f.1 0x7f000001 017700000001 0177.1 0 0.0.0.0 localhost [::1] [::] [::ffff:127.0.0.1]
	[::ffff:7f00:1] [64:ff9b::7f00:1] [2002:7f00:1::] 10.9.8.7
	169.254.169.254 vitrine.localhost)) {
	refused("http://$host:$inner/", $host);
}
refused($_, $_) for 'file:///etc/passwd', 'gopher://127.0.0.1/', 'ftp://127.0.0.1/', 'dict://127.0.0.1/', "hTTp://127.0.0.1:$inner/",
	"https://user:pass\@localhost:$port/ok.png", '//localhost/', 'x', "http://\n/";
is -s $hits->filename, 0, 'the sink saw nobody';
refused("https://localhost:$port/late", 'four seconds at each of many turns');
cmp_ok -s $late->filename, '<=', 3, '... ten seconds are for all of them together';
kill 'KILL', @kids;
waitpid $_, 0 for @kids;
finish($stack);
