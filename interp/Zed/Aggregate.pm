# SPDX-License-Identifier: GPL-2.0-or-later
#
# Aggregate: what an aggregation of Zed::count and its kind is asked: rows, tables, states. The C side
# (api/aggregate.c, rows/rows.h) gives rows as arrays; here they get names and a form to be read.
package Zed::Aggregate;
use strict;
use warnings;

my $VERSION_OF_STATE = 1;
my $BAR = 40;		# letters of the longest bar of a histogram
my $GAP = 100;		# empty buckets in a row that a histogram shows

# The columns that a row has after its key, in the order of the C side's.
my %columns = (
	count => ['count'], sum => [qw(count sum)], min => [qw(count min)], max => [qw(count max)],
		avg => [qw(count avg)],
	stats => [qw(count sum min max mean stddev)],
	hist => [qw(count min max buckets)], lhist => [qw(count min max buckets)],
	quantiles => [qw(count min max buckets)], top => [qw(count records)],
);
# Kinds whose answer is a single number.
my %single = map { $_ => $_ } qw(count sum min max avg);

sub _croak {
	require Carp;
	local @Carp::CARP_NOT = ('Zed');
	Carp::croak(@_);
}

sub _percents { return map { "p$_" } @{$_[0]{quantiles} // []} }

# The names that the parts of a key have in a row: a part that is called as a column is by_NAME there.
sub _names {
	my ($self) = @_;
	my %taken = map { $_ => 1 } 'other', @{$columns{$self->{kind}}}, _percents($self);
	return map { $taken{$_} ? "by_$_" : $_ } @{$self->{by}};
}

# Values by name of one row of the C side.
sub _values {
	my ($self, $row) = @_;
	my (undef, @v) = @$row;
	my %v;
	@v{@{$columns{$self->{kind}}}, _percents($self)} = @v;
	$v{stddev} = sqrt($v{stddev} // 0) if $self->{kind} eq 'stats';
	if ($self->{kind} eq 'top') {
		for (@{$v{records} // []}) {
			my ($value, $ts, $cpu, $sequence, $source, $comm, @fields) = @$_;
			my %r = (ts => $ts, cpu => $cpu, comm => $comm, sequence => $sequence, source => $source);
			$r{$self->{fields}[$_]} //= $fields[$_] for 0 .. $#fields;
			$r{value} = $r{$self->{field}} = $value;
			$_ = \%r;
		}
	}
	return \%v;
}

# What a row says, for get() and total().
sub _answer {
	my ($self, $row) = @_;
	my $v = _values($self, $row);
	return $single{$self->{kind}} ? $v->{$single{$self->{kind}}} : $v;
}

sub rows {
	my ($self) = @_;
	my @names = _names($self);
	return map {
		my $row = _values($self, $_);
		if ($_->[0]) {
			@$row{@names} = @{$_->[0]};
		} else {
			@$row{@names, 'other'} = ((undef) x @names, 1);
		}
		$row;
	} @{$self->_rows};
}

sub keys {	## no critic (ProhibitBuiltinHomonyms)
	my ($self) = @_;
	my @keys = map { $_->[0] // () } @{$self->_rows};
	return @{$self->{by}} == 1 ? map { $_->[0] } @keys : @keys;
}

sub get {
	my ($self, @key) = @_;
	_croak('Zed::Aggregate::get: a key of this aggregation has ' . @{$self->{by}}
		. (@{$self->{by}} == 1 ? ' part' : ' parts') . ': by => [' .
		join(', ', @{$self->{by}}) . ']') if @key != @{$self->{by}};
	my $row = $self->_get(@key);
	return $row ? _answer($self, $row) : undef;
}

sub total {
	my ($self) = @_;
	my $row = $self->_total;
	return _answer($self, $row) if $row->[1] || !$single{$self->{kind}};
	return $self->{kind} =~ /^(?:count|sum)$/ ? 0 : undef;
}

# ---- states ----

# What has to be the same in two that are merged.
my @same = qw(kind field from to step);

sub state {
	my ($self) = @_;
	my ($lost, $unsized, $summed, $timeless) = $self->_losses;
	return {
		version => $VERSION_OF_STATE, lost => $lost, lost_unknown => $unsized,
		$summed ? (lost_summed => $summed) : (), $timeless ? (lost_timeless => $timeless) : (),
		rows => $self->_state,
		(map { defined $self->{$_} ? ($_ => "$self->{$_}") : () } @same, 'event', 'where'),
		map { $self->{$_} ? ($_ => [@{$self->{$_}}]) : () } qw(by fields),
	};
}

sub _shown {
	my ($v) = @_;
	return !defined $v ? 'none' : ref $v eq 'ARRAY' ? '[' . join(', ', @$v) . ']' : "'$v'";
}

sub merge {
	my ($self, $other) = @_;
	my $state = ref $other && eval { $other->isa(__PACKAGE__) } ? $other->state : $other;
	_croak('Zed::Aggregate::merge: expected an aggregation, or the state of one')
		if ref $state ne 'HASH' || ref $state->{rows} ne 'ARRAY';
	my $version = ref $state->{version} ? undef : $state->{version};
	_croak('Zed::Aggregate::merge: the state is of version ' . ($version // 'unknown') .
		"; this zedperl reads version $VERSION_OF_STATE") if ($version // '') ne $VERSION_OF_STATE;
	for (@same, 'by', 'fields') {
		my ($mine, $its) = map { _shown($_) } $self->{$_}, $state->{$_};
		_croak("Zed::Aggregate::merge: the two differ in $_: $mine here, $its there") if $mine ne $its;
	}
	for (qw(lost lost_unknown lost_summed lost_timeless)) {
		_croak("Zed::Aggregate::merge: $_ of the state is not a number of events")
			if ($state->{$_} // 0) !~ /\A[0-9]{1,19}\z/;
	}
	my $bad;
	my @lost = map { $_ // 0 } @$state{qw(lost lost_unknown lost_summed lost_timeless)};
	_croak('Zed::Aggregate::merge: lost_timeless of the state is more than lost') if $lost[3] > $lost[0];
	if (!eval { $bad = $self->_merge($state->{rows}, @lost); 1 }) {
		die $@ if $@ !~ /\AWide character/;
		_croak('Zed::Aggregate::merge: a string of the state has a character above 255');
	}
	_croak("Zed::Aggregate::merge: row $bad of the state is invalid") if defined $bad;
	return $self;
}

# ---- the table ----

# A number with at most six digits that count, or all of those before its point.
sub _number {
	my ($v) = @_;
	return '-' if !defined $v;
	return $v if $v =~ /^-?\d+$/;
	my $text = sprintf '%.6g', $v;
	return $text if $text !~ /e/ || abs $v >= 1e18;
	return abs $v < 1 ? sprintf('%.9f', $v) =~ s/0+$//r : sprintf '%.0f', $v;
}

sub _text {
	my ($v) = @_;
	return defined $v ? Zed::plain($v) : '-';
}

# Lines of cells as a table: numbers to the right, texts to the left, no blanks at the end.
sub _table {
	my ($out, $indent, @lines) = @_;
	my (@width, @text);
	for my $line (@lines) {
		for (0 .. $#$line) {
			my $len = _width($line->[$_]);
			$width[$_] = $len if $len > ($width[$_] // 0);
			$text[$_] ||= $line != $lines[0] && $line->[$_] !~ /^(?:-?[\d.]+(?:e[+-]?\d+)?|-)$/;
		}
	}
	for my $line (@lines) {
		my $text = join '  ', map {
			my $blanks = ' ' x ($width[$_] - _width($line->[$_]));
			$text[$_] ? $line->[$_] . $blanks : $blanks . $line->[$_];
		} 0 .. $#$line;
		print {$out} $indent . $text =~ s/ +$//r . "\n";
	}
	return;
}

# Letters, not bytes, where a text is UTF-8.
sub _width {
	my ($s) = @_;
	return length $s if $s !~ /[^\x00-\x7f]/;
	my $copy = $s;
	utf8::decode($copy);
	return length $copy;
}

# 4096 -> 4K: for limits of buckets, which are powers of two.
sub _short {
	my ($v) = @_;
	return '' if !defined $v;
	my $unit = 0;
	my $n = $v;
	while ($unit < 6 && $n && !($n % 1024)) {
		$n /= 1024;
		$unit++;
	}
	return $n . ('', qw(K M G T P E))[$unit];
}

# A bucket as mathematics write it: [4K, 8K) is 4096 to 8191.
sub _range {
	my ($from, $to) = @_;
	return '[' . _short($from) . ']' if defined $from && defined $to && $from == $to;
	return (defined $from ? '[' . _short($from) : '(...') . ', ' . (defined $to ? _short($to + 1) : '...') . ')';
}

# The buckets of a row without gaps: powers of two, or steps, between the first and the last.
sub _filled {
	my ($self, $buckets) = @_;
	my @all;
	for (@$buckets) {
		my ($from, $to, $n) = @$_;
		my $gap = 0;
		while (@all && defined $all[-1][1] && defined $from && $all[-1][1] + 1 < $from && $gap++ < $GAP) {
			my $next = $all[-1][1] + 1;
			push @all, [$next, $self->{kind} eq 'lhist' ? $next + $self->{step} - 1
				: $next >= 1 ? 2 * $next - 1 : $next == 0 ? 0 : -int((-$next + 1) / 2), 0];
		}
		push @all, [$from, $to, $n];
	}
	return @all;
}

# Of the fine buckets, those of each power of two are put together.
sub _coarse {
	my ($buckets) = @_;
	my %n;
	for (@$buckets) {
		my ($from, $to, $n) = @$_;
		my $amount = $from < 0 ? -$to : $from;
		my $bits = 0;
		$bits++ while $bits < 64 && $amount >> $bits;
		$n{$from < 0 ? -$bits : $bits} += $n;
	}
	return [map {
		my $low = $_ ? 1 << abs($_) - 1 : 0;
		my $high = $_ ? $low + ($low - 1) : 0;
		$_ < 0 ? [-$high, -$low, $n{$_}] : [$low, $high, $n{$_}];
	} sort { $a <=> $b } CORE::keys %n];
}

sub _print_buckets {
	my ($self, $out, $buckets) = @_;
	my @all = $self->{kind} eq 'lhist' ? _filled($self, $buckets)
		: _filled({ kind => 'hist' }, $self->{kind} eq 'hist' ? $buckets : _coarse($buckets));
	my $most = 0;
	for (@all) {
		$most = $_->[2] if $_->[2] > $most;
	}
	my @lines = map {
		my ($from, $to, $n) = @$_;
		my $bar = int($n * $BAR / $most + 0.5);
		$bar = 1 if $n && !$bar;
		[_range($from, $to), "$n", '#' x $bar];
	} @all;
	my @width = map {
		my $i = $_;
		my $w = 0;
		for (@lines) {
			$w = length $_->[$i] if length $_->[$i] > $w;
		}
		$w;
	} 0, 1;
	for (@lines) {
		my ($range, $n, $bar) = @$_;
		print {$out} sprintf('  %-*s  %*s  %s', $width[0], $range, $width[1], $n, $bar) =~ s/ +$//r, "\n";
	}
	return;
}

# What is counted, of which event, in which unit, for which keys.
sub _title {
	my ($self) = @_;
	my $field = defined $self->{field} ? " of $self->{field}"
		. ($self->_is_time && $self->{field} !~ m{[*/]} ? ' [ns]' : '') : '';
	return "$self->{kind}$field, $self->{event}" . (@{$self->{by}} ? ' by ' . join(', ', @{$self->{by}}) : '')
		. (defined $self->{where} ? " where $self->{where}" : '');
}

sub _print_spreads {
	my ($self, $out, @rows) = @_;
	my @names = _names($self);
	for my $i (0 .. $#rows) {
		my $row = $rows[$i];
		print {$out} "\n" if $i;
		print {$out} join(', ', $row->{other} ? '(other)' :
			map { "$names[$_] " . _text($row->{$names[$_]}) } 0 .. $#names),
			"\n" if @names || $row->{other};
		print {$out} "  count $row->{count}, min $row->{min}, max $row->{max}\n";
		_print_buckets($self, $out, $row->{buckets});
	}
	return;
}

# A line for each record of top: those of one key together.
sub _top_lines {
	my ($self, @rows) = @_;
	my @names = _names($self);
	my %has = map { $_ => 1 } qw(value ts cpu comm sequence), @names;
	my @fields = grep { !$has{$_}++ } @{$self->{fields}};
	my @lines = [@names, $self->{field}, qw(ts cpu comm sequence), @fields];
	for my $row (@rows) {
		my @key = $row->{other} ? ('(other)', ('') x $#names) : map { _text($row->{$_}) } @names;
		push @lines,
			[@key, $_->{value}, sprintf('%d.%09d', int($_->{ts} / 1_000_000_000), $_->{ts} % 1_000_000_000),
			$_->{cpu}, _text($_->{comm}), $_->{sequence}, map { _text($_) } @$_{@fields}]
			for @{$row->{records}};
	}
	return @lines;
}

sub _row_lines {
	my ($self, @rows) = @_;
	my @names = _names($self);
	my @columns = grep { $_ ne 'buckets' } @{$columns{$self->{kind}}}, _percents($self);
	@columns = ((grep { $_ ne 'count' } @columns), 'count') if $single{$self->{kind}};
	return ([@names, @columns], map {
		my $row = $_;
		[$row->{other} ? ('(other)', ('') x $#names) : (map { _text($row->{$_}) } @names),
			map { _number($_) } @$row{@columns}];
	} @rows);
}

# print(to => $fh, limit => N)
sub print {	## no critic (ProhibitBuiltinHomonyms)
	my ($self, %o) = @_;
	my $out = delete $o{to} // do {
		no strict 'refs';	# select() names its handle
		\*{+select};
	};
	my $limit = delete $o{limit};
	_croak("Zed::Aggregate::print: unknown option '$_' (to => FILEHANDLE, limit => ROWS)") for sort(CORE::keys %o);
	my @rows = $self->rows;
	my $left = defined $limit && $limit < @rows ? @rows - $limit : 0;
	$#rows -= $left;
	if ($self->{kind} =~ /hist$/) {
		print {$out} Zed::plain(_title($self)), "\n" if @rows;
		_print_spreads($self, $out, @rows);
	} elsif (@rows) {
		_table($out, '', $self->{kind} eq 'top' ? _top_lines($self, @rows) : _row_lines($self, @rows));
	}
	print {$out} "... and $left more\n" if $left;
	print {$out} Zed::plain(_title($self)), ": no events\n" if !@rows;
	my $lost = _lost_text($self);
	print {$out} "lost meanwhile: $lost\n" if defined $lost;
	return;
}

# As an analysis has it.
sub _lost_text {
	my ($self) = @_;
	my ($lost, $places) = $self->lost;
	my $timeless = ($self->_losses)[3];
	my @parts;
	push @parts, $lost - $timeless . ' event' . ($lost - $timeless == 1 ? '' : 's')
		if $lost - $timeless || $places && !$timeless;
	push @parts, "an unknown number at $places place" . ($places == 1 ? '' : 's') if $places;
	push @parts, "$timeless at unknown times" if $timeless;
	return @parts ? join ', and ', @parts : undef;
}

# Those that nobody has taken (of a call in void context), after trace_end.
our @kept;

sub _print_all {
	for my $i (0 .. $#kept) {
		print "\n" if $i;
		print Zed::plain(_title($kept[$i])), "\n" if $kept[$i]{kind} !~ /hist$/ && $kept[$i]->rows;
		$kept[$i]->print;
	}
	return;
}

my $rest = '';	# with --every: the heading of what came after the last interval that was full

sub _print_kept {
	print $rest;
	_print_all();
	@kept = ();
	return;
}

sub _seconds { return defined $_[0] ? sprintf '%d.%09d', int($_[0] / 1e9), $_[0] % 1_000_000_000 : '?' }

# --every: of the time between two, or with TOTAL up to now.
sub _heading {
	my ($from, $to, $total) = @_;
	return ($total ? 'up to ' : _seconds($from) . ' to ') . _seconds($to) . ":\n";
}

sub _head_rest { $rest = _heading(@_); return }

sub _print_interval {
	my ($from, $to, $total) = @_;
	return if !@kept;
	print _heading($from, $to, $total);
	_print_all();
	print "\n";
	return if $total;
	$_->clear for @kept;
	return;
}

1;
