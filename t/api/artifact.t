# SPDX-License-Identifier: Apache-2.0
# /v1/artifacts: list, get, change, trash, favourites; versions and files.
use utf8;
use Digest::SHA 'sha256_hex';
use Vitrine::Words 'as';

my ($stack, $api) = stack();
my ($ann, $ben, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben eve);

sub publish {
	my ($who, $slug, $visibility, $text) = @_;
	my $r = $api->call(POST => '/v1/publish',
		{ token => $who->{token}, json => { name => ucfirst $slug, slug => $slug, visibility => $visibility,
			files => [{ path => 'index.html', content => $text // $slug }, { path => 'img/a.svg', content => '<svg/>' }] } });
	is $r->{status}, 201, "$slug is published" or diag $r->{body};
	return $r->{json}{artifact}{id};
}


sub refused {
	my ($r, $status, $code, $name) = @_;
	is "$r->{status} $r->{json}{code}", "$status $code", $name;
}

my ($open, $shut) = (publish($ann, 'open', 'public'), publish($ann, 'shut', 'private'));
$stack->db->do('INSERT INTO collaborator (artifact_id, user_id, role, created_at) VALUES (?, ?, ?, 0)', undef, $shut, $ben->{id}, 'viewer');

# ---- get

my $r = as($ann, GET => "/v1/artifacts/$shut");
is_deeply [sort keys %{$r->{json}{artifact}}], [sort qw(id name slug visibility url mobile_url thumbnail_url is_favorite role capability
	version_no pinned_version checks paused paused_by pause_reason workspace_id folder_id created_at
	updated_at deleted_at social_title social_description social_image_url comments_from comments_open comment_mails audience
	domains reviewed)],
	'an artifact has exactly these members';
is $r->{json}{artifact}{role}, 'owner', 'the owner';
my @told = map { [@{as($_->[0], GET => "/v1/artifacts/$_->[1]")->{json}{artifact}}{qw(audience comment_mails)}] } [$ann, $shut],
	[$ben, $shut], [$ann, $open], [$eve, $open], [undef, $open];
is_deeply \@told, [['only you and people you share it with can open it, after signing in', Cpanel::JSON::XS::true],
	['only its owner and the people it is shared with can open it, after signing in', undef],
	['anyone can open it, and search engines can list it', Cpanel::JSON::XS::true], [undef, undef], [undef, undef]],
	'who can open it is said to who has a role, and the mails of its owner to its owner alone';
is as($ben, GET => "/v1/artifacts/$shut")->{json}{artifact}{role}, 'viewer', 'the viewer';
refused(as($eve, GET => "/v1/artifacts/$shut"), 404, 'NOT_FOUND', 'a stranger sees no private artifact');
refused(as(undef, GET => "/v1/artifacts/$shut"), 404, 'NOT_FOUND', 'nobody sees no private artifact');
is as(undef, GET => "/v1/artifacts/$open")->{json}{artifact}{role}, undef, 'everybody sees a public one, without a role';
my $absent = 'art_' . '0' x 26;
my ($x, $y) = map { as($eve, GET => "/v1/artifacts/$_") } $shut, $absent;
delete $_->{json}{request_id} for $x, $y;
is_deeply $x->{json}, $y->{json}, 'forbidden and absent answer alike';
my $etag = $r->{headers}{etag};
is as($ann, GET => "/v1/artifacts/$shut", headers => { 'If-None-Match' => $etag })->{status}, 304, 'a known ETag is 304';

# ---- list

my $list = as($ann, GET => '/v1/artifacts')->{json};
is_deeply [map { $_->{slug} } @{$list->{artifacts}}], ['shut', 'open'], 'newest first';
is_deeply [map { $_->{slug} } @{as($ben, GET => '/v1/artifacts?owner=shared')->{json}{artifacts}}], ['shut'], 'shared with me';
is_deeply as($ben, GET => '/v1/artifacts?owner=me')->{json}{artifacts}, [], 'none of my own';
is_deeply as($eve, GET => '/v1/artifacts')->{json}{artifacts}, [], "others' are not listed, public or not";
my $odd = $api->publish($ann, slug => 'odd', files => { map { $_ => 'x' } 'index.html', '100%.txt', 'a b&c.txt' });
my ($at, @walked) = "/v1/artifacts/$odd/files?limit=1";
while ($at) {
	my $part = as($ann, GET => $at);
	push @walked, map { $_->{path} } @{$part->{json}{files}};
	($at) = ($part->{headers}{link} // '') =~ /^<([^>]+)>; rel="next"$/;
}
is_deeply \@walked, ['100%.txt', 'a b&c.txt', 'index.html'], 'Link leads on behind a file of any name';
as($ann, DELETE => "/v1/artifacts/$odd?purge=1");
is_deeply [map { $_->{slug} } @{as($ann, GET => '/v1/artifacts?q=OPE')->{json}{artifacts}}], ['open'], 'q';
refused(as($ann, GET => '/v1/artifacts?limit=1&limit=2'), 400, 'INVALID_REQUEST', 'limit twice');
refused(as(undef, GET => '/v1/artifacts'), 401, 'UNAUTHENTICATED', 'a list needs a token');

# ---- change

$r = as($ann, PATCH => "/v1/artifacts/$open", json => { name => 'New', social_title => 'T <b>', social_description => 'D' });
is $r->{json}{artifact}{name}, 'New', 'name';
is $r->{json}{artifact}{social_title}, 'T <b>', 'social_title';
like $api->get_site('open', '/')->{body}, qr/og:title" content="T &lt;b&gt;"/, 'the served page carries the tag, escaped';
is as($ann, GET => "/v1/artifacts/$open/files/index.html")->{body}, 'open', 'the stored original does not';
$r = as($ann, PATCH => "/v1/artifacts/$open", json => { social_title => undef });
is $r->{json}{artifact}{social_title}, undef, 'null clears';
is $r->{json}{artifact}{social_description}, 'D', 'absent keeps';
$r = as($ann, PATCH => "/v1/artifacts/$open", json => { owner_id => $eve->{id}, paused => Cpanel::JSON::XS::true, id => $absent });
is $r->{json}{artifact}{role}, 'owner', 'unknown members change nothing';
refused(as($ann, PATCH => "/v1/artifacts/$open", json => { slug => 'api' }), 400, 'INVALID_REQUEST', 'a reserved slug');
refused(as($ann, PATCH => "/v1/artifacts/$open", json => { slug => 'shut' }), 409, 'SLUG_TAKEN', 'a slug in use');
refused(as($ben, PATCH => "/v1/artifacts/$shut", json => { name => 'x' }), 403, 'ACCESS_DENIED', 'a viewer may not change');
refused(as($eve, PATCH => "/v1/artifacts/$shut", json => { name => 'x' }), 404, 'NOT_FOUND', 'a stranger finds nothing to change');
refused(as(undef, PATCH => "/v1/artifacts/$open", json => { name => 'x' }), 401, 'UNAUTHENTICATED', 'nobody may not change');
refused(as($ann, PATCH => "/v1/artifacts/$open", json => { name => 'x' }, headers => { 'If-Match' => '"old"' }), 412, 'PRECONDITION_FAILED',
	'If-Match');

$r = as($ann, PATCH => "/v1/artifacts/$open", json => { slug => 'opened' });
is $r->{json}{artifact}{slug}, 'opened', 'renamed';
is $api->get_site('opened', '/')->{status}, 200, 'the new address opens';
is $api->get_site('open', '/img/a.svg?x=1')->{status}, 308, 'the old one redirects';
like $api->get_site('open', '/img/a.svg?x=1')->{headers}{location}, qr{//opened\..*/img/a\.svg\?x=1$}, 'to the same path';
refused($api->call(POST => '/v1/publish',
	{ token => $ben->{token}, json => { name => 'x', slug => 'open', files => [{ path => 'index.html', content => '' }] } }),
	409, 'SLUG_TAKEN', 'a slug that was renamed away from stays with its owner');

# ---- closing is immediate

my @addresses = (['opened', '/'], ['opened', '/img/a.svg'], ['opened--v1', '/'], ['open', '/']);
as($ann, PATCH => "/v1/artifacts/$open", json => { visibility => 'private' });
is $api->get_site(@$_)->{status}, 404, "private: $_->[0]$_->[1] is gone" for @addresses;
is $api->get_site('opened', '/', 'If-None-Match' => '*')->{status}, 404, 'with If-None-Match';
is $api->get_site('opened', '/', Range => 'bytes=0-1')->{status}, 404, 'with Range';
as($ann, PATCH => "/v1/artifacts/$open", json => { visibility => 'public' });
is $api->get_site('opened', '/')->{status}, 200, 'open again';
$stack->db->do('UPDATE artifact SET paused_at = 1 WHERE id = ?', undef, $open);
$stack->ctl('reproject');
is $api->get_site('opened', '/')->{status}, 403, 'paused: a page says so';
unlike $api->get_site('opened', '/')->{body}, qr/opened/, 'and shows nothing of it';
refused(as($ben, GET => "/v1/artifacts/$open"), 403, 'ARTIFACT_PAUSED', 'the API too');
is as($ann, GET => "/v1/artifacts/$open")->{status}, 200, 'its owner may read it';
$stack->db->do('UPDATE artifact SET paused_at = NULL WHERE id = ?', undef, $open);
$stack->ctl('reproject');

# ---- favourites

$r = as($ben, PUT => "/v1/artifacts/$open/favorite");
is_deeply [@{$r->{json}}{qw(artifact_id favorited)}], [$open, Cpanel::JSON::XS::true], 'favoured';
ok as($ben, POST => "/v1/artifacts/$open/favorite")->{json}{favorited}, 'again is fine';
ok as($ben, GET => "/v1/artifacts/$open")->{json}{artifact}{is_favorite}, 'is_favorite for me';
ok !as($ann, GET => "/v1/artifacts/$open")->{json}{artifact}{is_favorite}, 'not for others';
$r = as($ben, DELETE => "/v1/artifacts/$open/favorite") for 1 .. 2;
is_deeply $r->{json}, { success => Cpanel::JSON::XS::true, artifact_id => $open, favorited => Cpanel::JSON::XS::false },
	'unfavoured, twice';

# ---- versions and files

publish($ann, 'opened', 'public', 'second');
$r = as($ann, GET => "/v1/artifacts/$open/versions");
is_deeply [map { $_->{version_no} } @{$r->{json}{versions}}], [2, 1], 'versions, newest first';
is_deeply [sort keys %{$r->{json}{versions}[0]}], [sort qw(id version_no created_at created_by author agent_name message entrypoint
	file_count size_bytes checks is_live is_pinned is_open is_draft changes url)],
	'a version has exactly these members';
is scalar @{as($ben, GET => "/v1/artifacts/$open/versions")->{json}{versions}}, 1, 'others see the live one';
$r = as($ann, POST => "/v1/artifacts/$open/versions/1/restore");
ok $r->{json}{version}{is_live}, 'restored';
is $api->get_site('opened', '/')->{body} =~ /open$/ ? 1 : 0, 1, 'and served';
refused(as($ann, POST => "/v1/artifacts/$open/versions/9/restore"), 404, 'NOT_FOUND', 'a version that is not there');
refused(as($ben, POST => "/v1/artifacts/$open/versions/2/restore"), 403, 'ACCESS_DENIED', "not a stranger's to restore");
$r = as($ann, GET => "/v1/artifacts/$open/files?version=2");
is_deeply [map { "$_->{path} $_->{size_bytes} $_->{sha256}" } @{$r->{json}{files}}],
	["img/a.svg 6 " . sha256_hex('<svg/>'), 'index.html 6 ' . sha256_hex('second')], 'files with size and digest';
$r = as(undef, GET => "/v1/artifacts/$open/files/img/a.svg");
is $r->{body}, '<svg/>', 'the bytes of a file';
like $r->{headers}{'content-disposition'}, qr/^attachment/, 'never inline on the API host';
like $r->{headers}{'content-security-policy'}, qr/sandbox/, 'and sandboxed';
is as(undef, GET => "/v1/artifacts/$open/files/img/a.svg", headers => { Range => 'bytes=1-3' })->{body}, 'svg', 'Range';
refused(as($eve, GET => "/v1/artifacts/$shut/files/index.html"), 404, 'NOT_FOUND', "a stranger gets no private file");
refused(as($ann, GET => "/v1/artifacts/$open/files/..%2f..%2fetc"), 404, 'NOT_FOUND', 'a path that is not a file of it');
$r = as($ann, GET => "/v1/artifacts/$open/versions/2/export");
is $r->{headers}{'content-type'}, 'application/zip', 'export';
is substr($r->{body}, 0, 2), 'PK', 'is a zip';

# ---- drafts

$api->call(POST => '/v1/publish', { token => $ann->{token}, json => { name => 'Opened', artifact_id => $open,
	draft => Cpanel::JSON::XS::true, files => [{ path => 'index.html', content => 'a draft' }] } });
is_deeply [map { [$_->{version_no}, $_->{is_live} + 0, $_->{is_draft} + 0] } @{as($ann,
		GET => "/v1/artifacts/$open/versions")->{json}{versions}}], [[3, 0, 1], [2, 0, 0], [1, 1, 0]],
	'a draft is told from what was live before';
$r = as($ann, POST => "/v1/artifacts/$open/versions/3/restore");
is_deeply [map { $_ + 0 } @{$r->{json}{version}}{qw(is_live is_draft)}], [1, 0], 'until it is made live';
as($ann, POST => "/v1/artifacts/$open/versions/1/restore");
is as($ann, GET => "/v1/artifacts/$open/versions/3")->{json}{version}{is_draft} + 0, 0, '... and never again';

# ---- addresses of versions

for ([58, 1], [59, 1], [60, 0], [63, 0]) {
	my ($chars, $has) = @$_;
	my $slug = 'l' x $chars;
	$r = $api->call(POST => '/v1/publish', { token => $ann->{token},
		json => { name => 'L', slug => $slug, visibility => 'public', files => [{ path => 'index.html', content => 'long' }] } });
	my $want = $has ? "https://$slug--v1.pages.localhost:$stack->{port}/" : undef;
	is $r->{json}{deployment}{version_url}, $want,
		"a slug of $chars characters: " . ($has ? 'its version has an address' : 'too long for one of a version');
	my $id = $r->{json}{artifact}{id};
	is as($ann, GET => "/v1/artifacts/$id/versions/1")->{json}{version}{url}, $want, '... as it says itself';
	is $api->get_site($slug, '/')->{body}, 'long', 'it has its own';
	$api->call(POST => '/v1/publish', { token => $ann->{token},
		json => { name => 'L', artifact_id => $id, files => [{ path => 'index.html', content => 'longer' }] } });
	is as($ann, GET => "/v1/artifacts/$id/files?version=1")->{json}{files}[0]{url}, $want && $want . 'index.html',
		'... and so have its files';
	as($ann, DELETE => "/v1/artifacts/$id?purge=1");
}

# ---- trash

refused(as($ben, DELETE => "/v1/artifacts/$open"), 403, 'ACCESS_DENIED', "not a stranger's to delete");
is_deeply as($ann, DELETE => "/v1/artifacts/$open")->{json}, { success => Cpanel::JSON::XS::true }, 'deleted';
is $api->get_site(@$_)->{status}, 404, "deleted: $_->[0]$_->[1] is gone" for @addresses;
refused(as($ann, GET => "/v1/artifacts/$open"), 404, 'NOT_FOUND', 'the API too');
is_deeply [map { $_->{slug} } @{as($ann, GET => '/v1/artifacts?deleted=1')->{json}{artifacts}}], ['opened'], 'it lies in the trash';
is as($ann, POST => "/v1/artifacts/$open/restore")->{json}{artifact}{slug}, 'opened', 'restored with its slug';
is $api->get_site('opened', '/')->{status}, 200, 'and open';
refused(as($ann, POST => "/v1/artifacts/$open/restore"), 409, 'CONFLICT', 'what is not deleted is not restored');
is as($ann, DELETE => "/v1/artifacts/$open?purge=1")->{status}, 200, 'purged';
refused(as($ann, POST => "/v1/artifacts/$open/restore"), 404, 'NOT_FOUND', 'for good');
is $api->get_site('opened', '/')->{status}, 404, 'gone';

# ---- the thumbnail

my $card = publish($ann, 'card', 'private');
as($ann, PATCH => "/v1/artifacts/$card", json => { name => '<script>alert(1)</script> & "Привет"' });
my $address = as($ann, GET => "/v1/artifacts/$card")->{json}{artifact}{thumbnail_url};
is $address, "https://vitrine.localhost:$stack->{port}/v1/artifacts/$card/thumbnail", 'where it is';
$r = as($ann, GET => "/v1/artifacts/$card/thumbnail");
is "$r->{status} $r->{headers}{'content-type'}", '200 image/svg+xml', 'a picture';
like $r->{body}, qr/&lt;script&gt;.*&amp; &quot;\xd0\x9f/s, 'with the name, escaped';
unlike $r->{body}, qr/<script/, 'and no script';
like $r->{headers}{'content-security-policy'}, qr/^default-src 'none';.*sandbox$/, 'nor could one run';
refused(as($eve, GET => "/v1/artifacts/$card/thumbnail"), 404, 'NOT_FOUND', "a stranger's request for it");

# ---- the page for small screens, of the live version

sub phone { my (%fields) = @_; return $api->publish($ann, slug => 'phone', visibility => 'public', %fields) }
my $phone = phone();
my $small = "https://phone.pages.localhost:$stack->{port}/_m/";
sub mobile_url { return as($ann, GET => "/v1/artifacts/$phone")->{json}{artifact}{mobile_url} }
is mobile_url(), undef, 'no page for small screens: null';
phone(mobile_html => '<p>small</p>', draft => Cpanel::JSON::XS::true);
is mobile_url(), undef, 'nor with a draft that has one';
as($ann, POST => "/v1/artifacts/$phone/versions/2/restore");
is mobile_url(), $small, 'the draft goes live';
phone();
is mobile_url(), undef, 'a version without it';
phone(mobile_html => '<p>small</p>');
is mobile_url(), $small, 'and one with it';
is as($ann, GET => '/v1/artifacts?slug=phone')->{json}{artifacts}[0]{mobile_url}, $small, 'in lists too';
as($ann, POST => "/v1/artifacts/$phone/versions/1/restore");
is mobile_url(), undef, 'back to the first version';

finish($stack);
