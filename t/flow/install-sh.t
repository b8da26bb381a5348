# SPDX-License-Identifier: Apache-2.0
# The client for those without our packages: /download/, /install.sh, and previews of pull requests by etc/ci/preview.sh. What is
# downloaded here is the client of the tests; ./dev client builds the static one.
use Digest::SHA 'sha256_hex';
use File::Temp 'tempdir';
use Vitrine::Receiver;
use Vitrine::Words;

my ($stack, $api, $db) = stack(publish_per_hour => 1000);
my $ann = $stack->user('ann@example.org');
my ($top, $dir) = ($ENV{VITRINE_TOP}, tempdir(TMPDIR => 1, CLEANUP => 1));
my $base = "https://vitrine.localhost:$stack->{port}";
my ($slurp, $spew) = (\&Vitrine::Stack::slurp, \&Vitrine::Stack::spew);
chomp(my $machine = `uname -m`);
my $client = 'vitrine-linux-' . ($machine eq 'x86_64' ? 'amd64' : 'arm64');

# ---- the service, with what a package of the client adds

my $share = "$dir/share";
mkdir $share;
symlink "$top/$_", "$share/$_" for qw(nginx sql etc);
my ($status, undef, $err) = $stack->program('vitrinectl', { VITRINE_SHARE => $share }, 'nginx', "$stack->{dir}/nginx", '--listen',
	"127.0.0.1:$stack->{port}", '--cert', "$stack->{tls}/cert.pem", '--key', "$stack->{tls}/key.pem");
is "$status$err", '0', 'nginx knows where the downloads are';
sub reload { kill HUP => $stack->{pids}{nginx} }
reload();
my $unchecked = Vitrine::Api->new($stack, unchecked => 1);
sub got { return $unchecked->call(GET => $_[0]) }
Vitrine::Stack::wait_for('the new configuration', 60, sub { got('/download/index.json')->{status} == 200 });
my $r = got('/download/index.json');
is_deeply decode_json($r->{body})->{files}, [], 'without that package, nothing is offered';
is got("/download/$client")->{status}, 404, '... nor there';

# What a shell says to a script that curl fetches, as somebody who is at home in $dir/home.
my %env = (HOME => "$dir/home", PATH => $ENV{PATH}, CURL_CA_BUNDLE => "$stack->{tls}/ca.pem", VITRINE_CA => "$stack->{tls}/ca.pem");
mkdir $env{HOME};
sub says {
	my ($command, %more) = @_;
	my %all = (%env, %more);
	my $out = `env -i @{[map { "'$_=$all{$_}'" } sort keys %all]} sh -c '$command' 2>&1`;
	return ($? >> 8) . ": $out";
}
my $fetch = "curl -fsSL $base/install.sh";
my $bin = "$env{HOME}/.local/bin/vitrine";
like says("$fetch | sh"), qr/^1: install.sh: this service offers no client; ask those who run it/, 'the script says so';
my $script = `env CURL_CA_BUNDLE=$stack->{tls}/ca.pem $fetch`;
like $script, qr/^#!\/bin\/sh\n/, 'it is a script';
unlike $script, qr/\@[A-Z_]+\@/, '... with the address of the service';

# ---- installed, and used

mkdir "$share/download";
system('cp', $ENV{VITRINE_CLIENT} // "$ENV{VITRINE_BUILD}/vitrine", "$share/download/$client") == 0 or die;
sub sums { $spew->("$share/download/SHA256SUMS", sha256_hex($slurp->("$share/download/$client")) . "  $client\n") }
sums();
$spew->("$share/download/index.json", '{"version":"0","files":[{}]}');
# A process of nginx with the former configuration may still answer.
ok Vitrine::Stack::wait_for('the list', 60, sub { got('/download/index.json')->{body} =~ /"files":\[\{/ }), 'the package is served';
Vitrine::Stack::wait_for($_, 60, sub { got("/download/$_")->{status} == 200 }) for 'SHA256SUMS', $client;
$r = says("$fetch | sh");
like $r, qr{^0: installed \Q$bin\E\nadd it to your PATH: .*\nsign in: vitrine login --url \Q$base\E\n\z}, 'installed without root';
ok -x $bin, '... as a program';
like says("$fetch | sh", PATH => "$env{HOME}/.local/bin:$env{PATH}"), qr/^0: installed \S+\nsign in/, 'again, where PATH has it';
like says("$bin --version"), qr/^0: vitrine \d\S*\nauthorities: \Q$stack->{tls}\E\/ca\.pem\n\z/, 'it says which authorities it trusts';
mkdir "$dir/site";
$spew->("$dir/site/index.html", '<h1>hello</h1>');
my %as = (VITRINE_URL => $base, VITRINE_TOKEN => $ann->{token});
like says("$bin publish $dir/site --slug by-download --yes", %as), qr/^0: .*^https:\/\/by-download\./ms, 'it publishes';

# ---- what must not be installed

my $was = sha256_hex($slurp->($bin));
open my $f, '>>', "$share/download/$client" or die;
print $f 'x';
close $f;
like says("$fetch | sh"), qr/^1: install.sh: $client isn.t what SHA256SUMS says; nothing was installed/, 'a client with another digest';
is sha256_hex($slurp->($bin)), $was, '... leaves the one that is there';
$spew->("$share/download/$client", "#!/bin/sh\nexit 1\n");
sums();
like says("$fetch | sh"), qr/^1: install.sh: $client doesn.t run here/, 'nor one that does not run';
is sha256_hex($slurp->($bin)), $was, '... does';
for my $part (map { int length($script) * $_ / 8 } 1 .. 7) {
	$spew->("$dir/part.sh", substr $script, 0, $part);
	says("sh $dir/part.sh", HOME => "$dir/nobody");
}
ok !-e "$dir/nobody", 'a script that was cut off does nothing';
like says("$fetch | sh -s -- --nothing"), qr/^1: install.sh: unknown option --nothing/, 'an unknown option';
like says("$fetch | sh -s -- --uninstall"), qr/^0: removed \Q$bin\E/, 'and it goes again';
ok !-e $bin, '... it is gone';

# ---- a preview for each pull request

system('cp', $ENV{VITRINE_CLIENT} // "$ENV{VITRINE_BUILD}/vitrine", $bin) == 0 or die;
my $forge = Vitrine::Receiver->new($stack->{tls});
my %job = (%as, PATH => "$env{HOME}/.local/bin:$env{PATH}", PREVIEW_CA => "$stack->{tls}/ca.pem");
my %github = (%job, GITHUB_REF => 'refs/pull/7/merge', GITHUB_REPOSITORY => 'acme/Big_Site', GITHUB_SHA => 'b' x 40,
	PREVIEW_COMMIT => 'a' x 40, GITHUB_TOKEN => 'ghs_secret', GITHUB_API_URL => $forge->url(''), GITHUB_STEP_SUMMARY => "$dir/summary");
my $preview = "curl -fsSL $base/download/preview.sh | sh -s --";
my $url = "https://big-site-pr-7.pages.localhost:$stack->{port}/";
like says("$preview $dir/site", %github), qr/^0: .*^\Q$url\E\n\z/ms, 'a pull request of GitHub has a page';
my ($call) = $forge->calls('/repos/acme/Big_Site/statuses/' . 'a' x 40);
is "$call->{method} $call->{headers}{authorization}", 'POST Bearer ghs_secret', 'its commit gets a status';
my $said = decode_json($call->{body});
is_deeply [@$said{qw(state context description)}], ['success', 'Preview', 'Published as big-site-pr-7'], '... with words';
like $said->{target_url}, qr/^\Q$url\E?$/, '... and the address';
like $slurp->("$dir/summary"), qr/^Preview: https:/, 'the job tells it, too';
$spew->("$dir/site/index.html", '<h1>again</h1>');
like says("$preview $dir/site", %github), qr/^0: /, 'the next commit';
is $db->selectrow_array("SELECT live_no FROM artifact WHERE slug = 'big-site-pr-7'"), 2, '... is its next version';
is $db->selectrow_array("SELECT visibility FROM artifact WHERE slug = 'big-site-pr-7'"), 'private', 'nobody else sees it';
like says("$preview $dir/site docs", %github, GITHUB_REF => 'refs/pull/8/merge', VITRINE_VISIBILITY => 'unlisted'),
	qr/^0: .*docs-pr-8\./s, 'with a name';
is $db->selectrow_array("SELECT visibility FROM artifact WHERE slug = 'docs-pr-8'"), 'unlisted', '... and a visibility';
$forge->answer('/repos/acme/Big_Site/statuses/' . 'a' x 40 => 404, 'none');
like says("$preview $dir/site", %github), qr/^0: .*the forge took no status; the preview stands at https/s,
	'a forge that refuses fails no build';
like says("$preview --closed", %github), qr/^0: /, 'closed';
ok $db->selectrow_array("SELECT deleted_at FROM artifact WHERE slug = 'big-site-pr-7'"), '... its page is in the trash';

my %gitlab = (%job, CI_MERGE_REQUEST_IID => 3, CI_PROJECT_PATH => 'team/site', CI_PROJECT_ID => 12, CI_COMMIT_SHA => 'c' x 40,
	CI_API_V4_URL => $forge->url('/api/v4'), GITLAB_TOKEN => 'glpat');
like says("$preview $dir/site", %gitlab), qr/^0: .*site-pr-3\./s, 'a merge request of GitLab';
($call) = $forge->calls('/api/v4/projects/12/statuses/' . 'c' x 40);
is "$call->{headers}{'private-token'} " . decode_json($call->{body})->{name}, 'glpat Preview', '... and its status';
for (['no pull request', "$preview $dir/site", { GITHUB_REF => 'refs/heads/main' }, qr/this job doesn.t belong to a pull request/],
	['no folder', "$preview $dir/none", {}, qr/none is not a folder/], ['no argument', $preview, {}, qr/usage/],
	['no token', "$preview $dir/site", { VITRINE_TOKEN => '' }, qr/VITRINE_TOKEN/],
	['a wrong token', "$preview $dir/site", { VITRINE_TOKEN => 'so_x' }, qr/vitrine: /]) {
	my ($name, $command, $more, $like) = @$_;
	my $said = says($command, %github, %$more);
	like $said, $like, $name;
	unlike $said, qr/^0:/, '... fails the job';
}
finish($stack);
