# SPDX-License-Identifier: Apache-2.0
# The history of tables and deleted tables, for tests that go through all nouns (Vitrine::World).
{
	make => {
		# A deleted table of {art}.
		del => sub { my ($w, $at, $id) = @_;
			$w->{db}->do("INSERT INTO data_table (artifact_id, name, fields, sweep_at, created_at, updated_at) "
				. "VALUES (NULL, 'gone', '[[\"a\",\"text\",0,1]]', UNIX_TIMESTAMP() + 2592000, 0, 0)");
			$w->{db}->do('INSERT INTO data_deleted (id, artifact_id, table_no, name, user_id, deleted_at) '
				. 'VALUES (?, ?, LAST_INSERT_ID(), ?, ?, UNIX_TIMESTAMP())', undef, $id, $at->{art}, $id, $at->{user});
			return $id },
	},
	rows => [
		data_change => "history_no, row_id, rev, batch, at, user_id, via, act, n, shape_no, doc SELECT 1000000 + N, "
			. "UNHEX(LPAD(HEX(N), 32, '0')), 0, UNHEX(LPAD(HEX(N), 32, '0')), NOW, WHO, 'api', 1, 1, 1, '{\"a\":\"y\"}'",
		data_deleted => "id, artifact_id, table_no, name, user_id, deleted_at "
			. "SELECT CONCAT('del_Z', LPAD(N, 25, '0')), ART, 1000000 + N, 'gone', WHO, NOW",
	],
	send => sub { return () },
}
