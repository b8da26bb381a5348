# SPDX-License-Identifier: Apache-2.0
# access_policy and the rows of tables: stories first, then many random policies, rows and viewers against a plain model of the language. A
# list is a condition of a statement, a write is judged in C: the model holds both.
use Math::BigFloat;
use Vitrine::Words 'as';

my ($stack, $api) = stack(data_per_minute => 1000000);
my ($ann, $ben, $vic, $eve) = map { $stack->user("$_\@Example.org") } qw(ann ben vic eve);
my $art = $api->publish($ann, slug => 'data', visibility => 'unlisted');
my $base = "/v1/data/$art/tables";
my $json = Cpanel::JSON::XS->new->canonical->allow_nonref;

sub cols { return [map { my ($n, $t) = split /:/; { name => $n, type => $t // 'text' } } @_] }
sub table {
	my ($name, @cols) = @_;
	my $r = as($ann, PUT => "$base/$name", json => { columns => cols(@cols) });
	die $r->{body} if $r->{status} > 201;
}
sub rows {
	my ($who, $table, $query) = @_;
	my $r = as($who, GET => "$base/$table/rows" . ($query // ''));
	return $r->{status} == 200 ? $r->{json}{rows} : $r->{status};
}
sub policy {
	my ($p) = @_;
	$stack->db->do('UPDATE artifact SET access_policy = ? WHERE id = ?', undef, defined $p ? $json->encode($p) : undef, $art);
}
sub code { my ($r) = @_; return "$r->{status} " . ($r->{json}{code} // 'ok') }
as($ann, POST => "/v1/artifacts/$art/collaborators", json => { emails => [$_->[0]{email}], role => $_->[1] })
	for [$ben, 'editor'], [$vic, 'viewer'];

# ---- what is published is checked

sub publish {
	return as($ann, POST => '/v1/publish', json => { artifact_id => $art, name => 'Site',
		files => [{ path => 'index.html', content => 'x' }], access_policy => $_[0] });
}
for ([{ tables => { t => { read => 'row.a ==' } } }, qr/^access_policy\.tables\.t\.read: expected row\.<column>.* at character 8/],
	[{ json => { read => 'row.a == 1' } }, qr/^access_policy\.json\.read: row isn't available here/],
	[{ blobs => { write => 'viewer.id =' } }, qr/^access_policy\.blobs\.write: expected == instead of = at character 10$/],
	[{ blobs => { write => 'viewer.id' } }, qr/^access_policy\.blobs\.write: a value that is neither true nor false.* at character 0/],
	[{ blobs => 'x' }, qr/^access_policy\.blobs: must be an object/],
	[{ tables => { t => { remove => 'true' } } }, qr/t\.remove: must be one of read, write, add/],
	[{ table => {} }, qr/^access_policy\.table: must be tables, json, blobs, or default/], [{ default => 'all' }, qr/^access_policy\.default/],
	[{ tables => { t => { write => join ' or ', ('row.a') x 51 } } }, qr/more than 50 values/]) {
	my $r = publish($_->[0]);
	is code($r), '400 INVALID_REQUEST', 'refused: ' . substr $json->encode($_->[0]), 0, 60;
	like $r->{json}{error}, $_->[1], '... with its place';
}
{
	my $r = publish({ tables => { map { ("t$_" => { read => 'true' }) } 1 .. 201 } });
	is code($r), '400 INVALID_REQUEST', 'one that names more than 200 tables';
	like $r->{json}{error}, qr/^access_policy\.tables: names 201 tables; the maximum is 200/, '... is refused with its length';
}
is publish({ tables => { notes => { read => 'row.owner == viewer.email', write => 'row.owner == viewer.email' } },
	json => { read => 'viewer.id != null' }, blobs => { write => 'viewer.role == "editor"' }, default => 'viewer' })->{status}, 201,
	'one with every section';

# ---- each sees and writes their own

table('notes', 'owner', 'text');
table('other', 'a');
for my $who ($ben, $vic, $eve) {
	is code(as($who, POST => "$base/notes/rows", json => { rows => [{ owner => lc $who->{email}, text => "of $who->{email}" }] })),
		'201 ok', "$who->{email} adds their own";
	my $r = as($who, POST => "$base/notes/rows", json => { rows => [{ owner => lc $who->{email} }, { owner => 'ann@example.org' }] });
	is code($r), '403 ACCESS_DENIED', '... and nobody else\'s';
	like $r->{json}{error}, qr/^rows\[1\]: access_policy\.tables\.notes\.write/, '... which says which rule';
	is_deeply [map { $_->{text} } @{rows($who, 'notes')}], ["of $who->{email}"], '... and sees their own alone';
}
is scalar @{rows($ann, 'notes')}, 3, 'the owner sees all';
is code(as(undef, GET => "$base/notes/rows")), '404 NOT_FOUND', 'nobody has any';
my %id = map { $_->{owner} => $_->{id} } @{rows($ann, 'notes')};
my $bens = "$base/notes/rows/$id{'ben@example.org'}";
is code(as($eve, GET => $bens)), '404 NOT_FOUND', 'a row of another is not there';
is code(as($eve, $_ => $bens, $_ eq 'PATCH' ? (json => { text => 'x' }) : ())), '404 NOT_FOUND', "... for $_" for qw(PATCH DELETE);
is code(as($ben, PATCH => $bens, json => { owner => 'eve@example.org' })), '403 ACCESS_DENIED', 'a row is judged as it becomes';
is code(as($ben, PATCH => $bens, json => { text => 'new' })), '200 ok', '... and may change otherwise';
is_deeply [@{as($eve, DELETE => "$base/notes/rows?all=1")->{json}}{qw(deleted more)}], [1, $false],
	'all means all of one\'s own';
is scalar @{rows($ann, 'notes')}, 2, '... the rest is there';
is as($eve, GET => "$base/notes")->{json}{table}{row_count}, undef, 'how many there are is not told';
is as($ann, GET => "$base/notes")->{json}{table}{row_count}, 2, '... but to the owner';
is code(as($eve, GET => "$base/other/rows")), '404 NOT_FOUND', 'default: a role is needed for what no rule names';
is_deeply [map { $_->{name} } @{as($eve, GET => $base)->{json}{tables}}], ['notes'], '... and the list does not name it';
is code(as($vic, POST => "$base/other/rows", json => { rows => [{ a => 'x' }] })), '201 ok', '... a viewer may, then';

policy({ tables => { notes => { read => 'true', write => 'row.owner == viewer.email' } } });
is code(as($eve, $_ => $bens, $_ eq 'PATCH' ? (json => { owner => 'eve@example.org' }) : ())), '403 ACCESS_DENIED',
	"a row is judged as it was: $_" for qw(PATCH DELETE);
is code(as($eve, DELETE => "$base/notes/rows?all=1")), '403 ACCESS_DENIED', 'nor are many deleted, if one may not be';
is scalar @{rows(undef, 'notes')}, 2, 'nobody reads';
{
	# Another is about to delete one of two rows; who finds both waits for that, and then there is one.
	policy({ tables => { notes => { read => 'true', write => "row.owner == 'x'" } } });
	as($ann, POST => "$base/notes/rows", json => { rows => [{ owner => 'x', text => 'first' }, { owner => 'x', text => 'second' }] });
	my $other = do { local $stack->{dbh}; $stack->db };
	$other->begin_work;
	$other->do(q(DELETE r FROM data_row r JOIN data_table t ON t.no = r.table_no WHERE t.name = 'notes' AND r.doc LIKE '%first%'));
	my $c = $api->connection('vitrine.localhost');
	syswrite $c, "DELETE $base/notes/rows?owner=eq.x HTTP/1.1\r\nHost: vitrine.localhost\r\nConnection: close\r\n"
		. "Authorization: Bearer $eve->{token}\r\n\r\n";
	Vitrine::Stack::wait_for('it to wait for the row', 60, sub {
		$stack->db->selectrow_array("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE 'SELECT r.id%FOR UPDATE'");
	});
	$other->commit;
	like join('', <$c>), qr/^HTTP\S+ 200 .*"deleted":1,/s, 'a row that another has deleted meanwhile is no row that may not be deleted';
	is scalar(grep { $_->{owner} eq 'x' } @{rows($ann, 'notes')}), 0, '... and the others are deleted';
}
policy({ tables => { notes => { read => 'false', write => 'viewer.id != null' } } });
is code(as($eve, GET => "$base/notes/rows")), '404 NOT_FOUND', 'a table of which nothing may be read';
is code(as($eve, POST => "$base/notes/rows", json => { rows => [{ owner => 'x' }] })), '201 ok', '... may be written';
policy(undef);
is scalar @{rows(undef, 'notes')}, 3, 'without a policy whoever sees the page reads';
is code(as($_->[0], POST => "$base/notes/rows", json => { rows => [{ owner => 'x' }] })), $_->[1], '... and editors write'
	for [$ben, '201 ok'], [$vic, '403 ACCESS_DENIED'], [$eve, '403 ACCESS_DENIED'];
for ([owner => 0, 0, 0], [editor => 1, 0, 0], [viewer => 1, 1, 0], [everyone => 1, 1, 1]) {
	my ($default, @may) = @$_;
	policy({ default => $default });
	is_deeply [map { ref rows($_, 'notes') ? 1 : 0 } $ben, $vic, $eve], \@may, "default $default: who reads";
	is_deeply [map { as($_, POST => "$base/notes/rows", json => { rows => [{ owner => 'x' }] })->{status} == 201 ? 1 : 0 } $ben, $vic,
		$eve], \@may, '... and writes';
}
for ('{"tables":{"notes":{"read":"viewer.id"}}}', '{"tables":{"notes":{"read":"true","erase":"true"}}}', '{"tables":{"notes":"true"}}',
	'{"tables":[],"default":"everyone"}', '{"rows":{},"default":"everyone"}', '{"default":5}', '[]', '{') {
	$stack->db->do('UPDATE artifact SET access_policy = ? WHERE id = ?', undef, $_, $art);
	is_deeply [map { ref rows($_, 'notes') ? 1 : rows($_, 'notes') } $ann, $ben, $eve], [1, 404, 404],
		"a stored policy that is none leaves all to the owner: $_";
}

# ---- a rule that names a column which the table doesn't have opens nothing

{
	my $open = { read => "not (row.ownr == 'x')", write => "viewer.role == 'editor' or row.text != row.ownr" };
	my $r = publish({ tables => { notes => $open } });
	is code($r), '400 INVALID_REQUEST', 'a rule with a typing mistake is refused';
	is $r->{json}{error}, 'access_policy.tables.notes.read: the table has no column ownr; did you mean owner?',
		'... with the column that was meant';
	$r = publish({ tables => { notes => { read => 'viewer.rolle == "editor"' } } });
	like $r->{json}{error}, qr/^access_policy\.tables\.notes\.read: expected id, .* \(did you mean role\?\) at character 7$/,
		'... and one of the viewer';
	$r = publish({ tables => { note => { read => 'false' }, later => { read => "not (row.a == 'x')" },
		even_later => { read => 'true' } }, default => 'everyone' });
	is_deeply [$r->{status}, $r->{json}{warnings}], [201, ['access_policy.tables.note: there is no such table; did you mean notes?',
		'access_policy.tables: there is no table even_later and later yet; its rules apply once there is.']],
		'a table that is not there is warned of';
	table('later', 'b');
	as($ann, POST => "$base/later/rows", json => { rows => [{ b => 1 }] });
	is_deeply [map { ref rows($_, 'later') ? 1 : rows($_, 'later') } $ann, $ben, $vic, $eve, undef], [1, (404) x 4],
		'one that comes without the column is closed';
	$r = as($ann, PUT => "$base/later", json => { columns => cols('a', 'b') });
	is_deeply [$r->{json}{warnings}, map { ref rows($_, 'later') ? 1 : rows($_, 'later') } $ben, $eve, undef], [undef, 1, 1, 1],
		'... until it has it';
	$r = as($ann, PUT => "$base/later", json => { columns => cols('b'), drop => ['a'] });
	my $told = 'access_policy.tables.later.read: the table has no column a. Until that changes, the rule allows only the owner.';
	is_deeply [$r->{json}{warnings}, map { ref rows($_, 'later') ? 1 : rows($_, 'later') } $ann, $ben, $eve, undef],
		[[$told], 1, 404, 404, 404], '... and when it has lost it, which is told';
	$r = publish({ tables => { note => { read => 'false' }, later => { read => "not (row.a == 'x')" },
		even_later => { read => 'true' } }, default => 'everyone' });
	is_deeply [$r->{status}, scalar grep { $_ eq $told } @{$r->{json}{warnings}}], [201, 1],
		'a publish that changes no rule is not refused for it';
	policy({ tables => { notes => $open } });
	is_deeply [map { ref rows($_, 'notes') ? 1 : rows($_, 'notes') } $ann, $ben, $eve, undef], [1, 404, 404, 404],
		'a stored rule, however it came';
	$r = as($ann, PATCH => "/v1/artifacts/$art", json => { access_policy => { default => 'everyone' } });
	is_deeply [$r->{status}, $r->{json}{warnings}, rows($eve, 'notes')],
		[200, ["access_policy: isn't recognized and was ignored"], 404], 'a PATCH of the artifact sets none';
	policy({ tables => { notes => { write => $open->{write} } } });
	like as($ben, POST => "$base/notes/rows", json => { rows => [{ owner => 'x' }] })->{json}{error},
		qr/^access_policy\.tables\.notes\.write names the column ownr, which the table doesn't have/,
		'who may not write is told why';
	as($ann, DELETE => "$base/later");
}

# ---- a list in parts names nothing that is hidden

policy({ tables => { notes => { read => 'false' } } });
table('zz', 'a');
is_deeply [map { $_->{name} } map { @{$_->{json}{tables}} } as($eve, GET => "$base?limit=200")], [qw(other zz)], 'the tables that are seen';
my @parts = (as($eve, GET => "$base?limit=1")->{json}, as($eve, GET => "$base?limit=1&cursor=other")->{json},
	as($eve, GET => "$base?limit=2")->{json});
is_deeply [map { [map({ $_->{name} } @{$_->{tables}}), $_->{next_cursor}] } @parts],
	[['other', 'other'], ['zz', undef], ['other', 'zz', undef]], '... are as many as a part is long, and lead to the next';
as($ann, DELETE => "$base/zz");

# ---- a large policy, of an older release, is read once for all tables

{
	sub memory {
		my ($most) = sort { $b <=> $a }
			map { Vitrine::Stack::slurp("/proc/$_/status") =~ /VmHWM:\s+(\d+)/ } $stack->workers('quick');
		return $most;
	}
	my $many = $api->publish($ann, slug => 'many', visibility => 'public');
	$stack->db->do('INSERT INTO data_table (artifact_id, name, fields, created_at, updated_at) '
		. 'SELECT ?, CONCAT("t", seq), \'[["a","text",0,1]]\', 1, 1 FROM seq_1_to_100', undef, $many);
	$stack->db->do('UPDATE artifact SET access_policy = ? WHERE id = ?',
		undef, $json->encode({ tables => { map { ("t$_" => {}) } 1 .. 5900 } }), $many);
	as(undef, GET => "/v1/data/$many/tables?limit=1") for 1 .. 20;
	my $before = memory();
	is scalar @{as(undef, GET => "/v1/data/$many/tables?limit=100")->{json}{tables}}, 100, 'a hundred tables under it';
	cmp_ok memory() - $before, '<', 100_000, '... take hardly more memory than one, in kB';
}

# ---- at the page's own host, as whoever looks at it

policy({ tables => { notes => { read => 'viewer.id == null' } } });
is $api->site(GET => 'data', "$base/notes/rows", Authorization => "Bearer $ann->{token}")->{status}, 200,
	'the page reads as nobody, whatever token it has';
policy({ tables => { notes => { read => 'viewer.id != null' } } });
is $api->site(GET => 'data', "$base/notes/rows", Authorization => "Bearer $ann->{token}")->{status}, 404, '... and only what nobody may';
is $api->site(GET => 'data', '/v1/data/' . $api->publish($ann, slug => 'two', visibility => 'public') . '/tables')->{status}, 404,
	'of no other artifact';

# ---- the model

my @types = (a => 'text', b => 'text', n => 'number', i => 'integer', y => 'boolean', t => 'timestamp', j => 'json');
my %type = @types;
my @columns = grep { exists $type{$_} } @types;
my %time = ('2026-01-02T03:04:05Z' => 5, '2026-01-02T04:04:05+01:00' => 5, '2026-01-02T03:04:05.5Z' => 5.5, '1969-12-31T23:59:59Z' => -1e9,
	'2030-01-01T00:00:00.000000001Z' => 1e9);
my @texts = ('', 'a', 'b', 'ab', 'A', "\x{e9}", 'owner', 'viewer', 'ann@example.org', 'eve@example.org', 'example.org', 'usr_x', 'x' x 200,
	'x' x 128, keys %time);
my @numbers = ('0', '-0', '1', '1.0', '10e-1', '-2.5', '0.1', '0.10000000000000001', '9007199254740992', '9007199254740993', '-1e300',
	'1e-300', '100');
my @integers = grep { Math::BigFloat->new($_)->is_int && abs(Math::BigFloat->new($_)) < 1e18 } @numbers;
my %big = map { $_ => Math::BigFloat->new($_) } @numbers;
my $seed = $ENV{VITRINE_SEED} // time ^ $$;
srand $seed;
note "VITRINE_SEED=$seed";
sub one_of { return $_[rand @_] }

# A null of a row, one that is written, and what somebody lacks; the first equals itself, the second all.
my %null = (null => 1.5, written => 3, lacks => 0.5);
# [kind, value]; of a number the text.
sub compare {
	my ($l, $r) = @_;
	return undef if $l->[0] ne $r->[0] || $null{$l->[0]};
	return $big{$l->[1]}->bcmp($big{$r->[1]}) if $l->[0] eq 'number';
	return $l->[1] <=> $r->[1] if $l->[0] =~ /time|bool/;
	return $l->[1] cmp $r->[1];
}
sub equal {
	my ($l, $r) = @_;
	return $null{$l->[0]} + $null{$r->[0]} > 2 if $null{$l->[0]} && $null{$r->[0]};
	return defined compare($l, $r) && compare($l, $r) == 0;
}
# A literal text beside a column of times is a time when it can be.
sub beside {
	my ($v, $of, $other) = @_;
	return $of->{literal} && $other->{time} && $v->[0] eq 'text' && exists $time{$v->[1]} ? ['time', $time{$v->[1]}] : $v;
}
sub both { my ($l, $r, @at) = @_; my ($x, $y) = map { $_->{value}->(@at) } $l, $r; return (beside($x, $l, $r), beside($y, $r, $l)) }

sub operand {
	my $kind = one_of(qw(row row row viewer viewer text text number null bool));
	if ($kind eq 'row') {
		my $c = rand() < 0.03 ? 'nothing' : one_of(@columns);
		return { text => "row.$c", time => ($type{$c} // '') eq 'timestamp', row => 1, value => sub { $_[0]{$c} // ['null'] } };
	}
	if ($kind eq 'viewer') {
		my $m = one_of(qw(id email role domain workspace_role));
		return { text => "viewer.$m", value => sub { defined $_[1]{$m} ? ['text', $_[1]{$m}] : ['lacks'] } };
	}
	my $v = $kind eq 'text' ? one_of(@texts) : $kind eq 'number' ? one_of(@numbers) : $kind eq 'bool' ? int rand 2 : undef;
	my $q = one_of('"', "'");
	return { text => $kind eq 'text' ? "$q$v$q" : $kind eq 'number' ? $v : $kind eq 'bool' ? ('false', 'true')[$v] : 'null',
		literal => 1, value => sub { [$kind eq 'null' ? 'written' : $kind, $v] } };
}
sub test_ {
	my $l = operand();
	my $op = one_of('==', '==', '!=', '<', '<=', '>', '>=', 'in', 'in', 'bare');
	if ($op eq 'bare') {
		$l = operand() until $l->{row} || $l->{text} =~ /^(?:true|false)$/;
		return [$l->{text}, sub { my $v = $l->{value}->(@_); $v->[0] eq 'bool' && $v->[1] ? 1 : 0 }];
	}
	if ($op eq 'in') {
		my @list = map { operand() } 1 .. rand 4;
		return ["$l->{text} in [" . join(one_of(',', ' , '), map { $_->{text} } @list) . ']',
			sub { my @at = @_; scalar grep { equal(both($l, $_, @at)) } @list }];
	}
	my $r = operand();
	my %judge = ('==' => sub { equal(@_) }, '!=' => sub { !equal(@_) }, map { my $o = $_; ($o => sub {
		my $c = compare(@_);
		defined $c && ($o eq '<' ? $c < 0 : $o eq '<=' ? $c <= 0 : $o eq '>' ? $c > 0 : $c >= 0);
	}) } qw(< <= > >=));
	return ["$l->{text}" . one_of('', ' ') . $op . one_of('', ' ') . $r->{text}, sub { $judge{$op}->(both($l, $r, @_)) }]
		if $op =~ /\W/;
}
sub expr {
	my ($depth) = @_;
	my $kind = $depth ? one_of(qw(and or not group flat test test)) : 'test';
	return test_() if $kind eq 'test';
	my $x = expr($depth - 1);
	return ["($x->[0])", $x->[1]] if $kind eq 'group';
	return ["not ($x->[0])", sub { !$x->[1]->(@_) }] if $kind eq 'not';
	my $y = expr($depth - 1);
	return ["($x->[0]) and ($y->[0])", sub { $x->[1]->(@_) && $y->[1]->(@_) }] if $kind eq 'and';
	if ($kind eq 'flat') {
		my @t = map { test_() } 1 .. 4;
		return ["$t[0][0] and not $t[1][0] or $t[2][0] and $t[3][0]",
			sub { my @at = @_; my @v = map { $_->[1]->(@at) } @t; $v[0] && !$v[1] || $v[2] && $v[3] }];
	}
	return ["($x->[0]) or ($y->[0])", sub { $x->[1]->(@_) || $y->[1]->(@_) }];
}
# A value as it is sent, and as the model has it.
sub cell {
	my ($type) = @_;
	return ['null', ['null']] if rand() < 0.2;
	$type = one_of(qw(text number boolean list)) if $type eq 'json';
	if ($type eq 'text') { my $v = one_of(@texts); return [$json->encode($v), ['text', $v]] }
	if ($type eq 'number' || $type eq 'integer') {
		my $v = one_of($type eq 'number' ? @numbers : @integers);
		return [$v, ['number', $v]];
	}
	if ($type eq 'boolean') { my $v = int rand 2; return [('false', 'true')[$v], ['bool', $v]] }
	if ($type eq 'timestamp') { my $v = one_of(sort keys %time); return ["\"$v\"", ['time', $time{$v}]] }
	return ['[1]', ['list', '[1]']];
}
sub row {
	my %r = map { $_ => cell($type{$_}) } @columns;
	return ['{' . join(',', map { "\"$_\":$r{$_}[0]" } @columns) . '}', { map { $_ => $r{$_}[1] } @columns }];
}

policy(undef);
table($_, map { "$_:$type{$_}" } @columns) for qw(model written);
my @stored = map { row() } 1 .. 200;
my $r = as($ann, POST => "$base/model/rows", body => encode('{"rows":[' . join(',', map { $_->[0] } @stored) . ']}'),
	type => 'application/json');
is $r->{status}, 201, 'rows' or diag $r->{body};
sub encode { my ($s) = @_; utf8::encode($s); return $s }
my %at = map { $r->{json}{ids}[$_] => $_ } 0 .. $#stored;
my @viewers = map {
	my ($who, $role) = @$_;
	[$who, { role => $role, $who ? (id => $who->{id}, email => lc $who->{email}, domain => 'example.org') : () }];
} [$ben, 'editor'], [$vic, 'viewer'], [$eve, undef], [undef, undef];
my ($judged, @wrong) = (0);
for my $n (1 .. ($ENV{VITRINE_LONG} ? 5000 : 250)) {
	my ($read, $write) = map { expr(1 + int rand 3) } 1 .. 2;
	next if grep {
		length encode($_->[0]) > 2000 || (() = $_->[0] =~ /row\.|viewer\.|'[^']*'|"[^"]*"|\b[\d.]+\b|null|true|false/g) > 45;
	} $read, $write;
	# A rule that names no column of the table is false as a whole.
	$_->[0] =~ /row\.nothing/ and $_->[1] = sub { 0 } for $read, $write;
	policy({ tables => { model => { read => $read->[0] }, written => { write => $write->[0] } } });
	for my $v (@viewers) {
		my ($who, $is) = @$v;
		my @want = grep { $read->[1]->($stored[$_][1], $is) } 0 .. $#stored;
		my $got = rows($who, 'model', '?limit=200' . one_of('', '&order=-id', '&order=a', '&order=-n'));
		my @got = ref $got ? sort { $a <=> $b } map { $at{$_->{id}} } @$got : ();
		$judged += @stored;
		push @wrong, "list: $read->[0] for " . $json->encode($is) . ": got @got; want @want"
			if "@got" ne "@want" || (!ref $got && $got != 404);
		next if !$who;
		my @new = map { row() } 1 .. 10;
		my ($refused) = grep { !$write->[1]->($new[$_][1], $is) } 0 .. $#new;
		my $r = as($who, POST => "$base/written/rows", body => encode('{"rows":[' . join(',', map { $_->[0] } @new) . ']}'),
			type => 'application/json');
		my $said = $r->{status} == 201 ? 'none' : $r->{status} == 403 ? $r->{json}{error} =~ /^rows\[(\d+)\]: access_policy/ ? $1
			: 0 : "$r->{status} $r->{body}";
		$judged += @new;
		push @wrong, "write: $write->[0] for " . $json->encode($is) . ": refused $said, not " . ($refused // 'none') . ': '
			. $new[$refused // $said =~ /^\d+$/ ? $refused // $said : 0][0] if $said ne ($refused // 'none');
	}
	last if @wrong > 5;
}
is "@wrong", '', "$judged judgements are the model's" or diag "VITRINE_SEED=$seed";
cmp_ok $judged, '>', 100000, 'many';
finish($stack);
