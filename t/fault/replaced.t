# SPDX-License-Identifier: Apache-2.0
# Another program is installed in place of one that runs: at SIGHUP the parent checks it and becomes it. Nobody who asks meanwhile notices.
use Time::HiRes qw(sleep time);
use Vitrine::Words;

my $built = Vitrine::Stack::install_programs();
my $bin = $ENV{VITRINE_BUILD};
sub install { Vitrine::Stack::replace_program($bin, $built, 'vitrine-worker') }
# The export is read so slowly that nginx would end it on a busy machine.
my ($stack, $api) = stack(workers => 3, publish_per_hour => 100000, data_per_minute => 100000, client_send_s => 600);
my $ann = $stack->user('ann@example.org');
my $parent = $stack->{pids}{worker};
my $art = $api->publish($ann, slug => 'data', visibility => 'private');
my $table = "/v1/data/$art/tables/t";
$api->call(PUT => $table, { token => $ann->{token}, json => { columns => [{ name => 'n', type => 'text' }] } });
$api->call(POST => "$table/rows", { token => $ann->{token}, json => { rows => [map { { n => "$_ " . 'x' x 3000 } } 1 .. 1000] } })
	for 1 .. 4;

sub told { return scalar(() = Vitrine::Stack::slurp("$stack->{dir}/worker.log") =~ /\Q$_[0]\E/g) }
sub inode { return (stat "/proc/$parent/exe")[1] }

my $loops = 0;
# Does f until told to stop, in a process of its own; gives what f returned, and how often.
sub beside {
	my ($f) = @_;
	my $stop = "$stack->{dir}/stop-" . ++$loops;
	my $pid = open(my $from, '-|') // die;
	if (!$pid) {
		my $own = Vitrine::Api->new($stack);
		my %seen;
		while (!-e $stop) {
			$seen{$f->($own)}++;
			sleep 0.02;
		}
		print join ' ', map { "$_:$seen{$_}" } sort keys %seen;
		close STDOUT;
		POSIX::_exit(0);
	}
	return sub { Vitrine::Stack::spew($stop, ''); local $/; my $out = <$from>; return $out };
}
my @loops = map { beside($_) } sub { return $_[0]->call(GET => '/v1/auth/me', { token => $ann->{token} })->{status} },
	sub { return $_[0]->get_site('open', '/')->{status} },
	sub { return $_[0]->call(POST => '/v1/publish',
		{ token => $ann->{token}, json => { name => 'L', slug => 'open', visibility => 'public',
			files => [{ path => 'index.html', content => 'x' x 5000 }] } })->{status} },
	sub { return $_[0]->call(POST => "$table/rows", { token => $ann->{token}, json => { rows => [{ n => 'one' }] } })->{status} };
Vitrine::Stack::wait_for('a page', 60, sub { $api->get_site('open', '/')->{status} == 200 });

# An export that is read slowly begins before, and ends after.
my $slow = IO::Socket::SSL->new(PeerAddr => '127.0.0.1', PeerPort => $stack->{port}, SSL_ca_file => "$stack->{tls}/ca.pem",
	SSL_verifycn_name => 'vitrine.localhost', SSL_hostname => 'vitrine.localhost') or die $IO::Socket::SSL::SSL_ERROR;
print $slow "GET $table/export HTTP/1.1\r\nHost: vitrine.localhost\r\nAuthorization: Bearer $ann->{token}\r\nConnection: close\r\n\r\n";
read $slow, my $begun, 1000;
like $begun, qr{^HTTP/1.1 200}, 'an export begins';

# ---- a program that can be started takes the place

for my $round (1 .. 3) {
	my ($before, @old) = (inode(), $stack->workers);
	install();
	kill 'HUP', $parent;
	Vitrine::Stack::wait_for('the new program', 60, sub { inode() != $before });
	# One of the slow ones has the export.
	ok Vitrine::Stack::wait_for('its workers', 60, sub { my %now = map { $_ => 1 } $stack->workers; 1 >= grep { $now{$_} } @old }),
		"upgrade $round: the new program's workers answer";
	my %want = (quick => 3, slow => 3, line => 1, packer => 1, indexer => 1);
	ok Vitrine::Stack::wait_for('all children', 60, sub { !grep { $want{$_} != (() = $stack->workers($_)) } keys %want }),
		'there are as many children as before';
}
is told('"upgrading"'), 3, 'the log says so';
is scalar(grep { readlink("/proc/$_/exe") =~ /deleted/ } $stack->workers), 1, 'the worker that has the export stays for it';
{ local $/; $begun .= <$slow> }
my ($rest, $rows) = ($begun =~ s/.*?\r\n\r\n//sr, '');
# Its chunks.
while ($rest =~ s/^([0-9a-f]+)\r\n//) { $rows .= substr $rest, 0, hex $1; substr $rest, 0, 2 + hex $1, '' }
is $rest, '', 'the export was sent to its end';
is +(() = $rows =~ /x{3000}/g), 4000, 'with all rows';
ok Vitrine::Stack::wait_for('the old worker', 60, sub { !grep { readlink("/proc/$_/exe") =~ /deleted/ } $stack->workers }),
	'then its worker ended';

# ---- a program that can't be started doesn't

my $was = inode();
for my $bad (['ends with an error', "#!/bin/sh\nexit 1\n"], ['is no program', 'nothing'], ['is killed', "#!/bin/sh\nkill -9 \$\$\n"]) {
	my ($how, $text) = @$bad;
	my $refused = told('upgrade refused');
	Vitrine::Stack::spew("$bin/bad", $text);
	chmod 0755, "$bin/bad";
	rename "$bin/bad", "$bin/vitrine-worker" or die;
	kill 'HUP', $parent;
	ok Vitrine::Stack::wait_for('a word', 60, sub { told('upgrade refused') > $refused }), "one that $how is refused";
	is inode(), $was, 'and the old one goes on';
}
is $api->call(GET => '/v1/auth/me', { token => $ann->{token} })->{status}, 200, 'and answers';
# Its own file: a reload, as before.
install();
kill 'HUP', $parent;
Vitrine::Stack::wait_for('the new program', 60, sub { inode() != $was });
my @first = $stack->workers;
kill 'HUP', $parent;
ok Vitrine::Stack::wait_for('new children', 60,
	sub { my %now = map { $_ => 1 } $stack->workers; 6 == keys %now && !grep { $now{$_} } @first }),
	'without another file SIGHUP is a reload';
my @seen = map { $_->() } @loops;
like $seen[0], qr/^200:\d+$/, "reads meanwhile: $seen[0]";
like $seen[1], qr/^(?:404:\d+ )?200:\d+$/, "pages: $seen[1]";
like $seen[2], qr/^201:\d+$/, "publishes: $seen[2]";
like $seen[3], qr/^201:\d+$/, "rows: $seen[3]";

# ---- the runner does the same

sub install_runner { Vitrine::Stack::replace_program($bin, $built, 'vitrine-runner') }
my $runner = $stack->start_runner;
sub program { return (stat "/proc/$runner/exe")[1] }
sub said { return scalar(() = Vitrine::Stack::slurp("$stack->{dir}/runner.log") =~ /\Q$_[0]\E/g) }
Vitrine::Stack::wait_for('its lanes', 60, sub { keys %{{ $stack->lanes }} >= 16 });
sub beats { return scalar $stack->db->selectrow_array('SELECT COUNT(*) FROM heartbeat') }
Vitrine::Stack::wait_for('their beats', 60, sub { beats() >= 10 });
my ($old, %lanes) = (program(), $stack->lanes);
my $beats = $stack->db->do('DELETE FROM heartbeat');
install_runner();
kill 'HUP', $runner;
ok Vitrine::Stack::wait_for('the new program', 60, sub { program() != $old }), 'the same process is the new program';
ok Vitrine::Stack::wait_for('its lanes', 60, sub {
	my %now = $stack->lanes;
	my %were = map { $_ => 1 } values %lanes;
	return keys %now >= keys %lanes && !grep { $were{$_} } values %now;
}), 'with lanes of its own';
is said('"upgrading"'), 1, 'the log says so';
is said('"lane died"'), 0, 'no lane failed';
ok Vitrine::Stack::wait_for('their beats', 60, sub { beats() >= $beats }), '... which work';
Vitrine::Stack::spew("$bin/bad", "#!/bin/sh\nexit 1\n");
chmod 0755, "$bin/bad";
rename "$bin/bad", "$bin/vitrine-runner" or die;
($old, %lanes) = (program(), $stack->lanes);
kill 'HUP', $runner;
ok Vitrine::Stack::wait_for('a word', 60, sub { said('upgrade refused') }), 'a program that can not be started is refused';
is program(), $old, '... and the old one goes on';
is_deeply { $stack->lanes }, \%lanes, '... with its lanes';
Vitrine::Stack::spew("$bin/slow", "#!/bin/sh\ncase \"\$*\" in *--check) touch $bin/checked; sleep 2 ;; *) exit 3 ;; esac\n");
chmod 0755, "$bin/slow";
rename "$bin/slow", "$bin/vitrine-runner" or die;
kill 'HUP', $runner;
Vitrine::Stack::wait_for('the check', 60, sub { -e "$bin/checked" });
kill 'TERM', $runner;
waitpid $runner, 0;
is $?, 0, 'SIGTERM ends it, also while it looks at a program';
install_runner();
delete $stack->{pids}{runner};

# ---- the parent is killed between the check and the first reply

install();
kill 'HUP', $parent;
sleep rand 0.4;
kill 'KILL', $parent;
ok Vitrine::Stack::wait_for('its end', 60,
	sub { !grep { Vitrine::Stack::slurp("/proc/$_/cmdline") =~ /\Q$bin\E/ } map { m{(\d+)} } glob '/proc/[0-9]*' }),
	'if the parent is killed meanwhile, all of it ends';
$stack->{alert_expected} = qr/connect\(\) to unix|prematurely|recv\(\)/;
$stack->start_worker;
is $api->call(GET => '/v1/auth/me', { token => $ann->{token} })->{status}, 200, 'and it starts as after any crash';
finish($stack);
