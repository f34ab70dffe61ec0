// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * open_files: libdw's questions for files, which are answered with none: the program that starts
 * this one finds them.
 */
#include "programs/zedsyms/open_files.h"

static int find_no_file(Dwfl_Module *mod, void **userdata, const char *modname, Dwarf_Addr base,
			char **path, Elf **elf)
{
	return -1;
}

static int find_no_debug_file(Dwfl_Module *mod, void **userdata, const char *modname,
			      Dwarf_Addr base, const char *file, const char *link, GElf_Word crc,
			      char **path)
{
	return -1;
}

const Dwfl_Callbacks OPEN_FILES = {
	.find_elf = find_no_file,
	.find_debuginfo = find_no_debug_file,
	.section_address = dwfl_offline_section_address,
};
