# SPDX-License-Identifier: Apache-2.0
# A server with TLS that somebody's jobs call, for one test: it notes each request, and answers as it was told to for the path (answer()),
# else 200.
package Vitrine::Receiver;
use strict;
use warnings;
use Cpanel::JSON::XS;
use Encode ();
use MIME::Base64 ();
use Vitrine::Listener;
use Vitrine::Stack;
our @ISA = 'Vitrine::Listener';

my $json = Cpanel::JSON::XS->new->utf8->canonical->allow_nonref;

# $tls: the folder with cert.pem and key.pem.
sub new {
	my ($class, $tls) = @_;
	my $s = $class->begin('receiver');
	$s->answer('/' => 200, '');
	return $s->start($tls);
}
# A setting of stacks that may call it.
sub conf { my ($s) = @_; return (egress_allow => "127.0.0.1:$s->{port}") }
sub url { my ($s, $path) = @_; return "https://localhost:$s->{port}$path" }
sub file { my ($s, $path) = @_; return "$s->{dir}/answer" . $path =~ s{/}{-}gr }
# What a path is answered from now on; $headers are whole lines. The body is a text, or { base64 } of bytes.
sub answer {
	my ($s, $path, $status, $body, @headers) = @_;
	my $to = $s->file($path);
	Vitrine::Stack::spew("$to.new", $json->encode([$status, $body, @headers]));
	rename "$to.new", $to or die;
}
# The requests so far: each a hash with method, path, headers and body (bytes).
sub calls {
	my ($s, $path) = @_;
	return grep { !$path || $_->{path} eq $path } map { $json->decode($_) } split /\n/, Vitrine::Stack::slurp("$s->{dir}/calls");
}

sub serve {
	my ($s, $c, $ask) = @_;
	my ($path) = $ask->{target} =~ /^([^?]+)/;
	open my $f, '>>', "$s->{dir}/calls" or die;
	syswrite $f, $json->encode({ method => $ask->{method}, path => $path, headers => $ask->{headers}, body => $ask->{body} }) . "\n";
	my ($status, $text, @headers) = @{$json->decode(Vitrine::Stack::slurp(-e $s->file($path) ? $s->file($path) : $s->file('/')))};
	$text = ref $text ? MIME::Base64::decode_base64($text->{base64}) : Encode::encode_utf8($text);
	my $reply = join("\r\n", "HTTP/1.1 $status X", 'Content-Length: ' . length $text, 'Connection: close', @headers, '', '') . $text;
	Vitrine::Listener::send_all($c, $reply);
}

1;
