# SPDX-License-Identifier: Apache-2.0
# No request and no run of the runner costs more because others have more. Beside a neighbour with ten thousand of everything, every route
# of the table is called once, and the runner run with all that can be due; then MariaDB's own log says how many rows each statement read.
# The runner's browser has a room of its own, so all may be in memory; see t/lib/timed.
BEGIN { $ENV{TMPDIR} //= $ENV{VITRINE_MEMORY} if $ENV{VITRINE_MEMORY} }
use MIME::Base64;
use Time::HiRes 'sleep';
use Vitrine::Neighbour;
use Vitrine::Otp;
use Vitrine::Provider;
use Vitrine::Smtp;
use Vitrine::Visitor;
use Vitrine::Words;
use Vitrine::World;

# The smallest part of them that a statement could read for nothing is a tenth, which is more than it may.
use constant { NEIGHBOURS => 12_000, ROWS => 1150 };

my $smtp = Vitrine::Smtp->new;
my $folder = File::Temp::tempdir('vitrine-providers-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $stack = Vitrine::Stack->new($smtp->conf, certificates => 'local', providers_dir => $folder, grace_s => 0, domains_per_user => 10,
	map { $_ => 100_000 } qw(publish_per_hour signin_failures_per_hour
	signin_failures_per_account mail_links_per_hour device_starts_per_hour device_guesses_per_hour access_requests_per_hour
	provider_starts_per_hour));
my $api = Vitrine::Api->new($stack);
my $idp = Vitrine::Provider->new($stack->{tls}, "https://vitrine.localhost:$stack->{port}/auth/callback");
$idp->configure($folder);
my $db = $stack->db;
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben cid);
my $ann = $user{ann};
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for qw(ann ben);
my $common = $api->publish($ann, slug => 'common', visibility => 'public', files => { 'index.html' => 'x', 'common.txt' => 'common' });
# All of them fit, so that no page is written twice.
$db->do($_) for 'SET GLOBAL innodb_log_file_size = 1 << 28', 'SET GLOBAL innodb_buffer_pool_size = 1 << 29';
Vitrine::Neighbour::seed($db, 1, NEIGHBOURS);
# Rows that are read are counted here, nothing else: the runner's rounds commit after each step, tens of thousands of times.
$db->do('SET GLOBAL innodb_flush_log_at_trx_commit = 0');
is_deeply [Vitrine::Neighbour::missing($db)], [], 'the neighbour has rows in every table (else: t/lib/Vitrine/Neighbour.pm)';

# None of the neighbour's artifacts has a tree. The scrub is near the end of a cycle, so it meets twenty of them in the first run.
$db->do("INSERT INTO sweep (name, outer_at, inner_at, id_at, started_at, under_way) VALUES ('scrub', 257, 0, ?, UNIX_TIMESTAMP(), 1)",
	undef, sprintf 'art_Z%025d', NEIGHBOURS - 20);

# ---- the log: what each statement of ours read since the last look

my $log = "$stack->{dir}/slow.log";
sub log_begin {
	$db->do($_) for "SET GLOBAL slow_query_log_file = '$log'", "SET GLOBAL log_output = 'FILE'", 'SET GLOBAL long_query_time = 0',
		"SET GLOBAL log_slow_filter = ''", 'SET GLOBAL log_slow_rate_limit = 1', 'SET GLOBAL slow_query_log = 1';
	# The setting is a connection's when it begins.
	$stack->stop_one('worker');
	$stack->start_worker;
}
my $read = 0;
my $seen = 0;
sub statements {
	open my $in, '<:raw', $log or return ();
	seek $in, $read, 0;
	my $text = do { local $/; <$in> } // '';
	$read += length $text;
	my @all;
	for my $entry (split /(?=^# User\@Host: )/m, $text) {
		next if $entry !~ /^# User\@Host: vitrine\[/;
		my ($sent, $examined) = $entry =~ /Rows_sent: (\d+)\s+Rows_examined: (\d+)/ or next;
		my ($affected) = $entry =~ /Rows_affected: (\d+)/;
		my ($sql) = $entry =~ /^SET timestamp=\d+;\n(.*)/ms or next;
		push @all, { sql => $sql =~ s/\s+/ /gr, sent => $sent, examined => $examined, affected => $affected // 0 };
	}
	$seen += @all;
	return @all;
}

# What a statement removes is its own work, and the runner's are bounded.
sub cheap {
	my ($what, @all) = @_;
	@all = statements() if !@all;
	# What a statement is given as rows of JSON it reads, and looks each up.
	my $given = sub { my $n = () = $_[0]{sql} =~ /\],\[/g; return $_[0]{sql} =~ /JSON_TABLE/ ? $n : 0 };
	my @bad = grep { $_->{examined} > $_->{sent} + 2 * $_->{affected} + 4 * $given->($_) + ROWS } @all;
	is join("\n", map {
		"$_->{examined} rows read, $_->{sent} sent: " . substr $_->{sql} =~ s/^SELECT .*? FROM /SELECT ... FROM /r, 0, 3000;
	} @bad), '', $what;
}

# ---- each route, with what it needs

my $n = 0;
sub published {
	my $id = $api->publish($ann, slug => 'own-' . ++$n, visibility => 'private', name => "Own $n",
		files => { 'index.html' => "own $n", 'common.txt' => 'common' });
	Vitrine::World::pictured($db, $id);
	return $id;
}
# Who signed in before, unless a route has ended that.
my ($visitor, $session);
sub signed_in {
	my $lives = 'SELECT id FROM session WHERE user_id = ? AND expires_at > UNIX_TIMESTAMP() ORDER BY created_at DESC, id DESC LIMIT 1';
	return $visitor if $session && $db->selectrow_array('SELECT 1 FROM session WHERE id = ?', undef, $session);
	$visitor = Vitrine::Visitor->new($api);
	$visitor->sign_in('ann@example.org', 'the password');
	($session) = $db->selectrow_array($lives, undef, $ann->{id});
	return $visitor;
}
my $ids = '0' x 22;
# What stands at each kind of parameter.
my ($art, $job, $ws, $ogr, $shr, $ext);
my $deciding;
sub folder_in {
	return $api->call(POST => "/v1/workspaces/$ws/folders", { token => $ann->{token}, json => { name => $_[0] } })->{json}{folder}{id};
}
my $world = Vitrine::World->new($stack);
my %make = (
	ws => sub {
		$ws = $api->call(POST => '/v1/workspaces', { token => $ann->{token}, json => { name => 'Own' } })->{json}{workspace}{id};
		$db->do('UPDATE workspace SET features_on = 63 WHERE id = ?', undef, $ws);
		$db->do("INSERT INTO member (workspace_id, user_id, role, joined_at) VALUES (?, ?, 'member', 0)",
			undef, $ws, $user{ben}{id});
		folder_in('index.html');
		return $ws },
	fld => sub { return folder_in('own ' . ++$n) },
	con => sub { return $world->make(con => ws => $_[0], user => $ann->{id}) },
	cat => sub { return $world->make(cat => ws => $_[0], user => $ann->{id}) },
	tkt => sub { return $world->make(tkt => user => $ann->{id}) },
	(map { my $kind = $_; ($kind => sub { return $world->make($kind => art => $art, user => $ann->{id}) }) } qw(del opr imp viw cht dom
		inb import_upload)),
	ivc => sub { return $world->make(ivc => ws => $_[0], user => $ann->{id}) },
	hook => sub { return 'x' },
	shr => sub { return $shr = $world->make(shr => ws => $_[0], user => $ann->{id}) },
	ext => sub { return $ext = $world->make(ext => ws => $_[0], shr => $shr, user => $ann->{id}) },
	grt => sub { return $world->make(grt => ws => $ws, user => $ann->{id}) },
	# One that she may publish in.
	shared_fld => sub {
		my $id = $world->make(shared_fld => user => $ann->{id});
		$db->do("UPDATE share_grant SET capability = 'create' WHERE resource_id = ?", undef, $id);
		$db->do("INSERT INTO member (workspace_id, user_id, role, joined_at) SELECT workspace_id, ?, 'owner', 0 FROM folder "
			. "WHERE id = ?", undef, $user{cid}{id}, $id);
		return $id },
	ext_tok => sub { return $world->make(ext_tok => ws => $_[0], shr => $shr, ext => $ext, user => $ann->{id}) },
	# Found by the path that it stands in: somebody to be removed, or to have a token.
	user => sub { my ($ws) = $db->selectrow_array("SELECT workspace_id FROM member WHERE user_id = ? AND role = 'owner' "
		. "ORDER BY workspace_id DESC LIMIT 1", undef, $ann->{id});
		$db->do("INSERT IGNORE INTO member (workspace_id, user_id, role, joined_at) VALUES (?, ?, 'member', 0)",
			undef, $ws, $user{cid}{id});
		return $user{cid}{id} },
	inv => sub { my ($ws) = $db->selectrow_array("SELECT workspace_id FROM member WHERE user_id = ? AND role = 'owner' "
		. "ORDER BY workspace_id DESC LIMIT 1", undef, $ann->{id});
		$db->do("DELETE FROM invite WHERE email = 'ann\@example.org'");
		return $world->make(inv => ws => $ws, user => $user{ben}{id}, email => 'ann@example.org') },
	no => sub { return 1 },
	'+' => sub { return $_[2] =~ m{^/d/} ? 'x.txt' : 'index.html' },
	'+note' => sub {
		return $world->make('+note', ws => $_[0], user => $ann->{id}) if $_[2] !~ m{/forget/};
		my $art = published();
		$db->do('UPDATE artifact SET workspace_id = ? WHERE id = ?', undef, $_[0], $art);
		$world->make(note => ws => $_[0], art => $art); return "pages/own-$n.md" },
	logo => sub {
		$db->do("INSERT IGNORE INTO workspace (id, name, slug, logo, logo_sha256, logo_size, created_at, updated_at) "
			. "VALUES ('wsp_1', 'L', 'logo', REPEAT('0', 32), UNHEX(SHA2('common', 256)), 6, 0, 0)");
		return '0' x 32;
	},
	slug => sub {
		$db->do("INSERT IGNORE INTO workspace (id, name, slug, created_at, updated_at) VALUES ('wsp_0', 'C', 'common', 0, 0)");
		$db->do("INSERT IGNORE INTO workspace_slug (slug, workspace_id) VALUES ('common', 'wsp_0')");
		$db->do("INSERT IGNORE INTO member (workspace_id, user_id, role, joined_at) VALUES ('wsp_0', ?, 'member', 0)",
			undef, $ann->{id});
		return 'common' },
	email => sub { return 'cid%40example.org' },
	provider => sub { return 'none' },
	chat => sub { return 'chat_a' },
	template => sub { return 'guestbook' },
	art => sub {
		$art = published();
		$db->do("INSERT INTO document VALUES (?, '{}', UNHEX(SHA2('{}', 256)), 2, 1)", undef, $art);
		$db->do("INSERT INTO collaborator (artifact_id, user_id, role, created_at) VALUES (?, ?, 'editor', 0)",
			undef, $art, $user{cid}{id});
		return $art;
	},
	name => sub { return $_[2] =~ /\{shr\}/ ? 'README.md' : $world->make(name => ws => $_[0], user => $ann->{id}) },
	tok => sub {
		return $api->call(POST => "/v1/workspaces/$_[0]/agent-tokens", { token => $ann->{token},
			json => { name => 'A', scopes => ['data:read'] } })->{json}{agent_token}{id} if ($_[0] // '') =~ /^wsp_/;
		$stack->ctl(qw(token mint --name spare --user ann@example.org));
		return $db->selectrow_array("SELECT id FROM token WHERE user_id = ? AND name = 'spare' AND revoked_at IS NULL",
			undef, $ann->{id});
	},
	ses => sub { return $world->make(ses => user => $ann->{id}) },
	idn => sub { return $world->make(idn => user => $ann->{id}) },
	ogr => sub { return $ogr = $world->make(ogr => user => $ann->{id}) },
	act => sub { return $world->make(act => ogr => $ogr, art => published()) },
	table => sub { return $world->make(table => art => $art) },
	cht => sub { $world->make(table => art => $_[0]); return $world->make(cht => art => $_[0]) },
	row => sub {
		return $api->call(POST => "/v1/data/$art/tables/guests/rows",
			{ token => $ann->{token}, json => { rows => [{ a => 'x' }] } })->{json}{ids}[0];
	},
	blob => sub {
		my $id = "blb_$ids" . sprintf('%04d', ++$n);
		my $art = $db->selectrow_array("SELECT id FROM artifact WHERE owner_id = ? ORDER BY id DESC LIMIT 1", undef, $ann->{id});
		$db->do("INSERT INTO artifact_blob (id, artifact_id, filename, mime, sha256, size_bytes, created_at) "
			. "VALUES (?, ?, 'x.txt', 'text/plain', UNHEX(SHA2('common', 256)), 6, 0)", undef, $id, $art);
		$db->do('INSERT INTO blob_usage VALUES (?, 1, 6)', undef, $art); return $id },
	cmt => sub { return $world->make(cmt => art => $_[0], user => $ann->{id}) },
	sta => sub { return $world->make(sta => art => $_[0], user => $ann->{id}) },
	rvw => sub { return $world->make(rvw => art => $_[0], user => $ann->{id}) },
	# What it calls is refused at once.
	job => sub {
		$job = $api->call(POST => '/v1/jobs', { token => $ann->{token}, json => { artifact_id => $_[0] // published(),
			action => 'webhook', schedule => '0 9 * * *', config => { url => 'https://hooks.example.org/' } } })->{json}{job};
		return $job->{id};
	},
	(map { my $kind = $_; ($kind => sub { $art = published(); return $world->make($kind => art => in_ws(), user => $ann->{id}) }) }
		qw(sch trg ws_run)),
	surface => sub { return 'schedule' },
	run => sub { return $world->make(run => job => $job->{id}, art => $job->{artifact_id}) },
	watch => sub { return $world->make(watch => art => $_[0] // published(), user => $ann->{id}) },
	alert => sub { return $world->make(alert => art => $_[0] // published()) },
	dst => sub { return $world->make(dst => alert =>
		scalar $db->selectrow_array('SELECT id FROM metric_alert WHERE artifact_id = ? ORDER BY id DESC LIMIT 1', undef, $_[0])) },
	apr => sub { my $ws = $_[1]
		// $api->call(POST => '/v1/workspaces', { token => $ann->{token}, json => { name => 'Own' } })->{json}{workspace}{id};
		$db->do("UPDATE workspace w JOIN member m ON m.workspace_id = w.id AND m.user_id = ? SET w.deleted_at = 9999999999 "
			. "WHERE w.id NOT IN (?, 'wsp_0')", undef, $ann->{id}, $ws);
		$db->do('UPDATE artifact SET workspace_id = ? WHERE id = ?', undef, $ws, $_[0]);
		my $id = $world->make(apr => ws => $ws, art => $_[0], user => $deciding ? $user{cid}{id} : $ann->{id});
		$db->do('UPDATE version SET created_by = ? WHERE artifact_id = ?', undef, $user{cid}{id}, $_[0]); $id },
	(map { my $kind = $_; ($kind => sub {
		my $id = $world->make($kind => (($_[1] // '') =~ /^wsp_/ && $kind !~ /^own/ ? (ws => $_[1]) : ()), user => $ann->{id},
			bytes => 'common');
		$db->do("UPDATE deliverable SET visibility = 'workspace' WHERE id = ?", undef, $id) if ($_[2] // '') =~ m{/share\b};
		return $id;
	}) } qw(loose dlv own_loose own_dlv col own_col lnk own_lnk delivery delivered upload)),
	acr => sub { return $world->make(acr => art => published(), email => 'cid@example.org') },

);
# An artifact with a table.
sub measured { $art = published(); $make{table}->(); return $art }
# A link for somebody who has no account.
sub link_of {
	my $t = sprintf '%043d', ++$n;
	$db->do("INSERT INTO invite (id, workspace_id, email, role, status, hash, invited_by, created_at, sent_at, mailed, expires_at) "
		. "VALUES (?, 'wsp_Z0000000000000000000000001', ?, 'member', 'pending', UNHEX(SHA2(?, 256)), ?, 0, 0, 0, 4000000000)",
		undef, "inv_" . "1" x 22 . sprintf('%04d', $n), "$n\@linked.example", $t, $user{ben}{id}); return $t }
my %dlv = ('/v1/workspaces/{ws}/assets' => '{dlv}', '/v1/assets' => '{own_dlv}');
# The least that there is.
my $png = decode_base64('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==');
sub device { return $api->call(POST => '/v1/auth/device/start', { json => {} })->{json} }
my $grant = 'urn:ietf:params:oauth:grant-type:device_code';
my $content = "https://common.pages.localhost:$stack->{port}/";
# The artifact that was made last, as one of the workspace's.
sub in_ws { $db->do('UPDATE artifact SET workspace_id = ? WHERE id = ?', undef, $ws, $art); return $art }
# Bodies (or the query of a GET) by route; what is not here is sent {} or nothing.
# A program that wants to be connected.
sub program {
	my $id = $api->call(POST => '/v1/oauth/register',
		{ json => { client_name => 'x', redirect_uris => ['http://127.0.0.1/'] } })->{json}{client_id};
	return "client_id=$id&redirect_uri=http%3A%2F%2F127.0.0.1%2F&response_type=code&code_challenge=" . 'x' x 43
		. '&code_challenge_method=S256';
}
# A workspace that pays, as a body or a query names it.
sub payer { my $own = $make{ws}->(); $make{ivc}->($own); return (workspace_id => $own) }
my %send = (
	(map { ("$_ /v1/billing/subscription" => sub { return join '=', payer() }) } qw(GET DELETE)),
	'GET /v1/billing/invoices' => sub { return join '=', payer() },
	'GET /v1/billing/quote' => sub { return join('=', payer()) . '&seats=10' },
	'POST /v1/billing/subscribe' => sub { return { workspace_id => $make{ws}->(), plan_id => 'pro', seats => 5 } },
	'PATCH /v1/billing/subscription/seats' => sub { return { payer(), seats => 10 } },
	'PATCH /v1/billing/subscription/plan' => sub { return { payer(), plan_id => 'team' } },
	(map { ("POST $_" => sub { return { payer(), session => 'x', purpose => 'card' } }) } map { "/v1/billing/$_" } qw(checkout
		rebill-activate rebill-save-card)),
	'POST /w/{ws}/plan/seats' => sub { $make{ivc}->($ws); return 'seats=10&price=8000' },
	'GET /w/{ws}/plan/change' => sub { $make{ivc}->($ws); return 'plan=team' },
	'POST /w/{ws}/plan/cancel' => sub { $make{ivc}->($ws); return '' },
	'POST /w/{ws}/plan/details' => sub { return 'name_line=Own&tax_line=' },
	'POST /v1/render' => sub { return { path => 'a.md', content => '# A' } },
	'POST /v1/publish' => sub {
		return { name => 'New', slug => 'new-' . ++$n,
			files => [{ path => 'index.html', content => "new $n" }, { path => 'common.txt', content => 'common' }] };
	},
	'POST /v1/workspaces/{ws}/connections' => sub {
		return { provider => 'http', name => 'Orders', config => { base_url => 'https://api.example.org', auth => 'bearer' },
			credentials => { token => 'x' } };
	},
	'POST /v1/workspaces/{ws}/connections/test' => sub {
		return { provider => 'http', name => 'Orders', config => { base_url => 'https://10.0.0.1' } };
	},
	'PUT /v1/workspaces/{ws}/connections/{con}/my-credentials' => sub { return { token => 'x' } },
	'POST /v1/workspaces/{ws}/catalog/enable' => sub { return { enabled => Cpanel::JSON::XS::true } },
	'POST /v1/workspaces/{ws}/catalog/seed' => sub { $make{cat}->($ws); return },
	'DELETE /v1/workspaces/{ws}/catalog/files' => sub { return 'path=' . $make{cat}->($ws) . '.md' },
	'PUT /v1/workspaces/{ws}/catalog/files' =>
		sub { $make{cat}->($ws); return { path => 'a.md', content => "---\ntags: [daily]\n---\n" } },
	'POST /v1/workspaces/{ws}/sharees' => sub {
		return { name => 'Client', branding => { logo => 'data:image/png;base64,' . encode_base64($png, '') } };
	},
	'POST /v1/workspaces/{ws}/sharees/{shr}/members' => sub { return { email => 'outside@example.org' } },
	'POST /v1/workspaces/{ws}/sharees/{shr}/members/{ext}/tokens' => sub { return { scopes => ['data:read'] } },
	'POST /v1/workspaces/{ws}/agent-tokens' => sub { return { name => 'A', scopes => ['data:read'] } },
	'PUT /v1/workspaces/{ws}/session-policy' => sub { return { session_max_days => undef } },
	'POST /v1/workspaces/{ws}/subdomain' => sub { return { enabled => Cpanel::JSON::XS::true } },
	'PUT /v1/workspaces/{ws}/context' => sub { return { entry => undef } },
	'POST /v1/artifacts/{art}/standing-approvals' => sub {
		$db->do("UPDATE artifact SET visibility = 'unlisted' WHERE owner_id = ? AND visibility = 'private'", undef, $ann->{id});
		return { grant_id => $world->make(ogr => user => $ann->{id}) };
	},
	'POST /v1/artifacts/{art}/reviews' => sub { return { ask => [{ email => reviewer() }] } },
	'POST /a/{art}/reviews' => sub { return 'people=' . reviewer() },
	'POST /v1/artifacts/{art}/publish-approval' => sub { return { visibility => 'public' } },
	'POST /v1/artifacts/{art}/publish-approval/{apr}/decision' => sub { return { decision => 'approve' } },
	'POST /v1/workspaces' => sub { return { name => 'Own' } },
	'POST /w' => sub { return 'name=Own' },
	'POST /w/{ws}/folders/{fld}/visibility' => sub { return 'default_visibility=unlisted' },
	'POST /w/{ws}/settings' => sub { return 'name=Other&member_access=viewer&slug=team-page-' . ++$n },
	'POST /w/{ws}/agents' => sub { return 'name=A&scopes=data%3Aread&expires_at=' },
	'POST /w/{ws}/subdomain' => sub { return 'enabled=1' },
	'POST /w/{ws}/policies/publish' => sub { return 'policy=open&approvals_required=1' },
	'POST /a/{art}/approval/{apr}' => sub { return 'decision=approve' },
	'POST /w/{ws}/invites' => sub { return 'emails=new%40example.org&role=member' },
	'POST /w/{ws}/members/{user}/role' => sub { return 'role=admin' },
	'POST /w/{ws}/owner' => sub { my ($ws) = $db->selectrow_array("SELECT workspace_id FROM member WHERE user_id = ? "
		. "AND role = 'owner' ORDER BY workspace_id DESC LIMIT 1", undef, $ann->{id});
		$db->do("INSERT IGNORE INTO member (workspace_id, user_id, role, joined_at) VALUES (?, ?, 'member', 0)",
			undef, $ws, $user{cid}{id});
		return 'email=cid%40example.org' },
	'POST /w/{ws}/governance/{art}/visibility' => sub { return 'visibility=unlisted' },
	'POST /w/{ws}/governance/{art}/transfer' => sub { return "new_owner_id=$user{ben}{id}" },
	'POST /w/{ws}/catalog/seed' => sub { $make{cat}->($ws); return '' },
	'POST /w/{ws}/catalog/new' => sub { $make{cat}->($ws); return 'content=x&path=page-' . ++$n . '.md' },
	'POST /w/{ws}/catalog/{cat}/edit' => sub { return 'act=preview&content=x&path=page-' . ++$n . '.md' },
	'POST /w/{ws}/clients' => sub { return 'name=Page' },
	'POST /w/{ws}/clients/{shr}/grants/{grt}' => sub {
		return "subject_type=sharee&subject_id=$shr&resource_type=folder&resource_id=" . folder_in('given') . '&capability=edit';
	},
	(map { ("POST /w/{ws}/clients/{shr}/share/$_" => sub {
		$db->do("UPDATE deliverable SET visibility = 'workspace' WHERE workspace_id = ?", undef, $ws);
		return 'capability=view';
	}) } 'folder/{fld}', 'artifact/{art}', 'file/{dlv}'),
	'POST /w/{ws}/clients/{shr}/people' => sub { return 'email=outside%40example.org' },
	'POST /w/{ws}/clients/{shr}/notes' => sub { return 'note=a.md&content=x' },
	'POST /w/{ws}/clients/{shr}/notes/{name}' => sub { return 'content=x' },
	'POST /w/{ws}/clients/{shr}/tokens' => sub { return 'external_user_id=' . $make{ext}->($ws) . '&scopes=data%3Aread&expires_at=' },
	'POST /w/{ws}/clients/{shr}/settings' => sub { return 'name=Page&type=client' },
	'POST /w/{ws}/runs/selected' => sub { return 'act=again&run=' . $make{ws_run}->() },
	'POST /w/{ws}/runs/{ws_run}/stop' => sub {
		$db->do("UPDATE job_run SET status = 'retrying', finished_at = NULL WHERE workspace_id = ? AND status = 'success'",
			undef, $ws);
		return 'next=';
	},
	'POST /w/{ws}/runs/pause' => sub { return 'job=' . $make{sch}->() },
	'POST /w/{ws}/runs/told' => sub { return 'email=ann%40example.org' },
	(map { ("POST /w/{ws}/runs/$_" => sub {
		return 'action=email&recipients=x%40example.org&subject=x&when=day&at=07%3A00';
	}, "POST /w/{ws}/runs/$_/enabled" => sub { return 'enabled=1' },
		"POST /w/{ws}/runs/$_/list/enabled" => sub { return 'enabled=1' }) } 'schedules/{sch}', 'automations/{trg}'),
	'POST /v1/workspaces/{ws}/knowledge/enable' => sub { return { enabled => Cpanel::JSON::XS::true } },
	'POST /v1/workspaces/{ws}/knowledge/backfill' =>
		sub { $db->do('UPDATE workspace SET knowledge = TRUE WHERE id = ?', undef, $ws); return {} },
	'POST /w/{ws}/notes/learning/backfill' =>
		sub { $db->do('UPDATE workspace SET knowledge = TRUE WHERE id = ?', undef, $ws); return '' },
	'POST /w/{ws}/notes/learning/summaries' => sub { return '' },
	'POST /w/{ws}/notes/new' => sub { return 'path=a&content=x' },
	'POST /w/{ws}/notes/edit/{+note}' => sub { return 'content=x' },
	'POST /w/{ws}/notes/history/{+note}' => sub { return 'no=1' },
	'POST /w/{ws}/notes/compare/{+note}' => sub { return 'version_no=1&seen=' . Digest::SHA::sha256_hex('x') },
	'POST /v1/workspaces/{ws}/knowledge/learned/{+note}' => sub { return { version_no => 1 } },
	'POST /w/{ws}/context' => sub { return 'name=a.md&content=x' },
	'POST /w/{ws}/context/{name}' => sub { return 'content=x' },
	'PATCH /v1/workspaces/{ws}' => sub { return { name => 'Other', slug => 'other-team-' . ++$n } },
	'POST /v1/workspaces/{ws}/members' => sub { return { email => 'cid@example.org' } },
	'PATCH /v1/workspaces/{ws}/members/{user}' => sub { return { role => 'admin' } },
	'POST /v1/workspaces/{ws}/members/{user}/tokens' => sub { return { name => 'Own' } },
	'POST /v1/workspaces/{ws}/members/invite' => sub { return { emails => [map { ++$n . '@invited.example' } 1 .. 3] } },
	'POST /v1/workspaces/{ws}/transfer-ownership' => sub { my ($ws) = $db->selectrow_array("SELECT workspace_id FROM member "
		. "WHERE user_id = ? AND role = 'owner' ORDER BY workspace_id DESC LIMIT 1", undef, $ann->{id});
		$db->do("INSERT IGNORE INTO member (workspace_id, user_id, role, joined_at) VALUES (?, ?, 'member', 0)",
			undef, $ws, $user{cid}{id});
		return { user_id => $user{cid}{id} } },
	'GET /v1/workspaces/{ws}/people' => sub { return 'q=a' },
	'GET /v1/workspaces/{ws}/members' => sub { return 'q=a' },
	'GET /auth/invite' => sub { return 't=' . link_of() },
	'POST /auth/invite' => sub { return 't=' . link_of() . '&action=decline' },
	(map { my $library = $_; ("POST $library/upload" => sub { return { filename => 'x.txt' } },
		(map { my ($row, $body) = @$_; ("POST $library/$row" => sub {
			return { blobId => $world->make(loose => ($library =~ /workspaces/ ? (ws => $ws) : ()), user => $ann->{id},
				bytes => 'common') };
		}) } ['deliverables'], ["deliverables/$dlv{$library}/version"]),
		"POST $library/collections" => sub {
			return { deliverableIds => [$world->make(dlv => ($library =~ /workspaces/ ? (ws => $ws) : ()), user => $ann->{id},
				bytes => 'common')] };
		},
		"POST $library/collections/" . $dlv{$library} =~ s/dlv/col/r . '/send' => sub { return { to => [++$n . '@sent.example'] } },
		"PATCH $library/deliverables/$dlv{$library}" => sub { return { name => 'renamed.txt' } }) } sort keys %dlv),
	(map { my ($library, $link) = @$_;
		my $chosen = sub {
			return 'file=' . $world->make(dlv => ($library =~ /ws/ ? (ws => $ws) : ()), user => $ann->{id}, bytes => 'common');
		};
		("POST $library/share" => sub { return $chosen->() . '&gate=none&expires=never' },
			"POST $library/links/$link" => sub { return 'gate=none&expires=keep' },
		(map { ("$_ $library/delete" => $chosen, $library =~ /ws/ ? ("$_ $library/move" => sub {
			return $chosen->() . '&folder_id=' . folder_in('to');
		}) : ()) } qw(GET POST)),
		"GET $library/share" => $chosen) } ['/library', '{own_lnk}'], ['/w/{ws}/library', '{lnk}']),
	(map { ("POST /w/{ws}/library/folders$_" => sub { return 'name=Page' }) } '', '/{fld}/folders'),
	'POST /v1/workspaces/{ws}/folders' => sub { return { name => 'Folder' } },
	'POST /v1/workspaces/{ws}/sharees' => sub {
		return { name => 'Client', branding => { logo => 'data:image/png;base64,' . encode_base64($png, '') } };
	},
	'POST /v1/workspaces/{ws}/sharees/{shr}/members' => sub { return { email => 'outside@example.org' } },
	'POST /v1/workspaces/{ws}/sharees/{shr}/members/{ext}/tokens' => sub { return { scopes => ['data:read'] } },
	'POST /v1/workspaces/{ws}/grants' => sub {
		return { subject_type => 'sharee', subject_id => $world->make(shr => ws => $ws, user => $ann->{id}),
			resource_type => 'folder', resource_id => folder_in('given'), capability => 'view' };
	},
	'POST /v1/workspaces/{ws}/share-person' => sub {
		return { email => ++$n . '@shared.example', resource_type => 'folder', resource_id => folder_in('given'),
			capability => 'view' };
	},
	'PATCH /v1/workspaces/{ws}/folders/{fld}' => sub { return { name => 'Renamed', parent_id => folder_in('other') } },
	'POST /v1/workspaces/{ws}/artifacts/{art}/move' => sub { return { folder_id => folder_in('to') } },
	(map { ("POST /w/{ws}/folders$_" => sub { return 'name=Page' }) } '', '/{fld}/folders', '/{fld}/rename'),
	'POST /w/{ws}/folders/{fld}/move' => sub { return 'parent_id=' . folder_in('other') },
	'POST /w/{ws}/artifacts/{art}/move' => sub { return 'folder_id=' . folder_in('to') },
	'GET /w/{ws}/artifacts/move' => sub { return 'art=' . in_ws() },
	'POST /w/{ws}/artifacts/move' => sub { return 'folder_id=' . folder_in('to') . '&art=' . in_ws() },
	(map { ("$_ /a/{art}/workspace" => sub { return 'to=' . $make{ws}->() }) } qw(GET POST)),
	'PUT /v1/workspaces/{ws}/runs/told' => sub { return { user_ids => [$ann->{id}] } },
	'POST /v1/workspaces/{ws}/admin/artifacts/{art}/pause' => sub { return { paused => Cpanel::JSON::XS::true } },
	'POST /v1/workspaces/{ws}/admin/artifacts/{art}/visibility' => sub { return { visibility => 'public' } },
	'POST /v1/workspaces/{ws}/admin/artifacts/{art}/transfer' => sub { return { new_owner_id => $user{ben}{id} } },
	'PATCH /v1/artifacts/{art}' => sub { return { name => 'Other', slug => 'other-' . ++$n, visibility => 'public' } },
	'POST /v1/artifacts/{art}/collaborators' => sub { return { emails => ['ben@example.org', 'new@example.org'], role => 'viewer' } },
	'POST /v1/artifacts/{art}/transfer-ownership' => sub { return { email => 'ben@example.org' } },
	'POST /v1/artifacts/{art}/comments' => sub { return { text => 'said ' . ++$n, path => '/x' } },
	'PATCH /v1/artifacts/{art}/comments/{cmt}' => sub { return { text => 'changed' } },
	'POST /a/{art}/comments' => sub { return 'text=said' },
	'POST /a/{art}/comments/{cmt}' => sub { return 'text=changed' },
	(map { ("POST /a/{art}/review/{no}$_" => sub { return 'text=said' }) } '', '/{cmt}'),
	'POST /v1/metric-watch' => sub { return { artifact_id => measured(), table => 'guests', kind => 'distinct', column => 'a' } },
	'POST /v1/metric-alerts' => sub {
		return { artifact_id => measured(), name => 'x', table => 'guests', kind => 'distinct', column => 'a', op => 'above',
			value => 1, destinations => [{ type => 'email', email => 'x@example.org' }] };
	},
	'GET /v1/metric-alerts' => sub { return 'artifact_id=' . measured() },
	'GET /v1/metric-watch' => sub { return 'artifact_id=' . measured() },
	map({ $_->{send} ? $_->{send}->($ann->{id}) : () } @Vitrine::World::nouns),
	'POST /v1/data/{art}/charts' => sub { $make{table}->(); return { name => 'x', kind => 'bar', table => 'guests', group => 'a' } },
	'POST /a/{art}/data/charts' => sub { $make{table}->(); return 'name=x&kind=bar&table=guests&group=a' },
	'GET /a/{art}/data/charts/new' => sub { $make{table}->(); return 'table=guests' },
	'GET /v1/search' => sub { return 'q=sitr' },
	(map { ("GET /v1/artifacts/{art}/$_" => sub { return 'path=index.html' }) } qw(file-history blame compare/text compare/picture)),
	'GET /v1/artifacts/{art}/pdf-page' => sub { return 'path=index.html&page=1' },
	'POST /a/{art}/data/tables/{table}/watch' => sub { return 'kind=row_count&threshold_pct=10' },
	'POST /a/{art}/data/alerts' => sub { $make{table}->(); return 'name=x&table=guests&kind=row_count&op=above&value=1&breaches=1' },
	'POST /a/{art}/data/alerts/{alert}' => sub { return 'name=x&op=below&value=1&breaches=1' },
	'POST /a/{art}/data/alerts/{alert}/destinations' => sub { return 'type=email&address=x%40example.org' },
	'POST /a/{art}/data/alerts/{alert}/enabled' => sub { return 'enabled=1' },
	'PATCH /v1/metric-alerts/{alert}' => sub { return { value => 2, destinations => [{ type => 'email', email => 'x@example.org' }] } },
	'PUT /v1/artifacts/{art}/proxy' => sub { return { hosts => ['api.example.org'] } },
	'GET /v1/proxy/{art}' => sub { return 'url=https%3A%2F%2Fapi.example.org%2F' },
	'POST /a/{art}/proxy' => sub { return 'hosts=api.example.org' },
	'POST /a/{art}/edit/{+}' => sub { return 'path=index.html&content=edited&becomes=live&base=' . live('index.html') },
	'POST /a/{art}/new-file' => sub { return 'path=new.txt&content=new&becomes=draft&base=' . live('index.html') },
	'POST /a/{art}/delete-file/{+}' => sub { return 'base=' . live('index.html', 'other.html') },
	'POST /a/{art}/table-from/{+}' => sub {
		$db->do("UPDATE import SET state = 'cancelled', due = 0 WHERE created_by = ?", undef, $ann->{id});
		return 'version=' . live('index.html');
	},
	'POST /v1/agent/{art}/chat' => sub { return { messages => [{ role => 'user', content => 'hello' }] } },
	'POST /v1/jobs' => sub {
		return { artifact_id => published(), action => 'email', schedule => '0 9 * * *',
			config => { recipients => ['x@example.org'], subject => 'x' } };
	},
	'PATCH /v1/jobs/{job}' => sub { return { schedule => '0 10 * * *' } },
	'PATCH /v1/auth/tokens/{tok}' => sub { return { name => 'renamed' } },
	'POST /v1/auth/device/token' => sub { return { device_code => device()->{device_code} } },
	'POST /v1/oauth/token' => sub { return "grant_type=$grant&client_id=x&device_code=" . device()->{device_code} },
	'POST /v1/oauth/device_authorization' => sub { return 'client_id=x' },
	'POST /v1/access-requests' => sub { return { email => 'cid@example.org', slug => 'own-1' } },
	'POST /v1/access-requests/{acr}' => sub { return { action => 'approve', role => 'viewer' } },
	'PUT /v1/data/{art}/blobs' => sub { return 'filename=x.txt' },
	'POST /auth/requests/{acr}' => sub { return 'action=approve&role=viewer' },
	'POST /auth/signin' => sub { return 'email=ann%40example.org&password=the+password' },
	'POST /auth/factor' => sub { return 'code=123456' },
	'POST /auth/account/factor/start' => sub { return 'password=the+password' },
	(map { ("POST /auth/account/factor/$_" => sub { return 'code=123456' }) } qw(on codes off)),
	'POST /auth/password/forgot' => sub { return 'email=ann%40example.org' },
	'POST /auth/account/password' => sub { return 'current=the+password&password=the+password' },
	'POST /auth/signin/link' => sub { return 'link=x' },
	'POST /auth/password/set' => sub { return 'link=x&password=the+password' },
	'GET /oauth/authorize' => \&program,
	'POST /oauth/authorize' => sub { return program() . '&action=allow&where=all&days=30' },
	'POST /v1/oauth/register' => sub { return { client_name => 'x', redirect_uris => ['http://127.0.0.1/'] } },
	'POST /v1/oauth/revoke' => sub { return 'token=x' },
	'POST /auth/device' => sub { return 'action=approve&code=' . device()->{user_code} },
	'GET /auth/device' => sub { return 'code=' . device()->{user_code} },
	'GET /auth/view' => sub { return 'to=' . Vitrine::Visitor::escape($content) },
	'POST /auth/view' => sub { return 'to=' . Vitrine::Visitor::escape($content) },
	'POST /auth/account/tokens' => sub { return 'name=CI&days=30&scope=publish' },
	'PATCH /v1/artifacts/{art}/versions/{no}' => sub { return { is_open => Cpanel::JSON::XS::true } },
	'POST /a/{art}/versions/{no}/address' => sub { return 'is_open=1' },
	'POST /a/{art}/visibility' => sub { return 'visibility=unlisted' },
	'POST /w/{ws}/entry' => sub { return 'entry=' },
	(map { ("POST /a/{art}/jobs/{job}$_/enabled" => sub { return 'enabled=1' }) } '', '/list'),
	(map { ("POST /w/{ws}/$_/share" => sub { in_ws() if $art; return 'with=' . ++$n . '%40shared.example&capability=view' },
		"POST /w/{ws}/$_/share/change" => sub {
			in_ws() if $art;
			return 'capability=view&subject_type=sharee&subject_id=' . $world->make(shr => ws => $ws, user => $ann->{id});
		}) } 'artifacts/{art}', 'folders/{fld}', 'library/{dlv}'),
	(map { ("POST /shared/artifacts/{art}/comments$_" => sub { return 'text=said' }) } '', '/{cmt}'),
	'POST /a/{art}/people' => sub { return 'emails=ben%40example.org&role=viewer' },
	'POST /a/{art}/people/remove' => sub { return 'email=cid%40example.org' },
	'POST /a/{art}/settings' => sub { return 'name=Other&slug=page-' . ++$n },
	'POST /a/{art}/transfer' => sub { return 'email=ben%40example.org' },
	'POST /a/{art}/data' => sub {
		return 'text=%7B%22n%22%3A1%7D&etag=' . Vitrine::Visitor::escape('"' . substr(Digest::SHA::sha256_hex('{}'), 0, 24) . '"');
	},
	(map {
		("POST /a/{art}/jobs$_" => sub { return 'action=webhook&url=https%3A%2F%2Fhooks.example.org%2F&when=day&at=07%3A00' });
	} '', '/{job}'),
	'POST /auth/view/enter' => sub { return 'to=' . Vitrine::Visitor::escape($content) },
	'GET /auth/callback' => sub { return 'state=x&code=x' },
	'POST /a/{art}/data/tables' => sub { return 'name=pets&columns=name' },
	'PUT /v1/data/{art}/tables/{table}' => sub { return { columns => [map { { name => $_, type => 'text' } } 'a', 'b'] } },
	'POST /mcp' => sub {
		return { jsonrpc => '2.0', id => 1, method => 'tools/call', params => { name => 'list_artifacts', arguments => {} } };
	},
	'POST /v1/data/{art}/tables/{table}/rows' => sub { return { rows => [map { { a => "a$_" } } 1 .. 100] } },
	(map { ("$_ /v1/data/{art}/tables/{table}/rows" => sub { return 'a=eq.x' }) } qw(GET DELETE)),
	'PATCH /v1/data/{art}/tables/{table}/rows' => sub { return { a => 'y' } },
	(map { ("POST /v1/data/{art}/tables/{table}/$_" => sub { return { batch_id => batch() } }) } 'undo', 'rows/{row}/restore'),
	(map { ("POST /a/{art}/data/tables/{table}/$_" => sub { return 'batch_id=' . batch() }) } 'undo', 'rows/{row}/restore'),
	'POST /v1/data/{art}/tables/{table}/restore' => sub { return { at => time } },
	'POST /a/{art}/data/tables/{table}/restore' => sub { return 'at=' . time },
	'POST /a/{art}/data/tables/{table}/bulk' => sub { return 'column=a&value=y&where=%5B%22a%22%2C%22eq%22%2C%22x%22%5D' },
	'POST /a/{art}/data/tables/{table}/column/drop' => sub {
		$api->call(PUT => "/v1/data/$art/tables/guests", { token => $ann->{token},
			json => { columns => [map { { name => $_, type => 'text' } } 'a', 'more'] } });
		return 'column=more';
	},
);

# Of a row that is added to the artifact's table.
sub batch {
	$api->call(POST => "/v1/data/$art/tables/guests/rows", { token => $ann->{token}, json => { rows => [{ a => 'x' }] } });
	my ($hex) = $db->selectrow_array("SELECT HEX(c.batch) FROM data_change c JOIN data_table t ON t.no = c.history_no "
		. "WHERE t.artifact_id = ? AND t.name = 'guests' ORDER BY c.batch DESC LIMIT 1", undef, $art);
	return 'bat_' . join '',
		map { substr '0123456789abcdefghjkmnpqrstvwxyz', oct "0b$_", 1 } ('00' . unpack 'B*', pack 'H*', $hex) =~ /(.{5})/g;
}

# Somebody who can comment on the artifact that was made last.
sub reviewer {
	$db->do("INSERT IGNORE INTO collaborator (artifact_id, user_id, role, created_at) "
			. "SELECT MAX(id), ?, 'viewer', 0 FROM artifact WHERE owner_id = ?",
		undef, $user{cid}{id}, $ann->{id});
	return 'cid@example.org';
}

# Publishes files to the artifact that was made last, and returns the number of the version.
sub live {
	my @files = @_;
	my $art = $db->selectrow_array("SELECT id FROM artifact WHERE owner_id = ? ORDER BY id DESC LIMIT 1", undef, $ann->{id});
	$api->publish($ann, artifact_id => $art, files => { map { $_ => 'live ' . ++$n } @files });
	return $api->call(GET => "/v1/artifacts/$art", { token => $ann->{token} })->{json}{artifact}{version_no};
}

sub call_route {
	my ($route) = @_;
	my $name = "$route->{method} $route->{path}";
	my $path = $route->{path};
	$deciding = $name =~ m{decision$|^POST /a/.*approval/\{apr\}$};
	my ($art, $ws);
	$path =~ s/\{([^}]+)\}/my $made = ($make{$1} or die "a parameter {$1}")->($art, $ws, $route->{path}); $ws = $made if $1 eq 'ws'; $art = $made if $1 eq 'art' || $1 eq 'ws'; $made/ge;
	$api->call(DELETE => "/v1/artifacts/$1", { token => $ann->{token} }) if $path =~ m{/(art_\w+)/restore$};
	$api->call(PATCH => "/v1/artifacts/$2", { token => $ann->{token}, json => { workspace_id => $1 } })
		if $path =~ m{/(wsp_\w+)/.*(art_\w+)};
	$api->call(DELETE => "/v1/workspaces/$1", { token => $ann->{token} }) if $path =~ m{/(wsp_\w+)/restore$};
	# One person may own ten, and is in none of those before.
	$db->do("UPDATE workspace w JOIN member m ON m.workspace_id = w.id AND m.user_id = ? SET w.deleted_at = 9999999999 "
			. "WHERE w.deleted_at IS NULL AND w.id NOT IN (?, 'wsp_0')", undef, $ann->{id}, $path =~ /(wsp_\w+)/ ? $1 : '')
		if $path =~ m{^(?:/v1/workspaces|/v1/billing|/w\b)};
	$db->do('DELETE m FROM member m JOIN workspace w ON w.id = m.workspace_id WHERE w.deleted_at = 9999999999 AND m.user_id = ?',
		undef, $_->{id}) for values %user;
	# The live one can't go.
	$api->publish($ann, artifact_id => $art, files => { 'index.html' => 'later' })
		if $name =~ m{^(?:DELETE .*/versions/\{no\}|POST .*/versions/\{no\}/remove)$};
	my $data = $send{$name} ? $send{$name}->() : undef;
	$path .= '?a=eq.x' if $name eq 'PATCH /v1/data/{art}/tables/{table}/rows';
	$path .= "?$data" if $data && ($route->{method} =~ /GET|DELETE/ || $route->{body} eq 'bytes');
	my %form = (body => $data // '', headers => { 'Content-Type' => 'application/x-www-form-urlencoded' });
	if ($route->{body} eq 'files') {
		# A person may have three that are open.
		$db->do("UPDATE import SET state = 'cancelled', due = 0 WHERE artifact_id = ?", undef, $art) if $name =~ m{/import$};
		return signed_in()->send(POST => $path,
			body => join("\r\n", '--x', 'Content-Disposition: form-data; name="files"; filename="site/index.html"', '',
				$name =~ m{/import$} ? "a\nx" : 'dropped ' . ++$n, "--x--\r\n"),
			headers => { 'Content-Type' => 'multipart/form-data; boundary=x' });
	}
	return signed_in()->send(POST => $path, body => $png, headers => { 'Content-Type' => 'image/png' })
		if $name =~ m{^POST /w/.*/logo$};
	return $api->call(POST => $path, { token => $ann->{token}, body => $png, headers => { 'Idempotency-Key' => 'k' . ++$n } })
		if $name =~ m{/logo$} && $route->{method} eq 'POST';
	if ($route->{body} =~ /^(?:file|bytes)$/) {
		return $api->call($route->{method} => $path, { token => $ann->{token}, headers => { 'Idempotency-Key' => 'k' . ++$n },
			$route->{body} eq 'bytes' ? (body => 'bytes ' . ++$n)
			: (type => 'multipart/form-data; boundary=x', body => join "\r\n", '--x',
				'Content-Disposition: form-data; name="file"; filename="x.txt"', '', 'file ' . ++$n, "--x--\r\n") });
	}
	$db->do('UPDATE user SET is_staff = ? WHERE id = ?',
		undef, $route->{caller} eq 'staff' || $route->{who} eq 'ticket_work' ? 1 : 0, $ann->{id});
	if ($route->{caller} =~ /person|staff/) { return signed_in()->send($route->{method}, $path, $route->{body} eq 'form' ? %form : ()) }
	return $api->call($route->{method} => $path, { token => $ann->{token},
		($route->{method} eq 'GET' || $route->{method} eq 'DELETE' ? () : (headers => { 'Idempotency-Key' => 'k' . ++$n })),
		$route->{body} =~ /^(?:json|message)$/ ? (json => ref $data ? $data : {}) : $route->{body} eq 'form'
		? (%form, headers => { 'Sec-Fetch-Site' => 'same-origin' }, type => 'application/x-www-form-urlencoded') : () });
}

log_begin();
# What answers with a refusal here: there is no such page, state or link, a row that nobody has changed, a device that nobody has approved
# yet, no server to test a connection at, and no payment provider.
my $refused =
	qr{^(?:GET /\.well-known/security|GET /v1/data/\{art\}/imports/\{imp\}/left-out|POST /(?:a/\{art\}/data|v1/data/\{art\})/tables/\{table\}/rows/\{row\}/restore$|POST /a/\{art\}/approval$|POST /v1/artifacts/\{art\}/publish-approval$|GET /v1/proxy/|POST /v1/agent/|GET /v1/workspaces/\{ws\}/connections/(?:\{(?:provider|chat)\}/|\{con\}/(?:\{chat\}|my-credentials/auth-url))|(?:GET|POST) /w/\{ws\}/connections/(?:signin|services/|\{con\}/signin)|POST /w/\{ws\}/connections/(?:new|\{con\}/edit)|POST /auth/account/credentials/\{ws\}/\{con\}$|GET /v1/oauth/\{provider\}|GET /docs/|GET /auth/provider/|GET /auth/callback|POST /auth/account/link|POST /auth/password/set|POST /v1/oauth/token|GET /auth/password/set|(?:GET|POST) /auth/signin/link|(?:GET|POST) /auth/unsubscribe|DELETE /v1/auth/sessions$|POST /auth/account/password|POST /auth/factor|POST /auth/account/factor/(?:on|codes|off)|GET /auth/account/factor/qr|POST /v1/account/upgrade|POST /v1/billing/(?:checkout|rebill|card|webhook)|PATCH /v1/billing/subscription/plan|(?:GET|POST) /w/\{ws\}/plan/(?:activate|change|checkout|paid))};
for my $route (map { decode_json($_) } split /\n/, `$ENV{VITRINE_BUILD}/vitrine-worker --routes`) {
	my $name = "$route->{method} $route->{path}";
	my $r = call_route($route);
	ok $r->{status} =~ /^[23]/ || $name =~ $refused, "$name does its work" or diag "$r->{status} $r->{body}";
	cheap($name);
}

# ---- what is asked in more than one way, and the content hosts

$api->call(GET => "/v1/artifacts?$_", { token => $ann->{token} })
	for qw(owner=me owner=shared visibility=private slug=common q=own favorite=1 deleted=1 limit=2);
cheap('lists');
$make{ws}->();
$api->call(GET => "/v1/workspaces/$ws/$_", { token => $ann->{token} }) for map({ ("folders$_", "admin/artifacts$_", "audit$_") } ''),
	'folders?parent_id=root', 'folders?q=x', (map { "admin/artifacts?sort=$_" } qw(views_30d size_bytes)), "audit?actor=$ann->{id}",
	'audit?action=none', "audit?target_id=$ws", 'audit?since=1', 'audit?until=1',
	(map { ("$_?state=failing", "$_?q=x") } qw(schedules automations)), map { "runs?$_" } 'surface=schedule', 'status=failed',
	'surface=automation&status=success', 'action=webhook', "artifact_id=$art&status=failed", 'since=1', 'until=1';
$api->call(GET => "/v1/artifacts?workspace_id=$ws&$_", { token => $ann->{token} })
	for 'limit=2', 'folder_id=root', 'folder_id=' . folder_in('list');
$api->call(GET => "/w/$ws/$_", { token => $ann->{token} })
	for (map { "governance?$_" } 'sort=views_30d', 'sort=size_bytes', 'who=x', "owner=$ann->{id}"),
		(map { "audit?$_" } "person=$ann->{id}", 'action=none', "target_id=$ws", 'target=x', 'from=2026-01-01', 'who=x');
$api->call(GET => "/v1/support/tickets?scope=workspace&workspace=$ws$_", { token => $ann->{token} }) for '', '&status=open';
cheap('lists of a workspace');
$db->do('UPDATE user SET is_staff = 2 WHERE id = ?', undef, $ann->{id});
$api->call(GET => "/v1/support/tickets?$_", { token => $ann->{token} }) for 'scope=all&limit=5', 'scope=all&status=open&limit=5',
	'scope=all&unassigned=true&limit=5', 'scope=assigned', 'scope=assigned&status=open', 'scope=mine&status=open';
cheap('lists of tickets');
$db->do('UPDATE user SET is_staff = 0 WHERE id = ?', undef, $ann->{id});
my $reader = signed_in();
is $reader->send(GET => "/w/$ws$_")->{status}, 200, "its page$_"
	for '', '?q=e', '?visibility=private', '?after=fld_' . '0' x 26 . '.a', '/folders/' . folder_in('page') . '?q=e';
cheap('pages of a workspace');
$api->call(GET => "/v1/artifacts/$common", { token => $user{ben}{token} });
$api->call(GET => "/v1/artifacts/$common", {});
cheap('an artifact, as others');
my $digest = $api->call(POST => '/v1/publish',
	{ token => $ann->{token}, json => { artifact_id => $common, name => 'C', files => [{ path => 'index.html', content => 'y' },
		{ path => 'common.txt', sha256 => Digest::SHA::sha256_hex('common') }] } });
is $digest->{status}, 201, 'bytes by a digest that everybody has' or diag $digest->{body};
cheap('a publish by digest');
my $secret = $api->publish($ann, slug => 'secret', visibility => 'private', files => { 'index.html' => 'secret' });
$api->get_site($_, '/') for 'common', 'common--v1', 'secret', 'nothing-here', 'n10', 'former7';
my $v = signed_in();
is $v->go('/auth/view?to=' . Vitrine::Visitor::escape("https://secret.pages.localhost:$stack->{port}/"))->{body}, 'secret', 'let in';
$v->send(GET => "https://secret.pages.localhost:$stack->{port}/");
is $v->send($_ => "https://secret.pages.localhost:$stack->{port}/v1/data/self/json", headers => { 'Sec-Fetch-Site' => 'same-origin',
	'Content-Type' => 'application/json' }, $_ eq 'GET' ? () : (body => '{"n":1}'))->{status}, 200, "a page's own data: $_"
	for qw(PUT GET PATCH);
cheap('content hosts');
$api->call(DELETE => "/v1/artifacts/$secret?purge=1", { token => $ann->{token} });
cheap('a purge');

# The link that ends an alert's e-mail.
$db->do('DELETE FROM mail_budget');
my ($told) = $db->selectrow_array("SELECT a.id FROM data_table t JOIN artifact a ON a.id = t.artifact_id WHERE t.name = 'guests' "
	. "AND a.owner_id = ? AND a.deleted_at IS NULL AND a.paused_at IS NULL ORDER BY a.id DESC LIMIT 1", undef, $ann->{id});
$api->call(POST => '/v1/metric-alerts', { token => $ann->{token}, json => { artifact_id => $told, name => 'x', table => 'guests',
	kind => 'row_count', op => 'below', value => 1e6, destinations => [{ type => 'email', email => 'told@example.org' }] } });
$db->do("UPDATE outbox SET due_at = 0 WHERE kind = 'measure'");
$stack->runner;
my ($end) = map { $_->{envelope}{to}[0] eq 'told@example.org' && $_->{headers}{'list-unsubscribe'} =~ m{<https://[^/]+(/\S+)>} ? $1 : () }
	$smtp->mails;
statements();
is +Vitrine::Visitor->new($api)->send($_ => $end)->{status}, 200, "$_ of the link in an alert's e-mail" for qw(GET POST);
cheap("the end of an alert's e-mail");

# A link to set a password, known browsers, a device's token.
my $w = signed_in();
$w->sign_in('ann@example.org', 'the password', '/auth/account');
$w->go('/auth/password/forgot');
$w->submit(qr{forgot$}, { email => 'ben@example.org' });
$stack->runner;
my ($link) = map {
	$_->{envelope}{to}[0] eq 'ben@example.org' && $_->{parts}{'text/plain'} =~ m{https://\S+(/auth/password/set\?link=\S+)} ? $1 : ();
} $smtp->mails;
$w = Vitrine::Visitor->new($api);
$w->go($link);
is $w->submit(qr{password/set$}, { password => 'the password' })->{path}, '/', 'a password is set by a link';
$w->send(POST => '/auth/signout', body => '', headers => { 'Content-Type' => 'application/x-www-form-urlencoded' });
$w->sign_in('ben@example.org', 'the password');
my $device = device();
$w->go("/auth/device?code=$device->{user_code}");
$w->submit(qr{^/auth/device$}, { action => 'approve' });
is $api->call(POST => '/v1/auth/device/token', { json => { device_code => $device->{device_code} } })->{json}{status}, 'approved',
	'a device has its token';
cheap('a link by e-mail, and a device');
$w->go('/auth/account/factor');
my ($secret_text) = $w->submit(qr{/factor/start$}, { password => 'the password' })->{text} =~ m{<span>((?:[A-Z2-7]{4} ?){8})</span>};
my $otp = Vitrine::Otp->new($secret_text);
$w->send(GET => '/auth/account/factor/qr');
$w->go('/auth/account/factor');
my @recovery = $w->submit(qr{/factor/on$}, { code => $otp->code })->{text} =~ /((?:[0-9a-z]{4}-){3}[0-9a-z]{4})$/mg;
for my $code ($otp->code(1), $recovery[0], $otp->wrong) {
	my $again = Vitrine::Visitor->new($api);
	$again->sign_in('ben@example.org', 'the password');
	is $again->submit(qr{^/auth/factor$}, { code => $code })->{status}, $code eq $otp->wrong ? 401 : 200, 'a second factor';
}
$w->go('/auth/account/factor');
$w->submit(qr{/factor/off$}, { code => $recovery[1] });
cheap('a second factor, on, asked for, and off');

# Somebody new by a provider, then merged into an account with artifacts, tokens and collaborators; asking for access.
sub through {
	my ($v, $start, $name) = @_;
	return $v->go($idp->authorize($v->send(GET => $start)->{headers}{location}, $name) =~ s{^https://vitrine\.localhost:\d+}{}r);
}
my $zoe = Vitrine::Visitor->new($api);
through($zoe, '/auth/provider/rs', 'zoe');
my ($zoe_id) = $db->selectrow_array("SELECT id FROM user WHERE email = 'zoe\@example.org'");
my $zoes = $stack->ctl(qw(token mint --user zoe@example.org));
my $hers = $api->publish({ token => $zoes }, slug => 'zoes', visibility => 'private', files => { 'index.html' => 'zoe' });
$api->call(POST => "/v1/artifacts/$common/collaborators",
	{ token => $ann->{token}, json => { emails => ['zoe@example.org'], role => 'viewer' } });
is $api->call(POST => '/v1/access-requests', { json => { artifact_id => $hers, email => 'cid@example.org' } })->{status}, 202,
	'asked for access';
through($zoe, '/auth/provider/rs', 'zoe');
my $b = Vitrine::Visitor->new($api);
$b->sign_in('ben@example.org', 'the password');
through($b, '/auth/provider/rs?link=1', 'zoe');
$b->submit(qr{/account/link$});
is $db->selectrow_array('SELECT COUNT(*) FROM user WHERE id = ?', undef, $zoe_id), 0, 'two accounts are one';
$stack->ctl(qw(user add late@example.org));
cheap('a provider, and a merge');
is $db->selectrow_array("SELECT under_way FROM sweep WHERE name = 'scrub'"), 0, 'the scrub came to its end';
ok $db->selectrow_array('SELECT COUNT(*) FROM damage'), 'and found what is missing';
$db->do("UPDATE sweep SET under_way = 1, outer_at = 256, inner_at = 0, id_at = ? WHERE name = 'scrub'",
	undef, sprintf 'blb_Z%025d', NEIGHBOURS - 20);
$stack->runner;
cheap('a scrub of the last blobs');
ok $seen > 300, "the log has told of $seen statements";

# ---- the runner, with something due of everything

sub due { my ($table, $column, $at) = @_; $db->do("UPDATE $table SET $column = ? ORDER BY $column DESC LIMIT 3", undef, $at // 1) }
due($_, 'expires_at') for qw(session password_link factor_login device_login viewer provider_login connection_state invite);
due(known_browser => 'last_used_at');
due(agent_grant => 'reap_at');
# Of others than the grants that are due, which take theirs along.
$db->do("UPDATE agent_refresh SET expires_at = 1 WHERE grant_id IN ('ogr_Z0000000000000000000000001', 'ogr_Z0000000000000000000000002')");
$db->do("UPDATE agent_act SET at = 1 WHERE grant_id IN ('ogr_Z0000000000000000000000001', 'ogr_Z0000000000000000000000002')");
due(idempotency => 'created_at');
due(mail_failed => 'failed_at');
due(mail_budget => 'day');
due(view_day => 'day');
$db->do('UPDATE artifact_storage SET views_until = 1 WHERE views > 0 ORDER BY artifact_id DESC LIMIT 3');
due(data_table => 'sweep_at');
$db->do("INSERT INTO user (id, kind, invited_email, name, created_at) "
	. "VALUES ('usr_0000000000000000000000000g', 'guest', 'gone\@neighbour.example', '', 1)");
$db->do('UPDATE data_table SET artifact_id = NULL WHERE sweep_at = 1 LIMIT 2');
$db->do('UPDATE data_table SET dropped = 1 WHERE sweep_at = 1 AND artifact_id IS NOT NULL');
open my $views, '>>', "$stack->{dir}/views" or die;
printf $views "%d.000 n%d v e h\n", time, 1 + $_ % 300 for 1 .. 1000;
close $views;
$db->do("UPDATE slug SET released_at = 1 WHERE slug LIKE 'former%' LIMIT 3");
$db->do("UPDATE artifact SET deleted_at = 1 WHERE id IN (?, ?)", undef, map { sprintf 'art_Z%025d', $_ } 20, 21);
$db->do("UPDATE outbox SET due_at = 0 WHERE kind = 'project' LIMIT 1");
$db->do("INSERT INTO outbox (id, kind, subject, due_at) VALUES ('out_odd', 'odd', 'x', 0)");
# What changes fires a watch and an alert.
my $watched = $db->selectrow_array('SELECT artifact_id FROM metric_watch WHERE created_by = ? ORDER BY id DESC LIMIT 1', undef, $ann->{id});
$api->call(POST => "/v1/data/$watched/tables/guests/rows",
	{ token => $ann->{token}, json => { rows => [map { { a => "b$_" } } 1 .. 50] } });
ok $db->do("UPDATE outbox SET due_at = 0 WHERE kind = 'measure'") > 0, 'measures are due';
$db->do("INSERT INTO outbox (id, kind, subject, payload, due_at) VALUES ('mea_n', 'measure', ?, '{\"table\":\"guests\"}', 0)",
	undef, sprintf 'art_Z%025d', 30);
mkdir "$stack->{dir}/data/objects/ff";
Vitrine::Stack::spew("$stack->{dir}/data/objects/ff/" . 'f' x 64, 'stray');
my $tree = "$stack->{dir}/data/trees/art_" . 'A' x 26;
mkdir $tree;
mkdir "$tree/1";
due($_, 'due_at') for qw(picture page_seen);
$stack->{conf}{chromium} = 'auto';
$stack->{conf}{pictures_per_minute} = 2;
$stack->write_conf;
# Each round begins anew.
$db->do("DELETE FROM sweep WHERE name NOT LIKE 'scrub%'");
sleep 1.1;
statements();
my ($status, undef, $err) = $stack->runner;
# A browser that doesn't begin is tried again the next time.
for (1 .. 3) { last if !-x '/usr/bin/chromium' || $err =~ /"event":"no picture/; $err .= ($stack->runner)[2] }
like $err, qr/"event":"no picture.*(?:returned status 404|no picture in \d+ ms)/, 'a picture was due' if -x '/usr/bin/chromium';
like $err, qr/"event":"page not opened/, 'and a page was to be opened' if -x '/usr/bin/chromium';
is $status, 0, 'the runner ran' or diag $err;
my ($run) = map { decode_json($_) } grep { /"event":"run"/ } split /\n/, $err;
ok $run->{views}{looked} >= 1000, 'views: some were to be counted';
for my $name (qw(view_months view_days mail_budgets mails_failed sessions known_browsers password_links factor_logins device_logins viewers
	provider_logins connection_states invites guests agent_grants agent_refreshes agent_acts replies expired slugs purged data
	objects trees)) {
	ok $run->{$name}{removed}, "$name: some were due";
}
ok $run->{trash}{removed}, 'and the trash was emptied';
is $db->selectrow_array("SELECT COUNT(*) FROM outbox WHERE kind = 'measure'"), 0, 'what was due was measured';
cheap('a run of the runner');
$stack->{conf}{chromium} = '"-"';
$stack->write_conf;
# A round that pages through what there is has cheap statements, but many. Those that begin once a day may, so far a pass.
sub many {
	my %sum;
	$sum{$_->{sql} =~ s/'[^']*'|\d+/?/gr} += $_->{examined} for @_;
	return join "\n", map { "$sum{$_} rows read: " . substr $_, 0, 500 } grep {
		$sum{$_} > ROWS
			+ (/ w\.subdomain > | u\.kind = \? AND u\.id > | n\.near = \? AND n\.word > |JSON_TABLE/
				|| /FROM domain d STRAIGHT_JOIN|WHERE a\.id > . ORDER BY a\.id LIMIT/
				|| /FROM (?:search_space|data_table) WHERE no > |SET indexed = / ? 5_000 : 0);
	} sort keys %sum;
}
# A pass on a loaded machine leaves a part to the next ones.
my @idle;
for (1 .. 6) {
	statements();
	($status) = $stack->runner;
	@idle = statements();
	last if !many(@idle);
}
cheap('and one with nothing to do', @idle);
is many(@idle), '', '... not in many statements either';

# ---- that it would be seen

$db->do('ALTER TABLE outbox DROP KEY outbox_kind');
($status) = $stack->runner;
ok scalar(grep { $_->{examined} > ROWS && $_->{sql} =~ /FROM outbox/ } statements()), "without an index the log tells of it";

$stack->expect_internal;
# What it would write at its end nobody reads.
kill 'KILL', $stack->{pids}{db};
finish($stack);
