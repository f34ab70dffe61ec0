# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which sub is called for which event, with what list, under what name: the calling convention that scripts
# are written against for ever.
# of: interp/bind interp/delivery.c
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Zedperl;

my $dat = trace(events => [
	[0, 1_000_000_001, 'mini::tick', 10], [1, 1_000_000_500, 'mini::tick', 11],
	[0, 2_500_000_000, 'mini::tick', -12],
]);

{	# Without it: a script gets its columns shifted.
	my $r = zedperl($dat, \'sub mini::tick { print join("|", @_), "\n" }');
	is($r->{out}, "0|1|1|1|10|cpu0\n1|1|500|1|11|cpu1\n0|2|500000000|2|-12|cpu0\n",
		'(cpu, secs, nsecs, sequence, FIELDS...) in order of time, sequence by CPU');
	is("$r->{status} $r->{err}", '0 ', 'nothing else is said, status 0');
}

{	# Without it: scripts of the seed, which count by caller, count nothing.
	my $r = zedperl($dat, \'sub mini::tick { $n{(caller(0))[3]}++ } sub trace_end { print %n }');
	is($r->{out}, 'mini::tick3', '(caller(0))[3] names the handler');
}

{	# Without it: begin and end would get arguments or be called twice.
	my $r = zedperl($dat, \'print "main;"; sub trace_begin { print "begin@_;" } sub mini::tick { print "e;" }
		sub trace_end { print "end@_;" } END { print "END" }');
	is($r->{out}, 'main;begin;e;e;e;end;END', 'main program, trace_begin, events, trace_end, END');
}

{	# Without it: events that a script does not know of vanish.
	my $more = trace(types => { 'other::x' => field_text('u8 v', 8, 1) }, events => [
		[0, 1000, 'mini::tick', 1], [0, 2000, 'other::x', "\x07\0\0\0"], [0, 3000, 999, "\0" x 8]]);
	my $r = zedperl($more, \'sub mini::tick { print "tick\n" } sub trace_unhandled { print "@_\n" }');
	is($r->{out}, "tick\nother::x 0 0 2000 2 7\nunknown::id_999 0 0 3000 3\n",
		'trace_unhandled gets the name first, also of an id without a format');
	$r = zedperl($more, \'sub unknown::id_999 { print "id @_\n" }');
	is($r->{out}, "id 0 0 3000 3\n", 'an id without a format can have a sub of its own');
}

{	# Without it: losses would be silent, or told behind the event that follows them.
	my $lossy = trace(events => [[0, 1000, 'mini::tick', 1], [0, 2000, 'mini::tick', 2, 5],
		[0, 3000, 'mini::tick', 3, -1]]);
	my $r = zedperl($lossy, \'sub mini::tick { print "tick $_[3] $_[4] ", Zed::lost() // "undef", "\n" }
		sub trace_lost { print "lost $_[0] ", $_[1] // "undef", " at ", Zed::ts(), "\n" }');
	is($r->{out}, "tick 1 1 0\nlost 0 5 at 2000\ntick 7 2 5\nlost 0 undef at 3000\ntick 9 3 undef\n",
		'trace_lost before the event behind the gap; the sequence has the gap');
	$r = zedperl('--pid', '1', $lossy, \'sub trace_lost { print "lost ", $_[1] // "undef", "\n" }');
	is($r->{out}, "lost 5\nlost undef\n", 'losses before events that a filter rejects are told too');
	$r = zedperl('--pid', '1', $lossy, \'sub trace_lost { print "lost " } sub mini::tick { print "tick " }');
	is($r->{out}, "lost lost ", 'and no more than the losses (else: the rejected event is handled all the same)');
}

{	# Without it: events of kernels with names like 9p's can never be handled.
	my %odd = map { $_ => field_text('u32 v', 8, 4) } '9p::9p_req', 'x-y::a.b', 'x-y::a-b', 'x_y::a_b';
	my $names = trace(types => \%odd, events => [[0, 1000, '9p::9p_req', "\1\0\0\0"],
		[0, 2000, 'x-y::a.b', "\2\0\0\0"], [0, 3000, 'x-y::a-b', "\3\0\0\0"], [0, 4000, 'x_y::a_b', "\4\0\0\0"]]);
	my $r = zedperl($names, \'sub _9p::9p_req { print "9p $_[4] ", Zed::event(), "\n" } sub x_y::a_b { print "ab $_[4]\n" }');
	is($r->{out}, "9p 1 9p::9p_req\nab 2\nab 3\nab 4\n", 'odd bytes become _, and colliding events are all delivered');
	is($r->{err}, "zedperl: sub x_y::a_b gets x-y:a-b, x-y:a.b and x_y:a_b\n",
		'the collision is said once; a name that only had to be changed is none');
}

{	# Without it: a misspelt handler is silently never called.
	my $r = zedperl($dat, \'sub mini::tack {} sub mini::tick {} sub mini::BEGIN_x {} sub other::z {}
		package mini; use POSIX qw(floor); sub AUTOLOAD {} sub DESTROY {}');
	like($r->{err}, qr/^zedperl: sub mini::tack matches no event in this trace: did you mean mini::tick\?$/m,
		'a sub that is no event is told with the nearest name');
	is(scalar(lines($r->{err})), 2, 'imported and special subs are not') or diag $r->{err};
}

{	# Without it: run-time code generation, a Perl programmer's everyday, does not reach the run.
	my $r = zedperl($dat, \'sub trace_begin { eval q{sub mini::tick { print "eval $_[4]\n" }} }');
	is($r->{out}, "eval 10\neval 11\neval -12\n", 'a handler made by eval in trace_begin is bound');
	$r = zedperl($dat, \'no warnings; sub mini::tick { print "one\n"; *mini::tick = sub { print "two\n" } }');
	is($r->{out}, "one\ntwo\ntwo\n", 'a handler may be redefined while it runs');
	$r = zedperl($dat, \'use Zed; sub mini::tick { print "one $_[4]\n"; *off = \&mini::tick; $SIG{ALRM} = sub { undef &off };
		kill ALRM => $$ if $n++ } ');
	like($r->{err}, qr/^Can't undef active subroutine at /, 'what perl refuses, it refuses here');
	my $two = trace(types => { 'other::x' => '' }, events => [[0, 1000, 'mini::tick', 1],
		[0, 2000, 'other::x', ''], [0, 3000, 'other::x', '']]);
	for my $how ('*other::x = sub { print "x\n" }', 'eval q{sub other::x { print "x\n" }}',
		'*{"other::x"} = \&main::x', 'local $_; *{$main::{"other::"}{x} = *other::x} = \&main::x') {
		$r = zedperl($two, \"sub main::x { print qq{x\\n} } sub mini::tick { $how }");
		is($r->{out}, "x\nx\n", "a handler that another one makes is bound at once: $how") or diag $r->{err};
	}
	$r = zedperl($two, \'sub mini::tick { *main::trace_unhandled = sub { print "un $_[0]\n" } }');
	is($r->{out}, "un other::x\nun other::x\n", 'trace_unhandled too');
}

{	# Without it: AUTOLOAD is called for what it was not written for, or not at all.
	my $r = zedperl($dat, \'sub AUTOLOAD { our $AUTOLOAD; print "$AUTOLOAD\n" } sub mini::tick { nothing(7) }');
	is($r->{out}, "main::nothing\n" x 3, 'AUTOLOAD of main serves main, not trace_begin and events');
	$r = zedperl($dat, \'package mini; sub AUTOLOAD { our $AUTOLOAD; print "$AUTOLOAD $_[4]\n" }');
	is($r->{out}, join('', map {"mini::tick $_\n"} 10, 11, -12), 'AUTOLOAD of a package named like a system gets its events');
	$r = zedperl($dat, \'package mini; sub tick; sub AUTOLOAD { our $AUTOLOAD; no strict "refs";
		print "load\n"; *$AUTOLOAD = sub { print "tick $_[4]\n" }; goto &$AUTOLOAD }');
	is($r->{out}, "load\ntick 10\ntick 11\ntick -12\n", 'a declared handler that AUTOLOAD makes');
}

{	# Without it: idioms about @_ and the call stack break the host.
	my %code = (
		'goto &sub' => 'sub real { print "$_[4] ", (caller(0))[3], "\n" } sub mini::tick { goto &real }',
		'&sub;' => 'sub real { print "$_[4] main::real\n" } sub mini::tick { &real; }',
		'local *_' => 'sub mini::tick { my $v = $_[4]; local *_ = [1, 2]; die if "@_" ne "1 2"; print "$v main::real\n" }',
		'recursion' => 'sub mini::tick { print("$_[0] main::real\n"), return if @_ == 1; mini::tick($_[4]); die if @_ != 6 }',
		'nested eval, die in it' => 'sub mini::tick { eval { eval { die "x" }; die "y" }; print "$_[4] main::real\n" if $@ =~ /^y/ }',
		'sort with a sub that dies' => 'sub mini::tick { eval { my @x = sort { die } 1, 2, 3 }; print "$_[4] main::real\n" }',
		'wantarray' => 'sub mini::tick { print "$_[4] main::", defined wantarray ? "no" : "real", "\n" }',
		'returning a list' => 'sub mini::tick { print "$_[4] main::real\n"; return (1) x 1000 }',
		'XS code as handler' => 'use List::Util (); sub trace_begin { *mini::tick = \&List::Util::sum }
			sub trace_end { print "$_ main::real\n" for 10, 11, -12 }',
		'local $_' => 'sub mini::tick { local $_ = $_[4]; s/x//; print "$_ main::real\n" }',
		'last out of the sub' => 'no warnings; sub mini::tick { print "$_[4] main::real\n"; eval { last } }',
	);
	for my $what (sort keys %code) {
		my $r = zedperl($dat, \$code{$what});
		is($r->{out}, join('', map {"$_ main::real\n"} 10, 11, -12), $what) or diag $r->{err};
	}
}

done_testing;
