# SPDX-License-Identifier: Apache-2.0
# Every picture that a page names is in the file of pictures, and none is sent to every browser for nothing. Parts of templates fit into
# attributes.
use strict;
use warnings;
use Test::More;

sub text { my ($path) = @_; open my $in, '<', $path or die "$path: $!"; local $/; return scalar <$in> }

my %there = map { $_ => 1 } text('nginx/assets/icons.svg') =~ /<symbol id="([^"]+)"/g;
my (%named, @missing);
for my $path (split /\n/, `find src -name '*.html' -o -name '*.c'`) {
	my $text = text($path);
	for my $icon ($path =~ /html$/ ? $text =~ /\{\{\+([^}]*)\}\}/g : (), $text =~ /icons\.svg#(\w[\w-]*)/g) {
		$named{$icon} = 1;
		push @missing, "$path: $icon" if !$there{$icon};
	}
}
ok keys %named > 10, 'pages have pictures';
is "@missing", '', 'each is in nginx/assets/icons.svg';
is join(' ', grep { !$named{$_} } sort keys %there), '', 'and none there is unused';
my %template = map { m{([^/]+)\.html$} ? ($1 => text($_)) : () } split /\n/, `find src -name '*.html'`;
my @broken;
for my $name (sort keys %template) {
	while ($template{$name} =~ /="[^"<>]*\{\{>([\w-]+)\}\}/g) { push @broken, "$1 in $name" if $template{$1} =~ /\n\z/ }
}
is "@broken", '', 'a part in an attribute has no newline at its end, which would be in its value';
done_testing;
