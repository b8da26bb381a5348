# SPDX-License-Identifier: Apache-2.0
# What tests of what went wrong on pages share: a stack whose runner has a browser, pages that are opened, and what is said of them.
package Vitrine::Problems;
use strict;
use warnings;
use Cpanel::JSON::XS;
use Exporter 'import';
use Test::More;
use Time::HiRes 'time';
use Vitrine::Api;
use Vitrine::Stack;

our @EXPORT = qw(begin publish published problems row waits runner all_opened in_time told texts);
my ($stack, $api, $db, $ann);

# With that program as its browser: the stack, its API, its database, Ann and Ben.
sub begin {
	my ($chromium) = @_;
	$stack = Vitrine::Stack->new(chromium => $chromium, publish_per_hour => 10_000, pictures_per_minute => 100);
	($api, $db) = (Vitrine::Api->new($stack), $stack->db);
	$ann = $stack->user('ann@example.org');
	return ($stack, $api, $db, $ann, $stack->user('ben@example.org'));
}

sub publish {
	my ($slug, $files, %more) = @_;
	return $api->publish($ann, slug => "a-$slug", visibility => 'private',
		files => ref $files ? $files : { 'index.html' => $files }, %more);
}
sub problems { my ($art) = @_; return $api->call(GET => "/v1/artifacts/$art/problems", { token => $ann->{token} })->{json}{problems} }
sub row { return $db->selectrow_hashref('SELECT * FROM page_seen WHERE artifact_id = ? AND version_no = ?', undef, $_[0], $_[1] // 1) }
# Versions that are due and were never opened.
sub waits { return scalar $db->selectrow_array('SELECT COUNT(*) FROM page_seen WHERE due_at <= UNIX_TIMESTAMP() AND attempts = 0') }
sub runner {
	my ($status, undef, $err) = $stack->runner;
	is $status, 0, 'the runner ran' or diag $err;
	return grep { $_->{event} =~ /picture|opened/ } map { decode_json($_) } grep { /^\{/ } split /\n/, $err;
}
# A run ends before its minute does; on a busy machine there is another.
sub all_opened { my $end = time + 300; my @said; do { push @said, runner() } while waits() && time < $end; return @said }
# kind, url and line of each, with a part of the text.
sub told { return [map { join ' ', grep { defined } $_->{kind}, $_->{url}, $_->{line}, "x$_->{count}" } @{problems($_[0])->{items}}] }
sub texts { return join "\n", map { $_->{text} } @{problems($_[0])->{items}} }

# Pages that a loaded machine had no time for are looked at again, as in the hour in which the runner does that. What the runner said.
sub in_time {
	my @said;
	for (1 .. 20) {
		my @late = grep { grep { /^timeout/ } @{told($_)} } @_ or last;
		$db->do('UPDATE page_seen SET due_at = 1, attempts = 1 WHERE artifact_id IN (' . join(', ', ('?') x @late) . ')',
			undef, @late);
		push @said, runner();
	}
	return @said;
}

# Pages by their names: their ids.
sub published {
	my (%page) = @_;
	return map { $_ => publish($_, { 'index.html' => $page{$_}, 'app.js' => "let a = 1;\n\nundefined.x;\n" }) } sort keys %page;
}

1;
