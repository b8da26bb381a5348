# SPDX-License-Identifier: Apache-2.0
# What comes from a browser, dropped or chosen: the client's rules of what a folder leaves out hold here too, for its .vitrineignore and for
# archives.
use Vitrine::Pack;
use Vitrine::Visitor;
use Vitrine::Words;

my ($stack, $api) = stack(publish_per_hour => 1000);
my $ann = $stack->user('ann@example.org');
$stack->ctl_in("the password\n", qw(user password ann@example.org));
my $v = Vitrine::Visitor->new($api);
$v->sign_in('ann@example.org', 'the password');

my $boundary = 'x' x 20;
sub dropped {
	my (%files) = @_;
	my $body = join '', map { "--$boundary\r\nContent-Disposition: form-data; name=\"files\"; filename=\"$_\"\r\n\r\n$files{$_}\r\n" }
		sort keys %files;
	return $v->send(POST => '/publish', headers => { 'Content-Type' => "multipart/form-data; boundary=$boundary" },
		body => "$body--$boundary--\r\n");
}
sub paths {
	my $r = dropped(@_);
	my ($id) = ($r->{headers}{location} // '') =~ m{^/a/(art_\w+)} or return "refused: $r->{status}";
	return join ' ', map { @$_ } @{$stack->db->selectall_arrayref('SELECT path FROM version_file WHERE artifact_id = ? ORDER BY path',
		undef, $id)};
}
sub why { return Vitrine::Visitor::unescape_html(($v->{page}{text} =~ m{role="alert"><svg.*?</svg><span>(.*?)</span>}s)[0] // '') }

my @tools = map { ($_ => 'x') } qw(.env .git/config a/.secret node_modules/x/y.js b/node_modules/z.js __MACOSX/._index.html
	.well-known/security.txt);
sub below { my ($folder, %files) = @_; return map { ("$folder/$_" => $files{$_}) } keys %files }

is paths(below('site', 'index.html' => 'x', 'a/b.css' => 'x', @tools)), '.well-known/security.txt a/b.css index.html', 'a folder';
is paths(below('site', 'index.html' => 'x', 'drafts/a.html' => 'x', 'sub/drafts/b.html' => 'x', 'x.log' => 'x', '.nojekyll' => '', @tools,
	'.vitrineignore' => "/drafts/\n*.log\n!.nojekyll\n")),
	'.nojekyll .well-known/security.txt index.html sub/drafts/b.html', 'with rules of its own, bound to its top';
is paths('site/index.html' => 'x', 'site/sub/.vitrineignore' => "index.html\n"), 'index.html', 'rules below the top are none';
is paths('site/index.html' => 'x', 'site/.vitrineignore' => "*\n"), 'refused: 400', 'all is left out';
like why(), qr/^No files were chosen, or only hidden ones/;
is paths('site/index.html' => 'x', 'site/.vitrineignore' => "x\n" x 2000), 'refused: 400', 'too many rules';
is why(), '.vitrineignore has more than 1024 patterns', '... are refused, not passed over';
is paths('site/index.html' => 'x', 'site/.vitrineignore' => '#' x 70000), 'refused: 400', 'and so is too long a file of them';
is paths('site.zip' => zip(map { [@$_] } ['site/index.html', 'x'], ['site/.env', 'x'], ['site/node_modules/x.js', 'x'],
	['__MACOSX/site/._index.html', 'x'], ['site/.DS_Store', 'x'])), 'index.html',
	'an archive as a Mac makes it: what is beside the folder does not keep it on the paths';
is paths('only.zip' => zip(['site/.env', 'x'])), 'refused: 400', 'an archive with nothing else';
is $api->call(POST => '/v1/publish', { token => $ann->{token}, json => { name => 'all', slug => 'all',
	files => [{ path => 'index.html', content => 'x' }, { path => '.env', content => 'x' }] } })->{status},
	201, 'the API takes what it is sent';
finish($stack);
