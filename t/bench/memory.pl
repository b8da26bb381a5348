# SPDX-License-Identifier: Apache-2.0
# ./dev bench memory: what the whole service holds after an hour's work of a busy small team, done as fast as it goes: every page and every GET of the API, publishes, rows,
# documents, blobs, searches, agents' tools, comments, folders and jobs, by several people at once, beside a runner that stays. V=1 prints each process and connection.
use strict;
use warnings;
use Cpanel::JSON::XS;
use List::Util 'shuffle';
use POSIX ();
use Time::HiRes qw(sleep time);
use Vitrine::Api;
use Vitrine::Bench;
use Vitrine::Stack;
use Vitrine::World;

# REST_S: longer than workers wait before they return memory (REST_MS in src/http/door.c).
use constant { PEOPLE => 4, THINGS => 1500, REST_S => 12 };

my $s = Vitrine::Stack->new(Vitrine::World::unlimited(), workers => 4, agent_calls_per_minute => 1_000_000, exports_per_hour => 1_000_000);
stacks($s);
thrifty($s->db);
my $api = Vitrine::Api->new($s);
my $mine = Vitrine::World->new($s)->tenant($api, 'ann', 'ben@example.org');
my ($ann, $art, $ws) = @{$mine}{qw(who artifact_id workspace_id)};
my $cookie = Vitrine::Stack::secret('ses_');
$s->db->do("INSERT INTO session VALUES ('ses_bench', UNHEX(SHA2(?, 256)), ?, 'password', UNIX_TIMESTAMP(), UNIX_TIMESTAMP(), 4000000000, '', '')",
	undef, $cookie, $ann->{id});
my $table = $api->call(PUT => "/v1/data/$art/tables/mixed", { token => $ann->{token},
	json => { columns => [{ name => 'name', type => 'text' }, { name => 'n', type => 'integer' }] } });
die $table->{body} if $table->{status} >= 300;

# ---- what is done

# The addresses of all routes that only read, and end.
my (@pages, @gets);
for my $route (map { decode_json($_) } split /\n/, qx($s->{build}/vitrine-worker --routes)) {
	next if $route->{method} ne 'GET' || $route->{alias} || $route->{address} =~ m{^/mcp$|^/staff\b|/(?:stream|events|auth|signin|callback)\b};
	push @{$route->{page} ? \@pages : \@gets}, $route->{address} =~ s/\{(\w+)\}/$mine->{$1} \/\/ 'none'/ger;
}
srand 43;
@$_ = shuffle(@$_) for \@pages, \@gets;

my ($timed, $n) = (undef, 0);
sub page { return $timed->call(GET => $_[0], { headers => { Cookie => "vitrine_access=$cookie", 'Sec-Fetch-Site' => 'same-origin', 'Sec-Fetch-Dest' => 'document' } }) }
sub ask { my ($method, $path, %o) = @_; return $timed->call($method => $path, { token => $ann->{token}, %o }) }
sub tool {
	my ($name, %args) = @_;
	return ask(POST => '/mcp', headers => { Accept => 'application/json, text/event-stream', 'MCP-Protocol-Version' => '2025-11-25' },
		json => { jsonrpc => '2.0', id => 1, method => 'tools/call', params => { name => $name, arguments => \%args } });
}
sub one_of { return $_[rand @_] }
# Half of what people look at is an eighth of all that there is.
sub usual { return $_[@_ * rand() ** 3] }
my @words = qw(quarterly report revenue customer churn forecast plan budget team roadmap onboarding survey);
sub words { return join ' ', map { one_of(@words) } 1 .. $_[0] }

# How often, of a hundred.
my $rows = "/v1/data/$art/tables/mixed/rows";
my @things = map { my ($often, $do) = @$_; ($do) x $often } (
	[22, sub { ask(GET => one_of("/v1/artifacts/$art", '/v1/artifacts', '/v1/auth/me', "/v1/artifacts/$art/files", "/v1/workspaces/$ws")) }],
	[20, sub { page(usual(@pages)) }],
	[14, sub { ask(GET => usual(@gets)) }],
	[8, sub { $timed->get_site('ann-1', '/') }],
	[9, sub { ask(POST => $rows, json => { rows => [{ name => words(3), n => ++$n }] }) }],
	[4, sub { ask(GET => "$rows?limit=50") }],
	[2, sub { ask(GET => "$rows?n=eq." . int rand 50) }],
	[3, sub { ask(PUT => "/v1/data/$art/json", json => { text => words(200) }) }],
	[2, sub { ask(PUT => "/v1/data/$art/blobs?filename=b.txt", type => 'text/plain', body => words(3000)) }],
	[3, sub { ask(GET => '/v1/search?q=' . one_of(@words)) }],
	[2, sub { page('/search?q=' . one_of(@words)) }],
	[3, sub { $timed->publish($ann, slug => "page-$_[0]-" . int rand 20, visibility => one_of('public', 'private'), files => { 'index.html' => '<h1>' . words(300) }) }],
	[1, sub { $timed->publish($ann, slug => "site-$_[0]", workspace_id => $ws, files => { 'index.html' => 'x', map { ("p$_.html" => words(500)) } 1 .. 20 }) }],
	[2, sub { tool(search => query => one_of(@words)) }],
	[2, sub { tool(@{one_of(['list_artifacts'], [get_artifact => artifact_id => $art], [query_data => artifact_id => $art, table => 'mixed'])}) }],
	[2, sub { ask(POST => "/v1/artifacts/$art/comments", json => { text => words(8) }) }],
	[1, sub { ask(POST => "/v1/jobs/$mine->{job_id}/run"); ask(POST => "/v1/workspaces/$ws/folders", json => { name => words(2) . " $_[0] " . ++$n }) }]);

# Everything is read once, a part by each, and then each does as people do. What a page or a GET lacks, such as a query, is refused.
sub work {
	my ($who) = @_;
	srand $who;
	$timed = Vitrine::Api->new($s, unchecked => 1);
	my %met;
	my $did = sub { my ($r) = @_; $met{ref $r ? int $r->{status} / 100 : 2}++ };
	for my $i (0 .. $#pages) { $did->(page($pages[$i])) if $i % PEOPLE == $who }
	for my $i (0 .. $#gets) { $did->(ask(GET => $gets[$i])) if $i % PEOPLE == $who }
	$did->(one_of(@things)->($who)) for 1 .. THINGS;
	warn "refused: $met{4}, failed: ", $met{5} // 0, "\n" if $met{4} > 0.2 * THINGS || ($met{5} // 0) > 5;
	POSIX::_exit(0);
}

# ---- what it holds

sub status { my ($name) = @_; return ($s->db->selectrow_array("SHOW GLOBAL STATUS LIKE '$name'"))[1] }
# What MariaDB's memory is in, and what its connections and caches have.
sub of_mariadb {
	my (%mib, $part);
	for (split /\n/, Vitrine::Stack::slurp("/proc/$s->{pids}{db}/smaps")) {
		$part = /^\S+-\S+ \S+ \S+ \S+ [1-9]/ ? 'its program' : / \[heap\]/ ? 'heap' : 'other' if /^[0-9a-f]+-/;
		$mib{$part} += $1 / 1024 if /^Pss: +(\d+)/;
	}
	figure(name => "MariaDB's part of it", mib => { %mib, all => 1 }, note => sprintf '%d connections hold %.1f MiB and %d prepared statements; %d tables are open; the buffer pool has %.1f MiB',
		status('Threads_connected'), $s->db->selectrow_array('SELECT SUM(memory_used) / 1048576 FROM information_schema.processlist'),
		status('Prepared_stmt_count'), status('Open_tables'), status('Innodb_buffer_pool_bytes_data') / 1048576);
}
sub of_processes {
	each_process(sub {
		my ($part, $pid) = @_;
		my ($kib) = Vitrine::Stack::slurp("/proc/$pid/smaps_rollup") =~ /^Pss:\s+(\d+)/m or return;
		printf "%-10s %-16s %6d KiB\n", $part, Vitrine::Stack::slurp("/proc/$pid/comm") =~ s/\n//r, $kib;
	});
	printf "connection %d: %d KiB, at most %d\n", @$_ for @{$s->db->selectall_arrayref('SELECT id, memory_used >> 10, max_memory_used >> 10 FROM information_schema.processlist')};
}
sub held { my ($name) = @_; my %mib = memory(); figure(name => $name, ours => $mib{all}, unit => 'MiB', mib => \%mib) }

$s->start_runner;
sleep 8;
held('memory before any work');
my ($from, $prepared, $executed) = (watch(), map { status($_) } qw(Com_stmt_prepare Com_stmt_execute));
my @people;
for my $who (0 .. PEOPLE - 1) { my $pid = fork // die; work($who) if !$pid; push @people, $pid }
waitpid $_, 0 for @people;
my $used = used($from, PEOPLE * THINGS + @pages + @gets);
my $again = (status('Com_stmt_prepare') - $prepared) / (status('Com_stmt_execute') - $executed);
sleep REST_S;
held("memory after an hour's mixed work");
of_mariadb();
figure(name => 'a request of that work', per => 'request', %$used, note => sprintf '%.0f %% of the statements were prepared', 100 * $again);
of_processes() if $ENV{V};
