# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::EngineStandins: hadoop and spark-submit as far as docs/fleet/streaming.md uses them, made from the documents of
# Hadoop streaming and of PySpark's RDD.pipe: which process gets which lines, which attempts are repeated, and what
# becomes of their lines.
package Run::EngineStandins;
use strict;
use warnings;
use Exporter 'import';
use Run::Program qw(spew);

our @EXPORT = qw(standins);

# hadoop fs -put, fs -cat; hadoop jar: map tasks of N lines with their offsets, each in an empty folder with the files
# of -files; a failed one again, up to four times, the second one twice (speculation); combiner; partition by key, sort,
# reducer; a line without a tab gets one.
my $HADOOP = <<'END';
#!/usr/bin/perl
use strict;
use warnings;
use File::Copy ();
use File::Path ();
my $root = $ENV{STANDIN_DIR} . '/hdfs';
mkdir $root;
sub lines { my ($file) = @_; open my $fh, '<:raw', $file or die "$file: $!\n"; return <$fh> }
sub put { my ($file, @lines) = @_; open my $fh, '>:raw', $file or die "$file: $!\n"; print $fh @lines; return close $fh }
my ($what, @args) = @ARGV;
if ($what eq 'fs' && $args[0] eq '-put') { exit(File::Copy::copy($args[1], "$root/$args[2]") ? 0 : 1) }
if ($what eq 'fs' && $args[0] eq '-cat') { print map { lines($_) } sort glob "$root/$args[1]"; exit 0 }
die "hadoop: $what @args\n" if $what ne 'jar' || shift @args ne 'hadoop-streaming.jar';
my (%d, %o);
while (@args) {
	my $name = shift @args;
	my $value = shift @args // die "hadoop: $name\n";
	if ($name eq '-D') { my ($k, $v) = split /=/, $value, 2; $d{$k} = $v } else { $o{$name} = $value }
}
die "hadoop: -inputformat\n" if $o{-inputformat} ne 'org.apache.hadoop.mapred.lib.NLineInputFormat';
die "hadoop: the output is there already\n" if -e "$root/$o{-output}";
my $tasks = 0;
# One attempt of a task: the output of COMMAND for LINES, or nothing and its status.
sub attempt {
	my ($command, @lines) = @_;
	my $at = "$root/task." . ++$tasks;
	File::Path::make_path($at);
	File::Copy::copy($_, $at) for split /,/, $o{-files} // '';
	put("$at/.in", @lines);
	my $status = system "cd $at && $command < .in > .out";
	return ($status, lines("$at/.out"));
}
sub task {
	my (@of) = @_;
	for (1 .. 4) {
		my ($status, @out) = attempt(@of);
		return @out if !$status;
		warn "hadoop: a task failed ($status)\n" if $_ == 4;
	}
	exit 1;
}
sub key { return $_[0] =~ /\A([^\t\n]*)/ ? $1 : '' }
sub sorted { return sort { key($a) cmp key($b) } @_ }
my ($offset, @slice, @maps) = (0);
my @in = lines("$root/$o{-input}");
while (my @some = splice @in, 0, $d{'mapreduce.input.lineinputformat.linespermap'} // 1) {
	my @given = map { my $line = "$offset\t$_"; $offset += length; $line } @some;
	push @maps, [task($o{-mapper}, @given)];
	push @maps, [task($o{-mapper}, @given)] if @maps == 2;
}
@maps = map { [task($o{-combiner}, sorted(@$_))] } @maps if $o{-combiner};
mkdir "$root/$o{-output}";
for my $r (0 .. ($d{'mapreduce.job.reduces'} // 1) - 1) {
	my @mine = grep { unpack('%31C*', key($_)) % ($d{'mapreduce.job.reduces'} // 1) == $r } map { @$_ } @maps;
	put(sprintf("$root/$o{-output}/part-%05d", $r), map { /\t/ ? $_ : s/\n/\t\n/r } task($o{-reducer}, sorted(@mine)));
}
END

# pyspark with SparkContext, parallelize, pipe, coalesce, collect. A partition is a list of elements.
my $PYSPARK = <<'END';
import shlex, subprocess

class RDD:
    def __init__(self, parts):
        self.parts = parts

    def pipe(self, command, env=None, checkCode=False):
        out = []
        for part in self.parts:
            for attempt in range(4):
                text = ''.join(str(x).rstrip('\n') + '\n' for x in part)
                p = subprocess.run(shlex.split(command), input=text.encode(), stdout=subprocess.PIPE)
                if p.returncode == 0 or not checkCode:
                    break
            else:
                raise RuntimeError('Pipe function `%s` exited with error code %d' % (command, p.returncode))
            out.append(p.stdout.decode().split('\n')[:-1])
        return RDD(out)

    def coalesce(self, n):
        n = min(n, len(self.parts))
        return RDD([sum(self.parts[i::n], []) for i in range(n)])

    def collect(self):
        return sum(self.parts, [])

class SparkContext:
    def __init__(self, appName=None):
        pass

    def parallelize(self, values, n):
        return RDD([values[len(values) * i // n:len(values) * (i + 1) // n] for i in range(n)])
END

# Put them into DIR/bin.
sub standins {
	my ($dir) = @_;
	spew("$dir/bin/hadoop", $HADOOP =~ s/\A#!\S+/#!$^X/r);
	mkdir "$dir/python";
	spew("$dir/python/pyspark.py", $PYSPARK);
	my ($python) = grep { -x } '/usr/bin/python3', map { "$_/python3" } split /:/, $ENV{PATH};
	spew("$dir/bin/spark-submit", "#!/bin/sh\nPYTHONPATH=$dir/python PYTHONDONTWRITEBYTECODE=1 exec $python \"\$@\"\n") if $python;
	chmod 0755, "$dir/bin/hadoop", "$dir/bin/spark-submit";
	return $python;
}

1;
