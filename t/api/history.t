# SPDX-License-Identifier: Apache-2.0
# The history of tables: what is recorded of each change, who sees it, undo and redo, restoring rows and tables, and what is trimmed.
use Vitrine::Words 'as';

my ($stack, $api) = stack(data_per_minute => 1000000);
my ($ann, $ben, $cat, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben cat eve);
my $db = $stack->db;
my $art = $api->publish($ann, slug => 'data', visibility => 'unlisted');
my $base = "/v1/data/$art/tables";
$stack->collaborator($art, $ben, 'editor');
sub refused {
	my ($r, $want, $like, $name) = @_;
	is "$r->{status} $r->{json}{code}", $want, $name or diag $r->{body};
	like $r->{json}{error}, $like, '... and why';
}
sub cols { return [map { my ($n, $t) = split /:/; { name => $n, type => $t // 'text' } } @_] }
sub table { my ($name, @cols) = @_; as($ann, PUT => "$base/$name", { columns => cols(@cols) })->{status} == 201 or die }
sub add { my ($who, $name, @rows) = @_; return @{as($who, POST => "$base/$name/rows", { rows => \@rows })->{json}{ids}} }
sub patch { my ($who, $name, $id, %to) = @_; as($who, PATCH => "$base/$name/rows/$id", \%to)->{status} == 200 or die }
sub export { return as($ann, GET => "$base/$_[0]/export?format=ndjson")->{body} }
sub batches { my ($name, $query) = @_; return @{as($ann, GET => "$base/$name/history" . ($query // ''))->{json}{batches}} }
sub changes { my ($who, $name, $id) = @_; return @{as($who, GET => "$base/$name/rows/$id/history")->{json}{changes} // []} }
sub undo { my ($who, $name, $batch, %with) = @_; return as($who, POST => "$base/$name/undo", { batch_id => $batch, %with }) }
sub counts { my ($r) = @_; return join ' ', map { $_ // '-' } $r->{status}, @{$r->{json}}{qw(undone kept)} }
sub whole {
	is $db->selectrow_array(
		'SELECT COUNT(*) FROM data_table t WHERE history_bytes <> (SELECT COALESCE(SUM(200 + COALESCE(LENGTH(doc), 0)), 0) '
		. 'FROM data_change c WHERE c.history_no = IF(t.history_no = 0, t.no, t.history_no))'), 0, $_[0];
}

# ---- what is recorded

table('t', 'name', 'n:integer');
my ($one) = add($ann, t => { name => 'one', n => 1 });
my @many = add($ben, t => map { { name => "m$_", n => $_ } } 1 .. 5);
patch($ben, t => $one, n => 2);
as($ann, DELETE => "$base/t/rows/$many[0]");
my $deleted = as($ann, DELETE => "$base/t/rows?n=gte.4")->{json}{deleted};
is $deleted, 2, 'rows are deleted by condition';
my @b = batches('t');
is join(' | ', map { "$_->{via} $_->{added} $_->{changed} $_->{deleted}" } @b),
	'api 0 0 2 | api 0 0 1 | api 0 1 0 | api 5 0 0 | api 1 0 0', 'each request is a batch, newest first';
is join(' ', map { $_->{by}{user_id} eq $ben->{id} ? 'ben' : 'ann' } @b), 'ann ann ben ben ann', '... of who made it';
is_deeply [sort keys %{$b[0]}], [qw(added at batch_id by changed deleted via)], '... with these members';
is_deeply [sort keys %{$b[0]{by}}], [qw(name user_id)], '... and these of who';
is scalar(grep { $_->{batch_id} =~ /^bat_[0-9a-z]{26}$/ } @b), 5, '... and an id';
is $db->selectrow_array('SELECT COUNT(*) FROM data_change'), 6, 'rows that are added together take one record';
whole('its bytes are counted');
my $r = as($ann, GET => "$base/t/history?limit=2");
is scalar @{$r->{json}{batches}}, 2, 'a part of the list';
is as($ann, GET => "$base/t/history?limit=3&cursor=$r->{json}{next_cursor}")->{json}{batches}[0]{batch_id}, $b[2]{batch_id},
	'... and the next';
is join(' ', map { $_->{batch_id} } batches('t', "?row=$many[1]")), $b[3]{batch_id}, 'the batches of a row that was added among others';
is join(' ', map { $_->{batch_id} } batches('t', "?row=$one")), join(' ', map { $_->{batch_id} } @b[2, 4]),
	'... and of one that was changed';
is scalar batches('t', '?via=job'), 0, 'by another way';
is scalar batches('t', '?since=' . (time + 100)), 0, 'since later';
refused(as($ann, GET => "$base/t/history?cursor=x"), '400 INVALID_REQUEST', qr/cursor/, 'a cursor of nothing');
refused(as($ann, GET => "$base/t/history?via=x"), '400 INVALID_REQUEST', qr/via/, 'a way that there is not');
ok as($ann, GET => "$base/t")->{json}{table}{history_since}, 'the table says since when';

my @c = changes($ann, t => $one);
is join(' | ', map { join ' ', $_->{action}, map { $_ ? "$_->{name}$_->{n}" : '-' } @$_{qw(before after)} } @c),
	'changed one1 one2 | added - one1',
	'the changes of a row';
is_deeply [sort keys %{$c[0]}], [qw(action after at batch_id before by via)], '... with these members';
@c = changes($ann, t => $many[4]);
is join(' | ', map { join ' ', $_->{action}, map { $_ ? "$_->{name}" : '-' } @$_{qw(before after)} } @c), 'deleted m5 - | added - m5',
	'... of a deleted one';
refused(as($ann, GET => "$base/t/rows/row_00000000000000000000000000/history"), '404 NOT_FOUND', qr/no row/, 'of a row that never was');
patch($ann, t => $one, n => $_) for 3 .. 9;
my ($n, $next, @seen) = 0;
do {
	my $page = as($ann, GET => "$base/t/rows/$one/history?limit=2" . (defined $next ? "&cursor=$next" : ''))->{json};
	push @seen, map { $_->{after}{n} } @{$page->{changes}};
	$next = $page->{next_cursor};
} while (defined $next && ++$n < 20);
is "@seen", '9 8 7 6 5 4 3 2 1', 'a long history in parts';

# ---- undo

table('u', 'name', 'n:integer');
my @u = add($ann, u => map { { name => "r$_", n => $_ } } 1 .. 4);
my $first = export('u');
as($ann, DELETE => "$base/u/rows?n=lte.3");
my ($gone) = batches('u');
is counts(undo($ann, u => $gone->{batch_id}, dry_run => $true)), '200 3 0', 'a dry run counts';
is scalar batches('u'), 2, '... and changes nothing';
$r = undo($ann, u => $gone->{batch_id});
is counts($r), '200 3 0', 'deleted rows come back';
is export('u'), $first, '... as they were, byte for byte';
my ($back) = batches('u');
is "$back->{via} $back->{added} $back->{changed} $back->{deleted}", 'undo 3 0 0', '... by a batch';
is $back->{batch_id}, $r->{json}{batch_id}, '... which the reply names';
is counts(undo($ann, u => $gone->{batch_id})), '200 0 3', 'once more: they are kept';
is counts(undo($ann, u => $back->{batch_id})), '200 3 0', 'undo of the undo';
is as($ann, GET => "$base/u")->{json}{table}{row_count}, 1, '... deletes them again';
my ($redo) = batches('u');
is counts(undo($ann, u => $redo->{batch_id})), '200 3 0', '... and once more';
is export('u'), $first, '... they are there';
whole('the bytes of all that are counted');
patch($ann, u => $u[0], n => 10);
my ($b1) = batches('u');
patch($ben, u => $u[0], name => 'by ben');
$r = undo($ann, u => $b1->{batch_id});
is counts($r), '200 0 1', 'a row that another changed since is kept';
is_deeply $r->{json}{kept_rows}, [$u[0]], '... and named';
is $r->{json}{batch_id}, undef, '... and no batch';
my ($b2) = batches('u');
is counts(undo($ann, u => $b2->{batch_id})), '200 1 0', 'first the later change';
is counts(undo($ann, u => $b1->{batch_id})), '200 0 1', '... by an undo, which is a change since as well';
refused(undo($ann, u => 'bat_01000000000000000000000000'), '409 CONFLICT', qr/doesn't go back/, 'a batch of before the history');
my $none = 'bat_' . substr($b2->{batch_id}, 4, 20) . '000000';
refused(undo($ann, u => $none), '404 NOT_FOUND', qr/no batch/, 'one that never was');
refused(undo($ann, u => 'x'), '400 INVALID_REQUEST', qr/batch_id/, 'no id');
patch($ann, t => $one, n => 10); # since u was made
refused(undo($ann, u => (batches('t'))[0]{batch_id}), '404 NOT_FOUND', qr/no batch/, 'one of another table');
# Added rows go, but those that others changed.
my @added = add($ann, u => map { { name => "a$_" } } 1 .. 3);
my ($adding) = batches('u');
patch($ben, u => $added[1], name => 'mine');
is counts(undo($ann, u => $adding->{batch_id})), '200 2 1', 'added rows go, but one';
is as($ann, GET => "$base/u/rows/$added[1]")->{json}{row}{name}, 'mine', '... that was changed';
is counts(undo($ann, u => $adding->{batch_id})), '200 0 1', '... also when it is undone again';

# ---- a row, a table

my ($was) = grep { $_->{action} eq 'changed' } changes($ann, u => $added[1]);
$r = as($ann, POST => "$base/u/rows/$added[1]/restore", { batch_id => $was->{batch_id} });
is "$r->{status} $r->{json}{row}{name}", '200 a2', 'a row as before a batch';
as($ann, DELETE => "$base/u/rows/$added[1]");
my ($going) = changes($ann, u => $added[1]);
$r = as($ann, POST => "$base/u/rows/$added[1]/restore", { batch_id => $going->{batch_id} });
is "$r->{status} $r->{json}{row}{id}", "200 $added[1]", 'a deleted row with its id';
refused(as($ann, POST => "$base/u/rows/$u[3]/restore", { batch_id => $going->{batch_id} }), '404 NOT_FOUND', qr/didn't change/,
	'a batch that did not change the row');
table('at', 'name');
my @at = add($ann, at => map { { name => "x$_" } } 1 .. 5);
$db->do('UPDATE data_change SET at = at - 100 WHERE history_no = (SELECT no FROM data_table WHERE name = "at")');
$db->do('UPDATE data_table SET created_at = created_at - 1000 WHERE name = "at"');
# However long the rest takes, it is later than this.
my $instant = time - 50;
my $then = export('at');
patch($ben, at => $at[0], name => 'y');
patch($ben, at => $at[0], name => 'z');
as($ann, DELETE => "$base/at/rows/$at[1]");
my ($more) = add($ben, at => { name => 'new' });
patch($ann, at => $more, name => 'newer');
my $now = export('at');
is counts(as($ann, POST => "$base/at/restore", { at => $instant, dry_run => $true })), '200 3 0', 'a table as it was: how many rows';
$r = as($ann, POST => "$base/at/restore", { at => $instant });
is counts($r), '200 3 0', '... all of them';
is export('at'), $then, '... byte for byte';
is counts(undo($ann, at => $r->{json}{batch_id})), '200 3 0', '... which can be undone';
is export('at'), $now, '... as well';
my @three = add($ann, at => map { { name => "three $_" } } 1 .. 3);
as($ann, DELETE => "$base/at/rows/$three[1]");
$r = as($ann, POST => "$base/at/restore", { at => $instant });
is counts($r), '200 5 0', 'of rows that were added together since, one is deleted again';
is export('at'), $then, '... and stays away';
undo($ann, at => $r->{json}{batch_id});
as($ann, DELETE => "$base/at/rows/$three[$_]") for 0, 2;
is export('at'), $now, '... as the others are now';
refused(as($ann, POST => "$base/at/restore", { at => time - 5000 }), '409 CONFLICT', qr/doesn't go back/, 'before the history begins');
refused(as($cat, POST => "$base/at/restore", { at => $instant }), '403 ACCESS_DENIED', qr/./, 'people without a role do not');
add($ann, at => map { { name => "k$_" } } 1 .. 900);
add($ann, at => map { { name => "l$_" } } 1 .. 900);
is counts(as($ann, POST => "$base/at/restore", { at => $instant, dry_run => $true })), '200 1803 0',
	'more than a thousand rows are counted';
$r = as($ann, POST => "$base/at/restore", { at => $instant });
is "$r->{status} $r->{json}{operation}{state} $r->{json}{operation}{kind}", '202 waiting restore', '... and restored by an operation';
my $longer = export('at');
$stack->runner;
my $op = as($ann, GET => "/v1/data/$art/operations/$r->{json}{operation}{id}")->{json}{operation};
is join(' ', map { $_ // '-' } @$op{qw(state done error)}), 'done 1803 -', '... which the runner does';
is export('at'), $then, '... byte for byte';
my ($undone) = batches('at');
is "$undone->{via} $undone->{changed} $undone->{deleted} $undone->{added} $undone->{by}{user_id}", "undo 1 1801 1 $ann->{id}",
	'... as one batch of who asked for it';
$r = undo($ann, at => $op->{batch_id});
is "$r->{status} $r->{json}{operation}{kind}", '202 undo', '... that can be undone';
$stack->runner;
is export('at'), $longer, '... as well';
# The runner is killed in the middle.
$op = as($ann, POST => "$base/at/restore", { at => $instant })->{json}{operation};
for my $after (0.1, 0.2, 0.3) {
	my $pid = fork // die;
	exec "$stack->{build}/vitrine-runner", '-c', "$stack->{dir}/vitrine.yaml", '--once' or die if !$pid;
	select undef, undef, undef, $after;
	kill KILL => $pid;
	waitpid $pid, 0;
	$db->do('UPDATE operation SET due_at = 1 WHERE due_at IS NOT NULL');
}
$stack->runner;
$op = as($ann, GET => "/v1/data/$art/operations/$op->{id}")->{json}{operation};
is "$op->{state} $op->{done}", 'done 1803', 'a killed runner goes on';
is export('at'), $then, '... to the same rows';
whole('the bytes of all that, too');

# ---- rules

sub policy {
	my ($p) = @_;
	$db->do('UPDATE artifact SET access_policy = ? WHERE id = ?', undef, $p && encode_json($p), $art);
}
policy({ tables => { own => {
	read => 'row.owner == viewer.email', write => 'row.owner == viewer.email' } } });
table('own', 'owner', 'text');
my ($bens) = add($ben, own => { owner => 'ben@example.org', text => 'secret' });
patch($ben, own => $bens, text => 'more');
my ($his) = batches('own');
refused(as($ben, GET => "$base/own/history"), '403 ACCESS_DENIED', qr/may read all rows/,
	'who reads some rows sees no history of the table');
is join(' ', map { $_->{action} } changes($ben, own => $bens)), 'changed added', '... but of their rows';
is changes($ben, own => $bens) && (changes($ben, own => $bens))[0]{by}{user_id}, $ben->{id}, '... and who did it, for who has a role';
is scalar changes($cat, own => $bens), 0, 'others see none';
patch($ann, own => $bens, owner => 'cat@example.org');
@c = changes($cat, own => $bens);
is join(' | ', map { join ' ', $_->{action}, map { $_ ? $_->{text} : '-' } @$_{qw(before after)} } @c), 'changed - more',
	'who sees a row only now reads none of its earlier states';
is $c[0]{by}, undef, '... nor by whom, without a role';
refused(as($cat, POST => "$base/own/rows/$bens/restore", { batch_id => $his->{batch_id} }), '403 ACCESS_DENIED', qr/./,
	'... nor brings them back');
refused(as($cat, POST => "$base/own/undo", { batch_id => $his->{batch_id} }), '403 ACCESS_DENIED', qr/may read all rows/,
	'nor undoes what others did');
my ($cats) = add($cat, own => { owner => 'cat@example.org', text => 'a' });
patch($cat, own => $cats, text => 'b');
my ($hers) = batches('own');
is counts(undo($cat, own => $hers->{batch_id})), '200 1 0', '... but what they did';
policy({ tables => { own => { read => 'true', write => 'false' } } });
refused(undo($ben, own => (batches('own'))[0]{batch_id}), '403 ACCESS_DENIED', qr/doesn't let you|You can't/,
	'a rule against writing holds for undo');
policy(undef);

# ---- of columns that were renamed

table('renamed', 'a', 'n:integer');
add($ann, renamed => map { { a => "v$_", n => $_ } } 1 .. 3);
sub rename_to {
	my ($from, $to) = @_;
	my $got = as($ann, PUT => "$base/renamed", { columns => cols($to, 'n:integer'), renames => { $from => $to } });
	return $got->{status} == 200 || diag $got->{body};
}
rename_to(a => 'b');
$db->do('UPDATE data_change SET at = at - 100 WHERE history_no = (SELECT no FROM data_table WHERE name = "renamed")');
$db->do('UPDATE data_table SET created_at = created_at - 1000 WHERE name = "renamed"');
$instant = time - 50;
my $filled = export('renamed');
for my $to (qw(c d)) {
	as($ann, DELETE => "$base/renamed/rows?all=1");
	my ($emptying) = batches('renamed');
	as($ann, PUT => "$base/renamed", { columns => [{ name => 'b', type => 'text', hidden => $true }, @{cols('n:integer')}] });
	rename_to(b => $to);
	my $expected = $filled =~ s/"b":/"$to":/gr;
	my $again = $to eq 'c' ? undo($ann, renamed => $emptying->{batch_id})
		: as($ann, POST => "$base/renamed/restore", { at => $instant });
	is counts($again), '200 3 0', 'a table is emptied, gets another shape, and is ' . ($to eq 'c' ? 'filled by undo' : 'restored');
	is export('renamed'), $expected, '... with the values of renamed columns';
	rename_to($to => 'b');
}

# ---- of other tenants

my $other = $api->publish($eve, slug => 'other', visibility => 'private');
my $there = "/v1/data/$other/tables/t";
as($eve, PUT => $there, { columns => cols('name') });
as($eve, POST => "$there/rows", { rows => [{ name => 'x' }] });
my $eves = as($eve, GET => "$there/history")->{json}{batches}[0]{batch_id};
refused(undo($ann, t => $eves), '404 NOT_FOUND', qr/no batch/, 'a batch of another artifact');
refused(as($ann, GET => "$there/history"), '404 NOT_FOUND', qr/./, 'the history of a hidden artifact');
refused(as($ann, POST => "$there/undo", { batch_id => $eves }), '404 NOT_FOUND', qr/./, '... and its undo');

# ---- columns that came and went

table('c', 'a', 'b');
my ($c) = add($ann, c => { a => 'x', b => 'y' });
as($ann, DELETE => "$base/c/rows/$c");
my ($away) = batches('c');
as($ann, PUT => "$base/c", { columns => cols('a', 'new:integer'), drop => ['b'] })->{status} == 200 or die;
is counts(undo($ann, c => $away->{batch_id})), '200 1 0', 'a row of other columns comes back';
is as($ann, GET => "$base/c/rows/$c")->{body}, qq({"success":true,"row":{"id":"$c","a":"x","new":null}}), '... with those of now';

table('typed', 'a', 'b');
my ($t1, $t2) = add($ann, typed => { a => '1', b => 'x' }, { a => 'two', b => 'y' });
patch($ann, typed => $t1, b => 'z');
as($ann, DELETE => "$base/typed/rows/$t2");
as($ann, POST => "$base/typed/retype", { column => 'a', type => 'integer' })->{status} == 200 or die;
is join(' ', map { $_->{before} ? $_->{before}{a} : '-' } changes($ann, typed => $t1)), '1 -', 'a state of before a type changed';
is counts(undo($ann, typed => $_->{batch_id})), '200 1 0', '... comes back' for (batches('typed'))[0, 1];
is_deeply [map { [@$_{qw(a b)}] } @{as($ann, GET => "$base/typed/rows")->{json}{rows}}], [[1, 'x'], [undef, 'y']],
	'... and what does not fit is null';

# ---- indexes

table('i', 'name', 'n:integer');
$db->do('UPDATE data_table SET indexed = -1 WHERE name = "i"');
my @i = add($ann, i => map { { name => "i$_", n => $_ } } 1 .. 20);
as($ann, DELETE => "$base/i/rows?n=gt.10");
my ($half) = batches('i');
patch($ann, i => $i[0], n => 99);
my ($ninth) = batches('i');
is counts(undo($ann, i => $_->{batch_id})), $_ == $half ? '200 10 0' : '200 1 0', 'undo in a table with indexes' for $half, $ninth;
is scalar @{as($ann, GET => "$base/i/rows?n=lte.20&order=-n")->{json}{rows}}, 20, '... whose lists find the rows';
is $stack->ctl('fsck') =~ /table/ ? 1 : 0, 0, '... and fsck nothing wrong';

# ---- races

table('race', 'n:integer');
my @r = add($ann, race => map { { n => $_ } } 1 .. 100);
as($ann, DELETE => "$base/race/rows?all=1");
my ($all) = batches('race');
my @kids = map {
	my $pid = fork // die;
	if (!$pid) {
		my $out = Vitrine::Api->new($stack)->call(POST => "$base/race/undo",
			{ token => $ann->{token}, json => { batch_id => $all->{batch_id} } });
		require POSIX;
		POSIX::_exit($out->{status} == 200 ? 0 : 1);
	}
	$pid;
} 1 .. 4;
my $bad = 0;
waitpid($_, 0), $bad += $? != 0 for @kids;
is $bad, 0, 'four undo the same at once';
is as($ann, GET => "$base/race")->{json}{table}{row_count}, 100, '... and each row is there once';
whole('... and counted');

# ---- what is trimmed

my $no = $db->selectrow_array('SELECT no FROM data_table WHERE name = "u"');
my @of_u = batches('u');
$db->do('UPDATE data_change SET at = at - 2700000 WHERE history_no = ? ORDER BY batch LIMIT 1', undef, $no);
$db->do('UPDATE data_table SET trim_at = 1 WHERE no = ?', undef, $no);
$stack->runner;
is scalar batches('u'), @of_u - 1, 'what is older than 30 days goes';
whole('... and from the count');
isnt $db->selectrow_array('SELECT trim_at FROM data_table WHERE no = ?', undef, $no), 1, '... and the next is later';
my $began = time;
table('big', 'text');
my ($big) = add($ann, big => { text => 'x' x 16000 });
patch($ann, big => $big, text => substr($_, -1) x 16000) for 1 .. 20;
$no = $db->selectrow_array('SELECT no FROM data_table WHERE name = "big"');
$db->do('UPDATE data_change SET batch = UNHEX(CONCAT(LPAD(HEX((at - 100 + rev) * 1000), 12, "0"), SUBSTR(HEX(batch), 13))), '
	. 'at = at - 100 + rev '
	. 'WHERE history_no = ?', undef, $no);
$db->do('INSERT INTO data_change SELECT history_no, row_id, rev + 2000 * s.seq, batch, at, user_id, via, act, last_id, n, shape_no, doc '
	. 'FROM data_change JOIN seq_1_to_60 s WHERE history_no = ? AND rev >= 0', undef, $no);
$db->do('UPDATE data_table SET history_bytes = (SELECT SUM(200 + COALESCE(LENGTH(doc), 0)) FROM data_change WHERE history_no = no), '
	. 'history_since = 0, created_at = 0 WHERE no = ?', undef, $no);
patch($ann, big => $big, text => 'last');
ok $db->selectrow_array('SELECT trim_at <= UNIX_TIMESTAMP() FROM data_table WHERE no = ?', undef, $no),
	'a change beyond the bound makes it due';
$stack->runner;
ok $db->selectrow_array('SELECT history_bytes <= 16777216 FROM data_table WHERE no = ?', undef, $no),
	'10,000 changes of 16 KiB stay within the bound';
whole('... as counted');
ok as($ann, GET => "$base/big")->{json}{table}{history_since} > $began - 200, '... and the table says since when';
ok scalar(@{[batches('big')]}) > 0, '... the newest are there';

table('emptied', 'text');
add($ann, emptied => map { { text => 'x' x 16000 } } 1 .. 180) for 1 .. 2;
$no = $db->selectrow_array('SELECT no FROM data_table WHERE name = "emptied"');
is as($ann, DELETE => "$base/emptied/rows?all=1")->{json}{deleted}, 360, 'a large table is emptied';
# Others' changes of the same size.
$db->do('INSERT INTO data_change SELECT history_no, row_id, rev + 2000 * s.seq, batch, at, user_id, via, act, last_id, n, shape_no, doc '
	. 'FROM data_change JOIN seq_1_to_2 s WHERE history_no = ? AND rev >= 0', undef, $no);
$db->do('UPDATE data_table SET history_bytes = (SELECT SUM(200 + COALESCE(LENGTH(doc), 0)) FROM data_change WHERE history_no = no), '
	. 'trim_at = 1 WHERE no = ?', undef, $no);
$stack->runner;
ok $db->selectrow_array('SELECT history_bytes > 16777216 AND size_bytes = 0 FROM data_table WHERE no = ?', undef, $no),
	'... and keeps the history that it had room for';
$db->do('UPDATE data_table SET size_most_at = ? WHERE no = ?', undef, time - 31 * 86400, $no);
add($ann, emptied => { text => 'y' });
$stack->runner;
ok $db->selectrow_array('SELECT history_bytes <= 16777216 FROM data_table WHERE no = ?', undef, $no), '... for 30 days';

# ---- deleted tables

sub deleted { return @{as($ann, GET => "/v1/data/$art/deleted")->{json}{deleted}} }
my $used = sub { return $db->selectrow_array('SELECT bytes FROM artifact_storage WHERE artifact_id = ?', undef, $art) };
my ($bytes, $text) = ($used->(), export('i'));
is as($ann, DELETE => "$base/i")->{status}, 200, 'a table is deleted';
$stack->runner;
my ($del) = deleted();
is "$del->{kind} $del->{table} $del->{row_count} $del->{by}{user_id}", "table i 20 $ann->{id}", '... and listed';
is_deeply [sort keys %$del], [qw(by column deleted_at id kind row_count size_bytes table until)], '... with these members';
cmp_ok $used->(), '<', $bytes, '... and not charged';
refused(as($cat, GET => "/v1/data/$art/deleted"), '403 ACCESS_DENIED', qr/./, '... for editors');
table('i', 'other');
refused(as($ann, POST => "/v1/data/$art/deleted/$del->{id}/restore", {}), '409 CONFLICT', qr/^name: there is another table i/,
	'its name is taken');
refused(as($ann, POST => "/v1/data/$art/deleted/$del->{id}/restore", { name => '1 x' }), '400 INVALID_REQUEST', qr/^name: must/, 'no name');
$r = as($ann, POST => "/v1/data/$art/deleted/$del->{id}/restore", { name => 'j' });
is "$r->{status} $r->{json}{table}{name} $r->{json}{table}{row_count}", '200 j 20', 'it comes back under another';
is export('j'), $text, '... with its rows';
is $used->(), $bytes, '... which count again';
is counts(undo($ann, j => (batches('j'))[0]{batch_id})), '200 1 0', '... and with its history';
is scalar(deleted()), 0, '... and is not listed anymore';
refused(as($ann, POST => "/v1/data/$art/deleted/$del->{id}/restore", {}), '404 NOT_FOUND', qr/nothing deleted/, 'once');
refused(as($eve, POST => "/v1/data/$other/deleted/$del->{id}/restore", {}), '404 NOT_FOUND', qr/nothing deleted/, 'nor elsewhere');
for (1 .. 22) { table("d$_", 'a'); as($ann, DELETE => "$base/d$_") }
is join(' ', map { $_->{table} } (deleted())[0, 19]), 'd22 d3', 'an artifact keeps the last twenty';
is scalar(deleted()), 20, '... and no more';
$db->do('UPDATE data_deleted SET deleted_at = deleted_at - 2700000 WHERE name = "d22"');
$db->do('UPDATE data_table SET sweep_at = 1 WHERE name = "d22"');
is scalar(deleted()), 19, 'what was deleted 30 days ago is not listed';
$stack->runner;
is $db->selectrow_array('SELECT COUNT(*) FROM data_table WHERE name IN ("d1", "d2", "d22")'), 0, '... and the runner deletes it';
is $db->selectrow_array('SELECT COUNT(*) FROM data_deleted WHERE name = "d22"'), 0, '... for good';

# ---- dropped columns

sub columns { my ($name, $columns, %with) = @_; return as($ann, PUT => "$base/$name", { columns => cols(@$columns), %with }) }
sub back { my ($del, %with) = @_; return as($ann, POST => "/v1/data/$art/deleted/$del->{id}/restore", \%with) }
sub dropped { return grep { $_->{kind} eq 'column' } deleted() }
sub values_of { my ($name, @of) = @_; return join ' ', map { my $row = $_; join ',', map { $row->{$_} // '-' } @of }
	@{as($ann, GET => "$base/$name/rows?order=n")->{json}{rows}} }
table('goods', 'name', 'n:integer', 'price:number');
my @goods = add($ann, goods => map { { name => "c$_", n => $_, price => "$_.50" + 0 } } 1 .. 6);
my $docs = sub { return $db->selectcol_arrayref('SELECT CONCAT(HEX(id), rev, doc) FROM data_row WHERE table_no = '
	. '(SELECT no FROM data_table WHERE name = "goods" AND artifact_id = ?) ORDER BY id', undef, $art) };
patch($ben, goods => $goods[1], price => 77.25);
my ($raised) = batches('goods');
my $before = $docs->();
is columns(goods => ['name', 'n:integer'], drop => ['price'])->{status}, 200, 'a column is dropped';
is_deeply $docs->(), $before, '... and no row is written';
my ($price) = dropped();
is join(' ', map { $_ // '-' } @$price{qw(kind table column row_count size_bytes)}, $price->{by}{user_id}),
	"column goods price - - $ann->{id}", '... and listed';
patch($ann, goods => $goods[0], name => 'changed');
is as($ann, PATCH => "$base/goods/rows?n=gte.5", { name => 'both' })->{json}{changed}, 2, 'rows change meanwhile, one and several';
my ($several) = batches('goods');
as($ann, DELETE => "$base/goods/rows/$goods[2]");
my ($deletion) = batches('goods');
add($ann, goods => { name => 'new', n => 7 });
for (['rows', "$base/goods/rows?where=" . '{"or":[["name","contains","goods"],["n","gt",0]]}'], ['a row', "$base/goods/rows/$goods[0]"],
	['an export', "$base/goods/export?format=ndjson"], ['a sheet', "$base/goods/export"], ['the table', "$base/goods"],
	['a summary', "$base/goods/summary?group=name"],
	['a row\'s history', "$base/goods/rows/$goods[0]/history"], ['another\'s', "$base/goods/rows/$goods[1]/history"]) {
	my $got = as($ann, GET => $_->[1]);
	is $got->{status}, 200, "$_->[0] can be read" or diag $got->{body};
	unlike $got->{body}, qr/price|~2|\b[1-6]\.5|77\.25/, '... and tells nothing of it';
}
refused(as($ann, GET => "$base/goods/rows?$_"), '400 INVALID_REQUEST', qr/./, "no list by $_") for 'price=gt.1', 'order=~2', '~2=gt.1';
refused(as($ann, PATCH => "$base/goods/rows/$goods[0]", { '~2' => 1 }), '400 INVALID_REQUEST', qr/no such column/, 'nor writing it');
refused(columns(goods => ['name', 'n:integer', 'x:number'], renames => { '~2' => 'x' }), '400 INVALID_REQUEST', qr/no such column/,
	'nor a rename');
is counts(undo($ann, goods => $deletion->{batch_id})), '200 1 0', 'a deleted row comes back';
is counts(undo($ann, goods => $raised->{batch_id})), '200 1 0', '... and one becomes what it was before the drop';
is counts(undo($ann, goods => $several->{batch_id})), '200 2 0', '... and two before a later change';
is as($ann, POST => "$base/goods/retype", { column => 'name', type => 'choice' })->{status}, 200, 'another column gets another type';
my @have = @{as($ann, GET => "$base/goods")->{json}{table}{columns}};
is as($ann, PUT => "$base/goods", { columns => [@have, { name => 'price', type => 'text' }] })->{status}, 200,
	'another column gets the name';
refused(back($price), '409 CONFLICT', qr/^name: there is another column price now; send another name/, 'its name is taken');
refused(back($price, name => '1 x'), '400 INVALID_REQUEST', qr/^name: must/, 'no name');
refused(as($eve, POST => "/v1/data/$other/deleted/$price->{id}/restore", {}), '404 NOT_FOUND', qr/nothing deleted/, 'nor elsewhere');
$r = back($price, name => 'cost');
is "$r->{status} " . join(',', map { "$_->{name}:$_->{type}" } @{$r->{json}{table}{columns}}),
	'200 name:choice,n:integer,price:text,cost:number', 'it comes back under another';
is values_of('goods', qw(n cost price)), '1,1.5,- 2,2.5,- 3,3.5,- 4,4.5,- 5,5.5,- 6,6.5,- 7,-,-',
	'... with the values of changed rows, too';
is scalar(@{as($ann, GET => "$base/goods/rows?cost=gte.3&order=-cost")->{json}{rows}}), 4, '... by which rows are found';
is as($ann, GET => "$base/goods/summary?measure=sum.cost")->{json}{groups}[0]{values}[0] + 0, 24, '... and added up';
is join(' ', map { $_->{after}{cost} // '-' } changes($ann, goods => $goods[1])), '2.5 77.25 2.5', '... and with its history';
is scalar(dropped()), 0, '... and is not listed anymore';
patch($ann, goods => $goods[0], cost => 9);
is values_of('goods', 'cost') =~ s/ .*//r, 9, '... and can be changed';
refused(back($price), '404 NOT_FOUND', qr/nothing deleted/, 'once');
is +($stack->program('vitrinectl', {}, 'fsck'))[1], "clean\n", 'fsck is clean';

is as($ann, PUT => "$base/keyed", { columns => cols('k', 'n:integer'), key => 'k', rows => [map { { k => "k$_", n => $_ } } 1 .. 3] })
	->{status}, 201, 'a table with a key';
columns(keyed => ['n:integer'], drop => ['k']);
add($ann, keyed => { n => 9 });
is back(dropped())->{json}{table}{key}, 'k', 'a column that was the key is it again';
refused(as($ann, POST => "$base/keyed/rows", { rows => [{ k => 'k2' }] }), '409 CONFLICT', qr/values of the key must differ/,
	'... for all rows');
columns(keyed => ['n:integer'], drop => ['k']);
$db->do('UPDATE data_row SET c0 = CONCAT(0x40, "k1") WHERE c0 = CONCAT(0x40, "k3")');
refused(back(dropped()), '409 CONFLICT', qr/^key: k: another row of keyed has .*must differ/, '... unless two rows have one value');
$db->do('UPDATE data_row SET c0 = CONCAT(0x40, "k3") WHERE c0 = CONCAT(0x40, "k1") AND doc LIKE "%k3%"');
as($ann, DELETE => "$base/keyed");
is scalar(dropped()), 0, 'of a deleted table no column is listed';
is back((deleted())[0])->{status}, 200, '... until that is back';
is scalar(dropped()), 1, '... and then it is';

my @wide = map { "w$_" } 1 .. 64;
table('wide', @wide);
add($ann, wide => { w1 => 'x', w64 => 'y' });
is columns(wide => [@wide[0 .. 62]], drop => ['w64'])->{status}, 200, 'one of the most columns is dropped';
refused(columns(wide => [@wide[0 .. 62], 'z']), '409 CONFLICT', qr/no room for z beside 1 dropped column that can come back; .*send DELETE/,
	'... whose place is taken as long as it can come back');
my ($w) = dropped();
refused(as($cat, DELETE => "/v1/data/$art/deleted/$w->{id}"), '403 ACCESS_DENIED', qr/./, '... and only editors');
is as($ann, DELETE => "/v1/data/$art/deleted/$w->{id}")->{status}, 200, '... end that';
refused(back($w), '404 NOT_FOUND', qr/nothing deleted/, '... for good');
$stack->runner;
is columns(wide => [@wide[0 .. 62], 'w64'])->{status}, 200, '... and the runner makes room';
is_deeply [map { $_->{w64} } @{as($ann, GET => "$base/wide/rows")->{json}{rows}}], [undef], '... without the values';
is $db->selectrow_array('SELECT COUNT(*) FROM data_row WHERE c63 IS NOT NULL'), 0, '... or their keys';

columns(wide => ['w1'], drop => [@wide[1 .. 63]]);
is join(' ', map { $_->{column} } dropped()) =~ tr/ //, 19, 'twenty columns are kept';
($w) = grep { $_->{column} eq 'w64' } dropped();
$db->do('UPDATE data_deleted SET deleted_at = deleted_at - 2600000 WHERE id = ?', undef, $w->{id});
refused(back($w), '404 NOT_FOUND', qr/nothing deleted/, 'not after 30 days');
$db->do('UPDATE data_table SET sweep_at = 1, held_by = "opr_x" WHERE name = "wide"');
$stack->runner;
my $state = sub { return join ' ', $db->selectrow_array('SELECT shape_no, dropped, JSON_LENGTH(kept), '
	. 'sweep_at - (SELECT MIN(deleted_at) FROM data_deleted d WHERE d.table_no = no AND slot IS NOT NULL) '
	. 'FROM data_table WHERE name = "wide"') };
like $state->(), qr/^\d 0 63 /, 'while an operation holds the table, all stays';
$db->do('UPDATE data_table SET sweep_at = 1, held_by = NULL WHERE name = "wide"');
$stack->runner for 1 .. 2;
like $state->(), qr/^\d 0 19 2592000$/, 'then what ended is swept, and the runner waits for the next';
is columns(wide => [@wide[0 .. 40]])->{status}, 200, '... and there is room';
is +($stack->program('vitrinectl', {}, 'fsck'))[1], "clean\n", 'fsck is clean';

as($ann, DELETE => "/v1/artifacts/$art");
$db->do('UPDATE artifact SET deleted_at = 1 WHERE id = ?', undef, $art);
$stack->runner for 1 .. 3;
is $db->selectrow_array("SELECT COUNT(*) FROM $_"), $_ eq 'data_change' ? 1 : $_ eq 'data_deleted' ? 0 : 1, "a purge takes $_ along"
	for qw(data_change data_deleted data_table data_row);
finish($stack);
