# SPDX-License-Identifier: Apache-2.0
# Collections and delivery links, as their makers have them: what a link asks for, who sees it, mail, revoking, what becomes of them when
# files and people go.
use utf8;
use POSIX ();
use Vitrine::Smtp;
use Vitrine::Words qw(as said refused);

my $smtp = Vitrine::Smtp->new;
my ($stack, $api, $db) = stack($smtp->conf, slow_workers => 4, data_per_minute => 100000);
$stack->user("$_\@example.org") for qw(ann ben cid);
my $ws = as('ann', POST => '/v1/workspaces', { name => 'Team' })->{json}{workspace}{id};
$stack->seat($ws, $stack->user('ben@example.org'), 'member');
my $team = "/v1/workspaces/$ws/assets";
my $base = "https://vitrine.localhost:$stack->{port}";

sub file {
	my ($who, $at, $name, %in) = @_;
	my $url = as($who, POST => "$at/upload", { filename => $name })->{json}{uploadUrl};
	my $blob = $api->call(PUT => $url =~ s/^\Q$base\E//r,
		{ body => "bytes of $name", type => 'application/octet-stream' })->{json}{blobId};
	return as($who, POST => "$at/deliverables", { blobId => $blob, %in })->{json}{deliverable};
}
sub bundle {
	my ($who, $at, @files) = @_;
	return as($who, POST => "$at/collections", { deliverableIds => [map { $_->{id} } @files] })->{json}{collection};
}
sub share { my ($who, $at, $k, %in) = @_; return as($who, POST => "$at/collections/$k->{id}/share", \%in) }

# ---- the happy path, in both libraries

for ([$team, 'a workspace'], ['/v1/assets', 'one\'s own']) {
	my ($at, $whose) = @$_;
	my @f = map { file('ann', $at, $_) } qw(b.pdf a.png);
	my $r = as('ann', POST => "$at/collections", { deliverableIds => [map { $_->{id} } @f] });
	is $r->{status}, 201, "$whose: a collection" or diag $r->{body};
	my $k = $r->{json}{collection};
	is_deeply [sort keys %$k], [sort qw(id name deliverableIds createdBy createdAt)], 'exact keys';
	is_deeply [$k->{name}, $k->{deliverableIds}, $k->{createdBy}{email}], ['b.pdf', [map { $_->{id} } @f], 'ann@example.org'],
		'is called as its first file, in the order that was said';
	is_deeply as('ann', GET => "$at/collections")->{json}{collections}, [$k], 'and is listed';
	$r = share('ann', $at, $k);
	is $r->{status}, 201, 'a link' or diag $r->{body};
	my $l = $r->{json}{link};
	is_deeply [sort keys %$l], [sort qw(id name collectionId to message gate domains expiresAt expiry viewCount openedAt revoked
		createdAt createdBy url)], 'exact keys';
	like $r->{json}{url}, qr{^\Q$base\E/d/[0-9A-Za-z]{49}$}, 'has an address';
	is "$l->{url} $l->{gate} $l->{viewCount} $l->{collectionId} $l->{name}", "$r->{json}{url} none 0 $k->{id} b.pdf";
	is_deeply [@$l{qw(to expiresAt expiry openedAt domains)}, $l->{revoked} ? 1 : 0], [undef, undef, undef, undef, [], 0];
	is_deeply as('ann', GET => "$at/links")->{json}{links}, [$l], 'and is listed';
	$r = as('ann', PATCH => "$at/links/$l->{id}", { password => 'open sesame', expiresAt => '2029-01-02T03:04:05Z' });
	is join(' ', @{$r->{json}{link}}{qw(gate expiresAt expiry)}), 'password 2029-01-02T03:04:05Z 2029-01-02T03:04:05Z', 'changed'
		or diag $r->{body};
	is join(' ', @{as('ann', PATCH => "$at/links/$l->{id}", { expiresAt => time + 86400 })->{json}{link}}{qw(gate)}), 'password',
		'what is absent stays';
	is as('ann', PATCH => "$at/links/$l->{id}", { expiresAt => undef })->{json}{link}{expiry}, undef, 'null: never';
	is as('ann', PATCH => "$at/links/$l->{id}",
		{ gate => 'domain', domains => ['Example.ORG', 'bücher.example'] })->{json}{link}{domains}[1], 'xn--bcher-kva.example',
		'a domain as DNS has it';
	is as('ann', PATCH => "$at/links/$l->{id}", { gate => 'none' })->{json}{link}{gate}, 'none';
	is as('ann', POST => "$at/links/$l->{id}/revoke")->{json}{link}{revoked}, Cpanel::JSON::XS::true, 'revoked';
	is as('ann', POST => "$at/links/$l->{id}/revoke")->{status}, 200, '... again';
	refused(as('ann', PATCH => "$at/links/$l->{id}", { gate => 'none' }), '409 CONFLICT', 'a revoked one stays so');
	is said(as('ann', DELETE => "$at/collections/$k->{id}")), '200 ', 'the collection is deleted';
	is as('ann', GET => "$at/links")->{json}{links}[0]{collectionId}, undef, '... and its links say so';
	is as('ann', GET => $f[0]{url} =~ s/^\Q$base\E//r)->{status}, 200, '... while the files stay';
}

# ---- refusals

my ($a, $b) = map { file('ann', $team, $_) } qw(a.txt b.txt);
my $theirs = file('ben', $team, 'theirs.txt');
my $own = file('ann', '/v1/assets', 'own.txt');
refused(as('ann', POST => "$team/collections", { deliverableIds => [$a->{id}, $_->[0]{id}] }), '404 NOT_FOUND', $_->[1],
		qr/deliverableIds\[1\]: there is no file \Q$_->[0]{id}\E/)
	for [$theirs, 'a colleague\'s private file'], [$own, 'a file of another library'];
refused(as('ann', POST => "$team/collections", { deliverableIds => [$a->{id}, $a->{id}] }), '400 INVALID_REQUEST', 'a file twice',
	qr/^deliverableIds\[1\]: .*twice/);
refused(as('ann', POST => "$team/collections", { deliverableIds => [$a->{id}], name => 'a/b' }), '400 INVALID_REQUEST', 'no filename',
	qr/^name: /);
my $k = bundle('ann', $team, $a, $b);
for ([{ gate => 'password' }, qr/^password: is required/], [{ gate => 'domain' }, qr/^domains: at least one/],
	[{ gate => 'none', password => 'secret' }, qr/^password: belongs to/],
	[{ gate => 'none', domains => ['example.org'] }, qr/^domains: belongs to/],
	[{ password => 'secret', domains => ['example.org'] }, qr/either a password or domains/],
	[{ gate => 'domain', domains => ['example.org'], password => 'secret' }, qr/^password: belongs/],
	[{ password => 'short' }, qr/^password: /], [{ password => "\x{1F600}" x 65 }, qr/^password: is 260 bytes/],
	[{ domains => ['gmail.com'] }, qr/^domains\[0\]: anyone can get an address/], [{ domains => ['co.uk'] },
		qr/^domains\[0\]: anyone can register/], [{ domains => ['no domain'] }, qr/^domains\[0\]: .*isn't a valid/],
	[{ expiresAt => time - 1 }, qr/^expiresAt: .*must be in the future/],
	[{ expiresAt => 1000 * time }, qr/^expiresAt: .*out of range/], [{ expiresAt => time + 6 * 366 * 86400 }, qr/within 5 years/]) {
	refused(share('ann', $team, $k, %{$_->[0]}), '400 INVALID_REQUEST',
		Cpanel::JSON::XS->new->canonical->encode($_->[0]) =~ s/[^ -~]+/…/gr, $_->[1]);
}
is as('ann', GET => "$team/links?limit=200")->{json}{links}[0]{revoked}, Cpanel::JSON::XS::true, '... and none of them has left a link';

# ---- who sees and ends them

my $kb = bundle('ben', $team, $theirs);
my $lb = share('ben', $team, $kb, password => 'ben only')->{json}{link};
refused(as('ann', POST => "$team/collections/$kb->{id}/share", {}), '404 NOT_FOUND',
	'a colleague\'s collection can\'t be shared, by its workspace\'s owner neither');
my ($seen) = grep { $_->{id} eq $lb->{id} } @{as('ann', GET => "$team/links")->{json}{links}};
is_deeply [$seen->{createdBy}{email}, $seen->{url}], ['ben@example.org', undef], 'who governs the workspace sees the link, not its address';
my $la = share('ann', $team, $k)->{json}{link};
is_deeply [map { $_->{id} } @{as('ben', GET => "$team/links")->{json}{links}}], [$lb->{id}], 'a member sees their own';
refused(as('ben', POST => "$team/links/$la->{id}/revoke"), '404 NOT_FOUND', '... and ends no others');
refused(as('ann', PATCH => "$team/links/$lb->{id}", { gate => 'none' }), '404 NOT_FOUND', 'nobody opens another\'s link');
is as('ann', POST => "$team/links/$lb->{id}/revoke")->{json}{link}{revoked}, Cpanel::JSON::XS::true, '... but who governs ends it';
is $db->selectrow_array("SELECT GROUP_CONCAT(action ORDER BY id) FROM audit WHERE workspace_id = ? AND action LIKE 'delivery_link.%' "
	. "AND target_id = ?", undef, $ws, $lb->{id}), 'delivery_link.made,delivery_link.revoked', 'both are written down';
unlike join('', map { join '|', map { $_ // '' } @$_ } @{$db->selectall_arrayref('SELECT hash, sealed, password FROM delivery_link')}),
	qr/ben only/, 'a password is hashed';
is as('cid', GET => "$team/links")->{status}, 404, 'no member: nothing there';

# ---- by mail

my $r = as('ann', POST => "$team/collections/$k->{id}/send",
	{ to => ['One@client.example', 'two@client.example'], message => "Hello\nthere", password => 'for both' });
is $r->{status}, 201, 'sent to two' or diag $r->{body};
my $links = $r->{json}{links};
is_deeply [map { "$_->{to} $_->{gate}" } @$links], ['One@client.example password', 'two@client.example password'], 'a link for each';
isnt $links->[0]{url}, $links->[1]{url};
is $r->{json}{url}, $links->[0]{url};
$stack->runner;
my ($mail) = grep { lc $_->{envelope}{to}[0] eq 'one@client.example' } $smtp->mails;
like $mail->{parts}{'text/plain'}, qr/\Q$links->[0]{url}\E/, 'with its address' or diag explain $mail;
like $mail->{parts}{'text/plain'}, qr/Hello\n> there/, '... and the message';
is as('ann', POST => "$team/collections/$k->{id}/send", { to => 'three@client.example' })->{status}, 201, 'a single address';
refused(as('ann', POST => "$team/collections/$k->{id}/send", { to => ['x@client.example', 'X@client.example'] }), '400 INVALID_REQUEST',
	'an address twice', qr/^to\[1\]: /);
refused(as('ann', POST => "$team/collections/$k->{id}/send", { to => ['no address'] }), '400 INVALID_REQUEST', 'no address',
	qr/^to\[0\]: /);

# ---- what becomes of them

is_deeply [grep { !$_->{revoked} } map { $_->{id} eq $la->{id} ? $_ : () } @{as('ann', GET => "$team/links")->{json}{links}}], [$la],
	'the link stands';
is said(as('ann', DELETE => "$team/deliverables/$a->{id}")), '200 ';
is_deeply as('ann', GET => "$team/collections")->{json}{collections}[0]{deliverableIds}, [$b->{id}],
	'a file that is deleted leaves its collections';
my $shown = share('ben', $team, $kb)->{json}{link};
my ($ben, $cid) = map { $stack->user("$_\@example.org") } qw(ben cid);
$stack->seat($ws, $cid, 'member');
is as('ann', DELETE => "/v1/workspaces/$ws/members/$ben->{id}?transfer_to=$cid->{id}")->{json}{revoked_links}, 1,
	'a member leaves, and who removes them is told what ends';
is_deeply [map { $_->{name} } @{as('cid', GET => $team)->{json}{deliverables}}], ['theirs.txt'],
	'... while their files are whose their artifacts are';
is_deeply [map { $_->{revoked} } grep { $_->{id} eq $shown->{id} } @{as('ann', GET => "$team/links")->{json}{links}}],
	[Cpanel::JSON::XS::true], '... and their links end';
is $stack->ctl('fsck'), 'clean';

finish($stack);
