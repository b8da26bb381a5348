# SPDX-License-Identifier: Apache-2.0
# Connecting an agent: metadata, registration, consent, tokens, what they reach, and every way in which it ends.
use utf8;
use Digest::SHA 'sha256';
use MIME::Base64 'encode_base64url';
use Vitrine::Sink;
use Vitrine::Smtp;
use Vitrine::Visitor;
use Vitrine::Words qw(as said);

my $smtp = Vitrine::Smtp->new;
my $tls = ($ENV{VITRINE_VAR} // 'var') . '/tls-test';
my ($stack, $api, $db);
my $sink;
{
	my $dir = File::Temp::tempdir(CLEANUP => 1);
	$sink = Vitrine::Sink->new($dir, tls => 1);
	($stack, $api, $db) = stack(%{{$smtp->conf}}, egress_allow => $sink->allow, egress_ca_file => "$tls/ca.pem",
		agents_connected_per_hour => 1000, agent_calls_per_minute => 1000);
}
my $base = "https://vitrine.localhost:$stack->{port}";
my %user;
for my $name (qw(ann ben)) {
	$user{$name} = $stack->user("$name\@example.org");
	$stack->ctl_in("the password\n", qw(user password), "$name\@example.org");
}
my @SCOPES = qw(artifacts:read artifacts:publish data:read data:write);
my $verifier = 'v' x 43;
my $challenge = encode_base64url(sha256($verifier));
my $back = 'http://127.0.0.1:5555/callback';

sub visitor { my ($name) = @_; my $v = Vitrine::Visitor->new($api); $v->sign_in("$name\@example.org", 'the password') if $name; return $v }
sub form {
	my (%f) = @_;
	return join '&', map { Vitrine::Visitor::escape($_) . '=' . Vitrine::Visitor::escape($f{$_}) } grep { defined $f{$_} } sort keys %f;
}
sub register {
	my (%more) = @_;
	return $api->call(POST => '/v1/oauth/register',
		{ json => { client_name => 'Claude', redirect_uris => ['http://127.0.0.1/callback', 'https://claude.example/cb'], %more } })
}
my $client = register()->{json}{client_id};
sub request {
	my (%more) = @_;
	return (client_id => $client, redirect_uri => $back, response_type => 'code', code_challenge => $challenge,
		code_challenge_method => 'S256', state => 'a b&c', resource => "$base/mcp", %more);
}
sub address { return '/oauth/authorize?' . form(request(@_)) }
my $ann = visitor('ann');
# What the page's answer leads to: the parameters of the address that the person is sent back to.
sub answer {
	my ($v, $request, %in) = @_;
	my $r = $v->go(address(%{$request // {}}));
	die "no page: $r->{status} $r->{text}\n" if $r->{status} != 200;
	$r = $v->submit(qr{^/oauth/authorize$}, { action => 'allow', where => 'all', days => 30, %in }, stay => 1);
	return { status => $r->{status}, text => $r->{text} } if $r->{status} != 303;
	my ($to, $query) = split /\?/, $r->{headers}{location}, 2;
	return { to => $to, map { my ($k, $value) = split /=/, $_, 2; ($k => $value =~ s/\+/ /gr =~ s/%(..)/chr hex $1/ger) } split /&/,
		$query };
}
sub token { my (%f) = @_; return $api->call(POST => '/v1/oauth/token', { type => 'application/x-www-form-urlencoded', body => form(%f) }) }
sub redeem {
	my ($code, %more) = @_;
	return token(grant_type => 'authorization_code', code => $code, client_id => $client, redirect_uri => $back,
		code_verifier => $verifier, %more);
}
sub refresh { my ($token, %more) = @_; return token(grant_type => 'refresh_token', refresh_token => $token, client_id => $client, %more) }
sub connected {
	my (%in) = @_;
	my $who = delete $in{who} // $ann;
	my $ask = delete $in{ask};
	return redeem(answer($who, $ask, %in)->{code})->{json};
}
sub mcp {
	my ($token, $method, $params, %headers) = @_;
	return $api->call(POST => '/mcp', { token => $token,
		json => { jsonrpc => '2.0', id => 1, method => $method, params => $params // {} }, headers => \%headers });
}
sub tool { my ($token, $name, $args) = @_; return mcp($token, 'tools/call', { name => $name, arguments => $args // {} }) }
sub told { return tool(@_)->{json}{result}{structuredContent} }
sub invalid {
	my ($r, $error, $what) = @_;
	is "$r->{status} $r->{json}{error}", "400 $error", $what or diag $r->{body};
	return $r->{json}{error_description};
}

# ---- what it says of itself

for my $path ('', '/mcp') {
	my $r = $api->call(GET => "/.well-known/oauth-protected-resource$path");
	is_deeply $r->{json}, { resource => "$base/mcp", resource_name => 'Vitrine', authorization_servers => [$base],
		bearer_methods_supported => ['header'], resource_documentation => "$base/docs/connect", scopes_supported => \@SCOPES },
		"the resource$path";
	for my $kind ('oauth-authorization-server', 'openid-configuration') {
		$r = $api->call(GET => "/.well-known/$kind$path");
		is $r->{status}, 200;
		is $r->{json}{issuer}, $base, "$kind$path";
		is_deeply $r->{json}{code_challenge_methods_supported}, ['S256'];
		is_deeply $r->{json}{token_endpoint_auth_methods_supported}, ['none'];
		is_deeply $r->{json}{scopes_supported}, [@SCOPES, 'offline_access'], 'no openid';
		ok $r->{json}{client_id_metadata_document_supported} && $r->{json}{authorization_response_iss_parameter_supported};
		is $r->{json}{"${_}_endpoint"}, "$base" . { authorization => '/oauth/authorize', token => '/v1/oauth/token',
				registration => '/v1/oauth/register', revocation => '/v1/oauth/revoke' }->{$_}
			for qw(authorization token registration revocation);
	}
}
is $api->call(GET => '/.well-known/oauth-protected-resource',
		{ headers => { Origin => 'https://tool.example' } })->{headers}{'access-control-allow-origin'}, '*',
	'a program in a browser may read it';

# ---- registering

my $r = register(client_uri => 'https://x.example', scope => 'openid', token_endpoint_auth_method => 'client_secret_post');
is $r->{status}, 201;
is $r->{json}{warnings}, undef, 'metadata of RFC 7591 is not warned of';
is_deeply register(grant_types => ['authorization_code'], response_types => ['code'], contacts => undef, jwks => {},
	nmae => 'x')->{json}{warnings}, ["nmae: isn't recognized and was ignored"], '... a mistyped name is';
is_deeply [sort grep { $_ ne 'warnings' } keys %{$r->{json}}], [sort qw(success client_id client_id_issued_at client_name redirect_uris
	grant_types response_types token_endpoint_auth_method)], 'what comes back';
is $r->{json}{client_id}, $client, 'the same program gets the same id';
is $r->{json}{token_endpoint_auth_method}, 'none', 'and no secret';
isnt register(client_name => 'Other')->{json}{client_id}, $client, 'another another';
$r = register(redirect_uris => ['javascript:alert(1)', 'cursor://anysphere.cursor-mcp/oauth/callback', 'http://evil.example/', 'data:x',
	'file:///etc', 'com.example.app:/cb', 'https://a@b.example/', 'https://a.example/#x', 'http://127.0.0.1.evil.example/',
	'https://x.example/ y']);
is_deeply $r->{json}{redirect_uris}, ['cursor://anysphere.cursor-mcp/oauth/callback', 'com.example.app:/cb'],
	'what can not be used is dropped';
invalid(register(redirect_uris => $_->[0]), 'invalid_redirect_uri', $_->[1])
	for [['javascript:alert(1)'], 'unless nothing is left'], [[], 'none'], ['x', 'no list'], [undef, 'null'];
like invalid(register(client_name => 7), 'invalid_client_metadata', 'a name that is none'), qr/^client_name: must be a string/,
	'... in words';
like register(client_name => "Cl\x{202e}aude\n" . 'x' x 500)->{json}{client_name}, qr/^Claudex{74}$/, 'a name is one plain line';
is $db->selectrow_array('SELECT COUNT(*) FROM agent_grant'), 0, 'nothing is stored';

# ---- the page

my $nobody = visitor();
like $nobody->go(address())->{path}, qr{^/auth/signin\?next=}, 'who is not signed in does that first';
$r = $nobody->submit(qr{signin}, { email => 'ann@example.org', password => 'the password' });
is $r->{path}, address(), 'and comes back';
like $r->{text}, qr/Connect “Claude”\?/, 'its name';
like $r->{text}, qr/isn’t verified.*in a program on this computer/s, 'which is not believed';
like $r->{text}, qr/ann\@example\.org/;
like $r->{headers}{'content-security-policy'}, qr/form-action 'self' \S+ http:$/, 'the form may lead back';
like $r->{headers}{'content-security-policy'}, qr/frame-ancestors 'none'/, 'in no frame';
like $ann->go(address(redirect_uri => 'https://claude.example/cb'))->{text}, qr/at <strong class="mono">claude\.example/, 'the host';
is $db->selectrow_array('SELECT COUNT(*) FROM agent_grant'), 0, 'looking agrees to nothing';
for ([client_id => undef, 'client_id'], [client_id => 'acl_x', 'client_id'], [client_id => $client . 'A', 'client_id'], [client_id => 'x',
	'client_id'], [redirect_uri => undef, 'redirect_uri'], [redirect_uri => 'https://claude.example/cb/x', 'redirect_uri'],
	[redirect_uri => 'https://claude.example:444/cb', 'redirect_uri'],
	[redirect_uri => 'http://127.0.0.1:5555/callback/../x', 'redirect_uri'],
	[redirect_uri => 'http://localhost:5555/callback', 'redirect_uri'], [redirect_uri => 'https://evil.example/', 'redirect_uri'],
	[response_type => 'token', 'response_type'], [code_challenge => undef, 'code_challenge'],
	[code_challenge_method => 'plain', 'code_challenge'], [code_challenge_method => undef, 'code_challenge'],
	[code_challenge => 'x' x 42, 'code_challenge'], [resource => 'https://other.example/mcp', 'resource']) {
	my ($name, $value, $field) = @$_;
	$r = $ann->send(GET => address($name => $value));
	# Only where it is known where the program is.
	if ($field !~ /^(?:client_id|redirect_uri)$/) {
		my $error = { response_type => 'unsupported_response_type', resource => 'invalid_target' }->{$field} // 'invalid_request';
		like "$r->{status} $r->{headers}{location}",
			qr{^303 \Q$back\E\?error=$error&error_description=$field.*&state=a(?:\+|%20)b%26c&iss=},
			"$name " . ($value // 'missing') . ' goes back to the program';
		$r = $ann->send(GET => address($name => $value, redirect_uri => 'https://claude.example/cb'));
		is "$r->{status} " . ($r->{text} =~ m{href="https://claude\.example/cb\?error=$error&amp;[^"]*">Back to claude\.example<}
			? 'a button' : $r->{text}), '400 a button', '... to a web page by a button alone';
		next;
	}
	is $r->{status}, 400, "$name " . ($value // 'missing');
	like $r->{text}, qr/$field: /, '... is told on our page';
	is $r->{headers}{location}, undef, '... and nowhere else';
}
is $ann->go(address(resource => $_))->{status}, 200, 'resource ' . ($_ // 'missing') for undef, $base, "$base/", "$base/mcp/";
is $api->call(GET => address(), { token => $user{ann}{token} })->{status}, 303, 'a token sees no page';
is $api->call(POST => '/oauth/authorize', { token => $user{ann}{token}, type => 'application/x-www-form-urlencoded', body => form(request(),
		action => 'allow', where => 'all', days => 30), headers => { 'Sec-Fetch-Site' => 'same-origin' } })->{status}, 403,
	'nor answers it';
is $ann->send(POST => '/oauth/authorize', body => form(request(), action => 'allow', where => 'all', days => 30),
		headers => { 'Content-Type' => 'application/x-www-form-urlencoded', 'Sec-Fetch-Site' => 'cross-site' })->{status}, 403,
	"nor does another site's form";
is $ann->send(POST => '/oauth/authorize',
	body => form(request(redirect_uri => 'https://evil.example/'), action => 'allow', where => 'all', days => 30),
	headers => { 'Content-Type' => 'application/x-www-form-urlencoded' })->{status}, 400, 'what the form says is judged again';
is_deeply answer($ann, {}, action => 'cancel'), { to => $back, error => 'access_denied', state => 'a b&c', iss => $base }, 'cancelled';
like answer($ann, {}, where => 'workspace', workspace_id => 'wsp_' . '0' x 26)->{text}, qr/hoose a workspace that you are in/,
	'a workspace of others';
is $db->selectrow_array('SELECT COUNT(*) FROM agent_grant'), 0, 'still nothing';

# ---- from consent to a token

my $to = answer($ann, {});
is_deeply [@$to{qw(to state iss)}], [$back, 'a b&c', $base], 'sent back';
invalid(redeem($to->{code}, code_verifier => 'w' x 43), 'invalid_grant', 'a wrong verifier');
invalid(redeem($to->{code}, redirect_uri => 'http://127.0.0.1:5556/callback'), 'invalid_grant', 'another redirect_uri');
invalid(redeem($to->{code}, client_id => register(client_name => 'Other')->{json}{client_id}), 'invalid_grant', 'another client');
invalid(redeem($to->{code}, code_verifier => undef), 'invalid_request', 'no verifier');
invalid(redeem('oac_x'), 'invalid_grant', 'no code');
$r = redeem($to->{code});
is $r->{status}, 200;
like $r->{headers}{'cache-control'}, qr/no-store/;
my $tokens = $r->{json};
like $tokens->{access_token}, qr/^som_/;
is_deeply [@$tokens{qw(token_type expires_in scope)}], ['Bearer', 86400, "@SCOPES"];
is told($tokens->{access_token}, 'whoami')->{email}, 'ann@example.org', 'it works';
is $api->call(GET => '/v1/auth/me', { token => $tokens->{access_token} })->{status}, 401, 'at /mcp only';
is $api->call(GET => '/v1/artifacts', { token => $tokens->{refresh_token} })->{status}, 401, 'the other is none';
is mcp($tokens->{refresh_token}, 'tools/list')->{status}, 401, '... there, too';
ok !grep({ $_->{id} =~ /^tok/ && $_->{name} eq 'Claude' } @{as('ann', GET => '/v1/auth/tokens')->{json}{tokens}}),
	'it is not among the tokens that people make';
$stack->runner;
my ($mail) = grep { $_->{headers}{subject} =~ /Claude was connected/ } $smtp->mails;
like $mail->{parts}{"text/plain"}, qr{127\.0\.0\.1.*$base/auth/account/agents}s, 'its person is told';
$to = answer($ann, {});
my $stolen = redeem($to->{code})->{json};
like invalid(redeem($to->{code}), 'invalid_grant', 'a code that comes twice'), qr/used before/;
is mcp($stolen->{access_token}, 'tools/list')->{status}, 401, '... ends what it gave';
invalid(refresh($stolen->{refresh_token}), 'invalid_grant', '... all of it');
$to = answer($ann, {});
$db->do('UPDATE agent_grant SET code_until = code_until - 61 WHERE NOT redeemed');
like invalid(redeem($to->{code}), 'invalid_grant', 'a code of yesterday'), qr/expired/;
invalid(token(grant_type => 'password', client_id => $client), 'unsupported_grant_type', 'other grants');
is said(token(client_id => $client)), '400 INVALID_REQUEST', 'no grant_type';

# ---- refreshing

my $first = $tokens->{refresh_token};
my $next = refresh($first)->{json};
isnt $next->{refresh_token}, $first, 'another refresh token';
is told($next->{access_token}, 'whoami')->{email}, 'ann@example.org';
is told($tokens->{access_token}, 'whoami')->{email}, 'ann@example.org', 'the older access token lives out its day';
invalid(refresh($first, client_id => register(client_name => 'Other')->{json}{client_id}), 'invalid_grant', "another's");
my @all = map { decode_json($_) } Vitrine::Api::together($stack, 20, sub {
	$api = $_[0];
	return refresh($next->{refresh_token})->{body};
});
is scalar(grep { $_->{access_token} && told($_->{access_token}, 'whoami') } @all), 20, 'twenty at once are all served';
my @thousand = split ' ', join ' ', Vitrine::Api::together($stack, 20, sub {
	$api = $_[0];
	return join ' ', map { refresh($all[1]{refresh_token})->{status} } 1 .. 50;
});
is_deeply [scalar @thousand, grep { $_ != 200 } @thousand], [1000], 'so are a thousand';
ok refresh($all[1]{refresh_token})->{json}{access_token}, '... and one more, as the first was no second time';
like invalid(refresh($all[1]{refresh_token}), 'invalid_grant', 'then it has been too often'), qr/traded too often/;
is mcp($next->{access_token}, 'tools/list')->{status}, 200, '... which ends nothing';
is $db->selectrow_array('SELECT COUNT(*) FROM agent_grant WHERE ended_at IS NULL AND redeemed'), 1, 'of one grant';
$db->do('UPDATE agent_refresh SET used_at = used_at - 121 WHERE used_at IS NOT NULL');
like invalid(refresh($first), 'invalid_grant', 'an old one after three minutes'), qr/ended/;
is mcp($next->{access_token}, 'tools/list')->{status}, 401, '... ends all';
invalid(refresh($all[0]{refresh_token}), 'invalid_grant', '... the newest, too');
$stack->runner;
is scalar(grep { $_->{headers}{subject} =~ /Claude was disconnected/ } $smtp->mails), 2, '... and its person is told';

# ---- what it may

my $ws = as('ann', POST => '/v1/workspaces', { name => 'Team' })->{json}{workspace}{id};
my $other = as('ann', POST => '/v1/workspaces', { name => 'Other' })->{json}{workspace}{id};
my %art = (own => $api->publish($user{ann}, slug => 'own-page'),
	map { ($_->[0] => $api->publish($user{ann}, slug => "$_->[0]-page", workspace_id => $_->[1])) } [team => $ws], [other => $other]);
my %may = (all => connected(where => 'all'), own => connected(where => 'own'),
	team => connected(where => 'workspace', workspace_id => $ws));
my %sees = (all => 'other own team', own => 'own', team => 'team');
for my $where (sort keys %may) {
	my $t = $may{$where}{access_token};
	is join(' ', grep { !tool($t, 'get_artifact', { artifact => $art{$_} })->{json}{result}{isError} } sort keys %art), $sees{$where},
		"$where: what it reads";
	is join(' ', sort map { $_->{slug} =~ s/-page//r } grep { $_->{slug} =~ /-page$/ } @{told($t, 'list_artifacts')->{artifacts}}),
		$sees{$where}, '... lists';
	is join(' ', grep {
		!tool($t, 'update_artifact', { artifact => $art{$_}, name => "By $where" })->{json}{result}{isError};
	} sort keys %art), $sees{$where}, '... changes';
	my $made = tool($t, 'publish',
		{ name => "made by $where", files => [{ path => 'index.html', content => $where }] })->{json}{result}{structuredContent};
	is $db->selectrow_array('SELECT workspace_id FROM artifact WHERE id = ?', undef, $made->{artifact}{id}),
		$where eq 'team' ? $ws : undef, '... and where it publishes' or diag explain $made;
	my $there = tool($t, 'publish',
		{ name => "there by $where", workspace => $other, files => [{ path => 'index.html', content => $where }] })->{json}{result};
	is !!$there->{isError}, $where ne 'all', '... into the other workspace' or diag explain $there;
	is join(' ', sort map { $_->{name} } @{told($t, 'whoami', { workspaces => Cpanel::JSON::XS::true })->{workspaces} // []}),
		{ all => 'Other Team', own => '', team => 'Team' }->{$where}, '... what it is told of';
	like tool($t, 'read_action', { action => 'getAuthTokens' })->{json}{result}{content}[0]{text}, qr/SCOPE|person/i,
		'... never tokens';
}
my $public = tool($may{all}{access_token}, 'update_artifact', { artifact => $art{own}, visibility => 'public' })->{json}{result};
is $db->selectrow_array("SELECT visibility FROM artifact WHERE id = ?", undef, $art{own}), 'private', 'it makes nothing public';
like $public->{content}[0]{text}, qr/review_url/, '... and says where its person does';
my $opens = connected(opens_to => 'public');
ok !tool($opens->{access_token}, 'update_artifact', { artifact => $art{own}, visibility => 'public' })->{json}{result}{isError};
is $db->selectrow_array("SELECT visibility FROM artifact WHERE id = ?", undef, $art{own}), 'public', 'unless it may';
my $reads = connected(read_only => 1, opens_to => 'public');
is $reads->{scope}, 'artifacts:read data:read', 'read only';
$r = tool($reads->{access_token}, 'publish', { name => 'x', files => [{ path => 'index.html', content => 'x' }] });
is $r->{status}, 403, '... can not publish';
like $r->{headers}{'www-authenticate'}, qr/error="insufficient_scope"/;
is connected(ask => { scope => 'artifacts:read openid nonsense' })->{scope}, 'artifacts:read', 'a program that asks for less gets that';
like answer($ann, { scope => 'artifacts:publish' }, read_only => 1)->{text}, qr/asks for nothing that it could read/, 'nothing is left';

# ---- a client whose id is an address

my $doc = $sink->url('/client');
$to = answer($ann, { client_id => $doc, redirect_uri => 'http://127.0.0.1:7777/cb' });
is $to->{to}, 'http://127.0.0.1:7777/cb';
$r = redeem($to->{code}, client_id => $doc, redirect_uri => 'http://127.0.0.1:7777/cb');
is $r->{status}, 200, 'a client by its address' or diag $r->{body};
$r = $ann->go(address(client_id => $doc, redirect_uri => 'https://localhost/cb'));
like $r->{text}, qr/Connect “Program &lt;b&gt;”.*from <span class="mono">localhost/s, '... with the host that it is from';
for ([$sink->url('/client/other'), qr/another program/], [$sink->url('/client/large'), qr/can\S+t be read/], [$sink->url('/client/text'),
	qr/doesn\S+t describe/], [$sink->url('/move/1'), qr/status 302/], [$sink->url('/status/404'), qr/status 404/],
	['https://127.0.0.1:1/client', qr/can\S+t be read/], ['http://localhost/client', qr/isn\S+t one/],
	['https://localhost', qr/isn\S+t one/], ['https://a@localhost/x', qr/isn\S+t one/], ['https://localhost/a/../b', qr/isn\S+t one/]) {
	$r = $ann->send(GET => address(client_id => $_->[0], redirect_uri => 'https://localhost/cb'));
	is $r->{status}, 400, $_->[0];
	like $r->{text}, $_->[1] or diag $r->{text};
}

# ---- for its person

my $list = as('ann', GET => '/v1/auth/agents')->{json}{agents};
my ($last) = grep { !$_->{ended_at} && "@{$_->{scopes}}" eq 'artifacts:read data:read' } @$list;
is_deeply [sort keys %$last],
	[sort qw(id name host scopes opens_to workspace_id own_only changes created_at expires_at last_used_at ended_at)], 'one of them';
is_deeply [@$last{qw(name host workspace_id changes ended_at)}], ['Claude', '127.0.0.1', undef, 0, undef];
is_deeply as('ann', GET => "/v1/auth/agents/$last->{id}")->{json}{agent}, $last, 'alone';
is scalar(grep { $_->{ended_at} } @$list), 2, 'those that ended are there, too';
my ($opener) = grep { $_->{opens_to} eq 'public' } @$list;
my $acts = as('ann', GET => "/v1/auth/agents/$opener->{id}/acts")->{json}{acts};
is_deeply [map { [@$_{qw(artifact_id name)}, sort keys %$_] } @$acts],
	[[$art{own}, 'By own', sort qw(id at what artifact_id name request_id was_live was_visibility was_name trashed since can_undo)]],
	'what it changed' or diag explain $acts;
my ($maker) = grep { $_->{own_only} } @$list;
is $maker->{changes}, 2, 'how much';
like as('ann', GET => "/v1/auth/agents/$maker->{id}/acts")->{json}{acts}[0]{name}, qr/^made by own$/, 'what is new has its name';
is scalar(@{as('ann', GET => "/v1/auth/agents/$maker->{id}/acts?limit=1")->{json}{acts}}), 1, 'in parts';
is said(as('ben', GET => "/v1/auth/agents/$last->{id}")), '404 NOT_FOUND', 'nobody else sees it';
is said(as('ben', GET => "/v1/auth/agents/$last->{id}/acts")), '404 NOT_FOUND';
is said(as('ben', DELETE => "/v1/auth/agents/$last->{id}")), '404 NOT_FOUND', 'nor ends it';
is_deeply as('ben', GET => '/v1/auth/agents')->{json}{agents}, [], 'nor lists it';
is as('ann', DELETE => "/v1/auth/agents/$last->{id}")->{status}, 200, 'ended';
is mcp($reads->{access_token}, 'tools/list')->{status}, 401, '... with the next request';
invalid(refresh($reads->{refresh_token}), 'invalid_grant', '... for good');
is as('ann', DELETE => "/v1/auth/agents/$last->{id}")->{status}, 200, 'ending it again changes nothing';
$r = $ann->go('/auth/account/agents');
like $r->{text}, qr/Claude.*127\.0\.0\.1.*wherever you can/s, 'the page';
like $r->{text}, qr/May show pages to everybody/;
like $r->{text}, qr{<a href="/a/$art{own}">}, 'with what it did';
is $ann->go("/auth/account/agents/$maker->{id}")->{status}, 200;
is visitor('ben')->go("/auth/account/agents/$maker->{id}")->{status}, 404;

# ---- how it ends

sub revoke {
	return $api->call(POST => '/v1/oauth/revoke',
		{ type => 'application/x-www-form-urlencoded', body => form(token => $_[0], token_type_hint => 'access_token') });
}
for my $kind (qw(access_token refresh_token)) {
	my $one = connected();
	is revoke($one->{$kind})->{status}, 200, "the program gives back its $kind";
	is mcp($one->{access_token}, 'tools/list')->{status}, 401;
	invalid(refresh($one->{refresh_token}), 'invalid_grant', '... all of it');
}
is revoke('nonsense')->{status}, 200, 'what is none is revoked, too';
is revoke($user{ann}{token})->{status}, 200;
is as('ann', GET => '/v1/auth/me')->{status}, 200, 'a token that people make is not ended so';
my $brief = connected(days => 1);
$db->do('UPDATE agent_grant SET expires_at = UNIX_TIMESTAMP() - 1 WHERE expires_at < UNIX_TIMESTAMP() + 86401 AND redeemed');
invalid(refresh($brief->{refresh_token}), 'invalid_grant', 'its time is over');
my $ben = visitor('ben');
$db->do("INSERT INTO member (workspace_id, user_id, role, joined_at) VALUES (?, ?, 'member', 1)", undef, $ws, $user{ben}{id});
$db->do("UPDATE workspace SET people = people + 1 WHERE id = ?", undef, $ws);
my $member = connected(who => $ben, where => 'workspace', workspace_id => $ws);
is told($member->{access_token}, 'whoami')->{email}, 'ben@example.org';
is as('ann', DELETE => "/v1/workspaces/$ws/members/$user{ben}{id}")->{status}, 200, 'who leaves the workspace';
is mcp($member->{access_token}, 'tools/list')->{status}, 401, '... takes the agents along';
my @audit = grep { $_->{action} =~ /^agent\./ } @{as('ann', GET => "/v1/workspaces/$ws/audit?limit=200")->{json}{entries}
	// as('ann', GET => "/v1/workspaces/$ws/audit?limit=200")->{json}{audit}};
is_deeply [sort map { $_->{action} } @audit], [sort qw(agent.connected agent.connected agent.disconnected)], 'the audit has it';
my $bens = connected(who => $ben);
$stack->ctl(qw(user disable ben@example.org));
is mcp($bens->{access_token}, 'tools/list')->{status}, 401, 'a disabled account';
invalid(refresh($bens->{refresh_token}), 'invalid_grant', '... gets no other');
$stack->ctl(qw(user enable ben@example.org));
is told($bens->{access_token}, 'whoami')->{email}, 'ben@example.org', 'until it is back';
$db->do('UPDATE agent_grant SET reap_at = 1 WHERE ended_at IS NOT NULL');
$db->do('UPDATE agent_refresh SET expires_at = 1 WHERE used_at IS NOT NULL');
$db->do('UPDATE agent_act SET at = 1');
$stack->runner;
is $db->selectrow_array('SELECT COUNT(*) FROM agent_grant WHERE reap_at = 1') + $db->selectrow_array('SELECT COUNT(*) FROM agent_refresh '
	. 'WHERE expires_at = 1') + $db->selectrow_array('SELECT COUNT(*) FROM agent_act'), 0, 'what has had its time is gone';
is $stack->ctl('fsck'), 'clean';

# ---- limits

$stack->{conf} = { %{$stack->{conf}}, agent_calls_per_minute => 3 };
$stack->write_conf;
$stack->stop_one("worker");
$stack->start_worker;
my $quick = connected();
my @calls = map { mcp($quick->{access_token}, 'tools/list') } 1 .. 5;
like join(' ', map { $_->{status} } @calls), qr/^200 200 200 429 429$/, 'messages a minute';
like $calls[-1]{headers}{'retry-after'}, qr/^\d+$/;
is $calls[-1]{json}{error}{code}, 429, '... as the protocol has it';
finish($stack);
