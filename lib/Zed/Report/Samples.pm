# SPDX-License-Identifier: GPL-2.0-or-later
#
# Samples: the file of --samples: each measured number by itself, for zedperl compare.
package Zed::Report::Samples;
use strict;
use warnings;

our $VERSION = '0.1';

# PATH, or undef; NAME is the script's, OPTIONS its Zed::Options.
sub new {
	my ($class, %o) = @_;
	return bless { name => $o{name}, path => $o{path}, options => $o{options} }, $class;
}

# undef: none was asked for.
sub file {
	my ($self) = @_;
	my $path = $self->{path};
	return if !defined $path;
	return $self->{file} if $self->{file};
	require Zed::Page;
	if (-e $path && !-f _) {
		open $self->{file}, '>', $path or $self->{options}->usage("--samples $path: $!");
		return $self->{file};
	}
	# As zedperl --map -o does: under another name until it is complete, for its owner alone, not through others'
	# links.
	$self->{options}->usage("--samples $path: is a symbolic link of another user: name its target")
		if -l $path && (lstat _)[4] != $>;
	require Cwd;
	my $file = -l $path ? Cwd::realpath($path) // $path : $path;
	my $no = Zed::Page::refusal($file);
	$self->{options}->usage("--samples $path: $no") if defined $no;
	require Fcntl;
	my $mode = -e $file && -o _ ? (stat _)[2] & oct 777 : oct 600;
	sysopen $self->{file}, "$file.$$.new", Fcntl::O_WRONLY() | Fcntl::O_CREAT() | Fcntl::O_EXCL(), 0600
		or $self->{options}->usage("--samples $path: $!");
	chmod $mode, $self->{file};
	$self->{to} = $file;
	return $self->{file};
}

sub add {
	my ($self, $key, $ts, $value) = @_;
	print {$self->{file} // file($self) // return} join(' ',
		map { defined ? Zed::plain($_) =~ tr/\t/ /r : '-' } @$key), "\t$ts\t$value\n"
		or fail($self, "--samples $self->{path}: $!");
	return;
}

# A requested file cannot be written: no half of it is left, and the exit status reports it.
sub fail {
	my ($self, $why) = @_;
	unlink "$self->{to}.$$.new" if defined $self->{to};
	STDOUT->flush;
	print {*STDERR} "$self->{name}: ", Zed::plain($why), "\n";
	exit 1;
}

sub end {
	my ($self) = @_;
	my $out = file($self) // return;
	my $to = $self->{to};
	close $out && (!defined $to || rename "$to.$$.new", $to)
		or fail($self, "--samples $self->{path}: $!");
	return;
}

1;
