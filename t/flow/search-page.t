# SPDX-License-Identifier: Apache-2.0
# Finding things in the browser: the page, without any script; the box over any page, by keys alone and by touch, what it tells whoever
# can't see it, replies that come late, names that are HTML; in a workspace and everywhere. Each page is looked at in both widths and both
# themes.
use utf8;
use Encode 'encode_utf8';
use Vitrine::Browser 'seen';
use Vitrine::Visitor;
use Vitrine::Words 'as';

my ($stack, $api, $db) = stack(publish_per_hour => 1000);
my $app = "https://vitrine.localhost:$stack->{port}";
my %user = map { $_ => $stack->user("$_\@example.org") } qw(ann ben eve);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for keys %user;
my $ws = as('ann', POST => '/v1/workspaces', { name => 'Northwind Studio' })->{json}{workspace}{id};
$stack->seat($ws, $user{ben}, 'member');
sub published {
	my ($name, %o) = @_;
	return as('ann', POST => '/v1/publish',
		{ name => $name, files => [{ path => 'index.html', content => '<p>x' }], workspace_id => $ws, %o })->{json}{artifact}{id};
}
my $hostile = q{<img src=x onerror="document.title='owned'"> & report};
published("Monthly report $_") for 1 .. 11;
my $named = published($hostile);
my $best = published('Quarterly report');
my $own = published('Marmalade report', workspace_id => undef);
published('Zebra crossing');
as('eve', POST => '/v1/publish', { name => 'Secret report of Eve', files => [{ path => 'index.html', content => 'x' }] });

my ($ann, $ben) = map { Vitrine::Browser->new($stack, @$_) } [width => 1280, height => 900], [width => 390, height => 844, dark => 1];
# What is typed where the focus is.
sub press { my ($b, @keys) = @_; return $b->press(@keys) }
sub comes { my ($what, $f) = @_; return Vitrine::Stack::wait_for($what, 60, $f) }
sub told { my ($b) = @_; return $b->script('return document.querySelector("dialog [role=status]").textContent') }
sub opened { my ($b) = @_; return $b->script('return document.querySelector("dialog.palette").open') ? 1 : 0 }
sub chosen {
	my ($b) = @_;
	return $b->script('const f = document.querySelector("#palette-q"), e = '
		. 'document.getElementById(f.getAttribute("aria-activedescendant")); return e && e.matches("dialog [aria-selected=true]") '
		. '&& document.activeElement === f ? e.querySelector(".name")?.textContent ?? e.textContent : null');
}
sub found {
	my ($b) = @_;
	return $b->script('return [...document.querySelectorAll("dialog .found .name")].map(e => e.textContent).join("|")');
}
sub said { my ($b, $like) = @_; comes("“$like” to be told", sub { told($b) =~ $like }); return told($b) }

# ---- the page, without script

my $plain = Vitrine::Visitor->new($api);
like $plain->go('/search?q=report')->{path}, qr{^/auth/signin\?next=%2Fsearch%3Fq%3Dreport}, 'who is not signed in does that first';
$plain->sign_in('ann@example.org', 'the password');
my $page = $plain->go('/');
like $page->{body}, qr{<form class="search find" method="get" action="/search" role="search"}, 'each page has the field in its head';
like $plain->go("/w/$ws")->{body}, qr{<form class="search find" method="get" action="/w/$ws/search"},
	'... that of a workspace has it for the workspace';
like $plain->go('/docs')->{body}, qr{action="/search"}, '... and so do the documents';
like $plain->go('/docs')->{body}, qr{<a href="/docs/find-things">Search</a>}, 'which tell of it';
my $nobody = Vitrine::Visitor->new($api);
unlike $nobody->go('/docs')->{body}, qr{"/search|find\.js}, 'who is nobody has none';
$page = $plain->go('/search?q=quarterly');
like $page->{text}, qr{<title>quarterly · Search · Vitrine</title>}, 'the title says what was searched for';
like $page->{text}, qr{<a href="[^"]*$best[^"]*" data-best>.*?<mark>Quarterly</mark> report}s,
	'it is found, and what was searched for is marked';
unlike $page->{text}, qr/Nothing is spelled/, 'and spelled so';
$page = $plain->go('/search?q=reprot');
like $page->{text}, qr{Nothing is spelled “reprot”\. These match <strong>[Rr]eport</strong>\.}, 'a slip is owned up to';
like $page->{text}, qr{<mark>[Rr]eport</mark>}, '... and what it was taken for is marked';
like $page->{text},
	qr{All <span class="count">14</span></a><a href="/search\?q=reprot&amp;groups=pages" data-narrow>Pages <span class="count">14</span>},
	'how many there are, of all and of each kind';
is scalar(() = $page->{text} =~ /<li><a /g), 10, 'ten of a kind';
like $page->{text}, qr{<a class="small" href="/search\?q=reprot&amp;groups=pages" data-narrow>4 more in pages</a>},
	'... and where the others are';
unlike $page->{text}, qr/of Eve/, 'of what is others’ nothing, in names or counts';
$page = $plain->go('/search?q=report&groups=pages');
is scalar(() = $page->{text} =~ /<li><a /g), 14, 'there they are all';
like $page->{text}, qr{groups=pages" data-narrow aria-current="page">Pages}, '... and where one is';
unlike $page->{text}, qr/more in/, '... with nothing left';
unlike $page->{text}, qr{<img src=x}, 'a name is text';
like $page->{text}, qr{&lt;img src=x onerror=(?:&quot;|&#34;)document\.title=(?:&#39;|&#x27;)owned}, '... as it is';
$page = $plain->go('/search?q=xyzzyx');
like $page->{text}, qr{Nothing matches “xyzzyx”.*Check how it is spelled.*<a class="button" href="/search"}s,
	'nothing is found in words, with a way out';
$page = $plain->go("/search?q=%3Cscript%3Ealert%281%29%3C%2Fscript%3E+%22x");
unlike $page->{text}, qr/<script>alert/, 'what was typed is text';
like $page->{text}, qr/value="&lt;script&gt;alert\(1\)&lt;\/script&gt; &quot;x"/, '... and stays typed';
$page = $plain->go("/w/$ws/search?q=report");
like $page->{text},
	qr{<h1>Search Northwind Studio</h1>.*Only in Northwind Studio\. <a href="/search\?q=report" data-narrow>Search everything</a>}s,
	'a workspace is searched by itself, and everything is one step away';
like $page->{text}, qr{Northwind Studio</span>.*<nav aria-label="Main">\s*<a href="/w/$ws">}s, '... in its look';
unlike $page->{text}, qr{aria-current="page">Settings}, '... and it is none of its places';
unlike $page->{text}, qr/Marmalade/, '... without what is elsewhere';
is $plain->go("/search?q=report&groups=pages&workspace=$ws")->{path}, "/w/$ws/search?q=report&groups=pages",
	'... to which a workspace in the query leads, as in the API';
like $plain->go("/w/$ws/search?q=marmalade")->{text}, qr{Only Northwind Studio was searched.*href="/search\?q=marmalade"}s,
	'what is not in it may be elsewhere';
like $plain->go('/search')->{text}, qr{Recent.*Zebra crossing.*Do.*Publish a folder.*Connect an agent}s,
	'with nothing searched for there is what is new, and what can be done';
like $plain->go('/search?q=+')->{text}, qr{Recent}, '... and with nothing but a blank';
is $plain->go('/search?q=' . 'x' x 201)->{status}, 400, 'too long a text is refused';
is $plain->go('/search?q=x&groups=nonsense')->{status}, 400, 'and what is no kind of things';
is $plain->go('/search/box?q=' . 'x' x 201)->{status}, 400, '... in the box, too';
$page = $plain->go('/search/box?q=quarterly');
like $page->{text}, qr{<mark>Quarterly</mark>}, 'the box has the same';
unlike $page->{text}, qr/<html|<header|<title/, '... and nothing around it';
is $page->{headers}{'cache-control'}, 'no-store', '... and no browser keeps it';
my $stranger = Vitrine::Visitor->new($api);
$stranger->sign_in('eve@example.org', 'the password');
is $stranger->go("/w/$ws/search?q=report")->{status}, 404, 'a stranger has no such page of the workspace';
is $stranger->go("/w/$ws/search/box?q=report")->{status}, 404, '... nor its box';
like $stranger->go('/search?q=quarterly')->{text}, qr/Nothing matches “quarterly”/, '... and finds nothing of it';

# ---- the page in a browser

$_->sign_in(($_ == $ann ? 'ann' : 'ben') . '@example.org', 'the password') for $ann, $ben;
$ann->go("$app/search?q=reprot");
seen($ann, 'what is found');
$ann->go("$app/w/$ws/search?q=report&groups=pages");
seen($ann, 'one kind of a workspace');
press($ann, '/');
is $ann->script('return document.activeElement.id + getSelection().toString()'), 'qreport', 'its own field is what / leads to there';
$ann->go("$app/search?q=xyzzyx");
seen($ann, 'nothing found');
$ann->go("$app/search");
is $ann->script('return document.activeElement.id'), 'q', 'one can type at once where nothing is searched for';
seen($ann, 'a page with nothing typed');

# ---- the single key can be turned off

$ann->go("$app/auth/account")->click('[data-slash]');
press($ann->go("$app/w/$ws"), '/');
is opened($ann), 0, '/ does nothing where it was turned off';
press($ann, 'control', 'k');
is opened($ann), 1, '... which leaves Ctrl+K';
$ann->go("$app/auth/account");
is $ann->script('return document.querySelector("[data-slash]").checked'), 0, '... and is remembered';
seen($ann, 'an account, with the key turned off');
$ann->click('[data-slash]');

# ---- the box, by keys

$ann->go("$app/w/$ws");
my $before = $ann->script('return JSON.stringify([...document.querySelectorAll("main *, header > *")].map(e => '
	. 'Object.values(e.getBoundingClientRect().toJSON())))');
press($ann, '/');
is opened($ann), 1, '/ opens the box';
comes('what is new', sub { found($ann) =~ /Zebra/ });
like said($ann, qr/recent/i), qr/^Your recent items$/, '... and says so';
is $ann->script('return JSON.stringify([...document.querySelectorAll("main *, header > *")].map(e => '
	. 'Object.values(e.getBoundingClientRect().toJSON())))'), $before, '... and nothing on the page has moved';
seen($ann, 'the box with nothing typed');
press($ann, 'quarterly rep');
comes('what is found', sub { (chosen($ann) // '') eq 'Quarterly report' });
is $ann->script('return document.querySelector("dialog mark").textContent'), 'Quarterly', 'it is marked';
like said($ann, qr/quarterly/), qr/^1 result for quarterly rep, in pages$/, 'how many there are is told';
is $ann->script('return document.activeElement.value'), 'quarterly rep', 'the focus stays in the field';
press($ann, ('back') x 13, 'report');
comes('more', sub { found($ann) =~ /Monthly report \d+\|.*Monthly/ });
seen($ann, 'the box');
my @names = split /\|/, found($ann);
is scalar @names, 5, 'five of a kind';
is chosen($ann), $names[0], 'the best is chosen';
press($ann, 'down');
is chosen($ann), $names[1], 'an arrow chooses the next';
press($ann, 'up', 'up');
is chosen($ann), '8 more in pages', '... and from the first one the last, which leads to the others';
press($ann, 'home');
is chosen($ann), $names[0], 'Home chooses the first';
press($ann, 'end');
is chosen($ann), '8 more in pages', 'End the last';
press($ann, 'enter');
comes('the others', sub { split(/\|/, found($ann)) == 13 });
is $ann->url, "$app/w/$ws", '... on the same page';
is $ann->script('return document.querySelector("dialog nav [aria-current]").textContent'), 'Pages 13', '... which says of what kind';
$ann->click('dialog .said a');
comes('everything', sub { found($ann) =~ /Marmalade report/ });
is $ann->script('return document.activeElement.id + " " + document.activeElement.value'), 'palette-q report',
	'everything is searched instead, and one types on';
press($ann, 'escape');
is opened($ann), 0, 'Esc closes it';
is $ann->script('return document.activeElement.tagName'), 'BODY', '... and the focus is where it was';
$ann->click('#q');
press($ann, '/a');
is opened($ann) . $ann->script('return document.getElementById("q").value'), '0/a', 'in a field / is a letter';
press($ann, 'control', 'k');
is opened($ann), 0, '... and Ctrl+K the field’s own';
$ann->script('document.activeElement.blur()');
press($ann, 'control', 'k');
is opened($ann), 1, 'elsewhere Ctrl+K opens it';
press($ann, 'quarterly');
comes('the page', sub { (chosen($ann) // '') eq 'Quarterly report' });
my $windows = $ann->windows;
press($ann, 'control', 'enter');
comes('a window', sub { $ann->windows == $windows + 1 });
is opened($ann), 1, 'Ctrl+Enter opens it in another window, and the box stays';
press($ann, 'enter');
comes('the page', sub { $ann->url =~ /$best/ });
like $ann->wait_text(qr/Versions/), qr/Quarterly report/, 'Enter opens it';

# The field in the head: what is typed there is not lost.
$ann->go("$app/");
$ann->script('document.getElementById("find").focus()');
is opened($ann), 0, 'who comes to the field by Tab is not thrown out of it';
press($ann, 'quart');
comes('the box', sub { opened($ann) && (chosen($ann) // '') eq 'Quarterly report' });
is $ann->script('return document.activeElement.id + " " + document.activeElement.value'), 'palette-q quart',
	'typing there goes on in the box';
press($ann, 'escape');
is $ann->script('return document.activeElement.id + document.activeElement.value'), 'find', 'closed, the focus is in the field again';
$ann->click('#find');
is opened($ann), 1, 'a click opens it, too';
$ann->click('dialog [data-close]');
is opened($ann), 0, 'Close closes it';

# ---- names that are HTML

press($ann, 'control', 'k', 'release', 'onerror');
comes('it', sub { found($ann) eq $hostile });
is $ann->title . $ann->script('return document.querySelectorAll("dialog img").length'), 'Artifacts · Vitrine0',
	'a name that is HTML is text in the box';
press($ann, 'escape', );

# ---- who can't see it

press($ann, 'control', 'k', 'release', 'reprot');
like said($ann, qr/report/i), qr/^14 results for [Rr]eport, in pages$/, 'what was taken for what is told';
sub named { my ($b, $css) = @_; return join ' ', $b->read_aloud($css) }
is named($ann, 'dialog[open]'), 'dialog Search', 'a dialog with a name';
is named($ann, '#palette-q'), 'combobox Search everything you can see', '... in it a combobox';
is $ann->script('const f = document.querySelector("#palette-q"), l = document.getElementById(f.getAttribute("aria-controls")); '
	. 'return f.getAttribute("aria-expanded") + " " + f.getAttribute("aria-autocomplete") + " " + '
	. 'l.contains(document.getElementById(f.getAttribute("aria-activedescendant")))'), 'true list true', '... that leads to its list';
is named($ann, '#palette-list'), 'listbox Results', 'the list is one';
is named($ann, '#palette-list section'), 'group Pages', '... with groups that have names';
like named($ann, '#palette-list [aria-selected=true]'), qr/^option .*report/, '... and options';
is $ann->script('return [...document.querySelectorAll("#palette-list *")].filter(e => e.tabIndex >= 0).length'), 0,
	'none of them is a stop of its own';
press($ann, 'xyz');
like said($ann, qr/Nothing/), qr/^Nothing matches reprotxyz$/, 'nothing is told, too';
is $ann->script('return document.querySelector("#palette-q").getAttribute("aria-expanded")'), 'false', '... and there is no list';
seen($ann, 'nothing in the box');
press($ann, 'escape');

# ---- replies that come late

# From now on the reply about a zebra comes when the test says so, even if it was given up.
# In one piece, since a pause between two keys of a slow machine asks, too.
sub types {
	my ($b, $text) = @_;
	$b->script(<<'END', $text);
const field = document.activeElement;
field.value = '';
for (const letter of arguments[0]) {
	field.value += letter;
	field.dispatchEvent(new InputEvent('input', { bubbles: true }));
}
END
}
sub hold {
	my ($b) = @_;
	return $b->script(<<'END');
const real = window.fetch;
Object.assign(window, { left: [], asked: [], letGo: null });
window.fetch = (url, o) => {
	const q = new URL(url, location).searchParams.get('q');
	window.asked.push(q);
	o.signal.addEventListener('abort', () => window.left.push(q));
	if (q !== 'zebra') return real(url, o);
	return new Promise(ok => { window.letGo = async () => { const r = await real(url); ok(r.clone()); await r.text(); }; });
};
END
}
hold($ann);
press($ann, 'control', 'k', 'release', 'zebra');
comes('the question', sub { $ann->script('return !!window.letGo') });
press($ann, 'enter');
like $ann->wait_text(qr/Nothing here|Zebra crossing/), qr/Zebra/, 'Enter before the reply opens the page, which has it';
is $ann->url =~ s/^\Q$app\E//r, '/search?q=zebra', '... for what was typed';
$ann->go("$app/");
hold($ann);
press($ann, 'control', 'k', 'release');
types($ann, 'zebra');
comes('the question', sub { $ann->script('return !!window.letGo') });
types($ann, 'quarterly');
comes('the later reply', sub { found($ann) eq 'Quarterly report' });
is $ann->script('return window.left.filter(q => q).join()'), 'zebra', 'what is not wanted any more was given up';
$ann->script_async('const done = arguments[arguments.length - 1]; window.letGo().then(() => setTimeout(done))');
is found($ann), 'Quarterly report', 'its reply, when it comes, is not shown over the newer one';
is said($ann, qr/quarterly/), '1 result for quarterly, in pages', '... nor told instead of it';
is $ann->script('return window.asked.filter(q => q && !["zebra", "quarterly"].includes(q)).join()'), '',
	'it is asked once one pauses, not for each letter';
$ann->script('window.fetch = () => Promise.reject(new TypeError("no network"))');
press($ann, 's');
like said($ann, qr/answer/), qr/^Search doesn’t answer\. Press Enter to try again\.$/, 'without a network it says so';
press($ann, 'escape');

# ---- a telephone

$ben->go("$app/w/$ws");
is $ben->script('const r = document.querySelector(".find-link").getBoundingClientRect(); '
		. 'return Math.min(r.width, r.height) >= 44 && getComputedStyle(document.querySelector("#find").form).display'), 'none',
	'instead of the field there is a button, large enough for a finger';
$ben->click('.find-link');
comes('the box', sub { opened($ben) && found($ben) });
press($ben, 'report');
comes('what is found', sub { said($ben, qr/13 results/) });
is $ben->script('const r = document.querySelector("dialog").getBoundingClientRect(); '
	. 'return [r.x, r.y, r.width >= innerWidth - 20, r.height >= innerHeight].join()'), '0,0,true,true', 'it is all there is';
is join(' ', @{$ben->script('return [...document.querySelectorAll("dialog :is(a, button, input)")].filter(e => e.checkVisibility() '
	. '&& !e.closest(".said") && e.getBoundingClientRect().height < 44).map(e => e.textContent)')}), '', 'all of it is large enough';
is $ben->script('return document.documentElement.scrollWidth <= innerWidth && document.querySelector("dialog .results").scrollWidth <= '
	. 'document.querySelector("dialog .results").clientWidth'), 1, 'nothing is wider than it';
$ben->screenshot('search-telephone');
$ben->click('dialog .found a');
comes('it', sub { $ben->url =~ m{/a/art_} });

# ---- a session that has ended

$ann->go("$app/");
$db->do('DELETE FROM session WHERE user_id = ?', undef, $user{ann}{id});
press($ann, 'control', 'k', 'release', 'quarterly');
comes('signing in', sub { $ann->url =~ m{/auth/signin\?next=} });
$ann->fill('#email', 'ann@example.org')->fill('#password', 'the password')->click('form button.primary');
comes('the page of search', sub { $ann->url =~ m{^\Q$app\E/search} });

finish($stack);
