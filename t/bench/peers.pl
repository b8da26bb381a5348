# SPDX-License-Identifier: Apache-2.0
# ./dev bench peers: the service beside two small programs written by hand (t/bench/peers/) that promise as much, that what is published or inserted is on disk
# before the reply, and do nothing else: Fastify with SQLite in one process, which ends TLS itself, and PHP-FPM (four processes) with MariaDB, behind the stack's
# nginx and in its database. What they leave out, such as roles, limits, idempotency, policies, and compressed siblings, is ours to pay for. Not among them is
# PocketBase: npm has its client under that name and Debian nothing, so its program would have to come from elsewhere.
use strict;
use warnings;
use Cpanel::JSON::XS;
use Digest::SHA 'sha256_hex';
use File::Path 'make_path';
use IO::Socket::INET;
use Time::HiRes 'sleep';
use Vitrine::Api;
use Vitrine::Bench;
use Vitrine::Stack;

my $s = Vitrine::Stack->new(workers => 4, publish_per_hour => 1_000_000, data_per_minute => 1_000_000);
stacks($s);
my $api = Vitrine::Api->new($s);
my $ann = $s->user('ann@example.org');
my ($dir, $from) = ($s->{dir}, "$ENV{VITRINE_TOP}/t/bench/peers");
my $page = join '', map { "<p>paragraph $_ of a page of some five thousand bytes, which is usual</p>\n" } 1 .. 70;
my $document = encode_json({ text => 'x' x 200 });

# ---- ours

$api->publish($ann, slug => $_, visibility => 'public', files => { 'f0.html' => 'x' }, entrypoint => 'f0.html') for qw(one many);
$api->publish($ann, slug => 'page', visibility => 'public', files => { 'page.html' => $page, 'index.html' => 'x' });
my $private = $api->publish($ann, slug => 'secret', visibility => 'private', files => { 'page.html' => $page, 'index.html' => 'x' });
my $art = $api->publish($ann, slug => 'data', visibility => 'unlisted');
$api->call(PUT => "/v1/data/$art/json", { token => $ann->{token}, type => 'application/json', body => $document })->{status} < 300 or die 'document';
$api->call(PUT => "/v1/data/$art/tables/item", { token => $ann->{token}, json => { columns => [{ name => 'name', type => 'text' }, { name => 'n', type => 'integer' }] } })->{status} == 201 or die 'table';

# ---- theirs

my ($token, $cookie) = map { "$_-of-a-peer" } qw(token cookie);
my %value = (TOKEN => sha256_hex($token), COOKIE => sha256_hex($cookie), DOCUMENT => $document);
my $schema = Vitrine::Stack::slurp("$from/schema.sql") =~ s/@(\w+)@/'$value{$1}'/gr;
my ($port, $cert, $key) = (Vitrine::Stack::free_port(), "$s->{tls}/cert.pem", "$s->{tls}/key.pem");
for my $peer (qw(fastify php)) {
	make_path(map { "$dir/$peer/$_" } qw(objects sites trees));
	Vitrine::Stack::spew("$dir/$peer/schema.sql", $schema);
}
local $ENV{NODE_PATH} = "$ENV{VITRINE_VAR}/peers/node_modules";
local $ENV{PATH} = "$ENV{NODE_PATH}/.bin:$ENV{PATH}";
local $ENV{NODE_ENV} = 'production';
$s->spawn('fastify', "$dir/fastify.log", 'node', "$from/fastify.js", $port, "$dir/fastify", $cert, $key);

$s->{admin}->do($_) or die $s->{admin}->errstr for 'CREATE DATABASE peer CHARACTER SET utf8mb4', 'GRANT ALL ON peer.* TO vitrine@localhost', 'USE peer', grep { /\S/ } split /;\n/, $schema;
chomp(my $password = Vitrine::Stack::slurp("$dir/db-password"));
Vitrine::Stack::spew("$dir/fpm.conf", <<"END");
[global]
error_log = $dir/php.log
daemonize = no
[peer]
listen = $s->{run}/php.sock
@{[$> == 0 ? "user = root\ngroup = root" : '']}
pm = static
pm.max_children = 4
END
my ($fpm) = glob '/usr/sbin/php-fpm*';
$s->spawn('php', "$dir/php.log", $fpm, '--nodaemonize', $> == 0 ? '--allow-to-run-as-root' : (), '--fpm-config', "$dir/fpm.conf");
my $conf = "$dir/nginx/vitrine.conf";
Vitrine::Stack::spew($conf, Vitrine::Stack::slurp($conf) . <<"END");
server {
	listen 127.0.0.1:$s->{port} ssl;
	server_name php.localhost;
	ssl_certificate $cert;
	ssl_certificate_key $key;
	client_max_body_size 64m;
	location /page/ { root $dir/php/sites; }
	location /_sites/ { internal; alias $dir/php/sites/; }
	location / {
		include /etc/nginx/fastcgi_params;
		fastcgi_param SCRIPT_FILENAME $from/peer.php;
		fastcgi_param PEER_DIR $dir/php;
		fastcgi_param PEER_DB $s->{run}/db.sock;
		fastcgi_param PEER_PASSWORD $password;
		fastcgi_pass unix:$s->{run}/php.sock;
	}
}
END
kill 'HUP', $s->{pids}{nginx};
Vitrine::Stack::wait_for('Fastify', 60, sub { IO::Socket::INET->new("127.0.0.1:$port") });
sleep 1;
# Their pages.
for my $peer (qw(fastify php)) {
	for my $site (qw(page secret)) {
		make_path("$dir/$peer/trees/$site-0");
		Vitrine::Stack::spew("$dir/$peer/trees/$site-0/page.html", $page);
		symlink "../trees/$site-0", "$dir/$peer/sites/$site";
	}
}

# ---- by turns: [address, headers of ours], [path, headers of theirs], what is sent

my $base = "https://127.0.0.1:$s->{port}";
my $want = $ENV{PEERS} // '.';
my @ours = ('Host: vitrine.localhost', "Authorization: Bearer $ann->{token}");
my @theirs = ("Authorization: Bearer $token");
my $rows = sub { script($dir, 'POST', '', q('{"rows":[{"name":"name ' .. n .. '","n":' .. n .. '}]}')) };
for (grep { $_->[0] =~ /$want/ } ['publish of one file, one client', ["$base/v1/publish", @ours], ['/v1/publish', @theirs], sub { publish_script($dir, 1, 'one') }],
	['publish of one file, a new site, one client', ["$base/v1/publish", @ours], ['/v1/publish', @theirs], sub { publish_script($dir, 1, 'new', 1) }],
	['publish of 48 files, one client', ["$base/v1/publish", @ours], ['/v1/publish', @theirs], sub { publish_script($dir, 48, 'many') }],
	['a public page', ["$base/page.html", 'Host: page.pages.localhost'], ['/page/page.html']],
	['a private page', ["$base/page.html", 'Host: secret.pages.localhost', viewer_cookie($s, $ann, $private)], ['/secret/page.html', "Cookie: peer=$cookie"]],
	['a JSON record', ["$base/v1/data/$art/json", @ours], ['/document/one', @theirs]],
	['a row inserted, one client', ["$base/v1/data/$art/tables/item/rows", @ours], ['/rows/one', @theirs], $rows]) {
	my ($what, $ours, $theirs, $script) = @$_;
	my $ask = sub { my ($address, @headers) = @_; return wrk($address, $script ? $script->() : (), @headers) };
	for (['Fastify with SQLite', "https://127.0.0.1:$port", 'Host: localhost'], ['PHP-FPM with MariaDB', $base, 'Host: php.localhost']) {
		my ($who, $at, $host) = @$_;
		by_turns("$what, against $who", sub { $ask->(@$ours) }, sub { $ask->($at . $theirs->[0], $host, @$theirs[1 .. $#$theirs]) });
	}
}

# ---- lists of 100,000 rows, on as many connections as one person has workers of ours: further ones would wait in line

$Vitrine::Bench::connections = 2;

my $json = Cpanel::JSON::XS->new;
for (my $at = 0; $at < 100_000; $at += 1000) {
	my $some = $json->encode({ rows => [map { { name => "name $_", n => $_ % 2000 } } $at .. $at + 999] });
	for (["$base/v1/data/$art/tables/item/rows", @ours], ["https://127.0.0.1:$port/rows/one", 'Host: localhost', @theirs]) {
		my ($address, @headers) = @$_;
		open my $curl, '|-', 'curl', '-skf', '-o', '/dev/null', (map { ('-H', $_) } @headers, 'Content-Type: application/json'), '--data-binary', '@-', $address or die;
		print $curl $some;
		close $curl or die "rows: $address";
	}
}
$s->db->do("ANALYZE TABLE $_") for qw(data_row data_cell);
my @lists = grep { $_->[0] =~ /$want/ } ['50 rows of 100,000', 'limit=50', ''], ['50 rows of 100,000 with a number', 'limit=50&n=eq.77', '?n=77'], ['50 rows of 100,000, a range and a prefix', 'limit=50&n=gte.1000&name=prefix.name%209&order=n', '?from=1000&name=name%209'];
# Lists ask for the indexes that they need, and the runner makes them.
for (1 .. 2) { system('curl', '-skf', '-o', '/dev/null', (map { ('-H', $_) } @ours), "$base/v1/data/$art/tables/item/rows?$_->[1]") for @lists; $s->runner }
for (@lists) {
	my ($what, $ours, $theirs) = @$_;
	by_turns("$what, against Fastify with SQLite", sub { wrk("$base/v1/data/$art/tables/item/rows?$ours", @ours) }, sub { wrk("https://127.0.0.1:$port/rows/one$theirs", 'Host: localhost', @theirs) });
}
