# SPDX-License-Identifier: Apache-2.0
# ./dev bench search: what a search takes among 10,000 and ten times as many things of one workspace, for an admin and for somebody who sees ten of them; how well it finds titles that
# nobody wrote for us (t/lib/Vitrine/Titles.pm); what it adds to a publish. BENCH_TITLES=N: titles that are indexed by the service; the others are their rows again.
use strict;
use warnings;
use utf8;
use Cpanel::JSON::XS;
use Encode 'encode_utf8';
use Time::HiRes qw(sleep time);
use Vitrine::Api;
use Vitrine::Bench;
use Vitrine::Counted;
use Vitrine::Stack;
use Vitrine::Titles;

my $titles = $ENV{BENCH_TITLES} // 10_000;
my $again = 9;
my $s = Vitrine::Stack->new(workers => 4, publish_per_hour => 1_000_000);
stacks($s);
my $api = Vitrine::Api->new($s);
my $timed = Vitrine::Api->new($s, unchecked => 1);
my $db = $s->db;
room($db);
my ($ann, $cat) = map { $s->user("$_\@example.org") } qw(ann cat);
$| = 1;

# ---- a workspace of them, of which Cat sees ten

my $ws = $api->call(POST => '/v1/workspaces', { token => $ann->{token}, json => { name => 'Team' } })->{json}{workspace}{id};
$db->do("UPDATE workspace SET member_access = 'none' WHERE id = ?", undef, $ws);
$db->do("INSERT INTO member (workspace_id, user_id, role, joined_at) VALUES (?, ?, 'member', 1)", undef, $ws, $cat->{id});
my @titles = titles($titles);
my $every = int $titles / 10;
Vitrine::Db::filled($db, sub { for (my $at = 0; $at < $titles; $at += 1000) {
	my @rows = map { sprintf "('art_Z%025d', '%s', '%s', %s, '%s', 'private', 1, 1, %d, %d)", $_, $_ % $every ? $ann->{id} : $cat->{id}, $ws, $db->quote($titles[$_]{name}),
		substr(($titles[$_]{also} // 'title') =~ s/[^a-z0-9]+/-/gr, 0, 50) . "-$_", $_, $_ } $at .. $at + 999;
	$db->do('INSERT INTO artifact (id, owner_id, workspace_id, name, slug, visibility, live_no, last_no, created_at, updated_at) VALUES ' . join ', ', @rows);
} });
my $from = watch();
$s->ctl('reindex');
figure(name => "$titles things are indexed", ours => $titles / (time - $from->{at}), unit => 'a second', per => 'thing', %{used($from, $titles)});
sub bytes { return join ', ', map { "$_->[0] " . int($_->[1] / 1e6) . ' MB' } @{$db->selectall_arrayref("SELECT table_name, data_length + index_length FROM information_schema.tables WHERE table_schema = 'vitrine' AND table_name LIKE 'search\\_%' AND data_length > 1000000")} }
sub settle { $db->do("ANALYZE TABLE $_") for qw(artifact search_thing search_post search_near) }
settle();

# ---- what is asked

sub path { my ($q) = @_; return "/v1/search?workspace=$ws&q=" . encode_utf8($q) =~ s/([^A-Za-z0-9])/sprintf '%%%02X', ord $1/ger }
sub ask { my ($who, $q) = @_; my $r = $timed->call(GET => path($q), { token => $who->{token} }); die "$q: $r->{status} $r->{body}" if $r->{status} != 200; return $r->{body} }
my @wanted = wanted(60, @titles);
my %of_class;
push @{$of_class{$_->{class}}}, $_->{q} for @wanted;
my %common;
for my $title (@titles) { $common{$_}++ for grep { /^\w{4,}$/ } split ' ', lc $title->{name} }
my @common = (sort { $common{$b} <=> $common{$a} || $a cmp $b } keys %common)[0 .. 9];
my @asked = (
	['words of a title', $of_class{exact}], ['one typo', [map { @{$of_class{"one typo, $_"}} } qw(insert delete replace swap)]], ['two typos', $of_class{'two typos'}],
	['a beginning', $of_class{prefix}], ['two scripts', $of_class{'two scripts'}], ['one letter', ['a' .. 'z']], ['two letters', [map { "$_" } qw(li pr de co ma fo re st an pe)]],
	['words that very many have', \@common], ['two words that very many have', [map { "$common[$_] $common[$_ - 1]" } 0 .. 9]], ['words that nothing has', [map { "qzxj${_}vwk" } 'a' .. 'z']],
);
my %took;
sub took {
	my ($many) = @_;
	for my $of (['an admin', $ann], ['somebody who sees ten', $cat]) {
		for my $asked (@asked) {
			my ($what, $queries) = @$asked;
			my $who = $of->[1];
			ask($who, $_) for @$queries[0 .. 4];
			my @some = map { $queries->[$_ % @$queries] } 0 .. 59;
			my $from = watch();
			my @ms = sort { $a <=> $b } map { my $from = time; ask($who, $_); 1000 * (time - $from) } @some;
			my $used = used($from, scalar @some);
			my $before = $took{$of->[0]}{$what};
			$took{$of->[0]}{$what} = $ms[57];
			figure(name => "p95 of a search among $many, $what, $of->[0]", ours => $ms[57], ceiling => $before, unit => 'ms', note => sprintf('p50 %.2f', $ms[30]), per => 'search', %$used);
		}
	}
}
took($titles);

# ---- how well

# Cat's ten don't count: an admin finds all.
my %of = judged(sub { my ($q) = @_; return map { $_->{id} =~ /^art_Z(\d+)$/ ? 0 + $1 : -1 } @{decode_json(ask($ann, $q))->{results}} }, @wanted);
for my $class ((grep { $_ ne 'all' } sort keys %of), 'all') {
	figure(name => "found among $titles: $class", ours => $of{$class}{mrr}, unit => 'MRR', note => sprintf('%.1f %% of %d are among the first ten', 100 * $of{$class}{recall}, $of{$class}{n}));
	print encode_utf8("  missed: $_\n") for $ENV{BENCH_MISSED} ? @{$of{$class}{missed} // []} : ();
}

# ---- a publish, by workers that search and by ones that don't

my $plain = do {
	my $dir = "$s->{dir}/unsearched";
	mkdir $dir;
	symlink "$s->{build}/$_", "$dir/$_" for qw(vitrine vitrinectl vitrine-runner);
	symlink "$s->{build}/t/bench/unsearched", "$dir/vitrine-worker";
	local $ENV{VITRINE_BUILD} = $dir;
	Vitrine::Stack->new(workers => 4, publish_per_hour => 1_000_000);
};
stacks($s, $plain);
my $page = 'x' x 4000;
my $n = 0;
my @sides = map {
	my $stack = $_;
	my $api = Vitrine::Api->new($stack, unchecked => 1);
	my $who = $stack->user('ann@example.org');
	my $ws = $stack == $s ? $ws : Vitrine::Api->new($stack)->call(POST => '/v1/workspaces', { token => $who->{token}, json => { name => 'Team' } })->{json}{workspace}{id} // die;
	{ stack => $stack, publish => sub { $api->publish($who, slug => $_[0], name => "Report $_[0] of the quarter", workspace_id => $ws, visibility => 'private', files => { 'index.html' => ++$n . $page }) } };
} $s, $plain;
$_->{publish}->('again') for @sides;
my %slug = ('an artifact that is there' => sub { 'again' }, 'a new artifact' => sub { 'new-' . ++$n });
sub statements {
	my ($side, $slug) = @_;
	Vitrine::Counted::still($side->{stack});
	# What comes after the reply is of it, too.
	my (undef, $counted) = Vitrine::Counted::counted($side->{stack}->db, sub { $side->{publish}->($slug->()) for 1 .. 20; sleep 1 });
	Vitrine::Counted::go_on($side->{stack});
	return ($counted =~ /execute=(\d+)/)[0] / 20;
}
for my $what (sort keys %slug) {
	my ($ours, $without) = map { statements($_, $slug{$what}) } @sides;
	figure(name => "statements of a publish of $what, against without search", ours => $ours, ceiling => $without, unit => 'statements');
	by_turns("publishes of $what one after the other, against without search",
		map { my $side = $_; sub { my $from = time; $side->{publish}->($slug{$what}->()) for 1 .. 40; return (40 / (time - $from), 40) } } @sides);
	# What somebody waits for who publishes now and then: what comes after a reply is over before the next.
	by_turns("a publish of $what until its reply, against without search", map { my $side = $_; sub {
		my $took = 0;
		for (1 .. 40) { my $from = time; $side->{publish}->($slug{$what}->()); $took += time - $from; sleep 0.02 }
		return (40 / $took, 40);
	} } @sides);
}
stacks($s);

# ---- ten times as many

my ($most) = $db->selectrow_array('SELECT MAX(no) FROM search_thing');
Vitrine::Db::filled($db, sub {
	for my $k (1 .. $again) {
		my $id = "CONCAT('art_Y', LPAD($k, 2, '0'), SUBSTR(%s, 8))";
		$db->do('INSERT INTO artifact (id, owner_id, workspace_id, name, slug, visibility, live_no, last_no, created_at, updated_at) SELECT ' . sprintf($id, 'id') . ", '$ann->{id}', workspace_id, name,"
			. " CONCAT('y$k-', LEFT(slug, 50)), visibility, 1, 1, created_at, updated_at FROM artifact WHERE id LIKE 'art\\_Z%'");
		$db->do("INSERT INTO search_thing (no, kind, id, spaces, words) SELECT no + $k * $most, kind, " . sprintf($id, 'id') . ", spaces, words FROM search_thing WHERE id LIKE 'art\\_Z%'");
		$db->do("INSERT INTO search_post (space, word, thing, kind, field) SELECT space, word, thing + $k * $most, kind, field FROM search_post p WHERE thing <= $most AND space NOT IN"
			. " (SELECT no FROM search_space WHERE audience = '$cat->{id}')");
	}
});
settle();
figure(name => 'the tables of search, of ' . ($again + 1) * $titles . ' things', note => bytes());
took(($again + 1) * $titles);
