# Asks a person twice, and hands out a file.
from runfleet import artifact, interrupt, progress, save_state


def main(input, context):
    yield f"attempt {context.attempt}"
    progress(0.5, "asking")
    save_state({"asked": len(context.answers)})
    name = interrupt("Your name?", response_schema={"type": "string"})
    sure = interrupt({"question": "Sure?"}, reason="approval")
    artifact("report.txt", f"{name}: {sure}")
    with open("chart.svg", "w") as file:
        file.write("<svg/>")
    artifact("chart.svg")
    return {"name": name, "sure": sure}
