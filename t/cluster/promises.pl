# SPDX-License-Identifier: Apache-2.0
# What docs/operations.md promises of three machines, one fault after the other, each with its time: machines that are cut off from each
# other but not from those who ask, a warm one that dies, a disk that hangs, one that joins and upgrades under load, and two that are lost.
use Time::HiRes qw(sleep time);
use Vitrine::Cluster;
use Vitrine::Words;

my $cluster = Vitrine::Cluster->new(disk => 'ext4');
$cluster->wait_whole(120);
my $ann = ($cluster->machines)[0]->user('ann@example.org');
my $api = Vitrine::Api->new($cluster, unchecked => 1);
my $art = $api->publish($ann, slug => 'page', visibility => 'public');
my $changed = $api->publish($ann, slug => 'changed');

sub others { my ($m) = @_; return grep { $_ != $m } $cluster->machines }
sub warm { my $active = $cluster->active; return (others($active))[0] }
# The status and code of a reply of a machine, asked by itself on a new connection; 0 if there is none within 3 s.
sub alone {
	my ($m, $do) = @_;
	my $r = eval { local $SIG{ALRM} = sub { die "late\n" }; alarm 3; my $r = $do->(Vitrine::Api->new($m, unchecked => 1)); alarm 0; $r };
	alarm 0;
	return $r ? join(' ', $r->{status}, ($r->{body} // '') =~ /"code":"(\w+)"/) : 0;
}
sub answer { my ($m) = @_; return alone($m, sub { $_[0]->call(GET => "/v1/artifacts/$art", { token => $ann->{token} }) }) }
sub serves { my ($m) = @_; return alone($m, sub { $_[0]->get_site('page', '/') }) =~ /^200/ ? 1 : 0 }
sub patch_s { my ($id, %fields) = @_; return $cluster->change_s(time, $ann, $id, %fields) }
sub open_page {
	patch_s($art, visibility => 'public');
	return Vitrine::Stack::wait_for('the page on all', 60, sub { !grep { !serves($_) } @_ });
}
sub within { my ($s, $limit, $what) = @_; return cmp_ok $s, '<', $limit, sprintf '%s: %.1f s', $what, $s }
sub whole { my ($what) = @_; ok eval { $cluster->wait_whole(120); 1 }, "... and the cluster is whole after $what" or diag $@ }

sub meanwhile { my ($do) = @_; return $cluster->meanwhile($ann, $changed, $do) }

# ---- nobody notices

my $m = warm();
my ($failed, $longest) = meanwhile(sub { $m->leave });
is $failed, '', 'a warm machine leaves: no request fails';
($failed, $longest) = meanwhile(sub { $m->join_by($cluster->active); $m->start; $cluster->wait_whole(180) });
is $failed, '', 'a machine with an empty disk joins: no request fails';
note sprintf 'the longest took %.1f s', $longest;
$m = warm();
($failed, $longest) = meanwhile(sub { $m->upgrade });
is $failed, '', 'a warm machine is upgraded: no request fails';
my ($before, $n) = ($cluster->active);
$m = warm();
($failed, $longest) = meanwhile(sub { $m->lose; sleep 8 });
is $failed, '', 'a warm machine dies: no request fails';
within($longest, 6, '... a change waits');
is $cluster->active->{name}, $before->{name}, '... and the active one stays';
$m->plug_in;
$m->start;
whole('that');

# ---- cut off from the others, but not from who asks

open_page($cluster->machines);
$m = warm();
$m->cut_off('both', map { $_->{address} } others($m));
my $closed = patch_s($art, visibility => 'private');
ok !serves($m), 'a closing, while a warm machine is cut off: it holds there, too';
within($closed, 11, '... and takes');
ok !$m->is_shown, '... that machine has hidden its pages';
open_page(others($m));
within(patch_s($art, visibility => 'private'), 2, '... the next closing');
$m->reach;
whole('that');
ok !serves($m), '... which it shows no more';

open_page($cluster->machines);
$m = $cluster->active;
$m->cut_off('both', map { $_->{address} } others($m));
my $from = time;
eval { Vitrine::Stack::wait_for('a 503', 20, sub { answer($m) =~ /^503/ }) };
within(time - $from, 6.5, 'the active machine is cut off: it answers 503');
my $took = patch_s($changed, name => 'Elsewhere');
within(time - $from, 12, '... the others make a change after');
$closed = patch_s($art, visibility => 'private');
ok !serves($m), '... what they close is closed there';
within($closed, 11, '... which takes');
$m->reach;
whole('that');
is answer($m), '503 NOT_ACTIVE', '... and it is a warm one';

# ---- a disk that hangs

$m = $cluster->active;
$from = time;
$m->hang_disk;
patch_s($changed, name => 'Without a disk');
within(time - $from, 16, "the active machine's disk hangs: a change elsewhere after");
isnt $cluster->active->{name}, $m->{name}, '... where another machine is active';
$m->free_disk;
sleep 1;
$m->kill_now('db') if !$m->is_synced;
$m->start;
whole('that');

# ---- two are lost

open_page($cluster->machines);
$m = $cluster->active;
$_->lose for others($m);
$from = time;
ok serves($m), 'two machines are lost: the third one still shows pages';
eval { Vitrine::Stack::wait_for('a 503', 20, sub { answer($m) =~ /^503/ }) };
within(time - $from, 6.5, '... it answers 503');
eval { Vitrine::Stack::wait_for('no page', 20, sub { !serves($m) }) };
within(time - $from, 10, '... and hides its pages');
$cluster->bring_back(others($m));
whole('that');
within(patch_s($changed, name => 'At the end'), 20, 'then changes are made again');
$cluster->stop;
done_testing;
