# SPDX-License-Identifier: Apache-2.0
# vitrine blob: several files go and come whole, by name or id, and a service that lies can't make the client write elsewhere.
use utf8;
use Encode 'encode_utf8';
use Vitrine::Words;

my ($stack, $api, $db) = stack(max_blob_bytes => 4 << 20);
my $ann = $stack->user('ann@example.org');
my $dir = $stack->{dir};
my $art = $api->publish($ann, slug => 'site', visibility => 'private');
sub client { return $stack->client($ann->{token}, @_) }
sub fine { my ($status, $out, $err) = client(@_); is $status, 0, encode_utf8("@_") or diag $err; return wantarray ? ($out, $err) : $out }
sub refused {
	my ($expected, $like, @args) = @_;
	my ($status, $out, $err) = client(@args);
	is $status, $expected, "refused: @args" or diag $out;
	like $err, $like, '... and says why';
}
my @of = (qw(--artifact site));

my $large = 'x' x (3 << 20) . 'end';
Vitrine::Stack::spew("$dir/photo.png", "\x89PNG\r\n\x1a\nbytes");
Vitrine::Stack::spew("$dir/large.bin", $large);
Vitrine::Stack::spew("$dir/empty", '');
my @urls = split /\n/, fine(qw(blob put), "$dir/photo.png", "$dir/large.bin", "$dir/empty", @of);
is scalar @urls, 3, 'an address each';
like $urls[0], qr{^https://\S+/v1/data/$art/blobs/blb_\w+/content$}, 'which is that of its bytes';
my ($id) = $urls[1] =~ /(blb_\w+)/;
is $api->call(GET => "/v1/data/$art/blobs/$id/content", { token => $ann->{token} })->{body}, $large, 'the bytes are there';
my $list = fine('blob', 'list', @of);
like $list, qr/^blb_\w+ +0 bytes  \S+Z  empty\nblb_\w+ +3\.0 MB  \S+Z  large\.bin\n.*photo\.png$/s, 'listed, the newest first';
is scalar @{decode_json(fine(qw(blob list --json), @of))->{data}{blobs}}, 3, 'as JSON too';

mkdir "$dir/to";
chdir "$dir/to";
fine(qw(blob get large.bin photo.png), @of);
is Vitrine::Stack::slurp("$dir/to/large.bin"), $large, 'fetched by name';
is join(' ', sort map { s{.*/}{}r } glob "$dir/to/.v* $dir/to/*"), 'large.bin photo.png', 'and nothing else is left there';
refused(1, qr/already exists/, qw(blob get large.bin), @of);
is fine(qw(blob get large.bin --out), "$dir/to/again.bin", @of), "$dir/to/again.bin\n", 'under another name';
is Vitrine::Stack::slurp("$dir/to/again.bin"), $large, '... it is the same';
unlink "$dir/to/again.bin";
is fine(qw(blob get photo.png --out -), @of), Vitrine::Stack::slurp("$dir/photo.png"), 'to standard output';
ok !-e "$dir/to/-", '... and no file';
refused(1, qr/already exists/, qw(blob get photo.png --out large.bin), @of);
refused(2, qr/--out: goes with vitrine blob get, a single file, and without --to/, @$_, qw(--out x), @of)
	for [qw(blob get a b)], [qw(blob get a --to .)], [qw(blob put a)];
refused(2, qr/--out: \S+ isn't the name of a file/, qw(blob get photo.png --out), $_, @of) for '..', 'x/', '.vitrine.json';
mkdir "$dir/other";
fine('blob', 'get', $id, '--to', "$dir/other", @of);
is -s "$dir/other/large.bin", length $large, 'by id, into a folder';
refused(1, qr/no file has this name/, qw(blob get nothing.txt), @of);
refused(1, qr/No such file/, qw(blob put), "$dir/none", @of);
refused(1, qr/isn't a regular file/, qw(blob put), $dir, @of);
Vitrine::Stack::spew("$dir/huge.bin", 'x' x (5 << 20));
refused(1, qr{^vitrine: \Q$dir\E/huge\.bin: The file is larger than the limit of 4\.0 MB$}m, qw(blob put), "$dir/huge.bin", @of);
refused(2, qr/^vitrine: frobnicate isn't a command of vitrine blob; write one of put\|get\|list\|rm$/, qw(blob frobnicate), @of);
refused(2, qr/^vitrine: lsit isn't a command of vitrine blob; did you mean vitrine blob list\?$/, qw(blob lsit), @of);
refused(2, qr/^vitrine: FILE is missing\nusage: vitrine blob/, qw(blob get), @of);
refused(1, qr/none of your artifacts/, qw(blob list --artifact none-such));

fine(qw(blob put), "$dir/photo.png", @of);
refused(1, qr/more than one file has this name/, qw(blob rm photo.png), @of);
my ($newest) = map { /^(blb_\w+).*photo\.png/m ? $1 : () } scalar fine(qw(blob list), @of);
fine('blob', 'rm', $newest, @of);
fine(qw(blob rm photo.png empty), @of);
is fine(qw(blob list), @of) =~ tr/\n//, 1, 'removed by name and by id';

# Many, in pages.
$db->do("INSERT INTO artifact_blob SELECT CONCAT('blb_', LPAD(seq, 26, '0')), artifact_id, CONCAT('file-', seq, '.txt'), mime, sha256, "
	. "size_bytes, NULL, 0 FROM artifact_blob JOIN seq_1_to_450 WHERE artifact_id = '$art'");
$db->do('UPDATE blob_usage SET blobs = 451');
is fine(qw(blob list), @of) =~ tr/\n//, 451, 'a list of several pages';
is fine(qw(blob get file-7.txt), @of), "./file-7.txt\n", 'and one found behind them';

# What a service may call a file.
my $at = 'blb_' . sprintf '%026d', 1;
for my $name ('../out.txt', '/etc/x', '.bashrc', '..', "a\x1b[2Jb", '.vitrine.json') {
	$db->do('UPDATE artifact_blob SET filename = ? WHERE id = ?', undef, $name, $at);
	my ($status, $out, $err) = client('blob', 'get', $at, @of);
	isnt $status, 0, 'a name that can be none here: ' . $name =~ s/[^ -~]/?/gr;
	unlike "$out$err", qr/\x1b/, '... and steers no terminal';
}
$db->do("UPDATE artifact_blob SET filename = '.profile' WHERE id = ?", undef, $at);
refused(1, qr/its name makes it a hidden file: \.profile; --out FILE/, qw(blob get .profile), @of);
is join(' ', sort map { s{.*/}{}r } grep { -f } glob "$dir/to/* $dir/to/.[a-z]* $dir/*.txt"), 'file-7.txt large.bin photo.png',
	'nothing was written';
chdir "/";
finish($stack);
