#!/usr/bin/env python3
"""An agent: a JSON object a line on standard input and output. docs/adapters.md tells every line there is.

It answers each message on a thread of its own, a word at a time. Write your agent in the place of `words`.
"""
import json
import sys
import threading

writing = threading.Lock()
canceled = set()


def tell(**line):
    with writing:
        print(json.dumps(line), flush=True)


def words(text):
    yield "You said:"
    yield from text.split(" ")


def answer(task, text):
    try:
        for word in words(text):
            if task in canceled:
                return
            tell(type="chunk", task=task, text=word + " ")
        tell(type="done", task=task)
    except Exception as problem:
        tell(type="failed", task=task, reason=str(problem))
    finally:
        canceled.discard(task)


for line in sys.stdin:
    told = json.loads(line)
    if told["type"] == "start":
        tell(type="ready", skill={"id": "words", "name": "Words", "description": "Says it again."})
    elif told["type"] == "message":
        threading.Thread(target=answer, args=(told["task"], told["text"]), daemon=True).start()
    elif told["type"] == "cancel":
        canceled.add(told["task"])
    elif told["type"] == "stop":
        break
