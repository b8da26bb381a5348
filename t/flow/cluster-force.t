# SPDX-License-Identifier: Apache-2.0
# Two of three machines are lost at once, and an operator lets the third one go on alone, as docs/operations.md says; one of the others
# comes back to it, and one is removed.
use Vitrine::Cluster;
use Vitrine::Words;

my $lacks = Vitrine::Cluster::lacks();
plan skip_all => $lacks if $lacks;

my $cluster = Vitrine::Cluster->new;
$cluster->wait_whole;
my $lost = $cluster->active;
my ($left, $back) = grep { $_ != $lost } $cluster->machines;
my $ann = $lost->user('ann@example.org');
my $api = Vitrine::Api->new($cluster);
my $art = $api->publish($ann, slug => 'kept', visibility => 'public');
Vitrine::Stack::wait_for('the page', 60, sub { $left->ask("SELECT 1 FROM vitrine.artifact WHERE id = '$art'") });
sub force { my ($words) = @_; my $out = eval { $left->ctl_in($words, qw(cluster force)) } // $@; return $out }
like force("the others are off\n"), qr/among most of the machines: nothing to force/, 'with the others there is nothing to force';

$_->lose for $lost, $back;
Vitrine::Stack::wait_for('the loss', 60, sub { $left->status('cluster_status') eq 'non-Primary' });
is +($left->program('vitrinectl', {}, qw(cluster status)))[0], 1, 'status fails';
like +($left->program('vitrinectl', {}, qw(cluster status)))[2], qr/isn't among most of the machines.*cluster force/, '... and says what helps';
like force("yes\n"), qr/nothing was done/, 'without the words nothing is done';
is $left->status('cluster_status'), 'non-Primary', '... indeed';
like force("the others are off\n"), qr/this machine goes on alone/, 'with them it goes on';
ok eval { $left->wait_active(60); 1 }, '... and becomes active' or diag $@;
my $own = Vitrine::Api->new($left);
is $own->call(GET => "/v1/artifacts/$art", { token => $ann->{token} })->{status}, 200, '... with all that was answered';
my $more = $own->publish($ann, slug => 'more', visibility => 'public');

$back->plug_in;
$back->start;
sub has { my ($m, $id) = @_; return $m->is_synced && $m->ask("SELECT 1 FROM vitrine.artifact WHERE id = '$id'") }
ok eval { Vitrine::Stack::wait_for('its rows', 120, sub { has($back, $more) }) }, 'another one comes back, and copies its rows' or diag $@;
ok eval { Vitrine::Stack::wait_for('its pages', 60, sub { $back->is_shown }) }, '... and shows pages';
# A machine is lost once its beat was not seen for a while.
my $gone;
ok eval { Vitrine::Stack::wait_for('its loss', 60, sub { $gone = eval { $left->operate('leave', $lost->{name}) } }) },
	'the one that is lost for good is known to be' or diag $@;
like $gone, qr/$lost->{name} has left/, '... and is removed';
ok eval { Vitrine::Stack::wait_for('all to be well', 60, sub { ($left->program('vitrinectl', {}, qw(cluster status)))[0] == 0 }) },
	'... and then all are well' or diag +($left->program('vitrinectl', {}, qw(cluster status)))[1];
$cluster->stop;
done_testing;
