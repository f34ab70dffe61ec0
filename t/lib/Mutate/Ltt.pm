# SPDX-License-Identifier: GPL-2.0-or-later
#
# Mutate::Ltt: small LTT traces of each version, with a map of their blocks, records and descriptions, for
# Mutate::Seeds.
package Mutate::Ltt;
use strict;
use warnings;
use Exporter 'import';
use Write::Ltt;
use Mutate::Map;
use Mutate::Texts;
use Run::Program;

our @EXPORT = qw(ltt);

my %ltt;	# variant => [files, events, blocks: [file, offset, length, header], big]

sub ltt {
	my ($r, $in) = @_;
	my $version = $r->pick('0.4', '0.5', '0.6', '0.7', 'G1');
	my $variant = $r->below(2);
	my $l = $ltt{"$version $variant"} //= $version eq 'G1' ? ltt_g1($variant) : ltt_new($version, $variant);
	@$in{qw(path files events big)} = ('in', { %{$l->{files}} }, $l->{events}, $l->{big});
	$in->{parts} = [@{$l->{parts}}];
	$in->{sizes} = [$l->{size}, $l->{head}];
	push @{$in->{said}}, $version;
	return $in;
}

sub ltt_files {
	my ($w) = @_;
	my $dir = zed_tmp() . "/ltt$$";
	$w->write($dir);
	my %files;
	for my $path (split /\n/, `cd '$dir' && find . -type f`) {
		$files{$path =~ s{^\./}{}r} = slurp("$dir/$path");
	}
	system 'rm', '-rf', $dir;
	return \%files;
}

my $U4 = [uint => 4];

sub ltt_new {
	my ($version, $variant) = @_;
	my $w = Write::Ltt->new(version => $version, buf_size => 700, big => $variant, align => $variant ? 4 : 0, arch => $variant ? 8 : 4);
	$w->facility(name => 'mini', id => 4, events => [[tick => [n => $U4]], [text => [s => ['string'], n => $U4]],
		[list => [s => [seq => [uint => 1], [seq => $U4, [uint => 2]]]]]]);
	$w->facility(name => 'other', id => 5, types => { pair => [struct => a => $U4, b => ['string']] },
		events => [[two => [p => [array => 2, [ref => 'pair']], c => [enum => 4, [red => undef], [blue => undef]]]]]);
	for my $n (1 .. 20) {
		my ($cpu, $tsc) = ($n % 2, 1_000_000 + 1000 * $n);
		$w->event($cpu, $tsc, 'mini::tick', { n => $n });
		$w->event($cpu, $tsc + 1, 'mini::text', { s => "text $n", n => $n });
		$w->event($cpu, $tsc + 2, 'mini::list', { s => [[1, 2, 3], [$n]] });
		$w->event($cpu, $tsc + 3, 'other::two', { p => [{ a => 1, b => 'x' }, { a => $n, b => 'yy' }], c => 'blue' });
	}
	my $l = { files => ltt_files($w), big => $variant, size => 700, head => $w->header_size };
	$l->{events} = () = $w->manifest;
	ltt_parts($l, 700, $w->header_size);
	# Records, by where the writer has put them.
	for my $e ($w->manifest) {
		my $file = ($e->{group} eq 'cpu' ? 'cpu' : $e->{group}) . "_$e->{cpu}";
		push @{$l->{parts}}, num($file, $e->{at}, 4, 'time of a record', 0), num($file, $e->{at} + 4, 1, 'facility of a record', 1),
			num($file, $e->{at} + 5, 1, 'event of a record', 1), num($file, $e->{at} + 6, 2, 'size of a record', 1),
			{ file => $file, off => $e->{at}, len => $e->{end} - $e->{at}, type => 'block', name => 'record', loose => 1, tail => 0 };
	}
	return $l;
}

sub ltt_g1 {
	my ($variant) = @_;
	my $w = Write::Ltt->sample_g1(3, 12, big => $variant);
	my $l = { files => ltt_files($w), big => $variant, size => 700, head => 6 };
	$l->{events} = () = $w->manifest;
	ltt_parts($l, 700, 30);
	for my $e ($w->manifest) {
		my $file = $e->{group} eq 'cpu' ? "cpu/$e->{cpu}" : $e->{group};
		# No record tells its length here: what is behind a wrong one is misread until the block ends.
		push @{$l->{parts}}, num($file, $e->{at}, 2, 'code of a record', 1), num($file, $e->{at} + 2, 4, 'time of a record', 0),
			{ file => $file, off => $e->{at}, len => $e->{end} - $e->{at}, type => 'block', name => 'record', loose => 1 };
	}
	push @{$l->{parts}}, map { my $f = $_; map { num($f, 700 * $_ - 4, 4, 'lost size of a block', 1) } 1 .. length($l->{files}{$f}) / 700 }
		grep { m{^cpu/} } keys %{$l->{files}};
	return $l;
}

sub ltt_parts {
	my ($l, $size, $head) = @_;
	my $p = $l->{parts} = [];
	for my $file (sort keys %{$l->{files}}) {
		my $len = length $l->{files}{$file};
		if ($file =~ /\.xml$/) {
			push @$p, { file => $file, off => 0, len => $len, type => 'text', name => "text of $file", snippets => $SNIPPETS{xml}, loose => 1 };
			next;
		}
		for (my $at = 0; $at < $len; $at += $size) {
			push @$p, { file => $file, off => $at, len => $size, type => 'block', name => 'block', loose => 1, tail => 1 };
			for (my $o = 0; $o + 4 <= $head; $o += 4) {
				push @$p, num($file, $at + $o, 4, "word $o of a block's head", 1), num($file, $at + $o + $_, 1, "byte of a block's head", 1)
					for 0, 1;
			}
		}
	}
	return;
}

1;
