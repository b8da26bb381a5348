# SPDX-License-Identifier: Apache-2.0
# Files of the data catalog that are made to harm who reads them, and what somebody may not open: for them, everything is as if there were
# no entry about it.
use utf8;
use Vitrine::Visitor;
use Vitrine::Words qw(as refused);
use Vitrine::World;

my ($stack, $api, $db) = stack(Vitrine::World::unlimited());
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben);
$stack->ctl_in("the password\n", qw(user password), 'ben@example.org');
sub done { my $r = as(@_); $r->{status} =~ /^2/ or BAIL_OUT("@_[1, 2]: $r->{body}"); return $r->{json} }
my $ws = done(ann => POST => '/v1/workspaces', { name => 'Team' })->{workspace}{id};
$stack->seat($ws, $user{ben}, 'member');
done(ann => PATCH => "/v1/workspaces/$ws", { settings => { member_access => 'none' } });
my $at = "/v1/workspaces/$ws/catalog";
done(ann => POST => "$at/enable", { enabled => $true });
sub put { my ($path, $content) = @_; return as(ben => PUT => "$at/files", { path => $path, content => $content }) }

# ---- front matter

my $laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" . join '',
	map { my $of = $_ - 1; "a$_: &a$_ [" . join(', ', ("*a$of") x 9) . "]\n" } 1 .. 9;
my @bombs = (['a bomb of names', $laughs, 2], ['one in a list', "tags: [&a x, *a]\n", 2], ['one that holds itself', "a: &a {b: *a}\n", 2],
	['one for a field', "title: &t x\n<<: *t\n", 2], ['a name before a field', "&a title: x\n", 2],
	['fields from elsewhere', "<<: {title: x}\ntitle: y\n<<: {title: z}\n", 4],
	['a field twice', "tags: [a]\ntitle: x\ntags: [b]\n", 4], ['... differently written', "title: x\n\"title\": y\n", 3],
	['... by an escape', "title: x\n\"\\x74itle\": y\n", 3], ['... within', "source: {artifact: a, artifact: b}\n", 2],
	['... in a column', "columns:\n  - {name: a, name: b}\n", 3],
	['a tag', "title: !!x A\n", 2], ['a tag of a program', "title: !!python/object/apply:os.system ['id']\n", 2],
	['an own tag', "title: !x A\n", 2], ['a tag of a list', "tags: !!set {a, b}\n", 2],
	['a tag in full', "title: !<tag:yaml.org,2002:str> A\n", 2],
	['many brackets', 'tags: ' . '[' x 30_000 . "\n", 2], ['many braces', 'source: ' . '{a: ' x 10_000 . "\n", 2],
	['a deep list', 'tags: ' . "\n" . join('', map { ' ' x $_ . "-\n" } 1 .. 200), undef],
	['many values', 'x: [' . join(', ', ('a') x 6000) . "]\n", 2], ['many fields', join('', map { "f$_: x\n" } 1 .. 200), undef],
	['more than 64 KiB', 'x: ' . 'y' x 65_600 . "\n", undef], ['a directive', "%YAML 1.1\ntitle: x\n", undef],
	['a document more', "title: x\n...\ntitle: y\n", undef]);
for (@bombs) {
	my ($name, $front, $line) = @$_;
	my $r = refused(put('bomb.md', "---\n$front---\ntext\n"), '400 INVALID_REQUEST', $name, defined $line ? qr/^Line $line: / : ());
	$r = refused(put('bomb.yaml', $front), '400 INVALID_REQUEST', '... in a file of YAML', qr/^(?!Internal)/)
		if defined $line && $name !~ /document/;
	is_deeply [$r->{status}, ref $r->{json}{details}], [400, 'HASH'], '... and where' or diag $r->{body};
}
is done(ben => GET => $at)->{total}, 0, 'nothing of these is there';
for (['a mark at its beginning', "\x{feff}---\ntitle: A\n---\n"], ['lines of another system', "---\r\ntitle: A\r\n---\r\n"],
	['nothing but its beginning', "---\ntitle: A\n"], ['all brackets', '[' x 250_000], ['all links', '[a](b.md)' x 25_000],
	['deep quotes', '>' x 100_000 . 'x'], ['stars', '*a ' x 80_000], ['links in links', '[' x 50_000 . 'x' . '](a.md)' x 20_000]) {
	my ($name, $content) = @$_;
	my $r = put('text.md', $content);
	like $r->{status}, qr/^(?:20[01]|400)$/, "$name: read or refused" or diag substr $r->{body}, 0, 300;
	is as(ben => GET => $at)->{status}, 200, '... and the catalog answers';
}
as(ben => DELETE => "$at/files?path=text.md");

# ---- what is hidden

my $shut = $api->publish($user{ann}, slug => 'shut', name => 'Zeppelin', visibility => 'private', workspace_id => $ws,
	files => { 'index.html' => 'zeppelin' });
my $sales = $api->publish($user{ann}, slug => 'sales', name => 'Sales', visibility => 'private', workspace_id => $ws,
	access_policy => { tables => { zeppelins => { read => "viewer.role == 'owner'" } } });
done(ann => POST => "/v1/artifacts/$sales/collaborators", { emails => ['ben@example.org'], role => 'viewer' });
done(ann => PUT => "/v1/data/$_->[0]/tables/$_->[1]", { columns => [{ name => 'a', type => 'text' }], rows => [{ a => 'x' }] })
	for [$sales, 'orders'], [$sales, 'zeppelins'], [$shut, 'orders'];
my $orders = done(ben => PUT => "$at/files", { path => 'orders.md', content => "---\ntitle: Orders\nkind: dataset\ndomain: Sales\n"
	. "tags: [daily]\nsource: {artifact: sales, table: orders}\n---\nRows.\n" })->{entry}{id};
my $more = done(ben => PUT => "$at/files", { path => 'revenue.md',
	content => "---\ntitle: Revenue\nkind: metric\nupstream: [orders.md]\n---\n[Orders](orders.md)\n" })->{entry}{id};
my $ben = Vitrine::Visitor->new($api);
$ben->sign_in('ben@example.org', 'the password');
my @asked = ($at, "$at?q=zeppelin", "$at?q=orders&sort=used", "$at?domain=Zeppelins", "$at?tag=zeppelin", "$at?kind=dataset&limit=1",
	"$at/manifest", "$at/lineage", "$at/lineage?entry=$orders&depth=20", "$at/lineage?entry=$more&direction=up", "$at/entries/$orders",
	"$at/entries/$more", '/v1/search?q=zeppelin', '/v1/search?q=orders', "/v1/data/$sales/tables");
my @opened = ("/w/$ws/catalog", "/w/$ws/catalog?q=e", "/w/$ws/catalog?q=zeppelin", "/w/$ws/catalog?domain=Zeppelins",
	"/w/$ws/catalog/$orders?depth=20", "/w/$ws/catalog/$more", "/a/$sales/data/tables/orders");
# Without what differs each time: numbers of requests, times, tokens of forms.
sub plain {
	return $_[0]
		=~ s/request=[0-9a-f]{32}|"request_id":"[^"]*"|"generated_at":[^,]*|<time[^>]*>[^<]*<\/time>|(?:just now|\d+ (?:second|minute)s? ago)|name="csrf"[^>]*//gr;
}
sub all_of {
	return { (map { my $r = as(ben => GET => $_); ($_ => $r->{status} . plain($r->{body})) } @asked),
		map { my $r = $ben->go($_); ($_ => $r->{status} . plain($r->{text})) } @opened };
}
all_of();
my $before = all_of();
sub hide {
	my ($path, $source) = @_;
	return done(ann => PUT => "$at/files", { path => $path, content => "---\ntitle: Zeppelin of $path\nkind: dataset\ndomain: "
		. "Zeppelins\nstatus: verified\ntags: [daily, zeppelin]\ndescription: orders of zeppelins\nowner: zeppelin\nupstream: "
		. "[orders.md, revenue.md]\nsource: $source\n---\n[Orders](orders.md) [Revenue](/w/$ws/catalog/$more)\n" })->{entry}{id};
}
my @hidden = (hide('a/zeppelin.md', '{artifact: shut, table: orders}'), hide('zeppelin.md', '{artifact: shut}'),
	hide('zeppelins.md', '{artifact: sales, table: zeppelins}'));
is done(ann => GET => $at)->{total}, 5, 'three entries about what somebody may not open';
my $after = all_of();
is $after->{$_} eq $before->{$_} ? 'the same' : $after->{$_}, 'the same', 'for them nothing has changed: ' . s/(?:wsp|cat|art)_\w+/…/gr
	for @asked, @opened;
my $absent = 'cat_' . '0' x 26;
for my $id (@hidden) {
	for my $path ("$at/entries/%s", "$at/lineage?entry=%s") {
		is join(' ', map { my $r = as(ben => GET => sprintf $path, $_); $r->{status} . plain($r->{body} =~ s/$_//gr) } $id), join(
			' ', map { my $r = as(ben => GET => sprintf $path, $_); $r->{status} . plain($r->{body} =~ s/$_//gr) } $absent),
			'one of them by its id is as one that is not there';
	}
	for my $page ('', '/edit', '/delete') {
		is plain($ben->go("/w/$ws/catalog/$id$page")->{text} =~ s/$id//gr),
			plain($ben->go("/w/$ws/catalog/$absent$page")->{text} =~ s/$absent//gr), "... on its page$page";
	}
}
is as(ben => PUT => "$at/files", { path => 'mine.md',
	content => "---\nupstream: [zeppelin.md, a/zeppelin.md]\n---\n[z](zeppelin.md) [n](nothing.md)\n" })->{json}{entry}{used_by}, 0,
	'naming them by path';
my ($mine) = grep { $_->{path} eq 'mine.md' } @{done(ben => GET => $at)->{entries}};
is join(' ', map { $_->{name} } @{done(ben => GET => "$at/lineage?entry=$mine->{id}")->{nodes}}), 'mine', '... leads to none';
like $ben->go("/w/$ws/catalog/$mine->{id}")->{text}, qr{<p>z n</p>}, '... nor does a link';
finish($stack);
