# SPDX-License-Identifier: Apache-2.0
# What people read on a page: it is found by it, as it is now, by those who may open it.
use utf8;
use Encode 'encode_utf8';
use Time::HiRes 'time';
use Vitrine::Words;

my $chromium = '/usr/lib/chromium/chromium-headless-shell';
plan skip_all => 'no Chromium is installed' if !-x $chromium;
my ($stack, $api, $db) = stack(chromium => $chromium, publish_per_hour => 10_000, pictures_per_minute => 100);
my ($ann, $ben) = map { $stack->user("$_\@example.org") } qw(ann ben);

sub publish {
	my ($slug, $page, %more) = @_;
	return $api->publish($ann, slug => $slug, visibility => 'private', files => { 'index.html' => $page }, %more);
}
sub waits { return scalar $db->selectrow_array('SELECT COUNT(*) FROM page_seen WHERE due_at IS NOT NULL AND attempts = 0') }
# A run ends before its minute does; on a busy machine there is another.
sub all_opened {
	$db->do('UPDATE page_seen SET due_at = 0 WHERE due_at IS NOT NULL');
	my $end = time + 300;
	do { my ($status, undef, $err) = $stack->runner; is $status, 0, 'the runner ran' or diag $err } while waits() && time < $end;
}
sub body { return scalar $db->selectrow_array('SELECT body FROM page_text WHERE artifact_id = ?', undef, $_[0]) }
sub found {
	my ($words, $who) = @_;
	return $api->call(GET => '/v1/search?q=' . $words, { token => ($who // $ann)->{token} })->{json}{results};
}
sub found_ids { return [map { $_->{id} } @{found(@_)}] }

my $plain = publish('plain', '<!doctype html><meta charset=utf-8><title>Harvest</title><h1>Barley &amp;
	oats</h1><p hidden>unseen<script>var saltpetre = 1</script><p>Grüße aus 東京都庁
	<p id=p><script>p.textContent = "made by marjoram"</script>');
my $long = publish('long', '<title>x</title><p>' . join ' ', map { "thistle$_" } 1 .. 5000);
my $odd = publish('odd', "<title>x</title><p id=p>"
	. "<script>p.textContent = 'one \\u202e two \\u0000 three \\ud83d' + ' <img src=x> lovage '; document.body.title = 1</script>");
my $loops = publish('loops', '<title>Loops</title><p>never<script>const e = document.body; '
	. 'Object.defineProperty(document, "body", { get() { for (;;); } })</script>');
all_opened();

subtest 'what is kept' => sub {
	is body($plain), 'Harvest Barley & oats Grüße aus 東京都庁 made by marjoram',
		'the title and what is seen, on one line, also what a script has made';
	is length body($long), 20_000, 'as much as that of a long one';
	is body($odd), "x one two three \x{fffd} <img src=x> lovage", 'nothing of what is no plain text';
	is body($loops), '', 'nothing of a page that never says; but that holds nothing up';
	is $api->call(GET => "/v1/artifacts/$loops/problems", { token => $ann->{token} })->{json}{problems}{status}, 'checked',
		'... and it was opened';
};

subtest 'it is found' => sub {
	for my $words (qw(barley oats marjoram grusse), 'GR%C3%9CSSE', '%E6%9D%B1%E4%BA%AC', 'marjoram%20barley') {
		is_deeply found_ids($words), [$plain], "by $words";
	}
	is_deeply found_ids('harvest')->[0], $plain, 'by its title';
	my ($hit) = @{found('marjoram')};
	is $hit->{snippet}, 'Harvest Barley & oats Grüße aus 東京都庁 made by marjoram', 'with what stands around it';
	is found('plain')->[0]{snippet}, undef, 'which alone needs no more';
	like found('lovage')->[0]{snippet}, qr/<img src=x> lovage/, 'a text is a text';
	is_deeply found_ids($_), [], "not by $_, which nobody reads" for qw(unseen saltpetre);
	is_deeply found_ids($_, $ben), [], "nobody else finds $_" for qw(barley marjoram harvest);
	is scalar grep({ $_ eq $long } @{found_ids('thistle5')}), 1, 'by a word of a long page';
	like found('thistle700')->[0]{snippet}, qr/^….{0,50} thistle700 .{80,}…$/, '... of which a part is shown';
};

subtest 'as it is now' => sub {
	publish('plain', '<title>Harvest</title><p>Rye and millet', artifact_id => $plain);
	is found('harvest')->[0]{snippet}, undef, 'what was there before is shown to nobody';
	all_opened();
	is_deeply found_ids('millet'), [$plain], 'the new text is found';
	is_deeply found_ids('marjoram'), [], '... and what is gone is not';
	is $api->call(DELETE => "/v1/artifacts/$plain", { token => $ann->{token} })->{status}, 200, 'deleted';
	is_deeply found_ids('millet'), [], 'nor what is in the trash';
	is $api->call(POST => "/v1/artifacts/$plain/restore", { token => $ann->{token} })->{status}, 200, 'and back';
	is_deeply found_ids('millet'), [$plain], '... it is there again';
};

finish($stack);
