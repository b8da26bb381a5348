# SPDX-License-Identifier: Apache-2.0
use strict;
use warnings;
use Test::More;

open my $in, '<', 'Makefile.am' or die;
my $makefile = do { local $/; <$in> };
my @listed = grep { !m{^src/bin/} } $makefile =~ m{\b((?:src|sql|docs|t)/[\w/.-]+\.(?:c|def|html|sql|md|t))\b}g;
is "@listed", '', 'Makefile.am lists no source, template, migration, or test';
my ($highest) = sort { $b <=> $a } map { m{sql/0*(\d+)_} ? $1 : () } glob 'sql/*.sql';
my $header = do { open my $f, '<', 'src/db/schema.h' or die; local $/; <$f> };
like $header, qr/SCHEMA_VERSION = $highest\b/, 'SCHEMA_VERSION is the highest migration';
# Machines of a cluster are upgraded one after the other, so a migration must leave programs of the former release working. What they use is
# removed a release later.
my @new = grep { m{sql/0*(\d+)_} && $1 > 60 } glob 'sql/*.sql';
my @stops = grep { my $file = $_; open my $f, '<', $file or die; <$f> !~ /^-- compatible: \d+$/ } @new;
is "@stops", '', 'each migration since the 61st says in its first line which programs can run on it';
done_testing;
