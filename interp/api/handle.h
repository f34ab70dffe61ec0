/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_API_HANDLE_H
#define ZED_INTERP_API_HANDLE_H

#include "interp/api/sink.h"
#include "interp/common/answer_text.h"

/* The C side of an object of Zed::Aggregate, freed with it. */
struct handle {
	struct perlsink *ps;
	struct aggregate *agg; /* the answer's */
	struct answer answer;
	unsigned id; /* bind_remove()'s */
	bool stopped, asked;
	bool rises;	      /* a metric shows it that must not decrease */
	struct losses before; /* of the run, when it began */
	struct losses during; /* when it was stopped */
	struct losses merged; /* of the states merged into it */
};

/* Attach H to OBJECT: freed with it, its aggregation stopped. */
void handle_hang(pTHX_ HV *object, struct handle *h);

/* The handle of the object that SV refers to; any other SV: a croak. */
struct handle *handle_of(pTHX_ SV *sv);

/* Count no further events; may be called again. */
void handle_stop(struct handle *h);

#endif
