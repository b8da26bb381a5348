# SPDX-License-Identifier: Apache-2.0
# A workspace's plan and billing in the browser: plans compared, a trial, a card on the provider's page, seats and plans at the price that
# was shown, invoices that print, cancelling and resuming. What the provider refuses, can't say, or isn't there to say is told in words;
# members see the plan, and no figures. Each page is looked at in both widths and themes, and its forms are sent without scripts, too.
use utf8;
use Vitrine::Billing;
use Vitrine::Browser;
use Vitrine::Visitor;
use Vitrine::Words 'as';

my $pay = Vitrine::Billing::provider();
my ($stack, $api, $db) = stack($pay->conf, invoice_seller => 'Northern Hosting Ltd | 1 Quay Street | VAT GB123', payments_per_hour => 1000);
my $bill = Vitrine::Billing->new($stack, $pay);
my $app = "https://vitrine.localhost:$stack->{port}";
my $day = 86400;
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben cid eve);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for keys %user;
$db->do("UPDATE user SET name = 'Alice <i>Archer</i>' WHERE id = ?", undef, $user{ann}{id});
my $ws = $bill->team($user{ann}, 'Northwind Studio');
my $theirs = $bill->team($user{eve}, 'Elsewhere');
$stack->seat($ws, $user{ben}, 'member');
$stack->seat($ws, $user{cid}, 'admin');
my $at = "$app/w/$ws/plan";

my ($ann, $ben) = map { Vitrine::Browser->new($stack, @$_) } [width => 1280, height => 900], [width => 390, height => 844, dark => 1];
$ann->sign_in('ann@example.org', 'the password');
$ben->sign_in('ben@example.org', 'the password');

my $pages = 0;
sub seen {
	my ($b, $name, %o) = @_;
	is join('; ', $b->looks(sprintf 'billing-%02d-%s', ++$pages, $name =~ s/\W+/-/gr)), '',
		"$name has no barrier, wide and narrow, by day and by night";
	is join('; ', grep { /\Q$app\E/ && !/favicon/ && !($o{refused} && /(?:40|50)\d/) } $b->complaints), '',
		"the browser has no complaint about $name";
}
sub pressed {
	my ($b, $text) = @_;
	Vitrine::Stack::wait_for("a button $text", 60, sub { $b->script('const b = [...document.querySelectorAll("main button, '
		. 'main a.button")].find(e => e.innerText.trim().startsWith(arguments[0])); if (b) b.click(); return !!b', $text) });
	return $b;
}
sub buttons {
	my ($b) = @_;
	return join ', ', @{$b->script('return [...document.querySelectorAll("main form button, main a.button.primary, '
		. 'main a.button.danger")].map(e => e.innerText.trim())')};
}
sub charges { return scalar grep { $_->{key} } $pay->payments }
# On the provider's page.
sub card {
	my ($b, $number) = @_;
	$b->wait_text(qr/Card number/);
	$b->fill('[name=number]', $number)->fill('[name=expires]', '12 / 34')->fill('[name=code]', '123')->click('form button');
	return $b;
}
# Amounts as a page has them, in cents.
sub cents { my ($text) = @_; return $text =~ s/[^\d]//gr }

# ---- before there is anything

$ann->go("$app/w/$ws")->follow('Settings')->wait_text(qr/Plan and billing/);
$ann->follow('Plan and billing')->wait_text(qr/3 of 10 seats taken/);
is $ann->text('nav.side [aria-current]'), 'Plan and billing', 'it is a part of the settings';
like $ann->text('#invoices'), qr/No invoices yet/, 'with no invoice';
seen($ann, 'nothing bought');
$ben->go($at)->wait_text(qr/Admins choose the plan\./);
is buttons($ben), '', 'a member has no button';
unlike $ben->text('main'), qr/Invoices|USD/, 'and sees no figures';
seen($ben, 'for a member');

# ---- plans

$ann->follow('Compare plans')->wait_text(qr/Compare everything/);
is join('; ', map { s/\s+/ /gr } @{$ann->script('return [...document.querySelectorAll(".plans > li")].map(e => [...e.querySelectorAll("h2, '
	. '.badge, .stat, .button")].map(x => x.innerText.trim()).join(" "))')}),
'Free Current Free Manage; Pro 8.00 USD per seat and month Try Pro; Team 15.00 USD per seat and month Try Team; Enterprise On request',
'plans are those of plans_file';
is join('; ', map { s/\s+/ /gr } @{$ann->script('return [...document.querySelectorAll(".compare tr")].map(e => e.innerText)')}),
'Included Free Pro Team Enterprise; Price per seat and month Free 8.00 USD 15.00 USD On request; Seats 10 25 250 Unlimited; Agents at a '
	. 'time 5 20 100 Unlimited; Clients and shared folders – No – No Yes Yes; Notes that learn from pages – No Yes Yes Yes; '
	. 'Subdomain – No – No Yes Yes; Session policy – No – No Yes Yes; Branding – No Yes Yes Yes; '
	. 'Domains of your own – No – No Yes Yes', '... with their limits and features';
seen($ann, 'plans');
$ben->go("$at/plans")->wait_text(qr/Admins choose the plan/);
is $ben->script('return document.querySelectorAll(".plans a[href*=change]").length'), 0, 'a member chooses none';
seen($ben, 'plans for a member');

# ---- a trial

$ann->follow('Try Pro')->wait_text(qr/Try Pro\?.*Charged today\s+0\.00 USD.*3 seats × 8\.00 USD, each month\s+24\.00 USD/s);
seen($ann, 'a trial');
$ann->fill('#n', '2')->script('document.querySelector("main form[method=get]").noValidate = true');
pressed($ann, 'Show price')->wait_text(qr/the workspace has 3 members, so it takes at least as many seats/);
is buttons($ann), 'Show price', 'what can’t be had has no button';
seen($ann, 'too few seats for a trial');
$ann->fill('#n', '0')->script('document.querySelector("main form[method=get]").noValidate = true');
pressed($ann, 'Show price')->wait_text(qr/Pro takes at least 1 seat, not 0/);
$ann->fill('#n', '4');
pressed($ann, 'Show price')->wait_text(qr/4 seats × 8\.00 USD, each month\s+32\.00 USD/);
pressed($ann, 'Start trial')->wait_text(
	qr/Your trial has started.*Your trial of Pro ends on.*Without a card, the workspace then switches to Free\. Nothing is deleted/s);
is $bill->status($ws) . ' ' . $bill->tier($ws), 'trialing pro', 'it begins';
like $ann->text('main'), qr/Trial, 15 days left.*32\.00 USD\s*on \w+ \d+, 20\d\d, 4 seats × 8\.00 USD.*3 of 4 seats taken.*No card/s,
	'the page says how it stands';
seen($ann, 'in a trial');
like $ben->go($at)->text('main'), qr/Trial, 15 days left.*3 of 4 seats taken/s, 'a member sees the plan';
unlike $ben->text('main'), qr/USD|No card|Add card/, '... and no figures';
seen($ben, 'a trial for a member');

# ---- its card

pressed($ann, 'Add card');
like $ann->wait_text(qr/Card number/), qr/Card for Northwind Studio.*You pay nothing now/s, 'a card is left on the provider’s page';
$ann->follow('Back without paying')->wait_text(qr/Nothing was paid, and no card was saved/);
pressed($ann, 'Add card');
card($ann, '4000000000000002')->wait_text(qr/The card was declined/);
card($ann, '4242424242424242')->wait_text(qr/Card saved\..*Visa ending in 4242.*Expires 12\/2034 · Change card/s);
like $ann->text('main'), qr/Your card is then charged 32\.00 USD a month, and nothing before/, '... and is what will be charged';
is charges(), 0, 'nothing was charged so far';
seen($ann, 'a card');
my ($card) = map { $_->{card} } grep { $_->{card} } $pay->payments;
# What comes back is counted once, and nobody else's.
my ($link) = map { $_->{id} } $pay->payments;
$ann->go("$app/w/$ws/plan/paid?purpose=card&payment_id=$link")->wait_text(qr/Card saved\./);
is $db->selectrow_array('SELECT COUNT(*) FROM billing_checkout WHERE used_at IS NOT NULL'), 1, 'coming back twice is coming back once';
for (['pay_never', qr/There is no such session\./], ['', qr/Nothing was paid, and no card was saved/]) {
	$ann->go("$app/w/$ws/plan/paid?purpose=card&payment_id=$_->[0]")->wait_text($_->[1]);
}
$ann->go("$app/w/$ws/plan/paid?purpose=card&payment_id=pay_never");
seen($ann, 'no such payment', refused => 1);
my $foreign = Vitrine::Visitor->new($api);
$foreign->sign_in('eve@example.org', 'the password');
is $foreign->go("/w/$theirs/plan/paid?purpose=card&payment_id=$link")->{status}, 409, 'another workspace’s payment counts for none';
like $foreign->{page}{text}, qr/It is another workspace’?&?#?3?9?;?'?s/, '... and that is told';
is $db->selectrow_array('SELECT COUNT(*) FROM billing_account WHERE workspace_id = ? AND card_id IS NOT NULL', undef, $theirs), 0,
	'... and stores nothing';

# ---- seats

$ann->go($at)->fill('#n', '6');
pressed($ann, 'Show price')->wait_text(
	qr/6 seats × 8\.00 USD\s+48\.00 USD\s+Now: 4 seats × 8\.00 USD\s+−32\.00 USD\s+More each month\s+16\.00 USD\s+Charged today\s+0\.00 USD/);
seen($ann, 'the price of seats');
pressed($ann, 'Change to 6 seats')
	->wait_text(qr/You can use the new seats now\. Nothing was charged today.*48\.00 USD\s*on.*6 seats × 8\.00 USD/s);
is $bill->sub_of($ws)->{seats}, 6, 'a trial has more seats at once';
seen($ann, 'more seats in a trial');
for (['2', qr/the workspace has 3 members/], ['26', qr/Pro takes at most 25 seats, not 26/], ['-4', qr/seats/]) {
	$ann->go("$at?seats=$_->[0]");
	like $ann->text('#n-error'), $_->[1], "$_->[0] seats are refused beside the field";
	is $ann->script('return document.querySelectorAll("form[method=post][action$=seats]").length'), 0, '... without a button';
}
seen($ann, 'too few seats');

# Without scripts, as the other admin.
my $cid = Vitrine::Visitor->new($api);
$cid->sign_in('cid@example.org', 'the password');
sub sent { my ($v, $like, %change) = @_; return $v->submit($like, \%change) }
$cid->go("/w/$ws/plan?seats=5");
like $cid->{page}{text}, qr/40\.00 USD/, 'seats have a price without scripts';
$db->do('UPDATE subscription SET price_cents = 900 WHERE workspace_id = ?', undef, $ws);
my $late = sent($cid, qr{/plan/seats$});
is $late->{status}, 409, 'a price that has changed meanwhile is refused';
like $late->{text}, qr/The price has changed since you opened this page.*45\.00 USD/s, '... and the new one is shown';
is $bill->sub_of($ws)->{pending_seats}, undef, '... and nothing has changed';
like sent($cid, qr{/plan/seats$})->{text}, qr/The number of seats changes with the next period/, 'that one can be agreed to';
is $bill->sub_of($ws)->{pending_seats}, 5, '... and then it is so';
$db->do('UPDATE subscription SET price_cents = 800 WHERE workspace_id = ?', undef, $ws);

# ---- a plan in mid-period

$bill->later(16 * $day);
$bill->run;
is $bill->status($ws), 'active', 'the trial has become a period that is paid';
$bill->later(10 * $day);
$ann->go($at)->wait_text(qr/Active/);
like $ann->text('#invoices'), qr/20\d\d-0001.*Pro.*5 seats.*40\.00 USD\s*Paid/s, 'its invoice is there';
seen($ann, 'active');
$ann->follow('Compare plans')->wait_text(qr/Switch to Team/);
seen($ann, 'plans of who pays');
$ann->follow('Switch to Team')->wait_text(qr/Switch to Team\?.*Pro, already paid.*Charged today to the card ending in 4242/s);
my ($shown) = $ann->text('main') =~ /Charged today to the card ending in 4242\s+([\d.]+) USD/;
my @lines = map { cents($_) } @{$ann->script('return [...document.querySelectorAll(".sum td")].map(e => e.innerText)')};
is $lines[0] - $lines[1], $lines[2], 'the lines add up to what is charged';
is $lines[2], cents($shown), '... which is what stands there';
ok $lines[2] > 0 && $lines[2] < 3500, 'for a part of the period';
like $ann->text('main'),
	qr/\d+ of (?:28|29|30|31) days left.*5 seats × 15\.00 USD, each month\s+75\.00 USD.*Available right away: (?=.*clients)(?=.*a subdomain).*Go back to Pro/s,
	'and says what comes of it';
seen($ann, 'another plan');
# What goes wrong with it changes nothing.
my $before = charges();
$pay->fault(charge => 'decline Insufficient funds');
pressed($ann, "Pay $shown USD and switch")->wait_text(qr/The card was declined: Insufficient funds\. Nothing has changed/);
unlike $ann->text('main'), qr{/v1/}, '... in words for people';
is $bill->tier($ws), 'pro', 'a declined card buys nothing';
seen($ann, 'a declined card', refused => 1);
$pay->fault(charge => 'status 503');
pressed($ann, 'Pay ')->wait_text(
	qr/The payment provider (?:hasn’t confirmed the payment yet\. Nothing has changed so far|didn’t accept the payment\. Nothing was charged)/);
is $bill->tier($ws), 'pro', 'nor does a provider that is down';
seen($ann, 'a provider that is down', refused => 1);
like $ann->go($at)->text('main'), qr/Your payment is being processed/, 'what isn’t known yet is told'
	if $db->selectrow_array("SELECT COUNT(*) FROM invoice WHERE workspace_id = ? AND busy_at IS NOT NULL AND status = 'open'",
		undef, $ws);
seen($ann, 'a payment under way');
$db->do('UPDATE invoice SET busy_at = busy_at - 300 WHERE busy_at IS NOT NULL');
$bill->run;
# Nobody pays what they weren't shown.
$before = charges();
$cid->go("/w/$ws/plan/change?plan=team");
$db->do('UPDATE subscription SET seats = 6 WHERE workspace_id = ?', undef, $ws);
$late = sent($cid, qr{/plan/change$});
is $late->{status} . ' ' . charges(), "409 $before", 'a price that has changed meanwhile is not charged';
like $late->{text}, qr/The price has changed since it was shown, and nothing was charged.*6 seats × 15\.00 USD/s,
	'... and the new one is shown';
$db->do('UPDATE subscription SET seats = 5 WHERE workspace_id = ?', undef, $ws);
$cid->go("/w/$ws/plan/change?plan=team");
my ($f) = map { $_->{fields} } grep { $_->{action} =~ m{/plan/change$} && $_->{method} eq 'POST' } $cid->forms;
for (['an old one', at => $f->{at} - 16 * 60], ['one of the future', at => $f->{at} + 3600], ['a lower one', price => $f->{price} - 1],
	['a lower one at a later time', at => $f->{at} + 7 * $day, price => 100]) {
	my ($name, %o) = @$_;
	is sent($cid, qr{/plan/change$}, %$f, %o)->{status} . ' ' . charges(), "409 $before", "$name is none that was shown";
}
$ann->go("$at/change?plan=team")->wait_text(qr/Charged today to the card/);
($shown) = $ann->text('main') =~ /Charged today to the card ending in 4242\s+([\d.]+) USD/;
pressed($ann, "Pay $shown USD and switch")->wait_text(qr/Paid\. Your new plan is active/);
is +(grep { $_->{key} && $_->{status} eq 'approved' } $pay->payments)[-1]{amount_cents}, cents($shown),
	'the price that was shown is the price that was charged';
is $bill->tier($ws), 'team', 'and it works at once';
seen($ann, 'paid');

# ---- invoices

my ($ivc) = map { $_->{id} } $bill->invoices($ws);
$ann->go("$at/details")->wait_text(qr/Who pays/);
seen($ann, 'invoice details');
$ann->fill('#name_line', 'Northwind <Studio> AB')->fill('#tax_line', 'SE556677889901');
pressed($ann, 'Save')->wait_text(qr/Invoice details: Northwind <Studio> AB, SE556677889901/);
$ann->go("$at/invoices/$ivc")->wait_text(
	qr/Invoice 20\d\d-\d{4}\s+Paid.*Northern Hosting Ltd\s+1 Quay Street\s+VAT GB123.*Northwind Studio.*Team instead of Pro, 20[\d-]+ to 20[\d-]+, \d+\.\d\d% of the period.*Total\s+\Q$shown\E USD/s);
seen($ann, 'an invoice');
is $ann->script('return document.querySelector("[data-print]").hidden'), $false, 'it can be printed';
$ann->cdp('Emulation.setEmulatedMedia', media => 'print');
is $ann->script('return [...document.querySelectorAll(".top, .foot, .crumbs, .button")].filter(e => e.checkVisibility()).length'), 0,
	'printed, it has nothing to press';
ok $ann->script('return document.querySelector(".sum").checkVisibility()'), '... but its lines';
$ann->cdp('Emulation.setEmulatedMedia', media => '');
is $foreign->go("/w/$theirs/plan/invoices/$ivc")->{status}, 404, 'nobody else’s';

# ---- a lower plan waits, and can be taken back

$ann->go("$at/change?plan=pro")->wait_text(
	qr/Charged today\s+0\.00 USD.*Until .* everything in Team works as before.*Features that aren’t in Pro are paused then/s);
seen($ann, 'a lower plan');
pressed($ann, 'Switch to Pro on')->wait_text(qr/The new plan starts with the next period.*Then switches to Pro/s);
seen($ann, 'a plan that waits');
$ann->go("$at/change?plan=team")->wait_text(qr/Keep Team\?/);
seen($ann, 'a change that is taken back');
pressed($ann, 'Keep Team')->wait_text(qr/Plan changed\./);
is $bill->sub_of($ws)->{pending_plan_id}, undef, 'and is taken back';

# ---- the end, and no end

$ann->go($at);
pressed($ann, 'Cancel plan')->wait_text(
	qr/Cancel Team\?.*Everything works as before until.*Everyone in the workspace: 3 members.*Clients.*They can’t open what you shared/s);
seen($ann, 'cancelling');
pressed($ann, 'Cancel Team')->wait_text(
	qr/Plan cancelled\. You won’t be charged again.*Team ends on.*Until then everything works as before.*Cancelled by Alice <i>Archer<\/i>, just now/s);
is $bill->status($ws) . ' ' . $bill->tier($ws), 'cancelled team', 'it stays until it ends';
seen($ann, 'cancelled');
$ann->go("$at/plans")->wait_text(qr/Resume it before you choose another plan/);
is $ann->script('return document.querySelectorAll(".plans a[href*=change], .plans a[href*=cancel]").length'), 0,
	'meanwhile there is no other';
seen($ann, 'plans of who has cancelled');
like $ben->go($at)->text('main'), qr/Team ends on/, 'members are told, too';
is buttons($ben), '', '... and can’t resume';
seen($ben, 'cancelled for a member');
$ann->go($at);
pressed($ann, 'Resume Team')->wait_text(qr/Plan resumed\..*Active/s);
is $bill->status($ws), 'active', 'it goes on';
is charges(), $before + 1, '... without a charge';

# ---- past due

$pay->card_says($card, 'The card has expired');
$bill->to_end($ws);
$bill->run;
$ann->go($at)->wait_text(qr/Your card was declined\.\s+Everything works until .* UTC\. We try again on .*Pay 75\.00 USD now.*Past due/s);
seen($ann, 'past due');
like $ben->go($at)->text('main'), qr/Everything works until .* An admin can pay it\./s, 'members are told';
is buttons($ben), '', '... and can’t pay';
pressed($ann, 'Pay 75.00 USD now')->wait_text(qr/The card was declined: The card has expired\. Nothing has changed/);
seen($ann, 'declined again', refused => 1);
$ann->go($at)->script('[...document.querySelectorAll("main a")].find(e => e.innerText === "Change card").click()');
card($ann, '5555555555554444')->wait_text(qr/Card saved.*Mastercard ending in 4444/s);
seen($ann, 'another card');
pressed($ann, 'Pay 75.00 USD now')->wait_text(qr/Paid\. Thank you\..*Active/s) if $bill->status($ws) ne 'active';
is $bill->status($ws), 'active', 'it is paid';

# ---- it ended

pressed($ann->go("$at/cancel"), 'Cancel Team')->wait_text(qr/Team ends on/);
$bill->to_end($ws);
is $bill->tier($ws), 'free', 'it has ended';
$ann->go($at)->wait_text(qr/Team ended on.*Nothing has been deleted.*Pay 75\.00 USD and resume Team/s);
seen($ann, 'ended');
$ann->follow('Compare plans')->wait_text(qr/Choose Pro/);
$ann->follow('Choose Pro')->wait_text(
	qr/Choose Pro\?.*Pro, 3 seats × 8\.00 USD\s*for the first month\s+24\.00 USD.*Charged today to the card ending in 4444\s+24\.00 USD/s);
seen($ann, 'a plan anew');
pressed($ann, 'Pay 24.00 USD and start')->wait_text(qr/Paid\. Your plan is active\./);
is $bill->status($ws) . ' ' . $bill->tier($ws), 'active pro', 'and begins anew';
$bill->balanced($ws);

# ---- what the provider can't say when one comes back

my $sam = $bill->team($user{ann}, 'Second');
$bill->subscribe($sam, 'pro', 2);
$bill->to_end($sam);
$ann->go("$app/w/$sam/plan")->wait_text(qr/Pro ended on/);
pressed($ann, 'Pay 16.00 USD and resume Pro')->wait_text(qr/You pay USD 16\.00/);
$pay->fault(pay => 'pending -1');
card($ann, '4242424242424242')->wait_text(qr/This hasn’t counted yet.*hasn't been approved yet/s);
seen($ann, 'a payment that is pending', refused => 1);
my ($pending) = grep { $_->{status} eq 'pending' } $pay->payments;
$pay->fault(find => 'status 503');
pressed($ann, 'Try again')->wait_text(qr/If you paid, it counts by itself/);
seen($ann, 'nobody answers', refused => 1);
$pay->decide($pending->{id}, 'approved');
$pay->deliver($app, [$pay->events]);
$bill->run;
pressed($ann, 'Try again')->wait_text(qr/Paid\. Thank you\..*Active/s);
is $bill->status($sam), 'active', 'who comes back after the provider told it is welcome';
$bill->balanced($sam);
$pay->fault(link => 'status 503');
$ann->go("$app/w/$sam/plan/checkout?purpose=card")->wait_text(qr/The payment page can’t be opened.*Nothing was paid or changed/s);
seen($ann, 'no payment page', refused => 1);
$ann->go("$app/w/$sam/plan/checkout?purpose=activate")->wait_text(qr/Nothing is due/);

# ---- whose they are

for my $page (map { "/w/$ws/plan$_" } '/change?plan=team', '/cancel', '/details', "/invoices/$ivc", '/checkout?purpose=card') {
	is(($ben->go("$app$page")->text('main') =~ /You can’t do this/) ? 1 : 0, 1, "$page isn't a member's");
	is $foreign->go($page)->{status}, 404, '... nor is there for others';
}
is $foreign->go("/w/$ws/plan$_")->{status}, 404, "others see no /plan$_" for '', '/plans';
is $ann->go("$at/change?plan=$_")->title =~ /not found/i ? 1 : 0, 1, "$_ is no plan to buy" for qw(free enterprise nothing);
$ann->complaints, $ben->complaints;

# ---- nobody set it up

my ($dry, $dry_api) = stack();
my $dan = $dry->user('dan@example.org');
$dry->ctl_in("the password\n", qw(user password), 'dan@example.org');
my $den = $dry_api->call(POST => '/v1/workspaces', { token => $dan->{token}, json => { name => 'Dry' } })->{json}{workspace}{id};
my $v = Vitrine::Visitor->new($dry_api);
$v->sign_in('dan@example.org', 'the password');
for ("/w/$den/plan", "/w/$den/plan/plans") {
	like $v->go($_)->{text}, qr/Payments aren’t set up on/, "$_ says that payments aren't set up";
	unlike $v->{page}{text}, qr/plan\/change|checkout/, '... and offers nothing';
}
is $v->go("/w/$den/plan/checkout?purpose=card")->{status}, 503, 'there is no way to pay';
like $v->{page}{text}, qr/The payment page can’t be opened/, '... and that is told';
finish($stack, $dry);
