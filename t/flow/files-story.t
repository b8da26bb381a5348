# SPDX-License-Identifier: Apache-2.0
# Any file is a page: a site from a template is seen before it is published; texts, tables, workbooks, notebooks and apps are shown; what
# a browser saw comes back, and holds a page that throws; two people and an agent change one text; versions are pinned and go; a private
# page's picture is its editors'. VITRINE_ROWS=500000 takes a table of 50 MB.
use utf8;
use POSIX 'WNOHANG';
use Time::HiRes 'sleep';
use Vitrine::Book 'workbook';
use Vitrine::Browser;
use Vitrine::Visitor;
use Vitrine::Words qw(as refused);
use Vitrine::World;

plan skip_all => 'there is no esbuild' if !-x '/usr/bin/esbuild';
plan skip_all => 'there are no libraries; ./dev lib makes them' if !-s "$ENV{VITRINE_TOP}/nginx/lib/index.json";
my $ROWS = $ENV{VITRINE_ROWS} // 20_000;
my ($stack, $api, $db) = stack(builder => 'auto', chromium => 'auto', pictures_per_minute => 1000, publish_per_hour => 10_000,
	agent_calls_per_minute => 10_000, grace_s => 0);
my ($app, $dir) = ("https://vitrine.localhost:$stack->{port}", $stack->{dir});
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben eve);
$db->do('UPDATE user SET name = ? WHERE id = ?', undef, ucfirst, $user{$_}{id}) for keys %user;
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for keys %user;
my ($desk, $phone) = map { Vitrine::Browser->new($stack, @$_) } [width => 1280, height => 900], [width => 390, height => 844, dark => 1];
sub page { my ($slug, $path) = @_; return "https://$slug.pages.localhost:$stack->{port}/" . ($path // '') }
sub client { my ($status, $out, $err) = $stack->client($user{ann}{token}, @_); is $status, 0, "vitrine @_[0, 1]" or diag $err; return $out }
sub publish {
	my ($who, %o) = @_;
	my $r = as($who, POST => '/v1/publish', \%o);
	is $r->{status}, 201, 'published' or diag $r->{body};
	return $r->{json};
}
sub files { my (%f) = @_; return [map { { path => $_, content => $f{$_} } } sort keys %f] }
sub runner { return $stack->runner }
# In both widths: what the page shows, and no barrier.
sub shown { my ($url, $like, $name) = @_; $_->go($url)->wait_text($like) for $desk, $phone; $desk->seen($name) }

# ---- from a template, seen before it is published

mkdir "$dir/site";
client('new', 'docs', "$dir/site");
my $log = "$dir/dev.log";
my $dev = fork // die;
if (!$dev) {
	my %env = ($stack->env, HOME => $dir, VITRINE_TOKEN => $user{ann}{token});
	@ENV{keys %env} = values %env;
	open STDOUT, '>', $log or die;
	open STDERR, '>&', \*STDOUT;
	exec "$stack->{build}/vitrine", 'dev', "$dir/site" or POSIX::_exit(127);
}
END { local $?; kill 'KILL', $dev if $dev && waitpid($dev, WNOHANG) == 0 }
Vitrine::Stack::wait_for('vitrine dev', 60, sub { Vitrine::Stack::slurp($log) =~ m{http://localhost:\d+/} });
my ($local) = Vitrine::Stack::slurp($log) =~ m{(http://localhost:\d+/)};
$desk->go($local);
my $home = Vitrine::Stack::slurp("$dir/site/index.html");
Vitrine::Stack::spew("$dir/site/index.html", $home =~ s{<h1([^>]*)>.*?</h1>}{<h1$1>Ours, changed</h1>}sr);
ok $desk->wait_text(qr/Ours, changed/), 'a change of a file reloads the page';
kill INT => $dev;
waitpid $dev, 0;
client('publish', "$dir/site", '--slug', 'ours', '--visibility', 'public', '--quiet');
ok $phone->go(page('ours'))->wait_text(qr/Ours, changed/), '... and is published';

# ---- a folder of texts

my $texts = publish('ann', name => 'Notes', slug => 'notes', visibility => 'public', files => files(
	'README.md' => "# Notes\n\nThe area is \$a = \\pi r^2\$, see [the next](next.md#two).\n\n```mermaid\ngraph LR; A-->B;\n```\n",
	'next.md' => "## One\n\n## Two\n\n[back](README.md)\n", 'a/b.txt' => "first\nsecond\nthird\n"))->{artifact}{id};
shown(page('notes'), qr/Notes.*The area is.*next\.md/s, 'a folder of texts');
ok $desk->script('while (document.documentElement.dataset.drawn !== "all") await new Promise(requestAnimationFrame);'
	. 'return document.querySelector("math") && document.querySelector("img.drawn").naturalWidth > 0'),
	'a formula and a diagram are drawn';
$desk->follow('the next')->wait_text(qr/One.*Two.*back/s);
is $desk->url, page('notes', 'next.md.html#two'), 'a link leads from text to text';

# ---- a table, a workbook, a notebook

Vitrine::Stack::spew("$dir/orders.csv", join "\n", 'no,city,amount,note',
	(map { join ',', $_, (qw(Oslo Bergen Hamar))[$_ % 3], $_ * 7 % 1001, 'a note ' x 10 } 1 .. $ROWS), '');
$_->sign_in('ann@example.org', 'the password') for $desk, $phone;
$desk->go("$app/")->drop('form.drop', "$dir/orders.csv")->wait_text(qr/Published\./);
my ($table) = $desk->url =~ m{/a/(art_\w+)} or die $desk->url;
is as('ann', PATCH => "/v1/artifacts/$table", { slug => 'orders', visibility => 'public' })->{status}, 200,
	'a file that was dropped is published';
shown(page('orders'), qr/no\s+city\s+amount.*Bergen/s, 'a table');
my $plain = Vitrine::Visitor->new($api);
my $last = int(($ROWS + 99) / 100);
like $api->get_site('orders', "/_vitrine/view/orders.csv?page=$last")->{body}, qr/>$ROWS</, 'its last page, without a script';
like $api->get_site('orders', '/_vitrine/view/orders.csv?sort=-3')->{body}, qr/>1,?000</, '... sorted';
like $api->get_site('orders', "/_vitrine/view/orders.csv?q=$ROWS")->{body}, qr/>$ROWS</, '... and found in';
$desk->go("$app/a/$table/files/orders.csv")->click('form[action*="/table-from/"] button');
is +(runner())[0], 0, 'the runner ran';
$desk->reload->wait_text(qr/orders.*amount/s);
pass 'it can become a table of data';
my $book = workbook([['First', [['a'], ['1']]], ['Second', [['city'], ['Tromsø']]]]);
publish('ann', name => 'Book', slug => 'book', visibility => 'public',
	files => [{ path => 'book.xlsx', content => MIME::Base64::encode_base64($book, ''), encoding => 'base64' }]);
$desk->go(page('book'))->follow('Second')->wait_text(qr/Tromsø/);
$desk->seen('the second sheet of a workbook');
my %cell = (cell_type => 'code', execution_count => 1, metadata => {}, source => ['draw()']);
publish('ann', name => 'Study', slug => 'study', visibility => 'public', files => files('study.ipynb' => $api->{json}->encode({
	nbformat => 4, nbformat_minor => 5, metadata => {}, cells => [{ %cell, outputs => [{ output_type => 'display_data', metadata => {},
		data => { 'text/html' => '<b>bold</b><img src=x onerror="document.title=1"><script>document.title=2</script>' } }] }] })));
shown(page('study'), qr/draw\(\).*bold/s, 'a notebook with a hostile output');
like $desk->title, qr/study/i, '... which did nothing';

# ---- an app of an agent's, whose mistake is told, and which a browser then sees

my $secret = Vitrine::Stack::secret('som_');
$db->do("INSERT INTO token (id, hash, user_id, created_at, expires_at, scopes, grant_id) "
	. "VALUES (CONCAT('tok_', HEX(RANDOM_BYTES(8))), UNHEX(SHA2(?, 256)), ?, 0, 4000000000, 15, ?)",
	undef, $secret, $user{ann}{id}, Vitrine::World->new($stack)->make('ogr', user => $user{ann}{id}));
sub tool { my ($tool, %args) = @_; return $api->call(POST => '/mcp', { token => $secret, json => { jsonrpc => '2.0', id => 1,
	method => 'tools/call', params => { name => $tool, arguments => \%args } } })->{json}{result} }
my $component = <<'END';
import { LineChart, Line } from 'recharts';
const rows = [{ v: 1 }, { v: 3 }];
export default () => <main><h1>Sales</h1><LineChart width={300} height={200} data={rows}><Line dataKey="v"/></LineChart></main>;
END
my $said = tool('publish', name => 'Sales', slug => 'sales', visibility => 'public', wait => Cpanel::JSON::XS::false,
	files => [{ path => 'App.tsx', content => $component =~ s/rows\}/rows/r }]);
like $said->{content}[0]{text}, qr/App\.tsx, line 3/, 'an agent is told the line of a mistake';
$stack->start_runner('runner', '--stay');
my $sales = tool('publish', name => 'Sales', slug => 'sales', visibility => 'public', wait => Cpanel::JSON::XS::false,
	files => [{ path => 'App.tsx', content => $component }])->{structuredContent}{artifact}{id};
my $seen;
sub seen_of { my ($art, $no) = @_; Vitrine::Stack::wait_for('what a browser saw', 600, sub {
	$seen = as('ann', GET => "/v1/artifacts/$art/versions/$no/seen")->{json}{seen}; $seen->{status} eq 'seen' }); return $seen }
is seen_of($sales, 1)->{ok}, Cpanel::JSON::XS::true, '... mends it in one call, and a browser sees that it is well' or diag explain $seen;
ok $seen->{picture_url}, '... with a picture';
$phone->go(page('sales'))->wait_text(qr/Sales/);
ok $phone->script('while (!document.querySelector(".recharts-line-curve")) await new Promise(requestAnimationFrame); return 1'),
	'... which draws';

# ---- a page that throws is held

my $held = publish('ann', name => 'Held', slug => 'held', visibility => 'public',
	files => files('index.html' => '<title>Held</title><h1>One'))->{artifact}{id};
as('ann', PATCH => "/v1/artifacts/$held", { checks => ['errors'] });
my $r = publish('ann', artifact_id => $held, files => files('index.html' => '<title>Held</title><h1>Two<script>nothing()</script>'));
is $r->{held_for}, 'checks', 'a page is held until a browser has seen it';
sub checks { my ($no, $state) = @_; return Vitrine::Stack::wait_for("version $no", 600, sub {
	(as('ann', GET => "/v1/artifacts/$held/versions/$no")->{json}{version}{checks} // {})->{state} eq $state }) }
ok checks(2, 'failed'), '... and stays, since its script throws';
like $api->get_site('held', '/')->{body}, qr/One/, '... while the one before is served';
publish('ann', artifact_id => $held, files => files('index.html' => '<title>Held</title><h1>Three<script>1</script>'));
ok checks(3, 'passed'), 'mended, it goes live by itself';
# Pages follow their rows.
ok Vitrine::Stack::wait_for('the page', 60, sub { $api->get_site('held', '/')->{body} =~ /Three/ }), '... and is served';

# ---- two people and an agent change one text

as('ann', POST => "/v1/artifacts/$texts/collaborators", { emails => ['ben@example.org'], role => 'editor' });
sub patch { my ($who, $base, $text, %o) = @_; return as($who, POST => '/v1/publish', { artifact_id => $texts, mode => 'patch',
	base_version => $base, files => files('a/b.txt' => $text), %o }) }
is patch('ben', 1, "first\nsecond\nBen's\n")->{status}, 201, 'one changes a line';
$said = tool('publish', artifact => $texts, mode => 'patch', base_version => 1, wait => Cpanel::JSON::XS::false,
	files => [{ path => 'a/b.txt', content => "the agent's\nsecond\nthird\n" }]);
ok !$said->{isError}, '... the agent another, which is merged' or diag $said->{content}[0]{text};
my $clash = refused(patch('ann', 1, "first\nsecond\nAnn's\n"), '409 VERSION_CONFLICT', 'the third one the first line again',
	qr/a\/b\.txt/)->{json}{details};
is as('ann', POST => '/v1/publish', { artifact_id => $texts, candidate => $clash->{candidate}{id},
	files => files('a/b.txt' => "the agent's\nsecond, and Ann's\nBen's\n") })->{status}, 201, '... and settles it by one call';
my @lines = @{as('ann', GET => "/v1/artifacts/$texts/blame?path=a/b.txt")->{json}{lines}};
is join(' ', map { join ':', grep { defined } @$_{qw(agent_name by version_no)} } @lines), 'x:Ann:3 Ann:4 Ben:2',
	'each line says who, by which agent, and in which version';
$desk->go("$app/a/$texts/blame/a/b.txt")->wait_text(qr/Version 3.*x for Ann.*the agent's.*Version 4.*Ann's.*Version 2.*Ben's/s);
pass '... on its page, too';

# ---- pinned, and old ones go

is as('ann', PATCH => "/v1/artifacts/$texts", { pinned_version => 4 })->{status}, 200, 'a version is pinned';
as('ann', PUT => "/v1/artifacts/$texts/retention", { keep => 1, days => 1 });
is patch('ben', 4, "later\n")->{json}{held_for}, 'pin', 'a publish becomes a draft';
$db->do('UPDATE version SET created_at = created_at - 40 * 86400 WHERE artifact_id = ?', undef, $texts);
$stack->stop_one('runner');
$db->do("DELETE FROM sweep WHERE name = 'retention'");
is +($stack->runner)[0], 0, 'the runner ran';
is join(' ', map { $_->{version_no} } @{as('ann', GET => "/v1/artifacts/$texts/versions")->{json}{versions}}), '5 4',
	'the others went, but the newest';
is $stack->ctl('fsck'), 'clean', '... and all is whole';

# ---- a private page's picture

my $own = publish('ann', name => 'Own', slug => 'own', visibility => 'private',
	files => files('index.html' => '<title>Own</title><h1>Own'))->{artifact}{id};
as('ann', POST => "/v1/artifacts/$own/versions/1/seen");
$stack->start_runner('runner', '--stay');
ok seen_of($own, 1)->{picture_url}, 'a private page is seen, too';
my $picture = "/v1/artifacts/$own/versions/1/picture";
is as('ann', GET => $picture)->{headers}{'content-type'}, 'image/png', 'its picture is for its editor';
refused(as('eve', GET => $picture), '404 NOT_FOUND', '... and for nobody else');
refused($api->call(GET => $picture), '404 NOT_FOUND', '... with an account or without');
finish($stack);
