# SPDX-License-Identifier: Apache-2.0
# What one machine of a cluster publishes and closes, another one shows and closes. Roles are given by t/drive/lease.c.
use POSIX ();
use Time::HiRes qw(sleep time);
use Vitrine::Nodes;
use Vitrine::Words qw(as said);

my ($here, $there, $api, $other, $db) = nodes();

# ---- a machine that joins

my $art = publish('first', 'one');
is rows(), 1, 'a publish has a row for the other machine';
runs();
until_so('a machine that has joined projects all',
	sub { $db->selectrow_array("SELECT inner_at = 7 AND NOT under_way FROM sweep WHERE node = 'b' AND name = 'project'") });
is shown('first'), 'one', '... and serves it';
until_so('its rows are done', sub { !rows() });
my ($hex) = $db->selectrow_array('SELECT LOWER(HEX(sha256)) FROM version_file');
ok -e "$there->{dir}/data/objects/" . substr($hex, 0, 2) . "/$hex", 'it has fetched the bytes from the store';

# ---- opening and closing

my $second = publish('second', 'two');
shows('second', 'two');
publish(undef, 'three', artifact_id => $art);
shows('first', 'three');
pass 'a new page and a new version are there soon';

my $ws = as(ann => POST => '/v1/workspaces', { name => 'Team' })->{json}{workspace}{id};
$db->do('UPDATE workspace SET features_on = 63 WHERE id = ?', undef, $ws);
publish('teamed', 'team', workspace_id => $ws);
my $assets = "/v1/workspaces/$ws/assets";
my $base = "https://vitrine.localhost:$here->{port}";
my $url = as(ann => POST => "$assets/upload", { filename => 'a.png' })->{json}{uploadUrl};
my $blob = $api->call(PUT => $url =~ s/^\Q$base\E//r, { body => "\x89PNG\r\n\x1a\n" . 'x' x 99, type => 'application/octet-stream' })
	->{json}{blobId};
my $file = as(ann => POST => "$assets/deliverables", { blobId => $blob })->{json}{deliverable};
my $bundle = as(ann => POST => "$assets/collections", { name => 'K', deliverableIds => [$file->{id}] })->{json}{collection}{id};
# A reply of nginx's own, without a worker, has not all headers.
my $plain = Vitrine::Api->new($there, unchecked => 1);
sub delivered { return $plain->request(GET => 'vitrine.localhost', $_[0], {})->{status} == 200 }

# How something is closed, and opened again for the next time. Each gives true if it is still there when the reply has arrived.
my $n = 0;
my %closings = (
	private => sub { patch($art, visibility => 'private'); my $is = shown('first'); patch($art, visibility => 'public'); return $is },
	deleted => sub {
		as(ann => DELETE => "/v1/artifacts/$art");
		my $is = shown('first');
		as(ann => POST => "/v1/artifacts/$art/restore");
		return $is;
	},
	paused => sub { $here->ctl(qw(artifact pause first)); my $is = shown('first'); $here->ctl(qw(artifact resume first)); return $is },
	'under another slug' => sub { patch($art, slug => 'other'); my $is = shown('first'); patch($art, slug => 'first'); return $is },
	'a delivery' => sub {
		my $link = as(ann => POST => "$assets/collections/$bundle/share", {})->{json}{link};
		my $path = $link->{url} =~ s/^\Q$base\E//r . "/file/$blob/a.png";
		Vitrine::Stack::wait_for('a delivery there', 60, sub { delivered($path) });
		as(ann => POST => "$assets/links/$link->{id}/revoke");
		return delivered($path);
	},
	'a version' => sub {
		$n++;
		my $v = as(ann => POST => '/v1/publish', { artifact_id => $art, files => [{ path => 'index.html', content => "v$n" }] })
			->{json}{version}{version_no};
		publish(undef, 'three', artifact_id => $art);
		shows("first--v$v", "v$n");
		as(ann => PATCH => "/v1/artifacts/$art/versions/$v", { is_open => $false });
		return shown("first--v$v");
	},
	'a subdomain' => sub {
		as(ann => POST => "/v1/workspaces/$ws/subdomain", { enabled => $true });
		my ($label) = $db->selectrow_array('SELECT subdomain FROM workspace WHERE id = ?', undef, $ws);
		shows("teamed--$label", 'team');
		as(ann => POST => "/v1/workspaces/$ws/subdomain", { enabled => $false });
		return shown("teamed--$label");
	},
);
my (%late, %times);
my @kinds = sort keys %closings;
for my $i (0 .. 99) {
	my $kind = $kinds[$i % @kinds];
	shows('first', 'three');
	$times{$kind}++;
	$late{$kind}++ if $closings{$kind}->();
}
is $late{$_} // 0, 0, "$_: closed when the reply arrived, $times{$_} times" for @kinds;

for (1 .. 20) { patch($art, visibility => 'public'); patch($art, visibility => 'private') }
until_so('all is done', sub { !rows() });
is shown('first'), undef, 'what is opened and closed in quick order is closed';
patch($art, visibility => 'public');
shows('first', 'three');

# ---- a machine that doesn't answer

ends();
my $begun = time;
$db->do("UPDATE node SET beat = 2 WHERE name = 'b'");
role($here, active => 'b', 2);
my $asks = fork // die;
if (!$asks) {
	my $r = Vitrine::Api->new($here)->call(PATCH => "/v1/artifacts/$art", { token => $here->user('ann@example.org')->{token},
		json => { visibility => 'private' } });
	POSIX::_exit($r->{status} == 200 ? 0 : 1);
}
while (!waitpid $asks, POSIX::WNOHANG) { sleep 0.25; role($here, active => 'b', 2) }
is $?, 0, 'a closing is answered without it';
my $took = time - $begun;
cmp_ok $took, '>', 9.4, '... when it has been silent for so long that it hides';
$begun = time;
patch($art, visibility => 'public');
is patch($art, visibility => 'private')->{status}, 200, 'the next one';
cmp_ok time - $begun, '<', 9, '... waits no more';
is shown('first'), 'three', 'it shows the page as long as it may';

# It beats, but closes nothing.
sub beats { $db->do('UPDATE node SET beat = beat + 1 WHERE name = ?', undef, 'b');
	role($here, active => 'b', $db->selectrow_array("SELECT beat FROM node WHERE name = 'b'")) }
# Requests of several people at once: a function that returns an answer of each that has come, with its time.
sub at_once {
	my @from = map {
		my ($who, @request) = @$_;
		pipe my $from, my $to or die;
		if (!(fork // die)) {
			my $begun = time;
			my $r = Vitrine::Api->new($here, unchecked => 1)->call(@request[0, 1],
				{ token => $here->user("$who\@example.org")->{token}, %{$request[2]} });
			print $to join ' ', $r->{status}, $r->{body} =~ /"code":"(\w+)"/ ? $1 : '-', $r->{headers}{'idempotency-replayed'} // '-',
				time - $begun;
			close $to;
			POSIX::_exit(0);
		}
		close $to;
		$from;
	} @_;
	my @got;
	return sub { map { my $in = ''; vec($in, fileno $from[$_], 1) = 1;
		$got[$_] //= select($in, undef, undef, 0) ? [split ' ', readline $from[$_]] : undef } 0 .. $#from };
}
$here->user('bob@example.org');
my $carl = $here->user('carl@example.org');
my $of_bob = as(bob => POST => '/v1/publish', { name => 'B', slug => 'of-bob', visibility => 'public',
	files => [{ path => 'index.html', content => 'b' }] })->{json}{artifact}{id};
patch($art, visibility => 'public');
beats();
$here->expect_internal;
my %private = (json => { visibility => 'private' });
my $answers = at_once([ann => PATCH => "/v1/artifacts/$art", { %private }], [ann => PATCH => "/v1/artifacts/$second", { %private }],
	[bob => PATCH => "/v1/artifacts/$of_bob", { %private }]);
for (1 .. 5) { sleep 0.5; beats() }
my @came = grep { $_ } $answers->();
is join(' ', map { @$_[0, 1] } @came), '500 EFFECT_PENDING', 'of three workers two wait for it, and one says that it is not closed yet';
cmp_ok $came[0][3], '<', 9, '... before the two have waited';
$begun = time;
is $api->call(GET => '/v1/artifacts', { token => $carl->{token} })->{status}, 200, 'others are answered';
cmp_ok time - $begun, '<', 9, '... before, too';
$db->do("UPDATE node SET shows = FALSE WHERE name = 'b'");
until_so('it says that it shows nothing, and nobody waits', sub { !grep { !$_ } $answers->() });
$begun = time;
patch($art, visibility => 'public');
is patch($art, visibility => 'private')->{status}, 200, '... a closing, too';
cmp_ok time - $begun, '<', 9, '... without a wait';
my $link = as(ann => POST => "$assets/collections/$bundle/share", {})->{json}{link}{id};
$db->do("UPDATE node SET shows = TRUE WHERE name = 'b'");

# What repeats a request waits as that one does.
beats();
my @revoke = (ann => POST => "$assets/links/$link/revoke", { json => {}, headers => { 'Idempotency-Key' => 'once' } });
my $first = at_once(\@revoke);
sleep 0.5;
my $again = at_once(\@revoke);
for (1 .. 3) { sleep 0.5; beats() }
is scalar(grep { $_ } $first->(), $again->()), 0, 'a closing waits, and so does one that repeats it';
runs();
my @two;
until_so('both are answered', sub { $two[0] //= ($first->())[0]; $two[1] //= ($again->())[0]; $two[0] && $two[1] });
is join(' ', map { @$_[0, 2] } @two), '200 - 200 true', '... and the other one says that it repeats';
until_so('it comes back, and', sub { !rows() });
is shown('first'), undef, '... has closed it';
is fsck(), "clean\n", '... and all is whole';

# ---- away for long

ends();
publish($_, $_) for qw(late unseen);
patch($art, visibility => 'public');
$db->do('UPDATE node_outbox SET at = at - 3700');
my ($status, undef, $err) = $here->runner;
is $status, 0, 'rounds' or diag $err;
is_deeply $db->selectcol_arrayref("SELECT DISTINCT kind FROM node_outbox WHERE node = 'b'"), ['all'], 'rows of an hour ago become one';
symlink '../trees/art_nothing', "$there->{dir}/data/sites/stray" or die;
runs();
until_so('all is projected anew',
	sub { !rows() && $db->selectrow_array("SELECT NOT under_way FROM sweep WHERE node = 'b' AND name = 'project'") });
is shown('late'), 'late', '... what was missed';
ok !-l "$there->{dir}/data/sites/stray", '... and nothing else';
is fsck(), "clean\n", '... and all is whole';
ends();

# ---- views

my $log = "$there->{dir}/views";
my $want = 0;
sub viewed { open my $f, '>>', $log or die; printf $f "%.3f unseen v p h\n", time for 1 .. $_[0]; close $f; $want += $_[0] }
sub counted { return $db->selectrow_array('SELECT COALESCE(SUM(d.views), 0) FROM view_day d JOIN artifact a ON a.id = d.artifact_id '
	. "WHERE a.slug = 'unseen'") }
for my $round (1 .. 8) {
	viewed(100);
	runs('rounds');
	sleep 0.2 + rand 0.6;
	my %lanes = $there->lanes;
	kill KILL => values %lanes if %lanes;
	ends();
}
runs('rounds');
until_so('views are left to the active machine',
	sub { ($db->selectrow_array("SELECT counted FROM view_log WHERE file LIKE 'b/%'") // 0) >= -s $log });
ends();
is counted(), 0, '... which hasn\'t counted them';
is +($here->runner)[0], 0;
is counted(), $want, '... and counts each once';
is $db->selectrow_array('SELECT COUNT(*) FROM node_views'), 0, '... and keeps nothing';
is_deeply $db->selectcol_arrayref("SELECT DISTINCT node FROM heartbeat WHERE name <> 'latest' ORDER BY 1"), ['a', 'b'],
	'each machine has its heartbeats';
finish($there, $here);
