# SPDX-License-Identifier: Apache-2.0
# An artifact at a domain of its own: public, unlisted, and private pages, signing in, what the page asks of the API, redirects, views; and
# that nothing is served there once it is closed. t/job/domains.t proves domains.
use File::Path 'make_path';
use File::Temp;
use Vitrine::Visitor;
use Vitrine::Words qw(as said refused);

my $tls = File::Temp::tempdir('vitrine-tls-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my ($stack, $api, $db) = stack(http => 1, certificates => 'local', tls_dir => $tls, domains_per_user => 10);
my $port = $stack->{port};
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for keys %user;
my $art = $api->publish($user{ann}, name => 'Site', slug => 'site', visibility => 'public', files => {
	'index.html' => '<h1>Home</h1>', 'a.css' => 'a {}', 'sub/index.html' => 'sub', '404.html' => 'own 404',
	_redirects => "/old /sub/ 301\n", _headers => "/*\n  X-Frame-Options: DENY\n" });

# A certificate of the host, signed by the tests' authority, where `vitrinectl certificates run` puts it.
sub certify {
	my ($host) = @_;
	my $dir = "$tls/domains/$host";
	make_path($dir);
	Vitrine::Stack::spew("$dir/ext", "subjectAltName=DNS:$host\n");
	Vitrine::Stack::run("cd $dir && openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=$host "
		. "-keyout key -out csr 2>log && openssl x509 -req -in csr -CA $stack->{tls}/ca.pem -CAkey $stack->{tls}/ca-key.pem "
		. '-set_serial ' . int(rand 1e9) . " -days 30 -extfile ext -out cert 2>>log "
		. '&& cat key cert >combined.new && mv combined.new combined.pem');
}
# Adds a host, as if it had been proven, and gets its certificate.
sub domain {
	my ($host, %more) = @_;
	my $d = as('ann', POST => "/v1/artifacts/$art/domains", { host => $host, %more })->{json}{domain} // die $host;
	$db->do("UPDATE domain SET state = 'proven', due_at = UNIX_TIMESTAMP() + 80000 WHERE id = ?", undef, $d->{id});
	certify($host);
	is `$stack->{build}/t/drive/domain $stack->{dir}/vitrine.yaml $host @{[time + 2592000]} 2>&1`, '', "$host has its certificate";
	return $d;
}
sub get { my ($host, $path, %h) = @_; return $api->request('GET', $host, $path, \%h) }
sub shows { my ($host, $path, $status, $like, $name) = @_; my $r = get($host, $path); is $r->{status}, $status, $name;
	like $r->{body}, $like, '... as it is'; return $r }
sub edit { return as('ann', PATCH => "/v1/artifacts/$art", { @_ }) }

my $host = 'www.example.org';
my $d = domain($host);

# ---- a public page

my $r = shows($host, '/', 200, qr/<h1>Home/, 'the page at its domain');
is $r->{headers}{'strict-transport-security'}, undef, 'without a promise that would outlast it';
is get('site.pages.localhost', '/')->{headers}{'strict-transport-security'}, 'max-age=31536000', '... which plain hosts make';
is $r->{headers}{'x-robots-tag'}, undef, 'search engines may list it';
shows($host, '/a.css', 200, qr/^a \{\}/, 'a file');
shows($host, '/sub/', 200, qr/^sub$/, 'a folder');
is get($host, '/sub')->{headers}{location}, '/sub/', '... without its slash';
is get($host, '/old')->{headers}{location}, '/sub/', 'its redirects';
is get($host, '/')->{headers}{'x-frame-options'}, 'DENY', 'its headers';
shows($host, '/none', 404, qr/^own 404$/, 'its own page for what is missing');
is_deeply as('ann', GET => "/v1/artifacts/$art")->{json}{artifact}{domains}, [$host], 'the artifact names it';
is as('ann', GET => "/v1/artifacts/$art/domains/$d->{id}")->{json}{domain}{state}, 'active', '... which is active';
# On a connection for another name.
sub other { my ($name, $path) = @_; return $api->raw($host, "GET $path HTTP/1.1\r\nHost: $name\r\nConnection: close\r\n\r\n")->{status} }
is other('other.example.org', '/'), 421, 'another name is not served';

sub curl {
	my ($name, @more) = @_;
	return scalar `curl -s -m 10 --cacert $stack->{tls}/ca.pem --resolve $name:$port:127.0.0.1 @more https://$name:$port/`;
}
like curl($host), qr/<h1>Home/, 'its certificate fits';
is curl('other.example.org', q(-o /dev/null -w '%{exitcode}')), 35, 'the handshake of another name ends';
my $log = -s "$stack->{run}/nginx-error.log";
curl("n$_.example.org") for 1 .. 20;
is -s "$stack->{run}/nginx-error.log", $log, '... which no log has';
sub plain {
	my ($name, @more) = @_;
	my $at = "http://127.0.0.1:$stack->{http}/x?y";
	return scalar `curl -s -m 10 -o /dev/null -w '%{http_code} %{redirect_url}' -H 'Host: $name' @more '$at'`;
}
is plain($host), "301 https://$host:$port/x?y", 'without TLS it leads on';
is plain('other.example.org'), '421 ', '... another does not';
is plain($host, '-d x'), '403 ', '... and takes no change';

# ---- what its page asks of the API

my $own = get($host, '/v1/data/self');
is $own->{status}, get('site.pages.localhost', '/v1/data/self')->{status}, 'the API answers as on its plain host';
is other('other.example.org', '/v1/data/self'), 421, '... not at another name';

# ---- views

$api->request('GET', $host, '/', { 'Sec-Fetch-Dest' => 'document', 'User-Agent' => 'Mozilla/5.0' }) for 1 .. 3;
sleep 2;
$stack->runner;
cmp_ok $db->selectrow_array('SELECT SUM(views) FROM view_day WHERE artifact_id = ?', undef, $art) // 0, '>=', 3, 'its views are counted';

# ---- who may see it

edit(visibility => 'unlisted');
is shows($host, '/', 200, qr/Home/, 'an unlisted page')->{headers}{'x-robots-tag'}, 'noindex', '... no search engine lists';
edit(visibility => 'private');
my $wall = shows($host, '/', 404, qr/Page not found/, 'a private page');
is $wall->{body} =~ s/www\.example\.org/HOST/gr, get('site.pages.localhost', '/')->{body} =~ s/site\.pages\.localhost/HOST/gr,
	'... has the same wall as at its plain host';
my $ann = Vitrine::Visitor->new($api, dest => 'document');
$ann->sign_in('ann@example.org', 'the password');
my $seen = $ann->go("https://$host:$port/sub/?q=1");
is "$seen->{status} $seen->{host}$seen->{path}", "200 $host/sub/?q=1", 'its owner is led in by the app' or diag $seen->{text};
is $seen->{text}, 'sub', '... to the page';
is $seen->{headers}{'cache-control'}, 'private, no-store', '... which no cache keeps';
ok !$ann->{jar}{$host}{vitrine_access}, "the app's cookie never comes there";
my $ben = Vitrine::Visitor->new($api, dest => 'document');
$ben->sign_in('ben@example.org', 'the password');
is $ben->go("https://$host:$port/")->{status}, 404, 'another person is not';
sub new_browser {
	my $v = Vitrine::Visitor->new($api, dest => 'document');
	$v->go("https://$host:$port/_vitrine/signin?to=%2Fsub%2F");
	return $v;
}
# Browsers apply form-action to redirects, so a form that signs in must not lead there by one.
sub goes_on {
	my ($v, $r, $name) = @_;
	like $r->{headers}{'content-security-policy'} . ($r->{headers}{location} // ''),
		qr{form-action 'self' https://\*\.pages\.\S*$}, $name;
	my ($to) = ($r->{headers}{refresh} // '') =~ /^0; url=(\S+)$/;
	my ($link) = $r->{text} =~ /class="button" href="([^"]*)"/;
	is "$r->{status} " . Vitrine::Visitor::unescape_html($link // ''), '200 ' . ($to // 'none'),
		'... the page goes on by itself, or by its link';
	return $v->go($to);
}
my $new = new_browser();
$seen = goes_on($new, $new->submit(qr{^/auth/signin$}, { email => 'ann@example.org', password => 'the password' }, stay => 1),
	'who signs in on the way is led there without a redirect');
is "$seen->{status} $seen->{host}$seen->{path}", "200 $host/sub/", '... to the page';
edit(visibility => 'unlisted');
$new = new_browser();
$new->sign_in('ben@example.org', 'the password');
$new->go("https://$host:$port/_vitrine/signin?to=%2Fsub%2F");
$seen = goes_on($new, $new->submit(qr{^/auth/view/enter$}, {}, stay => 1),
	'who agrees that the page learns who they are is led there as well');
is "$seen->{status} $seen->{host}$seen->{path}", "200 $host/sub/", '... to the page';
edit(visibility => 'private');
is $ben->send(GET => '/auth/view?to=' . Vitrine::Visitor::escape("https://evil.example:$port/"))->{status}, 400,
	'the app leads to no other host';
is $ann->send(GET => "/auth/view?signin=1&to=" . Vitrine::Visitor::escape("https://other.example.org:$port/"))->{status}, 400,
	'... nor to a domain that is not active';

# ---- closed

edit(visibility => 'public');
as('ann', POST => "/v1/artifacts/$art/domains", { host => 'second.example.org' });
is other('second.example.org', '/'), 421, 'one that waits is not served';
as('ann', DELETE => "/v1/artifacts/$art");
is get($host, '/')->{status}, 404, 'in the trash it is closed';
as('ann', POST => "/v1/artifacts/$art/restore", {});
shows($host, '/', 200, qr/Home/, '... and comes back');
is $stack->ctl('fsck'), 'clean', 'rows and disk agree';

# ---- redirect

is as('ann', PATCH => "/v1/artifacts/$art/domains/$d->{id}", { redirect => $true })->{status}, 200, 'its plain address redirects';
$r = get('site.pages.localhost', '/sub/?a=b');
is "$r->{status} $r->{headers}{location}", "308 https://$host:$port/sub/?a=b", '... with path and query';
shows($host, '/', 200, qr/Home/, 'its domain does not');
is get('site--v1.pages.localhost', '/')->{status}, 200, "a version's address stays";
edit(visibility => 'private');
is get('site.pages.localhost', '/')->{status}, 404, '... only for who may see it';
edit(visibility => 'public');
is $stack->ctl('fsck'), 'clean', 'rows and disk agree';
as('ann', PATCH => "/v1/artifacts/$art/domains/$d->{id}", { redirect => $false });
shows('site.pages.localhost', '/', 200, qr/Home/, 'and no longer');

# ---- removed

edit(slug => 'renamed');
shows($host, '/', 200, qr/Home/, 'another slug changes nothing there');
is as('ann', DELETE => "/v1/artifacts/$art/domains/$d->{id}")->{status}, 200, 'removed';
is get($host, '/')->{status}, 404, '... it shows nothing, though its certificate is there';
shows('renamed.pages.localhost', '/', 200, qr/Home/, 'its plain address does');
is $stack->ctl('fsck'), 'clean', 'rows and disk agree';
finish $stack;
