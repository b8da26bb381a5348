# SPDX-License-Identifier: Apache-2.0
# An upgrade of several machines: programs of the former release work on the new schema, beside and after those of this one. `./dev former`
# builds them, and runs this.
use Test::More;
BEGIN { plan skip_all => './dev former builds what this needs' if !$ENV{VITRINE_FORMER} }
use Vitrine::Words qw(as refused);

my ($stack, $api, $db) = stack(trash_days => 0, grace_s => 0, publish_per_hour => 1000);
my ($ann, $ben) = map { $stack->user("$_\@example.org") } qw(ann ben);
my $new = $stack->{build};
sub programs {
	$stack->stop_one('worker');
	$stack->{build} = $_[0];
	$stack->start_worker;
}
sub publish {
	my ($slug, $text, @more) = @_;
	return as(ann => POST => '/v1/publish', { name => $slug, slug => $slug, visibility => 'public', @more,
		files => [{ path => 'index.html', content => "<h1>$text</h1>" }] })->{json}{artifact}{id};
}
sub works {
	my ($whose) = @_;
	is $api->call(GET => '/readyz')->{status}, 200, "$whose: ready";
	my $art = publish($whose, "$whose, 1");
	ok $art, '... a publish';
	publish($whose, "$whose, 2", artifact_id => $art);
	is $api->get_site($whose, '/')->{body}, "<h1>$whose, 2</h1>", '... and another version';
	is as(ann => PUT => "/v1/data/$art/json", { of => $whose })->{status}, 200, '... a document';
	is as(ann => PATCH => "/v1/artifacts/$art", { visibility => 'private' })->{status}, 200, '... closed';
	isnt $api->get_site($whose, '/')->{status}, 200, '... at once';
	is as(ann => PATCH => "/v1/artifacts/$art", { visibility => 'public' })->{status}, 200, '... opened';
	my $gone = publish("$whose-gone", 'gone');
	is as(ann => DELETE => "/v1/artifacts/$gone")->{status}, 200, '... deleted';
	my ($status, undef, $err) = $stack->runner;
	is $status, 0, '... the runner' or diag $err;
	unlike $err, qr/"level":"error"|(?:round|lane) failed/, '... without a failure';
	is +($stack->program('vitrinectl', {}, 'fsck'))[0], 0, '... and everything agrees';
	return $art;
}
my $first = works('new');
programs($ENV{VITRINE_FORMER});
my $second = works('former');
publish('new', 'new, by the former', artifact_id => $first);
programs($new);
is $api->get_site('new', '/')->{body}, '<h1>new, by the former</h1>', 'what the former one published';
publish('former', 'former, by the new', artifact_id => $second);
is $api->get_site('former', '/')->{body}, '<h1>former, by the new</h1>', 'the new one goes on with what the former began';
works('again');
finish($stack);
