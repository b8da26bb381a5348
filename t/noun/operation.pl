# SPDX-License-Identifier: Apache-2.0
# Operations on tables, for tests that go through all nouns (Vitrine::World).
{
	make => {
		# An operation of {user} in {art} that has ended.
		opr => sub { my ($w, $at, $id) = @_;
			$w->{db}->do("INSERT INTO operation (id, artifact_id, table_no, table_name, kind, state, asked, created_by, created_at, ended_at) "
				. "VALUES (?, ?, 0, 'guests', 'undo', 'done', '{}', ?, 0, UNIX_TIMESTAMP())", undef, $id, $at->{art}, $at->{user});
			return $id },
	},
	rows => [],
	send => sub { return () },
}
