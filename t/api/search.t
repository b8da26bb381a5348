# SPDX-License-Identifier: Apache-2.0
# Search: what is found, in which order and shape; who finds what; what a change does at once.
use utf8;
use Encode 'encode_utf8';
use Vitrine::Words qw(as refused said);

my ($stack, $api, $db) = stack();
my ($ann, $ben, $eve) = map { $stack->user("$_\@example.org") } qw(ann ben eve);
sub art { my ($who, $name, %in) = @_; my $id = $api->publish($who, name => $name, %in); return as($who, GET => "/v1/artifacts/$id")->{json}{artifact} }
sub escaped { return encode_utf8($_[0]) =~ s/([^A-Za-z0-9])/sprintf '%%%02X', ord $1/ger }
sub found { my ($who, $q, $more) = @_; return as($who, GET => '/v1/search?q=' . escaped($q) . ($more // '')) }
sub titles { my $r = found(@_); return $r->{json} ? join ' | ', map { $_->{title} } @{$r->{json}{results} // []} : $r->{body} }
my $report = art($ann, 'Quarterly Report');
my $r = found($ann, 'report');
is titles($ann, 'reprot'), 'Quarterly Report';
is titles($ann, 'quart'), 'Quarterly Report';
is titles($ann, ''), 'Quarterly Report';
is titles($ben, 'report'), '';
finish($stack);
