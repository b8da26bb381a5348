# SPDX-License-Identifier: Apache-2.0
# The bill of materials of a package, which debian/spdx writes beside it: what it depends on, what of npm is in it, and its digest.
use strict;
use warnings;
use Cpanel::JSON::XS;
use File::Temp 'tempdir';
use Test::More;

my $dir = tempdir(CLEANUP => 1);
sub spew { my ($path, $text) = @_; open my $f, '>', $path or die; print $f $text; close $f }
system("mkdir -p $dir/p/DEBIAN $dir/p/usr/share/x/lib/a $dir/p/usr/share/x/lib/b") == 0 or die;
spew("$dir/p/DEBIAN/control", "Package: x\nVersion: 1.0~deb13u1\nArchitecture: all\nMaintainer: M <m\@example.org>\nDescription: x\n"
	. "Depends: libc6 (>= 2.34), cron | cron-daemon, nginx\n");
spew("$dir/p/usr/share/x/lib/a/LICENSES.txt", "\@a/b 1.2.3\n----------\n\nMIT\n\n\nclsx 2.1.1\n----------\n\nMIT\n");
spew("$dir/p/usr/share/x/lib/b/LICENSES.txt", "clsx 2.1.1\n----------\n\nMIT\n");
spew("$dir/x_1.0_all.buildinfo", "Format: 1.0\nInstalled-Build-Depends:\n cron (= 3.0pl1-162),\n libc6 (= 2.36-9+deb12u14)\n");
my $deb = "$dir/x_1.0_all.deb";
system("dpkg-deb --root-owner-group -b $dir/p $deb >/dev/null") == 0 or die;
sub bill {
	local $ENV{SOURCE_DATE_EPOCH} = 86400;
	is system('debian/spdx', $deb), 0, 'written';
	open my $f, '<', "$deb.spdx.json" or die;
	local $/;
	return <$f>;
}
my $text = bill();
is bill(), $text, 'the same bytes again';
my $bill = decode_json($text);
is_deeply [@$bill{qw(spdxVersion dataLicense SPDXID)}, $bill->{creationInfo}{created}],
	['SPDX-2.3', 'CC0-1.0', 'SPDXRef-DOCUMENT', '1970-01-02T00:00:00Z'], 'a document of SPDX 2.3';
my %of = map { $_->{SPDXID} => $_ } @{$bill->{packages}};
is scalar keys %of, @{$bill->{packages}}, 'each package is once in it';
my @related = map { "$_->{relationshipType} $of{$_->{relatedSpdxElement}}{externalRefs}[0]{referenceLocator}" } @{$bill->{relationships}};
is_deeply \@related, ['DESCRIBES pkg:deb/debian/x@1.0~deb13u1', 'DEPENDS_ON pkg:deb/debian/libc6@2.36-9%2Bdeb12u14',
	'DEPENDS_ON pkg:deb/debian/cron@3.0pl1-162', 'DEPENDS_ON pkg:deb/debian/nginx', 'CONTAINS pkg:npm/%40a/b@1.2.3',
	'CONTAINS pkg:npm/clsx@2.1.1'], 'what it needs and what is in it';
my ($own) = grep { $_->{name} eq 'x' } values %of;
is $own->{checksums}[0]{checksumValue}, (split ' ', `sha256sum $deb`)[0], 'its digest';
is_deeply [grep { /[^A-Za-z0-9.-]/ } keys %of], [], 'ids have the letters that SPDX allows';
done_testing;
