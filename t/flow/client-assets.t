# SPDX-License-Identifier: Apache-2.0
# vitrine assets: files go into a library and come back whole, by name or id; what is interrupted goes on where it stopped, also in the next
# command.
use utf8;
use Digest::SHA 'sha256_hex';
use Encode 'encode_utf8';
use POSIX ();
use Time::HiRes 'sleep';
use Vitrine::Listener;
use Vitrine::Words 'as';

my $mib = 1 << 20;
my ($stack, $api, $db) = stack(max_asset_bytes => 60 * $mib, max_library_bytes => 190 * $mib);
my $ann = $stack->user('ann@example.org');
my $ben = $stack->user('ben@example.org');
my $dir = $stack->{dir};
my $kept = "$dir/.config/vitrine/uploads";
sub client { return $stack->client($ann->{token}, 'assets', @_) }
sub fine { my ($status, $out, $err) = client(@_); is $status, 0, encode_utf8("@_") or diag $err; return wantarray ? ($out, $err) : $out }
sub refused {
	my ($expected, $like, @args) = @_;
	my ($status, $out, $err) = client(@args);
	is $status, $expected, "refused: @args" or diag $out;
	like $err, $like, '... and says why';
	return $err;
}
sub bytes_of { return $api->call(GET => "/v1/files/$_[0]/content", { token => $ann->{token} })->{body} }
sub library { my ($at) = @_; return as('ann', GET => $at // '/v1/assets')->{json} }
sub spew { Vitrine::Stack::spew(encode_utf8($_[0]), $_[1]); return $_[0] }
sub slurp { return Vitrine::Stack::slurp(encode_utf8($_[0])) }
sub now { return 0 + @{[glob "$kept/*"]} }

# ---- put, list, get, versions, rm

my $report = spew("$dir/report.pdf", "%PDF-1.7 one");
my $large = 'x' x (3 * $mib) . 'end';
spew("$dir/large.bin", $large);
spew("$dir/empty", '');
my @made = map { [split] } split /\n/, fine('put', $report, "$dir/large.bin", "$dir/empty");
is scalar @made, 3, 'a line each';
like "@{$made[0]}", qr{^dlv_\w{26} https://\S+/v1/files/$made[0][0]/content$}, '... with its id and its address';
is bytes_of($made[0][0]), '%PDF-1.7 one', 'the bytes are there';
is bytes_of($made[1][0]), $large, '... of larger ones';
is bytes_of($made[2][0]), '', '... and of one without any';
is now(), 0, 'nothing has to be remembered';
like fine('list'), qr/^dlv_\w+ +0 bytes  \S+Z  v1   private    empty\ndlv_\w+ +3\.1 MB  .*large\.bin\n.*report\.pdf\n\z/,
	'listed, the newest first';
is scalar @{decode_json(fine('list', '--json'))->{deliverables}}, 3, 'as JSON, too';
my $one = decode_json(fine('put', $report, '--json', '--name', 'Bilanz 2026.pdf'))->{deliverable};
is "$one->{name} $one->{filename} $one->{visibility}", 'Bilanz 2026.pdf report.pdf private', 'under another name, as JSON';
my ($again) = split ' ', fine('put', "$dir/large.bin", '--version-of', 'Bilanz 2026.pdf');
is $again, $one->{id}, 'a version, of one by its name';
like fine('versions', 'Bilanz 2026.pdf'), qr/^v2 .* ann\@example\.org  large\.bin\nv1 .*  report\.pdf\n\z/, 'its versions, newest first';
is scalar @{decode_json(fine('versions', $one->{id}, '--json'))->{versions}}, 2, '... by id, as JSON';
is bytes_of($one->{id}), $large, 'the latest is what one gets';
like fine('change', $one->{id}, '--name', 'Bilänz.pdf'), qr/^\Q$one->{id}\E .* Bilänz\.pdf$/ && qr/Bil/, 'renamed';

mkdir "$dir/to";
chdir "$dir/to";
is fine('get', 'large.bin'), "./large.bin\n", 'fetched by name';
is slurp("$dir/to/large.bin"), $large, '... whole';
is fine('get', "Bila\x{308}nz.pdf", '--out', "$dir/to/b.pdf"), "$dir/to/b.pdf\n", 'by a name that is composed otherwise, under another';
fine('get', $made[0][0], $made[2][0], '--to', $dir . '/to');
is join(' ', sort map { s{.*/}{}r } glob "$dir/to/.v* $dir/to/*"), 'b.pdf empty large.bin report.pdf', 'and nothing else is left there';
refused(1, qr/already exists/, 'get', 'large.bin');
is slurp("$dir/to/large.bin"), $large, '... it is as it was';
my ($status, $out, $err) = client('get', 'report.pdf', '--out', '-');
is $out, '%PDF-1.7 one', 'to standard output';
refused(2, qr/--out: goes with vitrine assets get, a single file, and without --to/, qw(get a b --out x));
# What an earlier command has begun is gone on with: so it shows when that was something else.
my $part = "$dir/to/.vitrine:" . substr sha256_hex($large), 0, 16;
unlink "$dir/to/large.bin";
spew($part, 'y' x $mib);
refused(1, qr/aren't those of the file/, 'get', 'large.bin');
ok !-e $part && !-e "$dir/to/large.bin", '... which leaves nothing';
spew($part, 'x' x $mib);
fine('get', 'large.bin');
is slurp("$dir/to/large.bin"), $large, 'a part is gone on with';

($out, $err) = fine('rm', $made[1][0], 'empty');
is $err, "$made[1][0] is deleted\nempty is deleted\n", 'removed by id and by name';
is library()->{fileCount}, 3, '... with its bytes';

# ---- refusals

spew("$dir/huge", '');
truncate "$dir/huge", 61 * $mib;
like refused(1, qr/^vitrine: .*60 MB/, 'put', "$dir/huge"), qr/code FILE_TOO_LARGE/, '... with its code';
refused(1, qr{^vitrine: \Q$dir\E: isn't a regular file$}, 'put', $dir);
refused(1, qr/No such file/, 'put', "$dir/none");
refused(1, qr/your own library has no such file; --workspace W/, 'get', $_) for 'none.txt', 'dlv_' . '0' x 26;
like refused(1, qr/code NOT_FOUND/, 'rm', 'dlv_' . '0' x 26), qr/--workspace W looks into/, '... where else to look';
fine('put', $report) for 1, 2;
refused(1, qr/more than one file has this name; use an id/, 'rm', 'report.pdf');
refused(2, qr/--name: goes with a single file/, 'put', $report, $report, '--name', 'x');
refused(2, qr/--version-of: the file keeps its name/, 'put', $report, '--version-of', $one->{id}, '--name', 'x');
refused(2, qr/--visibility workspace: goes with --workspace/, 'put', $report, qw(--visibility workspace));
refused(2, qr/--visibility: must be private or workspace, not all/, 'put', $report, qw(--visibility all));
refused(2, qr/what should change\?/, 'change', $one->{id});
refused(2, qr/isn't a command of vitrine assets/, 'frobnicate');
is decode_json((split /\n/, (client('put', "$dir/huge", '--json'))[2])[-1])->{code}, 'FILE_TOO_LARGE', 'as JSON, too';

# ---- a workspace, its folders

my $ws = as('ann', POST => '/v1/workspaces', { name => 'Team' })->{json}{workspace};
$stack->seat($ws->{id}, $ben, 'member');
my $folder = as('ann', POST => "/v1/workspaces/$ws->{id}/folders", { name => 'Out' })->{json}{folder}{id};
my $team = "/v1/workspaces/$ws->{id}/assets";
my @in = ('--workspace', $ws->{slug});
my ($shared) = split ' ', fine('put', $report, @in, qw(--visibility workspace --folder /out));
my $d = library($team)->{deliverables}[0];
is "$d->{id} $d->{visibility} $d->{folderId}", "$shared workspace $folder", 'into a workspace, for all of it, in a folder';
my ($private) = split ' ', fine('put', $report, qw(--folder /), '--name', 'mine.pdf');
is join(' ', map { $_->{name} } @{library($team)->{deliverables}}), 'mine.pdf report.pdf', '--folder alone means the only workspace';
like fine('list', @in), qr/mine\.pdf\n.*report\.pdf\n\z/, 'listed';
like fine('list', qw(--folder /Out)), qr/^\Q$shared\E \N*\n\z/, '... those in the folder';
refused(1, qr{/Nowhere: there is no such folder; vitrine folder add /Nowhere creates it}, 'put', $report, qw(--folder /Nowhere));
like +($stack->client($ben->{token}, qw(assets list), @in))[1], qr/^\Q$shared\E \N*\n\z/, 'a colleague sees what is for all';
is +($stack->client($ben->{token}, qw(assets get report.pdf --out -), @in))[1], '%PDF-1.7 one', '... and gets it';
like fine('change', $shared, @in, qw(--folder / --name r.pdf)), qr/ r\.pdf$/, 'moved and renamed';
is library($team)->{deliverables}[1]{folderId}, undef, '... to the top';
like fine('versions', 'r.pdf', @in), qr/^v1 /, 'its versions';
fine('rm', 'r.pdf', @in);
my $agent = as('ann', POST => "/v1/workspaces/$ws->{id}/agent-tokens", { name => 'Bot', scopes => ['data:write'] })->{json}{token};
($status, $out) = $stack->client($agent, 'assets', 'put', $report, @in, '--version-of', $private);
is $status, 1, 'an agent adds no version to what it does not see';
($status, $out) = $stack->client($agent, 'assets', 'put', $report, '--workspace', $ws->{id});
is $status, 0, '... and sends, though it can read nothing';

# ---- interrupted

my $film = "$dir/film.mp4";
my $all = '';
$all .= pack 'N*', $_ << 18 .. ($_ << 18) + (1 << 18) - 1 for 0 .. 39;
spew($film, $all);
my $sums = "SELECT COALESCE(SUM(reserved), 0) FROM asset_bucket";
sub received { return $db->selectrow_array('SELECT MAX(received) FROM asset_upload') // 0 }
# How many pieces were taken so far.
sub pieces { return scalar(() = slurp("$dir/worker.log") =~ m{"method":"PUT","route":"/v1/uploads/\{upload\}","status":20[12]}g) }
# Begins a command in the background, and waits until it has sent so many bytes; those are held just before they count.
sub held_at {
	my ($bytes, @args) = @_;
	$db->do("CREATE TRIGGER hold BEFORE UPDATE ON asset_upload FOR EACH ROW BEGIN IF NEW.received = $bytes THEN DO GET_LOCK('hold', "
		. "60); DO RELEASE_LOCK('hold'); END IF; END");
	$db->do("DO GET_LOCK('hold', 0)");
	my $pid = fork // die;
	if (!$pid) {
		%ENV = (%ENV, $stack->env, VITRINE_TOKEN => $ann->{token}, HOME => $dir);
		open STDOUT, '>', "$dir/held-out";
		open STDERR, '>', "$dir/held-err";
		exec "$stack->{build}/vitrine", 'assets', @args or POSIX::_exit(127);
	}
	Vitrine::Stack::wait_for("$bytes bytes", 60,
		sub { $db->selectrow_array("SELECT COUNT(*) FROM information_schema.processlist WHERE state = 'User lock'") });
	return $pid;
}
sub let_go {
	my ($until) = @_;
	$db->do("DO RELEASE_LOCK('hold')");
	Vitrine::Stack::wait_for('the piece', 60, sub { received() == $until }) if $until;
	$db->do('DROP TRIGGER hold');
}
sub ended { my ($pid) = @_; waitpid $pid, 0; return ($? >> 8, slurp("$dir/held-out"), slurp("$dir/held-err")) }

my $before = pieces();
my $pid = held_at(24 * $mib, 'put', $film);
kill 'KILL', $pid;
waitpid $pid, 0;
is received(), 16 * $mib, 'killed in the middle of 40 MiB, with two pieces there and one on its way';
my ($memory) = glob "$kept/*";
is sprintf('%o %o', (stat $kept)[2] & 0777, (stat $memory)[2] & 0777), '700 600', 'what is remembered is for its owner alone';
let_go(24 * $mib);
($out, $err) = fine('put', $film);
like $err, qr/^\Q$film\E: 25 MB of 42 MB are there already$/m, 'the same command goes on';
is pieces() - $before, 5, '... and no piece was sent twice';
is sha256_hex(bytes_of((split ' ', $out)[0])), sha256_hex($all), 'all is there';
is now(), 0, '... and forgotten';
fine('rm', 'film.mp4');

# The file is another one when the command comes again.
$pid = held_at(16 * $mib, 'put', $film);
kill 'KILL', $pid;
waitpid $pid, 0;
let_go(16 * $mib);
is $db->selectrow_array($sums), 40 * $mib, 'room for the rest is reserved';
spew($film, $all . 'more');
($out, $err) = fine('put', $film);
unlike $err, qr/already/, 'of a file that has changed since, all is sent';
is bytes_of((split ' ', $out)[0]), "${all}more";
is $db->selectrow_array($sums) . ' ' . $db->selectrow_array('SELECT COUNT(*) FROM asset_upload WHERE blob_id IS NULL'), '0 0',
	'... and what there was has been given up';
fine('rm', 'film.mp4');

# It changes while it is sent.
$pid = held_at(16 * $mib, 'put', $film);
spew($film, $all . 'less');
let_go();
($status, $out, $err) = ended($pid);
is "$status$out", 1, 'a file that changes while it is sent is refused';
like $err, qr/^vitrine: \Q$film\E: changed while it was being sent; send it again$/m, '... in words';
is $db->selectrow_array($sums) . ' ' . now(), '0 0', '... and given up';
system 'touch', '-r', $film, "$dir/as-it-was";
$pid = held_at(16 * $mib, 'put', $film);
open my $f, '+<', $film or die;
sysseek $f, 30 * $mib, 0;
syswrite $f, 'z' x 9;
close $f;
system 'touch', '-r', "$dir/as-it-was", $film;
let_go();
($status, $out, $err) = ended($pid);
like $err, qr/changed while it was being sent/, 'nor does a clock that was turned back help' or diag $err;
is $db->selectrow_array($sums) . ' ' . now(), '0 0';
spew($film, $all);

# The connection breaks.
$before = pieces();
$pid = held_at(16 * $mib, 'put', $film);
$stack->stop_one('nginx');
let_go();
$stack->start_nginx;
($status, $out, $err) = ended($pid);
is $status, 0, 'a connection that breaks is made again' or diag $err;
is pieces() - $before, 5, '... and no piece was sent twice';
is sha256_hex(bytes_of((split ' ', $out)[0])), sha256_hex($all), '... and all is there';

# All is sent, and the rest isn't: nothing is sent again, and nothing made twice.
$before = pieces();
refused(1, qr/^vitrine: --name: /, 'put', $film, '--name', 'a/b');
is now(), 1, 'what was sent is remembered';
($memory) = glob "$kept/*";
my $text = slurp($memory);
my $first = fine('put', $film, '--name', 'film');
umask 077;
spew($memory, $text);
is fine('put', $film, '--name', 'film'), $first, 'who was killed before it knew has made what it made';
is pieces() - $before, 5, 'sent once';
spew($memory, $text);
isnt fine('put', $film, '--name', 'another'), $first, 'what is in use becomes nothing else';
is pieces() - $before, 10, '... but is sent anew';
spew($memory, $text);
$db->do('UPDATE asset_upload SET expires_at = 1');
fine('put', $film, '--name', 'a third');
is pieces() - $before, 15, '... as what has expired is';
refused(1, qr/code STORAGE_FULL/, 'put', $film);
is now(), 0, 'what does not fit in is refused before it is sent';
is pieces() - $before, 15;
as('ann', DELETE => "/v1/assets/deliverables/$_->{id}") for @{library()->{deliverables}};

sub shown { return $stack->at_terminal('', { VITRINE_TOKEN => $ann->{token} }, 'assets', @_) }
my $bar = shown('put', $film);
like $bar, qr/\rreading \[#+ .*\rsending \[#+ .*\r\e\[K(?!.*\[#).*dlv_/s, 'there is a bar, until it ends';
unlike shown('put', $film, '--quiet'), qr/\[#/, '... unless nobody wants it';
as('ann', DELETE => "/v1/assets/deliverables/$_->{id}") for @{library()->{deliverables}};

# Loose files.
refused(1, qr/^vitrine: --name: /, 'put', $report, '--name', 'a/b');
my ($blob) = fine('loose') =~ /^(blb_\w{26}) +12 bytes  \S+  report\.pdf\n\z/;
ok $blob, 'what is in no file is listed';
fine('rm', $blob);
is fine('loose'), '', '... and removed by its id';
is bytes_of((split ' ', fine('put', $report))[0]), '%PDF-1.7 one', '... whereupon the file is sent anew';

# ---- a service that fails, and one that lies

package Flaky {
	our @ISA = 'Vitrine::Listener';
	sub new { my ($class, $tls, $answer) = @_; return $class->begin('flaky', answer => $answer)->start($tls) }
	sub asked { my ($s) = @_; return split /\n/, Vitrine::Stack::slurp("$s->{dir}/asked") }
	sub serve {
		my ($s, $c, $ask) = @_;
		my $range = $ask->{headers}{'content-range'} // $ask->{headers}{range};
		open my $f, '>>', "$s->{dir}/asked";
		syswrite $f, join(' ', $ask->{method}, $ask->{target} =~ s/\?.*|upt_\K\w+//gr, $range // ()) . "\n";
		my ($status, $body, $head) = $s->{answer}->($ask, scalar(grep { /^$ask->{method} / } $s->asked), $c);
		$body = Cpanel::JSON::XS->new->canonical->encode($body) if ref $body;
		Vitrine::Listener::send_all($c, "HTTP/1.1 $status X\r\nContent-Length: " . length($body) . "\r\nConnection: close\r\n"
			. ($head // '') . "\r\n$body") if $status;
	}
}
my $upload = { uploadUrl => 'https://vitrine.example/v1/uploads/' . Vitrine::Stack::secret('upt_'), tokenId => 'upl_' . '0' x 26 };
my %state = (state => 'open', total => 12 * $mib, tokenId => $upload->{tokenId});
my $done = { blobId => 'blb_' . '0' x 26, received => 12 * $mib };
my $made = { deliverable => { id => 'dlv_' . '0' x 26, url => 'https://vitrine.example/x' } };
truncate $film, 12 * $mib;
# What the client said and asked of a service whose PUT and GET answer so, by their number.
sub against {
	my ($put, $get, @args) = @_;
	my %do = (PUT => $put, GET => $get // sub { return (200, { %state, received => 8 * $mib }) },
		POST => sub { return (201, $_[1] == 1 ? $upload : $made) }, DELETE => sub { return (200, {}) });
	my $service = Flaky->new($stack->{tls}, sub { my ($ask, $n, $c) = @_; return $do{$ask->{method}}->($ask, $n, $c) });
	my @said = $stack->program('vitrine', { HOME => $dir, VITRINE_TOKEN => $ann->{token},
		VITRINE_URL => "https://localhost:$service->{port}" }, 'assets', @args ? @args : ('put', $film));
	return (@said, $service->asked);
}
my ($first_piece, $rest) = ('PUT /v1/uploads/upt_ bytes 0-8388607/12582912', 'PUT /v1/uploads/upt_ bytes 8388608-12582911/12582912');
my @steps = ([202, { received => 8 * $mib }], [], [503, 'x', "Retry-After: 1\r\n"], [429, {}, "Retry-After: 1\r\n"], [201, $done]);
my @asked;
($status, $out, $err, @asked) = against(sub { return @{$steps[$_[1] - 1]} });
is $status, 0, 'a lost connection, a 503 and a 429 are nothing' or diag $err;
is join(', ', @asked), join(', ', 'POST /v1/assets/upload', $first_piece, $rest, ('GET /v1/uploads/upt_', $rest) x 3,
	'POST /v1/assets/deliverables'), '... each time the service is asked where it is, and sent the rest';
($status, $out, $err, @asked) = against(sub { return (503, 'x', "Retry-After: 1\r\n") }, sub { return (200, { %state, received => 0 }) });
is "$status$out", 5, 'a service that is out of order';
like $err, qr/^vitrine: \Q$film\E: \S+ answered 503; run the same command again to resume$/m, '... is left after some tries';
is scalar(grep { /^PUT/ } @asked), 7, '... seven of them';
is now(), 1, '... and the command can be repeated';
unlink glob "$kept/*";
($status, $out, $err, @asked) = against(sub { return $_[1] % 2 ? (202, { received => 8 * $mib }) : (500, 'x', "Retry-After: 1\r\n") },
	sub { return (200, { %state, received => 0 }) });
is $status, 5, 'one that forgets what it has received is left, too';
cmp_ok scalar(@asked), '<', 40;
unlink glob "$kept/*";
for (['more than there is', sub { return (202, { received => 13 * $mib }) }],
	['less than nothing', sub { return (202, { received => -1 }) }]) {
	($status, $out, $err) = against($_->[1]);
	is "$status$out", 1, "one that has received $_->[0]";
	like $err, qr/impossible size/, '... is not believed';
	unlink glob "$kept/*";
}
for my $url ('https://evil.example/put', 'https://x/v1/uploads/upt_../../v1/auth/me', "https://x/v1/uploads/$upload->{tokenId}", '') {
	local $upload->{uploadUrl} = $url;
	($status, $out, $err, @asked) = against(sub { return (201, $done) });
	is "$status$out " . @asked, '1 1', 'nothing is sent to what is no address of an upload';
}
my $listed = { deliverables => [{ id => 'dlv_' . '0' x 26, name => 'a.bin', size => length $large, sha256 => sha256_hex($large) }] };
chdir "$dir/to";
# $how: whether the service knows of ranges.
for my $how ('the rest', 'all of it') {
	($status, $out, $err, @asked) = against(undef, sub {
		my ($ask, $n, $c) = @_;
		return (200, $listed) if $ask->{target} !~ /content/;
		my ($from) = ($ask->{headers}{range} // '') =~ /^bytes=(\d+)-$/;
		return (206, substr $large, $from) if $from && $how eq 'the rest';
		return (200, $large) if $from;
		Vitrine::Listener::send_all($c, "HTTP/1.1 200 Fine\r\nContent-Length: " . length($large) . "\r\n\r\n" . substr $large,
			0, 2 * $mib);
		return;
	}, qw(get a.bin));
	is "$status $out", "0 ./a.bin\n", 'a download that breaks is gone on with' or diag $err;
	is slurp("$dir/to/a.bin"), $large, "... by a service that sends $how";
	like $asked[-1], qr{^GET /v1/files/dlv_0+/content bytes=[1-9]\d+-$};
	unlink "$dir/to/a.bin";
}
($status, $out, $err) = against(undef, sub { return (200, $_[0]{target} =~ /content/ ? 'x' x length $large : $listed) }, qw(get a.bin));
is "$status$out", 1, 'other bytes than the list says';
ok !-e "$dir/to/a.bin", '... get no name';
($status, $out, $err) = against(undef, sub { return (200, $_[0]{target} =~ /content/ ? "${large}more" : $listed) }, qw(get a.bin));
isnt $status, 0, 'more bytes than it says';
is join(' ', grep { !/large|report|empty|b\.pdf/ } glob "$dir/to/.v* $dir/to/*"), '', '... leave nothing';
{
	local $listed->{deliverables}[0]{sha256} = '../../' . 'x' x 58;
	($status, $out, $err) = against(undef, sub { return (200, $listed) }, qw(get a.bin));
	is "$status$out", 1, 'no digest';
	like $err, qr/returned no digest/, '... is no name either';
}
for my $name ('../out.txt', '/etc/x', '.bashrc', "a\x1b[2Jb", '.vitrine.json') {
	local $listed->{deliverables}[0]{name} = $name;
	($status, $out, $err) = against(undef, sub { return (200, $listed) }, 'get', 'dlv_' . '0' x 26);
	is "$status$out", 1, 'a name that can be none here: ' . $name =~ s/[^ -~]/?/gr;
	unlike $err, qr/\x1b/, '... and steers no terminal';
}
chdir '/';
finish($stack);
