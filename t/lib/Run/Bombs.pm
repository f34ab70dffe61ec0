# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::Bombs: inputs under 1 MB that are built to cost as much as possible, and the programs run on them within the
# limits of SECURITY.md (Run::Promise).
#
# ZED_BOMBS=RE picks some of them, with all readers (ZED_BOMBS=. is the long run); ZED_BOMB_TIMES=1 prints the cost of
# each run.
package Run::Bombs;
use strict;
use warnings;
use Exporter 'import';
use Test::More;
use Compress::Zlib ();
use File::Path ();
use Pass;
use Write::Dat;
use Run::Program;
use Run::Promise;

our @EXPORT = qw(bomb bombs_done bomb_dat fill padded $MB);
our $MB = 1 << 20;

my $dir = zed_tmp();

my @slow;

# Run PROGRAM in these bounds; its result.
sub bounded {
	my ($program, @args) = @_;
	my $memory = promised_memory($program);
	my @before = times;
	my $r = zed_run({ time => 120, memory => $memory, cpu => $SECONDS, stdout => "$dir/out" }, $program, @args);
	my @after = times;
	$r->{cpu} = abs($after[2] + $after[3] - $before[2] - $before[3]);
	push @slow, sprintf '%5.2f s %s', $r->{cpu}, "$program @args" =~ s/\Q$dir\E\///gr;
	diag($slow[-1]) if $ENV{ZED_BOMB_TIMES};
	return $r;
}

# -f zed and --summary do less than these.  Some readers' options look for the ends of all CPUs, and keep all events.
my @readers = (['zedprint', '-f', 'report'], ['zedprint', '-f', 'json'], ['zedprint', '--relative', '--end', '-0'],
	['zedprint', '--tail', 1_000_000], ['zedperl', 'scripts/countall.pl'],
	['zedprint', '--event', 'x:y', '--synthetic', 'x:y start=*:* end=*:* n=end.ts'],
	['zedperl', '-e', 'my @a = (Zed::count("*:*", by => ["comm", "cpu"]), Zed::hist("*:*", "ts")); sub trace_end { $_->print for @a }'],
	['zedprint', '-f', 'parquet', '-o', "$dir/tables"],
	['zedperl', '-t'], ['zedperl', '-g'], ['zedperl', '--stable-check'], ['zedperl', '--export', "$dir/out.zst"]);

# The readers of the next bomb: the first two, which print the most, and of the others every third one, by turns.
my $nth = 0;
sub some_readers {
	$nth++;
	return @readers if $ENV{ZED_BOMBS};
	return @readers[grep { $_ < 2 || ($_ + $nth) % 3 == 0 } 0 .. $#readers];
}

# A bomb: PATH, or code that makes it and returns its path.  O: small => 1 (make test runs it, too), like => the message
# (undef: none is needed), events => how many have to be delivered at least, readers => the commands that it concerns,
# large => 1 (it is over 1 MB, but still bounded), said_by => RE of the commands that get far enough to print the
# message.
sub bomb {
	my ($what, $path, %o) = @_;
	return if $ENV{ZED_BOMBS} && $what !~ /$ENV{ZED_BOMBS}/ || small() && !$o{small};
	$path = $path->() if ref $path;
	subtest $what => sub {
		my $size = -d $path ? 0 : -s $path;
		cmp_ok($size, '<', $LARGEST, "an input of $size bytes") if !$o{large};
		for my $reader ($o{readers} ? @{$o{readers}} : some_readers()) {
			my $r = bounded(@$reader, $path, $reader->[1] eq '--convert' ? "$dir/out.dat" : ());
			unlink "$dir/out.dat", "$dir/out.zst";
			File::Path::remove_tree("$dir/tables");
			my $name = join ' ', map { s/\Q$dir\E\///r } @$reader;
			my $well = !$r->{late} && !$r->{signal} && $r->{exit} <= 2 && $r->{err} !~ /out of memory/i;
			ok($well, sprintf '%s: %.1f s of CPU', $name, $r->{cpu}) or
				diag("exit $r->{exit} signal $r->{signal}\n" . substr $r->{err}, 0, 600);
			next if !$well || $name =~ /-t|-g|--stable-check|--export/;
			cmp_ok(length $r->{err}, '<', 300_000, '... says little');
			if ($o{like} && $name =~ ($o{said_by} // qr/./)) {
				like($r->{err}, $o{like}, '... says which bound');
				is($r->{exit}, 1, '... with exit 1');
			}
			next if !$o{events} || $name !~ /report/;
			my $n = 0;
			open my $fh, '<', "$dir/out" or die "$dir/out: $!\n";
			/: (?:tick|said): / and $n++ while <$fh>;
			cmp_ok($n, '>=', $o{events}, '... delivers what is intact');
		}
	};
	unlink $path if -f $path;
	return;
}

# A zlib stream of BYTES that claims to be LEN bytes long: bytes after its end are never read, so any ratio is possible
# with a file of any size.
sub padded {
	my ($bytes, $len) = @_;
	my $z = Compress::Zlib::compress($bytes, 9);
	return $z . "\0" x ($len > length $z ? $len - length $z : 0);
}

# A Write::Dat of compressed metadata in which sections are replaced: id => [payload, length when packed].
{
	package BombDat;
	our @ISA = ('Write::Dat');
	my $plain = \&Write::Dat::section;
	sub make7 {
		my $d = shift;
		no warnings 'redefine';
		local *Write::Dat::section = \&replaced;
		return Write::Dat::make7($d);
	}
	sub replaced {
		my ($d, $id, $name, $payload, $flat) = @_;
		return $plain->($d, $id, $name, $payload, $flat) if $flat || !$d->{bombs}{$id};
		my ($bytes, $len) = @{$d->{bombs}{$id}};
		my $z = Run::Bombs::padded($bytes, $len);
		Write::Dat::put($d, $d->u16($id) . $d->u16(1) . $d->u32(-1) . $d->u64(8 + length $z) .
			$d->u32(length $z) . $d->u32(length $bytes) . $z, $name);
		return;
	}
}

sub bomb_dat {
	my ($name, $bombs, %o) = @_;
	return BombDat->new(compression => 'zlib', bombs => $bombs, %o)->write("$dir/$name.dat");
}

# As many of the strings that F returns for 0, 1, ... as fit into LEN bytes.
sub fill {
	my ($len, $f) = @_;
	my ($out, $i) = ('', 0);
	$out .= $f->($i++) while length $out < $len - 64;
	return $out;
}

sub bombs_done {
	@slow = sort { $b cmp $a } @slow;
	diag("the slowest: $_") for @slow[0 .. ($#slow < 2 ? $#slow : 2)];
	done_testing;
	return;
}

1;
