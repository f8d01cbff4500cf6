"""The conversation of a policy, hand-worked."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import revopt

HELLO = {"hello": 2, "preempt": True, "preempt_cost": 2.5, "units": 8, "seed": 7, "replication": 2, "options": {"k": "3"}, "now": 5}


def speak(script, *messages):
    """Run a script against messages and return its replies, exit code and stderr."""
    text = "".join(json.dumps(m) + "\n" for m in messages)
    path = os.path.dirname(os.path.dirname(revopt.__file__))
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(script)
        file.flush()
        done = subprocess.run([sys.executable, file.name], input=text, capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": path})
    return [json.loads(line) for line in done.stdout.splitlines()], done.returncode, done.stderr


class PolicyTest(unittest.TestCase):
    def test_function(self):
        replies, code, stderr = speak('''
import revopt

@revopt.policy
def narrow(state):
    print("on stderr", state.seed, state.replication, state.options["k"])
    return [job for job in state.queue.values() if job.width <= 2]

narrow.main()
''', HELLO, {"now": 6, "free": 8, "arrive": [{"id": 1, "width": 2}, {"id": 2, "width": 3}]}, {"bye": 1})
        fields = ["width", "estimate", "price", "decay", "deadline", "user"]
        hello = {"hello": 2, "name": "narrow", "fields": fields, "wants": list(revopt.Policy.wants)}
        self.assertEqual((replies, code, stderr), ([hello, {"start": [1]}], 0, "on stderr 7 2 3\n"))

    def test_class(self):
        replies, code, stderr = speak('''
import revopt

class Mine(revopt.Policy):
    fields, wants = ["width", "price"], ["arrive"]

    def begin(self, state):
        self.seen = state.now

    def decide(self, state):
        for job in list(state.queue.values()):
            if job.price < 1:
                state.reject(job, "price")
            elif job.width <= state.free:
                state.start(job.id)
        state.wake(state.now + self.seen)
        state.wake(state.now + 1)
        return []

Mine().main()
''', HELLO, {"now": 6.5, "free": 8, "arrive": [{"id": 1, "width": 8, "price": 2}, {"id": 2, "price": 0.5}]},
             {"now": 7, "free": 0}, {"bye": 1})
        self.assertEqual((code, stderr), (0, ""))
        self.assertEqual(replies, [
            {"hello": 2, "name": "Mine", "fields": ["width", "price"], "wants": ["arrive"]},
            {"start": [1], "reject": [{"id": 2, "why": "price"}], "wake": 7.5}, {"wake": 8}])

    def test_exception(self):
        for act, message in [("1 / 0", "ZeroDivisionError"), ("state.start(2)", "job 2 does not wait"),
                             ("state.start(1)", "job 1 needs 9 units, 8 are free")]:
            replies, code, stderr = speak(f'''
import revopt

@revopt.policy(name="bad")
def bad(state):
    {act}

bad.main()
''', HELLO, {"now": 6, "free": 8, "arrive": [{"id": 1, "width": 9}]}, {"bye": 1})
            self.assertEqual((len(replies), code), (1, 1))
            self.assertIn("Traceback", stderr)
            self.assertRegex(stderr.splitlines()[-1], f"{message}.* \\(.*\\.py, line 6\\)$")

    def test_state(self):
        state = revopt.State(HELLO)
        state.update({"now": 10, "free": 8, "arrive": [{"id": i, "width": 2, "estimate": 30} for i in (3, 4, 5)]})
        self.assertEqual((list(state.queue), state.units, state.options), ([3, 4, 5], 8, {"k": "3"}))
        state.start(state.queue[4])
        self.assertEqual((list(state.queue), list(state.running), state.free), ([3, 5], [4], 6))
        job = state.running[4]
        self.assertEqual((job.arrived, job.started, job.end, job.price), (10, 10, 40, 0))
        self.assertEqual(json.loads(state.reply()), {"start": [4]})
        self.assertEqual(json.loads(state.reply()), {})
        state.update({"now": 35, "free": 8, "finish": [4], "leave": [3], "value": {"4": 1.5}})
        self.assertEqual((list(state.queue), list(state.running), state.free), ([5], [], 8))
        self.assertEqual(([j.id for j in state.finished], [j.id for j in state.left]), ([4], [3]))
        self.assertEqual((state.arrived, state.value), ([], {"4": 1.5}))

    def test_outage(self):
        """Stopped jobs wait again in their places, and one that is lost leaves."""
        state = revopt.State(HELLO)
        state.update({"now": 10, "free": 8, "arrive": [{"id": i, "width": 2} for i in (1, 2, 3, 4)]})
        for number in 3, 1:
            state.start(number)
        state.update({"now": 20, "free": 4, "units": 4, "stop": [3, 1], "leave": [1], "arrive": [{"id": 5}]})
        self.assertEqual((list(state.queue), list(state.running), state.units), ([2, 3, 4, 5], [], 4))
        self.assertEqual([job.id for job in state.left], [1])

    def test_suspend(self):
        """A suspended job waits in its place, and has its work left and the cost of the suspension."""
        state = revopt.State(HELLO)
        state.update({"now": 10, "free": 8, "arrive": [{"id": i, "width": 4, "estimate": 30} for i in (1, 2, 3, 4)]})
        state.start(1)
        state.start(2)
        with self.assertRaisesRegex(ValueError, "job 2 was started in this decision"):
            state.suspend(2)
        state.reply()
        state.update({"now": 20, "free": 0})
        job = state.running[2]
        self.assertEqual((state.served(job), state.remaining(job), job.end), (10, 20, 40))
        state.suspend(job)
        self.assertEqual((list(state.queue), list(state.running), state.free), ([3, 4, 2], [1], 4))
        with self.assertRaisesRegex(ValueError, "job 2 does not run"):
            state.suspend(2)
        state.start(4)
        with self.assertRaisesRegex(ValueError, "job 2 (needs 4 units|was suspended in this decision)"):
            state.start(2)
        self.assertEqual(json.loads(state.reply()), {"suspend": [2], "start": [4]})
        state.update({"now": 30, "free": 0, "arrive": [{"id": 5, "width": 4}]})
        self.assertEqual(list(state.queue), [3, 5])
        state = revopt.State({**HELLO, "preempt": False})
        with self.assertRaisesRegex(ValueError, "may not be suspended"):
            state.suspend(2)

    def test_resume(self):
        state = revopt.State(HELLO)
        state.update({"now": 10, "free": 8, "arrive": [{"id": 1, "width": 4, "estimate": 30}]})
        state.start(1)
        state.reply()
        state.update({"now": 20, "free": 4})
        state.suspend(1)
        state.reply()
        state.update({"now": 50, "free": 8})
        job = state.queue[1]
        self.assertEqual((state.served(job), state.remaining(job)), (10, 22.5))
        state.start(job)
        self.assertEqual((job.started, job.end), (50, 72.5))
        state.update({"now": 60, "free": 0, "units": 0, "stop": [1]})  # an outage: all is lost
        self.assertEqual((state.served(job), state.remaining(job)), (20, 30))


if __name__ == "__main__":
    unittest.main()
