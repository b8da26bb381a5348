# SPDX-License-Identifier: Apache-2.0
# Texts that aren't UTF-8 are sent as what they say they are; where nothing says it, who publishes is told.
use utf8;
use Encode qw(encode encode_utf8);
use MIME::Base64;
use Vitrine::Words qw(as);

my ($stack, $api, $db) = stack(publish_per_hour => 100000);
my $ann = $stack->user('ann@example.org');
sub publish {
	my ($slug, $files, @more) = @_;
	return $api->call(POST => '/v1/publish',
		{ token => $ann->{token}, json => { name => 'Größe', slug => $slug, visibility => 'public', @more,
			files => [map { { path => $_, content => encode_base64($files->{$_}, ''), encoding => 'base64' } }
				sort keys %$files] } });
}
my $head = '<!doctype html><html><head>';
my %files = (
	'index.html' => "$head<title>x</title><meta charset=windows-1252></head>Gr\xf6\xdfe",
	'equiv.html' => encode('shiftjis', "$head<META http-equiv='Content-Type' content='text/html; charset=Shift_JIS'></head>名前"),
	'jis.html' => encode('iso-2022-jp', "$head<meta charset=\"iso-2022-jp\"></head>名前"),
	'wrong.html' => encode_utf8("$head<meta charset=windows-1252></head>Größe"),
	'commented.html' => "$head<!-- <meta charset=koi8-r> --><meta charset=iso-8859-2></head>\xb1",
	'late.html' => $head . ' ' x 1100 . "<meta charset=windows-1252></head>\xf6",
	'none.html' => "$head</head>\xf6", 'odd.html' => "$head<meta charset=klingon></head>\xf6",
	'page.xhtml' => "<?xml version='1.0' encoding='ISO-8859-1'?><html xmlns='http://www.w3.org/1999/xhtml'>\xf6</html>",
	'pic.svg' => "<?xml version=\"1.0\" encoding=\"windows-1252\"?><svg xmlns=\"http://www.w3.org/2000/svg\"><text>\xf6</text></svg>",
	'feed.xml' => "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>\xf6</a>",
	'style.css' => "\@charset \"windows-1252\";a{content:'\xf6'}",
	'wide.html' => "\xff\xfe" . encode('UTF-16LE', '<p>ö'), 'rows.csv' => "a\n\xf6\n", 'plain.txt' => encode_utf8('ö'),
	'bin.dat' => "\xf6");
my $r = publish('sets', \%files);
my $why = "isn't UTF-8 and doesn't say which character set it is in, so letters may be shown wrong; save it as UTF-8";
is_deeply $r->{json}{warnings}, [map { "$_: $why" } 'late.html', 'none.html', 'odd.html', 'rows.csv'],
	'where nothing says it, there is a warning' or diag $r->{body};
my $utf8 = 'text/html; charset=utf-8';
for (['/', 'text/html; charset=windows-1252'], ['/index.html', 'text/html; charset=windows-1252'],
	['/equiv', 'text/html; charset=shift_jis'], ['/jis', 'text/html; charset=iso-2022-jp'], ['/wrong', $utf8],
	['/commented', 'text/html; charset=iso-8859-2'],
	['/late', $utf8], ['/none', $utf8], ['/odd', $utf8], ['/page.xhtml', 'application/xhtml+xml; charset=iso-8859-1'],
	['/pic.svg', 'image/svg+xml; charset=windows-1252'], ['/feed.xml', 'application/xml; charset=iso-8859-1'],
	['/style.css', 'text/css; charset=windows-1252'], ['/wide', 'text/html; charset=utf-16le'],
	['/plain.txt', 'text/plain; charset=utf-8'], ['/bin.dat', 'application/octet-stream']) {
	is $api->get_site('sets', $_->[0])->{headers}{'content-type'}, $_->[1], "$_->[0] is $_->[1]";
}
my $art = $r->{json}{artifact}{id};
is as($ann, PATCH => "/v1/artifacts/$art", json => { social_title => "Größe 名" })->{status}, 200, 'a link preview of such a page';
like $api->get_site('sets', '/')->{body}, qr{og:title" content="Gr&#246;&#223;e &#21517;".*Gr\xf6\xdfe\z}s,
	'... has its letters by their numbers';
is $stack->ctl('fsck'), 'clean', 'fsck knows each type';
my %sha = map { ($_ => Digest::SHA::sha256_hex($files{$_})) } 'index.html', 'rows.csv';
$r = $api->call(POST => '/v1/publish',
	{ token => $ann->{token}, json => { artifact_id => $art, files => [map { { path => $_, sha256 => $sha{$_} } } sort keys %sha] } });
is "$r->{json}{warnings}[0] " . $api->get_site('sets', '/')->{headers}{'content-type'}, "rows.csv: $why text/html; charset=windows-1252",
	'bytes that are named by digest are looked at, too';

# ---- lone texts: [what, file, bytes, in the page, its type, warnings]
for (['western Windows', 'a.txt', "Gr\xf6\xdfe \x80", "Größe €", 'text/plain; charset=windows-1252'],
	['UTF-16', 'b.md', "\xff\xfe" . encode('UTF-16LE', "# Größe"), 'Größe', 'text/markdown; charset=utf-16le'],
	['a byte order mark', 'c.md', encode_utf8("\x{feff}# Größe"), 'Größe', 'text/markdown; charset=utf-8'],
	['Shift_JIS', 'd.txt', encode('shiftjis', '「名前」'), undef, 'text/plain; charset=utf-8', "d.txt: $why"]) {
	my ($what, $file, $bytes, $like, $type, @warnings) = @$_;
	my $slug = 'lone-' . substr $file, 0, 1;
	is_deeply publish($slug, { $file => $bytes })->{json}{warnings}, \@warnings,
		"a lone text of $what: " . (@warnings ? 'said' : 'no warning');
	my $page = $api->get_site($slug, '/')->{body};
	$like ? like $page, qr/>\s*\Q@{[encode_utf8($like)]}/, '... is shown' : unlike $page, qr/<li id/, '... is linked to';
	is $api->get_site($slug, "/$file")->{headers}{'content-type'}, $type, '... and sent as it is';
}
finish($stack);
