# SPDX-License-Identifier: Apache-2.0
# vitrine assets share, send, links, revoke: files for others, behind a password or a domain's mailboxes, until a day, until they are
# revoked.
use utf8;
use Encode 'encode_utf8';
use IPC::Open2;
use Vitrine::Smtp;
use Vitrine::Words 'as';

my $smtp = Vitrine::Smtp->new;
my ($stack, $api, $db) = stack($smtp->conf);
my $ann = $stack->user('ann@example.org');
my $dir = $stack->{dir};
sub client { return $stack->client($ann->{token}, 'assets', @_) }
sub fine { my ($status, $out, $err) = client(@_); is $status, 0, encode_utf8("@_") or diag $err; return wantarray ? ($out, $err) : $out }
sub refused {
	my ($expected, $like, @args) = @_;
	my ($status, $out, $err) = client(@args);
	is "$status$out", $expected, "refused: @args" or diag $out;
	like $err, $like, '... and says why';
}
sub newest { my ($at) = @_; return as('ann', GET => ($at // '/v1/assets') . '/links?limit=1')->{json}{links}[0] }
sub spew { Vitrine::Stack::spew(@_); return $_[0] }
my %browser = (Accept => 'text/html', 'Sec-Fetch-Site' => 'same-origin', 'User-Agent' => 'Mozilla/5.0');
sub look { my ($said) = @_; return $api->request(GET => 'vitrine.localhost', $said =~ m{(/d/\w+)} ? $1 : die, \%browser) }
# Whether a link shows its files to whoever says this password.
sub opened_by {
	my ($said, $password) = @_;
	my $r = $api->request(POST => 'vitrine.localhost', $said =~ m{(/d/\w+)} ? $1 : die,
		{ %browser, 'Content-Type' => 'application/x-www-form-urlencoded' }, "password=$password");
	return $r->{status} == 303;
}
sub bundles { return $db->selectrow_array('SELECT COUNT(*) FROM asset_collection') }

my @id = map { (split ' ', fine('put', spew("$dir/$_", "bytes of $_")))[0] } qw(a.txt b.txt);
my $url = qr{https://vitrine\.localhost:\d+/d/[0-9A-Za-z]{49}};

# ---- a link

my ($out, $err) = fine('share', 'a.txt');
my $link = newest();
is $out, "$link->{url}\n", 'the address of a link';
like $err, qr/^\Q$link->{id}\E opens for anyone with the link$/, '... with its id, and for whom it is';
is "$link->{name} $link->{gate}", 'a.txt none', 'it is called as its file';
like look($out)->{body}, qr{a\.txt.*href="/d/[^"]+/file/}s, 'whoever has it gets the file';
my $year = 1901 + (gmtime)[5];
($out, $err) = fine('share', 'b.txt', $id[0], '--name', 'Für Sie', '--domains', 'client.example, bücher.example', '--expires',
	"$year-12-31");
$link = newest();
is_deeply [@$link{qw(name gate domains expiresAt)}], ['Für Sie', 'domain', ['client.example', 'xn--bcher-kva.example'],
	"$year-12-31T23:59:59Z"], 'of several files, for two domains, until the end of a day';
like $err, qr/ opens for people with a mailbox at its domains until $year-12-31T23:59:59Z$/;
my $r = look($out);
like $r->{body}, qr/name="email"/, 'it asks for an address';
unlike $r->{body}, qr/b\.txt/, '... and shows nothing before';
$db->do('UPDATE delivery_link SET expires_at = 1 WHERE id = ?', undef, $link->{id});
is look($out)->{status}, 404, 'when it is over, there is nothing';
$db->do('UPDATE delivery_link SET expires_at = ? WHERE id = ?',
	undef, $db->selectrow_array("SELECT TIMESTAMPDIFF(SECOND, '1970-01-01', '$year-12-31 23:59:59')"), $link->{id});
is_deeply as('ann', GET => '/v1/assets/collections')->{json}{collections}[0]{deliverableIds}, [$id[1], $id[0]],
	'... in their order, by name and by id';
my $before = time;
is decode_json(fine('share', 'a.txt', qw(--expires 14 --json)))->{link}{gate}, 'none', 'as JSON';
my ($until) = $db->selectrow_array('SELECT expires_at FROM delivery_link ORDER BY id DESC LIMIT 1');
ok $until >= $before + 14 * 86400 && $until <= time + 14 * 86400, '... for fourteen days';

# ---- a password

spew("$dir/typed", "open sesame\nno more\n");
my ($status);
($status, $out, $err) = client('share', 'a.txt', '--password', { stdin => "$dir/typed" });
like $out, qr/^$url\n\z/, 'with a password, a line of standard input' or diag $err;
ok opened_by($out, 'open+sesame'), '... which is its password';
ok !opened_by($out, 'no+more'), '... and no other';
unlike look($out)->{body}, qr/a\.txt/, '... without which it shows nothing';
like $err, qr/anyone who has the password/;
# What a terminal shows while somebody answers, each time something is asked.
sub typed {
	my ($answers, @args) = @_;
	my %env = ($stack->env, HOME => $dir, VITRINE_TOKEN => $ann->{token});
	my $line = join ' ', map { "'$_'" } 'env', (map { "$_=$env{$_}" } sort keys %env), "$stack->{build}/vitrine", 'assets', @args;
	my $pid = open2(my $from, my $to, 'script', '-qec', $line, '/dev/null');
	my $shown = '';
	for my $answer (@$answers) {
		my $at = length $shown;
		while (substr($shown, $at) !~ /: $/) { sysread $from, $shown, 4096, length $shown or last }
		syswrite $to, "$answer\n";
	}
	while (sysread $from, $shown, 4096, length $shown) { }
	waitpid $pid, 0;
	return $shown;
}
my $said = typed(['from a person', 'from a person'], qw(share a.txt --password));
like $said, qr/^Password for the link: \r\nOnce more: \r\n.*$url/s, 'at a terminal it is asked for, twice, and not shown';
ok opened_by($said, 'from+a+person'), '... and is its password';
like typed(['from a person', 'from another'], qw(share a.txt --password)), qr/those were two different ones/, 'two that differ are none';
refused(2, qr/there is none on standard input/, qw(share a.txt --password));

# ---- refusals, which leave nothing

$before = bundles();
refused(2, qr/^vitrine: --expires: \Q$_\E is neither a date such as 2027-12-31 nor a number of days$/m, qw(share a.txt --expires), $_)
	for 'soon', '2027-02-30';
refused(2, qr/^vitrine: --expires: \Q$_\E: a number of days must be from 1 to 36500$/m, qw(share a.txt --expires), $_)
	for '0', '-1', '99999', '9' x 30;
refused(1, qr/^vitrine: --expires: .*in the future/, qw(share a.txt --expires 2020-01-01));
refused(1, qr/^vitrine: --domains, value 2: anyone can get an address/, qw(share a.txt --domains), 'client.example,gmail.com');
refused(2, qr/--password and --domains: a link has one of them/, qw(share a.txt --password --domains client.example));
refused(1, qr/your own library has no such file/, qw(share a.txt none.txt));
refused(1, qr/there is no file/, 'share', 'dlv_' . '0' x 26);
refused(1, qr{^vitrine: --name: }, qw(share a.txt --name a/b));
refused(2, qr/^vitrine: --email: to whom\?/, qw(send a.txt));
refused(1, qr/^vitrine: --email, value 2: /, qw(send a.txt --email), 'one@client.example,two');
refused(2, qr/^vitrine: --email goes with vitrine assets send$/m, qw(share a.txt --email one@client.example));
refused(2, qr/^vitrine: FILE is missing\nusage: vitrine assets/, qw(share));
is bundles(), $before, 'a refusal leaves no collection';

# ---- by mail

$out = fine(qw(send a.txt b.txt --email), 'one@client.example, two@client.example', '--message', "Hello\nthere");
like $out, qr/^one\@client\.example  $url\ntwo\@client\.example  $url\n\z/, 'a link for each address';
$stack->runner;
my ($mail) = grep { $_->{headers}{to} =~ /two\@client/ } $smtp->mails;
my ($theirs) = $out =~ /^two\S+ +(\S+)$/m;
like $mail->{parts}{'text/plain'}, qr/Hello\n> there.*\Q$theirs\E/s, '... which is mailed, with the message';
is scalar @{decode_json(fine(qw(send a.txt --json --email three@client.example)))->{links}}, 1, 'as JSON';

# ---- opened by a program, without an account

sub delivery { return $stack->client('', 'delivery', @_) }
my $gated = fine('share', 'a.txt', '--domains', 'client.example') =~ s/\n//r;
($status, $out, $err) = delivery($theirs);
is $status, 0, 'a link without a gate' or diag $err;
like $out, qr{^ *14 bytes  a\.txt  https://\S+/d/\S+/file/\S+$}m, '... lists its files' or diag $out;
($status, $out, $err) = delivery($gated);
is "$status$out", '1', 'a gate isn\'t passed by nothing';
like $err, qr/^vitrine: --email: enter/, '... and says how';
($status, $out, $err) = delivery($gated, qw(--email one@client.example));
is "$status$out", '0', 'a code is mailed' or diag $err;
like $err, qr/a code is mailed to it: run the same with --code/;
$stack->runner;
my ($code) = map { $_->{headers}{subject} =~ /^(\d{6})/ } $smtp->mails;
($status, $out, $err) = delivery($gated, qw(--email one@client.example --code), $code);
is $status, 0, '... which opens it' or diag $err;
my ($cookie) = $err =~ /^curl --cookie (vitrine_delivery=\S+) gets/m;
my ($at) = $out =~ m{(/d/\S+/file/\S+)$}m;
is $api->request(GET => 'vitrine.localhost', $at, { Cookie => $cookie })->{body}, 'bytes of a.txt', '... and gets its files';
($status, $out, $err) = delivery($gated, '--password', { stdin => "$dir/typed" });
is "$status$out", '1', 'a link of domains has no password';
($status, $out, $err) = delivery('https://else.example/d/xyz');
is "$status$out", '2', 'another service\'s link';
like $err, qr/isn't a link of/, '... is named';

# ---- what there is, and its end

$out = fine('links');
my ($id) = $out =~ /^(lnk_\w{26})  domain    $year-12-31T23:59:59Z +0 views  \S+ Sie  \Q$link->{url}\E$/m;
is $id, $link->{id}, 'links are listed';
like $out, qr/^lnk_\w+  none      never expires           0 views  a\.txt  to two\@client\.example  $url$/m, '... with who got them'
	or diag $out;
is scalar @{decode_json((split /\n/, fine('links', '--json'))[0])->{links}}, $out =~ tr/\n//, 'as JSON';
($out, $err) = fine('revoke', $id, newest()->{id});
is "$out$err", "$id is revoked\n" . newest()->{id} . " is revoked\n", 'revoked, some at once';
is look($link->{url})->{status}, 404, '... and opens no more';
like fine('links'), qr/^\Q$id\E  revoked  /m, '... and listed so';
refused(2, qr/a\.txt isn't a link id: vitrine assets links lists them/, qw(revoke a.txt));
refused(1, qr/code NOT_FOUND/, 'revoke', 'lnk_' . '0' x 26);

# ---- a workspace's

my $ws = as('ann', POST => '/v1/workspaces', { name => 'Team' })->{json}{workspace};
my @in = ('--workspace', $ws->{slug});
fine('put', "$dir/b.txt", @in, '--name', 'team.txt');
refused(1, qr/own library has no such file/, qw(share team.txt));
my $shared = fine('share', 'team.txt', @in);
is $shared, newest("/v1/workspaces/$ws->{id}/assets")->{url} . "\n", 'a file of a workspace';
my ($theirs_id) = fine('links', @in) =~ /^(lnk_\w+) \N*team\.txt  \Q$shared\E\z/;
fine('revoke', $theirs_id, @in);
like fine('links', @in), qr/^\Q$theirs_id\E  revoked  \N*\n\z/, '... and its end';
finish($stack);
