# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::Docs: the commands in the pages and manuals, and how they are run: in a folder with the files that the pages
# mention, with the programs under test.
#
# A command follows "$ " in a ```console block, and the lines below it, up to the next one, are its output: "..." alone
# in a line matches any lines.  In an ```sh block and in POD's verbatim paragraphs a command is a line that begins with
# one of the words of @WORDS, and its output is not shown; one with a placeholder (SCRIPT, ...) is not a command.  A
# command continues while its quotes are open or its line ends in a backslash.  A block of code below a line that ends
# in `FILE`:, and the verbatim paragraphs of POD after "=for file FILE", are that file, from there on.  In a .txt the
# commands stand in a second column.
package Run::Docs;
use strict;
use warnings;
use Cwd ();
use File::Copy ();
use File::Path ();
use Time::HiRes ();
use Compare::DatRead;
use Files;
use Run::Process;
use Write::Ctf qw(ctf_head ctf_packets ctf_write);
use Write::PerfOfDat;
use Write::Ros2;

our @WORDS = qw(zedperl zedpython zedprint zedtrace trace-cmd perf ssh cat mkdir);

# The files that the pages mention: NAME => path in the checkout, or what makes it.
my %common = map { $_->[1] => $_->[0] } ['docs/shell.dat', 'trace.dat'], ['docs/shell.dat', 'before.dat'], ['t/data/demo.dat', 'after.dat'],
	['t/data/demo.dat', 'old.dat'], ['docs/shell.dat', 'new.dat'], ['t/data/block.dat', 'block.dat'], ['t/data/ltt-g1', 'tracedir'],
	['t/data/perf/sched.data', 'perf.data'], ['t/data/armhf_zstd.dat', 'old-arm.dat'], ['t/data/small_v7_zstd.dat', 'today.dat'],
	['scripts/countall.pl', 'countall.pl'], ['scripts/printall.pl', 'printall.pl'], ['scripts/workqueue.pl', 'workqueue.pl'],
	['scripts/wakeup-latency.pl', 'wakeup-latency.pl'], ['scripts/ltt-schedule.pl', 'ltt-schedule.pl'],
	['scripts/wakeup-latency.pl', 'latency.pl'], ['t/data/demo.dat', 'first.dat'], ['docs/shell.dat', 'second.dat'],
	['t/data/demo.dat', 'host1.dat'], ['docs/shell.dat', 'host2.dat'], ['docs/shell.dat', 'big.dat'],
	(map { ['scripts/countall.pl', $_] } qw(script.pl count.pl switches.pl));
# A trace of CTF.
$common{ctfdir} = sub {
	my ($path) = @_;
	return ctf_write($path, ctf_head() . "event { name = \"a:tick\"; id = 1; stream_id = 0; fields := struct { uint32_t _n; }; };\n",
		chan_0 => ctf_packets({}, { begin => 1, end => 9, events => [[1, 5, sub { $_[0]->int(7, 32) }]] }));
};

# A script of the reader's own, for zedpython.
$common{$_} = sub { return spew($_[0], "import zed\n\ndef trace_end():\n    pass\n") } for qw(latency.py syscall-counts.py);

# A trace of ROS 2.
$common{robot} = sub {
	my ($path) = @_;
	return ros2_trace($path, '100 0 10 callback_start 0x40 0 | 130 0 10 callback_end 0x40');
};

# The recording of the pages as perf writes it.
sub perf_of_all {
	my ($path) = @_;
	return perf_of_dat('docs/shell.dat', $path, events => qr/^(?:sched|raw_syscalls):/, arch => 'x86_64');
}

# The recording that a page is about, if it is not docs/shell.dat.
my %of = (
	'scripts/block.pl' => 't/data/block.dat', 'scripts/function-graph.pl' => 't/data/fgraph.dat',
	'docs/help.txt' => 't/data/all_events.dat', 'scripts/stacks.pl' => 't/data/stack.dat', 'scripts/ros2.pl' => 't/data/perf/forks_mono.data',
	(map { ("scripts/$_.pl" => 't/data/all_events.dat') } qw(kmem metrics net page-faults power)),
);

# Five runs of each side, for the pages about limits; nothing has changed between them.
my @runs = map { ("good$_.dat" => 'docs/shell.dat', "new$_.dat" => 'docs/shell.dat') } 1 .. 5;

# The pages: those of PAGES in the environment, else all; docs/python.md has a test of its own.
sub pages { return $ENV{PAGES} ? split ' ', $ENV{PAGES} : (grep { $_ ne 'docs/python.md' } 'README.md', glob 'docs/*.txt docs/*.md docs/*.pod scripts/*.pl lib/Zed/*.pm') }

# The files of PAGE.
sub files_of {
	my ($page) = @_;
	return (%common, $page =~ /\b(?:ci|compare)\./ ? @runs : (), $of{$page} ? ('trace.dat' => $of{$page}) : (), $page eq 'docs/coming-from.md' ? ('all.data' => \&perf_of_all) : ());
}

# ---- the contents of a page

my $PLACEHOLDER = qr/(?:^|[\s=])(?:\[(?![\"']).*|(?:FILE|NAME|ARG|N|SCRIPT|ANALYSIS|TRACE|DIR|EVENT|TOPIC)S?(?:\.\w+)?|\.\.\.)(?=[\s,;]|$)/;

sub open_quote {
	my ($cmd) = @_;
	$cmd =~ s/'[^']*'|"(?:[^"\\]|\\.)*"|\\.//gs;
	return $cmd =~ /['"]/ || $cmd =~ /\\\z/;
}

# The commands of LINES (from line AT on) that begin by RE: [{cmd, line, last}].  A comment after one is not part of it.
sub commands_of {
	my ($re, $at, @lines) = @_;
	my @found;
	for (my $i = 0; $i < @lines; $i++) {
		$lines[$i] =~ $re or next;
		my ($cmd, $from) = ($1, $i);
		next if $cmd =~ $PLACEHOLDER || $cmd =~ /\S {2,}(?!#)\S/ && !open_quote($cmd);	# a row of a table
		while (open_quote($cmd) || $cmd =~ /\\\z/) {
			last if $i == $#lines;
			$cmd .= "\n" . $lines[++$i];
		}
		push @found, { cmd => $cmd, line => $at + $from, last => $at + $i };
	}
	return @found;
}

# All of FILE, in order: {cmd, line, last, want: its output or undef} and {file, text}.
sub of_page {
	my ($file) = @_;
	my @lines = split /\n/, slurp($file);
	my $word = join '|', @WORDS;
	my ($pod, @found) = $file =~ /\.(?:pod|pm|pl)$/;
	if ($file =~ /\.txt$/) {
		return map { commands_of(qr{(?:^\s+|\S\s{2,})((?:$word) .*?)(?:\s{2,}.*)?$}, $_ + 1, $lines[$_]) } 0 .. $#lines;
	}
	my ($in_pod, $name) = (0);
	for (my $i = 0; $i < @lines; $i++) {
		if ($pod) {
			if ($lines[$i] =~ /^=\w/) {
				$in_pod = $lines[$i] !~ /^=cut/;
				$name = $lines[$i] =~ /^=for file (\S+)$/ ? $1 : undef;
			} elsif ($lines[$i] =~ /^\S/) {
				undef $name;
			}
			$in_pod && $lines[$i] =~ /^\s+\S/ or next;
			my $from = $i;
			$i++ while $i < $#lines && $lines[$i + 1] =~ /^\s+\S/;
			my @block = @lines[$from .. $i];
			my ($indent) = $block[0] =~ /^(\s+)/;
			if (defined $name) {
				my $text = join '', map { s/^$indent//r . "\n" } @block;
				if (@found && ($found[-1]{file} // '') eq $name) { $found[-1]{text} .= "\n$text" } else { push @found, { file => $name, text => $text } }
				next;
			}
			push @found, commands_of(qr{^\s+((?:\./)?(?:$word) .*)}, $from + 1, @block);
			next;
		}
		$lines[$i] =~ /^```(console|sh|perl|python)$/ or next;
		my ($kind, $from) = ($1, ++$i);
		$i++ while $i < @lines && $lines[$i] ne '```';
		my @block = @lines[$from .. $i - 1];
		if ($kind ne 'console' && $from > 2 && $lines[$from - 3] =~ /`([\w.-]+)`:?$/) {
			push @found, { file => $1, text => join "\n", @block, '' };
			next;
		}
		next if $kind =~ /^p/;
		my @in = commands_of($kind eq 'sh' ? qr{^((?:\./)?(?:$word) .*)} : qr/^\$ (.*)/, $from + 1, @block);
		if ($kind eq 'console') {
			for my $k (0 .. $#in) {
				my $end = $k < $#in ? $in[$k + 1]{line} - 1 : $from + @block;
				$in[$k]{want} = join '', map { "$_\n" } @lines[$in[$k]{last} .. $end - 1];
				$in[$k]{end} = $end;
			}
		}
		push @found, @in;
	}
	return @found;
}

# ---- where they run

my $said = 0;

# A folder with the files that pages mention: NAME => path of the checkout.
sub sandbox {
	my ($dir, %files) = @_;
	my $root = Cwd::getcwd();
	my $bin = Cwd::abs_path($ENV{ZED_BIN_DIR} // '.');
	File::Path::make_path("$dir/bin");
	for (qw(zedperl zedprint zedtrace), -x "$bin/zedpython" ? "zedpython" : ()) {
		symlink "$bin/$_", "$dir/bin/$_" or die "$dir/bin/$_: $!\n";
		symlink "$bin/$_", "$dir/$_" or die;
	}
	for (qw(docs scripts t lib)) {
		symlink "$root/$_", "$dir/$_" or die;
	}
	# ssh runs on this machine; the pager is cat.
	spew("$dir/bin/ssh", "#!/bin/sh\nshift\nexec sh -c \"\$*\"\n");
	spew("$dir/bin/less", "#!/bin/sh\nexec cat\n");
	chmod 0755, "$dir/bin/ssh", "$dir/bin/less";
	spew("$dir/Makefile", "all:\n\t\@true\n");
	restore($dir, %files);
	raw_pages($dir) if $files{'old.dat'};
	return $dir;
}

# In DIR, the files of a killed recorder: the pages of two CPUs as trace.dat.cpuN; old.dat has their formats.
my $raw;
sub raw_pages {
	my ($dir) = @_;
	$raw //= Compare::DatRead::dat_read('t/data/small_v7_none.dat')->{buffers}[0]{cpus};
	spew("$dir/trace.dat.cpu$_->{cpu}", $_->{bytes}) for @{$raw}[0, 1];
	return;
}

my %copied;	# path => a text that changes if it is no longer the copy

sub state_of {
	my ($path) = @_;
	return join ' ', (Time::HiRes::lstat($path))[1, 2, 7, 9];
}

# The files of the sandbox again, as a recording is called trace.dat as well.
sub restore {
	my ($dir, %files) = @_;
	my $root = Cwd::getcwd();
	for my $name (sort keys %files) {
		my $path = "$dir/$name";
		next if defined $copied{$path} && $copied{$path} eq state_of($path);
		File::Path::remove_tree($path);
		my $from = ref $files{$name} ? undef : "$root/$files{$name}";
		!defined $from ? $files{$name}->($path) : (-d $from ? system('cp', '-r', '--', $from, $path) == 0 : File::Copy::copy($from, $path)) or die "$name: cannot copy $from\n";
		$copied{$path} = state_of($path);
	}
	return;
}

sub is_live { return $_[0] =~ /\bzedtrace\b(?!.*--(?:convert|recover))|--live\b|\bperf record\b|\bzedperl top\b/s }

sub have { my ($word) = @_; return scalar grep { -x "$_/$word" } split /:/, $ENV{PATH} }

# May trace-cmd record here?
my $may_record;
sub may_record {
	return $may_record //= !system('trace-cmd record -o ' . temp_dir() . '/may.dat -e sched true >/dev/null 2>&1');
}

# A requirement of CMD, besides tracefs and root, that is missing; or undef.
sub lacks {
	my ($cmd) = @_;
	my ($missing) = grep { $cmd =~ /(?:^|[|;]\s*)$_\b/m && !have($_) } qw(jq trace-cmd perf gawk);
	return 'a session of LTTng' if $cmd =~ m{\blttng://};
	return 'zedpython' if $cmd =~ /\bzedpython\b/ && !-x ($ENV{ZED_BIN_DIR} // '.') . '/zedpython';
	return $missing // ($cmd =~ /\btrace-cmd record\b/ && !may_record() ? 'a trace-cmd record that may trace' : undef);
}

# Of the COMMANDS of a page: is each live, or does it read the output file of a live one?  Sets {live} and, for the
# latter, {reads}: the live one.
sub mark_live {
	my (@commands) = @_;
	my %wrote;
	for my $c (grep { defined $_->{cmd} } @commands) {
		my ($by) = map { $c->{cmd} =~ /(?:^|\s)\Q$_\E(?:\s|$)/ ? $wrote{$_} : () } sort keys %wrote;
		$c->{live} = is_live($c->{cmd}) || defined $by;
		$c->{reads} = $by if !is_live($c->{cmd});
		$wrote{$1} = $c if is_live($c->{cmd}) && $c->{cmd} =~ />\s*([\w.]+)$/;
	}
	return @commands;
}

# Is CMD a server, which runs until it is ended?
sub is_server { return $_[0] =~ /\bzedtrace -l\b/ }

# Run CMD in DIR, at most SECONDS, when it is killed: [status, output and messages].
sub run {
	my ($dir, $cmd, $seconds) = @_;
	my $job = start($dir, $cmd);
	# It serves until Ctrl-C.
	kill INT => $job->[0] if $cmd =~ /\bzedperl explore\b(?!.*--answer)/ && wait_until($seconds, sub { -e $job->[1] && slurp($job->[1]) =~ m{http://} });
	return finish($job, $seconds);
}

# Starts it, in a process group of its own; returns the argument for finish(): [pid, ...].
sub start {
	my ($dir, $cmd) = @_;
	my $out = "$dir/.said." . ++$said;
	my $pid = spawn({ stdout => $out, stderr => \*STDOUT, dir => $dir, group => 1,
		env => { PATH => "$dir/bin:$ENV{PATH}", TZ => 'UTC', LC_ALL => 'C' } }, 'bash', '-c', $cmd);
	return [$pid, $out];
}

sub finish {
	my ($pid, $out) = @{$_[0]};
	my ($status, $late) = reap($pid, $_[1]);
	kill KILL => -$pid if $late;
	return [$status & 127 ? 128 + ($status & 127) : $status >> 8, slurp($out)];
}

# Does GOT match WANT, in which "..." matches any lines?
sub fits {
	my ($got, $want) = @_;
	my $re = join '', map { $_ eq "...\n" ? '(?:.*\n)*?' : quotemeta } $want =~ /^.*\n/mg;
	return $got =~ /\A$re\z/;
}

1;
