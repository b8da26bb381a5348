# SPDX-License-Identifier: Apache-2.0
# Who is in a workspace while everybody does everything at once: there is exactly one owner, seats are exact, nobody comes back or stays by
# being quick, and an admin gets nowhere above their role by what they make for others.
use Vitrine::Words 'said';

my ($stack, $api, $db) = stack(workers => 6);
my ($ann, $ben, $cat, $dan) = map { $stack->user("$_\@example.org") } qw(ann ben cat dan);
sub as {
	my ($own, $who, $method, $path, $json) = @_;
	return $own->call($method => $path, { token => $who->{token}, (defined $json ? (json => $json) : ()) });
}
sub made { my ($who) = @_; return '/v1/workspaces/' . as($api, $who, POST => '/v1/workspaces', { name => 'Team' })->{json}{workspace}{id} }
sub id_of { return $_[0] =~ /(wsp_\w+)/ ? $1 : die }
sub together { return Vitrine::Api::together($stack, @_) }
sub at_once { my @do = @_; return together(scalar @do, sub { my ($own, $i) = @_; said(as($own, @{$do[$i]})) }) }
sub count { my %n; $n{$_}++ for @_; return join ', ', map { "$_ x$n{$_}" } sort keys %n }
sub owners { return $db->selectrow_array("SELECT COUNT(*) FROM member WHERE workspace_id = ? AND role = 'owner'", undef, id_of($_[0])) }
sub seats {
	return $db->selectrow_array("SELECT CONCAT(w.people, '/', (SELECT COUNT(*) FROM member m WHERE m.workspace_id = w.id "
		. "AND m.role <> 'agent')) FROM workspace w WHERE w.id = ?", undef, id_of($_[0]));
}
sub fill { my ($ws, $who, $role) = @_; as($api, $ann, POST => "$ws/members", { user_id => $who->{id}, role => $role // 'member' }) }

# ---- one owner, whatever races

my (%seen, @odd);
for (1 .. 12) {
	my $ws = made($ann);
	fill($ws, $ben, 'admin');
	fill($ws, $cat);
	my @codes = at_once([$ann, POST => "$ws/transfer-ownership", { user_id => $cat->{id} }],
		[$ben, DELETE => "$ws/members/$cat->{id}"]);
	$seen{"@codes"}++;
	my ($owner) = $db->selectrow_array("SELECT user_id FROM member WHERE workspace_id = ? AND role = 'owner'", undef, id_of($ws));
	my $want = "@codes" eq '200  409 CONFLICT' ? $cat->{id} : "@codes" eq '400 INVALID_REQUEST 200 ' ? $ann->{id} : 'none of the two';
	push @odd, "@codes: $owner" if owners($ws) != 1 || $owner ne $want || seats($ws) !~ m{^(\d+)/\1$};
	as($api, $owner eq $ann->{id} ? $ann : $cat, DELETE => $ws);
}
is join('; ', @odd), '',
	'a transfer and the removal of the heir: one is first, and the other hears of it (' . join(', ', sort keys %seen) . ')';
my $ws = made($ann);
fill($ws, $_, 'admin') for $ben, $cat, $dan;
my @codes = at_once(map { [$ann, POST => "$ws/transfer-ownership", { user_id => $_->{id} }] } $ben, $cat, $dan, $ben, $cat, $dan);
is count(@codes), '200  x1, 403 ACCESS_DENIED x5', 'of six transfers at once one is made';
is owners($ws), 1, '... to one owner';
my ($owner) = grep {
	$_->{id} eq $db->selectrow_array("SELECT user_id FROM member WHERE workspace_id = ? AND role = 'owner'", undef, id_of($ws));
} $ben, $cat, $dan;
@codes = at_once((map { [$owner, DELETE => "$ws/members/$owner->{id}"] } 1 .. 3),
	(map { [$owner, PATCH => "$ws/members/$owner->{id}", { role => 'member' }] } 1 .. 3));
is count(@codes), '409 CONFLICT x6', 'an owner neither leaves nor becomes less';

# ---- seats

$ws = made($ann);
fill($ws, $ben);
@codes = at_once(map { [$ann, DELETE => "$ws/members/$ben->{id}"] } 1 .. 6);
is count(@codes), '200  x1, 404 NOT_FOUND x5', 'somebody is removed once, however often';
is seats($ws), '1/1', '... and one seat is free';
@codes = at_once(map { [$ann, POST => "$ws/members", { user_id => $ben->{id} }] } 1 .. 6);
is count(@codes), '201  x1, 409 CONFLICT x5', 'and added once';
is seats($ws), '2/2', '... for one seat';
$db->do('UPDATE workspace SET people = 9 WHERE id = ?', undef, id_of($ws));
@codes = at_once(map { [$ann, POST => "$ws/members", { user_id => $_->{id} }] } $cat, $dan);
is count(@codes), '201  x1, 409 SEATS_FULL x1', 'the last seat is one person\'s';
$db->do('UPDATE workspace w SET people = (SELECT COUNT(*) FROM member m WHERE m.workspace_id = w.id) WHERE id = ?', undef, id_of($ws));

# ---- accepted or taken back, never both

@odd = ();
for (1 .. 12) {
	$ws = made($ann);
	my $id = as($api, $ann, POST => "$ws/members/invite", { emails => ['ben@example.org'] })->{json}{invites}[0]{id};
	my @codes = at_once([$ben, POST => "/v1/invites/$id/accept"], [$ann, DELETE => "$ws/invites/$id"]);
	my $in = $db->selectrow_array('SELECT COUNT(*) FROM member WHERE workspace_id = ? AND user_id = ?', undef, id_of($ws), $ben->{id});
	push @odd, "@codes: $in" if "@codes" ne ($in ? '200  409 CONFLICT' : '404 NOT_FOUND 200 ');
	as($api, $ann, DELETE => $ws);
}
is join('; ', @odd), '', 'an invite that is revoked while it is accepted';
@odd = ();
for (1 .. 12) {
	$ws = made($ann);
	fill($ws, $cat, 'admin');
	my $id = as($api, $cat, POST => "$ws/members/invite", { emails => ['ben@example.org'] })->{json}{invites}[0]{id};
	my @codes = at_once([$ben, POST => "/v1/invites/$id/accept"], [$ann, DELETE => "$ws/members/$cat->{id}"]);
	push @odd, "@codes" if "@codes" !~ /^(?:200 |404 NOT_FOUND) 200 $/ || seats($ws) !~ m{^(\d+)/\1$};
	as($api, $ann, DELETE => $ws);
}
is join('; ', @odd), '', 'an invite whose sender is removed while it is accepted';

# ---- an invite that becomes less while it is accepted

$ws = made($ann);
my $promised = as($api, $ann, POST => "$ws/members/invite", { emails => ['ben@example.org'], role => 'admin' })->{json}{invites}[0]{id};
$db->begin_work;
$db->selectrow_array('SELECT id FROM workspace WHERE id = ? FOR UPDATE', undef, id_of($ws));
my $pid = open(my $accepts, '-|') // die;
if (!$pid) {
	print said(as(Vitrine::Api->new($stack), $ben, POST => "/v1/invites/$promised/accept"));
	close STDOUT;
	POSIX::_exit(0);
}
Vitrine::Stack::wait_for('the accept', 60, sub { $db->selectrow_array(
	"SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'SELECT id FROM workspace WHERE id = % FOR UPDATE'") });
$db->do("UPDATE invite SET role = 'member' WHERE id = ?", undef, $promised);
$db->commit;
is do { local $/; <$accepts> }, '200 ', 'an invite that is changed while it waits to be accepted';
is as($api, $ben, GET => $ws)->{json}{workspace}{role}, 'member', '... gives what it gives then';

# ---- a removed admin who goes on

$ws = made($ann);
fill($ws, $ben, 'admin');
fill($ws, $cat);
@codes = together(9, sub {
	my ($own, $i) = @_;
	$i ? said(as($own, $ben, POST => "$ws/members/$ben->{id}/tokens", { name => "t$i" }))
		: said(as($own, $ann, DELETE => "$ws/members/$ben->{id}"));
});
is $codes[0], '200 ', 'an admin is removed while they make tokens';
is $db->selectrow_array('SELECT COUNT(*) FROM token WHERE workspace_id = ? AND revoked_at IS NULL', undef, id_of($ws)), 0,
	'... none of which outlives them';
is count(map { /^(?:201|404)/ ? 'as it was' : $_ } @codes[1 .. 8]), 'as it was x8', '... each was made before, or not at all'
	or diag "@codes";
is said(as($api, $ben, POST => "$ws/members/invite", { emails => ['x@example.org'] })), '404 NOT_FOUND', 'who was removed invites nobody';

# ---- what an admin gets for a member is not the member

fill($ws, $dan, 'admin');
my $token = as($api, $dan, POST => "$ws/members/$cat->{id}/tokens", { name => 'x' })->{json}{token};
my $puppet = { token => $token };
my $personal = $api->publish($cat, slug => 'personal', visibility => 'private');
my $spare = (map { $_->{id} } @{as($api, $cat, GET => '/v1/auth/tokens')->{json}{tokens}})[0];
is said(as($api, $puppet, @$_)), '403 INSUFFICIENT_SCOPE', "a member's token, made by an admin: not $_->[0] $_->[1]"
	for [GET => '/v1/auth/tokens'], [DELETE => "/v1/auth/tokens/$spare"], [PATCH => "/v1/auth/tokens/$spare", { name => 'y' }],
	[DELETE => '/v1/auth/sessions'], [GET => '/v1/invites'], [POST => "$ws/members/$cat->{id}/tokens", { name => 'y' }],
	[DELETE => "$ws/members/$cat->{id}/tokens"];
is said(as($api, $puppet, @$_)), '404 NOT_FOUND', "... not $_->[0] $_->[1]" for [GET => "/v1/artifacts/$personal"],
	[PATCH => "/v1/artifacts/$personal", { visibility => 'public' }], [DELETE => "/v1/artifacts/$personal"];
is join(' ', map { $_->{id} } @{as($api, $puppet, GET => '/v1/artifacts')->{json}{artifacts}}), '', '... nor any list of it';
is $api->call(POST => '/v1/auth/device/start', { json => {} })->{status}, 200, 'a device login';
is said(as($api, $dan, POST => "$ws/members/$ann->{id}/tokens", { name => 'x' })), '403 ACCESS_DENIED', 'nor one for the owner';
is said(as($api, $dan, PATCH => "$ws/members/$dan->{id}", { role => 'admin' })), '403 ACCESS_DENIED', 'nor another role';
is said(as($api, $dan, DELETE => "$ws/members/$cat->{id}?transfer_to=$dan->{id}")), '200 ', 'an admin may be the heir of who they remove';

# ---- W2's invite under W1

my ($one, $two) = (made($ann), made($cat));
my $theirs = as($api, $cat, POST => "$two/members/invite", { emails => ['dan@example.org'] })->{json}{invites}[0]{id};
is said(as($api, $ann, @$_)), '404 NOT_FOUND', "an invite of another workspace: $_->[0]"
	for [DELETE => "$one/invites/$theirs"], [POST => "$one/invites/$theirs/resend"];
is said(as($api, $ann, @$_)), '404 NOT_FOUND', "a member of another workspace: $_->[0]"
	for [DELETE => "$one/members/$cat->{id}"], [PATCH => "$one/members/$cat->{id}", { role => 'admin' }],
		[POST => "$one/members/$cat->{id}/tokens", { name => 'x' }], [DELETE => "$one/members/$cat->{id}/tokens"];
is $db->selectrow_array('SELECT status FROM invite WHERE id = ?', undef, $theirs), 'pending', 'and nothing has changed there';

finish($stack);
