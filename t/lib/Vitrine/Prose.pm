# SPDX-License-Identifier: Apache-2.0
# The words of the source: the comments of C files and of tests, and the documents, for t/lint.
package Vitrine::Prose;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT_OK = qw(comments documents slurp);

# The text of a file, decoded.
sub slurp { my ($path) = @_; open my $in, '<:encoding(UTF-8)', $path or die "$path: $!\n"; local $/; return scalar <$in> }

# The comments of a file as pairs of line number and text. Markers, and the licence's line, are left out. Lines of one block are one
# comment.
sub comments {
	my ($path) = @_;
	my $text = slurp($path);
	return $path =~ /\.(?:c|h|def)$/ ? of_c($text) : of_perl($text);
}

# Strings and characters are skipped first, so that "/*" in a string begins no comment.
sub of_c {
	my ($text) = @_;
	my @found;
	while ($text =~ m{"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|(/\*.*?\*/)|//([^\n]*)}gs) {
		my ($block, $rest, $at) = ($1, $2, $-[0]);
		my $words = $block // $rest // next;
		$words =~ s{^/\*+|\*+/$}{}g;
		$words =~ s{\s*\n\s*\*? ?}{ }g;
		$words =~ s{\s*SPDX-License-Identifier: Apache-2\.0\s*}{};
		$words =~ s/^\s+|\s+$//g;
		push @found, [1 + (substr($text, 0, $at) =~ tr/\n//), $words] if $words =~ /\w/;
	}
	return @found;
}

sub of_perl {
	my ($text) = @_;
	my (@found, $no, $open);
	for my $line (split /\n/, $text) {
		$no++;
		if ($line !~ /^\s*#(?!!) ?(.*)/ || $1 =~ /SPDX-License/) { $open = 0; next }
		if ($open) { $found[-1][1] .= " $1" } else { push @found, [$no, $1] }
		$open = 1;
	}
	return @found;
}

# The documents that people write. api.md is derived.
sub documents {
	return grep { -f && $_ ne 'docs/api.md' } qw(README.md CONTRIBUTING src/README.md t/README.md), glob('src/*/README.md docs/*.md');
}

1;
