# SPDX-License-Identifier: Apache-2.0
# A language model that hangs or drips holds slow workers only, half of them, a quarter for one page: quick requests are answered meanwhile,
# and others publish.
use Vitrine::Model;
use Vitrine::Slow;
use Vitrine::Words;

my $tls = $ENV{VITRINE_VAR} . '/tls-test';
Vitrine::Stack::make_tls($tls);
my $model = Vitrine::Model->new($tls);
my $slow = Vitrine::Slow->new;
my ($stack, $api) = stack($model->conf, workers => 3, slow_workers => 8, chats_per_minute => 100000, publish_per_hour => 100000);
my @who = map { $stack->user("p$_\@example.org") } 0 .. 5;
my @art = map { $api->publish($who[0], slug => "page$_", visibility => 'public', agent => { enabled => Cpanel::JSON::XS::true }) } 0 .. 3;
$api->call(POST => "/v1/artifacts/$_/collaborators",
	{ token => $who[0]{token}, json => { emails => [map { "p$_\@example.org" } 1 .. 5], role => 'viewer' } }) for @art;

sub chat {
	my ($who, $art, $text) = @_;
	return Vitrine::Api->new($stack)->call(POST => "/v1/agent/$art/chat", { token => $who->{token},
		json => { messages => [{ role => 'user', content => $text }], stream => Cpanel::JSON::XS::true } });
}

for my $how (qw(hang drip)) {
	# Whoever is turned away comes again, as a page would.
	for my $i (0 .. 11) {
		$slow->beside(sub { while (1) { chat($who[$i % @who], $art[$i % @art], $how); select undef, undef, undef, 0.2 } });
	}
	ok $slow->until_busy($stack, 4), "$how: four workers wait for the model";
	is Vitrine::Slow::quick($api, $who[0]{token}, $art[0]), 50, '... quick requests do not';
	ok $slow->until_busy($stack, 4), '... and they wait still';
	is $api->call(POST => '/v1/publish', { token => $who[5]{token},
		json => { name => 'P', files => [{ path => 'index.html', content => $how }] } })->{status}, 201, '... and others publish';
	is $slow->least_busy($stack), 4, '... in workers that are kept for them';
	$slow->end($stack);
}

# One page has a quarter of the workers for its visitors, whoever they are.
$slow->beside(sub { chat($who[$_], $art[0], 'hang') }) for 0, 1;
ok $slow->until_busy($stack, 2), 'two visitors of a page wait';
my $r = chat($who[2], $art[0], 'say hello');
is "$r->{status} $r->{json}{code} $r->{headers}{'retry-after'}", '429 RATE_LIMITED 1', 'a third of the same page comes again';
like chat($who[2], $art[1], 'say hello')->{body}, qr/hello/, 'one of another is answered';
$slow->end($stack);
like chat($who[2], $art[0], 'say hello')->{body}, qr/hello/, 'and on the first again, when they have left';
$model->stop;
finish($stack);
