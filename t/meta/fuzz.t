# SPDX-License-Identifier: Apache-2.0
# The fuzz targets build, and find nothing in a short run; ./dev fuzz SECONDS runs them at length.
use strict;
use warnings;
use Test::More;

my $out = `VITRINE_FUZZ_RUNS=3000 t/fuzz/run 1 2>&1`;
is $?, 0, 'no target found anything' or diag substr $out, -3000;
my @targets = map { m{([^/]+)\.c$} } glob 't/fuzz/*.c';
like $out, qr/^\Q$_\E: nothing found/m, "$_ ran" for @targets;
done_testing;
