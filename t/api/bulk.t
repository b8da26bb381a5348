# SPDX-License-Identifier: Apache-2.0
# Many rows changed or deleted by conditions: which, how many, all or none, with their index, their key, and rules; more than a thousand by
# an operation.
use Vitrine::Words qw(as refused);

my ($stack, $api, $db) = stack(data_per_minute => 1_000_000);
my ($ann, $bob, $eve, $mallory) = map { $stack->user("$_\@example.org") } qw(ann bob eve mallory);
my $own = 'row.who == viewer.email';
my $art = $api->publish($ann, slug => 'data', visibility => 'private', access_policy =>
	{ tables => { own => { read => $own, write => "$own and row.done != true" }, seen => { read => 'true', write => $own } } });
as($ann, POST => "/v1/artifacts/$art/collaborators", { emails => ["$_\@example.org"], role => 'editor' }) for qw(bob eve);
my $base = "/v1/data/$art/tables";

sub table {
	my ($name, @cols) = @_;
	my $r = as($ann, PUT => "$base/$name",
		{ columns => [map { my ($n, $t) = split /:/; { name => $n, type => $t // 'text' } } @cols] });
	is $r->{status}, 201, "the table $name" or diag $r->{body};
}
sub add {
	my ($name, @rows) = @_;
	while (my @some = splice @rows, 0, 1000) {
		my $r = as($ann, POST => "$base/$name/rows", { rows => \@some });
		is $r->{status}, 201, 'rows' or diag $r->{body};
	}
}
sub change { my ($name, $q, $values, $who) = @_; return as($who // $ann, PATCH => "$base/$name/rows?$q", $values) }
# Without the id of the batch, which is there if rows were changed.
sub told {
	my ($r) = @_;
	my %got = %{$r->{json}};
	my $batch = delete $got{batch_id};
	$batch = !($batch xor $got{changed}) ? 1 : 0;
	return $batch ? \%got : $r->{body};
}
sub count { my ($name, $q) = @_; return as($ann, GET => "$base/$name/summary?$q")->{json}{rows} }
sub sound {
	my ($when) = @_;
	is(($stack->program('vitrinectl', {}, 'fsck'))[1], "clean\n", "$when, counts, index and keys are right");
}

# ---- which rows

table('t', 'n:integer', 'state', 'note', 'x:number');
add('t', map { { n => $_, state => $_ % 3 ? 'open' : 'new', x => 1.50 } } 1 .. 2500);
$db->do('UPDATE data_table SET indexed = -1 WHERE name = "t"');
$db->do("INSERT INTO data_cell (table_no, slot, k, row_id) SELECT r.table_no, $_, COALESCE(r.c$_, ''), r.id FROM data_row r "
	. "JOIN data_table t "
		. "ON t.no = r.table_no WHERE t.name = 't'") for 0 .. 3;
sound('at first');
my $r = change('t', 'n=lte.10', { state => 'done', note => 'x' x 200 });
is_deeply told($r), { success => $true, changed => 10, more => $false }, 'those that match' or diag $r->{body};
is_deeply told(change('t', 'n=lte.10', { state => 'done' })), { success => $true, changed => 0, more => $false }, '... once';
is_deeply told(change('t', 'n=lte.12', { state => 'done' })), { success => $true, changed => 2, more => $false }, '... and then others';
is count('t', 'state=eq.done'), 12, 'they are found by the new value';
is count('t', 'state=eq.done&note=contains.xxx'), 10, 'what is not named stays';
is change('t', 'where={"or":[["n","eq",20],["n","between",[30,32]]]}', { x => undef, n => 7 })->{json}{changed}, 4,
	'by a tree of conditions';
is count('t', 'n=eq.7&x=is.null'), 4, '... null, too';
sound('after changes');
is_deeply told(change('t', 'n=gt.100', { note => 'many' })), { success => $true, changed => 1000, more => $true }, 'a thousand at once';
is change('t', 'n=gt.100', { note => 'many' })->{json}{changed}, 1000, '... the next thousand';
is_deeply told(change('t', 'n=gt.100', { note => 'many' })), { success => $true, changed => 400, more => $false }, '... and the rest';
is_deeply told(change('t', 'all=1', {})), { success => $true, changed => 0, more => $false }, 'a change of nothing changes none';

# ---- and back

my $batch = change('t', 'n=between.60..99', { note => 'wrong', n => 0 })->{json}{batch_id};
is as($ann, PATCH => "$base/t/rows/" . as($ann, GET => "$base/t/rows?n=eq.0&limit=1")->{json}{rows}[0]{id}, { note => 'mine' })->{status},
	200,
	'somebody changes one of forty';
$r = as($ann, POST => "$base/t/undo", { batch_id => $batch });
is_deeply [@{$r->{json}}{qw(undone kept)}], [39, 1], 'an undo takes back the others' or diag $r->{body};
is count('t', 'n=between.60..99'), 39, '... which are as before';
sound('after an undo');

# ---- refused

for (['', { note => 'y' }, qr/^the query has no condition such as .* to change every row, add all=1/],
	['n=eq.1', { n => 'x' }, qr/^n: must be a/],
	['n=eq.1', { zz => 1 }, qr/^zz: the table t has no such column/], ['n=eq.x', { n => 1 }, qr/^n: x isn't a valid value/],
	['n=eq.1', { id => 'row_1' }, qr/^id: can't be changed/], ['where={"or":[["n","eq"]]}', { n => 1 }, qr/^where\.or\[0\]:/],
	['all=2', { n => 1 }, qr/^all: must be 1/]) {
	refused(change('t', $_->[0], $_->[1]), '400 INVALID_REQUEST', "refused: $_->[0]", $_->[2]);
}
refused(change('t', 'n=eq.1', { note => 'x' x 16400 }), '413 BODY_TOO_LARGE', 'too long a row');
refused(change('t', 'n=eq.1', { note => 'y' }, $mallory), '404 NOT_FOUND', 'a stranger finds no table');
refused(as(undef, PATCH => "$base/t/rows?n=eq.1", {}), '401 UNAUTHENTICATED', 'nor does nobody');

# ---- rules

table('own', 'who', 'n:integer', 'done:boolean');
add('own', map { my $who = $_; map { { who => "$who\@example.org", n => $_ } } 1 .. 5 } qw(bob eve));
is change('own', 'all=1', { n => 50 }, $bob)->{json}{changed}, 5, 'nobody changes rows that are hidden from them';
is count('own', 'n=eq.50&who=eq.eve@example.org'), 0, '... and of others none';
as($ann, PATCH => "$base/own/rows?n=eq.50&who=eq.bob\@example.org", { done => $true });
refused(change('own', 'all=1', { n => 51 }, $bob), '403 ACCESS_DENIED', 'rows that may be read and not written', qr/none were changed/);
is change('own', 'n=eq.1', { done => $true }, $eve)->{json}{code}, 'ACCESS_DENIED', 'nor may they become such';
table('seen', 'who', 'n:integer');
add('seen', { who => 'bob@example.org', n => 1 }, { who => 'eve@example.org', n => 2 });
refused(change('seen', 'all=1', { n => 3 }, $bob), '403 ACCESS_DENIED', 'one of two rows', qr/access_policy\.tables\.seen\.write/);
is count('seen', 'n=eq.3'), 0, '... changes none';
is change('seen', 'n=eq.1', { n => 3 }, $bob)->{json}{changed}, 1, '... its own alone does';

# ---- a key

my $put = as($ann, PUT => "$base/keyed", { columns => [{ name => 'k', type => 'text' }, { name => 'n', type => 'integer' }], key => 'k' });
is $put->{status}, 201, 'a table with a key' or diag $put->{body};
add('keyed', map { { k => "k$_", n => $_ } } 1 .. 4);
refused(change('keyed', 'n=lt.3', { k => 'same' }), '409 CONFLICT', 'two rows of one key');
is change('keyed', 'n=eq.1', { k => 'one' })->{json}{changed}, 1, 'one row gets another key';
is change('keyed', 'n=gt.2', { k => undef })->{json}{changed}, 2, 'two lose theirs';
sound('after keys');

# ---- more than a thousand at once

sub ended {
	my ($op, $who) = @_;
	for (1 .. 20) {
		$stack->runner;
		my $r = as($who // $ann, GET => "/v1/data/$art/operations/$op->{id}");
		return $r->{json}{operation} if ($r->{json}{operation}{state} // 'none') !~ /waiting|running/;
	}
	return {};
}
$r = change('t', 'n=gt.50&all_matching=1', { state => 'all' });
is $r->{status}, 202, 'more than a thousand become an operation' or diag $r->{body};
is_deeply [@{$r->{json}{operation}}{qw(kind table total done)}], ['change', 't', 2449, 0], '... with how many';
my ($listed) = @{as($ann, GET => "/v1/data/$art/operations?table=t&open=1")->{json}{operations}};
is_deeply $listed, $r->{json}{operation}, '... which is listed';
is_deeply as($ann, GET => "/v1/data/$art/operations?table=own")->{json}{operations}, [], '... for its table';
my $vic = $stack->user('vic@example.org');
as($ann, POST => "/v1/artifacts/$art/collaborators", { emails => ['vic@example.org'], role => 'viewer' });
is_deeply as($vic, GET => "/v1/data/$art/operations")->{json}{operations}, [], '... and not for a viewer who did not ask for it';
refused(as($mallory, GET => "/v1/data/$art/operations"), '404 NOT_FOUND', 'nor for a stranger');
my $op = ended($r->{json}{operation});
is_deeply as($ann, GET => "/v1/data/$art/operations?open=1")->{json}{operations}, [], 'it has ended';
my $both = as($ann, GET => "/v1/data/$art/operations?limit=1")->{json};
is $both->{operations}[0]{id}, $op->{id}, '... and stays listed';
is_deeply [@$op{qw(state done error)}], ['done', 2449, undef], '... which changes all';
is count('t', 'state=eq.all'), 2449, '... as asked';
like $op->{batch_id}, qr/^bat_/, '... in one batch';
is $db->selectrow_array('SELECT COUNT(*) FROM data_change WHERE batch = (SELECT MAX(batch) FROM data_change) AND user_id = ?', undef,
	$ann->{id}), 2449, '... of the person who asked';
is change('t', 'n=eq.1&all_matching=1', { state => 'one' })->{status}, 200, 'few are changed at once';
$r = as($ann, DELETE => "$base/t/rows?state=eq.all&all_matching=1");
is $r->{status}, 202, 'so are deletions' or diag $r->{body};
is ended($r->{json}{operation})->{done}, 2449, '... of all';
is count('t', ''), 51, '... and no others';
sound('after all');

# ---- an operation follows the index that leads to its rows

table('wide', 'n:integer', 'note');
for my $from (map { 1000 * $_ } 0 .. 8) { add('wide', map { { n => $from + $_, note => 'x' } } 1 .. 1000) }
count('wide', 'n=gt.7000');
$stack->runner;
$r = change('wide', 'n=gt.7000&note=eq.x&all_matching=1', { n => 8000 });
is $r->{status}, 202, 'a part of a large table' or diag $r->{body};
like $db->selectrow_array('SELECT asked FROM operation WHERE id = ?', undef, $r->{json}{operation}{id}), qr/"order": *"n"/,
	'... is changed in the order of its column';
is ended($r->{json}{operation})->{done}, 1999, '... even where that column changes';
is count('wide', 'n=eq.8000'), 2000, '... to one value';
is count('wide', 'n=lte.7000'), 7000, '... and the others stay';
$r = as($ann, DELETE => "$base/wide/rows?n=eq.8000&all_matching=1");
is ended($r->{json}{operation})->{done}, 2000, 'they are deleted by it, too';
is count('wide', ''), 7000, '... and no others';
sound('after a part of a large table');
finish($stack);
