# SPDX-License-Identifier: Apache-2.0
# Versions, while things die: one that checks hold back is there whole or not at all, and goes live once, or its publisher gets one mail;
# publishes that wait are answered by a pool that is replaced, fifty at once, and hold no worker; old versions go whole. Rows stand for
# what a browser saw.
use Time::HiRes qw(sleep time);
use Vitrine::Crash;
use Vitrine::Smtp;
use Vitrine::Words 'said';

# The system calls of a runner from the first that settles to what is served of the version that went live.
my $SETTLING = 345;
# Those that remove three versions, in one transaction; after that the runner removes what was served of them.
my $REMOVING = 240;
my $instants = $ENV{VITRINE_TORTURE} // 6;
my $smtp = Vitrine::Smtp->new;
my $stack = Vitrine::Crash->stack(chromium => '/usr/bin/true', previews => '"-"', $smtp->conf);
my $api = Vitrine::Api->new($stack);
my $crash = Vitrine::Crash->new($stack, $api);
my $db = $stack->db;
my $ann = $stack->user('ann@example.org');
my @more = map { $stack->user("u$_\@example.org") } 1 .. 10;
# Each change of what is live, and each mail, that was committed. A statement of a worker that has run can't get a trigger any more.
$stack->{admin}->do($_) or die for 'USE vitrine', 'CREATE TABLE lives (artifact_id VARCHAR(40), version_no INT) ENGINE=InnoDB',
	'CREATE TRIGGER lives AFTER UPDATE ON artifact FOR EACH ROW'
	. ' INSERT INTO lives SELECT NEW.id, NEW.live_no FROM DUAL WHERE NOT NEW.live_no <=> OLD.live_no',
	'CREATE TABLE mails (id VARCHAR(40)) ENGINE=InnoDB',
	"CREATE TRIGGER mails AFTER INSERT ON outbox FOR EACH ROW INSERT INTO mails SELECT NEW.id FROM DUAL WHERE NEW.kind = 'mail'";
my @arts = map { $api->publish($ann, name => "Page $_", slug => "page-$_", files => { 'index.html' => 'first' }) } 0 .. 1;
$api->call(PATCH => "/v1/artifacts/$_", { token => $ann->{token}, json => { checks => ['errors'] } }) for @arts;

# A connection of this process, which may be a child.
my %base = ($$ => $db);
sub base { return $base{$$} //= $db->clone }
sub publish {
	my ($by, $who, %of) = @_;
	my $key = delete $of{key};
	return $by->call(POST => '/v1/publish', { token => $who->{token}, ($key ? (headers => { 'Idempotency-Key' => $key }) : ()),
		json => { files => [{ path => 'index.html', content => "$$ " . ($key // rand) }], %of } });
}
sub count { my ($sql, @args) = @_; return scalar base()->selectrow_array("SELECT COUNT(*) FROM $sql", undef, @args) }
# As if a browser had seen each version that waits; those of the artifact failed.
sub see {
	my ($fails) = @_;
	my $items = '[{"kind":"exception","text":"x","url":null,"line":null,"count":1}]';
	base()->do("UPDATE page_seen SET due_at = NULL, wanted_at = 0, seen_at = 1700000000, seen = CONCAT('{\"requests\":1,\"bytes\":1,"
		. "\"other_hosts\":[],\"failed\":[],\"ok\":', IF(artifact_id = ?, 'false,\"items\":$items', 'true,\"items\":[]'), '}')"
		. ' WHERE wanted_at > 0', undef, $fails // '');
	base()->do('UPDATE page_seen SET due_at = NULL');
	base()->do('UPDATE version_hold SET until_at = 1');
	base()->do('DELETE FROM mail_budget');
}
# Processes that wait are told of everything.
sub wake {
	open my $told, '+<:raw', "$stack->{dir}/data/told" or die "told: $!";
	print $told pack('L', $_[0]) x 1024;
	close $told;
}
# A runner that found nothing to start says for a while that no browser runs.
sub renew { utime 1, 1, "$stack->{dir}/data/picture.lock" }
sub clean { my ($name) = @_; is $stack->ctl('fsck'), 'clean', "$name: fsck is clean" }
sub held_whole {
	my ($name) = @_;
	is count("version v LEFT JOIN version_hold h ON h.artifact_id = v.artifact_id AND h.version_no = v.version_no"
		. " LEFT JOIN page_seen p ON p.artifact_id = v.artifact_id AND p.version_no = v.version_no"
		. " WHERE v.check_state <=> 'waiting' AND (h.version_no IS NULL OR p.version_no IS NULL)"
		. " OR NOT v.check_state <=> 'waiting' AND h.version_no IS NOT NULL"), 0, "$name: what is held is held whole";
}

sub numbers { my ($art) = @_; return join ' ', map { @$_ } @{base()->selectall_arrayref(
	'SELECT version_no FROM version WHERE artifact_id = ? ORDER BY version_no', undef, $art)} }

# ---- the pool is replaced, or the process dies in which they wait, while publishes wait

for (['the pool is replaced', HUP => sub { $stack->{pids}{worker} }], ['the line dies', KILL => sub { $stack->workers('line') }]) {
	my ($name, $signal, $whom) = @$_;
	my $before = count('version');
	my @said = Vitrine::Api::together($stack, 4, sub {
		my ($by, $i) = @_;
		if ($i == 3) {
			Vitrine::Stack::wait_for('the publishes', 30, sub { count('version') == $before + 3 });
			sleep 0.3;
			return kill $signal, $whom->();
		}
		my $r = publish($by, $ann, name => 'Waits', wait => 'render', wait_s => 2);
		return join ' ', said($r), $r->{json}{seen}{status} // 'none', $by->call(GET => "/v1/artifacts/$r->{json}{artifact}{id}",
			{ token => $ann->{token} })->{status};
	});
	is_deeply \@said, [('201  waiting 200') x 3, 1], "$name: who waits is answered, and the version is there";
	is count('version'), $before + 3, '... once';
	$crash->children;
}

# ---- fifty wait at once

my $before = count('version');
my @said = Vitrine::Api::together($stack, 51, sub {
	my ($by, $i) = @_;
	if ($i < 50) {
		my $r = publish($by, $more[$i / 5], name => 'Fifty', wait => 'render', wait_s => 10);
		return join ' ', said($r), $r->{json}{seen}{status} // $r->{body};
	}
	Vitrine::Stack::wait_for('the publishes', 60, sub { count('version') == $before + 50 });
	my $most = 0;
	for (1 .. 5) {
		for my $path ('/v1/auth/me', '/auth/callback') {
			my $from = time;
			my $status = $by->call(GET => $path, { token => $ann->{token} })->{status};
			return "$path: $status" if $status !~ /^(?:200|400)$/;
			$most = time - $from if time - $from > $most;
		}
	}
	see();
	wake(99);
	return $most;
});
my $most = pop @said;
is_deeply [grep { !/^201  (?:seen|waiting)$/ } @said], [], 'fifty publishes that wait are all answered';
cmp_ok scalar(grep { /seen/ } @said), '>', 25, '... with what was seen meanwhile';
cmp_ok $most, '<', 5, '... and hold neither of the two workers' or diag "@said";
is count('version'), $before + 50, '... each has one version';

SKIP: {
	skip 'strace is not here', 1 if !`strace -V 2>/dev/null`;

	# ---- a worker dies in a publish that checks hold

	my $held = sub { my ($key) = @_; return sub { publish($api, $ann, artifact_id => $arts[0], key => $key) } };
	my ($r, $calls) = $crash->count($held->('count'));
	is "$r->{status} $r->{json}{held_for}", '201 checks', 'a version is held, under strace';
	# An artifact has ten mails a day.
	my $some = $instants < 18 ? int(($instants + 1) / 2) : 9;
	for my $i (1 .. $some) {
		my $n = 1 + int(($i - rand) * $calls / $some);
		$before = count('version');
		$r = $crash->at($n, $held->("kill-$i"));
		ok $r->{status} =~ /^(?:201|502|503|504|0)$/, "system call $n: the caller is told $r->{status}";
		held_whole("system call $n");
		ok count('version') == $before + 1 || $r->{status} != 201, "system call $n: what was answered is there";
		is said($held->("kill-$i")->()), '201 ', "system call $n: the request again";
		is count('version'), $before + 1, "system call $n: ... is the same publish";
	}
	clean('workers that died');
	see($arts[0]);
	is +($stack->runner)[0], 0, 'the runner ran';
	renew();
	is scalar(() = $smtp->mails), 1 + $some, 'a mail of each that failed';

	# ---- the runner dies while it settles: one is broken and stays a draft, one is mended and goes live

	my $killed = 0;
	for my $i (0 .. $instants) {
		my ($broken, $mended) = @arts[$i % 2, 1 - $i % 2];
		my %no = map { $_ => publish($api, $ann, artifact_id => $_)->{json}{version}{version_no} } @arts;
		see($broken);
		my $mails = count('mails');
		my $name = 'the runner';
		if (!$i) {
			$calls = $crash->runner_count('FROM version_hold WHERE until_at', $SETTLING);
		}
		else {
			my $n = 1 + int(($i - rand) * $calls / $instants);
			$name = "the runner's call $n";
			$killed++ if $crash->runner_at($n);
		}
		renew();
		is +($stack->runner)[0], 0, "$name: another runner";
		renew();
		is count("version WHERE artifact_id = ? AND version_no = ? AND check_state = 'failed' AND first_live_at IS NULL", $broken,
			$no{$broken}), 1, "$name: what is broken stays a draft";
		is count('artifact WHERE id = ? AND live_no = ?', $mended, $no{$mended}), 1, "$name: what is mended is live";
		is count('lives WHERE artifact_id = ? AND version_no = ?', $mended, $no{$mended}), 1, "$name: ... which it became once";
		is count('mails') - $mails, 1, "$name: one mail";
		held_whole($name);
	}
	ok $killed, "$killed of $instants were killed";

	# Another runner settles it at the same moment.
	my $art = $arts[0];
	my $no = publish($api, $ann, artifact_id => $art)->{json}{version}{version_no};
	see();
	my $mails = count('mails');
	my $other = $db->clone;
	$other->begin_work;
	$other->do('SELECT id FROM artifact WHERE id = ? FOR UPDATE', undef, $art);
	my $pid = fork // die "fork: $!";
	if (!$pid) { $stack->runner; POSIX::_exit(0) }
	Vitrine::Stack::wait_for('the runner to wait', 30, sub { count("information_schema.PROCESSLIST WHERE id <> CONNECTION_ID()"
		. " AND state = 'Statistics' AND info LIKE '%FOR UPDATE'") });
	$other->do("UPDATE version SET check_state = 'passed', first_live_at = 1 WHERE artifact_id = ? AND version_no = ?", undef,
		$art, $no);
	$other->do('DELETE FROM version_hold WHERE artifact_id = ? AND version_no = ?', undef, $art, $no);
	$other->do('UPDATE artifact SET live_no = ? WHERE id = ?', undef, $no, $art);
	$other->commit;
	waitpid $pid, 0;
	renew();
	is count("version WHERE artifact_id = ? AND version_no = ? AND check_state = 'passed'", $art, $no), 1,
		'what two runners settle is settled once';
	is count('mails'), $mails, '... and nobody is told that it failed';
	$stack->ctl('reproject');
	is count('version_hold'), 0, 'nothing is held';
	clean('runners that died');

	# ---- the runner dies while old versions go

	$art = $api->publish($ann, name => 'Old', slug => 'old', visibility => 'public', files => { 'index.html' => 'first' });
	my $change = sub {
		my ($method, $path, $json) = @_;
		my $r = $api->call($method => "/v1/artifacts/$art$path", { token => $ann->{token}, json => $json });
		is $r->{status}, 200, "$method $path";
	};
	publish($api, $ann, artifact_id => $art) for 2 .. 3;
	my ($pinned) = $api->get_site('old--v2', '/')->{body};
	$change->(PATCH => '', { pinned_version => 2 });
	$change->(PUT => '/retention', { keep => 1 });
	base()->do('UPDATE version SET approved = TRUE WHERE artifact_id = ? AND version_no = 1', undef, $art);
	$killed = 0;
	my $last = 3;
	for my $i (0 .. $instants) {
		publish($api, $ann, artifact_id => $art) for 1 .. 3;
		my @there = (1, 2, $last .. $last + 3);
		$last += 3;
		base()->do('UPDATE version SET created_at = created_at - 40 * 86400 WHERE artifact_id = ?', undef, $art);
		base()->do("DELETE FROM sweep WHERE name = 'retention'");
		my $name = 'retention';
		if (!$i) {
			$calls = $crash->runner_count('AS has_rule', 4000);
		}
		else {
			my $n = 1 + int(($i - rand) * ($i % 2 ? $REMOVING : $calls) / $instants);
			$name = "retention, call $n";
			$killed++ if $crash->runner_at($n);
			my $left = numbers($art);
			ok $left eq "@there" || $left eq "1 2 $last", "$name: all that go are there, or none" or diag $left;
			is $api->get_site('old', '/')->{body}, $pinned, "$name: the pinned one is served";
		}
		renew();
		base()->do("DELETE FROM sweep WHERE name = 'retention'");
		is +($stack->runner)[0], 0, "$name: another runner";
		is numbers($art), "1 2 $last", "$name: the approved, the pinned, and the newest stay";
		is count('artifact_storage s WHERE s.artifact_id = ? AND s.bytes = (SELECT SUM(f.size_bytes) FROM'
			. ' (SELECT DISTINCT sha256, size_bytes FROM version_file WHERE artifact_id = ?) f)', $art, $art), 1,
			"$name: what is stored is counted";
		is join(' ', map { s{.*/}{}r } sort glob "$stack->{dir}/data/trees/$art/*"), "1 2 draft-$last live", "$name: as are trees";
	}
	ok $killed, "$killed of $instants were killed";
	clean('retention');
}
finish($stack);
