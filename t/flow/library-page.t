# SPDX-License-Identifier: Apache-2.0
# The asset library in the browser: files dropped and chosen, sent in pieces, paused, gone on with after a reload, and without a network for
# a while; the same by forms alone; found, moved, renamed, shared, deleted; versions; loose files; what is refused, and what somebody who is
# not in the workspace gets. Each page is looked at in both widths and both themes.
use utf8;
use Digest::SHA 'sha256_hex';
use MIME::Base64;
use Vitrine::Browser 'seen';
use Vitrine::Visitor;
use Vitrine::Words 'as';

my $mb = 1 << 20;
my ($stack, $api, $db) = stack(max_asset_bytes => 48 * $mb, max_library_bytes => 200 * $mb);
my $app = "https://vitrine.localhost:$stack->{port}";
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben eve);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for keys %user;
my $ws = as('ann', POST => '/v1/workspaces', { name => 'Northwind Studio' })->{json}{workspace}{id};
my $theirs = as('eve', POST => '/v1/workspaces', { name => 'Elsewhere' })->{json}{workspace}{id};
$stack->seat($ws, $user{ben}, 'member');
my $team = "$app/w/$ws/library";
my ($ann, $ben) = map { Vitrine::Browser->new($stack, @$_) } [width => 1280, height => 900], [width => 390, height => 844, dark => 1];
$ann->sign_in('ann@example.org', 'the password');
$ben->sign_in('ben@example.org', 'the password');
sub file { my ($name, $bytes) = @_; Vitrine::Stack::spew("$stack->{dir}/$name", $bytes); return "$stack->{dir}/$name" }
sub choose { my ($b, @paths) = @_; $b->attach('#upload input[type=file]', @paths); return $b }
sub pick {
	my ($b, @names) = @_;
	$b->script('for (const n of arguments[0]) document.querySelector(`.pick[aria-label="Select ${n}"]`).click()', \@names);
	return $b;
}
sub names {
	my ($b) = @_;
	return join ' ', @{$b->script('return [...document.querySelectorAll("#listing .files .name")].map(e => e.textContent)')};
}
sub comes { my ($what, $f) = @_; return Vitrine::Stack::wait_for($what, 60, $f) }
sub dlv { return $db->selectrow_array('SELECT id FROM deliverable WHERE name = ? ORDER BY id DESC LIMIT 1', undef, $_[0]) }
sub of {
	my ($what, $name) = @_;
	return $db->selectrow_array("SELECT $what FROM deliverable d JOIN deliverable_version v ON v.deliverable_id = d.id "
		. "AND v.version = d.version JOIN asset_blob b ON b.id = v.blob_id WHERE d.name = ?", undef, $name);
}
sub plain { my ($b) = @_; $b->script('const f = document.getElementById("upload"); f.replaceWith(f.cloneNode(true))'); return $b }
sub post_plain { my ($b) = @_; $b->script('document.getElementById("upload").submit()'); return $b }
# A picture of one colour, and bytes that are the same nowhere in a file.
my $png = decode_base64('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==');
sub long {
	my ($n, $seed) = @_;
	my $same = "$seed " x 1e5;
	return substr join('', map { pack('Q>', $_) . $same } 0 .. $n / length $same), 0, $n;
}
sub slow {
	my ($b, $rate, $offline) = @_;
	$b->cdp('Network.enable');
	$b->cdp('Network.emulateNetworkConditions', offline => $offline ? Cpanel::JSON::XS::true : Cpanel::JSON::XS::false, latency => 0,
		downloadThroughput => -1, uploadThroughput => $rate);
	return $b;
}

# ---- chosen and dropped, several at once

$ann->go($team);
$ann->wait_text(qr/Keep files here.*Only you see a file until you share it with Northwind Studio.*0 bytes of 200 MB used, in 0 files/s);
is $ann->text('nav[aria-label=Main] [aria-current]'), 'Library', 'it is a place of the workspace';
seen($ann, 'an empty library');
choose($ann, file('mood.png', $png), file('spring <b>&amp; launch.pdf', '%PDF-1.7 x'),
	file('theme.wav', "RIFF\0\0\0\0WAVEfmt " . 'x' x 5000))->click('#upload button');
comes('three files', sub { names($ann) =~ /mood\.png/ && names($ann) =~ /launch\.pdf/ && names($ann) =~ /theme\.wav/ });
comes('the list of uploads to go', sub { $ann->script('return document.getElementById("pieces").hidden') });
is $ann->url, $team, 'the page is still the same one';
like $ann->text('#listing'), qr/launch\.pdf/, 'with what was sent';
$ann->drop('h1', file('brand-kit.zip', 'PK' . 'x' x 90000), file('film.mp4', "\0\0\0\x18ftypmp42" . "\0" x 2_000_000));
comes('two more, dropped anywhere', sub { names($ann) =~ /brand-kit/ && names($ann) =~ /film/ });
is $ann->script('const i = document.querySelector(".cards img"); await i.decode(); return i.naturalWidth'), 1,
	'a picture is shown as it is';
is of('d.visibility', 'mood.png'), 'private', 'they are hers alone';
seen($ann, 'files as cards');
like $ann->text('#listing'), qr/1\.9 MB|2\.0 MB/, 'how large each is';
$ann->click('a[href*="as=list"]');
$ann->wait_text(qr/Who can see it/);
seen($ann, 'files as a list');
$ann->script('document.getElementById("kind").value = "film"; document.getElementById("kind").form.requestSubmit()');
comes('films', sub { names($ann) eq 'film.mp4' });
like $ann->url, qr/as=list/, 'a filter leaves the list a list';
for ([picture => 'mood.png'], [document => 'spring <b>&amp; launch.pdf'], [sound => 'theme.wav'], [archive => 'brand-kit.zip'],
	[other => ''], [none => 'film.mp4 brand-kit.zip theme.wav spring <b>&amp; launch.pdf mood.png']) {
	$ann->go("$team?kind=$_->[0]");
	is join(' ', sort split / /, names($ann)), join(' ', sort split / /, $_->[1]), "of the kind $_->[0]";
}
$ann->go("$team?kind=other");
seen($ann, 'nothing of a kind');
$ann->go($team)->fill('#q', 'BRAND')->click('form[role=search] button');
comes('what was searched', sub { names($ann) eq 'brand-kit.zip' });

# ---- folders

$ann->go($team)->click('main .head details.menu > summary');
$ann->fill('#folder-name', 'Campaigns')->click('form[action$="/folders"] button');
$ann->wait_text(qr/Folder created\..*This folder is empty/s);
my ($campaigns) = $ann->url =~ /(fld_\w+)/;
$ann->click('main .head details.menu > summary')->fill('#folder-name', 'Spring')->click('form[action$="/folders"] button');
$ann->wait_text(qr/Folder created\./);
my ($spring) = $ann->url =~ /(fld_\w+)/;
is join(' > ', @{$ann->script('return [...document.querySelectorAll(".crumbs > *")].map(e => e.textContent + (e.href ? "" : "*"))')}),
	'Library > Campaigns > Spring*', 'a folder in a folder';
seen($ann, 'an empty folder');
$ann->script('document.querySelector("#upload select").value = "workspace"');
$ann->drop('body', file('plan.md', '# Plan'));
comes('a file in the folder', sub { names($ann) eq 'plan.md' });
is join(' ', of('d.folder_id, d.visibility', 'plan.md')), join(' ', of('d.folder_id', 'plan.md'), 'workspace') ,
	'for everyone, as was chosen';
is of('d.folder_id', 'plan.md'), $spring, '... where it was dropped';
$ann->click('main .head details.menu > summary')->fill('#folder-name', 'a/b')->click('form[action$="/folders"] button');
$ann->wait_text(qr/Must not contain/);
is $ann->script('return document.activeElement.id'), 'folder-name', 'a folder\'s name that can\'t be is told beside its field';
$ann->complaints;
pick($ann->go($team), 'mood.png', 'theme.wav');
is $ann->text('[data-chosen]'), '2 selected', 'how many are selected';
seen($ann, 'selected files');
$ann->click('#chosen button[formaction$="/move"]');
$ann->wait_text(qr/Move 2 files.*Who in the workspace can see them stays the same/s);
seen($ann, 'where to?');
$ann->script('document.getElementById("folder").value = arguments[0]', $campaigns);
$ann->click('form[method=post] button.primary');
$ann->wait_text(qr/Moved\./);
is "$campaigns $campaigns", join(' ', map { of('d.folder_id', $_) } qw(mood.png theme.wav)), 'both are there';
unlike names($ann), qr/mood|theme/, '... and here no more';
$ann->follow('Campaigns')->wait_text(qr/Spring/);
seen($ann, 'a folder with files and a folder');
$ann->go("$team/folders/$campaigns?q=plan");
$ann->wait_text(qr{Searched the whole library.*/Campaigns/Spring}s);
$ann->go("$app/w/$ws/folders/$spring/delete");
$ann->wait_text(qr/It holds 1 file\..*Files of the library move up, too\./s);
$ann->click('button.danger')->wait_text(qr/Folder deleted/);
is of('d.folder_id', 'plan.md'), $campaigns, 'a folder that is deleted leaves its files to the one above';

# ---- a file

$ann->go($team)->follow('Campaigns')->follow('mood.png');
$ann->wait_text(qr/Versions/);
is $ann->script('const i = document.querySelector(".shown img"); await i.decode(); return i.naturalWidth'), 1, 'a picture is shown';
seen($ann, 'a picture');
my $mood = dlv('mood.png');
$ann->fill('#name', 'a/b.png')->click('form[action$="' . $mood . '"] button');
$ann->wait_text(qr/Must be a file name without folders/);
is $ann->script('return document.activeElement.id + " " + document.activeElement.value'), 'name a/b.png',
	'a name that can\'t be is told beside its field, with what was typed';
seen($ann, 'a name that can not be', refused => 1);
$ann->fill('#name', "Moodboard.png")->click('input[value=workspace]')->click('form[action$="' . $mood . '"] button');
$ann->wait_text(qr/Saved\./);
is join(' ', of('d.visibility', 'Moodboard.png')), 'workspace', 'renamed, and for everyone';
choose($ann, file('mood-two.png', $png . 'x'))->click('#upload button');
$ann->wait_text(qr/It is the latest version now\..*2\s+Latest\s+mood-two\.png.*1\s+mood\.png/s);
seen($ann, 'versions');
my $one = $ann->script_async('const done = arguments[1]; fetch(document.querySelector("td.acts a[href$=\"/1/content\"]").href).then(async '
	. 'r => done(r.status + " " + r.headers.get("content-disposition").split(";")[0] + " " + (await r.arrayBuffer()).byteLength))', 0);
is $one, '200 attachment ' . length $png, 'each is there to be downloaded';
for (['theme.wav', 'audio'], ['film.mp4', 'video']) {
	$ann->go($team . '/' . dlv($_->[0]));
	is $ann->script("return document.querySelectorAll('.shown $_->[1]').length"), 1, "$_->[0] can be played";
	seen($ann, "a file with $_->[1]");
}
is $ann->script_async('const done = arguments[1], v = document.createElement("audio"); v.onerror = () => done(v.error.code); '
		. 'v.onloadedmetadata = () => done("plays"); v.src = arguments[0]',
	'/v1/files/' . dlv('theme.wav') . '/content') =~ /^(?:plays|[34])$/ ? 'loaded' : 'blocked', 'loaded', 'the page may load sound';
$ann->complaints;
$ann->go($team . '/' . dlv('brand-kit.zip'))->wait_text(qr/No preview of this kind of file/);
seen($ann, 'a file without a preview');
$db->do("INSERT INTO asset_blob (id, bucket_id, workspace_id, user_id, deliverable_id, filename, mime, sha256, size_bytes, created_at) "
	. "SELECT CONCAT('blb_v', LPAD(seq, 25, '0')), bucket_id, workspace_id, user_id, deliverable_id, filename, mime, sha256, 0, 0 "
	. "FROM asset_blob JOIN seq_3_to_30 WHERE filename = 'mood-two.png'");
$db->do("INSERT INTO deliverable_version SELECT ?, seq, CONCAT('blb_v', LPAD(seq, 25, '0')), NULL, 0 FROM seq_3_to_30", undef, $mood);
$db->do("UPDATE deliverable SET version = 30, blob_id = CONCAT('blb_v', LPAD(30, 25, '0')) WHERE id = ?", undef, $mood);
$stack->ctl(qw(user recount));
$ann->go("$team/$mood")->follow('Older versions')->wait_text(qr/20\s+mood-two\.png/);

# What the runner draws (t/job/preview.t) is shown.
my $launch = dlv('spring <b>&amp; launch.pdf');
$db->do('INSERT INTO asset_preview (input_sha256, film, sha256, size_bytes, pages) SELECT b.sha256, 0, (SELECT sha256 FROM asset_blob '
		. 'WHERE filename = \'mood.png\' LIMIT 1), ?, 2 FROM asset_blob b JOIN deliverable_version v ON v.blob_id = b.id '
		. 'WHERE v.deliverable_id = ? ON DUPLICATE KEY UPDATE sha256 = VALUES(sha256), size_bytes = VALUES(size_bytes)',
	undef, length $png, $launch);
$ann->go($team);
comes('the first page', sub {
	$ann->script('const i = document.querySelector(`.cards img[src$="/preview"]`); return i && i.complete && i.naturalWidth == 1');
});
$ann->go("$team/$launch");
comes('... where it is looked at',
	sub { $ann->script('const i = document.querySelector(".shown img[alt^=First]"); return i && i.complete && i.naturalWidth == 1') });
pass 'a PDF is shown by its first page';

# ---- somebody else in the workspace, on a telephone

$ben->go("$team/folders/$campaigns");
is names($ben), 'plan.md Moodboard.png', 'a member sees what is shared';
seen($ben, 'a folder, to a member');
$ben->follow('Moodboard.png')->wait_text(qr/Owner\s+ann\@example\.org/);
is $ben->script('return document.querySelectorAll("[name=visibility]").length'), 0, 'only its owner is offered to say who sees it';
seen($ben, 'a file of somebody else');
$ben->fill('#name', 'By Ben.png')->click('form[action$="' . $mood . '"] button');
$ben->wait_text(qr/Saved\./);
$ben->go("$team/delete?file=$mood&from=$campaigns");
$ben->wait_text(qr/Delete By Ben\.png\?\s+All versions go, for everyone in Northwind Studio\. This can’t be undone\./);
seen($ben, 'to delete it?');
$ben->follow('Cancel')->wait_text(qr/By Ben\.png/);
like $ben->url, qr/folders\/$campaigns$/, 'cancelled, one is where it lies';

# ---- deleted

pick($ann->go("$team/folders/$campaigns"), 'plan.md', 'By Ben.png', 'theme.wav')->click('#chosen button.danger');
$ann->wait_text(qr/Delete 3 files\?\s+(?:\S.* and .*\S)\. All versions go, for everyone in Northwind Studio\./);
seen($ann, 'to delete several?');
$ann->click('button.danger')->wait_text(qr/Deleted\.\s.*This folder is empty/s);
is $db->selectrow_array('SELECT COUNT(*) FROM deliverable WHERE id = ?', undef, $mood), 0, 'gone';
$ann->go("$team/delete");
$ann->wait_text(qr/Select files first\./);

# ---- loose files

my $sent = as('ann', POST => "/v1/workspaces/$ws/assets/upload", { filename => 'by a program.csv' })->{json}{uploadUrl} =~ s/^\Q$app\E//r;
$api->call(PUT => $sent, { body => 'a,b', type => 'text/csv' });
$ann->go($team)->click('#loose summary');
$ann->wait_text(qr/by a program\.csv/);
seen($ann, 'a loose file');
$ann->click('#loose form button')->wait_text(qr/Added to the library\..*Versions/s);
is $ann->text('h1'), 'by a program.csv', 'one of the library';
$sent = as('ann', POST => "/v1/workspaces/$ws/assets/upload", { filename => 'again.csv' })->{json}{uploadUrl} =~ s/^\Q$app\E//r;
$api->call(PUT => $sent, { body => 'c', type => 'text/csv' });
$ann->go($team)->click('#loose summary')->click('#loose a[href$="/delete"]');
$ann->wait_text(qr/Delete again\.csv\?\s+Only you can see it/);
$ann->click('button.danger')->wait_text(qr/Deleted\./);
is $ann->script('return document.getElementById("loose")'), undef, 'none is left';

# ---- without script, in one's own library

sub plain_at { my ($b, $at, @files) = @_; plain($b->go($at)); choose($b, @files) if @files; return post_plain($b) }
plain_at($ann, "$app/library", map { file("own-$_.txt", "own $_") } 1 .. 3)->wait_text(qr/Uploaded\..*own-3\.txt.*own-1\.txt.*in 3 files/s);
is join(' ', $ann->text('nav[aria-label=Main] [aria-current]'),
		$ann->script('return document.querySelectorAll("#upload select, main details.menu").length')), 'Library 0',
	'a place of one\'s own, without folders and without others';
seen($ann, 'one\'s own library');
plain_at($ann, "$app/library/" . dlv('own-1.txt'), file('own-new.txt', 'version two'))->wait_text(qr/It is the latest version now\./);
is of('d.version', 'own-1.txt'), 2, 'a version';
plain_at($ann, "$app/library/" . dlv('own-1.txt'), file('own-new.txt', 'version three'));
$ann->wait_text(qr/3\s+Latest/);
plain($ann->go("$team"));
$ann->script('document.querySelector("#upload select").value = "workspace"');
choose($ann, file('shared by form.txt', 'x'));
post_plain($ann)->wait_text(qr/Uploaded\./);
is of('d.visibility', 'shared by form.txt'), 'workspace', 'for everyone, as the form says';
plain_at($ann, "$team/folders/$campaigns", file('in folder.txt', 'x'))->wait_text(qr/Uploaded\..*in folder\.txt/s);
is of('d.folder_id', 'in folder.txt'), $campaigns, 'into a folder';
plain_at($ann, $team)->wait_text(qr/Choose one first\./);
is $ann->script('return document.activeElement.name'), 'files', 'no file: it is told beside the field';
seen($ann, 'no file chosen', refused => 1);
$db->do('UPDATE asset_bucket SET reserved = reserved + ?', undef, 200 * $mb);
plain_at($ann, "$app/library",
	file('too much.txt', 'x'))->wait_text(qr/The library's files total 200 MB, and the file doesn't fit beside them/);
is $ann->script('return document.querySelector("[aria-invalid]").name'), 'files', '... as is a library that is full';
$db->do('UPDATE asset_bucket SET reserved = 0');
$ann->complaints;
pick($ann->go("$app/library"), 'own-2.txt');
$ann->click('#chosen button.danger')->wait_text(qr/Delete own-2\.txt\?\s+All versions go\./);
$ann->click('button.danger')->wait_text(qr/Deleted\./);
is names($ann), 'own-3.txt own-1.txt', 'deleted';
$db->do("INSERT INTO deliverable SELECT CONCAT('dlv_0', LPAD(seq, 25, '0')), bucket_id, workspace_id, owner_id, NULL, CONCAT('many-', "
	. "seq), visibility, 1, CONCAT('blb_0', LPAD(seq, 25, '0')), 0, 0 FROM deliverable JOIN seq_1_to_30 WHERE name = 'own-3.txt'");
$db->do("INSERT INTO asset_blob SELECT CONCAT('blb_0', LPAD(seq, 25, '0')), bucket_id, workspace_id, user_id, CONCAT('dlv_0', LPAD(seq, "
	. "25, '0')), filename, mime, sha256, 0, 0 FROM asset_blob JOIN seq_1_to_30 WHERE filename = 'own-3.txt'");
$db->do("INSERT INTO deliverable_version SELECT CONCAT('dlv_0', LPAD(seq, 25, '0')), 1, CONCAT('blb_0', LPAD(seq, 25, '0')), NULL, 0 "
	. "FROM seq_1_to_30");
$ann->go("$app/library")->follow('Next')->wait_text(qr/many-1\b/);
is names($ann) =~ /own-/, '', 'the second page goes on';

# ---- interrupted, and gone on with

my $film = long(24 * $mb, 'film');
my $path = file('launch film.mov', $film);
sub received {
	my $n = $db->selectrow_array('SELECT received FROM asset_upload WHERE blob_id IS NULL ORDER BY id DESC LIMIT 1');
	return $n // 0;
}
slow($ann->go($team), $mb);
$ann->drop('h1', $path);
comes('the first pieces', sub { received() >= 8 * $mb });
# So that it isn't all there before it has been looked at.
slow($ann, $mb / 10);
like $ann->wait_text(qr/MB of 24 MB/), qr/launch film\.mov\s+\d+(?:\.\d)? MB of 24 MB/, 'how far it is';
seen($ann, 'an upload on its way');
$ann->reload;
my $there = received();
like $ann->wait_text(qr/Stopped at \S+ MB of 24 MB\. To go on, choose the same file again, or drop it here\./), qr/launch film\.mov/,
	'after a reload it is told what was begun';
seen($ann, 'an upload that was interrupted');
is received(), $there, 'without the file nothing is sent';
slow($ann, -1);
$ann->drop('h1', $path);
comes('the rest of it', sub { names($ann) =~ /launch film\.mov/ });
is of('HEX(b.sha256)', 'launch film.mov'), uc sha256_hex($film), 'it is the file';
is $db->selectrow_array('SELECT COUNT(*) FROM asset_upload WHERE size_bytes = ?', undef, length $film), 1, '... by one upload, begun once';
cmp_ok $there, '>', 0, '... which went on where it stopped';
is $ann->script('return localStorage.getItem("vitrine.uploads")'), '{}', 'and nothing of it is kept';

# ---- paused, resumed, given up

slow($ann->go($team), $mb);
$ann->drop('h1', file('paused.bin', long(16 * $mb, 'pause')));
comes('a piece', sub { received() > 0 });
# It must not be through before the button is found.
slow($ann, 1_000);
$ann->click('#pieces [data-do=pause]')->wait_text(qr/Paused/);
seen($ann, 'a paused upload');
slow($ann, -1)->click('#pieces [data-do=resume]');
comes('it', sub { names($ann) =~ /paused\.bin/ });
is of('HEX(b.sha256)', 'paused.bin'), uc sha256_hex(long(16 * $mb, 'pause')), 'paused and resumed, it is the file';
slow($ann, $mb);
$ann->drop('h1', file('given up.bin', long(16 * $mb, 'never')));
comes('a piece', sub { received() > 0 });
slow($ann, 1_000);
slow($ann->click('#pieces [data-do=cancel]'), -1);
comes('it is given up', sub { !$db->selectrow_array('SELECT COUNT(*) FROM asset_upload WHERE total IS NOT NULL') });
is $ann->script('return document.getElementById("pieces").hidden'), 1, 'an upload that is given up is gone';
is $db->selectrow_array('SELECT SUM(reserved) FROM asset_bucket'), 0, '... with the room for it';

# ---- no network for a while

slow($ann, $mb / 2);
$ann->drop('h1', file('tunnel.bin', long(16 * $mb, 'tunnel')));
comes('a piece', sub { received() > 0 });
slow($ann, -1, 1);
$ann->wait_text(qr/No connection; trying again/);
slow($ann, -1);
comes('it goes on by itself', sub { names($ann) =~ /tunnel\.bin/ });
is of('HEX(b.sha256)', 'tunnel.bin'), uc sha256_hex(long(16 * $mb, 'tunnel')), 'it is the file';
$ann->complaints;

# ---- what the service refuses

$ann->go($team);
{ open my $f, '>', "$stack->{dir}/huge.bin" or die; truncate $f, 49 * $mb }
$ann->drop('h1', "$stack->{dir}/huge.bin");
$ann->wait_text(qr/The file is larger than the limit of 48 MB/);
seen($ann, 'a file that is too large', refused => 1);
$ann->click('#pieces [data-do=cancel]');
is $ann->script('return document.getElementById("pieces").hidden'), 1, 'taken off the list';

# ---- who is not in it

$ben->go($team);
my $hidden = dlv('launch film.mov');
my $own = dlv('own-3.txt');
my ($absent, $absent_fld) = map { "${_}_" . '0' x 26 } qw(dlv fld);
my %come = map { my $v = Vitrine::Visitor->new($api); $v->sign_in("$_\@example.org", 'the password'); $_ => $v } qw(eve ben ann);
my @same = (headers => { 'Sec-Fetch-Site' => 'same-origin', 'Content-Type' => 'application/x-www-form-urlencoded' });
sub told {
	my ($who, $method, $path, $body) = @_;
	my $r = $come{$who}->send($method => $path, @same, $method eq 'POST' ? (body => $body // '') : ());
	return "$r->{status} " . $r->{body} =~ s/request=\w+|fld_\w+|wsp_\w+|dlv_\w+|blb_\w+|\w+\@example\.org//gr;
}
for (['GET', ''], [GET => '/delete?file='], [GET => '/move?file='], [POST => '/delete', 'file='], [POST => '/move', 'folder_id=&file='],
	[POST => '', 'name=x']) {
	my ($method, $what, $body) = @$_;
	my $ask = sub {
		my ($who, $ws, $id) = @_;
		return told($who, $method,
			"/w/$ws/library" . ($what || ($body && $body =~ /file=/) ? $what . ($what =~ /=$/ ? $id : '') : "/$id"),
			defined $body ? $body . ($body =~ /file=$/ ? $id : '') : ());
	};
	my $none = $ask->('ben', $ws, $absent);
	like $none, qr/^404 /, "$method $what: an absent file";
	is $ask->('ben', $ws, $hidden), $none, '... and one that is somebody else\'s alone are told alike';
	is $ask->('ben', $ws, $own), $none, '... and one of another library';
	like $ask->('eve', $ws, $hidden), qr/^404 /, '... nobody outside comes to it';
	like $ask->('eve', $theirs, $hidden), qr/^404 /, '... by no other workspace';
}
like told(eve => GET => "/w/$ws/library"), qr/^404 /, 'an outsider knows of no library';
like told(eve => GET => "/library/$own"), qr/^404 /, 'one\'s own is nobody else\'s';
like told(eve => POST => '/library/delete', "file=$own"), qr/^404 /, '... to delete';
like told(ann => GET => "/w/$ws/library/folders/$absent_fld"), qr/^404 /, 'an absent folder';
like told(ben => POST => "/w/$ws/library/" . dlv('shared by form.txt'), 'visibility=private'),
	qr/^403 .*Only the file&#39;s owner can change it/s, 'a member can\'t take a file for themselves';
is $db->selectrow_array('SELECT COUNT(*) FROM deliverable WHERE id IN (?, ?)', undef, $hidden, $own), 2, 'nothing was deleted';
finish($stack);
