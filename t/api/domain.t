# SPDX-License-Identifier: Apache-2.0
# Domains of an artifact: who adds, sees, checks, and removes them; hosts that are refused; limits. t/job/domains.t proves them.
use utf8;
use Vitrine::Words qw(as said refused);

my ($stack, $api, $db) = stack(certificates => 'local', domains_per_user => 3);
my %user = map { $_ => $stack->user("$_\@example.org") } qw(own adm edi vie mem str);
my $ws = as('own', POST => '/v1/workspaces', { name => 'Team', slug => 'team' })->{json}{workspace}{id};
$stack->ctl(qw(workspace feature team custom_domains on));
$stack->seat($ws, $user{adm}, 'admin');
$stack->seat($ws, $user{$_}, 'member') for qw(edi vie mem);
my $art = $api->publish($user{own}, name => 'Report', slug => 'report', visibility => 'unlisted', workspace_id => $ws);
as('own', POST => "/v1/artifacts/$art/collaborators", { emails => ['edi@example.org'], role => 'editor' });
as('own', POST => "/v1/artifacts/$art/collaborators", { emails => ['vie@example.org'], role => 'viewer' });
my $path = "/v1/artifacts/$art/domains";
sub add { my ($who, $host, %more) = @_; return as($who, POST => $path, { host => $host, %more }) }

# ---- adding

my $r = add('own', 'WWW.Example.org.');
is $r->{status}, 201, 'an owner adds a domain' or diag $r->{body};
my $d = $r->{json}{domain};
my $txt = $d->{records}[0]{value};
like $txt, qr/^vitrine-domain=[A-Za-z0-9_-]{24}$/, 'with a text that proves it';
is_deeply $d, { id => $d->{id}, artifact_id => $art, host => 'www.example.org', unicode => 'www.example.org',
	url => "https://www.example.org:$stack->{port}/", state => 'waiting', reason => undef, records => [
		{ type => 'TXT', name => '_vitrine.www.example.org', value => $txt },
		{ type => 'CNAME', name => 'www.example.org', value => 'report.pages.localhost' }],
	redirect => $false, certificate_expires_at => undef, checked_at => undef, created_at => $d->{created_at} },
	'with exactly these members, in the form of DNS';
like $d->{id}, qr/^dom_[0-9a-z]{26}$/;
my $two = add('adm', 'bücher.example', redirect => $true)->{json}{domain};
is_deeply [@{$two}{qw(host unicode redirect)}, map { $_->{type} } @{$two->{records}}],
	['xn--bcher-kva.example', 'bücher.example', $true, 'TXT', 'ALIAS'], "an admin adds one; a registered domain can't have a CNAME";
is add('own', 'аpple.example')->{json}{domain}{unicode}, 'xn--pple-43d.example', 'a label of two scripts stays as DNS has it';
for (['*.example.org'], ['co.uk', 'everybody can have names below co\.uk'], ['github.io', 'everybody can'], ['localhost'], ['127.0.0.1'],
	['a..b'], ['[::1]'], ['a_b.example.org'], ['https://www.example.org'], ['www.example.org/x'], ['-a.example.org'],
	['pages.localhost', 'belongs to this service'], ['x.pages.localhost', 'belongs to this service'],
	['vitrine.localhost', 'belongs to this service']) {
	my ($typed, $why) = (@$_, 'two labels');
	refused(add('own', $typed), '400 INVALID_REQUEST', "no host: $typed", qr/^host: .*$why/);
}
refused(add('own', 'a' x 300), '400 INVALID_REQUEST', '300 letters', qr/^host: .*253/);
refused(as('own', POST => $path, {}), '400 INVALID_REQUEST', 'none', qr/^host: /);
refused(add('own', 'www.example.org'), '409 CONFLICT', 'twice', qr/has www\.example\.org already/);

# ---- who

for ([edi => '403 ACCESS_DENIED'], [vie => '403 ACCESS_DENIED'], [mem => '403 ACCESS_DENIED'], [str => '403 ACCESS_DENIED']) {
	my ($who, $want) = @$_;
	is said(add($who, 'x.example.org')), $want, "$who adds none";
	is said(as($who, PATCH => "$path/$d->{id}", { redirect => $true })), $want, "... changes none";
	is said(as($who, DELETE => "$path/$d->{id}")), $want, '... removes none';
	is said(as($who, POST => "$path/$d->{id}/check")), $want, '... checks none';
	next if $who eq 'edi';
	is said(as($who, GET => $path)), $want, '... lists none';
	is said(as($who, GET => "$path/$d->{id}")), $want, '... sees none';
}
is scalar @{as('edi', GET => $path)->{json}{domains}}, 3, 'an editor lists them';
is_deeply as('edi', GET => "$path/$d->{id}")->{json}{domain}, $d, '... and sees one';
my $private = $api->publish($user{own}, name => 'Own', visibility => 'private', slug => 'private');
is said(as('str', $_->[0] => "/v1/artifacts/$private/domains", @$_[1 .. $#$_])), '404 NOT_FOUND', "a stranger: $_->[0] of a private one"
	for [POST => { host => 'x.example.org' }], ['GET'];
is said($api->call(POST => $path, { json => { host => 'x.example.org' } })), '401 UNAUTHENTICATED', 'nobody';
my $bot = as('own', POST => "/v1/workspaces/$ws/agent-tokens", { name => 'Bot', scopes => ['artifacts:publish', 'artifacts:read'] })
	->{json};
is said($api->call(POST => $path, { token => $bot->{token}, json => { host => 'x.example.org' } })), '403 INSUFFICIENT_SCOPE',
	'an agent adds none';
my $bots = $api->publish({ token => $bot->{token} }, name => 'Of an agent', workspace_id => $ws);
$db->do('UPDATE token SET scopes = NULL WHERE id = ?', undef, $bot->{agent_token}{id});
refused($api->call(POST => "/v1/artifacts/$bots/domains", { token => $bot->{token}, json => { host => 'x.example.org' } }),
	'403 INSUFFICIENT_SCOPE', 'whatever its token may do', qr/limited to one workspace/);
is $api->call(GET => "/v1/artifacts/$bots/domains", { token => $bot->{token} })->{status}, 200, 'but reads those of its artifact';

# ---- seeing, changing

is_deeply [map { $_->{host} } @{as('own', GET => "$path?limit=2")->{json}{domains}}], ['xn--pple-43d.example', 'xn--bcher-kva.example'],
	'the newest first';
my $next = as('own', GET => "$path?limit=2")->{json}{next_cursor};
is_deeply [map { $_->{host} } @{as('own', GET => "$path?limit=2&cursor=$next")->{json}{domains}}], ['www.example.org'], 'in parts';
is as('own', PATCH => "$path/$d->{id}", { redirect => $true })->{json}{domain}{redirect}, $true, 'it redirects there';
refused(as('own', PATCH => "$path/$d->{id}", {}), '400 INVALID_REQUEST', 'changed to nothing', qr/^redirect: /);
my $other = $api->publish($user{own}, name => 'Other', slug => 'other', visibility => 'unlisted', workspace_id => $ws);
is said(as('own', $_->[0] => "/v1/artifacts/$other/domains/$d->{id}$_->[1]", @$_[2 .. $#$_])), '404 NOT_FOUND',
	"@$_[0, 1] of another artifact"
	for ['GET', ''], ['PATCH', '', { redirect => $true }], ['DELETE', ''], ['POST', '/check'];
is_deeply as('own', GET => "/v1/artifacts/$art")->{json}{artifact}{domains}, [], 'the artifact names none that is not active';
$db->do("UPDATE domain SET state = 'active' WHERE id = ?", undef, $d->{id});
$db->do("UPDATE artifact SET domains = 'www.example.org' WHERE id = ?", undef, $art);
is_deeply as('edi', GET => "/v1/artifacts/$art")->{json}{artifact}{domains}, ['www.example.org'], '... and those that are';

# ---- checking

my $asked = as('own', POST => "$path/$two->{id}/check");
is $asked->{json}{domain}{id}, $two->{id}, 'somebody has it checked' or diag $asked->{body};
my $soon = as('own', POST => "$path/$two->{id}/check");
refused($soon, '429 RATE_LIMITED', '... once a minute', qr/at most once a minute; try again in \d+ seconds/);
cmp_ok $soon->{headers}{'retry-after'} // 0, '>', 30, '... with when';
$db->do('UPDATE domain SET asked_at = asked_at - 60 WHERE id = ?', undef, $two->{id});
is as('own', POST => "$path/$two->{id}/check")->{status}, 200, '... and a minute later again';
$db->do("UPDATE domain SET state = 'failed', due_at = NULL, ended_at = UNIX_TIMESTAMP() WHERE id = ?", undef, $two->{id});
refused(as('own', POST => "$path/$two->{id}/check"), '409 CONFLICT', 'not one that has ended', qr/add it again/);
my $again = add('own', 'bücher.example')->{json}{domain};
isnt $again->{records}[0]{value}, $two->{records}[0]{value}, 'which is added again with a new text';
is said(as('own', GET => "$path/$two->{id}")), '404 NOT_FOUND', '... in its place';

# ---- what others have

my %their = map { $_ => $api->publish($user{str}, name => "Theirs $_", visibility => 'unlisted') } 1 .. 6;
sub theirs { my ($n, $host) = @_; return as('str', POST => "/v1/artifacts/$their{$n}/domains", { host => $host }) }
my $held = refused(theirs(1, 'www.example.org'), '409 CONFLICT', "another's");
is theirs(1, 'xn--bcher-kva.example')->{status}, 201, 'several wait for a host';
$db->do("UPDATE domain SET artifact_id = ? WHERE host = 'xn--bcher-kva.example' AND artifact_id = ?", undef, "art_$_" . 'z' x 25,
	$their{1}), theirs(1, 'xn--bcher-kva.example') for 1 .. 4;
my $busy = refused(theirs(2, 'xn--bcher-kva.example'), '409 CONFLICT', '... five at most');
is $busy->{json}{error} =~ s/xn--bcher-kva\.example/HOST/r, $held->{json}{error} =~ s/www\.example\.org/HOST/r,
	'nobody learns which of the two it is';
is theirs($_, "a$_.example.org")->{status}, 201, 'a person has domains without a workspace' for 2 .. 4;
refused(theirs(5, 'a5.example.org'), '409 LIMIT_REACHED', '... three', qr/at most 3 domains/);

# ---- limits, plans, settings

add('own', "n$_.example.org") for 1 .. 7;
refused(add('own', 'n8.example.org'), '409 LIMIT_REACHED', 'ten of an artifact', qr/at most 10 domains/);
$stack->ctl(qw(workspace feature team custom_domains off));
refused(add('own', 'n9.example.org'), '402 TIER_REQUIRED', 'a plan without domains', qr/plan/);
is as('own', DELETE => "$path/$d->{id}")->{status}, 200, 'one is removed';
is said(as('own', DELETE => "$path/$d->{id}")), '404 NOT_FOUND', '... once';
is_deeply as('own', GET => "/v1/artifacts/$art")->{json}{artifact}{domains}, [], '... and the artifact names it no more';
is_deeply $db->selectcol_arrayref("SELECT action FROM audit WHERE workspace_id = ? AND action LIKE 'domain%' ORDER BY id DESC LIMIT 2",
	undef, $ws), ['domain.removed', 'domain.added'], 'and it is written down';
is $api->call(GET => "/.well-known/acme-challenge/$again->{id}")->{body},
	$db->selectrow_array('SELECT answer FROM domain WHERE id = ?', undef, $again->{id}),
	'the service answers at a host that leads here';
is $api->call(GET => '/.well-known/acme-challenge/dom_' . '9' x 26)->{status}, 404, '... of a domain that there is';

# ---- no certificates

for (['bad host', '400 INVALID_REQUEST', qr/^host: "bad host" must be/], ['n9.example.org', '409 CONFLICT', qr/can't get certificates/]) {
	local $stack->{conf} = { %{$stack->{conf}}, certificates => 'files' };
	$stack->stop_one('worker');
	$stack->write_conf;
	$stack->start_worker;
	my $r = add('own', $_->[0]);
	refused($r, $_->[1], "$_->[0] where certificates are files", $_->[2]);
	is $r->{headers}{'retry-after'}, undef, '... for good';
}
$stack->stop_one('worker');
$stack->write_conf;
$stack->start_worker;

# ---- moved, purged

as('own', POST => '/v1/workspaces', { name => 'Poor', slug => 'poor' });
my ($poor) = $db->selectrow_array("SELECT id FROM workspace WHERE slug = 'poor'");
$stack->ctl(qw(workspace feature poor custom_domains off));
$stack->ctl(qw(workspace feature team custom_domains on));
is as('own', POST => "/v1/artifacts/$other/domains", { host => 'moves.example.org' })->{status}, 201;
is as('own', PATCH => "/v1/artifacts/$other", { workspace_id => $poor })->{status}, 200, 'an artifact moves to a plan without domains';
is_deeply as('own', GET => "/v1/artifacts/$other/domains")->{json}{domains}, [], '... which leaves none';
is said(as('own', POST => "/v1/artifacts/$private/domains", { host => 'mine.example.org' })), '201 ', 'one of a person';
is as('own', PATCH => "/v1/artifacts/$private", { workspace_id => $ws })->{status}, 200, 'moves';
is scalar @{as('own', GET => "/v1/artifacts/$private/domains")->{json}{domains}}, 1, '... to a plan with them, and keeps it';
finish $stack;
