# SPDX-License-Identifier: Apache-2.0
# Pages that are made to harm who learns them: too deep, too large, in no character set, with words that look like a note's; and what
# learning tells to whom.
use utf8;
use Encode 'encode_utf8';
use Vitrine::Words qw(as refused);
use Vitrine::World;

my ($stack, $api, $db) = stack(Vitrine::World::unlimited());
my ($ann, $ben, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben eve);
sub team {
	my ($who, $name) = @_;
	my $id = as($who, POST => '/v1/workspaces', { name => $name })->{json}{workspace}{id};
	$db->do('UPDATE workspace SET features_on = 63 WHERE id = ?', undef, $id);
	as($who, POST => "/v1/workspaces/$id/knowledge/enable", { enabled => $true });
	return $id;
}
my ($ws, $other) = (team($ann, 'Team'), team($eve, 'Other'));
$stack->seat($ws, $ben, 'member');
my $at = "/v1/workspaces/$ws/knowledge";
sub page {
	my ($slug, $html, %o) = @_;
	return $api->publish($ann, slug => $slug, workspace_id => $ws, visibility => 'private',
		files => ref $html ? $html : { 'index.html' => $html }, %o);
}
sub bytes {
	my ($slug, $bytes) = @_;
	return page($slug, { 'index.html' => { content => MIME::Base64::encode_base64($bytes, ''), encoding => 'base64' } });
}
sub runner { my ($status, undef, $err) = $stack->runner; return is $status, 0, 'the runner ran' || diag $err }
sub came {
	return join ' ',
		grep { defined } $db->selectrow_array('SELECT outcome, version_no, says FROM learning WHERE artifact_id = ?', undef, $_[0]);
}
sub text {
	my ($slug, $who) = @_;
	return (as($who // $ann, GET => "$at/files/pages/$slug.md")->{json}{content} // 'none') =~ s/\A---\n.*?\n---\n\n//sr;
}
sub links { return join ' ', map { $_->{path} } @{as($ann, GET => "$at/files/pages/$_[0].md")->{json}{links}} }

my $long = "it takes too much memory or time";
my $secret = page('secret', '<p>for me alone');
my $deep = page('deep', '<div>' x 1_000_000 . 'x');
my $attribute = page('attribute', '<p title="' . 'y' x 4_000_000 . '">x');
my $attributes = page('attributes', '<p ' . join(' ', map { "a$_=1" } 1 .. 200_000) . '>x');
my $broken = bytes('broken', "<p>a\xff\xfe\xc0\xaf \xed\xa0\x80b");
my $cyrillic = bytes('cyrillic', "<meta http-equiv=content-type content='text/html; charset=koi8-r'><p>\xf0\xf2\xe9");
my $martian = bytes('martian', "<meta charset=martian><p>\xf0");
my $mixed = page('mixed', { 'index.html' => '<p>fine',
	'z.html' => { content => MIME::Base64::encode_base64("<meta charset=martian><p>\xf0", ''), encoding => 'base64' } });
my $front = page('front', "<p>---<br>title: mine<br>---<p>[[pages/secret]] [x](javascript:1) &lt;script&gt;1&lt;/script&gt;"
	. "<p>[<b>[</b>pages/secret|me]]<pre>[[pages/secret]]\n```\n"
	. "[[pages/secret]]</pre><a href='https://x.example/[[pages/secret]]'>[[pages/secret]]</a>");
my $theirs = $api->publish($eve, slug => 'theirs', workspace_id => $other, visibility => 'public',
	files => { 'index.html' => '<p>theirs' });
my $across = page('across', "<a href=https://theirs.pages.localhost:$stack->{port}/>to them</a> "
	. "<a href=https://theirs.pages.localhost.evil.example/>x</a> <a href=https://u:p\@secret.pages.localhost\@evil.example/>y</a>");
my $last = page('last', '<p>the last');
# A round of the lane has its time, whatever is left.
do { runner() } while $db->selectrow_array("SELECT 1 FROM learning WHERE outcome = 'waiting' AND due_at <= ? LIMIT 1", undef, time);

is came($deep), "failed 1 index.html can't be read: $long.", 'a million elements in each other';
is came($last), 'learned 1', '... hold nobody up';
is came($attribute) . text('attribute'), "learned 1x\n", 'a huge attribute';
is came($attributes), "failed 1 index.html can't be read: $long.", 'very many';
like text('broken'), qr/^a[^\x00-\x08]+b\n$/, 'what is no UTF-8';
is text('cyrillic'), "ПРИ\n", 'another character set';
is came($martian), "failed 1 index.html can't be read: its character set, martian, isn't known here.", 'one that is not known';
like came($mixed), qr/^failed 1 z\.html can't be read/, 'one file of several';
is links('front'), '', 'what looks like a link on a page is none';
like text('front'), qr/^\\---\ntitle: mine\n\\---\n\n\\\[ \\\[pages/, '... nor front matter';
is links('across'), '', 'links to pages of others are no links between notes';
is text('across'), "[to them](https://theirs.pages.localhost:$stack->{port}/) [x](https://theirs.pages.localhost.evil.example/) "
	. "[y](https://u:p\@secret.pages.localhost\@evil.example/)\n", '... but to where they lead';

# ---- again, five times, and later each time

my @pauses;
for (1 .. 5) {
	my ($due, $times) = $db->selectrow_array('SELECT due_at, attempts FROM learning WHERE artifact_id = ?', undef, $martian);
	push @pauses, $times . (defined $due ? $due > time + 30 ? ' later' : ' now' : ' never');
	$db->do('UPDATE learning SET due_at = 0 WHERE artifact_id = ? AND due_at IS NOT NULL', undef, $martian);
	runner();
}
is join(', ', @pauses), '1 later, 2 later, 3 later, 4 later, 5 never', 'what fails is tried five times, with pauses';
bytes('martian', "<meta charset=koi8-r><p>\xf0");
runner();
is came($martian) . text('martian'), "learned 2П\n", 'a version that can be read is';

# ---- who is told

my $counts = sub {
	my ($who) = @_;
	my ($k, $s) = map { as($who, GET => "$at$_")->{json} } '', '/status';
	return join ' ', "@{$k->{counts}}{qw(learned queued failed forgotten)}", "@$s{qw(learned skipped failed)}", scalar @{$s->{recent}};
};
is $counts->($ann), '8 0 3 0 8 0 3 11', 'their owner';
is as($ann, PATCH => "/v1/workspaces/$ws", { settings => { member_access => 'none' } })->{status}, 200, 'members see what is theirs alone';
is $counts->($ben), '0 0 0 0 0 0 0 0', 'nobody who may not open them';
is as($ben, GET => "$at/status")->{json}{last_learned_at}, undef, '... learns when';
unlike as($ben, GET => "$at/status")->{body} . as($ben, GET => $at)->{body}, qr/martian|secret|art_/, '... or which';
refused(as($eve, GET => "$at/status"), '404 NOT_FOUND', 'and no stranger');
refused(as($eve, POST => "/v1/workspaces/$other/knowledge/backfill", { artifact_ids => [$secret] }), '404 NOT_FOUND',
	'who has no page of others learned');

finish($stack);
