# SPDX-License-Identifier: Apache-2.0
# Finding things with the client: by words, with typos, of some kinds, in a workspace, and what was opened last.
use utf8;
use Vitrine::Words;

my ($stack, $api, $db) = stack();
my ($ann, $ben) = map { $stack->user("$_\@example.org") } qw(ann ben);
sub client { return $stack->client($ann->{token}, 'search', @_) }
sub fine { my ($status, $out, $err) = client(@_); is "$status $err", '0 ', "search @_"; utf8::decode($out); return $out }

my $ws = $api->call(POST => '/v1/workspaces',
	{ token => $ann->{token}, json => { name => 'Harbor', slug => 'harbor' } })->{json}{workspace}{id};
my $sales = $api->publish($ann, slug => 'sales', name => 'Sales of the quarter', visibility => 'private');
my $team = $api->publish($ann, slug => 'team-sales', name => 'Übersicht: отчёт', visibility => 'private', workspace_id => $ws);
$api->publish($ben, slug => 'bens', name => 'Sales of Ben', visibility => 'private');

like fine('sales', 'quarter'), qr{^pages      Sales of the quarter(?:  .*)?  https://\S+\n\z},
	'a line for each: its kind, its name, its address';
like fine('slaes qaurter'), qr/^pages      Sales of the quarter/, 'typos, and several words as one argument';
like fine('sale'), qr/Sales of the quarter/, 'the beginning of a word';
like fine($_), qr/Übersicht: отчёт/, "$_ finds it" for map { utf8::encode(my $s = $_); $s } 'ubersicht', 'отчет', 'отчт übersicht';
unlike fine('sales'), qr/Ben/, 'what others keep to themselves isn\'t there';
is join('|', client('zzyzx')), "0||nothing was found\n", 'nothing isn\'t a failure';
is join('|', client('zzyzx', '--quiet')), '0||', '... and --quiet doesn\'t say so';

is scalar(() = fine('sales', '--limit', '1') =~ /\n/g), 1, '--limit';
like fine('sales', '--groups', 'pages,folders'), qr/Sales/, '--groups with it';
is +(client('sales', '--groups', 'folders', '--quiet'))[1], '', '... and without';
my $within = fine('sales', '--workspace', 'harbor');
like $within, qr/отчёт/, '--workspace has what is in it';
unlike $within, qr/quarter/, '... and nothing else';
my $reply = decode_json((client('quarter', '--json'))[1]);
is join(' ', map { $_->{id} } @{$reply->{results}}), $sales, '--json prints the reply';
is $reply->{groups}{pages}, 1, '... with how many there are of each kind';
is decode_json((client('sales & more', '--json'))[1])->{query}, 'sales & more', 'what is typed is sent as it stands';

$api->call(GET => "/v1/artifacts/$team", { token => $ann->{token} });
like fine(), qr/Übersicht: отчёт/, 'without words: what was opened last';

sub refused {
	my ($want, $like, @args) = @_;
	my ($status, $out, $err) = client(@args);
	is "$status $out", "$want ", "refused: @args";
	like $err, $like, '... and says why';
}
refused(1, qr/groups/, 'sales', '--groups', 'pages,ships');
refused(2, qr/x isn't a number/, 'sales', '--limit', 'x');
refused(1, qr/limit/, 'sales', '--limit', '1000');
refused(1, qr/q: |200/, 'x' x 201);
refused(1, qr/There is no workspace none-such/, 'sales', '--workspace', 'none-such');
my ($status, undef, $err) = $stack->client('so_none', 'search', 'sales');
is $status, 3, 'with a token that isn\'t one';
finish($stack);
