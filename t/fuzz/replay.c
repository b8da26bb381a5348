/* SPDX-License-Identifier: Apache-2.0
 * Runs a fuzz target without libFuzzer: TARGET RUNS SEED LAST CORPUS. Each file of the folder CORPUS is an input, then RUNS changed ones, or as
 * many as a second of processor is enough for. The file LAST has the input that was tried last, also after a crash. */
#include "base/str.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { INPUTS = 200, INPUT_BYTES = 1 << 20, EDITS = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static struct input {
	uint8_t *bytes;
	size_t n;
} inputs[INPUTS];
static size_t inputs_n;
static uint8_t v[INPUT_BYTES + 4096]; /* the input that is being made */
static uint64_t state;

/* Returns a number below n, which isn't 0 (xorshift64). */
static size_t
chance(size_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % n;
}

static void
corpus_read(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *e;
	char name[4096];

	while (dir && (e = readdir(dir)) && inputs_n < INPUTS) {
		struct input *in = &inputs[inputs_n];
		FILE *f;

		snprintf(name, sizeof name, "%s/%s", path, e->d_name);
		if (e->d_name[0] == '.' || !(f = fopen(name, "rb")))
			continue;
		in->n = fread(v, 1, INPUT_BYTES, f);
		in->bytes = malloc(in->n ? in->n : 1);
		memcpy(in->bytes, v, in->n);
		inputs_n++;
		fclose(f);
	}
	if (dir)
		closedir(dir);
}

/* Changes bytes in place, removes some, or takes some from another input. Returns the new size. */
static size_t
edit(size_t n)
{
	static const char words[] = "\0\xff\x7f<>&\"'\\/{}[](),:;=\n\r\t -+0123456789eE.%*$|`~!#@_^";
	const struct input *from = &inputs[chance(inputs_n)];
	size_t at = chance(n + 1), some = chance(16) + 1, start;

	switch (chance(4)) {
	case 0:
		if (at < n)
			v[at] = (uint8_t)(chance(2) ? v[at] ^ (1 << chance(8)) : words[chance(sizeof words)]);
		return n;
	case 1:
		some = some < n - at ? some : n - at;
		memmove(v + at, v + at + some, n - at - some);
		return n - some;
	case 2:
		some = 1;
		from = NULL;
		break;
	default:
		some = from->n < some ? from->n : some;
	}
	if (n + some > sizeof v)
		return n;
	memmove(v + at + some, v + at, n - at);
	start = from ? chance(from->n - some + 1) : 0;
	for (size_t i = 0; i < some; i++)
		v[at + i] = from ? from->bytes[start + i] : (uint8_t)words[chance(sizeof words)];
	return n + some;
}

int
main(int argc, char **argv)
{
	int fd = argc == 5 ? open(argv[3], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
	long runs, i = 0;
	clock_t began;

	if (fd < 0) {
		fprintf(stderr, "usage: %s RUNS SEED LAST CORPUS\n", argv[0]);
		return 64;
	}
	runs = strtol(argv[1], NULL, 10);
	state = strtoull(argv[2], NULL, 10) * 2654435761 + 1;
	corpus_read(argv[4]);
	inputs_n += !inputs_n;
	began = clock();
	for (; i < (long)inputs_n || (i < runs && clock() - began < CLOCKS_PER_SEC); i++) {
		const struct input *in = &inputs[i < (long)inputs_n ? (size_t)i : chance(inputs_n)];
		size_t n = in->n;
		uint8_t *exact;

		memcpy(v, in->bytes, n);
		for (size_t edits = i < (long)inputs_n ? 0 : chance(EDITS) + 1; edits; edits--)
			n = edit(n);
		if (ftruncate(fd, (off_t)n) || pwrite(fd, v, n, 0) != (ssize_t)n)
			abort();
		/* A buffer of exactly its size, so that a read beyond it is found. */
		exact = malloc(n ? n : 1);
		memcpy(exact, v, n);
		LLVMFuzzerTestOneInput(exact, n);
		free(exact);
	}
	printf("%ld inputs\n", i);
	return 0;
}
