# SPDX-License-Identifier: Apache-2.0
# ./dev bench: what others cost. Two stacks, one with a thousand rows of others in each table, one with 10,000 (VITRINE_OTHERS); the same is done on both by turns,
# so the ratios should be 1.
use strict;
use warnings;
use Cpanel::JSON::XS;
use MIME::Base64;
use Time::HiRes 'time';
use Vitrine::Api;
use Vitrine::Bench;
use Vitrine::Neighbour;
use Vitrine::Stack;

my $many = $ENV{VITRINE_OTHERS} // 10_000;
my $few = 1000;
$| = 1;
my ($small, $big);
# However it ends: the big one takes some gigabytes.

# Both have as much memory: all of the small one and the hot part of the big one.
sub stack_with {
	my ($others) = @_;
	my $s = Vitrine::Stack->new(workers => 4, publish_per_hour => 1_000_000, grace_s => 0);
	my $b = { stack => $s, api => Vitrine::Api->new($s), timed => Vitrine::Api->new($s, unchecked => 1), base => "https://127.0.0.1:$s->{port}" };
	room($s->db);
	$b->{ann} = $s->user('ann@example.org');
	$b->{art} = $b->{api}->publish($b->{ann}, slug => "own-$_", visibility => 'public', files => { 'index.html' => "page $_", 'common.txt' => 'common' }) for 1 .. 60;
	my $from = time;
	Vitrine::Neighbour::seed($s->db, 1, $others);
	printf "seeded %d others in %.0f s\n", $others, time - $from;
	return $b;
}


($small, $big) = map { stack_with($_) } $few, $many;
stacks(map { $_->{stack} } $small, $big);

sub runs {
	my ($b) = @_;
	my $from = time;
	for (1 .. 5) { my ($status, undef, $err) = $b->{stack}->runner; die $err if $status }
	return (5 / (time - $from), 5);
}

sub gets { my ($b, $path) = @_; return wrk("$b->{base}$path", 'Host: vitrine.localhost', "Authorization: Bearer $b->{ann}{token}") }

my $count = 10;
sub publishes {
	my ($b) = @_;
	my @bodies = map { encode_json({ name => 'B', slug => 'many', visibility => 'public', files => [map { { path => $_ ? "f$_.html" : 'index.html', content => "page " . rand } } 0 .. 9] }) } 1 .. $count;
	my $from = time;
	for my $body (@bodies) {
		my $r = $b->{timed}->call(POST => '/v1/publish', { token => $b->{ann}{token}, type => 'application/json', body => $body });
		die $r->{body} if $r->{status} != 201;
	}
	return ($count / (time - $from), $count);
}

my $beside = "$many beside $few";
for (["a run of the runner, $beside", \&runs], ["GET /v1/artifacts/{id}, $beside", sub { gets($_[0], "/v1/artifacts/$_[0]{art}") }],
	["publish of 10 files, $beside", \&publishes], ["GET /v1/artifacts, $beside", sub { gets($_[0], '/v1/artifacts') }]) {
	my ($what, $do) = @$_;
	$do->($_) for $small, $big;
	by_turns($what, sub { $do->($big) }, sub { $do->($small) });
}
