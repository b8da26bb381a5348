# SPDX-License-Identifier: Apache-2.0
# An archive that an agent names by its address: what is fetched, and what isn't, since it would reach inward or is no whole answer.
use MIME::Base64;
use Vitrine::Pack;
use Vitrine::Receiver;
use Vitrine::Words;
use Vitrine::World;

my $tls = "$ENV{VITRINE_VAR}/tls-test";
my $receiver = Vitrine::Receiver->new($tls);
my ($stack, $api, $db) = stack($receiver->conf, egress_ca_file => "$tls/ca.pem", max_archive_bytes => 200_000, workers => 2);
my $ann = $stack->user('ann@example.org');
my $token = $stack->token($ann->{id}, 'som_', scopes => 15, opens_to => 'private',
	grant_id => Vitrine::World->new($stack)->make(ogr => user => $ann->{id}));
sub tool {
	my ($name, $args) = @_;
	return $api->call(POST => '/mcp', { token => $token, json => { jsonrpc => '2.0', id => 1, method => 'tools/call',
		params => { name => $name, arguments => $args } } })->{json}{result};
}
sub gives {
	my ($path, $bytes, $status) = @_;
	$receiver->answer($path, $status // 200, { base64 => encode_base64($bytes, '') });
	return $receiver->url($path);
}
sub publish { my ($url, %more) = @_; return tool(publish => { name => 'From afar', archive_url => $url, %more }) }
sub refused { my ($r, $why, $what) = @_; ok $r->{isError}, "$what is refused"; like $r->{content}[0]{text}, $why, '... and it is said why' }

my %files = ('index.html' => '<h1>From afar</h1>', 'data/noise.bin' => join '', map { chr($_ * 31 % 256) } 1 .. 3000);
my $r = publish(gives('/site.zip', Vitrine::Pack::zip(map { [$_ => $files{$_}] } sort keys %files)), slug => 'afar');
ok !$r->{isError}, 'a .zip is fetched' or diag $r->{content}[0]{text};
my $art = $r->{structuredContent}{artifact}{id};
is $api->call(GET => "/v1/artifacts/$art/files", { token => $ann->{token} })->{json}{files}[$_]{path}, (sort keys %files)[$_],
	'... and unpacked' for 0, 1;
is $r->{structuredContent}{visibility}, 'private', '... seen by nobody else';
my ($call) = $receiver->calls('/site.zip');
is $call->{method}, 'GET', 'it is asked for once';
is_deeply [grep { /authorization|cookie/i } keys %{$call->{headers}}], [], '... with nothing of anybody';
$r = tool(publish => { artifact => 'afar', archive_url => gives('/site.tar.gz', Vitrine::Pack::tgz(['index.html' => 'two'])) });
is $r->{structuredContent}{version}{version_no}, 2, 'a .tar.gz is the next version';

my $versions = sub { return $db->selectrow_array('SELECT COUNT(*) FROM version') };
my $before = $versions->();
refused(publish('http://localhost/site.zip'), qr/^INVALID_REQUEST: archive_url: must begin with https/, 'an address without TLS');
refused(publish($_), qr/^INVALID_REQUEST: archive_url: there is no whole answer within 60 seconds/, $_)
	for "https://127.0.0.1:$stack->{port}/v1", 'https://[::1]/x.zip', 'https://10.0.0.1/x.zip', 'https://169.254.169.254/latest',
		'https://nobody@localhost/x.zip', 'https:///x';
$receiver->answer('/moved', 302, '', 'Location: ' . $receiver->url('/site.zip'));
refused(publish($receiver->url('/moved')), qr/status 302, not 200; redirects aren't followed/, 'an address that leads elsewhere');
refused(publish(gives('/gone', 'x', 404)), qr/status 404/, 'one with nothing there');
refused(publish(gives('/page', '<h1>no archive</h1>')), qr/^\w+: .*archive/, 'what is no archive');
refused(publish(gives('/large.zip',
		Vitrine::Pack::zip(['index.html' => 'x'], ['large.bin' => join '', map { chr rand 256 } 1 .. 250_000]))),
	qr/^BODY_TOO_LARGE: archive_url: the archive is larger than 200000 bytes/, 'what is too large');
refused(publish(gives('/site.zip', 'x'), files => [{ path => 'index.html', content => 'x' }]),
	qr/send one of files, upload, and archive_url/, 'both files and an address');
is $versions->(), $before, 'none of it made a version';
is_deeply [glob "$stack->{dir}/data/tmp/?/*"], [], '... or is left on the disk';
finish($stack);
