# SPDX-License-Identifier: Apache-2.0
# Domains are proven by a TXT record and an answer by HTTP, of several artifacts by the first; what is missing is said in words; what loses
# its record is lost; name servers that are away or lie.
use IO::Socket::INET;
use Vitrine::Names;
use Vitrine::Smtp;
use Vitrine::Words qw(as said refused);

# An address of this test alone, whose port 80 leads to the stack's nginx.
my $address = join '.', 127, 80, 1 + ($$ >> 7) % 254, 1 + $$ % 127;
plan skip_all => 'port 80 is for root' if !IO::Socket::INET->new(Listen => 1, LocalAddr => $address, LocalPort => 80, ReuseAddr => 1);
my $names = Vitrine::Names->new;
my $smtp = Vitrine::Smtp->new;
my ($stack, $api, $db) = stack(http => 1, certificates => 'local', domains_per_user => 10, $names->conf, $smtp->conf,
	egress_allow => "$address:80");
my $relay = fork // die;
if (!$relay) {
	exec 'socat', "TCP-LISTEN:80,bind=$address,fork,reuseaddr", "TCP:127.0.0.1:$stack->{http}" or POSIX::_exit(127);
}
END { local $?; kill 'TERM', $relay if $relay }
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben);
my $day = 86400;
my %art = map { $_ => $api->publish($user{$_}, name => "Site of $_", slug => "site-$_", visibility => 'public') } qw(ann ben);

sub add {
	my ($who, $host) = @_;
	return as($who, POST => "/v1/artifacts/$art{$who}/domains", { host => $host })->{json}{domain} // die "$who: $host";
}
sub text { return $_[0]{records}[0]{value} }
sub now { my ($who, $d) = @_; return as($who, GET => "/v1/artifacts/$art{$who}/domains/$d->{id}")->{json}{domain} }
# The lane looks at it now.
sub look {
	my ($who, $d) = @_;
	$db->do('UPDATE domain SET due_at = 0 WHERE id = ? AND due_at IS NOT NULL', undef, $d->{id});
	my ($status, undef, $err) = $stack->runner;
	is $status, 0, 'the runner ran' or diag $err;
	return now($who, $d);
}
sub state_is { my ($d, $state, $reason, $name) = @_; is $d->{state}, $state, $name; like $d->{reason} // 'none', $reason, '... in words' }
sub due_in { return $db->selectrow_array('SELECT due_at - checked_at FROM domain WHERE id = ?', undef, $_[0]{id}) }

# ---- what is missing

my $d = add(ann => 'www.example.org');
my $host = 'www.example.org';
state_is(look(ann => $d), 'waiting', qr/^_vitrine\.www\.example\.org has no TXT record yet$/, 'without a record it waits');
is due_in($d), 60, 'it is looked at again after a minute';
look(ann => $d), is due_in($d), $_, "... $_ s later" for 60, 180, 600, 3600, 3600;
$names->set("_vitrine.$host", TXT => 'v=spf1 -all', 'vitrine-domain=' . 'x' x 24);
state_is(look(ann => $d), 'waiting', qr/has another TXT record: v=spf1 -all$/, "another's record");
$names->set("_vitrine.$host", TXT => 'other', [substr(text($d), 0, 10), substr(text($d), 10, 8), substr text($d), 18]);
state_is(look(ann => $d), 'waiting', qr/^www\.example\.org has no address yet/, 'a text in three strings is one, and there is no address');
$names->set($host, A => '10.1.2.3');
state_is(look(ann => $d), 'waiting', qr{^http://www\.example\.org can't be reached: }, 'an address inside is not asked');
$names->set($host, A => $address);

# ---- proven

my $proven = look(ann => $d);
state_is($proven, 'proven', qr/^none$/, 'proven') or diag $proven->{reason};
ok $proven->{checked_at} && !$proven->{certificate_expires_at}, '... and it waits for its certificate';
is due_in($d), $day, '... looked at daily';
refused(as('ben', POST => "/v1/artifacts/$art{ben}/domains", { host => $host }), '409 CONFLICT', "nobody else's from now on");

# By an alias, IPv6, and a name in a label of its own.
my $alias = add(ann => 'alias.example.org');
$names->set('_vitrine.alias.example.org', CNAME => 'proof.example.net')->set('proof.example.net', TXT => text($alias))
	->set('alias.example.org', CNAME => 'site-ann.example.net')->set('site-ann.example.net', A => $address);
is look(ann => $alias)->{state}, 'proven', 'by aliases';

# ---- two wait for one

my ($mine, $theirs) = (add(ann => 'both.example.org'), add(ben => 'both.example.org'));
isnt text($mine), text($theirs), 'two artifacts have a text each';
$names->set('both.example.org', A => $address)->set('_vitrine.both.example.org', TXT => text($mine), text($theirs));
$db->do('UPDATE domain SET due_at = 0 WHERE host = ?', undef, 'both.example.org');
diag +($stack->runner)[2];
is join(' ', sort map { $_->{state} } now(ann => $mine), now(ben => $theirs)), 'failed proven', 'the first that is proven has it';
my ($won, $lost) = now(ann => $mine)->{state} eq 'proven' ? ([ann => $mine], [ben => $theirs]) : ([ben => $theirs], [ann => $mine]);
state_is(now(@$lost), 'failed', qr/^Another artifact has proven both\.example\.org before$/, 'the other has failed');

# A record of a former owner proves nothing.
as($won->[0], DELETE => "/v1/artifacts/$art{$won->[0]}/domains/$won->[1]{id}");
my $later = add($lost->[0] => 'both.example.org');
state_is(look($lost->[0] => $later), 'waiting', qr/has another TXT record/, "a former owner's record leaves it waiting");

# ---- lost

sub days_ago {
	my ($what, $days) = @_;
	$db->do("UPDATE domain SET $what = UNIX_TIMESTAMP() - ? WHERE id = ?", undef, $days * $day, $d->{id});
}
$names->lie("_vitrine.$host", 'servfail');
state_is(look(ann => $d), 'proven', qr/can't be read: the name servers report a failure \(SERVFAIL\)$/, 'name servers that fail take nothing');
days_ago(silent_at => 13);
is look(ann => $d)->{state}, 'proven', '... for 13 days';
$names->lie("_vitrine.$host", '');
is look(ann => $d)->{reason}, undef, 'when they answer again, all is well';
is $db->selectrow_array('SELECT silent_at FROM domain WHERE id = ?', undef, $d->{id}), undef, '... from the start';
$names->set("_vitrine.$host", TXT => 'gone');
state_is(look(ann => $d), 'proven', qr/has another TXT record: gone/, 'a record that is gone is said');
days_ago(gone_at => 2.9);
is look(ann => $d)->{state}, 'proven', '... for three days';
days_ago(gone_at => 3);
state_is(look(ann => $d), 'lost', qr/has another TXT record: gone/, 'then it is lost');
is $db->selectrow_array('SELECT due_at FROM domain WHERE id = ?', undef, $d->{id}), undef, '... and no longer looked at';
$stack->runner;
my ($mail) = grep { $_->{headers}{subject} =~ /no longer served/ } $smtp->mails;
like $mail->{headers}{subject} // 'none', qr/^Site of ann is no longer served at www\.example\.org$/, 'its owner has mail';
is add(ben => $host)->{state}, 'waiting', 'and the host is free';

# ---- two weeks

my $old = add(ann => 'never.example.org');
$db->do('UPDATE domain SET waits_at = waits_at - ? WHERE id = ?', undef, 14 * $day, $old->{id});
state_is(look(ann => $old), 'failed', qr/has no TXT record yet/, 'one that is not proven in two weeks fails');
$db->do('UPDATE domain SET ended_at = ended_at - ? WHERE id = ?', undef, 31 * $day, $old->{id});
$stack->runner;
is said(as('ann', GET => "/v1/artifacts/$art{ann}/domains/$old->{id}")), '404 NOT_FOUND', '... and is gone a month later';

# ---- many, of one workspace

$db->do("INSERT INTO domain (id, artifact_id, host, secret, answer, due_at, waits_at, created_at) "
	. "SELECT CONCAT('dom_', LPAD(seq, 26, '0')), ?, "
	. "CONCAT('m', seq, '.example.org'), 'x', 'x', 0, UNIX_TIMESTAMP(), UNIX_TIMESTAMP() FROM seq_1_to_30", undef, $art{ben});
$db->do('UPDATE domain SET due_at = 0 WHERE id = ?', undef, $alias->{id});
$stack->runner;
is $db->selectrow_array("SELECT COUNT(*) FROM domain WHERE host LIKE 'm%.example.org' AND checked_at IS NOT NULL"), 5,
	'five of one tenant are looked at in a turn';
isnt $db->selectrow_array('SELECT due_at FROM domain WHERE id = ?', undef, $alias->{id}), 0, '... and of another, too';
$db->do("DELETE FROM domain WHERE host LIKE 'm%.example.org'");

# ---- a plan that lapses

my $ws = as('ann', POST => '/v1/workspaces', { name => 'Team', slug => 'team' })->{json}{workspace}{id};
$stack->ctl(qw(workspace feature team custom_domains on));
as('ann', PATCH => "/v1/artifacts/$art{ann}", { workspace_id => $ws });
$db->do("UPDATE domain SET state = 'active' WHERE id = ?", undef, $alias->{id});
$db->do("UPDATE artifact SET domains = 'alias.example.org' WHERE id = ?", undef, $art{ann});
sub sweep { $db->do("DELETE FROM sweep WHERE name = 'domains'"); $stack->runner }
sub served { return join ' ', @{as('ann', GET => "/v1/artifacts/$art{ann}")->{json}{artifact}{domains}} }
sub linked { return -l "$stack->{dir}/data/sites/alias.example.org" ? 1 : 0 }
sweep(), is served(), 'alias.example.org', 'a plan with domains leaves them';
$stack->ctl('reproject');
is linked(), 1, '... and their links';
$stack->ctl(qw(workspace feature team custom_domains off));
sweep(), is served(), '', 'one without closes them';
is linked(), 0, '... at once';
is now(ann => $alias)->{state}, 'active', '... and keeps their rows';
$stack->ctl(qw(workspace feature team custom_domains on));
sweep(), is served(), 'alias.example.org', 'which come back with the plan';
is linked(), 1, '... and their links';
$stack->ctl(qw(workspace feature team custom_domains off));
sweep();
$db->do('UPDATE domain SET lapsed_at = lapsed_at - ?', undef, 31 * $day);
sweep(), is_deeply as('ann', GET => "/v1/artifacts/$art{ann}/domains")->{json}{domains}, [], '... or are gone after a month';
is $stack->ctl('fsck'), 'clean', 'rows and disk agree';

# ---- what name servers say

sub dns { my @asked = @_; return split /\n/, `$stack->{build}/t/drive/dns $stack->{dir}/vitrine.yaml @asked 2>&1` }
$names->set('a.example.org', TXT => 'one', 'two', "a\x01b", 'y' x 400)->set('a.example.org', A => '192.0.2.1', '192.0.2.2')
	->set('a.example.org', AAAA => '2001:db8::1');
is_deeply [dns(qw(a.example.org TXT a.example.org A a.example.org AAAA))],
	['found one|two|a?b|' . 'y' x 300, 'found 192.0.2.1|192.0.2.2', 'found 2001:db8::1'], 'texts and addresses';
is_deeply [dns(qw(none.example.org TXT a.example.net A))], ['none ', 'none '], 'a name that does not exist';
my %lies = (loop => qr/^silent  more than 8 aliases/, refused => qr/^silent  .*\(REFUSED\)/, forged => qr/^silent  .*not one to the question/,
	garbage => qr/^silent  /, 'chain 8' => qr/^found end$/, 'chain 9' => qr/^silent  more than 8 aliases/,
	big => qr/^found (?:x{200}\|){19}x{200}$/, silent => qr/^silent  the name servers don't answer$/);
for my $how (sort keys %lies) {
	$names->set('lies.example.org', TXT => 'end')->lie('lies.example.org', $how);
	like +(dns(qw(lies.example.org TXT)))[0], $lies{$how}, "a name server: $how";
}
undef $names;
like +(dns(qw(a.example.org TXT)))[0], qr/^silent  the name servers don't answer$/, 'a name server that is away';
finish $stack;
