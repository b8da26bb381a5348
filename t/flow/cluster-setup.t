# SPDX-License-Identifier: Apache-2.0
# How an operator makes a cluster, without one: MariaDB's settings and users, the balancer's configuration, the PROXY protocol, and the
# token by which a machine joins.
use IO::Socket::SSL;
use JSON::PP ();
use Vitrine::S3;
use Vitrine::Words qw(refused);

my $s3 = Vitrine::S3->new(Vitrine::Stack::test_tls());
my ($stack, $api, $db) = stack(device_starts_per_hour => 1, balancers => '127.0.0.1', $s3->conf);
my $dir = $stack->{dir};
my $cnf = "$dir/cluster.cnf";
sub ctl { return $stack->program('vitrinectl', {}, @_) }
sub slurp { return Vitrine::Stack::slurp($_[0]) }
sub refuses {
	my ($want, $name, @args) = @_;
	my ($status, $out, $err) = ctl(@args);
	is $status, 1, $name;
	like $err, $want, '... and says why';
}

# ---- one machine

is_deeply [ctl(qw(cluster status))], [0, "this isn't a cluster: cluster_node isn't set\n", ''], 'a machine that is alone says so';
is_deeply [ctl(qw(cluster status --json))], [0, "{}\n", ''], '... to programs too';
refuses(qr/this isn't a cluster/, "cluster @$_ needs one", 'cluster', @$_) for ['move', 'b'], ['drain'], ['leave'], ['force'], ['haproxy'],
	['keepalived', '192.0.2.1/24', '--interface', 'eth0'];
is $api->call(GET => "/readyz?$_=1")->{status}, 200, "... and is ready: $_" for qw(active serve);
refused($api->call(GET => '/readyz?active=2'), '400 INVALID_REQUEST', 'another value is refused');

# ---- init

my $root = scalar getpwuid $>;
my @init = ('--mariadb', $cnf, '--db-user', $root);
for (['a'], ['A=10.0.0.1'], ['a='], ['a=10.0.0.1', 'a=10.0.0.2'], ['a=10.0.0.1;x']) {
	refuses(qr/each machine once, as NAME=ADDRESS/, "no list of machines: @$_", 'cluster', 'init', @$_, @init);
}
my ($status, $out, $err) = ctl(qw(cluster init a=10.0.0.1 b=10.0.0.2 c=10.0.0.3), @init);
is "$status$err", '0', 'init';
my ($node, $admin) = $out =~ /^(cluster_node: a)\ncluster_admin_file: (\S+)$/m;
ok $node && $admin, '... prints what to set' or diag $out;
like slurp($cnf), qr{^wsrep_cluster_address=gcomm://10\.0\.0\.1,10\.0\.0\.2,10\.0\.0\.3\nwsrep_node_name=a\n}m,
	'... and writes them for MariaDB';
unlike slurp($cnf), qr/log_bin/, '... without a log, which no backup asks for';
is sprintf('%o', (stat $admin)[2] & 0777), '600', 'only its owner reads the password';
chomp(my $password = slurp($admin));
is_deeply $db->selectall_arrayref('SELECT name, address FROM node'), [['a', '10.0.0.1']], 'the first machine has its row';
my $own = DBI->connect("dbi:MariaDB:database=vitrine;mariadb_socket=$stack->{run}/db.sock", 'vitrine_cluster', $password,
	{ RaiseError => 1, PrintError => 0 });
my @grants = sort @{$own->selectcol_arrayref('SHOW GRANTS')};
is join("\n", map { s/ IDENTIFIED BY.*//r } @grants), join("\n",
	'GRANT CONNECTION ADMIN, READ_ONLY ADMIN ON *.* TO `vitrine_cluster`@`localhost`',
	'GRANT SELECT ON `mysql`.`wsrep_cluster_members` TO `vitrine_cluster`@`localhost`',
	'GRANT SELECT, INSERT, UPDATE, DELETE ON `vitrine`.* TO `vitrine_cluster`@`localhost`'), 'its user has these rights';
is +(ctl(qw(cluster init a=10.0.0.1 b=10.0.0.2), @init))[0], 0, 'init again, with another list';
chomp(my $kept = slurp($admin));
is $kept, $password, '... keeps the password';
like slurp($cnf), qr/gcomm:\/\/10\.0\.0\.1,10\.0\.0\.2$/m, '... and writes the list';

# ---- the balancer

$stack->{conf} = { %{$stack->{conf}}, cluster_node => 'a', cluster_admin_file => $admin };
$stack->write_conf;
$db->do("INSERT INTO node (name, address, joined_at, left_at) VALUES ('b', '10.0.0.2', 0, NULL), ('gone', '10.0.0.9', 0, 1)");
($status, $out) = ctl(qw(cluster haproxy --http));
is $status, 0, 'haproxy';
is scalar(() = $out =~ /^\tserver (?:a 10\.0\.0\.1|b 10\.0\.0\.2):8443\b/mg), 6, '... names each machine, in three backends' or diag $out;
is scalar(() = $out =~ /^\tserver (?:a-pages 10\.0\.0\.1|b-pages 10\.0\.0\.2):8443 .* backup$/mg), 2, '... and again, for pages without an active one';
unlike $out, qr/gone/, '... but none that has left';
SKIP: {
	skip 'haproxy is not installed', 1 if !grep { -x "$_/haproxy" } split(/:/, $ENV{PATH}), '/usr/sbin';
	Vitrine::Stack::spew("$dir/haproxy.cfg", $out);
	is `PATH=\$PATH:/usr/sbin haproxy -c -q -f $dir/haproxy.cfg 2>&1`, '', '... and HAProxy takes it';
}
($status, $out) = ctl(qw(cluster keepalived 192.0.2.10/24 --interface eth1));
like $out, qr/interface eth1\n.*unicast_src_ip 10\.0\.0\.1\n\tunicast_peer \{\n\t\t10\.0\.0\.2\n\t\}\n.*192\.0\.2\.10\/24\n/s,
	'keepalived';
SKIP: {
	skip 'keepalived is not installed', 1 if !-x '/usr/sbin/keepalived';
	Vitrine::Stack::spew("$dir/keepalived.conf", $out);
	is system("/usr/sbin/keepalived -t -f $dir/keepalived.conf >/dev/null 2>&1"), 0, '... which takes it';
}

# ---- the PROXY protocol

my $proxied = Vitrine::Stack::free_port();
my @nginx = ('nginx', "$dir/nginx", '--listen', "127.0.0.1:$stack->{port}", '--cert', "$stack->{tls}/cert.pem", '--key',
	"$stack->{tls}/key.pem");
sub balancers {
	my ($all) = @_;
	$stack->{conf}{balancers} = $all;
	$stack->write_conf;
	return ctl(@nginx, '--proxied', "127.0.0.1:$proxied");
}
like +(balancers('"-"'))[2], qr/--proxied: set balancers/, 'a port for balancers, without one';
like +(balancers('"10.0.0.1; deny all"'))[2], qr/balancers: .*must be addresses or networks/, 'more than addresses';
# The status of a request that one address may send once an hour.
sub start_from {
	my ($address) = @_;
	my $s = IO::Socket::INET->new(PeerAddr => "127.0.0.1:$proxied") or die "$proxied: $!";
	print $s "PROXY TCP4 $address 127.0.0.1 1000 443\r\n";
	IO::Socket::SSL->start_SSL($s, SSL_ca_file => "$stack->{tls}/ca.pem", SSL_hostname => 'vitrine.localhost', SSL_verifycn_name =>
		'vitrine.localhost', SSL_verifycn_scheme => 'http') or die IO::Socket::SSL::errstr();
	print $s "POST /v1/auth/device/start HTTP/1.1\r\nHost: vitrine.localhost\r\nContent-Length: 2\r\nConnection: close\r\n"
		. "Content-Type: application/json\r\n\r\n{}";
	my ($got) = (readline($s) // '') =~ /^HTTP\/1\.1 (\d+)/;
	return $got;
}
sub nginx_again {
	is system('nginx', '-t', '-q', '-e', "$stack->{run}/nginx-error.log", '-c', "$dir/nginx/nginx-dev.conf"), 0, 'nginx takes it';
	$stack->stop_one('nginx');
	$stack->start_nginx;
}
is +(balancers('127.0.0.0/8'))[0], 0, 'with a network of balancers';
nginx_again();
is join(' ', map { start_from($_) } qw(203.0.113.1 203.0.113.2 203.0.113.1)), '200 200 429', 'a balancer tells the address';
is +(balancers('192.0.2.1'))[0], 0, 'balancers elsewhere';
nginx_again();
is join(' ', map { start_from($_) } qw(203.0.113.3 203.0.113.4)), '200 429', '... a stranger tells no address';

# ---- a machine joins

my $port = Vitrine::Stack::free_port();
refuses(qr/must list d and this machine/, 'one that is not in the list', qw(cluster invite d --mariadb), $cnf);
refuses(qr/isn't a token/, "no token: $_", qw(cluster join), $_) for 'x', '127.0.0.1:1/short', "127.0.0.1/$password";
sub invite {
	unlink "$dir/invite.log";
	$stack->spawn('invite', "$dir/invite.log", 'env', (map { my %e = $stack->env; "$_=$e{$_}" } qw(VITRINE_CONFIG VITRINE_SHARE)),
		"$stack->{build}/vitrinectl", qw(cluster invite b --listen), "127.0.0.1:$port", @init);
	Vitrine::Stack::wait_for('the token', 60, sub { slurp("$dir/invite.log") =~ /^on b, .*cluster join (\S+)\n/ });
	return slurp("$dir/invite.log") =~ /cluster join (\S+)/ ? $1 : undef;
}
$db->do("DELETE FROM node WHERE name = 'b'");
my $token = invite();
my $wrong = $token =~ s{/\K(.)}{$1 eq 'A' ? 'B' : 'A'}er;
refuses(qr/127\.0\.0\.1 doesn't know this token/, 'another token', qw(cluster join), $wrong);
my $joins = "$dir/joins.yaml";
Vitrine::Stack::spew($joins, "base_url: https://x.example\ncontent_domain: y.example\n");
Vitrine::Stack::spew("$dir/key.kept", 'another');
rename "$dir/key", "$dir/key.was" or die;
Vitrine::Stack::spew("$dir/key", 'of another service');
like +(ctl('-c', $joins, qw(cluster join), $token))[2], qr{\Q$dir\E/key exists and is another one}, 'a key that is there is not replaced';
unlink "$dir/key";
$stack->stop_one('invite');
rename "$dir/key.was", "$dir/key" or die;
$token = invite();
rename "$dir/key", "$dir/key.was" or die;
($status, $out, $err) = ctl('-c', $joins, qw(cluster join), $token);
is "$status$err", '0', 'join';
is slurp("$dir/key"), slurp("$dir/key.was"), '... brings the key';
is sprintf('%o', (stat "$dir/key")[2] & 0777), sprintf('%o', (stat "$dir/key.was")[2] & 0777), '... as it was';
is slurp($joins), slurp("$dir/vitrine.yaml") =~ s/^cluster_node: a$/cluster_node: b/mr, '... the configuration, of machine b';
like slurp($cnf), qr/^wsrep_node_name=b\nwsrep_node_address=10\.0\.0\.2$/m, "... and MariaDB's";
Vitrine::Stack::wait_for('the invitation to end', 60, sub { !Vitrine::Stack::alive($stack->{pids}{invite}) });
like slurp("$dir/invite.log"), qr/^b has the configuration and the key$/m, '... of which the other one knows';
is $db->selectrow_array("SELECT address FROM node WHERE name = 'b'"), '10.0.0.2', '... and b has its row';
refuses(qr/127\.0\.0\.1 port $port/, 'the token is good once', '-c', $joins, qw(cluster join), $token);

# ---- what docs/operations.md has an operator type beside that

my ($text) = slurp('docs/operations.md') =~ /^## Three machines\n(.*?)^## /ms;
my $help = (ctl('help'))[1];
my %typed = map { $_ => 1 } $text =~ /vitrinectl ((?:cluster )?[a-z]+)/g;
cmp_ok scalar(keys %typed), '>=', 9, 'its commands';
is join(', ', grep { $help !~ /^ +(?:vitrinectl )?\Q$_\E\b/m } sort keys %typed), '', '... are all there';
my ($group) = $text =~ /GALERA_GROUP=(\w+)/;
like slurp($cnf), qr/^wsrep_cluster_name=$group$/m, 'a third host votes in the group that init makes';
my ($units) = $text =~ /^for unit in (.*?); do/m;
is join(' ', grep { !-e "etc/$_-cluster.conf" } split ' ', $units), '', 'what units of a cluster have more is there';
my $pages = Vitrine::Stack::folder($dir, 'boot', 'sites/of-before' => '', 'deliveries.hidden/of-before' => '');
my ($hides) = slurp('etc/nginx-cluster.conf') =~ m{^ExecStartPre=/bin/sh -c '(.*)'$}m;
$hides =~ s{/var/lib/vitrine}{$pages};
for ('hides pages', 'once more') {
	is system('/bin/sh', '-c', $hides), 0, "nginx of a cluster $_ as it starts";
	is join(' ', sort map { s{.*/}{}r } glob "$pages/*"), 'deliveries.hidden sites.hidden', '... without those of before';
}
like slurp('etc/vitrine-runner.service.in'), qr{^ReadWritePaths=-/var/log/vitrine$}m, 'the runner, as a service, may write the log of views';
like slurp("etc/vitrine-$_.service.in"), qr{^Environment=VITRINE_BOOT=%b$}m, "systemd names the boot to the $_" for qw(runner worker);
SKIP: {
	skip 'systemd is not installed', 1 if system 'systemd-analyze --version >/dev/null 2>&1';
	my $unit = Vitrine::Stack::folder($dir, 'units', 'vitrine-runner.service' => slurp("$stack->{build}/etc/vitrine-runner.service"),
		'vitrine-runner.service.d/cluster.conf' => slurp('etc/vitrine-runner-cluster.conf'));
	my $said = `systemd-analyze verify --man=no $unit/vitrine-runner.service 2>&1`;
	is $said =~ s/^(?!.*vitrine-runner).*\n//gmr =~ s/^.*is not executable.*\n//gmr, '', 'systemd takes the unit with it';
}

# ---- a schema, where another machine is active

$db->do("UPDATE cluster_active SET node = 'b'");
$stack->{admin}->do('SET GLOBAL read_only = 1');
is +(ctl(qw(migrate status)))[0], 0, 'a warm machine, whose MariaDB is read-only, tells its schema';
is +(ctl(qw(migrate apply)))[1] =~ /^0 migrations applied/ ? 1 : 0, 1, '... and has nothing to apply, so a package is configured there';
$stack->{admin}->do('SET GLOBAL read_only = 0');
$db->do('UPDATE schema_migration SET done = 0 ORDER BY version DESC LIMIT 1');
refuses(qr/the active machine is b: run it there/, 'migrations are applied on the active machine', qw(migrate apply));

finish($stack);
