# SPDX-License-Identifier: Apache-2.0
# Jobs of one artifact, for tests of what they do: made by the API, carried out by the runner.
package Vitrine::Jobs;
use strict;
use warnings;
use Cpanel::JSON::XS;
use Test::More;

# stack, api, user, art.
sub new { my ($class, %s) = @_; return bless {%s}, $class }

sub call {
	my ($s, $method, $path, $json) = @_;
	return $s->{api}->call($method => $path, { token => $s->{user}{token}, (defined $json ? (json => $json) : ()) });
}
# The answer to a new job; %more are further members.
sub add {
	my ($s, $action, $config, %more) = @_;
	return $s->call(POST => '/v1/jobs', { artifact_id => $s->{art}, action => $action, schedule => '0 0 1 1 *', config => $config,
		retry_config => { maxAttempts => 1, initialDelay => 1 }, %more });
}
sub made {
	my ($s, $action, $config, %more) = @_;
	my %new = (artifact_id => $s->{art}, action => $action, schedule => '0 0 1 1 *', config => $config,
		retry_config => { maxAttempts => 1, initialDelay => 1 }, %more);
	delete $new{schedule} if $more{event_type};
	my $r = $s->call(POST => '/v1/jobs', \%new);
	is $r->{status}, 201, "a job: $action" or diag $r->{body};
	return $r->{json}{job} ? { %{$r->{json}{job}}, shown => $r->{json}{secret} } : {};
}
# A config that is refused: the message says why.
sub refused {
	my ($s, $name, $like, $action, $config) = @_;
	my $r = $s->add($action, $config);
	is "$r->{status} " . ($r->{json}{code} // ''), '400 INVALID_REQUEST', $name or diag $r->{body};
	like $r->{json}{error} // '', $like, '... naming the field';
}
sub runner {
	my ($s) = @_;
	my ($status, undef, $err) = $s->{stack}->runner;
	is $status, 0, 'the runner ran' or diag $err;
	unlike $err, qr/AddressSanitizer|runtime error/, 'cleanly';
	$s->{log} .= $err;
	return $err;
}
sub runs { my ($s, $job) = @_; return @{$s->call(GET => "/v1/jobs/$job->{id}/runs")->{json}{runs}} }
sub run_of { my ($s, $job, $run) = @_; return $s->call(GET => "/v1/jobs/$job->{id}/runs/$run->{id}")->{json}{run} }
# Its schedule says now, each time another second: what runs for one runs once.
sub due {
	my ($s, $job) = @_;
	$s->{stack}->db->do('UPDATE job SET next_run_at = UNIX_TIMESTAMP() - 10000 + ? WHERE id = ?', undef, $s->{times}++ // 0, $job->{id})
}
# The run that comes of it.
sub ran {
	my ($s, $job) = @_;
	$s->due($job);
	$s->runner;
	my ($newest) = $s->runs($job);
	return $newest ? $s->run_of($job, $newest) : {};
}
sub succeeds { my ($s, $job, $name) = @_; my $run = $s->ran($job); is $run->{status}, 'success', $name or diag explain $run; return $run }
sub fails {
	my ($s, $job, $name, $like) = @_;
	my $run = $s->ran($job);
	is $run->{status}, 'failed', $name or diag explain $run;
	like $run->{error} // '', $like, '... and says why' if $like;
	return $run;
}

1;
