# SPDX-License-Identifier: GPL-2.0-or-later
#
# What stands around --metrics: the example script, the dashboard for Grafana, the unit for systemd. Without it the
# dashboard's panels are empty, or the service does not start, or runs with more rights than it says.
#
# of: scripts/metrics.pl analysis/metrics
use strict;
use warnings;
use Test::More;
use Cwd qw(abs_path);
use JSON::PP;
use lib 't/lib';
use Write::Miniature;
use Compare::OpenMetrics;
use Run::Program qw(zed_bin zed_run zed_tmp slurp spew);
use Run::Zedperl;

# Waits of 20 and 60 us, two switches of CPU 0 and one of CPU 1, an interrupt, a softirq of 10 us, a request of 40 us.
my $dat = miniature('100 0 5 waking 10 | 120 0 5 switch 5 S 10 | 130 0 10 waking 11 | 140 0 10 D R 64+8 | 150 0 10 fork 10 12 | '
	. '160 0 10 hardirq irq 7 eth0 | 170 0 10 serving softirq 9 | 180 0 10 serving softirqx 9 | 180 1 0 C R 64+8 | 190 1 0 switch 0 R 11 | 230 0 10 switch 10 S 0');
my $m;
{
	my $r = zedperl($dat, 'scripts/metrics.pl');
	$m = eval { openmetrics($r->{out}) };
	ok($m, 'scripts/metrics.pl prints OpenMetrics') or diag $@, $r->{err}, $r->{out};
	is_deeply([map { sample($m, 'zed_switches_total', cpu => $_) } 0, 1], [2, 1], 'switches');
	is(sample($m, 'zed_wakeups_total', task => 't11'), 1, 'who is woken');
	is_deeply([map { sample($m, "zed_wakeup_latency_seconds_$_") } qw(sum count)], ['0.00008', 2], 'waits: 20 and 60 us');
	is_deeply([map { sample($m, 'zed_wakeup_latency_seconds_bucket', le => $_) } qw(1.6383e-05 3.2767e-05 6.5535e-05 +Inf)], [0, 1, 2, 2], 'and how they are spread');
	is_deeply([map { sample($m, "zed_softirq_seconds_$_", vec => 9) } qw(sum count)], ['0.00001', 1], 'a softirq of 10 us');
	is_deeply([map { sample($m, "zed_disk_seconds_$_", dev => '8:0') } qw(sum count)], ['0.00004', 1], 'a request of 40 us, of the device as the kernel writes it (else: nobody knows 8388608)');
	is_deeply([sample($m, 'zed_interrupts_total', irq => 7, name => 'eth0'), sample($m, 'zed_forks_total')], [1, 1], 'an interrupt, a fork');
	is(zedperl($dat, 'scripts/metrics.pl', '--quiet')->{out}, '', '--quiet');
	like(zedperl($dat, 'scripts/metrics.pl', '--loud')->{err}, qr/^usage: zedperl --live --metrics/, 'another option is a mistake');
}

{	# Without it: all containers are one.
	my $r = zedperl($dat, 'scripts/metrics.pl', '--by-cgroup');
	my $by = eval { openmetrics($r->{out}) };
	ok($by, '--by-cgroup') or diag $@, $r->{err}, $r->{out};
	is_deeply([map { sample($by, 'zed_switches_total', cpu => $_, cgroup => '?') } 0, 1], [2, 1], '... of a trace without them');
	is(sample($by, 'zed_forks_total', cgroup => '?'), 1, '... forks, too');
	like($r->{err}, qr/it has no cgroups of tasks/, '... which is said');
}

{	# Without it: a trace of one subsystem is refused.
	my $r = zedperl('t/data/demo.dat', 'scripts/metrics.pl');
	my $some = eval { openmetrics($r->{out}) };
	ok($some && $some->{zed_switches} && !$some->{zed_disk_seconds}, 'what the trace has') or diag $r->{err};
	is($r->{err}, '', 'and nothing is said of the rest');
}

my $names = $m;
{
	my $board = decode_json(slurp('docs/grafana-zedperl.json'));
	my @exprs = map { my $p = $_; map { [$p->{title}, $_->{expr}, $_->{legendFormat}] } @{$p->{targets}} } @{$board->{panels}};
	cmp_ok(scalar @exprs, '>', 10, 'the dashboard has queries');
	my %suffixes = (counter => ['_total'], gauge => [''], histogram => [qw(_bucket _sum _count)], summary => [qw(_sum _count)]);
	my %known = map { my $f = $_; map { ($f . $_ => $names->{$f}) } @{$suffixes{$names->{$f}{type}}} } keys %$names;
	my %used;
	for (@exprs) {
		my ($title, $expr, $legend) = @$_;
		my @metrics = $expr =~ /\b((?:zed|process)_\w+)/g;
		ok(@metrics && !grep({ !$known{$_} } @metrics), "$title: there is " . join(', ', @metrics)) or diag $expr;
		$used{$_} = 1 for map { s/_(?:bucket|sum|count|total)$//r } @metrics;
		my %labels = (le => 1, instance => 1, map { %{$_->[1]} } map { @{$known{$_}{samples} // []} } grep { $known{$_} } @metrics);
		my @wanted = ((map { split /,\s*/ } $expr =~ /\bby \(([^)]*)\)/g), $legend =~ /\{\{(\w+)\}\}/g);
		is(join(' ', grep { !exists $labels{$_} } @wanted), '', '... with the labels that it groups by');
		is(join(' ', grep { $expr !~ /rate\(\Q$_\E/ } grep { /_(?:total|bucket|sum|count)$/ } @metrics), '', '... counters as rates');
	}
	my @zed = grep { /^zed_/ && !/^zed_build_info$/ } keys %$names;
	is(join(' ', sort grep { !$used{$_} } @zed), '', 'and it shows all that there is');
	SKIP: {
		skip 'promtool is not installed (Debian: prometheus; PROMTOOL=1 make test fetches it)', 1 if system('command -v promtool >/dev/null 2>&1');
		my $n = 0;
		my $rules = spew(zed_tmp() . '/rules.yml', "groups:\n- name: g\n  rules:\n" . join '', map {
			"  - record: r" . $n++ . "\n    expr: '" . ($_->[1] =~ s/\$__rate_interval/5m/gr =~ s/\$instance/.*/gr) . "'\n" } @exprs);
		my $said = `promtool check rules '$rules' 2>&1`;
		is($?, 0, 'promtool reads each query as PromQL') or diag $said;
	}
}

SKIP: {
	skip 'systemd-analyze is not installed', 3 if system('command -v systemd-analyze >/dev/null 2>&1');
	my $bin = abs_path(zed_bin('zedperl')) =~ s{/zedperl$}{}r;
	my $unit = zed_tmp() . '/zedperl-metrics@metrics.service';
	spew($unit, slurp('packaging/systemd/zedperl-metrics@.service') =~ s{/usr/local/bin}{$bin}gr =~ s/^Documentation=.*\n//mr);
	my $said = `systemd-analyze verify --man=no '$unit' 2>&1`;
	my $status = $?;
	skip "systemd-analyze cannot work here: $said", 3 if $said =~ /Failed to (?:connect|initialize|create|setup)|Operation not permitted/;
	is(join("\n", grep { /zedperl/ } split /\n/, $said), '', 'systemd-analyze verify finds nothing in the unit');
	is($status, 0, 'and is content');
	spew($unit, slurp($unit) =~ s/^ProtectSystem=/ProtectSistem=/mr);
	like(`systemd-analyze verify --man=no '$unit' 2>&1`, qr/ProtectSistem/, 'it would find a mistake');
	spew($unit, slurp($unit) =~ s/^ProtectSistem=/ProtectSystem=/mr);
	my $report = `systemd-analyze security --offline=yes --no-pager --threshold=25 '$unit' 2>&1`;
	my $bad = $?;
	SKIP: {
		skip 'this systemd-analyze knows no --offline', 2 if $report !~ /Overall exposure level/;
		is($bad, 0, 'systemd-analyze security: exposed 2.5 of 10 at most') or diag $report =~ /(.*Overall.*)/;
		my %open = map { $_ => 1 } $report =~ /^\S* ?\xe2\x9c\x97 (\w+)=/mg;
		is(join(' ', sort grep { $open{$_} } qw(NoNewPrivileges ProtectHome PrivateDevices ProtectKernelModules MemoryDenyWriteExecute)), '', 'what it takes away is taken');
	}
}

done_testing();
