# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compare::Stock: the output of the packaged trace-cmd for a file, for tests that compare with it.  The text has one
# form for any installed version: that of 3.1.6, without the flags column.
#
#	plan skip_all => stock_missing() if stock_missing();
#	my $text = stock_text($dat, '-R', '-t');
#	my $diff = stock_differs($dat, $ours);	# of -f report, flags and all
package Compare::Stock;
use strict;
use warnings;
use Exporter 'import';
use Cwd ();
use Test::More ();
use Compare::ReportLine;
use Compare::TextChanges ();

our @EXPORT = qw(stock_missing stock_text stock_normal stock_count stock_differs stock_peer);

# Why there is nothing to compare with, or undef.
sub stock_missing {
	return undef if grep { -x "$_/trace-cmd" } split /:/, $ENV{PATH} // '';
	return 'no trace-cmd to compare with: apt-get install trace-cmd';
}

# A line, or several, of any version's report in the form of 3.1.6.  Since 3.3 -R shows a function as "name (0xaddr)",
# or " (0xaddr)" where it has no name; before, as the name or else the address.
sub stock_normal {
	my ($text) = @_;
	return $text =~ s{^(.+)$}{
		my ($head, $flags, $rest) = report_flags($1);
		$rest =~ s/=([\w.+]*) \((0x[0-9a-f]+)\)(?=\s|\z)/'=' . (length $1 ? $1 : $2)/ge if $flags && $flags =~ m{^-};
		defined $head ? $head . $rest : $1;
	}gemr;
}

sub report {
	my ($dat, @options) = @_;
	open my $fh, '-|', 'sh', '-c', 'exec trace-cmd report "$@" 2>/dev/null', 'sh', @options,
		map { ('-i', $_) } ref $dat ? @$dat : $dat or die "trace-cmd: $!\n";
	return $fh;
}

# [the version of the installed trace-cmd, that of the libtraceevent that it uses].
my $peer;
sub stock_peer {
	return $peer if $peer;
	my ($tracecmd) = `trace-cmd --version 2>&1` =~ /version (\d+(?:\.\d+)+)/ or die "trace-cmd: no version\n";
	my ($library) = map { m{ => (\S*/libtraceevent\.so\S*)} ? Cwd::abs_path($1) : () }
		split /\n/, `ldd "\$(command -v trace-cmd)"`;
	my ($version) = ($library // '') =~ /\.so\.(\d+(?:\.\d+)+)\z/ or die "trace-cmd: no libtraceevent\n";
	return $peer = [$tracecmd, $version];
}

# Undef, or where OURS, the output of -f report for DAT (or several files), differs from that of trace-cmd report.
# BITS: of the traced machine, default 64.
sub stock_differs {
	my ($dat, $ours, $bits) = @_;
	return Compare::TextChanges::report_differs(stock_peer(), $ours, raw_text($dat), $bits);
}

# The text of "trace-cmd report OPTIONS -i DAT", or of several files.  In one of some 300 runs on the same file,
# trace-cmd 3.1.6 prints the first time without its point (106439675570920: for 106439.675571:), which matches no
# pattern here; in fewer, nothing that a caller finds, though it ends well.  A text that is odd, without a time as it
# was asked for, is taken if the next one is the same.  Dies if none are, as there is nothing to compare with.
sub stock_text { return stock_normal(raw_text(@_)) }

sub raw_text {
	my ($dat, @options) = @_;
	my $what = join ' ', 'trace-cmd report', @options, ref $dat ? @$dat : $dat;
	my $time = grep({ $_ eq '-t' } @options) ? qr/\d\.\d{9}: / : qr/\d\.\d{6}: /;
	my $before;
	for (1 .. 5) {
		my $fh = report($dat, @options);
		my $text = do { local $/; <$fh> } // '';
		close $fh or die "$what: wait status $?\n";
		my $is_odd = $text =~ /^.*\] \S* *\d+: /m || $text !~ $time;
		return $text if !$is_odd || defined $before && $text eq $before;
		$before = $text;
	}
	die "$what: five answers, no two the same\n";
}

# The number of records among its lines; undef if there is no trace-cmd.  For recordings too long to be kept in memory.
sub stock_count {
	my ($dat) = @_;
	return undef if stock_missing();
	my $fh = report($dat);
	my $n = 0;
	while (<$fh>) {
		$n++ if report_flags($_);
	}
	return $n;
}

1;
