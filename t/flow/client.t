# SPDX-License-Identifier: Apache-2.0
# The client, from publish to pull, as a person uses it.
use utf8;
use File::Path 'make_path';
use Vitrine::Visitor;
use Vitrine::Words;

my ($stack, $api) = stack(leaks => 1, publish_per_hour => 1000);
my $ann = $stack->user('ann@example.org');
my $site = "$stack->{dir}/my site";
make_path("$site/img", "$site/.git");
sub spew { Vitrine::Stack::spew(@_) }
spew("$site/index.html", 'one');
spew("$site/img/a.bin", join '', map { chr(($_ * 7) % 256) } 1 .. 5000);
spew("$site/.git/config", 'secret');
spew("$site/notes.tmp", 'left out');
spew("$site/.vitrineignore", "*.tmp\n");
sub client { return $stack->client($ann->{token}, @_) }

my ($status, $out, $err) = client('publish', $site, '--visibility', 'public');
is $status, 0, 'publish' or diag $err;
like $out, qr{^https://my-site\.pages\.localhost:\d+/\n$}, 'the address alone';
is $api->get_site('my-site', '/')->{body}, 'one', 'opens';
is $api->get_site('my-site', "/$_")->{status}, 404, "$_ is left out" for '.git/config', 'notes.tmp', '.vitrine.json';
spew("$site/index.html", 'two');
($status, $out) = client('publish', $site, '--json');
like $out, qr/"version_no":2/, 'the folder remembers what it is; --json gives the reply';
is $api->get_site('my-site', '/')->{body}, 'two', 'the new version is live';
($status, $out) = client('list');
like $out, qr/^my-site\s+public\s+v2 /, 'list';
($status, $out) = client('versions', 'my-site');
like $out, qr/^\* v2 .*\n  v1 /, 'versions';
is +(client('rollback', 'my-site', 'v1'))[0], 0, 'rollback';
is $api->get_site('my-site', '/')->{body}, 'one', 'is live';
($status, $out, $err) = client('pull', 'my-site', "$stack->{dir}/pulled", '--version', '2');
is $status, 0, 'pull' or diag $err;
is Vitrine::Stack::slurp("$stack->{dir}/pulled/index.html"), 'two', 'the version asked for';
is Vitrine::Stack::slurp("$stack->{dir}/pulled/img/a.bin"), Vitrine::Stack::slurp("$site/img/a.bin"), 'binary bytes come back';
like +(client('pull', 'my-site', "$stack->{dir}/pulled", '--version', '2'))[2], qr/0 files fetched, 2 already there/,
	'a second pull fetches nothing';
is +(client('whoami'))[1], "ann\@example.org\n", 'whoami';
is +(client('open', 'my-site'))[1] =~ m{^https://my-site\.} ? 1 : 0, 1, 'open prints the address';

# a large folder goes as an archive
make_path("$site/large");
open my $random, '<', '/dev/urandom';
for my $i (1 .. 3) { read $random, my $bytes, 4 << 20; spew("$site/large/$i.bin", $bytes) }
($status, $out, $err) = client('publish', $site);
is $status, 0, 'twelve megabytes are published as an archive' or diag $err;
is $api->get_site('my-site', '/large/2.bin')->{body}, Vitrine::Stack::slurp("$site/large/2.bin"), 'and served';
($status, $out, $err) = client('publish', "$site/index.html", '--slug', 'one-file', '--visibility', 'unlisted');
is $status, 0, 'a single file' or diag $err;
is $api->get_site('one-file', '/')->{body}, 'two', 'is its own entry';

# exit statuses
is +($stack->client('so_' . 'a' x 49, 'list'))[0], 3, 'a wrong token: 3';
is +($stack->client('', 'list'))[0], 3, 'no token: 3';
is +(client('publish', $site, '--slug', 'x', '--frob'))[0], 2, 'usage: 2';
($status, $out, $err) = client('dev', "$stack->{dir}/none");
is $status, 1, 'a preview of nothing';
is $err, "vitrine: $stack->{dir}/none: No such file or directory\n", '... says so alone';
is +(client('publish', $site, '--slug', 'my-site', '--expected-version', '1'))[0], 4, 'a conflict: 4';
is +(client('versions', 'none-such'))[0], 1, 'refused: 1';
is +($stack->program('vitrine', { VITRINE_TOKEN => $ann->{token}, VITRINE_URL => 'https://localhost:9' }, 'list', '--quiet'))[0], 5,
	'no network: 5';
symlink '/etc/passwd', "$site/link";
($status, $out, $err) = client('publish', $site);
is $status, 1, 'a symbolic link is refused';
like $err, qr/symbolic link/, 'and named';
unlink "$site/link";
Vitrine::Stack::spew("$site/bad\xff.txt", 'x');
($status, $out, $err) = client('publish', $site);
is $status, 1, 'a name that is not UTF-8 is refused';
like $err, qr{/bad\\xff\.txt: its name is not UTF-8}, 'and named';
unlink "$site/bad\xff.txt";
($status, $out, $err) = client('rollback', 'my-site', 999);
is $status, 1, 'a version that is not there';
like $err, qr/There is no version 999, or .*; the newest is version \d/, 'and named';

# credentials
my %env = (HOME => "$stack->{dir}/home", XDG_CONFIG_HOME => '', VITRINE_TOKEN => '');
($status, $out, $err) = $stack->program('vitrine', \%env, 'login', '--token', $stack->ctl(qw(token mint --user ann@example.org)));
is $status, 0, 'login' or diag $err;
my $file = "$stack->{dir}/home/.config/vitrine/credentials.json";
is sprintf('%o', (stat $file)[2] & 0777), '600', 'the credentials file is 0600';
is +($stack->program('vitrine', \%env, 'whoami'))[1], "ann\@example.org\n", 'and is used';
chmod 0644, $file;
is +($stack->program('vitrine', \%env, 'whoami'))[0], 1, 'one that others can read is refused';
chmod 0600, $file;
is +($stack->program('vitrine', \%env, 'logout'))[0], 0, 'logout';
ok !-e $file, 'removes it';
is $stack->db->selectrow_array('SELECT COUNT(*) FROM token WHERE revoked_at IS NOT NULL'), 1, 'and ends the token';

# signing in by the browser
$stack->ctl_in("the password\n", qw(user password ann@example.org));
my ($log, $code) = ("$stack->{dir}/login-stderr");
my $pid = fork // die;
if (!$pid) {
	my %all = ($stack->env, %env);
	@ENV{keys %all} = values %all;
	open STDOUT, '>', '/dev/null';
	open STDERR, '>', $log;
	exec "$stack->{build}/vitrine", qw(login --email ann@example.org) or POSIX::_exit(127);
}
Vitrine::Stack::wait_for('the code', 60, sub { ($code) = Vitrine::Stack::slurp($log) =~ m{/auth/device\?code=(\S+)} });
my $v = Vitrine::Visitor->new($api);
$v->go("/auth/device?code=$code");
like $v->{page}{text}, qr/value="ann\@example\.org"/, 'the person who is expected';
$v->submit(qr{signin}, { password => 'the password' });
like $v->{page}{text}, qr/$code.*vitrine\/\S+ on \S+/s, 'the page names the code and the machine';
$v->submit(qr{^/auth/device$}, { action => 'approve' });
waitpid $pid, 0;
is $?, 0, 'the client has its token' or diag Vitrine::Stack::slurp($log);
is +($stack->program('vitrine', \%env, 'whoami'))[1], "ann\@example.org\n", 'and is signed in';
is +($stack->program('vitrine', \%env, 'logout'))[0], 0;

is +(client('delete', 'my-site'))[0], 0, 'delete';
is $api->get_site('my-site', '/')->{status}, 404, 'gone';
is +(client('delete', 'one-file', '--purge'))[0], 2, '--purge wants --yes';
finish($stack);
