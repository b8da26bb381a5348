# SPDX-License-Identifier: Apache-2.0
# The store and the counts of blobs, over time: bytes go when no row names them, and not before; what rots or is lost is found; what is
# counted is mended; an account that goes leaves its files behind without a name.
use Digest::SHA 'sha256_hex';
use Time::HiRes 'sleep';
use Vitrine::Words;

my ($stack, $api, $db) = stack(grace_s => 0, scrub_days => 3650);
my ($ann, $ben) = map { $stack->user("$_\@example.org") } qw(ann ben);
my $data = "$stack->{dir}/data";
my $art = $api->publish($ann, slug => 'site', visibility => 'public', files => { 'index.html' => 'shared bytes' });

sub put {
	my ($who, $bytes) = @_;
	my $r = $api->call(PUT => "/v1/data/$art/blobs?filename=a.txt", { token => $who->{token}, body => $bytes });
	is $r->{status}, 201, 'a blob' or diag $r->{body};
	return $r->{json}{data}{id};
}
sub remove { return $api->call(DELETE => "/v1/data/$art/blobs/$_[0]", { token => $ann->{token} })->{status} }
sub content { return $api->call(GET => "/v1/data/$art/blobs/$_[0]/content", { token => $ann->{token} }) }
sub object { my $hex = sha256_hex($_[0]); return "objects/" . substr($hex, 0, 2) . "/$hex" }
sub sweep {
	sleep 1.1;
	my ($status, undef, $err) = $stack->runner;
	is $status, 0, 'the runner ran' or diag $err;
	return [map { decode_json($_) } grep { /^\{/ } split /\n/, $err];
}
sub again { $db->do("UPDATE sweep SET started_at = 1 WHERE name = 'scrub'") }
sub fsck { chomp(my $said = ($stack->program('vitrinectl', {}, 'fsck'))[1]); return $said }
sub damage { return $db->selectcol_arrayref('SELECT subject FROM damage ORDER BY subject') }

subtest 'what is deleted' => sub {
	my ($one, $two) = map { put($ann, 'twice') } 1, 2;
	my $same = put($ann, 'shared bytes');
	remove($one);
	sweep();
	is content($two)->{body}, 'twice', 'leaves the bytes that another has too';
	remove($two);
	remove($same);
	sweep();
	ok !-e "$data/" . object('twice'), 'and takes them when none has them anymore';
	ok -e "$data/" . object('shared bytes'), 'but not those of a published file';
	is fsck(), 'clean', 'fsck is clean';
};

subtest 'bytes that rot' => sub {
	my $id = put($ann, 'sound bytes');
	my $path = object('sound bytes');
	my $time = (stat "$data/$path")[9];
	chmod 0640, "$data/$path";
	Vitrine::Stack::spew("$data/$path", 'wrong bytes');
	utime $time, $time, "$data/$path";
	again();
	my ($found) = grep { $_->{event} eq 'damaged' } @{sweep()};
	is "$found->{path} $found->{mended}", "$path no", 'the scrub finds them';
	is_deeply damage(), [$path], 'and remembers';
	like fsck(), qr/^object \w+ its bytes have a different digest; run vitrinectl reproject --from BACKUP$/m, 'fsck tells';
	unlink "$data/$path";
	again();
	sweep();
	is_deeply damage(), [$path], 'where they are lost, too';
	like fsck(), qr/^object \w+ is missing; run vitrinectl reproject/m, 'fsck tells';
	put($ann, 'sound bytes');
	sweep();
	is_deeply damage(), [], 'until they come again';
	is content($id)->{body}, 'sound bytes', 'then all is well';
	is fsck(), 'clean', 'fsck is clean';
};

subtest 'bytes that are lost before anybody looked' => sub {
	put($ann, 'lost bytes');
	unlink "$data/" . object('lost bytes') or die;
	again();
	sweep();
	is_deeply damage(), [object('lost bytes')], 'are missed by their row';
	put($ann, 'lost bytes');
	sweep();
	is_deeply damage(), [], 'until they come again';
};

subtest 'counts that are wrong' => sub {
	my $is = join ' ', $db->selectrow_array('SELECT blobs, bytes FROM blob_usage WHERE artifact_id = ?', undef, $art);
	for ('UPDATE blob_usage SET blobs = blobs + 1', 'UPDATE blob_usage SET bytes = bytes - 5', 'DELETE FROM blob_usage') {
		$db->do($_);
		is fsck(), "artifact $art: the count or size of its blobs is wrong; run vitrinectl reproject\nproblems: 1",
			"$_: fsck tells";
		like $stack->ctl('reproject'), qr/^artifact $art: count and size of its blobs: recounted$/m, 'reproject counts again';
		is join(' ', $db->selectrow_array('SELECT blobs, bytes FROM blob_usage WHERE artifact_id = ?', undef, $art)), $is,
			'and is right';
		is fsck(), 'clean', 'fsck is clean';
	}
	$db->do("INSERT INTO artifact_blob SELECT 'blb_00000000000000000000000000', 'art_00000000000000000000000000', filename, mime, "
		. "sha256, size_bytes, NULL, 0 FROM artifact_blob LIMIT 1");
	like fsck(), qr/^artifact art_0+: has blobs but does not exist; run vitrinectl reproject$/m, 'blobs of nobody are told';
	$db->do("DELETE FROM artifact_blob WHERE artifact_id LIKE 'art_000%'");
};

subtest 'an account that goes' => sub {
	$stack->collaborator($art, $ben, 'editor');
	my $id = put($ben, 'of ben');
	$stack->ctl(qw(user delete ben@example.org));
	is content($id)->{body}, 'of ben', 'leaves what it added to others';
	is $db->selectrow_array('SELECT COUNT(*) FROM artifact_blob WHERE created_by = ?', undef, $ben->{id}), 0, 'and not its name';
};

subtest 'a backup' => sub {
	my $id = put($ann, 'kept in a backup');
	$stack->ctl('backup', "$stack->{dir}/backup");
	ok -e "$stack->{dir}/backup/" . object('kept in a backup'), 'has them';
	unlink "$data/" . object('kept in a backup') or die;
	like $stack->ctl('reproject', '--from', "$stack->{dir}/backup"), qr/^1 objects were restored from/m, 'and gives back what was lost';
	is content($id)->{body}, 'kept in a backup', 'it is there';
	unlink "$data/" . object('kept in a backup') or die;
	my ($status, undef, $err) = $stack->program('vitrinectl', {}, 'backup', "$stack->{dir}/backup-2");
	is $status, 1, 'without its bytes there is no backup';
	like $err, qr/used by a row but missing/, '... and it is said';
};
finish($stack);
