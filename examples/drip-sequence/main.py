"""Writes to a new customer for two weeks, until the customer orders or asks for it to stop."""

from runfleet import SignalTimeout, context, step

DAY = 86_400
MAILS = [("Welcome", 0), ("Three things to try", 2 * DAY), ("Is anything missing?", 5 * DAY), ("A present", 7 * DAY)]


@step(retry={"max_attempts": 5, "delay_ms": 10_000})
def send(step, to, subject, stop_url):
    """Here you call your mail provider. `stop_url` is what a click on "no more of these" POSTs to."""
    print(f"To {to}: {subject}")
    return {"subject": subject, "idempotency_key": step.idempotency_key}


def main(email: str):
    stop_url = context.signal_url("stopped", expires_in=30 * DAY)
    sent = []
    for subject, pause in MAILS:
        try:
            # The run costs a row meanwhile. A signal that comes early is kept.
            ended = context.wait_for(["ordered", "stopped"], timeout=pause)
            return {"sent": sent, "ended_by": ended["name"]}
        except SignalTimeout:
            send(email, subject, stop_url)
            sent.append(subject)
    return {"sent": sent, "ended_by": None}
