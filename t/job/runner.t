# SPDX-License-Identifier: Apache-2.0
# The runner: what a dead worker left is carried out; what has had its time goes.
use Vitrine::Words;

my ($stack, $api) = stack(leaks => 1, grace_s => 0, trash_days => 1);
my $ann = $stack->user('ann@example.org');
my $data = "$stack->{dir}/data";
sub runner { my ($status, $out, $err) = $stack->runner; is $status, 0, 'the runner ran' or diag $err; return $err }
sub objects { return scalar(my @all = glob "$data/objects/*/*") }

my $art = $api->publish($ann, slug => 'site', visibility => 'public', files => { 'index.html' => 'one' });
# The row goes after the reply.
for (1 .. 200) { last if !$stack->db->selectrow_array('SELECT COUNT(*) FROM outbox'); select undef, undef, undef, 0.05 }
is $stack->db->selectrow_array('SELECT COUNT(*) FROM outbox'), 0, 'a projected publish leaves nothing to do';

# A worker that died after the commit: the row says so, the disk does not follow.
unlink "$data/sites/site";
$stack->db->do("INSERT INTO outbox (id, kind, subject, due_at) VALUES ('out_1', 'project', ?, 0)", undef, $art);
is $api->get_site('site', '/')->{headers}{'x-accel-redirect'}, undef, 'before';
runner();
is $api->get_site('site', '/')->{body}, 'one', 'the runner projects it';
is $stack->db->selectrow_array('SELECT COUNT(*) FROM outbox'), 0, 'once';

# A row that can't be carried out comes again later, and does not hold up others.
$stack->db->do("INSERT INTO outbox (id, kind, subject, due_at) VALUES ('out_2', 'unknown', 'x', 0), ('out_3', 'project', ?, 1)",
	undef, $art);
runner();
is_deeply $stack->db->selectcol_arrayref('SELECT id FROM outbox WHERE due_at > UNIX_TIMESTAMP() AND attempts = 1'), ['out_2'], 'it waits';
$stack->db->do('DELETE FROM outbox');

# Bytes that nothing names.
my $before = objects();
mkdir "$data/objects/ff";
Vitrine::Stack::spew("$data/objects/ff/" . 'f' x 64, 'stray');
Vitrine::Stack::spew("$data/tmp/3/left", 'over');
sleep 1;
runner();
is objects(), $before, 'a stray object is swept, the others stay';
ok !-e "$data/tmp/3/left", 'so is a temporary';
is $api->get_site('site', '/')->{body}, 'one', 'and the site is whole';

is $stack->ctl('fsck'), 'clean', 'fsck is clean';

# The trash, when its time has come.
$api->call(DELETE => "/v1/artifacts/$art", { token => $ann->{token} });
runner();
is $stack->db->selectrow_array('SELECT COUNT(*) FROM artifact'), 1, 'a day has not passed';
$stack->db->do('UPDATE artifact SET deleted_at = deleted_at - 86401');
$stack->db->do('UPDATE slug SET released_at = released_at - 86401');
runner();
is $stack->db->selectrow_array('SELECT COUNT(*) FROM artifact'), 0, 'now it has';
sleep 1;
runner();
ok !-e "$data/trees/$art", 'its trees are gone';
is objects(), 0, 'and its bytes';
is $stack->db->selectrow_array('SELECT COUNT(*) FROM slug'), 0, 'and its slug is free';
is $stack->db->selectrow_array('SELECT COUNT(*) FROM outbox'), 0, 'nothing is left to do';
# SIGHUP: the same runner, other lanes.
$stack->start_runner;
sub lanes { my %lanes = $stack->lanes; return \%lanes }
sub until_true { my ($what, $ready) = @_; return Vitrine::Stack::wait_for($what, 60, $ready) }
sub log_has { my ($what) = @_; return Vitrine::Stack::slurp("$stack->{dir}/runner.log") =~ /"event":"$what/ }
until_true('sixteen lanes', sub { 16 == keys %{lanes()} });
my $were = lanes();
kill HUP => $stack->{pids}{runner};
until_true('sixteen others', sub { my $now = lanes(); 16 == grep { $now->{$_} && $now->{$_} != $were->{$_} } keys %$were });
ok log_has('reloading'), 'on SIGHUP each lane is replaced';
$were = lanes();
Vitrine::Stack::spew("$stack->{dir}/vitrine.yaml", Vitrine::Stack::slurp("$stack->{dir}/vitrine.yaml") . "no_such_setting: 1\n");
kill HUP => $stack->{pids}{runner};
until_true('the refusal', sub { log_has('reload refused') });
is_deeply lanes(), $were, 'a configuration that is wrong changes nothing';
$stack->write_conf;
kill TERM => $stack->{pids}{runner};
waitpid $stack->{pids}{runner}, 0;
is $?, 0, 'and SIGTERM ends it as before';
delete $stack->{pids}{runner};
finish($stack);
