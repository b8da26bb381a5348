# SPDX-License-Identifier: Apache-2.0
# The access_policy as people work on it: read, changed with the mistake's place, tried as somebody else, with versions; and its rules for
# adding, changing, and deleting rows, wherever rows are written.
use utf8;
use Vitrine::Words qw(as refused said);

my ($stack, $api, $db) = stack(data_per_minute => 1_000_000, agent_calls_per_minute => 10_000);
my ($ann, $ed, $vic, $sam, $eve, $out) = map { $stack->user("$_\@example.org") } qw(ann ed vic sam eve out);
my $art = $api->publish($ann, slug => 'data', visibility => 'unlisted');
as('ann', POST => "/v1/artifacts/$art/collaborators", { emails => ["$_->[0]\@example.org"], role => $_->[1] })
	for ['ed', 'editor'], ['vic', 'viewer'];
my $base = "/v1/data/$art";
my $path = "$base/policy";
my $rows = "$base/tables/orders/rows";
my $false_rule = { read => 'false', write => 'false' };
as('ann', PUT => "$base/tables/orders", { columns => [map { { name => $_, type => $_ eq 'n' ? 'integer' : 'text' } } qw(rep status n)] });
sub put { my ($body, $who, %o) = @_; return as($who // 'ann', PUT => $path, json => $body, %o) }
sub set { my $r = put({ policy => { tables => { orders => $_[0] } } }); is $r->{status}, 200, 'the rules are set' or diag $r->{body} }
sub get { return as($_[0] // 'ann', GET => $path)->{json} }
sub add { my ($who, @v) = @_; return as($who, POST => $rows, { rows => [map { { rep => $_->[0], status => $_->[1],
	n => $_->[2] } } @v] }) }
sub all { return { map { $_->{id} => $_ } @{as('ann', GET => "$rows?limit=100")->{json}{rows}} } }

# ---- reading and changing

my $r = as('ann', GET => $path);
is_deeply [sort keys %{$r->{json}}], [sort qw(success policy text version sentences updated_at updated_by)], 'its keys';
is_deeply [@{$r->{json}}{qw(policy text version updated_at updated_by)}], [undef, undef, 0, undef, undef], 'no rules yet';
is_deeply $r->{json}{sentences}, { orders => ['Everyone who can open it can see all rows.',
	'The owner and editors can add, change, and delete all rows.'] }, 'which is told in sentences';
my $none = $r->{headers}{etag};
is as('ann', GET => $path, headers => { 'If-None-Match' => $none })->{status}, 304, 'who has it gets a 304';
my $text = qq({\n  "tables": {\n    "orders": {\n      "read": "row.rep == viewer.email",\n      "write": "false"\n    }\n  }\n}\n);
$r = put({ text => $text }, 'ed', headers => { 'If-Match' => $none });
is $r->{status}, 200, 'an editor writes one' or diag $r->{body};
is $r->{json}{text}, $text, 'the text stays as it was written';
is_deeply $r->{json}{policy}, { tables => { orders => { read => 'row.rep == viewer.email', write => 'false' } } }, '... and is read';
is $r->{json}{version}, 1, 'the first version';
is_deeply $r->{json}{updated_by}, { user_id => $ed->{id}, name => $r->{json}{updated_by}{name} }, 'by whom';
is_deeply $r->{json}{sentences}{orders},
	['People can see the rows where rep is their e-mail address. Visitors who aren’t signed in see none.',
	'Only the owner can add, change, and delete rows.'], 'in sentences';
refused(put({ text => $text . ' ' }, 'ann', headers => { 'If-Match' => $none }), '412 PRECONDITION_FAILED', 'not over what is newer');
is put({ text => "$text\n" }, 'ann', headers => { 'If-Match' => as('ann', GET => $path)->{headers}{etag} })->{json}{version}, 1,
	'the same rules are no new version';
for (
	['an expression', qq({"tables": {\n "orders": {"read": "row.rep = 1"}}}), 'tables.orders.read', 2, qr/line 2: .*at character 8/],
	['a member', qq({\n\n"tables": {"orders": {\n  "wirte": "true"}}}), 'tables.orders.wirte', 4, qr/must be one of read, write, add/],
	['JSON', qq({\n"tables": {,}}), '', 2, qr/isn't valid JSON/],
	['a column', qq({"tables": {"orders": {\n"read": "true",\n"write": "row.staus == 'x'"}}}), 'tables.orders.write', 3,
		qr/no column staus; did you mean status\?/],
	['a limit', qq({"tables": {"orders": {\n"add_per_hour": 0}}}), 'tables.orders.add_per_hour', 2, qr/from 1 to 1000/],
	['a limit that is none', qq({"tables": {"orders": {\n"add_per_hour": 1001}}}), 'tables.orders.add_per_hour', 2, qr/from 1 to 1000/],
	['names', qq({"tables": {"orders": {\n\n"change_columns": "n"}}}), 'tables.orders.change_columns', 3, qr/must be a list/],
	['a name', qq({"tables": {"orders": {\n\n"change_columns": ["m"]}}}), 'tables.orders.change_columns', 3, qr/no column m/],
	['a document', qq({"json":\n {"add": "true"}}), 'json.add', 2, qr/must be read or write/],
	['the whole', qq([]), '', 1, qr/must be an object/]) {
	my ($name, $wrong, $where, $line, $like) = @$_;
	my $said = refused(put({ text => $wrong }), '400 INVALID_REQUEST', "a mistake in $name", $like)->{json}{details};
	is_deeply [@$said{qw(path line)}, $said->{column} > 0 ? 1 : 0], [$where, $line, 1], '... with its place';
}
is put({ text => "{\n  \"tables\": {\"orders\": {\"read\": \"1 == \"}}}" })->{json}{details}{column}, 39,
	'the column is that of the mistake';
is get()->{version}, 1, 'none of these changed anything';
refused(put({}), '400 INVALID_REQUEST', 'neither', qr/either policy or text/);
refused(put({ text => '{}', policy => {} }), '400 INVALID_REQUEST', 'both', qr/either policy or text/);
refused(put({ text => 'x' x 70_000 }), '400 INVALID_REQUEST', 'too long', qr/text/);
for (['vic', '403 ACCESS_DENIED'], ['eve', '403 ACCESS_DENIED']) {
	my ($who, $code) = @$_;
	refused(as($who, GET => $path), $code, "$who reads none");
	refused(put({ policy => undef }, $who), $code, '... and writes none');
	refused(as($who, POST => "$path/try", { as => { stranger => $true } }), $code, '... and tries none');
}
{
	my $private = $api->publish($ann, slug => 'private', visibility => 'private');
	my @asks = ([GET => ''], [PUT => '', { policy => undef }], [GET => '/versions'], [POST => '/try', { as => { stranger => $true } }]);
	refused(as('eve', $_->[0] => "/v1/data/$private/policy$_->[1]", $_->[2]), '404 NOT_FOUND',
		"a stranger finds none to $_->[0]") for @asks;
}

my $tag = as('ann', GET => $path)->{headers}{etag};
as('ann', PUT => "$base/tables/more", { columns => [{ name => 'a', type => 'text' }] });
is as('ann', GET => $path, headers => { 'If-None-Match' => $tag })->{status}, 200, 'a table more is another answer';
as('ann', DELETE => "$base/tables/more");

# ---- versions

put({ policy => { default => 'owner' } });
put({ policy => undef });
$r = as('ann', GET => "$path/versions");
is_deeply [map { $_->{version} } @{$r->{json}{versions}}], [3, 2, 1], 'newest first';
is_deeply [sort keys %{$r->{json}{versions}[0]}], [sort qw(version text updated_at updated_by)], 'their keys';
is $r->{json}{versions}[0]{text}, undef, 'one without rules';
is $r->{json}{versions}[2]{text}, $text, 'a text as it was';
is_deeply get()->{policy}, undef, 'rules can go';
$api->publish($ann, artifact_id => $art, access_policy => { default => 'viewer' });
is_deeply [@{get()}{qw(version policy)}], [4, { default => 'viewer' }], 'a publish makes a version, too';
like get()->{text}, qr/^\{\n/, '... with a text to read';
$db->do('DELETE FROM policy_version WHERE artifact_id = ?', undef, $art);
is get()->{version}, 1, 'older rules are the first version';
put({ policy => { default => 'owner' } });
is_deeply [map { [@$_{qw(version updated_at)}] } as('ann', GET => "$path/versions")->{json}{versions}[1]], [[1, undef]],
	'... which is recorded before the next one';
put({ policy => { default => $_ % 2 ? 'viewer' : 'owner' } }) for 1 .. 55;
is scalar(@{as('ann', GET => "$path/versions?limit=100")->{json}{versions}}), 50, 'fifty stay';
$r = as('ann', GET => "$path/versions?limit=20");
is scalar(@{as('ann', GET => "$path/versions?limit=100&cursor=$r->{json}{next_cursor}")->{json}{versions}}), 30, '... in parts';

# ---- adding, changing, deleting

set({ read => 'true', write => 'false', add => 'row.rep == viewer.email', change => "row.rep == viewer.email and row.status != 'done'",
	delete => "viewer.role == 'editor'", change_columns => ['status'] });
is_deeply get()->{sentences}{orders}, ['Everyone who can open it can see all rows.',
	'People can add rows where rep is their e-mail address.',
	'People can change the rows where rep is their e-mail address and status isn’t “done”.',
		'People can delete all rows if their role is “editor”.',
	'Of rows that are there, only status can change.'], 'in sentences';
$r = add('vic', ['vic@example.org', 'open', 1]);
is $r->{status}, 201, 'added by the rule for adding' or diag $r->{body};
my $id = $r->{json}{ids}[0];
refused(add('vic', ['sam@example.org', 'open', 1]), '403 ACCESS_DENIED', 'not as somebody else',
	qr/orders\.add doesn't let you add this row/);
sub change { my ($who, $id, $values) = @_; return as($who, PATCH => "$rows/$id", $values) }
is change('vic', $id, { status => 'paid' })->{status}, 200, 'changed by the rule for changing';
refused(change('vic', $id, { status => 'new', n => 2 }), '403 ACCESS_DENIED', 'one column more',
	qr/^n: .*change_columns.*you can change status$/);
is change('vic', $id, { status => 'new', n => 1 })->{status}, 200, 'a column that stays is no change';
refused(change('vic', $id, { status => 'done' }), '403 ACCESS_DENIED', 'not into what may not be',
	qr/orders\.change doesn't let you change/);
refused(as('vic', DELETE => "$rows/$id"), '403 ACCESS_DENIED', 'deleted by none', qr/orders\.delete doesn't let you delete/);
refused(as('vic', DELETE => "$rows?all=1"), '403 ACCESS_DENIED', '... nor many', qr/orders\.delete/);
refused(as('vic', PATCH => "$rows?all=1", { n => 7 }), '403 ACCESS_DENIED', 'many rows, a column more', qr/^n: .*change_columns/);
is as('vic', PATCH => "$rows?all=1", { status => 'sent' })->{json}{changed}, 1, 'many rows by the rule for changing';
refused(change('ed', $id, { n => 3 }), '403 ACCESS_DENIED', 'an editor is bound, too');
is change('ann', $id, { n => 3 })->{status}, 200, 'the owner is not';
refused(add(undef, ['', '', 1]), '401 UNAUTHENTICATED', 'writing needs an account');
as('vic', PATCH => "$rows/$id", { status => 'x' });
my ($batch) = grep { $_->{changed} } @{as('ann', GET => "$base/tables/orders/history")->{json}{batches}};
is as('vic', POST => "$base/tables/orders/undo", { batch_id => $batch->{batch_id} })->{json}{undone}, 1,
	'undo of a column that may change';
change('ann', $id, { n => 9 });
($batch) = grep { $_->{changed} } @{as('ann', GET => "$base/tables/orders/history")->{json}{batches}};
refused(as('vic', POST => "$rows/$id/restore", { batch_id => $batch->{batch_id} }), '403 ACCESS_DENIED', 'not of another', qr/^n: /);
is as('ed', DELETE => "$rows/$id")->{status}, 200, 'deleted by the rule for deleting';
($batch) = grep { $_->{deleted} } @{as('ann', GET => "$base/tables/orders/history")->{json}{batches}};
refused(as('ed', POST => "$rows/$id/restore", { batch_id => $batch->{batch_id} }), '403 ACCESS_DENIED',
	'it comes back by the rule for adding',
	qr/orders\.add/);
is as('vic', POST => "$rows/$id/restore", { batch_id => $batch->{batch_id} })->{status}, 200, '... of whom it may be added by';

# A file is bound by the same rules.
sub imported {
	my ($who, $csv, %o) = @_;
	my $imp = as($who, POST => "$base/imports", { text => $csv, table => 'orders', %o })->{json}{import}{id};
	$stack->runner;
	my $start = as($who, POST => "$base/imports/$imp/start", { accept_proposals => $true });
	$stack->runner;
	return ($start, as($who, GET => "$base/imports/$imp")->{json}{import});
}
my ($start, $imp) = imported('vic', "rep,status,n\nvic\@example.org,a,1\nsam\@example.org,b,2\n", mode => 'add');
is $imp->{misfit_rows}, 1, 'a line that may not be added does not fit';
like $imp->{misfits}[0]{why}, qr/doesn’t let you add this row/, '... and says so';
as('ann', PUT => "$base/tables/orders", { columns => [map { { name => $_, type => $_ eq 'n' ? 'integer' : 'text' } } qw(rep status n)],
	key => 'n' });
($start, $imp) = imported('vic', "n,status\n9,again\n", mode => 'upsert', key => 'n');
is $imp->{state}, 'done', 'an upsert changes by the rule for changing' or diag explain $imp;
is all()->{$id}{status}, 'again', '... the row of the key';
($start, $imp) = imported('vic', "n,rep\n9,x\n", mode => 'upsert', key => 'n');
is $imp->{state}, 'failed', '... and not another column';
is all()->{$id}{rep}, 'vic@example.org', '... whose row stays';

# ---- how many an hour

as('ann', DELETE => "$rows?all=1");
as('ann', PUT => "$base/tables/orders", { columns => [map { { name => $_, type => $_ eq 'n' ? 'integer' : 'text' } } qw(rep status n)],
	key => undef });
set({ read => 'true', write => 'viewer.id != null', add_per_hour => 3 });
like get()->{sentences}{orders}[-1], qr/^A person can add at most 3 rows an hour\.$/, 'in a sentence';
is add('sam', ['a', 'b', 1], ['a', 'b', 2])->{status}, 201, 'two';
$r = refused(add('sam', ['a', 'b', 3], ['a', 'b', 4]), '429 RATE_LIMITED', 'two more are too many', qr/at most 3 rows an hour/);
is_deeply $r->{json}{details}, { limit => 3 }, '... with the limit';
ok $r->{headers}{'retry-after'} > 0 && $r->{headers}{'retry-after'} <= 3600, '... and when';
is add('sam', ['a', 'b', 3])->{status}, 201, 'the refused ones do not count';
refused(add('sam', ['a', 'b', 4]), '429 RATE_LIMITED', 'that was the third');
is add('eve', ['a', 'b', 4])->{status}, 201, 'each person has their own';
is add('ann', map { ['a', 'b', $_] } 1 .. 20)->{status}, 201, 'the owner is not bound';
($start) = imported('vic', "rep,status,n\n" . join('', map { "a,b,$_\n" } 1 .. 4), mode => 'add');
refused($start, '429 RATE_LIMITED', 'nor does a file bring more', qr/the file has 4/);
$db->do('UPDATE data_pace SET hour = hour - 2');
is add('sam', map { ['a', 'b', $_] } 1 .. 3)->{status}, 201, 'hours later there is room';
{
	my @r = Vitrine::Api::together($stack, 8, sub { return $_[0]->call(POST => $rows,
		{ token => $out->{token}, json => { rows => [{ rep => 'x' }] } })->{status} });
	is scalar(grep { $_ == 201 } @r), 3, 'eight at once: three' or diag "@r";
}
$stack->runner;
is $db->selectrow_array('SELECT COUNT(*) FROM data_pace WHERE hour < ?', undef, int(time / 3600) - 1), 0, 'old counts go';

# ---- trying

set({ read => "row.rep == viewer.email or viewer.role == 'editor'", write => 'row.rep == viewer.email',
	change => "row.rep == viewer.email",
	delete => 'false' });
as('ann', DELETE => "$rows?all=1");
add('ann', ['vic@example.org', 'open', 1], ['vic@example.org', 'done', 2], ['sam@example.org', 'open', 3], ['ann@example.org',
	'open', 4]);
sub try {
	my ($as, $who, %o) = @_;
	my $r = as($who // 'ann', POST => "$path/try", { as => $as, %o });
	is $r->{status}, 200, 'tried' or diag $r->{body};
	return $r->{json};
}
my $tried = try({ email => 'vic@example.org' });
is_deeply [sort keys %$tried], [sort qw(success reaches tables)], 'its keys';
my $t = $tried->{tables}[0];
is_deeply [sort keys %$t], [sort qw(name read add change delete rows rows_read rows_change sample)], 'those of a table';
is_deeply [@$t{qw(name read add change delete rows rows_read rows_change)}], ['orders', 'some', 'some', 'some', 'none', 4, 2, 2],
	'as vic';
is_deeply [map { $_->{n} } @{$t->{sample}}], [1, 2], '... whose rows are shown';
is_deeply [map { $_->{n} } @{as('vic', GET => $rows)->{json}{rows}}], [1, 2], '... and which vic sees';
$t = try({ stranger => $true })->{tables}[0];
is_deeply [@$t{qw(read add rows_read rows_change)}, scalar @{$t->{sample}}], ['none', 'none', 0, 0, 0], 'as a stranger';
$t = try({ signed_in => $true })->{tables}[0];
is_deeply [@$t{qw(read add rows_read)}], ['some', 'some', 0], 'as somebody signed in';
$t = try({ stranger => $true }, undef, policy => { tables => { orders => { read => "row.status == 'open'" } } })->{tables}[0];
is_deeply [@$t{qw(read rows_read)}, map { $_->{n} } @{$t->{sample}}], ['some', 3, 1, 3, 4], 'a draft is tried';
is get()->{policy}{tables}{orders}{delete}, 'false', '... and changes nothing';
$r = as('ann', POST => "$path/try", { as => { stranger => $true }, text => qq({\n"tables": 1}) });
is refused($r, '400 INVALID_REQUEST', 'a draft with a mistake')->{json}{details}{line}, 2, '... with its place';
refused(as('ann', POST => "$path/try", { as => $_ }), '400 INVALID_REQUEST', 'one of them', qr/^as: /)
	for {}, { stranger => $true, signed_in => $true };
set({ read => "row.status == 'open'", write => 'false' });
$t = try({ email => 'ann@example.org' }, 'ed')->{tables}[0];
is $t->{read}, 'all', 'an editor tries as the owner';
is_deeply [map { $_->{status} } @{$t->{sample}}], [('open') x 3], '... and sees no row that is hidden from them';
is_deeply [@$t{qw(rows rows_read rows_change)}], [undef, undef, undef], '... nor a number';
my $writer = "row.rep == viewer.id";
set({ read => $writer, write => $writer });
as('ann', POST => $rows, { rows => [{ rep => $sam->{id} }] });
is try({ email => 'sam@example.org' })->{tables}[0]{rows_read}, 0, 'whose account an address is stays untold';
is try({ email => 'nobody@nowhere.example' })->{tables}[0]{rows_read}, 0, '... as of one that is none';
as('ann', POST => "/v1/artifacts/$art/collaborators", { emails => ['sam@example.org'], role => 'viewer' });
is try({ email => 'sam@example.org' })->{tables}[0]{rows_read}, 1, '... unless they have a role';

# ---- open pages, approvals, agents

my $open = { tables => { orders => { read => 'true', write => 'true' } } };
$db->do("UPDATE user SET kind = 'agent', email = NULL WHERE id = ?", undef, $ed->{id});
put({ policy => { default => 'owner' } });
refused(put({ policy => $open }, 'ed'), '409 CONFLICT', 'an agent that exposes more asks first',
	qr/Anyone who can open it.*accept_exposure/);
is get()->{policy}{default}, 'owner', '... and changes nothing';
refused(put({ policy => { default => 'owner', tables => { orders => { read => 'row.n == 1', write => 'true' } } } }, 'ed'), '409 CONFLICT',
	'also where it hides the rows from itself', qr/signed in can add, change and delete any row of orders\. Ask/);
refused(put({ policy => { default => 'owner', tables => { orders => { add => 'true' } } } }, 'ed'), '409 CONFLICT', 'one act alone',
	qr/nothing was changed\. Anyone who can open it and is signed in can add any row of orders\. Ask/);
refused(put({ policy => { default => 'owner', blobs => { read => 'true', write => 'viewer.id != null' } } }, 'ed'), '409 CONFLICT',
	'the files', qr/can open it can read the files\. .*signed in can change the files\. Ask/);
is put({ policy => { default => 'owner', tables => { orders => { add => "row.rep == viewer.email" } } } }, 'ed')->{status}, 200,
	'what the row decides needs no question';
is put({ policy => $open, accept_exposure => $true }, 'ed')->{status}, 200, '... and is told yes';
is put({ policy => { default => 'viewer' } }, 'ed')->{status}, 200, 'less needs no question';
my $low = $stack->token($ann->{id}, 'so_', scopes => 15, opens_to => 'private');
refused($api->call(PUT => $path, { token => $low, json => { policy => undef } }), '403 ABOVE_CEILING', 'a ceiling holds');
my $reads = $stack->token($ann->{id}, 'so_', scopes => 4);
refused($api->call(PUT => $path, { token => $reads, json => { policy => undef } }), '403 INSUFFICIENT_SCOPE', 'a scope, too');
my $ws = as('ann', POST => '/v1/workspaces', { name => 'Team', settings => { member_access => 'editor' } })->{json}{workspace}{id};
my $team = $api->publish($ann, slug => 'team', visibility => 'public', workspace_id => $ws);
as('ann', PATCH => "/v1/workspaces/$ws/publish-policy", { policy => 'require_approval' });
$stack->seat($ws, $sam, 'member');
refused(as('sam', PUT => "/v1/data/$team/policy", { policy => $open }), '403 APPROVAL_REQUIRED', 'an open page needs approval',
	qr/publish the policy with a version/);
as('ann', PATCH => "/v1/artifacts/$team", { visibility => 'private' });
is as('sam', PUT => "/v1/data/$team/policy", { policy => $open })->{status}, 200, '... a private one not';
ok scalar(grep { $_->{action} eq 'artifact.data_rules' } @{as('ann', GET => "/v1/workspaces/$ws/audit")->{json}{audit} // []}),
	'the audit has it';

# ---- names that change

set({ read => "row.status == 'x'", change_columns => ['status'] });
as('ann', PUT => "$base/tables/orders", { columns => [map { { name => $_, type => $_ eq 'n' ? 'integer' : 'text' } } qw(rep state n)],
	renames => { status => 'state' }, policy => 'rewrite' });
is_deeply get()->{policy}{tables}{orders}, { read => "row.state == 'x'", change_columns => ['state'] }, 'a rename is a version';
finish($stack);
