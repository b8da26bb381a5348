# SPDX-License-Identifier: Apache-2.0
# Search: what is found, in which order and shape; who finds what; what a change does at once.
use utf8;
use Encode 'encode_utf8';
use Unicode::Normalize 'NFC';
use Vitrine::Words qw(as refused said);
use Vitrine::Counted;

my ($stack, $api, $db) = stack();
my ($ann, $ben, $cat, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben cat eve);
sub art {
	my ($who, $name, %in) = @_;
	my $id = $api->publish($who, name => $name, %in);
	return as($who, GET => "/v1/artifacts/$id")->{json}{artifact};
}
sub escaped { return encode_utf8($_[0]) =~ s/([^A-Za-z0-9])/sprintf '%%%02X', ord $1/ger }
sub found {
	my ($who, $q, $more) = @_;
	Vitrine::Counted::settled($db);
	return as($who, GET => '/v1/search?q=' . escaped($q) . ($more // ''));
}
sub titles { my $r = found(@_); return $r->{status} == 200 ? join ' | ', map { $_->{title} } @{$r->{json}{results}} : said($r) }

# ---- the shape

my $report = art($ann, 'Quarterly Report', slug => 'quarterly-figures');
my $r = found($ann, 'report');
is_deeply $r->{json}, { success => $true, query => 'report',
	groups => { map { $_ => $_ eq 'pages' ? 1 : 0 } qw(pages folders files datasets connectors people schedules crew alerts) },
	results => [{ group => 'pages', id => $report->{id}, title => 'Quarterly Report', subtitle => $r->{json}{results}[0]{subtitle},
		url => $r->{json}{results}[0]{url}, workspace_id => undef, snippet => undef, typos => 0,
		updated_at => $report->{updated_at} }] }, 'a result has exactly these members, and each group its number'
		or diag $r->{body};
like $r->{json}{results}[0]{url}, qr{^https://.*/a/$report->{id}$}, 'with the address at which a person looks at it';
is_deeply found($ann, 'report', '&groups=pages,folders')->{json}{groups}, { pages => 1, folders => 0 }, 'of the groups that are asked for';
is titles($ann, 'report', '&groups=folders,people'), '', 'and nothing else is found';

# ---- refusals

refused(as(undef, GET => '/v1/search?q=x'), '401 UNAUTHENTICATED', 'nobody');
refused(as($ann, GET => '/v1/search'), '400 INVALID_REQUEST', 'without q', qr/q/);
refused(found($ann, 'x' x 201), '400 INVALID_REQUEST', 'q of 201 characters', qr/200/);
is titles($ann, 'й' x 200), '', '... and 200 are fine';
refused(found($ann, 'x', '&groups=pages,pictures'), '400 INVALID_REQUEST', 'a group that is none', qr/pages.*folders.*people/);
refused(found($ann, 'x', "&limit=$_"), '400 INVALID_REQUEST', "limit $_", qr/limit.*100/) for 0, 101;

# ---- words

art($ann, $_) for 'Sales 2026', 'Отчёт за март', 'Übersicht der Projekte', '東京都庁への地図', '한국어 안내서', 'รายงานประจำปี', '🚀 Launch plan 100%',
	'snake_case*star "quoted"', 'XMLExport v12', 'हिन्दी पुस्तक', 'Straße',
	'z' . "\x{301}" x 150 . 'oological', 'Dashboard';
for (['slaes', 'Sales 2026', 1], ['reprot', 'Quarterly Report', 1], ['отчт', 'Отчёт за март', 1], ['ОТЧЕТ', 'Отчёт за март', 0],
	['Ubersicht', 'Übersicht der Projekte', 0], ['東京都丁', '東京都庁への地図', 1], ['東京', '東京都庁への地図', 0],
	['図', '東京都庁への地図', 0], ['한국', '한국어 안내서', 0], ['한ㄱ', '한국어 안내서', 0], ['รายงาน', 'รายงานประจำปี', 0],
	['launch 🚀', '🚀 Launch plan 100%', 0], ['100%', '🚀 Launch plan 100%', 0],
	['case_snake', 'snake_case*star "quoted"', 0], ['"quoted*', 'snake_case*star "quoted"', 0], ['export xml', 'XMLExport v12', 0],
	['xmlexport', 'XMLExport v12', 0], ['strasse', 'Straße', 0], ['हिन्दी', 'हिन्दी पुस्तक', 0],
	['zoological', NFC('z' . "\x{301}" x 150 . 'oological'), 0], ['dashbaord', 'Dashboard', 1], ['dashbrod', 'Dashboard', 2],
	['figures', 'Quarterly Report', 0], ['report quarterly', 'Quarterly Report', 0], ['das', 'Dashboard', 0]) {
	my ($q, $title, $typos) = @$_;
	my $hit = found($ann, $q)->{json}{results}[0];
	is encode_utf8($hit->{title} // '') . " $hit->{typos}", encode_utf8($title) . " $typos", encode_utf8("$q is found");
}
is titles($ann, $_), '', encode_utf8("$_ is text, and nothing has it") for '%', '_', '*', '"', '😀', "'; DROP TABLE user", '2027';
like titles($ann, 'x'), qr/XMLExport v12/, 'one letter finds what begins with it';
is titles($ann, 'quarterly unheardof'), 'Quarterly Report', 'where nothing has all words, what has most of them';
is titles($ann, 'quarterly report dashboard'), 'Quarterly Report', '... and not what has fewer';
is titles($ann, join(' ', ('unheardof') x 9, 'report')), 'Quarterly Report', 'ten words are used';
is titles($ann, join(' ', ('unheardof') x 10, 'report')), '', '... and no more';

# ---- the order

art($ann, $_) for 'Budget', 'Budgets of others', 'Budgte', 'Old budget';
is titles($ann, 'budget'), 'Old budget | Budget | Budgets of others | Budgte',
	'as it is asked, then what begins so, then with a typo; the newest first';
is titles($ann, 'budget', '&limit=2'), 'Old budget | Budget', 'as many as are asked for';
my $named = art($ann, 'Something', slug => 'budget-of-the-year');
is titles($ann, 'budget', '&limit=3'), 'Old budget | Budget | Something', 'a name comes before a slug';

# ---- what a change does

sub change { my ($id, %to) = @_; my $s = as($ann, PATCH => "/v1/artifacts/$id", \%to); is $s->{status}, 200, 'a change' or diag $s->{body} }
change($report->{id}, name => 'Annual Review');
is titles($ann, 'quarterly') . titles($ann, 'report'), 'Annual Review',
	'a new name is found with the reply, and the former no more; by its slug it is';
change($report->{id}, slug => 'annual-review');
is titles($ann, 'quarterly') . titles($ann, 'figures'), '', '... until that changes, too';
is titles($ann, 'review'), 'Annual Review', 'and the new one is found';
my ($again, $count) = Vitrine::Counted::counted($db, sub { $db->selectall_arrayref('SELECT * FROM search_thing ORDER BY no') });
change($report->{id}, name => 'Annual Review', comments_open => $false);
is_deeply $db->selectall_arrayref('SELECT * FROM search_thing ORDER BY no'), $again, 'what stays the same is not written anew';
as($ann, DELETE => "/v1/artifacts/$named->{id}");
is titles($ann, 'something'), '', 'what is deleted is gone with the reply';
as($ann, POST => "/v1/artifacts/$named->{id}/restore");
is titles($ann, 'something'), 'Something', '... and back with what restores it';

# ---- who

is titles($ben, 'review'), '', "another's isn't found";
Vitrine::Counted::still($stack);
# The least of three, since what comes after an earlier reply may still be under way.
my %cost = map { my $q = $_; $q => (sort map { (Vitrine::Counted::counted($db, sub { found($ben, $q) }))[1] } 1 .. 3)[0] } 'annual review',
	'unheard offense';
is $cost{'annual review'}, $cost{'unheard offense'}, '... in as many statements as what nobody has';
Vitrine::Counted::go_on($stack);
my $public = art($ann, 'Public parade', visibility => 'public');
is titles($ben, 'parade'), '', 'what is public is no part of what others have';
as($ann, POST => "/v1/artifacts/$report->{id}/collaborators", { emails => ['ben@example.org'], role => 'viewer' });
is titles($ben, 'review'), 'Annual Review', 'what is shared with somebody is found by them with the reply';
as($ann, DELETE => "/v1/artifacts/$report->{id}/collaborators/ben\@example.org");
is titles($ben, 'review'), '', '... and no more once it is not';
my $ws = as($ann, POST => '/v1/workspaces', { name => 'Team' })->{json}{workspace};
$stack->seat($ws->{id}, $cat, 'member');
art($ann, 'Team review', workspace_id => $ws->{id});
is titles($cat, 'review'), 'Team review', 'a member finds what is in their workspace';
is titles($ann, 'review'), 'Team review | Annual Review', 'and somebody all that they see';
is titles($ann, 'review', "&workspace=$ws->{id}"), 'Team review', '... or what is in one workspace';
refused(found($_, 'review', "&workspace=$ws->{id}"), '404 NOT_FOUND', 'a workspace of others') for $ben, $eve;
refused(found($ann, 'review', '&workspace=wsp_00000000000000000000000000'), '404 NOT_FOUND', 'a workspace that is none');
as($ann, PATCH => "/v1/workspaces/$ws->{id}", { settings => { member_access => 'none' } });
is titles($cat, 'review'), '', 'where members see their own alone, they find their own alone';
my $confined = { token => $stack->token($ann->{id}, 'so_', workspace_id => $ws->{id}) };
is titles($confined, 'review'), 'Team review', 'a token that is confined to a workspace finds what is there';
my $reading = { token => $stack->token($ann->{id}, 'so_', scopes => 1) };
is titles($reading, 'review', '&groups=pages'), 'Team review | Annual Review', 'a token that may read artifacts finds them';
is titles($reading, 'ann', '&groups=people'), '403 INSUFFICIENT_SCOPE', '... and nobody, for that takes a token without limits';
as($ann, PUT => "/v1/data/$report->{id}/tables/reviewers", { columns => [{ name => 'a', type => 'text' }] });
my ($data, $none) = map { { token => $stack->token($ann->{id}, 'so_', scopes => $_) } } 4, 8;
is titles($data, 'review'), 'reviewers', 'a token that may read data alone finds what it may read';
refused(found($data, 'review', '&groups=folders'), '403 INSUFFICIENT_SCOPE', '... and is told what it lacks where that is asked for',
	qr/artifacts:read/);
refused(found($none, 'review'), '403 INSUFFICIENT_SCOPE', 'a token that may read nothing finds nothing', qr/lacks the scope/);

# ---- what there is

is titles($eve, ''), '', 'who has nothing finds nothing';
my @blank = map { $_->{title} } @{found($ann, ' ', '&groups=pages&limit=2')->{json}{results}};
is "@blank", 'Team review Public parade', 'a blank query has the newest';
is scalar(@{found($ann, '')->{json}{results}}), 20, '... twenty, if nothing is said';

# ---- the operator

$stack->runner('--once');
is +($stack->program('vitrinectl', {}, 'fsck'))[1], "clean\n", 'what is kept is what there is';
$db->do("DELETE FROM search_post WHERE word = 'parade'");
$db->do("DELETE FROM search_near WHERE word = 'dashboard'");
$db->do("INSERT INTO search_post (space, word, thing, kind, field) VALUES (1, 'stray', 999999, 1, 1)");
$db->do("UPDATE search_thing SET words = '[\"1other\"]' WHERE id = ?", undef, $named->{id});
my ($status, $fsck) = $stack->program('vitrinectl', {}, 'fsck');
is $status, 1, 'fsck finds what is not as it should be';
like $fsck, qr/^3 things aren't found as they should be, such as pages art_\w+; run vitrinectl reindex$/m,
	'... of words, of words with typos, and of what should be kept';
like $fsck, qr/^1 word of nothing can be searched for; run vitrinectl reindex$/m, '... and words of nothing';
like $stack->ctl('reindex'), qr/^\d+ things indexed/, 'everything is kept anew';
like $stack->ctl('fsck'), qr/^clean/m, '... which mends it';
is titles($ann, 'parade'), 'Public parade', 'and it is found again';
finish($stack);
