# SPDX-License-Identifier: Apache-2.0
# Pictures of what is in a library: a PDF's first page and a frame of a film, made in rooms of their own; who sees them, what becomes of
# them, and that no file holds the runner up.
use Time::HiRes qw(sleep time);
use Vitrine::Pdf;
use Vitrine::Words qw(as refused);

plan skip_all => 'pdftoppm and ffmpeg are not installed' if grep { !-x "/usr/bin/$_" } qw(pdftoppm pdfinfo ffmpeg);
my ($stack, $api, $db) = stack(previews => 'auto', pictures_per_minute => 1000, grace_s => 0);
$stack->user("$_\@example.org") for qw(ann ben);
my $ws = as('ann', POST => '/v1/workspaces', { name => 'Team' })->{json}{workspace}{id};
$stack->seat($ws, $stack->user('ben@example.org'), 'member');
my $team = "/v1/workspaces/$ws/assets";

sub deliver {
	my ($at, $name, $bytes, %more) = @_;
	my $url = as('ann', POST => "$at/upload", { filename => $name })->{json}{uploadUrl} =~ s{^https://[^/]*}{}r;
	my $blob = $api->call(PUT => $url, { body => $bytes, type => 'application/octet-stream' })->{json}{blobId};
	return as('ann', POST => "$at/deliverables", { blobId => $blob, %more })->{json}{deliverable};
}
sub preview {
	my ($at, $d, $who, %headers) = @_;
	return as($who // 'ann', GET => "$at/deliverables/$d->{id}/preview", headers => \%headers);
}
sub row {
	my ($d) = @_;
	return $db->selectrow_hashref('SELECT *, LOWER(HEX(sha256)) AS digest FROM asset_preview WHERE input_sha256 = UNHEX(?)',
		undef, $d->{sha256});
}
sub runner {
	my ($status, undef, $err) = $stack->runner;
	is $status, 0, 'the runner ran' or diag $err;
	return map { decode_json($_) } grep { /^\{/ } split /\n/, $err;
}
sub said {
	my ($d, @said) = @_;
	return join '; ', map { join ' ', grep { defined } @$_{qw(event why)} } grep { ($_->{of} // '') eq $d->{sha256} } @said;
}
sub conf { my (%c) = @_; $stack->{conf} = { %{$stack->{conf}}, %c }; $stack->write_conf }
sub size_of { my ($r) = @_; return $r->{body} =~ /^\x89PNG/ ? join 'x', unpack 'x16NN', $r->{body} : 'no PNG' }
# Programs in rooms below this test's runner.
sub left {
	return grep { Vitrine::Stack::slurp("/proc/$_/cmdline") =~ m{^/usr/bin/(?:pdftoppm|pdfinfo|ffmpeg)\0}
		&& Vitrine::Stack::slurp("/proc/$_/status") =~ /^NSpid:(?:\t\d+){2,}/m } map { m{(\d+)} } glob '/proc/[0-9]*';
}

sub page {
	my ($box, $resources, $content) = @_;
	return ('<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [3 0 R 3 0 R] /Count 2 >>',
		"<< /Type /Page /Parent 2 0 R /MediaBox [$box] /Resources << $resources >> /Contents 4 0 R >>", stream($content));
}
my $pdf = pdf(page('0 0 400 200', '', '1 0 0 rg 0 0 200 200 re f'));
system("ffmpeg -v error -f lavfi -i testsrc=duration=2:size=320x240 -c:v mpeg4 $stack->{dir}/film.mp4") == 0 or die;
my $film = Vitrine::Stack::slurp("$stack->{dir}/film.mp4");

subtest 'a PDF and a film' => sub {
	my $d = deliver($team, 'report.pdf', $pdf);
	refused(preview($team, $d), '404 NOT_FOUND', 'before the runner has been there is none');
	my $f = deliver('/v1/assets', 'film.mp4', $film);
	is $f->{mimeType}, 'video/mp4';
	my $t = deliver($team, 'notes.txt', 'text');
	is row($t), undef, 'of a text none is wanted';
	my @said = runner();
	is said($d, @said), 'preview', 'made' or diag explain \@said;
	is said($f, @said), 'preview', 'of the film, too';
	my $r = preview($team, $d);
	is "$r->{status} $r->{headers}{'content-type'} " . size_of($r), '200 image/png 640x320', 'the first page';
	like $r->{headers}{'content-security-policy'}, qr/^sandbox; default-src 'none'/, '... in which nothing runs';
	is preview($team, $d, 'ann', 'If-None-Match' => $r->{headers}{etag})->{status}, 304, '... not sent again';
	is row($d)->{pages}, 2, '... of two';
	is size_of(preview('/v1/assets', $f)), '640x480', 'a frame of the film';
	is row($f)->{pages}, undef, '... which has no pages';
	refused(preview($team, $t), '404 NOT_FOUND', 'a text has none');
	refused(preview($team, $d, 'ben'), '404 NOT_FOUND', 'nor has what somebody does not see');
	is preview($team, deliver($team, 'twin.pdf', $pdf))->{status}, 200, 'the same bytes have it at once';
	is scalar(grep { $_->{event} =~ /preview/ } runner()), 0, '... and it is made once';
	is $stack->ctl('fsck'), 'clean', 'fsck knows it';
	my $next = as('ann', POST => "$team/upload", { filename => 'report.pdf' })->{json}{uploadUrl} =~ s{^https://[^/]*}{}r;
	my $blob = $api->call(PUT => $next,
		{ body => pdf(page('0 0 100 100', '', '0 1 0 rg 0 0 50 50 re f')), type => 'application/octet-stream' })->{json}{blobId};
	as('ann', POST => "$team/deliverables/$d->{id}/version", { blobId => $blob });
	refused(preview($team, $d), '404 NOT_FOUND', 'a new version has its own');
	runner();
	is size_of(preview($team, $d)), '640x640', '... later';
};

subtest 'what is lost, and what goes' => sub {
	my $d = deliver($team, 'lost.pdf', pdf(page('0 0 300 300', '', '0 0 1 rg 9 9 99 99 re f')));
	runner();
	my $object = sub { my $hex = row($d)->{digest}; return "$stack->{dir}/data/objects/" . substr($hex, 0, 2) . "/$hex" };
	my $path = $object->();
	unlink $path or die;
	like $stack->ctl('reproject'), qr/^1 pictures are missing or damaged and will be made again$/m, 'a lost picture is missed';
	runner();
	ok -s $path, '... and made again';
	as('ann', DELETE => "$team/deliverables/$d->{id}");
	$db->do("DELETE FROM sweep");
	runner();
	is row($d), undef, 'who has no such file any more has no picture';
	$db->do("DELETE FROM sweep WHERE name = 'objects'");
	sleep 1.1;
	runner();
	ok !-e $path, '... and its bytes are swept';
	my $kept = row(deliver($team, 'again.pdf', $pdf));
	ok $kept->{digest} && -s "$stack->{dir}/data/objects/" . substr($kept->{digest}, 0, 2) . "/$kept->{digest}", 'others keep theirs';
};

subtest 'what was made to be trouble' => sub {
	my $broken = deliver($team, 'broken.pdf', "%PDF-1.7\n" . 'x' x 1000);
	for my $try (1 .. 3) {
		like said($broken, runner()), qr/^no preview the program says nothing/, "a broken one, $try";
		is row($broken)->{attempts}, $try;
		$db->do('UPDATE asset_preview SET due_at = 1 WHERE due_at IS NOT NULL');
	}
	is row($broken)->{due_at}, undef, 'after the third try there is none';
	refused(preview($team, $broken), '404 NOT_FOUND', '...');
	my $wide = deliver($team, 'wide.pdf', pdf(page('0 0 100000000 100000000', '', '1 0 0 rg 0 0 50000000 99000000 re f')));
	my $half = deliver($team, 'half.mp4', substr $film, 0, length($film) / 2);
	# Each form draws the next ten times: more than would ever be done.
	my @forms = map {
		my $n = $_;
		stream(join(' ', ('/F Do') x 10),
			'/Type /XObject /Subtype /Form /BBox [0 0 100 100] /Resources << /XObject << /F ' . ($n + 1) . ' 0 R >> >>');
	} 5 .. 24;
	my $deep = deliver($team, 'deep.pdf', pdf(page('0 0 100 100', '/XObject << /F 5 0 R >>', '/F Do'), @forms,
		stream('1 0 0 rg 0 0 1 1 re f', '/Type /XObject /Subtype /Form /BBox [0 0 100 100]')));
	my $from = time;
	my @said = runner();
	is said($wide, @said), 'preview', 'a page of kilometres is as small as any';
	is size_of(preview($team, $wide)), '640x640';
	like said($half, @said), qr/^(?:preview|no preview)/, 'half of a film: ' . said($half, @said);
	like said($deep, @said), qr/^(?:preview|no preview)/, 'drawings in drawings come to an end: ' . said($deep, @said);
	Vitrine::Stack::wait_for('empty rooms', 60, sub { !left() });
	$db->do('UPDATE asset_preview SET due_at = NULL');
};

subtest 'where the programs are missing' => sub {
	my $d = deliver($team, 'later.pdf', pdf(page('0 0 500 100', '', '0 1 1 rg 0 0 100 50 re f')));
	for my $where ('/usr/nowhere', '"-"') {
		conf(previews => $where);
		is said($d, runner()), '', "$where: not a word";
		is row($d)->{attempts}, 0, '... and none is tried';
	}
	conf(previews => 'auto');
	is said($d, runner()), 'preview', 'installed, they make it';
};
finish($stack);
