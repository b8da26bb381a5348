# SPDX-License-Identifier: Apache-2.0
# A version as a .zip, made while it is sent: the same bytes each time, nothing kept on the disk, limited, and never a part that looks like
# the whole.
use Digest::SHA 'sha1_hex';
use MIME::Base64;
use Time::HiRes 'sleep';
use Vitrine::Words;

my ($stack, $api) = stack(exports_per_hour => 4, workers => 2);
my ($ann, $ben) = map { $stack->user("$_\@example.org") } qw(ann ben);
my $noise = do { open my $f, '<', '/dev/urandom'; read $f, my $bytes, 25 << 20; $bytes };
my @files = map { { path => "$_.bin", encoding => 'base64', content => encode_base64($noise, '') } } 'a';
my $art = $api->publish($ann, slug => 'zipped', visibility => 'public',
	files => { 'index.html' => "<p>\x{43f}</p>", 'dir/b.txt' => 'bb', 'empty' => '' });
my $large = $api->call(POST => '/v1/publish',
	{ token => $ann->{token}, json => { name => 'L', slug => 'large', visibility => 'public', entrypoint => 'index.html',
		files => [{ path => 'index.html', content => 'x' }, @files,
			{ path => 'last.txt', content => 'the last' }] } })->{json}{artifact}{id};
sub export { my ($id, %o) = @_; return $api->call($o{method} // 'GET', "/v1/artifacts/$id/versions/1/export", { %o }) }
sub unzipped {
	my ($r) = @_;
	Vitrine::Stack::spew("$stack->{dir}/got.zip", $r->{body});
	my $good = system("unzip -tq $stack->{dir}/got.zip >$stack->{dir}/unzip.log 2>&1") == 0;
	return $good ? { map { chomp; $_ => scalar qx(unzip -p $stack->{dir}/got.zip $_) } qx(unzip -Z1 $stack->{dir}/got.zip) } : undef;
}

my $r = export($art, token => $ann->{token});
is $r->{status}, 200, 'an export';
is $r->{headers}{'content-length'}, undef, 'whose length nobody knows before';
like $r->{headers}{'content-disposition'}, qr/zipped-v1\.zip$/, 'a file to keep';
is $r->{headers}{'x-ratelimit-remaining'}, 3, 'one of those of the hour';
is_deeply unzipped($r), { 'index.html' => "<p>\xd0\xbf</p>", 'dir/b.txt' => 'bb', 'empty' => '' }, 'holds the files';
is export($art, token => $ann->{token})->{body}, $r->{body}, 'the same bytes again';
my $head = export($art, token => $ann->{token}, method => 'HEAD');
is "$head->{status} $head->{headers}{'content-type'} " . length $head->{body}, '200 application/zip 0', 'HEAD';
is export($art, token => $ann->{token})->{status}, 200, 'the fourth';
is export($art, token => $ann->{token})->{json}{code}, 'RATE_LIMITED', 'a fifth within the hour is too many';
is export($art, token => $ben->{token})->{status}, 200, "another person's are others";
is export($art)->{status}, 200, "as are those of nobody's address";
is $api->call(GET => "/v1/artifacts/$art/versions/9/export")->{status}, 404, 'no such version';
is export($art)->{headers}{'x-ratelimit-remaining'}, 2, '... which is not one of them';
is $api->get_site('zipped--v1', '/dir/b.txt')->{body}, 'bb', "the version's own address is another thing";

# ---- a client that goes away, and one that does not read

sub log_lines { return grep { m{/export"} } split /\n/, Vitrine::Stack::slurp("$stack->{dir}/worker.log") }
sub open_export {
	my ($own, $id, $token) = @_;
	my $c = $own->connection('vitrine.localhost');
	syswrite $c, "GET /v1/artifacts/$id/versions/1/export HTTP/1.1\r\nHost: vitrine.localhost\r\nAuthorization: Bearer $token\r\n\r\n";
	sysread $c, my $begin, 100;
	return ($c, $begin);
}
my $before = log_lines();
my ($c, $begin) = open_export($api, $large, $ben->{token});
like $begin, qr{^HTTP/1.1 200}, 'a large one begins';
sleep 0.5;
is scalar(log_lines()), $before, '... and waits for who does not read';
is_deeply [glob "$stack->{dir}/data/tmp/?/* $stack->{run}/nginx-fastcgi/*"], [], '... with no file of it anywhere';
my @kb = sort { $a <=> $b } map { Vitrine::Stack::slurp("/proc/$_/status") =~ /RssAnon:\s+(\d+)/ } children();
cmp_ok $kb[-1] - $kb[0], '<', 120_000, '... nor memory';
# Half of the two workers may send, and a quarter, which is one of them too, for one person.
for ([$stack->user('cat@example.org'), '503 UNAVAILABLE'], [$ben, '429 RATE_LIMITED']) {
	$r = export($large, token => $_->[0]{token});
	is "$r->{status} $r->{json}{code}", $_->[1], "a second beside it is put off: $_->[1]";
	ok $r->{headers}{'retry-after'}, '... until later';
}
$c->close(SSL_no_shutdown => 1);
for (1 .. 1200) { last if log_lines() > $before + 2; sleep 0.05 }
like +(log_lines())[-1], qr/"level":"info".*"cut":"by the client"/, 'the work ends when the client goes';
is export($large, token => $ben->{token}, method => 'HEAD')->{status}, 200, 'and the worker is free';
sub children { return $stack->workers }

# ---- a reload in the middle

my $whole = export($large, token => $ben->{token});
is unzipped($whole)->{'last.txt'}, 'the last', 'a large one, whole' or diag $whole->{status};
$stack->db;
my $zoe = $stack->user('zoe@example.org');
my $waiting = $api->connection('vitrine.localhost');
syswrite $waiting,
	"GET /v1/artifacts/$large/versions/1/export HTTP/1.1\r\nHost: vitrine.localhost\r\nAuthorization: Bearer $zoe->{token}\r\n\r\n";
sleep 0.5;
my %old = map { $_ => 1 } children();
kill 'HUP', $stack->{pids}{worker};
for (1 .. 1200) { last if 3 <= grep { !$old{$_} } children(); sleep 0.05 }
is scalar(grep { $old{$_} } children()), 1, 'after a reload the worker that sends is the only one of before';
ok $api->read_reply($waiting, 'GET')->{body} eq $whole->{body}, '... and sends all';
$waiting->close(SSL_no_shutdown => 1);

# ---- a failure in the middle

my $sha = $stack->db->selectrow_array("SELECT LOWER(HEX(sha256)) FROM version_file WHERE artifact_id = ? AND path = 'last.txt'",
	undef, $large);
unlink sprintf '%s/data/objects/%s/%s', $stack->{dir}, substr($sha, 0, 2), $sha or die;
$stack->expect_internal;
$stack->expect_alert(qr/prematurely closed/);
my $eve = $stack->user('eve@example.org');
sub curl {
	my ($version) = @_;
	my $status = system("curl -s $version --cacert $stack->{tls}/ca.pem --resolve vitrine.localhost:$stack->{port}:127.0.0.1 -H "
		. "'Authorization: Bearer $eve->{token}' -o $stack->{dir}/part.zip "
		. "https://vitrine.localhost:$stack->{port}/v1/artifacts/$large/versions/1/export");
	return $status >> 8;
}
is curl('--http1.1'), 18, 'an object that is gone: the transfer is broken, and a client told of it';
ok -s "$stack->{dir}/part.zip" > 20 << 20, '... in its middle';
isnt system("unzip -tq $stack->{dir}/part.zip >/dev/null 2>&1"), 0, '... and what came is no archive';
is curl('--http2'), 92, 'by HTTP/2 too';
like +(log_lines())[-1], qr/"level":"error".*"cut":"by a failure","why":".*object .* can't be opened/, 'the log says why';

# A worker that dies is no end either.
my $pid = open(my $from, '-|') // die;
if (!$pid) { print curl('--http1.1 --limit-rate 4M'); close STDOUT; POSIX::_exit(0) }
for (1 .. 1200) { last if (-s "$stack->{dir}/part.zip" // 0) > 0; sleep 0.05 }
kill 'KILL', children();
is do { local $/; <$from> }, 18, 'nor is what a killed worker sent taken for the whole';
finish($stack);
