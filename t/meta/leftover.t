# SPDX-License-Identifier: Apache-2.0
# Nothing is left behind by accident. What a purge takes is compared with the schema. Then, for each thing that can end: somebody makes one
# of everything, it happens, the runner does its rounds, and the rows of whatever table the schema has that are as before must be in a table
# of reasons.
use Vitrine::Otp;
use Vitrine::Visitor;
use Vitrine::World;
use Vitrine::Words;

# Nobody takes its mail, so what is sent stays in the outbox.
my ($stack, $api, $db) = stack(smtp_url => 'smtp://127.0.0.1:1', mail_from => 'no-reply@example.org', grace_s => 0,
	map { $_ => 100_000 } qw(publish_per_hour mail_links_per_hour device_starts_per_hour access_requests_per_hour));

# ---- what a purge takes, some at a time

my %outlives = (slug => 'is kept for its owner for trash_days');
my (%purged, $n);
for my $text (map { Vitrine::Stack::slurp($_) } glob "$ENV{VITRINE_TOP}/src/*/*.c") {
	while ($text =~ /^PURGES\((.*?)\);$/msg) {
		my $what = $1;
		$purged{$1 // $2 // $3} = ++$n while $what
			=~ /ROWS_OF\((\w+)\)|"DELETE FROM (\w+) WHERE artifact_id = \? [^"]*LIMIT \?"|"UPDATE (\w+) SET artifact_id = NULL[^"]* WHERE artifact_id = \? LIMIT \?"/g;
	}
}
my @keys = @{$db->selectall_arrayref('SELECT TABLE_NAME, REFERENCED_TABLE_NAME, COLUMN_NAME FROM information_schema.KEY_COLUMN_USAGE '
	. 'WHERE TABLE_SCHEMA = DATABASE() AND REFERENCED_TABLE_NAME IS NOT NULL')};
my @columns = @{$db->selectall_arrayref("SELECT TABLE_NAME, COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() "
	. "ORDER BY TABLE_NAME, ORDINAL_POSITION")};
my %of = map { $_ => 1 } (map { $_->[0] } grep { $_->[1] =~ /^(?:artifact|version)$/ } @keys),
	map { $_->[0] } grep { $_->[1] eq 'artifact_id' } @columns;
cmp_ok scalar(keys %purged), '>', 15, 'nouns declare what goes with an artifact';
is join(' ', grep { !$purged{$_} && !$outlives{$_} } sort keys %of), '', 'PURGES has each table that names an artifact';
is join(' ', map { "$_->[0] before $_->[1]" } grep { $purged{$_->[0]} && $purged{$_->[1]} && $purged{$_->[0]} > $purged{$_->[1]} } @keys),
	'', 'what refers to others goes first';

# ---- one of everything

sub as {
	my ($who, $method, $path, $json, %o) = @_;
	my $r = $api->call($method => $path, { ($who ? (token => $who->{token}) : ()), ($json ? (json => $json) : ()), %o });
	$r->{status} =~ /^2/ or BAIL_OUT("$method $path: $r->{body}");
	return $r->{json};
}
sub runner { my ($status, undef, $err) = $stack->runner; is $status, 0, 'the runner did its rounds' or diag $err }
sub visitor {
	my ($who) = @_;
	my $v = Vitrine::Visitor->new(Vitrine::Api->new($stack));
	$v->sign_in($who->{email}, 'the password');
	return $v;
}
my ($own, $ann, $asks) = map { $stack->user("$_\@example.org") } qw(own ann asks);
$stack->ctl_in("the password\n", qw(user password), $_->{email}) for $own, $ann;
my $ann_in = visitor($ann);
my $elsewhere = as($own, POST => '/v1/workspaces', { name => 'Elsewhere' })->{workspace}{id};
$db->do('UPDATE workspace SET features_on = 63 WHERE id = ?', undef, $elsewhere);
my $private = $api->publish($own, slug => 'private', visibility => 'private');

# What is of a person and of nothing else. In browsers, they approve a device, and set a second factor up that another turns on; a third is
# asked for it.
sub lives {
	my ($name, $who) = @_;
	$db->do('INSERT INTO password SELECT ?, hash, 0 FROM password WHERE user_id = ?', undef, $who->{id}, $own->{id});
	as($who, POST => '/v1/publish', { name => 'Mine', slug => "mine-$name",
		files => [{ path => 'index.html', content => "mine $name" }] }, headers => { 'Idempotency-Key' => "key-$name" });
	as($who, POST => '/v1/access-requests', { artifact_id => $private });
	as($who, PUT => '/v1/inbox/settings', { ways => { mention => 'page' } });
	my $client = as($own, POST => "/v1/workspaces/$elsewhere/sharees", { name => $name })->{sharee}{id};
	as($own, POST => "/v1/workspaces/$elsewhere/sharees/$client/members", { email => $who->{email} });
	as($own, POST => "/v1/workspaces/$elsewhere/sharees/$client/members/$who->{id}/tokens", { scopes => ['data:read'] });
	my $shared = as($own, POST => "/v1/workspaces/$elsewhere/folders", { name => "Shared with $name" })->{folder}{id};
	as($own, POST => "/v1/workspaces/$elsewhere/grants", { subject_type => 'external_user', subject_id => $who->{id},
		resource_type => 'folder', resource_id => $shared, capability => 'view' });
	$db->do("INSERT INTO sharee_act (id, workspace_id, user_id, action, resource_type, resource_id, resource_name, at, slice) "
		. "VALUES (?, ?, ?, 'view', 'folder', ?, 'x', UNIX_TIMESTAMP(), 0)", undef, "sac_$name", $elsewhere, $who->{id}, $shared);
	as($own, POST => "/v1/workspaces/$elsewhere/members/invite", { emails => [$who->{email}] });
	my @in = map { visitor($who) } 1, 2;
	$in[0]->go('/auth/device?code=' . as(undef, POST => '/v1/auth/device/start', {})->{user_code});
	$in[0]->submit(qr{^/auth/device$}, { action => 'approve' });
	$_->go('/auth/account/factor') for @in;
	my ($secret) = map {
		$_->submit(qr{/start$}, { password => 'the password' })->{text} =~ m{<span>((?:[A-Z2-7]{4} ?){8})</span>};
	} @in[1, 0];
	$in[1]->submit(qr{/on$}, { code => Vitrine::Otp->new($secret)->code });
	visitor($who)->send(POST => '/auth/password/forgot', body => "email=$who->{email}",
		headers => { 'Content-Type' => 'application/x-www-form-urlencoded' });
	# What providers, a mail server, and merging make.
	$db->do("INSERT INTO identity VALUES ('https://x.example', ?, ?, ?, ?, 0, 0)",
		undef, $name, "idn_$name", $who->{id}, $who->{email});
	$db->do('INSERT INTO email_alias VALUES (?, ?)', undef, "alias-$name\@example.org", $who->{id});
	$db->do("INSERT INTO provider_login (state_hash, browser_hash, provider, nonce, verifier, next, link_session_id, expires_at) "
		. "SELECT hash, '', 'x', '', '', '/', id, 9999999999 FROM session WHERE user_id = ? LIMIT 1", undef, $who->{id});
	$db->do("INSERT INTO mail_failed VALUES (?, ?, 'mail_test', 1, UNIX_TIMESTAMP(), '')", undef, "out_$name", $who->{email});
}

# A workspace, an artifact in it, and somebody who is an admin there and has made what there can be: {name, ws, art, who, agent}.
my $things = Vitrine::World->new($stack);
sub world {
	my ($name, $person) = @_;
	my $who = $person ? $stack->user("$name\@example.org") : $ann;
	my $ws = as($own, POST => '/v1/workspaces', { name => "Team $name", slug => "team-$name" })->{workspace}{id};
	my $at = "/v1/workspaces/$ws";
	$db->do('UPDATE workspace SET features_on = 63 WHERE id = ?', undef, $ws);
	as($own, POST => "$at/members", { user_id => $who->{id}, role => 'admin' });
	as($own, POST => "$at/members/$who->{id}/tokens", { name => 'CI' });
	as($who, PUT => "$at/access-policy", { allowed_domains => ['example.org'], allowed_emails => [] });
	as($who, POST => "$at/subdomain", { enabled => Cpanel::JSON::XS::true });
	as($who, PUT => "$at/context/README.md", { content => 'x' });
	as($who, POST => "$at/members/invite", { emails => ["invited-$name\@example.org"] });
	my $bot = as($who, POST => "$at/agent-tokens", { name => 'A', scopes => ['artifacts:publish'] });
	as($bot, POST => '/v1/publish',
		{ name => 'Made', workspace_id => $ws, files => [{ path => 'index.html', content => "made $name" }] });
	my $connection = as($who, POST => "$at/connections", { provider => 'http', name => 'Orders', auth_mode => 'member',
		config => { base_url => 'https://api.example.org', auth => 'bearer' } })->{connection}{id};
	as($who, PUT => "$at/connections/$connection/my-credentials", { token => 'x' });
	as($who, POST => "$at/catalog/enable", { enabled => Cpanel::JSON::XS::true });
	# As of somebody who was sent to a service.
	$db->do("INSERT INTO connection_state (hash, workspace_id, user_id, provider, sealed, expires_at) "
		. "VALUES (UNHEX(SHA2(?, 256)), ?, ?, 'crm', 'x', 9999999999)", undef, $name, $ws, $who->{id});
	my $client = as($who, POST => "$at/sharees", { name => 'Client' })->{sharee}{id};
	my $guest = as($who, POST => "$at/sharees/$client/members", { email => "guest-$name\@example.org" })->{member}{id};
	as($who, POST => "$at/sharees/$client/members/$guest/tokens", { scopes => ['data:read'] });
	as($who, PUT => "$at/sharees/$client/context/README.md", { content => 'x' });
	my $folder = as($who, POST => "$at/folders", { name => 'Folder' })->{folder}{id};
	my $art = as($own, POST => '/v1/publish', { name => 'Site', slug => "site-$name", workspace_id => $ws, folder_id => $folder,
		views => 'all', files => [{ path => 'index.html', content => "of $name" },
			{ path => 'a.md', content => 'x' }] })->{artifact}{id};
	$db->do("INSERT INTO merge_candidate VALUES (?, ?, ?, 1, '{}', UNIX_TIMESTAMP(), 9999999999)",
		undef, 'cnd_' . substr($art, 4), $art, $who->{id});
	$db->do("INSERT INTO merge_file VALUES (?, 'index.html', ?, UNHEX(SHA2(?, 256)), 1, 'text/html', FALSE, TRUE)",
		undef, 'cnd_' . substr($art, 4), $art, "of $name");
	as($who, PUT => "$at/knowledge/files/guides/$name.md", { content => "$_ [[index]]" }) for 1, 2;
	as($who, POST => "$at/knowledge/enable", { enabled => Cpanel::JSON::XS::true });
	$db->do("INSERT INTO note_newer VALUES (?, 2, 'x', 'x', 0)", undef, $things->make(note => ws => $ws, art => $art));
	$things->make(ivc => ws => $ws, user => $who->{id});
	as($who, POST => "$at/knowledge/backfill", { artifact_ids => [$art] });
	$db->do('INSERT INTO learning_day (workspace_id, day) VALUES (?, CURRENT_DATE)', undef, $ws);
	as($asks, POST => '/v1/access-requests', { artifact_id => $art });
	as($who, POST => "$at/grants", { subject_type => 'sharee', subject_id => $client, resource_type => $_->[0], resource_id => $_->[1],
		capability => 'view' }) for [folder => $folder], [artifact => $art];
	$db->do("INSERT INTO sharee_act (id, workspace_id, user_id, action, resource_type, resource_id, resource_name, at, slice) "
		. "VALUES (?, ?, ?, 'view', 'artifact', ?, 'x', UNIX_TIMESTAMP(), 0)", undef, "sac_of-$name", $ws, $guest, $art);
	as($own, POST => "/v1/artifacts/$art/collaborators", { emails => [$who->{email}, "new-$name\@example.org"], role => 'editor' });
	as($own, PUT => "/v1/artifacts/$art/proxy", { hosts => ['api.example.org'] });
	as($who, PUT => "/v1/artifacts/$art/favorite");
	as($who, GET => "/v1/artifacts/$art");
	$things->make(ogr => user => $who->{id}, ws => $ws, art => $art);
	$things->make(sta => user => $who->{id}, ws => $ws, art => $art);
	as($who, PUT => "/v1/data/$art/json", { n => 1 });
	for my $library ("$at/assets", '/v1/assets') {
		my @sent = map { as($who, POST => "$library/upload", {}) } 1 .. 3;
		as(undef, PUT => $_->{uploadUrl} =~ s{^https://[^/]+}{}r, undef, body => "%PDF-1.7 an asset of $name") for @sent[0, 1];
		my $file = as($who, POST => "$library/deliverables", { blobId => $sent[0]{tokenId} })->{deliverable}{id};
		my $bundle = as($who, POST => "$library/collections", { deliverableIds => [$file] })->{collection}{id};
		my $link = as($who, POST => "$library/collections/$bundle/share", { domains => ['example.org'] })->{link}{id};
		$db->do("INSERT INTO delivery_code (link_id, email, code, expires_at) VALUES (?, 'x', '000000', 4000000000)", undef, $link);
	}
	as($who, PUT => "/v1/data/$art/blobs?filename=x.txt", undef, body => "bytes of $name");
	as($who, PUT => "/v1/data/$art/tables/guests", { columns => [{ name => 'a', type => 'text' }] });
	# As of an older release, whose tables have entries of all columns.
	$db->do('UPDATE data_table SET indexed = -1 WHERE artifact_id = ?', undef, $art);
	as($who, POST => "/v1/data/$art/tables/guests/rows", { rows => [{ a => 'x' }] });
	$db->do("INSERT INTO data_summary SELECT no, UNHEX(SHA2('', 256)), 0, '{}', 1, 1, 0, 1 FROM data_table "
		. "WHERE artifact_id = ? AND name = 'guests'", undef, $art);
	as($who, PUT => "/v1/data/$art/tables/keyed", { columns => [{ name => 'a', type => 'text' }], key => 'a', rows => [{ a => 'x' }] });
	$db->do("INSERT INTO operation (id, artifact_id, table_no, table_name, kind, state, asked, created_by, created_at, ended_at) "
		. "VALUES (?, ?, 1, 'guests', 'retype', 'done', '{}', ?, 1, UNIX_TIMESTAMP())",
		undef, 'opr_' . substr($art, 4), $art, $who->{id});
	as($who, PUT => "/v1/data/$art/policy", { policy => { tables => { guests => { read => 'true' } } } });
	$db->do("INSERT INTO declared VALUES (?, ?, '{}', 0)", undef, $art, "document: {of: $name}");
	$db->do('INSERT INTO data_pace SELECT no, ?, UNIX_TIMESTAMP() DIV 3600, 1, 0 FROM data_table '
		. "WHERE artifact_id = ? AND name = 'guests'", undef, $who->{id}, $art);
	as($who, PUT => "/v1/data/$art/tables/gone", { columns => [{ name => 'a', type => 'text' }] });
	as($who, DELETE => "/v1/data/$art/tables/gone");
	as($who, POST => "/v1/data/$art/imports", { text => "n\n1\n" });
	as($who, POST => '/v1/support/tickets', { subject => "of $name", body => 'x', workspaceId => $ws });
	my $entry = as($who, PUT => "$at/catalog/files", { path => 'guests.md', content =>
		"---\nsource: {artifact: site-$name, table: guests}\nupstream: [from.md]\n---\nwhat [it](from.md) means" })->{entry}{id};
	as($who, PUT => "$at/knowledge/files/guests.md", { content => "[them](/w/$ws/catalog/$entry)" });
	as($who, POST => "/v1/artifacts/$art/comments", { text => 'said', mentions => [$who->{id}] });
	as($who, POST => '/v1/metric-watch', { artifact_id => $art, table => 'guests', kind => 'row_count' });
	my $alert = as($who, POST => '/v1/metric-alerts', { artifact_id => $art, name => 'x', table => 'guests', kind => 'row_count',
		op => 'above', value => 5, destinations => [{ type => 'email', email => $who->{email} }] })->{alert}{id};
	as($who, POST => "/v1/metric-alerts/$alert/subscribe");
	as($who, POST => "/v1/data/$art/tables/guests/views", { name => $_, scope => $_ }) for qw(private shared);
	as($who, POST => "/v1/data/$art/charts", { name => 'x', kind => 'bar', table => 'guests', group => 'a', alert_id => $alert });
	my $job = as($who, POST => '/v1/jobs', { artifact_id => $art, action => 'email', schedule => '0 0 1 1 *',
		config => { recipients => ["job-$name\@example.org"], subject => 'x' } })->{job}{id};
	as($who, POST => "/v1/jobs/$job/run");
	as($who, PUT => "$at/runs/told", { user_ids => [$who->{id}] });
	$db->do('INSERT INTO page_text (artifact_id, version_no, body) VALUES (?, 1, ?)', undef, $art, "what is read on $name");
	$db->do('INSERT INTO search_due (kind, id) VALUES (1, ?) ON DUPLICATE KEY UPDATE user_id = NULL', undef, $art);
	$db->do("REPLACE INTO learning (artifact_id, workspace_id, outcome, says, wanted_at, at) VALUES (?, ?, 'skipped', ?, 0, 0)",
		undef, $art, $ws, "of $name");
	$db->do("INSERT INTO learning_day VALUES (?, '2100-01-01', 1)", undef, $ws);
	$db->do("INSERT INTO domain (id, artifact_id, host, secret, answer, waits_at, created_at) VALUES "
		. "(CONCAT('dom_', LEFT(MD5(?), 26)), ?, ?, 'x', 'x', 0, 0)", undef, $art, $art, "$name.example.org");
	$db->do("INSERT INTO run_day VALUES (?, UNIX_TIMESTAMP() DIV 86400, 'schedule', 1, 1, 1, 1, 1)", undef, $ws);
	$db->do('INSERT INTO job_attempt (run_id, no, started_at, duration_ms) SELECT id, 1, 1, 1 FROM job_run WHERE job_id = ?',
		undef, $job);
	$ann_in->viewer_cookie("site-$name.pages.localhost", "https://site-$name.pages.localhost:$stack->{port}/") if !$person;
	lives($name, $who) if $person;
	my ($agent) = $db->selectrow_array("SELECT user_id FROM member WHERE workspace_id = ? AND role = 'agent'", undef, $ws);
	return { name => $name, ws => $ws, art => $art, who => $who, agent => $agent };
}

# What comes after requests for access have been carried out, which are for what is private.
sub later {
	my ($name, $ws, $art, $who, $person) = (@{$_[0]}{qw(name ws art who)}, $_[1]);
	as($own, PATCH => "/v1/artifacts/$art", { visibility => 'public' });
	as($who, PATCH => "/v1/workspaces/$ws/publish-policy", { policy => 'require_approval', approvals_required => 2 });
	as($who, POST => '/v1/publish', { artifact_id => $art, name => 'Site', visibility => 'public',
		files => [{ path => 'index.html', content => "then $name" }] });
	my $approval = as($who, POST => "/v1/artifacts/$art/publish-approval", { visibility => 'public' })->{approval}{id};
	as($own, POST => "/v1/artifacts/$art/publish-approval/$approval/decision", { decision => 'approve' });
	as($who, POST => "/v1/artifacts/$art/standing-approvals", { principal_id => $_[0]{agent} });
	as($who, POST => "/v1/artifacts/$art/reviews", { ask => [{ user_id => $own->{id} }] });
	$api->get_site("site-$name", '/');
	$db->do("INSERT INTO job_move VALUES (?, '')", undef, $art);
	return if !$person;
	# One that they approve themselves.
	my $others = as($own, POST => '/v1/publish',
		{ name => 'Others', workspace_id => $ws, files => [{ path => 'index.html', content => "others $name" }] })->{artifact}{id};
	$approval = as($own, POST => "/v1/artifacts/$others/publish-approval", { visibility => 'public' })->{approval}{id};
	my $review = as($own, POST => "/v1/artifacts/$others/reviews", { ask => [{ user_id => $who->{id} }] })->{review};
	as($who, POST => "/v1/artifacts/$others/publish-approval/$approval/decision", { decision => 'approve' });
	is as($own, GET => "/v1/artifacts/$others/reviews/$review->{id}")->{review}{status}, 'approved', 'reviewed';
}

# ---- what happens to them

# of: what names it; with two, what belongs to both. kept: by table, why its rows go on as they were; '*': all of it comes back, but what
# ends. gone: the kind of thing that there is no more, so that a row that has changed must not name it either.
my %time = (audit => 'tells of it for years', mail_budget => 'counts until tomorrow', outbox => 'is mail on its way');
my %acts = (sharee_act => 'tells of it for 90 days');
my %slug = (slug => 'is kept for its owner for trash_days');
my %made = map { $_ => 'stays where they have made it' } qw(artifact_blob billing_account billing_checkout catalog_entry comment connection
	context_file data_deleted folder invoice note policy_version review share_grant sharee sharee_member subscription subscription_move
	version);
my $user = sub { return [$_[0]{who}{id}, $_[0]{who}{email}] };
my $delete = sub {
	my ($table, $path, $id, $over) = @_;
	as($own, DELETE => "/v1/$path/$id");
	$db->do("UPDATE $table SET deleted_at = 1 WHERE id = ?", undef, $id) if $over;
};
my @events = (
	{ name => 'an artifact is deleted', of => sub { [$_[0]{art}] }, do => sub { $delete->(artifact => artifacts => $_[0]{art}) },
		kept => { '*' => 'comes back out of the trash' }, ends => [qw(approval picture review site_link)] },
	{ name => 'an artifact is purged', gone => 'artifact', of => sub { [$_[0]{art}] },
		do => sub { $delete->(artifact => artifacts => $_[0]{art}, 1) }, kept => { %time, %slug, %acts } },
	{ name => 'an artifact is moved out', of => sub { [$_[0]{art}], [$_[0]{ws}] }, do => sub {
		as($own, PATCH => "/v1/artifacts/$_[0]{art}", { workspace_id => undef });
	}, kept => { audit => $time{audit}, %acts, catalog_entry => 'is for who may still open it, and about it again when it is back' } },
	{ name => 'an artifact is closed', of => sub { [$_[0]{ws}, $_[0]{art}] }, do => sub {
		$delete->(workspace => workspaces => $_[0]{ws});
	}, kept => { '*' => 'comes back with the workspace' }, ends => [qw(artifact site_link token workspace_slug)] },
	{ name => 'a workspace ends', gone => 'workspace', of => sub { [@{$_[0]}{qw(ws art agent)}] }, do => sub {
		$delete->(workspace => workspaces => $_[0]{ws}, 1);
	}, kept => { %slug, map { $_ => $time{$_} } qw(mail_budget outbox) } },
	{ name => 'a member leaves', person => 1, of => sub { $user->($_[0]), [$_[0]{ws}, $_[0]{art}] },
		do => sub { as($_[0]{who}, DELETE => "/v1/workspaces/$_[0]{ws}/members/$_[0]{who}{id}") },
		kept => {
			%made, ticket => 'is its requester\'s, about that workspace', audit => $time{audit}, outbox => $time{outbox},
			metric_watch => 'goes with the next check, which asks for a role',
			import => 'ends within a day; its start asks for a role',
			merge_candidate => 'ends within an hour; its use asks for a role', operation => 'goes a week after its end',
			(map { $_ => 'shows nothing without a role' } qw(favorite search_recent data_view inbox_item)),
			token => 'is an agent\'s, which is the workspace\'s'
		} },
	{ name => 'an account is disabled', person => 1, of => $user, do => sub { $stack->ctl(qw(user disable), $_[0]{who}{email}) },
		kept => { '*' => 'comes back with the account' }, ends => [qw(job)] },
	{ name => 'an account is deleted', person => 1, gone => 'user', of => $user,
		do => sub { $stack->ctl(qw(user delete), $_[0]{who}{email}, qw(--artifacts delete)) },
		kept => { %time, version => 'has an id that leads to nobody', mail_failed => 'goes after 30 days',
			map { $_ => 'is about an address, whoever has it' } qw(access_request invite metric_destination inbox_item) } },
	{ name => 'an account is merged', person => 1, of => sub { [$_[0]{who}{id}] }, do => sub {
		`$stack->{build}/t/drive/merge $stack->{dir}/vitrine.yaml $_[0]{who}{id} $own->{id}`;
	}, kept => { map { $_ => $time{$_} } qw(audit outbox) } },
);
my $i;
$_->{world} = world('world-' . ++$i, $_->{person}) for @events;
runner();
later($_->{world}, $_->{person}) for @events;
Vitrine::Stack::wait_for('what nginx notes of views', 60, sub { (() = Vitrine::Stack::slurp("$stack->{dir}/views") =~ /\n/g) >= @events });
Vitrine::Stack::wait_for('what each has opened', 60, sub { $db->selectrow_array('SELECT COUNT(*) FROM search_recent') >= @events });
$db->do("UPDATE outbox SET due_at = 0 WHERE kind = 'measure'");
runner();
# Where a round stands is a place, which may be an id that was.
sub rows {
	return { map { my $t = $_; $t => [map { join "\x1f", map { $_ // '' } @$_ } @{$db->selectall_arrayref("SELECT * FROM `$t`")}] }
		grep { $_ ne 'sweep' } map { $_->[0] } @columns };
}
# Programs of the former release write it.
$db->do('INSERT IGNORE INTO compare_picture (artifact_id, from_no, to_no, page_no, path, looked_at) '
	. "SELECT id, 1, 1, 0, 'index.html', UNIX_TIMESTAMP() FROM artifact");
$db->do('INSERT IGNORE INTO pdf_page (artifact_id, input_sha256, page_no, looked_at) SELECT id, UNHEX(SHA2(id, 256)), 1, UNIX_TIMESTAMP() '
	. 'FROM artifact');
$db->do('INSERT IGNORE INTO page_check (artifact_id, version_no, wanted_at) SELECT id, 1, 1 FROM artifact');
$db->do('INSERT IGNORE INTO version_hold (artifact_id, version_no, user_id, goes_live, until_at) '
	. 'SELECT id, 1, owner_id, 1, UNIX_TIMESTAMP() + 7000 FROM artifact WHERE owner_id IS NOT NULL');
$db->do("INSERT IGNORE INTO comment_place (comment_id, version_no, status) SELECT id, 1, 'here' FROM comment");
my $before = rows();
is join(' ', grep { !@{$before->{$_}} } sort keys %$before),
	'backup_proof damage domain_certificate_try mail_tried node node_outbox node_views object_doomed object_due object_stored'
		. ' search_due too_long',
	'there is something in every table, but bytes that are lost, what a store has, machines, what the runner has seen to, '
	. 'and what took too long';
$_->{do}->($_->{world}) for @events;
runner();
my $after = rows();

# ---- what is left

sub naming {
	my ($rows, @of) = @_;
	my @like = map { my $any = join '|', map { quotemeta } @$_; qr/(?<![\w.-])(?:$any)(?!\w)/ } @of;
	return { map { my $t = $_; my @found = grep {
		my $row = $_;
		!grep { $row !~ $_ } @like;
	} @{$rows->{$t}}; @found ? ($t => \@found) : () } keys %$rows };
}
for my $e (@events) {
	my ($was, $is) = map { naming($_, $e->{of}->($e->{world})) } $before, $after;
	my %old = map { $_ => 1 } map { @$_ } values %$was;
	my %left = map { my $t = $_; map { ($t => 1) } grep { $e->{gone} || $old{$_} } @{$is->{$t}} } keys %$is;
	my $kept = $e->{kept};
	is join(' ', grep { !$kept->{$_} && !$kept->{'*'} } sort keys %left), '', "$e->{name}: what is left has a reason";
	is join(' ', grep { $_ ne '*' && !$left{$_} } sort keys %$kept), '', '... and each reason something that is left';
	is join(' ', grep { !$was->{$_} || $left{$_} } @{$e->{ends} // []}), '', '... what ends has ended' if $e->{ends};
	my %names = map { $_->[0] => 1 } (grep { $_->[1] eq ($e->{gone} // '') } @keys),
		grep { $_->[1] eq ($e->{gone} // '') . '_id' } @columns;
	delete $names{search_due}; # the runner has seen to it
	is join(' ', grep { !$was->{$_} } sort keys %names), '', '... and each table that can name it did' if $e->{gone};
}
# What names something by its id finds it, but for what tells of the past.
my %past = (%time, %slug, %acts, version => 1, provider_login => 'goes within minutes',
	inbox_item => 'tells of what is done for 90 days');
my %there = map { $_ => 1 } map { @{$db->selectcol_arrayref("SELECT id FROM `$_->[0]`")} } grep { $_->[1] eq 'id' } @columns;
my %kind = map { /^([a-z]{3}_)/ ? ($1 => 1) : () } keys %there;
is join(' ', grep {
	!$past{$_} && grep { grep { !$there{$_} && $kind{substr $_, 0, 4} } /\b([a-z]{3}_[0-9a-z]{26})\b/g } @{$after->{$_}};
} sort keys %$after), '', 'nothing names what is not there';
is $db->selectrow_array("SELECT COUNT(*) FROM $_ WHERE table_no NOT IN (SELECT no FROM data_table)"), 0, "nor does $_"
	for qw(data_row data_cell data_key data_summary data_pace);
is $db->selectrow_array('SELECT COUNT(*) FROM data_change WHERE history_no NOT IN (SELECT no FROM data_table)'), 0, 'nor does data_change';
finish($stack);
