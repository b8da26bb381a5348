# SPDX-License-Identifier: Apache-2.0
# Uploads in the browser: chosen and dropped, with progress, shown, deleted after a question; a plain form without script; a page that uses
# them on its own host, where nothing of them runs. Each page is looked at in both widths and both themes.
use utf8;
use Cpanel::JSON::XS ();
use MIME::Base64;
use Vitrine::Browser;
use Vitrine::Words;

my ($stack, $api, $db) = stack(max_blob_bytes => 3 << 20, max_blobs => 60);
my $app = "https://vitrine.localhost:$stack->{port}";
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for keys %user;
my $page = <<'END';
<!doctype html><title>Guest book</title><h1>Guest book</h1>
<form><input type="file" name="f"></form><p id="said"></p><img id="shown" alt="">
<script>
document.forms[0].f.onchange = async e => {
	const f = e.target.files[0];
	const r = await fetch('/v1/data/self/blobs?filename=' + encodeURIComponent(f.name), { method: 'PUT', body: f });
	const j = await r.json();
	document.getElementById('said').textContent = r.status + ' ' + (j.data?.url || j.error);
	if (j.data) document.getElementById('shown').src = j.data.url;
};
</script>
END
my $art = $api->publish($user{ann}, name => 'Guest book', slug => 'guests', visibility => 'private', files => { 'index.html' => $page });
$db->do("INSERT INTO collaborator (artifact_id, user_id, role, created_at) VALUES (?, ?, 'viewer', 0)", undef, $art, $user{ben}{id});
my ($ann, $ben) = map { Vitrine::Browser->new($stack, @$_) } [width => 1280, height => 900], [width => 390, height => 844, dark => 1];

my $pages = 0;
sub seen {
	my ($b, $name, %o) = @_;
	is join('; ', $b->barriers), '', "$name has no barrier";
	is join('; ', grep { /\Q$app\E/ && !/favicon/ && !($o{missing} && /40[0-9]|413/) } $b->complaints), '',
		"the browser has no complaint about $name";
	$b->screenshot(sprintf 'blobs-%02d-%s', ++$pages, $name =~ s/\W+/-/gr);
}
sub file { my ($name, $bytes) = @_; Vitrine::Stack::spew("$stack->{dir}/$name", $bytes); return "$stack->{dir}/$name" }
sub choose { my ($b, $css, @paths) = @_; $b->attach($css, @paths); return $b }
# A picture of one colour, 40 by 25.
my $png = decode_base64('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==');
my @files = (file('photo.png', $png), file('film.mp4', "\0\0\0\x18ftypmp42" . "\0" x 2_000_000), file('report <b>&amp;.pdf', '%PDF-1.7 x'),
	file('page.html', '<script>document.title = "ran"</script>'));

$ann->sign_in('ann@example.org', 'the password');
$ann->go("$app/a/$art/data/blobs");
$ann->wait_text(qr/No uploads yet/);
seen($ann, 'no uploads yet');
choose($ann, 'form.drop input[type=file]', @files);
$ann->click('form.drop button');
$ann->wait_text(qr/Uploaded\./);
like $ann->text('main'), qr/page\.html.*report <b>&amp;\.pdf.*film\.mp4.*photo\.png/s, 'all of them, the newest first';
is $db->selectrow_array('SELECT COUNT(*) FROM artifact_blob WHERE artifact_id = ?', undef, $art), 4, 'each is one';
like $ann->text('main'), qr/4 of 60 files/, 'how many there may be';
is $ann->script('const i = document.querySelector(".rows img"); await i.decode(); return i.naturalWidth'), 1, 'a picture is shown';
seen($ann, 'uploads');

choose($ann, 'form.drop input[type=file]', file('large.bin', 'x' x (3 << 20) . 'x'));
$ann->click('form.drop button');
$ann->wait_text(qr{limit of 3\.0 MB});
seen($ann, 'one that is too large', missing => 1);

# ---- what somebody with a role to look sees

$ben->sign_in('ben@example.org', 'the password');
$ben->go("$app/a/$art/data/blobs");
$ben->wait_text(qr/photo\.png/);
unlike $ben->text('main'), qr/Upload\b(?!s)|Delete/, 'is not offered what only others may';
seen($ben, 'uploads, narrow and dark');

# ---- deleted, after a question

$ann->go("$app/a/$art/data/blobs");
$ann->click('.rows li:first-child a[href$="/delete"]');
$ann->wait_text(qr/Delete page\.html\?.*undone/s);
seen($ann, 'to delete?');
$ann->click('button.danger');
$ann->wait_text(qr/Deleted\./);
unlike $ann->text('.rows'), qr/page\.html/, 'gone';

# ---- no script

$ann->go("$app/a/$art/data/blobs");
$ann->script('const f = document.getElementById("upload"); f.replaceWith(f.cloneNode(true))');
choose($ann, 'form.drop input[type=file]', @files[0, 2]);
$ann->script('document.getElementById("upload").submit()');
$ann->wait_text(qr/Uploaded\./);
is $db->selectrow_array('SELECT COUNT(*) FROM artifact_blob WHERE artifact_id = ?', undef, $art), 5,
	'a form that no script touches uploads, too';

# ---- many

$db->do("INSERT INTO artifact_blob SELECT CONCAT('blb_', LPAD(seq, 26, '0')), artifact_id, CONCAT('file-', seq, '.txt'), 'text/plain', "
	. "sha256, size_bytes, NULL, 0 FROM artifact_blob JOIN seq_1_to_55 WHERE filename = 'film.mp4'");
$db->do('UPDATE blob_usage SET blobs = blobs + 55');
$ann->go("$app/a/$art/data/blobs");
$ann->follow('Next');
$ann->wait_text(qr/file-1\.txt/);
like $ann->text('main'), qr/by someone not signed in/, 'who added what';
seen($ann, 'the second page');
$ann->follow('Previous');
$ann->wait_text(qr/film\.mp4/);
$db->do("DELETE FROM artifact_blob WHERE filename LIKE 'file-%'");
$db->do('UPDATE blob_usage SET blobs = 5');

# ---- a page on its own host

$ann->go("https://guests.pages.localhost:$stack->{port}/");
$ann->wait_text(qr/Guest book/);
$ann->go("https://guests.pages.localhost:$stack->{port}/");
choose($ann, 'input[type=file]', $files[0]);
my ($url) = $ann->wait_text(qr{201 (https://\S+)}) =~ m{201 (https://\S+)};
like $url, qr{^https://guests\.pages\.localhost:\d+/v1/data/$art/blobs/blb_\w+/content$}, 'it adds a picture, which has an address there';
Vitrine::Stack::wait_for('the picture', 60,
	sub { $ann->script('const i = document.getElementById("shown"); return i.complete && i.naturalWidth == 1') });
pass 'and shows it, though the page is private';
is $api->site(GET => 'guests', $url =~ s{^https://[^/]+}{}r)->{status}, 404, 'which nobody else sees';
choose($ann, 'input[type=file]', $files[1]);
like $ann->wait_text(qr{201 (?!\Q$url\E)\S|413}), qr/201/, 'a film of two megabytes, of which a worker is asked first';
choose($ann, 'input[type=file]', "$stack->{dir}/large.bin");
like $ann->wait_text(qr/413/), qr{413 The file .*larger than the limit of 3\.0 MB},
	'one that is too large is refused there in the same words';
for ([PUT => '?filename=x'], [POST => '']) {
	my $r = $api->request($_->[0], 'guests.pages.localhost', "/v1/data/self/blobs$_->[1]",
		{ 'Content-Type' => 'multipart/form-data; boundary=B' }, 'x' x 1_500_000);
	is $r->{status}, 401, "$_->[0] by nobody, to a page that is private";
	is Cpanel::JSON::XS::decode_json($r->{body})->{code}, 'UNAUTHENTICATED', '... is told as everywhere';
}
choose($ann, 'input[type=file]', file('evil.html', '<script>document.title = "ran"</script>'));
($url) = $ann->wait_text(qr{201 https://\S+}) =~ m{201 (https://\S+)};
$ann->script('const f = document.createElement("iframe"); f.src = arguments[0]; f.id = "evil"; document.body.append(f); '
	. 'const s = document.createElement("script"); s.src = arguments[0]; document.body.append(s)', $url);
my $js = file('evil.js', 'document.title = "ran"');
choose($ann, 'input[type=file]', $js);
Vitrine::Stack::wait_for('the script', 60, sub {
	($url) = ($ann->text('#said') =~ m{201 (https://\S+)})[0];
	$db->selectrow_array("SELECT COUNT(*) FROM artifact_blob WHERE filename = 'evil.js'");
});
my $loaded = $ann->script_async('const done = arguments[1], s = document.createElement("script"); s.onload = () => done("ran"); '
	. 's.onerror = () => done("refused"); s.src = document.getElementById("said").textContent.slice(4); document.body.append(s)', $url);
is $loaded, 'refused', 'a script that was uploaded is no script, even to a page that loads it';
is $ann->title, 'Guest book', 'nothing of what was uploaded has run';
finish($stack);
