# SPDX-License-Identifier: Apache-2.0
# Jobs: who may make, see, change and run them; what they may be; when they run next; what is secret in them; and what becomes of them with
# their maker.
use utf8;
use IO::Socket::INET;
use Vitrine::Receiver;
use Vitrine::Words qw(as refused);

my $tls = $ENV{VITRINE_VAR} . '/tls-test';
Vitrine::Stack::make_tls($tls);
my $receiver = Vitrine::Receiver->new($tls);
# It may be asked, and nobody listens.
my $nobody = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1')->sockport;
my ($stack, $api, $db) = stack(egress_allow => "127.0.0.1:$receiver->{port} 127.0.0.1:$nobody", egress_ca_file => "$tls/ca.pem",
	job_runs_asked_per_minute => 200);
my ($ann, $ben, $cat, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben cat eve);
my %art = map { $_ => $api->publish($ann, slug => $_, visibility => $_) } qw(public private);
my $other = $api->publish($eve, slug => 'other', visibility => 'private');
sub give {
	my ($who, $role, $art) = @_;
	my $r = $api->call(POST => '/v1/artifacts/' . ($art // $art{private}) . '/collaborators',
		{ token => $ann->{token}, json => { emails => [$who], role => $role } });
	is $r->{status}, 200, "$who is made $role" or diag $r->{body};
}
give('ben@example.org', 'editor');
give('cat@example.org', 'viewer');

my $hook = { url => $receiver->url('/hook'), headers => { 'X-Key' => 'a very secret value' } };
sub new_job { my (%o) = @_; return { artifact_id => $art{private}, action => 'webhook', schedule => '0 9 * * *', config => $hook, %o } }
sub add {
	my ($who, %o) = @_;
	my $job = new_job(%o);
	delete @$job{grep { !defined $job->{$_} } keys %$job};
	return as($who, POST => '/v1/jobs', $job);
}
sub job_of { my ($who, %o) = @_; my $r = add($who, %o); is $r->{status}, 201, 'a job' or diag $r->{body}; return $r->{json}{job} }
sub ids { my ($r) = @_; return join ' ', map { $_->{id} } @{$r->{json}{jobs}} }

# ---- made, seen, listed

my $r = add($ben, name => 'Every morning', timezone => 'Europe/Dublin', retry_config => { maxAttempts => 5 });
is $r->{status}, 201, 'an editor makes a job' or diag $r->{body};
my $job = $r->{json}{job};
like $job->{id}, qr/^job_[0-9a-z]{26}$/, 'it has an id';
is $r->{headers}{location}, "/v1/jobs/$job->{id}", 'and an address';
my $secret = $r->{json}{secret};
like $secret, qr{^whsec_[A-Za-z0-9+/]{42,}=*$}, 'a secret to verify by';
is_deeply $r->{json}, { success => $true, job => $job, secret => $secret, shown_once => $true }, 'is shown once';
cmp_ok $job->{next_run_at}, '>', time - 60, 'it runs in the future';
cmp_ok $job->{next_run_at}, '<=', time + 25 * 3600, 'within a day';
is_deeply $job, { id => $job->{id}, artifact_id => $art{private}, name => 'Every morning', action => 'webhook', trigger_type => 'cron',
	schedule => '0 9 * * *', timezone => 'Europe/Dublin',
	event_type => undef, config => { url => $hook->{url}, header_names => ['X-Key'] },
	retry_config => { maxAttempts => 5, backoffType => 'exponential', initialDelay => 60 }, enabled => $true,
	next_run_at => $job->{next_run_at}, last_run_at => undef, last_status => undef, failures => 0, created_at => $job->{created_at},
	updated_at => $job->{created_at} }, 'with exactly these members';
is_deeply as($ann, GET => "/v1/jobs/$job->{id}")->{json}, { success => $true, job => $job }, 'its owner reads it, without the secret';
my $event = job_of($ann, trigger_type => 'event', schedule => undef, event_type => 'comment.added',
	config => { url => $hook->{url}, secret => $secret });
is "$event->{event_type} $event->{trigger_type}", 'comment.added event', 'a job of an event';
is $event->{$_}, undef, "... has no $_" for qw(schedule next_run_at name);
is $event->{timezone}, 'UTC', 'a zone is UTC when nobody says another';
is job_of($ann, schedule => undef, event_type => 'artifact.viewed')->{trigger_type}, 'event', 'an event_type says that it is one';
ok !exists add($ann, artifact_id => $art{public}, config => { url => $hook->{url}, secret => $secret })->{json}{shown_once},
	'a secret that was given is not shown';
my $theirs = job_of($eve, artifact_id => $other);

is_deeply as($ben, GET => "/v1/jobs?artifact_id=$art{private}")->{json}{jobs}[0], $job, 'the list of an artifact, oldest first';
is scalar @{as($ben, GET => '/v1/jobs')->{json}{jobs}}, 3, 'an editor lists those of what they edit';
is scalar @{as($ann, GET => '/v1/jobs')->{json}{jobs}}, 4, 'an owner those of all that they own';
is ids(as($eve, GET => '/v1/jobs')), $theirs->{id}, 'and nobody those of others';
is ids(as($cat, GET => '/v1/jobs')), '', 'nor of what they only view';

# ---- who may not

my $run_id = 'run_' . '0' x 26;
my @ways = ([GET => '', undef], [PATCH => '', {}], [DELETE => '', undef], [POST => '/run', undef], [POST => '/rotate-secret', undef],
	[GET => '/runs', undef], [GET => "/runs/$run_id", undef], [POST => "/runs/$run_id/redeliver", undef]);
for (@ways) {
	my ($method, $path, $json) = @$_;
	refused(as($cat, $method => "/v1/jobs/$job->{id}$path", $json), '403 ACCESS_DENIED', "a viewer: $method $path");
}
for my $way (['list', sub { as($_[0], GET => "/v1/jobs?artifact_id=$_[1]") }], ['make', sub { add($_[0], artifact_id => $_[1]) }]) {
	my ($what, $do) = @$way;
	refused($do->($cat, $art{private}), '403 ACCESS_DENIED', "$what: a viewer");
	refused($do->($eve, $art{private}), '404 NOT_FOUND', "$what: of what is hidden", qr/^artifact_id: this artifact doesn't exist/);
	refused($do->($eve, 'art_' . '0' x 26), '404 NOT_FOUND', "$what: of nothing", qr/^artifact_id: this artifact doesn't exist/);
	refused($do->($eve, $art{public}), '403 ACCESS_DENIED', "$what: of what everybody sees");
	refused($do->(undef, $art{public}), '401 UNAUTHENTICATED', "$what: nobody");
}
my ($reader, $writer) = map { +{ token => ($stack->ctl(qw(token mint --user ann@example.org --name), $_) =~ /(so_\w+)/)[0] } } 'reads',
	'publishes';
$db->do('UPDATE token SET scopes = ? WHERE name = ?', undef, @$_) for [1, 'reads'], [2, 'publishes'];
is as($reader, GET => "/v1/jobs/$job->{id}")->{status}, 200, 'a token that may read reads';
refused(as($reader, PATCH => "/v1/jobs/$job->{id}", {}), '403 INSUFFICIENT_SCOPE', '... and changes nothing');
refused(as($reader, POST => "/v1/jobs/$job->{id}/run"), '403 INSUFFICIENT_SCOPE', '... and runs nothing');
refused(as($writer, GET => '/v1/jobs'), '403 INSUFFICIENT_SCOPE', 'one that may publish does not read');

# ---- what a job may be

for (['no schedule', qr/^schedule: is required/, schedule => undef], ['an empty schedule', qr/^schedule: must have five fields/,
	schedule => ''], ['six fields', qr/^schedule: must have five fields/, schedule => '0 0 9 * * *'],
	['minute 60', qr/^schedule: minute "60"/, schedule => '60 * * * *'],
	['no future run', qr/^schedule: has no run within the next five years/, schedule => '0 0 31 2 *'],
	['a zone that is none', qr/^timezone: must be an IANA time zone name/, timezone => 'Europe/Atlantis'],
	['a path for a zone', qr/^timezone/, timezone => '../../etc/passwd'],
	['a schedule of an event job', qr/^schedule: applies only to cron jobs/, event_type => 'comment.added', trigger_type => 'event'],
	['a zone of an event job', qr/^timezone: applies only to cron jobs/, event_type => 'comment.added', schedule => undef,
		timezone => 'Asia/Tokyo'],
	['an event of a cron job', qr/^event_type: applies only to jobs with trigger_type event/, event_type => 'comment.added',
		trigger_type => 'cron'],
	['an event job without one', qr/^event_type: is required/, trigger_type => 'event', schedule => undef],
	['a destination of alerts', qr/^trigger_type/, trigger_type => 'alert'], ['a name of two lines', qr/^name/, name => "a\nb"],
	['a config without an address', qr/^config.url/, config => {}],
	['an address with a password in it', qr/^config.url/, config => { url => 'https://a:b@example.org/' }]) {
	my ($name, $like, %o) = @$_;
	refused(add($ann, %o), '400 INVALID_REQUEST', $name, $like);
}
is $db->selectrow_array('SELECT COUNT(*) FROM job'), 5, 'of which none has been made';

# ---- changing

sub change { my ($who, $id, %o) = @_; return as($who, PATCH => "/v1/jobs/$id", {%o}) }
my $path = "/v1/jobs/$job->{id}";
$r = change($ben, $job->{id})->{json};
is_deeply $r->{updated}, $true;
is_deeply $r->{job}, { %$job, updated_at => as($ben, GET => $path)->{json}{job}{updated_at} }, 'a change of nothing changes nothing';
$r = change($ben, $job->{id}, name => 'Noon', schedule => '0 12 * * *', timezone => 'Asia/Tokyo', retry_config => { initialDelay => 5 });
is $r->{status}, 200, 'changed' or diag $r->{body};
my $now = $r->{json}{job};
is_deeply [@$now{qw(name schedule timezone retry_config)}], ['Noon', '0 12 * * *', 'Asia/Tokyo',
	{ maxAttempts => 5, backoffType => 'exponential', initialDelay => 5 }], 'what was given has changed, the rest of retry_config not';
is $now->{next_run_at} % 86400, 3 * 3600, 'it runs at noon in Tokyo';
is change($ben, $job->{id}, name => undef)->{json}{job}{name}, undef, 'a name of null is none';
is change($ben, $job->{id}, schedule => '30 12 * * *')->{json}{job}{next_run_at} % 86400, 3 * 3600 + 1800,
	'another schedule, the same zone';
is change($ben, $job->{id}, enabled => $false)->{json}{job}{next_run_at}, undef, 'paused, it has no next time';
is change($ben, $job->{id}, schedule => '15 12 * * *')->{json}{job}{next_run_at}, undef, '... nor with another schedule';
is change($ben, $job->{id}, enabled => $true)->{json}{job}{next_run_at} % 86400, 3 * 3600 + 900, 'resumed, it has';
$db->do('UPDATE job SET next_run_at = 1000 WHERE id = ?', undef, $job->{id});
is change($ben, $job->{id}, name => 'Again', enabled => $true, schedule => '15 12 * * *',
		timezone => 'Asia/Tokyo')->{json}{job}{next_run_at}, 1000,
	'a time that has come and not been seen to is not lost by what changes nothing';
is change($ben, $job->{id}, schedule => '0 12 * * *')->{json}{job}{next_run_at} % 86400, 3 * 3600, 'only by another schedule';
for (['no future run', qr/^schedule: has no run/, schedule => '0 0 30 2 *'], ['a zone that is none', qr/^timezone/, timezone => 'X'],
	['enabled: 1', qr/^enabled/, enabled => 1], ['eleven attempts', qr/^retry_config/, retry_config => { maxAttempts => 11 }],
	['an empty name', qr/^name/, name => '']) {
	my ($name, $like, %o) = @$_;
	refused(change($ben, $job->{id}, %o), '400 INVALID_REQUEST', "changed to $name", $like);
}
refused(change($ann, $event->{id}, schedule => '0 0 * * *'), '400 INVALID_REQUEST', 'an event job gets no schedule',
	qr/^schedule: applies only to cron jobs/);
refused(change($ann, $event->{id}, timezone => 'Asia/Tokyo'), '400 INVALID_REQUEST', 'and no zone',
	qr/^timezone: applies only to cron jobs/);
is change($ann, $event->{id}, enabled => $false)->{json}{job}{enabled}, $false, 'it is paused';
is change($ann, $event->{id}, enabled => $true)->{json}{job}{next_run_at}, undef, 'and resumed, without a time';

# ---- what is secret

sub sealed { return $db->selectrow_array('SELECT secrets FROM job WHERE id = ?', undef, $job->{id}) }
my $before = sealed();
$r = change($ben, $job->{id}, config => { url => $receiver->url('/other'), headers => { 'X-Key' => 'another secret value' } });
is_deeply $r->{json}, { success => $true, updated => $true,
		job => { %{$r->{json}{job}}, config => { url => $receiver->url('/other'), header_names => ['X-Key'] } } },
	'a config takes the place of the one before, and shows no secret';
isnt sealed(), $before, '... which is kept';
refused(change($ben, $job->{id}, config => { url => 'https://example.org/' }), '400 INVALID_REQUEST', 'headers do not go to another host');
$r = as($ben, POST => "$path/rotate-secret");
is $r->{status}, 200, 'another secret' or diag $r->{body};
like $r->{json}{secret}, qr/^whsec_/, '... is shown once';
isnt $r->{json}{secret}, $secret, '... and another than before';
my $rotated = $r->{json}{secret};
my $mail = job_of($ann, action => 'email', config => { recipients => ['x@example.org'], subject => 'News' });
refused(as($ann, POST => "/v1/jobs/$mail->{id}/rotate-secret"), '400 INVALID_REQUEST', 'an e-mail is not signed', qr/webhook/);
my @keyed = map { $api->call(POST => "$path/rotate-secret", { token => $ben->{token}, headers => { 'Idempotency-Key' => 'once' } }) } 1, 2;
is $keyed[0]{json}{secret}, $keyed[1]{json}{secret}, 'asked again with the same key, the same secret';
my @made = map {
	$api->call(POST => '/v1/jobs', { token => $ben->{token}, headers => { 'Idempotency-Key' => 'new' }, json => new_job() });
} 1, 2;
is $made[0]{body}, $made[1]{body}, '... and the same job';
refused($api->call(POST => '/v1/jobs', { token => $ben->{token}, headers => { 'Idempotency-Key' => 'new' }, json => new_job(name => 'x') }),
	'422 IDEMPOTENCY_MISMATCH', 'not for another request');
my @secrets = ($secret, $rotated, $keyed[0]{json}{secret}, $made[0]{json}{secret}, 'a very secret value', 'another secret value');
my $dump = '';
for my $t (@{$db->selectcol_arrayref('SHOW TABLES')}) {
	$dump .= join "\n", map { join '|', map { $_ // '' } @$_ } @{$db->selectall_arrayref("SELECT * FROM `$t`")};
}
is join(' ', grep { index($dump, $_) >= 0 } @secrets), '', 'no secret stands in the database in clear';
like $dump, qr/header_names/, '... in which configs do';

# ---- running

# The run of a job is over when somebody has carried it out, here the request itself.
$receiver->answer('/other' => 200, '{"ok":true}');
$r = as($ben, POST => "$path/run");
is $r->{status}, 200, 'run now' or diag $r->{body};
my $run = $r->{json}{execution};
is "$run->{status} $run->{trigger} $run->{attempt} $run->{http_status}", 'success manual 1 200', 'which has succeeded';
is $r->{headers}{location}, "$path/runs/$run->{id}", '... with an address';
my @calls = $receiver->calls('/other');
is scalar @calls, 1, 'the receiver was called once';
is $calls[0]{headers}{'webhook-id'}, $run->{id}, "by the run's id";
is $calls[0]{headers}{'x-key'}, 'another secret value', 'with its header';
is as($ben, GET => "$path/runs/$run->{id}")->{json}{run}{output}, '{"ok":true}', 'the run has the answer';
is_deeply [map { $_->{no} } @{as($ben, GET => "$path/runs/$run->{id}")->{json}{run}{attempts}}], [1], '... and its attempts';
my $listed = as($ben, GET => "$path/runs")->{json};
is_deeply [map { $_->{id} } @{$listed->{runs}}], [$run->{id}], 'it is in the list of runs';
ok !grep({ exists $_->{output} } @{$listed->{runs}}), '... without the answer';
is_deeply as($ben, GET => "$path/runs?status=failed")->{json}{runs}, [], '... and not among those that failed';
is as($ben, GET => $path)->{json}{job}{last_status}, 'success', 'the job says how it went';
is as($ben, GET => $path)->{json}{job}{next_run_at} % 86400, 3 * 3600, '... and its schedule is as it was';
refused(as($ben, GET => "/v1/jobs/$mail->{id}/runs/$run->{id}"), '404 NOT_FOUND', "a run is its job's alone");
$r = as($ben, POST => "$path/runs/$run->{id}/redeliver");
is "$r->{status} $r->{json}{run}{id} $r->{json}{run}{status}", "202 $run->{id} queued", 'once more, under its id' or diag $r->{body};
refused(as($ben, POST => "$path/runs/$run->{id}/redeliver"), '409 CONFLICT', 'not while that is to come');
$receiver->answer('/other' => 500, 'no');
my $failing = job_of($ben, config => { url => $receiver->url('/other') }, retry_config => { maxAttempts => 1 });
$r = as($ben, POST => "/v1/jobs/$failing->{id}/run");
is "$r->{status} $r->{json}{execution}{status} $r->{json}{execution}{http_status}", '200 failed 500', 'one that fails for good';
like $r->{json}{execution}{error}, qr/500/, '... and why';
is as($ben, GET => "/v1/jobs/$failing->{id}")->{json}{job}{failures}, 1, '... is counted';
my $again = job_of($ben, config => { url => $receiver->url('/other') });
$r = as($ben, POST => "/v1/jobs/$again->{id}/run");
is "$r->{status} $r->{json}{execution}{status}", '202 retrying', 'one that is tried again';
cmp_ok $r->{json}{execution}{next_attempt_at}, '>', time, '... later';
change($ben, $again->{id}, enabled => $false);
is as($ben, POST => "/v1/jobs/$again->{id}/run")->{status}, 202, 'a job that is paused runs when somebody asks';
my $dead = job_of($ben, config => { url => "https://127.0.0.1:$nobody/" }, retry_config => { maxAttempts => 1 });
$r = as($ben, POST => "/v1/jobs/$dead->{id}/run");
is "$r->{status} $r->{json}{execution}{status}", '200 failed', 'a server that is not there';
is $r->{json}{execution}{error}, "couldn't connect to the server", '... in the words of the runner';
# An address that may not be asked is refused when it is given. One that turns out to be such is not tried again.
my @inside = ('https://localhost/', 'https://localhost./', 'https://a.localhost/', 'https://127.0.0.2:443/', 'http://2130706434/',
	'http://[::1]/', 'http://10.0.0.1/');
for my $url (@inside) {
	my %at = (url => { webhook => { url => $url } }, webhook_url => { chat_a => { webhook_url => $url, text => 'x' } },
		'source.url' => { materialize => { source => { url => $url }, target => 'json' } });
	refused(as($ben, POST => '/v1/jobs', new_job(action => (keys %{$at{$_}})[0], config => (values %{$at{$_}})[0])),
		'400 INVALID_REQUEST', "$url as $_", qr/^config\.$_: \S+ isn't a public address/) for sort keys %at;
}
my $moved = job_of($ben, retry_config => { maxAttempts => 3 });
$db->do("UPDATE job SET config = JSON_SET(config, '\$.url', ?) WHERE id = ?", undef, $_, $moved->{id}),
	is_deeply([@{as($ben, POST => "/v1/jobs/$moved->{id}/run")->{json}{execution}}{qw(status error http_status)}],
		['failed', "the address isn't allowed: it isn't public, or its port isn't 80 or 443", undef],
		'... fails at once, whatever listens there') for @inside[0, 3];

# ---- gone, and never seen

is as($ben, DELETE => "/v1/jobs/$failing->{id}")->{status}, 200, 'deleted';
refused(as($ben, GET => "/v1/jobs/$failing->{id}$_"), '404 NOT_FOUND', "gone: $_") for '', '/runs';
refused(as($ben, DELETE => "/v1/jobs/$failing->{id}"), '404 NOT_FOUND', 'and not deleted twice');
unlike ids(as($ben, GET => '/v1/jobs')), qr/$failing->{id}/, 'it is in no list';
$db->do("UPDATE job j JOIN job_run r ON r.job_id = j.id SET j.trigger_type = 'alert', r.surface = NULL WHERE j.id = ?", undef, $dead->{id});
refused(as($ben, GET => "/v1/jobs/$dead->{id}"), '404 NOT_FOUND', 'a destination of alerts is no job to anybody');
unlike ids(as($ben, GET => "/v1/jobs$_")), qr/$dead->{id}/, 'in no list' for '', "?artifact_id=$art{private}";

# ---- as many as a hundred

my $have = @{as($ann, GET => "/v1/jobs?artifact_id=$art{public}")->{json}{jobs}};
is add($ann, artifact_id => $art{public})->{status}, 201, 'one more' for 1 .. 97 - $have;
my @kids = map { my $pid = fork // die; if (!$pid) {
	my $mine = Vitrine::Api->new($stack);
	my $r = $mine->call(POST => '/v1/jobs', { token => $ann->{token}, json => new_job(artifact_id => $art{public}) });
	require POSIX;
	POSIX::_exit($r->{status} == 201 ? 0 : $r->{json}{code} eq 'CONFLICT' ? 1 : 2);
} $pid } 1 .. 6;
my %came;
for (@kids) { waitpid $_, 0; $came{$? >> 8}++ }
is_deeply \%came, { 0 => 3, 1 => 3 }, 'of six at once those that make it a hundred are made';
refused(add($ann, artifact_id => $art{public}), '409 CONFLICT', 'and no other', qr/100 jobs/);
is scalar @{as($ann, GET => "/v1/jobs?artifact_id=$art{public}&limit=200")->{json}{jobs}}, 100, 'a hundred';
is as($ann, DELETE => '/v1/jobs/' . as($ann, GET => "/v1/jobs?artifact_id=$art{public}&limit=1")->{json}{jobs}[0]{id})->{status}, 200,
	'one less';
is add($ann, artifact_id => $art{public})->{status}, 201, 'and there is room again';

# ---- with its maker

sub enabled { return as($ann, GET => "/v1/jobs/$_[0]")->{json}{job}{enabled} ? 'on' : 'off' }
my $bens = job_of($ben, name => 'his');
my $anns = job_of($ann, name => 'hers');
give('ben@example.org', 'viewer');
is enabled($bens->{id}) . enabled($anns->{id}), 'offon', 'who is an editor no more has no job at work';
is as($ann, GET => "/v1/jobs/$bens->{id}")->{json}{job}{next_run_at}, undef, '... which has no next time';
is change($ann, $bens->{id}, enabled => $true)->{json}{job}{enabled}, $true, 'another editor switches it on';
give('ben@example.org', 'editor');
is as($ann, DELETE => "/v1/artifacts/$art{private}/collaborators/ben%40example.org")->{status}, 200, 'removed';
is enabled($bens->{id}), 'on', 'and answers for it from then on';
refused(as($ben, GET => "/v1/jobs/$bens->{id}"), '404 NOT_FOUND', 'who was removed sees it no more');
give('ben@example.org', 'editor');
$bens = job_of($ben);
is as($ben, DELETE => "/v1/artifacts/$art{private}/collaborators/ben%40example.org")->{status}, 200, 'who leaves';
is enabled($bens->{id}), 'off', '... leaves no job at work';
give('ben@example.org', 'editor');
$bens = job_of($ben);
$stack->ctl(qw(user disable ben@example.org));
is enabled($bens->{id}), 'off', 'an account that is disabled has no job at work';
$stack->ctl(qw(user enable ben@example.org));
$stack->ctl(qw(user delete ben@example.org));
is_deeply $db->selectrow_arrayref('SELECT created_by, enabled FROM job WHERE id = ?', undef, $bens->{id}), [undef, 0],
	'one that is deleted leaves its jobs behind, off';
is change($ann, $bens->{id}, enabled => $true)->{json}{job}{enabled}, $true, '... to be switched on by somebody else';
is $db->selectrow_array('SELECT created_by FROM job WHERE id = ?', undef, $bens->{id}), $ann->{id}, '... who answers for it';

# ---- through a workspace

my $ws = as($ann, POST => '/v1/workspaces', { name => 'Team', settings => { member_access => 'editor' } })->{json}{workspace}{id};
$stack->seat($ws, $_, 'member') for $cat, $eve;
my $team = $api->publish($ann, slug => 'team', visibility => 'private', workspace_id => $ws);
my $cats = job_of($cat, artifact_id => $team);
ok index(ids(as($cat, GET => '/v1/jobs')), $cats->{id}) >= 0, 'who edits through the workspace lists the jobs of its artifacts';
give('cat@example.org', 'editor', $team);
is scalar(grep { $_->{id} eq $cats->{id} } @{as($cat, GET => '/v1/jobs')->{json}{jobs}}), 1,
	'... once, though they are a collaborator, too';
give('cat@example.org', 'viewer', $team);
is as($cat, GET => "/v1/jobs/$cats->{id}")->{json}{job}{enabled}, $true,
	'who is made a viewer and still edits through the workspace keeps their jobs at work';
is as($ann, DELETE => "/v1/artifacts/$team/collaborators/cat%40example.org")->{status}, 200, 'no collaborator anymore';
is as($cat, GET => "/v1/jobs/$cats->{id}")->{json}{job}{enabled}, $true, '... neither';
give('cat@example.org', 'viewer', $team);
as($ann, PATCH => "/v1/workspaces/$ws", { settings => { member_access => 'viewer' } });
is index(ids(as($cat, GET => '/v1/jobs')), $cats->{id}), -1, 'who only views through it lists none';
give('cat@example.org', 'editor', $team);
give('cat@example.org', 'viewer', $team);
is as($ann, GET => "/v1/jobs/$cats->{id}")->{json}{job}{enabled}, $false, '... and has none at work';
as($ann, DELETE => "/v1/jobs/$cats->{id}");

# ---- what fsck knows

$stack->ctl('reindex');
sub fsck { chomp(my $said = ($stack->program('vitrinectl', {}, 'fsck'))[1]); return $said }
is fsck(), 'clean', 'fsck is content';
my @odd = map { $_->{id} } map { job_of($ann) } 1 .. 4;
$db->do('UPDATE job SET next_run_at = NULL WHERE id = ?', undef, $odd[0]);
$db->do('UPDATE job SET enabled = FALSE WHERE id = ?', undef, $odd[1]);
$db->do('UPDATE job j JOIN job o ON o.id = ? SET j.secrets = o.secrets WHERE j.id = ?', undef, @odd[3, 2]);
my $said = fsck();
like $said, qr/^job $odd[$_->[0]]: $_->[1]/m, "... and tells of one that $_->[1]"
	for [0, 'is on and has no next time'], [1, 'has a next time and should have none'], [2, "key_file can't decrypt"];
like $said, qr/^problems: 3$/m, '... and of no other';
as($ann, DELETE => "/v1/jobs/$_") for @odd;
is fsck(), 'clean', 'deleted, it is clean';

# ---- with its artifact

$stack->ctl('artifact', 'pause', $art{private});
give('cat@example.org', 'editor');
refused(as($cat, GET => "/v1/jobs/$anns->{id}"), '403 ARTIFACT_PAUSED', 'what is paused is closed to its editors');
refused(as($cat, GET => "/v1/jobs?artifact_id=$art{private}"), '403 ARTIFACT_PAUSED', '... its list, too');
refused(add($cat), '403 ARTIFACT_PAUSED', '... and takes no job of theirs');
is ids(as($cat, GET => '/v1/jobs')), '', '... and has none in a list of all';
is as($ann, GET => "/v1/jobs/$anns->{id}")->{status}, 200, 'its owner sees them';
$stack->ctl('artifact', 'resume', $art{private});
is as($ann, DELETE => "/v1/artifacts/$art{private}")->{status}, 200, 'in the trash';
refused(as($ann, GET => "/v1/jobs/$anns->{id}"), '404 NOT_FOUND', 'there are no jobs of it');
refused(as($ann, GET => "/v1/jobs?artifact_id=$art{private}"), '404 NOT_FOUND', '... in no list');
refused(add($ann), '404 NOT_FOUND', '... and no new one');
unlike ids(as($ann, GET => '/v1/jobs?limit=200')), qr/$anns->{id}/, '... nor among all';
is as($ann, POST => "/v1/artifacts/$art{private}/restore", {})->{status}, 200, 'restored';
is enabled($anns->{id}), 'on', 'they are as they were';
my $log = Vitrine::Stack::slurp("$stack->{dir}/worker.log");
is join(' ', grep { index($log, $_) >= 0 } @secrets), '', 'no secret stands in the log';
finish($stack);
