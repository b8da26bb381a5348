# SPDX-License-Identifier: Apache-2.0
# objects_keep: what was opened least recently leaves this disk, if the store has it and no page needs it, and comes back when it is opened.
use Digest::SHA 'sha256_hex';
use Vitrine::S3;
use Vitrine::Words qw(as refused);

my $s3 = Vitrine::S3->new(Vitrine::Stack::test_tls());
my ($stack, $api, $db) = stack(grace_s => 0, trash_days => 0, scrub_days => 0, $s3->conf, objects_keep => 1 << 40);
my $ann = $stack->user('ann@example.org');
my $data = "$stack->{dir}/data";
my $art = $api->publish($ann, slug => 'one', visibility => 'public', files => { 'index.html' => 'x', 'a.txt' => 'page' x 50_000 });
sub object { my $hex = sha256_hex($_[0]); return 'objects/' . substr($hex, 0, 2) . "/$hex" }
sub here { return -e "$data/" . object($_[0]) }
sub round {
	my ($keep) = @_;
	$stack->{conf} = { %{$stack->{conf}}, objects_keep => $keep };
	$stack->write_conf;
	$db->do('DELETE FROM sweep');
	return $stack->runner;
}
# Blobs of 100 kB, the first of which was opened ten days ago, the next one nine, ….
my @bytes = map { "$_ blob" x 15_000 } 0 .. 8;
my @url = map {
	my $r = as(ann => PUT => "/v1/data/$art/blobs?filename=x.bin", body => $_, type => 'application/octet-stream');
	"/v1/data/$art/blobs/$r->{json}{data}{id}/content";
} @bytes;
sub opened {
	my ($n, $days) = @_;
	my $path = "$data/" . object($bytes[$n]);
	utime time - $days * 86400, (stat $path)[9], $path;
}
opened($_, 10 - $_) for 0 .. $#bytes;
sub there { return join ' ', grep { here($bytes[$_]) } 0 .. $#bytes }

is +(round(1 << 40))[0], 0, 'a round';
is there(), '0 1 2 3 4 5 6 7 8', 'what has room stays';
my $used = 0;
$used += (stat)[12] * 512 for glob "$data/objects/??/*";
# 1 isn't recorded, 2 is to be put again, and the store has lost 3.
$db->do('DELETE FROM object_stored WHERE sha256 = UNHEX(?)', undef, sha256_hex($bytes[1]));
$db->do('INSERT INTO object_due VALUES (UNHEX(?), ?)', undef, sha256_hex($bytes[2]), time + 86400);
unlink $s3->file('pre/' . object($bytes[3]));
my ($status, undef, $err) = round($used - 250_000);
is $status, 0, 'a round that has to make room' or diag $err;
is there(), '1 2 3 5 6 7 8', 'those that were opened least recently went, but none that the store may lack';
like $err, qr/recorded, but not in the store/, '... which is logged';
is $api->get_site('one', '/a.txt')->{body}, 'page' x 50_000, 'the page is served';
is as(ann => GET => $url[0])->{body}, $bytes[0], 'what went is fetched';
is there(), '0 1 2 3 5 6 7 8', '... and is here again';
is $stack->ctl('fsck'), 'clean', 'fsck knows that the others are in the store';
$db->do('DELETE FROM damage');
$stack->{conf}{scrub_days} = 1;
is +(round($used - 250_000))[0], 0, 'the scrub, too';
is $db->selectrow_array('SELECT COUNT(*) FROM damage'), 0, '... finds no damage';
$stack->{conf}{scrub_days} = 0;
ok here($bytes[0]), 'what was just opened stays';
like $stack->ctl('backup', "$stack->{dir}/backup"), qr/were backed up/, 'a backup has all';
ok -e "$stack->{dir}/backup/" . object($_), '... also what was only there' for @bytes;

# Nothing but what is needed.
unlink "$data/keep";
$db->do('DELETE FROM object_due');
like $stack->ctl(qw(store heal)), qr/1 missing, 1 unrecorded, 2 mended/, 'the store is made whole';
opened($_, 10) for 0 .. $#bytes;
is +(round(0))[0], 0, 'a round that keeps nothing';
is there(), '', '... leaves no blob';
is $api->get_site('one', '/a.txt')->{body}, 'page' x 50_000, '... and the page';
is $stack->ctl('fsck'), 'clean', 'all is whole';
$s3->fault(GET => 503);
refused(as(ann => GET => $url[4]), '503 STORE_UNAVAILABLE', 'without the store it says so');
$s3->fault(GET => undef);
is as(ann => GET => $url[$_])->{body}, $bytes[$_], "blob $_ comes back" for 0 .. $#bytes;

# A store that doesn't answer: nothing goes.
opened($_, 10) for 0 .. $#bytes;
$s3->fault(HEAD => 503);
isnt +(round(0))[0], 0, 'a round without the store fails';
is there(), '0 1 2 3 4 5 6 7 8', '... and removes nothing';
$s3->fault(HEAD => undef);

# Killed while it removes.
SKIP: {
	skip 'strace is not here', 1 if !`strace -V 2>/dev/null`;
	local $ENV{ASAN_OPTIONS} = "$ENV{ASAN_OPTIONS}:detect_leaks=0";
	for my $at (['pwrite64', 3], ['pwrite64', 300], ['unlinkat', 1], ['unlinkat', 4], ['flock', 20], ['openat2', 700]) {
		my ($call, $n) = @$at;
		$db->do('DELETE FROM sweep');
		system("strace -f -qq -o /dev/null -e inject=$call:signal=KILL:when=$n $stack->{build}/vitrine-runner"
			. " -c $stack->{dir}/vitrine.yaml --once >/dev/null 2>&1");
		is as(ann => GET => $url[$_])->{body}, $bytes[$_], "killed at $call $n: blob $_" for 0, 4, 8;
		opened($_, 10) for grep { here($bytes[$_]) } 0 .. $#bytes;
	}
	is +(round(0))[0], 0, 'then a round';
	is there(), '', '... goes on';
	is $stack->ctl('fsck'), 'clean', 'and all is whole';
}
for (['-1' => qr/objects_keep/], ['much' => qr/objects_keep: must be all, or/]) {
	my ($value, $like) = @$_;
	local $stack->{conf} = { %{$stack->{conf}}, objects_keep => $value };
	$stack->write_conf;
	my ($status, undef, $err) = $stack->program('vitrinectl', {}, qw(store check));
	is $status, 78, "objects_keep: $value is refused";
	like $err, $like, '... and said why';
}
$stack->write_conf;
$stack->expect_internal;
finish($stack);
