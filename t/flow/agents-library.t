# SPDX-License-Identifier: Apache-2.0
# The protocol's own library as a client, whose types every reply must have: over HTTP, connected by its own OAuth, and over vitrine mcp.
use IPC::Open2;
use Vitrine::Visitor;
use Vitrine::Words 'as';

my $packages = ($ENV{VITRINE_VAR} // 'var') . '/mcp';
my ($stack, $api, $db) = stack();
my $app = "https://vitrine.localhost:$stack->{port}";
my $ann = $stack->user('ann@example.org');
$stack->ctl_in("the password\n", qw(user password ann@example.org));
my $v = Vitrine::Visitor->new($api);
$v->sign_in('ann@example.org', 'the password');

# What the client saw; its person agrees when it asks.
sub client {
	my (%env) = (PACKAGES => $packages, NODE_EXTRA_CA_CERTS => ($ENV{VITRINE_VAR} // 'var') . '/tls-test/ca.pem', %{$_[0]});
	my @args = @_[1 .. $#_];
	local @ENV{keys %env} = values %env;
	my $pid = open2(my $from, my $to, 'node', "$ENV{VITRINE_TOP}/t/lib/mcp/client.mjs", @args);
	my $last;
	while (my $line = <$from>) {
		$last = $line;
		my ($page) = $line =~ /^authorize \Q$app\E(\S+)/ or next;
		is $v->go($page)->{status}, 200, 'its person is asked';
		my $r = $v->submit(qr{^/oauth/authorize$}, { action => 'allow', where => 'all', days => 1 }, stay => 1);
		like $r->{headers}{location}, qr{^http://127\.0\.0\.1:9/callback\?code=}, '... and agrees' or diag $r->{text};
		print $to $r->{headers}{location} =~ s/.*\?//r, "\n";
		$to->flush;
	}
	waitpid $pid, 0;
	return decode_json($last // '{}');
}
sub seen {
	my ($got, $tools, $era, $what) = @_;
	my $id = delete $got->{id};
	is_deeply $got, { server => 'vitrine', tools => $tools, era => $era, resources => $got->{resources}, templates => $got->{templates},
		page => '<h1>Made</h1>', prompts => 3, prompt => $got->{prompt}, wrong => Cpanel::JSON::XS::true, unknown => -32602,
		refresh => $got->{refresh} }, $what or diag explain $got;
	ok $got->{resources} > 0 && $got->{templates} > 0 && $got->{prompt} > 0, '... resources, templates, and a prompt';
	return $id }

my $got = client({}, 'http', "$app/mcp");
is $got->{refresh}, 1, 'it has a refresh token';
my $id = seen($got, 21, 'legacy', 'over HTTP');
is $db->selectrow_array('SELECT owner_id FROM artifact WHERE id = ?', undef, $id), $ann->{id}, 'what it made is its person\'s';
is $db->selectrow_array("SELECT COUNT(*) FROM agent_grant WHERE name = 'The library' AND redeemed"), 1, 'it is connected';
mkdir "$stack->{dir}/site";
Vitrine::Stack::spew("$stack->{dir}/site/index.html", '<h1>Made</h1>');
my %env = $stack->env;
seen(client({ %env, VITRINE_TOKEN => $ann->{token}, HOME => $stack->{dir} }, 'stdio', "$stack->{build}/vitrine", 'mcp', '--root',
	"$stack->{dir}/site"), 23, 'legacy', 'over standard input and output');
seen(client({ NEW => 1 }, 'http', "$app/mcp"), 21, 'modern', 'the newer library, over HTTP');
seen(client({ %env, NEW => 1, VITRINE_TOKEN => $ann->{token}, HOME => $stack->{dir} }, 'stdio', "$stack->{build}/vitrine", 'mcp', '--root',
	"$stack->{dir}/site"), 23, 'modern', '... and over standard input and output');
finish($stack);
