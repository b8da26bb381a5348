# SPDX-License-Identifier: Apache-2.0
# The runner's rounds: a piece at a time, with locks of their own, past what can't be done now; and the outbox beside them.
use Fcntl qw(:flock O_RDWR O_CREAT);
use Time::HiRes 'sleep';
use Vitrine::Smtp;
use Vitrine::Words;

my $smtp = Vitrine::Smtp->new;
my ($stack, $api, $db) = stack(grace_s => 0, trash_days => 1, scrub_days => 0, smtp_timeout_s => 60, $smtp->conf);
my $ann = $stack->user('ann@example.org');
my $data = "$stack->{dir}/data";

sub fsck { chomp(my $said = ($stack->program('vitrinectl', {}, 'fsck'))[1]); return $said }
sub rows { return scalar $db->selectrow_array("SELECT COUNT(*) FROM $_[0]") }
sub setting { my %more = @_; $stack->{conf} = { %{$stack->{conf}}, %more }; $stack->write_conf }
sub round { return $db->selectrow_hashref('SELECT * FROM sweep WHERE name = ?', undef, $_[0]) }
# One run: what it logged, by event.
sub runner {
	my ($status, undef, $err) = $stack->runner;
	is $status, 0, 'the runner ran' or diag $err;
	return [map { decode_json($_) } grep { /^\{/ } split /\n/, $err];
}
sub run_of { return (grep { $_->{event} eq 'run' } @{$_[0]})[0] }
sub started {
	my $pid = fork // die;
	return $pid if $pid;
	open STDERR, '>>', "$stack->{dir}/runner.log";
	exec "$stack->{build}/vitrine-runner", '-c', "$stack->{dir}/vitrine.yaml", '--once' or POSIX::_exit(127);
}
sub locked {
	my ($name) = @_;
	sysopen my $f, "$data/$name", O_RDWR | O_CREAT or die;
	flock $f, LOCK_EX or die;
	return $f;
}
sub project { $db->do("INSERT INTO outbox (id, kind, subject, due_at) VALUES (?, 'project', ?, 0)", undef, @_) }
sub purge { is $api->call(DELETE => "/v1/artifacts/$_[0]?purge=1", { token => $ann->{token} })->{status}, 200, 'purged' }
sub quiet { Vitrine::Stack::wait_for('the outbox', 60, sub { !rows('outbox') }) }

my $art = $api->publish($ann, slug => 'site', visibility => 'public', files => { 'index.html' => 'one' });
quiet();

subtest 'two locks' => sub {
	unlink "$data/sites/site";
	project(out_1 => $art);
	my $held = locked('runner.lock');
	Vitrine::Stack::spew("$data/tmp/3/left", 'over');
	runner();
	ok !-e "$data/tmp/3/left", 'while another is at the outbox, what has had its time goes';
	is rows('outbox'), 1, 'and the outbox is left to it';
	close $held;
	$held = locked('sweep.lock');
	Vitrine::Stack::spew("$data/tmp/3/left", 'over');
	runner();
	is rows('outbox'), 0, 'while another sweeps, the outbox is done';
	ok -l "$data/sites/site" && -e "$data/tmp/3/left", 'and the sweep is left to it';
	close $held;
};

subtest 'a round in several passes' => sub {
	my $many = 2_700;
	mkdir "$data/objects/ee";
	for (1 .. $many) { open my $f, '>', sprintf '%s/objects/ee/ee%062d', $data, $_ or die $! }
	sleep 1.1;
	my $seen = run_of(runner())->{objects};
	ok $seen->{looked} >= 2_000 && $seen->{looked} < $many, "one pass looks at a bounded number ($seen->{looked})";
	is round('objects')->{under_way}, 1, 'it will go on';
	my $left = () = glob "$data/objects/ee/*";
	is $left, $many - $seen->{removed}, 'what it has removed is gone';
	my $log = runner();
	is scalar(() = glob "$data/objects/ee/*"), 0, 'the next one goes on from there';
	is round('objects')->{under_way}, 0, 'and ends it';
	my ($end) = grep { $_->{event} eq 'round ended' && $_->{name} eq 'objects' } @$log;
	is $end->{removed}, $many, 'what was removed is logged';
	is $api->get_site('site', '/')->{body}, 'one', 'what a row names stays';
};

subtest 'rows that are over' => sub {
	$db->do("INSERT INTO session SELECT CONCAT('ses_', LPAD(seq, 26, 'A')), UNHEX(SHA2(seq, 256)), ?, 'password', 0, 0, IF(seq > 1300, "
		. "9999999999, 1), '', '' FROM seq_1_to_1310", undef, $ann->{id});
	is run_of(runner())->{sessions}{removed}, 1300, 'more than a piece of them go in a run';
	is rows('session'), 10, 'and no other';
	$db->do('DELETE FROM session');
};

subtest 'once a day' => sub {
	setting(grace_s => 100_000);
	is run_of(runner())->{objects}, undef, 'a round that has ended is not begun again at once';
	$db->do('UPDATE sweep SET started_at = started_at - 86400');
	ok run_of(runner())->{objects}{looked}, 'but after a day, whatever the grace';
	setting(grace_s => 0);
};

# Versions 2 and on, of files with the bytes "big".
sub versions {
	my ($id, $versions, $files) = @_;
	$db->do("INSERT INTO version (artifact_id, version_no, id, created_at, created_by, entrypoint, file_count, size_bytes)"
		. " SELECT ?, seq, CONCAT('ver_', ?, seq), 0, ?, 'index.html', $files, 3 * $files FROM seq_2_to_$versions",
		undef, $id, substr($id, -8), $ann->{id});
	$db->do("INSERT INTO version_file (artifact_id, version_no, path, sha256, size_bytes, mime, declared)"
		. " SELECT ?, v.seq, CONCAT('f', f.seq), UNHEX(SHA2('big', 256)), 3, 'text/plain', 0 "
		. "FROM seq_2_to_$versions v, seq_1_to_$files f", undef, $id);
	$db->do('UPDATE artifact SET last_no = ? WHERE id = ?', undef, $versions, $id);
}

subtest 'a purge of ten thousand versions' => sub {
	my $big = $api->publish($ann, slug => 'big', visibility => 'public', files => { 'index.html' => 'big' });
	quiet();
	versions($big, 10_000, 3);
	my $before = rows('version_file');
	purge($big);
	is rows('version_file'), $before, 'the request does not wait for the rows';
	is $api->get_site('big', '/')->{status}, 404, 'the address is gone at once';
	is $api->call(GET => "/v1/artifacts/$big", { token => $ann->{token} })->{status}, 404, 'so is the artifact';
	is $api->call(POST => "/v1/artifacts/$big/restore", { token => $ann->{token} })->{status}, 404, 'there is no way back';
	is_deeply $api->call(GET => '/v1/artifacts?deleted=1', { token => $ann->{token} })->{json}{artifacts}, [], 'it is not in the trash';
	ok !-e "$data/trees/$big", 'and its trees are not in their place';
	is fsck(), 'clean', 'fsck knows';
	is $api->publish($ann, slug => 'big', visibility => 'public', files => { 'index.html' => 'new' }) ne $big, 1,
		'its slug is free for its owner';

	# Another connection holds a row near the end, so the purge stops there; what it has taken is committed.
	my $other = DBI->connect("dbi:MariaDB:database=vitrine;mariadb_socket=$stack->{run}/db.sock", scalar getpwuid($>), '',
		{ RaiseError => 1 });
	$other->begin_work;
	$other->do("UPDATE version_file SET mime = 'x' WHERE artifact_id = ? AND version_no = 9000 AND path = 'f2'", undef, $big);
	my $small = $api->publish($ann, slug => 'small', files => { 'index.html' => 'small' });
	purge($small);
	my $log = runner();
	my $left = $db->selectrow_array('SELECT COUNT(*) FROM version_file WHERE artifact_id = ?', undef, $big);
	ok $left > 1000 && $left < $before, "it is no single transaction: $left of $before rows are left";
	is scalar(grep { $_->{event} eq 'purge put off' && $_->{artifact} eq $big } @$log), 1, 'that it could not go on is logged';
	is $db->selectrow_array('SELECT COUNT(*) FROM artifact WHERE id = ?', undef, $small), 0, 'the purge behind it is done';
	ok run_of($log)->{objects}{looked}, 'and the sweeps';
	is fsck(), 'clean', 'fsck is clean in between';
	$other->rollback;

	# Killed somewhere in it.
	my $pid = started();
	Vitrine::Stack::wait_for('a piece', 60,
		sub { $db->selectrow_array('SELECT COUNT(*) FROM version_file WHERE artifact_id = ?', undef, $big) < $left });
	kill 'KILL', $pid;
	waitpid $pid, 0;
	runner();
	is $db->selectrow_array('SELECT COUNT(*) FROM artifact WHERE id = ?', undef, $big), 0, 'the next run ends what a killed one began';
	is $db->selectrow_array('SELECT COUNT(*) FROM version WHERE artifact_id = ?', undef, $big), 0, 'no version is left';
	is fsck(), 'clean', 'fsck is clean';
};

subtest 'what can never be purged' => sub {
	my @arts = map { $api->publish($ann, slug => "stuck-$_", files => { 'index.html' => "stuck $_" }) } 1 .. 3;
	quiet();
	$db->do('CREATE TABLE holder (artifact_id VARCHAR(40) CHARACTER '
		. 'SET ascii COLLATE ascii_nopad_bin PRIMARY KEY, FOREIGN KEY (artifact_id) REFERENCES artifact (id))');
	$db->do('INSERT INTO holder VALUES (?)', undef, $arts[0]);
	purge($arts[0]);
	# The second expires in the trash, behind one that can't be purged either.
	$db->do("CREATE TRIGGER no_way BEFORE UPDATE ON artifact FOR EACH ROW BEGIN IF NEW.id = '$arts[1]' "
		. "AND NEW.owner_id IS NULL THEN SIGNAL SQLSTATE '45000'; END IF; END");
	for my $n (1, 2) {
		$api->call(DELETE => "/v1/artifacts/$arts[$n]", { token => $ann->{token} });
		$db->do('UPDATE artifact SET deleted_at = deleted_at - ? WHERE id = ?', undef, 86_500 - $n, $arts[$n]);
	}
	mkdir "$data/objects/ff";
	Vitrine::Stack::spew("$data/objects/ff/" . 'f' x 64, 'stray');
	sleep 1.1;
	my %off = map { $_->{artifact} => 1 } grep { $_->{event} eq 'purge put off' } @{runner()};
	is_deeply \%off, { map { $_ => 1 } @arts[0, 1] }, 'both are put off, and it is logged';
	is_deeply $db->selectcol_arrayref('SELECT id FROM artifact WHERE id IN (?, ?, ?) ORDER BY id', undef, @arts), [sort @arts[0, 1]],
		'the one behind them is purged';
	ok !-e "$data/objects/ff/" . 'f' x 64, 'and the sweep is done';
	$db->do($_) for 'DROP TABLE holder', 'DROP TRIGGER no_way';
	runner();
	is $db->selectrow_array('SELECT COUNT(*) FROM artifact WHERE id IN (?, ?, ?)', undef, @arts), 0, 'later they are purged too';
};

subtest 'mail that takes long' => sub {
	quiet();
	my $so_far = $smtp->mails;
	$smtp->reply('slow@example.org' => 'wait');
	my @mail = ("$stack->{build}/t/drive/mail", "$stack->{dir}/vitrine.yaml");
	for my $to (qw(slow@example.org next@example.org)) {
		open my $out, '-|', @mail, 1, 'reset_password', $to, '', '', 'link=/v?t=x' or die;
		close $out or die 'drive';
	}
	$db->do("UPDATE outbox SET due_at = 1 WHERE subject = 'slow\@example.org'");
	unlink "$data/sites/site";
	project(out_a => $art);
	my $pid = started();
	Vitrine::Stack::wait_for('the slow mail', 60, sub { grep { /slow/ } $smtp->asked });
	ok -l "$data/sites/site", 'pages come before mail';
	# All of this happens while the server thinks: a page, and somebody who has forgotten a password.
	unlink "$data/sites/site";
	project(out_b => $art);
	$db->do("INSERT INTO outbox (id, kind, subject, due_at) VALUES ('out_l', 'password_link', 'ann\@example.org', UNIX_TIMESTAMP())");
	$smtp->reply('next@example.org' => 'wait');
	unlink "$smtp->{dir}/go";
	$smtp->go;
	waitpid $pid, 0;
	is $?, 0, 'it ended well';
	ok -l "$data/sites/site", 'what is published meanwhile is shown';
	is_deeply [sort map { $_->{envelope}{to}[0] } ($smtp->mails)[$so_far .. $so_far + 2]],
		[map { "$_\@example.org" } qw(ann next slow)], 'and mail that is asked for in a run leaves in it';
	is rows('outbox'), 0, 'nothing is left';
	$smtp->reply();
};

subtest 'pages between mails' => sub {
	unlink "$smtp->{dir}/go";
	$smtp->reply('*' => 'wait');
	for my $n (1, 2) {
		open my $out, '-|', "$stack->{build}/t/drive/mail", "$stack->{dir}/vitrine.yaml", 1, 'reset_password', "m$n\@example.org",
			'', '', 'link=/v?t=x' or die;
		close $out or die 'drive';
	}
	my $asked = $smtp->asked;
	my $pid = started();
	Vitrine::Stack::wait_for('the first mail', 60, sub { $smtp->asked > $asked });
	unlink "$data/sites/site";
	project(out_c => $art);
	$smtp->reply('*' => 'wait');
	$smtp->go;
	Vitrine::Stack::wait_for('the second mail', 60, sub { $smtp->asked > $asked + 1 });
	ok -l "$data/sites/site", 'before the second is begun, the page is shown';
	waitpid $pid, 0;
	is $?, 0, 'it ended well';
	$smtp->reply();
};

subtest 'a mail that is held does not hold the next' => sub {
	for my $to (qw(held@example.org free@example.org)) {
		open my $out, '-|', "$stack->{build}/t/drive/mail", "$stack->{dir}/vitrine.yaml", 1, 'reset_password', $to, '', '',
			'link=/v?t=x' or die;
		close $out or die 'drive';
	}
	$db->do("UPDATE outbox SET due_at = 1 WHERE subject = 'held\@example.org'");
	my $other = DBI->connect("dbi:MariaDB:database=vitrine;mariadb_socket=$stack->{run}/db.sock", scalar getpwuid($>), '',
		{ RaiseError => 1 });
	$other->begin_work;
	my ($held) = $db->selectrow_array("SELECT id FROM outbox WHERE subject = 'held\@example.org'");
	$other->do('SELECT * FROM outbox WHERE id = ? FOR UPDATE', undef, $held);
	my $so_far = $smtp->mails;
	runner();
	is join(' ', map { $_->{envelope}{to}[0] } ($smtp->mails)[$so_far .. $smtp->mails - 1]), 'free@example.org', 'the other is sent';
	$other->rollback;
	runner();
	is rows('outbox'), 0, 'and this one later';
};

subtest 'the doctor' => sub {
	my $doctor = sub { return ($stack->program('vitrinectl', {}, 'doctor'))[1] };
	my $said = $doctor->();
	like $said, qr/^ok +the runner was active/m, 'the runner was there';
	like $said, qr/^ok +every sweep has finished/m, 'and its sweeps end';
	$db->do('UPDATE heartbeat SET beat_at = beat_at - 601');
	like $doctor->(), qr/^FAIL +the runner was active.*\n +fix: check the runner's log/m, 'ten minutes without it';
	runner();
	like $doctor->(), qr/^ok +the runner was active/m, 'a run is a sign of life';
	$db->do("UPDATE sweep SET under_way = 1, started_at = started_at - 300000, finished_at = finished_at - 300000 "
		. "WHERE name = 'trees'");
	like $doctor->(), qr/^FAIL +every sweep has finished/m, 'a sweep that does not come to its end';
};
finish($stack);
