# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compare::Export: the view that a script has of a recording and of its export, and the contents of the export by the
# independent reader, all as the same lines.
#
#	export($to, "$data/demo.dat");
#	my ($want) = dump_of("$data/demo.dat");		# those of dump_of($to), and of dump_parsed(Write::StableFile::parse(slurp($to)))
package Compare::Export;
use strict;
use warnings;
use Exporter 'import';
use Files;
use Run::Program qw(zed_run);

our @EXPORT = qw($SHOW @NAMES show dump_script dump_of dump_parsed export);

# How both sides write a value.
our $SHOW = <<'EOT';
sub show {
	return join ' ', map { my $v = $_; !defined $v ? 'undef' : ref $v ? "[@$v]"
		: $v =~ s/([^\x21-\x7e])/sprintf '\\%02x', ord $1/ger } @_;
}
EOT
eval $SHOW . 1 or die $@;

# The events of the catalogue, and a script without conditionals for all of them: everything known about each.
our @NAMES = map { slurp($_) =~ /^event\s+(\S+)/mg } glob 'stable/*.stable';
my $script;
sub dump_script {
	return $script //= spew(temp_dir() . '/all.pl', $SHOW . "BEGIN { for my \$e (qw(@NAMES)) {\n" . <<'EOT');
	no strict 'refs';
	*{$e} = sub {
		my ($cpu, $secs, $nsecs, $seq) = splice @_, 0, 4;
		print "$e cpu=$cpu time=$secs.$nsecs seq=$seq pid=", Zed::pid(), ' ', show(Zed::comm(),
			Zed::instance(), Zed::lost(), @_), "\n";
	};
} }
sub trace_lost { print 'lost ', show(@_), "\n" }
EOT
}

sub dump_of {
	my ($file, @more) = @_;
	my $r = zed_run({ time => 60 }, 'zedperl', @more, $file, dump_script());
	return ($r->{out}, $r);
}

# The same lines, except for losses, from the independent reader.
sub dump_parsed {
	my ($f) = @_;
	my $out = '';
	for my $r (@{$f->{records}}) {
		my $s = $f->{streams}[$r->{stream}];
		my ($secs, $nsecs) = (int($r->{time} / 1_000_000_000), $r->{time} % 1_000_000_000);
		my $comm = $r->{pid} ? $r->{comm} // '<...>' : '<idle>';
		my $lost = $r->{lost} // 0;
		$out .= "$r->{event} cpu=$s->{cpu} time=$secs.$nsecs seq=$r->{sequence} pid=$r->{pid} "
			. show($comm, $s->{buffer}, $lost eq 'some' ? undef : $lost, @{$r->{values}}) . "\n";
	}
	return $out;
}

sub export {
	my ($to, @args) = @_;
	return zed_run({ time => 60 }, 'zedperl', '--export', $to, @args);
}

1;
