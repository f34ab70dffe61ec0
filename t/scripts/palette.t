# SPDX-License-Identifier: GPL-2.0-or-later
#
# The colours of pages: those of tasks differ for everybody, also for the colour-blind; letters can be read on them; red
# is for losses alone.  Without it two of eight tasks look the same to one reader in twelve.
#
# of: page/page.css page/colors.js
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Files qw(slurp);

my $LEAST = 14;		# CIE76: 2 is just noticed, side by side
my $TASKS = 8;

# Of linear red, green, blue: what is left without one kind of cones (Machado, Oliveira, Fernandes 2009, severity 1).
my %SEES = (
	all => [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
	protanopia => [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
	deuteranopia => [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
	tritanopia => [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
);
my @XYZ = ([0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]);
my @WHITE = (0.9505, 1, 1.089);

sub linear { my ($v) = @_; return $v > 0.04045 ? (($v + 0.055) / 1.055)**2.4 : $v / 12.92 }
sub rgb { return map { linear(hex($_) / 255) } $_[0] =~ /\A#(..)(..)(..)\z/ }

sub times {	## no critic (ProhibitBuiltinHomonyms)
	my ($matrix, @v) = @_;
	return map { my $row = $_; my $sum = 0; $sum += $row->[$_] * $v[$_] for 0 .. 2; $sum } @$matrix;
}

# CIE L*a*b* of COLOR, as somebody sees it.
sub lab {
	my ($color, $sees) = @_;
	my @seen = map { $_ < 0 ? 0 : $_ > 1 ? 1 : $_ } main::times($SEES{$sees}, rgb($color));
	my @xyz = main::times(\@XYZ, @seen);
	my ($x, $y, $z) = map { my $t = $xyz[$_] / $WHITE[$_]; $t > 0.008856 ? $t**(1 / 3) : 7.787 * $t + 16 / 116 } 0 .. 2;
	return (116 * $y - 16, 500 * ($x - $y), 200 * ($y - $z));
}

sub apart {
	my ($one, $other, $sees) = @_;
	my @x = lab($one, $sees);
	my @y = lab($other, $sees);
	my $sum = 0;
	$sum += ($x[$_] - $y[$_])**2 for 0 .. 2;
	return sqrt $sum;
}

sub light { return (main::times(\@XYZ, rgb($_[0])))[1] }

sub contrast {
	my ($dark, $bright) = sort { $a <=> $b } map { light($_) } @_;
	return ($bright + 0.05) / ($dark + 0.05);
}

# Degrees from red, and how much colour there is.
sub hue {
	my ($r, $g, $b) = map { hex } $_[0] =~ /\A#(..)(..)(..)\z/;
	my ($least, undef, $most) = sort { $a <=> $b } $r, $g, $b;
	my $range = $most - $least or return (0, 0);
	my $hue = $most == $r ? 60 * ($g - $b) / $range : $most == $g ? 120 + 60 * ($b - $r) / $range : 240 + 60 * ($r - $g) / $range;
	return ($hue > 180 ? $hue - 360 : $hue, $range / $most);
}

is(sprintf('%.1f', apart('#000000', '#ffffff', 'all')), '100.0', 'black and white are 100 apart');
cmp_ok(apart('#c04040', '#609030', 'deuteranopia'), '<', apart('#c04040', '#609030', 'all') / 2, 'red and green are not, to some (else: the check below lets anything pass)');
is(sprintf('%.1f', contrast('#000000', '#ffffff')), '21.0', 'the contrast of black on white');

my %sheet;
my $css = slurp('page/page.css');
for (['light', qr/^:root \{(.*?)^\}/ms], ['dark', qr/prefers-color-scheme: dark\) \{\n\t:root \{(.*?)^\t\}/ms], ['paper', qr/media print \{\n\t:root \{(.*?)^\t\}/ms]) {
	my ($scheme, $block) = @$_;
	my ($text) = $css =~ $block;
	my %color = ($text // '') =~ /--([\w-]+): (#[0-9a-f]{6});/g;
	$sheet{$scheme} = \%color;
}
is_deeply([sort keys %{$sheet{dark}}], [sort keys %{$sheet{light}}], 'at night there are the same colours (else: one of them is missing)');
# Paper has the colours of the light scheme, but for some.
cmp_ok(scalar(keys %{$sheet{paper}}), '>', 3, 'paper has some of its own');
is_deeply([grep { !exists $sheet{light}{$_} } keys %{$sheet{paper}}], [], '... of the same names');
$sheet{paper} = { %{$sheet{light}}, %{$sheet{paper}} };
like($css, qr/\@media screen and \(prefers-color-scheme: dark\)/, '... and never those of the night');

for my $scheme (sort keys %sheet) {
	my $of = $sheet{$scheme};
	my @tasks = map { "task-$_" } 1 .. $TASKS;
	is(scalar(grep { defined $of->{$_} } @tasks, 'task-rest'), $TASKS + 1, "$scheme: $TASKS tasks, and the rest");
	for my $sees (sort keys %SEES) {
		my @close;
		my @others = (@tasks, qw(task-rest idle lost));
		for my $i (0 .. $#tasks) {
			push @close, map { sprintf '%s %s %.1f', $tasks[$i], $_, apart($of->{$tasks[$i]}, $of->{$_}, $sees) }
				grep { apart($of->{$tasks[$i]}, $of->{$_}, $sees) < $LEAST } @others[$i + 1 .. $#others];
		}
		is_deeply(\@close, [], "$scheme, $sees: no two are alike");
	}
	my @grey = grep { (hue($of->{$_}))[1] > 0.2 } qw(task-rest unknown);
	is_deeply(\@grey, [], "$scheme: the rest is neutral");
	# Letters: dark or bright, as page/colors.js chooses.
	my @pale = grep { my $color = $of->{$_}; contrast($color, light($color) > 0.18 ? '#101418' : '#ffffff') < 4.5 }
		@tasks, qw(task-rest ready run blocked irq softirq flame-a flame-b flame-rest found);
	is_deeply(\@pale, [], "$scheme: letters can be read on each");
	my @red = grep { my ($hue, $much) = hue($of->{$_}); $_ ne 'lost' && $much > 0.35 && abs $hue < 20 } sort keys %$of;
	is_deeply(\@red, [], "$scheme: only losses are red");
	my ($hue, $much) = hue($of->{lost});
	ok($much > 0.35 && abs $hue < 20, '... and they are');
}

# No picture has a colour of its own beside the sheet's, but letters.
my @own = map { my $file = $_; map { "$file: $_" } grep { !/^#(?:101418|ffffff)\z/ } slurp($file) =~ /(#[0-9a-f]{6}\b|hsl\([^)]*\))/g } glob('page/*.js'), 'lib/Zed/Svg.pm';
is_deeply(\@own, [], 'all colours are in the sheet');

done_testing();
