# SPDX-License-Identifier: Apache-2.0
# Which notes, pages (by what is learned of them) and entries link to an entry of the data catalog: on its page, those that its reader may
# open, and no number of others; and where links of an entry's text lead.
use utf8;
use Vitrine::Visitor;
use Vitrine::Words 'as';

my ($stack, $api, $db) = stack(publish_per_hour => 1000);
my $app = "https://vitrine.localhost:$stack->{port}";
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben eve);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for keys %user;
sub done { my $r = as(@_); $r->{status} =~ /^2/ or BAIL_OUT("@_[1, 2]: $r->{body}"); return $r->{json} }
my ($ws, $other) = map { done($_->[0], POST => '/v1/workspaces', { name => $_->[1] })->{workspace}{id} } ['ann', 'Team'], ['eve', 'Other'];
$db->do('UPDATE workspace SET features_on = 63');
$stack->seat($ws, $user{ben}, 'member');
done(ann => PATCH => "/v1/workspaces/$ws", { settings => { member_access => 'none' } });
done(ann => POST => "/v1/workspaces/$ws/catalog/enable", { enabled => $true });
done(ann => POST => "/v1/workspaces/$ws/knowledge/enable", { enabled => $true });
my %visitor = map { my $v = Vitrine::Visitor->new($api); $v->sign_in("$_\@example.org", 'the password'); ($_ => $v) } keys %user;
sub entry {
	my ($path, $text, $front) = @_;
	return done(ann => PUT => "/v1/workspaces/$ws/catalog/files",
		{ path => $path, content => "---\n" . ($front // '') . "---\n$text\n" })->{entry}{id};
}
sub noted {
	my ($path, $text, $in) = @_;
	return done($in ? 'eve' : 'ann', PUT => '/v1/workspaces/' . ($in // $ws) . "/knowledge/files/$path", { content => $text });
}
sub mentions {
	my ($who, $entry) = @_;
	my ($panel) = $visitor{$who}->go("/w/$ws/catalog/$entry")->{text} =~ m{<h2>Mentioned in</h2></div>(.*?)</section>}s or return '';
	return join ', ', map { s/<[^>]+>/ /gr =~ s/\s+/ /gr =~ s/^ | $//gr } $panel =~ m{<li>(.*?)</li>}gs;
}

my $orders = entry('sales/orders.md', 'One row per order.', "title: Orders\n");
is mentions(ann => $orders), '', 'what nothing links to has no such part';
unlike $visitor{ann}{page}{text}, qr/Mentioned/, '... not even a heading';

# ---- notes

noted('rules.md', "# Price rules\n\nSee [the orders]($app/w/$ws/catalog/$orders) and again [here](/w/$ws/catalog/$orders?depth=1#ln).\n");
noted('bare.md', "# Bare\n\nIt is $app/w/$ws/catalog/$orders.\n");
noted('none.md', "# None\n\n`[code](/w/$ws/catalog/$orders)` [elsewhere](https://example.org/w/$ws/catalog/$orders) "
	. "[no entry](/w/$ws/catalog/cat_1) ![picture](/w/$ws/catalog/$orders) [edit](/w/$other/catalog/$orders) $orders\n");
noted('foreign.md', "# Foreign\n\n[it](/w/$ws/catalog/$orders) [it](/w/$other/catalog/$orders)\n", $other);
is mentions(ben => $orders), 'Bare Note, Price rules Note',
	'notes of the workspace that link to it, each once; no code, no picture, no other address';
like $visitor{ben}{page}{text}, qr{<a class="name" href="/w/$ws/notes/read/rules\.md">Price rules</a>}, '... by their pages';
noted('bare.md', "# Bare\n\nNothing any more.\n");
is mentions(ben => $orders), 'Price rules Note', 'a note that does not link any more';
as(ann => DELETE => "/v1/workspaces/$ws/knowledge/files/rules.md");
is mentions(ben => $orders), '', '... and one that is gone';

# ---- pages, as they are learned

sub page {
	my ($slug, $visibility, $text) = @_;
	return $api->publish($user{ann}, slug => $slug, name => "Page $slug", visibility => $visibility, workspace_id => $ws,
		files => { 'index.html' => "<title>T</title><h1>Report</h1><p>$text</p>" });
}
my $secret = page('takeover', 'private', qq{All <a href="$app/w/$ws/catalog/$orders">orders</a>.});
my $report = page('report', 'public', qq{All <a href="$app/w/$ws/catalog/$orders">orders</a>.});
is +($stack->runner)[0], 0, 'pages are learned';
is mentions(ann => $orders), 'Page report Learned from the page, Page takeover Learned from the page', 'pages that link to it';
is mentions(ben => $orders), 'Page report Learned from the page', '... to who may open them';
unlike $visitor{ben}{page}{text}, qr/takeover|\b2 (?:notes|pages|mentions)/i, '... and no word or number of others';
done(ann => POST => "/v1/artifacts/$secret/collaborators", { emails => ['ben@example.org'], role => 'viewer' });
like mentions(ben => $orders), qr/takeover/, 'who may open it now';
done(ann => DELETE => "/v1/artifacts/$_") for $secret, $report;
is mentions(ann => $orders), '', 'pages in the trash link to nothing';

# ---- entries

my $shut = $api->publish($user{ann}, slug => 'shut', visibility => 'private', workspace_id => $ws);
my $hidden = entry('hidden.md', '[Orders](sales/orders.md)', "title: Hidden thing\nsource: {artifact: shut}\n");
my $revenue = entry('sales/revenue.md',
	"From [Orders](orders.md#x), [again](../sales/./ORDERS.md), [hidden](../hidden.md), [absent](absent.md), [outside](../../x.md), "
		. "[the web](https://example.org/a.md), [a page](/w/$ws/catalog/$orders), and [stock](../st%C3%B6ck.md).",
	"title: Revenue\nkind: metric\n");
my $stock = entry("st\x{f6}ck.md", "[self](st\x{f6}ck.md) [by page]($app/w/$ws/catalog/$revenue)", "title: Stock\n");
my $yaml = done(ann => PUT => "/v1/workspaces/$ws/catalog/files",
	{ path => 'a.yaml', content => "title: Y\ndescription: '[Orders](sales/orders.md)'\n" })->{entry}{id};
is mentions(ann => $orders), 'Hidden thing Text, Revenue Metric', 'entries that link to it, by their files or its page';
is mentions(ben => $orders), 'Revenue Metric', '... to who sees them';
unlike $visitor{ben}{page}{text}, qr/Hidden thing/, '... and nothing of others';
is mentions(ben => $stock), 'Revenue Metric', 'a name in any script; no entry mentions itself';
is mentions(ben => $revenue), 'Stock Text', 'by the address of a page';
sub prose {
	my ($who, $entry) = @_;
	return $visitor{$who}->go("/w/$ws/catalog/$entry")->{text} =~ m{aria-label="Text"><div class="body prose">(.*?)</div>}s
		? $1 =~ s/\s+$//r : '';
}
sub to { my ($id, $text) = @_; return qq{<a href="/w/$ws/catalog/$id">$text</a>} }
my $out = '<a href="../../x.md">outside</a>';
sub as_page {
	my ($hidden) = @_;
	return '<p>From ' . join(', ', to($orders, 'Orders'), to($orders, 'again'), $hidden, 'absent', $out,
		'<a href="https://example.org/a.md">the web</a>', to($orders, 'a page')) . ', and ' . to($stock, 'stock') . '.</p>';
}
is prose(ann => $revenue), as_page(to($hidden, 'hidden')), 'a file that is linked to leads to its entry; one that is not there is text';
is prose(ben => $revenue), as_page('hidden'), '... and so is one that the reader does not see';
done(ann => DELETE => "/v1/workspaces/$ws/catalog/files?path=sales/revenue.md");
is mentions(ann => $orders), 'Hidden thing Text', 'an entry that is deleted mentions nothing';
entry('sales/orders.md', 'Again.', "title: Orders\n");
is mentions(ann => $orders), 'Hidden thing Text', '... and one that is written again is mentioned still';
entry('hidden.md', 'Nothing.', "title: Hidden thing\nsource: {artifact: shut}\n");
is mentions(ann => $orders), '', 'until others say otherwise';
entry('many.md', join(' ', map { "[a](n$_.md)" } 1 .. 300), '');
is $db->selectrow_array('SELECT COUNT(*) FROM catalog_mention WHERE entry_id = (SELECT id FROM catalog_entry WHERE path = ?)',
	undef, 'many.md'), 200, 'two hundred of a text are kept';
is $stack->ctl('fsck'), 'clean', 'fsck finds what is kept to be what texts say';
$db->do('INSERT INTO note_mention SELECT id, ?, workspace_id FROM note WHERE path = ?', undef, $orders, 'none.md');
(undef, $out) = $stack->program('vitrinectl', {}, 'fsck');
like $out, qr/its links to the data catalog aren't its text's; run vitrinectl reproject$/m, '... and says where it is not';
$db->do("UPDATE note SET sha256 = UNHEX(SHA2('another', 256)) WHERE path = 'many.md'");
$stack->ctl('reproject');
is $stack->ctl('fsck'), 'clean', '... which reproject mends';
finish($stack);
