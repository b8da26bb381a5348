# SPDX-License-Identifier: Apache-2.0
# What the house rules say of the source, checked: direction of includes, who sees a library, sizes, licences.
use strict;
use warnings;
use Test::More;

# What each room may include beside itself: libraries, the core, and a folder for each capability.
my @libraries = qw(base db store ext http);
my @on_core = (@libraries, qw(core inbox));
my @capabilities = qw(people oauth team share sharing data import site talk jobs watch charts assets agents search connections catalog
	knowledge billing domains review
	tickets care bucket archive cluster inbox);
my %may = (base => [], db => ['base'], store => [qw(base db)], ext => [qw(base db)], http => [qw(base db store ext)], core => [@libraries],
	inbox => [@libraries, 'core'],
	people => [@on_core], oauth => [@on_core, 'people'], team => [@on_core, 'people'], data => [@on_core], import => [@on_core, 'data'],
	share => [@on_core, qw(people team)], site => [@on_core, qw(people team share data import)],
	talk => [@on_core, qw(data site)], review => [@on_core, qw(people site)],
	connections => [@on_core], jobs => [@on_core, qw(data import talk connections)],
	watch => [@on_core, qw(data import jobs)], charts => [@on_core, qw(data watch)],
	assets => [@on_core, 'team'], sharing => [@on_core, qw(people team)],
	agents => [@on_core, qw(people team site assets)], search => [@on_core], catalog => [@on_core, qw(data connections knowledge)],
	knowledge => [@on_core, qw(team site)], billing => [@on_core], tickets => [@on_core, 'connections'],
	domains => [@on_core, 'site'], care => [@on_core, qw(data site)],
	bucket => [@on_core, 'care'], archive => [@on_core, 'bucket'], cluster => [@on_core],
	app => [@on_core, @capabilities], runner => [@on_core, @capabilities], admin => [@on_core, @capabilities],
	cli => [qw(base store core data agents billing)],
	bin => [@libraries, qw(agents import bucket runner admin cli)]);
my %only = ('mysql.h' => 'db/db.c', 'json-c/json.h' => 'base/json.c', 'talloc.h' => 'base/mem.c',
	'yaml.h' => 'base/conf.c base/frontmatter.c', 'libpq-fe.h' => 'ext/postgres.c', 'gumbo.h' => 'ext/html.c',
	'gmime/gmime.h' => 'ext/mailread.c', 'png.h' => 'base/png.c', 'jpeglib.h' => 'base/jpeg.c', 'webp/decode.h' => 'base/webp.c',
	'archive.h' => 'store/archive.c import/xlsx.c', 'expat.h' => 'import/xlsx.c', 'xlsxwriter.h' => 'store/workbook.c',
	'fcgiapp.h' => 'http/fcgi.h',
	'openssl/evp.h' => 'base/crypto.c', 'crypt.h' => 'base/passhash.c',
	'openssl/x509v3.h' => 'base/certificate.c', 'openssl/pem.h' => 'base/certificate.c',
	'openssl/ssl.h' => 'ext/pairing.c ext/postgres.c',
	'resolv.h' => 'ext/dns.c', 'libpsl.h' => 'base/suffix.c', 'seccomp.h' => 'base/confine.c', 'linux/landlock.h' => 'base/confine.c',
	'brotli/encode.h' => 'store/pack.c', 'brotli/decode.h' => 'store/packcheck.c',
	'pwquality.h' => 'base/strength.c', 'liboath/oath.h' => 'base/otp.c', 'qrencode.h' => 'base/qr.c',
	'zlib.h' => 'store/gzip.c', 'cmark-gfm.h' => 'base/markdown.c base/mdalert.c base/mdmath.c',
	'cmark-gfm-core-extensions.h' => 'base/markdown.c',
	'curl/curl.h' => 'ext/egress.c ext/egress_many.c ext/egress_hop.h ext/s3.c ext/smtp.c cli/http.c cli/crawl.c');
# A unit is x.c with x.h. Circles of more than two units that are meant: their names, and why they can't be apart.
my %circles = ();
# Whose files know of requests, beside x_api and x_page of the core and of the capabilities.
my %requests = ('core/authn.c' => 'who calls is read from a request, for http/, which asks the core',
	(map { ("agents/$_" => 'tools and resources ask the API as its callers do') } qw(tool.h tool.c tool_action.c resource.h)),
	'agents/resource.c' => 'the card is a page of our own',
	'agents/skill.c' => 'its commands are those that the documents have of routes',
	'site/gate.c' => 'answers hosts of pages, which have no routes',
	'site/frame.h' => 'a part of the gate',
	'site/handoff.h' => 'a part of the gate and of the page that leads to it');
my @files = split /
/, `find src -name '*.c' -o -name '*.h' -o -name '*.def'`;
ok @files > 50, 'there are sources';
sub width { my $w = 0; $w = $_ eq "\t" ? ($w | 7) + 1 : $w + 1 for split //, $_[0] =~ s/\n$//r; return $w }
my (@up, @strangers, @unlicensed, @long_lines, @long_files, %functions, %uses, %reach, %circle, %knows);
for my $path (@files) {
	open my $in, '<:encoding(UTF-8)', $path or next;
	my @lines = <$in>;
	my ($room, $name) = $path =~ m{^src/(\w+)/(.+)$} or next;
	push @unlicensed, $path if $lines[0] !~ /SPDX-License-Identifier: Apache-2\.0/;
	# Lines are at most 100 columns wide, so a file may have this many.
	push @long_files, "$path has " . @lines . ' lines' if @lines > 900;
	my ($start, $fn);
	for my $i (0 .. $#lines) {
		my $no = $i + 1;
		push @long_lines, "$path:$no" if width($lines[$i]) > 100;
		if ($lines[$i] =~ m{^#include "(\w+)/([^"]+)"}) {
			my ($from, $to, $of, $what) = ("$room/$name", "$1/$2", $1, $2);
			push @up, "$path:$no includes $to" if $of ne $room && !grep { $_ eq $of } @{$may{$room}};
			$knows{$from} = 1 if ($of eq 'http' || $what =~ /_(?:api|page)\.h$/) && $name !~ /_(?:api|page)\.[ch]$/
				&& grep { $_ eq $room } 'core', @capabilities;
			s/\.[ch]$// for $from, $to;
			$uses{$from}{$to} = 1 if $from ne $to;
		} elsif ($lines[$i] =~ /^#include <([^>]+)>/ && $only{$1}) {
			push @strangers, "$path:$no includes $1" if !grep { $_ eq "$room/$name" } split / /, $only{$1};
		}
		$fn = $1 if $lines[$i] =~ /^(\w+)\(/;
		$start = $i if $lines[$i] =~ /^\{/;
		next if $lines[$i] !~ /^\}/;
		$functions{"$path:$fn"} = $i - $start - 1 if defined $start && $fn;
		undef $start;
	}
}
is join("\n", @up), '', 'includes point downward';
for my $unit (keys %uses) {
	my @next = keys %{$uses{$unit}};
	while (my $other = shift @next) {
		push @next, keys %{$uses{$other}} if !$reach{$unit}{$other}++;
	}
}
for my $unit (keys %reach) {
	my @all = sort grep { $reach{$_}{$unit} } keys %{$reach{$unit}};
	$circle{"@all"} = 1 if @all > 2;
}
is join("\n", sort keys %circle), join("\n", sort grep { $circles{$_} } keys %circles),
	'each circle of more than two units is in the table, with a reason, and no other';
is join("\n", sort keys %knows), join("\n", sort grep { $requests{$_} } keys %requests),
	'handlers alone know of requests: x_api and x_page, and what the table has';
is "@strangers", '', 'each library is seen by one file';
is "@unlicensed", '', 'every file names its licence';
is "@long_lines", '', 'no line is wider than 100 columns: a literal breaks at a clause, a row of a table between its fields';
is "@long_files", '', 'no file is too long';
my @by_size = sort { $functions{$b} <=> $functions{$a} } keys %functions;
my @too_long = grep { $functions{$_} > 70 } @by_size;
is "@too_long", '', 'no function has more than 70 lines';
diag "longest: $_ $functions{$_}" for @by_size[0 .. 4];
my @late = grep { do { local (@ARGV, $/) = $_; <> } =~ /\bTRY\(reply_[^;]*;\n(?:\tif [^;{]*\n\t)?\tr->status = /} @files;
is "@late", '', 'what a handler has replied gets another status by reply_status() alone: a form of DOES goes on with its own';
# nginx follows links, so none may be in the folders that it serves (docs/security.md). Who names files in data_dir, and by what.
my %names = ('store/site.c' => 'renameat symlinkat', 'store/tree.c' => 'mkdirat renameat renameat2', 'store/object.c' => 'linkat',
	'store/pack.c' => 'linkat', 'store/delivery.c' => 'linkat renameat', 'store/temp.c' => 'linkat renameat',
	'store/beneath.c' => 'mkdirat', 'store/shown.c' => 'renameat renameat2',
	# In other folders: what data_dir has beside the store, backups, nginx's configuration, and the rooms of the runner's browser.
	'archive/piece.c' => 'mkdir rename', 'archive/place.c' => 'mkdirat renameat', 'archive/scratch.c' => 'mkdir',
	'admin/archive_export.c' => 'mkdir', 'base/seal.c' => 'link', 'base/gauge.c' => 'rename', 'admin/doctor.c' => 'link',
	'admin/nginx.c' => 'mkdir rename', 'admin/program.c' => 'rename', 'admin/certificates.c' => 'mkdir',
	'admin/certificates_domains.c' => 'mkdir', 'admin/certificates_install.c' => 'link mkdir rename',
	'admin/cluster_conf.c' => 'rename', 'admin/cluster_join.c' => 'mkdir', 'admin/dump.c' => 'mkdir rename',
	'admin/backup.c' => 'mkdir', 'ext/room.c' => 'mkdir symlink', 'ext/parcel.c' => 'mkdir');
my %naming;
for my $path (grep { /\.c$/ && !m{^src/cli/} } @files) {
	my $text = do { local (@ARGV, $/) = $path; <> } =~ s{/\*.*?\*/}{}gsr;
	my %by = map { $_ => 1 } $text =~ /\b((?:sym)?link(?:at)?|rename(?:at2?)?|mk(?:dir|nod|fifo)(?:at)?)\(/g;
	$naming{$path =~ s{^src/}{}r} = join ' ', sort keys %by if %by;
}
is join("\n", map { "$_: $naming{$_}" } sort keys %naming), join("\n", map { "$_: $names{$_}" } sort keys %names),
	'the table has all files that make links, folders and names of files';
is `grep -rn AT_SYMLINK_FOLLOW src`, '', 'a hard link is never made of what a symbolic link shows';
is `grep -rn disable_symlinks nginx/*.in | grep -v '#'`, '', 'nginx looks for links nowhere: fsck does';
my @patterns = grep { do { local (@ARGV, $/) = $_; <> } =~ /\bREGEXP_(?:REPLACE|SUBSTR|INSTR)\b/ } @files;
is "@patterns", '', 'no text is worked on by patterns in SQL: MariaDB takes the square of its length';
my @printed = grep { /\b(?:sprintf|asprintf)\s*\([^;]*(?:SELECT|INSERT|UPDATE|DELETE) / }
	map { open my $in, '<', $_; my @l = <$in>; @l } @files;
is "@printed", '', 'no SQL is printed together';
# What a noun declares at its bottom is gone through because noun.def of its folder names it; who is not in it is not linked with it.
my $route_tables = do { local (@ARGV, $/) = 'src/app/routes.c'; <> };
my %routes = map { $_ => 1 } $route_tables =~ /\bL\((\w+)\)/g;
my %declares = (FIRST_FOLLOWER => 'FOLLOWS', FOLLOWER => 'FOLLOWS', PURGED => 'PURGES', ROUND => 'ROUNDS', LAST_ROUND => 'ROUNDS',
	FINDER => 'FINDS', SEALED => 'SEALS');
my $words = join '|', keys %declares;
my (%listed, %def);
for my $folder (map { m{src/(\w+)/} } glob 'src/*/noun.def') {
	$def{$folder} = do { local (@ARGV, $/) = "src/$folder/noun.def"; <> };
	$listed{"$folder: $declares{$1}($2)"} = 1 while $def{$folder} =~ /\b($words)\((\w+)/g;
}
my %declared = map { m{^src/(\w+)/\w+\.c:(\w+)\((\w+)} ? ($2 eq 'ROUTES' ? () : ("$1: $2($3)" => 1)) : () }
	`grep -rE '^(FOLLOWS|ROUNDS|PURGES|FINDS|SEALS)[(]\\w+' src --include=*.c`;
cmp_ok scalar(keys %listed), '>', 100, 'noun.def of the folders are read';
is join("\n", grep { !$listed{$_} } sort keys %declared), '', 'noun.def of a folder names what its nouns declare';
is join("\n", grep { !$declared{$_} } sort keys %listed), '', '... and no other';
is join(' ', grep { !$routes{$_} } map { /\((\w+)/ } `grep -rhoE '^ROUTES[(]\\w+' src`), '', 'app/routes.c names each table of routes';
is join(' ', grep { !$def{$_} && $_ ne 'agents' } @capabilities), '',
	'each capability has a noun.def, but agents/, which acts by the routes of others';
# A library and the core say nothing of a noun above them: no kind that search finds, no limit of mail, no template.
my %above = map { my $folder = $_; map { ($_ => $folder) } $folder =~ /^(?:core|@{[join '|', @libraries]})$/ ? () :
	((map { "FIND_$_" } $def{$folder} =~ /\bFINDER\(\w+, (\w+)/g), (map { "${_}_pot" } $def{$folder} =~ /^POT\((\w+)/mg),
		(map { "MAIL_$_" } $def{$folder} =~ /^MAIL\((\w+)/mg)) } keys %def;
my @knows_above;
for my $path (grep { m{^src/(?:core|@{[join '|', @libraries]})/\w+\.[ch]$} } @files) {
	my $text = do { local (@ARGV, $/) = $path; <> };
	push @knows_above, map { "$path: $_ of $above{$_}" } grep { $above{$_} } $text =~ m{\b(FIND_\w+|\w+_pot|MAIL_\w+)\b}g;
}
is join("\n", @knows_above), '', 'what noun.def of a capability makes, no file below it names';
# noun.def of a folder has its e-mails and the audit's words for what it does (core/nouns.def). The core's own may be used everywhere.
my @elsewhere;
for my $def (glob 'src/*/noun.def') {
	my ($folder) = $def =~ m{src/(\w+)/};
	my @mails = do { local (@ARGV, $/) = $def; <> } =~ /^MAIL\((\w+),/mg;
	push @elsewhere, map { "$_ of $folder" } grep { `grep -rlwE 'MAIL_$_' src --include=*.c` !~ m{^src/$folder/}m } $folder eq 'core'
		? () : @mails;
}
is "@elsewhere", '', 'an e-mail is declared in the folder that sends it';
# What a service or a folder says is escaped where the client prints, so it prints in one place.
my @prints = grep { !m{cli/cli\.c:} } split /\n/,
	`grep -nE '\\b(f|v|d|vf|vd)?printf\\(|\\b(f?puts|f?putc|putchar|fwrite|perror)\\(' src/cli/*.c src/bin/vitrine.c`;
is "@prints", '', 'the client prints by cli/cli.c alone';
# Perl can't break a pattern, so a line with a long one may be wider; so may lines of a here-document that becomes a file.
my $pattern = qr/(?:\bqr|[=!]~ ?s?)[\/{].{60}/;
my @wide;
for my $path (split /\n/, `find t -name '*.t' -o -name '*.pm'; grep -rlI '^#!/usr/bin/env perl' t/lib t/lint`) {
	open my $in, '<:encoding(UTF-8)', $path or next;
	my $end;
	while (my $line = <$in>) {
		if (defined $end) { undef $end if $line =~ /^\s*\Q$end\E$/; next }
		$end = $1 if $line =~ /<<~?["']?([A-Z]+)\b/;
		push @wide, "$path:$." if length($line) + 7 * ($line =~ tr/\t//) > 140 && width($line) > 140 && $line !~ $pattern;
	}
}
is "@wide", '', 'no line of a test is wider than 140 columns';
done_testing;
