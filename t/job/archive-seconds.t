# SPDX-License-Identifier: Apache-2.0
# Any second of a history of changes comes back: publishes, rows, documents, purges and sweeps are made at random, the state at ten seconds
# is noted, and one folder for scratch is moved from each to the next. VITRINE_SEED=N repeats a history; VITRINE_LONG makes it twice as
# long.
use Time::HiRes qw(sleep time);
use Vitrine::Words;

my ($seconds, $changes) = $ENV{VITRINE_LONG} ? (20, 2_000) : (10, 800);
my $seed = $ENV{VITRINE_SEED} // int rand 1e9;
srand $seed;
diag "seed $seed";
my ($stack, $api) = stack(archive => 1, backup_log_s => 1, grace_s => 0, publish_per_hour => 1_000_000, data_per_minute => 1_000_000);
my $ann = $stack->user('ann@example.org');
my @art;
my $made = 0;

sub publish {
	my ($into) = @_;
	my $text = "text $made " . rand;
	my %files = ('index.html' => $text, map { ("f$_.txt" => $_ % 2 ? "same $_" : "$text $_") } 1 .. 4);
	if ($into) { $api->publish($ann, artifact_id => $into, name => 'x', files => \%files); return }
	push @art, $api->publish($ann, slug => 'site-' . $made++, files => \%files);
	$api->call(PUT => "/v1/data/$art[-1]/tables/t",
		{ token => $ann->{token}, json => { columns => [{ name => 'a', type => 'text' }] } });
}
sub change {
	my $art = $art[rand @art];
	my $what = rand;
	if ($what < 0.78) {
		$api->call(POST => "/v1/data/$art/tables/t/rows", { token => $ann->{token}, json => { rows => [{ a => 'x' x rand 50 }] } });
	} elsif ($what < 0.90) {
		$api->call(PUT => "/v1/data/$art/json", { token => $ann->{token}, json => { n => rand } });
	} elsif ($what < 0.98) { publish($art) }
	elsif ($what < 0.99 || @art < 4) { publish() }
	else {
		($art) = splice @art, rand @art, 1;
		$api->call(DELETE => "/v1/artifacts/$art", { token => $ann->{token} });
		$stack->ctl('artifact', 'purge', $art, '--yes');
	}
}
my @tables = qw(artifact version version_file document data_table data_row data_cell token user);
sub state_of { my ($db) = @_; return join ' ', map { "@$_" } @{$db->selectall_arrayref('CHECKSUM TABLE ' . join ', ', @tables)} }
sub stamp { my @t = gmtime $_[0]; return sprintf '%04d-%02d-%02dT%02d:%02d:%02dZ', $t[5] + 1900, $t[4] + 1, @t[3, 2, 1, 0] }

publish() for 1 .. 6;
$stack->start_runner('runner', '--stay', '--lanes', 'archive');
Vitrine::Stack::wait_for('a base', 60, sub { my @bases = glob "$stack->{dir}/archived/base/*"; @bases });
my @noted;
my $n = 0;
while ($n < $changes || @noted < $seconds) {
	my $second = int time;
	if (time - $second < 0.9) {
		change();
		# Purges come first, so that what is swept was in use at a noted second.
		$stack->runner if ++$n % ($changes / 4) == 0;
		next;
	}
	# All that was changed so far was committed before this second ended, and nothing is until its state is noted.
	sleep 0.01 while int time == $second;
	push @noted, [$second, state_of($stack->db)];
}
@noted = (sort { $a->[0] <=> $b->[0] } map { splice @noted, rand @noted, 1 } 1 .. $seconds);
my $last = time;
Vitrine::Stack::wait_for('the log', 60, sub {
	($stack->program('vitrinectl', {}, qw(backup status --json)))[1] =~ /"to":"([^"]+)"/ && $1 gt stamp($last);
});
$stack->stop_one('runner');
my $scratch = "$stack->{dir}/scratch";
my $old;
for my $note (@noted) {
	my ($status, $out, $err) = $stack->program('vitrinectl', {}, 'restore', '--to', stamp($note->[0]), '--scratch', $scratch);
	$old //= DBI->connect("dbi:MariaDB:database=vitrine;mariadb_socket=$scratch/db.sock", 'root', '', { RaiseError => 1 });
	my $state = state_of($old);
	ok !$status && $state eq $note->[1] && $out =~ /^clean$/m, stamp($note->[0]) . ' is back: rows and bytes'
		or diag "$out$err\n$state\n$note->[1]";
}
$old->disconnect;
my ($pid) = Vitrine::Stack::slurp("$scratch/db.pid") =~ /(\d+)/;
kill 'TERM', $pid;
finish($stack);
