# SPDX-License-Identifier: Apache-2.0
# A client of a cluster that writes each of its operations to a log, in the form that t/cluster/check_log.py reads.
package Vitrine::Logged;
use strict;
use warnings;
use Cpanel::JSON::XS;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);
use Vitrine::Api;

my $TIMEOUT_S = 15;
my %DID_NOTHING = map { $_ => 1 } qw(NOT_ACTIVE STORE_UNAVAILABLE);

# $at: the machine or cluster that is asked. $token: of its user. $patience: seconds for a request.
sub new {
	my ($class, $at, $token, $log, $patience) = @_;
	open my $out, '>>', $log or die "$log: $!\n";
	$out->autoflush(1);
	return bless { token => $token, out => $out, patience => $patience // $TIMEOUT_S,
		api => Vitrine::Api->new($at, unchecked => 1), node => $at->{number} ? $at->{name} : 'balancer',
		json => Cpanel::JSON::XS->new->utf8->canonical->allow_nonref }, $class;
}

sub seconds { return clock_gettime(CLOCK_MONOTONIC) }

# One operation: request() makes the request and returns the reply. $value is what is written, or a function that reads it from the
# reply. More members of the log's line can follow. Returns res and the reply.
sub operation {
	my ($l, $op, $key, $value, $request, %more) = @_;
	my $begun = seconds();
	my $r = eval {
		local $SIG{ALRM} = sub { die "no reply in $l->{patience} s\n" };
		alarm $l->{patience};
		my $r = $request->();
		alarm 0;
		$r;
	};
	alarm 0;
	# To a visitor each status is an answer.
	my ($ended, $res) = (seconds(), $op eq 'fetch' && $r && $r->{status} ? 'ok' : outcome($r));
	if (ref $value) {
		# A reply that was cut off has no value.
		my $read = $res eq 'ok' ? eval { [$value->($r)] } : undef;
		$res = 'unknown' if $res eq 'ok' && !$read;
		$value = $read ? $read->[0] : undef;
	}
	$l->line({ t0 => $begun, t1 => $ended, node => $l->{node}, op => $op, key => $key, value => $value, res => $res, %more });
	return ($res, $r);
}

sub outcome {
	my ($r) = @_;
	return 'unknown' if !$r || !$r->{status};
	return 'ok' if $r->{status} =~ /^2/;
	my ($code) = ($r->{body} // '') =~ /"code":"(\w+)"/;
	return $r->{status} =~ /^4/ || $r->{status} == 503 && $DID_NOTHING{$code // ''} ? 'fail' : 'unknown';
}

sub line { my ($l, $o) = @_; print { $l->{out} } $l->{json}->encode($o), "\n" }
sub fault {
	my ($l, $what, $where) = @_;
	my $now = seconds();
	$l->line({ t0 => $now, t1 => $now, node => $where, op => 'fault', key => $what, value => $where, res => 'ok' });
	return $now;
}

# A request of the API on a connection of its own: one that is kept could be sent twice when the other side has closed it.
sub call {
	my ($l, $method, $path, %o) = @_;
	return $l->{api}->call($method => $path, { token => $l->{token}, %o, headers => { Connection => 'close', %{$o{headers} // {}} } });
}

# ---- operations of this service

sub add_row {
	my ($l, $art, $value) = @_;
	return $l->operation(add => 'rows', $value,
		sub { $l->call(POST => "/v1/data/$art/tables/t/rows", json => { rows => [{ v => $value }] }) });
}

sub all_rows {
	my ($l, $art, %more) = @_;
	my $read = sub { [map { $l->{json}->decode($_)->{v} } split /\n/, $_[0]{body}] };
	return $l->operation(all => 'rows', $read, sub { $l->call(GET => "/v1/data/$art/tables/t/export?format=ndjson") }, %more);
}

sub set_document {
	my ($l, $art, $value) = @_;
	return $l->operation(set => 'document', $value, sub { $l->call(PUT => "/v1/data/$art/json", json => { v => $value }) });
}

sub get_document {
	my ($l, $art, %more) = @_;
	return $l->operation(get => 'document', sub { $l->{json}->decode($_[0]{body})->{data}{v} },
		sub { $l->call(GET => "/v1/data/$art/json") }, %more);
}

# Reads a document that has a list, and its ETag.
sub read_list {
	my ($l, $art, %more) = @_;
	my ($res, $r) = $l->operation(list => 'list', sub { $l->{json}->decode($_[0]{body})->{data}{list} },
		sub { $l->call(GET => "/v1/data/$art/json") }, %more);
	return $res eq 'ok' ? ($l->{json}->decode($r->{body})->{data}{list}, $r->{headers}{etag}) : ();
}

# If another client has changed the list since it was read, the condition fails and nothing is written.
sub append_to_list {
	my ($l, $art, $value) = @_;
	my ($list, $etag) = $l->read_list($art) or return;
	return $l->operation(append => 'list', $value, sub {
		$l->call(PUT => "/v1/data/$art/json", json => { list => [@$list, $value] }, headers => { 'If-Match' => $etag });
	});
}

sub publish_version {
	my ($l, $art, $text) = @_;
	return $l->operation(version => $art, sub { $l->{json}->decode($_[0]{body})->{version}{version_no} },
		sub {
			$l->call(POST => '/v1/publish',
				json => { artifact_id => $art, files => [{ path => 'index.html', content => $text }] });
		});
}

sub open_page { my ($l, $art) = @_; return $l->show($art, open => 'public') }
sub close_page { my ($l, $art) = @_; return $l->show($art, close => 'private') }
sub show {
	my ($l, $art, $op, $visibility) = @_;
	return $l->operation($op => 'page', undef, sub { $l->call(PATCH => "/v1/artifacts/$art", json => { visibility => $visibility }) });
}

# A seat of a workspace: a person is added, and removed. $value is unique, $who an id.
sub take_seat {
	my ($l, $ws, $value, $who) = @_;
	return $l->operation(take => 'seats', $value, sub { $l->call(POST => "/v1/workspaces/$ws/members", json => { user_id => $who }) });
}
sub free_seat {
	my ($l, $ws, $value, $who) = @_;
	return $l->operation(free => 'seats', $value, sub { $l->call(DELETE => "/v1/workspaces/$ws/members/$who") });
}

# Asks for a run of a job, which has this name in the logs.
sub run_job { my ($l, $job, $name) = @_; return $l->operation(due => $name, undef, sub { $l->call(POST => "/v1/jobs/$job/run") }) }

# A visitor without an account.
sub fetch_page {
	my ($l, $slug) = @_;
	return $l->operation(fetch => 'page', sub { $_[0]{status} }, sub { $l->{api}->get_site($slug, '/', Connection => 'close') });
}

1;
