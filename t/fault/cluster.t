# SPDX-License-Identifier: Apache-2.0
# A short round of ./dev cluster: of three machines the active one is lost, while clients write, read, publish and close.
use Vitrine::Cluster;
use Vitrine::Words;

my $lacks = Vitrine::Cluster::lacks();
plan skip_all => $lacks if $lacks;
my $dir = File::Temp::tempdir(CLEANUP => 1);
local @ARGV = ('--rounds', 1, '--seed', 5, '--logs', $dir, '--faults', 'lose', '--rest', 4);
local $ENV{VITRINE_VAR} //= 'var';
do './t/cluster/rounds.pl' or die $@ || $!;
