# SPDX-License-Identifier: Apache-2.0
# vitrine.yaml: a version says what data its artifact has. It is applied when the version goes live, once, all or nothing; what was changed
# by hand stays, and the reply names it; a dry run says what a publish would do.
use utf8;
use Vitrine::Counted;
use Vitrine::Pack;
use Vitrine::Visitor;
use Vitrine::Words qw(as refused said);
use Vitrine::World;

my ($stack, $api, $db) = stack(publish_per_hour => 10_000, publish_failures_per_hour => 10_000, data_per_minute => 100_000,
	agent_calls_per_minute => 10_000);
my ($ann, $ed, $eve) = map { $stack->user("$_\@example.org") } qw(ann ed eve);
my $yaml = <<'Y';
tables:
  guests:
    columns:
      name: text
      n: integer
      state: choice(new|seen)
    key: name
    seed:
      - { name: Ada, n: 1, state: new }
      - { name: "007" }
policy:
  tables:
    guests: { read: true, write: row.name == viewer.email, add_per_hour: 5 }
  default: owner
document:
  title: Guests
  size: 3
  code: "3"
  open: true
  none: ~
Y
sub publish {
	my ($text, %o) = @_;
	my $who = delete $o{who} // 'ann';
	return as($who, POST => '/v1/publish', { name => 'App', slug => 'book', %o,
		files => [{ path => 'index.html', content => 'x' }, (defined $text ? { path => 'vitrine.yaml', content => $text } : ())] });
}
sub steps { my ($r) = @_; return [map { "$_->{action} $_->{what}" } @{$r->{json}{plan} // []}] }
sub versions { return scalar @{as('ann', GET => "/v1/artifacts/$_[0]/versions")->{json}{versions}} }
sub table { return as('ann', GET => "/v1/data/$_[0]/tables/guests")->{json}{table} }

# ---- once

my $r = publish($yaml, dry_run => $true);
is $r->{status}, 200, 'a dry run' or diag $r->{body};
is_deeply steps($r), ['add tables.guests', 'add policy', 'add document'], '... says what would be made';
is_deeply [sort keys %{$r->{json}{plan}[0]}], [qw(action after before line what)], 'the keys of a step';
is_deeply [@{$r->{json}{plan}[0]}{qw(before after line)}], [undef, '3 columns, 2 rows', 3], '... with its line';
is scalar @{as('ann', GET => '/v1/artifacts')->{json}{artifacts}}, 0, '... and makes nothing';
$r = publish($yaml, visibility => 'public');
is $r->{status}, 201, 'published' or diag $r->{body};
is_deeply steps($r), ['add tables.guests', 'add policy', 'add document'], '... with the same plan';
my $art = $r->{json}{artifact}{id};
is_deeply [map { "$_->{name}:$_->{type}" } @{table($art)->{columns}}], [qw(name:text n:integer state:choice)], 'the table';
is table($art)->{key}, 'name', '... its key';
is_deeply [map { [@$_{qw(name n state)}] } @{as('ann', GET => "/v1/data/$art/tables/guests/rows")->{json}{rows}}],
	[['Ada', 1, 'new'], ['007', undef, undef]], '... its first rows, by the types of the columns';
is_deeply as('ann', GET => "/v1/data/$art/policy")->{json}{policy}, { tables => { guests => { read => 'true',
	write => 'row.name == viewer.email', add_per_hour => 5 } }, default => 'owner' }, 'the rules, whose true is a text';
is_deeply as('ann', GET => "/v1/data/$art/json")->{json}{data}, { title => 'Guests', size => 3, code => '3',
	open => $true, none => undef },
	'the document';
is $api->get_site('book', '/vitrine.yaml')->{status}, 404, 'it is not served';
for (['eve', 404], [undef, 404], ['ann', 200]) {
	my ($who, $status) = @$_;
	my $name = $who // 'a stranger';
	is as($who, GET => "/v1/artifacts/$art/files/vitrine.yaml")->{status}, $status, "$name fetches its source";
	my $files = as($who, GET => "/v1/artifacts/$art/files")->{json}{files};
	is scalar(grep { $_->{path} eq 'vitrine.yaml' } @$files), ($status == 200) + 0,
		'... and lists it';
	is as($who, GET => "/v1/artifacts/$art/versions/1/export")->{body} =~ /vitrine\.yaml/ ? 200 : 404, $status, '... and exports it';
}
is_deeply steps(publish($yaml)), ['keep tables.guests', 'keep policy', 'keep document'], 'a second time there is nothing to do';
is table($art)->{row_count}, 2, '... no row comes twice';

# ---- by hand

as('ann', PUT => "/v1/data/$art/json", { title => 'Mine' });
as('ann', PUT => "/v1/data/$art/policy", { policy => { default => 'viewer' } });
as('ann', PUT => "/v1/data/$art/tables/guests", { columns => [@{table($art)->{columns}}, { name => 'mine', type => 'text' }] });
$r = publish($yaml);
is_deeply steps($r), ['drift tables.guests.columns.mine', 'drift policy', 'drift document'], 'the plan names changes by hand';
is_deeply as('ann', GET => "/v1/data/$art/json")->{json}{data}, { title => 'Mine' }, '... and it stays';
is_deeply as('ann', GET => "/v1/data/$art/policy")->{json}{policy}, { default => 'viewer' }, '... the rules, too';
is_deeply steps(publish($yaml, dry_run => $true, reset => $true)), ['drift tables.guests.columns.mine', 'change policy',
	'change document'],
	'what reset would do';
publish($yaml, reset => $true);
is as('ann', GET => "/v1/data/$art/json")->{json}{data}{title}, 'Guests', '... is done';
is as('ann', GET => "/v1/data/$art/policy")->{json}{policy}{default}, 'owner', '... by reset';
is scalar @{table($art)->{columns}}, 4, '... and no column goes';

my $named = "tables: { t: { columns: { a: text, b: text } } }\npolicy: { tables: { t: { read: row.b == 'x' } } }\n";
my $hand = publish($named, name => 'Hand', slug => 'hand')->{json}{artifact}{id};
as('ann', PUT => "/v1/data/$hand/tables/t", { columns => [{ name => 'a', type => 'text' }], drop => ['b'] });
$r = publish($named, name => 'Hand', slug => 'hand');
is_deeply steps($r), ['drift tables.t.columns.b', 'keep policy'], 'a column that is deleted by hand stops no publish'
	or diag $r->{body};

# ---- changes

my $more = $yaml =~ s/n: integer/n: integer\n      note: date/r =~ s/choice\(new\|seen\)/choice(new|seen|gone)/r =~ s/size: 3/size: 4/r;
is_deeply steps(publish($more)), ['add tables.guests.columns.note', 'change tables.guests.columns.state',
	'drift tables.guests.columns.mine',
	'keep policy', 'change document'], 'a column more, a choice more, another document';
is_deeply [sort map { $_->{name} } @{table($art)->{columns}}], [qw(mine n name note state)], '... is there';
my $n = versions($art);
for (
	['a type', $more =~ s/n: integer/n: text/r, 409, 5, qr/^vitrine\.yaml, line 5: the column n of guests is integer/],
	['a column that goes', $more =~ s/ +note: date\n//r, 409, 4, qr/has a column note; .* drop: \[guests\.note\]/],
	['a table that goes', $more =~ s/guests:\n/others:\n/r =~ s/guests: \{/others: {/r, 409, 2, qr/has a table guests; .*drop: \[guests\]/],
	['a mistake in the rules', $more =~ s/row\.name ==/row.name =/r, 400, undef, qr/line 14: write: /],
	['an unknown column in the rules', $more =~ s/row\.name ==/row.nam ==/r, 400, 14, qr/no column nam; did you mean name\?/],
	['a section', "$more\ntabels: {}\n", 400, undef, qr/no field tabels here; did you mean tables\?/],
	['an unknown type', $more =~ s/n: integer/n: int/r, 400, 5, qr/n: the type is one of.*, not "int"$/],
	['YAML', "tables:\n  a: [\n", 400, undef, qr/^vitrine\.yaml, line 3/],
	['a seed', "tables:\n  other:\n    columns: { n: integer }\n    seed:\n      - { n: 1 }\n      - { n: x }\n", 409, 2, undef],
	['a drop that is no list', "$more\ndrop: { note: x }\n", 400, undef, qr/drop is a list of names/],
	['a large file', '#' x 262_145, 400, undef, qr/vitrine\.yaml is 256/]) {
	my ($name, $text, $status, $line, $like) = @$_;
	$r = publish($text);
	is $r->{status}, $status, "$name is refused" or diag $r->{body};
	like $r->{json}{error}, $like, '... with its line' if $like;
	is $r->{json}{details}{line}, $line, '... and place' if $line;
	is publish($text, dry_run => $true)->{status}, $status, '... by a dry run, too' if $name !~ /in the rules|seed/;
}
$r = as('ann', POST => '/v1/publish', { name => 'Seeds', slug => 'seeds', files => [{ path => 'index.html', content => 'x' },
	{ path => 'vitrine.yaml', content => "tables:\n  other:\n    columns: { n: integer }\n    seed:\n      - { n: 1 }\n"
		. "      - { n: x }\n" }] });
refused($r, '400 INVALID_REQUEST', 'a first row that does not fit', qr/^vitrine\.yaml, line 6: n: must be/);
is scalar(grep { $_->{slug} eq 'seeds' } @{as('ann', GET => '/v1/artifacts')->{json}{artifacts}}), 0, '... leaves no artifact';
is versions($art), $n, 'none of these made a version';
$r = publish($more =~ s/ +note: date\n//r . "drop: [guests.note]\n");
is_deeply [grep { /note/ } @{steps($r)}], ['change tables.guests.columns.note'], 'named in drop, a column goes';
is scalar(grep { $_->{name} eq 'note' } @{table($art)->{columns}}), 0, '... with its values';

# ---- drafts, older versions, rights

my $before = as('ann', GET => "/v1/data/$art/policy")->{json}{version};
$more =~ s/ +note: date\n//;
$r = publish($more =~ s/default: owner/default: editor/r, draft => $true);
is_deeply steps($r), [], 'a draft changes nothing';
my $draft = $r->{json}{version}{version_no};
is_deeply as('ann', GET => "/v1/artifacts/$art/versions/$draft")->{json}{version}{changes}, ['vitrine.yaml'], '... and says what it will';
is as('ann', GET => "/v1/data/$art/policy")->{json}{version}, $before, '... before it goes live';
as('ann', POST => "/v1/artifacts/$art/versions/$draft/restore");
is as('ann', GET => "/v1/data/$art/policy")->{json}{policy}{default}, 'editor', '... which applies it';
as('ann', PUT => "/v1/data/$art/policy", { policy => { default => 'viewer' } });
as('ann', POST => "/v1/artifacts/$art/versions/$_/restore") for 1, $draft;
is as('ann', GET => "/v1/data/$art/policy")->{json}{policy}{default}, 'viewer', 'going back applies nothing';
as('ann', PUT => "/v1/data/$art/json", { title => 'By hand' });
$r = publish($more, draft => $true);
$r = as('ann', POST => "/v1/artifacts/$art/versions/$r->{json}{version}{version_no}/restore");
is_deeply $r->{json}{warnings}, [map { "vitrine.yaml: $_ was changed by hand and stays so" }
	qw(tables.guests.columns.mine policy document)], '... also of a draft that goes live' or diag $r->{body};
my $only = $stack->token($ann->{id}, 'so_', scopes => 3);
$r = $api->call(POST => '/v1/publish', { token => $only, json => { artifact_id => $art, files => [{ path => 'vitrine.yaml',
	content => $yaml },
	{ path => 'index.html', content => 'x' }] } });
refused($r, '403 INSUFFICIENT_SCOPE', 'a token that may not write data', qr/data:write/);
refused(publish($yaml, access_policy => {}), '400 INVALID_REQUEST', 'rules twice', qr/has a policy, too/);
my $agent = $stack->token($ann->{id}, 'som_', scopes => 15, opens_to => 'public',
	grant_id => Vitrine::World->new($stack)->make(ogr => user => $ann->{id}));
sub by_agent {
	my ($text, %o) = @_;
	my $r = $api->call(POST => '/mcp', { token => $agent, json => { jsonrpc => '2.0', id => 1, method => 'tools/call', params => {
		name => 'publish', arguments => { %o, files => [{ path => 'index.html', content => 'x' }, { path => 'vitrine.yaml',
			content => $text }] } } } });
	return $r->{json}{result}{content}[0]{text} // $r->{body};
}
my $open = "tables: { guests: { columns: { name: text } } }\npolicy: { tables: { guests: { read: true, write: true } } }\n";
my $plain = $api->publish($ann, slug => 'plain', visibility => 'public');
like by_agent($open, artifact => $plain), qr/CONFLICT: vitrine.yaml, line 2: .*Anyone who can open it.*Publish it as a draft/,
	'an agent opens data by a draft only';
like by_agent($open, name => 'New', slug => 'by-agent', visibility => 'public'), qr/CONFLICT: vitrine.yaml, line 2: /,
	'... nor with a new public page';
is_deeply [grep { $_->{slug} eq 'by-agent' } @{as('ann', GET => '/v1/artifacts')->{json}{artifacts}}], [], '... which is not made';
unlike by_agent($open, name => 'New', slug => 'by-agent', visibility => 'private'), qr/CONFLICT/, 'a private page may';
like by_agent($open =~ s/write: true/write: false/r, artifact => $plain, draft => $false), qr/"plan"|version/,
	'reading as before is no question';

# ---- approvals

my $ws = as('ann', POST => '/v1/workspaces', { name => 'Team', settings => { member_access => 'editor' } })->{json}{workspace}{id};
my $team = $api->publish($ann, slug => 'team', visibility => 'public', workspace_id => $ws);
as('ann', PATCH => "/v1/workspaces/$ws/publish-policy", { policy => 'require_approval' });
$stack->seat($ws, $ed, 'member');
$r = as('ed', POST => '/v1/publish', { artifact_id => $team, files => [{ path => 'index.html', content => 'y' },
	{ path => 'vitrine.yaml', content => $yaml }] });
is_deeply [@{$r->{json}}{qw(held_for plan)}], ['approval', undef], 'where approval is required it waits' or diag $r->{body};
is made($team), '', '... and makes nothing';
$r = as('ed', POST => "/v1/artifacts/$team/publish-approval", { visibility => 'public', version => $r->{json}{version}{version_no} });
my $approval = $r->{json}{approval};
is_deeply $approval->{changes}, ['vitrine.yaml'], '... and is among what is to be approved' or diag $r->{body};
as('ann', POST => "/v1/artifacts/$team/publish-approval/$approval->{id}/decision", { decision => 'approve' });
is made($team), 'guests 2', 'the approval applies it';
is as('ann', GET => "/v1/data/$team/policy")->{json}{policy}{default}, 'owner', '... the rules, too';

# An admin who approves needs no role on the artifact.
$ws = as('ann', POST => '/v1/workspaces', { name => 'Apart', settings => { member_access => 'none' } })->{json}{workspace}{id};
$stack->seat($ws, $ed, 'member');
$team = as('ed', POST => '/v1/publish', { name => 'Apart', workspace_id => $ws, files => [{ path => 'index.html', content => 'y' }] })
	->{json}{artifact}{id};
as('ann', PATCH => "/v1/workspaces/$ws/publish-policy", { policy => 'require_approval' });
$r = as('ed', POST => '/v1/publish', { artifact_id => $team, draft => $true, files => [{ path => 'index.html', content => 'y' },
	{ path => 'vitrine.yaml', content => $yaml . "alerts:\n  Many: { table: guests, kind: row_count, op: above, value: 9 }\n" }] });
$r = as('ed', POST => "/v1/artifacts/$team/publish-approval", { visibility => 'public', version => $r->{json}{version}{version_no} });
$r = as('ann', POST => "/v1/artifacts/$team/publish-approval/$r->{json}{approval}{id}/decision", { decision => 'approve' });
is $r->{status}, 200, 'an admin without a role approves' or diag $r->{body};
is_deeply [map { $_->{name} } @{as('ed', GET => "/v1/metric-alerts?artifact_id=$team")->{json}{alerts}}], ['Many'],
	'... which applies all';

# ---- jobs and alerts

my $jobs = <<'Y';
tables:
  sales:
    columns: { amount: number }
jobs:
  Weekly:
    action: email
    schedule: 0 9 * * mon
    config: { recipients: [ann@example.org], subject: The week }
alerts:
  Many: { table: sales, kind: row_count, op: above, value: 100 }
Y
$r = as('ann', POST => '/v1/publish', { name => 'Jobs', slug => 'jobs', files => [{ path => 'index.html', content => 'x' },
	{ path => 'vitrine.yaml', content => $jobs }] });
is_deeply steps($r), ['add tables.sales', 'add jobs.Weekly', 'add alerts.Many'], 'jobs and alerts' or diag $r->{body};
my $site = $r->{json}{artifact}{id};
sub job { return as('ann', GET => "/v1/jobs?artifact_id=$site")->{json}{jobs}[0] }
is_deeply [@{job()}{qw(name action schedule)}, job()->{enabled} ? 1 : 0], ['Weekly', 'email', '0 9 * * mon', 0], 'a job is off at first';
as('ann', PATCH => '/v1/jobs/' . job()->{id}, { enabled => $true });
sub again {
	my ($text, %o) = @_;
	return as('ann', POST => '/v1/publish', { artifact_id => $site, %o, files => [{ path => 'index.html', content => 'x' },
		{ path => 'vitrine.yaml', content => $text }] });
}
is_deeply steps(again($jobs)), ['keep tables.sales', 'keep jobs.Weekly', 'keep alerts.Many'], 'nothing to do';
ok job()->{enabled}, '... so it stays on';
my $later = $jobs =~ s/0 9/0 8/r =~ s/100/200/r;
is_deeply steps(again($later)), ['keep tables.sales', 'change jobs.Weekly', 'change alerts.Many'], 'both change';
is_deeply [job()->{schedule}, job()->{enabled} ? 1 : 0], ['0 8 * * mon', 0], '... and the job is off again';
sub alert { return as('ann', GET => "/v1/metric-alerts?artifact_id=$site")->{json}{alerts}[0] }
as('ann', PATCH => '/v1/jobs/' . job()->{id}, { schedule => '0 7 * * mon' });
as('ann', PATCH => '/v1/metric-alerts/' . alert()->{id}, { value => 300 });
my @drift = ('keep tables.sales', 'drift jobs.Weekly', 'drift alerts.Many');
is_deeply steps(again($later)), \@drift, 'changed by hand, both are told';
is_deeply steps(again($later =~ s/0 8/0 6/r =~ s/200/250/r)), \@drift, '... also when the file changes';
is_deeply [job()->{schedule}, alert()->{value}], ['0 7 * * mon', 300], '... and stay';
is_deeply steps(again($later, reset => $true)), ['keep tables.sales', 'change jobs.Weekly', 'change alerts.Many'], '... but for reset';
is_deeply [job()->{schedule}, alert()->{value}], ['0 8 * * mon', 200], '... which brings back both';
as('ann', DELETE => '/v1/jobs/' . job()->{id});
is_deeply steps(again($later)), ['keep tables.sales', 'drift jobs.Weekly', 'keep alerts.Many'], 'a deleted job stays deleted';
again($later, reset => $true);
refused(again($jobs =~ s/op: above/op: over/r), '400 INVALID_REQUEST', 'an unknown operator of an alert', qr/^vitrine\.yaml, line 10: op/);
refused(again($jobs =~ s/schedule: .*/schedule: never/r), '400 INVALID_REQUEST', 'a schedule that never comes',
	qr/^vitrine\.yaml, line 7: schedule/);
refused(again($jobs =~ s/sales, kind/sale, kind/r =~ s/Many/More/r), '400 INVALID_REQUEST', 'an alert of an unknown table',
	qr/^vitrine\.yaml, line 10: table: there's no table sale$/);
refused(again($jobs =~ s/schedule: .*/event_type: comment.added/r), '409 CONFLICT', 'a job that becomes one of another kind',
	qr/^vitrine\.yaml, line 7: event_type: Weekly has none, which can't change/);
refused(again($jobs =~ s/row_count/distinct, column: amount/r), '409 CONFLICT', '... an alert, too',
	qr/^vitrine\.yaml, line 10: kind: Many has row_count, which can't change/);

# ---- views and charts

my $charts = $jobs . <<'Y';
views:
  Large: { table: sales, where: [amount, gt, 100], order: -amount }
charts:
  Sum: { kind: number, table: sales, measure: sum.amount, view: Large }
  Count: { kind: bar, table: sales, group: amount, where: [amount, gt, 5], alert: Many }
Y
$r = publish($charts, name => 'Charts', slug => 'charts');
is_deeply [sort @{steps($r)}], [sort 'add tables.sales', 'add jobs.Weekly', 'add views.Large', 'add alerts.Many', 'add charts.Sum',
	'add charts.Count'], 'views and charts' or diag $r->{body};
is_deeply $r->{json}{warnings}, [], 'without a warning';
my $drawn = $r->{json}{artifact}{id};
sub charts { return { map { $_->{name} => $_ } @{as('ann', GET => "/v1/data/$drawn/charts")->{json}{charts}} } }
my ($view) = @{as('ann', GET => "/v1/data/$drawn/tables/sales/views")->{json}{views}};
is_deeply [@$view{qw(name scope where order)}], ['Large', 'shared', ['amount', 'gt', 100], '-amount'], 'the view';
is charts()->{Sum}{view_id}, $view->{id}, '... which a chart has';
ok charts()->{Count}{alert_id}, 'an alert, which the other has';
is_deeply charts()->{Count}{where}, ['amount', 'gt', 5], '... with its conditions';
sub drawn { return publish($_[0], name => 'Charts', slug => 'charts') }
is_deeply [grep { !/^keep/ } @{steps(drawn($charts))}], [], 'nothing to do';
is_deeply [grep { !/^keep/ } @{steps(drawn($charts =~ s/ where: \[amount, gt, 5\],//r =~ s/gt, 100/gt, 200/r))}],
	['change views.Large', 'change charts.Count'], 'both change';
is charts()->{Count}{where}, undef, '... and what is not said any more goes';
is_deeply as('ann', GET => "/v1/data/$drawn/tables/sales/views")->{json}{views}[0]{where}, ['amount', 'gt', 200], '... the view, too';
my $drawn_last = $charts =~ s/ where: \[amount, gt, 5\],//r =~ s/gt, 100/gt, 200/r;
as('ann', PUT => "/v1/data/$drawn/tables/sales/views/$view->{id}", { name => 'Large', where => ['amount', 'gt', 300] });
as('ann', PUT => "/v1/data/$drawn/charts/" . charts()->{Sum}{id}, { name => 'Sum', kind => 'number', table => 'sales',
	measure => 'max.amount' });
is_deeply [grep { !/^keep/ } @{steps(drawn($drawn_last))}], ['drift views.Large', 'drift charts.Sum'], 'changed by hand, both stay';
is_deeply [grep { !/^keep/ } @{steps(publish($drawn_last, name => 'Charts', slug => 'charts', reset => $true))}],
	['change views.Large', 'change charts.Sum'], '... but for reset';
for (['a table', $charts =~ s/kind: bar, table: sales/kind: bar, table: sale/r, 15, qr/table: there's no table sale$/],
	['a view', $charts =~ s/view: Large/view: Small/r, 14, qr/view: the table sales has no shared view Small/],
	['an alert', $charts =~ s/alert: Many/alert: Few/r, 15, qr/alert: there's no alert Few/],
	['a kind', $charts =~ s/kind: number/kind: pie/r, 14, qr/kind/],
	['a column', $charts =~ s/group: amount/group: amont/r, 15, qr/group: .*amont/],
	['a view\'s table', $charts =~ s/Large: \{ table: sales/Large: { table: sale/r, 12, qr/table: there's no table sale$/],
	['a view\'s condition', $charts =~ s/\[amount, gt, 100\]/[amont, gt, 1]/r, 12, qr/where: /],
	['no table', $charts =~ s/Large: \{ table: sales,/Large: {/r, 12, qr/table: is required/]) {
	my ($name, $text, $line, $like) = @$_;
	refused(drawn($text), '400 INVALID_REQUEST', "$name that is none", qr/^vitrine\.yaml, line $line: $like/);
}

# ---- merges

my $six = "document:\n  one: 1\n  two: 2\n  three: 3\n  four: 4\n  five: 5\n";
sub merged { my ($text, %o) = @_; return publish($text, name => 'Merged', slug => 'merged', %o) }
my $both = merged($six)->{json}{artifact}{id};
$stack->collaborator($both, $ed, 'editor');
sub body { return as('ann', GET => "/v1/data/$both/json")->{json}{data} }
sub by_ed { my ($text, %o) = @_; return as('ed', POST => '/v1/publish', { artifact_id => $both, %o,
	files => [{ path => 'index.html', content => 'x' }, { path => 'vitrine.yaml', content => $text }] }) }
by_ed($six =~ s/one: 1/one: 10/r);
$r = merged($six, base_version => 1);
is_deeply [$r->{json}{merged}{kept}, @{steps($r)}], [1, 'keep document'], 'a merge keeps what another has declared' or diag $r->{body};
is_deeply [@{body()}{qw(one five)}], [10, 5], '... and applies nothing else';
$r = merged($six =~ s/five: 5/five: 50/r, base_version => 1);
is_deeply [@{$r->{json}{merged}{lines}}, @{steps($r)}], ['vitrine.yaml', 'change document'],
	'merged by lines, it is applied as it became';
is_deeply [@{body()}{qw(one five)}], [10, 50], '... with both changes';
my $waiting = sub { $db->selectrow_array('SELECT COUNT(*) FROM merge_candidate') };
my $candidates = $waiting->();
$r = refused(merged($six =~ s/one: 1/one: 11/r, base_version => 1, dry_run => $true), '409 VERSION_CONFLICT',
	'a dry run that conflicts', qr/Publish without dry_run/);
is_deeply [$r->{json}{details}{candidate}, $waiting->()], [undef, $candidates], '... leaves no candidate';
$r = merged($six =~ s/one: 1/one: 11/r, base_version => 1);
my $settle = { candidate => $r->{json}{details}{candidate}{id},
	files => [{ path => 'vitrine.yaml', content => $six =~ s/one: 1/one: 12/r }] };
$r = as('ann', POST => '/v1/publish', { %$settle, dry_run => $true });
is_deeply [$r->{status}, @{steps($r)}], [200, 'change document'], 'settling a conflict is planned' or diag $r->{body};
is as('ann', POST => '/v1/publish', $settle)->{status}, 201, '... and then done';
is body()->{one}, 12, '... with what it declares';
my $base = versions($both);
by_ed($six =~ s/one: 1/one: 12\n  more: 1/r, base_version => $base);
$r = merged($six =~ s/one: 1/one: 12/r . "  more: 2\n", base_version => $base);
refused($r, '400 INVALID_REQUEST', 'a merge that is no YAML',
	qr/^After the merge with version \d+: vitrine\.yaml, line 8: more is there twice/);
{
	my $many = join '', "document:\n", map { "  k$_: 1\n  s$_: 1\n" } 1 .. 4;
	merged($many);
	my $from = versions($both);
	my @r = Vitrine::Api::together($stack, 4, sub {
		my ($api, $i) = @_;
		return $api->call(POST => '/v1/publish', { token => $ann->{token}, json => { artifact_id => $both, base_version => $from,
			files => [{ path => 'index.html', content => 'x' },
				{ path => 'vitrine.yaml', content => $many =~ s/k@{[$i + 1]}: 1/k@{[$i + 1]}: 2/r }] } })->{status};
	});
	is_deeply [sort @r], [(201) x 4], 'four merges at once';
	is_deeply [@{body()}{qw(k1 k2 k3 k4)}], [(2) x 4], '... of which none is lost';
}

# ---- comparing, the changes of a file, and pins

as('ann', PATCH => "/v1/artifacts/$both", { visibility => 'public' });
for (['eve', 0], ['ann', 1]) {
	my ($who, $sees) = @$_;
	my $at = "/v1/artifacts/$both";
	$stack->collaborator($both, $eve, 'viewer') if !$sees;
	my $told = as($who, GET => "$at/compare?from=1&to=2");
	is scalar(@{$told->{json}{files}}), $sees, "$who compares its versions" or diag $told->{body};
	is as($who, GET => "$at/compare/text?from=1&to=2&path=vitrine.yaml")->{status}, $sees ? 200 : 404, '... its lines';
	is !!@{as($who, GET => "$at/file-history?path=vitrine.yaml")->{json}{changes}}, !!$sees, '... lists its changes';
	is as($who, GET => "$at/blame?path=vitrine.yaml")->{status}, $sees ? 200 : 404, '... and where its lines come from';
}
my $live = as('ann', GET => "/v1/artifacts/$both")->{json}{artifact}{version_no};
as('ann', PATCH => "/v1/artifacts/$both", { pinned_version => $live });
$r = merged("document: { pinned: 1 }\n", reset => $true);
is_deeply [$r->{json}{held_for}, @{steps($r)}], ['pin'], 'while a version is pinned, it waits';
like $r->{json}{warnings}[0], qr/^reset: /, '... without reset, which is told';
is body()->{pinned}, undef, '... and changes nothing';
my $held = $r->{json}{version}{version_no};
as('ann', PATCH => "/v1/artifacts/$both", { pinned_version => undef });
is as('ann', POST => "/v1/artifacts/$both/versions/$held/restore")->{status}, 200, 'later it goes live';
is body()->{pinned}, 1, '... and is applied';

# ---- by a browser, as an archive, and by an agent

$stack->ctl_in("the password\n", qw(user password ann@example.org));
my $v = Vitrine::Visitor->new($api);
$v->sign_in('ann@example.org', 'the password');
sub dropped {
	my (%files) = @_;
	my $body = join '', map { "--xxxx\r\nContent-Disposition: form-data; name=\"files\"; filename=\"$_\"\r\n\r\n$files{$_}\r\n" }
		sort keys %files;
	my $r = $v->send(POST => '/publish', headers => { 'Content-Type' => 'multipart/form-data; boundary=xxxx' },
		body => "$body--xxxx--\r\n");
	return (($r->{headers}{location} // '') =~ m{^/a/(art_\w+)} ? $1 : '', $r->{status}, $v->{page}{text} // '');
}
sub made { return join ' ', map { "$_->{name} $_->{row_count}" } @{as('ann', GET => "/v1/data/$_[0]/tables")->{json}{tables} // []} }
sub count { return scalar @{as('ann', GET => '/v1/artifacts?limit=200')->{json}{artifacts}} }
is made((dropped('book/index.html' => 'x', 'book/vitrine.yaml' => $yaml))[0]), 'guests 2', 'a folder that is dropped';
is made((dropped('book.zip' => zip(['book/index.html', 'x'], ['book/vitrine.yaml', $yaml])))[0]), 'guests 2', 'an archive';
my $there = count();
my (undef, $status, $page) = dropped('book/index.html' => 'x', 'book/vitrine.yaml' => $yaml =~ s/n: integer/n: int/r);
is $status, 400, 'one with a mistake';
like $page, qr/vitrine\.yaml, line 5: n: the type is one of/, '... is refused with its line';
is count(), $there, '... and makes nothing';
my $told = by_agent($yaml, name => 'Told', slug => 'told');
like $told, qr/"plan":\[\{"action":"add","what":"tables.guests"/, 'an agent hears what was made' or diag $told;
is made(map { $_->{id} } grep { $_->{slug} eq 'told' } @{as('ann', GET => '/v1/artifacts?limit=200')->{json}{artifacts}}), 'guests 2',
	'... and it was';

# The example of the documentation, by the client.
my ($example) = $api->request('GET', 'vitrine.localhost', '/docs/tables-and-rules')->{body}
	=~ m{aria-label="A vitrine.yaml"><code>(.*?)</code>}s;
mkdir "$stack->{dir}/party" or die;
Vitrine::Stack::spew("$stack->{dir}/party/index.html", 'come');
Vitrine::Stack::spew("$stack->{dir}/party/vitrine.yaml", Vitrine::Visitor::unescape_html($example));
sub client { return $stack->client($ann->{token}, 'publish', "$stack->{dir}/party", @_) }
my ($code, $out, $err) = client('--dry-run');
is $code, 0, 'the documented folder is planned' or diag $err;
is join(' ', sort map { /^add +(\S+)/ } split /\n/, $out),
	'alerts.Full charts.Meals document jobs.Reminder policy tables.guests views.Coming', '... line by line' or diag $out;
is count(), $there + 1, '... and not made';
($code, $out, $err) = client(qw(--slug party));
is $code, 0, 'it is published' or diag $err;
like $out, qr{^https://party\.}, '... at its address';
($code, $out) = client('--dry-run');
is join(' ', grep { !/^keep/ } split /\n/, $out), '', 'then there is nothing to do';
my ($party) = map { $_->{id} } grep { $_->{slug} eq 'party' } @{as('ann', GET => '/v1/artifacts?limit=200')->{json}{artifacts}};
as('ann', PUT => "/v1/data/$party/json", { title => 'Mine' });
Vitrine::Stack::spew("$stack->{dir}/party/index.html", 'come early');
like +(client())[2], qr/document was changed by hand and stays so; --reset replaces it/, 'the client says what was changed by hand';
client('--reset');
is as('ann', GET => "/v1/data/$party/json")->{json}{data}{title}, 'Our party', '... and replaces it if asked';

# ---- two at once, and one without

{
	my @r = Vitrine::Api::together($stack, 4, sub { return $_[0]->call(POST => '/v1/publish', { token => $ann->{token}, json => {
		name => 'Race', slug => 'race', files => [{ path => 'index.html', content => "x$_[1]" }, { path => 'vitrine.yaml',
			content => $yaml }] }
		})->{status} });
	is_deeply [sort @r], [(201) x 4], 'four at once';
	my ($id) = map { $_->{id} } grep { $_->{slug} eq 'race' } @{as('ann', GET => '/v1/artifacts')->{json}{artifacts}};
	is made($id), 'guests 2', 'one table';
	as('ann', DELETE => "/v1/artifacts/$id");
	as('ann', DELETE => "/v1/artifacts/$id?permanent=1");
}
{
	my $bare = $api->publish($ann, slug => 'bare', visibility => 'public');
	my ($least) = sort { $a <=> $b } map { Vitrine::Counted::of_reply($stack, as('ann', POST => '/v1/publish', { artifact_id => $bare,
		files => [{ path => 'index.html', content => "plain $_" }] })) } 1 .. 4;
	is $least, 7, 'a publish without it takes no round trip more';
}
is $stack->ctl('fsck'), 'clean', 'fsck finds nothing';
finish($stack);
