# SPDX-License-Identifier: Apache-2.0
# Watches and alerts of tables: what they may be of, who may have them, what of them is told whom, and what is refused. What the runner does
# with them is in t/job/metric.t.
use utf8;
use Vitrine::Words qw(as refused);

my ($stack, $api, $db) = stack();
my ($ann, $ben, $cat, $dan, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben cat dan eve);
my $art = $api->publish($ann, slug => 'numbers', visibility => 'private', access_policy =>
	{ tables => { ruled => { read => 'row.who == viewer.email' }, closed => { read => "viewer.email == 'ann\@example.org'" } } });
my $open = $api->publish($ann, slug => 'open', visibility => 'public');
$api->call(POST => "/v1/artifacts/$art/collaborators", { token => $ann->{token},
	json => { emails => ["$_->[0]\@example.org"], role => $_->[1] } }) for [ben => 'editor'], [cat => 'viewer'], [dan => 'viewer'];

sub table {
	my ($name, $columns, @rows) = @_;
	my $r = as($ann, PUT => "/v1/data/$art/tables/$name", { columns => $columns, rows => \@rows });
	is $r->{status}, 201, "the table $name" or diag $r->{body};
}
my @columns = ({ name => 'who', type => 'text' }, { name => 'n', type => 'integer' }, { name => 'x', type => 'number' });
table($_, \@columns, map { { who => $_->[0], n => $_->[1], x => $_->[2] } } ['ann@example.org', 3, 0.1], ['cat@example.org', -5, 0.2],
	['cat@example.org', 3, undef], ['dan@example.org', 40, 1e-3]) for qw(sales ruled closed);
table('empty', \@columns);
sub watch {
	my ($who, %o) = @_;
	return as($who, POST => '/v1/metric-watch', { artifact_id => $art, table => 'sales', kind => 'row_count', %o });
}
sub unwatch { $db->do('DELETE FROM metric_watch') }

# ---- a watch

my $r = watch($cat);
is $r->{status}, 201, 'a viewer watches a table' or diag $r->{body};
my $w = $r->{json}{watch};
like $w->{id}, qr/^wat_[0-9a-z]{26}$/, 'it has an id';
is $r->{headers}{location}, "/v1/metric-watch/$w->{id}", 'and an address';
is_deeply $w, { id => $w->{id}, artifact_id => $art, table => 'sales', kind => 'row_count', column => undef, threshold_pct => 10,
	baseline => 4, last_value => 4, last_checked_at => $w->{last_checked_at},
	last_fired_at => undef, created_at => $w->{created_at} }, 'with exactly these members, measured at once';
is_deeply as($cat, GET => "/v1/metric-watch/$w->{id}")->{json}, { success => $true, watch => $w }, 'it is read by its address';
is_deeply as($cat, GET => "/v1/metric-watch?artifact_id=$art")->{json}, { success => $true, watches => [$w], next_cursor => undef },
	'and in the list';
is_deeply as($cat, GET => '/v1/metric-watch')->{json}{watches}, [$w], 'of all of theirs, too';
is_deeply as($dan, GET => "/v1/metric-watch?artifact_id=$art")->{json}{watches}, [], 'another viewer does not see it';
is_deeply as($_, GET => "/v1/metric-watch?artifact_id=$art")->{json}{watches}, [$w], 'who may edit the artifact does' for $ann, $ben;
refused(as($_, GET => "/v1/metric-watch/$w->{id}"), '404 NOT_FOUND', 'by its address it is nobody else\'s') for $ann, $dan, $eve;
refused(as($_, DELETE => "/v1/metric-watch/$w->{id}"), '404 NOT_FOUND', 'nor is it to be removed') for $ann, $ben, $dan, $eve;
refused(as(undef, DELETE => "/v1/metric-watch/$w->{id}"), '401 UNAUTHENTICATED', 'by nobody, who is told to sign in');
is as($cat, DELETE => "/v1/metric-watch/$w->{id}")->{status}, 200, 'its maker removes it';
refused(as($cat, DELETE => "/v1/metric-watch/$w->{id}"), '404 NOT_FOUND', 'once');

# ---- what is measured, and as whom

my %is = (row_count => 4, 'sum n' => 41, 'avg n' => 10.25, 'min n' => -5, 'max n' => 40, 'distinct n' => 3, 'distinct who' => 3,
	'latest n' => 40, 'sum x' => 0.301, 'avg x' => 0.301 / 3, 'min x' => 0.001, 'max x' => 0.2, 'latest x' => 0.001, 'distinct x' => 3);
sub measured {
	my ($who, $table, $what) = @_;
	my ($kind, $column) = split / /, $what;
	my $r = watch($who, table => $table, kind => $kind, $column ? (column => $column) : ());
	unwatch();
	return $r->{json}{watch}{last_value} // $r->{body};
}
is measured($cat, 'sales', $_), $is{$_}, "$_ of all rows" for sort keys %is;
is measured($ann, 'ruled', $_), $is{$_}, "$_ as the owner, whom no rule binds" for sort keys %is;
my %hers = (row_count => 2, 'sum n' => -2, 'avg n' => -1, 'min n' => -5, 'max n' => 3, 'distinct n' => 2, 'distinct who' => 1,
	'latest n' => 3, 'sum x' => 0.2, 'avg x' => 0.2, 'min x' => 0.2, 'max x' => 0.2, 'distinct x' => 1);
is measured($cat, 'ruled', $_), $hers{$_}, "$_ of the rows that a rule leaves" for sort keys %hers;
my %none = (row_count => 0, 'sum n' => 0, 'distinct n' => 0, map { ("$_ n" => undef) } qw(avg min max latest));
for my $what (sort keys %none) {
	my ($kind, $column) = split / /, $what;
	my $w = watch($cat, table => 'empty', kind => $kind, $column ? (column => $column) : ())->{json}{watch};
	is_deeply [@$w{qw(baseline last_value)}], [($none{$what}) x 2], "$what of no rows";
	unwatch();
}
is_deeply watch($ben, table => 'ruled', kind => 'latest', column => 'x')->{json}{watch}{last_value},
	undef, 'an editor is bound by the rule, too';
unwatch();

# ---- what it may be of

refused(watch($cat, %{$_->[0]}), '400 INVALID_REQUEST', $_->[1])
	for [{ kind => 'sum' }, 'sum without a column'], [{ column => 'n' }, 'row_count with one'],
	[{ kind => 'sum', column => 'who' }, 'the sum of texts'], [{ kind => 'latest', column => 'who' }, 'the latest text'],
	[{ kind => 'max', column => 'none' }, 'a column that is not there'],
	[{ threshold_pct => 0.09 }, 'a threshold too small'], [{ threshold_pct => 10001 }, 'one too large'],
	[{ threshold_pct => -1 }, 'one below nothing'];
refused($api->call(POST => '/v1/metric-watch', { token => $cat->{token}, type => 'application/json',
		body => qq({"artifact_id":"$art","table":"sales","kind":"row_count","threshold_pct":$_}) }), '400 INVALID_REQUEST',
	"threshold_pct $_") for qw(NaN Infinity 1e999);
is watch($cat, column => undef, threshold_pct => 0.1)->{json}{watch}{threshold_pct}, 0.1, 'a column may be null, a threshold small';
refused(watch($cat, table => 'none'), '404 NOT_FOUND', 'a table that is not there');
my ($absent, $closed) = map { my $t = $_; watch($cat, table => $t)->{json}{error} =~ s/$t/T/r } qw(none closed);
is $closed, $absent, '... and one that a rule hides, alike';
refused(watch($eve), '404 NOT_FOUND', 'a stranger does not see the artifact');
refused(watch($eve, artifact_id => 'art_' . '0' x 26), '404 NOT_FOUND', '... as one that is not there');
refused(watch(undef), '401 UNAUTHENTICATED', 'nor does nobody');
refused(as($eve, GET => "/v1/metric-watch?artifact_id=$art"), '404 NOT_FOUND', 'nor its watches');
refused(watch($eve, artifact_id => $open), '403 ACCESS_DENIED', 'whoever just sees a public artifact has no watch on it');
as($ann, PUT => "/v1/data/$open/tables/sales", { columns => \@columns });
is watch($ann, artifact_id => $open)->{status}, 201, 'its owner has';
unwatch();

# ---- the same again

my $first = watch($cat, kind => 'sum', column => 'n', threshold_pct => 0.3)->{json}{watch}{id};
$r = watch($cat, kind => 'sum', column => 'n', threshold_pct => 0.3);
refused($r, '409 CONFLICT', 'a watch that they have already');
like $r->{json}{error}, qr/already have this watch: $first$/, '... which is named';
is watch($cat, kind => 'sum', column => 'n', %$_)->{status}, 201, 'another threshold is another watch' for { threshold_pct => 5 }, {};
refused(watch($cat, kind => 'sum', column => 'n', threshold_pct => 10), '409 CONFLICT', 'which may be the usual one');
is watch($cat)->{status}, 201, 'another measure';
refused(watch($cat), '409 CONFLICT', '... once');
is watch($dan)->{status}, 201, "somebody else's is their own";
unwatch();

# ---- how many

for my $case (['50 a person', 49, $cat->{id}], ['200 an artifact', 199, $dan->{id}]) {
	my ($name, $n, $whose) = @$case;
	$db->do("INSERT INTO metric_watch (id, artifact_id, created_by, table_name, kind, threshold_pct, created_at) "
			. "SELECT CONCAT('wat_', LPAD(seq, 26, '0')), ?, ?, 'other', 'row_count', 10, 0 FROM seq_1_to_$n",
		undef, $name =~ /person/ ? $open : $art, $whose);
	is watch($cat)->{status}, 201, "$name: the last one";
	refused(watch($cat), '409 CONFLICT', '... and one more');
	unwatch();
}

# ---- scopes, and a repeated request

my $agent = sub {
	my ($bits) = @_;
	my $t = $stack->ctl(qw(token mint --user cat@example.org));
	$db->do('UPDATE token SET scopes = ? WHERE hash = UNHEX(SHA2(?, 256))', undef, $bits, $t);
	return { token => $t };
};
refused(watch($agent->(4)), '403 INSUFFICIENT_SCOPE', 'a token for reading data makes none');
is as($agent->(4), GET => '/v1/metric-watch')->{status}, 200, 'but reads them';
is watch($agent->(8))->{status}, 201, 'one for writing data makes one';
unwatch();
my @same = map { $api->call(POST => '/v1/metric-watch', { token => $cat->{token}, json => { artifact_id => $art, table => 'sales',
	kind => 'row_count' }, headers => { 'Idempotency-Key' => 'k1' } })->{json}{watch}{id} } 1, 2;
is $same[1], $same[0], 'a key makes a repeat safe';
unwatch();

# ---- an alert

sub alert {
	my ($who, %o) = @_;
	return as($who, POST => '/v1/metric-alerts',
		{ artifact_id => $art, name => 'Many', table => 'sales', kind => 'row_count', op => 'above', value => 100, %o });
}
sub alerts { my ($who) = @_; return as($who, GET => "/v1/metric-alerts?artifact_id=$art")->{json}{alerts} }
$r = alert($ben);
is $r->{status}, 201, 'an editor makes an alert' or diag $r->{body};
my $a = $r->{json}{alert};
like $a->{id}, qr/^alr_[0-9a-z]{26}$/, 'it has an id';
my $at = "/v1/metric-alerts/$a->{id}";
is $r->{headers}{location}, $at, 'and an address';
my %whole = (id => $a->{id}, artifact_id => $art, name => 'Many', table => 'sales', kind => 'row_count', column => undef, op => 'above',
	value => 100, breaches => 1, enabled => $true, destinations => [], state => 'ok',
	state_since => $a->{state_since}, last_value => 4, last_checked_at => $a->{last_checked_at}, subscribed => $true,
	created_at => $a->{created_at}, updated_at => $a->{updated_at});
is_deeply $a, \%whole, 'with exactly these members; who makes one without destinations is subscribed';
is_deeply as($ben, GET => $at)->{json}, { success => $true, alert => $a }, 'it is read by its address';
is_deeply alerts($ann), [{ %whole, subscribed => $false }], 'the owner sees it';
is_deeply alerts($cat), [{ %whole, subscribed => $false, destinations => undef }], 'a viewer, too, but not whom it tells';
refused(as($eve, GET => "/v1/metric-alerts?artifact_id=$art"), '404 NOT_FOUND', 'nor the list');
refused(as(undef, GET => $at), '401 UNAUTHENTICATED', 'nor does nobody, who is told to sign in');
refused(alert($cat), '403 ACCESS_DENIED', 'a viewer makes none');
refused(as($cat, PATCH => $at, { value => 1 }), '403 ACCESS_DENIED', 'nor changes one');
refused(as($cat, DELETE => $at), '403 ACCESS_DENIED', 'nor deletes one');
refused(alert($eve), '404 NOT_FOUND', 'to a stranger there is no artifact');

refused(alert($ben, %{$_->[0]}), '400 INVALID_REQUEST', $_->[1]) for [{ op => 'change_pct', value => 0 }, 'a change of nothing'],
	[{ op => 'change_pct', value => 10001 }, 'one too large'], [{ kind => 'sum' }, 'sum without a column'],
	[{ kind => 'avg', column => 'who' }, 'the average of texts'], 
	[{ destinations => [{ type => 'email' }] }, 'an e-mail to nobody'],
	[{ destinations => [{ type => 'webhook', email => 'a@example.org' }] }, 'a webhook with an address of e-mail'],
	[{ destinations => [{ type => 'webhook' }] }, 'one without an address'],
	[{ destinations => [{ type => 'webhook', url => "https://vitrine.localhost:$stack->{port}/" }] }, 'one to the service itself'],
	[{ destinations => [{ type => 'webhook', url => 'http://10.0.0.1/' }] }, 'one inside'],
	[{ destinations => [{ type => 'chat_a', webhook_url => 'https://localhost/' }] }, 'a chat inside'],
	[{ destinations => [{ type => 'chat_a' }] }, 'a chat without one'],
	[{ destinations => [{ id => 'dst_' . '0' x 26, type => 'email', email => 'a@example.org' }] }, 'one that is said to be there'];
refused($api->call(POST => '/v1/metric-alerts', { token => $ben->{token}, type => 'application/json',
	body => qq({"artifact_id":"$art","name":"x","table":"sales","kind":"row_count","op":"above","value":$_}) }), '400 INVALID_REQUEST',
	"value $_") for qw(NaN -Infinity 1e999);
refused(alert($ben, table => 'none'), '404 NOT_FOUND', 'of a table that is not there');
is scalar @{alerts($ann)}, 1, 'none of these was made';

# ---- changing it

$r = as($ben, PATCH => $at, { name => 'Most', op => 'below', value => 2.5, breaches => 3 });
is_deeply [@{$r->{json}{alert}}{qw(name op value breaches enabled)}], ['Most', 'below', 2.5, 3, $true], 'changed';
is_deeply [@{as($ben, PATCH => $at, { enabled => $false })->{json}{alert}}{qw(name enabled subscribed)}], ['Most', $false, $true],
	'switched off';
refused(as($ben, PATCH => $at, { op => 'change_pct', value => 0 }), '400 INVALID_REQUEST', 'what a new one may not be');
is as($ben, PATCH => $at, {})->{json}{alert}{name}, 'Most', 'what is absent stays';
$r = as($ben, PATCH => $at, { table => 'ruled' });
is $r->{json}{alert}{table}, 'sales', 'of what it is can\'t be changed';
like "@{$r->{json}{warnings} // []}", qr/table/, '... which is said';

# ---- whom it tells

$r = as($ben, PATCH => $at,
	{ destinations => [{ type => 'email', email => 'Desk@Example.org' }, { type => 'webhook', url => 'https://hooks.example.com/a?b=c',
		headers => { 'X-Key' => 's3cr3t' } }, { type => 'chat_a', webhook_url => 'https://chat.example.com/s3cr3t' },
		{ type => 'webhook', url => 'https://hooks.example.com/mine', secret => 'whsec_' . 'QUJD' x 10 }] });
is $r->{status}, 200, 'destinations of each type' or diag $r->{body};
my @d = @{$r->{json}{alert}{destinations}};
like $d[1]{secret}, qr/^whsec_[A-Za-z0-9+\/=]{44}$/, 'a secret that was made is told';
is $d[3]{secret}, undef, 'one that was sent is not';
is_deeply [map { my %d = %$_; delete @d{qw(id secret)}; \%d } @d], [{ type => 'email', email => 'desk@example.org' },
	{ type => 'webhook', url => 'https://hooks.example.com/a?b=c' }, { type => 'chat_a', webhook_host => 'chat.example.com' },
	{ type => 'webhook', url => 'https://hooks.example.com/mine' }], 'each with exactly these members';
my $made = delete $d[1]{secret};
is_deeply as($ben, GET => $at)->{json}{alert}{destinations}, \@d, 'told once';
unlike as($ann, GET => $_)->{body}, qr/s3cr3t|whsec_|QUJD/, "no secret in $_" for $at, "/v1/metric-alerts?artifact_id=$art";
my $kept = join '|', map { join ',', map { $_ // '' } @$_ }
	@{$db->selectall_arrayref('SELECT action, trigger_type, config, secrets FROM job ORDER BY id')};
unlike $kept, qr/s3cr3t|QUJD/, 'nor in the database';
is scalar(() = $kept =~ /,alert,/g), 3, 'each call is a job of an alert';
is_deeply as($ann, GET => "/v1/jobs?artifact_id=$art")->{json}{jobs} // [], [], 'which is in no list of jobs';
my $sealed = sub { return $db->selectcol_arrayref("SELECT secrets FROM job WHERE config LIKE '%b=c%'")->[0] };
my $before = $sealed->();
$r = as($ben, PATCH => $at, { destinations => [{ id => $d[2]{id}, type => 'chat_a' },
	{ id => $d[1]{id}, type => 'webhook', url => 'https://hooks.example.com/z?b=c' }] });
is_deeply [map { $_->{id} } @{$r->{json}{alert}{destinations}}], [$d[2]{id}, $d[1]{id}], 'those that are named stay, in that order';
is $r->{json}{alert}{destinations}[1]{url}, 'https://hooks.example.com/z?b=c', 'and change';
is $r->{json}{alert}{destinations}[1]{secret}, undef, 'with the secret that they had';
is $db->selectrow_array('SELECT COUNT(*) FROM job WHERE deleted_at IS NULL'), 2, 'the others are taken away';
refused(as($ben, PATCH => $at, { destinations => [{ id => $d[1]{id}, type => 'chat_a', webhook_url => 'https://c.example.com/' }] }),
	'400 INVALID_REQUEST', 'one does not become another type');
refused(as($ben, PATCH => $at, { destinations => [({ id => $d[1]{id}, type => 'webhook', url => 'https://hooks.example.com/' }) x 2] }),
	'400 INVALID_REQUEST', 'nor two');
is scalar @{as($ben, GET => $at)->{json}{alert}{destinations}}, 2, 'a change that is refused changes nothing';
refused(as($ben, PATCH => $at, { destinations => [{ id => $d[1]{id}, type => 'webhook', url => 'https://evil.example.com/' }] }),
	'400 INVALID_REQUEST', 'headers that are kept do not go to another host');
is as($ben, PATCH => $at,
	{ destinations => [{ id => $d[1]{id}, type => 'webhook', url => 'https://evil.example.com/', headers => {} }] })->{status}, 200,
	'... unless they are said again';

# ---- subscribing

is as($cat, POST => "$at/subscribe")->{json}{alert}{subscribed}, $true, 'a viewer subscribes';
is as($cat, POST => "$at/subscribe", {})->{json}{alert}{subscribed}, $true, 'twice is as once';
is as($dan, GET => $at)->{json}{alert}{subscribed}, $false, 'themselves only';
refused(as($cat, POST => "$at/subscribe", { email => 'dan@example.org' }), '403 ACCESS_DENIED', 'not another');
refused(as($cat, POST => "$at/subscribe", { email => 'nobody@example.org' }), '403 ACCESS_DENIED', 'nor an address that is nobody\'s');
refused(as($ben, POST => "$at/subscribe", { email => 'dan@example.org' }), '403 ACCESS_DENIED', 'nor does an editor, here');
is as($cat, POST => "$at/subscribe", { email => 'Cat@Example.org' })->{status}, 200, 'their own address';
$db->do("INSERT INTO email_alias (email, user_id) VALUES ('cat2\@example.org', ?)", undef, $cat->{id});
is as($cat, POST => "$at/subscribe", { email => 'cat2@example.org' })->{status}, 200, 'and another one of theirs';
is $db->selectrow_array('SELECT email FROM metric_subscription WHERE user_id = ?', undef, $cat->{id}), 'cat2@example.org',
	'is where they are told';
is as($cat, DELETE => "$at/subscribe")->{json}{alert}{subscribed}, $false, 'no more';
is as($cat, DELETE => "$at/subscribe")->{status}, 200, 'twice is as once';
refused(as(undef, POST => "$at/subscribe"), '401 UNAUTHENTICATED', 'nor does nobody');

# ---- who does not see all rows

my $ruled = alert($ann, table => 'ruled', kind => 'sum', column => 'n')->{json}{alert};
is $ruled->{last_value}, 41, 'an alert is measured as the owner sees the table';
for my $kind (qw(max min sum latest)) {
	$r = alert($ben, table => 'ruled', kind => $kind, column => 'n', destinations => []);
	refused($r, '403 ACCESS_DENIED', "an editor whom the rule binds learns no $kind of hidden rows");
	like $r->{json}{error}, qr/^table: you can see only some rows of ruled.*watch the table/, '... and is told what they can do';
}
refused(alert($ben, table => 'closed'), '404 NOT_FOUND', '... nor of a table of which they see none');
is_deeply [map { $_->{name} } @{alerts($_)}], ['Most'], 'to whom the rule binds there are none, editor or viewer' for $ben, $cat;
refused(as($_->[0], $_->[1] => "/v1/metric-alerts/$ruled->{id}$_->[2]", $_->[1] eq 'PATCH' ? { value => 1 } : undef), '404 NOT_FOUND',
	"$_->[1]$_->[2]: nor by their addresses")
	for (map { [$cat, @$_] } [GET => ''], [POST => '/subscribe'], [DELETE => '/subscribe']), map { [$ben, @$_] } [GET => ''],
	[PATCH => ''], [DELETE => ''], [POST => '/subscribe'];
is as($ann, GET => "/v1/metric-alerts/$ruled->{id}")->{json}{alert}{value}, 100, '... and nothing of it has changed';

unwatch();
my %watch = map { my ($who, $table) = @$_; ("$who->{id} $table" => watch($who, table => $table)->{json}{watch}{id}) }
	map { my $t = $_; map { [$_, $t] } $ann, $cat } qw(sales ruled);
$db->do("INSERT INTO metric_watch (id, artifact_id, created_by, table_name, kind, threshold_pct, value_last, created_at) "
	. "VALUES ('wat_00000000000000000000000007', ?, ?, 'closed', 'row_count', 10, 4, 0)", undef, $art, $cat->{id});
sub watches {
	my ($who, $query) = @_;
	return [sort map { $_->{id} } @{as($who, GET => '/v1/metric-watch' . ($query // "?artifact_id=$art"))->{json}{watches}}];
}
is_deeply watches($ben), [sort map { $watch{"$_->{id} sales"} } $ann, $cat],
	"others' watches are for an editor who sees all that they measure";
is_deeply watches($ann), [sort values %watch, 'wat_00000000000000000000000007'], '... as the owner does';
is_deeply watches($cat, $_), [sort map { $watch{"$cat->{id} $_"} } qw(sales ruled)],
	'one on a table that is hidden now is not told to its maker' for '', "?artifact_id=$art";
refused(as($cat, GET => '/v1/metric-watch/wat_00000000000000000000000007'), '404 NOT_FOUND', '... nor by its address');
is as($cat, DELETE => '/v1/metric-watch/wat_00000000000000000000000007')->{status}, 200, '... who can remove it';
as($ann, DELETE => "/v1/artifacts/$art/collaborators/cat%40example.org");
is_deeply watches($cat, ''), [], 'who has lost their role is not told of their watches';
as($ann, POST => "/v1/artifacts/$art/collaborators", { emails => ['cat@example.org'], role => 'viewer' });
is_deeply watches($cat, ''), [sort map { $watch{"$cat->{id} $_"} } qw(sales ruled)], '... until they have one again';
unwatch();

# ---- the end

is as($ben, DELETE => $at)->{status}, 200, 'deleted';
refused(as($ben, DELETE => $at), '404 NOT_FOUND', 'once');
is $db->selectrow_array('SELECT COUNT(*) FROM job WHERE deleted_at IS NULL'), 0, 'with what it called';
$db->do("INSERT INTO metric_alert (id, artifact_id, name, table_name, kind, op, value, breaches, enabled, state_since, created_at, "
	. "updated_at) SELECT CONCAT('alr_', LPAD(seq, 26, '0')), ?, 'x', 'sales', 'row_count', 'above', 1, 1, 1, 0, 0, 0 FROM seq_1_to_48",
	undef, $art);
is alert($ben)->{status}, 201, 'fifty an artifact';
refused(alert($ben), '409 CONFLICT', 'and no more');
$db->do('UPDATE artifact SET paused_at = 1 WHERE id = ?', undef, $art);
refused(watch($cat), '403 ARTIFACT_PAUSED', 'of a paused artifact a viewer watches nothing');
refused(alert($ben), '403 ARTIFACT_PAUSED', 'nor does an editor make alerts');
is watch($ann)->{status}, 201, 'its owner may';
$db->do('UPDATE artifact SET paused_at = NULL WHERE id = ?', undef, $art);
as($ann, DELETE => "/v1/artifacts/$art");
refused(watch($ann), '404 NOT_FOUND', 'of one in the trash nobody');
refused(as($ann, GET => "/v1/metric-alerts/$ruled->{id}"), '404 NOT_FOUND', 'nor is there an alert');

# ---- who governs the workspace

my $team = as($ann, POST => '/v1/workspaces', { name => 'Team' })->{json}{workspace}{id};
$stack->seat($team, @$_) for [$ben, 'admin'], [$cat, 'member'], [$eve, 'member'];
my $cats = as($cat, POST => '/v1/publish', { name => 'Cats', workspace_id => $team, files => [{ path => 'index.html', content => 'x' }],
	access_policy => { tables => { closed => { read => 'false' } } } })->{json}{artifact}{id};
as($cat, PUT => "/v1/data/$cats/tables/$_", { columns => \@columns }) for qw(sales closed);
for my $who ($ben, $ann) {
	my $r = alert($who, artifact_id => $cats, destinations => [{ type => 'email', email => 'desk@example.org' }]);
	is $r->{status}, 201, "an admin or the owner of the workspace makes an alert on a member's artifact" or diag $r->{body};
	my $at = $r->{headers}{location};
	is scalar @{as($who, GET => $at)->{json}{alert}{destinations}}, 1, '... sees whom it tells';
	is scalar @{as($who, GET => "/v1/metric-alerts?artifact_id=$cats")->{json}{alerts}[0]{destinations} // []}, 1,
		'... in the list, too';
	is as($who, PATCH => $at, { value => 5, destinations => [] })->{json}{alert}{value}, 5, '... changes it';
	refused(as($eve, PATCH => $at, { value => 6 }), '403 ACCESS_DENIED', '... which a member does not');
	is as($eve, POST => "$at/subscribe")->{json}{alert}{destinations}, undef, '... who subscribes, and is not told whom else it tells';
	is as($who, DELETE => $at)->{status}, 200, '... and deletes it';
	refused(alert($who, artifact_id => $cats, table => 'closed'), '404 NOT_FOUND', '... and is bound by the policy of its data');
}
refused(alert($eve, artifact_id => $cats), '403 ACCESS_DENIED', 'a member makes none');

# ---- an agent has no address

$db->do("UPDATE user SET kind = 'agent', email = NULL WHERE id = ?", undef, $dan->{id});
$db->do("INSERT INTO collaborator (artifact_id, user_id, role, created_at) VALUES (?, ?, 'editor', 0)", undef, $open, $dan->{id});
refused(watch($dan, artifact_id => $open), '409 CONFLICT', 'so it has no watch');
$r = alert($dan, artifact_id => $open);
is $r->{status}, 201, 'it makes an alert' or diag $r->{body};
is $r->{json}{alert}{subscribed}, $false, 'that does not tell it';
refused(as($dan, POST => "/v1/metric-alerts/$r->{json}{alert}{id}/subscribe"), '409 CONFLICT', 'nor can it be subscribed');
finish($stack);
