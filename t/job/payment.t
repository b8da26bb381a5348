# SPDX-License-Identifier: Apache-2.0
# What the payment provider is asked and understood to say (ext/payment.c), against one that can do wrong. No stack is needed for it.
use strict;
use warnings;
use lib 't/lib';
use Cpanel::JSON::XS;
use Digest::SHA 'hmac_sha256_hex';
use File::Temp 'tempdir';
use POSIX ();
use Test::More;
use Vitrine::Payment;
use Vitrine::Stack;

my $tls = Vitrine::Stack::test_tls();
my $pay = Vitrine::Payment->new($tls);
my $dir = tempdir('vitrine-pay-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $drive = ($ENV{VITRINE_BUILD} // "$ENV{VITRINE_VAR}/build-test") . '/t/drive/payment';
my $json = Cpanel::JSON::XS->new->utf8;
my %conf = (base_url => 'https://vitrine.localhost', content_domain => 'pages.localhost', egress_ca_file => "$tls/ca.pem", $pay->conf);

sub with {
	my (%more) = @_;
	my %c = (%conf, %more);
	Vitrine::Stack::spew("$dir/vitrine.yaml", join '', map { "$_: \"$c{$_}\"\n" } grep { defined $c{$_} } sort keys %c);
}
sub ask {
	open my $out, '-|', $drive, "$dir/vitrine.yaml", @_ or die;
	local $/;
	my $text = <$out> // '';
	close $out;
	return eval { $json->decode($text) } // { none => $text };
}
sub wrong {
	my ($said, $code, $why, $name) = @_;
	my $good = is $said->{error}, $code, $name;
	$good &= like $said->{internal} // '', $why, "$name: the log says why";
	$good &= unlike $json->encode($said), qr/$pay->{key}/, "$name: the key is in nothing";
	diag explain $said if !$good;
}
sub link_of {
	my %o = (title => 'Pro for Acme', cents => 24000, currency => 'USD', back => 'https://vitrine.localhost/auth/billing?x=1',
		ws => 'wsp_1', plan => 'pro', seats => 3, purpose => 'activate', nonce => 'n1', @_);
	return ask(link => @o{qw(title cents currency back ws plan seats purpose nonce)});
}
my $charges = 0;
sub charge {
	my %o = (key => 'ivc_' . ++$charges . '.1', customer => 'cus_0', card => 'card_0', cents => 1250, currency => 'USD',
		text => 'Pro, 3 seats', invoice => 'ivc_9', ws => 'wsp_1', @_);
	return ask(charge => @o{qw(key customer card cents currency text invoice ws)});
}
with();

# ---- a link, its page, and the payment

my $link = link_of();
like $link->{url}, qr{^https://localhost:\d+/pay/link_}, 'a link has an address' or diag explain $link;
my ($sent) = map { $json->decode($_->{body}) } $pay->calls(qr{^POST /v3/payment-links$});
is_deeply $sent, { title => 'Pro for Acme', amount_cents => 24000, currency => 'USD', single_use => Cpanel::JSON::XS::true,
	redirect_url => 'https://vitrine.localhost/auth/billing?x=1',
	metadata => { workspace => 'wsp_1', plan => 'pro', seats => 3, purpose => 'activate', nonce => 'n1' } },
	'and is asked for with all that is to be compared later';
like $pay->pay($link->{url}, '4000000000000002'), qr/role="alert">The card was declined/, 'a card that is declined is told so on its page';
like $pay->pay($link->{url}, '4242424242424241'), qr/no card number/, 'and one that is none';
is scalar($pay->payments), 0, 'and nothing was paid';
is ask(bylink => $link->{id})->{outcome}, 'absent', 'as can be asked of the link';
my $back = $pay->pay($link->{url});
like $back, qr{^https://vitrine\.localhost/auth/billing\?x=1&payment_id=pay_\w+$}, 'one that is accepted leads back, with the payment';
my ($id) = $back =~ /payment_id=(\w+)/;
like $pay->pay($link->{url}), qr/has been used/, 'the link is good once';
my $paid = ask(find => $id);
is_deeply [@$paid{qw(outcome amount_cents currency workspace plan seats purpose nonce brand last4 exp_month exp_year id why invoice)}],
['approved', 24000, 'USD', 'wsp_1', 'pro', 3, 'activate', 'n1', 'visa', '4242', 12, 2034, $id, undef, undef],
	'the payment says what it was for, and its card' or diag explain $paid;
ok $paid->{customer} && $paid->{card} && $paid->{fingerprint}, 'which can be charged later';
is scalar(grep { $_->{headers}{'x-api-key'} ne $pay->{key} } $pay->calls(qr{/v3/})), 0, 'the key goes with each request';
is scalar(grep { "$_->{body} $_->{target}" =~ /4242424242424242/ } $pay->calls), 0, 'and no card number';
is ask(bylink => $link->{id})->{id}, $id, 'it is found by its link, too';
is ask(bylink => $_)->{outcome}, 'absent', "nothing was paid on a link $_" for 'link_never', '', '&key=x';
my $card = link_of(cents => 0, purpose => 'card', plan => '', nonce => 'n2');
my $kept = ask(find => $pay->session($card->{url}, '5555555555554444'));
is_deeply [@$kept{qw(outcome amount_cents plan purpose last4 brand)}], ['approved', 0, undef, 'card', '4444', 'mastercard'],
	'a link of nothing keeps a card';
is ask(find => $_)->{outcome}, 'absent', "there is no payment $_" for 'pay_unknown', '', '../payments', 'a b', 'x' x 101, '..', "pay\n";
is scalar(grep { $_->{target} =~ m{/payments/.*(?:\.\.|%|xxxx)} } $pay->calls), 0, 'what is no id is not asked for';

# ---- charges

my ($customer, $token) = @$paid{qw(customer card)};
my @with = (customer => $customer, card => $token);
my $first = charge(@with, key => 'ivc_A.1');
is_deeply [@$first{qw(outcome amount_cents currency invoice workspace)}], ['approved', 1250, 'USD', 'ivc_9', 'wsp_1'],
	'a stored card is charged' or diag explain $first;
is charge(@with, key => 'ivc_A.1')->{id}, $first->{id}, 'the same key is the same payment';
is charge(@with, key => 'ivc_A.1', cents => 1)->{outcome}, 'declined', 'and of another amount is refused';
is $pay->taken('wsp_1'), 24000 + 1250, 'it was taken once';
is ask(key => 'ivc_A.1')->{id}, $first->{id}, 'what became of a key can be asked';
is ask(key => 'ivc_never & odd=1')->{outcome}, 'absent', 'also of one that was never sent';
$pay->fault(charge => 'decline Insufficient funds');
my $no = charge(@with, key => 'ivc_B.1');
is_deeply [@$no{qw(outcome why)}], ['declined', 'Insufficient funds'], 'a declined charge says why';
is ask(key => 'ivc_B.1')->{why}, 'Insufficient funds', 'also when asked for by its key';
is ask(find => $no->{id})->{outcome}, 'declined', 'and by its id';
$pay->fault(charge => "decline odd\n" . ("\x{202e}" x 2) . " $pay->{key} " . 'z' x 300);
my $odd = charge(@with);
is $odd->{outcome}, 'declined', 'odd words are words';
ok length($odd->{why}) <= 200 && $odd->{why} !~ /\n|\x{202e}|$pay->{key}/, 'of one line, and without the key' or diag explain $odd;
$pay->fault(charge => 'refuse');
is_deeply [@{charge(@with)}{qw(outcome why id)}], ['declined', "The card can't be charged", undef], 'what is not even tried is declined';
is charge(customer => 'cus_other', card => $token)->{why}, 'There is no such card', 'a card of somebody else is not charged';
$pay->fault(charge => 'pending 2');
is charge(@with, key => 'ivc_C.1')->{outcome}, 'pending', 'a charge can be undecided';
is ask(key => 'ivc_C.1')->{outcome}, 'pending', 'and stay so';
is_deeply [map { ask(key => 'ivc_C.1')->{outcome} } 1 .. 2], ['pending', 'approved'], 'until it is decided';
is charge(@with, key => 'ivc_C.1')->{outcome}, 'approved', 'and is the same from then on';
my $later = link_of(nonce => 'n3');
my $bad = ask(find => $pay->session($later->{url}, '4000000000000341'));
is $bad->{outcome}, 'approved', 'a card can be good on the page';
is charge(customer => $bad->{customer}, card => $bad->{card})->{outcome}, 'declined', 'and declined later';
is charge(@with, cents => 0)->{outcome}, 'declined', 'nothing is not charged';

# ---- no whole answer

for my $what (['status 500', 'status 500'], ['status 502', 'status 502'], ['status 409', 'status 409'], ['status 302', 'status 302'],
	['cut', 'fetching'], ['garbage', "isn't a JSON object"], ['html', "isn't a JSON object"], ['list', "isn't a JSON object"],
	['huge', 'fetching'],
	['amount', 'another amount'], ['currency', 'another amount or currency'], ['status-word', 'lacks id, status']) {
	$pay->fault(charge => $what->[0]);
	wrong(charge(@with, key => "ivc_$what->[0].1"), 'UPSTREAM_FAILED', qr/\Q$what->[1]/, "a charge that ends in $what->[0] is unknown");
	my $after = ask(key => "ivc_$what->[0].1")->{outcome};
	is $after, $what->[0] =~ /^(?:status \d|cut)/ ? 'absent' : 'approved', "and what became of it can be asked ($what->[0])";
}
for my $what (qw(lost broken)) {
	my $before = $pay->taken;
	$pay->fault(charge => $what);
	wrong(charge(@with, key => "ivc_$what"), 'UPSTREAM_FAILED', qr/./, "a charge whose answer is $what is unknown");
	is ask(key => "ivc_$what")->{outcome}, 'approved', 'though it was made';
	is charge(@with, key => "ivc_$what")->{outcome}, 'approved', 'and the same key says so';
	is $pay->taken - $before, 1250, 'and it was taken once';
}
for my $what (['status 429 7', 7], ['status 503 30', 30], ['status 429', 0]) {
	$pay->fault(charge => $what->[0]);
	is charge(@with)->{retry_after_s}, $what->[1], "$what->[0] says when to come again";
}
$pay->fault(charge => 'status 429 99999999');
like charge(@with)->{retry_after_s}, qr/^(?:86400|21600)$/, '... within a day, or the six hours of a later libcurl';
is charge(@with)->{retry_after_s}, undef, 'which is forgotten with the next';
for my $on (['link', sub { link_of() }], ['find', sub { ask(find => $id) }], ['key', sub { ask(key => 'ivc_A.1') }],
	['refund', sub { ask(refund => $first->{id}) }], ['subscription', sub { ask(subscription => 'sub_1') }]) {
	for my $what ('status 500', 'cut', 'garbage', 'html') {
		$pay->fault($on->[0] => $what);
		wrong($on->[1]->(), 'UPSTREAM_FAILED', qr/./, "$on->[0] that ends in $what is unknown");
	}
}
$pay->fault(find => $_) and wrong(ask(find => $id), 'UPSTREAM_FAILED', qr/another payment|lacks/, "a payment of another $_ is no answer")
	for qw(id status-word);
for my $what (['amount', 'amount_cents', 24001], ['currency', 'currency', 'EUR'], ['nonce', 'nonce', 'another']) {
	$pay->fault(find => $what->[0]);
	is ask(find => $id)->{$what->[1]}, $what->[2], "a session of another $what->[0] is told as it is, for whoever compares";
}
$pay->fault(any => 'hang');
my $began = time;
wrong(ask(find => $id), 'UPSTREAM_FAILED', qr/fetching/, 'who says nothing is not waited for');
cmp_ok time - $began, '>=', 19, 'for less than 20 seconds';

# ---- refunds, subscriptions

is_deeply [map { ask(refund => $first->{id})->{outcome} } 1 .. 2], ['refunded', 'refunded'], 'a payment is paid back, once and again';
is ask(find => $first->{id})->{outcome}, 'refunded', 'and stays so';
is ask(refund => 'pay_never')->{outcome}, 'absent', 'what was never paid is not paid back';
is_deeply [@{ask(refund => $no->{id})}{qw(outcome why)}], ['declined', 'Only an approved payment can be refunded'], 'nor what was declined';
$pay->decide($id, 'charged_back');
is ask(find => $id)->{outcome}, 'refunded', 'a payment that was charged back is not ours';
$pay->subscription('rs_1', $_, $id), is_deeply ask(subscription => 'rs_1'), { standing => $_, id => 'rs_1', last_payment => $id },
	"a subscription can be $_" for qw(active defaulted paused finished);
is ask(subscription => 'rs_2')->{standing}, 'absent', 'or not be there';
$pay->subscription('rs_3', 'sleeping', undef);
wrong(ask(subscription => 'rs_3'), 'UPSTREAM_FAILED', qr/no status/, 'or in a state that nobody knows');

# ---- webhooks

is_deeply ask(event => '{"id":"evt_1","type":"payment.updated","data":{"payment_id":"pay_1","more":1},"amount":5}'),
	{ is => 'event', id => 'evt_1', kind => 'payment.updated', payment => 'pay_1', subscription => undef }, 'a webhook names a payment';
is ask(event => $_)->{error}, 'INVALID_REQUEST', "refused: $_"
	for '', '[]', '{', '{"id":"e","type":"t"}', '{"id":"e","type":"t","data":{}}', '{"id":"","type":"t","data":{"payment_id":"p"}}',
	'{"id":"e","data":{"payment_id":"p"}}', '{"id":1,"type":"t","data":{"payment_id":"p"}}',
    '{"id":"e","type":"t","data":{"payment_id":"../x"}}', '{"id":"e","id":"f","type":"t","data":{"payment_id":"p"}}';
my $good = hmac_sha256_hex('the body', $pay->{sign});
is ask(signed => @$_[0, 1])->{signed}, $_->[2], $_->[3] for [$good, 'the body', Cpanel::JSON::XS::true, 'a signature of the body is one'],
	[$good, 'the body ', Cpanel::JSON::XS::false, 'not of another'], ['', 'the body', Cpanel::JSON::XS::false, 'none is none'],
[uc $good, 'the body', Cpanel::JSON::XS::false, 'capitals are none'], [substr($good, 0, 62), 'the body', Cpanel::JSON::XS::false,
	'nor a part'], [hmac_sha256_hex('the body', 'x'), 'the body', Cpanel::JSON::XS::false, 'nor one by another key'];

# ---- settings

with(payment_sign_key_file => undef);
is ask(signed => '', 'x')->{signed}, Cpanel::JSON::XS::true, 'where webhooks are not signed, none is asked for';
with(payment_sign_key_file => "$dir/none");
wrong(ask(signed => $good, 'the body'), 'UNAVAILABLE', qr/payment_sign_key_file/, 'a key that can\'t be read is the operator\'s');
with(payment_url => undef);
my $before = $pay->calls;
is_deeply [map { $_->{error} } ask('need'), ask(find => $id), ask(find => ''), ask(refund => ''), ask(subscription => ''), ask(key => 'x'),
	link_of(), charge(@with)], [('UNAVAILABLE') x 8], 'without a provider all is unavailable';
is ask('need')->{message}, "Payments haven't been set up on this service; contact its operator", 'in words';
is scalar($pay->calls), $before, 'and nobody is asked';
with(payment_key_file => "$dir/none");
wrong(ask(find => $id), 'UNAVAILABLE', qr/payment_key_file/, 'a key that is not there');
Vitrine::Stack::spew("$dir/wrong", "rk_other\n");
with(payment_key_file => "$dir/wrong");
my $refused = charge(@with);
wrong($refused, 'UNAVAILABLE', qr/refuses payment_key_file/, 'a key that is refused');
unlike $json->encode($refused), qr/rk_other/, 'and isn\'t repeated';
for my $bad (['payment_url', 'http://localhost:1', 'https'], ['payment_url', 'https://a@b', 'https'], ['payment_url', 'https://localhost/',
		'trailing'], ['payment_url', 'https://localhost/?x', 'trailing'], ['payment_key_file', undef, 'must be set'],
	['payment_webhook_secret', 'short', '20 to 100'], ['payment_webhook_secret', 'x' x 19 . '/y', 'letters']) {
	with($bad->[0] => $bad->[1]);
	like `$drive $dir/vitrine.yaml need 2>&1`, qr/$bad->[0].*$bad->[2]/, "$bad->[0] can't be " . ($bad->[1] // 'left out');
}
with(payment_url => "https://127.0.0.1:$pay->{port}", egress_ca_file => '/etc/ssl/certs/ca-certificates.crt');
wrong(ask(find => $id), 'UPSTREAM_FAILED', qr/SSL|certificate/i, 'a certificate that nobody vouches for');
$pay->stop;
with();
wrong(charge(@with), 'UPSTREAM_FAILED', qr/connect/i, 'nobody there');
done_testing;
