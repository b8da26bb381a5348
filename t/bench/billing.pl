# SPDX-License-Identifier: Apache-2.0
# ./dev bench billing: what it costs a request that workspaces pay. Two stacks with as many workspaces; in one each has a subscription and an invoice, and so
# has the one that is asked for, whose plan the other got from its operator. VITRINE_OTHERS=1000 makes it smaller.
use strict;
use warnings;
use Vitrine::Api;
use Vitrine::Bench;
use Vitrine::Stack;

my $others = $ENV{VITRINE_OTHERS} // 100_000;

sub stack_with {
	my ($paid) = @_;
	my $s = Vitrine::Stack->new(workers => 4);
	my $b = { stack => $s, api => Vitrine::Api->new($s), base => "https://127.0.0.1:$s->{port}", ann => $s->user('ann@example.org') };
	my $db = $s->db;
	room($db);
	my $of = "CONCAT('wsp_Z', LPAD(seq, 25, '0'))";
	Vitrine::Db::filled($db, sub { $db->do("INSERT INTO workspace (id, name, slug, people, created_at, updated_at) SELECT $of, 'Team', CONCAT('team-', seq), 1, 1, 1 FROM seq_1_to_$others") });
	my $r = $b->{api}->call(POST => '/v1/workspaces', { token => $b->{ann}{token}, json => { name => 'Own', slug => 'own' } });
	$b->{ws} = $r->{json}{workspace}{id} // die $r->{body};
	$b->{art} = $b->{api}->publish($b->{ann}, slug => 'own-site', workspace_id => $b->{ws}, visibility => 'private');
	Vitrine::Db::filled($db, sub {
		return $db->do("UPDATE workspace SET plan_id = 'pro'") if !$paid;
		$db->do("UPDATE workspace SET paid_plan = 'pro', paid_until = UNIX_TIMESTAMP() + 1000000, paid_seats = 5");
		$db->do("INSERT INTO billing_account (workspace_id, customer, card_id, last_invoice_no) SELECT id, id, 'card', 1 FROM workspace");
		$db->do("INSERT INTO subscription (id, workspace_id, live_of, plan_id, price_cents, currency, seats, anchor_at, period_start, period_end, due_at, created_by, created_at)"
			. " SELECT REPLACE(id, 'wsp_', 'sub_'), id, id, 'pro', 800, 'USD', 5, 1, 1, UNIX_TIMESTAMP() + 1000000, UNIX_TIMESTAMP() + 1000000, '$b->{ann}{id}', 1 FROM workspace");
		$db->do("INSERT INTO invoice (id, workspace_id, no, subscription_id, kind, status, amount_cents, currency, period_start, period_end, description, line_items, intent, payment_id, paid_at, check_at, created_at)"
			. " SELECT REPLACE(id, 'wsp_', 'ivc_'), id, 1, REPLACE(id, 'wsp_', 'sub_'), 'renew', 'paid', 4000, 'USD', 1, 2, 'x', '[]', '{}', id, 1, UNIX_TIMESTAMP() + 1000000, 1 FROM workspace");
	});
	$db->do("ANALYZE TABLE $_") for qw(workspace subscription invoice);
	return $b;
}

my ($given, $paid) = map { stack_with($_) } 0, 1;
stacks(map { $_->{stack} } $given, $paid);
sub gets { my ($b, $path) = @_; return wrk("$b->{base}$path", 'Host: vitrine.localhost', "Authorization: Bearer $b->{ann}{token}") }
for (['GET /v1/workspaces/{id}', sub { "/v1/workspaces/$_[0]{ws}" }], ['GET /v1/artifacts/{id} of a workspace', sub { "/v1/artifacts/$_[0]{art}" }],
	['GET /v1/account/tier', sub { '/v1/account/tier' }]) {
	my ($what, $path) = @$_;
	gets($_, $path->($_)) for $given, $paid;
	by_turns("$what, paid for beside $others that are, against given", map { my $b = $_; sub { gets($b, $path->($b)) } } $paid, $given);
}
