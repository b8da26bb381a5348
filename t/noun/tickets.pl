# SPDX-License-Identifier: Apache-2.0
# Support tickets, for tests that go through all nouns (Vitrine::World).
{
	make => {
		# A ticket of {user}, about {ws}, with a message of staff and a note.
		tkt => sub { my ($w, $at, $id) = @_;
			$w->{db}->do("INSERT INTO ticket (id, requester_id, workspace_id, subject, origin, mail_key, messages, notes, created_at, updated_at) VALUES (?, ?, ?, 'x', 'web', RIGHT(?, 26), 3, 1, 0, 0)", undef, $id, $at->{user}, $at->{ws}, $id);
			$w->{db}->do("INSERT INTO ticket_message (ticket_id, no, id, author_id, staff, note, body, channel, created_at) VALUES (?, ?, ?, ?, ?, ?, 'x', 'web', 0)", undef, $id, $_, $w->id('msg'), $_ == 1 ? $at->{user} : undef, $_ > 1 ? 1 : 0, $_ > 2 ? 1 : 0) for 1 .. 3;
			$w->{db}->do('INSERT INTO ticket_triage (ticket_id) VALUES (?)', undef, $id);
			return $id },
	},
	rows => [
		ticket => "id, requester_id, workspace_id, subject, status, origin, mail_key, messages, created_at, updated_at SELECT CONCAT('tkt_Z', LPAD(N, 25, '0')), WHO, TEAM, 'N', IF(N % 10, 'closed', 'open'), 'web', CONCAT('z', LPAD(N, 25, '0')), 1, 1, 1",
		ticket_message => "ticket_id, no, id, author_id, body, channel, created_at SELECT CONCAT('tkt_Z', LPAD(N, 25, '0')), 1, CONCAT('msg_Z', LPAD(N, 25, '0')), WHO, 'said', 'web', 1",
		ticket_triage => "ticket_id, category, priority, source, made_at SELECT CONCAT('tkt_Z', LPAD(N, 25, '0')), 'other', 'normal', 'rules', 1",
	],
	send => sub { my ($person) = @_; return (
		'POST /v1/support/tickets' => sub { return { subject => 'x', body => 'x' } },
		(map { ("POST /v1/support/tickets/{tkt}/$_" => sub { return { body => 'x' } }) } qw(message reply)),
		'POST /v1/support/tickets/{tkt}/status' => sub { return { status => 'closed' } },
		'POST /v1/support/tickets/{tkt}/assign' => sub { return { assigneeUserId => $person } },
		'POST /support' => sub { return 'subject=x&body=x' },
		'POST /support/{tkt}/message' => sub { return 'body=x' },
		'POST /staff/tickets/{tkt}/answer' => sub { return 'body=x&then=resolved' },
		'POST /staff/tickets/{tkt}/status' => sub { return 'status=closed' },
		'POST /staff/tickets/{tkt}/assign' => sub { return "assigneeUserId=$person" },
	) },
}
