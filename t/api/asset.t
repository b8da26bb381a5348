# SPDX-License-Identifier: Apache-2.0
# The asset library, of a workspace and of a person: uploads without a credential, loose files, deliverables with their versions; who sees
# what; limits that hold whatever happens at the same time.
use utf8;
use Digest::SHA 'sha256_hex';
use Encode 'encode_utf8';
use POSIX ();
use Vitrine::Words qw(as said refused);

my ($most, $room, $files) = (2 << 20, 5 << 20, 12);
my ($stack, $api, $db) = stack(max_asset_bytes => $most, max_library_bytes => $room, max_library_files => $files, slow_workers => 8,
	data_per_minute => 100000, grace_s => 0);
$stack->user("$_\@example.org") for qw(ann ben cid dan);
my $ws = as('ann', POST => '/v1/workspaces', { name => 'Team' })->{json}{workspace}{id};
$stack->seat($ws, $stack->user("$_\@example.org"), 'member') for qw(ben dan);
my $team = "/v1/workspaces/$ws/assets";
my $base = "https://vitrine.localhost:$stack->{port}";

sub start { my ($who, $at, %in) = @_; return as($who, POST => "$at/upload", \%in) }
sub send_to {
	my ($url, $bytes, %o) = @_;
	return $api->call(PUT => $url =~ s/^\Q$base\E//r, { body => $bytes, type => 'application/octet-stream', %o });
}
sub put { my ($who, $at, $bytes, %in) = @_; return send_to(start($who, $at, %in)->{json}{uploadUrl}, $bytes) }
sub library { my ($who, $at, $query) = @_; return as($who, GET => $at . ($query ? "?$query" : ''))->{json} }
sub deliver {
	my ($who, $at, $bytes, %in) = @_;
	my $name = delete $in{filename};
	return as($who, POST => "$at/deliverables", { blobId => put($who, $at, $bytes, filename => $name // 'a.txt')->{json}{blobId}, %in })
}
sub counted { my ($at) = @_; my $l = library('ann', $at); return "$l->{fileCount} $l->{usedBytes}" }
sub summed {
	return join ' ',
		$db->selectrow_array('SELECT COUNT(*), COALESCE(SUM(size_bytes), 0) FROM asset_blob WHERE workspace_id = ?', undef, $ws);
}
sub names { my ($who, @rest) = @_; return join ' ', map { $_->{name} } @{library($who, @rest)->{deliverables}} }

# ---- the happy path, in both libraries

for ([$team, 'a workspace'], ['/v1/assets', 'one\'s own']) {
	my ($at, $whose) = @$_;
	my $r = start('ann', $at, filename => 'bericht.pdf', mimeType => 'text/html', size => 12, sha256 => sha256_hex('%PDF-1.7 one'));
	is $r->{status}, 201, "$whose: an upload" or diag $r->{body};
	like $r->{json}{uploadUrl}, qr{^\Q$base\E/v1/uploads/upt_[0-9A-Za-z]{49}$}, 'has an address';
	my ($url, $token) = @{$r->{json}}{qw(uploadUrl tokenId)};
	$r = send_to($url, '%PDF-1.7 one');
	is $r->{status}, 201, 'takes bytes from whoever has it' or diag $r->{body};
	my $blob = $r->{json}{blob};
	is_deeply [sort keys %$blob], [sort qw(id filename mimeType size sha256 url createdAt)], '... and tells what became of them';
	is "$blob->{filename} $blob->{mimeType} $blob->{size} $blob->{sha256}",
		'bericht.pdf application/pdf 12 ' . sha256_hex('%PDF-1.7 one'), '... of what type they are by themselves';
	is "$r->{json}{blobId} $r->{json}{tokenId}", "$blob->{id} $token";
	refused(send_to($url, 'more'), '409 CONFLICT', '... once', qr/start another upload/);
	refused(send_to($url, 'x' x $most), '409 CONFLICT', '... which is said of a large body, too, before it is read');
	is_deeply library('ann', $at)->{loose}, [$blob], 'it is loose';
	is as('ann', GET => $blob->{url} =~ s/^\Q$base\E//r)->{body}, '%PDF-1.7 one', '... with its bytes';
	$r = as('ann', POST => "$at/deliverables", { blobId => $token });
	is $r->{status}, 201, 'and becomes a deliverable, by its upload' or diag $r->{body};
	my $d = $r->{json}{deliverable};
	is_deeply [sort keys %$d], [sort qw(id name visibility folderId version blobId filename mimeType size sha256 url owner createdAt
		updatedAt)], 'exact keys';
	is "$d->{name} $d->{visibility} $d->{version} $d->{blobId} $d->{owner}{email}",
		"bericht.pdf private 1 $blob->{id} ann\@example.org";
	is $d->{folderId}, undef;
	is $d->{url}, "$base/v1/files/$d->{id}/content";
	my $l = library('ann', $at);
	is_deeply [sort keys %$l], [sort qw(success deliverables loose bucketId usedBytes limitBytes fileCount fileLimit next_cursor)],
		'a library\'s keys';
	is_deeply $l->{deliverables}, [$d];
	is_deeply $l->{loose}, [], 'loose no more';
	like $l->{bucketId}, qr/^bkt_[0-9a-z]{26}$/;
	is "$l->{usedBytes} $l->{limitBytes} $l->{fileCount} $l->{fileLimit}", "12 $room 1 $files";
	refused(as('ann', POST => "$at/deliverables", { blobId => $blob->{id} }), '404 NOT_FOUND', 'a file is in one deliverable only',
		qr/^blobId: /);
	my $two = put('ann', $at, 'version two', filename => 'zwei.txt')->{json}{blobId};
	$r = as('ann', POST => "$at/deliverables/$d->{id}/version", { blobId => $two });
	is "$r->{status} $r->{json}{deliverable}{version} $r->{json}{deliverable}{filename} $r->{json}{deliverable}{name}",
		'201 2 zwei.txt bericht.pdf', 'another version';
	my $v = as('ann', GET => "$at/deliverables/$d->{id}/versions")->{json}{versions};
	is_deeply [sort keys %{$v->[0]}], [sort qw(version blobId filename mimeType size sha256 createdAt createdBy)];
	is join(' ', map { "$_->{version}:$_->{blobId}:$_->{createdBy}{email}" } @$v),
		"2:$two:ann\@example.org 1:$blob->{id}:ann\@example.org", 'newest first';
	is join(' ', map { as('ann', GET => "$at/deliverables/$d->{id}/versions/$_/content")->{body} } 1, 2), '%PDF-1.7 one version two',
		'each has its bytes';
	refused(as('ann', GET => "$at/deliverables/$d->{id}/versions/3/content"), '404 NOT_FOUND',
		'... and one that is not there has none');
	$r = as('ann', GET => "/v1/files/$d->{id}/content");
	is "$r->{status} $r->{body}", '200 version two', 'its bytes are those of the latest';
	like $r->{headers}{'content-disposition'}, qr/^attachment; filename="?bericht\.pdf/, '... to be kept';
	is as('ann', PATCH => "$at/deliverables/$d->{id}", { name => "Bila\x{308}nz" })->{json}{deliverable}{name}, 'Bilänz',
		'renamed, composed';
	is said(as('ann', DELETE => "$at/deliverables/$d->{id}")), '200 ', 'deleted';
	is library('ann', $at)->{usedBytes}, 0, '... and nothing is counted any more';
	refused(as('ann', GET => "/v1/files/$d->{id}/content"), '404 NOT_FOUND', '... or there');
	my $loose = put('ann', $at, 'x')->{json};
	is $loose->{blob}{filename}, 'file', 'what has no name is called file';
	is said(as('ann', DELETE => "$at/blobs/$loose->{blobId}")), '200 ';
	is library('ann', $at)->{fileCount}, 0;
}

# ---- refusals

refused(start('ann', $team, filename => $_->[0]), '400 INVALID_REQUEST', "a file can't be called $_->[1]", qr/^filename: /) for ['a/b',
	'a path'], ["a\r\nX-Accel-Redirect: /", 'two lines'], ['..', 'a folder'], ["a\x{202e}b", 'backwards'], ['x' x 256, 'as much'];
refused(start('ann', $team, size => $most + 1), '413 FILE_TOO_LARGE', 'too large', qr/2(?:\.0)? MB/);
refused(start('ann', $team, sha256 => 'A' x 64), '400 INVALID_REQUEST', 'no digest', qr/^sha256: /);
my $open = start('ann', $team, size => 3, sha256 => sha256_hex('abc'))->{json};
refused(send_to($open->{uploadUrl}, 'abcd'), '400 INVALID_REQUEST', 'another size than announced',
	qr/^size: 3 bytes were announced and 4 sent/);
refused(send_to($open->{uploadUrl}, 'abd'), '400 INVALID_REQUEST', 'other bytes than announced', qr/^sha256: /);
refused(send_to($open->{uploadUrl}, 'abc', token => $stack->user('ben@example.org')->{token}), '404 NOT_FOUND', 'somebody else');
is send_to($open->{uploadUrl}, 'abc', token => $stack->user('ann@example.org')->{token})->{status}, 201,
	'... and is open still, to its maker with a token';
refused(send_to("$base/v1/uploads/upt_" . 'A' x 49, 'x'), '404 NOT_FOUND', 'no such upload');
my $too = start('ann', $team)->{json}{uploadUrl};
refused(send_to($too, 'x' x ($most + 1)), '413 FILE_TOO_LARGE', 'more than a file may have, before it is read');
is send_to($too, 'x' x $most)->{status}, 201, 'exactly as much';
my $gone = start('ann', $team)->{json}{uploadUrl} =~ s/^\Q$base\E//r;
is said($api->call(DELETE => $gone)), '200 ', 'given up';
refused(send_to($gone, 'x'), '404 NOT_FOUND', '... is over');
my $late = start('ann', $team)->{json};
$db->do('UPDATE asset_upload SET expires_at = 1 WHERE id = ?', undef, $late->{tokenId});
refused(send_to($late->{uploadUrl}, 'x'), '404 NOT_FOUND', 'expired');
$stack->runner;
is $db->selectrow_array('SELECT COUNT(*) FROM asset_upload WHERE id = ?', undef, $late->{tokenId}), 0, '... and swept';
start('ann', $team) for 1 .. 100;
refused(start('ann', $team), '409 LIMIT_REACHED', 'a hundred open uploads are the maximum', qr/100 uploads/);
$db->do('DELETE FROM asset_upload');
refused(as('ann', POST => '/v1/assets/deliverables', { blobId => put('ann', '/v1/assets', 'x')->{json}{blobId},
	visibility => 'workspace' }), '400 INVALID_REQUEST', 'one\'s own is nobody else\'s', qr/^visibility: /);
refused(as('ann', POST => "$team/deliverables", { blobId => put('ann', '/v1/assets', 'x')->{json}{blobId} }), '404 NOT_FOUND',
	'a file of one library is not in another');
as('ann', DELETE => "$team/blobs/$_->{id}") for @{library('ann', $team)->{loose}};

# ---- in pieces, by whoever was interrupted

my $mb = 1 << 20;
sub piece {
	my ($url, $at, $bytes, $total, %o) = @_;
	return send_to($url, $bytes,
		headers => { 'Content-Range' => 'bytes ' . ($o{range} // ($at . '-' . ($at + length($bytes) - 1))) . "/$total" });
}
sub state_of {
	my ($url) = @_;
	my $r = $api->call(GET => $url =~ s/^\Q$base\E//r)->{json};
	return join ' ', map { $r->{$_} // 'null' } qw(state received total);
}
my ($first, $rest) = ('a' x $mb, 'b' x ($mb - 10));
my $total = length "$first$rest";
my $begun = start('ann', $team, filename => 'film.mp4', sha256 => sha256_hex("$first$rest"))->{json};
is state_of($begun->{uploadUrl}), 'open 0 null', 'nothing is there';
my $r = piece($begun->{uploadUrl}, 0, $first, $total);
is "$r->{status} $r->{json}{received} " . join(',', sort keys %{$r->{json}}), "202 $mb received,success,tokenId", 'a piece'
	or diag $r->{body};
is state_of($begun->{uploadUrl}), "open $mb $total", '... is there';
is library('ann', $team)->{usedBytes}, 0, '... and counts as none before the last';
refused(piece($begun->{uploadUrl}, 0, $first, $total), '409 CONFLICT', 'the same again', qr/go on with the next/);
is_deeply piece($begun->{uploadUrl}, 2 * $mb, 'x', 2 * $mb + 1)->{json}{details}, { received => $mb, total => $total },
	'it says where to go on';
refused(send_to($begun->{uploadUrl}, 'x'), '409 CONFLICT', 'all of it at once now');
$r = piece($begun->{uploadUrl}, $mb, $rest, $total);
is "$r->{status} $r->{json}{blob}{size} $r->{json}{blob}{sha256}", "201 $total " . sha256_hex("$first$rest"), 'the last one'
	or diag $r->{body};
is as('ann', GET => $r->{json}{blob}{url} =~ s/^\Q$base\E//r)->{body}, "$first$rest", '... makes it whole';
is state_of($begun->{uploadUrl}), 'done 0 null';
is library('ann', $team)->{usedBytes}, $total;
as('ann', DELETE => "$team/blobs/$r->{json}{blobId}");
my $bad = start('ann', $team)->{json}{uploadUrl};
refused(piece($bad, 0, 'short', $total), '400 INVALID_REQUEST', 'a piece that is too small', qr/at least 1048576 bytes/);
refused(piece($bad, 0, 'short', $total, range => $_), '400 INVALID_REQUEST', "a range $_", qr/^Content-Range: /)
	for '0-9', '5-0', 'x-4', '-1-3', '*', '9223372036854775806-9223372036854775807';
refused(piece($bad, 0, $first, $most + 1), '413 FILE_TOO_LARGE', 'more than a file may have in all');
my @held = map { start('ann', $team)->{json}{uploadUrl} } 1 .. 3;
is join(' ', map { piece($_, 0, $first, $most)->{status} } @held), '202 202 413',
	'two of 2 MB have their room in a library of 5 MB, a third has not';
is $db->selectrow_array('SELECT reserved FROM asset_bucket WHERE id = ?', undef, library('ann', $team)->{bucketId}), 2 * $most,
	'... which is reserved';
is said($api->call(DELETE => $held[0] =~ s/^\Q$base\E//r)), '200 ', 'who gives one up';
is piece($held[2], 0, $first, $most)->{status}, 202, '... leaves its room';
is scalar(grep { /upl_/ } glob "$stack->{dir}/data/spool/*"), 2, '... on the disk, too';
# As if its worker had died after it took the file away, with the last piece.
my ($lost) = $db->selectrow_array('SELECT id FROM asset_upload WHERE total IS NOT NULL ORDER BY id LIMIT 1');
unlink "$stack->{dir}/data/spool/$lost" or die;
is piece($held[1], $mb, 'y' x $mb, $most)->{json}{details}{received}, 0, 'what was lost begins again';
is join(' ', map { piece($held[1], $_ * $mb, 'z' x $mb, $most)->{status} } 0, 1), '202 201', '... and ends';
$db->do('UPDATE asset_upload SET expires_at = 1');
$stack->runner;
is $db->selectrow_array('SELECT SUM(reserved) FROM asset_bucket'), 0, 'what expires leaves its room';
as('ann', DELETE => "$team/blobs/$_->{id}") for @{library('ann', $team)->{loose}};

# ---- who sees what

my $private = deliver('ann', $team, 'private', name => 'private.txt')->{json}{deliverable}{id};
my $shared = deliver('ben', $team, 'shared', name => 'shared.txt', visibility => 'workspace')->{json}{deliverable}{id};
is names('ann', $team), 'shared.txt private.txt', 'one\'s own, and what is shared';
is names('ben', $team), 'shared.txt', 'nothing of others, admins or not';
refused(as('cid', GET => $team), '404 NOT_FOUND', 'strangers know of no library');
refused(as('ben', GET => "/v1/files/$private/content"), '403 ACCESS_DENIED', 'a private file of somebody else');
refused(as('cid', GET => "/v1/files/$shared/content"), '403 ACCESS_DENIED', 'one of a workspace that they are not in');
refused(as(undef, GET => "/v1/files/$shared/content"), '401 UNAUTHENTICATED', 'nobody at all');
is as('dan', GET => "/v1/files/$shared/content")->{body}, 'shared', 'a member has it';
refused(as('ben', $_->[0] => "$team/deliverables/$private$_->[1]", $_->[2] // ()), '404 NOT_FOUND', "$_->[0]$_->[1] of what is hidden")
	for [PATCH => '', { name => 'x' }], [DELETE => ''], [GET => '/versions'], [POST => '/version', { blobId => 'blb_' . '0' x 26 }];
is as('dan', PATCH => "$team/deliverables/$shared", { name => 'everyone.txt' })->{json}{deliverable}{name}, 'everyone.txt',
	'every member changes what is shared';
refused(as('dan', PATCH => "$team/deliverables/$shared", { visibility => 'private' }), '403 ACCESS_DENIED',
	'... but its owner alone says who sees it');
my $foreign = put('ben', $team, 'of ben')->{json};
refused(as('dan', POST => "$team/deliverables", { blobId => $_ }), '404 NOT_FOUND', 'what somebody else has sent')
	for $foreign->{blobId}, $foreign->{tokenId};
refused(as('dan', GET => $foreign->{blob}{url} =~ s/^\Q$base\E//r), '404 NOT_FOUND', '... whose bytes are theirs, too');
my $agent = as('ann', POST => "/v1/workspaces/$ws/agent-tokens", { name => 'Bot', scopes => ['data:read'] })->{json}{token};
is as({ token => $agent }, GET => "/v1/files/$shared/content")->{body}, 'shared', 'an agent of the workspace reads what is shared';
refused(as({ token => $agent }, GET => "/v1/files/$private/content"), '403 ACCESS_DENIED', '... and nothing else');
refused(start({ token => $agent }, $team), '403 INSUFFICIENT_SCOPE', '... and sends nothing');
my $own = deliver('ann', '/v1/assets', 'own')->{json}{deliverable}{id};
refused(as({ token => $agent }, GET => "/v1/files/$own/content"), '403 ACCESS_DENIED', '... of somebody\'s own');

# ---- folders

my $folder = as('ann', POST => "/v1/workspaces/$ws/folders", { name => 'Out' })->{json}{folder}{id};
my $inner = as('ann', POST => "/v1/workspaces/$ws/folders", { name => 'In', parent_id => $folder })->{json}{folder}{id};
is as('ben', PATCH => "$team/deliverables/$shared", { folderId => $inner })->{json}{deliverable}{folderId}, $inner, 'into a folder';
is names('ann', $team, "folderId=$inner"), 'everyone.txt', '... where it is found';
is names('ann', $team, 'q=EVERY'), 'everyone.txt', 'and by a part of its name';
refused(as('ben', PATCH => "$team/deliverables/$shared", { folderId => 'fld_' . '0' x 26 }), '404 NOT_FOUND', 'no such folder',
	qr/^folderId: /);
is_deeply refused(as('ann', DELETE => "/v1/workspaces/$ws/folders/$inner"), '409 CONFLICT',
	'a folder with a file is not empty')->{json}{details}, { folders => 0, artifacts => 0, files => 1 };
as('ann', DELETE => "/v1/workspaces/$ws/folders/$inner?recursive=1");
is library('ben', $team)->{deliverables}[0]{folderId}, $folder, 'its files move up';
is as('ben', PATCH => "$team/deliverables/$shared", { name => 'still.txt' })->{json}{deliverable}{folderId}, $folder, 'absent is as it was';
like names('ann', $team, 'folderId=root'), qr/^private\.txt$/, 'in no folder';
refused(as('ann', GET => "$team?folderId=x"), '400 INVALID_REQUEST', 'what is no folder',
	qr/^folderId: must be the id of a folder or root/);
refused(as('ann', GET => "$team?folderId=fld_" . '0' x 26), '404 NOT_FOUND', '... or no folder of the workspace');
refused(as('ann', GET => "/v1/assets?folderId=$folder"), '400 INVALID_REQUEST', '... or a folder, of one\'s own library',
	qr/has no folders/);
is as('ben', PATCH => "$team/deliverables/$shared", { folderId => undef })->{json}{deliverable}{folderId}, undef, 'null is out of it';
is join(' | ', map { names('ann', $team, "kind=$_") } qw(document picture other)), 'still.txt private.txt |  | ', 'by kind';

# ---- pages

deliver('ann', $team, "page $_", name => "page-$_.txt") for 1 .. 3;
my $page = library('ann', $team, 'limit=2');
is join(' ', map { $_->{name} } @{$page->{deliverables}}), 'page-3.txt page-2.txt', 'two at a time';
is join(' ', map { $_->{name} } @{library('ann', $team, "limit=2&cursor=$page->{next_cursor}")->{deliverables}}), 'page-1.txt still.txt',
	'... and on';
is counted($team), summed(), 'what is counted is what there is';

# ---- limits that hold however many come at once

sub at_once {
	my ($n, $do) = @_;
	pipe my $from, my $to;
	my @pids;
	for my $i (1 .. $n) {
		if (my $pid = fork) { push @pids, $pid; next }
		my $own = Vitrine::Api->new($stack);
		syswrite $to, $do->($own, $i) . "\n";
		POSIX::_exit(0);
	}
	close $to;
	chomp(my @said = <$from>);
	waitpid $_, 0 for @pids;
	my %n;
	$n{$_}++ for @said;
	return join ', ', map { "$n{$_} x $_" } sort keys %n;
}
my @urls = map { start('ann', $team)->{json}{uploadUrl} =~ s/^\Q$base\E//r } 1 .. 10;
my ($used) = $db->selectrow_array('SELECT SUM(size_bytes) FROM asset_blob WHERE workspace_id = ?', undef, $ws);
is at_once(10, sub {
	my ($own, $i) = @_;
	return $own->call(PUT => $urls[$i - 1], { body => chr(64 + $i) x (1 << 20), type => 'application/octet-stream' })->{status};
}), '4 x 201, 6 x 413', 'ten of 1 MB at once into 5 MB less what is there: four';
is counted($team), summed(), '... and what is counted is what there is';
as('ann', DELETE => "$team/blobs/$_->{id}") for @{library('ann', $team)->{loose}};
my $one = start('ann', $team)->{json}{uploadUrl} =~ s/^\Q$base\E//r;
is at_once(6, sub {
	my ($own, $i) = @_;
	return $own->call(PUT => $one, { body => "by $i" . 'x' x 100_000, type => 'application/octet-stream' })->{status};
}), '1 x 201, 5 x 409', 'six to one address: one is taken';
is counted($team), summed(), '... and counted once';
my $blob = library('ann', $team)->{loose}[0]{id};
is at_once(4, sub {
	return $_[0]->call(POST => "$team/deliverables",
		{ token => $stack->{users}{'ann@example.org'}{token}, json => { blobId => $blob } })->{status};
}), '1 x 201, 3 x 404', 'one file, four deliverables at once: one is made';

# ---- the bytes

sub object { my $hex = sha256_hex($_[0]); return -e "$stack->{dir}/data/objects/" . substr($hex, 0, 2) . "/$hex" }
sub swept { $db->do("DELETE FROM sweep WHERE name = 'objects'"); $stack->runner }
my $twin = deliver('dan', $team, 'private', name => 'twin.txt')->{json}{deliverable}{id};
swept();
is as('ann', GET => "/v1/files/$private/content")->{body}, 'private', 'what a file of a library names is not swept';
as('dan', DELETE => "$team/deliverables/$twin");
swept();
ok object('private'), '... nor what another one still names';
ok !object('abc'), 'what nobody names any more is';

# ---- who leaves, and what goes

my $till = start('ben', $team)->{json}{uploadUrl};
as('ann', DELETE => "/v1/workspaces/$ws/members/$stack->{users}{'ben@example.org'}{id}");
refused(send_to($till, 'x'), '404 NOT_FOUND', 'an upload of who was removed');
is $db->selectrow_array('SELECT u.email FROM deliverable d JOIN user u ON u.id = d.owner_id WHERE d.id = ?', undef, $shared),
	'ann@example.org', 'what they had there is the owner\'s';
is library('ann', $team)->{loose}[0]{id}, $foreign->{blobId}, '... loose files, too';
as('ann', DELETE => "$team/deliverables/$shared");
is as('ann', GET => "/v1/workspaces/$ws/audit?limit=1")->{json}{audit}[0]{action}, 'deliverable.deleted', 'a deletion is written down';
my ($status, $out) = $stack->program('vitrinectl', {}, 'fsck');
is $status, 0, 'fsck' or diag $out;
$db->do("UPDATE asset_bucket SET bytes = bytes + 1");
($status, $out) = $stack->program('vitrinectl', {}, 'fsck');
like $out, qr/asset library bkt_\w+: \d+ bytes are counted/, '... finds a wrong count';
$stack->ctl(qw(user recount));
is counted($team), summed(), '... which is mended';
as('ann', DELETE => "/v1/workspaces/$ws");
refused(as('dan', GET => "/v1/files/$private/content"), '403 ACCESS_DENIED', 'a workspace in the trash shows nothing');
$db->do('UPDATE workspace SET deleted_at = 1 WHERE id = ?', undef, $ws);
$stack->runner;
is $db->selectrow_array('SELECT COUNT(*) FROM asset_blob WHERE workspace_id IS NOT NULL')
	+ $db->selectrow_array('SELECT COUNT(*) FROM deliverable WHERE workspace_id IS NOT NULL'), 0, 'purged, it leaves nothing';
finish($stack);
