# SPDX-License-Identifier: Apache-2.0
# Reviews, for tests that go through all nouns (Vitrine::World).
{
	make => {
		# The open one of {art}, which its user asked for and is asked by.
		rvw => sub { my ($w, $at, $id) = @_;
			my $db = $w->{db};
			$db->do("UPDATE review SET status = 'closed', decided_at = 0 WHERE open_of = ?", undef, $at->{art});
			$db->do("INSERT INTO review (id, artifact_id, version_no, digest, created_by, created_at, due_at, look_at) "
				. "VALUES (?, ?, 1, UNHEX(REPEAT('ab', 32)), ?, 0, 4000000000, 4000000000)", undef, $id, $at->{art}, $at->{user});
			$db->do("INSERT INTO review_asked (review_id, n, kind, subject_id) VALUES (?, 0, 'person', ?)", undef, $id, $at->{user});
			$db->do('UPDATE artifact SET review_id = ? WHERE id = ?', undef, $id, $at->{art});
			return $id },
	},
	rows => [
		review => "id, artifact_id, version_no, digest, status, created_by, created_at, due_at, decided_at, look_at "
			. "SELECT CONCAT('rvw_Z', LPAD(N, 25, '0')), ART, 1, UNHEX(REPEAT('ab', 32)), 'closed', WHO, 1, 1, 1, 1",
		review_asked => "review_id, n, kind, subject_id, user_id, answer, at "
			. "SELECT CONCAT('rvw_Z', LPAD(N, 25, '0')), 0, 'person', WHO, WHO, 'approve', 1",
	],
	send => sub {
		return ('POST /v1/artifacts/{art}/reviews/{rvw}/answer' => sub { return { answer => 'approve', digest => 'ab' x 32 } },
			(map { ("POST $_/{art}/reviews/{rvw}/answer" => sub { return 'answer=approve&digest=' . 'ab' x 32 }) }
				'/a', '/shared/artifacts')) },
}
