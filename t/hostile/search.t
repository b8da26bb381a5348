# SPDX-License-Identifier: Apache-2.0
# Search under stress: many who publish the same new word at once, a word that everything has, and words that are no words.
use utf8;
use Vitrine::Counted;
use Vitrine::Words qw(as said);
use Time::HiRes 'time';

my ($stack, $api, $db) = stack();
my @people = map { $stack->user("p$_\@example.org") } 1 .. 5;
my $ws = as($people[0], POST => '/v1/workspaces', { name => 'Team' })->{json}{workspace};
$stack->seat($ws->{id}, $_, 'member') for @people[1 .. 4];

# Fifty at once, each with words that nobody had, in the same space and in other orders.
my @words = qw(zanzibar quicksilver hippopotamus marmalade kaleidoscope);
my @done = Vitrine::Api::together($stack, 10, sub {
	my ($one, $i) = @_;
	return join ' ', map {
		my $k = $_;
		my $r = $one->call(POST => '/v1/publish', { token => $people[($i + $k) % 5]{token},
			json => { name => join(' ', @words[map { ($_ * ($k % 2 ? 2 : 3) + $i) % 5 } 0 .. 4], "n$i-$k"),
				workspace_id => $ws->{id}, files => [{ path => 'index.html', content => 'x' }] } });
		$r->{status} == 429 ? () : $r->{status};
	} 1 .. 5;
});
is join(' ', grep { $_ ne '201' } map { split / / } @done), '', 'fifty publishes of the same new words at once, and none is refused';
my $n = () = "@done" =~ /201/g;
Vitrine::Counted::settled($db);
for my $q (@words, 'hipopotamus marmelade') {
	my $r = as($people[1], GET => '/v1/search?limit=100&q=' . ($q =~ s/ /%20/r));
	is scalar(@{$r->{json}{results}}), $n, "all are found by $q";
}
is $db->selectrow_array("SELECT COUNT(*) FROM (SELECT space, near, word FROM search_near GROUP BY 1, 2, 3 HAVING COUNT(*) > 1) x"), 0,
	'each word is kept once';
$stack->runner('--once');
like $stack->ctl('fsck', '--quick'), qr/^clean/, 'and all is as it should be';

# A word that all of a hundred thousand titles have. They are nobody's that there is, so only the look-up is measured.
my ($space) = $db->selectrow_array('SELECT no FROM search_space WHERE audience = ?', undef, "$ws->{id}*");
$db->do("INSERT INTO search_thing (no, kind, id, spaces, words) "
	. "SELECT 1000000 + seq, 1, CONCAT('art_', seq), '[\"$ws->{id}*\"]', '[\"1 1\",\"1marmalade\"]' FROM seq_1_to_100000");
$db->do('INSERT INTO search_post (space, word, thing, kind, field) SELECT ?, word, 1000000 + seq, 1, 1 FROM seq_1_to_100000 '
	. 'JOIN (SELECT ? AS word UNION ALL SELECT ?) w', undef, $space, 'marmalade', ' 1');
for my $q ('marmalade', 'marmelade', 'marm', 'm', 'marmalade%20zanzibar', '', "z%CC%81" . "%CC%81" x 190, 'marmalade%20' x 11) {
	my @took = sort { $a <=> $b } map {
		my $t = time;
		my $r = as($people[1], GET => "/v1/search?q=$q");
		is $r->{status}, 200, 'a search' or diag $r->{body};
		time - $t;
	} 1 .. 5;
	cmp_ok $took[0], '<', 0.5, "a hundred thousand things with one word, asked for " . substr($q, 0, 20);
}
is_deeply [map { $_->{title} =~ /zanzibar/ ? 1 : 0 } @{as($people[1],
	GET => '/v1/search?q=zanzibar%20marmalade&limit=10')->{json}{results}}], [(1) x 10], 'and what has all words is found among them';

# Two words that many newer things have, in two spaces, and few have both.
my ($own) = $db->selectrow_array('SELECT no FROM search_space WHERE audience = ?', undef, $people[1]{id});
for my $word (qw(hippopotamus kaleidoscope)) {
	my $from = $word =~ /^h/ ? 2000000 : 3000000;
	$db->do("INSERT INTO search_thing (no, kind, id, spaces, words) SELECT ? + seq, 1, CONCAT('art_$word', seq), '[]', ? "
		. "FROM seq_1_to_5000", undef, $from, qq(["1 1","1$word"]));
	$db->do('INSERT INTO search_post (space, word, thing, kind, field) SELECT ?, ?, ? + seq, 1, 1 FROM seq_1_to_5000',
		undef, $_, $word, $from) for $space, $own;
}
is as($people[1], GET => '/v1/search?q=kaleidoscope%20hippopotamus')->{json}{groups}{pages}, $n, 'what has both is found all the same';
finish($stack);
