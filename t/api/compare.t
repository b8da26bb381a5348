# SPDX-License-Identifier: Apache-2.0
# What differs between two versions: files, renamed ones too, and the lines of texts; for who sees both, and nobody else.
use MIME::Base64;
use Vitrine::Words qw(as refused);

my ($stack, $api, $db) = stack();
my ($ann, $ben) = map { $stack->user("$_\@example.org") } qw(ann ben);
my $picture = encode_base64("\x89PNG\0" x 50, '');
sub file { my ($path, $content, @more) = @_; return { path => $path, content => $content, @more } }
sub version { my ($draft, $message, @files) = @_;
	my $r = as(ann => POST => '/v1/publish', { name => 'Report', slug => 'report', visibility => 'public', message => $message,
		draft => $draft ? $true : $false, files => \@files });
	is $r->{status}, 201, "a version: $message" or diag $r->{body};
	return $r->{json}{artifact}{id} }
my $text = join '', map { "line $_\n" } 1 .. 30;
my $art = version(0, 'first', file('index.html', $text), file('gone.txt', "a\nb\n"), file('same.css', 'a{}'), file('old/logo.png', $picture,
	encoding => 'base64'), file('notes.txt', 'called text', ));
(my $later = $text) =~ s/line 15\n/line fifteen\nand one\n/;
version(0, 'second', file('index.html', $later), file('new.js', "one\ntwo\n"), file('same.css', 'a{}'), file('new/logo.png', $picture,
	encoding => 'base64'), file('notes.txt', encode_base64("\0\1\2", ''), encoding => 'base64'));
version(1, 'a draft', file('index.html', $later));
my $path = "/v1/artifacts/$art/compare";

# ---- files

my $r = as(ann => GET => "$path?from=1&to=2");
is $r->{status}, 200, 'two versions' or diag $r->{body};
my $c = $r->{json};
is join(' ', sort keys %$c), 'added changed files from message next_cursor removed renamed same success to', 'its keys';
is "@$c{qw(from to message added changed removed renamed same)}", '1 2 second 1 2 1 1 1', 'what it counts';
is join(', ', map { "$_->{path} $_->{status}" . ($_->{was} ? " $_->{was}" : '') . ($_->{is_text} ? ' text' : '') } @{$c->{files}}),
	'gone.txt removed text, index.html changed text, new.js added text, new/logo.png renamed old/logo.png, notes.txt changed text',
	'the files that differ, by path';
my %file = map { $_->{path} => $_ } @{$c->{files}};
is join(' ', sort keys %{$file{'new.js'}}), 'from is_text path status to was', 'the keys of a file';
is_deeply [$file{'new.js'}{from}, $file{'gone.txt'}{to}, $file{'new.js'}{was}], [undef, undef, undef], 'null where there is none';
is join(' ', sort keys %{$file{'index.html'}{to}}), 'mime sha256 size_bytes', '... and of a side';
is $file{'index.html'}{to}{size_bytes}, length $later, 'its size';
is_deeply as(ann => GET => "$path?from=2&to=1")->{json}{files}[0]{status}, 'added', 'the other way round';
is_deeply as(ann => GET => "$path?from=2&to=2")->{json}{files}, [], 'a version with itself';
is join(' ', map { $_->{from} . '-' . $_->{to} } map { as(ann => GET => $_)->{json} } $path, "$path?to=2", "$path?to=1"),
	'2-3 1-2 1-1', 'what is compared if nothing is named';

my @got;
for (my $next = ''; defined $next;) {
	my $part = as(ann => GET => "$path?from=1&to=2&limit=2" . ($next && "&cursor=$next"))->{json};
	push @got, map { $_->{path} } @{$part->{files}};
	$next = $part->{next_cursor};
}
is "@got", 'gone.txt index.html new.js new/logo.png notes.txt', 'in parts of two';

# ---- lines

sub lines { my ($r) = @_; return join '|', map { my $l = $_; "$l->{sign} " . ($l->{sign} eq 'skip' ? $l->{skipped}
	: "$l->{was_no}/$l->{now_no} " . ($l->{said} // $l->{line})) } @{$r->{json}{text}{lines}} }
$r = as(ann => GET => "$path/text?from=1&to=2&path=index.html");
is $r->{status}, 200, 'the lines of a text' or 
is join(' ', sort keys %{$r->{json}{text}}), 'deletions insertions lines path too_large was', 'its keys';
is join(' ', sort keys %{$r->{json}{text}{lines}[0]}), 'head line now_no said sign skipped tail was_no', 'the keys of a line';
is lines($r), 'skip 11|same 12/12 line 12|same 13/13 line 13|same 14/14 line 14|gone 15/0 15|new 0/15 fifteen|new 0/16 and one'
	. '|same 16/17 line 16|same 17/18 line 17|same 18/19 line 18|skip 12', 'what differs, the words too, and three lines around';
is "$r->{json}{text}{insertions} $r->{json}{text}{deletions}", '2 1', 'counted';
is scalar @{as(ann => GET => "$path/text?from=1&to=2&path=index.html&whole=1")->{json}{text}{lines}}, 32, 'all lines';
is lines(as(ann => GET => "$path/text?from=1&to=2&path=new.js")), 'new 0/1 one|new 0/2 two', 'of an added file';
is lines(as(ann => GET => "$path/text?from=1&to=2&path=gone.txt")), 'gone 1/0 a|gone 2/0 b', 'of a removed one';
is lines(as(ann => GET => "$path/text?from=1&to=2&path=new.js&was=gone.txt")), 'gone 1/0 a|gone 2/0 b|new 0/1 one|new 0/2 two',
	'of one that had another path';
is_deeply as(ann => GET => "$path/text?from=1&to=2&path=same.css")->{json}{text}{lines}, [], 'equal texts have no lines that differ';
version(0, 'long', file('index.html', 'x' x (1 << 20)), file('lines.txt', "\n" x 20_000));
version(0, 'longer', file('index.html', 'x' x ((1 << 20) + 1)), file('lines.txt', "\n" x 20_001));
is as(ann => GET => "$path/text?from=3&to=4&path=index.html")->{json}{text}{too_large}, $false, '1 MiB';
is as(ann => GET => "$path/text?from=4&to=5&path=$_")->{json}{text}{too_large}, $true, "... and more is too large: $_"
	for qw(index.html lines.txt);

# ---- refusals, and who sees what

refused(as(ann => GET => "$path/text?from=1&to=2&path=notes.txt"), '400 INVALID_REQUEST', 'bytes that are no text',
	qr/^path: notes.txt isn't text/);
refused(as(ann => GET => "$path/text?from=1&to=2&path=nothing"), '404 NOT_FOUND', 'no such file', qr/^path: neither version 1 nor 2/);
refused(as(ann => GET => "$path/text?from=1&to=2"), '400 INVALID_REQUEST', 'no path', qr/^path/);
refused(as(ann => GET => "$path?from=$_&to=2"), '400 INVALID_REQUEST', "from $_", qr/^from/) for 0, 'x';
refused(as(ann => GET => "$path?from=1&to=9"), '404 NOT_FOUND', 'no such version', qr/version 9/);
refused(as(ann => GET => "$path?from=1&to=2&cursor=%25zz"), '400 INVALID_REQUEST', 'a wrong cursor', qr/cursor/);
for my $who (['another person', 'ben'], ['nobody', undef]) {
	my ($name, $as) = @$who;
	refused(as($as, GET => "$path?from=$_->[0]&to=$_->[1]"), '404 NOT_FOUND', "$name: version $_->[0] with $_->[1]") for [1, 5], [5, 3];
	is_deeply as($as, GET => $path)->{json}{files}, [], "$name sees only the live version";
	refused(as($as, GET => "$path/text?from=1&to=5&path=index.html"), '404 NOT_FOUND', "$name: a text");
}
is as(ann => PATCH => "/v1/artifacts/$art", { visibility => 'private' })->{status}, 200, 'a private artifact';
refused(as(ben => GET => $path), '404 NOT_FOUND', 'to strangers is none');
finish($stack);
