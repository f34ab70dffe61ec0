# SPDX-License-Identifier: GPL-2.0-or-later
#
# ZedRun: runs the programs under test with bounded time and memory, and says how it went.
package ZedRun;
use strict;
use warnings;
use Exporter 'import';
use File::Temp ();
use POSIX ();
use Test::More ();
use Time::HiRes ();

our @EXPORT = qw(zed_bin zed_run zed_tmp zed_shared slurp);
our @EXPORT_OK = qw(spew same);

# The programs: ZED_BIN_DIR, else the checkout's root.
sub zed_bin { return ($ENV{ZED_BIN_DIR} // '.') . "/$_[0]" }

# A directory for this test, gone at its end.
my $tmp;
sub zed_tmp { $tmp //= File::Temp->newdir('zedtest.XXXXXX', TMPDIR => 1); return "$tmp" }

# The folder beside the checkout with the full recordings, or undef.
sub zed_shared {
	my ($dir) = grep { -d "$_/data" } $ENV{ZED_SHARED} // (), '../shared';
	return $dir;
}

sub slurp {
	my $path = shift;
	open my $fh, '<:raw', $path or die "$path: $!\n";
	local $/;
	return scalar <$fh> // '';
}

# Write TEXT to the file TO; returns TO.
sub spew {
	my ($to, $text) = @_;
	open my $fh, '>:raw', $to or die "$to: $!\n";
	print $fh $text;
	close $fh or die "$to: $!\n";
	return $to;
}

# Two texts are equal; if not, say where they part.
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

# Run PROGRAM with ARGS.  Options in a leading hash: time (seconds), memory (KiB of address space; no
# limit under a sanitizer, which reserves terabytes), stdin, stdout (paths), env, child (code run before
# exec).  Returns { exit, signal, late, out, err, seconds, lines }.
sub zed_run {
	my %o = ref $_[0] eq 'HASH' ? %{+shift} : ();
	my ($program, @args) = @_;
	my $limit = $o{time} // ($ENV{ZED_SAN} ? 60 : 15);
	my ($out, $err) = map { File::Temp->new(DIR => zed_tmp()) } 1, 2;
	my $start = Time::HiRes::time();
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		open STDIN, '<', $o{stdin} // '/dev/null' or POSIX::_exit(120);
		open STDOUT, '>', $o{stdout} // $out->filename or POSIX::_exit(121);
		open STDERR, '>', $err->filename or POSIX::_exit(122);
		%ENV = (%ENV, %{$o{env}}) if $o{env};
		my $memory = $ENV{ZED_SAN} ? 0 : $o{memory} // 600_000;
		$o{child}->() if $o{child};
		my @cmd = ($program =~ m{/|^sh$} ? $program : zed_bin($program), @args);
		exec { '/bin/sh' } 'sh', '-c', ($memory ? "ulimit -v $memory; " : '') . 'exec "$@"', 'sh', @cmd
			or POSIX::_exit(123);
	}
	my ($late, $status) = (0, 0);
	while (1) {
		my $got = waitpid $pid, POSIX::WNOHANG();
		if ($got == $pid) {
			$status = $?;
			last;
		}
		if (Time::HiRes::time() - $start > $limit) {
			$late = 1;
			kill 'KILL', $pid;
			waitpid $pid, 0;
			$status = $?;
			last;
		}
		Time::HiRes::sleep(0.004);
	}
	my $said = slurp($err->filename);
	return {
		exit => $status >> 8, signal => $status & 127, late => $late,
		out => $o{stdout} ? '' : slurp($out->filename), err => $said,
		seconds => Time::HiRes::time() - $start,
		lines => [split /\n/, $said], cmd => join(' ', $program, @args),
	};
}

1;
