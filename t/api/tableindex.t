# SPDX-License-Identifier: Apache-2.0
# Entries of columns are made late. Lists, rules, and measures are alike before an index is there, while it is made, and after; those of
# an old table, which has all entries, are, too. Rows change meanwhile, lanes die, and fsck finds nothing.
use Vitrine::Visitor;
use Vitrine::Words 'as';

my ($stack, $api, $db) = stack(data_per_minute => 100_000);
my ($ann, $ben) = map { $stack->user("$_\@example.org") } qw(ann ben);
$stack->ctl_in("the password\n", qw(user password ann@example.org));
my $visitor = Vitrine::Visitor->new($api);
$visitor->sign_in('ann@example.org', 'the password');
my $rule = { read => 'viewer.email == "ann@example.org" or row.owner == "p3"' };
my $art = $api->publish($ann, slug => 'data', visibility => 'unlisted', access_policy =>
	 { tables => { late => $rule, old => $rule } });
my $base = "/v1/data/$art/tables";
my @columns = map { my ($name, $type) = split /:/; { name => $name, type => $type } }
	qw(name:text owner:text n:integer score:number done:boolean long:text);
my $count = 0;
sub row {
	my ($n) = @_;
	return { name => sprintf('name %05d', $n * 7919 % 10007), owner => 'p' . $n % 7, n => $n,
		score => $n % 5 ? $n * 31 % 1009 / 8 : undef, done => $n % 3 ? $true : $false, long => 'x' x 130 . $n * 31 % 101 };
}
sub both {
	my ($method, $path, $body) = @_;
	for my $table (qw(old late)) {
		my $r = as($ann, $method => "$base/$table" . (ref $path ? $path->($table) : $path), $body);
		like $r->{status}, qr/^20/, "$method $table" or diag $r->{body};
	}
}
sub add { my ($n) = @_; both(POST => '/rows', { rows => [map { row(++$count) } 1 .. $n] }) }
sub id_of { my ($table, $n) = @_; return as($ann, GET => "$base/$table/rows?limit=1&n=eq.$n")->{json}{rows}[0]{id} }
sub part {
	my ($table, $query, $who, $next) = @_;
	$query = "limit=60&$query" if $query !~ /limit=/;
	my $r = as($who // $ann, GET => "$base/$table/rows?$query" . (defined $next ? "&cursor=$next" : ''));
	is $r->{status}, 200, "$table: $query" or diag $r->{body};
	return $r->{json};
}
# The rows of a list from a cursor on, at most so many, without ids.
sub listed {
	my ($table, $query, $who, $next) = @_;
	my @all;
	do {
		my $part = part($table, $query, $who, $next);
		push @all, @{$part->{rows}};
		$next = $part->{next_cursor};
	} while defined $next && @all < 150;
	delete $_->{id} for @all;
	return \@all;
}
no warnings 'qw'; # commas
my @queries = ('order=name', 'order=-score', 'order=long', 'order=-long&n=gt.100', qw(score=gt.60&order=name
	owner=eq.p3&order=-n owner=eq.p3 score=is.null n=gte.100&n=lt.140 n=in.3,5,4000,700&order=owner
	name=prefix.name%2000&score=gt.20&order=-score
	done=is.true&order=-name owner=neq.p1&done=is.false&score=lt.9 score=is.notnull&order=-done), '');
sub alike {
	my ($when) = @_;
	is_deeply listed(late => $_), listed(old => $_), "$when: $_" for @queries;
	is_deeply listed(late => $_, $ben), listed(old => $_, $ben), "$when, by the rule: $_" for @queries[0, 1, 4, 6, 14];
	is_deeply [map { measured(late => $_) } 0 .. 4], [map { measured(old => $_) } 0 .. 4], "$when: measures";
}
# What is measured when it is watched.
sub measured {
	my ($table, $which) = @_;
	my $kind = (qw(sum avg min max distinct))[$which];
	my $r = as($ann, POST => '/v1/metric-watch', { artifact_id => $art, table => $table, kind => $kind, column => 'score' });
	$db->do('DELETE FROM metric_watch');
	return sprintf '%.9g', $r->{json}{watch}{baseline};
}
sub of {
	my ($what, $table) = @_;
	my $sql = "SELECT $what FROM data_table WHERE artifact_id = ? AND name = ?";
	return scalar $db->selectrow_array($sql, undef, $art, $table // 'late');
}
sub entries { return scalar $db->selectrow_array('SELECT COUNT(*) FROM data_cell WHERE table_no = ?', undef, of(no => @_)) }
sub queued { return scalar $db->selectrow_array("SELECT COUNT(*) FROM outbox WHERE kind = 'index'") }
sub lane { $stack->start_runner('runner', '--stay', '--lanes', 'tables') }
sub made { Vitrine::Stack::wait_for('the indexes', 60, sub { !queued() }) }
sub clean { is +($stack->program('vitrinectl', {}, 'fsck'))[1], "clean\n", "fsck is clean $_[0]" }
sub no_lane {
	my ($signal) = @_;
	my %lanes = $stack->lanes;
	kill $signal => values(%lanes), $stack->{pids}{runner};
	waitpid delete $stack->{pids}{runner}, 0;
}

# ---- a table that an older release has made has entries of all columns

both(PUT => '', { columns => \@columns });
is of('indexed'), 0, 'a new table has no index';
$db->do("UPDATE data_table SET indexed = -1 WHERE name = 'old'");
add(1000) for 1 .. 2;
alike('in a small table');
is queued(), 0, '... which needs no index';
add(600);
is entries('old'), 6 * $count, 'an old one has an entry for each value';
is entries(), 0, 'a new one has none';

# ---- each way to a list

my $names = join ',', map { $_->{name} } @{part(old => 'order=-name')->{rows}};
my %way = ("a page's host" => sub { join ',', $api->get_site('data', "$base/late/rows?limit=60&order=-name")->{body} =~ /"(name \d+)"/g },
	"an agent's tool" => sub {
		my $ask = { name => 'query_data', arguments => { artifact => $art, table => 'late', order => '-name', limit => 60 } };
		my $r = as($ann, POST => '/mcp', { jsonrpc => '2.0', id => 1, method => 'tools/call', params => $ask });
		return join ',', map { /"name":"(name \d+)"/g } $r->{json}{result}{content}[0]{text} =~ s/\\"/"/gr },
	'an export' => sub {
		my @lines = split /\r\n/, as($ann, GET => "$base/late/export?order=-name")->{body};
		return join ',', map { (split /,/)[1] } @lines[1 .. 60] },
	'the grid' => sub { join ',', ($visitor->go("/a/$art/data/tables/late?order=-name")->{body} =~ /name \d{5}/g)[0 .. 49] });
my $open = { tables => { late => { read => 'viewer.id == null or viewer.email == "ann@example.org"' } } };
$db->do('UPDATE artifact SET access_policy = ? WHERE id = ?', undef, encode_json($open), $art);
for my $way (sort keys %way) {
	my $got = $way{$way}->();
	is substr($got, 0, 400), substr($names, 0, 400), "$way reads all rows, too";
	cmp_ok length $got, '>=', 400, '... many of them';
}
is queued(), 1, '... and wants the index once';
$db->do("UPDATE artifact SET access_policy = ? WHERE id = ?", undef, encode_json({ tables => { late => $rule, old => $rule } }), $art);

# ---- before, while, after

my @begun = map { part(late => $_) } @queries;
cmp_ok queued(), '>', 0, 'lists of a large table ask for indexes';
alike('before');
is queued(), 6, '... each once';
is entries(), 0, '... which nobody has made yet';
my $other = $stack->db->clone;
$other->do('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
$other->begin_work;
$other->do("SELECT id FROM data_row WHERE table_no = ? ORDER BY id LIMIT 1 FOR UPDATE", undef, of('no'));
lane();
Vitrine::Stack::wait_for('an index that is being made', 60, sub { of('indexing') });
add(1);
add(20);
for ([700 => { score => 125.5 }], [700 => { score => undef, owner => 'p3' }], [2001 => { name => 'name 00001', n => 5, done => $false }]) {
	my ($n, $change) = @$_;
	both(PATCH => sub { '/rows/' . id_of($_[0], $n) }, $change);
}
both(DELETE => sub { '/rows/' . id_of($_[0], 300) });
both(DELETE => '/rows?n=in.40,41,42,43');
cmp_ok of('indexing'), '!=', 0, 'an index is still being made';
cmp_ok entries(), '>', 0, '... and writers write its entries';
alike('while they are made');
$other->rollback;
made();
no_lane('TERM');
is of('indexed'), 63, 'all are there';
is of('indexing'), 0, '... and none is being made';
is entries(), 6 * of('row_count'), '... with an entry for each row';
clean('after rows changed meanwhile');
alike('after');
for (0 .. $#queries) {
	my %first = map { $_->{id} => 1 } @{$begun[$_]{rows}};
	next if !defined $begun[$_]{next_cursor};
	my @rest = @{part(late => "$queries[$_]&limit=1000", undef, $begun[$_]{next_cursor})->{rows}};
	is scalar(grep { $first{$_->{id}} } @rest), 0,
		"no row comes twice when the index is made between two parts: $queries[$_]";
}
add(1000) for 1 .. 2;
alike('in a table that grew');

# ---- a list between whose parts the index is made

both(PUT => '', { columns => [@columns, { name => 'more', type => 'integer' }] });
is of('indexed', 'old') & 1 << 6, 0, "a new column has no index, in an old table either";
both(POST => '/rows', { rows => [map { { more => $_ % 9 } } 1 .. 30] });
push @queries, 'order=-more', 'more=eq.4&order=n', 'more=is.null&order=name';
alike('with a new column');
my $first = part(late => 'order=-more');
$stack->runner;
is queued(), 0, 'the runner makes its index';
delete $_->{id} for @{$first->{rows}};
my @both = map { [@$_[0 .. 149]] } [@{$first->{rows}}, @{listed(late => 'order=-more', undef, $first->{next_cursor})}],
	listed(late => 'order=-more');
is_deeply $both[0], $both[1], 'a list goes on where it was';
clean('with a new column');
alike('with its index');
both(PUT => '', { columns => [grep { $_->{name} ne 'score' } @columns, { name => 'more', type => 'integer' }], drop => ['score'] });
is of('indexed') & 8, 0, 'a dropped column has no index';
$stack->runner;
is of('dropped'), 0, '... and is swept';
clean('without that column');

# ---- in pieces, when a lane is killed

as($ann, PUT => "$base/big", { columns => [{ name => 'n', type => 'integer' }, { name => 't', type => 'text' }] });
for my $at (0 .. 20) {
	my @rows = map { { n => $_ * 7 % 1009, t => "t$_" } } map { 1000 * $at + $_ } 1 .. 1000;
	my $r = as($ann, POST => "$base/big/rows", { rows => \@rows });
	is $r->{status}, 201, 'rows of a table of 21,000' or diag $r->{body};
}
my $before = listed(big => 'order=n');
is queued(), 1, 'its index is wanted';
my $no = of(no => 'big');
$other->begin_work;
my ($held) = $db->selectrow_array('SELECT HEX(id) FROM data_row WHERE table_no = ? ORDER BY id LIMIT 1 OFFSET 20500', undef, $no);
$other->do('SELECT id FROM data_row WHERE table_no = ? AND id = UNHEX(?) FOR UPDATE', undef, $no, $held);
lane();
Vitrine::Stack::wait_for('a piece', 60, sub { entries('big') >= 20000 });
no_lane('KILL');
is entries('big'), 20000, 'a piece has 20,000 rows, and what a killed lane did not commit is gone';
$other->rollback;
is_deeply listed(big => 'order=n'), $before, 'the list is as before';
as($ann, PATCH => "$base/big/rows/" . id_of(big => $_), { n => 2000 + $_ }) for 5, 6;
as($ann, DELETE => "$base/big/rows?n=in.$_") for '1,2', '700,1008';
as($ann, POST => "$base/big/rows", { rows => [{ n => -1 }, { n => 7, t => 'late' }] });
$before = listed(big => 'order=n');
cmp_ok $db->selectrow_array("SELECT due_at FROM outbox WHERE kind = 'index'"), '>', time, 'the index is nobody else\'s for a while';
$db->do("UPDATE outbox SET due_at = 0 WHERE kind = 'index'");
$stack->runner;
is of(indexed => 'big'), 1, 'the next lane goes on';
is entries('big'), of(row_count => 'big'), '... to the end';
clean('after a lane was killed');
is_deeply listed(big => 'order=n'), $before, 'and the list is as before';

# ---- fifty lists at once, and writers

pipe my $from, my $to or die;
my @kids = map {
	my $kid = $_;
	my $pid = fork // die;
	if (!$pid) {
		my $mine = Vitrine::Api->new($stack);
		my %got;
		for my $n (1 .. 5) {
			my $r = $mine->call(GET => "$base/big/rows?limit=20&order=t", { token => $ann->{token} });
			$got{"$r->{status} " . join ',', map { $_->{t} // '' } @{$r->{json}{rows}}}++;
		}
		syswrite $to, join('', map { "$_\n" } keys %got);
		require POSIX;
		POSIX::_exit(0);
	}
	$pid;
} 1 .. 10;
close $to;
my %said;
$said{$_}++ while <$from>;
waitpid $_, 0 for @kids;
is_deeply [map { s/ .*//sr } keys %said], [200], 'fifty first lists at once are answered alike' or diag explain \%said;
is queued(), 1, '... and want one index';
lane();
@kids = map {
	my $kid = $_;
	my $pid = fork // die;
	if (!$pid) {
		my $mine = Vitrine::Api->new($stack);
		for my $n (1 .. 30) {
			my $rows = [{ t => "w$kid", n => $n }, { t => "w$n" }];
			my $r = $mine->call(POST => "$base/big/rows", { token => $ann->{token}, json => { rows => $rows } });
			my ($one, $two) = @{$r->{json}{ids} // []};
			next if !$two;
			$mine->call(PATCH => "$base/big/rows/$one", { token => $ann->{token}, json => { t => "changed $n" } });
			$mine->call(DELETE => "$base/big/rows/$two", { token => $ann->{token} });
		}
		require POSIX;
		POSIX::_exit(0);
	}
	$pid;
} 1 .. 4;
waitpid $_, 0 for @kids;
made();
no_lane('TERM');
is of(indexed => 'big'), 3, 'it is made while four write';
is entries('big'), 2 * of(row_count => 'big'), '... with all entries';
clean('after that race');

# ---- what becomes small again

as($ann, PUT => "$base/small", { columns => [{ name => 'n', type => 'integer' }] });
$db->do("UPDATE data_table SET indexed = -1 WHERE name = 'small'");
as($ann, POST => "$base/small/rows", { rows => [map { { n => $_ } } 1 .. 5] });
is entries('small'), 5, 'an old small table has entries';
$db->do("DELETE FROM sweep WHERE name = 'entries'");
$stack->runner;
is of(indexed => 'small'), 0, '... which are given up';
is of(indexed => 'big'), 3, '... those of a large one are not';
$db->do("UPDATE data_table SET sweep_at = 1 WHERE name = 'small'");
$stack->runner;
is entries('small'), 0, '... and deleted';
is of(sweep_at => 'small'), undef, '... to the end';
is_deeply [map { $_->{n} } @{listed(small => 'order=-n')}], [5, 4, 3, 2, 1], 'and lists go on';
my $change_no = of(change_no => 'small');
as($ann, POST => "$base/small/rows", { rows => [{ n => 6 }] });
is of(change_no => 'small'), $change_no + 1, 'each change counts';

# ---- on the day of an upgrade, programs of the former release may list by all columns

$db->do('UPDATE schema_migration SET changed_at = changed_at - 7200 WHERE version = 1');
as($ann, PUT => "$base/upgraded", { columns => \@columns, rows => [map { row($_) } 1 .. 10] });
is of(indexed => 'upgraded'), -1, 'then a new table has all entries';
as($ann, PUT => "$base/upgraded", { columns => [@columns, { name => 'more', type => 'integer' }] });
is entries('upgraded'), 70, '... a new column, too';
$db->do("DELETE FROM sweep WHERE name = 'entries'");
$stack->runner;
is of(indexed => 'upgraded'), -1, '... and nothing is given up';
clean('that day');
$db->do('UPDATE schema_migration SET changed_at = changed_at - 86401 WHERE version = 63');
as($ann, PUT => "$base/later", { columns => \@columns });
is of(indexed => 'later'), 0, 'a day later it has none';
$db->do("DELETE FROM sweep WHERE name = 'entries'");
$stack->runner;
is of(indexed => 'upgraded'), 0, '... and others give theirs up';

listed(big => 'order=t&n=gt.3');
as($ann, DELETE => "$base/big");
$stack->runner;
clean('at the end');
finish($stack);
