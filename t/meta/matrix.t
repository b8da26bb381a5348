# SPDX-License-Identifier: Apache-2.0
# The permission matrix, made from the route table: every route as nobody, a stranger, a viewer, an editor and the owner of a private and of a public
# artifact. What a row's policy says must be what happens; what is refused must change nothing.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Test::More;
use Vitrine::Api;
use Vitrine::Stack;

my $stack = Vitrine::Stack->new(publish_per_hour => 100000);
my $api = Vitrine::Api->new($stack);
my %user = map { $_ => $stack->user("$_\@example.org") } qw(stranger viewer editor owner);
my %art;
sub share {
	my ($art, $role) = @_;
	$stack->db->do('INSERT IGNORE INTO collaborator (artifact_id, user_id, role, created_at) VALUES (?, ?, ?, 0)', undef, $art, $user{$role}{id}, $role);
}
for my $visibility (qw(private public)) {
	$art{$visibility} = $api->publish($user{owner}, slug => "the-$visibility", visibility => $visibility);
	share($art{$visibility}, $_) for qw(viewer editor);
}

my %rank = (nobody => 0, stranger => 0, viewer => 1, editor => 2, owner => 3);
my %need = (artifact_read => 1, artifact_view => 1, artifact_edit => 2, artifact_own => 3, artifact_trash => 3);

# 0: allowed; else the refusal's status.
sub expected {
	my ($route, $who, $visibility) = @_;
	return 0 if $route->{who} eq 'public';
	my $reads = $route->{method} eq 'GET';
	# Pages send nobody to sign in first; a token is not a person in a browser.
	return $who eq 'nobody' ? 303 : 403 if $route->{who} eq 'session';
	return 401 if $who eq 'nobody' && ($route->{who} eq 'signed_in' || !$reads);
	return 0 if $route->{who} eq 'signed_in';
	return 404 if !$rank{$who} && $visibility eq 'private';
	return 0 if $rank{$who} >= $need{$route->{who}} || ($route->{who} eq 'artifact_read' && $visibility eq 'public');
	return $who eq 'nobody' ? 401 : 403;
}

sub dump_rows { return join "\n", map { join '|', map { $_ // '' } @$_ } @{$stack->db->selectall_arrayref(
	'SELECT a.id, a.name, a.slug, a.visibility, a.live_no, a.deleted_at, COUNT(f.user_id) FROM artifact a LEFT JOIN favorite f ON f.artifact_id = a.id GROUP BY a.id') } }

my @routes = map { decode_json($_) } split /\n/, `$ENV{VITRINE_BUILD}/vitrine-worker --routes`;
for my $route (@routes) {
	for my $visibility ($route->{path} =~ /\{art\}/ ? qw(private public) : 'none') {
		for my $who (qw(nobody stranger viewer editor)) {
			my $want = expected($route, $who, $visibility);
			(my $path = $route->{path}) =~ s/\{art\}/$art{$visibility}/;
			$path =~ s/\{no\}/1/;
			# A viewer may only leave, so everybody names themself here; and gets the role back.
			$path =~ s/\{email\}/$who%40example.org/;
			if ($path =~ m{/v1/auth/sessions/} && $who ne 'nobody') {
				$path =~ s/\{id\}/ses_$user{$who}{id}/;
				$stack->db->do("REPLACE INTO session VALUES (?, UNHEX(SHA2(?, 256)), ?, 'password', 0, 0, 0, '', '')", undef, "ses_$user{$who}{id}", $who, $user{$who}{id});
			}
			if ($path =~ m{/v1/auth/identities/} && $who ne 'nobody') {
				$path =~ s/\{id\}/idn_$user{$who}{id}/;
				$stack->db->do("REPLACE INTO identity VALUES ('https://x.example', ?, ?, ?, '', 0, 0)", undef, $who, "idn_$user{$who}{id}", $user{$who}{id});
			}
			if ($path =~ m{/v1/auth/tokens/} && $who ne 'nobody') {
				$stack->ctl(qw(token mint --name spare --user), "$who\@example.org");
				my ($spare) = $stack->db->selectrow_array("SELECT id FROM token WHERE user_id = ? AND name = 'spare' AND revoked_at IS NULL", undef, $user{$who}{id});
				$path =~ s/\{id\}/$spare/;
			}
			$path =~ s/\{id\}/some-slug/;
			$path =~ s/\{\+\}/index.html/;
			my $before = dump_rows();
			my $r = $api->call($route->{method} => $path, { ($who eq 'nobody' ? () : (token => $user{$who}{token})), 
				($route->{body} eq 'json' ? (json => {}) : $route->{body} eq 'form' ? (body => '', type => 'application/x-www-form-urlencoded', headers => { 'Sec-Fetch-Site' => 'same-origin' }) : ()) });
			my $name = "$who: $route->{method} $route->{path} ($visibility)";
			if ($want) {
				is $r->{status}, $want, "$name is refused with $want";
				is dump_rows(), $before, "$name changed nothing";
			} else {
				# A public address may well have nothing at some id.
				my $bad = $route->{who} eq 'public' ? qr/^(?:401|403|5..)$/ : qr/^(?:401|403|404|5..)$/;
				ok $r->{status} !~ $bad, "$name is let through ($r->{status})";
				share($art{$visibility}, $who) if $route->{path} =~ /\{email\}/;
			}
		}
	}
}
$stack->finish;
done_testing;
