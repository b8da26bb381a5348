# SPDX-License-Identifier: Apache-2.0
# Names and addresses that are typed on two keyboards: a Mac decomposes letters, a domain has two spellings. They are one name, one file,
# one person.
use utf8;
use Vitrine::Pack;
use Vitrine::Smtp;
use Vitrine::Visitor;
use Vitrine::Words qw(as refused);

my $smtp = Vitrine::Smtp->new;
my ($stack, $api, $db) = stack($smtp->conf);
my $ann = $stack->user('ann@example.org');
my ($one, $two) = ('é', "e\x{301}");
my %both = (files => [{ path => 'index.html', content => 'x' }, { path => "$one.txt", content => 'a' },
	{ path => "$two.txt", content => 'b' }]);

sub files { return join ' ', map { $_->{path} } @{as($ann, GET => "/v1/artifacts/$_[0]/files")->{json}{files}} }
sub sent {
	my ($path, @parts) = @_;
	my ($body, $type) = form(@parts);
	return $api->call(POST => $path, { token => $ann->{token}, body => $body, type => $type });
}
sub archived {
	my ($bytes) = @_;
	return sent('/v1/publish', ['manifest', encode_json({ name => 'A', visibility => 'public' }), undef, 'application/json'],
		['archive', $bytes, 'a', 'application/octet-stream']);
}
sub tool {
	my ($name, %args) = @_;
	return $api->call(POST => '/mcp', { token => $ann->{token}, json => { jsonrpc => '2.0', id => 1, method => 'tools/call',
		params => { name => $name, arguments => \%args } } })->{json}{result};
}

# ---- files

my $art = $api->publish($ann, slug => 'mac', visibility => 'public', entrypoint => "$two/$two.html",
	files => { "$two/$two.html" => 'x', "$two.txt" => 'text' });
is files($art), "$one.txt $one/$one.html", 'files that the API is sent are composed, and so is the entry';
is $api->get_site('mac', "/$_.txt")->{body}, 'text', '... and found by either spelling' for 'e%CC%81', '%C3%A9';
is as($ann, GET => "/v1/artifacts/$art/files/$_.txt")->{body}, 'text', '... through the API, too' for $one, $two;
is files(archived($_)->{json}{artifact}{id}), "index.html $one/a.txt", 'those of an archive'
	for map { $_->(['index.html', 'x'], ["$two/", ''], ["$two/a.txt", 'x']) } \&zip, \&tgz;
refused(archived(zip(['index.html', 'x'], ["$one.txt", 'a'], ["$two.txt", 'b'])), '400 INVALID_REQUEST',
	'two that become one in an archive', qr/^files: $one\.txt and $one\.txt are the same path/);
refused(as($ann, POST => '/v1/publish', { name => 'A', %both }), '400 INVALID_REQUEST', '... by the API',
	qr/^files: $one\.txt and $one\.txt are the same path/);
my $tree = tool('publish', name => 'T',
	files => [{ path => 'index.html', content => 'x' }, { path => "$two.txt", content => 'a' }])->{structuredContent};
is files($tree->{artifact}{id}), "index.html $one.txt", 'those of an agent';
ok !tool('publish', artifact => $tree->{artifact}{id}, mode => 'patch', expected_version => 1,
	files => [{ path => "$two.txt", edits => [{ old => 'a', new => 'b' }] }])->{isError}, '... which changes them';
ok !tool('publish', artifact => $tree->{artifact}{id}, mode => 'patch', expected_version => 2, files => [],
	delete => ["$two.txt"])->{isError}, '... and deletes them by the name that it has';
is files($tree->{artifact}{id}), 'index.html', '... once';
{
	mkdir my $dir = "$stack->{dir}/mac";
	my $file = "$dir/$two.html";
	utf8::encode($file);
	Vitrine::Stack::spew($file, 'x');
	my ($status, $out, $err) = $stack->client($ann->{token}, 'publish', $file, '--slug', 'alone', '--new');
	is $status, 0, 'a single file of the client' or diag $out, $err;
	is $api->call(GET => '/v1/artifacts?slug=alone', { token => $ann->{token} })->{json}{artifacts}[0]{entrypoint} // "$one.html",
		"$one.html", '... is composed';
}

# ---- addresses

my ($person, $same) = ('e@exämple.org', 'e@xn--exmple-cua.org');
sub add { return as($ann, POST => "/v1/artifacts/$art/collaborators", { role => 'viewer', emails => [@_] }) }
is_deeply [map { $_->{email} } @{add($person, "$person\x{a0}", "\x{feff}$same", "\x{3000}E\@EXÄMPLE.org\x{200b}")->{json}{collaborators}}],
	[$same], 'one person, however the address is typed';
refused(add("k\x{200b}\@example.org"), '400 INVALID_REQUEST', 'what nobody sees within an address',
	qr/^emails\[0\]: has an invisible character \(U\+200B\)/);
refused(add("k\@exa⒈mple.org"), '400 INVALID_REQUEST', 'what no domain can have', qr/isn't an e-mail address/);
is as($ann, DELETE => "/v1/artifacts/$art/collaborators/$person")->{status}, 200, '... and is removed by either';
my $w = as($ann, POST => '/v1/workspaces', { name => "Caf$two", slug => 'cafe' })->{json}{workspace};
is $w->{name}, "Caf$one", 'a name is kept composed';
is as($ann, PUT => "/v1/workspaces/$w->{id}/access-policy", { allowed_domains => ['exämple.org'],
	allowed_emails => [$person] })->{json}{allowed_emails}[0], $same, 'a policy has the same form';
is_deeply [map { $_->{email} } @{as($ann, POST => "/v1/workspaces/$w->{id}/members/invite",
	{ emails => [$person, $same, 'f@exämple.org'] })->{json}{invites}}], [$same, 'f@xn--exmple-cua.org'], '... and lets both in';

# ---- several in one field

$stack->ctl_in("the password\n", qw(user password ann@example.org));
my $page = Vitrine::Visitor->new($api);
$page->sign_in("ann\@example.org\x{200b}", 'the password');
is $page->{page}{status}, 200, 'who signs in with what was copied from a mail is in';
sub invited { return join ' ', sort map { $_->{email} } @{as($ann, GET => "/v1/workspaces/$_[0]/invites")->{json}{invites}} }
my ($of, $of2) = map { as($ann, POST => '/v1/workspaces', { name => $_, slug => $_ })->{json}{workspace}{id} } qw(pasted refused);
$page->go("/w/$of/members");
$page->submit(qr/invites$/,
	{ role => 'member', emails => qq{"One, O" <o\@example.org>; two\@example.org three\@example.org,\n<four\@example.org>} });
is invited($of), join(' ', map { "$_\@example.org" } qw(four o three two)), 'all of a pasted list are invited';
$page->go("/w/$of2/members");
$page->submit(qr/invites$/, { role => 'member', emails => "two\@example.org; Three, <four\@example.org>" });
like $page->{page}{text}, qr/“Three” isn’t a full e-mail address\. No one has been invited yet/, '... or none';
is invited($of2), '', '... and it is so';
$db->do('UPDATE workspace SET people = 8 WHERE id = ?', undef, $of2);
$page->go("/w/$of2/members");
$page->submit(qr/invites$/, { role => 'member', emails => 'two@example.org; four@example.org; five@example.org' });
like $page->{page}{text}, qr/2 seats are free, with 0 open invitations\. Add seats on the plan page.*No one has been invited yet/,
	'more than there are seats are not invited';
is invited($of2), '', '... none of them';
$page->go("/a/$art/sharing");
$page->submit(qr/people$/, { role => 'viewer', emails => 'Six <six@example.org>; seven@example.org' });
is join(' ', sort map { $_->{email} } @{as($ann, GET => "/v1/artifacts/$art/collaborators")->{json}{collaborators}}),
	'ann@example.org seven@example.org six@example.org', 'collaborators, too';

# ---- what was stored before

$db->do("INSERT INTO user (id, email, name, created_at) VALUES (CONCAT('usr_', REPEAT('0', 26)), 'old\@exämple.org', 'Old', 1)");
$db->do("INSERT INTO collaborator_pending (artifact_id, email, role, created_at) VALUES (?, ?, 'viewer', 1)", undef, $art, $_)
	for 'x@exämple.org', 'x@xn--exmple-cua.org';
my ($status, $out, $err) = $stack->program('vitrinectl', {}, qw(migrate apply));
is $status, 0 or diag $out, $err;
is $db->selectrow_array("SELECT email FROM user WHERE name = 'Old'"), 'old@xn--exmple-cua.org',
	'an upgrade brings addresses into their form';
like $err, qr/^collaborator_pending: x\@ex.+mple\.org stays as it is: x\@xn--exmple-cua\.org is there, too$/m,
	'... and names what it can\'t';
finish($stack);
