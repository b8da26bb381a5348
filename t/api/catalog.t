# SPDX-License-Identifier: Apache-2.0
# The data catalog: files with front matter, what is listed and counted of them and to whom, what they are about as it is now, and seeding.
use utf8;
use Vitrine::Words qw(as said refused);

my ($stack, $api, $db) = stack(publish_per_hour => 1000);
my %user = map { $_ => $stack->user("$_\@example.org") } qw(own adm mem oth);
sub done { my $r = as(@_); $r->{status} =~ /^2/ or BAIL_OUT("@_[1, 2]: $r->{body}"); return $r->{json} }
my $ws = done(own => POST => '/v1/workspaces', { name => 'Team' })->{workspace}{id};
my $at = "/v1/workspaces/$ws";
done(own => POST => "$at/members", { user_id => $user{$_->[0]}{id}, role => $_->[1] }) for [adm => 'admin'], [mem => 'member'];
# Members see what is shared with them, and nothing else.
done(own => PATCH => $at, { settings => { member_access => 'none' } });
sub bot { return { token => done(own => POST => "$at/agent-tokens", { name => "Bot @_", scopes => [@_] })->{token} } }
sub put {
	my ($who, $path, $front, @more) = @_;
	return as($who, PUT => "$at/catalog/files", @more ? (json => { path => $path, content => "---\n$front---\ntext\n" }, @more)
		: { path => $path, content => "---\n$front---\ntext\n" });
}
sub entry { my $r = put(@_); $r->{status} =~ /^20[01]$/ or BAIL_OUT("$_[1]: $r->{body}"); return $r->{json}{entry} }
sub list { my ($who, $query) = @_; return done($who, GET => "$at/catalog" . ($query ? "?$query" : '')) }
sub paths { return join ' ', map { $_->{path} } @{list(@_)->{entries}} }
sub facet { my ($list, $name) = @_; return join ' ', map { $_->{count} ? "$_->{value}=$_->{count}" : () } @{$list->{facets}{$name}} }

# ---- off

my $empty = { success => $true, enabled => $false, entries => [], total => 0, facets => { map { $_ => [] } qw(kind domain status tag) },
	next_cursor => undef };
is_deeply list('mem'), $empty, 'off at first: nothing, which is said';
my $nowhere = "$at/catalog/entries/cat_" . '0' x 26;
is_deeply done(mem => GET => $nowhere), { success => $true, enabled => $false, entry => undef }, '... of an entry too';
is_deeply done(mem => GET => "$at/catalog/manifest?")->{entries}, {}, '... and in the manifest';
is_deeply done(mem => GET => "$at/catalog/lineage"), { success => $true, enabled => $false, nodes => [], edges => [], truncated => $false },
	'... and of lineage';
refused(put(mem => 'a.md', ''), '409 CONFLICT', 'nothing is written', qr/off; an admin/);
refused(as(mem => DELETE => "$at/catalog/files?path=a.md"), '409 CONFLICT', '... or deleted');
refused(as(own => POST => "$at/catalog/seed"), '409 CONFLICT', '... or seeded');
refused(as(mem => POST => "$at/catalog/enable", { enabled => $true }), '403 ACCESS_DENIED', 'a member turns nothing on');
is_deeply done(adm => POST => "$at/catalog/enable", { enabled => $true }), { success => $true, enabled => $true }, 'an admin does';
is list('mem')->{enabled}, $true, '... for all';

# ---- a file

my $r = put(mem => 'sales/Örders.md',
	"kind: metric\ntitle: Revenue\ndescription: What was paid\ndomain: Sales\nstatus: verified\ntags: [daily, 'personal data']\n"
		. "owner: Ann\ncolumns:\n  - {name: a, type: text, description: One}\n  - name: b\nupstream: [sales/x.md, y.yaml]\n");
is $r->{status}, 201, 'made';
my $one = $r->{json}{entry};
is join(' ', sort keys %$one), 'columns content created_at description domain downstream etag id kind owner path seeded source status tags '
	. 'title updated_at updated_by upstream used_by', 'exact keys';
is_deeply [@$one{qw(path kind title description domain status owner source seeded used_by)}],
	['sales/Örders.md', qw(metric Revenue), 'What was paid', qw(Sales verified Ann), undef, $false, 0], 'as the file has it';
is_deeply [@$one{qw(tags upstream downstream)}], [['daily', 'personal data'], ['sales/x.md', 'y.yaml'], []], '... with its lists';
is_deeply $one->{columns}, [{ name => 'a', type => 'text', description => 'One', missing => $false },
	{ name => 'b', type => undef, description => undef, missing => $false }], '... and columns';
is_deeply $one->{updated_by}, { user_id => $user{mem}{id}, name => '', email => 'mem@example.org', kind => 'person' }, 'who wrote it'
	or diag explain $one->{updated_by};
is_deeply done(adm => GET => "$at/catalog/entries/$one->{id}"), { success => $true, enabled => $true, entry => $one },
	'another reads the same';
my ($listed) = @{list('adm')->{entries}};
is_deeply $listed, { map { $_ => $one->{$_} } grep { !/^(?:content|downstream)$/ } keys %$one },
	'a list has all but the file and what comes from it';
$r = put(adm => 'sales/Örders.md', "title: Net\n");
is_deeply [$r->{status}, $r->{json}{entry}{id}, $r->{json}{entry}{title}, $r->{json}{entry}{kind}], [200, $one->{id}, 'Net', 'doc'],
	'written again it is the same entry, of the usual kind';
is_deeply [@{entry(mem => 'plain.md', '')}{qw(title status description)}], ['plain', 'draft', undef],
	'a file without fields is called as its name is';
is as(mem => PUT => "$at/catalog/files", { path => 'head.md', content => "text\n# The heading\n" })->{json}{entry}{title}, 'The heading',
	'... or as its heading';
is as(mem => PUT => "$at/catalog/files", { path => 'all.yml', content => "title: Of YAML\n" })->{json}{entry}{title}, 'Of YAML',
	'a file of YAML alone';
$r = put(mem => 'unknown.md', "titel: x\n");
like encode_json($r->{json}), qr/Line 2: titel isn't a field/, 'a field that nothing knows is told of' or diag $r->{body};

# ---- what can't be a file

for (['', qr/path/], ['/a.md', qr/relative/], ['../a.md', qr/\.\./], ['a.txt', qr/\.md, \.yaml or \.yml/], ['.md', qr/\.md/],
	["a\\b.md", qr/backslash/], ['x' x 250 . '/' . 'x' x 10 . '.md', qr/maximum is 255/]) {
	refused(as(mem => PUT => "$at/catalog/files", { path => $_->[0], content => '' }), '400 INVALID_REQUEST',
		"a path like '" . substr($_->[0], 0, 20) . "'", $_->[1]);
}
refused(put(mem => 'SALES/ÖRDERS.md', ''), '409 CONFLICT', 'a path that people would take for another', qr/too much like one/);
is_deeply [@{done(mem => GET => '/v1/limits')->{limits}}{qw(max_catalog_entries max_catalog_file_bytes)}], [5000, 256 * 1024],
	'how much there may be is told';
refused(as(mem => PUT => "$at/catalog/files", { path => 'b.md', content => 'x' x (256 * 1024 + 1) }), '413 FILE_TOO_LARGE',
	'more than 256 KiB', qr/262144/);
my @wrong = (["a: \"b\n", 2, 4, 'a quotation mark'], ["a: &x b\nc: *x\n", 2, 4, 'an anchor'],
	["title: A\ntitle: B\n", 3, 1, 'a field twice'], ["title: !!x A\n", 2, 8, 'a tag'], ["kind: table\n", 2, 7, 'no such kind'],
	["a: b\nstatus: done\n", 3, 9, 'no such status'],
	["title: [a]\n", 2, 8, 'a title that is a list'], ["title: '" . 'x' x 201 . "'\n", 2, 8, 'a long title'],
	["domain: a, b\n", 2, 9, 'a comma'], ["tags:\n  - a\n  - 'b, c'\n", 4, 5, 'a comma in a tag'],
	["columns: [{type: text}]\n", 2, 11, 'a column without a name'], ["columns:\n  - name: a\n  - name: a\n", 4, 5, 'a column twice'],
	["upstream: [a.txt]\n", 2, 12, 'no path'], ["source: x\n", 2, 9, 'no source'], ["source: {table: x}\n", 2, 9, 'a table of nothing'],
	["source: {artifact: nothing}\n", 2, 20, 'no such artifact'], ["source: {connection: nothing}\n", 2, 22, 'no such connection']);
for (@wrong) {
	my ($front, $line, $column, $name) = @$_;
	$r = refused(put(mem => 'wrong.md', $front), '400 INVALID_REQUEST', $name, qr/Line $line: /);
	is_deeply $r->{json}{details}, { line => $line, column => $column }, '... and where' or diag $r->{body};
}
is paths('mem', 'q=wrong'), '', 'of these nothing is there';

# ---- one of two

my $etag = $one->{etag};
refused(put(mem => 'sales/Örders.md', "title: Late\n", headers => { 'If-Match' => $etag }), '412 PRECONDITION_FAILED',
	'what was read is not what is there');
my $now = done(mem => GET => "$at/catalog/entries/$one->{id}")->{entry};
my @both = map { /^(\d+)/ } Vitrine::Api::together($stack, 2, sub { my ($own, $i) = @_;
	return $own->call(PUT => "$at/catalog/files", { token => $user{mem}{token},
		json => { path => 'sales/Örders.md', content => "both $i" }, headers => { 'If-Match' => $now->{etag} } })->{status} });
is join(' ', sort @both), '200 412', 'of two who have read the same, one';
$r = as(mem => GET => "$at/catalog/entries/$one->{id}");
is put(mem => 'sales/Örders.md', "title: By GET\n", headers => { 'If-Match' => $r->{headers}{etag} })->{status}, 200,
	'what GET answers as its ETag is good, too';
refused(put(mem => 'sales/Örders.md', '', headers => { 'If-None-Match' => '*' }), '412 PRECONDITION_FAILED', 'only if there is none');
is join(' ', sort(map { said($_) } map { { status => (split / /)[0], json => {} } } Vitrine::Api::together($stack, 2, sub {
	my ($own, $i) = @_;
	return $own->call(PUT => "$at/catalog/files",
		{ token => $user{mem}{token}, json => { path => 'new.md', content => "new $i" } })->{status};
}))), '200  201 ', 'two who make the same make one';

# ---- deleted

put(mem => $_, '') for 'gone.md', 'gone.md.md', 'gone.md/e.md', 'Gone2.md';
is as(mem => DELETE => "$at/catalog/files?path=gone.md")->{status}, 200, 'deleted';
is join(' ', sort split / /, paths('mem', 'q=gone')), 'Gone2.md gone.md.md gone.md/e.md', '... and exactly that';
refused(as(mem => DELETE => "$at/catalog/files?path=$_"), '404 NOT_FOUND', "... not $_") for 'gone.md', 'gone2.md', 'gone.md/';
as(mem => DELETE => "$at/catalog/files?path=$_->{path}") for grep { $_->{path} !~ /Ö/ } @{list('mem', 'limit=200')->{entries}};
as(mem => DELETE => "$at/catalog/files?path=sales/%C3%96rders.md");
is list('mem')->{total}, 0, 'nothing is left';

# ---- words, filters, counts, order

entry(mem => 'a.md',
	"title: Revenue\nkind: metric\ndomain: Sales\nstatus: verified\ntags: [daily]\ndescription: of all orders\nupstream: [b.md]\n");
entry(mem => 'b.md', "title: Orders\nkind: dataset\ndomain: Sales\ntags: [daily, raw]\ndescription: gives REVENUE\n");
entry(mem => 'c.md', "title: Stock\nkind: dataset\ndomain: Logistics\ntags: [raw]\nupstream: [b.md, a.md]\n");
entry(mem => 'revenue.md', "title: Old\nkind: term\nstatus: deprecated\n");
$db->do("UPDATE catalog_entry SET updated_at = ORD(path)");
is paths('mem'), 'revenue.md c.md b.md a.md', 'what changed last comes first';
is paths('mem', 'q=revenue'), 'a.md revenue.md b.md', 'with words, what matches best';
is paths('mem', 'q=ORDERS%20revenue'), 'b.md a.md', '... all of them';
is paths('mem', 'q=revenue&sort=changed'), 'revenue.md b.md a.md', '... or as one likes';
is paths('mem', 'sort=used'), 'b.md a.md revenue.md c.md', 'what is used most';
is join(' ', map { $_->{used_by} } @{list('mem', 'sort=used')->{entries}}), '2 1 0 0', '... by how many';
my $all = list('mem');
is_deeply [map { facet($all, $_) } qw(kind domain status tag)],
	['dataset=2 metric=1 term=1', 'Sales=2 Logistics=1', 'draft=2 verified=1 deprecated=1', 'daily=2 raw=2'], 'counts of all';
is join(' ', map { $_->{value} } @{$all->{facets}{kind}}), 'dataset source page metric term doc',
	'... of kinds in their order, with those that nothing is';
my $some = list('mem', 'kind=dataset&tag=daily');
is_deeply [$some->{total}, map { facet($some, $_) } qw(kind domain status tag)],
	[1, 'dataset=1 metric=1', 'Sales=1', 'draft=1', 'raw=2 daily=1'], 'each counts under the other filters';
is facet(list('mem', 'q=stock'), 'kind'), 'dataset=1', '... and under the words';
is paths('mem', 'kind=metric,term&sort=changed'), 'revenue.md a.md', 'one of several';
is paths('mem', 'tag=raw&domain=Sales'), 'b.md', 'tag and domain';
my ($query, @pages) = ('limit=3&sort=used');
for (1 .. 2) {
	my $page = list('mem', $query);
	push @pages, join ' ', map { $_->{path} } @{$page->{entries}};
	$query = 'limit=3&sort=used&cursor=' . ($page->{next_cursor} // last);
}
is join(' | ', @pages), 'b.md a.md revenue.md | c.md', 'in parts';
refused(as(mem => GET => "$at/catalog?cursor=$_"), '400 INVALID_REQUEST', "a cursor $_") for 'x', 'cat_' . '0' x 26;
refused(as(mem => GET => "$at/catalog?$_"), '400 INVALID_REQUEST', $_) for 'kind=table', 'status=x', 'sort=x';
refused(as(mem => GET => "$at/catalog/entries/cat_" . '0' x 26), '404 NOT_FOUND', 'an entry that is not there');

# ---- what entries are about

my $sales = $api->publish($user{own}, slug => 'sales', name => 'Sales', visibility => 'private', workspace_id => $ws,
	access_policy => { tables => { secret => { read => "viewer.role == 'owner'" }, mine => { read => 'row.a == viewer.email' } },
		json => { read => 'viewer.role != null' } });
done(own => POST => "/v1/artifacts/$sales/collaborators", { emails => ['mem@example.org'], role => 'viewer' });
done(own => PUT => "/v1/data/$sales/tables/$_", { columns => [{ name => 'a', type => 'text' }, { name => 'n', type => 'number' }],
	rows => [{ a => 'x' }, { a => 'mem@example.org' }] }) for qw(orders mine secret);
done(own => PUT => "/v1/data/$sales/json", { n => 1 });
my $hidden = $api->publish($user{own}, slug => 'hidden', name => 'Hidden', visibility => 'private', workspace_id => $ws);
my $open = $api->publish($user{own}, slug => 'open', name => 'Open', visibility => 'public', workspace_id => $ws);
my $con = 'con_' . '1' x 26;
$db->do("INSERT INTO connection (id, workspace_id, provider, kind, name, name_key, auth_mode, config, created_at, updated_at) "
	. "VALUES (?, ?, 'http', 'http', 'Ware house', 'ware house', 'shared', '{}', 0, 0)", undef, $con, $ws);
my %about = (orders => entry(own => 'orders.md', "kind: dataset\nsource: {artifact: sales, table: orders}\ncolumns:\n  - {name: n, type: "
	. "text, description: Number}\n  - {name: gone, type: text, description: Was there}\ndomain: Only\ntags: [only]\n"),
	mine => entry(own => 'mine.md', "source: {artifact: $sales, table: mine}\n"),
	secret => entry(own => 'secret.md', "source: {artifact: sales, table: secret}\ntags: [whisper]\ndomain: Whisper\n"),
	document => entry(own => 'document.md', "source: {artifact: sales}\n"),
	page => entry(own => 'page.md', "kind: page\nsource: {artifact: open}\n"),
	hidden => entry(own => 'hidden.md', "title: Zeppelin\nsource: {artifact: hidden}\ntags: [whisper]\n"),
	connection => entry(own => 'connection.md', "kind: source\nsource: {connection: WARE HOUSE}\n"));
is_deeply $about{orders}{columns}, [{ name => 'a', type => 'text', description => undef, missing => $false },
	{ name => 'n', type => 'number', description => 'Number', missing => $false }, { name => 'gone', type => 'text',
		description => 'Was there', missing => $true }], 'columns of the table, with what the file says, and what it has besides';
my $source = $about{orders}{source};
is_deeply $source, { kind => 'table', artifact_id => $sales, artifact_name => 'Sales', table => 'orders', connection_id => undef,
	connection_name => undef, row_count => 2, updated_at => $source->{updated_at} }, 'what it is about';
ok $source->{updated_at}, '... and when that changed';
is_deeply [map { $about{$_}{source}{kind} } qw(document page hidden connection)], [qw(document page document connection)],
	'each kind of thing';
is $about{connection}{source}{connection_name}, 'Ware house', 'a connection by its name';
sub sees {
	my ($who) = @_;
	return join ' ',
		sort map { $_->{path} =~ s/\.md$//r } grep { $_->{path} !~ /^(?:[abc]|revenue)\.md$/ } @{list($who, 'limit=200')->{entries}}
}
is sees('own'), 'connection document hidden mine orders page secret', 'the owner sees all';
is sees('adm'), 'connection document hidden mine orders page', 'an admin what an admin may read';
is sees('mem'), 'connection document mine orders page', 'a member what is shared with them';
my ($reader, $writer, $pages_only) = map { bot(@$_) } ['data:read'], [qw(data:read data:write)], ['artifacts:read'];
is sees($reader), 'page', 'an agent what it may read, and no connection';
$r = list('mem', 'limit=200');
is_deeply [$r->{total}, (grep { $_->{value} =~ /whisper/i } @{$r->{facets}{tag}}, @{$r->{facets}{domain}})], [9],
	'what is hidden is not counted';
is paths('mem', "q=$_"), '', "... nor found: $_" for qw(zeppelin whisper hidden secret);
for my $name (qw(hidden secret)) {
	refused(as(mem => GET => "$at/catalog/entries/$about{$name}{id}"), '404 NOT_FOUND', "$name: not there");
	refused(put(mem => "$name.md", "title: Mine\n"), '409 CONFLICT', '... not written over');
	refused(as(mem => DELETE => "$at/catalog/files?path=$name.md"), '404 NOT_FOUND', '... nor deleted');
}
refused(put(mem => 'x.md', "source: {artifact: $_}\n"), '400 INVALID_REQUEST', "nor is it a source: $_", qr/no (?:artifact|table) /)
	for 'hidden', $hidden, 'sales, table: secret', 'sales, table: absent', 'sales, table: täble', 'Sälés', 'art_' . '0' x 26;
sub seen { my ($who, $name) = @_; return done($who, GET => "$at/catalog/entries/$about{$name}{id}")->{entry}{source} }
is_deeply [map { @{seen(mem => 'mine')}{$_} } qw(row_count updated_at)], [undef, undef], 'whom a rule gives some rows is told no numbers';
is seen(own => 'mine')->{row_count}, 2, '... the owner is';
my $manifest = encode_json(done(mem => GET => "$at/catalog/manifest"));
is join(' ', grep { index($manifest, $_) >= 0 } $about{hidden}{id}, $about{secret}{id}, 'Zeppelin', 'whisper'), '',
	'the manifest has nothing of it';
is_deeply [map { said($_) } as($pages_only, GET => "$at/catalog"), as($reader, PUT => "$at/catalog/files", { path => 'bot.md',
	content => '' }), as($writer, PUT => "$at/catalog/files", { path => 'bot.md', content => '' }), as(oth => GET => "$at/catalog")],
	['403 INSUFFICIENT_SCOPE', '403 INSUFFICIENT_SCOPE', '201 ', '404 NOT_FOUND'], 'scopes, and who is in no part of it';
is_deeply $db->selectcol_arrayref('SELECT COUNT(*) FROM audit WHERE workspace_id = ? AND action IN (?, ?)',
		undef, $ws, 'catalog.enabled', 'catalog.removed'),
	[2 + $db->selectrow_array("SELECT COUNT(*) - 1 FROM audit WHERE action = 'catalog.removed'")], 'what was done is written down';
done($writer, DELETE => "$at/catalog/files?path=bot.md");

# ---- what becomes of these

done(own => DELETE => "/v1/data/$sales/tables/mine");
is_deeply [seen(mem => 'mine'), sees('mem')], [undef, 'connection document mine orders page'],
	'a table is deleted: its entry stays, about nothing';
done(own => DELETE => "/v1/artifacts/$sales");
is sees('mem') . ', ' . sees('own'), 'connection page, connection hidden page', 'an artifact in the trash: not there';
done(own => POST => "/v1/artifacts/$sales/restore", {});
done(own => PATCH => "/v1/artifacts/$sales", { workspace_id => undef });
is sees('mem') . ', ' . sees('adm'), 'connection document mine orders page, connection hidden page', 'moved out: for who may still open it';
is seen(mem => 'orders'), undef, '... about nothing of the workspace';
done(own => PATCH => "/v1/artifacts/$sales", { workspace_id => $ws });
is seen(mem => 'orders')->{row_count}, 2, 'and back';
$db->do('DELETE FROM connection WHERE id = ?', undef, $con);
is_deeply [seen(mem => 'connection'), sees($reader)], [undef, 'connection page'], 'a connection is deleted: its entry is about nothing';
for my $id ($sales, $open) {
	done(own => DELETE => "/v1/artifacts/$id");
	$db->do('UPDATE artifact SET deleted_at = 1 WHERE id = ?', undef, $id);
}
is +($stack->runner)[0], 0, 'the runner did its rounds';
is_deeply [seen(mem => 'page'), sees('mem')], [undef, 'connection page'],
	'an artifact is purged that all could open: its entry stays, about nothing';
is sees('adm'), 'connection document hidden mine orders page secret', '... one that some could: for admins';
is scalar @{done(adm => GET => "$at/catalog/entries/$about{orders}{id}")->{entry}{columns}}, 2, '... as the file has it';

# ---- seeded

my $shop = $api->publish($user{own}, slug => 'shop', name => 'Shop: "new"', visibility => 'private', workspace_id => $ws);
done(own => PUT => "/v1/data/$shop/tables/$_", { columns => [{ name => 'a', type => 'text' }] }) for qw(Goods goods null);
done(own => PUT => "/v1/data/$shop/json", { n => 1 });
$db->do("INSERT INTO connection (id, workspace_id, provider, kind, name, name_key, auth_mode, config, created_at, updated_at) "
	. "VALUES (?, ?, 'http', 'http', 'Shop: \"x\"', 'shop: \"x\"', 'shared', '{}', 0, 0)", undef, 'con_' . '2' x 26, $ws);
my $before = list('own')->{total};
refused(as(mem => POST => "$at/catalog/seed"), '403 ACCESS_DENIED', 'a member seeds nothing');
is_deeply [sort { $a->{created} <=> $b->{created} } map { decode_json($_) } Vitrine::Api::together($stack, 2, sub {
	return $_[0]->call(POST => "$at/catalog/seed", { token => $user{own}{token} })->{body};
})], [{ success => $true, created => 0, updated => 0, unchanged => 5 }, { success => $true, created => 5, updated => 0, unchanged => 0 }],
	'twice at once: one set';
my %seeded = map { $_->{path} => $_ } grep { $_->{seeded} } @{list('own', 'limit=200')->{entries}};
is join(' ', sort keys %seeded), 'connections/shop-x.md documents/shop.md tables/shop/Goods.md tables/shop/goods-2.md tables/shop/null.md',
	'a file each';
is_deeply [map { $seeded{"tables/shop/null.md"}{$_} } qw(title kind)], [qw(null dataset)], 'called as they are';
is $seeded{'tables/shop/null.md'}{source}{table}, 'null', '... and about them';
entry(own => 'tables/shop/Goods.md', "title: Edited\nsource: {artifact: shop, table: Goods}\n");
done(own => PUT => "/v1/data/$shop/tables/$_", { columns => [{ name => 'a', type => 'text' }, { name => 'b', type => 'text' }] })
	for qw(Goods goods);
is_deeply done(adm => POST => "$at/catalog/seed"), { success => $true, created => 0, updated => 1, unchanged => 4 },
	'again: what has changed and nobody has edited';
is done(own => GET => "$at/catalog/entries/$seeded{'tables/shop/Goods.md'}{id}")->{entry}{title}, 'Edited', '... not what somebody has';
my $goods = $seeded{'tables/shop/goods-2.md'};
my $text = done(own => GET => "$at/catalog/entries/$goods->{id}")->{entry}{content};
is as(own => PUT => "$at/catalog/files", { path => $goods->{path}, content => $text })->{json}{entry}{seeded}, $true,
	'sent back as it was, it counts as seeded';

# ---- as many as there may be; and off again

my $there = $db->selectrow_array('SELECT COUNT(*) FROM catalog_entry');
$db->do("INSERT INTO catalog_entry (id, workspace_id, path, path_key, sha256, kind, title, status, tags, fields, upstream, words, seeded, "
	. "created_at, updated_at) SELECT CONCAT('cat_', LPAD(seq, 26, '0')), ?, CONCAT('n/', seq, '.md'), UNHEX(SHA2(seq, 256)), '', "
	. "'doc', 'N', 'draft', '', '[]', '', '', 0, 0, 0 FROM seq_1_to_" . (5000 - $there), undef, $ws);
$r = refused(put(mem => 'more.md', ''), '409 LIMIT_REACHED', 'five thousand', qr/5,000/);
is_deeply $r->{json}{details}, { limit => 5000 }, '... which is told';
is put(mem => 'a.md', '')->{status}, 200, '... and what is there can change';
done(own => PUT => "/v1/data/$shop/tables/more", { columns => [{ name => 'a', type => 'text' }] });
refused(as(own => POST => "$at/catalog/seed"), '409 LIMIT_REACHED', 'nor is more seeded');
$db->do("DELETE FROM catalog_entry WHERE path LIKE 'n/%'");
done(own => POST => "$at/catalog/enable", { enabled => $false });
is_deeply list('own'), $empty, 'off: nothing';
done(own => POST => "$at/catalog/enable", { enabled => $true });
cmp_ok list('own')->{total}, '>', $before, '... and the files are kept';
finish($stack);
