# SPDX-License-Identifier: Apache-2.0
# ./dev conformance: the official inspector from a command line, as people try a server out with it: with a token in a header, in both eras.
use Vitrine::Words;

my $packages = ($ENV{VITRINE_VAR} // 'var') . '/conformance';
my ($stack) = stack(agent_calls_per_minute => 1_000_000);
my $ann = $stack->user('ann@example.org');
my $url = "https://vitrine.localhost:$stack->{port}/mcp";
local @ENV{qw(PATH HOME NODE_EXTRA_CA_CERTS NODE_OPTIONS)} = ("$packages/node_modules/.bin:$ENV{PATH}", $stack->{dir},
	"$stack->{tls}/ca.pem", "--import $ENV{VITRINE_TOP}/t/lib/conformance/localhost.mjs");

# What it prints as JSON, its exit status, and what it complains of.
sub inspector {
	my ($token, @args) = @_;
	my $pid = open(my $from, '-|') // die "fork: $!\n";
	if (!$pid) {
		open STDERR, '>', "$stack->{dir}/stderr";
		exec 'mcp-inspector', '--cli', '--transport', 'http', '--server-url', $url, '--format', 'json', '--stored-auth-only',
			($token ? ('--header', "Authorization: Bearer $token") : ()), @args or die "mcp-inspector: $!\n";
	}
	my $said = do { local $/; <$from> };
	close $from;
	return (eval { decode_json($said) } // $said, $? >> 8, Vitrine::Stack::slurp("$stack->{dir}/stderr"));
}
sub told {
	my (@args) = @_;
	my ($said, $status, $why) = inspector($ann->{token}, @args);
	is $status, 0, "@args" or diag $why;
	return ref $said ? $said->{result} // $said : {};
}

for my $era (qw(legacy modern)) {
	my @era = ('--protocol-era', $era);
	is scalar @{told(@era, '--method', 'tools/list', '--strict')->{tools}}, 15, '... each tool is one that any client takes';
	my $made = told(@era, qw(--method tools/call --tool-name publish --tool-args-json), encode_json({ name => "By $era", slug => $era,
		files => [{ path => 'index.html', content => '<h1>Made' }] }))->{structuredContent};
	like $made->{artifact}{id}, qr/^art_/, '... which publishes';
	my $found = told(@era, qw(--method tools/call --tool-name get_artifact --tool-arg), "artifact=$era")->{structuredContent};
	is $found->{artifact}{id}, $made->{artifact}{id}, '... and looks';
	is told(@era, qw(--method resources/read --uri), "vitrine://artifact/$made->{artifact}{id}/files/index.html")->{contents}[0]{text},
		'<h1>Made', '... and reads';
	ok scalar @{told(@era, '--method', $_->[0])->{$_->[1]}}, '... some'
		for ['resources/list', 'resources'], ['resources/templates/list', 'resourceTemplates'], ['prompts/list', 'prompts'];
	my ($app) = inspector($ann->{token}, @era, qw(--method tools/call --tool-name publish --app-info));
	is_deeply [@{$app->{appInfo}}{qw(resourceUri resourceMimeType visibility)}],
		['ui://vitrine/card', 'text/html;profile=mcp-app', ['model']], '... its card' or diag explain $app;
	my ($said, $status, $why) = inspector($ann->{token}, @era, qw(--method skills/list --verify));
	is $status, 0, '... and its skill, whose digest is right' or diag explain $said, $why;
	(undef, $status, $why) = inspector($ann->{token}, @era, qw(--method tools/call --tool-name get_artifact --tool-arg artifact=none));
	is $status, 5, '... what a tool refuses is told by its status' or diag $why;
	(undef, $status, $why) = inspector(Vitrine::Stack::secret('so_'), @era, qw(--method tools/list));
	isnt $status, 0, '... a token that is none gets nothing';
	like $why, qr/auth|401/i, '... and why is said';
}
finish($stack);
