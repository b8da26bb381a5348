# SPDX-License-Identifier: Apache-2.0
# ./dev bench floods: a quiet user beside floods, each from one client or one kind of client: what one GET of a hundred exceeds, against idle by turns. Below 3 is the aim. The clients
# have a processor of their own, and the service the others; TOGETHER=1: they share all of them, and the clients give way. FLOODS=PATTERN takes some; . all, while the
# usual ones leave out what is a milder form of another.
use strict;
use warnings;
use IO::Socket::SSL;
use Cpanel::JSON::XS;
use MIME::Base64;
use Time::HiRes qw(sleep time);
use Vitrine::Api;
use Vitrine::Bench;
use Vitrine::Slow;
use Vitrine::Stack;

$| = 1;
my $slow = Vitrine::Slow->new(apart => !$ENV{TOGETHER});
my $s = Vitrine::Stack->new(workers => 4, slow_workers => 8, publish_per_hour => 1000000, publish_failures_per_hour => 1000000, exports_per_hour => 1000000, data_per_minute => 1000000, signin_failures_per_hour => 1000000,
	signin_failures_per_account => 1000000, egress_allow => '127.0.0.1:' . $slow->port);
my $api = Vitrine::Api->new($s);
stacks($s);
my $timed = Vitrine::Api->new($s, unchecked => 1);
my ($quiet, $ann, $ben) = map { $s->user("$_\@example.org") } qw(quiet ann ben);
my $own = $api->publish($quiet, slug => 'own');
$api->publish($ann, slug => 'deep', visibility => 'public', files => { 'index.html' => 'x', '_headers' => join '', map { "/a/:x/a/:y/q$_\n Link: a\n" } 1 .. 900 });
open my $random, '<', '/dev/urandom';
read $random, my $noise, 25 << 20;
my $large = $api->publish($ann, slug => 'large', visibility => 'public', entrypoint => 'a.bin', files => { 'a.bin' => { encoding => 'base64', content => encode_base64($noise, '') } });
my $many = encode_json({ name => 'M', slug => 'many', entrypoint => 'f1.gz', files => [map { { path => "f$_.gz", content => "c$_" } } 1 .. 20000] });
my $made = $api->call(POST => '/v1/publish', { token => $ann->{token}, type => 'application/json', body => $many })->{json}{artifact}{id} // die 'many';

# What one person may send of everything that takes more than a look.
my $data = "/v1/data/$large";
$api->call(PUT => "$data/tables/t", { token => $ann->{token}, json => { columns => [{ name => 'n', type => 'integer' }, { name => 't', type => 'text' }] } })->{status} == 201 or die 'table';
my $rows = encode_json({ rows => [map { { n => $_, t => "text $_" } } 1 .. 1000] });
my $document = encode_json({ all => [map { { n => $_, t => "text $_" } } 1 .. 20000] });
sub sent { my ($method, $path, $body) = @_; return sub { $_[0]->call($method => $path, { token => $ann->{token}, $body ? (type => 'application/json', body => $body) : () }) } }
my $add = sent(POST => "$data/tables/t/rows", $rows);
$add->($api) for 1 .. 20;

sub from {
	my ($address, $host) = @_;
	return IO::Socket::SSL->new(PeerHost => '127.0.0.1', PeerPort => $s->{port}, LocalAddr => $address, SSL_verify_mode => 0, SSL_hostname => $host);
}
# n programs that do nothing but compute, where the service runs: what the kernel's turns alone cost a short request.
sub compute { my ($n, $nice) = @_; $slow->beside(sub { Vitrine::Slow::cpus($$, 0, $slow->{apart} - 1) if $slow->{apart}; setpriority 0, 0, $nice; 1 while 1 }) for 1 .. $n }
# n processes that do the same again and again.
sub beside { my ($n, $do) = @_; $slow->beside(sub { my $own = Vitrine::Api->new($s, unchecked => 1); while (1) { $do->($own) } }) for 1 .. $n }
# Sixteen connections that ask ten times a second.
sub steady { my ($do) = @_; beside(16, sub { my $next = time + 0.1; $do->(@_); sleep $next - time if $next > time }) }
sub title { return sub { $_[0]->call(PATCH => "/v1/artifacts/$made", { token => $ann->{token}, json => { social_title => rand } }) } }
sub publish_many { return sub { $_[0]->call(POST => '/v1/publish', { token => $ann->{token}, type => 'application/json', body => $many }) } }
# n connections held by one process each tenth, on which a line falls every second.
sub held {
	my ($n, $head, $drop) = @_;
	for (1 .. 10) {
		$slow->beside(sub {
			my @all;
			while (1) {
				@all = grep { $_ && syswrite $_, $drop } @all;
				while (@all < $n / 10) { my $c = from('127.0.3.1', 'vitrine.localhost') or last; syswrite $c, $head; push @all, $c }
				sleep 1;
			}
		});
	}
}

# The first are no floods: what a computing program costs that isn't ours, and others' usual requests, as a measure for what follows, since all of it shares the CPUs.
my @floods = (
	['a program that computes, at the priority of slow workers', sub { compute(1, 10) }],
	['two programs that compute, at the usual priority', sub { compute(2, 0) }],
	['four others who read what is their own', sub { beside(4, sub { $_[0]->call(GET => "/v1/artifacts/$large", { token => $ann->{token} }) }) }],
	['three others who publish one file', sub { beside(3, sub { $_[0]->publish($ben, slug => 'own-' . $$) }) }],
	['addresses of 3,900 levels, 160 a second', sub { steady(sub { $_[0]->get_site('deep', '/' . 'a/' x 3900 . 'x.y') }) }],
	['addresses of 3,900 levels as fast as four clients can', sub { beside(4, sub { $_[0]->get_site('deep', '/' . 'a/' x 3900 . 'x.y') }) }],
	['addresses of 900 levels under 900 rules, 160 a second', sub { steady(sub { $_[0]->get_site('deep', '/' . 'a/' x 900 . 'x.y') }) }],
	['addresses of 900 levels as fast as four clients can', sub { beside(4, sub { $_[0]->get_site('deep', '/' . 'a/' x 900 . 'x.y') }) }],
	['twelve stalled exports', sub { $slow->exports($s, $large, $ann, $ben) }],
	['exports begun and left', sub { beside(6, sub { my $c = from('127.0.0.1', 'vitrine.localhost') or return; syswrite $c, "GET /v1/artifacts/$large/versions/1/export HTTP/1.1\r\nHost: vitrine.localhost\r\n\r\n"; $c->close(SSL_no_shutdown => 1) }) }],
	['twelve hanging icons', sub { $slow->icons($s, $ann) }],
	['publishes of 20,000 files named .gz by one client', sub { beside(1, publish_many()) }],
	['publishes of 20,000 files named .gz by three clients', sub { beside(3, publish_many()) }],
	['titles of an artifact of 20,000 files by one client', sub { beside(1, title()) }],
	['titles of an artifact of 20,000 files by three clients', sub { beside(3, title()) }],
	['a thousand rows at a time on twelve connections', sub { beside(12, $add) }],
	['lists by two conditions, on twelve connections', sub { beside(12, sent(GET => "$data/tables/t/rows?t=neq.x&n=neq.1")) }],
	['documents of a megabyte on twelve connections', sub { beside(12, sent(PUT => "$data/json", $document)) }],
	['small publishes on twelve connections', sub { beside(12, sub { $_[0]->call(POST => '/v1/publish', { token => $ann->{token}, json => { name => 'S', slug => "small-$$", files => [{ path => 'index.html', content => rand }] } }) }) }],
	['exports of a table on twelve connections', sub { beside(12, sent(GET => "$data/tables/t/export")) }],
	['exports of a version on twelve connections', sub { beside(12, sent(GET => "/v1/artifacts/$large/versions/1/export")) }],
	['64 connections of wrong passwords', sub { $slow->passwords($s) }],
	['bodies of 300 MB of nobody', sub { beside(6, sub { my $c = from('127.0.0.1', 'vitrine.localhost') or return; syswrite $c, "POST /v1/publish HTTP/1.1\r\nHost: vitrine.localhost\r\nContent-Length: 300000000\r\n\r\n";
		for (1 .. 100) { syswrite $c, 'x' x 16384 or last } }) }],
	['400 connections of dripping headers', sub { held(400, "GET /v1/x HTTP/1.1\r\nHost: vitrine.localhost\r\n", 'X') }],
	['400 connections of dripping bodies', sub { held(400, "POST /v1/artifacts HTTP/1.1\r\nHost: vitrine.localhost\r\nContent-Length: 1000000\r\n\r\n", 'x') }],
);

sub p99 {
	my $from;
	my @took = map { $from = time; my $r = $timed->call(GET => "/v1/artifacts/$own", { token => $quiet->{token} }); $r->{status} == 200 or die "a quiet request: $r->{status}\n"; time - $from } 1 .. 500;
	return 1000 * (sort { $a <=> $b } @took)[495];
}
# How long another's publish takes beside it: the middle of five.
sub publish { return median(map { my $from = time; $timed->publish($quiet, slug => 'own'); 1000 * (time - $from) } 1 .. 5) }
p99();
my $want = $ENV{FLOODS} // '^(?!.*(160 a second|by one client|of slow workers))';
for (grep { $_->[0] =~ /$want/ } @floods) {
	my ($what, $do) = @$_;
	my @publish;
	my $ms = sub { my $ms = p99(); push @publish, publish(); return $ms };
	disturbed("p99 of a quiet GET beside $what", $ms, sub { $do->(); sleep 1 }, sub { $slow->end($s) },
		sub { sprintf 'a publish %.0f of %.0f ms', median(@publish[1, 3, 5]), median(@publish[0, 2, 4]) });
}
