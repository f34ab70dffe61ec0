# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compare::PerfettoRead: reads the output of zedprint -f perfetto and Zed::Perfetto with two foreign programs: protoc,
# and Perfetto's own engine.
#
#	plan skip_all => perfetto_no_engine() if perfetto_no_engine();
#	my @answers = perfetto_ask($file, 'select count(*) from slice', ...);	# for each query its rows, as text
#	my $text = perfetto_decode($file);
#	my @samples = perfetto_samples($text);	# {ts, cpu, tid, mode, counter, stack => [frames, the innermost first]}; a frame: {name, file, build_id, pc}
package Compare::PerfettoRead;
use strict;
use warnings;
use Exporter 'import';
use Compare::RealData;
use Files;
use Run::Process;

our @EXPORT = qw(perfetto_no_engine perfetto_ask perfetto_no_protoc perfetto_decode perfetto_samples);

my $engine = Compare::RealData::root() . '/build/perfetto-engine';

sub have {
	my ($tool) = @_;
	return scalar grep { -x "$_/$tool" } split /:/, $ENV{PATH} // '';
}

# Why the engine cannot be asked, or undef.
sub perfetto_no_engine {
	return 'no node: apt-get install nodejs' unless have('node');
	return undef if -f "$engine/trace_processor.wasm" && -f "$engine/engine_bundle.js";
	return 'no Perfetto engine here: t/tools/perfetto-engine.sh fetches it';
}

sub perfetto_ask {
	my ($file, @queries) = @_;
	my ($in, $out) = (Compare::RealData::temp(), Compare::RealData::temp());
	spew($in, join '', map { s/\s+/ /gr . "\n" } @queries);
	my ($status) = reap(spawn({ stdin => $in, stdout => $out, stderr => "$out.err" }, 'node', Compare::RealData::root() . '/t/lib/Compare/perfetto.js', $engine, $file));
	die 'the engine: ' . slurp("$out.err") if $status;
	my @answers = split /^\n/m, slurp($out), -1;
	return @answers[0 .. $#queries];
}

sub perfetto_no_protoc {
	return have('protoc') ? undef : 'no protoc: apt-get install protobuf-compiler';
}

# Dies if it is not a protobuf of these messages.
sub perfetto_decode {
	my ($file) = @_;
	my $out = Compare::RealData::temp();
	my $lib = Compare::RealData::root() . "/t/lib/Compare";
	my ($status) = reap(spawn({ stdin => $file, stdout => $out, stderr => "$out.err" }, 'protoc', "--proto_path=$lib", '--decode=Trace', 'perfetto.proto'));
	die 'protoc: ' . slurp("$out.err") if $status;
	return slurp($out);
}

# Bytes as protoc prints them.
sub bytes_of { return $_[0] =~ s/\\([0-7]{3}|.)/length $1 == 3 ? chr oct $1 : { n => "\n", t => "\t", r => "\r" }->{$1} \/\/ $1/ger }

# Dies if a packet leads to what none before it has.
sub perfetto_samples {
	my ($text) = @_;
	my (%known, @samples);
	my $of = sub {
		my ($sequence, $table, $id) = @_;
		return $known{$sequence}{$table}{$id} // die "sequence $sequence: no $id in $table\n";
	};
	for my $packet (split /^(?=packet \{)/m, $text) {
		my ($sequence) = $packet =~ /^  trusted_packet_sequence_id: (\d+)/m or next;
		$known{$sequence} = {} if $packet =~ /^  incremental_state_cleared: true/m;
		$known{$sequence}{counter} = $1 if $packet =~ /^          name: "(.*)"/m;
		while ($packet =~ /^    (\w+) \{\n(.*?)^    \}/msg) {
			my ($table, $entry) = ($1, $2);
			my ($id) = $entry =~ /iid: (\d+)/ or next;
			$known{$sequence}{$table}{$id} = $entry;
		}
		my ($sample) = $packet =~ /^  perf_sample \{\n(.*?)^  \}/ms or next;
		my %v = $sample =~ /(\w+): (\d+)/g;
		my ($ts) = $packet =~ /^  timestamp: (\d+)/m;
		my $string = sub { return $_[1] ? bytes_of($of->($sequence, @_) =~ /str: "(.*)"/) : '' };
		push @samples, { ts => $ts, cpu => $v{cpu}, tid => $v{tid}, mode => $v{cpu_mode}, counter => $known{$sequence}{counter}, stack => [map {
			my %f = $of->($sequence, 'frames', $_) =~ /(\w+): (\d+)/g;
			my %m = $of->($sequence, 'mappings', $f{mapping_id}) =~ /(\w+): (\d+)/g;
			{ name => $string->('function_names', $f{function_name_id}), file => $string->('mapping_paths', $m{path_string_ids}),
				build_id => unpack('H*', $string->('build_ids', $m{build_id})), pc => $f{rel_pc} }
			} reverse $of->($sequence, 'callstacks', $v{callstack_iid}) =~ /frame_ids: (\d+)/g] };
	}
	return @samples;
}

1;
