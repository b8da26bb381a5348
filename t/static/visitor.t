# SPDX-License-Identifier: Apache-2.0
# A published page asks the API on its own host: about its own artifact alone, as the person of that host's cookie.
use Vitrine::Visitor;
use Vitrine::Words;

my ($stack, $api) = stack();
my ($ann, $ben) = map { $stack->user("$_\@example.org") } qw(ann ben);
$stack->ctl_in("correct horse\n", qw(user password), "$_\@example.org") for qw(ann ben);
my %art = map { $_ => $api->publish($ann, slug => $_, visibility => $_ eq 'secret' ? 'private' : 'public',
	files => { 'index.html' => "it is $_", 'v1/own.txt' => 'own' }) } qw(open other secret);

sub ask {
	my ($slug, $path, %headers) = @_;
	my $r = $api->get_site($slug, $path, %headers);
	$r->{json} = eval { $api->{json}->decode($r->{body}) };
	return $r;
}

my $r = ask('open', "/v1/artifacts/$art{open}");
is_deeply [$r->{status}, $r->{json}{artifact}{slug}, $r->{json}{artifact}{role}], [200, 'open', undef],
	'a stranger, of an open artifact on its host';
is $r->{headers}{'access-control-allow-origin'}, undef, 'other origins go to the API';
$r = ask('open', "/v1/artifacts/$art{open}", Origin => 'https://evil.example');
is $r->{headers}{'access-control-allow-origin'}, undef, 'whatever they say';
$r = ask('open', "/v1/artifacts/$art{other}");
is "$r->{status} $r->{json}{code}", '404 NOT_FOUND', 'of another artifact nothing is told here, open or not';
$r = ask('secret', "/v1/artifacts/$art{secret}");
is $r->{status}, 404, 'nor of a private one to a stranger';
$r = ask('open', "/v1/artifacts/$art{open}", Authorization => "Bearer $ann->{token}");
is $r->{json}{artifact}{role}, undef, 'a token counts for nothing on a content host';

# Only rows that say so answer; what a site has published under v1/ is its own.
$r = ask('open', '/v1/artifacts');
is $r->{status}, 404, 'no list';
unlike $r->{body}, qr/"success"/, 'not even from the API';
is ask('open', '/v1/auth/me')->{status}, 404, 'no account';
is ask('open', '/v1/own.txt')->{body}, 'own', 'a published file under v1/';
is $api->site(DELETE => 'open', "/v1/artifacts/$art{open}")->{status}, 404, 'a method whose row does not say so';

# The person of the host's cookie, by a ticket.
sub viewer {
	my ($email) = @_;
	my $v = Vitrine::Visitor->new($api);
	$v->sign_in($email, 'correct horse');
	return $v->viewer_cookie("secret.pages.localhost", "https://secret.pages.localhost:$stack->{port}/");
}
my $cookie = viewer('ann@example.org');
ok $cookie, 'the owner is let in';
$r = ask('secret', "/v1/artifacts/$art{secret}", Cookie => $cookie);
is_deeply [$r->{status}, $r->{json}{artifact}{role}], [200, 'owner'], 'and is told of the artifact, in their role';
is $r->{headers}{'cache-control'}, 'no-store', 'which nobody keeps';
is ask('secret', "/v1/artifacts/$art{open}", Cookie => $cookie)->{status}, 404, 'but not of another, though it is theirs';
$r = ask('open', "/v1/artifacts/$art{open}", Cookie => $cookie);
is $r->{json}{artifact}{role}, undef, 'and on another host the cookie is nobody';
is viewer('ben@example.org'), undef, 'who has no role gets no cookie';
$stack->db->do("INSERT INTO collaborator (artifact_id, user_id, role, created_at) VALUES (?, ?, 'viewer', 0)",
	undef, $art{secret}, $ben->{id});
my $bens = viewer('ben@example.org');
is ask('secret', "/v1/artifacts/$art{secret}", Cookie => $bens)->{json}{artifact}{role}, 'viewer', 'a viewer is told of theirs';
$stack->db->do('DELETE FROM collaborator');
is ask('secret', "/v1/artifacts/$art{secret}", Cookie => $bens)->{status}, 404, 'until it is taken away';
finish($stack);
