# SPDX-License-Identifier: GPL-2.0-or-later
#
# Mutate::Perf: small perf.data in both byte orders, as files, saved pipes and directories, compressed or not, with a
# map of their headers, events, ids, records, samples and features, for Mutate::Seeds.
package Mutate::Perf;
use strict;
use warnings;
use Exporter 'import';
use Mutate;
use Mutate::Map;
use Mutate::Texts;
use Write::Perf;
use Run::Program;

our @EXPORT = qw(perfdata);

my %made;	# what => [files, events, parts, big]

sub perfdata {
	my ($r, $in) = @_;
	my $form = $r->pick('file', 'file', 'pipe', 'packed', 'dir');
	my $big = $form eq 'packed' ? 0 : $r->below(2);
	my $m = $made{"$form $big"} //= make($form, $big);
	@$in{qw(path files events big)} = ($form eq 'dir' ? 'in' : 'in.dat', { %{$m->{files}} }, $m->{events}, $big);
	$in->{parts} = [@{$m->{parts}}];
	$in->{sizes} = [8, 24, 40, 104, 112, 128, 65_535];
	push @{$in->{said}}, $form;
	return $in;
}

sub make {
	my ($form, $big) = @_;
	my $path = zed_tmp() . "/perf$$";
	my $w = Write::Perf::example($path, big => $big, $form eq 'pipe' ? (pipe => 1) : $form eq 'packed' ? (zstd => 1) : ());
	my %m = (files => { '' => slurp($path) }, events => 18, big => $big, parts => []);
	unlink $path;
	if ($form eq 'dir') {
		# The records of each CPU, in order of time, are a file of their own; data keeps the rest.
		my ($off, $size) = section($m{files}{''}, $big, 40);
		my %of = (data => '', 0 => '', 1 => '');
		my @samples;
		records($m{files}{''}, $big, $off, $off + $size, sub {
			my ($at, $len, $type) = @_;
			my $bytes = substr $m{files}{''}, $at, $len;
			# IDENTIFIER IP TID TIME CPU
			push @samples, [Mutate::get($bytes, 32, 8, $big), Mutate::get($bytes, 40, 4, $big), $bytes] if $type == 9;
			$of{data} .= $bytes if $type != 9 && $type != 68;
		});
		$of{$_->[1]} .= $_->[2] for sort { $a->[0] <=> $b->[0] } @samples;
		my $f = Write::Perf::example_head(big => $big);
		$f->{data} = $of{data};
		$m{files} = { data => $f->bytes, 'data.0' => $of{0}, 'data.1' => $of{1} };
		walk(\%m, "data.$_", 0, length $of{$_}) for 0, 1;
	}
	head(\%m, $form eq 'dir' ? 'data' : '');
	return \%m;
}

sub section { my ($b, $big, $at) = @_; return map { Mutate::get($b, $at + $_, 8, $big) } 0, 8 }

sub head {
	my ($m, $file) = @_;
	my ($b, $big) = ($m->{files}{$file}, $m->{big});
	my $add = sub { push @{$m->{parts}}, @_ };
	$add->(num($file, 0, 8, 'magic'), num($file, 8, 8, 'size of the header', 1));
	return walk($m, $file, 16, length $b) if Mutate::get($b, 8, 8, $big) == 16;
	$add->(num($file, 16, 8, 'size of an event', 1), map { num($file, 24 + 8 * $_, 8, 'section', 1) } 0 .. 5);
	$add->(num($file, 72 + 8 * $_, 8, 'features', 1)) for 0 .. 3;
	my ($off, $size) = section($b, $big, 24);
	for (my $at = $off; $at < $off + $size; $at += 128) {
		attr($m, $file, $at);
		my ($ids, $len) = section($b, $big, $at + 112);
		$add->(num($file, $at + 112, 8, 'offset of ids', 1), num($file, $at + 120, 8, 'size of ids', 1));
		$add->(num($file, $ids + 8 * $_, 8, 'id', 1)) for 0 .. $len / 8 - 1;
	}
	($off, $size) = section($b, $big, 40);
	walk($m, $file, $off, $off + $size);
	my $table = $off + $size;
	for my $bit (grep { Mutate::get($b, 72, 8, $big) >> $_ & 1 } 0 .. 63) {
		my ($at, $len) = section($b, $big, $table);
		$add->(num($file, $table, 8, 'offset of a feature', 1), num($file, $table + 8, 8, 'size of a feature', 1));
		$add->(map { num($file, $at + 4 * $_, 4, 'word of a feature', 1) } 0 .. ($len < 400 ? $len / 4 - 1 : 100));
		$add->({ file => $file, off => $at, len => $len, type => 'text', name => "feature $bit", fixed => 1, loose => 1,
			snippets => $SNIPPETS{format} });
		$table += 16;
	}
	return;
}

sub attr {
	my ($m, $file, $at) = @_;
	push @{$m->{parts}}, map { num($file, $at + $_->[0], $_->[1], "$_->[2] of an event", 1) } [0, 4, 'type'], [4, 4, 'size'],
		[8, 8, 'config'], [16, 8, 'period'], [24, 8, 'sample_type'], [32, 8, 'read_format'], [40, 8, 'flags'],
		[72, 8, 'branches'], [80, 8, 'registers'], [92, 4, 'clock'];
	return;
}

# Call F with offset, size, type of each record.
sub records {
	my ($b, $big, $at, $end, $f) = @_;
	while ($at + 8 <= $end) {
		my ($type, $size) = (Mutate::get($b, $at, 4, $big), Mutate::get($b, $at + 6, 2, $big));
		last if $size < 8;
		$f->($at, $size, $type);
		# Formats stand behind their record.
		$size += Mutate::get($b, $at + 8, 4, $big) if $type == 66;
		$at += $size;
	}
	return;
}

# A record that is another now, or not there, is nothing that a reader can know of.
sub walk {
	my ($m, $file, $at, $end) = @_;
	my ($b, $big) = ($m->{files}{$file}, $m->{big});
	records($b, $big, $at, $end, sub {
		my ($off, $size, $type) = @_;
		push @{$m->{parts}}, num($file, $off, 4, 'type of a record', 1), num($file, $off + 4, 2, 'misc of a record', 1),
			num($file, $off + 6, 2, "size of a record $type", 1),
			{ file => $file, off => $off, len => $size, type => 'block', name => "record $type", loose => 1, tail => 1 };
		push @{$m->{parts}}, num($file, $off + 8 + 8 * $_, 8, "word of a record $type", 1) for 0 .. ($size - 8) / 8 - 1;
		push @{$m->{parts}}, num($file, $off + 8 + 4 * $_, 4, "half a word of a record $type", 1) for 0 .. ($size - 8) / 4 - 1;
		attr($m, $file, $off + 8) if $type == 64;
	});
	return;
}

1;
