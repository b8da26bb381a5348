# SPDX-License-Identifier: Apache-2.0
# The fuzz targets find nothing in their corpora, nor in inputs made of them by chance; ./dev fuzz SECONDS searches at length, led by what
# the code does. VITRINE_SEED=N repeats a run.
use strict;
use warnings;
use File::Path 'make_path';
use Test::More;

my $seed = $ENV{VITRINE_SEED} // int rand 1e6;
make_path("$ENV{VITRINE_VAR}/fuzz");
for my $target (grep { $_ ne 'replay' } map { m{([^/]+)\.c$} } glob 't/fuzz/*.c') {
	my $last = "$ENV{VITRINE_VAR}/fuzz/$target-last";
	my $out = `$ENV{VITRINE_BUILD}/t/fuzz/$target 3000 $seed $last t/fuzz/corpus/$target 2>&1`;
	like $out, qr/^[1-9]\d* inputs$/m, "$target finds nothing" or diag "VITRINE_SEED=$seed; the input is $last\n" . substr $out, -3000;
}
done_testing;
