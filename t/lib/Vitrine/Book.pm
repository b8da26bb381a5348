# SPDX-License-Identifier: Apache-2.0
# Workbooks (.xlsx), sound and hostile ones.
package Vitrine::Book;
use strict;
use warnings;
use Encode 'encode';
use Exporter 'import';
use IO::Compress::Zip;

our @EXPORT_OK = qw(workbook sheet bad_books);

# A workbook of sheets: [name, [[cells], ...]]; a cell is text, or an array of type, style, and value. Written as programs write it, with
# shared strings.
sub workbook {
	my ($sheets, %o) = @_;
	my (@strings, %no);
	my $escape = sub { $_[0] =~ s/&/&amp;/gr =~ s/</&lt;/gr };
	my $cell = sub {
		my ($c, $ref) = @_;
		return '' if !defined $c;
		return qq(<c r="$ref" t="s"><v>) . ($no{$c} //= push(@strings, $c) - 1) . '</v></c>' if !ref $c;
		my ($type, $style, $value) = @$c;
		return qq(<c r="$ref" s="$style" t="$type">$value</c>);
	};
	my %part = ('[Content_Types].xml' => '<Types/>',
		'xl/workbook.xml' => ($o{before} // '') . '<workbook xmlns="x" xmlns:r="y"><workbookPr'
			. ($o{from_1904} ? ' date1904="1"' : '')
			. '/><sheets>' . join('', map { qq(<sheet name="$sheets->[$_][0]" sheetId="$_" r:id="rId$_"/>) } 0 .. $#$sheets)
				. '</sheets></workbook>',
		'xl/_rels/workbook.xml.rels' => '<Relationships>'
			. join('', map { qq(<Relationship Id="rId$_" Target="worksheets/s$_.xml"/>) } 0 .. $#$sheets)
			. '</Relationships>',
		'xl/styles.xml' =>
		'<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd\.mm\.yyyy&quot;h&quot;"/><numFmt numFmtId="165" '
			. 'formatCode="[h]:mm"/><numFmt numFmtId="166" formatCode="yyyy\-mm\-dd\ hh:mm"/>'
			. '<numFmt numFmtId="167" formatCode="yyyy\-mm\-dd\ hh:mm:ss.000"/></numFmts><cellStyleXfs>'
			. '<xf numFmtId="14"/></cellStyleXfs>'
			. '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/>'
			. '<xf numFmtId="166"/><xf numFmtId="167"/></cellXfs></styleSheet>');
	for my $i (0 .. $#$sheets) {
		my ($row, $xml) = (0, '<worksheet><sheetData>');
		for my $cells (@{$sheets->[$i][1]}) {
			$row++;
			$xml .= qq(<row r="$row">) . join('', map { $cell->($cells->[$_], chr(65 + $_) . $row) } 0 .. $#$cells) . '</row>'
				if $cells;
		}
		$part{"xl/worksheets/s$i.xml"} = "$xml</sheetData></worksheet>";
	}
	$part{'xl/sharedStrings.xml'} = '<sst>' . join('', map { '<si><t>' . $escape->($_) . '</t></si>' } @strings) . '</sst>';
	$part{$_} = $o{parts}{$_} for keys %{$o{parts} // {}};
	my $zip;
	my $out = IO::Compress::Zip->new(\$zip, Name => '[Content_Types].xml', Minimal => 1, Stream => 0) or die;
	my $n = 0;
	for my $name (sort keys %part) {
		$out->newStream(Name => encode('UTF-8', $name), Efs => $name =~ /[^ -~]/ ? 1 : 0, Minimal => 1, Stream => 0) if $n++;
		$out->print(encode('UTF-8', $part{$name}));
	}
	$out->close;
	return $zip;
}

# A workbook whose only sheet has this row.
sub sheet {
	my ($row) = @_;
	return workbook([['A', [['x']]]], parts => { 'xl/worksheets/s0.xml' => qq(<worksheet><row r="1">$row</row></worksheet>) });
}

# By what is wrong with them.
sub bad_books {
	return ('entities' => workbook([['A', [['x']]]], before => '<!DOCTYPE x [<!ENTITY a "b">]>'),
		'no XML' => workbook([['A', [['x']]]], parts => { 'xl/worksheets/s0.xml' => '<worksheet><row' }),
		'no workbook' => workbook([], parts => { 'xl/workbook.xml' => '<x/>' }),
		'cells out of order' => sheet('<c r="B1"><v>1</v></c><c r="A1"><v>2</v></c>'),
		'a row within a row' => sheet('<row r="2"><c r="A2"><v>1</v></c></row>'),
		'a text that no cell can have' => sheet('<c r="A1" t="inlineStr"><is><t>' . 'x' x 200_000 . '</t></is></c>'),
		'a bomb' => workbook([['A', [['x']]]], parts => {
			'xl/sharedStrings.xml' => '<sst><si><t>' . 'x' x (64 << 20) . '</t></si></sst>' }));
}

1;
