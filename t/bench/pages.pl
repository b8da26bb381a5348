# SPDX-License-Identifier: Apache-2.0
# ./dev bench pages:
# * a CSV file of 50 MB as pages: publishing it, against the same bytes as a download; page 2,500, and one that is sorted; a text that few
#   rows have and one that many have, against grep -c
# * an app published, against esbuild alone; 1 MB of Markdown published, against drawing it alone
# * a folder of 500 texts of which one changed, with views, against without, and against 1,000 texts without
# * pages that have no views, against views off; the workers' memory after 100 views
# * 50 writers of one page at once, against one after the other; what 50 publishes that wait for what a browser sees cost quick requests
use strict;
use warnings;
use Cpanel::JSON::XS 'decode_json';
use List::Util qw(max min);
use Time::HiRes 'time';
use Vitrine::Api;
use Vitrine::Bench;
use Vitrine::Stack;

my $s = Vitrine::Stack->new(builder => 'auto', chromium => '/usr/bin/true', workers => 4, publish_per_hour => 1000000, renders_per_minute => 100000);
stacks($s);
my $api = Vitrine::Api->new($s, unchecked => 1);
my $ann = $s->user('ann@example.org');
my $file = "$s->{dir}/rows.csv";

open my $out, '>', $file or die;
print $out "city,customer,amount,on\n";
my $rows = 0;
while (tell($out) < 52_000_000) {
	my $n = $rows++ * 7919 % 1000003;
	printf $out "%s,\"Customer %d, Ltd\",%.2f,2026-%02d-%02d,a note\n", ('Stockholm', 'Lund', 'Visby', 'Kiruna')[$n % 4], $n, $n / 7, 1 + $n % 12, 1 + $n % 28;
}
close $out or die;

# Each publish has other bytes, of the same length.
my $turn = 0;
sub published {
	my ($ending) = @_;
	my $dir = "$s->{dir}/p" . ++$turn;
	my $path = "$dir/rows.$ending";
	mkdir $dir or die;
	system("cp $file $path") == 0 or die;
	open my $in, '+<', $path or die;
	printf $in '%04d', $turn;
	close $in or die;
	my $from = time;
	my ($status, $said, $err) = $s->client($ann->{token}, 'publish', $path, '--slug', "as-$ending", '--visibility', 'public', '--quiet');
	die "$said$err" if $status;
	my $took = time - $from;
	unlink $path;
	return (1 / $took, 1);
}
by_turns('a CSV file of 50 MB published with its view, against the same bytes as a download', sub { published('csv') }, sub { published('bin') });

sub asked {
	my ($query) = @_;
	my $r = $api->get_site('as-csv', "/_vitrine/view/rows.csv?$query");
	die "$query: $r->{status} $r->{body}" if $r->{status} != 200;
	return $r->{body};
}
sub p95 { my @v = sort { $a <=> $b } @_; return $v[int 0.95 * $#v] }
sub pages {
	my ($name, $query, $times) = @_;
	my $from = time;
	asked($query);
	my $made = 1000 * (time - $from);
	$from = watch();
	my @took = map { my $at = time; asked($query); 1000 * (time - $at) } 1 .. $times;
	figure(name => $name, ours => p95(@took), unit => 'ms, of 100 the 95th', note => sprintf('%.0f when it was asked for first', $made), per => 'page', %{used($from, $times)});
}
pages('page 2,500 of a table', 'page=2500', 100);
pages('page 2,500 of a table, sorted by a number', 'page=2500&sort=3', 100);
pages('page 2,500 of a table, sorted by a text', 'page=2500&sort=-2', 100);
for (['that one row has', 'Customer 123457,'], ['that few rows have', '2026-03-05'], ['that no row has', 'zzzqqq'], ['that a quarter of the rows have', 'Kiruna']) {
	my ($which, $q) = @$_;
	my $query = 'q=' . $q =~ s/([^\w-])/sprintf '%%%02X', ord $1/ger;
	by_turns("a text $which, found, against grep -c", sub { my $from = time; asked($query) for 1 .. 10; return (10 / (time - $from), 10) },
		sub { my $from = time; system("grep -c '$q' $file > /dev/null") for 1 .. 10; return (10 / (time - $from), 10) });
}

# An app as a chat makes it, of 300 lines. Each publish has other bytes.
my $app = join "\n", 'import { useState } from "react";', 'import { BarChart, Bar } from "recharts";', 'import { Heart } from "lucide-react";',
	(map { "const part$_ = (p: { name: string }) => <div className=\"p-4\"><b>{p.name}</b> $_</div>;" } 1 .. 290),
	'export default function App() { const [n, set] = useState(0); return <main onClick={() => set(n + 1)}><Heart/>{n}{part7({ name: "x" })}'
		. '<BarChart data={[{ v: 1 }]}><Bar dataKey="v"/></BarChart></main>; }', '';
mkdir "$s->{dir}/app" or die;
sub app_published {
	my $r = $api->call(POST => '/v1/publish', { token => $ann->{token}, json => { name => 'App', slug => 'an-app',
		files => [{ path => 'App.tsx', content => "// $_[0]\n$app" }] } });
	die $r->{body} if $r->{status} != 201 || $r->{body} !~ /"warnings":\[\]/;
}
if (-x '/usr/bin/esbuild') {
	app_published('first');
	by_turns('an app published, against esbuild alone', sub { my $from = time; app_published(++$turn) for 1 .. 20; return (20 / (time - $from), 20) }, sub {
		my $from = time;
		for (1 .. 20) {
			open my $out, '>', "$s->{dir}/app/App.tsx" or die;
			print $out $app;
			close $out or die;
			system("cd $s->{dir}/app && esbuild App.tsx --bundle --format=esm --jsx=automatic --external:react --external:recharts --external:lucide-react"
				. ' --outdir=out --log-level=error --minify-whitespace --minify-syntax') == 0 or die;
		}
		return (20 / (time - $from), 20);
	});
}

# ---- texts

sub sent {
	my ($body) = @_;
	my $r = $api->call(POST => '/v1/publish', { token => $ann->{token}, json => $body });
	die $r->{body} if $r->{status} != 201;
	return decode_json($r->{body});
}
my $text = join '', map { "## Part $_\n\nSome *words* of [a link](b.md), `code`, and a list:\n\n- one\n- two\n\n" } 1 .. 12_000;
$text = substr $text, 0, 1_000_000;
by_turns('1 MB of Markdown published, against drawing it alone', sub {
	my $from = time;
	sent({ name => 'Text', slug => 'a-text', files => [{ path => 'a.md', content => ++$turn . "\n\n$text" }] }) for 1 .. 5;
	return (5 / (time - $from), 5);
}, sub {
	my $from = time;
	for (1 .. 5) { $api->call(POST => '/v1/render', { token => $ann->{token}, json => { path => 'a.md', content => $text } })->{status} == 200 or die }
	return (5 / (time - $from), 5);
});
my @texts = map { { path => "t/$_.md", content => "# Text $_\n\n" . "Some words of it.\n\n" x 40 } } 1 .. 1000;
sub folder {
	my ($views, $n) = @_;
	$texts[7]{content} = '# Text ' . ++$turn;
	my $from = time;
	sent({ name => 'Folder', slug => "folder-$views-$n", views => $views, $views eq 'off' ? (entrypoint => 't/1.md') : (),
		files => [@texts[0 .. $n - 1]] });
	return (1 / (time - $from), 1);
}
folder(@$_) for [auto => 500], [off => 500], [off => 1000];
by_turns('a folder of 500 texts, of which one changed, with views, against without', sub { folder('auto', 500) }, sub { folder('off', 500) });
# A view is a row and a link, as a file is.
by_turns('a folder of 500 texts with views, of which one changed, against 1,000 texts without', sub { folder('auto', 500) }, sub { folder('off', 1000) });

# ---- what views cost those that have none, and others

my %small = ('one page' => [{ path => 'index.html', content => '' }], '48 small files' => [map { { path => $_ == 1 ? 'index.html' : "f$_.html", content => '' } } 1 .. 48]);
sub small {
	my ($which, $views) = @_;
	my $from = time;
	for (1 .. 20) {
		$turn++;
		$_->{content} = "<!doctype html><title>$turn</title><p>$_->{path}" for @{$small{$which}};
		sent({ name => 'Small', slug => 'small-' . @{$small{$which}} . "-$views", views => $views, files => $small{$which} });
	}
	return (20 / (time - $from), 20);
}
for my $which (sort keys %small) {
	small($which, $_) for qw(auto off);
	by_turns("$which published, against the same with views off", sub { small($which, 'auto') }, sub { small($which, 'off') });
}
sub private { my $kib = 0; each_process(sub { $kib += $1 if $_[0] eq 'workers' && Vitrine::Stack::slurp("/proc/$_[1]/smaps_rollup") =~ /^Private_Dirty:\s+(\d+)/m }); return $kib / 1024 }
sub drawn { $api->call(POST => '/v1/render', { token => $ann->{token}, json => { path => 'a.md', content => "$_[0]\n\n" . substr $text, 0, 100_000 } })->{status} == 200 or die }
drawn($_) for 1 .. 10;
my $before = private();
drawn($_) for 1 .. 100;
figure(name => 'private memory of the workers after 100 views, against before', ours => private(), ceiling => $before, unit => 'MiB');

# ---- writers

my %page = map { ("f$_.txt" => "text $_\n") } 1 .. 50;
my $many = sent({ name => 'Many', slug => 'many', files => [map { { path => $_, content => $page{$_} } } sort keys %page] });
my ($art, $base) = ($many->{artifact}{id}, 1);
sub written {
	my ($by, $n) = @_;
	my $r;
	# nginx bounds the connections of an address, so some come again, as a client does.
	for (1 .. 100) {
		$r = $by->call(POST => '/v1/publish', { token => $ann->{token}, json => { artifact_id => $art, mode => 'patch', base_version => $base,
			files => [{ path => "f$n.txt", content => "of $turn\n" }] } });
		return decode_json($r->{body})->{version}{version_no} if $r->{status} == 201;
		select undef, undef, undef, 0.1;
	}
	die "$r->{status} $r->{body}";
}
# Their processes begin before the clock does.
by_turns('50 writers of one page at once, against one after the other', sub {
	$turn++;
	my @times = map { [split] } Vitrine::Api::together($s, 50, sub {
		my ($by, $from) = (Vitrine::Api->new($s, unchecked => 1), time);
		written($by, $_[1] + 1);
		return $from . ' ' . time;
	});
	die 'a writer failed' if grep { @$_ != 2 } @times;
	$base += 50;
	return (50 / (max(map { $_->[1] } @times) - min(map { $_->[0] } @times)), 50);
}, sub {
	$turn++;
	my $from = time;
	$base = written($api, $_) for 1 .. 50;
	return (50 / (time - $from), 50);
});

# ---- publishes that wait: there is no runner, so nobody opens their pages

my @writers = map { $s->user("writer$_\@example.org") } 1 .. 17;
sub p99 {
	my ($by) = @_;
	my @took;
	for (1 .. 500) {
		my $from = time;
		$by->call(GET => '/v1/auth/me', { token => $ann->{token} })->{status} == 200 or die;
		push @took, 1000 * (time - $from);
	}
	return (sort { $a <=> $b } @took)[494];
}
sub versions { my ($db) = @_; return $db->selectrow_array('SELECT COUNT(*) FROM version') }
sub beside {
	my $before = versions($s->db);
	my @said = Vitrine::Api::together($s, 51, sub {
		my ($by, $i) = @_;
		if ($i == 50) {
			my $db = $s->db->clone;
			Vitrine::Stack::wait_for('the publishes', 60, sub { versions($db) == $before + 50 });
			return p99(Vitrine::Api->new($s, unchecked => 1));
		}
		return $by->call(POST => '/v1/publish', { token => $writers[$i / 3]{token}, json => { name => 'Waits', wait => 'render', wait_s => 10,
			files => [{ path => 'index.html', content => "of $i" }] } })->{status};
	});
	my $ms = pop @said;
	die "@said" if grep { $_ != 201 } @said;
	return $ms;
}
my (@alone, @waiting);
for (1 .. $ENV{BENCH_TURNS} // 3) {
	push @alone, p99($api);
	push @waiting, beside();
}
figure(name => 'p99 of quick requests beside 50 publishes that wait, against idle', ours => median(@waiting), ceiling => median(@alone), unit => 'ms');
