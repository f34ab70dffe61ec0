# SPDX-License-Identifier: GPL-2.0-or-later
#
# One system call, or one malloc, fails: the first, the second, ... of each program's run over an input of each
# kind.  No such run ends well with less than the run without a fault has, none hangs, crashes, or leaves a
# damaged file under the name that a whole one would have.  What can be done again (an interrupted or a short
# call) changes nothing.  Without this, a full disk or little memory could pass in silence or leave half a file.
#
#	FAULTS=all prove -It/lib t/bad/faults.t		# every one; else FAULTS of them, chosen by SEED, and the first three of a kind
#	CASE='v7 json read:3:5' perl -It/lib t/bad/faults.t	# one of them, with what it said
#
# of: reader base interp sink/print record/file programs sink
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Cwd ();
use Errno qw(EINTR EIO EMFILE ENOMEM ENOSPC);
use File::Path ();
use Files;
use Mutate;
use Mutate::Kinds;
use Mutate::Run;
use Pass;
use Run::Process;
use Run::Program;
use Text::ParseWords ();

plan skip_all => 'a sanitizer has a malloc of its own' if $ENV{ZED_SAN};
my $seed = $ENV{SEED} // 1;
my $faults = $ENV{FAULTS} // small(120, 400);
my $dir = temp_dir();
my $bin = Cwd::abs_path($ENV{ZED_BIN_DIR} // '.');
my $shim = File::Spec->rel2abs(($ENV{ZED_BUILD} // 'build/gcc') . '/t/lib/c/fault_shim.so');

# What differs: a fault that is over when the call is made again, and one that costs something.
my %how = (read => [EIO, EINTR, 0], write => [ENOSPC, EIO, EINTR, 0], open => [EIO, EMFILE], mmap => [ENOMEM],
	malloc => [ENOMEM], file => [EIO]);
my %name = (EIO, 'EIO', EINTR, 'EINTR', EMFILE, 'EMFILE', ENOMEM, 'ENOMEM', ENOSPC, 'ENOSPC', 0, 'short');

# ---- the inputs and what is done to each

my %in;
for my $kind (qw(v7 v7z v6 rfc ltt stable stream spool perfdata)) {
	my $case = 1;
	my $in;
	do { $in = Mutate::Kinds::make(Mutate->new(1, $case++), $kind, 1) } while "@{$in->{said}}" =~ /G1/;
	$in->{path} = $kind . ($kind eq 'spool' ? '.zed' : '.dat');
	$in{$kind} = $in;
}

# Writes what the programs read to the folder TO, which they run in.
sub provide {
	my ($to) = @_;
	mkdir $to;
	Mutate::Run::store($_, $to) for values %in;
	spew("$to/all.pl", <<'END');
use strict;
my $n = 0;
sub trace_unhandled { print join(' ', map { ref $_ ? 'ref' : $_ // '' } @_, Zed::comm()), "\n"; $n++ }
sub trace_end { print "$n events\n" }
END
	spew("$to/count.pl", <<'END');
my @of = (Zed::count('*:*', by => ['comm', 'cpu']), Zed::top('mini:tick', 'n', fields => ['comm']), Zed::hist('*:*', 'ts'));
sub trace_end { $_->print for @of }
END
	return;
}

# IN: the input; K: a word of this run's own, for what it writes.
my %program = (script => 'zedperl IN all.pl', list => 'zedperl -t IN', generate => 'zedperl -g all IN', starter => 'zedperl -g IN',
	check => 'zedperl --stable-check IN', export => 'zedperl --export K.out IN', json => 'zedprint -f json IN',
	zed => 'zedprint IN', report => 'zedprint -f report IN', summary => 'zedprint --summary IN',
	tail => 'zedprint -f json --tail 5 IN', aggregate => 'zedperl IN count.pl', pipe => 'zedprint -i -',
	synthetic => q{zedprint -f json --event x:y --synthetic 'x:y start=mini:tick end=mini:tick n=end.n' IN},
	two => 'zedprint -f json -i IN -i v6.dat --force-merge', convert => 'zedtrace --convert IN -o K.out',
	pack => 'zedtrace --convert IN -z zlib -o K.out', recover => 'zedtrace --recover K.zed -o K.out');
my @jobs;
for my $kind (grep { $_ ne 'spool' } sort keys %in) {
	push @jobs, map { [$kind, $_] } qw(script json zed report list generate starter check summary),
		$kind eq 'stable' || $kind eq 'v6' ? () : 'two',
		$kind eq 'v7' || $kind eq 'perfdata' ? qw(tail aggregate synthetic) : ();
}
push @jobs, [v7 => 'pipe'], [perfdata => 'pipe'], [stream => 'pipe'], [v7 => 'export'], [stream => 'convert'],
	[stream => 'pack'], [spool => 'recover'];

# A reader of each kind, and all that write.
@jobs = grep { $_->[1] =~ /^(?:json|export|convert|recover)$/ || "@$_" eq 'v7 script' } @jobs if small();

# ---- running them

# A run for each of FAULTS ([job, call, n, errno]; call '' for none): [exit, out, err, file], who asked for the
# memory that it did not get, and who ended it.  One that hangs, as libperl does when it dies of no memory while it
# holds its own lock, costs no other its run.
sub runs {
	my @faults = @_;
	my @run;
	for my $i (0 .. $#faults) {
		my ($job, $call, $n, $errno) = @{$faults[$i]};
		my $in = $in{$job->[0]};
		Mutate::Run::store({ %$in, path => "k$i.zed" }, $dir) if $job->[1] eq 'recover';
		push @run, [{ cpu => 5, seconds => 60, stdout => "k$i.o", stderr => "k$i.e",
			$job->[1] eq 'pipe' ? (stdin => $in->{path}) : (),
			env => { LC_ALL => 'C.UTF-8', LD_PRELOAD => $shim, $call eq '' ? (ZED_FAULT_COUNT => "k$i.count")
				: (ZED_FAULT => "$call:$n:$errno", ZED_FAULT_BY => "k$i.by") } },
			Text::ParseWords::shellwords("$bin/$program{$job->[1]}" =~ s/\bIN\b/$in->{path}/r =~ s/\bK\b/k$i/gr)];
	}
	my @ended = run_each($dir, @run);
	my @r;
	for my $i (0 .. $#faults) {
		my %file = map { $_ => -f "$dir/k$i.$_" ? slurp("$dir/k$i.$_") : undef } qw(o e out by count);
		my %by = map { split ' ' } reverse split /\n/, $file{by} // '';
		my ($status, $late) = @{$ended[$i]};
		push @r, { exit => $late ? 'late' : how_it_ended($status), out => $file{o}, err => $file{e}, file => $file{out},
			asked => $by{asked} // '', ended => $by{ended} // '', count => $file{count} // '' };
		File::Path::remove_tree(map { "$dir/k$i.$_" } qw(out zed out.zed count by));
	}
	return @r;
}

sub read_again {
	my ($bytes) = @_;
	return zed_run('zedprint', '-f', 'json', spew("$dir/left.dat", $bytes // ''));
}

sub readable {
	my $r = read_again(@_);
	return !$r->{signal} && $r->{exit} == 0;
}

# What can be read of a file; of one that cannot, what is wrong with it.
sub events_of {
	my $r = read_again(@_);
	return "$r->{exit} $r->{out}$r->{err}";
}

# What is against the promises in how R ended, when WHOLE is the run without a fault.
sub wrong {
	my ($r, $whole, $program, $call, $errno) = @_;
	my $exit = $r->{exit};
	# That libperl ends the process when it gets no memory is not ours; nor that libtraceevent goes on with NULL,
	# or takes a print format for one that it cannot read.
	return if $exit && $r->{asked} =~ /^libperl/ && $r->{ended} =~ /^libperl/;
	return if $program eq 'report' && $r->{asked} =~ /^libtraceevent/
		&& (!$exit || $exit eq 'signal 11' && $r->{ended} =~ /^libtraceevent/);
	return 'it hangs' if $exit =~ /^(?:late|signal (?:9|24))$/;
	my $memory = $call eq 'malloc' || $call eq 'mmap';
	if ($exit =~ /^signal/) {
		return if $exit eq 'signal 6' && $memory && $r->{err} =~ /^zed\w+: out of memory$/m && !defined $r->{file};
		return $exit;
	}
	return "exit $exit" if $exit > 2 && $exit != 255;
	return "exit $exit of what can be done again" if $exit && ($errno == EINTR || !$errno);
	if ($exit == 0) {
		return 'exit 0 with another output' if $r->{out} ne $whole->{out};
		# What of a file could not be packed may be plain.
		return 'exit 0 with another file' if ($r->{file} // '') ne ($whole->{file} // '')
			&& events_of($r->{file}) ne events_of($whole->{file});
		return 'exit 0 without the file' if defined $whole->{file} && !defined $r->{file};
		return;
	}
	# A script that does not load is 255, and why is libperl's to say, which may be what it had no memory for.
	return "exit $exit without a word" if $r->{err} !~ /\S/ && !($exit == 255 && $r->{asked} =~ /^libperl/);
	# What was told of as damaged may be there in part, as far as it can be read.
	return "exit $exit, and a file that is not whole" if defined $r->{file} && $r->{file} ne $whole->{file}
		&& ($exit != 1 || !readable($r->{file}));
	return;
}

# ---- without a fault, and how many calls there are

provide($dir);
my (%whole, @all);
for my $job (@jobs) {
	my ($whole, $again) = runs([$job, ''], [$job, '']);
	$whole{"@$job"} = $whole;
	is($whole->{exit}, 0, "@$job without a fault (else: nothing is compared)");
	is($again->{out}, $whole->{out}, "@$job: twice the same (else: every fault is seen as one)");
	while ($whole->{count} =~ /^(\w+) (\d+)$/mg) {
		my ($call, $n) = ($1, $2);
		for my $i (1 .. $n) {
			push @all, map { [$job, $call, $i, $_] } @{$how{$call}};
		}
	}
}

# ---- the choice

my $r = Mutate->new($seed, 'faults');
my @chosen;
if (defined $ENV{CASE}) {
	@chosen = grep { "@{$_->[0]} $_->[1]:$_->[2]:$_->[3]" eq $ENV{CASE} } @all;
} elsif ($faults eq 'all') {
	@chosen = @all;
} else {
	# The first three calls of each kind, where files are opened and heads are read; of the others, as many mallocs
	# as of all the rest.
	my (@malloc, @rest);
	push @{$_->[1] eq 'malloc' ? \@malloc : $_->[2] <= 3 ? \@chosen : \@rest}, $_ for @all;
	# Where perl itself is made, a few hundred mallocs have each its own way to fail.
	push @chosen, grep { "@{$_->[0]}" eq 'v7 script' && $_->[2] < 1200 && $_->[2] % 8 == 0 } @malloc;
	for my $of (\@malloc, \@rest) {
		push @chosen, splice @$of, $r->below(scalar @$of), 1 for 1 .. ($faults / 2 < @$of ? $faults / 2 : @$of);
	}
}

if (small() && !defined $ENV{CASE}) {
	my %of;
	push @{$of{$_->[1]}}, $_ for @chosen;
	@chosen = map { my $of = $_; map { splice @$of, $r->below(scalar @$of), 1 } 1 .. $faults / 6 } @of{sort keys %of};
}

my @pids;
my $workers = $ENV{WORKERS} // 2;
for my $w (0 .. $workers - 1) {
	push @pids, fork // die "fork: $!\n";
	next if $pids[-1];
	$dir = "$dir/w$w";
	provide($dir);
	open my $out, '>', "$dir/wrong" or POSIX::_exit(1);
	my @mine = @chosen[grep { $_ % $workers == $w } 0 .. $#chosen];
	while (my @batch = splice @mine, 0, 8) {
		my @r = runs(@batch);
		for my $i (0 .. $#batch) {
			my ($job, $call, $n, $errno) = @{$batch[$i]};
			my $wrong = wrong($r[$i], $whole{"@$job"}, $job->[1], $call, $errno);
			$wrong = "exit $r[$i]{exit}" if !defined $wrong && defined $ENV{CASE};
			print $out "@$job $call:$n:$errno ($name{$errno}) ",
				"asked by '$r[$i]{asked}', ended by '$r[$i]{ended}': $wrong: ",
				substr($r[$i]{err} =~ s/[^\x20-\x7e]/|/gr, 0, 300), "\n" if defined $wrong;
		}
	}
	close $out;
	POSIX::_exit(0);
}
is((reap($_))[0], 0, 'a worker has come to its end (else: faults are not tried)') for @pids;
my @said = map { split /\n/, slurp("$dir/w$_/wrong") } 0 .. $workers - 1;
for my $call (sort keys %how) {
	my $n = grep { $_->[1] eq $call } @chosen;
	my @bad = $n || defined $ENV{CASE} ? grep { /^\S+ \S+ $call:/ } @said
		: 'there is no such call: the shim does not see it';
	is(scalar @bad, 0, "$call: $n times one fails (else: a fault passes in silence, or ends the program badly)")
		or diag(join "\n", @bad[0 .. ($#bad < 25 || $faults eq 'all' ? $#bad : 25)]);
}
note(scalar(@chosen), ' of ', scalar(@all), ' faults, seed ', $seed);

done_testing();
