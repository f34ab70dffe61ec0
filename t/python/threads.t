# SPDX-License-Identifier: GPL-2.0-or-later
#
# Threads of Python beside a trace that is read: one looks at answers while another waits for a stream's next events.
# Without it a live table in a second thread corrupts the memory of the program.
# of: interp/python
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Python;
use Run::Zedperl;
use Write::Dat;
use Write::ZedStream;

plan skip_all => extension_missing() if extension_missing();

# ---- a stream that comes in pieces: before each, the reader waits, and the other thread looks
my $dat = temp_path('.dat');
Write::Dat->new(pages => 40)->write($dat);
my $stream = Write::ZedStream::from_dat($dat)->write(temp_path('.zed'));
my $look = <<'E';
import collections, os, sys, threading, zed
sys.setswitchinterval(1e-6)
expected = collections.Counter(ev.ts for ev in zed.open(sys.argv[2]) if ev.name == "mini:tick")
whole = open(sys.argv[1], "rb").read()
there, there_to_write = os.pipe()
os.dup2(there, 0)
made = pair = None
said = set()

def refused(use):
    try: use()
    except zed.Error as error: said.add(str(error))

def look():
    before = len(made)
    assert len(made.rows) >= before and sum(made.values()) >= before and made.lost >= 0
    refused(lambda: made.merge(nothing))
    if pair:
        refused(lambda: (pair.counts, pair.pending))

def feed():
    try:
        for at in range(0, len(whole), 512):
            os.write(there_to_write, whole[at:at + 512])
            for i in range(3 if made is not None else 0):
                look()
    finally:
        os.close(there_to_write)

nothing = zed.open(sys.argv[2]).count("mini:tick", by="ts")
feeder = threading.Thread(target=feed)
feeder.start()
trace = zed.open("-")
if sys.argv[3] == "pairs":
    pair = trace.synthetic("a:b", start="mini:tick", end="mini:said")
made = trace.count("mini:tick", by="ts")
trace.run()
feeder.join()
print(dict(made) == expected, pair is None or pair.counts["started"] == len(expected), *sorted(said), sep="\n")
E
my $waits = 'another thread waits for events of this trace';
for (['answers', "merge: $waits"], ['pairs', $waits, "merge: $waits"]) {
	my ($what, @refused) = @$_;
	my $r = python({ time => 60 }, \$look, $stream, $dat, $what);
	is("$r->{sig} $r->{out}$r->{err}", join("\n", '0 True', 'True', @refused, ''), "$what: a thread looks at them while another reads, and is refused what both would change (else: a crash)");
}

done_testing();
