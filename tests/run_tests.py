#!/usr/bin/env python3
"""Runs the tests of a build directory and counts single ones.

    run_tests.py BUILD [--jobs N] [--suite SUITE]… [NAME…]

Which tests there are, and how each is run, is what meson knows (`meson introspect --tests`). A
test whose protocol is "tap" counts as many as it reports; any other counts as one, and its exit
code 77 says that it was skipped. NAME chooses the tests whose name holds it.

A build with sanitizers is recognised. Their reports go to files, since a leak is found when a
process ends, after its tests have passed; a report from a test that says it passed is a failure.

The last line is "N passed, M failed, K skipped". Exit code 1 when a test failed or none ran.
"""

import argparse
import concurrent.futures
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SKIPPED_EXIT = 77
CRITERION_TAP = "--tap=/dev/stdout"
SLOWER_WITH_SANITIZERS = 5
# A process that dies of a signal tells so itself, and some tests mean it to.
DEADLY_SIGNAL = re.compile(r"DEADLYSIGNAL|Sanitizer: (?:SEGV|BUS|FPE|ILL|ABRT)\b")
FAULT = re.compile(r"ERROR: \w+Sanitizer|runtime error:")


class Outcome:
    def __init__(self):
        self.passed = self.failed = 0
        self.skipped = []  # "name: why"
        self.output = ""
        self.seconds = 0.0


def introspect(build, what):
    result = subprocess.run(["meson", "introspect", what, build], capture_output=True, text=True,
                            check=True)
    return json.loads(result.stdout)


def sanitized(build):
    options = {o["name"]: o["value"] for o in introspect(build, "--buildoptions")}
    return options.get("b_sanitize", "none") != "none"


def sanitizer_environment(reports, leaks):
    """Options that send every report to a file of its own, and make a fault end the process."""
    common = f"log_path={reports}/report:abort_on_error=1:print_stacktrace=1"
    ours = {
        # A request for too much memory fails, as it does without a sanitizer.
        "ASAN_OPTIONS": common + ":allocator_may_return_null=1" + f":detect_leaks={leaks}"
                                 ":strict_string_checks=1:detect_stack_use_after_return=1",
        "UBSAN_OPTIONS": common,
    }
    for name, value in ours.items():
        if os.environ.get(name):
            ours[name] = value + ":" + os.environ[name]
    return ours


def run_command(command, folder, environment, limit):
    """(exit code, output); a test that runs out of time is ended with all that it started."""
    with subprocess.Popen(command, cwd=folder, env=environment,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, start_new_session=True) as process:
        try:
            output, _ = process.communicate(timeout=limit)
            late = ""
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            late = f"\nended after {limit:.0f} seconds"
    return process.returncode, output.decode("utf-8", "replace") + late


def count_tap(text, outcome):
    """Adds what a TAP report says; a test that the plan promised and nothing reported failed."""
    plan = re.search(r"^1\.\.(\d+)", text, re.M)
    reported = 0
    for match in re.finditer(r"^(not )?ok\b(.*)", text, re.M):
        reported += 1
        name, skip, why = re.match(r"[\s\d-]*(.*?)\s*(?:#\s*(SKIP)\S*\s*(.*))?$", match.group(2),
                                   re.I).groups()
        if skip:
            outcome.skipped.append(f"{name}: {why}" if why else name)
        elif match.group(1):
            outcome.failed += 1
        else:
            outcome.passed += 1
    missing = int(plan.group(1)) - reported if plan else 0
    if missing > 0:
        outcome.failed += missing
        outcome.output += f"\n{missing} of {plan.group(1)} tests did not report"


def count_exit_code(code, test, outcome):
    if code == 0:
        outcome.passed = 1
    elif code == SKIPPED_EXIT:
        lines = outcome.output.strip().splitlines()
        why = lines[-1].removeprefix("skipped: ") if lines else ""
        outcome.skipped.append(f"{test['name']}: {why}")
    else:
        outcome.failed = 1
        outcome.output += f"\nexit code {code}"


def count_reports(folder, outcome):
    """Adds the sanitizers' reports, as failures when the test itself saw nothing."""
    texts = []
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
            texts.append(file.read())
    unseen = sum(1 for text in texts if FAULT.search(text) and not DEADLY_SIGNAL.search(text))
    outcome.output += "".join("\n" + text for text in texts)
    if unseen and not outcome.failed:
        outcome.failed = unseen
        outcome.passed = max(0, outcome.passed - unseen)


def run_test(test, build, with_sanitizers):
    outcome = Outcome()
    folder = tempfile.mkdtemp(prefix="tenon-test-")
    started = time.monotonic()
    try:
        reports = os.path.join(folder, "reports")
        os.mkdir(reports)
        environment = {**os.environ, **test["env"]}
        limit = test["timeout"] or None
        if with_sanitizers:
            leaks = 0 if test["env"].get("TENON_TEST_IGNORE_LEAKS") else 1
            environment.update(sanitizer_environment(reports, leaks))
            limit = limit and limit * SLOWER_WITH_SANITIZERS
        # Criterion's report goes to a file, apart from what the tests print.
        tap = os.path.join(folder, "report.tap") if CRITERION_TAP in test["cmd"] else None
        command = [f"--tap={tap}" if word == CRITERION_TAP else word for word in test["cmd"]]
        code, outcome.output = run_command(command, test["workdir"] or build, environment,
                                           limit)
        if test["protocol"] == "tap":
            text = outcome.output
            if tap:
                text = ""
                if os.path.exists(tap):
                    with open(tap, encoding="utf-8", errors="replace") as file:
                        text = file.read()
            count_tap(text, outcome)
            if (code != 0 and not outcome.failed) or not (outcome.passed + outcome.failed +
                                                          len(outcome.skipped)):
                outcome.failed += 1
                outcome.output += f"\nexit code {code}"
        else:
            count_exit_code(code, test, outcome)
        count_reports(reports, outcome)
    except OSError as error:
        outcome.failed += 1
        outcome.output += f"\n{error}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    outcome.seconds = time.monotonic() - started
    return outcome


def report(test, outcome):
    verdict = "FAIL" if outcome.failed else "ok" if outcome.passed else "skip"
    counts = [f"{outcome.passed} passed"]
    if outcome.failed:
        counts.append(f"{outcome.failed} failed")
    if outcome.skipped:
        counts.append(f"{len(outcome.skipped)} skipped")
    print(f"{verdict:4} {test['name']}: {', '.join(counts)} ({outcome.seconds:.1f} s)")
    if outcome.failed:
        for line in outcome.output.strip().splitlines():
            print("     | " + line)
    for skipped in outcome.skipped:
        print("     skipped: " + skipped)
    sys.stdout.flush()


def chosen(tests, suites, names):
    for test in tests:
        in_suite = not suites or any(s.split(":")[-1] in suites for s in test["suite"])
        if in_suite and (not names or any(name in test["name"] for name in names)):
            yield test


def run_all(tests, build, jobs, with_sanitizers):
    """Yields (test, outcome) as they end; those that need the machine alone come last."""
    side_by_side = [t for t in tests if t["is_parallel"]]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(run_test, t, build, with_sanitizers): t for t in side_by_side}
        for future in concurrent.futures.as_completed(running):
            yield running[future], future.result()
    for test in tests:
        if not test["is_parallel"]:
            yield test, run_test(test, build, with_sanitizers)


def main():
    parser = argparse.ArgumentParser(description="Runs the tests of a build directory.")
    parser.add_argument("build")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--suite", action="append", default=[])
    parser.add_argument("name", nargs="*")
    arguments = parser.parse_args()

    tests = sorted(chosen(introspect(arguments.build, "--tests"), arguments.suite, arguments.name),
                   key=lambda test: -test["priority"])
    passed = failed = skipped = 0
    failures = []
    for test, outcome in run_all(tests, arguments.build, max(1, arguments.jobs),
                                 sanitized(arguments.build)):
        report(test, outcome)
        passed += outcome.passed
        failed += outcome.failed
        skipped += len(outcome.skipped)
        if outcome.failed:
            failures.append(test["name"])
    if failures:
        print("failed: " + ", ".join(sorted(failures)))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed or not passed else 0)


main()
