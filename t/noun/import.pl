# SPDX-License-Identifier: Apache-2.0
# Imports, for tests that go through all nouns (Vitrine::World).
{
	make => {
		# An import of {user} into {art} whose file was checked.
		imp => sub { my ($w, $at, $id) = @_;
			$w->{db}->do("INSERT INTO import (id, artifact_id, created_by, state, mode, table_name, size_bytes, "
				. "format, found, row_n, created_at, expires_at) "
				. "VALUES (?, ?, ?, 'ready', 'create', 'imported', 1, 'csv', "
				. "'{\"dialect\":{\"encoding\":\"utf-8\",\"delimiter\":\"comma\",\"header\":true},\"columns\":[],"
				. "\"misfits\":[],\"questions\":[]}', 0, 0, 4000000000)",
				undef, $id, $at->{art}, $at->{user});
			return $id },
		import_upload => sub {
			my ($w, $at, $id) = @_;
			my $secret = Vitrine::Stack::secret('upi_', sprintf '%043s', substr($id, -26));
			$w->{db}->do("INSERT INTO import (id, artifact_id, created_by, state, mode, table_name, hash, created_at, "
				. "expires_at) "
				. "VALUES (?, ?, ?, 'uploading', 'create', 'imported', UNHEX(SHA2(?, 256)), 0, 4000000000)",
				undef, $id, $at->{art}, $at->{user}, $secret);
			return $secret },
	},
	rows => [
		import => "id, artifact_id, created_by, state, mode, table_name, created_at, expires_at "
			. "SELECT CONCAT('imp_Z', LPAD(N, 25, '0')), ART, WHO, 'done', 'create', 'n', 1, NOW + 1000000",
	],
	send => sub { return (
		'POST /v1/data/{art}/imports' => sub { return { text => "n\n1\n" } },
		'PATCH /v1/data/{art}/imports/{imp}' => sub { return { on_misfit => 'leave_out' } },
		'POST /v1/data/{art}/imports/{imp}/start' => sub { return {} },
	) },
}
