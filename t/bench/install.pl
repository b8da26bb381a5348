# SPDX-License-Identifier: Apache-2.0
# ./dev bench install: what cron's lines for certificates cost each minute when nothing is due.
use strict;
use warnings;
use Time::HiRes 'time';
use Vitrine::Bench;
use Vitrine::Stack;

my $TIMES = 25;
my $tls = Vitrine::Stack::test_tls();
my $s = Vitrine::Stack->new(workers => 1, certificates => 'acme', acme_dns_hook => '/bin/false', tls_dir => "$tls/bench");
system("mkdir -p $tls/bench/base && cat $tls/key.pem $tls/cert.pem >$tls/bench/base/combined.pem") == 0 or die;
my %env = $s->env;
@ENV{keys %env} = values %env;
# The machine's own nginx isn't reloaded.
mkdir "$s->{dir}/bin";
Vitrine::Stack::spew("$s->{dir}/bin/nginx", "#!/bin/sh\n");
chmod 0755, "$s->{dir}/bin/nginx";
$ENV{PATH} = "$s->{dir}/bin:$ENV{PATH}";

for my $command (qw(run install)) {
	my @took;
	for (0 .. $TIMES) {
		my $from = time;
		system("$s->{build}/vitrinectl", 'certificates', $command) == 0 or die "certificates $command: $?";
		push @took, 1000 * (time - $from) if $_;
	}
	figure(name => "certificates $command with nothing due, against 30 ms", ours => median(@took), ceiling => 30, unit => 'ms');
}
