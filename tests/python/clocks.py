"""How late learners are after a time limit or a Ctrl-C.

Seconds are the fewer of those of the clock and those of this process, so that other work on the machine does not count.
"""

import os
import signal
import threading
import time


def _now():
    return time.perf_counter(), time.process_time()


def _fewer(since):
    return min(now - then for now, then in zip(_now(), since, strict=True))


def late(learner, data):
    """Learn up to the learner's time limit; the result, and how many seconds after the limit it came."""
    passed = []
    timer = threading.Timer(learner.time_limit, lambda: passed.append(_now()))
    timer.daemon = True
    start, begun = time.perf_counter(), time.process_time()
    timer.start()
    result = learner.learn(data)
    over = time.perf_counter() - start - learner.time_limit
    timer.cancel()
    if over > 0 and passed:
        # What held up the timer held up the learner: what takes the interpreter, such as the reading of a large graph.
        held_up = passed[0][0] - start - learner.time_limit
        over = min(over, _fewer(passed[0]) + held_up)
        if held_up > 0.1:
            over = min(over, time.process_time() - begun - learner.time_limit)
    return result, max(over, 0.0)


PHASES = ["partition", "within", "between", "complete", "v_structures", "path", "search", "refine"]


def answer(learner, data, phase="partition", delay=0.02):
    """Send Ctrl-C once a phase, or a later one where that is over at once, has begun.

    Returns the seconds until it is answered, or None where learning was over before.
    """
    sent, timers, learning = [], [], True

    def send():
        sent.append(_now())
        os.kill(os.getpid(), signal.SIGINT)

    def progress(now, done, total):
        if not timers and now in PHASES[PHASES.index(phase) :]:
            timers.append(threading.Timer(delay, send))
            timers[0].start()

    try:
        learner.set_params(progress=progress).learn(data)
        learning = False
        if timers:
            timers[0].join()
            time.sleep(1)
    except KeyboardInterrupt:
        return _fewer(sent[0]) if learning else None
    assert not timers, "the signal came to nothing"
    return None
