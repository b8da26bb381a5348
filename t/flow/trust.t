# SPDX-License-Identifier: Apache-2.0
# Whom the client trusts: its token goes to the service that gave it and nowhere else, what a service says does not steer the terminal, and
# what lies in a folder decides nothing but which artifact it is.
use utf8;
use IO::Socket::SSL;
use POSIX ();
use Vitrine::Words;

my ($stack, $api) = stack();
my $ann = $stack->user('ann@example.org');
my $dir = $stack->{dir};

# A service that is not ours: it answers everything with the file's text and keeps what it was sent.
my ($answer, $heard) = ("$dir/answer", "$dir/heard");
my $server = IO::Socket::SSL->new(LocalAddr => '127.0.0.1', Listen => 20, SSL_cert_file => "$stack->{tls}/cert.pem",
	SSL_key_file => "$stack->{tls}/key.pem") or die "$!, $SSL_ERROR";
my $other = 'https://localhost:' . $server->sockport;
my $pid = fork // die;
if (!$pid) {
	$SIG{TERM} = sub { POSIX::_exit(0) };
	while (1) {
		my $c = $server->accept or next;
		my $head = '';
		while ($head !~ /\r\n\r\n/) { sysread $c, $head, 4096, length $head or last }
		open my $f, '>>', $heard;
		print $f $head;
		close $f;
		print $c Vitrine::Stack::slurp($answer);
		close $c;
	}
}
$server->close(SSL_no_shutdown => 1);
sub says {
	my ($status, $json, @headers) = @_;
	my $body = ref $json ? Cpanel::JSON::XS->new->utf8->encode($json) : $json;
	Vitrine::Stack::spew($answer, join "\r\n", "HTTP/1.1 $status", 'Content-Type: application/json', 'Content-Length: ' . length $body,
		'Connection: close', @headers, '', $body);
	unlink $heard;
}
sub heard { return Vitrine::Stack::slurp($heard) }

# ---- the token

my %env = (HOME => "$dir/home", XDG_CONFIG_HOME => '', VITRINE_TOKEN => '');
sub run { my ($set, @args) = @_; return $stack->program('vitrine', { %env, %$set }, @args) }
my $ours = "https://vitrine.localhost:$stack->{port}";
my $token = $stack->ctl(qw(token mint --user ann@example.org));
is +(run({}, 'login', '--token', $token))[0], 0, 'signed in';
says('200 Fine', { success => Cpanel::JSON::XS::true, email => 'x@example.org', artifacts => [] });
for ([{ VITRINE_URL => $other }, 'whoami'], [{}, 'whoami', '--url', $other], [{ VITRINE_URL => $other }, 'list'],
	[{}, 'logout', '--url', $other], [{}, 'whoami', '--url', "https://vitrine.localhost:$stack->{port}1"],
	[{}, 'whoami', '--url', 'https://vitrine.localhost']) {
	my ($set, @args) = @$_;
	my $where = $set->{VITRINE_URL} // $args[-1];
	my ($status, $out, $err) = run($set, @args);
	is "$status$out", 3, "@args: not with this token";
	like $err, qr/saved token is for \Q$ours\E and isn't sent to \Q$where\E: run vitrine login --url \Q$where\E /,
		'... both are named, and what to type';
}
is heard(), '', 'nothing was asked of the other';
for ("$ours\@localhost", "https://vitrine.localhost:$stack->{port}\\\@localhost", 'http://vitrine.localhost', "https://a b",
	'file:///etc/passwd', "https://\e[2J") {
	my ($status, undef, $err) = run({}, 'whoami', '--url', $_);
	is $status, 2, 'no address of a service';
	unlike $err, qr/\e/;
}
is heard(), '', 'nor here';
is +(run({}, 'whoami', '--url', $_))[1], "ann\@example.org\n", "the same service: $_" for "$ours/", $ours =~ s/vitrine/VITRINE/r;
is +(run({ VITRINE_URL => '' }, 'whoami'))[1], "ann\@example.org\n", 'and the one that is remembered';
says('307 Elsewhere', {}, "Location: $other/v1/auth/me");
is +(run({ VITRINE_URL => $other, VITRINE_TOKEN => 'so_given' }, 'whoami'))[0], 1, 'a redirect is not followed';
is scalar(() = heard() =~ /^GET /mg), 1, 'not once';
like heard(), qr/Bearer so_given/, 'a token from the environment goes where the environment says';

# ---- what a service says

my $bad = "a\e]0;x\a\x{9b}2J\x{202e}\x{2066}\x{200f}\x7f\n\rz";
my $shown = 'a\u001b]0;x\u0007\u009b2J\u202e\u2066\u200f\u007f\u000a\u000dz';
my $raw = qr/[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]/;
sub foreign { return run({ VITRINE_URL => $other, VITRINE_TOKEN => 'so_given' }, @_) }
says('200 Fine', { success => Cpanel::JSON::XS::true, email => $bad, next_cursor => '',
	artifacts => [{ slug => $bad, visibility => $bad, url => $bad, version_no => 1 }] });
is +(foreign('whoami'))[1], "$shown\n", 'a name';
my ($status, $out, $err) = foreign('list');
like $out, qr/^\Q$shown\E +\Q$shown\E +v1    \Q$shown\E$/, 'a row';
(undef, $out) = foreign('whoami', '--json');
unlike $out, $raw, 'a whole reply';
is decode_json($out)->{email}, $bad, '... which means the same';
says('404 No', { success => Cpanel::JSON::XS::false, error => $bad, code => "X\e", request_id => $bad });
($status, $out, $err) = foreign('list');
like $err, qr/vitrine: \Q$shown\E\n  code X\\u001b, status 404, request \Q$shown\E/, 'a refusal';
my $id = 'art_' . '0' x 26;
says('200 Fine', { success => Cpanel::JSON::XS::true, artifact => { url => $bad }, versions => [{ version_no => 1, message => $bad }],
	next_cursor => '', files => [{ path => "x\e", sha256 => 'a' x 64 }] });
($status, $out, $err) = foreign('open', $id);
is "$status$out$err", "1vitrine: the service didn't return a valid address: $shown\n", 'an address';
like +(foreign('versions', $id))[1], qr/  \Q$shown\E *$/, 'a message';
($status, $out, $err) = foreign('pull', $id, "$dir/pulled", '--version', 1);
like $err, qr/the service listed a path that can't be used in a folder: x\\u001b must not/, 'a path';
unlike $out . $err, $raw;
says('200 Fine', { success => Cpanel::JSON::XS::true, artifacts => [{ id => "../../auth/tokens" }] });
is +(foreign('delete', 'some'))[0], 1, 'an id that is none is not asked for';
is scalar(() = heard() =~ /^DELETE /mg), 0;
kill 'TERM', $pid;
waitpid $pid, 0;

# ---- what lies in a folder

my $site = "$dir/site";
mkdir $site;
Vitrine::Stack::spew("$site/index.html", 'x');
Vitrine::Stack::spew("$dir/precious", "precious\n");
sub publish { return $stack->client($ann->{token}, 'publish', $site, @_) }
symlink "$dir/precious", "$site/.vitrine.json";
($status, $out, $err) = publish();
is $status, 1, 'a link in the place of what is remembered';
like $err, qr{/site/\.vitrine\.json: isn't a regular file}, '... is named';
is +(publish('--new', '--name', 'First'))[0], 0, '--new makes another';
is Vitrine::Stack::slurp("$dir/precious"), "precious\n", '... and what the link led to is as it was';
ok !-l "$site/.vitrine.json", '... the link is gone';
my ($memory) = @{decode_json(Vitrine::Stack::slurp("$site/.vitrine.json"))->{published}};
like $memory->{artifact_id}, qr/^art_\w{26}$/, 'the artifact is remembered';
is join(' ', sort keys %$memory), 'artifact_id mark path service url version';
is +(publish())[0], 0, 'and published again';
is $stack->db->selectrow_array('SELECT COUNT(*) FROM artifact'), 1;
for ('{"artifact_id":"x\",\"visibility\":\"public"}', '{"artifact_id":"art_x"}', '{"artifact_id":7}', '[]', '{', '', 'x' x 5000) {
	Vitrine::Stack::spew("$site/.vitrine.json", $_);
	($status, $out, $err) = publish();
	is $status, 1, 'not an id: ' . substr $_, 0, 50;
	like $err, qr/isn't in the form that vitrine writes.*--new/;
}
unlink "$site/.vitrine.json";
POSIX::mkfifo("$site/.vitrine.json", 0600);
is +(publish())[0], 1, 'nor is a pipe read';
is $stack->db->selectrow_array('SELECT COUNT(*) FROM artifact WHERE visibility <> ?', undef, 'private'), 0, 'nothing was opened';
finish($stack);
