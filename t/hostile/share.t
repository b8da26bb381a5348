# SPDX-License-Identifier: Apache-2.0
# One caller has half of each pool's workers at most, whatever they send, and changes as many things by large bodies as there are
# processors; what is more waits in line without a worker, and is answered in the end. What one request may cost is bounded, too. Rows that
# are locked stand in for work that takes long, so nothing here depends on how fast the machine is.
use IO::Select;
use Time::HiRes 'sleep';
use Vitrine::Words;

my $stack = Vitrine::Stack->new(workers => 4, slow_workers => 8, data_per_minute => 100000, line_s => 30, request_memory_bytes => 100 << 20,
	slow_request_cpu_s => 4);
$stack->expect_alert(qr/connect\(\) to unix|upstream prematurely closed connection .*line\.sock/);
my $api = Vitrine::Api->new($stack);
my ($ann, $ben) = map { $stack->user("$_\@example.org") } qw(ann ben);
sub until_true { my ($true) = @_; for (1 .. 800) { return 1 if $true->(); sleep 0.05 } return 0 }
sub metric {
	my ($name) = @_;
	my $c = IO::Socket::UNIX->new("$stack->{run}/metrics.sock") // die;
	print $c "GET / HTTP/1.0\r\n\r\n";
	return +(map { /^vitrine_\Q$name\E (\d+)/ ? $1 : () } <$c>)[0];
}
sub at {
	my ($pool) = @_;
	return metric("workers_busy{pool=\"$pool\"}") . ' at work, ' . metric("line_waiting{pool=\"$pool\"}") . ' in line';
}
sub settles { my ($pool, $want, $name) = @_; until_true(sub { at($pool) eq $want }); is at($pool), $want, $name }
# A worker is busy before it knows whose request it has, and counts in that person's share only then. A change that waits for the row is
# past that. innodb_trx is a copy, which stays as it is while it is read more often than each 0.1 s.
sub wait_for_row {
	my ($n, $line, $name) = @_;
	until_true(sub {
		sleep 0.1;
		$stack->db->selectrow_array("SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'") == $n
	});
	settles('quick', "$n at work, $line in line", $name);
}
# Begins a request in a process of its own; the end of it is read from what comes back.
sub begin {
	my ($do) = @_;
	my $pid = open(my $from, '-|') // die "fork: $!";
	return $from if $pid;
	my $r = $do->(Vitrine::Api->new($stack));
	print join ' ', $r->{status}, $r->{status} == 429 && $r->{json} ? @{$r->{json}}{qw(code error)} : $r->{json}{code} // '';
	close STDOUT;
	POSIX::_exit(0);
}
sub ends { return map { local $/; my $fh = $_; scalar <$fh> // '' } @_ }
sub log_lines { my ($like) = @_; return grep { $_ =~ $like } split /\n/, Vitrine::Stack::slurp("$stack->{dir}/worker.log") }

# ---- small publishes

is_deeply [Vitrine::Api::together($stack, 20, sub {
	$_[0]->call(POST => '/v1/publish', { token => $ann->{token},
		json => { name => "P$_[1]", files => [{ path => 'index.html', content => "page $_[1]" }] } })->{status};
})],
	[('201') x 20], 'twenty small publishes at once by one person';

# ---- many rows at once: the slow pool

my $art = $api->publish($ann, slug => 'open', visibility => 'public');
my $private = $api->publish($ann, slug => 'hidden');
my $other = $api->publish($ben, slug => 'other');
sub renamed {
	my ($name) = @_;
	return begin(sub { $_[0]->call(PATCH => "/v1/artifacts/$art", { token => $ann->{token}, json => { name => $name } }) });
}
for ([$ann, $art, 'mine'], [$ben, $other, 'his']) {
	is $api->call(PUT => "/v1/data/$_->[1]/tables/$_->[2]", { token => $_->[0]{token},
			json => { columns => [{ name => 'n', type => 'integer' }, { name => 't', type => 'text' }] } })->{status}, 201,
		"a table, $_->[2]";
}
my $rows = encode_json({ rows => [map { { n => $_, t => 'some text' } } 1 .. 1000] });
sub add {
	my ($who, $art, $table) = @_;
	return sub { $_[0]->call(POST => "/v1/data/$art/tables/$table/rows",
		{ token => $who->{token}, type => 'application/json', body => $rows }) };
}
my $db = $stack->db;
$db->begin_work;
$db->do("SELECT * FROM data_table WHERE artifact_id = ? AND name = 'mine' FOR UPDATE", undef, $art);
chomp(my $most = `nproc`);
$most = 4 if $most > 4;
my $rest = 12 - $most;
my @adds = map { begin(add($ann, $art, 'mine')) } 1 .. 12;
settles('slow', "$most at work, $rest in line",
	'twelve times a thousand rows by one person: as many as there are processors, and no more than half of the slow workers');
is add($ben, $other, 'his')->($api)->{status}, 201, "another's find a worker";
is $api->call(GET => "/v1/artifacts/$art", { token => $ann->{token} })->{status}, 200, '... and the quick pool answers the person, too';
SKIP: {
	skip 'half of the workers is less', 1 if $most == 4;
	is $api->call(POST => '/v1/publish',
		{ token => $ann->{token}, json => { name => 'P', files => [{ path => 'index.html', content => 'x' x 20000 }] } })->{status},
		201, '... and the slow one, where it isn\'t rows';
}
settles('slow', "$most at work, $rest in line", 'the rows wait still');
my $left = fork // die;
if (!$left) {
	my $c = Vitrine::Api->new($stack)->connection('vitrine.localhost');
	print $c join "\r\n", "POST /v1/data/$art/tables/mine/rows HTTP/1.1", 'Host: vitrine.localhost',
		"Authorization: Bearer $ann->{token}",
		'Content-Type: application/json', 'Content-Length: ' . length($rows), '', $rows;
	sleep 600;
}
settles('slow', "$most at work, " . ($rest + 1) . ' in line', 'one more comes');
kill 'KILL', $left;
waitpid $left, 0;
settles('slow', "$most at work, $rest in line", '... and leaves the line when its client goes');
$db->commit;
is_deeply [ends(@adds)], [('201 ') x 12], 'all are added in the end';
is $db->selectrow_array("SELECT row_count FROM data_table WHERE name = 'mine'"), 12000, '... each once, bodies and all';

# ---- the quick pool, and whatever else is of the same caller

$db->begin_work;
$db->do('SELECT * FROM artifact WHERE id = ? FOR UPDATE', undef, $art);
my @titles = map { renamed("Name $_") } 1 .. 3;
wait_for_row(2, 1, 'three changes of what is locked: half of the quick workers');
is $api->call(GET => "/v1/artifacts/$other", { token => $ben->{token} })->{status}, 200, 'another is answered, from the same address';
is $api->call(GET => $_)->{status}, 200, "... and a monitor there, $_" for qw(/healthz /readyz);
my @more = (
	begin(sub { $_[0]->call(HEAD => "/v1/artifacts/$art", { token => $ann->{token} }) }),
	begin(sub { $_[0]->call(GET => "/v1/artifacts?limit=1",
		{ token => $ann->{token}, headers => { 'Vitrine-Lined' => 1, 'Vitrine-Ticket' => 512, 'X-Vitrine-Ticket' => 512 } }) }),
	begin(sub { $_[0]->request(GET => 'vitrine.localhost', '/auth/signin', {}) }),
	begin(sub { $_[0]->get_site('hidden', '/') }),
	begin(sub { $_[0]->get_site('open', '/v1/data/self/json') }));
settles('quick', '2 at work, 6 in line',
	'whatever else they send waits, from the address too where nobody is signed in: reads, pages, hosts of pages');
$db->commit;
is_deeply [ends(@titles)], ['200 ', '200 ', '200 '], 'the changes are made';
is_deeply [map { s/ .*//r } ends(@more)], [200, 200, 200, 404, 404], 'the others are answered as ever';

# ---- the line dies with who waits in it

sub line_pid {
	return +(grep { Vitrine::Stack::slurp("/proc/$_/comm") eq "vitrine-line\n" } split ' ',
		Vitrine::Stack::slurp("/proc/$stack->{pids}{worker}/task/$stack->{pids}{worker}/children"))[0];
}
$db->begin_work;
$db->do('SELECT * FROM artifact WHERE id = ? FOR UPDATE', undef, $art);
my @two = map { renamed('Before') } 1, 2;
wait_for_row(2, 0, 'two changes');
my @wait = map { renamed('Lost') } 1 .. 3;
settles('quick', '2 at work, 3 in line', '... and three behind them');
my $dead = line_pid();
kill 'KILL', $dead;
is_deeply [map { s/ Too.*//r } ends(@wait)], [('429 RATE_LIMITED') x 3], 'the line is killed: they are refused';
ok until_true(sub { (line_pid() // $dead) != $dead }), 'there is another line';
push @two, renamed('After');
settles('quick', '2 at work, 1 in line', '... in which the next one waits');
$db->commit;
is_deeply [ends(@two)], [('200 ') x 3], 'it is answered, as those before it';
isnt $db->selectrow_array('SELECT name FROM artifact WHERE id = ?', undef, $art), 'Lost', 'what was refused was not done';

# ---- without the line, and in vain

sub held {
	my ($name, @want) = @_;
	$db->begin_work;
	$db->do('SELECT * FROM artifact WHERE id = ? FOR UPDATE', undef, $art);
	my @two = map { renamed('Held') } 1, 2;
	wait_for_row(2, 0, $name);
	my @refused = (renamed('More'), begin(sub { $_[0]->request(GET => 'vitrine.localhost', '/auth/signin', {}) }));
	is_deeply [ends(@refused)], ['429 RATE_LIMITED Too many of your requests are running at once; try again shortly', '429 '],
		'... a third change is refused, and a page of the same address';
	$db->commit;
	is_deeply [ends(@two)], ['200 ', '200 '], '... and the two are made';
}
rename "$stack->{run}/line.sock", "$stack->{run}/away" or die;
held('without the line');
rename "$stack->{run}/away", "$stack->{run}/line.sock" or die;
my $line = line_pid();
my @first = $stack->workers;
sub all_new { my %now = map { $_ => 1 } $stack->workers; return keys %now == 12 && !grep { $now{$_} } @first }
Vitrine::Stack::spew("$stack->{dir}/vitrine.yaml", Vitrine::Stack::slurp("$stack->{dir}/vitrine.yaml") =~ s/^line_s: 30$/line_s: 1/mr);
kill 'HUP', $stack->{pids}{worker};
ok until_true(sub { all_new() && !-e "/proc/$line" }), 'a reload replaces the line, too';
held('after a second in line');

# ---- what one request may cost

like $api->call(PUT => "/v1/data/$art/json", { token => $ann->{token}, json => { small => 1 } })->{status}, qr/^20[01]$/,
	'a small document';
my $before = $api->call(GET => "/v1/data/$art/json", { token => $ann->{token} })->{body};
my $r = $api->call(PUT => "/v1/data/$art/json",
	{ token => $ann->{token}, type => 'application/json', body => '{"a":[' . join(',', ('{}') x 300000) . ']}' });
is "$r->{status} $r->{json}{code}", '503 UNAVAILABLE', 'one of three hundred thousand objects is refused' or diag $r->{body};
like $r->{json}{error}, qr/^The request takes more memory than the limit of 100 MiB; ask for less/, '... and says what it took too much of';
is $r->{json}{request_id}, $r->{headers}{'x-request-id'}, '... with its id';
ok until_true(sub { log_lines(qr/"event":"request stopped","request_id":"$r->{json}{request_id}","route":"[^"]+","why":"memory"/) == 1 }),
	'... which is in the log';
is $api->call(GET => "/v1/data/$art/json", { token => $ann->{token} })->{body}, $before, 'nothing was changed';
@first = $stack->workers;
Vitrine::Stack::spew("$stack->{dir}/vitrine.yaml", Vitrine::Stack::slurp("$stack->{dir}/vitrine.yaml")
	=~ s/^(request_memory_bytes): \d+$/$1: 8589934592/mr =~ s/^(slow_request_cpu_s): \d+$/$1: 1/mr);
kill 'HUP', $stack->{pids}{worker};
ok until_true(\&all_new), 'with more memory than it needs';
$r = $api->call(POST => '/v1/publish', { token => $ann->{token}, type => 'application/json',
	body => encode_json({ name => 'M', slug => 'many', entrypoint => 'f1.html',
		files => [map { { path => "f$_.html", content => "<title>$_</title>" . "\x{e9}" x 600 } } 1 .. 20000] }) });
is "$r->{status} $r->{json}{code}", '503 UNAVAILABLE', 'a publish that takes too long' or diag $r->{body};
like $r->{json}{error}, qr/^The request takes more CPU time than the limit of 1 s;/, '... is refused';
is $api->get_site('many', '/')->{status}, 404, '... and leaves nothing';
is scalar(log_lines(qr/"event":"worker died","pool":"(?:quick|slow)"/)), 0, 'no worker died of it';
is $api->call(GET => "/v1/artifacts/$art", { token => $ann->{token} })->{status}, 200, 'all goes on';
finish($stack);
