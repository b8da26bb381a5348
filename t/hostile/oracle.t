# SPDX-License-Identifier: Apache-2.0
# A stranger asks for what is private, and for what is not there, and compares: words, headers, the number of statements; with VITRINE_LONG
# set the time, too. And sends what can be no id wherever one is expected.
use utf8;
use Digest::SHA 'sha256';
use List::Util qw(shuffle sum0);
use Time::HiRes 'time';
use Vitrine::Counted;
use Vitrine::Smtp;
use Vitrine::Visitor;
use Vitrine::Words;
use Vitrine::World;

my $smtp = Vitrine::Smtp->new;
# One worker in each pool: what it has prepared already is the same for all.
my $stack = Vitrine::Stack->new(workers => 1, $smtp->conf,
	map { $_ => 1_000_000 } qw(publish_per_hour publish_failures_per_hour exports_per_hour signin_failures_per_hour
	mail_links_per_hour device_starts_per_hour device_guesses_per_hour access_requests_per_hour provider_starts_per_hour
	transfer_failures_per_hour data_per_minute));
my $api = Vitrine::Api->new($stack);
my $db = $stack->db;
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben eve);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for keys %user;
my ($ann, $eve) = @user{qw(ann eve)};
sub cookie_of {
	my ($name) = @_;
	my $v = Vitrine::Visitor->new($api);
	$v->sign_in("$name\@example.org", 'the password');
	return $v->{jar}{'vitrine.localhost'}{vitrine_access}[0];
}
my %cookie = map { $_ => cookie_of($_) } qw(ann eve);
my @routes = map { decode_json($_) } split /\n/, `$ENV{VITRINE_BUILD}/vitrine-worker --routes`;
sub at { my ($slug, $path) = @_; return "https://$slug.pages.localhost:$stack->{port}$path" }

# ---- what is private, and what is not there under a name as long

my %private = (art => $api->publish($ann, slug => 'secret', visibility => 'private', files => { 'index.html' => 'secret' }),
	slug => 'secret', no => 1, '+' => 'index.html', '+note' => 'guides/note_' . '1' x 26 . '.md', email => 'ben%40example.org',
	provider => 'none', chat => 'chat_a', template => 'guestbook');
$api->publish($ann, slug => 'secret', files => { 'index.html' => 'draft' }, draft => Cpanel::JSON::XS::true);
$db->do("INSERT INTO collaborator (artifact_id, user_id, role, created_at) VALUES (?, ?, 'editor', 0)",
	undef, $private{art}, $user{ben}{id});
$api->call(POST => '/v1/access-requests', { json => { slug => 'secret', email => 'ben2@example.org' } });
$private{tok} = $db->selectrow_array('SELECT id FROM token WHERE user_id = ?', undef, $ann->{id});
$private{ses} = $db->selectrow_array('SELECT id FROM session WHERE user_id = ?', undef, $ann->{id});
$private{$_} = "${_}_" . '1' x 26 for qw(idn ogr act acr cmt run);
$private{job} = $api->call(POST => '/v1/jobs', { token => $ann->{token}, json => { artifact_id => $private{art}, action => 'webhook',
	schedule => '0 9 * * *', config => { url => 'https://example.org/' } } })->{json}{job}{id};
($private{watch}, $private{alert}, $private{dst}) = map { $_ . '_' . '1' x 26 } qw(wat alr dst);
$private{ws} = $api->call(POST => '/v1/workspaces', { token => $ann->{token}, json => { name => 'Secret team' } })->{json}{workspace}{id};
$private{fld} = $api->call(POST => "/v1/workspaces/$private{ws}/folders",
	{ token => $ann->{token}, json => { name => 'Secret folder' } })->{json}{folder}{id};
$private{user} = $ann->{id};
$private{inv} = $api->call(POST => "/v1/workspaces/$private{ws}/members/invite",
	{ token => $ann->{token}, json => { emails => ['ben@example.org'] } })->{json}{invites}[0]{id};
$private{$_} = $_ . '_' . '1' x 26 for qw(apr sta con cat shr grt tkt ivc del opr imp viw cht dom rvw inb);
($private{ext}, $private{ext_tok}, $private{shared_fld}) = ('usr_' . '2' x 26, 'tok_' . '2' x 26, 'fld_' . '2' x 26);
@private{qw(table name)} = ('guests', 'README.md');
$api->call(PUT => "/v1/workspaces/$private{ws}/context/README.md", { token => $ann->{token}, json => { content => 'x' } });
$api->call(PUT => "/v1/data/$private{art}/tables/guests",
	{ token => $ann->{token}, json => { columns => [{ name => 'a', type => 'text' }] } });
($private{row}) = @{$api->call(POST => "/v1/data/$private{art}/tables/guests/rows",
	{ token => $ann->{token}, json => { rows => [{ a => 'x' }] } })->{json}{ids}};
($private{sch}, $private{trg}, $private{ws_run}, $private{surface}, $private{hook}) = ('job_' . '2' x 26, 'job_' . '3' x 26,
	'run_' . '3' x 26, 'schedule', 'x');
my %absent = (%private, slug => 'absent', '+note' => 'guides/note_' . '0' x 26 . '.md', watch => 'wat_' . '0' x 26,
	alert => 'alr_' . '0' x 26, dst => 'dst_' . '0' x 26,
	map { $_ => "${_}_" . '0' x 26 } qw(art tok ses idn ogr act acr cmt sta row job run inv fld dom rvw inb));
$absent{ws} = 'wsp_' . '0' x 26;
@absent{qw(con cat shr grt tkt ivc ext ext_tok shared_fld)} = map { $_ . '_' . '0' x 26 } qw(con cat shr grt tkt ivc usr tok fld);
@absent{qw(sch trg ws_run)} = ('job_' . '0' x 26, 'job_' . '0' x 26, 'run_' . '0' x 26);
$absent{apr} = 'apr_' . '0' x 26;
$absent{user} = 'usr_' . '0' x 26;
($private{blob}, $absent{blob}) = map { 'blb_' . $_ x 26 } 1, 0;
for my $kind (qw(loose own_loose)) { ($private{$kind}, $absent{$kind}) = map { 'blb_' . $_ x 26 } $kind eq 'loose' ? (2, 0) : (3, 0) }
for my $kind (qw(dlv own_dlv)) { ($private{$kind}, $absent{$kind}) = map { 'dlv_' . $_ x 26 } $kind eq 'dlv' ? (1, 0) : (2, 0) }
my $world = Vitrine::World->new($stack);
$private{upload} = $world->make(upload => ws => $private{ws}, user => $ann->{id});
$absent{upload} = Vitrine::Stack::secret('upt_');
for my $kind (qw(col own_col lnk own_lnk)) {
	($private{$kind}, $absent{$kind}) = map { ($kind =~ s/own_//r) . '_' . $_ x 26 } $kind =~ /own/ ? (2, 0) : (1, 0);
}
$private{delivery} = $world->make(delivery => over => 1, user => $ann->{id});
$absent{delivery} = Vitrine::Stack::secret('', 'x' x 43);
$private{delivered} = $world->make('delivered');
$absent{delivered} = 'blb_' . '0' x 26;
$world->make('+note', id => 'note_' . '1' x 26, ws => $private{ws}, user => $ann->{id});
$world->make($_, id => $private{$_}, ws => $private{ws}, user => $ann->{id}) for qw(loose dlv own_loose own_dlv col own_col lnk own_lnk);
$world->make($_, id => $private{$_}, ws => $private{ws}, user => $ann->{id}, shr => $private{shr}, ext => $private{ext})
	for qw(con cat tkt ivc shr ext ext_tok grt shared_fld);
$world->make($_, id => $private{$_}, art => $private{art}, user => $ann->{id}, job => $private{job}, alert => $private{alert},
	ogr => $private{ogr}) for qw(idn ogr act acr cmt sta run watch alert dst blob);
$world->make($_, id => $private{$_}, art => $private{art}, user => $ann->{id}) for qw(sch trg ws_run dom rvw inb);

Vitrine::Counted::still($stack);

# ---- what a reply tells, and how many statements it took

# All ids as one pattern, of which each value of them is compiled once.
my %ids;
sub ids {
	my @ids = grep { length } map { ($private{$_}, $absent{$_}) } qw(art tok ses idn ogr act acr apr cmt sta row ws blob job sch trg run
		ws_run watch alert dst user inv fld loose dlv own_loose own_dlv col own_col lnk own_lnk upload con cat tkt ivc shr ext
		ext_tok grt shared_fld dom rvw inb);
	return $ids{"@ids"} //= do { my $any = join '|', map { quotemeta } @ids; qr/$any/ };
}
sub told {
	my ($r) = @_;
	# nginx ends a connection after many requests.
	my %h = map { $_ => $r->{headers}{$_} } grep { !/^(?:date|x-request-id|connection)$/ } keys %{$r->{headers}};
	s/\d+/N/g for @h{grep { /ratelimit/ } keys %h};
	my $text = join "\n", $r->{status}, (map { "$_: $h{$_}" } sort keys %h), $r->{body} =~ s/"request_id":"[^"]*"//r;
	my $ids = ids();
	$text =~ s/$ids/ID/g;
	# An error page leads to a ticket about this request.
	$text =~ s/request=[0-9a-f]{32}/request=ID/g;
	return $text =~ s/secret|absent|closed|absens/SLUG/gr =~ s/note_(?:0{26}|1{26})/NOTE/gr;
}
# The stranger's ways to come: each gives the options of a call.
my %stranger = (token => sub { return token => $eve->{token} },
	browser => sub { return headers => { Cookie => "vitrine_access=$cookie{eve}", 'Sec-Fetch-Site' => 'same-origin' } },
	nobody => sub { return headers => { 'Sec-Fetch-Site' => 'same-origin' } });
sub alike {
	my ($name, $ask) = @_;
	my $both = sub { return Vitrine::Counted::both($db, map { my $names = $_; sub { $ask->(\%$names) } } \%private, \%absent) };
	my ($one, $one_n, $other, $other_n) = $both->();
	# The first request may read something that the process keeps. Then the second pair decides.
	($one, $one_n, $other, $other_n) = $both->() if $one_n ne $other_n;
	is told($one), told($other), "$name: private and absent are told alike";
	is $one_n, $other_n, '... and cost alike';
	return $one;
}
sub with { my ($path, $names) = @_; return $path =~ s/\{([^}]+)\}/$names->{$1} \/\/ die "a parameter {$1}"/ger }
sub call_as {
	my ($way, $method, $path, $body, $form) = @_;
	my %o = $stranger{$way}->();
	return $api->call($method => $path,
		{ %o, !defined $body ? () : $form ? (type => 'application/x-www-form-urlencoded', body => $body) : (json => $body) });
}

# Each route is asked in the way that is usual there and, by turns, in another, since all that differs is who is found to ask.
my $turn = 0;
for my $route (grep {
	$_->{path} =~ /\{(?:art|tok|ses|idn|ogr|acr|cmt|job|watch|alert|ws|inv|fld|shared_fld|own_loose|own_dlv)\}/;
} @routes) {
	my ($usual, @others) = $route->{page} ? qw(browser nobody token) : qw(token nobody browser);
	for my $way ($usual, $ENV{VITRINE_LONG} ? @others : $others[$turn++ % 2]) {
		my $body = $route->{body} eq 'json' ? {} : $route->{body} eq 'form' ? 'next=%2Fauth%2Faccount' : undef;
		$body = { action => 'approve' } if $route->{path} eq '/v1/access-requests/{acr}';
		$body = { name => 'x' } if $route->{path} eq '/v1/auth/tokens/{tok}' && $body;
		$body = { blobId => 'x' } if $route->{path} =~ m{/\{own_dlv\}/version$};
		$body = 'action=approve' if $route->{path} eq '/auth/requests/{acr}';
		my $r = alike("$way: $route->{method} $route->{path}",
			sub { call_as($way, $route->{method}, with($route->{path}, $_[0]), $body, $route->{body} eq 'form') });
		# What is one's own is looked for once its form has been read.
		like $r->{status}, $route->{body} eq 'files' ? qr/^(?:40[134]|303|415)$/ : qr/^(?:40[134]|303)$/,
			'... as refused, or sent to sign in';
	}
}

# ---- what is below an artifact that everybody sees, where not everybody sees what is below it

{
	my $art = $api->publish($ann, slug => 'opened', visibility => 'public');
	my @kinds = qw(job job_run metric_watch metric_alert access_request);
	my $was = $private{art};
	$db->do("UPDATE $_ SET artifact_id = ? WHERE artifact_id = ?", undef, $art, $was) for @kinds;
	local ($private{art}, $absent{art}) = ($art, $art);
	my @inner = grep { $_->{path} =~ /\{(?:job|run|watch|alert|dst|acr)\}/ } @routes;
	cmp_ok scalar @inner, '>=', 30, 'routes of jobs, watches, alerts and requests';
	for my $route (@inner) {
		my $body = $route->{path} =~ m{access-requests} ? { action => 'approve' } : $route->{path} =~ m{^/auth/requests}
			? 'action=approve' : $route->{body} eq 'json' ? {} : $route->{body} eq 'form' ? 'next=%2F' : undef;
		# What is open is found by one statement less, which ids that nobody can guess don't make an oracle.
		for my $way (sort keys %stranger) {
			my ($one, $other) = map {
				told(call_as($way, $route->{method}, with($route->{path}, $_), $body, $route->{body} eq 'form'));
			} \%private, \%absent;
			is $one, $other, "$way: $route->{method} $route->{path} of an open artifact";
		}
	}
	$db->do("UPDATE $_ SET artifact_id = ? WHERE artifact_id = ?", undef, $was, $art) for @kinds;
}

# ---- tables and rows that a rule hides, of an artifact that everybody sees

{
	my $art = $api->publish($ann, slug => 'rules', visibility => 'unlisted',
		access_policy => { tables => { secret => { read => 'row.a == viewer.email', write => 'row.a == viewer.email' },
			absent => { read => 'row.a == viewer.email', write => 'row.a == viewer.email' } }, default => 'owner' });
	my $base = "/v1/data/$art/tables";
	$api->call(PUT => "$base/$_", { token => $ann->{token}, json => { columns => [{ name => 'a', type => 'text' }] } })
		for qw(secret closed);
	local @private{qw(art row)} = ($art, @{$api->call(POST => "$base/secret/rows",
		{ token => $ann->{token}, json => { rows => [{ a => 'ann@example.org' }] } })->{json}{ids}});
	local $absent{art} = $art;
	for my $way (sort keys %stranger) {
		for (['GET'], [PATCH => { a => 'eve@example.org' }], ['DELETE']) {
			my ($method, $json) = @$_;
			alike("$way: $method of a hidden row", sub { call_as($way, $method, "$base/secret/rows/$_[0]{row}", $json) });
		}
		for (['GET', ''], [GET => '/rows'], [GET => '/rows?b=eq.1'], [GET => '/export'], ['GET', "/rows/$private{row}"],
			[POST => '/rows', { rows => [{ b => 1 }] }], [DELETE => '/rows?all=1'], [PUT => '', {}], ['DELETE', '']) {
			my ($method, $rest, $json) = @$_;
			alike("$way: $method $rest of a hidden table", sub {
				call_as($way, $method, $base . ($_[0]{row} eq $private{row} ? '/closed' : '/absens') . $rest, $json);
			});
		}
	}
}

# ---- what names an artifact elsewhere

my @files = (name => 'x', files => [{ path => 'index.html', content => 'x' }]);
for my $way (sort keys %stranger) {
	# Of which a worker is asked before nginx reads it.
	alike("$way: a large upload",
		sub { $api->call(PUT => "/v1/data/$_[0]{art}/blobs?filename=x", { $stranger{$way}->(), body => 'x' x 1_200_000 }) });
	alike("$way: a watch by id",
		sub { call_as($way, POST => '/v1/metric-watch', { artifact_id => $_[0]{art}, table => 'guests', kind => 'row_count' }) });
	alike("$way: an alert by id", sub { call_as($way, POST => '/v1/metric-alerts',
		{ artifact_id => $_[0]{art}, name => 'x', table => 'guests', kind => 'row_count', op => 'above', value => 1 }) });
	alike("$way: $_ by id", sub { call_as($way, GET => "/v1/metric-$_?artifact_id=$_[0]{art}") }) for qw(watch alerts);
	alike("$way: publish by id", sub { call_as($way, POST => '/v1/publish', { artifact_id => $_[0]{art}, @files }) });
	alike("$way: the jobs of", sub { call_as($way, GET => "/v1/jobs?artifact_id=$_[0]{art}") });
	alike("$way: a job by id", sub { call_as($way, POST => '/v1/jobs', { artifact_id => $_[0]{art}, action => 'webhook',
		schedule => '0 9 * * *', config => { url => 'https://example.org/' } }) });
	alike("$way: publish a draft by id", sub { call_as($way, POST => '/v1/publish', { artifact_id => $_[0]{art}, @files, slug => 'mine',
		expected_version => 7, draft => Cpanel::JSON::XS::true, visibility => 'public' }) });
	for my $by ([artifact_id => sub { $_[0]{art} }], [slug => sub { $_[0]{slug} }], [url => sub { at($_[0]{slug}, '/') }]) {
		my $n = 0;
		alike("$way: a request for access by $by->[0]", sub { call_as($way, POST => '/v1/access-requests',
			{ $by->[0] => $by->[1]->($_[0]), email => 'eve' . ++$n . '@example.org' }) });
	}
	alike("$way: where a mailed link leads", sub { call_as($way, GET => "/v1/open/$_[0]{slug}") });
	for my $host (qw(SLUG SLUG--v1 SLUG--v2 SLUG--v3)) {
		my $to = sub { my ($names) = @_; return Vitrine::Visitor::escape(at($host =~ s/SLUG/$names->{slug}/r, '/')) };
		alike("$way: the way to the page of $host", sub { call_as($way, GET => '/auth/view?to=' . $to->($_[0])) });
		alike("$way: $_, the way to the page of $host",
			sub { call_as($way, GET => "/auth/view?$_&nonce=" . 'a' x 64 . '&to=' . $to->($_[0])) }) for 'silent=1', 'signin=1';
		alike("$way: asking on the way to $host", sub { call_as($way, POST => '/auth/view', 'to=' . $to->($_[0]), 1) });
	}
	alike("$way: the list by slug", sub { call_as($way, GET => "/v1/artifacts?slug=$_[0]{slug}") });
}
# One that could be good, by its checksum.
my $bare = 'vie_' . 'x' x 43;
my $ticket = $bare . join '', map { (0 .. 9, 'A' .. 'Z', 'a' .. 'z')[$_ % 62] } (unpack 'C*', sha256($bare))[0 .. 5];
sub page_alike {
	my ($host, $path, $headers) = @_;
	alike("the page $host$path",
		sub { my ($names) = @_; return $api->get_site($host =~ s/SLUG/$names->{slug}/r, with($path, $names), %{$headers // {}}) });
}
for my $host (qw(SLUG SLUG--v1 SLUG--v2 SLUG--v3)) {
	page_alike($host, @$_)
		for ['/'], ['/index.html'], ['/none'], ['/x/'], ['/_vitrine/enter?ticket=x&to=/'], ["/_vitrine/enter?ticket=$ticket&to=/"],
		['/v1/artifacts/{art}'], ['/', { Cookie => '__Host-vitrine_viewer=x' }],
		['/', { Cookie => "__Host-vitrine_viewer=$ticket" }],
		# On the way to the app, and back.
		map({
			['/x/', { 'Sec-Fetch-Mode' => 'navigate', 'Sec-Fetch-Dest' => 'document',
				Cookie => "__Host-vitrine_nonce=$ticket$_" }];
		} '', '; __Host-vitrine_asked=1'),
		['/_vitrine/signin?to=/', { Cookie => "__Host-vitrine_nonce=$ticket" }],
		["/_vitrine/enter?ticket=$ticket&to=/", { Cookie => "__Host-vitrine_nonce=$ticket" }];
}

# ---- what the words of a refusal tell of an open artifact: not of its drafts

my $open = $api->publish($ann, slug => 'open', visibility => 'public', files => { 'index.html' => 'open' });
my $drafts = $api->publish($ann, slug => 'drafts', visibility => 'public', files => { 'index.html' => 'draft' },
	draft => Cpanel::JSON::XS::true);
{
	local $private{art} = $drafts;
	alike('token: publish by id of what has drafts only',
		sub { call_as('token', POST => '/v1/publish', { artifact_id => $_[0]{art}, @files }) });
}

# ---- an account's addresses are known to those who gave them, and to nobody else

$db->do("INSERT INTO email_alias (email, user_id) VALUES ('linked\@example.org', ?)", undef, $user{ben}{id});
my $mine = $api->publish($eve, slug => 'mine', visibility => 'private');
sub eve { my ($method, $path, $json) = @_; return $api->call($method => $path, { token => $eve->{token}, $json ? (json => $json) : () }) }
sub people { return join ' ', map { "$_->{email}=$_->{role}" } @{$_[0]{json}{collaborators}} }
my $r = eve(POST => "/v1/artifacts/$mine/collaborators", { emails => ['Linked@example.org'], role => 'viewer' });
is people($r), 'linked@example.org=viewer', 'who gives a role to a linked address is not told the account';
is people(eve(GET => "/v1/artifacts/$mine/collaborators")), 'eve@example.org=owner linked@example.org=viewer', '... later neither';
is $api->call(GET => "/v1/artifacts/$mine", { token => $user{ben}{token} })->{json}{artifact}{role}, 'viewer', '... though it is theirs';
$r = eve(POST => "/v1/artifacts/$mine/collaborators", { emails => ['linked@example.org'], role => 'editor' });
is people($r), 'linked@example.org=editor', 'another role';
is eve(DELETE => "/v1/artifacts/$mine/collaborators/linked%40example.org")->{status}, 200, 'and none';
is people(eve(GET => "/v1/artifacts/$mine/collaborators")), 'eve@example.org=owner';
$api->call(POST => '/v1/access-requests', { json => { artifact_id => $mine, email => 'linked@example.org' } });
$stack->runner;
$r = eve(GET => '/v1/access-requests/incoming')->{json}{access_requests};
is_deeply [map { $_->{email} } @$r], ['linked@example.org'], 'who asks for access is called as they called themselves';
eve(POST => "/v1/access-requests/$r->[0]{id}", { action => 'approve' });
is people(eve(GET => "/v1/artifacts/$mine/collaborators")), 'eve@example.org=owner linked@example.org=viewer',
	'... and so when it is granted';
is eve(POST => "/v1/artifacts/$mine/transfer-ownership", { email => 'linked@example.org' })->{json}{artifact}{role}, 'editor',
	'transferred';
is people(eve(GET => "/v1/artifacts/$mine/collaborators")), 'linked@example.org=owner eve@example.org=editor', 'the new owner too';

# ---- which addresses have accounts

my $own = $api->publish($eve, slug => 'own', visibility => 'private');
$stack->user('off@example.org');
$db->do("UPDATE user SET disabled_at = 1 WHERE email = 'off\@example.org'");
my @refused = map {
	my $name = $_;
	my $r = eve(POST => "/v1/artifacts/$own/transfer-ownership", { email => "$name\@example.org" });
	"$r->{status} " . $r->{json}{error} =~ s/$name/NAME/r;
} qw(off nobody);
is $refused[0], $refused[1], 'an account that is disabled, and none, refuse a transfer alike';
for my $form (['/auth/signin', 'email=NAME%40example.org&password=not+the+password'],
	['/auth/password/forgot', 'email=NAME%40example.org']) {
	my @asked = map { my $name = $_; sub {
		$api->call(POST => $form->[0], { type => 'application/x-www-form-urlencoded', body => $form->[1] =~ s/NAME/$name/r,
			headers => { 'Sec-Fetch-Site' => 'same-origin' } });
	} } qw(ann zed);
	$_->() for @asked;
	my ($one, $one_n, $other, $other_n) = map { Vitrine::Counted::counted($db, $_) } @asked;
	is told($one) =~ s/ann/NAME/gr, told($other) =~ s/zed/NAME/gr, "$form->[0] tells nobody which address has an account";
	is $one_n, $other_n, '... by the number of statements neither';
}
my @added = map {
	my $name = $_;
	my $r = eve(POST => "/v1/artifacts/$own/collaborators", { emails => ["$name\@example.org"], role => 'viewer' });
	"$r->{status} " . $r->{body} =~ s/$name/NAME/r =~ s/"request_id":"[^"]*"//r;
} qw(ann none);
is $added[0], $added[1], 'and both are collaborators alike';

# ---- what can be no id, no slug, no address

my @strange = ("\x{e9}", "a\x{e9}b", "art_\x{e9}" . '0' x 24, "a\0b", 'a' x 300, "'", '"', 'ART_' . '0' x 26, 'art_' . 'A' x 26, 'Slug',
	"\x{1F600}", '%', "x' OR '1'='1", '-');
sub refused {
	my ($name, $send, @values) = @_;
	for my $value (@values ? @values : @strange) {
		my $r = $send->($value);
		fail("$name with " . Cpanel::JSON::XS->new->ascii->allow_nonref->encode($value) . ": $r->{status} $r->{body}")
			if $r->{status} < 200 || $r->{status} >= 500;
	}
	pass("$name is sent what can be no id");
}
my $document = decode_json(Vitrine::Stack::slurp(($ENV{VITRINE_TOP} // '.') . '/docs/openapi.json'));
sub schema { my ($s) = @_; return $s->{'$ref'} ? $document->{components}{schemas}{$s->{'$ref'} =~ s{.*/}{}r} : $s }
my %usual = ((map { $_ => $absent{$Vitrine::World::kind{$_}} } grep { /_id$|_secret$|^note_path$/ } keys %Vitrine::World::kind),
	chat => 'chat_a', artifact_id => $open, version_no => 1, slug => 'open', email => 'ben%40example.org', path => 'index.html',
	provider => 'none', template => 'none', table => 'guests', name => 'README.md', logo => '0' x 32, surface => 'schedule',
	row_id => $private{row});
# The router refuses what can't be an id by the parameter's kind alone. So the first route with a kind gets every
# value, each further route the next two.
my %met;
$turn = 0;
sub values_for {
	my ($p) = @_;
	return @strange if $p->{in} ne 'path' || $p->{name} !~ /_(?:id|secret)$/ || !$met{$p->{name}}++;
	return map { $strange[$turn++ % @strange] } 1, 2;
}
my @ann = (headers => { Cookie => "vitrine_access=$cookie{ann}", 'Sec-Fetch-Site' => 'same-origin' });
for my $path (sort keys %{$document->{paths}}) {
	for my $method (sort keys %{$document->{paths}{$path}}) {
		my $op = $document->{paths}{$path}{$method};
		my $there = sub { my (%o) = @_; return $path =~ s/\{(\w+)\}/$o{$1} \/\/ $usual{$1} \/\/ die "{$1}"/ger };
		my $call = sub { my ($to, %o) = @_; return $api->call(uc $method => $to, { @ann, %o }) };
		for my $p (grep { ($_->{schema}{type} // '') eq 'string' } @{$op->{parameters} // []}) {
			my $sent = sub { return Vitrine::Visitor::escape($_[0]) };
			refused("\U$method\E $path, $p->{name}", $p->{in} eq 'path' ? sub {
				$call->($there->($p->{name} => $sent->($_[0])), $method eq 'get' ? () : (json => {}));
			}
				: sub { $call->($there->() . "?$p->{name}=" . $sent->($_[0]), $method eq 'get' ? () : (json => {})) },
				values_for($p));
		}
		for my $type (sort keys %{$op->{requestBody}{content} // {}}) {
			my $fields = schema($op->{requestBody}{content}{$type}{schema})->{properties} // {};
			for my $name (grep { $fields->{$_}{pattern} || ($fields->{$_}{format} // '') eq 'email' } sort keys %$fields) {
				next if $type =~ /multipart/;
				my %rest = $path eq '/v1/publish' ? @files : $path eq '/v1/access-requests' && $name eq 'email'
					? (slug => 'none') : (email => 'x@example.org');
				refused("\U$method\E $path, field $name",
					sub { my ($value) = @_; $type =~ /json/ ? $call->($there->(), json => { %rest, $name => $value })
						: $call->($there->(), type => $type,
							body => "$name=" . Vitrine::Visitor::escape($value)) });
			}
		}
	}
}
for my $host ('xn--a', 'a_b', 'A', 'x--v99999999999', 'x--v0') {
	my $r = $api->get_site($host, '/');
	ok $r->{status} >= 400 && $r->{status} < 500, "the host $host is nobody's" or diag $r->{status};
}

# ---- what is paused takes nothing new

$api->call(POST => "/v1/artifacts/$open/collaborators",
	{ token => $ann->{token}, json => { emails => ['ben@example.org'], role => 'editor' } });
$api->publish($ann, slug => 'open', files => { 'index.html' => '2' });
$db->do('UPDATE artifact SET paused_at = 1 WHERE id = ?', undef, $open);
for my $who (qw(ann ben)) {
	for my $by ([slug => 'open'], [artifact_id => $open]) {
		my $r = $api->call(POST => '/v1/publish', { token => $user{$who}{token}, json => { @$by, @files } });
		is "$r->{status} $r->{json}{code}", '403 ARTIFACT_PAUSED', "$who publishes nothing to what is paused, by $by->[0]";
	}
	my $r = $api->call(POST => "/v1/artifacts/$open/versions/1/restore", { token => $user{$who}{token} });
	is "$r->{status} $r->{json}{code}", '403 ARTIFACT_PAUSED', '... nor makes another version live';
}
is $api->call(GET => "/v1/artifacts/$open", { token => $ann->{token} })->{json}{artifact}{version_no}, 2, 'its owner reads it all the same';
$db->do('UPDATE artifact SET paused_at = NULL WHERE id = ?', undef, $open);
is $api->call(POST => '/v1/publish', { token => $user{ben}{token}, json => { slug => 'open', @files } })->{status}, 201,
	'until the pause ends';

Vitrine::Counted::go_on($stack);

# ---- time, on demand: by ranks, over many samples in a random order. An index that finds a row is a little slower than one that does not,
# so what can be told by ranks may be a twentieth of the time at most.

# Mann and Whitney: how many standard deviations the ranks of the first lie from where chance would have them.
sub deviation {
	my ($one, $other) = @_;
	my @all = sort { $a->[0] <=> $b->[0] } (map { [$_, 0] } @$one), (map { [$_, 1] } @$other);
	my $ranks = sum0(map { $all[$_][1] ? 0 : $_ + 1 } 0 .. $#all);
	my ($n, $m) = (scalar @$one, scalar @$other);
	return ($ranks - $n * ($n + $m + 1) / 2) / sqrt($n * $m * ($n + $m + 1) / 12);
}
if ($ENV{VITRINE_LONG}) {
	my %ask = ('GET an artifact' => sub { call_as('token', GET => "/v1/artifacts/$_[0]{art}") },
		'PATCH an artifact' => sub { call_as('token', PATCH => "/v1/artifacts/$_[0]{art}", { name => 'x' }) },
		'DELETE an artifact' => sub { call_as('token', DELETE => "/v1/artifacts/$_[0]{art}") },
		'publish by id' => sub { call_as('token', POST => '/v1/publish', { artifact_id => $_[0]{art}, @files }) },
		'ask for access' => sub {
			call_as('nobody', POST => '/v1/access-requests', { slug => $_[0]{slug}, email => 'eve@example.org' });
		}, 'a page' => sub { $api->get_site($_[0]{slug}, '/') },
		'the way to a page' => sub {
			call_as('browser', GET => '/auth/view?to=' . Vitrine::Visitor::escape(at($_[0]{slug}, '/')));
		});
	for my $name (sort keys %ask) {
		my @took = ([], []);
		for my $which (shuffle((0, 1) x ($ENV{VITRINE_LONG} > 1 ? $ENV{VITRINE_LONG} : 1500))) {
			my $begun = time;
			$ask{$name}->($which ? \%absent : \%private);
			push @{$took[$which]}, time - $begun;
		}
		my ($z, @middle) = (deviation(@took), map { 1e6 * (sort { $a <=> $b } @$_)[@$_ / 2] } @took);
		ok abs $z < 4 || abs($middle[0] - $middle[1]) < 0.05 * $middle[1],
			sprintf('%s: %.1f standard deviations between private and absent, %.0f and %.0f µs in the middle', $name,
				$z, @middle);
	}
}
$smtp->stop if $smtp->can('stop');
finish($stack);
