# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compare::RealData: finds real recordings and the text that other programs printed for them, runs the programs under
# test on them, and reports the first difference of two texts.  Core Perl only.

package Compare::RealData;
use strict;
use warnings;
use Cwd ();
use File::Basename ();
use File::Find ();
use File::Temp ();
use Files ();
use Compare::ReportLine;
use Compare::TextChanges ();
use Run::Process;

my $root = Cwd::abs_path(File::Basename::dirname(__FILE__) . '/../../..');
my $tmp = File::Temp->newdir;
my $serial = 0;

# The checkout's root, and this repository's own recordings.
sub root { return $root }
sub own  { return "$root/t/data" }

# The output of zedprint with ARGS, and how the run ended.
sub zedprint {
	my (@args) = @_;
	my $run = run('zedprint', @args);
	my $out = slurp($run->{out});
	unlink $run->{out};
	return ($out, $run);
}

# A file of this test run's own, removed at its end.
sub temp { return "$tmp/" . ++$serial }

# The directory of the full recordings, or undef.
sub shared {
	my $dir = ($ENV{ZED_SHARED} || "$root/../shared") . '/data';
	return -d $dir ? Cwd::abs_path($dir) : undef;
}

# Why the tests of the full recordings cannot run, or undef.
sub no_shared {
	return defined shared() ? undef
		: 'no full recordings here: set ZED_SHARED to the directory that holds data/';
}

# All recordings under a directory, sorted.
sub recordings {
	my ($dir) = @_;
	my @found;
	my $wanted = sub { push @found, $_ if /\.dat\z/ && -f };
	File::Find::find({ no_chdir => 1, wanted => $wanted }, $dir);
	return sort @found;
}

# Of each folder the smallest of these files that has 8 KiB or more: for a small pass.
sub one_each {
	my (%of, @all);
	for my $path (sort { -s $a <=> -s $b || $a cmp $b } @_) {
		push @all, $path if -s $path >= 8192 && !$of{File::Basename::dirname($path)}++;
	}
	return sort @all;
}

# Recordings of all kinds that are large enough for models in plain Perl, and not too large: [name, arguments of a
# program that reads it], of the shared recordings, which may be missing.  Each has less than 200,000 events.
sub large {
	my $dir = shared() // return;
	return grep { -e $_->[-1] } map { [$_->[0], @$_[2 .. $#$_], "$dir/$_->[1]"] }
		['big', 'amd64-big/a11_big_zstd.dat', '--end', '+0.1s'], ['trappy', 'third-party/trappy_raw_trace.dat'], ['s390x', 's390x/b04_v6.dat'],
		['smp16', 'amd64-smp16/a12_smp16_offline3_7.dat'], ['rt', 'amd64-rt/a13_rt_sched.dat'], ['lost', 'amd64-lost/a08_lost_b8.dat', '--end', '+0.05s'],
		['ltt', 'ltt-g1', '--end', '+3s'], ['perf', 'perf/p2_rawsys_g.data'];
}

# The path of X.dat.KIND.txt, plain or packed; undef where there is none.
sub reference {
	my ($dat, $kind) = @_;
	-e and return $_ for map { "$dat.$kind.txt$_" } '', '.zst', '.gz';
	return undef;
}

sub have_zstd {
	return scalar grep { -x "$_/zstd" } split /:/, $ENV{PATH};
}

# Why a reference cannot be read here, or undef.
sub no_reader {
	my ($path) = @_;
	return $path =~ /\.zst\z/ && !have_zstd() ? 'no zstd tool: apt-get install zstd' : undef;
}

# A reference, unpacked, as a handle that reads lines.
sub ref_open {
	my ($path) = @_;
	my $fh;
	no warnings 'once';
	if ($path =~ /\.zst\z/) {
		open $fh, '-|', 'zstd', '-dcq', $path or die "zstd: $!\n";
	} elsif ($path =~ /\.gz\z/) {
		require IO::Uncompress::Gunzip;
		$fh = IO::Uncompress::Gunzip->new($path)
			or die "$path: $IO::Uncompress::Gunzip::GunzipError\n";
		return $fh;
	} else {
		open $fh, '<', $path or die "$path: $!\n";
	}
	binmode $fh;
	return $fh;
}

# The bytes of a reference, unpacked.
sub slurp {
	my ($path) = @_;
	return Files::slurp($path) if $path !~ /\.(?:zst|gz)\z/;
	my $fh = ref_open($path);
	local $/;
	my $text = <$fh>;
	return defined $text ? $text : '';
}

# The programs are in the root, or in ZED_BIN_DIR (a sanitizer build, an installed one).
sub program {
	my ($name) = @_;
	return ($ENV{ZED_BIN_DIR} || $root) . "/$name";
}

# A program that is not built is a failure, not a reason to skip.
sub need_program {
	my ($name) = @_;
	die program($name) . " is not there: run make first\n" unless -x program($name);
}

# Runs a program with stdin empty: {out => path, err => text, exit => status, sig => signal}.
sub run {
	my ($name, @args) = @_;
	my ($out, $err) = (temp(), temp());
	my $child = sub { delete $ENV{TRACE_CMD_PLUGIN_DIR} };
	my ($status) = reap(spawn({ stdout => $out, stderr => $err, env => { LC_ALL => 'C', TZ => 'UTC' }, child => $child }, program($name), @args));
	return { out => $out, err => Files::slurp($err), exit => $status >> 8, sig => $status & 127 };
}

# One line about a run that failed, or undef.
sub failure {
	my ($run) = @_;
	return undef unless $run->{exit} || $run->{sig};
	my $how = $run->{sig} ? "signal $run->{sig}" : "exit $run->{exit}";
	return "$how: " . (split /\n/, $run->{err} || 'nothing on stderr')[0];
}

# The first difference of two texts: undef, or "line N: expected ..., got ...". $keep, if given, gets each line (of
# either) and returns the part of it to compare: a string, or undef for nothing.
sub differ {
	my ($want, $got, $keep) = @_;
	return undef if !$keep && $want eq $got;
	my @want = split /^/, $want;
	my @got = split /^/, $got;
	my ($w, $g) = (0, 0);
	while (1) {
		my ($a, $b);
		if ($keep) {
			$a = $keep->($want[ $w++ ]) while $w < @want && !defined $a;
			$b = $keep->($got[ $g++ ]) while $g < @got && !defined $b;
		} else {
			$a = $want[ $w++ ] if $w < @want;
			$b = $got[ $g++ ] if $g < @got;
		}
		return undef if !defined $a && !defined $b;
		next if defined $a && defined $b && $a eq $b;
		for ($a, $b) {
			$_ = defined $_ ? "\"$_\"" : 'the end';
			s/\n/\\n/g;
		}
		return "line $w: expected $a\n  line $g: got      $b";
	}
}

# The record line of a report in any of its shapes: (cpu, time, event name), or nothing for other lines: "cpus=N",
# EVENTS DROPPED, stack entries, a further line of a text.
sub record {
	my ($head, undef, $time, $name) = report_line($_[0]) or return;
	return ($head =~ /(\d+)\]\z/, $time =~ /([\d.]+)/, $name);
}

# The size of a long of the traced machine: the byte after the version in the head of a trace.dat.
sub long_size {
	my ($dat) = @_;
	open my $fh, '<:raw', $dat or die "$dat: $!\n";
	read $fh, my $head, 64;
	return $head =~ /\A\x17\x08\x44tracing[^\0]*\0[\0\1]([\4\10])/s ? ord $1 : 8;
}

# The output of zedprint -f report ARGS, or why it failed.  The last answer is cached.
my @printed = ('');
sub printed {
	my $args = join "\0", @_;
	return @printed[1, 2] if $printed[0] eq $args;
	my $run = run('zedprint', '-f', 'report', @_);
	@printed = ($args, slurp($run->{out}), failure($run));
	unlink $run->{out};
	return @printed[1, 2];
}

# Runs zedprint -f report; undef, or where it differs from that of KIND (report, report340, ...) in the file $ref,
# beyond the table of known differences.
sub report_differs {
	my ($dat, $ref, $kind, @options) = @_;
	my ($text, $bad) = printed(@options, $dat);
	return $bad // Compare::TextChanges::report_differs($kind, $text, slurp($ref), 8 * long_size($dat));
}

# From a raw report: ({event name => records}, {cpu => {lost => sum, unknown => times}}).
sub raw_counts {
	my ($path) = @_;
	my (%n, %lost);
	my $fh = ref_open($path);
	while (defined(my $line = <$fh>)) {
		if ($line =~ /CPU:(\d+) \[(?:(\d+) )?EVENTS DROPPED\]/) {
			defined $2 ? ($lost{ $1 + 0 }{lost} += $2) : $lost{ $1 + 0 }{unknown}++;
			next;
		}
		my (undef, undef, $name) = record($line) or next;
		$n{$name}++;
	}
	return (\%n, \%lost);
}

1;
