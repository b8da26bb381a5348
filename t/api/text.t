# SPDX-License-Identifier: Apache-2.0
# Texts that people read: what one line and what several may have in them, at every door they come in by.
use utf8;
use FindBin;
use Vitrine::Words;

my ($stack, $api) = stack(publish_per_hour => 100000, access_requests_per_hour => 1000);
my $ann = $stack->user('ann@example.org');
my $art = $api->publish($ann, slug => 'site', visibility => 'private');
sub call { my ($method, $path, $json) = @_; return $api->call($method => $path, { token => $ann->{token}, json => $json }) }
sub publish {
	return call(POST => '/v1/publish', { name => 'Site', artifact_id => $art, files => [{ path => 'index.html', content => 'x' }], @_ })
}

my %wrong = (escape => "\e[2J", delete => "\x7f", 'C1' => "\x{9b}31m", 'next line' => "\x{85}", override => "\x{202e}",
	embedding => "\x{202a}", isolate => "\x{2066}", 'end of an isolate' => "\x{2069}", 'carriage return' => "\r",
	noncharacter => "\x{fdd0}", 'noncharacter of another plane' => "\x{1fffe}");
my %wrong_in_line = (%wrong, tab => "\t", 'line end' => "\n", 'line separator' => "\x{2028}", 'paragraph separator' => "\x{2029}",
	'lines of a form' => "\r\n", 'left-to-right mark' => "\x{200e}", 'right-to-left mark' => "\x{200f}",
	'Arabic letter mark' => "\x{61c}");
no warnings 'nonchar';
sub refused {
	my ($where, $call, $what, $text) = @_;
	my $r = $call->("a${text}b");
	is $r->{status}, 400, "$where: no $what" or return;
	like $r->{json}{error}, qr/^[\w.]+(?:\[\d\][\w.]*)*: (?:a.*b\.html )?must not contain /s, '... and its field is named';
}
my $token = call(GET => '/v1/auth/me')->{json}{token_id};
my %line = (
	'a name' => sub { publish(name => $_[0]) }, 'a new name' => sub { call(PATCH => "/v1/artifacts/$art", { name => $_[0] }) },
	'a title' => sub { call(PATCH => "/v1/artifacts/$art", { social_title => $_[0] }) },
	'a name on a home screen' => sub { publish(pwa => { enabled => Cpanel::JSON::XS::true, name => $_[0] }) },
	'... a short one' => sub { publish(pwa => { enabled => Cpanel::JSON::XS::true, short_name => $_[0] }) },
	'an instruction\'s table' => sub { publish(agent => { enabled => Cpanel::JSON::XS::true, contextTables => [$_[0]] }) },
	'a model' => sub { publish(agent => { enabled => Cpanel::JSON::XS::true, model => $_[0] }) },
	'a token\'s name' => sub { call(PATCH => "/v1/auth/tokens/$token", { name => $_[0] }) },
	'a job\'s name' => sub {
		call(POST => '/v1/jobs', { artifact_id => $art, action => 'email', schedule => '0 9 * * *', name => $_[0],
			config => { recipients => ['x@example.org'], subject => 'x' } });
	},
	'a search' => sub { my $q = $_[0]; utf8::encode($q); $q =~ s/(\W)/sprintf '%%%02X', ord $1/ge; call(GET => "/v1/artifacts?q=$q") },
	'a path' => sub { call(POST => '/v1/publish', { name => 'x', files => [{ path => "$_[0].html", content => 'x' }] }) });
for my $where (sort keys %line) {
	my $r = $line{$where}->('Grüße שלום 😀');
	is int($r->{status} / 100), 2, "$where: in any script" or diag $r->{body};
	refused($where, $line{$where}, $_, $wrong_in_line{$_}) for sort keys %wrong_in_line;
}
my %lines = ('a description' => sub { call(PATCH => "/v1/artifacts/$art", { social_description => $_[0] }) },
	'instructions' => sub { publish(agent => { enabled => Cpanel::JSON::XS::true, systemPrompt => $_[0] }) },
	'a message' => sub { publish(message => $_[0]) },
	'a request' => sub { call(POST => '/v1/access-requests', { slug => 'site', message => $_[0] }) });
for my $where (sort keys %lines) {
	my $r = $lines{$where}->("Grüße\tשלום\x{200f} 😀\r\nand more");
	is int($r->{status} / 100), 2, "$where: of several lines" or diag $r->{body};
	refused($where, $lines{$where}, $_, $wrong{$_}) for sort keys %wrong;
}

# A limit marks a text as one for people, which is checked; so whatever has none is named here, with what else it is held against.
my $api_doc = Cpanel::JSON::XS->new->utf8->decode(Vitrine::Stack::slurp("$FindBin::Bin/../../docs/openapi.json"));
my %unlimited = (path => 'rules of its own (t/api/catalog.t)', color => 'six digits, by its own rule',
	content => 'a file that agents are told, of any text', 'files[].content' => 'bytes', mobile_html => 'bytes',
	'files[].path' => 'rules of its own, above', entrypoint => 'a path of files', 'pwa.icon' => 'an address or image',
	text => 'JSON, by its reader',
	'messages[].content' => 'what a person pastes and a model repeats: it goes to the model and is stored nowhere',
	filename => 'rules of its own (t/api/blob.t)', client_name => 'what is not plain is left out',
	'redirect_uris[]' => 'rules of its own; one that breaks them is left out (t/api/oauth.t)');
my %found;
sub texts {
	my ($schema, $where) = @_;
	$schema = $api_doc->{components}{schemas}{$1} if ($schema->{'$ref'} // '') =~ m{([^/]+)$};
	my %type = map { $_ => 1 } ref $schema->{type} ? @{$schema->{type}} : $schema->{type} // ();
	$found{$where =~ s/^\.(?:manifest\.)?//r} = 1 if $type{string} && !grep { $schema->{$_} } qw(enum format pattern maxLength);
	texts($schema->{properties}{$_}, "$where.$_") for keys %{$schema->{properties} // {}};
	texts($schema->{items}, "${where}[]") if $schema->{items};
	texts($_, $where) for map { @{$schema->{$_} // []} } qw(anyOf allOf);
}
for my $operation (map { values %$_ } values %{$api_doc->{paths}}) {
	texts($_->{schema}, ".$_->{name}") for grep { ($_->{in} // '') eq 'query' } @{$operation->{parameters} // []};
	texts($_->{schema}, '') for values %{$operation->{requestBody}{content} // {}};
}
delete $found{''}; # an uploaded archive
is join(' ', sort keys %found), join(' ', sort keys %unlimited), 'no other text is unchecked';

# What was stored before it was refused can still be drawn.
$stack->db->do('UPDATE artifact SET name = ? WHERE id = ?', undef, "a\x{fffe}b\x{ffff}c\x01 <&>", $art);
my $r = $api->call(GET => "/v1/artifacts/$art/thumbnail", { token => $ann->{token} });
is $r->{status}, 200, 'a thumbnail';
like $r->{body}, qr/>abc &lt;&amp;&gt;</, '... leaves out what XML can not write';
unlike $r->{body}, qr/\xef\xbf[\xbe\xbf]|\x01/;
finish($stack);
