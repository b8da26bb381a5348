# SPDX-License-Identifier: Apache-2.0
# Which statement is asked first is guessed (core/guess.h): however things change between two requests, the answer is right, what stays as
# it is takes one statement, and what is hidden takes as many as what is absent.
use Vitrine::Counted;
use Vitrine::Visitor;
use Vitrine::Words;

my $stack = Vitrine::Stack->new(workers => 1);
my ($api, $db) = (Vitrine::Api->new($stack), $stack->db);
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben eve);
sub as {
	my ($name, $method, $path, $json) = @_;
	return $api->call($method => $path, { token => $user{$name}{token}, $json ? (json => $json) : () });
}
my $ws = as(ann => POST => '/v1/workspaces', { name => 'Team', slug => 'team' })->{json}{workspace}{id};
my $art = $api->publish($user{ann}, slug => 'page', visibility => 'private');
my $kept = $api->publish($user{ann}, slug => 'kept', visibility => 'private');
my $absent = $kept =~ s/.{10}$/0000000000/r;
Vitrine::Counted::still($stack);

# What somebody gets, and the statements that it took.
sub got {
	my ($name, $id) = @_;
	my $r = as($name, GET => "/v1/artifacts/$id");
	my $a = $r->{json}{artifact} // {};
	return join ' ', $r->{status}, $a->{role} // '-', $a->{workspace_id} ? 'team' : '-', Vitrine::Counted::of_reply($stack, $r);
}
# What a change asks takes the place of statements that the worker had.
sub warm {
	as(ben => GET => "/v1/artifacts/$_") for ($kept, $absent) x 2;
	as(ann => GET => "/v1/artifacts/$kept") for 1 .. 4;
}
sub moved { my ($to) = @_; my $r = as(ann => PATCH => "/v1/artifacts/$art", { workspace_id => $to }); warm(); return $r->{status} }

as(ben => GET => "/v1/artifacts/$_") for ($kept, $absent) x 20; # each worker has its statements
as(ann => GET => "/v1/artifacts/$kept") for 1 .. 20;
is got(ann => $art), '200 owner - 1', "one's own takes one statement";
is moved($ws), 200, 'it goes into a workspace';
is got(ann => $art), '200 owner team 2', '... which was not expected';
is got(ann => $art), '200 owner team 1', '... and is, from then on';
is moved(undef), 200, 'out of it again';
is got(ann => $art), '200 owner - 1', 'which the statement that was expected finds, too';
is got(ann => $art), '200 owner - 1', '... and the short one from then on';
is as(ann => POST => "/v1/artifacts/$art/transfer-ownership", { email => 'ben@example.org' })->{status}, 200, 'it becomes somebody else\'s';
warm();
is got(ann => $art), '200 editor - 2', 'who owned it is an editor';
is got(ann => $art), '200 editor - 1', '... as expected';
is got(ben => $art), '200 owner - 1', 'its owner is its owner';
is as(ben => DELETE => "/v1/artifacts/$art/collaborators/ann%40example.org")->{status}, 200, 'she leaves';
is got(ann => $art), '404 - - 2', 'and it is hidden from her';
is got(eve => $_), '404 - - 3', 'to a stranger it is as absent as what never was' for $art, $absent;
is got(eve => $_), '404 - - 2', '... the second time' for $art, $absent;
is as(ben => POST => "/v1/artifacts/$art/transfer-ownership", { email => 'ann@example.org' })->{status}, 200, 'it comes back';
warm();
is got(ann => $art), '200 owner - 1', 'and is hers';

# ---- changes and publishes: the row is locked by either statement

for my $to ($ws, undef) {
	is moved($to), 200, 'it is moved';
	is as(ann => PATCH => "/v1/artifacts/$art", { name => 'Another' })->{json}{artifact}{name}, 'Another', '... changed';
	is as(ann => POST => '/v1/publish', { name => 'Page', slug => 'page',
		files => [{ path => 'index.html', content => 'x' }] })->{json}{artifact}{id}, $art, '... published by its slug';
	is as(eve => POST => '/v1/publish', { name => 'Page', slug => 'page',
		files => [{ path => 'index.html', content => 'x' }] })->{json}{code}, 'SLUG_TAKEN', '... and nobody else may';
	is as(eve => PATCH => "/v1/artifacts/$art", { name => 'Theirs' })->{json}{code}, 'NOT_FOUND', '... nor change it';
}

# ---- a visitor's cookie

$stack->ctl_in("the password\n", qw(user password), 'ann@example.org');
my $v = Vitrine::Visitor->new($api);
$v->sign_in('ann@example.org', 'the password');
my $at = "https://page.pages.localhost:$stack->{port}/";
is $v->go('/auth/view?to=' . Vitrine::Visitor::escape($at))->{status}, 200, 'she sees her page';
Vitrine::Counted::still($stack);
sub visited {
	my ($r, $n) = Vitrine::Counted::counted($db, sub { $v->send(GET => $at) });
	return join ' ', $r->{status}, $n =~ /execute=(\d+)/;
}
is visited(), '200 1', '... by one statement';
is moved($ws), 200, 'it goes into the workspace';
is visited(), '200 2', '... she sees it';
is visited(), '200 1', '... as expected, the next time';
is as(ann => POST => "/v1/artifacts/$art/transfer-ownership", { email => 'ben@example.org' })->{status}, 404,
	q(who is not in it can not get it);
is moved(undef), 200, 'out again';
is as(ann => POST => "/v1/artifacts/$art/transfer-ownership", { email => 'ben@example.org' })->{status}, 200, 'now they may';
is as(ben => DELETE => "/v1/artifacts/$art/collaborators/ann%40example.org")->{status}, 200, 'and keep her out';
isnt $v->send(GET => $at)->{status}, 200, '... at once';

Vitrine::Counted::go_on($stack);
finish($stack);
