# SPDX-License-Identifier: Apache-2.0
# What tests of billing do again and again: workspaces with cards, the provider's page, months that go by, and what is asked and compared
# afterwards.
package Vitrine::Billing;
use strict;
use warnings;
use Test::More import => [qw(is diag explain)];
use Time::Local 'timegm';
use Vitrine::Payment;
use Vitrine::Stack;
use Vitrine::Words ();

# Settings of a stack where one can pay; the provider comes along.
sub provider { return Vitrine::Payment->new(Vitrine::Stack::test_tls()) }
sub new { my ($class, $stack, $pay) = @_; return bless { stack => $stack, db => $stack->db, pay => $pay, owners => {} }, $class }

sub as { shift; return Vitrine::Words::as(@_) }
sub team {
	my ($b, $owner, $name) = @_;
	my $ws = $b->as($owner, POST => '/v1/workspaces', { name => $name })->{json}{workspace}{id} // die "no workspace\n";
	$b->{owners}{$ws} = $owner;
	return $ws;
}
sub by { my ($b, $ws, $method, $path, $body) = @_; return $b->as($b->{owners}{$ws}, $method, $path, $body) }
# Without one it has none.
sub sub_of { my ($b, $ws) = @_; return $b->by($ws, GET => "/v1/billing/subscription?workspace_id=$ws")->{json}{subscription} }
sub status { my ($b, $ws) = @_; return ($b->sub_of($ws) // { status => 'none' })->{status} }
sub tier { my ($b, $ws) = @_; return $b->by($ws, GET => "/v1/account/tier?workspace_id=$ws")->{json}{tier} }
sub invoices { my ($b, $ws) = @_; return @{$b->by($ws, GET => "/v1/billing/invoices?workspace_id=$ws&limit=100")->{json}{invoices} // []} }
sub subscribe {
	my ($b, $ws, $plan, $seats) = @_;
	return $b->by($ws, POST => '/v1/billing/subscribe', { workspace_id => $ws, plan_id => $plan, seats => $seats });
}
sub seats {
	my ($b, $ws, $seats) = @_;
	return $b->by($ws, PATCH => '/v1/billing/subscription/seats', { workspace_id => $ws, seats => $seats });
}
sub plan {
	my ($b, $ws, $plan) = @_;
	return $b->by($ws, PATCH => '/v1/billing/subscription/plan', { workspace_id => $ws, plan_id => $plan });
}
sub cancel { my ($b, $ws) = @_; return $b->by($ws, DELETE => '/v1/billing/subscription', { workspace_id => $ws }) }
sub activate {
	my ($b, $ws, $session) = @_;
	return $b->by($ws, POST => '/v1/billing/rebill-activate', { workspace_id => $ws, defined $session ? (session => $session) : () });
}
# The address of the provider's page.
sub checkout {
	my ($b, $ws, $purpose) = @_;
	return $b->by($ws, POST => '/v1/billing/checkout', { workspace_id => $ws, purpose => $purpose })->{json}{url};
}
# A card is left there and comes back.
sub card {
	my ($b, $ws, $number) = @_;
	my $url = $b->checkout($ws, 'card') // return;
	return $b->by($ws, POST => '/v1/billing/rebill-save-card', { workspace_id => $ws, session => $b->{pay}->session($url, $number) });
}
# A workspace whose first period has been paid, on the provider's page.
sub paying {
	my ($b, $owner, $name, $plan, $seats, $number) = @_;
	my $ws = $b->team($owner, $name);
	$b->subscribe($ws, $plan, $seats)->{status} =~ /^20/ or die "not subscribed\n";
	$b->card($ws, $number);
	$b->activate($ws);
	$b->status($ws) eq 'active' or die "not active\n" . explain $b->sub_of($ws);
	return $ws;
}

sub run { my ($b) = @_; my ($status, undef, $err) = $b->{stack}->runner; return is $status, 0, 'the runner ran' || diag $err }
sub ran { my ($b) = @_; my ($status) = $b->{stack}->runner; return $status == 0 }

# So many seconds go by: everything that has a time was that much earlier. Periods stay as they are, and end where their months do.
my %times = (billing_account => [qw(trial_used_at card_saved_at)], billing_trial_card => ['used_at'],
	subscription => [qw(trial_ends_at period_start period_end cancelled_at ends_at ended_at told_at due_at lease_until created_at)],
	subscription_move => ['at'], invoice => [qw(period_start period_end busy_at paid_at created_at check_at)],
	invoice_try => [qw(at check_at)], billing_checkout => [qw(made_at expires_at used_at check_at)],
	billing_refund => [qw(made_at due_at)], billing_event => [qw(received_at due_at)], workspace => [qw(paid_until plan_due)]);
sub later {
	my ($b, $seconds) = @_;
	my $db = $b->{db};
	for my $table (sort keys %times) {
		$db->do("UPDATE $table SET " . join ', ', map { "$_ = $_ - $seconds" } @{$times{$table}});
	}
	periods($db, $seconds);
}
# Months begin where periods do, and what is open is compared with what is due now, to the letter. All of a workspace, or of everyone.
sub periods {
	my ($db, $seconds, $ws) = @_;
	my @only = defined $ws ? (' WHERE workspace_id = ?', undef, $ws) : ('');
	$db->do("UPDATE subscription SET anchor_at = period_end$only[0]", @only[1 .. $#only]);
	for (@{$db->selectall_arrayref("SELECT id, intent, kind, status FROM invoice$only[0]", @only[1 .. $#only])}) {
		my ($id, $intent, $kind, $status) = @$_;
		$intent =~ s/"(trial_ends_at|period_start|period_end)": ?([1-9]\d*)/"\"$1\":" . ($2 - $seconds)/ge;
		my ($from, $to) = $intent =~ /"period_start":(\d+).*"period_end":(\d+)/;
		my $renews = $kind eq 'renew' && $status eq 'open';
		$to = month_after($from) if $renews;
		$intent =~ s/"anchor_at":\d+/'"anchor_at":' . ($renews ? $from : $to)/e;
		$intent =~ s/"period_end":\d+/"period_end":$to/;
		$db->do('UPDATE invoice SET intent = ?, period_end = ? WHERE id = ?', undef, $intent, $to, $id);
	}
}
# The same day of the next month, or that one's last.
sub month_after {
	my ($s, $min, $h, $day, $month, $year) = gmtime $_[0];
	($year, $month) = $month == 11 ? ($year + 1, 0) : ($year, $month + 1);
	my $last = (31, $year % 4 ? 28 : 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[$month];
	return timegm($s, $min, $h, $day > $last ? $last : $day, $month, $year);
}
# Until then, as seconds from now: of a time that a row has.
sub until {
	my ($b, $ws, $column) = @_;
	return $b->{db}->selectrow_array("SELECT $column - UNIX_TIMESTAMP() FROM subscription WHERE workspace_id = ? "
		. "ORDER BY live_of IS NULL, created_at DESC LIMIT 1", undef, $ws);
}
# To the end of its period, and so much further.
sub to_end { my ($b, $ws, $more) = @_; return $b->later($b->until($ws, 'period_end') + ($more // 1)) }

# Nothing more happens by itself to what there is so far: the next part of a test is alone.
sub still {
	my ($b) = @_;
	$b->{db}->do('UPDATE subscription SET ended_at = COALESCE(ended_at, UNIX_TIMESTAMP()), live_of = NULL, due_at = NULL');
	$b->{db}->do("UPDATE $_ SET check_at = NULL") for qw(invoice invoice_try billing_checkout);
	$b->{pay}->events;
}

# What was done to it, oldest first, as words.
sub moves {
	my ($b, $ws) = @_;
	return map { $_->[0] } @{$b->{db}->selectall_arrayref(
		'SELECT what FROM subscription_move WHERE workspace_id = ? ORDER BY at, subscription_id, no', undef, $ws)};
}

# What is wrong with the money of a workspace, as words; nothing: what was taken is what its invoices and its history say.
sub unbalanced {
	my ($b, $ws) = @_;
	my $db = $b->{db};
	my $taken = $b->{pay}->taken($ws);
	my $invoices = $db->selectrow_array("SELECT COALESCE(SUM(amount_cents), 0) FROM invoice WHERE workspace_id = ? AND status = 'paid'",
		undef, $ws);
	my $moves = $db->selectrow_array('SELECT COALESCE(SUM(amount_cents), 0) FROM subscription_move WHERE workspace_id = ?', undef, $ws);
	my ($n, $most) = $db->selectrow_array('SELECT COUNT(*), COALESCE(MAX(no), 0) FROM invoice WHERE workspace_id = ?', undef, $ws);
	my $live = $db->selectrow_array('SELECT COUNT(*) FROM subscription WHERE workspace_id = ? AND ended_at IS NULL', undef, $ws);
	return grep { defined } ($taken == $invoices ? undef : "taken $taken, invoices $invoices"),
		($invoices == $moves ? undef : "invoices $invoices, history $moves"),
		($n == $most ? undef : "$n invoices, the last of which is $most"), ($live <= 1 ? undef : "$live live subscriptions");
}
sub balanced {
	my ($b, $ws, $name) = @_;
	return is join('; ', $b->unbalanced($ws)), '', $name // 'what was taken is what invoices and history say';
}

1;
