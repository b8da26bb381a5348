# SPDX-License-Identifier: Apache-2.0
# A shell in which what the documents say is typed: a folder with my-site in it, a curl that knows the stack, and the variables that
# commands name.
package Vitrine::Typed;
use strict;
use warnings;
use Vitrine::Stack;

sub new {
	my ($class, $stack, $token) = @_;
	my $home = "$stack->{dir}/shell";
	mkdir $home;
	mkdir "$home/my-site";
	Vitrine::Stack::spew("$home/my-site/index.html", '<h1>mine</h1>');
	Vitrine::Stack::spew("$home/.curlrc", "silent\nshow-error\ncacert = $stack->{tls}/ca.pem\n"
		. "resolve = vitrine.localhost:$stack->{port}:127.0.0.1\nwrite-out = \"\\n%{http_code}\"\n");
	return bless { home => $home, env => { CURL_HOME => $home, VITRINE_TOKEN => $token } }, $class;
}

# The status and the body of the last request that the commands make.
sub type {
	my ($t, $commands) = @_;
	local @ENV{keys %{$t->{env}}} = values %{$t->{env}};
	Vitrine::Stack::spew("$t->{home}/typed", "set -e\ncd $t->{home}\n$commands\n");
	my $said = `sh $t->{home}/typed 2>&1`;
	return $said =~ /\A(.*)\n(\d{3})\z/s ? ($2, $1) : ('none', $said);
}

1;
