# SPDX-License-Identifier: Apache-2.0
# Jobs in the browser: a person makes a daily mail and a webhook on update, and sees both arrive; one that fails is seen failing and made
# good; pausing, rotating and deleting. All pages are looked at in both widths and both themes; then the forms once more without a script.
use utf8;
use Digest::SHA 'hmac_sha256_base64';
use MIME::Base64;
use Vitrine::Browser;
use Vitrine::Receiver;
use Vitrine::Smtp;
use Vitrine::Visitor;
use Vitrine::Words;

my $tls = "$ENV{VITRINE_VAR}/tls-test";
my $smtp = Vitrine::Smtp->new;
my $hook = Vitrine::Receiver->new($tls);
my ($stack, $api) = stack($smtp->conf, $hook->conf, publish_per_hour => 1000);
my $app = "https://vitrine.localhost:$stack->{port}";
my ($ann, $ben, $cid, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben cid eve);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for qw(ann ben cid eve);
my $art = $api->publish($ann, name => 'Quarterly report', slug => 'report', visibility => 'private');
$api->call(POST => "/v1/artifacts/$art/collaborators",
	{ token => $ann->{token}, json => { emails => ['ben@example.org'], role => 'editor' } });
$api->call(POST => "/v1/artifacts/$art/collaborators",
	{ token => $ann->{token}, json => { emails => ['cid@example.org'], role => 'viewer' } });
my $jobs = "$app/a/$art/jobs";
my $b = Vitrine::Browser->new($stack, width => 1280, height => 900);
sub looks {
	my ($name, %o) = @_;
	is join('; ', $b->looks("jobs-$name")), '', "$name: no barrier, wide or narrow, by day or night";
	$b->cdp('Emulation.setDeviceMetricsOverride', width => 320, height => 800, deviceScaleFactor => 1,
		mobile => Cpanel::JSON::XS::false);
	is join('; ', grep { /wider/ } $b->barriers), '', '... nor on the narrowest';
	$b->cdp('Emulation.clearDeviceMetricsOverride');
	is join('; ', grep { /\Q$app\E/ && !/favicon/ && !($o{refused} && /40\d/) } $b->complaints), '',
		'... and the browser has no complaint';
}
sub choose { my ($css, $value) = @_; return $b->click("$css option[value='$value']") }
sub shown { my ($css) = @_; return $b->script('return document.querySelector(arguments[0]).checkVisibility()', $css) ? 1 : 0 }
sub value { my ($css) = @_; return $b->script('return document.querySelector(arguments[0]).value', $css) }
sub update { my ($text) = @_; $api->publish($ann, slug => 'report', name => 'Quarterly report', files => { 'index.html' => $text }); }
sub job { my ($title) = @_; return $stack->db->selectrow_hashref('SELECT * FROM job WHERE name = ?', undef, $title) }
$b->sign_in('ann@example.org', 'the password');

# ---- a mail each day

$b->go("$app/a/$art")->follow('Jobs');
$b->wait_text(qr/No jobs yet/);
looks('none');
$b->follow('New job');
$b->wait_text(qr/What should it do\?/);
looks('choose');
$b->follow('Send an e-mail');
$b->wait_text(qr/Subject/);
is value('#recipients'), 'ann@example.org', 'one writes to oneself at first';
is_deeply [map { shown(".on-$_") } qw(week month hour time cron zone)], [0, 0, 0, 1, 0, 1], 'what a daily time takes is asked for';
choose('#when', 'week');
is_deeply [map { shown(".on-$_") } qw(week month hour time cron zone)], [1, 0, 0, 1, 0, 1], '... a weekly one';
choose('#when', 'cron');
is_deeply [map { shown(".on-$_") } qw(week month hour time cron zone)], [0, 0, 0, 0, 1, 1], '... an expression';
choose('#when', 'comment.added');
is_deeply [map { shown(".on-$_") } qw(week month hour time cron zone)], [0, 0, 0, 0, 0, 0], '... and nothing of an event';
choose('#when', 'day');
looks('email');
$b->fill('#name', 'Report of the day')->fill('#recipients', 'ann@example.org, bea@example.org')->fill('#subject',
	'The figures of {{artifact.name}}')->fill('#body', "Good morning,\nhere they are.")->fill('#timezone', 'Europe/Nowhere');
$b->click('form button.primary');
$b->wait_text(qr/Must be an IANA time zone name/);
is value('#subject') . '|' . value('#recipients') . '|' . value('#at'),
	'The figures of {{artifact.name}}|ann@example.org, bea@example.org|07:00', 'what was typed stays';
looks('refused', refused => 1);
$b->fill('#timezone', 'Europe/Dublin')->click('form button.primary');
$b->wait_text(qr/Job created\./);
like $b->text('main'), qr/Every day at 07:00, Dublin/, 'its schedule in words';
like $b->text('main'), qr/E-mails ann\@example\.org and 1 other/, '... and what it does';
my $mail = job('Report of the day');
is "$mail->{schedule} $mail->{timezone} $mail->{trigger_type}", '0 7 * * * Europe/Dublin cron', 'so it is kept';
is_deeply decode_json($mail->{config}),
	{ recipients => ['ann@example.org', 'bea@example.org'], subject => 'The figures of {{artifact.name}}',
		body => "Good morning,\nhere they are.", includeArtifactLink => Cpanel::JSON::XS::true }, '... with what was typed';
looks('job');

# ---- a webhook on update

$b->cdp('Emulation.setTimezoneOverride', timezoneId => 'Asia/Tokyo');
$b->go("$jobs/new?action=webhook");
$b->wait_text(qr/Call a webhook/);
is value('#timezone'), 'Asia/Tokyo', 'the browser knows where one is';
looks('webhook');
$b->fill('#name', 'Tell the site')->fill('#url', $hook->url('/hook'))->fill('#headers',
	"Authorization: Bearer of-good-news\nX-Team no colon")->fill('#timezone', 'UTC');
choose('#when', 'artifact.updated');
$b->click('form button.primary');
$b->wait_text(qr/Line 2 has no colon/);
is value('#headers'), '', 'what may be secret is not shown again, even refused';
is value('#timezone'), 'UTC', '... and a zone that was typed is not changed';
is value('#url') . ' ' . value('#when'), $hook->url('/hook') . ' artifact.updated', '... and all else is';
$b->complaints;
$b->fill('#headers', 'Authorization: Bearer of-good-news')->click('form button.primary');
$b->wait_text(qr/Copy this webhook’s secret now/);
my ($secret) = $b->text('#secret') =~ /^(whsec_\S+)$/;
ok $secret, 'its secret is shown';
looks('secret');
my $web = job('Tell the site');
unlike $web->{config} . ($web->{secrets} // ''), qr/of-good-news|\Q$secret\E/, 'it is kept where nobody reads it';
$b->go("$jobs/$web->{id}");
unlike $b->text('main'), qr/whsec_/, '... and not shown again';
like $b->text('main'), qr/It sends Authorization\./, 'the names of its headers are';

# ---- both arrive

$stack->db->do('UPDATE job SET next_run_at = UNIX_TIMESTAMP() - 5 WHERE id = ?', undef, $mail->{id});
update('more');
is +($stack->runner)[0], 0, 'the runner, as cron calls it';
my @mails = grep { $_->{headers}{subject} =~ /figures/ } $smtp->mails;
is_deeply [sort map { @{$_->{envelope}{to}} } @mails], ['ann@example.org', 'bea@example.org'], 'the mail has come to both';
is $mails[0]{headers}{subject}, 'The figures of Quarterly report', '... about what it was to be';
like $mails[0]{raw}, qr/Good morning,/, '... with what was written';
my @calls = $hook->calls('/hook');
is scalar @calls, 1, 'the webhook has come once';
my ($call) = @calls;
is $call->{headers}{authorization}, 'Bearer of-good-news', '... with the header';
my $said = decode_json($call->{body});
is "$said->{type} $said->{data}{artifact}{id}", "artifact.updated $art", '... and says what has happened';
sub signed_by {
	my ($call, $secret) = @_;
	my $mac = hmac_sha256_base64(join('.', @{$call->{headers}}{qw(webhook-id webhook-timestamp)}, $call->{body}),
		decode_base64($secret =~ s/^whsec_//r));
	$mac .= '=' while length($mac) % 4;
	return !!grep { $_ eq "v1,$mac" } split / /, $call->{headers}{'webhook-signature'};
}
ok signed_by($call, $secret), '... signed by the secret that was shown';
my ($guide) = $api->call(GET => '/docs/jobs-and-webhooks')->{body} =~ /aria-label="Verifying without a library"><code>(.*?)<\/code>/s;
Vitrine::Stack::spew("$stack->{dir}/verify.py", Vitrine::Visitor::unescape_html($guide)
	. "\nimport json, sys\ncall = json.load(sys.stdin)\nprint(is_authentic(call['headers'], call['body'].encode(), sys.argv[1]))\n");
sub verified {
	my ($call, $secret) = @_;
	Vitrine::Stack::spew("$stack->{dir}/call", encode_json($call));
	return `python3 $stack->{dir}/verify.py $secret < $stack->{dir}/call` =~ s/\n//r;
}
is verified($call, $secret), 'True', '... as the guide checks it';
is verified({ %$call, body => "$call->{body} " }, $secret), 'False', '... and not what has been changed';
is verified({ %$call, headers => { %{$call->{headers}}, 'webhook-timestamp' => time - 400 } }, $secret), 'False', '... or is old';
$b->go("$app/a/$art")->follow('Jobs');
$b->wait_text(qr/Succeeded.*Succeeded/s);
like $b->text('main'), qr/When a version goes live/, 'both stand in the list';
looks('list');

# ---- one that fails is seen failing, and made good

$hook->answer('/hook', 500, '{"error":"out of <order>"}', 'Content-Type: application/json');
$b->go("$jobs/$web->{id}")->fill('#max_attempts', '1')->click('form.body button');
$b->wait_text(qr/Saved\./);
is job('Tell the site')->{max_attempts}, 1, 'a change is kept';
update('still more');
$stack->runner;
is $hook->calls('/hook'), 2, 'it was called';
is +($hook->calls('/hook'))[1]{headers}{authorization}, 'Bearer of-good-news', '... with the header, though the form did not have it';
$b->go($jobs);
$b->wait_text(qr/Failing/);
like $b->text('main'), qr/Failed once\./, 'the list says so';
looks('failing');
choose('#outcome', 'failed');
$b->wait_text(qr/Failed/);
Vitrine::Stack::wait_for('the filter', 60, sub { $b->url =~ /outcome=failed/ });
is $b->script('return document.querySelectorAll("#runs tbody tr").length'), 1, 'the filter sends itself, and shows that one';
$b->follow('Details');
$b->wait_text(qr/Attempt 1/);
like $b->text('main'), qr/HTTP 500.*The server answered 500.*out of <order>/s, 'the attempt, with the reply as it came';
looks('run');
$hook->answer('/hook', 200, 'thank you');
$b->click('form[action$="/redeliver"] button');
$b->wait_text(qr/was started again/);
$stack->runner;
$b->wait_text(qr/Succeeded/);
my ($failed, $again) = ($hook->calls('/hook'))[1, 2];
is $again->{headers}{'webhook-id'}, $failed->{headers}{'webhook-id'}, 'redelivered under the same id';
is $again->{body}, $failed->{body}, '... with the same words';
like $b->text('main'), qr/Attempt 2.*thank you.*Attempt 1/s, 'the page follows by itself, and shows both attempts';
looks('redelivered');
$b->go($jobs);
unlike $b->text('main'), qr/Failing/, 'and the job is well again';

# ---- run now, pause, resume

$b->go("$jobs/$web->{id}")->click('form[action$="/run"] button');
$b->wait_text(qr/Run started\. Its schedule hasn’t changed.*Succeeded/s);
is decode_json(($hook->calls('/hook'))[3]{body})->{type}, 'job.run', 'run now calls it at once';
$b->go($jobs)->click("form[action\$='$web->{id}/list/enabled'] button");
$b->wait_text(qr/It doesn’t run until you resume it/);
looks('paused');
update('unheard');
$stack->runner;
is $hook->calls('/hook'), 4, 'what is paused is not called';
$b->click("form[action\$='$web->{id}/list/enabled'] button");
$b->wait_text(qr/Resumed/);
update('heard');
$stack->runner;
is $hook->calls('/hook'), 5, 'what is resumed is';

# ---- another secret

$b->go("$jobs/$web->{id}")->click('form[action$="/rotate"] button');
$b->wait_text(qr/Copy this webhook’s secret/);
my ($new) = $b->text('#secret') =~ /^(whsec_\S+)$/;
isnt $new, $secret, 'another secret';
$b->go("$jobs/$web->{id}")->click('form[action$="/run"] button');
$b->wait_text(qr/Succeeded/);
ok signed_by(($hook->calls('/hook'))[5], $_), '... both sign for a day' for $secret, $new;

# ---- a change of when and what

$b->go("$jobs/$mail->{id}");
choose('#when', 'week');
choose('#weekday', 3);
$b->script('document.querySelector("#at").value = "18:30"');
$b->fill('#timezone', 'America/New_York')->fill('#recipients', 'bea@example.org')->click('[name=include_link]')->click('form.body button');
$b->wait_text(qr/Saved\..*Every Wednesday at 18:30, New York/s);
$mail = job('Report of the day');
is "$mail->{schedule} $mail->{timezone}", '30 18 * * 3 America/New_York', 'so it is kept';
is_deeply [@{decode_json($mail->{config})}{qw(recipients includeArtifactLink)}], [['bea@example.org'], Cpanel::JSON::XS::false],
	'... and what was unchecked is off';
is value('#when') . value('#weekday') . value('#at'), 'week318:30', 'the form shows it';
choose('#when', 'cron');
$b->fill('#schedule', '*/7 * * * *')->click('form.body button');
$b->wait_text(qr/Saved\..*\*\/7 \* \* \* \*, New York/s);
is value('#when') . value('#schedule'), 'cron*/7 * * * *', 'an expression of its own is told as it stands';
like $b->text('aside'), qr/in (?:\d minutes?|a moment)/, 'the next run is told from now on';
$b->fill('#schedule', 'never')->click('form.body button');
$b->wait_text(qr/Minute "never" must consist of/);
is value('#schedule'), 'never', 'what can not be one is shown beside its field';
$b->complaints;

# ---- the other actions have their forms, too

for (['chat_a', qr/Post to Slack/], ['chat_b', qr/Post to Discord/], ['http_get', qr/Fetch a URL/], ['materialize', qr/Load data/]) {
	$b->go("$jobs/new?action=$_->[0]");
	$b->wait_text($_->[1]);
	looks($_->[0]) if $_->[0] ne 'chat_b';
}
$b->go("$jobs/new?action=chat_a")->fill('#name', 'Chat')->fill('#webhook_url', $hook->url('/chat/very-secret'))->fill('#text',
	'{{artifact.name}} is new')->click('form button.primary');
$b->wait_text(qr/Posts to localhost/);
unlike $b->script('return document.documentElement.outerHTML'), qr/very-secret/, 'the address of a chat is shown to nobody';
$b->fill('#text', 'Look: {{artifact.url}}')->click('form.body button');
$b->wait_text(qr/Saved\./);
$b->click('form[action$="/run"] button');
$b->wait_text(qr/Succeeded/);
is decode_json(($hook->calls('/chat/very-secret'))[0]{body})->{text}, "Look: https://report.pages.localhost:$stack->{port}/",
	'... and stays when it is left out';
$hook->answer('/figures', 200, '{"figures":[1,2,3]}', 'Content-Type: application/json');
$b->go("$jobs/new?action=http_get")->fill('#name', 'Figures')->fill('#url', $hook->url('/figures'))->click('form button.primary');
$b->wait_text(qr/Fetches localhost:\d+\/figures into the document/);
$b->click('form[action$="/run"] button');
$b->wait_text(qr/Succeeded/);
is_deeply $api->call(GET => "/v1/data/$art/json", { token => $ann->{token} })->{json}{data}, { figures => [1, 2, 3] },
	'what is fetched is the document';
$hook->answer('/ledger.csv', 200, "day,amount\n1,20\n2,30\n", 'Content-Type: text/csv');
$b->go("$jobs/new?action=materialize")->fill('#name', 'Ledger')->fill('#url', $hook->url('/ledger.csv'))->fill('#save_name',
	'ledger')->click('form button.primary');
$b->wait_text(qr/Loads localhost:\d+\/ledger\.csv into the table ledger/);
is value('#save_to') . ' ' . value('#save_name') . ' ' . value('#mode'), 'table ledger replace', 'its form shows where to';
$b->click('form[action$="/run"] button');
$b->wait_text(qr/Succeeded/);
is scalar @{$api->call(GET => "/v1/data/$art/tables/ledger/rows", { token => $ann->{token} })->{json}{rows}}, 2, 'what is loaded are rows';
$b->go($jobs);
$b->wait_text(qr/Ledger/);
looks('all');

# ---- history in pages

my ($one) = $stack->db->selectrow_array('SELECT id FROM job_run WHERE job_id = ? LIMIT 1', undef, $web->{id});
$b->go("$jobs/$mail->{id}/runs/$one");
$b->wait_text(qr/Page not found|isn’t/);
pass 'a run is of its own job alone';
$b->complaints;
$b->go("$jobs?job=$web->{id}");
$b->wait_text(qr/Run history/);
is $b->script('return document.querySelector("#job").value'), $web->{id}, 'the runs of one job';

$stack->db->do("INSERT INTO job_run (id, job_id, artifact_id, occasion, cause, status, lane, turn, scheduled_for, attempt, started_at, "
	. "finished_at, duration_ms, http_status)"
	. " SELECT CONCAT('run_00', LPAD(seq, 24, '0')), ?, ?, seq, 'event', IF(seq % 10, 'success', 'skipped'), 1, 0, seq, 1, seq, seq, "
	. "12, 204 FROM seq_1_to_60", undef, $web->{id}, $art);
sub rows {
	return $b
		->script('return [...document.querySelectorAll("#runs tbody tr")].map(r => r.querySelector("a").href.slice(-26)).join(" ")')
}
for my $from ($jobs, "$jobs?job=$web->{id}", "$jobs/$web->{id}", "$jobs?outcome=success") {
	my @seen;
	for ($b->go($from); ; $b->follow('Older')) {
		push @seen, split / /, rows();
		last if !$b->script('return document.querySelectorAll("a[rel=next]").length');
	}
	my ($where, @what) = $from =~ /outcome/ ? ("artifact_id = ? AND status = 'success'", $art) : $from eq $jobs
		? ('artifact_id = ?', $art) : ('job_id = ?', $web->{id});
	is_deeply \@seen, $stack->db->selectcol_arrayref("SELECT SUBSTRING(id, 5) FROM job_run WHERE $where ORDER BY id DESC",
		undef, @what), "each run once, the newest first, from one page to the next: $from";
}
$b->go("$jobs?outcome=skipped");
$b->wait_text(qr/Skipped/);
is scalar(split / /, rows()), 6, 'those of one outcome';
$b->go("$jobs?job=$mail->{id}&outcome=failed");
$b->wait_text(qr/No runs match\./);

# ---- who may

for ([ben => 200], [cid => 403], [eve => 404]) {
	my $v = Vitrine::Visitor->new($api);
	$v->sign_in("$_->[0]\@example.org", 'the password');
	is $v->go("/a/$art/jobs")->{status}, $_->[1], "$_->[0] sees " . ($_->[1] == 200 ? 'the jobs' : 'none of them');
	is $v->go("/a/$art/jobs/$web->{id}")->{status}, $_->[1], '... nor one' if $_->[1] != 200;
	is $v->send(POST => "/a/$art/jobs/$web->{id}/run", body => '',
			headers => { 'Content-Type' => 'application/x-www-form-urlencoded' })->{status}, $_->[1], '... nor runs one'
		if $_->[1] != 200;
	is(($v->go("/a/$art")->{text} =~ m{/jobs"} ? 'a tab' : 'no tab'), 'no tab', '... nor the tab') if $_->[0] eq 'cid';
}

# ---- without a script

my $v = Vitrine::Visitor->new($api);
$v->sign_in('ann@example.org', 'the password');
my $form = { 'Content-Type' => 'application/x-www-form-urlencoded' };
my $r = $v->send(POST => "/a/$art/jobs", body => 'action=webhook&name=Bare&url=' . Vitrine::Visitor::escape($hook->url('/bare'))
	. '&when=hour&minute=5&timezone=UTC&at=07%3A00&weekday=1&day=1&schedule=&headers=&payload=&max_attempts=3&initial_delay=60'
	. '&backoff=fixed', headers => $form);
is $r->{status}, 200, 'all that a browser sends of the form makes a job';
like $r->{text}, qr/whsec_/, '... and shows the secret';
is job('Bare')->{schedule}, '5 * * * *', '... as it was chosen';
my $bare = job('Bare')->{id};
sub save {
	return $v->send(POST => "/a/$art/jobs/$bare", body => join('&',
			'action=email&name=Bare&when=hour&minute=5&timezone=UTC&max_attempts=3&initial_delay=60&backoff=fixed', @_),
		headers => $form);
}
is save('url=' . Vitrine::Visitor::escape($hook->url('/other')), 'headers=X-Key%3A+of+two%0D%0AX-Other%3A+a%3Ab')->{status}, 303,
	'it is changed, whatever action the form says';
is_deeply decode_json(job('Bare')->{config}), { url => $hook->url('/other'), header_names => ['X-Key', 'X-Other'] },
	'... of the address and the headers';
$r = save('url=https%3A%2F%2Fexample.org%2F');
is $r->{status}, 400, 'what is secret goes to no other host';
like $r->{text}, qr/<input[^>]* name="url"[^>]*aria-invalid="true"|<textarea[^>]* name="headers"[^>]*aria-invalid="true"/,
	'... and that stands beside a field';
is save('url=' . Vitrine::Visitor::escape($hook->url('/bare')), 'headers_gone=1')->{status}, 303, 'headers are forgotten';
is_deeply decode_json(job('Bare')->{config})->{header_names}, [], '... when one says so';
is save('url=' . Vitrine::Visitor::escape($hook->url('/bare')), 'payload=%7B%22a%22%3A+1.50%7D')->{status}, 303, 'a body of its own';
is decode_json(job('Bare')->{config})->{payload}{a}, 1.5, '... is kept';
like job('Bare')->{config}, qr/1\.50/, '... as it was written';
$r = save('url=https%3A%2F%2Fexample.org%2F', 'payload=%7B');
like $r->{text}, qr/<textarea[^>]* name="payload"[^>]*aria-invalid="true"/, 'one that is no JSON is told beside it';
is $v->send(POST => "/a/$art/jobs", body => 'action=webhook&name=Planted&url=https%3A%2F%2Fexample.org&when=hour',
	headers => { %$form, 'Sec-Fetch-Site' => 'cross-site' })->{status}, 403, 'and no other site makes one';

# ---- it goes

$b->go("$jobs/$web->{id}")->follow('Delete');
$b->wait_text(qr/Delete the job Tell the site\?/);
looks('delete');
$b->click('button.danger');
$b->wait_text(qr/Deleted\./);
unlike $b->text('main'), qr/Tell the site/, 'it has gone, and its runs';
finish($stack);
