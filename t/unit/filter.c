// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * filter: whole filters, as a user gives them: lists of CPUs and pids, times, instances, and
 * expressions against a catalog of types.  Without it a filter would take a type that it does not
 * name, or the fields of another input.
 *
 * of: run/filter
 */
#include "run/filter/comm_list.h"
#include "run/filter/filter.h"
#include "trace/machine.h"
#include "t/lib/c/tap.h"

static int no_text(void *arg, enum machine_text which, const char **p, size_t *len, struct err *e)
{
	*p = "";
	*len = 0;
	return 0;
}

static const struct machine_ops OPS = { .text = no_text };

static const struct origin origin = { .path = "x.dat", .instance = "", .cpu = 3 };

#define FORMAT(name, id, fields) \
	"name: " name "\nID: " id "\nformat:\n" \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n" fields "\nprint fmt: \"\"\n"

static const char SWITCH[] = FORMAT("sched_switch", "10",
				    "\tfield:int prio;\toffset:8;\tsize:4;\tsigned:1;\n");
static const char FORK[] = FORMAT("sched_fork", "11",
				  "\tfield:int child;\toffset:8;\tsize:4;\tsigned:1;\n");
static const char TIMER[] = FORMAT("timer_start", "12",
				   "\tfield:u64 when;\toffset:8;\tsize:8;\tsigned:0;\n");
/* the same event of another input, with the field elsewhere and smaller */
static const char SWITCH2[] = FORMAT("sched_switch", "44",
				     "\tfield:short pad;\toffset:8;\tsize:2;\tsigned:1;\n"
				     "\tfield:short prio;\toffset:10;\tsize:2;\tsigned:1;\n");
static const char LATE[] = FORMAT("sched_late", "13",
				  "\tfield:int prio;\toffset:8;\tsize:4;\tsigned:1;\n");

struct said {
	unsigned n;
	char text[1280];
};

static void say(void *arg, enum note_level level, const char *text)
{
	struct said *s = arg;

	s->n++;
	snprintf(s->text, sizeof(s->text), "%s", text);
}

static const struct etype *add(struct catalog *c, struct machine *s, const char *system,
			       const char *format)
{
	struct err e;
	struct etype *t = catalog_add(c, s, system, format, strlen(format), &e);

	if (!t)
		bail("catalog_add: %s", e.msg);
	return t;
}

/* The four bytes whose first half, as the other input has it, is PAD and whose second is PRIO. */
static int32_t halves(int16_t pad, int16_t prio)
{
	int16_t both[2] = { pad, prio };
	int32_t v;

	memcpy(&v, both, sizeof(v));
	return v;
}

static bool passes(struct filter *f, const struct etype *t, int32_t prio)
{
	uint8_t data[16] = { 0 };
	struct event x = { .ts = 5000,
			   .type = t,
			   .data = data,
			   .size = sizeof(data),
			   .pid = 9,
			   .cpu = 1,
			   .from = &origin };

	memcpy(data + 8, &prio, 4);
	return filter_pass(f, &x);
}

static void test_filter(void)
{
	struct machine s1 = { .long_size = 8 }, s2 = { .long_size = 8 };
	struct catalog *c = catalog_new();
	const struct etype *sw, *fork, *timer, *sw2, *late;
	struct said said = { 0 };
	struct notes notes = { .say = say, .arg = &said };
	struct filter *f;
	struct err e;

	machine_init(&s1, &OPS, NULL, NULL);
	machine_init(&s2, &OPS, NULL, NULL);
	sw = add(c, &s1, "sched", SWITCH);
	fork = add(c, &s1, "sched", FORK);
	timer = add(c, &s1, "timer", TIMER);
	sw2 = add(c, &s2, "sched", SWITCH2);

	f = filter_new();
	ok(filter_empty(f), "a new filter is empty");
	ok(filter_expr(f, "sched: prio < 100", &e) == 0, "an expression on a system");
	ok(!filter_empty(f), "and is no longer");
	ok(filter_compile(f, c, &notes, &e) == 0, "compiles");
	is_u64(said.n, 1, "one notice");
	has(said.text, "1 of 3 events has no such field and passes unfiltered: sched:sched_fork",
	    "about the event that lacks the field");
	ok(passes(f, sw, 99) && !passes(f, sw, 100), "sched_switch is filtered");
	ok(passes(f, fork, 100), "the event without the field passes");
	ok(passes(f, timer, 100), "another system passes");
	ok(passes(f, sw2, halves(0, 99)) && !passes(f, sw2, halves(0, 100)),
	   "the other input's layout is its own");
	ok(passes(f, sw2, halves(0x7fff, 99)), "and not the first one's");
	late = add(c, &s1, "sched", LATE);
	etype_resolve(c, late, &e);
	ok(passes(f, late, 99) && !passes(f, late, 100), "a type that comes later is filtered too");
	filter_free(f);

	f = filter_new();
	filter_expr(f, "sched:sched_s*:prio<100", &e);
	filter_expr(f, "sched:*: prio > 50", &e);
	ok(filter_compile(f, c, NULL, &e) == 0, "two expressions on one event");
	ok(passes(f, sw, 70) && !passes(f, sw, 40) && !passes(f, sw, 100), "both must hold");
	filter_free(f);

	/* Else a name as -t and a script's subs have it is refused. */
	f = filter_new();
	filter_expr(f, "sched::sched_s*: prio < 100", &e);
	ok(filter_compile(f, c, NULL, &e) == 0 && passes(f, sw, 70) && !passes(f, sw, 100),
	   "an event with two colons");
	filter_free(f);
	f = filter_new();
	filter_expr(f, "sched::sched_swich: prio < 100", &e);
	ok(filter_compile(f, c, NULL, &e) < 0, "a misspelt one");
	has(e.msg, "column 8: no input has an event 'sched_swich'", "has its column");
	filter_free(f);

	f = filter_new();
	ok(filter_expr(f, "shed: prio < 100", &e) == 0 && filter_compile(f, c, NULL, &e) < 0,
	   "a system that is not there");
	has(e.msg, "column 1: no input has a system 'shed'; did you mean 'sched'?",
	    "names the nearest");
	filter_free(f);
	f = filter_new();
	filter_expr(f, "sched:sched_swich: prio < 100", &e);
	ok(filter_compile(f, c, NULL, &e) < 0, "an event that is not there");
	has(e.msg,
	    "column 7: no input has an event 'sched_swich' in 'sched'; did you mean "
	    "'sched_switch'?",
	    "names the nearest");
	filter_free(f);
	f = filter_new();
	filter_expr(f, "sched_switch: prio < 100", &e);
	ok(filter_compile(f, c, NULL, &e) < 0, "an event in place of a system");
	has(e.msg, "write 'sched:sched_switch:'", "is told what to write");
	filter_free(f);
	f = filter_new();
	filter_expr(f, "sched: priority < 100", &e);
	ok(filter_compile(f, c, NULL, &e) < 0, "a field that no event has");
	has(e.msg, "column 8:", "has the column of the whole text");
	filter_free(f);

	f = filter_new();
	ok(filter_expr(f, "prio < 100", &e) < 0, "no system");
	has(e.msg, "SYSTEM: EXPRESSION", "is told the form");
	ok(filter_expr(f, "", &e) < 0 && filter_expr(f, ":", &e) < 0 &&
		   filter_expr(f, "sched:", &e) < 0 && filter_expr(f, "sched: ", &e) < 0 &&
		   filter_expr(f, "sched:x:", &e) < 0 && filter_expr(f, "sched::", &e) < 0 &&
		   filter_expr(f, "sched::x:", &e) < 0,
	   "halves are refused");
	filter_free(f);
	catalog_free(c);
	machine_fini(&s1);
	machine_fini(&s2);
}

static bool pass_at(struct filter *f, uint64_t ts, int cpu, int32_t pid, const struct origin *from)
{
	static const struct etype type = { .system = "test", .name = "event", .known = true };
	static const uint8_t record[16];
	struct event x = { .ts = ts,
			   .type = &type,
			   .data = record,
			   .size = sizeof(record),
			   .pid = pid,
			   .cpu = cpu,
			   .from = from };

	return filter_pass(f, &x);
}

static void test_terms(void)
{
	static const char *const BAD_CPUS[] = { "",   "x",  "1,",   ",1",  "3-1",
						"1-", "-1", "8192", "1 2", "99999999999999999999" };
	static const char *const BAD_PIDS[] = {
		"", "x", "1,", "1 2", "-1", "2147483648", "99999999999999999999"
	};
	struct origin foo = { .path = "x.dat", .instance = "foo", .cpu = 0, .buffer = 1 };
	struct origin bar = { .path = "x.dat", .instance = "bar", .cpu = 0, .buffer = 200 };
	struct filter *f = filter_new();
	struct err e;
	unsigned n = 0;

	ok(filter_cpus(f, "0,2-5", &e) == 0 && filter_cpus(f, "8191", &e) == 0, "lists of CPUs");
	ok(pass_at(f, 1, 0, 1, &origin) && !pass_at(f, 1, 1, 1, &origin) &&
		   pass_at(f, 1, 5, 1, &origin) && !pass_at(f, 1, 6, 1, &origin) &&
		   pass_at(f, 1, 8191, 1, &origin),
	   "select");
	ok(!pass_at(f, 1, -1, 1, &origin) && !pass_at(f, 1, 100000, 1, &origin),
	   "odd CPU numbers are left out");
	ok(filter_takes_cpu(f, 4) && !filter_takes_cpu(f, 1), "whole streams");
	filter_free(f);

	f = filter_new();
	ok(filter_pids(f, "30,5", &e) == 0 && filter_pids(f, "0", &e) == 0, "lists of pids");
	ok(pass_at(f, 1, 0, 5, &origin) && pass_at(f, 1, 0, 30, &origin) &&
		   pass_at(f, 1, 0, 0, &origin) && !pass_at(f, 1, 0, 6, &origin),
	   "select");
	filter_free(f);

	f = filter_new();
	filter_times(f, 100, 200);
	ok(!pass_at(f, 99, 0, 1, &origin) && pass_at(f, 100, 0, 1, &origin) &&
		   pass_at(f, 200, 0, 1, &origin) && !pass_at(f, 201, 0, 1, &origin),
	   "times, both ends inclusive");
	filter_free(f);

	f = filter_new();
	filter_instance(f, "foo", &e);
	filter_instance(f, "", &e);
	for (unsigned i = 0; i < 2; i++)
		ok(pass_at(f, 1, 0, 1, &foo) && pass_at(f, 1, 0, 1, &origin) &&
			   !pass_at(f, 1, 0, 1, &bar),
		   "instances, round %u", i);
	ok(filter_takes_instance(f, "foo") && !filter_takes_instance(f, "bar"), "whole buffers");
	filter_free(f);

	f = filter_new();
	for (size_t i = 0; i < sizeof(BAD_CPUS) / sizeof(BAD_CPUS[0]); i++)
		n += filter_cpus(f, BAD_CPUS[i], &e) == 0;
	for (size_t i = 0; i < sizeof(BAD_PIDS) / sizeof(BAD_PIDS[0]); i++)
		n += filter_pids(f, BAD_PIDS[i], &e) == 0;
	is_u64(n, 0, "bad lists are refused");
	filter_free(f);
}

static int cmdlines(void *arg, enum machine_text which, const char **p, size_t *len, struct err *e)
{
	*p = which == TEXT_CMDLINES ? "7 sh\n8 Web Content\n9 [x]*\n" : "";
	*len = strlen(*p);
	return 0;
}

/* Live: nobody knows 20 until it is KNOWN. */
static bool known;

static bool ask(void *arg, int32_t pid, char buf[16])
{
	if (pid == 20 && known)
		memcpy(buf, "late", 5);
	return pid == 20 && known;
}

static void test_comms(void)
{
	static const struct machine_ops ops = { .text = cmdlines };
	static const struct machine_ops live = { .text = cmdlines, .comm = ask };
	struct machine a, b, l;
	struct comm_list *c = comm_list_new();
	size_t i = 0;
	struct err e;

	machine_init(&a, &ops, NULL, NULL);
	machine_init(&b, &ops, NULL, NULL);
	machine_init(&l, &live, NULL, NULL);
	ok(comm_list_add(c, "Web Content,k*", &e) == 0 && comm_list_add(c, "none", &e) == 0 &&
		   comm_list_add(c, "\\[x]\\*", &e) == 0,
	   "names with blanks, patterns, names that look like one");
	ok(comm_list_add(c, "", &e) < 0 && comm_list_add(c, "x,", &e) < 0 &&
		   comm_list_add(c, ",x", &e) < 0,
	   "an empty name is refused");
	ok(!comm_list_takes_task(c, a.comms, 7) && comm_list_takes_task(c, a.comms, 8) &&
		   comm_list_takes_task(c, a.comms, 9) && !comm_list_takes_task(c, a.comms, 0) &&
		   !comm_list_takes_task(c, a.comms, 77),
	   "tasks by the names of the text");
	comms_event(a.comms, COMM_EVENT_RENAME, 10, "other", 5);
	comms_event(a.comms, COMM_EVENT_NEW, 7, "kswapd0", 7);
	ok(comm_list_takes_task(c, a.comms, 7) && !comm_list_takes_task(c, b.comms, 7),
	   "a new name counts at once, on its machine (else: what is kept of a task outlives it)");
	comms_event(a.comms, COMM_EVENT_RENAME, 7, "sh", 2);
	ok(comm_list_takes_task(c, a.comms, 7), "one that holds after this event does not yet");
	comms_advance(a.comms, 1);
	ok(!comm_list_takes_task(c, a.comms, 7), "... but with the next");
	comms_learn(b.comms, 7, "kthreadd", 8);
	ok(comm_list_takes_task(c, b.comms, 7), "one that is learnt");
	comm_list_add(c, "late", &e);
	ok(!comm_list_takes_task(c, l.comms, 20), "a task that a live source does not know");
	known = true;
	ok(!comm_list_takes_task(c, l.comms, 20), "... is not asked for again at once");
	comms_learn(l.comms, 20, "late", 4);
	ok(comm_list_takes_task(c, l.comms, 20), "... and taken when it is");
	ok(!strcmp(comm_list_unmet(c, &i), "none"), "what no task was called");
	ok(!strcmp(comm_list_unmet(c, &i), "x") && !comm_list_unmet(c, &i), "... and no more");
	ok(!strcmp(comm_list_at(c, 0), "Web Content") && !comm_list_at(c, 6), "in their order");
	comm_list_free(c);
	machine_fini(&a);
	machine_fini(&b);
	machine_fini(&l);
}

int main(void)
{
	test_filter();
	test_terms();
	test_comms();
	return tap_done();
}
