#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges what the clients of a cluster were answered.

usage: check_log.py LOG...        prints each violation and a line of counts; exits 1 if there is a violation
       check_log.py --self-test   judges small histories, with and without faults, and prints TAP

A log has one operation a line, as a JSON object. Several logs are one history.
  t0, t1   seconds of one monotonic clock: before the request was sent, and after its reply or when the client gave up
  node     the node that was asked
  res      ok: acknowledged; fail: refused, so nothing was done; unknown: no reply, or a reply that doesn't say what happened
  final    true for a read after all faults were mended and nothing was written any more
  op, key, value:
    append, list   a list       a unique element; the list as it was read
    add, all       a set        a unique element; the set as it was read
    set, get       a register   a unique value; the value as it was read, or null
    version        a page       the number of the version that a publish made
    open, close    a page       no value
    fetch          a page       the status that a visitor got; 200 and 404 are judged
    bound          a pot        how much may be taken of it at once; the largest bound counts
    take, free     a pot        a unique holder; n is how much they take, 1 if it isn't given
    run            a job        an attempt, which the receiver saw begin at t0 and end at t1
    due            a job        no value: the job has to run at least once
    fault          its kind     not judged; a violation is printed with the fault before it

A violation is certain: no order of the operations within their times explains the answers.
Kinds of violations:
  lost, stale   acknowledged or read before, and not in a later read; lost if the read is final
  doubled       an element is in a list or set twice            refused   a refused write is there
  nowhere       read, but not written by then                   order     a list's elements are in another order
  apart         final reads differ                              number    a version's number twice, or smaller than an earlier one
  open          served after a closing was answered             hidden    not served after an opening was answered
  seats         more was taken than the bound                   beside    a job ran beside itself
  never         a due job didn't run                            unread    no final read, so a loss can't be found
  log           a line that isn't an operation
"""
import json
import random
import sys
from bisect import bisect_right
from collections import Counter, defaultdict
from functools import lru_cache
from itertools import accumulate

INF = float("inf")
WRITES = ("append", "add", "set")
LISTS = ("list", "all")
NUMBERS = ("version", "fetch", "bound")
OPS = WRITES + LISTS + NUMBERS + ("get", "open", "close", "take", "free", "run", "due", "fault")


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def why_malformed(o):
    """Says why a line of a log is no operation; None if it is one."""
    if not isinstance(o, dict) or o.get("op") not in OPS:
        return "isn't an operation"
    if o.get("res") not in ("ok", "fail", "unknown"):
        return "has no res"
    if not is_number(o.get("t0")) or not is_number(o.get("t1")) or o["t0"] > o["t1"]:
        return "has no t0 and t1 in order"
    if not isinstance(o.get("key"), str):
        return "has no key"
    value = o.get("value")
    if o["op"] in WRITES + ("take", "free", "run") and not isinstance(value, (str, int)):
        return "has no value"
    if o["res"] == "ok" and o["op"] in LISTS and not (isinstance(value, list) and set(map(type, value)) <= {str, int}):
        return "has no list of values"
    if o["res"] == "ok" and o["op"] == "get" and not isinstance(value, (str, int, type(None))):
        return "has no value"
    if o["res"] == "ok" and o["op"] in NUMBERS and not is_number(value):
        return "has no number"
    if not is_number(o.get("n", 1)):
        return "has an n that is no number"
    return None


@lru_cache(maxsize=None, typed=True)
def name_of(value):
    """A value that can be a member of a set, so that 1 and "1" differ."""
    return json.dumps(value, ensure_ascii=False)


def latest(o):
    """By when a write was done, if it was: an unanswered one may be done at any later time."""
    return o["t1"] if o["res"] == "ok" else INF


def in_time(ops):
    return sorted(ops, key=lambda o: o["t0"])


class History:
    def __init__(self, ops):
        self.violations = []  # (kind, text, operation or None)
        self.by = defaultdict(list)
        for number, o in enumerate(ops, 1):
            why = why_malformed(o)
            if why:
                self.found("log", f"line {number} {why}", None)
            else:
                self.by[o["op"], o["key"]].append(o)

    def found(self, kind, text, o):
        self.violations.append((kind, text, o))

    def keys(self, *ops):
        return sorted({key for op, key in self.by if op in ops})

    def judge(self):
        for write, read in (("append", "list"), ("add", "all")):
            for key in self.keys(write, read):
                self.judge_elements(key, write, read)
        for key in self.keys("set", "get"):
            self.judge_register(key)
        for key in self.keys("version"):
            self.judge_numbers(key)
        for key in self.keys("fetch"):
            self.judge_page(key)
        for key in self.keys("take"):
            self.judge_pot(key)
        for key in self.keys("run", "due"):
            self.judge_job(key)
        return self.violations

    def writers(self, key, op):
        """The writes of a key by their values, each of which must be unique."""
        by_value = {}
        for o in self.by[op, key]:
            value = name_of(o["value"])
            if value in by_value:
                self.found("log", f"{key}: {value} is written twice", o)
            by_value[value] = o
        return by_value

    def judge_origin(self, key, value, writer, read):
        if not writer or writer["t0"] > read["t1"]:
            self.found("nowhere", f"{key}: {value} wasn't written by then", read)
        elif writer["res"] == "fail":
            self.found("refused", f"{key}: {value} was refused and is there", read)

    def judge_finals(self, key, written, reads, content):
        finals = {content(o) for o in reads if o.get("final")}
        if len(finals) > 1:
            self.found("apart", f"{key}: {len(finals)} final reads differ", None)
        if written and not finals:
            self.found("unread", f"{key}: there is no final read", None)

    def judge_elements(self, key, write, read):
        writers = self.writers(key, write)
        reads = in_time(o for o in self.by[read, key] if o["res"] == "ok")
        values = {id(o): list(map(name_of, o["value"])) for o in reads}
        read_first = {}  # value: the read of it that ended first
        for o in sorted(reads, key=lambda o: o["t1"]):
            there = set(values[id(o)])
            for value in there.difference(read_first):
                read_first[value] = o
                self.judge_origin(key, value, writers.get(value), o)
            if len(there) < len(values[id(o)]):
                value, times = Counter(values[id(o)]).most_common(1)[0]
                self.found("doubled", f"{key}: {value} is there {times} times", o)
        self.judge_presence(key, writers, reads, values, read_first)
        if write == "append":
            self.judge_order(key, writers, reads, values)
            self.judge_finals(key, writers, reads, lambda o: tuple(values[id(o)]))
        else:
            self.judge_finals(key, writers, reads, lambda o: tuple(sorted(values[id(o)])))

    def judge_presence(self, key, writers, reads, values, read_first):
        """An element that was acknowledged, or read, before a read began must be in that read."""
        known = [(o["t1"], value) for value, o in writers.items() if o["res"] == "ok"]
        known += [(o["t1"], value) for value, o in read_first.items()]
        known.sort(reverse=True)
        needed, told = set(), set()
        for o in reads:
            while known and known[-1][0] < o["t0"]:
                needed.add(known.pop()[1])
            kind = "lost" if o.get("final") else "stale"
            # An element is reported once a node as stale, and once as lost.
            missing = {value for value in needed.difference(values[id(o)]) if (kind, value, o.get("node")) not in told}
            told.update((kind, value, o.get("node")) for value in missing)
            if missing:
                self.found(kind, f"{key}: {len(missing)} missing, such as {min(missing)}", o)

    def judge_order(self, key, writers, reads, values):
        """Elements are put at the end, so what an earlier read had begins every later one, in the same order."""
        longest = []
        for o in reads:
            now = list(dict.fromkeys(values[id(o)]))
            there = set(now)
            # Missing elements are another violation.
            begin = [value for value in longest if value in there]
            if now[: len(begin)] != begin:
                self.found("order", f"{key}: elements changed their places", o)
            elif len(now) > len(longest):
                longest = now
        place = {value: i for i, value in enumerate(longest)}
        answered = [(o, place[value]) for value, o in writers.items() if o["res"] == "ok" and value in place]
        self.judge_rising("order", f"{key}: an element is before one that was answered before it was sent", answered)

    def judge_rising(self, kind, text, numbered):
        """Of (operation, number): one that began after another had ended must have a larger number."""
        ended = sorted(numbered, key=lambda pair: pair[0]["t1"], reverse=True)
        most = -INF
        for o, number in sorted(numbered, key=lambda pair: pair[0]["t0"]):
            while ended and ended[-1][0]["t1"] < o["t0"]:
                most = max(most, ended.pop()[1])
            if number < most:
                self.found(kind, text, o)

    def judge_register(self, key):
        writers = self.writers(key, "set")
        reads = in_time(o for o in self.by["get", key] if o["res"] == "ok")
        value_of = {id(o): None if o.get("value") is None else name_of(o["value"]) for o in reads}
        # By when each value is known to have been written.
        done = {value: latest(o) for value, o in writers.items()}
        for o in reads:
            value = value_of[id(o)]
            if value is not None:
                self.judge_origin(key, value, writers.get(value), o)
                done[value] = min(done.get(value, INF), o["t1"])
        known = sorted(((time, value) for value, time in done.items() if value in writers and time < INF), reverse=True)
        newest = None
        for o in reads:
            while known and known[-1][0] < o["t0"]:
                writer = writers[known.pop()[1]]
                if not newest or writer["t0"] > newest["t0"]:
                    newest = writer
            value = value_of[id(o)]
            # Older for certain: it was written before the newest was sent.
            if newest and (value is None or done[value] < newest["t0"]):
                kind = "lost" if o.get("final") else "stale"
                self.found(kind, f"{key}: {value} was read, {newest['value']} was written after it", o)
        self.judge_return(key, reads, value_of)
        self.judge_finals(key, writers, reads, lambda o: value_of[id(o)])

    def judge_return(self, key, reads, value_of):
        """Each value is written once, so one that was followed by another doesn't come back."""
        ended = {}  # value: when the first read of it ended
        for o in reads:
            value = value_of[id(o)]
            ended[value] = min(ended.get(value, INF), o["t1"])
        over = sorted(reads, key=lambda o: o["t1"], reverse=True)
        # Of the reads that were over before one began: the one that began last, and the last that had another value than it.
        last = other = None
        for o in reads:
            while over and over[-1]["t1"] < o["t0"]:
                r = over.pop()
                if not last or r["t0"] > last["t0"]:
                    if last and value_of[id(last)] != value_of[id(r)]:
                        other = last
                    last = r
                elif value_of[id(r)] != value_of[id(last)] and (not other or r["t0"] > other["t0"]):
                    other = r
            value = value_of[id(o)]
            between = last if last and value_of[id(last)] != value else other
            if value is not None and between and ended[value] < between["t0"]:
                self.found("stale", f"{key}: {value} came back after another value was read", o)

    def judge_numbers(self, key):
        answered = [o for o in self.by["version", key] if o["res"] == "ok"]
        first = {}
        for o in answered:
            if first.setdefault(o["value"], o) is not o:
                self.found("number", f"{key}: two publishes made version {o['value']}", o)
        self.judge_rising("number", f"{key}: a later publish has a smaller number", [(o, o["value"]) for o in answered])

    def judge_page(self, key):
        fetches = in_time(o for o in self.by["fetch", key] if o["res"] == "ok")
        for status, kind, against, explain in ((200, "open", "close", "open"), (404, "hidden", "open", "close")):
            answered = sorted((x for x in self.by[against, key] if x["res"] == "ok"), key=lambda x: x["t1"], reverse=True)
            # A change the other way explains the answer if it may have been done after the last of those and before the reply.
            other = in_time(x for x in self.by[explain, key] if x["res"] != "fail")
            begun, done = [x["t0"] for x in other], list(accumulate(map(latest, other), max))
            last = None
            for o in (o for o in fetches if o["value"] == status):
                while answered and answered[-1]["t1"] < o["t0"]:
                    x = answered.pop()
                    if not last or x["t0"] > last["t0"]:
                        last = x
                explaining = bisect_right(begun, o["t1"])
                if last and not (explaining and done[explaining - 1] >= last["t0"]):
                    self.found(kind, f"{key}: {status}, {o['t0'] - last['t1']:.3f} s after the answer", o)

    def judge_pot(self, key):
        bound = max((o["value"] for o in self.by["bound", key] if o["res"] == "ok"), default=INF)
        freed = {}
        for o in self.by["free", key]:
            if o["res"] != "fail":
                freed[name_of(o["value"])] = min(o["t0"], freed.get(name_of(o["value"]), INF))
        # Held for certain from the answer until the holder began to free it. At one instant, what is freed comes first.
        steps = []
        for o in self.by["take", key]:
            until = freed.get(name_of(o["value"]), INF)
            if o["res"] == "ok" and o["t1"] < until:
                steps += [(o["t1"], o.get("n", 1), o), (until, -o.get("n", 1), o)]
        held = 0
        for _, n, o in sorted(steps, key=lambda step: step[:2]):
            held += n
            if n > 0 and held > bound:
                self.found("seats", f"{key}: {held} of {bound} are taken", o)

    def judge_job(self, key):
        runs = in_time(self.by["run", key])
        until, attempt = -INF, None
        for o in runs:
            if o["t0"] < until:
                self.found("beside", f"{key}: {o['value']} began before {attempt} ended", o)
            if o["t1"] > until:
                until, attempt = o["t1"], o["value"]
        due = [o for o in self.by["due", key] if o["res"] == "ok"]
        if due and not runs:
            self.found("never", f"{key} didn't run", due[0])


def judge(ops):
    return History(ops).judge()


# ---- the self-test

# A history is operations by "; ", each "T0-T1 OP KEY VALUE" and perhaps fail, unknown, final, n=AMOUNT, @NODE. "-" is no value.
CASES = [
    # kind that must be found ("" for a sound history), what it shows, history
    ("", "nothing", ""),
    ("lost", "an acknowledged element is gone", "0-1 append l a; 9-10 list l - final"),
    ("lost", "one of the middle is gone", "0-1 append l a; 2-3 append l b; 4-5 append l c; 9-10 list l a,c final"),
    ("lost", "an unanswered element was read and is gone", "0-1 append l a unknown; 2-3 list l a; 9-10 list l - final"),
    ("lost", "a set's element is gone", "0-1 add s a; 2-3 add s b; 9-10 all s b final"),
    ("lost", "a register's value is gone", "0-1 set r a; 9-10 get r - final"),
    ("lost", "a register's update is gone", "0-1 set r a; 2-3 set r b; 9-10 get r a final"),
    ("", "an unanswered element may be absent", "0-1 append l a unknown; 9-10 list l - final"),
    ("", "... or there", "0-1 append l a unknown; 9-10 list l a final"),
    ("", "... or late", "0-1 append l a unknown; 2-3 append l b; 4-5 list l b; 9-10 list l b,a final"),
    ("", "an unanswered value may come later than a newer one", "0-1 set r a unknown; 2-3 set r b; 9-10 get r a final"),
    ("doubled", "an element is there twice", "0-1 append l a; 9-10 list l a,a final"),
    ("doubled", "a set has an element twice", "0-1 add s a; 9-10 all s a,a final"),
    ("", "two elements", "0-1 add s a; 0-1 add s b; 9-10 all s b,a final; 9-10 all s a,b final @n2"),
    ("refused", "a refused element is there", "0-1 append l a fail; 9-10 list l a final"),
    ("refused", "a refused value is there", "0-1 set r a; 2-3 set r b fail; 9-10 get r b final"),
    ("", "a refused element is absent", "0-1 append l a fail; 9-10 list l - final"),
    ("nowhere", "an element that nobody wrote", "0-1 append l a; 9-10 list l a,z final"),
    ("nowhere", "an element before it was sent", "0-1 list l a; 2-3 append l a; 9-10 list l a final"),
    ("order", "against the time of the answers", "0-1 append l a; 2-3 append l b; 9-10 list l b,a final"),
    ("order", "two reads, two orders", "0-5 append l a; 0-5 append l b; 6-7 list l a,b; 9-10 list l b,a final"),
    ("order", "put before one that was read alone", "0-5 append l a; 0-9 append l b; 6-7 list l a; 10-11 list l b,a final"),
    ("", "writes at the same time have either order", "0-5 append l a; 1-4 append l b; 9-10 list l b,a final"),
    ("stale", "a read without what was acknowledged", "0-1 append l a; 2-3 list l -; 9-10 list l a final"),
    ("stale", "an older value", "0-1 set r a; 2-3 set r b; 4-5 get r a; 9-10 get r b final"),
    ("stale", "no value any more", "0-1 set r a; 4-5 get r -; 9-10 get r a final"),
    ("stale", "a value that comes back", "0-9 set r a; 0-9 set r b; 1-2 get r a; 3-4 get r b; 5-6 get r a; 10-11 get r a final"),
    ("", "a read at the time of the write", "0-4 append l a; 2-3 list l -; 9-10 list l a final"),
    ("", "a value is read before and after", "0-1 get r -; 2-3 set r a; 4-5 get r a; 6-7 set r b; 9-10 get r b final"),
    ("apart", "nodes have two values", "0-5 set r a; 0-5 set r b; 9-10 get r a final; 9-10 get r b final @n2"),
    ("apart", "one node has an unanswered element, the other hasn't",
     "0-1 add s a unknown; 9-10 all s a final; 9-10 all s - final @n2"),
    ("", "nodes are equal", "0-1 append l a; 9-10 list l a final; 9-10 list l a final @n2"),
    ("unread", "no final read", "0-1 append l a; 9-10 list l a"),
    ("number", "two publishes, one number", "0-1 version p 3; 0-1 version p 3"),
    ("number", "a later publish has a smaller number", "0-1 version p 4; 2-3 version p 3"),
    ("", "numbers of two pages", "0-1 version p 3; 2-3 version p 4; 2-3 version q 3"),
    ("open", "served after the closing's answer", "0-1 open p -; 4-5 close p -; 6-7 fetch p 200"),
    ("open", "... and the opening since then was refused", "0-1 close p -; 2-3 open p - fail; 6-7 fetch p 200"),
    ("open", "... and the opening came after it", "0-1 close p -; 2-3 fetch p 200; 6-7 open p -"),
    ("", "the visitor began before the answer", "0-1 open p -; 4-6 close p -; 5-7 fetch p 200"),
    ("", "nobody answered the closing", "0-1 open p -; 4-5 close p - unknown; 6-7 fetch p 200"),
    ("", "opened again", "0-1 close p -; 2-3 open p -; 6-7 fetch p 200"),
    ("", "an unanswered opening comes late", "0-1 open p - unknown; 2-3 close p -; 6-7 fetch p 200"),
    ("hidden", "not served after the opening's answer", "0-1 open p -; 2-3 fetch p 404"),
    ("", "closed and not served", "0-1 open p -; 2-3 fetch p 200; 4-5 close p -; 6-7 fetch p 404"),
    ("", "503 isn't judged", "0-1 open p -; 2-3 fetch p 503; 4-5 close p -; 6-7 fetch p 503"),
    ("seats", "three of two", "0-0 bound w 2; 0-1 take w a; 0-1 take w b; 2-3 take w c"),
    ("seats", "too many bytes", "0-0 bound w 100; 0-1 take w a n=60; 2-3 take w b n=60"),
    ("", "given back before", "0-0 bound w 2; 0-1 take w a; 0-1 take w b; 2-3 free w a; 2-3 take w c"),
    ("", "an unanswered take doesn't count", "0-0 bound w 1; 0-1 take w a unknown; 2-3 take w b"),
    ("", "an unanswered free may count", "0-0 bound w 1; 0-1 take w a; 2-3 free w a unknown; 4-5 take w b"),
    ("beside", "a job runs twice at a time", "0-5 run j 1; 3-4 run j 2"),
    ("beside", "... also if one between them was short", "0-9 run j 1; 10-11 run k 1; 8-12 run j 2"),
    ("", "a job runs again", "0-0 due j -; 0-1 run j 1; 2-3 run j 2"),
    ("never", "a due job doesn't run", "0-0 due j -"),
    ("", "a job that wasn't due", "0-1 run j 1"),
    ("log", "an op that doesn't exist", "0-1 appendix l a"),
    ("log", "times that run backwards", "5-1 append l a"),
    ("", "faults are passed over", "0-1 fault kill n1"),
]


def parse(history):
    ops = []
    for text in filter(None, history.split("; ")):
        times, op, key, value, *rest = text.split()
        o = {"op": op, "key": key, "res": "ok", "node": "n1"}
        o["t0"], o["t1"] = map(float, times.split("-"))
        if op in LISTS:
            o["value"] = [] if value == "-" else value.split(",")
        elif value != "-":
            o["value"] = int(value) if op in NUMBERS else value
        for word in rest:
            if word == "final":
                o["final"] = True
            elif word.startswith("n="):
                o["n"] = int(word[2:])
            elif word.startswith("@"):
                o["node"] = word[1:]
            else:
                o["res"] = word
        ops.append(o)
    return ops


def sound_history(seed):
    """Clients of one server that works: each change is done at some instant between its t0 and t1, some without an answer."""
    rnd, clock, ops, done = random.Random(seed), 0.0, [], []
    for i in range(300):
        clock += rnd.random()
        o = {"op": "append", "key": "l", "value": i, "t0": clock - rnd.random(), "t1": clock + rnd.random(), "node": "n1"}
        o["res"] = rnd.choice(("ok", "ok", "ok", "fail", "unknown"))
        if o["res"] == "ok" or (o["res"] == "unknown" and rnd.random() < 0.5):
            done.append(i)
        register = dict(o, op="set", key="r", res="ok")
        ops += [o, register]
        if i % 5 == 0:
            clock += rnd.random()
            read = {"t0": clock - rnd.random() / 2, "t1": clock + rnd.random() / 2, "res": "ok", "node": "n2"}
            ops += [dict(read, op="list", key="l", value=list(done)), dict(read, op="get", key="r", value=i)]
    last = {"t0": clock + 5, "t1": clock + 6, "res": "ok", "final": True, "node": "n3"}
    return ops + [dict(last, op="list", key="l", value=list(done)), dict(last, op="get", key="r", value=299)]


def spoil(ops, rnd):
    """Removes an element of the last read, doubles it, or changes its place."""
    last = next(o for o in reversed(ops) if o["op"] == "list")
    value = last["value"]
    at = rnd.randrange(len(value) // 2)
    how = rnd.choice(("remove", "double", "move"))
    # An unanswered element that nobody read may be absent.
    answered = [o["value"] for o in ops if o["op"] == "append" and o["res"] == "ok"]
    if how == "remove":
        value.remove(rnd.choice(answered))
    elif how == "double":
        value.insert(at, value[-1])
    else:
        value.append(value.pop(at))
    return how


def self_test():
    wrong = number = 0

    def ok(good, name):
        nonlocal wrong, number
        number += 1
        wrong += not good
        print(f"{'ok' if good else 'not ok'} {number} - {name}")

    for kind, name, history in CASES:
        found = sorted({violation[0] for violation in judge(parse(history))})
        good = found == ([kind] if kind else [])
        ok(good, f"{kind or 'sound'}: {name}" + ("" if good else f" (found {found})"))
    for seed in range(20):
        ops = sound_history(seed)
        found = judge(ops)
        ok(not found, f"sound: a long history, seed {seed}" + (f" (found {found[0][:2]})" if found else ""))
        how = spoil(ops, random.Random(seed))
        ok(judge(ops), f"that history is spoilt ({how})")
    print(f"1..{number}")
    return 1 if wrong else 0


def read_logs(paths):
    ops = []
    for path in paths:
        with open(path, encoding="utf-8", errors="replace") as log:
            for line in log:
                try:
                    ops.append(json.loads(line))
                except ValueError:
                    ops.append(None)
    return ops


def fault_before(ops, o):
    faults = [f for f in ops if isinstance(f, dict) and f.get("op") == "fault" and is_number(f.get("t0")) and f["t0"] <= o["t1"]]
    if not faults:
        return ""
    last = max(faults, key=lambda f: f["t0"])
    return f", {o['t0'] - last['t0']:.1f} s after {last.get('key')} {last.get('value', '')}"


def main(args):
    if args == ["--self-test"]:
        return self_test()
    if not args or args[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 64
    ops = read_logs(args)
    violations = judge(ops)
    for kind, text, o in violations[:200]:
        print(f"{kind}: {text}" + (f" ({o.get('node')} at {o['t0']:.3f}{fault_before(ops, o)})" if o else ""))
    counts = Counter(f"{o.get('op')} {o.get('res')}" for o in ops if isinstance(o, dict))
    print(f"{len(ops)} operations ({', '.join(f'{what} {n}' for what, n in sorted(counts.items()))}); "
          f"violations: {', '.join(f'{kind} {n}' for kind, n in Counter(v[0] for v in violations).most_common()) or 'none'}")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
