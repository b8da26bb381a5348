# SPDX-License-Identifier: Apache-2.0
# What a workspace pays, in the client: its plan, seats, and invoices.
use utf8;
use Vitrine::Billing;
use Vitrine::Words;

my $pay = Vitrine::Billing::provider();
my ($stack, $api, $db) = stack($pay->conf, leaks => 1);
my ($ann, $ben, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben eve);
my $bill = Vitrine::Billing->new($stack, $pay);
my $ws = $bill->team($ann, 'Northwind');
$stack->seat($ws, $ben, 'member');
sub client { my ($who, @args) = @_; return $stack->client($who->{token}, 'workspace', @args, '--workspace', $ws) }
sub at_terminal {
	my ($typed, @args) = @_;
	return $stack->at_terminal("$typed\n", { VITRINE_TOKEN => $ann->{token} }, 'workspace', @args, '--workspace', $ws);
}
sub gives {
	my ($who, $args, $status, $out, $err, $name) = @_;
	my @r = client($who, @$args);
	is $r[0], $status, $name or diag $r[2];
	ref $out ? like $r[1], $out, '... and prints it' : is $r[1], $out, '... and prints it';
	like $r[2], $err, '... and says so' if $err;
}

gives($ann, ['plan'], 0, '', qr/^the workspace has no subscription$/m, 'no plan at first');
gives($ann, ['seats'], 0, "2 taken of 10\n", undef, 'seats of the plan that there is');
gives($ann, ['invoices'], 0, '', undef, 'no invoices');
gives($ann, ['plan', 'pro', '--yes'], 4, '', qr/has no subscription; vitrine workspace plan PLAN --seats N begins one/,
	'none that could be changed');
gives($ann, ['seats', '5'], 4, '', qr/has no subscription; vitrine workspace plan/, '... nor its seats');
gives($ann, ['plan', 'pro', '--seats', '1', '--yes'], 4, '', qr/2 members/, 'too few seats begin none');
gives($ann, ['seats', '--seats', '3'], 2, '', qr/--seats goes with vitrine workspace plan/, 'only a plan begins with seats');
like at_terminal('y', 'plan', 'pro', '--seats', '3'),
	qr/Nothing is charged now, and 24\.00 USD a month for 3 seats from 20\d\d-\d\d-\d\d on\. Begin pro\?.*pro  trialing  3 seats/s,
	'a plan is begun, and first it is said what it costs';
gives($ben, ['plan'], 0, qr/^pro  trialing  3 seats  24\.00 USD a month  free until 20\d\d-\d\d-\d\d\n\z/, undef, 'members see it');
gives($ann, ['seats'], 0, "2 taken of 3\n", undef, 'its seats');
gives($ann, ['seats', '1'], 4, '', qr/2 members/, 'too few');
gives($ann, ['seats', 'many'], 2, '', qr/many isn't a number/, 'what is no number');
gives($ann, ['seats', '4'], 0, qr/^pro  trialing  4 seats .*\n\z/, undef, 'more are there at once in a trial');
gives($ben, ['seats', '4'], 1, '', qr/This requires the role of admin or owner/, 'members choose none');
$bill->card($ws);
$bill->later(16 * 86400);
$bill->run;
gives($ben, ['plan'], 0, qr/^pro  active  4 seats  32\.00 USD a month  paid until 20\d\d-\d\d-\d\d\n\z/, undef, 'a period that is paid');
gives($ben, ['invoices'], 0, qr/^20\d\d-0001  20\d\d-\d\d-\d\d  paid         32\.00 USD  Pro, .*4 seats\n\z/, undef, 'its invoice');
gives($ann, ['plan', 'team'], 1, '', qr/nothing has changed; --yes changes it without asking/, 'a change is asked about');
gives($ann, ['plan', 'pro', '--seats', '5', '--yes'], 4, '', qr/has a subscription already; vitrine workspace plan PLAN changes its plan/,
	'one that is there is not begun');
like at_terminal('n', 'plan', 'team'),
	qr/The stored card is charged \d\d\.\d\d USD now, and 60\.00 USD a month for 4 seats from 20\d\d-\d\d-\d\d on\. Change to team\?/,
	'with its price';
is $bill->tier($ws), 'pro', '... and not made';
gives($ann, ['plan', 'team', '--yes'], 0, qr/^team  active  4 seats  60\.00 USD a month/, undef, 'then it is made');
is scalar($bill->invoices($ws)), 2, '... and charged';
gives($ann, ['plan', 'pro', '--yes'], 0, qr/^team  active .*\n  pro from then on\n\z/, undef, 'a lower one waits');
gives($ann, ['plan', 'enterprise', '--yes'], 1, '', qr/enterprise can't be bought here/, 'one that is not for sale');
like +(client($ann, 'plan', '--json'))[1], qr/^\{"success":true,"subscription":\{"id":"sub_/, '--json gives the reply';
$pay->fault(charge => 'decline No');
$bill->plan($ws, 'team');
$bill->cancel($ws);
gives($ann, ['plan'], 0, qr/^team  cancelled  4 seats .* until 20\d\d/, undef, 'one that is cancelled');
gives($ann, ['plan', 'pro', '--yes'], 4, '', qr/is cancelled; Settings, Plan and billing/, '... is not changed');
gives($eve, [$_], 1, '', qr/There is no workspace \Q$ws\E, or you/, "others see no $_") for qw(plan seats invoices);
finish($stack);
