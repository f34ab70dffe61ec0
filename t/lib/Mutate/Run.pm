# SPDX-License-Identifier: GPL-2.0-or-later
#
# Mutate::Run: gives an input to the programs, with bounded time, memory and output, and judges how it went.
#
#	my $run = Mutate::Run->new(dir => $dir, all => 0);
#	my @wrong = $run->try($in, $r);		# lines; none: all promises hold
#	$run->{runs}, $run->{exits}		# how many, and how they ended
package Mutate::Run;
use strict;
use warnings;
use Cwd ();
use File::Path ();
use Files;
use Run::Process;

our $CPU = 5;			# seconds of a processor
our $MEMORY = 256 << 10;	# KiB above the memory of a program at its start
our $OUTPUT = 64 << 20;		# bytes of one file
our $MOST_LINES = 200;		# of messages
my $F_SETPIPE_SZ = 1031;

# Uses everything: every argument, every function of the current event.
my $SCRIPT = <<'END';
use Zed handlers => ['mini', 'made'];
my ($n, $lost, $seen, @of) = (0, 0, 0);
# Their answers without such an event do not matter here.
eval { Zed::synthetic('made::pair', start => 'mini:tick', end => 'mini:tick', match => 'start.pid == end.pid',
	fields => [took => 'end.ts - start.ts', n => 'start.n + end.n', who => 'start.comm']) };
sub trace_begin {
	push @of, grep { defined } map { eval { $_->() } } sub { Zed::count('*:*', by => ['comm', 'cpu'], max_keys => 100) },
		sub { Zed::top('mini:tick', 'n', limit => 3, fields => ['comm']) }, sub { Zed::hist('*:*', 'ts') },
		sub { Zed::stats('mini:tick', 'n', by => 'pid') }, sub { Zed::quantiles('made:pair', 'took', by => 'who') };
}
sub made::pair { look(@_) }
sub look {
	for (@_) {
		next if !defined;
		ref eq 'ARRAY' ? look(@$_) : ref eq 'HASH' ? look(%$_) : ($seen += length);
	}
}
sub all {
	$n++;
	look(@_, Zed::ts(), Zed::cpu(), Zed::pid(), Zed::tid(), Zed::comm(), Zed::event(), Zed::system(), Zed::name(),
		Zed::instance(), Zed::source(), Zed::lost(), Zed::comm_of($n), Zed::common('common_flags'));
	my @f = Zed::fields();
	look(@f);
	while (my ($name, $value) = splice @f, 0, 2) {
		next if !defined $value || ref $value;
		look(Zed::field($name), Zed::flag_str($name), Zed::symbol_str($name));
		look(Zed::symbol($value)) if $value =~ /^\d+$/;
	}
	look(Zed::text()) if $n % 4 == 1;
}
sub mini::tick { all(@_) }
sub trace_unhandled { all(@_) }
sub trace_lost { $lost++; look(@_) }
sub trace_end { $_->print for @of; print "events $n lost $lost\n" }
END

# KiB that zedperl needs to begin with.
my $first;
sub first_memory {
	my ($bin) = @_;
	return $first //= do {
		open my $from, '-|', "$bin/zedperl", '-e', 'sub trace_unhandled { } END { open F, "/proc/self/status"; print grep /VmPeak/, <F> }',
			't/data/misc.dat' or die "$bin/zedperl: $!\n";
		local $/;
		<$from> =~ /(\d+)/ ? $1 : 0;
	};
}

sub new {
	my ($class, %o) = @_;
	my $m = bless { runs => 0, exits => {}, bin => Cwd::abs_path($ENV{ZED_BIN_DIR} // '.'), %o }, $class;
	$m->{memory} = $MEMORY + first_memory($m->{bin}) if !$ENV{ZED_SAN};
	File::Path::make_path($m->{dir});
	spew("$m->{dir}/look.pl", $SCRIPT);
	return $m;
}

# NAME => the command's words; IN is replaced by the input.
my %command = (
	perl => 'zedperl IN look.pl', json => 'zedprint -f json IN', zed => 'zedprint IN', report => 'zedprint -f report IN',
	kernel => 'zedprint -f kernel IN',
	tail => 'zedprint --tail 5 IN', summary => 'zedprint --summary IN', list => 'zedperl -t IN', generate => 'zedperl -g all IN', starter => 'zedperl -g IN',
	check => 'zedperl --stable-check IN', export => 'zedperl --export out.stable IN',
	convert => 'zedtrace --convert IN -o out.dat', converted => 'zedprint -f json out.dat',
	recover => 'zedtrace --recover IN', recovered => 'zedprint -f json in.dat', pipe => 'zedperl -i - look.pl',
);
my @more = qw(zed report kernel tail summary list generate starter check export);

sub commands {
	my ($m, $in, $r) = @_;
	return qw(recover recovered) if $in->{kind} eq 'spool';
	my @pipe = $in->{kind} eq 'perfdata' && $in->{files}{''} ? 'pipe' : ();
	return (qw(perl json), @more, $in->{kind} eq 'stream' ? qw(convert converted pipe) : @pipe) if $m->{all};
	return (qw(perl json), $in->{kind} eq 'stream' && $r->chance(2) ? $r->pick([qw(convert converted)], ['pipe'])->@* : (),
		@pipe && $r->chance(2) ? @pipe : (), $r->pick(@more), $r->chance(2) ? $r->pick(qw(report kernel)) : ());
}

# Writes the files of IN to DIR.
sub store {
	my ($in, $dir) = @_;
	my $top = "$dir/$in->{path}";
	File::Path::remove_tree($top);
	for my $name (keys %{$in->{files}}) {
		my $path = $name eq '' ? $top : "$top/$name";
		File::Path::make_path($path =~ s{/[^/]*\z}{}r) if $name ne '';
		spew($path, $in->{files}{$name});
	}
	return;
}

# The read end of a pipe that holds BYTES, without a writer.
sub piped {
	my ($bytes) = @_;
	pipe my $from, my $to or die "pipe: $!\n";
	fcntl $to, $F_SETPIPE_SZ, 1 << 20 or die "F_SETPIPE_SZ: $!\n" if length $bytes > 65_536;
	die length($bytes), " bytes are too many for a pipe\n" if length $bytes > 1 << 20;
	syswrite $to, $bytes or die "pipe: $!\n" if length $bytes;
	return $from;
}

sub try {
	my ($m, $in, $r) = @_;
	my $dir = $m->{dir};
	unlink map { "$dir/$_" } qw(out.dat out.stable in.dat);
	store($in, $dir);
	my %seen;
	$seen{export} = 1 if $in->{kind} eq 'stable';	# it is one
	my @names = grep { !$seen{$_}++ } commands($m, $in, $r);
	my %limits = (size => $OUTPUT, $ENV{ZED_SAN} ? (seconds => 600) : (seconds => 180, cpu => $CPU, memory => $m->{memory}));
	local $^F = 1000;	# programs get the pipe
	my $pipe = grep({ $_ eq 'pipe' } @names) ? piped($in->{files}{''}) : undef;
	my @ended = run_each($dir, map { my $name = $_; [{ %limits, $name eq 'pipe' ? (stdin => '/dev/fd/' . fileno $pipe) : (),
		stdout => "o.$name", stderr => "e.$name", env => { LC_ALL => 'C.UTF-8' } },
		split ' ', "$m->{bin}/$command{$name}" =~ s/\bIN\b/$in->{path}/r] } @names);
	my (%exit, @wrong);
	for my $name (@names) {
		my ($status, $late) = @{shift @ended};
		$exit{$name} = $late ? 'late' : how_it_ended($status);
		$m->{runs}++;
		$m->{exits}{$exit{$name}}++;
		# Damage reported by --convert and --recover need not be reported by the reader of their output.
		my $made = { converted => 'convert', recovered => 'recover' }->{$name};
		push @wrong, map { "$name: $_" } judge($m, $in, $name, $exit{$name}) if !$made || $exit{$made} eq '0';
	}
	if (!@wrong && defined $exit{perl} && $exit{perl} < 2 && $exit{json} < 2) {
		my ($p, $j) = map { count($m, $_) } qw(perl json);
		push @wrong, "perl counts $p events, json $j" if $p != $j;
	}
	return @wrong;
}

# How many events the output of NAME has.
sub count {
	my ($m, $name) = @_;
	my $text = slurp("$m->{dir}/o.$name");
	return $text =~ /^events (\d+)/m ? $1 : -1 if $name =~ /^(?:perl|pipe)$/;
	return scalar(() = $text =~ /^\{"ts":\d+,"event"/mg);
}

sub judge {
	my ($m, $in, $name, $exit) = @_;
	my $err = slurp("$m->{dir}/e.$name");
	my @wrong;
	push @wrong, "a sanitizer: $&" if $err =~ /^.*(?:Sanitizer|runtime error).*/m;
	push @wrong, "out of memory" if $err =~ /out of memory|Out of memory/;
	push @wrong, $exit eq 'late' ? 'still runs after a long time' : $exit =~ /^signal (?:9|24)$/ ? "more than $CPU s of CPU (or killed)"
		: $exit eq 'signal 25' ? "more than $OUTPUT bytes of output" : $exit =~ /^signal/ ? $exit
		: !@wrong && $exit > 2 ? "exit $exit" : ();
	my $path = $name eq 'pipe' ? '-' : $name =~ /ed$/ && $name ne 'zed' ? $name eq 'converted' ? 'out\.dat' : 'in\.dat' : quotemeta $in->{path};
	$path = '(?:in|out)\.dat' if $name eq 'convert';
	push @wrong, "exit $exit without a message that names $path" if $exit =~ /^[12]$/ && !@wrong
		&& $err !~ /^zed(?:perl|print|trace): .*(?:$path|standard input)/m;
	push @wrong, 'a control byte in a message' if $err =~ /[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]/;
	my $lines = () = $err =~ /\n/g;
	push @wrong, "$lines lines of messages" if $lines > $MOST_LINES;
	if ($name =~ /^(?:json|zed|report|kernel|tail|summary|list|generate|starter|check)$/ && !$ENV{MUTATE_RAW}) {
		my $out = slurp("$m->{dir}/o.$name");
		push @wrong, 'a control byte in the output' if $out =~ /[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]/;
		push @wrong, 'a line that is no object' if $name eq 'json' && $out =~ /^(?!\{"(?:ts|text)":.*\}$)/m && $out ne '';
	}
	if ($exit eq '0' && !$in->{loose} && $name =~ /^(?:perl|json|pipe|converted|recovered)$/) {
		my $n = count($m, $name);
		push @wrong, "exit 0 with $n of $in->{events} events" if $n < $in->{events};
	}
	$wrong[$_] .= ' -- ' . substr($err =~ s/\n/ | /gr, 0, 300) for 0 .. $#wrong;
	return @wrong;
}

1;
