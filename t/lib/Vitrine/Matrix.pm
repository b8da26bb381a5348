# SPDX-License-Identifier: Apache-2.0
# The permission matrix, made from the route table: every route for every kind of caller in every role, on a private and on a public
# artifact. What a row says must be what happens; what is refused must change nothing. A new route is in it by itself; a new kind of thing
# needs a row of Vitrine::World. Four tests have a quarter of the routes each: t/meta/matrix*.t.
package Vitrine::Matrix;
use Vitrine::Words;
use Vitrine::World;

my ($stack, $api, $db) = stack(Vitrine::World::unlimited());
# Tens of thousands of small things are made here, and none is to outlive the machine. MariaDB counts the rows that change, by table.
$db->do("SET GLOBAL $_") for 'innodb_flush_log_at_trx_commit = 0', 'userstat = 1', 'group_concat_max_len = 100000';
# Nothing but requests is to change any: the packer removes rows of the outbox when it has done them.
my @packer;
Vitrine::Stack::wait_for('the packer', 60, sub { @packer = $stack->workers('packer') });
kill STOP => @packer;

# ---- secrets, made as the program makes them

sub secret { return Vitrine::Stack::secret($_[0]) }
my $world = Vitrine::World->new($stack);
sub id { return $world->id($_[0] =~ s/_$//r) }

# ---- who there is: in each role a person and an agent, beside somebody without any

# The roles on each kind of thing, the least first. An agent is a member of its own kind.
my %ladder = (art => [qw(none viewer editor owner)], ws => [qw(none agent member admin owner)], tkt => [qw(none admin requester staff)]);
# Who governs the artifacts' workspace reads all of them, and does besides what a row leaves to them.
my %rank = map { my $rungs = $ladder{$_}; $_ => { map { $rungs->[$_] => $_ } 0 .. $#$rungs } } keys %ladder;
$rank{art}{admin} = $rank{art}{viewer};
my %user; # kind, role => id
for my $role (do { my %seen; grep { !$seen{$_}++ } map { @$_ } values %ladder }) {
	$user{person}{$role} = $stack->user("$role\@example.org")->{id};
	$user{agent}{$role} = id('usr_');
	$db->do("INSERT INTO user (id, kind, email, name, created_at) VALUES (?, 'agent', NULL, ?, 0)",
		undef, $user{agent}{$role}, "agent $role");
}
$db->do('UPDATE user SET is_staff = 1 WHERE id = ?', undef, $user{person}{staff});
my $publisher = $stack->user('publisher@example.org');

# When it was used is noted from time to time only, which would be a change.
sub token { my ($user, $prefix, %is) = @_; return { token => $stack->token($user, $prefix, last_used_at => time, %is) } }

# A browser's session may be ended by what it is used for, so each call has one of its own.
sub cookie {
	my $cookie = secret('ses_');
	$db->do("INSERT INTO session VALUES (?, UNHEX(SHA2(?, 256)), ?, 'password', UNIX_TIMESTAMP(), UNIX_TIMESTAMP(), "
		. "4000000000, '', '')", undef, id('ses_'), $cookie, $_[0]);
	return { headers => { Cookie => "vitrine_access=$cookie", 'Sec-Fetch-Site' => 'same-origin' } };
}

my ($here, $there) = map { id('wsp_') } 1, 2;

# People outside of the workspace, each with a capability, which comes by the artifact itself, by the folder it is in, or by a client of
# theirs.
my ($folder, %outside) = (id('fld_'));
my %art; # kind of owner, visibility => id
for (['view', 'artifact'], ['comment', 'folder'], ['edit', 'client'], ['view', 'client']) {
	my ($capability, $by) = @$_;
	$outside{"$capability by $by"} = { capability => $capability, by => $by, user => $stack->user("$capability-$by\@example.org")->{id},
		$by eq 'client' ? (sharee => id('shr_')) : () };
}
$db->do("UPDATE user SET outside = 1 WHERE id = ?", undef, $_->{user}) for values %outside;
# How many rows of each table were changed so far, also what was rolled back: "table 1,table 2"; not of
# the search and of what people outside have opened, which follow a reply, unless they are named.
sub changes {
	my (@tables) = @_;
	return $db->selectrow_array("SELECT GROUP_CONCAT(table_name, ' ', rows_changed ORDER BY table_name) "
		. "FROM information_schema.table_statistics WHERE rows_changed > 0 AND table_schema = 'vitrine' AND "
		. (@tables ? 'table_name IN (' . join(', ', map { "'$_'" } @tables) . ')'
			: "table_name NOT LIKE 'search%' AND table_name <> 'sharee_act'")) // '';
}

# They have it before each request, whatever the one before did: it may have let them into the workspace.
my $given = '';
my @giving = qw(artifact folder member share_grant sharee sharee_member);
sub give {
	my @arts = values %{$art{person}};
	return if changes(@giving) eq $given;
	$db->begin_work;
	$db->do('DELETE FROM share_grant');
	$db->do('DELETE FROM member WHERE user_id = ?', undef, $_->{user}) for values %outside;
	$db->do("INSERT IGNORE INTO folder (id, workspace_id, name, name_key, created_at, updated_at) "
		. "VALUES (?, ?, 'Shared', 'shared', 0, 0)", undef, $folder, $here);
	$db->do('UPDATE artifact SET folder_id = ?, workspace_id = ? WHERE id IN (?, ?)', undef, $folder, $here, @arts);
	for my $o (values %outside) {
		if ($o->{sharee}) {
			$db->do("INSERT IGNORE INTO sharee (id, workspace_id, name, name_key, created_at) VALUES (?, ?, 'Client', ?, 0)",
				undef, $o->{sharee}, $here, $o->{sharee});
			$db->do('INSERT IGNORE INTO sharee_member (sharee_id, user_id, workspace_id, created_at) VALUES (?, ?, ?, 0)',
				undef, $o->{sharee}, $o->{user}, $here);
		}
		$db->do('INSERT INTO share_grant (id, workspace_id, subject_type, subject_id, resource_type, resource_id, capability, '
			. 'created_at) VALUES (?, ?, ?, ?, ?, ?, ?, 0)', undef, id('grt_'), $here,
			$o->{sharee} ? ('sharee', $o->{sharee}) : ('external_user', $o->{user}), @$_, $o->{capability})
			for $o->{by} eq 'folder' ? ['folder', $folder] : map { ['artifact', $_] } @arts;
	}
	$db->commit;
	$given = changes(@giving);
}
my $all = 15; # every scope
my %actor = ( # kind of user, how it comes; limited: the scopes that it has; elsewhere: confined to another workspace
	nobody => { come => sub { {} } },
	token => { kind => 'person', come => sub { token($_[0], 'so_') } },
	cookie => { kind => 'person', come => \&cookie },
	'agent with every scope' => { kind => 'agent', come => sub { token($_[0], 'sot_', scopes => $all) }, limited => 1 },
	'agent without scopes' => { kind => 'agent', come => sub { token($_[0], 'sot_', scopes => 0) }, limited => 0 },
	'token of the workspace' => { kind => 'person', come => sub { token($_[0], 'so_', workspace_id => $here) } },
	# Of the person who may the most; it is for the agents' protocol alone, so it is nobody's everywhere else.
	'connected agent' => { kind => 'person', roles => ['owner'], come => sub {
		{ token => $stack->token($_[0], 'som_', scopes => $all, opens_to => 'public', last_used_at => time,
			grant_id => $world->make(ogr => user => $_[0])) }
	} },
	(map { my $o = $outside{$_}; ("outside ($_)" => { kind => 'person', outside => $o, come => sub { token($_[0], 'so_') } }) }
		grep { !/^view by client/ } keys %outside),
	'cookie of outside (edit by client)' => { kind => 'person', outside => $outside{'edit by client'}, come => \&cookie },
	# artifacts:read, data:read, data:write: all that it can have.
	(map { my $o = $outside{"$_ by client"}; ("client's token ($_) of the workspace" => { kind => 'person', outside => $o, limited => 1,
		lacks => 'artifacts:publish', come => sub {
			token($_[0], 'sot_', scopes => 13, workspace_id => $here, grants_only => 1, sharee_id => $o->{sharee});
		} }) } qw(view edit)),
	'token of another workspace' => { kind => 'person', come => sub { token($_[0], 'so_', workspace_id => $there) }, elsewhere => 1 },
);

# ---- what they come to

sub make_art {
	my ($kind, $visibility) = @_;
	my $art = $api->publish($publisher, slug => lc "$kind-$visibility-" . id('') =~ s/^_0*//r, visibility => $visibility);
	# What a policy may open is left to it, so here it opens all: the rows' words alone decide.
	$db->do(q(UPDATE artifact SET owner_id = ?, workspace_id = ?, access_policy = '{"default":"everyone"}' WHERE id = ?),
		undef, $user{$kind}{owner}, $here, $art);
	share($art);
	Vitrine::World::pictured($db, $art);
	# What rules of data forbid is told in t/api/rowpolicy.t.
	$db->do('UPDATE artifact SET access_policy = ? WHERE id = ?', undef, '{"default":"everyone"}', $art);
	return $art{$kind}{$visibility} = $art;
}
sub share {
	for my $kind (keys %user) {
		$db->do('INSERT IGNORE INTO collaborator (artifact_id, user_id, role, created_at) VALUES (?, ?, ?, 0)',
			undef, $_[0], $user{$kind}{$_}, $_) for qw(viewer editor);
	}
}
for my $kind (qw(person agent)) { make_art($kind, $_) for qw(private public) }

# Each caller's role there is their own.
sub make_ws {
	$db->do('UPDATE artifact SET closed = 0, paused_at = NULL');
	$db->do('DELETE FROM workspace_slug WHERE workspace_id IN (?, ?)', undef, $here, $there);
	for my $ws ($here, $there) {
		$db->do("REPLACE INTO workspace (id, name, slug, people, created_at, updated_at) VALUES (?, 'Team', LOWER(RIGHT(?, "
			. "8)), 1, 0, 0)", undef, $ws, $ws) if !$db->selectrow_array('SELECT 1 FROM workspace WHERE id = ?', undef, $ws);
		$db->do("UPDATE workspace SET name = 'Team', slug = RIGHT(id, 8), features_on = 63, deleted_at = NULL WHERE id = ?",
			undef, $ws);
	}
	$db->do("INSERT INTO workspace_slug (slug, workspace_id) VALUES ('some-slug', ?), ('that-slug', ?)", undef, $here, $there);
	for my $kind (keys %user) {
		$db->do('REPLACE INTO member (workspace_id, user_id, role, joined_at) VALUES (?, ?, ?, 0)',
			undef, $here, $user{$kind}{$_}, $_) for $kind eq 'agent' ? 'agent' : qw(member admin owner);
		$db->do('REPLACE INTO member (workspace_id, user_id, role, joined_at) VALUES (?, ?, ?, 0)',
			undef, $_, $user{$kind}{viewer}, $kind eq 'agent' ? 'agent' : 'member') for $here, $there;
	}
	$db->do("UPDATE workspace w SET people = (SELECT COUNT(*) FROM member m WHERE m.workspace_id = w.id AND m.role <> 'agent')");
}
make_ws();

# What stands at each kind of parameter, for this caller, where that isn't just made anew for them.
my %fixture = (
	art => sub { $world->make(document => %{$_[0]}); $_[0]{art} },
	ws => sub { $here },
	no => sub { 1 },
	# A file, and the name of a folder.
	'+' => sub {
		$db->do("INSERT IGNORE INTO folder (id, workspace_id, name, name_key, created_at, updated_at) "
			. "VALUES ('fld_', ?, 'index.html', 'index.html', 0, 0)", undef, $here);
		'index.html';
	},
	# One that was learned, where that is to be forgotten.
	'+note' => sub {
		return $world->make('+note', %{$_[0]}) if $_[0]{path} !~ m{/forget/};
		$db->do('DELETE FROM note WHERE artifact_id = ?', undef, $_[0]{art});
		$world->make(note => %{$_[0]}, id => undef);
		return 'pages/' . $db->selectrow_array('SELECT slug FROM artifact WHERE id = ?', undef, $_[0]{art}) . '.md' },
	slug => sub { $_[0]{elsewhere} ? 'that-slug' : 'some-slug' },
	# One of the workspace, whose admins know of it.
	tkt => sub { $world->make(tkt => ws => $here, user => $user{person}{requester}) },
	provider => sub { 'none' },
	chat => sub { 'chat_a' },
	template => sub { 'guestbook' },
	email => sub { $_[0]{role} eq 'owner' ? 'viewer%40example.org' : "$_[0]{role}%40example.org" },
	# One that the caller may decide where they govern; who asked for it may withdraw it.
	apr => sub {
		$db->do("UPDATE approval SET status = 'cancelled' WHERE pending_of = ?", undef, $_[0]{art});
		return $world->make(apr => %{$_[0]}, user => $_[0]{withdraws} ? $_[0]{user} : $publisher->{id}) },
	# Viewers change their own views only.
	viw => sub {
		my $id = $world->make(viw => %{$_[0]});
		$db->do('UPDATE data_view SET user_id = ? WHERE id = ?', undef, $_[0]{user}, $id) if $_[0]{role} eq 'viewer';
		return $id;
	},
	# Whoever asks hasn't been told it.
	hook => sub { 'x' x 24 },
	logo => sub {
		$db->do("UPDATE workspace SET logo = REPEAT('0', 32), logo_sha256 = UNHEX(SHA2('x', 256)), logo_size = 1 WHERE id = ?",
			undef, $here);
		'0' x 32;
	},
	# One that is shared is one that the workspace sees.
	dlv => sub {
		my ($at) = @_;
		my $id = $world->make($at->{path} =~ m{^/v1/files/} ? 'own_dlv' : 'dlv', %$at);
		$db->do("UPDATE deliverable SET visibility = 'workspace' WHERE id = ?", undef, $id) if $at->{path} =~ m{/share$};
		return $id;
	},
	job => sub { return $_[0]{job} = $world->make(job => %{$_[0]}) },
	alert => sub { return $_[0]{alert} = $world->make(alert => %{$_[0]}) },
	tok => sub {
		my $ws = $_[0]{noun} eq 'ws';
		my $id = id('tok_');
		$stack->token($ws ? $user{agent}{agent} : $_[0]{user}, 'so_', id => $id,
			$ws ? (scopes => 1, workspace_id => $here, made_by => $user{person}{owner}) : ());
		return $id;
	},
	# An admin has nobody below but members, and only the owner changes roles.
	user => sub {
		my $id = $user{person}{$_[0]{path} =~ m{/tokens$} ? 'member' : $_[0]{role} eq 'member' ? 'member' : 'viewer'};
		$db->do("INSERT IGNORE INTO member (workspace_id, user_id, role, joined_at) VALUES (?, ?, 'member', 0)",
			undef, $here, $id) > 0 and $db->do('UPDATE workspace SET people = people + 1 WHERE id = ?', undef, $here);
		$id;
	},
	shr => sub { return $_[0]{shr} = $world->make(shr => %{$_[0]}) },
	ext => sub { return $_[0]{ext} = $world->make(ext => %{$_[0]}) },
	inv => sub {
		$db->do('DELETE FROM invite');
		return $world->make(inv => %{$_[0]}, user => $user{person}{owner}, $_[0]{path} =~ m{^/v1/invites|^/auth}
			? (email => $db->selectrow_array('SELECT email FROM user WHERE id = ?', undef, $_[0]{user}) // 'x@x.example') : ());
	},
	ogr => sub { return $_[0]{ogr} = $world->make(ogr => %{$_[0]}) },
	# What it did to nothing in particular can't be undone, whoever asks.
	act => sub { return $world->make(act => ogr => $_[0]{ogr}) },
	idn => sub { $world->make(idn => %{$_[0]}); return $world->make(idn => %{$_[0]}) },
);

# ---- what must happen

# The agents' protocol, and the documents by which it is found.
my $of_agents =
	qr{^/(?:mcp|mcp/server-card|agents\.md|skills/vitrine/SKILL\.md|\.well-known/(?:agent-skills/index|ai-catalog|mcp/catalog)\.json)$};
# 0: let through; else the status of the refusal.
sub expected {
	my ($route, $name, $role, $visibility) = @_;
	my $actor = $actor{$name};
	return $route->{path} =~ $of_agents ? 0 : $route->{page} ? 303 : 401 if $name eq 'connected agent';
	my ($caller, $noun, $reads, $nobody) = ($route->{caller}, $route->{noun}, $route->{method} eq 'GET', !$actor->{kind});
	return $nobody ? 303 : 404 if $caller eq 'staff';
	return 401 if $route->{path} =~ $of_agents && $route->{body} eq 'message' && $name =~ /^cookie/;
	# A folder that was given to somebody else.
	my $others = $actor->{outside} && $reads && $route->{path} =~ m{/shared/folders/};
	# No artifact has the slug that stands for any, and a workspace's leads its members on.
	$others ||= $route->{path} =~ m{^/a/\{slug\}} || ($actor->{outside} && $route->{path} =~ m{^/w/\{slug\}});
	# Pages send nobody to sign in first; a token is not a person in a browser.
	return $nobody ? $route->{page} ? 303 : 401 : $name !~ /^cookie/ ? 403 : $others ? 404 : 0 if $caller eq 'person';
	return 0 if $caller eq 'anybody' && !$noun;
	my $unknown = $route->{page} ? 303 : 401;
	return $unknown if $nobody && !($noun && $reads && $route->{opens});
	return 403 if !$nobody && defined $actor->{limited} && ($route->{scope} // '') ne 'any'
		&& !($actor->{limited} && $route->{scope} && $route->{scope} ne ($actor->{lacks} // ''));
	# Their own library is hidden from a token of a workspace; the interface has that told of what is read.
	return 404 if !$nobody && $route->{path} =~ m{^/v1/files/} && !$reads && $name =~ /workspace$/;
	return 403 if !$nobody && (!$route->{confined} || $route->{path} =~ m{^/v1/files/}) && $name =~ /workspace$/;
	# What is shared with its person from outside, a token of one workspace doesn't reach.
	return 404 if $route->{path} =~ m{^/v1/shared/folders/} && $name =~ /workspace$/;
	return 404 if $others;
	return $actor->{outside} && $route->{path} =~ m{/by-slug/} ? 404 : 0 if !$noun;
	my $on = $ladder{$noun} ? $noun : 'art';
	my $rank = $nobody || $actor->{elsewhere} ? 0 : $rank{$on}{$role};
	# A grant opens what its row says, on the artifact alone.
	my %given = (view => 1, comment => 2, edit => 3);
	my $given = $noun eq 'art' && $actor->{outside} ? $given{$actor->{outside}{capability}} : 0;
	return 0 if $route->{given} && $given >= $given{$route->{given}};
	return 403 if $given && $visibility eq 'private';
	return 404 if !$rank && ($visibility eq 'private' || !$route->{opens});
	return $unknown if $nobody && $caller eq 'known';
	return 0 if $route->{governed} && $rank && $role eq 'admin';
	return $rank >= $rank{$on}{$route->{least} // 'none'} ? 0 : 403;
}

# Of the artifacts and workspaces that are come to: if that changes, they are made anew.
sub dump_rows {
	my ($at) = @_;
	my @ids = ($at // '', map { values %$_ } values %art);
	return join "\n", map { join '|', map { $_ // '' } @$_ } @{$db->selectall_arrayref(
		'SELECT a.id, a.name, a.slug, a.visibility, a.owner_id, a.live_no, a.deleted_at, a.paused_at, COUNT(f.user_id), '
			. '(SELECT COUNT(*) FROM collaborator co WHERE co.artifact_id = a.id)'
			. ' FROM artifact a LEFT JOIN favorite f ON f.artifact_id = a.id WHERE a.id IN (' . join(', ', ('?') x @ids)
			. ') GROUP BY a.id'
			. " UNION ALL SELECT id, name, slug, member_access, '', people, deleted_at, '', '', (SELECT COUNT(*) FROM member m "
			. "WHERE m.workspace_id = w.id) FROM workspace w WHERE id IN ('$here', '$there')", undef, @ids)};
}

# What is wrong with how one caller is answered, as lines.
sub try_route {
	my ($route, $name, $role, $visibility) = @_;
	my $kind = $actor{$name}{kind} // 'person';
	my $user = $actor{$name}{outside} ? $actor{$name}{outside}{user} : $user{$kind}{$role};
	my %at = (path => $route->{path}, withdraws => scalar($route->{method} eq 'DELETE' || $route->{path} =~ /withdraw$/),
		method => $route->{method}, noun => $route->{noun} // '', elsewhere => $actor{$name}{elsewhere}, role => $role,
		user => $user, art => $art{$kind}{$visibility} // $art{person}{public}, ws => $here);
	(my $path = $route->{path})
		=~ s<\{(\+?\w*)\}>{ my $kind = $1; $fixture{$kind} ? $fixture{$kind}->(\%at) : $world->make($kind, %at) }ge;
	give() if $actor{$name}{outside};
	my $call = $actor{$name}{come}->($user);
	if ($route->{body} =~ /^(?:json|message)$/) {
		$call->{json} = {};
	} elsif ($route->{body} =~ /^(?:file|bytes)$/) {
		@$call{qw(body type)} = ("--x--\r\n", 'multipart/form-data; boundary=x');
	} elsif ($route->{body} eq 'form') {
		@$call{qw(body type)} = ('', 'application/x-www-form-urlencoded');
		$call->{headers}{'Sec-Fetch-Site'} = 'same-origin';
	}
	@$call{qw(body type)} = ("--x--\r\n", 'multipart/form-data; boundary=x') if $route->{body} eq 'files';
	$call->{headers}{'Sec-Fetch-Site'} = 'same-origin' if $route->{body} eq 'files';
	# What a row is about is named in its body, or else in its query.
	$call->{json}{workspace_id} = $here if $route->{named} && $call->{json};
	$path .= "?workspace_id=$here" if $route->{named} && !$call->{json};
	my $want = expected($route, $name, $role, $visibility);
	my $writes = !$want && $route->{method} ne 'GET';
	my $rows = $writes && dump_rows($at{art});
	# What is read may be noted: who looked, and when.
	my $counts = $want || $writes;
	my %before = map { $_ => 1 } $counts ? split /,/, changes() : ();
	my $r = $api->call($route->{method} => $path, $call);
	my $changed = join ' ', grep { !$before{$_} } $counts ? split /,/, changes() : ();
	my $what = "$name ($role, $visibility)";
	return ($r->{status} == $want ? () : "$what: $r->{status}, not $want: " . substr($r->{body}, 0, 300),
		$changed ? "$what: refused, but rows were changed of $changed" : ()) if $want;
	# A public address may well have nothing at some id, and who is nobody can't sign in with nothing.
	my $bad = $route->{caller} eq 'anybody' && !$route->{noun} ? qr/^(?:403|5..)$/ : qr/^(?:401|403|404|5..)$/;
	my @wrong = $r->{status} =~ $bad ? "$what: $r->{status}, not let through: " . substr $r->{body}, 0, 300 : ();
	if ($writes && $changed && dump_rows($at{art}) ne $rows) {
		if (($route->{noun} // '') eq 'ws') { make_ws() }
		else {
			share($at{art});
			make_art($kind, $visibility) if $role =~ /^(?:owner|admin)$/;
		}
	}
	return @wrong;
}

# The routes that are pages, or aren't, and those whose noun is a workspace, or isn't. Callers come by turns to a private artifact and to a
# public one: many routes have rows that say the same, so each kind of row meets both. With VITRINE_LONG set, each caller comes to both.
sub matrix {
	my (%of) = @_;
	my $turn = 0;
	for my $route (grep { ($_->{page} ? 1 : 0) == $of{page} && (($_->{noun} // '') eq 'ws' ? 1 : 0) == $of{ws} }
		map { decode_json($_) } split /\n/, `$ENV{VITRINE_BUILD}/vitrine-worker --routes`) {
		my ($asked, @wrong) = (0);
		my $at = $turn++;
		for my $name (sort keys %actor) {
			my $agent = ($actor{$name}{kind} // '') eq 'agent';
			my @roles = $name eq 'nobody' || $actor{$name}{outside} ? 'none' : !$route->{noun} ? 'viewer' : grep {
				$route->{noun} ne 'ws' || $_ eq 'none' || $agent == ($_ eq 'agent');
			} $route->{noun} =~ /^(?:ws|tkt)$/ ? @{$ladder{$route->{noun}}}
				: (@{$ladder{art}}, $route->{governed} && !$agent ? 'admin' : ());
			@roles = @{$actor{$name}{roles}} if $actor{$name}{roles};
			for my $role (@roles) {
				my @both = qw(private public);
				for my $visibility ($actor{$name}{roles} ? 'public' : !$route->{noun} || $route->{noun} =~ /^(?:ws|tkt)$/
					? 'none' : $ENV{VITRINE_LONG} ? @both : $both[$at++ % 2]) {
					push @wrong, try_route($route, $name, $role, $visibility);
					$asked++;
				}
			}
		}
		is join("\n", @wrong), '', "$route->{method} $route->{path}: as its row says for each of $asked callers";
	}
	kill CONT => @packer;
	finish($stack);
}

1;
