# SPDX-License-Identifier: Apache-2.0
# openapi.json as other people's tools read it: no member twice, an operationId for each operation, Redocly's linter and a generator of
# types without a complaint, and examples that the service's own readers take.
use FindBin;
use File::Temp 'tempdir';
use Vitrine::OpenApi;
use Vitrine::Words;

my ($build, $var) = @ENV{qw(VITRINE_BUILD VITRINE_VAR)};
my $text = `$build/vitrine-worker --openapi`;
my $api = decode_json($text);

# ---- by itself

# Names of members in the order they stand, object by object.
sub twice {
	my @twice;
	my (@names, @stack);
	while ($text =~ /\G(?:("(?:[^"\\]|\\.)*")\s*(:?)|([{}])|[^"{}])/gs) {
		if (defined $3) { $3 eq '{' ? push @stack, {} : pop @stack }
		elsif (defined $1 && $2 && $stack[-1]{$1}++) { push @twice, $1 . ' before ' . substr $text, pos $text, 40 }
	}
	return @twice;
}
is_deeply [twice()], [], 'no object has a member twice';

my %operation;
for my $path (sort keys %{$api->{paths}}) {
	for my $method (sort keys %{$api->{paths}{$path}}) {
		my $o = $api->{paths}{$path}{$method};
		push @{$operation{$o->{operationId} // 'none'}}, "$method $path";
		like $o->{operationId} // '', qr/^\Q$method\E[A-Z][A-Za-z0-9]*$/, "$method $path has a name that is fit for a program";
	}
}
is_deeply [grep { @{$operation{$_}} > 1 } sort keys %operation], [], 'no two are called alike';
is_deeply $operation{getArtifactsByArtifactId}, ['get /v1/artifacts/{artifact_id}'], 'they are made from method and path';
is_deeply [map { $_->{name} } grep { !$_->{description} } @{$api->{tags}}], [],
	'each tag says what it is about (else: ROUTES(tag, rows, about))';
is_deeply [grep { !$_->{description} } values %{$api->{components}{securitySchemes}}], [], 'so does each way to sign in';
my $refuses = $api->{paths}{'/v1/artifacts/{artifact_id}'}{patch}{responses};
is_deeply [sort keys %$refuses], [qw(200 400 401 403 404 413 415 default)], 'a route names the refusals that its row tells of';
is_deeply $api->{components}{responses}{failure_401}{content}{'application/json'}{schema}{properties}{code}{enum},
	[qw(UNAUTHENTICATED TOKEN_REVOKED TOKEN_EXPIRED GATE_REQUIRED)],
	'with the codes of that status';
my $document = Vitrine::OpenApi->new("$FindBin::Bin/../../docs/openapi.json");
for my $path (sort keys %{$api->{paths}}) {
	for my $o (values %{$api->{paths}{$path}}) {
		my $json = ($o->{requestBody} // {})->{content}{'application/json'} // next;
		is join('; ', $document->check($json->{schema}, $json->{example}, 'example')), '',
			"the example of $o->{operationId} is as its schema says";
	}
}

# ---- other people's tools

my $dir = tempdir('vitrine-openapi-XXXXXX', TMPDIR => 1, CLEANUP => 1);
Vitrine::Stack::spew("$dir/openapi.json", $text);
@ENV{qw(REDOCLY_TELEMETRY REDOCLY_SUPPRESS_UPDATE_NOTICE)} = qw(off true);
my $bin = "$var/openapi/node_modules/.bin";
SKIP: {
	if (!-x "$bin/redocly") {
		my $said = `npm ping 2>&1`;
		skip 'the npm registry is out of reach', 5 if $?;
		fail "npm ci in t/lib/openapi failed, though the registry answers: $said";
		last SKIP;
	}
	# What can't refuse (health, documents) has no refusal to describe; no id of a workspace is "by-slug".
	my $without = join ' ', map { "--skip-rule=$_" } qw(operation-4xx-response no-unused-components no-ambiguous-paths);
	my $said = `cd $dir && $bin/redocly lint --format=json $without openapi.json 2>$dir/lint.err`;
	is $? >> 8, 0, 'redocly lint finds no error' or diag $said, Vitrine::Stack::slurp("$dir/lint.err");
	my $found = eval { decode_json($said) } // {};
	is_deeply [map { "$_->{ruleId}: $_->{message} " . ($_->{location}[0]{pointer} // '') } @{$found->{problems} // ['no report']}], [],
		'and has nothing to warn of';
	$said = `$bin/openapi-typescript $dir/openapi.json -o $dir/types.ts 2>&1`;
	is $? >> 8, 0, 'openapi-typescript makes types' or diag $said;
	my $types = Vitrine::Stack::slurp("$dir/types.ts");
	like $types, qr/getArtifactsByArtifactId: \{/, 'with the names of the operations';
	$said = `$bin/tsc --noEmit --strict $dir/types.ts 2>&1`;
	is $? >> 8, 0, 'which TypeScript takes' or diag $said;
}
done_testing;
