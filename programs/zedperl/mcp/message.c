// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * message: reads and writes the messages of JSON-RPC 2.0.
 */
#include "programs/zedperl/mcp/message.h"

#include "programs/zedperl/explore/explore_priv.h"

#include <string.h>

/* ---- reading ---- */

bool message_is_id(const struct json_value *v)
{
	if (!v)
		return false;
	return v->kind == JSON_UINT || v->kind == JSON_NEGATIVE ||
	       (v->kind == JSON_STRING && strlen(v->text) <= MESSAGE_ID);
}

bool message_same_id(const struct json_value *a, const struct json_value *b)
{
	if (a->kind != b->kind)
		return false;
	return a->kind == JSON_STRING ? !strcmp(a->text, b->text) : a->number == b->number;
}

static int take_id(struct message *m, struct err *e)
{
	const struct json_value *id = json_member(&m->root, "id");

	if (!id)
		return 0;
	if (!message_is_id(id))
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "id must be a whole number, or a text of at most %d bytes",
			       MESSAGE_ID);
	m->id = id;
	return 0;
}

static int take_params(struct message *m, struct err *e)
{
	const struct json_value *params = json_member(&m->root, "params");

	if (params && params->kind != JSON_OBJECT)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "params must be an object");
	m->params = params;
	return 0;
}

int message_parse(struct message *m, struct arena *a, const char *line, size_t len,
		  enum rpc_error *code, struct err *e)
{
	const char *version;

	*m = (struct message){ .method = NULL };
	*code = RPC_PARSE;
	TRY(json_tree_parse_strict(&m->root, a, line, len, e));
	*code = RPC_REQUEST;
	if (m->root.kind != JSON_OBJECT)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "a message is one object: batches are not part of the protocol");
	TRY(take_id(m, e));
	version = json_member_text(&m->root, "jsonrpc");
	if (!version || strcmp(version, "2.0") != 0)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "jsonrpc must be \"2.0\"");
	m->method = json_member_text(&m->root, "method");
	if (!m->method && !(json_member(&m->root, "result") || json_member(&m->root, "error")))
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "method must be a text");
	return take_params(m, e);
}

/* ---- writing ---- */

static void put_items(struct outbuf *o, const struct json_value *v)
{
	bool is_object = v->kind == JSON_OBJECT;

	out_char(o, is_object ? '{' : '[');
	for (const struct json_value *item = v->first; item; item = item->next) {
		if (item != v->first)
			out_char(o, ',');
		if (is_object) {
			out_json(o, item->key, strlen(item->key));
			out_char(o, ':');
		}
		message_put(o, item);
	}
	out_char(o, is_object ? '}' : ']');
}

/* As deep as the parser has let it be. */
void message_put(struct outbuf *o, const struct json_value *v)
{
	switch ((enum json_kind)v->kind) {
	case JSON_NULL:
		out_str(o, "null");
		break;
	case JSON_BOOL:
		out_str(o, v->number ? "true" : "false");
		break;
	case JSON_UINT:
	case JSON_NEGATIVE:
	case JSON_REAL:
		out_str(o, v->text);
		break;
	case JSON_STRING:
		out_json(o, v->text, strlen(v->text));
		break;
	case JSON_ARRAY:
	case JSON_OBJECT:
		put_items(o, v);
		break;
	}
}

static void begin(struct outbuf *o, const struct json_value *id)
{
	out_str(o, "{\"jsonrpc\":\"2.0\",");
	if (!id)
		return;
	out_str(o, "\"id\":");
	message_put(o, id);
	out_char(o, ',');
}

void message_result(struct outbuf *o, const struct json_value *id, const char *body, size_t len)
{
	begin(o, id);
	out_str(o, "\"result\":{");
	out_bytes(o, body, len);
	out_str(o, "}}\n");
}

void message_error(struct outbuf *o, const struct json_value *id, enum rpc_error code,
		   const char *text, const char *data)
{
	begin(o, id);
	out_printf(o, "\"error\":{\"code\":%d,\"message\":", (int)code);
	out_json(o, text, strlen(text));
	if (data) {
		out_str(o, ",\"data\":");
		out_str(o, data);
	}
	out_str(o, "}}\n");
}
