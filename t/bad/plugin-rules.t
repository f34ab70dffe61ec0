# SPDX-License-Identifier: GPL-2.0-or-later
#
# Events that -f report has a handler for read fields by their names: ours in text/report, and those of
# libtraceevent's plugins, which check nothing.  Each is tried here as the kernel writes it, where the text has to
# be trace-cmd's, and with each field replaced by one of another type, where the print format has to be used.
# Without this a handler would read wherever an unchecked field points.
#
# of: text/plugin_rules.c text/plugins.c text/report
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::Dat;
use Write::PluginEvents;
use Compare::Stock;
use Run::Program;

die "zedprint is not built: run make\n" if !-x zed_bin('zedprint');
plan skip_all => 'no plugins of libtraceevent here (libtraceevent1-plugin)'
	unless grep { -e "$_/plugin_kvm.so" } map { glob } qw(/usr/lib*/traceevent/plugins
		/usr/lib*/*/traceevent/plugins /usr/local/lib*/traceevent/plugins);

my @events = plugin_events();

my $n = 0;
sub file {
	my @made = @_;
	my $d = Write::Dat->new(cpus => 1, page_size => 65536, formats => [grep { $_ } map { $_->[0] } @made],
		kallsyms => "c0000000 T mini_first\nc0001000 T mini_start\nc0002000 t mini_end\t[mini]\n",
		make_pages => sub {
			my ($d) = @_;
			return Write::Dat::page($d, 1_000_000_000, join '', map { Write::Dat::data_event($d, 1000, $_->[1]->($d)) } @made);
		});
	return $d->write(zed_tmp() . '/' . $n++ . '.dat');
}

sub report {
	my $run = zed_run({ time => 60 }, 'zedprint', '-f', 'report', @_);
	ok(!$run->{signal} && !$run->{late} && $run->{exit} < 2 && $run->{err} !~ /Sanitizer/, 'zedprint lives')
		or diag("signal $run->{signal} exit $run->{exit} late $run->{late}\n", substr $run->{err}, 0, 2000);
	return $run->{out};
}

# The text of each event, by its name's place.
sub texts { return map { s/^.*? \d+\.\d+: \w+: +//sr } split /^(?= +mini-77)/m, $_[0] =~ s/\Acpus=\d+\n//r }

# ---------------------------------------------------------------- as the kernel writes them

my $good = file(map { [plugin_make($_, {}, {})] } @events);
my $out = report($good);
my @text = texts($out);
is(@text, @events, 'every event has its text');
for my $i (0 .. $#events) {
	my $name = $events[$i][1];
	next if $text[$i] !~ /^plain/;
	fail("$name is printed by its handler (else: a rule that nothing passes)");
}
SKIP: {
	skip stock_missing(), 1 if stock_missing();
	# Their line breaks are \n in ours except in stacks, and the NUL at which theirs end is \x00.
	my ($ours, $theirs) = map { [map { s/\n\z//r =~ s/(?:\\x00)?\z//r =~ s/(?:\n|\\n) */\\n/gr } @$_] }
		\@text, [texts(stock_text($good))];
	is_deeply($ours, $theirs, "the text is trace-cmd's (else: a rule changes what is right)");
}

# ---------------------------------------------------------------- fields that are something else

# What handlers make of fields of these types was tried out: they must not be called at all.
my %other = (
	(map { $_ => [qw(comm loc rel three numbers)] } plugin_numbers()),
	comm => [qw(u64 loc rel numbers)], loc => [qw(u64 rel big numbers)],
	code => [qw(u8 u64 comm loc rel numbers)], stack => [qw(u64 loc rel)], tail => [qw(u64 loc rel)],
);
for my $spec (@events) {
	my ($system, $name, @fields) = @$spec;
	my (@made, @what);
	for (@fields) {
		my ($field, $type) = /^(\w+):(\w+)/;
		# Handlers do not read these: kfree's ptr, size and gfn, and how many returns of functions are not known.
		next if $field eq 'ptr' || $field eq 'size' || $field eq 'overrun' || ($field eq 'gfn' && $name ne 'kvm_mmu_get_page');
		for my $other (@{$other{$type}}) {
			next if $name eq 'drv_bss_info_changed' && $type eq 'comm' && $other eq 'loc';
			push @made, [plugin_make($spec, { $field => $other }, { $other eq 'loc' || $other eq 'rel' ? ($field => '0xffffffff') : () }, '"plain"')];
			push @what, "$field: $other";
		}
	}
	my @got = texts(report(file(@made)));
	# The print format's line, without anything from the plugin.
	my @bad = grep { ($got[$_] // '') !~ /^plain\n\z/ } 0 .. $#what;
	ok(@made && !@bad, "$name: a field of another type: the print format (else: the handler trusts it)")
		or diag(map { "$what[$_]: " . ($got[$_] // 'nothing') . "\n" } @bad);
}

# ---------------------------------------------------------------- records that point elsewhere

my %event = map { $_->[1] => $_ } @events;
my @hostile = (
	['kvm_emulate_insn, more bytes than an instruction has', kvm_emulate_insn => { len => 16 }],
	['kvm_emulate_insn, 255 bytes', kvm_emulate_insn => { len => 255 }],
	['kvm_emulate_insn, no bytes: it writes before its buffer', kvm_emulate_insn => { len => 0 }],
	['drv_bss_info_changed, a name behind the record', drv_bss_info_changed => { vif_name => '0xffffffff' }],
	['drv_bss_info_changed, a name that ends behind it', drv_bss_info_changed => { vif_name => '0xff000040' }],
);
for (@hostile) {
	my ($what, $name, $patch) = @$_;
	my ($format, $bad) = plugin_make($event{$name}, {}, $patch, undef, 299);
	my (undef, $sound) = plugin_make($event{$name}, {}, {}, undef, 299);
	my ($one, $fine) = texts(report(file([$format, $bad], [undef, $sound])));
	is($one, "plain\n", "$what: the print format");
	isnt($fine, "plain\n", 'and the sound record after it is the plugin\'s again');
}
for my $table ('{ 0, "R" }', '{ 1, "S" }, { 0, "R" }', '{ TASK_NONE, "S" }', '{ 1 - 1, "S" }') {
	my $print = qq{"plain%s", __print_flags(REC->prev_state, "|", $table)};
	my ($one) = texts(report(file([plugin_make($event{sched_switch}, {}, {}, $print)])));
	like($one, qr/^plain|FAILED TO PARSE/, "sched_switch, a flag without a bit, $table: not the plugin, which would look for it for ever");
}

# What trace_marker_raw wrote, of every length from 0 on, while the print format asks for a byte.
my @raw = map { ['ftrace', 'raw_data', 'id:u32=' . (100 + $_), 'buf:tail=' . 'x' x $_] } 0 .. 9;
my @pieces = map { plugin_make($_, {}, {}, '"id:%04x %08x", REC->id, (int)REC->buf[0]', 298) } $raw[0];
my $markers = file([$pieces[0], $pieces[1]], map { [undef, (plugin_make($_, {}, {}, undef, 298))[1]] } @raw[1 .. 9]);
my $shown = report($markers);
like($shown, qr/raw_data: +# 64\n/, 'raw_data without data: its number (else: it is taken for damaged)');
SKIP: {
	skip stock_missing(), 1 if stock_missing();
	is(stock_differs($markers, $shown), undef, 'raw_data of every length is as trace-cmd shows it');
}

# The caller has a name and the function has none: the plugin passes NULL to strdup().
my ($odd) = texts(report(file([plugin_make($event{function}, {}, { ip => 16 })])));
like($odd, qr/^0x10\n/, 'a function without a name below one that has a name');

done_testing();
