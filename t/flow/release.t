# SPDX-License-Identifier: Apache-2.0
# ./dev release says what is missing before anything is made, and without --make makes nothing.
use strict;
use warnings;
use File::Temp 'tempdir';
use Test::More;

plan skip_all => 'no clone of git' if !-e '.git';
my $dir = tempdir('vitrine-release-XXXXXX', TMPDIR => 1, CLEANUP => 1);
sub run { system(@_) == 0 or die "@_: $?" }
run("git clone -q --shared . $dir/r && cp debian/release $dir/r/debian/");
sub git { run('git', '-C', "$dir/r", '-c', 'user.name=T', '-c', 'user.email=t@example.org', @_) }
sub release { my $said = `cd $dir/r && VITRINE_VAR=$dir/var debian/release @_ 2>&1`; return ($? >> 8, $said) }
git(qw(add -A)), git(qw(commit -qm script)) if `git -C $dir/r status --porcelain`;

for my $wrong ('', '1.2', '1.2.3 --push', 'v1.2.3') {
	my ($status, $said) = release($wrong);
	is $status, 64, "'$wrong' is no version" or diag $said;
}
run("echo more >>$dir/r/README.md");
my ($status, $said) = release('9.8.7');
is $status, 1, 'a release for which nothing is ready';
like $said, qr/^missing: $_/m, "... lacks $_" for 'a commit of what git status shows', '9\.8\.7 in configure\.ac',
	'9\.8\.7 in debian/image/compose\.yaml',
	'9\.8\.7 at the top of debian/changelog', '"Vitrine 9\.8\.7 \(.*\)" at the top of CHANGES', 't/schemas/\d+\.sql: perl';
unlike $said, qr/^\+/m, '... and nothing is done';
my ($schema) = $said =~ m{(t/schemas/\d+\.sql)};
run("cd $dir/r && sed -i '1s/.*/Vitrine 9.8.7 (2027-01-02)/' CHANGES && sed -i '1s/(.*)/(9.8.7)/' debian/changelog && "
	. "sed -i 's/^AC_INIT(.*/AC_INIT([vitrine], [9.8.7])/' configure.ac && "
	. "sed -i 's/image: vitrine:.*/image: vitrine:9.8.7/' debian/image/compose.yaml && "
	. "mkdir -p t/schemas && echo '-- tables' >$schema");
git(qw(add -A));
git(qw(commit -qm release));
($status, $said) = release('9.8.7');
is $status, 0, 'one that is ready' or diag $said;
is_deeply [$said =~ /^\+ (\.\/dev.*)$/mg],
	['./dev package 12 --twice --test', './dev package 13 --twice --test', './dev client amd64 arm64', './dev image --twice --test'],
	'... says what it would do';
ok !-e "$dir/var", '... and makes nothing';
($status, $said) = release('9.8.7 --tag');
is $status, 1, 'a tag';
like $said, qr/^missing: VITRINE_SIGN_KEY/m, '... needs a key';
git(qw(tag v9.8.7));
like +(release('9.8.7'))[1], qr/^missing: another version: v9\.8\.7 is tagged/m, 'a release is made once';
done_testing;
