# SPDX-License-Identifier: Apache-2.0
# How well search finds what somebody looks for: the countries of the world as iso-codes names them in 27 languages, and queries with typos,
# beginnings, other orders, without marks, in two scripts. The same each time; ./dev bench search has 10^5 titles.
use utf8;
use Encode 'encode_utf8';
use Vitrine::Titles;
use Vitrine::Words;

my ($stack, $api, $db) = stack();
my $ann = $stack->user('ann@example.org');
my $template = $api->publish($ann, slug => 'template', visibility => 'private');

# Of those of countries, which come first, every nineteenth: each language has some.
my @names = names();
my @titles = @names[map { 19 * $_ } 0 .. 349];
$db->do("INSERT INTO artifact (id, owner_id, name, slug, visibility, live_no, last_no, created_at, updated_at) "
	. "VALUES (?, ?, ?, ?, 'private', 1, 1, 1, 1)", undef,
	sprintf('art_Z%025d', $_), $ann->{id}, $titles[$_]{name}, "title-$_") for 0 .. $#titles;
$db->do('INSERT INTO search_due (kind, id) SELECT 1, id FROM artifact');
$stack->runner;
is $db->selectrow_array('SELECT COUNT(*) FROM search_due'), 0, 'the runner has seen to all of them';

sub places {
	my ($q) = @_;
	my $r = $api->call(GET => '/v1/search?limit=10&q=' . encode_utf8($q) =~ s/([^A-Za-z0-9])/sprintf '%%%02X', ord $1/ger,
		{ token => $ann->{token} });
	is $r->{status}, 200, encode_utf8("a search for $q") or diag $r->{body};
	return map { $_->{id} =~ /^art_Z(\d+)$/ ? 0 + $1 : -1 } @{$r->{json}{results}};
}
my %of = judged(\&places, wanted(25, @titles));
for my $class (sort keys %of) {
	my $floor = $class eq 'all' ? 0.95 : 0.9;
	cmp_ok $of{$class}{mrr}, '>=', $floor, sprintf '%s: of %d, %.3f are among the first ten, MRR %.3f', $class,
		@{$of{$class}}{qw(n recall mrr)};
	diag encode_utf8(join "\n", "missed, $class:", @{$of{$class}{missed}}) if $of{$class}{missed} && $of{$class}{mrr} < $floor;
}
finish($stack);
