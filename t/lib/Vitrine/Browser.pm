# SPDX-License-Identifier: Apache-2.0
# A person's browser: a page of Chromium with cookies of its own, so several people can browse at
# once. It is the build without windows, which takes a third of the time and is the same where pages
# are concerned; whole => 1 is the one that people have.
package Vitrine::Browser;
use strict;
use warnings;
use Exporter 'import';
use Cpanel::JSON::XS;
use MIME::Base64;
use Scalar::Util ();
use Test::More ();
use Time::HiRes qw(sleep time);
use Vitrine::Devtools;
use Vitrine::Stack;

# What tests of pages say of one, as words of theirs: use Vitrine::Browser qw(seen row shown).
our @EXPORT_OK = qw(seen row shown);

# How long a click or a field waits for its element, and a page for what it loads, in seconds.
my ($PATIENCE, $LOADS) = (15, 120);
my ($TRUE, $FALSE) = (Cpanel::JSON::XS::true, Cpanel::JSON::XS::false);
my $JSON = Cpanel::JSON::XS->new->allow_nonref;
# A program that isn't a person's has a name that says so, and its looks count as nobody's.
my $PERSON = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36';

# whole => 1, dark => 1, person => 1, width, height
sub new {
	my ($class, $stack, %o) = @_;
	my $chromium = Vitrine::Devtools::start($o{whole} ? 'whole' : 'shell', $stack->{tls});
	my ($width, $height) = ($o{width} // 900, $o{height} // 900);
	# complaints: of the console; inner: frame => session, inside: frame => context, for frames in
	# other processes and in this one.
	my $b = bless { app => "https://vitrine.localhost:$stack->{port}", window => $width,
		dark => $o{dark}, complaints => [], inner => {}, inside => {} }, $class;
	# The connection must not keep the browser alive.
	my $weak = $b;
	Scalar::Util::weaken($weak);
	$b->{devtools} = Vitrine::Devtools->new($chromium, sub { $weak->heard(@_) if $weak });
	my $call = sub { $b->{devtools}->call(undef, @_) };
	$b->{context} = $call->('Target.createBrowserContext', disposeOnDetach => $TRUE)->{browserContextId};
	$b->{target} = $call->('Target.createTarget', url => 'about:blank', width => $width,
		height => $height, browserContextId => $b->{context})->{targetId};
	$b->{session} = $call->('Target.attachToTarget', targetId => $b->{target}, flatten => $TRUE)->{sessionId};
	$b->cdp($_) for qw(Page.enable Runtime.enable Log.enable);
	# Frames of other sites are other processes, to which the page's session doesn't reach.
	$b->cdp('Target.setAutoAttach', autoAttach => $TRUE, waitForDebuggerOnStart => $FALSE, flatten => $TRUE);
	$b->cdp('Emulation.setUserAgentOverride', userAgent => $PERSON) if $o{person};
	$b->cdp('Emulation.setFocusEmulationEnabled', enabled => $TRUE);
	$b->themed;
	$b->width($width) if $width < 500;
	return $b;
}

# An event. A page is loading from the moment when a click or a script asks for another.
sub heard {
	my ($b, $m) = @_;
	my ($name, $p, $session) = (@$m{qw(method params)}, $m->{sessionId} // '');
	if ($name eq 'Log.entryAdded') { $b->complain($p->{entry}{level}, @{$p->{entry}}{qw(url lineNumber text)}) }
	elsif ($name eq 'Runtime.exceptionThrown') {
		my $e = $p->{exceptionDetails};
		$b->complain('error', @$e{qw(url lineNumber)}, $e->{exception}{description} // $e->{text});
	} elsif ($name eq 'Runtime.consoleAPICalled') {
		my $at = ($p->{stackTrace}{callFrames} // [])->[0] // {};
		my $text = join ' ', map { $_->{value} // $_->{description} // $_->{type} } @{$p->{args}};
		$b->complain($p->{type}, @$at{qw(url lineNumber)}, $text);
	} elsif ($name eq 'Target.attachedToTarget') {
		my $inner = $p->{sessionId};
		$b->{inner}{$p->{targetInfo}{targetId}} = $inner;
		$b->{devtools}->send($inner, $_) for $p->{targetInfo}{type} eq 'iframe' ? qw(Runtime.enable Log.enable) : ();
	} elsif ($name eq 'Target.detachedFromTarget') {
		delete $b->{inner}{$_} for grep { $b->{inner}{$_} eq $p->{sessionId} } keys %{$b->{inner}};
	} elsif ($name eq 'Runtime.executionContextCreated') {
		my $of = $p->{context}{auxData};
		$b->{inside}{$of->{frameId}} = $p->{context}{id} if $of->{isDefault} && $session eq ($b->{session} // '');
	} elsif ($name eq 'Page.javascriptDialogOpening') {
		$b->{devtools}->send($session, 'Page.handleJavaScriptDialog', accept => $p->{type} eq 'beforeunload' ? $TRUE : $FALSE);
	} elsif (($p->{frameId} // '') eq ($b->{target} // '') && ($p->{disposition} // 'currentTab') eq 'currentTab') {
		# What was asked for may be answered without a page, such as by a download.
		if ($name =~ /^Page.frame(?:Scheduled|Requested)Navigation$/) { $b->{asked} = time + 2 }
		elsif ($name eq 'Page.frameStartedLoading') { $b->{loading} = 1; $b->{asked} = 0 }
		elsif ($name =~ /^Page.frameStoppedLoading$|^Page.navigatedWithinDocument$/) { $b->{loading} = $b->{asked} = 0 }
	}
}

sub complain {
	my ($b, $level, $url, $line, $text) = @_;
	push @{$b->{complaints}}, { level => $level, message => ($url || '-') . ' ' . ($line // '-') . ' ' . $text };
}

# Until what the page was told to load is there.
sub settle {
	my ($b) = @_;
	my $until = time + $LOADS;
	$b->{devtools}->heed;
	while ($b->{loading} || ($b->{asked} // 0) > time) {
		die "the page has not loaded in $LOADS s\n" if time > $until;
		$b->{devtools}{select}->can_read(0.05) or length $b->{devtools}{got} or next;
		$b->{devtools}->heed;
	}
	return $b;
}

# A command to the page. Chromium answers before a page has its own width again, and a click would
# go to where its element was.
sub cdp {
	my ($b, $cmd, %params) = @_;
	my $r = $b->{devtools}->call($b->{session}, $cmd, %params);
	if ($cmd =~ /^Emulation\.(set|clear)DeviceMetricsOverride$/) {
		my $width = $1 eq 'set' ? $params{width} : $b->{window};
		Vitrine::Stack::wait_for("a width of $width pixels", 60, sub { local $b->{frame}; $b->run('innerWidth') == $width });
	}
	return $r;
}

# A window is at least 500 pixels wide; a telephone is not.
sub width {
	my ($b, $width) = @_;
	$b->{width} = $width;
	$b->sized($width);
	return $b;
}

sub sized {
	my ($b, $width) = @_;
	return $b->cdp('Emulation.setDeviceMetricsOverride', width => $width, height => 844, deviceScaleFactor => 1, mobile => $FALSE);
}

# As the person has it, or by day or by night.
sub themed {
	my ($b, $theme) = @_;
	$theme //= 'dark' if $b->{dark};
	$b->cdp('Emulation.setEmulatedMedia', features => [$theme ? { name => 'prefers-color-scheme', value => $theme } : ()]);
}

sub go {
	my ($b, $url) = @_;
	$b->settle;
	delete $b->{frame};
	my $r = $b->cdp('Page.navigate', url => $url);
	die "$url: $r->{errorText}\n" if $r->{errorText} && !$r->{isDownload};
	return $b->landed;
}

sub reload { my ($b) = @_; $b->settle; $b->cdp('Page.reload'); return $b->landed }
sub url { return $_[0]->script('return location.href') }
sub title { return $_[0]->script('return document.title') }

# What a command began is heard of before its answer to another.
sub landed {
	my ($b) = @_;
	$b->run('1');
	return $b->settle;
}

# The session of the page, or of the frame that the test has gone into, if that is another process.
sub session { my ($b) = @_; return $b->{inner}{$b->{frame} // ''} // $b->{session} }

# The value of an expression in the page; with handle => 1, an id of the object that it gives. A page
# that is just being replaced has no value: then the next page is asked.
sub run {
	my ($b, $expression, %o) = @_;
	for my $try (1 .. 5) {
		my @in = $b->{frame} && !$b->{inner}{$b->{frame}} ? (contextId => $b->{inside}{$b->{frame}}) : ();
		my $r = eval { $b->{devtools}->call($b->session, 'Runtime.evaluate', expression => $expression, @in,
			awaitPromise => $TRUE, userGesture => $TRUE, returnByValue => $o{handle} ? $FALSE : $TRUE) };
		if (!$r) {
			die $@ if $try == 5 || $@ !~ /context|navigated|Promise was collected|session/i;
			sleep 0.05;
			$b->settle;
			next;
		}
		my $e = $r->{exceptionDetails};
		die 'javascript error: ' . ($e->{exception}{description} // $e->{exception}{value} // $e->{text}) . "\n" if $e;
		return $o{handle} ? $r->{result}{objectId} : $r->{result}{value};
	}
}

sub script {
	my ($b, $js, @args) = @_;
	$b->settle;
	# Autofocus and a dialog that closes move the focus when the next frame is drawn.
	my $frame = $js =~ /activeElement/
		? 'await new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); setTimeout(done, 1000) });' : '';
	my $value = $b->run("(async function () { $frame $js\n}).apply(null, " . $JSON->encode(\@args) . ')');
	$b->settle;
	return $value;
}

# The script calls its last argument when it is done.
sub script_async {
	my ($b, $js, @args) = @_;
	$b->settle;
	my $value = $b->run("new Promise((done) => (function () { $js\n}).apply(null, [..." . $JSON->encode(\@args) . ', done]))');
	$b->settle;
	return $value;
}

# How an element is found: by CSS, or a link by a part of its text.
my $FIND = 'const find = (css, link) => link === null ? document.querySelector(css) '
	. ': [...document.querySelectorAll("a")].find((a) => a.checkVisibility() && a.innerText.replace(/\\s+/g, '
	. '" ").includes(link)) ?? null;';

# The value of a body of JavaScript about an element e, with a text. It returns { why } as long as a
# person couldn't use that element.
sub with_element {
	my ($b, $what, $body, %o) = @_;
	my $call = "(() => { $FIND const [css, link, text] = " . $JSON->encode([@$what, $o{text}])
		. '; const e = find(css, link); if (e === null) return { why: "there is none" };' . "\n$body\n})()";
	my $until = time + $PATIENCE;
	while (1) {
		$b->settle;
		my $r = $b->run($call);
		return $r if ref $r ne 'HASH' || !defined $r->{why};
		die join(' ', grep { defined } @$what) . ": $r->{why}, at " . $b->url . "\n" if time > $until;
		sleep 0.02;
	}
}

# The text that an element shows: a line for each block, without empty ones.
sub text {
	my ($b, $css) = @_;
	my $text = $b->with_element([$css // 'body', undef], 'return e.innerText ?? ""');
	return $text =~ s/[ \t\xa0]+/ /gr =~ s/ ?\n\s*/\n/gr =~ s/^\s+|\s+$//gr;
}

# The middle of what shows of an element, on the page that the mouse is over, whatever frame it is in.
# An option of a list has none: it is chosen without the mouse, since the list's menu isn't part of the page.
sub place {
	my ($b, @what) = @_;
	my $at = $b->with_element(\@what, <<'END');
if (e.localName === 'option') {
	const list = e.closest('select');
	if (list.disabled || e.disabled) return { why: 'it is disabled' };
	list.focus();
	if (list.multiple || !e.selected) {
		e.selected = list.multiple ? !e.selected : true;
		for (const name of ['input', 'change']) list.dispatchEvent(new Event(name, { bubbles: true }));
	}
	return {};
}
const middle = () => {
	const r = [...e.getClientRects()].find((r) => r.width > 0 && r.height > 0);
	if (!r) return null;
	const cut = (from, to, end) => (Math.max(from, 0) + Math.min(to, end)) / 2;
	return { x: cut(r.left, r.right, innerWidth), y: cut(r.top, r.bottom, innerHeight) };
};
const over = (p) => { const top = document.elementFromPoint(p.x, p.y); return top && e.contains(top); };
let p = middle();
if (!p) return { why: 'it takes no place' };
if (!over(p)) {
	e.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
	p = middle();
	if (!over(p)) return { why: `something else is there: ${document.elementFromPoint(p.x, p.y)?.outerHTML.slice(0, 100)}` };
}
return p;
END
	if (defined $at->{x} && $b->{frame}) {
		local $b->{frame};
		my ($left, $top) = @{$b->script('const f = document.querySelector(arguments[0]), r = f.getBoundingClientRect(); '
			. 'return [r.left + f.clientLeft, r.top + f.clientTop]', $b->{frame_css})};
		$at->{x} += $left;
		$at->{y} += $top;
	}
	return $at;
}
# Clicks with the mouse.
sub press_on {
	my ($b, @what) = @_;
	my $at = $b->place(@what);
	# A host gives a frame its height some time after the frame has asked, so what is in a frame may still move.
	while ($b->{frame} && defined $at->{x}) {
		my $before = $at;
		sleep 0.1;
		$at = $b->place(@what);
		last if "@$at{qw(x y)}" eq "@$before{qw(x y)}";
	}
	if (defined $at->{x}) {
		my %button = (button => 'left', clickCount => 1);
		my @sent = map { $b->{devtools}->send($b->{session}, 'Input.dispatchMouseEvent', type => $_, %$at,
			$_ eq 'mouseMoved' ? () : %button) } qw(mouseMoved mousePressed mouseReleased);
		$b->{devtools}->answer($_, "a click on $what[0]") for @sent;
	}
	return $b->landed;
}

sub click { my ($b, $css) = @_; return $b->press_on($css, undef) }
# A link that the header lists under More is reached through that.
sub follow {
	my ($b, $text) = @_;
	$b->script('const all = [...document.links].filter(a => a.textContent.includes(arguments[0])), '
		. 'more = all.map(a => a.closest(".top .places")).find(Boolean); '
		. 'if (more && !all.some(a => a.checkVisibility())) more.open = true', $text);
	return $b->press_on($text, $text);
}
sub cookies { return map { $_->{name} } @{$_[0]->cdp('Network.getCookies')->{cookies}} }

# Types into a field what is to be there.
sub fill {
	my ($b, $css, $text) = @_;
	my $typed = $b->with_element([$css, undef], <<'END', text => $text);
if (e.disabled || e.readOnly || !e.checkVisibility()) return { why: 'nothing can be typed there' };
e.focus();
if (/^(?:color|range|date|time|datetime-local|month|week)$/.test(e.type)) {
	e.value = text;
	for (const name of ['input', 'change']) e.dispatchEvent(new Event(name, { bubbles: true }));
	return false;
}
e.select();
if (text === '' && e.value !== '') document.execCommand('delete');
return text !== '';
END
	$b->cdp('Input.insertText', text => $text) if $typed;
	return $b;
}

# An element, as other commands of the protocol call it.
sub handle {
	my ($b, $css) = @_;
	$b->with_element([$css, undef], 'return 1');
	return $b->run('document.querySelector(' . $JSON->encode($css) . ')', handle => 1);
}

# Chooses files, or a folder, in a field for them.
sub attach {
	my ($b, $css, @paths) = @_;
	my $e = $b->handle($css);
	$b->cdp('DOM.setFileInputFiles', files => \@paths, objectId => $e);
	return $b->landed;
}

# Presses keys where the focus is: a name of %KEY, or a text of which each character is a key.
# 'control' or 'shift' is held until 'release', or the end.
my %HELD = (control => 2, shift => 8, release => 0);
my %KEY = (down => ['ArrowDown', 40], up => ['ArrowUp', 38], left => ['ArrowLeft', 37], right => ['ArrowRight', 39],
	delete => ['Delete', 46], f2 => ['F2', 113], home => ['Home', 36], end => ['End', 35],
	enter => ['Enter', 13, "\r"], escape => ['Escape', 27], tab => ['Tab', 9], back => ['Backspace', 8]);
sub press {
	my ($b, @keys) = @_;
	my $held = 0;
	for my $key (@keys) {
		if (defined $HELD{$key}) { $held = $HELD{$key}; next }
		for ($KEY{$key} ? $KEY{$key} : map { [$_, ord uc, $_] } split //, $key) {
			my ($name, $code, $text) = @$_;
			my %is = (key => $name, windowsVirtualKeyCode => $code, modifiers => $held);
			my @types = defined $text && !$held ? (type => 'keyDown', text => $text) : (type => 'rawKeyDown');
			$b->cdp('Input.dispatchKeyEvent', %is, @types);
			$b->cdp('Input.dispatchKeyEvent', type => 'keyUp', %is);
		}
	}
	return $b->landed;
}

# Into a frame, or out of it.
sub frame {
	my ($b, $css) = @_;
	delete $b->{frame};
	return $b if !defined $css;
	my $e = $b->handle($css);
	my $id = $b->cdp('DOM.describeNode', objectId => $e)->{node}{frameId};
	Vitrine::Stack::wait_for("the frame $css", 60, sub { $b->{devtools}->heed; $b->{inner}{$id} || $b->{inside}{$id} });
	@$b{qw(frame frame_css)} = ($id, $css);
	return $b;
}

# How many windows the person has.
sub windows {
	my ($b) = @_;
	my $all = $b->{devtools}->call(undef, 'Target.getTargets')->{targetInfos};
	return scalar grep { $_->{type} eq 'page' && $_->{browserContextId} eq $b->{context} } @$all;
}

# The role and the name of an element, as a screen reader has them.
sub read_aloud {
	my ($b, $css) = @_;
	my $e = $b->handle($css);
	return map { $_->{role}{value}, $_->{name}{value} } $b->cdp('Accessibility.getPartialAXTree', objectId => $e,
		fetchRelatives => $FALSE)->{nodes}[0];
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
sub complaints {
	my ($b) = @_;
	$b->landed;
	return map { $_->{message} } grep { $_->{level} eq 'error' } splice @{$b->{complaints}};
}

# Into $VITRINE_SCREENSHOTS, if that is set.
sub screenshot {
	my ($b, $name) = @_;
	my $folder = $ENV{VITRINE_SCREENSHOTS} // return;
	open my $f, '>:raw', "$folder/$name.png" or die "$folder/$name.png: $!\n";
	print $f $b->shot;
}

sub shot { my ($b) = @_; return decode_base64($b->cdp('Page.captureScreenshot')->{data}) }

# Drops files and folders on an element, as a person does out of another window.
sub drop {
	my ($b, $css, @paths) = @_;
	# A page can be read before its scripts have begun, to which a drop would be lost.
	Vitrine::Stack::wait_for('the scripts', 60, sub { $b->script('return document.readyState') eq 'complete' });
	my ($x, $y) = @{$b->script('const e = document.querySelector(arguments[0]); e.scrollIntoView({ block: "center" }); '
		. 'const r = e.getBoundingClientRect(); return [r.x + 20, r.y + 20]', $css)};
	for (qw(dragEnter dragOver drop)) {
		$b->cdp('Input.dispatchDragEvent', type => $_, x => $x, y => $y,
			data => { items => [], files => \@paths, dragOperationsMask => 1 });
	}
	return $b;
}

# Chooses files, or a folder, to publish, which a form with scripts sends at once.
sub choose_files {
	my ($b, $css, @paths) = @_;
	Vitrine::Stack::wait_for('the scripts', 60, sub { $b->script('return document.readyState') eq 'complete' });
	my $sent_at_once = $b->with_element([$css, undef], 'return e.form.classList.contains("now")');
	$b->attach($css, @paths);
	# Chromium lists the files of a folder later.
	$b->with_element([$css, undef], 'return e.files.length || { why: "it has no files" }') if !$sent_at_once;
	return $b;
}

# The page as it is on a telephone and on a desk, by day and by night: what barriers it has there, and a picture of all of it. No rule
# of the style sheets names a width and a theme, so two of the four combinations tell what all do; pictures are made of all.
sub looks {
	my ($b, $name) = @_;
	my @wrong;
	# Each change draws the page anew, which takes longer than to check it: in this order there are the fewest.
	my $all = $ENV{VITRINE_SCREENSHOTS} || $ENV{VITRINE_LONG};
	for ($all ? ([1280, qw(light dark)], [390, qw(dark light)]) : ([1280, 'light'], [390, 'dark'])) {
		my ($width, @themes) = @$_;
		$b->sized($width);
		for my $theme (@themes) {
			$b->themed($theme);
			push @wrong, map { "$width $theme: $_" } $b->barriers;
			$b->picture("$name-" . ($width > 500 ? 'd' : 'm') . "-$theme");
		}
	}
	$b->themed;
	$b->{width} ? $b->width($b->{width}) : $b->cdp('Emulation.clearDeviceMetricsOverride');
	# On a busy machine a click would go to what was drawn for another width.
	$b->drawn;
	return @wrong;
}

# Until what the page is now has been drawn.
sub drawn {
	my ($b) = @_;
	return $b->script('await new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); '
		. 'setTimeout(done, 1000) })');
}

# All of the page, also what is below the fold.
sub picture {
	my ($b, $name) = @_;
	my $folder = $ENV{VITRINE_SCREENSHOTS} // return;
	$b->drawn;
	my $size = $b->cdp('Page.getLayoutMetrics')->{cssContentSize};
	my $data = $b->cdp('Page.captureScreenshot', captureBeyondViewport => Cpanel::JSON::XS::true,
		clip => { x => 0, y => 0, width => $size->{width}, height => $size->{height}, scale => 1 })->{data};
	open my $f, '>:raw', "$folder/$name.png" or die "$folder/$name.png: $!\n";
	print $f decode_base64($data);
}

# Looked at so, under a name, and in pictures that are called after the test. refused => 1: it answers a form, or somebody, with a refusal,
# which the browser notes.
my $seen = 0;
sub seen {
	my ($b, $name, %o) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my ($test) = $0 =~ m{([^/]+?)(?:-page)?\.t$};
	Test::More::is(join('; ', $b->looks(sprintf '%s-%02d-%s', $test, ++$seen, $name =~ s/\W+/-/gr)), '',
		"$name has no barrier, wide and narrow, by day and by night");
	return Test::More::is(join('; ', grep { /\Q$b->{app}\E/ && !/favicon/ && !($o{refused} && /40\d|413/) } $b->complaints), '',
		"the browser has no complaint about $name");
}

# The first row of a list or a table whose text is like this, in one line.
sub row {
	my ($b, $like) = @_;
	return ($b->script('return ([...document.querySelectorAll(".rows > li, .things tbody tr")].find(e => '
		. 'new RegExp(arguments[0]).test(e.textContent)) || {}).innerText', $like) // '') =~ s/\s+/ /gr =~ s/ \z//r;
}

# Whether there is such an element, and it can be seen.
sub shown {
	my ($b, $css) = @_;
	return $b->script('const e = document.querySelector(arguments[0]); return e !== null && e.checkVisibility()', $css);
}

# What a person with poor sight or without a mouse would stumble over; WCAG 2.2 AA as far as a program can tell: contrast (1.4.3, 1.4.11),
# names of controls (4.1.2), language and title (3.1.1, 2.4.2), size of targets (2.5.8), reflow at 320 pixels is the caller's width
# (1.4.10).
sub barriers {
	my ($b) = @_;
	return @{$b->script(<<'END')};
const wrong = [];
// What fades from one theme to another has neither's colours.
for (const a of document.getAnimations()) if (a instanceof CSSTransition) a.finish();
const rgb = (s) => s.match(/[\d.]+/g).map(Number);
const light = (c) => {
	const [r, g, b] = c.map((v) => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; });
	return .2126 * r + .7152 * g + .0722 * b;
};
const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + .05) / (y + .05); };
const ground = (e) => {
	for (; e; e = e.parentElement) {
		const c = rgb(getComputedStyle(e).backgroundColor);
		if (c.length < 4 || c[3] > 0) return c.slice(0, 3);
	}
	return matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18] : [255, 255, 255];
};
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
	if (!e.textContent.trim() && !e.querySelector('img[alt]:not([alt=""])') && !e.closest('[aria-hidden=true]'))
		wrong.push('a control without a name');
	const r = e.getBoundingClientRect();
	if (e.tagName === 'BUTTON' && e.checkVisibility() && (r.width < 24 || r.height < 24))
		wrong.push(`a small target: ${e.textContent}`);
}
if (!document.documentElement.lang) wrong.push('no language');
if (!document.title) wrong.push('no title');
if (document.querySelectorAll('h1').length !== 1) wrong.push('not one h1');
if (!document.querySelector('main')) wrong.push('no main');
if (document.documentElement.scrollWidth > innerWidth) wrong.push('wider than the window');
return wrong;
END
}

1;
