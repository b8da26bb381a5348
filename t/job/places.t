# SPDX-License-Identifier: Apache-2.0
# Where remarks are in later versions, and in earlier ones: what the runner finds in the files that changed, and what it leaves to browsers.
use utf8;
use Vitrine::Visitor;
use Vitrine::Words qw(as refused);

my ($stack, $api, $db) = stack(comments_per_hour => 10000, publish_per_hour => 10000);
my ($ann, $cat) = map { $stack->user("$_\@example.org") } qw(ann cat);
$stack->ctl_in("the password\n", qw(user password), 'cat@example.org');
my $png = sub { return { path => $_[0], content => $_[1], encoding => 'base64' } };
my %page = (
	'index.html' => '<nav>Start here</nav><p>Sales rose by 41 % in May.</p>'
		. '<svg><text>Total 7,100</text></svg><h2>Old plans</h2><p>Costs fell.</p>',
	'same.html' => '<p>Nothing new</p>', 'lost.html' => '<p>Bye</p>', 'many.html' => '<p>again</p>' x 50,
	'made.html' => '<p id=x></p><script>x.textContent = "made by script"</script>', 'raw.html' => '<p>raw words</p>',
	'plain.txt' => "one line\nand another\n");
sub files { my (%o) = @_; return [(map { { path => $_, content => $o{$_} } } sort grep { !/^-/ } keys %o),
	$png->('dot.png', $o{-png} // 'iVBORw0KGgo='), { path => 'sheet.pdf', content => '%PDF-1.4 ' . ($o{-pdf} // 1) }] }
sub version { my ($art, $files, %o) = @_;
	my %all = map { $_ => delete $o{$_} } grep { /^-/ } keys %o;
	my $r = as($ann, POST => '/v1/publish', { name => 'Report',
		($art ? (artifact_id => $art) : (slug => 'report', visibility => 'private')),
		files => files(%$files, %all), %o });
	is $r->{status}, 201, 'published' or diag $r->{body};
	return $art ? $r->{json}{version}{version_no} : $r->{json}{artifact}{id};
}
sub remark { my ($art, $path, %anchor) = @_;
	my $version = delete $anchor{version};
	my $quote = delete $anchor{exact};
	$anchor{quote} = { exact => $quote, map { $anchor{$_} ? ($_ => delete $anchor{$_}) : () } qw(prefix suffix) } if $quote;
	my $r = as($ann, POST => "/v1/artifacts/$art/comments", { text => 'x', path => $path, $version ? (version_no => $version) : (),
		anchor => { kind => 'text', %anchor } });
	is $r->{status}, 201, "a remark on $path" or diag $r->{body};
	return $r->{json}{comment}{id};
}
sub places { my ($art, $version) = @_;
	my $r = as($ann, GET => "/v1/artifacts/$art/comments?version=$version&limit=200");
	return { map { $_->{id} => $_->{place} && $_->{place}{status} } @{$r->{json}{comments}} };
}
sub waiting { return scalar $db->selectrow_array("SELECT COUNT(*) FROM outbox WHERE kind = 'places'") }

my $art = version(undef, \%page);
version($art, { %page, 'index.html' => 'x' }, draft => $true);
is waiting(), 0, 'without remarks a version asks for nothing';
my %id = (
	kept => remark($art, '/', exact => '41 %', prefix => 'rose by ', suffix => ' in May'),
	replaced => remark($art, '/', exact => 'Costs fell', prefix => 'Old plans', suffix => '.', version => 1),
	menu => remark($art, '/', exact => 'Start here'),
	chart => remark($art, '/', exact => 'Total 7,100'),
	same => remark($art, '/same.html', exact => 'Nothing new'),
	lost => remark($art, '/lost.html', exact => 'Bye'),
	many => remark($art, '/many.html', exact => 'again'),
	made => remark($art, '/made.html', exact => 'made by script'),
	raw => remark($art, '/raw.html', exact => 'raw words'),
	plain => remark($art, '/plain.txt', exact => 'one line and'),
	element => remark($art, '/', kind => 'element', selector => 'h2'),
	picture => remark($art, '/dot.png', kind => 'point', x => 0.5, y => 0.5),
	sheet => remark($art, '/sheet.pdf', kind => 'page', page => 1));
is places($art, 1)->{$id{kept}}, 'here', 'in its own version a remark is where it was made';
$stack->runner;
my %changed = (%page, 'index.html' => '<nav>Start here</nav><h1>New</h1><p>Sales rose by 4<b>1 %</b> in May.</p>'
	. '<h2>Old plans</h2><p>They rose.</p>'
	. '<svg><text>Total 7,100</text></svg>', 'many.html' => '<p>again</p>' x 49,
	'made.html' => $page{'made.html'} . ' ', 'plain.txt' => "A head\n$page{'plain.txt'}");
delete $changed{'lost.html'};
$changed{'raw.html'} = '<p>' . '&#0;<a><b><table>' x 3000;
my $two = version($art, \%changed, -png => 'iVBORw0KGgp4', -pdf => 2);
is places($art, $two)->{$id{lost}}, 'pending', 'a version is looked at later';
is waiting(), 1, 'once';
$stack->runner;
my $of = places($art, $two);
is $of->{$id{$_->[0]}}, $_->[1], "$_->[0]: $_->[2]" for
	[kept => 'here', 'split by an element'], [replaced => 'changed', 'something else between its neighbours'],
	[menu => 'here', 'in a menu'], [chart => 'here', 'in a drawing'], [same => 'here', 'the file is the same'],
	[lost => 'gone', 'its page is gone'], [many => 'here', 'one of many'], [made => 'unknown', 'written by a script'],
	[raw => 'gone', 'a page of odd bytes is read as a browser does'],
	[plain => 'here', 'over the end of a line of a text'], [element => 'unknown', 'without words'],
	[picture => 'changed', 'another picture'], [sheet => 'changed', 'another PDF'];
is waiting(), 0, 'no row is left';

# ---- a version that keeps the files of the one before takes its places

$db->do('UPDATE comment_place SET status = ? WHERE comment_id = ?', undef, 'gone', $id{many});
my $three = version($art, \%changed, -png => 'iVBORw0KGgp4', -pdf => 2, message => 'again');
$stack->runner;
is places($art, $three)->{$id{many}}, 'gone', 'nothing is read again';
is places($art, $three)->{$id{replaced}}, 'changed';

# ---- an earlier version

my $late = remark($art, '/', exact => 'They rose');
is as($ann, POST => "/v1/artifacts/$art/versions/1/restore")->{status}, 200, 'the first version is live again';
$stack->runner;
is places($art, 1)->{$late}, 'gone', 'a later remark is not there';
is places($art, 1)->{$id{kept}}, 'here', 'an early one is';
my $early = remark($art, '/', exact => 'Sales rose', version => 1);
$stack->runner;
is places($art, $three)->{$early}, 'here', 'a remark on an earlier version is looked for in the newest';

# ---- who reads it

is as($ann, GET => "/v1/artifacts/$art/comments")->{json}{comments}[0]{place}, undef, 'unasked nothing is told';
my ($exit, $told, $why) = $stack->client($ann->{token}, 'comments', 'list', 'report', '--version', $two);
is $exit, 0, 'the client asks' or diag $why;
like $told, qr/^$id{lost} .* not in that version  people$/m, 'the client tells it';
like $told, qr/^$id{replaced} .* its text has changed  people$/m, '... and what is only there in other words';
unlike $told, qr/^$id{same} .*version/m, '... and nothing of others';
refused(as($ann, GET => "/v1/artifacts/$art/comments?version=99"), '404 NOT_FOUND', 'a version that is not there');
as($ann, POST => "/v1/artifacts/$art/collaborators", { emails => ['cat@example.org'], role => 'viewer' });
my $visitor = Vitrine::Visitor->new($api);
$visitor->sign_in('cat@example.org', 'the password');
my $r = $visitor->go("/a/$art/review?version=$two");
like $r->{body}, qr{id="$id{lost}".*?Not in this version.*?id="}s, 'the review view says it without a script';
unlike +($r->{body} =~ m{(id="$id{same}".*?)<li }s)[0], qr/Not in this version/, '... only of those';

# ---- a thread whose first comment is deleted, and a runner that is killed

my $reply = as($ann, POST => "/v1/artifacts/$art/comments", { text => 'yes', reply_to => $id{lost} })->{json}{comment}{id};
as($ann, POST => "/v1/artifacts/$art/versions/$three/restore");
$stack->runner;
as($ann, DELETE => "/v1/artifacts/$art/comments/$id{lost}");
is places($art, $three)->{$reply}, 'pending', 'another comment leads the thread';
{
	my $other = do { local $stack->{dbh}; $stack->db };
	$other->begin_work;
	$other->selectall_arrayref('SELECT id FROM comment WHERE id = ? FOR UPDATE', undef, $reply);
	my $kid = fork // die;
	if (!$kid) {
		$_->{InactiveDestroy} = 1 for $db, $other;
		exec "$stack->{build}/vitrine-runner", '--once', '--config', "$stack->{dir}/vitrine.yaml" or POSIX::_exit(127);
	}
	my $held = "SELECT ID FROM information_schema.PROCESSLIST WHERE INFO LIKE 'INSERT IGNORE INTO comment_place%'";
	Vitrine::Stack::wait_for('the runner to wait', 60, sub { $db->selectrow_array($held) });
	kill 'KILL', $kid;
	waitpid $kid, 0;
	$db->do('KILL ' . $db->selectrow_array($held));
	$other->rollback;
}
is places($art, $three)->{$reply}, 'pending', 'a runner is killed before it has stored anything';
is waiting(), 1, 'and the version still waits';
$db->do("UPDATE outbox SET due_at = 0 WHERE kind = 'places'");
$stack->runner;
is places($art, $three)->{$reply}, 'gone', 'the next one finds the places';

# ---- one file for two thousand threads

$db->do("INSERT INTO comment (id, artifact_id, author_id, path, body, version_no, anchor, created_at)"
	. " SELECT CONCAT('cmt_9', LPAD(seq, 25, '0')), ?, ?, '/same.html', 'x', 1,"
	. " '{\"kind\":\"text\",\"quote\":{\"exact\":\"Nothing\"}}', 0 FROM seq_1_to_1900", undef, $art, $ann->{id});
my $four = version($art, { %changed, 'same.html' => '<p>Nothing old</p>' }, -png => 'iVBORw0KGgp4', -pdf => 2);
$stack->runner;
is_deeply $db->selectall_arrayref('SELECT status, COUNT(*) FROM comment_place WHERE version_no = ?'
	. " AND comment_id LIKE 'cmt_9%' GROUP BY status", undef, $four), [['here', 1900]], 'all threads of a page have their place';
$db->do('UPDATE artifact SET last_no = 40 WHERE id = ?', undef, $art);
version($art, \%changed);
$stack->runner;
is $db->selectrow_array('SELECT MIN(p.version_no) FROM comment_place p JOIN comment m ON m.id = p.comment_id WHERE m.artifact_id = ?',
	undef, $art), 41, 'places in versions long ago are removed';
finish;
