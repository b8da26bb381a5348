# SPDX-License-Identifier: Apache-2.0
# Whatever order things come in: trials, seats, plans, cards, links paid and left, cancelled, activated, declined, lost replies, webhooks
# late, doubled, reversed and forged, payments charged back, kill -9 of runners and workers, a clock that steps. What was taken is what
# invoices and history say; nobody has two live subscriptions, has a plan without a reason, or lacks what is paid. VITRINE_SEED repeats one,
# VITRINE_LONG does ten times as much.
use Vitrine::Billing;
use Vitrine::Words qw(as said);

use Time::HiRes 'sleep';

my $seed = $ENV{VITRINE_SEED} // int(time * 1000) % 1_000_000;
srand $seed;
diag "VITRINE_SEED=$seed";
my $pay = Vitrine::Billing::provider();
my ($stack, $api, $db) = stack($pay->conf, workers => 4, payments_per_hour => 100_000);
# What kill -9 does to requests.
$stack->expect_alert(qr/upstream prematurely|recv\(\)|readv\(\)/);
$stack->expect_internal;
my $b = Vitrine::Billing->new($stack, $pay);
my $app = "https://vitrine.localhost:$stack->{port}";
my ($day, $steps) = (86400, $ENV{VITRINE_LONG} ? 900 : 90);
my @owners = map { $stack->user("owner$_\@example.org") } 1 .. 3;
my @teams = map { $b->team($owners[$_], "Team $_") } 0 .. 2;
my (@late, @sessions, @log);
my %rank = (free => 0, pro => 1, team => 2, enterprise => 3);
my $json = Cpanel::JSON::XS->new->utf8;

sub one { return $_[rand @_] }
sub charges { return scalar grep { $_->{key} } $pay->payments }
sub come { push @late, $pay->events }

# What the rows say that a workspace must have at least, and whether there is a reason for having anything. $now: seconds since 1970.
sub reasons {
	my ($ws, $now) = @_;
	my ($least, $why) = (0, '');
	for (@{$db->selectall_arrayref("SELECT period_start, period_end, intent, kind, subscription_id FROM invoice WHERE workspace_id = ? "
		. "AND status = 'paid'", undef, $ws)}) {
		my ($from, $to, $intent, $kind, $sub) = @$_;
		my $given_back = $db->selectrow_array("SELECT COUNT(*) FROM invoice WHERE subscription_id = ? AND status = 'refunded'",
			undef, $sub);
		my $went = $db->selectrow_array('SELECT COUNT(*) FROM billing_refund r JOIN invoice i ON i.payment_id = r.payment_id '
			. 'WHERE i.subscription_id = ?', undef, $sub);
		my $tier = $rank{$json->decode($intent)->{plan_id}};
		($least, $why) = ($tier, "$kind paid") if $from <= $now && $now < $to && $tier > $least && !$given_back && !$went;
		$why ||= "$kind paid, in grace" if $to <= $now && $now < $to + 14 * $day;
		# The clock steps back by an hour, now and then more than once.
		$why ||= "$kind paid" if $from - 8 * 3600 <= $now && $now < $to;
	}
	my ($trial) = $db->selectrow_array('SELECT MAX(trial_ends_at) FROM subscription WHERE workspace_id = ? AND ended_at IS NULL',
		undef, $ws);
	my $card = $db->selectrow_array('SELECT COUNT(*) FROM billing_account WHERE workspace_id = ? AND card_id IS NOT NULL', undef, $ws);
	$why ||= 'trial' if $trial && $now < $trial;
	$why ||= 'trial, in grace' if $trial && $card && $now < $trial + 14 * $day;
	return ($least, $why);
}

sub check {
	my ($after) = @_;
	my @wrong;
	for my $ws (@teams) {
		my ($least, $why) = reasons($ws, time);
		my $has = $rank{$b->tier($ws) // 'free'};
		push @wrong, "$ws has $has and has paid for $least ($why)" if $has < $least;
		push @wrong, "$ws has $has for no reason" if $has && !$why;
		my $live = $db->selectrow_array('SELECT COUNT(*) FROM subscription WHERE workspace_id = ? AND ended_at IS NULL',
			undef, $ws);
		push @wrong, "$ws has $live live subscriptions" if $live > 1;
	}
	return is join('; ', @wrong), '', "after $after" || 0;
}

# ---- what can happen

sub kill_runner {
	my ($name, $after) = @_;
	$stack->start_runner($name, '--stay', '--lanes', 'billing');
	$after->();
	my %l = $stack->lanes($name);
	my $pid = delete $stack->{pids}{$name};
	kill KILL => $pid, values %l;
	waitpid $pid, 0;
}

my %ops = (
	subscribe => sub { my ($ws) = @_; return said($b->subscribe($ws, one('pro', 'team'), 1 + int rand 6)) },
	seats => sub { my ($ws) = @_; return said($b->seats($ws, one(0, 1, 2, 3, 5, 9))) },
	plan => sub { my ($ws) = @_; return said($b->plan($ws, one('pro', 'team', 'free'))) },
	cancel => sub { my ($ws) = @_; return said($b->cancel($ws)) },
	activate => sub { my ($ws) = @_; return said($b->activate($ws)) },
	card => sub {
		my ($ws) = @_;
		my $r = $b->card($ws, one('4242424242424242', '5555555555554444', '4000000000000341'));
		return $r ? said($r) : 'no link';
	},
	link => sub {
		my ($ws) = @_;
		my $url = $b->checkout($ws, 'activate') // return 'no link';
		my $session = $pay->session($url);
		push @sessions, [$ws, $session];
		return 'left' if rand() < 0.4;
		return said($b->activate($ws, $session));
	},
	again => sub {
		my ($ws, $session) = @{one(@sessions) // return 'none'};
		my $at = one(@teams);
		my $r = $b->activate($at, one($session, { paymentId => $session }));
		return said($r) if $at eq $ws;
		ok $r->{status} >= 400, 'a session of another workspace is no use' or diag $r->{body};
		return said($r);
	},
	fault => sub {
		my $what = one('decline', 'decline No funds', 'lost', 'cut', 'broken', 'status 500', 'status 429 2', 'pending 1',
			'garbage', 'refuse');
		$pay->fault(one('charge', 'charge', 'find', 'key') => $what);
		return $what;
	},
	hooks => sub {
		my $how = one('in order', 'doubled', 'reversed', 'late', 'forged');
		come();
		return $how if $how eq 'late' || !@late;
		my @send = $how eq 'doubled' ? (@late, @late) : $how eq 'reversed' ? reverse(@late) : @late;
		@send = ({ id => "evt_forged_" . int rand 1e9, type => 'payment.updated',
			data => { payment_id => one(map { $_->{id} } $pay->payments) } }) if $how eq 'forged';
		@late = () if $how ne 'forged';
		my @said = $pay->deliver($app, \@send, $how eq 'forged' ? (key => 'not ours') : ());
		my %said = map { $_ => 1 } @said;
		is join(' ', sort keys %said), $how eq 'forged' ? 401 : 200, "webhooks $how";
		return $how;
	},
	charged_back => sub {
		return 'spared' if rand() < 0.6;
		my @all = grep { $_->{status} eq 'approved' && $_->{amount_cents} } $pay->payments;
		my $p = one(@all) // return 'none';
		$pay->decide($p->{id}, 'charged_back');
		return $p->{id};
	},
	runner => sub { $b->ran; return '' },
	later => sub { my $s = one(3600, $day, 3 * $day, 8 * $day, 16 * $day, 31 * $day, 70 * $day); $b->later($s); return "$s s" },
	back => sub { $b->later(-3600); return '' },
	kill_runner => sub {
		$pay->fault(charge => 'mute') if rand() < 0.5;
		my $before = charges();
		kill_runner('runner-k' . int(rand 1e6), sub { for (1 .. 20) { last if charges() > $before; sleep 0.05 } sleep rand 0.1 });
		return charges() > $before ? 'in the middle' : '';
	},
	kill_worker => sub {
		my ($ws) = @_;
		$pay->fault(charge => one('mute', 'lost'));
		my $before = charges();
		my $what = one('activate', 'plan', 'subscribe');
		my $pid = fork // die;
		if (!$pid) {
			my $mine = Vitrine::Api->new($stack);
			eval { $what eq 'plan' ? $b->plan($ws, 'team') : $what eq 'activate' ? $b->activate($ws)
				: $b->subscribe($ws, 'team', 4) };
			POSIX::_exit(0);
		}
		for (1 .. 30) { last if charges() > $before || waitpid($pid, POSIX::WNOHANG()); sleep 0.05 }
		$stack->kill_workers;
		waitpid $pid, 0;
		$pay->fault(charge => undef);
		sleep 0.3;
		return "$what " . (charges() > $before ? 'in the middle' : '');
	},
);
# How often, beside once.
my @names = sort keys %ops;
push @names, qw(subscribe subscribe card card link runner runner runner later later later activate plan hooks fault);

for my $n (1 .. $steps) {
	my ($name, $ws) = (one(@names), one(@teams));
	my $came = eval { $ops{$name}->($ws) } // "died: $@";
	push @log, "$n $name " . (grep { $teams[$_] eq $ws } 0 .. $#teams)[0] . " $came";
	unlike $came, qr/^died|^500/, "$name ends well" or diag "VITRINE_SEED=$seed\n" . join "\n", @log;
	check("$log[-1]")
		or diag("VITRINE_SEED=$seed\n", join("\n", @log), map { "\n$_\n" . $stack->ctl('billing', 'show', $_) } @teams), last;
}

# ---- all that is open comes to its end

$pay->fault($_ => undef) for qw(charge find key link pay refund any);
for my $p (grep { $_->{status} eq 'pending' } $pay->payments) { $pay->decide($p->{id}, one('approved', 'rejected')) }
come();
$pay->deliver($app, [reverse @late]) if @late;
for (1 .. 6) {
	$b->ran;
	$b->later(7300);
	$db->do("UPDATE $_ SET check_at = 0 WHERE check_at IS NOT NULL") for qw(invoice invoice_try billing_checkout);
}
$b->run;
check('the end');
$b->balanced($_) or diag("VITRINE_SEED=$seed\n", join("\n", @log), "\n", $stack->ctl('billing', 'show', $_), join "\n", map {
	join ' ', $_->{id}, $_->{status}, $_->{amount_cents}, $_->{key} // $_->{link};
} grep { $_->{metadata}{workspace} eq $teams[0] || 1 } $pay->payments) for @teams;
is $db->selectrow_array('SELECT COUNT(*) FROM invoice WHERE busy_of IS NOT NULL'), 0, 'nothing stays in the open';
is $db->selectrow_array('SELECT COUNT(*) FROM billing_refund WHERE due_at IS NOT NULL'), 0, 'and what had to go back went';
my %keys;
$keys{$_->{key}}++ for grep { $_->{key} } $pay->payments;
is join(' ', grep { $keys{$_} > 1 } sort keys %keys), '', 'nothing was charged twice';
is scalar(grep { /4242424242424242|5555555555554444|4000000000000341/ } map { Vitrine::Stack::slurp("$stack->{dir}/$_") } qw(worker.log
	runner.log)), 0, 'no number of a card is in a log';
is scalar(grep { index(Vitrine::Stack::slurp("$stack->{dir}/$_"), $pay->{key}) >= 0 } qw(worker.log runner.log)), 0, 'nor the key';
finish($stack);
