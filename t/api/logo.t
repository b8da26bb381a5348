# SPDX-License-Identifier: Apache-2.0
# A workspace's logo: images are told by their bytes, made anew, kept at an address of their own, and nothing else gets through.
use utf8;
use Compress::Zlib ();
use MIME::Base64;
use Vitrine::Words qw(as refused);

my ($stack, $api, $db) = stack(grace_s => 0);
my ($ann, $ben, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben eve);
# As an encoder makes them: 8 by 6 pixels of rgb(200, 30, 40), the WebP's first row transparent; what the comment says is the file's own.
my $jpeg = decode_base64('/9j/4AAQSkZJRgABAQAAAQABAAD//gAUU0VDUkVULUlOLVRIRS1GSUxF/9sAQwANCQoLCggNCwoLDg4NDxMgFRMSEhMnHB4XIC4p'
	. 'MTAuKS0sMzpKPjM2RjcsLUBXQUZMTlJTUjI+WmFaUGBKUVJP/9sAQwEODg4TERMmFRUmTzUtNU9PT09PT09PT09PT09PT09PT09P'
	. 'T09PT09PT09PT09PT09PT09PT09PT09PT09PT09P/8AAEQgABgAIAwEiAAIRAQMRAf/EAB8AAAEFAQEBAQEBAAAAAAAAAAABAgME'
	. 'BQYHCAkKC//EALUQAAIBAwMCBAMFBQQEAAABfQECAwAEEQUSITFBBhNRYQcicRQygZGhCCNCscEVUtHwJDNicoIJChYXGBkaJSYn'
	. 'KCkqNDU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6g4SFhoeIiYqSk5SVlpeYmZqio6Slpqeoqaqys7S1tre4'
	. 'ubrCw8TFxsfIycrS09TV1tfY2drh4uPk5ebn6Onq8fLz9PX29/j5+v/EAB8BAAMBAQEBAQEBAQEAAAAAAAABAgMEBQYHCAkKC//E'
	. 'ALURAAIBAgQEAwQHBQQEAAECdwABAgMRBAUhMQYSQVEHYXETIjKBCBRCkaGxwQkjM1LwFWJy0QoWJDThJfEXGBkaJicoKSo1Njc4'
	. 'OTpDREVGR0hJSlNUVVZXWFlaY2RlZmdoaWpzdHV2d3h5eoKDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXG'
	. 'x8jJytLT1NXW19jZ2uLj5OXm5+jp6vLz9PX29/j5+v/aAAwDAQACEQMRAD8Aw6KKK4T7A//Z');
my $progressive = decode_base64('/9j/4AAQSkZJRgABAQAAAQABAAD//gAUU0VDUkVULUlOLVRIRS1GSUxF/9sAQwANCQoLCggNCwoLDg4NDxMgFRMSEhMnHB4XIC4p'
	. 'MTAuKS0sMzpKPjM2RjcsLUBXQUZMTlJTUjI+WmFaUGBKUVJP/9sAQwEODg4TERMmFRUmTzUtNU9PT09PT09PT09PT09PT09PT09P'
	. 'T09PT09PT09PT09PT09PT09PT09PT09PT09PT09P/8IAEQgAEAAQAwEiAAIRAQMRAf/EABUAAQEAAAAAAAAAAAAAAAAAAAAE/8QA'
	. 'FQEBAQAAAAAAAAAAAAAAAAAAAwX/2gAMAwEAAhADEAAAAYQFj//EABQQAQAAAAAAAAAAAAAAAAAAACD/2gAIAQEAAQUCH//EABQR'
	. 'AQAAAAAAAAAAAAAAAAAAAAD/2gAIAQMBAT8Bf//EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQIBAT8Bf//EABQQAQAAAAAAAAAA'
	. 'AAAAAAAAACD/2gAIAQEABj8CH//EABQQAQAAAAAAAAAAAAAAAAAAACD/2gAIAQEAAT8hH//aAAwDAQACAAMAAAAQA//EABQRAQAA'
	. 'AAAAAAAAAAAAAAAAAAD/2gAIAQMBAT8Qf//EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQIBAT8Qf//EABQQAQAAAAAAAAAAAAAAAAAAACD/2gAIAQEAAT8QH//Z');
my $cmyk = decode_base64('/9j/7gAOQWRvYmUAZAAAAAAA//4AFFNFQ1JFVC1JTi1USEUtRklMRf/bAEMADQkKCwoIDQsKCw4ODQ8TIBUTEhITJxweFyAuKTEw'
	. 'LiktLDM6Sj4zNkY3LC1AV0FGTE5SU1IyPlphWlBgSlFST//AABQIAAgACARDEQBNEQBZEQBLEQD/xAAfAAABBQEBAQEBAQAAAAAA'
	. 'AAAAAQIDBAUGBwgJCgv/xAC1EAACAQMDAgQDBQUEBAAAAX0BAgMABBEFEiExQQYTUWEHInEUMoGRoQgjQrHBFVLR8CQzYnKCCQoW'
	. 'FxgZGiUmJygpKjQ1Njc4OTpDREVGR0hJSlNUVVZXWFlaY2RlZmdoaWpzdHV2d3h5eoOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmq'
	. 'srO0tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4eLj5OXm5+jp6vHy8/T19vf4+fr/2gAOBEMATQBZAEsAAD8A6yusrrK6yv/Z');
my $webp = decode_base64('UklGRiAAAABXRUJQVlA4TBQAAAAvB0ABEA8wHoM8KPMf8Jj/iP6HDw==');
my $moving = decode_base64('UklGRpQAAABXRUJQVlA4WAoAAAASAAAABwAABQAAQU5JTQYAAAD/////AABBTk1GNAAAAAAAAAAAAAcAAAUAAGQAAAJWUDhMHAAA'
	. 'AC8HQAEQFzAegzwo8x/QAoEA4T9Bgk8PEf1PsANBTk1GLAAAAAEAAAAAAAAAAAEAAGQAAABWUDhMEwAAAC8AQAAQDzAeMzYo8x/wmICI/ocA');
sub chunk { my ($type, $data) = @_; return pack('N', length $data) . $type . $data . pack('N', Compress::Zlib::crc32($type . $data)) }
sub png {
	my ($w, $h, $more) = @_;
	return "\x89PNG\r\n\x1a\n" . chunk('IHDR', pack('NNCCCCC', $w, $h, 8, 2, 0, 0, 0)) . ($more // '')
		. chunk('IDAT', Compress::Zlib::compress(("\0" . "\x20\x40\x80" x $w) x $h)) . chunk('IEND', '');
}
# Width, height and RGBA rows of a PNG as libpng writes it; filters are undone.
sub pixels {
	my ($png) = @_;
	my ($w, $h, undef, $type) = unpack 'NNCC', substr $png, 16, 10;
	my $n = { 2 => 3, 6 => 4 }->{$type} // die "colour type $type";
	my ($data, $at, @rows) = ('', 8);
	while ($at < length $png) {
		my ($len, $kind) = unpack 'Na4', substr $png, $at, 8;
		$data .= substr $png, $at + 8, $len if $kind eq 'IDAT';
		$at += $len + 12;
	}
	my $raw = Compress::Zlib::uncompress($data);
	for my $y (0 .. $h - 1) {
		my ($filter, @b) = unpack 'C*', substr $raw, $y * ($w * $n + 1), $w * $n + 1;
		for my $i (0 .. $#b) {
			my ($l, $u, $ul) = ($i >= $n ? $b[$i - $n] : 0, $y ? $rows[-1][$i] : 0, $y && $i >= $n ? $rows[-1][$i - $n] : 0);
			my ($p, $best) = ($l + $u - $ul);
			($best) = sort { abs($p - $a->[0]) <=> abs($p - $b->[0]) || $a->[1] <=> $b->[1] } [$l, 0], [$u, 1], [$ul, 2];
			$b[$i] = ($b[$i] + (0, $l, $u, int(($l + $u) / 2), $best->[0])[$filter]) % 256;
		}
		push @rows, \@b;
	}
	return ($w, $h, $n, \@rows);
}
my $ws = as($ann, POST => '/v1/workspaces', { name => 'Team', slug => 'team' })->{json}{workspace}{id};
$stack->seat($ws, $ben, 'member');
my $path = "/v1/workspaces/$ws/logo";
sub sent { my ($bytes, %o) = @_; return $api->call(POST => $path, { token => $ann->{token}, body => $bytes, type => 'image/png', %o }) }
sub form {
	my ($bytes, $name) = @_;
	return sent("--b\r\nContent-Disposition: form-data; name=\"$name\"; filename=\"logo.png\"\r\nContent-Type: image/png\r\n\r\n"
		. "$bytes\r\n--b--\r\n", type => 'multipart/form-data; boundary=b');
}
sub bytes_of { my ($url) = @_; return $api->call(GET => $url =~ s{^https://[^/]+}{}r) }
sub logo { return as($ann, GET => "/v1/workspaces/$ws")->{json}{workspace}{logo_url} }

# ---- what is taken

is logo(), undef, 'there is none';
my $r = sent(png(20, 10, chunk('tEXt', "Comment\0SECRET-IN-THE-FILE")));
is $r->{status}, 200, 'a PNG' or diag $r->{body};
my $url = $r->{json}{logo_url};
like $url, qr{^https://vitrine\.localhost:$stack->{port}/v1/logos/[0-9a-f]{32}$}, 'it has an address';
is logo(), $url, 'which the workspace tells';
is as($ann, GET => '/v1/workspaces/by-slug/team')->{json}{workspace}{logo_url}, $url, 'and tells by its slug';
$r = bytes_of($url);
is "$r->{status} $r->{headers}{'content-type'} $r->{headers}{'cache-control'}", '200 image/png public, max-age=31536000, immutable',
	'everybody may see it and keep it';
like $r->{headers}{'content-security-policy'}, qr/sandbox/, 'as nothing but an image';
unlike $r->{body}, qr/SECRET/, 'what the file said beside its pixels is gone';
my ($w, $h, $n, $rows) = pixels($r->{body});
is "$w $h @{$rows->[9]}[0 .. 2]", '20 10 32 64 128', 'the picture is the same';
$r = sent($jpeg, type => 'text/html');
is $r->{status}, 200, 'a JPEG, whatever its type is said to be' or diag $r->{body};
isnt $r->{json}{logo_url}, $url, 'another image has another address';
is bytes_of($url)->{status}, 404, 'and the old one is gone';
$r = bytes_of(logo());
unlike $r->{body}, qr/SECRET/, 'without what the file said';
($w, $h, $n, $rows) = pixels($r->{body});
is "$w $h", '8 6', 'as large as it was';
cmp_ok abs($rows->[3][3 * $n] - 200) + abs($rows->[3][3 * $n + 1] - 30), '<', 12, 'in its colours';
is sent($progressive)->{status}, 200, 'a progressive one';
is form($webp, 'file')->{status}, 200, 'a WebP, as a form';
($w, $h, $n, $rows) = pixels(bytes_of(logo())->{body});
is "$w $h $n $rows->[0][3] @{$rows->[1]}[0 .. 3]", '8 6 4 0 200 30 40 255', 'with what is transparent';
is sent(png(2000, 500))->{status}, 200, 'a large one';
is join(' ', (pixels(bytes_of(logo())->{body}))[0, 1]), '512 128', 'is made smaller, in its shape';
is sent(png(4096, 1))->{status}, 200, 'as large as may be';
is join(' ', (pixels(bytes_of(logo())->{body}))[0, 1]), '512 1', 'however thin';

# ---- what is not

my $before = logo();
refused(sent('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'), '415 UNSUPPORTED_MEDIA_TYPE', 'SVG as png');
refused(form('<svg/>', 'file'), '415 UNSUPPORTED_MEDIA_TYPE', '... in a form');
refused(sent($_->[1]), '415 UNSUPPORTED_MEDIA_TYPE', $_->[0])
	for ['a GIF', "GIF89a\1\0\1\0\0\0\0;"], ['text', 'hello'], ['a page', '<html>'], ['nothing', ''];
refused(form(png(2, 2), 'logo'), '400 INVALID_REQUEST', 'a form without file');
refused(sent($_->[1]), '400 INVALID_REQUEST', $_->[0]) for ['a PNG of 4097 pixels', png(4097, 1)],
	['one that ends early', substr png(300, 300), 0, 200], ['a JPEG that ends early', substr $jpeg, 0, 300],
	['a WebP that ends early', substr $webp, 0, 30], ['a CMYK JPEG', $cmyk], ['a WebP that moves', $moving],
	['no more than a beginning', "\xff\xd8\xff"], ['a bomb', png(60000, 1)];
my $scan = substr $progressive, rindex($progressive, "\xff\xda"), -2;
refused(sent(substr($progressive, 0, -2) . $scan x 200 . "\xff\xd9"), '400 INVALID_REQUEST', 'a JPEG made to be slow');
refused(sent(png(2, 2) . 'x' x (1 << 20)), '413 FILE_TOO_LARGE', 'more than a mebibyte');
refused(sent('x' x (2 << 20)), '413 BODY_TOO_LARGE', 'much more');
is logo(), $before, 'none of it changed anything';

# ---- who may

refused($api->call($_ => $path, { token => $ben->{token}, $_ eq 'POST' ? (body => png(2, 2)) : () }), '403 ACCESS_DENIED', "a member: $_")
	for qw(POST DELETE);
refused($api->call(POST => $path, { body => png(2, 2) }), '401 UNAUTHENTICATED', 'nobody');
refused(as(undef, GET => "/v1/logos/$_"), '404 NOT_FOUND', "the address $_") for '0' x 32, 'x', '0' x 31 . 'G', '..';
is_deeply $db->selectcol_arrayref('SELECT DISTINCT action FROM audit WHERE workspace_id = ? AND action LIKE ?', undef, $ws, 'logo.%'),
	['logo.changed'], 'it is written down';

# ---- its bytes

is $stack->ctl('fsck'), 'clean', 'all is well';
my ($sha) = $db->selectrow_array('SELECT LOWER(HEX(logo_sha256)) FROM workspace WHERE id = ?', undef, $ws);
my $object = "$stack->{dir}/data/objects/" . substr($sha, 0, 2) . "/$sha";
ok -f $object, 'it is an object';
$stack->runner;
ok -f $object, 'which the sweep knows';
is bytes_of($before)->{status}, 200, 'and it is there still';
is as($ann, DELETE => "/v1/workspaces/$ws")->{status}, 200, 'the workspace goes to the trash';
is bytes_of($before)->{status}, 404, 'then its logo is not shown';
is as($ann, POST => "/v1/workspaces/$ws/restore")->{status}, 200, 'and comes back';
is bytes_of($before)->{status}, 200, 'so does its logo';
unlink $object or die;
like join('', ($stack->program('vitrinectl', {}, 'fsck'))[1, 2]), qr/object $sha/, 'fsck misses it';
is as($ann, DELETE => $path)->{status}, 200, 'removed';
is logo(), undef, 'there is none anymore';
is as($ann, DELETE => $path)->{status}, 200, 'once more changes nothing';
is bytes_of($before)->{status}, 404, 'nor is it shown';
finish($stack);
