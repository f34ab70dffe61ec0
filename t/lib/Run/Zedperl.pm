# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::Zedperl: for the tests of zedperl: makes traces with chosen events, writes scripts, runs zedperl on them.
#
#	my $dat = trace(events => [[0, 100, 'mini::tick', 5]]);
#	my $r = zedperl($dat, \'sub mini::tick { print "@_\n" }');	# {status, sig, out, err}
package Run::Zedperl;
use strict;
use warnings;
use Cwd ();
use Exporter 'import';
use File::Basename ();
use File::Temp ();
use Files;
use Run::Process;
use Write::Dat;

our @EXPORT = qw(trace switches script zedperl start finish lines temp_path zedperl_path field_text $TICK $without_zed);

my $root = Cwd::abs_path(File::Basename::dirname(__FILE__) . '/../../..');
my $tmp = File::Temp->newdir;
my $serial = 0;

sub temp_path { return "$tmp/" . ++$serial . ($_[0] // '') }
sub zedperl_path { return ($ENV{ZED_BIN_DIR} || $root) . '/zedperl' }

# A line of a format: field_text('u32 x', 8, 4, signed).
sub field_text {
	my ($decl, $off, $size, $signed) = @_;
	return "\tfield:$decl;\toffset:$off;\tsize:$size;\tsigned:" . ($signed ? 1 : 0) . ";\n";
}

# For perl -c of a script that says "use Zed", which zedperl alone has.
our $without_zed = "-I$tmp/stub";
mkdir "$tmp/stub" or die "$tmp: $!\n";
open my $stub, '>', "$tmp/stub/Zed.pm" or die "$tmp: $!\n";
print $stub "package Zed;\nsub import { }\n1;\n";
close $stub or die "$tmp: $!\n";

# The event that most tests are about: mini::tick with an int n and a text.
our $TICK = field_text('int n', 8, 4, 1) . field_text('char who[8]', 12, 8, 1);

# Write a trace and return its path.
#	types => { 'sys::name' => fields text }	(default: mini::tick)
#	events => [[cpu, ns, 'sys::name', payload, loss, instance, pid, flags]]; the payload of mini::tick may be a bare number;
#	loss: this event begins a page before which so many were lost (-1: an unknown number)
#	Write::Dat's own: big, long, version, comm, kallsyms ...
sub trace {
	my (%o) = @_;
	my $types = delete $o{types} // {};
	my $events = delete $o{events} // [map { [0, 1000 * $_, 'mini::tick', $_] } 1 .. 3];
	my %all = ('mini::tick' => $TICK, %$types);
	my ($id, %id) = (300);
	my @formats;
	for my $name (sort keys %all) {
		my ($system, $event) = split /::/, $name, 2;
		$id{$name} = $id++;
		push @formats, [$system => $all{$name} =~ /^name:/ ? $all{$name}
			: Write::Dat::format_text($event, $id{$name}, $all{$name}, $o{print}{$name} // '"x"')];
	}
	delete $o{print};
	my $d = Write::Dat->new(
		version => 6, page_size => 4096, %o, formats => \@formats,
		make_pages => sub {
			my ($d, $cpu, $instance) = @_;
			my (@pages, $first, $last);
			my ($data, %more) = ('');
			for my $e (grep { $_->[0] == $cpu && ($_->[5] // '') eq $instance } @$events) {
				my ($ts, $what, $payload, $loss) = @$e[1 .. 4];
				$payload = $d->u32($payload) . pack('a8', "cpu$cpu")
					if $what eq 'mini::tick' && $payload =~ /^-?\d+$/;
				my $rec = $d->u16($id{$what} // $what) . chr($e->[7] // 1) . "\x00"
					. $d->u32($e->[6] // $d->{pid}) . $payload;
				if ($data eq '' || $loss || $ts - $last >= 1 << 27 || length($data) + length($rec) + 40 > 4000) {
					push @pages, $d->page($first, $data, %more) if $data ne '';
					($data, $first, $last, %more) = ('', $ts, $ts);
					$more{flags} = 1 << 31 if $loss;
					$more{flags} |= 1 << 30 if $loss && $loss > 0;
					$more{loss} = $loss;
				}
				$data .= $d->data_event($ts - $last, $rec);
				$more{tail} = $d->ulong($more{loss}) if $more{loss} && $more{loss} > 0;
				$last = $ts;
			}
			push @pages, $d->page($first, $data, %more) if $data ne '';
			return @pages;
		},
	);
	my $path = temp_path('.dat');
	$d->write($path);
	return $path;
}

# A trace of tasks with these names, which run one after another on one CPU.
sub switches {
	my (@names) = @_;
	my @events;
	my $ts = 1_000_000_000;
	my $types = { 'sched::sched_switch' => field_text('char prev_comm[16]', 8, 16, 1) . field_text('pid_t prev_pid', 24, 4, 1) .
		field_text('int prev_prio', 28, 4, 1) . field_text('long prev_state', 32, 8, 1) . field_text('char next_comm[16]', 40, 16, 1) .
		field_text('pid_t next_pid', 56, 4, 1) . field_text('int next_prio', 60, 4, 1) };
	for my $i (0 .. 3 * @names) {
		my ($prev, $next) = map { $_ % @names } $i, $i + 1;
		push @events, [0, $ts += 10_000, 'sched::sched_switch', pack('a16 l l q a16 l l', $names[$prev], 100 + $prev, 120, 0, $names[$next], 100 + $next, 120),
			undef, undef, 100 + $prev];
	}
	return trace(types => $types, events => \@events, print => { 'sched::sched_switch' => '"%s", __print_flags(REC->prev_state & 255, "|", { 1, "S" })' });
}

# Write a script and return its path.
sub script {
	my ($text) = @_;
	my $path = temp_path('.pl');
	open my $fh, '>', $path or die "$path: $!\n";
	print $fh $text;
	close $fh or die "$path: $!\n";
	return $path;
}

# The systems of made events, which no kernel has: scripts have to declare that they handle them (see
# t/bad/what-runs.t).
our @SYSTEMS = qw(mini other all kinds bad api x_y a b q odd mine tpk _);

# Begin a run.  Words are arguments; a reference to a string is a script of that text; a leading hash has options:
# stdin, stdout (paths), env, program, bare (@SYSTEMS are not declared).
sub start {
	my %o = ref $_[0] eq 'HASH' ? %{+shift} : ();
	my @args = map { ref ? script($$_) : $_ } @_;
	unshift @args, "-MZed=handlers,@SYSTEMS" if !$o{bare} && !$o{program} && !grep { /^--(?:export|stable-check)\b/ } @args;
	my %r = (out_path => $o{stdout} // temp_path(), err_path => temp_path(), script => $args[-1]);
	$r{pid} = spawn({ stdin => $o{stdin}, stdout => $r{out_path}, stderr => $r{err_path}, env => { LC_ALL => 'C', %{$o{env} // {}} } },
		$o{program} // zedperl_path(), @args);
	return \%r;
}

# Its end: {status, sig, out, err, script}.
sub finish {
	my ($r) = @_;
	my ($status) = reap($r->{pid}, $ENV{ZED_SAN} ? 120 : 30);
	for my $what (qw(out err)) {
		next if !-f $r->{"${what}_path"};	# reading /dev/full does not end
		$r->{$what} = eval { slurp($r->{"${what}_path"}) } // next;
	}
	@$r{qw(status sig)} = ($status >> 8, $status & 127);
	return $r;
}

sub zedperl { return finish(start(@_)) }

sub lines { return split /\n/, $_[0] }

1;
