# SPDX-License-Identifier: Apache-2.0
# A database of an older version: what refuses to run on it, and that vitrinectl migrate apply brings it up to date with its rows, after a
# kill too.
use File::Copy 'copy';
use FindBin;
use Vitrine::Words;

my ($stack, $api, $db) = stack();
my @files = sort glob "$FindBin::Bin/../../sql/*.sql";
my ($now) = $files[-1] =~ m{/0*(\d+)_[^/]+$};
my $ann;

sub ctl { return $stack->program('vitrinectl', {}, @_) }
sub old_ctl { return $stack->program('vitrinectl', { VITRINE_SHARE => $stack->{dir} }, @_) }
sub worker_start { return $stack->program('vitrine-worker', {}, '-c', "$stack->{dir}/vitrine.yaml") }
sub ready { return $api->call(GET => '/readyz')->{status} }
my %id = (small => 'art_' . '1' x 26, plain => 'art_' . '2' x 26);
sub mobile_url { return $api->call(GET => "/v1/artifacts/$id{$_[0]}", { token => $ann->{token} })->{json}{artifact}{mobile_url} }

# The lowest version of programs that the last migrations allow.
my $oldest = $db->selectrow_array('SELECT MAX(COALESCE(compatible, version)) FROM schema_migration');
sub status {
	my ($has, $lowest) = @_;
	return "the database has schema $has; this program needs $now\nprograms of schema $lowest or later can run on it\n";
}
is_deeply [ctl(qw(migrate status))], [0, status($now, $oldest), ''],
	'status of a database that is up to date';
is_deeply [ctl(qw(migrate apply))], [0, "0 migrations applied; the schema is at $now\n", ''], 'nothing to apply';
is ready(), 200, 'ready';

# ---- a database of the third version, with rows

$db->do($_) for 'DROP DATABASE vitrine', 'CREATE DATABASE vitrine CHARACTER SET utf8mb4', 'USE vitrine';
mkdir "$stack->{dir}/sql";
copy($_, "$stack->{dir}/sql/") for @files[0 .. 2];
my ($exit, $out, $log) = old_ctl(qw(migrate apply --force));
isnt $exit, 0, 'the migrations of an older version do not do';
like $log, qr/schema 3; this program needs $now/, '... and it is said';
$db->do("INSERT INTO user (id, email, created_at) VALUES ('usr_a', 'ann\@example.org', 1)");
for (['small', "UNHEX(SHA2('', 256))"], ['plain', 'NULL']) {
	my ($slug, $mobile) = @$_;
	$db->do($_) for "INSERT INTO artifact (id, owner_id, name, slug, visibility, live_no, last_no, created_at, updated_at)"
		. " VALUES ('$id{$slug}', 'usr_a', '$slug', '$slug', 'private', 1, 1, 1, 1)",
		"INSERT INTO slug (slug, owner_id, artifact_id) VALUES ('$slug', 'usr_a', '$id{$slug}')",
		"INSERT INTO version (artifact_id, version_no, id, created_at, created_by, entrypoint, mobile_sha256, mobile_size, "
			. "file_count, size_bytes)"
		. " VALUES ('$id{$slug}', 1, 'ver_$slug', 1, 'usr_a', 'index.html', $mobile, 0, 0, 0)";
}

$db->do($_) for 'UPDATE artifact SET last_no = 3, live_no = 2 WHERE slug = "small"',
	map { "INSERT INTO version (artifact_id, version_no, id, created_at, created_by, entrypoint, file_count, size_bytes)"
		. " SELECT artifact_id, $_, 'ver_small$_', 10 + $_, created_by, 'index.html', 0, 0 FROM version WHERE id = 'ver_small'" } 2,
		3;
$db->do("UPDATE version SET mobile_sha256 = UNHEX(SHA2('', 256)), mobile_size = 0 WHERE id = 'ver_small2'");
$db->do("INSERT INTO idempotency (user_id, idem_key, request_sha256, status, location, body, created_at) "
	. "VALUES ('usr_a', 'k', UNHEX(SHA2('', 256)), 200, '/v1/x', 'so_secret', 1)");
$db->do("INSERT INTO version_file (artifact_id, version_no, path, sha256, size_bytes, mime, declared) "
	. "VALUES ('$id{$_->[0]}', 1, '$_->[1]', UNHEX(SHA2('', 256)), 0, 'x/y', 0)")
	for ['plain', 'b.js.gz'], ['plain', '_headers'], ['small', '_redirects'];
$db->do("INSERT INTO outbox (id, kind, subject, payload, due_at) "
	. "VALUES ('out_1', 'mail', 'a\@b.org', '{\"template\":\"verify_email\",\"queued_at\":1,\"values\":{\"link\":\"/x\"}}', 0),"
	. " ('out_2', 'mail', 'a\@b.org', '{\"template\":\"signin_new_device\",\"queued_at\":1,\"values\":{\"when\":\"now\","
	. "\"where\":\"here\"}}', 0), ('out_3', 'mail', 'a\@b.org', '{\"template', 0)");
$db->do("UPDATE version SET entrypoint = 'home.html' WHERE artifact_id = '$id{small}'");
# What they store: files that versions have in common, pages for small screens and icons, an artifact without anything, a person without
# artifacts.
$db->do("INSERT INTO user (id, email, created_at) VALUES ('usr_b', 'ben\@example.org', 1)");
$db->do("INSERT INTO version_file (artifact_id, version_no, path, sha256, size_bytes, mime, declared) "
	. "VALUES ('$id{small}', $_->[0], '$_->[1]', UNHEX(SHA2('$_->[2]', 256)), $_->[3], 'x/y', 0)")
	for [1, 'a', 'one', 100], [1, 'b', 'one', 100], [2, 'a', 'one', 100], [2, 'c', 'two', 20];
$db->do("UPDATE version SET mobile_sha256 = UNHEX(SHA2('m', 256)), mobile_size = 3, icon_sha256 = UNHEX(SHA2('i', 256)), icon_size = 7 "
	. "WHERE artifact_id = '$id{small}' AND version_no > 1");

is_deeply [ctl(qw(migrate status))], [1, status(3, 3), ''], 'status of an older one';
is ready(), 503, 'not ready';
($exit, $out, $log) = worker_start();
isnt $exit, 0, 'a pool does not start on it';
like $log, qr/does not have schema $now: run vitrinectl migrate apply/, '... and says what to do';
($exit) = $stack->program('vitrine-runner', {}, '--once');
isnt $exit, 0, 'nor does the runner';

my $saved = "$stack->{dir}/saved";
sub saved { return [map { s{^\Q$saved\E/}{}r } sort glob "$saved/*"] }
Vitrine::Stack::spew($saved, 'a file');
($exit, $out, $log) = ctl(qw(migrate apply --force --save), $saved);
is $exit, 1, 'rows that can not be saved are not migrated';
like $log, qr/^the rows were not saved, so the schema stays as it is$/m, '... which is said';
is_deeply [ctl(qw(migrate status))], [1, status(3, 3), ''], '... and so it is';
unlink $saved;
mkdir $saved;
my @kept = map { "20${_}0101T000000.000-before-0.$_" } 20 .. 22;
mkdir "$saved/$_" for @kept, 'mine';
($exit, $out, $log) = ctl(qw(migrate apply --force --save), $saved);
is $exit, 0, 'applied' or diag $log;
like $out, qr{^the rows were backed up to \Q$saved\E/\d{8}T\d{6}\.\d{3}-before-schema-$now\n@{[@files - 3]} migrations applied; the schema is at $now\n$},
	'... and where the rows of before are';
shift @kept;
my ($new) = grep { /schema-$now/ } @{saved()};
is_deeply saved(), [@kept, $new, 'mine'], '... beside the two before, and what is not of this';
like Vitrine::Stack::slurp("$saved/$new/database.sql"), qr/INSERT INTO `user` VALUES\s*\('usr_a'/, '... with rows';
unlike Vitrine::Stack::slurp("$saved/$new/database.sql"), qr/live_mobile/, '... and columns of that schema';
is ready(), 200, 'ready again';
is_deeply $db->selectall_arrayref('SELECT idem_key, body FROM idempotency'), [['k', '']],
	'a reply that was kept in the clear is gone, its key is not';
$ann = { token => $stack->ctl(qw(token mint --user ann@example.org)) };
like mobile_url('small'), qr{/_m/$}, 'live_mobile is made from the rows that were there';
is mobile_url('plain'), undef, '... of each';
is_deeply [sort @{$db->selectcol_arrayref("SELECT subject FROM outbox WHERE kind = 'project'")}], [sort @id{qw(plain small)}],
	'what has a published .gz is projected again, rules beside an entry page of another name, '
		. 'and what has versions that are not known to have been live';
is_deeply $db->selectcol_arrayref('SELECT first_live_at FROM version ORDER BY id'), [1, undef, 12, undef],
	'those that are live count as live, no other';

is_deeply $db->selectall_arrayref("SELECT JSON_VALUE(payload, '\$.template'), JSON_VALUE(payload, '\$.values.link'), JSON_VALUE(payload, "
	. "'\$.values.by') FROM outbox WHERE id IN ('out_1', 'out_2') ORDER BY id"),
	[['invitation', '/x', 'Whoever runs the service'], ['signin_new_device', '/auth/account', undef]],
	'messages that wait have what their texts need';
is $db->selectrow_array("SELECT payload FROM outbox WHERE id = 'out_3'"), '{"template', 'one that can not be read stays as it is';

my $stored = sub { return $db
	->selectall_arrayref('SELECT artifact_id, bytes FROM artifact_storage UNION ALL SELECT user_id, bytes FROM storage ORDER BY 1') };
is_deeply $stored->(), [[$id{small}, 130], [$id{plain}, 0], ['usr_a', 130]], 'what was there before counts, each file once in its artifact';

# ---- killed before the last step was noted

$db->do('UPDATE schema_migration SET done = 0, step = step - 1 WHERE version = ?', undef, $now);
is ready(), 503, 'a migration that is half done: not ready';
is_deeply [ctl(qw(migrate apply --force))], [0, "1 migrations applied; the schema is at $now\n", ''],
	'a killed run is taken up where it was';
is ready(), 200, 'ready';
is_deeply $stored->(), [[$id{small}, 130], [$id{plain}, 0], ['usr_a', 130]], '... and nothing counts twice';

# ---- who is connected while a newer release migrates

copy($_, "$stack->{dir}/sql/") for @files;
my $probe = "$stack->{dir}/sql/" . sprintf('%03d', $now + 1) . '_probe.sql';
sub probe {
	Vitrine::Stack::spew($probe, $_[0]);
	$db->do('DROP TABLE IF EXISTS probe');
	$db->do('DELETE FROM schema_migration WHERE version > ?', undef, $now);
}
my $made = 0;
sub publish {
	$made++;
	return $api->call(POST => '/v1/publish', { token => $ann->{token},
		json => { name => "P$made", slug => "p$made", files => [{ path => 'index.html', content => 'x' }] } });
}
sub artifacts { return $db->selectrow_array('SELECT COUNT(*) FROM artifact') }
my $answer = sub { my $r = shift; return "$r->{status} " . ($r->{json}{code} // '') };
probe("CREATE TABLE probe AS SELECT \@\@max_statement_time AS seconds;\n");
is publish()->{status}, 201, 'a pool publishes';
my $runner = $stack->start_runner;
Vitrine::Stack::wait_for('the runner', 60,
	sub { $db->selectrow_array("SELECT COUNT(*) FROM information_schema.processlist WHERE db = 'vitrine' AND user = 'vitrine'") > 5 });
($exit, $out, $log) = old_ctl(qw(migrate apply));
is $exit, 1, 'a newer release does not migrate beside it';
like $log,
	qr/^vitrinectl: others are connected to the database:\n  vitrine from localhost, \w+ for \d+ s\n.*^stop the pools, the runner, and cron, or cut them off: vitrinectl migrate apply --force$/ms,
	'... and says who is there';
is $db->selectrow_array('SELECT MAX(version) FROM schema_migration'), $now, '... nothing has changed';
is publish()->{status}, 201, '... and nobody is turned away';
probe("-- compatible: $now\nCREATE TABLE probe (id INT);\n");
($exit, $out, $log) = old_ctl(qw(migrate apply));
like $log, qr/^vitrinectl: others are connected/, 'nor does one that only this release can run on, while older programs might be there';
($exit, $out, $log) = old_ctl(qw(migrate apply --running present));
is_deeply [$exit, $out], [0, "1 migrations applied; the schema is at @{[$now + 1]}\n"], 'told that none are, it does';
is publish()->{status}, 201, '... and nobody is turned away';
probe("CREATE TABLE probe AS SELECT \@\@max_statement_time AS seconds;\n");
($exit, $out, $log) = old_ctl(qw(migrate apply --force));
like $log, qr/has schema @{[$now + 1]}, newer than this program's $now/, 'told to, it does';
is +($db->selectrow_array('SELECT FLOOR(seconds) FROM probe'))[0], 0, '... and a migration takes as long as it needs';
my $before = artifacts();
is $answer->(publish()), '503 UNAVAILABLE', 'a pool that was left running acknowledges nothing' for 1 .. 20;
is artifacts(), $before, '... and writes nothing';
Vitrine::Stack::wait_for('the runner to end', 60, sub { !Vitrine::Stack::alive($runner) });
delete $stack->{pids}{runner};
like Vitrine::Stack::slurp("$stack->{dir}/runner.log"),
	qr/"lane failed".*the database has schema @{[$now + 1]}, newer than this program's $now/,
	'a runner that was left running ends, and says why';
for (['user list'], ['user add x@example.org'], ['fsck'], ['reindex'], ['backup', "$stack->{dir}/b"]) {
	($exit, $out, $log) = ctl(split(/ /, $_->[0]), @$_[1 .. $#$_]);
	is $exit, 1, "vitrinectl $_->[0] refuses";
	like $log, qr/^vitrinectl: the database has schema @{[$now + 1]}, newer than this program's $now: install its release$/,
		'... and says why';
}
# The last migrations may have let still older programs stay, which could be connected.
probe("-- compatible: $oldest\nCREATE TABLE probe (id INT);\n");
is publish()->{status}, 201, 'back on the schema that it knows, a pool publishes';
($exit, $out, $log) = old_ctl(qw(migrate apply));
is $exit, 0, 'a migration that older programs can run on asks nobody to go' or diag $log;
is_deeply [ctl(qw(migrate status))], [0, status($now + 1, $oldest), ''], '... and says on which';
is publish()->{status}, 201, '... and they go on';
is ready(), 200, '... are ready';
is +(ctl(qw(user list)))[0], 0, '... and vitrinectl works';
$db->do('UPDATE schema_migration SET done = 0, step = 0 WHERE version = ?', undef, $now + 1);
is publish()->{status}, 201, '... while it is under way, too';
probe('');
unlink $probe;

# ---- a database that a newer program has changed

$db->do('INSERT INTO schema_migration (version, step, done, changed_at) VALUES (?, 1, 1, 0)', undef, $now + 1);
is_deeply [ctl(qw(migrate status))], [1, status($now + 1, $now + 1), ''],
	'status of a newer one';
is ready(), 503, 'not ready';
like +(worker_start())[2], qr/schema @{[$now + 1]}, newer than this program's $now/, 'a pool says why it does not start';
($exit, $out, $log) = ctl(qw(migrate apply));
isnt $exit, 0, 'apply does not call it done';
like $log, qr/schema @{[$now + 1]}, newer than this program's $now/, '... and says why';

finish($stack);
