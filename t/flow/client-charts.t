# SPDX-License-Identifier: Apache-2.0
# vitrine table view and vitrine table chart: saved, listed, used, removed; an image as a file; agents by call_action.
use utf8;
use Encode ();
use Vitrine::Words;

my ($stack, $api) = stack(data_per_minute => 100000);
my $ann = $stack->user('ann@example.org');
my $art = $api->publish($ann, slug => 'data', visibility => 'private');
sub table { return $stack->client($ann->{token}, 'table', @_, '--artifact', 'data') }
sub call { my ($method, $path, $json) = @_; return $api->call($method => "/v1/data/$art/$path", { token => $ann->{token},
	json => $json })->{json} }
call(PUT => 'tables/t', { columns => [{ name => 'city', type => 'text' }, { name => 'n', type => 'integer' }] });
call(POST => 'tables/t/rows', { rows => [map { { city => $_->[0], n => $_->[1] } } ['Oslo', 1], ['Lund', 2], ['Malmö', 3], ['a,b', 4]] });

my ($status, $view, $err) = table('view', 'add', 't', 'South', '--shared', '--where', 'city=in.Lund,Malm%C3%B6&n=between.1..3', '--order',
	'-n',
	'--columns', 'n,city');
is $status, 0, 'a view is saved' or diag $err;
chomp $view;
is_deeply [@{call(GET => "tables/t/views/$view")->{view}}{qw(scope where order columns)}], ['shared',
	{ and => [['city', 'in', ['Lund', 'Malmö']], ['n', 'between', ['1', '3']]] }, '-n', ['n', 'city']], '... as was said';
is_deeply [table('view', 'list', 't')], [0, "$view  shared   South\n", ''], 'listed';
is Encode::decode('UTF-8', (table('rows', 't', '--view', $view))[1]) =~ s/"id":"row_\w+",//gr, qq({"city":"Malmö","n":3}\n{"city":"Lund","n":2}\n), 'rows of it';
is +(table('view', 'add', 't', 'x', '--where', 'city'))[0], 2, 'a condition that is none';
is +(table('view', 'add', 't', 'Json', '--where', '{"or":[["n","gt",3],["city","eq","Oslo"]]}'))[0], 0, 'conditions as JSON';

($status, my $chart, $err) = table('chart', 'add', 't', 'Cities', '--group', 'city', '--measure', 'sum.n', '--view', $view);
is $status, 0, 'a chart is made' or diag $err;
chomp $chart;
is_deeply [table('chart', 'list')], [0, "$chart  bar        Cities: sum.n by city of t\n", ''], 'listed';
is Encode::decode('UTF-8', (table('chart', 'data', $chart))[1]),
	"Lund to Malmö, from 2 to 3. The most, 3, is at Malmö (Sum of n).\n", 'told';
is_deeply decode_json((table('chart', 'data', $chart, '--json'))[1])->{series}, [{ name => 'Sum of n', values => [2, 3] }], 'in figures';
is +(table('chart', 'svg', $chart, "$stack->{dir}/c.svg", '--theme', 'dark'))[0], 0, 'saved as an image';
like Vitrine::Stack::slurp("$stack->{dir}/c.svg"), qr/^<svg .*<title id="t">Cities/, '... which it is';
is +(table('chart', 'svg', $chart, "$stack->{dir}/c.svg"))[0], 1, 'a file is never replaced';
is_deeply [table(@$_, 'Cities')], [2, '', "vitrine: Cities isn't the id of a chart: vitrine table chart list lists them\n"], "@$_: no id"
	for [qw(chart data)], [qw(chart svg)], [qw(chart remove)];
is_deeply [(table(qw(view remove t South)))[0, 2]], [2, "vitrine: South isn't the id of a view: vitrine table view list lists them\n"],
	'nor of a view';
is +(table('rows', 't', '--where', '{"or":[["n","gt",3],["city","eq","Oslo"]]}'))[1] =~ tr/\n//, 2, 'rows by conditions as JSON';
my $agent = $stack->token($ann->{id}, 'som_', scopes => 255, opens_to => 'public', grant_id => do {
	require Vitrine::World;
	Vitrine::World->new($stack)->make(ogr => user => $ann->{id});
});
my $done = $api->call(POST => '/mcp', { token => $agent, json => { jsonrpc => '2.0', id => 1, method => 'tools/call', params => {
	name => 'call_action', arguments => { action => 'postDataByArtifactIdCharts', path => { artifact_id => $art },
		body => { name => 'By an agent', kind => 'number', table => 't' } } } } })->{json}{result};
ok !$done->{isError}, 'an agent makes a chart' or diag $done->{content}[0]{text};
like +(table('chart', 'list'))[1], qr/By an agent: count of t/, '... which is there';
is_deeply [table('chart', 'remove', $chart)], [0, '', "removed\n"], 'removed';
is_deeply [table('view', 'remove', 't', $view)], [0, '', "removed\n"], 'the view, too';
finish($stack);
