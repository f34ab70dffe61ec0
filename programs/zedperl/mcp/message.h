/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_MCP_MESSAGE_H
#define ZED_PROGRAMS_ZEDPERL_MCP_MESSAGE_H

#include "base/json_tree.h"
#include "base/outbuf.h"

/*
 * The messages of JSON-RPC 2.0, one a line, as the Model Context Protocol has them: an id is a text
 * or a whole number, never null; there are no batches.
 */
enum rpc_error {
	RPC_PARSE = -32700,   /* not JSON */
	RPC_REQUEST = -32600, /* JSON, but not a message */
	RPC_METHOD = -32601,  /* no such method */
	RPC_PARAMS = -32602,
	RPC_INTERNAL = -32603,
	RPC_VERSION = -32022, /* of the protocol, revision 2026-07-28: UnsupportedProtocolVersion */
};

#define MESSAGE_ID 256 /* bytes of a text that is an id, or a progress token */

struct message {
	struct json_value root;
	const char *method;	     /* NULL: a response, which no request of ours has asked for */
	const struct json_value *id; /* NULL: a notification */
	const struct json_value *params; /* an object; or NULL */
};

/*
 * Read the LEN bytes of LINE into M, all of it from A.  -1 with E and *CODE: it is not a message;
 * M->id is set if that could be read.
 */
int message_parse(struct message *m, struct arena *a, const char *line, size_t len,
		  enum rpc_error *code, struct err *e);

/* May V be an id, or a progress token: a text of at most MESSAGE_ID bytes, or a whole number? */
bool message_is_id(const struct json_value *v);

/* Are both the same id? */
bool message_same_id(const struct json_value *a, const struct json_value *b);

/* Append V as JSON, numbers as they were written. */
void message_put(struct outbuf *o, const struct json_value *v);

/*
 * Append a line: the answer to ID, whose result has the members BODY ("": none) of LEN bytes; or an
 * error (ID NULL: it is not known), whose data are the JSON text DATA, or NULL.
 */
void message_result(struct outbuf *o, const struct json_value *id, const char *body, size_t len);
void message_error(struct outbuf *o, const struct json_value *id, enum rpc_error code,
		   const char *text, const char *data);

#endif
