# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::Python: for the tests of the Python side: zedpython, and the python3 that its extension was built for.
#
#	plan skip_all => python_missing() if python_missing();
#	my $r = zedpython($dat, \'def mini__tick(*args): print(args)');	# {status, sig, out, err, script}
#	$r = python({ memory => 600_000 }, \'import sys, zed; print(zed.open(sys.argv[1]))', $dat);
package Run::Python;
use strict;
use warnings;
use Cwd ();
use Exporter 'import';
use File::Basename ();
use Files;
use Run::Process;
use Run::Zedperl ();

our @EXPORT = qw(python_missing extension_missing zedpython zedpython_path python python_path python_words python_script python_dir %PYTHON_ENV);

my $root = Cwd::abs_path(File::Basename::dirname(__FILE__) . '/../../..');

sub zedpython_path { return ($ENV{ZED_BIN_DIR} || $root) . '/zedpython' }

# The folder of the extension: what PYTHONPATH needs.
sub python_dir { return Cwd::abs_path($ENV{ZED_BUILD} // "$root/build/gcc") . '/python' }

sub _extension { my ($so) = sort glob python_dir() . '/zed.*.so'; return $so }

# The interpreter that the extension was built for.
sub python_path {
	my ($path) = map { -e ? slurp($_) =~ s{\n.*}{}sr : () } python_dir() . "/interpreter";
	return defined $path && -x $path ? $path : undef;
}

# Why zedpython cannot be run here, or undef.
sub python_missing {
	return -x zedpython_path() ? undef : 'no zedpython: python3-dev was not here when it was built (apt-get install python3-dev)';
}

# Why python3 cannot import zed here, or undef.
sub extension_missing {
	return 'a sanitizer has to be in the program itself: python3 has none' if $ENV{ZED_SAN};
	return 'no extension for python3: python3-dev was not here when zedpython was built (apt-get install python3-dev)' if !_extension();
	return python_path() ? undef : 'the python3 that the extension was built for is not here';
}

# Write a script and return its path.
sub python_script {
	my ($text) = @_;
	return spew(Run::Zedperl::temp_path('.py'), $text);
}

# What every run has: names and output are bytes that do not depend on the locale, output is buffered, and nothing is
# written beside scripts.
our %PYTHON_ENV = (LC_ALL => 'C.UTF-8', PYTHONDONTWRITEBYTECODE => 1, PYTHONNOUSERSITE => 1, PYTHONUNBUFFERED => '', PYTHONPATH => '');

sub _run {
	my ($program, $env, @args) = @_;
	my %o = ref $args[0] eq 'HASH' ? %{+shift @args} : ();
	my ($out, $err) = map { Run::Zedperl::temp_path() } 1, 2;
	my @words = map { ref ? python_script($$_) : $_ } @args;
	my $pid = spawn({ stdin => $o{stdin}, stdout => $o{stdout} // $out, stderr => $err, memory => $ENV{ZED_SAN} ? undef : $o{memory},
		dir => $o{dir}, env => { %PYTHON_ENV, %$env, %{$o{env} // {}} } }, $program, @words);
	my ($status, $late) = reap($pid, $o{time} // ($ENV{ZED_SAN} ? 240 : 120));
	my %r = (status => $status >> 8, sig => $status & 127, late => $late, err => slurp($err), out => $o{stdout} ? '' : slurp($out),
		script => scalar((grep { /[.]py\z/ } @words)[0]));
	unlink $out, $err;
	return \%r;
}

# Run zedpython.  Words are arguments; a reference to a string is a script of that text; a leading hash has options:
# stdin, stdout, env, dir, memory (KiB of address space), time (seconds).  Returns {status, sig, late, out, err, script}.
sub zedpython { return _run(zedpython_path(), {}, @_) }

# Run python3 with the extension on its path; the same options.  zedperl is found, for zed.answer().
sub python {
	return _run(python_path(), { PYTHONPATH => python_dir(), PATH => File::Basename::dirname(zedpython_path()) . ":$ENV{PATH}" }, @_);
}

# The words that run python3 so from a shell or spawn().
sub python_words { return ('env', 'PYTHONPATH=' . python_dir(), 'PYTHONDONTWRITEBYTECODE=1', python_path()) }

1;
