# SPDX-License-Identifier: Apache-2.0
# Which columns have sealed values is declared once, by SEALS(): that is compared with what the schema says of its columns, with what stands
# in every column of every table once there is a secret of each kind, and with who calls the seal.
use Vitrine::Sealed;
use Vitrine::Words;

my ($stack, $api, $db) = stack(Vitrine::Sealed->conf);
Vitrine::Sealed->new($stack, $api);
my ($id) = $stack->ctl(qw(rekey --check)) =~ /^key_file: key ([0-9a-f]{8})$/m;
my @declared = sort $stack->ctl(qw(rekey --check)) =~ /^(\w+\.\w+): 0 under/mg;
cmp_ok scalar(@declared), '>=', 8, "declared: @declared";

# ---- what the schema says

my $columns = $db->selectall_arrayref('SELECT TABLE_NAME AS t, COLUMN_NAME AS c, DATA_TYPE AS type, CHARACTER_MAXIMUM_LENGTH AS most, '
	. 'COLUMN_COMMENT AS said FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE()', { Slice => {} });
is_deeply [sort map { "$_->{t}.$_->{c}" } grep { $_->{c} =~ /sealed/ || $_->{said} =~ /\bsealed\b/ } @$columns], \@declared,
	'columns that are called sealed, or have it in their comment';

# ---- what is there

my @texts = grep { $_->{type} =~ /char|text|blob|binary/ } @$columns;
cmp_ok scalar(@texts), '>', 300, scalar(@texts) . ' columns are looked through';
my @found = grep { my $in = $_; $db->selectrow_array("SELECT COUNT(*) FROM `$in->{t}` WHERE INSTR(`$in->{c}`, ?)", undef, "$id.") } @texts;
is_deeply [sort map { "$_->{t}.$_->{c}" } @found], \@declared, 'sealed values stand in these columns, in each of them, and in no other';
# What tells the key takes room.
for my $in (@found) {
	my ($longest) = $db->selectrow_array("SELECT MAX(LENGTH(`$in->{c}`)) FROM `$in->{t}`");
	cmp_ok $longest, '<=', $in->{most}, "$in->{t}.$in->{c}: $longest of $in->{most}";
}

# ---- who seals

# What is sealed and leaves: into addresses, cookies, forms. Whoever stores it uses sealed_close().
my %leaves = map { $_ => 1 } qw(assets/delivery.c data/rowfind.c inbox/stop.c people/provider_api.c site/visit.c);
chdir "$ENV{VITRINE_TOP}/src" or die;
my @callers = grep { !m{^(?:base/seal\.[ch]|db/sealed\.[ch])$} } split /\n/, `grep -lE '\\bseal_(close|open)\\(' */*.c */*.h`;
is join(' ', sort @callers), join(' ', sort keys %leaves), 'what is stored is sealed by its declaration alone';
finish($stack);
