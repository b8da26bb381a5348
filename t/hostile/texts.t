# SPDX-License-Identifier: Apache-2.0
# The worst texts that limits allow, of each noun whose texts are read after the reply or by the runner: what they take is counted, others'
# things are found, fsck ends, and all can be deleted. What is too long all the same is put off, and named.
use utf8;
use IO::Socket::UNIX;
use Vitrine::Counted;
use Vitrine::World;
use Vitrine::Words qw(as said);

my ($stack, $api, $db) = stack(Vitrine::World::unlimited(), workers => 4, runner_statement_s => 1);
my ($bad, $ann, $ben) = map { $stack->user("$_\@example.org") } qw(bad ann ben);
my $ws = as($bad, POST => '/v1/workspaces', { name => 'Bad' })->{json}{workspace}{id};
$db->do('UPDATE workspace SET features_on = 63, catalog = TRUE WHERE id = ?', undef, $ws);
my $at = "/v1/workspaces/$ws/knowledge";
use constant NOTE => 256 << 10;
sub filled {
	my ($piece, $bytes) = @_;
	utf8::encode($piece);
	return substr $piece x ($bytes / length($piece) + 1), 0, $bytes - $bytes % length $piece;
}
sub put { my ($path, $text) = @_; return as($bad, PUT => "$at/files/$path", type => 'text/markdown', body => $text) }
sub rows {
	my %n = map { @$_ } @{$db->selectall_arrayref("SHOW GLOBAL STATUS LIKE 'Handler\\_%'")};
	return $n{Handler_write} + $n{Handler_update} + $n{Handler_delete};
}
# Statements and rows of what is done until its words are kept.
sub costs {
	my ($name, $work) = @_;
	Vitrine::Counted::settled($db);
	my $before = rows();
	my ($r, $count) = Vitrine::Counted::counted($db, $work);
	my ($n) = $count =~ /execute=(\d+)/;
	like said($r), qr/^20/, $name or diag substr $r->{body}, 0, 300;
	cmp_ok $n, '<', 150, '... takes few statements';
	cmp_ok rows() - $before, '<', 40000, '... and few rows';
	is $db->selectrow_array('SELECT COUNT(*) FROM search_due'), 0, '... and is done with';
}
Vitrine::Counted::still($stack);

# ---- notes

my $words = join ' ', map { sprintf 'w%05d', $_ } 1 .. NOTE / 7;
my %worst = (links => filled('[[a/b]] ', NOTE), bars => filled('[[a|', NOTE), quotes => filled('> ', NOTE),
	table => ('a|' x 2400) . "\n" . ('-|' x 2400) . "\n" . ("a\n" x 4700),
	words => $words, marks => 'a' . filled("\x{301}\x{316}", NOTE - 2), dense => filled('東京', NOTE),
	addresses => filled('a@b.c.', NOTE), parens => 'http://a.b/' . (')' x (NOTE - 20)),
	others => join("\n", map { "[[n/$_]]" } 1 .. 1000));
for my $name (sort keys %worst) { costs("the note $name", sub { put("$name.md", $worst{$name}) }) }
is put("links-$_.md", $worst{links})->{status}, 201, 'notes of nothing but links' for 1, 2;
Vitrine::Counted::settled($db);
for my $name (sort keys %worst) {
	ok scalar(grep {
		($_->{subtitle} // '') =~ /\b\Q$name\E\.md$/;
	} @{as($bad, GET => "/v1/search?q=$name&groups=pages")->{json}{results}}), "$name is found";
	my $r = as($bad, GET => "$at/files/$name.md");
	is $r->{status}, 200, '... and read';
}
is as($bad, GET => '/v1/search?q=w00017')->{status}, 200, 'what stands in one is found';

# ---- the catalog, titles, page texts

costs("an entry of nothing but $_->[0]", sub { as($bad, PUT => "/v1/workspaces/$ws/catalog/files", { path => "$_->[0].md",
	content => "---\ntype: table\ntitle: $_->[0]\ntags: [" . join(', ', map { "t$_" } 1 .. 10) . "]\n---\n" . $_->[1] }) })
	for ['quotes', '> ' x 20000], ['links', '[a](/w/x/catalog/y) ' x 1000];
costs("a title of 200 $_->[0]", sub {
	as($bad, POST => '/v1/publish', { name => $_->[1] x (200 / length $_->[1]), files => [{ path => 'index.html', content => 'x' }] });
}) for ['letters', 'Ab1'], ['marks', "a\x{301}\x{316}\x{301}"], ['pairs', '東京'];
my $page = $api->publish($bad, name => 'Long page', workspace_id => $ws);
Vitrine::Counted::settled($db);
$db->do('INSERT INTO page_text VALUES (?, 1, ?)', undef, $page, $words);
costs('a page of words', sub { as($bad, PATCH => "/v1/artifacts/$page", { name => 'Longer page' }) });

# ---- others beside it

my $art = $api->publish($ann, name => 'Zanzibar');
as($ann, PUT => "/v1/data/$art/tables/marmalade", { columns => [{ name => 'a', type => 'text' }] });
Vitrine::Counted::settled($db);
$db->do('INSERT IGNORE INTO search_due (kind, id) SELECT 12, id FROM note WHERE size_bytes > 200000');
as($ann, POST => "/v1/artifacts/$art/collaborators", { emails => ['ben@example.org'], role => 'viewer' });
like as($ben, GET => '/v1/search?q=zanzibar')->{body}, qr/"Zanzibar"/, 'who is added finds the artifact with the reply';
$stack->runner('--once');
is_deeply [map { $_->{title} } @{as($ben, GET => '/v1/search?q=marmalade')->{json}{results}}], ['marmalade'],
	'... and its table after a run of the runner';
like $stack->ctl('fsck', '--quick'), qr/^clean/, 'fsck ends, and finds all as it should be';

# ---- what takes too long

my ($stuck, $other) = map { $db->selectrow_array('SELECT id FROM note WHERE path = ?', undef, $_) } qw(links.md words.md);
$db->do('INSERT INTO search_due (kind, id) VALUES (12, ?), (12, ?), (1, ?)', undef, $stuck, $other, $art);
my $held = $stack->db;
$held->begin_work;
$held->do('SELECT no FROM search_thing WHERE kind = 12 AND id = ? FOR UPDATE', undef, $stuck);
$stack->runner('--once');
$held->rollback;
is $db->selectrow_array('SELECT GROUP_CONCAT(id) FROM search_due'), $stuck, 'of what is due, what takes too long is left';
ok $db->selectrow_array('SELECT due_at > UNIX_TIMESTAMP() FROM search_due'), '... put off';
my $metrics = IO::Socket::UNIX->new("$stack->{run}/metrics.sock");
print $metrics "GET /metrics HTTP/1.0\r\n\r\n";
like join('', <$metrics>), qr/^vitrine_runner_too_long_total\{of="round\.search"\} [1-9]/m, '... and counted by its name';
$db->do('UPDATE search_due SET due_at = 0');
$stack->runner('--once');
is $db->selectrow_array('SELECT COUNT(*) FROM search_due'), 0, 'later it has its turn';

# ---- and away

is join(' ', grep { $_ != 204 && $_ != 200 } map {
	as($bad, DELETE => "$at/files/$_->[0]")->{status};
} @{$db->selectall_arrayref('SELECT path FROM note')}), '', 'all of them can be deleted';
is $db->selectrow_array('SELECT COUNT(*) FROM note'), 0, '... and are';
Vitrine::Counted::settled($db);
like $stack->ctl('fsck', '--quick'), qr/^clean/, 'nothing is left of them';
Vitrine::Counted::go_on($stack);
finish($stack);
