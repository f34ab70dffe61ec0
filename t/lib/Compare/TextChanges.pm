# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compare::TextChanges: where the text of -f report differs from that of trace-cmd report.  Ours is the same everywhere;
# each version of trace-cmd and of libtraceevent has its own.  One table of the known differences, and which of the two
# is right; everything else has to be equal.
#
#	my $diff = report_differs('report340', $ours, $theirs);
#	is_deeply([changes_unused('report340', 't/data')], [], '...');
package Compare::TextChanges;
use strict;
use warnings;
use Exporter 'import';
use Compare::ReportLine;

our @EXPORT = qw(report_differs report_as changes_unused);

# The peers: those of the references X.dat.KIND.txt, and any [trace-cmd's version, libtraceevent's].
my %PEERS = (report => ['3.1.6', '1.7.1'], report331t => ['3.3.1', '1.8.4'], report340 => ['3.4.0', '1.9.0']);

# event; why, and a recording that shows it; below, the first version of which part no longer has it (none: all known
# versions have it); bits, of the traced machine; kept, the only kind of reference that the recording has.  Then one of:
# ours, from our text of the event to theirs, or theirs, from theirs to the part that ours can have; our_lines and
# their_lines, the same of all lines.  Each maps one text to one text, so that an error in ours does not become theirs.
my @CHANGES = (
	# ---- the line
	{
		event => '*', below => ['trace-cmd', '3.3'], witness => 't/data/demo.dat',
		why => 'no flags column', our_lines => \&report_without_flags,
	},
	{
		event => 'print', witness => 't/data/function_stack.dat',
		why => 'a newline in what a task wrote begins a line, which may look like any event', their_lines => \&one_line_each,
	},

	# ---- the kernel prints more, or something else
	{
		event => 'sched_switch', witness => 't/data/demo.dat',
		why => 'the + of a task that was preempted is left out', ours => sub { $_[0] =~ s/(?<=\] )R\+(?= ==> )/R/r },
	},
	{
		event => 'hrtimer_init', witness => 't/data/demo.dat',
		why => 'names of enumerators in a table are not known, and taken for 0',
		ours => sub { $_[0] =~ s/ mode=\K(?:(ABS|REL)((?:\|(?:PINNED|SOFT|HARD))*)$)?/$1 ? mode($1, $2) : 'no names: '/er },
	},
	{
		event => 'timer_start', witness => 't/data/demo.dat',
		why => 'a mask of enumerators is not applied: all flags are set',
		ours => sub { $_[0] =~ s/ flags=\K(?:D?\|?P?\|?I?)$/D|P|I/r },
	},
	{
		event => qr/mm_page_\w+/, witness => 't/data/misc.dat',
		why => 'the address of a page is made up: only the traced kernel knew where its array begins',
		theirs => sub { $_[0] =~ s/^page=\K(?:0x[0-9a-f]+|\(nil\))(?= pfn=)/?/r },
	},
	{
		event => 'mm_page_alloc_extfrag', witness => 'amd64-big/a11_big_zstd.dat', kept => 'report',
		why => 'fallback_order < pageblock_order is given as fallback_order',
		ours => sub { $_[0] =~ s/ fallback_order=(\d+) .* fragmenting=\K[01](?= )/$1/r },
	},
	{
		event => qr/jbd2_(?:checkpoint|run)_stats/, witness => 'amd64-full/a10_block.dat',
		why => 'jiffies as milliseconds: only the traced kernel knew its HZ',
		ours => sub {
			$_[0] =~ s{\b(chp_time|wait|request_delay|running|locked|flushing|logging) (?:jiffies_to_msecs\((\d+)\))?}{
				"$1 " . ($2 // 'no jiffies: ')}ger },
	},
	{
		event => qr/writeback_single_inode(?:_start)?/, witness => 't/data/block.dat',
		why => 'a difference of 32 bit numbers that wraps is taken for one of 64 bits: 73786976... seconds',
		theirs => sub { $_[0] =~ s/ age=\K73786976\d{9}(?= )/0/r },
	},
	{
		event => 'tlb_flush', witness => 'amd64-kt2/a15_kt_misc.dat',
		why => 'reason 4, which Linux 4 added, has no name', ours => sub { $_[0] =~ s/ reason=\Kremote ipi send(?= \(4\)$)//r },
	},
	{
		event => qr/sys_exit|tlb_flush/, bits => 32, witness => 't/data/armhf_zstd.dat',
		why => 'negative numbers of 32 bits, printed by %ld, have no sign',
		theirs => sub { $_[0] =~ s/^(?:NR|pages=)\K( ?)(\d+)/$1 . extend($2)/er =~ s/^NR \S+ = \K(\d+)$/extend($1)/er },
	},
	{
		event => 'tpk_ints', witness => 't/data/tpk_ints.dat',
		why => 'fields of 8 and 16 bits have no sign',
		ours => sub { $_[0] =~ s/\bb8=\K(-?\d+)/unsigned(8, $1)/er =~ s/\bb16=\K(-?\d+)/unsigned(16, $1)/er },
	},
	{
		event => 'tpk_ints', witness => 't/data/tpk_ints.dat',
		why => 'a negative number is shifted right as if it had no sign',
		ours => sub { $_[0] =~ s/ expr=-\d+$/ expr=?/r }, theirs => sub { $_[0] =~ s/ expr=-1073\d{6}$/ expr=?/r },
	},
	{
		event => 'tpk_rel', witness => 't/data/tpk_rel.dat',
		why => 'a field of 16 bits has no sign', ours => sub { $_[0] =~ s/\btail=\K(-?\d+)$/unsigned(16, $1)/er },
	},
	{
		event => 'openat2', witness => 't/data/dynevents.dat',
		why => 'an array of words in an array of a probe: all are 0',
		ours => sub { $_[0] =~ s/ u=\K\{[\d,]+\}/{0,0,0,0}/r },
	},

	# ---- older libraries
	{
		event => 'sched_switch', below => ['libtraceevent', '1.8'], witness => 't/data/demo.dat',
		why => 'state 0x80 is I (idle) as the print format says; the list in the library is of older kernels: W (waking)',
		ours => sub { return states($_[0], sub { $_[0] =~ tr/IW/WI/r }) },
	},
	{
		event => 'sched_switch', below => ['libtraceevent', '1.8'], witness => 't/data/demo.dat',
		why => 'states 0x10 and 0x20 are X and Z; up to Linux 4.13 and in the list of the library they are Z and X',
		ours => sub { return states($_[0], sub { $_[0] =~ tr/XZ/ZX/r }) },
	},
	{
		event => qr/tpk_arrays|said/, below => ['libtraceevent', '1.8'], witness => 't/data/tpk_arrays.dat',
		why => '__print_array is {0x0,0x1} as in the kernel, not 0 1',
		ours => sub { return $_[0] =~ s{\b(words|longs|halves|ints|quads|sints|v)=(?:\{([0-9a-fx,]*)\})?}{
			"$1=" . (defined $2 ? numbers($2) : 'no braces: ')}ger },
	},
	{
		event => qr/ma_(?:read|write)/, below => ['libtraceevent', '1.9'], witness => 't/data/all_events.dat',
		why => 'the print format cannot be parsed: raw fields, which have no names of functions',
		ours => \&maple, theirs => sub { $_[0] =~ s/^\[FAILED TO PARSE\] fn=\K0x[0-9a-f]+(?= )/?/r },
	},
);

# REL|HARD as a number; that of 0 has a name.
sub mode {
	my ($base, $more) = @_;
	my %bit = (PINNED => 2, SOFT => 4, HARD => 8);
	my $v = $base eq 'REL' ? 1 : 0;
	$v |= $bit{$_} for grep { length } split /\|/, $more;
	return $v ? sprintf '0x%x', $v : 'ABS';
}

# 0x0,0x1 as 0 1; numbers of 64 bits too.
sub numbers {
	no warnings 'portable';
	return join ' ', map { hex } split /,/, $_[0];
}

# A number with a sign of so many bits, as one without.
sub unsigned {
	my ($bits, $v) = @_;
	return $v >= 2**($bits - 1) ? 'no sign: ' : $v < 0 ? 2**$bits + $v : $v;
}

# A number of 32 bits with its sign.
sub extend { return $_[0] >= 2**31 && $_[0] < 2**32 ? $_[0] - 2**32 : $_[0] }

# The states that a task was left in, by another list: "comm:1 [120] D|I ==> ".
sub states {
	my ($text, $other) = @_;
	return $text =~ s{(?<=\] )([A-Za-z|]+)(?=\+? ==> )}{$other->($1)}er;
}

# The text of ma_read and ma_write as the fields that it is made from.
sub maple {
	my ($text) = @_;
	my ($node, $min, $max, $from, $to, $rest) =
		$text =~ /^\w+\tNode:? (0x[0-9a-f]+) \((\d+) (\d+)\) range: ?(\d+)-(\d+)(.*)$/ or return $text;
	$_ = sprintf '0x%x', $_ for $min, $max, $from, $to;
	my $raw = "[FAILED TO PARSE] fn=? min=$min max=$max index=$from last=$to";
	if (my ($piv, $val) = $rest =~ /^ piv \((\d+)\) val (\S+)$/) {
		$raw .= sprintf ' piv=0x%x val=%s', $piv, $val eq '(nil)' ? '0x0' : $val;
	} elsif (length $rest) {
		return $text;
	}
	return "$raw node=$node";
}

# ---------------------------------------------------------------- lines

# Their report with the one thing that we write differently: a newline within a text, at which theirs begins a new line
# (so that anyone who can write a text can forge any line), is the two characters \n.  Lines of a stack are lines in
# both.
sub one_line_each {
	my ($text) = @_;
	return $text if $text !~ /: (?:print|bprint|bputs): /;
	my (@lines, $in_text);
	for my $line (split /^/, $text) {
		my $name = (report_line($line))[3];
		if (!defined $name && $in_text && $line !~ /EVENTS DROPPED\]|^[ \t]*=> /) {
			chomp $lines[-1];
			$lines[-1] .= "\\n$line";
			next;
		}
		$in_text = $name =~ /\A(?:print|bprint|bputs)\z/ if defined $name;
		push @lines, $line;
	}
	return join '', @lines;
}

# ---------------------------------------------------------------- versions

sub number { my ($x, $y, $z) = split /\./, $_[0]; return ($x * 1000 + $y) * 1000 + ($z // 0) }

my %of;	# key => the changes that apply
my %used;	# key, reason => times

# A peer and a machine of so many bits, as a word.
sub key {
	my ($peer, $bits) = @_;
	return join ' ', @{ ref $peer ? $peer : $PEERS{$peer} // die "$peer: no such report\n" }, $bits // 64;
}

sub applies {
	my ($change, $key) = @_;
	my ($tracecmd, $library, $bits) = split / /, $key;
	return 0 if $change->{bits} && $change->{bits} != $bits;
	my ($part, $version) = @{ $change->{below} // return 1 };
	return number($part eq 'trace-cmd' ? $tracecmd : $library) < number($version);
}

sub changes_of {
	my ($key) = @_;
	return $of{$key} //= [grep { applies($_, $key) } @CHANGES];
}

# The changes of an event, by its name.
my %by_name;
sub of_event {
	my ($key, $name) = @_;
	return $by_name{$key}{$name} //= [grep {
		ref $_->{event} ? $name =~ /\A$_->{event}\z/ : $_->{event} eq '*' || $_->{event} eq $name } @{ changes_of($key) }];
}

sub note { my ($key, $change) = @_; $used{$key}{$change->{why}}++; return }

# The part of a line that a change of this side may apply to: most lines are of other events, and are skipped.
my %about;
sub about {
	my ($key, $side) = @_;
	return $about{$key}{$side} //= do {
		my $names = join '|', map { ref $_->{event} ? $_->{event} : quotemeta $_->{event} } grep { $_->{$side} } @{ changes_of($key) };
		qr/(?=.*?[0-9]: (?:$names): )/;
	};
}

sub each_line {
	my ($key, $text, $side) = @_;
	my $of = $by_name{$key} //= {};
	my $about = about($key, $side);
	return $text =~ s{^$about(.+)$}{
		my $line = $1;
		if (my ($head, $flags, $time, $name, $gap, $rest) = report_line($line)) {
			$head .= $flags;
			for my $change (@{ $of->{$name} // of_event($key, $name) }) {
				my $do = $change->{$side} or next;
				my $new = $do->($rest);
				note($key, $change) if $new ne $rest;
				$rest = $new;
			}
			$line = "$head$time$name$gap$rest";
		}
		$line}gemr;
}

# TEXT after the changes of all lines.
sub whole {
	my ($key, $text, $which) = @_;
	for my $change (@{ changes_of($key) }) {
		my $do = $change->{$which} or next;
		my $new = $do->($text);
		note($key, $change) if $new ne $text;
		$text = $new;
	}
	return $text;
}

# Our report, or lines of one, as PEER prints them; and PEER's, reduced to what ours can have.  PEER: the kind of a
# reference, or [version of trace-cmd, version of libtraceevent].  BITS: of the traced machine, default 64.
sub report_as {
	my ($peer, $ours, $bits) = @_;
	my $key = key($peer, $bits);
	return each_line($key, whole($key, $ours, 'our_lines'), 'ours');
}

sub report_from {
	my ($peer, $theirs, $bits) = @_;
	my $key = key($peer, $bits);
	return each_line($key, whole($key, $theirs, 'their_lines'), 'theirs');
}

# Undef, or the first difference that is not in the table.
sub report_differs {
	my ($peer, $ours, $theirs, $bits) = @_;
	($ours, $theirs) = (report_as($peer, $ours, $bits), report_from($peer, $theirs, $bits));
	return undef if $ours eq $theirs;
	my @ours = split /^/, $ours;
	my @theirs = split /^/, $theirs;
	for my $i (0 .. ($#ours > $#theirs ? $#ours : $#theirs)) {
		my ($ours, $theirs) = map { defined $_->[$i] ? $_->[$i] =~ s/\n\z//r : '(the end)' } \@ours, \@theirs;
		next if $ours eq $theirs;
		my ($tracecmd, $library) = split / /, key($peer);
		return 'line ' . ($i + 1) . " of trace-cmd $tracecmd with libtraceevent $library:\n  theirs \"$theirs\"\n  ours   \"$ours\"";
	}
	return undef;
}

# Of the changes that apply to PEER and have their witness under WHERE (or matching it, if it is a pattern), those that
# no comparison so far has used.
sub changes_unused {
	my ($peer, $where) = @_;
	my @keys = map { key($peer, $_) } 32, 64;
	my %all = map { $_->{why} => $_ } map { @{ changes_of($_) } } @keys;
	$where = qr/\A\Q$where\E/ if !ref $where;
	return map { (ref $_->{event} ? 'several' : $_->{event}) . ": $_->{why}" }
		grep { my $why = $_->{why}; ($_->{kept} // $peer) eq $peer && $_->{witness} =~ $where && !grep { $used{$_}{$why} } @keys }
		map { $all{$_} } sort keys %all;
}

1;
