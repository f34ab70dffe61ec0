# SPDX-License-Identifier: GPL-2.0-or-later
#
# Aggregate: what an aggregation of Zed::count and its kind is asked: rows, states. The C side (api/answers.c,
# rows/rows.h) gives rows as arrays, which get their names here, and the table as a text (answer_text.h).
package Zed::Aggregate;
use strict;
use warnings;

my $VERSION_OF_STATE = 1;

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

# print(to => $fh, limit => N)
sub print {	## no critic (ProhibitBuiltinHomonyms)
	my ($self, %o) = @_;
	my $out = delete $o{to} // do {
		no strict 'refs';	# select() names its handle
		\*{+select};
	};
	my $limit = delete $o{limit};
	_croak("Zed::Aggregate::print: unknown option '$_' (to => FILEHANDLE, limit => ROWS)") for sort(CORE::keys %o);
	print {$out} $self->_text($limit);
	return;
}

# Those that nobody has taken (of a call in void context), after trace_end.
our @kept;

sub _print_all {
	for my $i (0 .. $#kept) {
		print "\n" if $i;
		print $kept[$i]->_titled;
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

sub _seconds {
	my ($ts) = @_;
	return '?' if !defined $ts;
	my $ns = $ts % 1_000_000_000;
	return sprintf '%d.%09d', ($ts - $ns) / 1_000_000_000, $ns;
}

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
