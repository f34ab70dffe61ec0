# SPDX-License-Identifier: GPL-2.0-or-later
#
# -g: a script to start with, for every event of a trace.  Without it what a beginner gets is no valid Perl, or lacks an
# event or a field with an odd name.  (The rest of the command line: t/cases/zedperl-options.test.)
# of: programs/zedperl/starter programs/zedperl
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Zedperl;

{	# -g: a script that cannot be used as it is, is no start.
	my $odd = trace(types => {
		'9p::9p-req' => field_text('int cpu', 8, 4, 1) . field_text('int secs', 12, 4, 1) . field_text('u32 v[2]', 16, 8)
			. field_text('u8 raw[2]', 24, 2) . field_text('u8 a', 26, 1) . field_text('u8 _', 27, 1) . field_text('u8 field_cpu', 28, 1),
		'q::s' => '', 'y::tr' => field_text('int ENV', 8, 4, 1), 'x-y::a.b' => '', 'x-y::a-b' => '' },
		events => [[0, 1000, '9p::9p-req', pack 'l2 L2 C5', -1, 2, 3, 4, 5, 6, 7, 8, 9], [0, 2000, 'mini::tick', 5], [0, 3000, 'x-y::a-b', '']]);
	my $r = zedperl('-g', 'all', $odd);
	is("$r->{status} $r->{err}", '0 ', '-g');
	my $none = temp_path('.none');
	my $lost = zedperl('-g', 'all', $none, $odd);
	is("$lost->{status} $lost->{out}", "1 $r->{out}" =~ s/\Q$odd\E/$none/gr, '-g where an input cannot be opened: the others, and status 1');
	my $path = script($r->{out});
	like(`$^X $without_zed -c '$path' 2>&1`, qr/syntax OK/, 'is valid Perl under strict');
	is(scalar(() = `$^X $without_zed -wc '$path' 2>&1` =~ /\n/g), 1, 'without warnings');
	like($r->{out}, qr/^sub mini::tick\n\{\n\tmy \(\$cpu, \$secs, \$nsecs, \$sequence, \$n, \$who\) = \@_;$/m, 'field names are filled in');
	like($r->{out}, qr/\$cpu, \$secs, \$nsecs, \$sequence, \$field_cpu, \$field_secs, \$v, \$raw, \$field_a,?\s+\$field__, \$field_field_cpu\)/,
		'names that are taken or that Perl does not allow') or diag $r->{out} =~ /(sub _9p.*?\n\})/s;
	my $twins = trace(types => { 'x::y' => join '', map { field_text("u8 $_", 8, 1) } qw(x x field_x_2 x field_x x _ _ x) });
	like(zedperl('-g', 'all', $twins)->{out}, qr/\$sequence, \$x, \$field_x, \$field_x_2, \$field_x_3,\s+\$field_field_x, \$field_x_4, \$field__, \$field___2, \$field_x_5\)/,
		'fields of one name: each a variable of its own');
	my $run = zedperl($odd, $path);
	is($run->{status}, 0, 'it runs') or diag $run->{err};
	like($run->{out}, qr/^9p::9p-req +0 +0\.000001000 +1 .*\n\tcpu=-1\n\tsecs=2\n\tv=\[3 4\]\n\traw=0506\n/m, 'and prints the fields') or diag $run->{out};
	like($run->{out}, qr/^mini::tick .*\n\tn=5\n\twho=cpu0\nx-y::a-b /m, 'of every event');
}

done_testing();
