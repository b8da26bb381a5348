# SPDX-License-Identifier: Apache-2.0
# What an owner lives through with a paid plan, in a browser: a trial, a card on the provider's page, seats and a plan at the price that was
# shown, a renewal that is declined three times with a mail each and is paid in the end, cancelling, everything to the last second, what
# then stays and what sleeps, and resuming.
use utf8;
use Vitrine::Billing;
use Vitrine::Browser;
use Vitrine::Smtp;
use Vitrine::Visitor;
use Vitrine::Words qw(as refused);

my ($pay, $smtp) = (Vitrine::Billing::provider(), Vitrine::Smtp->new);
my ($stack, $api, $db) = stack($pay->conf, $smtp->conf);
my $bill = Vitrine::Billing->new($stack, $pay);
my $app = "https://vitrine.localhost:$stack->{port}";
my $day = 86400;
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben cid dan);
$stack->ctl_in("the password\n", qw(user password), 'ann@example.org');
my $ann = Vitrine::Browser->new($stack, width => 1280, height => 900);
$ann->sign_in('ann@example.org', 'the password');
sub pressed {
	my ($text) = @_;
	Vitrine::Stack::wait_for("a button $text", 60, sub { $ann->script('const b = [...document.querySelectorAll("main button, '
		. 'main a.button")].find(e => e.innerText.trim().startsWith(arguments[0])); if (b) b.click(); return !!b', $text) });
	return $ann;
}
sub card {
	my ($number) = @_;
	$ann->wait_text(qr/Card number/);
	$ann->fill('[name=number]', $number)->fill('[name=expires]', '12 / 34')->fill('[name=code]', '123')->click('form button');
	return $ann;
}
sub cents { return $_[0] =~ s/\D//gr }
sub charged { return map { $_->{amount_cents} } grep { $_->{key} && $_->{status} eq 'approved' } $pay->payments }
my $read = 0;
sub mails { my @all = $smtp->mails; my @new = @all[$read .. $#all]; $read = @all; return map { $_->{parts}{'text/plain'} } @new }
sub features {
	my ($ws) = @_;
	my $f = $bill->by($ws, GET => "/v1/workspaces/$ws/features")->{json}{features};
	return join ' ', grep { $f->{$_} } sort keys %$f;
}

# ---- a workspace, and what it does once it may

$ann->go("$app/w")->fill('#name', 'Northwind Studio')->fill('#slug', 'north')->click('form[action="/w"] button');
$ann->wait_text(qr/Workspace created/);
my ($ws) = $ann->url =~ m{/w/(wsp_\w+)};
$bill->{owners}{$ws} = $user{ann};
$stack->seat($ws, $user{$_}, 'member') for qw(ben cid);
my $art = as('ben', POST => '/v1/publish', { name => 'Report', slug => 'report', workspace_id => $ws, visibility => 'public',
	files => [{ path => 'index.html', content => 'the report' }] })->{json}{artifact}{id};
refused(as('ann', POST => "/v1/workspaces/$ws/subdomain", { enabled => $true }), '402 TIER_REQUIRED',
	'without a plan there is no address of its own');

# ---- a trial, and a card

$ann->follow('Settings')->wait_text(qr/Plan and billing/);
$ann->follow('Plan and billing')->wait_text(qr/3 of 10 seats taken/);
pressed('Compare plans')->wait_text(qr/Compare everything/);
pressed('Try Pro')->wait_text(qr/Charged today\s+0\.00 USD/);
pressed('Start trial')->wait_text(qr/Your trial has started/);
is $bill->tier($ws), 'pro', 'the trial has begun';
pressed('Add card');
card('4242424242424242')->wait_text(qr/Card saved\..*Visa ending in 4242/s);
my ($card) = map { $_->{card} } grep { $_->{card} } $pay->payments;
is join(' ', charged()), '', 'nothing was charged';
is scalar(grep { "$_->{body} $_->{target}" =~ /4242424242424242/ } $pay->calls(qr{/v3/})), 0, 'and no card number passed the service';

# ---- more seats: the price that is shown is what is charged

$ann->fill('#n', '5');
pressed('Show price')->wait_text(qr/Charged today\s+0\.00 USD/);
my ($seats) = $ann->text('#seats') =~ /5 seats × 8\.00 USD\s+([\d.]+) USD/;
pressed('Change to 5 seats')->wait_text(qr/Nothing was charged today/);
$bill->later(12 * $day + 60);
$bill->run;
my @told = mails();
is @told, 1, 'before the trial ends there is a mail';
like $told[0], qr/\Q$seats\E USD/, '... with what the seats were shown to cost';
$bill->to_end($ws);
$bill->run;
is join(' ', charged()), cents($seats), '... which is what is charged at its end';
like((mails())[0], qr/\Q$seats\E USD/, '... and receipted');
like $ann->go("$app/w/$ws/plan")->text('main'), qr/Active.*3 of 5 seats taken.*-0001.*\Q$seats\E USD\s*Paid/s, 'the page says so';

# ---- a higher plan in mid-period

$bill->later(14 * $day);
pressed('Compare plans')->wait_text(qr/Switch to Team/);
pressed('Switch to Team')->wait_text(qr/Charged today/);
my ($up) = $ann->text('main') =~ /Charged today to the card ending in 4242\s+([\d.]+) USD/;
pressed("Pay $up USD and switch")->wait_text(qr/Paid\. Your new plan is active/);
is((charged())[-1], cents($up), 'the price that was shown is what was charged');
ok cents($up) > 0 && cents($up) < 5 * 700, 'for the part of the period that is left';
is $bill->tier($ws), 'team', 'and the plan works at once';
$bill->run;
like((mails())[0], qr/\Q$up\E USD/, '... and is receipted');
is as('ann', POST => "/v1/workspaces/$ws/subdomain", { enabled => $true })->{status}, 200, 'it has an address of its own now';
my $client = as('ann', POST => "/v1/workspaces/$ws/sharees", { name => 'Harbour Foods', type => 'company' })->{json}{sharee}{id};
ok $client, 'and a client';
my $visitor = Vitrine::Visitor->new($api);
is $visitor->send(GET => "https://report--north.pages.localhost:$stack->{port}/")->{status}, 200, 'its page is there with its name';

# ---- a renewal that is declined

my $before = charged();
$pay->card_says($card, 'The card has expired');
$bill->to_end($ws);
for my $wait (3, 4, 5) {
	$bill->run;
	my @mail = mails();
	is @mail, 1, 'a mail';
	like $mail[0], qr{The card has expired.*$app/w/$ws/plan}s, '... says why, and where to go';
	is $bill->status($ws) . ' ' . $bill->tier($ws), 'past_due team', '... and everything works';
	like $ann->go("$app/w/$ws/plan")->text('main'), qr/Your card was declined\. Everything works until .* UTC\. We try again on/,
		'... as the page says';
	$bill->later($wait * $day);
}
is charged(), $before, 'nothing was paid so far';
$pay->card_says($card, '');
$bill->run;
is $bill->status($ws), 'active', 'in the end it is paid';
is((charged())[-1], 7500, '... once, as the new plan costs');
is charged(), $before + 1, '... and no more';
like((mails())[0], qr/75\.00 USD/, '... and receipted');
like $ann->go("$app/w/$ws/plan")->text('main'), qr/Active.*75\.00 USD\s*Paid/s, 'the page says so';
$bill->balanced($ws);

# ---- cancelled, to the last second

pressed('Cancel plan')->wait_text(qr/Cancel Team\?.*Subdomain.*Artifacts at their plain addresses/s);
pressed('Cancel Team')->wait_text(qr/You won’t be charged again.*Team ends on/s);
$bill->later($bill->until($ws, 'ends_at') - 120);
is $bill->tier($ws) . ' ' . features($ws), 'team ' . join(' ',
	qw(custom_branding custom_domains external_sharing knowledge session_policy subdomain)),
	'minutes before its end all is as before';
# The last second itself: a row of the time to come decides, whenever it is looked at.
my $end = time + 8;
$db->do("UPDATE subscription SET ends_at = ?, period_end = ?, due_at = ? WHERE workspace_id = ? AND live_of IS NOT NULL",
	undef, $end, $end, $end, $ws);
$db->do('UPDATE workspace SET paid_until = ?, plan_due = ? WHERE id = ?', undef, $end, $end, $ws);
my (%seen, $said);
Vitrine::Stack::wait_for('the end', 60, sub {
	my $from = time;
	my $tier = $bill->tier($ws);
	my $to = time;
	if ($to < $end) { $seen{before}{$tier}++ } elsif ($from >= $end) { $seen{after}{$tier}++ }
	return $seen{after};
});
is_deeply [map { join ' ', sort keys %{$seen{$_}} } qw(before after)], ['team', 'free'],
	'it has the plan to the last second, and not one more';
$bill->run;
is $bill->status($ws), 'expired', 'it is over';
like((mails())[-1], qr/Northwind Studio/, 'which is told');
is charged(), $before + 1, 'and nothing was charged for it';

# ---- what stays, and what sleeps

is scalar(@{as('ann', GET => "/v1/workspaces/$ws/members")->{json}{members}}), 3, 'members stay';
is as('ben', GET => "/v1/artifacts/$art")->{status}, 200, 'with what is theirs';
is $visitor->send(GET => "https://report.pages.localhost:$stack->{port}/")->{status}, 200, 'pages stay at their addresses';
is features($ws), '', 'what only the plan has sleeps';
refused(as('ann', GET => "/v1/workspaces/$ws/sharees"), '403 EXTERNAL_SHARING_NOT_ENTITLED', 'clients');
isnt $visitor->send(GET => "https://report--north.pages.localhost:$stack->{port}/")->{status}, 200, 'and the address with its name';
is $db->selectrow_array('SELECT COUNT(*) FROM sharee WHERE id = ?', undef, $client), 1, 'but nothing is deleted';
like $ann->go("$app/w/$ws/plan")->text('main'), qr/Team ended on.*Nothing has been deleted/s, 'as the page says';

# ---- and again

my ($again) = $ann->text('main') =~ /Pay ([\d.]+) USD and resume Team/;
pressed("Pay $again USD and resume Team")->wait_text(qr/Paid\. Thank you\..*Active/s);
is((charged())[-1], cents($again), 'resumed at the price that was shown');
is $bill->status($ws) . ' ' . $bill->tier($ws), 'active team', 'all works again';
is_deeply [map { $_->{id} } @{as('ann', GET => "/v1/workspaces/$ws/sharees")->{json}{sharees}}], [$client], 'the client is there again';
$bill->balanced($ws);
is join(' ', map { "$_->{amount_cents} $_->{status}" } reverse $bill->invoices($ws)),
	join(' ', map { cents($_) . ' paid' } $seats, $up, '75.00', $again), 'and each payment has its invoice';
finish($stack);
