# SPDX-License-Identifier: Apache-2.0
# Texts as editors and shells of other machines write them: with a byte order mark, in UTF-8 or UTF-16, wherever one of ours is read.
use utf8;
use Encode 'encode';
use Vitrine::Pack;
use Vitrine::Visitor;
use Vitrine::Words 'as';

my ($stack, $api, $db) = stack(publish_per_hour => 1000);
my $ann = $stack->user('ann@example.org');
my $ws = as('ann', POST => '/v1/workspaces', { name => 'Team' })->{json}{workspace}{id};
my %forms = ('UTF-8' => sub { "\xef\xbb\xbf" . encode('UTF-8', $_[0]) },
	map { my $as = $_; ($as => sub { encode($as, "\x{feff}$_[0]") }) } 'UTF-16LE', 'UTF-16BE');
my %site = ('index.html' => 'x', 'private/a.txt' => 'x');
$stack->client($ann->{token}, 'catalog', 'enable', '--workspace', $ws);
sub client { return $stack->client($ann->{token}, @_) }
sub paths {
	my ($slug) = @_;
	return join ' ', map { @$_ } @{$db->selectall_arrayref(
		'SELECT f.path FROM version_file f JOIN artifact a ON a.id = f.artifact_id WHERE a.slug = ? ORDER BY path', undef, $slug)};
}
sub at { my ($name, $bytes) = @_; Vitrine::Stack::spew("$stack->{dir}/$name", $bytes); return "$stack->{dir}/$name" }

$stack->ctl_in("first password\n", qw(user password ann@example.org));
my $v = Vitrine::Visitor->new($api);
$v->sign_in('ann@example.org', 'first password');
sub dropped {
	my %files = @_;
	my $body = join '',
		map { "--xx\r\nContent-Disposition: form-data; name=\"files\"; filename=\"$_\"\r\n\r\n$files{$_}\r\n" } sort keys %files;
	my ($id) = ($v->send(POST => '/publish', headers => { 'Content-Type' => 'multipart/form-data; boundary=xx' },
		body => "$body--xx--\r\n")->{headers}{location} // '') =~ m{^/a/(art_\w+)};
	return join ' ',
		map { @$_ } @{$db->selectall_arrayref('SELECT path FROM version_file WHERE artifact_id = ? ORDER BY path', undef, $id)};
}

for my $as (sort keys %forms) {
	my $form = $forms{$as};
	my $slug = lc $as;
	my $ignore = $form->("private/\n# größer\n");
	my $dir = Vitrine::Stack::folder($stack->{dir}, $slug, %site, '.vitrineignore' => $ignore,
		'_redirects' => $form->("/old /new 301\n"));
	my ($status, undef, $err) = client('publish', $dir, '--slug', $slug, '--visibility', 'public', '--access-policy',
		at('policy.json', $form->('{"default":"owner"}')));
	is "$status " . paths($slug), '0 _redirects index.html', "$as: the client leaves out what the rules say" or diag $err;
	is $api->get_site($slug, '/old')->{headers}{location}, '/new', '... the first line of _redirects is a rule';
	is $db->selectrow_array('SELECT access_policy FROM artifact WHERE slug = ?', undef, $slug), '{"default":"owner"}',
		'... the policy is one';
	client('publish', at("$slug.zip", zip(map { [@$_] } ['index.html', 'x'], ['private/a.txt', 'x'], ['.vitrineignore', $ignore])),
		'--slug', "$slug-zip", '--visibility', 'public');
	is paths("$slug-zip"), 'index.html', '... of an archive, too';
	is dropped('site/index.html' => 'x', 'site/private/a.txt' => 'x', 'site/.vitrineignore' => $ignore), 'index.html',
		'... and what is dropped';

	is as('ann', PUT => "/v1/workspaces/$ws/context/$slug.md", body => $form->("größe\n"), type => 'text/markdown')->{json}{content},
		"größe\n", 'a context file';
	is as('ann', PUT => "/v1/workspaces/$ws/knowledge/files/$slug.md", body => $form->("# Größe\n"),
		type => 'text/markdown')->{json}{title}, q(Größe), q(a note);
	my $notes = Vitrine::Stack::folder($stack->{dir}, "notes-$slug", "from-$slug.md" => $form->("# Häuser\n"));
	client('notes', 'push', $notes, '--workspace', $ws);
	is $db->selectrow_array("SELECT title FROM note WHERE path = 'from-$slug.md'"), 'Häuser', '... by the client';
	like +(client('notes', 'push', $notes, '--workspace', $ws))[2], qr/0 files? sent|1 unchanged/, '... which sends it once';
	my $entries = Vitrine::Stack::folder($stack->{dir}, "catalog-$slug",
		"$slug.md" => $form->("---\nkind: metric\ntitle: Größe\n---\nx\n"));
	client('catalog', 'push', $entries, '--workspace', $ws);
	is $db->selectrow_array("SELECT title FROM catalog_entry WHERE path = '$slug.md'"), 'Größe', 'a file of the catalog';

	at('stdin', $form->("pass word $slug\r\n"));
	$stack->ctl(qw(user password ann@example.org), { stdin => "$stack->{dir}/stdin" });
	$v = Vitrine::Visitor->new($api);
	unlike $v->sign_in('ann@example.org', "pass word $slug")->{path}, qr/signin/, 'a password on standard input';
}

my $r = as('ann', PATCH => "/v1/workspaces/$ws", body => "\xef\xbb\xbf" . '{"name":"Marked"}', type => 'application/json');
is_deeply [$r->{status}, $r->{json}{workspace}{name}], [200, 'Marked'], 'a body of JSON';
$r = as('ann', PATCH => "/v1/workspaces/$ws", body => $forms{'UTF-16LE'}->('{"name":"No"}'), type => 'application/json');
like $r->{json}{error}, qr/it is UTF-16, and JSON must be UTF-8/, '... of UTF-16 is refused by name';
finish($stack);
