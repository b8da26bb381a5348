# SPDX-License-Identifier: Apache-2.0
# ./dev bench differences: what it costs to compare two versions: files against listing those of one, lines against diff -u, and
# pictures against one thumbnail. BENCH="files text pictures" takes some of the figures.
use strict;
use warnings;
use Cpanel::JSON::XS;
use Time::HiRes qw(sleep time);
use Vitrine::Api;
use Vitrine::Bench;
use Vitrine::Stack;
use Vitrine::World;

my %want = map { $_ => 1 } split ' ', $ENV{BENCH} // 'files text pictures';
my $s = Vitrine::Stack->new(Vitrine::World::unlimited(), workers => 2, chromium => 'auto', pictures_per_minute => 1000);
stacks($s);
my $api = Vitrine::Api->new($s, unchecked => 1);
my $ann = $s->user('ann@example.org');
my $db = $s->db;
sub call {
	my ($method, $path, $body) = @_;
	my $r = $api->call($method => $path, { token => $ann->{token}, $body ? (json => $body) : () });
	die "$path: $r->{status} $r->{body}" if $r->{status} >= 300;
	return decode_json($r->{body});
}
sub publish {
	my ($slug, %files) = @_;
	return call(POST => '/v1/publish', { name => $slug, slug => $slug, visibility => 'public',
		files => [map { { path => $_, content => $files{$_} } } sort keys %files] })->{artifact}{id};
}
sub took { my ($do) = @_; my $from = time; $do->(); return time - $from }
# Both by turns: the median of each, and of their ratios.
sub beside {
	my ($name, $n, $unit, $ours, $ceiling, %more) = @_;
	my (@ours, @ceiling, @ratio);
	for (1 .. $n) {
		push @ours, took($ours);
		push @ceiling, took($ceiling);
		push @ratio, $ours[-1] / $ceiling[-1];
	}
	my @sorted = sort { $a <=> $b } @ratio;
	my $by = $unit eq 'ms' ? 1000 : 1;
	figure(name => $name, ours => $by * median(@ours), ceiling => $by * median(@ceiling), unit => $unit, ratio => median(@ratio),
		least => $sorted[0], most => $sorted[-1], map { $_ => ref $more{$_} eq 'CODE' ? $more{$_}->() : $more{$_} } keys %more);
}
# The most that one process of these has had since it began, in MiB.
sub peak { my ($most) = sort { $b <=> $a } map { Vitrine::Stack::slurp("/proc/$_/status") =~ /^VmHWM:\s+(\d+)/m ? $1 : 0 } @_; return ($most // 0) / 1024 }
sub workers { my @pids; Vitrine::Bench::each_process(sub { push @pids, $_[1] if $_[0] eq 'workers' }); return @pids }

if ($want{files}) {
	my %files = ('index.html' => 'x', map { (sprintf('folder%02d/page-%04d.html', $_ % 40, $_) => "<p>page $_") } 1 .. 1999);
	my $art = publish('many', %files);
	$files{$_} = '<p>changed' for (sort keys %files)[map { 90 * $_ } 0 .. 19];
	publish('many', %files);
	my $list = sub {
		my ($cursor, $n) = ('', 0);
		do {
			my $r = call(GET => "/v1/artifacts/$art/files?limit=200$cursor");
			$n += @{$r->{files}};
			$cursor = $r->{next_cursor} ? "&cursor=$r->{next_cursor}" : '';
		} while $cursor;
		die "$n files\n" if $n != 2000;
	};
	beside('two versions of 2,000 files, against listing one', 15, 'ms',
		sub { die if call(GET => "/v1/artifacts/$art/compare?from=1&to=2")->{changed} != 20 }, $list);
}

if ($want{text}) {
	my @lines = map { sprintf 'line %d of a report with some words and more', $_ } 1 .. 19_000;
	$#lines-- while length(join "\n", @lines) > 1_000_000;
	my @other = @lines;
	$other[$_ * 19] .= ' changed' for 0 .. 999;
	my @text = map { join "\n", @$_, '' } \@lines, \@other;
	my $art = publish('text', 'index.html' => 'x', 'long.txt' => $text[0]);
	publish('text', 'index.html' => 'x', 'long.txt' => $text[1]);
	Vitrine::Stack::spew("$s->{dir}/text$_", $text[$_]) for 0, 1;
	my $before = peak(workers());
	beside(sprintf('a text of %.1f MB with 1,000 changes, against diff -u', length($text[1]) / 1e6), 9, 'ms',
		sub { die if call(GET => "/v1/artifacts/$art/compare/text?path=long.txt&from=1&to=2")->{text}{insertions} != 1000 },
		sub { system("diff -u $s->{dir}/text0 $s->{dir}/text1 >/dev/null") },
		note => sub { sprintf 'a worker had %.1f MiB at most, %.1f before', peak(workers()), $before });
}

# The runner's own time is subtracted, and the processes apart are looked at while they compare.
if ($want{pictures} && -x '/usr/bin/chromium') {
	my $page = sub { '<!doctype html><title>x</title><style>p{height:150px}</style>'
		. join '', map { "<p style='background:hsl($_ 60% 60%)'>" . join ' ', map { "$_[0]$_" } 1 .. 40 } map { 14 * $_ } 1 .. 25 };
	my $art = publish('pictured', 'index.html' => $page->('a'));
	publish('pictured', 'index.html' => $page->('a') =~ s/<p/<p style='background:red'>new<p/r);
	$db->do('UPDATE page_seen SET due_at = NULL');
	my $run = sub {
		my $pid = fork // die;
		if (!$pid) { open STDERR, '>', "$s->{dir}/bench-runner.log"; exec "$s->{build}/vitrine-runner", '-c', "$s->{dir}/vitrine.yaml", '--once' }
		my ($from, $most) = (time, 0);
		while (waitpid($pid, 1) == 0) {
			my @apart = grep { Vitrine::Stack::slurp("/proc/$_/stat") =~ /^\d+ \(vitrine-(?:runner|apart)/ && $_ != $pid } map { s{/proc/}{}r } glob '/proc/[0-9]*';
			my $now = peak(@apart);
			$most = $now if $now > $most;
			sleep 0.02;
		}
		return (time - $from, $most);
	};
	my $idle = sub { $db->do('UPDATE picture SET due_at = NULL'); return ($run->())[0] };
	$idle->();
	my (@pair, @one, $most);
	for (1 .. 3) {
		my $own = $idle->();
		$db->do('UPDATE picture SET due_at = 1, attempts = 0 WHERE artifact_id = ?', undef, $art);
		push @one, ($run->())[0] - $own;
		$db->do('DELETE FROM compare_picture');
		call(POST => "/v1/artifacts/$art/compare/pictures", { from => 1, to => 2 });
		my $took;
		($took, $most) = $run->();
		push @pair, $took - $own;
		die 'no pictures: ' . Vitrine::Stack::slurp("$s->{dir}/bench-runner.log")
			if !$db->selectrow_array('SELECT 1 FROM compare_picture WHERE from_sha256 IS NOT NULL');
	}
	figure(name => 'a pair of pictures of 1,280 x 4,000, against a thumbnail', ours => median(@pair), ceiling => median(@one), unit => 's',
		ratio => median(map { $pair[$_] / $one[$_] } 0 .. 2), note => sprintf 'the process apart had %.0f MiB at most', $most);
}
