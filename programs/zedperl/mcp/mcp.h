/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_MCP_MCP_H
#define ZED_PROGRAMS_ZEDPERL_MCP_MCP_H

/*
 * The command "zedperl mcp": ARGV[0] is the word itself.  Answers the requests on standard input,
 * as the Model Context Protocol has them, until that ends.  Returns the exit status.
 */
int mcp_command(int argc, char **argv);

#endif
