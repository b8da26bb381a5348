# SPDX-License-Identifier: Apache-2.0
# What agents' programs find before they have a token: the card, the catalogs, the skill and its list. Each as its specification has it, the
# same to everybody, kept by caches; what it leads to is there, and what it says to do is done, with tools and with curl.
use Digest::SHA 'sha256_hex';
use Encode 'decode_utf8';
use Vitrine::Typed;
use Vitrine::Words;

my ($stack, $api) = stack(max_files => 777);
my $app = "https://vitrine.localhost:$stack->{port}";
my $ann = $stack->user('ann@example.org');
my %type = ('/skills/vitrine/SKILL.md' => 'text/markdown; charset=utf-8', '/agents.md' => 'text/markdown; charset=utf-8',
	'/.well-known/agent-skills/index.json' => 'application/json',
	'/mcp/server-card' => 'application/mcp-server-card+json', '/.well-known/ai-catalog.json' => 'application/ai-catalog+json',
	'/.well-known/mcp/catalog.json' => 'application/json');
sub get { my ($path, %o) = @_; return $api->call($o{method} // 'GET', $path, { token => $o{token}, headers => $o{headers} // {} }) }
sub json { return $api->{json}->decode(get($_[0])->{body}) }
sub call_tool {
	return $api->call(POST => '/mcp', { token => $ann->{token}, json => { jsonrpc => '2.0', id => 1, method => 'tools/call',
		params => { name => $_[0], arguments => $_[1] } } })->{json}{result};
}

# ---- all of them

for my $path (sort keys %type) {
	my $r = get($path);
	my $h = $r->{headers};
	is "$r->{status} $h->{'content-type'}", "200 $type{$path}", $path;
	is $h->{'cache-control'}, 'public, max-age=3600', '... may be kept by anybody';
	is $h->{'access-control-allow-origin'}, '*', '... read by a page of any site, even from a cache';
	like $h->{'access-control-expose-headers'}, qr/\bETag\b/, '... with its ETag';
	like get($path, headers => { Origin => 'https://elsewhere.example' })->{headers}{'access-control-expose-headers'}, qr/\bETag\b/;
	is get($path, headers => { 'If-None-Match' => $h->{etag} })->{status}, 304, '... and asked for again at no cost';
	is get($path, headers => { 'If-None-Match' => '"other"' })->{status}, 200;
	is_deeply [@{get($path, method => 'HEAD')}{qw(status body)}], [200, ''], '... HEAD';
	is get($path, token => $ann->{token})->{body}, $r->{body}, '... the same with a token';
	is get($path, headers => { Cookie => 'vitrine_session=' . Vitrine::Stack::secret('ses_') })->{body}, $r->{body},
		'... and with a cookie, which is not looked at';
	is get($path, method => 'POST')->{status}, 405, '... only read';
	ok length $r->{body} < 16_000, '... short';
}
is get('/.well-known/agent-skills/nothing.json')->{status}, 404, 'there is no other';
is get('/skills/other/SKILL.md')->{status}, 404;

# ---- the card, the catalogs

my $card = json('/mcp/server-card');
is_deeply [sort keys %$card], [qw($schema description icons name remotes title version websiteUrl)], 'the card: exact keys';
is $card->{'$schema'}, 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json', 'which card it is';
is $card->{name}, 'localhost.vitrine/vitrine', 'the host the other way round, and the name';
like $card->{name}, qr{^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$}, '... as the schema has it';
ok length $card->{$_} && length $card->{$_} <= 100, "... $_ is short" for qw(title description);
is $card->{version}, $api->call(GET => '/v1/version')->{json}{version}, 'the version that runs';
is_deeply $card->{remotes},
	[{ type => 'streamable-http', url => "$app/mcp", supportedProtocolVersions => [qw(2026-07-28 2025-11-25 2025-06-18 2025-03-26)] }],
	'where it is and what it speaks';
my $meta = 'io.modelcontextprotocol/';
my $found = $api->call(POST => '/mcp',
	{ token => $ann->{token}, headers => { 'MCP-Protocol-Version' => '2026-07-28', 'Mcp-Method' => 'server/discover' },
		json => { jsonrpc => '2.0', id => 1, method => 'server/discover', params =>
			{ _meta => { "${meta}protocolVersion" => '2026-07-28', "${meta}clientCapabilities" => {} } } } })->{json}{result};
is_deeply $found->{supportedVersions}, $card->{remotes}[0]{supportedProtocolVersions}, 'as the server says when it is asked';
my $server = $found->{_meta}{"${meta}serverInfo"};
is_deeply [@$server{qw(title version websiteUrl description icons)}], [@$card{qw(title version websiteUrl description icons)}],
	'... and of itself the same';
for (@{$card->{icons}}) {
	my $r = get($_->{src} =~ s/^\Q$app\E//r);
	is "$r->{status} $r->{headers}{'content-type'}", "200 $_->{mimeType}", "the picture $_->{src}";
	is join('x', unpack 'x16 NN', $r->{body}), $_->{sizes}[0], '... of that size' if $_->{mimeType} eq 'image/png';
}
is get($card->{websiteUrl} =~ s/^\Q$app\E//r)->{status}, 200, 'where a person reads more';

my $catalog = json('/.well-known/ai-catalog.json');
is_deeply [sort keys %$catalog], [qw(entries host specVersion)], 'the catalog: exact keys';
is $catalog->{specVersion}, '1.0';
is_deeply [sort keys %{$catalog->{host}}], [qw(displayName documentationUrl identifier logoUrl)], '... whose it is';
is get($catalog->{host}{$_} =~ s/^\Q$app\E//r)->{status}, 200, "... $_" for qw(documentationUrl logoUrl);
is_deeply [map { [@$_{qw(identifier type)}] } @{$catalog->{entries}}],
	[['urn:air:vitrine.localhost:mcp:vitrine', 'application/mcp-server-card+json'],
		['urn:air:vitrine.localhost:skill:vitrine', 'application/agent-skills+md']], '... what there is';
my $older = json('/.well-known/mcp/catalog.json');
is_deeply [$older->{specVersion}, $older->{entries}], ['draft', [$catalog->{entries}[0]]],
	'the older one has the server alone, and says the same of it';
for (@{$catalog->{entries}}) {
	my $r = get($_->{url} =~ s/^\Q$app\E//r);
	is $r->{status}, 200, "$_->{url} is there";
	like $r->{headers}{'content-type'}, qr/^\Q$_->{type}\E$|^text\/markdown/, '... and is that';
}

# ---- server.json

my $listed = $api->{json}->decode($stack->ctl('mcp'));
is $listed->{'$schema'}, 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
	'vitrinectl mcp prints what a registry takes';
is_deeply $listed->{remotes}, [{ type => 'streamable-http', url => "$app/mcp" }], '... with the address';
is_deeply { %$card, '$schema' => 0, remotes => 0 }, { %$listed, '$schema' => 0, remotes => 0 }, '... and else what the card says';
is join(' ', grep { length $_->{src} > 255 } @{$listed->{icons}}), '', '... in addresses that are not too long';

# ---- the skill

my $skill = get('/skills/vitrine/SKILL.md')->{body};
is get('/agents.md')->{body}, $skill, 'one text at both addresses';
my $index = json('/.well-known/agent-skills/index.json');
is_deeply [sort keys %$index], [qw($schema skills)], 'the list of skills: exact keys';
is $index->{'$schema'}, 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';
my ($listed_skill, @others) = @{$index->{skills}};
is_deeply [sort keys %$listed_skill], [qw(description digest name type url)], 'a skill';
is_deeply \@others, [], '... alone';
is $listed_skill->{digest}, 'sha256:' . sha256_hex($skill), '... with the digest of its bytes';
is get($listed_skill->{url})->{body}, $skill, '... and its address';
is $listed_skill->{type}, 'skill-md';
my ($name, $description, $text) = decode_utf8($skill) =~ /\A---\nname: (\S+)\ndescription: (\S.*)\n---\n\n(.*)/s or die;
is_deeply [$name, $description], [@$listed_skill{qw(name description)}], 'its front matter says the same';
is_deeply [@{$catalog->{entries}[1]}{qw(description)}], [$description], 'so does the catalog';
like $name, qr/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'its name is one';
ok length $description <= 1024, 'its description is short enough';
unlike $description, qr/: | #|^[-?:,\[\]{}#&*!|>'"%@`]/, '... and plain in YAML';
like $description, qr/Use when .*publish.*vitrine\.localhost.*pages\.localhost/, '... and says when to use it';
ok length $text < 15_000, 'fewer than 5,000 tokens, of three characters each';
my @tools = map { $_->{name} } @{$api->call(POST => '/mcp',
	{ token => $ann->{token}, json => { jsonrpc => '2.0', id => 1, method => 'tools/list' } })->{json}{result}{tools}};
is_deeply [$text =~ /^- `(\w+)`: /mg], \@tools, 'it has every tool';
like $text, qr/\b777 files per version/, 'the limits are those in force';
for my $url ($text =~ m{\Q$app\E(/(?!v1\b|mcp\b|auth/account)[\w./-]+\w)}g) {
	is get($url)->{status}, 200, "it leads to $url";
}
my $llms = get('/llms.txt')->{body};
like $llms, qr{\Q$app$_\E}, "llms.txt leads to $_" for '/mcp', '/docs/connect', '/skills/vitrine/SKILL.md';
my $robots = $api->request(GET => 'vitrine.localhost', '/robots.txt', {})->{body};
like $robots, qr/^Allow: \Q$_\E$/m, "robots may read $_" for '/agents.md', '/skills/', '/.well-known/', '/mcp/server-card';

# ---- what it says, done with tools

my @examples = map { map { $api->{json}->decode($_) } /(\{(?:[^{}]|(?1))*\})/g } $skill =~ /```json\n(.*?)```/sg;
is scalar @examples, 5, 'its examples are JSON';
my ($new, $change, $table, $rows, $query) = @examples;
is call_tool('publish', $new)->{structuredContent}{deployment}{slug}, $change->{artifact}, 'a new page';
call_tool('publish', { artifact => $change->{artifact}, files => [{ path => 'index.html', content => "<p>Target 10</p><!-- $_ -->" }] })
	for 2, 3;
is call_tool('publish', $change)->{structuredContent}{version}{version_no}, 4, 'a change';
like call_tool('fetch', { id => $change->{artifact} })->{structuredContent}{text}, qr/\nTarget 12\n/;
ok !call_tool('write_data', $_)->{isError}, 'a table and its rows' for $table, $rows;
like call_tool('query_data', $query)->{structuredContent}{rows}, qr/"month":"May"/, '... which are read';

# ---- the same with curl

my $typed = Vitrine::Typed->new($stack, $ann->{token});
my @commands = $skill =~ /```sh\n(.*?)```/sg;
is scalar @commands, 12, 'its commands';
for my $command (@commands) {
	my ($status, $body) = $typed->type($command);
	like $status, qr/^20[01]$/, $command =~ s/\A.*?curl/curl/sr =~ s/\n.*//sr or diag $body;
	my $made = eval { decode_json($body)->{artifact} };
	$typed->{env}{ARTIFACT_ID} //= $made->{id} if $made;
}
finish();
