# SPDX-License-Identifier: Apache-2.0
# Archives that say two things, or something that is not so: each is refused with 400, naming the entry and what is wrong with it, and
# leaves nothing. What honest tools write, however odd, is published byte by byte.
use utf8;
use Compress::Zlib qw(crc32 memGzip);
use Encode qw(decode_utf8 encode_utf8);
use Vitrine::Pack;
use Vitrine::Words;

my ($stack, $api) = stack(publish_per_hour => 100000, publish_failures_per_hour => 100000, max_files => 300, max_file_bytes => 2 << 20,
	max_version_bytes => 4 << 20, max_archive_bytes => 4 << 20);
my $ann = $stack->user('ann@example.org');
my $json = Cpanel::JSON::XS->new->utf8->canonical->allow_nonref;

sub send_archive {
	my ($bytes, %fields) = @_;
	my ($body, $type) = form(['manifest', $json->encode({ name => 'A', visibility => 'public', %fields }), undef, 'application/json'],
		['archive', $bytes, 'a', 'application/octet-stream']);
	return $api->call(POST => '/v1/publish', { token => $ann->{token}, body => $body, type => $type });
}
sub rows {
	return join ' ', map { $stack->db->selectrow_array("SELECT COUNT(*) FROM $_") } qw(artifact version version_file slug owned_object);
}

my %page = (name => 'index.html', data => '<h1>page</h1>');
sub of { my ($name, $data, %more) = @_; return { name => $name, data => $data, %more } }
sub le64 { return pack 'Q<', $_[0] }
sub zip64 { return pack('vv', 1, 8 * @_) . join '', map { le64($_) } @_ }
sub descriptor {
	my ($data, $packed, %o) = @_;
	return ($o{bare} ? '' : "PK\7\10") . pack('V', $o{crc} // crc32($data))
		. ($o{wide} ? le64($packed) . le64($o{size} // length $data) : pack('VV', $packed, $o{size} // length $data));
}
# Written without knowing the size before: it follows.
sub streamed {
	my ($name, $data, %o) = @_;
	my %flag = (flags => 0x808);
	return of($name, $data, stored => 1, after => descriptor($data, length $data, %o),
		local => { %flag, crc => 0, packed => 0, size => 0, %{$o{local} // {}} }, central => { %flag, %{$o{central} // {}} });
}
sub unicode_path {
	my ($for, $name) = @_;
	my $octets = encode_utf8($name);
	return pack('vvCV', 0x7075, 5 + length $octets, 1, crc32($for)) . $octets;
}
sub end64 {
	my (%o) = @_;
	return sub {
		my ($at, $size, $n) = @_;
		return pack('a4 Q< v v V V', "PK\6\6", 44, 45, 45, 0, 0)
			. join('', map { le64($_) } $o{entries} // $n, $o{entries} // $n, $o{size} // $size, $o{at} // $at)
			. pack('a4 V Q< V', "PK\6\7", 0, ($o{where} // 0) + $at + $size, 1);
	};
}

# ---- what honest tools write

my $text = join '', map { "line $_\n" } 1 .. 500;
my %honest = (
	'sizes behind the bytes, with a signature' => odd_zip({}, \%page, streamed('a.txt', $text)),
	'... without' => odd_zip({}, \%page, streamed('a.txt', $text, bare => 1)),
	'... of eight bytes' => odd_zip({}, \%page, streamed('a.txt', $text, wide => 1)),
	'... of eight bytes, without' => odd_zip({}, \%page, streamed('a.txt', $text, wide => 1, bare => 1)),
	'... and before them too' => odd_zip({}, \%page, of('a.txt', $text, stored => 1, after => descriptor($text, length $text),
		local => { flags => 0x808 }, central => { flags => 0x808 })),
	'... before them in an extra field of zeros' => odd_zip({}, \%page,
		streamed('a.txt', $text, wide => 1, local => { packed => 0xffffffff, size => 0xffffffff, extra => zip64(0, 0) })),
	'sizes in an extra field' => odd_zip({}, \%page,
		of('a.txt', $text, stored => 1, local => { packed => 0xffffffff, size => 0xffffffff, extra => zip64((length $text) x 2) },
			central => { packed => 0xffffffff, size => 0xffffffff, extra => zip64((length $text) x 2) })),
	'sizes in an extra field of the first header only' => odd_zip({}, \%page,
		of('a.txt', $text, stored => 1, local => { packed => 0xffffffff, size => 0xffffffff, extra => zip64((length $text) x 2) })),
	'an end of zip64, small as it is' => odd_zip({ before => end64() }, \%page, of('a.txt', $text)),
	'an end of zip64 with the numbers there only' =>
		odd_zip({ before => end64(), entries => 0xffff, size => 0xffffffff, at => 0xffffffff }, \%page, of('a.txt', $text)),
	'extra fields of times, which differ' => odd_zip({}, \%page, of('a.txt', $text,
		local => { extra => pack('vvCVV', 0x5455, 9, 3, 1, 1) }, central => { extra => pack('vvCV', 0x5455, 5, 3, 1) })),
	'a name of Unicode beside one that is not' => odd_zip({}, \%page, of('a.txt', $text), of("caf\x82.txt", 'x', map {
		($_ => { flags => 0, name => "caf\x82.txt", extra => unicode_path("caf\x82.txt", 'café.txt') });
	} qw(local central))),
	'a comment' => odd_zip({ comment => 'made by somebody' }, \%page, of('a.txt', $text)),
	'something removed between' => odd_zip({ gap => 'what was here is no more' }, \%page, of('a.txt', $text)),
	'the directory in another order' => do {
		my @e = (\%page, of('a.txt', $text));
		my $z = odd_zip({}, @e);
		my ($d) = $z =~ /(PK\x01\x02.*)PK\x05\x06/s;
		my ($first, $second) = $d =~ /^(PK\x01\x02.*?)(PK\x01\x02.*)$/s;
		substr($z, index($z, $d), length $d) = $second . $first;
		$z;
	},
	'MS-DOS as the system' => odd_zip({}, { %page, central => { made => 20, attributes => 32 } },
		of('a.txt', $text, central => { made => 20, attributes => 32 }), of('d/', '', central => { made => 20, attributes => 16 })),
	'folders of their own, of mode 0' => odd_zip({}, \%page, of('a.txt', $text), of('folder/', '', mode => 0),
		of('folder/in/', '', mode => 040755)),
	'tar, with nothing behind its end' => memGzip(tar(['index.html', $page{data}], ['a.txt', $text])),
	'tar, without an end' => memGzip(substr tar(['index.html', $page{data}], ['a.txt', $text]), 0, -1024),
	'tar, with binary attributes' => memGzip(tar(['index.html', $page{data}], ['PaxHeader',
		Vitrine::Pack::pax('SCHILY.xattr.com.apple.provenance', "\1\0\0path=\0"), { type => 'x' }], ['a.txt', $text])),
	'tar, with a GNU long name' => memGzip(tar(['index.html', $page{data}], ['././@LongLink', 'd/' x 60 . "x.txt\0", { type => 'L' }],
		['cut', 'long'], ['a.txt', $text])),
	'tar, padded to a block of ten kibibytes' => memGzip(do {
		my $t = tar(['./'], ['./index.html', $page{data}], ['./a.txt', $text]);
		$t . "\0" x (10240 - length($t) % 10240);
	}),
	'tar with a global header, as git writes' => memGzip(tar(['pax_global_header', Vitrine::Pack::pax('comment', 'f' x 40),
		{ type => 'g' }], ['index.html', $page{data}], ['a.txt', $text])),
);
for my $what (sort keys %honest) {
	my $r = send_archive($honest{$what}, slug => 'honest');
	is $r->{status}, 201, "accepted: $what" or diag $r->{body};
	is $api->get_site('honest', '/a.txt')->{body}, $text, '... and served byte by byte';
}
is send_archive($honest{'a name of Unicode beside one that is not'}, slug => 'honest')->{status}, 201, 'a Unicode name';
is $api->get_site('honest', '/caf%C3%A9.txt')->{body}, 'x', '... is the one that counts';

# ---- what says two things

my $rows = rows();
my $data = 'x' x 1000;
my $other = sub { my (%local) = @_; return odd_zip({}, \%page, of('a.txt', $data, local => \%local)) };
my $at_a = index odd_zip({}, \%page, of('a.txt', $data)), "PK\3\4", 4;
my @table = (
	# a .zip: its directory, and what stands before the bytes
	[$other->(name => 'evil.txt'), 'another name before the bytes', qr/a\.txt has a different name in its local header: evil\.txt/],
	[$other->(name => 'a.txtt'), '... which is longer', qr/a\.txt has a different name/],
	[$other->(name => 'A.TXT'), '... in other letters', qr/a\.txt has a different name/],
	[odd_zip({}, \%page, of('a.txt', $data, local => { extra => unicode_path('a.txt', 'b.txt') })),
		'a Unicode name before the bytes only', qr/a\.txt has a different name/],
	[odd_zip({}, \%page, of('a.txt', $data, central => { extra => unicode_path('a.txt', 'b.txt') })), '... or in the directory only',
		qr/a\.txt has a different name/],
	[odd_zip({}, \%page, of('a.txt', $data, local => { extra => unicode_path('a.txt', 'b.txt') },
		central => { extra => unicode_path('a.txt', 'c.txt') })), '... or two', qr/a\.txt has a different name/],
	[odd_zip({}, \%page, of('a.txt', $data, map { $_ => { extra => unicode_path('a.txt', '../b.txt') } } qw(local central))),
		'a Unicode name that leads upward', qr/\.\./],
	[$other->(method => 0), 'another method before the bytes', qr/a\.txt is compressed differently/],
	[$other->(flags => 0x801), 'encrypted before the bytes only', qr/a\.txt is compressed differently/],
	[$other->(flags => 0), 'a name of another character set', qr/a\.txt is compressed differently/],
	[$other->(size => 999), 'another size before the bytes', qr/a\.txt has a different size or checksum/],
	[$other->(packed => 5), '... packed', qr/a\.txt has a different size or checksum/],
	[$other->(crc => 1), 'another checksum', qr/a\.txt has a different size or checksum/],
	[odd_zip({}, \%page, of('a.txt', $data, local => { size => 5 }, central => { size => 5 })), 'a size that is not so', qr/a\.txt/],
	[odd_zip({}, \%page, of('a.txt', $data, local => { size => 5000 }, central => { size => 5000 })), '... too large', qr/a\.txt/],
	[odd_zip({}, \%page, of('a.txt', $data, local => { size => 0 }, central => { size => 0 })), '... nothing', qr/a\.txt/],
	[odd_zip({}, \%page, of('a.txt', $data, stored => 1, local => { size => 500 }, central => { size => 500 })),
		'... of what is not packed', qr/a\.txt isn't compressed, but has two different sizes/],
	[odd_zip({}, \%page, of('a.txt', $data, local => { crc => 1 }, central => { crc => 1 })), 'a checksum that is not so',
		qr/a\.txt can't be read/],
	[odd_zip({}, \%page, of('a.txt', $data, local => { packed => 90000 }, central => { packed => 90000 })),
		'more packed bytes than there are', qr/a\.txt is larger than the archive/],
	[odd_zip({}, \%page, streamed('a.txt', $data, size => 5)), 'another size behind the bytes',
		qr/a\.txt has a different size or checksum after/],
	[odd_zip({}, \%page, streamed('a.txt', $data, crc => 5)), '... another checksum',
		qr/a\.txt has a different size or checksum after/],
	[odd_zip({}, \%page, { %{streamed('a.txt', $data)}, after => '' }), '... nothing',
		qr/a\.txt has a different size or checksum after/],
	[odd_zip({}, \%page, streamed('a.txt', $data, local => { flags => 0x800 })), 'sizes behind the bytes for the directory only',
		qr/a\.txt/],
	[odd_zip({}, \%page, of('a.txt', $data, local => { size => 0xffffffff, packed => 0xffffffff, extra => zip64(1000, 5) })),
		'another size in an extra field', qr/a\.txt has a different size/],
	[odd_zip({}, \%page, of('a.txt', $data, central => { size => 0xffffffff })), 'a size that is nowhere', qr/a\.txt has no size/],
	[odd_zip({}, \%page, of('a.txt', $data, central => { at => 0xffffffff, extra => zip64(0) }, )),
		'a place in an extra field that is another file', qr/a\.txt/],
	[odd_zip({}, \%page, of('a.txt', $data, central => { at => 0xffffffff, extra => zip64(1 << 62) }, )), '... that is beyond the end',
		qr/bytes that it doesn't have/],
	# two entries, one place
	[odd_zip({}, \%page, of('a.txt', $data), { name => 'a.txt',
		central => { at => $at_a, crc => crc32($data), packed => length Vitrine::Pack::deflate_raw($data), size => 1000 } }),
		'an entry twice, at one place', qr/a\.txt and a\.txt overlap/],
	[odd_zip({}, \%page, { %page, data => undef, central => { at => 0, crc => crc32($page{data}),
		packed => length Vitrine::Pack::deflate_raw($page{data}), size => length $page{data} } }), 'the page twice, at one place',
		qr/index\.html and index\.html overlap/],
	[odd_zip({}, \%page, { name => 'b.txt', central => { at => 0, crc => crc32($page{data}),
		packed => length Vitrine::Pack::deflate_raw($page{data}), size => length $page{data} } }), 'a second entry on one header',
		qr/b\.txt has a different name in its local header: index\.html/],
	[do {
		my $inner = odd_zip({}, of('b.txt', 'y'));
		my ($head) = $inner =~ /^(.*?)PK\x01\x02/s;
		odd_zip({}, \%page, of('a.txt', $head, stored => 1), { name => 'b.txt',
			central => { at => $at_a + 35, crc => crc32('y'), packed => length Vitrine::Pack::deflate_raw('y'), size => 1 } });
	},
		'an entry within another', qr/a\.txt and b\.txt overlap/],
	[odd_zip({}, \%page, of('a.txt', '1'), of('a.txt', '2')), 'a name twice', qr/a\.txt and a\.txt are the same path/],
	[odd_zip({}, \%page, of('a.txt', '1'), of('./a.txt', '2')), '... with a dot', qr/a\.txt and a\.txt are the same path/],
	[odd_zip({}, \%page, of('é.txt', '1'), of("e\x{301}.txt", '2')), '... composed and not', qr/are the same path/],
	[odd_zip({}, \%page, of("\x{212b}.txt", '1'), of('Å.txt', '2')), '... a letter and its sign', qr/are the same path/],
	[odd_zip({}, \%page, of('ﬁ.txt', '1'), of('fi.txt', '2')), '... a ligature', qr/are the same path/],
	# the end
	[odd_zip({ entries => 1 }, \%page, of('a.txt', $data)), 'fewer entries than there are', qr/more entries than its end record says/],
	[odd_zip({ entries => 3 }, \%page, of('a.txt', $data)), 'more entries than there are', qr/fewer entries than its end record says/],
	[odd_zip({ entries => 0 }, \%page, of('a.txt', $data)), 'none', qr/more entries than its end record says/],
	[odd_zip({ size => 10 }, \%page), 'a directory of another size', qr/isn't where its end record says/],
	[odd_zip({ at => 10 }, \%page), '... at another place', qr/isn't where its end record says/],
	[odd_zip({ prefix => 'MZ this runs' }, \%page) =~ s/^MZ this runs//r, 'bytes before all that are gone',
		qr/can't be read|is not where/],
	['#!/bin/sh' . odd_zip({}, \%page), 'a program before it', qr/isn't where its end record says/],
	[odd_zip({ disk => 1 }, \%page), 'the last of several parts', qr/multi-part archive/],
	[odd_zip({ after => 'x' }, \%page), 'something behind its end', qr/extra data after its end/],
	[odd_zip({ comment => odd_zip({}, { name => 'index.html', data => 'other' }) }, \%page), 'another .zip as its comment',
		qr/after its end|isn't where its end record says/],
	[odd_zip({}, \%page) . odd_zip({}, { name => 'index.html', data => 'other' }), 'another .zip behind it',
		qr/isn't where its end record says/],
	[odd_zip({ before => end64(entries => 1) }, \%page, of('a.txt', $data)), 'two ends that differ', qr/two end records that differ/],
	[odd_zip({ before => end64(at => 1) }, \%page), '... in where', qr/two end records that differ/],
	[odd_zip({ before => end64(where => 4) }, \%page), 'an end that is elsewhere', qr/isn't where it says/],
	[odd_zip({ entries => 0xffff, size => 0xffffffff, at => 0xffffffff }, \%page), 'an end that is nowhere',
		qr/isn't where its end record says/],
	# names and kinds
	[odd_zip({}, \%page, of("a.txt\0.png", $data)), 'a NUL in a name', qr/a\.txt\\x00\.png has a NUL in its name/],
	[odd_zip({}, \%page, of("\0", $data)), '... which is all of it', qr/\\x00 has a NUL/],
	[odd_zip({}, \%page, of('', $data)), 'no name', qr/without a name/],
	[odd_zip({}, \%page, of('a\\b.txt', $data, central => { made => 20, attributes => 32 })), 'a backslash, from MS-DOS',
		qr/a\\b\.txt must not contain a backslash/],
	[odd_zip({}, \%page, of('..\\b.txt', $data, central => { made => 20, attributes => 32 })), '... upward',
		qr/must not contain a backslash/],
	(map { my ($mode, $what) = @$_; [odd_zip({}, \%page, of('odd', $data, mode => $mode)), $what, qr/odd is a link or a device/] }
		[0010644, 'a FIFO'], [0120777, 'a symbolic link'], [0020644, 'a character device'],
		[0060644, 'a block device'], [0140644, 'a socket'], [0170644, 'a kind nobody knows']),
	[odd_zip({}, \%page, of('odd', $data, mode => 0010644, central => { made => 0x131e, attributes => 0010644 << 16 })),
		'a FIFO, from OS X', qr/odd is a link or a device/],
	[odd_zip({}, \%page, of('odd/', $data)), 'a folder with bytes', qr/odd\/ is a folder but has content/],
	[odd_zip({}, \%page, of('odd', $data, mode => 040755)), 'a folder whose name is a file\'s', qr/odd is a folder, but/],
	[odd_zip({}, \%page, of('odd', '', mode => 040755)), '... and has none', qr/odd is a folder, but/],
	[odd_zip({}, \%page, of('odd', $data, central => { made => 20, attributes => 16 })), '... from MS-DOS', qr/odd is a folder, but/],
	(map { [odd_zip({}, \%page, of("$_/", '')), "a folder named $_", qr/^archive: /] } '../evil', '/evil', 'a/../b', '_vitrine', 'C:',
		"a\nb", 'x' x 256),
	(map {
		my $flag = $_;
		[odd_zip({}, \%page, of('secret', $data, map { $_ => { flags => 0x800 | $flag } } qw(local central))),
			sprintf('encrypted, flag %x', $flag), qr/secret is encrypted/];
	} 1, 0x41, 0x2000),
	(map {
		my $method = $_;
		[odd_zip({}, \%page, of('a.txt', $data, map { $_ => { method => $method } } qw(local central))), "method $method",
			qr/a\.txt uses a compression method other than deflate/];
	} 1, 9, 12, 14, 93, 95, 98, 99),
	# a .tar
	(map {
		my ($header, $what, $like) = @$_;
		[memGzip(tar(@{[['index.html', 'x']]}, ['PaxHeader', join('', map { Vitrine::Pack::pax(@$_) } @$header), { type => 'x' }],
			['a.txt', $data])), "tar, $what", $like];
	}
		[[['path', '../evil']], 'a second name that leads upward', qr/\.\./],
		[[['path', '/etc/evil']], '... from the root', qr/^archive: \/etc/],
		[[['path', "a.txt\0.png"]], '... with a NUL', qr/a\.txt has a NUL in its name/],
		[[['comment', "x\0y"], ['mtime', '1.5'], ['path', "\0b"]], '... at its begin', qr/has a NUL/],
		[[['path', 'fine.txt'], ['linkpath', "b\0c"]], '... or of what it links to', qr/b has a NUL/],
		[[['size', 5]], 'a second size', qr/^archive: /], [[['size', -5]], '... less than nothing', qr/^archive: /],
		[[['size', '99999999999']], '... of all', qr/^archive: /],
		[[['GNU.sparse.major', 1], ['GNU.sparse.minor', 0], ['GNU.sparse.name', 'b.txt'], ['GNU.sparse.realsize', 5000]],
			'a sparse file', qr/^archive: /],
		[[['GNU.sparse.size', 90000], ['GNU.sparse.numblocks', 1], ['GNU.sparse.map', '0,1000']], '... with a hole at its end',
			qr/a\.txt/]),
	(map {
		my ($type, $what, $like) = @$_;
		[memGzip(tar(['index.html', 'x'], ['odd', '', { type => $type, link => 'index.html' }])), "tar, $what",
			$like // qr/odd is a link or a device/];
	}
		[1, 'a hard link'], [2, 'a symbolic link'], [3, 'a character device'], [4, 'a block device'], [6, 'a FIFO']),
	[memGzip(tar(['index.html', 'x'], ['././@LongLink', "long.txt\0.png\0", { type => 'L' }], ['a.txt', $data])),
		'tar, a long name with a NUL', qr/long\.txt has a NUL in its name/],
	[memGzip(tar(['index.html', 'x'], ['data.bin', 'y' x 70000], ['PaxHeader', Vitrine::Pack::pax('path', "far.txt\0.png"),
		{ type => 'x' }], ['a.txt', $data])), 'tar, a NUL far behind', qr/far\.txt has a NUL/],
	[memGzip(tar(['index.html', 'x'], ['PaxHeader', Vitrine::Pack::pax('size', 600), { type => 'x' }], ['size.bin', 'y' x 600],
		['PaxHeader', Vitrine::Pack::pax('path', "next.txt\0.png"), { type => 'x' }],
		['a.txt', $data])), 'tar, a NUL behind a size', qr/next\.txt has a NUL/],
	[memGzip(tar(['index.html', 'x'], ['odd/', $data, { type => 0 }])), 'tar, a folder with bytes',
		qr/odd\/ is a folder but has content|odd\//],
	(map { [memGzip(tar(['index.html', 'x'], ["$_/"])), "tar, a folder named $_", qr/^archive: /] } '../evil', '/evil', 'a/../b',
		'_vitrine'),
	[memGzip(tar(['index.html', 'x']) . tar(['more.txt', 'y'])), 'tar, another behind it', qr/after the end of the \.tar/],
	[memGzip(tar(['index.html', 'x']) . 'more'), 'tar, something behind it', qr/after the end of the \.tar/],
	[memGzip(tar(['index.html', 'x']) . "\0" x 300000 . 'more'), '... far behind', qr/after the end of the \.tar/],
	[memGzip(tar(['index.html', 'x'])) . memGzip(tar(['more.txt', 'y'])), 'tar, another as a second member',
		qr/after the end of the \.tar/],
);
for (@table) {
	my ($bytes, $what, $like) = @$_;
	my $r = send_archive($bytes);
	is "$r->{status} $r->{json}{code}", '400 INVALID_REQUEST', "refused: $what" or diag $r->{body};
	like $r->{json}{error}, $like, '... and said';
	is rows(), $rows, '... and nothing of it is kept';
	$rows = rows();
}

# ---- archives of real tools, where they are here

my $dir = "$stack->{dir}/made";
mkdir $dir;
mkdir "$dir/sub";
Vitrine::Stack::spew("$dir/index.html", $page{data});
Vitrine::Stack::spew("$dir/a.txt", $text);
Vitrine::Stack::spew("$dir/sub/$_", '') for 'empty.txt', 'l' x 150, 'größe.txt';
my %tool = ('zip' => 'zip -qr - .', 'zip -0' => 'zip -q0r - .',
	'bsdtar' => 'bsdtar -c --format zip -f - .', 'tar' => 'tar -czf - .', 'tar, posix' => 'tar --format=posix -czf - .',
	'tar of git' => 'git version >/dev/null; export GIT_DIR=../git GIT_WORK_TREE=.; git init -q && git add . '
		. '&& git -c user.name=a -c user.email=a@b commit -qm x && git archive --format=tar.gz HEAD',
	'zip of git' => 'git --git-dir=../git archive --format=zip HEAD', 'jar' => 'jar -cM .',
	'python' => q{python3 -c "import zipfile,sys,io; z=zipfile.ZipFile(sys.stdout.buffer,'w',zipfile.ZIP_DEFLATED); }
		. q{[z.write(n) for n in ('index.html','sub/','sub/empty.txt','a.txt')]; z.close()" },
	'python, zip64' => q{python3 -c "import zipfile,sys,io; b=io.BytesIO(); z=zipfile.ZipFile(b,'w'); z.write('index.html'); }
		. q{f=z.open('a.txt','w',force_zip64=True); f.write(open('a.txt','rb').read()); f.close(); z.close(); }
		. q{sys.stdout.buffer.write(b.getvalue())"});
for my $name ('tar of git', grep { $_ ne 'tar of git' } sort keys %tool) {
	my ($program) = $tool{$name} =~ /^(\w+)/;
	SKIP: {
		skip "no $program here", 2 if system("command -v $program >/dev/null 2>&1");
		my $bytes =
			do { open my $p, '-|', "cd $dir && { $tool{$name}; } 2>$stack->{dir}/tool.log" or die; local $/; binmode $p; <$p> };
		skip "$name: no archive", 2 if length($bytes // '') < 100;
		my $r = send_archive($bytes, slug => 'tools');
		is $r->{status}, 201, "an archive of $name is accepted" or diag $r->{body};
		is $api->get_site('tools', '/a.txt')->{body}, $text, '... and served byte by byte';
	}
}
is $stack->ctl('fsck'), 'clean', 'fsck is clean';
finish($stack);
