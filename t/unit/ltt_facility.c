// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ltt_facility: the language of LTT's facilities: real descriptions, the checksums of real kernels,
 * all types of its generations, and the mistakes in files that were in use.  Without it an event
 * would have the fields of another.
 *
 * of: reader/ltt/facility
 */
#include "t/lib/c/ltttry.h"

static void show_fields(const struct field *f, unsigned n);

/* u4, i8, f4, e1(1=A,2=B), s, bytes[3], [u4], {a:u4 b:s} */
static void show_field(const struct field *f)
{
	switch ((enum field_kind)f->kind) {
	case FIELD_ENUM:
		show("e%u(", f->size);
		for (unsigned i = 0; i < f->more->nlabels; i++)
			show("%s%" PRId64 "=%s", i ? "," : "", f->more->labels[i].value,
			     f->more->labels[i].name);
		show(")");
		return;
	case FIELD_STRUCT:
		show_fields(f->more->members, f->more->nmembers);
		return;
	case FIELD_LIST:
		show("[");
		show_field(&f->more->members[0]);
		show("]");
		break;
	case FIELD_ARRAY:
		show("[%c%u]", f->is_signed ? 'i' : 'u', f->elem);
		break;
	case FIELD_BYTES:
		show("bytes");
		break;
	case FIELD_STR:
		show("s");
		break;
	case FIELD_FLOAT:
		show("f%u", f->size);
		return;
	default:
		show("%c%u", f->kind == FIELD_INT ? 'i' : 'u', f->size);
		return;
	}
	if (f->count)
		show("%u", f->count);
}

static void show_fields(const struct field *f, unsigned n)
{
	show("{");
	for (unsigned i = 0; i < n; i++) {
		show("%s%s:", i ? " " : "", f[i].name);
		show_field(&f[i]);
	}
	show("}");
}

/* One event as text. */
static const char *event(const struct ltt_facilities *f, unsigned fac, unsigned ev,
			 enum ltt_gen gen, unsigned word)
{
	struct ltt_machine m = machine(&(struct shape){ BIG_HERE, word, word }, gen);
	struct ltt_layout *l;
	uint32_t fixed;
	struct err e = { .kind = ERR_NONE };
	unsigned n;

	shown[0] = '\0';
	l = ltt_layout_new(f, fac, ev, &m, &e);
	if (!l) {
		show("%s", e.msg);
		return shown;
	}
	show("%s", ltt_facilities_event(f, fac, ev));
	ltt_layout_fields(l, &n, &fixed);
	show_fields(ltt_layout_fields(l, &n, &fixed), n);
	ltt_layout_free(l);
	return shown;
}

/* The first event of TEXT is WANT, or the message has it. */
static void is_event(const char *text, enum ltt_gen gen, const char *want, const char *what)
{
	struct err e = { .kind = ERR_NONE };
	struct ltt_facilities *f = parse(text, gen, &e);

	if (!f)
		is_str(e.msg, want, what);
	else
		is_str(event(f, 0, 0, gen, 8), want, what);
	ltt_facilities_free(f);
}

static void is_checksum(const char *text, enum ltt_gen gen, uint32_t want, const char *what)
{
	struct err e = { .kind = ERR_NONE };
	struct ltt_facilities *f = parse(text, gen, &e);

	if (!f)
		ok(false, "%s: %s", what, e.msg);
	else
		is_u64(ltt_facilities_checksum(f, 0), want, what);
	ltt_facilities_free(f);
}

/* ---------------------------------------------------------------- the real sample */

/* Found in core.xml with regular expressions, one line an event. */
static const char *const SAMPLE[] = {
	"facility_load{name:s checksum:u4 base_code:u4}",
	"syscall_entry{syscall_id:u1 address:u4}",
	"syscall_exit{}",
	"trap_entry{trap_id:u2 address:u4}",
	"trap_exit{}",
	"irq_entry{irq_id:u1 kernel:u1}",
	"irq_exit{}",
	"schedchange{out:u4 in:u4 out_state:u4}",
	"kernel_timer{}",
	"soft_irq{event_sub_id:e1(1=TRACE_EV_SOFT_IRQ_BOTTOM_HALF,2=TRACE_EV_SOFT_IRQ_SOFT_IRQ,"
	"3=TRACE_EV_SOFT_IRQ_TASKLET_ACTION,4=TRACE_EV_SOFT_IRQ_TASKLET_HI_ACTION) event_data:u4}",
	"process{event_sub_id:e1(1=TRACE_EV_PROCESS_KTHREAD,2=TRACE_EV_PROCESS_FORK,"
	"3=TRACE_EV_PROCESS_EXIT,4=TRACE_EV_PROCESS_WAIT,5=TRACE_EV_PROCESS_SIGNAL,"
	"6=TRACE_EV_PROCESS_WAKEUP) event_data1:u4 event_data2:u4}",
	"file_system{event_sub_id:e1(1=TRACE_EV_FILE_SYSTEM_BUF_WAIT_START,"
	"2=TRACE_EV_FILE_SYSTEM_BUF_WAIT_END,3=TRACE_EV_FILE_SYSTEM_EXEC,"
	"4=TRACE_EV_FILE_SYSTEM_OPEN,5=TRACE_EV_FILE_SYSTEM_CLOSE,6=TRACE_EV_FILE_SYSTEM_READ,"
	"7=TRACE_EV_FILE_SYSTEM_WRITE,8=TRACE_EV_FILE_SYSTEM_SEEK,9=TRACE_EV_FILE_SYSTEM_IOCTL,"
	"10=TRACE_EV_FILE_SYSTEM_SELECT,11=TRACE_EV_FILE_SYSTEM_POLL) event_data1:u4 "
	"event_data2:u4 file_name:s}",
	"timer{event_sub_id:e1(1=TRACE_EV_TIMER_EXPIRED,2=TRACE_EV_TIMER_SETITIMER,"
	"3=TRACE_EV_TIMER_SETTIMEOUT) event_sdata:u1 event_data1:u4 event_data2:u4}",
	"memory{event_sub_id:e1(1=TRACE_EV_MEMORY_PAGE_ALLOC,2=TRACE_EV_MEMORY_PAGE_FREE,"
	"3=TRACE_EV_MEMORY_SWAP_IN,4=TRACE_EV_MEMORY_SWAP_OUT,5=TRACE_EV_MEMORY_PAGE_WAIT_START,"
	"6=TRACE_EV_MEMORY_PAGE_WAIT_END) event_data:u4}",
	"socket{event_sub_id:e1(1=TRACE_EV_SOCKET_CALL,2=TRACE_EV_SOCKET_CREATE,"
	"3=TRACE_EV_SOCKET_SEND,4=TRACE_EV_SOCKET_RECEIVE) event_data1:u4 event_data2:u4}",
	"ipc{event_sub_id:e1(1=TRACE_EV_IPC_CALL,2=TRACE_EV_IPC_MSG_CREATE,"
	"3=TRACE_EV_IPC_SEM_CREATE,4=TRACE_EV_IPC_SHM_CREATE) event_data1:u4 event_data2:u4}",
	"network{event_sub_id:e1(1=TRACE_EV_NETWORK_PACKET_IN,2=TRACE_EV_NETWORK_PACKET_OUT) "
	"event_data:u4}",
	"block_start{timestamp:{time:{seconds:u4 nanoseconds:u4} cycle_count:u8} block_id:u4}",
	"block_end{timestamp:{time:{seconds:u4 nanoseconds:u4} cycle_count:u8} block_id:u4}",
	"time_heartbeat{time:{seconds:u4 nanoseconds:u4} cycle_count:u8}",
	"process_fork{child_pid:u4 event_data2:u4}",
	"process_exit{event_data1:u4 event_data2:u4}",
};

#define NSAMPLE (sizeof(SAMPLE) / sizeof(SAMPLE[0]))

static FILE *sample_open(void)
{
	static const char file[] = "ltt-g1/eventdefs/core.xml";
	const char *dirs[] = { "t/data", getenv("ZED_SHARED"), "../shared" };
	char path[1024];
	FILE *fp = NULL;

	for (unsigned i = 0; !fp && i < 3; i++) {
		if (!dirs[i])
			continue;
		snprintf(path, sizeof(path), "%s%s/%s", dirs[i], i ? "/data" : "", file);
		fp = fopen(path, "rb");
	}
	return fp;
}

static void real_sample(void)
{
	static char text[65536];
	struct ltt_facilities *f;
	FILE *fp = sample_open();
	struct err e = { .kind = ERR_NONE };
	size_t len;

	if (!fp) {
		ok(true, "the real core.xml # SKIP no ltt-g1 here");
		return;
	}
	len = fread(text, 1, sizeof(text), fp);
	fclose(fp);
	f = parse_n(text, len, LTT_G1, &e);
	if (!ok(f, "a real core.xml of 2004 is read (else: no trace of generation 1 is)")) {
		diag("%s", e.msg);
		return;
	}
	is_u64(ltt_facilities_count(f), 1, "it has one facility (else: its events are lost)");
	is_str(ltt_facilities_name(f, 0), "core", "called core (else: handlers miss its events)");
	is_u64(ltt_facilities_nevents(f, 0), NSAMPLE, "of 22 events (else: event ids are shifted)");
	for (unsigned i = 0; i < NSAMPLE && i < ltt_facilities_nevents(f, 0); i++) {
		char what[128];

		snprintf(what, sizeof(what),
			 "event %u: fields and labels (else: values under "
			 "wrong names)",
			 i);
		is_str(event(f, 0, i, LTT_G1, 4), SAMPLE[i], what);
	}
	/* By a script of its own, from the words that the checksum is said to take. */
	is_u64(ltt_facilities_checksum(f, 0), 0x06588858,
	       "the checksum of generation 1 (else: each trace warns)");
	ltt_facilities_free(f);
}

/* ---------------------------------------------------------------- checksums */

/* clang-format off */
#define SIZES(u) F("checksum", u) F("id", u) F("int_size", u) F("long_size", u) \
	F("pointer_size", u) F("size_t_size", u) F("has_alignment", u)

#define CORE(heartbeat) \
	"<facility name=core><event name=facility_load>" F("name", "string") \
	SIZES("uint size=4") "</event>" \
	"<event name=facility_unload>" F("id", "uint size=4") "</event>" \
	"<event name=time_heartbeat per_tracefile>" heartbeat "</event>" \
	"<event name=state_dump_facility_load per_trace>" F("name", "string") \
	SIZES("uint size=4") "</event>"

/* The events and fields of the process facility, as the headers that kernels were built with. */
#define PROCESS \
	"<facility name=process>" \
	"<event name=fork>" F("parent_pid", "uint") F("child_pid", "uint") F("child_tgid", "uint") \
	"</event><event name=kernel_thread>" F("pid", "uint") F("function", "pointer") \
	"</event><event name=exit>" F("pid", "uint") \
	"</event><event name=wait>" F("parent_pid", "uint") F("child_pid", "uint") \
	"</event><event name=free>" F("pid", "uint") \
	"</event><event name=kill>" F("pid", "uint") F("target_pid", "uint") \
	F("signal", "typeref name=signal_name") \
	"</event><event name=signal>" F("pid", "uint") F("signal", "typeref name=signal_name") \
	"</event><event name=wakeup>" F("pid", "uint") F("state", "int") \
	"</event><event name=schedchange>" F("out", "uint") F("in", "uint") F("out_state", "int") \
	"</event><type name=signal_name><enum>" \
	"<label name=SIGHUP value=1/><description>Hangup</description>" \
	"<label name=SIGINT value=2/><label name=SIGQUIT value=3/><label name=SIGILL/>" \
	"<label name=SIGTRAP/><label name=SIGABRT/><label name=SIGBUS/><label name=SIGFPE/>" \
	"<label name=SIGKILL value=9/><label name=SIGUSR1/><label name=SIGSEGV/>" \
	"<label name=SIGUSR2/><label name=SIGPIPE/><label name=SIGALRM/><label name=SIGTERM/>" \
	"<label name=SIGSTKFLT/><label name=SIGCHLD/><label name=SIGCONT/><label name=SIGSTOP/>" \
	"<label name=SIGTSTP/><label name=SIGTTIN/><label name=SIGTTOU/><label name=SIGURG/>" \
	"<label name=SIGXCPU/><label name=SIGXFSZ/><label name=SIGVTALRM/><label name=SIGPROF/>" \
	"<label name=SIGWINCH/><label name=SIGIO/><label name=SIGPWR/><label name=SIGSYS/>" \
	"</enum></type></facility>\n"

static void checksums(void)
{
	is_checksum(CORE("") "</facility>", LTT_0_6, 0x1A8DE486,
		    "core, as Linux kernels of 2006 were built with it (else: each trace warns)");
	is_checksum(PROCESS, LTT_0_6, 0x2905B6EB,
		    "process, the same: uint, int, pointer, enum, typeref (else: each warns)");
	is_checksum(CORE("<field name=timestamp><typeref name=t/></field>")
		    "<type name=t><struct>" F("seconds", "uint size=4")
		    F("nanoseconds", "uint size=4") F("cycle_count", "uint size=8")
		    "</struct></type></facility>", LTT_0_6, 0x0F1C514F,
		    "core with a heartbeat, as of LTTV 0.8.5: struct (else: old traces warn)");
	/* From here on: sums that a script made of the words that the checksum covers. */
	is_checksum("<facility name=all><event name=e>" F("i", "int_fixed size=1 format=\"%d\"")
		    F("u", "uint_fixed size=4") F("p", "pointer") F("c", "char") F("uc", "uchar")
		    F("sh", "short") F("us", "ushort") F("n", "int") F("un", "uint") F("l", "long")
		    F("ul", "ulong") F("z", "size_t") F("sz", "ssize_t") F("o", "off_t")
		    F("f", "float size=4") F("d", "float size=8") F("s", "string format=\"%s\"")
		    "<field name=en><enum><label name=A value=7/><label name=B/></enum></field>"
		    "<field name=arr><array size=3><uint_fixed size=2/></array></field>"
		    "<field name=seq><sequence><uint/><uchar/></sequence></field>"
		    "<field name=un><union>" F("a", "int_fixed size=8") F("b", "string")
		    "</union></field><field name=st><struct>" F("x", "uint")
		    "<field name=y><struct>" F("z", "int") "</struct></field></struct></field>"
		    "</event><event name=empty></event></facility>", LTT_0_6, 0xE59F5696,
		    "all types of 0.6 (else: facilities that have them warn)");
	is_checksum("<facility name=old><event name=e><struct>" F("a", "int size=2")
		    F("b", "uint size=short") F("c", "int size=medium") F("d", "uint size=long")
		    F("f", "float size=4") F("g", "float size=long")
		    "<field name=h><enum size=1><label name=X value=3/><label name=Y/></enum>"
		    "</field>"
		    "<field name=i><array size=7><uint size=1/></array></field>"
		    "<field name=j><sequence size=2><string/></sequence></field>"
		    "<field name=k><union typecodesize=4>" F("l", "uint size=8") "</union></field>"
		    F("m", "long") "<field name=n><enum size=medium>P Q</enum></field>"
		    "</struct></event></facility>", LTT_0_4, 0xAF679D82,
		    "all types of 0.4 (else: facilities that have them warn)");
}

/* ---------------------------------------------------------------- types and mistakes */

/*
 * The document's own example, with all its mistakes: quotes and slashes missing, </event> for
 * </field> and </type>, <description> for </description>, upper case, types defined after their
 * use.
 */
static const char DOCUMENT[] =
	"<FACILITY NAME=builtin>\n"
	"<event name=interrupt>\n<description>Interrupt request number < 16<description>\n"
	"<struct>\n<field name=\"number\"><uint size=4/></field>\n"
	"<field name=\"name\"><string/></field>\n</struct>\n</event>\n"
	"<event name=time_heartbeat>\n<description>System time\nvalues</description>\n"
	"<typeref name=block_timestamp/>\n</event>\n"
	"<type name=block_timestamp>\n<struct>\n"
	"<field name=timestamp><typeref name=timestamp></field>\n"
	"<field name=block_id><uint size=4/></field>\n</struct>\n</type>\n"
	"<type name=timestamp>\n<struct>\n"
	"<field name=time><typeref name=timespec/></event>\n"
	"<field name=\"cycle_count\"><uint size=8/></field>\n</struct>\n</event>\n"
	"<type name=timespec>\n<struct>\n<field name=\"seconds\"><uint size=4/></field>\n"
	"<field name=\"nanoseconds\"><uint size=4/></field>\n</struct>\n</type>\n"
	"<event name=process><struct><field name=\"state\"><enum size=4>\n"
	" Running WaitInterruptible Zombie\n</enum></field></struct></event>\n"
	"</FACILITY>\n";
/* clang-format on */

static void document(void)
{
	struct err e = { .kind = ERR_NONE };
	struct ltt_facilities *f = parse(DOCUMENT, LTT_G1, &e);

	if (!ok(f, "the document's own example is read (else: what follows it is not)")) {
		diag("%s", e.msg);
		return;
	}
	is_str(ltt_facilities_name(f, 0), "builtin", "<FACILITY NAME=...> (else: it has no name)");
	is_str(event(f, 0, 0, LTT_G1, 4), "interrupt{number:u4 name:s}",
	       "<description>...<description> (else: all to the next one is text)");
	is_str(event(f, 0, 1, LTT_G1, 4),
	       "time_heartbeat{timestamp:{time:{seconds:u4 "
	       "nanoseconds:u4} cycle_count:u8} block_id:u4}",
	       "typerefs before their types, without slashes, ended by </event>");
	is_str(event(f, 0, 2, LTT_G1, 4),
	       "process{state:e4(0=Running,1=WaitInterruptible,2=Zombie)}",
	       "labels that are bare words (else: the state has no names)");
	ltt_facilities_free(f);
}

static void types(void)
{
	is_event(ONE("<int size=1/>"), LTT_G1, "e{x:i1}", "G1: int of 1 (else: 4 are read)");
	is_event(ONE("<uint size=short/>"), LTT_G1, "e{x:u2}", "G1: short is 2 bytes");
	is_event(ONE("<uint size=medium/>"), LTT_G1, "e{x:u4}", "G1: medium is an int");
	is_event(ONE("<int size=long/>"), LTT_G1, "e{x:i8}", "G1: long is a long of 8");
	is_event(ONE("<float size=medium/>"), LTT_G1, "e{x:f4}", "G1: a medium float has 4");
	is_event(ONE("<float size=long/>"), LTT_G1, "e{x:f8}", "G1: a long float has 8");
	is_event(ONE("<pointer/>"), LTT_0_4, "e{x:u8}", "0.4: a pointer (else: 4 bytes are read)");
	is_event(ONE("<enum size=2><label name=A/></enum>"), LTT_0_4, "e{x:e2(0=A)}",
		 "0.4: an enum has its size (else: 4 bytes are read)");
	is_event(ONE("<sequence lengthsize=1><uint size=4/></sequence>"), LTT_G1, "e{x:[u4]}",
		 "the document's sequence: lengthsize=");
	is_event(ONE("<sequence size=1><string/></sequence>"), LTT_0_4, "e{x:[s]}",
		 "0.4's sequence: size=");
	is_event(ONE("<union typecodesize=1><field name=a><uint size=4/></field><field name=b>"
		     "<float size=8/></field></union>"),
		 LTT_G1, "e{x:{a:u4 b:f8}}",
		 "a union has all its members side by side, no code (else: the code is read)");
	is_event(NEW("<uint size=1/>"), LTT_0_6, "e{x:u4}",
		 "0.6: size= of a uint says nothing (else: 1 byte is read of 4)");
	is_event(NEW("<int size=\"8\"/>"), LTT_0_6, "e{x:i4}", "0.6: nor of an int");
	is_event(NEW("<uint_fixed size=8/>"), LTT_0_6, "e{x:u8}", "0.6: of uint_fixed it does");
	is_event(NEW("<int_fixed size=2/>"), LTT_0_6, "e{x:i2}", "0.6: int_fixed");
	is_event(NEW("<float size=4/>"), LTT_0_6, "e{x:f4}", "0.6: float of 4");
	is_event(NEW("<char/>"), LTT_0_6, "e{x:i1}", "0.6: char");
	is_event(NEW("<uchar/>"), LTT_0_6, "e{x:u1}", "0.6: uchar");
	is_event(NEW("<short/>"), LTT_0_6, "e{x:i2}", "0.6: short");
	is_event(NEW("<ushort/>"), LTT_0_6, "e{x:u2}", "0.6: ushort");
	is_event(NEW("<long/>"), LTT_0_6, "e{x:i8}", "0.6: long");
	is_event(NEW("<ulong/>"), LTT_0_6, "e{x:u8}", "0.6: ulong");
	is_event(NEW("<size_t/>"), LTT_0_6, "e{x:u8}", "0.6: size_t");
	is_event(NEW("<ssize_t/>"), LTT_0_6, "e{x:i8}", "0.6: ssize_t");
	is_event(NEW("<off_t/>"), LTT_0_6, "e{x:i8}", "0.6: off_t");
	is_event(NEW("<enum><label name=A value=5/><label name=B/><label name=C value=2/>"
		     "<label name=D/><label name=E value=5/></enum>"),
		 LTT_0_6, "e{x:e4(2=C,3=D,5=A,5=E,6=B)}",
		 "0.6: labels count on from value=, the first of equal ones is first");
	is_event(NEW("<enum><label name=A value=-2/><label name=B/></enum>"), LTT_0_6,
		 "e{x:e4(-2=A,-1=B)}", "values below 0");
	is_event(NEW("<sequence><uchar/><uint/></sequence>"), LTT_0_6, "e{x:[u4]}",
		 "0.6's sequence: the type of its length comes first");
	is_event(NEW("<sequence><uint/><char/></sequence>"), LTT_0_6, "e{x:s}",
		 "a sequence of char is text (else: a list of numbers)");
	is_event(NEW("<sequence><uint/><uchar/></sequence>"), LTT_0_6, "e{x:bytes}",
		 "one of uchar is bytes");
	is_event(NEW("<array size=4><char/></array>"), LTT_0_6, "e{x:s4}", "an array of char");
	is_event(NEW("<array size=4><long/></array>"), LTT_0_6, "e{x:[i8]4}", "an array of long");
	is_event(NEW("<array size=2><array size=3><float size=4/></array></array>"), LTT_0_6,
		 "e{x:[[f4]3]2}", "an array of arrays of floats");
	is_event(NEW("<struct><field name=a><sequence><uint/><struct><field name=b><string/>"
		     "</field></struct></sequence></field></struct>"),
		 LTT_0_6, "e{x:{a:[{b:s}]}}", "a struct of a sequence of structs of strings");
}

static void slips(void)
{
	is_event("<?xml version=\"1.0\"?>\n<!DOCTYPE x>\n<facility name=\"f\"><!-- <a> -->"
		 "<event name=\"e\" scope=\"trace\" scope='x'><description></description>"
		 "<field name=\"x\"><uint_fixed size=\"2\"/></field></event></facility>",
		 LTT_0_6, "e{x:u2}", "the real XML of 2006: <?xml?>, quotes, <!-- -->");
	is_event("// one\n<facility /* two */ name=f>\n<event name=e per_tracefile custom_write "
		 "arch=i386>\n<field name=x // three\n><uint align=4></field></event></facility>"
		 "/**/",
		 LTT_0_6, "e{x:u4}", "comments of C, attributes that are flags, no slash");
	is_event(NEW("<uint></uint>"), LTT_0_6, "e{x:u4}", "a real end tag of a plain type");
	is_event(NEW("<typeref name=t></typeref>") "<facility name=g/>", LTT_0_6,
		 "line 1, column 47: facility f has no type t", "typerefs are of their facility");
	is_event(NEW("<enum><label name=A value=\"0x10\"><label name=B></label>"
		     "<description>b</description></enum>"),
		 LTT_0_6, "e{x:e4(16=A,17=B)}",
		 "labels without slash, with an end tag, with a description, in hexadecimal");
	is_event(NEW("<uint format=\"%d \\\"x\\\" \\\n\"/>"), LTT_0_6, "e{x:u4}",
		 "a backslash keeps a quotation mark and a newline");
	is_event(NEW("<array size=2/><uint/></array>"), LTT_0_6, "e{x:[u4]2}",
		 "<array size=n/> that goes on (else: a file in use is not read)");
	is_event(NEW("<description>no uint < 3 // and /* none</description><uint/>"
		     "<description>more</description>"),
		 LTT_0_6, "e{x:u4}", "a description is raw text (else: its // would hide its end)");
	is_event("<facility name=f><event name=e><struct>" F("a", "uint")
			 F("b", "string") "</struct></event></facility>",
		 LTT_0_6, "e{a:u4 b:s}",
		 "a struct around the fields of 0.6 (else: they are one level too deep)");
	is_event("<facility name=f><event name=e>" F("a", "uint size=4") "</event></facility>",
		 LTT_0_4, "e{a:u4}", "no struct around those of 0.4");
	is_event("<facility name=f><event name=e><typeref name=t></event><type name=t>"
		 "<description>d</description><typeref name=u/></type><type name=u><struct>" F(
			 "a", "uint") "</struct></type></facility>",
		 LTT_0_6, "e{a:u4}", "an event that is a typeref to a typeref");
	is_event("<facility name=f><event name=e/></facility>", LTT_0_6, "e{}",
		 "an event in one tag");
}

int main(void)
{
	real_sample();
	checksums();
	document();
	types();
	slips();
	return tap_done();
}
