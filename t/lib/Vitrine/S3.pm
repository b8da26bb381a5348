# SPDX-License-Identifier: Apache-2.0
# An object store by S3's API, for one test. It checks the signature of each request (AWS, "Signature Version 4") and the digest of each
# body, and keeps objects in a folder. fault() makes it fail.
package Vitrine::S3;
use strict;
use warnings;
use Cpanel::JSON::XS;
use Digest::SHA qw(hmac_sha256 hmac_sha256_hex sha256_hex);
use Vitrine::Listener;
use Vitrine::Stack;
our @ISA = 'Vitrine::Listener';

# The keys, by what they are for: the second is for what is below /bucket/backup alone.
my ($ID, $KEY, $BACKUP) = ('vitrine:1', 'aSecret/That+Nobody=Knows', 'another/Secret+Of=Backups');

# $tls: the folder with cert.pem and key.pem. address => where it listens, if that isn't the loopback; the certificate must have it.
sub new {
	my ($class, $tls, %o) = @_;
	my $s = $class->begin('s3', %o);
	mkdir "$s->{dir}/bucket";
	Vitrine::Stack::spew("$s->{dir}/key", "$ID $KEY\n");
	Vitrine::Stack::spew("$s->{dir}/backup-key", "backup $BACKUP\n");
	return $s->start($tls);
}
# Settings of stacks that keep objects there.
sub conf {
	my ($s, %more) = @_;
	return (store_url => 'https://' . ($s->{address} // 'localhost') . ":$s->{port}/bucket/pre", store_key_file => "$s->{dir}/key",
		store_region => 'eu-test-1', %more);
}
# Settings of stacks that keep backups there.
sub backup_conf {
	my ($s, %more) = @_;
	return (backup_url => "https://localhost:$s->{port}/bucket/backup", backup_store_key_file => "$s->{dir}/backup-key",
		backup_store_region => 'eu-test-1', %more);
}
sub file { my ($s, $key) = @_; return "$s->{dir}/bucket/" . $key =~ s{/}{=}gr }
# The keys of all objects, below the prefix.
sub keys_of {
	my ($s, $prefix) = @_;
	$prefix //= 'pre';
	return sort map { m{/\Q$prefix\E=([^/]+)$} ? $1 =~ s/=/\//gr : () } glob "$s->{dir}/bucket/*";
}
# From now on requests of the method fail in this way: a status; [slow => seconds]; 'cut' (done, without an answer); 'lost' (answered, but
# not done); 'wrong' (other bytes); 'short'; 'redirect'; 'again' (each page of a list has
# the same name). undef: no more.
sub fault {
	my ($s, $method, $how) = @_;
	return unlink "$s->{dir}/fault-$method" if !defined $how;
	Vitrine::Stack::spew("$s->{dir}/fault-$method", encode_json([ref $how ? @$how : $how]));
}
# The requests so far, each "METHOD key status".
sub calls { my ($s) = @_; return -e "$s->{dir}/calls" ? split /\n/, Vitrine::Stack::slurp("$s->{dir}/calls") : () }
sub forget { my ($s) = @_; unlink "$s->{dir}/calls" }

# The signature of a request with a key, and which headers it is of.
sub signature {
	my ($ask, $key, $scope, $names) = @_;
	my ($h, $path, $query) = ($ask->{headers}, $ask->{target} =~ /^([^?]*)\??(.*)$/);
	my $canonical = join "\n", $ask->{method}, $path, $query, (map { "$_:$h->{$_}" } split /;/, $names), '', $names,
		$h->{'x-amz-content-sha256'};
	my $text = join "\n", 'AWS4-HMAC-SHA256', $h->{'x-amz-date'}, $scope, sha256_hex($canonical);
	$key = "AWS4$key";
	$key = hmac_sha256($_, $key) for split m{/}, $scope;
	return hmac_sha256_hex($text, $key);
}

# Why a request is refused; nothing if its signature is right.
sub unsigned {
	my ($ask) = @_;
	my ($h, $of) = ($ask->{headers}, $ask->{headers}{authorization} // '');
	my ($id, $scope, $names, $signature) = $of
		=~ m{^AWS4-HMAC-SHA256 Credential=(\S+?)/(\d{8}/[^/]+/s3/aws4_request), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$}
		or return "no signature: $of";
	my $key = $ask->{target} =~ m{^/bucket/backup/|prefix=backup%2F} ? $id eq 'backup' && $BACKUP : $id eq $ID && $KEY;
	return 'another id' if !$key;
	for (qw(host x-amz-date x-amz-content-sha256)) { return "$_ isn't signed" if ";$names;" !~ /;$_;/ }
	for (split /;/, $names) { return "$_ is signed, but not sent" if !defined $h->{$_} }
	my ($query) = $ask->{target} =~ /\?(.*)$/;
	return 'the query is not in order' if ($query // '') ne join '&', sort split /&/, $query // '';
	return 'another body' if $h->{'x-amz-content-sha256'} ne sha256_hex($ask->{body});
	return 'another region' if $scope !~ m{^\d+/eu-test-1/};
	return signature($ask, $key, $scope, $names) eq $signature ? '' : 'another signature';
}

sub list_of {
	my ($s, $query, $again) = @_;
	my %q = map { my ($n, $v) = split /=/; $n => $v =~ s/%(..)/chr hex $1/ger } split /&/, $query;
	my @all = grep { index($_, $q{prefix}) == 0 && $_ gt ($q{'start-after'} // '') }
		sort map { s{.*/}{}r =~ s/=/\//gr } glob "$s->{dir}/bucket/*";
	@all = ("$q{prefix}1") if $again;
	my $more = $again || @all > 3 ? 'true' : 'false'; # pages are small, so that all tests have several
	splice @all, 3 if @all > 3;
	return "<ListBucketResult><IsTruncated>$more</IsTruncated>" . join('', map { "<Contents><Key>$_</Key></Contents>" } @all)
		. '</ListBucketResult>';
}

# Every second connection is kept for more.
sub serve {
	my ($s, $c, $ask) = @_;
	my $kept = $$ % 2;
	while ($ask && $s->answer($c, $ask, $kept) && $kept) { $ask = Vitrine::Listener::next_request($c) }
}
sub answer {
	my ($s, $c, $ask, $kept) = @_;
	my $method = $ask->{method};
	my ($key, $query) = $ask->{target} =~ m{^/bucket(?:/([^?]*))?\??(.*)$} or return;
	my ($how, $arg) = -e "$s->{dir}/fault-$method" ? @{decode_json(Vitrine::Stack::slurp("$s->{dir}/fault-$method"))} : '';
	my ($status, $body, @headers) = (200, '');
	sleep $arg if $how eq 'slow';
	my $file = $s->file($key // '');
	if ($how =~ /^\d+$/) { $status = $how }
	elsif ($how eq 'redirect') { ($status, @headers) = (307, "Location: https://localhost:$s->{port}/bucket/elsewhere") }
	elsif (my $why = unsigned($ask)) { ($status, $body) = (403, "<Code>$why</Code>") }
	elsif (length $query) { $body = $s->list_of($query, $how eq 'again') }
	elsif ($method eq 'PUT') {
		if ($how ne 'lost') { Vitrine::Stack::spew("$file.new$$", $ask->{body}); rename "$file.new$$", $file }
	}
	elsif (!-e $file) { $status = $method eq 'DELETE' ? 204 : 404 }
	elsif ($method eq 'DELETE') { $status = 204; unlink $file if $how ne 'lost' }
	else { $body = Vitrine::Stack::slurp($file) }
	$body =~ tr/a-z/b-za/ if $how eq 'wrong' && !length $query;
	open my $f, '>>', "$s->{dir}/calls" or die;
	syswrite $f, "$method " . ($key // '') . " $status" . ($status == 403 ? " $body" : '') . "\n";
	return if $how eq 'cut';
	my $n = length $body;
	$body = '' if $method eq 'HEAD';
	substr($body, int(length($body) / 2)) = '' if $how eq 'short';
	Vitrine::Listener::send_all($c,
		join("\r\n", "HTTP/1.1 $status X", "Content-Length: $n", ($kept ? () : 'Connection: close'), @headers, '', '') . $body);
	return $how ne 'short';
}

1;
