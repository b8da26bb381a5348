# SPDX-License-Identifier: Apache-2.0
# Files as large as the settings allow: no worker dies of them, neither of the request nor of what comes after the reply.
use Vitrine::Words;

# More than talloc gives in one piece, 256 MiB.
my ($size, $limit) = (260 << 20, 270 << 20);
my $stack = Vitrine::Stack->new(max_file_bytes => $limit, max_version_bytes => 1 << 30, max_json_bytes => 256 << 20,
	request_memory_bytes => 2 << 30);
my $api = Vitrine::Api->new($stack);
my $ann = $stack->user('ann@example.org');
mkdir "$stack->{dir}/site";
open my $random, '<', '/dev/urandom' or die;
read $random, my $bytes, 65536;
Vitrine::Stack::spew("$stack->{dir}/site/index.html", 'small');

# Text that packs well, but not so well that it is taken for a bomb.
sub large {
	my ($bytes_wanted) = @_;
	open my $f, '>', "$stack->{dir}/site/large.css" or die;
	for (my $n = 0; $n < $bytes_wanted; $n += 65536) {
		my $piece = unpack 'H*', substr $bytes, ($n >> 16) * 61 % 65024, 512;
		print $f substr $piece . 'x' x 65536, 0, $bytes_wanted - $n < 65536 ? $bytes_wanted - $n : 65536;
	}
	close $f;
	system('tar', '-C', "$stack->{dir}/site", '--use-compress-program=gzip -1', '-cf', "$stack->{dir}/site.tar.gz", 'index.html',
		'large.css') == 0 or die;
	my $form = join "\r\n", '--B', 'Content-Disposition: form-data; name="manifest"', 'Content-Type: application/json', '',
		'{"name":"Large","slug":"large","visibility":"public"}', '--B',
		'Content-Disposition: form-data; name="archive"; filename="site.tar.gz"', 'Content-Type: application/gzip', '',
		Vitrine::Stack::slurp("$stack->{dir}/site.tar.gz"), '--B--', '';
	return $api->call(POST => '/v1/publish', { token => $ann->{token}, type => 'multipart/form-data; boundary=B', body => $form });
}

my $r = large($limit + 1);
is "$r->{status} $r->{json}{code}", '413 FILE_TOO_LARGE', 'a file over the limit' or diag $r->{body};
$r = large($size);
is $r->{status}, 201, 'one as large as allowed' or diag $r->{body};
# What a slow machine's packer has no time for is left to the runner.
Vitrine::Stack::wait_for('the packed file', 240,
	sub { $stack->runner; $api->site('HEAD', 'large', '/large.css', 'Accept-Encoding' => 'br')->{headers}{'content-encoding'} });
is $api->site('HEAD', 'large', '/large.css')->{headers}{'content-length'}, $size, 'is served';
is $api->site('HEAD', 'large', '/large.css', 'Accept-Encoding' => 'gzip')->{headers}{'content-encoding'}, 'gzip', 'packed too';
my $head = '{"name":"Json","slug":"json","visibility":"public","files":[{"path":"index.html","content":"';
$r = $api->call(POST => '/v1/publish',
	{ token => $ann->{token}, type => 'application/json', body => $head . 'x' x ((256 << 20) - length($head) - 4) . '"}]}' });
is $r->{status}, 201, 'a JSON body as large as allowed' or diag substr $r->{body}, 0, 500;
unlike Vitrine::Stack::slurp("$stack->{dir}/worker.log"), qr/out of memory|"child died|signal/i, 'no worker died';
finish($stack);
