# SPDX-License-Identifier: Apache-2.0
# Versions of an artifact's rules, and counts of added rows, for tests that go through all nouns (Vitrine::World).
{
	make => {},
	rows => [
		policy_version => "artifact_id, no, text, at, user_id SELECT CONCAT('art_Z', LPAD(N, 25, '0')), 1, '{}', NOW, WHO",
		data_pace => "table_no, user_id, hour, n, n_before SELECT 1000000 + N, WHO, FLOOR(UNIX_TIMESTAMP() / 3600), 1, 0",
	],
	send => sub {
		my $at = '/a/{art}/data/rules';
		return ('PUT /v1/data/{art}/policy' => sub { return { policy => { default => 'viewer' } } },
			'POST /v1/data/{art}/policy/try' => sub { return { as => { stranger => $Vitrine::Words::true } } },
			"POST $at" => sub { return 'text=&seen=1&act=try&as=stranger' });
	},
}
