# SPDX-License-Identifier: Apache-2.0
use strict;
use warnings;
use Test::More;

plan skip_all => 'needs a git checkout' if !-d '.git';
open my $in, '<', 'Makefile.am' or die;
my $now = do { local $/; <$in> };
my $fresh = `perl t/lib/refresh-makefile`;
ok $now eq $fresh, 'Makefile.am lists every file (else: perl t/lib/refresh-makefile > Makefile.am.new && mv Makefile.am.new Makefile.am)';
my ($highest) = sort { $b <=> $a } map { m{sql/0*(\d+)_} ? $1 : () } glob 'sql/*.sql';
my $header = do { open my $f, '<', 'src/db/schema.h' or die; local $/; <$f> };
like $header, qr/SCHEMA_VERSION = $highest\b/, 'SCHEMA_VERSION is the highest migration';
done_testing;
