# SPDX-License-Identifier: Apache-2.0
# ./dev bench: speed as ratios to ceilings measured in the same run, on this machine. Nothing here passes or fails.
use strict;
use warnings;
use File::Path 'make_path';
use IO::Socket::UNIX;
use JSON::PP;
use MIME::Base64;
use Time::HiRes qw(sleep time);
use Vitrine::Api;
use Vitrine::Stack;

my $s = Vitrine::Stack->new(workers => 4, publish_per_hour => 1000000);
my $api = Vitrine::Api->new($s);
my $ann = $s->user('ann@example.org');
my $dir = $s->{dir};
chomp(my $password = Vitrine::Stack::slurp("$dir/db-password"));
my $floor = "$dir/floor";
system("gcc -O2 -D_GNU_SOURCE -o $floor $ENV{VITRINE_TOP}/t/bench/floor.c \$(pkg-config --cflags --libs libmariadb fcgi)") == 0 or die;

sub ratio { my ($what, $ours, $ceiling, $unit) = @_; printf "%-52s %9.1f of %9.1f %s  ratio %.2f\n", $what, $ours, $ceiling, $unit, $ours / $ceiling }

# wrk's requests a second; the better of two, since the machine is shared.
sub wrk {
	my ($url, @headers) = @_;
	my $best = 0;
	for (1 .. 2) {
		my $out = qx(wrk -t1 -c16 -d4s @{[map { "-H '$_'" } @headers]} '$url');
		die "wrk: errors\n$out" if $out =~ /Non-2xx/;
		$best = $1 if $out =~ m{Requests/sec:\s+([\d.]+)} && $1 > $best;
	}
	return $best;
}

# ---- a plain listener beside the others: wrk resolves no names, so the content host is chosen by a header

my $page = join '', map { "<p>paragraph $_ of a page of some five thousand bytes, which is usual</p>\n" } 1 .. 70;
$api->publish($ann, slug => 'bench', visibility => 'public', files => { 'page.html' => $page, 'index.html' => 'x' });
my $art = $api->call(GET => '/v1/artifacts?slug=bench', { token => $ann->{token} })->{json}{artifacts}[0]{id};
my ($token_id) = $s->db->selectrow_array('SELECT id FROM token');
make_path("$dir/bare");
Vitrine::Stack::spew("$dir/bare/page.html", $page);
my $port = Vitrine::Stack::free_port();
my $conf = "$dir/nginx/vitrine.conf";
my $text = Vitrine::Stack::slurp($conf);
$text .= <<"END";
server {
	listen 127.0.0.1:$s->{port} ssl;
	server_name bare.localhost;
	ssl_certificate $s->{tls}/cert.pem;
	ssl_certificate_key $s->{tls}/key.pem;
	location /bare/ { root $dir; }
	location /floor { include fastcgi_params; fastcgi_pass unix:$s->{run}/floor.sock; }
}
END
$text =~ s/include fastcgi_params/include \/etc\/nginx\/fastcgi_params/;
Vitrine::Stack::spew($conf, $text);
# The ceiling answers the same bytes.
my $whole = $api->call(GET => "/v1/artifacts/$art", { token => $ann->{token} });
delete @{$whole->{headers}}{qw(server date connection strict-transport-security)};
Vitrine::Stack::spew("$dir/reply", join('', map { "$_: $whole->{headers}{$_}\r\n" } sort keys %{$whole->{headers}}) . "\r\n$whole->{body}");
$s->spawn('floor', "$dir/floor.log", $floor, 'api', "$s->{run}/floor.sock", "$s->{run}/db.sock", $password, $token_id, $art, "$dir/reply");
kill 'HUP', $s->{pids}{nginx};
sleep 1;

my $base = "https://127.0.0.1:$s->{port}";
ratio('public page bytes against bare nginx', wrk("$base/page.html", "Host: bench.pages.localhost"), wrk("$base/bare/page.html", 'Host: bare.localhost'), 'req/s');
ratio('GET /v1/artifacts/{id} against two bare SELECTs',
	wrk("$base/v1/artifacts/$art", 'Host: vitrine.localhost', "Authorization: Bearer $ann->{token}"), wrk("$base/floor", 'Host: bare.localhost'), 'req/s');

# ---- publishing

my $rounds = 20;
make_path("$dir/data/floor");
my $floor_s = qx($floor write $dir/data/floor $s->{run}/db.sock $password $rounds);
open my $random, '<', '/dev/urandom';
my @bodies;
for (1 .. $rounds) {
	push @bodies, { token => $ann->{token}, json => { name => 'B', slug => 'many', visibility => 'public', entrypoint => 'f0.html', files => [map {
		read $random, my $bytes, 3072;
		{ path => "f$_.html", content => encode_base64($bytes, '') } } 0 .. 47] } };
}
my $from = time;
for my $body (@bodies) { my $r = $api->call(POST => '/v1/publish', $body); die $r->{body} if $r->{status} != 201 }
my $ours_s = time - $from;
ratio('publish of 48 files of 4 KiB against write+fsync+commit', $rounds / $ours_s, $rounds / $floor_s, 'publishes/s');

# ---- memory

sub rss { my ($parent) = $s->{pids}{worker}; my $max = 0; for my $pid (split ' ', Vitrine::Stack::slurp("/proc/$parent/task/$parent/children")) {
	my ($kb) = Vitrine::Stack::slurp("/proc/$pid/status") =~ /RssAnon:\s+(\d+)/; $max = $kb if $kb > $max } return $max }
wrk("$base/v1/artifacts?limit=5", 'Host: vitrine.localhost', "Authorization: Bearer $ann->{token}");
my $before = rss();
wrk($_, 'Host: vitrine.localhost', "Authorization: Bearer $ann->{token}") for "$base/v1/artifacts/$art/files", "$base/v1/artifacts/$art/versions", "$base/v1/artifacts";
printf "%-52s %9d KiB, then %d KiB after 24 s more of mixed requests\n", "a worker's anonymous memory", $before, rss();
$s->stop_one('floor');
system 'pkill', '-f', $floor;
$s->stop;
