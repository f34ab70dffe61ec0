# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compare::PerfettoRead: reads the output of zedprint -f perfetto and Zed::Perfetto with two foreign programs: protoc,
# and Perfetto's own engine.
#
#	plan skip_all => perfetto_no_engine() if perfetto_no_engine();
#	my @answers = perfetto_ask($file, 'select count(*) from slice', ...);	# for each query its rows, as text
#	my $text = perfetto_decode($file);
package Compare::PerfettoRead;
use strict;
use warnings;
use Exporter 'import';
use Compare::RealData;
use Files;
use Run::Process;

our @EXPORT = qw(perfetto_no_engine perfetto_ask perfetto_no_protoc perfetto_decode);

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

1;
