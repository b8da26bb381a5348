# SPDX-License-Identifier: Apache-2.0
# vitrinectl and the programs as an operator meets them: wrong usage, wrong configuration, nginx's files.
use Vitrine::Words;

my ($stack, $api) = stack(leaks => 1);
my $dir = $stack->{dir};
sub ctl { return $stack->program('vitrinectl', {}, @_) }

# ---- usage

my ($status, $out, $err) = ctl('help');
is $status, 0, 'help';
like $out, qr/^  nginx DIR \[--listen PORT\] \[--http PORT\] \[--proxied PORT\] \[--cert FILE\] \[--key FILE\]\n +write nginx's configuration into DIR;/m,
	'... has a line for each command';
($status, $out, $err) = ctl();
is "$status$out", 64, 'no command';
like $err, qr/^usage: vitrinectl \[-c FILE\] COMMAND$/m, '... all are listed';
for (['nothing', qr/^vitrinectl: nothing isn't a command; vitrinectl help lists them$/, 0],
	[user => qr/^vitrinectl: user is only the beginning of a command:$/, 1],
	['user lst', qr/^vitrinectl: lst isn't a command; did you mean user list\?$/, 1],
	['usr list', qr/^vitrinectl: usr isn't a command; did you mean user\?$/, 1],
	['user paint', qr/^vitrinectl: paint isn't a command of user; these are:$/, 1]) {
	($status, $out, $err) = ctl(split / /, $_->[0]);
	is "$status$out", 64, "no command: $_->[0]";
	my ($first, @lines) = split /\n/, $err;
	like $first, $_->[1], '... says which word';
	is scalar(grep { /^  user / } @lines) > 0, !!$_->[2], '... and lists those of its kind';
	is scalar(grep { /^  (?!user |  )/ } @lines), 0, '... and no others';
}
for ([qw(user add)], [qw(user add a@example.org --nmae x)], [qw(user add a@example.org --name)], [qw(user add a@example.org b)],
	[qw(user add a@example.org --n x)]) {
	is_deeply [ctl(@$_)], [64, '', "usage: vitrinectl user add EMAIL [--name NAME]\n"], "wrong usage: @$_";
}
is $stack->db->selectrow_array('SELECT COUNT(*) FROM user'), 0, 'and nobody was added';

# ---- configuration

sub with_conf {
	my ($text, $program, @args) = @_;
	my ($name) = $text =~ /^(\w+)/;
	my $rest = Vitrine::Stack::slurp("$dir/vitrine.yaml");
	$rest =~ s/^$name: .*\n//m if $name;
	Vitrine::Stack::spew("$dir/other.yaml", $rest . $text);
	return $stack->program($program, { VITRINE_CONFIG => "$dir/other.yaml" }, @args);
}
is_deeply [with_conf('', qw(vitrinectl config check))], [0, "$dir/other.yaml: valid\n", ''], 'a good configuration';
for (["wrokers: 3\n", 'wrokers'], ["publish_per_hour: many\n", 'publish_per_hour'], ["trash_days: 9999\n", 'trash_days'],
	["session_days: [1]\n", 'line \d+: expected name: value'],
	["workers: 3\nworkers: 3\n", 'line \d+: workers is set twice'],
	["workers: 3\n\"base_url\": https://x.example\n", 'line \d+: base_url is set twice']) {
	($status, $out, $err) = with_conf($_->[0], qw(vitrinectl config check));
	is "$status$out", 78, "a wrong configuration: $_->[1]";
	like $err, qr/$_->[1]/, '... is named';
	is +(with_conf($_->[0], 'vitrine-worker'))[0], 78, '... and no pool starts with it';
}
($status, $out, $err) = $stack->program('vitrinectl', { VITRINE_CONFIG => "$dir/none.yaml" }, qw(config check));
is $status, 78, 'no configuration';
like $err, qr{\Q$dir\E/none.yaml: No such file}, '... says which file';
for my $program ([qw(vitrinectl migrate status)], ['vitrine-worker'], [qw(vitrine-runner --once)]) {
	($status, $out, $err) = with_conf("db_name: another\n", @$program);
	isnt $status, 0, "@$program: no such database";
	like $err, qr/Access denied.*another|Unknown database 'another'/, '... says why';
}

# ---- what the operator is told when something is wrong

$stack->db->do("CREATE USER nobody\@localhost IDENTIFIED VIA unix_socket");
for my $command (['doctor'], [qw(user list)], ['fsck'], ['reproject']) {
	my ($status, $out, $err) = with_conf("db_user: nobody\n", 'vitrinectl', @$command);
	is $status, 1, "@$command as another than the database's user";
	like "$out$err", qr/Access denied for user 'nobody'/, '... says so';
	like "$out$err", qr/runuser -u nobody -- vitrinectl/, '... and how to be that one' if $> == 0;
	unlike "$out$err", qr/\.c:\d+/, '... without a place in our source';
}
($status, $out, $err) = with_conf("data_dir: $dir/nowhere\n", 'vitrinectl', 'reproject');
like $err, qr{^vitrinectl: data_dir \Q$dir\E/nowhere can't be opened: No such file}, 'the same of any failure';
like +(ctl('doctor'))[1],
	qr/^FAIL +the runner was active in the last ten minutes \(last: never\)\n +fix: wait a minute; if it is never seen, install and start cron/m,
	'a runner that never was there is missed by the doctor';
$stack->runner;
like +(ctl('doctor'))[1], qr/^ok +the runner was active in the last ten minutes \(last: \d{4}-\d\d-\d\dT[\d:]+Z\)$/m,
	'... and when it was there';

# ---- times from the future

my $ann = $stack->user('ann@example.org');
my $art = $api->publish($ann, files => { 'index.html' => 'x' }, visibility => 'public');
my $job = $api->call(POST => '/v1/jobs', { token => $ann->{token}, json => { artifact_id => $art, action => 'webhook',
	schedule => '0 * * * *', config => { url => 'https://example.org/' } } })->{json}{job}{id};
$stack->runner;
sub doctor_times {
	return (ctl('doctor'))[1] =~ /^(ok|FAIL) +no time lies further in the future than it can\n( +fix: .*)?/m
		? join('', $1, $2 // '') : '';
}
is doctor_times(), 'ok', 'no time lies in the future';
my $next = sub { return $stack->db->selectrow_array("SELECT next_run_at FROM job WHERE id = '$job'") };
my $due = $next->();
my $day = 86400;
$stack->db->do($_) for "UPDATE job SET next_run_at = next_run_at + $day, last_run_at = UNIX_TIMESTAMP() + $day",
	"REPLACE INTO page_seen (artifact_id, version_no, wanted_at, due_at, attempts) "
		. "VALUES ('$art', 1, UNIX_TIMESTAMP() + $day, UNIX_TIMESTAMP() + $day + 90, 1)",
	"INSERT INTO outbox (id, kind, subject, due_at) VALUES ('out_ahead', 'project', '$art', UNIX_TIMESTAMP() + $day + 300)",
	"UPDATE sweep SET started_at = started_at + $day, finished_at = finished_at + $day",
	"UPDATE heartbeat SET beat_at = beat_at + $day";
like doctor_times(),
	qr/^FAIL +fix: a clock was ahead \(outbox\.due_at: 1, heartbeat\.beat_at: \d+, sweep\.started_at: \d+, job\.last_run_at: 1, page_seen\.due_at: 1\)/,
	'the doctor names those that a clock a day ahead has left';
$stack->runner;
cmp_ok $next->(), '<=', time + 3600, 'the runner gives a job its next time by the schedule';
is $stack->db->selectrow_array("SELECT COUNT(*) FROM outbox WHERE id = 'out_ahead'"), 0, '... carries out what waited';
cmp_ok $stack->db->selectrow_array("SELECT due_at FROM page_seen WHERE artifact_id = '$art'"), '<=', time + 7200, '... opens pages';
is $stack->db->selectrow_array('SELECT COUNT(*) FROM sweep WHERE started_at > UNIX_TIMESTAMP() + 60'), 0, '... and sweeps';
is doctor_times(), 'ok', '... so nothing of it is left';

# ---- nginx's files

my @tls = ('--cert', '/etc/ssl/vitrine/cert.pem', '--key', '/etc/ssl/vitrine/key.pem');
is_deeply [ctl('nginx', "$dir/made", @tls)], [0, '', ''], 'nginx';
is_deeply [sort map { s{.*/}{}r } glob "$dir/made/*"], [qw(always.conf balancers.conf bounds.conf busy.html errors.conf
	fastcgi.conf filed.conf gated.conf handed.conf head.conf headers.conf install.sh
	mime.types pageerrors.conf pages.conf pools.conf refused.html
	routes.conf secure.conf site.conf tls.conf unlisted.conf views.conf visitor.conf vitrine.conf)], 'makes the folder and its files';
my $conf = Vitrine::Stack::slurp("$dir/made/vitrine.conf");
my $nginx = join '', map { sprintf '%03d', $_ } `nginx -v 2>&1` =~ m{/(\d+)\.(\d+)\.(\d+)};
my $http2 = $nginx < 1025001 ? 'http2' : '';
like $conf, qr/listen 443 ssl $http2;\s+listen \[::\]:443 ssl $http2;\s+server_name vitrine\.localhost;.*pages\\\.localhost\$";/s,
	'filled from the configuration';
unlike join('', map { Vitrine::Stack::slurp($_) } glob "$dir/made/*"), qr/\@[A-Z_]+\@/, 'no name is left';
{
	# As Debian 13 has it.
	mkdir "$dir/newer";
	Vitrine::Stack::spew("$dir/newer/nginx", "#!/bin/sh\necho nginx version: nginx/1.26.3 >&2\n");
	chmod 0755, "$dir/newer/nginx";
	is_deeply [$stack->program('vitrinectl', { PATH => "$dir/newer:$ENV{PATH}" }, 'nginx', "$dir/later", @tls)], [0, '', ''],
		'for a newer nginx';
	like Vitrine::Stack::slurp("$dir/later/vitrine.conf"), qr/listen 443 ssl ;/, '... listen says nothing of HTTP/2';
	like Vitrine::Stack::slurp("$dir/later/secure.conf"), qr/^http2 on;$/m, '... and a line of its own does';
}
is_deeply [ctl('nginx', "$dir/made", @tls, '--listen', '8443')], [0, '', ''], 'again, with another port';
like Vitrine::Stack::slurp("$dir/made/vitrine.conf"), qr/listen 8443 ssl/, 'is written over';
is_deeply [ctl('nginx', "$dir/made", @tls, '--listen', '192.0.2.1:443')], [0, '', ''], 'on one address';
unlike Vitrine::Stack::slurp("$dir/made/vitrine.conf"), qr/::/, 'is on no other';
is_deeply [ctl('nginx', "$dir/made", @tls, '--http', '8080')], [0, '', ''], 'and plain HTTP beside it';
ok -e "$dir/made/plain.conf", 'has a file';
is join(' ', Vitrine::Stack::slurp("$dir/made/vitrine.conf") =~ /^# (--.*)/mg), '--listen 443 --http 8080', 'the options are in a file, for upgrades';
is_deeply [ctl('nginx', "$dir/made", @tls)], [0, '', ''], 'no more of it';
ok !-e "$dir/made/plain.conf", 'has none';
($status, $out, $err) = ctl('nginx', "$dir/made", '--cert', 'a b; include /etc/passwd', '--key', 'k');
is $status, 1, 'what nginx would read as more than a path';
like $err, qr/CERT: "a b; include.*without spaces/, '... is refused';
($status, $out, $err) = ctl('nginx', "$dir/none/made", @tls);
is $status, 1, 'a folder in no folder';
like $err, qr{\Q$dir\E/none/made: No such file}, '... is named';
is $api->call(POST => '/v1/publish', { body => 'x' x 5_000_000, type => 'application/json' })->{json}{code}, 'UNAUTHENTICATED',
	'the largest body is as configured';

finish($stack);
