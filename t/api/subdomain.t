# SPDX-License-Identifier: Apache-2.0
# A workspace's host: its front page, the second addresses of its artifacts, and what becomes of them when it is renamed, off, or no longer
# paid for.
use utf8;
use Fcntl ':flock';
use MIME::Base64;
use Vitrine::Browser;
use Vitrine::Visitor;
use Vitrine::Words qw(as refused);

my ($stack, $api, $db) = stack(publish_per_hour => 100000, grace_s => 0);
my ($ann, $ben, $cat, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben cat eve);
my $port = $stack->{port};
my $sites = "$stack->{dir}/data/sites";
sub host { return "https://$_[0].pages.localhost:$port" }
sub site { return $api->get_site(@_) }
# What a host answers: its page, or where it leads.
sub says { my $r = site(@_); return "$r->{status} " . ($r->{headers}{location} // $r->{body}) }
sub url { return as($ann, GET => "/v1/artifacts/$_[0]")->{json}{artifact}{url} }
sub fsck { my ($status, $out, $err) = $stack->program('vitrinectl', {}, 'fsck'); chomp $out; return $err . $out }
my $ws = as($ann, POST => '/v1/workspaces', { name => 'Northwind <Studio>', slug => 'team' })->{json}{workspace}{id};
$stack->seat($ws, @$_) for [$ben, 'member'], [$cat, 'admin'];
my $path = "/v1/workspaces/$ws/subdomain";
sub turn { return as($ann, POST => $path, { enabled => $_[0] ? $true : $false }) }
sub published {
	my ($who, $slug, %o) = @_;
	return $api->publish($who, slug => $slug, name => "The $slug", visibility => 'public',
		files => { 'index.html' => "page $slug", 'app.js' => "// $slug" }, workspace_id => $ws, %o);
}

# ---- who may, and with which plan

refused(as($ann, $_->[0] => $path, $_->[1]), '402 TIER_REQUIRED', "the plan lacks it: $_->[0]")
	for ['GET'], [POST => { enabled => $true }], ['DELETE'];
$stack->ctl(qw(workspace plan team team));
refused(as($ben, $_->[0] => $path, $_->[1]), '403 ACCESS_DENIED', "a member: $_->[0]")
	for ['GET'], [POST => { enabled => $true }], ['DELETE'];
my %it = (success => $true, enabled => $false, slug => 'team', host => 'team.pages.localhost', url => host('team') . '/');
is_deeply as($cat, GET => $path)->{json}, \%it, 'an admin sees that it is off';

# ---- on

my $before = published($ann, 'early');
my $private = published($ann, 'hush', visibility => 'private');
my $unlisted = published($ben, 'quiet', visibility => 'unlisted');
my $label = $api->publish($eve, slug => 'team', visibility => 'public', files => { 'index.html' => 'eve was first' });
is url($before), host('early') . '/', 'an artifact\'s address before';
refused(turn(1), '409 SLUG_TAKEN', 'the label is somebody\'s address');
is says('team', '/'), '200 eve was first', 'which stays so';
as($eve, PATCH => "/v1/artifacts/$label", { slug => 'eves' });
refused(turn(1), '409 SLUG_TAKEN', 'a slug that was given up is kept for who had it');
$db->do("DELETE FROM slug WHERE slug = 'team'");
my $r = turn(1);
is $r->{status}, 200, 'on' or diag $r->{body};
is_deeply $r->{json}, { %it, enabled => $true }, 'and says so';
is_deeply as($cat, POST => $path, { enabled => $true })->{json}, { %it, enabled => $true }, 'twice is once';
refused($api->call(POST => '/v1/publish',
		{ token => $eve->{token}, json => { name => 'X', slug => 'team', files => [{ path => 'index.html', content => 'x' }] } }),
	'409 SLUG_TAKEN', 'nobody publishes under its label');
refused(as($eve, PATCH => "/v1/artifacts/$label", { slug => 'team' }), '409 SLUG_TAKEN', 'nor renames to it');

is url($before), host('early--team') . '/', 'what there was has an address with it';
is says('early--team', '/'), '200 page early', 'which is served';
is says('early', '/'), '200 page early', 'as the one that it had is';
ok -l "$sites/early--team", 'by nginx alone';
is site('early--team', '/app.js')->{headers}{'content-type'}, 'text/javascript; charset=utf-8', 'with all its files';
as($ann, PATCH => "/v1/artifacts/$before", { visibility => 'unlisted' });
is site('early--team', '/app.js')->{headers}{'x-robots-tag'}, 'noindex', 'unlisted, search engines are asked not to list it';
ok -l "$sites/early--team.unlisted" && !-l "$sites/early--team", '... by nginx alone';
as($ann, PATCH => "/v1/artifacts/$before", { visibility => 'public' });
is site('early--team', '/app.js')->{headers}{'x-robots-tag'}, undef, 'public, not';
$r = as($ann, POST => '/v1/publish', { name => 'New', slug => 'new', workspace_id => $ws, visibility => 'public',
	files => [{ path => 'index.html', content => 'page new' }] });
is $r->{json}{deployment}{url}, host('new--team') . '/', 'what is published now is told its address';
is $r->{json}{deployment}{version_url}, host('new--v1') . '/', 'versions have theirs as ever';
my $new = $r->{json}{artifact}{id};
is says('new--team', '/'), '200 page new', 'and is there at once';
is says('new--v1', '/'), '200 page new', 'a version\'s own address is not taken for another workspace\'s';
my $long = published($ann, 'l' x 60);
is url($long), host('l' x 60) . '/', 'a slug too long for both has its own address';
is says('l' x 60, '/'), "200 page @{['l' x 60]}", 'and is served there';
is url($label = as($eve, GET => '/v1/artifacts?slug=eves')->{json}{artifacts}[0]{id}), host('eves') . '/', 'others\' have no other';
is +(grep { $_->{id} eq $before } @{as($ann, GET => "/v1/artifacts?workspace_id=$ws")->{json}{artifacts}})[0]{url},
	host('early--team') . '/', 'lists tell it, too';


# ---- off and on again while its pages can't be placed: each change has a row of its own to say so

{
	open my $placing, '+>>', "$stack->{dir}/data/trees/$before/.lock" or die;
	flock $placing, LOCK_EX or die;
	my $rows = sub {
		return $db->selectrow_array("SELECT COUNT(*) FROM outbox WHERE kind = 'project' AND subject = ?", undef, $before);
	};
	Vitrine::Stack::wait_for('what was done before to be forgotten', 60, sub { $rows->() == 0 });
	my @pids;
	for my $on ($false, $true) {
		push @pids, fork // die;
		if (!$pids[-1]) {
			POSIX::_exit(Vitrine::Api->new($stack)->call(POST => $path,
				{ token => $ann->{token}, json => { enabled => $on } })->{status} != 200);
		}
		Vitrine::Stack::wait_for('the change to be committed', 60, sub { $rows->() == @pids });
	}
	is $rows->(), 2, 'two changes of the same page wait, by two rows';
	flock $placing, LOCK_UN or die;
	is_deeply [map { waitpid $_, 0; $? } @pids], [0, 0], 'both are done';
	is says('early--team', '/'), '200 page early', 'and what is seen is what was said last';
}

# ---- whose pages

is site('eves--team', '/')->{status}, 404, 'another\'s page has no host there';
is site('absent--team', '/')->{status}, 404, 'nor has nothing';
sub wall { my $r = site(@_); return "$r->{status} " . $r->{body} =~ s/hush|absent/SLUG/gr }
is wall('hush--team', '/'), wall('absent--team', '/'), 'a private page and none are told alike';
is site('early--other', '/')->{status}, 404, 'a page of the workspace has no host of another';
is site('early--team', '/', 'Accept' => 'text/html')->{headers}{'set-cookie'}, undef, 'no cookie';
$stack->ctl_in("the password\n", qw(user password ann@example.org));
my $v = Vitrine::Visitor->new($api);
$v->sign_in('ann@example.org', 'the password');
my ($to) = site('hush--team', '/app.js')->{body} =~ /href="([^"]*\/auth\/view\?to=[^"]*)"/;
is $v->go(Vitrine::Visitor::unescape_html($to))->{body}, '// hush', 'who is signed in is let in to a private page, where they asked for it';
is $v->{page}{host}, 'hush--team.pages.localhost', 'on that host';
is $v->{page}{headers}{'cache-control'}, 'private, no-store', 'and no cache keeps it';
is $v->go(host('hush--team') . '/')->{body}, 'page hush', 'with a cookie of its own';
is $v->go(host('hush') . '/')->{status}, 404, 'which no other host has';

# ---- a page's own data

as($ann, PUT => "/v1/data/$before/json", { hello => 'there' });
$api->call(PUT => "/v1/data/$before/blobs?filename=a.txt", { token => $ann->{token}, body => 'a' });
like site('early--team', '/v1/data/self/json')->{body}, qr/"hello":\s*"there"/, 'a page reads its data there';
is site('early--team', '/v1/data/self/json')->{body}, site('early', '/v1/data/self/json')->{body}, 'as on its own host';
like site('early--team', '/v1/data/self/blobs')->{body}, qr{"url":"\Q@{[host('early--team')]}\E/v1/data/$before/blobs/},
	'files lie on the host that was asked';
is site('early--team', '/_vitrine/vitrine.js')->{status}, 200, 'the script, too';
is site("eves--team", '/v1/data/self/json')->{status}, 404, 'not where the page is not';
is site('team', '/v1/data/self/json')->{status}, 404, 'nor on the front page\'s';

# ---- the front page

$r = site('team', '/');
is "$r->{status} $r->{headers}{'content-type'}", '200 text/html; charset=utf-8', 'there is a front page';
like $r->{body}, qr/<title>Northwind &lt;Studio&gt;<\/title>/, 'of its name';
is join(' ', $r->{body} =~ /<h2><a href="([^"]+)">/g), join(' ', map { host($_) . '/' } 'l' x 60, 'new--team', 'early--team'),
	'with what is public, the newest first';
unlike $r->{body}, qr/hush|quiet|eves/, 'and nothing else';
like $r->{body}, qr/Published with Vitrine/, 'and who serves it';
as($ann, PUT => "/v1/workspaces/$ws/branding",
	{ display_name => 'Nord', color => '#0a5c9e', footer => 'All <ours>', support_email => 'help@example.org', hide_vitrine => $true });
$r = site('team', '/');
like $r->{body}, qr/<title>Nord<.*fill="#0a5c9e".*<h1>Nord<.*All &lt;ours&gt;.*mailto:help\@example\.org/s, 'shown as its branding says';
unlike $r->{body}, qr/Published with/, 'without us';
is site('team', '/', 'Cookie' => 'x=1')->{headers}{'content-security-policy'}, $r->{headers}{'content-security-policy'},
	'with the policy of our pages';
like $r->{headers}{'content-security-policy'}, qr/script-src 'self'/, 'which runs nothing of others';
is says('team', '/early/x/y.js?q=1&r=%2f'), '302 ' . host('early--team') . '/x/y.js?q=1&r=%2f', 'a page below it is led to';
is says('team', '/early'), '302 ' . host('early--team') . '/', 'with or without a slash';
is says('team', $_), '302 ' . host(substr($_, 1) . '--team') . '/', "what may be there or not: $_" for '/hush', '/absent';
is site('team', $_)->{status}, 404, "nothing: $_" for '/favicon.ico', '/A%20b/', '/_vitrine/x', '/a--b/', '/%2f%2fevil.example/';
is $api->site(POST => 'team', '/')->{status}, 405, 'it is to be looked at';
is site('other', '/')->{status}, 404, 'another slug has none';
$db->do("INSERT INTO artifact (id, owner_id, workspace_id, name, slug, visibility, live_no, last_no, created_at, updated_at) "
	. "SELECT CONCAT('art_0', LPAD(seq, 25, '0')), ?, ?, CONCAT('n', seq), CONCAT('n', seq), 'public', 1, 1, 0, 0 FROM seq_1_to_150",
	undef, $ann->{id}, $ws);
$api->call(POST => "/v1/workspaces/$ws/logo", { token => $ann->{token},
	body => decode_base64('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==') });
as($ann, PATCH => "/v1/artifacts/$long", { name => 'Quarterly report',
	social_description => 'How the first quarter went, in numbers and in words, with what we make of it and what comes next.' });
my $b = Vitrine::Browser->new($stack)->go(host('team') . '/');
is join('; ', $b->looks('front')), '', 'it has no barrier, wide and narrow, by day and by night';
is join('; ', grep { !/favicon/ } $b->complaints), '', 'and the browser no complaint';
is $b->script('return document.querySelector("header img").naturalWidth'), 1, 'it shows the logo';
my ($older) = site('team', '/')->{body} =~ /href="(\/\?before=art_\w+)"/;
is scalar(() = site('team', $older)->{body} =~ /<h2>/g), 53, 'many are told in parts';
unlike site('team', $older)->{body}, qr/before=/, 'until the last';
is scalar(() = site('team', '/?before=x')->{body} =~ /<h2>/g), 100, 'what is no place is the start';
$db->do("DELETE FROM artifact WHERE name RLIKE '^n[0-9]+\$'");

# ---- changes of an artifact

as($ann, PATCH => "/v1/artifacts/$new", { slug => 'newer' });
is says('newer--team', '/'), '200 page new', 'renamed: the new address';
is says('new--team', '/a?b=1'), '308 ' . host('newer--team') . '/a?b=1', 'the old one leads there';
ok !-l "$sites/new--team", 'and its link is gone';
as($ann, PATCH => "/v1/artifacts/$new", { visibility => 'private' });
ok !-l "$sites/newer--team" && !-l "$sites/newer", 'private: neither link is there';
is site('newer--team', '/')->{status}, 404, 'nor the page';
as($ann, PATCH => "/v1/artifacts/$new", { visibility => 'unlisted' });
is says('newer--team', '/'), '200 page new', 'open again';
$stack->ctl('artifact', 'pause', 'newer');
is site('newer--team', '/')->{status}, 403, 'paused there, too';
$stack->ctl('artifact', 'resume', 'newer');
as($ann, DELETE => "/v1/artifacts/$new");
is site('newer--team', '/')->{status}, 404, 'in the trash';
as($ann, POST => "/v1/artifacts/$new/restore");
is says('newer--team', '/'), '200 page new', 'and back';

my $opened = published($ann, 'opened', visibility => 'private');
is site('opened--team', '/')->{status}, 404, 'a private one';
published($ann, 'opened', artifact_id => $opened);
is says('opened--team', '/'), '200 page opened', 'opened by a new version';
as($ann, DELETE => $path);
ok !-l "$sites/opened--team", 'its link goes with the subdomain';
turn(1);
published($ann, 'opened', artifact_id => $opened, visibility => 'private');
ok !-l "$sites/opened--team", 'and with a version that closes it';

# ---- what is on disk

Vitrine::Stack::wait_for('the outbox', 60, sub { $stack->runner; !$db->selectrow_array('SELECT COUNT(*) FROM outbox') });
is fsck(), 'clean', 'fsck knows the links';
unlink "$sites/early--team";
like fsck(), qr{sites/early--team.* is not open but should be}, 'and misses one';
$stack->program('vitrinectl', {}, 'reproject');
is says('early--team', '/'), '200 page early', 'reproject mends it';
symlink "../trees/$private", "$sites/hush--team" or die;
like fsck(), qr{sites/hush--team.* is OPEN}, 'one that should not be';
$stack->program('vitrinectl', {}, 'reproject');
ok !-l "$sites/hush--team", 'is taken away';
is fsck(), 'clean', 'then all is well';
site('early--team', '/') for 1 .. 3;
Vitrine::Stack::wait_for('views', 60,
	sub { $stack->runner; ($db->selectrow_array('SELECT SUM(views) FROM view_day WHERE artifact_id = ?', undef, $before) // 0) > 3 });
pass('views there count');

# ---- the workspace is renamed

refused(as($ann, PATCH => "/v1/workspaces/$ws", { slug => 'eves' }), '409 SLUG_TAKEN', 'not to what is an address');
is as($ann, GET => "/v1/workspaces/$ws")->{json}{workspace}{slug}, 'team', 'then nothing is changed';
is says('early--team', '/'), '200 page early', 'nor moved';
is as($ann, PATCH => "/v1/workspaces/$ws", { slug => 'vteam' })->{status}, 200, 'renamed';
is says('early--vteam', '/'), '200 page early', 'its pages are there';
is url($before), host('early--vteam') . '/', 'as they say';
is says('early--team', '/x?y=1'), '308 ' . host('early') . '/x?y=1', 'the old hosts lead to the plain ones';
is says('early', '/'), '200 page early', 'which have been there all the time';
is site('vteam', '/')->{status}, 200, 'the front page is there';
is site('team', '/')->{status}, 404, 'and no longer where it was';
is wall('hush--team', '/'), wall('absent--team', '/'), 'an old host tells nothing of private pages';
is $v->go('/auth/view?to=' . Vitrine::Visitor::escape(host('hush--vteam') . '/'))->{body}, 'page hush',
	'who is signed in is let in, whatever the label begins with';
ok !-l "$sites/early--team", 'the old link is gone';
$db->do("UPDATE slug SET released_at = released_at - 31 * 86400 WHERE slug = 'team'");
is site('early--team', '/')->{status}, 404, 'after thirty days they lead nowhere';
is as($ann, PATCH => "/v1/workspaces/$ws", { slug => 'team' })->{status}, 200, 'back';
is says('early--team', '/'), '200 page early', 'at the old address';

# ---- off

is_deeply as($cat, DELETE => $path)->{json}, \%it, 'off';
is as($cat, DELETE => $path)->{status}, 200, 'twice is once';
is url($before), host('early') . '/', 'addresses are the plain ones';
is says('early--team', '/x?y=1'), '308 ' . host('early') . '/x?y=1', 'where the others lead';
is site('team', '/')->{status}, 404, 'there is no front page';
is turn(1)->{status}, 200, 'on again';
is says('early--team', '/'), '200 page early', 'as before';
$stack->runner;
is says('early--team', '/'), '200 page early', 'the runner leaves it to who pays';
$stack->ctl(qw(workspace plan team free));
$stack->runner;
is says('early--team', '/'), '308 ' . host('early') . '/', 'and takes it from who does not';
is url($before), host('early') . '/', 'as the address says';
refused(turn(1), '402 TIER_REQUIRED', 'until there is a plan');
$stack->ctl(qw(workspace plan team team --until), '2099-01-01');
turn(1);
$stack->runner;
is_deeply $db->selectrow_arrayref('SELECT plan_due = plan_until, subdomain FROM workspace WHERE id = ?', undef, $ws), [1, 'team'],
	'the runner looks again when the plan ends';
$db->do('UPDATE workspace SET plan_until = 1, plan_due = 1 WHERE id = ?', undef, $ws);
$stack->runner;
is_deeply $db->selectrow_arrayref('SELECT plan_due, subdomain FROM workspace WHERE id = ?', undef, $ws), [undef, undef],
	'... and takes it then';
$stack->ctl(qw(workspace plan team team));
turn(1);
$db->do("UPDATE workspace SET plan_id = 'free', plan_due = NULL WHERE id = ?", undef, $ws);
$db->do("DELETE FROM sweep WHERE name = 'subdomains'");
$stack->runner;
is $db->selectrow_array('SELECT subdomain FROM workspace WHERE id = ?', undef, $ws),
	undef, 'what it misses so, such as other plans in the file, it finds in a day';
is join(' ', map { "$_->[0]:" . (defined $_->[1] ? 1 : 0) } @{$db->selectall_arrayref(
	"SELECT action, actor_id FROM audit WHERE workspace_id = ? AND action LIKE 'subdomain.%' ORDER BY id", undef, $ws)}),
	join(' ', ('subdomain.on:1 subdomain.off:1') x 3, ('subdomain.on:1 subdomain.off:0') x 3), 'all of it is written down';
$stack->ctl(qw(workspace plan team team));
turn(1);

# ---- the trash

as($ann, DELETE => "/v1/workspaces/$ws");
is site($_, '/')->{status}, 404, "in the trash: $_" for 'early', 'early--team', 'team';
as($ann, POST => "/v1/workspaces/$ws/restore");
is says('early', '/'), '200 page early', 'back at the plain address';
is as($ann, GET => $path)->{json}{enabled}, $false, 'the host is to be turned on anew';
is says('early--team', '/'), '308 ' . host('early') . '/', 'and leads on meanwhile';
Vitrine::Stack::wait_for('the outbox', 60, sub { $stack->runner; !$db->selectrow_array('SELECT COUNT(*) FROM outbox') });
is fsck(), 'clean', 'with no link left';
is $db->selectrow_array('SELECT COUNT(*) FROM site_link'), 0, 'nor noted';

# ---- at once

for my $round (1 .. 5) {
	as($ann, PATCH => "/v1/workspaces/$ws", { slug => "race-$round" });
	my @got = Vitrine::Api::together($stack, 6, sub {
		my ($api, $i) = @_;
		my $r = $i % 2 ? $api->call(POST => $path, { token => $ann->{token}, json => { enabled => $true } })
			: $api->call(POST => '/v1/publish', { token => $eve->{token}, json => { name => 'R', slug => "race-$round",
				visibility => 'public', files => [{ path => 'index.html', content => 'x' }] } });
		return ($i % 2 ? 'on' : 'publish') . " $r->{status}";
	});
	my %won = map { $_ => 1 } grep { /20[01]$/ } @got;
	is scalar(keys %won), 1, "one of both has the label (" . join(', ', sort keys %won) . ')' or diag "@got";
	as($ann, DELETE => $path);
}
finish($stack);
