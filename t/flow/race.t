# SPDX-License-Identifier: Apache-2.0
# Many at once: one slug has one owner, the hourly limit is exact, a reader never sees half of a publish.
use Digest::SHA 'sha256_hex';
use Fcntl ':flock';
use Vitrine::Words;

my $stack = Vitrine::Stack->new(workers => 6, publish_per_hour => 60);
my @who = map { $stack->user("u$_\@example.org") } 1 .. 20;

sub together { return Vitrine::Api::together($stack, @_) }

sub publish {
	my ($api, $who, %fields) = @_;
	my $r;
	# Half of the workers answer one person at a time; the others are put off.
	for (1 .. 500) {
		$r = $api->call(POST => '/v1/publish', { token => $who->{token},
			json => { name => 'S', visibility => 'public', files => [{ path => 'index.html', content => 'x' }], %fields } });
		last if ($r->{json}{error} // '') !~ /running at once/;
		select undef, undef, undef, 0.1;
	}
	return "$r->{status} " . ($r->{json}{code} // '');
}
sub count { my %n; $n{$_}++ for @_; return \%n }

is_deeply count(together(100, sub { my ($api, $i) = @_; publish($api, $who[$i % 20], slug => 'wanted', expected_version => 0) })),
	{ '201 ' => 1, '409 SLUG_TAKEN' => 95, '409 VERSION_CONFLICT' => 4 }, 'of 100 publishes of one new slug by 20 users one is let in';
is_deeply $stack->db->selectall_arrayref('SELECT COUNT(*), (SELECT COUNT(*) FROM slug), (SELECT COUNT(*) FROM version) FROM artifact'),
	[[1, 1, 1]],
	'and only its rows are there';

my $busy = $stack->user('busy@example.org');
is_deeply count(together(80, sub { my ($api, $i) = @_; publish($api, $busy, slug => "busy-$i") })),
	{ '201 ' => 60, '429 RATE_LIMITED' => 20 },
	'of 80 publishes by one user 60 are let in';

my $editor = $stack->user('editor@example.org');
my $api = Vitrine::Api->new($stack);
publish($api, $editor, slug => 'shared');
is_deeply count(together(40, sub { publish($_[0], $editor, slug => 'shared', expected_version => 1) })),
	{ '201 ' => 1, '409 VERSION_CONFLICT' => 39 },
	'of 40 that expect version 1 one makes version 2';

# A reader during publishes: every byte belongs to a version, and a version's own address never shows another.
my $writer = $stack->user('writer@example.org');
sub version_files {
	my ($n) = @_;
	my $page = "page $n " . 'x' x (1000 + $n * 37);
	return { 'index.html' => $page, 'digest.txt' => sha256_hex($page) };
}
$stack->stop_one('worker');
$stack->{conf}{publish_per_hour} = 100000;
$stack->write_conf;
$stack->start_worker;
$api->publish($writer, slug => 'torn', visibility => 'public', files => version_files(1));
my $pid = fork // die;
if (!$pid) {
	my $api = Vitrine::Api->new($stack);
	$api->publish($writer, slug => 'torn', visibility => 'public', files => version_files($_)) for 2 .. 150;
	POSIX::_exit(0);
}
my (%known, $reads, @torn);
$known{version_files($_)->{'index.html'}} = $_ for 1 .. 150;
my $last = 1;
while (waitpid($pid, POSIX::WNOHANG()) == 0) {
	my $r = $api->get_site('torn', '/');
	my $n = $known{$r->{body}};
	push @torn, "$r->{status} " . length $r->{body} if !$n;
	push @torn, "back from $last to $n" if $n && $n < $last;
	$last = $n if $n;
	my $pinned = $api->get_site("torn--v$last", '/digest.txt')->{body};
	push @torn, "v$last has another digest" if $pinned ne version_files($last)->{'digest.txt'};
	$reads++;
}
is "@torn", '', "no torn read in $reads";
ok $reads > 20, 'there were enough';

# The sweeper beside publishes of the very bytes that it would take: what was just purged is published again.
$stack->{conf}{grace_s} = 0;
$stack->write_conf;
$stack->stop_one('worker');
$stack->start_worker;
my $stop = "$stack->{dir}/stop";
$pid = fork // die;
if (!$pid) {
	my $failed = 0;
	while (!-e $stop) { $failed ||= ($stack->runner)[0] }
	POSIX::_exit($failed);
}
my (@gone, $before);
my $rounds = $ENV{VITRINE_LONG} ? 80 : 40;
for my $i (1 .. $rounds) {
	my $id = $api->publish($writer, slug => "again-$i", visibility => 'public',
		files => { 'index.html' => 'the same', 'dir/a.txt' => 'bytes', 'own.txt' => 'own ' . $i % 3 });
	$api->call(DELETE => "/v1/artifacts/$before?purge=1", { token => $writer->{token} }) if $before;
	push @gone, $i if join('|', map { $api->get_site("again-$i", $_)->{body} } '/', '/dir/a.txt',
		'/own.txt') ne 'the same|bytes|own ' . $i % 3;
	$before = $id;
}
Vitrine::Stack::spew($stop, '');
waitpid $pid, 0;
is "@gone", '', "no byte of $rounds publishes was swept from under them";
is $?, 0, 'and each run of the sweeper was well';
# Versions of thousands of files take turns; what is small waits for none of them.
{
	my ($own, $slug) = ($stack->user('own@example.org'), 'large');
	my @files = map { { path => "f$_.txt", content => "c" . $_ % 7 } } 1 .. 2001;
	open my $turn, '+>>', "$stack->{dir}/data/turn.lock" or die;
	flock $turn, LOCK_EX or die;
	my $pid = fork // die;
	if (!$pid) {
		POSIX::_exit(publish(Vitrine::Api->new($stack), $own, slug => $slug, entrypoint => "f1.txt", files => \@files) ne "201 ");
	}
	Vitrine::Stack::wait_for('the version to wait for its turn', 60, sub { qx(cat /proc/locks) =~ /-> FLOCK/ });
	is publish($api, $own, slug => 'small'), '201 ', 'a small version waits for no large one';
	is $stack->db->selectrow_array('SELECT COUNT(*) FROM slug WHERE slug = ?', undef, $slug), 0, 'which waits before it has begun';
	flock $turn, LOCK_UN or die;
	waitpid $pid, 0;
	is $?, 0, 'and has its turn';
	is_deeply count(together(3,
			sub { my ($api, $i) = @_; publish($api, $who[$i], slug => "large-$i", entrypoint => 'f1.txt', files => \@files) })),
		{ '201 ' => 3 }, 'three at once are published one after another';
}
is $stack->ctl('fsck'), 'clean', 'fsck is clean';
finish($stack);
