# SPDX-License-Identifier: Apache-2.0
# What an operator does with workspaces by vitrinectl: lists and shows them, gives plans and features, deletes and restores one; and what is
# said to a mistake.
use utf8;
use Vitrine::Words 'as';

my ($stack, $api) = stack();
my ($ann, $ben) = map { $stack->user("$_\@example.org") } qw(ann ben);
sub ctl { return $stack->program('vitrinectl', {}, 'workspace', @_) }
sub fine {
	my ($status, $out, $err) = ctl(@_);
	is $status, 0, "workspace @_" or diag $err;
	return $out;
}
sub refused {
	my ($want, $like, @args) = @_;
	my ($status, $out, $err) = ctl(@args);
	is "$status $out", "$want ", "refused: workspace @args" or diag $err;
	like $err, $like, '... and says why';
}
sub tier { return as($ann, GET => '/v1/account/tier')->{json} }

is fine('list'), '', 'none at first';
my $ws = as($ann, POST => '/v1/workspaces', { name => 'Team' })->{json}{workspace}{id};
my $second = as($ben, POST => '/v1/workspaces', { name => 'Other' })->{json}{workspace}{id};
is fine('list'), "$ws  team  free  1  Team\n$second  other  free  1  Other\n", 'each has a line';
my $shown = fine('show', 'team');
like $shown, qr/\Aid        $ws\nslug      team\nname      Team\nowner     ann\@example\.org\nmembers   1 of \d+\nplan      free\n/,
	'one is shown';
is fine('show', $ws), $shown, '... by its id, too';

# ---- plans

is fine('plan', 'team', 'pro'), '', 'a plan is given';
is tier()->{plan_id}, 'pro', '... and in force';
like fine('show', $ws), qr/^plan      pro\nfeatures  \w/m, '... and shown with what it has';
fine('plan', $ws, 'team', '--until', '2099-12-31');
like fine('show', 'team'), qr/^plan      team until 2099-12-31$/m, 'for a time';
fine('plan', $ws, 'team', '--until=2001-12-31');
like fine('show', 'team'), qr/^plan      free, since team ended on 2001-12-31$/m, '... that has ended';
is tier()->{plan_id}, 'free', '... as it is in force';
refused(1, qr/there is no plan gold in \S+plans\.yaml; its plans are free, pro, team, enterprise$/, 'plan', 'team', 'gold');
refused(1, qr/there is no workspace none$/, 'plan', 'none', 'pro');
refused(1, qr/there is no workspace wsp_0+$/, 'plan', 'wsp_' . '0' x 26, 'pro');
refused(1, qr/--until: $_ must be a day, such as 2027-12-31/, 'plan', 'team', 'pro', '--until', $_) for 'soon', '2027-02-31', '31.12.2027';
refused(64, qr/usage: vitrinectl workspace plan WORKSPACE PLAN/, 'plan', @$_)
	for [], ['team'], ['team', 'pro', 'x'], ['team', 'pro', '--until'];
is tier()->{plan_id}, 'free', 'nothing of that has changed it';

# ---- features

fine('feature', 'team', 'subdomain', 'on');
fine('feature', $ws, 'external_sharing', 'off');
is_deeply [map { $_ ? 1 : 0 } @{tier()->{features}}{qw(subdomain external_sharing)}], [1, 0], 'one is given, one taken away';
like fine('show', 'team'), qr/^features  (?:.*, )?subdomain.*\nadded     subdomain\nremoved   external_sharing$/m, '... which is shown';
fine('feature', 'team', $_, 'plan') for qw(subdomain external_sharing);
unlike fine('show', 'team'), qr/^(?:added|removed)/m, 'and left to the plan again';
refused(1, qr/there is no feature flying; the features are external_sharing, knowledge, subdomain, session_policy, custom_branding, custom_domains$/,
	'feature', 'team', 'flying', 'on');
refused(1, qr/maybe must be on, off or plan/, 'feature', 'team', 'subdomain', 'maybe');
refused(1, qr/there is no workspace none/, 'feature', 'none', 'subdomain', 'on');
refused(64, qr/usage: vitrinectl workspace feature/, 'feature', 'team', 'subdomain');
is join(' ', map { $_->[0] }
	@{$stack->db->selectall_arrayref('SELECT action FROM audit WHERE workspace_id = ? AND actor_id IS NULL ORDER BY id', undef, $ws)}),
	'plan.given plan.given plan.given feature.set feature.set feature.set feature.set', 'each is written down, as an operator\'s';

# ---- the trash

as($ann, POST => '/v1/publish', { name => 'P', slug => 'page', workspace_id => $ws, visibility => 'public',
	files => [{ path => 'index.html', content => 'here' }] });
is $api->get_site('page', '/')->{body}, 'here', 'a page is there';
refused(1, qr/team is not in the trash/, 'restore', 'team');
is fine('delete', 'team'), '', 'deleted';
is $api->get_site('page', '/')->{status}, 404, '... with its pages, at once';
is as($ann, GET => "/v1/workspaces/$ws")->{status}, 404, '... for its members';
like fine('list'), qr/^$ws  team  free  1  in the trash  Team$/m, 'the list says so';
like fine('show', 'team'), qr/^trash     since 20\S+Z$/m, 'and what is shown of it';
refused(1, qr/team is already in the trash/, 'delete', 'team');
refused(1, qr/there is no workspace none/, $_, 'none') for qw(delete restore show);
is fine('restore', $ws), '', 'restored';
is $api->get_site('page', '/')->{body}, 'here', '... with its pages';
is as($ann, GET => "/v1/workspaces/$ws")->{json}{workspace}{slug}, 'team', '... under its slug';
$stack->db->do("INSERT INTO workspace (id, name, slug, created_at, updated_at) "
	. "SELECT CONCAT('wsp_', LPAD(seq, 26, '0')), 'x', CONCAT('x', seq), 0, 0 FROM seq_1_to_10");
$stack->db->do("INSERT INTO member (workspace_id, user_id, role, joined_at) SELECT CONCAT('wsp_', LPAD(seq, 26, '0')), ?, 'owner', 0 "
	. "FROM seq_1_to_10", undef, $ann->{id});
fine('delete', 'team');
is fine('restore', 'team'), '', 'one that its owner has too many for comes back, too';
refused(64, qr/usage: vitrinectl workspace list/, 'list', 'x');
refused(64, qr{copy isn't a command of workspace}, 'copy');
refused(64, qr/usage/, 'show');

finish($stack);
