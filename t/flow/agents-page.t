# SPDX-License-Identifier: Apache-2.0
# From one address to a published page, and to an end: a program finds out by itself how it is connected, its person agrees in the browser,
# it publishes, edits, writes data and reads comments, and is disconnected.
use utf8;
use Digest::SHA 'sha256';
use MIME::Base64 'encode_base64url';
use Vitrine::Browser;
use Vitrine::Sink;
use Vitrine::Visitor;
use Vitrine::Words 'as';

my ($stack, $api, $db) = stack();
my $sink = Vitrine::Sink->new($stack->{dir});
my $app = "https://vitrine.localhost:$stack->{port}";
my $ann = $stack->user('ann@example.org');
$stack->ctl_in("the password\n", qw(user password ann@example.org));
my $ws = as('ann', POST => '/v1/workspaces', { name => 'Northwind Studio' })->{json}{workspace}{id};
my $b = Vitrine::Browser->new($stack, width => 1280, height => 900);
sub path { my ($url) = @_; return $url =~ s/^\Q$app\E//r }
sub form { my (%f) = @_; return join '&', map { Vitrine::Visitor::escape($_) . '=' . Vitrine::Visitor::escape($f{$_}) } sort keys %f }
sub token {
	my (%f) = @_;
	return $api->call(POST => '/v1/oauth/token', { type => 'application/x-www-form-urlencoded', body => form(%f) })->{json};
}

# ---- the program finds its way

my $r = $api->call(POST => '/mcp', { json => { jsonrpc => '2.0', id => 1, method => 'initialize', params => {} } });
is $r->{status}, 401, 'an address is all that it has';
my ($where) = $r->{headers}{'www-authenticate'} =~ /resource_metadata="([^"]+)"/;
my $server = $api->call(GET => path($where))->{json}{authorization_servers}[0];
my $can = $api->call(GET => path($server) . '/.well-known/oauth-authorization-server')->{json};
my $back = $sink->url('/callback');
my $client = $api->call(POST => path($can->{registration_endpoint}),
	{ json => { client_name => 'Claude', redirect_uris => ['http://127.0.0.1/callback'] } })->{json}{client_id};
my $verifier = 'v' x 50;
sub ask {
	my (%more) = @_;
	return $can->{authorization_endpoint} . '?' . form(response_type => 'code', client_id => $client, redirect_uri => $back,
		code_challenge => encode_base64url(sha256($verifier)), code_challenge_method => 'S256', state => 'xyz',
		resource => "$app/mcp", scope => 'artifacts:read artifacts:publish data:read data:write', %more);
}
# The code that the person is sent back with.
sub sent_back {
	Vitrine::Stack::wait_for('the way back', 60, sub { $b->url =~ /^\Q$back\E\?/ });
	my %got = map { split /=/, $_, 2 } split /&/, $b->url =~ s/.*\?//r;
	return \%got;
}

# ---- its person agrees

$b->go(ask());
$b->wait_text(qr/Sign in/);
$b->fill('#email', 'ann@example.org')->fill('#password', 'the password')->click('form button.primary');
$b->wait_text(qr/Connect “Claude”\?/);
my $text = $b->text('body');
like $text, qr/The name isn’t verified/, 'what it is told of the program';
like $text, qr/Publish, change and comment/, '... what it may';
like $text, qr/ann\@example\.org/;
is join('; ', $b->looks('agents-consent')), '', 'without barriers';
$b->click('button[value=cancel]');
is sent_back()->{error}, 'access_denied', 'cancelled, the program hears it';
$b->go(ask());
$b->wait_text(qr/Connect “Claude”\?/);
$b->click('input[value=all]');
$b->click('button[value=allow]');
my $got = sent_back();
is $got->{state}, 'xyz', 'allowed';
my $tokens = token(grant_type => 'authorization_code', code => $got->{code}, client_id => $client, redirect_uri => $back,
	code_verifier => $verifier);
like $tokens->{access_token}, qr/^som_/, 'a token';

# ---- it works

sub mcp {
	my ($method, $params) = @_;
	return $api->call(POST => '/mcp',
		{ token => $tokens->{access_token}, json => { jsonrpc => '2.0', id => 1, method => $method, params => $params // {} } });
}
sub tool {
	my ($name, $args) = @_;
	my $r = mcp('tools/call', { name => $name, arguments => $args })->{json}{result};
	fail("$name: $r->{content}[0]{text}") if $r->{isError};
	return $r->{structuredContent};
}
is mcp('initialize', { protocolVersion => '2025-06-18', capabilities => {},
	clientInfo => { name => 'x', version => '1' } })->{json}{result}{protocolVersion}, '2025-06-18';
ok @{mcp('tools/list')->{json}{result}{tools}} >= 15, 'its tools';
my $made = tool(publish => { name => 'Quarterly report', files => [{ path => 'index.html',
	content => '<!doctype html><title>Q</title><h1>Quarterly report</h1><p>Revenue rose by 4 %.</p>' }] });
my $id = $made->{artifact}{id};
$b->go("$app/a/$id");
$b->wait_text(qr/Quarterly report/);
pass 'its person finds the page';
tool(publish => { artifact => $id, mode => 'patch', expected_version => 1,
	files => [{ path => 'index.html', edits => [{ old => 'by 4 %', new => 'by 5 %' }] }] });
like tool(fetch => { id => $id })->{text}, qr/rose by 5 %/, 'a word is changed';
as('ann', PUT => "/v1/data/$id/tables/orders", { columns => [{ name => 'n', type => 'number' }] });
tool(write_data => { artifact => $id, table => 'orders', insert => [{ n => 1 }, { n => 2 }] });
like tool(query_data => { artifact => $id, table => "orders" })->{rows}, qr{"n":1.*"n":2}s, "a table";
as('ann', POST => "/v1/artifacts/$id/comments", { text => 'Make the title shorter' });
like $api->{json}->encode(tool(get_artifact => { artifact => $id, include => ['comments'] })), qr/Make the title shorter/,
	'what people said';

# ---- its person looks, and ends it

$b->go("$app/auth/account");
$b->click('nav.side a[href="/auth/account/agents"]');
$b->wait_text(qr/Connected agents/);
$text = $b->text('main');
like $text, qr/Claude.*127\.0\.0\.1.*wherever you can/s, 'the agent';
like $text, qr/3 changes in 90 days/;
like $text, qr/Added rows to Quarterly report.*Published Quarterly report/s;
like $text, qr/Asks before it shows a page to others/;
is scalar(@{$b->script('return [...document.querySelectorAll("ul.rows a")].filter(e => e.textContent == "Quarterly report")')}), 3,
	'what it did, and to what';
is join('; ', $b->looks('agents')), '', 'without barriers';
like $b->text('form[action$="/undo"] button'), qr{^Make version 1 live again\s*: Quarterly report$}, 'what can be undone';
$b->click('form[action$="/undo"] button');
$b->wait_text(qr/Version 1 is live now\./);
is as('ann', GET => "/v1/artifacts/$id")->{json}{artifact}{version_no}, 1, '... is undone';
is join('; ', $b->looks('agents-undone')), '', '... and its page has no barriers';
$b->go("$app/auth/account/agents");
$b->click('button.danger');
$b->wait_text(qr/Ended/);
is mcp('tools/list')->{status}, 401, 'ended: the next request is refused';
is token(grant_type => 'refresh_token', refresh_token => $tokens->{refresh_token}, client_id => $client)->{error}, 'invalid_grant',
	'... and there is no other token';

# ---- in one workspace, on a telephone, and by name

$b->go(ask());
$b->wait_text(
	qr/One workspace.*Every member can open what it makes there\..*Nobody: I decide each time.*In a workspace, private means its members\./s);
$b->click('button[value=allow]');
$tokens = token(grant_type => 'authorization_code', code => sent_back()->{code}, client_id => $client, redirect_uri => $back,
	code_verifier => $verifier);
$made = tool(publish => { name => 'Team plan', files => [{ path => 'index.html', content => 'x' }] });
is $db->selectrow_array('SELECT workspace_id FROM artifact WHERE id = ?', undef, $made->{artifact}{id}), $ws,
	'what is offered first is the workspace';
like $b->go("$app/a/$made->{artifact}{id}/versions")->text('.things'), qr/Claude for ann\@example\.org/,
	'its version says who published it, and for whom';
is join(' ', @{as('ann', GET => "/v1/artifacts/$made->{artifact}{id}/versions")->{json}{versions}[0]}{qw(author agent_name)}),
	'ann@example.org Claude', '... by the API, too';
is_deeply [map { $_->{agent_name} } grep { $_->{action} eq 'artifact.created' } @{as('ann',
	GET => "/v1/workspaces/$ws/audit")->{json}{audit}}], ['Claude'], '... and the audit says so';
like $b->go("$app/w/$ws/audit")->text('ul.rows'), qr/Claude for ann\@example\.org published Team plan/, '... to people';
$b->go("$app/auth/account/agents");
$b->wait_text(qr/in Northwind Studio/);

# ---- where a workspace's policy lets it work

my $policy = "/v1/workspaces/$ws/agent-policy";
my $shut = as('ann', POST => '/v1/workspaces', { name => 'Shut' })->{json}{workspace}{id};
as('ann', PATCH => "/v1/workspaces/$shut/agent-policy", { agents => 'off' });
as('ann', PATCH => $policy, { agents => 'read_only' });
$b->go(ask());
$b->wait_text(qr/One workspace/);
is $b->text('#which'), 'Northwind Studio (read only)', 'where it could only read is said to be so';
like $b->text('main'), qr/Not in Shut: its admins have turned agents off\./, 'where agents are off is not offered';
is join('; ', $b->looks('agents-consent-policies')), '', 'without barriers';
$b->script("document.querySelector('#which option').value = arguments[0]", $shut);
$b->click('button[value=allow]');
$b->wait_text(qr/admins of this workspace don.t let this program work in it/);
is $db->selectrow_array('SELECT COUNT(*) FROM agent_grant WHERE workspace_id = ?', undef, $shut), 0, '... nor agreed to, whatever is sent';
$b->complaints;
is mcp('tools/list')->{status}, 200, 'one that is there reads';
as('ann', PATCH => $policy, { agents => 'on', agent_hosts => ['claude.ai'] });
is mcp('tools/list')->{status}, 403, '... until its host is not let in, with the next request';
$b->go(ask());
$b->wait_text(qr/Not in Northwind Studio: its admins allow only agents from other hosts\./);
is $b->script('return document.querySelectorAll("#which").length'), 0, 'where none lets it in, none is offered';
as('ann', PATCH => $policy, { agent_hosts => ['claude.ai', '127.0.0.1'] });
is mcp('tools/list')->{status}, 200, '... and back';
is_deeply [$b->complaints], [], 'no page broke its own policy';
finish($stack);
