# SPDX-License-Identifier: Apache-2.0
# A form that is refused is shown again: with what was typed, but no secret; with the reason beside the field that it names, else on top;
# and with the status of the refusal. So it is for every form that there is, since its row names its page.
use utf8;
use Vitrine::Visitor;
use Vitrine::Words;

my @unlimited = map { ($_ => 100000) } qw(publish_per_hour signin_failures_per_hour signin_failures_per_account device_guesses_per_hour
	access_requests_per_hour);
my ($stack, $api) = stack(@unlimited);
my ($ann, $ben) = map { $stack->user("$_\@example.org") } qw(ann ben);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for qw(ann ben);
$stack->ctl(qw(user staff ann@example.org staff));
my $art = $api->publish($ann, slug => 'mine', name => 'Mine', files => { 'index.html' => 'x' });
$api->publish($ben, slug => 'taken', files => { 'index.html' => 'x' });
$api->call(POST => "/v1/artifacts/$art/collaborators",
	{ token => $ann->{token}, json => { emails => ['ben@example.org'], role => 'editor' } });
my ($a, $b) = map { my $v = Vitrine::Visitor->new($api); $v->sign_in("$_\@example.org", 'the password'); $v } qw(ann ben);
my $form = { 'Content-Type' => 'application/x-www-form-urlencoded' };

sub post {
	my ($v, $path, %f) = @_;
	return $v->send(POST => $path, body => join('&',
		map { Vitrine::Visitor::escape($_) . '=' . Vitrine::Visitor::escape($f{$_}) } sort keys %f), headers => $form);
}
# The tag of a field of the form that is sent to $action.
sub tag {
	my ($v, $action, $name) = @_;
	my ($body) = $v->{page}{text} =~ m{<form[^>]*action="\Q$action\E"[^>]*>(.*?)</form>}s or return '';
	return $body =~ /(<(?:input|select|textarea)[^>]*\bname="$name"[^>]*>)/ ? $1 : '';
}
# What stands beside the one field that is marked: the text that the field itself leads to.
sub beside {
	my ($v, $action, $name) = @_;
	my @marked = $v->{page}{text} =~ /aria-invalid/g;
	my $tag = tag($v, $action, $name);
	my ($id) = $tag =~ /aria-invalid="true"/ && $tag =~ /aria-describedby="(\S+?)[ "]/ or return 'not marked';
	return @marked . ' ' . Vitrine::Visitor::unescape_html(
		($v->{page}{text} =~ m{<span class="error" id="\Q$id\E"><svg.*?</svg>(.*?)</span>})[0] // 'no text');
}
sub on_top {
	return Vitrine::Visitor::unescape_html(
		($_[0]{page}{text} =~ m{<p class="notice bad" role="alert"><svg.*?</svg><span>(.*?)</span>}s)[0] // '');
}

# ---- every form has its page

my @rows = map { decode_json($_) } split /\n/, `$ENV{VITRINE_BUILD}/vitrine-worker --routes`;
my @forms = grep { $_->{page} && $_->{body} =~ /^(?:form|files)$/ } @rows;
ok @forms > 25, 'there are forms';
is join(' ', map { $_->{path} } grep { !$_->{again} } @forms), '', 'each names the page that is shown again (.again)';
my %page = map { $_->{again} => 1 } @forms;
is join(' ', grep { my $p = $_; !grep { $_->{method} eq 'GET' && $_->{path} eq $p } @rows } sort keys %page), '', 'a page that there is';

# ---- settings: text, an address, several lines

my $settings = "/a/$art/settings";
my %typed = (name => 'A "new" <name> & more', slug => 'Not A Slug', social_title => 'T',
	social_description => "Two\nlines </textarea><script>");
my $r = post($a, $settings, %typed);
is $r->{status}, 400, 'a wrong address is refused';
like $r->{text}, qr{<h1>Mine</h1>.*<h2>Name and address</h2>}s, '... on the page of its form';
is beside($a, $settings, 'slug'), '1 Must be 1 to 63 characters: a-z, 0-9, and single hyphens between them.',
	'... and why stands beside the field';
like tag($a, $settings, 'slug'), qr/aria-describedby="slug-error slug-hint".* autofocus/,
	'... which leads to it and to its hint, and has the focus';
is on_top($a), '', '... and not twice';
is +($a->forms)[0]{action} && { map { %{$_->{fields}} } grep { $_->{action} eq $settings } $a->forms }->{$_}, $typed{$_},
	"... $_ is as it was typed" for qw(name slug social_title);
like $r->{text}, qr{<textarea[^>]*>Two\nlines &lt;/textarea&gt;&lt;script&gt;</textarea>}, '... text of several lines, too, escaped';
is $api->call(GET => "/v1/artifacts/$art", { token => $ann->{token} })->{json}{artifact}{name}, 'Mine', '... and nothing has changed';
post($a, $settings, %typed, slug => 'taken');
is $a->{page}{status}, 409, 'an address of somebody else';
like beside($a, $settings, 'slug'), qr/^1 The address .*taken.* is taken; choose another/, '... is refused by the domain in the same way';
post($a, $settings, %typed, slug => 'mine', name => '');
is beside($a, $settings, 'name'), '1 Must not be empty.', 'an empty name';
post($a, $settings, name => 'a', slug => 'mine', social_description => 'x' x 1001);
is beside($a, $settings, 'social_description'), '1 Has 1001 characters; the maximum is 1000.', 'text of several lines has it behind itself';
like $a->{page}{text}, qr{x</textarea><span class="error"}, '... where it ends';
post($a, "/a/$art/transfer", email => 'nobody@example.org');
is beside($a, "/a/$art/transfer", 'email'), "1 nobody\@example.org can't become the owner; the new owner needs an active account and must "
	. "be in the artifact's workspace, if it has one.", 'of two forms on a page the one that was sent';
is +{ map { %{$_->{fields}} } grep { $_->{action} eq $settings } $a->forms }->{name}, 'Mine', '... and the other shows what is so';

# ---- choices

my $people = "/a/$art/people";
post($a, $people, emails => 'cid@example.org,no address', role => 'editor');
is $a->{page}{status}, 400;
is beside($a, $people, 'emails'), "1 no address isn't an e-mail address.", 'one of several that is none';
post($b, $people, emails => 'dan@example.org');
is beside($b, $people, 'role'), '1 Is required.', 'none at all';
like tag($a, $people, 'emails'), qr/value="cid\@example\.org,no address"/, '... all that were typed are there';
like $a->{page}{text}, qr{<option value="viewer">Viewer</option><option value="editor" selected>}, '... and what was chosen is';
is beside($b, $people, 'role'), '1 You can assign only roles below your own, which is editor.', 'a choice has it behind itself'
	if post($b, $people, emails => 'dan@example.org', role => 'editor');
like $b->{page}{text}, qr{</select><span class="error"}, '... where it ends';
post($a, "/a/$art/people/remove", email => 'nobody@example.org');
is $a->{page}{status} . ' ' . on_top($a), '404 nobody@example.org is not a collaborator', 'a form that is only a button has it on top';
post($a, "/a/$art/visibility", visibility => 'secret');
is $a->{page}{status} . ' ' . on_top($a), '400 Must be public, unlisted, or private, not "secret".',
	'so have choices that stand as buttons';
post($a, '/auth/account/tokens', name => 'My token', days => 0, scope => 'read');
is beside($a, '/auth/account/tokens', 'days'), '1 0 is out of range; it must be from 1 to 3650.', 'a token';
like $a->{page}{text}, qr{<option value="read" selected>.*}, '... with what was chosen';
unlike $a->{page}{text}, qr{<option value="(?:30|90|365)" selected>}, '... and nothing chosen that was not';

# ---- secrets are never shown, whatever becomes of the form

my $secret = 'S3cret-Marker';
my @secrets = ([$a, '/auth/account/password', current => $secret, password => 'x'],
	[$a, '/auth/account/password', current => 'the password', password => "${secret}s" x 200],
	[$a, '/auth/account/factor/start', password => $secret], [$a, '/auth/account/factor/on', code => $secret x 20],
	[$a, '/auth/account/factor/off', code => $secret x 20],
	[$a, '/auth/account/factor/codes', code => $secret x 20],
	[Vitrine::Visitor->new($api), '/auth/signin', email => 'ann@example.org', password => $secret],
	[$a, "/a/$art/jobs", action => 'chat_a', when => 'day', at => 'noon', text => 'x',
		webhook_url => "https://hooks.example.org/$secret"],
	[$a, "/a/$art/jobs", action => 'webhook', when => 'day', at => '07:00', url => 'x', headers => "X-Key: $secret"],
	[$a, "/a/$art/jobs", action => 'webhook', when => 'day', at => '07:00', url => 'https://example.org/',
		headers => "X-Key: $secret" . 'x' x 9000],
	[Vitrine::Visitor->new($api), '/auth/signin', email => 'x' x 300, password => $secret],
	[Vitrine::Visitor->new($api), '/auth/password/set', link => $secret, password => $secret x 200]);
for (@secrets) {
	my ($v, $path, %f) = @$_;
	my $p = post($v, $path, %f);
	like $p->{status}, qr/^4/, "$path (" . join(', ', sort keys %f) . ') is refused';
	unlike $p->{text}, qr/\Q$secret\E/, '... and shows nothing of what must not be seen';
}
my $stranger = Vitrine::Visitor->new($api);
post($stranger, '/auth/signin', email => 'ann@example.org', password => 'wrong', next => '/trash');
is $stranger->{page}{status}, 401;
like tag($stranger, '/auth/signin', 'email'), qr/value="ann\@example\.org"/, 'who signs in finds the address as typed';
like tag($stranger, '/auth/signin', 'next'), qr{value="/trash"}, '... goes on to where they were going';
like on_top($stranger), qr/is incorrect/, '... and does not learn which of the two is wrong';
post($stranger, '/auth/signin', email => 'x' x 300, password => 'wrong', next => '/trash');
is beside($stranger, '/auth/signin', 'email'), '1 Has 300 characters; the maximum is 254.', 'a shape that refuses does it alike';
post($a, '/auth/account/password', current => 'wrong', password => 'a fine new password');
is beside($a, '/auth/account/password', 'current'), '1 That isn’t your password.', 'a wrong password stands beside its own field';
post($a, '/auth/account/password', current => 'the password', password => 'short');
like beside($a, '/auth/account/password', 'password'), qr/^1 Must be at least \d+ characters\.$/, '... a weak one beside the other';

# ---- publishing, which has no field to stand beside

my $boundary = 'x' x 20;
sub publish {
	my ($v, $path, %files) = @_;
	return $v->send(POST => $path, headers => { 'Content-Type' => "multipart/form-data; boundary=$boundary" },
		body => join('', map {
			"--$boundary\r\nContent-Disposition: form-data; name=\"files\"; filename=\"$_\"\r\n\r\n$files{$_}\r\n";
		} sort keys %files) . "--$boundary--\r\n") }
is publish($a, '/publish', 'a.html' => 'x', 'b.html' => 'y')->{status}, 400;
like beside($a, '/publish', 'entrypoint'), qr{^1 There is no index\.html; .*a\.html, b\.html},
	'what can not be published is said at home, beside the field for it';
like $a->{page}{text}, qr{<h1>Artifacts</h1>.*aria-current="page">Artifacts</a>|aria-current="page">Artifacts</a>.*<h1>Artifacts</h1>}s,
	'... which is where one is';
publish($a, "/a/$art/publish", '.env' => 'x');
like on_top($a), qr/^No files were chosen/, '... and on the page of what it was for';
is $a->send(GET => $_->[0])->{status} . " $a->{page}{headers}{location}", "303 $_->[1]", "who opens $_->[0] gets to the form"
	for ['/publish', '/'], ["/a/$art/publish", "/a/$art"];
is $a->send(DELETE => '/publish')->{status}, 405, '... not so with another method';

# ---- who is not shown a page

$r = post($b, $settings, name => 'Theirs', slug => 'theirs');
is $r->{status}, 403;
like $r->{text}, qr/<title>You can’t do this/, 'to whom the page is not open, an error page says so';
$r = post(Vitrine::Visitor->new($api), $settings, name => 'x', slug => 'y');
is "$r->{status} $r->{headers}{location}", '303 /auth/signin', 'who is nobody signs in first';
$r = $a->send(POST => $settings, body => 'name=Planted&slug=Planted+by+another', headers => { %$form, 'Sec-Fetch-Site' => 'cross-site' });
is $r->{status}, 403;
unlike $r->{text}, qr/Planted/, 'a form that another site sends shows nothing of what it put there';
$r = $a->send(POST => $settings, body => '{}', headers => { 'Content-Type' => 'application/json' });
is "$r->{status} " . on_top($a), '415 Content-Type: application/json is not accepted here; send application/x-www-form-urlencoded',
	'what is no form at all is told on top';
post($a, '/auth/account/sessions/ses_' . '0' x 26 . '/end');
is $a->{page}{status}, 404;
like $a->{page}{text}, qr{<h1>.*</h1>.*<h2>Browsers</h2>}s, 'what is not there is told on the page of what is';
$r = $a->send(POST => "/staff/$art/resume", body => 'x=' . 'y' x 200, headers => $form);
is $r->{status}, 303, 'what is not refused is as it was';
finish($stack);
