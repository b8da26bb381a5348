# SPDX-License-Identifier: Apache-2.0
# The Settings tab pins a version and lets old ones go, after it has said how many; the Versions tab deletes one; admins set it for a
# workspace.
use Vitrine::Browser;
use Vitrine::Visitor;
use Vitrine::Words qw(as said refused);

my ($stack, $api, $db) = stack();
my $ann = $stack->user('ann@example.org');
$stack->ctl_in("the password\n", qw(user password), $ann->{email});
my $v = Vitrine::Visitor->new($api);
$v->sign_in($ann->{email}, 'the password');
my $ws = as($ann, POST => '/v1/workspaces', { name => 'Team', slug => 'team' })->{json}{workspace}{id};
my $art = $api->publish($ann, slug => 'site', workspace_id => $ws, files => { 'index.html' => '1' });
as($ann, POST => '/v1/publish', { artifact_id => $art, files => [{ path => 'index.html', content => "v$_" }] }) for 2 .. 5;
$db->do('UPDATE version SET created_at = created_at - 864000');

my $page = $v->go("/a/$art/settings");
like $page->{text}, qr{<h2>Pin</h2>}, 'the Settings tab has Pin';
like $page->{text}, qr{<h2>Old versions</h2>}, '... and Old versions';
unlike $page->{text}, qr{action="/a/$art/old-versions"}, '... without a button that removes';
$page = $v->go("/a/$art/settings?keep=2&days=");
like $page->{text}, qr{3 versions go\s+now, for good}, 'it says how many go, before the button';
$page = $v->submit(qr{/old-versions$}, {});
like $page->{text}, qr/Saved\. Old versions go once a day/, 'saved';
is as($ann, GET => "/v1/artifacts/$art/retention")->{json}{keep}, 2, '... as it was seen';
$page = $v->submit(qr{/pin$}, { pinned_version => 3 });
like $page->{text}, qr/Version 3 stays live/, 'a version is pinned';
is as($ann, GET => "/v1/artifacts/$art")->{json}{artifact}{version_no}, 3, '... and live';
like $v->go("/a/$art/versions")->{text}, qr/Pinned/, 'the Versions tab says so';
$page = $v->go("/a/$art/settings");
$page = $v->submit(qr{/pin$}, {});
unlike $page->{text}, qr/stays live\. What you/, 'it is unpinned';
is as($ann, GET => "/v1/artifacts/$art")->{json}{artifact}{pinned_version}, undef, '... in the API, too';
$page = $v->go("/a/$art/versions/2/remove");
like $page->{text}, qr/Delete version 2\?/, 'deleting a version asks first';
$page = $v->submit(qr{/versions/2/remove$}, {});
like $page->{text}, qr/That version is removed/, '... and does it';
refused(as($ann, GET => "/v1/artifacts/$art/versions/2"), '404 NOT_FOUND', 'it is gone');
$page = $v->go("/a/$art/settings");
$page = $v->submit(qr{/old-versions/inherit$}, {});
is as($ann, GET => "/v1/artifacts/$art/retention")->{json}{from}, 'none', 'its own numbers end';
$page = $v->go("/w/$ws/policies");
like $page->{text}, qr{<h2>Old versions</h2>}, 'the workspace’s policies have it';
$page = $v->submit(qr{/policies/old-versions$}, { keep => 4, days => 30 });
is_deeply [@{as($ann, GET => "/v1/workspaces/$ws/retention")->{json}}{qw(keep days)}], [4, 30], 'an admin sets it there';
# ---- looked at

as($ann, PATCH => "/v1/artifacts/$art", { pinned_version => 4 });
for my $kind ([width => 1280, height => 900], [width => 390, height => 844, dark => 1]) {
	my $b = Vitrine::Browser->new($stack, @$kind);
	$b->sign_in('ann@example.org', 'the password');
	for my $at ("/a/$art/settings", "/a/$art/settings?keep=1", "/a/$art/versions", "/w/$ws/policies") {
		$b->go("https://vitrine.localhost:$stack->{port}$at");
		is join('; ', $b->looks('retention' . $at =~ s/\W+/-/gr)), '', "$at has no barrier";
	}
}
finish($stack);
