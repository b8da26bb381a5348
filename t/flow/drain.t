# SPDX-License-Identifier: Apache-2.0
# Reload, restart and death of workers while requests run; and how little memory a large archive takes.
use IO::Select;
use IO::Socket::UNIX;
use MIME::Base64;
use Socket 'SOCK_DGRAM';
use Time::HiRes qw(sleep time);
use Vitrine::Words;

my ($stack, $api) = stack(workers => 3, publish_per_hour => 100000);
my $ann = $stack->user('ann@example.org');
# While the pool is away, nginx says so.
$stack->expect_alert(qr/connect\(\) to unix/);
my $parent = $stack->{pids}{worker};
sub children { return $stack->workers }

my $loops = 0;
# Runs f in a process until told to stop; gives what it printed.
sub beside {
	my ($f) = @_;
	my $stop = "$stack->{dir}/stop-" . ++$loops;
	my $pid = open(my $from, '-|') // die;
	if (!$pid) {
		my $own = Vitrine::Api->new($stack);
		my %seen;
		$seen{$f->($own)}++ while !-e $stop;
		print join ' ', map { "$_:$seen{$_}" } sort keys %seen;
		close STDOUT;
		POSIX::_exit(0);
	}
	return sub { Vitrine::Stack::spew($stop, ''); local $/; my $out = <$from>; return $out };
}
sub who_am_i { return $_[0]->call(GET => '/v1/auth/me', { token => $ann->{token} })->{status} }
sub publish {
	return $_[0]->call(POST => '/v1/publish', { token => $ann->{token}, json => { name => 'L', slug => 'live', visibility => 'public',
		files => [{ path => 'index.html', content => 'x' x 50000 }] } })->{status} }

# SIGHUP replaces every child, and nobody notices.
my @loops = map { beside($_) } \&who_am_i, \&publish;
my @first = children();
for (1 .. 5) { sleep 0.3; kill 'HUP', $parent }
my %now;
ok Vitrine::Stack::wait_for('new children', 60, sub { %now = map { $_ => 1 } children(); !grep { $now{$_} } @first }),
	'all children are new';
my @seen = map { $_->() } @loops;
like $seen[0], qr/^200:\d+$/, "reads during five reloads: $seen[0]";
like $seen[1], qr/^201:\d+$/, "publishes during five reloads: $seen[1]";

# SIGTERM lets a request that runs end. So many temporaries tell that it does: the packer, which may be at work too, makes two for a file.
pipe my $ready, my $go or die;
my $pid = open(my $from, '-|') // die;
if (!$pid) {
	my $own = Vitrine::Api->new($stack);
	my $body = { token => $ann->{token}, json => { name => 'B', slug => 'big', visibility => 'public', files => [map {
		{ path => "f$_.html", content => "file $_ " . 'y' x 200000 } } 'index', 1 .. 60], entrypoint => 'findex.html' } };
	syswrite $go, 'x';
	print $own->call(POST => '/v1/publish', $body)->{status};
	close STDOUT;
	POSIX::_exit(0);
}
sysread $ready, my $byte, 1;
for (1 .. 1000) { my @busy = glob "$stack->{dir}/data/tmp/?/*"; last if @busy > 10; sleep 0.005 }
$stack->stop_one('worker');
my $status = do { local $/; <$from> };
is $status, 201, 'a publish that runs when SIGTERM comes is completed';
is $api->call(GET => '/v1/auth/me', { token => $ann->{token} })->{json}{code}, 'UNAVAILABLE', 'then the API says that it is away';
is length $api->get_site('big', '/f7.html')->{body}, 200007, 'while pages are served, the new one too';
$stack->start_worker;
$parent = $stack->{pids}{worker};

# A child that dies is replaced.
for (1 .. 1200) { last if children() == 6; sleep 0.05 }
my ($one) = children();
kill 'KILL', $one;
for (1 .. 1200) { last if children() == 6 && !grep { $_ == $one } children(); sleep 0.05 }
is scalar(my @c = children()), 6, 'three in each pool again';
is who_am_i($api), 200, 'which answer';

# An archive of 200 MiB never lies in a worker's memory. Mapped pages of the spooled file are the kernel's to keep or drop.
my $zip = "$stack->{dir}/big.zip";
mkdir "$stack->{dir}/big";
open my $random, '<', '/dev/urandom' or die;
for my $i (1 .. 10) { read $random, my $bytes, 20 << 20; Vitrine::Stack::spew("$stack->{dir}/big/$i.bin", $bytes) }
Vitrine::Stack::spew("$stack->{dir}/big/index.html", 'x');
system("cd $stack->{dir}/big && zip -q -0 -r $zip .") == 0 or die;
my $peak = 0;
my $watch = beside(sub { my $max = 0;
	for (children()) { my ($kb) = Vitrine::Stack::slurp("/proc/$_/status") =~ /RssAnon:\s+(\d+)/; $max = $kb if ($kb // 0) > $max }
	sleep 0.005; return int($max / 1024) });
my $form = "--XX\r\nContent-Disposition: form-data; name=\"manifest\"\r\n\r\n{\"name\":\"Big\",\"slug\":\"archive\"}\r\n"
	. "--XX\r\nContent-Disposition: form-data; name=\"archive\"\r\n\r\n" . Vitrine::Stack::slurp($zip) . "\r\n--XX--\r\n";
my $r = $api->call(POST => '/v1/publish', { token => $ann->{token}, body => $form, type => 'multipart/form-data; boundary=XX' });
is $r->{status}, 201, 'an archive of 200 MiB is published' or diag $r->{body};
for (split ' ', $watch->()) { my ($mb) = split /:/; $peak = $mb if $mb > $peak }
# AddressSanitizer's own memory is anonymous as well.
ok $peak < 150, "the largest worker had $peak MiB";
# systemd is told.
my $notify = IO::Socket::UNIX->new(Type => SOCK_DGRAM, Local => "$stack->{run}/notify") or die "notify: $!";
sub told {
	for (1 .. 100) {
		last if IO::Select->new($notify)->can_read(0.1);
	}
	$notify->recv(my $text, 4096);
	return $text;
}
$stack->stop_one('worker');
{
	local $ENV{NOTIFY_SOCKET} = "$stack->{run}/notify";
	$stack->start_worker;
}
is told(), 'READY=1', 'ready';
kill 'HUP', $stack->{pids}{worker};
is_deeply [told(), told()], ['RELOADING=1', 'READY=1'], 'reloading, and ready again';
$stack->stop_one('worker');
is told(), 'STOPPING=1', 'stopping';
$stack->start_worker;
finish($stack);
