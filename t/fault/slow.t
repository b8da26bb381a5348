# SPDX-License-Identifier: Apache-2.0
# What takes long leaves a quick request alone: downloads that nobody reads, passwords that are guessed at, icons that never come. Fifty of
# them are answered while those go on.
use MIME::Base64;
use Vitrine::Slow;
use Vitrine::Words;

my $slow = Vitrine::Slow->new;
my $stack = Vitrine::Stack->new(workers => 3, egress_allow => '127.0.0.1:' . $slow->port, publish_per_hour => 100000,
	publish_failures_per_hour => 100000,
	exports_per_hour => 100000, signin_failures_per_hour => 1000000);
my $api = Vitrine::Api->new($stack);
my ($ann, $ben) = map { $stack->user("$_\@example.org") } qw(ann ben);
my $noise = do { open my $f, '<', '/dev/urandom'; read $f, my $bytes, 25 << 20; $bytes };
my $art = $api->publish($ann, slug => 'quick', visibility => 'public', entrypoint => 'a.bin',
	files => { 'a.bin' => { encoding => 'base64', content => encode_base64($noise, '') } });

sub undisturbed { my ($what) = @_; is Vitrine::Slow::quick($api, $ann->{token}, $art), 50, "beside $what quick requests are answered" }

$slow->exports($stack, $art, $ann, $ben);
ok $slow->until_busy($stack, 2), 'two workers send to clients that do not read';
undisturbed('twelve downloads that stand still');
ok $slow->until_busy($stack, 2), '... which stand still all the while';
is $api->call(GET => '/auth/callback')->{status}, 400, 'the third of the slow ones answers still';
$slow->end($stack);

$slow->passwords($stack);
ok $slow->until_busy($stack, 1), 'a slow worker has a password to look at';
undisturbed('wrong passwords from sixty-four addresses');
ok $slow->until_busy($stack, 1), 'they went on all the while';
$slow->end($stack);

$slow->icons($stack, $ann);
ok $slow->until_busy($stack, 2), 'two slow workers wait for an icon';
undisturbed('twelve icons that never come');
ok $slow->until_busy($stack, 2), 'they wait still';
$slow->end($stack);

finish($stack);
