# SPDX-License-Identifier: Apache-2.0
# A change that was committed but can't be shown yet is told as just that, and the runner shows it.
use Vitrine::Words;

my ($stack, $api) = stack();
my $ann = $stack->user('ann@example.org');
my $art = $api->publish($ann, slug => 'site', visibility => 'public', files => { 'index.html' => 'one' });
my $sites = "$stack->{dir}/data/sites";

# The directory of addresses can't be reached.
$stack->expect_internal;
rename $sites, "$sites.away" or die;
my $r = $api->call(PATCH => "/v1/artifacts/$art", { token => $ann->{token}, json => { visibility => 'private' } });
is $r->{status}, 500, 'a change that does not show is no success';
is $r->{json}{code}, 'EFFECT_PENDING', 'and says what it is';
like $r->{json}{error}, qr/is saved/, 'in words that do not deny the change';
is $stack->db->selectrow_array('SELECT visibility FROM artifact'), 'private', 'which is committed';
rename "$sites.away", $sites or die;
is $api->get_site('site', '/')->{body}, 'one', 'until the runner comes the page is as it was';
is +($stack->runner)[0], 0, 'the runner ran';
is $api->get_site('site', '/')->{status}, 404, 'and then it is closed';
finish($stack);
