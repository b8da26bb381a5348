# SPDX-License-Identifier: Apache-2.0
# What went wrong when a page was opened: who is told, in which words. t/job/problems.t has a browser open pages.
use Vitrine::Words 'refused';

my ($stack, $api, $db) = stack(chromium => 'auto');
my ($ann, $ben, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben eve);
my $art = $api->publish($ann, slug => 'breaks', visibility => 'public', files => { 'index.html' => 'x' });
my $other = $api->publish($eve, slug => 'other', files => { 'index.html' => 'x' });
sub ask {
	my ($who, $which) = @_;
	return $api->call(GET => '/v1/artifacts/' . ($which // $art) . '/problems', { ($who ? (token => $who->{token}) : ()) });
}
sub share {
	my ($role) = @_;
	is $api->call(POST => "/v1/artifacts/$art/collaborators",
		{ token => $ann->{token}, json => { emails => ['ben@example.org'], role => $role } })->{status}, 200, "ben is $role";
}
my $true = Cpanel::JSON::XS::true;

is_deeply ask($ann)->{json},
	{ success => $true, problems => { version_no => 1, checked_at => undef, status => 'waiting', items => [], other_hosts => [] } },
	'it has not been opened; exactly these keys';
my @items = ({ kind => 'exception', text => 'ReferenceError: x is not defined', url => '/app.js', line => 3, count => 1 },
	{ kind => 'blank', text => 'Nothing can be seen', url => undef, line => undef, count => 1 });
$db->do('UPDATE page_check SET due_at = NULL, checked_at = 1700000000, found = ? WHERE artifact_id = ?',
	undef, $api->{json}->encode({ items => \@items, other_hosts => ['cdn.example.com'] }), $art);
is_deeply ask($ann)->{json}{problems}, { version_no => 1, checked_at => 1700000000, status => 'checked', items => \@items,
	other_hosts => ['cdn.example.com'] }, 'what went wrong';
is $api->call(HEAD => "/v1/artifacts/$art/problems", { token => $ann->{token} })->{status}, 200, 'HEAD';

subtest 'who is told' => sub {
	refused(ask(undef), '401 UNAUTHENTICATED', 'a stranger is not, though the page is public');
	refused(ask($eve), '403 ACCESS_DENIED', 'nor is somebody with an account');
	share('viewer');
	refused(ask($ben), '403 ACCESS_DENIED', 'nor a viewer');
	share('editor');
	is scalar @{ask($ben)->{json}{problems}{items}}, 2, 'an editor is';
	refused(ask($ann, $other), '404 NOT_FOUND', "another's private page is not there");
	refused(ask($ann, 'art_01m890qvc9hzygpsjndpfrjgae'), '404 NOT_FOUND', 'nor is one that never was');
	refused($api->call(POST => "/v1/artifacts/$art/problems", { token => $ann->{token}, json => {} }), '405 METHOD_NOT_ALLOWED',
		'not to be changed');
	$db->do('UPDATE token SET scopes = ? WHERE user_id = ?', undef, 2, $ben->{id});
	refused(ask($ben), '403 INSUFFICIENT_SCOPE', 'a token without artifacts:read may not');
};

subtest 'the client' => sub {
	my $told = sub { my ($status, $out, $err) = $stack->client($ann->{token}, 'problems', @_); is $status, 0; return "$out|$err" };
	is $told->('breaks'), "exception at /app.js:3: ReferenceError: x is not defined\nblank     Nothing can be seen\n|",
		'what went wrong';
	is_deeply decode_json(($told->('breaks', '--json') =~ /(.*)\|/s)[0])->{problems}{other_hosts}, ['cdn.example.com'], '--json';
	$db->do("UPDATE page_check SET found = '{\"items\":[],\"other_hosts\":[]}' WHERE artifact_id = ?", undef, $art);
	is $told->('breaks'), "|nothing went wrong when the live version was opened\n", 'nothing';
	$api->publish($ann, slug => 'breaks', files => { 'index.html' => 'y' });
	is $told->('breaks'), "|the live version will be opened soon; ask again in 10 seconds\n", 'another version';
	$db->do('DELETE FROM page_check WHERE artifact_id = ?', undef, $art);
	is $told->('breaks'), "|the live version was not opened in a browser\n", 'never';
};

subtest 'what becomes of it' => sub {
	my $draft = $api->publish($ann, slug => 'draft', draft => $true, files => { 'index.html' => 'x' });
	is_deeply ask($ann, $draft)->{json}{problems}, { version_no => undef, checked_at => undef, status => 'unavailable', items => [],
		other_hosts => [] }, 'only a draft: nothing is live';
	is $db->selectrow_array('SELECT COUNT(*) FROM page_check WHERE artifact_id = ?', undef, $draft), 0,
		'... and nothing is to be opened';
	is $api->call(POST => "/v1/artifacts/$draft/versions/1/restore", { token => $ann->{token} })->{status}, 200, 'live';
	is ask($ann, $draft)->{json}{problems}{status}, 'waiting';
	is $api->call(DELETE => "/v1/artifacts/$draft", { token => $ann->{token} })->{status}, 200, 'in the trash';
	refused(ask($ann, $draft), '404 NOT_FOUND', 'no page of the trash');
	is $api->call(DELETE => "/v1/artifacts/$draft?purge=1", { token => $ann->{token} })->{status}, 200, 'for good';
	$stack->{conf} = { %{$stack->{conf}}, chromium => '"-"' };
	$stack->write_conf;
	$stack->runner;
	is $db->selectrow_array('SELECT COUNT(*) FROM page_check WHERE artifact_id = ?', undef, $draft), 0,
		'... with all that was said of it';
	$stack->stop_one('worker');
	$stack->start_worker;
	is ask($ann, $api->publish($ann, slug => 'off'))->{json}{problems}{status}, 'unavailable', 'where there is to be no browser';
};

finish($stack);
