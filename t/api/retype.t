# SPDX-License-Identifier: Apache-2.0
# A column gets another type: what would happen is told before, small tables change at once, larger ones by an operation of the runner,
# which can be killed.
use utf8;
use Vitrine::Visitor;
use Vitrine::Words 'as';

my ($stack, $api, $db) = stack(data_per_minute => 100_000);
my ($ann, $ben, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben eve);
my $art = $api->publish($ann, slug => 'data', visibility => 'unlisted', access_policy => { tables => {
	hidden => { read => 'row.owner == viewer.email', write => 'true' } } });
my $base = "/v1/data/$art/tables";
sub put {
	my ($name, @columns) = @_;
	return as($ann, PUT => "$base/$name", { columns => [map { my ($n, $t) = split /:/; { name => $n, type => $t } } @columns] });
}
sub add { my ($who, $table, @rows) = @_; return as($who, POST => "$base/$table/rows", { rows => \@rows }) }
sub rows { my ($table, $query) = @_; return as($ann, GET => "$base/$table/rows?limit=200&" . ($query // ''))->{json}{rows} }
sub retype {
	my ($table, $column, $type, %o) = @_;
	return as($ann, POST => "$base/$table/retype", { column => $column, type => $type, %o });
}
sub refused {
	my ($r, $want, $like, $name) = @_;
	is "$r->{status} $r->{json}{code}", $want, $name or diag $r->{body};
	like $r->{json}{error}, $like, '... and why';
	return $r;
}
sub clean { is +($stack->program('vitrinectl', {}, 'fsck'))[1], "clean\n", "fsck is clean $_[0]" }

# ---- how each type is read: text, type, how, what it becomes (no value: a misfit)

my $time = '2026-03-29T12:00:00Z';
my @read = (['5', 'number', {}, 5], ['1260.50', 'number', {}, 1260.5], ['1,260.50', 'number', {}, 1260.5], ['1 260', 'integer', {}, 1260],
	['1.260,50', 'number'],
	['1.260,50', 'number', { decimal => 'comma' }, 1260.5], ['1.260', 'number', { decimal => 'comma' }, 1260],
	['-3', 'integer', {}, -3], ['+3', 'integer', {}, 3],
	['007', 'integer', {}, 7], ['0', 'integer', {}, 0], ['3.5', 'integer'], ['9223372036854775808', 'integer'], ['abc', 'number'],
	['1,26', 'number'],
	['1e3', 'number', {}, 1000], ['5 kg', 'number'], [' 5 ', 'number', {}, 5], ['Ja', 'boolean', {}, $true],
	['nein', 'boolean', {}, $false],
	['SÍ', 'boolean', {}, $true], ['maybe', 'boolean'], ['x', 'boolean', { yes => ['X'] }, $true], ['yes', 'boolean', { yes => ['X'] }],
	['2026-03-29', 'date', {}, '2026-03-29'], ['29.03.2026', 'date'], ['29.3.2026', 'date', { date_order => 'dmy' }, '2026-03-29'],
	['3/29/2026', 'date', { date_order => 'mdy' }, '2026-03-29'], ['29.3.26', 'date', { date_order => 'dmy' }],
	['31.2.2026', 'date', { date_order => 'dmy' }],
	[$time, 'date', {}, '2026-03-29'], ['2026-03-28T23:30:00Z', 'date', { zone => 'Europe/Berlin' }, '2026-03-29'],
	[$time, 'timestamp', {}, $time],
	['2026-03-29 12:00', 'timestamp'], ['2026-03-29 12:00', 'timestamp', { zone => 'Europe/Berlin' }, '2026-03-29T10:00:00Z'],
	['2026-03-28T12:00:05', 'timestamp', { zone => 'Europe/Berlin' }, '2026-03-28T11:00:05Z'],
	['2026-03-29', 'timestamp', {}, '2026-03-29T00:00:00Z'],
	['29.3.2026 01:30', 'timestamp', { zone => 'Europe/Berlin', date_order => 'dmy' }, '2026-03-29T00:30:00Z'],
	['row_x', 'link', { to => 'one' }]);
put('one', 'v:text');
my $id = add($ann, one => { v => 'x' })->{json}{ids}[0];
for (@read) {
	my ($text, $type, $how, @becomes) = @$_;
	my %o = $type eq 'link' ? (to => 'one') : (read => $how // {});
	as($ann, PATCH => "$base/one/rows/$id", { v => $text });
	my $r = retype('one', 'v', $type, dry_run => $true, %o);
	is "$r->{status} $r->{json}{fits} $r->{json}{misfits}", @becomes ? '200 1 0' : '200 0 1',
		"'$text' as $type " . encode_json($how // {}) or diag $r->{body};
	is_deeply [map { $_->{after} } @{$r->{json}{sample}}], [$becomes[0]], '... becomes that' if @becomes && @{$r->{json}{sample}};
}
is_deeply rows('one')->[0]{v}, 'row_x', 'a dry run changes nothing';

# ---- a small table, at once

put('small', 'name:text', 'amount:text', 'n:integer');
my @ids = @{add($ann, small => map { { name => "n$_", amount => $_ % 10 ? "$_,5" : $_ % 20 ? '' : undef, n => $_ } } 1 .. 30)->{json}{ids}};
as($ann, PATCH => "$base/small/rows/$ids[6]", { amount => 'n/a' });
my $r = retype('small', 'amount', 'number', read => { decimal => 'comma' }, dry_run => $true);
is_deeply { %{$r->{json}}, sample => 0 },
	{ success => $true, fits => 26, empty => 3, misfits => 1, first => [{ row_id => $ids[6], value => 'n/a' }], sample => 0,
		operation => undef }, 'a preview';
is_deeply $r->{json}{sample}[0], { before => '1,5', after => 1.5 }, '... with samples';
is scalar @{$r->{json}{sample}}, 5, '... five';
$r = refused(retype('small', 'amount', 'number', read => { decimal => 'comma' }), '409 CONFLICT',
	qr/^amount: 1 row has no value of type number/, 'a misfit');
is_deeply $r->{json}{details}{first}, [{ row_id => $ids[6], value => 'n/a' }], '... is named';
$r = retype('small', 'amount', 'number', read => { decimal => 'comma' }, misfits => 'null');
is "$r->{status} $r->{json}{fits} $r->{json}{misfits}", '200 26 1', '... or null';
is_deeply [map { $_->{id} } @{rows('small')}], \@ids, 'rows keep their ids';
is_deeply [map { $_->{amount} } @{rows('small')}[0, 6, 9, 10]], [1.5, undef, undef, 11.5], '... and have new values';
is_deeply as($ann, GET => "$base/small")->{json}{table}{columns},
	[{ name => 'name', type => 'text' }, { name => 'amount', type => 'number' },
		{ name => 'n', type => 'integer' }], 'the table has the type';
is scalar @{rows('small', 'amount=gte.20&order=-amount')}, 9, '... by which rows are found';
is retype('small', 'amount', 'text')->{status}, 200, 'and back';
is rows('small')->[0]{amount}, '1.5', '... as it is now';
$r = retype('small', 'name', 'choice', dry_run => $true);
is "$r->{status} $r->{json}{fits}", '200 30', 'a choice of all texts that there are';
refused(retype('small', 'name', 'choice', choices => ['n1']), '409 CONFLICT', qr/29 rows have no value of type choice/, '... or of some');
is retype('small', 'name', 'choice')->{status}, 200, '... is made';
is scalar @{as($ann, GET => "$base/small")->{json}{table}{columns}[0]{choices}}, 30, '... with its texts';
as($ann, PUT => "$base/small", { columns => [@{as($ann, GET => "$base/small")->{json}{table}{columns}}], key => 'n' });
is retype('small', 'n', 'text')->{json}{fits}, 30, 'a key';
is as($ann, GET => "$base/small")->{json}{table}{key}, 'n', '... stays';
refused(add($ann, small => { n => '5' }), '409 CONFLICT', qr/another row/, '... and holds');
as($ann, PATCH => "$base/small/rows/$ids[0]", { n => '05' });
refused(retype('small', 'n', 'integer'), '409 CONFLICT', qr/another row of small has 5/, '... so values may not become alike');
is as($ann, PATCH => "$base/small/rows/$ids[0]", { n => '1' })->{status}, 200, 'nothing is left behind';
my ($same) = $db->selectrow_array("SELECT COUNT(DISTINCT history_no) FROM data_table WHERE artifact_id = ? AND name = 'small'",
	undef, $art);
is $same, 1, 'history goes on';
put('links', 'v:text');
add($ann, links => { v => $ids[3] }, { v => 'row_nothing' }, { v => $id });
$r = retype('links', 'v', 'link', to => 'small', misfits => 'null');
is "$r->{json}{fits} $r->{json}{misfits}", '1 2', 'texts become links';
is rows('links', 'expand=v')->[0]{v}, $ids[3], '... to rows that are there';

# ---- refused

refused(retype(@$_[0 .. 2], %{$_->[4] // {}}), '400 INVALID_REQUEST', $_->[3], "not $_->[1] as $_->[2]") for
	['small', 'nothing', 'text', qr/^column: the table small has no column nothing/], ['small', 'n', 'enum', qr/^type/],
	['small', 'n', 'link', qr/^to: must be/],
	['small', 'n', 'link', qr/^to: must be/, { to => 'nothing' }],
	['small', 'n', 'text', qr/^choices: is only for a choice/, { choices => ['a'] }],
	['small', 'n', 'date', qr/^read\.zone: there is no time zone/, { read => { zone => 'Mars/Base' } }],
	['small', 'n', 'json', qr/^type: the key can't be json/],
	['small', 'n', 'integer', qr/^misfits/, { misfits => 'drop' }];
is as($_, POST => "$base/small/retype", { column => 'n', type => 'text' })->{status}, $_ ? 403 : 401, 'others may not' for $ben, undef;
refused(retype('none', 'n', 'text'), '404 NOT_FOUND', qr/no table none/, 'no table');
put('hidden', 'owner:text', 'v:text');
add($ann, hidden => { owner => 'ann@example.org', v => 'a' }, { owner => 'ben@example.org', v => 'b' });
$api->call(POST => "/v1/artifacts/$art/collaborators",
	{ token => $ann->{token}, json => { emails => ['ben@example.org'], role => 'editor' } });
$r = as($ben, POST => "$base/hidden/retype", { column => 'v', type => 'number', dry_run => $true });
is_deeply [$r->{json}{misfits}, [map { $_->{value} } @{$r->{json}{first}}]], [2, ['b']],
	'an editor sees the values of rows that they can read';
clean('after that');

# ---- a large table

my $count = 2500;
put('large', 'name:text', 'v:text');
add($ann, large => map { { name => "n$_", v => "$_" } } $_ * 500 + 1 .. $_ * 500 + 500) for 0 .. 4;
my $before = join ' ', map { $_->{id} } @{rows('large', 'order=-id')};
$r = retype('large', 'v', 'integer');
is $r->{status}, 202, 'a large table: later' or diag $r->{body};
my $opr = $r->{json}{operation};
is join(' ', @$opr{qw(kind state table total done)}), 'retype waiting large 2500 0', '... by an operation';
my $follow = "/v1/data/$art/operations/$opr->{id}";
is_deeply as($ann, GET => $follow)->{json}{operation}, $opr, 'which can be followed';
is as($ben, GET => $follow)->{status}, 200, '... by editors';
is as($eve, GET => $follow)->{status}, 404, '... by no other';
is as(undef, GET => $follow)->{status}, 401, '... who must be signed in';
is as($ann, GET => "/v1/data/$art/operations/opr_" . '0' x 26)->{status}, 404, 'no operation';
$r = refused(add($ann, large => { v => 'x' }), '409 CONFLICT', qr/columns of large are being changed/, 'writes wait');
is $r->{headers}{'retry-after'}, 5, '... and are told how long';
refused(as($ann, DELETE => "$base/large/rows?v=eq.5"), '409 CONFLICT', qr/being changed/, '... each');
refused(retype('large', 'v', 'number'), '409 CONFLICT', qr/being changed/, 'not twice');
refused(put('large', 'name:text', 'v:text', 'more:text'), '409 CONFLICT', qr/being changed/, 'nor another change');
is rows('large', 'v=eq.77')->[0]{name}, 'n77', 'reads go on';
sub lane { $stack->start_runner('runner', '--stay', '--lanes', 'tables') }
sub no_lane {
	my ($signal) = @_;
	my %lanes = $stack->lanes;
	kill $signal => values(%lanes), $stack->{pids}{runner};
	waitpid delete $stack->{pids}{runner}, 0;
}
$db->do("UPDATE operation SET place = NULL");
lane();
Vitrine::Stack::wait_for('the first piece', 60, sub { $db->selectrow_array('SELECT done FROM operation') > 0 });
no_lane('KILL');
$db->do('UPDATE operation SET due_at = 0 WHERE due_at IS NOT NULL');
lane();
Vitrine::Stack::wait_for('the operation', 60, sub { as($ann, GET => $follow)->{json}{operation}{state} ne 'running' });
no_lane('TERM');
$opr = as($ann, GET => $follow)->{json}{operation};
is join(' ', @$opr{qw(state total done)}, $opr->{error} // '-'), 'done 2500 2500 -', 'it is done, though the runner was killed';
is join(' ', map { $_->{id} } @{rows('large', 'order=-id')}), $before, 'rows keep their ids';
is as($ann, GET => "$base/large")->{json}{table}{row_count}, $count, '... all';
is rows('large', 'v=gte.2500')->[0]{v}, 2500, '... with new values';
is add($ann, large => { v => 5 })->{status}, 201, 'writes go on';
$stack->runner for 1 .. 2;
clean('after an operation');

# ---- one that fails

$r = retype('large', 'v', 'text');
is $r->{status}, 202, 'another';
$db->do('UPDATE user SET disabled_at = 1 WHERE id = ?', undef, $ann->{id});
$stack->runner;
$db->do('UPDATE user SET disabled_at = NULL WHERE id = ?', undef, $ann->{id});
$opr = as($ann, GET => "/v1/data/$art/operations/$r->{json}{operation}{id}")->{json}{operation};
is "$opr->{state} $opr->{error}", 'failed the account of the person who asked for this is gone', 'ends with a reason';
is add($ann, large => { v => 6 })->{status}, 201, '... and holds nothing';
$db->do("UPDATE data_table SET held_by = 'opr_x' WHERE name = 'large' AND artifact_id IS NOT NULL");
like +($stack->program('vitrinectl', {}, 'fsck'))[1], qr/large: is held by an operation that has ended/,
	'fsck finds a table that is held for nothing';
$stack->program('vitrinectl', {}, 'reproject');
clean('when that is mended');
is retype('large', 'v', 'text')->{status}, 202, 'and at last';
is as($ann, DELETE => "$base/large")->{status}, 200, 'a table that goes meanwhile';
$stack->runner for 1 .. 2;
is_deeply $db->selectcol_arrayref('SELECT state FROM operation ORDER BY id'), [qw(done failed failed)], '... ends it';
clean('after that');
# ---- in the browser

$stack->ctl_in("the password\n", qw(user password ann@example.org));
my $visitor = Vitrine::Visitor->new($api);
$visitor->sign_in('ann@example.org', 'the password');
my $at = "/a/$art/data/tables/paged";
sub post {
	my ($path, $form) = @_;
	return $visitor->send(POST => "$at$path", body => $form, headers => { 'Content-Type' => 'application/x-www-form-urlencoded' });
}
sub columns {
	return join ' ',
		map { "$_->{name}:$_->{type}" . ($_->{hidden} ? ':hidden' : '') } @{as($ann, GET => "$base/paged")->{json}{table}{columns}};
}
put('paged', 'name:text', 'amount:text');
add($ann, paged => { name => 'a', amount => '1,5' }, { name => 'b', amount => 'n/a' });
like $visitor->go($at)->{body}, qr{href="\Q$at\E/columns"}, 'the grid leads to the columns';
like $visitor->go("$at/columns")->{body}, qr{<span class="name">amount</span>}, '... which are listed';
is post('/columns/add', 'name=state&type=choice&choices=open%0D%0Ain+work')->{status}, 303, 'a choice is added';
is columns(), 'name:text amount:text state:choice', '... at the end';
like post('/columns/add', 'name=name&type=text')->{body}, qr/the table has a column name/i, 'a name that is there is refused on the page';
is post('/column', 'column=state&name=status&place=1&choices=open%0D%0Adone&hidden=1')->{status}, 303, 'it is renamed, moved, and hidden';
is columns(), 'status:choice:hidden name:text amount:text', '... at once';
unlike $visitor->go($at)->{body}, qr{<th scope="col"><a [^>]*>status}, 'the grid leaves it out';
is post('/columns/key', 'key=name')->{status}, 303, 'a key';
is as($ann, GET => "$base/paged")->{json}{table}{key}, 'name', '... is set';
is post('/columns/key', 'key=')->{status}, 303, '... and taken away';
my $preview = $visitor->go("$at/retype?column=amount&type=number&decimal=comma")->{body};
like $preview, qr{1 value fit.*<strong>1 value would be lost}s, 'another type, and what would be lost';
like $preview, qr{&quot;1,5&quot;</td><td>1\.5}, '... by example';
put('zips', 'zip:text');
add($ann, zips => map { { zip => "$_" } } 1 .. 6, '007', '0', '08');
my $of_zips = $visitor->go("/a/$art/data/tables/zips/retype?column=zip&type=integer")->{body};
like $of_zips, qr{9 values fit[^<]*<strong>Leading zeros of 2 values would be lost\.}, 'what numbers lose of texts';
like $of_zips, qr{&quot;007&quot;</td><td>7<}, '... by example';
unlike $of_zips, qr{Nothing is}, '... and not that nothing is lost';
like post('/retype', 'column=amount&type=number&decimal=comma')->{body}, qr/1 row has no value of type number/, 'it is refused';
is post('/retype', 'column=amount&type=number&decimal=comma&lose=1')->{status}, 303, '... unless the value is to go';
is columns(), 'status:choice:hidden name:text amount:number', 'the column has its type';
is post('/column/drop', 'column=status')->{status}, 303, 'a column is deleted';
is columns(), 'name:text amount:number', '... with its values';
is as($ann, DELETE => "/v1/artifacts/$art?purge=1")->{status}, 200, 'the artifact is purged';
$stack->runner for 1 .. 3;
is $db->selectrow_array("SELECT COUNT(*) FROM $_"), 0, "nothing is left in $_" for qw(operation data_table data_row data_key data_cell);
finish($stack);
