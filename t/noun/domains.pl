# SPDX-License-Identifier: Apache-2.0
# Domains, for tests that go through all nouns (Vitrine::World).
{
	make => {
		# One of {art} that waits.
		dom => sub { my ($w, $at, $id) = @_;
			$w->{db}->do("INSERT INTO domain (id, artifact_id, host, secret, answer, due_at, waits_at, created_at) "
				. "VALUES (?, ?, CONCAT(REPLACE(?, '_', '-'), '.example.org'), RIGHT(?, 24), RIGHT(?, 24), 4000000000, UNIX_TIMESTAMP(), UNIX_TIMESTAMP())",
				undef, $id, $at->{art}, $id, $id, $id);
			return $id },
	},
	rows => [
		domain => "id, artifact_id, host, state, secret, answer, due_at, waits_at, created_at, lapsed_at "
			# The team's plan includes none; the runner has yet to find that of one in a hundred.
			. "SELECT CONCAT('dom_Z', LPAD(N, 25, '0')), ART, CONCAT('n', N, '.example.net'), 'active', 'x', 'x', NOW + 80000, 1, 1, "
			. "IF(N % 2 AND N % 100 > 1, NOW, NULL)",
		domain_certificate_try => "host, tenant, tried_at SELECT CONCAT('n', N, '.example.net'), WHO, NOW",
	],
	send => sub { return (
		'POST /v1/artifacts/{art}/domains' => sub { return { host => 'www.example.org' } },
		'PATCH /v1/artifacts/{art}/domains/{dom}' => sub { return { redirect => $Vitrine::Words::true } },
		'POST /a/{art}/domains' => sub { return 'host=www.example.org' },
	) },
}
