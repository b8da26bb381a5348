# SPDX-License-Identifier: Apache-2.0
# The power fails: only what was synced is there afterwards. From a worker's system calls it is known, for each instant, which bytes and
# which names of the store are not synced; at a commit none may be that its rows name, and at the reply to a change none at all. What a
# publish shows may be lost as long as its outbox row is there, which builds it again: none may be when the packer removes that.
use Digest::SHA 'sha256_hex';
use Vitrine::Crash;
use Vitrine::Words;

my ($stack, $api) = stack(workers => 1, publish_per_hour => 100000);
my $crash = Vitrine::Crash->new($stack, $api);
my $ann = $stack->user('ann@example.org');
my $data = "$stack->{dir}/data";

# ---- the model: what is not synced, by path beneath the store

my %unsynced;
# Locks, spooled bodies and what is on its way in or out are nobody's, but for the bytes of an upload in pieces.
sub matters { my ($path) = @_; return $path =~ m{^$data/(?:(?:objects|trees|sites)(?:/|$)|spool/upl_)} && $path !~ m{/\.lock$} }
sub full { my ($dir, $name) = @_; $name =~ s{/$}{}; return $name =~ m{^/} ? $name : "$dir/$name" }
sub changed {
	my ($path) = @_;
	return if index($path, "$data/");
	my ($dir) = $path =~ m{^(.*)/};
	$unsynced{$dir} = 'names of' if $path !~ m{/\.lock$};
}
sub renamed {
	my ($from, $to) = @_;
	for my $path (grep { $_ eq $from || index($_, "$from/") == 0 } keys %unsynced) {
		$unsynced{$to . substr $path, length $from} = delete $unsynced{$path};
	}
	changed($_) for $from, $to;
}

sub call_seen {
	my ($line) = @_;
	if ($line =~ /= -1 /) { return }
	elsif ($line =~ /^(?:pwrite64|write|writev|ftruncate|copy_file_range)\(\d+<($data[^>]*)>/) { $unsynced{$1} = 'bytes of' }
	elsif ($line =~ /^(?:fsync|fdatasync)\(\d+<($data[^>]*)>/) { delete $unsynced{$1} }
	elsif ($line =~ /^syncfs\(/) { %unsynced = () }
	elsif ($line =~ /^openat2?\([^<]*<([^>]*)>, "([^"]*)".*O_CREAT/) { changed(full($1, $2)) }
	elsif ($line =~ /^(?:mkdirat|unlinkat)\(\d+<([^>]*)>, "([^"]*)"/) { changed(full($1, $2)) }
	elsif ($line =~ /^symlinkat\("[^"]*", \d+<([^>]*)>, "([^"]*)"/) { changed(full($1, $2)) }
	elsif ($line =~ /^linkat\([^"]*"[^"]*", \d+<([^>]*)>, "([^"]*)"/) { changed(full($1, $2)) }
	elsif ($line =~ /^renameat2?\(\d+<([^>]*)>, "([^"]*)", \d+<([^>]*)>, "([^"]*)"/) { renamed(full($1, $2), full($3, $4)) }
}
sub lost { return join ', ', map { "$unsynced{$_} " . substr $_, length $data } grep { matters($_) } sort keys %unsynced }

# ---- one request, watched; the worker is new, so its COMMIT is prepared, and seen, before it runs. later: the bytes are synced by the
# packer; shows: it has something to do

sub watched {
	my ($name, $status, $do, $later, $shows) = @_;
	my $log = "$stack->{dir}/strace";
	# The packer is a new one, too, so that what it removes from the outbox is prepared while it is watched.
	my ($packer) = my ($former) = $stack->workers('packer');
	$crash->fresh;
	Vitrine::Stack::wait_for('the packer', 60, sub {
		my @now = $stack->workers('packer');
		return @now == 1 && ($packer = $now[0]) != ($former // 0);
	});
	my @pids = $crash->trace('-y', '-s', '4096', '-ff', '-o', $log, '-p', $packer);
	Vitrine::Stack::wait_for('the tracer', 60, sub { Vitrine::Stack::slurp("/proc/$packer/status") =~ /TracerPid:\s+[1-9]/ });
	my $r = $do->();
	Vitrine::Stack::wait_for('the packer', 60,
		sub { !$stack->db->selectrow_array("SELECT COUNT(*) FROM outbox WHERE kind = 'project'") });
	$stack->stop_one('tracer', 'INT');
	is $r->{status}, $status, $name;
	my ($commits, $replies, $calls, $ends) = (0, 0, 0, 0);
	%unsynced = ();
	# A worker that was only asked whether to take a large body commits nothing.
	for my $line (map { split /\n/ } grep { /^sendto\(.*COMMIT"/m } map { Vitrine::Stack::slurp("$log.$_") } @pids) {
		call_seen($line);
		$calls++ if $line =~ /^(?:fsync|syncfs|renameat)/;
		if ($line =~ /^sendto\(.*COMMIT"/) { is lost(), '', "$name: all is synced at the commit" if !$commits++ }
		if ($line =~ /^write\(\d+<socket:[^>]*>, "\\1\\6/ && $commits && !$replies++) {
			if ($later) { unlike lost(), qr{/objects}, "$name: and the bytes at the reply" }
			else { is lost(), '', "$name: and at the reply" }
		}
	}
	is "$commits $replies", '1 1', "$name: both were seen";
	ok $calls, "$name: $calls syncs and renames";
	for my $line (split /\n/, Vitrine::Stack::slurp("$log.$packer")) {
		call_seen($line);
		if ($line =~ /^sendto\(.*DELETE o FROM/) { is lost(), '', "$name: all is synced when the outbox forgets it"; $ends++ }
	}
	is $ends, $shows // 1, "$name: " . ($shows // 1 ? 'which was seen' : 'nothing is left to be shown');
}

sub call { my ($method, $path, $json) = @_; return $api->call($method => $path, { token => $ann->{token}, $json ? (json => $json) : () }) }
# named: all but the first file are sent as digests.
sub publish {
	my ($n, $text, %more) = @_;
	my $named = delete $more{named};
	return call(POST => '/v1/publish', { name => 'P', slug => 'power', visibility => 'public', %more, entrypoint => 'f0.html', 
		files => [map { { path => $_ ? 'd' . $_ % 3 . "/f$_.html" : 'f0.html',
			$named && $_ ? (sha256 => sha256_hex("$text $_")) : (content => ($named // '') . "$text $_") } } 0 .. $n - 1] });
}

SKIP: {
	skip 'strace is not here', 1 if !`strace -V 2>/dev/null`;
	watched('a publish of two files', 201, sub { publish(2, 'few') }, 1);
	watched('of sixty', 201, sub { publish(60, 'many') }, 1);
	watched('of the same', 201, sub { publish(60, 'many') }, 1);
	watched('of 110', 201, sub { publish(110, 'most') }, 1);
	watched('of one file that changed beside 109 that stay', 201, sub { publish(110, 'most', named => 'new ') }, 1);
	watched('of a draft', 201, sub { publish(3, 'draft', draft => Cpanel::JSON::XS::true) }, 1);
	watched('of files that get views', 201, sub { call(POST => '/v1/publish', { name => 'V', slug => 'power-views',
		files => [map { { path => $_, content => "a,b\n1,2\n" } } 'note.md', 'rows.csv'] }) }, 1);
	my $art = call(GET => '/v1/artifacts?slug=power')->{json}{artifacts}[0]{id};
	watched('an earlier version made live', 200, sub { call(POST => "/v1/artifacts/$art/versions/1/restore") });
	watched('another slug', 200, sub { call(PATCH => "/v1/artifacts/$art", { slug => 'power-two' }) });
	watched('a link preview', 200, sub { call(PATCH => "/v1/artifacts/$art", { social_title => 'T' }) });
	watched('made private', 200, sub { call(PATCH => "/v1/artifacts/$art", { visibility => 'private' }) });
	watched('made public', 200, sub { call(PATCH => "/v1/artifacts/$art", { visibility => 'public' }) });
	watched('deleted', 200, sub { call(DELETE => "/v1/artifacts/$art") });
	watched('purged', 200, sub { call(DELETE => "/v1/artifacts/$art?purge=1") });
	# An upload is nobody's before its last byte: a piece is synced before it is said to be received, and what a row names as an object
	# is.
	my $begin = sub { call(POST => '/v1/assets/upload', {})->{json}{uploadUrl} =~ s{^https://[^/]*}{}r };
	my $put = sub {
		my ($url, $n, $range) = @_;
		return $api->call(PUT => $url, { body => chr(65 + $n) x (1 << 20), type => 'application/octet-stream',
			$range ? (headers => { 'Content-Range' => "bytes $range/2097152" }) : () });
	};
	my ($whole, $pieces) = map { $begin->() } 1, 2;
	watched('an upload', 201, sub { $put->($whole, 1) }, 0, 0);
	watched('a piece of one', 202, sub { $put->($pieces, 2, '0-1048575') }, 0, 0);
	watched('its last piece', 201, sub { $put->($pieces, 3, '1048576-2097151') }, 0, 0);
}

# ---- what was lost is built again

my $packer;
Vitrine::Stack::wait_for('the packer', 60, sub { ($packer) = $stack->workers('packer') });
kill STOP => $packer;
is publish(6, 'shown')->{status}, 201, 'a publish that the packer has not seen';
my ($id) = $stack->db->selectrow_array("SELECT id FROM artifact WHERE slug = 'power'");
is $api->get_site('power', '/d1/f4.html')->{body}, 'shown 4', 'is shown';
kill KILL => $packer;
$stack->stop_one('worker');
my $tree = "$data/trees/$id";
unlink "$tree/1/pub/d1/f4.html", "$tree/live", "$data/sites/power" or die;
$stack->start_worker;
is $api->get_site('power', '/d1/f4.html')->{status}, 404, 'a power failure took of it what was not synced';
$stack->db->do('UPDATE outbox SET due_at = 0');
$stack->runner;
is $api->get_site('power', $_)->{status}, 200, "$_ is there again" for '/', '/d1/f1.html', '/d1/f4.html', '/d2/f5.html';
is $api->get_site('power', '/d1/f4.html')->{body}, 'shown 4', '... as it was';
chomp(my $said = ($stack->program('vitrinectl', {}, 'fsck'))[1]);
is $said, 'clean', 'and fsck is content';
finish($stack);
