# SPDX-License-Identifier: Apache-2.0
# kill -9 of a worker at its N-th system call of an upload: what was acknowledged is there to the byte, no row is without its bytes, what is
# counted is what there is, and what no row names is swept. And uploads that never come to their end hold no worker. ./dev torture N tries N
# instants.
use Digest::SHA 'sha256_hex';
use Time::HiRes 'sleep';
use Vitrine::Crash;
use Vitrine::Slow;
use Vitrine::Words;

my $instants = $ENV{VITRINE_TORTURE} // 12;
my $stack = Vitrine::Crash->stack;
my $api = Vitrine::Api->new($stack);
my $crash = Vitrine::Crash->new($stack, $api);
my $db = $stack->db;
my $ann = $stack->user('ann@example.org');
my $art = $api->publish($ann, slug => 'torture', visibility => 'public');
my $data = "$stack->{dir}/data";
my %acked; # id => digest

sub bytes { my ($what) = @_; return "$what " x 3000 }
my %upload = (
	PUT => sub { $api->call(PUT => "/v1/data/$art/blobs?filename=a.txt", { token => $ann->{token}, body => bytes($_[0]) }) },
	POST => sub { $api->call(POST => "/v1/data/$art/blobs", { token => $ann->{token}, type => 'multipart/form-data; boundary=B',
		body => "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n" . bytes($_[0])
			. "\r\n--B--\r\n" }) },
);

sub whole {
	my ($name) = @_;
	my @lost = grep {
		my $r = $api->call(GET => "/v1/data/$art/blobs/$_/content", { token => $ann->{token} });
		$r->{status} != 200 || sha256_hex($r->{body}) ne $acked{$_};
	} keys %acked;
	is "@lost", '', "$name: nothing acknowledged is lost";
	is join(' ', map { $_ // 0 } $db->selectrow_array('SELECT blobs, bytes FROM blob_usage WHERE artifact_id = ?', undef, $art)),
		join(' ', $db->selectrow_array('SELECT COUNT(*), SUM(size_bytes) FROM artifact_blob WHERE artifact_id = ?', undef, $art)),
		"$name: what is counted is what there is";
	is $stack->ctl('fsck'), 'clean', "$name: no row is without its bytes";
}

SKIP: {
	skip 'strace is not here', 1 if !`strace -V 2>/dev/null`;
	my $killed = 0;
	for my $method (sort keys %upload) {
		my ($r, $calls) = $crash->count(sub { $upload{$method}->("$method count") });
		is $r->{status}, 201, "$method under strace" or diag $r->{body};
		$acked{$r->{json}{data}{id}} = sha256_hex(bytes("$method count"));
		ok $calls > 20, "$method has $calls system calls";
		ok scalar(grep { /^linkat$/ } @{$crash->{calls}}), 'PUT links what nginx has written' if $method eq 'PUT';
		is scalar(grep { /^copy_file_range$/ } @{$crash->{calls}}), $method eq 'POST' ? 1 : 0,
			"$method: copied " . ($method eq 'POST' ? 'once, by the kernel' : 'never');
		my $each = int($instants / 2) || 1;
		for my $i (1 .. $each) {
			my $n = 1 + int(($i - rand) * $calls / $each);
			$r = $crash->at($n, sub { $upload{$method}->("$method $n") });
			$acked{$r->{json}{data}{id}} = sha256_hex(bytes("$method $n")) if $r->{status} == 201;
			$killed++ if $r->{status} != 201;
			ok $r->{status} =~ /^(?:201|502|503|504|0)$/, "$method, system call $n: the caller is told $r->{status}";
			whole("$method, system call $n");
		}
	}
	ok $killed > 0, "$killed were killed before they could answer";
	my %named = map { lc $_ => 1 }
		@{$db->selectcol_arrayref('SELECT HEX(sha256) FROM artifact_blob UNION SELECT HEX(sha256) FROM version_file')};
	sleep 1.1;
	$stack->runner for 1 .. 2;
	is join(' ', grep { !$named{$_} } map { m{/([0-9a-f]{64})$} } glob "$data/objects/*/*"), '', 'what no row names is swept';
	is join(' ', glob("$data/tmp/?/*"), grep { -f } glob("$data/spool/*")), '', 'temporaries and bodies too';
	whole('after the runner');
}

# ---- uploads that take for ever

subtest 'slow uploads hold no worker' => sub {
	my $slow = Vitrine::Slow->new;
	my @open = map {
		my $c = Vitrine::Api->new($stack)->connection('vitrine.localhost');
		my $half = 'x' x 700_000;
		syswrite $c, "PUT /v1/data/$art/blobs?filename=slow.bin HTTP/1.1\r\nHost: vitrine.localhost\r\n"
			. "Authorization: Bearer $ann->{token}\r\nContent-Length: 1400000\r\n\r\n$half";
		$c;
	} 1 .. 4;
	Vitrine::Stack::wait_for('four bodies in the spool', 60, sub { 4 == grep { -f && -s } glob "$data/spool/*" });
	ok Vitrine::Stack::wait_for('idle workers', 60, sub { !$slow->busy($stack) }),
		'four are under way, and no worker of either pool is at anything';
	is $upload{PUT}->('beside')->{status}, 201, 'another upload is taken meanwhile, by the only worker there is';
	is $api->call(GET => "/v1/data/$art/blobs", { token => $ann->{token} })->{status}, 200, 'and the list is told';
	close $_ for @open;
	Vitrine::Stack::wait_for('an empty spool', 60, sub { !grep { -f } glob "$data/spool/*" });
	is $db->selectrow_array("SELECT COUNT(*) FROM artifact_blob WHERE filename = 'slow.bin'"), 0, 'what was broken off is nothing';
};
finish($stack);
