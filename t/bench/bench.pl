# SPDX-License-Identifier: Apache-2.0
# ./dev bench: speed as ratios to ceilings measured in the same run, on this machine. Nothing here passes or fails. BENCH="read front agents private delivery data publish upload blob memory" takes
# some of the figures.
use strict;
use warnings;
use File::Path 'make_path';
use IO::Handle;
use IO::Socket::UNIX;
use Cpanel::JSON::XS;
use Digest::SHA 'sha256_hex';
use MIME::Base64;
use Time::HiRes qw(sleep time);
use Vitrine::Api;
use Vitrine::Slow;
use Vitrine::Bench;
use Vitrine::Stack;
use Vitrine::World;

my %want = map { $_ => 1 } split ' ', $ENV{BENCH} // 'read front agents private delivery data publish upload blob memory';
my $slow = Vitrine::Slow->new;
my $s = Vitrine::Stack->new(workers => 4, publish_per_hour => 1000000, agent_calls_per_minute => 1000000, data_per_minute => 1000000, max_blob_storage_bytes => 10 << 30, max_blobs => 100000);
stacks($s);
my $api = Vitrine::Api->new($s);
my $timed = Vitrine::Api->new($s, unchecked => 1);
my $ann = $s->user('ann@example.org');
my $dir = $s->{dir};
chomp(my $password = Vitrine::Stack::slurp("$dir/db-password"));
my $floor = "$dir/floor";
system("gcc -O2 -D_GNU_SOURCE -o $floor $ENV{VITRINE_TOP}/t/bench/floor.c \$(pkg-config --cflags --libs libmariadb fcgi)") == 0 or die;

my $art;
# ms that all but a few of a thousand quiet requests took.
sub quiet {
	my ($of_1000) = @_;
	my @took = map { my $from = time; $timed->call(GET => "/v1/artifacts/$art", { token => $ann->{token} })->{status} == 200 or die; time - $from } 1 .. 1000;
	return 1000 * (sort { $a <=> $b } @took)[$of_1000];
}

# ---- a plain listener beside the others: wrk resolves no names, so the content host is chosen by a header

my $page = join '', map { "<p>paragraph $_ of a page of some five thousand bytes, which is usual</p>\n" } 1 .. 70;
$api->publish($ann, slug => 'bench', visibility => 'public', files => { 'page.html' => $page, 'index.html' => 'x' });
$art = $api->call(GET => '/v1/artifacts?slug=bench', { token => $ann->{token} })->{json}{artifacts}[0]{id};
my ($token_id) = $s->db->selectrow_array('SELECT id FROM token');
make_path("$dir/bare");
Vitrine::Stack::spew("$dir/bare/page.html", $page);
my $port = Vitrine::Stack::free_port();
my $conf = "$dir/nginx/vitrine.conf";
my $text = Vitrine::Stack::slurp($conf);
# The ceilings keep their connections, as the workers do.
$text .= "upstream $_ { server unix:$s->{run}/$_.sock; keepalive 16; }\n" for qw(object-5000 object-500000 page viewer floor);
$text .= <<"END";
server {
	listen 127.0.0.1:$s->{port} ssl;
	server_name bare.localhost;
	ssl_certificate $s->{tls}/cert.pem;
	ssl_certificate_key $s->{tls}/key.pem;
	keepalive_requests 10000;
	location /bare/ { root $dir; }
	location /logged/ { alias $dir/bare/; access_log $dir/logged combined buffer=64k flush=1s; limit_conn vitrine_clients 256; }
	location /same/ {
		alias $dir/data/trees/$art/1/pub/;
		access_log $dir/logged combined buffer=64k flush=1s;
		limit_conn vitrine_clients 256;
		include $dir/nginx/mime.types;
		charset utf-8;
		charset_types text/css text/plain text/javascript application/json;
		gzip_static on;
		brotli_static on;
		include $dir/nginx/always.conf;
		add_header Last-Modified "";
		add_header Cache-Control no-cache;
		add_header Vary Accept-Encoding;
	}
	location /_bare_tree/ { internal; alias $dir/data/trees/; }
	location /_bare_objects/ { internal; alias $dir/data/objects/; }
	location /floor_object_5000 { include fastcgi_params; fastcgi_keep_conn on; fastcgi_pass object-5000; }
	location /floor_object_500000 { include fastcgi_params; fastcgi_keep_conn on; fastcgi_pass object-500000; }
	location /floor_page { include fastcgi_params; fastcgi_keep_conn on; fastcgi_pass page; }
	location /floor_viewer { include fastcgi_params; fastcgi_keep_conn on; fastcgi_pass viewer; }
	location /floor { include fastcgi_params; fastcgi_keep_conn on; fastcgi_pass floor; }
}
END
$text =~ s/include fastcgi_params/include \/etc\/nginx\/fastcgi_params/g;
Vitrine::Stack::spew($conf, $text);
# The ceiling answers the same bytes.
my $whole = $api->call(GET => "/v1/artifacts/$art", { token => $ann->{token} });
delete @{$whole->{headers}}{qw(server date connection strict-transport-security)};
Vitrine::Stack::spew("$dir/reply", join('', map { "$_: $whole->{headers}{$_}\r\n" } sort keys %{$whole->{headers}}) . "\r\n$whole->{body}");
$s->spawn('floor', "$dir/floor.log", $floor, 'api', "$s->{run}/floor.sock", "$s->{run}/db.sock", $password, $token_id, $art, "$dir/reply");
kill 'HUP', $s->{pids}{nginx};
sleep 1;

my $base = "https://127.0.0.1:$s->{port}";
my @as_ann = ('Host: vitrine.localhost', "Authorization: Bearer $ann->{token}");
if ($want{read}) {
	by_turns('public page bytes against bare nginx', sub { wrk("$base/page.html", 'Host: bench.pages.localhost') },
		sub { wrk("$base/bare/page.html", 'Host: bare.localhost') });
	by_turns('public page bytes against bare nginx that logs, and bounds connections', sub { wrk("$base/page.html", 'Host: bench.pages.localhost') },
		sub { wrk("$base/logged/page.html", 'Host: bare.localhost') });
	quiet_and_loaded('GET /v1/artifacts/{id} against two bare SELECTs', sub { wrk("$base/v1/artifacts/$art", @as_ann) },
		sub { wrk("$base/floor", 'Host: bare.localhost') });
}

# ---- other replies of nginx alone, to a browser, against one with the same duties: headers, types, packed forms, a log, bounded connections

if ($want{front}) {
	Vitrine::Stack::wait_for('the packer', 60, sub { -e "$dir/data/trees/$art/1/pub/page.html.br" });
	my @browser = ('User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0', 'Sec-Fetch-Dest: document');
	my $etag = $api->get_site('bench', '/page.html')->{headers}{etag};
	my $against = sub {
		my ($what, $do, @headers) = @_;
		return ("a public page $what, against nginx with the same duties", sub { $do->('bench.pages.localhost', '/page.html', @browser, @headers) },
			sub { $do->('bare.localhost', '/same/page.html', @browser, @headers) });
	};
	my $http1 = sub { my ($host, $path, @headers) = @_; return wrk("$base$path", "Host: $host", @headers) };
	my $http2 = sub { my ($host, $path, @headers) = @_; return h2load("https://$host:$s->{port}$path", "127.0.0.1:$s->{port}", @headers) };
	quiet_and_loaded($against->('by HTTP/2', $http2));
	by_turns($against->('by Range, 1,000 bytes', $http1, 'Range: bytes=1000-1999'));
	by_turns($against->('that is not modified, 304', $http1, "If-None-Match: $etag"));
	by_turns($against->('by brotli', $http1, 'Accept-Encoding: gzip, br'));
}

# ---- files of delivery links: by nginx alone, and behind a password

if ($want{delivery}) {
	my $call = sub { my ($path, $json) = @_; return $api->call(POST => "/v1/assets$path", { token => $ann->{token}, json => $json })->{json} };
	for (['5 kB', 5000], ['500 kB', 500_000]) {
		my ($size, $bytes) = @$_;
		Vitrine::Stack::spew("$dir/bare/file.bin", 'x' x $bytes);
		my $url = $call->('/upload', { filename => 'file.bin' })->{uploadUrl};
		my $blob = $api->call(PUT => $url =~ s{^https://[^/]+}{}r, { body => 'x' x $bytes, type => 'application/octet-stream' })->{json}{blob};
		my $file = $call->('/deliverables', { blobId => $blob->{id} })->{deliverable};
		my $collection = $call->('/collections', { deliverableIds => [$file->{id}] })->{collection}{id};
		my ($open, $gated) = map { $call->("/collections/$collection/share", $_)->{url} =~ s{^https://[^/]+}{}r . "/file/$blob->{id}/file.bin" } {}, { password => 'the password' };
		my $in = $api->request(POST => 'vitrine.localhost', $gated =~ s{/file/.*}{}r, { 'Content-Type' => 'application/x-www-form-urlencoded', 'Sec-Fetch-Site' => 'same-origin' }, 'password=the+password');
		my ($cookie) = $in->{headers}{'set-cookie'} =~ /^([^;]+)/ or die;
		by_turns("a delivery's bytes, $size, against bare nginx", sub { wrk("$base$open", 'Host: vitrine.localhost') }, sub { wrk("$base/bare/file.bin", 'Host: bare.localhost') });
		# The password costs a large file no more than a small one.
		next if $bytes > 5000;
		my $object = "$blob->{sha256}";
		$s->spawn("floor_$bytes", "$dir/floor.log", $floor, 'page', "$s->{run}/object-$bytes.sock", "$s->{run}/db.sock", $password, $art, '/_bare_objects/' . substr($object, 0, 2) . "/$object");
		by_turns("a delivery's bytes, $size, behind a password, against X-Accel after one SELECT", sub { wrk("$base$gated", 'Host: vitrine.localhost', "Cookie: $cookie") }, sub { wrk("$base/floor_object_$bytes", 'Host: bare.localhost') });
	}
}

# ---- agents: a tool beside the row that it asks, by one client

if ($want{agents}) {
	my $called = sub {
		my ($tool, $args) = @_;
		return sub { wrk("$base/mcp", script($dir, 'POST', '', qq('{"jsonrpc":"2.0","id":' .. n .. ',"method":"tools/call","params":{"name":"$tool","arguments":$args}}')), @as_ann) };
	};
	my $asked = sub { my ($path) = @_; return sub { wrk("$base$path", script($dir, 'GET', '', 'nil'), @as_ann) } };
	quiet_and_loaded('tools/call get_artifact against GET /v1/artifacts/{id}', $called->(get_artifact => qq({"artifact":"$art"})), $asked->("/v1/artifacts/$art"));
	by_turns('tools/call list_artifacts against GET /v1/artifacts', $called->(list_artifacts => '{}'), $asked->('/v1/artifacts'));
	by_turns('tools/list against GET /v1', sub { wrk("$base/mcp", script($dir, 'POST', '', qq('{"jsonrpc":"2.0","id":1,"method":"tools/list"}')), @as_ann) }, $asked->('/v1'));

	# Programs of the older era, each of a person of its own: a session's first requests, then a page again and again.
	my $world = Vitrine::World->new($s);
	my @agents = map { my $who = $s->user("agent$_\@example.org"); $s->token($who->{id}, 'som_', scopes => 15, opens_to => 'private', grant_id => $world->make(ogr => user => $who->{id})) } 1 .. 50;
	my $publishing = sub {
		my ($token, $pause) = @_;
		my ($own, $id) = (Vitrine::Api->new($s, unchecked => 1), 0);
		srand; # else all of them would wait alike
		my $say = sub { my ($method, $params) = @_; return $own->call(POST => '/mcp', { token => $token, headers => { Accept => 'application/json, text/event-stream', 'MCP-Protocol-Version' => '2025-11-25' },
			json => { jsonrpc => '2.0', $method =~ /^notifications/ ? () : (id => ++$id), method => $method, params => $params } }) };
		$say->(initialize => { protocolVersion => '2025-11-25', capabilities => {}, clientInfo => { name => 'bench', version => '1' } });
		$say->('notifications/initialized' => {});
		$own->call(GET => '/mcp', { token => $token });
		$say->('tools/list' => {});
		my $file = sub { return { path => 'index.html', content => "$$ " . rand() . $page } };
		my $said = decode_json($say->('tools/call' => { name => 'publish', arguments => { name => 'Bench', files => [$file->()] } })->{body})->{result}{structuredContent};
		while (1) {
			sleep rand(2 * $pause) if $pause;
			$say->('tools/call' => { name => 'publish', arguments => { artifact => $said->{artifact}{id}, files => [$file->()] } })->{body} =~ /"version_no"/ or die 'no publish';
		}
	};
	for (['now and then, each every five seconds', 5], ['as fast as they can', 0]) {
		my ($what, $pause) = @$_;
		my ($versions, $from, @rates) = (0, 0);
		my $count = sub { return $s->db->selectrow_array('SELECT COUNT(*) FROM version') };
		# By then each has published once.
		my $begin = sub { my $had = $count->(); for my $token (@agents) { $slow->beside(sub { $publishing->($token, $pause) }) } Vitrine::Stack::wait_for('the agents', 120, sub { $count->() >= $had + @agents }); ($versions, $from) = ($count->(), time) };
		disturbed("p95 of a plain GET beside 50 agents that publish $what", sub { quiet(950) }, $begin,
			sub { push @rates, ($count->() - $versions) / (time - $from); $slow->end($s) }, sub { sprintf '%.0f publishes a second', median(@rates) });
	}
}

# ---- a private page on its own host

if ($want{private}) {
	my $private = $api->publish($ann, slug => 'secret', visibility => 'private', files => { 'page.html' => $page, 'index.html' => 'x' });
	my @as_viewer = ('Host: secret.pages.localhost', viewer_cookie($s, $ann, $private));
	$s->spawn('floor_page', "$dir/floor.log", $floor, 'page', "$s->{run}/page.sock", "$s->{run}/db.sock", $password, $private, "/_bare_tree/$private/1/pub/page.html");
	quiet_and_loaded('private page against X-Accel after one SELECT', sub { wrk("$base/page.html", @as_viewer) },
		sub { wrk("$base/floor_page", 'Host: bare.localhost') });
	# What has to be asked of a visitor whose session can be ended: four rows by their primary keys.
	my ($cookie) = $as_viewer[1] =~ /(vie_\w+)/;
	$s->spawn('floor_viewer', "$dir/floor.log", $floor, 'page', "$s->{run}/viewer.sock", "$s->{run}/db.sock", $password, $cookie, "/_bare_tree/$private/1/pub/page.html");
	by_turns('private page against X-Accel after one SELECT of cookie, session, person, and artifact', sub { wrk("$base/page.html", @as_viewer) },
		sub { wrk("$base/floor_viewer", 'Host: bare.localhost') });
}

# ---- the document: a page that asks again and again, one that reads it, and one client that writes

sub document_of { my ($n) = @_; return encode_json({ text => 'x' x $n }) }
sub puts {
	my ($bytes) = @_;
	return wrk("$base/v1/data/$art/json", script($dir, 'PUT', 'local filling = string.rep("x", ' . $bytes . ')', q('{"n":' .. n .. ',"text":"' .. filling .. '"}')), @as_ann);
}
# The same rows by one client of the database, each its own transaction, as durable as the service's.
sub floor_puts {
	my ($bytes) = @_;
	my ($db, $n, $from, $text) = ($s->db, 0, time, 'x' x $bytes);
	my $sql = $db->prepare('UPDATE document SET body = ? WHERE artifact_id = ?');
	while (time - $from < 1) { $sql->execute('{"n":' . ++$n . qq(,"text":"$text"}), $art) }
	return ($n / (time - $from), $n);
}
if ($want{data}) {
	for my $bytes (200, 100_000) {
		$api->call(PUT => "/v1/data/$art/json", { token => $ann->{token}, type => 'application/json', body => document_of($bytes) });
		my $etag = $api->call(GET => "/v1/data/$art/json", {})->{headers}{etag};
		my @on_its_host = 'Host: bench.pages.localhost';
		by_turns("GET of a document of $bytes bytes, on its own host, against two bare SELECTs", sub { wrk("$base/v1/data/self/json", @on_its_host) }, sub { wrk("$base/floor", 'Host: bare.localhost') });
		by_turns("GET of a document of $bytes bytes with its ETag, 304, against two bare SELECTs", sub { wrk("$base/v1/data/self/json", @on_its_host, "If-None-Match: $etag") }, sub { wrk("$base/floor", 'Host: bare.localhost') }) if $bytes == 200;
		by_turns("PUT of a document of $bytes bytes by one client against bare UPDATEs", sub { puts($bytes) }, sub { floor_puts($bytes) });
	}
	$s->db->do('DELETE FROM document');
}

# ---- publishing: one client that sends new bytes each time, to one artifact

open my $random, '<', '/dev/urandom';
sub text { my ($n) = @_; read $random, my $bytes, $n * 3 / 4; return encode_base64($bytes, '') }

sub publishes { return wrk("$base/v1/publish", publish_script($dir, @_), @as_ann) }

my $round = 0;
# What it wrote stays: removing it would be work of the disk's in the next turn.
sub floor_publishes {
	my ($files, $count) = @_;
	my $place = "$dir/data/floor-" . $round++;
	make_path("$place/objects", "$place/tree");
	# What was published last is packed first.
	sleep 1.5;
	my ($seconds, $own) = split ' ', qx($floor publish $place $s->{run}/db.sock $password $ann->{id} $files $count);
	return ($count / $seconds, $count, $own);
}

# What the last publish asked of the database and of the disk, from the log and from the worker's system calls.
sub publish_counts {
	my ($slug) = @_;
	my $log = "$dir/publish-strace";
	my @pids = ($s->workers, $s->workers('packer'));
	$s->spawn('tracer', "$dir/tracer.log", 'strace', '-ff', '-qq', '-e', 'trace=fsync,fdatasync,syncfs,write', '-o', $log, map { ('-p', $_) } @pids);
	sleep 1;
	my $r = $api->call(POST => '/v1/publish', { token => $ann->{token}, json => { name => 'B', slug => $slug, visibility => 'public',
		files => [{ path => 'index.html', content => text(4096) }] } });
	die $r->{body} if $r->{status} != 201;
	sleep 1;
	$s->stop_one('tracer', 'INT');
	my @texts = map { Vitrine::Stack::slurp($_) } glob "$log.*";
	unlink glob "$log.*";
	# Packing is the packer's, and in another file.
	my ($main) = grep { /sync/ && /^write\(\d+, "\\1\\6/m } @texts;
	my $syncs = qr/^(?:fsync|fdatasync|syncfs)\(/m;
	my $before = () = (split /^write\(\d+, "\\1\\6/m, $main, 2)[0] =~ /$syncs/g;
	my $after = (() = join("\n", @texts) =~ /$syncs/g) - $before;
	my ($trips) = (grep { m{"/v1/publish"} } split /\n/, Vitrine::Stack::slurp("$dir/worker.log"))[-1] =~ /"db":(\d+)/;
	return sprintf '%d database round trips, %d syncs before the reply, %d after it', $trips, $before, $after;
}

# One of so many files changes, all are named, and only its bytes are sent. They are too small to be packed.
sub republish {
	my ($files) = @_;
	my %text = map { (sprintf('d%03d/f%05d.html', $_ / 100, $_) => "page $_") } 1 .. $files;
	my $change = sub {
		$text{'d010/f01000.html'} = my $new = text(300);
		return $timed->call(POST => '/v1/publish', { token => $ann->{token}, json => { name => 'Many', slug => 'republish', entrypoint => 'd010/f01000.html',
			files => [map { { path => $_, sha256 => sha256_hex($text{$_}), !$_[0] || $text{$_} eq $new ? (content => $text{$_}) : () } } sort keys %text] } });
	};
	$change->($_)->{status} == 201 or die 'republish' for 0 .. 4;
	my ($from, $trips, @took) = (watch());
	for (1 .. 8) {
		my $r = $change->(1);
		my ($ms, $db) = Vitrine::Stack::slurp("$dir/worker.log") =~ /"request_id":"$r->{headers}{'x-request-id'}".*"ms":([\d.]+),"db":(\d+)/;
		push @took, $ms;
		$trips = $db if !$trips || $db < $trips;
	}
	figure(name => 'republish: 1 of ' . ($files =~ s/(?=\d{3}$)/,/r), ours => median(@took), unit => 'ms', note => "$trips database round trips",
		per => 'file', %{used($from, 8 * $files)});
}

if ($want{publish}) {
	$api->publish($ann, slug => 'one', visibility => 'public', files => { 'f0.html' => 'x' }, entrypoint => 'f0.html');
	quiet_and_loaded('publish of one file against its syncs and rows', sub { publishes(1, 'one') }, sub { floor_publishes(1, 150) });
	by_turns('publish of one file, a new artifact, against its syncs and rows', sub { publishes(1, 'new', 1) }, sub { floor_publishes(1, 150) });
	by_turns('publish of 48 files of 4 KiB against its syncs and rows', sub { publishes(48, 'many') }, sub { floor_publishes(48, 60) });
	# Every worker has met the statements by now.
	figure(name => 'a publish of one file, an artifact that is there', note => publish_counts('one'));
	$api->publish($ann, slug => "new-$_", visibility => 'public') for 1 .. 20;
	figure(name => 'a publish of one file, a new artifact', note => publish_counts('fresh'));
	# The same text, as a page and as what a view is made of.
	my $text = join '\\\\n\\\\n', map { "paragraph $_ of *some* text of [five](https://a.example/) thousand bytes" } 1 .. 70;
	my $of = sub { my ($kind) = @_; return wrk("$base/v1/publish", script($dir, 'POST', '', qq('{"name":"B","slug":"as-$kind","visibility":"public","files":[{"path":"index.$kind","content":"' .. n .. ' $text"}]}')), @as_ann) };
	by_turns('publish of a Markdown file and its view, against an HTML file', sub { $of->('md') }, sub { $of->('html') });
	my ($no, $used, @rate) = (0);
	my $flat = sub { $no++; $timed->publish($ann, slug => 'flat', visibility => 'public', files => { 'index.html' => "v$no" }) };
	for my $versions (1, 1000) {
		$flat->() while $no < $versions;
		my $from = watch();
		push @rate, median(map { my $from = time; $flat->() for 1 .. 40; 40 / (time - $from) } 1 .. 5);
		$used = used($from, 200);
	}
	republish(20_000);
	figure(name => 'publishes with 1,000 versions against few', ours => $rate[1], ceiling => $rate[0], unit => 'a second', per => 'publish', %$used);
}

# ---- memory

sub rss {
	my $max = 0;
	for my $pid ($s->workers) {
		my ($kb) = Vitrine::Stack::slurp("/proc/$pid/status") =~ /VmRSS:\s+(\d+)/;
		$max = $kb if $kb > $max;
	}
	return $max;
}

# An archive of 100 MB, files that can't be packed: the workers' memory while it is taken, and afterwards.
sub upload_memory {
	my ($kind, $pack) = @_;
	my $idle = rss();
	my $pid = fork // die;
	if (!$pid) {
		my $out = qx(curl -s -o /dev/null -w '%{http_code}' --cacert $s->{tls}/ca.pem -H 'Authorization: Bearer $ann->{token}' --resolve vitrine.localhost:$s->{port}:127.0.0.1 -F 'manifest={"name":"Big","slug":"big","entrypoint":"d/0.bin"};type=application/json' -F 'archive=\@$dir/big.$kind' https://vitrine.localhost:$s->{port}/v1/publish);
		warn "$kind: $out\n" if $out ne '201';
		POSIX::_exit(0);
	}
	my $peak = $idle;
	while (waitpid($pid, POSIX::WNOHANG()) == 0) { my $now = rss(); $peak = $now if $now > $peak; sleep 0.005 }
	sleep 2;
	figure(name => "a worker's memory for an archive of 100 MB, .$kind", ours => ($peak - $idle) / 1024, unit => 'MiB over idle at its peak', note => sprintf '%.1f afterwards', (rss() - $idle) / 1024);
}

if ($want{upload}) {
	make_path("$dir/big/d");
	for my $i (0 .. 9) { system "head -c 10000000 /dev/urandom > $dir/big/d/$i.bin" }
	system "cd $dir/big && tar c d | gzip -1 > ../big.tar.gz && python3 -m zipfile -c ../big.zip d";
	upload_memory($_) for 'tar.gz', 'zip';
}

# ---- blobs: an upload of 50 MB against writing as much and a sync; the bytes of one against bare nginx; the workers' memory

if ($want{blob}) {
	my ($n, $size, $noise) = (0, 50 << 20);
	read $random, $noise, $size;
	# New bytes each time, or there would be nothing to store.
	my $fresh = sub { substr $noise, 0, 16, sprintf '%016d', ++$n; Vitrine::Stack::spew("$dir/blob.bin", $noise) };
	my @curl = ('curl', '-s', '-o', '/dev/null', '-w', '%{http_code} %{time_total}', '--cacert', "$s->{tls}/ca.pem", '-H', "Authorization: Bearer $ann->{token}", '--resolve', "vitrine.localhost:$s->{port}:127.0.0.1");
	my $send = sub {
		$fresh->();
		my ($status, $seconds) = split ' ', do { open(my $out, "-|", @curl, @_, "https://vitrine.localhost:$s->{port}/v1/data/$art/blobs" . ($_[0] eq '-T' ? '?filename=blob.bin' : '')) or die; local $/; <$out> };
		die "an upload: $status\n" if $status != 201;
		return (1 / $seconds, 1);
	};
	my $bare = sub {
		my ($from, $cpu) = (time, own());
		open my $f, '>:raw', "$dir/data/tmp-bare" or die;
		syswrite $f, $noise, 1 << 16, $_ << 16 for 0 .. ($size >> 16) - 1;
		$f->sync;
		close $f;
		my @said = (1 / (time - $from), 1, own() - $cpu);
		unlink "$dir/data/tmp-bare";
		return @said;
	};
	my $idle = rss();
	by_turns('upload of 50 MB, bytes alone, against write and fsync', sub { $send->('-T', "$dir/blob.bin") }, $bare);
	by_turns('upload of 50 MB as a form, against write and fsync', sub { $send->('-F', "file=\@$dir/blob.bin") }, $bare);
	for my $method (qw(PUT POST)) {
		my @took = map { m{"method":"$method","route":"/v1/data/\{art\}/blobs","status":201,"ms":([\d.]+)} ? $1 : () } split /\n/, Vitrine::Stack::slurp("$dir/worker.log");
		figure(name => "upload of 50 MB by $method, of which a worker had", ours => median(@took), unit => 'ms');
	}
	figure(name => "a worker's memory after these uploads", ours => (rss() - $idle) / 1024, unit => 'MiB more than before');
	for (['5 kB', $page, 'page.html'], ['1 MB', substr($noise, 0, 1 << 20), 'large.bin']) {
		my ($what, $bytes, $name) = @$_;
		my $r = $api->call(PUT => "/v1/data/$art/blobs?filename=$name", { token => $ann->{token}, body => $bytes });
		die $r->{body} if $r->{status} != 201;
		Vitrine::Stack::spew("$dir/bare/$name", $bytes);
		by_turns("the bytes of a blob, $what, against bare nginx", sub { wrk("$base$r->{headers}{location}/content", @as_ann) }, sub { wrk("$base/bare/$name", 'Host: bare.localhost') });
	}
}

if ($want{memory}) {
	my @mixed = ("/v1/artifacts/$art", "/v1/artifacts/$art/files", "/v1/artifacts/$art/versions", '/v1/artifacts', '/v1/auth/me');
	for my $path ((@mixed) x 200) {
		my $r = $api->call(GET => $path, { token => $ann->{token} });
		die $r->{body} if $r->{status} != 200;
	}
	my ($requests, $before) = (0, rss());
	while ($requests < 20_000) {
		$requests += (wrk("$base$_", @as_ann))[1] for @mixed;
	}
	figure(name => "a worker's memory", ours => $before / 1024, unit => 'MiB after 1000 mixed requests', note => sprintf '%.1f after %d more', rss() / 1024, $requests);
	my $body = encode_json({ name => 'M', slug => 'memory', files => [{ path => 'index.html', content => 'x' x (24 << 20) }] });
	for (1 .. 8) { $api->call(POST => '/v1/publish', { token => $ann->{token}, type => 'application/json', body => $body })->{status} == 201 or die }
	# Compressed siblings are made after the reply.
	for (1 .. 400) { last if !$slow->busy($s); sleep 0.05 }
	figure(name => "a worker's memory after publishes of 24 MiB of JSON", ours => rss() / 1024, unit => 'MiB');
}
