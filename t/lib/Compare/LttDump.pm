# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compare::LttDump: the script that the tests of LTT traces run under zedperl: every event on a line, with each value in
# the form that shows its Perl type: 7, "text", LABEL(7) of a value that is both, [a list], {a hash, sorted}.
package Compare::LttDump;
use strict;
use warnings;
use Run::Program;

our $SCRIPT = <<'END';
use strict;
use warnings;
use B;
use Zed;
sub shown {
	my ($v) = @_;
	return 'undef' if !defined $v;
	return '[' . join(',', map { shown($_) } @$v) . ']' if ref $v eq 'ARRAY';
	return '{' . join(',', map { "$_=" . shown($v->{$_}) } sort keys %$v) . '}' if ref $v eq 'HASH';
	my $flags = B::svref_2object(\$v)->FLAGS;
	my $number = $flags & (B::SVf_IOK | B::SVf_NOK);
	return "$v(" . ($v + 0) . ')' if $number && $flags & B::SVf_POK;
	return $number ? "$v" : '"' . $v =~ s/([^\x20-\x7e]|\\)/sprintf '\\x%02x', ord $1/ger . '"';
}
sub trace_unhandled {
	my ($event, $cpu, $secs, $nsecs, $sequence) = @_;
	my @f = Zed::fields();
	my @shown;
	while (my ($name, $value) = splice @f, 0, 2) { push @shown, "$name=" . shown($value) }
	print "$event $cpu ", $secs * 1_000_000_000 + $nsecs, " $sequence @shown\n";
}
sub trace_lost { print "lost $_[0] ", $_[1] // '?', "\n" }
END

my $path;
sub script {
	return $path if $path;
	$path = zed_tmp() . '/dump.pl';
	open my $fh, '>', $path or die "$path: $!\n";
	print $fh $SCRIPT;
	close $fh or die "$path: $!\n";
	return $path;
}

# The line of an event, with the fields as [NAME => shown].
sub line { my ($event, $cpu, $ts, $seq, $fields) = @_; return "$event $cpu $ts $seq $fields" }

1;
