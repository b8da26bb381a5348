# SPDX-License-Identifier: Apache-2.0
# ./dev package 13 --story: from a fresh root to its purge, as one story. An administrator follows the manual to an address with a
# certificate of an authority; a person without root and without our packages installs the client, publishes, and brings a domain; the next
# release is installed while people go on. The authority, the name server, the mail server, and the browser run beside the machine, in its
# network. PACKAGES, NEXT, ROOT as in install.t; PERSON: a root without our packages; DOWNLOAD: the folder with vitrine-download.
use strict;
use warnings;
use Test::More;
use Vitrine::Acme;
use Vitrine::Booted;
use Vitrine::Browser;
use Vitrine::Smtp;
use Vitrine::Stack;

my ($root, $packages, $next, $person, $download) = @ENV{qw(ROOT PACKAGES NEXT PERSON DOWNLOAD)};
carry($packages, "$root/root", qr/vitrine(?:-server)?/);
carry($next, "$root/root/next", qr/vitrine(?:-server)?/);
carry($download, "$root/root", qr/vitrine-download/);
boot($root);
Vitrine::Booted::enter_network();

# ---- what is around the machine

my $tls = Vitrine::Stack::test_tls();
my $acme = Vitrine::Acme->new($tls);
$acme->serve_for(80);
my $smtp = Vitrine::Smtp->new;
Vitrine::Stack::spew("$root/usr/local/share/ca-certificates/authority.crt", $acme->root);
Vitrine::Stack::spew("$root/usr/local/share/ca-certificates/its-address.crt", slurp("$tls/ca.pem"));
works('update-ca-certificates', 'the machine trusts the authority');
system('cp', "$root/etc/ssl/certs/ca-certificates.crt", "$person/etc/ssl/certs/") == 0 or die;
# For the browser, which trusts what its chain has.
my %seen = (port => 443, tls => "$acme->{dir}/seen");
mkdir $seen{tls};
Vitrine::Stack::spew("$seen{tls}/cert.pem",
	$acme->managed('intermediates/0'));
works("echo 'server { listen 8080; return 200 neighbour; }' >/etc/nginx/conf.d/neighbour.conf && nginx -s reload",
	"nginx serves somebody else's site");
sub nginx_files { return (in('find /etc/nginx -type f -o -type l | sort | xargs sha256sum'))[1] }
my $neighbours = nginx_files();

# ---- the manual

my %named = ('app.example.org' => 'vitrine.localhost', 'pages.example.net' => 'pages.localhost');
note "$_ in the manual is $named{$_} here" for sort keys %named;
# The commands of a section's first block.
sub manual {
	my ($section) = @_;
	my ($block) = slurp('docs/operations.md') =~ /^## \Q$section\E\n.*?^```sh\n(.*?)^```$/ms or die "the manual has no $section\n";
	$block =~ s/\Q$_\E/$named{$_}/g for keys %named;
	return grep { /\S/ } map { s/ +#.*//r } split /\n/, $block;
}
my @install = manual('Installing');
like $install[0], qr/^apt install /, 'the manual says how to install';
my $apt = $install[0] =~ s/^apt/apt -y/r;
works('systemctl stop cron', 'cron waits until this network is known');
works(join(' && ', map({ preseed($_) } 'base_url string https://vitrine.localhost', 'content_domain string pages.localhost',
	'certificates select acme', 'acme_contact string ops@example.org', 'owner string ann@example.org'), 'cd /root', $apt),
	'which works');
my %conf = ($smtp->conf, publish_per_hour => 100000, smtp_password_file => '/etc/vitrine/smtp-password', acme_directory => $acme->url,
	dns_server => "127.0.0.1:$acme->{dns_port}", egress_allow => '127.0.0.1:80',
	egress_ca_file => '/etc/ssl/certs/ca-certificates.crt');
$conf{smtp_ca_file} = $conf{egress_ca_file};
Vitrine::Stack::spew("$root/etc/vitrine/network", join '', map { qq($_: "$conf{$_}"\n) } sort keys %conf);
Vitrine::Stack::spew("$root$conf{smtp_password_file}", slurp("$smtp->{dir}/password"));
works('cat /etc/vitrine/network >>/etc/vitrine/vitrine.yaml && vitrinectl config check && systemctl reload vitrine-worker',
	'its settings name what is in this network');

for my $command (manual('Certificates')) {
	my ($status, $said) = in($command);
	is $status, 0, $command or diag $said;
	Vitrine::Stack::spew("$root/etc/vitrine/acme-nsupdate.conf", $acme->hook_conf) if $command =~ /acme-nsupdate\.conf/;
}
works('systemctl start cron; apt -y install /root/vitrine-download_*.deb', 'people can download the client');
# Root changes nginx's certificate once a minute, and has just made one for the time until there was this.
Vitrine::Stack::wait_for('its certificate', 150, sub { (in('curl -s https://vitrine.localhost/readyz'))[0] == 0 });
is works('curl -sS -o /dev/null -w %{http_code} https://vitrine.localhost/readyz', 'the address has a certificate that is trusted'), '200',
	'... and is ready';
works('for i in $(seq 90); do runuser -u www-data -- vitrinectl doctor | grep -q "^FAIL  the runner" || break; sleep 1; done',
	'cron starts the runner');
works($install[1], 'doctor, as the manual says, finds nothing');
works('echo a-long-pass-phrase-77 | runuser -u www-data -- vitrinectl user password ann@example.org', 'ann has a password');
works('runuser -u www-data -- vitrinectl user add ben@example.org >/dev/null 2>&1', 'ben has an account');
my %token = map { $_ => works("runuser -u www-data -- vitrinectl token mint --user $_\@example.org", "a token of $_") } qw(ann ben);
chomp %token;

# ---- a person without root, elsewhere

my @there = ('chroot', '--userspec=1000:1000', $person,
	qw(env -i HOME=/home/pat LC_ALL=C.UTF-8 PATH=/home/pat/.local/bin:/usr/bin:/bin));
sub command { my ($command, %env) = @_; return (@there, map({ "$_=$env{$_}" } sort keys %env), 'sh', '-c', "cd && $command") }
sub there {
	my ($name, @command) = @_;
	open(my $from, '-|', command(@command)) // die;
	my $said = do { local $/; <$from> } // '';
	close $from;
	is $?, 0, $name;
	return $said;
}
system('install', '-d', '-o', 1000, '-g', 1000, "$person/home/pat") == 0 or die;
ok !-e "$person/usr/bin/vitrine", 'a person whose machine has none of our packages';
like there('installs the client', 'curl -fsSL https://vitrine.localhost/install.sh | sh'), qr{^installed /home/pat/.local/bin/vitrine$}m,
	'... with one line';
my $login = fork // die;
if (!$login) { exec command('exec vitrine login --url https://vitrine.localhost >login 2>&1') or POSIX::_exit(127) }
my $code;
Vitrine::Stack::wait_for('the code', 60, sub { ($code) = slurp("$person/home/pat/login") =~ m{(https://\S+/auth/device\?code=\S+)} });
sub sign_in {
	my ($b) = @_;
	return $b->fill('#email', 'ann@example.org')->fill('#password', 'a-long-pass-phrase-77')
		->click('form[action="/auth/signin"] button');
}
my $ann = Vitrine::Browser->new(\%seen);
sign_in($ann->go($code))->click('button[value=approve]');
like $ann->text, qr/Program connected/, 'and signs in, in a browser';
waitpid $login, 0;
is $?, 0, '... and the client ends' or diag slurp("$person/home/pat/login");
is there('asked who that is', 'vitrine whoami'), "ann\@example.org\n", '... it knows';
there('publishes',
	'mkdir site && echo "<h1>Home of ann</h1>" >site/index.html && vitrine publish site --slug hello --visibility public --yes');
is works('curl -sS https://hello.pages.localhost/', 'the page'), "<h1>Home of ann</h1>\n", '... is there';
my %job = (VITRINE_URL => 'https://vitrine.localhost', VITRINE_TOKEN => $token{ann}, VITRINE_VISIBILITY => 'public',
	GITHUB_REF => 'refs/pull/7/merge', GITHUB_REPOSITORY => 'acme/site', GITHUB_SHA => 'b' x 40);
like there('a job for a pull request', 'curl -fsSL https://vitrine.localhost/download/preview.sh | sh -s -- site', %job),
	qr{^https://site-pr-7\.pages\.localhost/$}m, '... publishes a preview';
is works('curl -sS https://site-pr-7.pages.localhost/', 'the preview'), "<h1>Home of ann</h1>\n", '... is there';

# ---- a domain

my ($host, $site) = ('www.ann.localhost', 'https://www.ann.localhost/');
my %artifact;
sub rows { my ($sql) = @_; my $said = works("mariadb -N vitrine -e \"$sql\"", 'a look at the rows'); chomp $said; return $said }
$artifact{ann} = rows("SELECT id FROM artifact WHERE slug = 'hello'");
my ($text) = there('a domain of one\'s own', "vitrine domains add $host hello") =~ /vitrine-domain=(\S+)/;
ok $text, '... needs a record';
like there('without it', 'vitrine domains list hello'), qr/^waiting +\Q$host\E/m, '... it waits';
$acme->records("add _vitrine.$host. 5 TXT \"vitrine-domain=$text\"", "add $host. 5 A 127.0.0.1");
there('which is checked', "vitrine domains check $host hello");
sub becomes {
	my ($state, $slug, %env) = @_;
	Vitrine::Stack::wait_for("$host at $slug, $state,", 300, sub {
		open(my $from, '-|', command("vitrine domains list $slug", %env)) // die;
		local $/;
		return <$from> =~ /^$state +\Q$host\E/m;
	});
	pass "it is $state";
}
becomes(active => 'hello');
my $ben = Vitrine::Browser->new(\%seen);
like $ben->go($site)->text, qr/^Home of ann$/, 'a browser shows the page there, without a warning';
there('then nobody else may see it', 'vitrine visibility hello private');
unlike $ben->go($site)->text, qr/Home of ann/, 'it is not shown there';
my $visitor = Vitrine::Browser->new(\%seen);
sign_in($visitor->go($site)->follow('Sign in'))->wait_text(qr/^Home of ann$/);
is $visitor->url, $site, '... but to its owner, who signs in, at that address';
there('public again', 'vitrine visibility hello public');

$acme->records("delete _vitrine.$host. TXT");
rows("UPDATE domain SET gone_at = UNIX_TIMESTAMP() - 3 * 86400, due_at = 0");
becomes(lost => 'hello');
sub shown { return (in("curl -sS -o /dev/null -w %{http_code} $site"))[1] }
is shown(), '404', 'without its record for three days it is lost, and shows nothing';
my @mails;
Vitrine::Stack::wait_for('the mail', 120, sub { @mails = grep { $_->{headers}{subject} =~ /no longer served/ } $smtp->mails });
is_deeply $mails[0]{envelope}{to}, ['ann@example.org'], '... and a mail tells its owner';
my %ben = (VITRINE_URL => 'https://vitrine.localhost', VITRINE_TOKEN => $token{ben});
there('somebody else has a page', 'mkdir other && echo "<h1>Home of ben</h1>" >other/index.html && '
	. 'vitrine publish other --slug other --visibility public --yes', %ben);
($text) = there('... and adds it', "vitrine domains add $host other", %ben) =~ /vitrine-domain=(\S+)/;
$acme->records("add _vitrine.$host. 5 TXT \"vitrine-domain=$text\"");
# As if the certificate of before had not been got within the hour.
rows('DELETE FROM domain_certificate_try');
there('... proves it', "vitrine domains check $host other", %ben);
becomes(active => 'other', %ben);
is works("curl -sS $site", 'and the domain'), "<h1>Home of ben</h1>\n", '... is theirs';

# ---- the next release, while people go on

there('a large page', 'mkdir big && head -c 24000000 /dev/urandom >big/index.bin && vitrine publish big --slug big --yes');
$artifact{big} = rows("SELECT id FROM artifact WHERE slug = 'big'");
my $dir = $acme->{dir};
my @curl = ('curl', '-sS', '--fail', '-k', '-H', "Authorization: Bearer $token{ann}");
my %at = (upload => "https://vitrine.localhost/v1/data/$artifact{ann}/blobs?filename=large.bin",
	export => "https://vitrine.localhost/v1/artifacts/$artifact{big}/versions/1/export");
system("head -c 48000000 /dev/urandom >$dir/large.bin") == 0 or die;
my %busy;
sub begin {
	my ($name, @command) = @_;
	$busy{$name} = fork // die;
	return if $busy{$name};
	open STDOUT, '>', "$dir/$name.said" or die;
	open STDERR, '>&', \*STDOUT;
	exec @command or POSIX::_exit(127);
}
begin(upload => @curl, '--limit-rate', '400K', '-T', "$dir/large.bin", $at{upload});
begin(export => @curl, '--limit-rate', '200K', '-o', "$dir/export.zip", $at{export});
# Each request is a connection of its own, since a client may ask again on one that nginx has closed meanwhile.
begin("load-$_->[0]", qw(wrk -t1 -c2 -d900s --timeout 30s -H), "Host: $_->[1]", '-H', 'Connection: close', "https://127.0.0.1$_->[2]")
	for ['page', 'hello.pages.localhost', '/'], ['api', 'vitrine.localhost', '/v1/version'];
begin(publisher => command('while [ ! -e stop ]; do vitrine publish site --slug hello --yes >/dev/null 2>why || cat why; echo done; '
	. 'done'));
my $parent = works('systemctl show -P MainPID vitrine-worker', 'the workers\' parent');
my ($rows) = works("cd /root/next && $apt", 'the next release is installed') =~ m{rows were backed up to (/var/backups/vitrine/\S+)};
ok $rows, 'it says where the rows of before are';
ok kill(0, $busy{$_}), "the $_ goes on" for qw(upload export load-page);
is works('systemctl show -P MainPID vitrine-worker', 'the workers\' parent'), $parent, '... is the same process';
is rows("SELECT COUNT(*) FROM next_release"), "0", "of the next release";
Vitrine::Stack::spew("$person/home/pat/stop", '');
kill 'INT', map { $busy{"load-$_"} } qw(page api);
for (sort keys %busy) {
	waitpid $busy{$_}, 0;
	is $?, 0, "the $_ has ended" or diag slurp("$dir/$_.said");
}
for my $load (map { slurp("$dir/load-$_.said") } qw(page api)) {
	my ($n) = $load =~ /(\d+) requests in/;
	unlike $load, qr/Non-2xx|Socket errors/, 'of ' . ($n // 0) . ' requests none failed' or diag $load;
	note 'the longest took ', $load =~ /Latency +\S+ +\S+ +(\S+)/;
}
like slurp("$dir/publisher.said"), qr/\A(?:done\n)+\z/, 'nor a publish';
is system("unzip -qt $dir/export.zip >/dev/null"), 0, 'the export is whole';
like slurp("$dir/upload.said"), qr/"size": ?48000000/, '... and so is the upload';

# ---- the certificate

sub serial { return works('openssl x509 -noout -serial -in /etc/vitrine/tls/combined.pem', 'the certificate') }
my $serial = serial();
# Without cron, and as if the present one had been there for an hour, since root changes it once a minute.
works('systemctl stop cron', 'cron waits');
my $install = 'touch -d "1 hour ago" /etc/vitrine/tls/combined.pem && vitrinectl certificates install';
works("runuser -u www-data -- vitrinectl certificates renew && $install", 'is renewed');
isnt serial(), $serial, '... it is another';
$serial = serial();
my $held = '/var/lib/vitrine-tls/base/combined.pem';
works("cp -p $held /root/held && runuser -u www-data -- sh -c 'openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes "
	. '-days 9 -subj /CN=vitrine.localhost -addext subjectAltName=DNS:vitrine.localhost -keyout /tmp/k -out /tmp/c 2>/dev/null; '
	. "cat /tmp/k /tmp/c >$held'", 'a forged one');
my ($status, $said) = in($install);
isnt $status, 0, '... is refused';
like $said, qr/isn't for both/, '... in words';
is serial(), $serial, '... and what is served stays';
works("cp -p /root/held $held && systemctl start cron", 'without it');

# ---- removed, installed again, purged

works('dpkg -r vitrine-server', 'removed');
works("cd /root/next && $apt", '... and installed again');
is works('curl -sS https://hello.pages.localhost/', 'the page'), "<h1>Home of ann</h1>\n", '... is there';
is works("curl -sS $site", 'the domain'), "<h1>Home of ben</h1>\n", '... too';
works(preseed('purge_data boolean true') . ' && dpkg -P vitrine-download vitrine-server', 'purged');
is((in("ls -d /var/lib/vitrine* 2>/dev/null; mariadb -Ne \"SHOW DATABASES LIKE 'vitrine'\"; ls /etc/vitrine"))[1],
	"acme-nsupdate\nacme-nsupdate.conf\nnetwork\nsmtp-password\n", 'only what the administrator wrote is left');
is nginx_files(), $neighbours, 'nginx has what it had before all this';
is works('curl -sS http://127.0.0.1:8080/', "somebody else's site"), 'neighbour', '... is served';
done_testing;
