// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf2_fuzz: the metadata of CTF 2, and a packet that they describe.
 */
#include "t/fuzz/ctf_fuzz.h"

#include "reader/ctf/metadata/ctf2.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_ctf(data, size, ctf2_parse);
}
