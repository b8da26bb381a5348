# SPDX-License-Identifier: Apache-2.0
# A new place of the continuous backup also gets what objects_keep has removed from data_dir, from the store, without bringing it back.
use Digest::SHA 'sha256_hex';
use Time::HiRes 'sleep';
use Vitrine::S3;
use Vitrine::Words qw(as);

my $s3 = Vitrine::S3->new(Vitrine::Stack::test_tls());
my ($stack, $api, $db) = stack(archive => 1, grace_s => 0, scrub_days => 0, $s3->conf, objects_keep => 0);
my $ann = $stack->user('ann@example.org');
my $art = $api->publish($ann, slug => 'one', visibility => 'public', files => { 'index.html' => 'page' });
my @blobs = map { "$_ blob" x 15_000 } 0 .. 2;
as(ann => PUT => "/v1/data/$art/blobs?filename=x.bin", body => $_, type => 'application/octet-stream') for @blobs;
sub object { my $hex = sha256_hex($_[0]); return 'objects/' . substr($hex, 0, 2) . "/$hex" }
sub in { my ($dir) = @_; return scalar grep { -e "$dir/" . object($_) } @blobs }
sub copied { my ($status, $out, $err) = $stack->program('vitrinectl', {}, 'backup', '--log'); return "$status $out$err" }
my $data = "$stack->{dir}/data";

like copied(), qr/^0 .*begins anew/s, 'the backup begins';
is in("$stack->{dir}/archived"), 3, '... with all blobs';
# A base after which nothing is written at once: its log goes on.
sub change { as(ann => PUT => "/v1/data/$art/json", { n => $_[0] })->{status} =~ /^20/ or die }
sub log_is { return ($stack->program('vitrinectl', {}, qw(backup status)))[1] =~ /^(\S+ +log .*)/m ? $1 : '' }
change(1);
copied();
$stack->ctl('backup', '--base');
change(2);
copied();
like log_is(), qr/^ok +log +complete up to /, 'the log after a base that was made while nobody wrote has no hole';
# As if a base and a proof had just been begun.
Vitrine::Stack::spew("$data/archive/$_", '') for qw(base prove);
# They were opened long ago. What is younger than the copy may not go.
utime time - 10 * 86400, (stat "$data/$_")[9], "$data/$_" for map { object($_) } @blobs;
Vitrine::Stack::wait_for('the round', 60, sub { sleep 1; copied(); $db->do('DELETE FROM sweep'); $stack->runner; !in($data) });

mkdir "$stack->{dir}/other" or die;
$stack->{conf}{backup_url} = "file://$stack->{dir}/other";
$stack->write_conf;
$s3->fault(GET => 503);
like copied(), qr/^0 .*begins anew.*not backed up: what only the store has/s,
	'the log of a new place begins without the store, too';
is in("$stack->{dir}/other"), 0, '... which is what its blobs need';
$s3->fault(GET => undef);
unlink $s3->file('pre/' . object($blobs[2]));
like copied(), qr/^0 .*not backed up: lost/s, 'what the store has lost is named';
is in("$stack->{dir}/other"), 2, 'the next copy has the others';
is in($data), 0, '... none of which is here again';
$stack->expect_internal;
finish($stack);
