/* SPDX-License-Identifier: Apache-2.0
 * Amounts of money: integers in the currency's smallest unit (cents, or yen); str_money() prints
 * them. Pure. */
#ifndef VITRINE_MONEY_H
#define VITRINE_MONEY_H
#include <stdint.h>

/* Returns price * seats * left_s / period_s, half a unit rounded up: the price of so many seats for
 * the rest of a period. left_s is cut to 0..period_s; period_s must be > 0, price and seats >= 0.
 * Returns -1 if the result is no amount. */
int64_t money_part(int64_t price, int64_t seats, int64_t left_s, int64_t period_s);
/* Returns price * seats, or -1 if that is no amount. */
int64_t money_whole(int64_t price, int64_t seats);

/* Periods are months: returns the first time later than `at` that is a whole number of months after
 * anchor (same day and time of day, UTC; the last day of a month that is shorter). */
int64_t period_after(int64_t anchor, int64_t at);
#endif
