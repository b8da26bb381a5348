/* SPDX-License-Identifier: Apache-2.0
 * VITRINE_TRACE=1 in the environment of a worker or runner logs each statement, for who works on
 * the code. A line has the text with its question marks and no values, so it shows no secret. */
#ifndef VITRINE_TRACE_H
#define VITRINE_TRACE_H
#include <stdbool.h>
#include <stdint.h>

bool trace_wanted(void);
struct traced {
	const char *request_id; /* NULL outside of a request */
	const char *file;
	int line;
	const char *sql;
	int64_t us, rows; /* rows that were returned or matched */
};
void trace_statement(struct traced);
#endif
