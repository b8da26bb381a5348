# SPDX-License-Identifier: Apache-2.0
# The templates, each made, published, and looked at. The guest book, published as its README says, in three browsers: two people who
# sign in there, and a stranger. And the script by itself, as a classic script and as a module.
use utf8;
use Encode ();
use MIME::Base64 ();
use Vitrine::Browser;
use Vitrine::Words;

my ($stack, $api) = stack(publish_per_hour => 1000);
my ($ann, $dan, $eve) = map { $stack->user("$_\@example.org") } qw(ann dan eve);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for qw(ann dan eve);
sub site { return "https://$_[0].pages.localhost:$stack->{port}" }
sub sign_in {
	my ($b, $who, %o) = @_;
	$b->wait_text(qr/E-mail/);
	$b->fill('#email', "$who\@example.org")->fill('#password', 'the password')->click('form button.primary');
	return if $o{known};
	$b->wait_text(qr/Sign in to this page\?/);
	is join('; ', $b->barriers), '', 'the question has no barrier';
	$b->screenshot("signin-here-$who");
	$b->click('form button.primary');
}
my %browser = (dan => Vitrine::Browser->new($stack, width => 1280, height => 900),
	eve => Vitrine::Browser->new($stack, width => 390, height => 844, dark => 1), stranger => Vitrine::Browser->new($stack));

# ---- the script by itself

my $bare = $api->publish($ann, slug => 'bare', visibility => 'public', files => {
	'index.html' =>
		'<!doctype html><html lang="en"><title>Bare</title><script src="/_vitrine/vitrine.js"></script><h1>Bare</h1></html>',
	'module.html' =>
		'<!doctype html><html lang="en"><title>Module</title><script type="module" src="module.js"></script><h1>Module</h1></html>',
	'module.js' => "import vitrine, { json, viewer, VitrineError } from '/_vitrine/vitrine.mjs';\nimport '/_vitrine/vitrine.js';\n"
		. "window.said = (async () => { const me = await viewer(); "
		. "return [vitrine === window.vitrine, vitrine.json === json, me.id, (await json.get()).n, VitrineError.name]; })();\n" });
my $b = $browser{dan}->go(site('bare') . '/');
# Runs an async function's text in the page; a refusal is told by its members.
sub run {
	my ($b, $text) = @_;
	return $b->script_async("const done = arguments[arguments.length - 1]; (async () => { $text })().then(done, e => done({ name: "
		. "e.name, status: e.status, code: e.code, message: e.message, is: e instanceof vitrine.VitrineError }))");
}
is run($b, 'return await vitrine.json.get()'), undef, 'no document yet';
is run($b, 'return vitrine.json.etag'), undef, 'nor an ETag';
is join(' ', grep { m{/json} } $b->complaints), '', 'nor a line in the console';
my $refusal = run($b, 'await vitrine.json.set({ n: 1 })');
is_deeply [@$refusal{qw(name status code)}, $refusal->{is} ? 1 : 0], ['VitrineError', 401, 'UNAUTHENTICATED', 1], 'nobody writes';
like $refusal->{message}, qr/signed in/, 'in the words of the service';
$api->call(PUT => "/v1/data/$bare/json", { token => $ann->{token}, json => { n => 1, deep => { a => 1 } } });
is_deeply run($b, 'return await vitrine.json.get()'), { n => 1, deep => { a => 1 } }, 'a document';
is run($b, 'const one = await vitrine.json.get(); one.n = 99; return (await vitrine.json.get()).n'), 1, 'each time a fresh one';
is run($b, "return await new Promise((done) => { new PerformanceObserver((list) => "
		. "done(list.getEntries().at(-1).encodedBodySize)).observe({ entryTypes: ['resource'] }); vitrine.json.get(); })"), 0,
	'asked again it has no body';
is_deeply run($b, 'return await vitrine.viewer()'), { map { $_ => undef } qw(id email name role) }, 'nobody looks';
is_deeply $browser{stranger}->go(site('bare') . '/module.html')->script_async('window.said.then(arguments[0])'),
	[Cpanel::JSON::XS::true, Cpanel::JSON::XS::true, undef, 1, 'VitrineError'], 'a module has the same';
run($b, 'vitrine.signIn("/?from=here")');
sign_in($b, 'dan');
$b->wait_text(qr/Bare/);
is $b->url, site('bare') . '/?from=here', 'signed in, and back';
is run($b, 'return (await vitrine.viewer()).email'), 'dan@example.org', 'and known';
is run($b, 'return await vitrine.json.set({ n: 2 })')->{code}, 'ACCESS_DENIED', 'to whom the policy opens nothing';
$stack->db->do(q(UPDATE artifact SET access_policy = '{"default":"everyone"}' WHERE id = ?), undef, $bare);
is run($b, 'await vitrine.json.set({ n: 2 }); return (await vitrine.json.get()).n'), 2, 'until it does';
is_deeply run($b, 'return await vitrine.json.patch({ m: { x: null, y: [1] } })'), { n => 2, m => { y => [1] } },
	'a patch gives what it made';
is run($b, 'const seen = vitrine.json.etag; await vitrine.json.patch({ n: 3 }); await vitrine.json.set({ n: '
	. '4 }, { ifMatch: seen })')->{status}, 412, 'who was too late is told';
is run($b, 'await vitrine.json.set({ n: 5 }, { ifMatch: vitrine.json.etag }); return (await vitrine.json.get()).n'), 5,
	'and who was not goes on';
is run($b, 'await vitrine.json.set({}, { ifNoneMatch: "*" })')->{code}, 'PRECONDITION_FAILED', 'not where there is one';
# What an agent says word by word, cut where the network cuts it; one that breaks off, and one that fails on the way.
sub chat {
	my (@parts) = @_;
	return run($b, 'const was = fetch, parts = ' . encode_json(\@parts) . '; window.fetch = async (path, options) => new Response(new '
		. 'ReadableStream({ start(c) { parts.forEach((p) => c.enqueue(new TextEncoder().encode(p))); c.close(); } }));'
		. ' try { const heard = []; return [await vitrine.chat([{ role: "user", content: "Hello?" }], { onchunk: '
		. '(words) => heard.push(words) }), heard]; } finally { window.fetch = was; }');
}
is_deeply chat('data: {"delta":"Hel', qq(lo"}\n\ndata: {"delta":" there"}\n),
		qq(\ndata: {"finish_reason":"stop","model":"m"}\n\ndata: [DONE]\n\n)), ['Hello there', ['Hello', ' there']],
	'an agent is heard as it speaks';
is chat(qq(data: {"delta":"Hel"}\n\n))->{code}, 'NETWORK', 'what breaks off is no answer';
is chat(qq(data: {"delta":"Hel"}\n\nevent: error\ndata: {"success":false,"error":"It failed","code":"UPSTREAM_FAILED"}\n\n))->{code},
	'UPSTREAM_FAILED', 'and a failure is told';
$stack->expect_alert(qr/worker\.sock/);
$stack->stop_one('worker');
is run($b, 'await vitrine.viewer()')->{status}, 502, 'a service that is away';
$stack->start_worker;
$b->complaints;

# ---- the guest book

my %route = map { my $r = decode_json($_); ("$r->{method} $r->{path}" => 1) } split /\n/, `$ENV{VITRINE_BUILD}/vitrine-worker --routes`;
SKIP: {
	skip 'there are no tables', 1 if !$route{'POST /v1/data/{art}/tables/{table}/rows'};
	my $pictures = $route{'POST /v1/data/{art}/blobs'};
	diag 'there are no uploads' if !$pictures;
	# As its README says, in the folder that vitrine new makes.
	my $source = "$stack->{dir}/guestbook";
	my ($new, undef, $why) = $stack->client('', 'new', 'guestbook', $source);
	is $new, 0, 'the template is fetched' or diag $why;
	my ($commands) = Vitrine::Stack::slurp("$source/README.md") =~ /```sh\n(.*?)```/s;
	is $commands =~ tr/\n//, 1, 'one command';
	chomp $commands;
	my %env = ($stack->env, HOME => $stack->{dir}, VITRINE_TOKEN => $ann->{token}, PATH => "$stack->{build}:$ENV{PATH}");
	my $typed = sub { local @ENV{keys %env} = values %env; my $said = `cd '$source' && $commands @_ 2>&1`; return ($? >> 8, $said) };
	my ($code, $said) = $typed->('--dry-run');
	is_deeply [$code, map { /^(add +\S+)/ ? $1 =~ s/ +/ /r : () } split /\n/, $said], [0, map { "add $_" }
		qw(tables.entries tables.votes tables.letters policy document)], 'a dry run says what there will be' or diag $said;
	($code, $said) = $typed->();
	is $code, 0, '... the command makes it' or diag $said;
	my $book = $api->call(GET => '/v1/artifacts?slug=guestbook', { token => $ann->{token} })->{json}{artifacts}[0]{id};
	is join(' ', sort map { $_->{path} } @{$api->call(GET => "/v1/artifacts/$book/files", { token => $ann->{token} })->{json}{files}}),
		'guestbook.js index.html style.css vitrine.yaml', 'what is for its host is not published';
	is $api->get_site('guestbook', '/vitrine.yaml')->{status}, 404, 'what it declares is not served';
	is_deeply [map { $_->{path} } grep { $_->{path} =~ /yaml/ } @{$api->call(GET => "/v1/artifacts/$book/files")->{json}{files}}], [],
		'... nor listed for strangers';
	($code, $said) = $typed->();
	is $code, 0, 'it is published again' or diag $said;
	unlike $said, qr/changed by hand/, '... and nothing was changed by hand';
	my $data = "/v1/data/$book/json";
	$api->call(PATCH => $data, { token => $ann->{token}, json => { title => 'Mine' } });
	like +($typed->())[1], qr/document was changed by hand and stays so; --reset replaces it/, 'a change by hand is told';
	my $declared = "$source/vitrine.yaml";
	my $good = Vitrine::Stack::slurp($declared);
	Vitrine::Stack::spew($declared, $good =~ s/written: timestamp/written: time/r);
	($code, $said) = $typed->('--reset');
	isnt $code, 0, 'a mistake is refused';
	like $said, qr/vitrine\.yaml, line 4: written: the type is one of text/, '... with its line';
	Vitrine::Stack::spew($declared, $good);
	is $api->call(GET => $data, { token => $ann->{token} })->{json}{data}{title}, 'Mine', '... and nothing was done';
	($code, $said) = $typed->('--reset');
	is_deeply [$code, $api->call(GET => $data, { token => $ann->{token} })->{json}{data}{title}], [0, 'Our book'],
		'reset brings back what is declared' or diag $said;
	my $at = site('guestbook') . '/';
	$_->go($at)->wait_text(qr/Tea or coffee\?.*0 votes.*Entries/s) for values %browser;
	for my $who (qw(dan eve)) {
		my $b = $browser{$who};
		$b->click('#signin');
		sign_in($b, $who) if $who eq 'eve';
		if ($who eq 'dan') { $b->wait_text(qr/Sign in to this page\?/); $b->click('form button.primary') }
		$b->wait_text(qr/Signed in as $who\@example\.org/);
	}
	my ($dans, $eves, $strangers) = @browser{qw(dan eve stranger)};

	# The poll: one vote each, which may change.
	$dans->click('#options li:nth-child(1) button')->wait_text(qr/Tea\s*1 vote\b/);
	$eves->click('#options li:nth-child(1) button')->wait_text(qr/Tea\s*2 votes/);
	$eves->click('#options li:nth-child(2) button')->wait_text(qr/Tea\s*1 vote\b.*Coffee\s*1 vote\b/s);
	$strangers->go($at)->wait_text(qr/Tea\s*1 vote\b.*Coffee\s*1 vote\b/s);
	ok $strangers->script('return [...document.querySelectorAll("#options button")].every(b => b.disabled)'), 'a stranger looks on';

	# Entries, one with a picture.
	$dans->fill('#text', 'Dan was here')->click('#write button')->wait_text(qr/Dan was here\s*dan\@example\.org/);
	my $png = "$stack->{dir}/dot.png";
	Vitrine::Stack::spew($png, MIME::Base64::decode_base64(
		'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='));
	$eves->attach('#picture', $png) if $pictures;
	$eves->fill('#text', '<b>Eve</b> too')->click('#write button')->wait_text(qr{<b>Eve</b> too\s*eve\@example\.org});
	Vitrine::Stack::wait_for('the picture', 60, sub { !$pictures
		|| $eves->script('const i = document.querySelector("#entries img"); return i && i.complete && i.naturalWidth === 1') });
	$strangers->go($at)->wait_text(qr{<b>Eve</b> too.*Dan was here}s);
	Vitrine::Stack::wait_for('the picture', 60, sub { !$pictures || $strangers
		->script('const i = document.querySelector("#entries img"); return i && i.complete && i.naturalWidth === 1') });
	ok !$strangers->script('return document.querySelector("#entries li button") !== null'), 'a stranger can take nothing away';

	# Letters: each sees their own, the host all.
	$dans->fill('#letter', 'For the host, from Dan')->click('#send button')->wait_text(qr/from Dan\s*dan\@example\.org/);
	$eves->fill('#letter', 'For the host, from Eve')->click('#send button')->wait_text(qr/from Eve\s*eve\@example\.org/);
	$_->go($at)->wait_text(qr/Signed in as.*from \w+\s/s) for $dans, $eves;
	like $dans->text('#sent-letters'), qr/\AFor the host, from Dan\s+dan\@example\.org\z/, 'Dan sees his';
	like $eves->text('#sent-letters'), qr/\AFor the host, from Eve\s+eve\@example\.org\z/, 'Eve hers';
	my $letters = 'return (await vitrine.table("letters").rows()).rows.map(r => r.text)';
	is_deeply run($dans, $letters), ['For the host, from Dan'], 'in whatever way he asks';
	is run($strangers, $letters)->{status}, 404, 'a stranger none';
	# As the guide has it: null or a refusal.
	is run($dans, qq{return await vitrine.table("$_").get("row_00000000000000000000000000")}),
		undef, "a row that is not there is null, in the table $_, too" for qw(entries nope);
	is run($dans, 'return await vitrine.table("nope").rows()')->{status}, 404, 'rows of a table that is not there are refused';
	is run($dans, qq{return await vitrine.table("entries").$_})->{status}, 404, "and $_ of a row that is not there"
		for 'patch("row_00000000000000000000000000", { text: "x" })', 'delete("row_00000000000000000000000000")';
	like $api->call(GET => '/docs/data-in-your-page')->{body},
		qr{<code>rows\(\)</code> leaves out rows that the viewer can.+t see, but rejects with status 404}, 'which the guide says';
	is scalar @{$api->call(GET => "/v1/data/$book/tables/letters/rows", { token => $ann->{token} })->{json}{rows}}, 2, 'the host both';

	# What is another's.
	is run($dans, 'return (await vitrine.table("entries").rows({ where: { name: ["eve@example.org", "a, \\"b\\""], author: { neq: '
		. 'null } } })).rows.length'), 1, 'a list of values, one with a comma, and what is there';
	my $entry = run($dans, 'return (await vitrine.table("entries").rows({ where: { name: "eve@example.org" } })).rows[0].id');
	is run($dans, qq{await vitrine.table("entries").delete("$entry")})->{status}, 403, "Dan can't take Eve's entry away";
	is run($dans, qq{await vitrine.table("entries").insert({ author: "$eve->{id}", name: "eve", text: "forged" })})->{status}, 403,
		'nor write as her';
	is run($dans, 'await vitrine.json.patch({ title: "Mine" })')->{status}, 403, 'nor change the title';
	like run($strangers, 'await vitrine.table("entries").insert({ author: null, text: "x" }); return { status: 200 }')->{status},
		qr/^40[13]$/, 'a stranger writes nothing, by whatever name';
	$eves->script('document.querySelector("#entries li button").click()');
	Vitrine::Stack::wait_for('the entry to be gone', 60, sub { $eves->text('#entries') !~ /Eve/ });
	$strangers->go($at)->wait_text(qr/Dan was here/);
	unlike $strangers->text('body'), qr/Eve/, 'what is taken away is gone for all';
	for my $name (sort keys %browser) {
		is join('; ', $browser{$name}->barriers), '', "$name: no barrier";
		$browser{$name}->screenshot("guestbook-$name");
	}
	is join('; ', grep { !/40[0-9]|favicon/ } map { $_->complaints } values %browser), '', 'the browsers have no complaint';
}

# ---- the other templates, as they are published

my ($dans, $stranger) = @browser{qw(dan stranger)};
my $templates = $api->call(GET => '/v1/templates')->{json}{templates};
is join(' ', map { $_->{name} } @$templates), 'dashboard docs form gallery guestbook report', 'the templates' or diag explain $templates;
is scalar(grep { $_->{title} && $_->{description} && $_->{file_count} > 3 } @$templates), 6, 'each says what it is';
my %shows = (report => qr/482,000 €/, dashboard => qr/Revenue, 7 days\s*21,936 €.*Nov 22/s,
	form => qr/are you coming\?.*Sign in to answer/s,
	gallery => qr/Six mornings.*Meadow/s, docs => qr/Lantern turns a folder/, guestbook => qr/Tea or coffee/);
for my $name (map { $_->{name} } @$templates) {
	my $folder = "$stack->{dir}/made/$name";
	mkdir "$stack->{dir}/made";
	my ($code, $out, $err) = $stack->client('', 'new', $name, $folder);
	is_deeply [$code, $out], [0, "$folder\n"], "vitrine new $name" or diag $err;
	is `grep -rlE '(https?:)?//[a-z]' '$folder' | xargs -r grep -LE 'www.w3.org'`, '', '... names no other host';
	($code, $out, $err) = $stack->client($ann->{token}, 'publish', $folder, '--visibility', 'public', '--slug', "my-$name");
	is $code, 0, '... is published as it is' or diag $err;
	unlike $err, qr/warning/, '... without a warning';
	$stranger->go(site("my-$name") . '/')->wait_text($shows{$name});
	is join('; ', $stranger->looks("template-$name")), '', '... has no barrier';
	is_deeply $stranger->script('return performance.getEntriesByType("resource").map(e => e.name)'
		. '.filter(n => !n.startsWith(location.origin))'), [], '... and nothing of it is from elsewhere';
	is join('; ', grep { !/40[0-9]|favicon/ } $stranger->complaints), '', '... nor has the browser a complaint';
}
$stranger->go(site('my-gallery') . '/')->click('#pictures figure:nth-child(2) a');
$stranger->press('right');
$stranger->wait_text(qr/Two days after the rain \(3 of 6\)/);
$stranger->go(site('my-docs') . '/reference')->fill('#words', 'lead nowhere');
Vitrine::Stack::wait_for('what is found', 60, sub { $stranger->text('#found') =~ /Guide: Build the site\s.*Reference: Exit status/s });
$stranger->go(site('my-dashboard') . '/')->click('#tiles button:nth-child(2)');
is $stranger->text('#chart-title'), 'Orders', 'a tile chooses what the chart shows';

# Before it is published again: vitrine dev shows the dashboard's folder with the artifact's data, and follows changes.
my $dev = open(my $said, '-|') // die;
if (!$dev) {
	my %env = ($stack->env, HOME => $stack->{dir}, VITRINE_TOKEN => $ann->{token});
	@ENV{keys %env} = values %env;
	exec "$stack->{build}/vitrine", 'dev', '--quiet', "$stack->{dir}/made/dashboard" or POSIX::_exit(127);
}
chomp(my $local = <$said>);
$stranger->go($local)->wait_text(qr/Shop, day by day.*Revenue, 7 days\s*21,936 €/s);
my $text = Vitrine::Stack::slurp("$stack->{dir}/made/dashboard/index.html");
Vitrine::Stack::spew("$stack->{dir}/made/dashboard/index.html", $text =~ s{<h1>.*?</h1>}{<h1>Another title</h1>}r);
$stranger->wait_text(qr/Another title.*Revenue, 7 days\s*21,936 €/s);
is join('; ', grep { !/favicon/ } $stranger->complaints), '', 'vitrine dev: the page has its data, and follows a change';
# A page of another site: a browser neither shows it what is there nor sends its changes.
$dans->go(site('bare') . '/');
is run($dans, "try { return (await fetch('${local}v1/data/self/json', { mode: '$_' })).type } catch { return 'refused' }"),
	'refused', "... a page of another site reads nothing: $_" for 'cors', 'no-cors';
is run($dans, "try { return (await fetch('${local}v1/data/self/tables/days/rows', { method: 'POST', mode: 'no-cors', body: "
	. "'{\"rows\":[{\"day\":\"2026-12-01\"}]}' })).type } catch { return 'refused' }"), 'refused', '... and';
is scalar(grep { $_->{day} eq '2026-12-01' } @{$api->call(GET => '/v1/data/' . $api->call(GET => '/v1/artifacts?slug=my-dashboard',
	{ token => $ann->{token} })->{json}{artifacts}[0]{id} . '/tables/days/rows', { token => $ann->{token} })->{json}{rows}}), 0,
	'... writes nothing';
$dans->complaints;
kill 'INT', $dev;
close $said;
is $?, 0, '... until Ctrl-C';

# The form: an answer is its author's, and the hosts'.
$dans->go(site('my-form') . '/')->click('#signin');
$dans->wait_text(qr/Sign in to this page\?/);
$dans->click('form button.primary');
$dans->wait_text(qr/as dan\@example\.org/);
$dans->click('input[value=yes]')->fill('#people', '3')->fill('#note', 'With <b>bread</b>')->click('#send');
$dans->wait_text(qr/your answer has arrived/);
$dans->fill('#people', '2')->click('#send');
my $rows = sub { my ($who) = @_; return $api->call(GET => '/v1/data/' . $api->call(GET => '/v1/artifacts?slug=my-form',
	{ token => $ann->{token} })->{json}{artifacts}[0]{id} . '/tables/answers/rows', { token => $who->{token} })->{json}{rows} };
Vitrine::Stack::wait_for('the changed answer', 60, sub { ($rows->($ann)->[0]{people} // 0) == 2 });
is_deeply [map { @$_{qw(email coming people note)} } @{$rows->($ann)}], ['dan@example.org', 'yes', 2, 'With <b>bread</b>'],
	'an answer is a row, and changed in its place';
is_deeply $rows->($eve), [], '... which others do not see';
is join('; ', $dans->looks('template-form-signed-in')), '', '... and the form has no barrier for who answers';
finish($stack);
