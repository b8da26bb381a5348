# SPDX-License-Identifier: Apache-2.0
# What happens to subscriptions without a caller (runner/pay.c, billing/): trials and periods that end, retries with their mails, eight
# runners, kill -9 between charge and settling, lost replies, a runner that was down, a clock that steps; webhooks, and what the provider
# told nobody.
use utf8;
use Vitrine::Billing;
use Vitrine::Smtp;
use Vitrine::Words qw(as refused said);

use Time::HiRes 'sleep';

my ($pay, $smtp) = (Vitrine::Billing::provider(), Vitrine::Smtp->new);
my ($stack, $api, $db) = stack($pay->conf, $smtp->conf, payments_per_hour => 100_000);
my $b = Vitrine::Billing->new($stack, $pay);
# Nobody owns more than ten workspaces.
my $owners = 0;
sub owner { return $stack->user('owner' . ++$owners . '@example.org') }
my $day = 86400;
my $app = "https://vitrine.localhost:$stack->{port}";
sub until_true { my ($what, $test) = @_; Vitrine::Stack::wait_for($what, 90, $test) }
# Each part is alone.
sub part {
	my ($name, $do) = @_;
	$b->still;
	$b->ran;
	mails();
	$pay->fault($_, undef) for qw(charge find key link any pay refund);
	return subtest $name => $do;
}
# What has been sent since the last time.
my $read = 0;
sub mails { my @all = $smtp->mails; my @new = @all[$read .. $#all]; $read = @all; return @new }
sub subjects { return join '; ', map { $_->{headers}{subject} } @_ }
# On one line, since lines break anywhere.
sub text_of { my ($m) = @_; my $text = $m ? $m->{parts}{'text/plain'} : ''; note $text; return $text =~ s/\n/ /gr }
sub charges { return scalar grep { $_->{key} } $pay->payments }
sub paid_of { my ($ws) = @_; return join ' ', map { "$_->{amount_cents} $_->{status}" } reverse $b->invoices($ws) }
sub try_states {
	my ($ws) = @_;
	return join ' ', map { $_->[0] } @{$db->selectall_arrayref('SELECT t.state FROM invoice i '
		. 'JOIN invoice_try t ON t.invoice_id = i.id WHERE i.workspace_id = ? ORDER BY i.no, t.no', undef, $ws)};
}
# A runner's process with nothing but this lane; ends by force.
sub lane { my ($name) = @_; $stack->start_runner($name, '--stay', '--lanes', 'billing') }
sub kill_lane {
	my ($name) = @_;
	my %l = $stack->lanes($name);
	my $pid = delete $stack->{pids}{$name};
	kill KILL => $pid, values %l;
	waitpid $pid, 0;
}

part 'a trial with a card' => sub {
	my $ws = $b->team(owner(), 'Trial');
	is said($b->subscribe($ws, 'pro', 3)), '201 ', 'a trial begins';
	is $b->status($ws) . ' ' . $b->tier($ws), 'trialing pro', 'it has its plan';
	is said($b->card($ws)), '200 ', 'with a card';
	$b->run;
	is subjects(mails()), '', 'nothing is told yet';
	$b->later($b->until($ws, 'period_end') - 3 * $day + 60);
	$b->run;
	my ($told, @more) = mails();
	is @more, 0, 'three days before its end there is one mail';
	like text_of($told), qr/Trial.*charge 24\.00 USD to your card, Visa ending in 4242/s, 'with what will be charged'
		or diag $told->{raw};
	$b->run;
	is subjects(mails()), '', 'and no second';
	is charges(), 0, 'nothing was charged so far';
	$b->to_end($ws);
	is $b->status($ws) . ' ' . $b->tier($ws), 'active pro', 'at its end the workspace keeps its plan, though no runner has been there';
	$b->run;
	is paid_of($ws), '2400 paid', 'it is charged';
	is $b->status($ws), 'active', 'it goes on';
	my ($receipt) = mails();
	like text_of($receipt), qr{24\.00 USD.*/plan/invoices/ivc_\w{26} }, 'with a receipt, which leads to the invoice'
		or diag $receipt->{raw};
	my $sub = $b->sub_of($ws);
	is $sub->{current_period_start}, $sub->{trial_ends_at} // $sub->{current_period_start}, 'the period begins where the trial ended';
	$b->run;
	is charges(), 1, 'once';
	$b->balanced($ws);
	is join(' ', $b->moves($ws)), join(' ', grep { defined } $b->moves($ws)), 'its history has words';
};

part 'a trial without a card' => sub {
	my $ws = $b->team(owner(), 'Cardless');
	$b->subscribe($ws, 'team', 3);
	$b->later($b->until($ws, 'period_end') - 2 * $day);
	$b->run;
	my ($told) = mails();
	like text_of($told), qr/Cardless.*card/s, 'the mail says that a card is missing' or diag $told->{raw};
	$b->to_end($ws);
	is $b->status($ws) . ' ' . $b->tier($ws), 'expired free', 'it ends by itself';
	$b->run;
	my ($ended) = mails();
	like text_of($ended), qr/Cardless/, 'and that is told' or diag $ended->{raw};
	is $b->tier($ws), 'free', 'and stays so';
	$b->run;
	is subjects(mails()), '', 'once';
	refused($b->subscribe($ws, 'team', 3), '402 PAYMENT_REQUIRED', 'there is one trial');
	$b->balanced($ws);
};

part 'three mails, then paid' => sub {
	my $ws = $b->paying(owner(), 'Late', 'pro', 2);
	$b->run;
	mails();
	my ($card) = map { $_->{card} } grep { $_->{metadata}{workspace} eq $ws && $_->{card} } $pay->payments;
	$pay->card_says($card, 'The card has expired');
	my $end = $b->until($ws, 'period_end');
	$b->to_end($ws);
	my @text;
	for my $at (0, 3, 7) {
		$b->run;
		my ($mail, @more) = mails();
		is @more, 0, "day $at: one mail" or diag subjects(@more);
		push @text, $mail ? text_of($mail) : '';
		is $b->status($ws) . ' ' . $b->tier($ws), 'past_due pro', 'it is past due and has its plan';
		$b->run;
		is subjects(mails()), '', 'and isn\'t tried again at once';
		$b->later(($at == 0 ? 3 : $at == 3 ? 4 : 5) * $day);
	}
	like $text[$_], qr/Late.*The card has expired/s, 'mail ' . ($_ + 1) . ' says why' or diag $text[$_] for 0 .. 2;
	like $text[0], qr{https://\S+}, 'and where to go';
	$pay->card_says($card, '');
	$b->run;
	is $b->status($ws), 'active', 'the fourth time it is paid';
	is try_states($ws), 'paid declined declined declined paid', 'with one invoice for all tries';
	is paid_of($ws), '1600 paid 1600 paid', 'of one amount';
	ok abs($b->until($ws, 'period_start') + 12 * $day) < 900, 'and the period begins where the last one ended'
		or diag $b->until($ws, 'period_start');
	like text_of((mails())[0]), qr/16\.00 USD/, 'with a receipt';
	$b->balanced($ws);
};

part 'never paid' => sub {
	my $ws = $b->team(owner(), 'Never');
	$b->subscribe($ws, 'pro', 2);
	$b->card($ws, '4000000000000341');
	$b->to_end($ws);
	for (0, 3, 4, 5) { $b->later($_ * $day); $b->run }
	is try_states($ws), 'declined declined declined declined', 'four tries';
	is $b->status($ws), 'past_due', 'until the fourteenth day';
	mails();
	$b->later(2 * $day);
	is $b->status($ws) . ' ' . $b->tier($ws), 'expired free', 'then it is over';
	$b->run;
	like text_of((mails())[0]), qr/Never/, 'which is told';
	$b->run;
	is subjects(mails()), '', 'once';
	is paid_of($ws), '1600 failed', 'the invoice ends, too';
	$b->balanced($ws);
	is said($b->card($ws)), '200 ', 'with another card';
	is said($b->activate($ws)), '200 ', 'it can be activated again';
	is $b->status($ws) . ' ' . $b->tier($ws), 'active pro', 'from now on';
	$b->balanced($ws);
	mails();
};

part 'a runner that was down' => sub {
	my ($one, $many) = map { $b->paying(owner(), $_, 'pro', 1) } qw(Down-one Down-many);
	my $before = charges();
	$b->to_end($many, 2 * $day);
	is $b->tier($many), 'pro', 'two days over the end it has its plan';
	$b->run;
	$b->run;
	is charges() - $before, 2, 'then each is charged once, the other one after sixteen days more';
	$b->later(100 * $day);
	is $b->tier($one), 'free', 'over three months nobody has what isn\'t paid';
	$before = charges();
	$b->run;
	$b->run;
	is charges() - $before, scalar(@{$db->selectall_arrayref('SELECT id FROM subscription WHERE ended_at IS NULL')}),
		'then each is charged once, for the present period';
	ok $b->until($one, 'period_start') > -900 && $b->until($many, 'period_start') > -900 && $b->until($one, 'period_end') > 27 * $day,
		'which begins now';
	$b->balanced($_) for $one, $many;
	mails();
};

part 'a clock that steps' => sub {
	my $ws = $b->paying(owner(), 'Clock', 'pro', 1);
	$b->to_end($ws, 60);
	$b->run;
	my $before = charges();
	$b->later(-3600);
	$b->run;
	is charges(), $before, 'back over the end of a period: nothing is charged again';
	is $b->tier($ws), 'pro', 'and nothing lost';
	$b->later(7200);
	$b->run;
	is charges(), $before, 'nor forth again';
	$b->balanced($ws);
	mails();
};

part 'lost replies' => sub {
	for my $what ('lost', 'broken', 'garbage', 'amount') {
		$b->still;
		my $ws = $b->paying(owner(), "Reply $what", 'pro', 1);
		$pay->fault(charge => $what);
		$b->to_end($ws);
		my $before = charges();
		$b->ran;
		is try_states($ws), 'paid sent', "$what: nobody knows";
		is $b->tier($ws), 'pro', 'and nobody loses anything';
		refused($b->seats($ws, 2), '409 CONFLICT', 'meanwhile nothing is changed');
		$b->later(60);
		$b->ran;
		is try_states($ws), 'paid sent', 'nor asked too early';
		$b->later(100);
		$b->run;
		is try_states($ws), 'paid paid', 'then it is found out';
		is charges() - $before, 1, 'and was charged once';
		is said($b->seats($ws, 2)), '200 ', 'it can be changed again';
		$b->balanced($ws);
	}
	for my $what ('cut', 'status 500', 'status 429 3') {
		$b->still;
		my $ws = $b->paying(owner(), "Away $what", 'pro', 1);
		$pay->fault(charge => $what);
		$b->to_end($ws);
		$b->ran;
		is try_states($ws), 'paid sent', "$what: nobody knows";
		$b->later(130);
		$b->run;
		is try_states($ws), 'paid lost', 'then it turns out that it was never made';
		$b->later(3700);
		$b->run;
		is try_states($ws), 'paid lost paid', 'and it is made';
		$b->balanced($ws);
	}
	$b->still;
	my $ws = $b->paying(owner(), 'Twice', 'pro', 1);
	$pay->fault(charge => 'cut');
	$b->to_end($ws);
	$b->ran;
	my ($key) = map { $_->{headers}{'idempotency-key'} } reverse $pay->calls(qr{^POST /v3/payments$});
	$b->later(130);
	$b->run;
	$b->later(3700);
	$b->run;
	is try_states($ws), 'paid lost paid', 'one that was taken as lost was made again';
	$pay->arrive($key);
	isnt join('', $b->unbalanced($ws)), '', 'and gets there after all';
	$b->later(8 * 3600);
	$b->run;
	$b->run;
	$b->balanced($ws, 'it goes back');
	is $pay->payments && (grep { ($_->{key} // '') eq $key } $pay->payments)[0]{status}, 'refunded', 'at the provider';
	mails();
};

part 'undecided for a while' => sub {
	my $ws = $b->paying(owner(), 'Pending', 'pro', 1);
	$pay->fault(charge => 'pending -1');
	$b->to_end($ws);
	$b->run;
	$b->later(130);
	$b->run;
	is try_states($ws), 'paid sent', 'it stays in the open';
	my ($p) = grep { $_->{status} eq 'pending' } $pay->payments;
	$pay->decide($p->{id}, 'approved');
	$b->later(130);
	$b->run;
	is try_states($ws), 'paid paid', 'until it is decided';
	$b->balanced($ws);
	mails();
};

part 'kill -9 between charge and settling' => sub {
	my $ws = $b->paying(owner(), 'Killed', 'pro', 1);
	my $before = charges();
	$b->to_end($ws);
	$pay->fault(charge => 'mute');
	lane('runner-a');
	until_true('the charge', sub { charges() > $before });
	kill_lane('runner-a');
	is try_states($ws), 'paid sent', 'it was charged, and nobody has written it down';
	$b->run;
	is try_states($ws), 'paid sent', 'the next runner leaves it alone at first';
	$b->later(130);
	$b->run;
	is try_states($ws), 'paid paid', 'and finds out later';
	is charges() - $before, 1, 'it was charged once';
	$b->balanced($ws);
	mails();
};

part 'eight runners' => sub {
	my @all = map { $b->paying(owner(), "Many $_", 'pro', $_) } 1 .. 10;
	my $before = charges();
	$b->to_end($all[-1], 60);
	my $due = $db->selectrow_array('SELECT COUNT(*) FROM subscription WHERE ended_at IS NULL AND due_at <= UNIX_TIMESTAMP()');
	cmp_ok $due, '>=', 10, 'many are due';
	lane("runner-$_") for 1 .. 8;
	until_true('all are charged', sub {
		!$db->selectrow_array('SELECT COUNT(*) FROM subscription WHERE ended_at IS NULL AND due_at <= UNIX_TIMESTAMP()')
			&& !$db->selectrow_array('SELECT COUNT(*) FROM invoice WHERE busy_of IS NOT NULL');
	});
	$stack->stop_one("runner-$_") for 1 .. 8;
	is charges() - $before, $due, 'each is charged once';
	$b->balanced($_) for @all;
	mails();
};

part 'webhooks' => sub {
	my $ws = $b->paying(owner(), 'Hooks', 'pro', 1);
	$pay->events;
	my ($p) = reverse grep { $_->{metadata}{workspace} eq $ws && $_->{amount_cents} } $pay->payments;
	$pay->decide($p->{id}, 'charged_back');
	my @events = $pay->events;
	is_deeply [$pay->deliver($app, \@events, key => 'wrong')], [401], 'a forged one is refused';
	is $b->tier($ws), 'pro', 'and does nothing';
	is_deeply [$pay->deliver($app, [@events, @events])], [200, 200], 'one that comes twice is taken';
	$b->run;
	is paid_of($ws), '800 refunded', 'a payment that was charged back is no payment';
	is $b->tier($ws), 'free', 'and its period ends';
	$b->balanced($ws);
	my ($mail) = mails();
	like text_of($mail), qr/Hooks/, 'which is told' or diag $mail->{raw};
	$b->run;
	is join(' ', map { text_of($_) } mails()), '', 'once';
};

part 'what the provider told nobody' => sub {
	my $ws = $b->team(owner(), 'Silent');
	$b->subscribe($ws, 'pro', 2);
	my $url = $b->checkout($ws, 'activate');
	$pay->session($url);
	$pay->events;
	is $b->status($ws), 'trialing', 'somebody paid, and never came back';
	$b->later(700);
	$b->run;
	is paid_of($ws), '1600 paid', 'it is found out';
	$b->balanced($ws);
	my ($p) = reverse grep { $_->{metadata}{workspace} eq $ws } $pay->payments;
	$pay->decide($p->{id}, 'charged_back');
	$pay->events;
	my $said = $stack->ctl('billing', 'reconcile', $db->selectrow_array('SELECT slug FROM workspace WHERE id = ?', undef, $ws));
	like $said, qr/^invoice \Q$p->{id}\E: .+\n\d+ asked about, 1 found, 0 failed\n*\z/, 'an operator can ask at once' or diag $said;
	is paid_of($ws), '1600 refunded', 'and it is dealt with';
	$b->balanced($ws);
	my $shown = $stack->ctl('billing', 'show', $ws);
	like $shown, qr/^workspace +\Q$ws\E.*pay_\w+.*#1/ms, 'what happened is shown' or diag $shown;
	note $shown;
	mails();
};

part 'the provider was down while a paid link grew old' => sub {
	my $ws = $b->team(owner(), 'Old link');
	$b->subscribe($ws, 'pro', 2);
	$pay->session($b->checkout($ws, 'activate'));
	$pay->events;
	$pay->fault(key => 'status 500', 0);
	for (1 .. 2) {
		$b->later(100 * 86400);
		$b->run;
	}
	is $db->selectrow_array('SELECT COUNT(*) FROM billing_checkout WHERE workspace_id = ?', undef, $ws), 1,
		'the link is kept until the provider has answered';
	$pay->fault(key => undef);
	$b->later(8 * 86400);
	$b->run;
	is paid_of($ws), '1600 paid', 'then it counts';
	$b->later(8 * 86400);
	$b->run;
	$b->balanced($ws);
	is $db->selectrow_array('SELECT COUNT(*) FROM billing_checkout WHERE workspace_id = ?', undef, $ws), 0, 'and the link is gone';
	mails();
};

part 'seats that wait' => sub {
	my $ws = $b->paying(owner(), 'Seats', 'pro', 2);
	is said($b->seats($ws, 5)), '200 ', 'more from the next period on';
	$b->to_end($ws);
	$b->run;
	is paid_of($ws), '1600 paid 4000 paid', 'are charged then';
	is $b->sub_of($ws)->{seats}, 5, 'and count';
	is said($b->plan($ws, 'team')), '200 ', 'a higher plan counts at once';
	is $b->tier($ws), 'team', 'and is there';
	$b->balanced($ws);
	mails();
};

part 'without a provider' => sub {
	my $ws = $b->team(owner(), 'Off');
	$b->subscribe($ws, 'pro', 1);
	$b->to_end($ws);
	my %conf = %{$stack->{conf}};
	delete @{$stack->{conf}}{grep { /^payment_/ } keys %conf};
	$stack->write_conf;
	$b->run;
	is $b->status($ws), 'expired', 'what is over ends';
	like text_of((mails())[-1]), qr/Off/, 'and that is told';
	$stack->{conf} = \%conf;
	$stack->write_conf;
	$pay->stop;
	my $other = $b->team(owner(), 'Dead');
	$b->subscribe($other, 'pro', 1);
	$b->to_end($other);
	$b->run;
	is $b->status($other), 'expired', 'also while the provider is away';
};

finish($stack);
