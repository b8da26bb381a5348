# SPDX-License-Identifier: Apache-2.0
# Certificates: from an authority by ACME, with http-01 for the service and dns-01 for pages; from one of this machine; what fails, and
# goes on as before; and what root refuses of what www-data could leave for it.
use Vitrine::Acme;
use Vitrine::Smtp;
use Vitrine::Words;
use IO::Socket::SSL;
use IO::Socket::SSL::Utils;
use Socket ();

my $tls = Vitrine::Stack::test_tls();
my @missing = Vitrine::Acme::missing();
plan skip_all => "@missing: not installed" if @missing;
plan skip_all => 'no authority can be trusted in a mount namespace' if !Vitrine::Acme::trust("$tls/ca.pem");

my $acme = Vitrine::Acme->new($tls);
my $smtp = Vitrine::Smtp->new;
my ($stack) = stack(leaks => 1, http => 1, $smtp->conf, certificates => 'acme', acme_directory => $acme->url,
	acme_dns_hook => $acme->hook("$ENV{VITRINE_TOP}/etc/acme-nsupdate"), acme_contact => 'ops@example.org',
	tls_dir => $acme->{dir} . '/tls', acme_s => 60);
$acme->serve_for($stack->{http});
my ($dir, $held) = ($stack->{dir}, "$acme->{dir}/tls/base/combined.pem");
my ($installed, $state) = ("$dir/tls/combined.pem", "$acme->{dir}/tls/base/state");
mkdir "$acme->{dir}/tls" or die;
{
	my $trusted = "$acme->{dir}/trusted.pem";
	Vitrine::Stack::spew($trusted, Vitrine::Stack::slurp("$tls/ca.pem") . $acme->root);
	$stack->{conf}{egress_ca_file} = $trusted;
	$stack->write_conf;
}
# nginx as the service has it: its configuration is not in /etc.
mkdir "$dir/bin";
Vitrine::Stack::spew("$dir/bin/nginx",
	qq(#!/bin/sh\necho "\$*" >>$dir/nginx-asked\n[ ! -e $dir/refuses ] || { echo 'nginx: [emerg] no' >&2; exit 1; }\n)
	. qq(exec /usr/sbin/nginx -q -e $stack->{run}/nginx-error.log -c $dir/nginx/nginx-dev.conf "\$@"\n));
chmod 0755, "$dir/bin/nginx";
sub certificates { return $stack->program('vitrinectl', { PATH => "$dir/bin:$ENV{PATH}" }, 'certificates', @_) }
sub slurp { return Vitrine::Stack::slurp(@_) }
sub spew { return Vitrine::Stack::spew(@_) }
# As if minutes had passed since root changed nginx's certificate.
sub later { utime time - 3600, time - 3600, $installed }
# The serial of what nginx shows for a host.
sub served {
	my ($host) = @_;
	my $c = IO::Socket::SSL->new(PeerAddr => '127.0.0.1', PeerPort => $stack->{port}, SSL_hostname => $host, SSL_verifycn_name => $host,
		SSL_verifycn_scheme => 'http', SSL_ca_file => $stack->{conf}{egress_ca_file}) or return "$host: $SSL_ERROR";
	return CERT_asHash($c->peer_certificate)->{serial};
}
sub serial {
	my ($first) = slurp($_[0]) =~ /(-----BEGIN CERTIFICATE.*?-----END CERTIFICATE-----\n)/s;
	return CERT_asHash(PEM_string2cert($first))->{serial};
}
sub key_of { return (slurp($_[0]) =~ /(-----BEGIN [A-Z ]*PRIVATE KEY.*?KEY-----\n)/s)[0] }
# The worker that ends after a reload accepts for a moment beside the new one.
sub served_again {
	my ($want) = @_;
	Vitrine::Stack::wait_for('nginx', 20, sub { !grep { served('vitrine.localhost') ne $want } 1 .. 10 });
}

# ---- nginx's files name what is installed

my @nginx = ('nginx', "$dir/nginx", '--listen', "127.0.0.1:$stack->{port}", '--http', "127.0.0.1:$stack->{http}");
is_deeply [$stack->program('vitrinectl', {}, @nginx)], [0, '', ''], 'nginx\'s files, without any that was named';
like slurp("$dir/nginx/tls.conf"), qr/ssl_certificate \Q$installed\E;\nssl_certificate_key \Q$installed\E;/,
	'name the installed certificate';
is sprintf('%o %o', map { (stat $_)[2] & 0777 } "$dir/tls", $installed), '700 600', 'which root alone reads';
system("$dir/bin/nginx", '-s', 'reload') == 0 or die;
{
	my $first = serial($installed);
	my $ca = $stack->{conf}{egress_ca_file};
	spew("$ca.local", slurp($ca) . slurp("$dir/ca.pem"));
	local $stack->{conf}{egress_ca_file} = "$ca.local";
	served_again($first);
	is served('vitrine.localhost'), $first, 'until there is another, one of this machine\'s own authority is served';
}

# ---- an authority that fails

sub fails {
	my ($like, $hours, $name) = @_;
	my ($status, $out, $err) = certificates('run');
	is "$status $out", '1 ', "$name: run fails";
	like $err, $like, '... and says why';
	my ($failures, $next) = split /\n/, slurp($state);
	cmp_ok abs($next - time - 3600 * $hours), '<', 120, "... and when it tries again: in $hours h";
	my $asked = $acme->asked;
	is_deeply [certificates('run')], [0, '', ''], '... until when it is still';
	is $acme->asked, $asked, '... and asks nobody';
	return $failures;
}
# What waits is due.
sub due { my ($n, $next, @rest) = split /\n/, slurp($state); spew($state, join "\n", $n, 1, @rest, '') }
$acme->mode(500);
is fails(qr/no certificate; the next attempt is at \S+: uacme: /, 1, 'an authority that is broken'), 1, '... once';
due();
$acme->mode('silent');
$stack->{conf}{acme_s} = 5;
$stack->write_conf;
is fails(qr/didn't answer in 5 seconds/, 4, 'one that says nothing'), 2, '... twice';
$stack->{conf}{acme_s} = 60;
$stack->write_conf;
due();
$acme->mode(429);
is fails(qr/rateLimited/, 24, 'one that is asked too often'), 3, '... a third time';
$acme->mode('pass');
$acme->dns_away;
due();
fails(qr/uacme: /, 24, 'a name service that is away');
$acme->dns;
$acme->mode('half');
due();
fails(qr/authority's certificate: its chain leads to no authority/, 24, 'half a chain');
ok !-e $held, 'nothing was kept of all this';
is_deeply [certificates('install')], [0, '', ''], 'root has nothing to install';
like((certificates('list'))[1], qr/No such file.*\n      failed 5 times, next at \S+: the authority's/s, 'the list says so');
# ---- one that works

spew($state, "5\n" . (time + 10 * 86400) . "\n0\nx\n");
$acme->mode('pass');
my @first = fork_run(); # two at once
is_deeply [sort map { $_->[0] } @first], [0, 0], 'after a clock that was days ahead: two runs at once';
is join('', map { $_->[1] } @first), "got a certificate from " . $acme->url . "\n", '... of which one gets a certificate';
ok !-e $state, 'the failures are forgotten';
is_deeply [glob "$acme->{dir}/tls/challenges/*"], [], 'no challenge is left';
is sprintf('%o', (stat $held)[2] & 0777), '600', 'its user alone reads it';
utime time, time, $installed;
is_deeply [certificates('install')], [0, '', ''], 'within a minute of the last change nothing is installed';
later();
is_deeply [certificates('install')], [0, "nginx serves a new certificate\n", ''], 'then it is';
served_again(serial($held));
is served('some.pages.localhost'), serial($held), 'for pages, too';
is_deeply [certificates('install')], [0, '', ''], 'once';
is_deeply [certificates('run')], [0, '', ''], 'and nothing is due';
like((certificates('list'))[1], qr/^base  (?=.*\bvitrine\.localhost )(?=.*\*\.pages).*  until \S+Z \(\d+ days\)\n      renewed at /,
	'the list has it');
like((certificates('renew'))[1], qr/^got a certificate/, 'another is got at once when somebody asks');
my $good = slurp($held);
isnt key_of($held), key_of($installed), '... with a key of its own';

# Two runs at the same time; [status, out] of each.
sub fork_run {
	my @from;
	for (1, 2) {
		my $pid = open(my $from, '-|') // die;
		if (!$pid) {
			open STDERR, '>&', \*STDOUT;
			%ENV = (%ENV, $stack->env);
			exec "$stack->{build}/vitrinectl", qw(certificates run) or POSIX::_exit(127);
		}
		push @from, $from;
	}
	return map { my $f = $_; my $said = join '', <$f>; close $f; [$? >> 8, $said] } @from;
}

# ---- what root refuses

# A pair of this test's authority.
my ($ca, $ca_key) = (PEM_file2cert("$tls/ca.pem"), PEM_file2key("$tls/ca-key.pem"));
sub pair {
	my (%o) = @_;
	my ($cert, $key) = CERT_create(subject => { commonName => 'x' }, issuer => [$ca, $ca_key], not_before => time - 86400,
		not_after => time + 86400, subjectAltNames => [['DNS', 'vitrine.localhost'], ['DNS', '*.pages.localhost']],
		key => KEY_create_ec(), %o);
	return (PEM_cert2string($cert), PEM_key2string($key));
}
sub install_refuses {
	my ($name, $like) = @_;
	later();
	my ($before, $asked) = (slurp($installed), slurp("$dir/nginx-asked"));
	my ($status, $out, $err) = certificates('install');
	is "$status $out", '1 ', "$name is refused" or diag $err;
	like $err, $like, '... in our words';
	is slurp($installed), $before, '... and what is served stays';
	is slurp("$dir/nginx-asked"), $asked, '... nginx isn\'t asked';
}
my ($cert, $own) = pair();
my @other = pair();
for (['of other names', join('', pair(subjectAltNames => [['DNS', 'vitrine.localhost']])),
		qr/isn't for both vitrine\.localhost and \*\.pages\.localhost/],
	['that has ended', join('', pair(not_after => time - 60)), qr/isn't valid now/],
	['of tomorrow', join('', pair(not_before => time + 43200)), qr/isn't valid now; check this machine's clock/],
	['with another\'s key', $cert . $other[1], qr/key is another certificate's/],
	['without a key', $cert, qr/no key/],
	['that is half a file', substr($cert . $own, 0, 300), qr/isn't a whole certificate/],
	['that is no text', "\0" x 1000, qr/isn't a whole certificate/],
	['that is too long', "$cert$own" . "#\n" x 40000, qr/at most 64 KiB/]) {
	spew($held, $_->[1]);
	install_refuses("a certificate $_->[0]", $_->[2]);
}
my $secret = "$dir/secret";
spew($secret, "root:secret\n");
unlink $held;
symlink $secret, $held;
install_refuses('a link', qr/a link is there/);
unlink $held;
link $secret, $held;
install_refuses('a file with another name', qr/with one name/);
unlink $held;
POSIX::mkfifo($held, 0600);
install_refuses('a pipe', qr/must be a file/);
unlink $held;
spew($held, $good);
chown 1234, 1234, $held;
install_refuses('a file of another user', qr/of data_dir's owner/);
unlink $held;
rename "$acme->{dir}/tls/base", "$acme->{dir}/tls/elsewhere" or die;
symlink 'elsewhere', "$acme->{dir}/tls/base";
install_refuses('a folder that is a link', qr/a link is there/);
unlink "$acme->{dir}/tls/base";
rename "$acme->{dir}/tls/elsewhere", "$acme->{dir}/tls/base";
is_deeply [grep { slurp($_) =~ /root:secret/ } glob "$dir/tls/*"], [], 'nothing was kept of what it was led to';

# ---- nginx refuses; a run is killed

spew($held, $good);
spew("$dir/refuses", '');
later();
my $before = slurp($installed);
my ($status, $out, $err) = certificates('install');
is $status, 1, 'what nginx refuses';
like $err, qr/nginx refuses it, so the former one stays: nginx: \[emerg\] no/, '... is said in its words';
is slurp($installed), $before, '... and the former one is back';
unlink "$dir/refuses";
later();
is_deeply [certificates('install')], [0, "nginx serves a new certificate\n", ''], 'then it takes it';
served_again(serial($held));
spew("$dir/tls/pending", '');
is_deeply [certificates('install')], [0, "nginx serves a new certificate\n", ''], 'a run that was killed before the reload is completed';

# ---- a renewal that fails for long

{
	my ($soon, $soon_key) = pair(not_before => time - 89 * 86400, not_after => time + 9 * 86400);
	spew($held, $soon . $soon_key);
	$acme->mode(500);
	is((certificates('run'))[0], 1, 'nine days before the end');
	$stack->runner;
	my @mails = grep { $_->{headers}{subject} =~ /certificate/i } $smtp->mails;
	is scalar @mails, 1, 'operators get mail';
	is_deeply $mails[0]{envelope}{to}, ['ops@example.org'], '... at acme_contact' or diag explain $mails[0]{envelope};
	like $mails[0]{raw}, qr/too many, or broken|uacme/, '... which says why';
	due();
	certificates('run');
	$stack->runner;
	is scalar(grep { $_->{headers}{subject} =~ /certificate/i } $smtp->mails), 1, '... once for a certificate';
	my ($doctor) = (certificates_doctor())[0];
	like $doctor, qr/^FAIL  a certificate for vitrine\.localhost \*\.pages\.localhost, 8 days left\n      fix: uacme: .*renew$/m,
		'doctor says it';
	later();
	is_deeply [certificates('install')], [0, "nginx serves a new certificate\n", ''], 'what is valid is served to its end';
	$acme->mode('pass');
	due();
	is((certificates('run'))[0], 0, 'until the authority works again');
	like((certificates_doctor())[0], qr/^ok    a certificate for/m, 'then doctor is content');
}
sub certificates_doctor { my (undef, $out) = $stack->program('vitrinectl', {}, 'doctor'); return $out }

# ---- a full disk

SKIP: {
	mkdir "$dir/small";
	skip 'no small file system', 6 if system("mount -t tmpfs -o size=64k,nr_inodes=64 none $dir/small");
	my $was = $stack->{conf}{tls_dir};
	$stack->{conf}{tls_dir} = "$dir/small";
	$stack->write_conf;
	open my $full, '>', "$dir/small/full";
	1 while syswrite $full, 'x' x 4096;
	my $asked = $acme->asked;
	is((certificates('run'))[0], 1, 'on a full disk no certificate is got');
	is $acme->asked, $asked, '... and no authority asked, since nothing could be noted';
	later();
	is_deeply [certificates('install')], [0, '', ''], '... what is served stays';
	is((certificates('list'))[0], 1, '... which the list says');
	close $full;
	system "umount $dir/small";
	$stack->{conf}{tls_dir} = $was;
	$stack->write_conf;
	is((certificates('run'))[0], 0, '... and with room');
	is_deeply [certificates('run')], [0, '', ''], '... all is well';
}

# ---- the hook

for ([qw(begin http-01 vitrine.localhost ../../../tmp/x ../../../tmp/x.y)], [qw(begin http-01 other.localhost t t.y)],
	[qw(begin dns-01 vitrine.localhost t y)], [qw(begin tls-alpn-01 vitrine.localhost t y)],
	[qw(begin http-01 vitrine.localhost t u.y)]) {
	is((certificates('hook', '--', @$_))[0], 1, "the hook declines @$_");
}
is((certificates('hook', '--', qw(begin http-01 vitrine.localhost -t_1 -t_1.y-_)))[0], 0, 'what has the form of a challenge');
my ($plain) = IO::Socket::INET->new("127.0.0.1:$stack->{http}");
print $plain "GET /.well-known/acme-challenge/-t_1 HTTP/1.1\r\nHost: vitrine.localhost\r\nConnection: close\r\n\r\n";
like join('', <$plain>), qr{^HTTP/1\.1 200 .*\r\n\r\n-t_1\.y-_$}s, '... is shown without TLS';
certificates('hook', '--', qw(done http-01 vitrine.localhost -t_1 -t_1.y-_));
is_deeply [glob "$acme->{dir}/tls/challenges/*"], [], '... until it is done';

# ---- an authority of this machine

$stack->{conf}{certificates} = 'local';
$stack->write_conf;
later();
is_deeply [certificates('run')], [0, '', ''], 'with local there is nothing to get';
is_deeply [certificates('install')], [0, "nginx serves a new certificate\n", ''], 'root makes one';
like `openssl verify -CAfile $dir/ca.pem $installed 2>&1`, qr/OK/, '... of the authority beside vitrine.yaml';
later();
is_deeply [certificates('install')], [0, '', ''], '... which lasts';
my $was = serial($installed);
is_deeply [certificates('renew')], [0, "nginx serves a new certificate\n", ''], 'another when somebody asks';
isnt serial($installed), $was, '... which is another';
$stack->{conf}{content_domain} = 'others.localhost';
$stack->write_conf;
later();
is_deeply [certificates('install')], [0, "nginx serves a new certificate\n", ''], 'other names need another certificate';

# ---- files

delete $stack->{conf}{content_domain};
@{$stack->{conf}}{qw(certificates tls_cert_file tls_key_file)} = ('files', "$tls/cert.pem", "$tls/key.pem");
$stack->write_conf;
is_deeply [certificates($_)], [0, '', ''], "with files there is nothing to $_" for qw(run install);
is_deeply [$stack->program('vitrinectl', {}, @nginx)], [0, '', ''], 'nginx\'s files';
like slurp("$dir/nginx/tls.conf"), qr{ssl_certificate \Q$tls\E/cert\.pem;\nssl_certificate_key \Q$tls\E/key\.pem;}, '... name them';
like((certificates('renew'))[2], qr/certificates is files: replace \Q$tls\E/, 'to renew it is somebody else\'s');
like((certificates('list'))[1], qr/^base  vitrine\.localhost .*days/, 'the list has it');
for ([certificates => 'some', qr/certificates: some must be files, local or acme/],
	[tls_dir => 'x', qr/tls_dir: x must be an absolute path/]) {
	local $stack->{conf}{$_->[0]} = $_->[1];
	$stack->write_conf;
	like((certificates('run'))[2], $_->[2], "$_->[0]: $_->[1] is refused");
}
$stack->{conf}{certificates} = 'acme';
for ([acme_directory => 'http://a.example/', qr/must be an https/],
	[acme_dns_hook => '"-"', qr/acme_dns_hook: must be the path of a program/],
	[acme_contact => 'x', qr/acme_contact: x must be an e-mail address/]) {
	local $stack->{conf}{$_->[0]} = $_->[1];
	$stack->write_conf;
	like((certificates('run'))[2], $_->[2], "$_->[0]: $_->[1] is refused");
}
$stack->{conf}{certificates} = 'files';
$stack->write_conf;
finish($stack);
