# SPDX-License-Identifier: Apache-2.0
# vitrine schedules, automations, runs: what runs by itself in a workspace, for its admins: listed, run and waited for, paused, resumed,
# deleted.
use Vitrine::Receiver;
use Vitrine::Words qw(as);

my $tls = "$ENV{VITRINE_VAR}/tls-test";
Vitrine::Stack::make_tls($tls);
my $hook = Vitrine::Receiver->new($tls);
my ($stack, $api) = stack(leaks => 1, $hook->conf);
my ($ann, $cat) = map { $stack->user("$_\@example.org") } qw(ann cat);
my $ws = as($ann, POST => '/v1/workspaces', { name => 'Northwind' })->{json}{workspace}{id};
$stack->seat($ws, $cat, 'member');
my $art = $api->publish($cat, slug => 'plans', name => 'Plans', workspace_id => $ws, visibility => 'private');
sub job_of {
	my $r = as($cat, POST => '/v1/jobs', { artifact_id => $art, action => 'webhook', retry_config => { maxAttempts => 1 },
		config => { url => $hook->url('/hook') }, @_ });
	return $r->{json}{job}{id} // die $r->{body};
}
my $nightly = job_of(name => 'Nightly', schedule => '0 2 * * *');
my $tell = job_of(event_type => 'comment.added');
sub gives {
	my ($args, $status, $out, $err, $name) = @_;
	my @r = $stack->client($ann->{token}, @$args);
	is $r[0], $status, $name or diag $r[2];
	like $r[1], $out, '... and prints it';
	like $r[2], $err, '... and says so' if $err;
}

gives(['schedules'], 0, qr/^$nightly  new       0 2 \* \* \* UTC  0 ok, 0 failed in 24 h  Nightly \(Plans\)\n\z/, undef, 'schedules');
gives(['automations', 'list', '--workspace', 'northwind'], 0,
	qr/^$tell  new       on comment\.added  0 ok, 0 failed in 24 h  webhook \(Plans\)\n\z/, undef, 'automations');
gives(['runs'], 0, qr/^\z/, undef, 'nothing has run');
gives(['schedules', 'run', 'Nightly'], 0, qr/^run_\w{26}  \S+  success   HTTP 200/, undef, 'one is run, by its name');
$hook->answer('/hook', 503, 'try later');
gives(['automations', 'run', $tell], 1, qr/ failed +HTTP 503.*try later/s, undef, '... by its id; one that fails is a failure');
my ($failed) = ($stack->client($ann->{token}, 'runs', 'list', '--status', 'failed'))[1] =~ /^(run_\w+)  /;
gives(['runs', '--surface', 'automation'], 0, qr/^$failed  .*  webhook \(Plans\)\n\z/, undef, 'runs of automations');
gives(['runs', 'list', '--artifact', 'plans'], 0, qr/^$failed .*\nrun_.*  Nightly \(Plans\)\n\z/,
	undef, 'of an artifact, the newest first');
gives(['runs', 'show', $failed], 0, qr/^$failed .*\nattempt 1 .*HTTP 503.*\n *try later/, undef, 'one of them, with its attempts');
gives(['runs', 'show', 'nothing'], 2, qr/^\z/, qr/nothing isn't the id of a run/, 'what is no run');
gives(['runs', 'show', 'run_' . '0' x 26], 1, qr/^\z/, qr/Not found/, 'one that is not there');
gives(['runs', 'logs', $nightly], 0, qr/^run_\S+ .* success .*\n\z/, undef, 'those of a job');
gives(['automations', 'logs', $tell, '--status', 'success'], 0, qr/^\z/, undef, '... by outcome');
gives(['schedules', 'logs', 'Nightly'], 0, qr/^run_\S+ .* success .*\n\z/, undef, '... by its name');
gives(['schedules', 'pause', 'Nightly'], 0, qr/^\z/, qr/Nightly is paused/, 'a pause');
gives(['schedules', '--state', 'paused'], 0, qr/^$nightly  paused /, undef, '... is in the list');
gives(['schedules', 'resume', 'Nightly'], 0, qr/^\z/, qr/Nightly is on/, 'and its end');
gives(['automations', '--state', 'failing'], 0, qr/^$tell  failing /, undef, 'what is failing');
gives(['schedules', 'run', 'Absent'], 1, qr/^\z/, qr/no job named Absent.*vitrine schedules/, 'a name that none has');
gives(['schedules', 'delete', 'Nightly'], 1, qr/^\z/, qr/--yes/, 'a deletion is asked about');
gives(['schedules', 'delete', 'Nightly', '--yes'], 0, qr/^\z/, qr/Nightly is deleted/, '... and done');
gives(['schedules', '--json'], 0, qr/^\{"success":true,"schedules":\[\]/, undef, 'as JSON');
as($ann, PUT => "/v1/workspaces/$ws/runs/told", { user_ids => [$cat->{id}] });
gives(['runs', 'told'], 0, qr/^cat\@example\.org\n\z/, undef, 'who is told');
my @r = $stack->client($cat->{token}, 'schedules');
is $r[0], 1, 'a member sees none';
like $r[2], qr/requires the role of admin or owner/, '... and is told why';
finish($stack);
