# SPDX-License-Identifier: Apache-2.0
# What search engines are told: public pages at their own address may be listed, and nothing else; and what robots.txt says.
use Vitrine::Words;

my ($stack, $api) = stack();
my $ann = $stack->user('ann@example.org');
my %files = ('index.html' => '<p>first', 'page.html' => '<p>page', 'style.css' => 'b{}', 'in/index.html' => '<p>in', 'a.pdf' => '%PDF',
	'x.txt.gz' => 'packed', '404.html' => '<p>none');
my %paths = ('/' => 200, '/page' => 200, '/page.html' => 200, '/style.css' => 200, '/in/' => 200, '/a.pdf' => 200, '/x.txt.gz' => 200,
	'/none' => 404, '/none.css' => 404);
my %art = map { $_ => $api->publish($ann, slug => $_, visibility => $_, files => \%files) } qw(public unlisted private);
sub told { my ($host, $path) = @_; my $r = $api->get_site($host, $path); return "$r->{status} " . ($r->{headers}{'x-robots-tag'} // '-') }
sub visibility {
	my ($name, $to) = @_;
	is $api->call(PATCH => "/v1/artifacts/$art{$name}", { token => $ann->{token}, json => { visibility => $to } })->{status}, 200,
		"$name becomes $to";
}
my $sites = "$stack->{dir}/data/sites";

for my $path (sort keys %paths) {
	is told('public', $path), "$paths{$path} -", "public: $path";
	is told($_, $path), "$paths{$path} noindex", "$_: $path" for 'unlisted', 'unlisted--v1', 'public--v1';
}
is told('private', '/'), '404 -', 'of a private page nothing is told';

# nginx serves what is unlisted as it serves what is public.
for my $path (sort grep { $paths{$_} == 200 } keys %paths) {
	my ($public, $unlisted) = map {
		my $r = $api->get_site($_, $path, 'Accept-Encoding' => 'gzip');
		delete @{$r->{headers}}{qw(date x-robots-tag)};
		$r->{headers};
	} qw(public unlisted);
	is_deeply $unlisted, $public, "$path is served alike";
}
is $api->site(POST => $_, '/style.css')->{status}, 405, "$_: only read" for qw(public unlisted);
is_deeply [map { s{.*/}{}r } sort glob "$sites/*"], ['public', 'unlisted.unlisted'], 'by links of their own';

visibility(unlisted => 'public');
is told('unlisted', '/style.css'), '200 -', 'at once';
visibility(unlisted => 'unlisted');
is told('unlisted', '/style.css'), '200 noindex', '... and back';
visibility(unlisted => 'private');
is told('unlisted', '/style.css'), '404 -', 'closed';
ok !-l "$sites/unlisted.unlisted", 'without a link';

my @headers = (_headers => "/*\n  X-Robots-Tag: nofollow\n");
$api->publish($ann, slug => "says-$_", visibility => $_, files => { 'index.html' => 'x', @headers }) for qw(public unlisted);
is told('says-public', '/'), '200 nofollow', "a page's own word holds";
is told('says-unlisted', '/'), '200 nofollow, noindex', '... besides ours';

# ---- robots.txt

my $r;
for (qw(public public--v1)) {
	$r = $api->get_site($_, '/robots.txt');
	is "$r->{status} $r->{headers}{'content-type'} $r->{body}",
		"200 text/plain; charset=utf-8 User-agent: *\nDisallow: /_vitrine/\nDisallow: /v1/\n", "$_: one of ours";
}
is $api->get_site($_, '/robots.txt')->{status}, 404, "$_: none" for qw(private absent);
$api->publish($ann, slug => 'own', visibility => 'unlisted',
	files => { 'index.html' => 'x', 'robots.txt' => "User-agent: *\nDisallow: /x\n" });
is $api->get_site('own', '/robots.txt')->{body}, "User-agent: *\nDisallow: /x\n", 'a published one wins';
$r = $api->request(GET => 'vitrine.localhost', '/robots.txt', {});
is "$r->{status} $r->{headers}{'content-type'}", '200 text/plain; charset=utf-8', "the app's";
like $r->{body}, qr{^User-agent: \*\nAllow: /\$\nAllow: /docs\n.*^Disallow: /$}ms, 'leads to what it is, and the documentation';
finish($stack);
