# SPDX-License-Identifier: Apache-2.0
# Writing the data catalog in the browser: a new entry, a preview, the line that can't be read, renaming, deleting; two who write at once,
# of whom the second chooses which text to keep; and that nothing that was typed is lost. Looked at in both widths and both themes, and once
# more without a script.
use utf8;
use Vitrine::Browser;
use Vitrine::Visitor;
use Vitrine::Words 'as';

my ($stack, $api, $db) = stack(publish_per_hour => 1000);
my $app = "https://vitrine.localhost:$stack->{port}";
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben eve);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for keys %user;
$db->do("UPDATE user SET name = 'Ben <i>Okafor</i>' WHERE id = ?", undef, $user{ben}{id});
my $ws = as('ann', POST => '/v1/workspaces', { name => 'Northwind Studio' })->{json}{workspace}{id};
$stack->seat($ws, $user{ben}, 'member');
my $at = "$app/w/$ws/catalog";
as('ann', POST => "/v1/workspaces/$ws/catalog/enable", { enabled => $true });

my $b = Vitrine::Browser->new($stack, width => 1280, height => 900);
my $pages = 0;
sub looks {
	my ($name, %o) = @_;
	is join('; ', $b->looks(sprintf 'catalog-edit-%02d-%s', ++$pages, $name =~ s/\W+/-/gr)), '',
		"$name: no barrier, wide or narrow, by day or night";
	for my $width (360, 320) {
		$b->cdp('Emulation.setDeviceMetricsOverride', width => $width, height => 800, deviceScaleFactor => 1,
			mobile => Cpanel::JSON::XS::false);
		is join('; ', grep { /wider/ } $b->barriers), '', "... nor at $width pixels";
	}
	$b->cdp('Emulation.clearDeviceMetricsOverride');
	is join('; ', grep { /\Q$app\E/ && !/favicon/ && !($o{refused} && /4\d\d/) } $b->complaints), '',
		'... and the browser has no complaint';
}
sub typed { return $b->script('return document.getElementById("text").value') }
sub write_in { my ($text) = @_; $b->script('document.getElementById("text").value = arguments[0]', $text); return $b }
sub press { my ($act) = @_; return $b->click("button[name=act][value=$act]") }
sub entry {
	my ($path) = @_;
	my ($e) = grep { $_->{path} eq $path } @{as('ann', GET => "/v1/workspaces/$ws/catalog")->{json}{entries}};
	return $e && as('ann', GET => "/v1/workspaces/$ws/catalog/entries/$e->{id}")->{json}{entry};
}

# ---- a new one

$b->sign_in('ben@example.org', 'the password');
$b->go($at)->follow('New entry')->wait_text(qr/What an entry can say/);
looks('new');
my $text = "---\nkind: metric\ntitle: Revenue <b>2026</b>\ndomain: Sales\nstatus: verified\ntags: [daily]\ncolumns:\n  - name: amount\n"
	. "    type: number\n    description: SEK\n---\n# Heading\n\nPaid *orders*.\n\n<script>document.title = 'owned'</script>\n";
$b->fill('#path', 'sales/revenue.md');
write_in($text);
press('preview')->wait_text(qr/Preview/);
like $b->text('.prose'), qr/Metric.*Verified.*Sales.*daily.*Revenue <b>2026<\/b>.*Heading.*Paid orders\./s, 'a preview says what it would';
like $b->text('.things'), qr/amount\s+number\s+SEK/, '... with its columns';
is $b->title, 'New entry · Catalog · Northwind Studio · Vitrine', '... and runs nothing';
is typed(), $text, '... what was typed stays';
is entry('sales/revenue.md'), undef, '... and nothing is saved';
looks('preview');
press('save')->wait_text(qr/Saved\./);
my $id = entry('sales/revenue.md')->{id};
is $b->url, "$at/$id?done=saved", 'saved: its page';
is entry('sales/revenue.md')->{content}, $text, '... as it was typed, without the returns of browsers';

# ---- what can't be read

$b->follow('Edit')->wait_text(qr/Edit Revenue/);
my $broken = $text =~ s/description: SEK/description: "SEK/r;
write_in($broken);
press('save')->wait_text(qr/Not saved\./);
like $b->text('.notice.bad'), qr/Line \d+ isn’t valid\. Go to the text/, 'which line can’t be read';
is $b->script('return document.querySelectorAll(".code li.bad").length'), 1, '... is shown among its neighbors';
my ($line) = $b->text('.notice.bad') =~ /Line (\d+)/;
is $b->script('const ol = document.querySelector(".code"); return ol.start + [...ol.children].findIndex(li => li.className === "bad")'),
	$line, '... by its number';
is $b->script('const e = document.getElementById("text"); return e.getAttribute("aria-invalid") '
	. '+ document.getElementById(e.getAttribute("aria-describedby").split(" ")[0]).className'), 'trueerror', '... and beside the text';
is typed(), $broken, 'nothing typed is lost';
is entry('sales/revenue.md')->{content}, $text, 'nothing is saved';
looks('a mistake', refused => 1);
write_in($text =~ s/kind: metric/kind: cube/r);
press('preview')->wait_text(qr/kind/);
is $b->script('return document.querySelector(".code li.bad").textContent'), 'kind: cube , the mistake is here',
	'a word that is none, by its line';
$b->fill('#path', 'sales/revenue.txt');
write_in($text);
press('save')->wait_text(qr/must end in/);
is $b->script('return document.getElementById("path").getAttribute("aria-invalid")'), 'true', 'a path that is none is marked';
looks('a wrong path', refused => 1);

# ---- two at once

$b->go("$at/$id/edit")->wait_text(qr/Edit Revenue/);
my $theirs = $text =~ s/Paid \*orders\*/Paid and shipped orders/r;
is as('ann', PUT => "/v1/workspaces/$ws/catalog/files", { path => 'sales/revenue.md', content => $theirs })->{status}, 200,
	'somebody else saves meanwhile';
my $mine = $text =~ s/Paid \*orders\*/All orders/r;
write_in($mine);
press('save')->wait_text(qr/changed this entry.*Choose which text to keep/s);
is typed(), $mine, 'what was typed stays';
is $b->script('return [...document.querySelectorAll(".code li.new")].map(e => e.firstChild.data.trim()).join("|")'),
	'Paid and shipped orders.', 'theirs stands beside it, with what differs';
is entry('sales/revenue.md')->{content}, $theirs, '... and is what is kept so far';
looks('two texts', refused => 1);
$b->follow('Keep their text')->wait_text(qr/Paid and shipped orders/);
is entry('sales/revenue.md')->{content}, $theirs, 'theirs can be kept';
$b->go("$at/$id/edit")->wait_text(qr/Edit Revenue/);
as('ann', PUT => "/v1/workspaces/$ws/catalog/files", { path => 'sales/revenue.md', content => "$theirs\nMore.\n" });
write_in($mine);
press('save')->wait_text(qr/Choose which text to keep/);
as('ann', PUT => "/v1/workspaces/$ws/catalog/files", { path => 'sales/revenue.md', content => "$theirs\nStill more.\n" });
press('save')->wait_text(qr/Choose which text to keep.*Still more/s);
is typed(), $mine, 'a third one is shown, too';
press('save')->wait_text(qr/Saved\./);
is entry('sales/revenue.md')->{content}, $mine, 'mine can be kept';

# ---- renaming

as('ann', PUT => "/v1/workspaces/$ws/catalog/files",
	{ path => 'board/report.md', content => "---\nupstream: [sales/revenue.md]\n---\nReport\n" });
$b->go("$at/$id/edit")->wait_text(qr/One entry names it as what it comes from/);
$b->fill('#path', 'board/report.md');
press('save')->wait_text(qr/There is an entry of this path already/);
is typed(), $mine, 'a path that is taken is refused, with what was typed';
$b->fill('#path', 'sales/net.md');
press('save')->wait_text(qr/Saved\./);
is entry('sales/net.md')->{content}, $mine, 'a new path';
is entry('sales/revenue.md'), undef, '... instead of the old one';
my $net = entry('sales/net.md')->{id};

# ---- deleting, and being deleted

$b->go("$at/$net/edit")->follow('Delete entry')->wait_text(qr/Delete the entry Revenue.*What it is about stays/s);
looks('delete', refused => 1);
$b->follow('Cancel')->wait_text(qr/All orders/);
$b->go("$at/$net/edit")->wait_text(qr/Edit Revenue/);
as('ann', DELETE => "/v1/workspaces/$ws/catalog/files?path=sales/net.md");
write_in("$mine\nTyped for an hour.\n");
press('save')->wait_text(qr/This entry no longer exists/);
is typed(), "$mine\nTyped for an hour.\n", 'what was typed into what is gone stays';
looks('gone', refused => 1);
press('save')->wait_text(qr/Saved\./);
is entry('sales/net.md')->{content}, "$mine\nTyped for an hour.\n", '... and can be saved';
$b->go("$at/" . entry('sales/net.md')->{id} . '/delete')->click('button.primary')->wait_text(qr/Deleted\./);
is entry('sales/net.md'), undef, 'deleted';

# ---- without a script, and who may

my $v = Vitrine::Visitor->new($api);
$v->sign_in('ben@example.org', 'the password');
my $form = { 'Content-Type' => 'application/x-www-form-urlencoded' };
sub sent {
	my ($path, %fields) = @_;
	return $v->send(POST => "/w/$ws/catalog$path", headers => $form, body => join '&',
		map { "$_=" . Vitrine::Visitor::escape($fields{$_}) } sort keys %fields);
}
is sent('/new', path => 'a.md', content => "---\r\ntitle: A\r\n---\r\nText\r\n")->{status}, 303, 'saving is what a form does by itself';
is entry('a.md')->{content}, "---\ntitle: A\n---\nText\n", '... with its lines as files have them';
is sent('/new', path => 'a.md', content => 'other')->{status}, 409, 'a new one replaces none';
is entry('a.md')->{content}, "---\ntitle: A\n---\nText\n", '... and changes nothing';
my $a = entry('a.md')->{id};
is sent("/$a/edit", path => 'a.md', content => 'blind')->{status}, 412, 'without what was seen, nothing is replaced';
like $v->{page}{text}, qr/blind.*Keep my text.*title: A/s, '... and both texts are shown';
is sent("/$a/edit", path => 'b.md', content => 'blind')->{status}, 412, '... nor renamed';
is sent("/$a/edit", path => 'a.md')->{status}, 400, 'a form without a text is refused';
is sent("/$a/edit", path => 'a.md', content => 'x', act => 'shred')->{status}, 400, '... and one that does what no form does';
is sent('/new', path => 'b.md', content => 'x' x (256 * 1024 + 1))->{status}, 413, 'a text that is too long is refused';
like $v->{page}{text}, qr/xxxxx<\/textarea>/, '... and shown again';
is sent('/new', path => 'b.md', content => 'ö' x (128 * 1024))->{status}, 303, 'one that is as long as it may be is not';
my $e = Vitrine::Visitor->new($api);
$e->sign_in('eve@example.org', 'the password');
is $e->go("/w/$ws/catalog/$_")->{status}, 404, "who is not in the workspace has no $_" for 'new', $a, "$a/edit", "$a/delete";
is $e->send(POST => "/w/$ws/catalog/$_", headers => $form, body => 'path=a.md&content=x')->{status}, 404, "... and writes none by $_"
	for 'new', "$a/edit", "$a/delete";
is entry('a.md')->{content}, "---\ntitle: A\n---\nText\n", '... which changed nothing';
my $other = as('eve', POST => '/v1/workspaces', { name => 'Elsewhere' })->{json}{workspace}{id};
as('eve', POST => "/v1/workspaces/$other/catalog/enable", { enabled => $true });
is $e->go("/w/$other/catalog/$a$_")->{status}, 404, "an entry of another workspace has no page here$_" for '', '/edit', '/delete';
finish($stack);
