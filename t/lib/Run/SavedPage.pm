# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::SavedPage: the page of `zedperl explore` as "save page" writes it, without a server: its parts, and answers that
# are made from what zedprint -f json, a script with a time line, and --html say of a trace.
#
#	my $path = saved_page('t/data/demo.dat', answers => ['waits']);
#	$browser->open($path);
package Run::SavedPage;
use strict;
use warnings;
use Digest::SHA ();
use Exporter 'import';
use JSON::PP ();
use Run::Program qw(slurp spew);
use Run::Zedperl qw(zedperl temp_path script zedperl_path);

our @EXPORT = qw(saved_page saved_data page_of);

my $json = JSON::PP->new->utf8->canonical;

# A time line as `lanes` answers it.
my $LANES = <<'END';
use Zed; use Zed::Page; use JSON::PP; use MIME::Base64;
my $t = Zed::timeline();
sub trace_end {
	my $d = $t->answer(100_000, 0) // return;
	my ($cpu, $task, $marks) = map { MIME::Base64::encode_base64($_, '') } delete @$d{qw(cpu_cells task_cells marks)};
	print JSON::PP->new->canonical->ascii->encode({ timeline => Zed::Page::_timeline_names($d, Zed::start()),
		'cells-cpu' => $cpu, 'cells-task' => $task, marks => $marks, irqs => [], losses => [] });
}
END

sub _lanes {
	my ($dat) = @_;
	my $r = zedperl({ bare => 1 }, $dat, script($LANES));
	my $a = eval { JSON::PP::decode_json($r->{out}) } // return;
	my $t = $a->{timeline};
	@$a{qw(from to)} = @$t{qw(start end)};
	$a->{exact} = @{$t->{ranges}} == 1 && $t->{nmarks} <= 20_000 ? JSON::PP::true() : JSON::PP::false();
	return $a;
}

# The page data of an analysis: of the whole trace, so its times are those of explore.
sub _answer {
	my ($dat, $name) = @_;
	my $file = temp_path('.html');
	my $r = zedperl({ bare => 1 }, $dat, $name, '--html', $file);
	my $page = !$r->{status} && slurp($file) =~ m{id="data">(.*?)</script>}s ? $json->decode($1) : undef;
	return { command => "zedperl $dat $name", exit => $r->{status}, said => $r->{err}, page => $page };
}

sub _event {
	my ($e, $base, $row) = @_;
	my $f = $e->{fields};
	my @fields = map { my $v = $f->{$_}; [$_, ref $v ? $json->encode($v) : "$v"] } sort keys %$f;
	return { row => $row, at => $e->{ts} - $base, cpu => $e->{cpu}, source => 0, pid => $e->{pid}, comm => $e->{comm} // '',
		name => $e->{event} =~ s/::/:/r, text => join(', ', map {"$_->[0] = $_->[1]"} @fields), fields => \@fields };
}

# All that a saved page knows of the trace DAT. answers: names of analyses; unfit: others; events: how many rows are kept;
# findings, notes, state, lost, losses, processes: as they are.
sub saved_data {
	my ($dat, %o) = @_;
	my $r = zedperl({ program => zedperl_path() =~ s/zedperl\z/zedprint/r }, '-f', 'json', $dat);
	my @events = grep { defined $_->{event} } map { $json->decode($_) } split /\n/, $r->{out};
	my $base = $events[0]{ts};
	my $length = $events[-1]{ts} - $base;
	my %cpu;
	for my $e (@events) {
		my $c = $cpu{$e->{cpu}} //= { cpu => $e->{cpu}, source => 0, first => $e->{ts} - $base, events => 0 };
		$c->{last} = $e->{ts} - $base;
		$c->{events}++;
	}
	my @rows = map { _event($events[$_], $base, $_) } 0 .. $#events;
	$#rows = $o{events} - 1 if $o{events} && @rows > $o{events};
	my ($yes, $no) = (JSON::PP::true(), JSON::PP::false());
	my @names = @{$o{answers} // [qw(sched-summary waits)]};
	my $lanes = _lanes($dat);
	push @{$lanes->{losses}}, @{$o{losses} // []};
	$lanes->{processes} = $o{processes} // [];
	return {
		head => { version => '1', program => 'zedperl', files => [$o{file} // $dat], base => "$base", length => $length, ticks => $no,
			machine => 'Linux 6.1.0', recorded => [['clock', 'local']], events => scalar @events, cpus => [map { $cpu{$_} } sort { $a <=> $b } keys %cpu],
			lost => $o{lost} // { events => 0, unsized => 0, text => '' }, index => { ready => $yes, done => 1 },
			answers => [(map { { name => $_, what => "what $_ says", suits => $yes, why => '' } } @names),
				map { { name => $_, what => "what $_ says", suits => $no, why => "no $_ events" } } @{$o{unfit} // ['block']}] },
		findings => { findings => $o{findings} // [] }, lanes => [$lanes // ()], notes => $o{notes} // [], state => $o{state} // '',
		events => { from => 0, to => @rows < @events ? $rows[-1]{at} : $length, total => scalar @rows, rows => \@rows },
		answers => [map { { name => $_, from => 0, to => $length, answer => _answer($dat, $_) } } @names],
	};
}

sub _hash { return "'sha256-" . Digest::SHA::sha256_base64($_[0]) . "='" }

# The text of the page with DATA in it; d3 is that of a page of --html.
my $library;
sub page_of {
	my ($data) = @_;
	if (!defined $library) {
		my $file = temp_path('.html');
		zedperl({ bare => 1 }, 't/data/demo.dat', 'sched-summary', '--html', $file);
		($library) = slurp($file) =~ m{<script>(.*?)</script>}s;
	}
	my $style = join '', map { slurp("page/$_") } qw(page.css explore.css);
	my $code = join "\n", map { slurp("page/$_") } split ' ', slurp("page/explore/parts.txt");
	my $policy = "default-src 'none'; script-src " . join(' ', map { _hash($_) } $library, $code) . '; style-src ' . _hash($style);
	my $saved = $json->ascii->encode($data) =~ s/</\\u003c/gr;
	my %part = (trace => 'trace', style => qq(<meta http-equiv="Content-Security-Policy" content="$policy">\n<style>$style</style>),
		licence => '<!-- d3: Copyright -->',
		script => qq(<script type="application/json" id="saved">$saved</script>\n<script>$library</script>\n<script>$code</script>));
	return slurp("page/explore.html") =~ s/<!-- (\w+) -->/$part{$1}/gr;
}

sub saved_page {
	my ($dat, %o) = @_;
	my $path = temp_path('.html');
	spew($path, page_of(saved_data($dat, %o)));
	return $path;
}

1;
