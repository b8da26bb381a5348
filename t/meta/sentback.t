# SPDX-License-Identifier: Apache-2.0
# What the service writes, it reads: each thing that a GET answers with is sent back by the PATCH of its address, and nothing changes.
use FindBin;
use Vitrine::OpenApi;
use Vitrine::World;
use Vitrine::Words qw(as);

my ($stack, $api, $db) = stack(Vitrine::World::unlimited());
my $paths = Vitrine::OpenApi->new("$FindBin::Bin/../../docs/openapi.json")->{doc}{paths};
my $t = Vitrine::World->new($stack)->tenant($api, 'ann');
my $json = Cpanel::JSON::XS->new->canonical->utf8->pretty;

# A reply's thing: its only member, or all of them.
sub thing {
	my ($r) = @_;
	my %all = %{$r->{json}};
	delete @all{qw(success warnings)};
	my ($only) = values %all;
	return keys %all == 1 && ref $only eq 'HASH' ? $only : \%all;
}
sub lasting {
	my ($v) = @_;
	return ref $v eq 'HASH' ? { map { $_ => lasting($v->{$_}) } grep { !/^(?:updated|edited)_?at$/i } keys %$v } : $v;
}

# Jobs that wait for an event have neither schedule nor zone; what a webhook sends is not told.
my @jobs = map { my $r = as('ann', POST => '/v1/jobs', { artifact_id => $t->{artifact_id}, %$_ }); $r->{json}{job}{id} // die $r->{body} }
	{ action => 'email', event_type => 'comment.added', config => { recipients => ['x@example.org'], subject => 'x' } },
	{ action => 'webhook', schedule => '0 9 * * *', config => { url => 'https://example.org/', headers => { 'X-Key' => 'secret' } } };
$t->{job_id} = shift @jobs;
# Rows are changed by conditions.
my @all = map { my $path = $_; map { [$path, $_, $t] } grep { $paths->{$path}{$_} } 'patch' }
	grep { m{^/v1} && !m{/rows$} && $paths->{$_}{get} } sort keys %$paths;
push @all, map { ['/v1/jobs/{job_id}', 'patch', { %$t, job_id => $_ }] } @jobs;
for (@all) {
	my ($path, $method, $at) = @$_;
	# What is carried out later says 202.
	next if !$paths->{$path}{$method}{requestBody}{content}{'application/json'} || !$paths->{$path}{$method}{responses}{200};
	my $address = $path =~ s/\{(\w+)\}/$at->{$1} \/\/ die "$path: $1"/ger;
	my $got = as('ann', GET => $address);
	is $got->{status}, 200, "GET $path" or diag($got->{body}), next;
	my $sent = as('ann', uc $method => $address, thing($got));
	is $sent->{status} . ($sent->{status} == 200 ? '' : " $sent->{body}"), 200, "... is what \U$method\E takes";
	is $json->encode(lasting(thing(as('ann', GET => $address)))), $json->encode(lasting(thing($got))), '... and nothing has changed';
}
finish($stack);
