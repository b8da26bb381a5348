# SPDX-License-Identifier: Apache-2.0
# The OpenID provider that t/lib/provider is, for one test. Its client must know the redirect address, so the stack's port comes first.
package Vitrine::Provider;
use strict;
use warnings;
use File::Basename 'dirname';
use File::Path 'remove_tree';
use File::Temp 'tempdir';
use POSIX ();
use Vitrine::Stack;

# $redirect: base_url of the stack and /auth/callback.
sub new {
	my ($class, $tls, $redirect) = @_;
	my $dir = tempdir('vitrine-idp-XXXXXX', TMPDIR => 1);
	my $s = bless { dir => $dir, owner => $$ }, $class;
	# Modules are found beside the program.
	my $home = "$ENV{VITRINE_VAR}/provider";
	Vitrine::Stack::run('cp', dirname(__FILE__) . '/../provider/server.mjs', "$home/server.mjs");
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		$ENV{REDIRECT_URI} = $redirect;
		open STDIN, '<', '/dev/null';
		open STDOUT, '>', "$dir/output" or die;
		open STDERR, '>&', \*STDOUT;
		exec 'node', "$home/server.mjs", $dir, "$tls/cert.pem", "$tls/key.pem" or POSIX::_exit(127);
	}
	$s->{pid} = $pid;
	Vitrine::Stack::wait_for('the sign-in provider', 60, sub {
		waitpid($pid, POSIX::WNOHANG()) == 0 or die "provider ended:\n" . Vitrine::Stack::slurp("$dir/output");
		-e "$dir/port";
	});
	($s->{port}) = Vitrine::Stack::slurp("$dir/port") =~ /(\d+)/;
	$s->{issuer} = "https://localhost:$s->{port}";
	return $s;
}

# Writes <name>.yaml for each kind of key, for providers_dir.
sub configure {
	my ($s, $folder, %more) = @_;
	Vitrine::Stack::spew("$s->{dir}/secret", "the client secret of the tests\n");
	my %title = (rs => 'Rs', es => 'Es', ed => 'Ed');
	for my $id (keys %title) {
		my %all = (title => $title{$id}, issuer => $s->{issuer}, client_id => "client-$id",
			client_secret_file => "$s->{dir}/secret", %more);
		Vitrine::Stack::spew("$folder/$id.yaml", join '', map { "$_: $all{$_}\n" } sort keys %all);
	}
}

# The same as a service to connect: crm.yaml, for connections_dir.
sub configure_connection {
	my ($s, $folder, %more) = @_;
	Vitrine::Stack::spew("$s->{dir}/secret", "the client secret of the tests\n");
	my %all = (title => 'CRM', authorize_url => "$s->{issuer}/auth?prompt=consent", token_url => "$s->{issuer}/token",
		api_base => $s->{issuer}, client_id => 'client-crm', client_secret_file => "$s->{dir}/secret",
		scopes => 'openid email offline_access', account_path => 'me', %more);
	Vitrine::Stack::spew("$folder/crm.yaml", join '', map { "$_: $all{$_}\n" } sort keys %all);
}
# How often it has given tokens for a code, or renewed some.
sub grants {
	my ($s, $type) = @_;
	return scalar grep { $_ eq $type } split /\n/, -e "$s->{dir}/grants" ? Vitrine::Stack::slurp("$s->{dir}/grants") : '';
}

# What it does wrong from now on; '' for nothing. See server.mjs.
sub mode { my ($s, $mode) = @_; Vitrine::Stack::spew("$s->{dir}/mode", $mode) }

# What a person's browser does there, from our redirect to the one back to us, which it returns. A name that is empty cancels.
sub authorize {
	my ($s, $url, $name, $jar) = @_;
	$jar //= "$s->{dir}/jar-" . ++$s->{jars};
	my @post;
	for (1 .. 12) {
		my ($head, $body) = split /\r?\n\r?\n/, $s->curl($jar, $url, @post), 2;
		@post = ();
		if (my ($to) = $head =~ /^location: (\S+)/mi) {
			$to = "$s->{issuer}$to" if $to =~ m{^/};
			return $to if $to !~ /^\Q$s->{issuer}/;
			$url = $to;
			next;
		}
		my ($action) = $body =~ /<form[^>]*action="([^"]+)"/ or return "no form: $head\n$body";
		my ($prompt) = $body =~ /name="prompt" value="(\w+)"/;
		$url = $name ? $action : "$action/abort";
		$url = "$s->{issuer}$url" if $url =~ m{^/};
		@post = ('-d', "prompt=$prompt&login=$name&password=x") if $name;
	}
	return 'no end';
}

sub curl {
	my ($s, $jar, $url, @more) = @_;
	open my $out, '-|', 'curl', '-si', '--cacert', "$ENV{VITRINE_VAR}/tls-test/ca.pem", '-b', $jar, '-c', $jar, @more, $url or die;
	local $/;
	return <$out> // '';
}

sub DESTROY {
	my ($s) = @_;
	return if $s->{owner} != $$;
	local $?;
	kill 'KILL', $s->{pid};
	waitpid $s->{pid}, 0;
	remove_tree($s->{dir});
}

1;
