# SPDX-License-Identifier: Apache-2.0
# A version that shares most files with the live one is made by difference (site/former.c). Whatever changed, its rows, bytes and counters
# are those of the same version made whole.
use utf8;
use Digest::SHA 'sha256_hex';
use Encode 'encode_utf8';
use File::Find;
use MIME::Base64;
use Vitrine::Counted;
use Vitrine::Words qw(as);

my ($stack, $api, $db) = stack(publish_per_hour => 100000, publish_failures_per_hour => 100000);
my ($ann, $ben) = map { $stack->user("$_\@example.org") } qw(ann ben);
my $trees = "$stack->{dir}/data/trees";
my $made = 0;

# A folder of 160 files. Bytes are octets, paths are text; a file is its bytes, or its bytes and its declared type.
my $noise = join ' ', map { "word$_" } 1 .. 80;
my %base = ('index.html' => '<!doctype html><title>x</title>x', 'Größe.html' => 'y', 'UP.HTML' => 'up', 'rows.gz' => 'z',
	'a/b/c.txt' => 'c',
	'swap' => 'a file', 'over/in.txt' => 'in a folder', 'latin.html' => "<meta charset=windows-1252>\xf6",
	'typed.html' => ['typed', 'text/plain'], 'koi.txt' => ["\xf6", 'text/plain; charset=koi8-r'],
	map { (sprintf('d%d/f%03d.html', $_ / 20, $_) => "<p>$_</p> $noise") } 1 .. 150);
sub parts { my ($file) = @_; return ref $file ? @$file : ($file) }
sub listed {
	my ($files, $by_digest) = @_;
	return [map {
		my ($bytes, $mime) = parts($files->{$_});
		{ path => $_, $mime ? (mime => $mime) : (), sha256 => sha256_hex($bytes),
			$by_digest->($_) ? () : (content => encode_base64($bytes, ''), encoding => 'base64') };
	} sort keys %$files];
}
sub publish {
	my ($who, $files, %fields) = @_;
	my $by_digest = delete $fields{by_digest} // sub { 0 };
	return as($who, POST => '/v1/publish', json => { name => 'Site', %fields, files => listed($files, $by_digest) });
}
sub rows {
	my ($art, $no) = @_;
	return $db->selectall_arrayref('SELECT path, HEX(sha256), size_bytes, mime, declared FROM version_file'
		. ' WHERE artifact_id = ? AND version_no = ? ORDER BY path', undef, $art, $no);
}
# Each file with the inode behind it, which is the object's.
sub tree {
	my ($art, $no) = @_;
	my %all;
	my $top = "$trees/$art/" . (-d "$trees/$art/$no" ? $no : "draft-$no");
	find({ no_chdir => 1, wanted => sub { $all{substr $_, length $top} = (stat _)[1] if -f } }, $top);
	# Packed forms are the packer's.
	delete $all{$_} for grep { m{^/pub/.*\.(?:gz|br)\z} } keys %all;
	return \%all;
}
sub counted { my ($art) = @_; return $db->selectrow_array('SELECT bytes FROM artifact_storage WHERE artifact_id = ?', undef, $art) }
sub owned {
	my ($who) = @_;
	my $all = $db->selectcol_arrayref('SELECT HEX(sha256) FROM owned_object WHERE owner_id = ? ORDER BY sha256', undef, $who->{id});
	return join ' ', @$all;
}
sub version {
	my ($art, $no) = @_;
	return $db->selectrow_arrayref('SELECT entrypoint, file_count, size_bytes, utf8 FROM version'
		. ' WHERE artifact_id = ? AND version_no = ?', undef, $art, $no);
}

# Publishes %$from, then %$to over it, in one artifact; in another one something else is live in between, so nothing is shared.
sub same {
	my ($name, $from, $to, %fields) = @_;
	my @who = @{delete $fields{who} // [$ann, $ann]};
	my @all = map {
		my $whole = $_;
		my $r = publish($who[0], $from, slug => 's' . ++$made, visibility => 'public');
		die "$r->{status} $r->{body}" if $r->{status} != 201;
		my $art = $r->{json}{artifact}{id};
		$stack->collaborator($art, $who[1], 'editor') if $who[1] != $who[0];
		publish($who[0], { 'other.html' => 'other' }, artifact_id => $art)->{status} == 201 or die if $whole;
		my $stays = sub { my ($path) = @_; return $from->{$path} && (parts($from->{$path}))[0] eq (parts($to->{$path}))[0] };
		$r = publish($who[1], $to, artifact_id => $art, by_digest => $stays, %fields);
		$r->{status} == 201 or die "$name: $r->{status} $r->{body}";
		my $no = $r->{json}{version}{version_no};
		{ rows => rows($art, $no), warnings => $r->{json}{warnings}, version => version($art, $no), tree => tree($art, $no),
			counted => counted($art) - ($whole ? length 'other' : 0) };
	} 0, 1;
	for (qw(rows warnings version tree counted)) { is_deeply $all[0]{$_}, $all[1]{$_}, "$name: $_" }
	return $all[0];
}

same('one file', \%base, { %base, 'd3/f070.html' => 'changed' });
same('nothing', \%base, \%base);
same('every other file', \%base, { %base, map { /(\d+)\.html/ && $1 % 2 ? ($_ => "new $_") : () } keys %base });
same('all but one', \%base, { map { ($_ => $_ eq 'a/b/c.txt' ? 'c' : "$_ new") } keys %base });
my %gone = %base;
delete @gone{'UP.HTML', 'd0/f001.html', 'd7/f150.html', 'a/b/c.txt'};
same('files that are gone', \%base, \%gone);
same('new files', \%base, { %base, '0.txt' => 'first', 'd3/f070a.html' => 'between', 'zz/z.txt' => 'last' });
my %moved = %base;
$moved{"moved/$_"} = delete $moved{$_} for map { sprintf 'd0/f%03d.html', $_ } 1 .. 19;
same('files that moved', \%base, \%moved);
my %swapped = (%base, 'swap/in.txt' => 'in', over => 'a file now');
delete @swapped{'swap', 'over/in.txt'};
same('a file for a folder, and a folder for a file', \%base, \%swapped);
same('declared types', \%base, { %base, 'typed.html' => 'typed', 'index.html' => [$base{'index.html'}, 'text/plain'],
	'a/b/c.txt' => ['c', 'text/x-c'], 'koi.txt' => ["\xf6", 'text/plain; charset=iso-8859-5'] });
same('a charset that was declared and no longer is', \%base, { %base, 'koi.txt' => "\xf6" });
my %ruled = (%base, _headers => "/d1/*\n X-Frame-Options: DENY\n bad\n", _redirects => "/d2/* /index.html 200!\n");
same('rules that concern files that stay', \%base, \%ruled);
same('rules that go', \%ruled, \%base);
same('rules that stay', \%ruled, { %ruled, 'd3/f070.html' => 1 });
same('another entry page', \%base, { %base, 'index.html' => 'entry' }, entrypoint => 'd1/f025.html');
same('a page for small screens', \%base, { %base, 'd3/f070.html' => 'x' }, mobile_html => 'small');
same('a draft', \%base, { %base, 'd3/f070.html' => 'x' }, draft => Cpanel::JSON::XS::true);
my %unsure = (%base, 'unsure.html' => "\xf6", 'late.txt' => "\xf6 late");
my $why = "isn't UTF-8 and doesn't say which character set it is in, so letters may be shown wrong; save it as UTF-8";
is_deeply same('texts of no charset', \%unsure, { %unsure, 'd3/f070.html' => 'x' })->{warnings},
	[map { "$_: $why" } 'late.txt', 'unsure.html'], '... of which each version warns';
same('texts of no charset that go', \%unsure, \%base);
same('by somebody else', \%base, { %gone, 'd3/f070.html' => 'by ben' }, who => [$ann, $ben]);
my %bens = map { (uc sha256_hex((parts($_))[0]) => 1) } values %gone, 'by ben', $base{'d3/f070.html'};
delete $bens{uc sha256_hex($base{'d3/f070.html'})};
is owned($ben), join(' ', sort keys %bens), '... whose own the bytes are then, and only those';

# ---- several versions on

my $art = publish($ann, \%base, slug => 'steps', visibility => 'public')->{json}{artifact}{id};
my %now = %base;
for my $step (1 .. 6) {
	$now{sprintf 'd%d/f%03d.html', $step, $step * 20 + 1} = "step $step";
	delete $now{sprintf 'd%d/f%03d.html', $step, $step * 20 + 3};
	my $r = publish($ann, \%now, artifact_id => $art, by_digest => sub { ref $now{$_[0]} || $now{$_[0]} !~ /^step $step$/ });
	is $r->{status}, 201, "step $step" or diag $r->{body};
}
is scalar @{rows($art, 7)}, scalar keys %now, 'six steps on, all files are there';
is $api->get_site('steps', '/d6/f121')->{body}, 'step 6', 'the last change is served';
is $api->get_site('steps', '/d2/f041')->{body}, 'step 2', '... and an earlier one';
is $api->get_site('steps', '/d2/f043')->{status}, 404, 'what went stays away';

# ---- what is refused

my $wrong = listed(\%now, sub { 1 });
$_->{size_bytes} = 7 for grep { $_->{path} eq 'd5/f110.html' } @$wrong;
my $r = as($ann, POST => '/v1/publish', json => { artifact_id => $art, files => $wrong });
like "$r->{status} $r->{json}{error}", qr/^400 files: size_bytes of d5\/f110\.html is 7, but the file is \d+ bytes$/, 'a wrong size';
# Bytes that the store lost are asked for, with others that it never had, and mended.
my @lost = map { sha256_hex($now{$_}) } 'd5/f110.html', 'd5/f112.html';
unlink map { "$stack->{dir}/data/objects/" . substr($_, 0, 2) . "/$_" } @lost;
$r = publish($ann, { %now, 'd3/f070.html' => 'and this' }, artifact_id => $art, by_digest => sub { 1 });
sub missing { my ($r) = @_; return "$r->{status} $r->{json}{code} @{$r->{json}{details}{missing} // []}" }
is missing($r), join(' ', 409, 'MISSING_BLOBS', sort @lost, sha256_hex('and this')), 'lost bytes are missing';
$r = publish($ann, \%now, artifact_id => $art, by_digest => sub { 1 });
is missing($r), join(' ', 409, 'MISSING_BLOBS', sort @lost), '... also alone';
$r = publish($ann, \%now, artifact_id => $art, by_digest => sub { $_[0] !~ m{^d5/f11[02]} });
is $r->{status}, 201, 'with their bytes it is published';

# ---- what it takes

my %many = (%base, map { ("more/$_.txt" => $_) } 1 .. 1000);
my $many = publish($ann, \%many, slug => 'many')->{json}{artifact}{id};
my ($least) = sort { $a <=> $b } map {
	$many{'more/77.txt'} = "x$_";
	my $r = publish($ann, \%many, artifact_id => $many, by_digest => sub { $_[0] ne 'more/77.txt' });
	Vitrine::Counted::of_reply($stack, $r);
} 1 .. 2;
cmp_ok $least, '<=', 10, "one of 1,160 files takes $least round trips";

is $stack->ctl('fsck'), 'clean', 'fsck finds nothing';
finish($stack);
