# SPDX-License-Identifier: Apache-2.0
# Archives and forms as bytes, including those that no honest tool makes.
package Vitrine::Pack;
use strict;
use warnings;
use Compress::Zlib;
use Encode 'encode_utf8';
use Exporter 'import';
our @EXPORT = qw(zip odd_zip tar tgz form);

sub octets { my ($s) = @_; return utf8::is_utf8($s) ? encode_utf8($s) : $s }

sub deflate_raw {
	my ($data) = @_;
	my ($z) = deflateInit(-Level => 9, -WindowBits => -MAX_WBITS);
	my ($out, $rest) = (($z->deflate($data))[0], ($z->flush)[0]);
	return $out . $rest;
}

# Entries are [name, data, {mode, symlink, stored, encrypted, crc, flags}]; a name that ends in / is a folder.
sub zip {
	my ($body, $directory) = ('', '');
	for my $entry (@_) {
		my ($name, $data, $o) = (octets($entry->[0]), $entry->[1] // '', $entry->[2] // {});
		my $mode = $o->{mode} // ($name =~ m{/$} ? 040755 : 0100644);
		$mode = 0120777 if $o->{symlink};
		my $packed = $o->{stored} ? $data : deflate_raw($data);
		my @same = (20, $o->{flags} // (0x800 | ($o->{encrypted} ? 1 : 0)), $o->{stored} ? 0 : 8, 0, 0x21,
			$o->{crc} // crc32($data),
			length $packed, $o->{size} // length $data, length $name, 0);
		$directory .= pack('VvvvvvvVVVvvvvvVV', 0x02014b50, 0x031e, @same, 0, 0, 0, $mode << 16, length $body) . $name;
		$body .= pack('VvvvvvVVVvv', 0x04034b50, @same) . $name . $packed;
	}
	return $body . $directory . pack('VvvvvVVv', 0x06054b50, 0, 0, scalar @_, scalar @_, length $directory, length $body, 0);
}

# A .zip whose places may differ. Entries are {name, data, mode, stored, after, local => {...}, central => {...}}: what local and central
# give stands in that header instead of what is true, and after behind the bytes; an entry without data has no local header. $end does the
# same for the end, and has the bytes before all (prefix), before the directory (gap) and before the end (before).
sub odd_zip {
	my ($end, @entries) = @_;
	my ($body, $directory) = ($end->{prefix} // '', '');
	for my $e (@entries) {
		my $data = $e->{data} // '';
		my $packed = $e->{stored} ? $data : deflate_raw($data);
		my %true = (need => 20, flags => 0x800, method => $e->{stored} ? 0 : 8, crc => crc32($data), packed => length $packed,
			size => length $data, name => octets($e->{name}), extra => '');
		my %local = (%true, %{$e->{local} // {}});
		my %central = (%true, made => 0x031e, attributes => ($e->{mode} // 0100644) << 16, at => length $body,
			%{$e->{central} // {}});
		$body .= pack('VvvvvvVVVvv', 0x04034b50, @local{qw(need flags method)}, 0, 0x21, @local{qw(crc packed size)},
			length $local{name}, length $local{extra}) . $local{name} . $local{extra}
			. $packed . ($e->{after} // '') if defined $e->{data};
		$directory .= pack('VvvvvvvVVVvvvvvVV', 0x02014b50, @central{qw(made need flags method)}, 0, 0x21,
			@central{qw(crc packed size)}, length $central{name}, length $central{extra}, 0, 0, 0,
			@central{qw(attributes at)}) . $central{name} . $central{extra};
	}
	$body .= $end->{gap} // '';
	my %end = (entries => scalar @entries, size => length $directory, at => length $body, comment => '', before => '',
		disk => 0, %$end);
	$end{before} = $end{before}->(length $body, length $directory, scalar @entries) if ref $end{before};
	return $body . $directory . $end{before} . pack('VvvvvVVv', 0x06054b50, $end{disk}, $end{disk}, @end{qw(entries entries size at)},
		length $end{comment}) . $end{comment} . ($end{after} // '');
}

sub tar_block {
	my ($name, $size, $type, $link, $mode) = @_;
	my $head = pack('a100 a8 a8 a8 a12 a12 A8 a1 a100 a6 a2 a32 a32 a8 a8 a155 x12', $name, sprintf('%07o', $mode),
		'0000000', '0000000',
		sprintf('%011o', $size), '07640700000', '', $type, $link, 'ustar', '00', '', '', '0000001', '0000001', '');
	substr($head, 148, 8) = sprintf('%06o', unpack '%32C*', $head) . "\0 ";
	return $head;
}

sub padded { my ($data) = @_; return $data . "\0" x (-length($data) % 512) }

sub pax { my ($key, $value) = @_; my $n = length " $key=$value\n"; $n += length($n + length $n); return "$n $key=$value\n" }

# Entries are [name, data, {type, link, mode}]; long or non-ASCII names go into pax headers as GNU tar and bsdtar do.
sub tar {
	my $all = '';
	for my $entry (@_) {
		my ($name, $data, $o) = (octets($entry->[0]), $entry->[1] // '', $entry->[2] // {});
		my $type = $o->{type} // ($name =~ m{/$} ? 5 : 0);
		if (length $name > 99 || $name =~ /[^ -~]/) {
			my $record = pax('path', $name);
			$all .= tar_block('PaxHeader', length $record, 'x', '', 0644) . padded($record);
		}
		$all .= tar_block(substr($name, 0, 99), length $data, $type, $o->{link} // '', $o->{mode} // 0644) . padded($data);
	}
	return $all . "\0" x 1024;
}

sub tgz { return Compress::Zlib::memGzip(tar(@_)) }

# Parts are [name, bytes, filename, type]; returns (body, content type).
sub form {
	my ($boundary, $body) = ('----x' . int(rand 1e9), '');
	for (@_) {
		my ($name, $bytes, $filename, $type) = @$_;
		$body .= "--$boundary\r\nContent-Disposition: form-data; name=\"$name\""
			. (defined $filename ? "; filename=\"$filename\"" : '') . "\r\n"
			. (defined $type ? "Content-Type: $type\r\n" : '') . "\r\n" . octets($bytes) . "\r\n";
	}
	return ("$body--$boundary--\r\n", "multipart/form-data; boundary=$boundary");
}

1;
