# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compare::OpenMetrics: reads the text format strictly, from its specification (OpenMetrics 1.0, ABNF and the rules
# about types): a second opinion on the output of --metrics, independent of the program.
#
#	my $families = openmetrics($text);	# name => { type, help, samples => [[name, {labels}, value]...] }; dies on errors
#	my $value = sample($families, 'x_total', cpu => 3);	# the text of that sample, or undef
package Compare::OpenMetrics;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(openmetrics sample promtool);

my %SUFFIX = (counter => [qw(_total _created)], gauge => [''], histogram => [qw(_bucket _count _sum _created)],
	summary => ['', qw(_count _sum _created)]);
my $NUMBER = qr/[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?|[+-]?Inf|NaN/i;

sub _value { my ($text) = @_; return $text =~ /inf/i ? ($text =~ /^-/ ? -9**9**9 : 9**9**9) : $text =~ /nan/i ? undef : $text + 0 }

sub _labels {
	my ($text, $line) = @_;
	my %labels;
	while ($text =~ /\G([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|\z)/gc) {
		my ($name, $value) = ($1, $2);
		die "two labels $name: $line\n" if exists $labels{$name};
		my %of = (n => "\n", '"' => '"', '\\' => '\\');
		$labels{$name} = $value =~ s/\\(.)/$of{$1}/gr;
	}
	die "labels: $line\n" if (pos($text) // 0) != length $text || $text =~ /,\z/;
	return \%labels;
}

# The buckets of one series rise, and the last is +Inf, and is the count.
sub _check_histogram {
	my ($family) = @_;
	my (%last, %count);
	for (@{$family->{samples}}) {
		my ($name, $labels, $value) = @$_;
		my %rest = %$labels;
		my $le = delete $rest{le};
		my $key = join "\0", map { "$_\0$rest{$_}" } sort keys %rest;
		if ($name =~ /_bucket$/) {
			die "bucket without le\n" if !defined $le;
			die "le '$le' is not canonical\n" if $le !~ /^(?:\+Inf|-?[0-9]+\.[0-9]+|-?[0-9](?:\.[0-9]+)?e[+-][0-9]{2})\z/;
			my ($limit, $n) = @{$last{$key} // [-9**9**9, 0]};
			die "buckets do not rise at le $le\n" if $last{$key} && _value($le) <= $limit || $value < $n;
			$last{$key} = [_value($le), $value];
		} elsif ($name =~ /_count$/) {
			$count{$key} = $value;
		} elsif ($name =~ /_sum$/) {
			die "a sum below 0\n" if $value < 0;
		}
	}
	for (keys %last) {
		die "no bucket of +Inf\n" if $last{$_}[0] != 9**9**9;
		die "the count is not the bucket of +Inf\n" if ($count{$_} // '') ne $last{$_}[1];
	}
	return;
}

sub openmetrics {
	my ($text) = @_;
	utf8::decode(my $copy = $text) or die "no UTF-8\n";
	$copy =~ s/^# EOF\n\z//m or die "it does not end with # EOF\n";
	my (%families, $now, %seen, %done);
	for my $line (split /\n/, $copy, -1) {
		next if $line eq '' && $copy =~ /\n\z/;
		die "a control character: $line\n" if $line =~ /[\x00-\x08\x0b-\x1f\x7f]/;
		if ($line =~ /^# (TYPE|HELP|UNIT) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.*)\z/) {
			my ($what, $name, $rest) = (lc $1, $2, $3);
			if (!defined $now || $now ne $name) {
				die "two families $name\n" if $families{$name};
				$now = $name;
			}
			my $family = $families{$name} //= { samples => [] };
			die "$what behind samples of $name\n" if @{$family->{samples}};
			die "$what twice for $name\n" if exists $family->{$what};
			die "type $rest\n" if $what eq 'type' && !$SUFFIX{$rest};
			die "help: $rest\n" if $what eq 'help' && $rest =~ /(?<!\\)(?:\\\\)*(?:\\[^\\n"]|")/;
			$family->{$what} = $rest;
			next;
		}
		my ($name, undef, $labels, $value) = $line =~ /^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\})? ($NUMBER)\z/
			or die "no sample: $line\n";
		die "a sample without a family: $line\n" if !defined $now;
		my $family = $families{$now};
		my ($suffix) = grep { $name eq $now . $_ } @{$SUFFIX{$family->{type}}};
		die "$name is no sample of $family->{type} $now\n" if !defined $suffix;
		my $l = _labels($labels // '', $line);
		my $key = join "\0", $name, map { "$_\0$l->{$_}" } sort keys %$l;
		die "twice: $line\n" if $seen{$key}++;
		die "a counter below 0: $line\n" if $suffix eq '_total' && !($value >= 0);
		push @{$family->{samples}}, [$name, $l, $value];
	}
	$_->{type} eq 'histogram' and _check_histogram($_) for values %families;
	return \%families;
}

sub sample {
	my ($families, $name, %labels) = @_;
	my $none;
	for my $family (values %$families) {
		for (@{$family->{samples}}) {
			my ($its, $l, $value) = @$_;
			return $value if $its eq $name && keys %$l == keys %labels && !grep { ($l->{$_} // "\0") ne $labels{$_} } keys %labels;
		}
	}
	return $none;
}

# promtool's verdict on a text in the older format: (status, output); () if it is not installed.
sub promtool {
	my ($file) = @_;
	return if system('command -v promtool >/dev/null 2>&1');
	my $said = `promtool check metrics < '$file' 2>&1`;
	return ($? >> 8, $said);
}

1;
