# SPDX-License-Identifier: GPL-2.0-or-later
#
# A trace that is replaced by a script, while zedperl explore serves it or before zedperl reads it: it is never run.
# Without it a file of a stranger chooses code.
# of: programs/zedperl/explore programs/installed.c programs/zedperl/positionals.c
use strict;
use warnings;
use Test::More;
use File::Copy ();
use lib 't/lib';
use Run::Explore;
use Run::Program qw(spew zed_run zed_tmp);

my $dir = zed_tmp();
my ($trace, $canary) = map { "$dir/$_" } qw(trace.dat canary);
my $script = "#!/usr/bin/perl\n# zedperl: reads no trace itself\nBEGIN { open my \$f, '>', '$canary'; print {\$f} 1 }\nexit 0;\n";

File::Copy::copy('t/data/demo.dat', $trace);
my $s = explore($trace);
is(get($s, 'answer', name => 'waits')->{json}{exit}, 0, 'an answer');
spew("$dir/new", $script);
rename "$dir/new", $trace or die "rename: $!\n";
for (['answer', name => 'waits'], ['answer', name => 'waits', from => 0, to => 1000], ['findings'], ['head']) {
	my $r = get($s, @$_);
	ok($r->{status} >= 400 || $r->{json}{exit} != 0, "refused: @$_");
	ok(!-e $canary, '... and not run (else: a trace that is replaced is code)');
}
is(explore_end($s), 0, 'the end');

for my $second ('waits', 'nosuch', 'report', 'countall') {
	my $r = zed_run('zedperl', $trace, $second);
	isnt($r->{exit}, 0, "a script in a trace's place, before $second");
	ok(!-e $canary, '... is not run (else: a file of a stranger chooses code)');
}
# Beside a trace that is called like an analysis.
File::Copy::copy('t/data/demo.dat', "$dir/waits.dat");
isnt(zed_run({ cwd => $dir }, 'zedperl', 'trace.dat', 'waits')->{exit}, 0, 'also with a trace of that name');
ok(!-e $canary, '... is not run');
spew("$dir/mine.pl", $script);
is(zed_run('zedperl', "$dir/mine.pl")->{exit}, 0, 'a script by its name');
ok(-e $canary, '... runs');

done_testing();
