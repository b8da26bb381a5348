# SPDX-License-Identifier: Apache-2.0
# Saved views: whose they are, what they may hold, what lists, exports and summaries make of them, and what renaming and dropping columns
# does.
use utf8;
use Vitrine::Words qw(as said refused);

my ($stack, $api, $db) = stack(data_per_minute => 1_000_000);
my ($ann, $bob, $eve, $mallory) = map { $stack->user("$_\@example.org") } qw(ann bob eve mallory);
my $art = $api->publish($ann, slug => 'data', visibility => 'public',
	access_policy => { tables => { own => { read => 'row.who == viewer.email', write => 'true' } } });
as($ann, POST => "/v1/artifacts/$art/collaborators", { emails => ["$_->[0]\@example.org"], role => $_->[1] })
	for ['bob', 'editor'], ['eve', 'viewer'];
my $base = "/v1/data/$art/tables";
sub table {
	my ($name, $cols, @rows) = @_;
	my $r = as($ann, PUT => "$base/$name", { columns => [map { my ($n, $t) = split /:/; { name => $n,
		type => $t // 'text' } } @$cols] });
	is $r->{status}, 201, "the table $name" or diag $r->{body};
	return if !@rows;
	$r = as($ann, POST => "$base/$name/rows", { rows => \@rows });
	is $r->{status}, 201, '... with rows' or diag $r->{body};
}
table('t', ['city', 'n:integer', 'j:json'], map { { city => $_->[0], n => $_->[1] } } ['Oslo', 1], ['Lund', 2], ['Oslo', 3], ['Malmö', 4]);
sub save { my ($who, $json, $table) = @_; return as($who, POST => "$base/" . ($table // 't') . '/views', $json) }
sub made { my $r = save(@_); is $r->{status}, 201, "the view $_[1]{name}" or diag $r->{body}; return $r->{json}{view}{id} }
sub cities { my ($q, $who) = @_; my $r = as($who // $ann, GET => "$base/t/rows?$q");
	return $r->{json}{error} if $r->{status} != 200; return join ' ', map { "$_->{city}$_->{n}" } @{$r->{json}{rows}} }

# ---- what a view is

my $r = save($bob, { name => 'Oslo', scope => 'shared', where => ['city', 'eq', 'Oslo'], order => '-n', columns => ['n', 'city'],
	widths => { city => 200 }, totals => { n => 'sum', city => 'distinct' }, group => 'city' });
is $r->{status}, 201, 'an editor shares a view' or diag $r->{body};
my $view = $r->{json}{view};
my $oslo = $view->{id};
is $r->{headers}{location}, "/v1/data/$art/tables/t/views/$oslo", 'its address';
my %times = map { $_ => delete $view->{$_} } qw(created_at updated_at);
is_deeply $view, { id => $oslo, name => 'Oslo', scope => 'shared', where => ['city', 'eq', 'Oslo'], order => '-n', columns => ['n', 'city'],
	widths => { city => 200 }, totals => { n => 'sum', city => 'distinct' }, group => 'city' }, 'with exactly these members';
is_deeply as($eve, GET => "$base/t/views/$oslo")->{json}{view}, { %$view, %times }, 'a viewer sees it';
my $mine = made($eve, { name => 'Mine', where => { or => [['n', 'gt', 2], ['city', 'eq', 'Lund']] } });
is as($eve, GET => "$base/t/views/$mine")->{json}{view}{scope}, 'private', 'private by default';
is_deeply [map { $_->{name} } @{as($eve, GET => "$base/t/views")->{json}{views}}], ['Oslo', 'Mine'], 'eve has two';
is_deeply [map { $_->{name} } @{as($ann, GET => "$base/t/views")->{json}{views}}], ['Oslo'], 'the owner one: a private view is hidden';
for my $method (qw(GET PUT DELETE)) {
	refused(as($ann, $method => "$base/t/views/$mine", $method eq 'PUT' ? { name => 'x' } : undef), '404 NOT_FOUND', "$method of it");
}
refused(as($ann, GET => "$base/t/rows?view=$mine"), '404 NOT_FOUND', 'nor does anybody else use it');

# ---- who may

refused(save($eve, { name => 'x', scope => 'shared' }), '403 ACCESS_DENIED', 'a viewer shares none', qr/^scope: only editors/);
refused(as($eve, PUT => "$base/t/views/$oslo", { name => 'x' }), '403 ACCESS_DENIED', '... nor changes one');
refused(as($eve, DELETE => "$base/t/views/$oslo"), '403 ACCESS_DENIED', '... nor deletes one');
refused(as($eve, PUT => "$base/t/views/$mine", { name => 'x', scope => 'shared' }), '403 ACCESS_DENIED', '... nor shares theirs');
refused(save($mallory, { name => 'x' }), '403 ACCESS_DENIED', 'who has no role saves none');
refused(as(undef, GET => "$base/t/views"), '401 UNAUTHENTICATED', 'nor lists any without signing in');
is cities("view=$oslo", $mallory), 'Oslo3 Oslo1', 'but lists rows by a shared one';

# ---- what it may hold

for ([{ where => ['zz', 'eq', 1] }, qr/^where: the table t has no column zz/], [{ where => ['n', 'eq', 'x'] }, qr/^where: x isn't/],
	[{ where => { xor => [] } }, qr/^where: must be a condition/], [{ order => 'zz' }, qr/^order: must be/],
	[{ columns => ['n', 'zz'] }, qr/^columns\[1\]: the table t has no column zz/], [{ widths => { zz => 100 } }, qr/^widths: .*zz/],
	[{ widths => { n => 39 } }, qr/^widths\.n: must be a whole number from 40 to 2000/], [{ widths => { n => '99' } }, qr/^widths\.n/],
	[{ totals => { n => 'mode' } }, qr/^totals\.n: must be one of sum/], [{ totals => { city => 'sum' } },
		qr/^totals\.city: .* no sum/],
	[{ totals => { j => 'distinct' } }, qr/^totals\.j/], [{ group => 'zz' }, qr/^group: .*zz/], [{ group => 'j' },
		qr/^group: j is of type json/],
	[{ name => '' }, qr/^name/], [{ name => 'x' x 81 }, qr/^name/], [{ scope => 'team' }, qr/^scope/]) {
	refused(save($ann, { name => 'x', %{$_->[0]} }), '400 INVALID_REQUEST', 'refused: ' . encode_json($_->[0]), $_->[1]);
}
refused(save($ann, { name => 'Oslo', scope => 'shared' }), '409 CONFLICT', 'a name once among the shared', qr/^name: there is a view Oslo/);
my $also = made($ann, { name => 'Oslo' });
is said(as($ann, PUT => "$base/t/views/$also", { name => 'Two', order => 'n' })), '200 ', 'a view is replaced';
is_deeply [@{as($ann, GET => "$base/t/views/$also")->{json}{view}}{qw(name scope where order)}], ['Two', 'private', undef, 'n'],
	'... wholly';
is said(as($ann, DELETE => "$base/t/views/$also")), '200 ', '... and deleted';
refused(as($ann, GET => "$base/t/views/$also"), '404 NOT_FOUND', '... for good');
refused(as($ann, GET => "$base/none/views"), '404 NOT_FOUND', 'no table, no views');

# ---- what lists make of it

is cities("view=$oslo"), 'Oslo3 Oslo1', 'its conditions and its order';
is cities("view=$oslo&order=n"), 'Oslo1 Oslo3', 'an order of the query counts before';
is cities("view=$oslo&n=gt.1"), 'Oslo3', 'conditions of the query hold, too';
is cities("view=$mine", $eve), 'Lund2 Oslo3 Malmö4', 'a private one';
is as($ann, GET => "$base/t/export?view=$oslo&format=csv")->{body} =~ s/row_\w+/row/gr, "id,n,city\r\nrow,3,Oslo\r\nrow,1,Oslo\r\n",
	'an export has its columns';
like as($ann, GET => "$base/t/export?view=$oslo&columns=city")->{body}, qr/^id,city\r$/m, '... or those of the query';
is_deeply as($ann, GET => "$base/t/summary?view=$oslo&measure=count,sum.n")->{json}{groups}, [{ key => [], values => [2, 4] }], 'a summary';
refused(as($ann, GET => "$base/t/rows?view=viw_" . '0' x 26), '404 NOT_FOUND', 'a view that is none');
table('odd', ['view'], { view => 'a' }, { view => 'b' });
my $odd = made($ann, { name => 'x', where => ['view', 'eq', 'b'] }, 'odd');
is_deeply [map { $_->{view} } @{as($ann, GET => "$base/odd/rows?view=eq.a")->{json}{rows}}], ['a'], 'a column named view is a condition';
is_deeply [map { $_->{view} } @{as($ann, GET => "$base/odd/rows?\$view=$odd")->{json}{rows}}], ['b'], '... and $view the parameter';
refused(as($ann, GET => "$base/t/rows?view=$odd"), '404 NOT_FOUND', 'a view of another table');
table('own', ['who'], { who => 'bob@example.org' }, { who => 'eve@example.org' });
my $all = made($ann, { name => 'All', scope => 'shared', where => { or => [['who', 'neq', 'x'], ['who', 'is', 'null']] } }, 'own');
is_deeply [map { $_->{who} } @{as($eve, GET => "$base/own/rows?view=$all")->{json}{rows}}], ['eve@example.org'], 'a view opens no row';

# ---- columns change

sub put { my ($json) = @_; return as($ann, PUT => "$base/t", $json) }
my @cols = ({ name => 'city', type => 'text' }, { name => 'n', type => 'integer' }, { name => 'j', type => 'json' });
is said(put({ columns => [{ name => 'n', type => 'text' }, { name => 'city', type => 'integer' }, $cols[2]],
	renames => { city => 'n', n => 'city' } })), '200 ', 'two columns swap their names' or BAIL_OUT('no');
$view = as($ann, GET => "$base/t/views/$oslo")->{json}{view};
is_deeply [@{$view}{qw(where order columns widths totals group)}], [['n', 'eq', 'Oslo'], '-city', ['city', 'n'], { n => 200 },
	{ city => 'sum', n => 'distinct' }, 'n'], 'a view follows';
is_deeply as($eve, GET => "$base/t/views/$mine")->{json}{view}{where}, { or => [['city', 'gt', 2], ['n', 'eq', 'Lund']] },
	'... also within or';
is scalar @{as($ann, GET => "$base/t/rows?view=$oslo")->{json}{rows}}, 2, '... and finds the same rows';
is said(put({ columns => [{ name => 'n', type => 'text' }], drop => ['city', 'j'] })), '200 ', 'columns are dropped';
refused(as($ann, GET => "$base/t/rows?view=$oslo"), '409 CONFLICT', 'a view that needs one says so',
	qr/^the view Oslo doesn't fit the table t any longer: order/);
is said(as($ann, PUT => "$base/t/views/$oslo", { name => 'Oslo', where => ['n', 'eq', 'Oslo'], columns => ['n'] })), '200 ', 'it is mended';
is scalar @{as($ann, GET => "$base/t/rows?view=$oslo")->{json}{rows}}, 2, '... and works';

# ---- limits, and what ends

made($ann, { name => "v$_" }, 'own') for 1 .. 50;
refused(save($ann, { name => 'v51' }, 'own'), '409 LIMIT_REACHED', 'fifty of one person', qr/has 50 private views, the maximum/);
made($bob, { name => 'v1' }, 'own');
as($ann, DELETE => "$base/own");
refused(as($ann, GET => "$base/own/views"), '404 NOT_FOUND', 'a deleted table has no views');
my $gone = as($ann, GET => "/v1/data/$art/deleted")->{json}{deleted}[0]{id};
as($ann, POST => "/v1/data/$art/deleted/$gone/restore", {});
is scalar @{as($bob, GET => "$base/own/views")->{json}{views}}, 2, 'they come back with it';
as($ann, DELETE => "$base/own");
$db->do('UPDATE data_table SET sweep_at = 1 WHERE artifact_id IS NULL');
is +($stack->runner)[0], 0, 'the runner deletes it for good';
is $db->selectrow_array("SELECT COUNT(*) FROM data_view WHERE table_name = 'own'"), 0, '... with its views';
finish($stack);
