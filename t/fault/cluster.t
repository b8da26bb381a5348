# SPDX-License-Identifier: Apache-2.0
# A short round of ./dev cluster: of three machines the active one is lost, while clients write, read, publish and close.
use Vitrine::Words;

my $namespace = "vitrine-try-$$";
plan skip_all => 'only root makes network namespaces' if $> != 0 || system("ip netns add $namespace 2>/dev/null");
system "ip netns del $namespace";
my @needed = ('/usr/sbin/haproxy', '/usr/sbin/nft', '/usr/lib/galera/libgalera_smm.so');
plan skip_all => 'haproxy, nftables or galera-4 is missing' if grep { !-e $_ } @needed;
# In a network of its own: a browser of another test breaks off what it loads when the machine gets an interface.
require 'syscall.ph';
my $NEW_NETWORK = 0x40000000;
plan skip_all => 'no network of its own' if syscall(SYS_unshare(), $NEW_NETWORK) != 0 || system('ip link set lo up');
my $dir = File::Temp::tempdir(CLEANUP => 1);
local @ARGV = ('--rounds', 1, '--seed', 5, '--logs', $dir, '--faults', 'lose', '--rest', 4);
local $ENV{VITRINE_VAR} //= 'var';
do './t/cluster/rounds.pl' or die $@ || $!;
