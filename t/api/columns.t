# SPDX-License-Identifier: Apache-2.0
# Columns of tables: dates, choices, links to rows.
use Vitrine::Words 'as';

my ($stack, $api, $db) = stack(data_per_minute => 100_000);
my ($ann, $ben, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben eve);
my $mine = 'row.owner == viewer.email';
my $art = $api->publish($ann, slug => 'data', visibility => 'unlisted', access_policy => { tables => {
	people => { read => "$mine or row.open", write => 'viewer.id != null' }, tasks => { read => 'true', write => 'viewer.id != null' },
	days => { read => "row.due >= '2026-03-01'", write => 'true' } } });
my $other = $api->publish($ann, slug => 'other', visibility => 'unlisted');
my $base = "/v1/data/$art/tables";

sub cols {
	return [map {
		my ($name, $type, $more) = split /:/;
		{ name => $name, type => $type // 'text', $type eq 'choice' && defined $more ? (choices => [split /\|/, $more]) : (),
			$type eq 'link' && defined $more ? (to => $more) : () }
	} @_];
}
sub put { my ($name, @columns) = @_; return as($ann, PUT => "$base/$name", { columns => cols(@columns) }) }
sub add { my ($who, $table, @rows) = @_; return as($who, POST => "$base/$table/rows", { rows => \@rows }) }
sub rows { my ($who, $table, $query) = @_; return as($who, GET => "$base/$table/rows?" . ($query // ''))->{json}{rows} }
sub refused {
	my ($r, $want, $like, $name) = @_;
	is "$r->{status} $r->{json}{code}", $want, $name or diag $r->{body};
	like $r->{json}{error}, $like, '... and why';
	return $r;
}
sub clean { is +($stack->program('vitrinectl', {}, 'fsck'))[1], "clean\n", "fsck is clean $_[0]" }

# ---- dates

is put('days', 'name:text', 'due:date', 'at:timestamp')->{status}, 201, 'a table with dates';
is add($ann, days => map {
	{ name => "d$_", due => $_, at => "${_}T12:00:00Z" }
} qw(2026-11-21 2024-02-29 0001-01-01 2026-03-01))->{status}, 201, 'dates';
is_deeply [map { $_->{due} } @{rows($ann, days => 'order=due')}], [qw(0001-01-01 2024-02-29 2026-03-01 2026-11-21)], 'they sort by day';
is_deeply [map { $_->{due} } @{rows($ann, days => 'order=due&due=gte.2024-02-29&due=lt.2026-11-21')}], [qw(2024-02-29 2026-03-01)],
	'... and are found';
refused(add($ann, days => { due => $_ }), '400 INVALID_REQUEST', qr/^rows\[0\]\.due: must be a date such as "2026-11-21"/, "$_ is none")
	for qw(2026-02-30 2026-1-5 2026-11-21T00:00:00Z 20261121 2026-13-01), '', 20261121, { a => 1 };
refused(as($ann, GET => "$base/days/rows?due=eq.2026-02-30"), '400 INVALID_REQUEST', qr/^due: 2026-02-30 isn't a valid value/,
	'... in a condition');
is_deeply [sort map { $_->{due} } @{rows($ben, 'days')}], [qw(2026-03-01 2026-11-21)], 'a rule reads its text as a date';
like as($ann, GET => "$base/days/export?order=-due")->{body}, qr/,2026-11-21,2026-11-21T12:00:00Z\r\n/, 'an export has the day';

# ---- choices

my $r = put('tasks', 'title:text', 'state:choice:new|in work|done', 'who:link:people');
refused($r, '400 INVALID_REQUEST', qr/^columns\[2\]\.to: the artifact has no table people/, 'no link to a table that is not there');
is put('people', 'owner:text', 'name:text', 'open:boolean', 'boss:link:people')->{status}, 201, 'a table may link to itself';
$r = put('tasks', 'title:text', 'state:choice:new|in work|done', 'who:link:people');
is $r->{status}, 201, 'choices and links';
is_deeply $r->{json}{table}{columns}, cols('title:text', 'state:choice:new|in work|done', 'who:link:people'), '... with exact keys';
refused(put('no', $_->[0]), '400 INVALID_REQUEST', $_->[1], "no column $_->[0]") for ['a:choice', qr/^columns\[0\]\.choices: is required/],
	['a:choice:x|y|x', qr/^columns\[0\]\.choices\[2\]: x is already choices\[0\]/], ['a:link', qr/^columns\[0\]\.to: is required/],
	['a:choice:' . 'x' x 65, qr/^columns\[0\]\.choices\[0\]/], ['a:link:nothing', qr/no table nothing/];
refused(as($ann, PUT => "$base/no", { columns => [{ name => 'a', %$_ }] }), '400 INVALID_REQUEST', qr/^columns\[0\]\.(?:choices|to|type)/,
	'nor ' . encode_json($_))
	for { type => 'choice', choices => [] }, { type => 'choice', choices => [map { "c$_" } 1 .. 101] },
	{ type => 'choice', choices => [''] },
	{ type => 'text', choices => ['a'] }, { type => 'text', to => 'people' }, { type => 'date', to => 'people' }, { type => 'enum' };
is put('all', 'a:choice:' . join '|', map { "c$_" } 1 .. 100)->{status}, 201, 'a hundred are not too many';
$r = add($ann, tasks => { title => 'a', state => 'new' }, { title => 'b', state => 'done' }, { title => 'c' });
is $r->{status}, 201, 'values';
my @task = @{$r->{json}{ids}};
refused(add($ann, tasks => { state => $_ }), '400 INVALID_REQUEST', qr/^rows\[0\]\.state: must be/, "not $_")
	for 'New', 'open', '', 5, $true;
refused(as($ann, PATCH => "$base/tasks/rows/$task[0]", { state => 'x' }), '400 INVALID_REQUEST',
	qr/^state: must be one of new, in work and done/, '... in a change');
is_deeply [map { $_->{title} } @{rows($ann, tasks => 'state=in.new,done&order=title')}], [qw(a b)], 'they are found';
is_deeply [map { $_->{title} } @{rows($ann, tasks => 'state=prefix.d')}], ['b'], '... by their beginning';
is put('tasks', 'title:text', 'state:choice:done|new|late', 'who:link:people')->{status}, 200,
	'others, in another order, without one that no row has';
$r = refused(put('tasks', 'title:text', 'state:choice:new|late', 'who:link:people'), '409 CONFLICT',
	qr/^columns\[1\]\.choices: done is missing, and 1 row has it/,
	'not without one that rows have');
is_deeply $r->{json}{details}, { rows => 1 }, '... with their number';
is_deeply put('tasks', 'title:text', 'state:choice', 'who:link')->{json}{table}{columns},
	cols('title:text', 'state:choice:done|new|late', 'who:link:people'),
	'what is left out stays';
refused(put('tasks', 'title:text', 'state:choice', 'who:link:tasks'), '409 CONFLICT', qr/retype/,
	'a link of rows leads elsewhere only by retype');

# ---- links

my @people = map { add($ann, people => $_)->{json}{ids}[0] } { owner => 'ann@example.org', name => 'Ann', open => $true },
	{ owner => 'ann@example.org', name => 'Hidden' }, { owner => 'ben@example.org', name => 'Ben' };
my $elsewhere = do {
	as($ann, PUT => "/v1/data/$other/tables/people", { columns => cols('name:text') });
	as($ann, POST => "/v1/data/$other/tables/people/rows", { rows => [{ name => 'x' }] })->{json}{ids}[0];
};
is add($ann, tasks => { title => 'l', who => $people[1] }, { title => 'm', who => $people[0] },
	{ title => 'n', who => $people[1] })->{status}, 201, 'links';
is add($ben, tasks => { title => 'o', who => $people[2] })->{status}, 201, '... to what the writer may read';
my $gone = add($ann, people => { owner => 'ann@example.org' })->{json}{ids}[0];
as($ann, DELETE => "$base/people/rows/$gone");
for (['hidden', $people[1]], ["another artifact's", $elsewhere], ['that is gone', $gone], ["another table's", $task[0]]) {
	my ($what, $id) = @$_;
	refused(add($ben, tasks => { title => 'p' }, { title => 'q', who => $id }), '400 INVALID_REQUEST',
		qr/^rows\[1\]\.who: there is no row $id in the table people, or you can't read it$/, "no link to a row $what");
	refused(as($ben, PATCH => "$base/tasks/rows/$task[0]", { who => $id }), '400 INVALID_REQUEST',
		qr/^who: there is no row $id in the table people, or you can't read it$/, '... in a change');
}
refused(add($ann, tasks => { who => $_ }), '400 INVALID_REQUEST', qr/^rows\[0\]\.who: must be the id of a row/, 'nor to ' . ($_ // 'null'))
	for 'Ann', 5, uc $people[0];
my $names = sub { my ($who) = @_; return [map { [@$_{qw(title who$)}] } @{rows($who, tasks => 'order=title&who=is.notnull&expand=who')}] };
is_deeply $names->($ann), [[l => 'Hidden'], [m => 'Ann'], [n => 'Hidden'], [o => 'Ben']], 'a list has what is linked';
is_deeply $names->($ben), [[l => undef], [m => 'Ann'], [n => undef], [o => 'Ben']], '... as far as its reader may read it';
is_deeply $names->($eve), [[l => undef], [m => 'Ann'], [n => undef], [o => undef]], '... another another part';
is join(' ', sort keys %{rows($ann, tasks => 'expand=who')->[0]}), 'id state title who who$', 'exact keys';
refused(as($ann, GET => "$base/tasks/rows?expand=$_"), '400 INVALID_REQUEST', qr/^expand: $_ is not a column of links/,
	"$_ is not expanded") for qw(title nothing);
is put('odd', 'expand:text', 'who:link:people')->{status}, 201, 'a column may be called expand';
add($ann, odd => { expand => 'x', who => $people[0] }, { expand => 'y' });
is_deeply [map { $_->{expand} } @{rows($ann, odd => 'expand=eq.x')}], ['x'], '... and be a condition';
is_deeply [map { $_->{'who$'} } @{rows($ann, odd => 'expand=eq.x&$expand=who')}], ['Ann'], '... beside the parameter';
is as($ann, DELETE => "$base/people/rows/$people[1]")->{status}, 200, 'a linked row goes';
is_deeply $names->($ann), [[l => undef], [m => 'Ann'], [n => undef], [o => 'Ben']], '... and links to it stay';
my ($l) = grep { $_->{title} eq 'l' } @{rows($ann, 'tasks')};
is as($ann, PATCH => "$base/tasks/rows/$l->{id}", { title => 'l2' })->{status}, 200, '... also in a change of other columns';
is as($ann, PATCH => "$base/tasks/rows/$task[0]", { who => undef })->{status}, 200, 'a link can be taken away';
as($ann, DELETE => "$base/people");
refused(add($ann, tasks => { who => $people[0] }), '400 INVALID_REQUEST', qr/there is no row/, 'without its table nothing is linked');
is_deeply [map { $_->{'who$'} } @{rows($ann, tasks => 'expand=who')}], [(undef) x 7], '... nor expanded';
is put('tasks', 'title:text', 'state:choice', 'who:link:people', 'more:date')->{status}, 200, '... but the table can be changed';
clean('after that');
finish($stack);
