# SPDX-License-Identifier: Apache-2.0
# Plans, what an operator gives beside them, how long browsers stay signed in, and what agents are told of a workspace.
use utf8;
use Encode 'encode_utf8';
use Vitrine::Visitor;
use Vitrine::Words qw(as refused);

my ($stack, $api, $db) = stack();
my ($ann, $ben, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben eve);
my $ws = as($ann, POST => '/v1/workspaces', { name => 'Team', slug => 'team' })->{json}{workspace}{id};
$stack->seat($ws, $ben, 'member');
my $path = "/v1/workspaces/$ws";
my @features = qw(external_sharing knowledge subdomain session_policy custom_branding custom_domains);
sub features { my (@on) = @_; return { map { my $f = $_; $f => (grep { $_ eq $f } @on) ? $true : $false } @features } }

# ---- plans

my $plans = as(undef, GET => '/v1/billing/plans')->{json}{plans};
is join(' ', map { $_->{id} } @$plans), 'free pro team enterprise', 'the plans, the least first';
is_deeply $plans->[1], { id => 'pro', name => 'Pro', tier => 'pro', price_cents => 800, currency => 'USD', interval => 'month',
	trial_days => 15, seats_min => 1, seats_max => 25, self_serve => $true,
	features => features(qw(knowledge custom_branding)), limits => { seats => 25, agent_tokens => 20 } }, 'one of them';
is_deeply [@{$plans->[3]}{qw(seats_max self_serve)}, $plans->[3]{limits}], [undef, $false, { seats => undef, agent_tokens => undef }],
	'one without limits';
is_deeply as($eve, GET => '/v1/account/tier')->{json}, { success => $true, tier => 'free', plan_id => 'free', workspace_id => undef,
	features => features(), limits => { seats => 10, agent_tokens => 5 } }, 'who is in no workspace has the default one';
$stack->ctl(qw(workspace plan team pro));
is_deeply [@{as($ben, GET => '/v1/account/tier')->{json}}{qw(tier plan_id workspace_id)}], ['pro', 'pro', $ws],
	'a member has what the workspace has';
is as($ann, GET => $path)->{json}{workspace}{tier}, 'pro', 'which tells it, too';
is as($ann, GET => $path)->{json}{workspace}{seats}{limit}, 25, 'and its seats';
refused(as($eve, GET => "/v1/account/tier?workspace_id=$ws"), '404 NOT_FOUND', 'another one\'s');
refused(as(undef, GET => '/v1/account/tier'), '401 UNAUTHENTICATED', 'nobody');
$stack->ctl(qw(workspace feature team subdomain on));
$stack->ctl(qw(workspace feature team knowledge off));
is_deeply as($ben, GET => "$path/features")->{json}, { success => $true, features => features(qw(subdomain custom_branding)) },
	'what an operator gives and takes beside it';
$stack->ctl(qw(workspace feature team), $_, 'plan') for qw(subdomain knowledge);
is_deeply as($ben, GET => "$path/features")->{json}{features}, features(qw(knowledge custom_branding)), 'and leaves to the plan again';
$stack->ctl(qw(workspace plan team team --until), '2001-01-01');
is as($ann, GET => $path)->{json}{workspace}{tier}, 'free', 'a plan that is over';
like +($stack->program("vitrinectl", {}, qw(workspace plan team gold)))[2], qr/no plan gold/, 'a plan that there is not';
like +($stack->program("vitrinectl", {}, qw(workspace feature team flying on)))[2], qr/no feature flying/, 'a feature that there is not';
like $stack->ctl(qw(workspace list)), qr/^wsp_\w+\s+team\s+free\s+2\b.*Team$/m, 'an operator sees them';

# ---- how long a browser stays signed in

$stack->ctl_in("the password\n", qw(user password ben@example.org));
my $v = Vitrine::Visitor->new($api);
$v->sign_in('ben@example.org', 'the password');
sub signed_in { return $v->go('/auth/account')->{path} eq '/auth/account' }
ok signed_in(), 'a member is signed in';
refused(as($ann, PUT => "$path/session-policy", { session_max_days => 7 }), '402 TIER_REQUIRED', 'the plan lacks it');
$stack->ctl(qw(workspace plan team team));
refused(as($ben, PUT => "$path/session-policy", { session_max_days => 7 }), '403 ACCESS_DENIED', 'a member may not');
is_deeply as($ben, GET => "$path/session-policy")->{json}, { success => $true, session_max_days => undef, effective_days => 30 },
	'there is none';
is_deeply as($ann, PUT => "$path/session-policy", { session_max_days => 7 })->{json},
	{ success => $true, session_max_days => 7, effective_days => 7 }, 'set';
is as($ben, GET => "$path/session-policy")->{json}{effective_days}, 7, 'a member may know';
ok signed_in(), 'a young session goes on';
$db->do('UPDATE session SET created_at = created_at - 3 * 86400 WHERE user_id = ?', undef, $ben->{id});
ok signed_in(), 'one of three days, too';
as($ann, PUT => "$path/session-policy", { session_max_days => 3 });
ok !signed_in(), 'until less is allowed: at once';
as($ann, PUT => "$path/session-policy", { session_max_days => 4 });
ok signed_in(), 'and again';
my $second = as($eve, POST => '/v1/workspaces', { name => 'Second' })->{json}{workspace}{id};
$stack->ctl(qw(workspace plan), $second, 'team');
as($eve, PUT => "/v1/workspaces/$second/session-policy", { session_max_days => 1 });
ok signed_in(), 'what another workspace sets is for its members';
is as($eve, POST => "/v1/workspaces/$second/members", { email => 'ben@example.org' })->{status}, 201, 'who comes in';
ok !signed_in(), 'has the least of both';
is as($eve, DELETE => "/v1/workspaces/$second")->{status}, 200, 'in the trash';
ok signed_in(), 'it holds nobody';
is as($eve, POST => "/v1/workspaces/$second/restore")->{status}, 200, 'brought back';
ok !signed_in(), 'it does';
$db->do('UPDATE user SET session_max_days = 5 WHERE id = ?', undef, $ben->{id});
like +($stack->program('vitrinectl', {}, 'fsck'))[1],
	qr/user $ben->{id}: is under a different session policy than their workspaces set; run vitrinectl user recount/,
	'what strays is found';
$stack->ctl(qw(user recount));
ok !signed_in(), 'and mended';
is as($ben, GET => "$path/session-policy")->{json}{effective_days}, 1, 'and is told so';
is as($ben, GET => '/v1/auth/me')->{status}, 200, 'tokens are not concerned';
$stack->ctl(qw(workspace plan), $second, 'free');
ok !signed_in(), 'a plan that has ended does not loosen it';
is as($eve, PUT => "/v1/workspaces/$second/session-policy", { session_max_days => undef })->{status}, 200, 'but it can be taken away';
ok signed_in(), 'then it holds no longer';

# ---- what agents are told

my $context = "$path/context";
is_deeply as($ben, GET => $context)->{json}, { success => $true, entry => undef, files => [] }, 'nothing yet';
sub put {
	my ($name, $text, %o) = @_;
	return $api->call(PUT => "$context/$name", { token => $ann->{token}, body => encode_utf8($text), type => 'text/markdown', %o });
}
my $r = put('README.md', "# Wer wir sind\nGrüße 東\n");
is $r->{status}, 201, 'a file' or diag $r->{body};
is_deeply $r->{json}, { success => $true, name => 'README.md', content => "# Wer wir sind\nGrüße 東\n",
	size_bytes => length encode_utf8("# Wer wir sind\nGrüße 東\n"), updated_at => $r->{json}{updated_at} }, 'as it is kept';
is as($ann, PUT => "$context/style.md", { content => "Be brief.\n" })->{status}, 201, 'as JSON';
is as($ann, PUT => "$context/style.md", { content => "Be kind.\n" })->{status}, 200, 'again';
my $raw = $api->call(GET => "$context/style.md", { token => $ben->{token}, headers => { Accept => 'text/markdown' } });
is "$raw->{headers}{'content-type'} $raw->{body}", "text/markdown; charset=utf-8 Be kind.\n", 'as it is, for who asks so';
my $etag = as($ben, GET => "$context/style.md")->{headers}{etag};
is $api->call(PUT => "$context/style.md", { token => $ann->{token}, json => { content => 'x' },
	headers => { 'If-Match' => '"x"' } })->{status}, 412, 'If-Match of another state';
is $api->call(PUT => "$context/style.md",
	{ token => $ann->{token}, json => { content => 'x' }, headers => { 'If-Match' => $etag } })->{status}, 200, 'and of this one';
is $api->call(GET => "$context/style.md", { token => $ben->{token},
	headers => { 'If-None-Match' => as($ben, GET => "$context/style.md")->{headers}{etag} } })->{status}, 304, 'unchanged';
is_deeply [map { [@$_{qw(name size_bytes)}, $_->{updated_by}{email}] } @{as($ben, GET => $context)->{json}{files}}],
	[['README.md', 27, 'ann@example.org'], ['style.md', 1, 'ann@example.org']], 'the files';
is as($ann, PUT => $context, { entry => 'README.md' })->{json}{entry}, 'README.md', 'where to begin';
refused(as($ann, PUT => $context, { entry => $_ }), '400 INVALID_REQUEST', "the entry $_") for 'none.md', '../x';
refused(as($ann, PUT => "$context/$_", { content => 'x' }), '404 NOT_FOUND', "the name $_") for '..%2fx', '.hidden', 'a%2fb', 'x' x 101;
refused(as($ann, PUT => "$context/x.md", { content => 'x' x (256 * 1024 + 1) }), '413 FILE_TOO_LARGE', 'too much');
refused($api->call(PUT => "$context/x.md", { token => $ann->{token}, body => "\xff", type => 'text/markdown' }), '400 INVALID_REQUEST',
	'no UTF-8');
refused(as($ben, $_->[0] => $_->[1], $_->[2]), '403 ACCESS_DENIED', "a member: $_->[0]")
	for [PUT => $context, { entry => undef }], [PUT => "$context/x.md", { content => 'x' }], [DELETE => "$context/style.md"];
is as($ann, DELETE => "$context/README.md")->{status}, 200, 'deleted';
refused(as($ann, DELETE => "$context/README.md"), '404 NOT_FOUND', 'once');
is as($ben, GET => $context)->{json}{entry}, undef, 'then there is no entry either';
my $n = 1;
put('n' . ++$n . '.md', 'x') while $n < 100;
is scalar @{as($ben, GET => $context)->{json}{files}}, 100, 'a hundred files';
refused(put('more.md', 'x'), '409 LIMIT_REACHED', 'and no more');
is put('n5.md', 'y')->{status}, 200, 'those that are there can change';
finish($stack);
