# SPDX-License-Identifier: Apache-2.0
# How a workspace shows itself: read by its members, set by its admins, whole each time.
use utf8;
use Vitrine::Words qw(as refused);

my ($stack, $api, $db) = stack();
my ($ann, $ben, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben eve);
my $ws = as($ann, POST => '/v1/workspaces', { name => 'Team', slug => 'team' })->{json}{workspace}{id};
$stack->seat($ws, $ben, 'member');
my $path = "/v1/workspaces/$ws/branding";
my %none = (success => $true, display_name => undef, color => undef, logo_url => undef, support_email => undef, footer => undef,
	hide_vitrine => $false);

is_deeply as($ben, GET => $path)->{json}, \%none, 'a member reads what there is: nothing yet';
my %all = (display_name => 'Nörthwind & Söhne', color => '#0A5C9e', support_email => 'help@example.org', footer => '© 2026 <Northwind>');
my $r = as($ann, PUT => $path, \%all);
is $r->{status}, 200, 'an admin sets it' or diag $r->{body};
is_deeply $r->{json}, { %none, %all, color => '#0a5c9e' }, 'and it is so';
is_deeply as($ben, GET => $path)->{json}, { %none, %all, color => '#0a5c9e' }, 'for members, too';
my %read = %{as($ann, GET => $path)->{json}};
delete $read{success};
$r = as($ann, PUT => $path, \%read);
is_deeply [$r->{status}, $r->{json}{warnings}], [200, undef], 'what was read can be sent' or diag $r->{body};
is as($ann, PUT => $path, { %read, logo_url => 'https://evil.example/x.png' })->{json}{logo_url}, undef, 'the logo is not set here';
is_deeply as($ann, PUT => $path, { color => '#ffffff' })->{json}, { %none, color => '#ffffff' }, 'what is left out is as at first';
is_deeply as($ann, PUT => $path, { color => undef, display_name => undef })->{json}, \%none, 'null, too';
like as($ann, PUT => $path, { color => $_ })->{json}{error}, qr/^color: must be # and six hexadecimal digits, such as #1a2b3c$/,
	"what a color is: $_" for '', 'red', '#1a2b3c4d', '#1a2b3g';
refused(as($ann, PUT => $path, $_), '400 INVALID_REQUEST', Cpanel::JSON::XS->new->ascii->encode($_))
	for { color => 'red' }, { color => '#fff' }, { color => '#0a5c9g' }, { color => '0a5c9e0' }, { color => '#0a5c9e;' },
	{ support_email => "a\@b.org\nBcc: c" },
	{ footer => "a\nb" };
is_deeply as($ann, GET => $path)->{json}, \%none, 'none of it changed anything';
refused(as($ann, PUT => $path, { hide_vitrine => $true }), '402 TIER_REQUIRED', 'the plan lacks it');
$stack->ctl(qw(workspace feature team custom_branding on));
is as($ann, PUT => $path, { hide_vitrine => $true })->{json}{hide_vitrine}, $true, 'with the plan';
$stack->ctl(qw(workspace feature team custom_branding off));
is as($ben, GET => $path)->{json}{hide_vitrine}, $false, 'and no longer than that';
is as($ann, PUT => $path, { %read, hide_vitrine => $false })->{status}, 200, 'the rest can be set still';
refused(as($ben, PUT => $path, { color => 'red', hide_vitrine => $true }), '403 ACCESS_DENIED', 'a member may not');
refused(as(undef, GET => $path), '401 UNAUTHENTICATED', 'nobody');
my $audit = $db->selectall_arrayref("SELECT before_it, after_it FROM audit WHERE workspace_id = ? AND action = 'branding.changed' "
	. "ORDER BY id LIMIT 1", { Slice => {} }, $ws)->[0];
is +(Cpanel::JSON::XS->new->decode($audit->{before_it}))->{color}, undef, 'it is written down: before';
is +(Cpanel::JSON::XS->new->decode($audit->{after_it}))->{color}, '#0a5c9e', 'and after';
finish($stack);
