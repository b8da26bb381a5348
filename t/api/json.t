# SPDX-License-Identifier: Apache-2.0
# JSON as other programs write it: escaped names, many members, numbers beyond 64 bits; and text that no statement must see.
use utf8;
use Encode 'encode_utf8';
use Vitrine::Words;

my ($stack, $api) = stack(workers => 1);
my $ann = $stack->user('ann@example.org');

sub publish {
	my ($body) = @_;
	return $api->call(POST => '/v1/publish', { token => $ann->{token}, type => 'application/json', body => encode_utf8($body) });
}
sub body { my ($more) = @_; return qq({"name":"Site","files":[{"path":"index.html","content":"x"}]) . ($more // '') . '}' }
sub refused {
	my ($r, $like, $name) = @_;
	is "$r->{status} $r->{json}{code}", '400 INVALID_REQUEST', $name;
	like $r->{json}{error}, $like, "$name: says what";
}

# ---- names

my $r = publish('{"n\u0061me":"\u00e9","files":[{"p\u0061th":"index.html","content":"x"}],"\u00e9":1,"\n\ud83d\ude00":2}');
is $r->{status}, 201, 'escaped names, as other programs write them, are read' or diag $r->{body};
is $api->call(GET => "/v1/artifacts/$r->{json}{artifact}{id}", { token => $ann->{token} })->{json}{artifact}{name}, 'é',
	'as what they mean';
refused(publish(body(',"n\u0061me":"other"')), qr/twice.*at byte \d+/, 'a name given twice in two spellings');
refused(publish(body(',"\u0000":1')), qr/NUL/, 'a name with NUL');
refused(publish(body(',"\ud83d":1')), qr/surrogate/, 'a name with half a character');
is publish(body(join '', map { ",\"x$_\":$_" } 1 .. 1001))->{status}, 201, '1,001 members that nobody asked for';
refused(publish(body((join '', map { ",\"x$_\":$_" } 1 .. 1001) . ',"x7":0')), qr/twice/, 'a duplicate among them');

# ---- what is kept

$r = publish(body(',"access_policy":{"t\u0061bles":{"\u0442\u0430\u0431\"":{"read":"row.\u0061 == 1 or row.b == '
	. '\'\u00e9\'"},"a":{}},"default":"viewer"}'));
is $r->{status}, 201, 'a policy is taken' or diag $r->{body};
my $kept = $stack->db->selectrow_array('SELECT access_policy FROM artifact WHERE id = ?', undef, $r->{json}{artifact}{id});
utf8::decode($kept) if !utf8::is_utf8($kept);
is $kept, q({"tables":{"таб\"":{"read":"row.a == 1 or row.b == 'é'"},"a":{}},"default":"viewer"}), 'and kept: decoded, in its order';

# ---- numbers

refused(publish(body(",\"expected_version\":$_")), qr/^expected_version: the number is too large/, "expected_version $_")
	for '9223372036854775808', '12345678901234567890123', '-9223372036854775809';
refused(publish(body(",\"expected_version\":$_")), qr/^expected_version/, "expected_version $_")
	for '9223372036854775807', '1e400', '1.0', '-1';
refused(publish(body(',"agent":{"temperature":1e400}')), qr/^agent\.temperature: the number is too large/, 'a number beyond a double');
is publish(body(',"agent":{"temperature":0.7}'))->{status}, 201, 'one within its bounds';
my $agent = $stack->db->selectrow_array("SELECT agent FROM artifact WHERE agent LIKE '%temperature%'");
like $agent, qr/"temperature":0\.7[,}]/, 'is kept as short as it was sent';
is publish(body(',"other":[1e400,-0,12345678901234567890123]'))->{status}, 201, 'where nobody asked, any number passes';

# ---- text that is no slug or id

sub ask { my (%what) = @_; return $api->call(POST => '/v1/access-requests', { json => { email => 'ben@example.org', %what } }) }
refused(ask(slug => $_), qr/^slug: must be 1 to 63 characters: a-z/, 'a slug that none can be') for 'é', 'A', '', "a\n", 'x' x 64, '東京';
refused(ask(artifact_id => $_), qr/^artifact_id: must be an ID/, 'an id that none can be') for 'é', 'art_é', '';

finish($stack);
