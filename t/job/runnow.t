# SPDX-License-Identifier: Apache-2.0
# Somebody runs a job now, and the server that it calls does not answer: the request ends all the same, the run goes on under its id, and
# nobody else is kept waiting meanwhile.
use IO::Socket::INET;
use IO::Socket::SSL;
use POSIX ();
use Time::HiRes qw(sleep time);
use Vitrine::Words;

my $tls = $ENV{VITRINE_VAR} . '/tls-test';
Vitrine::Stack::make_tls($tls);
# It takes requests and says nothing.
my $silent = IO::Socket::INET->new(Listen => 64, LocalAddr => '127.0.0.1') // die;
my $server = fork // die;
if (!$server) {
	open $_, '>', '/dev/null' for *STDOUT, *STDERR;
	my @kept;
	while (my $c = $silent->accept) {
		push @kept, $c;
		IO::Socket::SSL->start_SSL($c, SSL_server => 1, SSL_cert_file => "$tls/cert.pem", SSL_key_file => "$tls/key.pem");
	}
	POSIX::_exit(0);
}
END { local $?; kill KILL => $server if $server }
my ($stack, $api, $db) = stack(slow_workers => 8, egress_allow => '127.0.0.1:' . $silent->sockport, egress_ca_file => "$tls/ca.pem",
	job_runs_asked_per_minute => 2);
my $ann = $stack->user('ann@example.org');
my $art = $api->publish($ann, slug => 'site');
sub as { my ($method, $path, $json) = @_; return $api->call($method => $path, { token => $ann->{token}, ($json ? (json => $json) : ()) }) }
sub job {
	return as(POST => '/v1/jobs', { artifact_id => $art, action => 'webhook', schedule => '0 9 * * *',
		config => { url => 'https://localhost:' . $silent->sockport . '/' } })->{json}{job};
}
my $job = job();
my $next = $job->{next_run_at};

pipe my $out, my $in or die;
my $pid = fork // die;
if (!$pid) {
	my $r = Vitrine::Api->new($stack)->call(POST => "/v1/jobs/$job->{id}/run", { token => $ann->{token} });
	syswrite $in, "$r->{status} $r->{json}{execution}{status} $r->{json}{execution}{id} $r->{headers}{location}\n$r->{json}{message}\n";
	POSIX::_exit(0);
}
my $waited = time;
sleep 0.05 until time - $waited > 30 || $db->selectrow_array("SELECT COUNT(*) FROM job_run WHERE status = 'running'");
my $r = as(POST => "/v1/jobs/$job->{id}/run");
is "$r->{status} $r->{json}{code}", '409 CONFLICT', 'while one run is under way there is no other' or diag $r->{body};
is as(GET => "/v1/jobs/$job->{id}/runs")->{json}{runs}[0]{status}, 'running', 'the list says that it is';
close $in;
waitpid $pid, 0;
my ($said, $words) = <$out>;
my ($status, $state, $id, $location) = split ' ', $said;
is "$status $state", '202 queued', 'who asked is answered: it is not over';
is $location, "/v1/jobs/$job->{id}/runs/$id", '... where to look';
like $words, qr/still running/, '... and why';
is as(GET => $location)->{json}{run}{status}, 'queued', 'the run waits for the runner';
is as(GET => "/v1/jobs/$job->{id}")->{json}{job}{next_run_at}, $next, 'the schedule is as it was';
# One that is over at once, since nobody sends mail here. A minute may end meanwhile.
my $mail = as(POST => '/v1/jobs', { artifact_id => $art, action => 'email', schedule => '0 9 * * *',
	config => { recipients => ['x@example.org'], subject => 'x' } })->{json}{job};
for (1 .. 5) { $r = as(POST => "/v1/jobs/$mail->{id}/run"); last if $r->{status} == 429 }
is "$r->{status} $r->{json}{code}", '429 RATE_LIMITED', 'so many a minute may be asked for, and no more' or diag $r->{body};
like $r->{headers}{'retry-after'}, qr/^\d+$/, '... until the minute is over';
is as(DELETE => "/v1/jobs/$job->{id}")->{status}, 200, 'the job is deleted';
is as(GET => $location)->{status}, 404, '... with what waits';
finish($stack);
