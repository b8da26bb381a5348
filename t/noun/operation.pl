# SPDX-License-Identifier: Apache-2.0
# Operations, and changes of columns, for tests that go through all nouns (Vitrine::World).
{
	make => {
		# One of {user} that is done.
		opr => sub { my ($w, $at, $id) = @_;
			$w->{db}->do("INSERT INTO operation (id, artifact_id, table_no, table_name, kind, state, asked, created_by, "
				. "created_at, ended_at) "
				. "VALUES (?, ?, 1, 'guests', 'retype', 'done', '{}', ?, 0, UNIX_TIMESTAMP())",
				undef, $id, $at->{art}, $at->{user});
			return $id },
	},
	rows => [
		operation => "id, artifact_id, table_no, table_name, kind, state, total, asked, created_by, created_at, ended_at "
			. "SELECT CONCAT('opr_Z', LPAD(N, 25, '0')), ART, 1000000 + N, 'guests', 'retype', 'done', 5000, '{}', WHO, 1, NOW",
	],
	send => sub {
		my $at = '/a/{art}/data/tables/{table}';
		return ('POST /v1/data/{art}/tables/{table}/retype' => sub { return { column => 'a', type => 'text' } },
			"POST $at/columns/add" => sub { return 'name=more&type=date' }, "POST $at/columns/key" => sub { return 'key=a' },
			(map { ("$_ $at/column" => sub { return 'column=a&name=a' }) } qw(GET POST)),
			"GET $at/retype" => sub { return 'column=a&type=json' }, "POST $at/retype" => sub { return 'column=a&type=json' },
			"POST $at/column/drop" => sub { return 'column=more' });
	},
}
