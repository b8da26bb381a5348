# SPDX-License-Identifier: Apache-2.0
# The client from day to day: who may see an artifact, what it is called, the trash, tokens and requests; which artifact is meant where none
# is named; completion.
use utf8;
use FindBin;
use File::Path qw(make_path remove_tree);
use Vitrine::Words;

my ($stack, $api) = stack(publish_per_hour => 1000, access_requests_per_hour => 60);
my ($ann, $ben) = map { $stack->user("$_\@example.org") } qw(ann ben);
my $dir = $stack->{dir};
sub client { return $stack->client($ann->{token}, @_) }
sub site { return Vitrine::Stack::folder($dir, @_) }
# Runs it and expects a status; gives what it printed.
sub fine {
	my ($status, $out, $err) = client(@_);
	is $status, 0, "@_" or diag $err;
	return wantarray ? ($out, $err) : $out;
}
sub refused {
	my ($expected, $like, @args) = @_;
	my ($status, $out, $err) = client(@args);
	is "$status $out", "$expected ", "refused: @args" or diag $err;
	like $err, $like, '... and says why';
}
sub json { return decode_json($_[0]) }
sub artifact { my ($id) = @_; return $api->call(GET => "/v1/artifacts/$id", { token => $ann->{token} })->{json}{artifact} }

my $plans = site('plans', 'index.html' => 'one');
fine('publish', $plans, '--visibility', 'public');
my $id = $stack->db->selectrow_array("SELECT id FROM artifact WHERE slug = 'plans'");
ok $id, 'there is an artifact';

# ---- a file's versions, and errors

refused(1, qr/^vitrine: no version has nope\.md$/m, 'history', 'plans', 'nope.md');
refused(1, qr/^vitrine: There is no file nope\.md in version 1, or you don't have access to it$/m, 'blame', 'plans', 'nope.md');
my @said = client('history', 'plans', 'nope.md', '--json');
is "$said[0] $said[2]", '1 {"success":false,"error":"no version has nope.md","code":"REFUSED"}' . "\n", '... as JSON';
like fine('history', 'plans', 'index.html'), qr/^v1 /, 'a file that there is';
# The service's errors name what was typed.
refused($_->[0], qr/^vitrine: \Q$_->[1]\E: /m, @$_[2 .. $#$_])
	for [1, '--base', 'publish', $plans, '--artifact', 'plans', '--base', '99'],
	[1, '--checks, value 1', 'publish', $plans, '--artifact', 'plans', '--checks', 'foo'],
	[1, '--candidate', 'publish', $plans, '--artifact', 'plans', '--candidate', 'foo'],
	[1, 'NAME', 'rename', 'plans', ''], [1, '--state', 'comments', 'plans', '--state', 'foo'],
	[1, '--kind', 'inbox', 'list', '--kind', 'foo'], [1, '--at', 'inbox', 'settings', '--at', 'noon'],
	[1, '--expires', 'reviews', 'ask', 'ben@example.org', '--artifact', 'plans', '--expires', '2020-01-01'],
	[1, '--workspace', 'publish', $plans, '--new', '--workspace', 'wsp_' . '0' x 26],
	[1, 'WHO, value 1', 'reviews', 'ask', 'usr_' . '0' x 26, '--artifact', 'plans'],
	[1, 'KIND', 'inbox', 'settings', 'foo', '--way', 'off'], [2, '--above', 'alert', 'add', 't', '--artifact', 'plans', '--above', 'x'];

# ---- which artifact is meant

chdir $plans;
like fine('open'), qr{^https://plans\.}, 'from its folder it needs no name';
like fine('open', $_), qr{^https://plans\.}, "'$_' names it" for 'plans', $id, '.', './', $plans, "$plans/index.html";
make_path("$plans/deep/er");
chdir "$plans/deep/er";
like fine('versions'), qr/^\* v1 /, 'nor from a folder within';
chdir '/';
Vitrine::Stack::spew("$dir/browser", "#!/bin/sh\necho \"\$*\" >'$dir/shown'\n");
chmod 0755, "$dir/browser";
like $stack->at_terminal('', { VITRINE_TOKEN => $ann->{token}, BROWSER => "$dir/browser" }, 'open', 'plans'), qr{^https://plans\.},
	'at a terminal the address is printed';
like Vitrine::Stack::slurp("$dir/shown"), qr{^https://plans\.\S+\n$}, '... and shown in a browser';
refused(1, qr/^vitrine: nothing was published from this folder to \S+: name an artifact by its slug or id/, 'open');
refused(1, qr/none of your artifacts has this slug/, 'versions', 'none-such');
refused(1, qr/No such file/, 'versions', './none-such');
refused(2, qr/^vitrine: b is one argument too many\nusage: vitrine versions \[SLUG\]/, 'versions', 'a', 'b');
my $mono = site('mono', 'package.json' => '{}', 'web/dist/index.html' => 'web', 'docs/index.html' => 'docs');
fine('publish', "$mono/web/dist", '--name', 'Mono web', '--visibility', 'public');
chdir $mono;
like fine('open'), qr{^https://mono-web\.}, 'the only one of a project is meant wherever in it one stands';
fine('publish', 'docs', '--name', 'Mono docs', '--visibility', 'public');
refused(1, qr{more than one artifact was published from this project; name one:\n  \Q$mono\E/web/dist  art_\w+  https://mono-web\S+\n  \Q$mono\E/docs  art_\w+  https://mono-docs\S+\n},
	'open');
like fine('open', './docs'), qr{^https://mono-docs\.}, 'a path says which';
refused(1, qr{^vitrine: docs: none of your artifacts has this slug; \./docs was published as https://mono-docs\S+ \(art_\w+\)$}m,
	'versions', 'docs');
chdir "$mono/docs";
like fine('open'), qr{^https://mono-docs\.}, '... or where one stands';
# A repository that was published itself, and packages in it that were too.
my $repo = site('repo', 'index.html' => 'root', map { ("packages/$_/www/index.html" => $_, "packages/$_/src/x" => 'x') } qw(shop blog));
make_path("$repo/.git");
fine('publish', $repo, '--visibility', 'public');
for my $package (qw(shop blog)) {
	my $built = $package eq 'shop' ? 'dist' : 'www';
	chdir "$repo/packages/$package";
	like fine('open'), qr{^https://repo\.}, 'a package that was not published is of its repository';
	site("repo/packages/$package/$built", 'index.html' => $package);
	fine('publish', $built, $built eq 'www' ? ('--name', 'blog') : (), '--visibility', 'public');
	like fine('open'), qr{^https://$package\.}, '... one that was goes under its own name, and is meant in its folder';
	chdir "$repo/packages/$package/src";
	like fine('open'), qr{^https://$package\.}, '... and within';
}
chdir $repo;
like fine('open'), qr{^https://repo\.}, 'the repository is meant in its own';
chdir "$repo/packages";
like fine('open'), qr{^https://repo\.}, '... and where nothing else was published';
my $sides = site('sides', 'package.json' => '{}', map { ("$_/dist/index.html" => $_) } qw(left right));
fine('publish', "$sides/left/dist", '--visibility', 'public');
fine('publish', "$sides/right/dist", '--visibility', 'public');
chdir "$sides/left";
like fine('open'), qr{^https://left\.}, 'a build is named after the package that it is of';
chdir "$sides/right/dist";
like fine('open'), qr{^https://right\.}, '... wherever in it one stands';
chdir $sides;
refused(1, qr{more than one artifact was published from this project}, 'open');
chdir '/';
my $gift = site('gift', 'index.html' => 'theirs', '.vitrine.json' => encode_json({ artifact_id => $id, url => 'https://plans.example/' }));
refused(1, qr/you didn't write that here: name the artifact, \Q$id\E, if it is right/, 'delete', $gift);
refused(1, qr/you didn't write that here/, $_->[0], $gift, @$_[1 .. $#$_])
	for ['open'], ['visibility', 'public'], ['share', 'eve@example.org'], ['rename', 'Theirs'], ['rollback', '1'];
ok !artifact($id)->{deleted_at}, 'a stranger\'s folder names nothing of ours';

# ---- who can open it

chdir $plans;
is +(fine('visibility', 'unlisted'))[1], "unlisted: anyone with the address can open it\n", 'what it means is said';
is artifact($id)->{visibility}, 'unlisted';
like +(fine('visibility', 'plans', 'public'))[0], qr{^https://plans\.\S+\n$}, 'the address is the result';
is $api->get_site('plans', '/')->{status}, 200, 'it is open';
is json(fine('visibility', 'private', '--json', '--quiet'))->{artifact}{visibility}, 'private', '--json gives the reply';
is $api->get_site('plans', '/')->{status}, 404, '... and closed';
refused(2, qr/^vitrine: secret isn't a visibility; use public, unlisted, or private$/m, 'visibility', 'secret');
refused(2, qr/usage/, 'visibility');

my ($viewers, $shared) = fine('share', 'ben@example.org', 'new@example.org');
is $viewers, "viewer   ben\@example.org\nviewer   new\@example.org\n", 'viewers';
is $shared, "ben\@example.org gets no e-mail; send them the address yourself\n"
	. "new\@example.org gets no e-mail; send them the address yourself\nan address without an account gets access once it has one\n",
	'who is not told by us, and what becomes of whom we do not know';
is fine('share', $id, 'ben@example.org', '--role', 'editor'), "editor   ben\@example.org\n", 'an editor';
is fine('share'), "owner    ann\@example.org\neditor   ben\@example.org\nviewer   new\@example.org (no account yet)\n",
	'without an address: who has access';
is scalar @{json(fine('share', '--json'))->{collaborators}}, 3;
is +($stack->client($ben->{token}, 'versions', 'plans'))[0], 0, 'the editor sees it';
refused(2, qr/^vitrine: x isn't an e-mail address$/m, 'share', 'plans', 'x');
refused(2, qr/^vitrine: --role: must be viewer or editor, not owner$/m, 'share', 'eve@example.org', '--role', 'owner');
refused(1, qr/ann\@example\.org|owner/, 'share', 'ann@example.org');
is +(fine('unshare', 'new@example.org'))[1], "new\@example.org no longer has access, unless everyone does\n", 'unshare';
my ($status, undef, $err) = client('unshare', 'plans', 'nobody@example.org', 'ben@example.org');
is $status, 1, 'one that has no access is a failure';
is fine('share'), "owner    ann\@example.org\n", '... that does not keep the others';
refused(2, qr/^vitrine: EMAIL is missing\nusage: vitrine unshare/, 'unshare', 'plans');
fine('share', map { "p$_\@example.org" } 1 .. 100);
refused(1, qr/^vitrine: EMAIL: has 101/m, 'share', map { "q$_\@example.org" } 1 .. 101);
fine('unshare', map { "p$_\@example.org" } 1 .. 100);

# ---- what it is called

like fine('rename', 'Großer Plan'), qr{^https://plans\.}, 'another name';
is artifact($id)->{name}, 'Großer Plan';
like fine('rename', 'plans', 'Plan B', '--slug', 'plan-b'), qr{^https://plan-b\.}, 'another address';
is join(' ', @{artifact($id)}{qw(name slug)}), 'Plan B plan-b';
refused(4, qr/taken/, 'rename', 'Plan B', '--slug', 'mono-web');
refused(1, qr/^vitrine: --slug/m, 'rename', 'Plan B', '--slug', 'No Slug');
like fine('open'), qr{^https://plan-b\.}, 'the folder still knows it';

# ---- versions

site('plans', 'index.html' => 'two');
fine('publish', '.');
is +(fine('rollback', '1'))[1], "version 1 is live\n", 'rollback by number alone';
like fine('versions'), qr/^  v2 .*\n\* v1 /, '... as the list says';
is json(fine('rollback', 'plan-b', 'v2', '--json'))->{version}{version_no}, 2;
refused(2, qr/x is not a version number/, 'rollback', 'x');
fine('publish', '.', '--draft');
like fine('versions'), qr/^  v3 .* bytes  \(draft\) -  ann\@example\.org\n\* v2 .* bytes  -  ann\@example\.org\n/, 'a draft is marked';
my $long = site('long', 'index.html' => 'long');
my ($address) = fine('publish', $long, '--draft', '--slug', 'l' x 63, '--name', 'Long');
like $address, qr{^https://l{63}\.pages}, 'one whose slug is too long for an address of its version is told by its own';

# ---- the trash

is +(fine('delete'))[1], "moved to the trash; vitrine restore $id brings it back\n", 'delete';
like fine('trash'), qr/^plan-b +\Q$id\E  deleted \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ  Plan B\n$/, 'it is in the trash';
is json(fine('trash', '--json'))->{artifacts}[0]{id}, $id;
refused(1, qr/none of your artifacts has this slug/, 'delete', 'plan-b');
refused(1, qr/nothing in the trash has this slug/, 'restore', 'mono-web');
like fine('restore', 'plan-b'), qr{^https://plan-b\.}, 'restore by slug';
is fine('trash'), '', '... and it is not there anymore';
refused(4, qr/./, 'restore', $id);
fine('delete', $id);
my $taker = site('taker', 'index.html' => 'x');
fine('publish', $taker, '--slug', 'plan-b');
refused(4, qr/slug: the slug plan-b is now taken by another artifact; use --slug S to restore this one under another slug/, 'restore', $id);
like fine('restore', $id, '--slug', 'plan-c'), qr{^https://plan-c\.}, '... which a slug makes good';
fine('delete', 'plan-b', '--purge', '--yes');
fine('rename', $id, 'Plan B', '--slug', 'plan-b');
fine('delete', $id);
like fine('restore'), qr{^https://plan-b\.}, 'restore by the folder';
refused(2, qr/--purge can't be undone: confirm it with --yes/, 'delete', 'plan-b', '--purge');
refused(2, qr/--purge can't be undone: name the artifact by its slug or id/, 'delete', '--purge', '--yes');
fine('delete', 'mono-docs');
is +(fine('delete', 'mono-docs', '--purge', '--yes'))[1], "deleted permanently\n", 'what is in the trash can be purged by its slug';
is fine('trash'), '';
fine('delete', 'mono-web', '--purge', '--yes');
refused(1, qr/nothing in the trash has this slug/, 'delete', 'mono-web', '--purge', '--yes');

# ---- comments

is fine('comments', $id), '', 'nobody has said anything';
my ($said) = fine('comments', 'add', $id, '--text', "about\nthis", '--path', '/x.html') =~ /^(cmt_\w+)$/m;
ok $said, 'a comment is added';
like fine('comments', $id), qr{^$said  \S+Z  .*  /x\.html\n  about\n  this$}m, 'and listed';
fine('comments', 'add', $id, '--text', 'yes', '--reply', $said);
is scalar(() = fine('comments', 'list', $id) =~ /^cmt_/mg), 2, 'with a reply';
is scalar(() = fine('comments', $id, '--path', '/x.html') =~ /^cmt_/mg), 1, 'those of a page';
is json(fine('comments', $id, '--json'))->{comments}[1]{reply_to}, $said, 'as JSON';
is +($stack->client($ann->{token}, @$_))[0], 2, "comments: @$_"
	for ['comments', 'add', $id], ['comments', $id, '--text', 'x'], ['comments', 'list', $id, 'x'], ['comments', $id, '--reply', $said];
my ($answer) = fine('comments', 'reply', $said, $id, '--text', 'and another') =~ /^(cmt_\w+)$/m;
fine('comments', 'resolve', $said, $id);
is fine('comments', $id, '--state', 'open'), '', 'a resolved thread is not open';
fine('comments', 'reopen', $said, $id);
fine('comments', 'edit', $answer, $id, '--text', 'changed');
like fine('comments', $id, '--state', 'open'), qr/^$answer .*\n  changed$/m, 'opened again, and changed';
fine('comments', 'rm', $answer, $id, '--yes');
unlike fine('comments', $id), qr/$answer/, 'and deleted';
refused(1, qr/^vitrine: nothing new in 1 second$/, 'comments', 'wait', $id, '--wait', 1);
like fine('comments', 'wait', $id, '--since', 0, '--wait', 9), qr/^$said  /m, 'what is new is waited for';

# ---- requests

sub ask {
	my ($who) = @_;
	is $api->call(POST => '/v1/access-requests', { token => $who->{token},
		json => { artifact_id => $id, message => "please,\r\nlet me in" } })->{status}, 202, 'somebody asks';
	$stack->runner;
}
is fine('requests'), '', 'nobody asks';
ask($ben);
my $list = fine('requests');
like $list, qr{^(acr_\w+)  \S+Z  ben\@example\.org  https://plan-b\.\S+\n  please,\n  let me in\n$}, 'a request and its message';
my ($acr) = $list =~ /^(acr_\w+)/;
is json(fine('requests', '--json'))->{access_requests}[0]{id}, $acr;
is +($stack->client($ben->{token}, 'requests', 'approve', $acr))[0], 1, 'it is the owner\'s to decide';
like +(fine('requests', 'approve', $acr, '--role', 'editor'))[1],
	qr{^ben\@example\.org now has access as editor: https://plan-b\.}, 'approve';
is fine('share'), "owner    ann\@example.org\neditor   ben\@example.org\n";
is fine('requests'), '', 'it is decided';
refused(4, qr/./, 'requests', 'deny', $acr);
fine('unshare', 'ben@example.org');
ask($ben);
($acr) = fine('requests') =~ /^(acr_\w+)/;
is +(fine('requests', 'deny', $acr))[1], "denied\n", 'deny';
is fine('share'), "owner    ann\@example.org\n";
refused(2, qr/^vitrine: ID is missing\nusage: vitrine requests/, 'requests', 'approve');
refused(2, qr/^vitrine: grant isn't a command of vitrine requests; write one of approve\|deny$/, 'requests', 'grant', $acr);
refused(2, qr/isn't a request id/, 'requests', 'approve', 'plan-b');

# ---- tokens

my $other = $stack->ctl(qw(token mint --user ann@example.org));
is +($stack->client($other, 'whoami'))[0], 0, 'a second token';
my @tokens = @{json(fine('tokens', '--json'))->{tokens}};
is scalar(() = fine('tokens') =~ /^tok_\w+  expires \S+Z  used (?:\S+Z|never) /mg), scalar @tokens, 'each has a line';
my ($tok) = map { $_->{id} } grep { $_->{id} ne $api->call(GET => '/v1/auth/me', { token => $ann->{token} })->{json}{token_id} } @tokens;
is +(fine('tokens', 'revoke', $tok))[1], "$tok is revoked\n", 'revoke';
is +($stack->client($other, 'whoami'))[0], 3, '... at once';
like fine('tokens'), qr/^\Q$tok\E  revoked /m, 'it is listed as revoked';
refused(2, qr/isn't a token id/, 'tokens', 'revoke', 'x');
refused(2, qr/^usage: vitrine tokens/m, 'tokens', @$_) for ['revoke'], ['end', $tok];
refused(1, qr/./, 'tokens', 'revoke', 'tok_' . '0' x 26);

# ---- what is wrong

for (['share', 'a@b.example'], ['unshare', 'a@b.example'], ['visibility', 'public'], ['rename', 'X'], ['trash'], ['restore', $id],
	['tokens'], ['requests']) {
	is +($stack->client('so_' . 'a' x 49, $_->[0], ($_->[0] =~ /share|vis|ren/ ? $id : ()), @$_[1 .. $#$_]))[0], 3,
		"$_->[0] without a token that holds: 3";
	is +($stack->program('vitrine', { VITRINE_TOKEN => $ann->{token}, VITRINE_URL => 'https://localhost:9', HOME => $dir }, $_->[0],
			($_->[0] =~ /share|vis|ren/ ? $id : ()), @$_[1 .. $#$_], '--quiet'))[0], 5, '... without a service: 5'
		if $_->[0] =~ /^(?:share|trash)$/;
}

# ---- completion

my ($bash) = $stack->program('vitrine', { VITRINE_URL => '', HOME => $dir }, 'completion', 'bash');
is $bash, 0, 'needs no service';
my $script = Vitrine::Stack::slurp("$dir/stdout");
is $script, Vitrine::Stack::slurp("$stack->{build}/completion/vitrine"), 'what is installed is what the client says';
Vitrine::Stack::spew("$dir/completion", $script);
sub completed {
	my @words = ('vitrine', @_);
	my $quoted = join ' ', map { "'$_'" } @words;
	my $script = '. "$0"; set +eu; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _vitrine; echo "${COMPREPLY[*]}"';
	return scalar `cd '$plans' && bash --norc -euc '$script' '$dir/completion' $quoted 2>&1` =~ s/\n$//r;
}
my @commands = map { /^  (\w+)  / ? $1 : () } split /\n/, fine('help');
is completed(''), "@commands help version", 'every command of the help';
is completed('pub'), 'publish', 'the beginning of one';
is completed('publish', '--vis'), '--visibility', 'an option';
is completed('publish', '--visibility', ''), 'public unlisted private', 'its values';
is completed('publish', '--visibility', '=', 'un'), 'unlisted', '... behind a sign too';
is completed('publish', '--slug', ''), '', 'none where they can\'t be known';
is completed('publish', 'ind'), 'index.html', 'a file';
is completed('pull', 'plan', 'd'), 'deep', 'a folder';
is completed('pull', 'plan', 'ind'), '', '... and no file';
is completed('visibility', 'pu'), 'public', 'a word that stands for itself';
is completed('requests', 'de'), 'deny';
is completed('share', '--role', ''), 'viewer editor';
is completed('trash', ''), '--url --json --quiet --help', 'options where there is nothing else';
is completed('token', 'ro'), 'rotate', 'a word after the first';
is completed('help', 'ren'), 'rename';
for my $command (@commands) {
	my %of = map { $_ => 1 } split ' ', completed($command, '--');
	ok $of{$_}, "$command $_ is completed" for map { /^  (--[a-z-]+)/ ? $1 : () } split /\n/, fine($command, '--help');
}
(my $man = Vitrine::Stack::slurp(($ENV{VITRINE_TOP} // "$FindBin::Bin/../..") . '/docs/man/vitrine.1')) =~ s/\\-/-/g;
for my $command (@commands) {
	my ($usage) = fine($command, '--help') =~ /^usage: vitrine \Q$command\E ?(.*?) ?\[--url URL\]/;
	my ($said) = $man =~ /^\.BR? "?\Q$command\E "? ?"?(.*?)"?$/m ? $1 : $man =~ /^\.B \Q$command\E$/m ? '' : 'nothing';
	is $said, $usage, "the manual has $command with its usage";
}
my ($zsh) = fine('completion', 'zsh');
is $zsh, Vitrine::Stack::slurp("$stack->{build}/completion/_vitrine");
like $zsh, qr/^#compdef vitrine\n/, 'one for zsh';
is system('zsh', '-n', "$stack->{build}/completion/_vitrine"), 0, '... that it can read';
refused(2, qr/fish: completion is available only for bash and zsh/, 'completion', 'fish');
chdir '/';

# ---- why no browser saw what was published

my $page = site('waits', 'index.html' => 'one');
fine('publish', $page);
sub waited { return +(client('publish', $page, '--wait'))[2] }
sub seen_at_once {
	my ($seen) = @_;
	$stack->db->do('CREATE OR REPLACE TRIGGER seen_at_once BEFORE INSERT ON page_seen FOR EACH ROW SET NEW.due_at = NULL, '
		. 'NEW.wanted_at = 0, NEW.seen_at = ' . ($seen ? '1' : 'NULL') . ', NEW.seen = ' . $stack->db->quote($seen));
}
for ([gone => 'the page could not be fetched'], [sign_in => 'its visitors must sign in'], [crashed => 'the browser crashed']) {
	seen_at_once(qq({"why":"$_->[0]"}));
	like waited(), qr/^no browser saw it: $_->[1]$/m, "publish --wait: $_->[0]";
}
# A program that is no browser: the service takes it for one until the lock's time says that none can run.
$stack->{conf} = { %{$stack->{conf}}, chromium => '/usr/bin/true' };
$stack->write_conf;
$stack->stop_one('worker');
$stack->start_worker;
my $lock = "$stack->{dir}/data/picture.lock";
Vitrine::Stack::spew($lock, '') if !-e $lock;
utime 1, 1, $lock;
seen_at_once(undef);
like waited(), qr/^no browser saw it: the machine is busy; see later with vitrine problems$/m, 'publish --wait: busy';
seen_at_once('{"ok":true}');
like waited(), qr/^a browser saw it: nothing went wrong$/m, 'publish --wait: seen';
$stack->db->do('DROP TRIGGER seen_at_once');
utime time, time + 500, $lock;
like waited(), qr/^no browser saw it: none can run there$/m, 'publish --wait: no_browser';
finish($stack);
