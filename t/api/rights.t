# SPDX-License-Identifier: Apache-2.0
# Lists and single requests agree on what somebody may do: the fragments of core/role.h are compared with rights_of() (core/rights.h), whose
# cases t/unit/rights.c specifies. The artifacts are of workspaces with every combination of settings and of the caller's role, and
# otherwise drawn by chance from a fixed seed.
use Vitrine::Words;

my $stack = Vitrine::Stack->new(workers => 1);
my $db = $stack->db;
my ($ann, $eve) = map { $stack->user("$_\@example.org") } qw(ann eve);
my $n = 0;
sub id { return sprintf '%s_%026d', $_[0], ++$n }
srand 42;
sub chance { return int rand $_[0] }

my (%rows, @workspaces);
sub add { my ($table, $columns, @values) = @_; push @{ $rows{"$table ($columns)"} }, \@values }
sub artifacts {
	my ($ws, $each) = @_;
	for (1 .. $each) {
		my ($id, $own) = (id('art'), !chance(5));
		add('artifact', 'id, owner_id, workspace_id, name, slug, visibility, live_no, last_no, deleted_at, closed, by_agent, '
			. 'created_at, updated_at',
			$id, ($own ? $ann : $eve)->{id}, $ws, $id, lc $id =~ s/_/-/r, (qw(private private unlisted public))[chance(4)],
			(chance(4) ? 1 : undef), 1, (chance(6) ? undef : 1), ($ws && !chance(8)) || 0, ($ws && !chance(3)) || 0, 1, 1);
		my $role = (undef, qw(viewer editor))[chance(3)];
		add('collaborator', 'artifact_id, user_id, role, given_email, created_at', $id, $ann->{id}, $role, 'ann@example.org', 1)
			if $role && !$own;
	}
}
artifacts(undef, 40);
for my $access (qw(none viewer editor)) {
	for my $fence (undef, 'example.com', 'example.org', 'ann@example.org') {
		for my $agents (qw(on read_only off)) { for my $hosts (undef, 'claude.ai', 'other.example,another.example') {
	for my $role (undef, qw(agent member admin owner)) {
		my $ws = id('wsp');
		push @workspaces, $ws if $role;
		add('workspace', 'id, name, slug, member_access, fenced, agents, agent_hosts, deleted_at, created_at, updated_at', $ws, $ws,
			substr(lc $ws =~ s/_/-/r, 0, 30), $access, defined $fence ? 1 : 0, $agents, $hosts, (chance(12) ? undef : 1), 1, 1);
		add('member', 'workspace_id, user_id, role, joined_at', $ws, $ann->{id}, $role, 1) if $role;
		add('workspace_allowed', 'workspace_id, value', $ws, $fence) if $fence;
		artifacts($ws, 10);
	}
} } } }
for my $into (map { my $t = $_; grep { /^$t / } sort keys %rows } qw(workspace workspace_allowed member artifact collaborator)) {
	my @all = @{ $rows{$into} };
	while (my @part = splice @all, 0, 500) {
		$db->do("INSERT INTO $into VALUES " . join(', ', map { '(' . join(', ', map { $db->quote($_) } @$_) . ')' } @part));
	}
}

my $said = `$stack->{build}/t/drive/rights $stack->{dir}/vitrine.yaml $ann->{id} $workspaces[7] claude.ai 2>&1`;
is $?, 0, 'every artifact is read as each kind of caller' or diag $said;
my $all = $db->selectrow_array('SELECT COUNT(*) FROM artifact');
cmp_ok $all, '>', 5000, 'there are thousands';
is $said, join('', map { "$_: $all artifacts, " . (/grants/ ? 'no' : 'some') . " roles, 0 differ\n" } 'a person', 'confined',
	'confined to none', 'grants only', 'an agent'), 'lists, rights_of() and a GET agree on all of them';
finish($stack);
