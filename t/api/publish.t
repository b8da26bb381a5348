# SPDX-License-Identifier: Apache-2.0
# POST /v1/publish: what is accepted, what is answered, and each refusal with its code.
use utf8;
use Digest::SHA 'sha256_hex';
use Encode 'encode_utf8';
use MIME::Base64;
use Vitrine::Words;

my ($stack, $api) = stack(publish_per_hour => 100000);
my ($ann, $ben) = map { $stack->user("$_\@example.org") } qw(ann ben);

sub publish {
	my ($who, %fields) = @_;
	$fields{name} //= 'Site';
	$fields{files} //= [{ path => 'index.html', content => '<h1>hello</h1>' }];
	return $api->call(POST => '/v1/publish', { token => $who->{token}, json => \%fields });
}

sub refused {
	my ($r, $status, $code, $name, $like) = @_;
	is $r->{status}, $status, "$name: $status";
	is $r->{json}{code}, $code, "$name: $code";
	ok !$r->{json}{success} && $r->{json}{error}, "$name: envelope";
	like $r->{json}{error}, $like, "$name: says what is wrong" if $like;
}

# ---- a private page's own manifest is loaded with the cookie, or not at all

{
	my $warned = sub {
		my ($visibility, $link) = @_;
		return [map { s/:.*//sr } @{publish($ann, name => 'App', visibility => $visibility, files => [{ path => 'index.html',
			content => "<!doctype html><head><link rel=icon href=/i>$link<p>x" }])->{json}{warnings}}];
	};
	is_deeply $warned->(private => '<LINK Rel=manifest href="/m.json">'), ['index.html'], 'a manifest without the cookie is warned of';
	is_deeply $warned->(private => '<link href="/m>.json" rel="manifest" crossorigin="anonymous">'), ['index.html'],
		'... with another crossorigin, too';
	is_deeply $warned->(@$_), [], '... but not ' . join ' ', @$_ for ['public', '<link rel=manifest href=/m>'],
		['unlisted', '<link rel=manifest href=/m>'], ['private', q(<link rel='manifest' href=/m crossorigin='use-credentials'>)],
		['private', '<link rel=stylesheet href=/manifest>'];
}

# ---- the happy path, with its exact keys

my $r = publish($ann, name => 'Привет, мир', visibility => 'public');
is $r->{status}, 201, 'a first publish is created';
is_deeply $r->{json}{artifact}, { id => $r->{json}{artifact}{id}, workspace_id => undef, visibility => 'public' },
	'the artifact and its workspace, if it has one';
is_deeply [sort keys %{$r->{json}{version}}], [qw(id is_draft version_no)], 'the version';
is_deeply [sort keys %{$r->{json}}],
	[sort qw(success artifact version deployment pwa approval_required held_for merged warnings)], 'and all else';
like $r->{json}{artifact}{id}, qr/^art_[0-9a-z]{26}$/, 'artifact.id';
like $r->{json}{version}{id}, qr/^ver_/, 'version.id';
is $r->{json}{version}{version_no}, 1, 'version 1';
is $r->{json}{deployment}{slug}, 'privet-mir', 'the slug is transliterated';
is $r->{json}{deployment}{mobile_url}, undef, 'no mobile page: null';
is $r->{json}{pwa}, undef, 'no pwa: null';
like $r->{headers}{location}, qr{^/v1/artifacts/art_}, 'Location';
is $api->get_site('privet-mir', '/')->{body}, '<h1>hello</h1>', 'the address opens';
my $art = $r->{json}{artifact}{id};

$r = publish($ann, name => 'Again', slug => 'privet-mir', files => [{ path => 'index.html', content => 'two' }]);
is $r->{json}{version}{version_no}, 2, 'publishing to the slug makes a new version';
is $r->{json}{artifact}{id}, $art, 'of the same artifact';
is $api->get_site('privet-mir', '/')->{body}, 'two', 'which is live at once';
is $api->get_site('privet-mir--v1', '/')->{body}, '<h1>hello</h1>', 'the first stays at its immutable address';

$r = publish($ann, artifact_id => $art, draft => Cpanel::JSON::XS::true, files => [{ path => 'index.html', content => 'three' }]);
is $r->{json}{version}{version_no}, 3, 'a draft gets a number';
is $api->get_site('privet-mir', '/')->{body}, 'two', 'but is not live';
is $api->get_site('privet-mir--v3', '/')->{status}, 404, 'is not for everybody';

# ---- what a version changes of its artifact

my $chat = { enabled => $true, systemPrompt => 'hello' };
my $held = publish($ann, name => 'Held', slug => 'held', visibility => 'public',
	access_policy => { default => 'owner' })->{json}{artifact}{id};
my $about = sub {
	my $a = $stack->db->selectrow_hashref('SELECT name, access_policy, agent FROM artifact WHERE id = ?', undef, $held);
	return join ' ', map { $_ // 'none' } @$a{qw(name access_policy agent)};
};
my $live = sub { return $api->call(POST => "/v1/artifacts/$held/versions/$_[0]/restore", { token => $ann->{token} }) };
is $api->call(PUT => "/v1/data/$held/tables/notes",
	{ token => $ann->{token}, json => { columns => [{ name => 'text', type => 'text' }] } })->{status}, 201;
my $rows = sub { return $api->call(GET => "/v1/data/$held/tables/notes/rows")->{status} };
isnt $rows->(), 200, 'rows that only the owner reads';
publish($ann, artifact_id => $held, name => 'Opened', draft => $true, access_policy => { default => 'everyone' }, agent => $chat);
like $about->(), qr/^Held \{"default": ?"owner"\} none$/, 'a draft changes nothing of its artifact';
isnt $rows->(), 200, '... and opens nothing';
is_deeply $api->call(GET => "/v1/artifacts/$held/versions/2", { token => $ann->{token} })->{json}{version}{changes},
	[qw(name access_policy agent)], 'it says what it will change';
is_deeply $live->(2)->{json}{version}{changes}, [], 'it has nothing left to change once it is live';
like $about->(), qr/^Opened \{"default": ?"everyone"\} \{.*hello.*\}$/, '... since then it is so';
is $rows->(), 200, '... and open';
publish($ann, artifact_id => $held, name => 'Closed', draft => $true, access_policy => undef, agent => undef);
is $live->(3)->{status}, 200;
is $about->(), 'Closed none none', 'a draft can also take them away';
is $live->(2)->{status}, 200;
is $about->(), 'Closed none none', 'a version that was live before brings back its pages only';
publish($ann, artifact_id => $held, name => 'Closed', draft => $true);
is_deeply $api->call(GET => "/v1/artifacts/$held/versions/4", { token => $ann->{token} })->{json}{version}{changes}, [],
	'a draft that says nothing new changes nothing';
refused(publish($ann, artifact_id => $held, draft => $true, visibility => 'private'), 400, 'INVALID_REQUEST',
	'another visibility with a draft', qr/^visibility: a draft .* held is public; .*PATCH/);
is publish($ann, artifact_id => $held, draft => $true, visibility => 'public')->{status}, 201, 'the visibility it has is fine';

# ---- the name, and what null stands for

refused($api->call(POST => '/v1/publish',
		{ token => $ann->{token}, json => { files => [{ path => 'index.html', content => 'x' }], slug => 'nameless' } }), 400,
	'INVALID_REQUEST', 'a new one without a name', qr/^name: is required for a new artifact/);
for my $by ([artifact_id => $held], [slug => 'held']) {
	$r = $api->call(POST => '/v1/publish',
		{ token => $ann->{token}, json => { @$by, files => [{ path => 'index.html', content => "by $by->[0]" }],
			pwa => { enabled => $true, name => undef, short_name => undef, icon => undef } } });
	is $r->{status}, 201, "a version without a name, by $by->[0]";
	is $stack->db->selectrow_array('SELECT name FROM artifact WHERE id = ?', undef, $held), 'Closed', '... keeps it';
}
$r = publish($ann, name => 'Nothing', (map { $_ => undef } qw(slug artifact_id workspace_id folder_id entrypoint visibility mobile_html
	message routing pwa access_policy agent)),
	files => [{ path => 'index.html', content => 'x', map { $_ => undef } qw(mime encoding size_bytes sha256) },
		map { { path => "$_.txt", content => 'y', encoding => $_ } } 'utf8', 'utf-8']);
is $r->{status}, 201, 'null is as if it were absent' or diag $r->{body};
is publish($ann, name => 'Nothing', artifact_id => $r->{json}{artifact}{id},
	files => [{ path => 'index.html', content => 'x', encoding => 'UTF-8' }])->{status}, 201, 'UTF-8 has many names';

# ---- visibility

$r = publish($ann, name => 'Default');
my $secret = $r->{json}{deployment}{slug};
like $secret, qr/^default-[a-z0-9]{10}$/, 'a private slug is not guessable from the name';
is $api->get_site($secret, '/')->{status}, 404, 'a new artifact is private when nothing is said';
$r = publish($ann, name => 'Unlisted', visibility => 'unlisted');
is $api->get_site($r->{json}{deployment}{slug}, '/')->{status}, 200, 'unlisted opens for who has the address';

# ---- encodings, types, digests

my $png = "\x89PNG\r\n\x1a\n\0\xff";
$r = publish($ann, slug => 'bytes', visibility => 'public', files => [
	{ path => 'index.html', content => 'x' },
	{ path => 'a.png', content => encode_base64($png, ''), encoding => 'base64', size_bytes => length $png },
	{ path => 'data/файл 1.txt', content => 'текст' },
	{ path => 'odd.bin', content => '{}', mime => 'Application/JSON' },
]);
is $r->{status}, 201, 'base64, names in other scripts and declared types are accepted';
is $api->get_site('bytes', '/a.png')->{body}, $png, 'base64 bytes come back';
is $api->get_site('bytes', '/data/%D1%84%D0%B0%D0%B9%D0%BB%201.txt')->{body}, encode_utf8('текст'), 'so does text';
like $api->get_site('bytes', '/odd.bin')->{headers}{'content-type'}, qr{^application/json}, 'the declared type is served';

my $digest = sha256_hex('two');
$r = publish($ann, slug => 'by-digest', visibility => 'public', files => [{ path => 'index.html', sha256 => $digest }]);
is $r->{status}, 201, 'bytes that were published before can be named by digest';
is $api->get_site('by-digest', '/')->{body}, 'two', 'and are served';
$r = publish($ben, files => [{ path => 'index.html', sha256 => $digest }]);
refused($r, 409, 'MISSING_BLOBS', "another's bytes can't be named", qr/sha256/);
is_deeply $r->{json}{details}{missing}, [$digest], 'details.missing lists them';

# ---- conflicts

refused(publish($ben, slug => 'privet-mir'), 409, 'SLUG_TAKEN', "another's slug");
$r = publish($ann, slug => 'privet-mir', expected_version => 1);
refused($r, 409, 'VERSION_CONFLICT', 'an old expected_version');
is $r->{json}{details}{current_version}, 2, 'details.current_version';
is publish($ann, slug => 'privet-mir', expected_version => 2)->{status}, 201, 'the right expected_version';
$r = $api->call(POST => '/v1/publish', { token => $ann->{token}, headers => { 'If-Match' => '"v2"' },
	json => { name => 'x', slug => 'privet-mir', files => [{ path => 'index.html', content => 'x' }] } });
refused($r, 409, 'VERSION_CONFLICT', 'If-Match says the same');
refused(publish($ben, artifact_id => (publish($ann))->{json}{artifact}{id}), 404, 'NOT_FOUND', "another's private artifact");
refused(publish($ben, artifact_id => $art), 403, 'ACCESS_DENIED', "another's public artifact");
refused($api->call(POST => '/v1/publish', { json => { name => 'x', files => [] } }), 401, 'UNAUTHENTICATED', 'nobody');

# ---- bad input changes nothing

my $before = $stack->db->selectrow_array('SELECT COUNT(*) FROM version');
for (
	[{ files => [] }, qr/^files/],
	[{ name => '' }, qr/^name/],
	[{ name => "a\x{202e}b" }, qr/^name/],
	[{ slug => 'Up' }, qr/^slug/], [{ slug => 'a--b' }, qr/^slug/], [{ slug => 'api' }, qr/^slug/], [{ slug => 'xn--a' }, qr/^slug/],
	[{ slug => 'a' x 64 }, qr/^slug/], [{ slug => '..' }, qr/^slug/],
	[{ visibility => 'secret' }, qr/^visibility/],
	[{ entrypoint => 'no.html' }, qr/^entrypoint/],
	[{ files => [{ path => 'a.html', content => '' }, { path => 'b.html', content => '' }] }, qr/^entrypoint.*a\.html/],
	(map { [{ files => [{ path => $_, content => 'x' }] }, qr/^files\[0\]\.path/] }
		'../x', '/x', 'a/../../x', './a', 'a//b', '', '.', 'a/', "a\\b", 'C:x', "a\x{1}b", "a\x{200b}b", '.git/config',
		'_vitrine/x', '_m/x', 'a' x 300, join('/', ('a' x 100) x 11)),
	[{ files => [{ path => 'a.html', content => '' }, { path => 'A.html', content => '' }] }, qr/a\.html.*A\.html|A\.html.*a\.html/i],
	[{ files => [{ path => 'a', content => '' }, { path => 'a/b.html', content => '' }] }, qr/a\/b\.html/],
	[{ files => [{ path => 'a.html', content => 'x', size_bytes => 2 }] }, qr/size_bytes/],
	[{ files => [{ path => 'a.html', content => 'x!', encoding => 'base64' }] }, qr/content/],
	[{ files => [{ path => 'a.html', content => 'x', encoding => 'hex' }] }, qr/encoding/],
	[{ files => [{ path => 'a.html', content => 'x', mime => "text/html\r\nX: y" }] }, qr/mime/],
	[{ files => [{ path => 'a.html' }] }, qr/content/],
	[{ files => [{ path => 'a.html', sha256 => 'zz' x 32 }] }, qr/sha256/],
	[{ files => 'x' }, qr/^files/], [{ files => [1] }, qr/^files\[0\]/],
	[{ files => [{ path => 1, content => 'x' }] }, qr/^files\[0\]\.path/],
	[{ expected_version => -1 }, qr/^expected_version/], [{ expected_version => '1' }, qr/^expected_version/],
	[{ access_policy => [] }, qr/^access_policy/],
	[{ access_policy => { tables => { t => { read => 'row.a ==' } } } }, qr/^access_policy\.tables\.t\.read/],
	[{ agent => { temperature => 3 } }, qr/^agent\.temperature/],
	[{ pwa => { enabled => Cpanel::JSON::XS::true, icon => 'data:image/png;base64,AAAA' } }, qr/^pwa\.icon/],
) {
	my ($fields, $like) = @$_;
	refused(publish($ann, %$fields), 400, 'INVALID_REQUEST',
		Cpanel::JSON::XS->new->canonical->ascii->encode($fields) =~ s/^(.{60}).+/$1…/sr, $like);
}
for (['{"name":"a","name":"b"}', 'duplicate member'], ['{"name":NaN}', 'NaN'], ['{"name":"a",}', 'trailing comma'],
	["{\"name\":\"\xc0\xaf\"}", 'overlong'],
	['{"name":"\ud800"}', 'lone surrogate'], ['{"name":"a\u0000"}', 'NUL'], ['[' x 40, 'depth'], ['', 'nothing'],
	['{} x', 'text after']) {
	$r = $api->call(POST => '/v1/publish', { token => $ann->{token}, body => $_->[0], type => 'application/json' });
	refused($r, 400, 'INVALID_REQUEST', "JSON with $_->[1]");
}
refused($api->call(POST => '/v1/publish', { token => $ann->{token}, body => 'x', type => 'text/plain' }), 415,
	'UNSUPPORTED_MEDIA_TYPE', 'text');
is $stack->db->selectrow_array('SELECT COUNT(*) FROM version'), $before, 'no refusal left a version';

# ---- idempotency

my $once = { token => $ann->{token}, headers => { 'Idempotency-Key' => 'k1' },
	json => { name => 'Once', files => [{ path => 'index.html', content => '1' }] } };
my $first = $api->call(POST => '/v1/publish', $once);
my $second = $api->call(POST => '/v1/publish', $once);
is $second->{status}, 201, 'a repeat with the key gets the first status';
is_deeply $second->{json}, $first->{json}, 'and the first body';
is $second->{headers}{'idempotency-replayed'}, 'true', 'and says so';
$once->{json}{name} = 'Other';
refused($api->call(POST => '/v1/publish', $once), 422, 'IDEMPOTENCY_MISMATCH', 'another body with the key');

finish($stack);
