# SPDX-License-Identifier: Apache-2.0
# Two machines of a cluster at one database, without Galera: "a" is active, "b" warm. The test gives the roles itself, so no machine takes
# over. "b" has no workers: all that it serves is what its nginx finds.
package Vitrine::Nodes;
use strict;
use warnings;
use Exporter 'import';
use File::Temp;
use Test::More;
use Time::HiRes 'sleep';
use Vitrine::Api;
use Vitrine::S3;
use Vitrine::Stack;
use Vitrine::Words 'as';

our @EXPORT = qw(nodes role until_so rows runs ends shown shows publish patch fsck);
my ($here, $there, $other, $db);

# The stacks of both, an API of each, and the database.
sub nodes {
	my $s3 = Vitrine::S3->new(Vitrine::Stack::test_tls());
	my $dir = File::Temp::tempdir(CLEANUP => 1);
	my %conf = (cluster_admin_file => "$dir/password", publish_per_hour => 1_000_000, data_per_minute => 1_000_000,
		grace_s => 3600, $s3->conf);
	$here = Vitrine::Stack->new(%conf, cluster_node => 'a');
	my $api = Vitrine::Api->new($here);
	$there = Vitrine::Stack->new(%conf, cluster_node => 'b', beside => $here);
	$other = Vitrine::Api->new($there);
	$here->{s3} = $s3;
	$db = $here->db;
	$here->make_cluster("$dir/password", a => 'a', b => 'b');
	$db->do('UPDATE node SET joined_at = 7, beat = 1');
	role($here, active => 'b', 1);
	role($there, warm => 'a', 1);
	# As the guard does.
	for my $data (map { "$_->{dir}/data" } $here, $there) { rename "$data/$_.hidden", "$data/$_" or die for qw(sites deliveries) }
	$here->user('ann@example.org');
	$there->stop_one('worker');
	$there->expect_alert(qr/connect\(\) to unix/);
	return ($here, $there, $api, $other, $db);
}

# A role for an hour, and the other machine's beat just now.
sub role {
	my ($stack, $role, @seen) = @_;
	Vitrine::Stack::run("$stack->{build}/t/drive/lease", "$stack->{dir}/vitrine.yaml", $role, 3600, @seen);
}
sub until_so { my ($what, $so) = @_; return ok Vitrine::Stack::wait_for($what, 60, $so), $what }
# How many rows the other machine has.
sub rows { return $db->selectrow_array("SELECT COUNT(*) FROM node_outbox WHERE node = 'b'") }
# Its runner: lanes, perhaps under another program.
sub runs {
	my ($lanes, @under) = @_;
	return $there->spawn('runner', "$there->{dir}/runner.log", @under, "$there->{build}/vitrine-runner", '-c',
		"$there->{dir}/vitrine.yaml", '--stay', '--lanes', $lanes // 'closings|project');
}
sub ends { return $there->stop_one('runner', @_) }
# The page that it serves; undef if it serves none.
sub shown { my ($slug) = @_; my $r = $other->get_site($slug, '/'); return $r->{status} == 200 ? $r->{body} : undef }
sub shows { my ($slug, $body) = @_; return Vitrine::Stack::wait_for("$slug there", 60, sub { (shown($slug) // '') eq $body }) }
# The id of the artifact.
sub publish {
	my ($slug, $body, %more) = @_;
	my $r = as(ann => POST => '/v1/publish', { ($slug ? (slug => $slug, name => $slug, visibility => 'public') : ()),
		files => [{ path => 'index.html', content => $body }], %more });
	return $r->{json}{artifact}{id} // die "$r->{status} $r->{body}\n";
}
sub patch { my ($art, %in) = @_; return as(ann => PATCH => "/v1/artifacts/$art", \%in) }
sub fsck { return ($there->program('vitrinectl', {}, 'fsck'))[1] }

1;
