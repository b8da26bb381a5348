# SPDX-License-Identifier: Apache-2.0
# Somebody new finds out how to connect an assistant: from the front page, from an empty home, from their account, with the operator's own
# address in every line that they copy. In both widths and both themes, and without script.
use MIME::Base64;
use Vitrine::Browser;
use Vitrine::Visitor;
use Vitrine::Words;

my ($stack, $api) = stack();
my $app = "https://vitrine.localhost:$stack->{port}";
$stack->user('ann@example.org');
$stack->ctl_in("the password\n", qw(user password), 'ann@example.org');
my ($b, $small) = map { Vitrine::Browser->new($stack, @$_) } [width => 1280, height => 900], [width => 390, height => 844, dark => 1];
my $words = qr/Connect your assistant once.*Claude Code.*Claude on the web.*ChatGPT.*Cursor.*VS Code.*Codex.*Other programs.*curl.*What it can do.*End it/s;

# ---- how they come here

$b->go("$app/")->wait_text(qr/Publish a folder\. Get an address\./);
$b->follow('connect Claude, ChatGPT, Cursor, and others');
$b->wait_text($words);
is $b->url, "$app/docs/connect", 'from the front page';
is $b->text('nav[aria-label=Documentation] [aria-current]'), 'Connect an agent', 'it is one of the guides';
$small->sign_in('ann@example.org', 'the password');
$small->go("$app/")->wait_text(qr/Publish your first folder/);
$small->follow('connect your assistant');
$small->wait_text($words);
is $small->url, "$app/docs/connect", 'from an empty home';
$small->go("$app/auth/account")->wait_text(qr/you need no token/);
$small->follow('connect it');
$small->wait_text($words);
is $small->url, "$app/docs/connect", 'from the account';

# ---- what they see and copy

for ($b, $small) {
	is join('; ', $_->looks('connect')), '', 'no barrier, wide and narrow, by day and by night';
	is join('; ', grep { /\Q$app\E/ && !/favicon/ } $_->complaints), '', 'the browser has no complaint';
	is $_->script('return document.documentElement.scrollWidth <= innerWidth'), 1, 'nothing is wider than the window';
}
# What each button would copy, by the panel that it is in.
my $copied = $b->script(<<'EOS');
	const said = {};
	Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText: async text => { last = text; } } });
	let last;
	for (const button of document.querySelectorAll('[data-copy]:not([hidden])')) {
		button.click();
		(said[button.closest('section').id] ??= []).push(last);
	}
	return said;
EOS
is_deeply $copied, {
	'claude-code' => ["claude mcp add --transport http vitrine $app/mcp"],
	claude => ["$app/mcp"],
	chatgpt => ["$app/mcp"],
	vscode => [qq(code --add-mcp '{"name":"vitrine","type":"http","url":"$app/mcp"}')],
	codex => ["codex mcp add vitrine --url $app/mcp", 'codex mcp login vitrine'],
	others => ["$app/mcp"],
	client => ['vitrine mcp add claude --stdio'],
	curl => ["Read $app/agents.md and publish what we made with Vitrine."],
}, 'each line has the address of this service';
my %link = map {
	$_ => $b->script('return [...document.querySelectorAll("main a.button")].find(a => a.textContent.trim() === arguments[0]).href',
		"Add to $_");
} 'Cursor', 'VS Code';
my ($config) = $link{Cursor} =~ m{^cursor://anysphere\.cursor-deeplink/mcp/install\?name=vitrine&config=([A-Za-z0-9%]+)$};
is decode_base64($config =~ s/%([0-9A-F]{2})/chr hex $1/ger), qq({"url":"$app/mcp"}), 'Cursor is told';
is $link{'VS Code'} =~ s/%([0-9A-F]{2})/chr hex $1/ger, qq(vscode:mcp/install?{"name":"vitrine","type":"http","url":"$app/mcp"}),
	'so is VS Code';
like $b->script('return document.querySelector("#cursor pre").textContent'), qr/"vitrine": \{ "url": "\Q$app\E\/mcp" \}/, 'by hand, too';
is_deeply $b->script('return [...document.querySelectorAll("#main nav.tabs a")].filter(a => '
	. '!document.querySelector(a.getAttribute("href")))'), [], 'each program has its place';
my @tools = @{$api->call(POST => '/mcp', { token => $stack->{users}{'ann@example.org'}{token},
	json => { jsonrpc => '2.0', id => 1, method => 'tools/list' } })->{json}{result}{tools}};
is_deeply $b->script('return [...document.querySelectorAll("main tbody tr")].map(tr => [...tr.children].map(td => td.textContent))'),
	[map {
		my $h = $_->{annotations};
		[$_->{name}, $_->{description},
			$h->{readOnlyHint} ? 'Nothing' : $h->{destructiveHint} ? 'Adds, changes, removes' : 'Adds, changes'];
	} @tools], 'the tools are those that there are';
$small->follow('account page');
$small->wait_text(qr/Tokens/);
like $small->url, qr{^\Q$app\E/auth/account}, 'where it is ended';

# ---- without script

my $reader = Vitrine::Visitor->new($api);
my $html = $reader->go("$app/docs/connect")->{body};
like $html, qr/claude mcp add --transport http vitrine \Q$app\E\/mcp</, 'every line is there to be selected';
is scalar(() = $html =~ /data-copy hidden/g), scalar(() = $html =~ /data-copy/g), 'and no button that does nothing';
finish($stack);
