# SPDX-License-Identifier: Apache-2.0
# Lineage: what entries say, what jobs load, and what pages read, joined over what the caller may open; circles, depths, and what is cut.
use utf8;
use Vitrine::Words qw(as said refused);

my ($stack, $api, $db) = stack(publish_per_hour => 1000);
my %user = map { $_ => $stack->user("$_\@example.org") } qw(own mem);
sub done { my $r = as(@_); $r->{status} =~ /^2/ or BAIL_OUT("@_[1, 2]: $r->{body}"); return $r->{json} }
my $ws = done(own => POST => '/v1/workspaces', { name => 'Team' })->{workspace}{id};
my $at = "/v1/workspaces/$ws";
done(own => POST => "$at/members", { user_id => $user{mem}{id}, role => 'member' });
done(own => PATCH => $at, { settings => { member_access => 'none' } });
done(own => POST => "$at/catalog/enable", { enabled => $true });
my %id;
sub put {
	my ($path, $front) = @_;
	my $r = as(own => PUT => "$at/catalog/files", { path => "$path.md", content => "---\ntitle: $path\n$front---\n" });
	$r->{status} =~ /^2/ or BAIL_OUT($r->{body});
	return $id{$path} = $r->{json}{entry}{id};
}
# As text: nodes by name, edges by the names of their ends.
sub lineage {
	my ($who, $of, $query) = @_;
	my $l = done($who, GET => "$at/catalog/lineage?" . join '&', ($of ? "entry=$id{$of}" : ()), $query // ());
	my %name = map { $_->{id} => $_->{name} } @{$l->{nodes}};
	return (join(' ', map { $_->{name} } @{$l->{nodes}}),
		join(' ', sort map { "$name{$_->{from}}>$name{$_->{to}}" } @{$l->{edges}}), $l);
}

# ---- what entries say: a > b > c > d, and c > a

put('a', "upstream: [c.md, absent.md]\n");
put('b', "upstream: [a.md]\n");
put('c', "upstream: [b.md]\n");
put('d', "upstream: [c.md, b.md, d.md]\n");
put('alone', '');
my ($nodes, $edges, $l) = lineage('mem', 'a');
is join(' ', sort keys %$l), 'edges enabled nodes success truncated', 'exact keys';
is_deeply $l->{nodes}[0], { id => $id{a}, kind => 'entry', name => 'a', entry_id => $id{a} }, '... of a node';
is_deeply [grep { $_->{from} eq $id{a} } @{$l->{edges}}], [{ from => $id{a}, to => $id{b}, kind => 'declared', job_id => undef }],
	'... of an edge';
is join(' | ', $nodes, $edges), 'a b c d | a>b b>c b>d c>a', 'a circle: each node once, the beginning first; what is absent is left out';
is join(' | ', (lineage('mem', 'a', 'direction=up&depth=1'))[0, 1]), 'a c | c>a', 'one step up';
is join(' | ', (lineage('mem', 'a', 'direction=up&depth=20'))[0, 1]), 'a c b | a>b b>c c>a', 'all the way up, which comes round';
is join(' | ', (lineage('mem', 'b', 'direction=down&depth=1'))[0, 1]), 'b c d | b>c b>d', 'one step down';
is join(' | ', (lineage('mem', 'alone'))[0, 1]), 'alone | ', 'one that nothing is said of';
is join(' | ', (lineage('mem'))[0, 1]), 'a b c d alone | a>b b>c b>d c>a c>d', 'without a beginning, all';
refused(as(mem => GET => "$at/catalog/lineage?$_"), '400 INVALID_REQUEST', $_) for 'depth=0', 'depth=21', 'direction=x', 'entry=x';
refused(as(mem => GET => "$at/catalog/lineage?entry=cat_" . '0' x 26), '404 NOT_FOUND', 'an entry that is not there');

# ---- what is there: a connection fills a table and a document, which a page reads

my %art = map { $_ => $api->publish($user{own}, slug => $_, name => ucfirst, visibility => 'private', workspace_id => $ws) } qw(sales
	hidden);
done(own => POST => "/v1/artifacts/$art{sales}/collaborators", { emails => ['mem@example.org'], role => 'viewer' });
my $con = 'con_' . '1' x 26;
$db->do("INSERT INTO connection (id, workspace_id, provider, kind, name, name_key, auth_mode, config, created_at, updated_at) "
	. "VALUES (?, ?, 'http', 'http', 'Warehouse', 'warehouse', 'shared', '{}', 0, 0)", undef, $con, $ws);
for my $slug (qw(sales hidden)) {
	done(own => PUT => "/v1/data/$art{$slug}/tables/orders", { columns => [{ name => 'a', type => 'text' }] });
	for my $fills ('orders', '') {
		my $job = done(own => POST => '/v1/jobs', { artifact_id => $art{$slug}, action => 'webhook', schedule => '0 9 * * *',
			config => { url => 'https://example.org/' } })->{job}{id};
		$db->do('UPDATE job SET connection_id = ?, fills = ? WHERE id = ?', undef, $con, $fills, $job);
		$id{"$slug $fills"} = $job;
	}
}
put('warehouse', "kind: source\nsource: {connection: Warehouse}\n");
put('orders', "kind: dataset\nsource: {artifact: sales, table: orders}\n");
put('board', "kind: page\nsource: {artifact: sales}\nupstream: [orders.md]\n");
put('secret', "source: {artifact: hidden, table: orders}\nupstream: [orders.md]\n");
put('revenue', "kind: metric\nupstream: [orders.md, secret.md]\n");
($nodes, $edges, $l) = lineage('mem', 'orders');
is $nodes, 'orders board warehouse revenue', 'a table, what fills it, what reads it, and what is said of it';
is $edges, 'orders>board orders>board orders>revenue warehouse>orders', '... joined';
my %node = map { $_->{name} => $_ } @{$l->{nodes}};
is_deeply [map { [@{$node{$_}}{qw(id kind entry_id)}] } qw(orders warehouse board)], [["$art{sales}/tables/orders", 'table', $id{orders}],
	[$con, 'connection', $id{warehouse}], [$art{sales}, 'page', $id{board}]], 'nodes by what they are';
is join(' ', sort map { "$_->{kind} " . ($_->{job_id} // '-') } grep { $_->{kind} ne 'declared' } @{$l->{edges}}), 'materialize - reads -',
	'who may not see the job is not told which';
is join(' ', map { $_->{job_id} // () } @{(lineage('own', 'orders'))[2]{edges}}), $id{'sales orders'}, '... who may is';
like +(lineage('own', 'warehouse', 'direction=down'))[0], qr/\bsecret\b.*\bHidden\b/, 'the owner sees what is hidden';
my $all = encode_json((lineage('mem'))[2]) . encode_json((lineage('mem', 'warehouse', 'depth=20'))[2]);
is join(' ', grep { index($all, $_) >= 0 } 'secret', 'Hidden', $id{secret}, $art{hidden}, $id{'hidden orders'}), '',
	'of what somebody may not open there is nothing, by whatever way';
is +(lineage('mem', 'warehouse', 'direction=down&depth=1'))[0], 'warehouse orders Sales',
	'a document that nothing describes is called as its artifact';
refused(as(mem => GET => "$at/catalog/lineage?entry=$id{secret}"), '404 NOT_FOUND', 'nothing begins there');
my $bot = { token => done(own => POST => "$at/agent-tokens", { name => 'Bot', scopes => ['data:read'] })->{token} };
unlike encode_json(done($bot, GET => "$at/catalog/lineage")), qr/arehouse/, 'an agent sees no connection';
$db->do('UPDATE job SET deleted_at = 1 WHERE id = ?', undef, $id{'sales orders'});
is +(lineage('mem', 'orders', 'direction=up'))[0], 'orders', 'a deleted job fills nothing';
my $map = done(mem => GET => "$at/catalog/manifest");
is join(' ', sort keys %$map), 'child_map enabled entries generated_at parent_map success version', 'the manifest';
is_deeply [@$map{qw(enabled version)}, $map->{parent_map}{$id{d}}, $map->{child_map}{$id{a}}, $map->{child_map}{$id{alone}}],
	[$true, 1, [sort @id{qw(b c)}], [$id{b}], []], '... says the same';
is_deeply $map->{parent_map}{$id{revenue}}, [$id{orders}], '... to whom it may be said';
is $map->{entries}{$id{orders}}{source}{table}, 'orders', '... with its entries';
is scalar(keys %{$map->{entries}}), scalar(@{done(mem => GET => "$at/catalog?limit=200")->{entries}}), '... all of them';
finish($stack);
