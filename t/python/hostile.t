# SPDX-License-Identifier: GPL-2.0-or-later
#
# Damaged and hostile inputs in Python: handlers, iteration with everything that an Event has, and batches end by
# themselves, deliver what zedperl delivers, and say what it says.  Without it a file crashes the program that a notebook
# runs in, or an error is another one, or none.
#
#	MUTATIONS=5000 SEED=7 perl -It/lib t/python/hostile.t	# the long run
# of: interp/python
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::RealData;
use Files;
use Mutate;
use Mutate::Kinds;
use Mutate::Run;
use Pass;
use Run::Python;
use Run::Zedperl;

plan skip_all => python_missing() if python_missing();
my $no_extension = extension_missing();
my $dir = temp_dir();
my $seed = $ENV{SEED} // 1;
my $cases = $ENV{MUTATIONS} // small(15, 90);

# The same in both languages: an answer, all arguments, and all of the current event.
my $perl = spew("$dir/look.pl", <<'E');
my ($n, $lost, $seen) = (0, 0, 0);
my $a = Zed::count('*:*', by => ['common_comm', 'common_cpu'], max_keys => 100);
sub look { ref eq 'ARRAY' ? look(@$_) : ref eq 'HASH' ? look(values %$_) : defined ? ($seen += length) : () for @_ }
# Of two fields of one name the first, as Python has them.
sub values_of { my (@f) = @_; my %is; return map { $is{$f[2 * $_]}++ ? () : $f[2 * $_ + 1] } 0 .. @f / 2 - 1 }
sub trace_unhandled { $n++; look(@_[1 .. 4], values_of(Zed::fields()), Zed::comm(), Zed::instance(), Zed::stack()); look(Zed::text()) if $n % 4 == 1 }
sub trace_lost { $lost++; look($_[0]) }
sub trace_end { binmode STDOUT; print "events $n lost $lost seen $seen\n"; $a->print }
E
my $look = <<'E';
import sys, zed
n = lost = seen = 0

def look(*values):
    global seen
    for v in values:
        if isinstance(v, list):
            look(*v)
        elif isinstance(v, dict):
            look(*v.values())
        elif isinstance(v, str):
            seen += len(v.encode("utf-8", "surrogateescape"))
        elif isinstance(v, float):
            seen += len({"inf": "Inf", "-inf": "-Inf", "nan": "NaN"}.get(repr(v)) or "%.15g" % v)
        elif v is not None:
            seen += len(v if isinstance(v, bytes) else str(v))

def look_at(ev):
    global n
    n += 1
    look(ev.cpu, ev.ts // 10**9, ev.ts % 10**9, ev.sequence, *ev.fields().values(), ev.comm, ev.instance, ev.stack)
    if n % 4 == 1:
        look(ev.text)
E
my $handlers = spew("$dir/look.py", $look . <<'E');
a = zed.count("*:*", by=["common_comm", "common_cpu"], max_keys=100)
zed.on("*:*", optional=True)(look_at)

@zed.on("*:*", optional=True)
def named(ev, **fields):
    assert list(fields) == list(ev.fields()), (list(fields), list(ev.fields()))

def trace_lost(cpu, count):
    global lost
    lost += 1
    look(cpu)

def trace_end():
    print("events", n, "lost", lost, "seen", seen)
    sys.stdout.flush()
    sys.stdout.buffer.write(str(a).encode("utf-8", "surrogateescape") + b"\n")
E
my $iteration = spew("$dir/iterate.py", $look . <<'E');
import warnings
warnings.simplefilter("always")
kept = []
try:
    with zed.open(sys.argv[1]) as trace:
        for ev in trace:
            look_at(ev)
            repr(ev), ev.name, ev.source, ev.pid, ev.lost, list(ev), ev.get("nothing")
            for name in ev:
                ev[name], name in ev
            if n % 7 == 0 and len(kept) < 100:
                kept.append((ev, ev.fields(), ev.ts))
        for ev, fields, ts in kept:
            if repr(ev.fields()) != repr(fields) or ev.ts != ts:
                print("a kept event is another", ev, fields)
    print("events", n, "seen", seen)
except zed.Error as e:
    print("error %s|%s" % (e.path, e.reason))
    print(("events %d seen %d" % (n, seen)) if n else "nothing")
for names in (["ts", "cpu", "pid", "comm", "n", "who"], ["ts", "sequence"], ["v", "msg"]):
    try:
        for batch in zed.open(sys.argv[1]).batches(names, rows=10):
            for column in batch.values():
                column if isinstance(column, list) else memoryview(column).tolist()
    except (zed.Error, KeyError) as e:
        pass
E

# Message lines, without the program's name.
sub said { return join '', sort map { s/^zed(?:perl|python): //r . "\n" } split /\n/, $_[0] }

# What PATH, called WHAT, is for Python, and what for Perl.
my %ended;
sub check {
	my ($what, $path) = @_;
	my $ours = zedperl({ bare => 1 }, $path, $perl);
	my $r = zedpython({ memory => 1_000_000, time => 60 }, $path, $handlers);
	$ended{$ours->{status}}++;
	my @wrong;
	push @wrong, 'zedpython ends by ' . ($r->{late} ? 'being too late' : "signal $r->{sig}") if $r->{sig} || $r->{late};
	push @wrong, "zedpython exits with $r->{status}, zedperl with $ours->{status}" if $r->{status} != $ours->{status};
	push @wrong, "zedpython answers\n$r->{out}zedperl answers\n$ours->{out}" if $r->{out} ne $ours->{out};
	push @wrong, "zedpython says\n$r->{err}zedperl says\n$ours->{err}" if said($r->{err}) ne said($ours->{err});
	if (!$no_extension) {
		my $python = python({ memory => 1_000_000, time => 60 }, $iteration, $path);
		my ($events) = $ours->{out} =~ /^events (\d+)/;
		my ($seen) = $python->{out} =~ /^(?:events (\d+)|nothing)/m;
		push @wrong, 'python3 ends by ' . ($python->{late} ? 'being too late' : "signal $python->{sig}") if $python->{sig} || $python->{late};
		push @wrong, "python3 fails: $python->{err}" if $python->{status};
		push @wrong, 'python3 sees ' . ($seen // 0) . ' events, zedperl ' . ($events // 0) if ($seen // 0) != ($events // 0);
		push @wrong, $1 if $python->{out} =~ /^(a kept event.*)$/m;
		push @wrong, "python3 says no error; zedperl $ours->{err}" if $ours->{status} == 2 && $python->{out} !~ /^error /;
		push @wrong, "python3's error is '$1'; zedperl's is $ours->{err}" if $ours->{status} == 2 && $python->{out} =~ /^error .*\|(.*)$/m && index($ours->{err}, $1) < 0;
	}
	ok(!@wrong, $what) or diag join "\n", map { s/[^\x20-\x7e\n]/./gr } map { substr $_, 0, 3000 } @wrong;
	return;
}

# ---- undamaged, damaged by chance

for my $kind (grep { $_ ne 'spool' } do { my %s; grep { !$s{$_}++ } @Mutate::Kinds::KINDS }) {
	my $in = Mutate::Kinds::make(Mutate->new(1, 1), $kind, 1);
	Mutate::Run::store($in, $dir);
	check("$kind, undamaged", "$dir/$in->{path}");
}
my @kinds = grep { $_ ne 'spool' } @Mutate::Kinds::KINDS;
for my $case (1 .. $cases) {
	my $in = Mutate::Kinds::make(Mutate->new($seed, $case), $kinds[$case % @kinds]);
	Mutate::Run::store($in, $dir);
	check("case $case of seed $seed ($in->{kind}: " . join('; ', @{$in->{said}}) =~ s/[^\x20-\x7e]/./gr . ')', "$dir/$in->{path}");
}
cmp_ok(($ended{1} // 0) + ($ended{2} // 0), '>', $cases / 10, 'some are damaged (else: nothing is tried)');

# ---- those of reviews

SKIP: {
	my $shared = Compare::RealData::shared();
	skip Compare::RealData::no_shared(), 1 if !defined $shared;
	skip 'no zstd tool: apt-get install zstd', 1 if !Compare::RealData::have_zstd();
	for my $zst (glob "$shared/hostile/*.dat.zst") {
		my ($name) = $zst =~ m{([^/]+)[.]zst\z};
		system('zstd', '-dqf', $zst, '-o', "$dir/$name") == 0 or die "cannot unpack $zst\n";
		check($name, "$dir/$name");
		unlink "$dir/$name";
	}
	check($_ =~ s{.*/}{}r, $_) for glob("$shared/hostile/round3/*.dat"), glob "$shared/hostile/rfc-seeds/*";
}

# ---- what is no trace

for (['no file', "$dir/nowhere.dat"], ['a folder', $dir], ['an empty file', spew("$dir/empty", '')], ['a text', $perl], ['a device', '/dev/null']) {
	check(@$_);
}

done_testing();
