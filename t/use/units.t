# SPDX-License-Identifier: GPL-2.0-or-later
#
# The units for systemd: systemd-analyze finds no mistake, they give away the rights that they say, and each instance for
# metrics has its port.  Without it a service does not start, or runs with more rights than the manual says.
#
# of: packaging/systemd
use strict;
use warnings;
use Cwd qw(abs_path);
use Test::More;
use lib 't/lib';
use Run::Program qw(zed_bin zed_run zed_tmp slurp spew);

my $bin = abs_path(zed_bin('zedperl')) =~ s{/zedperl$}{}r;
my $dir = zed_tmp();

# The example of a file of settings is one.
{
	my $r = zed_run({ env => { ZED_TRACEFS => '/nowhere' } }, 'zedtrace', '--check-config', 'packaging/systemd/zedtrace.conf');
	is($r->{exit}, 0, 'zedtrace.conf can be used (else: who copies it gets errors)') or diag $r->{err};
}

my %unit = map { $_ => slurp("packaging/systemd/$_.service") } 'zedtrace@', 'zedperl-metrics@';
like($unit{'zedperl-metrics@'}, qr/^Environment=METRICS=127\.0\.0\.1:9435\nEnvironmentFile=-\/etc\/zedperl\/%i\.env\nExecStart=.* --metrics \$\{METRICS\} /m,
	'each instance for metrics may have its own port (else: the second does not start)');

unlike(join('', values %unit), qr/^ExecStartPre=/m, 'a start removes what a dead run left, and needs no command before it (else: a start takes twice as long)');

SKIP: {
	skip 'systemd-analyze is not installed', 1 if system('command -v systemd-analyze >/dev/null 2>&1');
	for my $name (sort keys %unit) {
		my $path = "$dir/${name}x.service";
		my $text = $unit{$name} =~ s{/usr/local/bin}{$bin}gr =~ s/^Documentation=.*\n//mr;
		spew($path, $text);
		my $said = `systemd-analyze verify --man=no '$path' 2>&1`;
		my $status = $?;
		skip "systemd-analyze cannot work here: $said", 1 if $said =~ /Failed to (?:connect|initialize|create|setup)|Operation not permitted/;
		is(join("\n", grep { /zed/ } split /\n/, $said), '', "$name: systemd-analyze verify finds nothing");
		is($status, 0, "$name: and is content");
		my $report = `systemd-analyze security --offline=yes --no-pager --threshold=30 '$path' 2>&1`;
		my $bad = $?;
		SKIP: {
			skip 'this systemd-analyze knows no --offline', 1 if $report !~ /Overall exposure level/;
			is($bad, 0, "$name: exposed 3.0 of 10 at most") or diag $report =~ /(.*Overall.*)/;
		}
	}
	spew("$dir/bad\@x.service", $unit{'zedtrace@'} =~ s{/usr/local/bin}{$bin}gr =~ s/^WatchdogSec=/WatchdogSek=/mr);
	like(`systemd-analyze verify --man=no '$dir/bad\@x.service' 2>&1`, qr/WatchdogSek/, 'a mistake would be found');
	# The system calls of a recorder are among those that the unit allows.
	my %allowed;
	my @sets = '@system-service';
	while (defined(my $set = shift @sets)) {
		next if $allowed{$set}++;
		for (split /\n/, `systemd-analyze syscall-filter '$set' 2>/dev/null`) {
			push @sets, $1 if /^\s+(\@[\w-]+)$/;
			$allowed{$1} = 1 if /^\s+(\w+)$/;
		}
	}
	is_deeply([grep { !$allowed{$_} } qw(splice inotify_add_watch memfd_create fallocate copy_file_range ppoll accept4 sendto renameat2)], [],
		'system calls that a recorder makes are allowed (else: it fails as a service only)');
}

done_testing();
