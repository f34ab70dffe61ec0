// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * revision: the revisions of the protocol, and what they call the same things.
 */
#include "programs/zedperl/mcp/revision.h"

#include "programs/options.h"
#include "programs/zedperl/explore/explore_priv.h"

#include <string.h>

#define META "io.modelcontextprotocol/"
#define TTL_MS "3600000"
#define SERVER "{\"name\":\"zedperl\",\"version\":\"" ZED_VERSION "\"}"
#define CAPABILITIES "{\"tools\":{}}"

static const char *const VERSIONS[] = {
	[REVISION_2025_06_18] = "2025-06-18",
	[REVISION_2025_11_25] = "2025-11-25",
	[REVISION_2026_07_28] = "2026-07-28",
};

/* What a model has to know of all tools. */
static const char INSTRUCTIONS[] =
	"Questions about recordings of kernel events. Begin with summary; it names the analyses "
	"that suit the trace. Ask answer or why_late for causes, events only for a narrow range. "
	"Times are texts in seconds, durations are ns. `limits` say which conclusions the trace "
	"does not allow: lost events make counts lower bounds and hide long waits. `closer` has "
	"the arguments that show a case closer, `cut.next` the call with the rows that follow. "
	"`command` gives the same numbers in a terminal: quote it.";

/* The newest first. */
static void put_versions(struct outbuf *o)
{
	out_char(o, '[');
	for (unsigned r = REVISION_2026_07_28; r > REVISION_NONE; r--)
		out_printf(o, "%s\"%s\"", r == REVISION_2026_07_28 ? "" : ",", VERSIONS[r]);
	out_char(o, ']');
}

static enum revision named(const char *version)
{
	for (unsigned r = REVISION_2025_06_18; r <= REVISION_2026_07_28; r++)
		if (!strcmp(version, VERSIONS[r]))
			return r;
	return REVISION_NONE;
}

/* ---- of a request ---- */

static enum revision refuse_version(const char *version, enum rpc_error *code, struct outbuf *data,
				    struct err *e)
{
	*code = RPC_VERSION;
	out_str(data, "{\"supported\":");
	put_versions(data);
	out_str(data, ",\"requested\":");
	out_json(data, version, strlen(version));
	out_char(data, '}');
	err_set(e, ERR_USAGE, ERR_NO_OFF, "unsupported protocol version '%.40s'", version);
	return REVISION_NONE;
}

enum revision revision_of(const struct message *m, enum revision agreed, enum rpc_error *code,
			  struct outbuf *data, struct err *e)
{
	const struct json_value *meta = json_member(m->params, "_meta"),
				*version = json_member(meta, META "protocolVersion"),
				*can = json_member(meta, META "clientCapabilities");
	enum revision r;

	*code = RPC_PARAMS;
	if (!version && agreed != REVISION_NONE)
		return agreed;
	if (!version || version->kind != JSON_STRING) {
		err_set(e, ERR_USAGE, ERR_NO_OFF,
			"which revision of the protocol this is of is not known: begin with "
			"initialize, or give _meta with " META "protocolVersion");
		return REVISION_NONE;
	}
	r = named(version->text);
	if (r == REVISION_NONE)
		return refuse_version(version->text, code, data, e);
	if (r < REVISION_2026_07_28 || (can && can->kind == JSON_OBJECT))
		return r;
	err_set(e, ERR_USAGE, ERR_NO_OFF, "_meta has no " META "clientCapabilities");
	return REVISION_NONE;
}

enum revision revision_agree(const char *version)
{
	enum revision r = named(version);

	return r == REVISION_NONE || r == REVISION_2026_07_28 ? REVISION_2025_11_25 : r;
}

/* ---- results ---- */

void revision_put(struct outbuf *o, enum revision r, bool cacheable)
{
	if (r < REVISION_2026_07_28)
		return;
	out_str(o, "\"resultType\":\"complete\",");
	if (cacheable)
		out_str(o, "\"ttlMs\":" TTL_MS ",\"cacheScope\":\"private\",");
	out_str(o, "\"_meta\":{\"" META "serverInfo\":" SERVER "},");
}

static void put_about(struct outbuf *o)
{
	out_str(o, "\"capabilities\":" CAPABILITIES ",\"instructions\":");
	out_json(o, INSTRUCTIONS, strlen(INSTRUCTIONS));
}

void revision_put_initialize(struct outbuf *o, enum revision r)
{
	out_printf(o, "\"protocolVersion\":\"%s\",\"serverInfo\":" SERVER ",", VERSIONS[r]);
	put_about(o);
}

void revision_put_discover(struct outbuf *o)
{
	out_str(o, "\"supportedVersions\":");
	put_versions(o);
	out_char(o, ',');
	put_about(o);
}
