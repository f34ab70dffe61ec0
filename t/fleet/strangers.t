# SPDX-License-Identifier: GPL-2.0-or-later
#
# States that others made: numbers that are none, texts in place of numbers and objects, a trace hidden twice; and folders
# of states that others can write to.  Without it a state steers the terminal, makes perl call a package that it names,
# counts a trace twice, or empties a file of the user's.
#
# of: lib/Zed/State.pm lib/Zed/Table.pm interp/Zed/Fleet.pm programs/zedperl
use strict;
use warnings;
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Run::Program qw(zed_run zed_tmp slurp spew);
use Write::State;

my $tmp = zed_tmp();

# The state of SCRIPT on TRACE after EDIT of its text.
sub edited {
	my ($trace, $script, $edit) = @_;
	my ($key, $body) = state_parts(zed_run('zedperl', '--map', "t/data/$trace", $script)->{out});
	local $_ = $body;
	$edit->();
	die "$script: nothing to edit\n" if $_ eq $body;
	return spew("$tmp/edited.st", state_line($key, $_));
}

# Reduced in each form: no raw control character, no word of perl's, valid JSON.
sub reduced {
	my ($what, $script, $path, $wanted) = @_;
	for my $form ([], ['--json'], ['--csv']) {
		my $r = zed_run('zedperl', '--reduce', $script, $path, '--', @$form);
		unlike("$r->{out}$r->{err}", qr/[\x00-\x08\x0b-\x1f\x7f]/, "$what @$form: no control character (else: a state steers the terminal)");
		unlike($r->{err}, qr/ at \S+ line \d+/, "$what @$form: no message of perl's");
		unlike($r->{out}, qr/(?<![\w"])-?(?:inf|nan)\b/i, "$what @$form: no number that is none");
		cmp_ok($r->{exit}, '<=', 2, "$what @$form: it ends as a program does") or diag $r->{err};
		ok(eval { JSON::PP->new->decode($r->{out}); 1 }, "$what: JSON") or diag $@ if @$form && $form->[0] eq '--json' && $r->{out} ne '';
		like($r->{err}, $wanted, "$what @$form: says what is wrong") if $wanted;
	}
	return;
}

for my $bad ('1e999', '"1e999"', '-1e999', '"Inf"', '"NaN"', '"0x10"', '"\u0661"') {
	reduced("run $bad", 'sched-summary', edited('demo.dat', 'sched-summary', sub { s/"run":\d+/"run":$bad/ }), qr/run makes no sense|no number|makes no sense|line 1/);
}
reduced('a sum that is infinite', 'sched-summary', edited('demo.dat', 'sched-summary', sub { s/"run":\d+/"run":1.7e308/g }));
reduced('an infinite value of a spread', 'sched-summary', edited('demo.dat', 'sched-summary', sub { s/"values":\[\d+/"values":["1e999"/ }), qr/makes no sense/);
reduced('a CPU', 'why-late', edited('demo.dat', 'why-late', sub { s/"cpu":"?\d+"?/"cpu":"\\u001b]0;x\\u0007\\nforged"/ }));
reduced('a CPU', 'lost', edited('lost.dat', 'lost', sub { s/"cpu":"?\d+"?/"cpu":"\\u001b[31m0"/ }), qr/cpu makes no sense/);
reduced('a package in the place of an object', 'off-cpu', edited('stack.dat', 'off-cpu', sub { s/"times":\{[^{}]*\}/"times":"IO::File"/ }), qr/times makes no sense/);
reduced('a package in the place of an object', 'wakeup-latency', edited('demo.dat', 'wakeup-latency', sub { s/"waits":\{[^{}]*\}/"waits":"IO::File"/ }), qr/waits makes no sense/);
reduced('a package in the place of tasks', 'sched-summary', edited('demo.dat', 'sched-summary', sub { s/"tasks":\{"n":\{[^{}]*\},"~":"tasks"\}/"tasks":"IO::File"/ }), qr/tasks makes no sense/);

# ---- a trace that is there twice

{
	my $sound = spew("$tmp/sound.st", zed_run('zedperl', '--map', 't/data/demo.dat', 'countall')->{out});
	my $want = zed_run('zedperl', '--reduce', 'countall', $sound)->{out};
	for my $edit (sub { s/"id":"(.)/sprintf '"id":"\\u%04x', ord $1/e }, sub { s/"id":/"\\u0069d":/ }, sub { s/"id":/"id" :/ },
		sub { s/("id":"[^"]*")/"id":"other","i\\u0064":"x"/ }) {
		my $path = edited('demo.dat', 'countall', $edit);
		my $r = zed_run('zedperl', '--reduce', 'countall', $sound, $path);
		is($r->{out}, $want, 'an identity that is written with escapes or blanks: counted once (else: twice)');
		is($r->{exit}, 1, 'exit status');
		like($r->{err}, qr/invalid identity|does not name its traces/, 'and why');
	}
}

# ---- a folder of states

{
	my @traces = map { spew("$tmp/$_", slurp("t/data/$_")) } qw(demo.dat lost.dat);
	my $victim = spew("$tmp/victim", "precious\n");
	my @run = ('zedperl', '-j', 2, '--resume');
	mkdir "$tmp/open" or die;
	chmod 0777, "$tmp/open";
	my $r = zed_run(@run, "$tmp/open", 'countall', @traces);
	isnt($r->{exit}, 0, '--resume with a folder that others can write to is refused');
	like($r->{err}, qr/--resume \S+: others can write to it: chmod go-w/, 'and why');
	mkdir "$tmp/mine", 0700 or die;
	is(zed_run(@run, "$tmp/mine", 'countall', @traces)->{exit}, 0, 'one of our own is taken');
	for my $state (glob "$tmp/mine/*.state") {
		symlink $victim, $state =~ s/state\z/$_/r for qw(end err);
		unlink $state;
	}
	$r = zed_run(@run, "$tmp/mine", 'countall', @traces);
	isnt($r->{exit}, 0, 'links in it are refused');
	like($r->{err}, qr/symbolic links in it/, 'and why');
	is(slurp($victim), "precious\n", 'what they lead to stays (else: a link empties any file)');
}

done_testing();
