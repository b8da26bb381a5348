# SPDX-License-Identifier: Apache-2.0
# ./dev bench sharing: what somebody outside of a workspace takes who has a page by a grant on a folder ten levels above it, beside 10^5 grants of others,
# against its owner.
use strict;
use warnings;
use Cpanel::JSON::XS;
use Vitrine::Api;
use Vitrine::Bench;
use Vitrine::Stack;

my $s = Vitrine::Stack->new(workers => 4);
stacks($s);
my $api = Vitrine::Api->new($s);
my $db = $s->db;
room($db);
my ($ann, $cleo, $dan) = map { $s->user("$_\@example.org") } qw(ann cleo dan);
$| = 1;

my $ws = $api->call(POST => '/v1/workspaces', { token => $ann->{token}, json => { name => 'Team' } })->{json}{workspace}{id};
$db->do('UPDATE workspace SET features_on = 1 WHERE id = ?', undef, $ws);
my @way;
push @way, $api->call(POST => "/v1/workspaces/$ws/folders", { token => $ann->{token}, json => { name => "Level $_", @way ? (parent_id => $way[-1]) : () } })->{json}{folder}{id} for 1 .. 10;
my $art = $api->publish($ann, slug => 'page', visibility => 'private', workspace_id => $ws, folder_id => $way[-1]);
$db->do("UPDATE user SET outside = 1 WHERE id IN ('$cleo->{id}', '$dan->{id}')");

# A hundred thousand others have the same folder, and as many other things are shared with clients.
my $others = 50_000;
Vitrine::Db::filled($db, sub {
	$db->do("INSERT INTO sharee (id, workspace_id, name, name_key, created_at) VALUES ('shr_client', ?, 'Client', 'client', 0)", undef, $ws);
	$db->do("INSERT INTO sharee_member (sharee_id, user_id, workspace_id, created_at) VALUES ('shr_client', ?, ?, 0)", undef, $cleo->{id}, $ws);
	$db->do("INSERT INTO sharee (id, workspace_id, name, name_key, created_at) SELECT CONCAT('shr_', seq), '$ws', seq, seq, 0 FROM seq_1_to_$others");
	$db->do("INSERT INTO sharee_member (sharee_id, user_id, workspace_id, created_at) SELECT CONCAT('shr_', seq), CONCAT('usr_', seq), '$ws', 0 FROM seq_1_to_$others");
	my $grant = 'INSERT INTO share_grant (id, workspace_id, subject_type, subject_id, resource_type, resource_id, capability, created_at)';
	$db->do("$grant SELECT CONCAT('grt_a', seq), '$ws', 'sharee', CONCAT('shr_', seq), 'folder', '$way[0]', 'view', 0 FROM seq_1_to_$others");
	$db->do("$grant SELECT CONCAT('grt_b', seq), '$ws', 'sharee', CONCAT('shr_', seq), 'artifact', CONCAT('art_', seq), 'edit', 0 FROM seq_1_to_$others");
	$db->do("$grant VALUES ('grt_client', '$ws', 'sharee', 'shr_client', 'folder', '$way[0]', 'view', 0), ('grt_dan', '$ws', 'external_user', '$dan->{id}', 'folder', '$way[0]', 'view', 0)");
});
$db->do("ANALYZE TABLE $_") for qw(artifact folder sharee sharee_member share_grant);

sub asked { my ($who) = @_; return sub { wrk("https://127.0.0.1:$s->{port}/v1/artifacts/$art", 'Host: vitrine.localhost', "Authorization: Bearer $who->{token}") } }
by_turns('GET of a page ten folders down, by a client\'s grant against its owner', asked($cleo), asked($ann));
by_turns('GET of a page ten folders down, by a person\'s grant against its owner', asked($dan), asked($ann));
