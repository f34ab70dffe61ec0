# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::Program: runs the programs under test with bounded time and memory, and returns the result.
package Run::Program;
use strict;
use warnings;
use Exporter 'import';
use Test::More ();
use Time::HiRes ();
use Files;
use Run::Process;

our @EXPORT = qw(zed_bin zed_run zed_tmp zed_shared slurp);
our @EXPORT_OK = qw(spew same);

# The programs: ZED_BIN_DIR, else the checkout's root.
sub zed_bin { return ($ENV{ZED_BIN_DIR} // '.') . "/$_[0]" }

# A directory for this test, removed at its end.
sub zed_tmp { return temp_dir() }

# The folder beside the checkout with the full recordings, or undef.
sub zed_shared {
	my ($dir) = grep { -d "$_/data" } $ENV{ZED_SHARED} // (), '../shared';
	return $dir;
}

# Two texts are equal; if not, shows the first difference.
sub same {
	my ($got, $want, $what) = @_;
	return Test::More::pass($what) if $got eq $want;
	my @g = split /\n/, $got;
	my @w = split /\n/, $want;
	my $i = 0;
	$i++ while $i < @g && $i < @w && $g[$i] eq $w[$i];
	Test::More::fail($what);
	Test::More::diag(@g . ' lines, want ' . @w . "; line " . ($i + 1) . ":\n  got  " . ($g[$i] // 'none')
		. "\n  want " . ($w[$i] // 'none'));
	return 0;
}

# Run PROGRAM with ARGS.  Options in a leading hash: time (seconds), memory (KiB of address space, 0: no limit; none
# under a sanitizer, which reserves terabytes), and what spawn() takes (stdin, stdout, env, child, cpu, size, files).
# Returns { exit (as a shell has it: 128 and more after a signal), signal, late, out, err, seconds, lines, cmd }.
my $run = 0;
sub zed_run {
	my %o = ref $_[0] eq 'HASH' ? %{+shift} : ();
	my ($program, @args) = @_;
	my $limit = $o{time} // ($ENV{ZED_SAN} ? 120 : 60);
	my $memory = $ENV{ZED_SAN} ? 0 : $o{memory} // 600_000;
	my ($out, $err) = map { zed_tmp() . "/.$_.$$." . ++$run } qw(out err);
	my $start = Time::HiRes::time();
	my $pid = spawn({ %o, stdout => $o{stdout} // $out, stderr => $err, memory => $memory || undef },
		$program =~ m{/|^sh$} ? $program : zed_bin($program), @args);
	my ($status, $late) = reap($pid, $limit);
	my $said = slurp($err);
	my %r = (
		exit => $status & 127 ? 128 + ($status & 127) : $status >> 8, signal => $status & 127, late => $late,
		out => defined $o{stdout} ? '' : slurp($out), err => $said,
		seconds => Time::HiRes::time() - $start,
		lines => [split /\n/, $said], cmd => join(' ', $program, @args),
	);
	unlink $out, $err;
	return \%r;
}

1;
