# SPDX-License-Identifier: Apache-2.0
# A disk that rots, and hands that meddle: fsck must name whatever nginx would serve that the rows don't say, and what can be mended must be
# mended.
use Compress::Zlib ();
use Fcntl qw(:flock);
use File::Path qw(make_path remove_tree);
use MIME::Base64;
use POSIX ();
use Time::HiRes 'sleep';
use Vitrine::Words 'as';

my ($stack, $api, $db) = stack();
my ($ann, $ben) = map { $stack->user($_) } 'ann@example.org', 'ben@example.org';
my $data = "$stack->{dir}/data";

sub fsck { my ($status, $out, $err) = $stack->program('vitrinectl', {}, 'fsck', @_); chomp $out; return $err . $out }
sub reproject { return $stack->program('vitrinectl', {}, 'reproject', @_) }
sub quiet { Vitrine::Stack::wait_for('the outbox', 60, sub { !$db->selectrow_array('SELECT COUNT(*) FROM outbox') }) }
sub slurp { return Vitrine::Stack::slurp($_[0]) }
sub chunk { my ($type, $data) = @_; return pack('N', length $data) . $type . $data . pack('N', Compress::Zlib::crc32($type . $data)) }
sub png {
	my ($side) = @_;
	return "\x89PNG\r\n\x1a\n" . chunk('IHDR', pack('NNCCCCC', $side, $side, 8, 2, 0, 0, 0))
		. chunk('IDAT', Compress::Zlib::compress(("\0" . "\x20\x40\x80" x $side) x $side)) . chunk('IEND', '');
}
# Writes bytes into the very file, as rot does, keeping its time.
sub rot {
	my ($path, $change) = @_;
	my $time = (stat $path)[9] // die "$path: $!";
	chmod 0640, $path;
	open my $f, '+<', $path or die "$path: $!";
	my $bytes = do { local $/; <$f> };
	my $new = $change ? $change->($bytes) : $bytes =~ s/(.)\z/chr(ord($1) ^ 1)/ser;
	seek $f, 0, 0;
	truncate $f, 0;
	print $f $new;
	close $f;
	utime $time, $time, $path;
}

subtest 'a slug that another has taken while its artifact lay in the trash' => sub {
	my $old = $api->publish($ann, slug => 'mine', visibility => 'public', files => { 'index.html' => 'old' });
	as($ann, DELETE => "/v1/artifacts/$old");
	my $new = $api->publish($ann, slug => 'mine', visibility => 'public', files => { 'index.html' => 'new' });
	quiet();
	is fsck(), 'clean', 'is nothing wrong';
	is +(reproject())[0], 0, 'nor for reproject';
	is fsck(), 'clean', 'before as after';
	my $r = as($ann, POST => "/v1/artifacts/$old/restore");
	is "$r->{status} $r->{json}{code}", '409 SLUG_TAKEN', 'the trashed one does not come back over it';
	like $r->{json}{error}, qr/mine is now taken by another artifact.*\{"slug": /, '... and is told the slug and the way out';
	is as($ann, POST => "/v1/artifacts/$old/restore", json => { slug => $_->[0] })->{status}, $_->[1], "not as $_->[0]"
		for ['mine', 409], ['admin', 400], ['A B', 400];
	is as($ben, POST => "/v1/artifacts/$old/restore", json => { slug => 'stolen' })->{status}, 404, 'nor by a stranger';
	$r = as($ann, POST => "/v1/artifacts/$old/restore", json => { slug => 'mine-again' });
	is "$r->{status} $r->{json}{artifact}{slug}", '200 mine-again', 'under another slug it does';
	is $api->get_site('mine-again', '/')->{body}, 'old', 'and is served there';
	is $api->get_site('mine', '/')->{body}, 'new', 'beside the other';
	quiet();
	is fsck(), 'clean', 'fsck is clean';
};

# ---- everything that is served, damaged in each way

my $text = "some text that shrinks\n" x 100;
my $art = $api->publish($ann, slug => 'whole', visibility => 'public', mobile_html => 'small', social_title => 'Title',
	pwa => { enabled => Cpanel::JSON::XS::true, short_name => 'App', icon => 'data:image/png;base64,' . encode_base64(png(4), '') },
	files => { 'index.html' => '<!doctype html><title>one</title>', 'a.txt' => $text, 'd/b.txt' => "$text b",
		'_headers' => "/d/*\n  X-Frame-Options: DENY\n", '_redirects' => "/x /a.txt 301\n" });
$api->publish($ann, slug => 'other', visibility => 'public', files => { 'index.html' => 'other' });
my $shut = $api->publish($ann, slug => 'shut', visibility => 'private', files => { 'index.html' => 'private' });
my $r = as($ann, POST => '/v1/publish', json => { artifact_id => $art, name => 'Site',
	files => [{ path => 'index.html', content => '<!doctype html><title>two</title>' }, { path => 'a.txt', content => "$text two" }] });
is $r->{status}, 201, 'a second version' or diag $r->{body};
is as($ann, PATCH => "/v1/artifacts/$art", json => { social_title => 'Another title' })->{status}, 200,
	'whose entry says more than that of the first';
quiet();
is fsck(), 'clean', 'all is well';
is fsck('--quick'), 'clean', 'at a glance too';
my $tree = "trees/$art";
my ($unrelated) = map { s{.*/}{}r } grep { !/\Q$art\E|\Q$shut\E/ } glob "$data/trees/*";
# Damages of which none is below another are there at once: fsck names each, and reproject mends all.
my @damages;
sub mended {
	my @all = splice @damages or return;
	my $said = fsck();
	like $said, qr/^\Q$_->{path}\E .*$_->{why}.*; run vitrinectl reproject$/m, "$_->{what}: fsck names it" for @all;
	my ($status, $out, $err) = reproject();
	is "$status$err", '0', '... reproject mends ' . (@all > 1 ? scalar(@all) : 'it') or diag $out;
	quiet() if $stack->runner;
	is fsck(), 'clean', '... and then it is';
}
sub mend_ok {
	my ($what, $path, $why, $damage) = @_;
	my $file = $path =~ s/\.(?:gz|br)$//r;
	mended() if grep { "$_->{file}/" =~ m{^\Q$file\E/} || "$file/" =~ m{^\Q$_->{file}\E/} } @damages;
	$damage->();
	push @damages, { what => $what, path => $path, file => $file, why => $why };
}
my $br = "$data/$tree/2/pub/a.txt.br";
ok -e $br && -e "$data/$tree/2/pub/a.txt.gz", 'the live version is packed';
# A tree that a good object can be linked into again.
sub replaced {
	my ($path, $bytes, $time) = @_;
	$time //= (stat "$data/$path")[9];
	unlink "$data/$path";
	Vitrine::Stack::spew("$data/$path", $bytes);
	utime $time, $time, "$data/$path";
}
mend_ok('other bytes in the place of a file', "$tree/2/pub/a.txt", 'mtime that doesn\'t match',
	sub { replaced("$tree/2/pub/a.txt", 'x' x length "$text two") });
mend_ok('the bytes of another file', "$tree/2/pub/a.txt", 'bytes don\'t match the rows',
	sub { unlink "$data/$tree/2/pub/a.txt"; link "$data/trees/$unrelated/1/pub/index.html", "$data/$tree/2/pub/a.txt" or die });
mend_ok('a file that may not be read', "$tree/2/pub/a.txt", "isn't readable", sub {
	my $t = (stat "$data/$tree/2/pub/a.txt")[9];
	replaced("$tree/2/pub/a.txt", "$text two", $t);
	chmod 0, "$data/$tree/2/pub/a.txt";
});
mend_ok('a file that is gone', "$tree/1/gated/d/b.txt", 'is missing', sub { unlink "$data/$tree/1/gated/d/b.txt" or die });
mended();
mend_ok('a gated file that lies where nginx serves it', "$tree/1/pub/d/b.txt", 'named by no row',
	sub { make_path("$data/$tree/1/pub/d"); link "$data/$tree/1/gated/d/b.txt", "$data/$tree/1/pub/d/b.txt" or die });
mend_ok('a file that nobody published', "$tree/2/pub/evil.html", 'named by no row',
	sub { Vitrine::Stack::spew("$data/$tree/2/pub/evil.html", 'evil') });
mend_ok('a link out of the tree', "$tree/2/pub/passwd", 'named by no row',
	sub { symlink '/etc/passwd', "$data/$tree/2/pub/passwd" or die });
mend_ok('a link in the place of a file', "$tree/2/pub/a.txt", 'isn\'t a plain file',
	sub { unlink "$data/$tree/2/pub/a.txt"; symlink '/etc/passwd', "$data/$tree/2/pub/a.txt" or die });
mend_ok('a link in the place of a folder', "$tree/1/gated/d", 'named by no row',
	sub { rename "$data/$tree/1/gated/d", "$data/$tree/1/meta/d" or die; symlink '../meta/d', "$data/$tree/1/gated/d" or die });
mend_ok('a link in the place of a version', "$tree/1", 'is missing',
	sub { remove_tree("$data/$tree/1"); symlink '2', "$data/$tree/1" or die });
mend_ok('a packed form that is a link', "$tree/2/pub/a.txt.gz", 'compressed copy of a file',
	sub { unlink "$data/$tree/2/pub/a.txt.gz"; symlink '/etc/passwd', "$data/$tree/2/pub/a.txt.gz" or die });
mend_ok('a packed form of something else', "$tree/2/pub/a.txt.br", 'doesn\'t decompress', sub { rot($br) });
mend_ok('... of rotten bytes', "$tree/2/pub/a.txt.gz", 'doesn\'t decompress',
	sub { rot("$data/$tree/2/pub/a.txt.gz", sub { substr $_[0], 0, 30 }) });
mend_ok('... of nothing', "$tree/2/pub/b.txt.gz", 'compressed copy of a file',
	sub { Vitrine::Stack::spew("$data/$tree/2/pub/b.txt.gz", 'x') });
mend_ok('the rules for redirects', "$tree/1/meta/_redirects", 'mtime that doesn\'t match',
	sub { replaced("$tree/1/meta/_redirects", "/x /evil  301\n") });
mend_ok('... for headers', "$tree/1/meta/_headers", 'is missing', sub { unlink "$data/$tree/1/meta/_headers" });
mend_ok('the page for small screens', "$tree/1/pub/_m/index.html", "mtime that doesn't match",
	sub { replaced("$tree/1/pub/_m/index.html", 'smell') });
mend_ok('the manifest', "$tree/1/pub/_vitrine/manifest.webmanifest", 'mtime that doesn\'t match its bytes',
	sub { rot("$data/$tree/1/pub/_vitrine/manifest.webmanifest") });
mend_ok('the service worker', "$tree/1/pub/_vitrine/sw.js", 'is missing', sub { unlink "$data/$tree/1/pub/_vitrine/sw.js" });
mend_ok('the icon', "$tree/1/pub/_vitrine/icon-192.png", 'mtime that doesn\'t match its bytes',
	sub { rot("$data/$tree/1/pub/_vitrine/icon-192.png") });
mend_ok('the entry as it is served', "$tree/2/pub/_vitrine/entry.html", 'mtime that doesn\'t match its bytes',
	sub { rot("$data/$tree/2/pub/_vitrine/entry.html") });
mend_ok('... of a former version', "$tree/1/pub/index.html", 'mtime that doesn\'t match its bytes',
	sub { rot("$data/$tree/1/pub/index.html") });
mend_ok('a version that is gone', "$tree/1", 'is missing', sub { remove_tree("$data/$tree/1") });
mend_ok('the link to the live version', "$tree/live", "doesn't point to version 2",
	sub { unlink "$data/$tree/live"; symlink '1', "$data/$tree/live" });
mend_ok('no such link', "$tree/live", "doesn't point to version 2", sub { unlink "$data/$tree/live" });
mend_ok('an address that is gone', 'sites/whole', 'not open but should be', sub { unlink "$data/sites/whole" });
mend_ok('an address that leads to another', 'sites/whole', "doesn't point to trees/$art",
	sub { unlink "$data/sites/whole"; symlink "../trees/$unrelated", "$data/sites/whole" });
mend_ok('a folder in the place of an address', 'sites/whole', "doesn't point to trees/$art",
	sub { unlink "$data/sites/whole"; mkdir "$data/sites/whole" });
mend_ok('an address of what is private', 'sites/shut', 'is OPEN', sub { symlink "../trees/$shut", "$data/sites/shut" });
mend_ok('an address that is nobody\'s', 'sites/backdoor', 'is OPEN', sub { symlink "../trees/$shut", "$data/sites/backdoor" });
mend_ok('a public page that is also called unlisted', 'sites/whole.unlisted', 'is OPEN',
	sub { symlink "../trees/$art", "$data/sites/whole.unlisted" });
mended();
as($ann, PATCH => "/v1/artifacts/$art", json => { visibility => 'unlisted' });
quiet();
mend_ok('an unlisted page that is also called public', 'sites/whole', 'is OPEN', sub { symlink "../trees/$art", "$data/sites/whole" });
mend_ok('an unlisted page whose address is gone', 'sites/whole.unlisted', 'not open but should be',
	sub { unlink "$data/sites/whole.unlisted" });
mended();
as($ann, PATCH => "/v1/artifacts/$art", json => { visibility => 'public' });
quiet();
mend_ok('a tree that is nobody\'s', 'trees/art_00000000000000000000000000', 'named by no row',
	sub { make_path("$data/trees/art_00000000000000000000000000/1/pub") });
mend_ok('a version that is nobody\'s', "$tree/7", 'named by no row', sub { make_path("$data/$tree/7/pub") });
mend_ok('something else beside the versions', "$tree/old", 'named by no row', sub { make_path("$data/$tree/old/pub") });
mended();
is $api->get_site('shut', '/')->{status}, 404, 'what is private is shut';
is $api->get_site('whole', '/a.txt', 'Accept-Encoding' => 'identity')->{body}, "$text two", 'what is public is served';
is $api->get_site('whole', '/', 'Accept-Encoding' => 'identity')->{body}, slurp("$data/$tree/2/pub/_vitrine/entry.html"),
	'... as it should be';

subtest 'what somebody changes while it is looked at' => sub {
	open my $lock, '<', "$data/$tree/.lock" or die;
	flock $lock, LOCK_EX or die;
	unlink "$data/sites/whole" or die;
	my $pid = fork // die;
	if (!$pid) { Vitrine::Stack::spew("$stack->{dir}/said", fsck('--quick')); POSIX::_exit(0) }
	Vitrine::Stack::wait_for('fsck to look again, or to end', 60, sub { qx(cat /proc/locks) =~ /-> FLOCK/ || -s "$stack->{dir}/said" });
	$db->do("UPDATE artifact SET visibility = 'private' WHERE id = '$art'");
	flock $lock, LOCK_UN;
	waitpid $pid, 0;
	is slurp("$stack->{dir}/said"), 'clean', 'is what it has become';
	$db->do("UPDATE artifact SET visibility = 'public' WHERE id = '$art'");
	like fsck('--quick'), qr{^sites/whole is not open but should be; run vitrinectl reproject$}m,
		'and is named when it has become nothing else';
	reproject();
	quiet();
	is fsck(), 'clean', 'until it is mended';
};

# ---- the rows

sub row_ok {
	my ($what, $like, $damage, $undo) = @_;
	$db->do($_) for 'SET foreign_key_checks = 0', $damage;
	like fsck(), $like, "$what: fsck names it";
	$db->do($undo);
	is fsck(), 'clean', '... and is clean when it is not so';
}
my $sha = "(SELECT sha256 FROM version_file WHERE artifact_id = '$shut')";
my $other = $db->selectrow_array("SELECT HEX(sha256) FROM version_file WHERE artifact_id = '$shut'");
my $own = $db->selectrow_array("SELECT HEX(sha256) FROM version_file WHERE artifact_id = '$art' AND version_no = 2 AND path = 'a.txt'");
row_ok('a row with the digest of other bytes', qr{^\Q$tree\E/2/pub/a\.txt its bytes don't match the rows; run vitrinectl reproject$}m,
	"UPDATE version_file SET sha256 = UNHEX('$other') WHERE artifact_id = '$art' AND version_no = 2 AND path = 'a.txt'",
	"UPDATE version_file SET sha256 = UNHEX('$own') WHERE artifact_id = '$art' AND version_no = 2 AND path = 'a.txt'");
my $digest = $db->selectrow_array("SELECT HEX(digest) FROM version WHERE artifact_id = '$art' AND version_no = 2");
row_ok('a version with another digest',
	qr{^\Q$tree\E/2 has rows that don't have the digest of its version; only a backup that has them mends it \(vitrinectl restore\)$}m,
	"UPDATE version SET digest = UNHEX('$other') WHERE artifact_id = '$art' AND version_no = 2",
	"UPDATE version SET digest = UNHEX('$digest') WHERE artifact_id = '$art' AND version_no = 2");
# What a program of another release has left, or a hand: the command that is named mends it.
sub mended_row_ok {
	my ($what, $why, @damage) = @_;
	$db->do($_) for 'SET foreign_key_checks = 0', @damage;
	like fsck(), qr/^\w+ \w+: \Q$why\E; run vitrinectl reproject$/m, "$why: fsck names $what and what mends it";
	my ($status, $out, $err) = reproject();
	is "$status$err", '0', '... reproject does' or diag $out;
	quiet() if $stack->runner;
	is fsck(), 'clean', '... and all is well';
}
my $version = "WHERE artifact_id = '$art' AND version_no";
mended_row_ok('sizes', 'the number or size of files in a version is wrong',
	"UPDATE version SET file_count = file_count + 1, size_bytes = size_bytes + 1 $version = 2");
mended_row_ok('what is open', 'it is open and its live version is recorded as closed', "UPDATE version SET is_open = FALSE $version = 2");
mended_row_ok('what is live', 'its live version is recorded as never live', "UPDATE version SET first_live_at = NULL $version = 2");
mended_row_ok('what is live', 'live_mobile does not match the live version',
	"UPDATE artifact SET live_mobile = NOT live_mobile WHERE id = '$art'");
mended_row_ok('what is live', 'its live version is missing', "UPDATE artifact SET live_no = 9 WHERE id = '$art'");
mended_row_ok('numbers', 'it has versions beyond last_no', "UPDATE artifact SET last_no = 1 WHERE id = '$art'");
mended_row_ok('slugs', 'its slug is not reserved for it', $_)
	for "UPDATE slug SET released_at = 1 WHERE slug = 'whole'", "DELETE FROM slug WHERE slug = 'whole'";
mended_row_ok('views', 'a day has more views of one part of it than in total',
	"INSERT INTO view_day (artifact_id, day, views, entry_views, version_views, bot_views) VALUES ('$art', 20000, 3, 4, 5, 0)");
mended_row_ok('uploads', 'has blobs but does not exist', "INSERT INTO artifact_blob (id, artifact_id, filename, mime, sha256, size_bytes, "
	. "created_at) SELECT 'blb_00000000000000000000000000', 'art_00000000000000000000000000', 'x', 'x/y', sha256, size_bytes, 0 "
	. "FROM version_file LIMIT 1");
mended_row_ok('codes', 'there are recovery codes, but no second factor',
	"INSERT INTO factor_recovery (user_id, hash) VALUES ('$ann->{id}', UNHEX(SHA2('x', 256)))");
is as($ann, POST => '/v1/jobs', json => { artifact_id => $art, action => 'webhook', schedule => '0 0 1 1 *',
	config => { url => 'https://example.org/' } })->{status}, 201, 'a job';
mended_row_ok('jobs', 'has a next time and should have none', 'UPDATE job SET enabled = FALSE');
mended_row_ok('jobs', 'is in another workspace than its artifact', "UPDATE job SET workspace_id = 'wsp_00000000000000000000000000'");
is as($ann, POST => '/v1/workspaces', json => { name => 'Team', slug => 'teamwork' })->{status}, 201, 'a workspace';
mended_row_ok('who owns', 'has members and no owner', "UPDATE member SET role = 'admin'");
is as($ann, GET => '/v1/workspaces')->{json}{workspaces}[0]{role}, 'owner', '... and it has its owner again';

# ---- objects

my $dir = "$stack->{dir}/backup";
$stack->ctl('backup', $dir);
for (['rotten', sub { rot($_[0]) }, 'a different digest'], ['cut short', sub { rot($_[0], sub { substr $_[0], 1 }) }, 'bytes instead of'],
	['gone', sub { unlink $_[0] }, 'is missing'],
	['a link', sub { rename $_[0], "$data/tmp/elsewhere"; symlink "$data/tmp/elsewhere", $_[0] or die }, "can't be opened"],
	['of another time', sub { utime 1, 1, $_[0] }, 'an mtime that']) {
	my ($what, $damage, $why) = @$_;
	my $hex = lc $own;
	$damage->(my $path = "$data/objects/" . substr($hex, 0, 2) . "/$hex");
	like fsck(), qr/^object $hex .*$why.*; run vitrinectl reproject --from BACKUP$/m, "an object that is $what: fsck names it";
	my ($status, $out) = reproject('--from', $dir);
	is $status, 0, '... reproject mends it from a backup' or diag $out;
	like $out, qr/^1 objects were restored from /m;
	quiet() if $stack->runner;
	is fsck(), 'clean', '... with the tree that was linked to it';
	is $api->get_site('whole', '/a.txt', 'Accept-Encoding' => 'identity')->{body}, "$text two", '... and it is served';
}

# nginx follows a link, so the folders above are no links, either.
my $folder = "$data/objects/" . substr lc $own, 0, 2;
for ($folder, "$data/sites") {
	my $name = s{^\Q$data/}{}r;
	rename $_, "$data/tmp/folder" or die;
	symlink '../tmp/folder', $_ or die;
	like fsck('--quick'), qr/^\Q$name\E isn't a folder, and nginx would follow a link; move/m, "$name is a link: fsck names it";
	unlink $_;
	rename "$data/tmp/folder", $_ or die;
}
is fsck(), 'clean', 'and is clean when it is a folder again';

subtest 'while somebody publishes' => sub {
	my $pid = fork // die;
	if (!$pid) {
		my $mine = Vitrine::Api->new($stack);
		$mine->call(POST => '/v1/publish', { token => $ann->{token},
			json => { artifact_id => $art, name => 'Site', files => [{ path => 'index.html', content => "version $_" }] } })
			for 1 .. 25;
		POSIX::_exit(0);
	}
	my ($looks, @said) = (0);
	until (waitpid $pid, POSIX::WNOHANG()) {
		push @said, grep { !/^\d+ projected$|: repaired$/ } split /\n/, (reproject('--artifact', $art))[1];
		my $found = fsck('--quick');
		push @said, grep { !/^clean$|being changed/ } split /\n/, $found;
		$looks++;
	}
	is "@said", '', "reproject and fsck find nothing that is not so, in $looks looks";
	$stack->runner;
	quiet();
	is fsck(), 'clean', 'and nothing is amiss';
	my $last = $db->selectrow_array('SELECT last_no FROM artifact WHERE id = ?', undef, $art);
	is join(' ', grep { $api->get_site("whole--v$_", '/')->{status} != 200 } 1 .. $last), '', "each of the $last versions is served";
	is $last, 27, 'and there are as many as were published';
};
finish($stack);
