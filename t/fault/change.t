# SPDX-License-Identifier: Apache-2.0
# kill -9 of a worker at its N-th system call of a change that opens, closes or moves a site: the row is as it was or as it was asked to be,
# what was acknowledged is so, and when the runner has been there every address serves what the row says. ./dev torture N tries N instants.
use List::Util 'min';
use Vitrine::Crash;
use Vitrine::Words;

my $instants = $ENV{VITRINE_TORTURE} // 12;
my $stack = Vitrine::Crash->stack;
my $api = Vitrine::Api->new($stack);
my $crash = Vitrine::Crash->new($stack, $api);
my $ann = $stack->user('ann@example.org');
my @text = (undef, 'version one', 'version two');
my $art = $api->publish($ann, slug => 'walk', visibility => 'public', files => { 'index.html' => $text[1] });
$api->publish($ann, slug => 'walk', files => { 'index.html' => $text[2] });

sub call {
	my ($method, $path, $json) = @_;
	return $api->call($method => "/v1/artifacts/$art$path", { token => $ann->{token}, $json ? (json => $json) : () });
}
sub row {
	return $stack->db->selectrow_hashref(
		'SELECT slug, visibility, live_no, deleted_at IS NOT NULL AS deleted FROM artifact WHERE id = ?', undef, $art);
}
sub text { my ($row) = @_; return join ' ', map { "$_=$row->{$_}" } sort keys %$row }

# Every address serves what the row says, and nothing else.
sub served {
	my ($row) = @_;
	my $open = $row->{visibility} ne 'private' && !$row->{deleted};
	my ($other) = grep { $_ ne $row->{slug} } 'walk', 'walk-two';
	my %want = ($row->{slug} => $open ? "200 $text[$row->{live_no}]" : '404', "$row->{slug}--v1" => $open ? "200 $text[1]" : '404',
		"$row->{slug}--v2" => $open ? "200 $text[2]" : '404');
	# The other name leads to this one if it was ever held.
	my $held = $stack->db->selectrow_array('SELECT COUNT(*) FROM slug WHERE slug = ?', undef, $other);
	$want{$other} = $open && $held ? '308' : '404';
	return join '; ', map {
		my $r = $api->get_site($_, '/');
		my $got = $r->{status} == 200 ? "200 $r->{body}" : $r->{status};
		$got eq $want{$_} ? () : "$_ is $got, not $want{$_}";
	} sort keys %want;
}

# what, the change, the way back, what it sets
my @changes = (
	['renamed', sub { call(PATCH => '', { slug => 'walk-two' }) }, sub { call(PATCH => '', { slug => 'walk' }) }, slug => 'walk-two'],
	['an earlier version', sub { call(POST => '/versions/1/restore') }, sub { call(POST => '/versions/2/restore') }, live_no => 1],
	['deleted', sub { call(DELETE => '') }, sub { call(POST => '/restore') }, deleted => 1],
	['taken back', sub { call(POST => '/restore') }, sub { call(DELETE => '') }, deleted => 0],
	['made private', sub { call(PATCH => '', { visibility => 'private' }) }, sub { call(PATCH => '', { visibility => 'public' }) },
		visibility => 'private'],
	['made public', sub { call(PATCH => '', { visibility => 'public' }) }, sub { call(PATCH => '', { visibility => 'private' }) },
		visibility => 'public'],
);

SKIP: {
	skip 'strace is not here', 1 if !`strace -V 2>/dev/null`;
	my $killed = 0;
	for (@changes) {
		my ($what, $do, $back, $field, $value) = @$_;
		$back->() if row()->{$field} eq $value;
		my %before = %{row()};
		my %after = (%before, $field => $value);
		my ($r, $all, $calls) = $crash->count($do);
		is $r->{status}, 200, "$what, under strace, with $calls system calls up to the reply";
		my $each = int($instants / @changes) || 1;
		for my $i (1 .. $each) {
			# A few are after the reply.
			my $n = min($all, 1 + int(($i - rand) * 1.2 * $calls / $each));
			$back->() if row()->{$field} eq $value;
			$r = $crash->at($n, $do);
			my $now = text(row());
			$killed++ if $r->{status} != 200;
			ok $r->{status} == 200 ? $now eq text(\%after)
				: $r->{status} =~ /^(?:502|503|504|0)$/ && ($now eq text(\%after) || $now eq text(\%before)),
				"$what, system call $n: told $r->{status}, and the row is $now";
			is served(row()), '', "$what, system call $n: what was acknowledged is so at once" if $r->{status} == 200;
			$stack->runner;
			is served(row()), '', "$what, system call $n: after the runner the addresses are as the row says";
		}
		$do->() if row()->{$field} ne $value;
		is $stack->ctl('fsck'), 'clean', "$what: fsck is clean";
	}
	ok $killed > 0, "$killed were killed before they could answer";
}
finish($stack);
