# SPDX-License-Identifier: Apache-2.0
# Blobs: files among an artifact's data. What is answered, with its exact keys; each refusal; who may; limits that hold whatever happens at
# the same time; bytes that never run.
use utf8;
use Digest::SHA 'sha256_hex';
use Encode qw(encode_utf8 decode_utf8);
use POSIX ();
use Time::HiRes 'sleep';
use Vitrine::Visitor;
use Vitrine::Words;

my ($most, $room, $files) = (2 << 20, 5 << 20, 12);
my $stack = Vitrine::Stack->new(publish_per_hour => 1000, data_per_minute => 100000, max_blob_bytes => $most,
	max_blob_storage_bytes => $room, max_blobs => $files,
	slow_workers => 8);
my $api = Vitrine::Api->new($stack);
my $db = $stack->db;
my ($ann, $ben, $cid, $dan) = map { $stack->user("$_\@example.org") } qw(ann ben cid dan);
my $made = 0;
sub artifact { my (%o) = @_; return $api->publish($ann, slug => 'site-' . ++$made, visibility => 'public', %o) }
sub part {
	my ($name, $filename, $bytes, $type) = @_;
	return "--B\r\nContent-Disposition: form-data; name=\"$name\"" . (defined $filename ? "; filename=\"$filename\"" : '')
		. ($type ? "\r\nContent-Type: $type" : '') . "\r\n\r\n$bytes\r\n";
}
sub post {
	my ($who, $art, @parts) = @_;
	return $api->call(POST => "/v1/data/$art/blobs", { ($who ? (token => $who->{token}) : ()),
		type => 'multipart/form-data; boundary=B', body => encode_utf8('') . join('', @parts) . "--B--\r\n" });
}
sub put {
	my ($who, $art, $name, $bytes, %h) = @_;
	return $api->call(PUT => "/v1/data/$art/blobs?filename=" . Vitrine::Visitor::escape($name),
		{ ($who ? (token => $who->{token}) : ()), body => $bytes, headers => { 'Content-Type' => 'application/x-anything', %h } });
}
sub list {
	my ($who, $art, $query) = @_;
	return $api->call(GET => "/v1/data/$art/blobs" . ($query ? "?$query" : ''), { ($who ? (token => $who->{token}) : ()) });
}
sub get {
	my ($who, $art, $id, %h) = @_;
	return $api->call(GET => "/v1/data/$art/blobs/$id", { ($who ? (token => $who->{token}) : ()), headers => \%h });
}
sub content {
	my ($who, $art, $id, %h) = @_;
	return $api->call(GET => "/v1/data/$art/blobs/$id/content", { ($who ? (token => $who->{token}) : ()), headers => \%h });
}
sub refused {
	my ($r, $status, $code, $what, $like) = @_;
	is "$r->{status} " . ($r->{json}{code} // ''), "$status $code", $what or diag $r->{body};
	like $r->{json}{error}, $like, '... and says why' if $like;
}
sub counted {
	my ($art) = @_;
	return join ' ', map { $_ // 0 } $db->selectrow_array('SELECT blobs, bytes FROM blob_usage WHERE artifact_id = ?', undef, $art);
}
sub summed {
	my ($art) = @_;
	return join ' ',
		$db->selectrow_array('SELECT COUNT(*), COALESCE(SUM(size_bytes), 0) FROM artifact_blob WHERE artifact_id = ?', undef, $art);
}
sub spooled { return [grep { -f } glob "$stack->{dir}/data/spool/*"] }

my $png = "\x89PNG\r\n\x1a\n" . "\0\xff" x 50;
my $art = artifact();

# ---- the happy path

my $r = post($ann, $art, part('file', 'photo.png', $png, 'image/png'));
is $r->{status}, 201, 'a form with a file' or diag $r->{body};
my $blob = $r->{json}{data};
like $blob->{id}, qr/^blb_[0-9a-z]{26}$/, 'id';
is "$blob->{filename} $blob->{mimeType} $blob->{size}", 'photo.png image/png ' . length $png, 'filename, mimeType, size';
like $blob->{createdAt}, qr/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, 'createdAt';
is $blob->{url}, "https://vitrine.localhost:$stack->{port}/v1/data/$art/blobs/$blob->{id}/content", 'url';
is $r->{headers}{location}, "/v1/data/$art/blobs/$blob->{id}", 'Location';
is_deeply get($ann, $art, $blob->{id})->{json}{data}, $blob, 'its record is the same';
is content($ann, $art, $blob->{id})->{body}, $png, 'its bytes come back';
is post($ann, $art, part('file', 'a.png', $png), part('filename', undef, encode_utf8('фото.png')))->{json}{data}{filename}, 'фото.png',
	'a filename of its own';
is post($ann, $art, part('filename', undef, 'b.png'), part('file', undef, $png))->{json}{data}{filename}, 'b.png',
	'in any order, the part without one';
is post($ann, $art, part('file', undef, $png))->{json}{data}{filename}, 'file', 'and with none at all';
# As other languages' libraries write a part's header.
my $forms = artifact();
for (['form-data;name=file;filename=a.png', 'a.png', 'tokens'], ['form-data; name = "file" ; filename = "b c.png"', 'b c.png',
	'blanks around'], ['form-data; filename="x;y=z.png"; name=file', 'x;y=z.png', 'a semicolon within quotes, and another order'],
	['form-data; name="file"; filename="a \\"b\\".png"', 'a "b".png', 'quotes with backslashes'],
	['form-data; name="file"; filename="a %22b%22.png"', 'a "b".png', '... and as browsers write them'],
	['form-data; name=file; filename=c d.png', 'c d.png', 'no quotes around a blank'],
	["form-data; name=file; filename=_.png; filename*=utf-8''na%C3%AFve.png", 'naïve.png', 'filename*'],
	["form-data; name=file; filename*=UTF-8'en'%e5%90%8d.png; filename=\"_.png\"", '名.png', '... in front'],
	["form-data; name=file; filename*=latin1''%ef.png; filename=ok.png", 'ok.png', '... of another charset'],
	['form-data; Name="file"; FILENAME="d.png"', 'd.png', 'capitals'],
	['form-data; xname="filename"; name="file"; xfilename="no"; filename="e.png"', 'e.png', 'others beside']) {
	my ($head, $name, $what) = @$_;
	$r = $api->call(POST => "/v1/data/$forms/blobs",
		{ token => $ann->{token}, type => 'multipart/form-data ; charset=utf-8 ; boundary = "B"',
			body => "--B\r\nContent-Disposition: $head\r\n\r\n$png\r\n--B--\r\n" });
	is $r->{json}{data}{filename}, $name, "a form's header: $what" or diag $r->{body};
}
$r = put($ann, $art, 'фото.png', $png);
is "$r->{status} $r->{json}{data}{filename} $r->{json}{data}{mimeType}", '201 фото.png image/png', 'bytes alone' or diag $r->{body};
my $second = $r->{json}{data}{id};
isnt put($ann, $art, 'фото.png', $png)->{json}{data}{id}, $second, 'each time a new one';
is content($ann, $art, $second)->{body}, $png, 'with these bytes';
$r = put($ann, $art, 'empty.bin', '');
is "$r->{status} $r->{json}{data}{size}", '201 0', 'an empty one' or diag $r->{body};
is content($ann, $art, $r->{json}{data}{id})->{body}, '', '... comes back';
is counted($art), summed($art), 'what is counted is what there is';

# ---- repeated

$r = put($ann, $art, 'once.bin', 'x' x 5000, 'Idempotency-Key' => 'k1');
is_deeply put($ann, $art, 'once.bin', 'x' x 5000, 'Idempotency-Key' => 'k1')->{json}, $r->{json},
	'with an Idempotency-Key a repeat gives the first';
refused(put($ann, $art, 'once.bin', 'y' x 5000, 'Idempotency-Key' => 'k1'), 422, 'IDEMPOTENCY_MISMATCH', 'but not with other bytes');
refused(put($ann, $art, 'twice.bin', 'x' x 5000, 'Idempotency-Key' => 'k1'), 422, 'IDEMPOTENCY_MISMATCH', 'nor with another name');

# ---- the list

$r = list($ann, $art);
my @all = map { $_->{id} } @{$r->{json}{data}{blobs}};
is $r->{json}{data}{total}, scalar @all, 'total';
ok !$r->{json}{data}{hasMore}, 'hasMore';
is_deeply \@all, [reverse sort @all], 'newest first';
my @paged;
for (my $offset = 0; ; $offset += 3) {
	my $d = list($ann, $art, "limit=3&offset=$offset")->{json}{data};
	is $d->{total}, scalar @all, "total at $offset";
	push @paged, map { $_->{id} } @{$d->{blobs}};
	is !!$d->{hasMore}, @paged < @all, "hasMore at $offset";
	last if !$d->{hasMore};
}
is_deeply \@paged, \@all, 'in pieces it is the same';
is_deeply list($ann, $art, 'offset=100')->{json}{data}, { blobs => [], total => scalar @all, hasMore => Cpanel::JSON::XS::false },
	'beyond the end';
is_deeply list($ann, artifact())->{json}{data}, { blobs => [], total => 0, hasMore => Cpanel::JSON::XS::false }, 'of none';
refused(list($ann, $art, $_), 400, 'INVALID_REQUEST', "list: $_") for 'offset=1&offset=2';
like list($ann, $art, 'limit=1000')->{json}{warnings}[0], qr/limit/, 'more than 200 is taken as 200, and said';
is list($ann, $art)->{headers}{ratelimit} ? 1 : 0, 1, 'RateLimit is told';
$r = get($ann, $art, $blob->{id});
is get($ann, $art, $blob->{id}, 'If-None-Match' => $r->{headers}{etag})->{status}, 304, 'a record has an ETag';

# ---- the bytes: ranges, conditions, HEAD

$r = content($ann, $art, $blob->{id});
my $etag = $r->{headers}{etag};
like $etag, qr/^"[^"]+"$/, 'a strong ETag';
is $r->{headers}{'accept-ranges'}, 'bytes', 'ranges are taken';
is content($ann, $art, $blob->{id}, 'If-None-Match' => $etag)->{status}, 304, 'unchanged';
$r = content($ann, $art, $blob->{id}, Range => 'bytes=1-3');
is "$r->{status} $r->{body} $r->{headers}{'content-range'}", '206 PNG bytes 1-3/' . length $png, 'a range';
is content($ann, $art, $blob->{id}, Range => 'bytes=1-3', 'If-Range' => $etag)->{status}, 206, 'If-Range with its ETag';
is content($ann, $art, $blob->{id}, Range => 'bytes=1-3', 'If-Range' => '"other"')->{status}, 200, 'If-Range with another';
$r = content($ann, $art, $blob->{id}, Range => 'bytes=9999-', 'X-Request-Id' => 'mine');
refused($r, 416, 'RANGE_NOT_SATISFIABLE', 'beyond the end', qr/Content-Range/);
is "$r->{headers}{'content-range'} $r->{json}{request_id} $r->{headers}{'x-request-id'}", 'bytes */' . length($png) . ' mine mine',
	'how long it is, and which request that was';
is_deeply [@{$r->{headers}}{qw(strict-transport-security x-content-type-options access-control-allow-origin cache-control content-type)}],
	['max-age=31536000', 'nosniff', '*', 'private, no-cache', 'application/json'], 'each header once';
$r = content($ann, $art, $blob->{id}, 'If-Match' => '"other"', 'X-Request-Id' => 'mine');
refused($r, 412, 'PRECONDITION_FAILED', 'If-Match with another ETag', qr/^If-Match/);
is "$r->{json}{request_id} $r->{headers}{'x-request-id'}", 'mine mine', '... and which request that was';
for ([200], [206, Range => 'bytes=1-3'], [304, 'If-None-Match' => $etag]) {
	my ($status, @h) = @$_;
	$r = content($ann, $art, $blob->{id}, @h, 'X-Request-Id' => "id-$status", Origin => 'https://elsewhere.example');
	is "$r->{status} $r->{headers}{'x-request-id'}", "$status id-$status", "$status: whose request it was";
	like join(' ', map { $r->{headers}{$_} // '-' } qw(ratelimit-policy ratelimit x-ratelimit-limit x-ratelimit-remaining
		x-ratelimit-reset)),
		qr/^"default";q=100000;w=60 "default";r=(\d+);t=\d+ 100000 \1 \d+$/, '... and what is left of the limit';
	like $r->{headers}{'access-control-expose-headers'}, qr/X-Request-Id/, '... for scripts elsewhere too';
}
$r = $api->call(GET => "/v1/artifacts/$art/files/index.html", { token => $ann->{token}, headers => { 'X-Request-Id' => 'file' } });
is join(' ', map { $r->{headers}{$_} // '-' } qw(x-request-id ratelimit x-ratelimit-limit)), 'file - -',
	'a published file has the id, and no limit to tell of';
refused($api->call(GET => "/v1/artifacts/$art/files/index.html", { token => $ann->{token}, headers => { Range => 'bytes=9999-' } }), 416,
	'RANGE_NOT_SATISFIABLE', '... and beyond its end');
is $api->call(GET => '/assets/vitrine.css', { headers => { Range => 'bytes=999999999-' } })->{json}{code}, 'RANGE_NOT_SATISFIABLE',
	'beyond the end of what our pages are made of';
$r = $api->call(HEAD => "/v1/data/$art/blobs/$blob->{id}/content", { token => $ann->{token} });
is "$r->{status} $r->{headers}{'content-length'} '$r->{body}'", '200 ' . length($png) . " ''", 'HEAD of the bytes';
is $api->call(HEAD => "/v1/data/$art/blobs/$blob->{id}", { token => $ann->{token} })->{status}, 200, '... and of the record';
is $r->{headers}{'cache-control'}, 'private, no-cache', 'kept by nobody else, and asked about each time';

# ---- types, by bytes and name, never by what the sender says

my $mp4 = "\0\0\0\x18ftypmp42" . "\0" x 40;
for (['page.html', '<h1>x</h1>', 'text/html'], ['page.html', $png, 'image/png'],
	['evil.png', '<script>alert(1)</script>', 'application/octet-stream'],
	['x.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', 'image/svg+xml'],
	['a.js', 'alert(1)', 'text/javascript'], ['a.css', 'a{}', 'text/css'],
	['x.xhtml', '<html/>', 'application/xhtml+xml'], ['x.xml', '<x/>', 'application/xml'], ['doc.pdf', '%PDF-1.7', 'application/pdf'],
	['film.mp4', $mp4, 'video/mp4'], ['no-name', 'x', 'application/octet-stream'],
	['notes.txt', 'hello', 'text/plain'], ['data.json', '{}', 'application/json'], ['photo.JPG', "\xff\xd8\xff\xe0", 'image/jpeg'],
	['fake.jpg', 'GIF89a....', 'image/gif']) {
	my ($name, $bytes, $mime) = @$_;
	my $other = artifact();
	$r = post($ann, $other, part('file', $name, $bytes, 'image/png'));
	is $r->{json}{data}{mimeType}, $mime, "$name: $mime";
	my $h = content(undef, $other, $r->{json}{data}{id})->{headers};
	my $shown = $mime =~ m{^(?:image/(?:png|jpeg|gif)|video/mp4)$};
	my $code = $mime =~ m{html|javascript|css|/xml};
	is $h->{'content-type'}, $code ? 'application/octet-stream' : $mime, "$name: as what it is sent";
	like $h->{'content-disposition'}, $shown ? qr/^inline; / : qr/^attachment; /, "$name: " . ($shown ? 'may be shown' : 'is saved');
	like $h->{'content-security-policy'}, qr/^sandbox; default-src 'none'/, "$name: sandboxed";
	is $h->{'x-content-type-options'}, 'nosniff', "$name: nosniff";
}
$r = content($ann, $art, $second);
is $r->{headers}{'content-disposition'}, 'inline; filename="________.png"; filename*=UTF-8\'\'' . Vitrine::Visitor::escape('фото.png'),
	'a name in another script is sent as RFC 6266 and 8187 say'
	or diag $r->{headers}{'content-disposition'};
$r = put($ann, artifact(), 'a"b%20; x=y.txt', 'x');
is content($ann, $r->{headers}{location} =~ m{/(art_\w+)/}, $r->{json}{data}{id})->{headers}{'content-disposition'},
	'attachment; filename="a_b_20; x=y.txt"; filename*=UTF-8\'\'a%22b%2520%3B%20x%3Dy.txt', 'quotes and escapes as well';

# ---- bad input changes nothing

my $before = summed($art) . $db->selectrow_array('SELECT COUNT(*) FROM artifact_blob');
for (['', qr/filename/], ['.', qr/name/], ['..', qr/name/], ['a/b.txt', qr/folders/], ['a\\b.txt', qr/folders/],
	["a\x{202e}gpj.exe", qr/bidirectional formatting/i], ["a\nb", qr/control/], ["a\x{7f}", qr/control/],
	['a' x 256, qr/255/], ['ж' x 128, qr/255/]) {
	my ($name, $like) = @$_;
	my $shown = encode_utf8(substr $name, 0, 12) =~ s/[^ -~]/?/gr;
	refused(put($ann, $art, $name, 'x'), 400, 'INVALID_REQUEST', "bytes alone: a name like '$shown'", qr/filename/);
	refused(post($ann, $art, part('file', 'ok.txt', 'x'), part('filename', undef, encode_utf8($name))), 400, 'INVALID_REQUEST',
		"a form: '$shown'", qr/filename/);
}
refused($api->call(PUT => "/v1/data/$art/blobs", { token => $ann->{token}, body => 'x' }), 400, 'INVALID_REQUEST',
	'bytes alone without a name', qr/filename/);
refused(post($ann, $art, part('filename', undef, 'x')), 400, 'INVALID_REQUEST', 'a form without a file', qr/^file:/);
refused(post($ann, $art, part('file', 'a', 'x'), part('file', 'b', 'y')), 400, 'INVALID_REQUEST', 'two files');
refused(post($ann, $art, part('file', 'a', 'x'), part('other', undef, 'y')), 400, 'INVALID_REQUEST', 'a part of another name', qr/other/);
refused(post($ann, $art, part('filename', undef, "a\0b"), part('file', 'a', 'x')), 400, 'INVALID_REQUEST', 'a NUL in the name');
refused($api->call(POST => "/v1/data/$art/blobs", { token => $ann->{token}, json => {} }), 415, 'UNSUPPORTED_MEDIA_TYPE', 'JSON',
	qr{multipart/form-data});
refused($api->call(POST => "/v1/data/$art/blobs", { token => $ann->{token}, body => 'x', type => 'text/plain' }), 415,
	'UNSUPPORTED_MEDIA_TYPE', 'text', qr{multipart/form-data});
refused($api->call(POST => "/v1/data/$art/blobs", { token => $ann->{token},
		body => "--B\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nx", type => 'multipart/form-data; boundary=B' }), 400,
	'INVALID_REQUEST', 'a form that is cut off', qr/boundary/);
# A body that never comes: what its headers say is refused before it.
for (['type' => '415 UNSUPPORTED_MEDIA_TYPE', 'Content-Type: text/plain'],
	['key' => '400 INVALID_REQUEST', "Idempotency-Key: a\tb\r\nContent-Type: multipart/form-data; boundary=B"],
	['length' => '413 FILE_TOO_LARGE', 'Content-Type: multipart/form-data; boundary=B', 1 << 50]) {
	my ($what, $code, $headers, $length) = (@$_, 1_100_000);
	my $r = $api->raw('vitrine.localhost', "POST /v1/data/$art/blobs HTTP/1.1\r\nHost: vitrine.localhost\r\n"
		. "Authorization: Bearer $ann->{token}\r\nContent-Length: $length\r\nConnection: close\r\n$headers\r\n\r\n");
	is "$r->{status} $1", $code, "a large body's $what is refused before it is sent"
		if $r->{body} =~ /"code":"(\w+)"/ or fail "$what: $r->{body}";
}
is summed($art) . $db->selectrow_array('SELECT COUNT(*) FROM artifact_blob'), $before, 'no refusal left anything';

# ---- who: the tenant wall, roles, scopes, what a policy opens

my $private = artifact(visibility => 'private');
my $secret = put($ann, $private, 'secret.txt', 'secret')->{json}{data}{id};
$stack->collaborator($private, $ben, 'viewer');
$stack->collaborator($private, $cid, 'editor');
for my $who ([undef, 'nobody'], [$dan, 'a stranger']) {
	my ($user, $name) = @$who;
	refused(list($user, $private), 404, 'NOT_FOUND', "$name: the list of a private artifact");
	refused(get($user, $private, $secret), 404, 'NOT_FOUND', "$name: a record");
	refused(content($user, $private, $secret), 404, 'NOT_FOUND', "$name: its bytes");
	my @told = $user ? (404, 'NOT_FOUND') : (401, 'UNAUTHENTICATED');
	refused(put($user, $private, 'a.txt', 'x'), @told, "$name: to add");
	refused(put($user, $private, 'a.txt', 'x' x 1_500_000), @told, "$name: to add something large");
	refused($api->call(DELETE => "/v1/data/$private/blobs/$secret", { $user ? (token => $user->{token}) : () }), @told,
		"$name: to delete");
}
is content($ben, $private, $secret)->{body}, 'secret', 'a viewer reads';
refused(put($ben, $private, 'a.txt', 'x'), 403, 'ACCESS_DENIED', '... and does not add', qr/blobs\.write/);
refused($api->call(DELETE => "/v1/data/$private/blobs/$secret", { token => $ben->{token} }), 403, 'ACCESS_DENIED', '... nor delete');
is put($cid, $private, 'a.txt', 'x')->{status}, 201, 'an editor adds';
refused(put(undef, $art, 'a.txt', 'x'), 401, 'UNAUTHENTICATED', 'nobody adds to what is public');
refused(put($dan, $art, 'a.txt', 'x'), 403, 'ACCESS_DENIED', 'a stranger neither');
is content(undef, $art, $blob->{id})->{body}, $png, 'but everybody reads it';
refused(get($ann, $private, $blob->{id}), 404, 'NOT_FOUND', "another artifact's blob is none of this one's");
refused(content($ann, $private, $blob->{id}), 404, 'NOT_FOUND', '... its bytes neither');
refused($api->call(DELETE => "/v1/data/$private/blobs/$blob->{id}", { token => $ann->{token} }), 404, 'NOT_FOUND', '... nor to be deleted');
is content($ann, $art, $blob->{id})->{status}, 200, '... it is there';

my $drop = artifact(access_policy =>
	{ blobs => { write => 'viewer.id != null or viewer.id == null', read => "viewer.role in ['owner', 'editor']" } });
my @dropped = map { put($_, $drop, 'gift.txt', 'x')->{json}{data}{id} } $dan, $ann;
ok $dropped[0] && $dropped[1], 'a policy lets strangers add';
refused(put(undef, $drop, 'gift.txt', 'x'), 401, 'UNAUTHENTICATED', 'but nobody who is not signed in, whatever it says');
is list($dan, $drop)->{json}{data}{total}, 0, 'and not see what is there';
refused(get($dan, $drop, $dropped[1]), 404, 'NOT_FOUND', '... not one either');
is list($ann, $drop)->{json}{data}{total}, 2, 'its owner sees all';
refused($api->call(DELETE => "/v1/data/$drop/blobs/$dropped[1]", { token => $dan->{token} }), 404, 'NOT_FOUND', "nobody deletes another's");
is $api->call(DELETE => "/v1/data/$drop/blobs/$dropped[0]", { token => $dan->{token} })->{status}, 200, 'who added it may delete it';
my $members = artifact(access_policy => { default => 'viewer' });
refused(put($dan, $members, 'a.txt', 'x'), 403, 'ACCESS_DENIED', 'a default keeps strangers out');
is list(undef, $members)->{json}{data}{total}, 0, '... from reading, too';

# ---- deleted

my $gone = put($ann, $art, 'gone.txt', 'gone')->{json}{data}{id} // $all[0];
is_deeply $api->call(DELETE => "/v1/data/$art/blobs/$gone", { token => $ann->{token} })->{json},
	{ success => Cpanel::JSON::XS::true }, 'deleted';
refused($_->($ann, $art, $gone), 404, 'NOT_FOUND', 'is gone') for \&get, \&content;
refused($api->call(DELETE => "/v1/data/$art/blobs/$gone", { token => $ann->{token} }), 404, 'NOT_FOUND', 'and not deleted twice');
is counted($art), summed($art), 'the counts are right';
$api->call(DELETE => "/v1/artifacts/$private", { token => $ann->{token} });
refused(content($ann, $private, $secret), 404, 'NOT_FOUND', 'what is in the trash has no data');
$api->call(POST => "/v1/artifacts/$private/restore", { token => $ann->{token} });
is content($ann, $private, $secret)->{body}, 'secret', 'and taken back, it has it again';

# ---- limits, one after another

my $full = artifact();
$r = put($ann, $full, 'large.bin', 'x' x ($most + 1));
refused($r, 413, 'FILE_TOO_LARGE', 'a file of one byte too many', qr{limit of 2\.0 MB});
is_deeply $r->{json}{details}, { used => $most + 1, limit => $most, unit => 'bytes' }, '... with used and limit';
refused(post($ann, $full, part('file', 'large.bin', 'x' x ($most + 1))), 413, 'FILE_TOO_LARGE', 'in a form too', qr{limit of 2\.0 MB});
$r = put($ann, $full, 'huge.bin', 'x' x ($most + 200_000));
refused($r, 413, 'FILE_TOO_LARGE', 'what nginx refuses says the same', qr{limit of 2\.0 MB});
is_deeply $r->{json}{details}, { used => $most + 200_000, limit => $most, unit => 'bytes' }, '... with used and limit';
is counted($full), '', 'and nothing is counted' or diag counted($full);
is put($ann, $full, "$_.bin", $_ x $most)->{status}, 201, 'one as large as allowed' for 1, 2;
$r = put($ann, $full, 'more.bin', 'x' x ($room - 2 * $most + 1));
refused($r, 413, 'STORAGE_FULL', 'no room for one byte more', qr/$room/);
is_deeply $r->{json}{details}, { used => 2 * $most, limit => $room, unit => 'bytes' }, '... with used and limit';
is put($ann, $full, 'fits.bin', 'x' x ($room - 2 * $most))->{status}, 201, 'what fits, fits';
refused(post($ann, $full, part('file', 'x', 'x')), 413, 'STORAGE_FULL', 'then it is full');
is put($ann, $full, 'empty', '')->{status}, 201, 'to the byte';
is counted($full), summed($full), 'the counts are right';
is_deeply spooled(), [], 'nothing is left in the spool';

$stack->ctl_in("the password\n", qw(user password), $ann->{email});
my $page = Vitrine::Visitor->new($api);
$page->sign_in($ann->{email}, 'the password');
like $page->go("/a/$full/data/blobs")->{text}, qr/Up to 2\.0 MB each\..*5\.0 MB of 5\.0 MB used/s,
	'the page tells sizes as the limits are told';
my $many = artifact();
is put($ann, $many, "$_", 'x')->{status}, 201 for 1 .. $files;
refused(put($ann, $many, 'more', 'x'), 413, 'STORAGE_FULL', 'nor for one file more',
	qr/^The artifact has $files uploaded files; the maximum is $files, so delete some first$/);

# ---- limits, all at once

# Many at once; a slow pool that is busy with one's other requests says so, and is asked again.
sub storm {
	my ($n, $do) = @_;
	my @kids = map {
		my $i = $_;
		my $pid = fork // die;
		if (!$pid) {
			my $mine = Vitrine::Api->new($stack);
			my $r;
			for (1 .. 200) { $r = $do->($mine, $i); last if $r->{status} != 429; sleep 0.05 }
			POSIX::_exit($r->{status} == 201 || $r->{status} == 200 ? 0 : $r->{status} == 413 ? 1
				: $r->{status} == 404 ? 2 : 3);
		}
		$pid;
	} 1 .. $n;
	my %how;
	for (@kids) { waitpid $_, 0; $how{$? >> 8}++ }
	return \%how;
}
for my $round (1 .. 8) {
	my $fresh = artifact();
	my $how = storm(6, sub { $_[0]->call(PUT => "/v1/data/$fresh/blobs?filename=$_[1].txt", { token => $ann->{token}, body => 'x' }) });
	is_deeply $how, { 0 => 6 }, 'the first files of an artifact, at once, are all taken' or diag explain $how;
}
my $crowded = artifact();
my $how = storm(30, sub { $_[0]->call(PUT => "/v1/data/$crowded/blobs?filename=$_[1].txt", { token => $ann->{token}, body => "x$_[1]" }) });
is_deeply $how, { 0 => $files, 1 => 30 - $files }, "of 30 at once, $files are taken" or diag explain $how;
is counted($crowded), summed($crowded), 'and counted';
my $heavy = artifact();
$how = storm(10, sub {
	$_[0]->call(PUT => "/v1/data/$heavy/blobs?filename=$_[1].bin", { token => $ann->{token}, body => chr(64 + $_[1]) x (1 << 20) });
});
is_deeply $how, { 0 => 5, 1 => 5 }, 'of ten mebibytes at once, five are taken' or diag explain $how;
is counted($heavy), "5 $room", 'to the byte';
my @there = map { $_->{id} } @{list($ann, $heavy)->{json}{data}{blobs}};
$how = storm(10, sub { $_[0]->call(DELETE => "/v1/data/$heavy/blobs/$there[$_[1] % 5]", { token => $ann->{token} }) });
is_deeply $how, { 0 => 5, 2 => 5 }, 'each is deleted once' or diag explain $how;
is counted($heavy), '0 0', 'and counted once';

# ---- a purge while files come

my $doomed = artifact();
put($ann, $doomed, 'first.txt', 'x');
my $pid = fork // die;
if (!$pid) {
	my $mine = Vitrine::Api->new($stack);
	for (1 .. 40) { $mine->call(PUT => "/v1/data/$doomed/blobs?filename=$_.txt", { token => $ann->{token}, body => 'x' }) }
	POSIX::_exit(0);
}
sleep 0.1;
is $api->call(DELETE => "/v1/artifacts/$doomed?purge=1", { token => $ann->{token} })->{status}, 200, 'purged';
$stack->runner for 1 .. 3;
waitpid $pid, 0;
$stack->runner;
is summed($doomed), '0 0', 'none is left behind';
is counted($doomed), '', 'nor counted';

is $stack->ctl('fsck'), 'clean', 'fsck is clean';
is_deeply spooled(), [], 'nothing is left in the spool';
finish($stack);
