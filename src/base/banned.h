/* SPDX-License-Identifier: Apache-2.0
 * Makes the use of unsafe C library calls a compile error; each has a safer form in base/. The
 * build gives this header to every source file by -include, after the system headers that declare
 * the calls. */
#ifndef VITRINE_BANNED_H
#define VITRINE_BANNED_H
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BANNED(call) sorry_##call##_is_banned
#undef strcpy
#define strcpy(...) BANNED(strcpy)
#undef strcat
#define strcat(...) BANNED(strcat)
#undef strtok
#define strtok(...) BANNED(strtok)
#undef sprintf
#define sprintf(...) BANNED(sprintf)
#undef vsprintf
#define vsprintf(...) BANNED(vsprintf)
#undef gmtime
#define gmtime(...) BANNED(gmtime)
#undef localtime
#define localtime(...) BANNED(localtime)
#undef ctime
#define ctime(...) BANNED(ctime)
#undef asctime
#define asctime(...) BANNED(asctime)
#undef atoi
#define atoi(...) BANNED(atoi)
#undef atol
#define atol(...) BANNED(atol)
#undef system
#define system(...) BANNED(system)
#undef popen
#define popen(...) BANNED(popen)
#undef tmpnam
#define tmpnam(...) BANNED(tmpnam)
#endif
