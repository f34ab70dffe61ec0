# SPDX-License-Identifier: GPL-2.0-or-later
#
# Perf::Trace::Core for scripts that were written for perf script: what the numbers of flags and of
# enumerations are called.  zedperl has this in itself; no file of this name is read.
package Perf::Trace::Core;
use strict;
use warnings;
use Exporter 'import';

our $VERSION = '0.01';
our @EXPORT = qw(define_flag_field define_flag_value flag_str dump_flag_fields
	define_symbolic_field define_symbolic_value symbol_str dump_symbolic_fields trace_flag_str);
our @EXPORT_OK;
our %EXPORT_TAGS = (all => []);

# EVENT => FIELD => what Zed::_table tells, with by => { number => name } and sorted numbers; undef: nothing.
my (%flags, %symbols);

sub _sorted {
	my ($table) = @_;
	$table->{by} //= { map { @$_ } reverse @{$table->{values}} };
	$table->{numbers} = [sort { $a <=> $b } keys %{$table->{by}}];
	return $table;
}

sub _table {
	my ($known, $event, $field, $is_flags) = @_;
	my $fields = $known->{$event} //= {};
	return $fields->{$field} if exists $fields->{$field};
	my $table = Zed::_table($event, $field, $is_flags);
	return $fields->{$field} = $table && _sorted($table);
}

# A value as the unsigned number that the field's bits hold.
sub _unsigned {
	my ($value, $bits) = @_;
	return $bits >= 64 ? $value | 0 : $value & ((1 << $bits) - 1);
}

# The flags' names from the lowest bits on.  Bits that have none are shown as the kernel shows them; where the
# kernel shows something for no flags at all ("R"), or a mark by another bit ("+"), so does this.
sub flag_str {
	my ($event, $field, $value) = @_;
	my $table = _table(\%flags, $event, $field, 1) or return;
	my $left = my $all = _unsigned($value // 0, $table->{bits} // 64);
	my @names;
	for my $bits (@{$table->{numbers}}) {
		next if $bits ? ($left & $bits) != $bits : $all;
		push @names, $table->{by}{$bits};
		$left &= ~$bits;
	}
	push @names, sprintf '0x%x', $left if $left && $table->{rest};
	my $delim = length($table->{delim} // '') ? " $table->{delim} " : '';
	my $text = @names ? join $delim, @names : $table->{none} // '';
	$text .= $all & $_->[0] ? $_->[1] : $_->[2] for @{$table->{marks} // []};
	return $text;
}

# undef for a number without a name.
sub symbol_str {
	my ($event, $field, $value) = @_;
	my $table = _table(\%symbols, $event, $field, 0) or return undef;	## no critic
	my $by = $table->{by};
	$value //= 0;
	return $by->{$value} if exists $by->{$value};
	# A negative number may stand in the table with as many bits as the field has, or with 64.
	my $bits = $table->{bits} // 64;
	my $unsigned = _unsigned($value, $bits);
	for my $number (@{$table->{numbers}}) {
		return $by->{$number} if _unsigned($number, $bits) == $unsigned;
	}
	return undef;	## no critic
}

# What a script defines itself: a field of its own, or another name.
sub _own {
	my ($known, $event, $field, $is_flags) = @_;
	return _table($known, $event, $field, $is_flags) // ($known->{$event}{$field} = { by => {}, numbers => [] });
}

sub _define {
	my ($table, $value, $name) = @_;
	$table->{by}{$value} = $name;
	_sorted($table);
	return;
}

sub define_flag_field {
	my ($event, $field, $delim) = @_;
	_own(\%flags, $event, $field, 1)->{delim} = $delim;
	return;
}

sub define_flag_value {
	my ($event, $field, $value, $name) = @_;
	_define(_own(\%flags, $event, $field, 1), $value, $name);
	return;
}

sub define_symbolic_field {
	my ($event, $field) = @_;
	_own(\%symbols, $event, $field, 0);
	return;
}

sub define_symbolic_value {
	my ($event, $field, $value, $name) = @_;
	_define(_own(\%symbols, $event, $field, 0), $value, $name);
	return;
}

# All that the trace's formats and the script define, sorted.
sub _dump {
	my ($known, $is_flags) = @_;
	my @fields = Zed::_tables($is_flags);
	while (my ($event, $field) = splice @fields, 0, 2) {
		_table($known, $event, $field, $is_flags);
	}
	for my $event (sort keys %$known) {
		my @has = grep { $known->{$event}{$_} } sort keys %{$known->{$event}} or next;
		print "event $event:\n";
		for my $field (@has) {
			my $table = $known->{$event}{$field};
			print "    field: $field:\n";
			print '        delim: ', $table->{delim} // '', "\n" if $is_flags;
			print "        value $_: $table->{by}{$_}\n" for @{$table->{numbers}};
		}
	}
	return;
}

sub dump_flag_fields {
	_dump(\%flags, 1);
	return;
}

sub dump_symbolic_fields {
	_dump(\%symbols, 0);
	return;
}

my @trace_flags = ([1, 'IRQS_OFF'], [2, 'IRQS_NOSUPPORT'], [4, 'NEED_RESCHED'], [8, 'HARDIRQ'], [16, 'SOFTIRQ']);

sub trace_flag_str {
	my ($value) = @_;
	return 'NONE' if !$value;
	return join ' | ', map { $value & $_->[0] ? $_->[1] : () } @trace_flags;
}

1;
