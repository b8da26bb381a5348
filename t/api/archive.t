# SPDX-License-Identifier: Apache-2.0
# POST /v1/publish as a form with an archive: what unpacks, and what must not. A refusal leaves no row and no file behind.
use strict;
use warnings;
use utf8;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Encode 'encode_utf8';
use Test::More;
use Vitrine::Api;
use Vitrine::Stack;

my $stack = Vitrine::Stack->new(publish_per_hour => 100000, max_file_bytes => 102400, max_files => 50, max_version_bytes => 1000000);
my $api = Vitrine::Api->new($stack);
my $ann = $stack->user('ann@example.org');
my $dir = "$stack->{dir}/archives";
mkdir $dir;
system("$FindBin::Bin/../lib/make-archives", $dir) == 0 or die 'make-archives';

sub part { my ($name, $bytes, $more) = @_; return "--XX\r\nContent-Disposition: form-data; name=\"$name\"" . ($more // '') . "\r\n\r\n$bytes\r\n" }
sub post { my ($body, $type) = @_; return $api->call(POST => '/v1/publish', { token => $ann->{token}, body => $body, type => $type // 'multipart/form-data; boundary=XX' }) }
sub form { return join('', @_) . "--XX--\r\n" }
sub manifest { my (%f) = @_; return part('manifest', $api->{json}->encode({ name => 'A', visibility => 'public', %f })) }
sub archive { return part('archive', Vitrine::Stack::slurp("$dir/$_[0]"), '; filename="x.bin"') }
sub state_now {
	my @files = map { glob "$stack->{dir}/data/$_/*" } qw(tmp trees trash);
	return join "\n", @files, @{$stack->db->selectcol_arrayref('SELECT CONCAT(artifact_id, version_no) FROM version')};
}

for my $good (qw(good.zip stored.zip good.tar.gz)) {
	(my $slug = $good) =~ tr/./-/;
	my $r = post(form(manifest(slug => $slug), archive($good)));
	is $r->{status}, 201, "$good is published" or diag $r->{body};
	my %want = ('/' => '<h1>hello</h1>', '/img/a%20b.svg' => '<svg/>', '/zero.txt' => '', '/%F0%9F%98%80.txt' => 'smile',
		'/%D1%81%D1%82%D1%80%D0%B0%D0%BD%D0%B8%D1%86%D0%B0/%D0%BD%D0%BE%D0%B2%D0%B0%D1%8F' => encode_utf8('привет'),
		'/%E5%9B%BE/%E9%A1%B5.txt' => encode_utf8('你好'));
	is $api->get_site($slug, $_)->{body}, $want{$_}, "$good: $_" for sort keys %want;
}
post(form(manifest(slug => 'windows'), archive('good-backslash.zip')));
is $api->get_site('windows', '/a/b')->{body}, 'x', 'a folder as Windows writes it is a folder';
post(form(manifest(slug => 'both', files => [{ path => 'more.txt', content => 'more' }]), archive('good.zip')));
is $api->get_site('both', '/more.txt')->{body}, 'more', 'files of the manifest join those of the archive';
my $r = post(form(archive('good.zip'), manifest(slug => 'swapped')));
is $r->{status}, 201, 'the parts may come in either order';

sub refused {
	my ($r, $before, $what, $code) = @_;
	is "$r->{status} " . ($r->{json}{code} // ''), $code // '400 INVALID_REQUEST', "$what is refused" or diag $r->{body};
	is settled($before), $before, "$what leaves nothing";
}
# What a request held goes when its reply has gone.
sub settled {
	my ($want) = @_;
	for (1 .. 100) { last if state_now() eq $want; select undef, undef, undef, 0.02 }
	return state_now();
}
select undef, undef, undef, 0.2;
my $before = state_now();
my %code = ('many.zip' => '413 BODY_TOO_LARGE', 'file-bomb.zip' => '413 FILE_TOO_LARGE', 'total-bomb.zip' => '413 BODY_TOO_LARGE', 'liar.zip' => qr/./);
for my $path (sort glob "$dir/*") {
	my ($name) = $path =~ m{([^/]+)$};
	next if $name =~ /^(?:good|stored)/ || $name eq 'liar.zip';
	refused(post(form(manifest(slug => 'evil'), archive($name))), $before, $name, $code{$name});
}
$r = post(form(manifest(slug => 'evil'), archive('liar.zip')));
ok $r->{status} == 400 || $r->{status} == 413, 'headers that lie about sizes';
is settled($before), $before, 'and leave nothing';

refused(post(form(manifest())), $before, 'no archive');
refused(post(form(archive('good.zip'))), $before, 'no manifest');
refused(post(form(manifest(), manifest(), archive('good.zip'))), $before, 'two manifests');
refused(post(form(manifest(), archive('good.zip'), part('more', 'x'))), $before, 'another part');
refused(post(form(part('manifest', '{"name":'), archive('good.zip'))), $before, 'a broken manifest');
refused(post(form(part('manifest', '{"visibility":"public"}'), archive('good.zip'))), $before, 'a manifest without a name');
refused(post(manifest() . archive('good.zip')), $before, 'no last boundary');
refused(post(form(manifest(), archive('good.zip')), 'multipart/form-data; boundary=YY'), $before, 'another boundary');
refused(post(form(manifest(), archive('good.zip')), 'multipart/form-data'), $before, 'no boundary');
refused(post(form(manifest(), archive('good.zip')), 'multipart/form-data; boundary=' . 'X' x 71), $before, 'a boundary that is too long');
refused(post(form(part('p', 'x') x 100000)), $before, '100,000 parts');
refused(post(form("--XX\r\nContent-Disposition: form-data;\r\n name=\"manifest\"\r\n\r\n{}\r\n")), $before, 'a folded header');
refused(post(form("--XX\r\nContent-Type: multipart/mixed; boundary=ZZ\r\n\r\n--ZZ--\r\n")), $before, 'a part without a name');
refused(post(''), $before, 'nothing at all');
# nginx removes a spooled body when the reply has gone.
for (1 .. 200) { last if !glob "$stack->{dir}/data/spool/*"; select undef, undef, undef, 0.05 }
is_deeply [glob "$stack->{dir}/data/spool/*"], [], 'the spool is empty';
$stack->finish;
done_testing;
