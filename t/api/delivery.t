# SPDX-License-Identifier: Apache-2.0
# What a delivery link leads to: its page, its gate, its bytes, by nginx alone where there is no gate; and that nothing is left of it once
# it is over.
use utf8;
use POSIX ();
use Vitrine::Smtp;
use Vitrine::Words qw(as said refused);

my $smtp = Vitrine::Smtp->new;
my ($stack, $api, $db) = stack($smtp->conf, slow_workers => 4, workers => 4, data_per_minute => 100000, delivery_guesses_per_hour => 40,
	delivery_codes_per_network => 100);
$stack->user("$_\@example.org") for qw(ann ben);
my $ws = as('ann', POST => '/v1/workspaces', { name => 'Team' })->{json}{workspace}{id};
$stack->seat($ws, $stack->user('ben@example.org'), 'member');
my $team = "/v1/workspaces/$ws/assets";
my $base = "https://vitrine.localhost:$stack->{port}";
my %browser = (Accept => 'text/html', 'Sec-Fetch-Site' => 'same-origin', 'User-Agent' => 'Mozilla/5.0');

sub blob {
	my ($who, $at, $name, $bytes) = @_;
	my $url = as($who, POST => "$at/upload", { filename => $name })->{json}{uploadUrl};
	return $api->call(PUT => $url =~ s/^\Q$base\E//r, { body => $bytes, type => 'application/octet-stream' })->{json}{blobId};
}
sub file {
	my ($who, $at, $name, $bytes, %in) = @_;
	return as($who, POST => "$at/deliverables", { blobId => blob($who, $at, $name, $bytes), %in })->{json}{deliverable};
}
sub bundle {
	my ($who, $at, @files) = @_;
	return as($who, POST => "$at/collections",
		{ name => 'Spring launch', deliverableIds => [map { $_->{id} } @files] })->{json}{collection};
}
sub share { my ($who, $at, $k, %in) = @_; return as($who, POST => "$at/collections/$k->{id}/share", \%in)->{json}{link} }
sub path { my ($l) = @_; return $l->{url} =~ s/^\Q$base\E//r }
sub get { my ($path, %headers) = @_; return $api->request(GET => 'vitrine.localhost', $path, { %browser, %headers }) }
sub head { my ($path, %headers) = @_; return $api->request(HEAD => 'vitrine.localhost', $path, { %browser, %headers }) }
sub try_key {
	my ($l, $form, %headers) = @_;
	return $api->request(POST => 'vitrine.localhost', path($l),
		{ %browser, 'Content-Type' => 'application/x-www-form-urlencoded', %headers }, $form);
}
sub cookie { my ($r) = @_; return ($r->{headers}{'set-cookie'} // '') =~ /(vitrine_delivery=[^;]+)/ ? $1 : '' }
# Which of the workers' requests there were; nginx's own are not among them.
sub asked { return scalar(() = Vitrine::Stack::slurp("$stack->{dir}/worker.log") =~ m{"route":"/d/[^"]*file}g) }
sub link_of { my ($id) = @_; return (grep { $_->{id} eq $id } @{as('ann', GET => "$team/links?limit=200")->{json}{links}})[0] }

my $png = "\x89PNG\r\n\x1a\n" . 'x' x 100;
my @f = (file('ann', $team, 'a b.png', $png), file('ann', $team, 'report.html', '<script>alert(1)</script>'),
	file('ann', $team, 'report.html', 'the second'));
my $k = bundle('ann', $team, @f);

# ---- without a gate

my $l = share('ann', $team, $k);
my $r = get(path($l));
is $r->{status}, 200, 'its page';
like $r->{body}, qr{<h1>Spring launch</h1>.*3 files.*sent by ann}s, 'says what it is, and by whom';
my %once;
my @paths = grep { !$once{$_}++ } $r->{body} =~ m{href="(/d/[^"]+/file/[^"]+)" download}g;
is scalar(@paths), 3, 'leads to each file';
like $paths[0], qr{/file/\Q$f[0]{blobId}\E/a%20b\.png$};
like $r->{headers}{'x-robots-tag'}, qr/noindex/;
is $r->{headers}{'referrer-policy'}, 'no-referrer';
is $r->{headers}{'cache-control'}, 'no-store';
unlike $r->{body}, qr{https?://(?!vitrine\.localhost)}, 'and to no third party';
my $before = asked();
for my $path (@paths) {
	$r = get($path);
	is $r->{status}, 200, 'its bytes';
	like $r->{headers}{'content-disposition'}, qr/^attachment/;
	like $r->{headers}{'content-security-policy'}, qr/sandbox/;
	is $r->{headers}{'x-content-type-options'}, 'nosniff';
}
is asked(), $before, '... come from nginx alone';
is get($paths[0], Range => 'bytes=1-3')->{body}, 'PNG', 'in parts';
is head($paths[0])->{headers}{'content-length'}, length $png;
$r = get(path($l) . "/file/$f[0]{blobId}");
is $r->{body}, $png, 'by a worker, too';
is_deeply [@{$r->{headers}}{qw(x-robots-tag referrer-policy)}], ['noindex, nofollow', 'no-referrer'],
	'... which search engines leave out, too';
like get(path($l) . "/file/$f[1]{blobId}")->{headers}{'content-disposition'}, qr/attachment; filename="report\.html"/;
is get(path($l) . "/file/$f[0]{blobId}/another.exe")->{status}, 404, 'by no other name';
$r = get(path($l) . '/zip');
is $r->{status}, 200, 'all at once';
Vitrine::Stack::spew("$stack->{dir}/all.zip", $r->{body});
is_deeply [map { s/\s+$//r } sort split /\n/, `unzip -Z1 $stack->{dir}/all.zip`], ['a b.png', 'report (2).html', 'report.html'],
	'... each by a name of its own';
is `unzip -p $stack->{dir}/all.zip 'report (2).html'`, 'the second';
{
	my @names = map { $_->{name} } @f;
	my @windows = ('CON.png', 'a:b?.html', 'A_B_.html');
	as('ann', PATCH => "$team/deliverables/$f[$_]{id}", { name => $windows[$_] }) for 0 .. 2;
	Vitrine::Stack::spew("$stack->{dir}/all.zip", get(path($l) . '/zip')->{body});
	is_deeply [map { s/\s+$//r } sort split /\n/, `unzip -Z1 $stack->{dir}/all.zip`], ['A_B_ (2).html', '_CON.png', 'a_b_.html'],
		'... which Windows can have';
	as('ann', PATCH => "$team/deliverables/$f[$_]{id}", { name => $names[$_] }) for 0 .. 2;
}
$r = $api->call(GET => '/v1/deliveries/' . path($l) =~ s{/d/}{}r);
is_deeply [sort keys %{$r->{json}{delivery}}], [sort qw(name sender expiresAt files)], 'and for programs' or diag $r->{body};
is $r->{json}{delivery}{files}[0]{sha256}, $f[0]{sha256};

# ---- being opened

$stack->runner;
my $opened = sub { $stack->runner; scalar grep {
	$_->{headers}{subject} =~ /was opened/ && $_->{envelope}{to}[0] eq 'ann@example.org';
} $smtp->mails };
is $opened->(), 1, 'its maker is told by mail';
is +(grep { $_->{headers}{subject} =~ /was opened/ } $smtp->mails)[0]{headers}{'x-vitrine-event'}, 'asset_delivery_opened',
	'... that programs know, too';
is link_of($l->{id})->{viewCount}, 1, '... and it counts';
like link_of($l->{id})->{openedAt}, qr/^20/;
my $l2 = share('ann', $team, $k);
head(path($l2));
get(path($l2), 'Sec-Purpose' => 'prefetch');
get(path($l2), 'User-Agent' => $_) for 'Slackbot-LinkExpanding 1.0', 'WhatsApp/2.23.20.0 A',
	'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0)', 'LinkChecker/10.2', 'curl/8.5.0';
get(path($l2), $_ => 'prefetch') for qw(Purpose X-Moz);
$api->request(GET => 'vitrine.localhost', path($l2), { %browser, Cookie => $stack->session('ann@example.org') }) if $stack->can('session');
is link_of($l2->{id})->{viewCount}, 0, 'HEAD, what a browser fetches ahead, a preview: nobody has opened it';
my @kids = map { my $pid = fork // die; if (!$pid) {
	my $own = Vitrine::Api->new($stack);
	$own->request(GET => 'vitrine.localhost', path($l2), { %browser }) for 1 .. 5;
	POSIX::_exit(0);
} $pid } 1 .. 8;
waitpid $_, 0 for @kids;
is link_of($l2->{id})->{viewCount}, 40, 'forty looks at once';
is $opened->(), 2, '... and one mail';

# ---- behind a password

my $lp = share('ann', $team, $k, password => 'open sesame');
$r = get(path($lp));
is $r->{status}, 200, 'a gate';
unlike $r->{body}, qr/Spring|ann\@|report|\.png|Team/, '... that tells nothing of what is behind it';
is get(path($lp) . "/file/$f[0]{blobId}")->{status}, 303, 'a browser is led to it';
$r = $api->request(GET => 'vitrine.localhost', path($lp) . "/file/$f[0]{blobId}", { Accept => '*/*' });
is $r->{status}, 401, 'a program is told';
is get(path($lp) . '/zip')->{status}, 303;
refused($api->call(GET => '/v1/deliveries/' . path($lp) =~ s{/d/}{}r), '401 GATE_REQUIRED', 'here, too');
is get(path($lp) . "/file/$f[0]{blobId}/a%20b.png")->{status}, 303, 'nginx has none of it';
$r = try_key($lp, 'password=wrong+one');
is $r->{status}, 403, 'a wrong password';
like $r->{body}, qr/Wrong password/i, '... is said at its field';
is cookie($r), '';
$r = try_key($lp, 'password=open+sesame');
is "$r->{status} $r->{headers}{location}", '303 ' . path($lp), 'the right one';
my $pass = cookie($r);
like $r->{headers}{'set-cookie'}, qr{; Path=\Q@{[path($lp)]}\E; .*Secure; HttpOnly}, '... is remembered here alone';
is get(path($lp) . "/file/$f[0]{blobId}", Cookie => $pass)->{body}, $png, 'and opens the files';
like get(path($lp), Cookie => $pass)->{body}, qr/Spring launch/;
my $lq = share('ann', $team, $k, password => 'open sesame');
is get(path($lq) . "/file/$f[0]{blobId}", Cookie => $pass)->{status}, 303, 'the same cookie opens no other link';
as('ann', PATCH => "$team/links/$lp->{id}", { password => 'another one' });
is get(path($lp) . "/file/$f[0]{blobId}", Cookie => $pass)->{status}, 303, '... nor this one once it has another password';
$pass = cookie(try_key($lp, 'password=another+one'));
ok $pass, 'which opens it';
my %seen;
@kids = map { my $pid = fork // die; if (!$pid) {
	my $own = Vitrine::Api->new($stack);
	POSIX::_exit($own->request(POST => 'vitrine.localhost', path($lq),
		{ %browser, 'Content-Type' => 'application/x-www-form-urlencoded' }, "password=guess+$_")->{status} - 400);
} $pid } 1 .. 12;
for (@kids) { waitpid $_, 0; $seen{400 + ($? >> 8)}++ }
ok $seen{403} && $seen{403} <= 5, 'guessed at at once: at most five are looked at' or diag explain \%seen;
is try_key($lq, 'password=open+sesame')->{status}, 429, '... and then not even the right one, from that address' if $seen{403} == 5;
is get(path($lp) . "/file/$f[0]{blobId}", Cookie => $pass)->{status}, 200, 'who has been let in goes on';

# A program passes the gate where it reads what is there.
sub program { my ($l, %in) = @_; return $api->call(POST => '/v1/deliveries/' . path($l) =~ s{/d/}{}r, { json => \%in }) }
my $lg = share('ann', $team, $k, password => 'open sesame');
refused(program($lg, password => 'wrong'), '403 ACCESS_DENIED', 'a program with a wrong password', qr/^password: isn't right/);
refused(program($lg), '400 INVALID_REQUEST', '... or without', qr/^password: /);
$r = program($lg, password => 'open sesame');
is $r->{json}{delivery}{name}, 'Spring launch', '... with the right one it is shown what there is';
is 'vitrine_delivery=' . ($r->{json}{pass} // ''), cookie($r), '... and given a pass';
is $api->request(GET => 'vitrine.localhost', $r->{json}{delivery}{files}[0]{url} =~ s/^\Q$base\E//r, { Cookie => cookie($r) })->{body},
	$png, '... for the files';
is $api->call(GET => '/v1/deliveries/' . path($lg) =~ s{/d/}{}r, { headers => { Cookie => cookie($r) } })->{json}{delivery}{name},
	'Spring launch', '... and for this';
is program(share('ann', $team, $k))->{json}{delivery}{name}, 'Spring launch', 'without a gate nothing is asked';

# ---- for a domain's mailboxes

my $ld = share('ann', $team, $k, domains => ['client.example', 'bücher.example']);
unlike get(path($ld))->{body}, qr/client\.example|Spring/, 'a gate that does not say for whom';
my @pages = map { try_key($ld, "email=$_")->{body} =~ s/\Q$_\E//gr } 'a@client.example', 'a@other.example', 'a@sub.client.example';
is $pages[0], $pages[$_], 'every address gets the same answer' for 1, 2;
$stack->runner;
my @codes = map { $_->{headers}{subject} =~ /^(\d{6}) is your code/ ? [$_->{envelope}{to}[0], $1] : () } $smtp->mails;
is_deeply [map { $_->[0] } @codes], ['a@client.example'], '... and one of them a code';
is try_key($ld, 'email=a%40client.example&code=' . sprintf('%06d', ($codes[0][1] + 1) % 1000000))->{status}, 403, 'a wrong code';
is try_key($ld, "email=b%40client.example&code=$codes[0][1]")->{status}, 403, 'a colleague\'s code';
$r = try_key($ld, "email=A%40Client.example&code=$codes[0][1]");
is $r->{status}, 303, 'the right one';
is get(path($ld) . "/file/$f[0]{blobId}", Cookie => cookie($r))->{status}, 200;
is try_key($ld, "email=a%40client.example&code=$codes[0][1]")->{status}, 403, '... once';
is program($ld, email => 'c@client.example')->{json}{delivery}, undef, 'a program asks for a code';
$stack->runner;
($r) = map { $_->{envelope}{to}[0] =~ /^c\@/ && $_->{headers}{subject} =~ /^(\d{6}) is your code/ ? $1 : () } $smtp->mails;
refused(program($ld, email => 'd@client.example', code => $r), '403 ACCESS_DENIED', '... which is its address\'s alone', qr/^code: /);
is program($ld, email => 'c@client.example', code => $r)->{json}{delivery}{name}, 'Spring launch', '... and opens it';
try_key($ld, 'email=a%40client.example') for 1 .. 6;
is try_key($ld, 'email=a%40client.example')->{status}, 429, 'not as many codes as somebody likes';
my $lf = share('ann', $team, $k, domains => ['client.example']);
is try_key($lf, "email=s$_%40other.example")->{status}, 200, 'a stranger asks for codes of another domain' for 1 .. 60;
is try_key($lf, 'email=e%40client.example')->{status}, 200, '... which uses up nothing of those whom the link is for';
$stack->runner;
is scalar(grep { $_->{envelope}{to}[0] eq 'e@client.example' } $smtp->mails), 1, '... who get a code';
try_key($lf, "email=s$_%40other.example") for 1 .. 40;
is try_key($lf, 'email=d%40client.example')->{status}, 429, '... and their network has a limit of its own';

# ---- what it shows is what its maker may see, now

my $lb = share('ann', $team, $k);
my ($old) = get(path($lb))->{body} =~ m{(/d/[^"]+/file/\Q$f[0]{blobId}\E/[^"]+)};
is get($old)->{status}, 200;
my $newer = blob('ann', $team, 'new.png', "${png}new");
as('ann', POST => "$team/deliverables/$f[0]{id}/version", { blobId => $newer });
is get($old)->{status}, 404, 'an older version is gone';
is get(path($lb) . "/file/$f[0]{blobId}")->{status}, 404;
my ($new) = get(path($lb))->{body} =~ m{(/d/[^"]+/file/\Q$newer\E/[^"]+)};
$before = asked();
is get($new)->{body}, "${png}new", 'the latest one is there';
is asked(), $before, '... by nginx';
is get(path($l2) . "/file/$newer")->{status}, 200, 'in each link';
my $kb = bundle('ben', $team, my $shared = file('ann', $team, 'shared.txt', 'shared', visibility => 'workspace'));
my $theirs = share('ben', $team, $kb);
my ($sp) = get(path($theirs))->{body} =~ m{(/d/[^"]+/file/[^"]+)};
is get($sp)->{status}, 200, 'a colleague\'s file, by somebody who sees it';
as('ann', PATCH => "$team/deliverables/$shared->{id}", { visibility => 'private' });
is join(' ', map { $_->{status} } get($sp), get(path($theirs)), head(path($theirs)), get(path($theirs) . '/zip')), '404 404 404 404',
	'... is gone from their link when its owner takes it back';
as('ann', PATCH => "$team/deliverables/$shared->{id}", { visibility => 'workspace' });
is get($sp)->{status}, 200, '... and back';

my $other = share('ann', '/v1/assets', bundle('ann', '/v1/assets', my $mine = file('ann', '/v1/assets', 'mine.txt', 'mine')));
is get(path($lb) . "/file/$mine->{blobId}")->{status}, 404, 'a file of another link is not in this one';
is get(path($lb) . "/file/$mine->{blobId}/mine.txt")->{status}, 404;
is get($_)->{status}, 404, "$_ leads nowhere"
	for map { path($lb) . $_ } '/file', '/file/..', '/../deliveries', "/file/$newer/../../x", '//file', '/file/x';
is $api->request($_ => 'vitrine.localhost', $new, { %browser })->{status}, 405, "$_ is nothing that a file takes" for qw(PUT DELETE PATCH);

# ---- revoked while it is looked at, and by who dies in between

my $loop = share('ann', $team, $k);
my $at = $new =~ s{^/d/[^/]+}{path($loop)}er;
my @loops = map { my $pid = fork // die; if (!$pid) { my $own = Vitrine::Api->new($stack); my $late = 0; $SIG{USR1} = sub { $late = 1 };
	for (1 .. 100_000) {
		my $after = $late;
		my $r = $own->request(GET => 'vitrine.localhost', $at, { %browser });
		POSIX::_exit($after && $r->{status} == 200 ? 1 : 0) if $after;
	}
	} $pid } 1 .. 4;
is get($at)->{status}, 200;
as('ann', POST => "$team/links/$loop->{id}/revoke");
kill USR1 => @loops;
is_deeply [map { waitpid $_, 0; $? >> 8 } @loops], [0, 0, 0, 0], 'none of four who keep asking gets it after the reply';
my $dies = share('ann', $team, $k);
$at = $new =~ s{^/d/[^/]+}{path($dies)}er;
$stack->runner;
open my $held, '<', "$stack->{dir}/data/deliveries" or die;
flock $held, 2 or die;
$stack->{alert_expected} = qr/upstream prematurely/;
my $asking = fork // die;
if (!$asking) {
	Vitrine::Api->new($stack)->request(POST => 'vitrine.localhost', "$team/links/$dies->{id}/revoke",
		{ Authorization => "Bearer @{[$stack->user('ann@example.org')->{token}]}" });
	POSIX::_exit(0);
}
Vitrine::Stack::wait_for('the row to say so', 60,
	sub { $db->selectrow_array('SELECT revoked_at FROM delivery_link WHERE id = ?', undef, $dies->{id}) });
$stack->kill_workers('quick');
waitpid $asking, 0;
close $held;
is get($at)->{status}, 200, 'who is killed between the commit and the web server\'s part leaves it open';
$stack->runner;
is get($at)->{status}, 404, '... and the runner closes it';

# ---- over

my $nothing = get('/d/' . Vitrine::Stack::secret('', 'x' x 43));
is $nothing->{status}, 404, 'a link that there never was';
sub gone { my ($what, $l, %headers) = @_;
	my @r = (get(path($l), %headers), get($old =~ s{^/d/[^/]+}{path($l)}er, %headers), get($new =~ s{^/d/[^/]+}{path($l)}er, %headers),
		get(path($l) . "/file/$newer", %headers), get(path($l) . "/file/$newer?download", Range => 'bytes=0-1', %headers),
		head($new =~ s{^/d/[^/]+}{path($l)}er, %headers), get(path($l) . '/zip', %headers),
		try_key($l, 'password=another+one', %headers));
	is join(' ', map { $_->{status} } @r), join(' ', (404) x @r), "$what: nothing there";
	is join(' ', @{get(path($l) . '/', %headers)}{status}, get(path($l) . '/', %headers)->{headers}{location}), '303 ' . path($l),
		'... and a slash behind it leads there';
	is $r[0]{body} =~ s/[0-9a-f]{32}//gr, $nothing->{body} =~ s/[0-9a-f]{32}//gr, '... in the words of one that there never was';
	is_deeply [grep { !/^(?:date|x-request-id|server)$/ } sort keys %{$r[0]{headers}}],
		[grep { !/^(?:date|x-request-id|server)$/ } sort keys %{$nothing->{headers}}];
}
as('ann', POST => "$team/links/$lb->{id}/revoke");
gone('revoked', $lb);
as('ann', POST => "$team/links/$lp->{id}/revoke");
gone('revoked behind its gate, with the cookie of who was in', $lp, Cookie => $pass);
my $le = share('ann', $team, $k, expiresAt => time + 3600);
is get(path($le) . "/file/$newer")->{status}, 200;
ok !-e "$stack->{dir}/data/deliveries/" . path($le) =~ s{/d/}{}r, 'nginx has nothing of one that will be over';
$db->do('UPDATE delivery_link SET expires_at = UNIX_TIMESTAMP() WHERE id = ?', undef, $le->{id});
gone('over this second', $le);
$stack->ctl(qw(user disable ann@example.org));
$stack->runner;
gone('its maker\'s account is disabled', $l2);
$stack->ctl(qw(user enable ann@example.org));
is get(path($l2))->{status}, 200, '... and enabled';
as('ann', DELETE => "/v1/workspaces/$ws");
gone('its workspace is deleted', $l2);
as('ann', POST => "/v1/workspaces/$ws/restore");
is get($new =~ s{^/d/[^/]+}{path($l2)}er)->{status}, 200, '... and restored';
as('ann', DELETE => "$team/collections/$k->{id}");
gone('its collection is deleted', $l2);

# ---- the projection

$k = bundle('ann', $team, $f[0]);
$l = share('ann', $team, $k);
my $dir = "$stack->{dir}/data/deliveries/" . path($l) =~ s{/d/}{}r;
ok -d $dir, 'what nginx sends';
$stack->runner;
is $stack->ctl('fsck'), 'clean';
system "rm -rf $dir";
is $stack->ctl('fsck'), 'clean', 'what is not there, a worker sends';
is get(path($l) . "/file/$newer/a%20b.png")->{status}, 200;
mkdir "$stack->{dir}/data/deliveries/$_" for 'stray';
mkdir "$stack->{dir}/data/deliveries/stray/$newer";
like +($stack->program('vitrinectl', {}, 'fsck'))[1], qr{1 delivery link show}, 'what should not be there is told';
$stack->ctl('reproject');
ok -d $dir && !-e "$stack->{dir}/data/deliveries/stray", '... and mended';
is $stack->ctl('fsck'), 'clean';
for ($dir, "$dir/$newer") {
	rename $_, "$stack->{dir}/data/tmp/elsewhere" or die;
	symlink "$stack->{dir}/data/tmp/elsewhere", $_ or die;
	like +($stack->program('vitrinectl', {}, 'fsck'))[1], qr{1 delivery link show}, 'a link in the place of a folder is told';
	$stack->ctl('reproject');
	ok !-l $_ && -d $_, '... and mended';
	system "rm -rf $stack->{dir}/data/tmp/elsewhere";
}
is $stack->ctl('fsck'), 'clean';

finish($stack);
