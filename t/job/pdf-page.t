# SPDX-License-Identifier: Apache-2.0
# Pages of PDFs in the review view: drawn in rooms once somebody looks, for who may read the file; what can't be drawn and why, and which
# remarks are on pages that a later PDF doesn't have.
use utf8;
use MIME::Base64;
use Vitrine::Pdf;
use Vitrine::Visitor;
use Vitrine::Words qw(as refused);

plan skip_all => 'pdftoppm is not installed' if grep { !-x "/usr/bin/$_" } qw(pdftoppm pdfinfo);
my ($stack, $api, $db) = stack(previews => 'auto', pictures_per_minute => 1000, grace_s => 0, comments_per_hour => 10000,
	publish_per_hour => 10000);
my ($ann, $ben, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben eve);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for qw(ann ben eve);
my %browser = map { my $v = Vitrine::Visitor->new($api); $v->sign_in("$_\@example.org", 'the password'); $_ => $v } qw(ann ben eve);

sub publish { my ($who, $files, %o) = @_;
	my $r = as($who, POST => '/v1/publish', { name => 'Report', visibility => 'private', files => [
		{ path => 'index.html', content => 'x' },
		map { { path => $_, content => encode_base64($files->{$_}, ''), encoding => 'base64' } } sort keys %$files], %o });
	is $r->{status}, 201, 'published' or diag $r->{body};
	return $r->{json}{artifact}{id} }
sub version { my ($art, $files, %o) = @_; return publish($ann, $files, artifact_id => $art, visibility => undef, %o) }
sub look { my ($who, $art, $path, $page, $version) = @_;
	my $r = $browser{$who}->go("/a/$art/review" . ($version ? "/$version" : '') . "?path=/$path&page=$page");
	return $r->{status} == 200 && $r->{body} =~ m{<section class="stage".*?>(.*?)</section>}s ? $1 : $r->{status} }
sub picture { my ($who, $art, $path, $page, $version) = @_;
	return as($who, GET => "/v1/artifacts/$art/pdf-page?path=$path&page=$page" . ($version ? "&version=$version" : '')) }
sub size_of { my ($r) = @_; return $r->{body} =~ /^\x89PNG/ ? join 'x', unpack 'x16NN', $r->{body} : "no PNG: $r->{status}" }
sub runner { my ($status, undef, $err) = $stack->runner;
	is $status, 0, 'the runner ran' or diag $err;
	return join '; ', map { join ' ', grep { defined } @$_{qw(event why)} } grep { $_->{event} =~ /page$/ }
		map { decode_json($_) } grep { /^\{/ } split /\n/, $err }
sub rows { my ($art) = @_; return $db->selectrow_array('SELECT COUNT(*) FROM pdf_page WHERE artifact_id = ?', undef, $art) }
sub due { $db->do('UPDATE pdf_page SET due_at = 1 WHERE due_at IS NOT NULL') }
sub conf { my (%c) = @_; $stack->{conf} = { %{$stack->{conf}}, %c }; $stack->write_conf; $stack->stop_one('worker'); $stack->start_worker }
my $three = pages('300 400', '400 300', '200 200');
my $draws = qr/This page is being drawn/;

my $art = publish($ann, { 'sheet.pdf' => $three });
as($ann, POST => "/v1/artifacts/$art/collaborators", { emails => ['ben@example.org'], role => 'viewer' });

subtest 'a page is drawn once somebody looks, and the next one after it' => sub {
	refused(picture($ann, $art, 'sheet.pdf', 1), '404 NOT_FOUND', 'before that there is no picture');
	is rows($art), 0, '... and asking for it draws none';
	like look('ben', $art, 'sheet.pdf', 1), $draws, 'the first look';
	unlike $browser{ben}{page}{text}, qr/rel="next"|type="image"/, '... knows of no other page';
	like look('ben', $art, 'sheet.pdf', 1), $draws, 'the second look';
	is rows($art), 1, '... asks no more';
	is runner(), 'page', 'drawn';
	my ($src) = look('ben', $art, 'sheet.pdf', 1) =~ /<img src="([^"]+)"/ or return fail 'a picture';
	like $browser{ben}{page}{text}, qr/Page 1 of 3.*page=2"[^>]*>Next/s, 'the first of three';
	my $r = $api->call(GET => $src =~ s/&amp;/&/gr, { token => $ben->{token} });
	is "$r->{headers}{'content-type'} $r->{headers}{'cache-control'} " . size_of($r),
		'image/png private, no-store 960x1280', 'its picture';
	like look('ben', $art, 'sheet.pdf', 2), $draws, 'the second';
	is rows($art), 2, '... is due already';
	is runner(), 'page', '... and drawn';
	is size_of(picture($ben, $art, 'sheet.pdf', 2)), '1280x960', 'it is another';
	like look('ann', $art, 'sheet.pdf', 2), qr/alt="Page 2 of sheet\.pdf"/, 'who comes later sees it at once';
	like $browser{ann}{page}{text}, qr/page=1"[^>]*>Previous.*name="page" type="number"[^>]*value="2".*type="image" src="[^"]*page=2/s,
		'... in the form, too';
	like look('ben', $art, 'sheet.pdf', 4), qr/This PDF has 3 pages/, 'a fourth there is not';
	is look('ben', $art, 'sheet.pdf', 0), 400, 'nor one before the first';
	like look('ben', $art, 'sheet.pdf', 501), qr/This PDF has 3 pages/, 'nor any so far behind';
	is look('ben', $art, 'none.pdf', 1) =~ /being drawn/, '', 'nor a file that is not there';
	refused(picture($ben, $art, 'sheet.pdf', $_->[0]), $_->[1], "picture of page $_->[0]")
		for [0, '400 INVALID_REQUEST'], ['x', '400 INVALID_REQUEST'], [3, '404 NOT_FOUND'], [9999, '404 NOT_FOUND'];
	refused(picture($ben, $art, 'index.html', 1), '404 NOT_FOUND', 'of a file that is no PDF');
	refused(as($ben, GET => "/v1/artifacts/$art/pdf-page?page=1"), '400 INVALID_REQUEST', 'of no file');
	is $stack->ctl('fsck'), 'clean', 'fsck knows it';
};

subtest 'a place on a page, without JavaScript' => sub {
	look('ben', $art, 'sheet.pdf', 2);
	$browser{ben}->submit(qr{/review/1$}, { text => 'Here', x => 150, y => 75 });
	like $browser{ben}{page}{text}, qr/alt="Page 2 of sheet\.pdf".*on page 2/s, 'leads back to that page';
	my ($on) = grep { $_->{text} eq 'Here' } @{as($ann, GET => "/v1/artifacts/$art/comments")->{json}{comments}};
	is_deeply [$on->{path}, $on->{anchor}], ['/sheet.pdf', { kind => 'page', x => 0.5, y => 0.25, page => 2 }], 'where it is';
	like $browser{ben}->go("/a/$art/review?thread=$on->{id}")->{body}, qr/alt="Page 2 of/, 'a link to it opens that page';
	like $browser{ben}->go("/a/$art/review?path=/sheet.pdf&page=2")->{body}, qr/alt="Page 2 of/, 'and so does an address without a version';
};

subtest 'ways to it' => sub {
	like $browser{ben}->go("/a/$art/files/sheet.pdf")->{body}, qr{href="/a/$art/review/1\?path=/sheet\.pdf"}, 'its page of the Files tab';
	for ([], [entrypoint => 'a b.pdf']) {
		my $r = as($ann, POST => '/v1/publish', { name => 'Alone', visibility => 'private', @$_,
			files => [{ path => 'a b.pdf', content => $three }] });
		is $r->{status}, 201, 'a PDF alone' or diag $r->{body};
		my $alone = $r->{json}{artifact}{id};
		like $browser{ann}->go("/a/$alone/review")->{body}, $draws, '... is what its first page shows';
		like $browser{ann}{page}{text}, qr{name="path" value="/a b\.pdf".*name="page" type="number"[^>]*value="1"}s, '... and remarks are on it';
		$db->do('DELETE FROM pdf_page WHERE artifact_id = ?', undef, $alone);
	}
};

subtest 'who may not read the file sees no page' => sub {
	is look('eve', $art, 'sheet.pdf', 1, 1), 404, 'a stranger';
	refused(picture($eve, $art, 'sheet.pdf', 1), '404 NOT_FOUND', 'a stranger asks for the picture');
	refused(picture(undef, $art, 'sheet.pdf', 1), '404 NOT_FOUND', 'nobody');
	my $own = publish($eve, { 'same.pdf' => $three });
	refused(picture($eve, $own, 'same.pdf', 1), '404 NOT_FOUND', 'her own file of equal bytes has none');
	like look('eve', $own, 'same.pdf', 1), $draws, '... it is drawn for her';
	$db->do('DELETE FROM pdf_page WHERE artifact_id = ?', undef, $own);
	my $public = publish($ann, { 'sheet.pdf' => $three }, visibility => 'public');
	version($public, { 'sheet.pdf' => pages('500 100'), 'new.pdf' => pages('100 500') }, draft => $true);
	look('ann', $public, $_, 1, 2) for 'sheet.pdf', 'new.pdf';
	runner();
	is size_of(picture($ann, $public, 'new.pdf', 1, 2)), '256x1280', 'a draft’s page, for its owner';
	for (['sheet.pdf', 2], ['new.pdf', 2], ['new.pdf', 1]) {
		refused(picture($eve, $public, $_->[0], 1, $_->[1]), '404 NOT_FOUND', "a stranger: $_->[0] of version $_->[1]");
		unlike look('eve', $public, $_->[0], 1, $_->[1]), qr/<img|being drawn/, '... nor in the view';
	}
	like look('eve', $public, 'sheet.pdf', 1), $draws, 'what is live they see';
	as($ann, PATCH => "/v1/artifacts/$art/collaborators/$ben->{id}", { role => 'editor' });
	as($ann, DELETE => "/v1/artifacts/$public");
	is runner(), '', 'of what is in the trash nothing is drawn';
};

subtest 'a later version' => sub {
	my $add = sub { my ($page, %o) = @_; return as($ann, POST => "/v1/artifacts/$art/comments", { text => "p$page",
		path => '/sheet.pdf', version_no => 1, anchor => { kind => 'page', page => $page, %o } })->{json}{comment}{id} };
	my ($first, $third) = ($add->(1), $add->(3, x => 0.1, y => 0.1));
	my $places = sub { my ($no) = @_; my %at = map { $_->{id} => $_->{place}{status} }
		@{as($ann, GET => "/v1/artifacts/$art/comments?version=$no")->{json}{comments}}; return "@at{$first, $third}" };
	my $had = rows($art);
	version($art, { 'sheet.pdf' => $three, 'more.txt' => 'x' });
	like look('ben', $art, 'sheet.pdf', 1, 2), qr/<img/, 'with the same PDF has its pages at once';
	version($art, { 'sheet.pdf' => pages('300 400', '400 300') });
	is $places->(3), 'pending pending', 'with a shorter one: nobody knows yet';
	runner() for 1 .. 3;
	is $places->(3), 'changed gone', '... what is on a page that it no longer has is gone';
	like look('ben', $art, 'sheet.pdf', 3, 3), qr/This PDF has 2 pages/, '... which its view says';
	like $browser{ben}{page}{text}, qr/Not in this version/, '... beside the remark';
	$db->do('DELETE FROM pdf_page WHERE artifact_id = ?', undef, $art);
	version($art, { 'sheet.pdf' => pages('300 400', '400 300', '1 1', '2 2') });
	conf(previews => '"-"');
	runner() for 1 .. 2;
	is $places->(4), 'changed changed', 'with a longer one they are changed, and where none is drawn, all are';
	conf(previews => 'auto');
};

subtest 'what cannot be drawn' => sub {
	my $form = '/Type /XObject /Subtype /Form /BBox [0 0 9 9]';
	my @forms = map { stream(join(' ', ('/F Do') x 10), "$form /Resources << /XObject << /F " . ($_ + 1) . ' 0 R >> >>') } 5 .. 24;
	my @page = ('<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [3 0 R] /Count 1 >>');
	my $art = publish($ann, { 'broken.pdf' => "%PDF-1.7\n" . 'x' x 1000, 'locked.pdf' => locked(),
		'wide.pdf' => pages('100000000 100000000'), 'none.pdf' => pdf('<< /Type /Catalog >>'),
		'many.pdf' => pdf($page[0], '<< /Type /Pages /Kids [] /Count 2000000000 >>'),
		'deep.pdf' => pdf(@page, '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R '
			. '/Resources << /XObject << /F 5 0 R >> >> >>', stream('/F Do'), @forms,
			stream('1 0 0 rg 0 0 1 1 re f', $form)) });
	my %problem = ('broken.pdf' => qr/couldn.+?t be drawn.*may be damaged/, 'locked.pdf' => qr/needs a password/,
		'none.pdf' => qr/couldn.+?t be drawn/, 'many.pdf' => qr/couldn.+?t be drawn|There is no page/);
	like look('ann', $art, $_, 1), $draws, "$_ is due" for sort keys %problem, 'wide.pdf', 'deep.pdf';
	$db->do('UPDATE pdf_page SET attempts = 2 WHERE due_at IS NOT NULL AND input_sha256 <> UNHEX(SHA2(?, 256))', undef,
		"%PDF-1.7\n" . 'x' x 1000);
	like runner(), qr/no page its pages can't be counted/, 'it is told why';
	for (1 .. 2) {
		like look('ann', $art, 'broken.pdf', 1), $draws, 'a broken one is tried three times';
		due();
		is runner(), "no page its pages can't be counted", '... in vain';
	}
	like look('ann', $art, $_, 1), $problem{$_}, "$_: its view says why" for sort keys %problem;
	like look('ann', $art, 'locked.pdf', 7), qr/needs a password/, 'a password is wanted for each page';
	like look('ann', $art, 'wide.pdf', 1), qr/<img/, 'a page of kilometres is as small as any';
	unlike look('ann', $art, 'deep.pdf', 1), $draws, 'drawings in drawings come to an end';
	is $db->selectrow_array("SELECT COUNT(*) FROM pdf_page WHERE due_at IS NOT NULL AND artifact_id = ?", undef, $art), 0,
		'nothing is tried for ever';
	$db->do("UPDATE pdf_page SET looked_at = looked_at - 86400 WHERE problem = 'failed'");
	look('ann', $art, 'broken.pdf', 1);
	like look('ann', $art, 'broken.pdf', 1), $draws, 'a day later it is tried again';
	$db->do('UPDATE pdf_page SET due_at = NULL');
	conf(previews => '"-"');
	my $off = publish($ann, { 'sheet.pdf' => $three });
	like look('ann', $off, 'sheet.pdf', 1), qr/This service can.+?t draw their pages/, 'without previews';
	is rows($off), 0, '... none is due';
	conf(previews => 'auto');
	like look('ann', $off, 'sheet.pdf', 1), $draws, '... with them it is';
	$db->do('INSERT INTO pdf_page (artifact_id, input_sha256, page_no, due_at, looked_at) SELECT artifact_id, '
		. 'UNHEX(SHA2(seq, 256)), 1, UNIX_TIMESTAMP() + 9999, looked_at FROM pdf_page JOIN seq_1_to_30 '
		. 'WHERE artifact_id = ?', undef, $off);
	my $had = rows($off);
	like look('ann', $off, 'sheet.pdf', 2), $draws, 'beyond twenty that wait';
	is rows($off), $had, '... none is added';
	$db->do('UPDATE pdf_page SET due_at = NULL, looked_at = looked_at - 9 WHERE artifact_id = ?', undef, $off);
	$db->do('INSERT INTO pdf_page (artifact_id, input_sha256, page_no, looked_at) SELECT ?, UNHEX(SHA2(seq, 256)), 2, UNIX_TIMESTAMP() '
		. 'FROM seq_1_to_500', undef, $off);
	look('ann', $off, 'sheet.pdf', 2);
	is rows($off), 500, 'an artifact has five hundred; those that nobody looked at for longest go';
};

subtest 'a runner that is killed, and what is lost or goes' => sub {
	my $art = publish($ann, { 'sheet.pdf' => $three, 'a.pdf' => pages('9 9') });
	look('ann', $art, 'sheet.pdf', 1);
	my $row = sub { $db->selectrow_hashref('SELECT due_at, attempts, LOWER(HEX(sha256)) AS digest FROM pdf_page WHERE artifact_id = ? '
		. 'AND page_no = 1' . ($_[0] // ''), undef, $art) };
	my $killed = fork // die;
	if (!$killed) {
		open STDERR, '>', '/dev/null';
		exec "$stack->{build}/vitrine-runner", '-c', "$stack->{dir}/vitrine.yaml", '--once' or POSIX::_exit(127);
	}
	Vitrine::Stack::wait_for('a runner that has it', 60, sub { $row->()->{attempts} });
	$db->begin_work;
	$row->(' FOR UPDATE');
	my $waits = '';
	Vitrine::Stack::wait_for('the runner to store it', 60, sub { ($waits) = $db->selectrow_array(
		"SELECT id FROM information_schema.processlist WHERE info LIKE 'UPDATE pdf_page SET due_at%'") });
	kill KILL => $killed;
	waitpid $killed, 0;
	$db->do("KILL $waits");
	$db->rollback;
	is runner(), '', 'nobody else takes it meanwhile';
	due();
	is runner(), 'page', 'when the lease is over, another draws it';
	my $path = sub { "$stack->{dir}/data/objects/" . substr($_[0], 0, 2) . "/$_[0]" };
	my $bytes = $path->($row->()->{digest});
	unlink $bytes or die;
	like $stack->ctl('reproject'), qr/pictures are missing or damaged and will be made again/, 'a lost picture is missed';
	runner();
	ok -s $bytes, '... and made again';
	look('ann', $art, 'a.pdf', 1);
	runner();
	version($art, { 'sheet.pdf' => $three });
	is rows($art), 2;
	is as($ann, DELETE => "/v1/artifacts/$art/versions/1")->{status}, 200, 'a version is removed';
	is rows($art), 1, '... with the pages that it alone has';
	$db->do('UPDATE pdf_page SET looked_at = 1');
	look('ann', $art, 'sheet.pdf', 1);
	$db->do('DELETE FROM sweep');
	runner();
	is rows($art), 2, 'a page that was looked at stays, and the next is drawn; a month after the last look they go';
	$db->do('UPDATE pdf_page SET looked_at = 1');
	$db->do('DELETE FROM sweep');
	Time::HiRes::sleep(1.1);
	runner();
	$db->do('DELETE FROM sweep');
	runner();
	ok !-e $bytes, '... and their bytes';
	is $stack->ctl('fsck'), 'clean', 'nothing else is amiss';
};
finish($stack);
