# SPDX-License-Identifier: Apache-2.0
# An operator takes action against artifacts and accounts: pause, trash, purge, and what becomes of what a person leaves behind.
use Vitrine::Words;

my ($stack, $api, $db) = stack();
my ($ann, $ben, $cid) = map { $stack->user("$_\@example.org") } qw(ann ben cid);
sub ctl { return $stack->program('vitrinectl', {}, @_) }
sub site { return $api->get_site($_[0], '/')->{status} }
sub open_as { return $api->call(GET => "/v1/artifacts/$_[1]", { token => $_[0]{token} })->{status} }
my %art = map { $_ => $api->publish($ann, slug => $_, visibility => 'public', files => { 'index.html' => $_ }) } qw(one two three);
my $bens = $api->publish($ben, slug => 'bens', visibility => 'public', files => { 'index.html' => 'x' });

# ---- one artifact

is_deeply [ctl(qw(artifact list ann@example.org))],
	[0, join('', map { "$art{$_}  $_  public  ann\@example.org\n" } sort { $art{$b} cmp $art{$a} } keys %art), ''],
	'a person\'s artifacts, the newest first';
is scalar(() = (ctl(qw(artifact list)))[1] =~ /\n/g), 4, 'everybody\'s';
for ('one', $art{two}) {
	is_deeply [ctl(qw(artifact pause), $_)], [0, '', ''], "paused: $_";
}
is site($_), 403, "$_ is closed" for qw(one two);
is site('three'), 200, 'another is not';
is open_as($ann, $art{one}), 200, 'its owner has it as before';
like +(ctl(qw(artifact list ann@example.org)))[1], qr/^$art{one}  one  public  ann\@example\.org  paused$/m, 'the list tells';
is_deeply [ctl(qw(artifact resume), $_)], [0, '', ''], "resumed: $_" for 'one', $art{two};
is site($_), 200, "$_ is open" for qw(one two);
is_deeply [ctl(qw(artifact delete one))], [0, '', ''], 'deleted';
is site('one'), 404, 'it is gone';
is +(ctl(qw(artifact delete), $art{one}))[0], 1, 'but once';
is $api->call(POST => "/v1/artifacts/$art{one}/restore", { token => $ann->{token} })->{status}, 200, 'its owner can restore it';
like +(ctl(qw(artifact purge two)))[2], qr/usage: vitrinectl artifact purge ARTIFACT --yes|add --yes to confirm/, 'a purge asks';
is site('two'), 200, '... and does nothing';
is_deeply [ctl(qw(artifact purge two --yes))], [0, '', ''], 'purged';
is site('two'), 404, 'it is gone';
is open_as($ann, $art{two}), 404, 'for good';
for my $command (qw(pause resume delete)) {
	my ($status, undef, $err) = ctl('artifact', $command, 'nothing');
	is "$status $err", "1 vitrinectl: nothing: no artifact has this ID or slug\n", "$command what is not there";
}

# ---- a person

my ($status, $out) = ctl(qw(user disable ann@example.org));
is $status, 0, 'disabled';
like $out,
	qr/^2 artifacts of theirs stay open to everyone; to close one, run vitrinectl artifact list ann\@example\.org and vitrinectl artifact pause ARTIFACT$/,
	'... says what stays open';
is site('one'), 200, '... and it does';
$stack->ctl(qw(user enable ann@example.org));
is_deeply [ctl(qw(user disable cid@example.org))], [0, '', ''], 'nothing to say of who has none';
$stack->ctl(qw(user enable cid@example.org));

for ([], ['--artifacts', 'keep'], ['--artifacts', 'give=ann@example.org'], ['--artifacts', 'give=nobody@example.org']) {
	($status, undef, my $err) = ctl(qw(user delete ann@example.org), @$_);
	is $status, 1, "what becomes of the artifacts is asked: @$_";
	like $err, qr/own 2 artifacts; add --artifacts delete.*give=EMAIL|nobody\@example\.org/, '... and how to say it';
}
ctl(qw(user disable cid@example.org));
my ($refused, undef, $reason) = ctl(qw(user delete ann@example.org --artifacts give=cid@example.org));
is $refused, 1, 'nobody inherits whose account is disabled';
like $reason, qr/--artifacts: the account of cid\@example\.org is disabled/, '... and it is said';
ctl(qw(user enable cid@example.org));
is open_as($ann, $art{one}), 200, 'and nothing happened';
# Ann has something of each kind.
$api->call(PUT => "/v1/artifacts/$bens/favorite", { token => $ann->{token} });
is $api->call(POST => "/v1/artifacts/$bens/collaborators",
	{ token => $ben->{token}, json => { emails => ['ann@example.org'], role => 'editor' } })->{status}, 200, 'she edits';
is $api->call(POST => '/v1/publish', { token => $ann->{token}, headers => { 'Idempotency-Key' => 'k' },
	json => { artifact_id => $bens, name => 'Site', files => [{ path => 'index.html', content => 'by ann' }] } })->{status}, 201,
	'and publishes';
$stack->ctl_in("the password\n", qw(user password ann@example.org));
is_deeply [ctl(qw(user delete ann@example.org --artifacts give=cid@example.org))], [0, '', ''], 'given away';
is site('one'), 200, 'they are where they were';
is open_as($cid, $art{one}), 200, 'the heir has them';
like +(ctl(qw(artifact list cid@example.org)))[1], qr/^$art{one} .*\n$art{three} |^$art{three} .*\n$art{one} /, 'all';
is open_as($ann, $art{one}), 401, 'her token is none';
is +(ctl(qw(user delete ann@example.org)))[0], 1, 'and she is not there';
my @left;
for (@{$db->selectall_arrayref('SELECT TABLE_NAME, COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() '
	. 'AND CHARACTER_MAXIMUM_LENGTH > 0')}) {
	push @left, "$_->[0].$_->[1]"
		if $db->selectrow_array("SELECT COUNT(*) FROM `$_->[0]` WHERE `$_->[1]` IN (?, 'ann\@example.org')", undef, $ann->{id});
}
is join(" ", sort @left), "search_due.id version.created_by",
	'nothing names her but the versions that she made, and what the runner has yet to do';
is $api->get_site('bens', '/')->{body}, 'by ann', 'among them one of another\'s';
is $api->call(GET => "/v1/artifacts/$bens/versions", { token => $ben->{token} })->{status}, 200, '... which is listed';
my $again = $stack->ctl(qw(user add ann@example.org));
isnt $again, $ann->{id}, 'the address is free again';
is_deeply [ctl(qw(user delete ann@example.org))], [0, '', ''], 'who owns nothing is just removed';
is_deeply [ctl(qw(user delete cid@example.org --artifacts delete))], [0, '', ''], 'with the artifacts';
is site($_), 404, "$_ is gone" for qw(one three);
is site('bens'), 200, 'and no other';
$stack->runner for 1, 2;
is $db->selectrow_array('SELECT COUNT(*) FROM artifact'), 1, 'the runner takes their rows';
is $stack->ctl('fsck'), 'clean', 'fsck is clean';
is $api->publish($ben, slug => 'one', files => { 'index.html' => 'x' }) ne $art{one}, 1, 'the slugs are free';
finish($stack);
