# SPDX-License-Identifier: Apache-2.0
# Objects that are also kept in a store: what a reply promises is there, what is lost here comes back, and what nobody names goes.
use Digest::SHA 'sha256_hex';
use IO::Socket::UNIX;
use MIME::Base64;
use Time::HiRes;
use Vitrine::S3;
use Vitrine::Words qw(as said refused);

my $s3 = Vitrine::S3->new(Vitrine::Stack::test_tls());
my ($stack, $api, $db) = stack(grace_s => 1, trash_days => 0, scrub_days => 0, store_wait_s => 2, publish_per_hour => 100000, $s3->conf);
my $ann = $stack->user('ann@example.org');
my $data = "$stack->{dir}/data";

sub setting {
	my %more = @_;
	$stack->{conf} = { %{$stack->{conf}}, %more };
	$stack->write_conf;
	$stack->stop_one('worker');
	$stack->start_worker;
}
sub publish {
	my ($slug, %files) = @_;
	return as(ann => POST => '/v1/publish', { name => $slug, slug => $slug, visibility => 'public',
		files => [map { { path => $_, content => encode_base64($files{$_}, ''), encoding => 'base64' } } sort keys %files] });
}
sub object { my $hex = sha256_hex($_[0]); return 'objects/' . substr($hex, 0, 2) . "/$hex" }
sub puts { return grep { /^PUT/ } $s3->calls }
sub rows { return $db->selectrow_array("SELECT COUNT(*) FROM $_[0]") }
sub runner { my ($status, undef, $err) = $stack->runner; return ($status, $err) }
sub fsck { return ($stack->program('vitrinectl', {}, 'fsck', @_))[1] }
# The runner's rounds that take a day, again.
sub again { sleep 2; $db->do('DELETE FROM sweep'); return runner() }

# ---- the double

# Source: AWS, "Examples: Signature Calculations in AWS Signature Version 4".
my $empty = sha256_hex('');
for (['GET /test.txt', 'host;range;x-amz-content-sha256;x-amz-date', 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41'],
	['GET /?lifecycle=', 'host;x-amz-content-sha256;x-amz-date', 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'],
	['GET /?max-keys=2&prefix=J', 'host;x-amz-content-sha256;x-amz-date',
		'34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7']) {
	my ($line, $names, $want) = @$_;
	my ($method, $target) = split / /, $line;
	is Vitrine::S3::signature({ method => $method, target => $target, headers => { host => 'examplebucket.s3.amazonaws.com',
		range => 'bytes=0-9', 'x-amz-content-sha256' => $empty, 'x-amz-date' => '20130524T000000Z' } },
		'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', '20130524/us-east-1/s3/aws4_request', $names), $want,
		"the published signature of $line";
}

# ---- what a reply promises

my $r = publish('one', 'index.html' => '<h1>one</h1>', 'a.bin' => "\0\1\2" x 5000);
is $r->{status}, 201, 'a publish' or diag $r->{body};
my $art = $r->{json}{artifact}{id};
my $got = { map { $_ => 1 } $s3->keys_of };
ok $got->{object($_)}, 'the store has a file of it before the reply' for '<h1>one</h1>', "\0\1\2" x 5000;
is_deeply [grep { / 403/ } $s3->calls], [], '... and each signature was right';
is rows('object_stored'), scalar(keys %$got), '... each is recorded';
$s3->forget;
is publish('two', 'index.html' => '<h1>one</h1>', 'b.txt' => 'two')->{status}, 201, 'another, with a file that it has';
is_deeply [map { (split)[1] } puts()], ['pre/' . object('two')], '... sends the other one only';
my $blob = as(ann => PUT => "/v1/data/$art/blobs?filename=x.bin", body => 'blob' x 100, type => 'application/octet-stream');
like $blob->{status}, qr/^20/, 'a blob' or diag $blob->{body};
is_deeply [grep { $_ eq object('blob' x 100) } $s3->keys_of], [object('blob' x 100)], '... is there, too';
is $stack->ctl(qw(store check)), "PUT, HEAD, GET and DELETE work", 'vitrinectl store check';
like fsck('--store'), qr/^store: \d+ objects, 0 missing, 0 unrecorded\nclean$/m, 'fsck --store';
like +($stack->program('vitrinectl', {}, 'doctor'))[1], qr/^ok +the store takes, returns and deletes an object$/m, 'doctor';

# ---- a store that doesn't answer

my $had = rows('version');
for (['a status of 500' => 500], ['one of 503', 503], ['one of 403', 403], ['one of 404', 404], ['no answer' => 'cut'],
	['a redirect' => 'redirect'], ['one that takes too long' => ['slow', 6]]) {
	my ($name, $how) = @$_;
	$s3->fault(PUT => $how);
	$r = refused(publish('new', 'index.html' => "of $name"), '503 STORE_UNAVAILABLE', $name, qr/nothing was saved/);
	is $r->{headers}{'retry-after'}, 2, '... and when to come again';
}
is rows('version'), $had, 'nothing of it was recorded';
is $api->get_site('one', '/')->{status}, 200, 'what was published before is served';
$s3->fault(PUT => undef);
is publish('new', 'index.html' => 'of no answer')->{status}, 201, 'then it goes on';
my ($status, $why) = $stack->program('vitrinectl', {}, qw(store check));
is $status, 0, '... says check' or diag $why;
{
	# One that hangs, and four who wait for it: half of the workers, and no more.
	my @who = map { $stack->user("waits-$_\@example.org")->{token} } 1 .. 4;
	$s3->fault(PUT => ['slow', 4]);
	my @met = Vitrine::Api::together($stack, 5, sub {
		my ($own, $i) = @_;
		my $from = Time::HiRes::time;
		Time::HiRes::sleep(1) if $i == 4;
		my $r = $i == 4 ? $own->call(GET => '/v1/artifacts', { token => $who[0] }) : $own->call(POST => '/v1/publish',
			{ token => $who[$i], json => { name => 'W', files => [{ path => 'index.html', content => "of who waits $i" }] } });
		join ' ', $r->{status}, $r->{json}{code} // '', $r->{headers}{'retry-after'} // '',
			Time::HiRes::time - $from < 1.8 ? 'soon' : 'late';
	});
	is pop @met, '200   soon', 'who only reads is answered meanwhile';
	is join(', ', sort @met), join(', ', ('503 STORE_UNAVAILABLE 2 late') x 2, ('503 STORE_UNAVAILABLE 2 soon') x 2),
		'half of the workers wait for a store that hangs; others are told at once';
	my %slow = map { $_ => 1 } $stack->workers('slow');
	my @publishes = grep { m{"route":"/v1/publish"} } split /\n/, Vitrine::Stack::slurp("$stack->{dir}/worker.log");
	is_deeply [grep { !$slow{$_} } map { /"pid":(\d+)/ } @publishes], [], '... in the slow pool';
	$s3->fault(PUT => undef);
	# The requests that it still has are done before other tests count.
	Vitrine::Stack::wait_for('what hung', 60, sub { 2 <= grep { / 200$/ && /pre\/objects/ } ($s3->calls)[-2, -1] });
}
sub metric {
	my ($name) = @_;
	my $m = IO::Socket::UNIX->new("$stack->{run}/metrics.sock") // die;
	print $m "GET /metrics HTTP/1.0\r\n\r\n";
	my $n = 0;
	while (<$m>) { $n += $1 if /^vitrine_\Q$name\E(?:\{.*?\})? ([\d.e+-]+)$/ }
	return $n;
}
cmp_ok metric('store_requests_total'), '>=', 10, 'metrics have requests to the store';
cmp_ok metric('store_failures_total'), '>=', 7, '... failures';
cmp_ok metric('store_wait_seconds_total'), '>', 3, '... and how long it was waited for';
{
	Vitrine::Stack::spew("$s3->{dir}/key", "vitrine:1 another\n");
	refused(publish('new', 'index.html' => 'by another key'), '503 STORE_UNAVAILABLE', 'a wrong key');
	my ($status, $out) = $stack->program('vitrinectl', {}, qw(store check));
	is "$status $out", "1 PUT: status 403\n", '... and check says which step failed';
	Vitrine::Stack::spew("$s3->{dir}/key", "vitrine:1 aSecret/That+Nobody=Knows\n");
}

ok Vitrine::Stack::wait_for('what was slow', 60, sub { grep { $_ eq object('of one that takes too long') } $s3->keys_of }), 'it came later';
like $stack->ctl(qw(store heal)), qr/, 0 missing, 3 unrecorded, 3 mended$/, 'what was put without an answer is recorded';

# ---- a disk that lost objects

my $bytes = "\0\1\2" x 5000;
sub lose { unlink map { "$data/" . object($_) } @_ }
lose('blob' x 100);
my $url = "/v1/data/$art/blobs/$blob->{json}{data}{id}/content";
is as(ann => GET => $url)->{body}, 'blob' x 100, 'a blob that was lost here is fetched';
is -s "$data/" . object('blob' x 100), 400, '... and is here again';
for my $how ('wrong', 'short', 404, 500) {
	lose('blob' x 100);
	$s3->fault(GET => $how);
	$r = as(ann => GET => $url);
	like $r->{status}, qr/^5/, "$how: it isn't sent";
	unlike $r->{body}, qr/blob/, '... nor is a part of it';
	ok !-e "$data/" . object('blob' x 100), '... nor kept';
}
$s3->fault(GET => undef);
is rows('damage'), 1, 'other bytes are damage';
is as(ann => GET => $url)->{status}, 200, 'then it is whole';
Vitrine::Stack::run('rm', '-rf', map { "$data/$_" } qw(objects trees sites));
$stack->stop_one('worker');
$stack->start_worker;
is +($stack->program('vitrinectl', {}, 'reproject'))[0], 0, 'a disk that lost everything: reproject';
is $api->get_site('one', '/a.bin')->{body}, $bytes, '... brings the pages back';
is $api->get_site('two', '/b.txt')->{body}, 'two', '... all of them';
is as(ann => GET => $url)->{body}, 'blob' x 100, '... and the rest when it is asked for';
lose('blob' x 100);
is +($stack->program('vitrinectl', {}, qw(reproject --from store)))[0], 0, 'reproject --from store';
is fsck(), "clean\n", '... brings all at once';

# The scrub mends by the store, too.
Vitrine::Stack::run('chmod', 'u+w', "$data/" . object('blob' x 100));
Vitrine::Stack::spew("$data/" . object('blob' x 100), 'blub' x 100);
setting(scrub_days => 1);
is +(runner())[0], 0, 'a pass of the scrub';
is Vitrine::Stack::slurp("$data/" . object('blob' x 100)), 'blob' x 100, '... brings what was damaged';
setting(scrub_days => 0);

# ---- a store that lost objects

$s3->fault(PUT => 'lost');
is publish('three', 'index.html' => 'three')->{status}, 201, 'a store that forgets what it took';
$s3->fault(PUT => undef);
like fsck('--store'), qr/^\Q${\object('three')}\E isn't in the store; run vitrinectl store heal\n.*, 1 missing/ms, 'fsck --store says so';
like $stack->ctl(qw(store heal)), qr/^\d+ objects, 1 missing, 0 unrecorded, 1 mended$/, '... and heal puts it there';
unlink glob "$s3->{dir}/bucket/*";
like $stack->ctl(qw(store heal)), qr/^(\d+) objects, \1 missing, 0 unrecorded, \1 mended$/, 'an empty bucket is filled';
like fsck('--store'), qr/, 0 missing, 0 unrecorded\nclean$/, '... wholly';
Vitrine::Stack::spew($s3->file('pre/' . object('unknown')), 'unknown');
like $stack->ctl(qw(store heal)), qr/, 0 missing, 1 unrecorded, 1 mended$/, 'what a process that died had put is recorded';

# ---- what nobody names goes

$s3->forget;
is as(ann => DELETE => "/v1/artifacts/$art")->{status}, 200, 'an artifact is deleted';
for (1 .. 3) { ($status, $why) = again(); is $status, 0, 'the runner ran' or diag $why }
my %kept = map { $_ => 1 } $s3->keys_of;
ok !$kept{object($_)}, 'what only it had is deleted from the store' for $bytes, 'blob' x 100, 'unknown';
ok $kept{object('<h1>one</h1>')}, 'what another has is kept';
is_deeply [$db->selectrow_array('SELECT COUNT(*), MIN(state), MAX(state) FROM object_doomed')],
	[scalar(grep { /^DELETE/ } $s3->calls), 2, 2],
	'... each is remembered for a day';
is publish('four', 'index.html' => $bytes)->{status}, 201, 'the same bytes, published again';
ok +(grep { $_ eq object($bytes) } $s3->keys_of), '... are there again';
is rows('object_due'), 1, '... and will be put once more, if an older deletion wins over that';
runner();
cmp_ok metric('store_doomed'), '>=', 1, 'metrics have what goes';
is metric('store_due'), 0, '... and what is due, which this is not yet';
$db->do('UPDATE object_due SET due_at = 0');
$s3->forget;
runner();
is_deeply [map { (split)[1] } puts()], ['pre/' . object($bytes)], '... which is done';
is rows('object_due'), 0, '... once';
# While one is being deleted, nobody may say that it is there.
$db->do('UPDATE object_doomed SET state = 1 WHERE sha256 = UNHEX(?)', undef, sha256_hex('unknown'));
refused(publish('five', 'index.html' => 'unknown'), '503 STORE_UNAVAILABLE', 'what is being deleted now is waited for, and not for long');
runner();
is publish('five', 'index.html' => 'unknown')->{status}, 201, '... until it is gone';

# ---- after the reply

setting(store_mode => 'after');
$s3->fault(PUT => 503);
is publish('six', 'index.html' => 'six')->{status}, 201, 'store_mode after: a reply without the store';
isnt +(runner())[0], 0, 'the runner says that it failed';
sub due { return $db->selectrow_array('SELECT COUNT(*) FROM object_due WHERE due_at <= UNIX_TIMESTAMP()') }
is due(), 1, '... and goes on trying';
$s3->fault(PUT => undef);
is +(runner())[0], 0, '... until the store answers';
ok +(grep { $_ eq object('six') } $s3->keys_of), '... which has it then';
is due(), 0, '... and nothing is left to do';
like fsck('--store'), qr/, 0 missing, 0 unrecorded\nclean$/, 'all is whole';

# ---- a new version sends what has changed

setting(store_mode => 'before');
my %many = ('index.html' => 'many', map { ("d/$_.txt" => "file $_") } 1 .. 100);
$r = publish('many', %many);
is $r->{status}, 201, 'one of many files';
is scalar(grep { defined } @{{ map { $_ => 1 } $s3->keys_of }}{map { object($_) } values %many}), 101, '... which are all there';
$s3->forget;
$many{"d/$_.txt"} .= ' changed' for 1, 50, 100;
is as(ann => POST => '/v1/publish', { name => 'many', artifact_id => $r->{json}{artifact}{id},
	files => [map { { path => $_, content => $many{$_} } } sort keys %many] })->{status}, 201, 'a version in which three have changed';
is scalar(puts()), 3, '... is three PUTs';

# ---- settings

for (['http://s3.example.org/b' => qr/store_url: .* must be an https/], ['https://s3.example.org' => qr/with a bucket/],
	['https://a:b@s3.example.org/b' => qr/store_url/], ['https://s3.example.org/b/' => qr/without a trailing slash/]) {
	my ($url, $like) = @$_;
	local $stack->{conf} = { %{$stack->{conf}}, store_url => $url };
	$stack->write_conf;
	my ($status, undef, $err) = $stack->program('vitrinectl', {}, qw(store check));
	is $status, 78, "$url is refused";
	like $err, $like, '... and said why';
}
$stack->write_conf;
$stack->expect_internal;
finish($stack);
