# SPDX-License-Identifier: Apache-2.0
# A full disk: what was acknowledged is served, what was refused left nothing, reading goes on, and room made later is used without a
# restart. data_dir lies on a small file system in a mount namespace of this test's own.
use FindBin;
use File::Temp 'tempdir';
BEGIN { exec 'unshare', ($> == 0 ? '-m' : '-rm'), $^X, "-I$FindBin::Bin/../lib", $0 or die "unshare: $!" if !$ENV{VITRINE_OWN_MOUNTS}++ }
use Digest::SHA 'sha256_hex';
use MIME::Base64;
use Vitrine::Words qw(said);

my $disk = tempdir('vitrine-disk-XXXXXX', TMPDIR => 1, CLEANUP => 0);
system('mount', '-t', 'tmpfs', '-o', 'size=24m,mode=0755', 'vitrine', $disk) == 0 or die 'no file system of our own';
my $stack = Vitrine::Stack->new(publish_per_hour => 100000, grace_s => 0, trash_days => 0, data_dir => $disk);
$stack->expect_internal;
# Without root's rights the name space is one where groups can't be set.
$stack->expect_alert(qr/No space left on device|initgroups\(root, 0\) failed/);
my $api = Vitrine::Api->new($stack);
my $ann = $stack->user('ann@example.org');
open my $random, '<', '/dev/urandom' or die;

# A table whose workbook needs 700 KB twice.
my $home = $api->publish($ann, slug => 'home', visibility => 'private');
my $table = "/v1/data/$home/tables/t";
$api->call(PUT => $table, { token => $ann->{token}, json => { columns => [{ name => 'a', type => 'text' }] } });
$api->call(POST => "$table/rows", { token => $ann->{token}, json => { rows => [({ a => 'x' x 600 }) x 1000] } });
sub workbook { return $api->call(GET => "$table/export?format=xlsx", { token => $ann->{token} }) }
is workbook()->{status}, 200, 'a workbook fits';

my (%acked, @refused);
for my $i (1 .. 200) {
	read $random, my $bytes, 300000;
	my $r = $api->call(POST => '/v1/publish',
		{ token => $ann->{token}, json => { name => 'D', slug => "site-$i", visibility => 'public',
			files => [{ path => 'index.html', content => 'x' },
				{ path => 'a.bin', content => encode_base64($bytes, ''), encoding => 'base64' }] } });
	if ($r->{status} == 201) { $acked{"site-$i"} = [$r->{json}{artifact}{id}, sha256_hex($bytes)] }
	else { push @refused, "$r->{status} " . ($r->{json}{code} // '') }
	last if @refused == 12;
}
ok keys %acked > 10, scalar(keys %acked) . ' publishes fitted';
is_deeply [grep { $_ ne '507 INSUFFICIENT_STORAGE' } @refused], [], "refused as a full disk: @refused";

sub whole {
	my ($name) = @_;
	my @bad = grep { sha256_hex($api->get_site($_, '/a.bin')->{body}) ne $acked{$_}[1] } sort keys %acked;
	is "@bad", '', "$name: everything acknowledged is served";
	is $stack->db->selectrow_array("SELECT COUNT(*) FROM artifact WHERE deleted_at IS NULL AND slug != 'home'"), scalar keys %acked,
		"$name: and nothing else is there";
}
whole('full');
is $api->call(GET => '/v1/artifacts', { token => $ann->{token} })->{status}, 200, 'reading goes on';

# The last bytes taken, a publish of one small file finds no room either.
open my $ballast, '>', "$disk/ballast" or die;
1 while syswrite $ballast, 'x' x 4096;
my $r = $api->call(POST => '/v1/publish',
	{ token => $ann->{token}, json => { name => 'D', slug => 'small', files => [{ path => 'index.html', content => 'small' }] } });
is $r->{status}, 507, 'a small publish';
$r = $api->call(POST => '/v1/publish', { token => $ann->{token},
	json => { name => 'D', slug => 'text', files => [map { { path => $_, content => "a,b\n1,2\n" } } 'note.md', 'rows.csv'] } });
is said($r), '507 INSUFFICIENT_STORAGE', '... and files that would get views';
whole('the last bytes taken');
is $api->call(GET => '/readyz')->{status}, 507, 'is not ready for requests, and says why';
# nginx can't even keep a large body. A small one needs no room.
for my $path ('/v1/comments', '/v1/publish', '/v1/auth/device/start', '/oauth/token') {
	my $type = $path =~ /oauth/ ? 'application/x-www-form-urlencoded' : 'application/json';
	my ($large, $small) = $path =~ /oauth/ ? ('a=' . 'b' x 10_000, 'a=b') : ('{}' . ' ' x 10_000, '{}');
	$r = $api->call(POST => $path, { token => $ann->{token}, body => $large, type => $type });
	is $r->{status}, 507, "a large body to $path finds none";
	like $r->{body}, $path =~ /^\/v1/ ? qr/no space left.*"code":"INSUFFICIENT_STORAGE"/ : qr/no space left/, '... and is told so';
	isnt $api->call(POST => $path, { token => $ann->{token}, body => $small, type => $type })->{status}, 507, '... a small one is read';
}
is $api->call(GET => '/v1/artifacts', { token => $ann->{token} })->{status}, 200, 'reading goes on';
is said(workbook()), '507 INSUFFICIENT_STORAGE', 'a workbook does not fit';
is $api->call(GET => "$table/export", { token => $ann->{token} })->{status}, 200, '... CSV needs no room';
close $ballast;
unlink "$disk/ballast";
is $api->call(GET => '/readyz')->{status}, 200, 'with room it is ready';

# Room is made: the trash is emptied, and it works again.
for my $slug ((sort keys %acked)[0 .. 5]) {
	my $id = delete($acked{$slug})->[0];
	is $api->call(DELETE => "/v1/artifacts/$id?purge=1", { token => $ann->{token} })->{status}, 200, "$slug is purged";
}
sleep 1;
is +($stack->runner)[0], 0, 'the runner sweeps';
is $stack->ctl('fsck'), 'clean', 'fsck is clean';
my $id = $api->publish($ann, slug => 'again', visibility => 'public', files => { 'index.html' => 'there is room' });
is $api->get_site('again', '/')->{body}, 'there is room', 'without a restart';
$id = $api->publish($ann, slug => 'text', visibility => 'public', files => { 'note.md' => '# There is room' });
like $api->get_site('text', '/')->{body}, qr/There is room/, '... for a view, too';
$acked{text} = [$id, sha256_hex($api->get_site('text', '/a.bin')->{body})];
$acked{again} = [$id, sha256_hex($api->get_site('again', '/a.bin')->{body})];
whole('after');
is workbook()->{status}, 200, 'and a workbook fits again';
open $ballast, '>', "$disk/ballast" or die;
1 while syswrite $ballast, 'x' x 4096;
truncate $ballast, (-s $ballast) - (1 << 20) or die;
is said(workbook()), '507 INSUFFICIENT_STORAGE', "rows that fit once, not twice, are refused, though the library doesn't notice";
close $ballast;
is_deeply [glob "$disk/tmp/?/*"], [], 'no temporary is left';
$stack->finish;
system 'umount', '-l', $disk;
rmdir $disk;
done_testing;
