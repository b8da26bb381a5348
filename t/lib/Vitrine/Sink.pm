# SPDX-License-Identifier: Apache-2.0
# Receivers of webhooks (t/lib/sink), and jobs that call them.
package Vitrine::Sink;
use strict;
use warnings;
use Time::HiRes qw(sleep time);
use Vitrine::Stack;

my $count = 0;

# ports => how many, tls => 1 or a folder with the certificate, address => of the machine.
sub new {
	my ($class, $dir, %o) = @_;
	my $me = "$dir/sink-$$-" . ++$count;
	my $tls = ($o{tls} // 1) eq 1 ? ($ENV{VITRINE_VAR} // 'var') . '/tls-test' : $o{tls};
	my $s = bless { log => "$me.log", tls => $o{tls}, address => $o{address} // '127.0.0.1', owner => $$ }, $class;
	$s->{pid} = fork // die;
	if (!$s->{pid}) {
		exec "$ENV{VITRINE_TOP}/t/lib/sink", $s->{log}, "$me.ports", $o{ports} // 1,
			$o{tls} ? ("$tls/cert.pem", "$tls/key.pem", $s->{address}) : ()
			or POSIX::_exit(127);
	}
	Vitrine::Stack::wait_for('the sink', 60, sub { -s "$me.ports" });
	$s->{ports} = [split ' ', Vitrine::Stack::slurp("$me.ports")];
	return $s;
}

# What egress_allow must list.
sub allow { my ($s) = @_; return join ' ', map { "$s->{address}:$_" } @{$s->{ports}} }
sub url {
	my ($s, $path, $port) = @_;
	$port //= $s->{ports}[0];
	my $host = $s->{address} eq '127.0.0.1' && $s->{tls} ? 'localhost' : $s->{address};
	return $s->{tls} ? "https://$host:$port$path" : "http://$host:$port$path";
}

# [what, seconds, path, run] of each line so far.
sub lines { my ($s) = @_; sleep 0.1; return map { [split ' '] } split /\n/, Vitrine::Stack::slurp($s->{log}) }
sub begun { my ($s, $path) = @_; return grep { $_->[0] eq 'begin' && (!defined $path || $_->[2] eq $path) } $s->lines }

sub stop { my ($s) = @_; my $pid = delete $s->{pid} or return; local $?; kill 'KILL', $pid; waitpid $pid, 0 }
sub DESTROY { my ($s) = @_; $s->stop if $s->{owner} == $$ }

# Ids of jobs made as the API makes them. Each: { artifact, url, and maybe name, attempts, delay, schedule }.
sub jobs {
	my ($stack, $user, @jobs) = @_;
	my ($in, $out) = map { "$stack->{dir}/jobs.$_" } 'in', 'out';
	Vitrine::Stack::spew($in, join '', map { join(' ', $_->{artifact}, $_->{name} // 'job', $_->{attempts} // 3, $_->{delay} // 1,
		($_->{schedule} // '0 0 1 1 *') =~ tr/ /_/r, $_->{url}) . "\n" } @jobs);
	my $drive = $ENV{VITRINE_DRIVE} // "$stack->{build}/t/drive/job";
	system("$drive $stack->{dir}/vitrine.yaml $user->{id} <$in >$out") == 0 or die 'no jobs';
	return split /\n/, Vitrine::Stack::slurp($out);
}

# A run of each job, due now or so many seconds ago, as the schedule would make it.
sub due { my ($stack, @ids) = @_; $stack->db->do('UPDATE job SET next_run_at = UNIX_TIMESTAMP() - 1 WHERE id = ?', undef, $_) for @ids }

1;
