# SPDX-License-Identifier: Apache-2.0
# ./dev perf WHAT: a flame graph of workers, nginx and MariaDB while one kind of request is served, in var/perf.svg. WHAT is a path, which
# is read as its owner, or one of the kinds below. A wider box took more of the processor; what it called is above it. Each says its share
# on hover.
use strict;
use warnings;
use Vitrine::Api;
use Vitrine::Bench;
use Vitrine::Stack;

my ($SECONDS, $WIDTH, $HIGH) = (10, 1200, 17);
my %color = (workers => '#7fc97f', packer => '#c5e0b4', nginx => '#8db3e2', MariaDB => '#fdc086');

my $what = shift // '';
my $s = Vitrine::Stack->new(workers => 4, publish_per_hour => 1000000, agent_calls_per_minute => 1000000, data_per_minute => 1000000);
stacks($s);
my $api = Vitrine::Api->new($s);
my $ann = $s->user('ann@example.org');
my $art = $api->publish($ann, slug => 'perf', visibility => 'public', files => { 'index.html' => '<p>perf</p>' x 400 });
my $closed = $api->publish($ann, slug => 'closed', files => { 'index.html' => '<p>perf</p>' x 400 });
$api->call(PUT => "/v1/data/$art/tables/rows", { token => $ann->{token}, json => { columns => [{ name => 'n', type => 'number' }] } });
my $cookie = viewer_cookie($s, $ann, $closed);
my $base = "https://127.0.0.1:$s->{port}";
my @as_ann = ('Host: vitrine.localhost', "Authorization: Bearer $ann->{token}");
my $sent = sub {
	my ($path, $body) = @_;
	return sub { wrk("$base$path", script($s->{dir}, 'POST', '', $body), @as_ann) };
};
my %kinds = (
	page => sub { wrk("$base/", 'Host: perf.pages.localhost') },
	private => sub { wrk("$base/", 'Host: closed.pages.localhost', $cookie) },
	publish => $sent->('/v1/publish', q('{"name":"Perf","slug":"perf","files":[{"path":"index.html","content":"' .. n .. '"}]}')),
	row => $sent->("/v1/data/$art/tables/rows/rows", q('{"rows":[{"n":' .. n .. '}]}')),
	tool => $sent->('/mcp',
		q('{"jsonrpc":"2.0","id":' .. n .. ',"method":"tools/call","params":{"name":"list_artifacts","arguments":{}}}')),
);
my $ask = $what =~ m{^/} ? sub { wrk("$base$what", @as_ann) }
	: $kinds{$what} // die 'perf needs a path, or one of: ' . join(', ', sort keys %kinds) . "\n";
$ask->(); # warm

# ---- recorded

my %part_of;
each_process(sub { my ($part, $pid) = @_; $part_of{$pid} = $part });
delete @part_of{grep { !$color{$part_of{$_}} } keys %part_of};
my $load = fork // die "fork: $!\n";
if (!$load) {
	$ask->() while 1;
}
my $data = "$ENV{VITRINE_VAR}/perf.data";
system(qw(perf record -q --call-graph dwarf -F 199 -o), $data, '-p', join(',', keys %part_of), '--', 'sleep', $SECONDS) == 0
	or die "perf record failed: it needs the package linux-perf, and the right to use it\n";
kill 'TERM', $load;
waitpid $load, 0;

# ---- folded: a tree of names, each with its samples

my %root = (name => 'all', n => 0, of => {});
open my $script, '-|', "perf script --no-inline -i '$data' -F pid,ip,sym 2>/dev/null" or die;
{
	local $/ = '';
	while (<$script>) {
		my ($head, @frames) = split /\n/;
		my ($pid) = $head =~ /^\s*(\d+)/ or next;
		my $at = \%root;
		$at->{n}++;
		for my $name ($part_of{$pid} // next, reverse map { /^\s*[0-9a-f]+ (.+?)(?:\+0x[0-9a-f]+)?$/ ? $1 : '?' } @frames) {
			$at = $at->{of}{$name} //= { name => $name, n => 0, of => {} };
			$at->{n}++;
		}
	}
}
$root{n} or die "nothing was recorded\n";

# ---- drawn

sub depth { my ($node) = @_; my $most = 0; for (values %{$node->{of}}) { my $d = depth($_); $most = $d if $d > $most } return 1 + $most }
sub xml { my ($text) = @_; return $text =~ s/&/&amp;/gr =~ s/</&lt;/gr =~ s/>/&gt;/gr }
my $rows = depth(\%root);
my @boxes;
sub draw {
	my ($node, $x, $level, $color) = @_;
	my $width = $WIDTH * $node->{n} / $root{n};
	return if $width < 0.3;
	my $y = ($rows - 1 - $level) * $HIGH;
	my $said = xml(sprintf '%s: %.1f %%', $node->{name}, 100 * $node->{n} / $root{n});
	my $text = $width > 40 ? xml(substr $node->{name}, 0, $width / 6.5) : '';
	push @boxes, sprintf '<g><title>%s</title><rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s" stroke="#fff" '
		. 'stroke-width=".4"/><text x="%.1f" y="%d">%s</text></g>',
		$said, $x, $y, $width, $HIGH - 1, $color, $x + 3, $y + 12, $text;
	for my $name (sort keys %{$node->{of}}) {
		my $child = $node->{of}{$name};
		draw($child, $x, $level + 1, $level ? $color : $color{$name});
		$x += $WIDTH * $child->{n} / $root{n};
	}
}
draw(\%root, 0, 0, '#ddd');
my $svg = "$ENV{VITRINE_VAR}/perf.svg";
Vitrine::Stack::spew($svg, sprintf(
	qq(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11">\n), $WIDTH, $rows * $HIGH)
	. join("\n", @boxes) . "\n</svg>\n");

# ---- told: the functions that took most themselves, by part

my %own;
sub own_of {
	my ($node, $part) = @_;
	my $mine = $node->{n};
	for (values %{$node->{of}}) { $mine -= $_->{n}; own_of($_, $part) }
	$own{$part}{$node->{name}} += $mine if $mine;
}
for my $part (sort { $root{of}{$b}{n} <=> $root{of}{$a}{n} } keys %{$root{of}}) {
	own_of($root{of}{$part}, $part);
	printf "%-8s %5.1f %%\n", $part, 100 * $root{of}{$part}{n} / $root{n};
	my @most = sort { $own{$part}{$b} <=> $own{$part}{$a} } keys %{$own{$part}};
	printf "  %5.1f %%  %s\n", 100 * $own{$part}{$_} / $root{n}, $_ for grep { defined } @most[0 .. 7];
}
print "$svg\n";
