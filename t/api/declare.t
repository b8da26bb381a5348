# SPDX-License-Identifier: Apache-2.0
# vitrine.yaml: a version says what data its artifact has. It is applied when the version goes live, once, all or nothing; what was
# changed by
# hand stays and is told; a dry run says what would be done.
use utf8;
use Vitrine::Counted;
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
	is scalar(grep { $_->{path} eq 'vitrine.yaml' } @{as($who, GET => "/v1/artifacts/$art/files")->{json}{files}}), $status == 200 ? 1 : 0,
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
is_deeply steps($r), ['drift tables.guests.columns.mine', 'drift policy', 'drift document'], 'what was changed by hand is told';
is_deeply as('ann', GET => "/v1/data/$art/json")->{json}{data}, { title => 'Mine' }, '... and stays';
is_deeply as('ann', GET => "/v1/data/$art/policy")->{json}{policy}, { default => 'viewer' }, '... the rules, too';
is_deeply steps(publish($yaml, dry_run => $true, reset => $true)), ['drift tables.guests.columns.mine', 'change policy',
	'change document'],
	'what reset would do';
publish($yaml, reset => $true);
is as('ann', GET => "/v1/data/$art/json")->{json}{data}{title}, 'Guests', '... is done';
is as('ann', GET => "/v1/data/$art/policy")->{json}{policy}{default}, 'owner', '... by reset';
is scalar @{table($art)->{columns}}, 4, '... and no column goes';

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
	['a column that is none in the rules', $more =~ s/row\.name ==/row.nam ==/r, 400, 14, qr/no column nam; did you mean name\?/],
	['a section', "$more\ntabels: {}\n", 400, undef, qr/no field tabels here; did you mean tables\?/],
	['a type that is none', $more =~ s/n: integer/n: int/r, 400, 5, qr/n: the type is one of/],
	['YAML', "tables:\n  a: [\n", 400, undef, qr/^vitrine\.yaml, line 2/],
	['a seed', "tables:\n  other:\n    columns: { n: integer }\n    seed:\n      - { n: 1 }\n      - { n: x }\n", 409, 2, undef],
	['a large file', '#' x 262_145, 400, undef, qr/vitrine\.yaml is 256/]) {
	my ($name, $text, $status, $line, $like) = @$_;
	$r = publish($text);
	is $r->{status}, $status, "$name is refused" or diag $r->{body};
	like $r->{json}{error}, $like, '... with its line' if $like;
	is $r->{json}{details}{line}, $line, '... and place' if $line;
	is publish($text, dry_run => $true)->{status}, $status, '... by a dry run, too' if $name !~ /in the rules|seed/;
}
$r = as('ann', POST => '/v1/publish', { name => 'Seeds', slug => 'seeds', files => [{ path => 'index.html', content => 'x' },
	{ path => 'vitrine.yaml', content => "tables:\n  other:\n    columns: { n: integer }\n    seed:\n      - { n: 1 }\n      - { n: x }\n" }] });
refused($r, '400 INVALID_REQUEST', 'a first row that does not fit', qr/^vitrine\.yaml, line 6: n: must be/);
is scalar(grep { $_->{slug} eq 'seeds' } @{as('ann', GET => '/v1/artifacts')->{json}{artifacts}}), 0, '... leaves no artifact';
is versions($art), $n, 'none of these made a version';
$r = publish($more =~ s/ +note: date\n//r . "drop: [guests.note]\n");
is_deeply [grep { /note/ } @{steps($r)}], ['change tables.guests.columns.note'], 'named in drop, a column goes';
is scalar(grep { $_->{name} eq 'note' } @{table($art)->{columns}}), 0, '... with its values';

# ---- drafts, older versions, rights

my $before = as('ann', GET => "/v1/data/$art/policy")->{json}{version};
$r = publish($yaml =~ s/default: owner/default: editor/r, draft => $true);
is_deeply steps($r), [], 'a draft changes nothing';
my $draft = $r->{json}{version}{version_no};
is_deeply as('ann', GET => "/v1/artifacts/$art/versions/$draft")->{json}{version}{changes}, ['vitrine.yaml'], '... and says what it will';
is as('ann', GET => "/v1/data/$art/policy")->{json}{version}, $before, '... before it goes live';
as('ann', POST => "/v1/artifacts/$art/versions/$draft/restore");
is as('ann', GET => "/v1/data/$art/policy")->{json}{policy}{default}, 'editor', '... which applies it';
as('ann', PUT => "/v1/data/$art/policy", { policy => { default => 'viewer' } });
as('ann', POST => "/v1/artifacts/$art/versions/$_/restore") for 1, $draft;
is as('ann', GET => "/v1/data/$art/policy")->{json}{policy}{default}, 'viewer', 'going back applies nothing';
my $only = $stack->token($ann->{id}, 'vit_', scopes => 3);
$r = $api->call(POST => '/v1/publish', { token => $only, json => { artifact_id => $art, files => [{ path => 'vitrine.yaml',
	content => $yaml },
	{ path => 'index.html', content => 'x' }] } });
refused($r, '403 INSUFFICIENT_SCOPE', 'a token that may not write data', qr/data:write/);
refused(publish($yaml, access_policy => {}), '400 INVALID_REQUEST', 'rules twice', qr/has a policy, too/);
my $agent = $stack->token($ann->{id}, 'som_', scopes => 15, opens_to => 'public', grant_id => Vitrine::World->new($stack)->make(ogr =>
	user => $ann->{id}));
$r = $api->call(POST => '/v1/publish', { token => $agent, json => { artifact_id => $art, reset => $true, files => [
	{ path => 'vitrine.yaml', content => "policy: { tables: { guests: { read: true, write: true } } }\n" },
	{ path => 'index.html', content => 'x' }] } });
refused($r, '409 CONFLICT', 'an agent opens data by a draft only', qr/Anyone who can open it.*Publish it as a draft/);

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
sub again { return as('ann', POST => '/v1/publish', { artifact_id => $site, files => [{ path => 'index.html', content => 'x' },
	{ path => 'vitrine.yaml', content => $_[0] }] }) }
is_deeply steps(again($jobs)), ['keep tables.sales', 'keep jobs.Weekly', 'keep alerts.Many'], 'nothing to do';
ok job()->{enabled}, '... so it stays on';
is_deeply steps(again($jobs =~ s/0 9/0 8/r =~ s/100/200/r)), ['keep tables.sales', 'change jobs.Weekly', 'change alerts.Many'],
	'both change';
is_deeply [job()->{schedule}, job()->{enabled} ? 1 : 0], ['0 8 * * mon', 0], '... and the job is off again';
refused(again($jobs =~ s/op: above/op: over/r), '400 INVALID_REQUEST', 'an alert that is none', qr/^vitrine\.yaml, line 10: op/);
refused(again($jobs =~ s/schedule: .*/schedule: never/r), '400 INVALID_REQUEST', 'a job that is none',
	qr/^vitrine\.yaml, line 6: schedule/);

# ---- two at once, and one without

{
	my @r = Vitrine::Api::together($stack, 4, sub { return $_[0]->call(POST => '/v1/publish', { token => $ann->{token}, json => {
		name => 'Race', slug => 'race', files => [{ path => 'index.html', content => "x$_[1]" }, { path => 'vitrine.yaml', content => $yaml }] }
		})->{status} });
	is_deeply [sort @r], [(201) x 4], 'four at once';
	my ($id) = map { $_->{id} } grep { $_->{slug} eq 'race' } @{as('ann', GET => '/v1/artifacts')->{json}{artifacts}};
	is_deeply [map { "$_->{name} $_->{row_count}" } @{as('ann', GET => "/v1/data/$id/tables")->{json}{tables}}], ['guests 2'], 'one table';
	as('ann', DELETE => "/v1/artifacts/$id");
	as('ann', DELETE => "/v1/artifacts/$id?permanent=1");
}
{
	my ($least) = sort { $a <=> $b } map { Vitrine::Counted::of_reply($stack, as('ann', POST => '/v1/publish', { artifact_id => $site,
		files => [{ path => 'index.html', content => "plain $_" }] })) } 1 .. 4;
	cmp_ok $least, '<=', 7, "a publish without it takes $least round trips, as before";
}
is $stack->ctl('fsck'), 'clean', 'fsck finds nothing';
finish($stack);
