# SPDX-License-Identifier: Apache-2.0
# What a workspace pays for: trials, seats, plans, cards, sessions, webhooks, and what becomes of all that when something goes wrong on the
# way. Time is made to pass by moving what the rows say back.
use Digest::SHA 'hmac_sha256_hex';
use Vitrine::Billing;
use Vitrine::Payment;
use Vitrine::Words qw(as refused said);
use Vitrine::World;

my $pay = Vitrine::Payment->new(Vitrine::Stack::test_tls());
my ($stack, $api, $db) = stack($pay->conf, Vitrine::World::unlimited(), dev_routes => 1);
my ($ann, $ben, $eve, $zed) = map { $stack->user("$_\@example.org") } qw(ann ben eve zed);
my $base = "https://vitrine.localhost:$stack->{port}";
my $made = 0;
my $world = Vitrine::World->new($stack);
# More than one person could make.
sub ws {
	my $id = $world->id('ws');
	$made++;
	$db->do('INSERT INTO workspace (id, name, slug, people, created_at, updated_at) VALUES (?, ?, ?, 0, 0, 0)',
		undef, $id, "Team $made", "team-$made");
	$db->do('INSERT INTO workspace_slug (slug, workspace_id) VALUES (?, ?)', undef, "team-$made", $id);
	$stack->seat($id, $ann, 'owner');
	return $id;
}
sub bill {
	my ($what, $method, %with) = @_;
	my $who = delete $with{who} // $ann;
	return as($who, $method // 'POST', "/v1/billing/$what", \%with);
}
sub sub_of { my ($ws, $who) = @_; return as($who // $ann, GET => "/v1/billing/subscription?workspace_id=$ws")->{json}{subscription} }
sub tier { my ($ws) = @_; return as($ann, GET => "/v1/account/tier?workspace_id=$ws")->{json}{tier} }
sub invoices { my ($ws) = @_; return @{as($ann, GET => "/v1/billing/invoices?workspace_id=$ws")->{json}{invoices}} }
sub shown { my ($ws) = @_; return join ' ', map { "$_->{status}:$_->{amount_cents}" } reverse invoices($ws) }
sub checkout {
	my ($ws, $purpose) = @_;
	my $r = bill(checkout => POST => workspace_id => $ws, purpose => $purpose);
	return $r->{json}{url} // die $r->{body};
}
sub session { my ($ws, $purpose, $number) = @_; return $pay->session(checkout($ws, $purpose), $number) }
sub card {
	my ($ws, $number) = @_;
	my $r = bill('rebill-save-card', POST => workspace_id => $ws, session => session($ws, 'card', $number));
	is $r->{status}, 200, 'a card is stored' or diag $r->{body};
	return $r->{json}{subscription};
}
# So many days are over; the runner hasn't been.
sub later {
	my ($ws, $days) = @_;
	my $s = int $days * 86400;
	$db->do("UPDATE subscription SET trial_ends_at = trial_ends_at - ?, period_start = period_start - ?, "
		. "period_end = period_end - ?, cancelled_at = cancelled_at - ?, ends_at = ends_at - ?, ended_at = ended_at - ?, "
		. "told_at = told_at - ?, due_at = due_at - ?, created_at = created_at - ? WHERE workspace_id = ?", undef, ($s) x 9, $ws);
	$db->do('UPDATE workspace SET paid_until = paid_until - ? WHERE id = ?', undef, $s, $ws);
	$db->do('UPDATE invoice SET busy_at = busy_at - ?, period_start = period_start - ?, period_end = period_end - ? '
		. 'WHERE workspace_id = ?', undef, ($s) x 3, $ws);
	Vitrine::Billing::periods($db, $s, $ws);
}
sub runner { $stack->runner }
# What must hold whatever has happened.
sub holds {
	my ($ws, $name) = @_;
	my ($paid) = $db->selectrow_array("SELECT COALESCE(SUM(amount_cents), 0) FROM invoice WHERE workspace_id = ? AND status = 'paid'",
		undef, $ws);
	my ($moved) = $db->selectrow_array('SELECT COALESCE(SUM(amount_cents), 0) FROM subscription_move WHERE workspace_id = ?',
		undef, $ws);
	is $paid, $moved, "$name: what was paid is what the history says";
	is $paid, $pay->taken($ws), '... and what the provider has taken';
	is_deeply [$db->selectrow_array('SELECT COUNT(*), COALESCE(MAX(no), 0) FROM invoice WHERE workspace_id = ?', undef, $ws)],
		[($db->selectrow_array('SELECT COALESCE(MAX(last_invoice_no), 0) FROM billing_account WHERE workspace_id = ?',
			undef, $ws)) x 2], '... in invoices without a gap';
}

# ---- who may

my $ws = ws();
$stack->seat($ws, $ben, 'member');
my %sub = (workspace_id => $ws, plan_id => 'pro', seats => 3);
refused(bill(subscribe => POST => %sub, who => $eve), '404 NOT_FOUND', 'another\'s workspace is none');
refused(bill(subscribe => POST => %sub, who => $eve, seats => -1), '404 NOT_FOUND', '... whatever else is wrong');
refused(bill(subscribe => POST => %sub, workspace_id => 'wsp_' . '0' x 26), '404 NOT_FOUND', 'nor is one that there never was');
refused(bill(subscribe => POST => %sub, who => $ben), '403 ACCESS_DENIED', 'members don\'t pay');
refused(bill(subscribe => POST => %sub, who => $ben, seats => -1), '403 ACCESS_DENIED', '... whatever else is wrong');
refused(as(undef, POST => '/v1/billing/subscribe', \%sub), '401 UNAUTHENTICATED', 'nobody does');
refused(bill(subscribe => POST => plan_id => 'pro', seats => 3), '400 INVALID_REQUEST', 'for no workspace', qr/^workspace_id: is required/);
refused(as($eve, GET => "/v1/billing/subscription?workspace_id=$ws"), '404 NOT_FOUND', 'a stranger sees no subscription');
refused(as($eve, GET => "/v1/billing/invoices?workspace_id=$ws"), '404 NOT_FOUND', '... nor invoices');
refused(as($eve, DELETE => "/v1/billing/subscription?workspace_id=$ws"), '404 NOT_FOUND', '... nor ends it');
is sub_of($ws, $ben), undef, 'there is none yet';
is_deeply [invoices($ws)], [], 'and nothing was paid';
tier($ws);

# ---- what can't be bought

refused(bill(subscribe => POST => %sub, seats => $_), '400 INVALID_REQUEST', "$_ seats", qr/^seats: /) for 0, -1, 1_000_001, 26, 1.5;
is as($ann, POST => '/v1/billing/subscribe', type => 'application/json',
		body => qq({"workspace_id":"$ws","plan_id":"pro","seats":$_}))->{status}, 400, "$_ seats"
	for '9223372036854775808', '-9223372036854775809', '1e30';
refused(bill(subscribe => POST => %sub, plan_id => 'team', seats => 2), '400 INVALID_REQUEST', 'fewer than the plan has',
	qr/at least 3 seats/);
refused(bill(subscribe => POST => %sub, plan_id => $_), '400 INVALID_REQUEST', "the plan $_", qr/the plans to choose from are pro, team/)
	for qw(free enterprise gold);
refused(bill(subscribe => POST => %sub, seats => 1), '409 CONFLICT', 'fewer seats than members', qr/2 members/);
refused(bill('subscription/seats', PATCH => workspace_id => $ws, seats => 3), '409 CONFLICT', 'seats of nothing');
refused(bill('subscription/plan', PATCH => workspace_id => $ws, plan_id => 'pro'), '409 CONFLICT', 'a plan of nothing');
refused(bill(subscription => DELETE => workspace_id => $ws), '409 CONFLICT', 'the end of nothing');
refused(bill('rebill-activate', POST => workspace_id => $ws), '409 CONFLICT', 'activating nothing');
refused(bill(checkout => POST => workspace_id => $ws, purpose => 'activate'), '409 CONFLICT', 'paying for nothing');

# ---- a trial, once, however many ask at once

my @said = Vitrine::Api::together($stack, 20,
	sub { my ($one) = @_; return $one->call(POST => '/v1/billing/subscribe', { token => $ann->{token}, json => \%sub })->{status} });
# Of one caller only so many are answered at a time (429).
is_deeply [sort map { s/429/409/r } @said], [201, (409) x 19], 'of 20 who subscribe at once one does' or diag "@said";
is $db->selectrow_array('SELECT COUNT(*) FROM subscription WHERE workspace_id = ?', undef, $ws), 1, '... indeed';
my $s = sub_of($ws);
is_deeply [@$s{qw(workspace_id plan_id tier status seats pending_seats pending_plan_id ends_at amount_cents currency card)}],
	[$ws, 'pro', 'pro', 'trialing', 3, undef, undef, undef, 2400, 'USD', undef], 'it is a trial' or diag explain $s;
is $s->{trial_ends_at} - $s->{current_period_start}, 15 * 86400, '... of 15 days';
is $s->{current_period_end}, $s->{trial_ends_at}, '... which is the period';
is tier($ws), 'pro', 'the workspace has the plan';
is as($ann, GET => "/v1/workspaces/$ws")->{json}{workspace}{seats}{limit}, 3, 'and its seats';
is scalar($pay->calls), 0, 'the provider was asked nothing';
refused(bill(subscribe => POST => %sub), '409 CONFLICT', 'another beside it', qr/already/);
$stack->seat($ws, $zed, 'member');
refused(as($ann, POST => "/v1/workspaces/$ws/members", { user_id => $eve->{id} }), '409 SEATS_FULL', 'its seats are all there are');

# ---- seats, from the next period on

is bill('subscription/seats', PATCH => subscription_id => $s->{id}, seats => 3)->{json}{subscription}{pending_seats},
	undef, 'those that there are wait for nothing, and a subscription can be named, too';
is_deeply [@{bill('subscription/seats', PATCH => workspace_id => $ws, seats => 5)->{json}{subscription}}{qw(seats pending_seats)}],
	[5, undef], 'more seats are there at once in a trial';
is_deeply [@{bill('subscription/seats', PATCH => workspace_id => $ws, seats => 3)->{json}{subscription}}{qw(seats pending_seats)}], [5, 3],
	'... and fewer from the next period on';
$db->do('UPDATE subscription SET seats = 3, pending_seats = 4 WHERE workspace_id = ?', undef, $ws);
$db->do('UPDATE workspace SET paid_seats = 3 WHERE id = ?', undef, $ws);
refused(bill('subscription/seats', PATCH => workspace_id => $ws, seats => 2), '409 CONFLICT', 'fewer than members');
refused(bill('subscription/seats', PATCH => workspace_id => $ws, seats => $_), '400 INVALID_REQUEST', "$_ seats") for 0, -1, 26;
refused(bill('subscription/seats', PATCH => subscription_id => $s->{id}, seats => 4, who => $eve), '404 NOT_FOUND', 'a stranger\'s');
refused(bill('subscription/seats', PATCH => subscription_id => 'sub_' . '0' x 26, seats => 4), '404 NOT_FOUND', 'one that there never was');
my $other = ws();
refused(bill('subscription/seats', PATCH => workspace_id => $other, subscription_id => $s->{id}, seats => 4), '404 NOT_FOUND',
	'one of another workspace than is named');

# ---- what it would cost, before it is made

sub quote {
	my ($ws, %with) = @_;
	my $who = delete $with{who} // $ann;
	return as($who, GET => "/v1/billing/quote?workspace_id=$ws" . join '', map { "&$_=$with{$_}" } sort keys %with);
}
sub quoted {
	my ($ws, %with) = @_;
	my $r = quote($ws, %with);
	is $r->{status}, 200, 'it is quoted' or diag $r->{body};
	return { map { $_ => $r->{json}{$_} } qw(due_cents quoted_at) };
}
my $q = quote($ws, plan_id => 'team')->{json};
is_deeply [sort keys %$q], [qw(currency due_cents from later_at later_cents plan_id quoted_at seats success)], 'a quote';
is_deeply [@$q{qw(plan_id seats due_cents later_cents later_at currency)}, $q->{from} - $q->{quoted_at}],
	['team', 3, 0, 4500, $s->{trial_ends_at}, 'USD', 0], '... of a higher plan in a trial' or diag explain $q;
$q = quote($ws, seats => 5)->{json};
is_deeply [@$q{qw(plan_id seats due_cents later_cents later_at)}, $q->{from} - $q->{quoted_at}],
	['pro', 5, 0, 4000, $s->{trial_ends_at}, 0], '... of seats, which a trial has at once';
$q = quote($other, plan_id => 'pro', seats => 2)->{json};
is_deeply [@$q{qw(seats due_cents later_cents)}, $q->{later_at} - $q->{quoted_at}], [2, 0, 1600, 15 * 86400], '... of a first time';
is quote($ws)->{json}{due_cents}, 3200, '... of paying what comes next';
refused(quote($ws, who => $eve), '404 NOT_FOUND', 'a stranger is told nothing');
refused(quote($ws, who => $ben), '403 ACCESS_DENIED', 'members aren\'t either');
refused(quote($ws, plan_id => 'pro', seats => 3), '409 CONFLICT', 'what is refused has no price', qr/already/);
refused(quote($ws, seats => 2), '409 CONFLICT', '... nor have too few seats', qr/3 members/);
refused(quote($ws, plan_id => 'gold'), '400 INVALID_REQUEST', '... nor has what isn\'t sold');
refused(quote($other), '409 CONFLICT', '... nor has nothing', qr/no subscription/);
refused(quote($other, plan_id => 'pro'), '409 CONFLICT', '... nor a change of it', qr/no subscription/);
refused(quote($ws, seats => $_), '400 INVALID_REQUEST', "$_ seats") for 0, -1, 'x';
my $agreed = quoted($ws, plan_id => 'team');
refused(bill('subscription/plan', PATCH => workspace_id => $ws, plan_id => 'team', agreed => $_->[0]), '409 CONFLICT', $_->[1],
	qr{nothing was charged; GET /v1/billing/quote})
	for [{ %$agreed, due_cents => 1 }, 'another price than was agreed to'], [{ %$agreed, quoted_at => $agreed->{quoted_at} - 901 },
		'one of long ago'], [{ %$agreed, quoted_at => $agreed->{quoted_at} + 3600 }, 'one of the future'];
refused(bill('subscription/plan', PATCH => workspace_id => $ws, plan_id => 'team', agreed => $_), '400 INVALID_REQUEST', 'half of one',
	qr/^agreed\./) for { due_cents => 0 }, { quoted_at => 1 };
is sub_of($ws)->{plan_id}, 'pro', 'nothing has changed by that';

# ---- a higher plan in a trial costs nothing; a lower one waits

is_deeply [@{bill('subscription/plan', PATCH => workspace_id => $ws, plan_id => 'team',
	agreed => $agreed)->{json}{subscription}}{qw(plan_id pending_plan_id pending_seats status)}], ['team', undef, 4, 'trialing'],
	'a higher plan counts at once';
is tier($ws), 'team', '... for the workspace';
is_deeply [@{bill('subscription/plan', PATCH => workspace_id => $ws, plan_id => 'pro')->{json}{subscription}}{qw(plan_id pending_plan_id)}],
	['team', 'pro'], 'a lower one waits';
is bill('subscription/plan', PATCH => workspace_id => $ws, plan_id => 'team')->{json}{subscription}{pending_plan_id},
	undef, 'until the same is chosen again';
refused(bill('subscription/plan', PATCH => workspace_id => $ws, plan_id => 'enterprise'), '400 INVALID_REQUEST', 'one that isn\'t sold');
is_deeply [invoices($ws)], [], 'nothing of it was charged';

# ---- sessions

refused(bill('rebill-activate', POST => workspace_id => $ws), '402 PAYMENT_REQUIRED', 'activating without a card');
my $url = checkout($ws, 'activate');
my ($link) = map { decode_json($_->{body}) } $pay->calls(qr{^POST /v3/payment-links});
is_deeply [@$link{qw(amount_cents currency)}, @{$link->{metadata}}{qw(workspace plan seats purpose)}],
	[6000, 'USD', $ws, 'team', 4, 'activate'], 'a link is for what is due next';
my $session = $pay->session($url);
refused(bill('rebill-activate', POST => workspace_id => $other, session => $session), '409 CONFLICT', 'another workspace\'s session');
refused(bill('rebill-save-card', POST => workspace_id => $ws, session => $session), '400 INVALID_REQUEST',
	'one to pay isn\'t one to leave a card');
refused(bill('rebill-activate', POST => workspace_id => $ws, session => $_), '400 INVALID_REQUEST', 'what is no session')
	for 'pay_none', '../../x', 7, [], {}, { paymentId => 7 }, { paymentId => 'pay_none' }, { subscriptionId => 'sub_none' };
$pay->fault(find => $_) and refused(bill('rebill-activate', POST => workspace_id => $ws, session => $session), '502 UPSTREAM_FAILED',
	"a provider that says $_") for 'status 500', 'garbage', 'cut', 'lost';
is_deeply [@{sub_of($ws)}{qw(status)}], ['trialing'], 'nothing has changed by that';
my @at_once = Vitrine::Api::together($stack, 8, sub {
	my ($one) = @_;
	return $one->call(POST => '/v1/billing/rebill-activate',
		{ token => $ann->{token}, json => { workspace_id => $ws, session => $session } })->{status};
});
is_deeply [sort map { s/429/409/r } @at_once], [200, (409) x 7], 'one session is used once' or diag "@at_once";
$s = sub_of($ws);
is_deeply [@$s{qw(status plan_id seats pending_seats current_period_start amount_cents)}, $s->{card}{last4}],
	['active', 'team', 4, undef, $s->{trial_ends_at}, 6000, '4242'], 'what was paid begins when the trial ends' or diag explain $s;
refused(bill('rebill-activate', POST => workspace_id => $ws, session => $session), '409 CONFLICT', 'a used one');
is sub_of($ws, $ben)->{card}, undef, 'members don\'t see the card';
is shown($ws), 'paid:6000', 'it is an invoice';
my ($invoice) = invoices($ws);
like $invoice->{number}, qr/^20\d\d-0001$/, '... with a number';
is_deeply [@$invoice{qw(period_start period_end currency)}], [@$s{qw(current_period_start current_period_end)}, 'USD'], '... of its period';
is sub_of($ws)->{card}{exp_year}, 2034, 'the card is kept, for admins';
refused(bill(checkout => POST => workspace_id => $ws, purpose => 'activate'), '409 CONFLICT', 'now nothing is due');
is bill('rebill-activate', POST => workspace_id => $ws)->{status}, 200, 'and activating does nothing';
is shown($ws), 'paid:6000', '... indeed';
holds($ws, 'activated');

# What isn't what the link was for goes back.
my %wrong = (amount => 'amount', currency => 'currency', nonce => 'link');
for my $fault (sort keys %wrong) {
	my $new = ws();
	bill(subscribe => POST => workspace_id => $new, plan_id => 'pro', seats => 1);
	my $paid = session($new, 'activate');
	$pay->fault(find => $fault);
	refused(bill('rebill-activate', POST => workspace_id => $new, session => $paid), '400 INVALID_REQUEST',
		"a session of another $fault", qr/^session: .*$wrong{$fault}/);
	is sub_of($new)->{status}, 'trialing', '... and nothing has changed';
	is $db->selectrow_array('SELECT COUNT(*) FROM billing_refund WHERE payment_id = ?', undef, $paid), $fault eq 'nonce' ? 0 : 1,
		'... and it goes back, if it is ours';
}
my $new = ws();
bill(subscribe => POST => workspace_id => $new, plan_id => 'pro', seats => 1);
my $paid = session($new, 'activate');
bill('subscription/plan', PATCH => workspace_id => $new, plan_id => 'pro');
bill('subscription/seats', PATCH => workspace_id => $new, seats => 9);
refused(bill('rebill-activate', POST => workspace_id => $new, session => $paid), '400 INVALID_REQUEST',
	'a session for what has changed since', qr/goes back/);
$pay->fault(pay => 'pending -1');
$paid = session($new, 'activate');
refused(bill('rebill-activate', POST => workspace_id => $new, session => $paid), '402 PAYMENT_REQUIRED', 'one that isn\'t approved yet');
$pay->decide($paid, 'rejected');
refused(bill('rebill-activate', POST => workspace_id => $new, session => $paid), '402 PAYMENT_REQUIRED', 'one that was declined');
$pay->decide($paid, 'refunded');
refused(bill('rebill-activate', POST => workspace_id => $new, session => { paymentId => $paid }), '402 PAYMENT_REQUIRED',
	'one that was paid back');
$db->do('UPDATE billing_refund SET due_at = 0');
runner();
is $pay->taken($new), 0, 'what went back did';
is $db->selectrow_array("SELECT GROUP_CONCAT(DISTINCT outcome) FROM billing_refund"), 'went back', '... as is noted';

# ---- a higher plan in the middle of a period

$new = ws();
bill(subscribe => POST => workspace_id => $new, plan_id => 'pro', seats => 5);
card($new);
bill('rebill-activate', POST => workspace_id => $new);
is shown($new), 'paid:4000', 'the stored card is charged';
later($new, 15);
$s = sub_of($new);
my $period = $s->{current_period_end} - $s->{current_period_start};
later($new, $period / 86400 / 2);
$pay->fault(charge => 'decline No money left');
refused(bill('subscription/plan', PATCH => workspace_id => $new, plan_id => 'team'), '402 PAYMENT_REQUIRED', 'a card that is declined',
	qr/No money left/);
is_deeply [@{sub_of($new)}{qw(plan_id status)}], ['pro', 'active'], '... leaves all as it was';
$pay->fault(charge => 'refuse');
refused(bill('subscription/plan', PATCH => workspace_id => $new, plan_id => 'team'), '402 PAYMENT_REQUIRED', 'one that can\'t be charged');
my $r = bill('subscription/plan', PATCH => workspace_id => $new, plan_id => 'team');
is $r->{json}{subscription}{plan_id}, 'team', 'the plan is higher at once' or diag $r->{body};
my ($upgrade) = invoices($new);
cmp_ok abs($upgrade->{amount_cents} - 1750), '<=', 1, 'for the rest of the period, (1500 - 800) × 5 / 2';
is shown($new), "paid:4000 failed:" . join(' ', map { $_->{amount_cents} } (invoices($new))[2]) . " failed:"
	. (invoices($new))[1]{amount_cents} . " paid:$upgrade->{amount_cents}", 'tries that failed stay, as that';
is tier($new), 'team', 'the workspace has it';
is_deeply [@{bill('subscription/plan', PATCH => workspace_id => $new,
	plan_id => 'pro')->{json}{subscription}}{qw(plan_id pending_plan_id)}], ['team', 'pro'], 'back only from the next period on';
holds($new, 'upgraded');

# ---- an answer that gets lost

for my $fault ('lost', 'broken') {
	my $one = ws();
	bill(subscribe => POST => workspace_id => $one, plan_id => 'pro', seats => 1);
	card($one);
	$pay->fault(charge => $fault);
	is refused(bill('rebill-activate', POST => workspace_id => $one), '502 UPSTREAM_FAILED',
		"a charge whose answer is $fault")->{json}{details}{payment}, 'unknown', '... and says that it is unknown';
	is sub_of($one)->{status}, 'trialing', '... has changed nothing yet';
	refused(bill('rebill-activate', POST => workspace_id => $one), '409 CONFLICT', '... and is not made again', qr/being made/);
	refused(bill($_->[0], $_->[1], workspace_id => $one, %{$_->[2]}), '409 CONFLICT', "... nor is anything else: $_->[0]",
		qr/being made/) for ['subscription/seats', PATCH => { seats => 2 }], ['subscription/plan', PATCH => { plan_id => 'team' }],
			[subscription => DELETE => {}];
	later($one, 1);
	runner();
	is sub_of($one)->{status}, 'active', 'the runner finds out that it was made';
	is shown($one), 'paid:800', '... once';
	holds($one, $fault);
}
for my $fault ('cut', 'status 503') {
	my $one = ws();
	bill(subscribe => POST => workspace_id => $one, plan_id => 'pro', seats => 1);
	card($one);
	$pay->fault(charge => $fault);
	refused(bill('rebill-activate', POST => workspace_id => $one), '502 UPSTREAM_FAILED', "a charge that gets nowhere: $fault");
	later($one, 1);
	runner();
	is_deeply [sub_of($one)->{status}, shown($one)], ['trialing', 'failed:800'], '... was never made';
	is bill('rebill-activate', POST => workspace_id => $one)->{json}{subscription}{status}, 'active', '... and can be made then';
	holds($one, $fault);
}

# ---- renewals

my $renewed = ws();
bill(subscribe => POST => workspace_id => $renewed, plan_id => 'pro', seats => 3);
card($renewed);
later($renewed, 15);
is sub_of($renewed)->{status}, 'active', 'a trial with a card goes on, whether the runner has been or not';
runner();
$s = sub_of($renewed);
is_deeply [@$s{qw(status current_period_start)}, shown($renewed)], ['active', $s->{trial_ends_at}, 'paid:2400'], 'the runner charges it';
runner() for 1, 2;
is shown($renewed), 'paid:2400', '... once';
bill('subscription/seats', PATCH => workspace_id => $renewed, seats => 6);
bill('subscription/plan', PATCH => workspace_id => $renewed, plan_id => 'team');
my ($up) = map { $_->{amount_cents} } (invoices($renewed))[0];
bill('subscription/plan', PATCH => workspace_id => $renewed, plan_id => 'pro');
$pay->card_says($db->selectrow_array('SELECT card_id FROM billing_account WHERE workspace_id = ?', undef, $renewed), 'No');
# To the end of its period, whichever month that is.
later($renewed, (sub_of($renewed)->{current_period_end} - time) / 86400 + 0.01);
runner();
is_deeply [@{sub_of($renewed)}{qw(status plan_id seats)}, tier($renewed)], ['past_due', 'team', 3, 'team'],
	'a renewal that is declined is past due, and all goes on';
is shown($renewed), "paid:2400 paid:$up open:4800", 'its invoice is open';
runner();
is $db->selectrow_array('SELECT tries FROM subscription WHERE workspace_id = ?', undef, $renewed), 1, 'it isn\'t tried again at once';
for my $day (3, 4, 5) { later($renewed, $day); runner() }
is $db->selectrow_array('SELECT tries FROM subscription WHERE workspace_id = ?', undef, $renewed), 4, '... but after 3, 7 and 12 days';
is tier($renewed), 'team', 'the workspace still has its plan';
refused(bill('rebill-activate', POST => workspace_id => $renewed), '402 PAYMENT_REQUIRED', 'the old card still doesn\'t pay');
$s = sub_of($renewed);
card($renewed, '5555555555554444');
runner();
is_deeply [@{sub_of($renewed)}{qw(status plan_id seats current_period_start)}], ['active', 'pro', 6, $s->{current_period_end}],
	'another card is tried at once: the period is paid, with what waited for it';
is shown($renewed), "paid:2400 paid:$up paid:4800", '... by the invoice that was open';
holds($renewed, 'renewed');

my $lapsed = ws();
bill(subscribe => POST => workspace_id => $lapsed, plan_id => 'pro', seats => 2);
card($lapsed, '4000000000000341');
$stack->seat($lapsed, $ben, 'member');
for my $days (15, 3, 4, 5) { later($lapsed, $days); runner() }
is sub_of($lapsed)->{status}, 'past_due', 'a card that never pays';
later($lapsed, 2);
is_deeply [sub_of($lapsed)->{status}, tier($lapsed)], ['expired', 'free'], '... after 14 days, whether the runner has been or not';
refused(bill('subscription/seats', PATCH => workspace_id => $lapsed, seats => 3), '409 CONFLICT', 'nothing of it can be changed');
runner();
is_deeply [sub_of($lapsed)->{status}, shown($lapsed)], ['expired', 'failed:1600'], '... and the invoice has failed';
is as($ann, GET => "/v1/workspaces/$lapsed/members")->{status}, 200, 'its members stay';
is scalar(@{as($ann, GET => "/v1/workspaces/$lapsed/members")->{json}{members}}), 2, '... all';
card($lapsed);
is sub_of($lapsed)->{status}, 'expired', 'a card alone wakes nothing';
refused(bill(subscribe => POST => workspace_id => $lapsed, plan_id => 'pro', seats => 1), '409 CONFLICT', 'fewer seats than members');
is bill('rebill-activate', POST => workspace_id => $lapsed)->{json}{subscription}{status}, 'active', 'it is resumed by a payment';
is shown($lapsed), 'failed:1600 paid:1600', '... of a period that begins now';
cmp_ok abs(sub_of($lapsed)->{current_period_start} - time), '<', 120, '... indeed';
holds($lapsed, 'lapsed');

# A clock that jumps over more than a period.
my $jumped = ws();
bill(subscribe => POST => workspace_id => $jumped, plan_id => 'pro', seats => 1);
card($jumped);
later($jumped, 100);
runner() for 1, 2;
is_deeply [sub_of($jumped)->{status}, shown($jumped)], ['active', 'paid:800'], 'a clock that jumps pays once, for the present period';
holds($jumped, 'jumped');

# ---- the second trial

my $again = ws();
bill(subscribe => POST => workspace_id => $again, plan_id => 'pro', seats => 1);
later($again, 15);
is_deeply [sub_of($again)->{status}, tier($again)], ['expired', 'free'], 'a trial without a card ends by itself';
refused(bill(subscribe => POST => workspace_id => $again, plan_id => 'pro', seats => 1), '402 PAYMENT_REQUIRED', 'there is no second one',
	qr/has had its trial/);
$pay->forget;
card($again);
is sub_of($again)->{status}, 'expired', 'a card doesn\'t wake it';
$pay->fault(charge => 'decline');
refused(bill(subscribe => POST => workspace_id => $again, plan_id => 'pro', seats => 1), '402 PAYMENT_REQUIRED',
	'a declined card subscribes to nothing');
$r = bill(subscribe => POST => workspace_id => $again, plan_id => 'team', seats => 3);
is_deeply [$r->{status}, $r->{json}{subscription}{status}, shown($again)], [201, 'active', 'failed:800 paid:4500'],
	'the card is charged instead';
holds($again, 'subscribed again');
my $same = ws();
card($same);
$r = bill(subscribe => POST => workspace_id => $same, plan_id => 'pro', seats => 1);
is_deeply [$r->{json}{subscription}{trial_ends_at}, shown($same)], [undef, 'paid:800'],
	'a card that has had a trial has none in another workspace';

# ---- cancelling and resuming

is bill(subscription => DELETE => subscription_id => sub_of($same)->{id})->{json}{subscription}{status}, 'cancelled', 'cancelled';
$s = sub_of($same);
is $s->{ends_at}, $s->{current_period_end}, '... at the end of what is paid';
is tier($same), 'pro', '... and until then it has its plan';
is as($ann, DELETE => "/v1/billing/subscription?workspace_id=$same")->{status}, 200, 'twice is once, and a query does';
refused(bill('subscription/seats', PATCH => workspace_id => $same, seats => 3), '409 CONFLICT', 'seats of what ends', qr/resumes it first/);
refused(bill(subscribe => POST => workspace_id => $same, plan_id => 'pro', seats => 1), '409 CONFLICT', 'another beside what ends');
is bill('rebill-activate', POST => workspace_id => $same)->{json}{subscription}{status}, 'active', 'resumed';
is shown($same), 'paid:800', '... for nothing';
bill(subscription => DELETE => workspace_id => $same);
$s = sub_of($same);
later($same, ($s->{ends_at} - time - 60) / 86400);
is tier($same), 'pro', 'entitled to the last minute';
later($same, 90 / 86400);
is_deeply [tier($same), sub_of($same)->{status}], ['free', 'expired'], '... and then no more';
runner();
$db->do('UPDATE billing_account SET card_id = NULL WHERE workspace_id = ?', undef, $same);
refused(bill('rebill-activate', POST => workspace_id => $same), '402 PAYMENT_REQUIRED', 'what is over is resumed by paying');
is bill('rebill-activate', POST => workspace_id => $same,
	session => { paymentId => session($same, 'activate') })->{json}{subscription}{status}, 'active', '... by a session, too';
is shown($same), 'paid:800 paid:800', '... for a new period';
holds($same, 'resumed');

# ---- a card, as older programs give it

my $old = ws();
bill(subscribe => POST => workspace_id => $old, plan_id => 'pro', seats => 1);
$r = bill(card => POST => subscription_id => sub_of($old)->{id}, token => session($old, 'card'));
is $r->{status}, 200, 'a session is its token' or diag $r->{body};
is $r->{json}{subscription}{card}{last4}, '4242', '... and its card is stored';
refused(bill(card => POST => subscription_id => 'sub_' . '0' x 26, token => 'x'), '404 NOT_FOUND', 'a subscription that there is not');

# ---- webhooks

my ($plan_pay, @events) = (ws());
bill(subscribe => POST => workspace_id => $plan_pay, plan_id => 'pro', seats => 1);
$pay->events;
$paid = session($plan_pay, 'activate'); # and never comes back
@events = $pay->events;
is_deeply [$pay->deliver($base, \@events, secret => 'x' x 24)], [(404) x @events], 'a webhook without the secret finds nothing';
is_deeply [$pay->deliver($base, \@events, key => 'forged')], [(401) x @events], 'one that is signed with another key is refused';
is_deeply [$pay->deliver($base, \@events, plain => 1)], [(401) x @events], '... or not at all';
is_deeply [$pay->deliver($base, ['{', '[]', '{}', '{"id":"evt_1","type":"payment.updated"}',
	'{"id":7,"type":"x","data":{"payment_id":"p"}}'])], [(400) x 5], 'what is no event isn\'t taken';
is $db->selectrow_array('SELECT COUNT(*) FROM billing_event'), 0, 'none of these are';
is_deeply [$pay->deliver($base, [reverse(@events), @events, @events])], [(200) x (3 * @events)], 'doubled and reversed they are taken';
is $db->selectrow_array('SELECT COUNT(*) FROM billing_event'), scalar(@events), '... once';
my $twice = encode_json($events[0]);
is $api->call(POST => "/v1/billing/webhook/$pay->{secret}", { body => $twice, type => 'application/json',
	headers => { 'X-Rebill-Signature' => hmac_sha256_hex($twice, $pay->{sign}) } })->{status}, 200, '... and so is one more';
is $db->selectrow_array('SELECT COUNT(*) FROM billing_event'), scalar(@events), '... which adds none';
is sub_of($plan_pay)->{status}, 'trialing', '... and nobody believes them';
runner();
is_deeply [sub_of($plan_pay)->{status}, shown($plan_pay)], ['active', 'paid:800'], 'the runner asks, and finds what was paid';
is $db->selectrow_array('SELECT event_id FROM subscription_move WHERE workspace_id = ? AND amount_cents > 0', undef, $plan_pay),
	$events[-1]{id}, '... as the history says';
refused(bill('rebill-activate', POST => workspace_id => $plan_pay, session => $paid), '409 CONFLICT', 'the session is used by that');
$pay->deliver($base, [{ id => 'evt_false', type => 'payment.updated', data => { payment_id => 'pay_none' } },
	{ id => 'evt_other', type => 'payment.updated', data => { payment_id => $session } },
	{ id => 'evt_sub', type => 'subscription.updated', data => { subscription_id => 'ps_none' } }]);
runner();
is $db->selectrow_array('SELECT COUNT(*) FROM billing_event WHERE due_at IS NOT NULL'), 0, 'what tells of nothing does nothing';
holds($plan_pay, 'told');
$pay->decide($paid, 'charged_back');
$pay->deliver($base, [$pay->events]);
runner();
is_deeply [shown($plan_pay), sub_of($plan_pay)->{status}, tier($plan_pay)], ['refunded:800', 'expired', 'free'],
	'what is charged back ends what it paid for';
holds($plan_pay, 'charged back');

# ---- what happens to workspaces and people

$db->do('UPDATE workspace SET deleted_at = UNIX_TIMESTAMP()');
my $gone = ws();
bill(subscribe => POST => workspace_id => $gone, plan_id => 'pro', seats => 2);
card($gone);
bill('rebill-activate', POST => workspace_id => $gone);
$url = checkout($gone, 'card');
is as($ann, DELETE => "/v1/workspaces/$gone")->{status}, 200, 'a workspace is deleted';
is $db->selectrow_array('SELECT cancelled_at IS NOT NULL FROM subscription WHERE workspace_id = ?', undef, $gone), 1,
	'... and its subscription cancelled';
is as($ann, POST => "/v1/workspaces/$gone/restore")->{status}, 200, 'it comes back';
is sub_of($gone)->{status}, 'cancelled', '... cancelled';
is bill('rebill-activate', POST => workspace_id => $gone)->{json}{subscription}{status}, 'active', '... and resumes, for nothing';
is shown($gone), 'paid:1600', '... indeed';
$stack->seat($gone, $ben, 'member');
is as($ann, POST => "/v1/workspaces/$gone/transfer-ownership", { new_owner_id => $ben->{id} })->{status}, 200, 'another owner';
is sub_of($gone)->{card}{last4}, '4242', '... has the card that is stored';
as($ben, DELETE => "/v1/workspaces/$gone");
$db->do('UPDATE workspace SET deleted_at = 1 WHERE id = ?', undef, $gone);
runner() for 1, 2;
is $db->selectrow_array("SELECT COUNT(*) FROM $_ WHERE workspace_id = ?", undef, $gone), 0, "nothing of a purged one is in $_"
	for qw(subscription subscription_move invoice billing_account billing_checkout);

# ---- for development, and the operator's plans beside a subscription

my $dev = ws();
is as($ann, POST => '/v1/account/upgrade', { workspace_id => $dev, plan_id => 'team' })->{json}{tier}, 'team',
	'a plan without payment, for development';
refused(as($ann, POST => '/v1/account/upgrade', { workspace_id => $dev, plan_id => 'gold' }), '400 INVALID_REQUEST',
	'one that there isn\'t');
refused(as($eve, POST => '/v1/account/upgrade', { workspace_id => $dev, plan_id => 'team' }), '404 NOT_FOUND', 'for another\'s workspace');
is bill(subscribe => POST => workspace_id => $dev, plan_id => 'pro', seats => 1)->{status}, 201, 'a subscription beside what was given';
is tier($dev), 'team', '... and the better of both counts';
$stack->ctl('workspace', 'plan', $dev, 'free');
is tier($dev), 'pro', '... or the other one';

is $stack->ctl('fsck'), 'clean', 'fsck finds nothing';
my ($plain, $plain_api) = stack();
my $alone = $plain->user('ann@example.org');
my $call = sub { my ($method, $path, $json) = @_; return $plain_api->call($method => $path, { token => $alone->{token}, json => $json }) };
my $without = $call->(POST => '/v1/workspaces', { name => 'Alone', slug => 'alone' })->{json}{workspace}{id};
refused($call->(POST => '/v1/billing/checkout', { workspace_id => $without, purpose => 'card' }), '503 UNAVAILABLE',
	'without a provider there is no checkout', qr/^Payments haven't been set up on this service; contact its operator$/);
is $call->(POST => '/v1/billing/checkout', { workspace_id => $without, purpose => 'card' })->{json}{details}{payment}, 'not_set_up',
	'... and programs are told why';
refused($call->(POST => '/v1/billing/rebill-save-card', { workspace_id => $without, session => 'x' }), '503 UNAVAILABLE',
	'... nor a session');
refused($call->(POST => '/v1/account/upgrade', { workspace_id => $without, plan_id => 'team' }), '404 NOT_FOUND',
	'nor are there routes for development');
is $plain_api->call(POST => '/v1/billing/webhook/' . '-', { json => {} })->{status}, 404, '... nor webhooks';
finish($plain, $stack);
