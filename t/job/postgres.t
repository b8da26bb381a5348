# SPDX-License-Identifier: Apache-2.0
# Jobs that ask a database, or an API, by a connection of their workspace: PostgreSQL's values in a table, one statement that only reads,
# certificates, who may, and that what fails changes nothing.
use utf8;
use POSIX ();
use Time::HiRes qw(sleep time);
use Vitrine::Jobs;
use Vitrine::Postgres;
use Vitrine::Receiver;
use Vitrine::Words qw(as refused said);

my $tls = $ENV{VITRINE_VAR} . '/tls-test';
Vitrine::Stack::make_tls($tls);
my $pg = Vitrine::Postgres->new($tls);
my $receiver = Vitrine::Receiver->new($tls);
my ($stack, $api, $db) = stack(egress_allow => "127.0.0.1:$pg->{port} 127.0.0.1:$receiver->{port}", egress_ca_file => "$tls/ca.pem",
	job_runs_asked_per_minute => 200, connection_tests_per_minute => 200);
my ($ann, $ben, $cat) = map { $stack->user("$_\@example.org") } qw(ann ben cat);
my $ws = as($ann, POST => '/v1/workspaces', { name => 'Team' })->{json}{workspace}{id};
my $other = as($cat, POST => '/v1/workspaces', { name => 'Other' })->{json}{workspace}{id};
$stack->seat($ws, $ben, 'member');
my $base = "/v1/workspaces/$ws/connections";
my $art = $api->publish($ann, slug => 'site', visibility => 'private', workspace_id => $ws);
my $jobs = Vitrine::Jobs->new(stack => $stack, api => $api, user => $ann, art => $art);
my $n;
sub shop { return { host => 'localhost', port => $pg->{port}, database => 'shop', username => 'reader', @_ } }
sub body {
	my (%o) = @_;
	my $o = delete $o{o} // {};
	return { provider => 'postgres', name => 'Shop ' . ++$n, config => shop(%o),
		credentials => { password => $Vitrine::Postgres::PASSWORD }, %$o };
}
sub connected {
	my $r = as($ann, POST => $base, body(@_));
	is $r->{status}, 201, 'a connection' or diag $r->{body};
	return $r->{json}{connection}{id};
}
sub tried { my $r = as($ann, POST => "$base/test", body(@_)); is $r->{status}, 200, 'a test' or diag $r->{body}; return $r->{json} }
sub data { my ($method, $path, $json) = @_; return $jobs->call($method => "/v1/data/$art$path", $json) }
sub columns {
	my ($table) = @_;
	return join ' ', map { "$_->{name}:$_->{type}" } @{data(GET => "/tables/$table")->{json}{table}{columns} // []};
}
sub lines {
	my ($table) = @_;
	my @c = map { $_->{name} } @{data(GET => "/tables/$table")->{json}{table}{columns}};
	return join ' ', map {
		my $r = $_;
		'(' . join(',', map { Cpanel::JSON::XS->new->allow_nonref->canonical->encode($r->{$_}) } @c) . ')';
	} @{data(GET => "/tables/$table/rows")->{json}{rows}};
}
sub asks {
	my ($con, $query, %o) = @_;
	my $table = delete $o{table} // 't' . ++$n;
	return $jobs->made(materialize => { source => { connection_id => $con, query => $query }, target => { table => $table }, %o });
}
sub changes {
	my ($job, $query) = @_;
	my $config = { %{$job->{config}}, source => { %{$job->{config}{source}}, query => $query } };
	is $jobs->call(PATCH => "/v1/jobs/$job->{id}", { config => $config })->{status}, 200, 'another query';
}
# What a runner of its own does meanwhile.
sub beside {
	my ($what) = @_;
	my $pid = fork // die;
	if (!$pid) {
		open STDERR, '>', "$stack->{dir}/beside.log";
		exec "$stack->{build}/vitrine-runner", '-c', "$stack->{dir}/vitrine.yaml", @_ or POSIX::_exit(127);
	}
	return $pid;
}
sub hang_up { $pg->sql("SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE usename = 'reader'") }
sub until_asked {
	Vitrine::Stack::wait_for('a query that takes long', 60,
		sub { $pg->sql("SELECT count(*) FROM pg_stat_activity WHERE usename = 'reader' AND wait_event = 'PgSleep'") > 0 });
}
our $con = connected();

subtest 'values' => sub {
	$pg->sql(q{CREATE TYPE mood AS ENUM ('sad', 'fine');
		CREATE TABLE everything (b boolean, i2 smallint, i4 integer, i8 bigint, n numeric, f8 double precision,
		t text, v varchar(5), d date, ts timestamp, tz timestamptz, j json, jb jsonb, a integer[], ta text[],
		by bytea, u uuid, iv interval, m mood);
		INSERT INTO everything VALUES (true, -1, 2147483647, 9223372036854775807, 12345.10, 1.5, E'a "q"\n', 'ü', '2026-01-02',
			'2026-01-02 03:04:05.6', '2026-01-02 03:04:05+02', '{"a": [1]}', '{"b": null}',
			'{1,NULL}', '{"x,y","NULL"}', '\xdead', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
			'1 day 2 hours', 'fine'), (false, NULL, NULL, NULL, 'NaN', 'Infinity', '', NULL, 'infinity',
			NULL, '-infinity', NULL, '3', '{}', NULL, NULL, NULL, NULL, NULL);
		GRANT SELECT ON everything TO reader});
	my $job = asks($con, 'SELECT * FROM everything', table => 'e');
	is_deeply $job->{config}, { source => { connection_id => $con, query => 'SELECT * FROM everything' }, target => { table => 'e' },
		mode => 'replace' }, 'shows what it is, and nothing secret';
	my $run = $jobs->succeeds($job, 'all types');
	is $run->{output}, '2 rows; 4 values that a table can\'t hold, such as NaN or infinity, became null',
		'says how many rows, and what a table has not';
	is columns('e'), 'b:boolean i2:integer i4:integer i8:integer n:number f8:number t:text v:text d:text ts:text tz:timestamp j:json '
		. 'jb:json a:json ta:json by:text u:text iv:text m:text', 'columns as the database has them';
	is lines('e'), '(true,-1,2147483647,9223372036854775807,12345.1,1.5,"a \"q\"\n","ü","2026-01-02","2026-01-02T03:04:05.6",'
		. '"2026-01-02T01:04:05Z",{"a":[1]},{"b":null},[1,null],["x,y","NULL"],"\\\\xdead","a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",'
		. '"P1DT2H","fine") (false,null,null,null,null,null,"",null,null,null,null,null,3,[],null,null,null,null,null)',
		'and its values';
	my $doc = $jobs->made(materialize =>
		{ source => { connection_id => $con, query => "SELECT 12345678901234567890.10 AS a, 'x' AS b;" }, target => 'json' });
	$jobs->succeeds($doc, 'the document');
	like data(GET => '/json')->{body}, qr/\Q"data":{"rows":[{"a":12345678901234567890.10,"b":"x"}]}\E/,
		'rows stand under rows, numbers digit by digit';
	is_deeply [$db->selectrow_array('SELECT connection_id, fills FROM job WHERE id = ?', undef, $_->{id})],
		[$con, $_ == $doc ? '' : 'e'], 'the job knows what it fills' for $job, $doc;
	$jobs->fails(asks($con, q{SELECT '{"a": 1, "a": 2}'::json AS j}), 'JSON that is none here',
		qr/row 1, j: isn't valid JSON: the same member appears twice/);
	my $add = asks($con, 'SELECT 1 AS a', table => 'add', mode => 'append');
	$jobs->succeeds($add, 'adding') for 1, 2;
	is lines('add'), '(1) (1)', 'beside what is there';
};

subtest 'columns that come and go' => sub {
	my $job = asks($con, "SELECT 1 AS id, 'x' AS note, 2 AS \"Total sum\"", table => 'c');
	is $jobs->succeeds($job, 'at first')->{output}, '1 row; column names changed: id is id_, Total sum is Total_sum',
		'says which names tables don\'t take';
	is columns('c'), 'id_:integer note:text Total_sum:integer', 'names such as tables take';
	changes($job, "SELECT 1 AS id, 'Cork' AS city, 2 AS \"Total sum\"");
	is $jobs->succeeds($job, 'then')->{output}, '1 row; column note is gone; new column city', 'says what has';
	is lines('c'), '(1,null,2,"Cork")', 'what is gone is empty';
	changes($job, "SELECT 'x' AS id");
	$jobs->fails($job, 'a column of another type', qr/row 1, id_: .*isn.+t a whole number/);
	is lines('c'), '(1,null,2,"Cork")', 'changes nothing';
	changes($job, 'SELECT 1 AS id WHERE false');
	like $jobs->succeeds($job, 'no rows')->{output}, qr/^0 rows; columns note, Total_sum and city are gone/, 'empty it';
};

subtest 'one statement that reads' => sub {
	$pg->sql('CREATE TABLE orders (id integer); INSERT INTO orders VALUES (1); CREATE TABLE own (id integer); '
		. 'ALTER TABLE own OWNER TO reader; CREATE SCHEMA closed; CREATE TABLE closed.t (id integer)');
	my $job = asks($con, 'SELECT 1 AS a', table => 'kept');
	$jobs->succeeds($job, 'a table');
	my @refused = (['SELECT 1; SELECT 2', qr/one statement/], ['COMMIT; DROP TABLE own', qr/one statement/], ['COMMIT', qr/42601/],
		['DELETE FROM own', qr/42601/], ['WITH x AS (DELETE FROM own RETURNING id) SELECT * FROM x', qr/0A000.*only read/],
		['SELECT * INTO copy FROM own', qr/only read|42|25006/], ['DO $$ BEGIN DELETE FROM own; END $$', qr/42601/],
		['EXPLAIN ANALYZE DELETE FROM own', qr/42601/], ["SELECT set_config('transaction_read_only', 'off', false)", qr/25001/],
		["SELECT nextval('s')", qr/42P01|25006/],
		['SELECT * FROM own FOR UPDATE', qr/25006/], ["COPY own TO PROGRAM 'id'", qr/42601/],
		['SELECT $1', qr/42P02|08P01|there is no parameter/],
		['SELECT * FROM orders',
			qr/permission denied for table orders \(42501\)\. An owner of it can run: GRANT SELECT ON orders TO reader/],
		['SELECT * FROM closed.t', qr/GRANT USAGE ON SCHEMA closed TO reader/],
		["SELECT 1\nFROM nowhere", qr/relation "nowhere" does not exist \(42P01, line 2 of the query\)/],
		['SELECT 1/0 AS a', qr/division by zero \(22012\)/], ['SELECT', qr/gives no columns/]);
	for (@refused) { my ($query, $like) = @$_; changes($job, $query); $jobs->fails($job, $query, $like) }
	is lines('kept'), '(1)', 'what failed has changed nothing here';
	is $pg->sql('SELECT count(*) FROM own'), 0, 'or there';
	is $pg->sql("SELECT count(*) FROM pg_class WHERE relname IN ('own', 'copy')"), 1, '... nor made anything';
	changes($job, "-- what we sell\nSELECT 1 AS a -- all");
	$jobs->succeeds($job, 'comments are fine');
};

subtest 'what is tried again' => sub {
	my $tries = sub {
		my ($con, $query) = @_;
		return $jobs->made(materialize => { source => { connection_id => $con, query => $query }, target => { table => 'tries' } },
			retry_config => { maxAttempts => 3, initialDelay => 3600 });
	};
	$jobs->fails($tries->($con, 'SELECT * FROM nowhere'), 'a query that is wrong is not', qr/42P01/);
	my $wrong = connected(o => { credentials => { password => 'wrong but long' } });
	my $job = $tries->($wrong, 'SELECT 1 AS a');
	my $run = $jobs->ran($job);
	is $run->{status}, 'retrying', 'a server that lets nobody in is';
	like $run->{error}, qr/28P01/, '... which is told';
	unlike $run->{error}, qr/wrong but long/, '... without the password';
};

subtest 'the client' => sub {
	my @add = ('jobs', 'add', '--artifact', 'site', '--cron', '@daily', '--connection', $con);
	my ($status, $out, $err) = $stack->client($ann->{token}, @add, '--query', 'SELECT 1 AS a', '--table', 'cli');
	is $status, 0, 'a query' or diag $err;
	is_deeply $jobs->call(GET => '/v1/jobs/' . $out =~ s/\s.*//sr)->{json}{job}{config},
		{ source => { connection_id => $con, query => 'SELECT 1 AS a' }, target => { table => 'cli' }, mode => 'replace' },
		'as a config';
	like +($stack->client($ann->{token}, @add, '--get', '/x'))[2], qr/^vitrine: --connection: the connection .* is of kind postgres/m,
		'a path is an API\'s';
	like +($stack->client($ann->{token}, @add, '--materialize', '../x'))[2], qr/^vitrine: --materialize: /m, '... and beneath it';
	($status, $out) = $stack->client($ann->{token}, 'connections', 'test', connected());
	is $status, 0, 'a test' or diag $out;
	like $out, qr/^ok      Sign in: Signed in to shop as reader$/m, '... step by step';
	like +($stack->client($ann->{token}, grep({ $_ ne '--connection' && $_ ne $con } @add), '--query', 'SELECT 1'))[2],
		qr/^vitrine: --query needs --connection ID/m, 'a query wants one';
};

subtest 'certificates' => sub {
	my $name = sub {
		my ($says, @config) = @_;
		my $t = tried(@config);
		my $last = $t->{steps}[-1];
		is_deeply [($t->{ok} ? 1 : 0), $last->{name}], [$says =~ /^Read/ ? (1, 'Read') : (0, 'Encrypt the connection')], $says
			or diag explain $t;
		return $last->{says};
	};
	$name->('Read: the right name');
	like $name->('another name', host => '127.0.0.1'), qr/its certificate is for \S+, not for 127\.0\.0\.1/, 'is told';
	$name->('Read: another name, where it is not asked', host => '127.0.0.1', sslmode => 'require');
	my $strange = "$stack->{dir}/strange";
	Vitrine::Stack::make_tls($strange);
	$pg->certificate("$strange/cert.pem", "$strange/key.pem");
	like $name->('another CA'), qr/isn't signed by an authority that this service trusts/, 'is told';
	$name->('Read: another CA, where it is not asked', sslmode => 'require');
	$jobs->fails(asks($con, 'SELECT 1 AS a'), 'a run is as strict', qr/isn't signed by an authority/);
	$pg->certificate("$tls/cert.pem", "$tls/key.pem");
	my $t = tried();
	is_deeply [map { "$_->{name}: $_->{says}" } @{$t->{steps}}],
		['Find the server: localhost is at 127.0.0.1', "Reach it: It answers at port $pg->{port}",
			'Encrypt the connection: The connection is encrypted, and the certificate is valid for localhost',
			'Sign in: Signed in to shop as reader', 'Read: It can be read'], 'the steps of a test, in words';
	ok !grep({ $_->{took_ms} !~ /^\d+$/ } @{$t->{steps}}), '... with their times';
	is_deeply [sort keys %{$t->{steps}[0]}], [qw(name ok says took_ms)], '... and nothing else';
};

subtest 'addresses and sign-in' => sub {
	my $before = $pg->knocked;
	my @odd = map {
		my $config = $_;
		my $t = as($ann, POST => "$base/test", body(@$config));
		$t->{status} == 400 ? 'refused' : $t->{json}{steps}[-1]{name} . ': ' . $t->{json}{steps}[-1]{says};
	} [host => '127.1', port => 1], [host => '::1'], [host => '::ffff:7f00:1'], [host => '10.0.0.1'], [host => '169.254.169.254'],
		[host => 'localhost', port => 22], [host => '/var/run/postgresql'], [host => 'localhost,10.0.0.1'];
	is join("\n", grep { !/^refused$|^Find the server: the address isn't allowed/ } @odd), '', 'nothing inside is asked';
	is $pg->knocked, $before, '... nor anybody else in its place';
	like tried(o => { credentials => { password => 'wrong but long' } })->{steps}[-1]{says},
		qr/^the server doesn't accept the password of reader.*28P01/, 'a wrong password';
	like tried(database => 'none')->{steps}[-1]{says}, qr/the server has no database none \(3D000\)/, 'no such database';
	like tried(host => 'no-such-host.vitrine.test')->{steps}[-1]{says}, qr/couldn't be resolved/, 'no such host';
	my $nobody = Vitrine::Stack::free_port();
	like tried(port => $nobody)->{steps}[-1]{says}, qr/isn't allowed|couldn't connect/, 'nobody there';
	local @ENV{qw(PGHOSTADDR PGSSLMODE PGUSER PGSERVICE PGPASSFILE PGOPTIONS)} = ('192.0.2.1', 'disable', 'super', 'none',
		"$stack->{dir}/none", '-c default_transaction_read_only=off');
	$jobs->succeeds(asks($con, 'SELECT 1 AS a'), 'the environment doesn\'t count');
};

subtest 'tests of connections that jobs use' => sub {
	our $con = connected();
	my $test = sub { my ($who) = @_; return as($who, POST => "$base/$con/test") };
	is $test->($ann)->{json}{ok}, $true, 'none uses it';
	asks($con, 'SELECT * FROM everything');
	is $test->($ann)->{json}{steps}[-1]{says}, 'The query of jobs can be read', 'what they ask is tried';
	asks($con, 'SELECT * FROM orders');
	like $test->($ann)->{json}{steps}[-1]{says}, qr/GRANT SELECT ON orders TO reader/, 'with what mends it';
	like as($ann, GET => "$base/$con")->{json}{connection}{last_error}, qr/permission denied/, 'which the connection says, too';
	refused($test->($ben), '403 ACCESS_DENIED', 'a member tests no shared one', qr/admins/);
	refused($test->($cat), '404 NOT_FOUND', 'a stranger none');
	my %was = map { $_ => $db->selectrow_array("SELECT COUNT(*) FROM $_") } qw(connection connection_credential audit);
	tried();
	is_deeply { map { $_ => $db->selectrow_array("SELECT COUNT(*) FROM $_") } keys %was }, \%was,
		'one that is not there yet leaves nothing';
	refused(as($ann, POST => "$base/test", body(port => 0)), '400 INVALID_REQUEST', 'a config that can\'t be', qr/port/);
	refused(as($ben, POST => "$base/test", body()), '403 ACCESS_DENIED', 'admins only');
	$receiver->answer('/api' => 200, 'fine');
	my $http = sub { return as($ann, POST => "$base/test", { provider => 'http', name => 'A', config =>
		{ base_url => $receiver->url($_[0]), auth => 'bearer' }, credentials => { token => 'a secret token' } })->{json} };
	is_deeply [map { "$_->{name}: $_->{says}" } @{$http->('/api')->{steps}}],
		['Reach the server: localhost answers', 'Sign in: The server answered 200 and doesn\'t refuse us'], 'an API';
	is +($receiver->calls('/api'))[-1]{headers}{authorization}, 'Bearer a secret token', 'with its credentials';
	$receiver->answer('/no' => 401, '');
	like $http->('/no')->{steps}[-1]{says}, qr/401.*credentials/, 'which it may refuse';
	$receiver->answer('/away' => 302, '', 'Location: ' . $receiver->url('/api'));
	is $http->('/away')->{ok}, $false, 'a redirect is not followed';
};

subtest 'limits' => sub {
	my $job = asks($con, "SELECT 1 AS a", table => 'l');
	$jobs->succeeds($job, 'a table');
	changes($job, 'SELECT i AS a FROM generate_series(1, 100001) i');
	$jobs->fails($job, '100,001 rows', qr/more than 100,000 rows/);
	changes($job, "SELECT repeat('x', 2000) AS a FROM generate_series(1, 8400) i");
	$jobs->fails($job, 'more than 16 MiB', qr/more than 16 MiB/);
	changes($job, "SELECT repeat('x', 90000000) AS a");
	$jobs->fails($job, 'one value of 90 MB', qr/more than/);
	changes($job, "SELECT repeat('x', 20000) AS b");
	$jobs->fails($job, 'a large row', qr/row 1: it is \d+ bytes as JSON; a row can have 16384/);
	is lines('l'), '(1)', 'nothing has changed';
	my $columns = join ', ', map { "$_ AS c$_" } 1 .. 65;
	changes($job, "SELECT $columns");
	$jobs->fails($job, '65 columns', qr/64/);
	refused($jobs->add(materialize => { source => { connection_id => $con, query => 'x' x 20001 }, target => 'json' }),
		'400 INVALID_REQUEST', 'a long query', qr/source\.query.*20000/);
};

subtest 'memory' => sub {
	local $ENV{ASAN_OPTIONS} = join ':', grep { defined } $ENV{ASAN_OPTIONS}, 'quarantine_size_mb=1';
	my $peak = sub {
		my ($job) = @_;
		$jobs->due($job);
		my $pid = beside('--once');
		my $used = "\0" x 256;
		my $status = pack 'i', 0;
		1 while syscall(61, $pid, $status, 0, $used) < 0;
		is unpack('i', $status), 0, 'the runner ran';
		return unpack 'x32 q', $used;
	};
	my $job = asks($con, "SELECT i, repeat('x', 100) AS text FROM generate_series(1, 1000) i", table => 'm');
	my $few = $peak->($job);
	changes($job, "SELECT i, repeat('x', 100) AS text FROM generate_series(1, 100000) i");
	my $many = $peak->($job);
	is data(GET => '/tables/m')->{json}{table}{row_count}, 100_000, 'as many rows as may be';
	cmp_ok $many - $few, '<', 12_000, 'a hundred times as many rows take no more memory' or diag "$few kB, $many kB";
};

subtest 'a server that goes away, a runner that dies' => sub {
	$pg->sql('CREATE TABLE pause (s double precision); INSERT INTO pause VALUES (600); GRANT SELECT ON pause TO reader');
	my $slow = 'SELECT i AS a, CASE WHEN i = 500 THEN (SELECT pg_sleep(s) IS NULL FROM pause) END AS b FROM generate_series(1, 1000) i';
	my $job = asks($con, 'SELECT 7 AS a', table => 'g');
	$jobs->succeeds($job, 'the table as it was');
	changes($job, $slow);
	my %ends = (57014 => 'pg_cancel_backend', 57 => 'pg_terminate_backend');
	for my $how (sort keys %ends) {
		$jobs->due($job);
		my $pid = beside('--once');
		until_asked();
		$pg->sql("SELECT $ends{$how}(pid) FROM pg_stat_activity WHERE usename = 'reader'");
		waitpid $pid, 0;
		my ($run) = $jobs->runs($job);
		is $run->{status}, 'failed', "$ends{$how} in mid-stream" or diag explain $run;
		like $run->{error}, qr/$how/, '... is told';
	}
	$jobs->due($job);
	my $pid = beside('--once');
	until_asked();
	kill TERM => $pid;
	waitpid $pid, 0;
	is $?, 0, 'who is to stop waits for no query';
	is +($jobs->runs($job))[0]{status}, 'queued', '... and gives the run back';
	hang_up();
	$pid = beside('--once');
	until_asked();
	is +($jobs->runs($job))[0]{status}, 'running', 'another takes it';
	kill KILL => $pid;
	waitpid $pid, 0;
	is lines('g'), '(7)', 'a dead runner leaves the table as it was';
	$pg->sql('UPDATE pause SET s = 0');
	hang_up();
	$db->do('UPDATE job_run SET due_at = UNIX_TIMESTAMP() WHERE job_id = ? AND status = ?', undef, $job->{id}, 'running');
	$db->do('UPDATE job SET busy_until = UNIX_TIMESTAMP() WHERE id = ?', undef, $job->{id});
	$db->do('UPDATE job SET max_attempts = 5 WHERE id = ?', undef, $job->{id});
	$jobs->runner;
	is +($jobs->runs($job))[0]{status}, 'success', 'and the run is made again';
	is data(GET => '/tables/g')->{json}{table}{row_count}, 1000, 'once';
	$jobs->runner for 1 .. 2;
	is scalar $db->selectrow_array('SELECT COUNT(*) FROM data_table WHERE artifact_id IS NULL AND sweep_at <= UNIX_TIMESTAMP()'), 0,
		'nothing is left over';
	is scalar(() = glob "$stack->{dir}/data/tmp/?/*"), 0, 'nor in the store';
};

subtest 'nobody waits for a database' => sub {
	$pg->sql('UPDATE pause SET s = 600');
	my $slow = asks($con, 'SELECT pg_sleep(s) IS NULL AS a FROM pause');
	$receiver->answer('/quick' => 200, '[{"a": 1}]', 'Content-Type: application/json');
	my $quick = $jobs->made(materialize => { source => { url => $receiver->url('/quick') }, target => { table => 'quick' } });
	$stack->start_runner('runner-lanes', '--stay', '--lanes', 'clock|jobs|saves|databases');
	$jobs->due($slow);
	until_asked();
	my $told = asks($con, 'SELECT 1 AS a', table => 'other');
	$jobs->due($_) for $quick, $told;
	Vitrine::Stack::wait_for('what is due beside it', 60,
		sub { 2 == grep { ((($jobs->runs($_))[0] // {})->{status} // '') eq 'success' } $quick, $told });
	is join(' ', map { ($jobs->runs($_))[0]{status} } $slow, $quick, $told), 'running success success',
		'a request and another query end while it hangs';
	$stack->stop_one('runner-lanes');
	is +($jobs->runs($slow))[0]{status}, 'queued', 'it is given back';
	$pg->sql("UPDATE pause SET s = 0");
	$jobs->runner;
	my $run = $jobs->call(POST => "/v1/jobs/$slow->{id}/run");
	is "$run->{status} $run->{json}{execution}{status}", '200 success', 'by hand, in the request' or diag $run->{body};
};

is +($stack->program('vitrinectl', {}, 'fsck'))[1], "clean\n", 'every counter is right';

subtest 'who may' => sub {
	my $mine = $api->publish($ben, slug => 'bens', visibility => 'private', workspace_id => $ws);
	my $bens = Vitrine::Jobs->new(stack => $stack, api => $api, user => $ben, art => $mine);
	my $query = sub {
		my ($con) = @_;
		return (materialize => { source => { connection_id => $con, query => 'SELECT current_user AS who' },
			target => { table => 'who' } });
	};
	my $foreign = as($cat, POST => "/v1/workspaces/$other/connections", body())->{json}{connection}{id};
	my $none = $foreign =~ s/.$/0/r;
	my $api_con = as($ann, POST => $base, { provider => 'http', name => 'API', config => { base_url => $receiver->url('/v1'),
		auth => 'bearer' }, credentials => { token => 'tok-very-secret' } })->{json}{connection}{id};
	my @said = map { $bens->add($query->($_))->{json}{error} =~ s/con_\w+/CON/r } $foreign, $none;
	is $said[0], $said[1], 'another workspace\'s is as if there were none';
	like $said[0], qr/^config\.source\.connection_id: .*no connection CON/, '... and is named';
	$bens->refused('one of another kind', qr/config\.source\.connection_id: the connection API is of kind http/, $query->($api_con));
	$bens->refused('a database that is to be fetched', qr/of kind postgres/, http_get => { connection_id => $con, path => '/x' });
	$bens->refused('an address beside it', qr/config\.url: .*without a connection_id/,
		http_get => { connection_id => $api_con, url => $receiver->url('/'), path => '/x' });
	$bens->refused('headers beside it', qr/config\.headers/,
		http_get => { connection_id => $api_con, headers => { A => 'b' }, path => '/x' });
	$bens->refused('a path without one', qr/config\.path: applies only with a connection_id/,
		http_get => { url => $receiver->url('/'), path => '/x' });
	$bens->refused('neither', qr/config\.url: is required, or a connection_id/, http_get => { save_to => 'json' });
	$bens->refused("path $_", qr/config\.path/, http_get => { connection_id => $api_con, path => $_ })
		for '//evil.example/', '../x', '/a/%2e%2e/x', 'a b';
	my $personal = Vitrine::Jobs->new(stack => $stack, api => $api, user => $ben, art => $api->publish($ben, slug => 'personal'));
	$personal->refused('an artifact outside of the workspace', qr/no connection/, $query->($con));
	my $own = body(o => { auth_mode => 'member' });
	delete $own->{credentials};
	delete $own->{config}{username};
	my $member = as($ann, POST => $base, $own)->{json}{connection}{id};
	$bens->refused('without credentials of their own', qr/hasn't given credentials/, $query->($member));
	$pg->sql("CREATE ROLE bens LOGIN PASSWORD 'the one of ben'");
	as($ben, PUT => "$base/$member/my-credentials", { username => 'bens', password => 'the one of ben' });
	my $job = $bens->made($query->($member));
	$bens->succeeds($job, 'with them');
	is $pg->signed_in('bens'), 1, 'it is they who sign in';
	is as($ben, POST => "$base/$member/test")->{json}{ok}, $true, 'and who may test them';
	my $shared = $bens->made($query->($con));
	$bens->succeeds($shared, 'a shared one needs none');
	my $before = $pg->knocked;
	as($ann, DELETE => "/v1/workspaces/$ws/members/$ben->{id}");
	$db->do('UPDATE artifact SET owner_id = ?, workspace_id = ? WHERE id = ?', undef, $ben->{id}, $ws, $mine);
	$db->do('UPDATE job SET enabled = TRUE, created_by = ? WHERE id IN (?, ?)', undef, $ben->{id}, $job->{id}, $shared->{id});
	for ($job, $shared) {
		$bens->due($_);
		$bens->runner;
		my ($status, $error) = $db->selectrow_array('SELECT status, error FROM job_run WHERE job_id = ? ORDER BY id DESC LIMIT 1',
			undef, $_->{id});
		is $status, 'failed', 'who is no member any more';
		like $error, qr/isn't a member|can no longer edit/, '... is told';
	}
	is $pg->knocked, $before, '... and nobody is asked';
	my $last = asks($member = connected(), 'SELECT 1 AS a');
	as($ann, DELETE => "$base/$member");
	$jobs->fails($last, 'a deleted connection', qr/has been deleted/);
	is $pg->knocked, $before, '... asks nobody';
};

subtest 'an API' => sub {
	my $con = as($ann, POST => $base, { provider => 'http', name => 'Orders', config => { base_url => $receiver->url('/v1'),
		auth => 'header', header_name => 'X-Key' }, credentials => { token => 'key-very-secret' } })->{json}{connection}{id};
	$receiver->answer('/v1/orders' => 200, '{"a": "key-very-secret"}', 'Content-Type: application/json');
	my $job = $jobs->made(http_get => { connection_id => $con, path => '/orders?all=1', save_to => undef });
	is_deeply $job->{config}, { connection_id => $con, path => '/orders?all=1', save_to => undef }, 'shows what it is';
	my $run = $jobs->succeeds($job, 'a path beneath it');
	is_deeply [map { $_->{headers}{'x-key'} } $receiver->calls('/v1/orders')], ['key-very-secret'], 'with the connection\'s header';
	unlike $run->{output}, qr/key-very-secret/, 'what it tells again is struck out';
	$receiver->answer('/v1/echo' => 200, '{"rows": [{"a": "X-Key: key-very-secret", "b": "kept"}]}', 'Content-Type: application/json');
	my $kept = sub {
		my ($target, $path) = @_;
		return $jobs->succeeds(
			$jobs->made(materialize => { source => { connection_id => $con, path => 'echo' }, target => $target }),
			"... of what is kept in $path")->{output} . ' ' . as($ann, GET => "/v1/data/$art/$path")->{body};
	};
	like $kept->(@$_), qr/secret was struck out of it .*"X-Key: \[secret\]".*"kept"/, "... $_->[1]"
		for [{ table => 'echo' }, 'tables/echo/rows'], ['json', 'json'];
	$jobs->succeeds($jobs->made(http_get => { connection_id => $con, path => 'echo', save_to => 'blob:echo.json' }),
		'... and in a file');
	unlike data(GET => '/blobs/' . data(GET => '/blobs')->{json}{data}{blobs}[0]{id})->{body}, qr/key-very-secret/,
		'... of which there is none';
	my $row = asks($main::con, "SELECT 'my $Vitrine::Postgres::PASSWORD!' AS a FROM generate_series(1, 9000)", table => 'told');
	is $jobs->succeeds($row, 'a database that sends its password back')->{output},
		'9,000 rows; the connection\'s secret was struck out of it', '... is told of';
	is $db->selectrow_array("SELECT COUNT(*) FROM data_row WHERE doc LIKE '%my [secret]!%'"), 9000, '... and none is kept';
	$receiver->answer('/v1/away' => 302, '', 'Location: ' . $receiver->url('/elsewhere'));
	$jobs->fails($jobs->made(http_get => { connection_id => $con, path => 'away' }), 'no redirects', qr/302.*isn't followed/);
	is scalar $receiver->calls('/elsewhere'), 0, '... to anywhere';
	like as($ann, GET => "$base/$con")->{json}{connection}{last_error}, qr/302/, 'which the connection says';
	$receiver->answer('/v1/rows.csv' => 200, "a,b\n1,x\n", 'Content-Type: text/csv');
	my $rows = $jobs->made(materialize => { source => { connection_id => $con, path => '/rows.csv' }, target => { table => 'api' } });
	$jobs->succeeds($rows, 'rows');
	is lines('api'), '(1,"x")', 'become a table';
	$receiver->answer('/v1/large' => 200, 'x' x (5 << 20) . 'x', 'Content-Type: text/csv');
	$jobs->fails($jobs->made(materialize => { source => { connection_id => $con, path => '/large' }, target => { table => 'large' } }),
		'more than 5 MiB', qr/larger than 5242880 bytes/);
};

unlike $jobs->{log} . Vitrine::Stack::slurp("$stack->{dir}/beside.log"), qr/battery|very-secret/, 'no secret is in the log';
finish($stack);
