# SPDX-License-Identifier: Apache-2.0
# POST /v1/publish as a form with an archive: what is accepted, what is refused, and that a refusal leaves neither a row nor a file.
use utf8;
use Encode qw(encode encode_utf8);
use Compress::Zlib 'crc32';
use Time::HiRes 'sleep';
use Vitrine::Pack;
use Vitrine::Words;

my ($FILES, $FILE, $TOTAL, $ARCHIVE) = (300, 6 << 20, 9 << 20, 4 << 20);
my $stack = Vitrine::Stack->new(publish_per_hour => 100000, max_files => $FILES, max_file_bytes => $FILE, max_version_bytes => $TOTAL,
	max_archive_bytes => $ARCHIVE, grace_s => 0);
my $api = Vitrine::Api->new($stack);
my $ann = $stack->user('ann@example.org');
my $json = Cpanel::JSON::XS->new->utf8->canonical->allow_nonref;

sub address { return '/' . encode_utf8($_[0]) =~ s{([^A-Za-z0-9._~/-])}{sprintf '%%%02X', ord $1}ger }

sub manifest { return $json->encode({ name => 'Archive', visibility => 'public', @_ }) }

sub post {
	my ($body, $type) = @_;
	return $api->call(POST => '/v1/publish', { token => $ann->{token}, body => $body, type => $type });
}

sub send_archive {
	my ($bytes, %fields) = @_;
	my $filename = delete $fields{filename} // 'site.zip';
	return post(form(['manifest', manifest(%fields), undef, 'application/json'],
		['archive', $bytes, $filename, 'application/octet-stream']));
}

my @tables = qw(artifact version version_file slug owned_object idempotency);

sub rows { return join ' ', map { "$_=" . $stack->db->selectrow_array("SELECT COUNT(*) FROM $_") } @tables }

sub files_in {
	my $data = "$stack->{dir}/data";
	my @entries = split /\0/, `find @{[join ' ', map { "'$data/$_'" } @_]} -mindepth 1 -print0`;
	return join ' ', sort map { s{^\Q$data/}{}r } @entries;
}

# The web server and the worker tidy up right after they have answered.
sub temporary {
	for (1 .. 200) {
		return '' if files_in('spool', 'trash', map { sprintf 'tmp/%x', $_ } 0 .. 15) eq '';
		sleep 0.01;
	}
	return files_in('spool', 'tmp', 'trash');
}

my ($rows, %kept);
sub mark { ($rows, %kept) = (rows(), map { $_ => 1 } split m{ (?=objects|trees|sites)}, files_in("objects", "trees", "sites")) }

# What is stored now and was not when marked.
sub stored { return join q{ }, grep { !$kept{$_} } split m{ (?=objects|trees|sites)}, files_in("objects", "trees", "sites") }

sub refused {
	my ($r, $status, $code, $name, $like) = @_;
	is $r->{status}, $status, "$name: $status" or diag substr $r->{body}, 0, 300;
	is $r->{json}{code}, $code, "$name: $code";
	like $r->{json}{error}, $like, "$name: says what is wrong" if $like;
	is rows(), $rows, "$name: no row";
	is temporary(), '', "$name: nothing stays in the spool or among the temporaries";
	is substr(stored(), 0, 200), "", "$name: nothing is stored";
	mark() if rows() ne $rows;
}

# ---- accepted

my %names = ('index.html' => '<h1>hello</h1>', 'страницы/привет, мир.html' => 'кириллица', '文档/页面.txt' => '中文', 'emoji/😀 🎉.txt' => '🎈',
	'leer.txt' => '',
	'deep/' . join('/', map { "d$_" } 1 .. 20) . '/f.txt' => 'deep',
	'bin/' . 'n' x 200 . '.bin' => join('', map { chr } 0 .. 255) x 40);
sub entries { return map { [$_, encode_utf8($names{$_})] } sort keys %names }

for (['zip', zip(entries(), ['empty/'], ['empty/also/'])], ['tar.gz', tgz(['./'], ['empty/'], map { ["./$_->[0]", $_->[1]] } entries())],
	['zip in folders with entries of their own', zip(['emoji/'], ['文档/'], entries())]) {
	my ($kind, $bytes) = @$_;
	my $slug = 'ok-' . ($kind =~ s/[^a-z]+/-/gr);
	my $r = send_archive($bytes, slug => $slug, filename => "x.$kind");
	is $r->{status}, 201, "$kind is published" or diag $r->{body};
	my @wrong = grep { $api->get_site($slug, address($_))->{body} ne encode_utf8($names{$_}) } sort keys %names;
	is_deeply \@wrong, [], "$kind: each file is served with its bytes, whatever the script of its name";
	is $api->get_site($slug, '/empty/')->{status}, 404, "$kind: an empty folder is not a page";
	my $list = $api->call(GET => "/v1/artifacts/$r->{json}{artifact}{id}/versions/1/files?limit=200", { token => $ann->{token} });
	is_deeply [sort map { $_->{path} } @{$list->{json}{files}}], [sort keys %names], "$kind: the version has exactly these files"
		if $list->{json}{files};
	is temporary(), '', "$kind: no temporary stays";
}

my $r = send_archive(zip(['index.html', 'x'], ['run.sh', '#!/bin/sh', { mode => 0104755 }]), slug => 'modes');
is $r->{status}, 201, 'executable and set-uid bits are accepted';
my ($art) = $r->{json}{artifact}{id};
my @modes = map { sprintf "%o", (stat $_)[2] & 07777 } grep { -f } glob "$stack->{dir}/data/trees/$art/1/pub/*";
is_deeply [grep { oct($_) & 07111 } @modes], [], 'and dropped';
is send_archive(tgz(['index.html', 'tar']), slug => 'misnamed', filename => 'site.zip')->{status}, 201,
	'a .tar.gz that is named .zip is read as what it is';
is $api->get_site('misnamed', '/')->{body}, 'tar', 'and served';
is send_archive(zip(['index.html', 'zip']), slug => 'misnamed', filename => '../../etc/site.tar.gz')->{status}, 201,
	'a .zip that is named .tar.gz too';
is $api->get_site('misnamed', '/')->{body}, 'zip', 'and served';
is send_archive(zip(['index.html', 'stored', { stored => 1 }]), slug => 'stored')->{status}, 201, 'stored, not deflated';
for (['zip', \&zip], ['tar', \&tgz]) {
	my ($kind, $make) = @$_;
	is send_archive($make->(['index.html', 'x'], ["e\x{301}.txt", $kind]), slug => "nfd-$kind")->{status}, 201,
		"$kind of a system that decomposes names";
	is $api->get_site("nfd-$kind", '/%C3%A9.txt')->{body}, $kind, "$kind: the file is served under the composed name";
}
# Code page 437: ö ß é ñ; an Info-ZIP "Unicode Path" field says another name.
is send_archive(zip(['index.html', 'x'], ["Gr\x94\xe1e/\x82t\x82 a\xa4o.txt", 'dos', { flags => 0 }]), slug => 'dos')->{status}, 201,
	'names as the Explorer of a western Windows writes them';
is $api->get_site('dos', address('Größe/été año.txt'))->{body}, 'dos', '... are what they were there';
my %unicode = (flags => 0, name => "\x82.txt",
	extra => pack('vvCV', 0x7075, 5 + length encode_utf8('名前.txt'), 1, crc32("\x82.txt")) . encode_utf8('名前.txt'));
is send_archive(odd_zip({}, { name => 'index.html', data => 'x' }, { name => 'é', data => 'told', local => {%unicode},
	central => {%unicode} }), slug => 'told')->{status}, 201, 'a name in a field of its own';
is $api->get_site('told', address('名前.txt'))->{body}, 'told', '... counts';
for (['kanji', "\x96\xbc\x91O.txt", qr/^archive: \\x96\\xbc\\x91O\.txt is a name that isn't valid UTF-8; pack it again/],
	['kana', "\x83e\x83X\x83g.txt", qr/^archive: \\x83e\\x83X/]) {
	my $r = send_archive(zip(['index.html', 'x'], [$_->[1], '1', { flags => 0 }]));
	is $r->{status}, 400, "$_->[0] of CP932 are not guessed";
	like $r->{json}{error}, $_->[2], '... and the entry is named';
}

# ---- a folder that somebody packed

my @hidden = map { [$_, 'x'] } 'my site/.env', 'my site/.DS_Store', '__MACOSX/my site/._index.html', 'my site/node_modules/x.js';
my @pages = map { [$_, $_] } 'my site/a.html', 'my site/index.html';
$r = send_archive(zip(@hidden, @pages), slug => 'packed');
is $r->{status}, 201, 'a folder in an archive, as a Mac packs it' or diag $r->{body};
is join(' ', map { $api->get_site('packed', $_)->{status} } '/', '/a', '/.env', '/.DS_Store', '/my%20site/', '/node_modules/x.js'),
	'200 200 404 404 404 404', '... is published as the folder';
is_deeply $r->{json}{warnings}, ['archive: left out 4 files such as my site/.env; publish what is left out by a ! line in .vitrineignore'],
	'... which is said';
for (['zip', \&zip], ['tgz', \&tgz]) {
	my ($kind, $make) = @$_;
	is send_archive($make->(@pages, @hidden, map { ["my site/$_->[0]", $_->[1]] } ['.well-known/x', 'x'], ['drafts/a.html', 'x'],
		['.vitrineignore', "/drafts\n!.env\n"]), slug => "rules-$kind")->{status}, 201, "$kind with rules that come last";
	is join(' ', map { $api->get_site("rules-$kind", $_)->{status} } '/', '/drafts/a', '/.env', '/.well-known/x', '/.vitrineignore'),
		'200 404 200 200 404', '... which hold';
}
is send_archive(zip(@pages, @hidden), slug => 'as-is', files => [{ path => 'my site/.env' }], entrypoint => 'my site/index.html')->{status},
	201, 'with files, an archive is taken as it is';
is $api->get_site('as-is', '/my%20site/.env')->{status}, 200, '... whole';
is send_archive(zip(@pages), slug => 'within', entrypoint => 'my site/a.html')->{status}, 201, 'an entry that names the folder';
is $api->get_site('within', '/my%20site/index.html')->{status}, 200, '... keeps it';
like send_archive(zip(@hidden))->{json}{error}, qr/^archive: has nothing to publish but hidden files, such as my site\/\.env$/,
	'nothing but what is left out';
like send_archive(zip(@pages, ['my site/.vitrineignore', "x\n" x 2000]))->{json}{error},
	qr/^archive: \.vitrineignore has more than 1024 patterns/;
like send_archive(zip(@pages, ['my site/.vitrineignore', '#' x 70000]))->{json}{error},
	qr/^archive: \.vitrineignore has more than 65536 bytes/;
like send_archive(zip(@pages, map { ["d$_/.vitrineignore", 'x'] } 1 .. 9))->{json}{error},
	qr/^archive: has more than 8 files \.vitrineignore/;
$r = send_archive(zip(['index.html', 'one'], ['data.x', '{}']), slug => 'both', files => [{ path => 'data.x', mime => 'application/json' },
	{ path => 'more.txt', content => 'more' }]);
is $r->{status}, 201, 'the manifest may tell a type of what is in the archive, and add files';
like $api->get_site('both', '/data.x')->{headers}{'content-type'}, qr{^application/json}, 'the type is served';
is $api->get_site('both', '/more.txt')->{body}, 'more', 'and so is the file';
is post(form(['archive', zip(['index.html', 'x']), 'a.zip'], ['manifest', manifest(slug => 'order')]))->{status}, 201,
	'the parts may come in either order';
is send_archive(zip(map { ["f$_.txt", $_] } 2 .. $FILES), slug => 'most', entrypoint => 'f2.txt')->{status}, 201,
	'nearly as many files as are allowed';
is send_archive(zip(['index.html', 'x'], ['zeros.bin', "\0" x ((1 << 20) - 1)]), slug => 'zeros')->{status}, 201,
	'a mebibyte of zeros is no bomb';
# What was refused before must not stay refused: the same bytes, later, are fine.
is send_archive(tgz(@{[['index.html', 'x']]}) . "\0" x 512, slug => 'padded')->{status}, 201, 'zeros after a gzip stream are padding';
is send_archive(Compress::Zlib::memGzip(substr $_, 0, 700) . Compress::Zlib::memGzip(substr $_, 700), slug => 'members')->{status}, 201,
	'a gzip of two members'
	for tar(['index.html', 'x']);
is temporary(), '', 'nothing stays after all of these';

# ---- refused: what is in the archive

mark();
my @page = ['index.html', 'x'];
for (
	[zip(@page, ['link', '/etc/passwd', { symlink => 1 }]), 'zip with a symbolic link', qr/link/],
	[tar(@page), 'tar that is not compressed', qr/^archive: /], [tgz(@page) . 'more', 'gzip with something after it', qr/^archive: /],
	[tgz(@page, ['link', '', { type => 2, link => '/etc/passwd' }]), 'tar with a symbolic link', qr/link/],
	[tgz(@page, ['link', '', { type => 2, link => 'index.html' }]), 'tar with a symbolic link that stays inside', qr/link/],
	[tgz(@page, ['hard', '', { type => 1, link => 'index.html' }]), 'tar with a hard link', qr/link/],
	[tgz(@page, ['hard', 'xx', { type => 1, link => '/etc/passwd' }]), 'tar with a hard link that has bytes', qr/link/],
	[tgz(@page, ['dev', '', { type => 3 }]), 'tar with a character device', qr/device/],
	[tgz(@page, ['dev', '', { type => 4 }]), 'tar with a block device', qr/device/],
	[tgz(@page, ['pipe', '', { type => 6 }]), 'tar with a fifo', qr/device/],
	(map { my ($make, $kind) = @$_; map { [$make->(@page, [$_, 'x']), "$kind with the path " . substr($_, 0, 40), qr/^archive: /] }
		'../x', '/etc/x', 'a/../../x', '..', 'a//b', 'a/./b', '..\\x', 'a/b\\c', 'C:/x', "a\x01b", '.git/config', '_vitrine/sw.js',
		'a' x 256, join('/', ('a' x 100) x 11),
		"a\x{202e}b" } [\&zip, 'zip'], [\&tgz, 'tar']),
	(map { my ($make, $kind) = @$_; (
		[$make->(@page, ['a.txt', '1'], ['a.txt', '2']), "$kind with one name twice", qr/a\.txt/],
		[$make->(@page, ['a.txt', '1'], ['A.TXT', '2']), "$kind with names that differ in case", qr/a\.txt.*A\.TXT|A\.TXT.*a\.txt/],
		[$make->(@page, ['straße', '1'], ['STRASSE', '2']), "$kind with names that fold to one", qr/STRASSE/],
		[$make->(@page, ['a', '1'], ['a/b', '2']), "$kind with a file that is also a folder", qr/folder/],
		[$make->(@page, [encode('cp866', 'привет.txt'), '1']), "$kind with a name that is not UTF-8", qr/^archive: /],
		[$make->(['a.html', 'x'], ['b.html', 'y']), "$kind without a first page", qr/^entrypoint/],
		[$make->(), "$kind with nothing in it", qr/^(?:archive|files): /],
		[$make->(['empty/']), "$kind with an empty folder only", qr/^files: /]) } [\&zip, 'zip'], [\&tgz, 'tar']),
	[zip(@page, ['secret', 'x', { encrypted => 1 }]), 'zip with an encrypted file', qr/encrypted/],
	[zip(@page, ['bad.txt', 'x' x 100, { crc => 1 }]), 'zip with a wrong checksum', qr/^archive: /],
	[zip(@page, ['bad.txt', 'x' x 100, { size => 5 }]), 'zip with a wrong size', qr/^archive: /],
	['', 'an empty file', qr/^archive: /], ['x' x 5000, 'what is no archive', qr/^archive: /],
	["PK\3\4", 'four bytes of a zip', qr/^archive: /],
	["\x1f\x8b\x08\x00" . "\0" x 6, 'the head of a gzip', qr/^archive: /],
	[Compress::Zlib::memGzip('x' x 5000), 'gzip of no tar', qr/^archive: /],
	[zip(@page, ['a.bin', 'y' x 5000, { stored => 1 }]) =~ s/yyyy/yzyy/r, 'zip with a flipped bit', qr/^archive: /],
) {
	my ($bytes, $name, $like) = @$_;
	refused(send_archive($bytes), 400, 'INVALID_REQUEST', $name, $like);
}

is qx(find $stack->{dir}/data/trees $stack->{dir}/data/objects -type l ! -path '$stack->{dir}/data/trees/*/live'), '',
	'no archive has made a link where nginx serves files';

# Cut anywhere, it is refused.
srand 7;
my $noise = join '', map { chr int rand 256 } 1 .. 20000;
for (['zip', zip(@page, ['noise.bin', $noise], ['z.txt', 'z'])], ['tar.gz', tgz(@page, ['noise.bin', $noise], ['z.txt', 'z'])]) {
	my ($kind, $bytes) = @$_;
	my $n = length $bytes;
	my ($directory) = $kind eq 'zip' ? index $bytes, "PK\1\2" : int $n / 2;
	my @whole = grep { send_archive(substr($bytes, 0, $_))->{status} == 201 } 1, 10, 30, 100, int $n / 2, $n - 8000, $directory - 1,
		$directory, $directory + 10,
		$n - 60, $n - 23, $n - 10, $n - 1;
	is_deeply \@whole, [], "$kind of $n bytes, cut at any of a dozen places, is refused";
	is rows(), $rows, "$kind, cut: no row";
	is temporary(), '', "$kind, cut: no temporary";
}
my $damaged = tgz(@page, ['noise.bin', $noise]);
substr($damaged, 10000, 1) ^= "\x10";
refused(send_archive($damaged), 400, 'INVALID_REQUEST', 'tar.gz with a flipped bit', qr/^archive: /);
substr($damaged = tgz(@page), -8, 4) = 'oops';
refused(send_archive($damaged), 400, 'INVALID_REQUEST', 'tar.gz with a wrong checksum', qr/^archive: /);

# ---- refused: how much is in it

my $zeros = "\0" x $FILE;
refused(send_archive(zip(@page, ['big.bin', $zeros])), 400, 'INVALID_REQUEST', 'zip that unpacks to more than 200 times its size',
	qr/times/);
refused(send_archive(tgz(@page, ['big.bin', $zeros])), 400, 'INVALID_REQUEST', 'tar that unpacks to more than 200 times its size',
	qr/times/);
my $pad = ['pad.bin', $noise x 4, { stored => 1 }];
refused(send_archive(zip(@page, $pad, ['big.bin', "$zeros."])), 413, 'FILE_TOO_LARGE', 'zip with a file over the limit',
	qr/big\.bin.*$FILE/);
refused(send_archive(tgz(@page, ['noise.bin', join '', map { chr int rand 256 } 1 .. 60000], ['big.bin', "$zeros."])), 413,
	'FILE_TOO_LARGE',
	'tar with a file over the limit', qr/big\.bin.*$FILE/);
refused(send_archive(zip(@page, $pad, map { ["big$_.bin", "\0" x (3 << 20)] } 1 .. 4)), 413, 'BODY_TOO_LARGE',
	'zip over the limit for a version', qr/$TOTAL/);
refused(send_archive(zip(map { ["f$_.html", ''] } 0 .. $FILES)), 413, 'BODY_TOO_LARGE', 'zip with one file too many', qr/$FILES/);
refused(send_archive(tgz(map { ["f$_.html", ''] } 0 .. $FILES)), 413, 'BODY_TOO_LARGE', 'tar with one file too many', qr/$FILES/);
refused(send_archive(zip(@page, map { ["d$_/"] } 1 .. 20000)), 413, 'BODY_TOO_LARGE', 'zip with twenty thousand empty folders',
	qr/folders/);
refused(send_archive(tgz(@page, map { ["d$_/"] } 1 .. 20000)), 413, 'BODY_TOO_LARGE', 'tar with twenty thousand empty folders',
	qr/folders/);
my $large = zip(@page, ['large.bin', $noise x 1, { stored => 1 }], ['more.bin', substr($noise x 220, 0, $ARCHIVE), { stored => 1 }]);
refused(send_archive(tgz(@page, map { ["f$_", Vitrine::Pack::pax('comment', 'x'), { type => 'g' }] } 1 .. 40000)), 400, 'INVALID_REQUEST',
	'tar with forty thousand global headers');
refused(send_archive(Compress::Zlib::memGzip(tar(@page) . "\0" x (20 << 20))), 400, 'INVALID_REQUEST',
	'tar with twenty mebibytes of padding', qr/far more/);
refused(send_archive($large), 413, 'BODY_TOO_LARGE', 'an archive over max_archive_bytes', qr/^archive: .*$ARCHIVE/);
# Two entries whose local headers are one: a bomb by overlap counts what it unpacks.
my $lie = zip(@page, ['big.bin', $zeros, { size => 10 }]);
is send_archive($lie)->{status}, 400, 'a size that lies about a bomb does not help it';
is rows(), $rows, 'and leaves no row';

# ---- refused: the form

my ($zip, $m) = (zip(@page), manifest());
refused(post(form(['archive', $zip, 'a.zip'])), 400, 'INVALID_REQUEST', 'no manifest', qr/manifest/);
refused(post(form(['manifest', $m])), 400, 'INVALID_REQUEST', 'no archive', qr/archive/);
refused(post(form(['manifest', $m], ['archive', $zip, 'a.zip'], ['extra', 'x'])), 400, 'INVALID_REQUEST', 'a part too many', qr/extra/);
refused(post(form(['manifest', $m], ['manifest', $m], ['archive', $zip, 'a.zip'])), 400, 'INVALID_REQUEST', 'two manifests', qr/manifest/);
refused(post(form(['manifest', $m], ['archive', $zip, 'a.zip'], ['archive', $zip, 'a.zip'])), 400, 'INVALID_REQUEST', 'two archives',
	qr/archive/);
refused(post(form(['manifest', ''], ['archive', $zip, 'a.zip'])), 400, 'INVALID_REQUEST', 'an empty manifest');
refused(post(form(['manifest', '{'], ['archive', $zip, 'a.zip'])), 400, 'INVALID_REQUEST', 'a manifest that is no JSON');
refused(post(form(['manifest', '[]'], ['archive', $zip, 'a.zip'])), 400, 'INVALID_REQUEST', 'a manifest that is no object');
refused(post(form(['manifest', '{"name":"a","name":"b"}'], ['archive', $zip, 'a.zip'])), 400, 'INVALID_REQUEST',
	'a manifest with one member twice');
refused(post(form(['manifest', '{}'], ['archive', $zip, 'a.zip'])), 400, 'INVALID_REQUEST', 'a manifest without a name', qr/^name/);
refused(send_archive($zip, files => [{ path => 'index.html', content => 'other' }]), 400, 'INVALID_REQUEST',
	'a file in the archive and in the manifest', qr/index\.html/);
refused(send_archive($zip, files => [{ path => 'none.txt' }]), 400, 'INVALID_REQUEST',
	'a manifest that tells of what is not in the archive', qr/^files\[0\]/);
refused(send_archive($zip, files => [{ path => '../x', content => '' }]), 400, 'INVALID_REQUEST', 'a bad path in the manifest',
	qr/^files\[0\]\.path/);
refused(send_archive($zip, files => [map { { path => 'index.html' } } 0 .. $FILES]), 413, 'BODY_TOO_LARGE',
	'more files in the manifest than a version may have', qr/$FILES/);
refused(post(form(['', $m], ['archive', $zip, 'a.zip'])), 400, 'INVALID_REQUEST', 'a part with an empty name');
my ($body, $type) = form(['manifest', $m], ['archive', $zip, 'a.zip']);
my ($boundary) = $type =~ /boundary=(.+)/;
for (
	[$body, 'multipart/form-data; boundary=other', 'another boundary'], [$body, 'multipart/form-data', 'no boundary'],
	[$body, 'multipart/form-data; boundary=', 'an empty boundary'],
	[$body, 'multipart/form-data; boundary=' . 'b' x 71, 'a boundary of 71 characters'],
	[$body =~ s/--\r\n\z//r, $type, 'no last boundary'], [substr($body, 0, length($body) - 40), $type, 'cut in the last boundary'],
	[substr($body, 0, 200), $type, 'cut in the first part'], [substr($body, 0, 30), $type, 'cut in the first headers'],
	['', $type, 'nothing'],
	["--$boundary--\r\n", $type, 'no part'], ["\r\n\r\n", $type, 'line ends'],
	[$body =~ s/\r\n/\n/gr, $type, 'bare line feeds'],
	[$body =~ s/Content-Disposition: form-data;/Content-Disposition: form-data;\r\n folded;/r, $type, 'a folded header'],
	[$body =~ s/name="manifest"/name="mani\0fest"/r, $type, 'a NUL in a header'],
	[$body =~ s/; name="manifest"//r, $type, 'a part without a name'],
	[$body =~ s/name="manifest"/name="\xff"/r, $type, 'a name that is not UTF-8'],
	[$body =~ s/\r\n\r\n/"\r\n" . "X: y\r\n" x 100 . "\r\n"/er, $type, 'a hundred headers'],
	[$body =~ s/\r\n\r\n/"\r\nX: " . 'y' x 9000 . "\r\n\r\n"/er, $type, 'a header of nine thousand bytes'],
	[(form(['outer', (form(['manifest', $m], ['archive', $zip, 'a.zip']))[0], undef, 'multipart/mixed; boundary=inner']))[0, 1],
		'a form within the form'],
	[(form(map { ["p$_", 'x'] } 1 .. 100000))[0, 1], 'a hundred thousand parts'],
	[(form(['manifest', $m], map { ['archive', '', 'a.zip'] } 1 .. 100000))[0, 1], 'a hundred thousand empty archives'],
) {
	my ($bytes, $content_type, $name) = @$_;
	refused(post($bytes, $content_type), 400, 'INVALID_REQUEST', "a form with $name");
}
refused(post($body, 'multipart/mixed; boundary=' . $boundary), 415, 'UNSUPPORTED_MEDIA_TYPE', 'multipart that is no form');
refused(post($zip, 'application/zip'), 415, 'UNSUPPORTED_MEDIA_TYPE', 'an archive without a form');
refused($api->call(POST => '/v1/publish', { body => $body, type => $type }), 401, 'UNAUTHENTICATED', 'a form from nobody');

# A caller that goes away in the middle of its body.
{
	my $c = $api->connection('vitrine.localhost');
	syswrite $c,
		"POST /v1/publish HTTP/1.1\r\nHost: vitrine.localhost\r\nAuthorization: Bearer $ann->{token}\r\nContent-Type: $type\r\n"
		. 'Content-Length: ' . length($body) . "\r\n\r\n" . substr $body, 0, 100;
	close $c;
	is temporary(), '', 'a caller that goes away leaves nothing';
	is rows(), $rows, 'and no row';
}

is $stack->ctl('fsck'), 'clean', 'fsck is clean';
is post($body, "multipart/form-data; charset=utf-8; boundary=\"$boundary\"")->{status}, 201,
	'a quoted boundary, and the same form is accepted at last';
finish($stack);
