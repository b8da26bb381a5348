# SPDX-License-Identifier: Apache-2.0
# PDF files: of objects, of pages of given sizes, and one that needs a password.
package Vitrine::Pdf;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT = qw(pdf stream pages locked);

# A PDF of these objects, each a string without its number; the first is the catalog.
sub pdf { return file('', @_) }
sub file {
	my ($trailer, @objects) = @_;
	my ($text, @at) = ("%PDF-1.4\n");
	for my $n (1 .. @objects) { push @at, length $text; $text .= "$n 0 obj\n$objects[$n - 1]\nendobj\n" }
	my $from = length $text;
	return $text . "xref\n0 " . (@objects + 1) . "\n0000000000 65535 f \n" . join('', map { sprintf "%010d 00000 n \n", $_ } @at)
		. 'trailer << /Size ' . (@objects + 1) . " /Root 1 0 R $trailer >>\nstartxref\n$from\n%%EOF\n";
}
sub stream { my ($bytes, $more) = @_; return '<< /Length ' . length($bytes) . ' ' . ($more // '') . " >>\nstream\n$bytes\nendstream" }

# The objects of a PDF with pages of these sizes, such as '300 400', each with a red field.
sub objects {
	my @sizes = @_;
	return ('<< /Type /Catalog /Pages 2 0 R >>',
		'<< /Type /Pages /Kids [' . join(' ', map { "$_ 0 R" } 4 .. 3 + @sizes) . '] /Count ' . @sizes . ' >>',
		stream('1 0 0 rg 0 0 100 100 re f'), map { "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 $_] /Contents 3 0 R >>" } @sizes);
}
sub pages { return pdf(objects(@_)) }

# No password opens it, because it has the digest of none.
sub locked {
	my $none = '<' . '5a' x 32 . '>';
	return file("/ID [<00> <00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O $none /U $none >>", objects('300 400'));
}
1;
