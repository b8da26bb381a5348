# SPDX-License-Identifier: Apache-2.0
# FastCGI as nginx speaks it to a worker, and as it doesn't.
package Vitrine::Fcgi;
use strict;
use warnings;
use Exporter 'import';
use IO::Socket::UNIX;

our @EXPORT = qw(frame pair connection);

# A record; version, id and n are as they should be unless given.
sub frame {
	my ($type, $content, %o) = @_;
	return pack('CCnnCC', $o{version} // 1, $type, $o{id} // 1, $o{n} // length $content, 0, 0) . $content;
}
# A parameter.
sub pair { my ($name, $value) = @_; return pack('N', length($name) | 1 << 31) . pack('N', length($value) | 1 << 31) . $name . $value }
sub connection { my ($stack) = @_; return IO::Socket::UNIX->new(Peer => "$stack->{run}/worker.sock") // die "worker.sock: $!" }

1;
