// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf_fuzz: the metadata of CTF 1.8, and a packet that they describe.
 */
#include "t/fuzz/ctf_fuzz.h"

#include "reader/ctf/metadata/tsdl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_ctf(data, size, tsdl_parse);
}
