# SPDX-License-Identifier: GPL-2.0-or-later
#
# Fleet: the state of a whole run (zedperl --map), and many of them as one (--reduce): that of aggregations and
# synthetic events, and what trace_state of the script tells, for its trace_merge.
package Zed::Fleet;
use strict;
use warnings;

our (@aggregates, @synthetics);		# as they are made; weak
our $with;		# what states that are merged have in common besides the script; undef: its words
our %claimed;		# {address}: the script's own state has this object
our @traces;		# of what was merged: what is known of each
our %parts;		# {identity}{part}: of traces that come in parts of their time
our %whole;		# {identity}: the part that was the last to come, of those that are not joined yet
our $reduces;		# there is no trace
our ($lost, $unknown, $damaged) = (0, 0, 0);
my $LEFT_OUT = "\1";	# STATE_LEFT_OUT of host.h
my @words = @ARGV;

# What must be the same: by itself all words after the script.
sub _with { return defined $with ? $with : join ' ', map { quotemeta } @words }

# ---- the state of this run ----

# Of a time that is asked for, START and END are of what it has of the trace, and rates are of the CPUs that are asked
# for.
sub _chosen {
	my ($asked, $header) = @_;
	my ($from, $to) = @$asked{qw(all_start all_end)};
	# --head ends with the last event that was given, --tail begins with the first one.
	my ($seen, $tail) = ($asked->{head} ? $asked->{seen} : undef, $asked->{tail});
	$to = $seen if defined $seen && (!defined $to || $seen < $to);
	$from = $tail if defined $tail && (!defined $from || $tail > $from);
	if (defined $header->{start} && defined $header->{end}) {
		my ($start, $end) = @$header{qw(start end)};
		$header->{start} = $from if defined $from && $from > $start;
		$header->{end} = $to if defined $to && $to < $end;
		# None of it: no time, where it was asked for.
		$header->{end} = $from if defined $from && $from > $end;
		$header->{start} = $to if defined $to && $to < $start;
	}
	$header->{chosen} = grep { $_ < ($header->{cpus} || 1) } keys %{$asked->{cpus}} if $asked->{cpus};
	return $header;
}

sub _headers {
	my @seen = _seen();
	my $asked = Zed::asked();
	my @headers;
	while (my ($id, $name) = _source(scalar @headers)) {
		my $n = @headers;
		my %h = (id => $id, name => $name, clock => scalar Zed::clock($n), uname => scalar Zed::uname($n),
			cpus => scalar Zed::ncpus($n),
			start => scalar Zed::start($n), end => scalar Zed::end($n),
			ticks => Zed::_counts_ns($n) ? undef : 1);
		_chosen($asked, \%h);
		push @headers, { map { defined $h{$_} ? ($_ => $h{$_}) : () } keys %h };
	}
	# Of a pipe only what was seen tells it; among several it would be that of others, which may have none.
	die "the clocks of some traces count ticks, those of others ns: their times cannot be added\n"
		if grep { !$_->{ticks} != !$headers[0]{ticks} } @headers;
	@{$headers[0]}{qw(start end)} = @seen if @headers == 1 && !defined $headers[0]{start} && @seen;
	return @headers;
}

sub title {
	my ($object) = @_;
	return join ' ', map { defined ? ref ? '[' . join(', ', @$_) . ']' : $_ : '-' }
		@$object{qw(kind event field where by fields from to step)};
}

# The state of an aggregation with all that is needed to make it without a trace.
sub aggregate_state {
	my ($object) = @_;
	my $state = $object->state;
	$state->{limit} = $object->{limit} + 0 if defined $object->{limit};
	$state->{quantiles} = [@{$object->{quantiles}}] if $object->{quantiles};
	$state->{ns} = 1 if $object->_is_time;
	return $state;
}

my %is_kind = map { $_ => 1 } qw(count sum min max avg stats hist lhist quantiles top);

sub _text {
	my ($value) = @_;
	die "a state has no such aggregation\n" if !defined $value || ref $value;
	return $value;
}

# Such an aggregation, which only takes states.
sub aggregate_of {
	my ($state) = @_;
	my $kind = _text($state->{kind});
	die "unknown aggregation '$kind'\n" if !$is_kind{$kind};
	my @args = (_text($state->{event}), $kind eq 'count' ? () : _text($state->{field}));
	push @args, map { defined $state->{$_} ? ($_ => $state->{$_})
		: () } qw(by where fields from to step limit quantiles);
	my $made = eval {
		no strict 'refs';
		local @aggregates = ();
		&{"Zed::$kind"}(@args);
	};
	# What is wrong with it, without the line of ours that asked.
	die $@ =~ s/ at (?:\(eval [0-9]+\)|\S+) line [0-9]+\.?\n*\z/\n/r if !$made;
	_times($made) if $state->{ns};
	return $made;
}

# The same of a synthetic event's object; without a name, of one that the script's own state has.
sub synthetic_of {
	my ($name) = @_;
	return bless { name => ($name // '') =~ s/::/:/r, counts => {} }, 'Zed::Synthetic::Merged';
}

sub _own_state {
	my $code = main->can('trace_state') or return undef;	## no critic (ProhibitExplicitReturnUndef)
	my @own = $code->();
	# A hash or a list would be the number of what is in it; { {%n} } is such a list, too.
	die 'trace_state returned ' . @own . " values instead of one: return { n => \\%n }, or \\%n\n" if @own > 1;
	return $own[0];
}

sub _state {
	my $own = _own_state();
	my %is_kept = map { $_ + 0 => 1 } @Zed::Aggregate::kept;
	my @aggs = map { { title => title($_), kept => $is_kept{$_ + 0} // 0, state => aggregate_state($_) } }
		grep { $_ && !$claimed{$_ + 0} } @aggregates;
	my @made = map { { name => $_->_name, counts => $_->counts } } grep { $_ && !$claimed{$_ + 0} } @synthetics;
	# One whose trace_begin makes all that it answers with made nothing for this trace, which lacks its events.
	die "the script has no state to merge: no aggregations, and no sub trace_state\n"
		if !@aggs && !@made && !main->can('trace_state')
		&& (!main->can('trace_begin') || main->can('trace_end') || _calls());
	my ($l, $u, $d) = _missing();
	my $headers = [sort { $a->{id} cmp $b->{id} } traces(), _headers()];
	my $state = _json({ v => 1, with => _with(), missing => [$l + $lost, $u + $unknown, $d + $damaged],
		aggregates => \@aggs, synthetics => \@made,
		defined $own ? (own => $own) : () });
	# Which traces it is of comes first, so that it can be looked at alone.
	substr $state, 0, 1, '"traces":' . _json($headers) . ',';
	chop $state;
	return $state;
}

# ---- states of others ----

# Before the script: what asks for a trace gets what there is.
sub _without_trace {
	no warnings 'redefine';		## no critic (ProhibitNoWarnings)
	$reduces = 1;
	*Zed::on = sub { return 0 };
	*Zed::off = sub { return };
	*Zed::takes = sub { return 0 };
	*Zed::events = sub { return () };
	*Zed::spans = sub { return () };
	*Zed::window = sub { return () };
	*Zed::start = sub { return traces() == 1 ? $traces[0]{start} : undef };
	*Zed::end = sub { return traces() == 1 ? $traces[0]{end} : undef };
	*Zed::clock = sub { return _common('clock') };
	*Zed::uname = sub { return _common('uname') };
	*Zed::ncpus = sub { return $_[0] ? undef : _common('cpus') };
	*Zed::synthetic = sub {
		my ($name) = @_;
		my $made = synthetic_of($name);
		push @synthetics, $made;
		Scalar::Util::weaken($synthetics[-1]) if defined wantarray;
		return $made;
	};
	require Scalar::Util;
	return;
}

# What all traces have in common, or nothing.
sub _common {
	my ($key) = @_;
	my %values = map { defined $_->{$key} ? ($_->{$key} => 1) : () } traces();
	return keys %values == 1 ? (keys %values)[0] : undef;
}

# How long all of them lasted together.
sub span {
	my $span = 0;
	for (traces()) {
		$span += $_->{end} - $_->{start} if defined $_->{end} && defined $_->{start};
	}
	return $span;
}

# The time of all CPUs.
sub cpu_span {
	my $span = 0;
	for (traces()) {
		$span += ($_->{end} - $_->{start}) * ($_->{chosen} // $_->{cpus} || 1)
			if defined $_->{end} && defined $_->{start};
	}
	return $span;
}

sub _check_headers {
	my ($list) = @_;
	die "it does not name its traces\n" if ref $list ne 'ARRAY' || !@$list;
	for my $header (@$list) {
		die "its description of its traces is invalid\n" if ref $header ne 'HASH' ||
			grep { ref || defined && /[^\x00-\xff]/ } values %$header;
		for (grep { defined $header->{$_} } qw(start end cpus chosen ticks)) {
			die "$_ of its trace is not a number\n" if $header->{$_} !~ /\A[0-9]{1,20}\z/;
		}
	}
	return;
}

# Times in ns and in ticks are never one number: what is wrong with these traces beside the first ones.
sub _other_unit {
	my ($list) = @_;
	my ($first) = (@traces, @$list);
	my ($other) = grep { !$_->{ticks} != !$first->{ticks} } @$list;
	my $clock = sub { my ($of) = @_; return ($of->{clock} // 'unknown') . ($of->{ticks} ? ' (ticks)' : ' (ns)') };
	return 'its clock is ' . Zed::plain($clock->($other)) . ', that of the others ' . Zed::plain($clock->($first))
		. ': their times cannot be added' if $other;
	Zed::_in_ticks() if $first->{ticks};
	return;
}

sub _numbers {
	my ($list) = @_;
	die "its counts of what is missing are invalid\n" if ref $list ne 'ARRAY' || @$list != 3 ||
		grep { !defined || ref || !/\A[0-9]{1,19}\z/ } @$list;
	return @$list;
}

# One state, as text.  Returns what is wrong with it.
sub _take {
	my ($text) = @_;
	my $state = eval { _parse($text) };
	my $other = $state && eval { _check_headers($state->{traces}); 1 } ? _other_unit($state->{traces}) : undef;
	return $LEFT_OUT . $other if defined $other;
	return if $state && eval { _merge($state); 1 };
	my ($why, $where) = $@ =~ /\A(.*?)( at (?:\(eval \d+\)|\S+) line \d+\.?(?:, <\w+> \w+ \d+\.)?)?\n*\z/s;
	# What perl itself says is about the script, which asked for what is not in the state.
	return !defined $where || $why =~ /\AZed::/ ? $why : 'it makes no sense to the script';
}

sub _merge {
	my ($state) = @_;
	die "it is of version " . (ref $state->{v} ? 'unknown' : $state->{v} // 'unknown')
		. "; this zedperl reads version 1\n" if ref $state->{v} || ($state->{v} // '') ne '1';
	_check_headers($state->{traces});
	my @missing = _numbers($state->{missing});
	_merge_aggregates($state->{aggregates});
	_merge_synthetics($state->{synthetics});
	if (defined $state->{own}) {
		my $code = main->can('trace_merge')
			or die "it has a state of the script itself, but the script has no sub trace_merge\n";
		$code->($state->{own});
	}
	push @traces, @{$state->{traces}};
	_note_part($_) for map { $_->{id} // () } @{$state->{traces}};
	$lost += $missing[0];
	$unknown += $missing[1];
	$damaged += $missing[2];
	return;
}

# A trace all of whose parts are here is one: see traces().
sub _note_part {
	my ($id) = @_;
	my ($whole, $n, $parts) = $id =~ /\A([^+]+)\+([0-9]+)[.]([0-9]+)\z/ or return;
	$parts{$whole}{$n} = 1;
	$whole{$whole} = $id if keys %{$parts{$whole}} == $parts;
	return;
}

# What is known of each trace, the parts of those that are complete joined: all at once, as they may be as many as
# traces.
sub traces {
	return @traces if !%whole;
	my (@joined, @others);
	for my $trace (@traces) {
		my ($of) = ($trace->{id} // '') =~ /\A([^+]+)[+]/;
		if (!defined $of || !exists $whole{$of}) {
			push @others, $trace;
		} elsif (defined $whole{$of} && $trace->{id} eq $whole{$of}) {
			push @joined, { %$trace, id => $of };
			$whole{$of} = undef;
		}
	}
	%whole = ();
	@traces = (@joined, @others);
	return @traces;
}

# Those of one title in the order in which they were made.
sub _merge_aggregates {
	my ($list) = @_;
	my (%at, %mine);
	die "its aggregations are invalid\n" if ref $list ne 'ARRAY';
	push @{$mine{title($_)}}, $_ for grep { $_ && !$claimed{$_ + 0} } @aggregates;
	for my $one (@$list) {
		die "its aggregations are invalid\n" if ref $one ne 'HASH' || ref $one->{state} ne 'HASH';
		my $title = _text($one->{title});
		my $to = $mine{$title}[$at{$title}++ // 0];
		if (!$to) {
			# One that the script makes only for traces that have such events.
			$to = aggregate_of($one->{state});
			push @aggregates, $to;
			push @Zed::Aggregate::kept, $to if $one->{kept};
		}
		_times($to) if $one->{state}{ns};
		$to->merge($one->{state});
	}
	return;
}

# So are these, as a trace may have the events of some of them only.
sub _merge_synthetics {
	my ($list) = @_;
	my (%at, %mine);
	die "its synthetic events are invalid\n"
		if ref $list ne 'ARRAY' || grep { ref ne 'HASH' || ref $_->{counts} ne 'HASH' || ref $_->{name}
			|| !defined $_->{name} } @$list;
	push @{$mine{$_->_name}}, $_ for grep { $_ && !$claimed{$_ + 0} } @synthetics;
	for my $one (@$list) {
		my $to = $mine{$one->{name}}[$at{$one->{name}}++ // 0];
		push @synthetics, $to = synthetic_of($one->{name}) if !$to;
		$to->merge($one->{counts});
	}
	return;
}

# How often a synthetic event came in all of the traces.
package Zed::Synthetic::Merged;	## no critic (ProhibitMultiplePackages)

my @COUNTS = qw(started matched aborted replaced lost dropped pending);

sub merge {
	my ($self, $counts) = @_;
	for (@COUNTS) {
		die "counts of a synthetic event must be numbers\n"
			if ref $counts->{$_} || ($counts->{$_} // 0) !~ /\A[0-9]{1,19}\z/;
	}
	$self->{counts}{$_} += $counts->{$_} // 0 for @COUNTS;
	return $self;
}

sub _name { my ($self) = @_; return $self->{name} }

sub counts { my ($self) = @_; return { map { $_ => $self->{counts}{$_} // 0 } @COUNTS } }

# Which starts waited is no part of a state.
sub pending { return [] }

1;
