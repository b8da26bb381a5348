# SPDX-License-Identifier: Apache-2.0
# A real browser: Debian's Chromium over the W3C WebDriver protocol. Each has a profile of its own, so two people can browse at once. It is the build without
# windows, which takes a third of the time and is the same where pages are concerned; whole => 1 is the one that people have.
package Vitrine::Browser;
use strict;
use warnings;
use Exporter 'import';
use File::Path 'remove_tree';
use File::Temp 'tempdir';
use IO::Select;
use IO::Socket::INET;
use Cpanel::JSON::XS;
use MIME::Base64;
use POSIX ();
use Test::More ();
use Time::HiRes qw(sleep time);
use Vitrine::Stack;

# What WebDriver calls an element's id by.
my $ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

# What tests of pages say of one, as words of theirs: use Vitrine::Browser qw(seen row shown).
our @EXPORT_OK = qw(seen row shown);

# whole => 1, dark => 1, width, height
sub new {
	my ($class, $stack, %o) = @_;
	my $dir = tempdir('vitrine-browser-XXXXXX', TMPDIR => 1);
	my $b = bless { dir => $dir, owner => $$, app => "https://vitrine.localhost:$stack->{port}", json => Cpanel::JSON::XS->new->utf8 }, $class;
	$b->start_driver;
	# The tests' certificate is trusted by its key, and no other.
	my $pin = `openssl x509 -in $stack->{tls}/cert.pem -noout -pubkey | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64`;
	chomp $pin;
	my ($name, $binary) = $o{whole} ? ('chrome', '/usr/bin/chromium') : ('chrome-headless-shell', '/usr/lib/chromium/chromium-headless-shell');
	# Its own name is a program's, whose looks count as nobody's.
	my @agent = $o{person} ? '--user-agent=Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36' : ();
	my @args = (@agent, '--headless', '--disable-gpu', '--disable-dev-shm-usage', "--user-data-dir=$dir/profile", "--ignore-certificate-errors-spki-list=$pin",
		'--window-size=' . ($o{width} // 900) . ',' . ($o{height} // 900), ($> == 0 ? '--no-sandbox' : ()), ($o{dark} ? '--force-dark-mode' : ()), '--no-first-run',
		'--host-resolver-rules=MAP *.localhost 127.0.0.1');
	my $r = $b->call(POST => '/session', { capabilities => { alwaysMatch => { browserName => $name, 'goog:loggingPrefs' => { browser => 'ALL', performance => 'OFF' },
		'goog:chromeOptions' => { binary => $binary, args => \@args } } } });
	$b->{session} = "/session/$r->{sessionId}";
	$b->call(POST => "$b->{session}/timeouts", { implicit => 15_000, pageLoad => 120_000 });
	$b->width($o{width}) if ($o{width} // 900) < 500;
	return $b;
}

sub start_driver {
	my ($b) = @_;
	my $log = "$b->{dir}/driver.log";
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		POSIX::setsid();
		$ENV{HOME} = $b->{dir};
		open STDIN, '<', '/dev/null';
		open STDOUT, '>', $log or die;
		open STDERR, '>&', \*STDOUT;
		exec 'chromedriver', '--port=0' or POSIX::_exit(127);
	}
	$b->{pid} = $pid;
	Vitrine::Stack::wait_for('chromedriver', 120, sub { ($b->{port}) = Vitrine::Stack::slurp($log) =~ /started successfully on port (\d+)/ });
}

# A request goes out in one piece: a body that follows its head waits 40 ms for the head's acknowledgement.
sub call {
	my ($b, $method, $path, $body) = @_;
	my $c = $b->{driver} //= IO::Socket::INET->new(PeerHost => '127.0.0.1', PeerPort => $b->{port}, Timeout => 60) // die "chromedriver: $!\n";
	my $json = $method eq 'POST' ? $b->{json}->encode($body // {}) : '';
	syswrite $c, "$method $path HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: " . length($json) . "\r\n\r\n$json";
	my $reply = '';
	my $more = sub { IO::Select->new($c)->can_read(60) && sysread $c, $reply, 1 << 20, length $reply or die "WebDriver $method $path: no answer\n" };
	$more->() until $reply =~ /\r\n\r\n/;
	my $head = $+[0];
	my ($length) = $reply =~ /^Content-Length:\s*(\d+)/mi;
	$more->() while length $reply < $head + $length;
	my $value = eval { $b->{json}->decode(substr $reply, $head)->{value} };
	my ($status) = $reply =~ /^HTTP\S+ (\d+)/;
	die "WebDriver $method $path: $status " . (ref $value eq 'HASH' ? $value->{message} : substr $reply, $head) . "\n" if $status != 200;
	return $value;
}

# A window is at least 500 pixels wide; a telephone is not.
sub width {
	my ($b, $width) = @_;
	$b->{width} = $width;
	$b->in(POST => '/goog/cdp/execute', { cmd => 'Emulation.setDeviceMetricsOverride', params => { width => $width, height => 844, deviceScaleFactor => 1, mobile => Cpanel::JSON::XS::false } });
	return $b;
}

sub in { my ($b, $method, $path, $body) = @_; return $b->call($method, $b->{session} . $path, $body) }
sub go { my ($b, $url) = @_; $b->in(POST => '/url', { url => $url }); return $b }
sub url { return $_[0]->in(GET => '/url') }
sub title { return $_[0]->in(GET => '/title') }
sub reload { return $_[0]->in(POST => '/refresh') }
sub element { my ($b, $css) = @_; return (values %{$b->in(POST => '/element', { using => 'css selector', value => $css })})[0] }
sub link_named { my ($b, $text) = @_; return (values %{$b->in(POST => '/element', { using => 'partial link text', value => $text })})[0] }
# The text that an element shows, as WebDriver has it, whose own way takes ten times as long: a line for each block, without empty ones.
sub text {
	my ($b, $css) = @_;
	my $text = $b->script('return arguments[0].innerText', { $ELEMENT => $b->element($css // 'body') });
	return $text =~ s/[ \t\xa0]+/ /gr =~ s/ ?\n\s*/\n/gr =~ s/^\s+|\s+$//gr;
}
sub click { my ($b, $css) = @_; $b->in(POST => '/element/' . $b->element($css) . '/click'); return $b }
# A link that the header lists under More is reached through that.
sub follow { my ($b, $text) = @_; $b->script('const all = [...document.links].filter(a => a.textContent.includes(arguments[0])), more = all.map(a => a.closest(".top .places")).find(Boolean); if (more && !all.some(a => a.checkVisibility())) more.open = true', $text); $b->in(POST => '/element/' . $b->link_named($text) . '/click'); return $b }
sub script { my ($b, $js, @args) = @_; return $b->in(POST => '/execute/sync', { script => $js, args => \@args }) }
sub script_async { my ($b, $js, @args) = @_; return $b->in(POST => '/execute/async', { script => $js, args => \@args }) }
sub cookies { return map { $_->{name} } @{$_[0]->in(GET => '/cookie')} }

sub fill {
	my ($b, $css, $text) = @_;
	my $e = $b->element($css);
	$b->in(POST => "/element/$e/clear");
	$b->in(POST => "/element/$e/value", { text => $text });
	return $b;
}

# With a password, as somebody without a second factor.
sub sign_in {
	my ($b, $email, $password) = @_;
	$b->go("$b->{app}/auth/signin")->fill('#email', $email)->fill('#password', $password)->click('form button.primary');
	$b->wait_text(qr/Artifacts/);
	return $b;
}

# Until the page shows it: what a click leads to takes its time.
sub wait_text {
	my ($b, $like) = @_;
	my ($text, $until) = ('', time + 60);
	while (time < $until) {
		$text = eval { $b->text('body') } // '';
		return $text if $text =~ $like;
		sleep 0.05;
	}
	die 'the page does not show ' . $like . ' but at ' . $b->url . ":\n$text\n";
}

# What the console complained about since it was last asked.
sub complaints { my ($b) = @_; return map { $_->{message} } grep { $_->{level} eq 'SEVERE' } @{$b->in(POST => '/se/log', { type => 'browser' })} }

# Into $VITRINE_SCREENSHOTS, if that is set.
sub screenshot {
	my ($b, $name) = @_;
	my $folder = $ENV{VITRINE_SCREENSHOTS} // return;
	open my $f, '>:raw', "$folder/$name.png" or die "$folder/$name.png: $!\n";
	print $f decode_base64($b->in(GET => '/screenshot'));
}

sub cdp { my ($b, $cmd, %params) = @_; return $b->in(POST => '/goog/cdp/execute', { cmd => $cmd, params => \%params }) }

# Drops files and folders on an element, as a person does out of another window.
sub drop {
	my ($b, $css, @paths) = @_;
	# A page can be read before its scripts have begun, to which a drop would be lost.
	Vitrine::Stack::wait_for('the scripts', 60, sub { $b->script('return document.readyState') eq 'complete' });
	my ($x, $y) = @{$b->script('const e = document.querySelector(arguments[0]); e.scrollIntoView({ block: "center" }); const r = e.getBoundingClientRect(); return [r.x + 20, r.y + 20]', $css)};
	for (qw(dragEnter dragOver drop)) { $b->cdp('Input.dispatchDragEvent', type => $_, x => $x, y => $y, data => { items => [], files => \@paths, dragOperationsMask => 1 }) }
	return $b;
}

# Chooses files, or a folder, to publish, which a form with scripts sends at once.
sub choose_files {
	my ($b, $css, @paths) = @_;
	Vitrine::Stack::wait_for('the scripts', 60, sub { $b->script('return document.readyState') eq 'complete' });
	$b->in(POST => '/element/' . $b->element($css) . '/value', { text => join "\n", @paths });
	return $b;
}

# The page as it is on a telephone and on a desk, by day and by night: what barriers it has there, and a picture of all of it.
sub looks {
	my ($b, $name) = @_;
	my @wrong;
	# Each change draws the page anew, which takes longer than to check it: in this order there are the fewest.
	for ([1280, qw(light dark)], [390, qw(dark light)]) {
		my ($width, @themes) = @$_;
		$b->cdp('Emulation.setDeviceMetricsOverride', width => $width, height => 844, deviceScaleFactor => 1, mobile => Cpanel::JSON::XS::false);
		for my $theme (@themes) {
			$b->cdp('Emulation.setEmulatedMedia', features => [{ name => 'prefers-color-scheme', value => $theme }, { name => 'prefers-reduced-motion', value => 'reduce' }]);
			push @wrong, map { "$width $theme: $_" } $b->barriers;
			$b->picture("$name-" . ($width > 500 ? 'd' : 'm') . "-$theme");
		}
	}
	$b->cdp('Emulation.setEmulatedMedia', features => []);
	$b->{width} ? $b->width($b->{width}) : $b->cdp('Emulation.clearDeviceMetricsOverride');
	return @wrong;
}

# All of the page, also what is below the fold.
sub picture {
	my ($b, $name) = @_;
	my $folder = $ENV{VITRINE_SCREENSHOTS} // return;
	# What was just made narrower is drawn so a frame later.
	$b->script_async('const done = arguments[arguments.length - 1]; requestAnimationFrame(() => requestAnimationFrame(() => done(1)))');
	my $size = $b->cdp('Page.getLayoutMetrics')->{cssContentSize};
	my $data = $b->cdp('Page.captureScreenshot', captureBeyondViewport => Cpanel::JSON::XS::true, clip => { x => 0, y => 0, width => $size->{width}, height => $size->{height}, scale => 1 })->{data};
	open my $f, '>:raw', "$folder/$name.png" or die "$folder/$name.png: $!\n";
	print $f decode_base64($data);
}

# Looked at so, under a name, and in pictures that are called after the test. refused => 1: it answers a form, or somebody, with a refusal, which the browser notes.
my $seen = 0;
sub seen {
	my ($b, $name, %o) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my ($test) = $0 =~ m{([^/]+?)(?:-page)?\.t$};
	Test::More::is(join('; ', $b->looks(sprintf '%s-%02d-%s', $test, ++$seen, $name =~ s/\W+/-/gr)), '', "$name has no barrier, wide and narrow, by day and by night");
	return Test::More::is(join('; ', grep { /\Q$b->{app}\E/ && !/favicon/ && !($o{refused} && /40\d|413/) } $b->complaints), '', "the browser has no complaint about $name");
}

# The first row of a list or a table whose text is like this, in one line.
sub row { my ($b, $like) = @_; return ($b->script('return ([...document.querySelectorAll(".rows > li, .things tbody tr")].find(e => new RegExp(arguments[0]).test(e.textContent)) || {}).innerText', $like) // '') =~ s/\s+/ /gr =~ s/ \z//r }

# Whether there is such an element, and it can be seen.
sub shown { my ($b, $css) = @_; return $b->script('const e = document.querySelector(arguments[0]); return e !== null && e.checkVisibility()', $css) }

# What a person with poor sight or without a mouse would stumble over; WCAG 2.2 AA as far as a program can tell: contrast (1.4.3, 1.4.11), names of controls
# (4.1.2), language and title (3.1.1, 2.4.2), size of targets (2.5.8), reflow at 320 pixels is the caller's width (1.4.10).
sub barriers {
	my ($b) = @_;
	return @{$b->script(<<'END')};
const wrong = [];
const rgb = (s) => s.match(/[\d.]+/g).map(Number);
const light = (c) => { const [r, g, b] = c.map((v) => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; }); return .2126 * r + .7152 * g + .0722 * b; };
const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + .05) / (y + .05); };
const ground = (e) => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c.slice(0, 3); } return matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18] : [255, 255, 255]; };
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let n; (n = walk.nextNode());) {
	const e = n.parentElement;
	if (!n.data.trim() || !e.offsetParent || e.tagName === 'STYLE') continue;
	const r = ratio(rgb(getComputedStyle(e).color).slice(0, 3), ground(e));
	if (r < 4.5) wrong.push(`contrast ${r.toFixed(2)}: ${n.data.trim().slice(0, 40)}`);
}
for (const e of document.querySelectorAll('input:not([type=hidden]), textarea, select'))
	if (!(e.labels && e.labels.length) && !e.getAttribute('aria-label')) wrong.push(`no label: ${e.name}`);
for (const e of document.querySelectorAll('button, a')) {
	if (!e.textContent.trim() && !e.querySelector('img[alt]:not([alt=""])') && !e.closest('[aria-hidden=true]')) wrong.push('a control without a name');
	const r = e.getBoundingClientRect();
	if (e.tagName === 'BUTTON' && e.checkVisibility() && (r.width < 24 || r.height < 24)) wrong.push(`a small target: ${e.textContent}`);
}
if (!document.documentElement.lang) wrong.push('no language');
if (!document.title) wrong.push('no title');
if (document.querySelectorAll('h1').length !== 1) wrong.push('not one h1');
if (!document.querySelector('main')) wrong.push('no main');
if (document.documentElement.scrollWidth > innerWidth) wrong.push('wider than the window');
return wrong;
END
}

sub DESTROY {
	my ($b) = @_;
	return if $b->{owner} != $$ || !$b->{pid};
	local ($?, $@);
	eval { $b->call(DELETE => $b->{session}) } if $b->{session};
	kill 'KILL', -$b->{pid};
	waitpid $b->{pid}, 0;
	remove_tree($b->{dir});
}

1;
