# SPDX-License-Identifier: Apache-2.0
# kill -9 of a worker at its N-th system call of a change of a workspace: deleted and brought back, its host turned on and off, a logo set
# and removed, an approval given, an artifact moved in and out. The rows are as they were or as they were asked to be, what was acknowledged
# is so, and after the runner every address serves what they say.
use List::Util 'min';
use MIME::Base64;
use Vitrine::Crash;
use Vitrine::Words 'as';

my $instants = $ENV{VITRINE_TORTURE} // 14;
my $stack = Vitrine::Crash->stack;
my $api = Vitrine::Api->new($stack);
my $crash = Vitrine::Crash->new($stack, $api);
my $db = $stack->db;
my ($ann, $ben) = map { $stack->user("$_\@example.org") } qw(ann ben);
my $ws = as($ann, POST => '/v1/workspaces', { name => 'Team', slug => 'team' })->{json}{workspace}{id};
$stack->ctl(qw(workspace plan team team));
$stack->seat($ws, $ben, 'admin');
my $art = $api->publish($ann, slug => 'walk', visibility => 'public', workspace_id => $ws, files => { 'index.html' => 'walk' });
my $ask = $api->publish($ann, slug => 'asked', visibility => 'private', workspace_id => $ws, files => { 'index.html' => 'one' });
$api->publish($ann, slug => 'asked', files => { 'index.html' => 'two' });
my $png = decode_base64('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==');

sub row {
	return $db->selectrow_hashref('SELECT w.deleted_at IS NOT NULL AS deleted, w.subdomain IS NOT NULL AS host, '
		. 'w.logo IS NOT NULL AS logo, a.workspace_id IS NOT NULL AS inside, p.visibility AS asked'
		. ' FROM workspace w JOIN artifact a ON a.id = ? JOIN artifact p ON p.id = ? WHERE w.id = ?', undef, $art, $ask, $ws);
}
sub text { my ($row) = @_; return join ' ', map { "$_=$row->{$_}" } sort keys %$row }

# Every address serves what the rows say, and nothing else.
sub served {
	my $row = row();
	my $walk = !($row->{deleted} && $row->{inside});
	my $asked = $row->{asked} eq 'public' && !$row->{deleted};
	my %want = (walk => $walk ? '200 walk' : '404',
		'walk--team' => $walk && $row->{inside} && $row->{host} ? '200 walk' : qr/^(?:404|308)$/,
		asked => $asked ? '200 two' : '404', 'asked--v2' => $asked ? '200 two' : '404', 'asked--v1' => '404');
	my @wrong = map {
		my $r = $api->get_site($_, '/');
		my $got = $r->{status} == 200 ? "200 $r->{body}" : $r->{status};
		(ref $want{$_} ? $got =~ $want{$_} : $got eq $want{$_}) ? () : "$_ is $got, not $want{$_}";
	} sort keys %want;
	my ($logo) = $db->selectrow_array('SELECT logo FROM workspace WHERE id = ?', undef, $ws);
	push @wrong, 'the logo is not there' if $logo && $api->call(GET => "/v1/logos/$logo")->{status} != 200;
	return join '; ', @wrong;
}

sub host { my ($on) = @_; return sub { as($ann, POST => "/v1/workspaces/$ws/subdomain", { enabled => $on ? $true : $false }) } }
sub move { my ($to) = @_; return sub { as($ann, PATCH => "/v1/artifacts/$art", { workspace_id => $to }) } }
my $deleted = sub { as($ann, DELETE => "/v1/workspaces/$ws") };
my $restored = sub { as($ann, POST => "/v1/workspaces/$ws/restore") };
my $logo = sub { $api->call(POST => "/v1/workspaces/$ws/logo", { token => $ann->{token}, body => $png, type => 'image/png' }) };
my $no_logo = sub { as($ann, DELETE => "/v1/workspaces/$ws/logo") };
my $pending;
my $closed = sub {
	as($ann, PATCH => "/v1/workspaces/$ws/publish-policy", { policy => 'require_approval' });
	as($ann, PATCH => "/v1/artifacts/$ask", { visibility => 'private' });
	$db->do('UPDATE version SET approved = FALSE WHERE artifact_id = ?', undef, $ask);
	$pending = as($ann, POST => "/v1/artifacts/$ask/publish-approval", { visibility => 'public' })->{json}{approval}{id} // $pending;
};
my $approved = sub { as($ben, POST => "/v1/artifacts/$ask/publish-approval/$pending/decision", { decision => 'approve' }) };

# what, the change, the way back, what it sets
my @changes = (
	['a logo', $logo, $no_logo, logo => 1],
	['no logo', $no_logo, $logo, logo => 0],
	['a host', host(1), host(0), host => 1],
	['no host', host(0), host(1), host => 0],
	['moved out', move(undef), move($ws), inside => 0],
	['moved in', move($ws), move(undef), inside => 1],
	['deleted', $deleted, $restored, deleted => 1],
	['restored', $restored, $deleted, deleted => 0],
	['approved', $approved, $closed, asked => 'public'],
);

SKIP: {
	skip 'strace is not here', 1 if !`strace -V 2>/dev/null`;
	my $killed = 0;
	for (@changes) {
		my ($what, $do, $back, $field, $value) = @$_;
		$back->() if row()->{$field} eq $value || $do == $approved;
		my ($r, $all, $calls) = $crash->count($do);
		is $r->{status}, 200, "$what, under strace, with $calls system calls up to the reply" or diag $r->{body};
		my $each = int($instants / @changes) || 1;
		for my $i (1 .. $each) {
			my $n = min($all, 1 + int(($i - rand) * 1.2 * $calls / $each));
			$back->() if row()->{$field} eq $value;
			my %before = %{row()};
			my %after = (%before, $field => $value);
			$r = $crash->at($n, $do);
			my $now = text(row());
			$killed++ if $r->{status} != 200;
			ok $r->{status} == 200 ? $now eq text(\%after)
				: $r->{status} =~ /^(?:502|503|504|0)$/ && ($now eq text(\%after) || $now eq text(\%before)),
				"$what, system call $n: told $r->{status}, and the rows are $now";
			is served(), '', "$what, system call $n: what was acknowledged is so at once" if $r->{status} == 200;
			$stack->runner;
			is served(), '', "$what, system call $n: after the runner the addresses are as the rows say";
		}
		$do->() if row()->{$field} ne $value;
		is $stack->ctl('fsck'), 'clean', "$what: fsck is clean";
	}
	ok $killed > 0, "$killed were killed before they could answer";
}
finish($stack);
