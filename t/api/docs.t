# SPDX-License-Identifier: Apache-2.0
# Somebody who knows the service's address finds out everything: /v1, /llms.txt and /docs, whose commands are typed as they stand.
use utf8;
use Vitrine::Typed;
use MIME::Base64;
use Vitrine::Browser;
use Vitrine::World;
use Vitrine::Words;

my ($stack, $api) = stack(publish_per_hour => 1000, security_contact => 'security@example.org');
my $app = "https://vitrine.localhost:$stack->{port}";
my $cat = $stack->user('cat@example.org');
$stack->user('ann@example.org');
sub page { return $api->call($_[1] // 'GET', $_[0], { headers => $_[2] // {} }) }

# ---- a shell, in which what the documents say is typed

my $typed = Vitrine::Typed->new($stack, $cat->{token});
my $home = $typed->{home};
our %env;
*env = $typed->{env};
sub type_in { return $typed->type(@_) }

# What a reader of the page sees.
sub shown {
	my ($html) = @_;
	$html =~ s/&(lt|gt|amp|quot|#39);/{ lt => '<', gt => '>', amp => '&', quot => '"', '#39' => "'" }->{$1}/ge;
	utf8::decode($html);
	return $html;
}

# ---- GET /v1

my $r = $api->call(GET => '/v1');
is $r->{status}, 200, 'the first address answers';
my $v1 = $r->{json};
is join(' ', sort keys %$v1), 'about api documents links name sign_in sites success version', 'exact keys';
is $v1->{sites}, "https://<slug>.pages.localhost:$stack->{port}/", 'where artifacts are';
for (map { values %$_ } @$v1{qw(documents links)}) {
	like $_, qr/^\Q$app\E\//, 'an address of the service';
	is $api->call(($_ =~ /(?:publish|mcp)$/ ? 'OPTIONS' : 'GET') => s/^\Q$app\E//r, { token => $cat->{token} })->{status},
		/(?:publish|mcp)$/ ? 204 : 200, "$_ answers";
}
is $api->call(POST => $v1->{sign_in}{device_start} =~ s/^\Q$app\E//r)->{status}, 200, 'a device login begins where it says';
is $api->call(HEAD => '/v1')->{body}, '', 'HEAD';
is $api->call(GET => '/v1', { headers => { 'If-None-Match' => $r->{headers}{etag} } })->{status}, 304, 'with an ETag';
is $api->call(POST => '/v1')->{json}{code}, 'METHOD_NOT_ALLOWED', 'and no other method';

# ---- /llms.txt

$r = page('/llms.txt');
is "$r->{status} $r->{headers}{'content-type'}", '200 text/plain; charset=utf-8', 'llms.txt is text';
my $llms = $r->{body};
is page('/llms.txt', 'HEAD')->{body}, '', 'HEAD';
is page('/llms.txt', 'GET', { 'If-None-Match' => $r->{headers}{etag} })->{status}, 304, 'with an ETag';
like $llms, qr/\A# Vitrine\n\n> [^\n]+\n\n(?:(?!#)[^\n]*\n)+## /,
	'a title, what it is in a quote, the details, then headings (llmstxt.org)';
is join('|', grep { !/^- \[[^\]]+\]\(\Q$app\E\/[^)]*\): \S/ && !/^(?:## .*)?$/ } split /\n/, $llms =~ s/\A.*?(?=^## )//smr), '',
	'below which each line is a link, told about';
for ($stack->{port}, "https://my-site.pages.localhost:$stack->{port}/", '/v1/openapi.json', '/v1/auth/device/start',
	'1,?000 publishes per hour') {
	like $llms, qr/$_/, "it has $_";
}
my %operation;
my $paths = $api->call(GET => "/v1/openapi.json")->{json}{paths};
for my $path (keys %$paths) {
	my $ops = $paths->{$path};
	$operation{$ops->{$_}{operationId}} = [uc, $path, $ops->{$_}] for keys %$ops;
}
my @routes = grep { !/^[a-z]+Page/ } sort keys %operation;
is join(' ', grep { $llms !~ /\(\Q$app\E\/docs\/[a-z-]+#$_\)/ } @routes), '', 'it links to every route';
my @published;
for my $commands ($llms =~ /```sh\n(.*?)```/sg) {
	my ($status, $body) = type_in($commands);
	is $status, 201, 'its commands publish' or diag $commands, $body;
	push @published, decode_json($body)->{deployment}{url};
}
is $published[0], "https://my-site.pages.localhost:$stack->{port}/", 'the folder, under its slug';
my ($begin, $poll) = map { s/…/'"\$DEVICE_CODE"'/r } do { my $text = $llms; utf8::decode($text); $text =~ /`(curl [^`]+)`/g };
my ($status, $body) = type_in($begin);
is $status, 200, 'a device login begins as it says';
$env{DEVICE_CODE} = decode_json($body)->{device_code};
is +(type_in($poll))[0], 200, 'and is polled so';

# ---- /docs

$r = page('/docs');
is "$r->{status} $r->{headers}{'content-type'}", '200 text/html; charset=utf-8', 'the documentation is public';
is page('/docs', 'HEAD')->{body}, '', 'HEAD';
my $index = $r->{body};
like $index, qr/<a class="button quiet" href="\/docs">/, 'linked from the head of each page';
like page('/')->{body}, qr/<a href="\/docs">.*<a href="\/llms\.txt">/s, 'and from the front page';
like page('/docs?q=restore')->{body}, qr/#postArtifactsByArtifactIdRestore"/, 'a search finds';
unlike page('/docs?q=restore')->{body}, qr/#getLimits"/, 'and leaves out';
like page('/docs?q=RESTORE+version')->{body}, qr/VersionsByVersionNoRestore"(?!.*IdRestore")/s, 'what has all words, in any case';
like page('/docs?q=%3Cscript%3E')->{body}, qr/Nothing matches/, 'nothing is found';
unlike page('/docs?q=%3Cscript%3Ealert')->{body}, qr/<script>alert/, 'nor believed';
is page('/docs/nothing')->{status}, 404, 'a page that is none';
is page('/docs/pages--home')->{status}, 404, 'pages for people are no reference';
my %page = map { $_ => page($_) } $index =~ /<a href="(\/docs\/[a-z-]+)"/g;
is join(' ', grep { $page{$_}{status} != 200 } sort keys %page), '', 'every page that the index links to is there'
	or diag explain [sort keys %page];
is scalar(grep { $_->{body} =~ /<h2>/ && $_->{body} !~ /class="curl"/ } values %page), 26, 'twenty-six guides';
my %titled;
push @{$titled{($page{$_}{body} =~ /<title>(.*?)<\/title>/)[0]}}, $_ for keys %page;
is join(' ', map { "@$_" } grep { @$_ > 1 } values %titled), '', 'each has a title of its own';
is join(' ', grep { length $page{$_}{body} > 120_000 } sort keys %page), '', 'none is heavy';
for my $url (sort keys %page) {
	my @to = $page{$url}{body} =~ /href="((?:\/docs)?[^"]*#[^"]+|\/docs\/[^"#]+)"/g;
	is join(' ', grep { my ($file, $anchor) = split /#/, $_, 2; $file ||= $url;
		my $there = $file eq '/docs' ? $index : ($page{$file} // {})->{body} // '';
		!$there || defined $anchor && $there !~ /id="\Q$anchor\E"/ } grep { !/^#main$|^\/assets\// } @to), '',
			"links of $url lead somewhere";
}
my (%section, %curl);
for (@page{grep { $_ ne '/docs/connect' } keys %page}) {
	$section{$1} = $2 while $_->{body} =~ /<section class="panel" id="(\w+)">(.*?)<\/section>/sg;
}
is_deeply [sort keys %section], \@routes, 'each route has its section';
for (sort keys %section) {
	($curl{$_}) = $section{$_} =~ /<code class="curl">(.*?)<\/code>/s;
	$curl{$_} = shown($curl{$_});
	my ($method, $path, $o) = @{$operation{$_}};
	like $section{$_}, qr/<h2><a href="#$_"><code>\Q$method $path\E</, "$_ is named";
	my @names = map { $_->{name} // () } @{$o->{parameters}};
	is join(' ', grep { $section{$operation{$o->{operationId}}[2]{operationId}} !~ m{<code>\Q$_\E</code>} } @names), '',
		"with its parameters";
}
like $section{postPublish}, qr/<code>files\[\]\.sha256<\/code>.*exactly 64 characters/s, 'members of members, with their limits';
like $section{getArtifacts}, qr/1 to 200/, 'the real bound of a limit';
like $section{patchArtifactsByArtifactId}, qr/Editors and the owner of the artifact.*artifacts:publish/s, 'who may, with which token';
like $section{getArtifactsByArtifactIdVersionsByVersionNoExport}, qr/Retry-After/, 'what is limited';

# ---- its commands, typed

my $png = decode_base64('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==');
$env{ARTIFACT_ID} = $stack->db->selectrow_array("SELECT id FROM artifact WHERE slug = 'my-site'");
$env{IMPORT_ID} = $api->call(POST => "/v1/data/$env{ARTIFACT_ID}/imports",
	{ token => $cat->{token}, json => { table => 'read', text => "n\n1\n" } })->{json}{import}{id};
# It is checked.
$stack->runner;
$env{WORKSPACE_ID} = $api->call(POST => '/v1/workspaces',
	{ token => $cat->{token}, json => { name => 'My site', slug => 'my-site' } })->{json}{workspace}{id};
$stack->ctl(qw(workspace feature my-site), $_, 'on') for qw(subdomain external_sharing knowledge);
$env{CONNECTION_ID} = $api->call(POST => "/v1/workspaces/$env{WORKSPACE_ID}/connections",
	{ token => $cat->{token}, json => { provider => 'http', name => 'x', auth_mode => 'member',
		config => { base_url => 'https://api.example.org', auth => 'bearer' } } })->{json}{connection}{id};
$api->call(POST => "/v1/workspaces/$env{WORKSPACE_ID}/catalog/enable",
	{ token => $cat->{token}, json => { enabled => Cpanel::JSON::XS::true } });
$env{ENTRY_ID} = $api->call(PUT => "/v1/workspaces/$env{WORKSPACE_ID}/catalog/files",
	{ token => $cat->{token}, json => { path => 'sales/orders.md', content => 'x' } })->{json}{entry}{id};
my $clients = "/v1/workspaces/$env{WORKSPACE_ID}/sharees";
$env{SHAREE_ID} = $api->call(POST => $clients, { token => $cat->{token}, json => { name => 'x' } })->{json}{sharee}{id};
$env{EXTERNAL_USER_ID} = $api->call(POST => "$clients/$env{SHAREE_ID}/members",
	{ token => $cat->{token}, json => { email => 'priya@example.org' } })->{json}{member}{id};
$env{EXTERNAL_TOKEN_ID} = $api->call(POST => "$clients/$env{SHAREE_ID}/members/$env{EXTERNAL_USER_ID}/tokens",
	{ token => $cat->{token}, json => { scopes => ['data:read'] } })->{json}{token_id};
$api->call(PUT => "$clients/$env{SHAREE_ID}/context/README.md", { token => $cat->{token}, json => { content => 'x' } });
$env{NAME} = 'README.md';
$env{NOTE_PATH} = 'guides/price-rules.md';
$api->call(PUT => "/v1/workspaces/$env{WORKSPACE_ID}/knowledge/files/$env{NOTE_PATH}",
	{ token => $cat->{token}, json => { content => '# Price rules' } });
$env{LOGO} = $api->call(POST => "/v1/workspaces/$env{WORKSPACE_ID}/logo",
	{ token => $cat->{token}, body => $png })->{json}{logo_url} =~ s{.*/}{}r;
$api->call(PUT => "/v1/workspaces/$env{WORKSPACE_ID}/context/README.md", { token => $cat->{token}, json => { content => 'x' } });
@env{qw(SURFACE SCHEDULE_ID AUTOMATION_ID WORKSPACE_RUN_ID)} = ('schedule', do {
	my $things = Vitrine::World->new($stack);
	my %at = (user => $cat->{id}, art => $api->publish($cat, slug => 'runs-by-itself', workspace_id => $env{WORKSPACE_ID}));
	map { $things->make($_ => %at) } qw(sch trg ws_run);
});
$env{FOLDER_ID} = $api->call(POST => "/v1/workspaces/$env{WORKSPACE_ID}/folders",
	{ token => $cat->{token}, json => { name => "index.html" } })->{json}{folder}{id};
$env{SHARE_GRANT_ID} = $api->call(POST => "/v1/workspaces/$env{WORKSPACE_ID}/grants",
	{ token => $cat->{token}, json => { subject_type => 'sharee', subject_id => $env{SHAREE_ID}, resource_type => 'folder',
		resource_id => $env{FOLDER_ID}, capability => 'view' } })->{json}{grant}{id};
$env{TICKET_ID} = $api->call(POST => '/v1/support/tickets',
	{ token => $cat->{token}, json => { subject => 'x', body => 'x' } })->{json}{ticket}{id};
$env{SHARED_FOLDER_ID} = Vitrine::World->new($stack)->make(shared_fld => user => $cat->{id});
$api->call(PUT => "/v1/data/$env{ARTIFACT_ID}/json", { token => $cat->{token}, json => {} });
my $guests = "/v1/data/$env{ARTIFACT_ID}/tables/guests";
$api->call(PUT => $guests, { token => $cat->{token}, json => { columns => [{ name => 'title', type => 'text' }] } });
($env{ROW_ID}) = @{$api->call(POST => "$guests/rows", { token => $cat->{token}, json => { rows => [{ title => 'x' }] } })->{json}{ids}};
$env{VIEW_ID} = $api->call(POST => "$guests/views",
	{ token => $cat->{token}, json => { name => 'x', scope => 'shared' } })->{json}{view}{id};
$env{CHART_ID} = $api->call(POST => "/v1/data/$env{ARTIFACT_ID}/charts",
	{ token => $cat->{token}, json => { name => 'x', kind => 'bar', table => 'guests', group => 'title' } })->{json}{chart}{id};
$env{DOMAIN_ID} = Vitrine::World->new($stack)->make(dom => art => $env{ARTIFACT_ID});
$env{REVIEW_ID} = Vitrine::World->new($stack)->make(rvw => art => $env{ARTIFACT_ID}, user => $cat->{id});
$env{OPERATION_ID} = Vitrine::World->new($stack)->make(opr => art => $env{ARTIFACT_ID}, user => $cat->{id});
($env{IMPORT_SECRET}) = $api->call(POST => "/v1/data/$env{ARTIFACT_ID}/imports",
	{ token => $cat->{token}, json => {} })->{json}{import}{upload_url} =~ m{/([^/]+)$};
Vitrine::Stack::spew("$home/photo.png", $png);
$env{BLOB_ID} = $api->call(PUT => "/v1/data/$env{ARTIFACT_ID}/blobs?filename=added.txt",
	{ token => $cat->{token}, body => 'added' })->{json}{data}{id};
for (['', "/v1/workspaces/$env{WORKSPACE_ID}/assets"], ['OWN_', '/v1/assets']) {
	my ($own, $library) = @$_;
	my $sent = sub {
		my $url = $api->call(POST => "$library/upload",
			{ token => $cat->{token}, json => { filename => 'sent.txt' } })->{json}{uploadUrl};
		return $api->call(PUT => $url =~ s{^https://[^/]+}{}r, { body => 'sent' })->{json}{blobId};
	};
	$env{($own || 'LOOSE_') . 'BLOB_ID'} = $sent->();
	$env{"${own}DELIVERABLE_ID"} = $api->call(POST => "$library/deliverables",
		{ token => $cat->{token}, json => { blobId => $sent->() } })->{json}{deliverable}{id};
	$env{"${own}COLLECTION_ID"} = $api->call(POST => "$library/collections",
		{ token => $cat->{token}, json => { deliverableIds => [$env{"${own}DELIVERABLE_ID"}] } })->{json}{collection}{id};
	my $link = $api->call(POST => "$library/collections/" . $env{"${own}COLLECTION_ID"} . '/share',
		{ token => $cat->{token}, json => {} })->{json};
	$env{"${own}LINK_ID"} = $link->{link}{id};
	($env{DELIVERY_SECRET}) = $link->{url} =~ m{/([^/]+)$};
}
($env{UPLOAD_SECRET}) = $api->call(POST => '/v1/assets/upload', { token => $cat->{token}, json => {} })->{json}{uploadUrl} =~ m{/([^/]+)$};
# Nor does a browser open pages: a file is the picture.
$stack->db->do("REPLACE INTO page_seen (artifact_id, version_no, seen_at, seen, sha256, size_bytes) "
	. "SELECT artifact_id, version_no, 1, '{\"ok\":true}', MIN(sha256), MIN(size_bytes) FROM version_file "
	. 'GROUP BY artifact_id, version_no');
$stack->db->do('INSERT IGNORE INTO asset_preview (input_sha256, film, sha256, size_bytes) SELECT sha256, 0, sha256, size_bytes '
	. 'FROM asset_blob WHERE deliverable_id IS NOT NULL');
$stack->db->do('INSERT IGNORE INTO pdf_page (artifact_id, input_sha256, page_no, looked_at, sha256, size_bytes) '
	. 'SELECT artifact_id, sha256, 1, UNIX_TIMESTAMP(), sha256, size_bytes FROM version_file');
$env{WATCH_ID} = $api->call(POST => '/v1/metric-watch', { token => $cat->{token},
	json => { artifact_id => $env{ARTIFACT_ID}, table => 'guests', kind => 'row_count' } })->{json}{watch}{id};
$env{ALERT_ID} = $api->call(POST => '/v1/metric-alerts', { token => $cat->{token}, json => { artifact_id => $env{ARTIFACT_ID}, name => 'x',
	table => 'guests', kind => 'row_count', op => 'above', value => 9 } })->{json}{alert}{id};
$env{AGENT_ID} = Vitrine::World->new($stack)->make(ogr => user => $cat->{id});
$env{ACT_ID} = Vitrine::World->new($stack)->make(act => ogr => $env{AGENT_ID}, id => 'act_' . '3' x 26, art => $env{ARTIFACT_ID});
$env{COMMENT_ID} = $api->call(POST => "/v1/artifacts/$env{ARTIFACT_ID}/comments",
	{ token => $cat->{token}, json => { text => 'x' } })->{json}{comment}{id};
# A note that says something else than its page.
$stack->db->do("INSERT INTO note_newer SELECT id, 1, 'x', 'x', 0 FROM note WHERE path = 'guides/price-rules.md'");
# What a body names by its id is this artifact.
my $job_line = $curl{postJobs} =~ s/art_[0-9a-z]{26}/$env{ARTIFACT_ID}/r;
my ($job_status, $job_body) = type_in($job_line);
is $job_status, 201, 'postJobs, too' or diag $job_line, $job_body;
$env{JOB_ID} = decode_json($job_body)->{job}{id};
# Nobody sends mail here, so a run of it fails, but it is one.
($env{RUN_ID}) = $api->call(POST => "/v1/jobs/$env{JOB_ID}/run", { token => $cat->{token} })->{json}{execution}{id};
# But the picture of a second factor, which is there only while one is being set up, pictures that a browser makes, what another server
# answers, or a service that nobody has set up here, a list of something's, and what is answered at a domain of one's own.
my %without = map { $_ => 1 } qw(getAuthAccountFactorQr getArtifactsByArtifactIdComparePicture getProxyByArtifactId
	getMetricAlerts getWellKnownAcmeChallengeByDomainId),
	map { "getWorkspacesByWorkspaceIdConnectionsBy$_" } qw(ChatInstall ConnectionIdByChatChannels ConnectionIdMyCredentialsAuthUrl
	ProviderAuthUrl);
for (sort grep { $operation{$_}[0] eq "GET" && !$without{$_} } keys %curl) {
	my ($success) = grep { /^[23]\d\d$/ && $_ != 304 && $_ != 206 } sort keys %{$operation{$_}[2]{responses}};
	# An id in a query is one of the examples'.
	my ($status, $body) = type_in($curl{$_} =~ s/wsp_[0-9a-z]{26}/$env{WORKSPACE_ID}/r);
	is $status, $success, "$_ is answered as it says" or diag $curl{$_}, $body;
}
is Vitrine::Stack::slurp("$home/index.html"), '<h1>mine</h1>', 'a file is saved under its name';
is Vitrine::Stack::slurp("$home/added.txt"), 'added', 'a blob too';
# What changes something, in an order in which there is something to change; each is taken as it stands.
($env{TOKEN_ID}) = map { $_->{id} }
	grep { $_->{name} ne 'x' } @{$api->call(GET => '/v1/auth/tokens', { token => $cat->{token} })->{json}{tokens}};
$api->call(POST => '/v1/access-requests', { json => { slug => 'my-site', email => 'dan@example.org' } });
$stack->runner;
($env{ACCESS_REQUEST_ID}) = $stack->db->selectrow_array('SELECT id FROM access_request');
my ($archive) = grep { $_ } $section{postPublish} =~ /an archive instead.*?<code>(.*?)<\/code>/s;
is +(type_in(shown($archive)))[0], 201, 'an archive is published as it says, too';
my $ann = $stack->user('ann@example.org');
$env{USER_ID} = $ann->{id};
sub invited {
	my ($who, $ws, $email) = @_;
	return $api->call(POST => "/v1/workspaces/$ws/members/invite",
		{ token => $who->{token}, json => { emails => [$email] } })->{json}{invites}[0]{id};
}
sub theirs { return $api->call(POST => '/v1/workspaces', { token => $ann->{token}, json => { name => 'Theirs' } })->{json}{workspace}{id} }
my %invite = (postInvitesByInviteIdAccept => sub { invited($ann, theirs(), 'cat@example.org') },
	postInvitesByInviteIdDecline => sub { invited($ann, theirs(), 'cat@example.org') },
	deleteWorkspacesByWorkspaceIdInvitesByInviteId => sub { invited($cat, $env{WORKSPACE_ID}, 'new@example.org') });
$invite{postWorkspacesByWorkspaceIdInvitesByInviteIdResend} = $invite{deleteWorkspacesByWorkspaceIdInvitesByInviteId};
for (qw(postPublish patchArtifactsByArtifactId putArtifactsByArtifactIdFavorite postArtifactsByArtifactIdFavorite
	deleteArtifactsByArtifactIdFavorite
	postArtifactsByArtifactIdVersionsByVersionNoRestore postArtifactsByArtifactIdCollaborators
	deleteArtifactsByArtifactIdCollaboratorsByEmail
	putDataByArtifactIdJson patchDataByArtifactIdJson deleteDataByArtifactIdJson putDataByArtifactIdPolicy postDataByArtifactIdPolicyTry
	postArtifactsByArtifactIdComments patchArtifactsByArtifactIdCommentsByCommentId deleteArtifactsByArtifactIdCommentsByCommentId
	putArtifactsByArtifactIdProxy
	postAccessRequestsByAccessRequestId postAccessRequests postAuthDeviceStart postOauthDeviceAuthorization patchAuthTokensByTokenId
	deleteMetricWatchByWatchId patchMetricAlertsByAlertId postMetricAlertsByAlertIdSubscribe deleteMetricAlertsByAlertIdSubscribe
	deleteMetricAlertsByAlertId
	putDataByArtifactIdTablesByTable postDataByArtifactIdTablesByTableRows deleteDataByArtifactIdTablesByTableRowsByRowId
	putDataByArtifactIdTablesByTableViewsByViewId deleteDataByArtifactIdTablesByTableViewsByViewId
	postDataByArtifactIdTablesByTableViews putDataByArtifactIdChartsByChartId postDataByArtifactIdCharts
	deleteDataByArtifactIdChartsByChartId
	deleteDataByArtifactIdTablesByTable
	postWorkspacesByWorkspaceIdMembers patchWorkspacesByWorkspaceIdMembersByUserId postWorkspacesByWorkspaceIdMembersInvite
	deleteWorkspacesByWorkspaceIdMembersByUserId
	postWorkspacesByWorkspaceIdInvitesByInviteIdResend deleteWorkspacesByWorkspaceIdInvitesByInviteId postInvitesByInviteIdAccept
	postInvitesByInviteIdDecline
	deleteWorkspacesByWorkspaceIdShareesByShareeIdContextByName deleteWorkspacesByWorkspaceIdGrantsByShareGrantId
	patchWorkspacesByWorkspaceIdShareesByShareeId postWorkspacesByWorkspaceIdShareesByShareeIdMembers
	postWorkspacesByWorkspaceIdShareesByShareeIdMembersByExternalUserIdTokens
	deleteWorkspacesByWorkspaceIdShareesByShareeIdMembersByExternalUserIdTokensByExternalTokenId
	deleteWorkspacesByWorkspaceIdShareesByShareeIdMembersByExternalUserId
	deleteWorkspacesByWorkspaceIdShareesByShareeId postWorkspacesByWorkspaceIdSharees
	postWorkspacesByWorkspaceIdKnowledgeEnable postWorkspacesByWorkspaceIdKnowledgeBackfill
	deleteWorkspacesByWorkspaceIdKnowledgeFilesByNotePath
	postWorkspacesByWorkspaceIdLogo deleteWorkspacesByWorkspaceIdLogo putWorkspacesByWorkspaceIdBranding
	postDataByArtifactIdBlobs putDataByArtifactIdBlobs deleteDataByArtifactIdBlobsByBlobId
	patchJobsByJobId postJobsByJobIdRun postJobsByJobIdRunsByRunIdRedeliver deleteJobsByJobId
	postWorkspacesByWorkspaceIdFolders patchWorkspacesByWorkspaceIdFoldersByFolderId deleteWorkspacesByWorkspaceIdFoldersByFolderId
	deleteArtifactsByArtifactId postArtifactsByArtifactIdRestore postArtifactsByArtifactIdTransferOwnership deleteAuthSessions)) {
	my @success = grep { /^2\d\d$/ } sort keys %{$operation{$_}[2]{responses}};
	$env{INVITE_ID} = $invite{$_}->() if $invite{$_};
	my ($status, $body) = type_in($curl{$_} // "echo there is no $_");
	ok scalar(grep { $_ eq $status } @success), "$_, too" or diag $status, $curl{$_}, $body;
	is_deeply eval { decode_json($body)->{warnings} } // [], [], 'without a warning';
}

# ---- what the guides say

my ($tables) = $page{'/docs/tables-and-rules'}{body} =~ /aria-label="Commands that make and fill a table"><code>(.*?)<\/code>/s;
$env{ARTIFACT_ID} = $api->publish($cat, slug => 'tables', visibility => 'private');
my @tables = map { [type_in($_)] } split /\n(?=curl )/, shown($tables);
is join(' ', map { $_->[0] } @tables), '201 201 200', 'a table is made, filled and asked as the guide says' or diag $tables[-1][1];
is join(' ', map { $_->{name} } @{decode_json($tables[2][1])->{rows}}), 'Ann Bo', '... and answers so';
my ($folders) = $page{'/docs/folders-and-governance'}{body}
	=~ /aria-label="Commands that make a folder and look it up"><code>(.*?)<\/code>/s;
is join(' ', map { (type_in($_))[0] } split /\n(?=curl )/, shown($folders)), '201 200', 'a folder is made and found as the guide says';
my ($notes) = $page{'/docs/notes'}{body} =~ /aria-label="Commands that write and read a note"><code>(.*?)<\/code>/s;
is join(' ', map { (type_in($_))[0] } split /\n(?=curl )/, shown($notes)), '201 200', 'a note is written and read as the guide says';
my ($search) = $page{'/docs/find-things'}{body} =~ /aria-label="Command that searches"><code>(.*?)<\/code>/s;
is +(type_in(shown($search)))[0], 200, 'a search answers as the guide says';
my ($inbox) = $page{'/docs/your-inbox'}{body} =~ /aria-label="Command that lists the inbox"><code>(.*?)<\/code>/s;
is +(type_in(shown($inbox)))[0], 200, 'the inbox is listed as the guide says';
my ($audit) = $page{'/docs/folders-and-governance'}{body} =~ /aria-label="Command that exports the audit"><code>(.*?)<\/code>/s;
like +(type_in(shown($audit)))[1], qr/"action":"folder\.created".*\n\{/, 'the audit is exported as the guide says';
my ($rules) = $page{'/docs/tables-and-rules'}{body} =~ /aria-label="An access_policy"><code>(.*?)<\/code>/s;
is $api->call(POST => '/v1/publish', { token => $cat->{token}, type => 'application/json', body =>
	'{"name":"T","slug":"tables","files":[{"path":"index.html","content":"x"}],"access_policy":' . shown($rules) . '}' })->{status},
	201, 'its access_policy is one';

my ($make) = $page{'/docs/jobs-and-webhooks'}{body} =~ /aria-label="Command that makes a job"><code>(.*?)<\/code>/s;
my ($made, $job) = type_in(shown($make));
is $made, 201, 'a job is made as its guide says' or diag $job;
is_deeply decode_json($job)->{warnings} // [], [], '... without a warning';
my ($schedules) = $page{'/docs/jobs-and-webhooks'}{body} =~ /aria-label="Examples of schedules">(.*?)<\/table>/s;
my ($retry) = $page{'/docs/jobs-and-webhooks'}{body} =~ /aria-label="A retry_config"><code>(.*?)<\/code>/s;
for (map { shown($_) } $schedules =~ /<code>(.*?)<\/code>/g) {
	$r = $api->call(POST => '/v1/jobs', { token => $cat->{token}, type => 'application/json',
		body => '{"action":"http_get","config":{"url":"https://example.org/"},"artifact_id":"' . $env{ARTIFACT_ID}
			. qq(","schedule":"$_",) . shown($retry) . '}' });
	is $r->{status}, 201, "$_ is a schedule";
}

my ($upload) = $page{'/docs/library'}{body} =~ /aria-label="Commands that upload a file"><code>(.*?)<\/code>/s;
Vitrine::Stack::spew("$home/report.pdf", '%PDF-1.7');
my @uploaded;
for (split /\n(?=curl )/, shown($upload)) {
	push @uploaded, [type_in($_)];
	my $said = eval { decode_json($uploaded[-1][1]) } // {};
	$env{UPLOAD_URL} = $said->{uploadUrl} // $env{UPLOAD_URL};
	$env{BLOB_ID} = $said->{blobId} // $env{BLOB_ID};
}
is join(' ', map { $_->[0] } @uploaded), '201 201 201', 'a file of the library is uploaded as its guide says' or diag explain \@uploaded;

my ($start) = $page{'/docs/getting-started'}{body} =~ /aria-label="Commands that publish with curl"><code>.*?\n(.*?)<\/code>/s;
is +(type_in(shown($start)))[0], 201, 'the first publish of the guide';
($start) = $page{'/docs/publishing'}{body} =~ /aria-label="Commands that publish an archive"><code>(.*?)<\/code>/s;
is +(type_in(shown($start)))[0], 201, 'and the one of an archive';
my ($redirects, $headers) = map { $page{'/docs/redirects'}{body} =~ /aria-label="An example of $_"><code>(.*?)<\/code>/s ? shown($1) : '' }
	qw(_redirects _headers);
$r = $api->call(POST => '/v1/publish', { token => $cat->{token}, json => { name => 'Rules', slug => 'rules', visibility => 'public',
	files => [{ path => 'index.html', content => 'x' }, { path => '_redirects', content => $redirects },
		{ path => '_headers', content => $headers }] } });
is_deeply $r->{json}{warnings}, [], 'its rules are honoured without a warning';
is $api->get_site('rules', '/old')->{headers}{location}, '/new', 'they lead on';
is $api->get_site('rules', '/')->{headers}{'x-frame-options'}, 'DENY', 'and set headers';

# ---- in a browser: both widths and themes, and without script the same

my @browsers = map { Vitrine::Browser->new($stack, @$_) } [width => 1280, height => 900], [width => 390, height => 844, dark => 1];
for my $i (0, 1) {
	my $b = $browsers[$i];
	for my $path ('/docs', '/docs/artifacts', '/docs/publish', '/docs/connect', '/docs/agents', '/docs/folders-and-governance',
		'/docs/redirects', '/docs/library', '/docs/data-in-your-page', '/docs/jobs-and-webhooks', '/docs/data',
		'/docs?q=nothing+of+the+kind') {
		$b->go("$app$path");
		is join('; ', $b->barriers), '', "$path has no barrier ($i)";
		$b->screenshot("docs$i" . $path =~ s/\W+/-/gr);
	}
	is $b->script('return document.querySelector(".fold .side a").checkVisibility()'
		. ' + " " + (document.querySelector("h1").getBoundingClientRect().top < 300)'), ($i ? 'false' : 'true') . ' true',
		'the list of pages is ' . ($i ? 'folded above' : 'beside') . ' the text';
	$b->go("$app/docs/artifacts#getArtifacts");
	$b->screenshot("docs$i-route");
	is join('; ', grep { /\Q$app\E/ && !/favicon/ } $b->complaints), '', 'the browser has no complaint';
}
my $b = $browsers[1];
$b->go("$app/docs/teams")->click('.fold summary')->follow('Your inbox');
$b->wait_text(qr/Three lists/);
is $b->title, 'Your inbox · Vitrine', '... which opens';
$b = $browsers[0];
$b->go("$app/docs")->fill('#q', 'purge');
is $b->script('return [...document.querySelectorAll("[data-find]")].filter(e => e.offsetParent).length'), 0, 'typing narrows the list';
$b->fill('#q', 'collaborators');
is $b->script('return [...document.querySelectorAll("[data-find]")].filter(e => e.offsetParent).length'), 4, 'to what has the words';
$b->click('form[role=search] button');
$b->wait_text(qr/All routes/);
is $b->script('return document.querySelectorAll("[data-find]").length'), 4, 'and without script the service does so';
finish($stack);
