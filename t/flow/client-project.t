# SPDX-License-Identifier: Apache-2.0
# The client in a project: what it leaves out, what it remembers through builds, how artifacts are called, and what it says to whom.
use utf8;
use Cwd ();
use File::Path qw(make_path remove_tree);
use Vitrine::Words;

my ($stack, $api) = stack(publish_per_hour => 1000);
my $ann = $stack->user('ann@example.org');
my $dir = $stack->{dir};
sub client { return $stack->client($ann->{token}, @_) }
sub files { return Vitrine::Stack::folder($dir, @_) }
sub published {
	my ($status, $out, $err) = client('publish', @_);
	is $status, 0, "publish @_[1 .. $#_]" or diag $err;
	chomp $out;
	return $out;
}
sub artifacts { return $stack->db->selectrow_array('SELECT COUNT(*) FROM artifact') }
sub name_of {
	my ($slug) = @_;
	return $api->call(GET => "/v1/artifacts?slug=$slug", { token => $ann->{token} })->{json}{artifacts}[0]{name};
}

# ---- what is left out

my %public = ('index.html' => 'x', '.well-known/security.txt' => 'x', 'a/b.txt' => 'x', '_headers' => "/*\n", 'env.html' => 'x',
	'docs/keep/x.log' => 'x', 'build.txt' => 'x', 'out/file.html' => 'x', 'sub/top.html' => 'x');
my %private = ('.env' => 'PASSWORD=x', '.env.local' => 'x', 'a/.env.production' => 'x', '.git/config' => 'x', '.ssh/id_rsa' => 'x',
	'node_modules/x/index.js' => 'x', 'a/node_modules/y.js' => 'x', '.DS_Store' => 'x',
	'x.log' => 'x', 'a/deep/y.log' => 'x', 'out/only.txt' => 'x', 'top.html' => 'x', 'tmp/x' => 'x', 'a/tmp/x' => 'x', 'q1.txt' => 'x',
	'z9.txt' => 'x', 'docs/a/b/c.draft' => 'x');
my $site = files('whole', %public, %private, 'tmpfile' => 'x', '.vitrineignore' =>
	"# words\n\n*.log  \n!docs/keep/*.log\nout/*\n!out/file.html\n/top.html\ntmp/\nq?.txt\n[x-z]9.txt\ndocs/**/*.draft\r\n");
my ($status, $out, $err) = client('publish', $site, '--visibility', 'public', '--slug', 'whole');
is $status, 0, 'a folder with much in it' or diag $err;
like $err, qr{^left out 17: \.DS_Store, \.env, \.env\.local, \.git/, \.ssh/, \S+$}m, 'says how much was left out, and the first of it';
is $api->get_site('whole', "/$_")->{status}, 200, "$_ is published" for grep { $_ ne '_headers' } sort keys %public, 'tmpfile';
is $api->get_site('whole', "/$_")->{status}, 404, "$_ is not" for sort keys %private, '.vitrineignore';
files('whole', '.vitrineignore' => "!.env\n!.git\n!.vitrine.json\n", '.vitrine.json' => '{}');
($status, $out, $err) = client('publish', $site, '--slug', 'whole');
is $api->get_site('whole', '/.env')->{status}, 200, 'what is taken in again is there';
like $err, qr/^vitrine: warning: \.env looks like a file of secrets, judging by its name$/m, '... with a warning';
is $api->get_site('whole', "/$_")->{status}, 404, "but never $_" for '.git/config', '.vitrine.json', '.vitrineignore';
files('whole', '.vitrineignore' => 'a*' x 200 . "b\n" . '**/' x 200 . "c\n", ('a' x 250) => 'x');
($status) = client('publish', $site, '--slug', 'whole');
is $status, 0, 'a pattern that could be tried in ever so many ways is not';
files('whole', '.vitrineignore' => "x\n" x 2000);
is +(client('publish', $site, '--slug', 'whole'))[0], 1, 'nor are there ever so many';
is +(client('publish', files('empty', '.env' => 'x')))[2],
	"left out 1: .env\n" =~ s/.*//sr . "vitrine: $dir/empty has no files except those that are left out\n", 'nothing is left';

# ---- what looks like a secret

my %secret = ('a private key' => "-----BEGIN RSA PRIVATE KEY-----\nMII", 'an AWS access key' => 'id = "AKIAABCDEFGHIJKLMNOP"',
	'a GitHub token' => 'ghp_' . 'a1' x 18, 'a Vitrine token' => "x $ann->{token} y", 'a Stripe key' => 'sk_live_' . 'x' x 24);
for (sort keys %secret) {
	my $s = files('leaks', 'index.html' => 'x', 'big.js' => 'x' x 65500 . " $secret{$_} " . 'y' x 70000);
	($status, $out, $err) = client('publish', $s, '--slug', 'leaks');
	is $status, 0, "$_: a script goes on";
	like $err, qr/^vitrine: warning: big\.js looks like \Q$_\E$/m, '... and is warned, wherever in the file it stands';
}
files('leaks', 'big.js' => 'AKIA and PRIVATE KEY----- and xAKIAABCDEFGHIJKLMNOP and ghp_short and so_' . 'a' x 20);
unlike +(client('publish', "$dir/leaks", '--slug', 'leaks'))[2], qr/warning/, 'what only begins so is no secret';
files('leaks', 'big.js' => $secret{'an AWS access key'});
sub typed { my ($answer, @args) = @_; return $stack->at_terminal($answer, { VITRINE_TOKEN => $ann->{token} }, @args) }
my $version = sub { $stack->db
	->selectrow_array("SELECT MAX(v.version_no) FROM version v JOIN artifact a ON a.id = v.artifact_id WHERE a.slug = 'leaks'") };
my $before = $version->();
like typed("n\n", 'publish', "$dir/leaks", '--slug', 'leaks'), qr/Publish it anyway\? \[y\/N\].*nothing was published/s,
	'somebody at a terminal is asked';
is $version->(), $before, '... no is no';
like typed("y\n", 'publish', "$dir/leaks", '--slug', 'leaks'), qr{\[y/N\].*https://leaks\.}s, '... yes is yes';
unlike typed('', 'publish', "$dir/leaks", '--slug', 'leaks', '--yes'), qr{\[y/N\]}, '--yes has said so';
is $version->(), $before + 2;

# ---- what is remembered

my $once = files('named-once', 'index.html' => 'x');
my $first = published($once, '--slug', 'named-once');
is published($once), $first, 'a slug that was given once, where nothing was remembered, is what it is from then on';
isnt published($once, '--slug', 'another-once'), $first, 'where something is, another holds for that time';
is published($once), $first, '... and no longer';
is +(client('pull', 'named-once', "$dir/pulled-once"))[2], "1 file fetched, 0 already there\n", 'one file is one file';
is +($stack->program('vitrine', { VITRINE_TOKEN => '', HOME => $dir, VITRINE_CA => '' }, 'login', '--url',
	$api->{url} // "https://vitrine.localhost:$stack->{port}"))[2] =~ /VITRINE_CA is/ ? 1 : 0, 0,
	'VITRINE_CA that is empty is not set';
my $count = artifacts();
for my $built (qw(dist build out public)) {
	my $project = files("project-$built", 'src/x' => 'x', "$built/index.html" => 'one');
	my $url = published("$project/$built", '--visibility', 'public');
	like $url, qr{^https://project-$built\.}, '... is called after the project';
	remove_tree("$project/$built");
	files("project-$built", "$built/index.html" => 'two');
	is published("$project/$built"), $url, 'after a build that empties its folder it is the same artifact';
	is $api->get_site("project-$built", '/')->{body}, 'two';
	is +(client('publish', "$project/$built", '--json'))[1] =~ /"version_no":3/ ? 1 : 0, 1;
}
is artifacts(), $count + 4, 'one artifact each';
my $mono = files('mono', 'package.json' => '{}', 'web/_site/index.html' => 'x', 'web/package.json' => '{}', 'api/docs/index.html' => 'y');
make_path("$mono/.git");
my $web = published("$mono/web/_site", '--name', 'Web');
ok -e "$mono/web/.vitrine.json", 'it lies in the nearest package';
remove_tree("$mono/web/_site");
files('mono', 'web/_site/index.html' => 'x2');
is published("$mono/web/_site"), $web, '... whatever the folder is called';
my $docs = published("$mono/api/docs");
ok -e "$mono/.vitrine.json", 'or in the repository';
rename "$mono/web/.vitrine.json", "$mono/web/hidden";
isnt published("$mono/web/_site", '--name', 'Web again'), $web;
ok !-e "$mono/web/.vitrine.json", 'one that is there, upward, is used';
is published("$mono/api/docs"), $docs, '... and keeps what it remembered';
is scalar(() = Vitrine::Stack::slurp("$mono/.vitrine.json") =~ /artifact_id/g), 2;
my $page = files('pages', 'one.html' => '1', 'two.html' => '2');
my ($one, $two) = map { published("$page/$_.html") } qw(one two);
isnt $one, $two, 'two files are two artifacts';
files('pages', 'one.html' => '1 again');
is published("$page/one.html"), $one, 'a file published again is the same artifact';
chdir $page;
is published('two.html'), $two, '... from its folder too';
chdir '/';

$count = artifacts();
($status, $out, $err) = client('publish', "$page/one.html", '--new');
is $status, 0, '--new';
isnt $out, "$one\n", '... is another artifact';
like $err, qr/one\.html was \Q$one\E and is remembered as \S+ from now on/, '... which is said';
is artifacts(), $count + 1;
($status, $out, $err) = client('publish', "$page/one.html", '--new', '--slug', 'whole');
is $status, 4, '--new never becomes a version of another';
like $err, qr/you already have an artifact whole/;
is +(client('publish', "$page/one.html", '--new', '--artifact', 'whole'))[0], 2, '--new and --artifact contradict each other';
like +($stack->client($stack->user('bob@example.org')->{token}, 'publish', "$page/two.html", '--slug', 'whole', '--new'))[2],
	qr/^vitrine: --slug: the address "whole" is taken; choose another, or leave out --slug$/m,
	'a slug of somebody else, in words of the client';
like +(client('publish', "$page/one.html", '--slug', 'No Slug'))[2], qr/^vitrine: --slug: /m, '... and one that is none';
like +(client('rename', 'leaks', 'Leaks', '--slug', 'whole'))[2], qr/^vitrine: --slug: the address "whole" is taken; choose another$/m,
	'... also for a new address';
is published("$page/one.html", '--new', '--slug', 'free-slug') =~ m{//free-slug\.} ? 1 : 0, 1, 'one with a free slug is made';

# ---- how it is called

my $named = files('first name', 'index.html' => 'x');
published($named, '--visibility', 'public');
is name_of('first-name'), 'first name', 'after the folder';
my $id = $stack->db->selectrow_array("SELECT id FROM artifact WHERE slug = 'first-name'");
is $api->call(PATCH => "/v1/artifacts/$id", { token => $ann->{token}, json => { name => 'Grüße' } })->{status}, 200;
published($named);
is name_of('first-name'), 'Grüße', 'a publish renames nothing';
published($named, $_, $_ eq '--slug' ? 'first-name' : $id), is(name_of('first-name'), 'Grüße', "... nor by $_") for '--slug', '--artifact';
published($named, '--name', 'Third');
is name_of('first-name'), 'Third', 'unless it is told to';

# ---- what is said

$named = files('said', 'index.html' => 'x');
like +(client('publish', $named))[2], qr/^private: only you and people you share it with can open it, after signing in/m,
	'what private means';
like +(client('publish', $named, '--visibility', 'unlisted'))[2], qr/^unlisted: anyone with the address/m, '... and unlisted';
like +(client('publish', $named))[2], qr/^unlisted: /m, '... as it is';
like +(client('publish', $named, '--visibility', 'public'))[2], qr/^public: anyone/m, '... and public';
like +(client('publish', $named, '--draft'))[2], qr/^a draft: /m, '... and a draft';
is +(client('publish', $named, '--quiet'))[2], '', '--quiet says nothing';
files('said', 'big.bin' => join '', map { chr rand 256 } 1 .. 3 << 20);
like typed('', 'publish', $named), qr/sending \[#* *\] +\d+%/, 'a bar at a terminal';
unlike +(client('publish', $named, '--new'))[2], qr/\[#|\r/, '... and nowhere else';
my %env = (HOME => $dir, XDG_CONFIG_HOME => '');
my $url = "https://vitrine.localhost:$stack->{port}";
($status, undef, $err) = $stack->program('vitrine', { %env, VITRINE_TOKEN => 'so_' . 'a' x 49 }, 'list');
like $err, qr/^  VITRINE_TOKEN isn't a valid token for \Q$url\E: .*vitrine login --url \Q$url\E$/m, 'a wrong token: what to do';
my $kept = $stack->ctl(qw(token mint --user ann@example.org));
my $marked = "\xef\xbb\xbf$kept\r"; # as $(cat FILE) reads a file of Windows
is +($stack->program('vitrine', { %env, VITRINE_TOKEN => $marked }, 'list'))[0], 0, 'a token behind a byte order mark, in the environment';
is +($stack->program('vitrine', { %env, VITRINE_TOKEN => '' }, 'login', '--token', $marked))[0], 0, '... and as an argument';
is +($stack->program('vitrine', { %env, VITRINE_TOKEN => '' }, 'login', '--token', $kept))[0], 0;
$stack->db->do('UPDATE token SET revoked_at = 1 WHERE revoked_at IS NULL AND id <> (SELECT * FROM (SELECT MIN(id) FROM token) t)');
($status, undef, $err) = $stack->program('vitrine', { %env, VITRINE_TOKEN => '' }, 'list');
is $status, 3;
like $err, qr/^  sign in again: vitrine login --url \Q$url\E$/m, 'one that is over: what to type';
($status, undef, $err) = $stack->program('vitrine', { %env, VITRINE_CA => '/etc/ssl/certs/ca-certificates.crt' }, 'list');
is $status, 5;
like $err, qr/its certificate isn't trusted here: .*VITRINE_CA=FILE/, 'a certificate that nobody knows: what to type'
	if -e '/etc/ssl/certs/ca-certificates.crt';
like +($stack->program('vitrine', { %env, VITRINE_CA => "$dir/none" }, 'list'))[2],
	qr/VITRINE_CA is \Q$dir\E\/none: it must be a PEM file of certificates/, 'a VITRINE_CA that is none';
$stack->db->do('UPDATE token SET revoked_at = NULL');
($status, undef, $err) = $stack->program('vitrine', { %env, VITRINE_TOKEN => $ann->{token} }, 'login', '--token', $kept);
like $err, qr/VITRINE_TOKEN is set and takes precedence: the token that login saves isn't used/, 'login says that the variable wins';
($status, undef, $err) = $stack->program('vitrine', { %env, VITRINE_TOKEN => $ann->{token} }, 'logout');
is $status, 0;
like $err, qr/VITRINE_TOKEN is set and takes precedence: its token wasn't revoked/, '... and logout';
is +(client('whoami'))[0], 0, '... which is so';
is +($stack->program('vitrine', { %env, VITRINE_TOKEN => $kept }, 'whoami'))[0], 3, 'the one that was kept has ended';

# ---- who reads and writes its data

my $ruled = Vitrine::Stack::folder($dir, 'ruled', 'index.html' => 'x');
Vitrine::Stack::spew("$dir/rules.json", '{ "default": "viewer" }');
my $rules_of = sub { return $stack->db->selectrow_array("SELECT access_policy FROM artifact WHERE slug = 'ruled'") };
is +(client('publish', $ruled, '--slug', 'ruled', '--access-policy', "$dir/rules.json"))[0], 0, 'published with rules';
is $rules_of->(), '{"default":"viewer"}', '... which the artifact has';
is +(client('publish', $ruled))[0], 0;
is $rules_of->(), '{"default":"viewer"}', '... and keeps';
($status, undef, $err) = client('publish', $ruled, '--access-policy', '{"default":"nobody"}');
like $err, qr/access_policy\.default: must be owner, editor, viewer, or everyone/, 'a rule that is none is named';
isnt $status, 0;
Vitrine::Stack::spew("$dir/rules.json", '[1]');
like +(client('publish', $ruled, '--access-policy', "$dir/rules.json"))[2], qr/--access-policy: \Q$dir\E\/rules\.json isn't a JSON object/,
	'what is no object';
like +(client('publish', $ruled, '--access-policy', "$dir/none"))[2], qr/none: No such file/, 'a file that is not there';
is $rules_of->(), '{"default":"viewer"}', 'nothing has changed';

# ---- help

my ($all) = (client('help'))[1];
my @commands = $all =~ /^  (\w+) /mg;
is "@commands", 'publish new dev import search inbox list open versions diff problems rollback history blame pin visibility rename '
	. 'delete trash restore pull share unshare requests domains data table policy watch alert blob assets delivery jobs comments '
	. 'reviews workspace clients grants shared connections catalog notes folder audit runs schedules automations token mcp login '
	. 'logout whoami tokens support completion', 'help names each command';
my %column = map { length() => 1 } $all =~ /^(  \w+ +)/mg;
is keys %column, 1, '... and says what each does, in one column';
for my $command (@commands) {
	($status, $out, $err) = client($command, '--help');
	is "$status$err", '0', "$command --help";
	my ($usage, $rest) = split /\n/, $out, 2;
	my @options = $usage =~ /(--[\w-]+)/g;
	is join(' ', sort $rest =~ /^  (--[\w-]+)/mg), join(' ', sort @options), '... explains each option, and no other';
	is +(client('help', $command))[1], $out, "help $command says the same";
}
for (['publsih' => 'publish'], ['versoin' => 'versions'], ['rolback' => 'rollback'], ['Login' => 'login']) {
	($status, $out, $err) = client($_->[0], 'x');
	is "$status$err", "2vitrine: $_->[0] isn't a command; did you mean vitrine $_->[1]?\n", "$_->[0]";
}
is +(client('frobnicate'))[2], "vitrine: frobnicate isn't a command; vitrine help lists them\n", 'what is near to none';
is +(client("x\e[2J"))[2], "vitrine: x\\u001b[2J isn't a command; vitrine help lists them\n", '... and is shown as it is';
is +(client('publish', 'x', '--visibilty=public'))[2], "vitrine: --visibilty isn't an option of publish; did you mean --visibility?\n",
	'an option too';
is +(client('help', 'publsih'))[0], 2;
is +(client('token', '--bogus'))[2], "vitrine: --bogus isn't an option of token; vitrine token --help lists them\n",
	'... which only what is near suggests';
is_deeply [client('list', '--url')], [2, '', "vitrine: --url: has no value; write --url URL\n"], 'an option without its value';
is_deeply [client('publish', 'x', '--slug')], [2, '', "vitrine: --slug: has no value; write --slug S\n"], '... of the command';
for ([['publish', 'x', '-q'] => "-q isn't an option"], [['publish'] => 'one of DIR|FILE|- is missing'],
	[['publish', '--yes=1', 'x'] => '--yes takes no value'], [['publish', '--yes', '--yes', 'x'] => '--yes is given twice'],
	[['comments', 'add', 'docs'] => '--text TEXT is missing'], [['comments', 'rm'] => 'ID is missing'],
	[['pin'] => 'VERSION is missing'], [['pull', 'a', 'b', 'c'] => 'c is one argument too many'],
	[['support', 'reply', 'tkt_x'] => '--text TEXT is missing']) {
	($status, $out, $err) = client(@{$_->[0]});
	is $status, 2, "wrong usage: @{$_->[0]}";
	like $err, qr/^vitrine: \Q$_->[1]\E\nusage: vitrine $_->[0][0] /, '... and what is wrong';
}
for ([[qw(support new)] => 'vitrine support new needs --subject TEXT and --text TEXT'],
	[[qw(reviews ask docs)] =>
		'docs is neither an address nor the id of a person or a client; the artifact is given as --artifact SLUG'],
	[[qw(comments list --text x)] => '--text goes with vitrine comments add, reply, or edit'],
	[[qw(jobs list --cron @daily)] => '--cron goes with vitrine jobs add'],
	[[qw(workspace plan --seats 3)] => '--seats goes with other arguments: vitrine workspace plan PLAN --seats N'],
	[['dev', $site, '--as', 'bob'] => '--as: must be me or visitor, not bob']) {
	is_deeply [client(@{$_->[0]})], [2, '', "vitrine: $_->[1]\n"], "@{$_->[0]}";
}

# ---- a version's own address

is $api->get_site('whole--v1', '/tmpfile')->{status}, 200, 'a version that was live';
is_deeply [client('versions', 'whole', '--close', 1)], [0, '', "version 1: its own address is closed to visitors\n"], 'closed';
is $api->get_site('whole--v1', '/tmpfile')->{status}, 404, '... it is not seen';
is_deeply [client('versions', 'whole', '--open', 1)],
	[0, '', "version 1: its own address is open while the artifact is public or unlisted\n"], 'opened';
is $api->get_site('whole--v1', '/tmpfile')->{status}, 200, '... it is';
is_deeply [client('versions', 'whole', '--open', 1, '--close', 2)],
	[2, '', "vitrine: --close goes with other arguments: vitrine versions [SLUG] --close N\n"], 'not both';
is_deeply [client('pin', 'named-once', 1, '--end')],
	[2, '', "vitrine: --end goes with other arguments: vitrine pin [SLUG] --end\n"], 'nor is a pin both set and ended';
is +(client('diff', 'named-once', '--was', 'x'))[2],
	"vitrine: --was goes with other arguments: vitrine diff [SLUG] --text PATH\n", 'what another row sends';
is +(client('pin', 'named-once', 1))[0], 0, 'a version is pinned';
like published($once), qr{^https://named-once--v\d+\.}, '... and a publish prints the address of the draft that it became';
my $top = Cwd::getcwd();
chdir $once;
is_deeply [client('pin', '--end')], [0, '', "no version is pinned; the next publish goes live\n"], '... until that ends';
chdir $top;
is +(client('versions', 'whole', '--open', 99))[0], 1, 'one that is not there';

# ---- failures for programs

sub failed {
	my ($status, $out, $err) = client(@_, '--json');
	is $out, '', "@_: nothing on standard output";
	return ($status, decode_json((split /\n/, $err)[-1]));
}
my $json;
($status, $json) = failed('publish', $named, '--slug', 'said', '--expected-version', '77');
is_deeply [$status, @$json{qw(success code)}], [4, Cpanel::JSON::XS::false, 'VERSION_CONFLICT'], 'the service\'s envelope';
is ref $json->{details}, 'HASH', '... with its details';
ok $json->{request_id}, '... and its request';
unlike +(client('versions', 'none-such', '--json'))[2], qr/^vitrine:/m, 'one of the client\'s own';
is_deeply [failed('versions', 'none-such')],
	[1, { success => Cpanel::JSON::XS::false, error => 'none-such: none of your artifacts has this slug', code => 'REFUSED' }],
	'... in the same form';
is_deeply [failed('versions', 'a', 'b')],
	[2, { success => Cpanel::JSON::XS::false, code => 'USAGE',
		error => 'b is one argument too many; usage: vitrine versions [SLUG] [--open N] [--close N] [--remove N] [--yes]' }],
	'wrong usage';
is +(failed('list', '--bogus'))[1]{code}, 'USAGE', '... of an option';
is +(failed('frobnicate'))[1]{error}, "frobnicate isn't a command; vitrine help lists them", '... of a command';
($status, undef, $err) = $stack->program('vitrine', { VITRINE_TOKEN => '', HOME => "$dir/nobody" }, 'list', '--json');
is_deeply [$status, decode_json($err)->{code}], [3, 'UNAUTHENTICATED'], 'nobody is signed in';
($status, undef, $err) = $stack->program('vitrine', { VITRINE_TOKEN => $ann->{token}, VITRINE_URL => 'https://localhost:9' },
	'list', '--json');
is_deeply [$status, decode_json($err)->{code}], [5, 'UNAVAILABLE'], 'no service';
finish($stack);
