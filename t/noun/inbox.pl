# SPDX-License-Identifier: Apache-2.0
# Items of inboxes, for tests that go through all nouns (Vitrine::World).
{
	make => {
		# An item of {user}, about {art}.
		inb => [inbox_item => user_id => 'user', kind => "'remark'", sort => "'remarked'", box => "'waiting'", need => "'self'",
			subject => 'id', thing => "'x'", created_at => 0, updated_at => 0],
	},
	rows => [
		inbox_item => "id, user_id, kind, sort, box, need, subject, thing, created_at, updated_at "
			. "SELECT CONCAT('inb_Z', LPAD(N, 25, '0')), WHO, 'remark', 'remarked', 'waiting', 'self', "
			. "CONCAT('cmt_Z', LPAD(N, 25, '0')), 'N', 1, 1",
		inbox_way => "user_id, kind, way SELECT WHO, CONCAT('k', N), 'page'",
		inbox_digest => "user_id, at_minute SELECT WHO, N",
	],
	send => sub { return (
		'PATCH /v1/inbox/{inb}' => sub { return { seen => \1 } },
		'POST /v1/inbox/seen' => sub { return { before => 1 } },
		'PUT /v1/inbox/settings' => sub { return { ways => { mention => 'page' }, digest_at => '08:00' } },
		'POST /inbox/seen' => sub { return 'before=1' },
		'POST /inbox/{inb}' => sub { return 'done=true' },
		'POST /auth/account/inbox' => sub { return 'ways=mention.page' },
	) },
}
