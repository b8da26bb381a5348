# SPDX-License-Identifier: Apache-2.0
# vitrine mcp: the service's /mcp over standard input and output, for programs that start an agent's tools themselves; two tools of its own,
# which stay in one folder; and vitrine mcp add, which tells programs of it. At the end, the official libraries for programs talk to it, and
# to /mcp.
use utf8;
use Encode 'encode_utf8';
use FindBin;
use IPC::Open3;
use MIME::Base64;
use POSIX ();
use Vitrine::Listener;
use Vitrine::Words 'as';

my ($stack, $api, $db) = stack(publish_per_hour => 1000);
my ($ann, $ben) = map { $stack->user("$_\@example.org") } qw(ann ben);
my $dir = $stack->{dir};
my $META = 'io.modelcontextprotocol/';
my $JSON = Cpanel::JSON::XS->new->canonical->utf8->allow_nonref;
my $root = "$dir/work";
sub files { my $at = shift; return Vitrine::Stack::folder($root, $at, @_) }
sub slurp { return Vitrine::Stack::slurp(encode_utf8($_[0])) }
files('.', 'readme.txt' => 'x');

# A client that is running. $o{env}: more of its environment; $o{in}: where it runs.
package Pipe {
	sub start {
		my ($class, $o, @args) = @_;
		my %env = (%ENV, $stack->env, HOME => "$dir/home", VITRINE_TOKEN => $ann->{token}, %{$o->{env} // {}});
		my $s = bless { err => "$dir/mcp-err" }, $class;
		open my $err, '>', $s->{err} or die;
		pipe my $in, $s->{to} or die;
		pipe $s->{from}, my $out or die;
		$s->{pid} = fork // die;
		if (!$s->{pid}) {
			%ENV = map { defined $env{$_} ? ($_ => $env{$_}) : () } keys %env;
			chdir($o->{in} // $root) or POSIX::_exit(126);
			open STDIN, '<&', $in;
			open STDOUT, '>&', $out;
			open STDERR, '>&', $err;
			close $s->{to};
			close $s->{from};
			exec "$stack->{build}/vitrine", 'mcp', @args or POSIX::_exit(127);
		}
		$s->{to}->autoflush(1);
		return $s;
	}
	sub send_line { my ($s, $line) = @_; utf8::encode($line) if utf8::is_utf8($line); print { $s->{to} } "$line\n"; return $s }
	sub line {
		my ($s) = @_;
		local $SIG{ALRM} = sub { die "no answer\n" };
		alarm 120;
		my $line = readline $s->{from};
		alarm 0;
		return defined $line ? $JSON->decode($line) : undef;
	}
	sub ask { my ($s, $message) = @_; return $s->send_line(ref $message ? $JSON->encode($message) : $message)->line }
	my $id = 0;
	sub old {
		my ($s, $method, $params) = @_;
		return $s->ask({ jsonrpc => '2.0', id => ++$id, method => $method, ($params ? (params => $params) : ()) });
	}
	sub new_era {
		my ($s, $method, $params) = @_;
		return $s->old($method,
			{ %{$params // {}}, _meta => { "${META}protocolVersion" => '2026-07-28', "${META}clientCapabilities" => {} } });
	}
	sub tool { my ($s, $name, $args) = @_; return $s->old('tools/call', { name => $name, arguments => $args // {} })->{result} }
	# What it still says, its exit status, and its notes.
	sub ended {
		my ($s) = @_;
		close $s->{to};
		my $rest = join '', readline $s->{from};
		waitpid $s->{pid}, 0;
		return ($rest, $? >> 8 || $? & 127, Vitrine::Stack::slurp($s->{err}));
	}
}
sub done { my ($p, $name) = @_; is_deeply [$p->ended], ['', 0, ''], $name }
my $hello = { protocolVersion => '2025-06-18', capabilities => {}, clientInfo => { name => 't', version => '1' } };
sub names { return join ' ', map { $_->{name} } @{$_[0]{result}{tools}} }

# ---- both eras

our $p = Pipe->start({});
my $r = $p->old(initialize => $hello);
is_deeply [$r->{id}, $r->{result}{protocolVersion}, $r->{result}{serverInfo}{name}], [1, '2025-06-18', 'vitrine'], 'initialize';
$p->send_line('{"jsonrpc":"2.0","method":"notifications/initialized"}')->send_line('')->send_line(" \t\r")
	->send_line('{"jsonrpc":"2.0","id":7,"result":{}}');
is_deeply $p->ask('{"jsonrpc":"2.0","id":"a\u0022ü","method":"ping"}'), { jsonrpc => '2.0', id => 'a"ü', result => {} },
	'nothing is said to notifications, replies, and empty lines';
is_deeply $p->ask("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\r"), { jsonrpc => '2.0', id => 2, result => {} },
	'a line that ends as Windows has it';
my $list = $p->old('tools/list');
like names($list), qr/^whoami .* call_action publish_folder pull_folder$/, 'its tools, and two of ours';
is 0 + @{$list->{result}{tools}}, 23, 'each once';
for my $t (@{$list->{result}{tools}}[-2, -1]) {
	is_deeply [sort keys %$t], [qw(annotations description inputSchema name)], $t->{name};
	is_deeply [sort grep { $_ ne 'idempotentHint' } keys %{$t->{annotations}}], [qw(destructiveHint openWorldHint readOnlyHint title)],
		'... says what it does';
	is_deeply [@{$t->{inputSchema}}{qw(type additionalProperties)}], ['object', $false], '... and what it takes';
	ok length $t->{description} <= 300, '... in few words';
}
is $p->tool('whoami')->{structuredContent}{user_id}, $ann->{id}, 'a tool of the service';
is $p->old('nope')->{error}{code}, -32601, 'an unknown method';
is $p->tool('nope'), undef, 'an unknown tool';
$r = $p->new_era('server/discover');
is_deeply [$r->{result}{resultType}, $r->{result}{supportedVersions}[0]], ['complete', '2026-07-28'], 'discover';
$list = $p->new_era('tools/list');
is_deeply [@{$list->{result}}{qw(resultType cacheScope)}, 0 + @{$list->{result}{tools}}], ['complete', 'private', 23], 'the newer list';
is $p->new_era('tools/call', { name => 'whoami', arguments => {} })->{result}{structuredContent}{user_id}, $ann->{id}, 'a call';
$r = $p->new_era('resources/read', { uri => 'vitrine://artifact/ü ' });
like $r->{error}{message} // '', qr/no such artifact/, 'a name that a header carries in base64' or diag $JSON->encode($r);
isnt $r->{error}{code}, -32020;
is $p->new_era('prompts/get', { name => '=?base64?eA==?=' })->{error}{code}, -32602, '... and one that looks so';
is $p->old('tools/list', { _meta => { "${META}protocolVersion" => "2031\r\nX: y", "${META}clientCapabilities" => {} } })->{error}{code},
	-32022, 'a version that would begin another header';
is $p->new_era('ping')->{error}{code}, -32601, 'no ping';

# ---- what is no message

is_deeply [@{$p->ask($_->[0])}{qw(jsonrpc id)}, $p->ask($_->[0])->{error}{code}], ['2.0', undef, $_->[1]], $_->[2]
	for ['{', -32700, 'broken JSON'], ["{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\0\"}", -32700, 'NUL'],
	['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, 'a list'], ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600,
		'a null id'], ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, 'half an id'], ['"x"', -32600, 'a text'],
	['[' x 40, -32700, 'too deep'], [encode_utf8('{"ü": ') . "\xff}", -32700, 'what is no UTF-8'];
is $p->ask('{"jsonrpc":"2.0","id":9,"method":"ping","params":[]}')->{id}, 9, 'the id, where there is one';
is $p->send_line('{"jsonrpc":"2.0","method":"notifications/x","params":[]}')->old('ping')->{result} ? 1 : 0, 1,
	'a notification that is none has no answer either';
done($p, 'the end of standard input is the end');

# ---- a folder is published

files('site', 'index.html' => '<title>T</title>one', 'data/a.bin' => "\0\1" x 50_000, '.env' => 'SECRET=1', 'node_modules/x.js' => 'x');
$p = Pipe->start({});
my $made = $p->tool('publish_folder', { folder => 'site', name => 'My site', message => 'first' });
is_deeply [sort keys %{$made->{structuredContent}}], [qw(artifact_id notes url version_no)], 'published' or diag $JSON->encode($made);
is_deeply $JSON->decode(encode_utf8($made->{content}[0]{text})), $made->{structuredContent}, 'as text, too';
my $said = $made->{structuredContent};
is $said->{version_no}, 1;
my ($slug) = $said->{url} =~ m{^https://(my-site-[^.]+)\.};
like join("\n", @{$said->{notes}}), qr/^left out 2: \.env, node_modules\/$/m, 'what was left out is said';
my ($id) = $said->{artifact_id};
is as('ann', GET => "/v1/artifacts/$id")->{json}{artifact}{visibility}, 'private', 'for nobody else';
is as('ann', GET => "/v1/artifacts/$id/files?version=1")->{json}{files}[1]{path}, 'index.html';
files('site', 'index.html' => '<title>T</title>two');
my $traffic = sub { my @n = slurp("$dir/worker.log") =~ m{"method":"POST","route":"/v1/publish".*?"bytes_in":(\d+)}g; return $n[-1] };
$made = $p->new_era('tools/call',
	{ name => 'publish_folder', arguments => { folder => "$root/site/", visibility => 'unlisted' } })->{result};
is_deeply [@{$made->{structuredContent}}{qw(artifact_id version_no)}, $made->{resultType}], [$id, 2, 'complete'],
	'the same folder again is a new version';
is $api->get_site($slug, '/')->{body}, '<title>T</title>two', '... with what has changed';
is $p->tool('publish_folder', { folder => './/site/.', artifact => $slug })->{structuredContent}{version_no}, 3, 'by its slug';
isnt $p->tool('publish_folder', { folder => 'site', name => 'Other', new => $true })->{structuredContent}{artifact_id}, $id, 'another one';
sub refused {
	my ($tool, $args, $like) = @_;
	my $r = $p->tool($tool, $args);
	ok $r->{isError} && !$r->{structuredContent}, "$tool is refused";
	like $r->{content}[0]{text}, $like, '... and says why';
	return;
}
refused('publish_folder', { folder => 'site', artifact => 'none-such' }, qr/^none-such: none of your artifacts has this slug$/m);
refused('publish_folder', { folder => 'site', visibility => 'all' }, qr/^visibility: /);
refused('publish_folder', { foldr => 'site' }, qr/^foldr: isn't an argument of publish_folder; did you mean folder\?$/);
refused('publish_folder', {}, qr/^folder: /);
refused('publish_folder', [], qr/^arguments: must be an object$/);
files('empty', '.env' => 'x');
refused('publish_folder', { folder => 'empty' }, qr/has no files except those that are left out$/);
files('keys', 'index.html' => 'x', 'deploy.pem' => "-----BEGIN RSA PRIVATE KEY-----\nMII");
my $count = sub { return $db->selectrow_array('SELECT COUNT(*) FROM version') };
my $before = $count->();
refused('publish_folder', { folder => 'keys' },
	qr/^warning: deploy\.pem looks like a private key\ntake it out, list it in \.vitrineignore, or have your person run vitrine publish \S+\/keys\nnothing was published$/);
is $count->(), $before, 'what looks like a secret is no agent\'s to publish';
files('strange', 'index.html' => 'x', '.vitrine.json' => slurp("$root/.vitrine.json") || slurp("$root/site/.vitrine.json"));
refused('publish_folder', { folder => 'strange' }, qr/says that this is \S+, but you didn't write that here/);
isnt $p->tool('publish_folder', { folder => 'strange', new => $true })->{structuredContent}{artifact_id}, $id,
	'what came with a folder is nothing that one said';

# ---- below the root alone

mkdir "$dir/elsewhere";
Vitrine::Stack::spew("$dir/elsewhere/index.html", 'secret');
Vitrine::Stack::spew("$dir/workshop", 'x');
symlink "$dir/elsewhere", "$root/absolute";
symlink '../elsewhere', "$root/relative";
symlink 'site', "$root/inside";
symlink 'loop', "$root/loop";
symlink '.ssh', "$root/keys-link";
files('.ssh', 'known' => 'x');
files('linking', 'index.html' => 'x');
symlink '../../elsewhere/index.html', "$root/linking/out.html";
$before = $count->();
for my $tool (['publish_folder'], ['pull_folder', artifact => $slug]) {
	my ($name, @more) = @$tool;
	refused($name, { folder => $_->[0], @more }, $_->[1]) for ['..', qr/^folder: \.\.: there is no \.\. here/],
		['site/../../elsewhere', qr/there is no \.\. here/], ["$dir/elsewhere", qr/isn't below \Q$root\E, the only folder/],
		["$dir/workshop", qr/isn't below/], ["$root/../elsewhere", qr/there is no \.\. here/], ['/', qr/isn't below/],
		['absolute', qr/a symbolic link in it leads out of \Q$root\E$/], ['relative', qr/leads out/],
		['relative/x', qr/leads out/], ['loop', qr/symbolic link/], ['.ssh', qr/never published, nor written/],
		['site/.git/hooks', qr/never published/], ['keys-link', qr/never published/], ['readme.txt', qr/Not a directory/],
		["a\n/../b", qr/there is no \.\. here/];
}
refused('publish_folder', { folder => 'none' }, qr/^folder: none: No such file/);
refused('publish_folder', { folder => 'linking' }, qr/symbolic link out of the folder/);
is $count->(), $before, 'nothing of that was published';
is join(' ', glob("$dir/elsewhere/* $dir/elsewhere/.v*")) =~ s/\Q$dir\E//gr, '/elsewhere/index.html', 'and nothing written';
ok !-e "$root/.git", 'nor made';
is $p->tool('publish_folder', { folder => 'inside' })->{structuredContent}{artifact_id}, $p->tool('publish_folder',
	{ folder => 'site' })->{structuredContent}{artifact_id}, 'a link that leads to a folder of it is that folder';

# ---- and fetched

$r = $p->tool('pull_folder', { artifact => $slug, folder => 'got/deep' });
is_deeply [@{$r->{structuredContent}}{qw(artifact_id folder fetched already_there)}], [$id, "$root/got/deep", 2, 0], 'fetched'
	or diag $JSON->encode($r);
is slurp("$root/got/deep/data/a.bin"), "\0\1" x 50_000, '... whole';
is $p->tool('pull_folder', { artifact => $id, folder => 'got/deep' })->{structuredContent}{already_there}, 2, '... and there';
files('got/deep', 'index.html' => 'mine');
refused('pull_folder', { artifact => $slug, folder => 'got/deep' }, qr/1 file in \S+ differs from what would be fetched: index\.html/);
is slurp("$root/got/deep/index.html"), 'mine', 'what differs is somebody\'s work';
refused('pull_folder', { artifact => 'none-such', folder => 'made/for' }, qr/none of your artifacts/);
ok !-e "$root/made/for", 'no folder is left for what there is not';
my $dots = as('ann', POST => '/v1/publish', { name => 'Dots', slug => 'dots',
	files => [map { { path => $_, content => 'evil' } } 'index.html', '.bashrc', 'a/.ssh/authorized_keys', 'node_modules/x.js'] });
is $dots->{status}, 201 or diag $dots->{body};
$r = $p->tool('pull_folder', { artifact => 'dots', folder => 'dots' });
is $r->{structuredContent}{fetched}, 1, 'what programs read of themselves is not written' or diag $JSON->encode($r);
is_deeply [sort map { s/ .*//sr } @{$r->{structuredContent}{notes}}], ['.bashrc', '1', 'a/.ssh/authorized_keys', 'node_modules/x.js'],
	'... which is said';
is join(' ', map { s{.*/}{}r } grep { !m{/\.\.?$} } glob "$root/dots/* $root/dots/.*"), 'index.html';
done($p, 'the end');

# ---- another folder, or none

$p = Pipe->start({ in => '/' }, '--root', "$root/site");
is $p->tool('publish_folder', { folder => '.' })->{structuredContent}{version_no} > 1 ? 1 : 0, 1, '--root';
refused('publish_folder', { folder => '../keys' }, qr/there is no \.\./);
done($p, 'the end');
symlink $root, "$dir/alias";
$p = Pipe->start({}, '--root', "$dir/alias");
ok $p->tool('publish_folder', { folder => "$dir/alias/site" })->{structuredContent}, '... as it is called';
ok $p->tool('publish_folder', { folder => "$root/site" })->{structuredContent}, '... and where it lies';
done($p, 'the end');
$p = Pipe->start({ in => '/' });
refused('publish_folder', { folder => 'etc' }, qr/start vitrine mcp with --root DIR/);
is $p->tool('whoami')->{structuredContent}{user_id}, $ann->{id}, 'the rest is there';
done($p, 'the end');
is_deeply [Pipe->start({}, '--root', "$dir/none")->ended], ['', 1, "vitrine: $dir/none: No such file or directory\n"],
	'a root that is not there';
is_deeply [Pipe->start({}, '--root', "$root/readme.txt")->ended], ['', 1, "vitrine: $root/readme.txt: Not a directory\n"],
	'... or is a file';

# ---- whose token it is

my @SCOPES = qw(artifacts:read artifacts:publish data:read data:write);
sub scoped { return $stack->token($ann->{id}, 'so_', scopes => $_[0]) }
$p = Pipe->start({ env => { VITRINE_TOKEN => scoped(1) } });
like names($p->old('tools/list')), qr/^(?!.*publish).* pull_folder$/, 'who may only read sees no publish_folder';
$r = $p->ask({ jsonrpc => '2.0', id => 'x', method => 'tools/call', params => { name => 'publish', arguments => {} } });
is_deeply [$r->{id}, $r->{error}{code}, $r->{error}{data}{code}], ['x', 403, 'INSUFFICIENT_SCOPE'],
	'a refusal of the service is an error, with the id';
refused('publish_folder', { folder => 'site' }, qr/scope/);
done($p, 'the end');

my $home = "$dir/newcomer";
mkdir $home;
my %out = (VITRINE_TOKEN => undef, HOME => $home);
$p = Pipe->start({ env => \%out });
$r = $p->old(initialize => $hello);
is_deeply [$r->{result}{protocolVersion}, sort keys %{$r->{result}}], [qw(2025-06-18 capabilities protocolVersion serverInfo)],
	'nobody is signed in: it starts';
is $p->old(initialize => { protocolVersion => '1999-01-01' })->{result}{protocolVersion}, '2025-11-25';
$p->send_line('{"jsonrpc":"2.0","method":"notifications/initialized"}');
is names($p->old('tools/list')), 'publish_folder pull_folder', '... has a few tools';
is_deeply $p->old('ping')->{result}, {};
refused($_, {}, qr/^you're not signed in: run vitrine login, or set VITRINE_TOKEN$/) for qw(whoami publish_folder);
$r = $p->old('prompts/list');
is_deeply [$r->{error}{code}, $r->{error}{message}], [401, q(you're not signed in: run vitrine login, or set VITRINE_TOKEN)],
	'... and says what to do';
$r = $p->new_era('server/discover')->{result};
is_deeply [sort keys %$r], [qw(_meta cacheScope capabilities resultType supportedVersions ttlMs)], 'so in the newer era';
is_deeply [@{$p->new_era('tools/list')->{result}}{qw(cacheScope resultType ttlMs)}], ['private', 'complete', 0];
is $p->new_era('tools/call', { name => 'whoami' })->{result}{resultType}, 'complete';
is +($stack->program('vitrine', { VITRINE_TOKEN => undef, HOME => $home }, 'login', '--token', $ben->{token}))[0], 0, 'signed in meanwhile';
is_deeply $p->old('prompts/list'), { jsonrpc => '2.0', method => 'notifications/tools/list_changed' }, 'it says that there is more';
ok $p->line->{result}{prompts}, '... and answers';
is $p->tool('whoami')->{structuredContent}{user_id}, $ben->{id}, 'as whoever that is';
$db->do('UPDATE token SET revoked_at = 1 WHERE user_id = ?', undef, $ben->{id});
refused('whoami', {}, qr/doesn't take the token anymore: run vitrine login/);
is names($p->old('tools/list')), 'publish_folder pull_folder', 'a token that has ended is none';
my $again = $stack->ctl(qw(token mint --user), 'ben@example.org');
$stack->program('vitrine', { VITRINE_TOKEN => undef, HOME => $home }, 'login', '--token', $again);
is $p->tool('whoami')->{structuredContent}{user_id}, $ben->{id}, 'another is used at once';
$db->do('UPDATE token SET revoked_at = 1 WHERE user_id = ?', undef, $ben->{id});
$stack->program('vitrine', { VITRINE_TOKEN => undef, HOME => $home }, 'login', '--token',
	my $third = $stack->ctl(qw(token mint --user), 'ben@example.org'));
is $p->tool('whoami')->{structuredContent}{user_id}, $ben->{id}, '... also where one ends that worked until now';
is_deeply [$p->ended], ['', 0, "you're not signed in: run vitrine login, or set VITRINE_TOKEN\n"], 'to a notification, too';
$p = Pipe->start({ env => { %out, VITRINE_URL => 'https://vitrine.example' } });
refused('whoami', {}, qr/^your saved token is for \S+ and isn't sent to https:\/\/vitrine\.example: run vitrine login/);
done($p, 'a token stays with its service');
$p = Pipe->start({ env => { VITRINE_URL => undef, VITRINE_TOKEN => undef, HOME => "$dir/nobody" } });
refused('whoami', {}, qr/^no service given: .*vitrine login --url/);
done($p, 'nobody knows of a service');
$p = Pipe->start({ env => { VITRINE_URL => undef, VITRINE_TOKEN => undef, HOME => "$dir/nobody" } }, '--json');
refused('whoami', {}, qr/^no service given/);
done($p, '--json changes nothing');

# ---- a service that isn't there, fails, or is another

$p = Pipe->start({ env => { VITRINE_URL => 'https://localhost:9' } });
$r = $p->old('tools/list');
is_deeply [$r->{error}{code}, $r->{error}{data}{code}], [-32603, 'UNAVAILABLE'], 'nobody is there';
like $r->{error}{message}, qr{^https://localhost:9: }, '... in words';
refused('publish_folder', { folder => 'site' }, qr{^https://localhost:9: }m);
$p->send_line('{"jsonrpc":"2.0","method":"notifications/initialized"}');
is_deeply [$p->ended], ['', 0, "https://localhost:9 can't be told of notifications/initialized\n"], 'a notification is noted';

package Service {
	our @ISA = 'Vitrine::Listener';
	sub new { my ($class, $tls, $answer) = @_; return $class->begin('mcp', answer => $answer)->start($tls) }
	sub serve {
		my ($s, $c, $ask) = @_;
		my ($status, $body, $head) = $s->{answer}->($ask, $c);
		$body = $JSON->encode($body) if ref $body;
		Vitrine::Listener::send_all($c, "HTTP/1.1 $status X\r\nContent-Length: " . length($body) . "\r\nConnection: close\r\n"
			. ($head // '') . "\r\n$body") if $status;
	}
}
# What is said of what such a service answers.
sub against {
	my ($answer, $message) = @_;
	my $service = Service->new($stack->{tls}, $answer);
	local $p = Pipe->start({ env => { VITRINE_URL => "https://localhost:$service->{port}" } });
	my $r = $p->ask($message // { jsonrpc => '2.0', id => 'x', method => 'tools/call', params => { name => 'a' } });
	is_deeply [$p->ended], ['', 0, ''], 'a line for a line';
	$service->stop;
	return $r;
}
sub failure {
	my ($r, $code, $like, $what) = @_;
	is_deeply [$r->{id}, $r->{error}{code}], ['x', $code], $what;
	like $r->{error}{message}, $like, '... in words';
}
failure(against(sub {
	return (429, { jsonrpc => '2.0', id => undef, error => { code => 429, message => 'Too many', data => { code => 'RATE_LIMITED' } } },
		"Retry-After: 17\r\n");
}), 429, qr/^Too many; try again in 17 s$/, 'too many');
failure(against(sub { return (502, '<html>') }), 502, qr/answered 502, but not as Vitrine does/, 'a gateway');
failure(against(sub { return (200, 'null') }), -32603, qr/answered 200, but not as/, 'no answer');
failure(against(sub { return (202, '') }), -32603, qr/answered 202, but not as/, 'an empty one');
failure(against(sub { return (302, '', "Location: https://localhost:9/\r\n") }), -32603, qr/answered 302/, 'another place is not asked');
failure(against(sub { return }), -32603, qr{^https://localhost}, 'who hangs up');
failure(against(sub { return (200, '{"result":"' . 'x' x (17 << 20) . '"}') }), -32603, qr/larger than it should be/, 'too much');
my $long = "ü\x{1F600}\x{202E}\e[2J\n" x 500_000;
$r = against(sub { return (200, encode_utf8('{"jsonrpc":"2.0","id":"x", "result" :{"text":') . $JSON->encode($long) . "}\n}") });
ok $r->{id} eq 'x' && $r->{result}{text} eq $long, '10 MB of text come on one line';
is against(sub { return (200, { jsonrpc => '2.0', id => 'another', result => {} }) })->{id}, 'x', 'the id is that of the question';
# What it was asked.
my $heads = sub {
	my ($ask) = @_;
	return (200, { jsonrpc => '2.0', id => 1, result => { method => $ask->{method}, target => $ask->{target},
		protocolVersion => '2025-03-26', head => $ask->{headers}, body => $ask->{body} } });
};
sub head { my ($message, @names) = @_; my $h = against($heads, $message)->{result}{head}; return [@$h{@names}] }
$r = against($heads, '{"jsonrpc":"2.0","id":"x","method":"tools/list"}')->{result};
is_deeply [@$r{qw(method target body)},
	@{$r->{head}}{qw(authorization content-type accept idempotency-key mcp-protocol-version mcp-method)}],
	['POST', '/mcp', "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"tools/list\"}\n", "Bearer $ann->{token}", 'application/json',
		'application/json, text/event-stream', undef, undef, undef], 'sent as it is, once, with the token';
sub in_new_era {
	my ($method, %params) = @_;
	return { jsonrpc => '2.0', id => 'x', method => $method,
		params => { %params, _meta => { "${META}protocolVersion" => '2026-07-28', "${META}clientCapabilities" => {} } } };
}
my @three = qw(mcp-protocol-version mcp-method mcp-name);
is_deeply head(in_new_era('tools/list'), @three), ['2026-07-28', 'tools/list', undef], 'the newer era has headers';
is_deeply head(in_new_era('tools/call', name => 'publish'), @three), ['2026-07-28', 'tools/call', 'publish'];
is_deeply head(in_new_era('resources/read', uri => 'a:b'), @three), ['2026-07-28', 'resources/read', 'a:b'];
is head(in_new_era('prompts/get', name => $_), 'mcp-name')->[0], '=?base64?' . encode_base64(encode_utf8($_), '') . '?=',
	'in base64: ' . $JSON->encode($_) for 'Grüße', ' x', "x\r\ny: z", '', '=?base64?x?=', "tab\t";
my $service = Service->new($stack->{tls}, $heads);
$p = Pipe->start({ env => { VITRINE_URL => "https://localhost:$service->{port}" } });
is $p->old(initialize => $hello)->{result}{head}{'mcp-protocol-version'}, undef, 'the older era: none at first';
is $p->old('tools/list')->{result}{head}{'mcp-protocol-version'}, '2025-03-26', '... then what was agreed on';
is $p->old(initialize => $hello)->{result}{head}{'mcp-protocol-version'}, undef, '... and anew';
done($p, 'the end');

# ---- vitrine mcp add

my $url = "https://vitrine.localhost:$stack->{port}";
sub client { return $stack->client($ann->{token}, 'mcp', @_) }
sub link_of {
	my ($config) = $_[0] =~ m{^cursor://anysphere\.cursor-deeplink/mcp/install\?name=vitrine&config=([^&+/=\s]+)$};
	return $JSON->decode(decode_base64($config =~ s/%([0-9A-F]{2})/chr hex $1/ger));
}
is_deeply [client(qw(add claude))], [0, "claude mcp add --transport http vitrine $url/mcp\n", ''], 'Claude Code';
is_deeply [client(qw(add codex))], [0, "codex mcp add vitrine --url $url/mcp\n", ''], 'Codex';
is_deeply link_of((client(qw(add cursor)))[1]), { url => "$url/mcp" }, 'Cursor';
is_deeply [client(qw(add vscode))], [0, qq(code --add-mcp '{"name":"vitrine","type":"http","url":"$url/mcp"}'\n), ''], 'VS Code';
is_deeply [client(qw(add claude --stdio))], [0, "claude mcp add --transport stdio vitrine -- vitrine mcp\n", ''], 'over standard input';
is_deeply [client(qw(add codex --stdio --url), 'https://vitrine.example/')],
	[0, "codex mcp add vitrine -- vitrine mcp --url https://vitrine.example\n", ''], '... of a service that was named';
files("it's", 'x' => 'x');
is +(client(qw(add claude --stdio --root), "$root/it's"))[1],
	"claude mcp add --transport stdio vitrine -- vitrine mcp --root '$root/it'\\''s'\n", '... and a folder, as a shell reads it';
is_deeply link_of((client(qw(add cursor --stdio)))[1]), { command => 'vitrine', args => ['mcp'] };
is +(client(qw(add vscode --stdio)))[1], qq(code --add-mcp '{"name":"vitrine","type":"stdio","command":"vitrine","args":["mcp"]}'\n);
is_deeply [$stack->program('vitrine', { VITRINE_TOKEN => undef, HOME => "$dir/nobody" }, qw(mcp add codex))],
	[0, "codex mcp add vitrine --url $url/mcp\n", ''], 'nobody has to be signed in';
is_deeply [client(qw(add emacs))], [2, '',
	"vitrine: emacs isn't one of claude, codex, cursor, vscode; others take the address $url/mcp, or the command vitrine mcp\n"],
	'another program';
is_deeply [client(qw(add claude --root .))],
	[2, '', "vitrine: --root: goes with --stdio; the service itself sees no files of this computer\n"];
is +(client('add'))[0], 2;
is +(client('claude'))[0], 2;
is +(client('--yes'))[0], 2;
is +($stack->program('vitrine', { VITRINE_URL => undef, HOME => "$dir/nobody" }, qw(mcp add codex)))[0], 2, 'nobody knows of a service';
mkdir "$dir/bin";
for (qw(claude xdg-open)) {
	Vitrine::Stack::spew("$dir/bin/$_", "#!/bin/sh\nprintf '%s|' $_ \"\$\@\"\nexit 7\n");
	chmod 0755, "$dir/bin/$_";
}
sub added {
	return $stack->program('vitrine', { VITRINE_TOKEN => $ann->{token}, HOME => $dir, PATH => "$dir/bin:/usr/bin:/bin" },
		qw(mcp add --yes), @_);
}
is_deeply [added('claude')], [7, "claude|mcp|add|--transport|http|vitrine|$url/mcp|",
	"running: claude mcp add --transport http vitrine $url/mcp\n"], '--yes runs it, and says so';
like +(added('cursor'))[1], qr{^xdg-open\|cursor://anysphere\.\S+\|$}, '... a link, too';
my ($status, $out, $err) = added('codex');
is "$status$out", 1;
like $err, qr/^running: codex .*\nvitrine: codex isn't installed here, or isn't in PATH;/, 'what is not there is said';
finish($stack);
