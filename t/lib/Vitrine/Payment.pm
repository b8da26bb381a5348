# SPDX-License-Identifier: Apache-2.0
# A payment provider with TLS, for tests and development (t/lib/payment-server): docs/operations.md, "Payments", is what it keeps to. It
# keeps links, payments, cards, refunds, subscriptions and idempotency keys in a file, under a lock, and its page of a link can be opened in
# a browser and paid:
# 4242 4242 4242 4242 is accepted; 4000 0000 0000 0002 is declined; 4000 0000 0000 0341 is accepted on the page, and declined whenever it is
# charged
#   afterwards; 4000 0000 0000 9995 lacks funds; 5555 5555 5555 4444 is accepted, of another brand. Others are no cards.
# fault(ON => WHAT, TIMES) says what goes wrong. ON is link, pay, find, key, charge, refund, subscription or any; WHAT:
#   decline, decline TEXT       the charge is declined;  refuse: it isn't even tried (422)
#   pending N                   undecided until it has been looked up N times (-1: until decide()), then approved; of pay, too
#   status N, status N S        answers that status, with Retry-After: S, having done nothing
#   hang                        says nothing, having done nothing;  cut: hangs up, having done nothing
# lost                        hangs up in the middle of the answer, having done it;  broken: answers 500, having done it;  mute: says
# nothing, having done it
#   garbage, huge, html, list   what is no JSON; a body of megabytes; a page; JSON that is no object
#   amount, currency, nonce, id, status-word   that of the answer is another
package Vitrine::Payment;
use strict;
use warnings;
use Cpanel::JSON::XS;
use Digest::SHA qw(hmac_sha256_hex sha256_hex);
use Encode ();
use Fcntl ':flock';
use POSIX ();
use Vitrine::Listener;
use Vitrine::Stack;
our @ISA = 'Vitrine::Listener';

my $json = Cpanel::JSON::XS->new->utf8->canonical->allow_nonref;
# number => brand, what the page says, what a later charge says; '' is yes.
my %cards = ('4242424242424242' => ['visa', '', ''], '5555555555554444' => ['mastercard', '', ''],
	'4000000000000002' => ['visa', 'The card was declined', 'The card was declined'],
	'4000000000009995' => ['visa', 'The card has insufficient funds', 'The card has insufficient funds'],
	'4000000000000341' => ['visa', '', 'The card was declined']);

# ---- for whoever asks for one

# $tls: the folder with cert.pem and key.pem.
sub new {
	my ($class, $tls) = @_;
	my $s = $class->begin('payment', key => 'rk_test_' . join('', map { ('a' .. 'z', 0 .. 9)[rand 36] } 1 .. 32), sign => 'whk_'
		. join('', map { ('a' .. 'z')[rand 26] } 1 .. 24), secret => join '', map { ('a' .. 'z', 0 .. 9)[rand 36] } 1 .. 24);
	return $s->prepare->start($tls);
}
sub prepare {
	my ($s) = @_;
	Vitrine::Stack::spew("$s->{dir}/key", "$s->{key}\n");
	Vitrine::Stack::spew("$s->{dir}/sign", "$s->{sign}\n");
	Vitrine::Stack::spew("$s->{dir}/state", '{}');
	return $s;
}
sub origin { my ($s) = @_; return "https://localhost:$s->{port}" }
# Settings of a stack that uses it.
sub conf {
	my ($s, %more) = @_;
	return (payment_url => $s->origin, payment_key_file => "$s->{dir}/key", payment_webhook_secret => $s->{secret},
		payment_sign_key_file => "$s->{dir}/sign", %more);
}

# Everything it keeps is changed by one at a time. What is kept is what stands on disk: a child that dies leaves it whole.
sub state {
	my ($s, $fn) = @_;
	open my $lock, '>>', "$s->{dir}/lock" or die;
	flock $lock, LOCK_EX;
	my $state = $json->decode(Vitrine::Stack::slurp("$s->{dir}/state"));
	$state->{$_} //= {} for qw(links payments keys cards subscriptions faults);
	$state->{$_} //= [] for qw(order events);
	my @got = $fn->($state);
	Vitrine::Stack::spew("$s->{dir}/state.new", $json->encode($state));
	rename "$s->{dir}/state.new", "$s->{dir}/state" or die;
	return wantarray ? @got : $got[0];
}

# TIMES: 1 unless given; 0 for good. WHAT undef takes it back.
sub fault {
	my ($s, $on, $what, $times) = @_;
	$s->state(sub { defined $what ? $_[0]{faults}{$on} = [$what, $times // 1] : delete $_[0]{faults}{$on} });
	return $s;
}
# All payments, oldest first; of one link or charge with what it was made from.
sub payments {
	my ($s) = @_;
	my @all = $s->state(sub { my ($state) = @_; return map { $state->{payments}{$_} } @{$state->{order}} });
	return @all;
}
sub payment { my ($s, $id) = @_; return $s->state(sub { $_[0]{payments}{$id} }) }
# What was taken and not given back; of one workspace if it is named.
sub taken {
	my ($s, $ws) = @_;
	my $sum = 0;
	$sum += $_->{amount_cents}
		for grep { $_->{status} eq 'approved' && (!defined $ws || ($_->{metadata}{workspace} // '') eq $ws) } $s->payments;
	return $sum;
}
# A payment that was pending is this now, one that was approved is charged back: words of the protocol.
sub decide {
	my ($s, $id, $status) = @_;
	$s->state(sub {
		my ($state) = @_;
		my $p = $state->{payments}{$id} // die;
		$p->{status} = $status;
		$p->{looks} = 0;
		event($state, payment => $id);
	});
}
# A charge that was given up gets there after all: what was refused with cut or hang is done now.
sub arrive {
	my ($s, $key) = @_;
	my ($ask) = grep { ($_->{headers}{'idempotency-key'} // '') eq $key } $s->calls(qr{^POST /v3/payments$});
	return $s->state(sub { my ($status, $p) = charge($_[0], $json->decode($ask->{body}), $key, ''); return $p });
}
# From now on the card says so when it is charged; '' is yes.
sub card_says { my ($s, $card, $words) = @_; $s->state(sub { ($_[0]{cards}{$card} // die "no card $card\n")->{later} = $words }) }
# A subscription that the provider keeps itself.
sub subscription {
	my ($s, $id, $status, $last) = @_;
	$s->state(sub {
		my ($state) = @_;
		$state->{subscriptions}{$id} = { id => $id, status => $status, last_payment_id => $last };
		event($state, subscription => $id);
	});
}
# The requests so far: each a hash with method, target, headers and body.
sub calls {
	my ($s, $like) = @_;
	return grep { !$like || "$_->{method} $_->{target}" =~ $like } map { $json->decode($_) } split /\n/,
		Vitrine::Stack::slurp("$s->{dir}/calls");
}
sub forget { my ($s) = @_; unlink "$s->{dir}/calls" }

# What a person's browser does on the page of a link: gives a card, and is sent back to the address that this returns; or the page, if it
# was declined.
sub pay {
	my ($s, $url, $number) = @_;
	my $page = $s->curl('-d', 'number=' . ($number // '4242424242424242') . '&expires=12 / 34&code=123&name=Ann', $url);
	return $page =~ /^location: (\S+)/mi ? $1 : $page;
}
# The payment that such a link's address says was made.
sub session {
	my ($s, $url, $number) = @_;
	my $back = $s->pay($url, $number);
	return $back =~ /[?&]payment_id=([^&]+)/ ? $1 : die "not paid: $back\n";
}
sub curl {
	my ($s, @args) = @_;
	open my $out, '-|', 'curl', '-si', '--cacert', "$ENV{VITRINE_VAR}/tls-test/ca.pem", @args or die;
	local $/;
	return <$out> // '';
}

# The webhooks that are due, oldest first, each a hash with id, type, data; they are due no more.
sub events {
	my ($s) = @_;
	my @due = $s->state(sub { my ($state) = @_; my $all = $state->{events}; $state->{events} = []; return @$all });
	return @due;
}
# Sends them to the service as they were or as the test has changed them (late, doubled, reversed); %o: key signs with another, plain
# doesn't sign. The statuses that were answered.
sub deliver {
	my ($s, $base, $events, %o) = @_;
	return map {
		my $body = ref $_ ? $json->encode($_) : $_;
		my @sign = $o{plain} ? () : ('-H', 'X-Rebill-Signature: ' . hmac_sha256_hex($body, $o{key} // $s->{sign}));
		my $head = $s->curl('-X', 'POST', '-H', 'Content-Type: application/json', @sign, '--data-binary', $body,
			"$base/v1/billing/webhook/" . ($o{secret} // $s->{secret}));
		$head =~ m{^HTTP/\S+ (\d+)} ? $1 : 0;
	} @$events;
}

# ---- what it does

my $made = 0;
sub new_id { my ($kind) = @_; return sprintf '%s_%s', $kind, substr sha256_hex(join ' ', $$, $made++, rand, POSIX::times()), 0, 20 }
sub event {
	my ($state, $what, $id) = @_;
	push @{$state->{events}}, { id => new_id('evt'), type => "$what.updated", data => { "${what}_id" => $id } };
}
sub form {
	my ($text) = @_;
	return map { map { s/%([0-9A-Fa-f]{2})/chr hex $1/ger } map { tr/+/ /r } (split /=/, $_, 2)[0, 1] } grep { length } split /&/,
		$text // '';
}

# What a payment looks like from outside.
sub shown {
	my ($state, $p) = @_;
	my $card = $p->{card} ? $state->{cards}{$p->{card}} : undef;
	return { (map { $_ => $p->{$_} } qw(id status amount_cents currency metadata)), ($p->{error} ? (error => $p->{error}) : ()),
		($p->{description} ? (description => $p->{description}) : ()),
		($card ? (customer => { id => $card->{customer} },
			card => { map { $_ => $card->{$_} } qw(id brand last4 exp_month exp_year fingerprint) }) : ()) };
}
# The fault of what is asked, used up by this.
sub fault_of {
	my ($state, $on) = @_;
	for my $name ($on, 'any') {
		my $f = $state->{faults}{$name} // next;
		delete $state->{faults}{$name} if $f->[1] && !--$f->[1];
		return $f->[0];
	}
	return '';
}
sub wrong { my ($fault, $answer) = @_;
	my $p = ref $answer eq 'HASH' ? ($answer->{payments} ? $answer->{payments}[0] : $answer) : undef;
	return $answer if !$p;
	$p->{amount_cents}++ if $fault eq 'amount';
	$p->{currency} = $p->{currency} eq 'EUR' ? 'USD' : 'EUR' if $fault eq 'currency';
	$p->{metadata}{nonce} = 'another' if $fault eq 'nonce';
	$p->{id} = new_id('pay') if $fault eq 'id';
	$p->{status} = 'perhaps' if $fault eq 'status-word';
	return $answer;
}

sub serve {
	my ($s, $c, $ask) = @_;
	my ($path, $query) = split /\?/, $ask->{target}, 2;
	my %q = form($query);
	open my $f, '>>', "$s->{dir}/calls" or die;
	syswrite $f, $json->encode({ %$ask, body => $path =~ m{^/pay/} ? '' : $ask->{body} }) . "\n";
	my $send = sub { Vitrine::Listener::send_all($c, $_[0]) };
	my $reply = sub {
		my ($status, $type, $text, @head) = @_;
		$send->(join("\r\n", "HTTP/1.1 $status X", "Content-Type: $type", 'Content-Length: ' . length $text, 'Connection: close',
			'Cache-Control: no-store', @head, '', '') . $text);
	};
	return $s->page($reply, $ask, $1) if $path =~ m{^/pay/(\w+)$};
	my $say = sub { my ($status, $value, @head) = @_; $reply->($status, 'application/json', $json->encode($value), @head) };
	return $say->(401, { error => { message => "This API key isn't known: " . ($ask->{headers}{'x-api-key'} // '') } })
		if ($ask->{headers}{'x-api-key'} // '') ne $s->{key};
	my $body = $ask->{method} eq 'POST' ? eval { $json->decode($ask->{body}) } : {};
	return $say->(400, { error => 'The body is no JSON object' }) if ref $body ne 'HASH';
	my $on = "$ask->{method} $path";
	my ($name, $do) = $on eq 'POST /v3/payment-links' ? (link => sub { $s->link_make($_[0], $body) })
	    : $on eq 'POST /v3/payments' ? (charge => sub { charge($_[0], $body, $ask->{headers}{'idempotency-key'}, $_[1]) })
	    : $on =~ m{^POST /v3/payments/([\w-]+)/refund$} ? do { my $id = $1; (refund => sub { refund($_[0], $id) }) }
	: $on eq 'GET /v3/payments' ? (key => sub {
		my ($st) = @_;
		my $p = exists $q{link} ? $st->{links}{$q{link}} : $st->{keys}{$q{key} // ''};
		return 200, { payments => [$p && $p->{payment} ? look($st, $p->{payment}) : ()] };
	})
	: $on =~ m{^GET /v3/payments/([\w-]+)$} ? do {
		my $id = $1;
		(find => sub { $_[0]{payments}{$id} ? (200, look($_[0], $id)) : (404, { error => 'There is no such payment' }) });
	}
	: $on =~ m{^GET /v3/subscriptions/([\w-]+)$} ? do { my $id = $1; (subscription => sub {
		$_[0]{subscriptions}{$id} ? (200, $_[0]{subscriptions}{$id}) : (404, { error => 'There is no such subscription' });
	}) }
	    : return $say->(404, { error => 'There is no such address' });
	my $fault;
	my ($status, $answer) = $s->state(sub {
		my ($state) = @_;
		$fault = fault_of($state, $name);
		return if $fault =~ /^(?:status|hang|cut)\b/ && $fault ne 'status-word';
		return $do->($state, $fault);
	});
	return $say->($1, { error => "It is $s->{key}, and I am not well" }, $2 ? "Retry-After: $2" : ())
		if $fault =~ /^status (\d+) ?(\d*)$/;
	if ($fault eq 'hang' || $fault eq 'mute') { my $v = ''; vec($v, fileno $c, 1) = 1; select $v, undef, undef, 90; return }
	return if $fault eq 'cut';
	return $say->(500, { error => 'Something broke afterwards' }) if $fault eq 'broken';
	return $reply->(200, 'application/json', '{"id":"pay_1","status":') if $fault eq 'garbage';
	return $reply->(200, 'text/html', '<!doctype html><title>Maintenance</title>') if $fault eq 'html';
	return $say->(200, [1]) if $fault eq 'list';
	if ($fault eq 'huge') {
		$send->("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{");
		for (1 .. 200) { $send->(' ' x 65536) or return }
		return;
	}
	my $text = $json->encode(wrong($fault, $answer));
	return $send->("HTTP/1.1 $status X\r\nContent-Type: application/json\r\nContent-Length: " . length($text) . "\r\n\r\n"
		. substr $text, 0, length($text) / 2) if $fault eq 'lost';
	return $reply->($status, 'application/json', $text);
}

sub link_make {
	my ($s, $state, $b) = @_;
	for (qw(title currency redirect_url)) { return 422, { error => { message => "$_ is missing" } } if !length($b->{$_} // '') }
	return 422, { error => { message => 'amount_cents must be an integer' } } if ($b->{amount_cents} // '') !~ /^\d{1,12}$/;
	return 422, { error => { message => 'redirect_url must be https' } } if $b->{redirect_url} !~ m{^https://};
	my $id = new_id('link');
	$state->{links}{$id} = { %$b, id => $id };
	return 201, { id => $id, url => $s->origin . "/pay/$id" };
}

sub look {
	my ($state, $id) = @_;
	my $p = $state->{payments}{$id};
	if ($p->{status} eq 'pending' && ($p->{looks} // -1) >= 0 && $p->{looks}-- == 0) {
		$p->{status} = 'approved';
		event($state, payment => $id);
	}
	return shown($state, $p);
}

sub payment_add {
	my ($state, $fault, %p) = @_;
	my $p = { id => new_id('pay'), status => 'approved', %p };
	($p->{status}, $p->{looks}) = ('pending', $1) if $p->{status} eq 'approved' && $fault =~ /^pending (-?\d+)$/;
	$state->{payments}{$p->{id}} = $p;
	push @{$state->{order}}, $p->{id};
	event($state, payment => $p->{id});
	return $p;
}

sub charge {
	my ($state, $b, $key, $fault) = @_;
	return 400, { error => 'Idempotency-Key is missing' } if !length($key // '');
	my $digest = sha256_hex($json->encode($b));
	if (my $before = $state->{keys}{$key}) {
		return 422, { error => 'This Idempotency-Key was used for something else' } if $before->{digest} ne $digest;
		return $before->{payment} ? (201, shown($state, $state->{payments}{$before->{payment}}))
			: (422, { error => $before->{error} });
	}
	my $card = $state->{cards}{$b->{card_id} // ''};
	my $bad = $fault eq 'refuse' ? 'The card can\'t be charged' : !$card || $card->{customer} ne ($b->{customer_id} // '')
		? 'There is no such card' : ($b->{amount_cents} // '') !~ /^[1-9]\d{0,11}$/ ? 'amount_cents must be a positive integer'
		: ($b->{currency} // '') !~ /^[A-Z]{3}$/ ? 'currency must be three capitals' : '';
	if ($bad) { $state->{keys}{$key} = { digest => $digest, error => $bad }; return 422, { error => { message => $bad } } }
	my $says = $fault =~ /^decline ?(.*)$/s ? $1 || 'The card was declined' : $card->{later};
	my $p = payment_add($state, $fault, (map { $_ => $b->{$_} } qw(amount_cents currency description metadata)), card => $card->{id},
		key => $key, ($says ? (status => 'rejected', error => $says) : ()));
	$state->{keys}{$key} = { digest => $digest, payment => $p->{id} };
	return 201, shown($state, $p);
}

sub refund {
	my ($state, $id) = @_;
	my $p = $state->{payments}{$id} // return 404, { error => 'There is no such payment' };
	return 422, { error => 'Only an approved payment can be refunded' } if $p->{status} !~ /^(?:approved|refunded)$/;
	event($state, payment => $id) if $p->{status} eq 'approved';
	$p->{status} = 'refunded';
	return 200, shown($state, $p);
}

# ---- its page

sub esc { my ($t) = @_; return $t =~ s/([&<>"'])/'&#' . ord($1) . ';'/ger }
sub back { my ($url, $id) = @_; return $id ? $url . ($url =~ /\?/ ? '&' : '?') . "payment_id=$id" : $url }
sub page {
	my ($s, $reply, $ask, $id) = @_;
	my %f = form($ask->{body});
	my ($to, $link, $error) = $s->state(sub {
		my ($state) = @_;
		my $link = $state->{links}{$id} // return;
		return undef, $link if $ask->{method} ne 'POST' || $link->{payment};
		my $fault = fault_of($state, 'pay');
		my $number = ($f{number} // '') =~ tr/0-9//cdr;
		my $card = $cards{$number} // return undef, $link, 'This is no card number';
		my ($month, $year) = ($f{expires} // '') =~ m{^\s*(\d\d?)\s*/\s*(?:20)?(\d\d)\s*$}
			or return undef, $link, 'The date must be month / year';
		my $says = $fault =~ /^decline ?(.*)$/s ? $1 || 'The card was declined' : $card->[1];
		return undef, $link, $says if $says;
		my $kept = { id => new_id('card'), customer => 'cus_' . substr(sha256_hex($link->{metadata}{workspace} // ''), 0, 16),
			brand => $card->[0], last4 => substr($number, -4), exp_month => 0 + $month, exp_year => 2000 + $year,
			fingerprint => 'fp_' . substr(sha256_hex("card $number"), 0, 16), later => $card->[2] };
		$state->{cards}{$kept->{id}} = $kept;
		$link->{payment} = payment_add($state, $fault, (map { $_ => $link->{$_} } qw(amount_cents currency metadata)),
			description => $link->{title}, card => $kept->{id}, link => $id)->{id};
		return back($link->{redirect_url}, $link->{payment}), $link;
	});
	return $reply->(404, 'text/html', '<!doctype html><title>No such link</title><p>There is no such link.') if !$link;
	return $reply->(303, 'text/html', '', "Location: $to") if $to;
	my $price = $link->{amount_cents} ? sprintf '%s %.2f', $link->{currency}, $link->{amount_cents} / 100 : 'nothing now';
	my $title = Encode::encode_utf8(esc($link->{title}));
	my $form = $link->{payment} ? '<p>This link has been used.</p>'
		: '<form method="post">' . ($error ? '<p role="alert">' . esc($error) . '</p>' : '')
	. '<p><label>Card number <input name="number" inputmode="numeric" autocomplete="cc-number" required></label></p><p>'
	. '<label>Expires <input name="expires" placeholder="12 / 34" required></label></p>'
	. '<p><label>Security code <input name="code" required></label></p><p><label>Name on the card <input name="name"></label></p><p>'
	. '<button>Pay</button></p></form>';
	return $reply->(200, 'text/html; charset=utf-8', qq(<!doctype html><html lang="en"><meta name="viewport" )
		. qq(content="width=device-width"><title>$title</title><h1>$title</h1><p>You pay $price.</p>$form<p><a href=")
		. esc($link->{redirect_url}) . '">Back without paying</a></p></html>');
}

1;
