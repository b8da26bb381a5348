# SPDX-License-Identifier: Apache-2.0
# The client between a folder from a stranger and a service that lies: neither makes it read, write, send or show what its user did not
# mean. t/flow/trust.t has where the token goes and what a terminal shows; here is the rest.
use utf8;
use Digest::SHA 'sha256_hex';
use File::Path qw(make_path remove_tree);
use IO::Select;
use IO::Socket::SSL;
use IO::Socket::UNIX;
use POSIX ();
use Time::HiRes qw(time sleep);
use Vitrine::Pack;
use Vitrine::Words;
no warnings 'nonchar';

my ($stack, $api) = stack(publish_per_hour => 1000);
my $ann = $stack->user('ann@example.org');
my $dir = $stack->{dir};
my $home = "$dir/home";
mkdir $home;
sub spew { Vitrine::Stack::spew(@_) }
sub slurp { return Vitrine::Stack::slurp(@_) }
# Whatever the other side does, the client ends by itself; 99 would be a sanitizer's report.
sub run {
	my ($env, @args) = @_;
	my $began = time;
	local $SIG{ALRM} = sub { die "vitrine @args does not end\n" };
	alarm 60;
	my @r = $stack->program('vitrine', { HOME => $home, XDG_CONFIG_HOME => '', VITRINE_TOKEN => $ann->{token}, %$env }, @args);
	alarm 0;
	unlike $r[1] . $r[2], qr/[\x00-\x08\x0b-\x1f\x7f]|Sanitizer|runtime error/, 'nothing raw, nothing broken' or diag "vitrine @args";
	return @r;
}
sub versions_of { return scalar $stack->db->selectrow_array('SELECT COUNT(*) FROM version WHERE artifact_id = ?', undef, $_[0]) }
sub site {
	my ($name, %files) = @_;
	remove_tree("$dir/$name");
	make_path("$dir/$name");
	for (sort keys %files) {
		make_path("$dir/$name/$1") if m{(.+)/};
		spew("$dir/$name/$_", $files{$_});
	}
	return "$dir/$name";
}
sub refused {
	my ($what, $like, @args) = @_;
	my ($status, $out, $err) = run({}, 'publish', @args);
	is $status, 1, "$what: refused" or diag $err;
	is $out, '', '... nothing has an address';
	like $err, $like, '... and it says why';
}

# ---- a folder from a stranger names an artifact of ours

my $diary = $api->publish($ann, slug => 'diary', visibility => 'private');
sub memory {
	my (%e) = @_;
	return encode_json({ published => [{ path => '.', service => "https://vitrine.localhost:$stack->{port}", artifact_id => $diary,
		url => 'https://diary.pages.localhost/', mark => '', %e }] });
}
my $gift = site('gift', 'index.html' => 'theirs');
for (memory(), memory(mark => 'a' x 56), encode_json({ artifact_id => $diary, url => 'https://diary.pages.localhost/' })) {
	spew("$gift/.vitrine.json", $_);
	refused('a folder that names an artifact of ours',
		qr/you didn't write that here: publish with --artifact \Q$diary\E if it is right, or with --new/, $gift,
		'--visibility', 'public');
}
is versions_of($diary), 1, 'it is as it was';
is $api->get_site('diary', '/')->{status}, 404, '... and private';
sub typed {
	my ($answer, @args) = @_;
	spew("$dir/typed", $answer);
	my %env = ($stack->env, HOME => $home, VITRINE_TOKEN => $ann->{token});
	my $line = join ' ', map { "'$_'" } 'env', (map { "$_=$env{$_}" } sort keys %env), "$stack->{build}/vitrine", @args;
	return `script -qec "$line" /dev/null < '$dir/typed'`;
}
like typed("n\n", 'publish', $gift),
	qr/says that this is https:\S+ \(\Q$diary\E\), but you didn't write that here\. Publish over it\? \[y\/N\]/,
	'at a terminal it asks';
is versions_of($diary), 1, '... no is no';
typed("y\n", 'publish', $gift);
is versions_of($diary), 2, '... yes is yes';
is +(run({}, 'publish', $gift))[0], 0, '... and is remembered';
is versions_of($diary), 3;
my $copy = site('copy', 'index.html' => 'theirs', '.vitrine.json' => slurp("$gift/.vitrine.json"));
refused('what was confirmed for one folder, copied to another', qr/you didn't write that here/, $copy);
is +(run({ HOME => "$dir/elsewhere" }, 'publish', $gift))[0], 1, 'or for one person, used by another';
is +(run({}, 'publish', $gift, '--artifact', $diary))[0], 0, '--artifact says so';
spew("$gift/.vitrine.json", memory());
is +(run({}, 'publish', $gift, '--slug', 'diary'))[0], 0, 'so does --slug';
is +(run({}, 'publish', $gift))[0], 0, '... for good';
spew("$gift/.vitrine.json", memory(service => 'https://other.example:443'));
is +(run({}, 'publish', $gift, '--json', '--name', 'Another'))[1] =~ /\Q$diary\E/ ? 1 : 0, 0, 'what another service calls so is not it';
spew("$gift/.vitrine.json", memory(artifact_id => 'art_' . '0' x 26));
my ($status, $out, $err) = run({}, 'publish', $gift);
is $status, 1, 'one that is not there';
like $err, qr/publish with --new/, '... what to type';
spew("$gift/.vitrine.json", $_), refused('what the client does not write', qr/isn't in the form that vitrine writes/, $gift)
	for memory(path => ''), memory(service => 'file:///x'), memory(url => "javascript:x"), memory(artifact_id => "$diary\",\"x\":\""),
	'{"published":{}}', encode_json({ published => [(decode_json(memory())->{published}[0]) x 300] });
spew("$gift/.vitrine.json", '[' x 70000), refused('one without an end', qr/is too large for what belongs there/, $gift);

# ---- what else lies in it

spew("$dir/precious", "precious\n");
for ([link => sub { symlink "$dir/precious", $_[0] }], [pipe => sub { POSIX::mkfifo($_[0], 0600) }], [folder => sub { mkdir $_[0] }]) {
	my ($what, $make) = @$_;
	for my $name ('.vitrineignore', '.vitrine.json') {
		my $s = site('odd', 'index.html' => 'x');
		$make->("$s/$name");
		refused("a $what as $name", qr/\Q$name\E: isn't a regular file, so it isn't read/, $s);
	}
}
is +(run({}, 'publish', do { my $s = site('odd', 'index.html' => 'x'); symlink "$dir/precious", "$s/.vitrine.json"; $s }, '--new'))[0], 0,
	'--new goes on';
is slurp("$dir/precious"), "precious\n", '... and does not write through the link';
for (['a link to a file' => qr/is a symbolic link/, sub { symlink "$dir/precious", "$_[0]/x.txt" }],
	['a link to a folder' => qr/is a symbolic link/, sub { symlink $home, "$_[0]/x" }],
	['a pipe' => qr/isn't a regular file/, sub { POSIX::mkfifo("$_[0]/x", 0600) }],
	['a socket' => qr/isn't a regular file/, sub { IO::Socket::UNIX->new(Local => "$_[0]/x", Listen => 1) or die }],
	['a path without end' => qr/more than 1,024 bytes/,
		sub { my $d = $_[0]; for (1 .. 6) { $d .= '/' . 'd' x 200; mkdir $d } spew("$d/x", 'x') }],
	['more bytes than there are' => qr/more than 10 GB/, sub { open my $f, '>', "$_[0]/x"; truncate $f, 11 << 30 }]) {
	my ($what, $like, $make) = @$_;
	my $s = site('odd', 'index.html' => 'x');
	$make->($s);
	refused($what, $like, $s);
}
POSIX::mkfifo("$dir/pipe", 0600);
refused("$_ itself", qr/isn't a regular file/, $_) for "$dir/pipe", '/dev/zero';
for my $name ("a\e]0;x\a.html", "a\xe2\x80\xae.html", "a\nvitrine: all is well.html") {
	my $s = site('odd', 'index.html' => 'x');
	spew("$s/$name", 'x');
	refused('a name that steers the terminal', qr/\\u(?:001b|202e|000a)/, $s);
}

if ($ENV{VITRINE_LONG}) {
	my $s = site('many', 'index.html' => 'x');
	for my $i (1 .. 200) { mkdir "$s/$i"; for (1 .. 1000) { open my $f, '>', "$s/$i/$_" } }
	refused('a tree without end', qr/has more than 200000 files and folders/, $s);
	remove_tree($s);
}

# A file that grows while it is read.
my $s = site('grows', 'index.html' => 'x', 'big.bin' => '');
truncate "$s/big.bin", 48 << 20;
my $writer = fork // die;
if (!$writer) {
	open my $f, '>>', "$s/big.bin";
	$f->autoflush;
	print $f 'y' while 1;
}
sleep 0.01 until -s "$s/big.bin" > 48 << 20;
refused('a file that grows for ever', qr/big\.bin: changed while it was being read/, $s);
kill 'KILL', $writer;
waitpid $writer, 0;

# A folder that is a link at times; what it leads to must never be read.
make_path("$dir/secrets");
spew("$dir/secrets/a.txt", 'the secret');
$s = site('flips', 'index.html' => 'x', 'sub/a.txt' => 'fine');
my $flipper = fork // die;
if (!$flipper) {
	while (1) {
		rename "$s/sub", "$dir/sub-real";
		symlink "$dir/secrets", "$s/sub";
		unlink "$s/sub";
		rename "$dir/sub-real", "$s/sub";
	}
}
run({}, 'publish', $s, '--slug', 'flips') for 1 .. 12;
kill 'KILL', $flipper;
waitpid $flipper, 0;
is scalar $stack->db->selectrow_array('SELECT COUNT(*) FROM version_file WHERE sha256 = UNHEX(?)', undef, sha256_hex('the secret')), 0,
	'what a link leads to for a moment is not published';

# ---- the token

my $heard = "$dir/heard";
my $proxy = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 5) or die;
my $proxied = fork // die;
if (!$proxied) {
	while (my $c = $proxy->accept) {
		my $head = '';
		while ($head !~ /\r\n\r\n/) { sysread $c, $head, 4096, length $head or last }
		open my $f, '>>', $heard;
		print $f $head;
		close $f;
		my $to = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $stack->{port}) or die;
		print $c "HTTP/1.1 200 Fine\r\n\r\n";
		my $both = IO::Select->new($c, $to);
		PIECES: while (my @ready = $both->can_read) {
			for my $from (@ready) {
				sysread $from, my $bytes, 65536 or last PIECES;
				open my $f, '>>', $heard;
				print $f $bytes;
				close $f;
				syswrite $from == $c ? $to : $c, $bytes;
			}
		}
	}
	POSIX::_exit(0);
}
my $proxy_url = 'http://127.0.0.1:' . $proxy->sockport;
is +(run({ https_proxy => $proxy_url }, 'whoami'))[0], 0, 'by a proxy that listens';
like slurp($heard), qr/^CONNECT vitrine\.localhost:$stack->{port} HTTP.{1000}/s, '... it was asked for a tunnel, and used';
unlike slurp($heard), qr/\Q$ann->{token}\E|Authorization/, '... and not shown the token';
unlink $heard;
is +(run({}, 'whoami', '--url', $proxy_url))[0], 2, 'without TLS nothing is sent, not to this machine either';
is +(run({ VITRINE_TOKEN => $_ }, 'whoami'))[0], 3, 'a token that would be more than a header is none'
	for "so_x\r\nX-Other: y", 'so_ x', "so_\x{e9}", 'x' x 300;
ok !-e $heard, 'and was not sent';
kill 'TERM', $proxied;
waitpid $proxied, 0;

my %signed_out = (VITRINE_TOKEN => '');
is +(run({ %signed_out }, 'login', '--token', $ann->{token}))[0], 0, 'signed in';
is sprintf('%o', (stat "$home/.config/vitrine")[2] & 0777), '700', 'the folder of the credentials is for its owner';
my $kept = "$home/.config/vitrine/credentials.json";
is sprintf('%o', (stat $_)[2] & 0777), '600', '... and so is ' . (m{([^/]+)$})[0] for $kept, "$home/.config/vitrine/client-key";
SKIP: {
	skip 'only root can give a file away', 2 if $>;
	chown 65534, 65534, $kept;
	($status, $out, $err) = run({ %signed_out }, 'whoami');
	is $status, 1, 'credentials that somebody else wrote';
	like $err, qr/belongs to another user/, '... are not used';
	chown 0, 0, $kept;
}
rename $kept, "$dir/kept-elsewhere";
symlink "$dir/kept-elsewhere", $kept;
is +(run({ %signed_out }, 'whoami'))[0], 0, 'a link to a file of ours may stand there';
unlink $kept;
symlink "$dir/precious", $kept;
is +(run({ %signed_out }, 'login', '--token', $ann->{token}))[0], 0, 'one to another file';
is slurp("$dir/precious"), "precious\n", '... is replaced, not written through';
ok !-l $kept;
unlink $kept;
POSIX::mkfifo($kept, 0600);
is +(run({ %signed_out }, 'whoami'))[0], 1, 'a pipe is not waited for';
unlink $kept;

# ---- a service that lies

my $listen = IO::Socket::SSL->new(LocalAddr => '127.0.0.1', Listen => 50, SSL_cert_file => "$stack->{tls}/cert.pem",
	SSL_key_file => "$stack->{tls}/key.pem") or die "$!, $SSL_ERROR";
my $liar = 'https://localhost:' . $listen->sockport;
my $sent = "$dir/sent"; # how many bytes the last reply came to before the client went
# Does something while answer($client, "GET /path") writes the service's replies.
sub lied_to {
	my ($answer, $do) = @_;
	my $pid = fork // die;
	if (!$pid) {
		$SIG{PIPE} = 'IGNORE';
		while (1) {
			my $c = $listen->accept or next;
			my ($head, $body) = ('', '');
			while ($head !~ /\r\n\r\n/) { sysread $c, $head, 65536, length $head or last }
			($head, $body) = ($1, $2) if $head =~ /\A(.*?\r\n\r\n)(.*)\z/s;
			if ($head =~ /^Content-Length: (\d+)/mi) {
				my $n = $1;
				while (length $body < $n) { sysread $c, $body, 65536, length $body or last }
			}
			$answer->($c, $head =~ /^(\S+ \S+)/);
			close $c;
		}
	}
	my @r = $do->();
	kill 'KILL', $pid;
	waitpid $pid, 0;
	return @r;
}
sub against {
	my ($answer, @args) = @_;
	my %env = (VITRINE_URL => $liar, ref $args[-1] ? %{pop @args} : ());
	return lied_to($answer, sub { run(\%env, @args) });
}
sub reply {
	my ($c, $status, $body, @headers) = @_;
	$body = encode_json($body) if ref $body;
	print $c join "\r\n", "HTTP/1.1 $status", 'Content-Type: application/json', 'Content-Length: ' . length $body, 'Connection: close',
		@headers, '', $body;
}
sub endless {
	my ($c, $head, $piece) = @_;
	my $n = 0;
	print $c $head;
	while (my $wrote = syswrite $c, $piece) { $n += $wrote }
	spew($sent, $n);
}

# A folder that brings credentials along, for somebody whose HOME is not set.
my $planted = site('planted', '.config/vitrine/credentials.json' => encode_json({ url => $liar, token => 'so_planted' }));
chmod 0600, "$planted/.config/vitrine/credentials.json";
chdir $planted;
for my $elsewhere ('.', '') {
	unlink $heard;
	($status) = against(sub { spew($heard, 'x'); reply($_[0], '200 Fine', { email => 'planted' }) }, 'whoami',
		{ HOME => $elsewhere, VITRINE_TOKEN => '' });
	is $status, 3, 'credentials in the folder one stands in are not ours';
	ok !-e $heard;
}
chdir '/';

# What every command makes of what is no answer of ours.
my $id = 'art_' . '0' x 26;
my $page = site('page', 'index.html' => 'x');
my @commands = (['whoami', '--json'], ['list'], ['list', '--json'], ['versions', 'x'], ['versions', $id], ['rollback', $id, 1],
	['open', $id], ['delete', $id], ['pull', $id, "$dir/none"],
	['trash'], ['restore', 'x'], ['restore', $id], ['share', $id], ['share', $id, 'a@b.example'], ['unshare', $id, 'a@b.example'],
	['visibility', $id, 'public'], ['rename', $id, 'X'],
	['tokens'], ['tokens', 'revoke', 'tok_' . '0' x 26], ['requests'], ['requests', 'approve', 'acr_' . '0' x 26],
	['publish', $page], ['publish', $page, '--slug', 'x'], ['publish', $page, '--artifact', $id], ['login', '--no-browser'],
	['login', '--token', 'so_x']);
for (['nothing', ''], ['no JSON', '<html>Welcome to our hotel</html>'], ['a list', '[{"email":"x"}]'], ['null', 'null'],
	['a depth', '[' x 100000]) {
	my ($what, $body) = @$_;
	for my $command (@commands) {
		($status, $out, $err) = against(sub { reply($_[0], '200 Fine', $body) }, @$command);
		is "$status$out", 5, "$what for $command->[0]: the service is none" or diag $err;
		my $said = qr/\Q$liar\E answered 200, but not as Vitrine does: is it the right address\?/;
		like $err,
			"@$command" =~ /--json/ ? qr/^\{"success":false,"error":"$said","code":"UNAVAILABLE"\}$/m : qr/^vitrine: $said$/m;
	}
}
isnt +(against(sub { reply($_[0], '204 Nothing', '') }, @$_))[0], $_->[0] eq 'delete' || $_->[0] eq 'unshare' || "@$_" =~ /revoke/ ? 1 : 0,
	"nothing at all for @$_" for @commands;
# The right members with the wrong things in them.
my @wrong = (9223372036854775807, undef, {}, [[]], [{}], "\x{1fffe}\e[2J");
for my $command (@commands) {
	my %statuses;
	for my $wrong (@wrong) {
		my %reply = map { $_ => $wrong } qw(email artifacts artifact collaborators tokens access_requests access_request versions
			version files deployment warnings next_cursor interval status token token_id device_code verification_uri_complete
			user_code warn is_live);
		$reply{next_cursor} = '';
		$reply{interval} = 1;
		my $n = 0;
		$statuses{+(against(sub {
			reply($_[0], @$_) for $_[1] =~ /publish/ && $n++ ? ['409 No', { code => 'MISSING_BLOBS', details => $wrong }]
				: ['200 Fine', \%reply];
		}, @$command))[0]}++;
		$statuses{+(against(sub {
			reply($_[0], '409 No', { code => $wrong, error => $wrong, details => $wrong, request_id => $wrong });
		}, @$command))[0]}++ if $command->[0] =~ /whoami|publish/;
	}
	ok !grep({ $_ > 6 } keys %statuses), "@$command: wrong kinds of values end it like any failure" or diag join ' ', %statuses;
}
for my $row ({ created_at => 9223372036854775807 }, { created_at => -9223372036854775807 }, 7, undef, [], 'x') {
	is +(against(sub { reply($_[0], '200 Fine', { versions => [$row], next_cursor => '' }) }, 'versions', $id))[0], 0,
		'a row of anything';
}
is +(against(sub { reply($_[0], '200 Fine', { artifacts => [], next_cursor => 'again' }) }, 'list'))[0], 1,
	'pages without rows do not go on for ever';
($status, $out, $err) = against(sub {
	reply($_[0], '201 Made', { artifact => { id => $id }, deployment => { url => 'javascript:alert(1)', version_url => 'x' } });
}, 'publish', $page);
is "$status$out", 5, 'an address that is none is not passed on';
ok !-e "$page/.vitrine.json", '... nor remembered';

# What leads elsewhere.
for ($liar, 'file:///etc/passwd', 'http://localhost/', 'gopher://localhost:1/x', "https://vitrine.localhost:$stack->{port}/v1/auth/me") {
	my $to = $_;
	for my $code (302, 308) {
		($status, $out, $err) = against(sub { reply($_[0], "$code Elsewhere", '', "Location: $to") }, 'whoami');
		is "$status$out", 1, "$code to $to";
		like $err, qr/answered $code, a redirect, which isn't followed/;
	}
}

# What does not end.
for (['JSON', "HTTP/1.1 200 Fine\r\n\r\n", '{"x":"' . 'x' x 65536, qr/the reply is larger than it should be/],
	['a refusal', "HTTP/1.1 404 No\r\n\r\n", 'x' x 65536, qr/larger than it should be/],
	['a size', "HTTP/1.1 200 Fine\r\nContent-Length: 10737418240\r\n\r\n", ' ' x 65536, qr/larger than it should be/],
	['headers', "HTTP/1.1 200 Fine\r\n", 'X-Y: ' . 'z' x 1000 . "\r\n", qr/localhost/]) {
	my ($what, $head, $piece, $like) = @$_;
	unlink $sent;
	($status, $out, $err) = against(sub { endless($_[0], $head, $piece) }, 'whoami');
	is "$status$out", 5, "$what without end";
	like $err, $like;
	Vitrine::Stack::wait_for('what was sent', 60, sub { 1 }) if !-s $sent;
	cmp_ok slurp($sent) || 0, '<', 64 << 20, '... is not read on';
}
($status, $out, $err) = against(sub { reply($_[0], '503 Later', '', 'Retry-After: 99999999999') }, 'whoami');
is $status, 5, 'a service that asks to wait for years is not waited for';
($status, $out, $err) = against(sub { reply($_[0], '429 Slowly', { code => 'RATE_LIMITED', error => 'Slowly' }, 'Retry-After: 600') },
	'list');
is $status, 6, 'nor one that asks for ten minutes';
like $err, qr/^  try again in 10 minutes$/m, '... which is said';
my $tries = 0;
unlink $heard;
is +(against(sub { reply($_[0], $tries++ ? ('200 Fine', { email => 'x' }) : ('503 Later', '', 'Retry-After: -7')) }, 'whoami'))[0], 0,
	'nor one that asks for the past';

# What went into a pipe isn't written again, when the rest doesn't come.
($out) = lied_to(sub { print {$_[0]} "HTTP/1.1 200 Fine\r\nContent-Type: text/csv\r\nContent-Length: 100\r\n\r\nid,n\r\n" }, sub {
	my %env = ($stack->env, HOME => $home, VITRINE_TOKEN => $ann->{token}, VITRINE_URL => $liar);
	my $env = join ' ', map { "$_='$env{$_}'" } sort keys %env;
	return scalar `env $env '$stack->{build}/vitrine' table export guests - --artifact $diary 2>&1 | cat`;
});
like $out, qr/\Aid,n\r\nvitrine: [^\n]+\n\z/, 'a reply that is cut goes into a pipe once';

# A login that is never over, or ends with what is no token.
my %device = (device_code => 'x', user_code => 'X', verification_uri_complete => 'https://x/', interval => 1, expires_in => 600);
for ("so_x\nHost: y", '', 7) {
	my $token = $_;
	($status, $out, $err) = against(sub {
		my ($c, $what) = @_;
		reply($c, '200 Fine', $what =~ /start/ ? \%device : { status => 'approved', token => $token });
	}, 'login', '--no-browser');
	is $status, 1, 'a token that is none';
	ok !-e $kept, '... is not kept';
}

# ---- pull

my $there = "$dir/there";
my %good = (path => 'a.txt', size_bytes => 4, sha256 => sha256_hex('good'));
my $body = 'good';
sub pull {
	my ($files, $set) = @_;
	remove_tree($there);
	mkdir $there;
	$set->() if $set;
	return against(sub {
		my ($c, $what) = @_;
		if ($what =~ m{/files\?}) { reply($c, '200 Fine', { files => $files, next_cursor => '' }) }
		elsif ($what =~ m{/artifacts/\w+(?: |$)}) { reply($c, '200 Fine', { artifact => {} }) }
		elsif (ref $body) { $body->($c) }
		else { reply($c, '200 Fine', $body) }
	}, 'pull', $id, $there, '--version', 1, '--force');
}
sub listing { my ($d) = @_; return join ' ', sort map { s{^\Q$d\E/}{}r } split /\n/, `find '$d' -mindepth 1 -not -type d` }
is +(pull([\%good]))[0], 0, 'a file';
is listing($there), 'a.txt';
my $outside = "$dir/outside";
mkdir $outside;
my @paths = ('../outside/x', "$outside/x", 'a/../../outside/x', './x', 'a//x', '..', '.', '', '/', 'x/', '.git/hooks/pre-commit',
	'.GIT/config', 'sub/.git/x', 'a\\..\\x', 'C:x', "a\0b", "a\nb", "x\x{202e}", "x\x{fffe}", 'x' x 300, join('/', ('d' x 200) x 6),
	'x ', 7, undef);
for my $path (@paths) {
	($status, $out, $err) = pull([\%good, { %good, path => $path }]);
	isnt $status, 0, 'a path that is none: ' . substr(Cpanel::JSON::XS->new->allow_nonref->ascii->encode($path), 0, 40);
	is listing($there) . listing($outside), '', '... nothing is written at all';
}
for (['twice the same', { %good }, { %good }], ['the same but for case', { %good, path => 'A.TXT' }],
	['the same to Unicode', { %good, path => "\x{ff41}.txt" }], ['a file as a folder', { %good, path => 'a.txt/b' }],
	['no digest', { %good, path => 'b', sha256 => '' }], ['one that is none', { %good, path => 'b', sha256 => '../x' }],
	['less than nothing', { %good, path => 'b', size_bytes => -1 }],
	['more than can be', { %good, path => 'b', size_bytes => 1 << 40 }], ['rubbish', 7]) {
	my ($what, @more) = @$_;
	is +(pull([\%good, @more]))[0], 1, "files that can't be: $what";
	is listing($there), '', '... nothing is written at all';
}
is +(pull({}))[0], 1, 'no list';
for (['other bytes', 'evil'], ['more', 'goods'], ['less', 'goo'], ['none', ''], ['a part', sub {
	print { $_[0] } "HTTP/1.1 200 Fine\r\nContent-Length: 4\r\n\r\ngo";
}], ['bytes without end', sub { endless($_[0], "HTTP/1.1 200 Fine\r\n\r\n", 'good' x 16384) }],
	['another page', sub { reply($_[0], '200 Fine', 'good', 'Content-Encoding: gzip') }, 0],
	['a part by another name', sub { reply($_[0], '206 Part', 'good') }], ['nothing new', sub { reply($_[0], '204 None', '') }],
	['a redirect', sub { reply($_[0], '302 There', '', 'Location: file:///etc/passwd') }]) {
	(my $what, $body, my $expected) = @$_;
	unlink $sent;
	($status) = pull([\%good], sub { spew("$there/a.txt", 'as it was') });
	is $status ? 1 : 0, $expected // 1, "$what: not the file";
	is slurp("$there/a.txt"), $expected // 1 ? 'as it was' : 'good', '... what was there is as it was';
	is listing($there), 'a.txt', '... nothing half written is left';
	cmp_ok slurp($sent), '<', 16 << 20, '... and it was not read on' if -s $sent;
}
$body = 'good';
my $deep = { %good, path => 'sub/a.txt' };
for (['a link to a folder outside', sub { symlink $outside, "$there/sub" }],
	['a link to a folder inside', sub { mkdir "$there/x"; symlink 'x', "$there/sub" }],
	['a file where a folder should be', sub { spew("$there/sub", 'x') }], ['a pipe there', sub { POSIX::mkfifo("$there/sub", 0600) }],
	['a link to a file outside', sub { mkdir "$there/sub"; symlink "$outside/new", "$there/sub/a.txt" }],
	['a link to one that is there', sub { mkdir "$there/sub"; symlink "$dir/precious", "$there/sub/a.txt" }],
	['a folder where a file should be', sub { make_path("$there/sub/a.txt/x") }],
	['a pipe where a file should be', sub { mkdir "$there/sub"; POSIX::mkfifo("$there/sub/a.txt", 0600) }],
	['a link by the name of what is being written',
		sub { mkdir "$there/sub"; symlink "$dir/precious", "$there/sub/.vitrine:new" }, 0]) {
	my ($what, $set, $expected) = @$_;
	($status) = pull([$deep], $set);
	is $status, $expected // 1, $what;
	is listing($outside) . slurp("$dir/precious"), "precious\n", '... leads nowhere';
}
is +(pull([{ %good, path => '.vitrine.json' }]))[0], 0, 'what the client keeps for itself';
is listing($there), '', '... comes from nobody else';
is +(against(sub { reply($_[0], '200 Fine', { files => [], next_cursor => 'again' }) }, 'pull', $id, $there, '--version', 1))[0], 1,
	'a list without end and rows';

# Many files come as an archive.

my @listed = map { { %good, path => "f$_.txt" } } 10 .. 39;
my @entries = map { [$_->{path}, 'good'] } @listed;
sub archived {
	my ($zip, $set) = @_;
	$body = ref $zip ? $zip : sub { reply($_[0], '200 Fine', $zip) };
	return pull(\@listed, $set);
}
($status, $out, $err) = archived(zip(@entries));
is $status, 0, 'an archive' or diag $err;
is listing($there), join(' ', map { $_->{path} } @listed);
my $whole = zip(@entries);
# Made in a process of its own, so that those forked later don't carry what it took.
open(my $made, '-|') // die or do {
	binmode STDOUT;
	my $mib = 1 << 20;
	print zip(["f10.txt", "\0" x (64 * $mib)], @entries[1 .. 29]);
	close STDOUT;
	POSIX::_exit(0);
};
my $bomb = do { local $/; <$made> };
close $made;
for (['a file that leads out', zip(@entries, ['../outside/x', 'good'])], ['one by its whole path', zip(@entries, ["$outside/x", 'good'])],
	['one that is not in the list', zip(@entries, ['g.txt', 'good'])], ['a folder that leads out', zip(@entries, ['../outside/y/'])],
	['a link', zip(@entries[0 .. 28], ['f39.txt', $outside, { symlink => 1 }])],
	['other bytes', zip(@entries[0 .. 28], ['f39.txt', 'evil'])], ['more bytes', zip(@entries[0 .. 28], ['f39.txt', 'goods'])],
	['less', zip(@entries[0 .. 28], ['f39.txt', 'goo'])],
	['a bomb', $bomb], ['one that is not there', zip(@entries[0 .. 28])], ['none', zip()], ['one by another name',
		zip(@entries[0 .. 28], ['F39.txt', 'good'])], ['a wrong sum', zip(@entries[0 .. 28], ['f39.txt', 'good', { crc => 7 }])],
	['one that is locked', zip(@entries[0 .. 28], ['f39.txt', 'good', { encrypted => 1 }])],
	['half of it', substr $whole, 0, length($whole) / 2], ['something else', '<html>Welcome to our hotel</html>'], ['nothing', ''],
	['a part', sub { print { $_[0] } "HTTP/1.1 200 Fine\r\nContent-Length: 9999\r\n\r\n$whole" }],
	['bytes without end', sub { endless($_[0], "HTTP/1.1 200 Fine\r\n\r\n", $whole) }]) {
	my ($what, $zip) = @$_;
	unlink $sent;
	my ($st, undef, $said) = archived($zip, sub { spew("$there/f39.txt", 'as it was') });
	isnt $st, 0, "$what: not the version";
	unlike $said, qr/^$/, '... which is said';
	is join(' ', grep { !/^f\d\d\.txt$/ } split / /, listing($there)), '', '... nothing else is written';
	is join(' ', grep { slurp("$there/$_") ne ($_ eq 'f39.txt' && slurp("$there/$_") ne 'good' ? 'as it was' : 'good') } split / /,
		listing($there)), '', '... and nothing that was not promised';
	is listing($outside), '', '... nor elsewhere';
	cmp_ok slurp($sent), '<', 16 << 20, '... and it was not read on' if -s $sent;
}
is +(archived(zip(@entries), sub { symlink "$dir/precious", "$there/.vitrine:new"; spew("$there/f10.txt", 'as it was') }))[0], 0,
	'a link by the name of the archive';
is slurp("$dir/precious"), "precious\n", '... is not written through';
is +(archived(zip(@entries), sub { symlink "$dir/precious", "$there/f20.txt" }))[0], 1, 'a link by the name of a file';
is slurp("$dir/precious"), "precious\n", '... neither';
finish($stack);
