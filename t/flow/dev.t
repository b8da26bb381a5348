# SPDX-License-Identifier: Apache-2.0
# What ./dev up starts, and the first commands of the README in the shell that ./dev env sets up: all is found, mail can be read, and down
# leaves nothing; nor does a stack that is stopped.
use FindBin;
use File::Path qw(make_path remove_tree);
use File::Temp 'tempdir';
use Vitrine::Words;

my $top = "$FindBin::Bin/../..";
my $dir = tempdir('vitrine-XXXXXX', TMPDIR => 1);
my $var = "$dir/var";
make_path($var);
symlink $ENV{VITRINE_BUILD}, "$var/build" or die;
symlink "$top/dev", "$dir/dev" or die;
delete @ENV{grep { /^VITRINE_/ && $_ ne 'VITRINE_BUILD' } keys %ENV};
my $here = $ENV{VITRINE_VAR};
@ENV{qw(VITRINE_VAR HOME)} = ($var, $dir);
sub own_stack {
	my ($command) = @_;
	return `'$^X' -I'$top/t/lib' -MVitrine::Stack -e 'Vitrine::Stack::main(\@ARGV)' -- $command '$var' 2>'$dir/stderr'`;
}
sub said { return Vitrine::Stack::slurp("$dir/stderr") }
sub get { my ($url) = @_; return `curl -sS '$url' 2>&1` }

isnt system("'$dir/dev' run vitrine list >'$dir/stderr' 2>&1"), 0, 'nothing is set up yet';
like said(), qr{^dev: nothing is set up here; ./dev up first\n\z}, '... which is all that is said';
like own_stack('up'), qr{^https://example\.pages\.localhost:\d+/$}m, 'up' or diag said();
my $unknown = join ' ', grep { !gethostbyname $_ } 'vitrine.localhost', 'example.pages.localhost';
is +(said() =~ m{As root: echo '127\.0\.0\.1 ([^']+)' >>/etc/hosts$}m)[0] // '', $unknown, 'what other programs need to find it is said';
my ($mail) = said() =~ m{^Mail that it sends: (http://localhost:\d+/)$}m;
like get($mail), qr/No mail was sent yet/, 'where its mails are shown is said';

my ($readme) = Vitrine::Stack::slurp("$top/README.md") =~ /```sh\n(eval .*?)```/s;
Vitrine::Stack::spew("$dir/readme", "set -ex\n$readme");
Vitrine::Stack::spew("$dir/password", "a password of theirs\n");
my $shown = `cd '$dir' && bash readme <password 2>&1`;
is $?, 0, 'the first commands of the README' or diag $shown;
like $shown, qr{^https://my-site\.pages\.localhost:\d+/$}m, '... publish';
like $shown, qr{"slug":"my-site"}, '... and are answered';
sub shell { my ($line) = @_; my $text = `cd '$dir' && eval "\$(./dev env)" && $line 2>&1`; is $?, 0, $line or diag $text; return $text }
shell('vitrine share my-site ben@example.org');
shell('vitrine rename my-site "Fish & <b>chips</b>" && vitrine share my-site eve@example.org');
Vitrine::Stack::wait_for('the runner, which sends them', 60, sub { (() = get($mail) =~ /<li>/g) == 2 });
like get($mail), qr{Demo shared Fish &amp; &lt;b&gt;chips&lt;/b&gt; with you</a><br>to eve\@example\.org}, 'mails are listed, as text';
my $one = get("${mail}1");
like $one,
	qr{<pre>Demo added you .*<a href="(https://vitrine\.localhost:\d+/auth/password/set\?link=pwl_\w+&amp;next=/v1/open/my-site)">\1</a>}s,
	'one is shown, with its links';
like get("${mail}1.eml"), qr{^Subject: }m, '... and as it was sent';
like get("${mail}$_"), qr/There is nothing here/, "no $_" for '3', 'password', '../password', '1.json';
like `curl -sS -H 'Host: elsewhere.example' '$mail'`, qr/There is nothing here/, 'nor for a page elsewhere that has this address';
shell('vitrine-runner --once');
like `cd '$dir' && ./dev run vitrine whoami`, qr/^demo\@example\.org$/, 'run is without the shell';

my @pids = map { /(\d+)/ } map { Vitrine::Stack::slurp($_) } glob "$var/*.pid";
is scalar @pids, 6, 'six are running';
own_stack('down');
is join(' ', grep { Vitrine::Stack::alive($_) } @pids), '', 'down stops them';
is join(' ', glob "$var/*.pid"), '', '... and leaves nothing of them';
# Two that start at once: who chose a port has it, though nothing listens there yet.
my $chosen = Vitrine::Stack::free_port();
is `'$^X' -I'$top/t/lib' -MVitrine::Stack -e 'print Vitrine::Stack::free_port($chosen) // "taken"'`, 'taken', 'a chosen port is taken';
# A stack that is stopped from outside, as a bench is.
for my $signal (qw(INT TERM HUP)) {
	local $ENV{VITRINE_VAR} = $here;
	# Whoever is started in the background by a shell has SIGINT ignored, and hands that on.
	local $SIG{$signal} = 'DEFAULT';
	my $pid = open my $out, '-|', $^X, "-I$top/t/lib", '-MVitrine::Stack', '-e',
		'$| = 1; my $s = Vitrine::Stack->new; $s->start_runner; print "$s->{dir}\n"; $s->client("x", "list"); sleep 1 while 1'
		or die;
	chomp(my $its = <$out>);
	ok -d $its, 'a stack';
	kill $signal, $pid;
	close $out;
	ok !-e $its, "... goes with its maker by $signal";
	is join(' ', grep { Vitrine::Stack::slurp("/proc/$_/cmdline") =~ /\Q$its\E/ } map { m{/proc/(\d+)$} } glob '/proc/[0-9]*'), '',
		'... and all that ran in it';
}
remove_tree($dir) if Test::More->builder->is_passing;
done_testing;

END {
	local $?;
	kill 'TERM', grep { $_ && Vitrine::Stack::slurp("/proc/$_/cmdline") =~ /\Q$dir\E/ }
		map { Vitrine::Stack::slurp($_) =~ /(\d+)/ } glob "$var/*.pid";
}
