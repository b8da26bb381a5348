# SPDX-License-Identifier: Apache-2.0
# A name server, for one test. It answers what it was told (set()), follows aliases among these, and lies where it was told to (lie()). With
# the tests' own words, as no Debian server can be made to lie; t/job/domains.t also asks Knot, if it is installed.
package Vitrine::Names;
use strict;
use warnings;
use Cpanel::JSON::XS;
use File::Temp 'tempdir';
use IO::Select;
use IO::Socket::INET;
use POSIX ();
use Socket qw(inet_aton);
use Vitrine::Stack;

my %TYPE = (A => 1, CNAME => 5, TXT => 16, AAAA => 28);
my $json = Cpanel::JSON::XS->new->utf8->canonical;

sub new {
	my ($class) = @_;
	my $s = bless { dir => tempdir('vitrine-names-XXXXXX', TMPDIR => 1, CLEANUP => 1), owner => $$, told => {} }, $class;
	for (1 .. 100) {
		$s->{udp} = IO::Socket::INET->new(Proto => 'udp', LocalAddr => '127.0.0.1') // die;
		$s->{port} = $s->{udp}->sockport;
		$s->{tcp} = IO::Socket::INET->new(Listen => 16, LocalAddr => '127.0.0.1', LocalPort => $s->{port}) and last;
	}
	$s->save;
	$s->{pid} = fork // die;
	return $s if $s->{pid};
	$SIG{$_} = 'DEFAULT' for qw(INT TERM HUP);
	$s->serve;
}
# Settings of stacks that ask it.
sub conf { my ($s) = @_; return (dns_server => "127.0.0.1:$s->{port}") }

# Values of a name from now on; none: there are no records of that type. A text may be a list of strings.
sub set { my ($s, $name, $type, @values) = @_; $s->{told}{lc $name}{$type} = \@values; return $s->save }
# How a name is answered from now on: servfail, refused, silent, forged, garbage, loop, chain N, big; '' ends it.
sub lie { my ($s, $name, $how) = @_; $s->{told}{lc $name}{lie} = $how; return $s->save }
# Answers nothing of a name any more: it doesn't exist.
sub drop { my ($s, $name) = @_; delete $s->{told}{lc $name}; return $s->save }
sub save {
	my ($s) = @_;
	Vitrine::Stack::spew("$s->{dir}/told.new", $json->encode($s->{told}));
	rename "$s->{dir}/told.new", "$s->{dir}/told" or die;
	return $s;
}
# The questions so far: "name type".
sub asked { my ($s) = @_; return split /\n/, Vitrine::Stack::slurp("$s->{dir}/asked") }

# ---- the server

sub name { return join('', map { pack 'C/a*', $_ } split /\./, $_[0]) . "\0" }
sub record { my ($name, $type, $data) = @_; return name($name) . pack 'nnNn/a*', $TYPE{$type}, 1, 60, $data }
sub data {
	my ($type, $value) = @_;
	return $type eq 'A' ? inet_aton($value) : $type eq 'AAAA' ? Socket::inet_pton(Socket::AF_INET6(), $value)
		: $type eq 'CNAME' ? name($value) : join '', map { pack 'C/a*', $_ } ref $value ? @$value : $value =~ /(.{1,255})/gs;
}

sub answer {
	my ($s, $query, $tcp) = @_;
	my ($id, undef, $questions) = unpack 'nnn', $query;
	my ($at, @labels) = (12);
	while (my $n = unpack 'C', substr $query, $at, 1) { push @labels, substr $query, $at + 1, $n; $at += $n + 1 }
	my ($name, $number) = (lc join('.', @labels), unpack 'n', substr $query, $at + 1, 2);
	my ($type) = grep { $TYPE{$_} == $number } keys %TYPE;
	open my $log, '>>', "$s->{dir}/asked" or die;
	syswrite $log, "$name $type\n";
	my $told = $json->decode(Vitrine::Stack::slurp("$s->{dir}/told"));
	my ($question, $lie) = (substr($query, 12, $at + 5 - 12), $told->{$name}{lie} // '');
	my $reply = sub { my ($flags, @records) = @_; return pack('nnnnnn', $id, 0x8180 | $flags, 1, scalar @records, 0, 0) . $question
		. join '', @records };
	return undef if $lie eq 'silent';
	return $reply->(2) if $lie eq 'servfail';
	return $reply->(5) if $lie eq 'refused';
	return pack('nn', $id, 0x8180) . ("\xff" x 40) if $lie eq 'garbage';
	$question = name('other.example.org') . pack 'nn', $TYPE{TXT}, 1 if $lie eq 'forged';
	return $reply->(0, record($name, 'TXT', data(TXT => $told->{$name}{TXT}[0]))) if $lie eq 'forged';
	return $reply->(0, record($name, 'CNAME', name('b.example.org')), record('b.example.org', 'CNAME', name($name))) if $lie eq 'loop';
	if ($lie =~ /^chain (\d+)/) {
		my $last = $1;
		return $reply->(0, (map { record($_ ? "c$_.example.org" : $name, 'CNAME', name('c' . ($_ + 1) . '.example.org')) }
			0 .. $last - 1), record("c$last.example.org", $type, data($type => $told->{$name}{$type}[0])));
	}
	return $reply->(0x0200) if $lie eq 'big' && !$tcp;
	return $reply->(0, map { record($name, 'TXT', data(TXT => 'x' x 200)) } 1 .. 250) if $lie eq 'big';
	my @records;
	for (1 .. 8) {
		my $have = $told->{$name} or return @records ? $reply->(0, @records) : $reply->(3);
		push @records, map { record($name, $type, data($type => $_)) } @{$have->{$type} // []};
		my $alias = $have->{CNAME} ? $have->{CNAME}[0] : undef;
		last if !$alias;
		push @records, record($name, 'CNAME', name($alias));
		$name = $alias;
	}
	return $reply->(0, @records);
}

sub serve {
	my ($s) = @_;
	my $ready = IO::Select->new(@{$s}{qw(udp tcp)});
	while (1) {
		for my $from ($ready->can_read) {
			if ($from == $s->{udp}) {
				my $who = $from->recv(my $query, 4096) // next;
				my $reply = eval { $s->answer($query, 0) };
				$from->send($reply, 0, $who) if defined $reply;
				next;
			}
			my $c = $from->accept // next;
			# Its length may come before it.
			my $query = '';
			1 while (length $query < 2 || length $query < 2 + unpack 'n', $query) && sysread $c, $query, 4096, length $query;
			my $reply = eval { $s->answer(substr($query, 2), 1) };
			syswrite $c, pack('n/a*', $reply) if defined $reply;
		}
	}
}

sub stop {
	my ($s) = @_;
	return if $s->{owner} != $$ || !$s->{pid};
	local $?;
	kill 'KILL', $s->{pid};
	waitpid delete $s->{pid}, 0;
}
sub DESTROY { $_[0]->stop }

1;
