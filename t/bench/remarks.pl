# SPDX-License-Identifier: Apache-2.0
# ./dev bench remarks: what remarks cost a publish, lists among many, the places of remarks in a version, a page in the review's frame, an
# inbox beside those of others, and two thousand requests that wait. BENCH="publish lists places frame inbox waits" takes some.
use strict;
use warnings;
use Cpanel::JSON::XS;
use IO::Socket::UNIX;
use List::Util 'sum';
use Time::HiRes qw(sleep time);
use Vitrine::Api;
use Vitrine::Bench;
use Vitrine::Counted;
use Vitrine::Stack;
use Vitrine::Visitor;
use Vitrine::World;

my %want = map { $_ => 1 } split ' ', $ENV{BENCH} // 'publish lists places frame inbox waits';
my $s = Vitrine::Stack->new(Vitrine::World::unlimited(), workers => 4);
stacks($s);
my $api = Vitrine::Api->new($s, unchecked => 1);
my $db = $s->db;
room($db);
my ($ann, $ben) = map { $s->user("$_\@example.org") } qw(ann ben);

sub call {
	my ($who, $method, $path, $body) = @_;
	my $r = $api->call($method => $path, { token => $who->{token}, $body ? (json => $body) : () });
	die "$method $path: $r->{status} $r->{body}" if $r->{status} >= 300;
	return decode_json($r->{body});
}
my $n = 0;
sub publish {
	my ($slug, %o) = @_;
	my @files = { path => 'index.html', content => ++$n . 'x' x 4000 };
	return call($ann, POST => '/v1/publish', { name => $slug, slug => $slug, files => \@files, %o });
}
# Rows for seq 1 to count of a table, whose columns are expressions of SQL with its own quotes.
sub rows {
	my ($table, $count, %columns) = @_;
	my @names = sort keys %columns;
	$db->do("INSERT INTO $table (" . join(', ', @names) . ') SELECT ' . join(', ', @columns{@names}) . " FROM seq_1_to_$count");
}
my $series = 0;
sub ids { my ($kind) = @_; return sprintf "CONCAT('${kind}_%06d', LPAD(seq, 20, '0'))", $series }
sub threads {
	my ($art, $count, %columns) = @_;
	$series++;
	rows('comment', $count, id => ids('cmt'), artifact_id => "'$art'", author_id => "'$ben->{id}'", path => "'/'", body => "'some words'",
		version_no => 1, state => "'open'", audience => "'all'", created_at => 0, %columns);
	return map { sprintf 'cmt_%06d%020d', $series, $_ } 1 .. $count;
}
sub ms { my ($do) = @_; my $from = time; $do->(); return 1000 * (time - $from) }
# By turns, after a first time of each: the median of each, and of their ratios. Subs get what prepare() returned.
sub beside {
	my ($name, $turns, $ours, $ceiling, %o) = @_;
	my (@ours, @ceiling);
	for (0 .. $turns) {
		my $of = $o{prepare} ? $o{prepare}->() : undef;
		push @ours, ms(sub { $ours->($of) });
		push @ceiling, ms(sub { $ceiling->($of) });
	}
	shift @$_ for \@ours, \@ceiling;
	my @ratio = sort { $a <=> $b } map { $ours[$_] / $ceiling[$_] } 0 .. $#ours;
	figure(name => $name, ours => median(@ours), ceiling => median(@ceiling), unit => 'ms', ratio => median(@ratio), least => $ratio[0],
		most => $ratio[-1], $o{note} ? (note => $o{note}->()) : ());
}
sub statements {
	my ($do) = @_;
	Vitrine::Counted::still($s);
	my (undef, $said) = Vitrine::Counted::counted($db, $do);
	Vitrine::Counted::go_on($s);
	return $said =~ /Com_stmt_execute=(\d+)/;
}
my $page = publish('page')->{artifact}{id};

if ($want{publish}) {
	my ($talk, $anchored, $many) = map { publish($_)->{artifact}{id} } qw(talk anchored many);
	threads($talk, 1000);
	call($ann, POST => "/v1/artifacts/$anchored/comments", { text => 'x', anchor => { kind => 'text', quote => { exact => 'x' } } });
	my %took = map { my $slug = $_; publish($slug); $slug => statements(sub { publish($slug) }) } qw(page talk anchored);
	beside('a publish to an artifact with 1,000 comments, and with none', 60, sub { publish('talk') }, sub { publish('page') },
		note => sub { "statements $took{talk} and $took{page}" });
	beside('a publish to one with remarks, and to one without', 60, sub { publish('anchored') }, sub { publish('page') },
		note => sub { "statements $took{anchored} and $took{page}" });
	beside('a publish that resolves 50 threads with a reply, and one alone', 15, sub { publish('many', resolves => $_[0], reply => 'Done') },
		sub { publish('page') }, prepare => sub { [threads($many, 50)] });
}

if ($want{lists}) {
	my ($many, $few) = map { publish($_)->{artifact}{id} } qw(longlist shortlist);
	threads($_, 100) for $many, $few;
	threads($many, 19_900, state => "'resolved'");
	$db->do('ANALYZE TABLE comment');
	at_rest($db);
	my @list = map { my $at = "/v1/artifacts/$_/comments?state=open&limit=100"; sub { call($ann, GET => $at) } } $many, $few;
	beside('a list of 100 open threads among 20,000, and among 100', 100, @list);
}

# The time of a run that finds places, without that of one that has nothing to find.
if ($want{places}) {
	my $files = sub {
		my ($mark) = @_;
		my $page = join '', map { "<p>line $_ of a page with some words in it and $mark</p>" } 1 .. 1500;
		return [map { { path => "p$_.html", content => "<p>page $_</p>$page" } } 1 .. 200];
	};
	my %art = map { $_ => publish($_, files => $files->('old'), entrypoint => 'p1.html')->{artifact}{id} } qw(ten once);
	for my $slug (keys %art) {
		threads($art{$slug}, 200, path => "CONCAT('/p', seq, '.html')",
			anchor => qq('{"kind":"text","quote":{"exact":"line ${_}00 of a page"}}')) for 1 .. ($slug eq 'ten' ? 10 : 1);
	}
	$db->do("UPDATE artifact SET anchored = TRUE WHERE id IN ('$art{ten}', '$art{once}')");
	$s->runner;
	my ($turn, $idle) = (0);
	my $find = sub {
		my ($slug) = @_;
		publish($slug, files => $files->('turn' . ++$turn), entrypoint => 'p1.html');
		$db->do("UPDATE outbox SET due_at = due_at + 1000 WHERE kind = 'places'");
		$s->runner;
		$idle = ms(sub { $s->runner });
		$db->do("UPDATE outbox SET due_at = 0 WHERE kind = 'places'");
		return ms(sub { $s->runner }) - $idle;
	};
	my (@ten, @once);
	for (1 .. 3) {
		push @ten, $find->('ten');
		push @once, $find->('once');
	}
	my ($found) = $db->selectrow_array('SELECT COUNT(*) FROM comment_place p JOIN comment m ON m.id = p.comment_id '
		. "WHERE m.artifact_id = ? AND p.status IN ('here', 'changed')", undef, $art{ten});
	figure(name => 'places of 2,000 remarks over 200 files, and of 200', ours => median(@ten), ceiling => median(@once), unit => 'ms',
		ratio => median(map { $ten[$_] / $once[$_] } 0 .. 2), note => "$found found");
}

if ($want{frame}) {
	$s->ctl_in("the password\n", qw(user password ann@example.org));
	my $v = Vitrine::Visitor->new($api);
	$v->sign_in('ann@example.org', 'the password');
	my ($frame) = $v->go("/a/$page/review")->{body} =~ /<iframe[^>]* src="([^"]*)"/ or die 'no frame';
	my ($host, $path) = $frame =~ m{^https://([^/]+)(/.*)};
	my $at = "https://127.0.0.1:$s->{port}";
	my @frame = ("$at$path", "Host: $host", 'Sec-Fetch-Dest: iframe');
	my @alone = ("$at/", "Host: page.pages.localhost:$s->{port}", viewer_cookie($s, $ann, $page));
	by_turns("a page in the review's frame, and the private page", sub { wrk(@frame) }, sub { wrk(@alone) });
}

if ($want{inbox}) {
	my $items = sub {
		my ($who, $count) = @_;
		$series++;
		rows('inbox_item', $count, id => ids('inb'), user_id => "'$who->{id}'", kind => "'remark'", sort => "'remarked'", box => "'waiting'",
			need => "'see'", subject => ids('cmt'), artifact_id => "'$page'", thing => "'x'", created_at => 1, updated_at => 'seq');
	};
	my %visitor;
	for my $who (qw(ann ben)) {
		$s->ctl_in("the password\n", qw(user password), "$who\@example.org");
		$visitor{$who} = Vitrine::Visitor->new($api);
		$visitor{$who}->sign_in("$who\@example.org", 'the password');
	}
	my $page_of = sub { my $v = $visitor{$_[0]}; return sub { $v->go('/auth/account')->{status} == 200 or die } };
	my $inbox_of = sub { my ($who) = @_; return sub { call($who, GET => '/v1/inbox') } };
	for (5, 95) {
		$items->($ann, $_);
		my $n = $db->selectrow_array('SELECT COUNT(*) FROM inbox_item WHERE user_id = ?', undef, $ann->{id});
		beside("a page with $n items in its header, and with none", 100, $page_of->('ann'), $page_of->('ben'));
	}
	my @do = (['an inbox' => $inbox_of->($ann)], ['a page' => $page_of->('ann')]);
	my $usual = sub { my ($do) = @_; $do->() for 1 .. 5; return median(map { ms($do) } 1 .. 100) };
	# The two times are minutes apart; what is read doesn't depend on the machine.
	my $read = sub { return $db->selectrow_array('SELECT SUM(variable_value) FROM information_schema.global_status '
		. "WHERE variable_name LIKE 'HANDLER_READ%'") };
	my $rows = sub { my ($do) = @_; my $from = $read->(); $do->() for 1 .. 20; return ($read->() - $from) / 20 };
	my %alone = map { $_->[0] => $usual->($_->[1]) } @do;
	my %few = map { $_->[0] => $rows->($_->[1]) } @do;
	my @others = map { $s->user("other$_\@example.org") } 1 .. 50;
	Vitrine::Db::filled($db, sub { $items->($_, 2000) for @others });
	at_rest($db);
	figure(name => "$_->[0] beside 100,000 items of others, and alone", ours => $usual->($_->[1]),
		ceiling => $alone{$_->[0]}, unit => 'ms', note => sprintf 'rows read %.0f and %.0f', $rows->($_->[1]), $few{$_->[0]}) for @do;
}

# As a worker passes them on to the line, so that it takes no 2,000 clients: the counter's place, how often it has counted, for how long.
sub waits {
	my ($i) = @_;
	my $pair = sub { my ($k, $v) = @_; return pack('C C', length $k, length $v) . $k . $v };
	my $record = sub { my ($type, $body) = @_; return pack('C C n n C C', 1, $type, 1, length $body, 0, 0) . $body };
	my $c = IO::Socket::UNIX->new(Peer => "$s->{run}/line.sock") or die "connect: $!";
	my $params = $pair->(VITRINE_CALLER => sprintf 'told %d %d %d %d 1 0 -', 500 + $i % 500, 0, 49_000, $i)
		. $pair->(REQUEST_METHOD => 'GET') . $pair->(VITRINE_BACK => '/x');
	print $c $record->(1, pack 'n C x5', 1, 0), $record->(4, $params), $record->(4, ''), $record->(5, '');
	$c->flush;
	return $c;
}
# ms from a comment to the end of a request that waits for it.
sub told {
	my ($art) = @_;
	pipe my $in, my $out or die;
	my $pid = fork // die;
	if (!$pid) {
		$db->{InactiveDestroy} = 1;
		Vitrine::Api->new($s, unchecked => 1)->call(GET => "/v1/artifacts/$art/comments?wait=40&limit=1", { token => $ben->{token} });
		syswrite $out, sprintf '%.6f', time;
		POSIX::_exit(0);
	}
	close $out;
	sleep 0.3;
	my $at = time;
	call($ann, POST => "/v1/artifacts/$art/comments", { text => 'told' });
	sysread $in, my $heard, 40;
	waitpid $pid, 0;
	return 1000 * ($heard - $at);
}

if ($want{waits}) {
	my ($line) = grep { Vitrine::Stack::slurp("/proc/$_/comm") =~ /^vitrine-line/ } Vitrine::Bench::children($s->{pids}{worker})
		or die 'no line';
	my $mib = sub { return sum(map { Vitrine::Stack::slurp("/proc/$_/status") =~ /^RssAnon:\s+(\d+)/m ? $1 / 1024 : () } @_) };
	my $open = publish('open', visibility => 'public')->{artifact}{id};
	my $read = sub { call($ben, GET => '/v1/limits') };
	my $p95 = sub { return (sort { $a <=> $b } map { ms($read) } 1 .. 300)[284] };
	$read->() for 1 .. 20;
	my @workers = $s->workers;
	my ($before, $workers) = ($mib->($line), $mib->(@workers));
	my @waiting;
	my $begin = sub {
		@waiting = map { waits($_) } 1 .. 2000;
		sleep 1.5;
	};
	disturbed('p95 of a read beside 2,000 requests that wait, and alone', $p95, $begin, sub { @waiting = (); sleep 2 });
	$begin->();
	my $answered = grep { vec(my $r = '', fileno $_, 1) = 1; select($r, undef, undef, 0) } @waiting;
	figure(name => '2,000 requests wait: memory of the line', ours => $mib->($line) - $before, unit => 'MiB more',
		note => sprintf('%d wait; workers have %.1f MiB more', 2000 - $answered, $mib->(@workers) - $workers));
	my @told = sort { $a <=> $b } map { told($open) } 1 .. 20;
	figure(name => 'who waits beside them hears of a change, p95', ours => $told[18], unit => 'ms', note => sprintf 'median %.0f', $told[9]);
}
