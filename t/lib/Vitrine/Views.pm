# SPDX-License-Identifier: Apache-2.0
# What tests of views share: a stack with a page that all see and one that nobody does, the log of views, and what was counted.
package Vitrine::Views;
use strict;
use warnings;
use Cpanel::JSON::XS;
use Exporter 'import';
use MIME::Base64;
use POSIX ();
use Test::More;
use Time::HiRes 'time';
use Vitrine::Api;
use Vitrine::Stack;

our @EXPORT = qw(begin lines noted append line run_of runner counted started fsck $log);
our $log;
my ($stack, $api, $db);

# The stack, its API, its database, Ann, and the ids of her pages "site" and "secret".
sub begin {
	$stack = Vitrine::Stack->new(publish_per_hour => 10_000);
	($api, $db, $log) = (Vitrine::Api->new($stack), $stack->db, "$stack->{dir}/views");
	my $ann = $stack->user('ann@example.org');
	my %site = ('index.html' => 'front', 'about.html' => 'about',
		'old.html' => { content => encode_base64("<meta charset=windows-1252>\xf6", ''), encoding => 'base64' },
		'docs/index.html' => 'docs', 'short.htm' => 'short', 'LOUD.HTML' => 'loud', 'style.css' => 'p{}', 'data.json' => '{}',
		'odd.page' => { content => 'odd', mime => 'text/html' });
	my $art = $api->publish($ann, slug => 'site', visibility => 'public', routing => 'spa', files => \%site);
	my $secret = $api->publish($ann, slug => 'secret', visibility => 'private',
		files => { 'index.html' => 'secret', 'LOUD.HTML' => 'loud', 'a.css' => 'p{}' });
	return ($stack, $api, $db, $ann, $art, $secret);
}

sub lines { return split /\n/, Vitrine::Stack::slurp($log) =~ s/^\0+//r }
sub noted { my ($n, $what) = @_; Vitrine::Stack::wait_for($what, 60, sub { lines() >= $n }); return (lines())[-1] =~ s/^\S+ //r }
sub append { open my $f, '>>', $log or die; print $f @_; close $f or die }
sub line { my ($slug, $more, $at) = @_; return sprintf "%.3f %s %s\n", $at // time, $slug, $more // 'v p h' }
sub run_of { return (grep { $_->{event} eq 'run' } map { decode_json($_) } grep { /^\{/ } split /\n/, $_[0])[0] }
sub runner {
	my ($status, undef, $err) = $stack->runner;
	is $status, 0, 'the runner ran' or diag $err;
	return run_of($err);
}
# views, of the front page, of a version's own address, by programs: of all days
sub counted {
	return join ' ', map { $_ // 0 } $db->selectrow_array('SELECT SUM(views), SUM(entry_views), SUM(version_views), SUM(bot_views) '
		. 'FROM view_day d JOIN artifact a ON a.id = d.artifact_id'
		. ' WHERE a.slug = ?', undef, $_[0]);
}
sub started {
	my ($conf) = @_;
	my $pid = fork // die;
	return $pid if $pid;
	open STDERR, '>>', "$stack->{dir}/runner.log";
	exec "$stack->{build}/vitrine-runner", '-c', $conf // "$stack->{dir}/vitrine.yaml", '--once' or POSIX::_exit(127);
}
sub fsck { chomp(my $said = ($stack->program('vitrinectl', {}, 'fsck'))[1]); return $said }

1;
