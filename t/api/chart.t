# SPDX-License-Identifier: Apache-2.0
# Charts: what they may ask, their figures against the rows, who sees which, the image, and what renaming does.
use utf8;
use Vitrine::Words qw(as said refused);

my ($stack, $api, $db) = stack(data_per_minute => 1_000_000);
my ($ann, $bob, $eve, $mallory) = map { $stack->user("$_\@example.org") } qw(ann bob eve mallory);
my $art = $api->publish($ann, slug => 'data', visibility => 'private',
	access_policy => { tables => { own => { read => 'row.who == viewer.email', write => 'true' }, shut => { read => 'false' } } });
as($ann, POST => "/v1/artifacts/$art/collaborators", { emails => ["$_->[0]\@example.org"], role => $_->[1] })
	for ['bob', 'viewer'], ['eve', 'editor'];
my ($base, $charts) = ("/v1/data/$art/tables", "/v1/data/$art/charts");
sub table {
	my ($name, $cols, @rows) = @_;
	my $r = as($ann, PUT => "$base/$name", { columns => [map { my ($n, $t) = split /:/; { name => $n,
		type => $t // 'text' } } @$cols] });
	is $r->{status}, 201, "the table $name" or diag $r->{body};
	while (my @some = splice @rows, 0, 1000) {
		$r = as($ann, POST => "$base/$name/rows", { rows => \@some });
		is $r->{status}, 201, '... with rows' or diag $r->{body};
	}
}
sub chart { my ($json, $who) = @_; return as($who // $ann, POST => $charts, { name => 'Chart', table => 't', kind => 'bar', %$json }) }
sub made { my $r = chart(@_); is $r->{status}, 201, 'a chart is made' or diag $r->{body}; return $r->{json}{chart}{id} }
sub figures { my ($id, $who) = @_; return as($who // $ann, GET => "$charts/$id/data")->{json} }
# "labels | name values | …"
sub drawn {
	my $d = figures(@_);
	return $d->{error} // join ' | ', join(' ', @{$d->{labels}}), map { join ' ', $_->{name},
		map { $_ // '-' } @{$_->{values}} } @{$d->{series}};
}
sub svg { my ($id, $q, $who) = @_; return as($who // $ann, GET => "$charts/$id/svg" . ($q // '')) }

table('t', ['city', 'n:integer', 'x:number', 'on:date', 'ok:boolean', 'j:json'],
	{ city => 'Oslo', n => 1, x => 0.1, on => '2026-01-03', ok => $true }, { city => 'Lund', n => 2, x => 0.2, on => '2026-01-09',
		ok => $false },
	{ city => 'Oslo', n => 3, x => 0.3, on => '2026-03-01', ok => $true }, { city => 'Oslo', n => 4 });

# ---- figures

my $first = made({ name => 'Cities', group => 'city', measure => 'count,sum.x' });
is drawn($first), 'Lund Oslo | Rows 1 3 | Sum of x 0.2 0.4', 'bars of two measures';
my $d = figures($first);
is $d->{description}, 'Lund to Oslo, from 0.2 to 3. The most, 3, is at Oslo (Rows).', 'range and peak';
is_deeply [sort keys %$d], [sort qw(success id name kind description labels series threshold rows groups_total truncated as_of)],
	'its members';
is_deeply [@{$d}{qw(rows groups_total truncated threshold)}], [4, 2, $false, undef], '... with these values';
is drawn(made({ kind => 'stacked', group => 'on', by => 'month', split => 'city', measure => 'sum.n', where => ['on', 'is', 'notnull'] })),
	'2026-01-01 2026-02-01 2026-03-01 | Lund 2 0 0 | Oslo 1 0 3', 'a series for each city, and a month without rows';
is drawn(made({ kind => 'line', group => 'on', by => 'month', split => 'ok', measure => 'avg.n' })),
	'No value 2026-01-01 2026-02-01 2026-03-01 | No value 4 - - - | No - 2 - - | Yes - 1 - 3', 'averages have gaps';
is drawn(made({ kind => 'number', measure => 'sum.x,max.on' })), 'All rows | Sum of x 0.6 | Greatest on 2026-03-01', 'numbers';
is drawn(made({ kind => 'histogram', group => 'n', bins => 3 })), '1 – 2 2 – 3 3 – 4 | Rows 1 1 2', 'a histogram';
is drawn(made({ kind => 'scatter', group => 'city', measure => 'avg.n,sum.x' })),
	'Lund Oslo | Average of n 2 2.66666666666667 | Sum of x 0.2 0.4',
	'points';
is drawn(made({ kind => 'table', group => 'city', measure => 'min.on' })), 'Lund Oslo | Least on 2026-01-09 2026-01-03', 'a table';
my $before = drawn($first);
as($ann, POST => "$base/t/rows", { rows => [{ city => 'Oslo' }] });
isnt drawn($first), $before, 'a row that was added is counted at once';

# ---- what it may ask

for ([{ group => 'zz' }, qr/^group: the table t has no column zz/], [{}, qr/^group: is required/], [{ group => 'j' },
	qr/^group: j is of type json/],
	[{ kind => 'number', group => 'city' }, qr/^group: a chart of kind number has none/], [{ kind => 'pie', group => 'city' },
		qr/^kind/],
	[{ group => 'city', measure => 'sum.city' }, qr/^measure: sum\.city/], [{ group => 'city', measure => 'max.on' },
		qr/^measure: max\.on isn't a number/],
	[{ group => 'city', by => 'month' }, qr/^by: requires/], [{ group => 'n', bins => 5 }, qr/^bins: are only for/],
	[{ kind => 'scatter', group => 'city' }, qr/^measure: .*two measures/], [{ kind => 'table', group => 'city', split => 'ok' },
		qr/^split: isn't for/],
	[{ group => 'city', split => 'ok', measure => 'count,sum.n' }, qr/^measure: a chart that is split has one/],
	[{ group => 'city', where => ['zz', 'eq', 1] }, qr/^where: /], [{ group => 'city', zone => 'Mars' }, qr/^zone: Mars/],
	[{ group => 'city', view_id => 'viw_' . '0' x 26 }, qr/^view_id: the table t has no view/],
	[{ group => 'city', alert_id => 'alr_' . '0' x 26 }, qr/^alert_id: /], [{ name => '', group => 'city' }, qr/^name/]) {
	refused(chart($_->[0]), '400 INVALID_REQUEST', 'refused: ' . encode_json($_->[0]), $_->[1]);
}
refused(chart({ table => 'none', group => 'a' }), '404 NOT_FOUND', 'a table that is none');
refused(svg($first, $_), '400 INVALID_REQUEST', "refused: $_") for '?width=319', '?width=1601', '?theme=blue';

# ---- views

my $view = as($ann, POST => "$base/t/views", { name => 'Oslo', scope => 'shared', where => ['city', 'eq', 'Oslo'] })->{json}{view}{id};
my $private = as($ann, POST => "$base/t/views", { name => 'Mine', where => ['city', 'eq', 'Oslo'] })->{json}{view}{id};
refused(chart({ group => 'city', view_id => $private }), '400 INVALID_REQUEST', 'a private view', qr/^view_id: the view Mine is private/);
refused(chart({ group => 'city', view_id => $view, where => ['n', 'gt', 1] }), '400 INVALID_REQUEST', 'a view and conditions',
	qr/^where: /);
my $of_view = made({ group => 'city', view_id => $view });
is drawn($of_view), 'Oslo | Rows 4', 'a chart of a view';
refused(as($ann, DELETE => "$base/t/views/$view"), '409 CONFLICT', 'the view can not be deleted then', qr/a chart shows the rows/);
refused(as($ann, PUT => "$base/t/views/$view", { name => 'Oslo', scope => 'private' }), '409 CONFLICT', '... nor become private');

# ---- lists, changes

my $secret = made({ name => 'Secret', group => 'city', where => ['n', 'gt', 2], place => 0 });
is as($ann, GET => "$charts?limit=1")->{json}{charts}[0]{name}, 'Secret', 'listed by place';
is_deeply as($eve, GET => "$charts/$secret")->{json}{chart}{where}, ['n', 'gt', 2], 'an editor sees the conditions';
is as($bob, GET => "$charts/$secret")->{json}{chart}{where}, undef, 'a viewer does not';
is scalar(grep { $_->{where} } @{as($bob, GET => $charts)->{json}{charts}}), 0, '... nor in the list';
is said(as($ann, PUT => "$charts/$secret", { name => 'S', kind => 'line', table => 't', group => 'city' })), '200 ', 'it is replaced';
my $now = as($ann, GET => "$charts/$secret")->{json}{chart};
is_deeply [@{$now}{qw(name kind where place measure)}], ['S', 'line', ['n', 'gt', 2], 0, 'count'], '... and keeps conditions and place';
is said(as($ann, PUT => "$charts/$secret", { name => 'S', kind => 'line', table => 't', group => 'city', where => undef })), '200 ', 'null';
is as($ann, GET => "$charts/$secret")->{json}{chart}{where}, undef, '... ends them';
refused(as($bob, PUT => "$charts/$secret", { name => 'x', kind => 'bar', table => 't', group => 'city' }), '403 ACCESS_DENIED',
	'viewers change none');
refused(chart({ group => 'city' }, $bob), '403 ACCESS_DENIED', '... nor make any');
refused(as($bob, DELETE => "$charts/$secret"), '403 ACCESS_DENIED', '... nor delete any');
refused(as($mallory, GET => $_), '404 NOT_FOUND', "a stranger: $_") for $charts, "$charts/$first", "$charts/$first/data",
	"$charts/$first/svg";
is said(as($ann, DELETE => "$charts/$secret")), '200 ', 'the owner deletes one';
refused(as($ann, $_->[0] => "$charts/$secret$_->[1]"), '404 NOT_FOUND', "@$_ then") for ['GET', ''], ['GET', '/data'], ['GET', '/svg'],
	['DELETE', ''];

# ---- two viewers under a rule

table('own', ['who', 'n:integer'], map { my $who = $_; map { { who => "$who\@example.org",
	n => $_ } } 1 .. ($who eq 'bob' ? 1200 : 1300) } qw(bob eve));
my $own = made({ name => 'Own', table => 'own', group => 'who', measure => 'count,sum.n' });
is drawn($own, $bob), 'bob@example.org | Rows 1200 | Sum of n 720600', 'bob sees his rows';
is drawn($own, $eve), 'eve@example.org | Rows 1300 | Sum of n 845650', 'eve hers';
is drawn($own, $bob), 'bob@example.org | Rows 1200 | Sum of n 720600', 'neither the answer of the other';
unlike svg($own, '', $bob)->{body}, qr/eve/, 'nor does the image tell';
my ($bobs, $eves) = map { svg($own, '', $_)->{headers}{etag} } $bob, $eve;
isnt $bobs, $eves, 'the images differ';
is as($bob, GET => "$charts/$own/svg", headers => { 'If-None-Match' => $bobs })->{status}, 304, 'who has it gets a 304';
is as($bob, GET => "$charts/$own/svg", headers => { 'If-None-Match' => $eves })->{status}, 200, '... not with that of the other';
as($ann, DELETE => "$base/own/rows?who=eq.bob\@example.org&all_matching=1");
$stack->runner;
is figures($own, $bob)->{description}, 'There are no rows that you can see.', 'without rows it says so';
like svg($own, '', $bob)->{body}, qr/There are no rows that you can see/, '... in the image';
table('shut', ['a'], { a => 'x' });
my $shut = made({ name => 'Shut', table => 'shut', group => 'a' });
refused(as($bob, GET => "$charts/$shut$_"), '404 NOT_FOUND', "a table that can not be read: $_") for '', '/data', '/svg';
is scalar(grep { $_->{id} eq $shut } @{as($bob, GET => $charts)->{json}{charts}}), 0, '... is in no list';
is as($eve, GET => "$charts/$shut")->{status}, 200, 'an editor has its settings';
refused(as($eve, GET => "$charts/$shut/data"), '404 NOT_FOUND', '... but no figures');

# ---- the image

my $r = svg($first);
is_deeply [map { $r->{headers}{$_} } qw(content-type cache-control content-security-policy)],
	['image/svg+xml', 'private, no-cache', "default-src 'none'; style-src 'unsafe-inline'; sandbox"],
		'it is private and can do nothing';
like $r->{body},
	qr{^<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="t d" width="640" height="320"[^>]*><title id="t">Cities</title>}, 'with its title';
like $r->{body}, qr{<desc id="d">Lund to Oslo, from 0\.2 to 4\. The most}, '... and range and peak';
like $r->{body}, qr/prefers-color-scheme:dark/, 'light and dark';
unlike svg($first, '?theme=dark&width=800')->{body}, qr/prefers-color-scheme|#1d4ed8/, '... or one of them';
like svg($first, '?theme=dark&width=800')->{body}, qr/width="800" height="400"/, 'as wide as asked';
unlike $r->{body}, qr/NaN|inf|<script/, 'numbers are numbers';
as($ann, POST => "$base/t/rows", { rows => [{ city => '</text><script>alert(1)</script>' }, { city => "\x{1}&\"'" }] });
for my $kind (qw(bar line area stacked table)) {
	my $id = made({ name => '</title><script>x</script>', kind => $kind, group => 'city' });
	$r = svg($id);
	unlike $r->{body}, qr/<script|[\x00-\x08]/, "$kind: values are escaped";
	Vitrine::Stack::spew("$stack->{dir}/$kind.svg", $r->{body});
	is `python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' $stack->{dir}/$kind.svg 2>&1`, '', '... and it is XML';
}

# ---- many groups, many series

table('wide', ['k', 's', 'n:integer'], map { my $k = $_; map { { k => sprintf('k%03d', $k), s => sprintf('s%02d', $_),
	n => $_ } } 1 .. 15 } 1 .. 100);
my $split = figures(made({ name => 'Split', table => 'wide', kind => 'stacked', group => 'k', split => 's', measure => 'sum.n' }));
is scalar @{$split->{series}}, 12, 'twelve series';
is_deeply [map { $_->{name} } @{$split->{series}}[0, 10, 11]], ['s05', 's15', 'Others'], '... the least of them added up';
is_deeply [@{$split->{series}[11]{values}}[0, 99]], [10, 10], '... exactly';
is $split->{truncated}, $false, '... so nothing is left out';
my $averages = figures(made({ name => 'Split', table => 'wide', kind => 'line', group => 'k', split => 's', measure => 'avg.n' }));
is_deeply [scalar @{$averages->{series}}, $averages->{truncated}], [12, $true], 'averages do not add up, so they are left out';
my $wide = $db->selectrow_array("SELECT no FROM data_table WHERE name = 'wide'");
$db->do("INSERT INTO data_row (table_no, id, shape_no, doc, c0, c1, c2) SELECT r.table_no, UNHEX(MD5(CONCAT(HEX(r.id), s.seq))), "
	. "r.shape_no, r.doc, CONCAT(r.c0, '-', s.seq), r.c1, r.c2 FROM data_row r JOIN seq_1_to_29 s WHERE r.table_no = $wide");
$db->do("UPDATE data_table t SET row_count = (SELECT COUNT(*) FROM data_row r WHERE r.table_no = t.no), change_no = change_no + 1 "
	. "WHERE no = $wide");
my $many = figures(made({ name => 'Many', table => 'wide', group => 'k', measure => 'count,sum.n,avg.n' }));
is_deeply [$many->{groups_total}, $many->{truncated}, scalar @{$many->{labels}}], [3_000, $true, 666],
	'groups beyond 2,000 points are left out';
my $crowd = figures(made({ name => 'Many', table => 'wide', kind => 'stacked', group => 'k', split => 's', measure => 'count' }));
ok @{$crowd->{labels}} * @{$crowd->{series}} <= 2000, '... with series, too';

# ---- an alert

my $alert = as($ann, POST => '/v1/metric-alerts', { artifact_id => $art, name => 'Full', table => 't', kind => 'sum', column => 'n',
	op => 'above',
	value => 5 })->{json}{alert}{id};
my $jump = as($ann, POST => '/v1/metric-alerts', { artifact_id => $art, name => 'Jump', table => 't', kind => 'row_count',
	op => 'change_pct',
	value => 5 })->{json}{alert}{id};
refused(chart({ group => 'city', alert_id => $jump }), '400 INVALID_REQUEST', 'changes are no line', qr/^alert_id: Jump is about changes/);
refused(chart({ table => 'own', group => 'who', alert_id => $alert }), '400 INVALID_REQUEST', 'an alert of another table',
	qr/^alert_id: Full is about/);
my $limit = made({ name => 'Limit', group => 'city', measure => 'sum.n', alert_id => $alert });
is_deeply figures($limit)->{threshold}, { name => 'Full', op => 'above', value => 5 }, 'its value';
like svg($limit)->{body}, qr{<line class="limit".*>Full: 5</text>}s, '... as a line';
is_deeply figures($limit, $bob)->{threshold}, { name => 'Full', op => 'above', value => 5 }, 'also for a viewer who sees all rows';
as($ann, DELETE => "/v1/metric-alerts/$alert");
is figures($limit)->{threshold}, undef, 'a deleted alert has no line';
is as($ann, GET => "$charts/$limit")->{json}{chart}{alert_id}, undef, '... nor a name there';

# ---- columns change

as($ann, PUT => "$base/t", { columns => [map { { name => $_->[0], type => $_->[1] } } ['town', 'text'], ['m', 'integer'], ['x', 'number'],
	['on', 'date'],
	['ok', 'boolean'], ['j', 'json']], renames => { city => 'town', n => 'm' } });
is_deeply [@{as($ann, GET => "$charts/$limit")->{json}{chart}}{qw(group measure)}], ['town', 'sum.m'], 'a chart follows renamed columns';
like drawn($limit), qr/Sum of m/, '... and is drawn';
as($ann, PUT => "$base/t", { columns => [{ name => 'town', type => 'text' }], drop => [qw(m x on ok j)] });
refused(as($ann, GET => "$charts/$limit/data"), '409 CONFLICT', 'without its column it says so',
	qr/^the chart Limit doesn't fit the table t any longer: measure/);
made({ name => 'More', group => 'town' }) for @{as($ann, GET => "$charts?limit=200")->{json}{charts}} + 1 .. 100;
refused(chart({ group => 'town' }), '409 LIMIT_REACHED', 'a hundred of an artifact', qr/has 100 charts, the maximum/);

# ---- on the page's host

as($ann, PATCH => "/v1/artifacts/$art", { visibility => 'public' });
$r = $api->get_site('data', "/_vitrine/chart/$of_view.svg?theme=dark");
is "$r->{status} $r->{headers}{location}", "302 /v1/data/self/charts/$of_view/svg?theme=dark", 'the address of a chart there';
$r = $api->get_site('data', $r->{headers}{location});
is "$r->{status} $r->{headers}{'content-type'} $r->{headers}{'cross-origin-resource-policy'}",
	'200 image/svg+xml; charset=utf-8 same-origin',
	'... leads to its image';
finish($stack);
