# SPDX-License-Identifier: Apache-2.0
# A small service: without mail, with one plan. Nothing on its pages promises a mail, and what would have come by mail is found by who signs
# in.
use File::Temp 'tempdir';
use FindBin;
use Vitrine::Visitor;
use Vitrine::Words;

my $plans = tempdir(CLEANUP => 1) . '/plans.yaml';
Vitrine::Stack::spew($plans, Vitrine::Stack::slurp("$FindBin::Bin/../../etc/plans.yaml") =~ s/^(free:.*?)^pro:.*/$1/msr);
my ($stack, $api) = stack(plans_file => $plans);
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben);
$stack->ctl_in("correct horse\n", qw(user password), "$_\@example.org") for keys %user;
my ($ann, $ben) = map { my $v = Vitrine::Visitor->new($api); $v->sign_in("$_\@example.org", 'correct horse'); $v } qw(ann ben);
sub as {
	my ($who, $method, $path, $json) = @_;
	return $api->call($method, $path, { token => $user{$who}{token}, $json ? (json => $json) : () })->{json};
}

# ---- invitations

my $ws = as(ann => POST => '/v1/workspaces', { name => 'Northwind' })->{workspace}{id};
unlike $ben->go('/')->{text}, qr/invites you/i, 'no one is invited';
$ann->go("/w/$ws/members");
like $ann->submit(qr{/invites$}, { emails => 'ben@example.org, new@example.org', role => 'member' })->{text},
	qr/2 invitations created\. No e-mail was sent, so tell them to sign in here/, 'who invites is told that nothing was sent';
like $ben->go($_)->{text}, qr{Inbox, 1\s+new.*invites you to join\s+<b>Northwind</b>}s, "who is invited finds it in the header of $_"
	for '/', '/w', '/shared';
$ben->go('/inbox');
$ben->submit(qr{^/auth/invites/inv_\w+/decline$});
unlike $ben->go('/')->{text}, qr/invites you/i, 'answered, it is gone';
like +Vitrine::Visitor->new($api)->go("/auth/signin")->{text}, qr/No account\? Contact the operator of /,
	'who has no account is told who makes one';

# ---- sharing, and asking for access

my $art = $api->publish($user{ann}, slug => 'plans', visibility => 'private', files => { 'index.html' => 'x' });
$ben->go('/auth/view?to=' . Vitrine::Visitor::escape("https://plans.pages.localhost:$stack->{port}/"));
my $r = $ben->submit(qr{^/auth/view$}, { message => 'please' });
like $r->{text}, qr/This service doesn.t send e-mail, so open the address again later\./, 'who asks for access is told to come back';
unlike $r->{text}, qr/get an e-mail/, '... and promised no mail';
$ann->go("/a/$art/sharing");
like $ann->submit(qr{/people$}, { emails => 'new@example.org', role => 'viewer' })->{text},
	qr/This service doesn.t send e-mail, so tell them the address\. If they have no account yet, the operator of the service can create one\./,
	'who shares is told both';

# ---- a delivery

my $upload = as(ann => POST => '/v1/assets/upload', { filename => 'a.txt' });
my $blob = $api->call(PUT => $upload->{uploadUrl} =~ s{^https://[^/]+}{}r, { body => 'x', type => 'text/plain' })->{json}{blobId};
my $file = as(ann => POST => '/v1/assets/deliverables', { blobId => $blob })->{deliverable}{id};
my $bundle = as(ann => POST => '/v1/assets/collections', { name => 'B', deliverableIds => [$file] })->{collection}{id};
my $sent = $api->call(POST => "/v1/assets/collections/$bundle/send", { token => $user{ann}{token}, json => { to => ['x@example.org'] } });
is "$sent->{status} $sent->{json}{error}", '503 This service sends no e-mail; share a link and send it yourself',
	'what will never be is not tried again shortly';
is $sent->{headers}{'retry-after'}, undef, '... nor after a while';

# ---- one plan

unlike $ann->go("/w/$ws/plan")->{text}, qr/All plans|Price|can change the plan/, 'no plans to choose from are shown';
like $ann->{page}{text}, qr/1 of \d+ seats?|1 seat taken/, 'but the seats';
finish($stack);
