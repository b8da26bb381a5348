# SPDX-License-Identifier: Apache-2.0
# Pictures of public pages: what is shown, where, and of whom. picture-room.t has what a stranger's page may try.
use Vitrine::Browser;
use Vitrine::Picture;
use Vitrine::Words;

# The build without windows draws the same in half the time; picture-room.t has the other.
my $chromium = '/usr/lib/chromium/chromium-headless-shell';
plan skip_all => 'no Chromium is installed' if !-x $chromium;
my ($stack, $api, $db, $ann, $ben) = begin($chromium);
my $site = publish('site', { 'index.html' =>
	'<!doctype html><link rel=stylesheet href=a.css><h1>Hello</h1><canvas id=c width=200 height=200></canvas><p id=p></p>'
	. '<script src=a.js></script>',
	'a.css' => 'body{background:#08f;margin:0}p{position:absolute;left:800px;top:400px;width:200px;height:200px;margin:0}',
	'a.js' => 'const x=c.getContext("2d");x.fillStyle="#f00";x.fillRect(0,0,200,200);'
		. 'fetch("data/colour.json").then(r=>r.json()).then(j=>{p.style.background=j.colour})',
	'data/colour.json' => '{"colour":"#0c0"}' });

subtest 'a public page is shown as it looks' => sub {
	is shown($site), 'svg+xml', 'first a card';
	my @said = runner();
	is_deeply [map { $_->{artifact} } grep { $_->{event} eq 'picture' } @said], [$site], 'the runner makes a picture'
		or diag explain \@said;
	is_deeply [map { colour_of($site, @$_) } [630, 390], [10, 60], [450, 250]], [qw(0088ff ff0000 00cc00)],
		'with its style, its canvas and what its script has loaded';
	is shown($site, $ben), 'png', 'for whoever sees it';
	my $r = thumbnail($site);
	like $r->{headers}{etag}, qr/^"/, 'with a strong ETag';
	is $r->{headers}{'cache-control'}, 'private, no-cache', 'to be asked about';
	like $r->{headers}{'content-security-policy'}, qr/^sandbox; default-src 'none'/, 'and nothing in it runs';
	is thumbnail($site, $ann, 'If-None-Match' => $r->{headers}{etag})->{status}, 304, 'not sent again';
	cmp_ok length $r->{body}, '<', 256 << 10, 'and it is small';
	is scalar(grep { $_->{event} =~ /picture/ } runner()), 0, 'it is made once';
	my $noise = publish('noise', '<body style="margin:0"><canvas id=c width=1280 height=800></canvas>'
		. '<script>const x = c.getContext("2d"), d = x.createImageData(1280, 800);'
		. 'for (let i = 0; i < d.data.length; i++) d.data[i] = i % 4 == 3 ? 255 : Math.random() * 256; x.putImageData(d, 0, 0); '
		. 'x.fillStyle = "#fff"; x.fillRect(0, 0, 100, 100)</script>');
	runner();
	is colour_of($noise, 20, 20), 'ffffff', 'what is hard to pack has fewer shades';
	cmp_ok length thumbnail($noise)->{body}, '<=', 256 << 10, '... and is no larger';
	$api->get_site('site', '/');
	Vitrine::Stack::wait_for('a view', 60, sub { -s "$stack->{dir}/views" });
	is scalar(split /\n/, Vitrine::Stack::slurp("$stack->{dir}/views") =~ s/^\0+//r), 1, 'making it is no view';
};

subtest 'on the pages that show it' => sub {
	my $app = "https://vitrine.localhost:$stack->{port}";
	publish('card', '<h1>never drawn by a browser</h1>', visibility => 'private');
	$stack->ctl_in("the password\n", qw(user password ann@example.org));
	my $b = Vitrine::Browser->new($stack, width => 1280, height => 900);
	$b->go("$app/auth/signin");
	$b->fill('#email', 'ann@example.org')->fill('#password', 'the password')->click('form button.primary');
	$b->wait_text(qr/card/);
	my $widths = 'return Array.from(document.querySelectorAll(".case img")).map(i => i.naturalWidth)';
	Vitrine::Stack::wait_for('the pictures', 60, sub { 2 == grep { $_ == 640 } @{$b->script($widths)} });
	is_deeply [sort map { $_ == 640 ? 'picture' : 'card' } @{$b->script($widths)}], [qw(card picture picture)],
		'home shows them beside a card';
	is join('; ', $b->looks('picture-home')), '', 'without a barrier';
	$b->go("$app/a/$site");
	Vitrine::Stack::wait_for('the picture', 60, sub { join(' ', @{$b->script($widths)}) eq '640' });
	is join('; ', $b->looks('picture-artifact')), '', "the artifact's page does, too";
	is join('; ', grep { /\Q$app\E/ && !/favicon/ } $b->complaints), '', 'and the browser has no complaint';
};

subtest 'whose picture there is' => sub {
	my $private = publish('private', '<h1>secret</h1>', visibility => 'private');
	my $unlisted = publish('unlisted', '<h1>unlisted</h1>', visibility => 'unlisted');
	is row($_), undef, 'of what is not public none is wanted' for $private, $unlisted;
	my $first = row($site);
	publish('site', '<body style="background:#111">draft<p>', draft => Cpanel::JSON::XS::true);
	patch($site, name => 'Another name');
	is_deeply row($site), $first, 'neither a draft nor a new name makes a new one';
	publish('site', '<body style="background:#123456">two');
	is colour_of($site), '0088ff', 'the old one stays until there is the new';
	cmp_ok row($site)->{due_at}, '>', row($site)->{begun_at} + 30, 'which is made a minute after the last';
	now_due($site);
	runner();
	is colour_of($site), '123456', 'then it is the new one';
	publish('site', '<body style="background:#321">three');
	$db->do('UPDATE picture SET wanted_at = wanted_at - 3700 WHERE artifact_id = ?', undef, $site);
	is shown($site), 'svg+xml', 'one that is never replaced is not shown for ever';
	now_due($site);
	runner();
	is colour_of($site), '332211', 'three';
	for my $closed ('private', 'unlisted') {
		patch($site, visibility => $closed);
		is shown($site), 'svg+xml', "$closed: a card at once";
		is row($site), undef, 'and the picture is gone';
		patch($site, visibility => 'public');
		runner();
		is colour_of($site), '332211', 'public again: a picture';
	}
	$stack->ctl('artifact', 'pause', $site);
	is_deeply [shown($site), row($site)], ['svg+xml', undef], 'paused: a card';
	$stack->ctl('artifact', 'resume', $site);
	runner();
	is shown($site), 'png', 'and back';
	is $api->call(DELETE => "/v1/artifacts/$site", { token => $ann->{token} })->{status}, 200, 'deleted';
	is row($site), undef, 'gone';
	is $api->call(POST => "/v1/artifacts/$site/restore", { token => $ann->{token} })->{status}, 200, 'restored';
	# It was closed in another transaction than the runner's, which has begun by then.
	$db->do("UPDATE artifact SET visibility = 'private' WHERE id = ?", undef, $site);
	is scalar(grep { $_->{event} =~ /picture/ } runner()), 0, 'none is made of what is private by now';
	is row($site), undef, 'and the row that said so goes';
	$db->do("UPDATE artifact SET visibility = 'public' WHERE id = ?", undef, $site);
	is $api->call(PATCH => "/v1/artifacts/$site", { token => $ann->{token}, json => { name => 'site' } })->{status}, 200,
		'a change makes up for what is missing';
	my %odd = (nowhere => '<meta http-equiv=refresh content="0;url=https://vitrine.localhost:' . $stack->{port} . '/">left',
		white => '<title>nothing to see</title>');
	my %art = map { $_ => publish($_, $odd{$_}) } keys %odd;
	my %said = map { $_->{artifact} => $_->{why} } grep { $_->{event} eq 'no picture' } runner();
	like $said{$art{nowhere}}, qr/redirects elsewhere/, 'none of a page that leads elsewhere';
	like $said{$art{white}}, qr/one color/, 'nor of one on which there is nothing';
	is shown($art{$_}), 'svg+xml', 'but a card' for sort keys %odd;
	my $there = '<h1>There</h1>';
	my $led = $api->publish($ann, slug => 'led', visibility => 'public',
		files => { 'index.html' => 'x', 'there/index.html' => $there, '_redirects' => "/ /there/ 302!\n" });
	my $deep = $api->publish($ann, slug => 'deep', visibility => 'public', entrypoint => 'docs/index.html',
		files => { 'docs/index.html' => $there });
	is scalar(grep { $_->{event} eq 'no picture' } runner()), 0, 'a page to which / redirects';
	like shown($_), qr/png/, '... has a picture' for $led, $deep;
	for (1 .. 2) {
		now_due($art{white});
		runner();
	}
	is_deeply [@{row($art{white})}{qw(due_at version_no)}], [undef, 1], 'after three attempts none is tried';
};

subtest 'bytes that are lost, damaged, saved' => sub {
	my $hex = lc row($site)->{digest};
	my $object = "$stack->{dir}/data/objects/" . substr($hex, 0, 2) . "/$hex";
	ok -f $object, 'it is an object';
	my ($status, $out) = $stack->program('vitrinectl', {}, 'fsck');
	is $status, 0, 'fsck finds nothing wrong: it counts as nobody\'s storage' or diag $out;
	$stack->ctl('backup', "$stack->{dir}/backup");
	ok -s "$stack->{dir}/backup/objects/" . substr($hex, 0, 2) . "/$hex", 'a backup has it';
	unlink $object;
	like +($stack->program('vitrinectl', {}, 'fsck', '--quick'))[1], qr/$hex/, 'fsck tells that it is missing';
	like $stack->ctl('reproject'), qr/1 pictures are missing or damaged/, 'reproject has it made again';
	is shown($site), 'svg+xml', 'a card meanwhile';
	runner();
	is shown($site), 'png', 'it is made';
	truncate $object, 100;
	$db->do('UPDATE sweep SET started_at = 1, under_way = 0 WHERE name = ?', undef, 'scrub');
	runner();
	is row($site)->{sha256}, undef, 'the scrub finds it damaged';
	runner();
	is shown($site), 'png', 'and it is made again';
	is $db->selectrow_array('SELECT COUNT(*) FROM damage'), 0, 'without a word to the operator';
};

finish($stack);
