# SPDX-License-Identifier: Apache-2.0
# ./dev package --test: the packages in a booted root of their Debian: installed, upgraded while people publish, removed, installed again,
# purged; with answers, without any, with wrong ones, without a database, and with one elsewhere. PACKAGES has them, NEXT those of a release
# that has a migration more, ROOT an unpacked root with systemd.
use strict;
use warnings;
use File::Temp ();
use Test::More;
use Vitrine::Booted;

my ($root, $packages, $next) = @ENV{qw(ROOT PACKAGES NEXT)};
carry($packages, "$root/root", qr/vitrine(?:-server)?/);
carry($next, "$root/root/next", qr/vitrine(?:-server)?/);
boot($root);

my $tls = '--cacert /etc/vitrine/ca.pem';
sub page { return (in("curl -s $tls https://s.pages.localhost/"))[1] }
sub ready { return (in("curl -s --retry 9 --retry-all-errors -o /dev/null -w %{http_code} $tls $_[0]/readyz"))[1] }
sub doctor { return (in('runuser -u www-data -- vitrinectl doctor'))[1] }
my $install = 'dpkg -i /root/vitrine*.deb';

# ---- with wrong answers, without a database, then with one

works('systemctl stop mariadb.socket mariadb', 'MariaDB is away');
my ($status, $said) = in(preseed('content_domain string x.vitrine.localhost') . " && $install");
isnt $status, 0, 'both names in one domain are refused';
like $said, qr/x\.vitrine\.localhost.*registrable/, '... which is said' or diag $said;
is((in('ls /etc/vitrine'))[1], '', '... and nothing is written');
like works(preseed('content_domain string pages.localhost') . ' && dpkg --configure -a', 'the packages are installed'),
	qr/MariaDB does not answer/,
	'... and say what is missing';
works('systemctl start mariadb && dpkg-reconfigure vitrine-server', 'then they are configured');
works('for i in $(seq 90); do runuser -u www-data -- vitrinectl doctor | grep -q "^FAIL  the runner" || break; sleep 1; done',
	'cron has started a runner');
unlike doctor(), qr/^FAIL/m, 'doctor finds nothing';
works('echo "publish_per_hour: 100000" >>/etc/vitrine/vitrine.yaml && systemctl reload vitrine-worker',
	'an administrator changes a setting');
is((in('systemctl is-enabled vitrine-worker vitrine-runner'))[1], "enabled\ndisabled\n",
	'the workers start with the machine, cron runs the runner');
my $token = works('runuser -u www-data -- vitrinectl user add ann@example.org >/dev/null 2>&1; '
	. 'runuser -u www-data -- vitrinectl token mint --user ann@example.org', 'an account');
chomp $token;
my $client = "VITRINE_URL=https://vitrine.localhost VITRINE_CA=/etc/vitrine/ca.pem VITRINE_TOKEN=$token vitrine";
works("mkdir -p /tmp/s && echo one >/tmp/s/index.html && $client publish /tmp/s --visibility public", 'a folder is published');
is page(), "one\n", 'and served';

# ---- a repository of the packages, served by what they installed

{
	my ($var, $name) = $packages =~ m{(.*)/packages/(\w+)/*$};
	local @ENV{qw(GNUPGHOME VITRINE_VAR VITRINE_SIGN_KEY)} = (File::Temp::tempdir(CLEANUP => 1), $var, 'test@example.org');
	system("gpg --batch --quiet --passphrase '' --quick-gen-key test\@example.org ed25519 sign never 2>/dev/null") == 0 or die;
	my $lists = "$root/root/repository/dists/$name/main/binary-amd64/by-hash/SHA256";
	system("mkdir -p $lists && touch $lists/former") == 0 or die;
	is system("debian/repository $root/root/repository"), 0, 'a repository is made';
	ok -e "$lists/former", '... which keeps the lists of before';
	works("echo 127.0.0.1 apt.pages.localhost >>/etc/hosts; $client publish /root/repository --slug apt --visibility public",
		'... and published');
	like works("cp /root/repository/vitrine.asc /etc/apt/keyrings/ && rm -f /etc/apt/sources.list && cat "
		. ">/etc/apt/sources.list.d/vitrine.sources <<END\n"
		. "Types: deb\nURIs: https://apt.pages.localhost/\nSuites: $name\nComponents: main\n"
		. "Signed-By: /etc/apt/keyrings/vitrine.asc\nEND\n"
		. "echo 'Acquire::https::CaInfo \"/etc/vitrine/ca.pem\";' >/etc/apt/apt.conf.d/90vitrine && apt-get update -q",
		'apt reads it'), qr/Packages/, '... with its lists';
	works('cd /tmp && apt-get download -q vitrine-doc && dpkg -I vitrine-doc_*.deb', '... and fetches a package');
}

# ---- upgrades, while somebody publishes

works("cat >/tmp/beside <<'END'\n"
	. "while [ ! -e /tmp/stop ]; do date +%s%N >/tmp/s/index.html; $client publish /tmp/s >/dev/null 2>/tmp/why || cat /tmp/why\n"
	. "curl -sf $tls -H 'Authorization: Bearer $token' https://vitrine.localhost/v1/artifacts >/dev/null || echo unread\n"
	. "curl -sf $tls https://s.pages.localhost/ >/dev/null || echo unserved\necho done; done\nEND\n"
	. "sh /tmp/beside >/tmp/beside.log 2>&1 &", 'while somebody publishes');
sub parent { return (in('systemctl show -P MainPID vitrine-worker'))[1] }
sub schema { return (in("mariadb -Ne 'SELECT MAX(version) FROM vitrine.schema_migration WHERE done'"))[1] }
my ($before, $schema) = (parent(), 0 + schema());
works($install, 'the packages are installed over themselves') for 1 .. 2;

$install = 'dpkg -i /root/next/vitrine*.deb';
works('cd /var/backups; install -d -o www-data -g www-data -m 700 vitrine; mount -t tmpfs -o size=16k,uid=33,mode=700 tmpfs vitrine',
	'the disk has no room for a backup');
($status, $said) = in($install);
isnt $status, 0, 'so the next release is not configured';
like $said, qr/rows were not saved, so the schema stays as it is.*Programs that run go on/s, '... which is said' or diag $said;
is 0 + schema(), $schema, '... and the schema is as it was';
works('umount /var/backups/vitrine && chmod 500 /var/lib/mysql/vitrine', 'there is room, but MariaDB can make no table');
($status, $said) = in('dpkg --configure -a');
isnt $status, 0, 'so it is not configured again';
like $said, qr/schema was not brought up to date.*Programs that run go on/s, '... which is said' or diag $said;
is 0 + schema(), $schema, '... and the schema is as it was';
works('chmod 700 /var/lib/mysql/vitrine', 'MariaDB can again');
my ($rows) = works('dpkg --configure -a', 'the next release is configured') =~ m{rows were backed up to (/var/backups/vitrine/\S+)};
ok $rows, 'it says where the rows of before are';
my $libraries = works('cd /usr/share/vitrine/nginx && ls lib/clsx@*/clsx.js && [ ! -e lib.former ]',
	'libraries of both releases are there');
like $libraries, qr/clsx\@[1-8].*clsx\@99/s, '... which published pages may name';
works("test -n \"\$(ls -A $rows)\"", '... and they are there');
is schema(), $schema + 1 . "\n", 'the schema is the next';
works('sleep 2; touch /tmp/stop; sleep 3', '...');
my $log = (in('sort /tmp/beside.log | uniq -c'))[1];
like $log, qr/^ +\d+ done\n$/, 'nobody noticed any of it' or diag $log;
note $log;
is parent(), $before, 'the workers\' parent is the same process';
unlike((in("readlink /proc/\$(systemctl show -P MainPID vitrine-worker)/exe"))[1], qr/deleted/, 'with the new program');
is((in('grep -c ^publish_per_hour /etc/vitrine/vitrine.yaml'))[1], "1\n", 'what the administrator changed is as it was');

# ---- back to the release before

my $back = 'dpkg -i /root/vitrine*.deb';
sub runs_from { return "mariadb -e 'UPDATE vitrine.schema_migration SET compatible = $_[0] WHERE version = @{[$schema + 1]}'" }
works(runs_from('version'), 'a schema on which only the next release runs');
($status, $said) = in($back);
isnt $status, 0, 'the release before is not installed over it';
like $said, qr/they are of schema $schema, and it needs @{[$schema + 1]}\..*restore the rows/s, '... which is said' or diag $said;
like page(), qr/^\d+$/, '... and the page is served';
works(runs_from($schema), 'a schema on which both run');
works($back, 'the release before is installed');
like page(), qr/^\d+$/, '... and serves the page';
works($install, 'the next one again');

# ---- what nginx refuses, and what an administrator decided

works("echo 'server { listen 443 default_server; }' >/etc/nginx/conf.d/other.conf", 'another default server');
like works($install, 'is no reason to fail'), qr/nginx refuses.*Mend that/s, '... but said';
works('nginx -t', 'nginx has the configuration of before');
works('rm /etc/nginx/conf.d/other.conf && dpkg-reconfigure vitrine-server', 'mended');
like page(), qr/^\d+$/, 'the page is served';

my $own = '/etc/nginx/modules-enabled/10-own.conf';
works("echo 'pcre_jit on;' >$own; rm /etc/cron.d/vitrine; systemctl mask --now vitrine-worker 2>&1",
	'an administrator has pcre_jit, deletes the crontab, and masks the unit');
like works($install, 'all of which is respected'), qr/vitrine-worker.service is disabled, so it is not started/, '... and said';
works('nginx -t && ! test -e /etc/nginx/modules-enabled/60-vitrine.conf', '... by nginx');
works('! test -e /etc/cron.d/vitrine', '... by cron');
is((in('systemctl is-enabled vitrine-worker; systemctl is-active vitrine-worker'))[1], "masked\ninactive\n", '... and by systemd')
	or diag((in('journalctl -u vitrine-worker -n 40 --no-pager'))[1]);
works("rm $own; systemctl unmask vitrine-worker; dpkg -i --force-confmiss /root/next/vitrine-server*.deb", 'all is as before');
works('systemctl start vitrine-worker; nginx -t && test -e /etc/nginx/modules-enabled/60-vitrine.conf -a -e /etc/cron.d/vitrine', '...');
like page(), qr/^\d+$/, 'the page is served';

# ---- killed, at several times

for my $after (0.05, 0.3, 0.8, 1.5, 2.5, 4) {
	my $state = (in("setsid $install >/dev/null 2>&1 & sleep $after; /bin/kill -KILL -- -\$!; sleep 0.1; "
		. 'dpkg -l vitrine-server | tail -1 | cut -c1-3'))[1];
	($status, $said) = in("dpkg --configure -a && test -z \"\$(dpkg --audit)\" || { echo AGAIN; $install; }");
	is $status, 0, "dpkg, killed after $after s, completes" or diag $said;
	note "the package was $state", $said =~ /^AGAIN$/m ? 'it was installed again' : '';
	is((in('dpkg --audit; systemctl is-active vitrine-worker'))[1], "active\n", '... and the workers run');
}
like page(), qr/^\d+$/, 'the page is served';

# ---- removed, installed again, purged

works('dpkg -r vitrine-server && nginx -t', 'removed');
is((in('systemctl is-active nginx vitrine-worker'))[1], "active\ninactive\n", 'the workers are gone, nginx is not');
works($install, 'installed again');
like page(), qr/^\d+$/, 'all is there';
works('grep publish_per_hour /etc/vitrine/vitrine.yaml', 'and what the administrator changed');
works('dpkg -P vitrine-server', 'purged');
is((in("ls -d /var/lib/vitrine && mariadb -Ne \"SHOW DATABASES LIKE 'vitrine'\""))[1], "/var/lib/vitrine\nvitrine\n",
	'what was published is kept');
works($install, 'installed again');
sub purge { works(preseed('purge_data boolean true') . ' && dpkg -P vitrine-server', 'purged, as was answered, with all data') }
purge();
sub left {
	return (in("ls -d /var/lib/vitrine* /etc/nginx/vitrine /etc/vitrine 2>/dev/null; mariadb -Ne \"SHOW DATABASES LIKE 'vitrine'\""))[1];
}
is left(), '', 'nothing is left';
works('nginx -t', 'and nginx is well');

# ---- by the manual, with all answers, by an administrator whose files nobody else may read

my ($command) = slurp('docs/operations.md') =~ /^## Installing\n.*?^```sh\n(apt install [^\n]*)/ms;
ok $command, 'the manual says how to install';
$command =~ s/^apt/apt -y/;
$said = works(join(' && ', map({ preseed($_) } 'base_url string https://app.example.org', 'content_domain string pages.example.net',
		'certificates select local', 'owner string ann@example.org'), 'cd /root/next', 'umask 077', "LC_ALL=C $command"),
	'... which works, with umask 077 and without a locale');
like $said, qr/password of ann\@example\.org: .*https:\/\/app\.example\.org is served/s, 'it names the owner and the address' or diag $said;
is ready('--resolve app.example.org:443:127.0.0.1 https://app.example.org'), '200', '... which answers';
works('echo a-long-pass-phrase-77 | runuser -u www-data -- vitrinectl user password ann@example.org', 'the owner chooses a password');
purge();
is left(), '', 'nothing is left';

# ---- a database elsewhere

works('systemctl stop mariadb.socket mariadb; ' . $install . '; systemctl start mariadb', 'installed without a database');
works("mariadb -e \"CREATE DATABASE elsewhere CHARACTER SET utf8mb4; CREATE USER v\@'127.0.0.1' IDENTIFIED BY 'secret'; "
	. "GRANT ALL ON elsewhere.* TO v\@'127.0.0.1'\"; install -o www-data -m 600 /dev/null /etc/vitrine/db; echo secret >/etc/vitrine/db; "
	. "sed -i /^db_user:/d /etc/vitrine/vitrine.yaml; "
	. "printf '%s\\n' 'db_host: 127.0.0.1' 'db_name: elsewhere' 'db_user: v' 'db_password_file: /etc/vitrine/db' >>/etc/vitrine/vitrine.yaml; "
	. 'dpkg-reconfigure vitrine-server', 'configured for one elsewhere');
is ready('https://vitrine.localhost'), '200', 'it is used';
is((in("mariadb -Ne \"SHOW DATABASES LIKE 'vitrine'\""))[1], '', '... and no other');
purge();
like((in("mariadb -Ne 'SELECT COUNT(*) FROM elsewhere.user'"))[1], qr/^\d+$/, 'what is elsewhere is never deleted');
done_testing;
