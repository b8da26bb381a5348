# SPDX-License-Identifier: Apache-2.0
# The Files tab; what differs between two versions, and who has approved one: in the browser, with and without a script, and with the
# client.
use utf8;
use Vitrine::Browser;
use Vitrine::Visitor;
use Vitrine::Words 'as';

my ($stack, $api, $db) = stack(chromium => 'auto');
my $app = "https://vitrine.localhost:$stack->{port}";
my $user = $stack->user('ann@example.org');
$stack->ctl_in("the password\n", qw(user password ann@example.org));
my @lines = map { "line $_" } 1 .. 30;
my $art = $api->publish($user, slug => 'report', name => 'Report', files => { 'index.html' => join("\n", @lines, ''),
	'old/a.txt' => 'moved',
	'gone.txt' => 'x', 'same.css' => 'a{}' });
$lines[14] = 'line fifteen';
$api->publish($user, slug => 'report', message => 'Words for numbers',
	files => { 'index.html' => join("\n", @lines, ''), 'new/a.txt' => 'moved',
	'big.txt' => 'y' x ((1 << 20) + 1), 'same.css' => 'a{}' });
my $page = "$app/a/$art/versions/compare";
my @code = map { "const line$_ = '<b>';" } 1 .. 40;
my $docs = $api->publish($user, slug => 'handbook', files => { 'index.html' => '<script>alert(1)</script>',
	'rows.csv' => "name,amount\nnut,12\nbolt,\"3,5\"\n", 'empty.txt' => '', 'vitrine.yaml' => "tables: {}\n",
	'README.md' => "---\ntitle: T\n---\n# The notes\n\n[guide](guide/a.md#two) ![dot](img/dot.svg) "
		. "![far](https://example.org/x.png) <b>bold</b>\n",
	'guide/a.md' => "## Two\n\n[up](../README.md) [out](../../x) [code](/js/chart.js#L3)\n", 'js/chart.js' => join("\n", @code, ''),
	'img/dot.svg' => '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4" cy="4" r="4"/></svg>' });
$code[7] = 'const eight = 8;';
as($user, POST => '/v1/publish', { artifact_id => $docs, mode => 'patch', base_version => 1, message => 'Eight', files => [
	{ path => 'js/chart.js', content => join("\n", @code, '') }, { path => 'old.txt', encoding => 'base64', content => 'Z3L832UK' },
	{ path => 'bytes.bin', encoding => 'base64', content => 'AAEC' }, { path => 'long.txt', content => "0123456\n" x 131073 }] });
my $png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
my $dot = Digest::SHA::sha256_hex(MIME::Base64::decode_base64($png));
as($user, POST => '/v1/publish', { name => 'Dot', files => [{ path => 'index.html', content => '' },
	{ path => 'dot.png', content => $png, encoding => 'base64' }] });
my $pictures = as($user, POST => '/v1/publish', { name => 'Pictures', files => [{ path => 'index.html', content => '' },
	{ path => 'dot.png', content => $png, encoding => 'base64' }, { path => 'data.bin', content => 'AAEC', encoding => 'base64' }]
	})->{json}{artifact}{id};
as($user, POST => '/v1/publish', { artifact_id => $pictures, mode => 'patch', base_version => 1, files => [
	{ path => 'data.bin', content => 'AAECAw==', encoding => 'base64' }, { path => 'dot.png', encoding => 'base64',
	content => MIME::Base64::encode_base64(Vitrine::Stack::slurp("$ENV{VITRINE_TOP}/nginx/assets/mark.png"), '') }] });
my $ben = $stack->user('ben@example.org');
$stack->ctl_in("the password\n", qw(user password ben@example.org));
as($user, POST => "/v1/artifacts/$art/collaborators", { emails => ['ben@example.org'], role => 'viewer' });

for my $width (390, 1280) {
	my $ann = Vitrine::Browser->new($stack, width => $width, height => 900);
	$ann->sign_in('ann@example.org', 'the password');
	if ($width == 1280) {
		$ann->go("$app/a/$docs/files");
		is join('; ', $ann->looks('files')), '', 'the Files tab is without barriers';
		$ann->click('.things a[href$="/files/js"]')->wait_text(qr/chart\.js\s+\d+ bytes/);
		$ann->click('.things a[href$="/files/js/chart.js"]')->wait_text(qr/JavaScript, \d.*40 lines/);
		$ann->go("$app/a/$docs/files/js/chart.js#L8-L12");
		is $ann->script('return document.querySelectorAll(".code .on").length'), 5, 'the address marks lines';
		is join('; ', $ann->looks('files-code')), '', '... a text';
		for my $look ('rows.csv', 'README.md', 'img/dot.svg', 'bytes.bin') {
			$ann->go("$app/a/$docs/files/$look");
			is join('; ', $ann->looks('files-' . $look =~ s/\W/-/gr)), '', "... $look";
		}
		$ann->go("$app/a/$docs/files/img/dot.svg");
		ok $ann->script('return document.querySelector(".pictured img").naturalWidth > 0'), 'a picture is shown';
		$ann->go("$app/a/$docs/files/js/chart.js")->follow('History')->wait_text(qr/History of chart\.js.*Eight.*Changed.*Added/s);
		is join('; ', $ann->looks('files-history')), '', '... its history';
		$ann->go("$app/a/$docs/files/js/chart.js")->follow('Blame')->wait_text(qr/Version 1.*line7 =.*Version 2.*const eight = 8;.*Version 1/s);
		is join('; ', $ann->looks('files-blame')), '', '... and who wrote which line';
		$ann->go("$app/a/$docs/files/js/chart.js")->click('a[href$="/edit/js/chart.js"]')->wait_text(qr/Edit chart\.js/);
		is join('; ', $ann->looks('files-edit')), '', '... the form that edits it';
		is join('; ', $ann->complaints), '', 'the browser has no complaint';
		$ann->script('document.querySelector("[name=base]").value = "1"');
		$ann->fill('#content', "mine\n")->click('[value=live]')->wait_text(qr/Not saved yet.*Your text.*Their text/s);
		is join('; ', $ann->looks('files-clash')), '', '... and two texts side by side';
		$ann->complaints;
		$ann->go("$app/a/$pictures/versions/compare?to=2")->wait_text(qr/2 files differ/);
		like $ann->text('#f-2'), qr/dot\.png\s+Changed\s+70 bytes before, [\d.]+ kB now\s+Version 1\s+Version 2/, 'a picture that differs';
		$ann->script('document.querySelectorAll(".looks img").forEach(i => i.loading = "eager")');
		Vitrine::Stack::wait_for('the pictures', 30, sub {
			$ann->script('return [...document.querySelectorAll("#f-2 img")].map(i => i.naturalWidth > 1) + ""')
				eq 'false,true' });
		pass '... as it was and as it is';
		like $ann->text('main'), qr/Other files\s+Changed\s+data\.bin\s+3 bytes before, 4 bytes now/, 'and sizes of what is no picture';
		is join('; ', $ann->looks('compare-pictures')), '', '... without barriers';
	}
	$ann->go("$app/a/$art/versions")->click('a[href$="compare?to=2"]');
	$ann->wait_text(qr/4 files differ: 1 added, 1 changed, 1 removed, 1 renamed\. 1 is the same\./);
	like $ann->text('main'), qr/“Words for numbers”/, "at $width: what the version says of itself";
	like $ann->text('#f-3'), qr/15\s*−.*line 15.*15\s*\+.*line fifteen/s, 'the lines that differ, with their numbers';
	like $ann->text('.side'), qr/big\.txt\s+removed:\s+gone\.txt\s*\+0 −1\s+changed:\s+index\.html\s*\+1 −1/, 'the files, beside what differs';
	$ann->click('.side a[href="#f-4"]');
	like $ann->url, qr/#f-4$/, '... lead there';
	like $ann->text('#f-4'), qr{Renamed.*was old/a\.txt}s, 'a renamed file';
	if ($width == 390) {
		# A runner that can start no browser writes this.
		my $lock = "$stack->{dir}/data/picture.lock";
		Vitrine::Stack::spew($lock, '');
		utime time, time + 3600, $lock;
		$ann->click('form[action$="/compare/pictures"] button');
		$ann->wait_text(qr/How the pages look.*index\.html\s+No browser can run on this service now/s);
		unlink $lock;
		$ann->reload->wait_text(qr/How the pages look.*index\.html\s+A browser is about to open it/s);
		$ann->script('document.getElementById("va").dataset.typed = "yes"');
		$db->do('UPDATE compare_picture SET due_at = NULL, found = ?, from_sha256 = UNHEX(?), from_size = 70, '
			. 'to_sha256 = UNHEX(?), to_size = 70 WHERE artifact_id = ?', undef,
			'{"changed":0.25,"from":{"width":1280,"height":800,"boxes":[]},"to":'
			. '{"width":1280,"height":900,"boxes":[{"x":0,"y":80,"w":1280,"h":100}]}}', ($dot) x 2, $art);
		$ann->wait_text(qr/How the pages look.*index\.html\s+Version 1/s);
		is $ann->script('return document.getElementById("va").dataset.typed'), 'yes',
			'pictures appear when they are made, and the page stays';
	}
	is $ann->script('return document.querySelectorAll(".looks image").length + "," + document.querySelectorAll(".looks rect").length'),
		'2,1', 'two pictures, and a frame';
	like $ann->text('main'), qr/too long to compare here/, 'a text that is too long';
	is join('; ', $ann->looks('versions-compare')), '', '... without barriers';
	$ann->script('document.getElementById("va").value = "2"');
	$ann->click('form[action$="/compare"] button')->wait_text(qr/No file differs\. 4 are the same\./);
	$ann->go("$page?from=2&to=1")->click('form[action$="/versions/1/live"] button');
	$ann->wait_text(qr/This version is live now/);
	as($user, POST => "/v1/artifacts/$art/versions/2/restore");

	$ann->go("$app/a/$art/versions");
	is join('; ', $ann->looks('versions-review')), '', 'the form that asks for a review is without barriers';
	is $ann->script('return [...document.querySelectorAll(".acts .button")].filter(e => e.getBoundingClientRect().right > innerWidth)'
		. '.length'), 0, 'each button of a version is in the window';
	$ann->fill('#people', 'nobody@example.org')->click('form[action$="/reviews"] button');
	like $ann->text('form[action$="/reviews"]'), qr/Who\s+nobody\@example\.org can't comment on this artifact; give them a role/,
		'who can’t comment is named at the field';
	$ann->fill('#people', 'ben@example.org')->fill('#message', 'Is it right?')->click('form[action$="/reviews"] button');
	$ann->wait_text(qr/Review of version 2.*Is it right\?.*No answer yet/s);
	is join('; ', $ann->looks('review')), '', '... nor has its page';
	my ($id) = $ann->url =~ /(rvw_\w+)/;
	my $visitor = Vitrine::Visitor->new($api);
	$visitor->sign_in('ben@example.org', 'the password');
	$visitor->go("/shared/artifacts/$art/reviews/$id");
	like $visitor->submit(qr{/answer$}, { answer => 'send_back' })->{body}, qr/Say why you send it back/, 'an answer without a reason';
	like $visitor->submit(qr{/answer$}, { answer => 'approve', note => 'Yes' })->{body}, qr/It is what is live|Yes\. What is live/,
		'answered without a script';
	$ann->reload;
	like $ann->text('main'), qr/Approved.*What is live is what was approved/s, 'who asked sees it';
}
my $plain = Vitrine::Visitor->new($api);
$plain->sign_in('ann@example.org', 'the password');
like $plain->go("/a/$art/versions/compare?from=1&to=2")->{body}, qr/line <mark>fifteen/, 'without a script';

# ---- files without a script

sub files { return $plain->go("/a/$docs/" . shift)->{text} }
like files('files'), qr{href="/a/$docs/files/guide">.*guide</a>.*1 file.*href="/a/$docs/files/README\.md"}s, 'folders come first';
like $plain->{page}{text}, qr{<h3 id="at-the-notes">The notes</h3>}, '... then the README';
like $plain->{page}{text}, qr{href="/a/$docs/files/guide/a\.md#at-two">guide</a>}, '... whose links lead to files';
like $plain->{page}{text}, qr{<img src="/v1/artifacts/$docs/files/img/dot\.svg\?version=2" alt="dot" />},
	'... and whose pictures are those of the version';
unlike $plain->{page}{text}, qr{example\.org/x\.png|<b>bold}, '... and no others, nor HTML';
files('files/guide/a.md?version=1');
like $plain->{page}{text}, qr{files/README\.md\?version=1">up</a>.*files/js/chart\.js\?version=1#L3">code}s, 'links stay in the version';
like $plain->{page}{text}, qr{href="\.\./\.\./x">out}, '... but one that leads out of it';
like files('files?version=1&plain=1'), qr/Version 1<\/option>/, 'an older version';
like files('files/js/chart.js'), qr{<li id=L8>const eight = 8;\n<li id=L9>const line9 = &\#39;&lt;b&gt;&\#39;;},
	'a text, escaped and numbered';
like files('files/index.html'), qr{&lt;script&gt;alert\(1\)&lt;/script&gt;}, 'a page is shown as its text';
like files('files/rows.csv'), qr{<th scope="col" class="num">amount</th>.*<td>bolt</td><td class="num">3,5</td>}s, 'a table';
like files('files/rows.csv?plain=1'), qr{<li id=L1>name,amount}, '... as text';
like files('files/old.txt'), qr{gr\x{fc}\x{df}e.*Shown as\s+windows-1252}s, 'another charset is named';
like files('files/bytes.bin'), qr{can’t show such a file}, 'bytes are a download';
like files('files/empty.txt'), qr{This file is empty}, 'an empty file';
like files('files/long.txt'), qr{These are the first 1\.0 MB of 1\.0 MB; download the file}, 'a long one in part';
sub changed_in { my ($where) = @_; return join ' ', files($where) =~ m{/history/([^"]+)">(Version \d+)</a>, <time}g }
is changed_in('files'), join(' ', map { "$_->[0] Version $_->[1]" } ['README.md', 1], ['bytes.bin', 2], ['empty.txt', 1], ['index.html', 1],
	['long.txt', 2], ['old.txt', 2], ['rows.csv', 1], ['vitrine.yaml', 1]), 'each file says since when it is as it is';
is changed_in('files?version=1&q=js'), 'js/chart.js Version 1', '... in an older version, too';
like files('files?q=CHART'), qr{/files/js/chart\.js"}, 'a file is found';
unlike $plain->{page}{text}, qr{/files/rows\.csv"}, '... and no other';
is $plain->go("/a/$docs/files/none")->{status}, 404, 'no such file';
is $plain->go("/a/$docs/files/js?version=9")->{status}, 404, '... or version';
like files('history/old.txt'), qr{Added.*?1}s, 'what changed a file';
like files('blame/bytes.bin'), qr{Only texts in UTF-8}, 'bytes have no lines';
as($user, POST => "/v1/artifacts/$docs/collaborators", { emails => ['ben@example.org'], role => 'viewer' });
my $viewer = Vitrine::Visitor->new($api);
$viewer->sign_in('ben@example.org', 'the password');
unlike $viewer->go("/a/$docs/files")->{text}, qr/vitrine\.yaml/, 'a viewer doesn’t see vitrine.yaml';
is $viewer->go("/a/$docs/files/vitrine.yaml")->{status}, 404, '... by its address either';
like files('files/vitrine.yaml'), qr/<li id=L1>tables: /, '... who edits does';

# ---- changes

sub live { return $api->call(GET => "/v1/artifacts/$docs/files/$_[0]", { token => $user->{token} })->{body} }
sub edit {
	my ($path, %f) = @_;
	$plain->go("/a/$docs/edit/$path");
	return $plain->submit(qr{/edit/}, { path => $path, becomes => 'live', %f });
}
like edit('js/chart.js', content => "one\r\ntwo\r\n", message => 'Short')->{text}, qr{Published\. Its new version is live.*<li id=L2>two}s,
	'a file is changed';
is live('js/chart.js'), "one\ntwo\n", '... with the line ends that it had';
is as($user, GET => "/v1/artifacts/$docs/versions?limit=1")->{json}{versions}[0]{message}, 'Short', '... and a message';
my $same = edit('js/chart.js', content => "one\r\ntwo\r\n");
is $same->{status}, 400, 'an unchanged file isn’t published';
like $same->{text}, qr/Nothing was changed/, '... which is said';
like edit('js/chart.js', content => "draft\n", becomes => 'draft')->{text}, qr{Saved as a draft.*<li id=L1>draft}s,
	'a draft is saved, and shown';
is live('js/chart.js'), "one\ntwo\n", '... and isn’t live';
like edit('js/chart.js', path => 'js/a b.js', content => "1\r\ntwo\r\nthree\r\n")->{text}, qr{<h2[^>]*>a b\.js.*three}s,
	'a file is renamed and changed';
is $plain->go("/a/$docs/files/js/chart.js")->{status}, 404, '... and has left its path';
like edit('bytes.bin', path => 'b.bin')->{text}, qr{<h2[^>]*>b\.bin}, 'a file that isn’t text is renamed';
is live('b.bin'), "\0\1\2", '... with its bytes';
like edit('b.bin', path => '../b.bin')->{text}, qr{id="path-error"}, 'a wrong path is refused beside the field';
$plain->go("/a/$docs/new-file?folder=guide");
like $plain->{page}{text}, qr{value="guide/"}, 'a new file begins in its folder';
like $plain->submit(qr{/new-file$}, { path => 'guide/a.md', content => 'x', becomes => 'live' })->{text}, qr{There is such a file already},
	'... and replaces none';
like $plain->submit(qr{/new-file$}, { path => 'guide/new.md', content => "# New\r\n", becomes => 'live' })->{text}, qr{>New</h3>},
	'... but is made';
$plain->go("/a/$docs/delete-file/guide/new.md");
like $plain->{page}{text}, qr{Delete guide/new\.md\?.*Version \d+ keeps it}s, 'deleting a file asks first';
like $plain->submit(qr{/delete-file/}, {})->{text}, qr{Published}, '... and does it';
is $plain->go("/a/$docs/files/guide/new.md")->{status}, 404, '... for the live version';

# Others publish while somebody writes.
my @text = map { "line $_" } 1 .. 20;
as($user, POST => '/v1/publish', { artifact_id => $docs, mode => 'patch', base_version => 2,
	files => [{ path => 'text.txt', content => join("\n", @text, '') }] });
my $began = as($user, GET => "/v1/artifacts/$docs")->{json}{artifact}{version_no};
$plain->go("/a/$docs/edit/text.txt");
as($user, POST => '/v1/publish', { artifact_id => $docs, mode => 'patch', base_version => $began,
	files => [{ path => 'text.txt', content => join("\n", 'theirs', @text[1 .. 19], '') }] });
my @mine = @text;
$mine[19] = 'mine';
my %send = (path => 'text.txt', becomes => 'live');
like $plain->submit(qr{/edit/}, { %send, content => join("\r\n", @mine, '') })->{text}, qr{united with what others},
	'changes elsewhere are united';
is live('text.txt'), join("\n", 'theirs', @text[1 .. 18], 'mine', ''), '... by lines';
$mine[0] = "\nmine & first";
$plain->go("/a/$docs/edit/text.txt?version=$began");
my $clash = $plain->submit(qr{/edit/}, { %send, content => join("\r\n", @mine, '') });
is $clash->{status}, 409, 'a change of the same line is refused';
like $clash->{text}, qr{Not saved yet\..*ann\@example\.org.*Their text.*<li class="new">theirs}s, '... with the other text';
like $clash->{text}, qr{<textarea[^>]*>\n\nmine &amp; first\s+line 2\s}, '... and what was typed, with its first empty line';
is live('text.txt'), join("\n", 'theirs', @text[1 .. 18], 'mine', ''), '... and nothing was published';
like $plain->submit(qr{/edit/}, { %send, content => join("\r\n", @mine, '') })->{text}, qr{Published}, 'one’s own text can be chosen';
is live('text.txt'), join("\n", '', 'mine & first', @text[1 .. 18], 'mine', ''), '... as it was typed';
$plain->go("/a/$docs/files/rows.csv");
like $plain->submit(qr{/table-from/}, {})->{path}, qr{^/a/$docs/data/imports/imp_}, 'a CSV file becomes an import';
my ($import) = $plain->{page}{path} =~ /(imp_\w+)/;
is as($user, GET => "/v1/data/$docs/imports/$import")->{json}{import}{size_bytes}, 30, '... of its bytes';
is $viewer->go("/a/$docs/edit/text.txt")->{status}, 403, 'a viewer can’t edit';
unlike $viewer->go("/a/$docs/files/text.txt")->{text}, qr{/edit/|/delete-file/}, '... and gets no buttons for it';

# ---- the client

my (undef, $out) = $stack->client($user->{token}, qw(diff report --from 1));
is $out, "added    big.txt\nremoved  gone.txt\nchanged  index.html\nrenamed  new/a.txt  (was old/a.txt)\n", 'the client lists the files';
(undef, $out) = $stack->client($user->{token}, qw(diff report --from 1 --to 2 --text index.html));
is $out, "@@ 11 the same @@\n line 12\n line 13\n line 14\n-line 15\n+line fifteen\n line 16\n line 17\n line 18\n@@ 12 the same @@\n",
	'... and the lines of a text';

(undef, $out) = $stack->client($user->{token}, qw(diff report --from 1 --to 2 --pictures));
is $out, "made        index.html  0.25 of it differs\n$app/shared/artifacts/$art/compare?from=1&to=2\n", '... and where its pictures are';

# ---- reviews

my ($status, $err);
($status, my $id, $err) = $stack->client($user->{token}, qw(reviews ask ben@example.org --artifact report --expires 3 --message Look));
like $id, qr/^rvw_\w+\n$/, 'the client asks for a review' or diag $err;
chomp $id;
(undef, $out) = $stack->client($ben->{token}, 'reviews', 'show', $id, 'report');
like $out, qr/^\Q$id\E  open       version 2\ndigest [0-9a-f]{64}\n *Look\n-          ben\@example\.org\n$/, '... shows it';
($status, $out, $err) = $stack->client($ben->{token}, 'reviews', 'answer', $id, 'send_back', 'report', '--note', 'No unit');
is "$status$err", "0answered; the review is sent_back\n", '... and answers';
(undef, $out) = $stack->client($user->{token}, qw(reviews list report));
like $out, qr/^\Q$id\E  sent_back  version 2  \d/, '... and lists them';
(undef, $id) = $stack->client($user->{token}, qw(reviews ask), $ben->{id}, qw(--artifact report));
chomp $id;
($status, $out, $err) = $stack->client($user->{token}, 'reviews', 'close', $id, 'report');
is "$status$err", "0closed\n", '... and closes one';
finish($stack);
