# SPDX-License-Identifier: Apache-2.0
# A page reaches its own data on its own host: nobody, a viewer, an editor, with another artifact's cookie, from another site; and the
# script that it may load for that.
use FindBin;
use Vitrine::Visitor;
use Vitrine::Words;

my ($stack, $api, $db) = stack();
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben cid dan);
$stack->ctl_in("correct horse\n", qw(user password), "$_\@example.org") for keys %user;
my $ann = $user{ann};
my %art = map {
	$_ => $api->publish($ann, slug => $_, visibility => $_ eq 'secret' ? 'private' : 'public', files => { 'index.html' => "it is $_" });
} qw(open other secret);
for my $art (values %art) {
	$db->do('INSERT INTO collaborator (artifact_id, user_id, role, created_at) VALUES (?, ?, ?, 0)',
		undef, $art, $user{$_->[0]}{id}, $_->[1]) for ['ben', 'viewer'], ['cid', 'editor'];
}

sub ask {
	my ($method, $slug, $path, %o) = @_;
	my %h = %{$o{headers} // {}};
	$h{Cookie} = $o{cookie} if $o{cookie};
	$h{'Sec-Fetch-Site'} = 'same-origin' if $o{cookie} && !exists $h{'Sec-Fetch-Site'};
	delete $h{$_} for grep { !defined $h{$_} } keys %h;
	$h{'Content-Type'} = 'application/json' if defined $o{body};
	my $r = $api->request($method, "$slug.pages.localhost", $path, \%h, $o{body});
	$r->{json} = eval { $api->{json}->decode($r->{body}) };
	return $r;
}
sub refused { my ($r, $want, $name) = @_; is "$r->{status} " . ($r->{json}{code} // $r->{body}), $want, $name }

# Signs in on the host of a page, through what a link there leads to.
sub cookie_of {
	my ($name, $slug) = @_;
	my $v = Vitrine::Visitor->new($api);
	$v->sign_in("$name\@example.org", 'correct horse');
	my $to = $v->send(GET => "https://$slug.pages.localhost:$stack->{port}/_vitrine/signin?to=%2Fa%3Fb")->{headers}{location};
	my $r = $v->send(GET => $to);
	if ($r->{status} == 200) {
		like $r->{text}, qr/Sign in to this page\?.*<strong>$name\@example\.org/s, "$name has no role, so the page asks first";
		$r = $v->submit(qr{^/auth/view/enter$}, {}, stay => 1);
	}
	return undef if ($r->{headers}{location} // '') !~ m{^https://\Q$slug\E\.pages\.localhost:\d+/};
	$r = $v->send(GET => $r->{headers}{location});
	is $r->{headers}{location}, '/a?b', "$name is back where they were";
	my $cookie = $v->{jar}{"$slug.pages.localhost"}{'__Host-vitrine_viewer'} or return undef;
	return "__Host-vitrine_viewer=$cookie->[0]";
}

# ---- bytes: what is refused of them is for programs

my $kept = $api->call(PUT => "/v1/data/$art{open}/blobs?filename=a.bin", { token => $ann->{token}, body => 'bytes' })->{json}{data}{id};
my $bytes = "/v1/data/self/blobs/$kept/content";
my $got = ask(GET => 'open', $bytes, headers => { 'X-Request-Id' => 'page' });
is join(' ', $got->{body}, map { $got->{headers}{$_} // '-' } qw(x-request-id x-ratelimit-limit cross-origin-resource-policy
	access-control-allow-origin)), 'bytes page 1000 same-origin -',
	'bytes come with what every reply of the API says here';
$got = ask(GET => 'open', $bytes, headers => { Range => 'bytes=9-', 'X-Request-Id' => 'page' });
refused($got, '416 RANGE_NOT_SATISFIABLE', 'a range outside them');
is join(' ', $got->{json}{request_id}, map { $got->{headers}{$_} // '-' } qw(x-request-id content-range x-content-type-options
	access-control-allow-origin)), 'page page bytes */5 nosniff -', '... with each header once';
refused(ask(GET => 'open', $bytes, headers => { 'If-Match' => '"other"' }), '412 PRECONDITION_FAILED', 'If-Match with another ETag');
like ask(GET => 'open', '/index.html', headers => { Range => 'bytes=99-' })->{headers}{'content-type'}, qr{^text/html},
	"a page's own file is for browsers";

# ---- nobody

my $json = '/v1/data/self/json';
refused(ask(GET => 'open', $json), '404 NOT_FOUND', 'nothing there yet');
is_deeply [@{ask(GET => 'open', "$json?or_null=1")}{qw(status json)}], [200, { success => Cpanel::JSON::XS::true, data => undef }],
	'... which is null where that is asked for';
my $r = ask(PUT => 'open', $json, body => '{"a":1}');
refused($r, '401 UNAUTHENTICATED', 'nobody writes');
like $r->{json}{error}, qr{/_vitrine/signin}, 'and is told where to sign in';
is $api->call(PUT => "/v1/data/$art{$_}/json", { token => $ann->{token}, json => { of => $_ } })->{status}, 200, "$_ has a document"
	for sort keys %art;
is_deeply ask(GET => 'open', $json)->{json}, { success => Cpanel::JSON::XS::true, data => { of => 'open' } }, 'nobody reads what is open';
is ask(GET => 'open', "/v1/data/$art{open}/json")->{json}{data}{of}, 'open', 'by its id, too';
refused(ask(GET => 'open', "/v1/data/$art{other}/json"), '404 NOT_FOUND',
	"of another artifact nothing, though it is open, on this one's host");
refused(ask(GET => 'secret', $json), '404 NOT_FOUND', 'nor of a private one');
refused(ask(GET => 'nothing-here', $json), '404 NOT_FOUND', 'as if it were not there');
is_deeply ask(GET => 'open', '/v1/data/self/viewer')->{json}{viewer}, { map { $_ => undef } qw(id email name role) }, 'nobody looks';
refused(ask(PUT => 'open', $json, body => '{}', headers => { Authorization => "Bearer $ann->{token}" }), '401 UNAUTHENTICATED',
	'a token is worth nothing here');
my $live = ask(GET => 'open', $json);
is $live->{headers}{'cache-control'}, 'no-store', 'no cache keeps it';
is $live->{headers}{'access-control-allow-origin'}, undef, 'no other origin reads it';
is $live->{headers}{'cross-origin-resource-policy'}, 'same-origin', 'nor embeds it';
is ask(GET => 'open', $json, headers => { 'If-None-Match' => $live->{headers}{etag} })->{status}, 304, 'unchanged';
is ask(GET => 'open--v1', $json)->{json}{data}{of}, 'open', "a version's own address has the same data";

# ---- those with a role, and somebody without

my %cookie = map { my $name = $_; ($name => { map { ($_ => cookie_of($name, $_)) } $name eq 'dan' ? ('open') : qw(open secret) }) } qw(ann
	ben cid dan);
is cookie_of('dan', 'secret'), undef, 'who may not see a private page is not let in';
for (['ann', 'owner', 200], ['ben', 'viewer', 403], ['cid', 'editor', 200]) {
	my ($name, $role, $writes) = @$_;
	for my $slug (qw(open secret)) {
		my $cookie = $cookie{$name}{$slug};
		is_deeply ask(GET => $slug, '/v1/data/self/viewer', cookie => $cookie)->{json}{viewer},
			{ id => $user{$name}{id}, email => "$name\@example.org", name => '', role => $role }, "$name looks at $slug";
		is ask(GET => $slug, $json, cookie => $cookie)->{json}{data}{of}, $slug, '... and reads';
		is ask(PATCH => $slug, $json, cookie => $cookie, body => qq({"by":"$name"}))->{status}, $writes, "... and writes: $writes";
	}
}
is $api->call(GET => "/v1/data/$art{secret}/json", { token => $ann->{token} })->{json}{data}{by}, 'cid', 'it is what the API has';
my $viewer = ask(GET => 'open', '/v1/data/self/viewer', cookie => $cookie{dan}{open})->{json}{viewer};
is "$viewer->{email} " . ($viewer->{role} // 'none'), 'dan@example.org none', 'somebody without a role is known by their leave';
refused(ask(PUT => 'open', $json, cookie => $cookie{dan}{open}, body => '{}'), '403 ACCESS_DENIED',
	'and writes only where the policy lets them');
$db->do('UPDATE artifact SET access_policy = ? WHERE id = ?', undef, '{"json":{"write":"viewer.id != null"}}', $art{open});
is ask(PATCH => 'open', $json, cookie => $cookie{dan}{open}, body => '{"by":"dan"}')->{status}, 200, 'as here';
refused(ask(PATCH => 'open', $json, body => '{"by":"nobody"}'), '401 UNAUTHENTICATED', 'nobody still does not');
$db->do('UPDATE artifact SET access_policy = NULL');

# ---- another artifact's cookie, another site's page

my $of_secret = $cookie{cid}{secret};
is ask(GET => 'open', '/v1/data/self/viewer', cookie => $of_secret)->{json}{viewer}{id}, undef, "another artifact's cookie is nobody here";
refused(ask(PUT => 'open', $json, cookie => $of_secret, body => '{}'), '401 UNAUTHENTICATED', 'and changes nothing');
refused(ask(GET => 'secret', "/v1/data/$art{open}/json?or_null=1"), '404 NOT_FOUND', '... of what is not there for them it is not');
refused(ask(GET => 'secret', "/v1/data/$art{open}/json", cookie => $of_secret), '404 NOT_FOUND',
	"nor does its own lead to another artifact's");
like ask(PUT => 'secret', "/v1/data/$art{open}/json", cookie => $of_secret, body => '{}')->{status}, qr/^40[14]$/, '... to be changed';
my $before = $db->selectall_arrayref('SELECT * FROM document');
for my $from ('cross-site', 'same-site', 'none') {
	refused(ask(PUT => 'open', $json, cookie => $cookie{cid}{open}, body => '{}', headers => { 'Sec-Fetch-Site' => $from }),
		'403 ACCESS_DENIED', "a write that comes $from");
}
for my $origin (undef, 'null', "https://other.pages.localhost:$stack->{port}", "https://vitrine.localhost:$stack->{port}",
	"https://open--v1.pages.localhost:$stack->{port}") {
	for my $method (qw(PUT PATCH DELETE)) {
		refused(ask($method => 'open', $json, cookie => $cookie{cid}{open}, ($method eq 'DELETE' ? () : (body => '{}')),
			headers => { 'Sec-Fetch-Site' => undef, Origin => $origin }), '403 ACCESS_DENIED',
			"$method from an older browser, Origin " . ($origin // 'none'));
	}
}
is_deeply $db->selectall_arrayref('SELECT * FROM document'), $before, 'change nothing';
is ask(PATCH => 'open', $json, cookie => $cookie{cid}{open}, body => '{}',
	headers => { 'Sec-Fetch-Site' => undef, Origin => "https://open.pages.localhost:$stack->{port}" })->{status}, 200, 'but its own';

# ---- drafts, a pause, a role that ends

my $draft = $api->call(POST => '/v1/publish', { token => $ann->{token}, json => { name => 'S', slug => 'secret',
	draft => Cpanel::JSON::XS::true, files => [{ path => 'index.html', content => 'draft' }] } });
is $draft->{status}, 201, 'a draft';
is ask(PATCH => 'secret--v2', $json, cookie => $cookie{cid}{secret}, body => '{"from":"draft"}')->{status}, 200,
	"works on its own address with the artifact's data";
refused(ask(GET => 'secret--v2', $json), '404 NOT_FOUND', 'not for nobody');
$db->do('UPDATE artifact SET paused_at = 1');
$r = ask(GET => 'open', $json);
refused($r, '403 ARTIFACT_PAUSED', 'paused');
like $r->{headers}{'content-type'}, qr{^application/json}, 'it says so as JSON';
refused(ask(PATCH => 'secret', $json, cookie => $cookie{cid}{secret}, body => '{}'), '403 ARTIFACT_PAUSED', 'to be changed neither');
$db->do('UPDATE artifact SET paused_at = NULL');
$db->do('DELETE FROM collaborator WHERE user_id = ?', undef, $user{cid}{id});
refused(ask(GET => 'secret', $json, cookie => $cookie{cid}{secret}), '404 NOT_FOUND', 'who has lost their role');
refused(ask(PATCH => 'secret', $json, cookie => $cookie{cid}{secret}, body => '{}'), '404 NOT_FOUND', 'at once');
refused(ask(PATCH => 'open', $json, cookie => $cookie{cid}{open}, body => '{}'), '403 ACCESS_DENIED', 'in every way');

# ---- what else is there, and what is not

refused(ask(PUT => 'open', $json, cookie => $cookie{ann}{open}, body => '{"a":"' . 'x' x (1 << 20) . '"}'), '413 BODY_TOO_LARGE',
	'nginx refuses in JSON, too');
refused(ask(POST => 'open', $json, cookie => $cookie{ann}{open}, body => '{}'), '404 NOT_FOUND', 'a method that is none');
for my $path ('/v1/artifacts', '/v1/auth/me', '/v1/data/self', '/v1/data/self/json/x', '/v1/publish', '/v1/data/art_1/json') {
	unlike ask(GET => 'open', $path, cookie => $cookie{ann}{open})->{body}, qr/"success"/, "$path is not the API's here";
}
for my $path ('v1/data/x.json', 'v1/artifacts/self', 'v1/agent/a', 'v1/proxy/b') {
	is $api->call(POST => '/v1/publish', { token => $ann->{token}, json => { name => 'X',
			files => [{ path => 'index.html', content => 'x' }, { path => $path, content => 'x' }] } })->{status}, 400,
		"$path can't be published";
}
is ask($_ => 'open', '/_vitrine/judge')->{status}, $_ eq 'GET' ? 404 : 405, "what nginx asks with is not there to be asked: $_"
	for qw(GET POST);
is ask(GET => 'open', '/_vitrine/error/413')->{status}, 404, 'nor are its refusals';
is ask(GET => 'open', '/_vitrine/objects/ab/abc')->{status}, 404, 'nor objects';

for (['vitrine.js', 'text/javascript'], ['vitrine.mjs', 'text/javascript'], ['vitrine.d.ts', 'text/plain']) {
	my ($name, $type) = @$_;
	$r = $api->get_site($_, "/_vitrine/$name") for qw(open--v1 secret open);
	is "$r->{status} $r->{headers}{'content-type'}", "200 $type; charset=utf-8", "$name is on every host";
	is $r->{body}, Vitrine::Stack::slurp("$FindBin::Bin/../../nginx/page/$name"), 'as it stands';
	is $r->{headers}{'cache-control'}, 'no-cache', 'kept, and asked about';
	is $api->get_site('secret', "/_vitrine/$name", 'If-None-Match' => $r->{headers}{etag})->{status}, 304,
		'by its ETag, equal on all hosts';
	is $api->site(POST => 'open', "/_vitrine/$name")->{status}, 405, 'and only read';
}

# Signing in leads back to this host alone.
for my $to ('//evil.example/', 'https://evil.example/', '/\\evil', 'x', '/' . 'y' x 3000, '%0d%0aX: y') {
	my $location = $api->get_site('open', '/_vitrine/signin?to=' . Vitrine::Visitor::escape($to))->{headers}{location};
	like $location,
		qr{^https://vitrine\.localhost:\d+/auth/view\?signin=1&nonce=[0-9a-f]{64}&to=https%3A%2F%2Fopen\.pages\.localhost%3A\d+%2F$},
		'to=' . substr $to, 0, 30;
}
like $api->get_site('nothing-here', '/_vitrine/signin')->{headers}{location},
	qr{^https://vitrine\.localhost:\d+/auth/view\?signin=1&nonce=[0-9a-f]{64}&to=https%3A%2F%2Fnothing-here\.},
	'and it tells nothing of what is here';
my $v = Vitrine::Visitor->new($api);
$v->sign_in('dan@example.org', 'correct horse');
is $v->send(GET => '/auth/view?signin=1&to=' . Vitrine::Visitor::escape("https://$_.pages.localhost:$stack->{port}/"))->{status}, 403,
	"$_: nothing to sign in to" for 'secret', 'nothing-here';
is $v->send(POST => '/auth/view/enter', body => 'to=' . Vitrine::Visitor::escape("https://secret.pages.localhost:$stack->{port}/"),
	headers => { 'Content-Type' => 'application/x-www-form-urlencoded' })->{headers}{location},
	'/auth/view?to=' . Vitrine::Visitor::escape("https://secret.pages.localhost:$stack->{port}/"), 'nor by the form itself';
is $v->send(POST => '/auth/view/enter', body => 'to=' . Vitrine::Visitor::escape("https://open.pages.localhost:$stack->{port}/"),
	headers => { 'Content-Type' => 'application/x-www-form-urlencoded', 'Sec-Fetch-Site' => 'same-site' })->{status},
	403, "nor from another's page";
finish($stack);
