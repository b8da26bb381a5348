# SPDX-License-Identifier: Apache-2.0
# What nginx works out for each request to a site: few expressions, and the one that knows common browsers at once never takes a program for
# one (nginx/views.conf.in).
use strict;
use warnings;
use Test::More;

sub slurp { local (@ARGV, $/) = $_[0]; return <> }
my ($map) = slurp('nginx/views.conf.in') =~ /^map \$http_user_agent \$vitrine_view_by \{\n(.*?)^\}/ms;
my @rows = map { /^\t"~(\*?)(.*)" ([hb]);$/ ? [$1 ? qr/$2/i : qr/$2/, $3] : () } split /\n/, $map;
is join(' ', map { $_->[1] } @rows), 'h b', 'an expression for common browsers, then one for programs';
my ($browser, $program) = map { $_->[0] } @rows;

my $mac = 'Macintosh; Intel Mac OS X 10_15_7';
my $webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)';
my $safari = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';
my @browsers = map { "Mozilla/5.0 $_" }
	(map { "($_) $webkit Chrome/141.0.0.0 Safari/537.36" } 'Windows NT 10.0; Win64; x64', $mac, 'X11; Linux x86_64',
		'X11; CrOS x86_64 14541.0.0'),
	"(Linux; Android 10; K) $webkit Chrome/141.0.0.0 Mobile Safari/537.36",
	"(Linux; Android 10; K) $webkit SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36",
	"(Windows NT 10.0; Win64; x64) $webkit Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0",
	"($mac) $webkit Chrome/140.0.0.0 Safari/537.36 OPR/124.0.0.0",
	"($mac) $safari Version/18.6 Safari/605.1.15",
	(map { "($_) $safari Version/18.6 Mobile/15E148 Safari/604.1" }
		'iPhone; CPU iPhone OS 18_6 like Mac OS X', 'iPad; CPU OS 18_6 like Mac OS X'),
	"(iPhone; CPU iPhone OS 18_6 like Mac OS X) $safari CriOS/141.0.7390.26 Mobile/15E148 Safari/604.1",
	(map { "($_; rv:143.0) Gecko/20100101 Firefox/143.0" } 'Windows NT 10.0; Win64; x64', 'Macintosh; Intel Mac OS X 10.15',
		'X11; Linux x86_64', 'X11; Ubuntu; Linux x86_64'),
	'(Android 15; Mobile; rv:143.0) Gecko/143.0 Firefox/143.0';
is join("\n", grep { $_ !~ $browser } @browsers), '', 'browsers are known at once';
is join("\n", grep { $_ =~ $program } @browsers), '', '... and are no programs';

# A program that calls itself a browser and says somewhere what it is.
my @words = qw(bot Bot BOT crawl spider archiver http: https: Preview prefetch embedly WhatsApp ms-office MSOffice Lighthouse Headless
	monitor scan Scanner uptime check_link google-safety curl/ java/ python httpx okhttp lwp:: wget/ Googlebot/2.1);
my @taken;
for my $one (@browsers) {
	for my $word (@words, map { "$_ " } @words) {
		for my $at (0 .. length $one) {
			my $said = substr($one, 0, $at) . $word . substr $one, $at;
			push @taken, $said if $said =~ $browser;
		}
	}
}
is join("\n", @taken), '', 'no word of a program fits into what a browser says';
my @programs = ('Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'curl/8.5.0', 'Wget/1.21', 'Viber/1', 'httpx',
	"Mozilla/5.0 (X11; Linux x86_64) $webkit HeadlessChrome/141.0.0.0 Safari/537.36", 'python-requests/2.31', 'Java/17.0.1', 'undici',
	'W3C-checklink/5.0', 'Go-http-client/1.1', 'Slackbot-LinkExpanding 1.0', 'facebookexternalhit/1.1', 'Microsoft Office/16.0',
	'ms-office', 'Site24x7 uptime monitor', 'Security scan', 'security scanner', 'Google-Safety', 'GoogleImageProxy', 'http_request');
is join("\n", grep { $_ !~ $program || $_ =~ $browser } @programs), '', 'programs are known';
is join("\n", grep { $_ =~ $program } 'Scandinavian Browser/1', 'Telegram-Android/11.1', 'javascript', 'Curler 2', ''), '',
	'... and what only looks like one';

my $site = slurp('nginx/site.conf.in');
is scalar(() = $site =~ /^location ~ /mg), 1, 'an address without a page is tested against one expression of a location';
like $site, qr/^location \/ \{ access_log off; \}$/m, '... and nothing is worked out to log it';
done_testing;
