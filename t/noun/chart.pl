# SPDX-License-Identifier: Apache-2.0
# Views and charts of tables, for tests that go through all nouns (Vitrine::World).
{
	make => {
		# A shared view of the table guests.
		viw => [data_view => artifact_id => 'art', table_name => "'guests'", name => 'id', created_at => 0, updated_at => 0],
		# A chart of that table.
		cht => [data_chart => artifact_id => 'art', place => 1, name => 'id', kind => "'bar'", table_name => "'guests'",
			group_column => "'a'",
			measure => "'count'", created_at => 0, updated_at => 0],
	},
	rows => [
		data_view => "id, artifact_id, table_name, name, user_id, where_json, created_at, updated_at "
			. "SELECT CONCAT('viw_Z', LPAD(N, 25, '0')), ART, 'guests', 'v', IF(N % 2, WHO, NULL), '[\"a\",\"eq\",\"x\"]', 1, 1",
		data_chart => "id, artifact_id, place, name, kind, table_name, view_id, group_column, measure, created_at, updated_at "
			. "SELECT CONCAT('cht_Z', LPAD(N, 25, '0')), ART, 1, 'c', 'bar', 'guests', "
			. "IF(N % 2, NULL, CONCAT('viw_Z', LPAD(N, 25, '0'))), 'a', 'count', 1, 1",
	],
	send => sub {
		my $chart = sub { return { name => 'x', kind => 'bar', table => 'guests', group => 'a' } };
		my $form = sub { return 'name=x&kind=bar&table=guests&group=a' };
		return ('POST /v1/data/{art}/tables/{table}/views' => sub { return { name => 'x' } },
			'PUT /v1/data/{art}/tables/{table}/views/{viw}' => sub { return { name => 'x' } },
			(map { ("POST /a/{art}/data/tables/{table}/views$_" => sub { return 'name=x' }) } '', '/{viw}'),
			'POST /v1/data/{art}/charts' => $chart, 'PUT /v1/data/{art}/charts/{cht}' => $chart,
			'GET /a/{art}/data/charts/new' => sub { return 'table=guests' }, 'POST /a/{art}/data/charts' => $form,
			'POST /a/{art}/data/charts/{cht}' => $form);
	},
}
