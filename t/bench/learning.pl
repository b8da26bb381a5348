# SPDX-License-Identifier: Apache-2.0
# ./dev bench learning: 100 pages that are learned at once, what jobs that are due notice of it, and what learning adds to a publish.
# BENCH="learn publish" takes some of the figures; BENCH_PAGES: fewer pages.
use strict;
use warnings;
use Cpanel::JSON::XS;
use Time::HiRes qw(sleep time);
use Vitrine::Api;
use Vitrine::Bench;
use Vitrine::Stack;
use Vitrine::World;

my %want = map { $_ => 1 } split ' ', $ENV{BENCH} // 'learn publish';
my $PAGES = $ENV{BENCH_PAGES} // 100;
my $s = Vitrine::Stack->new(Vitrine::World::unlimited(), workers => 4);
stacks($s);
my $api = Vitrine::Api->new($s, unchecked => 1);
my $ann = $s->user('ann@example.org');
my $db = $s->db;
my $call = sub { my ($method, $path, $body) = @_; my $r = $api->call($method => $path, { token => $ann->{token}, $body ? (json => $body) : () }); die "$path: $r->{status} $r->{body}" if $r->{status} >= 300; return $r->{json} // decode_json($r->{body}) };
my ($ws, $off) = map { $call->(POST => '/v1/workspaces', { name => $_ })->{workspace}{id} } qw(On Off);
$db->do('UPDATE workspace SET features_on = 63');

# A report of 60 kB, as people publish them: headings, paragraphs, lists, a table, links, a script.
sub report {
	my ($n) = @_;
	my $words = sub { join ' ', map { ('a' .. 'z')[($n * 7 + $_ * 3) % 26] x (2 + ($_ * $n) % 7) } 1 .. $_[0] };
	return "<!doctype html><meta charset=utf-8><title>Report $n</title><style>p{color:red}</style><nav>menu</nav>" . join '', map { "<h2>Part $_</h2><p>" . $words->(120) . "</p><ul><li>" . $words->(8) . "<li>" . $words->(8)
		. "</ul><table><tr><th>Name<th>Sum" . join('', map { "<tr><td>row $_<td>$n$_" } 1 .. 20) . "</table><p><a href=https://report-" . (($n + $_) % $PAGES) . ".pages.localhost/>more</a><script>var x = " . '1' x 500 . '</script>' } 1 .. 30;
}
sub publish { my ($slug, $in, $html) = @_; return $call->(POST => '/v1/publish', { name => $slug, slug => $slug, workspace_id => $in, visibility => 'private', files => [{ path => 'index.html', content => $html }] })->{artifact}{id} }
sub waiting { return scalar $db->selectrow_array("SELECT COUNT(*) FROM learning WHERE outcome = 'waiting'") }

if ($want{learn}) {
	my @ids = map { publish("report-$_", $ws, report($_)) } 0 .. $PAGES - 1;
	$call->(POST => "/v1/workspaces/$ws/knowledge/enable", { enabled => Cpanel::JSON::XS::true });
	# The quick lanes alone first, then all of them.
	my $due = sub {
		my @late;
		for (1 .. 20) {
			my $id = $call->(POST => '/v1/jobs', { artifact_id => $ids[0], name => "due $_", action => 'email', schedule => '0 0 1 1 *', config => { recipients => ['ann@example.org'], subject => 'x' } })->{job}{id};
			my $from = time;
			$call->(POST => "/v1/jobs/$id/run");
			sleep 0.005 while !$db->selectrow_array("SELECT 1 FROM job_run WHERE job_id = ? AND started_at IS NOT NULL", undef, $id);
			push @late, 1000 * (time - $from);
			$call->(DELETE => "/v1/jobs/$id");
		}
		return @late;
	};
	$s->start_runner;
	sleep 3;
	my @alone = $due->();
	my ($from, $at) = (watch(), time);
	$call->(POST => "/v1/workspaces/$ws/knowledge/backfill") for 1 .. 1 + $PAGES / 200;
	my @beside = $due->();
	sleep 0.02 while waiting();
	my $took = time - $at;
	my $learned = $db->selectrow_array("SELECT COUNT(*) FROM learning WHERE outcome = 'learned'");
	die "learned $learned of $PAGES\n" if $learned != $PAGES;
	figure(name => "$PAGES pages of 60 kB, learned", ours => $took, ceiling => 60 * $PAGES / 200, unit => 's', ratio => $took / (60 * $PAGES / 200), per => 'page', %{used($from, $PAGES)});
	figure(name => 'a job that is due meanwhile, until it begins', ours => median(@beside), ceiling => median(@alone), unit => 'ms', ratio => median(@beside) / median(@alone), note => sprintf('%.0f at most', (sort { $a <=> $b } @beside)[-1]));
}

# In the same workspace, learning on and off in turns.
if ($want{publish}) {
	my %ms;
	publish("turn-$_", $off, "<p>warm $_") for 1 .. 20;
	for my $turn (1 .. 20) {
		for my $on (0, 1) {
			$db->do('UPDATE workspace SET knowledge = ? WHERE id = ?', undef, $on, $off);
			for (1 .. 10) {
				my $from = time;
				publish("turn-$_", $off, "<p>turn $turn $on $_");
				push @{$ms{$on}}, 1000 * (time - $from);
			}
		}
	}
	figure(name => 'a publish where pages are learned', ours => median(@{$ms{1}}), ceiling => median(@{$ms{0}}), unit => 'ms', ratio => median(@{$ms{1}}) / median(@{$ms{0}}));
}
