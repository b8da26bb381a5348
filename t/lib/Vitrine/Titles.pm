# SPDX-License-Identifier: Apache-2.0
# Titles that nobody wrote for us, in twenty scripts, and what people type who look for one: the summaries of Debian's packages, and the
# names of countries, regions, languages, scripts and currencies as iso-codes has them translated. The same on each machine that has the
# same packages.
package Vitrine::Titles;
use strict;
use warnings;
use utf8;
use Encode 'decode';
use Exporter 'import';
use List::Util qw(first shuffle uniq);
use Unicode::Normalize qw(NFC NFD);

our @EXPORT = qw(names packages titles wanted judged);

my @languages = qw(ru uk el ar he fa ja zh_CN zh_TW ko th hi bn ta ka hy am de fr es pl cs vi tr is hu);
my @domains = qw(iso_3166-1 iso_4217 iso_639-2 iso_15924 iso_639-3 iso_3166-2);

# What a catalog of gettext translates: English => another.
sub catalog {
	my ($file) = @_;
	open my $in, '<:raw', $file or return ();
	my $mo = do { local $/; <$in> };
	my ($magic, undef, $n, $from, $to) = unpack 'V5', $mo;
	return () if $magic != 0x950412de;
	my $text = sub { my ($length, $at) = unpack 'V2', substr $mo, $_[0] + 8 * $_[1], 8; decode('UTF-8', substr $mo, $at, $length) };
	return map { my $english = $text->($from, $_); length $english ? ($english => NFC($text->($to, $_))) : () } 0 .. $n - 1;
}

# "Iceland: アイスランド", a list of them, those of a domain and a language beside each other.
sub names {
	my @all;
	for my $domain (@domains) {
		for my $language (@languages) {
			my %name = catalog("/usr/share/locale/$language/LC_MESSAGES/$domain.mo");
			push @all,
				map { { name => "$_: $name{$_}" } } grep { $name{$_} ne $_ && "$_$name{$_}" !~ /[\n\0|]/ } sort keys %name;
		}
	}
	die "no names: apt-get install iso-codes\n" if !@all;
	return @all;
}

# The packages that apt knows: their summaries, with their names as slugs.
sub packages {
	my %seen;
	open my $in, '-|:encoding(UTF-8)', 'apt-cache', 'dumpavail' or die "apt-cache: $!\n";
	my ($package, @all);
	while (<$in>) {
		$package = $1 if /^Package: (\S+)/;
		push @all, { name => $1, also => substr $package, 0, 63 } if /^Description(?:-en)?: (\S.*\S)/ && !$seen{$package}++;
	}
	return sort { $a->{also} cmp $b->{also} } @all;
}

# $n of both, as they come by chance; beyond what there is, a name behind another.
sub titles {
	my ($n) = @_;
	srand 28;
	my @all = shuffle(grep { $_->{name} !~ m{\p{Cc}} && length $_->{name} <= 200 } packages(), names());
	my $have = @all;
	for (my $i = 0; @all < $n; $i++) {
		my ($one, $other) = @all[$i % $have, ($i * 7919 + $i / $have) % $have];
		push @all, { name => substr("$one->{name} / $other->{name}", 0, 200),
			($one->{also} ? (also => substr "$one->{also}-" . @all, -63) : ()) };
	}
	return @all[0 .. $n - 1];
}

# ---- what is typed

my $WHOLE = qr/[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}]/;
sub words { return grep { length } split /[^\p{L}\p{M}\p{N}]+/, lc $_[0] }
# Letters as one types them; of Hangul its parts.
sub letters { my ($word) = @_; return $word =~ /\p{Hangul}/ ? split(//, NFD($word)) : split //, NFC($word) }
my @alphabets = map { [$_, qr/\p{$_}/] } qw(Latin Greek Cyrillic Han Hiragana Katakana Arabic Hebrew Thai Devanagari Bengali Tamil Georgian
	Armenian Hangul);
sub alphabet { my ($letter) = @_; my $is = first { $letter =~ $_->[1] } @alphabets; return $is ? $is->[0] : 'other' }
my %script_of;
sub slip {
	my ($word, $how) = @_;
	my @letter = letters($word);
	my $at = 1 + int rand(@letter - 1);
	# Another of its script.
	my ($script) = map { $script_of{$_} } first { $script_of{$_} } @letter;
	my $other = $script ? $script->[rand @$script] : 'e';
	splice @letter, $at, $how eq 'insert' ? 0 : 1, $how eq 'delete' ? () : $other if $how ne 'swap';
	@letter[$at - 1, $at] = @letter[$at, $at - 1] if $how eq 'swap';
	return NFC(join '', @letter);
}
# One that is another word.
sub typo { my ($word, $how) = @_; for (1 .. 20) { my $is = slip($word, $how); return $is if $is ne NFC($word) } return }

sub long { my ($least, @words) = @_; return grep { $_ !~ $WHOLE && $_ !~ /\d/ && letters($_) >= $least } @words }
# One of the words by another.
sub instead { my ($words, $which, $by) = @_; return defined $by ? join ' ', map { $_ eq $which ? $by : $_ } @$words : undef }
sub any { return $_[rand @_] }

# Each gives what is typed for a title by its words, two to four of them that no other title has all of; or nothing.
my %typed = (
	exact => sub { join ' ', @_ },
	order => sub { @_ > 1 ? join ' ', reverse @_ : undef },
	prefix => sub { my ($last) = (long(5, $_[-1])) or return; join ' ', @_[0 .. $#_ - 1], substr $last, 0, int(length($last) / 2) + 1 },
	(map { my $how = $_; ("one typo, $how" => sub { my $w = any(long(4, @_)) // return; instead(\@_, $w, typo($w, $how)) }) } qw(insert
		delete replace swap)),
	'two typos' => sub {
		my $w = any(long(9, @_)) // return;
		my $once = typo($w, any(qw(insert delete replace swap))) // return;
		my $twice = typo($once, any(qw(insert delete replace swap)));
		return defined $twice && $twice ne NFC($w) ? instead(\@_, $w, $twice) : undef;
	},
	'without marks' => sub {
		my $bare = NFD(join ' ', @_) =~ s/(?<=[\p{Latin}\p{Greek}\p{Cyrillic}\p{Arabic}\p{Hebrew}])\p{Mn}+//gr;
		NFC($bare) ne NFC(join ' ', @_) ? NFC($bare) : undef;
	},
	'two scripts' => sub {
		my ($latin) = grep { /^\p{Latin}+$/ } @_;
		my ($other) = grep { !/\p{Latin}|\d/ } @_;
		defined $latin && defined $other ? "$other $latin" : undef;
	},
	'a wrong character of Han, kana, Thai' => sub {
		my $w = any(grep { /^$WHOLE{4,}$/ } @_) // return;
		my $at = 1 + int rand(length($w) - 1);
		my $others = $script_of{substr $w, $at, 1} // return;
		my $is = $w;
		substr($is, $at, 1) = any(@$others);
		return $is ne $w ? instead(\@_, $w, $is) : undef;
	},
	'a slug with a typo' => undef,
);

# Up to $n queries of each class: { class, q, at }, at being the number of the title that is wanted.
sub wanted {
	my ($n, @titles) = @_;
	srand 1;
	my (%has, %letters);
	my @words = map { [words($_->{name})] } @titles;
	for my $i (0 .. $#titles) { $has{$_}{$i} = 1 for @{$words[$i]} }
	for my $word (keys %has) {
		next if $word =~ /\d/;
		$letters{alphabet($_)}{$_} = 1 for grep { NFD($_) eq $_ && /^\p{L}$/ && !/[^\P{Latin}a-z]/ } split //, $word;
		if ($word =~ /\p{Hangul}/) { $letters{jamo}{$_} = 1 for split //, NFD($word) }
	}
	%script_of = ();
	for my $set (values %letters) { my @all = sort keys %$set; $script_of{$_} = \@all for @all }
	my (%got, @all);
	for my $i (shuffle(0 .. $#titles)) {
		last if !first { ($got{$_} // 0) < $n } keys %typed;
		# As few of its words as only it has, from somewhere within.
		my @w = uniq(@{$words[$i]});
		my $from = int rand @w;
		my (@some, $left);
		for my $k (map { $_ % @w } $from .. $from + ($#w < 4 ? $#w : 4)) {
			push @some, $k;
			$left = $left ? [grep { $has{$w[$k]}{$_} } @$left] : [keys %{$has{$w[$k]}}];
			last if @$left == 1 && @some > 1;
		}
		next if @$left != 1;
		@some = @w[sort { $a <=> $b } @some];
		for my $class (sort keys %typed) {
			next if ($got{$class} // 0) >= $n || rand() < 0.5;
			my $also = $titles[$i]{also};
			my $q = $typed{$class} ? $typed{$class}->(@some) : defined $also && $also =~ /^[a-z]{6,}$/
				? typo($also, any(qw(insert delete replace swap))) : undef;
			next if !defined $q;
			$got{$class}++;
			push @all, { class => $class, q => $q, at => $i };
		}
	}
	return @all;
}

# What was found of queries that wanted() gave: find(q) gives the numbers of titles, the best first. By class, and as 'all': n, how many are
# wanted; recall, the share of them among the first ten; mrr, the mean of 1 by their places there; missed, the queries that found nothing of
# it.
sub judged {
	my ($find, @queries) = @_;
	my %of;
	for my $query (@queries) {
		my @found = $find->($query->{q});
		my $place = first { $found[$_ - 1] == $query->{at} } 1 .. (@found < 10 ? @found : 10);
		for my $class ($query->{class}, 'all') {
			$of{$class}{n}++;
			$of{$class}{recall} += defined $place;
			$of{$class}{mrr} += defined $place ? 1 / $place : 0;
		}
		push @{$of{$query->{class}}{missed}}, $query->{q} if !defined $place;
	}
	for my $class (values %of) { $class->{$_} /= $class->{n} for qw(recall mrr) }
	return %of;
}

1;
