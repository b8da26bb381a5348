# SPDX-License-Identifier: Apache-2.0
# ./dev conformance: the official suite against /mcp. The scenarios that are left out ask for tools, resources and prompts that only the
# suite's own example server has, or for what isn't offered (sampling, elicitation, logging, subscriptions, tasks).
use IPC::Open2;
use Vitrine::Words;

my $packages = ($ENV{VITRINE_VAR} // 'var') . '/conformance';
my ($stack) = stack(agent_calls_per_minute => 1_000_000);
my $ann = $stack->user('ann@example.org');
local $ENV{PATH} = "$packages/node_modules/.bin:$ENV{PATH}";
my $proxy = open2(my $from, undef, 'node', "$ENV{VITRINE_TOP}/t/lib/conformance/with-token.mjs", $stack->{port}, $ann->{token});
chomp(my $port = <$from>);

# Its failed checks, and how many passed.
sub checks {
	my ($scenario, @options) = @_;
	my $said = `conformance server --url http://localhost:$port/mcp --scenario $scenario @options 2>&1`;
	$said =~ s/\e\[\d*m//g;
	return (join(' ', $said =~ /^\S+ \[(\S+)\s*\] FAILURE/mg), $said =~ /^Passed: (\d+)/m, $said);
}
sub holds {
	my ($scenario, @options) = @_;
	my ($failed, $passed, $said) = checks($scenario, @options);
	ok $failed eq '' && $passed, "$scenario @options: " . ($passed // 0) . ' checks' or diag $said;
}
holds($_) for qw(server-initialize ping tools-list resources-list prompts-list completion-complete dns-rebinding-protection
	sep-2640-skills-enumeration sep-2640-skills-manifest);
holds($_, '--spec-version', '2026-07-28') for qw(tools-list resources-list prompts-list completion-complete caching dns-rebinding-protection
	sep-2164-resource-not-found server-sse-multiple-streams http-header-validation input-required-result-unsupported-methods);
my ($failed, $passed) = checks('server-stateless', '--spec-version', '2026-07-28');
is $failed, join(' ', qw(sep-2575-server-rejects-undeclared-capability sep-2575-missing-capability-http-400
		sep-2575-http-server-no-independent-requests-on-stream sep-2575-server-no-log-without-loglevel)),
	'server-stateless, but for what needs tools of the suite';
cmp_ok $passed, '>=', 21;
kill 'TERM', $proxy;
waitpid $proxy, 0;
finish($stack);
