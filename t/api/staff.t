# SPDX-License-Identifier: Apache-2.0
# The pages for staff: who may see them, what is found, and that a pause closes everything at once.
use Vitrine::Visitor;
use Vitrine::Words;

my ($stack, $api) = stack(publish_per_hour => 1000);
my ($ann, $ben, $ops) = map { $stack->user("$_\@example.org") } qw(ann ben ops);
$stack->ctl_in("the password\n", qw(user password), "$_\@example.org") for qw(ann ops);
$stack->ctl(qw(user staff ops@example.org staff));
my %art = map { $_ => $api->publish($ann, slug => $_, name => "The <$_>", visibility => 'public', files => { 'index.html' => $_ }) } qw(one
	two);
my $other = $api->publish($ben, slug => 'three', visibility => 'private', files => { 'index.html' => 'three' });
sub visitor { my ($who) = @_; my $v = Vitrine::Visitor->new($api); $v->sign_in("$who\@example.org", 'the password'); return $v }
my ($a, $o) = map { visitor($_) } qw(ann ops);

# ---- who

is $a->send(GET => '/staff')->{status}, 404, 'for others there is no such page';
is $a->send(POST => "/staff/$other/pause", body => '', headers => { 'Content-Type' => 'application/x-www-form-urlencoded' })->{status}, 404,
	'nor what it does';
is $api->call(GET => '/staff', { token => $ops->{token} })->{status}, 404, 'nor for a token of theirs';
unlike $a->go('/')->{text}, qr{href="/staff"}, 'nor a link to it';
like $o->go('/')->{text}, qr{href="/staff"}, 'staff have one';

# ---- what is found

sub found {
	my ($q) = @_;
	my $text = $o->go('/staff' . (defined $q ? '?q=' . Vitrine::Visitor::escape($q) : ''))->{text};
	return join ' ', $text =~ m{<small>(\w+)\.pages}g;
}
is found(), 'three two one', 'all, the newest first, private ones too';
is found('two'), 'two', 'by address';
is found($art{one}), 'one', 'by id';
is found('Ann@example.org'), 'two one', "by its owner's address";
is found("no'thing"), '', 'nothing';
like $o->{page}{text}, qr/Nothing found/;
like $o->go('/staff')->{text}, qr/The &lt;one&gt;/, 'escaped';

# ---- a pause, and its end

sub press { my ($what, $id) = @_; $o->go("/staff?q=$id"); return $o->submit(qr{/staff/$id/$what$}) }
is $api->get_site('one', '/')->{body}, 'one';
like press('pause', $art{one})->{text}, qr/Paused\. Its addresses are closed.*Resume/s, 'paused';
is $api->get_site('one', '/')->{status}, 403, 'nobody sees it';
is $api->call(GET => "/v1/artifacts/$art{one}", { token => $ben->{token} })->{json}{code}, 'ARTIFACT_PAUSED', 'not over the API';
is $api->call(GET => "/v1/artifacts/$art{one}", { token => $ann->{token} })->{json}{artifact}{paused}, Cpanel::JSON::XS::true,
	'its owner knows';
like press('resume', $art{one})->{text}, qr/Resumed/;
is $api->get_site('one', '/')->{body}, 'one', 'open again';

# ---- to the trash

$o->go("/staff/$art{two}/delete");
like $o->{page}{text}, qr/Delete The &lt;two&gt;\?.*trash of ann\@example\.org/s, 'asked before';
like $o->submit(qr{/delete$})->{text}, qr/In the trash/;
is $api->get_site('two', '/')->{status}, 404, 'gone';
is $api->call(POST => "/v1/artifacts/$art{two}/restore", { token => $ann->{token} })->{status}, 200, 'its owner can restore it';
is $o->send(GET => '/staff/art_00000000000000000000000000/delete')->{status}, 404, 'what is not there';

# ---- many, and no longer staff

$api->publish($ben, slug => "many-$_") for 1 .. 51;
my ($next) = $o->go('/staff')->{text} =~ m{href="([^"]+)" rel="next"};
is scalar(() = $o->{page}{text} =~ m{<tr><th scope="row">}g), 50, 'fifty at a time';
like $o->go(Vitrine::Visitor::unescape_html($next))->{text}, qr{<small>one\.pages}, 'and the rest';
like Vitrine::Stack::slurp("$stack->{dir}/worker.log"),
	qr/"event":"oversight".*"by":"ops\@example\.org","did":"paused","artifact":"$art{one}"/, 'the log says who did it';
$stack->ctl(qw(user staff ops@example.org none));
is $o->send(GET => '/staff')->{status}, 404, 'no longer staff, at once';
finish($stack);
