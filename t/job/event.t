# SPDX-License-Identifier: Apache-2.0
# Jobs that wait for an event: a new live version and other changes of an artifact, views, comments. What happens is told once, also when a
# runner dies, and what goes round in a circle ends.
use utf8;
use Vitrine::Counted;
use Vitrine::Jobs;
use Vitrine::Receiver;
use Vitrine::Words;

my $tls = $ENV{VITRINE_VAR} . '/tls-test';
Vitrine::Stack::make_tls($tls);
my $receiver = Vitrine::Receiver->new($tls);
my ($stack, $api, $db) = stack($receiver->conf, egress_ca_file => "$tls/ca.pem", publish_per_hour => 1000);
my $ann = $stack->user('ann@example.org');
my $art = $api->publish($ann, slug => 'site', visibility => 'public');
my $quiet = $api->publish($ann, slug => 'quiet', visibility => 'public');
my $jobs = Vitrine::Jobs->new(stack => $stack, api => $api, user => $ann, art => $art);
sub waiting { return scalar $db->selectrow_array("SELECT COUNT(*) FROM outbox WHERE kind = 'event'") }
# What the receiver has been told at a path since it was last asked.
my %told;
sub told {
	my ($path) = @_;
	$jobs->runner;
	my @calls = $receiver->calls($path);
	my @new = splice @calls, $told{$path} // 0;
	$told{$path} += @new;
	return map { decode_json($_->{body}) } @new;
}
sub publish {
	my (%o) = @_;
	my $r = $jobs->call(POST => '/v1/publish',
		{ artifact_id => $art, name => 'Site', files => [{ path => 'index.html', content => 'v' . rand }], %o });
	is $r->{status} =~ /^20[01]$/ ? 1 : 0, 1, 'published' or diag $r->{body};
	return $r->{json};
}

$stack->runner;
is waiting(), 0, 'nothing is told where no job waits';
my $updated = $jobs->made(webhook => { url => $receiver->url('/updated') }, event_type => 'artifact.updated', name => 'On update');
my $said = $jobs->made(webhook => { url => $receiver->url('/said') }, event_type => 'comment.added');
my $viewed = $jobs->made(webhook => { url => $receiver->url('/viewed') }, event_type => 'artifact.viewed');

subtest 'artifact.updated' => sub {
	my $no = publish()->{version}{version_no};
	my @t = told('/updated');
	is scalar @t, 1, 'a new version is told, once';
	is $t[0]{type}, 'artifact.updated', 'its type';
	is_deeply [@{$t[0]{data}}{qw(change version_no)}], ['version', $no], 'what has changed';
	is "$t[0]{data}{artifact}{id} $t[0]{data}{job}{name} $t[0]{data}{run}{trigger}", "$art On update event",
		'of which artifact, to which job';
	publish(draft => Cpanel::JSON::XS::true);
	is scalar(told('/updated')), 0, 'a draft is not';
	my %change = (name => 'Other', slug => 'site-2', visibility => 'unlisted', social_title => 'x');
	for (sort keys %change) {
		is $jobs->call(PATCH => "/v1/artifacts/$art", { $_ => $change{$_} })->{status}, 200, "$_ is changed";
		is_deeply [map { $_->{data}{change} } told('/updated')], ['settings'], '... and told';
	}
	is $jobs->call(PATCH => "/v1/artifacts/$art", { comment_mails => Cpanel::JSON::XS::false })->{status}, 200,
		'what no visitor sees is changed';
	is scalar(told('/updated')), 0, '... and not told';
	my $r = $jobs->call(POST => "/v1/artifacts/$art/versions/1/restore");
	is_deeply [map { "$_->{data}{change} $_->{data}{version_no}" } told('/updated')], ['version 1'],
		'an older version that is live again is told' or diag $r->{body};
	$jobs->call(DELETE => "/v1/artifacts/$art");
	is scalar(told('/updated')), 0, 'the trash tells nobody';
	is $jobs->call(POST => "/v1/artifacts/$art/restore")->{status}, 200, 'out of the trash';
	is_deeply [map { $_->{data}{change} } told('/updated')], ['restored'], 'is told';
	$stack->ctl(qw(artifact pause), $art);
	$jobs->call(PATCH => "/v1/artifacts/$art", { name => 'While it is paused' });
	is scalar(told('/updated')), 0, 'one that is paused tells nobody';
	$stack->ctl(qw(artifact resume), $art);
	$jobs->call(PATCH => "/v1/jobs/$updated->{id}", { enabled => Cpanel::JSON::XS::false });
	$jobs->call(PATCH => "/v1/artifacts/$art", { name => 'Site' });
	is scalar(told('/updated')), 0, 'nor is a job that is paused told';
	$jobs->call(PATCH => "/v1/jobs/$updated->{id}", { enabled => Cpanel::JSON::XS::true });
};

subtest 'it costs whoever publishes nothing' => sub {
	Vitrine::Counted::still($stack);
	my $publish = sub { my ($id) = @_; return (Vitrine::Counted::counted($db, sub {
		$api->call(POST => '/v1/publish', { token => $ann->{token},
			json => { artifact_id => $id, name => 'Site', files => [{ path => 'index.html', content => 'counted ' . rand }] } })
	}))[1] };
	$publish->($_) for $art, $quiet;
	is $publish->($art), $publish->($quiet), 'as many statements with a job as without';
	Vitrine::Counted::go_on($stack);
	told('/updated');
};

subtest 'comment.added' => sub {
	my $r = $jobs->call(POST => "/v1/artifacts/$art/comments", { text => "One\n<two>", path => '/index.html' });
	is $r->{status}, 201, 'a comment' or diag $r->{body};
	my @t = told('/said');
	is scalar @t, 1, 'is told once';
	is_deeply $t[0]{data}{comment}, { id => $r->{json}{comment}{id}, text => "One\n<two>", author => $t[0]{data}{comment}{author},
		path => '/index.html' }, 'with what it says';
	ok length $t[0]{data}{comment}{author}, 'and by whom';
	unlike $t[0]{data}{comment}{author}, qr/\@/, 'but no address';
	my $chat = $jobs->made(chat_a => { webhook_url => $receiver->url('/chat'),
		text => '{{comment.author}}: {{comment.text}} ({{comment.path}})' }, event_type => 'comment.added');
	$jobs->call(POST => "/v1/artifacts/$art/comments", { text => '<!channel> {{run.id}}' });
	is_deeply [map { $_->{text} } told('/chat')], ["$t[0]{data}{comment}{author}: &lt;!channel&gt; {{run.id}} ()"],
		'a chat has its words';
	my $gone = $jobs->call(POST => "/v1/artifacts/$art/comments", { text => 'gone' })->{json}{comment}{id};
	$jobs->call(DELETE => "/v1/artifacts/$art/comments/$gone");
	is_deeply [map { $_->{data}{comment}{text} } told('/said')], ['<!channel> {{run.id}}'], 'one that was deleted at once is not told';
};

subtest 'artifact.viewed' => sub {
	# All of it in one minute.
	sleep 61 - time % 60 if time % 60 > 45;
	my $log = "$stack->{dir}/views";
	my $view = sub {
		my ($n) = @_;
		my $before = () = Vitrine::Stack::slurp($log) =~ /\n/g;
		$api->get_site($_, '/') for ('site-2') x $n, 'quiet';
		Vitrine::Stack::wait_for('the views', 60, sub { (() = Vitrine::Stack::slurp($log) =~ /\n/g) >= $before + $n + 1 });
	};
	$view->(3);
	is scalar(told('/viewed')), 0, 'views wait for their minute to end';
	is waiting(), 1, 'those of the artifact with a job, that is';
	$view->(2);
	$jobs->runner;
	is waiting(), 1, 'and those that follow wait with them';
	$db->do("UPDATE outbox SET due_at = UNIX_TIMESTAMP() WHERE kind = 'event'");
	my @t = told('/viewed');
	is scalar @t, 1, 'then they are told';
	is "$t[0]{type} $t[0]{data}{views}", 'artifact.viewed 5', 'together';
	is waiting(), 0, 'once';
};

subtest 'a circle ends' => sub {
	$db->do("INSERT INTO job_run (id, job_id, artifact_id, occasion, cause, status, lane, turn, scheduled_for, finished_at) "
		. "SELECT CONCAT('run_', SUBSTRING(j.id, 5, 20), LPAD(s.seq, 6, '0')), j.id, j.artifact_id, CONCAT('test', s.seq), "
		. "'event', 'success', 1, 1, 1, UNIX_TIMESTAMP()"
		. ' FROM job j JOIN seq_1_to_600 s WHERE j.id = ?', undef, $updated->{id});
	for (1 .. 3) {
		$jobs->call(PATCH => "/v1/artifacts/$art", { name => "Round $_" });
		is scalar(told('/updated')), 0, 'after 600 in an hour nobody is told';
	}
	my @runs = grep { $_->{status} eq 'skipped' } $jobs->runs($updated);
	is scalar @runs, 1, 'one run says so';
	like $runs[0]{error}, qr/triggered 600 runs within an hour/, 'and why';
	$db->do("DELETE FROM job_run WHERE occasion LIKE 'test%'");
	$jobs->call(PATCH => "/v1/artifacts/$art", { name => 'Round 4' });
	is scalar(told('/updated')), 1, 'when there are less it goes on';
};

finish($stack);
