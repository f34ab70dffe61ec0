# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::Browser: a headless Chromium, controlled over its debugging pipe: pages, scripts in them, mouse, keys.
#
#	my $browser = Run::Browser->start or plan skip_all => Run::Browser::why_not();
#	my $page = $browser->open("/tmp/x.html", width => 400, dark => 1);
#	is_deeply($page->{complaints}, []);
#	my $n = $browser->ask('document.querySelectorAll("tr").length');
package Run::Browser;
use strict;
use warnings;

use File::Temp ();
use IO::Select ();
use JSON::PP ();
use MIME::Base64 ();
use POSIX ();

my @NAMES = qw(chromium chromium-browser google-chrome);
my $json = JSON::PP->new->utf8->allow_nonref;

sub _program {
	for my $name (@NAMES) {
		for (split /:/, $ENV{PATH}) {
			return "$_/$name" if -x "$_/$name" && !-d _;
		}
	}
	return;
}

sub why_not { return 'there is no Chromium here (Debian: apt-get install chromium, 290 MB), so no page is looked at' }

# undef: there is none.
sub start {
	my ($class) = @_;
	my $program = _program() // return;
	my $home = File::Temp->newdir('zedbrowser.XXXXXX', TMPDIR => 1);
	pipe my $their_in, my $to or die "pipe: $!\n";
	pipe my $from, my $their_out or die "pipe: $!\n";
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		# Move them first: one of the pipe's ends may be 3 or 4 itself.
		my ($in, $out) = map { POSIX::dup2(fileno $_->[0], $_->[1]); $_->[1] } [$their_in, 20], [$their_out, 21];
		POSIX::dup2($in, 3);
		POSIX::dup2($out, 4);
		open STDOUT, '>', '/dev/null' or POSIX::_exit(1);
		open STDERR, '>', "$home/said" or POSIX::_exit(1);
		POSIX::close($_) for 5 .. 40;
		$ENV{HOME} = "$home";
		exec $program, '--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--hide-scrollbars',
			'--disable-extensions', '--disable-background-networking', '--remote-debugging-pipe', "--user-data-dir=$home/data", 'about:blank'
			or POSIX::_exit(1);
	}
	close $their_in or die "close: $!\n";
	close $their_out or die "close: $!\n";
	$to->autoflush(1);
	my $self = bless { pid => $pid, to => $to, from => $from, home => $home, id => 0, rest => '', events => [], owner => $$ }, $class;
	my $target = $self->_call('Target.createTarget', { url => 'about:blank' })->{targetId};
	$self->{session} = $self->_call('Target.attachToTarget', { targetId => $target, flatten => JSON::PP::true() })->{sessionId};
	$self->_call("$_.enable") for qw(Page Runtime Log Network);
	return $self;
}

# The next message, or undef after SECONDS.
sub _message {
	my ($self, $seconds) = @_;
	my $end = time + $seconds;
	while ($self->{rest} !~ /\0/) {
		my $left = $end - time;
		return if $left <= 0 || !IO::Select->new($self->{from})->can_read($left);
		my $n = sysread $self->{from}, $self->{rest}, 1 << 20, length $self->{rest};
		die "the browser has gone\n" if !$n;
	}
	my $at = index $self->{rest}, "\0";
	my $text = substr $self->{rest}, 0, $at;
	$self->{rest} = substr $self->{rest}, $at + 1;
	return $json->decode($text);
}

sub _call {
	my ($self, $method, $params) = @_;
	my $id = ++$self->{id};
	syswrite $self->{to}, $json->encode({ id => $id, method => $method, params => $params // {},
		$self->{session} ? (sessionId => $self->{session}) : () }) . "\0" or die "the browser does not listen: $!\n";
	while (1) {
		my $m = $self->_message(60) // die "$method: no answer\n";
		if (!defined $m->{id}) {
			push @{$self->{events}}, $m;
			next;
		}
		next if $m->{id} != $id;
		die "$method: $m->{error}{message}\n" if $m->{error};
		return $m->{result};
	}
}

sub _await {
	my ($self, $method) = @_;
	while (1) {
		for my $i (0 .. $#{$self->{events}}) {
			next if $self->{events}[$i]{method} ne $method;
			splice @{$self->{events}}, 0, $i;
			return;
		}
		push @{$self->{events}}, $self->_message(60) // die "$method: it does not come\n";
	}
}

# Show the file PATH, or an address: width, height, dark, print.  Returns { complaints }: the console's messages.
sub open {	## no critic (ProhibitBuiltinHomonyms)
	my ($self, $path, %o) = @_;
	$self->{events} = [];
	$self->size($o{width} // 1280, $o{height} // 900);
	$self->dark($o{dark});
	$self->{requests} = [];
	$self->_call('Page.navigate', { url => $path =~ m{^\w+:} ? $path : "file://$path" });
	my @heard;
	while (1) {
		push @heard, splice @{$self->{events}};
		last if grep { $_->{method} eq 'Page.loadEventFired' } @heard;
		push @heard, $self->_message(60) // die "$path: does not load\n";
	}
	$self->wait_for('document.documentElement.dataset.ready === "1"');
	$self->_keep_requests(@heard);
	return { complaints => [$self->complaints(@heard)] };
}

sub _keep_requests {
	my ($self, @heard) = @_;
	push @{$self->{requests}}, map { $_->{params}{request}{url} } grep { $_->{method} eq 'Network.requestWillBeSent' } @heard;
	return;
}

# The addresses that the page has asked for since it was opened, its own the first.
sub requests {
	my ($self) = @_;
	$self->_keep_requests(@{$self->{events}});
	@{$self->{events}} = grep { $_->{method} ne 'Network.requestWillBeSent' } @{$self->{events}};
	return @{$self->{requests}};
}

# Leaves the page, which may ask for nothing any more.
sub leave {
	my ($self) = @_;
	$self->_call('Page.navigate', { url => 'about:blank' });
	$self->wait_for('location.href === "about:blank"');
	$self->complaints;
	return;
}

# The console's messages since then, or in EVENTS.
sub complaints {
	my ($self, @heard) = @_;
	$self->_keep_requests(@{$self->{events}});
	push @heard, splice @{$self->{events}};
	my @said;
	for (@heard) {
		my $p = $_->{params};
		push @said, 'exception: ' . ($p->{exceptionDetails}{exception}{description} // $p->{exceptionDetails}{text})
			if $_->{method} eq 'Runtime.exceptionThrown';
		push @said, 'console: ' . join ' ', map { $_->{value} // $_->{description} // '' } @{$p->{args}} if $_->{method} eq 'Runtime.consoleAPICalled';
		push @said, "log: $p->{entry}{text}" if $_->{method} eq 'Log.entryAdded';
	}
	return @said;
}

sub size {
	my ($self, $width, $height) = @_;
	$self->_call('Emulation.setDeviceMetricsOverride', { width => $width + 0, height => $height + 0, deviceScaleFactor => 1, mobile => JSON::PP::false() });
	return;
}

sub dark {
	my ($self, $dark, $media) = @_;
	$self->_call('Emulation.setEmulatedMedia', { media => $media // '', features => [{ name => 'prefers-color-scheme', value => $dark ? 'dark' : 'light' }] });
	return;
}

# The value of an expression there; a promise is waited for.
sub ask {
	my ($self, $expression) = @_;
	my $r = $self->_call('Runtime.evaluate', { expression => $expression, awaitPromise => JSON::PP::true(), returnByValue => JSON::PP::true() });
	die "$expression: $r->{exceptionDetails}{exception}{description}\n" if $r->{exceptionDetails};
	return $r->{result}{value};
}

# Until an expression is true: at most ten seconds.
sub wait_for {
	my ($self, $expression) = @_;
	for (1 .. 200) {
		return 1 if $self->ask($expression);
		select undef, undef, undef, 0.05;
	}
	return 0;
}

# Until everything requested is drawn.
sub settle { return $_[0]->ask('new Promise(f => requestAnimationFrame(() => requestAnimationFrame(() => f(1))))') }

sub mouse {
	my ($self, $type, $x, $y, %o) = @_;
	$self->_call('Input.dispatchMouseEvent', { type => $type, x => $x + 0, y => $y + 0, %o });
	return $self->settle;
}

sub click {
	my ($self, $x, $y) = @_;
	$self->mouse('mouseMoved', $x, $y);
	$self->mouse($_, $x, $y, button => 'left', clickCount => 1) for qw(mousePressed mouseReleased);
	return;
}

# From one place to another, with the left button.
sub drag {
	my ($self, $from, $to, %o) = @_;
	$self->mouse('mouseMoved', @$from, %o);
	$self->mouse('mousePressed', @$from, button => 'left', buttons => 1, clickCount => 1, %o);
	$self->mouse('mouseMoved', $from->[0] + ($to->[0] - $from->[0]) * $_ / 4, $from->[1] + ($to->[1] - $from->[1]) * $_ / 4, button => 'left', buttons => 1, %o)
		for 1 .. 4;
	$self->mouse('mouseReleased', @$to, button => 'left', clickCount => 1, %o);
	return;
}

sub key {
	my ($self, $key) = @_;
	my %text = length $key == 1 ? (text => $key) : $key eq 'Enter' ? (text => "\r") : ();
	my %code = (ArrowLeft => 37, ArrowUp => 38, ArrowRight => 39, ArrowDown => 40, Home => 36, Escape => 27, Enter => 13, Tab => 9, Backspace => 8);
	$self->_call('Input.dispatchKeyEvent', { type => $_, key => $key, windowsVirtualKeyCode => $code{$key} // ord uc $key, $_ eq 'keyDown' ? %text : () })
		for qw(keyDown keyUp);
	return $self->settle;
}

# The whole page as a PNG in FILE; `seen`: the part that its window shows.
sub picture {
	my ($self, $file, %o) = @_;
	my $r = $self->_call('Page.captureScreenshot', { format => 'png', captureBeyondViewport => $o{seen} ? JSON::PP::false() : JSON::PP::true() });
	CORE::open my $fh, '>:raw', $file or die "$file: $!\n";
	print {$fh} MIME::Base64::decode_base64($r->{data});
	CORE::close $fh or die "$file: $!\n";
	return;
}

sub pdf {
	my ($self) = @_;
	return MIME::Base64::decode_base64($self->_call('Page.printToPDF', { printBackground => JSON::PP::true() })->{data});
}

sub DESTROY {
	my ($self) = @_;
	return if $$ != $self->{owner};
	local ($?, $!, $@);
	eval { delete $self->{session}; $self->_call('Browser.close'); 1 } or kill 'TERM', $self->{pid};
	waitpid $self->{pid}, 0;
	return;
}

1;
