# SPDX-License-Identifier: Apache-2.0
# VITRINE_TRACE=1 logs each statement of a request, without a value.
use Vitrine::Words;

BEGIN { $ENV{VITRINE_TRACE} = 1 }
my ($stack, $api) = stack();
my $ann = $stack->user('ann@example.org');
my $id = $api->publish($ann, slug => 'traced-page', files => { 'index.html' => 'secretwords' });
my $get = $api->call(GET => "/v1/artifacts/$id", { token => $ann->{token} });
is $get->{status}, 200, 'a read';
my $tool = $api->call(POST => '/mcp', { token => $ann->{token}, json => { jsonrpc => '2.0', id => 1, method => 'tools/call',
	params => { name => 'get_artifact', arguments => { artifact => $id, include => ['files', 'versions', 'stats'] } } } });
is $tool->{status}, 200, "an agent's, of four things";

my $log = Vitrine::Stack::slurp("$stack->{dir}/worker.log");
my @lines = map { Cpanel::JSON::XS::decode_json($_) } grep { /"event":"statement"/ } split /\n/, $log;
sub of { my ($reply) = @_; return grep { ($_->{request_id} // '') eq $reply->{headers}{'x-request-id'} } @lines }
my @read = of($get);
ok @read > 0, 'statements bear the id of their request';
is_deeply [grep { !($_->{us} > 0 && $_->{rows} =~ /^\d+$/ && $_->{at} =~ m{^(?:\S*/)?src/\w+/\w+\.c:\d+$} && length $_->{sql}) } @read], [],
	'each has µs, rows, place and text';
is scalar(grep { $_->{sql} =~ /\bFROM artifact a\b/ } of($tool)), 1, '... which finds the artifact once';
my ($db) = map { Cpanel::JSON::XS::decode_json($_)->{db} } grep { /"event":"request"/ && /$get->{headers}{'x-request-id'}/ } split /\n/,
	$log;
cmp_ok scalar @read, '<=', $db, 'not more than the round trips that the request says; preparing is among these';
my @texts = map { $_->{sql} } @lines;
is scalar(grep { $_ eq 'COMMIT' } @texts), scalar(grep { $_ eq 'START TRANSACTION' } @texts), 'transactions begin and end';
unlike join("\n", map { $_->{sql} } @lines), qr/traced-page|secretwords|ann\@example\.org/, 'no value is among them';

done_testing;
