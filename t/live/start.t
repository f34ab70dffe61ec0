# SPDX-License-Identifier: GPL-2.0-or-later
#
# The start of a recording: what it mostly waits for, the kernel's symbols and the instance for names, is waited for at the
# same time.  Without it the first seconds of what is to be recorded have passed before tracing is on.
#
# of: kernel/session/kernel_symbols.c kernel/session/watch.c programs/zedtrace/record.c
use strict;
use warnings;
use File::Spec;
use Test::More;
use lib 't/lib';
use Compare::DatRead;
use Run::Live;
use Run::Process;
use Run::Program;

live_or_skip();
my $dir = zed_tmp();
my $shim = File::Spec->rel2abs(($ENV{ZED_BUILD} // 'build/gcc') . '/t/lib/c/io_shim.so');
my %asan = $ENV{ZED_SAN} ? (ASAN_OPTIONS => ($ENV{ASAN_OPTIONS} // '') . ':verify_asan_link_order=0') : ();
my $KALLSYMS = 19;	# the section's number

# The symbols come only once FILE is there.
sub start {
	my ($file, @words) = @_;
	return live_start({ env => { LD_PRELOAD => $shim, ZED_SHIM => "wait=/kallsyms:$file", %asan } }, 'zedtrace', @words);
}

sub has_names { my ($h) = @_; return scalar grep { /^zed\.$h->{pid}\.\d+\.names$/ } live_instances() }

leaves_nothing('a start', sub {
	my $h = start("$dir/symbols", '-o', "$dir/x.dat", 'sched');
	ok(wait_until(60, sub { has_names($h) }), 'the instance for names is made while the symbols are read (else: one after the other)');
	put_text("$dir/symbols", "now\n");
	ok(live_ready($h), 'then it records') or diag live_end($h, 1)->{err};
	live_signal($h, 'INT');
	is(live_end($h)->{exit}, 0, 'and ends');
	my $text = Compare::DatRead::dat_read("$dir/x.dat", 1)->{meta}{$KALLSYMS} // '';
	like($text, qr/ schedule\n/, 'the symbols are in the file (else: functions stay numbers)');
});

leaves_nothing('a start that fails', sub {
	my $h = start("$dir/later", '-o', "$dir/none/x.dat", 'sched');
	wait_until(60, sub { has_names($h) });
	put_text("$dir/later", "now\n");
	my $r = live_end($h);
	is("$r->{exit} $r->{late}", '2 ', 'what was begun is taken back when there is nowhere to write to') or diag $r->{err};
});

done_testing();
