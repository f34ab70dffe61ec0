# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compare::ReportLine: the parts of a record's line, as printed by every version of trace-cmd report, and by zedprint -f
# report and -f kernel.  Losses, stacks, headers and further lines of a text are other lines.
#
#	my ($head, $flags, $time, $name, $gap, $text) = report_line($line) or next;
#	# '   sh-31    [000]', ' dNh2.', '     7.132461: ', 'sched_wakeup', ':         ', 'sh:31 [120] CPU:000'
package Compare::ReportLine;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(report_line report_flags report_without_flags);

# The column that 3.3 added between CPU and time: "dNh2." (interrupts off, reschedule, context, preemption and migration
# depth), with -R the same as a number.  Before, it was '' there.
my $LETTERS = qr/ [.dDbBX][.NnplLbB][.hHsSzZ][.0-9a-f]{2,3}+/;
my $FLAGS = qr/$LETTERS|-0x[0-9a-f]++|/;
my $LINE = qr/^(.*?-\d+ +\[\d+\])($FLAGS)( *\d+(?:\.\d+)?: )(\S+?)(: +)(.*)$/s;

# All parts, whose concatenation is the line, or nothing.
sub report_line { return $_[0] =~ $LINE }

# The head and the flags alone, also of a line whose event has no name (sys_enter in the kernel's text); what follows.
sub report_flags { return $_[0] =~ /^(.*?-\d+ +\[\d+\])($FLAGS)( *\d+(?:\.\d+)?: .*)$/s }

# A text, lines of all kinds, as it was before 3.3.
sub report_without_flags { return $_[0] =~ s/^(.*?-\d+ +\[\d+\])$LETTERS( *\d+(?:\.\d+)?: \S+?: )/$1$2/gmr }

1;
