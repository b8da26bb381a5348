# SPDX-License-Identifier: Apache-2.0
# The scripts of the packages, which run as root on machines of others: shellcheck finds nothing in them, and they are short.
use strict;
use warnings;
use Test::More;

my @scripts = grep { m{/[\w-]+\.(?:config|preinst|postinst|prerm|postrm)$} } glob 'debian/*';
cmp_ok scalar @scripts, '>', 2, 'there are some';
is qx(shellcheck --shell=sh --severity=warning @scripts 2>&1), '', 'shellcheck finds nothing in them';
my @makers = qw(debian/package debian/repository debian/image/build debian/image/start t/package/next);
is qx(shellcheck --severity=warning @makers 2>&1), '', '... nor in what makes packages and image';
my $lines = 0;
for my $file (@scripts) {
	open my $in, '<', $file or die;
	$lines++ while <$in>;
}
cmp_ok $lines, '<=', 250, "they have at most 250 lines ($lines)";
done_testing;
