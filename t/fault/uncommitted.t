# SPDX-License-Identifier: Apache-2.0
# A version that is not committed is served to nobody, whatever becomes of its transaction; nor is one that closes its artifact, at any
# instant.
use Time::HiRes qw(sleep time);
use Vitrine::Words;

my $stack = Vitrine::Stack->new(workers => 4, publish_per_hour => 100000);
$stack->expect_internal;
my $api = Vitrine::Api->new($stack);
my $ann = $stack->user('ann@example.org');
my $db = $stack->db;
my $art = $api->publish($ann, slug => 'site', visibility => 'public', files => { 'index.html' => 'one', 'a.txt' => 'one' });

sub publish {
	my ($text, %more) = @_;
	return $api->call(POST => '/v1/publish', { token => $ann->{token}, json => { name => 'S', artifact_id => $art, %more,
		files => [{ path => 'index.html', content => $text }, { path => 'a.txt', content => $text }] } });
}
# A statement that was prepared before a trigger came does not know of the trigger's tables, so the workers are new.
sub trigger {
	my ($name, $do) = @_;
	$db->do("CREATE TRIGGER $name BEFORE INSERT ON outbox FOR EACH ROW $do");
	$stack->stop_one('worker');
	$stack->start_worker;
}
sub at_version {
	my ($no, $path) = @_;
	my $r = $api->get_site("site--v$no", $path // '/a.txt');
	return $r->{status} == 200 ? "200 $r->{body}" : $r->{status};
}

# ---- the transaction fails at its last statement

trigger(refuse => "SIGNAL SQLSTATE '45000'");
is publish('secret')->{status}, 500, 'a publish that can not be committed';
is at_version(2, $_), 404, "is not served at $_" for '/', '/a.txt';
is $api->get_site('site', '/')->{body}, 'one', 'the artifact is as it was';
$db->do('DROP TRIGGER refuse');
is publish('two')->{json}{version}{version_no}, 2, 'the next publish has its number';
is at_version(2), '200 two', 'and its address';

# ---- the transaction is lost once and runs again

$db->do('CREATE TABLE tries (n INT) ENGINE=MyISAM');
trigger(lose => "BEGIN INSERT INTO tries VALUES (1);"
	. " IF (SELECT COUNT(*) FROM tries) = 1 THEN SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213; END IF; END");
my $r = publish('three');
is "$r->{status} $r->{json}{version}{version_no}", '201 3', 'a publish whose transaction is lost once succeeds';
is +($db->selectrow_array('SELECT COUNT(*) FROM tries'))[0], 2, 'by its second try';
is at_version(3), '200 three', 'and is served';
is $api->get_site('site', '/')->{body}, 'three', 'live';
$db->do('DROP TRIGGER lose');

# ---- a version that makes its artifact private, watched all the while; its transaction takes a second

trigger(slow => 'DO SLEEP(1)');
my $pid = fork // die;
if (!$pid) {
	my $mine = Vitrine::Api->new($stack);
	my $done = $mine->call(POST => '/v1/publish',
		{ token => $ann->{token}, json => { name => 'S', artifact_id => $art, visibility => 'private',
			files => [{ path => 'index.html', content => 'four' }, { path => 'a.txt', content => 'four' }] } });
	POSIX::_exit($done->{status} == 201 ? 0 : 1);
}
my ($looks, $status, @seen) = (0);
while (waitpid($pid, POSIX::WNOHANG()) == 0) {
	my $at = at_version(4);
	push @seen, $at if $at ne '404';
	$looks++;
}
is $?, 0, 'a publish that makes its artifact private';
ok $looks > 10, "was looked for $looks times";
is "@seen", '', 'and never seen';
is at_version(3), 404, 'what was public is closed';
$db->do('DROP TRIGGER slow');

# ---- killed between commit and placing: the runner builds the tree from rows and objects

is publish('five', visibility => 'public')->{status}, 201, 'public again';
my ($tree) = glob "$stack->{dir}/data/trees/$art/5" or die;
system 'rm', '-r', $tree and die;
$db->do("INSERT INTO outbox (id, kind, subject, due_at) VALUES ('out_left', 'project', '$art', 0)");
is +($stack->runner)[0], 0, 'the runner finds the row that was left';
is at_version(5), '200 five', 'and the version is there';
is $stack->ctl('fsck'), 'clean', 'fsck is clean';
is_deeply [$db->selectrow_array('SELECT COUNT(*) FROM outbox')], [0], 'nothing is left to do';
finish($stack);
