# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace --for: which events a script wants, by its text alone, and what is said of those that this kernel
# does not have.  Without it a recording lacks what its script is for.
#
# of: programs/zedtrace programs/session
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::FakeKernel;
use Run::Program;

my $tmp = zed_tmp();
my $r;

# The events of the script TEXT that are said not to be there.
sub wants
{
	my ($text) = @_;

	put("$tmp/x.pl", $text);
	my $said = zedtrace('--for', "$tmp/x.pl", '-o', "$tmp/x.dat")->{err};
	return join ' ', $said =~ /x\.pl: .*?\b((?:no|so|do)_\w+:\w+)/g;
}

is(wants("#!/usr/bin/env zedperl\n# zedtrace: no_a:x do_b:y\nsub no_c::z { }\n"), 'no_a:x do_b:y',
   'a line "# zedtrace:" wins (else: a script cannot ask for more than it handles)');
is(wants("# zedtrace: no_a:x\n# zedtrace: no_b:y no_a:x\n"), 'no_a:x no_b:y', 'several such lines are one list');
is(wants("sub no_a::x\n{\n}\nsub no_b::y { 1 }  sub no_c::z { }\n\tsub\tdo_d::w(\$) {}\n"), 'no_a:x no_b:y no_c:z do_d:w',
   'subs are found wherever a statement begins (else: their events are missing)');
is(wants("sub no_a::x {}\n=pod\n\nsub no_b::y {}\n# zedtrace: no_z:z\n\n=cut\n\nsub no_c::z {}\n"), 'no_a:x no_c:z',
   'POD is no code (else: an example in the manual is recorded)');
is(wants("sub no_a::x {} # or {; sub no_b::y {}\n# or; sub no_c::z {}\n"), 'no_a:x', 'comments are no code');
is(wants("sub no_a::x {}\n__END__\nsub no_b::y {}\n"), 'no_a:x', 'what follows __END__ is no code');
is(wants("sub no_a::x {}\n__DATA__\n# zedtrace: no_b:y\n"), 'no_a:x', 'what follows __DATA__ is no code');
is(wants("print <<'E', <<~\"F\";\nsub no_a::x {}\nE\nF\nsub no_b::y { \$n = 1 <<N; }\nsub no_c::z {}\n"), 'no_b:y no_c:z',
   'here-documents are no code, and a shift is none (else: either too much or too little)');
is(wants("sub trace_begin {}\nsub main::helper {}\nsub no_a::b::c {}\nsub no_d::e {}\nsub no_d::e {}\n"), 'no_d:e',
   'helpers are no events, and each event is asked for once');

is(wants("my \$s = Zed::synthetic('my::own', start => 'no_a:x', end => ['no_b:y',\n\t'no_c:z'],\n\tmatch => 'start.no_d:w == end.x', abort => [qw(do_e:v do_f:u)]);\nZed::on('do_g:t', sub {});\n"),
   'no_a:x no_b:y no_c:z do_e:v do_f:u do_g:t', 'what a synthetic event is made of, and not what its expressions say');

# A script in Python, by its name or by its first line.
put("$tmp/x.py", "zed.on('no_a:x')\ndef no_b__y(): pass\nsub no_z::z { }\n");
like(zedtrace('--for', "$tmp/x.py", '-o', "$tmp/x.dat")->{err}, qr/x\.py: .*no_a:x.*x\.py: .*no_b:y(?!.*no_z)/s, 'a script in Python (else: its recording lacks what it is for)');
is(wants("#!/usr/bin/env python3\ndef no_a__x(): pass\nsub no_z::z { }\n"), 'no_a:x', 'by the first line alone');
is(wants("#!/usr/bin/env zedperl\n# python\nsub no_a::x { }\ndef no_z__z(): pass\n"), 'no_a:x', 'but by no other');

# Zed::on: each of these has one event, in this order.
my @on = (
	["Zed::on('no_a:x', sub {});", 'no_a:x', 'a call'],
	["my \$id = Zed::on('no_a:x', args => [], sub {}); Zed::on(\"no_b:y\" => sub {})", 'no_a:x no_b:y', 'calls in expressions'],
	["Zed::on 'no_a:x', sub {};", 'no_a:x', 'without parentheses'],
	["Zed::on\n\t'no_a:x', sub {}", 'no_a:x', 'with the event on the next line'],
	["Zed::on(\n\t# the first\n\t'no_a:x',\n\tsub {});", 'no_a:x', 'over several lines'],
	["Zed::on(q(no_a:x), sub {}); Zed::on(qq{no_b:y}, sub {}); Zed::on(q/no_c:z/, sub {})", 'no_a:x no_b:y no_c:z', 'q and qq'],
	["Zed::on('no_a::x', sub {}); Zed::on('no_b:y*', sub {})", 'no_a: no_b:y', 'other ways to write events'],
	["# Zed::on('no_a:x', sub {})\nZed::on('no_b:y', sub {}); # Zed::on('no_c:z')", 'no_b:y', 'comments are no calls'],
	["=pod\n\nZed::on('no_a:x', sub {})\n\n=cut\n\nZed::on('no_b:y', sub {})", 'no_b:y', 'nor is POD'],
	["print \"Zed::on('no_a:x')\"; my \$s = 'Zed::on(\"no_b:y\")'; Zed::on('no_c:z', sub {})", 'no_c:z', 'nor are strings'],
	["print 'it isn\\'t', \$', \"\\\"\"; Zed::on('no_a:x', sub {})", 'no_a:x', 'quotes in and outside of strings'],
	["sub f { isn't(1) } Zed::on('no_a:x', sub {})", 'no_a:x', "an old package's quote begins no string"],
	["my \$x = 'no_z:z'; Zed::on(\$x, sub {}); Zed::on(\"no_y:\$x\", sub {}); Zed::off('no_x:x'); xZed::on('no_w:w'); Zed::onto('no_v:v'); Zed::on('no_a:x', sub {})",
	 'no_a:x', 'what is not known before the script runs is not guessed'],
	["on('no_a:x', sub {}); Zed::on('no_b:y', sub {})", 'no_b:y', 'on is anybody\'s'],
	["use Zed qw(ts on);\non('no_a:x', sub {}); \$obj->on('no_z:z'); \$on{on} = { on => 'no_y:y' }; on 'no_b:y', sub {}", 'no_a:x no_b:y',
	 '... unless it comes from Zed'],
	["use Zed ':all';\non('no_a:x', sub {})", 'no_a:x', 'by :all, too'],
	["use Zed 'ts';\non('no_z:z', sub {}); Zed::on('no_a:x', sub {})", 'no_a:x', 'use Zed without on'],
	["sub no_a::x {}\nZed::on('no_b:y', sub {});\nZed::on('no_a:x', sub {});", 'no_a:x no_b:y', 'subs and calls, each event once'],
);
for (@on) {
	my ($code, $words, $what) = @$_;
	put("$tmp/x.pl", "$code\n");
	my $said = zedtrace('--for', "$tmp/x.pl", '-o', "$tmp/x.dat")->{err};
	is(join(' ', $said =~ /x\.pl: [^\n]*?\b(no_\w+:\w*)/g), $words, "Zed::on: $what (else: its event is not recorded, or too much)");
}

put("$tmp/x.pl", "sub trace_unhandled { }\n");
$r = zedtrace('--for', "$tmp/x.pl");
is($r->{exit}, 2, 'a script that names no events is refused (else: an empty recording)');
like($r->{err}, qr/\Azedtrace: \S*x\.pl: names no events: add a line '# zedtrace: EVENTS' or name them: zedtrace EVENTS, zedperl --live=EVENTS$/m,
     '... with what to add');
put("$tmp/x.pl", "sub no_a::x { }\n");
$r = zedtrace('--for', "$tmp/x.pl");
is($r->{exit}, 2, 'a script of another kernel is refused');
like($r->{err}, qr/x\.pl: this kernel has none of the events/, '... and that is said');
$r = zedtrace('--for', "$tmp/none.pl");
is($r->{exit}, 2, 'a script that is not there');
like($r->{err}, qr{\Azedtrace: \S*none\.pl: no such script \(zedperl --scripts lists},
     q(... is named, with where to look));
$r = zedtrace('--for', $tmp);
like($r->{err}, qr/is a directory/, 'a directory is no script');
$r = zedtrace({ time => 10 }, '--for', '/dev/zero');
is($r->{exit}, 2, 'a script without end is not read without end (else: memory runs out)');

done_testing();
