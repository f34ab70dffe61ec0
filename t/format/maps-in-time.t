# SPDX-License-Identifier: GPL-2.0-or-later
#
# The stacks of programs have the names of what their process had mapped at the time of the event, by build id: made
# recordings and streams with what zedtrace --user-stack records. Without it a stack has names of the library that was at
# that address in another process, or at another time.
#
# of: trace/maps reader/dat/mapped.c reader/zedstream record/cut record/file
use strict;
use warnings;
no warnings 'portable';
use POSIX ();
use Test::More;
use lib 't/lib';
use Compare::Stock;
use Run::Program qw(:DEFAULT spew);
use Write::Dat;
use Write::Elf;
use Write::Miniature;
use Write::ZedStream;

-x zed_bin('zedsyms') or plan skip_all => 'zedsyms is not built: libdw is not here';

my $dir = zed_tmp();
my $here = (POSIX::uname())[1];
my ($OPTION, $FRAME, $MAGIC) = (0x7a6d, 15, 'zed-maps');
my $START = 0x7f12_3400_0000;
my $BASE = 1_000_000_000;	# of times in us
my $show = spew("$dir/show.pl", "sub sched::sched_waking { print join(' ', Zed::stack_symbols('user')), \"\\n\" }\n");

# ---- records, by docs/zed-stream.pod
sub file_is { my ($n, $path, $id) = @_; my $p = pack 'V V Q< C/a* a*', 8, 1, 77, pack('H*', $id // ''), $path; return pack 'V V Q< Q< V a*', length $p, 0, 0, 0, $n, $p }
sub ts { return $_[0] && $BASE + 1000 * $_[0] }
# A look at PID: [START, LENGTH, OFFSET, FILE] ...
sub look {
	my ($pid, $from, $seen, @maps) = @_;
	my $p = join '', map { my ($at, $len, $off, $file) = @$_; pack 'Q<4 V', $at, $at + $len, $off, $at - $off, $file } @maps;
	return pack 'V V Q< Q< V a*', length $p, $pid, ts($from), ts($seen), 0, $p;
}
sub like_is { my ($pid, $ts, $like) = @_; return pack 'V V Q< Q< V', 0, $pid, ts($ts), ts($ts), $like }

# ---- two programs of three functions each
my %ids = (plain => 'ab' x 20, other => 'cd' x 20);
my %elf = map {
	my $elf = Write::Elf->new(id => $ids{$_});
	my $prefix = $_ eq 'plain' ? '' : 'o_';
	$elf->function("$prefix$_") for qw(leaf inner outer);
	$elf->write("$dir/$_");
	($_ => $elf)
} sort keys %ids;
my @at = map { $START + $elf{plain}->at($_) - 0x1000 + 5 } qw(leaf inner outer);
my @CODE = ($START, 0x1000, 0x1000);	# where both have it

# A trace of HOST: stacks of process 3 at 110, 120 ... us, each of the same addresses.
sub recorded {
	my ($host, $n, @options) = @_;
	my $text = join ' | ', map { my $t = 100 + 10 * $_; ("$t 0 7 waking 20", ($t + 1) . ' 0 7 user ' . join ' ', map { sprintf '%x', $_ } @at) } 1 .. $n;
	return miniature($text, options => [[5, "Linux $host 6.1.0 x86_64\0"], @options]);
}
sub shown {
	my (@args) = @_;
	my $r = zed_run({ env => { HOME => "$dir/none" } }, 'zedperl', @args, $show);
	return wantarray ? ($r->{out}, $r->{err}, $r->{exit}) : $r->{out};
}
my $files = file_is(0, "$dir/plain", $ids{plain}) . file_is(1, "$dir/other", $ids{other}) . file_is(2, "$dir/other", 'ef' x 20);
my ($of_plain, $of_other) = map { my $p = $_; join(' ', map { "$p${_}+0x5" } qw(leaf inner outer)) . "\n" } '', 'o_';
my $places = join(' ', map { sprintf "$dir/other+0x%x", $_ - $START + 0x1000 } @at) . "\n";

my $log = $files . look(3, 0, 0, [@CODE, 0]) . look(3, 125, 140, [@CODE, 1]) . look(3, 145, 145) . look(4, 0, 0, [@CODE, 1]);
my $dat = recorded($here, 5, [$OPTION, $MAGIC . $log]);
my $none = join(' ', map { sprintf '0x%x', $_ } @at) . "\n";
my ($out, $err, $exit) = shown($dat);
is($out, $of_plain x 2 . $of_other x 2 . $none, 'names of what the process ran at that time, and none once that is not known (else: of another program)');
is("$exit $err", '0 ', 'no message');
is(shown(recorded($here, 2, [$OPTION, $MAGIC . $files . look(9, 0, 0, [@CODE, 1]) . like_is(3, 115, 9)])), $none . $of_other, 'a process that began as a copy of another has what that had');
is(shown(recorded($here, 1, [$OPTION, $MAGIC . $files . look(3, 0, 0, [@CODE, 2])])), $places, 'a file with another build id gives no names (else: wrong ones)');
is(shown(recorded('elsewhere', 1, [$OPTION, $MAGIC . $log])), $places =~ s/other/plain/gr, 'of another machine: places');
is(shown('--symfs', '/', recorded('elsewhere', 1, [$OPTION, $MAGIC . $log])), $of_plain, '... and names where its files are, by build id');

# ---- the options of trace-cmd beside it
my $text = "3 1 plain\n" . sprintf("%x %x %s\n\0", $START - 0x1000, $START + 0x1000, "$dir/plain");
is(shown(recorded($here, 3, [10, $text], [$OPTION, $MAGIC . $log])), $of_plain x 2 . $of_other, 'where both are there, the one with times counts');
is(shown(recorded($here, 1, [10, $text], [$OPTION, 'something else'])), $of_plain, 'an option of that number without the magic is not ours');

# ---- other readers: as if it were not there
my $plain = recorded($here, 5);
is(zed_run('zedprint', '-f', 'report', $dat)->{out}, zed_run('zedprint', '-f', 'report', $plain)->{out}, 'zedprint -f report: as without');
SKIP: {
	skip stock_missing(), 1 if stock_missing();
	is(stock_text(recorded($here, 5, [10, $text], [$OPTION, $MAGIC . $log])), stock_text($plain), 'trace-cmd reads the file as one without (else: the option breaks other readers)');
}

# ---- a part of it, and streams
sub again { my ($from) = @_; my $r = zed_run('zedprint', '--cut', "$dir/part.dat", '--head', 4, $from); diag $r->{err} if $r->{exit}; return shown("$dir/part.dat") }
is(again($dat), $of_plain x 2, '--cut keeps it');
sub stream {
	my ($payload, %o) = @_;
	return Write::ZedStream::from_dat($plain, names => 1, comms => 'first', before => sub { $_[0]->frame($FRAME, $payload) }, %o)->write("$dir/stream.zed");
}
my $want = $of_plain x 2 . $of_other x 2 . $none;
my $zed = stream($log);
is(shown($zed), $want, 'a stream: the same');
is(zed_run({ env => { HOME => "$dir/none" } }, 'sh', '-c', "cat '$zed' | '" . zed_bin('zedperl') . "' -i - '$show'")->{out}, $want, '... through a pipe');
is(again($zed), $of_plain x 2, '... and in a part of it');
is(shown(Write::ZedStream::from_dat($plain, comms => 'first', before => sub { $_[0]->frame($FRAME, $files)->frame($FRAME, substr $log, length $files) })->write("$dir/two.zed")),
	$want, 'in two frames, of a stream without times of names');
my $r = zed_run('zedtrace', '--convert', $zed, '-o', "$dir/converted.dat");
is(shown("$dir/converted.dat"), $want, 'zedtrace --convert keeps it') or diag $r->{err};
my ($maps) = map { $_->{data} } grep { $_->{id} == 10 } map { @{$_->{opts} // []} } @{Compare::DatRead::dat_read("$dir/converted.dat")->{sections}};
is($maps, sprintf("4 1 %s/other\n%x %x %s/other\n\0", $dir, $START - 0x1000, $START + 0x1000, $dir), '... and gives trace-cmd the last of each process that it knows');

# ---- damage
for (['cut', substr($log, 0, -3)], ['a mapping that ends where it begins', $files . look(3, 0, 0, [@CODE, 0]) . look(4, 0, 0, [$START, 0, 0, 0])], ['a path with a NUL', $files . look(3, 0, 0, [@CODE, 0]) . file_is(3, "/a\0b")]) {
	my ($what, $damaged) = @$_;
	($out, $err, $exit) = shown(recorded($here, 1, [$OPTION, $MAGIC . $damaged]));
	like($err, qr/mappings of processes: invalid after \d+ of \d+ bytes: the rest is left out$/m, "$what: is said");
	is("$exit $out", "1 $of_plain", '... by the exit status, too, and what comes before it is used');
}
($out, $err, $exit) = shown(stream($log . 'x' x 30));
like($err, qr/frame of mappings of \d+ bytes has invalid mappings: left out$/m, 'a frame that is cut is said');
is("$exit $out", "1 $want", '... and costs itself');
done_testing();
