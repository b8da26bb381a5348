# SPDX-License-Identifier: Apache-2.0
# A workspace's runs in the browser, for its admins: what there is when nothing ran; the list with its filters, its chart and its bulk acts;
# what failing jobs have in common; schedules and automations; one run; who is told. Others get nothing, no page shows a secret, and each is
# looked at in both widths and themes.
use utf8;
use Vitrine::Browser;
use Vitrine::Jobs;
use Vitrine::Receiver;
use Vitrine::Smtp;
use Vitrine::Visitor;
use Vitrine::Words 'as';

my $tls = "$ENV{VITRINE_VAR}/tls-test";
my ($smtp, $hook) = (Vitrine::Smtp->new, Vitrine::Receiver->new($tls));
my ($stack, $api, $db) = stack($smtp->conf, $hook->conf, publish_per_hour => 1000, job_runs_asked_per_minute => 1000);
my $app = "https://vitrine.localhost:$stack->{port}";
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben cid eve);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for keys %user;
$db->do("UPDATE user SET name = 'Ben <i>Okafor</i>' WHERE id = ?", undef, $user{ben}{id});
my $ws = as('ann', POST => '/v1/workspaces', { name => 'Northwind Studio' })->{json}{workspace}{id};
my $theirs = as('eve', POST => '/v1/workspaces', { name => 'Elsewhere' })->{json}{workspace}{id};
$stack->seat($ws, $user{ben}, 'member');
$stack->seat($ws, $user{cid}, 'admin');
sub artifact {
	my ($who, $ws, $name) = @_;
	return as($who, POST => '/v1/publish', { name => $name, workspace_id => $ws, visibility => 'private',
		files => [{ path => 'index.html', content => 'S' }] })->{json}{artifact}{id};
}
my ($sales, $map) = map { artifact('ben', $ws, $_) } 'Sales dashboard', 'Store map';
my $runs = "$app/w/$ws/runs";

my $b = Vitrine::Browser->new($stack, width => 1280, height => 900);
$b->sign_in('cid@example.org', 'the password');
my $pages = 0;
sub looks {
	my ($name, %o) = @_;
	is join('; ', $b->looks(sprintf 'runs-%02d-%s', ++$pages, $name =~ s/\W+/-/gr)), '',
		"$name: no barrier, wide or narrow, by day or night";
	for my $width (360, 320) {
		$b->cdp('Emulation.setDeviceMetricsOverride', width => $width, height => 800, deviceScaleFactor => 1,
			mobile => Cpanel::JSON::XS::false);
		is join('; ', grep { /wider/ } $b->barriers), '', "... nor at $width pixels";
	}
	$b->cdp('Emulation.clearDeviceMetricsOverride');
	is join('; ', grep { /\Q$app\E/ && !/favicon/ && !($o{refused} && /40\d/) } $b->complaints), '',
		'... and the browser has no complaint';
}
sub lines {
	return join "\n", map { s/\s+/ /gr =~ s/^ | $//gr }
		@{$b->script('return [...document.querySelectorAll(arguments[0])].map(e => e.innerText)', $_[0] // '.things tbody tr')};
}
sub choose { my ($css, $value) = @_; return $b->click("$css option[value='$value']") }

# ---- before anything ran

$b->go("$app/w/$ws")->follow('Runs')->wait_text(qr/Nothing has run yet.*Create jobs on an artifact’s Jobs tab/s);
is $b->text('nav[aria-label=Main] [aria-current]'), 'Runs', 'it is a place of the workspace';
looks('nothing ran');
$b->follow('Schedules')->wait_text(qr/No schedules yet.*across all artifacts of Northwind Studio/s);
looks('no schedules');
$b->follow('Automations')->wait_text(qr/No automations yet/);
looks('no automations');

# ---- what runs

my ($j, $k) = map { Vitrine::Jobs->new(stack => $stack, api => $api, user => $user{ben}, art => $_) } $sales, $map;
$hook->answer('/orders' => 500, 'permission denied for table <b>orders</b>');
$hook->answer('/stock' => 500, 'no');
$hook->answer('/rates' => 200, '{"EUR": 1.1}', 'Content-Type: application/json');
$hook->answer('/sales' => 503, 'upstream connect error', 'Retry-After: 1200');
my %job = (
	orders => $j->made('webhook', { url => $hook->url('/orders'), headers => { Authorization => 'Bearer of-the-orders' } },
		name => 'Copy orders', schedule => '0 7 * * *', timezone => 'Europe/Stockholm'),
	stock => $k->made('webhook', { url => $hook->url('/stock') }, name => 'Copy <b>stock</b>', schedule => '0 2 * * *'),
	rates => $j->made('http_get', { url => $hook->url('/rates'), headers => { 'X-Key' => 'key-of-the-rates' } },
		schedule => '0 6 * * mon-fri'),
	sales => $j->made('webhook', { url => $hook->url('/sales') }, name => 'Tell sales', event_type => 'artifact.updated',
		retry_config => { maxAttempts => 5, backoffType => 'fixed', initialDelay => 600 }),
);
my $alone = Vitrine::Jobs->new(stack => $stack, api => $api, user => $user{eve},
	art => artifact('eve', $theirs, 'Elsewhere'))->made('webhook', { url => $hook->url('/rates') }, name => 'Of another workspace');
for (1 .. 2) { $j->due($job{$_}) for qw(orders stock rates); $stack->runner }
as('ben', POST => '/v1/publish', { name => 'Sales dashboard', artifact_id => $sales, files => [{ path => 'index.html', content => 'T' }] });
$stack->runner;
# What ended a minute ago is counted; before, there were days.
$db->do('UPDATE job_run SET finished_at = finished_at - 120 WHERE finished_at IS NOT NULL');
$db->do("INSERT INTO run_day SELECT ?, UNIX_TIMESTAMP() DIV 86400 - seq, 'schedule', 60 + seq * 7 % 13, seq % 9 = 0, 2, "
	. "60 * (400 + seq * 37 % 250), 4000 + seq FROM seq_2_to_29", undef, $ws);
$stack->runner;

# ---- the list

$b->go($runs)->wait_text(qr/Copy orders/);
my @lines = split /\n/, lines();
is scalar @lines, 7, 'all that ran here, and nothing of another workspace' or diag join "\n", @lines;
is scalar(grep { /^Failed Copy orders in Sales dashboard just now [\d.]+ m?s .*500/ } @lines), 2,
	'what failed, with the words of the other side' or diag join "\n", @lines;
is scalar(grep { /^Failed Copy <b>stock<\/b> in Store map/ } @lines), 2, 'names are text';
is scalar(grep { /^Succeeded Fetch a URL|^Succeeded \S.* in Sales dashboard .*HTTP 200/ } @lines), 2,
	'what succeeded, by what it does where it has no name' or diag join "\n", @lines;
is scalar(grep { /^Retrying Tell sales in Sales dashboard .*503.*\(next attempt in \d+ minutes\)/ } @lines), 1,
	'what is tried again, and when' or diag join "\n", @lines;
like $b->text('.notice.bad'), qr/Calls to localhost\S* fail\. It affects 2 jobs and 4 runs so far\./, 'what they have in common';
looks('the list');
$b->click('.more summary');
like lines('.more tbody tr'), qr/^\w+ \d+, \d{4} 2 4 0 [\d.]+ m?s [\d.]+ m?s$/m, 'the figures of the days as a table';
is $b->script('return document.querySelectorAll(".more tbody tr").length'), 30, '... of thirty days';
like $b->script('return document.querySelector(".chart").getAttribute("aria-label")'),
	qr/^Runs a day by outcome, \w+ \d+ to \w+ \d+: 1,\d\d\d succeeded, 7 failed, 56 skipped; most on \w+ \d+, 7\d$/,
	'... and as a sentence';
looks('its figures');

# ---- filters

sub found { $b->go("$runs?$_[0]"); return join ' ', sort split /\n/, lines('.things td.lead a') }
is found('surface=automation'), 'Tell sales', 'by kind';
is found('surface=schedule&status=success&action=http_get'),
	join(' ', ($b->script('return document.querySelector(".things td.lead a").textContent')) x 2), '... outcome and action';
is found('status=retrying'), 'Tell sales', '... what is tried again';
is found('status=failed&action=email'), '', '... all together';
like $b->text('main'), qr/Nothing matches.*No run of the last 30 days matches your filters/s, '... which may be none';
looks('none matches');
is found('q=orders'), 'Copy orders Copy orders', 'by a part of the job’s name';
like $b->text('main'), qr/Only Copy orders in Sales dashboard · Show all jobs/, '... which is said';
is found("job=$job{orders}{id}&status=success"), '', '... with the others';
is found('q=store'), 'Copy <b>stock</b> Copy <b>stock</b>', 'by the artifact’s';
$b->go("$runs?q=sales")->wait_text(qr/Runs of which job\?.*Copy orders/s);
looks('which job');
$b->click("main a.name[href*='$job{orders}{id}']")->wait_text(qr/Only Copy orders/);
like $b->go("$runs?q=%3Cscript%3E")->text('main'), qr/Nothing matches “<script>”/, 'what nothing has in its name';
is found('from=2099-01-01'), '', 'by the day';
is scalar(split / T/, found('from=2000-01-01')), 2, '... from which on';
is found('surface=x&status=y&action=z&job=job_x&from=yesterday'), join(' ', sort map { s/^\S+ (.*?) in .*/$1/r } @lines),
	'what is no choice is none';
$b->go($runs);
choose('#status', 'failed');
Vitrine::Stack::wait_for('the list', 60, sub { $b->url =~ /status=failed/ });
is $b->script('return document.getElementById("status").value'), 'failed', 'the form says what is asked for';

# ---- several at once

my $v = Vitrine::Visitor->new($api);
$v->sign_in('cid@example.org', 'the password');
my $form = { 'Content-Type' => 'application/x-www-form-urlencoded' };
sub sent { my ($path, $body, $who) = @_; return ($who // $v)->send(POST => "/w/$ws/runs$path", body => $body, headers => $form) }
sub enabled {
	return join ' ', map { $db->selectrow_array('SELECT enabled FROM job WHERE id = ?', undef, $job{$_}{id}) } qw(orders stock
		rates sales);
}
$b->click('main button[value=again]')->wait_text(qr/Select runs first/);
my @failed = @{$db->selectcol_arrayref("SELECT id FROM job_run WHERE status = 'failed' ORDER BY id")};
$b->click('.pick-row')->click('main button[value=again]')->wait_text(qr/None of these runs has finished yet/);
$b->go("$runs?status=failed")->click('.pick-row')->click('main button[value=again]')->wait_text(qr/Finished runs were started again/);
is $db->selectrow_array("SELECT COUNT(*) FROM job_run WHERE status = 'queued'"), 1, 'one is to be made again';
$stack->runner;
$b->go("$runs?status=success")->click('.pick-row')->click('main button[value=pause]')
	->wait_text(qr/Paused\. They don’t run until you resume them\./);
is enabled(), '1 1 0 1', 'the job of one is paused';
$b->click('.notice.bad button')->wait_text(qr/Paused\. They don’t run/);
is enabled(), '0 0 0 1', '... and those that have a server in common, at once';
is $b->script('return document.querySelectorAll(".notice.bad").length'), 0, '... which is no news any more';
is sent('/selected', 'act=again')->{headers}{location}, "/w/$ws/runs?done=no_runs_chosen", 'none is none';
is sent('/selected', "act=$_->[0]&run=$_->[1]")->{status}, $_->[2], "$_->[0] $_->[1]"
	for ['stop', $failed[0], 400], ['again', 'run_x', 400], ['pause', 'run_00000000000000000000000000', 404];
is sent('/pause', 'job=job_x')->{status}, 400, 'no such job';
$db->do('UPDATE job SET enabled = 1 WHERE id = ?', undef, $alone->{id});
sent('/pause', "job=$alone->{id}");
is $db->selectrow_array('SELECT enabled FROM job WHERE id = ?', undef, $alone->{id}), 1, 'a job elsewhere is left alone';

# ---- schedules

$b->go("$runs/schedules")->wait_text(qr/Copy orders/);
my @jobs = split /\n/, lines('.rows > li');
is scalar @jobs, 3, 'all schedules' or diag join "\n", @jobs;
like $jobs[0],
	qr/^\S*\s?Copy orders.*Paused.* Sales dashboard · Ben <i>Okafor<\/i> · Every day at 07:00, Stockholm .*24 h: 0 succeeded, [23] failed Run now/,
	'each with whose it is, when, and how it went' or diag $jobs[0];
looks('schedules');
choose('#state', 'paused');
Vitrine::Stack::wait_for('the list', 60, sub { $b->url =~ /state=paused/ });
is scalar(split /\n/, lines('.rows > li')), 3, 'those that are paused';
$b->click("form[action\$='$job{orders}{id}/list/enabled'] button")->wait_text(qr/Resumed\. It runs again\./);
is enabled(), '1 0 0 1', 'one is resumed';
$b->go("$runs/schedules?state=failing");
is scalar(split /\n/, lines('.rows > li')), 1, 'what fails';
like lines('.rows > li'), qr/Copy orders Failing.* · next (?:in|tomorrow|\w+ \d)/, '... runs next';
$b->go("$runs/schedules?q=store");
like lines('.rows > li'), qr/^\S*\s?Copy <b>stock<\/b>/, 'by the artifact';
$b->go("$runs/schedules?q=xyzzy")->wait_text(qr/Nothing matches.*Show all/s);
looks('no schedule matches');

# ---- one job

$b->go("$runs/schedules")->follow('Copy orders')->wait_text(qr/Edit job/);
like $b->text('aside'), qr/Sales dashboard.*Calls localhost.*Every day at 07:00, Stockholm.*0 7 \* \* \*.*Ben <i>Okafor<\/i>/s,
	'what is known of it';
like $b->text('main'), qr/It sends Authorization\./, '... and of its headers the names';
looks('a job');
$b->fill('#url', 'http://localhost/')->click('#edit button.button');
Vitrine::Stack::wait_for('a refusal', 60, sub { $b->script('return document.querySelector("#edit [aria-invalid]") !== null') });
like $b->text('#edit .error'), qr/header/i, 'what is secret goes to no other host, and that stands beside a field';
looks('a job refused', refused => 1);
$b->go("$runs/schedules/$job{orders}{id}");
choose('#when', 'hour');
$hook->answer('/orders' => 200, '');
$b->fill('#minute', '5')->click('#edit button.button')->wait_text(qr/Saved\./);
is join(' ', $db->selectrow_array('SELECT schedule, name, max_attempts FROM job WHERE id = ?', undef, $job{orders}{id})),
	'5 * * * * Copy orders 1', 'its schedule is another, and what the form does not ask for stays';
$b->click('main form[action$="/run"] button')->wait_text(qr/Run of Copy orders\s+Succeeded/);
is((grep { $_->{headers}{authorization} && $_->{headers}{authorization} eq 'Bearer of-the-orders' } $hook->calls('/orders'))[-1] ? 1 : 0, 1,
	'run now, with the headers that nobody was shown');
looks('a run that succeeded');
$b->click('main form[action$="/enabled"] button')->wait_text(qr/Paused\. It doesn’t run/);
like $b->url, qr{/schedules/$job{orders}{id}}, 'paused from its run, the job is shown';

# ---- automations

$b->go("$runs/automations")->follow('Tell sales')->wait_text(qr/When a version goes live/);
is $b->script('return document.getElementById("when")'), undef, 'what an automation waits for is not asked';
looks('an automation');
is $v->send(GET => "/w/$ws/runs/schedules/$job{sales}{id}")->{status}, 404, '... and it is no schedule';
is $v->send(GET => "/w/$ws/runs/automations/$job{orders}{id}")->{status}, 404, '... nor the other way round';

# ---- one run

$b->go("$runs?status=retrying")->follow('Tell sales')->wait_text(qr/Run of Tell sales/);
like $b->text('main'), qr/503.*The next attempt follows in \d+ minutes by itself\..*Attempt 1.*HTTP 503.*upstream connect error/s,
	'what goes on, and what was answered';
looks('a run that is tried again');
my ($retrying) = $b->url =~ /(run_\w+)/;
$b->click('main form[action$="/stop"] button')
	->wait_text(qr/Failed.*Stopped\. It won’t be retried\..*It failed\. The server answered 503\./s);
is join(' ', map { $_ // 'none' } $db->selectrow_array('SELECT r.status, r.due_at, r.ready, j.last_status, j.failures FROM job_run r '
		. 'JOIN job j ON j.id = r.job_id WHERE r.id = ?', undef, $retrying)), 'failed none none failed 1',
	'it waits no longer, and its job has failed';
is sent("/$retrying/stop", '')->{status}, 409, '... which is not stopped again';
is sent('/run_00000000000000000000000000/stop', '')->{status}, 404, '... nor one that there is not';
$b->go("$runs/$failed[0]")->wait_text(qr/It failed\./);
like $b->text('main'), qr/permission denied for table <b>orders<\/b>|no/, 'the reply is text';
like $b->script('return document.querySelector(".chart-dots").getAttribute("aria-label")'),
	qr/^Of the last \d, \d succeeded and \d failed$/, 'how it went before, as a sentence';
looks('a run that failed');
$b->click('main form[action$="/again"] button')->wait_text(qr/Waiting.*The run was started again, with the same ID\./s);
$stack->runner;
is sent("/$failed[0]/again", '')->{status}, 303, 'once more';
is sent("/$failed[0]/again", '')->{status}, 409, 'what is not over is not run again';
like $v->{page}{text}, qr/hasn’t ended yet/, '... and why stands on its page';
$stack->runner;

# ---- who is told

$b->go($runs)->wait_text(qr/Only the person who set up a job is notified of failures/);
$b->follow('Change')->wait_text(qr/Who is notified when a job fails/);
looks('nobody is told');
$b->fill('#email', 'eve@example.org')->click('main form.body button');
Vitrine::Stack::wait_for('a refusal', 60, sub { $b->script('return document.getElementById("email-error") !== null') });
like $b->text('#email-error'), qr/^Eve\@example\.org isn’t a member of this workspace|^eve\@example\.org isn’t a member/i,
	'who is no member is refused beside the field';
$b->complaints;
$b->fill('#email', 'cid@example.org')->click('main form.body button')->wait_text(qr/Added\..*cid\@example\.org/s);
$b->fill('#email', 'BEN@example.org')->click('main form.body button')->wait_text(qr/Added\..*Ben <i>Okafor<\/i>/s);
looks('who is told');
$b->go($runs)->wait_text(qr/Notified of failures: (?:cid\@example\.org and ben|ben\@example\.org and cid)\@example\.org/);
$b->follow('Change')->click(".rows form[action*='$user{ben}{id}'] button")->wait_text(qr/Removed\. They no longer get these e-mails\./);
is join(' ', @{$db->selectcol_arrayref('SELECT user_id FROM run_notice')}), $user{cid}{id}, 'one is left';

# ---- what others get, and what nobody does

my %v = map { my $o = Vitrine::Visitor->new($api); $o->sign_in("$_\@example.org", 'the password'); ($_ => $o) } qw(ann ben eve);
my @pages = ('', '?status=failed', '/told', '/schedules', '/automations', "/schedules/$job{orders}{id}", "/automations/$job{sales}{id}",
	"/schedules/$job{rates}{id}",
	map { "/$_" } @{$db->selectcol_arrayref('SELECT id FROM job_run WHERE workspace_id = ?', undef, $ws)});
for my $page (@pages) {
	is join(' ', map { $v{$_}->send(GET => "/w/$ws/runs$page")->{status} } qw(ann ben eve)), '200 403 404',
		'an owner, a member, a stranger: /runs' . ($page =~ s/_\w+/…/gr);
	unlike $v{ann}->send(GET => "/w/$ws/runs$page")->{body}, qr/of-the-orders|key-of-the-rates|whsec_/, '... and no secret';
}
is $v{eve}->send(GET => "/w/$theirs/runs/$_")->{status}, 404, "a neighbor has no such thing: $_" =~ s/_\w+/…/r
	for $failed[0], "schedules/$job{orders}{id}", "automations/$job{sales}{id}";
is sent(@$_, $v{ben})->{status}, 403, "a member is refused: $_->[0]" =~ s/_\w+/…/gr
	for ['/selected', "act=again&run=$failed[0]"], ['/pause', "job=$job{orders}{id}"], ["/$failed[0]/again", ''],
	["/$failed[0]/stop", ''], ['/told', 'email=ben@example.org'], ["/told/$user{cid}{id}/remove", ''],
	["/schedules/$job{orders}{id}", 'action=webhook&url=https%3A%2F%2Fexample.org%2F'], ["/schedules/$job{orders}{id}/run", ''],
	["/schedules/$job{orders}{id}/enabled", 'enabled=1'], ["/automations/$job{sales}{id}/list/enabled", 'enabled=0'];
is sent('/pause', "job=$job{orders}{id}", $v{eve})->{status}, 404, 'a stranger learns nothing';
unlike $v{ben}->send(GET => "/w/$ws")->{text}, qr{/w/$ws/runs}, 'a member is not led there';
finish($stack);
