# SPDX-License-Identifier: Apache-2.0
# A service that speaks OpenAI's chat completions over TLS, for one test: it notes what it is asked and does what the last message says.
#   say TEXT            answers it, a word a piece when streamed
#   status N            refuses, with the key in its words, as some do
#   hang                takes the request and says nothing
#   drip                says the head, then a comment now and then
#   pause N             says "one", then "two" N seconds later
#   break               ends in the middle of an answer
#   last                ends without [DONE], having said a finish_reason
#   endless             words without end;  bytes N: so many in one answer
#   junk                what is no JSON;  wrong: JSON without choices;  whole: no stream though one was asked for
#   odd                 events cut anywhere, with comments, CRs, several data lines and other fields
#   context             what the system message says
#   hex BYTES           answers these, in hexadecimal digits
#   key                 repeats the key, when streamed a few letters a piece
package Vitrine::Model;
use strict;
use warnings;
use Cpanel::JSON::XS;
use Encode ();
use POSIX ();
use Time::HiRes 'sleep';
use Vitrine::Listener;
use Vitrine::Stack;
our @ISA = 'Vitrine::Listener';

my $json = Cpanel::JSON::XS->new->utf8->canonical->allow_nonref;

sub new {
	my ($class, $tls) = @_;
	my $s = $class->begin('model', key => 'sk-test-' . join '', map { ('a' .. 'z')[rand 26] } 1 .. 24);
	Vitrine::Stack::spew("$s->{dir}/key", "$s->{key}\n");
	return $s->start($tls);
}
# Settings of a stack that uses it.
sub conf {
	my ($s) = @_;
	return (agent_url => "https://localhost:$s->{port}/v1", agent_key_file => "$s->{dir}/key", agent_models => 'small large');
}
sub note { my ($s, $what) = @_; open my $f, '>>', "$s->{dir}/notes" or die; syswrite $f, "$what\n" }
# What was noted so far: each a hash with path, headers, body; or left, when whoever asked hung up.
sub notes { my ($s) = @_; return map { $json->decode($_) } split /\n/, Vitrine::Stack::slurp("$s->{dir}/notes") }
sub forget { my ($s) = @_; unlink "$s->{dir}/notes" }
sub piece {
	my ($delta, $finish) = @_;
	return { id => 'c', object => 'chat.completion.chunk', choices => [{ index => 0, delta => $delta, finish_reason => $finish }] };
}
sub said {
	my ($text) = @_;
	return { id => 'c', object => 'chat.completion',
		choices => [{ index => 0, message => { role => 'assistant', content => $text }, finish_reason => 'stop' }],
		usage => { total_tokens => 3 } };
}

sub serve {
	my ($s, $c, $asked) = @_;
	my ($method, $path, %h) = (@$asked{qw(method target)}, %{$asked->{headers}});
	my $ask = eval { $json->decode($asked->{body}) };
	$s->note($json->encode({ method => $method, path => $path, headers => \%h, body => $ask }));
	my $send = sub { return Vitrine::Listener::send_all($c, $_[0]) || do { $s->note('{"left":1}'); POSIX::_exit(0) } };
	my $reply = sub {
		my ($status, $type, $text) = @_;
		$send->("HTTP/1.1 $status X\r\nContent-Type: $type\r\nContent-Length: " . length($text)
			. "\r\nConnection: close\r\n\r\n$text");
	};
	return $reply->(401, 'application/json', qq({"error":{"message":"Incorrect API key provided: $h{authorization}"}}))
		if ($h{authorization} // '') ne "Bearer $s->{key}";
	return $reply->(404, 'application/json', '{}') if "$method $path" ne 'POST /v1/chat/completions';
	# A support ticket comes as JSON.
	my $last = $ask->{messages}[-1]{content};
	$last = $json->decode(Encode::encode('UTF-8', $last))->{messages}[-1]{text} if $last =~ /^\{"subject"/;
	my ($word, $rest) = $last =~ /^(\w+) ?(.*)$/s;
	my $until_left = sub {
		my $v = '';
		vec($v, fileno $c, 1) = 1;
		select $v, undef, undef, 90;
		$s->note('{"left":1}') if !sysread $c, my $byte, 1;
		return;
	};
	my $stream = sub { $send->("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n") };
	my $event = sub { $send->('data: ' . $json->encode($_[0]) . "\n\n") };
	my $words = sub {
		$event->(piece({ role => 'assistant', content => '' }));
		$event->(piece({ content => $_ })) for split /(?<= )/, $_[0];
		$event->(piece({}, 'stop'));
	};
	if ($word eq 'status') { return $reply->($rest, 'application/json', qq({"error":{"message":"no, $s->{key}"}})) }
	if ($word eq 'hang') { return $until_left->() }
	if ($word eq 'drip') { $stream->(); while (1) { $send->(": still here\n\n"); sleep 0.3 } }
	if ($word eq 'junk') {
		return $reply->(200, 'application/json', '<html>') if !$ask->{stream};
		$stream->();
		return $send->("data: <html>\n\n");
	}
	if ($word eq 'wrong') {
		return $reply->(200, 'application/json', '{"choices":{}}') if !$ask->{stream};
		$stream->();
		return $event->({ error => { message => $s->{key} } });
	}
	if ($word eq 'whole') { return $reply->(200, 'application/json', $json->encode(said('whole'))) }
	my $text = $word eq 'context' ? $ask->{messages}[0]{content} : $word eq 'bytes' ? 'x' x $rest : $rest;
	my $repeat = "It is $s->{key}, isn't it? " . substr $s->{key}, 0, 8;
	$text = $repeat if $word eq 'key';
	$text = Encode::decode('UTF-8', pack 'H*', $rest =~ s/\W.*//sr) if $word eq 'hex';
	if (!$ask->{stream}) {
		return $reply->(200, 'application/json', substr $json->encode(said('cut')), 0, 40) if $word eq 'break';
		if ($word eq 'endless') {
			$send->("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n");
			while (1) { $send->(' ' x 65536) }
		}
		return $reply->(200, 'application/json', $json->encode(said($text)));
	}
	$stream->();
	if ($word eq 'key') { $event->(piece({ content => $_ })) for $repeat =~ /.{1,3}/g; return $send->("data: [DONE]\n\n") }
	if ($word eq 'pause') { $event->(piece({ content => 'one ' })); sleep $rest; return $words->('two') && $send->("data: [DONE]\n\n") }
	if ($word eq 'break') { $event->(piece({ content => 'half of ' })); return }
	if ($word eq 'last') { return $words->('without an end') }
	if ($word eq 'endless') { while (1) { $event->(piece({ content => 'x' x 20000 })) } }
	if ($word eq 'odd') {
		my $one = $json->encode(piece({ content => "h\x{e9}llo " }));
		my $two = $json->encode(piece({ content => 'there' })) =~ s/,"id"/,\ndata: "id"/r;
		for my $byte (split //,
			"\xef\xbb\xbf: hello\r\n\r\nid: 1\revent: message\rdata:$one\r\rretry: 5\n\ndata: $two\r\n\r\ndata: [DONE]\n\n") {
			$send->($byte);
		}
		return;
	}
	$words->($text);
	$send->("data: [DONE]\n\n");
}

1;
