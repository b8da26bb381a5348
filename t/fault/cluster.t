# SPDX-License-Identifier: Apache-2.0
# A short round of ./dev cluster: of three machines the active one is lost, while clients write and read.
use Vitrine::Words;

my $namespace = "vitrine-try-$$";
plan skip_all => 'only root makes network namespaces' if $> != 0 || system("ip netns add $namespace 2>/dev/null");
system "ip netns del $namespace";
my @needed = ('/usr/sbin/haproxy', '/usr/sbin/nft', '/usr/lib/galera/libgalera_smm.so');
plan skip_all => 'haproxy, nftables or galera-4 is missing' if grep { !-e $_ } @needed;
my $dir = File::Temp::tempdir(CLEANUP => 1);
local @ARGV = ('--rounds', 1, '--seed', 5, '--logs', $dir, '--faults', 'lose', '--clients', 'rows,document,list,direct');
local $ENV{VITRINE_VAR} //= 'var';
do './t/cluster/rounds.pl' or die $@ || $!;
