# SPDX-License-Identifier: Apache-2.0
# How often an artifact's pages were viewed: every day, zeroes too, for those who have a role on it; the page shows the same.
use POSIX 'strftime';
use Vitrine::Counted;
use Vitrine::Visitor;
use Vitrine::Words 'refused';

plan skip_all => 'the day (UTC) is about to end' if time % 86400 > 86400 - 60;
my ($stack, $api, $db) = stack();
my ($ann, $ben, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben eve);
my $art = $api->publish($ann, slug => 'seen', visibility => 'public', files => { 'index.html' => 'x' });
my $other = $api->publish($eve, slug => 'other', visibility => 'public', files => { 'index.html' => 'x' });
my $path = "/v1/artifacts/$art/stats";

my $today = int(time / 86400);
sub seen {
	$db->do('INSERT INTO view_day (artifact_id, day, views, entry_views, version_views, bot_views) VALUES (?, ?, ?, ?, 0, 1000)',
		undef, @_);
}
sub ask { my ($who, $query, %o) = @_; return $api->call(GET => $path . ($query // ''), { ($who ? (token => $who->{token}) : ()), %o }) }
sub day { return strftime '%Y-%m-%d', gmtime $_[0] * 86400 }
sub told { return strftime('%B %-d, %Y', gmtime $_[0] * 86400) }

my $r = ask($ann, '?days=2');
is_deeply $r->{json}{stats}, { views => 0, days => [map { { day => $_->{day}, views => 0 } } @{$r->{json}{stats}{days}}] }, 'nothing yet';
is scalar @{$r->{json}{stats}{days}}, 2, 'for as many days as were asked for';
seen($art, $today, 12, 10);
seen($art, $today - 3, 5, 5);
seen($art, $today - 29, 7, 7);
seen($art, $today - 30, 100, 100);
seen($other, $today, 1000, 0);
$r = ask($ann);
my @days = @{$r->{json}{stats}{days}};
is $days[-1]{day}, day($today), 'the last day is today';
is_deeply $r->{json}, { success => Cpanel::JSON::XS::true, stats => { views => 24,
	days => [map { { day => day($_), views => { 0 => 12, 3 => 5, 29 => 7 }->{$today - $_} // 0 } } $today - 29 .. $today] } },
	'thirty days, every one, the oldest first; exactly these keys, and no views by programs';
is ask($ann, '?days=31')->{json}{stats}{views}, 124, 'more days';
is ask($ann, '?days=1')->{json}{stats}{views}, 12, 'today';
is scalar @{ask($ann, '?days=400')->{json}{stats}{days}}, 400, 'the most';
is $api->call(HEAD => $path, { token => $ann->{token} })->{status}, 200, 'HEAD';

refused(ask(undef), '401 UNAUTHENTICATED', 'a stranger, though the page is public');
refused(ask($eve), '403 ACCESS_DENIED', 'nor somebody with an account: it is not theirs');
refused($api->call(POST => $path, { token => $ann->{token}, json => {} }), '405 METHOD_NOT_ALLOWED', 'not to be changed');
$api->call(PATCH => "/v1/artifacts/$art", { token => $ann->{token}, json => { visibility => 'private' } });
$api->call(POST => "/v1/artifacts/$art/collaborators",
	{ token => $ann->{token}, json => { emails => ['ben@example.org'], role => 'viewer' } });
is ask($ben)->{json}{stats}{views}, 24, 'a viewer may look';
$db->do("UPDATE token SET scopes = ? WHERE user_id = ?", undef, 2, $ben->{id});
refused(ask($ben), '403 INSUFFICIENT_SCOPE', 'a token without artifacts:read may not');

# ---- the page

$stack->ctl_in("the password\n", qw(user password ann@example.org));
my $v = Vitrine::Visitor->new($api);
$v->sign_in('ann@example.org', 'the password');
my $text = $v->go("/a/$art")->{text};
like $text, qr{<b>24</b><span>12 on the busiest day, @{[told($today)]}</span>}, 'the page has the same total';
like $text, qr{<div class="chart" role="img" aria-label="Views per day over the last 30 days, the most, 12, on @{[told($today)]}">},
	'a picture with words';
my @bars = $text =~ m{<g><title>([^:]+: \d+)</title>(.*?)</g>}g;
is scalar @bars, 30 * 2, 'a bar a day';
my ($date) = told($today) =~ /(.*),/;
is_deeply [@bars[-2, -1]], ["$date: 12", '<rect class="ok" x="97.07%" y="56.0" width="2.4%" height="72.0" rx="1"/>'],
	'the busiest day has the highest';
is $bars[-3], '', '... one without a view has none';
is join(' ', $text =~ m{<text x="0"\s+y="\d+">(\d+)</text>}g), '0 10 20', '... by an axis with round figures';
unlike $text, qr/style=/, 'no style that the policy forbids';
$db->do('DELETE FROM view_day WHERE artifact_id = ?', undef, $art);
like $v->go("/a/$art")->{text}, qr{No one opened a page during this time}, 'without a view it says so';


# ---- home says it of all that it lists, by one statement however many there are

sub card {
	my ($slug) = @_;
	my ($li) = $v->{page}{text} =~ m{(<li>(?:(?!</li>).)*<small>\Q$slug\E\.pages.*?</li>)}s or return 'no card';
	return $li =~ m{class="views"[^>]*>.*?</svg>([\d,]+)<span class="vh"> (views? in the last 30 days)</span>}s ? "$1 $2" : 'nothing';
}
my %more = map { $_ => $api->publish($ann, slug => "more-$_", files => { 'index.html' => 'x' }) } 1 .. 3;
seen($more{1}, $today - 29, 1, 1);
seen($more{2}, $today - 30, 9, 9);
seen($more{3}, $today - $_, 1000, 1) for 0 .. 2;
$v->go('/');
seen($art, $today, 24, 1);
$v->go('/');
is card('seen'), '24 views in the last 30 days', 'as its own page and the API have it';
is card('more-1'), '1 view in the last 30 days', 'one';
is card('more-2'), 'nothing', 'what is older does not count';
is card('more-3'), '3,000 views in the last 30 days', 'of several days';
Vitrine::Counted::still($stack);
my (undef, $few) = Vitrine::Counted::counted($db, sub { $v->send(GET => '/?q=more-1') });
my (undef, $all) = Vitrine::Counted::counted($db, sub { $v->send(GET => '/') });
is $all, $few, "four cards take as many statements as one ($all)";
Vitrine::Counted::go_on($stack);
finish($stack);
