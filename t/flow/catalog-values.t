# SPDX-License-Identifier: Apache-2.0
# What an entry's page tells of the values of its table: of the newest rows that its reader may see, so many and no more, in words.
use utf8;
use Vitrine::Counted;
use Vitrine::Visitor;
use Vitrine::Words 'as';

my ($stack, $api, $db) = stack(publish_per_hour => 1000);
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben cid);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for keys %user;
sub done { my $r = as(@_); $r->{status} =~ /^2/ or BAIL_OUT("@_[1, 2]: $r->{body}"); return $r->{json} }
my $ws = done(ann => POST => '/v1/workspaces', { name => 'Team' })->{workspace}{id};
$stack->seat($ws, $user{$_}, 'member') for qw(ben cid);
done(ann => PATCH => "/v1/workspaces/$ws", { settings => { member_access => 'none' } });
done(ann => POST => "/v1/workspaces/$ws/catalog/enable", { enabled => $true });
my %rule = (own => { read => "row.who == viewer.email" }, shut => { read => "viewer.role == 'owner'" });
my $art = $api->publish($user{ann}, slug => 'sales', name => 'Sales', visibility => 'private', workspace_id => $ws,
	access_policy => { tables => \%rule });
done(ann => POST => "/v1/artifacts/$art/collaborators", { emails => ['ben@example.org'], role => 'viewer' });
my %visitor = map { my $v = Vitrine::Visitor->new($api); $v->sign_in("$_\@example.org", 'the password'); ($_ => $v) } keys %user;
sub table {
	my ($name, $columns, @rows) = @_;
	done(ann => PUT => "/v1/data/$art/tables/$name",
		{ columns => [map { my ($n, $t) = split /:/; { name => $n, type => $t } } @$columns] });
	add($name, @rows);
	return done(ann => PUT => "/v1/workspaces/$ws/catalog/files", { path => "$name.md",
		content => "---\nkind: dataset\nsource: {artifact: sales, table: $name}\ncolumns: [{name: gone}]\n---\n" })->{entry}{id};
}
sub add {
	my ($name, @rows) = @_;
	while (my @some = splice @rows, 0, 1000) { done(ann => POST => "/v1/data/$art/tables/$name/rows", { rows => \@some }) }
}
# What stands in the columns' table: name => values, as text with a bar between the lines of a cell; and the sentence below it.
sub values_of {
	my ($who, $entry) = @_;
	my $text = $visitor{$who}->go("/w/$ws/catalog/$entry")->{text};
	my ($table, $below) = $text
			=~ m{<section class="panel"><div class="head"><h2>Columns.*?<tbody>(.*?)</tbody></table></div>(.*?)</section>}s
		or return {};
	my %of;
	for my $line (split /^/m, $table) {
		my ($name) = $line =~ /<th [^>]*>(.*?)<\/th>/ or next;
		my ($holds) = $line =~ /<td class="holds">(.*)<\/td><\/tr>/;
		$of{$name} = defined $holds ? join('|', grep { $_ ne '' } split /<\/?small>/, $holds) : undef;
	}
	$of{-below} = $below =~ s/<[^>]+>|\n//gr;
	return \%of;
}

# ---- each type, all rows

my @all = map {
	{ no => $_, price => $_ % 2 ? "-4120.50" + 0 : 88300, at => sprintf('2024-03-%02dT10:00:00+02:00', $_),
		status => $_ < 7 ? 'paid' : $_ < 9 ? 'open' : 'sent', paid => $_ < 4 ? $true : $_ < 5 ? $false : undef, name => "n$_",
		one => 'x', year => 2024, note => undef, data => { a => $_ % 3 }, long => 'y' x 50, blank => $_ < 6 ? '' : undef }
} 1 .. 10;
my $all = table(all => [qw(no:integer price:number at:timestamp status:text paid:boolean name:text one:text year:integer note:text data:json
	long:text blank:text)], @all);
is_deeply values_of(ann => $all), { no => '1 to 10', price => '−4,120.5 to 88,300|−4,120.5 50%, 88,300 50%',
	at => '2024-03-01 to 2024-03-10', status => '3 different|paid 60%, open 20%, sent 20%', paid => 'true 30%, false 10%|6 empty',
	name => 'All different', one => 'Always x', year => 'Always 2024', note => 'Always empty', data => '3 different',
	long => 'Always ' . 'y' x 40 . '…', blank => 'Always “”|5 empty', gone => '', -below => '' },
		'ranges, the most frequent, how many differ, what is empty; of all rows, which needs no word'
	or diag explain values_of(ann => $all);
my $none = table(none => ['a:text']);
is_deeply values_of(ann => $none), { a => undef, gone => undef, -below => '' }, 'without rows there is no such column';
my $odd = table(odd => [qw(big:integer tiny:number text:text)], { big => 1, tiny => 1e-7, text => '<b>&"' },
	{ big => 1234567890123456789, tiny => 2, text => "two\nlines" });
is_deeply values_of(ann => $odd), { big => '1 to 1,234,567,890,123,456,789', tiny => '1e-07 to 2', text => 'All different', gone => '',
	-below => '' }, 'numbers as they were sent' or diag explain values_of(ann => $odd);
add(odd => map { { text => '<b>&"' } } 1 .. 2);
is values_of(ann => $odd)->{text}, '2 different|&lt;b&gt;&amp;&quot; 75%, two lines 25%', '... and values are text';

# ---- whose rows

my $own = table(own => [qw(who:text amount:integer secret:text)],
	(map { { who => 'ben@example.org', amount => $_, secret => 'mine' } } 1 .. 3),
	(map { { who => 'cid@example.org', amount => 100 * $_, secret => 'whisper' } } 1 .. 40));
is values_of(ann => $own)->{amount}, '1 to 4000', 'the owner is told of all rows';
is_deeply values_of(ben => $own), { who => 'Always ben@example.org', amount => '1 to 3', secret => 'Always mine', gone => '',
	-below => 'Values are of the rows that you can see.' }, 'whom a rule gives some rows, of these, which is said';
unlike $visitor{ben}{page}{text}, qr{whisper|cid\@|4,?000|(?<!:)\b(?:43|40)\b}, '... and of nothing else';
my $shut = table(shut => ['a:text'], { a => 'whisper' });
is values_of(ann => $shut)->{a}, 'Always whisper', 'the owner sees a table';
is $visitor{ben}->go("/w/$ws/catalog/$shut")->{status}, 404, '... which others may not read: no entry, no values';
is $visitor{cid}->go("/w/$ws/catalog/$all")->{status}, 404, 'nor has one a page for whom the artifact is hidden';
done(ann => POST => "/v1/artifacts/$art/collaborators", { emails => ['cid@example.org'], role => 'viewer' });
is values_of(cid => $own)->{amount}, '100 to 4000', 'the rule is asked for each';
$db->do("DELETE FROM collaborator WHERE user_id = ?", undef, $user{cid}{id});
is $visitor{cid}->go("/w/$ws/catalog/$own")->{status}, 404, '... when the page is made';

# ---- so many rows, and no more

my $large = table(large => [qw(n:integer half:boolean seldom:text)], (map { { n => -$_ } } 1 .. 500),
	(map { { n => $_, half => $_ % 2 ? $true : $false, seldom => $_ == 900 ? 'x' : undef } } 1 .. 1000));
is_deeply values_of(ann => $large), { n => '1 to 1000', half => 'false 50%, true 50%', seldom => 'Always x|over 99% empty', gone => '',
		-below => 'Values are of the newest 1,000 rows.' }, 'of a large table, the newest thousand, which is said'
	or diag explain values_of(ann => $large);
Vitrine::Counted::still($stack);
sub handled { my $n = 0; $n += $_->[1] for @{$db->selectall_arrayref("SHOW GLOBAL STATUS LIKE 'Handler\\_read\\_%'")}; return $n }
sub rows_read {
	Vitrine::Counted::settled($db);
	my $before = handled();
	$visitor{ann}->go("/w/$ws/catalog/$large");
	return handled() - $before;
}
my $few = (map { rows_read() } 1 .. 3)[-1];
add(large => map { { n => $_ } } 1 .. 8000);
my $many = (map { rows_read() } 1 .. 3)[-1];
is values_of(ann => $large)->{n}, '7001 to 8000', '... whichever these are';
cmp_ok $many, '<', $few + 200, 'eight thousand more rows are not read' or diag "$few, $many";
my $wide = table(wide => ['t:text'], map { { t => sprintf('%04d', $_) . 'z' x 15000 } } 1 .. 250);
add(wide => map { { t => sprintf('%04d', $_) . 'z' x 15000 } } 251 .. 400);
is values_of(ann => $wide)->{-below}, 'Values are of the newest 250 rows.', 'rows that are large are fewer';
done(ann => DELETE => "/v1/data/$art/tables/large");
is_deeply values_of(ann => $large), { gone => undef, -below => '' }, 'a table that is gone has no values';
finish($stack);
