# SPDX-License-Identifier: Apache-2.0
# Two people publish from folders of their own to one page: what doesn't touch is merged, what does is told by file and line, and settled.
use Vitrine::Words;

my ($stack, $api) = stack();
my ($ann, $ben) = map { $stack->user("$_\@example.org") } qw(ann ben);
my $top = "$stack->{dir}/work";
mkdir $top;
sub client {
	my ($who, @args) = @_;
	mkdir "$top/home-$who->{id}";
	return $stack->program('vitrine', { VITRINE_TOKEN => $who->{token}, HOME => "$top/home-$who->{id}" }, @args);
}
sub file {
	my ($path, $text) = @_;
	open my $out, '>', "$top/$path" or die "$path: $!";
	print $out $text;
	close $out;
}
sub text { my ($path) = @_; return Vitrine::Stack::slurp("$top/$path") }
my $lines = join '', map { "line $_\n" } 1 .. 9;

mkdir "$top/ann";
file('ann/index.html', $lines);
file('ann/a.txt', "a\n");
my ($status, $out, $err) = client($ann, 'publish', '--slug', 'shared', "$top/ann");
is $status, 0, 'ann publishes a folder' or diag $err;
like text('ann/.vitrine.json'), qr/"version":1\b/, '... whose version is remembered';
my ($art) = text('ann/.vitrine.json') =~ /(art_\w+)/;
$stack->collaborator($art, $ben, 'editor');
($status, undef, $err) = client($ben, 'pull', $art, "$top/ben");
is $status, 0, 'ben fetches it' or diag $err;
file('ben/index.html', $lines =~ s/line 2/Ben 2/r);
file('ben/b.txt', "ben\n");
($status, undef, $err) = client($ben, 'publish', "$top/ben");
is $status, 0, 'ben publishes, and the folder remembers from where it was fetched' or diag $err;
my $cat = $stack->user('cat@example.org');
$stack->collaborator($art, $cat, 'viewer');
is +(client($cat, 'pull', $art, "$top/cat", '--version', 1))[0], 0, 'cat, who may only look, fetches it';
ok !-e "$top/cat/.vitrine.json", '... and her folder is nothing that she could publish to';

file('ann/index.html', $lines =~ s/line 8/Ann 8/r);
($status, $out, $err) = client($ann, 'publish', "$top/ann");
is $status, 0, 'ann publishes again' or diag $err;
like $err, qr/merged with version 2: 1 file of others kept, 1 file merged by lines/, '... and is told what was merged';
is $api->call(GET => "/v1/artifacts/$art/files/index.html", { token => $ann->{token} })->{body},
	$lines =~ s/line 2/Ben 2/r =~ s/line 8/Ann 8/r, 'both changes are live';
like text('ann/.vitrine.json'), qr/"version":1\b/, 'the folder still comes from version 1';
($status, $out, $err) = client($ann, 'publish', "$top/ann");
is $api->call(GET => "/v1/artifacts/$art/files/b.txt", { token => $ann->{token} })->{body}, "ben\n",
	'publishing it again removes nothing of ben’s';

($status, undef, $err) = client($ann, 'pull', '--force', $art, "$top/ann");
is $status, 0, 'ann fetches all' or diag $err;
like text('ann/.vitrine.json'), qr/"version":4\b/, '... and the folder comes from that version';
file('ann/index.html', $lines =~ s/line 5/Ann 5/r);
file('ben/index.html', $lines =~ s/line 5/Ben 5/r);
client($ben, 'publish', '--artifact', $art, '--force', "$top/ben");
($status, $out, $err) = client($ann, 'publish', "$top/ann");
is $status, 4, 'a conflict has the status of one' or diag $err;
like $err, qr/nothing was published: version 5 is live/, '... says so';
like $err, qr/index\.html: changed by you and by others/, '... names the file';
like $err, qr/line 5:\n.*- line 5\n.*yours +Ann 5\n.*theirs +Ben 5\n/s, '... shows the lines';
like $err, qr/vitrine publish --candidate (cnd_\w+)/, '... and the command that goes on';
my ($cnd) = $err =~ /(cnd_\w+)/;
file('ann/index.html', $lines =~ s/line 5/Both 5/r);
($status, $out, $err) = client($ann, 'publish', '--candidate', $cnd, "$top/ann");
is $status, 0, 'which settles it' or diag $err;
is $api->call(GET => "/v1/artifacts/$art/files/index.html", { token => $ann->{token} })->{body}, $lines =~ s/line 5/Both 5/r,
	'... with the file as it is here';
($status, $out, $err) = client($ann, 'publish', '--candidate', $cnd, "$top/ann");
isnt $status, 0, 'once';
($status, $out, $err) = client($ann, 'publish', '--force', "$top/ann");
is $status, 0, '--force publishes the folder as it is';
is_deeply [map { $_->{path} } @{$api->call(GET => "/v1/artifacts/$art/files", { token => $ann->{token} })->{json}{files}}],
	[qw(a.txt b.txt index.html)], '... all of it';
($status, $out, $err) = client($ann, 'publish', '--base', 'x', "$top/ann");
is $status, 2, '--base is a number';
($status, $out, $err) = client($ann, 'publish', '--base', 1, '--force', "$top/ann");
is $status, 2, '... and not beside --force';
finish($stack);
