# SPDX-License-Identifier: Apache-2.0
# A workspace's connections: who makes them, what they are told as, and that nobody is told what is secret; whose jobs use them, and what
# ends with what.
use utf8;
use Encode ();
use Fcntl;
use MIME::Base64;
use POSIX ();
use Vitrine::Words qw(as refused);
use Vitrine::World;

my ($stack, $api, $db) = stack(max_connections => 12, grace_s => 0, slow_workers => 4);
my ($own, $adm, $mem, $new, $eve) = map { $stack->user("$_\@example.org") } qw(own adm mem new eve);
my ($ws, $other) = map { as($own, POST => '/v1/workspaces', { name => $_, slug => lc })->{json}{workspace}{id} } qw(Studio Other);
$stack->seat($ws, $_->[0], $_->[1]) for [$adm, 'admin'], [$mem, 'member'];
my $path = "/v1/workspaces/$ws/connections";
my $world = Vitrine::World->new($stack);
sub one { my ($sql, @args) = @_; return $db->selectrow_array($sql, undef, @args) }
sub add {
	my ($name, %o) = @_;
	my $r = as($adm, POST => $path, { name => $name, provider => 'http', config => { base_url => 'https://api.example.org' }, %o });
	is $r->{status}, 201, "a connection: $name" or diag $r->{body};
	return $r->{json}{connection};
}
sub audit {
	return join ' ', map { s/^connection\.//r } @{$db->selectcol_arrayref(
		"SELECT action FROM audit WHERE workspace_id = ? AND target_type = 'connection' ORDER BY id", undef, $ws)};
}
sub given { return one('SELECT COUNT(*) FROM connection_credential WHERE connection_id = ?', $_[0]) }
sub in_list {
	my ($who, $is) = @_;
	my ($found) = grep { $_->{id} eq $is->{id} } @{as($who, GET => $path)->{json}{connections}};
	return $found;
}
# What a job is given, or why it isn't.
sub drive {
	my @args = map { Encode::encode_utf8($_ // '') } @_;
	open my $in, '-|:encoding(UTF-8)', "$stack->{build}/t/drive/connection", "$stack->{dir}/vitrine.yaml", @args or die;
	local $/;
	return <$in> =~ s/\n\z//r;
}
sub use_of { my ($id, $in, $maker, @error) = @_; return drive(use => $id, $in, $maker && $maker->{id}, @error) }
# Whatever is said here is found nowhere afterwards.
my @secrets = map { "hush-$_-" . 'q' x 20 } 1 .. 9;

# ---- made, told, changed

my %bearer = (base_url => 'https://api.example.org/v1/', auth => 'bearer');
my $r = as($adm, POST => $path,
	{ provider => 'http', name => '  Orders API ', config => \%bearer, credentials => { token => $secrets[0] } });
is $r->{status}, 201, 'an admin connects an HTTP API' or diag $r->{body};
my $orders = $r->{json}{connection};
my $by = sub { return { user_id => $_[0]{id}, email => $_[1], name => $orders->{created_by}{name}, kind => 'person' } };
is_deeply $orders, { id => $orders->{id}, provider => 'http', kind => 'http', name => 'Orders API', auth_mode => 'shared',
	status => 'active', config => { base_url => 'https://api.example.org/v1', auth => 'bearer' },
	my_credentials => $true, created_by => $by->($adm, 'adm@example.org'), created_at => $orders->{created_at}, last_used_at => undef,
	last_error => undef }, 'with exactly these members';
is $r->{headers}{location}, "$path/$orders->{id}", 'and an address';
my $at = "$path/$orders->{id}";
is_deeply as($own, GET => $at)->{json}, { success => $true, connection => $orders }, 'the owner gets it';
is_deeply as($mem, GET => $path)->{json}, { success => $true, connections => [$orders], next_cursor => undef },
	'members learn of it in the list';
is use_of($orders->{id}, $ws, $mem), "https://api.example.org/v1\nAuthorization: Bearer $secrets[0]", 'a job gets the secret';
my $pg = add('Warehouse', provider => 'postgres', config => { host => 'DB.Example.org', database => 'shop', username => 'ro' },
	credentials => { password => $secrets[1] });
is_deeply [@$pg{qw(provider kind status)}, $pg->{config}], ['postgres', 'postgres', 'active', { host => 'db.example.org', port => 5432,
	database => 'shop', username => 'ro', sslmode => 'verify-full' }], 'a database, with its defaults';
is use_of($pg->{id}, $ws, $mem), "ro\@db.example.org:5432/shop verify-full $secrets[1]", '... as a job has it';
my $plain = add('Rates');
is_deeply [@$plain{qw(status my_credentials)}, $plain->{config}],
	['active', $false, { base_url => 'https://api.example.org', auth => 'none' }], 'one that needs no credentials';
is use_of($plain->{id}, $ws, $mem), 'https://api.example.org', '... sends none';
my $basic = add('Basic', config => { base_url => 'http://10.0.0.5', auth => 'basic' },
	credentials => { username => 'ann', password => "$secrets[2]:é" });
is use_of($basic->{id}, $ws, $mem), "http://10.0.0.5\nAuthorization: Basic " . encode_base64(Encode::encode_utf8("ann:$secrets[2]:é"), ''),
	'a user and a password';
my $header = add('Header', config => { base_url => 'https://api.example.org', auth => 'header', header_name => 'X-Api-Key' },
	credentials => { token => $secrets[3] });
is use_of($header->{id}, $ws, $mem), "https://api.example.org\nX-Api-Key: $secrets[3]", 'a header of its own';
is_deeply [map { $_->{name} } @{as($mem, GET => $path)->{json}{connections}}], ['Basic', 'Header', 'Orders API', 'Rates', 'Warehouse'],
	'they are listed by name';

my %new = (provider => 'http', name => 'x', config => { base_url => 'https://api.example.org' });
my %db = (host => 'db.example.org', database => 'shop', username => 'ro');
my $before = audit();
refused(as($adm, POST => $path, { %new, name => $_ }), '409 CONFLICT', "another of the name: $_",
	qr/^name: the workspace already has a connection called/) for 'orders api', "Orders\x{a0}API", "\x{ff2f}rders api";
refused(as($adm, POST => $path, { %new, %{$_->[0]} }), '400 INVALID_REQUEST', encode_json($_->[0]), $_->[1]) for
	[{ name => ' ' }, qr/^name: must contain/], [{ config => { base_url => 'https://x.example', pasword => 'x' } },
		qr/^config\.pasword: isn't a setting/], [{ config => {} }, qr/^config\.base_url: is required/],
	(map { [{ config => { base_url => $_->[0] } }, qr/^config\.base_url: $_->[1]/] } ['ftp://x.example', ''], ['https://a:b@x.example',
		'must be an http'], ['https://x.example/?a=b', 'must have no query'], ['https://x.example/#a', 'must have no query'],
		['https://x.example:22', 'port 22'], ['https://x.example/a/../b', 'must not contain \.'],
		['https://x.example/%2e%2E', 'must not contain \.'], ['https://x.example//a', 'must not contain //'],
		['https://x.example/a%2fb', 'must not contain an encoded']),
	(map {
		[{ config => { base_url => $_ } }, qr/^config\.base_url: \S+ is part of this service; connect another server$/];
	} 'https://vitrine.localhost/v1', 'https://VITRINE.localhost.', 'http://pages.localhost/', 'https://site.pages.localhost/x'),
	(map {
		[{ provider => 'postgres', config => { %db, host => $_ }, credentials => { password => 'x' } },
			qr/^config\.host: \S+ is part of this service/];
	} 'vitrine.localhost', 'Site.Pages.localhost.'),
	[{ config => { %bearer, header_name => 'X' } }, qr/^config\.header_name: applies only/],
	[{ config => { %bearer, auth => 'header' } }, qr/^config\.header_name: is required/],
	(map { [{ config => { %bearer, auth => 'header', header_name => $_ } }, qr/^config\.header_name: /] } 'a b', 'Host',
		'Content-Length', "X\nY"),
	[{ config => { %bearer, auth => 'digest' } }, qr/^config\.auth: /], [{ config => \%bearer }, qr/^credentials: are required/],
	[{ credentials => { token => 'x' } }, qr/^credentials: .* takes none/],
	[{ config => \%bearer, credentials => {} }, qr/^credentials\.token: is required/],
	[{ config => \%bearer, credentials => { token => 'x', password => 'y' } }, qr/^credentials\.password: isn't what/],
	[{ config => \%bearer, credentials => { token => "$secrets[4] é" } },
		qr/^credentials\.token: must be visible ASCII characters, with spaces only between them$/],
	[{ config => { %bearer, auth => 'basic' }, credentials => { username => 'a:b', password => 'x' } },
		qr/^credentials\.username: must not contain a colon/],
	[{ config => { %bearer, auth => 'basic' }, credentials => { username => 'a' } }, qr/^credentials\.password: is required/],
	[{ auth_mode => 'member' }, qr/^auth_mode: must be shared/],
	(map {
		[{ provider => 'postgres', config => { %db, host => $_ }, credentials => { password => 'x' } },
			qr/^config\.host: must be the name/];
	} '/run/db', 'a,b', 'db.example.org:5432', 'user@db', '-x'),
	[{ provider => 'postgres', config => { host => 'x', database => 'y' }, credentials => { password => 'x' } },
		qr/^config\.username: is required/],
	[{ provider => 'postgres', auth_mode => 'member', config => \%db }, qr/^config\.username: each member/],
	[{ provider => 'postgres', config => { %db, sslmode => 'disable' }, credentials => { password => 'x' } }, qr/^config\.sslmode: /],
	[{ provider => 'postgres', config => { %db, port => 65536 }, credentials => { password => 'x' } }, qr/^config\.port: /];
refused(as($adm, POST => $path, { %new, provider => 'mysql' }), '409 CONFLICT', 'a provider that nobody set up',
	qr/^provider: .*\bmysql\b/);
is audit() . one('SELECT COUNT(*) FROM connection'), "${before}5", 'what is refused changes nothing';

sub change {
	my ($to, $name) = @_;
	my $r = as($adm, PATCH => $at, $to);
	is $r->{status}, 200, $name or diag $r->{body};
	return $r->{json}{connection};
}
$orders = as($adm, GET => $at)->{json}{connection};
is_deeply change({}, 'nothing is said'), $orders, '... nothing changes';
is_deeply change({ name => 'ORDERS API' }, 'its own name in another case'), { %$orders, name => 'ORDERS API' }, '... it has';
refused(as($adm, PATCH => $at, { name => 'warehouse' }), '409 CONFLICT', 'the name of another');
change({ config => { %bearer, base_url => 'https://API.example.org:443/v2' } }, 'another path on the server, which is spelled otherwise');
is use_of($orders->{id}, $ws, $mem), "https://API.example.org:443/v2\nAuthorization: Bearer $secrets[0]", '... keeps the secret';
for (['https://evil.example/v2', 'another host'], ['http://api.example.org/v2', 'another scheme'],
	['https://api.example.org:8443/', 'another port']) {
	my $r = as($adm, PATCH => $at, { config => { %bearer, base_url => $_->[0] } });
	refused($r, '400 INVALID_REQUEST', "$_->[1] wants the secret anew",
		$_->[0] =~ /8443/ ? qr/port 8443/ : qr/^credentials: the stored ones are for another server/);
}
refused(as($adm, PATCH => $at, { config => { %bearer, base_url => 'https://vitrine.localhost/v1' }, credentials => { token => 'x' } }),
	'400 INVALID_REQUEST', 'our own host', qr/^config\.base_url: vitrine\.localhost is part of this service/);
$db->do('UPDATE connection SET config = JSON_SET(config, "$.base_url", "https://vitrine.localhost/v1") WHERE id = ?', undef, $plain->{id});
is as($adm, PATCH => "$path/$plain->{id}", { name => 'Rates 2' })->{status}, 200, 'what has become ours since can be changed';
is as($adm, PATCH => "$path/$plain->{id}", { name => 'Rates', config => $plain->{config} })->{json}{connection}{config}{base_url},
	'https://api.example.org', '... and mended';
refused(as($adm, PATCH => $at, { config => { %bearer, auth => 'basic' } }), '400 INVALID_REQUEST', 'so does another way to sign in',
	qr/^credentials: /);
refused(as($adm, PATCH => "$path/$pg->{id}", { config => { %db, %$_ } }), '400 INVALID_REQUEST',
	'and another server of a database: ' . encode_json($_), qr/^credentials: /) for { host => 'evil.example' }, { port => 5433 };
like use_of($orders->{id}, $ws, $mem), qr{^https://API\.example\.org:443/v2\n.*\Q$secrets[0]\E$}, 'which has changed nothing';
change({ config => { %bearer, base_url => 'https://new.example' }, credentials => { token => $secrets[5] } }, 'another host with a secret');
is use_of($orders->{id}, $ws, $mem), "https://new.example\nAuthorization: Bearer $secrets[5]", '... which it has from then on';
is change({ config => { base_url => 'https://new.example' } }, 'no sign-in any more')->{my_credentials}, $false,
	'... and the secret is gone';
is given($orders->{id}), 0, '... from the database, too';
my ($tag) = as($adm, GET => $at)->{headers}{etag};
change({ config => \%bearer, credentials => { token => $secrets[0] } }, 'and back');
refused(as($adm, PATCH => $at, headers => { 'If-Match' => $tag }, json => { name => 'x' }), '412 PRECONDITION_FAILED',
	'one that has changed meanwhile');

# ---- everybody's own

my $ads = add('Ads', auth_mode => 'member', config => \%bearer);
my $mine = "$path/$ads->{id}/my-credentials";
is_deeply [@$ads{qw(auth_mode status my_credentials)}], ['member', 'active', $false], 'one for which everybody has their own';
is_deeply as($mem, GET => $mine)->{json}, { success => $true, connected => $false, updated_at => undef }, 'which nobody has given yet';
like use_of($ads->{id}, $ws, $mem), qr/^! the person who set up this job hasn't given credentials for the connection Ads$/,
	'... so their jobs fail';
$r = as($mem, PUT => $mine, { token => $secrets[6] });
is_deeply $r->{json}, { success => $true, connected => $true, updated_at => $r->{json}{updated_at} }, 'a member gives theirs';
cmp_ok $r->{json}{updated_at}, '>', time - 60, '... now';
is_deeply [map { in_list($_, $ads)->{my_credentials} } $mem, $adm], [$true, $false], 'which is told to them alone';
is use_of($ads->{id}, $ws, $mem), "https://api.example.org/v1\nAuthorization: Bearer $secrets[6]", 'their jobs use it';
like use_of($ads->{id}, $ws, $adm), qr/^! the person who set up this job hasn't given/, 'no one else\'s do';
refused(as($mem, PUT => $mine, $_->[0]), '400 INVALID_REQUEST', "of another kind: $_->[1]", $_->[2])
	for [{ password => 'x' }, 'a password', qr/^token: is required/],
		[{ token => 'x', username => 'y' }, 'a user', qr/^username: isn't/], [{ token => ' x' }, 'a space', qr/^token: /];
refused(as($mem, $_->[0] => "$at/my-credentials", $_->[1]), '409 CONFLICT', "$_->[0] where they are shared", qr/everybody shares/)
	for [GET => undef], [PUT => { token => 'x' }], [DELETE => undef];
my $own_db = add('Own database', provider => 'postgres', auth_mode => 'member', config => { host => 'db.example.org', database => 'shop' });
is as($mem, PUT => "$path/$own_db->{id}/my-credentials", { username => 'ann', password => $secrets[7] })->{status}, 200,
	'a user and a password for a database';
is use_of($own_db->{id}, $ws, $mem), "ann\@db.example.org:5432/shop verify-full $secrets[7]", '... as a job has them';
# What is sealed for one is of no use to another.
$db->do('UPDATE connection_credential k JOIN connection_credential o ON o.connection_id = ? SET k.sealed = o.sealed '
	. 'WHERE k.connection_id = ?', undef, $ads->{id}, $own_db->{id});
like use_of($own_db->{id}, $ws, $mem), qr/^! the connection's credentials can no longer be read; enter them again$/,
	'what is moved to another row can\'t be opened';
$db->do('UPDATE connection_credential SET needs_auth = TRUE WHERE connection_id = ?', undef, $ads->{id});
is in_list($mem, $ads)->{status}, 'needs_auth', 'what is no longer accepted says so';
like use_of($ads->{id}, $ws, $mem), qr/^! the credentials .* are no longer accepted; they can enter them again$/, '... to jobs, too';
as($mem, PUT => $mine, { token => $secrets[6] });
like use_of($ads->{id}, $ws, $mem), qr/\Q$secrets[6]/, '... until they are given again';
as($adm, PUT => $mine, { token => $secrets[8] });
is as($adm, PATCH => "$path/$ads->{id}", { config => { %bearer, base_url => 'https://evil.example' } })->{status}, 200, 'another host';
is given($ads->{id}), 0, '... gets nobody\'s credentials';
as($_, PUT => $mine, { token => $secrets[6] }) for $mem, $adm;
is_deeply [map { as($mem, DELETE => $mine)->{status} } 1, 2], [200, 200], 'a member takes theirs away, twice';
is_deeply [given($ads->{id}), as($mem, GET => $mine)->{json}{connected}], [1, $false], '... which leaves those of others';

# ---- who may use it

my @no = ([$orders->{id}, $other, $own, qr/isn't in the workspace of the connection/],
	[$orders->{id}, undef, $own, qr/isn't in the workspace of the connection/],
	[$orders->{id}, $ws, $eve, qr/isn't a member of the workspace/], [$orders->{id}, $ws, undef, qr/isn't a member/],
	[$world->id('con', 0), $ws, $own, qr/has been deleted/]);
like use_of(@$_[0 .. 2]), qr/^! .*$_->[3]/, "no use: $_->[3]" for @no;
my $bot = as($own, POST => "/v1/workspaces/$ws/agent-tokens",
	{ name => 'Bot', scopes => ['artifacts:read', 'artifacts:publish', 'data:read', 'data:write'] })->{json};
like use_of($orders->{id}, $ws, { id => scalar one("SELECT user_id FROM member WHERE workspace_id = ? AND role = 'agent'", $ws) }),
	qr/isn't a member/, 'no agent\'s jobs either';
# How it went, once a minute while nothing changes.
sub state_of { return @{as($adm, GET => $at)->{json}{connection}}{qw(status last_used_at last_error)} }
use_of($orders->{id}, $ws, $mem);
is +(state_of())[0], 'active', 'it was used';
cmp_ok +(state_of())[1], '>', time - 60, '... now';
$db->do('UPDATE connection SET last_used_at = UNIX_TIMESTAMP() - 1 WHERE id = ?', undef, $orders->{id});
my $used = (state_of())[1];
use_of($orders->{id}, $ws, $mem);
is +(state_of())[1], $used, 'again: nothing is written';
use_of($orders->{id}, $ws, $mem, "it\nbroke");
is_deeply [(state_of())[0, 2]], ['error', 'it broke'], 'what went wrong is';
use_of($orders->{id}, $ws, $mem, 'x' x 600);
is length +(state_of())[2], 500, '... at most 500 characters of it';
use_of($orders->{id}, $ws, $mem);
is_deeply [(state_of())[0, 2]], ['active', undef], '... until it works';
# What it was given counts from then on, also against a use that has begun with what was before.
POSIX::mkfifo("$stack->{dir}/fifo", 0600);
as($mem, PUT => $mine, { token => $secrets[6] });
for (['settings', PATCH => '', { config => { %bearer, base_url => 'https://api.example.org/v3' } }], ['credentials', PATCH => '',
		{ credentials => { token => $secrets[0] } }], ['a name', PATCH => '', { name => 'Orders' }, 'it broke'],
	['a member\'s credentials', PUT => '/my-credentials', { token => $secrets[6] }]) {
	my ($name, $method, $more, $to, $stays, $hold) = @$_;
	my ($who, $where, $id) = $method eq 'PUT' ? ($mem, "$path/$ads->{id}", $ads->{id}) : ($adm, $at, $orders->{id});
	$db->do("UPDATE connection SET last_error = 'it broke', last_error_at = 1, last_used_at = NULL, updated_at = 1 WHERE id = ?",
		undef, $id);
	open my $under_way, '-|', "$stack->{build}/t/drive/connection", "$stack->{dir}/vitrine.yaml", 'use', $id, $ws, $mem->{id},
		'of before', "$stack->{dir}/fifo" or die;
	Vitrine::Stack::wait_for('a use that is under way', 60,
		sub { sysopen my $f, "$stack->{dir}/fifo", O_WRONLY | O_NONBLOCK or return; $hold = $f });
	is as($who, $method => "$where$more", $to)->{status}, 200, "other: $name";
	is one('SELECT last_error FROM connection WHERE id = ?', $id), $stays,
		$stays ? '... the error stays' : '... and the error is forgotten';
	undef $hold;
	1 while <$under_way>;
	ok close $under_way, 'a use that was under way ends';
	is one('SELECT last_error FROM connection WHERE id = ?', $id), $stays, '... and is not noted';
}
$db->do('UPDATE connection SET last_error = NULL, last_error_at = NULL WHERE id = ?', undef, $orders->{id});

# Where a path leads.
my $base = 'https://x.example/v1';
is drive(path => $base, $_->[0]), $_->[1], "the path '$_->[0]'" for ['a/b', "$base/a/b"], ['/a', "$base/a"], ['', $base],
	['?a=b', "$base?a=b"], ['a?to=https://y.example/../z', "$base/a?to=https://y.example/../z"], ['items:search', "$base/items:search"],
	['a%20b/', "$base/a%20b/"], ['%C3%A9', "$base/%C3%A9"];
like drive(path => $base, $_), qr/^! path: /, "not the path '$_'"
	for '//evil.example/', '///a', 'https://evil.example/', '../a', 'a/../../b', '..', '.', 'a/./b', '%2e%2e/a', '%2E./a', 'a/..;x/b',
		'a%2f..%2fb', 'a\\b', 'a%5cb', 'a b', "a\nb", 'a#b', 'é', '%zz', '%00', '%ff', 'a?b c', 'a?b#c';

# ---- whose jobs use it

my ($seen, $private, $moved) = map { $api->publish($_->[1], slug => $_->[0], visibility => 'private', workspace_id => $ws) } ['seen', $mem],
	['private', $adm], ['moved', $adm];
sub job {
	my ($art, $who) = @_;
	my $id = $world->make(job => art => $art, user => $who->{id});
	$db->do('UPDATE job SET connection_id = ?, next_run_at = 4000000000 WHERE id = ?', undef, $orders->{id}, $id);
	return $id;
}
my @jobs = map { job(@$_) } [$seen, $mem], [$seen, $mem], [$private, $adm], [$moved, $adm];
$db->do('UPDATE job SET deleted_at = 1 WHERE id = ?', undef, job($seen, $mem));
$db->do("UPDATE workspace SET member_access = 'none' WHERE id = ?", undef, $ws);
is_deeply as($mem, GET => "$at/artifacts")->{json}, { success => $true,
	artifacts => [{ id => $seen, name => as($mem, GET => "/v1/artifacts/$seen")->{json}{artifact}{name}, slug => 'seen', jobs => 2 }],
	hidden => 2, next_cursor => undef }, 'what one may open, and the number of jobs of the rest';
is as($adm, GET => "$at/artifacts")->{json}{hidden}, 0, 'an admin sees all';
as($adm, PATCH => "/v1/artifacts/$moved", { workspace_id => undef });
as($adm, DELETE => "/v1/artifacts/$private");
is_deeply [@{as($mem, GET => "$at/artifacts")->{json}}{qw(hidden)},
		map { $_->{slug} } @{as($adm, GET => "$at/artifacts")->{json}{artifacts}}], [0, 'seen'],
	'what has left the workspace, or is in the trash, does not count';

# ---- who may

my @rows = ([GET => $at], [POST => $path, \%new], [PATCH => $at, { name => 'y' }], [DELETE => $at]);
my @theirs = ([GET => $path], [GET => "$at/artifacts"], [GET => $mine], [PUT => $mine, { token => 'x' }], [DELETE => $mine]);
my ($was, $rows) = (audit(), one('SELECT COUNT(*) FROM connection_credential'));
refused(as($mem, @$_), '403 ACCESS_DENIED', "a member: $_->[0]") for @rows;
for my $row (@rows, @theirs) {
	my $name = "$row->[0] " . $row->[1] =~ s/_\w{26}/_/gr;
	refused(as($eve, @$row), '404 NOT_FOUND', "a stranger: $name");
	refused(as(undef, @$row), '401 UNAUTHENTICATED', "nobody: $name");
	refused(as($bot, @$row), $row->[0] eq 'GET' ? '403 ACCESS_DENIED' : '403 INSUFFICIENT_SCOPE', "an agent: $name");
	refused(as($own, $row->[0] => $row->[1] =~ s/\Q$ws/$other/r, $row->[2]), '404 NOT_FOUND', "another workspace's: $name")
		if $row->[1] ne $path;
}
my $reads = { token => $stack->token($adm->{id}, 'so_', scopes => 1 << 2) };
is_deeply [map { as($reads, GET => $_)->{status} } $path, $at, $mine], [200, 200, 200], 'a token for data:read reads';
refused(as($reads, @$_), '403 INSUFFICIENT_SCOPE', "... and does no $_->[0]") for grep { $_->[0] ne 'GET' } @rows, @theirs;
is_deeply [audit(), one('SELECT COUNT(*) FROM connection_credential')], [$was, $rows], 'what is refused changes nothing';

# ---- at once, and how many

sub at_once {
	my ($n, $ask) = @_;
	return sort(Vitrine::Api::together($stack, $n, sub {
		my ($api, $i) = @_;
		my ($who, $method, $to, $json) = $ask->($i);
		my $r = $api->call($method => $to, { token => $who->{token}, json => $json });
		return join ' ', $r->{status}, $r->{json}{code} // '';
	}));
}
is_deeply [at_once(4, sub { ($adm, POST => $path, { %new, name => 'Twins' }) })], ['201 ', ('409 CONFLICT') x 3],
	'of several of one name at once, one is made';
is_deeply [at_once(4, sub { ($_[0] % 2 ? $mem : $adm, PUT => $mine, { token => $secrets[6] }) })], [('200 ') x 4],
	'credentials at once are all taken';
is given($ads->{id}), 2, '... of each person one';
is as($own, GET => '/v1/limits')->{json}{limits}{max_connections}, 12, 'how many a workspace may have';
add("Number $_") for 9 .. 11;
is_deeply [at_once(3, sub { ($adm, POST => $path, { %new, name => "Last $_[0]" }) })], ['201 ', ('409 LIMIT_REACHED') x 2],
	'... is kept, at once, too';
$r = refused(as($adm, POST => $path, { %new, name => 'More' }), '409 LIMIT_REACHED', '... and said', qr/12 connections/);
is $r->{json}{details}{limit}, 12, '... as a number';

# ---- what ends with what

$r = as($adm, DELETE => $at);
is_deeply [$r->{status}, $r->{json}], [200, { success => $true, used_by => 2 }], 'a connection is deleted, and says how many jobs used it';
is given($orders->{id}), 0, 'with its credentials';
is one('SELECT COUNT(*) FROM job WHERE connection_id = ? AND deleted_at IS NULL', $orders->{id}), 4, 'not with the jobs';
like use_of($orders->{id}, $ws, $mem), qr/^! .* has been deleted; choose another one$/, '... which are told';
refused(as($adm, GET => $at), '404 NOT_FOUND', 'it is not there');
is as($own, DELETE => "/v1/workspaces/$ws/members/$mem->{id}")->{status}, 200, 'a member is removed';
is one('SELECT COUNT(*) FROM connection_credential WHERE user_id = ?', $mem->{id}), 0, 'with their credentials';
like use_of($pg->{id}, $ws, $mem), qr/isn't a member/, '... and use';
# Of two accounts of one person, those of the one that stays win.
$stack->seat($ws, $_, 'member') for $mem, $new;
as($mem, PUT => "$path/$_/my-credentials", $_ eq $ads->{id} ? { token => $secrets[0] } : { username => 'mem', password => $secrets[7] })
	for $ads->{id}, $own_db->{id};
as($new, PUT => $mine, { token => $secrets[6] });
is `$stack->{build}/t/drive/merge $stack->{dir}/vitrine.yaml $mem->{id} $new->{id}`, '', 'two accounts are merged';
is use_of($ads->{id}, $ws, $new), "https://evil.example\nAuthorization: Bearer $secrets[6]", 'what both have given is the one\'s';
like use_of($own_db->{id}, $ws, $new), qr/^mem\@.*\Q$secrets[7]\E$/, 'what the other alone had is theirs';
$stack->ctl(qw(user delete new@example.org));
is one('SELECT COUNT(*) FROM connection_credential WHERE user_id IN (?, ?)', $new->{id}, $mem->{id}), 0,
	'an account goes with its credentials';
$db->do('UPDATE connection SET created_by = ?', undef, $eve->{id});
$stack->ctl(qw(user delete eve@example.org));
is as($adm, GET => "$path/$pg->{id}")->{json}{connection}{created_by}, undef, 'a connection stays without who made it';

$db->do("UPDATE connection_credential SET sealed = 'x' WHERE connection_id = ?", undef, $pg->{id});
like +($stack->program('vitrinectl', {}, 'fsck'))[1],
	qr/^connection \Q$pg->{id}\E: key_file can't decrypt its credentials; an admin has to enter them again$/m,
	'fsck names credentials that can\'t be opened';
is as($adm, PATCH => "$path/$pg->{id}", { credentials => { password => $secrets[1] } })->{status}, 200, '... which are';

# ---- nobody is told

is_deeply [grep { my $action = $_; !grep { $_ eq $action } split ' ', audit() } qw(created changed deleted credentials_saved
	credentials_deleted)], [], 'what is done is written down';
my $dump = `mariadb-dump --no-defaults -S $stack->{run}/db.sock vitrine 2>&1`;
like $dump, qr/INSERT INTO `connection_credential`/, 'the database has credentials';
my $logs = join '', map { Vitrine::Stack::slurp($_) } grep { -f } glob("$stack->{dir}/*.log $stack->{dir}/nginx/*.log $stack->{run}/*.log");
my $again = join '', map { as($adm, GET => $_)->{body} } $path, "$path/$pg->{id}", "/v1/workspaces/$ws/audit",
	"$path/$pg->{id}/artifacts", $mine;
is join(' ', map { my $secret = $_; my $b64 = encode_base64($secret, ''); grep {
	index($_, $secret) >= 0 || index($_, substr $b64, 0, 20) >= 0;
} $dump, $logs, $again } @secrets), '', 'no secret is in a reply, in a log, or in the database';

as($own, DELETE => "/v1/workspaces/$ws");
$db->do('UPDATE workspace SET deleted_at = 1 WHERE id = ?', undef, $ws);
is +($stack->runner)[0], 0, 'the runner did its rounds';
is one('SELECT (SELECT COUNT(*) FROM connection) + (SELECT COUNT(*) FROM connection_credential)'), 0, 'all goes with a workspace';
my @fsck = $stack->program('vitrinectl', {}, 'fsck');
like $fsck[1], qr/^clean$/m, 'fsck is content' or diag @fsck;
finish($stack);
