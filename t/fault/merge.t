# SPDX-License-Identifier: Apache-2.0
# kill -9 of a worker at its N-th system call of a publish that is merged, of one that meets a conflict, of one that settles it, and of the
# removal of a version: nothing is half done, what was acknowledged is there, and others' files are.
use Vitrine::Crash;
use Vitrine::Words;

my $instants = $ENV{VITRINE_TORTURE} // 6;
my $stack = Vitrine::Crash->stack(publish_per_hour => 100000, publish_failures_per_hour => 100000);
my $api = Vitrine::Api->new($stack);
my $crash = Vitrine::Crash->new($stack, $api);
my $ann = $stack->user('ann@example.org');
my $art = $api->publish($ann, slug => 'merged', visibility => 'public', files => { 'index.html' => "1\n",
	map { ("$_.txt" => "$_\n") } 'a' .. 'c' });
my $db = $stack->db;

sub live { return $api->call(GET => "/v1/artifacts/$art", { token => $ann->{token} })->{json}{artifact}{version_no} }
sub publish {
	my (%fields) = @_;
	return $api->call(POST => '/v1/publish', { token => $ann->{token}, json => { artifact_id => $art, %fields } });
}
sub patch { my ($base, $path, $text) = @_; return publish(mode => 'patch', base_version => $base, files => [{ path => $path,
	content => $text }]) }
sub whole {
	my ($name) = @_;
	is $db->selectrow_array('SELECT COUNT(*) FROM version v WHERE v.file_count <> (SELECT COUNT(*) FROM version_file f'
		. ' WHERE f.artifact_id = v.artifact_id AND f.version_no = v.version_no)'), 0, "$name: each version has its files";
	is $db->selectrow_array('SELECT COUNT(*) FROM merge_candidate c'
		. ' WHERE 4 <> (SELECT COUNT(*) FROM merge_file f WHERE f.candidate_id = c.id)'),
		0, "$name: each candidate, too";
	my $out = $stack->ctl('fsck');
	is $out, 'clean', "$name: fsck is clean" or diag $out;
}

my $n = 0;
my %kinds = (
	merge => sub {
		my $base = live();
		patch($base, 'a.txt', 'others ' . ++$n)->{status} == 201 or die;
		return ($n, sub { patch($base, 'b.txt', "mine $n") },
			sub { my ($r) = @_; return $r->{status} != 201 || $api->get_site('merged', '/b.txt')->{body} eq "mine $n" });
	},
	conflict => sub {
		my $base = live();
		patch($base, 'a.txt', 'others ' . ++$n)->{status} == 201 or die;
		return ($n, sub { patch($base, 'a.txt', "mine $n") }, sub { 1 });
	},
	candidate => sub {
		my $base = live();
		patch($base, 'a.txt', 'others ' . ++$n)->{status} == 201 or die;
		my $id = patch($base, 'a.txt', "mine $n")->{json}{details}{candidate}{id};
		return ($n, sub { publish(candidate => $id, files => [{ path => 'a.txt', content => "others $n" }]) },
			sub {
				return shift->{status} != 201
					|| !$db->selectrow_array('SELECT 1 FROM merge_candidate WHERE id = ?', undef, $id);
			});
	},
);
$kinds{remove} = sub {
	my $base = live();
	my $no = patch($base, 'a.txt', 'others ' . ++$n)->{json}{version}{version_no};
	patch($no, 'b.txt', "b $n");
	return ($n, sub { $api->call(DELETE => "/v1/artifacts/$art/versions/$no", { token => $ann->{token} }) },
		sub { return shift->{status} != 200 || $api->get_site("merged--v$no", '/a.txt')->{status} != 200 });
};
for my $kind (`strace -V 2>/dev/null` ? sort keys %kinds : ()) {
	my (undef, $do) = $kinds{$kind}->();
	my ($r, $calls) = $crash->count($do);
	ok $calls > 30, "$kind: $calls system calls";
	for my $i (1 .. $instants) {
		my $at = 1 + int(($i - rand) * $calls / $instants);
		my ($no, $do, $right) = $kinds{$kind}->();
		$r = $crash->at($at, $do);
		ok $r->{status} =~ /^(?:20[01]|404|409|502|503|504|0)$/, "$kind, system call $at: the caller is told $r->{status}";
		$stack->runner;
		ok $right->($r), '... and what was acknowledged is so';
		is $api->get_site('merged', '/a.txt')->{body}, "others $no", "... others' file is there";
		whole("$kind, system call $at");
	}
}
finish($stack);
