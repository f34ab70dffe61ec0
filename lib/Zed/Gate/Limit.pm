# SPDX-License-Identifier: GPL-2.0-or-later
#
# Limit: limits as they are written: a change that is allowed (sh p99: +10%), files of these, and a value that is
# demanded
# (max < 5ms where task ~ "rt-*"). What is wrong in one is told with its column.
package Zed::Gate::Limit;
use strict;
use warnings;

use Zed::Gate::Run;

our $VERSION = '0.1';

my $MOST = 1 << 20;	# bytes of a file of limits

my %TIMES = (ns => 1, us => 1_000, ms => 1_000_000, s => 1_000_000_000);
my %SIZES = (B => 1, KiB => 1 << 10, MiB => 1 << 20, GiB => 1 << 30);
my %IN_MIB = map { ($_ => $SIZES{$_} / $SIZES{MiB}) } keys %SIZES;
my %PLAIN = ('' => 1, '/s' => 1);

# The units of a column's type, each in those of its values.
my %UNITS = (
	us => \%TIMES, ms => \%TIMES, ticks => { '' => 1, ticks => 1 },
	bytes => \%SIZES, mib => \%IN_MIB, 'mib/s' => { map { ("$_/s" => $IN_MIB{$_}) } keys %IN_MIB },
	share => { '%' => 0.01, points => 0.01 },
);

# Names of numbers that have others in tables.
my %ALIAS = (mean => 'avg');

# ---- what is wrong ----

# Dies: that there is something wrong AT that column, from 0.

sub wrong {
	my ($at, $why) = @_;
	die +{ at => $at, why => $why };
}

# The message: WHERE the line TEXT is, what is WRONG, the line, and a caret below the place.
sub message {
	my ($where, $text, $wrong) = @_;
	my $before = Zed::plain(substr $text, 0, $wrong->{at});
	return sprintf "%s: column %d: %s\n  %s\n  %s^\n", $where, $wrong->{at} + 1, Zed::plain($wrong->{why}),
		Zed::plain($text), ' ' x length $before;
}

# CODE's result; dies with a message if something is wrong in LIMIT.
sub told {
	my ($limit, $code) = @_;
	my $result = eval { $code->() };
	return $result if !$@;
	die $@ if ref $@ ne 'HASH';
	die message($limit->{where}, $limit->{line} // $limit->{text},
		{ %{$@}, at => $@->{at} + ($limit->{begins} // 0) });
}

# "did you mean", if one of NAMES is near; else which there are.
sub instead {
	my ($name, @names) = @_;
	my $near = defined &Zed::_nearest ? Zed::_nearest($name, @names) : undef;
	return defined $near ? "; did you mean '$near'?" : @names ? ': there are ' . join(', ', @names) : '';
}

# ---- a change ----

# "[ROW] NUMBER: CHANGE"; dies with { at, why }.
sub change {
	my ($text) = @_;
	my ($what, $change) = $text =~ /\A(.*):(.*)\z/s
		or wrong(length $text, q(expected ': CHANGE' after the number, as in 'p99: +10%'));
	my ($row, $number) = $what =~ /\A\s*(?:(\S.*?)\s+)?(\S+)\s*\z/s
		or wrong(0, q(expected the number that has a limit, as in 'p99: +10%'));
	my $number_at = $-[2];
	my $from = 1 + length $what;
	my ($sign, $amount, $unit) = $change =~ /\A\s*(\+-|[+-]|)(\d+(?:\.\d+)?|)\s*(\S*)\s*\z/
		or wrong($from, "this is not a change: write +10%, +50us, -5% or +-3%");
	my @at = map { $from + $-[$_] } 1 .. 3;
	wrong($at[1], 'expected an amount: +10%, +50us') if $amount eq '' && $sign ne '';
	wrong($at[0], 'a change begins with + (at most so much more), - (at most so much less) or +- (neither)')
		if $sign eq '';
	wrong($at[1], 'this can never be exceeded: nothing becomes less by more than 100 %')
		if $sign eq '-' && $unit eq '%' && $amount >= 100;
	$row =~ s/\A"(.*)"\z/$1/s if defined $row;
	return { text => $text =~ s/\A\s+|\s+\z//gr, row => $row, number => $ALIAS{$number} // $number,
		number_at => $number_at, sign => $sign, amount => $amount, unit => $unit, unit_at => $at[2],
		change => $change =~ s/\s+//gr };
}

# Does it allow a part of the former value? And how much; of a number of TYPE.
sub allowed {
	my ($limit, $type) = @_;
	return (1, $limit->{amount} / 100) if $limit->{unit} eq '%';
	return (0, value(@$limit{qw(amount unit unit_at)}, $type));
}

# An AMOUNT in the units of values of TYPE.
sub value {
	my ($amount, $unit, $at, $type) = @_;
	my $units = $UNITS{$type} // \%PLAIN;
	my @known = sort { $units->{$a} <=> $units->{$b} || $a cmp $b } grep { length } keys %$units;
	wrong($at, ($unit eq '' ? 'a unit is missing here' : "'$unit' is not a unit of this number") .
		($type eq 'number' || $type eq 'int' ? ', which has none' : ": it takes @known"))
		if !defined $units->{$unit};
	return $amount * $units->{$unit};
}

# ---- a file of them ----

# [ANALYSIS OPTIONS], and below it a limit a line. References to hashes: analysis, with, limits. Dies with a message.
sub file {
	my ($path) = @_;
	my @sections;
	open my $in, '<', $path or die "$path: $!\n";
	die "$path: is not a regular file\n" if !-f $in;
	die "$path: is larger than 1 MiB\n" if -s _ > $MOST;
	while (my $line = <$in>) {
		$line =~ s/\r?\n?\z//;
		next if $line =~ /\A\s*(?:#|\z)/;
		my %place = (where => "$path: line $.", line => $line);
		told({ %place }, sub { _line(\%place, \@sections); 1 });
	}
	close $in;
	die "$path: has no limits: write [ANALYSIS], and below it lines such as 'p99: +10%'\n" if !@sections;
	my ($empty) = grep { !@{$_->{limits}} } @sections;
	die "$path: [$empty->{analysis}] has no limit below it\n" if $empty;
	return @sections;
}

sub _line {
	my ($place, $sections) = @_;
	if ($place->{line} =~ /\A\s*\[\s*([^\s\]]*)\s*([^\]]*)(\]?)\s*(.*)\z/s) {
		my ($analysis, $options, $end, $rest) = ($1, $2, $3, $4);
		my @at = @-;
		wrong(length $place->{line}, "expected ']'") if $end eq '';
		wrong($at[4], "expected nothing after ']'") if $rest ne '';
		_analysis($analysis, $at[1]);
		push @$sections, { analysis => $analysis, with => [split ' ', $options], limits => [] };
		return;
	}
	wrong($place->{line} =~ /\S/ ? $-[0] : 0, 'a limit before the first [ANALYSIS]') if !@$sections;
	push @{$sections->[-1]{limits}}, { %{change($place->{line})}, %$place };
	return;
}

# A script that comes with zedperl, or a file; perhaps with a table.
sub _analysis {
	my ($analysis, $at) = @_;
	my ($name) = Zed::Gate::Run::named($analysis);
	my $folder = $0 =~ s{[^/]*\z}{}r;
	wrong($at, 'expected an analysis: [wakeup-latency]') if $name eq '';
	return if -e "$folder$name.pl" || -e $name;
	my @names = map { m{([^/]+)\.pl\z} } glob "${folder}*.pl";
	my $near = defined &Zed::_nearest ? Zed::_nearest($name, @names) : undef;
	wrong($at, "there is no analysis '$name'" . (defined $near ? "; did you mean '$near'?"
		: '; zedperl --scripts lists them'));
	return;
}

# ---- a value that is demanded ----

my %COMPARES = (
	'==' => sub { $_[0] == $_[1] }, '!=' => sub { $_[0] != $_[1] }, '<' => sub { $_[0] < $_[1] },
	'<=' => sub { $_[0] <= $_[1] }, '>' => sub { $_[0] > $_[1] }, '>=' => sub { $_[0] >= $_[1] },
);
my %OF_TEXT = (
	'==' => sub { $_[0] eq $_[1] }, '!=' => sub { $_[0] ne $_[1] },
	'~' => sub { $_[0] =~ pattern($_[1]) }, '!~' => sub { $_[0] !~ pattern($_[1]) },
);

# A pattern of the shell (* and ?) as perl's.
sub pattern {
	my ($glob) = @_;
	my $text = join '', map { $_ eq '*' ? '.*' : $_ eq '?' ? '.' : quotemeta } split /([*?])/, $glob;
	return qr/\A$text\z/s;
}

# "ANALYSIS [OPTIONS]: NUMBER OP VALUE [where CONDITION]"; dies with { at, why }.
sub assertion {
	my ($text) = @_;
	my ($head) = $text =~ /\A([^:"]*):/
		or wrong(0, q(expected 'ANALYSIS: NUMBER < VALUE', as in 'wakeup-latency: max < 5ms'));
	my ($analysis, @with) = split ' ', $head;
	_analysis($analysis // '', $text =~ /\S/ ? $-[0] : 0);
	my $words = _words($text, 1 + length $head);
	my $limit = { text => $text, analysis => $analysis, with => \@with, demands => _compare($words) };
	wrong($limit->{demands}{value_at}, 'the limit of a number is a number, perhaps with a unit: 5ms')
		if !defined $limit->{demands}{amount};
	my $next = shift @$words;
	return $limit if $next->{is} eq 'end';
	wrong($next->{at}, "expected 'where' or the end") if $next->{text} ne 'where' || $next->{is} ne 'word';
	$limit->{where_of} = _either($words);
	wrong($words->[0]{at}, "expected 'and', 'or' or the end") if $words->[0]{is} ne 'end';
	return $limit;
}

# The words of TEXT from AT on: is (text, op, number, word, end), text, at.
sub _words {
	my ($text, $from) = @_;
	my @words;
	pos($text) = $from;
	while ($text =~ /\G\s*/gc && pos $text < length $text) {
		my $at = pos $text;
		if ($text =~ /\G"([^"]*)"/gc) {
			push @words, { is => 'text', text => $1, at => $at };
		} elsif ($text =~ /\G(&&|\|\||[=!<>]=|!~|[<>~()!])/gc) {
			push @words, { is => 'op', text => $1, at => $at };
		} elsif ($text =~ m{\G(\d+(?:\.\d+)?)([a-zA-Z%/]*)(?=[\s()&|]|\z)}gc) {
			push @words, { is => 'number', text => "$1$2", amount => $1, unit => $2, at => $at,
				unit_at => $at + length $1 };
		} elsif ($text =~ /\G([^\s"()<>=!~&|]+)/gc) {
			push @words, { is => 'word', text => $1, at => $at };
		} else {
			wrong($at, substr($text, $at, 1) eq '"' ? 'the closing " is missing' : 'unexpected character');
		}
	}
	push @words, { is => 'end', text => '', at => length $text };
	return \@words;
}

sub _either {
	my ($words) = @_;
	my @of = _both($words);
	push @of, _both($words) while _takes($words, 'or', '||');
	return @of > 1 ? { is => 'or', of => \@of } : $of[0];
}

sub _both {
	my ($words) = @_;
	my @of = _one($words);
	push @of, _one($words) while _takes($words, 'and', '&&');
	return @of > 1 ? { is => 'and', of => \@of } : $of[0];
}

sub _one {
	my ($words) = @_;
	return { is => 'not', of => [_one($words)] } if _takes($words, 'not', '!');
	return _compare($words) if !_takes($words, '(');
	my $inner = _either($words);
	_takes($words, ')') or wrong($words->[0]{at}, "expected ')'");
	return $inner;
}

sub _takes {
	my ($words, @which) = @_;
	my $next = $words->[0];
	return if $next->{is} ne 'word' && $next->{is} ne 'op' || !grep { $next->{text} eq $_ } @which;
	return shift @$words;
}

# NAME OP VALUE
sub _compare {
	my ($words) = @_;
	my ($name, $op, $value) = @$words > 3 ? splice @$words, 0, 3 : (@$words, ($words->[-1]) x 2)[0 .. 2];
	wrong($name->{at}, "expected the name of a column, as in 'max < 5ms'") if $name->{is} !~ /\A(?:word|text)\z/;
	wrong($op->{at}, 'expected <, <=, >, >=, ==, !=, ~ or !~') if !$COMPARES{$op->{text}} && !$OF_TEXT{$op->{text}};
	wrong($value->{at}, 'expected a value: 5ms, 10, "rt-*"') if $value->{is} =~ /\A(?:op|end)\z/;
	return { is => 'compare', name => $name->{text}, name_at => $name->{at}, op => $op->{text}, op_at => $op->{at},
		value => $value->{text}, value_at => $value->{at},
		$value->{is} eq 'number' ? (map { ($_ => $value->{$_}) } qw(amount unit unit_at)) : () };
}

# The column that NAME means: its key, or its head; dies with { at, why }.
sub column {
	my ($name, $at, @columns) = @_;
	my $key = $ALIAS{$name} // $name;
	my ($found) = ((grep { $_->{key} eq $name } @columns), (grep { $_->{key} eq $key } @columns),
		grep { ($_->{head} // '') eq $name } @columns);
	wrong($at, "there is no column '$name'" . instead($name, map { $_->{key} } @columns)) if !$found;
	return $found;
}

# A comparison of an assertion, bound to COLUMNS: code that is called with a row. A row without the value does not fit.
sub bound {
	my ($node, @columns) = @_;
	return _joined($node, @columns) if $node->{is} ne 'compare';
	my $column = column(@$node{qw(name name_at)}, @columns);
	my $key = $column->{key};
	if ($column->{type} eq 'text') {
		my $test = $OF_TEXT{$node->{op}} // wrong($node->{op_at},
			"'$node->{name}' is a text: it takes ==, !=, ~ and !~");
		return sub { my $is = $_[0]{$key}; return defined $is && $test->($is, $node->{value}) };
	}
	my $test = $COMPARES{$node->{op}} // wrong($node->{op_at},
		"'$node->{name}' is a number: it takes <, <=, >, >=, == and !=");
	wrong($node->{value_at}, "'$node->{name}' is a number, and this is a text") if !defined $node->{amount};
	my $value = value(@$node{qw(amount unit unit_at)}, $column->{type});
	return sub { my $is = $_[0]{$key}; return defined $is && $test->($is, $value) };
}

# Numbers that are at least what they are if there was more than was recorded: counts, sums, and the longest.
my %GROWS = map { $_ => 1 } qw(n count events errors total max);

# Stays the verdict about VALUE of COLUMN what it is, were there more than was recorded?
sub is_settled {
	my ($node, $column, $value) = @_;
	my $is_kept = bound($node, $column)->({ $column->{key} => $value });
	return !$is_kept if !$GROWS{$column->{key}};
	return $node->{op} =~ /^</ ? !$is_kept : $is_kept if $node->{op} =~ /^[<>]/;
	return $value > value(@$node{qw(amount unit unit_at)}, $column->{type});
}

# Does a condition choose one row, whatever else there may be?
sub is_of_one { my ($node) = @_; return $node->{is} eq 'compare' && $node->{op} eq '==' }

sub _joined {
	my ($node, @columns) = @_;
	my @tests = map { bound($_, @columns) } @{$node->{of}};
	return sub { return !$tests[0]->(@_) } if $node->{is} eq 'not';
	return sub { for (@tests) { return 0 if !$_->(@_) } return 1 } if $node->{is} eq 'and';
	return sub { for (@tests) { return 1 if $_->(@_) } return 0 };
}

1;
