# SPDX-License-Identifier: Apache-2.0
# A domain of one's own from its records to its page, with real programs: Knot has its TXT record and its address, pebble issues its
# certificate, `vitrinectl certificates run` puts it where nginx finds it by name. Limits, failures, a run that was killed, an ended one.
use IO::Socket::INET;
use IO::Socket::SSL;
use Vitrine::Acme;
use Vitrine::Words qw(as said refused);

my $tls = Vitrine::Stack::test_tls();
my @missing = Vitrine::Acme::missing();
plan skip_all => "@missing: not installed" if @missing;
plan skip_all => 'no authority can be trusted in a mount namespace' if !Vitrine::Acme::trust("$tls/ca.pem");
my $address = join '.', 127, 81, 1 + ($$ >> 7) % 254, 1 + $$ % 127;
plan skip_all => 'port 80 is for root' if !IO::Socket::INET->new(Listen => 1, LocalAddr => $address, LocalPort => 80, ReuseAddr => 1);

my $acme = Vitrine::Acme->new($tls);
my $tls_dir = "$acme->{dir}/tls";
mkdir $tls_dir or die;
my ($stack, $api, $db) = stack(leaks => 1, http => 1, certificates => 'acme', acme_directory => $acme->url, acme_s => 60,
	tls_dir => $tls_dir,	acme_dns_hook => $acme->hook("$ENV{VITRINE_TOP}/etc/acme-nsupdate"), domains_per_user => 10,
	dns_server => "127.0.0.1:$acme->{dns_port}", egress_allow => "$address:80");
$acme->serve_for($stack->{http});
# Names lead to that address: at port 80 for us, at pebble's port for it.
my ($mine, @relays) = $$;
for my $port (80, $stack->{http}) {
	my $relay = fork // die;
	push(@relays, $relay), next if $relay;
	exec 'socat', "TCP-LISTEN:$port,bind=$address,fork,reuseaddr", "TCP:127.0.0.1:$stack->{http}" or POSIX::_exit(127);
}
END { local $?; kill 'TERM', @relays if $$ == $mine }
my $trusted = "$acme->{dir}/trusted.pem";
Vitrine::Stack::spew($trusted, Vitrine::Stack::slurp("$tls/ca.pem") . $acme->root);
$stack->{conf}{egress_ca_file} = $trusted;
$stack->write_conf;
sub certificates { return $stack->program('vitrinectl', {}, 'certificates', @_) }
sub run { my ($status, $out, $err) = certificates('run'); return $out . $err }
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben);
my %art = map { $_ => $api->publish($user{$_}, name => "Site $_", slug => "site-$_", visibility => 'public',
	files => { 'index.html' => "<h1>Home of $_</h1>" }) } qw(ann ben);

sub add { my ($who, $host) = @_; my $r = as($who, POST => "/v1/artifacts/$art{$who}/domains", { host => $host });
	return $r->{json}{domain} // die $r->{body} }
sub now { my ($who, $d) = @_; return as($who, GET => "/v1/artifacts/$art{$who}/domains/$d->{id}")->{json}{domain} }
sub look {
	my ($who, $d) = @_;
	$db->do('UPDATE domain SET due_at = 0 WHERE id = ? AND due_at IS NOT NULL', undef, $d->{id});
	$stack->runner;
	return now($who, $d);
}
sub prove {
	my ($who, $host) = @_;
	my $d = add($who, $host);
	$acme->records("add _vitrine.$host. 5 TXT \"$d->{records}[0]{value}\"", "add $host. 5 A $address");
	is look($who, $d)->{state}, 'proven', "$host is proven by Knot" or diag explain now($who, $d);
	return $d;
}
sub due { $db->do('UPDATE domain SET certificate_due_at = 1 WHERE id = ?', undef, $_[0]{id}) }
sub fresh { $db->do('DELETE FROM domain_certificate_try') }
# What a browser that trusts the authority gets.
sub page {
	my ($host) = @_;
	my ($port, $url) = ($stack->{port}, "https://$host:$stack->{port}/");
	return scalar `curl -s -m 10 --cacert $trusted --resolve $host:$port:127.0.0.1 $url || echo none \$?`;
}
sub pair { return "$tls_dir/domains/$_[0]/combined.pem" }

# The service's own certificate is not what this looks at.
run();
is run(), '', 'nothing is due';

# ---- from its records to its page

my $host = 'www.ann.localhost';
my $d = prove(ann => $host);
like page($host), qr/^none 35/, 'before its certificate there is no handshake';
$acme->mode(500);
like run(), qr/^vitrinectl: \Q$host\E: no certificate; the next attempt is at \S+Z: uacme: /, 'an authority that is broken';
like now(ann => $d)->{reason}, qr/^It has no certificate yet: uacme: /, '... which its owner sees';
cmp_ok abs($db->selectrow_array('SELECT certificate_due_at FROM domain WHERE id = ?', undef, $d->{id}) - time - 3600), '<', 120,
	'... is asked again in an hour';
is run(), '', '... not before';
due($d);
is run(), '', '... nor for a host that was tried within the hour';
fresh(), due($d);
$acme->mode(429);
like run(), qr/rateLimited|too many/, 'one that is asked too often';
cmp_ok $db->selectrow_array('SELECT certificate_due_at FROM domain WHERE id = ?', undef, $d->{id}) - time, '>', 80000, '... a day later';
$acme->mode('pass');
fresh(), due($d);
is run(), "got a certificate for $host\n", 'one that works';
my $active = now(ann => $d);
is $active->{state}, 'active', 'it is active';
is $active->{reason}, undef, '... without a complaint';
cmp_ok $active->{certificate_expires_at}, '>', time, '... with the end of its certificate' or diag explain $active;
is page($host), '<h1>Home of ann</h1>', 'and its page is served, with that certificate, without a reload';
is sprintf('%o', (stat pair($host))[2] & 0777), '600', 'nobody else reads its key';
is_deeply [glob "$tls_dir/acme/private/www*"], [], '... of which there is no other copy';
is run(), '', 'nothing is due';
is_deeply as('ann', GET => "/v1/artifacts/$art{ann}")->{json}{artifact}{domains}, [$host], 'the artifact names it';

# ---- paused; a draft

$stack->ctl('artifact', 'pause', $art{ann});
unlike page($host), qr/Home of ann/, 'a paused artifact shows nothing there';
$stack->ctl('artifact', 'resume', $art{ann});
is page($host), '<h1>Home of ann</h1>', '... until it goes on';
$api->publish($user{ann}, artifact_id => $art{ann}, draft => $Vitrine::Words::true, files => { 'index.html' => 'A draft' });
is as('ann', GET => "/v1/artifacts/$art{ann}/versions/2")->{json}{version}{is_live}, $Vitrine::Words::false, 'a draft';
is page($host), '<h1>Home of ann</h1>', '... is not there';

# ---- killed between key, row, and link

sub key { return Vitrine::Stack::slurp(pair($_[0])) }
my $was = key($host);
$db->do("UPDATE domain SET state = 'proven', certificate_due_at = 1 WHERE id = ?", undef, $d->{id});
$db->do('UPDATE artifact SET domains = NULL WHERE id = ?', undef, $art{ann});
$stack->ctl('reproject');
my $asked = $acme->asked;
is run(), '', 'a run that was killed after it wrote the file is completed';
is $acme->asked, $asked, '... without asking the authority';
is key($host), $was, '... with the key that is there';
is page($host), '<h1>Home of ann</h1>', '... and it is served';

# ---- renewed

unlink pair($host);
due($d);
fresh();
$db->do("INSERT INTO domain_certificate_try (host, tenant, tried_at) "
	. "SELECT CONCAT('h', seq), CONCAT('t', seq), UNIX_TIMESTAMP() FROM seq_1_to_20");
is run(), "got a certificate for $host\n", 'a renewal is not counted among first ones';
isnt key($host), $was, '... and has a new key';

# ---- limits

my $second = prove(ben => 'www.ben.localhost');
$asked = $acme->asked;
is run(), '', 'twenty first ones a day';
is $acme->asked, $asked, '... and the authority is not asked';
$db->do('UPDATE domain_certificate_try SET tenant = ?, tried_at = tried_at - IF(id % 4, 7200, 0)', undef, $user{ben}{id});
due($second);
is run(), '', 'five of one tenant an hour';
$db->do('DELETE FROM domain_certificate_try WHERE id % 8 = 0');
due($second);
is run(), "got a certificate for www.ben.localhost\n", 'fewer are got';
is page('www.ben.localhost'), '<h1>Home of ben</h1>', '... and served';

# ---- lost, and somebody else's

$acme->records("delete _vitrine.$host. TXT");
is look(ann => $d)->{state}, 'active', 'without its record it goes on';
$db->do('UPDATE domain SET gone_at = gone_at - 3 * 86400 WHERE id = ?', undef, $d->{id});
is look(ann => $d)->{state}, 'lost', '... for three days';
unlike page($host), qr/Home/, 'then it serves nothing at once';
ok -e pair($host), 'its key';
unlink "$tls_dir/swept";
run();
ok !-e "$tls_dir/domains/$host", '... is gone within the hour';
ok -e pair('www.ben.localhost'), '... and that of no other';
like page($host), qr/^none 35/, '... so there is no handshake';
my $theirs = add(ben => $host);
$acme->records("add _vitrine.$host. 5 TXT \"$theirs->{records}[0]{value}\"");
is look(ben => $theirs)->{state}, 'proven', 'somebody else proves it';
fresh();
is run(), "got a certificate for $host\n", '... gets a certificate';
is page($host), '<h1>Home of ben</h1>', '... and serves theirs there';

# ---- names of nobody

my $log = -s "$stack->{run}/nginx-error.log";
like page("n$_.example.org"), qr/^none 35/, "a name of nobody: $_" for 1 .. 10;
is -s "$stack->{run}/nginx-error.log", $log, '... and the log does not grow';

# ---- an authority of this machine

$stack->{conf}{certificates} = 'local';
$stack->write_conf;
unlink pair($host);
due($theirs);
is run(), "got a certificate for $host\n", 'with local this machine signs it';
like `openssl verify -CAfile $tls_dir/ca.pem @{[pair($host)]} 2>&1`, qr/OK/, '... by the authority in tls_dir';
is $stack->ctl('fsck'), 'clean', 'rows and disk agree';

finish $stack;
