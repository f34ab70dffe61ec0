# SPDX-License-Identifier: GPL-2.0-or-later
#
# State: the variables that a script's answer is made from, as plain data for other runs, and how those of two runs are
# merged.
package Zed::State;
use strict;
use warnings;

our $VERSION = '0.1';

# How a number or text is merged that two states have.
my %RULES = (
	sum => sub { return $_[0] + $_[1] },
	max => sub { return $_[0] > $_[1] ? $_[0] : $_[1] },
	min => sub { return $_[0] < $_[1] ? $_[0] : $_[1] },
	# They should be equal; if not, one of them is taken, the same in any order of merging.
	same => sub { return $_[0] le $_[1] ? $_[0] : $_[1] },
	number => sub { return $_[0] <= $_[1] ? $_[0] : $_[1] },
);

# Objects that serialize their state themselves and can be made from it, by the kind of their state.
my %CLASSES = map { (lc(s/.*:://r) => $_) } map { "Zed::$_" } qw(Spread Peak Tasks Frames Stacks);
my %OBJECTS = (
	(map { my $class = $CLASSES{$_}; ($_ => sub { _merge_own(@_, $class) }) } keys %CLASSES),
	(map { ($_ => \&_merge_aggregate) } qw(count sum quantiles top)),
	synthetic => \&_merge_synthetic,
);

my $MANY = 100;	# values of a hash; one with as many becomes text value by value, not all at once

my @place;	# names and positions that lead to the current value

sub new {
	my ($class, %o) = @_;
	return bless { report => $o{report}, kept => [], worst => [] }, $class;
}

sub keeps {
	my ($self, $name, $ref, $rules) = @_;
	push @{$self->{kept}}, [$name, $ref, _form($rules // 'same')];
	return $self;
}

sub keeps_worst {
	my ($self, $name, $list, $key, @shape) = @_;
	push @{$self->{worst}}, [$name, $list, $key, @shape];
	return $self;
}

# A rule in its compiled form: code, the rules of its members, and the keys without which it makes no sense.
sub _form {
	my ($rule) = @_;
	return { merge => \&_merge_list, each => _form($rule->[0]) } if ref $rule eq 'ARRAY';
	if (ref $rule eq 'HASH') {
		my %of = map { s/!\z//r => _form($rule->{$_}) } keys %$rule;
		return { merge => \&_merge_hash, any => delete $of{'*'} // _form('same'), of => \%of,
			needs => [sort map { /\A(.*)!\z/s ? $1 : () } keys %$rule] };
	}
	my ($what, $names) = split /:? /, $rule, 2;
	return { merge => $OBJECTS{$what}, what => $what, names => $names // '' }
		if $OBJECTS{$what} && ($what ne 'sum' || $rule =~ /:/);
	die "Zed::State: unknown rule '$rule'\n" if !$RULES{$rule};
	return { merge => \&_merge_scalar, both => $RULES{$rule}, is_number => $rule ne 'same' };
}

# ---- as plain data ----

sub plain {
	my ($self) = @_;
	my %plain = map { $_->[0] => _written(ref $_->[1] eq 'REF' || ref $_->[1] eq 'SCALAR' ? ${$_->[1]} : $_->[1]) }
		@{$self->{kept}};
	# In a case each value counts, also the fact that there is none.
	for (@{$self->{worst}}) {
		my ($name, $list) = @$_;
		$plain{$name} = [map {
			my $case = $_;
			my @keys = grep { ref $case->{$_} ne 'Zed::Task' } keys %$case;
			+{ map { $_ => _plain($case->{$_}) } @keys };
		} @$list];
	}
	return { map { defined $plain{$_} ? ($_ => $plain{$_}) : () } keys %plain };
}

# A hash of very many values as its final text, else as plain data.
sub _written {
	my ($value) = @_;
	return _plain($value) if ref $value ne 'HASH' || keys %$value < $MANY
		&& !grep { ref eq 'HASH' && keys %$_ >= $MANY } values %$value;
	my $text = '';
	for (sort keys %$value) {
		my $plain = _written($value->{$_}) // next;
		$text .= (length $text ? ',' : '{') . substr Zed::Fleet::_json({ $_ => $plain }), 1, -1;
	}
	return if !length $text;
	$text .= '}';
	return bless \$text, 'Zed::Fleet::Written';
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
	return undef if !$value->can('plain');	## no critic (ProhibitExplicitReturnUndef)
	my $plain = $value->plain;
	return { '~' => lc($type =~ s/.*:://r), %$plain };
}

# ---- merging ----

sub merge {
	my ($self, $plain) = @_;
	my %known = map { $_->[0] => 1 } @{$self->{kept}}, @{$self->{worst}};
	@place = ();
	for (sort keys %$plain) {
		die "the script keeps no '$_'\n" if !$known{$_};
	}
	for (@{$self->{kept}}) {
		my ($name, $ref, $form) = @$_;
		my $slot = ref $ref eq 'REF' || ref $ref eq 'SCALAR' ? $ref : \(my $copy = $ref);
		_into($slot, $plain->{$name}, $form, $name) if exists $plain->{$name};
	}
	for (@{$self->{worst}}) {
		my ($name, $list, @shape) = @$_;
		@place = $name;
		my $cases = $plain->{$name} // [];
		_senseless('a list belongs there') if ref $cases ne 'ARRAY';
		for my $i (0 .. $#$cases) {
			@place = ($name, $i);
			_check_case($cases->[$i], @shape);
			$self->{report}->worst($list, $shape[0], $cases->[$i]);
		}
	}
	return;
}

# Errors are reported with their place.
sub _senseless {
	my ($why) = @_;
	my $place = join '/', map { length > 40 ? substr($_, 0, 40) . '...' : $_ } map { tr/\0/ /r } @place;
	die "$place makes no sense: $why\n";
}

# A number that can be added: 1e999 is infinite, and sums of values far above any count of ns become so.
sub is_number {
	my ($value) = @_;
	return defined $value && !ref $value && $value =~ /\A-?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?\z/
		&& abs $value < 1e30;
}

# Made of bytes, as the texts of traces are.
sub _is_text { return !ref $_[0] && $_[0] !~ /[^\x00-\xff]/ }

# A case has all of SHAPE, and otherwise only texts and numbers.
sub _check_case {
	my ($case, @shape) = @_;
	my %lists = map { /\A\@(\w+)(?:: (.*))?\z/s ? ($1 => [split ' ', $2 // '']) : () } @shape;
	my %is_number = map { $_ => 1 } grep { /\A\w/ } @shape;
	_check_one($case, \%is_number, { %lists, map { /\A\$(.*)\z/s ? ($1 => undef) : () } @shape },
		sort keys %is_number);
	for my $name (sort keys %lists) {
		_senseless("$name is a list") if ref $case->{$name} ne 'ARRAY';
		_check_one($_, \%is_number, { map { $_ => undef } @{$lists{$name}} }) for @{$case->{$name}};
	}
	return;
}

# ONE has what NEEDS and NUMBERS name; a key that has a number anywhere has one here, and a name in NEEDS with a value
# there is that of a list.
sub _check_one {
	my ($one, $is_number, $needs, @numbers) = @_;
	_senseless('values by their names belong there') if ref $one ne 'HASH';
	for (sort(keys %$needs), @numbers) {
		_senseless("it has no $_") if !defined $one->{$_};
	}
	for (sort keys %$one) {
		_senseless("$_ is a number") if $is_number->{$_} && !is_number($one->{$_});
		_senseless("$_ is a text or a number") if !$needs->{$_} && defined $one->{$_} && !_is_text($one->{$_});
	}
	return;
}

# Merges DATA, found under NAME, into what SLOT refers to.
sub _into {
	my ($slot, $data, $form, $name) = @_;
	push @place, $name;
	_senseless('nothing is there') if !defined $data;
	$form->{merge}->($slot, $data, $form);
	pop @place;
	return;
}

sub _merge_scalar {
	my ($slot, $data, $form) = @_;
	_senseless($form->{is_number} ? 'a number belongs there' : 'a text or a number belongs there')
		if ref $$slot || ($form->{is_number} ? !is_number($data) : !_is_text($data));
	my $both = defined $$slot ? $form->{both}->($$slot, $data) : $data;
	_senseless('it is too large') if $form->{is_number} && !is_number($both);
	$$slot = $both;
	return;
}

sub _merge_hash {
	my ($slot, $data, $form) = @_;
	_senseless('values by their names belong there') if ref $data ne 'HASH' || defined $data->{'~'};
	my ($of, $any) = @$form{qw(of any)};
	for (@{$form->{needs}}) {
		_senseless("it has no $_") if !defined $data->{$_};
	}
	$$slot //= {};
	_senseless('values by their names belong there') if ref $$slot ne 'HASH';
	# Merged data is not needed again.
	for (keys %$data) {
		_senseless('a name has a character that is not a byte') if !_is_text($_);
		_into(\$$slot->{$_}, delete $data->{$_}, $of->{$_} // $any, $_);
	}
	return;
}

# A list has values at fixed positions, some of which may be missing.
sub _merge_list {
	my ($slot, $data, $form) = @_;
	$$slot //= [];
	_senseless('a list belongs there') if ref $data ne 'ARRAY' || ref $$slot ne 'ARRAY';
	$#{$$slot} = $#$data if $#$data > $#{$$slot};
	for my $i (0 .. $#$data) {
		_into(\$$slot->[$i], $data->[$i], $form->{each}, $i) if defined $data->[$i];
	}
	return;
}

# An object, also where the run without a trace has none: SLOT gets the result of MADE, and CODE merges. Errors in its
# state are reported by the object, or by perl if it cannot use the data either.
sub _merge_object {
	my ($slot, $data, $form, $made, $code) = @_;
	return if eval { $$slot //= $made->(); $code->($$slot); 1 };
	_senseless(_said($@) // "not the state of a $form->{what}");
}

# A module's message about a state, without the line of its own; undef: it is perl's.
sub _said {
	my ($why) = @_;
	my ($text, $where) = $why =~ /\A(.*?)( at (?:\(eval [0-9]+\)|\S+) line [0-9]+\.?.*)?\n*\z/s;
	return !defined $where || $text =~ /\AZed::/ ? $text : undef;
}

# DATA is the state of a KIND.
sub _must_be {
	my ($data, $kind) = @_;
	return if ref $data eq 'HASH' && defined $data->{'~'} && !ref $data->{'~'} && $data->{'~'} eq $kind;
	return _senseless("the state of a $kind belongs there");
}

sub _merge_own {
	my ($slot, $data, $form, $class) = @_;
	_must_be($data, $form->{what});
	return _merge_object($slot, $data, $form, sub { return $class->new }, sub { $_[0]->merge_plain($data) });
}

# The names that an aggregation counts by, and the fields that it keeps, are those of its rows.
sub _merge_aggregate {
	my ($slot, $data, $form) = @_;
	_must_be($data, 'aggregate');
	my $state = $data->{state};
	_senseless('an aggregation belongs there') if ref $state ne 'HASH';
	my @names = map { ref $state->{$_} eq 'ARRAY' ? @{$state->{$_}} : () } qw(by fields);
	_senseless("an aggregation $form->{what} by '$form->{names}' belongs there")
		if ($state->{kind} // '') ne $form->{what} || join(', ', map { $_ // '' } @names) ne $form->{names};
	return _merge_object($slot, $data, $form, sub { return Zed::Fleet::aggregate_of($data->{state}) },
		sub { $_[0]->merge($data->{state}) });
}

sub _merge_synthetic {
	my ($slot, $data, $form) = @_;
	_must_be($data, 'synthetic');
	_senseless('counts belong there') if ref $data->{counts} ne 'HASH';
	return _merge_object($slot, $data, $form, sub { return Zed::Fleet::synthetic_of() },
		sub { $_[0]->merge($data->{counts}) });
}

1;

__END__

=head1 NAME

Zed::State - which of a script's variables make its state, and how two states become one

=head1 SYNOPSIS

    my $state = Zed::State->new(report => $report);

    $state->keeps(rows => \%rows, { '*' => { 'times!' => 'spread', total => 'sum', longest => 'max' } });
    $state->keeps(n => \%n, { '*' => 'sum' });
    $state->keeps_worst(worst => \@worst, 'wait', 'woken', 'ran');

=head1 DESCRIPTION

For analyses; their frame, Zed::Report, has one. C<zedperl --map> prints the variables that they
keep, and C<zedperl --reduce> merges them into the same variables of a run that has no trace, before
the answer is made.

A variable is a hash, an array, a scalar (a reference to it is given), or one of these that holds
objects. Hashes are merged key by key, arrays by position. A Zed::Spread, Zed::Peak, Zed::Tasks,
Zed::Frames, Zed::Stacks, an aggregation and the object of a synthetic event merge themselves; if
the run without a trace has none, as the script makes it only for traces with such events, it is
made from the state.

States are untrusted input. A variable's rule declares what it may hold, down to each value, and a
state with anything else there is refused, with the place in the message: C<rows/sh/run makes no
sense: a number belongs there>. A number is finite, and a text is never taken for one.

=head1 RULES

=over

=item C<sum>, C<max>, C<min>, C<number>

A number: the sum of both, the greater, the smaller; C<number> is for one that is always equal, such
as a CPU.

=item C<same>

A number or a text that is always equal, such as a name. This is the default.

=item C<spread>, C<peak>, C<tasks>, C<frames>, C<stacks>, C<synthetic>

Such an object.

=item C<count>, C<count: NAME, NAME>; as well C<sum: ...>, C<quantiles: ...>, C<top: ...>

An aggregation of that kind by these names (C<by>), C<top> with these fields. Without a name it has
no C<by>.

=item C<[RULE]>

A list, in which each position follows that rule; positions may be empty.

=item C<{ KEY =E<gt> RULE, 'KEY!' =E<gt> RULE, '*' =E<gt> RULE }>

A hash. A key with a C<!> is required. Others follow the rule of C<*>; without one each is C<same>.

=back

=head1 METHODS

=over

=item Zed::State->new(report => REPORT)

=item $state->keeps(NAME, REF, [RULE])

Declares the variable that REF refers to, with the rule RULE.

=item $state->keeps_worst(NAME, LIST, KEY, [NUMBER]..., ['$TEXT']..., ['@LIST: NAME...']...)

A list that C<< $report->worst >> fills: the worst cases of all states. Besides KEY, each case has
these numbers, texts, and lists of hashes that have the named values; its other values are numbers,
texts or undef. A value that is a number in the case is one in the lists, too.

=item $state->plain

The state as plain data, with a hash of very many values as a text, in the form that Zed::Fleet
writes.

=item $state->merge(PLAIN)

Merges such data into the variables. Dies if it makes no sense.

=back

=head1 SEE ALSO

Zed::Report, zedperl(1)

=head1 LICENCE

GPL-2.0-or-later

=cut
