# SPDX-License-Identifier: Apache-2.0
# ./dev image --test: the image, in a container without a network, in which only volumes and memory can be written. VITRINE_IMAGE
# names it, VITRINE_IMAGE_FILE is its archive.
use strict;
use warnings;
use File::Temp 'tempdir';
use IPC::Open3;
use Test::More;
use Vitrine::Stack;

my ($image, $file) = @ENV{qw(VITRINE_IMAGE VITRINE_IMAGE_FILE)};
my $name = "vitrine-test-$$";
# Root may not raise limits everywhere.
my @limits = map { ('--ulimit', $_) } qw(nofile=16384:16384 nproc=4096:4096);
my @safe = (qw(podman run --read-only --cgroups disabled --no-healthcheck --cap-drop all --security-opt no-new-privileges), @limits,
	qw(--tmpfs /run:mode=777 --tmpfs /tmp:mode=777));
my @volumes = ('-v', "$name-data:/data", '-v', "$name-database:/database");
my @run = (@safe, '--network', 'none', @volumes);
# (status, what it said) of a program.
sub said_by {
	my $pid = open3(my $in, my $out, undef, @_);
	close $in;
	my $said = do { local $/; <$out> } // '';
	waitpid $pid, 0;
	return ($? >> 8, $said);
}
sub in { return said_by('podman', 'exec', $name, 'sh', '-c', @_) }
sub works { my ($command, $what) = @_; my ($status, $said) = in($command); is $status, 0, $what or diag $said; return $said }
sub logs { return (said_by('podman', 'logs', $name))[1] }
# What curl says in its network.
my ($pid, $dir) = (0, tempdir(CLEANUP => 1));
sub fetched {
	return (said_by('nsenter', '-t', $pid, '-n', 'curl', '-s', '--cacert', "$dir/ca.pem", @_))[1];
}
sub page { return fetched('https://site.pages.localhost:8443/') }
sub inspected { my ($what) = @_; my (undef, $said) = said_by('podman', 'inspect', '-f', "{{.$what}}", $name); chomp $said; return $said }
sub start {
	said_by(qw(podman rm -f), $name);
	my ($status, $said) = said_by(@run, '-d', '--name', $name, @_, $image);
	is $status, 0, 'a container starts' or diag $said;
	ok eval { Vitrine::Stack::wait_for('the container to serve', 240, sub {
		return logs() =~ /is served/ || (inspected('State.Running') ne 'true' && die 'it ended');
	}) }, '... and serves' or diag(logs()), exit 1;
	$pid = inspected('State.Pid');
	Vitrine::Stack::spew("$dir/ca.pem", (in('cat /data/config/ca.pem'))[1]);
	my @ready = qw(-o /dev/null -w %{http_code} https://vitrine.localhost:8443/readyz);
	Vitrine::Stack::wait_for('nginx', 60, sub { fetched(@ready) eq '200' });
}
my @named = map { ('-e', "VITRINE_$_") } qw(BASE_URL=https://vitrine.localhost:8443 CONTENT_PORT=8443 PUBLISH_PER_HOUR=100000);
END {
	local $?;
	said_by(qw(podman rm -f), $name, "$name-db");
	said_by(qw(podman volume rm -f), "$name-data", "$name-database");
}

cmp_ok -s $file, '<=', 250 << 20, sprintf 'the archive has %d MB', (-s $file) >> 20;
my (undef, $keys) = said_by(qw(podman run --rm --network none --cgroups disabled --no-healthcheck --user 0 --entrypoint sh),
	@limits, $image, '-c', 'grep -rlE "BEGIN ([A-Z]+ )?PRIVATE KEY" /etc /usr/share /var /root 2>/dev/null; '
	. 'find / -xdev -name "*.key"; ls -A /data /database');
is $keys, "/data:\n\n/database:\n", 'no key is in the image, and nothing in its volumes';

# ---- refusals

my ($status, $said) = said_by(@run, '--rm', '-e', 'VITRINE_NO_SUCH=1', $image);
isnt $status, 0, 'an unknown setting is refused';
like $said, qr/no_such/, '... by its name';
($status, $said) = said_by(@run, '--rm', '-e', 'VITRINE_CONTENT_DOMAIN=x.vitrine.localhost', $image);
isnt $status, 0, 'both names in one domain are refused';

# ---- a first start

start(@named, '-e', 'VITRINE_MAIL_FROM="A team" <team@example.org>');
like works('id -u; touch /usr/x 2>&1; cat /proc/1/status', 'inside'), qr/^10001\n.*Read-only.*^NoNewPrivs:\t1$/ms,
	'one user, and nothing to write to';
sub account {
	works('vitrinectl user add ann@example.org >/dev/null; vitrinectl token mint --user ann@example.org >/tmp/token; '
		. 'mkdir /tmp/site', 'an account');
}
account();
my $client = 'VITRINE_URL=https://vitrine.localhost:8443 VITRINE_CA=/data/config/ca.pem VITRINE_TOKEN=$(cat /tmp/token) vitrine';
works("echo one >/tmp/site/index.html && $client publish /tmp/site --slug site --visibility public", 'a folder is published');
is page(), "one\n", '... and served';
is fetched(qw(-o /dev/null -w %{http_code} http://vitrine.localhost:8080/)), 301, '... and plain HTTP leads to TLS';
my $doctor;
ok eval { Vitrine::Stack::wait_for('a healthy container', 120, sub {
	$doctor = join ' ', in('vitrinectl doctor');
	return !(in('vitrinectl doctor --brief'))[0];
}) }, 'the health check finds nothing' or diag $doctor;

# ---- stopped, killed, and started again while somebody writes

# What each way writes is counted from another number, so that nothing of the former counts.
for (['stop', 1], ['kill', 1001]) {
	my ($way, $first) = @$_;
	open my $writer, '-|', 'podman', 'exec', $name, 'sh', '-c', "for i in \$(seq $first 9999); do echo \$i >/tmp/site/index.html; "
		. "$client publish /tmp/site --slug site >/dev/null 2>&1 && echo \$i; done" or die;
	Vitrine::Stack::wait_for('a few changes', 60, sub { page() =~ /^(\d+)$/ && $1 > $first + 1 });
	($status, $said) = said_by('podman', $way eq 'stop' ? ('stop', '-t', 10) : ('kill', '-s', 'KILL'), $name);
	is $status, 0, "podman $way";
	is inspected('State.ExitCode'), $way eq 'stop' ? 0 : 137, $way eq 'stop' ? '... ends it within 10 s' : '... ends it at once';
	my $last = 0;
	while (<$writer>) { $last = $1 if /^(\d+)$/ }
	close $writer;
	start(@named);
	my $shown = page();
	ok $shown == $last || $shown == $last + 1, "what was answered is served: $last" or diag $shown;
	works('vitrinectl fsck', '... and fsck finds nothing');
	account();
}

# ---- one of the programs ends

in('kill -9 $(pgrep -o mariadbd)');
Vitrine::Stack::wait_for('the container to end', 30, sub { inspected('State.Running') eq 'false' });
like logs(), qr/one of the programs ended/, 'a program that ends ends the container, which its manager starts again';

# ---- a MariaDB of its own, as in compose.yaml, which comes up later

Vitrine::Stack::spew("$dir/password", "secret\n");
Vitrine::Stack::spew("$dir/database", "CREATE DATABASE vitrine CHARACTER SET utf8mb4;\n"
	. "CREATE USER vitrine IDENTIFIED BY 'secret';\nGRANT ALL ON vitrine.* TO vitrine;\n");
said_by('podman', 'rm', '-f', $name);
said_by(qw(podman volume rm -f), "$name-data", "$name-database");
($status, $said) = said_by(@run, '-d', '--name', "$name-db", '-v', "$dir/database:/tmp/database:ro", '--entrypoint', 'sh', $image, '-c',
	'mariadb-install-db --no-defaults --datadir=/database/own --skip-test-db >&2; sleep 5; '
	. 'exec mariadbd --no-defaults --datadir=/database/own --socket=/run/own.sock --pid-file=/run/own.pid --init-file=/tmp/database');
is $status, 0, 'a container with MariaDB' or diag $said;
@named = (@named, map { ('-e', "VITRINE_DB_$_") } qw(HOST=127.0.0.1 USER=vitrine PASSWORD_FILE=/run/secrets/db_password));
@run = (@safe, '--network', "container:$name-db", '-v', "$name-data:/data", '-v', "$dir/password:/run/secrets/db_password:ro");
start(@named);
like logs(), qr/^vitrine: vitrinectl: .*database/m, 'the service waits for it';
account();
works("echo there >/tmp/site/index.html && $client publish /tmp/site --slug site --visibility public", 'a folder is published');
is page(), "there\n", '... and served';
works('[ ! -e /database/rows ] && ! pgrep mariadbd', 'no MariaDB runs beside the service');

# ---- a migration

in('echo "UPDATE schema_migration SET done = 0 ORDER BY version DESC LIMIT 1" >/tmp/sql; '
	. 'mariadb --no-defaults -h 127.0.0.1 -u vitrine -psecret vitrine </tmp/sql');
start(@named);
like works('cat /data/before/*-before-schema-*/database.sql', 'the rows as they were are saved'), qr/there/, '... all of them';
is page(), "there\n", '... and the page is served';

done_testing;
