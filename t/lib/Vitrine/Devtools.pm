# SPDX-License-Identifier: Apache-2.0
# Chromium's DevTools protocol: starts a Chromium for this test, and sends commands over a WebSocket.
# Each connection has cookies and storage of its own, as a person's browser has; Chromium drops them
# when the connection ends. They share the processes, because starting a Chromium takes 0.3 s.
package Vitrine::Devtools;
use strict;
use warnings;
use Cpanel::JSON::XS;
use File::Path 'remove_tree';
use File::Temp 'tempdir';
use IO::Select;
use IO::Socket::INET;
use POSIX ();
use Vitrine::Stack;

my %PROGRAM = (shell => '/usr/lib/chromium/chromium-headless-shell', whole => '/usr/bin/chromium');
my $JSON = Cpanel::JSON::XS->new->utf8;

# Chromiums of this process: kind => { pid, dir, owner }
my %started;

# Starts a Chromium of that kind, unless this test has one.
sub start {
	my ($kind, $tls) = @_;
	my $c = $started{$kind};
	return $c if $c && $c->{owner} == $$;
	$c = $started{$kind} = { dir => tempdir('vitrine-browser-XXXXXX', TMPDIR => 1), owner => $$ };
	# The tests' certificate is trusted by its key, and no other.
	chomp(my $pin = `openssl x509 -in $tls/cert.pem -noout -pubkey | openssl pkey -pubin -outform der |
		openssl dgst -sha256 -binary | base64`);
	my @command = ($PROGRAM{$kind}, '--headless', '--disable-gpu', '--in-process-gpu', '--disable-dev-shm-usage',
		"--user-data-dir=$c->{dir}/profile",
		# Nothing moves, and what changed is drawn in few pieces: both take less of the processor.
		qw(--force-prefers-reduced-motion --default-tile-width=1024 --default-tile-height=1024),
		"--ignore-certificate-errors-spki-list=$pin", '--host-resolver-rules=MAP *.localhost 127.0.0.1',
		'--remote-debugging-port=0', ($> == 0 ? '--no-sandbox' : ()),
		qw(--no-first-run --allow-pre-commit-input --disable-background-networking --disable-background-timer-throttling
		--disable-backgrounding-occluded-windows
		--disable-client-side-phishing-detection --disable-default-apps --disable-hang-monitor --disable-popup-blocking
		--disable-prompt-on-repost
		--disable-renderer-backgrounding --disable-sync --password-store=basic --use-mock-keychain
		--disable-features=SpareRendererForSitePerProcess));
	$c->{pid} = fork // die "fork: $!\n";
	if (!$c->{pid}) {
		POSIX::setsid();
		$ENV{HOME} = $c->{dir};
		open STDIN, '<', '/dev/null';
		open STDOUT, '>', "$c->{dir}/log" or die;
		open STDERR, '>&', \*STDOUT;
		# It ends with the test, however that ends.
		exec 'setpriv', '--pdeathsig', 'KILL', @command or POSIX::_exit(127);
	}
	Vitrine::Stack::wait_for('Chromium', 120, sub {
		waitpid($c->{pid}, POSIX::WNOHANG()) == 0 or die "Chromium ended:\n" . Vitrine::Stack::slurp("$c->{dir}/log");
		@$c{qw(port path)} = Vitrine::Stack::slurp("$c->{dir}/profile/DevToolsActivePort") =~ /\A(\d+)\n(\S+)\n?\z/;
	});
	return $c;
}

END {
	local $?;
	for my $c (grep { $_->{owner} == $$ && $_->{pid} } values %started) {
		kill 'KILL', -$c->{pid};
		waitpid $c->{pid}, 0;
		remove_tree($c->{dir});
	}
}

# heard: is called with each event.
sub new {
	my ($class, $c, $heard) = @_;
	my $socket = IO::Socket::INET->new(PeerHost => '127.0.0.1', PeerPort => $c->{port}, Timeout => 60) // die "Chromium: $!\n";
	my $d = bless { socket => $socket, select => IO::Select->new($socket), got => '', heard => $heard, last => 0, answers => {} },
		$class;
	syswrite $socket, "GET $c->{path} HTTP/1.1\r\nHost: 127.0.0.1:$c->{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
		. "Sec-WebSocket-Key: dml0cmluZSdzIHRlc3RzIQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
	$d->more(60, 'the handshake') until $d->{got} =~ s/\A(HTTP.*?)\r\n\r\n//s;
	$1 =~ /^HTTP\S+ 101 / or die "Chromium: $1\n";
	return $d;
}

sub more {
	my ($d, $seconds, $what) = @_;
	$d->{select}->can_read($seconds) or die "Chromium: no answer to $what\n";
	sysread $d->{socket}, $d->{got}, 1 << 20, length $d->{got} or die "Chromium has closed the connection at $what\n";
}

# The next message's payload. Frames of a server have no mask (RFC 6455).
sub message {
	my ($d, $seconds, $what) = @_;
	my $payload = '';
	while (1) {
		my ($head, $length) = (2, 0);
		while (1) {
			if (length $d->{got} >= 2) {
				$length = ord(substr $d->{got}, 1, 1) & 127;
				$head = $length == 126 ? 4 : $length == 127 ? 10 : 2;
				if (length $d->{got} >= $head) {
					$length = unpack $head == 4 ? 'n' : 'Q>', substr $d->{got}, 2, $head - 2 if $head > 2;
					last if length $d->{got} >= $head + $length;
				}
			}
			$d->more($seconds, $what);
		}
		my $first = ord $d->{got};
		$payload .= substr $d->{got}, $head, $length;
		substr($d->{got}, 0, $head + $length) = '';
		return $payload if $first & 128;
	}
}

# Reads one message: an answer is kept, an event is passed on.
sub listen {
	my ($d, $seconds, $what) = @_;
	my $m = $JSON->decode($d->message($seconds, $what));
	if ($m->{id}) { $d->{answers}{$m->{id}} = $m }
	else { $d->{heard}->($m) }
}

# What has come already.
sub heed {
	my ($d) = @_;
	$d->listen(60, 'an event') while length $d->{got} || $d->{select}->can_read(0);
}

# Sends a command, to a page's session or to Chromium, and returns its number. A client's frame needs
# a mask; ours is zeros, so the text goes as it is.
sub send {
	my ($d, $session, $method, %params) = @_;
	my %command = (id => ++$d->{last}, method => $method, params => \%params);
	my $text = $JSON->encode({ %command, ($session ? (sessionId => $session) : ()) });
	my $length = length $text;
	my $size = $length < 126 ? pack('C', 128 | $length) : $length < 65536 ? pack('Cn', 254, $length) : pack('CQ>', 255, $length);
	my $frame = "\x81$size\0\0\0\0$text";
	while (length $frame) {
		my $n = syswrite($d->{socket}, $frame) // die "Chromium: $!\n";
		substr($frame, 0, $n) = '';
	}
	return $d->{last};
}

# Waits for the answer to a command that was sent.
sub answer {
	my ($d, $id, $what) = @_;
	$d->listen(60, $what) until $d->{answers}{$id};
	my $r = delete $d->{answers}{$id};
	die "$what: $r->{error}{message}\n" if $r->{error};
	return $r->{result};
}

sub call { my ($d, $session, $method, %params) = @_; return $d->answer($d->send($session, $method, %params), $method) }

1;
