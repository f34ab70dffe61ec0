# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compare::JsonSchema: does data have the shape that a schema of docs/schema says?  What these use of JSON Schema 2020-12:
# $ref (to a file beside it, with a pointer), type, const, enum, properties, required, items, minimum; and "unit", an
# annotation of ours.  Any other keyword is refused: a schema that is not understood would say nothing.
#
#	my $schema = Compare::JsonSchema->new('docs/schema/irq.json');
#	print "$_\n" for $schema->faults($data);	# /tables/irqs/rows/0/n: is no number
package Compare::JsonSchema;
use strict;
use warnings;
use File::Basename qw(dirname);
use JSON::PP ();
use Files;

my %ANNOTATES = map { $_ => 1 } qw($schema $id $defs title description unit);
my %CHECKS = map { $_ => 1 } qw($ref type const enum properties required items minimum);

sub new {
	my ($class, $path) = @_;
	my $self = bless { path => $path, files => {} }, $class;
	$self->{root} = _file($self, $path);
	return $self;
}

sub _file {
	my ($self, $path) = @_;
	return $self->{files}{$path} //= JSON::PP->new->utf8->decode(slurp($path));
}

# All that is wrong with DATA; members that no schema names are wrong, too: they would be additions that nobody has written
# down.
sub faults {
	my ($self, $data) = @_;
	my %seen;
	my @faults = _check($self, $self->{root}, $self->{path}, $data, '', \%seen);
	return (@faults, _unnamed($data, '', \%seen));
}

# The schema that REF, from the file at PATH, means, and its file.
sub _resolved {
	my ($self, $ref, $path) = @_;
	my ($file, $pointer) = split /#/, $ref, 2;
	my $where = $file eq '' ? $path : dirname($path) . "/$file";
	my $at = _file($self, $where);
	for my $step (grep { length } split m{/}, $pointer // '') {
		$at = $at->{$step} // die "$path: $ref leads nowhere\n";
	}
	return ($at, $where);
}

sub _is_number { my ($x) = @_; return defined $x && !ref $x && JSON::PP->new->allow_nonref->encode($x) !~ /\A"/ }

my %IS = (
	object => sub { ref $_[0] eq 'HASH' }, array => sub { ref $_[0] eq 'ARRAY' }, null => sub { !defined $_[0] },
	boolean => sub { ref $_[0] eq 'JSON::PP::Boolean' }, number => \&_is_number,
	integer => sub { _is_number($_[0]) && $_[0] =~ /\A-?\d+\z/ },
	string => sub { defined $_[0] && !ref $_[0] && !_is_number($_[0]) },
);

sub _same {
	my ($x, $y) = @_;
	my $json = JSON::PP->new->canonical->allow_nonref;
	return $json->encode($x) eq $json->encode($y);
}

sub _check {
	my ($self, $schema, $path, $data, $at, $seen) = @_;
	my @unknown = grep { !$ANNOTATES{$_} && !$CHECKS{$_} } keys %$schema;
	die "$path: @unknown: this validator does not know that\n" if @unknown;
	my @faults;
	if (defined $schema->{'$ref'}) {
		my ($to, $where) = _resolved($self, $schema->{'$ref'}, $path);
		push @faults, _check($self, $to, $where, $data, $at, $seen);
	}
	if (defined(my $type = $schema->{type})) {
		my @types = ref $type ? @$type : $type;
		push @faults, ($at || '/') . ": is not of type @types" if !grep { $IS{$_}->($data) } @types;
	}
	push @faults, "$at: is not " . JSON::PP->new->allow_nonref->encode($schema->{const})
		if exists $schema->{const} && !_same($schema->{const}, $data);
	push @faults, "$at: is not one of @{$schema->{enum}}" if $schema->{enum} && !grep { _same($_, $data) } @{$schema->{enum}};
	push @faults, "$at: is below $schema->{minimum}" if defined $schema->{minimum} && _is_number($data) && $data < $schema->{minimum};
	push @faults, _members($self, $schema, $path, $data, $at, $seen) if ref $data eq 'HASH';
	push @faults, map { _check($self, $schema->{items}, $path, $data->[$_], "$at/$_", $seen) } 0 .. $#$data
		if ref $data eq 'ARRAY' && $schema->{items};
	return @faults;
}

sub _members {
	my ($self, $schema, $path, $data, $at, $seen) = @_;
	my $properties = $schema->{properties} // {};
	# An object without properties in its schema has any: fields of an event.
	$seen->{"$at/*"} = 1 if ($schema->{type} // '') eq 'object' && !$schema->{properties};
	my @faults = map { exists $data->{$_} ? () : "$at: lacks $_" } @{$schema->{required} // []};
	for my $name (grep { exists $data->{$_} } sort keys %$properties) {
		$seen->{"$at/$name"} = 1;
		push @faults, _check($self, $properties->{$name}, $path, $data->{$name}, "$at/$name", $seen);
	}
	return @faults;
}

sub _unnamed {
	my ($data, $at, $seen) = @_;
	return map { _unnamed($data->[$_], "$at/$_", $seen) } 0 .. $#$data if ref $data eq 'ARRAY';
	return if ref $data ne 'HASH';
	my $has_any = $seen->{"$at/*"} && !grep { $seen->{"$at/$_"} } keys %$data;
	return $has_any ? () : map { $seen->{"$at/$_"} ? _unnamed($data->{$_}, "$at/$_", $seen) : "$at/$_: is in no schema" } sort keys %$data;
}

# The unit of a column of a table, as its schema has it; undef: none.
sub unit {
	my ($self, $table, $key) = @_;
	my $property = $self->{root}{'$defs'}{$table}{properties}{$key} // return;
	my ($to) = _resolved($self, $property->{'$ref'}, $self->{path});
	return $to->{unit};
}

1;
