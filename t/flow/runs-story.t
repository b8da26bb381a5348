# SPDX-License-Identifier: Apache-2.0
# A nightly job breaks, since a server has moved its file. An admin, who has no role on the artifact, is told by e-mail, and mends the job
# from the pages of the workspace's runs alone: what failed, why, the address, once by hand, and it works again; once more without scripts,
# for the recipients of an e-mail.
use utf8;
use Vitrine::Browser;
use Vitrine::Jobs;
use Vitrine::Receiver;
use Vitrine::Smtp;
use Vitrine::Visitor;
use Vitrine::Words 'as';

my $tls = "$ENV{VITRINE_VAR}/tls-test";
my ($smtp, $shop) = (Vitrine::Smtp->new, Vitrine::Receiver->new($tls));
my ($stack, $api, $db) = stack($smtp->conf, $shop->conf, publish_per_hour => 1000);
my $app = "https://vitrine.localhost:$stack->{port}";
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben cid);
$stack->ctl_in("the password\n", qw(user password), 'cid@example.org');
my $ws = as('ann', POST => '/v1/workspaces', { name => 'Northwind Studio' })->{json}{workspace}{id};
$stack->seat($ws, $user{ben}, 'member');
$stack->seat($ws, $user{cid}, 'admin');
my $art = as('ben', POST => '/v1/publish', { name => 'Sales dashboard', slug => 'sales', workspace_id => $ws, visibility => 'private',
	files => [{ path => 'index.html', content => 'S' }] })->{json}{artifact}{id};
my $jobs = Vitrine::Jobs->new(stack => $stack, api => $api, user => $user{ben}, art => $art);
sub rows { return $jobs->call(GET => "/v1/data/$art/tables/orders/rows")->{json}{rows} // [] }
sub told { return map { $_->{headers}{subject} } grep { "@{$_->{envelope}{to}}" eq 'cid@example.org' } $smtp->mails }

# ---- nights that were fine

$shop->answer('/export/orders.csv' => 200, "no,city\n1,Oslo\n", 'Content-Type: text/csv');
$shop->answer('/orders.csv' => 200, "no,city\n1,Oslo\n2,Bergen\n", 'Content-Type: text/csv');
my $job = $jobs->made('materialize', { source => { url => $shop->url('/export/orders.csv'),
	headers => { Authorization => 'Bearer of-the-shop' } }, target => { table => 'orders' }, mode => 'replace' }, name => 'Copy orders',
	schedule => '0 2 * * *', timezone => 'Europe/Oslo');
$jobs->succeeds($job, 'a night');
is scalar @{rows()}, 1, 'the table has what there was';

# ---- who is told

my $cid = Vitrine::Browser->new($stack, width => 1280, height => 900);
$cid->sign_in('cid@example.org', 'the password');
$cid->go("$app/a/$art/jobs");
unlike $cid->text, qr/Copy orders/, 'the artifact’s own page of jobs is closed to the admin';
$cid->go("$app/w/$ws")->follow('Runs')->wait_text(qr/Only the person who set up a job is notified of failures/);
$cid->follow('Change')->fill('#email', 'cid@example.org')->click('main form.body button')->wait_text(qr/Added\. They get an e-mail/);

# ---- a night that isn't

$shop->answer('/export/orders.csv' => 404, 'The export has moved to /orders.csv');
$jobs->fails($job, 'the night after', qr/404/);
$stack->runner;
Vitrine::Stack::wait_for('an e-mail', 60, sub { grep { /Copy orders/ } told() });
my ($mail) = grep { $_->{headers}{subject} =~ /Copy orders/ && "@{$_->{envelope}{to}}" eq 'cid@example.org' } $smtp->mails;
my ($link) = $mail->{raw} =~ m{(https://\S+/w/$ws/runs\S*?)[\s">]};
ok $link, 'the e-mail leads to the runs' or diag $mail->{raw};

# ---- mended, from there alone

$cid->go("$app/w/$ws/runs?status=failed")->wait_text(qr/Copy orders/);
is $cid->script('return document.querySelectorAll(".things tbody tr").length'), 1, 'what failed is found';
$cid->follow('Copy orders')->wait_text(qr/It failed\. .*404/s);
like $cid->text('main'), qr/The export has moved to \/orders\.csv/, 'its run says why, in the words of the other server';
like $cid->text('aside'), qr/Sales dashboard.*ben\@example\.org.*1 succeeded and 1 failed/s, '... whose it is, and how it went before';
$cid->follow('Edit job')->wait_text(qr/Edit job.*Address/s);
$cid->fill('#url',
	$shop->url('/orders.csv'))->click('#edit button')->wait_text(qr/Somebody else gave the stored headers for another address/);
$cid->fill('#url', $shop->url('/orders.csv'))->fill('#headers',
	'Authorization: Bearer of-the-admin')->click('#edit button')->wait_text(qr/Saved\./);
$cid->click('main form[action$="/run"] button')->wait_text(qr/Run of Copy orders\s+Succeeded/);
like $cid->url, qr{/w/$ws/runs/run_\w+}, 'run by hand, it succeeds';
is scalar @{rows()}, 2, 'the table has what there is now';
my ($call) = $shop->calls('/orders.csv');
is $call->{headers}{authorization}, 'Bearer of-the-admin', 'with the admin\'s own key';
$cid->go("$app/w/$ws/runs")->wait_text(qr/Copy orders/);
is $cid->script('return [...document.querySelectorAll(".things tbody th")].map(e => e.innerText.trim()).join(" ")'),
	'Succeeded Failed Succeeded', 'seen on the page';
$cid->follow('Schedules')->wait_text(qr/Copy orders.*Every day at 02:00, Oslo/s);
unlike $cid->text('.rows'), qr/Failing/, 'nothing fails any more';
$stack->runner;
Vitrine::Stack::wait_for('an e-mail', 60, sub { grep { /works again/ } told() });
is $db->selectrow_array('SELECT created_by FROM job WHERE id = ?', undef, $job->{id}), $user{cid}{id},
	'who changed what it asks for answers for it';
my @acts = @{$db->selectcol_arrayref('SELECT action FROM audit WHERE workspace_id = ? ORDER BY id', undef, $ws)};
is join(' ', grep { /^(?:job|run)/ } @acts), 'runs.told job.taken job.changed job.run', 'the audit knows who did it';

# ---- without scripts: an automation that is off, and mails somebody who has left

my $note = $jobs->made('email', { recipients => ['gone@example.org'], subject => 'New figures' }, name => 'Tell sales',
	event_type => 'artifact.updated', enabled => $false);
my $v = Vitrine::Visitor->new($api);
$v->sign_in('cid@example.org', 'the password');
$v->go("/w/$ws/runs/automations?state=paused");
like $v->{page}{text}, qr{<a class="name" href="/w/$ws/runs/automations/$note->{id}">Tell sales</a>}, 'it is found';
$v->go("/w/$ws/runs/automations/$note->{id}");
$v->submit(qr{/automations/$note->{id}$}, { recipients => 'ben@example.org', subject => 'New figures' });
like $v->{page}{text}, qr/Saved\./, 'the recipient is another';
$v->submit(qr{/enabled$}, { enabled => 1 });
like $v->{page}{text}, qr/Resumed\. It runs again\./, '... and it is on';
$v->submit(qr{/run$});
like $v->{page}{text}, qr/Run of Tell sales.*Succeeded/s, '... and works';
$stack->runner;
ok((grep { $_->{headers}{subject} eq 'New figures' && "@{$_->{envelope}{to}}" eq 'ben@example.org' } $smtp->mails), 'the e-mail has come');

finish($stack);
