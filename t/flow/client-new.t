# SPDX-License-Identifier: Apache-2.0
# vitrine new: the service's templates, its operator's own, and the folders that it refuses. t/flow/guestbook.t looks at each.
use Vitrine::Words;

my $own = $ENV{VITRINE_VAR} . "/templates-$$";
Vitrine::Stack::folder($own, 'memo', 'README.md' => "# Memo\n\nOne page,\nof the company.\n\nMore.\n", 'index.html' => 'memo',
	'a/b/c.txt' => 'c',
	'.vitrineignore' => "/README.md\n");
Vitrine::Stack::folder($own, 'report', 'README.md' => "# Our report\n\nAs we write it.\n", 'index.html' => 'ours');
Vitrine::Stack::folder($own, 'untitled', 'index.html' => 'x');
Vitrine::Stack::folder($own, 'Not A Name', 'README.md' => "# X\n");
symlink '/etc/passwd', "$own/memo/passwd";
symlink '/etc', "$own/etc";
my ($stack, $api) = stack(templates_dir => $own);
my $dir = $stack->{dir};
sub client { return $stack->client('', 'new', @_) }

my $r = $api->call(GET => '/v1/templates');
my %about = map { $_->{name} => $_ } @{$r->{json}{templates}};
is join(' ', sort keys %about), 'dashboard docs form gallery guestbook memo report', 'the templates, with the operator\'s';
is_deeply $about{memo}, { name => 'memo', title => 'Memo', description => 'One page, of the company.', file_count => 4 },
	'what a README says is what it is, and a link is no file of it';
is $about{report}{title}, 'Our report', 'where both have a name, the operator\'s is taken';
like $api->call(GET => '/v1/templates/memo')->{body}, qr/^PK/, 'a template is a .zip';
like $api->call(GET => '/v1/templates/none')->{json}{error}, qr/There is no template none; vitrine new lists them/, 'it is named';
is $api->call(GET => "/v1/templates/$_")->{status}, 404, "$_ is none" for qw(none etc Memo memo.zip);
like Vitrine::Stack::slurp("$dir/worker.log"), qr/"event":"template_untitled".*"name":"untitled"/, 'the log names a folder without a title';

my ($status, $out, $err) = client();
is $status, 0, 'the client lists them, without a token' or diag $err;
like $out, qr/^memo       Memo: One page, of the company\.$/m, '... a line for each';
($status, $out, $err) = client('memo', "$dir/made");
is_deeply [$status, $out], [0, "$dir/made\n"], 'a new folder' or diag $err;
is join(' ', sort split /\n/, `cd $dir/made && find . -type f`), './.vitrineignore ./README.md ./a/b/c.txt ./index.html',
	'... with all files';
like $err, qr/vitrine dev \S+made shows it/, '... and what comes next';
($status, undef, $err) = client('memo', "$dir/made");
is_deeply [$status, $err], [1, "vitrine: $dir/made isn't empty: give a folder that is new or empty\n"], 'one that has something is refused';
mkdir "$dir/empty";
is +(client('report', "$dir/empty"))[0], 0, 'an empty one is fine';
is Vitrine::Stack::slurp("$dir/empty/index.html"), 'ours', '... with the operator\'s report';
is +(client('none', "$dir/none"))[0], 1, 'an unknown template is refused';
ok !-e "$dir/none", '... and no folder is made';
symlink "$dir/made", "$dir/link";
is +(client('memo', "$dir/link"))[0], 1, 'a link to a folder that has something';
like +(client('memo', "$dir/no/where"))[2], qr/no\/where: No such file/, 'a folder in none';
SKIP: {
	mkdir "$dir/small";
	skip 'no small file system', 4 if system("mount -t tmpfs -o size=64k,nr_inodes=64 none $dir/small");
	Vitrine::Stack::spew("$dir/small/full", 'x' x 61000);
	mkdir "$dir/small/to";
	($status, undef, $err) = client('gallery', "$dir/small/to");
	is $status, 1, 'a full disk is a failure';
	like $err, qr/No space left on device.*nothing was written/s, '... which is said';
	is `find $dir/small/to -mindepth 1`, '', '... and nothing is left behind';
	unlink "$dir/small/full";
	is +(client('form', "$dir/small/to"))[0], 0, '... so with room it is done again';
	system "umount $dir/small";
}
system 'rm', '-r', $own;
finish($stack);
