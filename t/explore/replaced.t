# SPDX-License-Identifier: GPL-2.0-or-later
#
# A trace that is replaced by a script, while zedperl explore serves it or before zedperl reads it: it is never run.
# Without it a file of a stranger chooses code. Nor is another trace answered about than the one that was opened.
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

# What is served is the file of the beginning.
for (['written to', sub { open my $out, '>>', $trace or die "$trace: $!\n"; print {$out} "\0" x 4096; close $out or die "$trace: $!\n" }],
	['replaced', sub { File::Copy::copy('t/data/demo.dat', "$dir/new"); rename "$dir/new", $trace or die "rename: $!\n" }], ['removed', sub { unlink $trace }]) {
	my ($what, $change) = @$_;
	File::Copy::copy('t/data/demo.dat', $trace);
	$s = explore($trace);
	is(get($s, 'head')->{status}, 200, 'a trace');
	$change->();
	for (['head'], ['findings'], ['events', count => 1], ['lanes', from => 0, to => 9, cells => 1], ['find', what => 'x', at => 0], ['answer', name => 'waits']) {
		my $r = get($s, @$_);
		is("$r->{status} $r->{json}{error}", '500 the trace has changed: start zedperl explore again', "$what: said by $_->[0] (else: answers of two traces)");
	}
	is(get($s, 'alive')->{status}, 200, 'the server goes on');
	is(explore_end($s), 0, 'the end');
}

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
