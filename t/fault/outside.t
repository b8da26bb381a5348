# SPDX-License-Identifier: Apache-2.0
# What somebody outside makes by a grant, while the grant ends or the worker dies: an artifact is there with its owner, its version and its
# author's grant, or not at all; and once the end of a grant was answered nothing comes of it any more.
use Vitrine::Crash;
use Vitrine::Words qw(as said);

my $instants = $ENV{VITRINE_TORTURE} // 8;
my $stack = Vitrine::Crash->stack;
my $api = Vitrine::Api->new($stack);
my $crash = Vitrine::Crash->new($stack, $api);
my $db = $stack->db;
my ($ann, $out) = map { $stack->user("$_\@example.org") } qw(ann out);
my $ws = as($ann, POST => '/v1/workspaces', { name => 'Team' })->{json}{workspace}{id};
$db->do('UPDATE workspace SET features_on = 1');
my $folder = as($ann, POST => "/v1/workspaces/$ws/folders", { name => 'Inbox' })->{json}{folder}{id};
my $site = $api->publish($ann, name => 'Site', workspace_id => $ws);
$db->do('UPDATE user SET outside = TRUE WHERE id = ?', undef, $out->{id});
my $grant = 'grt_' . '1' x 26;
sub give {
	my ($type, $id, $can) = @_;
	$db->do("REPLACE INTO share_grant (id, workspace_id, subject_type, subject_id, resource_type, resource_id, capability, created_by, "
		. "created_at) VALUES (?, ?, 'external_user', ?, ?, ?, ?, ?, 0)",
		undef, $grant, $ws, $out->{id}, $type, $id, $can, $ann->{id});
}
my $n = 0;
sub page { return { name => 'Made ' . ++$n, files => [map { { path => $_, content => "page $n" } } 'index.html', 'a.txt'] } }
sub create {
	my ($by) = @_;
	return ($by // $api)->call(POST => '/v1/publish', { token => $out->{token}, json => { %{page()}, folder_id => $folder } });
}
sub edit {
	my ($by) = @_;
	my $page = page();
	delete $page->{name};
	return ($by // $api)->call(POST => '/v1/publish', { token => $out->{token}, json => { %$page, artifact_id => $site } });
}

# Nothing is half made.
sub whole {
	my ($name) = @_;
	is $db->selectrow_array("SELECT GROUP_CONCAT(a.id) FROM artifact a LEFT JOIN version v ON v.artifact_id = a.id "
		. "LEFT JOIN share_grant g ON g.resource_id = a.id AND g.subject_id = ? AND g.capability = 'edit'"
		. ' WHERE a.folder_id = ? AND (a.owner_id <> ? OR v.id IS NULL OR v.created_by <> ? OR g.id IS NULL OR a.live_no IS NULL)',
		undef, $out->{id}, $folder, $ann->{id}, $out->{id}) // '', '', "$name: each is whole";
	is $db->selectrow_array("SELECT COUNT(*) FROM share_grant g LEFT JOIN artifact a ON a.id = g.resource_id "
		. "WHERE g.resource_type = 'artifact' AND a.id IS NULL"), 0, "$name: no grant is left of none";
}
sub made {
	return $db->selectrow_array('SELECT (SELECT COUNT(*) FROM artifact) + (SELECT COUNT(*) FROM version) + (SELECT COUNT(*) '
		. 'FROM share_grant) + (SELECT COUNT(*) FROM sharee_act)');
}

# ---- the grant ends while a publish waits for what its end holds

sub waits {
	return $db->selectrow_array("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE id <> CONNECTION_ID() "
		. "AND state = 'Statistics' AND info LIKE '%LOCK IN SHARE MODE'");
}
for (['a new artifact', \&create, folder => $folder, 'create'], ['a version', \&edit, artifact => $site, 'edit']) {
	my ($name, $do, @of) = @$_;
	give(@of);
	is said($do->()), '201 ', "$name by a grant";
	my $before = made() - 1;
	my $other = $stack->db->clone;
	$other->begin_work;
	$other->do('SELECT id FROM workspace WHERE id = ? FOR UPDATE', undef, $ws);
	$other->do('DELETE FROM share_grant WHERE id = ?', undef, $grant);
	my $pid = open(my $from, '-|') // die "fork: $!";
	if (!$pid) {
		my $r = $do->(Vitrine::Api->new($stack));
		print "$r->{status} $r->{json}{code}";
		close STDOUT;
		POSIX::_exit(0);
	}
	Vitrine::Stack::wait_for('the publish to wait', 30, \&waits);
	$other->commit;
	is scalar <$from>, '404 NOT_FOUND', "... refused where the grant ends while it waits";
	close $from;
	is made(), $before, '... and nothing of it is kept';
	whole($name);
}

# ---- many at once, and the end among them

for my $round (1 .. 4) {
	give(folder => $folder, 'create');
	my @said = Vitrine::Api::together($stack, 6, sub {
		my ($by, $i) = @_;
		return 'ended ' . $by->call(DELETE => "/v1/workspaces/$ws/grants/$grant", { token => $ann->{token} })->{status} if $i == 3;
		my %got;
		for (1 .. 6) { my $r = create($by); $got{$r->{status}}++; last if $r->{status} == 404 }
		return join ' ', sort keys %got;
	});
	is +(grep { /^ended/ } @said)[0], 'ended 200', "round $round: the grant ends";
	is join(' ', grep { !/^(?:ended 200|201|404|201 404|429|201 404 429|201 429|404 429)$/ } @said), '',
		'... among publishes that are made or refused' or diag "@said";
	is said(create()), '404 NOT_FOUND', '... after which none is';
	whole("round $round");
}

# ---- a worker dies

SKIP: {
	skip 'strace is not here', 1 if !`strace -V 2>/dev/null`;
	give(folder => $folder, 'create');
	my ($r, $calls) = $crash->count(\&create);
	is $r->{status}, 201, 'a new artifact under strace';
	my $killed = 0;
	for my $i (1 .. $instants) {
		my $at = 1 + int(($i - rand) * $calls / $instants);
		my $before = made();
		$r = $crash->at($at, \&create);
		$killed++ if $r->{status} != 201;
		ok $r->{status} =~ /^(?:201|502|503|504|0)$/, "system call $at: the caller is told $r->{status}";
		ok made() - $before == 4 || ($r->{status} != 201 && made() == $before), "system call $at: all of it is there, or nothing"
			or diag made() - $before;
		whole("system call $at");
		$stack->runner;
	}
	ok $killed > 0, "$killed of $instants were killed before they could answer";
	is $stack->ctl('fsck'), 'clean', 'fsck is clean';
}
finish($stack);
