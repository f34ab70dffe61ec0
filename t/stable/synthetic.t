# SPDX-License-Identifier: GPL-2.0-or-later
#
# Synthetic events in an export: what is read back of the file is what the trace itself gives, for random
# definitions over recordings of both byte orders, with losses, with several buffers and inputs. Without it
# an archive of waits is another one than was measured.
#
# of: sink reader/stablefile run/synthetic
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::RealData;
use Write::StableFile;
use Compare::SynthModel qw(read_events random_definition text_of);
use Run::Program qw(same slurp);
use Run::Zedperl;

my $own = Compare::RealData::own();

sub json {
	my (@args) = @_;
	my $run = Compare::RealData::run('zedprint', '-f', 'json', @args);
	my $out = Compare::RealData::slurp($run->{out});
	unlink $run->{out};
	return wantarray ? ($out, $run->{err}) : $out;
}

# What an export has of these lines. Losses that only statistics tell stand at its end, after all events.
sub kept { my ($json) = @_; return $json =~ s/"file":"[^"]*",?//gr =~ s/^(?!.*"event").*\n//gmr }

srand($ENV{ZED_SEED} // 7);
my $made = 0;
for my $name (qw(demo lost be_lost small_be_v6 i386_zstd armhf_multibuf multibuf process block)) {
	my $dat = "$own/$name.dat";
	my ($events, $kinds) = read_events(json($dat));
	my %n;
	$n{$_}++ for grep { defined } map { $_->{event} } @$events;
	my @types = grep { defined } (sort { $n{$b} <=> $n{$a} || $a cmp $b } grep { $kinds->{$_} } keys %n)[0 .. 5];
	my @defs = map { ('--synthetic', text_of(random_definition("synth::d$_", $kinds, @types))) } 1 .. 8;
	my @only = ('--event', 'synth');
	my $want = json(@defs, @only, $dat);
	my $file = temp_path('.zs');
	my $r = zedperl(@defs, '--export', $file, $dat);
	is($r->{status}, 0, "$name: exported") or diag $r->{err};
	my ($got, $err) = json($want ? @only : (), $file);
	$made += () = $want =~ /\n/g;
	same(kept($got), kept($want), "$name: random synthetic events are the same from the export (else: it is no archive of them)") if $want;
	# Of these alone, and of what they need there is no stable event in many cases.
	$r = zedperl(@defs, @only, '--export', $file, $dat);
	same(kept(scalar json($file)), kept($want), "$name: --event keeps them alone") if $want;
}
cmp_ok($made, '>', 1000, "$made events were compared");

# ---- what the file says of them
my $types = { 'app::begin' => field_text('int id', 8, 4, 1) . field_text('__data_loc char[] who', 12, 4, 1), 'app::done' => field_text('int id', 8, 4, 1) . field_text('u64 size', 16, 8) };
sub begins { my ($ts, $id) = @_; return [0, $ts, 'app::begin', pack 'l S S a4', $id, 16, 4, "me\0\0"] }
my $dat = trace(types => $types, events => [begins(1000, 1), [0, 5_001_000, 'app::done', pack 'l x4 Q', 1, ~0]]);
my @def = ('--synthetic', 'span:all start=app:begin end=app:done match="start.id == end.id" took="end.ts - start.ts" who=start.who size=end.size left="0 - 5"');
my $file = temp_path('.zs');
zedperl(@def, '--export', $file, $dat);
my $text = (slurp($file) =~ /\A(.*?\n)data\n/s)[0];
like($text, qr/^event \d+ span::all\npurpose .*\nfield:time_ns took;.*\ndynamic:char who;.*\nfield:u64 size;.*\nfield:s64 left;.*signed:1;\n/m, 'its description names times, texts and signs');
my $f = Write::StableFile::parse(slurp($file));
ok(!$f->{error}, 'an independent reader understands it') or diag $f->{error};
my $printed = sub { my (@args) = @_; my $run = Compare::RealData::run('zedprint', @args, '--event', 'span:all'); return Compare::RealData::slurp($run->{out}) };
is($printed->($file), $printed->(@def, $dat), 'printed alike: a time with its unit, a number with its sign');
my $r = zedperl($file, \"use Zed handlers => ['span']; sub span::all { print join(' ', map { ref ? \"[\@\$_]\" : \$_ } \@_), \"\\n\" }");
is($r->{out} . $r->{err}, "0 0 5001000 2 5000000 me 18446744073709551615 -5\n", 'a script that declares its package handles it');
$r = zedperl('--export', temp_path('.zs'), $file);
like($r->{err}, qr/is an export already/, 'and is not exported again');
done_testing();
