# SPDX-License-Identifier: Apache-2.0
# What is derived from the tables agrees with what is committed, and every statement of the programs prepares against the schema.
use Vitrine::Words;

my $build = $ENV{VITRINE_BUILD};
my $text = `$build/vitrine-worker --openapi`;
my $committed = do { open my $f, '<', 'docs/openapi.json' or die; local $/; <$f> };
ok $text eq $committed, 'docs/openapi.json is current (else: vitrine-worker --openapi > docs/openapi.json)';
my $api = decode_json($text);
is $api->{openapi}, '3.1.0', 'it is OpenAPI 3.1';
my @refs = $text =~ m{"#/components/schemas/(\w+)"}g;
is_deeply [grep { !$api->{components}{schemas}{$_} } @refs], [], 'every reference resolves';
my @routes = map { decode_json($_) } split /\n/, `$build/vitrine-worker --routes`;
for my $r (grep { !$_->{alias} } @routes) {
	ok $api->{paths}{$r->{address}}{lc $r->{method}}, "$r->{method} $r->{path} is described";
}
my $reference = do { open my $f, '<', 'docs/api.md' or die; local $/; <$f> };
ok $reference eq `perl t/lib/refresh-api-docs $build`, 'docs/api.md is current (else: perl t/lib/refresh-api-docs var/build > docs/api.md)';
my $man = do { open my $f, '<', 'docs/man/vitrinectl.8' or die; local $/; <$f> };
ok $man eq `perl t/lib/refresh-man $build`,
	'docs/man/vitrinectl.8 is current (else: perl t/lib/refresh-man var/build > /tmp/man && cp /tmp/man docs/man/vitrinectl.8)';

my $speed = do { open my $f, '<', 'docs/speed.md' or die; local $/; <$f> };
cmp_ok scalar($speed =~ tr/\n//), '<=', 120, 'docs/speed.md is a page (t/lib/refresh-speed writes its tables)';
is join("\n", grep { /\*\*no\*\*/ && ((split / *\| */)[5] // '') !~ /\w/ } split /\n/, $speed), '', '... with a reason for each aim that is not met';

my $stack = Vitrine::Stack->new(workers => 1);
sub counted { return ($stack->db->selectrow_array('SHOW GLOBAL STATUS LIKE ?', undef, "Com_stmt_$_[0]"))[1] }
my %before = map { $_ => counted($_) } qw(prepare close);
my ($status, $out, $err) = $stack->program('vitrine-worker', {}, '--check-sql');
is "$status$out", '0', 'every statement prepares and maps its columns' or diag $err;
my ($prepared, $closed) = map { counted($_) - $before{$_} } qw(prepare close);
cmp_ok $prepared, '>', 500, "... each is prepared: $prepared";
cmp_ok $prepared - $closed, '<=', 140, '... of which a connection keeps 128';
finish($stack);
