# SPDX-License-Identifier: GPL-2.0-or-later
#
# Write::FakeKernel: a directory that looks like tracefs, of a kernel with the two subsystems zoo and ark, so that
# zedtrace can be tested without root.
package Write::FakeKernel;
use strict;
use warnings;
use Exporter 'import';
use File::Path qw(make_path);
use Run::Program qw(zed_run zed_tmp);

our @EXPORT = qw(put fake_kernel zedtrace);

# Write TEXT to PATH, creating directories.
sub put
{
	my ($path, $text) = @_;

	make_path($path =~ s{/[^/]*$}{}r);
	open my $out, '>:raw', $path or die "$path: $!\n";
	print $out $text;
	close $out or die "$path: $!\n";
}

my $common = <<'END';
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;
END
my $header_page = <<'END';
	field: u64 timestamp;	offset:0;	size:8;	signed:0;
	field: local_t commit;	offset:8;	size:8;	signed:1;
	field: int overwrite;	offset:8;	size:1;	signed:1;
	field: char data;	offset:16;	size:4080;	signed:0;
END
my $zoo_open = <<'END';
	field:u32 beast;	offset:8;	size:4;	signed:0;
	field:char name[16];	offset:12;	size:16;	signed:0;
	field:long weight;	offset:32;	size:8;	signed:1;
END

sub event
{
	my ($kernel, $system, $name, $id, $fields, $enable, $filter) = @_;
	my $dir = "$kernel/events/$system/$name";

	put("$dir/format", "name: $name\nID: $id\nformat:\n$common\n$fields\nprint fmt: \"\"\n");
	put("$dir/enable", "$enable\n") if defined $enable;
	put("$dir/filter", "$filter\n") if defined $filter;
}

# The directory, made at the first call.
my $made;
sub fake_kernel
{
	return $made if $made;
	$made = zed_tmp() . '/tracing';
	put("$made/events/header_page", $header_page);
	put("$made/available_events", "zoo:zoo_open\nark:ark_rain\nzoo:zoo_close\nark:ark_dove\n");
	event($made, 'zoo', 'zoo_open', 311, $zoo_open, '1', 'beast == 3 && name != "yak"');
	event($made, 'zoo', 'zoo_close', 312, "\tfield:__data_loc char[] why;\toffset:8;\tsize:4;\tsigned:0;\n", '0', 'none');
	event($made, 'ark', 'ark_rain', 41, "\tfield:u8 days;\toffset:8;\tsize:1;\tsigned:0;\n", '0*', "days > 40\n");
	event($made, 'ark', 'ark_dove', 42, "\tfield:int found;\toffset:8;\tsize:4;\tsigned:1;\n");
	return $made;
}

# zed_run() of zedtrace on it; options of zed_run may come first.
sub zedtrace
{
	my @args = @_;
	my %o = ref $args[0] eq 'HASH' ? %{+shift @args} : ();

	return zed_run({ env => { ZED_TRACEFS => fake_kernel() }, %o }, 'zedtrace', @args);
}

1;
