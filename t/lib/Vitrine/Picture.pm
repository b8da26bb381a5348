# SPDX-License-Identifier: Apache-2.0
# What tests of pictures of pages share: a stack whose runner has a browser, pages, and what is seen of their pictures.
package Vitrine::Picture;
use strict;
use warnings;
use Compress::Zlib;
use Cpanel::JSON::XS;
use Exporter 'import';
use POSIX ();
use Test::More;
use Vitrine::Api;
use Vitrine::Stack;

our @EXPORT = qw(begin publish patch thumbnail shown row now_due lines runner conf colour_of browsers sampled);
my ($stack, $api, $db, $ann);

# With that program as its browser, or 'auto': the stack, its API, its database, Ann and Ben.
sub begin {
	my ($chromium) = @_;
	$stack = Vitrine::Stack->new(chromium => $chromium, publish_per_hour => 10_000, pictures_per_minute => 100);
	($api, $db) = (Vitrine::Api->new($stack), $stack->db);
	$ann = $stack->user('ann@example.org');
	return ($stack, $api, $db, $ann, $stack->user('ben@example.org'));
}

sub publish {
	my ($slug, $files, %more) = @_;
	return $api->publish($ann, slug => $slug, visibility => 'public', files => ref $files ? $files : { 'index.html' => $files }, %more);
}
sub patch {
	my ($art, %what) = @_;
	is $api->call(PATCH => "/v1/artifacts/$art", { token => $ann->{token}, json => \%what })->{status}, 200, join ' ', 'now', %what;
}
sub thumbnail {
	my ($art, $who, %headers) = @_;
	return $api->call(GET => "/v1/artifacts/$art/thumbnail", { token => ($who // $ann)->{token}, headers => \%headers });
}
sub shown { return thumbnail(@_)->{headers}{'content-type'} =~ s{^image/}{}r }
sub row { return $db->selectrow_hashref('SELECT *, HEX(sha256) AS digest FROM picture WHERE artifact_id = ?', undef, $_[0]) }
sub now_due { $db->do('UPDATE picture SET due_at = UNIX_TIMESTAMP() WHERE artifact_id = ?', undef, $_[0]) }
sub lines { return map { decode_json($_) } grep { /^\{/ } split /\n/, $_[0] }
sub runner {
	my ($status, undef, $err) = $stack->runner;
	is $status, 0, 'the runner ran' or diag $err;
	return lines($err);
}
sub conf { my (%c) = @_; $stack->{conf} = { %{$stack->{conf}}, %c }; $stack->write_conf }
# The colour at x, y of 640 by 400, as hex.
sub colour {
	my ($png, $x, $y) = @_;
	my ($w, $h, $bits, $kind) = unpack 'x16NNCC', $png;
	die "not 640 x 400 RGB: $w x $h, $kind\n" if "$w $h $bits $kind" ne '640 400 8 2';
	my ($data, $at) = ('', 8);
	while ($at < length $png) {
		my ($n, $type) = unpack "x${at}Na4", $png;
		$data .= substr $png, $at + 8, $n if $type eq 'IDAT';
		$at += $n + 12;
	}
	my @lines = unpack '(a1921)*', uncompress($data);
	my @above = (0) x 1920;
	for my $line (@lines[0 .. $y]) {
		my ($filter, @now) = unpack 'C*', $line;
		for my $i (0 .. $#now) {
			my ($left, $corner) = $i < 3 ? (0, 0) : ($now[$i - 3], $above[$i - 3]);
			my ($p, $up) = ($left + $above[$i] - $corner, $above[$i]);
			my ($da, $db, $dc) = map { abs($p - $_) } $left, $up, $corner;
			my $paeth = $da <= $db && $da <= $dc ? $left : $db <= $dc ? $up : $corner;
			$now[$i] = ($now[$i] + (0, $left, $up, ($left + $up) >> 1, $paeth)[$filter]) & 255;
		}
		@above = @now;
	}
	return sprintf '%02x' x 3, @above[3 * $x .. 3 * $x + 2];
}
sub colour_of {
	my ($art, $x, $y) = @_;
	my $r = thumbnail($art);
	return $r->{headers}{'content-type'} eq 'image/png' ? colour($r->{body}, $x // 600, $y // 380) : 'a card';
}
# Whether a process is not below another test, which may have browsers too. What has lost its parent comes to ours, t/lib/timed.
my $above = getppid;
sub ours {
	my ($pid) = @_;
	my $own = Vitrine::Stack::slurp("/proc/$$/cmdline");
	while ($pid > 1 && $pid != $$ && $pid != $above) {
		my $command = Vitrine::Stack::slurp("/proc/$pid/cmdline");
		return 0 if $command ne $own && $command =~ m{^\S*perl\0.*\bt/\w+/[\w-]+\.t\0}s;
		($pid) = Vitrine::Stack::slurp("/proc/$pid/status") =~ /^PPid:\t(\d+)/m or return 1;
	}
	return 1;
}
# Processes of browsers in rooms below this test's runner: those that belong to nobody, or to us.
sub browsers {
	return grep { Vitrine::Stack::slurp("/proc/$_/cmdline") =~ m{^\S*chromium.*user-data-dir=/tmp/profile|^\S*chromium.*--type=}
		&& Vitrine::Stack::slurp("/proc/$_/status") =~ /^NSpid:(?:\t\d+){2,}/m && ours($_) } map { m{(\d+)} } glob '/proc/[0-9]*';
}

# The memory that all browsers have together at most while the runner runs, in kB.
sub sampled {
	my ($said) = @_;
	pipe my $in, my $out or die;
	my $pid = fork // die;
	if (!$pid) {
		close $out;
		my ($ready, $most) = ('', 0);
		vec($ready, fileno $in, 1) = 1;
		# Until the other end of the pipe is closed.
		while (!select my $r = $ready, undef, undef, 0.1) {
			my $kb = 0;
			$kb += $_ for map { Vitrine::Stack::slurp("/proc/$_/status") =~ /^Rss(?:Anon|Shmem):\s+(\d+)/mg } browsers();
			$most = $kb if $kb > $most;
		}
		Vitrine::Stack::spew("$stack->{dir}/most", $most);
		POSIX::_exit(0);
	}
	close $in;
	@$said = runner();
	close $out;
	waitpid $pid, 0;
	return Vitrine::Stack::slurp("$stack->{dir}/most");
}

1;
