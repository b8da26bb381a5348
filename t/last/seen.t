# SPDX-License-Identifier: Apache-2.0
# After all others: every route has answered with success through the real stack, and every code that a caller can cause was seen.
use strict;
use warnings;
use Cpanel::JSON::XS;
use Test::More;
use Vitrine::OpenApi;

my $dir = $ENV{VITRINE_TRAFFIC} or plan skip_all => 'only after a run of all tests';
my (%answered, %code);
for my $file (glob "$dir/*") {
	open my $f, '<', $file or die;
	while (<$f>) {
		my ($method, $template, $status, $code) = split;
		$answered{"$method $template"} = 1 if $status < 400;
		$code{$code} = 1;
	}
}
open my $doc, '<', "$ENV{VITRINE_TOP}/docs/openapi.json" or die;
my $paths = decode_json(do { local $/; <$doc> })->{paths};
for my $path (sort keys %$paths) {
	ok $answered{uc($_) . " $path"}, uc($_) . " $path has answered"
		for sort grep { /^(?:get|put|post|patch|delete)$/ } keys %{$paths->{$path}};
}
# What only a fault of ours, of the disk or of the database brings about is provoked where the fault is; tokens with scopes can't be minted
# yet.
my %excused = map { $_ => 1 } qw(INTERNAL UNAVAILABLE DISK_FULL SCOPE);
my $used = join '', map { open my $f, '<', $_ or die; local $/; <$f> } glob "$ENV{VITRINE_TOP}/src/*/*.c";
open my $def, '<', "$ENV{VITRINE_TOP}/src/base/errors.def" or die;
while (<$def>) {
	my ($name, $wire) = /^ERR\((\w+), \d+, "(\w+)"/ or next;
	ok $code{$wire}, "$wire was seen" if !$excused{$name} && $used =~ /\bE_$name\b/;
}
done_testing;
