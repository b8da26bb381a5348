# SPDX-License-Identifier: Apache-2.0
# ./dev package --cluster: three booted roots become one service by the commands of docs/operations.md, which are read from there. One is
# powered off; one leaves and, with an empty disk, joins again, under load; all are upgraded. ROOT, PACKAGES, NEXT: as in install.t.
use File::Temp ();
use Time::HiRes qw(sleep time);
use Vitrine::Api;
use Vitrine::Booted ();
use Vitrine::Cluster;
use Vitrine::S3;
use Vitrine::Words;

my ($owner, $root, $packages, $next) = ($$, @ENV{qw(ROOT PACKAGES NEXT)});
my %address = (a => '10.0.0.1', b => '10.0.0.2', c => '10.0.0.3');
my @nodes = sort keys %address;
my ($STORE, $SHARED) = ('10.0.0.254', '192.0.2.10');
Vitrine::Stack::end_with_process();
my $dir = File::Temp::tempdir(CLEANUP => 1);
Vitrine::Stack::make_tls("$dir/tls", "IP:$STORE");
Vitrine::Cluster::make_bridge('vt', $STORE, '192.0.2.1');
my $s3 = Vitrine::S3->new("$dir/tls", address => $STORE);
# What people and programs ask: the shared address.
my $front = bless { dir => $dir, tls => "$dir/tls", address => $SHARED, port => 443, owner => 0 }, 'Vitrine::Cluster';

# ---- the roots

my (%booted, %namespace);
$namespace{$nodes[$_]} = "vitrine-$$-$_" for 0 .. $#nodes;
sub cable { my ($node, $how) = @_; Vitrine::Stack::run('ip', '-n', $namespace{$node}, 'link', 'set', 'eth0', $how) }
# An empty disk, with the packages of both releases, the certificate, and the authority of the store.
sub make_disk {
	my ($node) = @_;
	my $to = "$root-$node";
	system('rm', '-rf', $to);
	Vitrine::Stack::run('cp', '-a', $root, $to);
	Vitrine::Stack::run('mkdir', '-p', "$to/etc/vitrine");
	Vitrine::Booted::carry($packages, "$to/root", qr/vitrine(?:-server)?/);
	Vitrine::Booted::carry($next, "$to/root/next", qr/vitrine(?:-server)?/);
	Vitrine::Stack::run('cp', (map { "$dir/tls/$_" } qw(cert.pem key.pem ca.pem)), "$to/etc/vitrine/");
	Vitrine::Stack::spew("$to/etc/vitrine/store-key", Vitrine::Stack::slurp("$s3->{dir}/key"));
	Vitrine::Stack::spew("$to/etc/hostname", "$node\n");
}
sub begin_boot {
	for my $node (@_) {
		cable($node, 'up');
		$booted{$node} = Vitrine::Booted->start("$root-$node", '--capability=CAP_NET_ADMIN', '-M', $namespace{$node},
			"--network-namespace-path=/run/netns/$namespace{$node}");
	}
}
sub boot { begin_boot(@_); $booted{$_}->wait_booted for @_ }
# Nobody sees its connections end.
sub power_off {
	my ($node) = @_;
	cable($node, 'down');
	delete($booted{$node})->power_off;
}
END {
	local $?;
	if ($$ == $owner) {
		$_->power_off for values %booted;
		Vitrine::Cluster::remove_machine($_) for values %namespace;
	}
}
sub in { my ($node, $command) = @_; return $booted{$node}->ask($command) }
sub works {
	my ($node, $command, $name) = @_;
	return $booted{$node}->does($command, "$node: " . ($name // $command =~ s/\n.*//sr));
}

# ---- the manual's words

my $manual = Vitrine::Stack::slurp('docs/operations.md');
my ($install) = $manual =~ /^## Installing\n.*?^```sh\n(apt install [^\n]*)/ms or die;
my ($three) = $manual =~ /^## Three machines\n(.*?)^## /ms or die;
my ($set_up) = $three =~ /^```sh\n(apt-get install galera.*?)^```/ms;
my ($each, $balancers, $first, $joins, $front_end) = $set_up
	=~ /^(.*?)^# on a, .*?balancers: ([\d. ]+)\n(.*?)^# on b, as root\n(.*?)^# the same for c; .*?\n(.*)/ms
	or die "the commands have another form\n";
# HAProxy may open fewer files here than on a machine of its own, where it would have 20,000 connections.
$front_end =~ s{(?=>/etc/haproxy/haproxy\.cfg)}{| sed 's/maxconn 20000/maxconn 4000/' };
my ($make, $invite) = $first =~ /^(.*?)^(vitrinectl cluster invite b) /ms or die;
my ($init) = $make =~ /^(vitrinectl cluster init [^#\n]*?) *#/m or die;
$make =~ s/^\Q$init\E.*\n//m;
my @answers = map { Vitrine::Booted::preseed($_) } 'base_url string https://vitrine.localhost', 'content_domain string pages.localhost',
	'certificates select files', 'certificate string /etc/vitrine/cert.pem', 'certificate_key string /etc/vitrine/key.pem';
# The packages, and what each machine needs. Only the first gets a database.
sub install {
	my ($node) = @_;
	works($node, 'systemctl stop mariadb.socket mariadb', 'without a database') if $node ne 'a';
	works($node, join(' && ', @answers, $install =~ s/^apt/apt -y/r), 'the packages are installed');
	works($node, 'systemctl enable --now vitrine-runner', 'the runner is a service');
	works($node, $each, 'what each machine needs');
}
sub join_by {
	my ($node, $host) = @_;
	my $pid = open(my $from, '-|') // die;
	if (!$pid) {
		print +(in($host, $invite =~ s/b$/$node >\/tmp\/invited/r))[1];
		close STDOUT;
		POSIX::_exit(0);
	}
	my $token;
	Vitrine::Stack::wait_for('the token', 60, sub { ($token) = (in($host, 'cat /tmp/invited'))[1] =~ /cluster join (\S+)/ });
	works($node, $joins =~ s/TOKEN/$token/r, "joins by $host");
	print <$from>;
	in($host, 'rm /tmp/invited');
}
sub status { my ($node) = @_; return in($node, 'vitrinectl cluster status') }
sub all_well {
	my ($what, @of) = @_;
	my ($status, $said);
	ok eval { Vitrine::Stack::wait_for($what, 180, sub {
		sleep 1;
		($status, $said) = status($of[0]);
		return $status == 0 && @of == (() = $said =~ /^ok /mg);
	}) }, $what or diag $said;
}
sub active {
	my $said = (status((sort keys %booted)[0]))[1];
	return $said =~ /^\S+ +(\w+) +active /m ? $1 : die "nobody is active: $said\n";
}

for (@nodes) {
	make_disk($_);
	Vitrine::Cluster::make_namespace($namespace{$_}, 'vt', "vt.$_", $address{$_});
}
boot(@nodes);
install($_) for @nodes;
my %store = $s3->conf(store_key_file => '/etc/vitrine/store-key', egress_ca_file => '/etc/vitrine/ca.pem', balancers => $balancers,
	publish_per_hour => 1_000_000, data_per_minute => 1_000_000);
works('a', join("\n", 'chown www-data /etc/vitrine/store-key; cat >>/etc/vitrine/vitrine.yaml <<END',
	map({ "$_: $store{$_}" } sort keys %store), 'END'), 'its settings');
my ($lines) = works('a', $init) =~ /^(cluster_node: a\ncluster_admin_file: \S+)$/m or die;
works('a', "cat >>/etc/vitrine/vitrine.yaml <<END\n$lines\nEND\n", 'the two lines');
works('a', $make, 'it makes a cluster');
join_by($_, 'a') for qw(b c);
for (@nodes) { works($_, $front_end =~ s/^vitrinectl cluster status\n//mr, 'nginx, and its balancer') }
all_well('three machines are one service', @nodes);

chomp(my $token = works('a', 'runuser -u www-data -- vitrinectl user add ann@example.org >/dev/null 2>&1; '
	. 'runuser -u www-data -- vitrinectl token mint --user ann@example.org', 'an account'));
my $ann = { token => $token };
my $api = Vitrine::Api->new($front);
# keepalived takes the shared address once it has heard of no other machine for some seconds.
Vitrine::Stack::wait_for('the shared address', 60, sub { my $r = eval { $api->call(GET => '/readyz') }; return $r && $r->{status} == 200 });
my $art = $api->publish($ann, slug => 'page', visibility => 'public', files => { 'index.html' => 'a page' });
is $api->get_site('page', '/')->{body}, 'a page', 'a page is published, and served at the shared address';

# ---- one is lost

my ($lost, $from) = (active(), time);
power_off($lost);
my $took = $front->change_s($from, $ann, $art, name => 'changed');
isnt $took, 60, sprintf '%s, which was active, is powered off: the next change is made after %.1f s', $lost, $took;
is $api->get_site('page', '/')->{body}, 'a page', 'the page is served';
boot($lost);
all_well('it comes back by itself', @nodes);

# ---- under load: one leaves, and joins again with an empty disk

sub none {
	my ($failed, $name) = @_;
	is $failed, '', $name or diag map +("$_:\n", (in($_, 'journalctl -o short-precise -u vitrine-runner | grep -vE "round|lane" '
		. '| tail -30'))[1]), sort keys %booted;
}
my $gone = (grep { $_ ne active() } @nodes)[-1];
my @left = grep { $_ ne $gone } @nodes;
my $all = $init =~ s/^.*init //r;
# init with a list, and haproxy, on each of these.
my ($haproxy) = $front_end =~ /^(vitrinectl cluster haproxy .*)$/m or die;
sub list {
	my ($list, @on) = @_;
	works($_, "vitrinectl cluster init $list && $haproxy", "init $list, and haproxy") for @on;
}
my ($failed) = $front->meanwhile($ann, $art, sub {
	works($gone, 'vitrinectl cluster drain && vitrinectl cluster leave '
		. '&& systemctl stop vitrine-worker vitrine-runner mariadb haproxy keepalived', 'leaves');
	list($all =~ s/ ?\b$gone=\S+//r, $_) for @left;
});
none($failed, 'while a machine is removed no request fails');
power_off($gone);
make_disk($gone);
boot($gone);
($failed) = $front->meanwhile($ann, $art, sub {
	install($gone);
	list($all, @left);
	join_by($gone, $left[0]);
	works($gone, $front_end =~ s/^vitrinectl cluster status\n//mr, 'nginx, and its balancer');
	all_well('three machines again', @nodes);
});
none($failed, 'while a machine with an empty disk is added no request fails');

# ---- all are upgraded

my @order = (active());
push @order, grep { $_ ne $order[0] } @nodes;
($failed) = $front->meanwhile($ann, $art, sub {
	for (@order) {
		works($_, 'cd next && ' . $install =~ s/^apt/apt -y/r, 'the next release');
		all_well("$_ has the next release", @nodes);
	}
});
none($failed, 'while all are upgraded no request fails');
is active(), $order[0], 'the active one is the same';
is $api->get_site('page', '/')->{body}, 'a page', 'the page is served';
done_testing;
