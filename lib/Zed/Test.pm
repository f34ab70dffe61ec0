# SPDX-License-Identifier: GPL-2.0-or-later
#
# Test: for the tests of a script: makes a trace of events that its author specifies, and runs zedperl on it.
package Zed::Test;
use strict;
use warnings;
use Carp ();
use File::Temp ();

our $VERSION = '0.1';

my $PAGE = 4096;
my $ROOM = $PAGE - 16;	# beside a page's time and length
my $LONGEST = 1 << 27;	# ns that fit into a record's time

# The integer types of C, with their size in bytes on a 64-bit machine; signed unless the name begins with u.
my %SIZE = (
	char => 1, 'signed char' => 1, 'unsigned char' => 1, s8 => 1, u8 => 1, bool => 1, __u8 => 1, short => 2,
		'unsigned short' => 2, s16 => 2, u16 => 2, __u16 => 2,
	int => 4, unsigned => 4, 'unsigned int' => 4, s32 => 4, u32 => 4, __u32 => 4, pid_t => 4, dev_t => 4,
		gfp_t => 4, uid_t => 4, long => 8, 'unsigned long' => 8,
	'long long' => 8, 'unsigned long long' => 8, s64 => 8, u64 => 8, __u64 => 8, size_t => 8, sector_t => 8,
		ktime_t => 8,
);
my %PACK = (1 => ['C', 'c'], 2 => ['S<', 's<'], 4 => ['L<', 'l<'], 8 => ['Q<', 'q<']);
my $COMMON = "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\tfield:unsigned char " .
	"common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	. "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n\tfield:int " .
	"common_pid;\toffset:4;\tsize:4;\tsigned:1;\n";

# "char comm[16]; int pid" into { name, size of an item, items, signed, offset, text }, laid out as a compiler does.
sub _declared {
	my ($event, $text) = @_;
	my ($at, @fields) = (8);
	for my $one (grep { /\S/ } split /;/, $text) {
		my ($loc, $type, $name, $items) =
			$one =~ /\A\s*(__data_loc\s+)?(.*?[\s*])(?:\[\]\s*)?(\w+)\s*(?:\[(\d+)\])?\s*\z/s
			or Carp::croak("Zed::Test: $event: '$one' is not a field: write 'int pid' or 'char comm[16]'");
		$type =~ s/\A(?:const\s+)?(.*?)\s*\z/$1/s;
		my $size = $loc ? 4 : $type =~ /\*\z/ ? 8
			: $SIZE{$type} // Carp::croak(
				"Zed::Test: $event: no type '$type' (there are @{[sort keys %SIZE]})");
		my $signed = $loc || $type =~ /\A(?:u|__u|bool|size_t|sector_t|dev_t|gfp_t|.*\*\z)/ ? 0 : 1;
		$at += -$at % $size;
		push @fields, { name => $name, size => $size, items => $items, signed => $signed, at => $at,
			loc => !!$loc,
			declared => ($loc ? '__data_loc char[] ' : "$type ") . $name
			. (defined $items ? "[$items]" : '') };
		$at += $size * ($items // 1);
	}
	return \@fields;
}

# The same from a text as in the kernel's events/SYSTEM/EVENT/format.
sub _formatted {
	my ($text) = @_;
	my @fields;
	while ($text =~ /^\tfield:(.*?)(\w+)(?:\[(\w*)\])?;\toffset:(\d+);\tsize:(\d+);\tsigned:(\d);/mg) {
		my ($type, $name, $items, $at, $bytes, $signed) = ($1, $2, $3, $4, $5, $6);
		next if $name =~ /\Acommon_/;
		my $loc = $type =~ /__data_loc/;
		my $size = $loc || !defined $items ? $bytes : $items =~ /\A[1-9]\d*\z/ ? $bytes / $items : 1;
		push @fields, { name => $name, size => $size, at => $at, signed => $signed, loc => !!$loc,
			items => $loc || !defined $items ? undef : $size ? $bytes / $size : 0 };
	}
	return \@fields;
}

sub new {
	my ($class, @events) = @_;
	my $self = bless { types => {}, events => [], comms => {}, id => 300 }, $class;
	while (my ($event, $text) = splice @events, 0, 2) {
		my ($system, $name) = $event =~ /\A([\w-]+)::?([\w-]+)\z/
			or Carp::croak("Zed::Test: '$event' is not an event name: write 'sched::sched_switch'");
		my $id = $self->{id}++;
		my $kernels = ($text // '') =~ /^name:/m;
		my $fields = $kernels ? _formatted($text) : _declared($event, $text // '');
		my $format = $kernels ? $text =~ s/^ID:.*$/ID: $id/mr : "name: $name\nID: $id\nformat:\n$COMMON\n"
			. join('', map { sprintf "\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;\n", $_->{declared},
				$_->{at}, $_->{size} * ($_->{items} // 1), $_->{signed} } @$fields)
			. "\nprint fmt: \"-\"\n";
		$self->{types}{"${system}::$name"} = { id => $id, system => $system, fields => $fields,
			format => $format };
	}
	return $self;
}

sub _bytes {
	my ($event, $type, $values) = @_;
	my ($fixed, $tail) = ('', '');
	my $end = 8;
	for my $f (@{$type->{fields}}) {
		my $to = $f->{at} + $f->{size} * ($f->{items} // 1);
		$end = $to if $to > $end;
	}
	$fixed = "\0" x ($end - 8);
	for my $f (@{$type->{fields}}) {
		my $value = delete $values->{$f->{name}};
		my $bytes;
		if ($f->{loc}) {
			my $text = ($value // '') . "\0";
			$bytes = pack 'L<', length($text) << 16 | $end + length $tail;
			$tail .= $text;
		} elsif (defined $f->{items} && ref $value) {
			$bytes = pack "$PACK{$f->{size}}[$f->{signed}]$f->{items}", @$value, (0) x $f->{items};
		} elsif (defined $f->{items}) {
			$bytes = pack 'a' . $f->{size} * $f->{items}, $value // '';
		} else {
			$bytes = pack $PACK{$f->{size}}[$f->{signed}], $value // 0;
		}
		substr $fixed, $f->{at} - 8, length $bytes, $bytes;
	}
	if (my @left = sort keys %$values) {
		Carp::croak("Zed::Test: $event has no field '$left[0]' (it has " .
			"@{[map { $_->{name} } @{$type->{fields}}]})");
	}
	return $fixed . $tail;
}

sub event {
	my ($self, $event, %values) = @_;
	my $name = $event =~ s/\A([^:]+):(?!:)/${1}::/r;
	my $type = $self->{types}{$name} // Carp::croak("Zed::Test: no event '$event' was given to new()");
	my ($cpu, $ts, $pid, $comm) = delete @values{qw(cpu ts pid comm)};
	%values = map { /\Afield_(cpu|ts|pid|comm)\z/ ? ($1 => $values{$_}) : ($_ => $values{$_}) } keys %values;
	$ts //= @{$self->{events}} ? $self->{events}[-1]{ts} + 1000 : 1_000_000_000;
	$self->{comms}{$pid} = $comm if defined $comm && $pid;
	push @{$self->{events}}, { cpu => $cpu // 0, ts => $ts,
		record => pack('S< C C l<', $type->{id}, 0, 0, $pid // 0) . _bytes($name, $type, \%values) };
	return $self;
}

sub _pages {
	my ($self, $cpu) = @_;
	my ($pages, $data, $first, $last) = ('', '');
	my $finish = sub {
		$pages .= pack('Q< Q<', $first, length $data) . $data . "\0" x ($ROOM - length $data) if $data ne '';
		$data = '';
		return;
	};
	for my $e (sort { $a->{ts} <=> $b->{ts} } grep { $_->{cpu} == $cpu } @{$self->{events}}) {
		my $record = $e->{record} . "\0" x (-length($e->{record}) % 4);
		Carp::croak('Zed::Test: an event of more than a page') if length $record > $ROOM - 8;
		$finish->()
			if $data ne '' && (length($data) + 8 + length $record > $ROOM || $e->{ts} - $last >= $LONGEST);
		($first, $last) = ($e->{ts}) x 2 if $data eq '';
		$data .= pack('L< L<', $e->{ts} - $last << 5, 4 + length $record) . $record;
		$last = $e->{ts};
	}
	$finish->();
	return $pages;
}

sub write {	## no critic (ProhibitBuiltinHomonyms)
	my ($self, $file) = @_;
	my $page = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t " .
		"commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		. "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\tfield: char " .
		"data;\toffset:16;\tsize:4080;\tsigned:0;\n";
	my $head = "\x17\x08\x44tracing6\0" . pack('C C L<', 0, 8, $PAGE);
	my %systems;
	my $cpus = 1;

	push @{$systems{$_->{system}}}, $_->{format} for map { $self->{types}{$_} } sort keys %{$self->{types}};
	$head .= "header_page\0" . pack('Q<', length $page) . $page . "header_event\0" . pack('Q<', 0)
		. pack('L< L<', 0, scalar keys %systems);
	for my $system (sort keys %systems) {
		$head .= "$system\0" . pack('L<', scalar @{$systems{$system}}) . join '',
			map { pack('Q<', length) . $_ } @{$systems{$system}};
	}
	my $comms = join '', map { "$_ $self->{comms}{$_}\n" } sort { $a <=> $b } keys %{$self->{comms}};
	$head .= pack('L< L< Q<', 0, 0, length $comms) . $comms;
	for (@{$self->{events}}) {
		$cpus = $_->{cpu} + 1 if $_->{cpu} >= $cpus;
	}
	$head .= pack('L<', $cpus) . "flyrecord\0";
	my $at = length($head) + 16 * $cpus;
	$at += -$at % $PAGE;
	my ($table, $data) = ('', '');
	for my $cpu (0 .. $cpus - 1) {
		my $pages = $self->_pages($cpu);
		$table .= pack 'Q< Q<', $at + length $data, length $pages;
		$data .= $pages;
	}
	open my $fh, '>:raw', $file or Carp::croak("$file: $!");
	print $fh $head, $table, "\0" x ($at - length $head . $table), $data;
	close $fh or Carp::croak("$file: $!");
	return $file;
}

sub run {
	my ($self, $script, @args) = @_;
	my $dir = File::Temp->newdir;
	my @options = ref $args[0] ? @{shift @args} : ();
	my $trace = $self->write("$dir/trace.dat");
	my $pid = fork // Carp::croak("fork: $!");
	if (!$pid) {
		open STDIN, '<', '/dev/null' and open STDOUT, '>', "$dir/out" and open STDERR, '>', "$dir/err"
			and exec { $ENV{ZEDPERL} // 'zedperl' } 'zedperl', @options, $trace, $script, @args;
		print {*STDERR} $ENV{ZEDPERL} // 'zedperl', ": $!\n";
		require POSIX;
		POSIX::_exit(127);
	}
	waitpid $pid, 0;
	my %r = (status => $? & 127 ? 128 + ($? & 127) : $? >> 8);
	for my $what (qw(out err)) {
		open my $fh, '<:raw', "$dir/$what" or next;
		local $/;
		$r{$what} = <$fh> // '';
	}
	return \%r;
}

1;

__END__

=encoding utf8

=head1 NAME

Zed::Test - tests of scripts that zedperl runs

=head1 SYNOPSIS

    use Test::More;
    use Zed::Test;

    my $trace = Zed::Test->new(
        'sched::sched_switch' => 'char prev_comm[16]; int prev_pid; long prev_state; char next_comm[16]; int next_pid',
    );
    $trace->event('sched::sched_switch', cpu => 1, ts => 5_000_000, prev_pid => 7, next_pid => 8);
    $trace->event('sched::sched_switch', cpu => 1, prev_pid => 8, next_pid => 7);

    my $r = $trace->run('switches.pl', '--by', 'cpu');
    is($r->{status}, 0, 'it runs');
    is($r->{out}, "cpu 1: 2 switches\n", 'and counts');
    done_testing();

=head1 DESCRIPTION

For tests that perl itself runs, for example with B<prove>. It makes a trace of the given events, and has B<zedperl> run
the script on it, so that the test covers what users will run: how handlers are found, their arguments, their order, the
end of the run. The trace is a trace.dat as a 64-bit little-endian machine records it.

If perl does not find the module, it is in another prefix than perl's own: C<prove -I I<PREFIX>/share/perl5>, or, where
B<zedperl> was built and not installed, C<prove -I I<CHECKOUT>/lib>.

=head1 METHODS

=over

=item new(EVENT => FIELDS, ...)

FIELDS are C declarations, separated by C<;>: integers (C<int>, C<unsigned long>, C<u64>, C<pid_t>, pointers), arrays
of them (C<char comm[16]>), and strings of any length (C<__data_loc char[] name>). They are laid out as by a compiler.
Or FIELDS are the text of the kernel's file F<events/SYSTEM/EVENT/format>, word for word: then zedperl also prints them
as the kernel does.

=item event(EVENT, NAME => VALUE, ...)

Adds an event with the values of its fields. Those that are left out are 0 or empty; an array's value is a reference or
a string of bytes. Besides these there are the fields of every event: C<cpu> (0), C<ts> in ns (1 us after the last
event), C<pid> (0) and C<comm>, the name of that task. A field of the event that has such a name is given as
C<field_pid> and so on. Events may be given in any order: zedperl reads them by their times. Returns the object.

=item run(SCRIPT, ARG...)

Runs C<zedperl TRACE SCRIPT ARG...> and returns a reference to a hash with its exit status, C<status>, its standard
output, C<out>, and its standard error, C<err>. A reference to an array before the arguments has options of zedperl: C<<
run('x.pl', ['--relative'], '--top', 3) >>. The program is C<$ENV{ZEDPERL}>, or B<zedperl> in C<PATH>.

=item write(FILE)

Only writes the trace. Returns FILE.

=back

=head1 SEE ALSO

zedperl(1), zedperl-scripts(7), Zed(3pm), prove(1)

=cut
