# SPDX-License-Identifier: Apache-2.0
# A thing of each kind that a path can name, written to the database, for tests that go through all routes.
package Vitrine::World;
use strict;
use warnings;
use Vitrine::Stack;

# Of each path parameter that is an id, its kind by its name in openapi.json, and what the id begins with, as noun.def of the folders have
# it.
our (%kind, %prefix);
my $top = $ENV{VITRINE_TOP} // do { require Cwd; Cwd::getcwd() };
for my $def (glob "$top/src/*/noun.def") {
	my $text = Vitrine::Stack::slurp($def);
	($kind{$2}, $prefix{$1}) = ($1, $3) while $text =~ /^PATH_ID\("(\w+)", "(\w+)", "(\w+)_"\)/mg;
}
%kind = (%kind, artifact_id => 'art', version_no => 'no', path => '+', note_path => '+note', delivery_secret => 'delivery',
	upload_secret => 'upload', import_secret => 'import_upload', webhook_secret => 'hook',
	map { $_ => $_ } qw(table name slug email provider chat logo surface template));
%prefix = (%prefix, '+note' => 'note', delivery => 'lnk', upload => 'upl', import_upload => 'imp');

sub new { my ($class, $stack) = @_; return bless { db => $stack->db, made => 0 }, $class }

# Settings that leave every rate unlimited.
sub unlimited {
	my $conf = Vitrine::Stack::slurp(($ENV{VITRINE_TOP} // '.') . '/src/base/conf.def');
	return (certificates => 'local', map { ($_ => 1000000) }
		grep { $_ ne 'device_guesses_in_all' } $conf =~ /CONF_INT\((\w+_(?:per_minute|per_hour|per_account)),/g);
}

# No browser opens a page in these tests: its own bytes become the picture of it.
sub pictured {
	my ($db, $art) = @_;
	$db->do("REPLACE INTO pdf_page (artifact_id, input_sha256, page_no, looked_at, pages, sha256, size_bytes) "
		. "SELECT artifact_id, sha256, 1, UNIX_TIMESTAMP(), 1, sha256, size_bytes FROM version_file "
		. "WHERE artifact_id = ? AND path = 'index.html'", undef, $art);
	$db->do("REPLACE INTO page_seen (artifact_id, version_no, seen_at, seen, sha256, size_bytes) "
		. "SELECT artifact_id, version_no, 1, '{}', sha256, size_bytes FROM version_file WHERE artifact_id = ? LIMIT 1",
		undef, $art);
	$db->do("REPLACE INTO compare_picture (artifact_id, from_no, to_no, page_no, path, looked_at, found, from_sha256, from_size, "
		. "to_sha256, to_size) SELECT artifact_id, version_no, version_no, 0, 'index.html', UNIX_TIMESTAMP(), '{\"changed\":0}', "
		. "sha256, size_bytes, sha256, size_bytes FROM version_file WHERE artifact_id = ? LIMIT 1", undef, $art);
}

# The secret of a delivery link.
sub secret_of { my ($id) = @_; return Vitrine::Stack::secret('', sprintf '%043s', substr($id, -26)) }

sub id { my ($w, $kind, $n) = @_; return sprintf '%s_%026d', $prefix{$kind} // $kind, $n // ++$w->{made} }

# What stands at each kind of parameter, made anew: {art}, {ws}, {user} say where and by whom; {job} and {alert} whose.
# Fixtures of nouns in files of their own: each has some of make (as %make below), rows (as in Vitrine::Neighbour), and send, which gives
# what t/meta/neighbour.t sends to routes, for the caller's id.
our @nouns = map { do $_ or die "$_: " . ($@ || $!) } sort glob "$top/t/noun/*.pl";

my %make = (
	# Its artifact's rules have versions.
	table => sub { my ($w, $at) = @_; my $name = $at->{name} // 'guests';
		$w->{db}->do('INSERT IGNORE INTO policy_version (artifact_id, no, at) VALUES (?, ?, 1)', undef, $at->{art}, $_) for 1 .. 3;
		$w->{db}->do("INSERT IGNORE INTO data_table (artifact_id, name, fields, created_at, updated_at) "
			. "VALUES (?, ?, '[[\"a\",\"text\",0,1]]', 0, 0)", undef, $at->{art}, $name);
		return $name },
	# The database has the id of a row as bits: these have digits only, each of which is five.
	row => sub { my ($w, $at, $id) = @_; my $bits = join '', map { sprintf '%05b', $_ } $id =~ /([0-9])/g; $w->make(table => %$at);
		my $hex = unpack('H*', pack 'B*', substr $bits, 2);
		my $guests = q(FROM data_table WHERE artifact_id = ? AND name = 'guests');
		$w->{db}->do(qq(INSERT INTO data_row (table_no, id, shape_no, doc, rev) SELECT no, UNHEX(?), 1, '{"a":null}', 3 $guests),
			undef, $hex, $at->{art});
		# What it was before three changes.
		$w->{db}->do(q(INSERT INTO data_change (history_no, row_id, rev, batch, at, via, act, n, shape_no, doc) )
			. qq(SELECT no, UNHEX(?), $_, UNHEX(CONCAT('0$_', LEFT(MD5(?), 30))), 1, 'api', 1, 1, 1, '{"a":null}' $guests),
			undef, $hex, $hex, $at->{art}) for 0 .. 2;
		$w->{db}->do(q(UPDATE data_table SET history_bytes = history_bytes + 630, trim_at = 4000000000 )
			. q(WHERE artifact_id = ? AND name = 'guests'), undef, $at->{art}) },
	fld => [folder => created_by => 'user', created_at => 0, updated_at => 0, workspace_id => 'ws', name => 'id', name_key => 'id'],
	# One that wants each member's own credentials.
	con => sub { my ($w, $at, $id) = @_;
		$w->{db}->do(q(INSERT INTO connection )
			. q((id, workspace_id, provider, kind, name, name_key, auth_mode, config, created_by, created_at, updated_at) )
			. q(VALUES (?, ?, 'http', 'http', ?, ?, 'member', '{"base_url":"https://x.example","auth":"bearer"}', ?, 0, 0)),
			undef, $id, $at->{ws}, $id, $id, $at->{user});
		return $id },
	# One that three others come from; the catalog is on.
	cat => sub { my ($w, $at, $id) = @_;
		$w->{db}->do('UPDATE workspace SET catalog = TRUE WHERE id = ?', undef, $at->{ws});
		for my $entry ($id, map { $w->id('cat') } 1 .. 3) {
			$w->{db}->do("INSERT INTO catalog_entry (id, workspace_id, path, path_key, sha256, kind, title, status, tags, "
				. "fields, upstream, words, seeded, created_at, updated_at, updated_by) VALUES (?, ?, CONCAT(?, '.md'), "
				. "UNHEX(SHA2(CONCAT(?, '.md'), 256)), UNHEX(SHA2('x', 256)), 'doc', ?, 'draft', '', '[]', '', CONCAT(?, "
				. "'\n\n', ?, '.md\n'), 0, 0, 0, ?)", undef, $entry, $at->{ws}, ($entry) x 5, $at->{user});
			$w->{db}->do("INSERT INTO catalog_file VALUES (?, 'x')", undef, $entry);
			$w->{db}->do("INSERT INTO catalog_upstream VALUES (?, UNHEX(SHA2(CONCAT(?, '.md'), 256)), ?)",
				undef, $entry, $id, $at->{ws}) if $entry ne $id;
		}
		return $id },
	# A client, with three notes.
	shr => sub { my ($w, $at, $id) = @_;
		$w->{db}->do('INSERT INTO sharee (id, workspace_id, name, name_key, created_by, created_at) VALUES (?, ?, ?, ?, ?, 0)',
			undef, $id, $at->{ws}, $id, $id, $at->{user});
		$w->{db}->do("INSERT INTO sharee_note VALUES (?, ?, 'x', UNHEX(SHA2('x', 256)), 1, 0, ?)", undef, $id, $_, $at->{user})
			for 'README.md', '2.md', '3.md';
		return $id },
	# One of the people of {shr}, who hasn't signed in yet and did one thing, and a token of {ext} there.
	ext => sub { my ($w, $at, $id) = @_;
		$w->{db}->do("INSERT INTO user (id, kind, invited_email, name, outside, created_at) "
			. "VALUES (?, 'guest', CONCAT(?, '\@x.example'), '', TRUE, 0)", undef, $id, $id);
		$w->{db}->do('INSERT INTO sharee_member (sharee_id, user_id, workspace_id, created_by, created_at) VALUES (?, ?, ?, ?, 0)',
			undef, $at->{shr}, $id, $at->{ws}, $at->{user});
		$w->{db}->do("INSERT INTO sharee_act (id, workspace_id, user_id, action, resource_type, resource_id, resource_name, at, "
				. "slice) VALUES (?, ?, ?, 'view', 'folder', ?, 'x', UNIX_TIMESTAMP(), 0)",
			undef, $w->id('sac'), $at->{ws}, $id, $w->id('fld'));
		return $id },
	ext_tok => sub { my ($w, $at, $id) = @_;
		$w->{db}->do("INSERT INTO token (id, hash, user_id, created_at, expires_at, scopes, workspace_id, grants_only, sharee_id, "
				. "made_by) VALUES (?, UNHEX(SHA2(?, 256)), ?, 0, 4000000000, 1, ?, TRUE, ?, ?)",
			undef, $id, $id, $at->{ext}, $at->{ws}, $at->{shr}, $at->{user});
		return $id },
	acr => [access_request => artifact_id => 'art', message => "''", state => "'pending'", created_at => 0, email => 'email'],
	blob => [artifact_blob => artifact_id => 'art', filename => "'x.txt'", mime => "'text/plain'", sha256 => "UNHEX(SHA2('x', 256))",
		size_bytes => 1, created_by => 'user', created_at => 0],
	cmt => [comment => artifact_id => 'art', author_id => 'user', body => "'x'", created_at => 0],
	job => sub { my ($w, $at, $id) = @_; my $event = $at->{event} ? 1 : 0;
		$w->{db}->do(q(INSERT INTO job (id, artifact_id, workspace_id, created_by, action, trigger_type, schedule,
			event_type, config, max_attempts, backoff, initial_delay, created_at, updated_at)
			SELECT ?, id, workspace_id, ?, 'email', IF(?, 'event', 'cron'), IF(?, NULL, '0 0 * * *'),
			IF(?, 'comment.added', NULL), '{"recipients":["x@example.org"],"subject":"x"}', 1, 'fixed', 1, 0, 0
			FROM artifact WHERE id = ?), undef, $id, $at->{user}, ($event) x 3, $at->{art});
		return $id },
	run => sub { my ($w, $at, $id) = @_;
		$w->{db}->do("INSERT INTO job_run (id, job_id, artifact_id, workspace_id, surface, occasion, cause, status, lane, turn, "
			. "scheduled_for, finished_at)"
			. " SELECT ?, id, artifact_id, workspace_id, IF(trigger_type = 'cron', 'schedule', 'automation'), ?, 'cron', "
			. "'success', 1, 0, 0, 1 FROM job WHERE id = ?", undef, $id, $id, $at->{job});
		return $id },
	# As a workspace's admins see them, each with three runs.
	sch => sub {
		my ($w, $at, $id) = @_;
		$w->make(job => %$at, id => $id);
		$w->make(run => art => $at->{art}, job => $id) for 1 .. 3;
		return $id;
	},
	trg => sub { my ($w, $at, $id) = @_; return $w->make(sch => %$at, id => $id, event => 1) },
	ws_run => sub {
		my ($w, $at, $id) = @_;
		return $w->make(run => art => $at->{art}, job => $w->make(job => %$at, id => undef), id => $id);
	},
	# With all that a subscription leaves.
	ivc => sub { my ($w, $at, $id) = @_; my ($db, $ws, $sub) = ($w->{db}, $at->{ws}, 'sub_' . substr $at->{ws}, 4);
		$db->do("INSERT INTO billing_account (workspace_id, customer, card_id, card_saved_by, last_invoice_no) VALUES (?, 'cus_1', "
			. "'card_1', ?, 1) ON DUPLICATE KEY UPDATE last_invoice_no = last_invoice_no + 1", undef, $ws, $at->{user});
		$db->do("INSERT IGNORE INTO subscription (id, workspace_id, live_of, plan_id, price_cents, currency, seats, anchor_at, "
			. "period_start, period_end, due_at, created_by, created_at) "
			. "VALUES (?, ?, ?, 'pro', 800, 'USD', 9, 0, 0, 4000000000, 4000000000, ?, 0)", undef, $sub, $ws, $ws, $at->{user});
		$db->do("UPDATE workspace SET paid_plan = 'pro', paid_until = 4000000000 + 14 * 86400, paid_seats = 9 WHERE id = ?",
			undef, $ws);
		$db->do("INSERT INTO invoice (id, workspace_id, no, subscription_id, kind, status, amount_cents, currency, period_start, "
			. "period_end, description, line_items, intent, asked_by, payment_id, check_at, created_at) "
			. "SELECT ?, ?, last_invoice_no, ?, 'renew', 'paid', 800, 'USD', 0, 1, 'x', '[]', '{}', ?, ?, 4000000000, 0 "
			. "FROM billing_account WHERE workspace_id = ?", undef, $id, $ws, $sub, $at->{user}, "pay_$id", $ws);
		$db->do("INSERT INTO invoice_try (invoice_id, no, at, state, check_at) VALUES (?, 1, 0, 'paid', NULL)", undef, $id);
		$db->do("INSERT INTO subscription_move (subscription_id, no, workspace_id, what, user_id, invoice_id, amount_cents, at) "
				. "SELECT ?, last_invoice_no, ?, 'renewed', ?, ?, 800, 0 FROM billing_account WHERE workspace_id = ?",
			undef, $sub, $ws, $at->{user}, $id, $ws);
		$db->do("INSERT INTO billing_checkout (nonce_sha256, workspace_id, purpose, amount_cents, currency, made_by, made_at, "
			. "expires_at, used_at, check_at) VALUES (UNHEX(SHA2(?, 256)), ?, 'card', 0, 'USD', ?, 0, 4000000000, 1, NULL)",
			undef, $id, $ws, $at->{user});
		$db->do("INSERT INTO billing_refund (payment_id, workspace_id, why, made_at) VALUES (?, ?, 'x', 0)",
			undef, "pay_back_$id", $ws);
		$db->do("INSERT INTO billing_event (id, kind, payment_id, received_at) VALUES (?, 'x', 'x', UNIX_TIMESTAMP())",
			undef, "evt_$id");
		$db->do('INSERT INTO billing_trial_card VALUES (UNHEX(SHA2(?, 256)), 0)', undef, $id);
		return $id },
	hook => sub { return 'x' x 24 },
	surface => sub { return 'schedule' },
	chat => sub { return 'chat_a' },
	watch => [metric_watch => artifact_id => 'art', created_by => 'user', table_name => "'guests'", kind => "'row_count'",
		threshold_pct => 10, created_at => 0],
	alert => [metric_alert => artifact_id => 'art', name => "'x'", table_name => "'guests'", kind => "'row_count'", op => "'above'",
		value => 1, breaches => 1, enabled => 1, state_since => 0, created_at => 0, updated_at => 0],
	dst => [metric_destination => alert_id => 'alert', place => 0, type => "'email'", email => "'x\@example.org'"],
	tok => [token => hash => 'UNHEX(SHA2(id, 256))', user_id => 'user', name => 'id', created_at => 0, expires_at => 4000000000],
	ses => [session => hash => 'UNHEX(SHA2(id, 256))', user_id => 'user', kind => "'password'", created_at => 'UNIX_TIMESTAMP()',
		last_used_at => 'UNIX_TIMESTAMP()', expires_at => 4000000000, address => "''", agent => "''"],
	idn => [identity => issuer => "'https://x.example'", subject => 'id', user_id => 'user', email => "''", created_at => 0,
		last_used_at => 0],
	# A connected agent, which changed three things.
	ogr => sub { my ($w, $at, $id) = @_;
		$w->{db}->do("INSERT INTO agent_grant (id, user_id, workspace_id, own_only, scopes, client_id, name, host, created_at, "
			. "expires_at, last_used_at, code_hash, code_until, redeemed, redirect_uri, challenge, reap_at)"
			. " VALUES (?, ?, ?, 0, 15, 'x', 'x', 'x.example', 0, 4000000000, 0, UNHEX(SHA2(?, 256)), 0, 1, "
			. "'https://x.example/', 'x', 4000000000)", undef, $id, $at->{user}, $at->{ws}, $id);
		$w->{db}->do('INSERT INTO agent_refresh (hash, grant_id, expires_at) VALUES (UNHEX(SHA2(?, 256)), ?, 4000000000)',
			undef, $id, $id);
		$w->{db}->do("INSERT INTO agent_act (id, grant_id, at, what, artifact_id, request_id) "
			. "VALUES (?, ?, UNIX_TIMESTAMP(), 'x', ?, 'x')", undef, $w->id('act'), $id, $at->{art}) for 1 .. 3;
		return $id },
	# What it did last: another name for the artifact.
	act => sub { my ($w, $at, $id) = @_;
		$w->{db}->do("INSERT INTO agent_act (id, grant_id, at, what, artifact_id, name, request_id, was_name) VALUES (?, ?, "
			. "UNIX_TIMESTAMP(), 'Changed the settings of', ?, (SELECT name FROM artifact WHERE id = ?), 'x', 'Before')",
			undef, $id, $at->{ogr}, $at->{art}, $at->{art});
		return $id },
	inv => [invite => workspace_id => 'ws', email => 'email', role => "'member'", status => "'pending'", hash => 'UNHEX(SHA2(id, 256))',
		invited_by => 'user', created_at => 0, sent_at => 0, mailed => 0, expires_at => 4000000000],
	apr => [approval => workspace_id => 'ws', artifact_id => 'art', version_no => 1, visibility => "'public'", requested_by => 'user',
		required => 1, created_at => 0, expires_at => 4000000000],
	# Of an agent that they have connected.
	sta => sub { my ($w, $at, $id) = @_;
		$w->{db}->do("INSERT INTO standing_approval (id, artifact_id, grant_id, visibility, granted_by, created_at, expires_at) "
				. "VALUES (?, ?, ?, 'public', ?, 0, 4000000000)",
			undef, $id, $at->{art}, $w->make(ogr => %$at, id => undef), $at->{user});
		return $id },
	name => sub {
		my ($w, $at) = @_;
		my $name = $at->{name} // 'README.md';
		$w->{db}->do("INSERT IGNORE INTO context_file VALUES (?, ?, 'x', UNHEX(SHA2('x', 256)), 1, 0, ?)",
			undef, $at->{ws}, $name, $at->{user});
		return $name;
	},
	loose => sub { my ($w, $at, $id) = @_;
		$w->{db}->do("INSERT INTO asset_blob (id, bucket_id, workspace_id, user_id, filename, mime, sha256, size_bytes, "
			. "created_at) VALUES (?, CONCAT('bkt_', SUBSTR(?, 5)), ?, ?, 'x.txt', 'text/plain', UNHEX(SHA2(?, 256)), ?, 0)",
			undef, $id, $at->{ws} // $at->{user}, $at->{ws}, $at->{user}, $at->{bytes} // 'x', length($at->{bytes} // 'x'));
		return $id },
	dlv => sub { my ($w, $at, $id) = @_;
		$w->{db}->do("INSERT INTO deliverable (id, bucket_id, workspace_id, owner_id, name, visibility, version, blob_id, "
				. "created_at, updated_at) VALUES (?, CONCAT('bkt_', SUBSTR(?, 5)), ?, ?, 'x.txt', 'private', 3, '', 0, 0)",
			undef, $id, $at->{ws} // $at->{user}, $at->{ws}, $at->{user});
		for my $version (1 .. 3) {
			my $blob = $w->{latest} = $w->make(loose => %$at, id => undef);
			$w->{db}->do("INSERT INTO deliverable_version (deliverable_id, version, blob_id, created_by, created_at) "
				. "VALUES (?, ?, ?, ?, 0)", undef, $id, $version, $blob, $at->{user});
			$w->{db}->do('UPDATE asset_blob SET deliverable_id = ? WHERE id = ?', undef, $id, $blob);
			$w->{db}->do('UPDATE deliverable SET blob_id = ? WHERE id = ?', undef, $blob, $id);
		}
		# Its own bytes are the picture of them.
		$w->{db}->do('INSERT IGNORE INTO asset_preview (input_sha256, film, sha256, size_bytes) '
			. 'SELECT sha256, 0, sha256, size_bytes FROM asset_blob WHERE deliverable_id = ?', undef, $id);
		return $id },
	grt => sub { my ($w, $at, $id) = @_;
		$w->{db}->do("INSERT INTO share_grant (id, workspace_id, subject_type, subject_id, resource_type, resource_id, capability, "
				. "created_by, created_at) VALUES (?, ?, 'sharee', ?, 'folder', ?, 'view', ?, 0)",
			undef, $id, $at->{ws}, (map { $w->make($_ => %$at, id => undef) } qw(shr fld)), $at->{user});
		return $id },
	# A folder with three in it, of a workspace of its own, that the user was given.
	shared_fld => sub { my ($w, $at, $id) = @_; my $ws = $w->id('ws');
		$w->{db}->do("INSERT INTO workspace (id, name, slug, people, features_on, created_at, updated_at) "
			. "VALUES (?, 'Shares', CONCAT('shares-', RIGHT(?, 12)), 0, 1, 0, 0)", undef, $ws, $ws);
		$w->{db}->do('INSERT INTO folder (id, workspace_id, parent_id, name, name_key, created_at, updated_at) VALUES (?, ?, ?, '
			. '?, ?, 0, 0)', undef, $_->[0], $ws, $_->[1], $_->[0], $_->[0]) for [$id], map { [$w->id('fld'), $id] } 1 .. 3;
		$w->{db}->do("INSERT INTO share_grant (id, workspace_id, subject_type, subject_id, resource_type, resource_id, capability, "
				. "created_at) VALUES (?, ?, 'external_user', ?, 'folder', ?, 'view', 0)",
			undef, $w->id('grt'), $ws, $at->{user}, $id);
		$w->{db}->do('UPDATE user SET outside = TRUE WHERE id = ?', undef, $at->{user});
		return $id },
	# What a person wrote, changed once, beside which there is a newer text as of a page.
	'+note' => sub { my ($w, $at, $id) = @_; my $path = $at->{note} // "guides/$id.md";
		$w->{db}->do("INSERT INTO note (id, workspace_id, path, path_key, title, size_bytes, sha256, origin, created_at, "
			. "updated_at, updated_by) VALUES (?, ?, ?, UNHEX(SHA2(?, 256)), 'x', 1, UNHEX(SHA2('x', 256)), 'human', 0, 0, ?)",
			undef, $id, $at->{ws}, ($path) x 2, $at->{user});
		$w->{db}->do("INSERT INTO note_text VALUES (?, 'x')", undef, $id);
		$w->{db}->do("INSERT INTO note_edit VALUES (?, 1, 'y', 1, 0, FALSE, ?)", undef, $id, $at->{user});
		$w->{db}->do("INSERT INTO note_newer VALUES (?, 1, 'z', 'z', 0)", undef, $id);
		return $path },
	# What was learned of {art}, with links.
	note => sub { my ($w, $at, $id) = @_; my $text = $at->{content} // '[[index]]';
		$w->{db}->do("INSERT INTO note (id, workspace_id, title, size_bytes, sha256, origin, artifact_id, version_no, learned_at, "
				. "created_at, updated_at) VALUES (?, ?, 'x', LENGTH(?), UNHEX(SHA2(?, 256)), 'learned', ?, 1, 0, 0, 0)",
			undef, $id, $at->{ws}, ($text) x 2, $at->{art});
		$w->{db}->do('INSERT INTO note_text VALUES (?, ?)', undef, $id, $text);
		my $no = 0;
		for my $slug ($text =~ m{\[\[pages/([a-z0-9-]+)\]\]}g) {
			$w->{db}->do("INSERT INTO note_link VALUES (?, ?, ?, CONCAT('pages/', ?, '.md'), NULL, ?, 'From ', "
				. "CONCAT('pages/', ?), '')", undef, $id, $no++, $at->{ws}, ($slug) x 3);
		}
		return $id },
	own_loose => sub { my ($w, $at, $id) = @_; return $w->make(loose => id => $id, user => $at->{user}, bytes => $at->{bytes}) },
	own_dlv => sub { my ($w, $at, $id) = @_; return $w->make(dlv => id => $id, user => $at->{user}, bytes => $at->{bytes}) },
	col => sub { my ($w, $at, $id) = @_;
		$w->{db}->do("INSERT INTO asset_collection (id, bucket_id, workspace_id, user_id, name, created_at) VALUES (?, "
			. "CONCAT('bkt_', SUBSTR(?, 5)), ?, ?, 'x.txt', 0)", undef, $id, $at->{ws} // $at->{user}, $at->{ws}, $at->{user});
		$w->{db}->do('INSERT INTO asset_collection_file VALUES (?, 0, ?)', undef, $id, $w->make(dlv => %$at, id => undef));
		return $id },
	lnk => sub { my ($w, $at, $id) = @_;
		$w->{db}->do("INSERT INTO delivery_link (id, hash, sealed, collection_id, bucket_id, workspace_id, user_id, name, gate, "
			. "created_at) VALUES (?, UNHEX(SHA2(?, 256)), 'x', ?, CONCAT('bkt_', SUBSTR(?, 5)), ?, ?, 'x.txt', 'none', 0)",
			undef, $id, secret_of($id), $w->make(col => %$at, id => undef), $at->{ws} // $at->{user}, $at->{ws}, $at->{user});
		return $id },
	own_col => sub { my ($w, $at, $id) = @_; return $w->make(col => id => $id, user => $at->{user}) },
	own_lnk => sub { my ($w, $at, $id) = @_; return $w->make(lnk => id => $id, user => $at->{user}) },
	# Of the delivery that was made last.
	delivered => sub { my ($w) = @_; return $w->{latest} // $w->id('delivered') },
	# To whom it is not theirs it is as if it were over.
	delivery => sub {
		my ($w, $at, $id) = @_;
		$w->make(lnk => id => $id, user => $at->{user});
		$w->{db}->do('UPDATE delivery_link SET revoked_at = 1 WHERE id = ?', undef, $id) if $at->{over};
		return secret_of($id);
	},
	upload => sub { my ($w, $at, $id) = @_; my $secret = Vitrine::Stack::secret('upt_', sprintf '%043s', substr($id, -26));
		$w->{db}->do("INSERT INTO asset_upload (id, hash, bucket_id, workspace_id, user_id, expires_at) "
				. "VALUES (?, UNHEX(SHA2(?, 256)), CONCAT('bkt_', SUBSTR(?, 5)), ?, ?, 4000000000)",
			undef, $id, $secret, $at->{ws} // $at->{user}, $at->{ws}, $at->{user});
		return $secret },
	document => sub {
		my ($w, $at) = @_;
		$w->{db}->do("INSERT IGNORE INTO document VALUES (?, '{}', UNHEX(SHA2('{}', 256)), 2, 1)", undef, $at->{art});
	},
	map({ %{$_->{make} // {}} } @nouns),
);

# Its id, or its name. An array of %make has the table and its columns, each as SQL or as a word of {}.
sub make {
	my ($w, $kind, %at) = @_;
	my $id = $at{id} // $w->id($kind);
	my $how = $make{$kind} // die "a thing of the kind $kind\n";
	if (ref $how eq 'CODE') {
		my $said = $how->($w, \%at, $id);
		return $kind eq 'row' ? $id : $said;
	}
	my ($table, %as) = @$how;
	my %word = (%at, email => $at{email} // "$id\@x.example");
	my @names = sort keys %as;
	my @values = map { /^(?:art|ws|user|job|alert|email)$/ ? $w->{db}->quote($word{$_}) : s/\bid\b/$w->{db}->quote($id)/er }
		@as{@names};
	$w->{db}->do("INSERT INTO $table (id, " . join(', ', @names) . ') VALUES (' . join(', ', $w->{db}->quote($id), @values) . ')');
	return $id;
}

# Someone with a workspace and three of each thing that a list can have, all of them theirs: {who}, and an id or a name for each parameter
# of openapi.json.
sub tenant {
	my ($w, $api, $name, $guest) = @_;
	my ($db, $who) = ($w->{db}, $api->{stack}->user("$name\@example.org"));
	my $ask = sub {
		my ($method, $path, $json) = @_;
		my $r = $api->call($method => $path, { token => $who->{token}, json => $json });
		die "$method $path: $r->{status} $r->{body}\n" if $r->{status} >= 300;
		return $r->{json};
	};
	my ($ws) = map { $ask->(POST => '/v1/workspaces', { name => "Team $_ of $name" })->{workspace}{id} } 1 .. 3;
	# Everything that a plan can open.
	$db->do('UPDATE workspace SET features_on = 63 WHERE id = ?', undef, $ws);
	my @art = map { $api->publish($who, slug => "$name-$_", workspace_id => $ws, visibility => 'private',
		views => 'all', files => { map { ("$_.html" => "$name $_", "$_.txt" => $_) } qw(index b c) }) } 1 .. 3;
	my $art = $art[0];
	for my $version (2, 3) {
		$api->publish($who, artifact_id => $art, views => 'all',
			files => { map { ("$_.html" => "$name $_ $version", "$_.txt" => $_) } qw(index b c) });
	}
	my %at = (art => $art, ws => $ws, user => $who->{id});
	$w->make(document => %at);
	my %t = (who => $who, artifact_id => $art, workspace_id => $ws, version_no => 1, path => 'index.html', slug => "$name-1",
		provider => 'none', chat => 'chat_a', logo => 'f' x 32, template => 'guestbook');
	for my $n (3, 2, 1) {
		my $friend = $api->{stack}->user("$name-$n\@example.org");
		$api->{stack}->seat($ws, $friend, 'member');
		$db->do("INSERT INTO collaborator (artifact_id, user_id, role, created_at) VALUES (?, ?, 'viewer', 0)",
			undef, $art, $friend->{id});
		$db->do('INSERT INTO run_notice (workspace_id, user_id) VALUES (?, ?)', undef, $ws, $friend->{id});
		@t{qw(user_id email)} = ($friend->{id}, "$name-$n%40example.org");
		$t{table} = $w->make(table => %at, name => 'guests' . ($n > 1 ? $n : ''));
		$t{name} = $w->make(name => %at, name => $n > 1 ? "$n.md" : 'README.md');
		$t{note_path} = $w->make('+note' => %at, note => "guides/$n.md");
		$w->make(job => %at) if $at{job};
		$at{job} //= $w->make(job => %at);
		$at{alert} = $w->make(alert => %at);
		$t{$_} = $w->make($kind{$_}, %at) for grep {
			!/^(?:job_id|alert_id|token_id|approval_id|act_id|sharee_id|external_user_id|external_token_id)$/
				&& ref $make{$kind{$_}} && $kind{$_} !~ /^(?:table|name|\+note)$/;
		} sort keys %kind;
		# The last has a job on each artifact.
		$db->do('UPDATE job SET connection_id = ? WHERE id = ?', undef, $t{connection_id}, $w->make(job => %at, art => $_))
			for $n == 1 ? @art : ();
		$w->make(shr => %at) if $at{shr};
		$at{shr} //= $w->make(shr => %at);
		$w->make(ext => %at) if $at{ext};
		$at{ext} //= $w->make(ext => %at);
		@t{qw(sharee_id external_user_id external_token_id)} = (@at{qw(shr ext)}, $w->make(ext_tok => %at));
		@t{qw(job_id alert_id)} = @at{qw(job alert)};
		$t{act_id} = $w->make(act => %at, ogr => $t{agent_id});
		$t{approval_id} = $w->make(apr => %at, art => $art[$n - 1]);
		$t{token_id} = $ask->(POST => "/v1/workspaces/$ws/agent-tokens",
			{ name => "A$n", scopes => ['data:read'] })->{agent_token}{id};
		$w->make(tok => %at);
		$w->make(inv => %at, ws => $ask->(POST => '/v1/workspaces', { name => "Other $n of $name" })->{workspace}{id},
			email => $guest) if $guest;
	}
	$db->do('UPDATE data_table t SET row_count = (SELECT COUNT(*) FROM data_row r WHERE r.table_no = t.no)');
	$db->do('INSERT INTO asset_bucket (id, files, bytes) SELECT bucket_id, COUNT(*), SUM(size_bytes) FROM asset_blob WHERE user_id = ? '
		. 'GROUP BY bucket_id', undef, $who->{id});
	$db->do('INSERT INTO blob_usage (artifact_id, blobs, bytes) VALUES (?, 3, 3)', undef, $art);
	return \%t;
}

1;
