"""`roofline predictor` as a child that is asked one line at a time (docs/predictor.md): what the adapters here ask."""
import json
import os
import subprocess


class Roofline:
    def __init__(self, *words, command=None):
        """`words`: options of the service, as ("--machine", "h100"); `command`: the program, else $ROOFLINE, else `roofline`."""
        self._child = subprocess.Popen([command or os.environ.get("ROOFLINE", "roofline"), "predictor", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def seconds(self, **request):
        """The expected time of a request."""
        self._child.stdin.write(json.dumps(request) + "\n")
        self._child.stdin.flush()
        line = self._child.stdout.readline()
        if not line:
            raise RuntimeError("roofline predictor ended")
        reply = json.loads(line)
        if reply["error"]:
            raise ValueError(reply["error"]["message"])
        return reply["seconds"]["expected"]

    def close(self):
        self._child.stdin.close()
        self._child.wait()
        self._child.stdout.close()


def load_of(decodes, prompts):
    """A batch's members of a request, as means: of each sequence that generates its tokens so far, of each piece of a prompt (tokens, tokens before it)."""
    load = {}
    if decodes:
        load |= {"batch": len(decodes), "context": sum(decodes) / len(decodes)}
    if prompts:
        load |= {"prompts": len(prompts), "queries": sum(n for n, _ in prompts) / len(prompts), "past": sum(past for _, past in prompts) / len(prompts)}
    return load
