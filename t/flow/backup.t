# SPDX-License-Identifier: Apache-2.0
# A backup brings everything back; a restore touches nothing that is there, and refuses what is damaged.
use File::Path 'remove_tree';
use IO::Socket::INET;
use Cpanel::JSON::XS ();
use Digest::SHA ();
use Vitrine::Otp;
use Vitrine::Visitor;
use Vitrine::Words;

my ($stack, $api) = stack();
my $ann = $stack->user('ann@example.org');
my $art = $api->publish($ann, slug => 'kept', visibility => 'public', mobile_html => 'small',
	files => { 'index.html' => 'page', 'a/b.txt' => 'text' });
# At a domain, where another machine may not be.
$stack->db->do("INSERT INTO domain (id, artifact_id, host, state, secret, answer, due_at, waits_at, created_at) "
	. "VALUES ('dom_00000000000000000000000001', ?, 'www.example.org', 'active', 'x', 'y', 4000000000, 1, 1)", undef, $art);
$stack->db->do("UPDATE artifact SET domains = 'www.example.org' WHERE id = ?", undef, $art);
$stack->ctl('reproject');
$stack->db->do('INSERT INTO view_day (artifact_id, day, views, entry_views, version_views, bot_views) VALUES (?, 20000, 7, 3, 1, 2)',
	undef, $art);
$api->call(PUT => "/v1/data/$art/json",
	{ token => $ann->{token}, body => '{"n":1.50,"\u00e9":"\ud83d\ude00"}', type => 'application/json' });
my $stored = sub { return $api->call(GET => '/v1/auth/me', { token => $ann->{token} })->{json}{storage} };
$stack->ctl(qw(user storage ann@example.org 3M));
is_deeply $stored->(), { used_bytes => 35, limit_bytes => 3_000_000 }, 'files and a document count';
my $blob = $api->call(PUT => "/v1/data/$art/blobs?filename=photo.txt",
	{ token => $ann->{token}, body => 'a file among its data' })->{json}{data};
my $dir = "$stack->{dir}/backup";
$api->call(PUT => "/v1/data/$art/tables/guests", { token => $ann->{token}, json => { columns => [{ name => 'name', type => 'text' },
	{ name => 'n', type => 'number' }], rows => [map { { name => "n$_", n => $_ / 4 } } 1 .. 5] } });
my $rows = $api->call(GET => "/v1/data/$art/tables/guests/rows?order=-n", { token => $ann->{token} })->{body};
# A job, whose secret is sealed with that key.
my $job = $api->call(POST => '/v1/jobs',
	{ token => $ann->{token}, json => { artifact_id => $art, action => 'webhook', schedule => '0 9 * * *', timezone => 'Europe/Dublin',
		config => { url => 'https://example.org/', headers => { 'X-Key' => 'k' } } } })->{json}{job};
my $sealed = $stack->db->selectrow_array('SELECT secrets FROM job');
my $had = $stored->();

# Her second factor: the secret is sealed with a key that no backup holds.
$stack->ctl_in("a long password\n", qw(user password ann@example.org));
sub at_the_code { my $v = Vitrine::Visitor->new($api); $v->sign_in('ann@example.org', 'a long password'); return $v }
my $v = at_the_code();
$v->go('/auth/account/factor');
my ($secret) = $v->submit(qr{/factor/start$}, { password => 'a long password' })->{text} =~ m{<span>((?:[A-Z2-7]{4} ?){8})</span>};
my $otp = Vitrine::Otp->new($secret);
my @recovery = $v->submit(qr{/factor/on$}, { code => $otp->code })->{text} =~ /((?:[0-9a-z]{4}-){3}[0-9a-z]{4})$/mg;

like $stack->ctl('backup', $dir), qr/^4 objects/, 'a backup';
is +($stack->program('vitrinectl', {}, 'backup', $dir))[0], 1, 'is never written over';
{
	my $hex = Digest::SHA::sha256_hex('text');
	my $path = "$stack->{dir}/data/objects/" . substr($hex, 0, 2) . "/$hex";
	chmod 0640, $path;
	Vitrine::Stack::spew($path, 'rots');
	like +($stack->program('vitrinectl', {}, 'backup', "$dir-none"))[2],
		qr/object $hex is damaged in the store; run vitrinectl fsck, or back up the rest with --without-damaged/,
		'a damaged store is not backed up unasked';
	my ($status, $out) = $stack->program('vitrinectl', {}, 'backup', "$dir-rest", '--without-damaged');
	is "$status $out",
		"1 object $hex is damaged in the store and was left out\n3 objects and the database were backed up to $dir-rest\n",
		'... but for that';
	Vitrine::Stack::spew($path, 'text');
	$stack->ctl('reproject', '--from', $dir);
}
# The same from a database elsewhere, by its host and port.
{
	my $port = Vitrine::Stack::free_port();
	my $conf = "$stack->{dir}/elsewhere.yaml";
	Vitrine::Stack::spew($conf,
		Vitrine::Stack::slurp("$stack->{dir}/vitrine.yaml") =~ s/^db_socket:.*/db_host: 127.0.0.1\ndb_port: $port/mr);
	$stack->spawn('way', "$stack->{dir}/way.log", 'socat', "TCP-LISTEN:$port,bind=127.0.0.1,fork,reuseaddr",
		"UNIX-CONNECT:$stack->{run}/db.sock");
	Vitrine::Stack::wait_for('the way to the database', 60, sub { IO::Socket::INET->new(PeerAddr => "127.0.0.1:$port") });
	my @told = $stack->program('vitrinectl', { VITRINE_CONFIG => $conf }, 'backup', "$dir-elsewhere");
	like "@told", qr/^0 4 objects/, 'a database on another host is backed up by its port';
	$stack->stop_one('way');
}
my ($status, $out, $err) = $stack->program('vitrinectl', {}, 'restore', $dir);
is $status, 1, 'restore refuses a database with tables';
like $err, qr/has tables/, 'and says so';

# The rows alone, also of another schema, as an upgrade saves them.
$stack->db->do('INSERT INTO schema_migration (version, step, done, changed_at) VALUES (9999, 1, 1, 0)');
is_deeply [$stack->program('vitrinectl', {}, 'backup', "$dir-rows", '--rows')], [0, "the rows were backed up to $dir-rows\n", ''],
	'the rows of another release are saved';
$stack->db->do('DELETE FROM schema_migration WHERE version = 9999');
is_deeply [sort map { s{.*/}{}r } glob "$dir-rows/*"], [qw(database.sql manifest)], '... alone';
is +($stack->program('vitrinectl', {}, 'restore', "$dir-rows", '--rows'))[0], 1, '... and not restored over others';

$stack->stop_one('worker');
$stack->db->do('DROP DATABASE vitrine');
$stack->{admin}->do('CREATE DATABASE vitrine CHARACTER SET utf8mb4');
delete $stack->{dbh};
is +($stack->program('vitrinectl', {}, 'restore', $dir))[0], 1, 'and a store with objects';
like +($stack->program('vitrinectl', {}, 'restore', "$dir-rows", '--rows'))[1], qr/^the rows were restored; next:/, 'but not of rows alone';
is $stack->{admin}->selectrow_array("SELECT slug FROM vitrine.artifact WHERE id = '$art'"), 'kept', '... which are there';
is_deeply $stack->{admin}->selectrow_arrayref('SELECT state, waits_at > 1, due_at < 4000000000, domains FROM vitrine.domain d '
	. 'JOIN vitrine.artifact a ON a.id = d.artifact_id'), ['waiting', 1, 1, undef], '... a domain is to be proven again';
$stack->{admin}->do('DROP DATABASE vitrine');
$stack->{admin}->do('CREATE DATABASE vitrine CHARACTER SET utf8mb4');
remove_tree("$stack->{dir}/data", { keep_root => 1 });

is system("cd '$dir' && sha256sum -c --quiet manifest"), 0, 'sha256sum can check a backup, too';
sub untouched {
	my @there = glob "$stack->{dir}/data/*";
	return !@there && !$stack->{admin}->selectrow_array("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'vitrine'")
}
# Restores a backup of which one file is other than it was.
sub damaged {
	my ($path, $change, @options) = @_;
	my $bytes = Vitrine::Stack::slurp("$dir/$path");
	chmod 0600, "$dir/$path";
	Vitrine::Stack::spew("$dir/$path", $change->($bytes));
	my ($status, $out, $err) = $stack->program('vitrinectl', {}, 'restore', $dir, @options);
	Vitrine::Stack::spew("$dir/$path", $bytes);
	return ($status, $out, $err);
}
my $flip = sub { my ($bytes) = @_; substr($bytes, length($bytes) / 2, 1) ^= "\1"; return $bytes };
for (['database.sql', 'a bit of the rows', $flip, qr/database\.sql is damaged/],
	['database.sql', 'no rows', sub { '' }, qr/database\.sql is damaged/],
	['database.sql', 'half of the rows', sub { substr $_[0], 0, length($_[0]) / 2 }, qr/database\.sql is damaged/],
	['manifest', 'a bit of the list', $flip, qr/manifest is damaged/],
	['manifest', 'half of the list', sub { $_[0] =~ s/.*\n.*\n\z//r }, qr/manifest is damaged or cut off/],
	['manifest', 'no list', sub { '' }, qr/manifest is damaged/]) {
	my ($path, $what, $change, $like) = @$_;
	for my $options ([], ['--without-damaged']) {
		($status, $out, $err) = damaged($path, $change, @$options);
		is $status, 1, "a backup with $what changed is refused @$options";
		like $err, $like, '... which says what is wrong';
		ok untouched(), '... and writes nothing';
	}
}
# One from before there were digests of all.
my $manifest = Vitrine::Stack::slurp("$dir/manifest");
Vitrine::Stack::spew("$dir/manifest", join '', map { /^(\w{64})  objects/ ? "$1 1\n" : () } split /^/, $manifest);
like +(damaged('database.sql', sub { substr $_[0], 0, length($_[0]) / 2 }))[2], qr/database\.sql is cut off/,
	'half of the rows are recognised in an older backup, too';
ok untouched(), '... and nothing is written';
Vitrine::Stack::spew("$dir/manifest", $manifest);
my $text = Digest::SHA::sha256_hex('text');
my $object = 'objects/' . substr($text, 0, 2) . "/$text";
for my $change ($flip, sub { '' }) {
	($status, $out, $err) = damaged($object, $change);
	like "$status $out$err", qr{^1 \Q$dir/$object\E is damaged\nvitrinectl: 1 of 4 objects is damaged; nothing was written},
		'one with a damaged object is refused and names it';
	ok untouched(), '... before anything is written';
}
($status, $out, $err) = damaged($object, $flip, '--without-damaged');
like $out,
	qr{^\Q$dir/$object\E is damaged\n3 objects and the database were restored\nobject $text was left out; without it are:\n  kept version 1: a/b\.txt\n},
	'all but that is restored when it is asked for, and what needs it is named';
isnt $status, 0, '... and the exit status says that something is missing';
$stack->{admin}->do('DROP DATABASE vitrine');
$stack->{admin}->do('CREATE DATABASE vitrine CHARACTER SET utf8mb4');
remove_tree("$stack->{dir}/data", { keep_root => 1 });
is +($stack->program('vitrinectl', {}, 'restore', $dir))[0], 0, 'a whole one is restored';
$stack->start_worker;
is $api->get_site('kept', '/')->{body}, 'page', 'the site is back';
is $api->get_site('kept', '/_m/')->{body}, 'small', 'with all that belongs to it';
is $api->call(GET => "/v1/artifacts/$art", { token => $ann->{token} })->{status}, 200, 'tokens work';
is $api->call(GET => "/v1/data/$art/json", {})->{body}, '{"success":true,"data":{"n":1.50,"é":"😀"}}', 'and the document as it was sent';
is_deeply [$stack->db->selectrow_array('SELECT * FROM view_day')], [$art, 20000, 7, 3, 1, 2], 'and the views are back';
is_deeply $stored->(), $had, 'what is stored, and the limit';
is $api->call(GET => "/v1/data/$art/blobs/$blob->{id}/content", {})->{body}, 'a file among its data', 'so are the files among its data';
is_deeply $api->call(GET => "/v1/data/$art/blobs", {})->{json}{data}, { blobs => [$blob], total => 1, hasMore => Cpanel::JSON::XS::false },
	'and their counts';
$stack->db->do('UPDATE factor SET last_step = 0');
is at_the_code()->submit(qr{^/auth/factor$}, { code => $otp->code })->{path}, '/', 'a second factor does, with the key';
is at_the_code()->submit(qr{^/auth/factor$}, { code => $recovery[0] })->{path}, '/', 'and its recovery codes';
is $api->call(GET => "/v1/data/$art/tables/guests/rows?order=-n", { token => $ann->{token} })->{body}, $rows,
	'tables are back, with their index';
is_deeply $api->call(GET => "/v1/jobs/$job->{id}", { token => $ann->{token} })->{json}{job}, $job, 'a job is back';
is $stack->db->selectrow_array('SELECT secrets FROM job'), $sealed, '... with what is secret, sealed as it was';
is $stack->ctl('fsck'), 'clean', 'fsck is clean';
is +($stack->runner)[0], 0, 'the runner is there';
my $doctor = $stack->ctl('doctor');
like $doctor, qr/^ok .*$_/m, "the doctor is content: $_"
	for 'the database answers', 'the API answers from outside', 'hosts of published pages',
	'certificate is valid';
is $stack->ctl('doctor', '--brief'), 'ok', '... which is one word, if no more is asked for';
$stack->stop_one('nginx');
($status, $out) = $stack->program('vitrinectl', {}, 'doctor', '--brief');
is $status, 1, 'without nginx a monitor is told';
like $out, qr/^FAIL: \d+ of \d+: .*outside.*\n\z/, '... in one line';
($status, $out) = $stack->program('vitrinectl', {}, 'doctor');
is $status, 1, 'without nginx it is not';
like $out, qr/^FAIL\s+the API answers from outside.*\n\s+fix: /m, 'and says what to do';
finish($stack);
