# SPDX-License-Identifier: Apache-2.0
# The card that an agent's program shows of a page (MCP Apps), in a real browser: a page of this machine connects with the protocol's own
# libraries, as a browser's inspector does, and frames the card as their host does.
use utf8;
use Digest::SHA 'sha256_hex';
use IPC::Open2;
use Vitrine::Browser;
use Vitrine::Words 'as';

my ($stack, $api, $db) = stack(agent_calls_per_minute => 10_000);
my $ann = $stack->user('ann@example.org');
local $ENV{PACKAGES} = ($ENV{VITRINE_VAR} // 'var') . '/mcp';
my $server = open2(my $from, my $to, 'node', "$ENV{VITRINE_TOP}/t/lib/mcp/host.mjs");
chomp(my $port = <$from>);
my $b = Vitrine::Browser->new($stack, width => 1280, height => 900);
sub host { my ($era) = @_; $b->go("http://127.0.0.1:$port/?server=$b->{app}/mcp&token=$ann->{token}&era=$era"); return ask('ready') }
# An expression of the host's page, with arguments.
sub ask {
	my ($what, @args) = @_;
	outside();
	my $said = $b->script_async('const done = arguments[arguments.length - 1]; '
		. '(async () => typeof window[arguments[0]] === "function" ? window[arguments[0]](...[...arguments].slice(1, -1)) : '
		. 'window[arguments[0]])().then((it) => done({ it: it ?? null }), (e) => done({ why: String(e) }))', $what, @args);
	fail("$what: $said->{why}") if defined $said->{why};
	return $said->{it};
}
sub outside { $b->frame }
sub inside { $b->frame('iframe') }
sub card { my ($like) = @_; inside(); return $b->wait_text($like) }
sub seen {
	my ($css, $property) = @_;
	return $b->script('return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]', $css, $property);
}

for my $era (qw(legacy auto)) {
	is_deeply host($era), { tools => 21, can => ['io.modelcontextprotocol/skills', 'io.modelcontextprotocol/ui'],
		era => $era eq 'auto' ? 'modern' : 'legacy' }, "a program in a browser connects: $era";
}

# ---- a private page, with a name that would be markup

my $name = '<img src=x onerror="document.title=1">Umsatz & 売上';
my $r = ask(call => 'publish', { name => $name, slug => 'quarter', files => [{ path => 'index.html', content => '<p>x' }] });
my $id = $r->{answer}{artifact}{id};
is_deeply [@$r{qw(uri mimeType meta app modes only_model)}], ['ui://vitrine/card', 'text/html;profile=mcp-app',
		{ ui => { prefersBorder => $true } }, { name => 'vitrine-card', version => '1' }, ['inline'], $true],
	'its card, as the library reads it';
my $text = card(qr/Version 1/);
like $text,
	qr/^\Q$name\E\nquarter · Private · Version 1\nOnly you and people you share it with can open it, after signing in\.\nOpen\s+Manage$/,
	'what it shows';
is_deeply [$b->script('return document.title'),
	scalar @{$b->script('return [...document.querySelectorAll("img[src], script[src], link, iframe, object")].map(e => e.outerHTML)')}],
	['Vitrine', 0], '... as text alone';
is join('; ', $b->looks('agents-card')), '', '... without barriers';
$b->click('button.primary');
$b->click('button:not(.primary)');
outside();
Vitrine::Stack::wait_for('what was clicked', 60, sub { @{ask('heard')} >= 6 });
is_deeply ask('heard'), ['ui/initialize', 'ui/notifications/initialized', 'ui/open-link', "https://quarter.pages.localhost:$stack->{port}/",
	'ui/open-link', "$b->{app}/a/$id"], 'all that it asks of its host';
cmp_ok $b->script('return document.querySelector("iframe").offsetHeight'), '<', 200, 'it says how high it is';

# ---- the host's looks

ask(change => { theme => 'dark', styles => { variables => { '--color-text-primary' => '#ffffff' } } });
card(qr/Version 1/);
is seen('html', 'colorScheme'), 'dark', 'by night';
is seen('body', 'color'), 'rgb(233, 240, 238)', 'a color without its ground is left';
ask(change => { theme => 'light', styles => { variables => { '--color-text-primary' => '#111111', '--color-text-secondary' => '#444444',
	'--color-background-primary' => '#fffff0', '--color-border-primary' => '#999999', '--font-sans' => 'serif' } } });
inside();
is_deeply [map { seen('body', $_) } qw(color backgroundColor fontFamily)], ['rgb(17, 17, 17)', 'rgb(255, 255, 240)', 'serif'],
	'all of them are taken';
is join('; ', $b->barriers), '', 'and can be read';

# ---- a draft, a page that waits, a refusal, nothing

ask(call => 'publish', { artifact => $id, files => [{ path => 'index.html', content => '<p>y' }], draft => $true });
like card(qr/Version 2/), qr/Version 2, a draft\n/, 'a draft is called one';
my %held = (artifact => { id => $id }, version => { version_no => 3 }, live_version => 1, name => 'Q', slug => 'quarter',
	url => "https://quarter.pages.localhost:$stack->{port}/", visibility => 'private', who_can_open => 'only you can open it');
ask(tell => { content => [], structuredContent => { %held, held_back => 'Only your person opens pages to strangers, at review_url.',
	review_url => "$b->{app}/a/$id/sharing" } });
like card(qr/Only your person/), qr/Review\s+Open/, 'what is held back can be reviewed';
is $b->text('button.primary'), 'Review', '... before all else';
ask(tell => { content => [{ type => 'text', text => $api->{json}->encode(\%held) }] });
like card(qr/Version 3/), qr/^Q\n/, 'a host that passes text alone';
ask(tell => { content => [], structuredContent => { %held, url => 'javascript:alert(1)', manage_url => 'http://evil.example/' } });
unlike card(qr/Version 3/), qr/Open|Manage/, 'nothing but https is opened';
$r = ask(call => 'get_artifact', { artifact => 'nothing-here' });
like card(qr/That didn’t work/), qr/^That didn’t work\nNOT_FOUND: artifact: no artifact of yours/, 'a refusal is told';
ask('cancel');
is card(qr/Canceled/) =~ s/\n.*//sr, 'Canceled', 'a call that was given up';
is_deeply ask('end'), {}, 'its end is answered';

# ---- a host that opens nothing, and a public page

$db->do('UPDATE artifact SET visibility = ? WHERE id = ?', undef, 'public', $id);
my $png = $api->call(GET => '/assets/mark.png')->{body};
my $sha = sha256_hex($png);
mkdir "$stack->{dir}/data/objects/" . substr $sha, 0, 2;
Vitrine::Stack::spew("$stack->{dir}/data/objects/" . substr($sha, 0, 2) . "/$sha", $png);
$db->do('REPLACE INTO picture (artifact_id, version_no, wanted_at, sha256, size_bytes) VALUES (?, 1, UNIX_TIMESTAMP(), UNHEX(?), ?)',
	undef, $id, $sha, length $png);
sub picture {
	inside();
	return $b->script('const i = document.querySelector("#picture"); if (i.src) await i.decode(); '
		. 'return [i.hidden, i.complete && i.naturalWidth, i.src.slice(0, 22)]');
}
ask(call => 'get_artifact', { artifact => $id });
like card(qr/Public/), qr/quarter · Public · Version 1\nAnyone/, 'a public page';
Vitrine::Stack::wait_for('the picture', 60, sub { !picture()->[0] });
is_deeply picture(), [$false, 256, 'data:image/png;base64,'], '... has a picture, which comes by the host';
is join('; ', $b->looks('agents-card-public')), '', '... without barriers';
# Another name tells this card from the one before.
$db->do('UPDATE artifact SET name = ? WHERE id = ?', undef, 'Third', $id);
ask(call => 'get_artifact', { artifact => $id }, {});
card(qr/Third/);
ok picture()->[0], 'a host that reads nothing for it shows none';
outside();
$b->script('window.open_links = false');
inside();
$b->click('button.primary');
like card(qr/https:/), qr{\nhttps://quarter\.pages\.localhost:\d+/$}, 'where nothing is opened, the address stands there to be copied';
# In the older era a program asks for a stream once, which there isn't.
is_deeply [grep { !m{/mcp - Failed to load resource: .* 405 } } $b->complaints], [], 'no page broke its own policy';
kill 'TERM', $server;
waitpid $server, 0;
finish($stack);
