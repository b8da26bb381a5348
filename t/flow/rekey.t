# SPDX-License-Identifier: Apache-2.0
# The installation's key is changed while the service runs: by the steps of docs/operations.md, with what is refused on the way, people who
# write meanwhile, a rekey that is killed in the middle, and a backup from before.
use File::Path 'remove_tree';
use POSIX ();
use Time::HiRes 'sleep';
use Vitrine::Sealed;
use Vitrine::Words 'as';

my ($stack, $api, $db) = stack(Vitrine::Sealed->conf, comments_per_hour => 100_000);
my ($dir, $old, $next) = map { ($_, "$_/key", "$_/key.next") } $stack->{dir};
my $has = Vitrine::Sealed->new($stack, $api);
my $log = "$dir/worker.log";
sub ctl { return $stack->program('vitrinectl', {}, @_) }
sub conf { my (%conf) = @_; $stack->{conf} = { %{$stack->{conf}}, %conf }; $stack->write_conf }
# Every child is replaced.
sub reload {
	my @others = qw(packer indexer line);
	my %was = map { $_ => 1 } $stack->workers, map { $stack->workers($_) } @others;
	kill HUP => $stack->{pids}{worker};
	Vitrine::Stack::wait_for('the reload', 60, sub {
		my @now = $stack->workers;
		@now == 6 && !grep { $was{$_} } @now, map { $stack->workers($_) } @others;
	});
}
sub everything {
	return join "\n", map { my ($t, $c) = split /\./; @{$db->selectcol_arrayref("SELECT COALESCE($c, '-') FROM $t ORDER BY 1")} } @_;
}
my @columns = $stack->ctl(qw(rekey --check)) =~ /^(\w+\.\w+): /mg;
sub under {
	my ($id) = @_;
	my $n = 0;
	for (@columns) { my ($t, $c) = split /\./; $n += $db->selectrow_array("SELECT COUNT(*) FROM $t WHERE $c LIKE '$id.%'") }
	return $n;
}
sub total {
	my $n = 0;
	for (@columns) { my ($t, $c) = split /\./; $n += $db->selectrow_array("SELECT COUNT(*) FROM $t WHERE $c > ''") }
	return $n;
}
# A rekey of its own, that one can kill.
sub begin {
	my $pid = fork // die;
	if (!$pid) {
		%ENV = (%ENV, $stack->env);
		open STDOUT, '>', "$dir/rekey.out" or die;
		open STDERR, '>&', \*STDOUT or die;
		exec "$stack->{build}/vitrinectl", 'rekey' or POSIX::_exit(127);
	}
	return $pid;
}
sub ended { my ($pid) = @_; waitpid $pid, 0; return ($? >> 8 || $? & 127) . ' ' . Vitrine::Stack::slurp("$dir/rekey.out") }
# Somebody else's transaction holds a row, where the rekey then waits.
my $other = DBI->connect("dbi:MariaDB:database=vitrine;mariadb_socket=$stack->{run}/db.sock", scalar getpwuid($>), '', { RaiseError => 1 });
sub hold { my ($sql, @args) = @_; $other->begin_work; $other->selectall_arrayref("$sql FOR UPDATE", undef, @args) }
# innodb_trx is a copy, which stays as it is while it is read more often than each 0.1 s.
sub waits {
	my ($table) = @_;
	Vitrine::Stack::wait_for("the rekey at $table", 60, sub {
		sleep 0.15;
		$db->selectrow_array('SELECT COUNT(*) FROM information_schema.INNODB_TRX'
			. " WHERE trx_state = 'LOCK WAIT' AND trx_query LIKE 'UPDATE $table SET%'");
	});
}

my ($old_id) = $stack->ctl(qw(rekey --check)) =~ /^key_file: key ([0-9a-f]{8})$/m;
$has->ask(POST => "/v1/artifacts/$has->{art}/comments", { text => 'x' }, 'Idempotency-Key' => "comment-$_") for 1 .. 130;
is under($old_id), total(), 'every secret names its key';

# ---- as an earlier release stored them, in a backup as well

for (@columns) { my ($t, $c) = split /\./; $db->do("UPDATE $t SET $c = SUBSTR($c, 10) WHERE $c > ''") }
is under($old_id), 0, 'none does, as before there were ids';
$has->usable('they are of use all the same');
is join('', ctl('fsck')), "0clean\n", 'fsck finds nothing wrong with them';
my ($status, $out, $err) = ctl(qw(rekey --check));
is $status, 0, 'nor is there anything left of another key';
like $out, qr/^every secret is sealed under key_file$/m, '... which is said';
$stack->ctl('backup', "$dir/backup");

# ---- a new key, which everybody can read first

is +(ctl('rekey', '--make', "$dir/none/key"))[0], 1, 'no key where there is no folder';
like $stack->ctl('rekey', '--make', $next), qr/a new key/, 'a new key';
is sprintf('%o %d', (stat $next)[2] & 0777, -s $next), '600 32', '... its owner\'s alone';
my $bytes = Vitrine::Stack::slurp($next);
like +(ctl('rekey', '--make', $next))[2], qr/File exists/, '... is never written over';
is Vitrine::Stack::slurp($next), $bytes, '... and stays';
for (["$dir/key.none", qr/^vitrinectl: other_key_file: \S+key\.none: No such file/],
	[$old, qr/^vitrinectl: other_key_file: \S+ has the same key as key_file/]) {
	conf(other_key_file => $_->[0]);
	($status, $out, $err) = ctl('rekey');
	is "$status $out", '1 ', 'a wrong other key is refused';
	like $err, $_->[1], '... with words';
}
Vitrine::Stack::spew("$dir/short", 'x' x 31);
conf(other_key_file => "$dir/short");
like +(ctl('rekey'))[2], qr/^vitrinectl: other_key_file: \S+ is too short; a key has 32 bytes/, 'so is half a key';
$stack->expect_internal;
reload();
like Vitrine::Stack::slurp($log), qr/"event":"key".*too short.*reload refused/s, 'no reload takes it';
conf(other_key_file => '"-"');
$has->usable('the pools go on with the key that they have');
conf(other_key_file => $next);
reload();
$has->usable('with a second key, all is as it was');
$has->ask(POST => "/v1/artifacts/$has->{art}/comments", { text => 'x' }, 'Idempotency-Key' => 'sealed-then');
is under($old_id), 1, '... and what is new is under the old one';

# ---- exchanged; who has not heard of it is not passed over

conf(key_file => $next, other_key_file => $old);
my $before = everything(@columns);
($status, $out, $err) = ctl('rekey');
is $status, 1, 'while the pools seal with the old key, nothing is sealed anew';
my ($new_id) = $out =~ /^key_file: key ([0-9a-f]{8})\nother_key_file: key $old_id\n/;
like $err, qr/is running seals with key $old_id, not with key $new_id of key_file: reload vitrine-worker/, '... which is said';
is everything(@columns), $before, '... nor touched';
$stack->start_runner('runner', '--stay');
Vitrine::Stack::wait_for('the runner', 60, sub { my %lanes = $stack->lanes; keys %lanes > 5 });
conf(key_file => $old, other_key_file => $next);
$stack->stop_one('runner');
$stack->start_runner('runner', '--stay');
Vitrine::Stack::wait_for('the runner', 60, sub { my %lanes = $stack->lanes; keys %lanes > 5 });
conf(key_file => $next, other_key_file => $old);
reload();
like +(ctl('rekey'))[2], qr/seals with key $old_id/, 'nor while a runner does';
my %lanes = $stack->lanes;
kill HUP => $stack->{pids}{runner};
Vitrine::Stack::wait_for('other lanes', 60,
	sub { my %now = $stack->lanes; keys %now == keys %lanes && !grep { ($now{$_} // 0) == $lanes{$_} } keys %lanes });
$has->usable('with the keys exchanged, all is as it was');
like +(ctl('doctor'))[1],
	qr/^FAIL  every secret in the database is sealed under key_file\n +fix: \d+ secrets under other_key_file: run vitrinectl rekey$/m,
	'the doctor says that the old key is needed';
($status, $out, $err) = ctl('fsck');
is "$status$out", "0clean\n", 'nothing is wrong';
like $err, qr/^\d+ secrets under other_key_file; run vitrinectl rekey$/m, '... and fsck says it, too';
($status, $out) = ctl(qw(rekey --check));
is $status, 1, '--check fails while something is left';
like $out, qr/^idempotency\.body: 132 under other_key_file, 0 that no key opens$/m, '... and says of what';

# ---- somebody enters another secret meanwhile

hold('SELECT * FROM connection_credential WHERE connection_id = ?', $has->{connections}[0]);
my $rekey = begin();
waits('connection_credential');
is as('ann', PATCH => "/v1/workspaces/$has->{ws}/connections/$has->{connections}[1]",
		{ credentials => { token => $has->{secret}[2] = 'hush-hush' } })->{status}, 200,
	'a secret is entered while the old one waits to be sealed anew';
$other->commit;
like ended($rekey),
	qr/^0 .*^connection_credential\.sealed: 1 sealed anew\n.*^every secret is sealed under key_file\nother_key_file isn't needed any more/ms,
	'the rekey leaves it alone, and goes on to the end';
is under($new_id), total(), 'every secret names the new key';
$has->usable('what was entered stays');

# ---- killed in the middle, and begun again

($old, $next, $old_id, $new_id) = ($next, "$dir/key.third", $new_id);
$stack->ctl('rekey', '--make', $next);
conf(key_file => $old, other_key_file => $next);
reload();
kill HUP => $stack->{pids}{runner};
conf(key_file => $next, other_key_file => $old);
reload();
$stack->stop_one('runner');
my @keys = @{$db->selectcol_arrayref('SELECT idem_key FROM idempotency ORDER BY user_id, idem_key')};
my @left;
for my $at (20, 80, 120) {
	hold('SELECT * FROM idempotency WHERE user_id = ? AND idem_key = ?', $has->{ann}{id}, $keys[$at]);
	$rekey = begin();
	waits('idempotency');
	kill KILL => $rekey;
	like ended($rekey), qr/^9 /, "killed at the reply $at";
	$other->commit;
	# Who was killed may still be at its last statement in the database.
	Vitrine::Stack::wait_for('its end', 60, sub {
		!$db->selectrow_array("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE 'UPDATE idempotency SET%'");
	});
	($status, $out) = ctl(qw(rekey --check));
	($new_id) = $out =~ /^key_file: key (\w+)/m;
	push @left, $out =~ /^idempotency\.body: (\d+) under/m;
	is under($new_id) + under($old_id), total(), '... nothing is lost';
	is join('', (ctl('fsck'))[0, 1]), "0clean\n", '... and everything can be opened';
	$has->usable('... and is of use');
}
is "@left", "132 82 32", "what was sealed in whole pieces stays sealed, and each goes on where the one before was";
($status, $out) = ctl('rekey');
is $status, 0, 'begun again, it comes to its end';
like $out, qr/^idempotency\.body: $left[2] sealed anew$/m, '... with what was left';
is under($new_id), total(), 'every secret names the newest key';
is +(ctl(qw(rekey --check)))[0], 0, '--check is content';
my $after = everything(@columns);
is +(ctl('rekey'))[0], 0, 'once more';
is everything(@columns), $after, '... changes nothing';

# ---- without the old ones

conf(other_key_file => '"-"');
reload();
like +(ctl('doctor'))[1], qr/^ok +every secret in the database is sealed under key_file$/m, 'the doctor is content';
$has->usable('the old keys are not needed', last => 1);

# ---- the backup from before, of the first key

sub empty {
	$stack->stop_one('worker');
	$db->do('DROP DATABASE vitrine');
	$stack->{admin}->do('CREATE DATABASE vitrine CHARACTER SET utf8mb4');
	$db->do('USE vitrine');
	remove_tree("$dir/data", { keep_root => 1 });
}
empty();
($status, $out) = ctl('restore', "$dir/backup");
is $status, 0, 'a backup of an older key is restored';
like $out, qr/^\d+ secrets that no key here opens, sealed with another key, or damaged; fsck names them$/m,
	'... and it is said that its secrets need that key';
($status, $out) = ctl('fsck');
is $status, 1, 'without it they can\'t be opened';
like $out, $_, '... as fsck says'
	for qr/^connection \Q$has->{connections}[0]\E: key_file can't decrypt its credentials; an admin has to enter them again$/m,
	qr/^job \Q$has->{job}\E: key_file can't decrypt/m,
	qr/^user $has->{ann}{id}: key_file can't decrypt the second factor's secret; a recovery code does, or run vitrinectl user factor off$/m,
	qr/^delivery link lnk_\w+: key_file can't decrypt its address; its maker has to make another$/m,
	qr/^replies kept for their Idempotency-Key: key_file can't decrypt 131; they go by themselves$/m;
($status, $out) = ctl('rekey');
is $status, 1, 'a rekey without it fails';
like $out, qr/secrets that no key here opens/, '... says why';
is under($new_id), 0, '... and leaves them as they are';
conf(other_key_file => "$dir/key.next");
is +(ctl('rekey'))[0], 1, 'so does one with a wrong key';
is under($new_id), 0, '... which leaves them, too';
conf(other_key_file => "$dir/key");
$stack->start_worker;
$has->{secret}[2] = 'hush-2';
$has->usable('with the key of its day, the pools can read them');
is +(ctl('rekey'))[0], 0, '... and they are sealed anew';
conf(other_key_file => '"-"');
reload();
is under($new_id), total(), 'every secret names the key of today';
$has->usable('and all is as it was', last => 1);

# One that says its key is told by it, and a key that is not there is never replaced by another in silence.
$stack->ctl('backup', "$dir/later");
empty();
conf(key_file => "$dir/key.none");
($status, $out) = ctl('restore', "$dir/later");
is $status, 0, 'restored where there is no key';
like $out,
	qr/^key_file: \S+key\.none: No such file or directory, so the secrets in the backup can't be read yet: before anything starts, put the key there/m,
	'... it is said that one is missing';
conf(key_file => "$dir/key");
like +(ctl(qw(rekey --check)))[1],
	qr/secrets that no key here opens, sealed under key $new_id: name its file in other_key_file, run vitrinectl rekey; fsck names them$/m,
	'and with a wrong one, which it was';
conf(key_file => "$dir/key.none", other_key_file => "$dir/key.third");
($status) = $stack->program('vitrine-worker', {});
is $status, 78, 'beside another key none is made';
ok !-e "$dir/key.none", '... indeed';
$other->disconnect;
finish($stack);
