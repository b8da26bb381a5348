# SPDX-License-Identifier: Apache-2.0
# The review view and the host of its frame: who gets one, what it serves, what a page can't do there, and when it ends.
use utf8;
use MIME::Base64;
use Vitrine::Visitor;
use Vitrine::Words qw(as refused);

my ($stack, $api, $db) = stack(comments_per_hour => 10000);
my ($ann, $ben, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben eve);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for qw(ann ben eve);
$db->do('UPDATE user SET name = ? WHERE id = ?', undef, 'Ben', $ben->{id});
my $csp = "default-src 'none'; script-src 'none'; frame-ancestors 'none'";
my %files = ('index.html' => "\xef\xbb\xbf<!-- x -->\n<!DOCTYPE html>\n<title>One</title><h1>Sales rose</h1>",
	'sub/page.html' => '<p>Sub</p>', 'a.js' => 'let a', 'sw.js' => 'self', 'a b.png' => decode_base64(
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='),
	'wide.html' => "\xff\xfe<\0p\0>\0",
	'large.html' => '<p>' . 'x' x (2 << 20), '_redirects' => "/go /a.js 302\n",
	'_headers' => "/*\n  Content-Security-Policy: $csp\n  X-Frame-Options: DENY\n  Access-Control-Allow-Origin: *\n"
		. "/sub/*\n  Content-Security-Policy: script-src 'nonce-abc' 'strict-dynamic'\n");
sub publish {
	my ($slug, %o) = @_;
	my $of = delete $o{files} // \%files;
	my @files = map { { path => $_, content => encode_base64($of->{$_}, ''), encoding => 'base64' } } sort keys %$of;
	my $r = as($ann, POST => '/v1/publish', { slug => $slug, name => $slug, visibility => 'private', files => \@files, %o });
	return $r->{json}{artifact}{id} // die $r->{body};
}
my $art = publish('report');
publish('report', files => { %files, 'index.html' => 'two' }, draft => Cpanel::JSON::XS::true);
my $base = "/v1/artifacts/$art";
as($ann, POST => "$base/collaborators", { emails => ['ben@example.org'], role => 'viewer' });
my $on = as($ben, POST => "$base/comments", { text => 'of what?', anchor => { kind => 'text', quote => { exact => 'Sales' } } })
	->{json}{comment}{id};
my $app = "https://vitrine.localhost:$stack->{port}";
sub signed_in { my ($name) = @_; my $v = Vitrine::Visitor->new($api); $v->sign_in("$name\@example.org", 'the password'); return $v }
my $visitor = signed_in('ben');

# The origin of the frame that the view has.
sub framed {
	my ($v, $path, $of) = @_;
	my $r = $v->go('/a/' . ($of // $art) . "/review$path");
	is $r->{status}, 200, "the view$path" or diag $r->{body};
	my ($src) = $r->{body} =~ /<iframe[^>]* src="([^"]*)"/ or return ('', '', $r);
	return ($src =~ m{^(https://rv---[0-9a-z]{36}\.pages\.localhost:\d+)(/.*)$}, $r);
}
sub got { my ($at, %h) = @_; return nobody()->send(GET => $at, headers => { 'Sec-Fetch-Dest' => 'iframe', %h }) }
sub policy { return $_[0]{headers}{'content-security-policy'} }

# ---- the view

my ($host, $path, $view) = framed($visitor, '');
is $path, '/', 'a frame with the page';
like policy($view), qr{frame-ancestors 'none'.*; frame-src \Q$host\E$}, 'the view can be framed by nobody, and frames that host alone';
like $view->{text}, qr/Sales.*of what\?/s, 'with what people say';
like $view->{body}, qr/sandbox="allow-scripts allow-same-origin"/, 'in a sandbox';
(undef, $path) = framed($visitor, "?path=%2Fsub%2Fpage.html&version=1");
is $path, '/sub/page.html', 'another page';
my ($other) = framed($visitor, "?thread=$on");
isnt $other, $host, 'each view has a host of its own';
is $visitor->go("/a/$art/review?version=9")->{status}, 404, 'a version that is not there';
is $visitor->go("/a/$art/review?version=1&thread=cmt_00000000000000000000000000")->{status}, 200,
	'a thread that is gone, as in an old mail';
is signed_in('eve')->go("/a/$art/review")->{status}, 404, 'a stranger sees nothing';
sub nobody { return Vitrine::Visitor->new($api) }
is nobody()->go("/a/$art/review")->{status}, 404, 'nor does nobody';

# ---- what its host serves

my $r = got("$host/");
is $r->{status}, 200, 'the page';
like $r->{body}, qr{^\xef\xbb\xbf<!-- x -->\n<!DOCTYPE html><script src="/_vitrine/remark.js" nonce="[0-9a-f]{32}"></script>\n<title>One},
	'with our script behind its doctype';
is policy($r), "default-src 'none'; script-src $host/_vitrine/remark.js, frame-ancestors $app 'self'",
	'its policy allows the script, and that our page frames it';
is_deeply [@{$r->{headers}}{qw(x-frame-options access-control-allow-origin referrer-policy cache-control x-robots-tag set-cookie)}],
	[undef, undef, 'no-referrer', 'private, no-store', 'noindex', undef], 'and its other headers';
is got("$host/_vitrine/remark.js")->{status}, 200, 'the script is there';
like policy(got("$host/sub/page.html")), qr/script-src 'none' $host\S+|script-src 'nonce-abc' 'strict-dynamic' 'nonce-[0-9a-f]{32}'/,
	'where addresses do not count, a nonce does';
is got("$host/a.js")->{body}, 'let a', 'another file is as it was published';
is got("$host/go")->{headers}{location}, '/a.js', 'rules hold';
is got("$host/wide.html")->{body}, $files{'wide.html'}, 'a page in UTF-16 is as it is';
unlike got("$host/large.html")->{body}, qr/remark\.js/, 'so is a large one';
is got("$host/none")->{status}, 404, 'a file that is not there';
like policy(got("$host/none")), qr/frame-ancestors \Q$app\E/, '... which the frame says';
is got("$host/a%20b.png", 'Sec-Fetch-Dest' => 'image')->{body}, $files{'a b.png'}, 'a picture in a page is as it is';
$r = got("$host/a%20b.png");
like $r->{body}, qr{^<!doctype html><script src="/_vitrine/remark\.js" [^>]*></script>.*<img alt="" src="/a%20b\.png">},
	'in the frame it is in a page of ours';
is "$r->{headers}{'content-type'} " . policy($r), "text/html; charset=utf-8 default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; "
	. "script-src $host/_vitrine/remark.js, frame-ancestors $app 'self'", '... with a policy of its own';
my $public = publish('open', visibility => 'public');
my $guest = signed_in('eve');
my ($open) = framed($guest, '', $public);
is got("$open/")->{status}, 200, 'a public page for who is signed in';
as($ann, POST => "/v1/artifacts/$public/comments", { text => 'for all' });
(undef, undef, $r) = framed(nobody(), '', $public);
like $r->{text}, qr/Sign in to see the page here.*for all.*Sign in to comment/s, 'others see what is said';
($host) = framed(signed_in('ann'), '?version=2');
like got("$host/")->{body}, qr/two$/, 'a draft, for who may see it';

# ---- what it refuses

($host) = framed($visitor, '');
is got("$host/", 'Sec-Fetch-Dest' => 'document')->{status}, 404, 'a page by itself';
is got("$host/sw.js", 'Service-Worker' => 'script', 'Sec-Fetch-Dest' => 'serviceworker')->{status}, 404, 'a service worker';
is got("$host/_vitrine/$_")->{status}, 404, "$_ is not there" for qw(sw.js enter signin entry.html);
is nobody()->send($_ => "$host/", body => 'x', headers => { 'Content-Type' => 'text/plain' })->{status}, 405, "$_ is refused"
	for qw(POST PUT DELETE);
is nobody()->send(PUT => "$host/v1/data/self/json", body => '{}',
	headers => { 'Content-Type' => 'application/json', Origin => $host, 'Sec-Fetch-Site' => 'same-origin' })->{status}, 405,
	'so is a change of its data';
my $else = $host =~ s/rv---.{4}/rv---0000/r;
is got("$else/")->{status}, 404, 'another name shows nothing';
is $api->get_site('report', '/', Cookie => '__Host-vitrine_viewer=' . ($host =~ m{//([^.]+)})[0])->{status}, 404, 'the name is no cookie';

# ---- data

as($ann, PUT => "/v1/data/$art/json", { n => 7 });
as($ann, PUT => "/v1/data/$public/json", { n => 8 });
like got("$host/v1/data/self/json")->{body}, qr/"n":7/, 'the data of a private page, as its viewer reads it';
like got("$open/v1/data/self/json")->{body}, qr/"n":8/, 'and of a public one';
my $nobody = got("$host/v1/data/self/viewer")->{json} // decode_json(got("$host/v1/data/self/viewer")->{body});
is_deeply $nobody->{viewer}, { id => undef, email => undef, name => undef, role => undef }, 'it learns nobody\'s name';
is got("$host$_")->{status}, 404, "nor anything at $_" for "/v1/artifacts/$art/comments", '/v1/artifacts/self', "/v1/data/$public/json",
	'/v1/proxy/self?url=https%3A%2F%2Fexample.org%2F';

# ---- remarks

$visitor->go("/a/$art/review?path=%2F");
$r = $visitor->submit(qr{/review/1$}, { text => 'Which sales?', exact => 'rose' });
like $r->{text}, qr/Which sales\?/, 'a remark without a script';
my ($made) = grep { $_->{text} eq 'Which sales?' } @{as($ben, GET => "$base/comments")->{json}{comments}};
is_deeply [@$made{qw(path version_no anchor audience)}], ['/', 1, { kind => 'text', quote => { exact => 'rose' } }, 'people'],
	'... where it is';
my %form = (text => 'Here', path => '/', kind => 'point', selector => 'h1', x => 0.25, y => 0.5, width => 800, exact => 'Sales');
$visitor->go("/a/$art/review");
$visitor->submit(qr{/review/1$}, \%form);
($made) = grep { $_->{text} eq 'Here' } @{as($ben, GET => "$base/comments")->{json}{comments}};
is_deeply $made->{anchor}, { kind => 'point', selector => 'h1', quote => { exact => 'Sales' }, x => 0.25, y => 0.5, width => 800 },
	'a point, as the script sends it';
$visitor->go("/a/$art/review");
like $visitor->submit(qr{/review/1$}, { text => 'x', path => 'none', exact => 'a' })->{text},
	qr/<details class="where" open>.*Must be the path of a page/s, 'a wrong page is said';
$visitor->go("/a/$art/review?path=%2Fsub%2Fpage.html");
$r = $visitor->submit(qr{/review/1$}, { %form, path => '/sub/page.html', audience => 'all', text => ' ' });
like $r->{text}, qr/Must not be blank/i, 'a form that is refused';
like $r->{body}, qr{name="$_" value="\Q$form{$_}\E"}, "... keeps its $_" for qw(kind selector x y width);
like $r->{body}, qr{name="exact"[^>]*>Sales</.*<option value="all" selected>}s, '... and what it is about, and for whom';
like $r->{body}, qr{<iframe[^>]* src="[^"]*/sub/page\.html"}, '... and its page';
like $r->{body}, qr{<input type="hidden" name="page" disabled>}s, '... nothing else';
$visitor->submit(qr{/review/1$}, { text => 'There it is' });
($made) = grep { $_->{text} eq 'There it is' } @{as($ben, GET => "$base/comments")->{json}{comments}};
is_deeply [@$made{qw(path audience)}, $made->{anchor}{selector}], ['/sub/page.html', 'people', 'h1'], '... sent again, it is whole';
$visitor->go("/a/$art/review?thread=$on");
like $visitor->submit(qr{/review/1/$on$}, { state => 'resolved' })->{text}, qr/Resolved .* by Ben/s, 'it is resolved, and shown so';
$visitor->go("/a/$art/review/1?reply_to=$made->{id}");
$visitor->submit(qr{/review/1$}, { text => 'There' });
is as($ben, GET => "$base/comments?thread=$made->{id}")->{json}{comments}[1]{text}, 'There', 'a reply';

# ---- when it ends

my @hosts = map { (framed($visitor, ''))[0] } 1 .. 21;
is $db->selectrow_array("SELECT COUNT(*) FROM viewer w JOIN session e ON e.id = w.session_id"
	. " WHERE w.kind = 'frame' AND e.user_id = ?", undef, $ben->{id}), 20, 'a session has twenty';
is got("$hosts[-1]/")->{status}, 200, '... with the last one';
as($ann, DELETE => "$base/collaborators/ben%40example.org");
is got("$hosts[-1]/")->{status}, 404, 'who has lost the role sees nothing';
is got("$hosts[-1]/v1/data/self/json")->{status}, 404, '... no data either';
as($ann, POST => "$base/collaborators", { emails => ['ben@example.org'], role => 'viewer' });
is got("$hosts[-1]/")->{status}, 200, 'until they have it again';
$db->do('UPDATE viewer SET expires_at = 1 WHERE kind = ? AND artifact_id = ?', undef, 'frame', $public);
is got("$open/")->{status}, 404, 'its time is over';
$db->do('UPDATE artifact SET paused_at = 1 WHERE id = ?', undef, $art);
is got("$hosts[-1]/")->{status}, 404, 'a pause closes it';
$db->do('UPDATE artifact SET paused_at = NULL WHERE id = ?', undef, $art);
$visitor->send(POST => '/auth/signout', headers => { 'Content-Type' => 'application/x-www-form-urlencoded' });
is got("$hosts[-1]/")->{status}, 404, 'so does signing out';
finish($stack);
