# SPDX-License-Identifier: Apache-2.0
# Clients of a workspace, their people, and tokens for these: what they are, who may change them, and what ends with what.
use utf8;
use Compress::Zlib ();
use MIME::Base64;
use Vitrine::Provider;
use Vitrine::Smtp;
use Vitrine::Visitor;
use Vitrine::Words qw(as said refused);

my $smtp = Vitrine::Smtp->new;
my $folder = File::Temp::tempdir('vitrine-providers-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my ($stack, $api) = stack($smtp->conf, providers_dir => $folder, grace_s => 0);
my $idp = Vitrine::Provider->new($stack->{tls}, "https://vitrine.localhost:$stack->{port}/auth/callback");
$idp->configure($folder, allowed_domains => 'elsewhere.example');
$stack->stop_one('worker');
$stack->start_worker;
my $db = $stack->db;
my ($ann, $ben, $cat, $dan, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben cat dan eve);
$db->do("UPDATE user SET name = 'Dan' WHERE id = ?", undef, $dan->{id});
my ($ws, $other) = map { as($ann, POST => '/v1/workspaces', { name => $_, slug => lc })->{json}{workspace}{id} } qw(Studio Other);
$stack->seat($ws, $ben, 'admin');
$stack->seat($ws, $cat, 'member');
my $path = "/v1/workspaces/$ws/sharees";
refused(as($ann, GET => $path), '403 EXTERNAL_SHARING_NOT_ENTITLED', 'a plan without it');
$stack->ctl(qw(workspace feature), $_, qw(external_sharing on)) for qw(studio other);
sub one { my ($sql, @args) = @_; return $db->selectrow_array($sql, undef, @args) }
sub audit {
	return join ' ', map { $_->[0] } @{$db
		->selectall_arrayref("SELECT action FROM audit WHERE workspace_id = ? AND action LIKE 'sharee.%' ORDER BY id", undef, $ws)};
}
sub mails {
	return map { decode_json($_) }
		@{$db->selectcol_arrayref("SELECT payload FROM outbox WHERE kind = 'mail' AND subject = ? ORDER BY id", undef, $_[0])};
}
sub add {
	my ($name, %o) = @_;
	my $r = as($ben, POST => $path, { name => $name, %o });
	is $r->{status}, 201, "a client: $name" or diag $r->{body};
	return $r->{json}{sharee};
}
sub invite { my ($client, $email) = @_; return as($ben, POST => "$path/$client/members", { email => $email }) }
sub png {
	my ($w, $h) = @_;
	my $chunk = sub { pack('N', length $_[1]) . $_[0] . $_[1] . pack('N', Compress::Zlib::crc32($_[0] . $_[1])) };
	return "\x89PNG\r\n\x1a\n" . $chunk->('IHDR', pack('NNCCCCC', $w, $h, 8, 2, 0, 0, 0)) . $chunk->('tEXt', "Comment\0SECRET")
		. $chunk->('IDAT', Compress::Zlib::compress(("\0" . "\x20\x40\x80" x $w) x $h)) . $chunk->('IEND', '');
}
sub data { return "data:image/$_[0];base64," . encode_base64($_[1], '') }

# ---- clients

my $r = as($ben, POST => $path, { name => '  Harbour Foods ' });
is $r->{status}, 201, 'an admin adds a client' or diag $r->{body};
my $harbour = $r->{json}{sharee};
is_deeply $harbour, { id => $harbour->{id}, name => 'Harbour Foods', type => 'client', properties => {},
		branding => { logo => undef, color => undef }, member_count => 0, created_at => $harbour->{created_at} },
	'with exactly these members';
is $r->{headers}{location}, "$path/$harbour->{id}", 'and an address';
my $at = "$path/$harbour->{id}";
is_deeply as($ann, GET => $at)->{json}, { success => $true, sharee => $harbour }, 'the owner gets it';
refused(as($ben, POST => $path, { name => $_ }), '409 CONFLICT', "another of the name: $_",
		qr/^name: the workspace already has a client called/)
	for 'harbour foods', 'HARBOUR FOODS ', "Harbour\x{a0}Foods", "\x{ff28}arbour Foods";
refused(as($ben, POST => $path, { name => ' ' }), '400 INVALID_REQUEST', 'a name that shows nothing', qr/^name: /);
refused(as($ben, POST => $path, { name => 'x', type => $_ }), '400 INVALID_REQUEST', "the type '$_'", qr/^type: /)
	for 'Two words', '1st', '-x', 'größe';
refused(as($ben, POST => $path, { name => 'x', properties => $_->[0] }), '400 INVALID_REQUEST', 'properties that are wrong', $_->[1])
	for [{ a => {} }, qr/^properties\.a: must be text, a number/], [{ a => [1] }, qr/^properties\.a: /],
	[{ map { ($_ => 1) } 1 .. 51 }, qr/^properties: has 51 values; the maximum is 50/], [{ '' => 1 }, qr/^properties: a name/],
	[{ 'x' x 101 => 1 }, qr/^properties: a name/], [{ "a\nb" => 1 }, qr/^properties: a name/],
	[{ a => 'x' x 16384 }, qr/^properties: /];
my $metro = add('Metro Bikes', type => 'partner', properties => { since => 2019, vat => 1.5, note => "a\nb", vip => $true, none => undef },
	branding => { color => '#0A5C9E' });
is_deeply $metro->{properties}, { since => 2019, vat => 1.5, note => "a\nb", vip => $true, none => undef }, 'properties are flat';
is "$metro->{type} $metro->{branding}{color}", 'partner #0a5c9e', 'and the rest as it was said';
refused(as($ben, POST => $path, { name => 'x', branding => { color => 'crimson' } }), '400 INVALID_REQUEST', 'a color',
	qr/^branding\.color: must be #/);
is_deeply [map { $_->{name} } @{as($ben, GET => $path)->{json}{sharees}}], ['Harbour Foods', 'Metro Bikes'], 'they are listed by name';
is_deeply [map { $_->{name} } @{as($ben, GET => "$path?q=FOO")->{json}{sharees}}], ['Harbour Foods'], 'by a part of it';
refused(as($ben, GET => "/v1/workspaces/$other/sharees"), '404 NOT_FOUND', 'not to an admin of another workspace');

# What is left out stays, null takes away.
my $change = sub {
	my $r = as($ben, PATCH => "$path/$metro->{id}", $_[0]);
	is $r->{status}, 200, 'changed: ' . encode_json($_[0]) or diag $r->{body};
	return $r->{json}{sharee};
};
my $was = $metro;
is_deeply $change->({}), $was, 'nothing is said, nothing changes';
is_deeply $change->({ name => 'Metro' }), { %$was, name => 'Metro' }, 'a name';
is_deeply $change->({ name => 'METRO' }), { %$was, name => 'METRO' }, 'its own in another case';
refused(as($ben, PATCH => "$path/$metro->{id}", { name => 'harbour foods' }), '409 CONFLICT', 'the name of another');
is_deeply $change->({ type => 'client', properties => { a => 'b' } }),
	{ %$was, name => 'METRO', type => 'client', properties => { a => 'b' } }, 'properties are replaced';
is_deeply $change->({ properties => undef })->{properties}, {}, '... and taken away';
is_deeply $change->({ branding => {} })->{branding}, $was->{branding}, 'of a branding, too, what is left out stays';
is_deeply $change->({ branding => { color => undef } })->{branding}, { logo => undef, color => undef }, '... and null takes it away';
is as($ben, PATCH => "$path/$metro->{id}", { $_ => undef })->{json}{sharee}{$_}, { name => 'METRO', type => 'client' }->{$_},
	"$_: null is absent" for qw(name type);
my ($tag) = as($ben, GET => "$path/$metro->{id}")->{headers}{etag};
$change->({ name => 'Metro Bikes' });
refused(as($ben, PATCH => "$path/$metro->{id}", headers => { 'If-Match' => $tag }, json => { name => 'x' }), '412 PRECONDITION_FAILED',
	'one that has changed meanwhile');
refused(as($ben, DELETE => "$path/$metro->{id}", headers => { 'If-Match' => $tag }), '412 PRECONDITION_FAILED',
	'... is not removed either');

# ---- logos

my $logo = $change->({ branding => { logo => data(png => png(20, 10)), color => '#ffffff' } })->{branding};
like $logo->{logo}, qr{^https://vitrine\.localhost:$stack->{port}/v1/logos/[0-9a-f]{32}$}, 'a logo has an address of ours';
$r = $api->call(GET => $logo->{logo} =~ s{^https://[^/]+}{}r);
is "$r->{status} $r->{headers}{'content-type'} $r->{headers}{'cache-control'}", '200 image/png public, max-age=31536000, immutable',
	'where everybody may see it';
unlike $r->{body}, qr/SECRET/, 'and has been written anew';
is_deeply $change->({ branding => $logo })->{branding}, $logo, 'what was read can be sent back';
$stack->runner;
is $api->call(GET => $logo->{logo} =~ s{^https://[^/]+}{}r)->{status}, 200, '... and stay';
refused(as($ben, PATCH => "$path/$metro->{id}", { branding => { logo => $_->[0] } }), "400 INVALID_REQUEST", "a logo: $_->[1]", $_->[2])
	for ['https://example.org/logo.png', 'an address', qr/^branding\.logo: .*addresses aren't fetched/],
	[$logo->{logo} =~ s/.$/x/r, 'an address of ours that it does not have', qr/aren't fetched/], [data('svg+xml', '<svg/>'), 'SVG',
		qr/^branding\.logo: must be data:image/], [data(png => 'x'), 'no image', qr/^branding\.logo: isn't a PNG/],
	['data:image/png;base64,??', 'no base64', qr/base64/], [data(png => png(5000, 1)), 'too large a picture', qr/^branding\.logo: /];
refused(as($ben, PATCH => "$path/$metro->{id}", { branding => { logo => data(png => 'x' x (256 * 1024 + 1)) } }), '413 FILE_TOO_LARGE',
	'too many bytes', qr/^branding\.logo: is .*; the maximum is /);
is as($ben, GET => "$path/$metro->{id}")->{json}{sharee}{branding}{logo}, $logo->{logo}, 'what is refused changes nothing';
my $another = $change->({ branding => { logo => data(png => png(20, 10)) } })->{branding};
isnt $another->{logo}, $logo->{logo}, 'another one has another address';
is $api->call(GET => $logo->{logo} =~ s{^https://[^/]+}{}r)->{status}, 404, '... and the first has gone';
is_deeply $change->({ branding => undef })->{branding}, { logo => undef, color => undef }, 'a branding goes as a whole';
my $branded = add('Branded', branding => { logo => data(png => png(3, 3)) });
is $api->call(GET => $branded->{branding}{logo} =~ s{^https://[^/]+}{}r)->{status}, 200, 'a new client may have one';
as($ben, DELETE => "$path/$branded->{id}");
is $api->call(GET => $branded->{branding}{logo} =~ s{^https://[^/]+}{}r)->{status}, 404, 'which goes with it';

# ---- people

$r = invite($harbour->{id}, 'Dan@Example.org');
is $r->{status}, 201, 'somebody with an account' or diag $r->{body};
my $dans = $r->{json}{member};
is_deeply $dans, { id => $dan->{id}, email => 'dan@example.org', name => 'Dan', status => 'active', created_at => $dans->{created_at} },
	'exactly these members';
$r = invite($harbour->{id}, 'Kim@Harbour.example');
is $r->{status}, 201, 'somebody without one: the same' or diag $r->{body};
my $kim = $r->{json}{member};
is_deeply $kim, { id => $kim->{id}, email => 'kim@harbour.example', name => undef, status => 'invited', created_at => $kim->{created_at} },
	'with null where nothing is known';
like $kim->{id}, qr/^usr_[0-9a-z]{26}$/, 'and an id';
is invite($harbour->{id}, $_)->{status}, 200, "$_ again" for 'dan@example.org', 'KIM@harbour.example';
is_deeply as($ben, GET => "$at/members")->{json},
	{ success => $true, members => [sort { $a->{id} cmp $b->{id} } $dans, $kim], next_cursor => undef }, 'they are listed';
is as($ben, GET => $at)->{json}{sharee}{member_count}, 2, 'and counted';
refused(invite($harbour->{id}, $_->[0]), '409 INTERNAL_MEMBER', "$_->[1] of the workspace", qr/^email: \S+ is a member/)
	for ['cat@example.org', 'a member'], ['ANN@example.org', 'the owner'];
refused(invite($harbour->{id}, 'x'), '400 INVALID_REQUEST', 'no address', qr/^email: /);
is one('SELECT COUNT(*) FROM user WHERE outside AND id IN (?, ?)', $cat->{id}, $ann->{id}), 0, 'who is refused is marked as nothing';
is one('SELECT COUNT(*) FROM user WHERE outside'), 2, 'who is not is';
is one("SELECT CONCAT(kind, ' ', email IS NULL, ' ', invited_email) FROM user WHERE id = ?", $kim->{id}), 'guest 1 kim@harbour.example',
	'a guest has no address that others find';
is_deeply [as($ann, GET => "/v1/workspaces/$ws")->{json}{workspace}{seats}{used}, one('SELECT people FROM workspace WHERE id = ?', $ws)],
	[3, 3], 'nobody outside takes a seat';
$r = as($dan, GET => $at);
refused($r, '404 NOT_FOUND', 'nor sees the workspace');

# Where addresses are looked for, a guest is not there.
like $stack->ctl(qw(user list)), qr/^\Q$kim->{id}\E  \S+  kim\@harbour\.example \(guest\)$/m, 'operators see who they are';
$r = as($ann, POST => "/v1/workspaces/$other/members", { email => 'kim@harbour.example' });
is $r->{status}, 202, 'others invite them as somebody unknown' or diag $r->{body};
refused(as($ann, POST => "/v1/workspaces/$other/members", { user_id => $kim->{id} }), '404 NOT_FOUND', 'their id is nobody\'s');
my $art = $api->publish($cat, slug => 'cats', visibility => 'private');
as($cat, POST => "/v1/artifacts/$art/collaborators", { emails => ['kim@harbour.example'], role => 'editor' });
is one('SELECT COUNT(*) FROM collaborator_pending WHERE artifact_id = ?', $art), 1, 'a role waits for them';
is one('SELECT COUNT(*) FROM collaborator WHERE artifact_id = ?', $art), 0, '... and is not theirs yet';

# Mails.
my @to_dan = mails('dan@example.org');
is scalar @to_dan, 1, 'who is in it already is not mailed again';
is_deeply { map { $_ => $to_dan[0]{values}{$_} } qw(workspace what link until) },
	{ workspace => 'Studio', what => 'Harbour Foods', link => '/shared', until => undef }, 'the mail says who shares';
my @to_kim = grep { $_->{template} eq 'sharee_invited' } mails('kim@harbour.example');
is scalar @to_kim, 2, 'who has not come yet is' or diag explain [mails('kim@harbour.example')];
my ($link) = $to_kim[-1]{values}{link} =~ m{^/auth/password/set\?link=(pwl_\w+)$} or diag explain $to_kim[-1];

# ---- a guest becomes a person

my $v = Vitrine::Visitor->new($api);
like $v->go("/auth/password/set?link=$link")->{text}, qr/You’ll sign in with this address and your password/, 'a guest is told how they sign in';
$v->submit(qr{^/auth/password/set$}, { password => 'correct horse battery' });
is one("SELECT CONCAT(kind, ' ', email, ' ', invited_email IS NULL) FROM user WHERE id = ?", $kim->{id}), 'person kim@harbour.example 1',
	'the link makes a person of them, with their id';
is one('SELECT role FROM collaborator WHERE artifact_id = ? AND user_id = ?', $art, $kim->{id}), 'editor',
	'who has what the address was given elsewhere';
is as($ben, GET => "$at/members")->{json}{members}[1]{status} . as($ben, GET => "$at/members")->{json}{members}[0]{status}, 'activeactive',
	'and is active';
my $invited = invite($harbour->{id}, 'lee@harbour.example')->{json}{member};
is $stack->ctl(qw(user add), 'lee@harbour.example', qw(--name Lee)), $invited->{id}, 'an account that is made for the address is theirs';
is_deeply +(grep { $_->{id} eq $invited->{id} } @{as($ben, GET => "$at/members")->{json}{members}}),
	{ %$invited, name => 'Lee', status => 'active' }, '... with their membership';
is +($stack->program('vitrinectl', {}, qw(user add), 'lee@harbour.example'))[0], 1, '... once';
# A provider that vouches for the address proves it, whoever else it may make accounts for.
$invited = invite($harbour->{id}, 'max@example.org')->{json}{member};
sub through {
	my ($name) = @_;
	my $v = Vitrine::Visitor->new($api);
	return $v->send(GET => $idp->authorize($v->send(GET => '/auth/provider/rs')->{headers}{location}, $name) =~ s{^https://[^/]+}{}r);
}
is through('nobody-here')->{status}, 403, 'a provider makes no account for an address of another domain';
is through('max')->{status}, 303, '... but for who was invited it does';
my $max = $invited->{id};
is one("SELECT CONCAT(kind, ' ', email) FROM user WHERE id = ?", $invited->{id}), 'person max@example.org',
	'... with the id that they have';
$invited = invite($harbour->{id}, 'zoe@harbour.example')->{json}{member};
is one("SELECT COUNT(*) FROM user WHERE kind = 'guest'"), 1, 'one is a guest yet';

# An address that was merged into another account means that account.
my $merged = $stack->user('old@example.org');
`$stack->{build}/t/drive/merge $stack->{dir}/vitrine.yaml $merged->{id} $eve->{id}`;
$r = invite($metro->{id}, 'OLD@example.org');
is_deeply [$r->{status}, @{$r->{json}{member}}{qw(id email)}], [201, $eve->{id}, 'old@example.org'],
	'a former address means who has it, and is told as it was said';
is invite($metro->{id}, 'eve@example.org')->{status}, 200, '... who is in it then';

# ---- tokens

sub tokens_of { return "$path/$_[0]/members/$_[1]/tokens" }
my $tokens = tokens_of($harbour->{id}, $dan->{id});
$r = as($ben, POST => $tokens, { scopes => ['data:read', 'artifacts:read'], name => 'Importer', expires_at => time + 1000 });
is $r->{status}, 201, 'a token for somebody of a client' or diag $r->{body};
my ($secret, $id) = @{$r->{json}}{qw(token token_id)};
like $secret, qr/^sot_[0-9A-Za-z]{49}$/, 'has the prefix of its kind';
is_deeply $r->{json}, { success => $true, token => $secret, shown_once => $true, token_id => $id }, 'and is shown once';
my $listed = as($ann, GET => $tokens)->{json};
is_deeply $listed, { success => $true, next_cursor => undef,
	tokens => [{ id => $id, name => 'Importer', scopes => ['artifacts:read', 'data:read'], created_by => { user_id => $ben->{id},
		name => '', email => 'ben@example.org', kind => 'person' }, created_at => $listed->{tokens}[0]{created_at},
		expires_at => $listed->{tokens}[0]{expires_at}, last_used_at => undef, revoked_at => undef,
		hint => substr($secret, -4) }] }, 'the list has everything else';
is one("SELECT CONCAT_WS(' ', user_id, workspace_id, grants_only, sharee_id, made_by) FROM token WHERE id = ?", $id),
	"$dan->{id} $ws 1 $harbour->{id} $ben->{id}", 'it acts for them, there, by grants, for that client';
refused(as($ben, POST => $tokens, $_), '400 INVALID_REQUEST', 'a body that is wrong: ' . encode_json($_))
	for {}, { scopes => [] }, { scopes => ['*'] }, { scopes => ['artifacts:publish'] }, { scopes => ['data:read', 'data:read'] },
		{ scopes => ['data:read'], expires_at => 1 }, { scopes => ['data:read'], expires_at => time + 6 * 366 * 86400 };
$r = as($ben, POST => $tokens, { scopes => ['data:write'] });
is_deeply [@{as($ben, GET => $tokens)->{json}{tokens}[0]}{qw(id name expires_at)}], [$r->{json}{token_id}, undef, undef],
	'a name and an end need not be';
as($ben, POST => $tokens, { scopes => ['data:read'] }) for 3 .. 20;
refused(as($ben, POST => $tokens, { scopes => ['data:read'] }), '409 LIMIT_REACHED', 'twenty work at once, no more');
is as($ben, DELETE => "$tokens/$r->{json}{token_id}")->{status}, 200, 'one is revoked';
is as($ben, DELETE => "$tokens/$r->{json}{token_id}")->{status}, 200, '... twice is once';
is as($ben, POST => $tokens, { scopes => ['data:read'] })->{status}, 201, '... so another may be made';
refused(as({ token => $r->{json}{token} }, GET => '/v1/auth/me'), '401 TOKEN_REVOKED', 'the token stops at once');
is_deeply [map { $_->{name} } grep { $_->{name} eq 'Importer' } @{as($dan, GET => '/v1/auth/tokens')->{json}{tokens}}], ['Importer'],
	'its person sees it among theirs';
refused(as($ben, DELETE => tokens_of($harbour->{id}, $kim->{id}) . "/$id"), '404 NOT_FOUND', 'a token of another person');
refused(as($ben, GET => tokens_of($metro->{id}, $dan->{id})), '404 NOT_FOUND', 'somebody of another client');
refused(as($ben, POST => tokens_of($harbour->{id}, $cat->{id}), { scopes => ['data:read'] }), '404 NOT_FOUND',
	'a member of the workspace is nobody\'s');

# ---- what ends with what

sub alive { my ($token) = @_; return one('SELECT COUNT(*) FROM token WHERE hash = UNHEX(SHA2(?, 256)) AND revoked_at IS NULL', $token) }
sub grant {
	my ($subject, $on) = @_;
	my $type = $subject =~ /^shr/ ? 'sharee' : 'external_user';
	my $id = sprintf 'grt_%026d', one('SELECT COUNT(*) + 1 FROM share_grant') + int rand 1e9;
	$db->do("INSERT INTO share_grant (id, workspace_id, subject_type, subject_id, resource_type, resource_id, capability, created_at) "
		. "VALUES (?, ?, ?, ?, 'artifact', ?, 'view', 0)", undef, $id, $ws, $type, $subject, $on // $art);
	return $id;
}
sub there { return one('SELECT COUNT(*) FROM share_grant WHERE id = ?', $_[0]) }
sub token { my $r = as($ben, POST => tokens_of(@_), { scopes => ['data:read'] }); return $r->{json}{token} // BAIL_OUT($r->{body}) }
invite($metro->{id}, 'dan@example.org');
my ($here, $elsewhere, $own, $harbours) = (token($harbour->{id}, $kim->{id}), token($metro->{id}, $dan->{id}), grant($dan->{id}),
	grant($harbour->{id}));
is as($ben, DELETE => "$at/members/$dan->{id}")->{status}, 200, 'somebody is removed from a client';
is alive($secret), 0, 'their tokens of it end';
is alive($elsewhere), 1, 'those of another client do not';
is alive($here), 1, 'nor those of others';
is there($own), 1, 'what they were given themselves stays, while they are in another client';
refused(as($ben, DELETE => "$at/members/$dan->{id}"), '404 NOT_FOUND', 'once');
is as($ben, DELETE => "$path/$metro->{id}/members/$dan->{id}")->{status}, 200, 'then from the other';
is there($own), 0, 'with the last one goes what they were given themselves';
is there($harbours), 1, 'what a client was given is the client\'s';
is invite($harbour->{id}, 'dan@example.org')->{status}, 201, 'they may come back';
is alive($secret), 0, '... but their tokens do not';

# Whoever becomes a member is outside no more, however they do.
my ($mine, $given) = (token($harbour->{id}, $dan->{id}), grant($dan->{id}));
is as($ann, POST => "/v1/workspaces/$ws/members", { email => 'dan@example.org' })->{status}, 201, 'somebody of a client becomes a member';
is_deeply [alive($mine), there($given), one('SELECT COUNT(*) FROM sharee_member WHERE user_id = ?', $dan->{id})], [0, 0, 0],
	'and is in no client, with nothing left of that';
refused(as({ token => $mine }, GET => '/v1/auth/me'), '401 TOKEN_REVOKED', 'their token is none');
refused(invite($harbour->{id}, 'dan@example.org'), '409 INTERNAL_MEMBER', 'nor do they come into one');
my $lee = one("SELECT id FROM user WHERE email = 'lee\@harbour.example'");
($mine, $given) = (token($harbour->{id}, $lee), grant($lee));
as($ann, POST => "/v1/workspaces/$ws/members/invite", { emails => ['lee@harbour.example'] });
is one('SELECT COUNT(*) FROM sharee_member WHERE user_id = ?', $lee), 1, 'who is invited is outside yet';
my $lee_token = $stack->ctl(qw(token mint --user), 'lee@harbour.example');
my $invite_id = one("SELECT id FROM invite WHERE email = 'lee\@harbour.example'");
is as({ token => $lee_token }, POST => "/v1/invites/$invite_id/accept")->{status}, 200, 'until they accept';
is_deeply [alive($mine), there($given), one('SELECT COUNT(*) FROM sharee_member WHERE user_id = ?', $lee)], [0, 0, 0],
	'... then they are not';

# Two accounts that become one.
my ($from, $into) = map { $stack->user("$_\@merge.example") } qw(from into);
invite($harbour->{id}, "$_\@merge.example") for qw(from into);
invite($metro->{id}, 'from@merge.example');
my ($froms, $of_both) = (token($metro->{id}, $from->{id}), token($harbour->{id}, $from->{id}));
`$stack->{build}/t/drive/merge $stack->{dir}/vitrine.yaml $from->{id} $into->{id}`;
is_deeply $db->selectall_arrayref('SELECT sharee_id, given_email FROM sharee_member WHERE user_id = ? ORDER BY given_email',
	undef, $into->{id}), [[$harbour->{id}, undef], [$metro->{id}, 'from@merge.example']], 'one membership is left of two';
is alive($froms) . alive($of_both), '11', 'tokens go along';
my $insider = $stack->user('insider@merge.example');
$stack->seat($ws, $insider, 'member');
`$stack->{build}/t/drive/merge $stack->{dir}/vitrine.yaml $into->{id} $insider->{id}`;
is_deeply [one('SELECT COUNT(*) FROM sharee_member WHERE user_id = ?', $insider->{id}), alive($froms)], [0, 0],
	'with a member\'s, nothing is left of it';

# Removing a client.
my $gone = add('Gone');
my $guest = invite($gone->{id}, 'guest@gone.example')->{json}{member}{id};
invite($gone->{id}, 'kim@harbour.example');
my ($theirs, $kims, $both, $only) = (token($gone->{id}, $guest), token($gone->{id}, $kim->{id}), grant($kim->{id}), grant($guest));
my $its = grant($gone->{id});
$db->do("INSERT INTO sharee_note VALUES (?, 'note', 'x', '', 1, 0, ?)", undef, $gone->{id}, $ann->{id});
$db->do("INSERT INTO sharee_act (id, workspace_id, user_id, action, resource_type, resource_id, resource_name, at, slice) "
	. "VALUES (?, ?, ?, 'view', 'artifact', ?, 'x', ?, 0)", undef, $_, $ws, $_ =~ /^a/ ? $guest : $kim->{id}, $art, time) for 'a', 'b';
is as($ben, DELETE => "$path/$gone->{id}")->{status}, 200, 'a client is removed';
is_deeply [alive($theirs), alive($kims), there($its), there($only), there($both)], [0, 0, 0, 0, 1],
	'with its grants and tokens, and what only its people had';
is_deeply $db->selectcol_arrayref('SELECT id FROM sharee_act'), ['b'], 'and what they did';
is one('SELECT COUNT(*) FROM sharee_note') + one('SELECT COUNT(*) FROM sharee_member WHERE sharee_id = ?', $gone->{id}), 0,
	'and its notes and people';
refused(as($ben, GET => "$path/$gone->{id}"), '404 NOT_FOUND', 'it is not there');

# Guests who hold nothing go after a while.
is +($stack->runner)[0], 0, 'the runner did its rounds';
is one('SELECT COUNT(*) FROM user WHERE id = ?', $guest), 1, 'a guest who holds nothing stays for a while';
$db->do("UPDATE user SET created_at = ? WHERE kind = 'guest'", undef, time - 91 * 86400);
$db->do("DELETE FROM sweep WHERE name = 'guests'");
$stack->runner;
is one('SELECT COUNT(*) FROM user WHERE id = ?', $guest), 0, 'then no longer';
is one('SELECT COUNT(*) FROM user WHERE id = ?', $invited->{id}), 1, 'who is in a client does';

# ---- who may

my @rows = ([GET => $path], [POST => $path, { name => 'x' }], [GET => $at], [PATCH => $at, { name => 'x' }], [DELETE => $at],
	[GET => "$at/members"], [POST => "$at/members", { email => 'x@example.org' }], [DELETE => "$at/members/$kim->{id}"],
	[GET => tokens_of($harbour->{id}, $kim->{id})], [POST => tokens_of($harbour->{id}, $kim->{id}), { scopes => ['data:read'] }],
	[DELETE => tokens_of($harbour->{id}, $kim->{id}) . "/$id"]);
my $before = audit();
for my $row (@rows) {
	my $name = "$row->[0] " . $row->[1] =~ s/_\w{26}/_/gr;
	refused(as($cat, @$row), '403 EXTERNAL_SHARING_NOT_ENTITLED', "a member: $name");
	refused(as($eve, @$row), '404 NOT_FOUND', "a stranger, who is outside: $name");
	refused($api->call($row->[0] => $row->[1], { $row->[2] ? (json => $row->[2]) : () }), '401 UNAUTHENTICATED', "nobody: $name");
	refused(as($ann, $row->[0] => $row->[1] =~ s/\Q$ws/$other/r, $row->[2]), '404 NOT_FOUND', "another workspace's: $name")
		if $row->[1] ne $path;
}
$stack->ctl(qw(workspace feature studio external_sharing off));
refused(as($ann, @$_), '403 EXTERNAL_SHARING_NOT_ENTITLED',
	"where the plan doesn't have it, the owner: $_->[0] " . $_->[1] =~ s/_\w{26}/_/gr) for @rows;
refused(as($eve, @$_), '404 NOT_FOUND', '... and a stranger') for $rows[0];
$stack->ctl(qw(workspace feature studio external_sharing on));
is audit(), $before, 'what is refused changes nothing';
like $before,
	qr/^sharee\.created .*\bsharee\.changed .*\bsharee\.member_added .*\bsharee\.token_made .*\bsharee\.token_revoked .*\bsharee\.member_removed .*\bsharee\.deleted\b/,
	'what is done is written down';
is_deeply [map { $_->{target}{name} } @{as($ann, GET => "/v1/workspaces/$ws/audit?action=sharee.deleted")->{json}{entries} // as($ann,
	GET => "/v1/workspaces/$ws/audit?action=sharee.deleted")->{json}{audit} // []}], ['Gone', 'Branded'], 'with the name at the time';

# ---- at once

sub at_once {
	my ($n, $ask) = @_;
	return sort(Vitrine::Api::together($stack, $n, sub {
		my ($api, $i) = @_;
		my ($who, $to, $json) = $ask->($i);
		my $r = $api->call(POST => $to, { token => $who->{token}, json => $json });
		return join ' ', $r->{status}, $r->{json}{code} // $r->{json}{member}{id} // 'made';
	}));
}
is_deeply [at_once(4, sub { ($ben, $path, { name => 'Twins' }) })], ['201 made', ('409 CONFLICT') x 3],
	'of several of one name at once, one is made';
my $twin = sub { return one("SELECT id FROM user WHERE invited_email = ?", $_[0]) };
my @said = at_once(4, sub { ($ben, "$at/members", { email => 'twin@example.org' }) });
is_deeply \@said, [(map { "200 $_" } ($twin->('twin@example.org')) x 3), '201 ' . $twin->('twin@example.org')],
	'of one person invited several times at once, one is';
my $two = as($ann, POST => "/v1/workspaces/$other/sharees", { name => 'x' })->{json}{sharee}{id};
@said = at_once(4, sub { $_[0] % 2 ? ($ben, "$at/members", { email => 'pair@example.org' })
	: ($ann, "/v1/workspaces/$other/sharees/$two/members", { email => 'pair@example.org' }) });
is_deeply \@said, [map { "$_ " . $twin->('pair@example.org') } 200, 200, 201, 201], '... by two workspaces, who mean the same guest';
@said = at_once(2, sub { $_[0] ? ($ann, "/v1/workspaces/$ws/members", { user_id => $max })
	: ($ben, "$path/$metro->{id}/members", { email => 'max@example.org' }) });
is one('SELECT (SELECT COUNT(*) FROM member WHERE user_id = ?) + 2 * (SELECT COUNT(*) FROM sharee_member WHERE user_id = ?)', $max, $max),
	1, 'who is invited and becomes a member at once is a member: ' . join ', ', @said;

# Who is invited while an account is made for them is one person, whichever comes first.
for my $n (1 .. 4) {
	Vitrine::Api::together($stack, 4, sub {
		my ($api, $i) = @_;
		return $i % 2 ? ($stack->program('vitrinectl', {}, qw(user add), "both$n\@example.org"))[0] : $api
			->call(POST => "$at/members", { token => $ben->{token}, json => { email => "both$n\@example.org" } })->{status};
	});
	is_deeply $db->selectall_arrayref('SELECT kind, outside, (SELECT COUNT(*) FROM sharee_member m WHERE m.user_id = u.id) FROM user u '
			. 'WHERE ? IN (email, invited_email)', undef, "both$n\@example.org"), [['person', 1, 1]],
		'an account that is made at once is the one that was invited';
}

# ---- how many

$db->do("INSERT INTO sharee (id, workspace_id, name, name_key, created_at) SELECT CONCAT('shr_', LPAD(seq, 26, '0')), ?, seq, seq, 0 "
	. "FROM seq_1_to_1000", undef, $other);
refused(as($ann, POST => "/v1/workspaces/$other/sharees", { name => 'One more' }), '409 LIMIT_REACHED', 'a thousand clients, no more',
	qr/1,?000/);
$db->do("INSERT INTO user (id, kind, invited_email, name, created_at) "
	. "SELECT CONCAT('usr_', LPAD(seq, 26, '0')), 'guest', CONCAT(seq, '\@many.example'), '', 0 FROM seq_1_to_1000");
$db->do("INSERT INTO sharee_member (sharee_id, user_id, workspace_id, created_at) SELECT ?, CONCAT('usr_', LPAD(seq, 26, '0')), ?, 0 "
	. "FROM seq_1_to_1000", undef, $harbour->{id}, $ws);
refused(invite($harbour->{id}, 'more@example.org'), '409 LIMIT_REACHED', 'a thousand people, no more');
is invite($harbour->{id}, '7@many.example')->{status}, 200, '... who are in it are';
# Those here are of clients and things that there are none of.
$db->do('DELETE FROM share_grant');
$stack->ctl('reindex');
like $stack->ctl('fsck'), qr/^clean$/m, 'fsck is content';
finish($stack);
