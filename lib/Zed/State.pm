# SPDX-License-Identifier: GPL-2.0-or-later
#
# State: the variables of a script that its answer is made of, as plain data for other runs, and how those of two runs
# become one.
package Zed::State;
use strict;
use warnings;

our $VERSION = '0.1';

# What a number or text becomes that two states have.
my %RULES = (
	sum => sub { return $_[0] + $_[1] },
	max => sub { return $_[0] > $_[1] ? $_[0] : $_[1] },
	min => sub { return $_[0] < $_[1] ? $_[0] : $_[1] },
	# It should be the same; if it is not, one of both, whichever came first.
	same => sub { return $_[0] le $_[1] ? $_[0] : $_[1] },
	number => sub { return $_[0] <= $_[1] ? $_[0] : $_[1] },
);

# Objects that tell their state themselves, and can be made of it, by what their states are called.
my %CLASSES = map { (lc(s/.*:://r) => $_) } map { "Zed::$_" } qw(Spread Peak Tasks Frames Stacks);

sub new {
	my ($class, %o) = @_;
	return bless { report => $o{report}, kept => [], worst => [] }, $class;
}

sub keeps {
	my ($self, $name, $ref, $rules) = @_;
	push @{$self->{kept}}, [$name, $ref, $rules // 'same'];
	return $self;
}

sub keeps_worst {
	my ($self, $name, $list, $key, @shape) = @_;
	push @{$self->{worst}}, [$name, $list, $key, @shape];
	return $self;
}

# ---- as plain data ----

sub plain {
	my ($self) = @_;
	my %plain = map { $_->[0] => _plain(ref $_->[1] eq 'REF' || ref $_->[1] eq 'SCALAR' ? ${$_->[1]} : $_->[1]) } @{$self->{kept}};
	# Of a case each value counts, also that there is none.
	for (@{$self->{worst}}) {
		my ($name, $list) = @$_;
		$plain{$name} = [map { my $case = $_; +{ map { $_ => _plain($case->{$_}) } grep { ref $case->{$_} ne 'Zed::Tasks::Task' } keys %$case } } @$list];
	}
	return { map { defined $plain{$_} ? ($_ => $plain{$_}) : () } keys %plain };
}

sub _plain {
	my ($value) = @_;
	my $type = ref $value or return $value;
	if ($type eq 'HASH') {
		my %plain = map { my $plain = _plain($value->{$_}); defined $plain ? ($_ => $plain) : () } keys %$value;
		return %plain ? \%plain : undef;
	}
	return [map { _plain($_) } @$value] if $type eq 'ARRAY';
	if ($type eq 'Zed::Aggregate') {
		$Zed::Fleet::claimed{$value + 0} = 1;	## no critic (ProhibitPackageVars)
		return { '~' => 'aggregate', state => Zed::Fleet::aggregate_state($value) };
	}
	if ($type =~ /^Zed::Synthetic/) {
		$Zed::Fleet::claimed{$value + 0} = 1;	## no critic (ProhibitPackageVars)
		return { '~' => 'synthetic', counts => $value->counts };
	}
	my $plain = $value->can('plain') ? $value->plain : return undef;	## no critic (ProhibitExplicitReturnUndef)
	return { '~' => lc($type =~ s/.*:://r), %$plain };
}

# ---- merging ----

sub merge {
	my ($self, $plain) = @_;
	my %known = map { $_->[0] => 1 } @{$self->{kept}}, @{$self->{worst}};
	for (sort keys %$plain) {
		die "the script keeps no '$_'\n" if !$known{$_};
	}
	for (@{$self->{kept}}) {
		my ($name, $ref, $rules) = @$_;
		my $slot = ref $ref eq 'REF' || ref $ref eq 'SCALAR' ? $ref : \(my $copy = $ref);
		_merge($slot, $plain->{$name}, $rules, $name) if exists $plain->{$name};
	}
	for (@{$self->{worst}}) {
		my ($name, $list, $key, @shape) = @$_;
		for my $case (@{_is_array($plain->{$name} // [], $name)}) {
			die "$name makes no sense\n" if !_is_case($case, $key, @shape);
			$self->{report}->worst($list, $key, $case);
		}
	}
	return;
}

# A number that can be counted with: 1e999 is infinite, and sums of what is far above any count of ns become so.
sub is_number {
	my ($value) = @_;
	return defined $value && !ref $value && $value =~ /\A-?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?\z/ && abs $value < 1e30;
}

# Has CASE all of SHAPE, and else only texts and numbers?  Where they are in what a list holds, numbers are some too.
sub _is_case {
	my ($case, @shape) = @_;
	my %is_list = map { /\A\@(.*)\z/s ? ($1 => 1) : () } @shape;
	my @numbers = grep { !/\A\@/ } @shape;
	return 0 if ref $case ne 'HASH' || grep { !is_number($case->{$_}) } @numbers;
	return 0 if grep { ref $case->{$_} ne 'ARRAY' } keys %is_list;
	for my $name (keys %$case) {
		next if !ref $case->{$name};
		return 0 if !$is_list{$name};
		for my $one (@{$case->{$name}}) {
			return 0 if ref $one ne 'HASH' || grep { ref } values %$one;
			return 0 if grep { exists $one->{$_} && !is_number($one->{$_}) } @numbers;
		}
	}
	return 1;
}

sub _is_array {
	my ($value, $name) = @_;
	return $value if ref $value eq 'ARRAY';
	die "$name makes no sense\n";
}

# DATA into what SLOT refers to; a rule is that of all, or by the name under which a value stands.
sub _merge {
	my ($slot, $data, $rules, $name) = @_;
	my $type = ref $data;
	# No state has what is not there, and a value with a rule of its own is one number or text.
	my $own = ref $rules ? $rules->{$name} : undef;
	die "$name makes no sense\n" if !defined $data || $type && defined $own && $own ne 'object';
	return _merge_scalar($slot, $data, $rules, $name) if !$type;
	return _merge_array($slot, $data, $rules, $name) if $type eq 'ARRAY';
	return _merge_object($slot, $data, $name) if defined $data->{'~'};
	$$slot //= {};
	die "$name makes no sense\n" if ref $$slot ne 'HASH';
	for (keys %$data) {
		_merge(\$$slot->{$_}, $data->{$_}, $rules, $_);
	}
	return;
}

sub _merge_scalar {
	my ($slot, $data, $rules, $name) = @_;
	my $rule = ref $rules ? $rules->{$name} // 'same' : $rules;
	# A text where an object belongs would be the name of a package, whose methods are called.
	die "$name makes no sense\n" if ref $$slot || $rule eq 'object' || $rule ne 'same' && !is_number($data);
	my $both = defined $$slot ? $RULES{$rule}->($$slot, $data) : $data;
	die "$name is too large\n" if $rule ne 'same' && !is_number($both);
	$$slot = $both;
	return;
}

# A list is of values that each have their place, or one value.
sub _merge_array {
	my ($slot, $data, $rules, $name) = @_;
	my $rule = ref $rules ? $rules->{$name} // 'same' : $rules;
	if (!defined $$slot) {
		$$slot = $rule ne q(same) || grep({ ref } @$data) ? [] : $data;
	}
	die "$name makes no sense\n" if ref $$slot ne 'ARRAY';
	return if $$slot == $data;
	for my $i (0 .. $#$data) {
		_merge(\$$slot->[$i], $data->[$i], ref $rules ? $rules : $rule, $name) if defined $data->[$i];
	}
	return;
}

sub _merge_object {
	my ($slot, $data, $name) = @_;
	my $what = $data->{'~'};
	if (!ref $what && $what eq 'aggregate') {
		die "$name makes no sense\n" if ref $data->{state} ne 'HASH';
		$$slot //= Zed::Fleet::aggregate_of($data->{state});
		die "$name makes no sense\n" if ref $$slot ne 'Zed::Aggregate';
		$$slot->merge($data->{state});
	} elsif (!ref $what && $what eq 'synthetic') {
		$$slot //= Zed::Fleet::synthetic_of();
		die "$name makes no sense\n" if ref $data->{counts} ne 'HASH' || ref $$slot ne 'Zed::Synthetic::Merged';
		$$slot->merge($data->{counts});
	} else {
		my $class = ref $what ? undef : $CLASSES{$what};
		die "$name makes no sense\n" if !$class;
		$$slot //= $class->new;
		die "$name makes no sense\n" if ref $$slot ne $class;
		$$slot->merge_plain($data);
	}
	return;
}

1;

__END__

=head1 NAME

Zed::State - which of a script's variables make its state, and how two states become one

=head1 SYNOPSIS

    my $state = Zed::State->new(report => $report);

    $state->keeps(rows => \%rows, { total => 'sum', longest => 'max' });
    $state->keeps(n => \%n, 'sum');
    $state->keeps_worst(worst => \@worst, 'wait', 'woken', 'ran');

=head1 DESCRIPTION

For analyses; their frame, Zed::Report, has one. C<zedperl --map> prints what they keep, and C<zedperl
--reduce> merges it into the same variables of a run that has no trace, before the answer is asked
for.

A variable is a hash, an array, a scalar (a reference to it is given), or one of these that holds
objects. Hashes are merged key by key, arrays by position. A Zed::Spread, Zed::Tasks, Zed::Frames,
Zed::Stacks, an aggregation and the object of a synthetic event merge themselves; if the run without a
trace has none, as the script makes it only for traces with such events, it comes from the state. A
rule says what becomes of numbers and texts: C<sum>, C<max>, C<min> or C<same> (the default, for what
is always equal, such as the name in a row). C<number> is C<same> for what must be a number, such as
the CPU of a row, and C<object> stands for objects: a state that has a text there makes no sense.
States come from others: a number is finite, and no text is taken for one.

=head1 METHODS

=over

=item Zed::State->new(report => REPORT)

=item $state->keeps(NAME, REF, [RULES])

RULES: one for all values of the variable, or a reference to a hash of rules by the key of a value;
for keys without a rule it is C<same>. A value with a rule other than C<object> is one number or text:
a state with anything else there makes no sense.

=item $state->keeps_worst(NAME, LIST, KEY, [NUMBER]..., ['@LIST']...)

A list that C<< $report->worst >> fills: the worst cases of all states. Besides KEY, each case has
these numbers and lists of hashes; its other values are numbers, texts or undef.

=item $state->plain

The state as plain data.

=item $state->merge(PLAIN)

Merges such data into the variables. Dies if it makes no sense.

=back

=head1 SEE ALSO

Zed::Report, zedperl(1)

=head1 LICENCE

GPL-2.0-or-later

=cut
