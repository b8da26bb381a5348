# SPDX-License-Identifier: Apache-2.0
# A version has an address of its own. Everybody sees it there once it has been live; until then those who have a role on the artifact.
use Vitrine::Visitor;
use Vitrine::Words;

my ($stack, $api) = stack();
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann vic eve);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for keys %user;
my ($ann, $vic) = @user{qw(ann vic)};
my $draft = Cpanel::JSON::XS::true;
my $r;
sub at { my ($host, $path) = @_; return "https://$host.pages.localhost:$stack->{port}" . ($path // '/') }
sub seen {
	my ($host, $path) = @_;
	my $r = $api->get_site($host, $path // '/a.txt');
	return $r->{status} == 200 ? "200 $r->{body}" : $r->{status};
}
sub publish {
	my ($text, %o) = @_;
	return $api->publish($ann, slug => 'site', visibility => 'public',
		files => { 'index.html' => "<p>$text</p>", 'a.txt' => $text, 'x.txt.gz' => $text, '_redirects' => "/go /a.txt 302\n" }, %o);
}
sub as { my ($name) = @_; my $v = Vitrine::Visitor->new($api); $v->sign_in("$name\@example.org", 'the password') if $name; return $v }
sub entered { my ($v, $host) = @_; return $v->go('/auth/view?to=' . Vitrine::Visitor::escape(at($host, '/a.txt'))) }
my $tree;
sub placed { return join ' ', sort map { s{.*/}{}r } grep { !/live$/ } glob "$stack->{dir}/data/trees/$tree/*" }

# ---- nobody but those with a role

$tree = publish('one');
publish('two', draft => $draft);
$api->call(POST => "/v1/artifacts/$tree/collaborators",
	{ token => $ann->{token}, json => { emails => ['vic@example.org'], role => 'viewer' } });
is placed(), '1 draft-2', 'a draft lies under no number, so the web server has no way to it';
is seen('site--v1'), '200 one', 'what is live is seen at its own address';
is seen('site--v2'), 404, 'a draft is not';
my ($hidden, $none) = map { $api->get_site("site--v$_", '/a.txt') } 2, 3;
is $hidden->{body} =~ s/v2/v3/gr, $none->{body}, 'nor told from a version that is not there';
like seen('site--v2', $_), qr/^40[04]$/, "not at $_ either"
	for '/', '/index.html', '/x.txt.gz', '/go', '/none', '/_vitrine/entry.html', '/../draft-2/pub/a.txt', '/..%2fdraft-2/pub/a.txt';
like seen('site', $_), qr/^40[04]$/, "nor at the live one's host, at $_"
	for '/draft-2/pub/a.txt', '/../draft-2/pub/a.txt', '/..%2f..%2fdraft-2/pub/a.txt', "/_tree/$tree/draft-2/pub/a.txt";
my $eve = as('eve');
is_deeply [map { entered($eve, "site--v$_")->{status} } 2, 3], [403, 403], 'who has no role is offered to ask, whatever is there';
is entered($eve, 'site--v1')->{body}, 'one', 'and sees what was live';
for my $name (qw(ann vic)) {
	my $v = as($name);
	$r = entered($v, 'site--v2');
	is "$r->{host} $r->{body}", 'site--v2.pages.localhost two', "$name has a role and is let in, as the API lets them read it";
	is $r->{headers}{'cache-control'}, 'private, no-store', '... which no cache keeps';
	like $v->go(at('site--v2'))->{body}, qr{<p>two</p>}, '... to the page';
	is $v->go(at('site--v2', '/x.txt.gz'))->{body}, 'two', '... to what a worker decides on';
	is $v->send(GET => at('site--v2', '/go'))->{headers}{location}, '/a.txt', '... and its rules';
}
is as()->send(GET => '/auth/view?to=' . Vitrine::Visitor::escape(at('site--v2')))->{headers}{location}, '/auth/signin?next='
	. Vitrine::Visitor::escape('/auth/view?to=' . Vitrine::Visitor::escape(at('site--v2'))), 'who is not signed in does that first';
is as()->send(GET => '/auth/view?to=' . Vitrine::Visitor::escape(at('site--v1')))->{headers}{location}, at('site--v1'),
	'... where that is needed';

# ---- a draft goes live, and stays open

sub restore { my ($no) = @_; return $api->call(POST => "/v1/artifacts/$tree/versions/$no/restore", { token => $ann->{token} })->{status} }
is restore(2), 200, 'made live';
is placed(), '1 2', 'it lies under its number';
is seen('site--v2'), '200 two', 'and is open at its own address';
is seen('site'), '200 two', 'and at the site\'s';
is restore(1), 200;
is seen('site--v2'), '200 two', 'still, when another is live';
publish('three');
is seen('site--v3'), '200 three', 'what is published is live at once';
publish('four', draft => $draft);
is seen('site--v4'), 404;

# ---- whatever the disk has: the rows decide

my $db = $stack->db;
$stack->runner;
rename "$stack->{dir}/data/trees/$tree/draft-4", "$stack->{dir}/data/trees/$tree/4" or die;
my ($status, $out) = $stack->program('vitrinectl', {}, 'fsck');
like $out, qr{^trees/$tree/draft-4 is OPEN and should not be; run vitrinectl reproject$}m, 'fsck finds a draft in reach';
$stack->ctl('reproject');
is placed(), '1 2 3 draft-4', 'reproject moves it away';
is seen('site--v4'), 404;
is $stack->ctl('fsck'), 'clean', 'fsck is clean';
$db->do('UPDATE version SET first_live_at = NULL, is_open = FALSE WHERE version_no = 2 AND artifact_id = ?', undef, $tree);
$stack->ctl('reproject');
is seen('site--v2'), 404, 'as after an upgrade, for a version that is not known to have been live';
is seen('site--v1'), '200 one';
is $stack->ctl('fsck'), 'clean';
$api->call(PATCH => "/v1/artifacts/$tree", { token => $ann->{token}, json => { visibility => 'private' } });
is seen("site--v$_"), 404, "closed with the artifact: $_" for 1 .. 4;
is entered(as('vic'), "site--v$_->[0]")->{body}, $_->[1], "but for those with a role: $_->[0]" for [1, 'one'], [4, 'four'];

# ---- what was live while it was private stays closed when it is opened

$tree = publish('uno', slug => 'late', visibility => 'private');
publish('due', slug => 'late', visibility => 'private');
is placed(), '2 draft-1', 'what is not live anymore is out of reach, although nobody sees the artifact';
sub patch { my ($path, $json) = @_; return $api->call(PATCH => "/v1/artifacts/$tree$path", { token => $ann->{token}, json => $json }) }
sub told {
	return join ' ', map {
		$_->{version_no} . ($_->{is_open} ? ' open' : ' closed');
	} reverse @{$api->call(GET => "/v1/artifacts/$tree/versions", { token => $ann->{token} })->{json}{versions}};
}
is patch('', { visibility => 'public' })->{status}, 200, 'opened';
is join(', ', map { seen("late$_") } '', '--v2', '--v1'), '200 due, 200 due, 404', 'its live version is seen, the one before it is not';
is told(), '1 closed 2 open', 'as it is told';
$r = $api->call(PATCH => "/v1/artifacts/$tree/versions/1", { token => $vic->{token}, json => { is_open => $draft } });
is $r->{status}, 403, 'a stranger does not open it';
is patch('/versions/1', { is_open => $draft })->{json}{version}{is_open} + 0, 1, 'its owner does';
is seen('late--v1'), '200 uno', 'then it is seen';
is patch('/versions/1', { is_open => Cpanel::JSON::XS::false })->{status}, 200, 'and closes it again';
is seen('late--v1') . ' ' . placed(), '404 2 draft-1', '... on disk, too';
my $browser = as('ann');
like $browser->go("/a/$tree/versions")->{text}, qr{Hidden</span>.*>Show to visitors<}s, 'a page says so';
like $browser->submit(qr{/versions/1/address$}, { is_open => 1 })->{text}, qr{>Hide from visitors<}, 'a button opens it';
is seen('late--v1'), '200 uno', '... to visitors';
like $browser->submit(qr{/versions/1/address$}, { is_open => 0 })->{text}, qr{>Show to visitors<}, '... and closes it';
is seen('late--v1'), 404, '... again';
unlike as('vic')->go("/a/$tree/versions")->{text}, qr{visitors</button>}, 'nobody else has it';
is patch('/versions/2', { is_open => Cpanel::JSON::XS::false })->{json}{code}, 'CONFLICT', 'the live one is as open as its artifact';
publish('tre', slug => 'late', draft => $draft);
is patch('/versions/3', { is_open => $draft })->{json}{code}, 'CONFLICT', 'a draft goes live first';
is restore(1), 200, 'what is live while it is open';
is restore(2), 200;
is seen('late--v1'), '200 uno', '... stays so';
patch('', { visibility => 'private' });
is restore(3), 200, 'made live while it is private';
is restore(2), 200;
is placed(), '1 2 draft-3', '... and no longer';
publish('quattro', slug => 'late', visibility => 'public');
is join(', ', map { seen("late--v$_") } 1 .. 4), '200 uno, 200 due, 404, 200 quattro', 'a publish that opens it opens no more either';
$stack->runner;
is $stack->ctl('fsck'), 'clean', 'fsck agrees';
rename "$stack->{dir}/data/trees/$tree/draft-3", "$stack->{dir}/data/trees/$tree/3" or die;
is seen('late--v3'), '200 tre', 'moved by hand';
$stack->ctl('reproject');
is seen('late--v3') . ' ' . placed(), '404 1 2 4 draft-3', '... and out of reach again by reproject';
finish($stack);
