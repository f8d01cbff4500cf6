"""EASY backfilling over the protocol of exec policies."""
import json
import sys


def send(**reply):
    sys.stdout.write(json.dumps(reply) + "\n")
    sys.stdout.flush()


queue, running = {}, {}  # id -> (width, estimate); id -> (expected end, width)
for line in sys.stdin:
    m = json.loads(line)
    if "hello" in m:
        send(hello=2, name="easy", fields=["width", "estimate"], wants=["arrive", "finish", "leave"])
        continue
    if "bye" in m:
        break
    now, free, start = m["now"], m["free"], []
    for i in m.get("finish", []):
        del running[i]
    for j in m.get("arrive", []):
        queue[j["id"]] = (j["width"], j["estimate"])
    for i in m.get("leave", []):
        del queue[i]

    def run(i):
        global free
        width, estimate = queue.pop(i)
        free -= width
        running[i] = (now + estimate, width)
        start.append(i)

    for i in list(queue):
        if queue[i][0] > free:
            break
        run(i)
    if queue and free:
        head, *others = queue
        width, sum, shadow = queue[head][0], free, now
        ends = sorted((max(end, now), w) for end, w in running.values())
        for end, w in ends:
            if sum >= width and end > shadow:
                break
            sum, shadow = sum + w, end
        extra, latest = sum - width, shadow + 1e-9 * shadow
        for i in others:
            w, estimate = queue[i]
            if w <= free and (now + estimate <= latest or w <= extra):
                if now + estimate > latest:
                    extra -= w
                run(i)
    send(start=start)
