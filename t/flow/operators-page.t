# SPDX-License-Identifier: Apache-2.0
# The operators' page says how the continuous backup is, on a desk and on a phone, without script.
use Vitrine::Browser;
use Vitrine::Visitor;
use Vitrine::Words;

my ($stack, $api) = stack(archive => 1, backup_log_s => 1);
my $app = "https://vitrine.localhost:$stack->{port}";
my $state = "$stack->{dir}/data/archive/status";
$stack->user('ann@example.org');
$stack->ctl_in("the password\n", qw(user password), 'ann@example.org');
$stack->ctl(qw(user staff ann@example.org super));
my $v = Vitrine::Visitor->new($api);
$v->sign_in('ann@example.org', 'the password');
like $v->go('/staff')->{text}, qr/looked at the backup yet/, 'before the runner has looked';

$stack->start_runner('runner', '--stay', '--lanes', 'archive');
Vitrine::Stack::wait_for('a base', 60, sub { Vitrine::Stack::slurp($state) =~ /"base":\{"state":"ok"/ });
my @json = map { join ' ', sort keys %{decode_json($_)} } Vitrine::Stack::slurp($state), $stack->ctl(qw(backup status --json));
is $json[0], $json[1], 'the runner keeps what the command prints';
for my $look ([width => 1280, height => 900], [width => 390, height => 844, dark => 1]) {
	my $b = Vitrine::Browser->new($stack, @$look);
	$b->sign_in('ann@example.org', 'the password');
	$b->go("$app/staff")->wait_text(qr/Backups.*Window\s+OK.*Any second since .* can be restored.*Log\s+OK.*Files\s+OK.*Last base\s+OK.*/s);
	pass "the page at a width of $look->[1]";
}

# ---- what fails

$stack->stop_one('runner');
Vitrine::Stack::spew($state, Vitrine::Stack::slurp($state) =~ s/("log":\{"state":")ok(","detail":")[^"]*/$1fail$2has a <hole>/r);
like $v->go('/staff')->{text}, qr{>Log</th><td><span class="badge bad">Failing</span></td>.*has a &lt;hole&gt;}s, 'a failure';
utime time - 400, time - 400, $state;
like $v->go('/staff')->{text}, qr/Not checked for a while/, 'a runner that does not look';
Vitrine::Stack::spew($state, '{');
is $v->go('/staff')->{status}, 200, 'a file that is cut off hides nothing else';
unlike $v->{page}{text}, qr/Not checked/, '... and tells nothing';
finish($stack);
