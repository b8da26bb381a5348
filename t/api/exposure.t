# SPDX-License-Identifier: Apache-2.0
# How much of an artifact's data who can read and write: each rule, compared with what asking as each of them gets.
use Vitrine::Words qw(as said);

my ($stack, $api, $db) = stack(agent_calls_per_minute => 1000);
my ($ann, $ben, $cid, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben cid eve);
my $true = Cpanel::JSON::XS::true;
my $ws = as('ann', POST => '/v1/workspaces', { name => 'Team', settings => { member_access => 'editor' } })->{json}{workspace}{id};
$stack->seat($ws, $cid, 'member');
sub page {
	my ($policy, %more) = @_;
	my $id = $api->publish($ann, visibility => 'public', ($policy ? (access_policy => $policy) : ()), %more);
	my $r = as('ann', PUT => "/v1/data/$id/tables/guests",
		{ columns => [{ name => 'owner', type => 'text' }, { name => 'shown', type => 'boolean' }], rows => [map {
			{ owner => "$_\@example.org", shown => $_ eq 'ann' ? $true : Cpanel::JSON::XS::false }
		} qw(ann ann ben)] });
	die $r->{body} if $r->{status} != 201;
	as('ann', PUT => "/v1/data/$id/json", { a => 1 });
	my $put = as('ann', PUT => "/v1/data/$id/blobs?filename=own.txt", body => 'x', type => 'text/plain');
	die $put->{body} if $put->{status} >= 300;
	return $id }
sub exposure {
	my ($id, $who) = @_;
	my $r = as($who // 'ann', GET => "/v1/artifacts/$id/exposure");
	is $r->{status}, 200 or diag $r->{body};
	return $r->{json}{exposure};
}
sub guests { my ($to) = @_; return join ' ', map { $_ // 'null' } @{$to->{tables}[0]}{qw(read readable write writable)} }
# What asking as somebody gets: rows that are read, and those that can be changed.
sub really {
	my ($id, $who) = @_;
	my $r = as($who, GET => "/v1/data/$id/tables/guests/rows");
	my @all = @{as('ann', GET => "/v1/data/$id/tables/guests/rows")->{json}{rows}};
	return scalar(@{$r->{json}{rows} // []}) . ' '
		. grep { as($who, PATCH => "/v1/data/$id/tables/guests/rows/$_->{id}", { owner => $_->{owner} })->{status} == 200 } @all;
}

# ---- each rule

my $all = { read => 'true', write => 'true' };
for (
	['none at all', undef, 'all 3 none 0', 'all 3 none 0', 'all 3 all 3'],
	['for everybody', { tables => { guests => $all } }, 'all 3 none 0', ('all 3 all 3') x 2],
	['by default', { default => 'everyone' }, 'all 3 none 0', ('all 3 all 3') x 2],
	['for the owner', { default => 'owner' }, ('none 0 none 0') x 3],
	['for viewers', { default => 'viewer' }, 'none 0 none 0', 'none 0 none 0', 'all 3 all 3'],
	['for rows', { tables => { guests => { read => 'row.shown', write => 'false' } } }, ('some 2 none 0') x 3],
	['for who is signed in', { tables => { guests => { read => 'viewer.id != null', write => 'row.owner == viewer.email' } } },
		'none 0 none 0', 'all 3 some 0', 'all 3 some 0'],
	['for members', { tables => { guests => { read => "viewer.workspace_role != null",
		write => "viewer.workspace_role == 'member'" } } }, 'none 0 none 0', 'none 0 none 0', 'all 3 all 3'],
	['that is none', { tables => { guests => { read => 'row.nothing', write => 'false' } } }, ('none 0 none 0') x 3]) {
	my ($name, $policy, @want) = @$_;
	my $id = page($policy, workspace_id => $ws);
	my $e = exposure($id);
	is_deeply [map { guests($e->{$_}) } qw(strangers signed_in members)], \@want, "a rule $name";
	is_deeply [map { really($id, $_) } undef, 'eve', 'cid'], [map { join ' ', (split / /, $_)[1, 3] } @want],
		'... and what they really get';
	for ([strangers => undef], [signed_in => 'eve'], [members => 'cid']) {
		my ($to, $who) = ($e->{$_->[0]}, $_->[1]);
		is join(' ', map { $to->{$_}{read} ? 1 : 0 } qw(document blobs)),
			join(' ', as($who, GET => "/v1/data/$id/json")->{status} == 200 ? 1 : 0,
				@{as($who, GET => "/v1/data/$id/blobs")->{json}{data}{blobs} // []} ? 1 : 0),
			"... $_->[0]: document and files, read";
		is join(' ', map { $to->{$_}{write} ? 1 : 0 } qw(document blobs)),
			join(' ', map { $_->{status} < 300 ? 1 : 0 } as($who, PATCH => "/v1/data/$id/json", {}),
				as($who, PUT => "/v1/data/$id/blobs?filename=x.txt", body => 'x', type => 'text/plain')), '... written';
	}
}

# ---- what it says

my $id = page({ tables => { guests => $all, large => { read => 'row.n == null', write => 'false' } }, json => { write => 'true' } },
	slug => 'open');
my $e = exposure($id);
is_deeply [sort keys %$e], [qw(members signed_in strangers warnings)], 'its keys';
is $e->{members}, undef, 'no workspace';
is_deeply [sort keys %{$e->{strangers}}], [qw(blobs document reaches tables)];
is_deeply [sort keys %{$e->{strangers}{tables}[0]}], [qw(add name read readable rows writable write)];
is_deeply $e->{warnings}, ['Anyone who can open it and is signed in can replace the document.',
	'Anyone who can open it and is signed in can change all 3 rows of guests, and add others.',
	'Anyone who can open it can read all 3 rows of guests.'], 'in words';
ok $e->{strangers}{reaches}, 'it is open';
as('ann', PATCH => "/v1/artifacts/$id", { visibility => 'private' });
ok !exposure($id)->{strangers}{reaches}, 'and now it is not';
is_deeply exposure(page({ default => 'owner' }))->{warnings}, [], 'nothing to say';
as('ann', PUT => "/v1/data/$id/tables/large", { columns => [{ name => 'n', type => 'number' }] });
$db->do("INSERT INTO data_row (table_no, id, shape_no, doc, c0) SELECT no, UNHEX(LPAD(HEX(seq), 32, '0')), 1, '{\"n\":1}', NULL "
	. "FROM data_table, seq_1_to_12000 WHERE artifact_id = ? AND name = 'large'", undef, $id);
$db->do("UPDATE data_table SET row_count = 12000 WHERE artifact_id = ? AND name = 'large'", undef, $id);
my ($large) = grep { $_->{name} eq 'large' } @{exposure($id)->{strangers}{tables}};
is join(' ', @$large{qw(rows read readable)}), '12000 some 10000', 'of a large table the first rows are counted';

# ---- for whom

as('ann', POST => "/v1/artifacts/$id/collaborators", { emails => ['ben@example.org'], role => 'editor' });
is_deeply [map { $_->{name} } @{exposure($id, 'ben')->{strangers}{tables}}], ['guests'],
	'an editor hears of tables that they may read whole';
as('ann', PATCH => "/v1/artifacts/$id", { visibility => 'public' });
is said(as('eve', GET => "/v1/artifacts/$id/exposure")), '403 ACCESS_DENIED', 'who may only look';
is said(as(undef, GET => "/v1/artifacts/$id/exposure")), '401 UNAUTHENTICATED', 'nobody';
as('ann', PATCH => "/v1/artifacts/$id", { visibility => 'private' });
is said(as('eve', GET => "/v1/artifacts/$id/exposure")), '404 NOT_FOUND', 'nor does a stranger learn that it is there';

# ---- agents hear of it before they let strangers in

sub tool {
	my ($name, $args) = @_;
	return as('ann', POST => '/mcp',
		{ jsonrpc => '2.0', id => 1, method => 'tools/call', params => { name => $name, arguments => $args } })->{json}{result};
}
my $r = tool(update_artifact => { artifact => $id, visibility => 'public' });
ok $r->{isError}, 'an agent may not let them in unknowingly';
like $r->{content}[0]{text}, qr/CONFLICT: .*read all 3 rows of guests.*accept_exposure/, '... and hears why';
is $db->selectrow_array('SELECT visibility FROM artifact WHERE id = ?', undef, $id), 'private', '... nothing was changed';
is tool(get_artifact => { artifact => $id, include => ['exposure'] })->{structuredContent}{exposure}{strangers}{tables}[0]{name}, 'guests',
	'it can ask';
ok !tool(update_artifact => { artifact => $id, visibility => 'public', accept_exposure => $true })->{isError}, 'with a yes it may';
is $db->selectrow_array('SELECT visibility FROM artifact WHERE id = ?', undef, $id), 'public';
finish($stack);
