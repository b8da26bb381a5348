# SPDX-License-Identifier: Apache-2.0
# How comments, READMEs and documents are written, as far as a rule can tell: what they refer to is there, READMEs are short, comments begin
# with their subject.
use strict;
use utf8;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Vitrine::Prose qw(comments documents slurp);

# Exceptions that go soon: folders whose README is still being shortened, and files with references that are still to be corrected. Nothing
# is added here.
my %long = ();
my %stale = ();
# Files of other projects that comments name.
my %elsewhere = map { $_ => 1 } qw(docs/discovery.md);

my $opener = qr/^(?:What|Whoever|Whom|Who|The same|It|Its|Those|That|One|As|So|Nothing|Such)\b/;
my @tracked = split /\n/, `git -c core.quotePath=false ls-files --cached --others --exclude-standard`;
@tracked = split /\n/, `find * -type f` if !@tracked;
my %file = map { $_ => 1 } grep { -e } @tracked;
my (%folder, %named, %defined, %word);
for my $path (keys %file) {
	push @{$named{$path =~ s{.*/}{}r}}, $path;
	$folder{$path} = 1 while $path =~ s{/[^/]*$}{};
}
# Headers of others, by the names under which our files include them.
my %foreign = map { $_ => 1 } map { slurp($_) =~ /^#\s*include <([^>]+)>/mg } grep { m{^src/.*\.[ch]$} } keys %file;
# The names that a file of C defines at the beginning of a line, and all words of all code, without its comments.
for my $path (grep { m{^(?:src|t)/.*\.(?:c|h|def)$} } keys %file) {
	my $code = slurp($path) =~ s{/\*.*?\*/}{}gsr;
	$word{$_} = 1 for $code =~ /\b\w+\b/g;
	$defined{$path}{$_} = 1 for $code =~ /^(?:[a-z][\w \t*]*?[\s*])?(\w+)(?=[(\[]| =)/mg, $code =~ /^#\s*define\s+(\w+)/mg,
		$code =~ /^(?:(?:struct|enum|union)\s+|\}\s*)(\w+)/mg;
}
for my $path (grep { m{^t/.*(?:\.(?:t|pm|pl)|/refresh-\w+)$|^dev$} && $_ ne 't/lint/words.t' } keys %file) {
	$word{$_} = 1 for slurp($path) =~ /\b\w+\b/g;
}

# The files that a reference may mean: from the top, from src, from the folder of the text, or any folder's by its name alone.
sub meant {
	my ($in, $ref) = @_;
	my ($folder) = $in =~ m{^(.*)/};
	my @found = grep { $file{$_} } $ref, "src/$ref", defined $folder ? "$folder/$ref" : ();
	return @found if @found;
	return $ref =~ m{/} ? grep { m{/\Q$ref\E$} } keys %file : @{$named{$ref} // []};
}

# What a text refers to that isn't there.
sub missing {
	my ($in, $text) = @_;
	my @missing;
	$text =~ s{https?://\S+}{}g;
	$text =~ s{```.*?```}{}gs;
	# file.c:function, and files by name or path.
	while ($text =~ m~(?<![\w/.<>{}*-])((?:\w[\w-]*/)*\w[\w-]*\.(?:c|h|def|t|pm|pl))(?::([a-z]\w+))?(?![\w/<-])~g) {
		my ($ref, $name) = ($1, $2);
		# x.c and _api.c stand for any file; var/ is made by builds.
		next if $foreign{$ref} || $ref =~ m{^var/|(?:^|/)(?:[a-z]|x_\w+|_\w+)\.\w+$};
		my @files = meant($in, $ref);
		push @missing, $ref if !@files;
		push @missing, "$ref:$name" if @files && $name && !grep { $defined{$_}{$name} || $defined{s/\.c$/.h/r}{$name} } @files;
	}
	# Paths below a folder of the top that name no kind of file above.
	while ($text =~ m~(?<![\w/.<>{}*…=-])((?:src|t|docs|etc|sql|nginx)/[\w./-]*\w)(?![\w*{<…-])~g) {
		my $ref = $1;
		next if $elsewhere{$ref} || $ref =~ /NNN/ || $ref =~ /\.(?:c|h|def|t|pm|pl)$/ || $ref =~ m{^docs/[a-z-]+$};
		push @missing, $ref
			if !$file{$ref} && !$folder{$ref} && !$file{"$ref.in"} && !grep { m{(?:^|/)\Q$ref\E(?:/|$)} } keys %file;
	}
	# docs/x.md, "Heading".
	while ($text =~ m{(docs/\w+\.md)`?, "([^"]+?),?"}g) { push @missing, "$1, \"$2\"" if $file{$1} && !headings($1)->{$2} }
	# function(): a name of ours, which has an underscore.
	while ($text =~ m{(?<![\w/.:>])([a-z][a-z0-9]*_\w+)\(\)}g) { push @missing, "$1()" if !$word{$1} && $1 !~ /(?:^|_)x(?:_|$)/ }
	return @missing;
}

# A heading's anchor, as GitHub makes it.
sub anchor {
	my ($title) = @_;
	$title =~ s/\[([^]]*)\]\([^)]*\)/$1/g;
	$title = lc $title;
	$title =~ s/[^\w\- ]//g;
	return $title =~ s/ /-/gr;
}
my (%anchor, %heading);
sub headings { my ($path) = @_; return $heading{$path} //= { map { $_ => 1, s/,.*//r => 1 } slurp($path) =~ /^#+ (.*)$/mg } }
sub anchors { my ($path) = @_; return $anchor{$path} //= { map { anchor($_) => 1 } slurp($path) =~ /^#+ (.*)$/mg } }
# What a document links to that isn't there.
sub dead_links {
	my ($in, $text) = @_;
	my @dead;
	my ($folder) = $in =~ m{^(.*/)};
	while ($text =~ /\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g) {
		my ($to, $at) = ($1, $2);
		my $path = length $to ? ($folder // '') . $to : $in;
		1 while $path =~ s{(?:^|(?<=/))(?!\.\./)[^/]+/\.\./}{};
		if (!$file{$path} && !$folder{$path}) {
			push @dead, $to;
		} elsif (defined $at && !anchors($path)->{$at}) {
			push @dead, "$to#$at";
		}
	}
	return @dead;
}

my (@missing, @opening, @lengthy);
for my $path (sort grep { m{^(?:src|t)/.*\.(?:c|h|def|t|pm|pl)$} && $_ ne 't/lint/words.t' } keys %file) {
	for my $comment (comments($path)) {
		my ($line, $text) = @$comment;
		push @missing, map { "$path:$line: $_" } missing($path, $text) if !$stale{$path};
		push @opening, "$path:$line: $text" if $path =~ m{^src/} && $text =~ $opener;
	}
}
for my $path (documents()) {
	my $text = slurp($path);
	push @missing, map { "$path: $_" } missing($path, $text), dead_links($path, $text) if !$stale{$path};
	my ($folder) = $path =~ m{^src/(?:(\w+)/)?README} or next;
	my $lines = $text =~ tr/\n//;
	push @lengthy, "$path has $lines lines" if $lines > 80 && !$long{$folder // ''};
}
is join("\n", @missing), '', 'comments, READMEs and documents refer to files, functions and headings that are there';
is join("\n", @lengthy), '', 'a README of src has at most 80 lines';
is join("\n", @opening), '', 'a comment begins with its subject';
# The rules themselves.
is_deeply [missing('src/team/folder.h',
	'core/nowhere.c, folder.c:none_such, docs/none.md, no_such_word() and docs/architecture.md, "Nothing"')],
	['core/nowhere.c', 'folder.c:none_such', 'docs/none.md', 'docs/architecture.md, "Nothing"', 'no_such_word()'],
	'what is missing is found';
is_deeply [missing('src/team/folder.h',
	'core/role.h, folder.c:folder_change, x_api.c, folder_get() and docs/architecture.md, "The runner"')], [], '... and nothing else';
is_deeply [dead_links('docs/security.md', '[a](operations.md#the-key) [b](operations.md#none) [c](none.md) [d](../src/team/README.md)')],
	['operations.md#none', 'none.md'], '... nor of links';
ok +(grep { $_ =~ $opener } 'What it is', 'Those of others')  == 2 && 'Items of a list' !~ $opener && 'Soon' !~ $opener,
	'an opener is a word';
done_testing;
