# SPDX-License-Identifier: Apache-2.0
# ./dev bench catalog: a list with its counts, and the lineage of an entry, in a catalog as large as it may be: 5,000 entries about tables of 500 artifacts, and 10,000 edges.
# ENTRIES=500 makes it smaller.
use strict;
use warnings;
use Time::HiRes 'time';
use Vitrine::Api;
use Vitrine::Bench;
use Vitrine::Stack;

my $ENTRIES = $ENV{ENTRIES} // 5000;
my $ARTIFACTS = $ENTRIES / 10;
my $s = Vitrine::Stack->new(workers => 4, grace_s => 0);
stacks($s);
my $api = Vitrine::Api->new($s, unchecked => 1);
my ($own, $mem) = map { $s->user("$_\@example.org") } qw(own mem);
my $db = $s->db;

my $ws = 'wsp_' . '1' x 26;
$db->do("INSERT INTO workspace (id, name, slug, catalog, people, created_at, updated_at) VALUES (?, 'Team', 'team', TRUE, 0, 0, 0)", undef, $ws);
$s->seat($ws, @$_) for [$own, 'owner'], [$mem, 'member'];
sub id { my ($kind, $n) = @_; return "CONCAT('${kind}_', LPAD($n, 26, '0'))" }
# A rule on every tenth, which a member is read the tables of one by one.
$db->do("INSERT INTO artifact (id, owner_id, workspace_id, name, slug, visibility, live_no, last_no, access_policy, created_at, updated_at) SELECT " . id('art', 'seq') . ", '$own->{id}', '$ws', CONCAT('Board ', seq), CONCAT('board-', seq), 'private', 1, 1,"
	. q( IF(seq % 10, NULL, '{"tables":{"t1":{"read":"viewer.role == \'owner\'"},"t2":{"read":"row.a == viewer.email"}}}'), 0, 0 FROM seq_1_to_) . $ARTIFACTS);
$db->do("INSERT INTO data_table (artifact_id, name, fields, row_count, created_at, updated_at) SELECT " . id('art', '1 + (seq - 1) DIV 10') . q(, CONCAT('t', seq % 10), '[["a","text",0,1],["b","number",1,1]]', 10, 0, 0 FROM seq_1_to_) . $ENTRIES);
$db->do("INSERT INTO catalog_entry (id, workspace_id, path, path_key, sha256, kind, title, description, domain, status, tags, fields, upstream, words, source_kind, source_artifact_id, source_table, seeded, created_at, updated_at, updated_by) SELECT " . id('cat', 'seq')
	. ", '$ws', CONCAT('tables/t', seq, '.md'), UNHEX(SHA2(seq, 256)), UNHEX(SHA2('x', 256)), ELT(1 + seq % 3, 'dataset', 'metric', 'term'), CONCAT('Orders of ', seq), REPEAT('What it means. ', 15), CONCAT('Domain ', seq % 20), ELT(1 + seq % 3, 'draft', 'verified', 'deprecated'), CONCAT('daily\ntag ', seq % 100, '\npersonal'),"
	. q( '[{"name":"a","type":"text","description":"One"},{"name":"b","type":"number","description":null}]', '', CONCAT('orders of ', seq, '\ndaily, tag ', seq % 100, ', personal\ntables/t', seq, '.md\n', REPEAT('what it means. ', 15)), 'table', ) . id('art', '1 + (seq - 1) DIV 10') . ", CONCAT('t', seq % 10), 0, seq, seq, '$own->{id}' FROM seq_1_to_$ENTRIES");
$db->do("INSERT INTO catalog_file SELECT id, REPEAT('Text. ', 400) FROM catalog_entry");
# Each comes from the two before it.
$db->do("INSERT INTO catalog_upstream SELECT " . id('cat', 'seq') . ", UNHEX(SHA2(seq - $_, 256)), '$ws' FROM seq_3_to_$ENTRIES") for 1, 2;
$db->do("ANALYZE TABLE $_") for qw(artifact data_table catalog_entry catalog_upstream);

sub took {
	my ($what, $path) = @_;
	my $bytes;
	my $one = sub { my $r = $api->call(GET => "/v1/workspaces/$ws/catalog$path", { token => $mem->{token} }); die "$path: $r->{status} $r->{body}" if $r->{status} != 200; $bytes = length $r->{body} };
	$one->() for 1 .. 3;
	my $from = watch();
	my @ms = map { my $from = time; $one->(); 1000 * (time - $from) } 1 .. 15;
	figure(name => $what, ours => median(@ms), unit => 'ms', note => sprintf('%.0f kB', $bytes / 1000), per => 'request', %{used($from, 15)});
}
took("a page of $ENTRIES entries, with counts", '?limit=50');
took('the same, with words and filters', '?limit=50&q=orders%2012&kind=dataset&tag=daily');
took('the same, what is used most first', '?limit=50&sort=used');
took('lineage of one, 20 steps each way, among ' . 2 * $ENTRIES . ' edges', '/lineage?depth=20&entry=cat_' . sprintf '%026d', $ENTRIES / 2);
took('one entry', '/entries/cat_' . sprintf '%026d', $ENTRIES / 2);
