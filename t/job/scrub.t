# SPDX-License-Identifier: Apache-2.0
# The scrub: the runner reads all that is stored, a little at a time, for ever; finds what has rotted, mends what can be, and remembers what
# can't until it is whole.
use Fcntl qw(:flock O_RDWR O_CREAT);
use POSIX ();
use Vitrine::Words;

my ($stack, $api, $db) = stack(scrub_days => 3650);
my $ann = $stack->user('ann@example.org');
my $data = "$stack->{dir}/data";

sub runner {
	my ($status, undef, $err) = $stack->runner;
	is $status, 0, 'the runner ran' or diag $err;
	return [map { decode_json($_) } grep { /^\{/ } split /\n/, $err];
}
sub of { my ($log, $event) = @_; return grep { $_->{event} eq $event } @$log }
sub did { return (of($_[0], 'run'))[0]{scrub} // {} }
sub cycle { return $db->selectrow_hashref("SELECT * FROM sweep WHERE name = 'scrub'") }
sub again { $db->do("UPDATE sweep SET started_at = 1 WHERE name = 'scrub'") }
sub damage { return $db->selectcol_arrayref('SELECT subject FROM damage ORDER BY subject') }
sub doctor { return ($stack->program('vitrinectl', {}, 'doctor'))[1] }
# A tree that was built again is packed by the next run.
sub quiet { $stack->runner; Vitrine::Stack::wait_for('the outbox', 60, sub { !$db->selectrow_array('SELECT COUNT(*) FROM outbox') }) }
sub object {
	my $hex = lc $db->selectrow_array('SELECT HEX(sha256) FROM version_file WHERE artifact_id = ? AND path = ?', undef, @_);
	return 'objects/' . substr($hex, 0, 2) . "/$hex";
}
sub write_in {
	my ($path, $bytes) = @_;
	my $time = (stat "$data/$path")[9] // die "$path: $!";
	chmod 0640, "$data/$path";
	open my $f, '+<', "$data/$path" or die;
	print $f $bytes;
	truncate $f, length $bytes;
	close $f;
	utime $time, $time, "$data/$path";
}

my $art = $api->publish($ann, slug => 'site', visibility => 'public', social_title => 'Title',
	files => { 'index.html' => '<!doctype html><title>x</title>', 'a.txt' => 'good' });
quiet();
my ($object, $tree) = (object($art, 'a.txt'), "trees/$art/1");

subtest 'a cycle' => sub {
	again();
	my $log = runner();
	ok did($log)->{bytes} > 0, 'reads all there is';
	is did($log)->{found}, 0, 'and finds nothing';
	is scalar(of($log, 'scrub ended')), 1, 'its end is logged';
	ok cycle()->{finished_at}, 'and kept';
	is did(runner())->{bytes}, undef, 'the next begins when scrub_days are over';
	like doctor(), qr/^ok +nothing in the store is known to be damaged$/m, 'the doctor is content';
	again();
	ok did(runner())->{bytes}, 'then it does';
};

subtest 'what somebody changes while it is looked at' => sub {
	again();
	open my $lock, '<', "$data/trees/$art/.lock" or die;
	flock $lock, LOCK_EX or die;
	unlink "$data/sites/site" or die;
	my $pid = fork // die;
	if (!$pid) {
		open STDERR, '>', "$stack->{dir}/said";
		exec "$stack->{build}/vitrine-runner", '-c', "$stack->{dir}/vitrine.yaml", '--once' or POSIX::_exit(127);
	}
	Vitrine::Stack::wait_for('the scrub to look again', 60, sub { qx(cat /proc/locks) =~ /-> FLOCK/ });
	$db->do("UPDATE artifact SET visibility = 'private' WHERE id = '$art'");
	flock $lock, LOCK_UN;
	waitpid $pid, 0;
	is $?, 0, 'the runner ends well';
	unlike Vitrine::Stack::slurp("$stack->{dir}/said"), qr/damaged/, 'what has become right is no finding';
	is_deeply damage(), [], 'and no damage';
	ok !-l "$data/sites/site", 'nor is anything opened again';
	$db->do("UPDATE artifact SET visibility = 'public' WHERE id = '$art'");
	again();
	is did(runner())->{found}, 1, 'what is wrong then is found';
	ok -l "$data/sites/site", 'and mended';
	quiet();
};

subtest 'an object that rots' => sub {
	write_in($object, 'gold');
	again();
	my $log = runner();
	my ($found) = of($log, 'damaged');
	is "$found->{level} $found->{path} $found->{mended}", "error $object no", 'is logged, a line';
	is scalar(of($log, 'damaged')), 1, '... one';
	is_deeply damage(), [$object], 'is kept';
	like doctor(),
		qr/^FAIL +damaged items in the store: 1\n +fix: .*reproject --from.*\n +since \S+ \Q$object\E its bytes have a different digest$/m,
		'the doctor shows it';
	runner();
	is_deeply damage(), [$object], 'as long as it is damaged';
	write_in($object, 'good');
	runner();
	is_deeply damage(), [], 'and forgotten when it is good again, whatever the cycle';
	like doctor(), qr/^ok +nothing in the store is known to be damaged$/m, 'the doctor is content';
};

subtest 'a tree that is damaged while its objects are good' => sub {
	unlink "$data/$tree/pub/a.txt";
	Vitrine::Stack::spew("$data/$tree/pub/a.txt", 'gold');
	is $api->get_site('site', '/a.txt')->{body}, 'gold', 'is served so';
	again();
	my $log = runner();
	is join(' ', map { "$_->{path} $_->{mended}" } of($log, 'damaged')), "$tree/pub/a.txt yes", 'until the scrub finds it';
	is $api->get_site('site', '/a.txt')->{body}, 'good', 'and builds it again';
	is did($log)->{mended}, 1, 'which it says';
	is_deeply damage(), [], 'and need not remember';
	runner();
	quiet();
	is $stack->ctl('fsck'), 'clean', 'fsck is clean';
};

subtest 'a derived page that rots with its object' => sub {
	my $good = $api->get_site('site', '/')->{body};
	my $time = (stat "$data/$tree/pub/index.html")[9];
	write_in("$tree/pub/index.html", $good =~ s/Title/Tital/r);
	again();
	is scalar(grep { $_->{mended} ne 'yes' } of(runner(), 'damaged')), 0, 'is found';
	is $api->get_site('site', '/')->{body}, $good, 'and made again';
};

subtest 'an object that is lost' => sub {
	unlink "$data/$object" or die;
	again();
	is join(' ', map { "$_->{path} $_->{mended}" } of(runner(), 'damaged')), "$tree/pub/a.txt yes", 'is found by the tree that has it';
	is Vitrine::Stack::slurp("$data/$object"), 'good', 'and given back by it';
	runner();
	quiet();
	is $stack->ctl('fsck'), 'clean', 'fsck is clean';
	unlink "$data/$object", "$data/$tree/pub/a.txt";
	again();
	runner();
	is_deeply damage(), [$tree], 'where the tree has none, it is remembered';
	Vitrine::Stack::spew("$data/$object", 'good');
	my $time = 946684800 + (hex(substr $object, 11, 8) & 0x1fffffff);
	utime $time, $time, "$data/$object";
	runner();
	is_deeply damage(), [], 'until the object is there again';
	is $api->get_site('site', '/a.txt')->{body}, 'good', '... and the tree with it';
};

subtest 'a damaged object that no row names' => sub {
	my $gone = $api->publish($ann, slug => 'gone', files => { 'index.html' => 'twice' });
	my $path = object($gone, 'index.html');
	quiet();
	$api->call(DELETE => "/v1/artifacts/$gone?purge=1", { token => $ann->{token} });
	quiet();
	write_in($path, 'trice');
	again();
	is scalar(of(runner(), 'damaged')), 0, 'is no alarm';
	ok !-e "$data/$path", 'but goes';
	$api->publish($ann, slug => 'anew', visibility => 'public', files => { 'index.html' => 'twice' });
	is $api->get_site('anew', '/')->{body}, 'twice', 'so who publishes its bytes again gets them';
	quiet();
};

subtest 'an address that leads to what is private' => sub {
	my $shut = $api->publish($ann, slug => 'shut', files => { 'index.html' => 'private' });
	quiet();
	symlink "../trees/$shut", "$data/sites/door";
	is $api->get_site('door', '/')->{status}, 200, 'is open';
	again();
	runner();
	is $api->get_site('door', '/')->{status}, 404, 'until the scrub comes by';
};

subtest 'a bounded piece each time' => sub {
	my $n = 6;
	$api->publish($ann, slug => "big-$_", files => { 'index.html' => 'x', 'a.bin' => chr(64 + $_) x 9_000_000 }) for 1 .. $n;
	quiet();
	again();
	my (@bytes, $last);
	for (1 .. $n) {
		push @bytes, did(runner())->{bytes};
		$last = cycle();
		last if !$last->{under_way};
	}
	ok @bytes >= 3, 'a cycle of several passes: ' . scalar @bytes;
	is scalar(grep { $_ > 26 << 20 } @bytes), 0, 'none reads much more than its share' or diag "@bytes";
	ok $last->{finished_at} >= $last->{started_at}, 'it comes to its end';
	ok $last->{looked} > $n * 9_000_000, "and has read all of it ($last->{looked} bytes)";
};

subtest 'beside the rest' => sub {
	my $lock = sub { sysopen my $f, "$data/$_[0]", O_RDWR | O_CREAT or die; flock $f, LOCK_EX or die; return $f };
	again();
	my $held = $lock->('scrub.lock');
	unlink "$data/sites/site";
	$db->do("INSERT INTO outbox (id, kind, subject, due_at) VALUES ('out_1', 'project', ?, 0)", undef, $art);
	Vitrine::Stack::spew("$data/tmp/3/left", 'over');
	is did(runner())->{bytes}, undef, 'while one scrubs, no other does';
	ok -l "$data/sites/site" && !-e "$data/tmp/3/left", 'and the outbox and the sweeps go on';
	close $held;
	my @others = map { $lock->($_) } 'runner.lock', 'sweep.lock';
	ok did(runner())->{bytes}, 'and while others are at these, the scrub does';
	@others = ();
	my $pid = fork // die;
	if (!$pid) {
		open STDERR, '>', '/dev/null';
		exec "$stack->{build}/vitrine-runner", '-c', "$stack->{dir}/vitrine.yaml", '--once' or POSIX::_exit(127);
	}
	my @stat;
	# One that has ended and is not waited for still says what its priority was.
	Vitrine::Stack::wait_for('its end', 60,
		sub { @stat = split ' ', Vitrine::Stack::slurp("/proc/$pid/stat") =~ s/^.*\) //sr; $stat[0] eq 'Z' });
	is $stat[16], 19, 'it gives way to everybody';
	waitpid $pid, 0;
	is $?, 0, 'and ends well';
};

subtest 'never' => sub {
	$stack->{conf}{scrub_days} = 0;
	$stack->write_conf;
	again();
	is did(runner())->{bytes}, undef, 'where scrub_days is 0';
};
finish($stack);
