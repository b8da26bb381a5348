# SPDX-License-Identifier: Apache-2.0
# The checker of ./dev cluster finds each kind of violation in a small history that has it, and none in histories that are sound.
use Vitrine::Words;
use File::Temp 'tempdir';

my $checker = 't/cluster/check_log.py';
my @lines = split /\n/, `python3 $checker --self-test`;
my $status = $? >> 8;
is join("\n", grep { /^not ok/ } @lines), '', 'each history is judged as it must be';
is $status, 0, '... and its exit status says so';
is $lines[-1], '1..' . (@lines - 1), '... of all histories';
my %shown = map { /^ok \d+ - (\w+):/ ? ($1 => 1) : () } @lines;
is join(' ', sort keys %shown),
	'apart beside doubled hidden log lost never nowhere number open order refused seats sound stale unread', 'each kind is shown';

my $dir = tempdir(CLEANUP => 1);
sub judged { my ($text) = @_; Vitrine::Stack::spew("$dir/log", $text); my $out = `python3 $checker $dir/log`; return ($? >> 8, $out) }
my $write = '{"t0":0,"t1":1,"node":"n1","op":"append","key":"l","value":"a","res":"ok"}' . "\n";
my $fault = '{"t0":2,"t1":2,"node":"n1","op":"fault","key":"killed","value":"n1","res":"ok"}' . "\n";
my $read = '{"t0":3,"t1":4,"node":"n2","op":"list","key":"l","value":["a"],"res":"ok","final":true}' . "\n";
is_deeply [judged($write . $fault . $read)], [0, "3 operations (append ok 1, fault ok 1, list ok 1); violations: none\n"], 'a sound log';
my ($failed, $out) = judged($write . $fault . $read =~ s/\["a"\]/[]/r);
is $failed, 1, 'a log with a violation';
like $out, qr/^lost: l: 1 missing, such as "a" \(n2 at 3\.000, 1\.0 s after killed n1\)$/m, '... which is named, with the fault before it';
($failed, $out) = judged($write . substr($read, 0, 30) . "\n");
like $out, qr/^log: line 2 isn't an operation$/m, 'a torn line is named';
done_testing;
